/* imp_def.verify: of the candidates that a device has decided some are decided again on the host,
 * by exact arithmetic. A difference is IMP_ERR_DEVICE before a row of them is handed out; the
 * scheduler then ends the use of the device. */
#ifndef IMP_VERIFY_H
#define IMP_VERIFY_H

#include "sample.h"
#include "stages.h"

/* Adds the candidates of a piece to what is sampled, as prims. `from`: those of `found` on the
 * device of the narrow phase, of ranks if it has some, before they are decided. Errors: MEMORY,
 * DEVICE. */
int verify_sample_candidates(const context *c, const candidates *found, const pairs *from,
                             sample *s);

/* Compares the sample with s->meet and s->undecided, both in order, and clears it. Errors: MEMORY,
 * DEVICE (also for a difference), CANCELLED. */
int verify_pairs(const context *c, const block_view *v, narrow *s);

/* The same of pairs of which the device says verdict[i] (narrow_verdicts): of a sample of these.
 * They are in order; s is empty before and afterwards. */
int verify_verdicts(const context *c, const block_view *v, const pair_list *of,
                    const uint8_t *verdict, sample *s);

/* Asks `wrong` of each element of the sample, in threads: *first is the first of which it is not 0,
 * s->count if there is none. All are counted as verified. Errors: CANCELLED. */
typedef int verify_wrong(const void *user, const sampled *p);
int verify_first(const context *c, sample *s, verify_wrong *wrong, const void *user, size_t *first);

/* IMP_ERR_DEVICE: primitives a and b of frame f of the view (positions in the frame), or features
 * of them, meet or not, and the device says something else. `what`: "triangles" ... */
int verify_differs(const context *c, const block_view *v, uint32_t f, const uint32_t prim[2],
                   int meet, const char *what);

#endif
