/* Within polygon.c: clipping the ears of a polygon in the plane. */
#ifndef IMP_POLYGON_EARS_H
#define IMP_POLYGON_EARS_H

#include "exact.h"

#include <limits.h>
#include <stdint.h>

typedef struct polygon_node {
    exact_point at; /* in the plane: x[2] is 0 */
    double length;  /* of the edge that clipping it makes, squared */
    uint32_t prev, next;
    uint32_t below; /* in the list of its cell */
    uint32_t heap;  /* the corner at this rank of the heap */
    uint32_t rank;  /* of this corner in the heap, from 1; 0: not in it */
    /* A corner that is no ear waits for one that is in its triangle. */
    uint32_t waiters, waits_for, wait_prev, wait_next;
    uint8_t blunt, listed, gone;
} polygon_node;

enum ears_end { EARS_DONE, EARS_STUCK, EARS_SPENT };

typedef struct ears {
    polygon_node *node;
    uint32_t nodes, remaining, start; /* start: one of those that remain */
    int sign;                         /* 1: counter-clockwise */
    /* blunt corners in a grid */
    uint32_t *cell, side;
    double low[2], scale[2], unit;
    uint32_t heap; /* corners in the queue: they may be ears, the shortest edge first */
    int relaxed;   /* an ear may have others on its edges */
    uint64_t work, most;
    uint32_t *out; /* where the next triangle goes, as positions of nodes */
} ears;

/* node[].at of all corners is set, and cell[ears_side(nodes)^2] there. sign: how the polygon turns
 * in this view. STUCK: no corner is an ear, so it crosses itself or turns the other way; SPENT: it
 * takes more than `most` steps. With `force` it always ends with DONE. */
enum ears_end ears_clip(ears *e, int force);

/* Cells along a side of the grid. */
uint32_t ears_side(uint32_t nodes);

/* Within polygon_ears.c: a corner into the queue, again with its present length, and out of it. */
void ears_enqueue(ears *e, uint32_t i);
void ears_dequeue(ears *e, uint32_t i);

/* Full turns of the polygon: 1 or -1 if it does not cross itself. With spikes it is not known. */
#define EARS_OPEN INT_MAX
int ears_rotation(ears *e);

#endif
