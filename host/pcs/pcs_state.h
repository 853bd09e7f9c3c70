/* Shared state of the loop: bodies and pairs, the queue, and the engine's version of the pair
 * search. */
#ifndef IMP_PCS_STATE_H
#define IMP_PCS_STATE_H

#include "impinge.h"
#include "impinge_pcs.h"
#include "mem.h"
#include "pcs.h"
#include "pcs_motion.h"
#include "pcs_tiles.h"

#include <stdatomic.h>

/* ---- The possible collision set of many bodies, found by the engine on its device. */

typedef struct pcs_engine {
    imp *pipeline; /* NULL: not used */
    uint32_t *corner;
    double *point;
} pcs_engine;

/* Errors: see imp_create. */
int pcs_engine_open(mem *m, pcs_engine *e, const char *device, int threads, uint32_t bodies);
void pcs_engine_close(mem *m, pcs_engine *e);

/* Finds the same pairs as pcs_tiles_all_pairs. Ends with CANCELLED if *cancel is nonzero. Errors:
 * see imp_detect. */
int pcs_engine_all_pairs(mem *m, pcs_engine *e, const double (*box)[6], uint32_t bodies,
                         const atomic_int *cancel, pcs_pairs *out);

/* ---- The event queue: items ordered by (time, a, b), each with one entry. A binary heap, so that
 * a change costs the logarithm of their number; the order is total, so it does not depend on the
 * history. */

typedef struct pcs_entry {
    double time;
    uint32_t a, b;
    size_t item;
} pcs_entry;

typedef struct pcs_order {
    pcs_entry *heap;
    size_t count;
    size_t *position; /* [items] position in the heap, plus 1; 0: not in it */
    size_t capacity;
} pcs_order;

/* Allocates space for `items` items; new ones have no entry. Errors: MEMORY. */
int pcs_order_fit(mem *m, pcs_order *o, size_t items);
void pcs_order_clear(pcs_order *o);
void pcs_order_free(mem *m, pcs_order *o);

/* Adds an item, or changes its entry. */
void pcs_order_set(pcs_order *o, const pcs_entry *e);
void pcs_order_remove(pcs_order *o, size_t item);

/* The first entry; NULL if empty. */
static inline const pcs_entry *pcs_order_first(const pcs_order *o)
{
    return o->count ? o->heap : NULL;
}

/* ---- State shared by the parts of pcs. */

#define INELASTIC 8        /* this contact of a pair in a frame and all later ones */
#define CONTACTS_MOST 32   /* per pair and frame: then the pair is ignored until the next frame */
#define UNMOVED 0.5        /* factor if the bodies keep their velocities: `held` */
#define HELD_LEAST 0x1p-20 /* times epsilon: pairs resolved at less are not watched */

/* The state of a pair after a contact in this frame. */
enum pcs_rest {
    PCS_AWAKE,   /* no contact, or separated since */
    PCS_WATCHED, /* at rest; in contact again if it approaches much more */
    PCS_RESTING, /* at rest until it has separated */
    PCS_OVER     /* ignored until the next frame */
};

/* A pair of bodies, from its entry into the possible collision set to the end of the frame. */
typedef struct pcs_pair {
    uint32_t a, b;  /* a < b */
    size_t next[2]; /* next pair of a and of b, plus 1 */
    shape_pair cache;
    shape_nearest near; /* at `looked` */
    pcs_gap gap;        /* the same */
    double measured_at;
    double normal[3];  /* 0 0 0: unknown yet */
    double held;       /* lower limit of its distance at the last contact, or UNMOVED times it */
    uint64_t response; /* number of the response after which its distance was computed */
    uint32_t contacts;
    uint8_t rest;    /* enum pcs_rest */
    uint8_t in;      /* in the set */
    uint8_t outside; /* neither was in the other in this frame, and they have not touched since */
} pcs_pair;

/* members: the state of one loop, by subject. */
struct pcs {
    pcs_def def;
    int threads;
    /* bodies: [def.bodies] */
    pcs_body *bodies; /* the caller's, during a frame */
    pcs_motion *motion;
    double (*box)[6]; /* trajectory boxes */
    size_t *first;    /* first pair of each body, plus 1 */
    size_t *partner;  /* pair with a given body, plus 1; all 0 between uses */
    uint8_t *changed; /* all 0 between uses */
    uint32_t *list;   /* bodies changed by a contact */
    /* pairs */
    pcs_pair *pair;
    size_t pairs, capacity;
    pcs_pairs found; /* by the last search */
    pcs_order order;
    pcs_tiles tiles;
    int tiled; /* the tiles contain the boxes of this frame */
    pcs_engine engine;
    char device[512]; /* its name */
    /* the frame */
    double now;
    uint64_t response; /* number of the last response */
    pcs_counts counts;
};

/* Computes the trajectory box of a body from now on. Errors: ARGUMENT: it exceeds the range of
 * float64. */
int pcs_body_make_box(pcs *p, uint32_t body);

/* Finds the possible collision set at the start of a frame, from boxes. Keeps the state of pairs of
 * the last frame. Errors: MEMORY, DEVICE, CANCELLED. */
int pcs_set_make(pcs *p);

/* Finds the pairs of the bodies of list[] again, and their distances, after their motions changed.
 * Errors: MEMORY, ARGUMENT. */
int pcs_set_renew(pcs *p, uint32_t count);

/* Computes the present distance of a pair, and from it whether and when it is in contact. May run
 * in parallel for different pairs. */
void pcs_pair_measure(const pcs *p, pcs_pair *x);

/* Returns whether it is in contact, at the distance last computed. */
int pcs_pair_in_contact(const pcs *p, const pcs_pair *x);

/* The time of its next check, or INFINITY: not in this frame. */
double pcs_pair_next_time(const pcs *p, const pcs_pair *x);

/* Adds a pair to the event queue. */
void pcs_pair_schedule(pcs *p, size_t pair);

/* ---- State shared by the functions of impinge_pcs.h: the loop of pcs.h, with its own shapes,
 * bodies and poses. */

struct imp_pcs {
    mem mem;
    atomic_int cancel;
    pcs *loop;
    shape **shape; /* [shapes] one per mesh */
    uint32_t shapes, bodies;
    pcs_body *body; /* [bodies] */
    imp_pose *pose; /* [bodies] the poses passed to hooks */
    const imp_pcs_hooks *hooks;
    int running;    /* a step is running */
    int in_contact; /* the contact hook is running */
};

#endif
