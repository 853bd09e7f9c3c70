/* See batch_pieces.h. Chunks have a fixed number of cells, independent of the parts of a frame. */
#include "batch_pieces.h"

#include "batch.h"
#include "error.h"
#include "frame.h"
#include "store_partition.h"

#include <stdlib.h>
#include <string.h>

/* ---- chunks */

/* Counts the frame's ids before each chunk, if triangles and tetrahedra are mixed. */
static int count_ids(cell_chunks *p)
{
    int err = IMP_OK;
    uint64_t sum = 0;
    if (!p->shape.corner_count)
        return IMP_OK;
    TRY(mem_alloc(p->b->mem, p->count * sizeof *p->id0, &p->id0));
    for (uint64_t i = 0; i < p->shape.mesh.primitives; i++) {
        if (i % CHUNK_CELLS == 0)
            p->id0[i / CHUNK_CELLS] = sum;
        sum += p->shape.corner_count[i];
    }
out:
    return err;
}

static int check_parts(const cell_chunks *p)
{
    int err = IMP_OK;
    const batch_step *s = &p->b->step[p->frame];
    batch_part part = {.b = p->b, .frame = p->frame, .m = &p->shape, .at = p->at};
    for (part.number = s->part0; part.number < s->part0 + s->parts; part.number++) {
        TRY(batch_check_offsets(&part));
        part.cells += batch_part_cells(&part);
    }
out:
    return err;
}

int cell_chunks_open(batch *b, uint64_t frame, cell_chunks *p)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    *p = (cell_chunks){.b = b, .frame = frame};
    p->shape = (batch_mesh){.frame = frame, .mem = b->mem};
    p->shape.mesh.vertices = (uint32_t)s->vertices;
    p->shape.mesh.primitives = (uint32_t)s->primitives;
    p->count = (s->primitives + CHUNK_CELLS - 1) / CHUNK_CELLS;
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *p->at, &p->at));
    TRY(batch_types_read(b, frame, &p->shape));
    p->corners = mesh_corners(&p->shape.mesh);
    TRY(count_ids(p));
    TRY(check_parts(p));
    TRY(mem_alloc(b->mem, CHUNK_CELLS * p->corners * sizeof *p->corner, &p->corner));
    if (s->primitive_ghosts) {
        TRY(mem_alloc(b->mem, CHUNK_CELLS * sizeof *p->number, &p->number));
        TRY(mem_alloc(b->mem, CHUNK_CELLS, &p->ghost));
        TRY(mem_alloc(b->mem, CHUNK_CELLS, &p->corner_count_kept));
    }
out:
    if (err)
        cell_chunks_close(p);
    return err;
}

void cell_chunks_close(cell_chunks *p)
{
    if (!p->b)
        return;
    mem_free(p->b->mem, p->shape.corner_count);
    mem_free(p->b->mem, p->at);
    mem_free(p->b->mem, p->id0);
    mem_free(p->b->mem, p->corner);
    mem_free(p->b->mem, p->number);
    mem_free(p->b->mem, p->ghost);
    mem_free(p->b->mem, p->corner_count_kept);
    *p = (cell_chunks){0};
}

int cell_chunks_seek(cell_chunks *p, uint64_t chunk)
{
    int err = IMP_OK;
    const uint64_t left = p->shape.mesh.primitives - chunk * CHUNK_CELLS;
    p->first = chunk * CHUNK_CELLS;
    p->cells = p->all = left < CHUNK_CELLS ? left : CHUNK_CELLS;
    p->corner_count = p->shape.corner_count ? p->shape.corner_count + p->first : NULL;
    if (!p->number)
        return IMP_OK;
    p->cells = 0;
    TRY(batch_ghosts_read(p->b, p->frame, p->first, p->all, p->ghost));
    for (uint64_t i = 0; i < p->all; i++) {
        if (p->ghost[i])
            continue;
        p->corner_count_kept[p->cells] = p->corner_count ? p->corner_count[i] : 0;
        p->number[p->cells++] = (uint32_t)i;
    }
    p->corner_count = p->corner_count ? p->corner_count_kept : NULL;
out:
    return err;
}

/* Removes the rows of ghosts from rows of all cells of the chunk. */
static void cell_chunks_drop_ghosts(const cell_chunks *p, void *rows, size_t bytes)
{
    if (p->number)
        batch_select_rows(rows, bytes, p->number, p->cells);
}

/* A chunk may have cells of several parts, each with its own vertex numbers. */
int cell_chunks_read(cell_chunks *p, uint64_t chunk)
{
    int err = IMP_OK;
    batch *b = p->b;
    const batch_step *s = &b->step[p->frame];
    TRY(cell_chunks_seek(p, chunk));
    const uint64_t first = p->first, end = first + p->all;
    uint64_t id0 = s->id0 + (p->id0 ? p->id0[chunk] : p->corners * first);
    batch_part part = {.b = b, .frame = p->frame, .m = &p->shape, .at = p->at, .number = s->part0};
    for (; part.cells < end; part.number++) {
        const uint64_t cells = batch_part_cells(&part), stop = part.cells + cells;
        const uint64_t from = part.cells > first ? part.cells : first;
        const uint64_t to = stop < end ? stop : end;
        if (from < to)
            TRY(batch_corners_read(&part, from - part.cells, to - from, &id0,
                                   p->corner + p->corners * (from - first)));
        part.verts += (uint64_t)b->parts.points[part.number];
        part.cells = stop;
    }
    cell_chunks_drop_ghosts(p, p->corner, p->corners * sizeof *p->corner);
out:
    return err;
}

int cell_chunks_objects(cell_chunks *p, int32_t *out)
{
    int err = batch_objects_read(p->b, p->frame, p->first, p->all, p->at, out);
    cell_chunks_drop_ghosts(p, out, sizeof *out);
    return err;
}

static int cell_chunks_read_ids(cell_chunks *p, const h5_data *d, uint64_t row0, int64_t *out)
{
    int err = batch_int64_read(p->b, d, row0 + p->first, p->all, p->frame, p->first, out);
    cell_chunks_drop_ghosts(p, out, sizeof *out);
    return err;
}

int batch_pieces_ids(cell_chunks *p, int64_t *out)
{
    return cell_chunks_read_ids(p, &p->b->in.primitive, p->b->step[p->frame].primitive0, out);
}

int cell_chunks_source_ids(cell_chunks *p, int64_t *out)
{
    return cell_chunks_read_ids(p, &p->b->in.source, p->b->step[p->frame].source0, out);
}

int cell_chunks_thickness(cell_chunks *p, double *out)
{
    const int err = batch_thickness_read(p->b, p->frame, p->first, p->all, out);
    cell_chunks_drop_ghosts(p, out, sizeof *out);
    return err;
}

/* ---- two frames */

/* Reads a chunk of both frames, as small meshes. */
static int read_both(cell_chunks side[2], uint64_t chunk, int32_t *object, int64_t *id,
                     imp_mesh mesh[2])
{
    int err = IMP_OK;
    for (int k = 0; k < 2; k++) {
        cell_chunks *p = &side[k];
        const int has_object = p->b->objects.name[0] != 0, has_id = p->b->in.primitive.id >= 0;
        TRY(cell_chunks_read(p, chunk));
        if (has_object)
            TRY(cell_chunks_objects(p, object + (uint64_t)k * CHUNK_CELLS));
        if (has_id)
            TRY(batch_pieces_ids(p, id + (uint64_t)k * CHUNK_CELLS));
        mesh[k] = (imp_mesh){.vertices = p->shape.mesh.vertices,
                             .primitives = (uint32_t)p->cells,
                             .corner = p->corner,
                             .corners = (int)p->corners,
                             .corner_count = p->corner_count,
                             .object = has_object ? object + (uint64_t)k * CHUNK_CELLS : NULL,
                             .id = has_id ? id + (uint64_t)k * CHUNK_CELLS : NULL};
    }
out:
    return err;
}

/* Returns whether a difference has priority over the one found so far. Whole meshes are compared in
 * the order of batch_mesh_differs: vertices of primitives of any chunk before objects of any. */
static int cell_chunks_earlier_difference(const char *x, const char *y)
{
    static const char order[] = "von"; /* vertices of primitives, objects, ids */
    return !y || strchr(order, *x) < strchr(order, *y);
}

int batch_partition_meshes_differ(batch *b, uint64_t f, uint64_t g, const char **what)
{
    int err = IMP_OK;
    cell_chunks side[2] = {{0}, {0}};
    imp_mesh mesh[2];
    int32_t *object = NULL;
    int64_t *id = NULL;
    *what = NULL;
    if (batch_same_mesh(b, f, g))
        return IMP_OK;
    TRY(cell_chunks_open(b, f, &side[0]));
    TRY(cell_chunks_open(b, g, &side[1]));
    TRY(mem_alloc(b->mem, 2 * CHUNK_CELLS * sizeof *object, &object));
    TRY(mem_alloc(b->mem, 2 * CHUNK_CELLS * sizeof *id, &id));
    /* numbers of primitives and vertices, and kinds of primitives */
    const imp_mesh *x = &side[0].shape.mesh, *y = &side[1].shape.mesh;
    if (x->primitives != y->primitives || x->vertices != y->vertices || x->corners != y->corners ||
        !x->corner_count != !y->corner_count) {
        *what = batch_mesh_differs(x, y);
        *what = *what ? *what : "vertices of primitives";
        goto out;
    }
    for (uint64_t chunk = 0; chunk < side[0].count; chunk++) {
        TRY(read_both(side, chunk, object, id, mesh));
        const char *here = batch_mesh_differs(&mesh[0], &mesh[1]);
        if (here && cell_chunks_earlier_difference(here, *what))
            *what = here;
    }
out:
    cell_chunks_close(&side[0]);
    cell_chunks_close(&side[1]);
    mem_free(b->mem, object);
    mem_free(b->mem, id);
    return err;
}

/* ---- Ids of primitives: PrimitiveId. Those of a frame must be different, whether the frame is in
 * memory or is read in chunks. */

/* ---- sorting */

#define DIGIT_BITS 8
#define DIGITS (64 / DIGIT_BITS)
#define DIGIT_VALUES (1 << DIGIT_BITS)

/* Counts each value of each digit, in one pass for all digits, since each pass reads all ids from
 * memory. */
static void primitive_ids_count_digits(const uint64_t *id, uint64_t n,
                                       uint64_t count[DIGITS][DIGIT_VALUES])
{
    memset(count, 0, DIGITS * sizeof *count);
    for (uint64_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            count[d][id[i] >> d * DIGIT_BITS & (DIGIT_VALUES - 1)]++;
}

/* Sorts by one digit, stable; count[v] becomes the end of value v. */
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

/* Sorts n numbers, digit by digit, in a time that does not depend on their values; `other` has the
 * same size. Returns the array that holds the result. */
static uint64_t *primitive_ids_sort(uint64_t *id, uint64_t *other, uint64_t n)
{
    uint64_t count[DIGITS][DIGIT_VALUES];
    primitive_ids_count_digits(id, n, count);
    for (int d = 0; d < DIGITS; d++) {
        int shift = d * DIGIT_BITS;
        /* usually all numbers have the same upper digits */
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

/* For frames that are read in chunks, ids are compared within classes, by their remainder; a class
 * has about this many ids. */
#define CLASS_IDS ((uint64_t)1 << 20)

typedef struct id_walk {
    batch *b;
    uint64_t frame, all;    /* all: ids of the frame, in a file including those of ghosts */
    const batch_mesh *mesh; /* NULL if ids are not in memory */
    int64_t *read;          /* [CHUNK_CELLS] then used */
    uint8_t *ghost;         /* [CHUNK_CELLS]; NULL: no ghosts */
    uint64_t first, rows;   /* the current chunk of ids */
    uint64_t count;
    const int64_t *id; /* [count] without ids of ghosts */
    uint64_t classes, class, ids_read, capacity;
    uint64_t *key, *other; /* ids of the class: [capacity], [ids_read] */
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

/* Returns the frame's cell that id i of the chunk belongs to. */
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

/* Tests whether the ids ascend, as they mostly do; then they are different. */
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

/* Compares as unsigned: negative ids are last, which does not matter for finding equal ones. */
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

/* Sorting has lost the cells, so they are searched again; this happens only before an error. */
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

/* If the ids are in memory, there is also memory for a second list of all. */
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

static int int32_compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void object_set_end(object_set *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->id, s->count, sizeof *s->id, int32_compare);
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || s->id[i] != s->id[i - 1])
            s->id[kept++] = s->id[i];
    s->count = s->sorted = kept;
}

/* Neighbours mostly have the same object. A full list is sorted; it grows if that leaves it more
 * than half full. */
int object_set_add(object_set *s, const int32_t *object, size_t n)
{
    int err = IMP_OK;
    for (size_t i = 0; i < n; i++) {
        if (s->count && object[i] == s->id[s->count - 1])
            continue;
        if (s->count == s->capacity)
            object_set_end(s);
        if (s->count == s->capacity || (s->sorted == s->count && 2 * s->count > s->capacity)) {
            const size_t more = s->capacity ? 2 * s->capacity : 1024;
            TRY(mem_grow(s->mem, s->count * sizeof *s->id, more * sizeof *s->id, &s->id));
            s->capacity = more;
        }
        s->id[s->count++] = object[i];
    }
out:
    return err;
}
