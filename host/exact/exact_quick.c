/* exact_measure.h in double-double numbers (lane_measure.h): the same results where their errors
 * leave no doubt, in a twentieth of the time. */
#include "exact.h"
#include "exact_measure.h"
#include "lane_vec.h"
#include "lane_measure.h"

typedef struct quick_features {
    const exact_point *p, *q;
    double unit, scale; /* differences are in units of `unit`, a power of two; 1 / unit */
} quick_features;

/* The nearest points of two parts. Weights have the order of the vertices of parts with several. */
typedef struct quick_part {
    measured_feature part[2];
    measure m;
} quick_part;

static v3 quick_at(const exact_point *p, const measured_feature *f, int k)
{
    const double *x = p[f->corner[k < f->vertices ? k : 0]].x;
    return v3_make(x[0], x[1], x[2]);
}

/* ---- parts. Each function returns 1; 0: a foot is certainly outside; -1: in doubt. */

static int quick_found(const quick_part *r)
{
    return r->m.sure ? 1 : r->m.outside ? 0 : -1;
}

static measured_feature quick_vertex(const measured_feature *of, int k)
{
    return (measured_feature){1, {of->corner[k]}};
}

static measured_feature quick_edge(const measured_feature *face, int k)
{
    return (measured_feature){2, {face->corner[k], face->corner[(k + 1) % 3]}};
}

static int quick_vertices(const quick_features *x, const measured_feature *i,
                          const measured_feature *j, quick_part *out)
{
    *out = (quick_part){{*i, *j},
                        measure_vertices(quick_at(x->p, i, 0), quick_at(x->q, j, 0), x->scale)};
    return quick_found(out);
}

/* Exchanges p and q. */
static quick_features quick_turned(const quick_features *x)
{
    return (quick_features){x->q, x->p, x->unit, x->scale};
}

static void quick_turn(quick_part *r)
{
    const measured_feature part = r->part[0];
    r->part[0] = r->part[1];
    r->part[1] = part;
    r->m.way = v3_scale(r->m.way, -1);
}

/* A vertex of p, and the inside of an edge of q. */
static int quick_along_edge(const quick_features *x, const measured_feature *i,
                            const measured_feature *edge, quick_part *out)
{
    *out = (quick_part){{*i, *edge},
                        measure_vertex_edge(quick_at(x->p, i, 0), quick_at(x->q, edge, 0),
                                            quick_at(x->q, edge, 1), x->scale)};
    return quick_found(out);
}

static int quick_vertex_edge(const quick_features *x, const measured_feature *i,
                             const measured_feature *edge, quick_part *out)
{
    const int found = quick_along_edge(x, i, edge, out);
    const measured_feature end = quick_vertex(edge, out->m.weight[1].hi > MEASURE_SURE);
    return out->m.outside ? quick_vertices(x, i, &end, out) : found;
}

static int quick_over_face(const quick_features *x, const measured_feature *i,
                           const measured_feature *face, quick_part *out)
{
    *out =
        (quick_part){{*i, *face},
                     measure_over_face(quick_at(x->p, i, 0), quick_at(x->q, face, 0),
                                       quick_at(x->q, face, 1), quick_at(x->q, face, 2), x->scale)};
    return quick_found(out);
}

static int quick_between_edges(const quick_features *x, const measured_feature *i,
                               const measured_feature *j, quick_part *out)
{
    *out =
        (quick_part){{*i, *j},
                     measure_between_edges(quick_at(x->p, i, 0), quick_at(x->p, i, 1),
                                           quick_at(x->q, j, 0), quick_at(x->q, j, 1), x->scale)};
    return quick_found(out);
}

/* ---- the nearest part */

static int quick_same_part(const measured_feature *a, const measured_feature *b)
{
    if (a->vertices != b->vertices)
        return 0;
    for (int k = 0; k < a->vertices; k++)
        if (a->corner[k] != b->corner[k])
            return 0;
    return 1;
}

/* Keeps the nearer one in *best. Returns 0 if that is in doubt. */
static int quick_keep(quick_part *best, const quick_part *r)
{
    if (quick_same_part(&best->part[0], &r->part[0]) &&
        quick_same_part(&best->part[1], &r->part[1]))
        return 1;
    const measure *m = &r->m, *b = &best->m;
    const double less = two_less(m->distance, b->distance).hi;
    const double error = 2 * (m->distance.hi * m->error + b->distance.hi * b->error + MEASURE_SURE);
    if (less < -error)
        *best = *r;
    return less < -error || less > error;
}

/* All parts are compared. */
static int quick_any_of_face(const quick_features *x, const measured_feature *i,
                             const measured_feature *face, quick_part *out)
{
    quick_part next;
    const int over = quick_over_face(x, i, face, out);
    if (over)
        return over > 0;
    for (int k = 0; k < 3; k++) {
        const measured_feature edge = quick_edge(face, k);
        if (quick_vertex_edge(x, i, &edge, k ? &next : out) < 0 || (k && !quick_keep(out, &next)))
            return 0;
    }
    return 1;
}

static int quick_vertex_face(const quick_features *x, const measured_feature *i,
                             const measured_feature *face, quick_part *out)
{
    lane_mask open;
    const int place =
        (int)measure_near_face(quick_at(x->p, i, 0), quick_at(x->q, face, 0),
                               quick_at(x->q, face, 1), quick_at(x->q, face, 2), x->scale, &open);
    if (open || place == MEASURE_OVER_FACE)
        return quick_any_of_face(x, i, face, out);
    const measured_feature part =
        place < 3 ? quick_vertex(face, place) : quick_edge(face, place - 3);
    return (place < 3 ? quick_vertices(x, i, &part, out) : quick_along_edge(x, i, &part, out)) > 0;
}

/* The nearest points of end k of both edges, 0 and 1 of i, and the other edge. */
static int quick_end(const quick_features *x, const measured_feature *i, const measured_feature *j,
                     int k, quick_part *out)
{
    const quick_features turned = quick_turned(x);
    const measured_feature end = quick_vertex(k < 2 ? i : j, k % 2);
    const int found =
        k < 2 ? quick_vertex_edge(x, &end, j, out) : quick_vertex_edge(&turned, &end, i, out);
    if (k >= 2)
        quick_turn(out);
    return found;
}

static int quick_any_of_edges(const quick_features *x, const measured_feature *i,
                              const measured_feature *j, quick_part *out)
{
    quick_part next;
    const int between = quick_between_edges(x, i, j, out);
    if (between)
        return between > 0;
    for (int k = 0; k < 4; k++)
        if (quick_end(x, i, j, k, k ? &next : out) < 0 || (k && !quick_keep(out, &next)))
            return 0;
    return 1;
}

static int quick_edges(const quick_features *x, const measured_feature *i,
                       const measured_feature *j, quick_part *out)
{
    lane_mask open;
    const int place =
        (int)measure_near_edges(quick_at(x->p, i, 0), quick_at(x->p, i, 1), quick_at(x->q, j, 0),
                                quick_at(x->q, j, 1), x->scale, &open);
    if (open || place == MEASURE_BETWEEN_EDGES)
        return quick_any_of_edges(x, i, j, out);
    return quick_end(x, i, j, place / 3 < 2 ? place / 3 : 2 + place % 3, out) > 0;
}

/* Returns 0 if a part is in doubt. */
static int quick_find(const quick_features *x, const measured_feature *i, const measured_feature *j,
                      quick_part *out)
{
    if (i->vertices > j->vertices) {
        const quick_features turned = quick_turned(x);
        const int found = quick_find(&turned, j, i, out);
        quick_turn(out);
        return found;
    }
    return i->vertices == 2   ? quick_edges(x, i, j, out)
           : j->vertices == 3 ? quick_vertex_face(x, i, j, out)
           : j->vertices == 2 ? quick_vertex_edge(x, i, j, out) > 0
                              : quick_vertices(x, i, j, out) > 0;
}

/* ---- results */

/* Sets the unit. Returns 0 for coordinates that are too large, or too close to each other. */
static int quick_open(const exact_point *p, const measured_feature *i, const exact_point *q,
                      const measured_feature *j, quick_features *out)
{
    const int edges = i->vertices < 3 && j->vertices < 3, turned = i->vertices == 3;
    const exact_point *one = edges || turned ? p : q, *other = edges || turned ? q : p;
    const measured_feature *f = edges || turned ? i : j, *g = edges || turned ? j : i;
    lane_mask sure;
    out->p = p;
    out->q = q;
    out->unit = measure_unit(quick_at(one, f, 0), quick_at(one, f, 1),
                             edges ? quick_at(other, g, 1) : quick_at(one, f, 2),
                             quick_at(other, g, 0), &sure);
    out->scale = 1 / out->unit;
    return sure;
}

/* A number of the limit that is too small or too large for the unit is left to integers. */
static int quick_limit(const exact_limit *limit, double scale, twofold *out)
{
    const double a = limit->of[0] * (0.5 * scale), b = limit->of[1] * (0.5 * scale);
    *out = sum_of(a, b);
    return (a == 0 || a > 0x1p-900) && (b == 0 || b > 0x1p-900) && a < 0x1p900 && b < 0x1p900 &&
           (limit->of[0] == 0 || a > 0) && (limit->of[1] == 0 || b > 0);
}

int exact_quick_depth(const exact_quick *q, const exact_limit *limit, exact_depth *depth)
{
    const twofold distance = {q->hi, q->lo};
    const double unit = q->unit;
    lane_mask sure = 1;
    twofold c;
    if (!quick_limit(limit, 1 / unit, &c))
        return 0;
    const twofold rest = two_less(c, distance);
    const double error = 2 * distance.hi * q->error + 0x1p-98 * c.hi;
    if (!(rest.hi > 4 * error))
        return 0;
    const twofold relative = loose_div(rest, c);
    depth->depth = measure_round(rest, error, unit, &sure);
    depth->relative =
        measure_round(relative, relative.hi * (0x1p-95 + 2 * error / rest.hi), 1, &sure);
    return sure;
}

int exact_quick_features(const exact_point *p, const measured_feature *i, const exact_point *q,
                         const measured_feature *j, const exact_limit *limit, exact_measured *out)
{
    quick_features x;
    quick_part r;
    int sure = 1, w = 0;
    if (!quick_open(p, i, q, j, &x) || !quick_find(&x, i, j, &r))
        return 0;
    const exact_quick lengths = {r.m.distance.hi, r.m.distance.lo, r.m.error, x.unit};
    out->distance = measure_length(r.m, x.unit, &sure);
    const v3 normal = measure_normal(r.m.way, &sure);
    for (int n = 0; n < 2; n++) {
        out->part[n] = r.part[n];
        for (int k = 0; k < r.part[n].vertices; k++)
            out->weight[n][k] = r.part[n].vertices == 1 ? 1 : measure_weight(r.m, w++);
    }
    out->normal[0] = normal.x;
    out->normal[1] = normal.y;
    out->normal[2] = normal.z;
    return sure && (!limit || exact_quick_depth(&lengths, limit, &out->depth));
}
