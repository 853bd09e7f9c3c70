/* Rigid bodies of a batch, /impinge/bodies (data/format.md): their objects, their vertices in
 * coordinates of their own, and their poses in a frame. */
#include "batch_bodies.h"

#include "batch.h"
#include "bodies.h"
#include "error.h"
#include "h5.h"
#include "motion.h"

#include <string.h>

#define GROUP "/impinge/bodies"

/* ---- the bodies of the file */

/* Poses that were never written would read as zeros, so they are rejected here, not at frame
 * 900. */
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

/* Offsets never descend, so every body has a number of points, which may be 0. */
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

/* The objects are read first: their number determines the rows of all other datasets. */
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
    /* bodies are objects of the file's ObjectId; without it all primitives are object 0 */
    if (b->objects.source != BATCH_OBJECT_ID || !h5_exists(b->file, "impinge"))
        return IMP_OK;
    above = H5Gopen2(b->file, "impinge", H5P_DEFAULT);
    if (above < 0 || !h5_exists(above, "bodies"))
        goto out; /* an object of another kind may have the first name, but not the second */
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

/* An error in a file's bodies is an error of that file, not of an argument. */
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

/* Assigns the bodies' points to the vertices, in order. A run is short enough for a thread, so a
 * body may have several: next[] is the row at which its next run begins in the file. */
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

/* The arrays belong to m and are freed by the last batch_mesh_release, also after an error. */
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

/* Reads a field of n poses; at[]: workspace. A field that the file does not have stays 0. */
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
    /* 4: the longest field is a quaternion */
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

/* ---- motion between frames */

/* Reads rotations and angular velocities of a frame; other fields stay 0. */
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

/* ---- See batch_bodies.h; batch_read_matter is in store.h. Values that a file does not have get
 * their defaults. */

#define BODIES "/impinge/bodies"
#define SIMULATION "/impinge/simulation"

/* The numeric attributes of SIMULATION. */
typedef struct number {
    const char *name;
    size_t offset;
    int count;
} number;
static const number numbers[] = {{"gravity", offsetof(matter, gravity), 3},
                                 {"restitution_slowest", offsetof(matter, slowest), 1},
                                 {"spring", offsetof(matter, spring), 3},
                                 {"step", offsetof(matter, step), 1},
                                 {"epsilon", offsetof(matter, epsilon), 1},
                                 {"seconds", offsetof(matter, seconds), 1}};
#define NUMBERS (sizeof numbers / sizeof *numbers)

/* The numeric datasets of SIMULATION for pushes. */
static const number push_numbers[] = {{"push_point", offsetof(matter_push, at), 3},
                                      {"push_force", offsetof(matter_push, force), 3},
                                      {"push_time", offsetof(matter_push, begin), 2}};
#define PUSH_NUMBERS (sizeof push_numbers / sizeof *push_numbers)

/* ---- reading */

/* Reads all rows of a dataset as float64, in so many columns; rows: UINT64_MAX for any number,
 * which then is stored in *found. */
static int matter_read_numbers(const batch *b, hid_t group, const char *where, const char *name,
                               uint64_t columns, uint64_t rows, double **out, uint64_t *found)
{
    int err = IMP_OK;
    h5_data d;
    *out = NULL;
    TRY(h5_data_open_stored(b->mem, group, b->path, where, name, &d));
    *found = d.rows;
    if (d.class != H5T_FLOAT && d.class != H5T_INTEGER && d.class != H5T_ENUM)
        FAIL(IMP_ERR_INPUT, "%s: %s: not numbers", b->path, d.name);
    if (rows != UINT64_MAX && d.rows != rows)
        FAIL(IMP_ERR_INPUT, "%s: %s: %llu rows, there must be %llu", b->path, d.name,
             (unsigned long long)d.rows, (unsigned long long)rows);
    if (d.rows)
        TRY(h5_data_columns(&d, columns));
    TRY(h5_data_stored(&d, 0, d.rows));
    TRY(mem_alloc(b->mem, (size_t)(d.rows * columns) * sizeof **out, out));
    TRY(h5_data_read(&d, 0, d.rows, H5T_NATIVE_DOUBLE, *out));
out:
    h5_data_close(&d);
    return err;
}

static int matter_read_field(const batch *b, hid_t group, const matter_field *field, matter *m)
{
    int err = IMP_OK;
    uint64_t rows;
    double *at = NULL;
    if (!h5_exists(group, field->name))
        return IMP_OK;
    TRY(matter_read_numbers(b, group, BODIES, field->name, field->numbers, m->bodies, &at, &rows));
    for (uint32_t i = 0; at && i < m->bodies; i++)
        memcpy((char *)&m->body[i] + field->offset, at + field->numbers * i,
               field->numbers * sizeof *at);
out:
    mem_free(b->mem, at);
    return err;
}

/* Converts the objects that are pushed to indices of bodies. */
static int matter_read_objects(const batch *b, matter *m, const int64_t *object)
{
    for (size_t i = 0; i < m->pushes; i++) {
        const int fits = object[i] >= INT32_MIN && object[i] <= INT32_MAX;
        m->push[i].body =
            fits ? body_number(b->bodies.object, b->bodies.count, (int32_t)object[i]) : NO_BODY;
        if (m->push[i].body == NO_BODY)
            return imp_fail(IMP_ERR_INPUT, "%s: " SIMULATION "/push_object: %lld is no rigid body",
                            b->path, (long long)object[i]);
    }
    return IMP_OK;
}

static int matter_read_pushes(const batch *b, hid_t group, matter *m)
{
    int err = IMP_OK;
    uint64_t rows;
    int64_t *object = NULL;
    double *at = NULL;
    if (!h5_exists(group, "push_object"))
        return IMP_OK;
    TRY(h5_read_integers(b->mem, group, b->path, SIMULATION, "push_object", 1, &object, &rows,
                         NULL));
    TRY(mem_alloc(b->mem, (size_t)rows * sizeof *m->push, &m->push));
    m->pushes = (size_t)rows;
    TRY(matter_read_objects(b, m, object));
    for (size_t k = 0; k < PUSH_NUMBERS; k++) {
        const number *n = &push_numbers[k];
        TRY(matter_read_numbers(b, group, SIMULATION, n->name, (uint64_t)n->count, m->pushes, &at,
                                &rows));
        for (size_t i = 0; at && i < m->pushes; i++)
            memcpy((char *)&m->push[i] + n->offset, at + (size_t)n->count * i,
                   (size_t)n->count * sizeof *at);
        mem_free(b->mem, at);
        at = NULL;
    }
out:
    mem_free(b->mem, object);
    mem_free(b->mem, at);
    return err;
}

static int matter_read_simulation(const batch *b, hid_t group, matter *m)
{
    int err = IMP_OK;
    uint64_t rows;
    for (size_t i = 0; i < NUMBERS; i++)
        if (H5Aexists(group, numbers[i].name) > 0)
            TRY(h5_attr_floats(group, b->path, SIMULATION, numbers[i].name,
                               (double *)(void *)((char *)m + numbers[i].offset),
                               numbers[i].count));
    if (H5Aexists(group, "scene") > 0)
        TRY(h5_attr_text(group, b->path, SIMULATION, "scene", m->scene, sizeof m->scene));
    if (h5_exists(group, "home"))
        TRY(matter_read_numbers(b, group, SIMULATION, "home", 3, m->bodies, &m->home, &rows));
    TRY(matter_read_pushes(b, group, m));
out:
    return err;
}

static int matter_read_open_group(const batch *b, hid_t above, const char *name, hid_t *out)
{
    *out = H5Gopen2(above, name, H5P_DEFAULT);
    return *out < 0 ? h5_broken(above, b->path, "/impinge", name, "not a group") : IMP_OK;
}

int batch_read_matter(const batch *b, matter *out)
{
    int err = IMP_OK;
    hid_t above = -1, bodies = -1, simulation = -1;
    *out = (matter){.mem = b->mem};
    if (!b->bodies.count)
        return IMP_OK;
    TRY(matter_make(out, b->bodies.count));
    above = H5Gopen2(b->file, "impinge", H5P_DEFAULT);
    TRY(matter_read_open_group(b, above, "bodies", &bodies));
    for (int i = 0; i < MATTER_FIELDS; i++)
        TRY(matter_read_field(b, bodies, &matter_fields[i], out));
    if (h5_exists(above, "simulation")) {
        TRY(matter_read_open_group(b, above, "simulation", &simulation));
        TRY(matter_read_simulation(b, simulation, out));
    }
    TRY(matter_check(out, b->bodies.object, IMP_ERR_INPUT, b->path));
out:
    h5_drop(simulation);
    h5_drop(bodies);
    h5_drop(above);
    if (err)
        matter_free(out);
    return err;
}

/* ---- writing */

/* Writes numbers that are `stride` bytes apart. */
static int store_matter_write_numbers(const matter *m, hid_t group, const char *path,
                                      const char *name, const void *first, size_t stride,
                                      uint64_t columns, size_t rows)
{
    int err = IMP_OK;
    double *at = NULL;
    const size_t bytes = (size_t)columns * sizeof *at;
    const h5_grow_def def = {name, COLUMN_F64, columns > 1 ? columns : 0, rows ? rows : 1};
    TRY(mem_alloc(m->mem, rows * bytes, &at));
    for (size_t i = 0; i < rows; i++)
        memcpy(at + columns * i, (const char *)first + stride * i, bytes);
    TRY(h5_write(m->mem, group, path, &def, at, rows));
out:
    mem_free(m->mem, at);
    return err;
}

static int store_matter_write_fixed(const matter *m, hid_t group, const char *path)
{
    int err = IMP_OK;
    uint8_t *at = NULL;
    const h5_grow_def def = {"fixed", COLUMN_U8, 0, m->bodies};
    TRY(mem_alloc(m->mem, m->bodies, &at));
    for (uint32_t i = 0; i < m->bodies; i++)
        at[i] = m->body[i].fixed != 0;
    TRY(h5_write(m->mem, group, path, &def, at, m->bodies));
out:
    mem_free(m->mem, at);
    return err;
}

static int store_matter_write_pushes(const matter *m, const int32_t *object, hid_t group,
                                     const char *path)
{
    int err = IMP_OK;
    int32_t *at = NULL;
    const h5_grow_def def = {"push_object", COLUMN_I32, 0, m->pushes};
    if (!m->pushes)
        return IMP_OK;
    TRY(mem_alloc(m->mem, m->pushes * sizeof *at, &at));
    for (size_t i = 0; i < m->pushes; i++)
        at[i] = object[m->push[i].body];
    TRY(h5_write(m->mem, group, path, &def, at, m->pushes));
    for (size_t k = 0; k < PUSH_NUMBERS; k++)
        TRY(store_matter_write_numbers(
            m, group, path, push_numbers[k].name, (const char *)m->push + push_numbers[k].offset,
            sizeof *m->push, (uint64_t)push_numbers[k].count, m->pushes));
out:
    mem_free(m->mem, at);
    return err;
}

static int store_matter_write_simulation(const matter *m, const int32_t *object, const char *path,
                                         hid_t group)
{
    int err = IMP_OK;
    for (size_t i = 0; i < NUMBERS; i++)
        TRY(h5_put_floats(group, path, numbers[i].name,
                          (const double *)(const void *)((const char *)m + numbers[i].offset),
                          numbers[i].count));
    TRY(h5_put_text(group, path, "scene", m->scene));
    if (m->home)
        TRY(store_matter_write_numbers(m, group, path, "home", m->home, 3 * sizeof *m->home, 3,
                                       m->bodies));
    TRY(store_matter_write_pushes(m, object, group, path));
out:
    return err;
}

int store_matter_write(const matter *m, const int32_t *object, const char *path, hid_t bodies,
                       hid_t impinge)
{
    int err = IMP_OK;
    const hid_t group = h5_group(impinge, "simulation");
    if (group < 0)
        return h5_fail(IMP_ERR_FILE, path, SIMULATION, "cannot be written");
    for (int i = 0; i < MATTER_FIELDS; i++)
        if (i != MATTER_FIELD_FIXED)
            TRY(store_matter_write_numbers(m, bodies, path, matter_fields[i].name,
                                           (const char *)m->body + matter_fields[i].offset,
                                           sizeof *m->body, matter_fields[i].numbers, m->bodies));
    TRY(store_matter_write_fixed(m, bodies, path));
    TRY(store_matter_write_simulation(m, object, path, group));
out:
    h5_drop(group);
    return err;
}
