/* See store_bodies.h. Shapes are taken from the meshes, and must be the same in each: a tree that
 * is built of them once serves all frames. */
#include "store_bodies.h"

#include "bodies.h"
#include "error.h"
#include "h5.h"
#include "store_matter.h"

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

/* Rows of the bodies that a mesh has. A body without primitives stays as it was. s->rows is set by
 * take_shapes, after all runs: until then take_rows copies instead of comparing. */
static int take_counts(kept_bodies *k, const char *path, const body_set *found)
{
    int err = IMP_OK;
    for (uint32_t b = 0; b < found->count; b++) {
        kept_shape *s = &k->shape[b];
        const uint64_t rows = found->vertices[b];
        if (rows && s->rows && rows != s->rows)
            FAIL(IMP_ERR_ARGUMENT, "%s: rigid body %d has %llu vertices, and had %llu before", path,
                 s->object, (unsigned long long)rows, (unsigned long long)s->rows);
        /* a body may appear in a later mesh for the first time */
        if (rows && !s->rest)
            TRY(mem_alloc(k->mem, 3 * rows * sizeof *s->rest, &s->rest));
    }
out:
    return err;
}

/* Vertices come in ascending order, and so do the rows of each body: done[] rows have been taken.
 * The first mesh that has a body defines its shape; later ones must have the same numbers. */
static int take_rows(kept_bodies *k, const char *path, const body_set *found, uint64_t *done)
{
    for (size_t i = 0; i < found->runs; i++) {
        const body_run *run = found->run + i;
        const kept_shape *s = &k->shape[run->body];
        double *to = s->rest + 3 * done[run->body];
        const double *from = found->mesh->rest + (size_t)3 * run->first;
        const size_t numbers = (size_t)3 * (run->last - run->first);
        if (!s->rows)
            memcpy(to, from, numbers * sizeof *to);
        for (size_t n = 0; s->rows && n < numbers; n++)
            if (to[n] != from[n])
                return imp_fail(IMP_ERR_ARGUMENT, "%s: rigid body %d has another shape than before",
                                path, s->object);
        done[run->body] += run->last - run->first;
    }
    return IMP_OK;
}

/* The vertices of each body are found again in each mesh: their numbers may differ from mesh to
 * mesh. */
static int take_shapes(kept_bodies *k, const bodies_of *of, const imp_mesh *m)
{
    int err = IMP_OK;
    body_set found = {0};
    uint64_t *done = NULL;
    TRY(bodies_find(k->mem, m, of, &found));
    TRY(mem_alloc(k->mem, m->bodies * sizeof *done, &done));
    memset(done, 0, m->bodies * sizeof *done);
    TRY(take_counts(k, of->file, &found));
    TRY(take_rows(k, of->file, &found, done));
    for (uint32_t b = 0; b < m->bodies; b++)
        if (found.vertices[b])
            k->shape[b].rows = found.vertices[b];
    /* frames that share a mesh are not compared again */
    k->mesh = m;
out:
    bodies_free(k->mem, &found);
    mem_free(k->mem, done);
    return err;
}

/* ---- frames */

/* The list of the first frame becomes that of the file. */
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

/* The file has one list of bodies for all frames, so each frame must have the same one. */
static int check_bodies(const kept_bodies *k, const bodies_of *of, const imp_frame *f)
{
    int err = IMP_OK;
    const imp_mesh *m = f->mesh;
    if (!m->bodies || !f->pose)
        FAIL(IMP_ERR_ARGUMENT, "%s: frame %llu has no poses of rigid bodies", of->file,
             (unsigned long long)f->number);
    TRY(bodies_listed(m, of));
    if (k->shape && m->bodies != k->bodies)
        FAIL(IMP_ERR_ARGUMENT, "%s: frame %llu has %u rigid bodies, those before %u", of->file,
             (unsigned long long)f->number, m->bodies, k->bodies);
    for (uint32_t b = 0; k->shape && b < m->bodies; b++)
        if (m->body[b] != k->shape[b].object)
            FAIL(IMP_ERR_ARGUMENT, "%s: frame %llu: rigid body %d is not of those before", of->file,
                 (unsigned long long)f->number, m->body[b]);
    TRY(poses_check(f, of));
out:
    return err;
}

int kept_bodies_add(kept_bodies *k, const char *path, const imp_frame *f)
{
    int err = IMP_OK;
    const bodies_of of = {IMP_ERR_ARGUMENT, path, f->number};
    TRY(check_bodies(k, &of, f));
    if (!k->shape)
        TRY(first_mesh(k, f->mesh));
    if (f->mesh != k->mesh)
        TRY(take_shapes(k, &of, f->mesh));
    const size_t poses = k->frames * k->bodies;
    /* doubled, so that each pose is copied a few times at most */
    if (poses + k->bodies > k->capacity) {
        const size_t capacity = 2 * k->capacity + k->bodies;
        TRY(mem_grow(k->mem, poses * sizeof *k->pose, capacity * sizeof *k->pose, &k->pose));
        k->capacity = capacity;
    }
    memcpy(k->pose + poses, f->pose, k->bodies * sizeof *k->pose);
    k->frames++;
out:
    return err;
}

/* ---- the file */

/* The chunk of a dataset that gets no more rows later: if it is no longer than the dataset, no
 * space is wasted. HDF5 refuses chunks of 0 rows. */
static uint64_t chunk_of(uint64_t rows, uint64_t most)
{
    return !rows ? 1 : rows < most ? rows : most;
}

/* Poses are structs in memory; the file has a dataset for each field, with the rows of all frames.
 */
static int write_field(const kept_bodies *k, hid_t group, const char *path, const pose_field *field)
{
    int err = IMP_OK;
    h5_grow data = {.id = -1};
    /* 4: no field has more numbers than a quaternion */
    double row[PIECE * 4];
    const size_t poses = k->frames * k->bodies;
    const h5_grow_def def = {field->name, COLUMN_F64, field->numbers, chunk_of(poses, CHUNK)};
    TRY(h5_grow_open(k->mem, group, path, &def, H5_NEW, &data));
    for (size_t done = 0; done < poses; done += PIECE) {
        const size_t n = poses - done < PIECE ? poses - done : PIECE;
        for (size_t i = 0; i < n; i++)
            memcpy(row + field->numbers * i, (const char *)(k->pose + done + i) + field->offset,
                   field->numbers * sizeof *row);
        TRY(h5_grow_add(&data, path, row, n));
    }
    TRY(h5_grow_flush(&data, path));
out:
    h5_grow_close(&data);
    return err;
}

/* Offsets begin with 0, so body b has the rows from offset b to offset b + 1 (format.md). */
static int write_shapes(const kept_bodies *k, hid_t group, const char *path)
{
    int err = IMP_OK;
    h5_grow ids = {.id = -1}, offsets = {.id = -1}, points = {.id = -1};
    int64_t rows = 0;
    for (uint32_t b = 0; b < k->bodies; b++)
        rows += (int64_t)k->shape[b].rows;
    /* the sum of rows comes first: the chunks of `points` are made to fit it */
    const h5_grow_def id_def = {"object_id", COLUMN_I32, 0, chunk_of(k->bodies, PIECE)};
    const h5_grow_def end_def = {"point_offsets", COLUMN_I64, 0, chunk_of(k->bodies + 1, PIECE)};
    const h5_grow_def point_def = {"points", COLUMN_F64, 3, chunk_of((uint64_t)rows, CHUNK)};
    TRY(h5_grow_open(k->mem, group, path, &id_def, H5_NEW, &ids));
    TRY(h5_grow_open(k->mem, group, path, &end_def, H5_NEW, &offsets));
    TRY(h5_grow_open(k->mem, group, path, &point_def, H5_NEW, &points));
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

static int write_matter(const kept_bodies *k, const matter *m, const char *path, hid_t bodies,
                        hid_t impinge)
{
    int err = IMP_OK;
    int32_t *object = NULL;
    if (m->bodies != k->bodies)
        FAIL(IMP_ERR_ARGUMENT, "%s: %u rigid bodies, and what %u are made of", path, k->bodies,
             m->bodies);
    TRY(mem_alloc(k->mem, k->bodies * sizeof *object, &object));
    for (uint32_t b = 0; b < k->bodies; b++)
        object[b] = k->shape[b].object;
    TRY(store_matter_write(m, object, path, bodies, impinge));
out:
    mem_free(k->mem, object);
    return err;
}

int kept_bodies_write(const kept_bodies *k, const matter *m, const char *path, hid_t file)
{
    int err = IMP_OK;
    hid_t all = -1, group = -1;
    if (!k->frames)
        return IMP_OK;
    /* so that h5_fail does not report an older error */
    errno = 0;
    /* batch_names_write may have made the group before */
    all = h5_exists(file, "impinge") ? H5Gopen2(file, "impinge", H5P_DEFAULT)
                                     : h5_group(file, "impinge");
    group = all < 0 ? -1 : h5_group(all, "bodies");
    if (group < 0)
        TRY(h5_fail(IMP_ERR_FILE, path, GROUP, "cannot be written"));
    TRY(write_shapes(k, group, path));
    for (int i = 0; i < POSE_FIELDS; i++)
        TRY(write_field(k, group, path, &pose_fields[i]));
    if (m)
        TRY(write_matter(k, m, path, group, all));
out:
    h5_drop(group);
    h5_drop(all);
    return err;
}
