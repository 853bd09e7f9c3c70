/* Names of primitives: PrimitiveId. Those of a frame must be different ones, whether the frame is
 * in memory or is read in chunks. */
#include "store_pieces.h"

#include "error.h"

#include <string.h>

/* ---- sorting */

#define DIGIT_BITS 8
#define DIGITS (64 / DIGIT_BITS)
#define DIGIT_VALUES (1 << DIGIT_BITS)

/* Counts each value of each digit. One pass for all digits, since each pass would read all ids from
 * memory. */
static void primitive_ids_count_digits(const uint64_t *id, uint64_t n,
                                       uint64_t count[DIGITS][DIGIT_VALUES])
{
    memset(count, 0, DIGITS * sizeof *count);
    for (uint64_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            count[d][id[i] >> d * DIGIT_BITS & (DIGIT_VALUES - 1)]++;
}

/* By one digit, stable; count[v] becomes where value v ends. */
static void primitive_ids_sort_digit(const uint64_t *id, uint64_t n, int shift, uint64_t *count,
                                     uint64_t *out)
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
static uint64_t *primitive_ids_sort(uint64_t *id, uint64_t *other, uint64_t n)
{
    uint64_t count[DIGITS][DIGIT_VALUES];
    primitive_ids_count_digits(id, n, count);
    for (int d = 0; d < DIGITS; d++) {
        int shift = d * DIGIT_BITS;
        /* mostly the upper digits of all are the same */
        if (!n || count[d][id[0] >> shift & (DIGIT_VALUES - 1)] == n)
            continue;
        primitive_ids_sort_digit(id, n, shift, count[d], other);
        uint64_t *sorted = other;
        other = id;
        id = sorted;
    }
    return id;
}

/* ---- the check */

/* Of frames that are read in chunks, ids are compared class by class: by their remainder, a class
 * has about this many. */
#define CLASS_IDS ((uint64_t)1 << 20)

typedef struct id_walk {
    batch *b;
    uint64_t frame, all;    /* ids; of a file also those of ghosts */
    const batch_mesh *mesh; /* NULL if ids are not in memory */
    int64_t *read;          /* [CHUNK_CELLS] then */
    uint8_t *ghost;         /* [CHUNK_CELLS] NULL: there is none */
    uint64_t first, rows;   /* a chunk of them */
    uint64_t count;
    const int64_t *id; /* [count] without those of ghosts */
    uint64_t classes, class, ids_read, capacity;
    uint64_t *key, *other; /* [capacity], [taken] of the class */
} id_walk;

static void primitive_ids_drop_ghosts(id_walk *n)
{
    n->count = 0;
    for (uint64_t i = 0; i < n->rows; i++)
        if (!n->ghost[i])
            n->read[n->count++] = n->read[i];
}

static int primitive_ids_next_chunk(id_walk *n)
{
    int err = IMP_OK;
    const batch *b = n->b;
    const uint64_t left = n->all - n->first;
    n->rows = n->count = n->mesh || left < CHUNK_CELLS ? left : CHUNK_CELLS;
    n->id = n->mesh ? n->mesh->id : n->read;
    if (n->mesh)
        return IMP_OK;
    TRY(batch_int64_read(b, &b->in.primitive, b->step[n->frame].primitive0 + n->first, n->rows,
                         n->frame, n->first, n->read));
    if (n->ghost) {
        TRY(batch_ghosts_read(b, n->frame, n->first, n->rows, n->ghost));
        primitive_ids_drop_ghosts(n);
    }
out:
    return err;
}

/* The cell of the frame that id i of the chunk is of. */
static uint64_t primitive_ids_cell(const id_walk *n, uint64_t i)
{
    uint64_t cell = 0;
    if (n->mesh)
        return n->mesh->slab.number ? n->mesh->slab.number[i] : i;
    if (!n->ghost)
        return n->first + i;
    for (;; cell++)
        if (!n->ghost[cell] && !i--)
            return n->first + cell;
}

/* Ids mostly ascend, and then are different. */
static int look_at_ids(id_walk *n, int *ascend)
{
    int err = IMP_OK;
    int64_t last = INT64_MIN;
    int first = 1;
    *ascend = 1;
    for (n->first = 0; n->first < n->all; n->first += n->rows) {
        TRY(primitive_ids_next_chunk(n));
        for (uint64_t i = 0; i < n->count; i++) {
            *ascend &= first || n->id[i] > last;
            last = n->id[i];
            first = 0;
        }
    }
out:
    return err;
}

/* As unsigned: negative ids come last, which does not matter for finding equal ones. */
static int primitive_ids_add_to_class(id_walk *n)
{
    int err = IMP_OK;
    for (uint64_t i = 0; i < n->count; i++) {
        if (n->classes > 1 && (uint64_t)n->id[i] % n->classes != n->class)
            continue;
        if (n->ids_read == n->capacity) {
            const uint64_t more = 2 * n->capacity;
            TRY(mem_grow(n->b->mem, n->ids_read * sizeof *n->key, more * sizeof *n->key, &n->key));
            n->capacity = more;
        }
        n->key[n->ids_read++] = (uint64_t)n->id[i];
    }
out:
    return err;
}

/* Sorting has lost the cells, so they are searched; this happens only before an error. */
static int primitive_ids_fail_repeated(id_walk *n, int64_t id)
{
    int err = IMP_OK;
    const batch *b = n->b;
    unsigned long long cell[2] = {0};
    int found = 0;
    for (n->first = 0; n->first < n->all && found < 2; n->first += n->rows) {
        TRY(primitive_ids_next_chunk(n));
        for (uint64_t i = 0; i < n->count && found < 2; i++)
            if (n->id[i] == id)
                cell[found++] = primitive_ids_cell(n, i);
    }
    FAIL(IMP_ERR_INPUT, "%s: %s: cells %llu and %llu of frame %llu are both named %lld", b->path,
         b->in.primitive.name, cell[0], cell[1], (unsigned long long)n->frame, (long long)id);
out:
    return err;
}

static int primitive_ids_check_class(id_walk *n)
{
    int err = IMP_OK;
    mem *m = n->b->mem;
    n->ids_read = 0;
    for (n->first = 0; n->first < n->all; n->first += n->rows) {
        TRY(primitive_ids_next_chunk(n));
        TRY(primitive_ids_add_to_class(n));
    }
    TRY(mem_alloc(m, n->ids_read * sizeof *n->other, &n->other));
    const uint64_t *sorted = primitive_ids_sort(n->key, n->other, n->ids_read);
    for (uint64_t i = 1; i < n->ids_read; i++)
        if (sorted[i] == sorted[i - 1])
            TRY(primitive_ids_fail_repeated(n, (int64_t)sorted[i]));
out:
    mem_free(m, n->other);
    n->other = NULL;
    return err;
}

/* Where ids are in memory there is memory for a second list of all. */
static int primitive_ids_check_unique(id_walk *n)
{
    int err = IMP_OK, ascend;
    mem *m = n->b->mem;
    n->classes = n->mesh ? 1 : n->all / CLASS_IDS + 1;
    TRY(look_at_ids(n, &ascend));
    if (ascend)
        goto out;
    n->capacity = n->classes == 1 ? n->all : CLASS_IDS;
    TRY(mem_alloc(m, n->capacity * sizeof *n->key, &n->key));
    for (; n->class < n->classes; n->class ++)
        TRY(primitive_ids_check_class(n));
out:
    mem_free(m, n->key);
    return err;
}

int batch_check_ids(batch *b, uint64_t frame)
{
    int err = IMP_OK;
    id_walk n = {.b = b, .frame = frame, .all = b->step[frame].primitives};
    TRY(mem_alloc(b->mem, CHUNK_CELLS * sizeof *n.read, &n.read));
    if (b->step[frame].primitive_ghosts)
        TRY(mem_alloc(b->mem, CHUNK_CELLS, &n.ghost));
    TRY(primitive_ids_check_unique(&n));
out:
    mem_free(b->mem, n.read);
    mem_free(b->mem, n.ghost);
    return err;
}

int batch_check_mesh_ids(batch *b, const batch_mesh *m)
{
    id_walk n = {.b = b, .frame = m->frame, .all = m->mesh.primitives, .mesh = m};
    return primitive_ids_check_unique(&n);
}
