/* See formats.h. */
#define _GNU_SOURCE
#include "formats.h"

#include "importers.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Meshes that users of this field have, and files that are taken for a mesh by mistake. */
static const struct format {
    const char *is;
    const char *ends;      /* file names; each ending is between blanks */
    const char *begins[4]; /* contents, in any case, after blanks and empty lines */
    const char *holds;     /* NULL, or what the first bytes must have besides */
} formats[] = {
    {"an HDF5 file (VTKHDF is a batch already: impinge run)",
     " .vtkhdf .hdf5 .hdf .h5 ",
     {"\x89HDF\r\n\x1a\n"}},
    {"a VTK XML file", " .vtp .vtu .vtm .pvd .pvtp .pvtu ", {"<"}, "<VTKFile"},
    {"an XML or HTML file", " .dae .x3d .html ", {"<"}},
    {"a PLY file", " .ply ", {"ply\n", "ply\r"}},
    {"an STL file", " .stl ", {"solid ", "solid\n", "solid\r"}},
    {"an OFF file", " .off ", {"OFF\n", "OFF\r", "COFF", "NOFF"}},
    {"a Gmsh mesh of version 1", "", {"$NOD\n", "$NOD\r"}},
    {"a Medit mesh", " .mesh ", {"MeshVersionFormatted"}},
    {"a VegaFEM mesh", " .veg ", {"# Vega mesh file", "*VERTICES"}},
    {"a TetGen file", " .node .ele .face .poly .smesh ", {NULL}},
    {"an Abaqus input file", " .inp ", {"*HEADING", "*NODE", "*PART", "**"}},
    {"a netCDF file, as of Exodus", " .e .exo .nc ", {"CDF\x01", "CDF\x02", "CDF\x05"}},
    {"a glTF file", " .gltf .glb ", {"glTF"}},
    {"a glTF file", "", {"{"}, "\"asset\""},
    {"a USD file", " .usd .usda .usdc .usdz ", {"#usda", "PXR-USDC"}},
    {"an Alembic file", " .abc ", {"Ogawa"}},
    {"an FBX file", " .fbx ", {"Kaydara FBX", "; FBX"}},
    {"a material library of OBJ files", " .mtl ", {NULL}},
    {"compressed (gzip)", " .gz ", {"\x1f\x8b"}},
    {"compressed (zstd, xz or bzip2)", "", {"\x28\xb5\x2f\xfd", "\xfd\x37zXZ", "BZh"}},
    {"an archive (zip)", " .zip ", {"PK\x03\x04"}},
    {"UTF-16 text", "", {"\xff\xfe", "\xfe\xff"}},
};

#define FORMATS (sizeof formats / sizeof *formats)

/* Does the head, which a NUL ends, begin so? */
static int begins_like(const char *head, const struct format *f)
{
    for (size_t i = 0; i < 4 && f->begins[i]; i++)
        if (!strncasecmp(head, f->begins[i], strlen(f->begins[i])))
            return !f->holds || strstr(head, f->holds);
    return 0;
}

/* It begins with 80 arbitrary bytes, so its length decides: a header, a count, 50 bytes a triangle.
 */
static int is_binary_stl(const unsigned char *head, size_t bytes, unsigned long long all)
{
    if (bytes < 84)
        return 0;
    unsigned long long n = head[80] | (unsigned long long)head[81] << 8 |
                           (unsigned long long)head[82] << 16 | (unsigned long long)head[83] << 24;
    return all == 84 + 50 * n;
}

/* Binary STL first: its 80 free bytes may look like any other format. */
const char *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all)
{
    const char *text = (const char *)head;
    if (is_binary_stl(head, bytes, all))
        return "an STL file";
    text += strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3; /* a byte order mark */
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < FORMATS; i++)
        if (begins_like(text, &formats[i]))
            return formats[i].is;
    return NULL;
}

const char *format_by_name(const char *path)
{
    /* valid until the next call in this thread: callers need not free it */
    static _Thread_local char text[120];
    char end[20];
    const char *dot = strrchr(path, '.');
    const importer *read = importer_of_name(path);
    /* OBJ has no beginning of its own, so the file was read as OBJ already */
    const char *is = read && *read->begins ? read->title : NULL;
    snprintf(end, sizeof end, " %s ", dot ? dot : "none");
    for (size_t i = 0; i < FORMATS && !is; i++)
        if (strcasestr(formats[i].ends, end))
            is = formats[i].is;
    snprintf(text, sizeof text, "%s%s", is ? "; by its name it is " : "", is ? is : "");
    return text;
}
