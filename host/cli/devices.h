/* The pipelines of a command: one, or with --device opencl:all one for each device. All run at the
 * same time, each used by one thread. */
#ifndef IMP_DEVICES_H
#define IMP_DEVICES_H

#include "impinge.h"
#include "internal.h"

typedef struct devices {
    imp **p;      /* [count], then NULL */
    size_t count; /* 0: none is open */
    char *lost;   /* [count] 1: the device has failed, and others do its work; NULL: none */
    int several;  /* a failing device is an error (imp_forced.stays) */
    int threads;  /* host threads, for all devices together */
} devices;

/* Returns the number of devices that the options ask for, at least 1. --device opencl:all means all
 * GPUs or, without a GPU, all other OpenCL devices. */
size_t devices_wanted(const imp_def *def);

/* Opens up to `most` devices. def: the memory limit of each device, and the threads of all
 * together. If several are wanted, devices that do not work are left out, with a line in the log;
 * DEVICE if none works. */
int devices_open(const imp_def *def, const imp_forced *forced, size_t most, devices *out);
void devices_close(devices *ps);

/* Combined profile: sums, and maxima where a member is a maximum. */
void devices_profile(const devices *ps, imp_profile *out);

/* imp_device_name and imp_broad_name of the working devices: each device once, with its number
 * before it if several have that name. The first is valid until the next call. */
const char *devices_names(const devices *ps);
const char *devices_broad_name(const devices *ps);

/* imp_broad_at, summed over all devices. */
int devices_broad_at(const devices *ps, size_t index, const char **name, uint64_t *blocks);

/* The least number of frames that one of the devices computes at a time: imp_block_frames. */
size_t devices_block_frames(const devices *ps, uint64_t vertices, uint64_t primitives);

#endif
