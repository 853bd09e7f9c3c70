/* The truth about a pair of triangles, by other means than the product: the hull of the first
 * triangle's vertices is clipped by half-spaces that intersect in the second, in integers of
 * any length. Nothing of the product but the numbers of its kinds is used. */
#ifndef IMP_ORACLE_H
#define IMP_ORACLE_H

#include <stdint.h>

#define ORACLE_CORNERS 6 /* two triangles of one plane overlap in a hexagon at most */

/* Two triangles: corner[0..2] and corner[3..5] are numbers of vertices x. Corners of equal number
 * are shared, or one vertex named twice. */
typedef struct tri_pair {
    double x[6][3];
    uint32_t corner[6];
} tri_pair;

typedef struct oracle_verdict {
    int kind;    /* enum imp_kind, 0: they do not meet, or not beyond what they share */
    int dim;     /* of the intersection of the closed sets: 0, 1, 2; -1 if it is empty */
    int corners; /* of the intersection, in lexicographic order, truncated to float64 */
    double corner[ORACLE_CORNERS][3];
    int end[2]; /* the farthest two corners, of ties the least pair: compared exactly */
    int plain;  /* dim 2, and all corners are vertices with few enough bits that equal
                    distances come out equal */
    /* for tolerances */
    int unit;               /* the pair's extent is within 0.5 and 1 times 2^unit */
    double low[3], high[3]; /* box of all six corners */
    double tolerance[3];    /* in units of 2^unit: 1e-9, and 1e-15 of the coordinates; 0 along
                               an axis that keeps its value */
} oracle_verdict;

typedef struct oracle oracle; /* memory to work in */

oracle *oracle_open(void); /* NULL: out of memory */
void oracle_close(oracle *o);

/* All coordinates finite. */
void oracle_decide(oracle *o, const tri_pair *t, oracle_verdict *out);

/* Sets the fields for tolerances; oracle_decide calls it. */
void oracle_scale(const tri_pair *t, oracle_verdict *out);

/* a - b in units of 2^unit, also where a - b itself would overflow. */
double oracle_gap(double a, double b, int unit);

/* Checks of a contact that the product reports. Each returns what is wrong, or NULL. */

/* Finite, no -0, in lexicographic order, equal for a point. */
const char *contact_form_fault(int kind, const double point[6]);

/* The kind is right and both points are in the box of the pair. */
const char *oracle_box_fault(const oracle_verdict *want, int kind, const double point[6]);

/* The points are the right ends, in any order. */
const char *oracle_ends_fault(const oracle_verdict *want, const double point[6]);

/* Of ties the ends are the least pair, where float64 can decide that. */
const char *oracle_tie_fault(const oracle_verdict *want, const double point[6]);

/* Neither triangle is a sliver (height over length), nor are their planes nearly parallel (sine):
 * all over 1e-3. */
int oracle_clear(const oracle_verdict *want, const tri_pair *t);

#endif
