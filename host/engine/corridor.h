/* The corridor: blocks of frames walk through it, each by one pass. It alone chooses the pass, does
 * a block again with less where memory is short or on the host where the device fails, hears
 * imp_cancel, and takes the time. */
#ifndef IMP_CORRIDOR_H
#define IMP_CORRIDOR_H

#include "walk.h"

/* All frames of w->out, `count` of them. host: whose device may be given up for the host; NULL: it
 * may not. Errors: as imp_detect. */
int corridor(walk *w, imp *host, size_t count, imp_frame_info *info);

#endif
