/* Passes: ways of a block through the stages. Each is a file. Its last function lists the stages,
 * bound -> broad -> narrow -> order -> rows. The corridor chooses one for each block. */
#ifndef IMP_PASS_H
#define IMP_PASS_H

#include "walk.h"

typedef struct pass {
    const char *name;                          /* as imp_frame_info has it */
    int (*run)(walk *w, imp_frame_info *info); /* info: [frames], zero */
} pass;

extern const pass pass_fresh;  /* the ordinary one */
extern const pass pass_kept;   /* a frame that continues from the one before */
extern const pass pass_moving; /* what meets between two instants, and when */

/* Can the current view continue from the frame before? If so, finds what moved. Errors: MEMORY,
 * DEVICE.
 */
int pass_kept_can(walk *w, int *can);

/* ---- what passes share */

/* A handout as a contact_sink. */
typedef struct pass_rows {
    walk *w;
    imp_frame_info *info;
} pass_rows;
int pass_hand_out(void *user, column_rows *rows);

#endif
