/* See exports.h: the counts, least distances, deepest penetrations and depths. */
#include "exports.h"

#include "error.h"
#include "frame.h"
#include "linked_mesh.h"
#include "object_names.h"
#include "signals.h"

#include <string.h>

enum counts_array {
    COUNTS_CONTACTS,
    COUNTS_LEAST,       /* the least distances, only if the result has distances */
    COUNTS_DEEPEST,     /* the deepest penetrations, likewise with thicknesses */
    COUNTS_DEPTH,       /* the depths of cells, likewise of vertices inside objects */
    COUNTS_POINT_DEPTH, /* and of points */
    COUNTS_ARRAYS
};

/* The depths of a frame's vertices, and of its primitives, if rows are vertices inside objects. */
typedef struct depths {
    int there;
    size_t capacity; /* vertices */
    double *point;   /* [capacity] */
    double *cell;    /* [primitives] */
} depths;

/* members: the file, and the arrays of a frame; one thing without parts */
typedef struct counts {
    mem *mem;
    batch *in;
    linked_mesh file;
    linked_array array[COUNTS_ARRAYS];
    int32_t *count;  /* [primitives] counts of a frame */
    double *least;   /* [primitives] least distances; NULL: rows have none */
    double *deepest; /* [primitives] deepest penetrations, likewise */
    int distances;   /* the result has distances, */
    double distance; /* which are at most this */
    int thick;       /* it has penetrations */
    size_t capacity; /* primitives */
    depths depths;
} counts;

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
                            c->file.path, (long long)pair[i], primitives);
        if (c->count[pair[i]] == INT32_MAX)
            return imp_fail(IMP_ERR_INPUT, "%s: primitive %lld has 2^31 rows", c->file.path,
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
            FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", c->file.path);
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
                FAIL(IMP_ERR_INPUT, "%s: vertex %lld of a row: the frame has %zu", c->file.path,
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
    TRY(linked_mesh_add_rows(&c->file, COUNTS_DEPTH, c->depths.cell, c->in->step[f].primitives));
    TRY(linked_mesh_add_rows(&c->file, COUNTS_POINT_DEPTH, c->depths.point, m->vertices));
out:
    batch_block_free(&b);
    return err;
}

static int counts_write_frame(counts *c, result_reader *r, uint64_t k)
{
    int err = IMP_OK;
    const result_frames *of = &result_get_info(r)->of;
    const uint64_t f = (uint64_t)of->input_frame[k];
    TRY(linked_mesh_add_step(&c->file, f, of->time[k]));
    const uint64_t primitives = c->in->step[f].primitives;
    TRY(counts_count_frame(c, r, k, primitives));
    TRY(linked_mesh_add_rows(&c->file, COUNTS_CONTACTS, c->count, primitives));
    if (c->distances)
        TRY(linked_mesh_add_rows(&c->file, COUNTS_LEAST, c->least, primitives));
    if (c->thick)
        TRY(linked_mesh_add_rows(&c->file, COUNTS_DEEPEST, c->deepest, primitives));
    if (c->depths.there)
        TRY(counts_depth_frame(c, r, k, f));
out:
    return err;
}

static void counts_free(counts *c)
{
    void *all[] = {c->count, c->least, c->deepest, c->depths.cell, c->depths.point};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(c->mem, all[i]);
}

int counts_write(mem *m, batch *in, result_reader *r, text_output *to)
{
    const result_info *of = result_get_info(r);
    counts c = {.mem = m,
                .in = in,
                .distances = of->distances,
                .distance = of->distance,
                .thick = of->thick,
                .depths.there = of->inside};
    const char *depth = of->inside ? "Depth" : NULL;
    c.array[COUNTS_CONTACTS] = (linked_array){"Contacts", COLUMN_I32, LINKED_CELLS};
    c.array[COUNTS_LEAST] =
        (linked_array){of->distances ? "LeastDistance" : NULL, COLUMN_F64, LINKED_CELLS};
    c.array[COUNTS_DEEPEST] =
        (linked_array){of->thick ? "DeepestPenetration" : NULL, COLUMN_F64, LINKED_CELLS};
    c.array[COUNTS_DEPTH] = (linked_array){depth, COLUMN_F64, LINKED_CELLS};
    c.array[COUNTS_POINT_DEPTH] = (linked_array){depth, COLUMN_F64, LINKED_POINTS};
    int err = linked_mesh_open(m, in, to, c.array, COUNTS_ARRAYS, of->frames, &c.file);
    for (uint64_t k = 0; !err && k < of->frames; k++)
        err = counts_write_frame(&c, r, k);
    if (!err)
        err = batch_names_write_beside(of->names, to->part, c.file.file);
    err = linked_mesh_close(&c.file, to, err);
    counts_free(&c);
    return err;
}
