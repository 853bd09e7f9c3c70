/* The cell arrays of a frame's primitives: the object of each, and its name. */
#include "store_batch.h"

#include "error.h"
#include "frame.h"

#include <stdlib.h>
#include <string.h>

/* ---- objects */

/* In pieces, so that the numbers are not in memory twice as a whole. */
int batch_objects_read(batch *b, uint64_t frame, uint64_t first, uint64_t count, int64_t *at,
                       int32_t *out)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    for (uint64_t done = 0; done < count; done += BATCH_PIECE) {
        uint64_t n = count - done < BATCH_PIECE ? count - done : BATCH_PIECE;
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

static int read_objects(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    int64_t *at = NULL;
    TRY(mem_alloc(b->mem, BATCH_PIECE * sizeof *at, &at));
    TRY(mem_alloc(b->mem, s->primitives * sizeof *m->object, &m->object));
    TRY(batch_objects_read(b, frame, 0, s->primitives, at, m->object));
out:
    mem_free(b->mem, at);
    return err;
}

/* Halves the way to the root each time: as good as flat after a few. */
uint32_t batch_root(uint32_t *parent, uint32_t v)
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
            uint32_t r = batch_root(parent, corner[corners * i]);
            parent[batch_root(parent, corner[corners * i + c])] = r;
        }
    for (size_t i = 0; i < m->mesh.primitives; i++) {
        uint32_t r = batch_root(parent, corner[corners * i]);
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

static int int32_compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The different numbers; neighbours mostly have the same one, so few remain to be sorted. The list
 * is made in place: m->objects is never more than the position that is read. */
static int list_objects(batch *b, batch_mesh *m)
{
    int err = IMP_OK;
    int32_t *seen = NULL;
    size_t n = m->mesh.primitives, kept = 0;
    TRY(mem_alloc(b->mem, (m->object ? n : 1) * sizeof *seen, &seen));
    for (size_t i = 0; m->object && i < n; i++)
        if (i == 0 || m->object[i] != m->object[i - 1])
            seen[kept++] = m->object[i];
    if (!m->object && n)
        seen[kept++] = 0;
    if (kept)
        qsort(seen, kept, sizeof *seen, int32_compare);
    for (size_t i = 0; i < kept; i++)
        if (i == 0 || seen[i] != seen[i - 1])
            seen[m->objects++] = seen[i];
    /* gives back the unused memory */
    TRY(mem_grow(b->mem, m->objects * sizeof *seen, m->objects * sizeof *seen, &seen));
    m->ids = seen;
    seen = NULL;
out:
    mem_free(b->mem, seen);
    return err;
}

int batch_mesh_objects(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    if (b->objects.source == BATCH_CONNECTED)
        TRY(connect_objects(b, m));
    else if (b->objects.name[0])
        TRY(read_objects(b, frame, m));
    TRY(list_objects(b, m));
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
    batch_mesh_put(m); /* the batch itself keeps it until the next one */
out:
    return err;
}

/* ---- names of primitives */

#define DIGIT_BITS 8
#define DIGITS (64 / DIGIT_BITS)
#define DIGIT_VALUES (1 << DIGIT_BITS)

/* Counts each value of each digit. One pass for all digits, since each pass would read all ids from
 * memory. */
static void count_digits(const uint64_t *id, uint64_t n, uint64_t count[DIGITS][DIGIT_VALUES])
{
    memset(count, 0, DIGITS * sizeof *count);
    for (uint64_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            count[d][id[i] >> d * DIGIT_BITS & (DIGIT_VALUES - 1)]++;
}

/* By one digit, stable; count[v] becomes where value v ends. */
static void sort_digit(const uint64_t *id, uint64_t n, int shift, uint64_t *count, uint64_t *out)
{
    uint64_t sum = 0;
    for (int v = 0; v < DIGIT_VALUES; v++) {
        uint64_t here = count[v];
        count[v] = sum;
        sum += here;
    }
    for (uint64_t i = 0; i < n; i++)
        out[count[id[i] >> shift & (DIGIT_VALUES - 1)]++] = id[i];
}

/* Sorts n numbers, digit by digit, in a time that does not depend on them; `other` has the same
 * size. Returns the array that holds the result. */
uint64_t *batch_sort_ids(uint64_t *id, uint64_t *other, uint64_t n)
{
    uint64_t count[DIGITS][DIGIT_VALUES];
    count_digits(id, n, count);
    for (int d = 0; d < DIGITS; d++) {
        int shift = d * DIGIT_BITS;
        /* mostly the upper digits of all are the same */
        if (!n || count[d][id[0] >> shift & (DIGIT_VALUES - 1)] == n)
            continue;
        sort_digit(id, n, shift, count[d], other);
        uint64_t *sorted = other;
        other = id;
        id = sorted;
    }
    return id;
}

/* Sorting has lost the cells, so they are searched; this happens only before an error. */
static int repeated_fail(const batch *b, uint64_t frame, const imp_mesh *m, int64_t name)
{
    unsigned long long cell[2] = {0};
    int found = 0;
    for (uint32_t i = 0; i < m->primitives && found < 2; i++)
        if (m->name[i] == name)
            cell[found++] = i;
    return imp_fail(IMP_ERR_INPUT, "%s: %s: cells %llu and %llu of frame %llu are both named %lld",
                    b->path, b->in.primitive.name, cell[0], cell[1], (unsigned long long)frame,
                    (long long)name);
}

/* Names mostly ascend, and then are different: sorting is skipped. */
static int ascending(const int64_t *name, uint64_t n)
{
    uint64_t i = 1;
    while (i < n && name[i - 1] < name[i])
        i++;
    return i >= n;
}

/* HDF5 converts every larger number of an unsigned type to INT64_MAX. So only where that occurs
 * names are read again, as uint64. */
static int large_check(batch *b, uint64_t frame, const batch_mesh *m)
{
    int err = IMP_OK;
    const uint64_t n = m->mesh.primitives;
    uint64_t i = 0, *id = NULL;
    while (i < n && m->name[i] != INT64_MAX)
        i++;
    if (i == n)
        return IMP_OK;
    TRY(mem_alloc(b->mem, n * sizeof *id, &id));
    TRY(h5_data_read(&b->in.primitive, b->step[frame].primitive0, n, H5T_NATIVE_UINT64, id));
    for (; i < n; i++)
        if (m->name[i] == INT64_MAX && id[i] > INT64_MAX)
            FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu is named %llu, int64 is possible",
                 b->path, b->in.primitive.name, (unsigned long long)i, (unsigned long long)frame,
                 (unsigned long long)id[i]);
out:
    mem_free(b->mem, id);
    return err;
}

int batch_mesh_primitive_ids(batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const uint64_t n = m->mesh.primitives;
    uint64_t *id = NULL, *other = NULL;
    TRY(mem_alloc(b->mem, n * sizeof *m->name, &m->name));
    m->mesh.name = m->name;
    TRY(h5_data_read(&b->in.primitive, b->step[frame].primitive0, n, H5T_NATIVE_INT64, m->name));
    TRY(large_check(b, frame, m));
    if (ascending(m->name, n))
        goto out;
    TRY(mem_alloc(b->mem, n * sizeof *id, &id));
    TRY(mem_alloc(b->mem, n * sizeof *other, &other));
    /* as unsigned: negative names come last, which does not matter for finding equal ones */
    memcpy(id, m->name, n * sizeof *id);
    const uint64_t *sorted = batch_sort_ids(id, other, n);
    for (uint64_t i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1])
            TRY(repeated_fail(b, frame, &m->mesh, (int64_t)sorted[i]));
out:
    mem_free(b->mem, id);
    mem_free(b->mem, other);
    return err;
}
