/* What two trees may meet while bodies move (way.h): swept queries.
 *
 * A stretch of time is tested by the volumes in the middle of it, made larger by how far any of
 * their points may be from there; where that is large compared to their size the stretch is halved.
 * No meeting at any instant is missed. A body that makes very many turns is tested as its whole
 * ball, not turn by turn. */
#ifndef IMP_TREE_SWEEP_H
#define IMP_TREE_SWEEP_H

#include "tree.h"
#include "way.h"

/* Two trees, other than k-DOPs, and what their primitives are made of. */
typedef struct tree_sweep {
    tree_duo duo; /* pose: not looked at */
    body_way e, f;
    const tree_source *from_e, *from_f;
} tree_sweep;

/* Takes two primitives that may meet, and from when on, a share of the way: not before that.
 * Anything but 0 ends the descent: no more is asked for. */
typedef int tree_swept(void *user, uint32_t a, uint32_t b, double time);

/* All such pairs of two trees, from their roots on; a pair may come more than once, of several
 * stretches of the way, or ways round. Errors: MEMORY, CANCELLED. */
int tree_sweep_pairs(mem *m, const tree_sweep *s, tree_pair roots, tree_swept *sink, void *user,
                     tree_counts *counts);

/* A box around all places of a root on its way. */
void tree_way_box(const tree *t, uint32_t root, const body_way *way, float out[6]);

#endif
