/* See weld.h. Edges are found at their first position, so that no table of all edges is needed. */
#include "error.h"
#include "exact.h"
#include "float_env.h"
#include "hash64.h"
#include "impinge_weld.h"
#include "weld.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the primitives at each position */

/* Returns whether corner k has the position of an earlier corner. */
static int edge_places_again(const welding *w, const uint32_t *first, size_t p, uint32_t k)
{
    const uint32_t at = first[mesh_vertex(w->mesh, p, k)];
    for (uint32_t i = 0; i < k; i++)
        if (first[mesh_vertex(w->mesh, p, i)] == at)
            return 1;
    return 0;
}

/* Counts the primitives at each position, or enters them. */
static void edge_places_enter(const welding *w, edge_places *o, size_t *next)
{
    for (size_t p = 0; p < w->mesh->primitives; p++)
        for (uint32_t k = 0; k < mesh_corners_of(w->mesh, p); k++) {
            if (edge_places_again(w, o->first, p, k))
                continue;
            const uint32_t at = o->first[mesh_vertex(w->mesh, p, k)];
            if (o->primitive)
                o->primitive[next[at]] = (uint32_t)p;
            next[at]++;
        }
}

int edge_places_find(const welding *w, edge_places *o)
{
    int err = IMP_OK;
    const size_t vertices = w->mesh->vertices;
    *o = (edge_places){0};
    TRY(mem_alloc(w->mem, vertices * sizeof *o->first, &o->first));
    TRY(positions_find(w, o->first));
    TRY(mem_alloc(w->mem, (vertices + 1) * sizeof *o->begin, &o->begin));
    memset(o->begin, 0, (vertices + 1) * sizeof *o->begin);
    edge_places_enter(w, o, o->begin + 1);
    for (size_t v = 0; v < vertices; v++)
        o->begin[v + 1] += o->begin[v];
    TRY(mem_alloc(w->mem, o->begin[vertices] * sizeof *o->primitive, &o->primitive));
    edge_places_enter(w, o, o->begin);
    /* each begins where the previous one ended */
    memmove(o->begin + 1, o->begin, vertices * sizeof *o->begin);
    o->begin[0] = 0;
out:
    return err;
}

void edge_places_free(mem *m, edge_places *p)
{
    mem_free(m, p->first);
    mem_free(m, p->body);
    mem_free(m, p->begin);
    mem_free(m, p->primitive);
    *p = (edge_places){0};
}

/* ---- uses */

static int edge_uses_order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int edge_uses_edge(const edge_use *a, const edge_use *b)
{
    int order = edge_uses_order(a->far[0], b->far[0]);
    order = order ? order : edge_uses_order(a->far[1], b->far[1]);
    return order ? order : (a->object > b->object) - (a->object < b->object);
}

int edge_uses_same(const edge_use *a, const edge_use *b)
{
    return !edge_uses_edge(a, b);
}

/* FLAT uses belong to no body and are sorted first. */
static int edge_uses_compare(const void *x, const void *y)
{
    const edge_use *a = x, *b = y;
    int order = edge_uses_edge(a, b);
    order = order ? order : (b->orientation == EDGE_FLAT) - (a->orientation == EDGE_FLAT);
    order = order ? order : edge_uses_order(a->body, b->body);
    order = order ? order : edge_uses_order(a->primitive, b->primitive);
    return order ? order : a->corner[0] - b->corner[0];
}

static int edge_uses_add(const welding *w, edge_uses *o, const edge_use *use)
{
    int err = mem_fit(w->mem, o->count, &o->capacity, sizeof *o->use, &o->use);
    if (!err)
        o->use[o->count++] = *use;
    return err;
}

/* Adds the edge between the corners k and l of a triangle if its first position is `here`. */
static int edge_uses_edge_of(const welding *w, const uint32_t at[3], uint32_t here, uint8_t k,
                             uint8_t l, edge_use use, edge_uses *out)
{
    const int forward = at[k] == here;
    if ((at[k] != here && at[l] != here) || at[k] == at[l] || (forward ? at[l] : at[k]) < here)
        return IMP_OK;
    use.far[0] = forward ? at[l] : at[k];
    use.far[1] = WELD_NONE;
    use.corner[0] = forward ? k : l;
    use.corner[1] = forward ? l : k;
    if (use.orientation != EDGE_FLAT)
        use.orientation = forward ? EDGE_FORWARD : EDGE_BACKWARD;
    return edge_uses_add(w, out, &use);
}

/* A triangle with two corners at one point has one edge, which it uses in both directions. */
static int edge_uses_of_triangle(const welding *w, const uint32_t at[3], uint32_t here,
                                 edge_use use, edge_uses *out)
{
    int err = IMP_OK;
    for (uint8_t k = 0; k < 3 && !err; k++) {
        const uint8_t l = (uint8_t)((k + 1) % 3);
        use.orientation = EDGE_FORWARD;
        if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) {
            use.orientation = EDGE_FLAT;
            use.body = 0;
            /* forward only: from the first of its two positions */
            if (at[k] == at[l] || at[l] == at[(k + 2) % 3])
                continue;
        }
        err = edge_uses_edge_of(w, at, here, k, l, use, out);
    }
    return err;
}

/* The faces of a tetrahedron whose first position is `here`, if it has four different positions. */
static int edge_uses_of_tetrahedron(const welding *w, const uint32_t at[4], uint32_t here,
                                    edge_use use, edge_uses *out)
{
    static const uint8_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    int err = IMP_OK;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (at[i] == at[j])
                return IMP_OK;
    use.orientation = EDGE_FACE;
    for (int f = 0; f < 4 && !err; f++) {
        uint8_t c[3] = {faces[f][0], faces[f][1], faces[f][2]};
        for (int i = 0; i < 3; i++) /* in the order of positions */
            for (int j = 2; j > i; j--)
                if (at[c[j]] < at[c[j - 1]]) {
                    const uint8_t swap = c[j];
                    c[j] = c[j - 1];
                    c[j - 1] = swap;
                }
        if (at[c[0]] != here)
            continue;
        use.far[0] = at[c[1]];
        use.far[1] = at[c[2]];
        memcpy(use.corner, c, sizeof c);
        err = edge_uses_add(w, out, &use);
    }
    return err;
}

int edge_uses_find(const welding *w, const edge_places *p, uint32_t here, edge_uses *out)
{
    int err = IMP_OK;
    out->count = 0;
    for (size_t i = p->begin[here]; i < p->begin[here + 1]; i++) {
        const uint32_t primitive = p->primitive[i],
                       corner_count = mesh_corners_of(w->mesh, primitive);
        edge_use use = {.object = welding_object(w, primitive),
                        .body = p->body ? p->body[primitive] : 0,
                        .primitive = primitive};
        uint32_t at[IMP_TETRAHEDRA] = {0};
        for (uint32_t k = 0; k < corner_count; k++)
            at[k] = p->first[mesh_vertex(w->mesh, primitive, k)];
        if (corner_count == IMP_TRIANGLES)
            TRY(edge_uses_of_triangle(w, at, here, use, out));
        if (corner_count == IMP_TETRAHEDRA)
            TRY(edge_uses_of_tetrahedron(w, at, here, use, out));
    }
    if (out->count > 1)
        qsort(out->use, out->count, sizeof *out->use, edge_uses_compare);
out:
    return err;
}

/* ---- Closed bodies are searched for only if an edge has more than two triangles, which most
 * meshes never have. */

/* The uses of one edge by one object, flat ones first; those of a body are adjacent. */
typedef struct weld_edge {
    const edge_use *use;
    size_t count, flats;
} weld_edge;

/* One pass over all edges. crowded: an edge has more than two triangles; doubtful: an edge is
 * counted in `info`. */
typedef struct weld_pass {
    const welding *w;
    const edge_places *places;
    int count; /* only counts, joins nothing */
    int crowded, doubtful;
    imp_weld_info *info;
} weld_pass;

static uint32_t weld_edges_vertex(const welding *w, const edge_use *u, int end)
{
    return mesh_vertex(w->mesh, u->primitive, u->corner[end]);
}

static int weld_edges_ends(const edge_use *u)
{
    return u->orientation == EDGE_FACE ? 3 : 2;
}

/* ---- neighbours */

static int weld_edges_point(const welding *w, uint32_t v, exact_point *out)
{
    frame_vertex(w->frame, v, out->x);
    return isfinite(out->x[0]) && isfinite(out->x[1]) && isfinite(out->x[2]);
}

/* Returns whether two tetrahedra are on different sides of their face, in the first frame. */
static int weld_edges_sides(const welding *w, const edge_use *a, const edge_use *b)
{
    exact_point face[3], apex;
    int side[2], finite = 1;
    for (int k = 0; k < 3; k++)
        finite &= weld_edges_point(w, weld_edges_vertex(w, a, k), &face[k]);
    for (int i = 0; i < 2; i++) {
        const edge_use *u = i ? b : a;
        const uint32_t other = 6U - u->corner[0] - u->corner[1] - u->corner[2];
        finite &= weld_edges_point(w, mesh_vertex(w->mesh, u->primitive, other), &apex);
        side[i] = finite ? exact_orient3d(&face[0], &face[1], &face[2], &apex) : 0;
    }
    return side[0] * side[1] < 0;
}

/* Returns whether these uses, all by one body, are those of two neighbours. */
static int weld_edges_neighbours(const welding *w, const edge_use *use, size_t count)
{
    if (count != 2)
        return 0;
    return use->orientation == EDGE_FACE ? weld_edges_sides(w, &use[0], &use[1])
                                         : use[0].orientation != use[1].orientation;
}

static void weld_edges_join(const welding *w, const edge_use *a, const edge_use *b)
{
    for (int k = 0; k < weld_edges_ends(a); k++)
        welding_join(w, weld_edges_vertex(w, a, k), weld_edges_vertex(w, b, k));
}

/* Joins the third corner of a flat triangle, which is at one end of its edge, to the other corner
 * there. */
static void weld_edges_close(const weld_pass *p, const edge_use *flat)
{
    const uint32_t *first = p->places->first;
    const uint32_t other =
        mesh_vertex(p->w->mesh, flat->primitive, 3U - flat->corner[0] - flat->corner[1]);
    for (int k = 0; k < 2; k++) {
        const uint32_t v = weld_edges_vertex(p->w, flat, k);
        if (first[v] == first[other])
            welding_join(p->w, v, other);
    }
}

/* ---- an edge */

/* Returns whether all of its users have the same vertices there. */
static int weld_edges_settled(const welding *w, const weld_edge *e)
{
    for (size_t i = 1; i < e->count; i++)
        for (int k = 0; k < weld_edges_ends(e->use); k++)
            if (welding_find(w, weld_edges_vertex(w, &e->use[0], k)) !=
                welding_find(w, weld_edges_vertex(w, &e->use[i], k)))
                return 0;
    return 1;
}

/* Bodies at an edge: their number, how many have certain neighbours, and how many have the edge on
 * their border. */
typedef struct weld_tally {
    size_t bodies, neighbours, borders;
} weld_tally;

static weld_tally weld_edges_bodies(const weld_pass *p, const weld_edge *e)
{
    weld_tally t = {0, 0, 0};
    for (size_t i = e->flats; i < e->count;) {
        const edge_use *use = e->use + i;
        size_t n = 1;
        while (i + n < e->count && use[n].body == use->body)
            n++;
        const int sure = weld_edges_neighbours(p->w, use, n);
        if (sure && !p->count)
            weld_edges_join(p->w, &use[0], &use[1]);
        t.bodies++;
        t.neighbours += (size_t)sure;
        t.borders += n == 1;
        i += n;
    }
    return t;
}

/* Flat triangles belong to the neighbours if these are certain; a single one is its own
 * neighbour. */
static int weld_edges_flats(const weld_pass *p, const weld_edge *e, const weld_tally *t)
{
    const int belongs = t->bodies == 1 && t->neighbours + t->borders == 1;
    const int alone = !t->bodies && e->flats == 1;
    for (size_t i = 0; i < e->flats && !p->count && (belongs || alone); i++) {
        if (belongs)
            weld_edges_join(p->w, &e->use[e->flats], &e->use[i]);
        weld_edges_close(p, &e->use[i]);
    }
    return !e->flats || belongs || alone;
}

/* Counts the edge, and stores the first primitive of all counted edges. */
static void weld_edges_note(const weld_edge *e, uint64_t *count, uint32_t *primitive)
{
    for (size_t i = 0; i < e->count; i++)
        if ((!*count && !i) || e->use[i].primitive < *primitive)
            *primitive = e->use[i].primitive;
    ++*count;
}

static void weld_edges_edge(weld_pass *p, const weld_edge *e)
{
    imp_weld_info *info = p->info;
    const weld_tally t = weld_edges_bodies(p, e);
    const int sure = weld_edges_flats(p, e, &t) && t.neighbours + t.borders == t.bodies;
    p->crowded |= e->use->orientation != EDGE_FACE && e->count > 2;
    p->doubtful |= !sure || t.neighbours > 1;
    if (!p->count)
        return;
    if (sure && t.neighbours > 1)
        weld_edges_note(e, &info->split, &info->split_primitive);
    if (!sure && !weld_edges_settled(p->w, e))
        weld_edges_note(e, &info->open, &info->open_primitive);
}

/* ---- all edges */

static int weld_edges_pass(weld_pass *p)
{
    int err = IMP_OK;
    edge_uses uses = {0};
    for (uint32_t v = 0; v < p->w->mesh->vertices; v++) {
        if (p->places->begin[v] == p->places->begin[v + 1])
            continue;
        TRY(edge_uses_find(p->w, p->places, v, &uses));
        for (size_t i = 0; i < uses.count;) {
            weld_edge e = {.use = uses.use + i};
            for (; i < uses.count && edge_uses_same(e.use, &uses.use[i]); i++) {
                e.count++;
                e.flats += uses.use[i].orientation == EDGE_FLAT;
            }
            weld_edges_edge(p, &e);
        }
    }
out:
    mem_free(p->w->mem, uses.use);
    return err;
}

/* Triangles joined by the plain rule are also joined by the rule of closed bodies: an edge of two
 * triangles in opposite directions is in one body. */
int weld_edges(welding *w, imp_weld_info *info)
{
    int err = IMP_OK;
    edge_places places = {0};
    weld_pass p = {.w = w, .places = &places, .info = info};
    welding_start(w);
    TRY(edge_places_find(w, &places));
    TRY(weld_edges_pass(&p));
    if (p.crowded) {
        TRY(mem_alloc(w->mem, w->mesh->primitives * sizeof *places.body, &places.body));
        closed_bodies_find(w, places.first, places.body);
        p.doubtful = 0;
        TRY(weld_edges_pass(&p));
    }
    p.count = 1;
    if (p.doubtful)
        TRY(weld_edges_pass(&p));
out:
    edge_places_free(w->mem, &places);
    return err;
}

/* ---- Edges are summed as hashes, which cancel if an edge is used equally in both directions: a
 * 128-bit sum is 0 by chance once in 2^128. */

typedef struct edge_sum {
    uint64_t part[2];
} edge_sum;

/* The hash from position a to b is the negative of that from b to a. */
static void closed_bodies_add(edge_sum *s, uint32_t a, uint32_t b)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint64_t i = 0; i < 2; i++) {
        const uint64_t h = mix64(low << 32 ^ high ^ (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        s->part[i] += a < b ? h : 0 - h;
    }
}

/* Returns whether it is a triangle with three different positions. */
static int closed_bodies_triangle(const uint32_t at[3])
{
    return at[0] != at[1] && at[1] != at[2] && at[2] != at[0];
}

static void closed_bodies_corners(const welding *w, const uint32_t *first, size_t p, uint32_t at[3])
{
    for (uint32_t k = 0; k < 3; k++)
        at[k] = first[mesh_vertex(w->mesh, p, k)];
}

/* The end of the range of triangles of one object that begins at p, or p. */
static size_t closed_bodies_range(const welding *w, size_t p)
{
    const size_t begin = p;
    while (p < w->mesh->primitives && mesh_corners_of(w->mesh, p) == IMP_TRIANGLES &&
           welding_object(w, p) == welding_object(w, begin))
        p++;
    return p;
}

/* The number of the last body in [begin, end) if those before it have `number`; returns `number` if
 * the range does not consist of closed bodies. Triangles without area belong to the body within
 * whose range they occur. */
static uint32_t closed_bodies_divide(const welding *w, const uint32_t *first, size_t begin,
                                     size_t end, uint32_t number, uint32_t *body)
{
    uint32_t last = number;
    int open = 0;
    edge_sum sum = {{0, 0}};
    for (size_t p = begin; p < end; p++) {
        uint32_t at[3];
        closed_bodies_corners(w, first, p, at);
        body[p] = last + 1;
        if (!closed_bodies_triangle(at))
            continue;
        for (int k = 0; k < 3; k++)
            closed_bodies_add(&sum, at[k], at[(k + 1) % 3]);
        open = sum.part[0] || sum.part[1];
        last += !open;
    }
    return open ? number : last;
}

void closed_bodies_find(const welding *w, const uint32_t *first, uint32_t *body)
{
    uint32_t number = 0;
    memset(body, 0, w->mesh->primitives * sizeof *body);
    for (size_t p = 0; p < w->mesh->primitives;) {
        const size_t end = closed_bodies_range(w, p);
        const uint32_t last = closed_bodies_divide(w, first, p, end, number, body);
        if (last == number)
            memset(body + p, 0, (end - p) * sizeof *body);
        number = last;
        p = end > p ? end : p + 1;
    }
}

/* ---- imp_is_unwelded of impinge_weld.h. Counts the users of a sample of edges if a sample of
 * points shows that points coincide. Both samples contain either all items at a position, or
 * none. */

#define SAMPLE (1 << 14)
#define SLOTS (4 * (size_t)SAMPLE) /* at most half full */
/* Two neighbouring triangles, or tetrahedra, share one edge of three, or one face of four. */
#define SHARE_LEAST 0.25

/* An edge of triangles, or a face of tetrahedra, given by corners of the first user. */
typedef struct unwelded_edge {
    uint32_t primitive;
    uint8_t corner[3], ends; /* 2 or 3; 0: the slot is empty */
    uint32_t same, opposite; /* uses in the direction of the first, including it, and in the
                              * other */
} unwelded_edge;

typedef struct unwelded {
    const imp_frame *frame;
    uint64_t *used;      /* [vertices / 64 + 1] bits of the vertices of primitives */
    unwelded_edge *edge; /* [SLOTS] by hash */
    size_t uses;         /* total over all edges of the sample */
    uint64_t edges;      /* upper limit of the number of uses in the mesh */
} unwelded;

/* Returns whether a vertex belongs to two primitives. A primitive that names it twice counts
 * once. */
static int unwelded_shares(const unwelded *u)
{
    const imp_mesh *m = u->frame->mesh;
    for (size_t p = 0; p < m->primitives; p++) {
        const uint32_t corner_count = mesh_corners_of(m, p);
        for (uint32_t k = 0; k < corner_count; k++) {
            const uint32_t v = mesh_vertex(m, p, k);
            if (u->used[v / 64] >> v % 64 & 1)
                return 1;
        }
        for (uint32_t k = 0; k < corner_count; k++) {
            const uint32_t v = mesh_vertex(m, p, k);
            u->used[v / 64] |= UINT64_C(1) << v % 64;
        }
    }
    return 0;
}

/* ---- a sample of points */

#define REPEATED_LEAST 8 /* at least one of so many vertices coincides with another */

/* By the sum of the coordinates, which is the same for equal points: one hash per vertex. */
static int unwelded_add_point(const unwelded *u, const double x[DIMENSIONS])
{
    double sum = x[0] + x[1] + x[2] + 0.0;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return sum == sum &&
           (double)(mix64(bits) >> 32) * (double)u->frame->mesh->vertices < (double)SAMPLE * 0x1p32;
}

/* Returns whether enough vertices coincide with others. For two neighbouring triangles, a third
 * do. */
static int unwelded_repeats(mem *m, const unwelded *u, int *yes)
{
    int err = IMP_OK;
    size_t taken = 0, repeated = 0;
    uint32_t *slot = NULL;
    TRY(mem_alloc(m, SLOTS * sizeof *slot, &slot));
    memset(slot, 0xff, SLOTS * sizeof *slot); /* WELD_NONE */
    for (uint32_t v = 0; v < u->frame->mesh->vertices && taken < SLOTS / 2; v++) {
        double x[DIMENSIONS];
        frame_vertex(u->frame, v, x);
        if (!unwelded_add_point(u, x) || !(u->used[v / 64] >> v % 64 & 1))
            continue;
        size_t at = (size_t)position_hash(u->frame, 1, v) & (SLOTS - 1);
        while (slot[at] != WELD_NONE && !position_same(u->frame, 1, slot[at], v))
            at = (at + 1) & (SLOTS - 1);
        taken++;
        repeated += slot[at] != WELD_NONE;
        slot[at] = slot[at] != WELD_NONE ? slot[at] : v;
    }
    *yes = repeated && repeated * REPEATED_LEAST >= taken;
out:
    mem_free(m, slot);
    return err;
}

/* ---- a sample of edges */

static uint32_t unwelded_vertex(const unwelded *u, const unwelded_edge *e, int k)
{
    return mesh_vertex(u->frame->mesh, e->primitive, e->corner[k]);
}

static int unwelded_same(const unwelded *u, const unwelded_edge *a, int i, const unwelded_edge *b,
                         int k)
{
    return position_same(u->frame, 1, unwelded_vertex(u, a, i), unwelded_vertex(u, b, k));
}

static int unwelded_object(const unwelded *u, const unwelded_edge *e)
{
    const int32_t *object = u->frame->mesh->object;
    return object ? object[e->primitive] : 0;
}

/* Number of ends of b that are ends of a, in any position. */
static int unwelded_common(const unwelded *u, const unwelded_edge *a, const unwelded_edge *b)
{
    int found = 0;
    for (int i = 0; i < a->ends; i++)
        for (int k = 0; k < b->ends; k++)
            found += unwelded_same(u, a, i, b, k);
    return found;
}

/* Returns whether no two ends are at one point, and none is NaN. */
static int unwelded_sound(const unwelded *u, const unwelded_edge *e)
{
    return unwelded_common(u, e, e) == e->ends;
}

/* All uses of an edge are in the sample or none, decided by the hash of its ends. */
static int unwelded_add(const unwelded *u, uint64_t hash)
{
    return (double)(hash >> 32) * (double)u->edges < (double)SAMPLE * 0x1p32;
}

static void unwelded_enter(unwelded *u, uint64_t hash, const unwelded_edge *e)
{
    size_t at = (size_t)hash & (SLOTS - 1);
    if (!unwelded_add(u, hash) || u->uses > SLOTS / 2 || !unwelded_sound(u, e))
        return;
    for (; u->edge[at].ends; at = (at + 1) & (SLOTS - 1)) {
        const unwelded_edge *is = &u->edge[at];
        if (is->ends == e->ends && unwelded_object(u, is) == unwelded_object(u, e) &&
            unwelded_common(u, is, e) == e->ends)
            break;
    }
    unwelded_edge *to = &u->edge[at];
    if (!to->ends)
        *to = *e;
    else if (to->primitive == e->primitive)
        return; /* a triangle with two corners at one point is not a neighbour of itself */
    /* two tetrahedra may have their face in any vertex order */
    if (to->same && (e->ends == 3 || !unwelded_same(u, to, 0, e, 0)))
        to->opposite++;
    else
        to->same++;
    u->uses++;
}

/* The edges of a triangle: from each corner to the next; the faces of a tetrahedron: each without
 * one corner. */
static void unwelded_enter_all(unwelded *u, size_t p)
{
    const imp_mesh *m = u->frame->mesh;
    const uint32_t corner_count = mesh_corners_of(m, p);
    uint64_t hash[IMP_TETRAHEDRA], sum = 0;
    for (uint32_t k = 0; k < corner_count; k++)
        sum += hash[k] = position_hash(u->frame, 1, mesh_vertex(m, p, k));
    for (uint8_t k = 0; k < corner_count; k++) {
        unwelded_edge e = {.primitive = (uint32_t)p, .ends = (uint8_t)(corner_count - 1)};
        for (uint8_t i = 0; i < e.ends; i++)
            e.corner[i] = (uint8_t)(((uint32_t)k + 1 + i) % corner_count);
        unwelded_enter(u, mix64(sum - hash[k]), &e);
    }
}

/* The fraction of all uses that belong to neighbours. */
static double unwelded_fraction(const unwelded *u)
{
    size_t joined = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (u->edge[i].same == 1 && u->edge[i].opposite == 1)
            joined += 2;
    return u->uses ? (double)joined / (double)u->uses : 0;
}

/* ---- the function */

static int unwelded_open(mem *m, const imp_frame *frame, unwelded *u)
{
    int err = IMP_OK;
    const size_t words = (size_t)frame->mesh->vertices / 64 + 1;
    *u = (unwelded){.frame = frame, .edges = mesh_corner_count(frame->mesh)};
    TRY(mem_alloc(m, words * sizeof *u->used, &u->used));
    memset(u->used, 0, words * sizeof *u->used);
    TRY(mem_alloc(m, SLOTS * sizeof *u->edge, &u->edge));
    memset(u->edge, 0, SLOTS * sizeof *u->edge);
out:
    return err;
}

int imp_is_unwelded(const imp_frame *frame, int *yes, double *fraction)
{
    int err = IMP_OK;
    mem m = {0};
    unwelded u = {0};
    double found = 0;
    const float_entry entry = float_enter();
    if (!yes)
        FAIL(IMP_ERR_ARGUMENT, "imp_is_unwelded: yes is NULL");
    *yes = 0;
    TRY(weld_check(frame, frame != NULL));
    TRY(unwelded_open(&m, frame, &u));
    if (mesh_corners(frame->mesh) < IMP_TRIANGLES || unwelded_shares(&u))
        goto out;
    TRY(unwelded_repeats(&m, &u, yes));
    for (size_t p = 0; *yes && p < frame->mesh->primitives; p++)
        unwelded_enter_all(&u, p);
    found = unwelded_fraction(&u);
    *yes = found >= SHARE_LEAST;
out:
    if (fraction && !err)
        *fraction = found;
    mem_free(&m, u.used);
    mem_free(&m, u.edge);
    float_leave(entry);
    return err;
}
