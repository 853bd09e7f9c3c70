/* Engine functions for the program and the tests, beside the library's public interface. */
#ifndef IMP_INTERNAL_H
#define IMP_INTERNAL_H

#include "impinge.h"
#include "motion.h"

#include <stdint.h>

/* The device name for several devices, which `impinge run` accepts and a pipeline refuses. */
#define IMP_ALL_DEVICES "opencl:all"

typedef struct imp_forced {
    /* The OpenCL CPU device that def->device names is treated as a GPU with this number of compute
     * units: launches are sized for them, and it has memory of its own, so that the same data is
     * copied as for a GPU. There is no self-test, which would take a simulator minutes. 0: as a
     * CPU. */
    uint32_t as_gpu;
    /* In continuous detection feature pairs are found and listed but not decided; there are no
     * rows. */
    int only_features;
    double *queries; /* receives the seconds of deciding them; NULL: not measured */
    int isa;   /* instruction set of the host's kernels, enum imp_isa of device.h; 0: the widest */
    int stays; /* a device failure is an error: the host does not replace it */
    struct faults *faults; /* clock.h: count of page faults; NULL: not counted */
} imp_forced;

/* imp_create with these settings. Errors: as imp_create; DEVICE also if as_gpu is set and the
 * device is no CPU, or if the processor lacks isa. */
int imp_create_forced(const imp_def *def, const imp_forced *forced, imp **out);

/* ---- shared by the scheduler (scheduler.h) and a program with several pipelines */

/* A block of frames that one pipeline computes at a time. */
enum block_state {
    BLOCK_READ,      /* its frames are in memory, and any pipeline can take it */
    BLOCK_COMPUTING, /* a pipeline computes it */
    BLOCK_COMPUTED   /* all its rows are delivered */
};

/* After IMP_ERR_DEVICE of a pipeline with imp_forced.stays, whose error text is still that of this
 * thread: replaces its device and logs this. others: other pipelines take over its work; else the
 * host does, with this number of threads. Returns IMP_ERR_DEVICE if the device cannot be replaced:
 * its verdicts were found wrong, and the sink has rows of that block. *lost: the pipeline can no
 * longer be used. */
int imp_replace_device(imp *p, int others, int threads, int *lost);

/* imp_detect of frames whose first `given` rows the caller already has from another pipeline with
 * the same options, on any device: the sink receives only the rows after them. info counts all
 * rows. */
int imp_detect_from(imp *p, const imp_frame *frames, size_t count, uint64_t given, imp_sink *sink,
                    void *user, imp_frame_info *info);

/* From the next call on, `timed` makes each stage wait for the device's work, so that imp_profile
 * has the true time of each stage. Otherwise device and host overlap, and a stage that waits for
 * the device also counts the work of earlier stages. */
void imp_force_timed(imp *p, int timed);

/* From the next call on, frames are parts of `whole`: bounds and tolerances have the same bits as
 * in the whole frame. *whole stays the caller's. NULL: frames are whole. */
void imp_force_whole(imp *p, const imp_whole *whole);

#endif
