/* Ranges of primitives or vertices that do not cross frames. */
#ifndef IMP_CHUNKS_H
#define IMP_CHUNKS_H

#include "context.h"

#define BOUND_CHUNK 1024u

/* A reduction over the items of a view is cut into chunks: chunk c is [first[c], last[c]) of
 * frame[c]. The device has the same three arrays. */
typedef struct chunks {
    uint32_t count;
    int there;                      /* are they on the device? */
    uint32_t *first, *last, *frame; /* one allocation, at `first` */
    buffer_u32 first_buf, last_buf, frame_buf;
} chunks;

/* start[frames + 1]: the first item of each frame. A chunk has at most `length` items; only the
 * last one of a frame may have fewer. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length);
void chunks_free(mem *m, device *d, chunks *c);

/* The first two or three arguments of kernels over chunks (kernels.def). */
#define CHUNKS_OF(c) &(c)->first_buf, &(c)->last_buf
#define FRAME_CHUNKS_OF(c) CHUNKS_OF(c), &(c)->frame_buf

#endif
