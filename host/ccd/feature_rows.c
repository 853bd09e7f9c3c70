/* See feature_rows.h. */
#include "feature_rows.h"

#include "block_view.h"
#include "error.h"
#include "float_env.h"
#include "mem.h"
#include "near_rows.h"

#include <stdlib.h>
#include <string.h>

#define FEATURE_ROWS_MOST (1u << 12)   /* rows at a time, which stay in caches */
#define FEATURE_ROWS_THREAD (1u << 11) /* so many for each thread */

/* ---- a pair */

/* A feature pair with its primitives. */
typedef struct feature_row {
    exact_numbered of[2];
    uint32_t frame, prim[2]; /* primitives: positions in the frame */
    exact_feature feature[2];
} feature_row;

/* The corners of a feature in the numbering of VTK; a triangle has face 3 in a view with four
 * corners. */
static void feature_rows_corners(exact_feature f, const exact_numbered *p, int out[3])
{
    for (int k = 0; k < f.vertices; k++)
        out[k] = f.vertices == 1     ? f.number
                 : f.vertices == 2   ? rep_features_edge_ends[f.number][k]
                 : p->of.corners < 4 ? k
                                     : rep_features_face_corners[f.number][k];
}

static int feature_rows_has(const uint32_t *v, int n, uint32_t x)
{
    int has = 0;
    for (int k = 0; k < n; k++)
        has |= v[k] == x;
    return has;
}

/* The vertices of a feature, by a primitive's corners. */
static void feature_rows_vertices_of(exact_feature f, const exact_numbered *p,
                                     const uint32_t corner[4], uint32_t out[3])
{
    int at[3];
    feature_rows_corners(f, p, at);
    for (int k = 0; k < f.vertices; k++)
        out[k] = corner[at[k]];
}

/* Returns whether feature f by the corners v and g by those of p have the same vertices. */
static int feature_rows_same(const exact_numbered *p, exact_feature f, const uint32_t v[4],
                             exact_feature g)
{
    uint32_t x[3] = {0}, y[3] = {0};
    int same = 1;
    feature_rows_vertices_of(f, p, v, x);
    feature_rows_vertices_of(g, p, p->vertex, y);
    for (int k = 0; k < f.vertices; k++)
        same &= feature_rows_has(y, g.vertices, x[k]) && feature_rows_has(x, f.vertices, y[k]);
    return same;
}

/* A feature by the view's corners, by those of the mesh. They differ in a tetrahedron that has a
 * vertex at its last two corners (block_view_corners). Of several with the same vertices the one
 * with the least number counts; those of faces are negative. */
static exact_feature feature_rows_in_mesh(const imp_mesh *m, uint32_t prim, const exact_numbered *p,
                                          exact_feature f)
{
    uint32_t v[4];
    if (p->vertex[2] != p->vertex[3])
        return f;
    block_view_corners(m, prim, 4, v);
    const int last = f.vertices == 2 ? 5 : 3;
    for (int k = 0; k <= last; k++) {
        const exact_feature g = {f.vertices, f.vertices == 3 ? last - k : k};
        if (feature_rows_same(p, f, v, g))
            return g;
    }
    return f;
}

static void feature_rows_open_of(const imp_mesh *mesh, uint32_t prim, int vertices, uint32_t number,
                                 exact_numbered *of, exact_feature *f)
{
    exact_numbers_of(mesh, prim, of);
    f->vertices = vertices;
    f->number = vertices == 3 && of->of.corners < 4 ? 0 : (int)number;
    if (of->of.corners == 4)
        *f = feature_rows_in_mesh(mesh, prim, of, *f);
}

/* Sets all but the points, which most steps do not need. */
static void feature_rows_open(const ccd_step *m, uint32_t a, uint32_t b, uint32_t code,
                              feature_row *out)
{
    const uint32_t frame = ccd_step_frame(m, a), first = ccd_step_first_prim(m, frame);
    const imp_mesh *mesh = m->view->frame[frame].mesh;
    const uint32_t kind = FEATURE_KIND(code);
    out->frame = frame;
    out->prim[0] = a - first;
    out->prim[1] = b - first;
    feature_rows_open_of(mesh, a - first,
                         kind == FEATURE_EDGES         ? 2
                         : kind == FEATURE_FACE_CORNER ? 3
                                                       : 1,
                         FEATURE_I(code), &out->of[0], &out->feature[0]);
    feature_rows_open_of(mesh, b - first,
                         kind == FEATURE_EDGES         ? 2
                         : kind == FEATURE_CORNER_FACE ? 3
                                                       : 1,
                         FEATURE_J(code), &out->of[1], &out->feature[1]);
}

static void feature_rows_points(const imp_frame *f, feature_row *r)
{
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < r->of[n].of.corners; k++)
            frame_vertex(f, r->of[n].vertex[k], r->of[n].of.v[k].x);
}

/* ---- features without a face */

/* The number of different vertices among n, at most 4. */
static int feature_rows_different(const uint32_t *v, int n)
{
    int count = 0;
    for (int k = 0; k < n; k++) {
        int again = 0;
        for (int i = 0; i < k; i++)
            again |= v[i] == v[k];
        count += !again;
    }
    return count;
}

static int feature_rows_vertices(const exact_numbered *p)
{
    return feature_rows_different(p->vertex, p->of.corners);
}

/* Returns whether they belong to one object and the second one is not excluded. */
static int feature_rows_counts(const rep_features *t, const imp_frame *f, uint32_t prim,
                               uint32_t other)
{
    const int32_t *object = f->mesh->object;
    return !(t->excluded && t->excluded[other]) && (!object || object[other] == object[prim]);
}

/* Returns whether no primitive of the object has this vertex and another one. */
static int feature_rows_lone_vertex(const rep_features *t, const imp_frame *f, uint32_t prim,
                                    uint32_t vertex)
{
    for (uint32_t n = t->first[vertex]; n < t->first[vertex + 1]; n++) {
        const uint32_t other = t->prim[n];
        exact_numbered p;
        exact_numbers_of(f->mesh, other, &p);
        if (feature_rows_counts(t, f, prim, other) && feature_rows_vertices(&p) > 1)
            return 0;
    }
    return 1;
}

/* Returns whether no primitive of the object has a face with this edge. */
static int feature_rows_lone_edge(const rep_features *t, const imp_frame *f, uint32_t prim,
                                  const uint32_t end[2])
{
    for (uint32_t n = t->first[end[0]]; n < t->first[end[0] + 1]; n++) {
        const uint32_t other = t->prim[n];
        exact_numbered p;
        exact_numbers_of(f->mesh, other, &p);
        if (feature_rows_has(p.vertex, p.of.corners, end[1]) &&
            feature_rows_counts(t, f, prim, other) && feature_rows_vertices(&p) > 2)
            return 0;
    }
    return 1;
}

/* Returns whether the primitive is the first of its object that has both vertices. The bits of *t
 * do not serve: they are those of a frame without excluded primitives. */
static int feature_rows_owns(const rep_features *t, const imp_frame *f, uint32_t prim, uint32_t v,
                             uint32_t w)
{
    for (uint32_t n = t->first[v]; n < t->first[v + 1]; n++) {
        const uint32_t other = t->prim[n];
        exact_numbered p;
        exact_numbers_of(f->mesh, other, &p);
        if (feature_rows_counts(t, f, prim, other) && feature_rows_has(p.vertex, p.of.corners, w))
            return other == prim;
    }
    return 0;
}

/* The edge of a primitive with two different vertices, by the corners of the mesh. */
static exact_feature feature_rows_edge(const exact_numbered *p)
{
    int k = 0;
    while (p->vertex[rep_features_edge_ends[k][0]] == p->vertex[rep_features_edge_ends[k][1]])
        k++;
    return (exact_feature){2, k};
}

/* A pair of a vertex and the `face` of a primitive without one becomes a pair with its edge, or
 * with its vertex. Returns 0 if that is no row. */
static int feature_rows_without_face(const rep_features *t, const imp_frame *f, feature_row *r,
                                     int face)
{
    const int other = !face, vertices = feature_rows_vertices(&r->of[face]);
    const uint32_t vertex = r->of[other].vertex[r->feature[other].number];
    const uint32_t *v = r->of[face].vertex;
    if (!feature_rows_lone_vertex(t, f, r->prim[other], vertex))
        return 0;
    if (vertices == 1) { /* both list the pair: that of the first primitive's vertex counts */
        r->feature[face] = (exact_feature){1, 0};
        return face == 1 && feature_rows_owns(t, f, r->prim[face], v[0], v[0]) &&
               feature_rows_lone_vertex(t, f, r->prim[face], v[0]);
    }
    const exact_feature edge = feature_rows_edge(&r->of[face]);
    const uint32_t end[2] = {v[rep_features_edge_ends[edge.number][0]],
                             v[rep_features_edge_ends[edge.number][1]]};
    r->feature[face] = edge;
    return feature_rows_owns(t, f, r->prim[face], end[0], end[1]) &&
           feature_rows_lone_edge(t, f, r->prim[face], end);
}

/* ---- features of one primitive */

/* The vertices of both features; returns their number. */
static int feature_rows_all(const feature_row *r, uint32_t out[6])
{
    for (int k = 0; k < 2; k++)
        feature_rows_vertices_of(r->feature[k], &r->of[k], r->of[k].vertex,
                                 out + (k ? r->feature[0].vertices : 0));
    return r->feature[0].vertices + r->feature[1].vertices;
}

/* Returns whether a tetrahedron of the object has all vertices of both features. */
static int feature_rows_of_one(const rep_features *t, const imp_frame *f, const feature_row *r)
{
    uint32_t all[6];
    const int32_t *object = f->mesh->object;
    if (mesh_corners(f->mesh) < IMP_TETRAHEDRA)
        return 0;
    const int n = feature_rows_all(r, all);
    for (uint32_t k = t->first[all[0]]; k < t->first[all[0] + 1]; k++) {
        const uint32_t other = t->prim[k];
        exact_numbered p;
        exact_numbers_of(f->mesh, other, &p);
        int has =
            !object || (object[other] == object[r->prim[0]] && object[other] == object[r->prim[1]]);
        for (int i = 0; i < n; i++)
            has &= feature_rows_has(p.vertex, p.of.corners, all[i]);
        if (has)
            return 1;
    }
    return 0;
}

/* ---- the rows among the pairs */

/* Returns whether a pair with such a code is a row as it is: two edges of triangles. */
static int feature_rows_plain(const ccd_step *m, uint32_t code)
{
    return FEATURE_KIND(code) == FEATURE_EDGES &&
           mesh_corners(m->view->frame->mesh) < IMP_TETRAHEDRA;
}

/* Completes the features. Returns 0 if the pair has no row. A face with two or one different
 * vertices is none; where its primitive has no others, it stands for its edge or its vertex. */
static int feature_rows_wanted(const rep_features *t, const imp_frame *f, feature_row *r)
{
    for (int n = 0; n < 2; n++) {
        uint32_t v[3];
        if (r->feature[n].vertices < 3)
            continue;
        feature_rows_vertices_of(r->feature[n], &r->of[n], r->of[n].vertex, v);
        const int vertices = feature_rows_different(v, 3);
        if (vertices < 3)
            return vertices == feature_rows_vertices(&r->of[n]) &&
                   feature_rows_without_face(t, f, r, n);
    }
    return !feature_rows_of_one(t, f, r);
}

/* PART_ bits of the lower bounds of a feature. */
static uint32_t feature_rows_place(const feature_row *r, int n, const uint8_t *vertex_at)
{
    uint32_t v[3], before = 0, after = PART_AFTER_ANY;
    feature_rows_vertices_of(r->feature[n], &r->of[n], r->of[n].vertex, v);
    for (int k = 0; k < r->feature[n].vertices; k++) {
        before |= vertex_at[v[k]] & PART_BEFORE_ANY;
        after &= vertex_at[v[k]];
    }
    return before | after;
}

/* Returns whether the pair belongs to the part of a frame that the view is. There all primitives
 * with these features are known, thus the owners in the frame. */
static int feature_rows_here(const context *c, const feature_row *r)
{
    const uint8_t *at = c->opt.whole ? c->opt.whole->vertex_at : NULL;
    if (!at)
        return 1;
    const uint32_t x = feature_rows_place(r, 0, at), y = feature_rows_place(r, 1, at);
    return !(x & y & PART_BEFORE_ANY) && !((x | y) & PART_AFTER_ANY);
}

static exact_limit feature_rows_limit(const context *c, const ccd_step *m, const feature_row *r)
{
    return contact_limit(c, m->view->frame + r->frame, r->prim[0], r->prim[1]);
}

static int feature_rows_within(const context *c, const ccd_step *m, const feature_row *r)
{
    const exact_limit limit = feature_rows_limit(c, m, r);
    return exact_features_within(&r->of[0].of, r->feature[0], &r->of[1].of, r->feature[1], &limit);
}

/* ---- A pair among those of one primitive a: its b, its place among those of both, its code. */

#define FEATURE_DROPPED UINT32_MAX /* in place of a code: no row */
#define FEATURE_CODE_BITS 10
#define FEATURE_PLACE_BITS 10 /* above the code: the place */
#define FEATURE_MASK_SHIFT (FEATURE_CODE_BITS + FEATURE_PLACE_BITS)

typedef uint64_t feature_key;

static inline uint32_t feature_key_b(feature_key k)
{
    return (uint32_t)(k >> 32);
}

static inline uint32_t feature_key_code(feature_key k)
{
    return (uint32_t)k & ((1u << FEATURE_CODE_BITS) - 1);
}

/* The number of corners of a primitive with a lower vertex number. */
static uint32_t feature_rows_rank(const exact_numbered *p, int corner)
{
    uint32_t rank = 0;
    for (int k = 0; k < p->of.corners; k++)
        rank += p->vertex[k] < p->vertex[corner];
    return rank;
}

static uint32_t feature_rows_edges_order(uint32_t i, uint32_t j)
{
    return 2u << 8 | i << 4 | j;
}

/* Increases with (kind, feature_a, feature_b): faces have negative numbers. */
static uint32_t feature_rows_order(const feature_row *r, uint32_t kind)
{
    const exact_feature i = r->feature[0], j = r->feature[1];
    if (kind == FEATURE_FACE_CORNER)
        return (uint32_t)(3 - i.number) << 2 | feature_rows_rank(&r->of[1], j.number);
    if (kind == FEATURE_CORNER_FACE)
        return 1u << 8 | feature_rows_rank(&r->of[0], i.number) << 2 | (uint32_t)(3 - j.number);
    return feature_rows_edges_order((uint32_t)i.number, (uint32_t)j.number);
}

/* Such a pair gets the code FEATURE_DROPPED if it has no row, else the low half of its key. One of
 * another part is not counted. */
static void feature_rows_choose_pair(const context *c, ccd_step *m, feature_pair *pair,
                                     int undecided, imp_frame_info *info)
{
    feature_row r;
    feature_rows_open(m, pair->a, pair->b, pair->code, &r);
    const imp_frame *f = m->view->frame + r.frame;
    const rep_features t = ccd_step_features(m, r.frame);
    const int here = feature_rows_here(c, &r);
    if (!here && undecided) {
#pragma omp atomic
        info[r.frame].undecided--;
    }
    const uint32_t order = feature_rows_order(&r, FEATURE_KIND(pair->code));
    int wanted = here && feature_rows_wanted(&t, f, &r);
    if (wanted && undecided) {
        feature_rows_points(f, &r);
        wanted = feature_rows_within(c, m, &r);
    }
    pair->code = wanted ? order << FEATURE_CODE_BITS | pair->code : FEATURE_DROPPED;
}

static int feature_rows_choose(const context *c, ccd_step *m, size_t undecided,
                               imp_frame_info *info)
{
    feature_pair *list = m->pairs.list;
    const size_t n = m->pairs.count;
    const int all = !c->opt.whole;
#pragma omp parallel num_threads(c->threads) if (n > 256)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 256) nowait
    for (size_t i = 0; i < n; i++) {
        const uint32_t code = list[i].code;
        if (all && i >= undecided && feature_rows_plain(m, code))
            list[i].code = feature_rows_edges_order(FEATURE_I(code), FEATURE_J(code))
                               << FEATURE_CODE_BITS |
                           code;
        else if (!atomic_load(c->cancel))
            feature_rows_choose_pair(c, m, &list[i], i < undecided, info);
    }
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* The pairs with rows, as lists of their primitives a, of which the first is `from`: those of from
 * + k are list[start[k]] to list[start[k + 1]]. */
typedef struct feature_lists {
    uint32_t from, prims;
    size_t *start; /* [prims + 2] */
    feature_key *list;
} feature_lists;

static int feature_lists_open(mem *m, const feature_pair_list *of, feature_lists *out)
{
    int err = IMP_OK;
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < of->count; i++) {
        least = of->list[i].a < least ? of->list[i].a : least;
        most = of->list[i].a > most ? of->list[i].a : most;
    }
    out->from = least;
    out->prims = most - least + 1;
    TRY(mem_alloc(m, ((size_t)out->prims + 2) * sizeof *out->start, &out->start));
    TRY(mem_alloc(m, of->count * sizeof *out->list, &out->list));
out:
    return err;
}

static void feature_rows_scatter(const feature_pair_list *of, feature_lists *to)
{
    size_t *start = to->start;
    memset(start, 0, ((size_t)to->prims + 2) * sizeof *start);
    for (size_t i = 0; i < of->count; i++)
        if (of->list[i].code != FEATURE_DROPPED)
            start[of->list[i].a - to->from + 2]++;
    for (size_t a = 0; a < to->prims; a++)
        start[a + 2] += start[a + 1];
    for (size_t i = 0; i < of->count; i++)
        if (of->list[i].code != FEATURE_DROPPED)
            to->list[start[of->list[i].a - to->from + 1]++] =
                (feature_key)of->list[i].b << 32 | of->list[i].code;
}

/* Keys are in few ascending runs, with little out of place: those of two kinds, each by candidates.
 * Runs of this length are sorted by insertion, then merged; an order that is right costs nothing.
 */
#define FEATURE_RUN 16

static void feature_rows_insert(feature_key *list, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const feature_key k = list[i];
        size_t at = i;
        for (; at > 0 && list[at - 1] > k; at--)
            list[at] = list[at - 1];
        list[at] = k;
    }
}

/* Merges [0, half) and [half, n); spare: room for half of them. */
static void feature_rows_merge(feature_key *list, size_t half, size_t n, feature_key *spare)
{
    size_t i = 0, j = half, to = 0;
    if (list[half - 1] <= list[half])
        return;
    memcpy(spare, list, half * sizeof *list);
    while (i < half && j < n) {
        const int second = list[j] < spare[i];
        list[to++] = second ? list[j] : spare[i];
        j += (size_t)second;
        i += (size_t)!second;
    }
    memcpy(list + to, spare + i, (half - i) * sizeof *list);
}

static void feature_rows_sort_some(feature_key *list, size_t n, feature_key *spare)
{
    for (size_t i = 0; i < n; i += FEATURE_RUN)
        feature_rows_insert(list + i, n - i < FEATURE_RUN ? n - i : FEATURE_RUN);
    for (size_t run = FEATURE_RUN; run < n; run *= 2)
        for (size_t i = 0; i + run < n; i += 2 * run)
            feature_rows_merge(list + i, run, n - i < 2 * run ? n - i : 2 * run, spare + i);
}

/* spare: of the size of the list. */
static void feature_rows_sort(const context *c, const feature_lists *of, feature_key *spare)
{
#pragma omp parallel num_threads(c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 64) nowait
    for (uint32_t a = 0; a < of->prims; a++)
        feature_rows_sort_some(of->list + of->start[a], of->start[a + 1] - of->start[a],
                               spare + of->start[a]);
}

/* ---- imp_def.ring: pairs of features within some edges along the mesh are dropped. */

/* The pair's features, completed, without points; its primitives are those of a row. */
static void feature_rows_again(const ccd_step *m, uint32_t a, feature_key k, feature_row *out)
{
    feature_rows_open(m, a, feature_key_b(k), feature_key_code(k), out);
    if (feature_rows_plain(m, feature_key_code(k)))
        return;
    const rep_features t = ccd_step_features(m, out->frame);
    (void)feature_rows_wanted(&t, m->view->frame + out->frame, out);
}

/* The corners of a feature as bits, of which equal vertices have one. */
static uint32_t feature_rows_mask(exact_feature f, const exact_numbered *p)
{
    int at[3];
    uint32_t mask = 0;
    feature_rows_corners(f, p, at);
    for (int k = 0; k < f.vertices; k++) {
        int first = 0;
        while (p->vertex[first] != p->vertex[at[k]])
            first++;
        mask |= 1u << first;
    }
    return mask;
}

#define FEATURE_MASKS 16
#define FEATURE_OUT ((feature_key)FEATURE_MASKS << FEATURE_MASK_SHIFT) /* within the ring */
#define FEATURE_MASK (((feature_key)FEATURE_MASKS - 1) << FEATURE_MASK_SHIFT)

static uint32_t feature_key_mask(feature_key k)
{
    return (uint32_t)k >> FEATURE_MASK_SHIFT;
}

/* Marks pairs [0, n) of primitive a whose feature of a has this mask. */
static void feature_rows_leave_out(const ccd_step *m, uint32_t a, uint32_t mask, feature_key *list,
                                   size_t n, ring_search *s)
{
    int begun = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t v[3];
        if (feature_key_mask(list[i]) != mask)
            continue;
        feature_row r;
        feature_rows_again(m, a, list[i], &r);
        feature_rows_vertices_of(r.feature[0], &r.of[0], r.of[0].vertex, v);
        if (!begun)
            ring_search_begin(s, v, (uint32_t)r.feature[0].vertices);
        begun = 1;
        feature_rows_vertices_of(r.feature[1], &r.of[1], r.of[1].vertex, v);
        if (ring_search_reaches(s, v, (uint32_t)r.feature[1].vertices))
            list[i] |= FEATURE_OUT;
    }
}

static void feature_rows_find_ring_of(const ccd_step *m, uint32_t a, feature_key *list, size_t n,
                                      ring_search *s)
{
    uint32_t masks = 0;
    for (size_t i = 0; i < n; i++) {
        feature_row r;
        feature_rows_again(m, a, list[i], &r);
        const uint32_t mask = feature_rows_mask(r.feature[0], &r.of[0]);
        list[i] |= (feature_key)mask << FEATURE_MASK_SHIFT;
        masks |= 1u << mask;
    }
    for (uint32_t mask = 1; mask < FEATURE_MASKS; mask++)
        if (masks >> mask & 1)
            feature_rows_leave_out(m, a, mask, list, n, s);
}

static int feature_rows_find_ring(const context *c, const ccd_step *m, const feature_lists *of)
{
    int without = 0; /* threads without memory */
#pragma omp parallel num_threads(c->threads) reduction(+ : without)
    EACH_IN_FLOAT_ENV
    {
        ring_search s = {.of = &m->narrow->ring, .mem = c->mem, .ring = c->opt.ring};
#pragma omp for schedule(dynamic, 64) nowait
        for (uint32_t a = 0; a < of->prims; a++)
            if (!atomic_load(c->cancel))
                feature_rows_find_ring_of(m, of->from + a, of->list + of->start[a],
                                          of->start[a + 1] - of->start[a], &s);
        without += s.err != IMP_OK;
        ring_search_free(&s);
    }
    if (without) /* the text belongs to another thread */
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

static int feature_rows_ring(const context *c, ccd_step *m, feature_lists *of)
{
    int err = IMP_OK;
    size_t kept = 0;
    if (!c->opt.ring)
        return IMP_OK;
    TRY(ring_mesh_make(c->mem, m->view->frame->mesh, &m->narrow->ring));
    TRY(feature_rows_find_ring(c, m, of));
    for (uint32_t a = 0; a < of->prims; a++) {
        const size_t first = of->start[a];
        of->start[a] = kept;
        for (size_t i = first; i < of->start[a + 1]; i++)
            if (!(of->list[i] & FEATURE_OUT))
                of->list[kept++] = of->list[i] & ~FEATURE_MASK;
    }
    of->start[of->prims] = kept;
out:
    return err;
}

/* ---- delivery */

/* Keys of pairs, and their primitives a. */
typedef struct feature_source {
    const ccd_step *m;
    const feature_key *list;
    const uint32_t *owner;
} feature_source;

static int feature_rows_edges(const void *list, size_t i)
{
    const feature_source *of = list;
    return FEATURE_KIND(feature_key_code(of->list[i])) == FEATURE_EDGES;
}

static void feature_rows_add(const void *list, size_t i, near_rows *to)
{
    const feature_source *of = list;
    feature_row r;
    feature_rows_again(of->m, of->owner[i], of->list[i], &r);
    const int edges = r.feature[0].vertices == 2 && r.feature[1].vertices == 2;
    near_pair *pair = near_rows_next(to, edges);
    pair->f = of->m->view->frame + r.frame;
    pair->a = of->owner[i];
    pair->b = feature_key_b(of->list[i]);
    pair->prim[0] = r.prim[0];
    pair->prim[1] = r.prim[1];
    near_pair_set(pair, 0, r.feature[0]);
    near_pair_set(pair, 1, r.feature[1]);
    near_rows_add(to, i, edges, &r.of[0], &r.of[1]);
}

static int feature_rows_deliver(const context *c, ccd_step *m, const feature_lists *of,
                                contact_sink *sink, void *user)
{
    int err = IMP_OK;
    column_rows rows = {0};
    uint32_t *owner = NULL, a = 0;
    const size_t all = of->start[of->prims], shared = FEATURE_ROWS_THREAD * (size_t)c->threads,
                 want = shared > FEATURE_ROWS_MOST ? shared : FEATURE_ROWS_MOST,
                 most = contact_fit(c, c->opt.columns, all < want ? all : want);
    if (!all)
        return IMP_OK;
    TRY(columns_open(c->mem, &contact_table, c->opt.columns, most, &rows));
    TRY(mem_alloc(c->mem, most * sizeof *owner, &owner));
    for (size_t first = 0, n; first < all; first += n) {
        n = all - first < most ? all - first : most;
        for (size_t i = 0; i < n; i++) {
            while (of->start[a + 1] <= first + i)
                a++;
            owner[i] = of->from + a;
        }
        columns_clear(&rows);
        const feature_source from = {m, of->list + first, owner};
        TRY(near_rows_make(c, &(near_source){&from, feature_rows_edges, feature_rows_add}, n,
                           &rows));
        TRY(sink(user, m->view, &rows));
    }
out:
    columns_close(&rows);
    mem_free(c->mem, owner);
    return err;
}

int feature_rows_emit(const context *c, ccd_step *m, size_t undecided, imp_frame_info *info,
                      contact_sink *sink, void *user)
{
    int err = IMP_OK;
    feature_lists of = {0};
    feature_key *spare = NULL;
    if (!m->pairs.count)
        return IMP_OK;
    TRY(feature_rows_choose(c, m, undecided, info));
    TRY(feature_lists_open(c->mem, &m->pairs, &of));
    feature_rows_scatter(&m->pairs, &of);
    TRY(feature_rows_ring(c, m, &of));
    TRY(mem_alloc(c->mem, of.start[of.prims] * sizeof *spare, &spare));
    feature_rows_sort(c, &of, spare);
    TRY(feature_rows_deliver(c, m, &of, sink, user));
out:
    mem_free(c->mem, spare);
    mem_free(c->mem, of.start);
    mem_free(c->mem, of.list);
    return err;
}

/* ---- imp_def.verify */

typedef struct feature_query {
    const context *c;
    const ccd_step *m;
} feature_query;

static int feature_rows_missed(const void *user, const sampled *p)
{
    const feature_query *of = user;
    feature_row r;
    feature_rows_open(of->m, p->a, p->b, p->code, &r);
    feature_rows_points(of->m->view->frame + r.frame, &r);
    return !p->verdict && feature_rows_within(of->c, of->m, &r);
}

int feature_rows_verify(const context *c, ccd_step *m)
{
    return ccd_step_verify_with(c, m, feature_rows_missed, &(feature_query){c, m});
}
