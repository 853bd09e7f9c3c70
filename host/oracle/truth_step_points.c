/* Are the points of a row of a step right? See truth.h. All within tolerances, in float64. */
#include "truth.h"

#include "truth_features.h"

#include <math.h>
#include <string.h>

#define THIRDS 100 /* an interval loses a third so many times: to less than its rounding */

/* The features when they meet, from a point between, in units of 2^unit, which is their extent
 * over the step. */
typedef struct place {
    int unit;
    double from[3], corner[4][3];
    double tolerance; /* 1e-9, and 1e-15 of the coordinates */
} place;

static feature_pair truth_ccd_features(const truth_case *c, const truth_row *row)
{
    if (row->kind == IMP_KIND_EDGE_EDGE)
        return feature_edges(c, row->a, (int)row->feature_a, row->b, (int)row->feature_b);
    return row->feature_a < 0
               ? feature_face(c, row->a, (int)(-1 - row->feature_a), (uint32_t)row->feature_b)
               : feature_face(c, row->b, (int)(-1 - row->feature_b), (uint32_t)row->feature_a);
}

/* Extent and tolerance, from all corners at both instants. */
static void place_scale(place *l, const feature_pair *p)
{
    double size = 0, most = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < 8; i++) {
            lo = fmin(lo, p->p.at[i / 4][i % 4][k]);
            hi = fmax(hi, p->p.at[i / 4][i % 4][k]);
        }
        l->from[k] = lo;
        size = fmax(size, 0.5 * hi - 0.5 * lo);
        most = fmax(most, fmax(fabs(lo), fabs(hi)));
    }
    frexp(size, &l->unit);
    l->unit++;
    l->tolerance =
        (size > 0 ? 1e-9 : 0) + 1e-15 * ldexp(most, -l->unit) + ldexp(0x1p-1073, -l->unit);
}

static place truth_ccd_positions(const feature_pair *p, double toi)
{
    place l;
    place_scale(&l, p);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            l.corner[i][k] = (1 - toi) * oracle_gap(p->p.at[0][i][k], l.from[k], l.unit) +
                             toi * oracle_gap(p->p.at[1][i][k], l.from[k], l.unit);
    return l;
}

/* ---- distances */

static void truth_ccd_minus(double r[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[k] - b[k];
}

static double truth_ccd_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double truth_ccd_distance(const double a[3], const double b[3])
{
    double d[3];
    truth_ccd_minus(d, a, b);
    return hypot(hypot(d[0], d[1]), d[2]);
}

static double truth_ccd_edge_distance(const double a[3], const double b[3], const double x[3])
{
    double along[3], to[3], at[3];
    truth_ccd_minus(along, b, a);
    truth_ccd_minus(to, x, a);
    const double size = truth_ccd_dot(along, along);
    const double t = size > 0 ? fmin(1, fmax(0, truth_ccd_dot(to, along) / size)) : 0;
    for (int k = 0; k < 3; k++)
        at[k] = a[k] + t * along[k];
    return truth_ccd_distance(at, x);
}

static void truth_ccd_lerp(double r[3], const double a[3], const double b[3], double t)
{
    for (int k = 0; k < 3; k++)
        r[k] = (1 - t) * a[k] + t * b[k];
}

/* Of two edges the distance of the second one from a place on the first one; of the face and the
 * vertex that of the vertex from a section of the face, parallel to its third edge. */
static double truth_ccd_distance_at(int vertex_face, const double corner[4][3], double t)
{
    double x[3], y[3];
    truth_ccd_lerp(x, corner[0], corner[1], t);
    if (!vertex_face)
        return truth_ccd_edge_distance(corner[2], corner[3], x);
    truth_ccd_lerp(y, corner[2], corner[1], t);
    return truth_ccd_edge_distance(x, y, corner[3]);
}

/* Along t the distance falls, then rises. So the least is found of whatever features, also where
 * edges are nearly parallel or a face has nearly no area. */
static double features_distance(int vertex_face, const double corner[4][3])
{
    double low = 0, high = 1,
           least = fmin(truth_ccd_distance_at(vertex_face, corner, 0),
                        truth_ccd_distance_at(vertex_face, corner, 1));
    for (int i = 0; i < THIRDS; i++) {
        const double third = (high - low) / 3,
                     d = truth_ccd_distance_at(vertex_face, corner, low + third),
                     e = truth_ccd_distance_at(vertex_face, corner, high - third);
        least = fmin(least, fmin(d, e));
        if (d < e)
            high -= third;
        else
            low += third;
    }
    return least;
}

static double truth_ccd_face_distance(const double corner[4][3], const double x[3])
{
    double with[4][3];
    memcpy(with, corner, 3 * sizeof *with);
    memcpy(with[3], x, sizeof *with);
    return features_distance(1, (const double(*)[3])with);
}

/* Is x on the feature of the first corners, and y on the other one? */
static int on_features(const place *l, const feature_pair *p, const double x[3], const double y[3])
{
    const double one = p->vertex_face ? truth_ccd_face_distance(l->corner, x)
                                      : truth_ccd_edge_distance(l->corner[0], l->corner[1], x);
    const double other = p->vertex_face ? truth_ccd_distance(l->corner[3], y)
                                        : truth_ccd_edge_distance(l->corner[2], l->corner[3], y);
    return one <= l->tolerance && other <= l->tolerance;
}

/* ---- all */

const char *truth_ccd_points_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                   const truth_row *row, const truth_claim *claim)
{
    truth_claim claimed = *claim;
    claimed.kind &= ~IMP_KIND_AT_START;
    if (row->kind & IMP_KIND_AT_START)
        return truth_points_fault(o, f, row->a, row->b, &claimed);
    const char *fault = contact_form_fault(claimed.kind, claimed.point);
    if (fault)
        return fault;
    if (claimed.deep && (claimed.collisions || claimed.depth != 0))
        return "it has collision points or a depth";
    const feature_pair p = truth_ccd_features(&(truth_case){.f = {f, next}, .frames = 2}, row);
    const place l = truth_ccd_positions(&p, row->toi);
    double x[2][3];
    for (int i = 0; i < 6; i++)
        x[i / 3][i % 3] = oracle_gap(claimed.point[i], l.from[i % 3], l.unit);
    if (!on_features(&l, &p, x[0], x[1]) && !on_features(&l, &p, x[1], x[0]))
        return "a point is not on its feature";
    return truth_ccd_distance(x[0], x[1]) >
                   features_distance(p.vertex_face, l.corner) + 2 * l.tolerance
               ? "two other points are nearer"
               : NULL;
}
