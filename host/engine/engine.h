/* The pipeline. scheduler.h takes blocks of frames through the stages (stages.h, ../broad,
 * ../objects); it also declares the passes. */
#ifndef IMP_ENGINE_H
#define IMP_ENGINE_H

#include "broad.h"
#include "cull.h"
#include "error.h"
#include "float_env.h"
#include "frame_cache.h"
#include "object_clip.h"
#include "stages.h"

/* The data of a block in each stage. Device memory is reused from block to block. */
typedef struct workspace {
    block_view view;
    object_clip clip; /* the remaining part of the current frame */
    bounds bounds;
    culling cull;
    broad broad;
    candidates found; /* candidates of one piece */
    narrow narrow;
    sorter sort;
    row_stream stream;
    frame_cache cache;           /* data cached from the last frame */
    persistent_ids ids;          /* for meshes with ids */
    struct step_workspace *step; /* for ccd_pass (scheduler.h); NULL: not made yet */
} workspace;

struct imp {
    imp_def def;
    uint64_t *object_pair;  /* [def.object_pairs] sorted keys */
    int32_t *inside_object; /* [def.inside_objects] ascending; or NULL */
    mem mem;
    atomic_int cancel;
    atomic_int running; /* a call computes: run_begin */
    int inside_warned;  /* inside_listed_warn has looked */
    device_def device;  /* settings that tests may force; names and limits are filled in */
    char name[300];
    context context;
    workspace workspace;
    imp_profile profile;
    struct faults *faults; /* count of page faults; NULL: not counted */
    int stays, doubtful;   /* imp_forced.stays; the sink has rows of the failed block */
};

/* ---- a call of the caller that computes: impinge.c */

/* The caller's floating-point environment and error text, for run_end. */
typedef struct run_entry {
    float_entry env;
    error_state text;
} run_entry;

/* Errors: ARGUMENT if a call of this pipeline computes already, which is then undisturbed; after
 * an error there is no run_end. function: the name of the caller's function. */
int run_begin(imp *p, const char *function, run_entry *out);

/* Returns IMP_ERR_ARGUMENT if a call of this pipeline computes. */
int run_refuse(const imp *p, const char *function);

/* Ends the call, which had this error or none, and returns its result: CANCELLED if imp_cancel was
 * called after all was computed. Error texts of attempts of a call that succeeds are undone. */
int run_end(imp *p, const run_entry *from, int err);

void workspace_free(const context *c, workspace *r);

/* Frees a workspace's step, which may be NULL: ccd_pass.c. */
void step_workspace_free(const context *c, struct step_workspace *s);

/* Frees the memory that only a range uses, so that a smaller range can be tried. */
void workspace_free_range(const context *c, workspace *r);

/* imp_detect of a model's primitives (model.c); contacts have the model's stable ids. */
int imp_detect_model(imp *p, persistent_ids *model, imp_sink *sink, void *user,
                     imp_frame_info *info);

/* imp_detect in this workspace without retries: a device failure is an error. Times and counts are
 * added to *t. */
int workspace_detect(const context *c, workspace *r, imp_profile *t, const imp_frame *frames,
                     size_t count, imp_sink *sink, void *user, imp_frame_info *info);

/* ---- checks of the caller's input: impinge.c */

/* OpenMP ends the process when it cannot create the threads asked for. */
#define THREADS_MOST 4096

/* IMP_ERR_ARGUMENT for invalid options or frames; the text names frame, triangle and vertex. */
int def_check(const imp_def *def);

/* The name of the requested broad-phase method: given by name, or implied by options that only one
 * method has. */
const char *def_broad(const imp_def *def);

int frames_check(imp *p, const imp_frame *frames, size_t count);

/* ---- closed objects: inside_pass.c */

struct solids;

/* Counts the closed objects, and listed ones that are not. Errors: INPUT for one of these, unless
 * they are skipped; the text names the frame and the first open edge. */
int inside_check_closed(const options *o, const struct solids *s, imp_relations *counts);

/* ---- listed objects that no primitive has: inside_listed.c */

/* *out: rules whose imp_rules_missing finds them; NULL: none is listed. Errors: MEMORY. */
int inside_listed_missing(imp *p, const imp_frame *frames, size_t count, imp_rules **out);

/* Logs those that the frames of the pipeline's first call lack. Errors: MEMORY. */
int inside_listed_warn(imp *p, const imp_frame *frames, size_t count);

/* ---- the device */

/* imp_create with device settings that a test forces; NULL: none. */
int engine_create(const imp_def *def, const device_def *forced, imp **out);

/* Opens the requested device, and also the host if the device lacks float64. */
int engine_open(imp *p);
void engine_close(imp *p);

/* Returns whether a block of so many primitives begins with device.alone: where the caller leaves
 * the number of threads to the library (imp_def.threads) and the block is small. */
int engine_alone(const imp *p, uint64_t prims);

/* Logs this thread's error and opens the host instead. */
int engine_fall_back(imp *p);

/* Runs a known scene on these devices, in a workspace of its own. Returns IMP_ERR_DEVICE if they
 * fail or give a wrong answer; the message calls them `name`. Returns SELFTEST_FLUSHES, with a
 * message, if the only defect is that c->dev64 flushes float64 denormals to 0. */
#define SELFTEST_FLUSHES 1
int selftest(const context *c, const char *name);

#endif
