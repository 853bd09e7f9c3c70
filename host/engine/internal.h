/* What the program and the tests may ask of the engine beside the library's interface. */
#ifndef IMP_INTERNAL_H
#define IMP_INTERNAL_H

#include "impinge.h"
#include "motion.h"

#include <stdint.h>

/* What `impinge run` takes as a device, and a pipeline refuses: several of them. */
#define IMP_ALL_DEVICES "opencl:all"

typedef struct imp_forced {
    /* An OpenCL CPU device, which def->device names, is treated as a GPU of this number of compute
     * units: launches sized for these units, and memory of its own, so that what a GPU
     * copies is copied. There is no self-test, which would take a simulator
     * minutes. 0: it is not. */
    uint32_t as_gpu;
    /* Between frames: pairs of features are found and listed, and not decided; there are no rows.
     */
    int only_features;
    double *queries;       /* gets the seconds in which they are decided; NULL: not measured */
    int isa;               /* enum imp_isa of device.h: of the host's kernels; 0: the widest */
    int stays;             /* a device that fails is an error: the host does not take its place */
    struct faults *faults; /* clock.h: that page faults are counted in; NULL: nowhere */
} imp_forced;

/* imp_create, with this forced on it. IMP_ERR_DEVICE if as_gpu is asked of a device that is no CPU,
 * or isa of a processor that lacks it. */
int imp_create_forced(const imp_def *def, const imp_forced *forced, imp **out);

/* ---- what the scheduler (scheduler.h) and a program with several pipelines have in common */

/* A block of frames that one pipeline computes at a time. */
enum block_state {
    BLOCK_READ,      /* its frames are in memory, for any pipeline */
    BLOCK_COMPUTING, /* a pipeline has it */
    BLOCK_COMPUTED   /* all its rows are delivered */
};

/* After IMP_ERR_DEVICE of a pipeline that stays, whose text is that of this thread: something takes
 * the place of its device, which the log says. others: other pipelines do its work; else the host
 * does, with this number of threads. IMP_ERR_DEVICE if nothing may: the device was found to decide
 * wrongly, and rows of that block are with the sink. *lost: the pipeline is of no use any more. */
int imp_replace_device(imp *p, int others, int threads, int *lost);

/* imp_detect of frames whose first `given` rows the caller has, from a pipeline with the same
 * options on any device: the sink gets those after them. info counts all rows. */
int imp_detect_from(imp *p, const imp_frame *frames, size_t count, uint64_t given, imp_sink *sink,
                    void *user, imp_frame_info *info);

/* From the next call on, do stages end when the device has done their work, as imp_profile then
 * says? Else a stage has the time that another one's work takes which it waits for; but a device
 * and the host work at the same time only then. */
void imp_force_timed(imp *p, int timed);

/* From the next call on, frames are parts of this one: bounds and tolerances have the bits that
 * they have in it. The caller's; NULL: frames are whole. */
void imp_force_whole(imp *p, const imp_whole *whole);

#endif
