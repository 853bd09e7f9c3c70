/* The job of `run`, `bench` and `check`: the options that choose it, its input, steps, partitions,
 * pairs and memory. */
#ifndef IMP_JOB_H
#define IMP_JOB_H

#include "cli.h"
#include "contact_sums.h"
#include "devices.h"
#include "impinge.h"
#include "internal.h"
#include "mem.h"
#include "object_names.h"
#include "output_file.h"
#include "store.h"
#include "store_partition.h"

#include <stdint.h>

/* ---- The options of a job, from job_options.def. */

typedef struct job_options {
#define OPTION(field, name, type, ...) cli_##type field;
#include "job_options.def"
} job_options;

/* In the order of the words. */
enum { UPDATE_AUTO, UPDATE_REBUILD, UPDATE_KEEP };

extern const cli_option job_option_list[];

/* The entry of that name, which is in the table. */
const cli_option *job_option(const char *name);

/* What the table does not check by itself: options that do not go together. IMP_ERR_ARGUMENT names
 * one of them. */
int job_options_check(const job_options *j);

/* ---- Frames selected as a slice of Python does it. */

/* The selected frames are first + i * step, i < count. */
typedef struct frame_slice {
    uint64_t first, count;
    int64_t step;
} frame_slice;

/* Selects frames: "a:b:step" of `frames`; NULL: all. IMP_ERR_ARGUMENT if it is not a slice, or if
 * there are frames and it selects none. */
int frame_slice_select(const char *text, uint64_t frames, frame_slice *out);

/* Number of the i-th selected frame. */
uint64_t frame_slice_at(const frame_slice *s, uint64_t i);

/* ---- A share of the steps, for one of several tasks that work on the same input: `run --shard`.
 */

/* Shard `index` of `count`; 0: all steps. */
typedef struct job_shard {
    uint64_t index, count;
    frame_slice whole; /* what all shards have together: job_shard_select */
} job_shard;

/* "i/n" with i from 0 to n - 1, or "auto": the task's number as its launcher gives it. Launchers
 * are Open MPI, those with PMI (MPICH, Intel MPI), srun, and job arrays of Slurm; tasks within an
 * array are numbered on. ARGUMENT for any other text, or without such a launcher. */
int job_shard_parse(const char *text, job_shard *out);

/* The steps from *first to before *end that a shard has: the first whose weights before it come to
 * its share of the sum. All shards together have each step once, whatever the weights are. */
void job_shard_steps(const job_shard *s, const uint64_t *weight, uint64_t steps, uint64_t *first,
                     uint64_t *end);

/* ---- Pairs of primitives that touch in the frame of --baseline, and are left out of a result. */

/* All zero: there is no such frame. */
typedef struct baseline {
    int given;
    uint64_t frame; /* of the input */
    size_t count, capacity;
    uint32_t (*pair)[2]; /* [count] ascending */
} baseline;

/* The next contacts of that frame, in order. number, here and below: of primitives in the frame;
 * NULL: theirs. */
int baseline_add(baseline *b, mem *m, const imp_contacts *c, const uint32_t *number);
void baseline_free(baseline *b, mem *m);

/* Is a contact of these primitives left out? */
int baseline_has(const baseline *b, const uint32_t *number, uint32_t first, uint32_t second);

/* Passes the contacts of all other pairs on to a sink, in order; returns what it returns. */
int baseline_filter(const baseline *b, const imp_contacts *c, const uint32_t *number,
                    imp_sink *sink, void *user);

/* ---- Contacts that are left out of those that a pipeline hands out. */

typedef struct row_filter {
    int (*out)(const void *by, const imp_contacts *c, size_t i); /* is row i? NULL: none is */
    const void *by;
} row_filter;

/* Skips the first rows of *rest that are left out. *run becomes the rows after them up to the next
 * one that is, without a copy. */
void row_filter_next(const row_filter *f, imp_contacts *rest, imp_contacts *run);

/* ---- The file of --object-pairs. */

/* Pairs of objects, sorted, each once, the lower number first. */
typedef struct object_pairs {
    int32_t (*pair)[2]; /* NULL: no list was given */
    size_t count;
    int exclude; /* test all pairs except these; 0: only these */
} object_pairs;

/* The file in the value of --object-pairs, without a '-' before it; "-" is standard input. */
const char *object_pairs_path(const char *name);

/* A line is two objects, each a number or a name (`names`, or NULL); blanks or a comma between. A
 * name with blanks, commas or #, or that looks like a number, is in double quotes, a quote in it
 * doubled. '#' begins a comment. A line that begins with '-' and a blank
 * leaves its pair out; so do all lines if `name` is '-' and the file's name. With lines of both
 * kinds, the listed pairs except those left out are tested. IMP_ERR_INPUT names file and line, and
 * of a name that is not there, or that several objects have, what is there. */
int object_pairs_read(mem *m, const char *name, const batch_names *names, object_pairs *out);
void object_pairs_free(mem *m, object_pairs *p);

/* ---- The options of a job, shared by `run`, `bench` and `check`, and the input they apply to.
 */

/* In the struct of a verb whose table has job_option_list: the offsets are those of a job_options
 * that the struct begins with. */
#define JOB_FIRST(type)                                                                            \
    _Static_assert(offsetof(type, job.given) == 0, "job_options are at the beginning of the "      \
                                                   "struct")

/* The memory of each part of the program: job_memory.c. */
typedef struct job_memory {
    mem read;                /* of the reader, and of what waits to be written */
    mem write;               /* of the writer of a result */
    mem sums;                /* of the sums for a document, if `wants_sums` */
    uint64_t frames_at_once; /* frames that may be in memory */
    uint64_t waiting_bytes;  /* bytes of contacts that may wait to be written */
} job_memory;

/* Frames in slabs: run --space. What is computed are units, each a slab of a step. */
typedef struct job_partition {
    uint64_t slabs;             /* the caller's; 0: frames are whole */
    int has_units;              /* the result is of units */
    uint64_t first, count;      /* units of the shard */
    batch_partition *partition; /* the step that was cut last, */
    uint64_t step;              /* and its number */
    uint64_t primitives;        /* of all slabs that were read */
} job_partition;

/* members: parts that have a file each, work_*.c, and what they share */
typedef struct job {
    job_options given;
    /* the caller's, and from job_begin */
    const char *path;
    job_partition partition;
    /* from a normal form: the volume that candidates depend on, "": none; the frames that were
     * selected; --baseline */
    char normal_volume[16];
    frame_slice normal_slice;
    char normal_baseline[24];
    imp_forced forced;
    int wants_sums;
    contact_sums sums; /* for --json: of the contacts that the caller adds */
    /* from job_open */
    job_memory mem;
    batch *in;
    batch_info info;
    frame_slice slice;     /* of the shard, if there is one */
    job_shard shard;       /* the caller's */
    uint64_t steps;        /* of the result: as many as frames, or the steps between them */
    uint64_t primitives;   /* of all steps: of a step those of its first frame */
    uint64_t ghosts;       /* cells of the same frames that are left out */
    uint64_t object_count; /* most different objects of a frame read so far */
    int warns_unwelded;    /* the caller's, until it is done: job_warn_unwelded */
    object_pairs listed_pairs;
    baseline baseline;
    imp_def def;
    warnings warnings; /* of all that follows */
} job;

/* ---- job.c */

/* The options that results depend on, in one normal form that job_parse_normal_form reads again. */
int job_normal_form(const job *j, char *out, size_t size);
int job_parse_normal_form(const char *path, const char *normal, job *j, char *memory, size_t size);

/* ---- job.c: the input */

/* For an input of that name. `wants_sums`: there will be a document with sums. */
void job_begin(job *j, const char *path, int wants_sums);

/* Checks the options, opens the input and fills the rest of *j. ARGUMENT also if no frame is
 * selected, or no pair of objects may be tested. */
int job_open(job *j);
void job_close(job *j);

/* Reads `count` selected frames from the i-th on; `before`: as for batch_read_after. With
 * --continuous they have one mesh. */
int job_read(job *j, const batch_block *before, uint64_t i, size_t count, batch_block *out);

/* The different objects of the i-th selected frame: batch_frame_objects, or of frames that are not
 * read as a whole batch_partition_objects. */
int job_frame_objects(job *j, uint64_t i, const int32_t **ids, uint64_t *count);

/* Objects of the first `count` selected frames, which need not be read otherwise. */
int job_count_objects(job *j, uint64_t count);

/* `err` of a pipeline that computed frames of this input: bad points with the file's name and a
 * remedy. */
int job_detect_error(const job *j, int err);

/* The names of its objects, as --objects tells them apart; NULL: they have none. */
const batch_names *job_object_names(const job *j);

/* The word for its primitives: "triangle" if it has no others. */
const char *job_primitive_noun(const job *j);

/* Claims what this job reads: the input, the files behind it, the list of pairs. */
int job_claim(const job *j, outputs *o);

/* ---- job_steps.c: frames, or with --continuous the steps between neighbours */

/* Counts steps, and finds frames that cannot be neighbours as far as their sizes show it. */
int job_count_steps(job *j);

/* The error that the i-th selected frame and the next one have different meshes. */
int job_meshes_differ(const job *j, uint64_t i, const char *what);

/* Selects the frames, or slabs, of the shard, if there is one, and counts its steps. Every shard of
 * an input is cut alike: by primitives, and one more for each step. */
int job_shard_select(job *j);

/* ARGUMENT where --tolerance is given and no body turns. */
int job_check_tolerance(const job *j);

/* The frames that so many steps in a row take: each step begins and ends with one. */
static inline uint64_t job_frames_of_steps(const job *j, uint64_t steps)
{
    return steps + (uint64_t)(j->def.continuous != 0);
}

/* Frames that were read one after another: with --continuous they get one mesh, if their meshes are
 * the same. */
int job_join_meshes(const job *j, batch_block *b);

/* The i-th step, which begins with frame k of a block. */
result_step job_step(const job *j, uint64_t i, const batch_block *b, size_t k);

/* "frame", or "step" with --continuous; with the number of a frame behind it: "step from frame" */
const char *job_step_noun(const job *j);
const char *job_step_name(const job *j);

/* ---- job_steps.c: frames in slabs */

/* ARGUMENT for what cannot be computed in slabs. */
int job_partition_check(job *j);

/* The units of the shard, or all of them. */
void job_partition_units(job *j, uint64_t first, uint64_t end);

/* Reads the i-th unit of these. */
int job_partition_read(job *j, uint64_t i, batch_block *out);

/* The result's step of a unit, whose block this is. */
result_step job_partition_step(const batch_block *b);

/* What reading takes: of one unit, and in all besides; cuts the first step. */
int job_partition_bytes(job *j, uint64_t *unit, uint64_t *besides);

/* The options of the pipeline: it sees parts of frames. */
imp_def job_partition_def(const job *j);

void job_partition_free(job *j);

/* ---- job_pairs.c */

/* Which frame --baseline names; ARGUMENT if there is none. Then its pairs, before the pipeline of
 * the run is made: both would need the memory. INPUT if that frame has another mesh than the
 * selected ones. */
int job_baseline_open(job *j);
int job_baseline_read(job *j);

/* ---- job_memory.c */

/* Sets what reading and the sums may take before the rest is known. */
void job_memory_begin(job *j);

/* Makes the pipelines of the options, with the memory that reading and writing do not need. */
int job_open_devices(job *j, devices *out);

/* The one that these options ask for, where all selected frames will be read at once. */
int job_open_for_all_frames(job *j, imp **out);

/* A pipeline of these options, which is destroyed before that of the run is made. */
int job_open_for_baseline(job *j, imp_def *def, imp **out);

/* The number of steps to compute at a time, and of such blocks that may be in memory: one more than
 * there are pipelines if possible, more if they are small. */
size_t job_block_steps(const job *j, const devices *p);
size_t job_block_count(const job *j, size_t steps);

/* After the run: the memory that the pipelines never used may be used to read its result. */
void job_memory_release_unused(job *j, const devices *p);

/* ---- job.c: reasons for an empty answer that the user may not have meant */

/* Before the first frame, about its objects and primitives. ARGUMENT if the rules leave no pair of
 * objects to test in any selected frame. */
int job_warn_first(job *j);

/* About the neighbours in the first of these frames, if contacts between them are asked for. */
int job_warn_unwelded(job *j, const batch_block *b);

/* After the last. `bad`: primitives that were left out; `bad_frames`: frames with no other
 * primitive. */
void job_warn_last(job *j, uint64_t bad, uint64_t bad_frames);

#endif
