/* See formats.h. */
#define _GNU_SOURCE
#include "formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Meshes that users of this field have, and files that are taken for a mesh by mistake. */
static const format formats[] = {
    {"an HDF5 file", " .vtkhdf .hdf5 .hdf .h5 ", 0, {"\x89HDF\r\n\x1a\n"}},
    {"a VTK XML file", " .vtp .vtu .vtm .pvd .pvtp .pvtu ", 1, {"<"}, "<VTKFile"},
    {"an XDMF file", " .xdmf .xmf ", 1, {"<"}, "<Xdmf"},
    {"a URDF file", " .urdf ", 1, {"<"}, "<robot"},
    {"an XML or HTML file", " .dae .x3d .html ", 0, {"<"}},
    {"a legacy VTK file", " .vtk ", 1, {"# vtk DataFile Version"}},
    {"a list of files of a series", " .series ", 1, {"{"}, "\"file-series-version\""},
    {"a PLY file", " .ply ", 1, {"ply\n", "ply\r"}},
    {"an STL file", " .stl ", 1, {"solid ", "solid\n", "solid\r"}},
    {"an OFF file", " .off ", 1, {"OFF\n", "OFF\r", "COFF", "NOFF"}},
    {"a Gmsh mesh of version 1", "", 0, {"$NOD\n", "$NOD\r"}},
    {"a Gmsh mesh", " .msh ", 1, {"$MeshFormat", "$Comments", "$PhysicalNames"}},
    {"a Medit mesh", " .mesh ", 1, {"MeshVersionFormatted"}},
    {"a VegaFEM mesh", " .veg ", 0, {"# Vega mesh file", "*VERTICES"}},
    {"a TetGen file", " .node .ele ", 1, {NULL}},
    {"a TetGen file", " .face .poly .smesh ", 0, {NULL}},
    {"an Abaqus input file", " .inp ", 1, {"*HEADING", "*NODE", "*PART", "**"}},
    {"a Nastran file", " .bdf .nas .fem ", 1, {"BEGIN BULK", "SOL ", "CEND"}},
    {"a netCDF file, as of Exodus", " .e .exo .ex2 .nc ", 1, {"CDF\x01", "CDF\x02", "CDF\x05"}},
    {"an OpenFOAM case", " .foam ", 1, {NULL}},
    {"an EnSight case", " .case ", 1, {NULL}},
    {"a glTF file", " .gltf .glb ", 1, {"glTF"}},
    {"a glTF file", "", 1, {"{"}, "\"asset\""},
    {"a USD file", " .usd .usda .usdc .usdz ", 0, {"#usda", "PXR-USDC"}},
    {"an Alembic file", " .abc ", 0, {"Ogawa"}},
    {"an FBX file", " .fbx ", 0, {"Kaydara FBX", "; FBX"}},
    {"a material library of OBJ files", " .mtl ", 0, {NULL}},
    {"compressed (gzip)", " .gz ", 0, {"\x1f\x8b"}},
    {"compressed (zstd, xz or bzip2)", "", 0, {"\x28\xb5\x2f\xfd", "\xfd\x37zXZ", "BZh"}},
    {"an archive (zip)", " .zip ", 0, {"PK\x03\x04"}},
    {"UTF-16 text", "", 0, {"\xff\xfe", "\xfe\xff"}},
};

static const format binary_stl = {.is = "an STL file", .python = 1};

#define FORMATS (sizeof formats / sizeof *formats)

/* Does the head, which a NUL ends, begin so? */
static int begins_like(const char *head, const format *f)
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
const format *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all)
{
    const char *text = (const char *)head;
    if (is_binary_stl(head, bytes, all))
        return &binary_stl;
    text += strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3; /* a byte order mark */
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < FORMATS; i++)
        if (begins_like(text, &formats[i]))
            return &formats[i];
    return NULL;
}

/* The row that the ending of a name belongs to, or NULL. */
static const format *format_of_name(const char *path)
{
    char end[20];
    const char *dot = strrchr(path, '.');
    snprintf(end, sizeof end, " %s ", dot ? dot : "none");
    for (size_t i = 0; i < FORMATS; i++)
        if (strcasestr(formats[i].ends, end))
            return &formats[i];
    return NULL;
}

const char *format_by_name(const char *path)
{
    /* valid until the next call in this thread: callers need not free it */
    static _Thread_local char text[160];
    const format *f = format_of_name(path);
    snprintf(text, sizeof text, "%s%s%s", f ? "; by its name it is " : "", f ? f->is : "",
             f && f->python ? FORMAT_BY_PYTHON : "");
    return text;
}

int format_converts(const char *path)
{
    const format *f = format_of_name(path);
    const char *dot = strrchr(path, '.');
    return (dot && !strcasecmp(dot, ".obj")) || (f && f->python);
}
