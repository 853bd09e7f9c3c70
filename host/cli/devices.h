/* The pipelines of a command: one, or with --device opencl:all one for each device. Each is used by
 * one thread at a time, all of them at once. */
#ifndef IMP_DEVICES_H
#define IMP_DEVICES_H

#include "impinge.h"
#include "internal.h"

typedef struct devices {
    imp **p;      /* [count], and NULL behind them */
    size_t count; /* 0: none is open */
    char *lost;   /* [count] this one's device has failed, and others do its work; NULL: none */
    int several;  /* a device that fails is an error (imp_forced.stays) */
    int threads;  /* of the host, of all of them together */
} devices;

/* How many these options ask for, at least 1. All devices are the GPUs, or where there is none all
 * others of OpenCL. */
size_t devices_wanted(const imp_def *def);

/* Opens them, up to `most`; def has the memory of each of them, and the threads of all. Of several
 * devices those that do not work are left out, in a line of the log; DEVICE if none works. */
int devices_open(const imp_def *def, const imp_forced *forced, size_t most, devices *out);
void devices_close(devices *ps);

/* What they have cost together: sums, and of a greatest number the greatest. */
void devices_profile(const devices *ps, imp_profile *out);

/* imp_device_name and imp_broad_name of those that work: each device once, with its number before
 * it if there are several of that name. The first is valid until it is called again. */
const char *devices_names(const devices *ps);
const char *devices_broad_name(const devices *ps);

/* imp_broad_at of all of them together. */
int devices_broad_at(const devices *ps, size_t index, const char **name, uint64_t *blocks);

/* The least number of frames that one of them computes at a time: imp_block_frames. */
size_t devices_block_frames(const devices *ps, uint64_t vertices, uint64_t primitives);

#endif
