/* See mesh_copy.h. */
#include "mesh_copy.h"

#include "error.h"
#include "float_env.h"
#include "frame.h"

#include <string.h>

#define PIECE ((size_t)1 << 16) /* bytes that a thread compares at a time */

static int mesh_copy_array(mem *m, const void *from, size_t bytes, void *out)
{
    int err = IMP_OK;
    void *to = NULL;
    if (from && bytes) {
        TRY(mem_alloc(m, bytes, &to));
        memcpy(to, from, bytes);
    }
    memcpy(out, &to, sizeof to);
out:
    return err;
}

int mesh_copy_make(mem *m, const imp_mesh *of, mesh_copy *out)
{
    int err = IMP_OK;
    const size_t n = of->primitives;
    *out = (mesh_copy){of->vertices, of->primitives, (int)mesh_corners(of), NULL, NULL, NULL};
    TRY(mesh_copy_array(m, of->corner, mesh_corner_count(of) * sizeof *out->corner, &out->corner));
    TRY(mesh_copy_array(m, of->object, n * sizeof *out->object, &out->object));
    TRY(mesh_copy_array(m, of->corner_count, n * sizeof *out->corner_count, &out->corner_count));
out:
    return err;
}

void mesh_copy_free(mem *m, mesh_copy *t)
{
    mem_free(m, t->corner);
    mem_free(m, t->object);
    mem_free(m, t->corner_count);
    *t = (mesh_copy){0};
}

/* One thread alone does not read as fast as memory is. */
static int mesh_copy_same_bytes(const char *x, const char *y, size_t bytes, int threads)
{
    int differ = 0;
#pragma omp parallel num_threads(threads) if (bytes > PIECE)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) reduction(| : differ) nowait
    for (size_t at = 0; at < bytes; at += PIECE)
        differ |= memcmp(x + at, y + at, bytes - at < PIECE ? bytes - at : PIECE) != 0;
    return !differ;
}

/* Both are there, or none is. */
static int mesh_copy_same_array(const void *x, const void *y, size_t bytes, int threads)
{
    return !bytes || (x && y ? mesh_copy_same_bytes(x, y, bytes, threads) : x == y);
}

int mesh_copy_equal(const mesh_copy *t, const imp_mesh *with, int threads)
{
    const size_t n = t->primitives;
    return t->vertices == with->vertices && n == with->primitives &&
           t->corners == (int)mesh_corners(with) &&
           mesh_copy_same_array(t->corner, with->corner,
                                mesh_corner_count(with) * sizeof *t->corner, threads) &&
           mesh_copy_same_array(t->object, with->object, n * sizeof *t->object, threads) &&
           mesh_copy_same_array(t->corner_count, with->corner_count, n * sizeof *t->corner_count,
                                threads);
}
