/* An OpenCL driver for tests: real enough to compute contacts, with the kernels as C, and to fail
 * in every way that drivers do. It is a library of its own, which the OpenCL loader finds through a
 * folder of .icd files (OCL_ICD_VENDORS).
 *
 * A test in the same process sets its switches with fake_cl_get(). Other processes set them in the
 * environment: FAKE_CL="gpu devices=3 log=FILE".
 *
 * One of several devices can differ from the rest: "cpus=2" makes the first two of GPUs CPUs;
 * "breaks=1:50" makes a device fail at its launch 50, and at all later ones (-2: each device does);
 * "slow=0:500" adds 500 microseconds to each launch; "lies=1000 liar=1" selects the lying device.
 * With "meets=50" each waits at its launch 50 until all are there, and "alone" is in the log if one
 * waited for a minute. Devices and launches are counted from 0, and slices of a launch after the
 * first one are not counted: their number depends on how fast the machine is. */
#ifndef IMP_FAKE_CL_H
#define IMP_FAKE_CL_H

#include <stdatomic.h>

typedef struct fake_cl {
    /* kind of devices */
    int devices; /* number of devices */
    int later;   /* number of devices when queried again; -1: the same */
    int gpu, no_fp64,
        one_one;         /* a GPU; without float64; of OpenCL 1.1, which does not support it */
    int unnamed, babble; /* no names; names of 5000 characters, several lines, without NUL */
    int no_units, no_group, no_buffers;
    int few;     /* items of a work-group: 64 */
    int seconds; /* duration of a build */
    int lies; /* filter kernels with at least 8 times as many pairs say that all are apart; 0: never
               */
    int flushes; /* its kernels flush denormals of both types to 0 */
    /* when queried for its devices it aborts, sleeps for a minute, exits, or aborts beside another
     * such driver: chosen by the name of its file */
    int crashes, hangs, quits, shuns;
    /* numbers of a device, counted from 1 here (0: none; for liar: all) */
    int cpus, liar, slow, slow_microseconds, breaks;
    long breaks_at, meets;
    /* injected errors: of the calls that can fail, those in [fail_from, fail_end) fail, counted
     * since calls was 0 */
    long fail_from, fail_end;
    int fail_code;
    int shy; /* like PoCL 3.1: while one thread starts it, others see no device */
    /* statistics */
    atomic_long calls;
    atomic_long alive;    /* live objects */
    atomic_long written;  /* bytes written to buffers, */
    atomic_long beside;   /* those of them through a queue without launches */
    atomic_long builds;   /* program builds */
    atomic_long loads;    /* programs created from machine code */
    atomic_long overlaps; /* start, stop or build calls while another thread was in one */
    atomic_long wrong;    /* calls that no program may make */
    atomic_int started;
} fake_cl;

typedef fake_cl *fake_cl_get_fn(void);

#endif
