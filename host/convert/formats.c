/* See formats.h. */
#include "formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HDF5 "an HDF5 file (VTKHDF is a batch already: impinge run)"
#define XML_VTK "a VTK XML file"
#define GLTF "a glTF file"
#define LEGACY_VTK "a legacy VTK file"
#define PLY "a PLY file"
#define STL "an STL file"
#define GMSH "a Gmsh mesh"
#define VEGA "a VegaFEM mesh"
#define ABAQUS "an Abaqus input file"
#define TETGEN "a TetGen file"
#define OFF "an OFF file"
#define USD "a USD file"
#define ABC "an Alembic file"
#define FBX "an FBX file"
#define STEP "a STEP file"

typedef struct mark {
    const char *bytes;
    size_t n;
    const char *is;
} mark;

#define MARK(text, is)                                                                             \
    {                                                                                              \
        text, sizeof(text) - 1, is                                                                 \
    }

/* what the first bytes are */
static const mark first[] = {
    MARK("\x89HDF\r\n\x1a\n", HDF5),
    MARK("glTF", GLTF),
    MARK("ply\n", PLY),
    MARK("ply\r", PLY),
    MARK("$NOD", "a Gmsh mesh of version 1"),
    MARK("MeshVersionFormatted", "a Medit mesh"),
    MARK("# Vega mesh file", VEGA),
    MARK("# Vega Mesh File", VEGA),
    MARK("*VERTICES", VEGA),
    MARK("*HEADING", ABAQUS),
    MARK("*Heading", ABAQUS),
    MARK("*NODE", ABAQUS),
    MARK("*Node", ABAQUS),
    MARK("#usda", USD),
    MARK("PXR-USDC", USD),
    MARK("Ogawa", ABC),
    MARK("Kaydara FBX", FBX),
    MARK("; FBX", FBX),
    MARK("ISO-10303-21", STEP),
    MARK("BLENDER", "a Blender file"),
    MARK("#VRML", "a VRML file"),
    MARK("#Inventor", "an Inventor file"),
    MARK("CDF\x01", "a netCDF file"),
    MARK("CDF\x02", "a netCDF file"),
    MARK("CDF\x05", "a netCDF file"),
    MARK("%PDF", "a PDF document"),
    MARK("%!PS", "a PostScript document"),
    MARK("\x1f\x8b", "compressed (gzip)"),
    MARK("\x28\xb5\x2f\xfd", "compressed (zstd)"),
    MARK("\xfd"
         "7zXZ",
         "compressed (xz)"),
    MARK("BZh", "compressed (bzip2)"),
    MARK("\x04\x22\x4d\x18", "compressed (lz4)"),
    MARK("PK\x03\x04", "an archive (zip)"),
    MARK("7z\xbc\xaf\x27\x1c", "an archive (7z)"),
    MARK("\xff\xfe", "UTF-16 text"),
    MARK("\xfe\xff", "UTF-16 text"),
    MARK("\x89PNG", "a picture (PNG)"),
    MARK("\xff\xd8\xff", "a picture (JPEG)"),
    MARK("GIF8", "a picture (GIF)"),
    MARK("\x7f"
         "ELF",
         "a program"),
};

static const mark names[] = {
    MARK(".vtp", XML_VTK),
    MARK(".vtu", XML_VTK),
    MARK(".vti", XML_VTK),
    MARK(".vts", XML_VTK),
    MARK(".vtr", XML_VTK),
    MARK(".vtm", XML_VTK),
    MARK(".pvd", XML_VTK),
    MARK(".pvtu", XML_VTK),
    MARK(".pvtp", XML_VTK),
    MARK(".vtk", LEGACY_VTK),
    MARK(".gltf", GLTF),
    MARK(".glb", GLTF),
    MARK(".ply", PLY),
    MARK(".stl", STL),
    MARK(".msh", GMSH),
    MARK(".veg", VEGA),
    MARK(".inp", ABAQUS),
    MARK(".node", TETGEN),
    MARK(".ele", TETGEN),
    MARK(".face", TETGEN),
    MARK(".edge", TETGEN),
    MARK(".poly", TETGEN),
    MARK(".smesh", TETGEN),
    MARK(".off", OFF),
    MARK(".usd", USD),
    MARK(".usda", USD),
    MARK(".usdc", USD),
    MARK(".usdz", USD),
    MARK(".abc", ABC),
    MARK(".fbx", FBX),
    MARK(".step", STEP),
    MARK(".stp", STEP),
    MARK(".igs", "an IGES file"),
    MARK(".iges", "an IGES file"),
    MARK(".bdf", "a Nastran file"),
    MARK(".nas", "a Nastran file"),
    MARK(".dae", "a COLLADA file"),
    MARK(".x3d", "an X3D file"),
    MARK(".wrl", "a VRML file"),
    MARK(".mtl", "a material library of OBJ files"),
    MARK(".mesh", "a Medit mesh"),
    MARK(".bgeo", "a Houdini file"),
    MARK(".geo", "a geometry of Gmsh or Houdini"),
    MARK(".vtkhdf", HDF5),
    MARK(".hdf", HDF5),
    MARK(".h5", HDF5),
    MARK(".csv", "a CSV table"),
    MARK(".dxf", "a DXF file"),
    MARK(".3ds", "a 3DS file"),
    MARK(".blend", "a Blender file"),
};

/* Is the text in the head? */
static int has(const unsigned char *head, size_t bytes, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= bytes; i++)
        if (!memcmp(head + i, text, n))
            return 1;
    return 0;
}

static const char *format_of_xml(const unsigned char *head, size_t bytes)
{
    if (has(head, bytes, "<VTKFile"))
        return XML_VTK;
    if (has(head, bytes, "<COLLADA"))
        return "a COLLADA file";
    if (has(head, bytes, "<X3D"))
        return "an X3D file";
    if (has(head, bytes, "<html") || has(head, bytes, "<HTML"))
        return "an HTML page";
    return has(head, bytes, "<?xml") ? "an XML file" : NULL;
}

static const char *format_of_json(const unsigned char *head, size_t bytes)
{
    if (has(head, bytes, "\"asset\"") || has(head, bytes, "\"accessors\""))
        return GLTF;
    return has(head, bytes, "\":") ? "a JSON file" : NULL;
}

/* OFF, COFF, STOFF, 4OFF ... and nothing else in the line */
static int is_off(const unsigned char *head, size_t bytes)
{
    size_t n = 0;
    while (n < bytes && strchr("STCN4n", head[n]) && head[n])
        n++;
    return n <= 5 && n + 3 < bytes && !memcmp(head + n, "OFF", 3) &&
           strchr("\r\n \t", head[n + 3]) && head[n + 3];
}

/* It begins with 80 bytes of anything, so only its length can tell: a header, a count, 50 bytes a
 * triangle. */
static int is_binary_stl(const unsigned char *head, size_t bytes, unsigned long long all)
{
    if (bytes < 84)
        return 0;
    unsigned long long n = head[80] | (unsigned long long)head[81] << 8 |
                           (unsigned long long)head[82] << 16 | (unsigned long long)head[83] << 24;
    return all == 84 + 50 * n;
}

const char *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all)
{
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (bytes >= first[i].n && !memcmp(head, first[i].bytes, first[i].n))
            return first[i].is;
    if (is_off(head, bytes))
        return OFF;
    if (is_binary_stl(head, bytes, all))
        return STL;
    size_t n = 0;
    /* a byte order mark */
    if (bytes >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
        n = 3;
    while (n < bytes && strchr(" \t\r\n", head[n]) && head[n])
        n++;
    if (bytes - n > 6 && !memcmp(head + n, "solid", 5) && strchr(" \t\r\n", head[n + 5]))
        return STL;
    if (n < bytes && head[n] == '<')
        return format_of_xml(head, bytes);
    return n < bytes && head[n] == '{' ? format_of_json(head, bytes) : NULL;
}

const char *format_of_name(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (n > names[i].n && !strcasecmp(path + n - names[i].n, names[i].bytes))
            return names[i].is;
    return NULL;
}

const char *format_by_name(const char *path)
{
    static _Thread_local char name[120];
    const char *is = format_of_name(path);
    snprintf(name, sizeof name, "%s%s", is ? "; by its name it is " : "", is ? is : "");
    return name;
}
