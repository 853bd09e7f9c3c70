/* The cell arrays of a frame's primitives: the object of each, and its id. */
#include "store_batch.h"

#include "error.h"
#include "frame.h"
#include "object_set.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN 4096 /* numbers */

/* HDF5 converts every larger number of an unsigned type to INT64_MAX: those are read again, in
 * pieces, as there may be many of them. */
int batch_int64_read(const batch *b, const h5_data *d, uint64_t row, uint64_t n, uint64_t frame,
                     uint64_t cell, int64_t *out)
{
    int err = IMP_OK;
    uint64_t exactly[AGAIN], from = 0, end = 0;
    TRY(h5_data_read(d, row, n, H5T_NATIVE_INT64, out));
    for (uint64_t i = 0; i < n; i++) {
        if (out[i] != INT64_MAX)
            continue;
        if (i >= end) {
            from = i;
            end = n - i < AGAIN ? n : i + AGAIN;
            TRY(h5_data_read(d, row + from, end - from, H5T_NATIVE_UINT64, exactly));
        }
        if (exactly[i - from] > INT64_MAX)
            FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu has %llu, int64 is possible",
                 b->path, d->name, (unsigned long long)(cell + i), (unsigned long long)frame,
                 (unsigned long long)exactly[i - from]);
    }
out:
    return err;
}

/* ---- objects */

/* In chunks, so that the numbers are not in memory twice as a whole. */
int batch_objects_read(batch *b, uint64_t frame, uint64_t first, uint64_t count, int64_t *at,
                       int32_t *out)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    for (uint64_t done = 0; done < count; done += BATCH_CHUNK) {
        uint64_t n = count - done < BATCH_CHUNK ? count - done : BATCH_CHUNK;
        /* as int64: HDF5 would silently clamp other types to the range of int32 */
        TRY(h5_data_read(&b->in.object, s->object0 + first + done, n, H5T_NATIVE_INT64, at));
        for (uint64_t i = 0; i < n; i++) {
            if (at[i] < INT32_MIN || at[i] > INT32_MAX)
                FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu has %lld, outside int32",
                     b->path, b->in.object.name, (unsigned long long)(first + done + i),
                     (unsigned long long)frame, (long long)at[i]);
            out[done + i] = (int32_t)at[i];
        }
    }
out:
    return err;
}

int batch_mesh_read_objects(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    int64_t *at = NULL;
    if (b->objects.source == BATCH_CONNECTED || !b->objects.name[0])
        return IMP_OK;
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *at, &at));
    TRY(mem_alloc(b->mem, s->primitives * sizeof *m->object, &m->object));
    TRY(batch_objects_read(b, frame, 0, s->primitives, at, m->object));
out:
    mem_free(b->mem, at);
    return err;
}

/* Halves the way to the root each time: as good as flat after a few. */
uint32_t batch_component_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Bodies are the components connected by shared vertices, numbered as their first primitives come.
 */
static int connect_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    uint32_t n = m->mesh.vertices, bodies = 0;
    const uint32_t corners = mesh_corners(&m->mesh), *corner = m->corner;
    uint32_t *parent = NULL;
    int32_t *number = NULL;
    TRY(mem_alloc(b->mem, n * sizeof *parent, &parent));
    TRY(mem_alloc(b->mem, n * sizeof *number, &number));
    TRY(mem_alloc(b->mem, m->mesh.primitives * sizeof *m->object, &m->object));
    for (uint32_t v = 0; v < n; v++) {
        parent[v] = v;
        number[v] = -1;
    }
    for (size_t i = 0; i < m->mesh.primitives; i++)
        /* a triangle among tetrahedra repeats its last corner, which changes nothing here */
        for (uint32_t c = 1; c < corners; c++) {
            uint32_t r = batch_component_root(parent, corner[corners * i]);
            parent[batch_component_root(parent, corner[corners * i + c])] = r;
        }
    for (size_t i = 0; i < m->mesh.primitives; i++) {
        uint32_t r = batch_component_root(parent, corner[corners * i]);
        if (number[r] < 0)
            /* no more than primitives, at most INT32_MAX */
            number[r] = (int32_t)bodies++;
        m->object[i] = number[r];
    }
out:
    mem_free(b->mem, parent);
    mem_free(b->mem, number);
    return err;
}

/* The different numbers. */
static int batch_cells_list_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    static const int32_t none = 0;
    const size_t n = m->mesh.primitives;
    object_set set = {.mem = b->mem, .capacity = m->object ? n : 1};
    /* for the worst case: a list that grows would take more while it does */
    TRY(mem_alloc(b->mem, set.capacity * sizeof *set.id, &set.id));
    TRY(object_set_add(&set, m->object ? m->object : &none, m->object ? n : n > 0));
    object_set_end(&set);
    /* gives back the unused memory */
    TRY(mem_grow(b->mem, set.count * sizeof *set.id, set.count * sizeof *set.id, &set.id));
    m->objects = set.count;
    m->ids = set.id;
    set.id = NULL;
out:
    mem_free(b->mem, set.id);
    return err;
}

int batch_mesh_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    if (b->objects.source == BATCH_CONNECTED)
        TRY(connect_objects(b, m));
    TRY(batch_cells_list_objects(b, m));
    /* NULL if nothing names objects: then all primitives are object 0 */
    m->mesh.object = m->object;
out:
    return err;
}

int batch_frame_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count)
{
    int err = IMP_OK;
    batch_mesh *m;
    TRY(batch_mesh_get(b, frame, &m));
    *ids = m->ids;
    *count = m->objects;
    batch_mesh_release(m); /* the batch itself keeps it until the next one */
out:
    return err;
}
