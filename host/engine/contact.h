/* Within the last stage: contact.c merges the rows that the device decided with the ones that the
 * host did; the others make these rows. */
#ifndef IMP_CONTACT_H
#define IMP_CONTACT_H

#include "exact.h"
#include "stages.h"

/* What rows are made of. */
typedef struct contact_source {
    const context *c;
    const block_view *v;
    const bounds *o;
    narrow *s;
} contact_source;

/* A way to make rows. */
typedef struct contact_maker {
    size_t most; /* pairs of s->meet at a time, at most */
    int alone;   /* once begun, a piece needs nothing else than itself */
    /* Rows of the `n` pairs of s->meet from `first` on, all of which meet, to to->rows, which has
     * room for them. They are there at readback_end. beside: as readback_begin. */
    int (*meet)(const contact_source *of, uint64_t first, uint32_t n, int beside,
                contact_piece *to);
    /* Adds rows of undecided pairs, the ones that do meet. NULL: no pair is undecided. */
    int (*decide)(const contact_source *of, const pair_list *pairs, column_rows *out);
} contact_maker;

/* Triangles alone, with contact points only, in pieces that the device needs to fill, or to go on
 * while rows come; with solids, or with depth and collision points; in stage candidates, by the
 * cost of a launch on the device. */
contact_maker contact_of_triangles(const contact_source *of);
extern const contact_maker contact_of_solids;
contact_maker contact_of_candidates(const contact_source *of);

/* The number of rows of these columns to hold at a time: as memory allows, at most `most`. */
size_t contact_fit(const context *c, column_set set, uint64_t most);

/* By exact arithmetic: triangles i and j of a frame. */
void contact_triangles(const imp_frame *frame, uint32_t i, uint32_t j, exact_contact *out);

/* By exact arithmetic: do primitives i and j of a frame meet? Those that share a vertex: beyond
 * what they share. */
int contact_meets(const imp_frame *frame, uint32_t i, uint32_t j);

/* The pairs [first, first + n) of s->meet, and their points, made on the device. */
int contact_points(const contact_source *of, uint64_t first, uint32_t n, pairs *to,
                   buffer_f64 *point);

#endif
