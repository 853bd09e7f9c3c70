/* What the parts of the loop share: the state of bodies and pairs, the queue, and the same pairs by
 * the engine. */
#ifndef IMP_PCS_STATE_H
#define IMP_PCS_STATE_H

#include "impinge.h"
#include "impinge_pcs.h"
#include "mem.h"
#include "pcs.h"
#include "pcs_motion.h"
#include "pcs_tiles.h"

#include <stdatomic.h>

/* ---- The possible collision set of many bodies by the engine, on its device. */

typedef struct pcs_engine {
    imp *pipeline; /* NULL: not used */
    uint32_t *corner;
    double *point;
} pcs_engine;

/* Errors: as imp_create. */
int pcs_engine_open(mem *m, pcs_engine *e, const char *device, int threads, uint32_t bodies);
void pcs_engine_close(mem *m, pcs_engine *e);

/* The same pairs as pcs_tiles_all_pairs. Ends with CANCELLED where *cancel is not 0. Errors: as
 * imp_detect. */
int pcs_engine_all_pairs(mem *m, pcs_engine *e, const double (*box)[6], uint32_t bodies,
                         const atomic_int *cancel, pcs_pairs *out);

/* ---- What comes next: items by (time, a, b), of which each has one entry. A binary heap, so that
 * a change costs the logarithm of their number; the order is total, so that no history shows. */

typedef struct pcs_entry {
    double time;
    uint32_t a, b;
    size_t item;
} pcs_entry;

typedef struct pcs_order {
    pcs_entry *heap;
    size_t count;
    size_t *position; /* [items] in the heap, plus 1; 0: not in it */
    size_t capacity;
} pcs_order;

/* Room for `items` of them; those that are new have no entry. Errors: MEMORY. */
int pcs_order_fit(mem *m, pcs_order *o, size_t items);
void pcs_order_clear(pcs_order *o);
void pcs_order_free(mem *m, pcs_order *o);

/* Enters an item, or changes its entry. */
void pcs_order_set(pcs_order *o, const pcs_entry *e);
void pcs_order_remove(pcs_order *o, size_t item);

/* The first one; NULL: there is none. */
static inline const pcs_entry *pcs_order_first(const pcs_order *o)
{
    return o->count ? o->heap : NULL;
}

/* ---- What pcs.c and its parts share. */

#define INELASTIC 8      /* this contact of a pair in a frame, and all later ones */
#define CONTACTS_MOST 32 /* of a pair in a frame: then it is left alone until the next */
#define UNMOVED 0.5      /* of the distance of a pair whose bodies keep their velocities: `held` */
#define HELD_LEAST 0x1p-20 /* of epsilon: a pair that is resolved nearer is not watched */

/* Of a pair that was resolved in this frame. */
enum pcs_rest {
    PCS_AWAKE,   /* it was not, or has separated since */
    PCS_WATCHED, /* rests, and is in contact again where it comes much nearer */
    PCS_RESTING, /* rests until it has separated */
    PCS_OVER     /* until the next frame */
};

/* A pair of bodies, from when it is in the possible collision set to the end of the frame. */
typedef struct pcs_pair {
    uint32_t a, b;  /* a < b */
    size_t next[2]; /* the next pair of a and of b, plus 1 */
    shape_pair cache;
    shape_nearest near; /* at `looked` */
    pcs_gap gap;        /* the same */
    double measured_at;
    double normal[3];  /* 0 0 0: not known yet */
    double held;       /* the least distance that it may have had where it was resolved, or UNMOVED
                          of it */
    uint64_t response; /* after which its distance was computed */
    uint32_t contacts;
    uint8_t rest;    /* enum pcs_rest */
    uint8_t in;      /* the set */
    uint8_t outside; /* neither was in the other in this frame, and they have not touched since */
} pcs_pair;

/* members: what one loop works on, by subject. */
struct pcs {
    pcs_def def;
    int threads;
    /* bodies: [def.bodies] */
    pcs_body *bodies; /* the caller's, during a frame */
    pcs_motion *motion;
    double (*box)[6]; /* trajectory boxes */
    size_t *first;    /* pair of each body, plus 1 */
    size_t *partner;  /* pair with a given body, plus 1; all 0 between uses */
    uint8_t *changed; /* all 0 between uses */
    uint32_t *list;   /* bodies that a contact changed */
    /* pairs */
    pcs_pair *pair;
    size_t pairs, capacity;
    pcs_pairs found; /* by the last search */
    pcs_order order;
    pcs_tiles tiles;
    int tiled; /* the tiles hold the boxes of this frame */
    pcs_engine engine;
    char device[512]; /* its name */
    /* the frame */
    double now;
    uint64_t response; /* the number of the last response */
    pcs_counts counts;
};

/* The trajectory box of a body, from now on. Errors: ARGUMENT: it is beyond the range of float64.
 */
int pcs_body_make_box(pcs *p, uint32_t body);

/* The possible collision set at the start of a frame, from boxes. What was known of a pair in the
 * last frame is kept. Errors: MEMORY, DEVICE, CANCELLED. */
int pcs_set_make(pcs *p);

/* Finds the pairs of the bodies of list[] again, and their distances: their motions have changed.
 * Errors: MEMORY, ARGUMENT. */
int pcs_set_renew(pcs *p, uint32_t count);

/* The distance of a pair now, and from it whether and when it is in contact. May run in parallel
 * for different pairs. */
void pcs_pair_measure(const pcs *p, pcs_pair *x);

/* Is it in contact, at the distance last computed? */
int pcs_pair_in_contact(const pcs *p, const pcs_pair *x);

/* When it is to be looked at next, or INFINITY: not in this frame. */
double pcs_pair_next_time(const pcs *p, const pcs_pair *x);

/* Enters a pair into the order of what comes next. */
void pcs_pair_schedule(pcs *p, size_t pair);

/* ---- What the functions of impinge_pcs.h share: the loop of pcs.h, with shapes, bodies and poses
 * of its own. */

struct imp_pcs {
    mem mem;
    atomic_int cancel;
    pcs *loop;
    shape **shape; /* [shapes] one for each mesh */
    uint32_t shapes, bodies;
    pcs_body *body; /* [bodies] */
    imp_pose *pose; /* [bodies] what hooks see of them */
    const imp_pcs_hooks *hooks;
    int running;    /* a step */
    int in_contact; /* the contact hook runs */
};

#endif
