/* Within imp_sweep: sweep.c (which objects and primitives may meet on the way), sweep_way.c (where
 * everything goes), sweep_still.c (pairs of which nothing moves). */
#ifndef IMP_SWEEP_H
#define IMP_SWEEP_H

#include "broad_tree.h"
#include "sweep_still.h"
#include "tree_sweep.h"
#include "walk.h"

/* What an object does on the way. */
enum going {
    GOES,   /* it moves */
    STAYS,  /* it does not, */
    STAYED, /* nor has it since the sweep before: its pairs with others of this kind are known */
};

typedef struct sweeping {
    const broad_input *in;
    rooms *r;
    const imp_frame *from, *to;
    trees *s;
    stills *still;
    uint8_t *going;   /* [objects] enum going */
    uint32_t *hull;   /* [soft trees] which tree of `hulls` is that of an object that goes */
    tree hulls;       /* of objects that go and are not rigid: of both places of each vertex */
    tree_source both; /* what they are made of */
    uint32_t *corner;
    double *x;
    tree_source bodies; /* what rigid bodies are made of */
    tree_way *way;      /* [rigid trees] */
    double most;        /* the greatest coordinate in the end, which may be more than BV_EXTENT */
    float *root;        /* [6 * objects] boxes of the whole way */
    tree above;
    swept_pairs pairs; /* of which something moves */
    tree_counts counts;
    uint32_t rules;
    int err;
} sweeping;

/* May these two objects have pairs, by the rules? */
int sweep_allowed(const sweeping *w, uint32_t a, uint32_t b);

/* A primitive's object, as a number of trees_set. */
uint32_t sweep_object(const sweeping *w, uint32_t prim);

/* ---- sweep_way.c */

/* Points of the last frame: finite, and how far they go. Errors: INPUT. */
int sweep_last(sweeping *w);

/* Trees of soft objects that go, over both places of each vertex. */
int sweep_hulls(sweeping *w);

/* The way of each rigid body. Errors: ARGUMENT for a pose that is none, or is not where the points
 * are. */
int sweep_ways(sweeping *w);

/* How far what is compared may lie from where it is, of soft objects. */
double sweep_slack(const sweeping *w);

/* ---- sweep_still.c */

/* Fills going[], and brings the known pairs up to date: those of two objects that stay become those
 * of the frame, as the pipeline finds them; those of a rigid body with itself, those that its
 * slack allows. */
int stills_find(sweeping *w);

#endif
