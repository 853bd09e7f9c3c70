/* Vectors of dyadic rationals. */
#ifndef IMP_DYADS_H
#define IMP_DYADS_H

#include "exact_number.h"

void dyads_init(dyad v[3]); /* 0 */
void dyads_clear(dyad v[3]);
int dyads_zero(const dyad v[3]);

/* q - p */
void dyads_between(dyad out[3], const exact_point *p, const exact_point *q);

/* out must be neither a nor b. */
void dyads_cross(dyad out[3], const dyad a[3], const dyad b[3]);
void dyads_dot(dyad *out, const dyad a[3], const dyad b[3]);

/* The normal of a triangle, from its front; 0 if it has no area. */
void dyads_normal(dyad out[3], const exact_point p[3]);

/* n x (b - a): in a plane with the normal n, from the edge to its left. */
void dyads_edge_normal(dyad out[3], const dyad n[3], const exact_point *a, const exact_point *b);

#endif
