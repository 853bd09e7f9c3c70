/* For the program's own measurements and tests; not part of the library's interface. */
#ifndef IMP_FORCED_H
#define IMP_FORCED_H

#include "impinge.h"

#include <stdint.h>

/* What `impinge run` takes as a device, and a pipeline refuses: several of them. */
#define IMP_ALL_DEVICES "opencl:all"

/* Instruction sets that the host's kernels are compiled for. On x86 BASE is SSE2, V3 and V4 are the
 * levels of x86-64: AVX2 and AVX-512. Other processors have BASE only. */
enum imp_isa { IMP_ISA_WIDEST, IMP_ISA_BASE, IMP_ISA_V3, IMP_ISA_V4 };

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
    int isa;               /* enum imp_isa: of the host's kernels */
    int stays;             /* a device that fails is an error: the host does not take its place */
    struct faults *faults; /* faults.h: that page faults are counted in; NULL: nowhere */
} imp_forced;

/* imp_create, with this forced on it. IMP_ERR_DEVICE if as_gpu is asked of a device that is no CPU,
 * or isa of a processor that lacks it. */
int imp_create_forced(const imp_def *def, const imp_forced *forced, imp **out);

/* After IMP_ERR_DEVICE of a pipeline that stays: may another one go on after the rows that the sink
 * has? Not if the device was found to decide wrongly, and rows of that block are with the sink. */
int imp_force_rows_hold(const imp *p);

/* The host takes the place of its device, with this number of threads; says so, with the error text
 * of this thread. */
int imp_force_host(imp *p, int threads);

/* From the next call on, do stages end when the device has done their work, as imp_profile then
 * says? Else a stage has the time that another one's work takes which it waits for; but a device
 * and the host work at the same time only then. */
void imp_force_timed(imp *p, int timed);

/* The bodies of a whole step that turn; all zero: none does. */
typedef struct imp_turns {
    double radius; /* the distance of the farthest vertex from the origin of its body */
    double arc;    /* the longest way of a vertex around that, in an infinite turn infinite */
    double angle;  /* by which the body of that vertex turns, in radians */
    int32_t body;  /* and its object */
} imp_turns;

/* A frame, or a step between two, whose parts are computed one by one. */
typedef struct imp_whole {
    double box[2][3]; /* lower and upper corner of its finite primitives, of a step at both instants
                         together */
    double half;      /* of a step half of the largest extent of either frame, by its own finite
                         primitives */
    imp_turns turns;  /* of a step */
} imp_whole;

/* From the next call on, frames are parts of this one: bounds and tolerances have the bits that
 * they have in it. The caller's; NULL: frames are whole. */
void imp_force_whole(imp *p, const imp_whole *whole);

#endif
