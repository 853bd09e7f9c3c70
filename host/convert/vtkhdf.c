/* VTKHDF. Triangles, quads, pixels, polygons and strips become triangles, tetrahedra stay; points
 * and lines are skipped and counted. Other cell types are an error. Blocks are groups with their
 * names; without blocks, the values of CellData/ObjectId are. */
#include "mesh_file.h"

#include "cell_types.h"
#include "error.h"
#include "file_shape.h"
#include "text.h"
#include "shared_points.h"
#include "vtkhdf_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *path;
    vtkhdf_reader *file;
    uint64_t frame;
    int numbers;
    const cell_arrays *arrays; /* the arrays to read */
    file_shape_maker make;
    shared_points shared;
    uint32_t *vertex; /* vertex of each point of the block */
    size_t vertex_bytes;
    vtkhdf_cells at;
    size_t block;
    int32_t object;   /* section begun last */
    int begun;        /* a section was begun */
    uint64_t noted;   /* ghosts noted */
    uint32_t *corner; /* [corners] of a cell */
    size_t corner_bytes;
} reader;

/* ---- cells */

/* All triangles have the orientation of the first. Those with a repeated vertex are stitches
 * between parts of a strip, and not part of the surface. */
static int add_strip(reader *r, const uint32_t *id, uint32_t n)
{
    int err = IMP_OK;
    for (uint32_t i = 2; i < n && !err; i++) {
        const uint32_t odd = i % 2, a = id[i - 2 + odd], b = id[i - 1 - odd], c = id[i];
        if (a != b && b != c && c != a)
            err = file_shape_make_primitive(&r->make, (const uint32_t[]){a, b, c}, 3);
    }
    return err;
}

static int add_known_cell(reader *r, uint64_t number, int type, const uint32_t *id, uint32_t n)
{
    switch (type) {
    case VTK_TETRAHEDRON:
        return file_shape_make_primitive(&r->make, id, 4);
    case VTK_STRIP:
        return add_strip(r, id, n);
    case VTK_PIXEL: /* a quad in rows */
        return file_shape_make_fan(&r->make, (const uint32_t[]){id[0], id[1], id[3], id[2]}, 4,
                                   number);
    default:
        return file_shape_make_fan(&r->make, id, n, number);
    }
}

/* Types that become primitives, and their allowed numbers of points. */
static int vtkhdf_cells_point_range(int type, uint64_t *least, uint64_t *most)
{
    *least = type == VTK_QUAD || type == VTK_PIXEL || type == VTK_TETRAHEDRON ? 4 : 3;
    *most = type == VTK_POLYGON || type == VTK_STRIP ? SHAPE_PRIMITIVES_MOST
            : type == VTK_TRIANGLE                   ? 3
                                                     : 4;
    return type >= VTK_TRIANGLE && type <= VTK_TETRAHEDRON;
}

/* The beginning of messages: the cell's number is that in its block. */
static int cell_fail(const reader *r, uint64_t i, const char *what, const char *more)
{
    char frame[40] = "", block[100] = "";
    vtkhdf_reader_info info;
    vtkhdf_reader_get_info(r->file, &info);
    if (info.temporal)
        snprintf(frame, sizeof frame, "frame %" PRIu64 ": ", r->frame);
    if (info.composite)
        snprintf(block, sizeof block, "block %s: ", vtkhdf_reader_block_name(r->file, r->block));
    return imp_fail(IMP_ERR_INPUT, "%s: %s%scell %" PRIu64 " is a %s%s", r->path, frame, block,
                    r->at.number[i], what, more);
}

/* The vertices of a cell. */
static int vtkhdf_cells_read_corners(reader *r, uint64_t begin, uint64_t n)
{
    int err = grow_buffer(&r->corner, &r->corner_bytes, (size_t)n * sizeof *r->corner + 1);
    for (uint64_t k = 0; k < n && !err; k++)
        r->corner[k] = r->vertex[r->at.id[begin + k]];
    return err;
}

/* Points, and lines of any order. */
static int is_line(int type)
{
    static const int curves[] = {21, 35, 68, 75};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        if (type == curves[i])
            return 1;
    return type <= VTK_POLY_LINE;
}

/* A cell of a type that is not read, or with a wrong number of points for its type. */
static int wrong_cell(const reader *r, uint64_t i, int type, uint64_t n)
{
    uint64_t least, most;
    char name[60], points[60];
    const int known = vtkhdf_cells_point_range(type, &least, &most);
    cell_type_name(type, 0, name, sizeof name);
    /* those of any order have already become linear ones: vtkhdf_reader.c */
    snprintf(points, sizeof points, " of %" PRIu64 " points%s", n,
             known ? "" : ", which is not read");
    return cell_fail(r, i, name, known || type >= VTK_ANY_ORDER ? points : ", which is not read");
}

static int vtkhdf_cells_add_cell(reader *r, uint64_t i)
{
    int err = IMP_OK;
    const uint64_t begin = i ? r->at.end[i - 1] : 0, n = r->at.end[i] - begin;
    const int type = r->at.type[i];
    uint64_t least, most;
    if (is_line(type)) {
        file_shape_make_thin(&r->make, r->at.number[i]);
        return IMP_OK;
    }
    if (!vtkhdf_cells_point_range(type, &least, &most) || n < least || n > most)
        return wrong_cell(r, i, type, n);
    TRY(vtkhdf_cells_read_corners(r, begin, n));
    file_shape_make_cell(&r->make, r->at.value + r->arrays->count * i);
    TRY(add_known_cell(r, r->at.number[i], type, r->corner, (uint32_t)n));
out:
    return err;
}

/* ---- objects */

/* Begins the section of cell i's object unless it is that of the previous cell made. */
static int begin_object(reader *r, uint64_t i)
{
    const int32_t object = r->at.object[i];
    char number[16];
    if (r->begun && r->object == object)
        return IMP_OK;
    r->object = object;
    r->begun = 1;
    if (r->numbers) {
        file_shape_make_number(&r->make, object);
        return IMP_OK;
    }
    const char *name = batch_object_name(vtkhdf_reader_names(r->file), object);
    snprintf(number, sizeof number, "%" PRId32, object);
    name = name ? name : number;
    return file_shape_make_section(&r->make, name, strlen(name));
}

static int begin_block(reader *r, const vtkhdf_reader_info *info)
{
    const char *name = vtkhdf_reader_block_name(r->file, r->block);
    return info->composite ? file_shape_make_section(&r->make, name, strlen(name)) : IMP_OK;
}

/* ---- blocks */

/* Points with numbers are joined with those of earlier blocks that have the same. */
static int vtkhdf_cells_add_points(reader *r)
{
    int err = IMP_OK;
    TRY(grow_buffer(&r->vertex, &r->vertex_bytes, (size_t)r->at.vertices * sizeof *r->vertex + 1));
    for (uint64_t v = 0; v < r->at.vertices; v++) {
        const double *x = r->at.point + 3 * v;
        r->vertex[v] = r->make.shape.vertices;
        if (r->at.node)
            TRY(shared_points_find(&r->shared, &r->make, r->at.node[v], x, v, &r->vertex[v]));
        else
            TRY(file_shape_make_vertex(&r->make, x));
    }
out:
    return err;
}

/* A cell that another part of the data owns, or that is hidden; the first is noted. */
static int vtkhdf_cells_is_ghost(reader *r, uint64_t i)
{
    if (!r->at.ghost || !r->at.ghost[i])
        return 0;
    if (!r->noted++)
        r->make.shape.ghosts.line = r->at.number[i];
    return 1;
}

static int vtkhdf_cells_add_block(reader *r, const vtkhdf_reader_info *info)
{
    int err = IMP_OK;
    TRY(vtkhdf_reader_read(r->file, r->block, r->frame, r->arrays, &r->at));
    TRY(begin_block(r, info));
    TRY(vtkhdf_cells_add_points(r));
    for (uint64_t i = 0; i < r->at.skipped; i++)
        file_shape_make_thin(&r->make, 0);
    r->make.shape.ghosts.count += r->at.ghosts;
    for (uint64_t i = 0; i < r->at.cells; i++) {
        if (vtkhdf_cells_is_ghost(r, i))
            continue;
        if (info->has_object)
            TRY(begin_object(r, i));
        TRY(vtkhdf_cells_add_cell(r, i));
    }
out:
    return err;
}

int vtkhdf_read(vtkhdf_reader *f, const char *path, uint64_t frame, int numbers,
                const cell_arrays *arrays, file_shape *out)
{
    int err = IMP_OK;
    vtkhdf_reader_info info;
    vtkhdf_reader_get_info(f, &info);
    reader r = {.path = path,
                .file = f,
                .frame = frame,
                .numbers = numbers && info.has_object,
                .arrays = arrays};
    *out = (file_shape){0};
    file_shape_make_start(&r.make, path, arrays->count);
    for (; r.block < info.blocks; r.block++)
        TRY(vtkhdf_cells_add_block(&r, &info));
    file_shape_make_end(&r.make, out);
    out->title = "VTKHDF";
    out->place = "cell";
    out->numbered = r.numbers;
    out->apart = r.shared.apart;
out:
    shared_points_free(&r.shared);
    free(r.vertex);
    free(r.corner);
    file_shape_make_free(&r.make);
    return err;
}
