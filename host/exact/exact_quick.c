/* exact_measure.h in double-double numbers: the same results where their errors leave no doubt, in
 * a twentieth of the time. Differences of coordinates are exact, in a unit in which they are at
 * most
 * 1. In that unit
 *
 *     a component of a product of two differences errs by less than 2^-97
 *     its scalar product with another one, or with a difference, by less than 2^-92
 *     a scalar product of two differences by less than 2^-96
 *
 * A sign is certain beyond QUICK_SURE, which is far more. */
#include "exact_measure.h"
#include "vec3.h"

#define QUICK_SURE 0x1p-85
#define QUICK_ERROR 0x1p-91    /* exceeds the errors listed above */
#define QUICK_RELATIVE 0x1p-93 /* relative error of quotients and roots */
#define QUICK_LEAST 0x1p-110   /* a smaller square of a length is left to integers */
#define QUICK_MOST 0x1p1000    /* larger coordinates, too */

typedef struct quick_features {
    const exact_point *p, *q;
    int unit;     /* differences are in units of 2^unit */
    double scale; /* 2^-unit */
} quick_features;

/* The nearest points of two parts; their distance is distance, relative to which it errs by
 * `error`, in units of quick_features. */
typedef struct quick_part {
    measured_feature part[2];
    twofold weight[2][3];
    twofold size; /* the sum of the weights of each */
    double way[3];
    twofold distance;
    double error;
} quick_part;

/* ---- vectors */

static void quick_between(const quick_features *x, const exact_point *from, const exact_point *to,
                          twofold out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = sum_of(to->x[k], -from->x[k]);
        out[k].hi *= x->scale;
        out[k].lo *= x->scale;
    }
}

static void quick_cross(const twofold a[3], const twofold b[3], twofold out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = loose_minor(a, b, k);
}

static twofold quick_root(twofold square)
{
    const double root = sqrt(square.hi);
    const twofold rest = two_add(square, two_minus(product_of(root, root)));
    return quick_sum(root, rest.hi / (2 * root));
}

static twofold quick_less(twofold a, twofold b)
{
    return two_add(a, two_minus(b));
}

/* -1, 1: the sign; 0: in doubt */
static int quick_sign(twofold a)
{
    return a.hi > QUICK_SURE ? 1 : a.hi < -QUICK_SURE ? -1 : 0;
}

/* ---- parts. Each function returns 1; 0: a foot is certainly outside; -1: in doubt. */

static int quick_vertices(const quick_features *x, int i, int j, quick_part *out)
{
    twofold way[3];
    quick_between(x, &x->p[i], &x->q[j], way);
    const twofold square = loose_dot(way, way);
    if (!(square.hi > QUICK_LEAST))
        return -1;
    out->part[0] = (measured_feature){1, {i}};
    out->part[1] = (measured_feature){1, {j}};
    for (int k = 0; k < 3; k++)
        out->way[k] = way[k].hi;
    out->distance = quick_root(square);
    out->error = QUICK_RELATIVE;
    return 1;
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
    for (int k = 0; k < 3; k++) {
        const twofold weight = r->weight[0][k];
        r->weight[0][k] = r->weight[1][k];
        r->weight[1][k] = weight;
        r->way[k] = -r->way[k];
    }
}

static int quick_vertex_edge(const quick_features *x, int i, const measured_feature *edge,
                             quick_part *out)
{
    twofold e[3], g[3], n[3];
    const exact_point *a = &x->q[edge->corner[0]];
    quick_between(x, a, &x->q[edge->corner[1]], e);
    quick_between(x, a, &x->p[i], g);
    const twofold size = loose_dot(e, e), s = loose_dot(e, g), rest = quick_less(size, s);
    if (quick_sign(s) < 0 || quick_sign(rest) < 0)
        return quick_vertices(x, i, edge->corner[quick_sign(s) > 0], out);
    quick_cross(e, g, n);
    const twofold square = loose_dot(n, n);
    if (!(quick_sign(s) > 0 && quick_sign(rest) > 0 && square.hi > QUICK_LEAST &&
          size.hi > QUICK_LEAST))
        return -1;
    const twofold t = loose_div(s, size);
    for (int k = 0; k < 3; k++)
        out->way[k] = quick_less(two_mul(t, e[k]), g[k]).hi;
    out->part[0] = (measured_feature){1, {i}};
    out->part[1] = *edge;
    out->weight[1][0] = rest;
    out->weight[1][1] = s;
    out->size = size;
    const twofold length = quick_root(square);
    out->distance = loose_div(length, quick_root(size));
    out->error = QUICK_RELATIVE + QUICK_ERROR / length.hi + QUICK_ERROR / size.hi;
    return 1;
}

/* The distance |n.g| / |n|, and the way along n; to: 1 if it goes along g. */
static int quick_across(const twofold n[3], const twofold g[3], int to, quick_part *out)
{
    twofold height = loose_dot(n, g);
    const twofold length = quick_root(out->size);
    const double sign = height.hi < 0 ? -to : to;
    if (height.hi < 0)
        height = two_minus(height);
    if (!quick_sign(height))
        return -1;
    for (int k = 0; k < 3; k++)
        out->way[k] = sign * n[k].hi;
    out->distance = loose_div(height, length);
    out->error = QUICK_RELATIVE + QUICK_ERROR / height.hi + QUICK_ERROR / out->size.hi;
    return 1;
}

/* A vertex of p whose foot is inside a face of q. */
static int quick_over_face(const quick_features *x, int i, const measured_feature *face,
                           quick_part *out)
{
    twofold e[3], f[3], g[3], n[3], m[3];
    const exact_point *a = &x->q[face->corner[0]];
    quick_between(x, a, &x->q[face->corner[1]], e);
    quick_between(x, a, &x->q[face->corner[2]], f);
    quick_between(x, a, &x->p[i], g);
    quick_cross(e, f, n);
    out->size = loose_dot(n, n);
    if (!(out->size.hi > QUICK_LEAST))
        return -1;
    quick_cross(g, f, m);
    const twofold s = loose_dot(m, n);
    quick_cross(e, g, m);
    const twofold t = loose_dot(m, n), u = quick_less(quick_less(out->size, s), t);
    if (quick_sign(s) < 0 || quick_sign(t) < 0 || quick_sign(u) < 0)
        return 0;
    if (!quick_sign(s) || !quick_sign(t) || !quick_sign(u))
        return -1;
    out->part[0] = (measured_feature){1, {i}};
    out->part[1] = *face;
    out->weight[1][0] = u;
    out->weight[1][1] = s;
    out->weight[1][2] = t;
    return quick_across(n, g, -1, out);
}

/* Two edges whose lines' nearest points are inside both. */
static int quick_between_edges(const quick_features *x, const measured_feature *i,
                               const measured_feature *j, quick_part *out)
{
    twofold e[3], f[3], g[3], n[3], m[3];
    const exact_point *a = &x->p[i->corner[0]], *c = &x->q[j->corner[0]];
    quick_between(x, a, &x->p[i->corner[1]], e);
    quick_between(x, c, &x->q[j->corner[1]], f);
    quick_between(x, a, c, g);
    quick_cross(e, f, n);
    out->size = loose_dot(n, n);
    if (!(out->size.hi > QUICK_LEAST))
        return -1;
    quick_cross(g, f, m);
    const twofold s = loose_dot(m, n), s_rest = quick_less(out->size, s);
    quick_cross(g, e, m);
    const twofold t = loose_dot(m, n), t_rest = quick_less(out->size, t);
    if (quick_sign(s) < 0 || quick_sign(t) < 0 || quick_sign(s_rest) < 0 || quick_sign(t_rest) < 0)
        return 0;
    if (!quick_sign(s) || !quick_sign(t) || !quick_sign(s_rest) || !quick_sign(t_rest))
        return -1;
    out->part[0] = *i;
    out->part[1] = *j;
    out->weight[0][0] = s_rest;
    out->weight[0][1] = s;
    out->weight[1][0] = t_rest;
    out->weight[1][1] = t;
    return quick_across(n, g, 1, out);
}

/* ---- which part is nearest, in float64
 *
 * Points are relative to one of them, in the unit; a coordinate errs by less than 2^-53, a scalar
 * product of two differences by less than 2^-49, one of two products of differences by less than
 * 2^-46. Squares of distances err by less than 2^-46: near its least a square does not depend on
 * the foot's place. So signs and orders beyond QUICK_CLEAR are certain. Without a choice here all
 * parts are compared in double-double numbers. */
#define QUICK_CLEAR 0x1p-40

#define QUICK_OPEN (-1) /* uncertain */
#define QUICK_INSIDE 4  /* no border is nearest; else the number of a part, 0 to 3 */

static void quick_point(const quick_features *x, const exact_point *from, const exact_point *at,
                        double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (at->x[k] - from->x[k]) * x->scale;
}

/* Where on an edge the nearest point to p is: 0 or 1: at an end; 2: between both; QUICK_OPEN. */
static int quick_foot(const double p[3], const double a[3], const double b[3], double *square)
{
    double e[3], g[3], way[3];
    vec_sub(b, a, e);
    vec_sub(p, a, g);
    const double size = vec_dot(e, e), s = vec_dot(e, g), rest = size - s;
    if (fabs(s) < QUICK_CLEAR || fabs(rest) < QUICK_CLEAR)
        return QUICK_OPEN;
    const int at = s < 0 ? 0 : rest < 0 ? 1 : 2;
    const double t = at < 2 ? at : s / size;
    for (int k = 0; k < 3; k++)
        way[k] = g[k] - t * e[k];
    *square = vec_dot(way, way);
    return at;
}

/* The part with the least square, as a comparison one after another finds it; QUICK_OPEN if one of
 * its steps is uncertain, so that a tie of any two leaves the same features to integers as without
 * a choice here. Parts with one place are the same. */
static int quick_least(const double *square, const int *place, int n)
{
    int best = 0;
    for (int k = 1; k < n; k++) {
        if (place[k] == place[best])
            continue;
        if (fabs(square[k] - square[best]) < QUICK_CLEAR)
            return QUICK_OPEN;
        best = square[k] < square[best] ? k : best;
    }
    return best;
}

/* QUICK_INSIDE if all are certainly positive, 0 if one certainly is negative. */
static int quick_inside(const double *weight, int n)
{
    double least = weight[0];
    for (int k = 1; k < n; k++)
        least = lesser(least, weight[k]);
    return least < -QUICK_CLEAR ? 0 : least > QUICK_CLEAR ? QUICK_INSIDE : QUICK_OPEN;
}

/* The number of the face's edge that is nearest to a vertex. */
static int quick_choose_border(const quick_features *x, int i, const measured_feature *face)
{
    double a[3][3], p[3], n[3], m[3], weight[3], square[3];
    int place[3];
    for (int k = 0; k < 3; k++)
        quick_point(x, &x->q[face->corner[0]], &x->q[face->corner[k]], a[k]);
    quick_point(x, &x->q[face->corner[0]], &x->p[i], p);
    vec_cross(a[1], a[2], n);
    vec_cross(p, a[2], m);
    weight[0] = vec_dot(m, n);
    vec_cross(a[1], p, m);
    weight[1] = vec_dot(m, n);
    weight[2] = vec_dot(n, n) - weight[0] - weight[1];
    const int inside = quick_inside(weight, 3);
    if (inside)
        return inside;
    for (int k = 0; k < 3; k++) {
        const int at = quick_foot(p, a[k], a[(k + 1) % 3], &square[k]);
        if (at == QUICK_OPEN)
            return QUICK_OPEN;
        place[k] = at == 2 ? 3 + k : (k + at) % 3;
    }
    return quick_least(square, place, 3);
}

/* The number of the end that is nearest to the other edge: the first edge's ends are 0 and 1. */
static int quick_choose_end(const quick_features *x, const measured_feature *i,
                            const measured_feature *j)
{
    double a[4][3], e[3], f[3], g[3], n[3], m[3], weight[4], square[4];
    int place[4];
    const exact_point *from = &x->p[i->corner[0]];
    for (int k = 0; k < 4; k++)
        quick_point(x, from, k < 2 ? &x->p[i->corner[k]] : &x->q[j->corner[k - 2]], a[k]);
    vec_sub(a[1], a[0], e);
    vec_sub(a[3], a[2], f);
    vec_sub(a[2], a[0], g);
    vec_cross(e, f, n);
    vec_cross(g, f, m);
    weight[0] = vec_dot(m, n);
    vec_cross(g, e, m);
    weight[1] = vec_dot(m, n);
    for (int k = 0; k < 2; k++)
        weight[2 + k] = vec_dot(n, n) - weight[k];
    const int inside = quick_inside(weight, 4);
    if (inside)
        return inside;
    for (int k = 0; k < 4; k++) {
        const int other = k < 2 ? 2 : 0, at = quick_foot(a[k], a[other], a[other + 1], &square[k]);
        if (at == QUICK_OPEN)
            return QUICK_OPEN;
        place[k] = k < 2 ? 3 * k + at : 3 * at + k - 2;
    }
    return quick_least(square, place, 4);
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
    const double less = quick_less(r->distance, best->distance).hi;
    const double error =
        2 * (r->distance.hi * r->error + best->distance.hi * best->error + QUICK_SURE);
    if (less < -error)
        *best = *r;
    return less < -error || less > error;
}

static int quick_vertex_face(const quick_features *x, int i, const measured_feature *face,
                             quick_part *out)
{
    quick_part next;
    const int chosen = quick_choose_border(x, i, face), one = chosen >= 0 && chosen < QUICK_INSIDE;
    const int over = one ? 0 : quick_over_face(x, i, face, out);
    if (over)
        return over > 0;
    for (int k = one ? chosen : 0; k < (one ? chosen + 1 : 3); k++) {
        const int first = one || !k;
        const measured_feature edge = {2, {face->corner[k], face->corner[(k + 1) % 3]}};
        if (quick_vertex_edge(x, i, &edge, first ? out : &next) < 0)
            return 0;
        if (!first && !quick_keep(out, &next))
            return 0;
    }
    return 1;
}

static int quick_edges(const quick_features *x, const measured_feature *i,
                       const measured_feature *j, quick_part *out)
{
    quick_part next;
    const quick_features turned = quick_turned(x);
    const int chosen = quick_choose_end(x, i, j), one = chosen >= 0 && chosen < QUICK_INSIDE;
    const int between = one ? 0 : quick_between_edges(x, i, j, out);
    if (between)
        return between > 0;
    for (int k = one ? chosen : 0; k < (one ? chosen + 1 : 4); k++) {
        const int first = one || !k;
        quick_part *to = first ? out : &next;
        const int found = k < 2 ? quick_vertex_edge(x, i->corner[k], j, to)
                                : quick_vertex_edge(&turned, j->corner[k - 2], i, to);
        if (found < 0)
            return 0;
        if (k >= 2)
            quick_turn(to);
        if (!first && !quick_keep(out, to))
            return 0;
    }
    return 1;
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
           : j->vertices == 3 ? quick_vertex_face(x, i->corner[0], j, out)
           : j->vertices == 2 ? quick_vertex_edge(x, i->corner[0], j, out) > 0
                              : quick_vertices(x, i->corner[0], j->corner[0], out) > 0;
}

/* ---- results */

/* Sets the unit. Returns 0 for coordinates that are too large. */
static int quick_open(const exact_point *p, const measured_feature *i, const exact_point *q,
                      const measured_feature *j, quick_features *out)
{
    const exact_point *const of[2] = {p, q}, *from = &p[i->corner[0]];
    const measured_feature *const feature[2] = {i, j};
    double most = 0, extent = 0;
    for (int n = 0; n < 2; n++)
        for (int c = 0; c < feature[n]->vertices; c++)
            for (int k = 0; k < 3; k++) {
                const double x = of[n][feature[n]->corner[c]].x[k];
                most = greater(most, fabs(x));
                extent = greater(extent, fabs(x - from->x[k]));
            }
    frexp(extent, &out->unit);
    out->unit++;
    out->scale = times_power(1, -out->unit);
    out->p = p;
    out->q = q;
    return most < QUICK_MOST && out->unit > -900;
}

/* Rounds down. Returns 0 if that is in doubt. */
static int quick_distance(const quick_part *r, int unit, double *out)
{
    const twofold d = r->distance;
    const double error = 2 * d.hi * r->error, low = d.lo - error, high = d.lo + error;
    *out = times_power(low < 0 ? nextafter(d.hi, 0) : d.hi, unit);
    return low >= 0 ? *out > 0x1p-1000 : high < 0 && *out > 0x1p-1000;
}

/* Rounds a number > 0 with this absolute error down. Returns 0 if that is in doubt. */
static int quick_round(twofold x, double error, int unit, double *out)
{
    const double low = x.lo - error, high = x.lo + error;
    *out = times_power(low < 0 ? nextafter(x.hi, 0) : x.hi, unit);
    return x.hi > 4 * error && *out > 0x1p-1000 && *out < 0x1p1000 && (low >= 0 || high < 0);
}

/* A number of the limit that is too small or too large for the unit is left to integers. */
static int quick_limit(const exact_limit *limit, int unit, twofold *out)
{
    const double a = times_power(limit->of[0], -1 - unit), b = times_power(limit->of[1], -1 - unit);
    *out = sum_of(a, b);
    return (a == 0 || a > 0x1p-900) && (b == 0 || b > 0x1p-900) && a < 0x1p900 && b < 0x1p900 &&
           (limit->of[0] == 0 || a > 0) && (limit->of[1] == 0 || b > 0);
}

static int quick_depth(const quick_part *r, const exact_limit *limit, int unit, exact_depth *out)
{
    twofold c;
    if (!quick_limit(limit, unit, &c))
        return 0;
    const twofold depth = quick_less(c, r->distance);
    const double error = 2 * r->distance.hi * r->error + 0x1p-98 * c.hi;
    if (!(depth.hi > 4 * error))
        return 0;
    const twofold relative = loose_div(depth, c);
    return quick_round(depth, error, unit, &out->depth) &&
           quick_round(relative, relative.hi * (0x1p-95 + 2 * error / depth.hi), 0, &out->relative);
}

int exact_quick_features(const exact_point *p, const measured_feature *i, const exact_point *q,
                         const measured_feature *j, const exact_limit *limit, exact_measured *out)
{
    quick_features x;
    quick_part r;
    if (!quick_open(p, i, q, j, &x) || !quick_find(&x, i, j, &r) ||
        !quick_distance(&r, x.unit, &out->distance) ||
        (limit && !quick_depth(&r, limit, x.unit, &out->depth)))
        return 0;
    const double length = sqrt(r.way[0] * r.way[0] + r.way[1] * r.way[1] + r.way[2] * r.way[2]);
    for (int n = 0; n < 2; n++) {
        out->part[n] = r.part[n];
        for (int k = 0; k < r.part[n].vertices; k++)
            out->weight[n][k] = r.part[n].vertices == 1 ? 1 : loose_div(r.weight[n][k], r.size).hi;
    }
    for (int k = 0; k < 3; k++)
        out->normal[k] = r.way[k] / length + 0.0;
    return length > 0x1p-300;
}
