/* See store_bodies.h. Shapes are taken from the meshes, and must be the same in each: a tree that
 * is built of them once serves all frames. */
#include "store_bodies.h"

#include "error.h"
#include "frame.h"
#include "h5.h"
#include "pose.h"

#include <errno.h>
#include <string.h>

#define GROUP "/impinge/bodies"
#define PIECE 1024  /* rows at a time */
#define CHUNK 16384 /* rows at most */

void kept_bodies_free(kept_bodies *k)
{
    for (uint32_t b = 0; b < k->bodies && k->shape; b++)
        mem_free(k->mem, k->shape[b].rest);
    if (k->mem) {
        mem_free(k->mem, k->shape);
        mem_free(k->mem, k->pose);
    }
    memset(k, 0, sizeof *k);
}

/* ---- shapes */

/* of: [vertices] 1 + the body that a vertex is of, or 0; rows: [bodies] how many each has */
static int find_vertices(const char *path, const imp_mesh *m, uint32_t *of, uint64_t *rows)
{
    for (size_t i = 0; i < m->primitives; i++) {
        const int32_t object = m->object ? m->object[i] : 0;
        const uint32_t own = mesh_own(m, i), b = 1 + pose_body(m->body, m->bodies, object);
        const uint32_t *corner = m->corner + mesh_corners(m) * i;
        for (uint32_t k = 0; k < own && b; k++) {
            if (of[corner[k]] && of[corner[k]] != b)
                return imp_fail(IMP_ERR_ARGUMENT, "%s: vertex %u is of two rigid bodies", path,
                                corner[k]);
            rows[b - 1] += !of[corner[k]];
            of[corner[k]] = b;
        }
    }
    return IMP_OK;
}

/* Vertices come in ascending order, and so do the rows of each body. A body without primitives
 * stays as it was. */
static int take_rows(kept_bodies *k, const char *path, const imp_mesh *m, const uint32_t *of,
                     const uint64_t *rows, uint64_t *done)
{
    int err = IMP_OK;
    for (uint32_t b = 0; b < m->bodies; b++) {
        kept_shape *s = &k->shape[b];
        if (rows[b] && s->rows && rows[b] != s->rows)
            FAIL(IMP_ERR_ARGUMENT, "%s: rigid body %d has %llu vertices, and had %llu before", path,
                 s->object, (unsigned long long)rows[b], (unsigned long long)s->rows);
        if (rows[b] && !s->rest)
            TRY(mem_alloc(k->mem, 3 * rows[b] * sizeof *s->rest, &s->rest));
    }
    for (size_t v = 0; v < m->vertices; v++) {
        if (!of[v])
            continue;
        kept_shape *s = &k->shape[of[v] - 1];
        double *to = s->rest + 3 * done[of[v] - 1]++;
        const double *from = m->rest + 3 * v;
        if (!s->rows)
            memcpy(to, from, 3 * sizeof *to);
        else if (to[0] != from[0] || to[1] != from[1] || to[2] != from[2])
            FAIL(IMP_ERR_ARGUMENT, "%s: rigid body %d has another shape than before", path,
                 s->object);
    }
    for (uint32_t b = 0; b < m->bodies; b++)
        if (rows[b])
            k->shape[b].rows = rows[b];
out:
    return err;
}

static int take_shapes(kept_bodies *k, const char *path, const imp_mesh *m)
{
    int err = IMP_OK;
    uint32_t *of = NULL;
    uint64_t *rows = NULL; /* and how many of them were seen */
    TRY(mem_alloc(k->mem, m->vertices * sizeof *of, &of));
    TRY(mem_alloc(k->mem, 2 * sizeof *rows * m->bodies, &rows));
    memset(of, 0, m->vertices * sizeof *of);
    memset(rows, 0, 2 * sizeof *rows * m->bodies);
    TRY(find_vertices(path, m, of, rows));
    TRY(take_rows(k, path, m, of, rows, rows + m->bodies));
    k->mesh = m;
out:
    mem_free(k->mem, of);
    mem_free(k->mem, rows);
    return err;
}

/* ---- frames */

static int first_mesh(kept_bodies *k, const imp_mesh *m)
{
    int err = IMP_OK;
    TRY(mem_alloc(k->mem, m->bodies * sizeof *k->shape, &k->shape));
    memset(k->shape, 0, m->bodies * sizeof *k->shape);
    k->bodies = m->bodies;
    for (uint32_t b = 0; b < m->bodies; b++)
        k->shape[b].object = m->body[b];
out:
    return err;
}

static int check_bodies(const kept_bodies *k, const char *path, const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    const unsigned long long number = f->number;
    if (!m->bodies || !f->pose)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: frame %llu has no poses of rigid bodies", path,
                        number);
    if (k->shape && m->bodies != k->bodies)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: frame %llu has %u rigid bodies, those before %u",
                        path, number, m->bodies, k->bodies);
    for (uint32_t b = 0; b < m->bodies; b++) {
        if (k->shape ? m->body[b] != k->shape[b].object : b && m->body[b] <= m->body[b - 1])
            return imp_fail(IMP_ERR_ARGUMENT, "%s: frame %llu: rigid body %d is %s", path, number,
                            m->body[b], k->shape ? "not of those before" : "out of order");
        if (!pose_valid(&f->pose[b]))
            return imp_fail(IMP_ERR_ARGUMENT, "%s: frame %llu: no pose can be that of body %d",
                            path, number, m->body[b]);
    }
    return IMP_OK;
}

int kept_bodies_add(kept_bodies *k, const char *path, const imp_frame *f)
{
    int err = IMP_OK;
    TRY(check_bodies(k, path, f));
    if (!k->shape)
        TRY(first_mesh(k, f->mesh));
    if (f->mesh != k->mesh)
        TRY(take_shapes(k, path, f->mesh));
    const size_t poses = k->frames * k->bodies;
    if (poses + k->bodies > k->room) {
        const size_t room = 2 * k->room + k->bodies;
        TRY(mem_grow(k->mem, poses * sizeof *k->pose, room * sizeof *k->pose, &k->pose));
        k->room = room;
    }
    memcpy(k->pose + poses, f->pose, k->bodies * sizeof *k->pose);
    k->frames++;
out:
    return err;
}

/* ---- the file */

/* A dataset that is as long as it will ever be: `rows` is its chunk unless that is large. */
static int create(const kept_bodies *k, hid_t group, const char *path, const char *name,
                  uint64_t columns, uint64_t rows, h5_grow *out)
{
    const uint64_t chunk = !rows ? 1 : rows < CHUNK ? rows : CHUNK;
    return h5_grow_create(k->mem, group, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, columns,
                          chunk, out);
}

/* Columns of all poses, of which `at` bytes from the start of one are the first. */
static int write_poses(const kept_bodies *k, hid_t group, const char *path, const char *name,
                       uint64_t columns, size_t at)
{
    int err = IMP_OK;
    h5_grow data = {.id = -1};
    double row[PIECE * 4];
    const size_t poses = k->frames * k->bodies;
    TRY(create(k, group, path, name, columns, poses, &data));
    for (size_t done = 0; done < poses; done += PIECE) {
        const size_t n = poses - done < PIECE ? poses - done : PIECE;
        for (size_t i = 0; i < n; i++)
            memcpy(row + columns * i, (const char *)(k->pose + done + i) + at,
                   columns * sizeof *row);
        TRY(h5_grow_add(&data, path, row, n));
    }
    TRY(h5_grow_flush(&data, path));
out:
    h5_grow_close(&data);
    return err;
}

static int write_shapes(const kept_bodies *k, hid_t group, const char *path)
{
    int err = IMP_OK;
    h5_grow ids = {.id = -1}, offsets = {.id = -1}, points = {.id = -1};
    int64_t rows = 0;
    for (uint32_t b = 0; b < k->bodies; b++)
        rows += (int64_t)k->shape[b].rows;
    TRY(h5_grow_create(k->mem, group, path, "object_id", H5T_STD_I32LE, H5T_NATIVE_INT32, 0,
                       k->bodies < PIECE ? k->bodies : PIECE, &ids));
    TRY(h5_grow_create(k->mem, group, path, "point_offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, 0,
                       k->bodies < PIECE ? k->bodies + 1 : PIECE, &offsets));
    TRY(create(k, group, path, "points", 3, (uint64_t)rows, &points));
    rows = 0;
    TRY(h5_grow_add(&offsets, path, &rows, 1));
    for (uint32_t b = 0; b < k->bodies; b++) {
        const kept_shape *s = &k->shape[b];
        rows += (int64_t)s->rows;
        TRY(h5_grow_add(&ids, path, &s->object, 1));
        TRY(h5_grow_add(&offsets, path, &rows, 1));
        if (s->rows)
            TRY(h5_grow_add(&points, path, s->rest, s->rows));
    }
    TRY(h5_grow_flush(&ids, path));
    TRY(h5_grow_flush(&offsets, path));
    TRY(h5_grow_flush(&points, path));
out:
    h5_grow_close(&ids);
    h5_grow_close(&offsets);
    h5_grow_close(&points);
    return err;
}

int kept_bodies_write(const kept_bodies *k, const char *path, hid_t file)
{
    int err = IMP_OK;
    hid_t all = -1, group = -1;
    if (!k->frames)
        return IMP_OK;
    errno = 0;
    all = h5_exists(file, "impinge") ? H5Gopen2(file, "impinge", H5P_DEFAULT)
                                     : h5_group(file, "impinge");
    group = all < 0 ? -1 : h5_group(all, "bodies");
    if (group < 0)
        TRY(h5_fail(IMP_ERR_FILE, path, GROUP, "cannot be written"));
    TRY(write_shapes(k, group, path));
    TRY(write_poses(k, group, path, "centre", 3, offsetof(imp_pose, centre)));
    TRY(write_poses(k, group, path, "rotation", 4, offsetof(imp_pose, rotation)));
    TRY(write_poses(k, group, path, "velocity", 3, offsetof(imp_pose, velocity)));
    TRY(write_poses(k, group, path, "angular_velocity", 3, offsetof(imp_pose, spin)));
out:
    if (group >= 0)
        H5Gclose(group);
    if (all >= 0)
        H5Gclose(all);
    return err;
}
