/* What pcs.c and its parts share. */
#ifndef IMP_PCS_STATE_H
#define IMP_PCS_STATE_H

#include "pcs.h"
#include "pcs_engine.h"
#include "pcs_motion.h"
#include "pcs_order.h"
#include "pcs_tiles.h"
#include "pcs_time.h"

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

#endif
