/* The pipeline. scheduler.h walks blocks of frames through the stages (stages.h, ../broad,
 * ../objects); scheduler.h has the ways to do so. */
#ifndef IMP_ENGINE_H
#define IMP_ENGINE_H

#include "broad.h"
#include "cull.h"
#include "frame_cache.h"
#include "object_clip.h"
#include "stages.h"

/* What a block becomes on its way. Device memory is kept from block to block. */
typedef struct workspace {
    block_view view;
    object_clip clip; /* what remains of the current frame */
    bounds bounds;
    culling cull;
    broad broad;
    candidates found; /* of one piece */
    narrow narrow;
    sorter sort;
    row_stream stream;
    frame_cache cache;           /* of the last frame */
    persistent_ids ids;          /* for meshes with ids */
    struct step_workspace *step; /* between two instants (scheduler.h); NULL: none was made yet */
} workspace;

struct imp {
    imp_def def;
    uint64_t *object_pair; /* [def.object_pairs] sorted keys */
    mem mem;
    atomic_int cancel;
    device_def device; /* what tests may force; names and limits are filled in */
    char name[300];
    context context;
    workspace workspace;
    imp_profile profile;
    struct faults *faults; /* where they are counted; NULL: nowhere */
    int stays, doubtful;   /* internal.h; are rows of the block that failed with the sink? */
};

void workspace_free(const context *c, workspace *r);

/* Of a workspace, or NULL: ccd_pass.c. */
void step_workspace_free(const context *c, struct step_workspace *s);

/* Frees what only a range has used, so that a smaller one finds memory. */
void workspace_free_range(const context *c, workspace *r);

/* imp_detect of a model's primitives (model.c); contacts have numbers of its slots. */
int imp_detect_model(imp *p, persistent_ids *model, imp_sink *sink, void *user,
                     imp_frame_info *info);

/* imp_detect in this workspace without a retry: a device that fails is an error. Times and
 * sums are added to *t. */
int workspace_detect(const context *c, workspace *r, imp_profile *t, const imp_frame *frames,
                     size_t count, imp_sink *sink, void *user, imp_frame_info *info);

/* ---- what the caller hands over: impinge.c */

/* OpenMP ends the process when it cannot create the threads asked for. */
#define THREADS_MOST 4096

/* IMP_ERR_ARGUMENT for what cannot be used; the text says which frame, triangle and vertex. */
int def_check(const imp_def *def);

/* The method of the broad phase that it asks for: by name, or by options of one alone. */
const char *def_broad(const imp_def *def);

int frames_check(imp *p, const imp_frame *frames, size_t count);

/* ---- the device */

/* imp_create with what a test may force on the device; NULL: nothing. */
int engine_create(const imp_def *def, const device_def *forced, imp **out);

/* Opens the device that def asks for, and the host beside it if it lacks float64. */
int engine_open(imp *p);
void engine_close(imp *p);

/* Logs this thread's error, and opens the host instead. */
int engine_fall_back(imp *p);

/* Runs a known scene on these devices, in a workspace of its own. IMP_ERR_DEVICE if they do not;
 * the message calls them `name`. SELFTEST_FLUSHES, with a message: all is well but that c->dev64
 * flushes float64 denormals to 0. */
#define SELFTEST_FLUSHES 1
int selftest(const context *c, const char *name);

#endif
