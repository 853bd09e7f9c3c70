/* Swept queries of trees (imp_sweep): sweep.c finds which objects and primitives may meet on the
 * way between the two instants of a view, sweep_way.c the way of every object, and sweep_still.c
 * pairs of which nothing moves, which are kept as long as points and poses stay the same. In its
 * own coordinates a rigid body does not move, so its pairs with itself are kept, too.
 *
 * Trees of rigid bodies are the ones that the method has; for other moving objects it makes trees
 * with volumes that contain both positions of each vertex. */
#ifndef IMP_SWEEP_H
#define IMP_SWEEP_H

#include "broad_tree.h"
#include "tree_sweep.h"

typedef struct swept_pair {
    uint32_t a, b; /* a < b */
    double time;
} swept_pair;

typedef struct swept_pairs {
    swept_pair *pair; /* [count] */
    size_t count, room;
} swept_pairs;

int swept_add(mem *m, swept_pairs *to, swept_pair pair);

/* By (a, b), with only the earliest of each pair. */
void swept_sort(swept_pairs *p);

/* What is known from the sweep before. All zero at first. */
typedef struct stills {
    uint64_t mesh;              /* its number (view.mesh); 0: nothing is known */
    uint32_t soft, objects;     /* that it had */
    double scale[2], centre[3]; /* the unit of its first frame */
    uint8_t *known;    /* [objects] did it stand still, at these points and in these poses? */
    double *point;     /* [3 * vertices] */
    imp_pose *pose;    /* [bodies] */
    swept_pairs among; /* of two objects that are known, sorted */
    double
        *slack; /* [objects] of a rigid body: slack that its own pairs were found with; 0: never */
    swept_pairs own; /* of rigid bodies with themselves, sorted */
} stills;

void stills_free(mem *m, stills *s);

/* The motion of an object on the way. */
enum going {
    GOES,   /* it moves */
    STAYS,  /* it does not, */
    STAYED, /* nor did it since the last sweep: its pairs with others of this kind are known */
};

/* Trees of deformable objects that go: their volumes contain both positions of each vertex. */
typedef struct hull_trees {
    uint32_t *of; /* [soft trees] number of the object's tree here */
    tree trees;
    tree_source from; /* with these arrays: */
    uint32_t *corner;
    double *x;
} hull_trees;

typedef struct sweeping {
    const broad_input *in; /* of a view of two instants */
    const imp_frame *from, *to;
    /* Adds the pairs that the pipeline finds in the first frame, of the objects that `wanted` of
     * the trees allows. */
    int (*ask_frame)(void *user, swept_pairs *to);
    void *user;
    trees *s;
    stills *still;
    uint8_t *going; /* [objects] enum going */
    hull_trees hulls;
    tree_source bodies; /* what rigid bodies are made of */
    body_way *way;      /* [rigid trees] */
    double most; /* the greatest coordinate of the second instant, possibly more than BV_EXTENT */
    float *root; /* [6 * objects] boxes of the whole way */
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

/* ---- sweep.c */

/* Begins with a view whose trees are built. stills: from the sweep before. */
int sweep_open(sweeping *w, const broad_input *in, void *state, stills *still);
void sweep_close(sweeping *w);

/* Finds all pairs: in w->pairs, and in the kept ones. */
int sweep_find(sweeping *w);

/* The pairs of all sorted lists in one order: *next becomes NULL past the last. */
typedef struct swept_merge {
    const sweeping *w;
    const swept_pairs *list[3];
    size_t at[3];
} swept_merge;
swept_merge sweep_first(const sweeping *w);
const swept_pair *sweep_next(swept_merge *m);

/* ---- sweep_way.c */

/* Checks that points of the second instant are finite, and sets `most`. Errors: INPUT. */
int sweep_last(sweeping *w);

/* Trees of soft objects that go, over both positions of each vertex. */
int sweep_hulls(sweeping *w);

/* The way of each rigid body. Errors: ARGUMENT for a pose that is none, or is not where the points
 * are. */
int sweep_ways(sweeping *w);

/* The bound on the error of compared positions of soft objects. */
double sweep_slack(const sweeping *w);

/* ---- sweep_still.c */

/* Fills going[], and updates the known pairs: of two objects that stay, the contacts of the frame;
 * of a rigid body with itself, the pairs that its slack allows. */
int stills_find(sweeping *w);

#endif
