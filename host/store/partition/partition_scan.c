/* See store_partition.h: the data that slabs are computed from: objects, the vertices that
 * primitives use, their box and a sample of them. */
#include "batch.h"
#include "error.h"
#include "frame.h"
#include "motion.h"
#include "partition.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- used vertices */

/* Connects the vertices of each primitive. */
static int partition_scan_connect(const cell_chunks *p, uint32_t *parent)
{
    for (uint64_t i = 0; i < p->cells; i++)
        for (uint32_t k = 1; k < p->corners; k++) {
            uint32_t r = batch_component_root(parent, p->corner[p->corners * i]);
            parent[batch_component_root(parent, p->corner[p->corners * i + k])] = r;
        }
    return IMP_OK;
}

/* Numbers components in the order of their first primitives, and gives each vertex its component's
 * number. */
static int partition_scan_number_components(cell_chunks *p, uint32_t *parent, int32_t *number,
                                            uint64_t *count)
{
    int err = IMP_OK;
    const uint32_t verts = p->shape.mesh.vertices;
    int32_t next = 0;
    for (uint32_t v = 0; v < verts; v++)
        number[v] = -1;
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_read(p, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            uint32_t r = batch_component_root(parent, p->corner[p->corners * i]);
            if (number[r] < 0)
                number[r] = next++;
        }
    }
    for (uint32_t v = 0; v < verts; v++)
        number[v] = number[batch_component_root(parent, v)];
    *count = (uint64_t)next;
out:
    return err;
}

/* object: [vertices] */
static int partition_scan_components(cell_chunks *p, int32_t *object, uint64_t *count)
{
    int err = IMP_OK;
    const uint32_t verts = p->shape.mesh.vertices;
    uint32_t *parent = NULL;
    TRY(mem_alloc(p->b->mem, verts * sizeof *parent, &parent));
    for (uint32_t v = 0; v < verts; v++)
        parent[v] = v;
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_read(p, chunk));
        TRY(partition_scan_connect(p, parent));
    }
    TRY(partition_scan_number_components(p, parent, object, count));
out:
    mem_free(p->b->mem, parent);
    return err;
}

/* Lists the objects of the cell array; without one, all primitives are object 0. */
static int partition_scan_list_objects(cell_chunks *p, object_set *set)
{
    int err = IMP_OK;
    static const int32_t none = 0;
    int32_t *object = NULL;
    if (!p->b->objects.name[0])
        return object_set_add(
            set, &none, p->b->step[p->frame].primitives > p->b->step[p->frame].primitive_ghosts);
    TRY(mem_alloc(p->b->mem, CHUNK_CELLS * sizeof *object, &object));
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_seek(p, chunk));
        TRY(cell_chunks_objects(p, object));
        TRY(object_set_add(set, object, p->cells));
    }
    object_set_end(set);
out:
    mem_free(p->b->mem, object);
    return err;
}

int partition_find_objects(batch_partition *s)
{
    int err = IMP_OK;
    batch *b = s->b;
    object_set set = {.mem = b->mem};
    if (b->objects.source == BATCH_CONNECTED) {
        TRY(mem_alloc(b->mem, s->cells.shape.mesh.vertices * sizeof *s->object, &s->object));
        TRY(partition_scan_components(&s->cells, s->object, &s->info.objects));
    } else {
        TRY(partition_scan_list_objects(&s->cells, &set));
        s->info.objects = set.count;
        s->objects.id = s->def.by_objects ? set.id : NULL;
        set.id = s->def.by_objects ? NULL : set.id;
    }
out:
    mem_free(b->mem, set.id);
    return err;
}

int batch_partition_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count)
{
    int err = IMP_OK;
    cell_chunks p = {0};
    object_set set = {.mem = b->mem};
    int32_t *object = NULL;
    TRY(cell_chunks_open(b, frame, &p));
    if (b->objects.source == BATCH_CONNECTED) {
        TRY(mem_alloc(b->mem, p.shape.mesh.vertices * sizeof *object, &object));
        TRY(partition_scan_components(&p, object, count));
        for (int32_t i = 0; (uint64_t)i < *count; i++)
            TRY(object_set_add(&set, &i, 1));
    } else {
        TRY(partition_scan_list_objects(&p, &set));
    }
    mem_free(b->mem, b->objects.listed);
    b->objects.listed = set.id;
    *ids = set.id;
    *count = set.count;
    set.id = NULL;
out:
    mem_free(b->mem, object);
    mem_free(b->mem, set.id);
    cell_chunks_close(&p);
    return err;
}

/* Returns the first bad corner of the cell, if there is one. */
static int partition_scan_bad_corner(const partition_build *c, const uint32_t *corner,
                                     uint32_t corners)
{
    for (uint32_t k = 0; k < corners; k++)
        if (bit_of(c->bad, corner[k]))
            return (int)k;
    return -1;
}

/* Reports a bad primitive in the same form as the pipeline. */
static int partition_scan_fail_bad(const partition_build *c, uint64_t frame, uint64_t i,
                                   uint32_t vertex)
{
    int err = IMP_OK;
    batch *b = c->s->b;
    double x[3];
    TRY(h5_data_read(&b->in.points, b->step[frame].point0 + vertex, 1, H5T_NATIVE_DOUBLE, x));
    FAIL(IMP_ERR_INPUT,
         "%s: /VTKHDF/Points: frame %llu: vertex %u of %s %llu is not finite (%g %g %g); --on-bad "
         "skip leaves such triangles out",
         b->path, (unsigned long long)frame, vertex, mesh_kind_name(&c->s->cells.shape.mesh, i),
         (unsigned long long)i, x[0], x[1], x[2]);
out:
    return err;
}

/* Marks the vertices of all primitives without a bad vertex. frame: NULL, or a bad one is an error
 * of this frame. */
static int partition_scan_mark_used(partition_build *c, const uint64_t *frame)
{
    int err = IMP_OK;
    cell_chunks *p = &c->s->cells;
    memset(c->used, 0, bit_words(p->shape.mesh.vertices) * sizeof *c->used);
    c->s->info.bad = 0;
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_read(p, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            const uint32_t *corner = p->corner + p->corners * i;
            const int bad = c->bad_vertices ? partition_scan_bad_corner(c, corner, p->corners) : -1;
            if (bad >= 0 && frame)
                TRY(partition_scan_fail_bad(c, *frame, cell_chunks_number(p, i), corner[bad]));
            c->s->info.bad += bad >= 0;
            for (uint32_t k = 0; k < p->corners && bad < 0; k++)
                bit_set(c->used, corner[k]);
        }
    }
out:
    return err;
}

/* ---- points */

int partition_read_vertices(partition_build *c, uint64_t frame, uint64_t first, uint64_t n)
{
    const batch *b = c->s->b;
    return h5_data_read(&b->in.points, b->step[frame].point0 + first, n, H5T_NATIVE_DOUBLE,
                        c->rows);
}

static void partition_scan_add_sample(partition_build *c, const double x[3], size_t most)
{
    if (c->next++ % c->stride || c->samples == most)
        return;
    for (int k = 0; k < 3; k++)
        c->sample[k][c->samples] = x[k];
    c->samples++;
}

/* Sets an empty box. */
static void partition_scan_box_empty(double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
}

static void partition_scan_box_join(double lo[3], double hi[3], const double from[3],
                                    const double to[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = from[k] < lo[k] ? from[k] : lo[k];
        hi[k] = to[k] > hi[k] ? to[k] : hi[k];
    }
}

/* Scans the used vertices of an instant. */
static int partition_scan_points(partition_build *c, uint64_t frame, size_t most)
{
    int err = IMP_OK;
    const uint64_t verts = c->s->cells.shape.mesh.vertices;
    double lo[3], hi[3];
    partition_scan_box_empty(lo, hi);
    c->next = 0;
    for (uint64_t first = 0, n; first < verts; first += n) {
        n = verts - first < PARTITION_ROWS ? verts - first : PARTITION_ROWS;
        TRY(partition_read_vertices(c, frame, first, n));
        for (uint64_t i = 0; i < n; i++) {
            const double *x = c->rows + 3 * i;
            if (!bit_of(c->used, first + i))
                continue;
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
                bit_set(c->bad, first + i);
                c->bad_vertices++;
                continue;
            }
            partition_scan_box_join(lo, hi, x, x);
            partition_scan_add_sample(c, x, most);
        }
    }
    partition_scan_box_join(c->lo, c->hi, lo, hi);
    for (int k = 0; k < 3 && lo[k] <= hi[k]; k++)
        c->half = fmax(c->half, 0.5 * hi[k] - 0.5 * lo[k]);
out:
    return err;
}

static void partition_scan_reset(partition_build *c)
{
    partition_scan_box_empty(c->lo, c->hi);
    c->samples = 0;
    c->half = 0;
}

/* Scans some instants, for the primitives that are finite in all of them. */
static int partition_scan_instants(partition_build *c, int first, int end)
{
    int err = IMP_OK;
    const int strict = !c->s->def.skip_bad;
    memset(c->bad, 0, bit_words(c->s->cells.shape.mesh.vertices) * sizeof *c->bad);
    c->bad_vertices = 0;
    for (int again = 0; again <= (c->bad_vertices > 0); again++) {
        partition_scan_reset(c);
        TRY(partition_scan_mark_used(c, NULL));
        for (int i = first; i < end; i++) {
            const uint64_t frame = partition_instant(c, i);
            TRY(partition_scan_points(c, frame, PARTITION_SAMPLE * (size_t)(i + 1)));
            if (c->bad_vertices && strict)
                TRY(partition_scan_mark_used(c, &frame));
        }
    }
out:
    return err;
}

/* The default tolerance is computed for either instant by itself, as for a frame in memory: a
 * primitive that is finite in only one of them counts there. */
int partition_scan(partition_build *c)
{
    int err = IMP_OK;
    const int instants = partition_instants(c);
    double half = 0;
    TRY(partition_scan_instants(c, 0, instants));
    if (!c->bad_vertices || !c->s->bodies.row)
        goto out;
    for (int i = 0; i < instants; i++) {
        TRY(partition_scan_instants(c, i, i + 1));
        half = fmax(half, c->half);
    }
    TRY(partition_scan_instants(c, 0, instants));
    c->half = half;
out:
    return err;
}

/* ---- See store_partition.h: the rigid bodies of a frame that is not in memory as a whole: their
 * vertices, the check of their points and poses, and the growth of bounds around rotating
 * bodies. */

/* ---- points of bodies, which the file stores body by body */

#define KEY_BITS 15 /* PARTITION_ROWS */
#define KEY_GAP 64  /* unneeded rows that are read to reduce the number of reads */

int partition_rest_open(batch_partition *s, partition_rest *r)
{
    int err = IMP_OK;
    mem *m = s->b->mem;
    *r = (partition_rest){.s = s};
    TRY(mem_alloc(m, PARTITION_ROWS * sizeof *r->key, &r->key));
    TRY(mem_alloc(m, 3 * PARTITION_ROWS * sizeof *r->rows, &r->rows));
out:
    return err;
}

void partition_rest_close(partition_rest *r)
{
    if (!r->s)
        return;
    mem_free(r->s->b->mem, r->key);
    mem_free(r->s->b->mem, r->rows);
    *r = (partition_rest){0};
}

static int partition_bodies_compare_keys(const void *p, const void *q)
{
    const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

/* Returns the file's row of a vertex of this body. */
static uint64_t partition_bodies_file_row(const batch_partition *s, uint32_t body, uint64_t v)
{
    const partition_bodies *b = &s->bodies;
    return (uint64_t)s->b->bodies.offset[body] + (b->row[v] - b->start[body]);
}

/* Lists rows of the file, each with its vertex, ascending. */
static size_t partition_bodies_make_keys(partition_rest *r, uint64_t first, const uint32_t *vertex,
                                         size_t n)
{
    size_t count = 0;
    uint32_t body = 0;
    int ascend = 1;
    for (size_t i = 0; i < n; i++) {
        const uint64_t v = vertex ? vertex[i] : first + i;
        body = partition_body_of(&r->s->bodies, v, body);
        if (body == NO_BODY)
            continue;
        r->key[count] = partition_bodies_file_row(r->s, body, v) << KEY_BITS | i;
        ascend &= !count || r->key[count] > r->key[count - 1];
        count++;
    }
    if (!ascend)
        qsort(r->key, count, sizeof *r->key, partition_bodies_compare_keys);
    return count;
}

/* Rows that are near each other are read in one call. */
int partition_rest_read(partition_rest *r, uint64_t first, const uint32_t *vertex, size_t n,
                        double *out)
{
    int err = IMP_OK;
    const size_t count = partition_bodies_make_keys(r, first, vertex, n);
    for (size_t k = 0, end; k < count; k = end) {
        const uint64_t begin = r->key[k] >> KEY_BITS;
        uint64_t last = begin;
        for (end = k; end < count; end++) {
            const uint64_t row = r->key[end] >> KEY_BITS;
            if (row - last > KEY_GAP || row - begin >= PARTITION_ROWS)
                break;
            last = row;
        }
        TRY(h5_data_read(&r->s->b->bodies.points, begin, last - begin + 1, H5T_NATIVE_DOUBLE,
                         r->rows));
        for (size_t i = k; i < end; i++)
            memcpy(out + 3 * (r->key[i] & (PARTITION_ROWS - 1)),
                   r->rows + 3 * ((r->key[i] >> KEY_BITS) - begin), 3 * sizeof *out);
    }
out:
    return err;
}

/* ---- vertices of bodies */

/* Finds the body of each vertex, into b->row. */
static int partition_bodies_find_owners(batch_partition *s)
{
    int err = IMP_OK;
    batch *b = s->b;
    cell_chunks *p = &s->cells;
    const bodies_of of = batch_bodies_of(b, s->def.frame);
    int32_t *object = NULL;
    memset(s->bodies.row, 0xff, p->shape.mesh.vertices * sizeof *s->bodies.row); /* NO_BODY */
    TRY(mem_alloc(b->mem, CHUNK_CELLS * sizeof *object, &object));
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(cell_chunks_read(p, chunk));
        TRY(cell_chunks_objects(p, object));
        const imp_mesh part = {.primitives = (uint32_t)p->cells,
                               .corner = p->corner,
                               .corners = (int)p->corners,
                               .corner_count = p->corner_count,
                               .object = object,
                               .bodies = b->bodies.count,
                               .body = b->bodies.object};
        TRY(bodies_mark(&part, &of, s->bodies.row));
    }
out:
    mem_free(b->mem, object);
    return err;
}

/* Converts bodies to rows: body by body, and the vertices of each in ascending order. */
static int partition_bodies_number_rows(batch_partition *s)
{
    int err = IMP_OK;
    batch *b = s->b;
    partition_bodies *own = &s->bodies;
    const uint32_t verts = s->cells.shape.mesh.vertices, n = b->bodies.count;
    uint32_t *have = NULL;
    TRY(mem_alloc(b->mem, n * sizeof *have, &have));
    TRY(mem_alloc(b->mem, ((size_t)n + 1) * sizeof *own->start, &own->start));
    memset(have, 0, n * sizeof *have);
    for (uint32_t v = 0; v < verts; v++)
        if (own->row[v] != NO_BODY)
            have[own->row[v]]++;
    TRY(batch_bodies_count(b, s->def.frame, have));
    own->count = n;
    own->start[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        own->start[i + 1] = own->start[i] + have[i];
        have[i] = own->start[i]; /* from here on the body's next row */
    }
    for (uint32_t v = 0; v < verts; v++)
        if (own->row[v] != NO_BODY)
            own->row[v] = have[own->row[v]]++;
out:
    mem_free(b->mem, have);
    return err;
}

/* ---- their check, in blocks of vertices */

typedef struct bodies_checker {
    batch_partition *s;
    partition_rest rest;
    double *at;      /* [3 * PARTITION_ROWS] points of bodies */
    char *point;     /* [PARTITION_ROWS] points of the frame */
    uint32_t *owner; /* [PARTITION_ROWS] */
    body_run *run;   /* [PARTITION_ROWS] */
    double *radius;  /* [bodies] */
    imp_pose *pose;  /* [2 * bodies] at both instants */
} bodies_checker;

static int bodies_checker_open(batch_partition *s, bodies_checker *c)
{
    int err = IMP_OK;
    mem *m = s->b->mem;
    const size_t n = s->b->bodies.count;
    *c = (bodies_checker){.s = s};
    TRY(partition_rest_open(s, &c->rest));
    TRY(mem_alloc(m, 3 * PARTITION_ROWS * sizeof *c->at, &c->at));
    TRY(mem_alloc(m, 3 * PARTITION_ROWS * sizeof(double), &c->point));
    TRY(mem_alloc(m, PARTITION_ROWS * sizeof *c->owner, &c->owner));
    TRY(mem_alloc(m, PARTITION_ROWS * sizeof *c->run, &c->run));
    TRY(mem_alloc(m, n * sizeof *c->radius, &c->radius));
    TRY(mem_alloc(m, 2 * n * sizeof *c->pose, &c->pose));
    memset(c->radius, 0, n * sizeof *c->radius);
out:
    return err;
}

static void bodies_checker_close(bodies_checker *c)
{
    void *all[] = {c->at, c->point, c->owner, c->run, c->radius, c->pose};
    partition_rest_close(&c->rest);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(c->s->b->mem, all[i]);
}

/* Reads the bodies of n vertices, and their points. */
static int partition_bodies_read_block(bodies_checker *c, uint64_t first, uint64_t n)
{
    uint32_t body = 0;
    for (uint64_t i = 0; i < n; i++)
        c->owner[i] = body = partition_body_of(&c->s->bodies, first + i, body);
    return partition_rest_read(&c->rest, first, NULL, n, c->at);
}

/* Checks that points are finite; finds the radius of each body. */
static int partition_bodies_measure_block(bodies_checker *c, uint64_t first, uint64_t n)
{
    int err = IMP_OK;
    TRY(partition_bodies_read_block(c, first, n));
    for (uint64_t i = 0; i < n; i++) {
        const double *at = c->at + 3 * i;
        const uint32_t body = c->owner[i];
        if (body == NO_BODY)
            continue;
        TRY(batch_check_rest_finite(c->s->b, at, partition_bodies_file_row(c->s, body, first + i),
                                    1));
        c->radius[body] = fmax(c->radius[body], pose_length(at));
    }
out:
    return err;
}

/* Checks that vertices are where the poses of `of` put them. */
static int partition_bodies_compare_block(bodies_checker *c, const imp_frame *of, uint64_t first,
                                          uint64_t n)
{
    int err = IMP_OK;
    batch *b = c->s->b;
    const bodies_of as = batch_bodies_of(b, of->number);
    const hid_t type = b->type == IMP_FLOAT32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    imp_mesh mesh = *of->mesh;
    imp_frame f = *of;
    body_set set = {.mesh = &mesh, .first = first, .run = c->run, .radius = c->radius};
    TRY(partition_bodies_read_block(c, first, n));
    TRY(h5_data_read(&b->in.points, b->step[of->number].point0 + first, n, type, c->point));
    set.count = mesh.bodies;
    set.runs = body_runs(c->owner, (uint32_t)n, c->run);
    mesh.vertices = (uint32_t)n;
    mesh.rest = c->at;
    f.mesh = &mesh;
    f.point = c->point;
    TRY(bodies_check_points(&set, &f, 1, &as));
out:
    return err;
}

/* frame: NULL to measure, else to compare. */
static int partition_bodies_for_each_block(bodies_checker *c, const imp_frame *frame)
{
    int err = IMP_OK;
    const uint64_t verts = c->s->cells.shape.mesh.vertices;
    for (uint64_t first = 0, n; first < verts; first += n) {
        n = verts - first < PARTITION_ROWS ? verts - first : PARTITION_ROWS;
        TRY(frame ? partition_bodies_compare_block(c, frame, first, n)
                  : partition_bodies_measure_block(c, first, n));
    }
out:
    return err;
}

static int partition_bodies_check_instant(bodies_checker *c, uint64_t frame, imp_pose *pose)
{
    int err = IMP_OK;
    batch *b = c->s->b;
    const bodies_of of = batch_bodies_of(b, frame);
    const imp_mesh mesh = {.bodies = b->bodies.count, .body = b->bodies.object};
    const imp_frame f = {.mesh = &mesh, .pose = pose, .type = b->type, .number = frame};
    TRY(batch_poses_of(b, frame, 0, b->bodies.count, pose));
    TRY(poses_check(&f, &of));
    TRY(partition_bodies_for_each_block(c, &f));
out:
    return err;
}

/* ---- rotating bodies */

/* Returns the growth without the tolerance. Points are no farther from their poses than the check
 * allows. */
static double partition_bodies_growth(const imp_pose *const pose[2], const body_motion *w,
                                      double radius, int type)
{
    double slack = 0;
    for (int e = 0; e < 2; e++)
        slack = fmax(slack, POSE_ROUNDED * pose_tolerance(pose[e], radius, type));
    const double by = motion_margin(motion_chord_error(motion_angle(w, 1)) * radius, slack, 0);
    return by < DBL_MAX ? by : DBL_MAX; /* also if it is NaN */
}

static int partition_bodies_find_turning(bodies_checker *c, int *any)
{
    int err = IMP_OK;
    batch_partition *s = c->s;
    const batch *b = s->b;
    const uint32_t n = b->bodies.count;
    const double seconds = b->step[s->def.next].time - b->step[s->def.frame].time;
    TRY(mem_alloc(b->mem, n * sizeof *s->bodies.grow, &s->bodies.grow));
    for (uint32_t i = 0; i < n; i++) {
        const imp_pose *const pose[2] = {c->pose + i, c->pose + n + i};
        body_motion w = motion_static();
        s->bodies.grow[i] = -1;
        if (!motion_rotates(pose[0], pose[1], seconds))
            continue;
        motion_set_rotation(&w, pose[0], pose[1], seconds);
        s->bodies.grow[i] = partition_bodies_growth(pose, &w, c->radius[i], b->type);
        motion_join(&s->info.whole.turns, &w, c->radius[i], b->bodies.object[i]);
        *any = 1;
    }
out:
    return err;
}

/* ---- the whole check */

int partition_find_bodies(batch_partition *s)
{
    int err = IMP_OK, turns = 0;
    batch *b = s->b;
    bodies_checker c = {.s = s};
    if (!b->bodies.count)
        return IMP_OK;
    TRY(mem_alloc(b->mem, s->cells.shape.mesh.vertices * sizeof *s->bodies.row, &s->bodies.row));
    TRY(partition_bodies_find_owners(s));
    TRY(partition_bodies_number_rows(s));
    TRY(bodies_checker_open(s, &c));
    TRY(partition_bodies_for_each_block(&c, NULL));
    TRY(partition_bodies_check_instant(&c, s->def.frame, c.pose));
    if (s->def.next == s->def.frame)
        goto out;
    TRY(partition_bodies_check_instant(&c, s->def.next, c.pose + b->bodies.count));
    TRY(partition_bodies_find_turning(&c, &turns));
out:
    bodies_checker_close(&c);
    if (!turns)
        partition_bodies_free(b->mem, &s->bodies);
    return err;
}

/* Grown bounds are rounded outward once more, so a little more than the tolerance is added. */
void partition_set_growth(partition_build *c)
{
    partition_bodies *b = &c->s->bodies;
    const double half = c->s->def.tolerance / 2, all = MOTION_TOLERANCE * c->s->info.whole.half;
    const double tolerance = 2 * (half > 0 ? half : all);
    for (uint32_t i = 0; i < b->count; i++) {
        const double by = (b->grow[i] + motion_margin(0, 0, tolerance)) * 1.00001;
        b->grow[i] = b->grow[i] < 0 ? 0 : by < DBL_MAX ? by : DBL_MAX;
    }
}

void partition_bodies_free(mem *m, partition_bodies *b)
{
    mem_free(m, b->row);
    mem_free(m, b->start);
    mem_free(m, b->grow);
    *b = (partition_bodies){0};
}

/* Bytes of the bodies of a slab, and of finding all bodies: the bodies of this step are in memory
 * while those of the next one, which may rotate, are found. */
uint64_t partition_bodies_bytes(const batch_partition *s, uint64_t vertices, uint64_t *besides)
{
    const uint64_t n = s->b->bodies.count, most = s->info.largest < n ? s->info.largest : n;
    if (!n)
        return 0;
    *besides += n * (3 * sizeof(imp_pose) + 4 * sizeof(double)) + PARTITION_ROWS * 128;
    *besides += s->bodies.row ? 0 : (uint64_t)s->cells.shape.mesh.vertices * 4;
    return s->bodies.row ? 24 * vertices + most * (4 + 2 * sizeof(imp_pose)) : 0;
}
