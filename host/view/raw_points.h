/* The block's points as the caller stores them: one array of one type, on the device with float64.
 */
#ifndef IMP_RAW_POINTS_H
#define IMP_RAW_POINTS_H

#include "context.h"
#include "view.h"

typedef struct raw_points {
    buffer_f32 in32;
    buffer_f64 in64;
    uint32_t wide;          /* in64 has the points, else in32; the other is empty */
    void *staged;           /* what that one shows, if the caller has frames in several places */
    const imp_frame *frame; /* [frames] of this call, of whose points there is a copy; NULL: none */
    size_t frames;
    source *list; /* where they are, while copies go ahead; of these [next, sources) are left, */
    size_t next, sources;
    size_t sent; /* after so many bytes */
} raw_points;

/* Arguments of kernels: POINTS of kernels.def. */
#define POINTS_OF(r) &(r)->in32, &(r)->in64, (r)->wide

/* The points of an instant of the view, `frame`: [frames], all of one type. All zero at first, then
 * closed before the next ones. Copies that *other has, if it is not NULL, change places with *r.
 * Errors: MEMORY, DEVICE. */
int raw_open(const context *c, const block_view *v, const imp_frame *frame, raw_points *r,
             raw_points *other);

void raw_swap(raw_points *a, raw_points *b);

/* Waits for what reads the caller's points. Copies may stay, and their memory for the next ones. */
void raw_close(const context *c, raw_points *r);

/* The call ends: the caller may change points and frames that there are copies of. */
void raw_invalidate(raw_points *r);

/* Copies a part of the points of frames that a view is opened for later, all of one type, beside
 * what the device computes, if that is possible. Returns 0 if nothing is left to do. */
int raw_prefetch(const context *c, const imp_frame *frame, size_t frames, raw_points *r);
void raw_free(const context *c, raw_points *r);

#endif
