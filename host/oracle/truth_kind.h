/* A pair of primitives as the oracles take it, and as what its contact is reported. */
#ifndef IMP_TRUTH_KIND_H
#define IMP_TRUTH_KIND_H

#include "impinge.h"
#include "oracle.h"
#include "oracle_solid.h"

/* Triangles have three corners. */
solid_case truth_solids(const imp_frame *f, uint32_t a, uint32_t b);

/* A vertex that is named again has the number of its first corner. */
tri_pair truth_triangles(const imp_frame *f, uint32_t a, uint32_t b);

/* enum imp_kind; 0: they do not meet */
int truth_kind(const imp_frame *f, oracle *o, uint32_t a, uint32_t b);

#endif
