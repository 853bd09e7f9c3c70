/* Rows of feature pairs within a distance (imp_def.rows FEATURES): one for each pair of a vertex
 * and a face, and of two edges. */
#ifndef IMP_FEATURE_ROWS_H
#define IMP_FEATURE_ROWS_H

#include "ccd_step.h"
#include "stages.h"

/* Delivers the rows of m->pairs to the sink, in order. The first `undecided` pairs are decided
 * exactly. A pair has no row if a primitive has all of its vertices. Vertices and edges without a
 * face also have pairs of a vertex and an edge, and of two vertices; m->features lists these as
 * pairs of a vertex and the face of a primitive that has none. In a part of a frame, pairs of other
 * parts have no row, and are subtracted from info[frame].undecided. Empties m->pairs. Errors:
 * MEMORY, CANCELLED, and the sink's result. */
int feature_rows_emit(const context *c, ccd_step *m, size_t undecided, imp_frame_info *info,
                      contact_sink *sink, void *user);

/* Re-checks, by exact arithmetic, the sampled feature pairs that are not in m->pairs, which the
 * device therefore found beyond the distance. Errors: DEVICE for a difference, CANCELLED. */
int feature_rows_verify(const context *c, ccd_step *m);

#endif
