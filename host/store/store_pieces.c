/* See store_pieces.h. Pieces have a fixed number of cells, whatever the parts of a frame are. */
#include "store_pieces.h"

#include "error.h"
#include "frame.h"

#include <stdlib.h>
#include <string.h>

/* ---- the walk */

/* Ids of the frame before each piece, where triangles and tetrahedra are mixed. */
static int count_ids(batch_pieces *p)
{
    int err = IMP_OK;
    uint64_t sum = 0;
    if (!p->shape.own)
        return IMP_OK;
    TRY(mem_alloc(p->b->mem, p->count * sizeof *p->id0, &p->id0));
    for (uint64_t i = 0; i < p->shape.mesh.primitives; i++) {
        if (i % PIECE_CELLS == 0)
            p->id0[i / PIECE_CELLS] = sum;
        sum += p->shape.own[i];
    }
out:
    return err;
}

static int check_parts(const batch_pieces *p)
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

int batch_pieces_open(batch *b, uint64_t frame, batch_pieces *p)
{
    int err = IMP_OK;
    const batch_step *s = &b->step[frame];
    *p = (batch_pieces){.b = b, .frame = frame};
    p->shape = (batch_mesh){.frame = frame, .mem = b->mem};
    p->shape.mesh.vertices = (uint32_t)s->vertices;
    p->shape.mesh.primitives = (uint32_t)s->primitives;
    p->count = (s->primitives + PIECE_CELLS - 1) / PIECE_CELLS;
    TRY(mem_alloc(b->mem, BATCH_PIECE * sizeof *p->at, &p->at));
    TRY(batch_types_read(b, frame, &p->shape));
    p->corners = mesh_corners(&p->shape.mesh);
    TRY(count_ids(p));
    TRY(check_parts(p));
    TRY(mem_alloc(b->mem, PIECE_CELLS * p->corners * sizeof *p->corner, &p->corner));
out:
    if (err)
        batch_pieces_close(p);
    return err;
}

void batch_pieces_close(batch_pieces *p)
{
    if (!p->b)
        return;
    mem_free(p->b->mem, p->shape.own);
    mem_free(p->b->mem, p->at);
    mem_free(p->b->mem, p->id0);
    mem_free(p->b->mem, p->corner);
    *p = (batch_pieces){0};
}

/* A piece may have cells of several parts, whose vertices have numbers of their own. */
int batch_pieces_read(batch_pieces *p, uint64_t piece)
{
    int err = IMP_OK;
    batch *b = p->b;
    const batch_step *s = &b->step[p->frame];
    const uint64_t first = piece * PIECE_CELLS, left = s->primitives - first;
    const uint64_t end = first + (left < PIECE_CELLS ? left : PIECE_CELLS);
    uint64_t id0 = s->id0 + (p->id0 ? p->id0[piece] : p->corners * first);
    batch_part part = {.b = b, .frame = p->frame, .m = &p->shape, .at = p->at, .number = s->part0};
    p->first = first;
    p->cells = end - first;
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
out:
    return err;
}

int batch_pieces_objects(batch_pieces *p, int32_t *out)
{
    return batch_objects_read(p->b, p->frame, p->first, p->cells, p->at, out);
}

int batch_pieces_names(batch_pieces *p, int64_t *out)
{
    const batch *b = p->b;
    return h5_data_read(&b->in.primitive, b->step[p->frame].primitive0 + p->first, p->cells,
                        H5T_NATIVE_INT64, out);
}

/* ---- names */

/* Names are compared class by class: by their remainder, a class has about this many. */
#define CLASS_NAMES ((uint64_t)1 << 20)

typedef struct name_walk {
    batch_pieces *p;
    uint64_t classes, class, count, capacity;
    uint64_t *id, *other; /* [capacity] of the class */
    int64_t *piece;       /* [PIECE_CELLS] */
} name_walk;

/* Reads the names of a piece, also of one whose corners are not needed. */
static int read_names(name_walk *n, uint64_t piece)
{
    const uint64_t all = n->p->shape.mesh.primitives, first = piece * PIECE_CELLS;
    n->p->first = first;
    n->p->cells = all - first < PIECE_CELLS ? all - first : PIECE_CELLS;
    return batch_pieces_names(n->p, n->piece);
}

/* HDF5 converts every larger number of an unsigned type to INT64_MAX: those are read again. */
static int check_large(const name_walk *n)
{
    int err = IMP_OK;
    const batch *b = n->p->b;
    for (uint64_t i = 0; i < n->p->cells; i++) {
        uint64_t exactly = 0;
        if (n->piece[i] != INT64_MAX)
            continue;
        TRY(h5_data_read(&b->in.primitive, b->step[n->p->frame].primitive0 + n->p->first + i, 1,
                         H5T_NATIVE_UINT64, &exactly));
        if (exactly > INT64_MAX)
            FAIL(IMP_ERR_INPUT, "%s: %s: cell %llu of frame %llu is named %llu, int64 is possible",
                 b->path, b->in.primitive.name, (unsigned long long)(n->p->first + i),
                 (unsigned long long)n->p->frame, (unsigned long long)exactly);
    }
out:
    return err;
}

/* Names mostly ascend, and then are different. */
static int look_at_names(name_walk *n, int *ascend)
{
    int err = IMP_OK;
    int64_t last = INT64_MIN;
    *ascend = 1;
    for (uint64_t piece = 0; piece < n->p->count; piece++) {
        TRY(read_names(n, piece));
        TRY(check_large(n));
        for (uint64_t i = 0; i < n->p->cells; i++) {
            *ascend &= (piece == 0 && i == 0) || n->piece[i] > last;
            last = n->piece[i];
        }
    }
out:
    return err;
}

static int add_to_class(name_walk *n)
{
    int err = IMP_OK;
    for (uint64_t i = 0; i < n->p->cells; i++) {
        if ((uint64_t)n->piece[i] % n->classes != n->class)
            continue;
        if (n->count == n->capacity) {
            const uint64_t more = n->capacity ? 2 * n->capacity : CLASS_NAMES;
            TRY(mem_grow(n->p->b->mem, n->count * sizeof *n->id, more * sizeof *n->id, &n->id));
            n->capacity = more;
        }
        n->id[n->count++] = (uint64_t)n->piece[i];
    }
out:
    return err;
}

/* Sorting has lost the cells, so they are searched; this happens only before an error. */
static int repeated_fail(name_walk *n, int64_t name)
{
    int err = IMP_OK;
    const batch *b = n->p->b;
    unsigned long long cell[2] = {0};
    int found = 0;
    for (uint64_t piece = 0; piece < n->p->count && found < 2; piece++) {
        TRY(read_names(n, piece));
        for (uint64_t i = 0; i < n->p->cells && found < 2; i++)
            if (n->piece[i] == name)
                cell[found++] = n->p->first + i;
    }
    FAIL(IMP_ERR_INPUT, "%s: %s: cells %llu and %llu of frame %llu are both named %lld", b->path,
         b->in.primitive.name, cell[0], cell[1], (unsigned long long)n->p->frame, (long long)name);
out:
    return err;
}

static int check_class(name_walk *n)
{
    int err = IMP_OK;
    mem *m = n->p->b->mem;
    n->count = 0;
    for (uint64_t piece = 0; piece < n->p->count; piece++) {
        TRY(read_names(n, piece));
        TRY(add_to_class(n));
    }
    TRY(mem_alloc(m, n->count * sizeof *n->other, &n->other));
    const uint64_t *sorted = batch_sort_ids(n->id, n->other, n->count);
    for (uint64_t i = 1; i < n->count; i++)
        if (sorted[i] == sorted[i - 1])
            TRY(repeated_fail(n, (int64_t)sorted[i]));
out:
    mem_free(m, n->other);
    n->other = NULL;
    return err;
}

int batch_pieces_check_names(batch_pieces *p)
{
    int err = IMP_OK, ascend;
    name_walk n = {.p = p, .classes = p->shape.mesh.primitives / CLASS_NAMES + 1};
    TRY(mem_alloc(p->b->mem, PIECE_CELLS * sizeof *n.piece, &n.piece));
    TRY(look_at_names(&n, &ascend));
    for (; !ascend && n.class < n.classes; n.class ++)
        TRY(check_class(&n));
out:
    mem_free(p->b->mem, n.id);
    mem_free(p->b->mem, n.piece);
    return err;
}

/* ---- two frames */

/* A piece of both, as small meshes. */
static int read_both(batch_pieces side[2], uint64_t piece, int32_t *object, int64_t *name,
                     imp_mesh mesh[2])
{
    int err = IMP_OK;
    for (int k = 0; k < 2; k++) {
        batch_pieces *p = &side[k];
        const int has_object = p->b->objects.name[0] != 0, has_name = p->b->in.primitive.id >= 0;
        TRY(batch_pieces_read(p, piece));
        if (has_object)
            TRY(batch_pieces_objects(p, object + (uint64_t)k * PIECE_CELLS));
        if (has_name)
            TRY(batch_pieces_names(p, name + (uint64_t)k * PIECE_CELLS));
        mesh[k] = (imp_mesh){.vertices = p->shape.mesh.vertices,
                             .primitives = (uint32_t)p->cells,
                             .corner = p->corner,
                             .corners = (int)p->corners,
                             .own = batch_pieces_own(p),
                             .object = has_object ? object + (uint64_t)k * PIECE_CELLS : NULL,
                             .name = has_name ? name + (uint64_t)k * PIECE_CELLS : NULL};
    }
out:
    return err;
}

/* What whole meshes differ in first is what batch_mesh_differs asks first: vertices of primitives
 * of any piece before objects of any. */
static int earlier(const char *x, const char *y)
{
    static const char order[] = "von"; /* vertices of primitives, objects, names */
    return !y || strchr(order, *x) < strchr(order, *y);
}

int batch_pieces_differ(batch *b, uint64_t f, uint64_t g, const char **what)
{
    int err = IMP_OK;
    batch_pieces side[2] = {{0}, {0}};
    imp_mesh mesh[2];
    int32_t *object = NULL;
    int64_t *name = NULL;
    *what = NULL;
    TRY(batch_pieces_open(b, f, &side[0]));
    TRY(batch_pieces_open(b, g, &side[1]));
    TRY(mem_alloc(b->mem, 2 * PIECE_CELLS * sizeof *object, &object));
    TRY(mem_alloc(b->mem, 2 * PIECE_CELLS * sizeof *name, &name));
    /* numbers of primitives, of vertices, and kinds */
    const imp_mesh *x = &side[0].shape.mesh, *y = &side[1].shape.mesh;
    if (x->primitives != y->primitives || x->vertices != y->vertices || x->corners != y->corners ||
        !x->own != !y->own) {
        *what = batch_mesh_differs(x, y);
        *what = *what ? *what : "vertices of primitives";
        goto out;
    }
    for (uint64_t piece = 0; piece < side[0].count; piece++) {
        TRY(read_both(side, piece, object, name, mesh));
        const char *here = batch_mesh_differs(&mesh[0], &mesh[1]);
        if (here && earlier(here, *what))
            *what = here;
    }
out:
    batch_pieces_close(&side[0]);
    batch_pieces_close(&side[1]);
    mem_free(b->mem, object);
    mem_free(b->mem, name);
    return err;
}

/* ---- numbers of objects */

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

/* Neighbours mostly have the same one. A full list is sorted; it grows where that leaves it more
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
