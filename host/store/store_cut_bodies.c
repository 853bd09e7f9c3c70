/* See store_space.h: the rigid bodies of a frame that is not in memory as a whole: which vertices
 * are theirs, the check of their points and poses, and by how much bounds of those that turn grow.
 */
#include "store_cut.h"

#include "error.h"
#include "frame.h"
#include "way.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- points of bodies, which the file has body by body */

#define KEY_BITS 15 /* PARTITION_ROWS */
#define KEY_GAP 64  /* rows that are read, though no vertex has them, so that reads are few */

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

/* The row in the file of a vertex of this body. */
static uint64_t partition_bodies_file_row(const batch_partition *s, uint32_t body, uint64_t v)
{
    const partition_bodies *b = &s->bodies;
    return (uint64_t)s->b->bodies.offset[body] + (b->row[v] - b->start[body]);
}

/* Rows of the file, each with the vertex that it is for, ascending. */
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

/* Rows that are near each other are read at once. */
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

/* ---- which vertices they have */

/* The body of each vertex, into b->row. */
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

/* Bodies become rows: bodies one after another, and the vertices of each in ascending order. */
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
        have[i] = own->start[i]; /* from here on the next row */
    }
    for (uint32_t v = 0; v < verts; v++)
        if (own->row[v] != NO_BODY)
            own->row[v] = have[own->row[v]]++;
out:
    mem_free(b->mem, have);
    return err;
}

/* ---- their check, block by block of vertices */

typedef struct bodies_checker {
    batch_partition *s;
    partition_rest rest;
    double *at;      /* [3 * PARTITION_ROWS] points of bodies */
    char *point;     /* [PARTITION_ROWS] of the frame */
    uint32_t *owner; /* [PARTITION_ROWS] */
    body_run *run;   /* [PARTITION_ROWS] */
    double *radius;  /* [bodies] */
    imp_pose *pose;  /* [2 * bodies] of both instants */
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

/* The bodies of n vertices, and their points. */
static int partition_bodies_read_block(bodies_checker *c, uint64_t first, uint64_t n)
{
    uint32_t body = 0;
    for (uint64_t i = 0; i < n; i++)
        c->owner[i] = body = partition_body_of(&c->s->bodies, first + i, body);
    return partition_rest_read(&c->rest, first, NULL, n, c->at);
}

/* Points are finite; the radius of each body. */
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

/* Vertices are where poses put them. `of` has the poses. */
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

/* frame NULL: measures; else compares. */
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

/* ---- those that turn */

/* Without the tolerance. Points are no farther from their poses than the check allows. */
static double partition_bodies_growth(const imp_pose *const pose[2], const body_motion *w,
                                      double radius, int type)
{
    double slack = 0;
    for (int e = 0; e < 2; e++)
        slack = fmax(slack, POSE_ROUNDED * pose_tolerance(pose[e], radius, type));
    const double by = motion_margin(motion_chord_error(motion_angle(w, 1)) * radius, slack, 0);
    return by < DBL_MAX ? by : DBL_MAX; /* also of what is no number */
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

/* ---- all of it */

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

/* Bounds are rounded outward once more after they have grown, so a little more than that. */
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

/* The bodies of a slab, and what finding all of them takes: here, while those of the next step are
 * found, which turn perhaps. */
uint64_t partition_bodies_bytes(const batch_partition *s, uint64_t vertices, uint64_t *besides)
{
    const uint64_t n = s->b->bodies.count, most = s->info.largest < n ? s->info.largest : n;
    if (!n)
        return 0;
    *besides += n * (3 * sizeof(imp_pose) + 4 * sizeof(double)) + PARTITION_ROWS * 128;
    *besides += s->bodies.row ? 0 : (uint64_t)s->cells.shape.mesh.vertices * 4;
    return s->bodies.row ? 24 * vertices + most * (4 + 2 * sizeof(imp_pose)) : 0;
}
