/* Frames selected as a slice of Python does it. */
#ifndef IMP_WORK_SLICE_H
#define IMP_WORK_SLICE_H

#include <stdint.h>

/* The selected frames are first + i * step, i < count. */
typedef struct frame_slice {
    uint64_t first, count;
    int64_t step;
} frame_slice;

/* Selects frames: "a:b:step" of `frames`; NULL: all. IMP_ERR_ARGUMENT if it is not a slice, or if
 * there are frames and it selects none. */
int frame_slice_select(const char *text, uint64_t frames, frame_slice *out);

/* Number of the i-th selected frame. */
uint64_t frame_slice_at(const frame_slice *s, uint64_t i);

#endif
