/* See closed.h: an object is not closed if the directed uses of an edge of its triangles do not
 * cancel. Most meshes list neighbours one after another: there most uses meet the opposite one in
 * a small table, and only what that leaves is sorted. */
#include "closed.h"

#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <stdlib.h>
#include <string.h>

/* Directed uses of edges, from << 32 | to. */
typedef struct closed_left {
    uint64_t *use;
    size_t count, capacity;
} closed_left;

/* The work of a thread: a share of an object's spans, and then of the edges that those of all its
 * pieces leave. The pieces of an object are neighbours. */
typedef struct closed_piece {
    uint32_t place, piece, pieces;
    closed_left left;
} closed_piece;

/* ---- What a table leaves */

#define CLOSED_SLOTS_BITS 12 /* 32 KiB: a table stays in the nearest cache */

/* Its slots are chosen by both ends of an edge; one holds a use, or 0. A use that finds the
 * opposite one cancels it; one that finds another edge takes its slot, and that one is left. */
typedef struct closed_table {
    uint64_t slot[1 << CLOSED_SLOTS_BITS];
    int bits; /* of the number of slots in use */
} closed_table;

static inline uint32_t closed_slot(int bits, uint32_t v, uint32_t w)
{
    return ((v ^ w) * 0x9e3779b1 + (v + w) * 0x85ebca6b) >> (32 - bits);
}

/* Adds a span's edges. There is room for what is left. Without branches: they are hard to
 * foresee. */
static inline void closed_cancel_span(const closed_mesh *c, const closed_span *s, closed_table *t,
                                      closed_left *out)
{
    const imp_mesh m = *c->frame->mesh;
    const uint32_t *prim = c->prim;
    uint64_t *left = out->use;
    size_t count = out->count;
    const int bits = t->bits;
    for (uint32_t i = s->first; i < s->last; i++) {
        const uint32_t p = prim[i];
        if (mesh_corners_of(&m, p) == (uint32_t)IMP_TETRAHEDRA)
            continue;
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t v = mesh_vertex(&m, p, k), w = mesh_vertex(&m, p, k == 2 ? 0 : k + 1);
            uint64_t *slot = &t->slot[closed_slot(bits, v, w)];
            const uint64_t before = *slot;
            const int cancels = before == ((uint64_t)w << 32 | v);
            if (v == w)
                continue;
            left[count] = before;
            count += (before != 0) & !cancels;
            *slot = cancels ? 0 : (uint64_t)v << 32 | w;
        }
    }
    out->count = count;
}

static int closed_left_room(mem *m, closed_left *l, size_t more)
{
    int err = IMP_OK;
    const size_t n = l->count + more;
    if (n <= l->capacity)
        return IMP_OK;
    TRY(mem_grow(m, l->count * sizeof *l->use, 2 * n * sizeof *l->use, &l->use));
    l->capacity = 2 * n;
out:
    return err;
}

/* Cancels uses of the edges of a piece. The table is empty before and after. */
static int closed_cancel_piece(mem *m, const closed_mesh *c, closed_piece *p, closed_table *t)
{
    int err = IMP_OK;
    const closed_object *o = &c->of[p->place];
    const uint64_t first = o->span + (uint64_t)o->spans * p->piece / p->pieces,
                   last = o->span + (uint64_t)o->spans * (p->piece + 1) / p->pieces;
    t->bits = 1;
    while (t->bits < CLOSED_SLOTS_BITS && (last - first) * CLOSED_SPAN >> t->bits)
        t->bits++;
    const size_t slots = (size_t)1 << t->bits;
    for (uint64_t i = first; i < last; i++) {
        TRY(closed_left_room(m, &p->left, (size_t)3 * CLOSED_SPAN + slots + 1));
        closed_cancel_span(c, &c->span[i], t, &p->left);
    }
    for (size_t i = 0; i < slots && p->left.use; i++) {
        p->left.use[p->left.count] = t->slot[i];
        p->left.count += t->slot[i] != 0;
        t->slot[i] = 0;
    }
out:
    return err;
}

/* ---- The edges of what is left */

/* Some of the edges that are left of an object, in bins. Numbers of bins ascend with the least
 * vertex of an edge. */
typedef struct closed_edges {
    const closed_piece *of; /* [pieces] all pieces of the object */
    uint32_t pieces, least;
    uint64_t factor;       /* of the bins' numbers: a fixed-point number of 32 binary places */
    uint64_t begin, count; /* the bins */
    /* [2 count] the ends of the lists of each bin: uses in the direction from the least vertex,
     * then those to it */
    size_t *end;
    uint64_t *use; /* least << 32 | other vertex */
} closed_edges;

/* Chooses the bins of a piece. */
static void closed_edges_of(const closed_mesh *c, const closed_piece *p, closed_edges *e)
{
    const closed_object *o = &c->of[p->place];
    uint32_t least = UINT32_MAX, greatest = 0;
    uint64_t uses = 0;
    for (uint32_t i = o->span; i < o->span + o->spans; i++) {
        const closed_span *s = &c->span[i];
        least = s->least < least ? s->least : least;
        greatest = s->greatest > greatest ? s->greatest : greatest;
    }
    *e = (closed_edges){.of = p - p->piece, .pieces = p->pieces, .least = least};
    for (uint32_t i = 0; i < e->pieces; i++)
        uses += e->of[i].left.count;
    const uint64_t range = (uint64_t)greatest - least + 1, bins = range < uses ? range : uses;
    e->factor = (bins << 32) / range;
    e->begin = bins * p->piece / p->pieces;
    e->count = bins * (p->piece + 1) / p->pieces - e->begin;
}

/* Counts the uses in these bins; put: lists them. */
static inline void closed_edges_fill(const closed_edges *edges, int put)
{
    const closed_edges e = *edges;
    for (uint32_t k = 0; k < e.pieces; k++)
        for (size_t i = 0; i < e.of[k].left.count; i++) {
            const uint64_t use = e.of[k].left.use[i];
            const uint32_t v = (uint32_t)(use >> 32), w = (uint32_t)use;
            const uint64_t least = v < w ? v : w;
            /* before `begin` it is a number too large */
            const uint64_t bin = ((least - e.least) * e.factor >> 32) - e.begin;
            if (bin >= e.count)
                continue;
            size_t *end = &e.end[2 * bin + (v > w)];
            if (put)
                e.use[*end] = least << 32 | (v < w ? w : v);
            ++*end;
        }
}

#define CLOSED_FEW 4 /* uses that are sorted without branches, and read at once */

static int closed_edges_make(mem *m, closed_edges *e)
{
    int err = IMP_OK;
    const size_t lists = 2 * e->count;
    size_t sum = 0;
    TRY(mem_alloc(m, lists * sizeof *e->end, &e->end));
    memset(e->end, 0, lists * sizeof *e->end);
    closed_edges_fill(e, 0);
    for (size_t i = 0; i < lists; i++) {
        const size_t n = e->end[i];
        e->end[i] = sum;
        sum += n;
    }
    TRY(mem_alloc(m, (sum + CLOSED_FEW) * sizeof *e->use, &e->use));
    memset(e->use + sum, 0, CLOSED_FEW * sizeof *e->use);
    closed_edges_fill(e, 1);
out:
    return err;
}

static int closed_edge_order(const void *p, const void *q)
{
    const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

static inline void closed_swap(uint64_t *x, uint64_t *y)
{
    const uint64_t less = *x < *y ? *x : *y, more = *x < *y ? *y : *x;
    *x = less;
    *y = more;
}

static inline void closed_sort_few(const uint64_t *use, size_t n, uint64_t out[CLOSED_FEW])
{
    for (size_t k = 0; k < CLOSED_FEW; k++) {
        const uint64_t now = use[k];
        out[k] = k < n ? now : UINT64_MAX;
    }
    closed_swap(&out[0], &out[1]);
    closed_swap(&out[2], &out[3]);
    closed_swap(&out[0], &out[2]);
    closed_swap(&out[1], &out[3]);
    closed_swap(&out[1], &out[2]);
}

/* The first of a bin's edges whose uses do not cancel; UINT64_MAX: there is none. */
static uint64_t closed_bin_open(const closed_edges *e, size_t bin)
{
    uint64_t *ahead = e->use + (bin ? e->end[2 * bin - 1] : 0), *behind = e->use + e->end[2 * bin];
    const size_t n = (size_t)(behind - ahead), m = e->end[2 * bin + 1] - e->end[2 * bin];
    if (n == m && n <= CLOSED_FEW) {
        uint64_t x[CLOSED_FEW], y[CLOSED_FEW];
        closed_sort_few(ahead, n, x);
        closed_sort_few(behind, n, y);
        if (!((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])))
            return UINT64_MAX;
    }
    qsort(ahead, n, sizeof *ahead, closed_edge_order);
    qsort(behind, m, sizeof *behind, closed_edge_order);
    size_t i = 0;
    while (i < n && i < m && ahead[i] == behind[i])
        i++;
    const uint64_t x = i < n ? ahead[i] : UINT64_MAX, y = i < m ? behind[i] : UINT64_MAX;
    return x < y ? x : y;
}

/* The first of a piece's edges whose uses do not cancel, by the least vertex; UINT64_MAX: there is
 * none. */
static int closed_first_open(mem *m, const closed_mesh *c, const closed_piece *p, uint64_t *open)
{
    int err = IMP_OK;
    closed_edges e;
    closed_edges_of(c, p, &e);
    *open = UINT64_MAX;
    TRY(closed_edges_make(m, &e));
    for (size_t bin = 0; bin < e.count && *open == UINT64_MAX; bin++)
        *open = closed_bin_open(&e, bin);
out:
    mem_free(m, e.end);
    mem_free(m, e.use);
    return err;
}

/* ---- All objects */

#define CLOSED_PIECE 8192 /* primitives of an object for each thread that checks it */

static uint32_t closed_pieces(const closed_mesh *c, uint32_t place, int threads)
{
    const closed_object *o = &c->of[place];
    const uint32_t most = (o->last - o->first) / CLOSED_PIECE + 1;
    return !o->closed ? 0 : most < (uint32_t)threads ? most : (uint32_t)threads;
}

static int closed_list_pieces(mem *m, const closed_mesh *c, int threads, closed_piece **out,
                              int64_t *count)
{
    int64_t pieces = 0;
    for (uint32_t i = 0; i < c->count; i++)
        pieces += closed_pieces(c, i, threads);
    const int err = mem_alloc(m, (size_t)pieces * sizeof **out, out);
    *count = 0;
    for (uint32_t i = 0; i < c->count && !err; i++) {
        const uint32_t n = closed_pieces(c, i, threads);
        for (uint32_t k = 0; k < n; k++)
            (*out)[(*count)++] = (closed_piece){.place = i, .piece = k, .pieces = n};
    }
    return err;
}

static int closed_cancel_all(mem *m, const closed_mesh *c, closed_piece *piece, int64_t pieces,
                             int threads)
{
    int failed = 0;
#pragma omp parallel num_threads(threads) reduction(| : failed) if (pieces > 1)
    EACH_IN_FLOAT_ENV
    {
        closed_table *t = NULL;
        failed = mem_alloc(m, sizeof *t, &t) != IMP_OK;
        if (t)
            memset(t->slot, 0, sizeof t->slot);
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < pieces; i++)
            failed |= failed ? 0 : closed_cancel_piece(m, c, &piece[i], t) != IMP_OK;
        mem_free(m, t);
    }
    return failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

static int closed_compare(mem *m, closed_mesh *c, const closed_piece *p)
{
    uint64_t open;
    uint8_t *closed = &c->of[p->place].closed;
    const int err = closed_first_open(m, c, p, &open);
    if (open != UINT64_MAX) {
#pragma omp atomic write
        *closed = 0;
    }
    return err;
}

static int closed_compare_all(mem *m, closed_mesh *c, const closed_piece *piece, int64_t pieces,
                              int threads)
{
    int failed = 0;
#pragma omp parallel num_threads(threads) reduction(| : failed) if (pieces > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < pieces; i++)
        failed |= failed ? 0 : closed_compare(m, c, &piece[i]) != IMP_OK;
    return failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

static void closed_pieces_free(mem *m, closed_piece *piece, int64_t pieces)
{
    for (int64_t i = 0; i < pieces; i++)
        mem_free(m, piece[i].left.use);
    mem_free(m, piece);
}

int closed_check_edges(mem *m, closed_mesh *c, int threads)
{
    int err = IMP_OK;
    closed_piece *piece = NULL;
    int64_t pieces = 0;
    TRY(closed_list_pieces(m, c, threads, &piece, &pieces));
    TRY(closed_cancel_all(m, c, piece, pieces, threads));
    TRY(closed_compare_all(m, c, piece, pieces, threads));
out:
    closed_pieces_free(m, piece, pieces);
    return err;
}

int closed_mesh_open_edge(mem *m, const closed_mesh *c, uint32_t place, uint32_t edge[2])
{
    int err = IMP_OK;
    closed_piece p = {.place = place, .pieces = 1};
    closed_table *t = NULL;
    uint64_t open = UINT64_MAX;
    edge[0] = edge[1] = 0;
    TRY(mem_alloc(m, sizeof *t, &t));
    memset(t->slot, 0, sizeof t->slot);
    TRY(closed_cancel_piece(m, c, &p, t));
    TRY(closed_first_open(m, c, &p, &open));
    edge[0] = open == UINT64_MAX ? 0 : (uint32_t)(open >> 32);
    edge[1] = open == UINT64_MAX ? 0 : (uint32_t)open;
out:
    mem_free(m, t);
    mem_free(m, p.left.use);
    return err;
}
