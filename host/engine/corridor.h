/* The scheduler: blocks of frames go through the stages, each by one pass. It alone chooses the
 * pass, does a block again with less where memory is short or on the host where the device fails,
 * obeys imp_cancel, and takes the time. */
#ifndef IMP_CORRIDOR_H
#define IMP_CORRIDOR_H

#include "walk.h"

/* Takes all frames of w->out, `count` of them, or the steps between these. host: the pipeline that
 * may continue on the host if its device fails; NULL: none may. Errors: as imp_detect. */
int scheduler_run(call *w, imp *host, size_t count, imp_frame_info *info);

#endif
