/* See job.h: the input that the options apply to, opened and read. */
#include "job.h"

#include "cli.h"
#include "drivers.h"
#include "error.h"
#include "impinge_weld.h"
#include "object_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- opening */

/* "connected" and "id" are keywords; an array of that name is array:id. */
static int job_open_batch(job *j)
{
    const char *objects = j->given.objects ? j->given.objects : "id", *array = "";
    enum object_source how = BATCH_OBJECT_ID;
    if (!strcmp(objects, "connected"))
        how = BATCH_CONNECTED;
    else if (!strncmp(objects, "array:", 6) && objects[6]) {
        how = BATCH_ARRAY;
        array = objects + 6;
    } else if (strcmp(objects, "id"))
        return imp_fail(IMP_ERR_ARGUMENT, "--objects: '%s' is not id, connected or array:NAME",
                        objects);
    /* the reader would refuse it too, since its lines are no triangles, but without this reason */
    if (result_is_file(j->path))
        return imp_fail(IMP_ERR_INPUT, "%s: is a result of impinge, not a batch", j->path);
    return batch_open(&j->mem.read, j->path, how, array, &j->in);
}

/* The reader allocates the next mesh before it frees the last one, so that different meshes of two
 * consecutive frames have different pointers, and the pipeline can cache by pointer. */
static void job_make_def(job *j)
{
    static const int updates[] = {[UPDATE_AUTO] = IMP_UPDATE_AUTO,
                                  [UPDATE_REBUILD] = IMP_UPDATE_REBUILD,
                                  [UPDATE_KEEP] = IMP_UPDATE_KEEP};
    const job_options *o = &j->given;
    j->def = (imp_def){.device = o->device,
                       .threads = (int)o->threads,
                       .broad = o->broad,
                       .dop_k = o->dop ? (int)o->dop : 6,
                       .cell = o->cell,
                       .rows = job_rows(o),
                       .distance = o->distance.most,
                       .ring = (uint32_t)o->ring,
                       .crossing = o->contacts,
                       .end_features = o->end_features,
                       .inside = o->inside != NULL,
                       .inside_object = j->inside.object,
                       .inside_objects = j->inside.count,
                       .inside_open = o->inside_open,
                       .inside_winding = o->inside_winding,
                       .thickness = o->thickness != NULL,
                       .min_separation = o->min_separation,
                       .tolerance = o->tolerance,
                       .volume = o->volume,
                       .build = o->build,
                       .descent = o->descent,
                       .degree = (uint32_t)o->degree,
                       .leaf = (uint32_t)o->leaf,
                       .hybrid_level = (uint32_t)o->hybrid_level,
                       .adjacent = o->adjacent,
                       .pairs = o->pairs,
                       .stage = o->stage,
                       .continuous = o->continuous,
                       .on_bad = o->on_bad,
                       .update = updates[o->update],
                       .verify = (uint32_t)o->verify,
                       .object_pair = (const int32_t(*)[2])j->listed_pairs.pair,
                       .object_pairs = j->listed_pairs.count,
                       .object_pairs_exclude = j->listed_pairs.exclude,
                       .block = (uint32_t)o->block,
                       .solids = j->info.unstructured,
                       .ids = j->info.ids,
                       .unchecked = 1, /* batch_mesh.c has checked the mesh */
                       .expect = j->primitives ? j->primitives : 1};
}

/* Makes a line about OpenCL drivers a warning of this job. */
static void job_add_warning(void *user, const char *line)
{
    warnings_add(user, "%s", line);
}

void job_begin(job *j, const char *path, int wants_sums)
{
    j->path = path;
    drivers_set_log(job_add_warning, &j->warnings);
    j->wants_sums = wants_sums;
    j->sums.pairs.mem = j->sums.firsts.mem = &j->mem.sums;
}

/* Options are checked before the file is opened, so that a wrong option is found without
 * reading. */
int job_open(job *j)
{
    int err = IMP_OK;
    TRY(job_options_check(&j->given));
    job_memory_begin(j);
    TRY(job_open_batch(j));
    TRY(job_thickness_open(j));
    TRY(job_inside_open(j));
    batch_get_info(j->in, &j->info);
    TRY(frame_slice_select(j->given.frames, j->info.frames, &j->slice));
    TRY(job_count_steps(j));
    TRY(job_check_tolerance(j));
    TRY(job_partition_check(j));
    TRY(job_baseline_open(j));
    if (j->given.object_pairs || j->given.object_pairs_exclude)
        TRY(object_pairs_read(&j->mem.read, j->given.object_pairs, j->given.object_pairs_exclude,
                              job_object_names(j), &j->listed_pairs));
    /* before the warnings, which use the rules */
    job_make_def(j);
    TRY(job_warn_first(j));
    /* after the checks and warnings about all selected frames, which are the same in all shards */
    TRY(job_shard_select(j));
    j->def.expect = j->primitives ? j->primitives : 1;
out:
    return err;
}

void job_close(job *j)
{
    drivers_set_log(NULL, NULL);
    warnings_free(&j->warnings);
    contact_sums_free(&j->sums);
    object_pairs_free(&j->mem.read, &j->listed_pairs);
    job_thickness_free(j);
    job_inside_free(j);
    baseline_free(&j->baseline, &j->mem.read);
    job_partition_free(j);
    batch_close(j->in);
    j->in = NULL;
}

/* The names belong to values of CellData/ObjectId. */
const batch_names *job_object_names(const job *j)
{
    const char *objects = j->given.objects ? j->given.objects : "id";
    const int named = !strcmp(objects, "id") || !strcmp(objects, "array:ObjectId");
    return named ? batch_get_names(j->in) : NULL;
}

/* ---- reading */

/* Counts the objects of the frames read, so that they need not be read again for that. */
int job_read(job *j, const batch_block *before, uint64_t i, size_t count, batch_block *out)
{
    int err = j->partition.slabs ? job_partition_read(j, i, out)
                                 : batch_read_after(j->in, before, frame_slice_at(&j->slice, i),
                                                    j->slice.step, count, out);
    if (!err)
        err = job_warn_unwelded(j, out);
    if (err || j->partition.slabs)
        return err;
    err = job_join_meshes(j, out);
    for (size_t f = 0; f < count && !err; f++) {
        /* with --continuous all frames have the mesh of the first one */
        err = j->def.continuous ? IMP_OK : job_baseline_check(j, out->frame[f].number);
        if (batch_block_objects(out, f) > j->object_count)
            j->object_count = batch_block_objects(out, f);
    }
    return err;
}

int job_frame_objects(job *j, uint64_t i, const int32_t **ids, uint64_t *count)
{
    const uint64_t frame = frame_slice_at(&j->slice, i);
    return j->partition.slabs ? batch_partition_objects(j->in, frame, ids, count)
                              : batch_frame_objects(j->in, frame, ids, count);
}

/* With a static topology all frames have the same objects. */
int job_count_objects(job *j, uint64_t count)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t n, frames = j->info.static_topology && count ? 1 : count;
    for (uint64_t i = 0; i < frames; i++) {
        TRY(job_frame_objects(j, i, &ids, &n));
        j->object_count = n > j->object_count ? n : j->object_count;
    }
out:
    return err;
}

/* The pipeline does not know file names or options; a user needs both. */
int job_detect_error(const job *j, int err)
{
    static const char bodies[] = "bodies: ";
    if (err && !strncmp(imp_error_text(), bodies, sizeof bodies - 1))
        return imp_fail(err, "%s: /impinge/%s", j->path, imp_error_text());
    if (err != IMP_ERR_INPUT)
        return err;
    if (j->given.inside && strstr(imp_error_text(), " is not closed: "))
        return imp_fail(err, "%s: --inside %s: %s; --inside-open skip leaves it out", j->path,
                        j->given.inside, imp_error_text());
    return imp_fail(err, "%s: /VTKHDF/Points: %s; --on-bad skip leaves such triangles out%s",
                    j->path, imp_error_text(),
                    j->info.ghosts ? " (ghost cells are not counted)" : "");
}

const char *job_primitive_noun(const job *j)
{
    return j->info.corners == IMP_TRIANGLES ? "triangle" : "primitive";
}

/* Inputs are claimed so that no output of the same command can replace them. */
int job_claim(const job *j, outputs *o)
{
    int err = outputs_reads_hdf5(o, j->path);
    const char *thickness = job_thickness_path(j);
    if (!err && thickness)
        err = outputs_reads(o, thickness);
    const char *list[] = {j->given.object_pairs ? object_pairs_path(j->given.object_pairs) : NULL,
                          j->given.object_pairs_exclude};
    for (int i = 0; i < 2 && !err; i++)
        /* - is standard input, which may be a file of the shell */
        if (list[i])
            err = outputs_reads(o, strcmp(list[i], "-") ? list[i] : "/dev/stdin");
    return err;
}

/* "auto" and every method, separated by bars. */
static const char broad_choices[] = "auto"
#define X(name) "|" #name
#include "broad.def"
#undef X
    ;

const cli_option job_option_list[] = {
#define OPTION(field, name, type, argument, low, high, method, help, about)                        \
    {name, 0, CLI_##type, offsetof(job_options, field), argument, help, about, low, high, method},
#include "job_options.def"
    {0},
};

/* Callers name options of the table, so the search ends. */
const cli_option *job_option(const char *name)
{
    const cli_option *o = job_option_list;
    while (strcmp(o->name, name) != 0)
        o++;
    return o;
}

/* Checks an option of one method; *of: the first one that was given. "auto" is an error as well,
 * since it might choose another method, which ignores the option. */
static int method_check(const job_options *j, const cli_option *o, const cli_option **of)
{
    if (j->broad && strcmp(j->broad, o->method) != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--%s: only --broad %s has it, not '%s'", o->name,
                        o->method, j->broad);
    if (*of && strcmp((*of)->method, o->method) != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--%s and --%s: options of two different methods",
                        (*of)->name, o->name);
    *of = *of ? *of : o;
    return IMP_OK;
}

/* Standard input can be read once. */
static int job_check_stdin(const job_options *j)
{
    const char *file[] = {j->object_pairs, j->object_pairs_exclude, j->thickness};
    static const char *const name[] = {"object-pairs", "object-pairs-exclude", "thickness"};
    const char *first = NULL;
    for (int i = 0; i < 3; i++) {
        if (!file[i] || strcmp(file[i], "-") != 0)
            continue;
        if (first)
            return imp_fail(IMP_ERR_ARGUMENT,
                            "--%s and --%s: only one of them can read standard input", first,
                            name[i]);
        first = name[i];
    }
    return IMP_OK;
}

int job_options_check(const job_options *j)
{
    int err = IMP_OK;
    const cli_option *of = NULL;
    char text[CLI_TEXT_MOST];
    for (const cli_option *o = job_option_list; o->name; o++)
        if (o->method && *cli_value_text(o, j, text))
            TRY(method_check(j, o, &of));
    if (j->hybrid_level && j->volume != IMP_VOLUME_HYBRID)
        FAIL(IMP_ERR_ARGUMENT, "--hybrid-level: only --volume hybrid has one");
    if (j->thickness)
        TRY(job_thickness_check(j->thickness));
    TRY(job_rows_check(j));
    TRY(job_contacts_check(j));
    TRY(job_check_stdin(j));
    if (j->min_separation > 0 && !j->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--min-separation: only with --continuous");
    if (j->tolerance > 0 && !j->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--tolerance: only with --continuous");
    if (j->verify && j->stage == IMP_STAGE_CANDIDATES)
        FAIL(IMP_ERR_ARGUMENT, "--verify: with --stage candidates nothing is decided");
    const char *method = of ? of->method : j->broad ? j->broad : "auto";
    if (j->update == UPDATE_KEEP && strcmp(method, "auto") && strcmp(method, "rtree") &&
        strcmp(method, "hash"))
        FAIL(IMP_ERR_ARGUMENT, "--update keep: only --broad rtree and hash can, not '%s'", method);
out:
    return err;
}

/* ---- See job.h: the options that results depend on, as one line of text. */

/* Returns the word for the value of an option whose words are counted from `first`; for 0, the
 * first word. */
const char *job_normal_word(const char *option, int value, int first, char out[CLI_TEXT_MOST])
{
    return cli_choice_word(job_option(option)->argument, value > first ? value - first : 0, out,
                           CLI_TEXT_MOST);
}

/* Sphere and OBB trees report fewer candidates than there are overlapping bounds, and which ones
 * depends on all options of trees; the candidates of steps are the same for all trees. 0: the
 * default. */
static void job_normal_trees(const imp_def *def, char *out, size_t size)
{
    char volume[CLI_TEXT_MOST], build[CLI_TEXT_MOST], descent[CLI_TEXT_MOST];
    *out = 0;
    if (def->stage != IMP_STAGE_CANDIDATES || def->volume <= IMP_VOLUME_DOP || def->continuous)
        return;
    snprintf(out, size, " volume=%s build=%s descent=%s degree=%u leaf=%u hybrid-level=%u",
             job_normal_word("volume", def->volume, 1, volume),
             job_normal_word("build", def->build, 1, build),
             job_normal_word("descent", def->descent, 1, descent), def->degree, def->leaf,
             def->hybrid_level);
}

/* Omits options that do not change the result: device, method, threads, block, memory. `check` and
 * --resume compare the text, so its form must not change. */
int job_normal_form(const job *j, char *out, size_t size)
{
    char pairs[CLI_TEXT_MOST], adjacent[CLI_TEXT_MOST], stage[CLI_TEXT_MOST], on_bad[CLI_TEXT_MOST];
    char list[64] = "", trees[160], rows[260 + JOB_THICKNESS_MOST], shard[120] = "", units[80] = "";
    const job_options *o = &j->given;
    const object_pairs *l = &j->listed_pairs;
    job_normal_trees(&j->def, trees, sizeof trees);
    job_normal_rows(j, rows, sizeof rows);
    job_contacts_normal(j, rows + strlen(rows), sizeof rows - strlen(rows));
    if (l->pair)
        snprintf(list, sizeof list, " object-pairs=%s:%zu:%016llx", l->exclude ? "not" : "only",
                 l->count, (unsigned long long)XXH3_64bits(l->pair, l->count * sizeof *l->pair));
    if (j->shard.count)
        snprintf(shard, sizeof shard, " shard=%llu/%llu of=%llu+%llu*%lld",
                 (unsigned long long)j->shard.index, (unsigned long long)j->shard.count,
                 (unsigned long long)j->shard.whole.first, (unsigned long long)j->shard.whole.count,
                 (long long)j->shard.whole.step);
    if (j->partition.has_units)
        snprintf(units, sizeof units, " space=%llu units=%llu+%llu",
                 (unsigned long long)j->partition.slabs, (unsigned long long)j->partition.first,
                 (unsigned long long)j->partition.count);
    int n = snprintf(
        out, size,
        "pairs=%s adjacent=%s stage=%s on-bad=%s dop=%d frames=%llu+%llu*%lld%s%s%s%s%s "
        "objects=%s",
        job_normal_word("pairs", o->pairs, 0, pairs),
        job_normal_word("adjacent", o->adjacent, 0, adjacent),
        job_normal_word("stage", o->stage, 0, stage),
        job_normal_word("on-bad", o->on_bad, 0, on_bad), j->def.dop_k,
        (unsigned long long)j->slice.first, (unsigned long long)j->slice.count,
        (long long)j->slice.step, shard, units, rows, list, trees, o->objects ? o->objects : "id");
    /* a truncated form could equal another one */
    return n > 0 && (size_t)n < size
               ? IMP_OK
               : imp_fail(IMP_ERR_ARGUMENT, "--objects: the name of the array is too long");
}

/* Copies the value of `key=` in a normal form, up to the next blank. The name of an array, which is
 * last, may contain any text. */
int job_normal_value(const char *normal, const char *key, char *out, size_t size)
{
    const char *at = strstr(normal, key), *end = strstr(normal, " objects=");
    if (!at || (end && at > end))
        return 0;
    at += strlen(key);
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
    return 1;
}

/* Sets the option whose name precedes the '=' in `key`. */
int job_normal_option(const char *normal, const char *key, job *j)
{
    char word[CLI_TEXT_MOST], name[CLI_TEXT_MOST];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "="), key);
    return job_normal_value(normal, key, word, sizeof word) &&
           !cli_set(job_option(name), word, &j->given);
}

static int job_normal_is_objects(const char *word)
{
    return !strcmp(word, "id") || !strcmp(word, "connected") ||
           (!strncmp(word, "array:", 6) && word[6]);
}

/* check recomputes with the options of the run, which the result stores only in this form. */
int job_parse_normal_form(const char *path, const char *normal, job *j, char *objects, size_t size)
{
    char text[JOB_THICKNESS_MOST];
    unsigned long long first, count;
    long long step;
    /* the last one, since names of arrays may have blanks */
    const char *name = strstr(normal, " objects=");
    int good = name && job_normal_is_objects(name + strlen(" objects=")) &&
               job_normal_option(normal, "pairs=", j) &&
               job_normal_option(normal, "adjacent=", j) &&
               job_normal_option(normal, "stage=", j) && job_normal_option(normal, "on-bad=", j) &&
               job_normal_option(normal, "dop=", j) &&
               job_normal_value(normal, "frames=", text, sizeof text) &&
               sscanf(text, "%llu+%llu*%lld", &first, &count, &step) == 3;
    if (!good)
        return imp_fail(IMP_ERR_INPUT, "%s: /impinge: options: not understood", path);
    j->normal_slice = (frame_slice){first, count, step};
    /* each of these is present only if its option was given */
    job_normal_option(normal, "continuous=", j);
    job_normal_option(normal, "distance=", j);
    if (job_normal_value(normal, "thickness=", text, sizeof text))
        job_thickness_parse(j, text);
    job_normal_option(normal, "contacts=", j);
    job_normal_option(normal, "end-features=", j);
    job_inside_parse(j, normal);
    job_normal_option(normal, "rows=", j);
    job_normal_option(normal, "ring=", j);
    job_normal_option(normal, "min-separation=", j);
    job_normal_option(normal, "tolerance=", j);
    if (job_normal_value(normal, "baseline=", j->normal_baseline, sizeof j->normal_baseline))
        j->given.baseline = j->normal_baseline;
    job_normal_value(normal, "volume=", j->normal_volume, sizeof j->normal_volume);
    /* the pairs are in a dataset of their own */
    if (job_normal_value(normal, "object-pairs=", text, sizeof text))
        j->listed_pairs.exclude = !strncmp(text, "not", 3);
    snprintf(objects, size, "%s", name + strlen(" objects="));
    j->given.objects = objects;
    return IMP_OK;
}

/* Parses one bound of a slice, clipped to [low, high] as in Python. Returns 0 if it is not a
 * number. Numbers beyond int64 need no check: strtoll clips them, and they are clipped here
 * anyway. */
static int frame_slice_bound(const char *text, size_t length, int64_t n, int64_t low, int64_t high,
                             int64_t *out)
{
    char *end;
    long long x = strtoll(text, &end, 10);
    if ((size_t)(end - text) != length)
        return 0;
    if (x < 0)
        x += n;
    *out = x < low ? low : x > high ? high : x;
    return 1;
}

/* Parses "a:b:step" like slice(a, b, step).indices(n) in Python. Returns 0 if it is not a slice. */
static int frame_slice_parse(const char *text, uint64_t frames, frame_slice *s)
{
    const char *part[3] = {"", "", ""};
    size_t length[3] = {0}, parts = 0;
    int64_t n = (int64_t)frames, start, stop;
    s->step = 1;
    for (const char *at = text; at && parts < 3; parts++) {
        part[parts] = at;
        length[parts] = strcspn(at, ":");
        at = at[length[parts]] ? at + length[parts] + 1 : NULL;
        if (parts == 2 && at)
            return 0;
    }
    if (parts < 2)
        return 0;
    /* limits far from INT64_MAX, so that neither -step nor a sum with it overflows */
    if (length[2] &&
        (!frame_slice_bound(part[2], length[2], 0, INT64_MIN / 4, INT64_MAX / 4, &s->step) ||
         s->step == 0))
        return 0;
    /* a backward slice begins with the last frame and ends before frame 0, at -1 */
    int64_t low = s->step > 0 ? 0 : -1, high = s->step > 0 ? n : n - 1;
    start = s->step > 0 ? low : high;
    stop = s->step > 0 ? high : low;
    if (length[0] && !frame_slice_bound(part[0], length[0], n, low, high, &start))
        return 0;
    if (length[1] && !frame_slice_bound(part[1], length[1], n, low, high, &stop))
        return 0;
    int64_t extent = s->step > 0 ? stop - start : start - stop;
    int64_t stride = s->step > 0 ? s->step : -s->step;
    s->first = (uint64_t)(start < 0 ? 0 : start);
    s->count = extent > 0 ? (uint64_t)((extent - 1) / stride + 1) : 0;
    return 1;
}

/* Parses a whole number, one frame, counted from the end if it is negative. Returns 0 for other
 * texts. */
static int frame_slice_one(const char *text, uint64_t frames, frame_slice *s)
{
    const int64_t n = (int64_t)frames;
    int64_t frame;
    if (!*text || !frame_slice_bound(text, strlen(text), n, -1, n, &frame))
        return 0;
    *s = (frame_slice){.first = (uint64_t)frame, .count = frame >= 0 && frame < n, .step = 1};
    return 1;
}

int frame_slice_select(const char *text, uint64_t frames, frame_slice *out)
{
    const int one = text && frame_slice_one(text, frames, out);
    if (!one && !frame_slice_parse(text ? text : ":", frames, out))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--frames: '%s' is neither a frame nor a slice A:B or A:B:STEP", text);
    if (one && !frames)
        return imp_fail(IMP_ERR_ARGUMENT, "--frames: there is no frame %s: there are none", text);
    /* a slice that selects nothing is a mistake: an empty result would look like no contacts */
    if (frames && !out->count)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--frames: '%s' selects none of the %llu frames, 0 to %llu", text,
                        (unsigned long long)frames, (unsigned long long)frames - 1);
    return IMP_OK;
}

/* Signed arithmetic: a slice may be backward. */
uint64_t frame_slice_at(const frame_slice *s, uint64_t i)
{
    return (uint64_t)((int64_t)s->first + (int64_t)i * s->step);
}

/* ---- Reasons for an empty answer that the user may not have meant: an error if no contact can be
 * found at all, else a warning. */

/* ---- pairs of objects left to test */

/* Adds the objects of selected frames; with a static topology, only once. Without a list, the first
 * frame with a pair left to test decides, and no other frame is read for that. */
int job_warn_add_frames(job *j, imp_rules *rules)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t n, frames = j->info.static_topology && j->slice.count ? 1 : j->slice.count;
    for (uint64_t i = 0; i < frames; i++) {
        if (i && !j->listed_pairs.pair && !imp_rules_check(rules))
            break;
        TRY(job_frame_objects(j, i, &ids, &n));
        TRY(imp_rules_add(rules, ids, n));
    }
out:
    return err;
}

/* Returns advice for an input that has too few objects. */
static const char *job_warn_objects_advice(const job *j)
{
    const int by_id = !j->given.objects || !strcmp(j->given.objects, "id");
    if (!by_id)
        return "";
    return j->info.has_object
               ? "; --objects connected or array:NAME tells objects apart otherwise"
               : "; there is no CellData/ObjectId: --objects connected or array:NAME "
                 "tells objects apart, and convert --groups or --as objects writes it";
}

#define LISTS_MOST 1000 /* bytes */

/* The first option that was given with a list of pairs. */
static const char *job_warn_list_option(const job *j)
{
    return j->given.object_pairs ? "object-pairs" : "object-pairs-exclude";
}

/* Its file, followed by the other option and its file if both were given. */
static const char *job_warn_lists(const job *j, char out[LISTS_MOST])
{
    const char *only = j->given.object_pairs, *without = j->given.object_pairs_exclude;
    snprintf(out, LISTS_MOST, "%.450s%s%.450s", only ? only : without,
             only && without ? " and --object-pairs-exclude " : "", only && without ? without : "");
    return out;
}

/* If a list leaves no pair to test, it is most likely the wrong file; if there is a single object
 * without pairs of its own, an option was probably forgotten. */
static int job_warn_rules_error(const job *j, int err)
{
    char text[LISTS_MOST];
    if (err != IMP_ERR_ARGUMENT)
        return err;
    if (j->listed_pairs.pair)
        return imp_fail(err, "%s: --%s %s: %s", j->path, job_warn_list_option(j),
                        job_warn_lists(j, text), imp_error_text());
    return imp_fail(err, "%s: --pairs: %s%s", j->path, imp_error_text(),
                    job_warn_objects_advice(j));
}

/* "0, 1, 5 and 3 more" */
void job_warn_missing(job *j, const imp_rules *rules, const char *option, const char *path)
{
    cli_items list = {0};
    size_t next = 0;
    for (int32_t id; imp_rules_missing(rules, &next, &id);) {
        cli_items_add(&list, object_text(job_object_names(j), id));
    }
    if (list.count)
        warnings_add(&j->warnings, "--%s: %s: no selected frame has the object%s %s", option, path,
                     list.count > 1 ? "s" : "", cli_items_text(&list));
}

static int job_warn_check_rules(job *j)
{
    int err = IMP_OK;
    char text[LISTS_MOST];
    imp_rules *rules = NULL;
    if (!j->listed_pairs.pair && j->given.pairs != IMP_PAIRS_BETWEEN)
        return IMP_OK;
    TRY(imp_rules_create(&j->def, &rules));
    TRY(job_warn_add_frames(j, rules));
    TRY(job_warn_rules_error(j, imp_rules_check(rules)));
    if (j->listed_pairs.pair)
        job_warn_missing(j, rules, job_warn_list_option(j), job_warn_lists(j, text));
out:
    imp_rules_destroy(rules);
    return err;
}

/* The objects of a list of thicknesses, as pairs of which each is one object twice. */
static int job_warn_thickness(job *j)
{
    int err = IMP_OK;
    const batch_thickness *of = &j->thickness.of;
    int32_t(*pair)[2] = NULL;
    imp_rules *rules = NULL;
    if (of->source != BATCH_THICKNESS_OBJECTS)
        return IMP_OK;
    TRY(mem_alloc(&j->mem.read, of->objects * sizeof *pair, &pair));
    for (size_t i = 0; i < of->objects; i++)
        pair[i][0] = pair[i][1] = of->object[i];
    TRY(imp_rules_create(&(imp_def){.object_pair = (const int32_t(*)[2])pair,
                                    .object_pairs = of->objects,
                                    .object_pairs_exclude = 1},
                         &rules));
    TRY(job_warn_add_frames(j, rules));
    job_warn_missing(j, rules, "thickness", of->name);
out:
    imp_rules_destroy(rules);
    mem_free(&j->mem.read, pair);
    return err;
}

/* ---- neighbours */

/* Examines the frame read first, of slabs the first one with primitives. */
int job_warn_unwelded(job *j, const batch_block *b)
{
    int yes = 0;
    double fraction = 0;
    /* if objects are connected components, each primitive of an unwelded mesh is an object */
    const int connected = j->given.objects && !strcmp(j->given.objects, "connected");
    if (!j->warns_unwelded || !b->count || (j->given.pairs == IMP_PAIRS_BETWEEN && !connected))
        return IMP_OK;
    if (j->partition.slabs && !b->frame->mesh->primitives)
        return IMP_OK;
    j->warns_unwelded = 0;
    imp_mesh mesh = *b->frame->mesh;
    imp_frame frame = *b->frame;
    frame.mesh = &mesh;
    mesh.object = connected ? NULL : mesh.object;
    int err = imp_is_unwelded(&frame, &yes, &fraction);
    if (!err && yes)
        warnings_add(&j->warnings, "%s: %s; impinge convert %s --weld 0 -o OUT joins them", j->path,
                     unwelded_text(b->frame->mesh->primitives, job_primitive_noun(j),
                                   j->partition.slabs ? " of its first slab" : "", fraction),
                     j->path);
    return err;
}

/* ---- before the first frame, and after the last */

/* Counts selected frames without a primitive. */
static uint64_t job_warn_count_empty_frames(const job *j)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < j->slice.count; i++) {
        uint64_t verts, prims;
        batch_frame_size(j->in, frame_slice_at(&j->slice, i), &verts, &prims);
        n += prims == 0;
    }
    return n;
}

int job_warn_first(job *j)
{
    int err = IMP_OK;
    uint64_t empty = job_warn_count_empty_frames(j), n = 0;
    const char *remark;
    const int32_t *ids;
    /* a wrong topology is reported before any warning; a frame cut into slabs is read for that only
     * where the number of its objects matters */
    if (j->slice.count && (!j->partition.slabs || j->given.inside))
        TRY(job_frame_objects(j, 0, &ids, &n));
    if (!j->info.frames)
        warnings_add(&j->warnings, "%s: has no frames", j->path);
    else if (empty == j->slice.count)
        warnings_add(&j->warnings, "%s: has no %s in any selected frame", j->path,
                     job_primitive_noun(j));
    else if (empty)
        warnings_add(&j->warnings, "%s: %s of %s selected frames have no %s", j->path,
                     cli_number_text(empty), cli_number_text(j->slice.count),
                     job_primitive_noun(j));
    if (j->ghosts)
        warnings_add(&j->warnings, "%s: %s (vtkGhostType) left out", j->path,
                     cli_count_text(j->ghosts, "ghost cell"));
    if (j->given.continuous && j->slice.count == 1)
        warnings_add(
            &j->warnings,
            "%s: only one frame is selected: there is no step to another one, so no contact can "
            "be found",
            j->path);
    for (size_t i = 0; j->info.frames && (remark = batch_remark(j->in, i)); i++)
        warnings_add(&j->warnings, "%s: %s", j->path, remark);
    job_warn_rows(j, n);
    TRY(job_warn_check_rules(j));
    TRY(job_warn_thickness(j));
    TRY(job_inside_warn(j, n));
out:
    return err;
}

/* Called after all frames: only then is the number of omitted primitives known. */
void job_warn_last(job *j, uint64_t bad, uint64_t bad_frames)
{
    if (j->sums.too_many)
        warnings_add(&j->warnings, "more pairs of objects meet than fit into --mem-limit; the "
                                   "summary, and object_pairs of --json, lack them");
    if (bad && bad == j->primitives)
        warnings_add(&j->warnings, "%s: all %ss were left out: each has a bad vertex", j->path,
                     job_primitive_noun(j));
    else if (bad_frames)
        warnings_add(&j->warnings, "%s: all %ss of %s were left out: each has a bad vertex",
                     j->path, job_primitive_noun(j), cli_count_text(bad_frames, "frame"));
}
