/* How many pairs of features of a step have boxes that overlap: what a result calls candidates_vf
 * and candidates_ee. A vertex, an edge or a face counts once in each object that has it, however
 * many primitives have it; only the face of each triangle of a mesh without tetrahedra counts by
 * itself. */
#ifndef IMP_TRUTH_CANDIDATES_H
#define IMP_TRUTH_CANDIDATES_H

#include "truth_rows.h"

/* Are these numbers a matter of the step alone? Not of bounds that are rounded, nor if numbers of
 * the frames are so far apart that their unit takes digits of the smallest. */
int truth_candidates_known(const imp_frame *f, const imp_frame *next, const imp_def *def);

/* counts: a vertex and a face, two edges. Options are those of the run. */
int truth_candidates(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                     int threads, uint64_t counts[2]);

#endif
