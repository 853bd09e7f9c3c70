/* Memory of the host where reads from a device land while both do other work. A device with memory
 * of its own copies to it by itself: it is pinned, and nothing is copied once more. */
#ifndef IMP_LANDING_H
#define IMP_LANDING_H

#include "device.h"

/* All zero at first. */
typedef struct readback {
    void *at;
    size_t capacity; /* bytes */
    void *native;    /* cl_mem, mapped at `at`; NULL: the memory is not pinned */
    void *event;     /* cl_event of the reads that are not waited for; NULL: there are none */
} readback;

/* At least so many bytes at l->at; what was there is lost. Errors: MEMORY. */
int readback_fit(device *d, readback *l, size_t bytes);
void readback_free(device *d, readback *l);

/* Begins reads, of at least a byte each, to places in l->at. beside: they go beside what is queued
 * later, which must not write to these buffers before readback_end. */
int readback_begin(device *d, readback *l, const readout *list, size_t n, int beside);

/* Are they there, so that nothing needs to be waited for? */
int readback_done(device *d, const readback *l);

/* Waits for them. */
int readback_end(device *d, readback *l);

#endif
