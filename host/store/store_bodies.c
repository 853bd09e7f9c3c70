/* Room 1: rigid bodies of a batch, /impinge/bodies (data/format.md): which there are, their
 * vertices in coordinates of their own, and where each is in a frame. */
#include "store_batch.h"

#include "error.h"
#include "frame.h"
#include "pose.h"

#include <string.h>

#define GROUP "/impinge/bodies"

/* ---- what the file has */

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

static int read_ids(batch *b, hid_t group)
{
    int err = IMP_OK;
    int64_t *id = NULL;
    uint64_t n = 0;
    TRY(h5_read_integers(b->mem, group, b->path, GROUP, "object_id", 1, &id, &n));
    TRY(mem_alloc(b->mem, n * sizeof *b->bodies.object, &b->bodies.object));
    for (uint64_t i = 0; i < n; i++) {
        if (id[i] < INT32_MIN || id[i] > INT32_MAX || (i && id[i] <= id[i - 1]))
            FAIL(IMP_ERR_INPUT, "%s: " GROUP "/object_id: %lld is out of order or range", b->path,
                 (long long)id[i]);
        b->bodies.object[i] = (int32_t)id[i];
    }
    b->bodies.count = (uint32_t)n;
out:
    mem_free(b->mem, id);
    return err;
}

static int read_offsets(batch *b, hid_t group)
{
    int err = IMP_OK;
    batch_bodies *r = &b->bodies;
    uint64_t n = 0;
    TRY(h5_read_integers(b->mem, group, b->path, GROUP, "point_offsets", 1, &r->offset, &n));
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

static int open_all(batch *b, hid_t group)
{
    int err = IMP_OK;
    batch_bodies *r = &b->bodies;
    TRY(read_ids(b, group));
    TRY(read_offsets(b, group));
    const uint64_t rows = b->frames * r->count;
    TRY(open_floats(b, group, "points", 3, (uint64_t)r->offset[r->count], &r->points));
    TRY(open_floats(b, group, "centre", 3, rows, &r->centre));
    TRY(open_floats(b, group, "rotation", 4, rows, &r->rotation));
    if (h5_exists(group, "velocity"))
        TRY(open_floats(b, group, "velocity", 3, rows, &r->velocity));
    if (h5_exists(group, "angular_velocity"))
        TRY(open_floats(b, group, "angular_velocity", 3, rows, &r->spin));
out:
    return err;
}

int batch_bodies_open(batch *b)
{
    hid_t above = -1, group = -1;
    int err = IMP_OK;
    /* other objects than those of the file are not its bodies; without ObjectId all is object 0 */
    if (b->objects != BATCH_OBJECT_ID || !h5_exists(b->file, "impinge"))
        return IMP_OK;
    above = H5Gopen2(b->file, "impinge", H5P_DEFAULT);
    if (above < 0 || !h5_exists(above, "bodies"))
        goto out; /* something else may have the first name, but not the second */
    group = H5Gopen2(above, "bodies", H5P_DEFAULT);
    if (group < 0)
        TRY(h5_broken(above, b->path, "/impinge", "bodies", "not a group"));
    TRY(open_all(b, group));
out:
    if (group >= 0)
        H5Gclose(group);
    if (above >= 0)
        H5Gclose(above);
    return err;
}

void batch_bodies_close(batch *b)
{
    batch_bodies *r = &b->bodies;
    h5_data *all[] = {&r->points, &r->centre, &r->rotation, &r->velocity, &r->spin};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        h5_data_close(all[i]);
    mem_free(b->mem, r->object);
    mem_free(b->mem, r->offset);
}

/* ---- the bodies of a mesh */

/* Whose each vertex is: owner[vertices]. */
static int find_owners(const batch *b, uint64_t frame, const imp_mesh *m, uint32_t *owner)
{
    uint32_t body = POSE_NOBODY;
    for (uint32_t v = 0; v < m->vertices; v++)
        owner[v] = POSE_NOBODY;
    for (uint32_t i = 0; i < m->primitives; i++) {
        const int32_t object = m->object ? m->object[i] : 0;
        if (!i || (m->object && object != m->object[i - 1]))
            body = pose_body(b->bodies.object, b->bodies.count, object);
        for (uint32_t k = 0; body != POSE_NOBODY && k < mesh_own(m, i); k++) {
            const uint32_t v = mesh_vertex(m, i, k);
            if (owner[v] != POSE_NOBODY && owner[v] != body)
                return imp_fail(IMP_ERR_INPUT,
                                "%s: " GROUP "/object_id: vertex %u of frame %llu is of bodies %d "
                                "and %d",
                                b->path, v, (unsigned long long)frame, b->bodies.object[owner[v]],
                                object);
            owner[v] = body;
        }
    }
    return IMP_OK;
}

/* Vertices of one body that follow each other: those are told by few numbers. */
static int find_runs(batch *b, const uint32_t *owner, batch_mesh *m)
{
    int err = IMP_OK;
    size_t runs = 0;
    const uint32_t n = m->mesh.vertices;
    for (uint32_t v = 0; v < n; v++)
        runs += owner[v] != POSE_NOBODY && (!v || owner[v - 1] != owner[v]);
    TRY(mem_alloc(b->mem, runs * sizeof *m->run, &m->run));
    for (uint32_t v = 0; v < n; v++) {
        if (owner[v] == POSE_NOBODY)
            continue;
        if (!v || owner[v - 1] != owner[v])
            m->run[m->runs++] = (batch_run){.first = v, .body = owner[v]};
        m->run[m->runs - 1].last = v + 1;
    }
out:
    return err;
}

/* The vertices of each body are as many as the file has for it, or none. */
static int count_vertices(const batch *b, uint64_t frame, const batch_mesh *m, uint64_t *have)
{
    for (size_t i = 0; i < m->runs; i++)
        have[m->run[i].body] += m->run[i].last - m->run[i].first;
    for (uint32_t i = 0; i < b->bodies.count; i++) {
        const uint64_t want = (uint64_t)(b->bodies.offset[i + 1] - b->bodies.offset[i]);
        if (have[i] && have[i] != want)
            return imp_fail(IMP_ERR_INPUT,
                            "%s: " GROUP "/point_offsets: body %d has %llu points, but %llu "
                            "vertices in frame %llu",
                            b->path, b->bodies.object[i], (unsigned long long)want,
                            (unsigned long long)have[i], (unsigned long long)frame);
    }
    return IMP_OK;
}

/* Points of the bodies to the vertices, in their order. */
static int read_rest(batch *b, batch_mesh *m, uint64_t *next)
{
    int err = IMP_OK;
    const batch_bodies *r = &b->bodies;
    for (uint32_t i = 0; i < r->count; i++)
        next[i] = (uint64_t)r->offset[i];
    for (size_t i = 0; i < m->runs; i++) {
        const batch_run *run = m->run + i;
        double *to = m->rest + (size_t)3 * run->first, *radius = m->radius + run->body;
        const size_t n = run->last - run->first;
        TRY(h5_data_read(&r->points, next[run->body], n, H5T_NATIVE_DOUBLE, to));
        for (size_t k = 0; k < n; k++) {
            const double *p = to + 3 * k, far = pose_length(p);
            if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
                FAIL(IMP_ERR_INPUT, "%s: %s: row %llu is not finite", b->path, r->points.name,
                     (unsigned long long)(next[run->body] + k));
            *radius = far > *radius ? far : *radius;
        }
        next[run->body] += n;
    }
out:
    return err;
}

int batch_mesh_bodies(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const uint32_t bodies = b->bodies.count;
    uint32_t *owner = NULL;
    uint64_t *count = NULL;
    if (!bodies)
        return IMP_OK;
    TRY(mem_alloc(b->mem, m->mesh.vertices * sizeof *owner, &owner));
    TRY(mem_alloc(b->mem, bodies * sizeof *count, &count));
    TRY(mem_alloc(b->mem, bodies * sizeof *m->body, &m->body));
    TRY(mem_alloc(b->mem, bodies * sizeof *m->radius, &m->radius));
    TRY(mem_alloc(b->mem, (size_t)3 * m->mesh.vertices * sizeof *m->rest, &m->rest));
    memset(count, 0, bodies * sizeof *count);
    memset(m->radius, 0, bodies * sizeof *m->radius);
    memset(m->rest, 0, (size_t)3 * m->mesh.vertices * sizeof *m->rest);
    memcpy(m->body, b->bodies.object, bodies * sizeof *m->body);
    TRY(find_owners(b, frame, &m->mesh, owner));
    TRY(find_runs(b, owner, m));
    TRY(count_vertices(b, frame, m, count));
    TRY(read_rest(b, m, count));
    m->mesh.bodies = bodies;
    m->mesh.body = m->body;
    m->mesh.rest = m->rest;
out:
    mem_free(b->mem, owner);
    mem_free(b->mem, count);
    return err;
}

/* ---- the bodies of a frame */

/* Are the numbers of a body's row of a dataset finite, and of a rotation (width 4) a quaternion
 * that turns? */
static int row_check(const batch *b, const h5_data *d, uint64_t frame, uint32_t body, size_t width,
                     const double *row)
{
    int finite = 1;
    for (size_t k = 0; k < width; k++)
        finite &= isfinite(row[k]) != 0;
    if (finite && (width != 4 || pose_is_unit(row)))
        return IMP_OK;
    return imp_fail(IMP_ERR_INPUT, "%s: %s: row %llu, body %d in frame %llu, is %s", b->path,
                    d->name, (unsigned long long)(frame * b->bodies.count + body),
                    b->bodies.object[body], (unsigned long long)frame,
                    finite ? "no quaternion of length 1" : "not finite");
}

/* A row of poses, for all bodies: `width` numbers of each, to the offset `field` of its pose. */
static int read_field(batch *b, const h5_data *d, uint64_t frame, size_t width, size_t field,
                      double *at, imp_pose *out)
{
    int err = IMP_OK;
    const uint32_t n = b->bodies.count;
    if (d->id < 0)
        return IMP_OK;
    TRY(h5_data_read(d, frame * n, n, H5T_NATIVE_DOUBLE, at));
    for (uint32_t i = 0; i < n; i++) {
        TRY(row_check(b, d, frame, i, width, at + width * i));
        memcpy((char *)&out[i] + field, at + width * i, width * sizeof *at);
    }
out:
    return err;
}

int batch_read_poses(batch *b, uint64_t frame, imp_pose *out)
{
    int err = IMP_OK;
    const batch_bodies *r = &b->bodies;
    double *at = NULL;
    TRY(mem_alloc(b->mem, (size_t)4 * r->count * sizeof *at, &at));
    memset(out, 0, r->count * sizeof *out);
    TRY(read_field(b, &r->centre, frame, 3, offsetof(imp_pose, centre), at, out));
    TRY(read_field(b, &r->rotation, frame, 4, offsetof(imp_pose, rotation), at, out));
    TRY(read_field(b, &r->velocity, frame, 3, offsetof(imp_pose, velocity), at, out));
    TRY(read_field(b, &r->spin, frame, 3, offsetof(imp_pose, spin), at, out));
out:
    mem_free(b->mem, at);
    return err;
}

static int vertex_fail(const batch *b, const imp_frame *f, const batch_run *run, uint32_t v,
                       double off, double most)
{
    return imp_fail(
        IMP_ERR_INPUT,
        "%s: %s: vertex %u of frame %llu lies %.3g from where the pose of body %d in " GROUP
        " puts it; %.3g is allowed",
        b->path, b->points.name, v, (unsigned long long)f->number, off, b->bodies.object[run->body],
        most);
}

int batch_check_poses(const batch *b, const batch_mesh *m, const imp_frame *f)
{
    for (size_t i = 0; i < m->runs; i++) {
        const batch_run *run = m->run + i;
        const imp_pose *p = f->pose + run->body;
        const pose_map map = pose_map_of(p);
        const double most = pose_tolerance(p, m->radius[run->body], f->type);
        for (uint32_t v = run->first; v < run->last; v++) {
            double is[3], off[3];
            frame_vertex(f, v, is);
            pose_off(&map, m->rest + (size_t)3 * v, is, off);
            if (pose_within(off, most))
                continue;
            /* what is nowhere is of bad primitives, as of any object */
            if (isfinite(is[0]) && isfinite(is[1]) && isfinite(is[2]))
                return vertex_fail(b, f, run, v, pose_length(off), most);
        }
    }
    return IMP_OK;
}
