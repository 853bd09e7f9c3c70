/* VTKHDF. Triangles, quads, pixels, polygons and strips become triangles; tetrahedra stay, or with
 * a skin (skin.h) they and other solids become its faces; points and lines are skipped and counted.
 * Other cell types are an error. Blocks are groups with their names; without blocks, the values of
 * CellData/ObjectId are, and in place of both those of an array that was chosen. */
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

/* members: what to read, the shape that is made, and scratch memory of a block and of a cell */
typedef struct reader {
    const char *path;
    vtkhdf_reader *file;
    uint64_t frame;
    int numbers, by_array;
    const cell_arrays *arrays; /* the arrays to read */
    skin *skin;                /* or NULL */
    size_t id, id_of;          /* the array of ids to make, and the one that they are made of; */
                               /* arrays->count: none */
    file_shape_maker make;
    shared_points shared;
    uint32_t *vertex; /* vertices of the points of the block, or of all blocks with a skin */
    size_t vertex_bytes;
    size_t point;    /* index in `vertex` of the block's first point */
    name_list parts; /* names of objects, whose skins are apart */
    size_t solid;    /* solids of the skin up to here */
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

/* ---- ids of primitives: the part of a cell's skin keeps its id while other parts come and go */

#define IDS_OF_CELL 16   /* ids of each cell */
#define ID_OF_SURFACE 12 /* the first of a cell that is no solid: after those of six quads */

/* Gives the primitives from `first` on, all of one cell, the ids from `code` on. */
static void set_ids(reader *r, uint32_t first, uint32_t code)
{
    file_shape *s = &r->make.shape;
    if (r->id == r->arrays->count)
        return;
    const int64_t most = INT64_MAX / IDS_OF_CELL - 1;
    for (uint32_t i = first; i < s->primitives; i++) {
        int64_t *value = s->value + s->arrays * i;
        const int64_t of = value[r->id_of];
        s->no_ids |= of > most || of < -most || code + (i - first) >= IDS_OF_CELL;
        value[r->id] = s->no_ids ? 0 : of * IDS_OF_CELL + code + (i - first);
    }
}

/* The faces of the next solid that belong to the skin. */
static int add_solid(reader *r, uint64_t number, int type, const uint32_t *id)
{
    int err = IMP_OK;
    const skin *s = r->skin;
    file_shape *o = &r->make.shape;
    if (s->several.count && s->several.cell == r->solid)
        o->several = (file_shape_note){s->several.count, number};
    if (s->one_side.count && s->one_side.cell == r->solid)
        o->one_side = (file_shape_note){s->one_side.count, number};
    const uint8_t kept = s->kept[r->solid++];
    o->solids++;
    if (s->wedges_turned && type == VTK_WEDGE && !o->turned.count++)
        o->turned.line = number;
    for (int f = 0; f < SKIN_FACES; f++) {
        uint32_t face[4];
        const uint32_t first = o->primitives;
        if (!(kept >> f & 1))
            continue;
        TRY(file_shape_make_fan(&r->make, face, skin_face(s, type, id, f, face), number));
        set_ids(r, first, 2 * (uint32_t)f);
    }
out:
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

/* Cells of any order with the corners of a linear one alone are that. */
static int solid_type(int type, uint64_t n)
{
    static const struct {
        int lagrange, bezier, linear;
    } types[] = {{72, 79, VTK_HEXAHEDRON}, {73, 80, VTK_WEDGE}, {74, 81, VTK_PYRAMID}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((type == types[i].lagrange || type == types[i].bezier) &&
            n == skin_corners(types[i].linear))
            return types[i].linear;
    return type;
}

/* Types that become primitives, and their allowed numbers of points. */
static int vtkhdf_cells_point_range(const reader *r, int type, uint64_t *least, uint64_t *most)
{
    const uint32_t corners = skin_corners(type);
    if (r->skin && corners) {
        *least = *most = corners;
        return 1;
    }
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
        r->corner[k] = r->vertex[r->point + r->at.id[begin + k]];
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
    char name[60], points[120];
    const int known = vtkhdf_cells_point_range(r, type, &least, &most);
    cell_type_name(type, 0, name, sizeof name);
    const char *end = known                               ? ""
                      : skin_corners(solid_type(type, n)) ? ", which is not read; --skin reads the "
                                                            "surface of solids"
                                                          : ", which is not read";
    /* those of any order have already become linear ones: vtkhdf_reader.c */
    snprintf(points, sizeof points, " of %" PRIu64 " points%s", n, end);
    return cell_fail(r, i, name, known || type >= VTK_ANY_ORDER ? points : end);
}

static int vtkhdf_cells_add_cell(reader *r, uint64_t i)
{
    int err = IMP_OK;
    const uint64_t begin = i ? r->at.end[i - 1] : 0, n = r->at.end[i] - begin;
    const int type = r->skin ? solid_type(r->at.type[i], n) : r->at.type[i];
    const uint32_t first = r->make.shape.primitives;
    uint64_t least, most;
    if (is_line(type)) {
        file_shape_make_thin(&r->make, r->at.number[i]);
        return IMP_OK;
    }
    if (!vtkhdf_cells_point_range(r, type, &least, &most) || n < least || n > most)
        return wrong_cell(r, i, type, n);
    TRY(vtkhdf_cells_read_corners(r, begin, n));
    file_shape_make_cell(&r->make, r->at.value + r->arrays->count * i);
    if (r->skin && skin_corners(type))
        return add_solid(r, r->at.number[i], type, r->corner);
    TRY(add_known_cell(r, r->at.number[i], type, r->corner, (uint32_t)n));
    set_ids(r, first, ID_OF_SURFACE);
out:
    return err;
}

/* ---- objects */

/* An object without a name is called by its number, which is written to `number`. */
static const char *object_name(const reader *r, int32_t object, char number[16])
{
    const char *name = r->by_array ? NULL : batch_object_name(vtkhdf_reader_names(r->file), object);
    snprintf(number, 16, "%" PRId32, object);
    return name ? name : number;
}

/* Begins the section of cell i's object unless it is that of the previous cell made. */
static int begin_object(reader *r, uint64_t i)
{
    const int32_t object = r->at.object[i];
    if (r->begun && r->object == object)
        return IMP_OK;
    r->object = object;
    r->begun = 1;
    if (r->numbers) {
        file_shape_make_number(&r->make, object);
        return IMP_OK;
    }
    char number[16];
    const char *name = object_name(r, object, number);
    return file_shape_make_section(&r->make, name, strlen(name));
}

static int begin_block(reader *r, const vtkhdf_reader_info *info)
{
    const char *name = vtkhdf_reader_block_name(r->file, r->block);
    return info->composite && !info->has_object
               ? file_shape_make_section(&r->make, name, strlen(name))
               : IMP_OK;
}

/* ---- blocks */

/* Points with numbers are joined with those of earlier blocks that have the same. */
static int vtkhdf_cells_add_points(reader *r)
{
    int err = IMP_OK;
    const size_t end = r->point + (size_t)r->at.vertices;
    TRY(grow_buffer(&r->vertex, &r->vertex_bytes, end * sizeof *r->vertex + 1));
    for (uint64_t v = 0; v < r->at.vertices; v++) {
        const double *x = r->at.point + 3 * v;
        uint32_t *vertex = &r->vertex[r->point + v];
        *vertex = r->make.shape.vertices;
        if (r->at.node)
            TRY(shared_points_find(&r->shared, &r->make, r->at.node[v], x, v, vertex));
        else
            TRY(file_shape_make_vertex(&r->make, x));
    }
out:
    return err;
}

/* A cell that another part of the data owns, or that is hidden. */
static int is_ghost(const reader *r, uint64_t i)
{
    return r->at.ghost && r->at.ghost[i];
}

/* The first is noted. */
static int vtkhdf_cells_is_ghost(reader *r, uint64_t i)
{
    if (!is_ghost(r, i))
        return 0;
    if (!r->noted++)
        r->make.shape.ghosts.line = r->at.number[i];
    return 1;
}

static int read_block(reader *r)
{
    return vtkhdf_reader_read(r->file, r->block, r->frame, r->arrays, &r->at);
}

static int vtkhdf_cells_add_block(reader *r, const vtkhdf_reader_info *info)
{
    int err = IMP_OK;
    /* with a skin all blocks have been read, and the last of them is still there */
    if (!r->skin || info->blocks > 1)
        TRY(read_block(r));
    TRY(begin_block(r, info));
    if (!r->skin)
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
    r->point += r->skin ? (size_t)r->at.vertices : 0;
out:
    return err;
}

/* ---- the skin: it needs the solids of all blocks, since several may belong to one object */

static int add_solid_to_skin(reader *r, uint64_t i, int32_t part)
{
    int err = IMP_OK;
    const uint64_t begin = i ? r->at.end[i - 1] : 0, n = r->at.end[i] - begin;
    const int type = solid_type(r->at.type[i], n);
    if (!skin_corners(type) || is_ghost(r, i))
        return IMP_OK;
    if (n != skin_corners(type))
        return wrong_cell(r, i, type, n);
    TRY(vtkhdf_cells_read_corners(r, begin, n));
    TRY(skin_add(r->skin, type, part, r->corner));
out:
    return err;
}

static int add_block_to_skin(reader *r, const vtkhdf_reader_info *info)
{
    int err = IMP_OK, known = 0;
    int32_t part = 0;
    TRY(read_block(r));
    TRY(vtkhdf_cells_add_points(r));
    if (info->composite)
        TRY(names_find(&r->parts, "", vtkhdf_reader_block_name(r->file, r->block), &part));
    for (uint64_t i = 0; i < r->at.cells; i++) {
        char number[16];
        if (info->has_object && !(known && r->object == r->at.object[i])) {
            r->object = part = r->at.object[i];
            known = 1;
            /* objects of one name are one */
            if (!r->numbers)
                TRY(names_find(&r->parts, "", object_name(r, part, number), &part));
        }
        TRY(add_solid_to_skin(r, i, part));
    }
    r->point += (size_t)r->at.vertices;
out:
    return err;
}

static int vtkhdf_by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* An array with few values may have the numbers of parts; one with nearly as many as there are
 * cells has numbers of cells. value[cells]: scratch memory. */
static int is_varied(const reader *r, size_t array, int64_t *value)
{
    const size_t n = (size_t)r->at.cells;
    size_t several = n > 0;
    for (size_t i = 0; i < n; i++)
        value[i] = r->at.value[r->arrays->count * i + array];
    qsort(value, n, sizeof *value, vtkhdf_by_value);
    for (size_t i = 1; i < n; i++)
        several += value[i] != value[i - 1];
    /* objects are int32 */
    return several > 1 && several <= n / 2 && value[0] >= INT32_MIN && value[n - 1] <= INT32_MAX;
}

/* Of the cells of the only block. The first array is SourceId. */
static int find_varied(const reader *r, uint8_t *varied)
{
    int64_t *value = calloc((size_t)r->at.cells + 1, sizeof *value);
    if (!value)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    for (size_t i = 1; i < r->arrays->count; i++)
        varied[i] = strcmp(r->arrays->array[i].name, PRIMITIVE_ID) && is_varied(r, i, value);
    free(value);
    return IMP_OK;
}

static int find_skin(reader *r, const vtkhdf_reader_info *info, uint8_t *varied)
{
    int err = IMP_OK;
    skin_start(r->skin);
    for (; r->block < info->blocks; r->block++)
        TRY(add_block_to_skin(r, info));
    if (varied && !info->composite && !info->has_object)
        TRY(find_varied(r, varied));
    TRY(skin_find(r->skin, r->make.shape.point));
    r->block = r->point = 0;
out:
    return err;
}

/* Ids are made for skins alone: other primitives keep those of their cells. */
static void choose_ids(reader *r, const mesh_reading *how)
{
    r->id = r->skin ? cell_arrays_find(r->arrays, PRIMITIVE_ID) : r->arrays->count;
    r->id_of = how->ids_of_source ? 0 : r->id;
}

int vtkhdf_read(vtkhdf_reader *f, const char *path, uint64_t frame, const mesh_reading *how,
                file_shape *out)
{
    int err = IMP_OK;
    vtkhdf_reader_info info;
    vtkhdf_reader_get_info(f, &info);
    reader r = {.path = path,
                .file = f,
                .frame = frame,
                .numbers = how->numbers && info.has_object,
                .by_array = info.by_array,
                .skin = how->skin,
                .arrays = how->arrays};
    *out = (file_shape){0};
    choose_ids(&r, how);
    file_shape_make_start(&r.make, path, r.arrays->count);
    if (r.skin)
        TRY(find_skin(&r, &info, how->varied));
    for (; r.block < info.blocks; r.block++)
        TRY(vtkhdf_cells_add_block(&r, &info));
    file_shape_make_end(&r.make, out);
    out->title = "VTKHDF";
    out->place = "cell";
    out->numbered = r.numbers;
    out->apart = r.shared.apart;
out:
    names_free(&r.parts);
    shared_points_free(&r.shared);
    free(r.vertex);
    free(r.corner);
    file_shape_make_free(&r.make);
    return err;
}
