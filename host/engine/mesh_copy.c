/* See mesh_copy.h. */
#include "mesh_copy.h"

#include "error.h"
#include "frame.h"

#include <string.h>

static int copy(mem *m, const void *from, size_t bytes, void *out)
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
    TRY(copy(m, of->corner, mesh_corner_count(of) * sizeof *out->corner, &out->corner));
    TRY(copy(m, of->object, n * sizeof *out->object, &out->object));
    TRY(copy(m, of->own, n * sizeof *out->own, &out->own));
out:
    return err;
}

void mesh_copy_free(mem *m, mesh_copy *t)
{
    mem_free(m, t->corner);
    mem_free(m, t->object);
    mem_free(m, t->own);
    *t = (mesh_copy){0};
}

/* Both are there, or none is. */
static int same(const void *x, const void *y, size_t bytes)
{
    return !bytes || (x && y ? !memcmp(x, y, bytes) : x == y);
}

int mesh_copy_equal(const mesh_copy *t, const imp_mesh *with)
{
    const size_t n = t->primitives;
    return t->vertices == with->vertices && n == with->primitives &&
           t->corners == (int)mesh_corners(with) &&
           same(t->corner, with->corner, mesh_corner_count(with) * sizeof *t->corner) &&
           same(t->object, with->object, n * sizeof *t->object) &&
           same(t->own, with->own, n * sizeof *t->own);
}
