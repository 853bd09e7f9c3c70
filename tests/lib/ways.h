/* The variations that results must not depend on: devices, their forms, and methods of the broad
 * phase. Way 0 is the host with one thread; every OpenCL device is used as it is and with other
 * forms forced on it: without float64, and, if it is a processor, as a small and as a large GPU
 * (internal.h). */
#ifndef IMP_WAYS_H
#define IMP_WAYS_H

#include "engine.h"
#include "testlib.h"

#define WAYS_MOST 64 /* enough for 15 OpenCL devices */

typedef struct way {
    char name[200];  /* for messages */
    char device[16]; /* as in imp_def.device */
    int threads;
    int opencl, gpu, no_fp64, isa; /* isa: device_def.isa */
    uint32_t units;                /* compute units of the GPU that it emulates; 0: none */
    device_limits most;            /* limits that a test forces on an OpenCL device */
} way;

/* out[WAYS_MOST]; returns their number. Without an OpenCL device the test is partial. Under
 * sanitizers some are left out, unless more cases are requested. */
size_t ways_find(way *out);

/* Only those that run different code for the same work: fewer, where all would take too long. */
size_t ways_few(way *out);

/* Way 0, for tests that compare no devices. */
way way_host(void);

/* Returns whether its device caches frames. Only the host does. */
int way_keeps(const way *w);

/* imp_create of def's options on this way's device. */
int way_create(const way *w, const imp_def *def, imp **out);

/* The same, and a bare device; NULL after an error, which is a failure of the test. */
imp *way_pipeline(const way *w, const imp_def *def);
device *way_open(const way *w, mem *m, atomic_int *cancel);

/* From now on `hook` is called before every launch on this device; a non-zero result is the
 * launch's error. For few devices at a time. */
typedef int launch_hook(void *user, enum kernel kernel);
void way_hook(device *d, launch_hook *hook, void *user);

/* The bounds of a block, as in the broad phase of a pipeline. */
typedef struct read_bounds {
    uint32_t prims, extra;
    float *box, *slab;          /* [6 * prims], [2 * extra * prims] */
    double scale[2], centre[3]; /* for the first frame */
} read_bounds;

/* Runs these frames, which must fit in one block, and reads their bounds back. */
int read_bounds_of(imp *p, const imp_frame *frame, size_t frames, read_bounds *out);
void read_bounds_free(read_bounds *r);

/* The methods of broad.def; ends with NULL. */
extern const char *const broad_names[];

/* Pipelines with the same options for every way and method. */
typedef struct pipe {
    const way *way;
    const char *method;
    imp *p;
} pipe;

#define METHODS_MOST 8

typedef struct pipes {
    way way[WAYS_MOST];
    size_t ways, count;
    pipe list[WAYS_MOST * METHODS_MOST];
} pipes;

/* For all ways, or few; in everyday runs a part of all combinations (ways.c). A pipeline that
 * cannot be created is a failure of the test, which ends. */
void pipes_open(pipes *s, const imp_def *def, int all);
void pipes_close(pipes *s);

/* Prints the place of a failure, and counts it. */
void way_failed(const way *w, const char *method, const char *scene, const char *what);

#endif
