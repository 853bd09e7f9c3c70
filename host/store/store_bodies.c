/* Rigid bodies of a batch, /impinge/bodies (data/format.md): their objects, their vertices in
 * coordinates of their own, and their poses in a frame. */
#include "store_batch.h"

#include "error.h"
#include "way.h"

#include <string.h>

#define GROUP "/impinge/bodies"

/* ---- what the file has */

/* Poses that their writer never wrote would read as zeros: that is refused here, not at frame 900.
 */
static int open_floats(batch *b, hid_t group, const char *name, uint64_t columns, uint64_t rows,
                       h5_data *out)
{
    int err = h5_data_open_stored(b->mem, group, b->path, GROUP, name, out);
    if (!err && (out->class != H5T_FLOAT || (out->columns != columns && out->rows)))
        err = imp_fail(IMP_ERR_INPUT, "%s: %s: not %llu columns of floats", b->path, out->name,
                       (unsigned long long)columns);
    if (!err && out->rows != rows)
        err = imp_fail(IMP_ERR_INPUT, "%s: %s: %llu rows, there must be %llu", b->path, out->name,
                       (unsigned long long)out->rows, (unsigned long long)rows);
    return err ? err : h5_data_stored(out, 0, rows);
}

/* They never descend, so that every body has a number of points, which may be 0. */
static int read_offsets(batch *b, hid_t group)
{
    int err = IMP_OK;
    batch_bodies *r = &b->bodies;
    uint64_t n = 0;
    TRY(h5_read_integers(b->mem, group, b->path, GROUP, "point_offsets", 1, &r->offset, &n, NULL));
    if (n != (uint64_t)r->count + 1 || r->offset[0] != 0)
        FAIL(IMP_ERR_INPUT, "%s: " GROUP "/point_offsets: not 0 and the end of each of %u bodies",
             b->path, r->count);
    for (uint64_t i = 1; i < n; i++)
        if (r->offset[i] < r->offset[i - 1])
            FAIL(IMP_ERR_INPUT, "%s: " GROUP "/point_offsets: row %llu is less than the one before",
                 b->path, (unsigned long long)i);
out:
    return err;
}

/* The objects come first: their number gives the rows of all other datasets. */
static int bodies_read_open(batch *b, hid_t group)
{
    int err = IMP_OK;
    batch_bodies *r = &b->bodies;
    uint64_t bodies = 0;
    TRY(h5_read_objects(b->mem, group, b->path, GROUP, "object_id", &r->object, &bodies));
    r->count = (uint32_t)bodies;
    TRY(read_offsets(b, group));
    const uint64_t rows = b->frames * r->count;
    TRY(open_floats(b, group, "points", 3, (uint64_t)r->offset[r->count], &r->points));
    for (int i = 0; i < POSE_FIELDS; i++)
        if (i < POSE_VELOCITY || h5_exists(group, pose_fields[i].name))
            TRY(open_floats(b, group, pose_fields[i].name, pose_fields[i].numbers, rows,
                            &r->field[i]));
out:
    return err;
}

int batch_bodies_open(batch *b)
{
    hid_t above = -1, group = -1;
    int err = IMP_OK;
    /* bodies are objects of the file's ObjectId; without it all is object 0 */
    if (b->objects.source != BATCH_OBJECT_ID || !h5_exists(b->file, "impinge"))
        return IMP_OK;
    above = H5Gopen2(b->file, "impinge", H5P_DEFAULT);
    if (above < 0 || !h5_exists(above, "bodies"))
        goto out; /* something else may have the first name, but not the second */
    group = H5Gopen2(above, "bodies", H5P_DEFAULT);
    if (group < 0)
        TRY(h5_broken(above, b->path, "/impinge", "bodies", "not a group"));
    TRY(bodies_read_open(b, group));
out:
    h5_drop(group);
    h5_drop(above);
    return err;
}

void batch_bodies_close(batch *b)
{
    batch_bodies *r = &b->bodies;
    h5_data_close(&r->points);
    for (int i = 0; i < POSE_FIELDS; i++)
        h5_data_close(&r->field[i]);
    mem_free(b->mem, r->object);
    mem_free(b->mem, r->offset);
}

/* ---- the bodies of a mesh */

/* What is wrong with bodies of a file is an error of that file, not of an argument. */
bodies_of batch_bodies_of(const batch *b, uint64_t frame)
{
    return (bodies_of){IMP_ERR_INPUT, b->path, frame};
}

/* A body without primitives in this frame has no vertices. */
int batch_bodies_count(const batch *b, uint64_t frame, const uint32_t *have)
{
    for (uint32_t i = 0; i < b->bodies.count; i++) {
        const uint64_t want = (uint64_t)(b->bodies.offset[i + 1] - b->bodies.offset[i]);
        if (have[i] && have[i] != want && b->step[frame].primitive_ghosts)
            return imp_fail(IMP_ERR_INPUT,
                            "%s: vtkGhostType: leaves out vertices of body %d in frame %llu, so "
                            "that its " GROUP "/points belong to no vertices",
                            b->path, b->bodies.object[i], (unsigned long long)frame);
        if (have[i] && have[i] != want)
            return imp_fail(IMP_ERR_INPUT,
                            "%s: " GROUP "/point_offsets: body %d has %llu points, but %u "
                            "vertices in frame %llu",
                            b->path, b->bodies.object[i], (unsigned long long)want, have[i],
                            (unsigned long long)frame);
    }
    return IMP_OK;
}

int batch_check_rest_finite(const batch *b, const double *at, uint64_t row, size_t n)
{
    for (size_t k = 0; k < 3 * n; k++)
        if (!isfinite(at[k]))
            return imp_fail(IMP_ERR_INPUT, "%s: %s: row %llu is not finite", b->path,
                            b->bodies.points.name, (unsigned long long)(row + k / 3));
    return IMP_OK;
}

/* Points of the bodies to the vertices, in their order. A run is short enough for a thread, so a
 * body may have several: next[] is where its next run begins in the file. */
static int bodies_read_rest_points(batch *b, batch_mesh *m, uint64_t *next)
{
    int err = IMP_OK;
    const batch_bodies *r = &b->bodies;
    for (uint32_t i = 0; i < r->count; i++)
        next[i] = (uint64_t)r->offset[i];
    for (size_t i = 0; i < m->bodies.runs; i++) {
        const body_run *run = m->bodies.run + i;
        double *to = m->rest + (size_t)3 * run->first;
        const size_t n = run->last - run->first;
        TRY(h5_data_read(&r->points, next[run->body], n, H5T_NATIVE_DOUBLE, to));
        TRY(batch_check_rest_finite(b, to, next[run->body], n));
        next[run->body] += n;
    }
    bodies_measure(&m->bodies);
out:
    return err;
}

/* The arrays belong to m, whose last batch_mesh_release frees them, also after an error. */
int batch_mesh_bodies(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const uint32_t bodies = b->bodies.count;
    const bodies_of of = batch_bodies_of(b, frame);
    uint64_t *next = NULL;
    if (!bodies)
        return IMP_OK;
    TRY(mem_alloc(b->mem, bodies * sizeof *next, &next));
    TRY(mem_alloc(b->mem, bodies * sizeof *m->body, &m->body));
    TRY(mem_alloc(b->mem, (size_t)3 * m->mesh.vertices * sizeof *m->rest, &m->rest));
    /* vertices that belong to no body stay 0 */
    memset(m->rest, 0, (size_t)3 * m->mesh.vertices * sizeof *m->rest);
    memcpy(m->body, b->bodies.object, bodies * sizeof *m->body);
    m->mesh.bodies = bodies;
    m->mesh.body = m->body;
    m->mesh.rest = m->rest;
    TRY(bodies_find(b->mem, &m->mesh, &of, &m->bodies));
    TRY(batch_bodies_count(b, frame, m->bodies.vertices));
    TRY(bodies_read_rest_points(b, m, next));
out:
    mem_free(b->mem, next);
    return err;
}

/* ---- the bodies of a frame */

/* A field of n poses; at[]: memory for it. A field that the file does not have stays 0. */
static int bodies_read_field(batch *b, uint64_t row, uint32_t n, int field, double *at,
                             imp_pose *out)
{
    int err = IMP_OK;
    const h5_data *d = &b->bodies.field[field];
    const size_t numbers = pose_fields[field].numbers;
    if (d->id < 0)
        return IMP_OK;
    TRY(h5_data_read(d, row, n, H5T_NATIVE_DOUBLE, at));
    for (uint32_t i = 0; i < n; i++)
        memcpy((char *)&out[i] + pose_fields[field].offset, at + numbers * i, numbers * sizeof *at);
out:
    return err;
}

int batch_poses_of(batch *b, uint64_t frame, uint32_t first, uint32_t n, imp_pose *pose)
{
    int err = IMP_OK;
    double *at = NULL;
    /* 4: no field has more numbers than a quaternion */
    TRY(mem_alloc(b->mem, (size_t)4 * n * sizeof *at, &at));
    memset(pose, 0, n * sizeof *pose);
    for (int i = 0; i < POSE_FIELDS; i++)
        TRY(bodies_read_field(b, frame * b->bodies.count + first, n, i, at, pose));
out:
    mem_free(b->mem, at);
    return err;
}

int batch_read_poses(batch *b, const batch_mesh *m, imp_frame *f, imp_pose *pose)
{
    int err = IMP_OK;
    const bodies_of of = batch_bodies_of(b, f->number);
    TRY(batch_poses_of(b, f->number, 0, b->bodies.count, pose));
    /* set before the check, which compares the points of f with these poses */
    f->pose = pose;
    TRY(bodies_check(&m->bodies, f, 1, &of));
out:
    return err;
}

/* ---- from frame to frame */

/* Rotations and angular velocities of a frame; the rest stays 0. */
static int read_turns(batch *b, uint64_t frame, double *at, imp_pose *out)
{
    int err = IMP_OK;
    memset(out, 0, b->bodies.count * sizeof *out);
    TRY(bodies_read_field(b, frame * b->bodies.count, b->bodies.count, POSE_ROTATION, at, out));
    TRY(bodies_read_field(b, frame * b->bodies.count, b->bodies.count, POSE_SPIN, at, out));
out:
    return err;
}

static int bodies_read_any_rotation(const imp_pose *from, const imp_pose *to, uint32_t bodies,
                                    double seconds)
{
    for (uint32_t i = 0; i < bodies; i++)
        if (motion_rotates(from + i, to + i, seconds))
            return 1;
    return 0;
}

int batch_any_body_turns(batch *b, uint64_t first, int64_t step, uint64_t count, int *yes)
{
    int err = IMP_OK;
    const uint32_t n = b->bodies.count;
    double *at = NULL;
    imp_pose *pose = NULL;
    *yes = 0;
    if (!n || !count)
        return IMP_OK;
    TRY(mem_alloc(b->mem, (size_t)4 * n * sizeof *at, &at));
    TRY(mem_alloc(b->mem, (size_t)2 * n * sizeof *pose, &pose));
    TRY(read_turns(b, first, at, pose));
    for (uint64_t i = 1; i < count && !*yes; i++) {
        const uint64_t from = first + (i - 1) * (uint64_t)step, to = from + (uint64_t)step;
        imp_pose *half[2] = {pose + (i % 2 ? 0 : n), pose + (i % 2 ? n : 0)};
        TRY(read_turns(b, to, at, half[1]));
        *yes = bodies_read_any_rotation(half[0], half[1], n,
                                        batch_frame_time(b, to) - batch_frame_time(b, from));
    }
out:
    mem_free(b->mem, at);
    mem_free(b->mem, pose);
    return err;
}
