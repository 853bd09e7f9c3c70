/* Passes: ways of a block through the stages. Each is a file. Its last function lists the stages,
 * bound -> broad -> narrow -> order -> rows. The scheduler chooses one for each block. */
#ifndef IMP_PASS_H
#define IMP_PASS_H

#include "walk.h"

typedef struct pass {
    const char *name;                          /* as imp_frame_info has it */
    int (*run)(call *w, imp_frame_info *info); /* info: [frames], zero */
} pass;

extern const pass full_pass;        /* the ordinary one */
extern const pass incremental_pass; /* a frame that continues from the one before */
extern const pass ccd_pass;         /* what meets between two instants, and when */

/* Can the current view continue from the frame before? If so, finds what moved. Errors: MEMORY,
 * DEVICE.
 */
int incremental_pass_can(call *w, int *can);

/* ---- what passes share */

/* An output as a contact_sink. */
typedef struct pass_target {
    call *w;
    imp_frame_info *info;
} pass_target;
int pass_output(void *user, column_rows *rows);

#endif
