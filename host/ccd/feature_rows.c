/* See feature_rows.h. */
#include "feature_rows.h"

#include "block_view.h"
#include "error.h"
#include "float_env.h"
#include "mem.h"
#include "near_rows.h"

#include <stdlib.h>
#include <string.h>

#define FEATURE_ROWS_MOST (1u << 14) /* rows at a time */

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
    if (f.vertices == 3 && p->of.corners < 4)
        return (exact_feature){3, 0};
    if (p->of.corners < 4 || p->vertex[2] != p->vertex[3])
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

/* Sets all but the points, which most steps do not need. */
static void feature_rows_open(const ccd_step *m, uint32_t a, uint32_t b, uint32_t code,
                              feature_row *out)
{
    const uint32_t frame = ccd_step_frame(m, a), first = ccd_step_first_prim(m, frame);
    const imp_frame *f = m->view->frame + frame;
    const int kind = (int)FEATURE_KIND(code), edges = kind == FEATURE_EDGES;
    const exact_feature of[2] = {{edges                         ? 2
                                  : kind == FEATURE_FACE_CORNER ? 3
                                                                : 1,
                                  (int)FEATURE_I(code)},
                                 {edges                         ? 2
                                  : kind == FEATURE_CORNER_FACE ? 3
                                                                : 1,
                                  (int)FEATURE_J(code)}};
    out->frame = frame;
    out->prim[0] = a - first;
    out->prim[1] = b - first;
    for (int n = 0; n < 2; n++) {
        exact_numbers_of(f->mesh, out->prim[n], &out->of[n]);
        out->feature[n] = feature_rows_in_mesh(f->mesh, out->prim[n], &out->of[n], of[n]);
    }
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
    const int n = feature_rows_all(r, all);
    if (mesh_corners(f->mesh) < IMP_TETRAHEDRA)
        return 0;
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

/* A feature pair to be sorted among those of one primitive a. */
typedef struct sorted_feature {
    uint32_t b, code;
    uint64_t order; /* ascends with the kind, then with the features */
} sorted_feature;

#define FEATURE_DROPPED UINT32_MAX

/* Increases with (kind, feature_a, feature_b): faces have negative numbers. */
static uint64_t feature_rows_order(const feature_row *r, uint32_t code)
{
    const exact_feature i = r->feature[0], j = r->feature[1];
    const uint64_t kind = FEATURE_KIND(code);
    if (kind == FEATURE_FACE_CORNER)
        return (uint64_t)(3 - i.number) << 40 | r->of[1].vertex[j.number];
    if (kind == FEATURE_CORNER_FACE)
        return UINT64_C(1) << 62 | (uint64_t)r->of[0].vertex[i.number] << 8 |
               (uint64_t)(3 - j.number);
    return UINT64_C(1) << 63 | (uint64_t)i.number << 4 | (uint64_t)j.number;
}

static int feature_rows_compare(const void *p, const void *q)
{
    const sorted_feature *x = p, *y = q;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
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

/* Pairs without a row get the code FEATURE_DROPPED. Those of another part are not counted. */
static int feature_rows_choose(const context *c, ccd_step *m, size_t undecided,
                               imp_frame_info *info)
{
    feature_pair *list = m->pairs.list;
    const size_t n = m->pairs.count;
#pragma omp parallel num_threads(c->threads) if (n > 256)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 256) nowait
    for (size_t i = 0; i < n; i++) {
        if (atomic_load(c->cancel))
            continue;
        feature_row r;
        feature_rows_open(m, list[i].a, list[i].b, list[i].code, &r);
        const imp_frame *f = m->view->frame + r.frame;
        const rep_features t = ccd_step_features(m, r.frame);
        const int here = feature_rows_here(c, &r);
        if (!here && i < undecided) {
#pragma omp atomic
            info[r.frame].undecided--;
        }
        int wanted = here && feature_rows_wanted(&t, f, &r);
        if (wanted && i < undecided) {
            feature_rows_points(f, &r);
            wanted = feature_rows_within(c, m, &r);
        }
        list[i].code = wanted ? list[i].code : FEATURE_DROPPED;
    }
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* Moves the pairs with rows to lists of their primitives a: those of a are [start[a], start[a +
 * 1]). */
static void feature_rows_scatter(ccd_step *m, uint32_t prims, size_t *start, sorted_feature *out)
{
    const feature_pair *list = m->pairs.list;
    const size_t n = m->pairs.count;
    memset(start, 0, ((size_t)prims + 2) * sizeof *start);
    for (size_t i = 0; i < n; i++)
        if (list[i].code != FEATURE_DROPPED)
            start[list[i].a + 2]++;
    for (size_t a = 0; a < prims; a++)
        start[a + 2] += start[a + 1];
    for (size_t i = 0; i < n; i++)
        if (list[i].code != FEATURE_DROPPED)
            out[start[list[i].a + 1]++] = (sorted_feature){list[i].b, list[i].code, 0};
}

static void feature_rows_sort(const context *c, const ccd_step *m, uint32_t prims,
                              const size_t *start, sorted_feature *list)
{
#pragma omp parallel num_threads(c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 64) nowait
    for (uint32_t a = 0; a < prims; a++) {
        for (size_t i = start[a]; i < start[a + 1]; i++) {
            feature_row r;
            feature_rows_open(m, a, list[i].b, list[i].code, &r);
            list[i].order = feature_rows_order(&r, list[i].code);
        }
        qsort(list + start[a], start[a + 1] - start[a], sizeof *list, feature_rows_compare);
    }
}

/* ---- imp_def.ring: pairs of features within some edges along the mesh are dropped. */

/* The pair's features, completed, without points; its primitives are those of a row. */
static void feature_rows_again(const ccd_step *m, uint32_t a, const sorted_feature *s,
                               feature_row *out)
{
    feature_rows_open(m, a, s->b, s->code, out);
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

/* Drops pairs [0, n) of primitive a, whose `order` is the mask of its feature. */
static void feature_rows_leave_out(const ccd_step *m, uint32_t a, uint32_t mask,
                                   sorted_feature *list, size_t n, ring_search *s)
{
    int begun = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t v[3];
        if (list[i].order != mask)
            continue;
        feature_row r;
        feature_rows_again(m, a, &list[i], &r);
        feature_rows_vertices_of(r.feature[0], &r.of[0], r.of[0].vertex, v);
        if (!begun)
            ring_search_begin(s, v, (uint32_t)r.feature[0].vertices);
        begun = 1;
        feature_rows_vertices_of(r.feature[1], &r.of[1], r.of[1].vertex, v);
        if (ring_search_reaches(s, v, (uint32_t)r.feature[1].vertices))
            list[i].code = FEATURE_DROPPED;
    }
}

#define FEATURE_MASKS 16

static int feature_rows_find_ring(const context *c, const ccd_step *m, uint32_t prims,
                                  const size_t *start, sorted_feature *list)
{
    int without = 0; /* threads without memory */
#pragma omp parallel num_threads(c->threads) reduction(+ : without)
    EACH_IN_FLOAT_ENV
    {
        ring_search s = {.of = &m->narrow->ring, .mem = c->mem, .ring = c->opt.ring};
#pragma omp for schedule(dynamic, 64) nowait
        for (uint32_t a = 0; a < prims; a++) {
            sorted_feature *of = list + start[a];
            const size_t n = atomic_load(c->cancel) ? 0 : start[a + 1] - start[a];
            uint32_t masks = 0;
            for (size_t i = 0; i < n; i++) {
                feature_row r;
                feature_rows_again(m, a, &of[i], &r);
                of[i].order = feature_rows_mask(r.feature[0], &r.of[0]);
                masks |= 1u << of[i].order;
            }
            for (uint32_t mask = 1; mask < FEATURE_MASKS; mask++)
                if (masks >> mask & 1)
                    feature_rows_leave_out(m, a, mask, of, n, &s);
        }
        without += s.err != IMP_OK;
        ring_search_free(&s);
    }
    if (without) /* the text belongs to another thread */
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

static int feature_rows_ring(const context *c, ccd_step *m, uint32_t prims, size_t *start,
                             sorted_feature *list)
{
    int err = IMP_OK;
    size_t kept = 0;
    if (!c->opt.ring)
        return IMP_OK;
    TRY(ring_mesh_make(c->mem, m->view->frame->mesh, &m->narrow->ring));
    TRY(feature_rows_find_ring(c, m, prims, start, list));
    for (uint32_t a = 0; a < prims; a++) {
        const size_t first = start[a];
        start[a] = kept;
        for (size_t i = first; i < start[a + 1]; i++)
            if (list[i].code != FEATURE_DROPPED)
                list[kept++] = list[i];
    }
    start[prims] = kept;
out:
    return err;
}

/* ---- delivery */

static void feature_rows_add(const ccd_step *m, uint32_t a, const sorted_feature *s, near_rows *to,
                             size_t i)
{
    feature_row r;
    feature_rows_again(m, a, s, &r);
    near_rows_add(to, i,
                  &(near_pair){m->view->frame + r.frame,
                               a,
                               s->b,
                               {r.prim[0], r.prim[1]},
                               &r.of[0],
                               &r.of[1],
                               r.feature[0],
                               r.feature[1]});
}

/* The primitive a of pair i. */
static uint32_t feature_rows_owner(const size_t *start, uint32_t prims, size_t i)
{
    uint32_t lo = 0, hi = prims;
    while (hi - lo > 1) {
        const uint32_t middle = lo + (hi - lo) / 2;
        *(start[middle] <= i ? &lo : &hi) = middle;
    }
    return lo;
}

static int feature_rows_make(const context *c, const ccd_step *m, const sorted_feature *list,
                             const uint32_t *owner, size_t n, column_rows *out)
{
    int without = 0; /* threads without memory */
#pragma omp parallel num_threads(c->threads) reduction(+ : without) if (n > 64)
    EACH_IN_FLOAT_ENV
    {
        near_rows *to = NULL;
        without += near_rows_open(c, out, &to) != IMP_OK;
#pragma omp for schedule(dynamic, 256) nowait
        for (size_t i = 0; i < n; i++)
            if (to && !atomic_load(c->cancel))
                feature_rows_add(m, owner[i], &list[i], to, i);
        near_rows_close(to);
    }
    if (without) /* the text belongs to another thread */
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    out->count = n;
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

static int feature_rows_deliver(const context *c, ccd_step *m, const sorted_feature *list,
                                const size_t *start, uint32_t prims, contact_sink *sink, void *user)
{
    int err = IMP_OK;
    column_rows rows = {0};
    uint32_t *owner = NULL, a = 0;
    const size_t all = start[prims],
                 most = contact_fit(c, c->opt.columns,
                                    all < FEATURE_ROWS_MOST ? all : FEATURE_ROWS_MOST);
    if (!all)
        return IMP_OK;
    TRY(columns_open(c->mem, &contact_table, c->opt.columns, most, &rows));
    TRY(mem_alloc(c->mem, most * sizeof *owner, &owner));
    a = feature_rows_owner(start, prims, 0);
    for (size_t first = 0, n; first < all; first += n) {
        n = all - first < most ? all - first : most;
        for (size_t i = 0; i < n; i++) {
            while (start[a + 1] <= first + i)
                a++;
            owner[i] = a;
        }
        columns_clear(&rows);
        columns_zero(&rows, 0);
        TRY(feature_rows_make(c, m, list + first, owner, n, &rows));
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
    const uint32_t prims = m->view->prims;
    size_t *start = NULL;
    sorted_feature *list = NULL;
    if (!m->pairs.count)
        return IMP_OK;
    TRY(feature_rows_choose(c, m, undecided, info));
    TRY(mem_alloc(c->mem, ((size_t)prims + 2) * sizeof *start, &start));
    TRY(mem_alloc(c->mem, m->pairs.count * sizeof *list, &list));
    feature_rows_scatter(m, prims, start, list);
    mem_free(c->mem, m->pairs.list);
    m->pairs = (feature_pair_list){0};
    TRY(feature_rows_ring(c, m, prims, start, list));
    feature_rows_sort(c, m, prims, start, list);
    TRY(feature_rows_deliver(c, m, list, start, prims, sink, user));
out:
    mem_free(c->mem, start);
    mem_free(c->mem, list);
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
