/* An OpenCL driver for tests: real enough to compute contacts, with the kernels as C, and to go
 * wrong in every way that drivers do. It is a library of its own, which the OpenCL loader finds
 * through a folder of .icd files (OCL_ICD_VENDORS).
 *
 * A test in the same process gets at its switches with fake_cl_get(). For other processes they come
 * from the environment: FAKE_CL="gpu devices=3 log=FILE".
 *
 * Of several devices one can be another than the rest: "cpus=2" are the first two of GPUs;
 * "breaks=1:50" fails at its launch 50, and at all later ones (-2: each device does); "slow=0:500"
 * takes 500 microseconds more for each launch; "lies=1000 liar=1" is the one that lies. With
 * "meets=50" each waits at its launch 50 until all are there, and "alone" is in the log if one
 * waited for a minute. All of them are counted from 0. */
#ifndef IMP_FAKE_CL_H
#define IMP_FAKE_CL_H

#include <stdatomic.h>

typedef struct fake_cl {
    /* what it is */
    int devices;               /* how many there are */
    int later;                 /* how many there are when it is asked once more; -1: as many */
    int gpu, no_fp64, one_one; /* a GPU; without float64; of OpenCL 1.1, which does not know it */
    int unnamed, babble;       /* no names; names of 5000 characters, several lines, and no NUL */
    int no_units, no_group, no_buffers;
    int few;     /* items of a work-group: 64 */
    int seconds; /* that a build takes */
    int lies;    /* a question about at least 8 times as many pairs: all are apart; 0: never */
    int flushes; /* denormals are 0 in its kernels, of both types */
    /* asked for its devices it aborts, sleeps for a minute, exits, or aborts beside another such
     * driver: by the name of its file */
    int crashes, hangs, quits, shuns;
    /* of one device, counted from 1 here (0: of none, a liar: of all) */
    int cpus, liar, slow, slow_microseconds, breaks;
    long breaks_at, meets;
    /* what goes wrong: the calls [fail_from, fail_end) that can fail, counted since calls was 0 */
    long fail_from, fail_end;
    int fail_code;
    int shy; /* as PoCL 3.1: while one thread starts it, others are told that there is no device */
    /* what happened */
    atomic_long calls;
    atomic_long alive;    /* objects */
    atomic_long written;  /* bytes of buffers, */
    atomic_long beside;   /* and those that went by a queue that no kernel was launched in */
    atomic_long builds;   /* programs */
    atomic_long loads;    /* programs from machine code */
    atomic_long overlaps; /* calls that start, stop or build, while another thread was in one */
    atomic_long wrong;    /* calls that no program may make */
    atomic_int started;
} fake_cl;

typedef fake_cl *fake_cl_get_fn(void);

#endif
