/* The exact distance of two features, and their nearest points: of a vertex and a face, two edges,
 * a vertex and an edge, or two vertices. Private to host/exact. */
#ifndef IMP_EXACT_MEASURE_H
#define IMP_EXACT_MEASURE_H

#include "exact_number.h"
#include "exact_point.h"

typedef struct dyad3 {
    dyad x[3];
} dyad3;

/* The nearest points of two features, and numbers to compute with. The nearest points are on the
 * parts part[0] of the first and part[1] of the second, with positive weights weight[i][k] /
 * size, but where a part with weights that are not positive is as near. The square of the distance
 * is square / size. way: a vector from the point of the first to that of the second, of any length.
 */
typedef struct exact_measure {
    dyad square, size;
    measured_feature part[2];
    dyad weight[2][3];
    dyad3 way;
    /* numbers of the computation */
    dyad3 e, f, g, n, m;
    dyad s, t, u;
} exact_measure;

void exact_measure_init(exact_measure *m);
void exact_measure_clear(exact_measure *m);

/* Measures features of two primitives with the vertices p and q: a vertex and a face, in either
 * order, or any two that have at most two vertices. spare: another one, initialised, whose value is
 * lost. */
void exact_measure_features(const exact_point *p, const measured_feature *i, const exact_point *q,
                            const measured_feature *j, exact_measure *out, exact_measure *spare);

/* The sign of the difference of two distances. */
int exact_measure_compare(const exact_measure *a, const exact_measure *b);

/* The sign of the distance minus a limit. */
int exact_measure_beyond(const exact_measure *m, const exact_limit *limit);

/* The results of a measure: parts, their weights within 2^-50, the greatest float64 not above the
 * distance, and the direction of `way`, of length 1 within 2^-50; 0 if the distance is 0. depth:
 * set only with a limit that is not exceeded. */
typedef struct exact_measured {
    measured_feature part[2];
    double weight[2][3], distance, normal[3];
    exact_depth depth;
} exact_measured;

/* limit: or NULL, here and below. */
void exact_measure_results(const exact_measure *m, const exact_limit *limit, exact_measured *out);

/* exact_quick.c: the same in double-double numbers. Returns 0 if their errors leave a doubt. */
int exact_quick_features(const exact_point *p, const measured_feature *i, const exact_point *q,
                         const measured_feature *j, const exact_limit *limit, exact_measured *out);

#endif
