/* What two trees may meet while rigid bodies go from one place to another: swept queries.
 *
 * A body's centre moves evenly, and it turns evenly along the shorter arc (imp_pose). A stretch of
 * time is asked by the volumes in the middle of it, made larger by how far any of their points may
 * be from there; where that is much beside their size the stretch is halved. None of it misses a
 * meeting at any instant. Halves of an arc are sums of quaternions, so no sine is needed, and the
 * bits are the same everywhere. */
#ifndef IMP_TREE_SWEEP_H
#define IMP_TREE_SWEEP_H

#include "tree.h"

/* How a tree moves: a point p of its coordinates is at turn(t) (p - pivot) + centre(t). */
typedef struct tree_way {
    double pivot[3], centre[2][3]; /* [2]: at the beginning and in the end */
    double turn[2][4];             /* w x y z, of length 1; the same way round */
    double slack;                  /* how far points may lie from there */
    int either;                    /* half a turn, which may go the other way round as well */
} tree_way;

/* The way of what does not move, in the coordinates of the frame. */
tree_way tree_way_still(double slack);

/* Two trees, other than k-DOPs, and what their primitives are made of. */
typedef struct tree_sweep {
    tree_duo duo; /* pose: not looked at */
    tree_way e, f;
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
void tree_way_box(const tree *t, uint32_t root, const tree_way *way, float out[6]);

#endif
