/* The job of `run`, `bench` and `check`: its options, input, steps, partitions, pairs and
 * memory. */
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

/* in the order of the option's words */
enum { UPDATE_AUTO, UPDATE_REBUILD, UPDATE_KEEP };

/* in the order of the words of --rows; 0: not given */
enum { ROWS_PRIMITIVES = 1, ROWS_FEATURES, ROWS_OBJECTS, ROWS_VERTICES, ROWS_CONTACTS };

extern const cli_option job_option_list[];

/* Returns the entry of that name, which must be in the table. */
const cli_option *job_option(const char *name);

/* job_rows.c: enum imp_rows of the options. job_rows_check: options about rows that do not go
 * together. */
int job_rows(const job_options *j);
int job_rows_check(const job_options *j);
int job_inside_check(const job_options *o); /* those of --inside */

/* Values of job_options.end_features: --contours or --regions has set it, not --end-features. */
#define JOB_END_FEATURES_CONTOURS 2
#define JOB_END_FEATURES_REGIONS 3

/* job_contacts.c: checks --contacts, --end-features, --contours and --regions. */
int job_contacts_check(const job_options *j);

/* Checks rules that the table does not express: options that do not go together. IMP_ERR_ARGUMENT
 * names one of them. */
int job_options_check(const job_options *j);

/* ---- Frames selected by a slice or an index as in Python. */

/* The selected frames are first + i * step, i < count. */
typedef struct frame_slice {
    uint64_t first, count;
    int64_t step;
} frame_slice;

/* Selects frames: "a:b:step" of `frames`, or "a", one of them, as slices and indices in Python;
 * NULL: all. IMP_ERR_ARGUMENT if the text is neither, if there is no such frame, or if there are
 * frames and a slice selects none. */
int frame_slice_select(const char *text, uint64_t frames, frame_slice *out);

/* Returns the number of the i-th selected frame. */
uint64_t frame_slice_at(const frame_slice *s, uint64_t i);

/* ---- A share of the steps, for one of several tasks that work on the same input: `run
 * --shard`. */

/* Shard `index` of `count`; count 0: all steps. */
typedef struct job_shard {
    uint64_t index, count;
    frame_slice whole; /* the selection of all shards together: job_shard_select */
} job_shard;

/* Parses "i/n" with i from 0 to n - 1, or "auto": the task's number from its launcher. Known
 * launchers are Open MPI, those with PMI (MPICH, Intel MPI), srun, and Slurm job arrays; the tasks
 * of an array element are numbered consecutively. ARGUMENT for any other text, or without such a
 * launcher. */
int job_shard_parse(const char *text, job_shard *out);

/* Finds the steps of a shard, *first to before *end: it begins at the first step for which the
 * weights before it sum up to its share of the total. All shards together contain each step once,
 * for any weights. */
void job_shard_steps(const job_shard *s, const uint64_t *weight, uint64_t steps, uint64_t *first,
                     uint64_t *end);

/* ---- Pairs of primitives, or of features, that touch or are within the distance in the frame of
 * --baseline, and are left out of a result. */

/* A pair of primitives is known by their numbers, one of features by their objects and vertices:
 * where primitives are left out, a feature has another one. All zero: no baseline. */
typedef struct baseline {
    int given;
    uint64_t frame; /* its number in the input */
    int features;   /* pairs are of features */
    size_t count, capacity;
    uint32_t *key; /* [count] keys of the pairs, ascending */
} baseline;

/* The frame that rows are of. */
typedef struct baseline_at {
    const imp_mesh *mesh;   /* used with features */
    const uint32_t *number; /* numbers of its primitives in the frame; NULL: their indices */
    const uint32_t *vertex; /* the same of its vertices */
} baseline_at;

/* part: the part of the frame that the mesh is; NULL: all of it. */
baseline_at baseline_at_of(const imp_mesh *mesh, const batch_slab *part);

/* Adds the next rows of that frame, in order; baseline_end: there are no more. */
int baseline_add(baseline *b, mem *m, const imp_contacts *c, const baseline_at *at);
void baseline_end(baseline *b);
void baseline_free(baseline *b, mem *m);

/* Returns whether row i is left out. */
int baseline_has(const baseline *b, const imp_contacts *c, size_t i, const baseline_at *at);

/* Passes all other rows to a sink, in order; returns the sink's result. */
int baseline_filter(const baseline *b, const imp_contacts *c, const baseline_at *at, imp_sink *sink,
                    void *user);

/* ---- A filter for the contacts of a pipeline: some are left out of the result. */

typedef struct row_filter {
    int (*out)(const void *by, const imp_contacts *c, size_t i); /* 1: left out; NULL: none */
    const void *by;
} row_filter;

/* Removes the leading rows that are left out from *rest. *run becomes the rows after them, up to
 * the next one that is left out; nothing is copied. */
void row_filter_next(const row_filter *f, imp_contacts *rest, imp_contacts *run);

/* ---- The files of --object-pairs and --object-pairs-exclude. */

/* Pairs of objects, sorted, each once, the lower number first. */
typedef struct object_pairs {
    int32_t (*pair)[2]; /* NULL: no list was given */
    size_t count;
    int exclude; /* 1: test all pairs except these; 0: only these */
} object_pairs;

/* Returns the file named by --object-pairs, without a '-' before it; "-" is standard input. */
const char *object_pairs_path(const char *name);

/* Reads the list. A line names two objects, each by number or by name (`names`, or NULL), separated
 * by blanks or a comma. A name with blanks, commas or #, or that looks like a number, is in double
 * quotes, a quote in it doubled. '#' begins a comment. A line that begins with '-' and a blank
 * leaves its pair out; so do all lines if `name` is '-' followed by the file's name. With lines of
 * both kinds, the listed pairs except those left out are tested. All lines of the file `without`
 * leave their pair out; without a list, of all pairs. Either may be NULL. IMP_ERR_INPUT names file
 * and line; for an unknown name it lists the existing names, for an ambiguous one its objects. */
int object_pairs_read(mem *m, const char *name, const char *without, const batch_names *names,
                      object_pairs *out);
void object_pairs_free(mem *m, object_pairs *p);

/* For other lists of objects. object_pairs_next_object reads an object from a line, a number or a
 * name; without one it fails with TEXT_BAD. object_pairs_at_end returns whether the rest of a line
 * is empty. word: space for the line. */
struct text_reader;
int object_pairs_next_object(const struct text_reader *file, const batch_names *names,
                             const char **at, char *word, int32_t *out);
int object_pairs_at_end(const char *at);

/* Finds an object by its number, or by its name if the word was quoted or is no number. where: the
 * beginning of messages. IMP_ERR_INPUT for an unknown or ambiguous name. */
int object_named(const char *where, const batch_names *names, const char *word, int quoted,
                 int32_t *out);

/* ---- The thicknesses of --thickness. */

#define JOB_THICKNESS_MOST 512 /* bytes of an array name in the normal form */

typedef struct job_thickness {
    batch_thickness of;
    int32_t *object; /* the lists of `of`, if they were read from a file */
    double *value;
} job_thickness;

/* ---- The objects of --inside. */

typedef struct job_inside {
    int32_t *object; /* [count] ascending, each once; NULL: all objects that are closed */
    size_t count;
    int stored; /* the list is a result's */
} job_inside;

/* ---- The options of a job, shared by `run`, `bench` and `check`, and the input they apply to. */

/* For the struct of a verb whose table has job_option_list: the offsets are those of a job_options
 * at the beginning of the struct. */
#define JOB_FIRST(type)                                                                            \
    _Static_assert(offsetof(type, job.given) == 0, "job_options are at the beginning of the "      \
                                                   "struct")

/* The memory limits of the parts of the program: job_memory.c. */
typedef struct job_memory {
    mem read;                /* the reader, and contacts that wait to be written */
    mem write;               /* the writer of a result */
    mem sums;                /* sums over all contacts, if `wants_sums` */
    uint64_t frames_at_once; /* frames that may be in memory */
    uint64_t waiting_bytes;  /* bytes of contacts that may wait to be written */
} job_memory;

/* Frames cut into slabs: run --space. A unit, one slab of a step, is computed at a time. */
typedef struct job_partition {
    uint64_t slabs;             /* set by the caller; 0: frames are whole */
    int has_units;              /* the result consists of units */
    uint64_t first, count;      /* the shard's units */
    batch_partition *partition; /* the step cut last */
    uint64_t step;              /* the number of that step */
    uint64_t primitives;        /* primitives in all slabs read so far */
} job_partition;

/* members: one group for each file job*.c, and members that they share */
typedef struct job {
    job_options given;
    /* set by the caller and by job_begin */
    const char *path;
    job_partition partition;
    /* from a normal form: the volume that candidates depend on, "" if they do not; the selected
     * frames; --baseline */
    char normal_volume[16];
    frame_slice normal_slice;
    char normal_baseline[24];
    char normal_thickness[JOB_THICKNESS_MOST];
    imp_forced forced;
    int wants_sums;
    contact_sums sums; /* for --json: the contacts that the caller adds */
    /* set by job_open */
    job_memory mem;
    batch *in;
    batch_info info;
    frame_slice slice;     /* the shard's frames, if there is a shard */
    job_shard shard;       /* set by the caller */
    uint64_t steps;        /* steps of the result: frames, or intervals between them */
    uint64_t primitives;   /* sum over all steps, counted in each step's first frame */
    uint64_t ghosts;       /* cells of the same frames that are left out */
    uint64_t object_count; /* most different objects in a frame read so far */
    int warns_unwelded;    /* set by the caller, cleared by job_warn_unwelded */
    object_pairs listed_pairs;
    job_thickness thickness;
    job_inside inside;
    baseline baseline;
    imp_def def;
    warnings warnings; /* warnings of the whole job */
} job;

/* ---- job.c */

/* Writes the options that results depend on in one normal form, which job_parse_normal_form
 * reads. */
int job_normal_form(const job *j, char *out, size_t size);
int job_parse_normal_form(const char *path, const char *normal, job *j, char *memory, size_t size);

/* For parts of it. job_normal_word returns the word for the value of an option whose words are
 * counted from `first`; for 0, the first word. job_normal_value copies the value of `key=`, and
 * job_normal_option sets the option of that name; both return 0 if there is none. */
const char *job_normal_word(const char *option, int value, int first, char out[CLI_TEXT_MOST]);
int job_normal_value(const char *normal, const char *key, char *out, size_t size);
int job_normal_option(const char *normal, const char *key, job *j);

/* ---- job.c: the input */

/* Initialises *j for the input `path`. wants_sums: the caller prints sums, or writes
 * them to a document. */
void job_begin(job *j, const char *path, int wants_sums);

/* Checks the options, opens the input and fills the rest of *j. Also ARGUMENT if no frame is
 * selected, or if no pair of objects may be tested. */
int job_open(job *j);
void job_close(job *j);

/* Reads `count` selected frames from the i-th on. before: as for batch_read_after. With
 * --continuous the frames share one mesh. */
int job_read(job *j, const batch_block *before, uint64_t i, size_t count, batch_block *out);

/* Returns the different objects of the i-th selected frame: by batch_frame_objects, or by
 * batch_partition_objects for frames that are not read as a whole. */
int job_frame_objects(job *j, uint64_t i, const int32_t **ids, uint64_t *count);

/* Counts the objects of the first `count` selected frames, whether or not they were read. */
int job_count_objects(job *j, uint64_t count);

/* Adds to an error of a pipeline that computed frames of this input: for bad points the file's name
 * and a remedy. */
int job_detect_error(const job *j, int err);

/* Returns the names of the objects that --objects selects; NULL if they have none. */
const batch_names *job_object_names(const job *j);

/* Returns the noun for its primitives: "triangle" if it has no others. */
const char *job_primitive_noun(const job *j);

/* job_rows.c: the noun for its rows: "contact", "pair" with --distance, or "vertex inside"; and the
 * words after their number: "", or " within 0.1". */
const char *job_row_noun(const job *j);
const char *job_row_limit(const job *j, char out[CLI_TEXT_MOST]);

/* Claims the files that this job reads: the input, the files behind it, the list of pairs. */
int job_claim(const job *j, outputs *o);

/* ---- job_steps.c: frames, or with --continuous the steps between neighbours */

/* Counts steps, and rejects neighbouring frames whose sizes already show different meshes. */
int job_count_steps(job *j);

/* Returns the error that the i-th selected frame and the next one have different meshes. */
int job_meshes_differ(const job *j, uint64_t i, const char *what);

/* Selects the frames, or slabs, of the shard, if there is one, and counts its steps. All shards
 * divide the input in the same way, weighted by primitives plus one for each step. */
int job_shard_select(job *j);

/* Returns ARGUMENT if --tolerance is given and no body rotates. */
int job_check_tolerance(const job *j);

/* Returns the number of frames of `steps` consecutive steps: with --continuous a step begins and
 * ends with a frame. */
static inline uint64_t job_frames_of_steps(const job *j, uint64_t steps)
{
    return steps + (uint64_t)(j->def.continuous != 0);
}

/* With --continuous, gives consecutive frames one mesh; the error of job_meshes_differ if their
 * meshes are not equal. */
int job_join_meshes(const job *j, batch_block *b);

/* Returns the i-th step, which begins with frame k of a block. */
result_step job_step(const job *j, uint64_t i, const batch_block *b, size_t k);

/* "frame", or "step" with --continuous; before the number of a frame: "frame", or "step from
 * frame". */
const char *job_step_noun(const job *j);
const char *job_step_name(const job *j);

/* ---- job_steps.c: frames cut into slabs */

/* Returns ARGUMENT for options that do not work with slabs. */
int job_partition_check(job *j);

/* Selects the units of the shard, or all of them. */
void job_partition_units(job *j, uint64_t first, uint64_t end);

/* Reads the i-th of the selected units. */
int job_partition_read(job *j, uint64_t i, batch_block *out);

/* Returns the result's step of the unit in this block. */
result_step job_partition_step(const batch_block *b);

/* Estimates the bytes for reading: *unit for one unit, *besides for everything else; cuts the first
 * step. */
int job_partition_bytes(job *j, uint64_t *unit, uint64_t *besides);

/* Returns the options of the pipeline, which sees parts of frames. */
imp_def job_partition_def(const job *j);

void job_partition_free(job *j);

/* ---- job_pairs.c */

/* Finds the frame that --baseline names; ARGUMENT if the input lacks it. job_baseline_read finds
 * its pairs; it is called before the pipeline of the run is created, since both would need the
 * memory. INPUT if that frame has another mesh than the first selected one. */
int job_baseline_open(job *j);
int job_baseline_read(job *j);

/* Returns INPUT if there is a baseline with another mesh than this frame. */
int job_baseline_check(job *j, uint64_t frame);

/* ---- job_thickness.c */

/* Returns ARGUMENT for a number that is no thickness. */
int job_thickness_check(const char *text);

/* Reads the file of thicknesses, or opens the array, and sets those of the input. Errors: ARGUMENT,
 * INPUT. */
int job_thickness_open(job *j);
void job_thickness_free(job *j);

/* Takes the thicknesses of objects from a result, whose options were parsed, instead of a file. */
void job_thickness_stored(job *j, const result_info *info);

/* Writes " thickness=..." of the normal form, or "", and parses its value. */
void job_thickness_normal(const job *j, char *out, size_t size);
void job_thickness_parse(job *j, const char *value);

/* Returns the file that --thickness names, or NULL. */
const char *job_thickness_path(const job *j);

/* ---- job_contacts.c */

/* Writes " contacts=crossing", " end-features=1" of the normal form, or "". */
void job_contacts_normal(const job *j, char *out, size_t size);

/* ---- job_rows.c */

/* Writes the words of the normal form for what a row is. */
void job_normal_rows(const job *j, char *out, size_t size);

/* Warns about many rows of so many objects. */
void job_warn_rows(job *j, uint64_t objects);

/* ---- job_inside.c */

/* Reads the list of objects. Errors: ARGUMENT; INPUT, for a name that the input lacks. */
int job_inside_open(job *j);
void job_inside_free(job *j);

/* Takes the list from a result, whose options were parsed. */
void job_inside_stored(job *j, const result_info *info);

/* Writes " inside=..." of the normal form, or "", and parses it. */
void job_inside_normal(const job *j, char *out, size_t size);
void job_inside_parse(job *j, const char *normal);

/* Warns about objects that no selected frame has; INPUT if none has any of them. objects: in the
 * first selected frame. */
int job_inside_warn(job *j, uint64_t objects);

/* ---- job_memory.c */

/* Sets the limits of reading and of the sums, before the rest is known. */
void job_memory_begin(job *j);

/* Creates the pipelines of the options, with the memory that reading and writing do not need. */
int job_open_devices(job *j, devices *out);

/* Creates one pipeline of the options, for all selected frames read at once. */
int job_open_for_all_frames(job *j, imp **out);

/* Creates a pipeline of the options, to be destroyed before that of the run is created. */
int job_open_for_baseline(job *j, imp_def *def, imp **out);

/* Returns the number of steps to compute at a time; the number of such blocks in memory: if
 * possible one more than there are pipelines, more if the blocks are small. */
size_t job_block_steps(const job *j, const devices *p);
size_t job_block_count(const job *j, size_t steps);

/* Called after the run: memory that the pipelines never used may be used to read its result. */
void job_memory_release_unused(job *j, const devices *p);

/* ---- job.c: reasons for an empty answer that the user may not have meant */

/* Called before the first frame: warns about objects and primitives. ARGUMENT if the rules leave no
 * pair of objects to test in any selected frame. */
int job_warn_first(job *j);

/* Warns if neighbours in the first of these frames share no vertices and contacts between
 * neighbours are asked for. */
int job_warn_unwelded(job *j, const batch_block *b);

/* Adds the objects of the selected frames, as far as `rules` need them; and warns about listed
 * objects that none of them has, by the option and its value. */
int job_warn_add_frames(job *j, imp_rules *rules);
void job_warn_missing(job *j, const imp_rules *rules, const char *option, const char *value);

/* Called after the last frame. bad: primitives left out; bad_frames: frames with no other
 * primitive. */
void job_warn_last(job *j, uint64_t bad, uint64_t bad_frames);

#endif
