/* Swept queries of trees (imp_sweep): sweep.c finds which objects and primitives may meet on the
 * way between the two instants of a view, sweep_way.c where everything goes, and sweep_still.c
 * pairs of which nothing moves, which are kept: as long as points and poses stay the same they are
 * not asked for again. A rigid body does not move as it sees itself, so its pairs with itself are
 * kept, too.
 *
 * Trees of rigid bodies are the ones that the method has; for other objects that move trees are
 * made whose volumes contain both places of each vertex. */
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

/* By (a, b), of each pair the earliest alone. */
void swept_sort(swept_pairs *p);

/* What is known from the sweep before. All zero at first. */
typedef struct stills {
    uint64_t mesh;              /* its number (broad_input); 0: nothing is known */
    uint32_t soft, objects;     /* that it had */
    double scale[2], centre[3]; /* the unit of its first frame */
    uint8_t *known;             /* [objects] it stood still, at these points and in these poses */
    double *point;              /* [3 * vertices] */
    imp_pose *pose;             /* [bodies] */
    swept_pairs among;          /* of two objects that are known, sorted */
    double *slack;   /* [objects] of a rigid body: that its own pairs were asked with; 0: never */
    swept_pairs own; /* of rigid bodies with themselves, sorted */
} stills;

void stills_free(mem *m, stills *s);

/* What an object does on the way. */
enum going {
    GOES,   /* it moves */
    STAYS,  /* it does not, */
    STAYED, /* nor has it since the sweep before: its pairs with others of this kind are known */
};

typedef struct sweeping {
    const broad_input *in; /* of a view of two instants */
    const imp_frame *from, *to;
    /* Adds the pairs that the pipeline finds in the first frame, of the objects that `wanted` of
     * the trees allows. */
    int (*ask_frame)(void *user, swept_pairs *to);
    void *user;
    trees *s;
    stills *still;
    uint8_t *going;   /* [objects] enum going */
    uint32_t *hull;   /* [soft trees] which tree of `hulls` is that of an object that goes */
    tree hulls;       /* of objects that go and are not rigid: of both places of each vertex */
    tree_source both; /* what they are made of */
    uint32_t *corner;
    double *x;
    tree_source bodies; /* what rigid bodies are made of */
    body_way *way;      /* [rigid trees] */
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

/* ---- sweep.c */

/* Begins with a view whose trees are built. stills: from the sweep before. */
int sweep_open(sweeping *w, const broad_input *in, void *state, stills *still);
void sweep_close(sweeping *w);

/* Finds all pairs: in w->pairs, and in the kept ones. */
int sweep_find(sweeping *w);

/* The sorted lists of pairs, one after another in one order: *next becomes NULL past the last. */
typedef struct swept_merge {
    const sweeping *w;
    const swept_pairs *list[3];
    size_t at[3];
} swept_merge;
swept_merge sweep_first(const sweeping *w);
const swept_pair *sweep_next(swept_merge *m);

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
