/* The trajectories of moving features as forms. With e = b - a and
 *
 *     vertex p, face a b c: f = c - a, g = p - a;      edges a b, c d: f = d - c, g = c - a;
 *     N = e x f, P = e x g, Q = g x f                  quadratic in time
 *     D = N . g                                        cubic
 *
 * Private to host/exact. */
#ifndef IMP_EXACT_CCD_H
#define IMP_EXACT_CCD_H

#include "exact_form.h"
#include "exact_point.h"

typedef struct trajectories {
    enum exact_ccd_kind kind;
    triple v[4], e, f, g, n;
    form d;
    int sides; /* p and q exist */
    triple p, q;
} trajectories;

void trajectories_init(trajectories *w, enum exact_ccd_kind kind, const exact_motion *m);
void trajectories_clear(trajectories *w);

/* Makes p and q, which most features do not need. */
void trajectories_make_sides(trajectories *w);

/* Returns whether the boxes of both features' trajectories are farther apart than the distance
 * along an axis. */
int exact_trajectories_apart(enum exact_ccd_kind kind, const exact_motion *m, double distance);

/* A point, and the ends of an edge of the other feature. */
typedef struct point_and_edge {
    int point, end[2];
} point_and_edge;

/* All point-edge pairs of two features, for both kinds. */
extern const point_and_edge point_edges[2][4];
extern const int point_edge_count[2];

/* ---- Moving features in float64, where its error allows a verdict. Private to host/exact. */

/* Like exact_ccd_first, but SIGN_OPEN if undecided. */
int exact_ccd_filter(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

/* ---- The distance of moving features in float64, where its error allows a verdict. Private to
 * host/exact. */

/* Like exact_ccd_first_near with a distance above 0, but SIGN_OPEN if undecided. */
int exact_near_filter(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                      double *toi);

#endif
