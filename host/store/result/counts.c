/* See exports.h: links to the input's points and cells, tables of the steps in the result, the
 * counts, and least distances. VTK's readers follow links as HDF5 does. */
#include "exports.h"

#include "error.h"
#include "frame.h"
#include "output_file.h"
#include "signals.h"
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#define NAME "Contacts"
#define LEAST_NAME "LeastDistance"
#define DEEPEST_NAME "DeepestPenetration"
#define DEPTH_NAME "Depth" /* of cells, and of points */
#define STEPS_CHUNK 1024
#define ROWS_CHUNK UINT64_C(65536)

/* The datasets that grow with the steps. */
enum {
    COUNTS_VALUES,
    COUNTS_PART0,
    COUNTS_PARTS,
    COUNTS_POINT0,
    COUNTS_CELL0,
    COUNTS_ID0,
    COUNTS_ROW0,         /* first row of the counts */
    COUNTS_OBJECT0,      /* first row of the objects' array */
    COUNTS_PRIMITIVE0,   /* first row of PrimitiveId */
    COUNTS_SOURCE0,      /* first row of SourceId */
    COUNTS_GHOST0,       /* first row of vtkGhostType */
    COUNTS_LEAST0,       /* first row of the least distances */
    COUNTS_DEEPEST0,     /* first row of the deepest penetrations */
    COUNTS_DEPTH0,       /* first row of the cells' depths */
    COUNTS_POINT_DEPTH0, /* first row of the points' depths */
    COUNTS_ROWS,         /* the counts themselves */
    COUNTS_LEAST,   /* the least distances; as their first rows only if the result has distances */
    COUNTS_DEEPEST, /* the deepest penetrations, likewise with thicknesses */
    COUNTS_DEPTH,   /* the depths, likewise of vertices inside objects */
    COUNTS_POINT_DEPTH,
    COUNTS_DATA
};

enum { AT_ROOT, AT_CELLS, AT_STEPS, AT_OFFSETS, AT_POINTS, AT_POINT_OFFSETS, GROUPS };

/* The depths of a frame's vertices, and of its primitives, if rows are vertices inside objects. */
typedef struct depths {
    int there;
    size_t capacity; /* vertices */
    double *point;   /* [capacity] */
    double *cell;    /* [primitives] */
    uint64_t points; /* vertices of all frames */
} depths;

/* members: the file while it grows, the input, and the arrays of a frame; one thing without parts
 */
typedef struct counts {
    mem *mem;
    batch *in;
    const char *path; /* the file while it grows */
    char *source;     /* path of the input relative to it */
    hid_t file, at[GROUPS];
    h5_grow data[COUNTS_DATA];
    uint64_t columns;       /* columns of cell0 and id0: kinds of cells */
    int64_t *cell0, *id0;   /* [frames * columns] tables of the input; NULL: zeros */
    int32_t *count;         /* [primitives] counts of a frame */
    double *least;          /* [primitives] least distances; NULL: rows have none */
    double *deepest;        /* [primitives] deepest penetrations, likewise */
    int distances;          /* the result has distances, */
    double distance;        /* which are at most this */
    int thick;              /* it has penetrations */
    int inside;             /* its rows are vertices inside objects */
    size_t capacity;        /* primitives */
    uint64_t rows, flushed; /* rows of all frames; rows on disk */
    depths depths;
} counts;

/* ---- links */

static int put_link(const counts *c, int at, const char *name, const char *target)
{
    hid_t g = c->at[at];
    if (H5Lcreate_external(c->source, target, g, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return h5_fail(IMP_ERR_FILE, c->path, target, "cannot be linked");
    return IMP_OK;
}

/* Links points and cells. Datasets that the input lacks are not linked, so VTK does not find them
 * here either. */
static int put_mesh(const counts *c)
{
    int err = IMP_OK;
    static const char *const vtkhdf_writer[] = {"Points", "NumberOfPoints", "Vertices", "Lines",
                                                "Strips", "Polygons",       NULL};
    static const char *const grid[] = {
        "Points",  "NumberOfPoints",          "NumberOfCells", "Connectivity",
        "Offsets", "NumberOfConnectivityIds", "Types",         NULL};
    char target[64];
    for (const char *const *name = c->in->unstructured ? grid : vtkhdf_writer; *name; name++) {
        snprintf(target, sizeof target, "/VTKHDF/%s", *name);
        if (h5_exists(c->in->root, *name))
            TRY(put_link(c, AT_ROOT, *name, target));
    }
out:
    return err;
}

/* Returns the name of one of these arrays; NULL if there is no array to link to. */
static const char *array_name(const counts *c, int data)
{
    const batch *b = c->in;
    const char *name = b->objects.name;
    switch (data) {
    case COUNTS_PRIMITIVE0:
        return b->in.primitive.id >= 0 ? PRIMITIVE_ID : NULL;
    case COUNTS_SOURCE0:
        return b->in.source.id >= 0 ? SOURCE_ID : NULL;
    case COUNTS_GHOST0:
        return b->in.ghost.id >= 0 ? GHOST_TYPE : NULL;
    default: /* one of the other arrays may serve as objects */
        return b->in.object.id >= 0 && *name && strcmp(name, NAME) != 0 &&
                       !(c->distances && !strcmp(name, LEAST_NAME)) &&
                       !(c->thick && !strcmp(name, DEEPEST_NAME)) &&
                       !(c->depths.there && !strcmp(name, DEPTH_NAME)) &&
                       strcmp(name, PRIMITIVE_ID) != 0 && strcmp(name, SOURCE_ID) != 0 &&
                       strcmp(name, GHOST_TYPE) != 0
                   ? name
                   : NULL;
    }
}

/* ---- creating the file */

static int counts_open_data(counts *c, int data, int at, const h5_grow_def *def)
{
    return h5_grow_open(c->mem, c->at[at], c->path, def, H5_NEW, &c->data[data]);
}

static int make_depths(counts *c)
{
    int err = IMP_OK;
    static const h5_grow_def first = {DEPTH_NAME, COLUMN_I64, 0, STEPS_CHUNK};
    static const h5_grow_def depth = {DEPTH_NAME, COLUMN_F64, 0, ROWS_CHUNK};
    if (!c->depths.there)
        return IMP_OK;
    TRY(counts_open_data(c, COUNTS_DEPTH0, AT_OFFSETS, &first));
    TRY(counts_open_data(c, COUNTS_POINT_DEPTH0, AT_POINT_OFFSETS, &first));
    TRY(h5_grow_packed(c->mem, c->at[AT_CELLS], c->path, &depth, &c->data[COUNTS_DEPTH]));
    TRY(h5_grow_packed(c->mem, c->at[AT_POINTS], c->path, &depth, &c->data[COUNTS_POINT_DEPTH]));
out:
    return err;
}

static int make_tables(counts *c)
{
    int err = IMP_OK;
    const uint64_t columns = c->columns == 1 ? 0 : c->columns;
    const h5_grow_def tables[] = {
        [COUNTS_VALUES] = {"Values", COLUMN_F64, 0, STEPS_CHUNK},
        [COUNTS_PART0] = {"PartOffsets", COLUMN_I64, 0, STEPS_CHUNK},
        [COUNTS_PARTS] = {"NumberOfParts", COLUMN_I64, 0, STEPS_CHUNK},
        [COUNTS_POINT0] = {"PointOffsets", COLUMN_I64, 0, STEPS_CHUNK},
        [COUNTS_CELL0] = {"CellOffsets", COLUMN_I64, columns, STEPS_CHUNK},
        [COUNTS_ID0] = {"ConnectivityIdOffsets", COLUMN_I64, columns, STEPS_CHUNK}};
    static const h5_grow_def own = {NAME, COLUMN_I64, 0, STEPS_CHUNK};
    static const h5_grow_def rows = {NAME, COLUMN_I32, 0, ROWS_CHUNK};
    static const h5_grow_def first_least = {LEAST_NAME, COLUMN_I64, 0, STEPS_CHUNK};
    static const h5_grow_def least = {LEAST_NAME, COLUMN_F64, 0, ROWS_CHUNK};
    static const h5_grow_def first_deepest = {DEEPEST_NAME, COLUMN_I64, 0, STEPS_CHUNK};
    static const h5_grow_def deepest = {DEEPEST_NAME, COLUMN_F64, 0, ROWS_CHUNK};
    for (int t = COUNTS_VALUES; t <= COUNTS_ID0; t++)
        TRY(counts_open_data(c, t, AT_STEPS, &tables[t]));
    TRY(counts_open_data(c, COUNTS_ROW0, AT_OFFSETS, &own));
    for (int t = COUNTS_OBJECT0; t <= COUNTS_GHOST0; t++) {
        const h5_grow_def of = {array_name(c, t), COLUMN_I64, 0, STEPS_CHUNK};
        char target[160];
        if (!of.name)
            continue;
        snprintf(target, sizeof target, "/VTKHDF/CellData/%s", of.name);
        TRY(put_link(c, AT_CELLS, of.name, target));
        TRY(counts_open_data(c, t, AT_OFFSETS, &of));
    }
    TRY(h5_grow_packed(c->mem, c->at[AT_CELLS], c->path, &rows, &c->data[COUNTS_ROWS]));
    TRY(make_depths(c));
    if (!c->distances)
        return IMP_OK;
    TRY(counts_open_data(c, COUNTS_LEAST0, AT_OFFSETS, &first_least));
    TRY(h5_grow_packed(c->mem, c->at[AT_CELLS], c->path, &least, &c->data[COUNTS_LEAST]));
    if (!c->thick)
        return IMP_OK;
    TRY(counts_open_data(c, COUNTS_DEEPEST0, AT_OFFSETS, &first_deepest));
    TRY(h5_grow_packed(c->mem, c->at[AT_CELLS], c->path, &deepest, &c->data[COUNTS_DEEPEST]));
out:
    return err;
}

static int make_groups(counts *c)
{
    static const struct {
        int in;
        const char *name;
    } group[GROUPS] = {{-1, "VTKHDF"},         {AT_ROOT, "CellData"},
                       {AT_ROOT, "Steps"},     {AT_STEPS, "CellDataOffsets"},
                       {AT_ROOT, "PointData"}, {AT_STEPS, "PointDataOffsets"}};
    for (int g = 0; g < (c->depths.there ? GROUPS : AT_POINTS); g++) {
        const int in = group[g].in;
        c->at[g] = h5_group(in < 0 ? c->file : c->at[in], group[g].name);
        if (c->at[g] < 0)
            return h5_fail(IMP_ERR_FILE, c->path, "/VTKHDF", "cannot be written");
    }
    return IMP_OK;
}

/* The cells are the input's, so the version is the input's; but 1.0 has no Steps. */
static int counts_put_identity(const counts *c, uint64_t steps)
{
    int err = IMP_OK;
    int64_t version[2];
    const int64_t n = (int64_t)steps;
    TRY(h5_attr_integers(c->in->root, c->in->path, "/VTKHDF", "Version", version, 2));
    if (version[0] < 2) {
        version[0] = 2;
        version[1] = 0;
    }
    TRY(h5_put_integers(c->at[AT_ROOT], c->path, "Version", version, 2));
    TRY(h5_put_text(c->at[AT_ROOT], c->path, "Type",
                    c->in->unstructured ? "UnstructuredGrid" : "PolyData"));
    TRY(h5_put_integers(c->at[AT_STEPS], c->path, "NSteps", &n, 1));
out:
    return err;
}

/* Reads tables with a column for each kind of cells, one table at a time. */
static int counts_read_tables(counts *c)
{
    int err = IMP_OK;
    uint64_t rows;
    batch *b = c->in;
    if (b->steps < 0)
        return IMP_OK;
    TRY(h5_read_integers(c->mem, b->steps, b->path, "/VTKHDF/Steps", "CellOffsets", c->columns,
                         &c->cell0, &rows, NULL));
    TRY(h5_read_integers(c->mem, b->steps, b->path, "/VTKHDF/Steps", "ConnectivityIdOffsets",
                         c->columns, &c->id0, &rows, NULL));
out:
    return err;
}

/* ---- steps */

static int counts_add_row(counts *c, int data, const void *row)
{
    return c->data[data].id < 0 ? IMP_OK : h5_grow_add(&c->data[data], c->path, row, 1);
}

static int add_number(counts *c, int data, uint64_t value)
{
    return counts_add_row(c, data, &(int64_t){(int64_t)value});
}

/* Adds frame f of the input. */
static int counts_add_step(counts *c, uint64_t f, double time)
{
    int err = IMP_OK;
    static const int64_t none[4] = {0};
    const batch_step *s = &c->in->step[f];
    TRY(counts_add_row(c, COUNTS_VALUES, &time));
    TRY(add_number(c, COUNTS_PART0, s->part0));
    TRY(add_number(c, COUNTS_PARTS, s->parts));
    TRY(add_number(c, COUNTS_POINT0, s->point0));
    TRY(counts_add_row(c, COUNTS_CELL0, c->cell0 ? c->cell0 + f * c->columns : none));
    TRY(counts_add_row(c, COUNTS_ID0, c->id0 ? c->id0 + f * c->columns : none));
    TRY(add_number(c, COUNTS_ROW0, c->rows));
    TRY(add_number(c, COUNTS_LEAST0, c->rows));
    TRY(add_number(c, COUNTS_DEEPEST0, c->rows));
    TRY(add_number(c, COUNTS_DEPTH0, c->rows));
    TRY(add_number(c, COUNTS_POINT_DEPTH0, c->depths.points));
    TRY(add_number(c, COUNTS_OBJECT0, s->object0));
    TRY(add_number(c, COUNTS_PRIMITIVE0, s->primitive0));
    TRY(add_number(c, COUNTS_SOURCE0, s->source0));
    TRY(add_number(c, COUNTS_GHOST0, s->ghost0));
out:
    return err;
}

/* ---- counts */

#define COUNTS_CHUNK 4096 /* contacts in memory at a time */

/* The least distance of a primitive without a row is the distance of the run; its penetration is
 * 0. */
static int counts_zeros(counts *c, size_t primitives)
{
    int err = IMP_OK;
    if (primitives > c->capacity) {
        mem_free(c->mem, c->count);
        mem_free(c->mem, c->least);
        mem_free(c->mem, c->deepest);
        mem_free(c->mem, c->depths.cell);
        c->count = NULL;
        c->least = c->deepest = c->depths.cell = NULL;
        c->capacity = 0;
        TRY(mem_alloc(c->mem, primitives * sizeof *c->count, &c->count));
        if (c->distances)
            TRY(mem_alloc(c->mem, primitives * sizeof *c->least, &c->least));
        if (c->thick)
            TRY(mem_alloc(c->mem, primitives * sizeof *c->deepest, &c->deepest));
        if (c->depths.there)
            TRY(mem_alloc(c->mem, primitives * sizeof *c->depths.cell, &c->depths.cell));
        c->capacity = primitives;
    }
    if (primitives)
        memset(c->count, 0, primitives * sizeof *c->count);
    for (size_t i = 0; c->least && i < primitives; i++)
        c->least[i] = c->distance;
    for (size_t i = 0; c->deepest && i < primitives; i++)
        c->deepest[i] = 0;
out:
    return err;
}

/* A primitive meets each other one once, and there are fewer than 2^31; but a face may be the
 * nearest one of more vertices. distance, penetration: [n], or NULL. */
static int counts_count_pairs(counts *c, size_t primitives, const int64_t *pair,
                              const double *distance, const double *penetration, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (pair[i] < 0 || (uint64_t)pair[i] >= primitives)
            return imp_fail(IMP_ERR_INPUT, "%s: primitive %lld of a contact: the frame has %zu",
                            c->path, (long long)pair[i], primitives);
        if (c->count[pair[i]] == INT32_MAX)
            return imp_fail(IMP_ERR_INPUT, "%s: primitive %lld has 2^31 rows", c->path,
                            (long long)pair[i]);
        c->count[pair[i]]++;
        if (distance && distance[i] < c->least[pair[i]])
            c->least[pair[i]] = distance[i];
        if (penetration && penetration[i] > c->deepest[pair[i]])
            c->deepest[pair[i]] = penetration[i];
    }
    return IMP_OK;
}

static int counts_count_frame(counts *c, result_reader *r, uint64_t k, size_t primitives)
{
    int err = IMP_OK;
    const uint64_t all = (uint64_t)result_get_info(r)->of.contacts[k];
    int64_t a[COUNTS_CHUNK], b[COUNTS_CHUNK];
    double distance[COUNTS_CHUNK], penetration[COUNTS_CHUNK];
    const double *given = c->distances ? distance : NULL, *deep = c->thick ? penetration : NULL;
    TRY(counts_zeros(c, primitives));
    for (uint64_t first = 0; first < all; first += COUNTS_CHUNK) {
        const uint64_t n = all - first < COUNTS_CHUNK ? all - first : COUNTS_CHUNK;
        if (signals_came())
            FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", c->path);
        TRY(result_read_pairs(r, k, first, n, a, b));
        if (given)
            TRY(result_read_distances(r, k, first, n, distance));
        if (deep)
            TRY(result_read_penetrations(r, k, first, n, penetration));
        TRY(counts_count_pairs(c, primitives, a, given, deep, n));
        TRY(counts_count_pairs(c, primitives, b, given, deep, n));
    }
out:
    return err;
}

/* ---- depths */

static int counts_depth_zeros(counts *c, size_t primitives, size_t vertices)
{
    int err = IMP_OK;
    if (vertices > c->depths.capacity) {
        mem_free(c->mem, c->depths.point);
        c->depths.point = NULL;
        c->depths.capacity = 0;
        TRY(mem_alloc(c->mem, vertices * sizeof *c->depths.point, &c->depths.point));
        c->depths.capacity = vertices;
    }
    for (size_t i = 0; i < vertices; i++)
        c->depths.point[i] = 0;
    for (size_t i = 0; i < primitives; i++)
        c->depths.cell[i] = 0;
out:
    return err;
}

/* The depth of a vertex is the greatest about any object. */
static int counts_depth_points(counts *c, result_reader *r, uint64_t k, size_t vertices)
{
    int err = IMP_OK;
    const uint64_t all = (uint64_t)result_get_info(r)->of.contacts[k];
    int64_t vertex[COUNTS_CHUNK];
    double depth[COUNTS_CHUNK];
    for (uint64_t first = 0; first < all; first += COUNTS_CHUNK) {
        const uint64_t n = all - first < COUNTS_CHUNK ? all - first : COUNTS_CHUNK;
        TRY(result_read_depths(r, k, first, n, vertex, depth));
        for (uint64_t i = 0; i < n; i++) {
            if (vertex[i] < 0 || (uint64_t)vertex[i] >= vertices)
                FAIL(IMP_ERR_INPUT, "%s: vertex %lld of a row: the frame has %zu", c->path,
                     (long long)vertex[i], vertices);
            if (depth[i] > c->depths.point[vertex[i]])
                c->depths.point[vertex[i]] = depth[i];
        }
    }
out:
    return err;
}

/* The depth of a cell is the greatest of its vertices. */
static int counts_depth_frame(counts *c, result_reader *r, uint64_t k, uint64_t f)
{
    int err = IMP_OK;
    batch_block b = {0};
    TRY(batch_read(c->in, f, 1, 1, &b));
    const imp_mesh *m = b.frame->mesh;
    const uint32_t *number = batch_block_slab(&b, 0)->number;
    TRY(counts_depth_zeros(c, c->in->step[f].primitives, m->vertices));
    TRY(counts_depth_points(c, r, k, m->vertices));
    for (uint32_t i = 0; i < m->primitives; i++)
        for (uint32_t corner = 0; corner < mesh_corners_of(m, i); corner++) {
            const double depth = c->depths.point[mesh_vertex(m, i, corner)];
            double *to = &c->depths.cell[number ? number[i] : i];
            *to = depth > *to ? depth : *to;
        }
    TRY(h5_grow_add(&c->data[COUNTS_DEPTH], c->path, c->depths.cell, c->in->step[f].primitives));
    TRY(h5_grow_add(&c->data[COUNTS_POINT_DEPTH], c->path, c->depths.point, m->vertices));
    c->depths.points += m->vertices;
out:
    batch_block_free(&b);
    return err;
}

/* rows between flushes, at which a full disk is noticed */
#define FLUSH_ROWS ((uint64_t)1 << 24)

static int counts_write_frame(counts *c, result_reader *r, uint64_t k)
{
    int err = IMP_OK;
    const result_frames *of = &result_get_info(r)->of;
    const uint64_t f = (uint64_t)of->input_frame[k];
    if (f >= c->in->frames)
        FAIL(IMP_ERR_INPUT, "%s: has no frame %llu", c->in->path, (unsigned long long)f);
    if (signals_came())
        FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", c->path);
    const uint64_t primitives = c->in->step[f].primitives;
    TRY(counts_count_frame(c, r, k, primitives));
    TRY(counts_add_step(c, f, of->time[k]));
    TRY(h5_grow_add(&c->data[COUNTS_ROWS], c->path, c->count, primitives));
    if (c->distances)
        TRY(h5_grow_add(&c->data[COUNTS_LEAST], c->path, c->least, primitives));
    if (c->thick)
        TRY(h5_grow_add(&c->data[COUNTS_DEEPEST], c->path, c->deepest, primitives));
    if (c->depths.there)
        TRY(counts_depth_frame(c, r, k, f));
    c->rows += primitives;
    if (c->rows - c->flushed > FLUSH_ROWS) {
        TRY(h5_flush(c->path, c->file));
        c->flushed = c->rows;
    }
out:
    return err;
}

static int counts_write_all(counts *c, result_reader *r)
{
    int err = IMP_OK;
    const uint64_t steps = result_get_info(r)->frames;
    TRY(h5_create(c->path, &c->file));
    TRY(make_groups(c));
    TRY(counts_put_identity(c, steps));
    TRY(put_mesh(c));
    TRY(counts_read_tables(c));
    TRY(make_tables(c));
    for (uint64_t k = 0; k < steps; k++)
        TRY(counts_write_frame(c, r, k));
    for (int d = 0; d < COUNTS_DATA; d++)
        if (c->data[d].id >= 0)
            TRY(h5_grow_flush(&c->data[d], c->path));
    TRY(h5_flush(c->path, c->file));
out:
    return err;
}

/* Closing also writes: its failure is the error if there was none before. */
static int counts_close(counts *c, int err)
{
    for (int d = 0; d < COUNTS_DATA; d++)
        h5_grow_close(&c->data[d]);
    for (int g = 0; g < GROUPS; g++)
        h5_drop(c->at[g]);
    if (c->file >= 0 && h5_close(c->file) && !err)
        err = h5_fail(IMP_ERR_FILE, c->path, NULL, "cannot be written");
    void *all[] = {c->cell0,   c->id0,         c->count,       c->least,
                   c->deepest, c->depths.cell, c->depths.point};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(c->mem, all[i]);
    free(c->source);
    return err;
}

int counts_write(mem *m, batch *in, result_reader *r, text_output *to)
{
    const result_info *of = result_get_info(r);
    counts c = {.mem = m,
                .in = in,
                .file = -1,
                .columns = in->unstructured ? 1 : 4,
                .distances = of->distances,
                .distance = of->distance,
                .thick = of->thick,
                .depths.there = of->inside};
    for (int g = 0; g < GROUPS; g++)
        c.at[g] = -1;
    for (int d = 0; d < COUNTS_DATA; d++)
        c.data[d].id = -1;
    int err = file_path_relative(to->path, in->path, &c.source);
    if (!err)
        err = text_output_path(to);
    if (err)
        return counts_close(&c, err);
    c.path = to->part;
    return text_output_end(to, counts_close(&c, counts_write_all(&c, r)));
}
