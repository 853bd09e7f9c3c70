/* See mesh_file.h. */
#define _GNU_SOURCE
#include "mesh_file.h"

#include "error.h"
#include "file_shape.h"
#include "impinge.h"
#include "text.h"
#include "vtkhdf_reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct mesh_file {
    const char *path;
    vtkhdf_reader *vtkhdf; /* NULL for text */
};

/* Only for a regular file: bytes read from a pipe here would be lost. */
static int is_hdf5(const char *path)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char head[sizeof signature - 1];
    struct stat s;
    if (!strcmp(path, "-") || stat(path, &s) || !S_ISREG(s.st_mode))
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC), is = 0;
    if (fd >= 0) {
        is = read(fd, head, sizeof head) == (ssize_t)sizeof head &&
             !memcmp(head, signature, sizeof head);
        close(fd);
    }
    return is;
}

int mesh_file_open(mem *m, const char *path, const char *array, mesh_file **out)
{
    int err = IMP_OK;
    mesh_file *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    f->path = path;
    if (is_hdf5(path))
        TRY(vtkhdf_reader_open(m, path, array, &f->vtkhdf));
    else if (array)
        FAIL(IMP_ERR_INPUT, "%s: --objects array:%s: OBJ has no cell arrays, VTKHDF has",
             text_name(path), array);
    *out = f;
    f = NULL;
out:
    mesh_file_close(f);
    return err;
}

void mesh_file_close(mesh_file *f)
{
    if (!f)
        return;
    vtkhdf_reader_close(f->vtkhdf);
    free(f);
}

void mesh_file_get_info(const mesh_file *f, mesh_file_info *out)
{
    vtkhdf_reader_info info;
    *out = (mesh_file_info){.frames = 1, .type = IMP_FLOAT64, .has_groups = 1};
    if (!f->vtkhdf)
        return;
    vtkhdf_reader_get_info(f->vtkhdf, &info);
    out->frames = info.frames;
    out->temporal = info.temporal;
    out->type = info.type;
    out->has_numbers = info.has_object;
    out->has_groups = out->has_objects = info.composite || info.has_object;
}

int mesh_file_read(mesh_file *f, uint64_t frame, const mesh_reading *how, file_shape *out)
{
    return f->vtkhdf ? vtkhdf_read(f->vtkhdf, f->path, frame, how, out)
                     : file_shape_read(f->path, how->arrays->count, out);
}

const cell_arrays *mesh_file_arrays(const mesh_file *f)
{
    return f->vtkhdf ? vtkhdf_reader_arrays(f->vtkhdf) : NULL;
}

const cell_arrays *mesh_file_lost(const mesh_file *f)
{
    return f->vtkhdf ? vtkhdf_reader_lost_arrays(f->vtkhdf) : NULL;
}

double mesh_file_time(const mesh_file *f, uint64_t frame)
{
    return f->vtkhdf ? vtkhdf_reader_time(f->vtkhdf, frame) : 0;
}

const char *mesh_file_source(const mesh_file *f, uint64_t frame)
{
    const char *source =
        f->vtkhdf ? batch_frame_source(vtkhdf_reader_names(f->vtkhdf), frame) : NULL;
    return source ? source : f->path;
}

const batch_names *mesh_file_names(const mesh_file *f)
{
    vtkhdf_reader_info info;
    if (!f->vtkhdf)
        return NULL;
    vtkhdf_reader_get_info(f->vtkhdf, &info);
    return info.by_array ? NULL : vtkhdf_reader_names(f->vtkhdf);
}

/* Meshes that users in this field have, and files often mistaken for a mesh. */
static const format formats[] = {
    /* the first one: see format_rank */
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
    {"a USD file", " .usd .usda .usdc .usdz ", 1, {"#usda", "PXR-USDC"}},
    {"an Alembic file", " .abc ", 1, {"Ogawa"}},
    {"a cache of points (MDD)", " .mdd ", 1, {NULL}},
    {"a cache of points (PC2)", " .pc2 ", 1, {"POINTCACHE2"}},
    {"an FBX file", " .fbx ", 0, {"Kaydara FBX", "; FBX"}},
    {"a material library of OBJ files", " .mtl ", 0, {NULL}},
    {"compressed (gzip)", " .gz ", 0, {"\x1f\x8b"}},
    {"compressed (zstd, xz or bzip2)", "", 0, {"\x28\xb5\x2f\xfd", "\xfd\x37zXZ", "BZh"}},
    {"an archive (zip)", " .zip ", 0, {"PK\x03\x04"}},
    {"UTF-16 text", "", 0, {"\xff\xfe", "\xfe\xff"}},
};

static const format binary_stl = {.is = "an STL file", .python = 1};
static const format mdd = {.is = "a cache of points (MDD)", .python = 1};
static const format usdz = {.is = "a USD file (USDZ)", .python = 1};

#define FORMATS (sizeof formats / sizeof *formats)

/* Returns whether the head, which must end with a NUL, begins so. */
static int begins_like(const char *head, const format *f)
{
    for (size_t i = 0; i < 4 && f->begins[i]; i++)
        if (!strncasecmp(head, f->begins[i], strlen(f->begins[i])))
            return !f->holds || strstr(head, f->holds);
    return 0;
}

/* It begins with 80 arbitrary bytes, so its length decides: a header, a count, 50 bytes per
 * triangle. */
static int is_binary_stl(const unsigned char *head, size_t bytes, unsigned long long all)
{
    if (bytes < 84)
        return 0;
    unsigned long long n = head[80] | (unsigned long long)head[81] << 8 |
                           (unsigned long long)head[82] << 16 | (unsigned long long)head[83] << 24;
    return all == 84 + 50 * n;
}

static unsigned long long big_endian(const unsigned char *head)
{
    return (unsigned long long)head[0] << 24 | (unsigned long long)head[1] << 16 |
           (unsigned long long)head[2] << 8 | (unsigned long long)head[3];
}

/* It begins with the numbers of frames and of points, and has no other mark: a time per frame, and
 * its points. */
static int is_mdd(const unsigned char *head, size_t bytes, unsigned long long all)
{
    if (bytes < 8)
        return 0;
    unsigned long long frames = big_endian(head), points = big_endian(head + 4);
    return frames && points && frames < 1u << 31 && points < 1u << 31 && all > 8 &&
           (all - 8) % frames == 0 && (all - 8) / frames == 4 + 12 * points;
}

/* An archive (zip) whose first file is stored as it is, and has the name of a USD layer. */
static int is_usdz(const unsigned char *head, size_t bytes)
{
    static const char *const layers[] = {".usd", ".usda", ".usdc"};
    if (bytes < 30 || memcmp(head, "PK\x03\x04", 4) || head[8] || head[9])
        return 0;
    size_t length = head[26] | (size_t)head[27] << 8;
    const char *name = (const char *)head + 30;
    for (size_t i = 0; i < 3 && length <= bytes - 30; i++) {
        size_t end = strlen(layers[i]);
        if (length > end && !strncasecmp(name + length - end, layers[i], end))
            return 1;
    }
    return 0;
}

/* Binary STL first: its 80 free bytes may look like any other format. */
const format *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all)
{
    const char *text = (const char *)head;
    if (is_binary_stl(head, bytes, all))
        return &binary_stl;
    if (is_mdd(head, bytes, all))
        return &mdd;
    if (is_usdz(head, bytes))
        return &usdz;
    text += strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3; /* a byte order mark */
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < FORMATS; i++)
        if (begins_like(text, &formats[i]))
            return &formats[i];
    return NULL;
}

/* The row for the ending of a name, or NULL. */
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

enum format_rank format_rank(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (format_converts(path) || (dot && !strcasecmp(dot, ".vtkhdf")))
        return FORMAT_MESH;
    return dot && format_of_name(path) == &formats[0] ? FORMAT_DATA : FORMAT_OTHER;
}

/* ---- text files */

/* Called before the file is read as text, where a binary file would be an error in line 1. A pipe
 * has no size, so a binary STL file in a pipe is not recognised. */
static int check_format(const text_reader *t)
{
    struct stat s;
    size_t bytes;
    const unsigned char *head = text_head(t, &bytes);
    int regular = !fstat(t->fd, &s) && S_ISREG(s.st_mode);
    const format *is = format_of_head(head, bytes, regular ? (unsigned long long)s.st_size : 0);
    if (is)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: is %s, which convert does not read; it reads .obj and .vtkhdf%s",
                        t->path, is->is, is->python ? FORMAT_BY_PYTHON : "");
    return IMP_OK;
}

int file_shape_read(const char *path, size_t arrays, file_shape *out)
{
    int err = IMP_OK;
    text_reader t;
    size_t bytes;
    *out = (file_shape){0};
    TRY(text_open(path, &t));
    text_head(&t, &bytes);
    TRY(check_format(&t));
    TRY(obj_read(&t, arrays, out));
    out->blank = !bytes;
    out->title = "Wavefront OBJ";
    out->place = "line";
out:
    /* after an error text_open has already closed it, which is allowed */
    text_close(&t);
    return err;
}

/* A file of points would give a frame without primitives, and hence a result without contacts. */
int file_shape_need_primitives(const char *path, const file_shape *s)
{
    if (s->primitives)
        return IMP_OK;
    if (s->blank)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: is empty, 0 bytes: it has no triangle, polygon or tetrahedron",
                        text_name(path));
    return imp_fail(IMP_ERR_INPUT,
                    "%s: no triangle, polygon or tetrahedron among %" PRIu32
                    " points; it was read as %s%s",
                    text_name(path), s->vertices, s->title, format_by_name(path));
}

void file_shape_free(file_shape *s)
{
    names_free(&s->groups);
    free(s->value);
    free(s->group);
    free(s->polygon);
    free(s->corner_count);
    free(s->corner);
    free(s->point);
    *s = (file_shape){0};
}
