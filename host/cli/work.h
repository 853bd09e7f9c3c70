/* The options that choose work, shared by `run`, `bench` and `check`, and the input they apply to.
 */
#ifndef IMP_WORK_H
#define IMP_WORK_H

#include "baseline.h"
#include "contact_sums.h"
#include "internal.h"
#include "object_pairs.h"
#include "output.h"
#include "pipelines.h"
#include "store.h"
#include "store_space.h"
#include "warnings.h"
#include "work_options.h"
#include "work_shard.h"
#include "work_slice.h"

/* In the struct of a verb whose table has work_option_list: the offsets are those of a work_options
 * that the struct begins with. */
#define WORK_FIRST(type)                                                                           \
    _Static_assert(offsetof(type, w.given) == 0, "work_options are at the beginning of the "       \
                                                 "struct")

/* The memory of each part of the program: work_memory.c. */
typedef struct work_memory {
    mem read;         /* of the reader, and of what waits to be written */
    mem write;        /* of the writer of a result */
    mem sums;         /* of the sums for a document, if `wants_sums` */
    uint64_t at_once; /* frames that may be in memory */
    uint64_t waiting; /* bytes of contacts that may wait to be written */
} work_memory;

/* Frames in slabs: run --space. What is computed are units, each a slab of a step. */
typedef struct work_space {
    uint64_t slabs;        /* the caller's; 0: frames are whole */
    int parts;             /* the result is of units */
    uint64_t first, count; /* units of the shard */
    batch_space *cut;      /* the step that was cut last, */
    uint64_t step;         /* and its number */
    uint64_t primitives;   /* of all slabs that were read */
} work_space;

/* members: parts that have a file each, work_*.c, and what they share */
typedef struct work {
    work_options given;
    /* the caller's, and from work_begin */
    const char *path;
    work_space space;
    /* from a normal form: the volume that candidates depend on, "": none; the frames that were
     * selected; --baseline */
    char volume_was[16];
    frame_slice was;
    char baseline_was[24];
    imp_forced forced;
    int wants_sums;
    contact_sums sums; /* for --json: of the contacts that the caller adds */
    /* from work_open */
    work_memory mem;
    batch *in;
    batch_info info;
    frame_slice slice;     /* of the shard, if there is one */
    work_shard shard;      /* the caller's */
    uint64_t steps;        /* of the result: as many as frames, or the ways between them */
    uint64_t primitives;   /* of all steps: of a way those of its first frame */
    uint64_t ghosts;       /* cells of the same frames that are left out */
    uint64_t object_count; /* most different objects of a frame read so far */
    int wants_unwelded;    /* the caller's, until it is done: work_warn_unwelded */
    object_pairs pairs_list;
    baseline baseline;
    imp_def def;
    warnings warnings; /* of all that follows */
} work;

/* ---- work_normal.c */

/* The options that results depend on, in one normal form that work_parse reads again. */
int work_normal(const work *w, char *out, size_t size);
int work_parse(const char *path, const char *normal, work *w, char *memory, size_t size);

/* ---- work.c: the input */

/* For an input of that name. `wants_sums`: there will be a document with sums. */
void work_begin(work *w, const char *path, int wants_sums);

/* Checks the options, opens the input and fills the rest of *w. ARGUMENT also if no frame is
 * selected, or no pair of objects may be tested. */
int work_open(work *w);
void work_close(work *w);

/* Reads `count` selected frames from the i-th on; `before`: as for batch_read_on. With --continuous
 * they have one mesh. */
int work_read(work *w, const batch_block *before, uint64_t i, size_t count, batch_block *out);

/* The different objects of the i-th selected frame: batch_frame_objects, or of frames that are not
 * read as a whole batch_space_objects. */
int work_objects(work *w, uint64_t i, const int32_t **ids, uint64_t *count);

/* Objects of the first `count` selected frames, which need not be read otherwise. */
int work_count_objects(work *w, uint64_t count);

/* `err` of a pipeline that computed frames of this input: bad points with the file's name and a
 * remedy. */
int work_detect_error(const work *w, int err);

/* The names of its objects, as --objects tells them apart; NULL: they have none. */
const batch_names *work_names(const work *w);

/* The word for its primitives: "triangle" if it has no others. */
const char *work_noun(const work *w);

/* Claims what this work reads: the input, the files behind it, the list of pairs. */
int work_claim(const work *w, outputs *o);

/* ---- work_steps.c: frames, or with --continuous the ways between neighbours */

/* Counts steps, and finds frames that cannot be neighbours as far as their sizes show it. */
int work_steps(work *w);

/* The error that the i-th selected frame and the next one have different meshes. */
int work_meshes_differ(const work *w, uint64_t i, const char *what);

/* Selects the frames, or slabs, of the shard, if there is one, and counts its steps. Every shard of
 * an input is cut alike: by primitives, and one more for each step. */
int work_shard_cut(work *w);

/* ARGUMENT where --tolerance is given and no body turns. */
int work_tolerance(const work *w);

/* The frames that so many steps in a row take: each way begins and ends with one. */
static inline uint64_t work_frames(const work *w, uint64_t steps)
{
    return steps + (uint64_t)(w->def.continuous != 0);
}

/* Frames that were read one after another: with --continuous they get one mesh, if their meshes are
 * the same. */
int work_neighbours(const work *w, batch_block *b);

/* The i-th step, which begins with frame k of a block. */
result_step work_step(const work *w, uint64_t i, const batch_block *b, size_t k);

/* "frame", or "step" with --continuous; with the number of a frame behind it: "step from frame" */
const char *work_step_noun(const work *w);
const char *work_step_name(const work *w);

/* ---- work_space.c: frames in slabs */

/* ARGUMENT for what cannot be computed in slabs. */
int work_space_check(work *w);

/* The units of the shard, or all of them. */
void work_space_units(work *w, uint64_t first, uint64_t end);

/* Reads the i-th unit of these. */
int work_space_read(work *w, uint64_t i, batch_block *out);

/* The result's step of a unit, whose block this is. */
result_step work_space_step(const batch_block *b);

/* What reading takes: of one unit, and in all besides; cuts the first step. */
int work_space_bytes(work *w, uint64_t *unit, uint64_t *besides);

/* The options of the pipeline: it sees parts of frames. */
imp_def work_space_def(const work *w);

void work_space_free(work *w);

/* ---- work_baseline.c */

/* Which frame --baseline names; ARGUMENT if there is none. Then its pairs, before the pipeline of
 * the run is made: both would need the memory. INPUT if that frame has another mesh than the
 * selected ones. */
int work_baseline_open(work *w);
int work_baseline(work *w);

/* ---- work_memory.c */

/* Sets what reading and the sums may take before the rest is known. */
void work_limits(work *w);

/* Makes the pipelines of the options, with the memory that reading and writing do not need. */
int work_engine(work *w, pipelines *out);

/* The one that these options ask for, where all selected frames will be read at once. */
int work_engine_all(work *w, imp **out);

/* A pipeline of these options, which is destroyed before that of the run is made. */
int work_engine_before(work *w, imp_def *def, imp **out);

/* The number of steps to compute at a time, and of such blocks that may be in memory: one more than
 * there are pipelines if possible, more if they are small. */
size_t work_block(const work *w, const pipelines *p);
size_t work_blocks(const work *w, size_t steps);

/* After the run: the memory that the pipelines never used may be used to read its result. */
void work_rest(work *w, const pipelines *p);

/* ---- work_warn.c: reasons for an empty answer that the user may not have meant */

/* Before the first frame, about its objects and primitives. ARGUMENT if the rules leave no pair of
 * objects to test in any selected frame. */
int work_warn_first(work *w);

/* About the neighbours in the first of these frames, if contacts between them are asked for. */
int work_warn_unwelded(work *w, const batch_block *b);

/* After the last. `bad`: primitives that were left out; `bad_frames`: frames with no other
 * primitive. */
void work_warn_last(work *w, uint64_t bad, uint64_t bad_frames);

#endif
