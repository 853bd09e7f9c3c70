/* What stands still from one frame to the next is answered as one frame is, and the answer is kept
 * for the next swept query: as long as the points and poses are the same, nothing is asked again.
 * A rigid body never moves as it sees itself, so its pairs with itself are kept, too. */
#ifndef IMP_SWEEP_STILL_H
#define IMP_SWEEP_STILL_H

#include "broad.h"

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

#endif
