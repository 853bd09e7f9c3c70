/* All features of the primitives of a frame or a step, and the pairs of features within a distance:
 * see truth.h. Each feature is listed for each primitive that has it; sorted, the first of equal
 * ones has the first owner and the least number. */
#include "error.h"
#include "frame.h"
#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list */

#define FEATURES_MOST 14 /* features of a tetrahedron */

/* Adds v to an ascending list of vertices unless it is there. */
static void truth_features_insert(uint32_t vertex[3], uint32_t v)
{
    int at = 0;
    while (vertex[at] < v)
        at++;
    if (vertex[at] == v)
        return;
    for (int k = 2; k > at; k--)
        vertex[k] = vertex[k - 1];
    vertex[at] = v;
}

static void truth_features_add(const imp_mesh *m, uint32_t prim, uint32_t vertices,
                               const uint32_t *vertex, int64_t value, truth_features *out)
{
    truth_feature p = {.object = m->object ? m->object[prim] : 0,
                       .vertices = vertices,
                       .vertex = {NO_VERTEX, NO_VERTEX, NO_VERTEX},
                       .owner = prim,
                       .value = value};
    for (uint32_t k = 0; k < vertices; k++)
        truth_features_insert(p.vertex, vertex[k]);
    if (vertices != 2 || vertex[0] != vertex[1])
        out->list[out->count++] = p;
}

static void truth_features_add_prim(const imp_mesh *m, uint32_t i, truth_features *out)
{
    uint32_t v[3];
    for (int k = 0; k < truth_corners(m, i); k++) {
        v[0] = mesh_vertex(m, i, (uint32_t)k);
        truth_features_add(m, i, 1, v, v[0], out);
    }
    for (int k = 0; k < feature_edge_count(m, i); k++) {
        feature_edge_vertices(m, i, k, v);
        truth_features_add(m, i, 2, v, k, out);
    }
    for (int k = 0; k < feature_face_count(m, i); k++) {
        feature_face_vertices(m, i, k, v);
        truth_features_add(m, i, 3, v, -1 - k, out);
    }
}

/* The order of features, whoever owns them. */
static int truth_features_order(const truth_feature *p, const truth_feature *q)
{
    if (p->object != q->object)
        return p->object < q->object ? -1 : 1;
    if (p->vertices != q->vertices)
        return p->vertices < q->vertices ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (p->vertex[k] != q->vertex[k])
            return p->vertex[k] < q->vertex[k] ? -1 : 1;
    return 0;
}

static int truth_features_compare(const void *x, const void *y)
{
    const truth_feature *p = x, *q = y;
    const int order = truth_features_order(p, q);
    if (order || p->owner != q->owner)
        return order ? order : p->owner < q->owner ? -1 : 1;
    return (p->value > q->value) - (p->value < q->value);
}

/* Keeps the first of equal features. alone: faces of several primitives differ. */
static void truth_features_unite(int alone, truth_features *t)
{
    size_t kept = 0;
    if (t->count)
        qsort(t->list, t->count, sizeof *t->list, truth_features_compare);
    for (size_t i = 0; i < t->count; i++) {
        const truth_feature *p = &t->list[i], *before = &t->list[kept ? kept - 1 : 0];
        if (!kept || truth_features_order(p, before) ||
            (alone && p->vertices == 3 && p->owner != before->owner))
            t->list[kept++] = *p;
    }
    t->count = kept;
}

/* The feature of an object with these vertices, ascending, is part of another one. */
static void truth_features_not_lone(truth_features *t, int32_t object, uint32_t vertices,
                                    uint32_t v, uint32_t w)
{
    const truth_feature key = {.object = object, .vertices = vertices, .vertex = {v, w, NO_VERTEX}};
    size_t lo = 0, hi = t->count;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        *(truth_features_order(&t->list[middle], &key) <= 0 ? &lo : &hi) = middle;
    }
    t->list[lo].lone = 0;
}

static void truth_features_find_lone(truth_features *t)
{
    for (size_t i = 0; i < t->count; i++)
        t->list[i].lone = t->list[i].vertices < 3;
    for (size_t i = 0; i < t->count; i++) {
        const truth_feature p = t->list[i];
        for (int k = 0; k < 2 && p.vertices == 2; k++)
            truth_features_not_lone(t, p.object, 1, p.vertex[k], NO_VERTEX);
        for (int k = 0; k < 3 && p.vertices == 3 && p.vertex[2] != NO_VERTEX; k++)
            truth_features_not_lone(t, p.object, 2, p.vertex[k == 2], p.vertex[k ? 2 : 1]);
    }
}

/* ---- tetrahedra by vertex */

static int truth_features_finite(const truth_case *c, uint32_t i)
{
    truth_box box;
    return truth_prim_box(c, i, &box);
}

/* Each tetrahedron stands once at each corner. */
static int truth_features_list_tets(mem *m, const truth_case *c, truth_features *t)
{
    int err = IMP_OK;
    const imp_mesh *mesh = c->f[0]->mesh;
    const uint32_t corners = mesh_corners(mesh) == IMP_TETRAHEDRA ? 4 : 0;
    TRY(mem_alloc(m, ((size_t)mesh->vertices + 2) * sizeof *t->first, &t->first));
    TRY(mem_alloc(m, (size_t)corners * mesh->primitives * sizeof *t->tet, &t->tet));
    memset(t->first, 0, ((size_t)mesh->vertices + 2) * sizeof *t->first);
    for (int put = 0; put < 2; put++) {
        for (uint32_t i = 0; i < mesh->primitives; i++)
            for (uint32_t k = 0; k < corners && truth_corners(mesh, i) == 4; k++) {
                uint32_t *at = &t->first[mesh_vertex(mesh, i, k) + (put ? 1 : 2)];
                if (put)
                    t->tet[*at] = i;
                ++*at;
            }
        for (uint32_t v = 0; v < mesh->vertices && !put; v++)
            t->first[v + 2] += t->first[v + 1];
    }
out:
    return err;
}

int truth_features_open(mem *m, const truth_case *c, truth_features *out)
{
    int err = IMP_OK;
    const imp_mesh *mesh = c->f[0]->mesh;
    size_t most = 0;
    *out = (truth_features){0};
    for (uint32_t i = 0; i < mesh->primitives; i++)
        most += truth_corners(mesh, i) == 4 ? FEATURES_MOST : 7;
    TRY(mem_alloc(m, most * sizeof *out->list, &out->list));
    for (uint32_t i = 0; i < mesh->primitives; i++)
        if (truth_features_finite(c, i))
            truth_features_add_prim(mesh, i, out);
    truth_features_unite(c->frames > 1 && mesh_corners(mesh) == IMP_TRIANGLES, out);
    truth_features_find_lone(out);
    TRY(truth_features_list_tets(m, c, out));
out:
    return err;
}

void truth_features_close(mem *m, truth_features *t)
{
    mem_free(m, t->list);
    mem_free(m, t->first);
    mem_free(m, t->tet);
    *t = (truth_features){0};
}

truth_box truth_feature_box(const truth_case *c, uint32_t i)
{
    const truth_feature *p = &c->features->list[i];
    truth_box b = truth_box_empty(i);
    double x[3];
    for (int f = 0; f < c->frames; f++)
        for (int k = 0; k < 3 && p->vertex[k] != NO_VERTEX; k++) {
            frame_vertex(c->f[f], p->vertex[k], x);
            truth_box_extend(&b, x);
        }
    return b;
}

int truth_features_joined(const truth_feature *p, const truth_feature *q)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (p->vertex[i] != NO_VERTEX && p->vertex[i] == q->vertex[j])
                return 1;
    return 0;
}

/* ---- pairs of a frame */

/* enum imp_kind; 0: they are no pair */
static int truth_features_kind(const truth_feature *p, const truth_feature *q)
{
    const uint32_t n = p->vertices + q->vertices;
    if (n > 4 || (p->vertices == 3 && p->vertex[2] == NO_VERTEX) ||
        (q->vertices == 3 && q->vertex[2] == NO_VERTEX))
        return 0;
    if (n == 4)
        return p->vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
    if (!p->lone || !q->lone)
        return 0;
    return n == 3 ? IMP_KIND_VERTEX_EDGE : IMP_KIND_VERTEX_VERTEX;
}

static int truth_features_within_tet(const imp_mesh *m, uint32_t tet, const truth_feature *p)
{
    for (int k = 0; k < 3 && p->vertex[k] != NO_VERTEX; k++) {
        int has = 0;
        for (uint32_t i = 0; i < 4; i++)
            has |= mesh_vertex(m, tet, i) == p->vertex[k];
        if (!has)
            return 0;
    }
    return 1;
}

/* Returns whether a tetrahedron of their object has all vertices of both. */
static int truth_features_of_one_tet(const truth_case *c, const truth_feature *p,
                                     const truth_feature *q)
{
    const imp_mesh *m = c->f[0]->mesh;
    const truth_features *t = c->features;
    const uint32_t v = p->vertex[0];
    for (uint32_t i = t->first[v]; i < t->first[v + 1] && p->object == q->object; i++) {
        const uint32_t tet = t->tet[i];
        if ((m->object ? m->object[tet] : 0) == p->object && truth_features_within_tet(m, tet, p) &&
            truth_features_within_tet(m, tet, q))
            return 1;
    }
    return 0;
}

static int truth_features_wanted(const truth_case *c, const truth_feature *p,
                                 const truth_feature *q)
{
    return p->owner != q->owner && (!c->wanted || c->wanted[p->owner] || c->wanted[q->owner]) &&
           !truth_features_joined(p, q) && truth_objects_wanted(c, p->object, q->object) &&
           !truth_features_of_one_tet(c, p, q);
}

/* The number of vertices of the feature that a row has in primitive a or b. Of a vertex and an edge
 * without faces the vertex has no edge, so its primitive has no other vertex. */
static uint32_t truth_features_vertices(const imp_mesh *m, int kind, uint32_t prim, int64_t value)
{
    int edge = kind == IMP_KIND_EDGE_EDGE;
    for (uint32_t k = 1; k < 4 && kind == IMP_KIND_VERTEX_EDGE; k++)
        edge |= mesh_vertex(m, prim, k) != mesh_vertex(m, prim, 0);
    return value < 0 ? 3 : edge ? 2 : 1;
}

/* Each feature as a primitive of its own, with its corners in the order of the owner. */
static nearest_case truth_features_case(const imp_frame *f, const truth_row *row)
{
    const uint32_t prim[2] = {row->a, row->b};
    const int64_t value[2] = {row->feature_a, row->feature_b};
    nearest_case c = {{{0}, {{{0}}}}, {{0}}};
    for (int n = 0; n < 2; n++) {
        const uint32_t vertices = truth_features_vertices(f->mesh, row->kind, prim[n], value[n]);
        if (vertices == 1)
            c.vertex[n][0] = (uint32_t)value[n];
        else if (vertices == 2)
            feature_edge_vertices(f->mesh, prim[n], (int)value[n], c.vertex[n]);
        else
            feature_face_vertices(f->mesh, prim[n], (int)(-1 - value[n]), c.vertex[n]);
        c.of.corners[n] = (int)vertices;
        for (uint32_t k = 0; k < vertices; k++)
            frame_vertex(f, c.vertex[n][k], c.of.x[n][k]);
    }
    return c;
}

void truth_features_of_row(const imp_frame *f, const truth_row *row, truth_vertices out[2])
{
    const nearest_case c = truth_features_case(f, row);
    for (int n = 0; n < 2; n++) {
        out[n].count = (uint32_t)c.of.corners[n];
        memcpy(out[n].vertex, c.vertex[n], sizeof out[n].vertex);
    }
}

static int truth_features_examine(const truth_case *c, oracle *o, truth_row *row)
{
    const truth_feature *list = c->features->list, *p = &list[row->a], *q = &list[row->b];
    const truth_feature *first = p->owner < q->owner ? p : q, *last = first == p ? q : p;
    const int kind = truth_features_kind(p, q);
    (void)o;
    if (!kind || !truth_features_wanted(c, p, q))
        return 0;
    *row = (truth_row){.a = first->owner,
                       .b = last->owner,
                       .kind = kind,
                       .feature_a = first->value,
                       .feature_b = last->value};
    const nearest_case pair = truth_features_case(c->f[0], row);
    double thickness[2];
    if (!c->def->thickness && !oracle_prims_within(&pair.of, c->def->distance))
        return 0;
    if (c->def->thickness) {
        truth_thickness(c->f[0], row->a, row->b, thickness);
        if (!oracle_within_thickness(&pair.of, thickness))
            return 0;
        (void)oracle_depth(&pair.of, thickness, &row->penetration, &row->relative);
    }
    row->distance = oracle_features_distance(&pair);
    return 1;
}

int truth_features_find(mem *m, const truth_case *c, int threads, truth *out)
{
    int err = IMP_OK;
    truth_features all;
    truth_case with = *c;
    *out = (truth){0};
    with.features = &all;
    TRY(truth_features_open(m, &with, &all));
    TRY(truth_sweep(m, &with, truth_features_examine, threads, out));
out:
    truth_features_close(m, &all);
    return err;
}

/* ---- pairs that are left out */

typedef struct truth_feature_pair {
    int64_t side[2][4]; /* the object, and the vertices, descending, -1 if there are fewer */
} truth_feature_pair;

static int truth_feature_pair_compare(const void *x, const void *y)
{
    const int64_t *p = x, *q = y;
    for (int k = 0; k < 8; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

/* Writes the greatest vertex, then the greatest one below it, and so on. */
static void truth_feature_pair_side(int32_t object, const truth_vertices *v, int64_t out[4])
{
    out[0] = object;
    for (int k = 1; k < 4; k++) {
        out[k] = -1;
        for (uint32_t i = 0; i < v->count; i++)
            if ((k == 1 || v->vertex[i] < out[k - 1]) && v->vertex[i] > out[k])
                out[k] = v->vertex[i];
    }
}

/* The side with the greater numbers is the first one. */
static truth_feature_pair truth_feature_pair_of(const imp_frame *f, const truth_row *row)
{
    truth_vertices v[2];
    truth_feature_pair out, turned;
    const int32_t *object = f->mesh->object;
    truth_features_of_row(f, row, v);
    truth_feature_pair_side(object ? object[row->a] : 0, &v[0], out.side[0]);
    truth_feature_pair_side(object ? object[row->b] : 0, &v[1], out.side[1]);
    memcpy(turned.side[0], out.side[1], sizeof out.side[1]);
    memcpy(turned.side[1], out.side[0], sizeof out.side[0]);
    return truth_feature_pair_compare(&out, &turned) > 0 ? out : turned;
}

int truth_feature_pairs_make(mem *m, const imp_frame *f, const truth *rows,
                             truth_feature_pairs *out)
{
    int err = IMP_OK;
    *out = (truth_feature_pairs){0};
    TRY(mem_alloc(m, rows->count * sizeof *out->list, &out->list));
    for (size_t i = 0; i < rows->count; i++)
        out->list[out->count++] = truth_feature_pair_of(f, &rows->row[i]);
    if (out->count)
        qsort(out->list, out->count, sizeof *out->list, truth_feature_pair_compare);
out:
    return err;
}

void truth_feature_pairs_leave_out(const imp_frame *f, const truth_feature_pairs *pairs,
                                   truth *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const truth_feature_pair key = truth_feature_pair_of(f, &rows->row[i]);
        if (!pairs->count ||
            !bsearch(&key, pairs->list, pairs->count, sizeof key, truth_feature_pair_compare))
            rows->row[kept++] = rows->row[i];
    }
    rows->count = kept;
}

/* ---- a claim */

/* The weights of the feature's vertices, each of which stands at the first corner with its vertex.
 * Returns 0 if another corner has one. */
static int truth_features_weights(const imp_mesh *m, uint32_t prim, int vertices,
                                  const uint32_t vertex[4], const double from[4], double to[4])
{
    int good = 1, seen = 0;
    memset(to, 0, 4 * sizeof *to);
    for (uint32_t k = 0; k < 4; k++) {
        int of = -1;
        for (int i = 0; i < vertices && k < (uint32_t)truth_corners(m, prim); i++)
            if (vertex[i] == mesh_vertex(m, prim, k) && !(seen >> i & 1))
                of = i;
        if (of < 0) {
            good &= from[k] == 0 && !signbit(from[k]);
            continue;
        }
        seen |= 1 << of;
        to[of] = from[k];
    }
    return good;
}

const char *truth_features_fault(const imp_frame *f, uint32_t a, uint32_t b,
                                 const truth_claim *claim)
{
    const uint32_t prim[2] = {a, b};
    nearest_claim nearest = *claim->nearest;
    const truth_row row = {.a = a,
                           .b = b,
                           .kind = claim->kind,
                           .feature_a = nearest.feature[0],
                           .feature_b = nearest.feature[1]};
    const nearest_case c = truth_features_case(f, &row);
    if (claim->deep && (claim->collisions || claim->depth != 0))
        return "it has collision points or a depth";
    for (int n = 0; n < 2; n++) {
        if (!truth_features_weights(f->mesh, prim[n], c.of.corners[n], c.vertex[n],
                                    claim->nearest->weight[n], nearest.weight[n]))
            return "a corner outside the feature has a weight";
        if (c.of.corners[n] > 1)
            nearest.feature[n] = c.of.corners[n] == 2 ? 0 : -1;
    }
    return oracle_features_fault(&c, &nearest);
}
