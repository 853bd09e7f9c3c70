/* impinge check: compares a result with the input, recomputed by brute force and exact
 * arithmetic. */
#include "check.h"
#include "cli.h"
#include "error.h"
#include "json.h"
#include "machine.h"
#include "object_names.h"
#include "result_input.h"
#include "truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_options {
    const char *input, *frames;
    uint64_t sample, threads;
    int quiet, progress;
} check_options;

static const cli_option option_table[] = {
    {"input", 0, CLI_TEXT, offsetof(check_options, input), "IN",
     "the batch that the result was made from", .needed = 1},
    {"frames", 0, CLI_TEXT, offsetof(check_options, frames), "A:B:STEP",
     "a frame of the result, or a slice of its frames, as in Python (default: all)"},
    {"sample", 0, CLI_SOME, offsetof(check_options, sample), "N",
     "check only N primitives of each frame, against all others (default: all)"},
    {CLI_THREADS(check_options, "threads (default: all that the launcher gives)")},
    {CLI_PROGRESS(check_options)},
    {CLI_QUIET(check_options)},
    {0},
};

/* `job` has the options recorded in the result, not those of a command line. */
typedef struct check_state {
    check_options o;
    const char *path;
    job job;
    result_reader *r;
    char objects[4096], frames[100];
    batch_block block;
    truth baseline;                        /* pairs of the --baseline frame */
    truth_feature_pairs baseline_features; /* its pairs of features, with --rows features */
    uint64_t pairs, extra;                 /* rows compared with the truth; additional candidates */
    check_skipped skipped;
} check_state;

/* ---- one frame */

/* Reads the frame, or both frames of the step that begins with it. */
static int read_frames(check_state *s, uint64_t frame)
{
    int err = IMP_OK;
    const int64_t step = s->job.normal_slice.step;
    const uint64_t next = s->job.def.continuous ? frame + (uint64_t)step : frame;
    if (frame >= s->job.info.frames || next >= s->job.info.frames)
        FAIL(IMP_ERR_DIFFERS, "%s: frame %llu is not in %s", s->path,
             (unsigned long long)(frame < s->job.info.frames ? next : frame), s->job.path);
    TRY(batch_read(s->job.in, frame, step, s->job.def.continuous ? 2 : 1, &s->block));
    TRY(job_join_meshes(&s->job, &s->block));
out:
    return err;
}

/* Computes the rows that the result must have. Sphere and OBB trees report fewer false candidates
 * than there are overlapping bounds, so their candidates are compared with the contacts. */
static int find_truth(check_state *s, const uint8_t *wanted, truth *t)
{
    int err = IMP_OK;
    mem *m = &s->job.mem.read;
    imp_def def = s->job.def;
    const imp_frame *f = s->block.frame;
    def.stage = *s->job.normal_volume ? IMP_STAGE_CONTACTS : def.stage;
    if (def.continuous)
        TRY(truth_ccd_find(m, f, f + 1, &def, wanted, def.threads, t));
    else
        TRY(truth_find(m, f, &def, wanted, def.threads, t));
    if (def.inside && def.rows == IMP_ROWS_CONTACTS)
        TRY(truth_inside_contacts(m, f, &def, def.threads, t));
    if (s->job.baseline.features)
        truth_feature_pairs_leave_out(f, &s->baseline_features, t);
    else
        truth_leave_out(t, &s->baseline);
    if (*s->job.normal_volume) /* candidates are sorted by pair */
        truth_sort_pairs(t);
out:
    return err;
}

/* Compares the relations of frame k; a sample of primitives does not show them. */
static int check_frame_relations(check_state *s, const check_rows *c, uint64_t k)
{
    int err = IMP_OK;
    mem *m = &s->job.mem.read;
    const result_info *info = result_get_info(s->r);
    truth_relations t = {0};
    step_relations of;
    if (!info->relations)
        return IMP_OK;
    TRY(result_read_relations(s->r, k, &of));
    if (c->wanted)
        s->skipped.relations = 1;
    else
        TRY(truth_relations_find(m, c->at, &s->job.def, s->job.def.threads, &t));
    if (!c->wanted)
        TRY(check_relations_compare(c, &of, &t));
    if (result_relations_checksum(&of) != info->of.relations_checksum[k])
        FAIL(IMP_ERR_DIFFERS,
             "%s: frame %llu: its relations have another checksum than when "
             "written",
             s->path, (unsigned long long)c->frame);
out:
    truth_relations_free(m, &t);
    return err;
}

/* Compares the rows with what they must be. */
static int check_frame_rows(check_state *s, check_rows *c)
{
    int err = IMP_OK;
    mem *m = &s->job.mem.read;
    truth t = {0};
    truth_inside inside = {0};
    c->truth = &t;
    if (s->job.def.rows == IMP_ROWS_INSIDE) {
        TRY(truth_inside_find(m, c->at, &s->job.def, c->wanted, s->job.def.threads, &inside));
        err = check_inside_compare(c, &inside);
    } else {
        TRY(find_truth(s, c->wanted, &t));
        err = check_rows_compare(c);
    }
    s->pairs += c->pairs;
    s->extra += c->extra;
out:
    truth_inside_free(m, &inside);
    truth_free(m, &t);
    c->truth = NULL;
    return err;
}

/* Checks one frame at a time: memory holds one frame and its truth. */
static int check_one_frame(check_state *s, uint64_t k)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(s->r);
    const uint64_t frame = (uint64_t)info->of.input_frame[k];
    uint8_t *wanted = NULL;
    int64_t *a = NULL, *b = NULL;
    result_rows rows, found;
    TRY(check_tables_frame_number(&s->job, s->path, info, k));
    TRY(read_frames(s, frame));
    TRY(check_sample(&s->job.mem.read, s->block.frame->mesh->primitives, s->o.sample, &wanted));
    if (wanted && s->job.def.rows == IMP_ROWS_OBJECTS)
        TRY(check_sample_objects(&s->job.mem.read, s->block.frame->mesh, wanted));
    TRY(result_read(s->r, k, &rows));
    check_rows c = {.job = &s->job,
                    .path = s->path,
                    .frame = frame,
                    .at = s->block.frame,
                    .next = s->job.def.continuous ? s->block.frame + 1 : NULL,
                    .wanted = wanted,
                    .rows = &found,
                    .number = batch_block_slab(&s->block, 0)->number,
                    .source_id = batch_block_source_ids(&s->block, 0)};
    found = rows;
    if (c.number) {
        TRY(mem_alloc(&s->job.mem.read, rows.count * sizeof *a, &a));
        TRY(mem_alloc(&s->job.mem.read, rows.count * sizeof *b, &b));
        TRY(check_rows_find(&c, &rows, a, b));
        found.a = a;
        found.b = b;
    }
    TRY(check_frame_rows(s, &c));
    TRY(check_frame_relations(s, &c, k));
    const check_tables tables = {&s->job, s->path, info, k, c.at, c.next, wanted != NULL};
    check_tables_rows(&tables, &rows, &s->skipped);
    TRY(check_tables_compare(&tables, &s->skipped));
    /* last: if a row was changed after it was written, naming the wrong pair is the better
     * report */
    if (result_checksum(&rows) != info->of.checksum[k])
        FAIL(IMP_ERR_DIFFERS, "%s: %s %llu: its rows have another checksum than when written",
             s->path, job_step_name(&s->job), (unsigned long long)frame);
out:
    mem_free(&s->job.mem.read, wanted);
    mem_free(&s->job.mem.read, a);
    mem_free(&s->job.mem.read, b);
    return err;
}

/* ---- the verb */

/* Selects the frames of the run if neighbours matter: other frames may have other meshes. */
static void select_frames(check_state *s)
{
    const frame_slice *was = &s->job.normal_slice;
    const long long stop = (long long)(was->first + was->count * (uint64_t)was->step);
    char end[32] = "";
    if (stop >= 0)
        snprintf(end, sizeof end, "%lld", stop);
    snprintf(s->frames, sizeof s->frames, "%llu:%s:%lld", (unsigned long long)was->first, end,
             (long long)was->step);
    s->job.given.frames = s->job.given.continuous ? s->frames : NULL;
}

/* Finds the contacts, or the pairs within the distance, in the frame of --baseline, with the
 * options of the run. */
static int find_baseline(check_state *s)
{
    int err = IMP_OK;
    imp_def def = s->job.def;
    def.stage = IMP_STAGE_CONTACTS;
    if (!s->job.baseline.given)
        return IMP_OK;
    TRY(batch_read(s->job.in, s->job.baseline.frame, 1, 1, &s->block));
    TRY(truth_find(&s->job.mem.read, s->block.frame, &def, NULL, def.threads, &s->baseline));
    if (s->job.baseline.features)
        TRY(truth_feature_pairs_make(&s->job.mem.read, s->block.frame, &s->baseline,
                                     &s->baseline_features));
out:
    return err;
}

/* Checks the shard's record of the input beside its hash; merge uses it to recognise shards of one
 * input. */
static int check_shard_input(const check_state *s, const file_pieces *pieces)
{
    const result_shard *shard = &result_get_info(s->r)->shard;
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)batch_tables_hash(s->job.in));
    if (strcmp(text, shard->tables))
        return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge: input_tables is %s, not %s", s->path,
                        shard->tables, text);
    if (shard->pieces != pieces->count ||
        (pieces->count &&
         memcmp(shard->piece, pieces->piece, pieces->count * sizeof *pieces->piece)))
        return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge/input_pieces: not those of the input",
                        s->path);
    return IMP_OK;
}

/* A different input is no error: the pairs show whether it matters. */
static int check_input_hash(check_state *s)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(s->r);
    const result_shard *shard = &info->shard;
    file_pieces pieces = {0};
    TRY(file_pieces_hash(s->o.input, shard->index, shard->count ? shard->count : 1, &pieces));
    if (result_input_same(info, &pieces))
        err = shard->count ? check_shard_input(s, &pieces) : IMP_OK;
    else
        warnings_add(&s->job.warnings, "%s: is not the file that the result was made from",
                     s->o.input);
out:
    file_pieces_free(&pieces);
    return err;
}

/* The options are read from the result itself: a user need not repeat them, and cannot get them
 * wrong. */
static int open_both(check_state *s)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(s->r);
    if (info->units.slabs)
        FAIL(IMP_ERR_INPUT, "%s: has contacts of slabs; 'impinge merge' joins them", s->path);
    TRY(job_parse_normal_form(s->path, info->options, &s->job, s->objects, sizeof s->objects));
    if (!info->complete)
        warnings_add(&s->job.warnings, "%s: is not complete: only %s", s->path,
                     cli_count_text(info->frames, s->job.given.continuous ? "step" : "frame"));
    select_frames(s);
    job_thickness_stored(&s->job, info);
    job_inside_stored(&s->job, info);
    TRY(job_open(&s->job));
    /* the list stored in the result: the file may have changed since */
    s->job.def.object_pair = info->object_pair;
    s->job.def.object_pairs = info->object_pairs;
    s->job.def.object_pairs_exclude = s->job.listed_pairs.exclude;
    s->job.def.threads = processors_threads((int)s->o.threads);
    TRY(check_input_hash(s));
    TRY(check_provenance_options(&s->job, s->path, info));
    TRY(check_provenance_names(job_object_names(&s->job), s->path, info));
    TRY(find_baseline(s));
out:
    return err;
}

/* The layout is checked last: it is about the whole file, not about one pair. */
static int check_all_frames(check_state *s)
{
    int err = IMP_OK;
    /* --frames selects frames of the result here */
    frame_slice slice;
    progress bar;
    TRY(frame_slice_select(s->o.frames, result_get_info(s->r)->frames, &slice));
    progress_start(&bar, s->o.quiet, s->o.progress, job_step_noun(&s->job), 0, slice.count);
    for (uint64_t i = 0; i < slice.count && !err; i++) {
        err = check_one_frame(s, frame_slice_at(&slice, i));
        progress_show(&bar, i + 1, s->pairs);
    }
    progress_clear(&bar);
    TRY(err);
    err = result_check_layout(s->r);
    if (err == IMP_ERR_INPUT) /* the result itself is being checked */
        err = imp_fail(IMP_ERR_DIFFERS, "%s", imp_error_text());
    TRY(err);
    if (!s->o.quiet) {
        printf(
            "%s: %s in %s are correct, none missing", cli_shown(s->path),
            cli_count_text(s->pairs, s->job.def.rows == IMP_ROWS_INSIDE ? "vertex inside" : "pair"),
            cli_count_text(slice.count, job_step_noun(&s->job)));
        if (s->o.sample) /* other pairs were not compared */
            printf(", in samples of %s a %s", cli_count_text(s->o.sample, "primitive"),
                   job_step_noun(&s->job));
        if (s->job.given.stage == IMP_STAGE_CANDIDATES)
            printf("; %s more %s", cli_number_text(s->extra),
                   *s->job.normal_volume ? "do not meet" : "touch only by rounding");
        printf("\n");
        check_skipped_print(&s->skipped);
    }
out:
    return err;
}

static int check_pairs_of_objects(check_state *s)
{
    const int err = open_both(s);
    return err ? err : check_all_frames(s);
}

static int check_bodies_input(check_state *s)
{
    return check_simulated(&(check_simulated_def){.mem = &s->job.mem.read,
                                                  .result = s->r,
                                                  .path = s->path,
                                                  .input = s->o.input,
                                                  .frames = s->o.frames,
                                                  .sample = s->o.sample,
                                                  .threads = processors_threads((int)s->o.threads),
                                                  .quiet = s->o.quiet,
                                                  .progress = s->o.progress,
                                                  .warnings = &s->job.warnings});
}

static int check_verb_run(int argc, char **argv)
{
    check_state s = {0};
    int count, code = cli_parse(&verb_check, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    s.path = argv[0];
    /* the input that the user names: the one named in the result may have moved */
    job_begin(&s.job, s.o.input, 0);
    int err = result_open(&s.job.mem.read, s.path, &s.r);
    if (!err)
        err = result_get_info(s.r)->simulated ? check_bodies_input(&s) : check_pairs_of_objects(&s);
    code = err ? cli_fail(err) : 0;
    truth_free(&s.job.mem.read, &s.baseline);
    mem_free(&s.job.mem.read, s.baseline_features.list);
    batch_block_free(&s.block);
    result_close(s.r);
    job_close(&s.job);
    return code;
}

const cli_verb verb_check = {
    .name = "check",
    .usage = "RESULT.vtkhdf --input IN.vtkhdf [options]",
    .text = "recomputes a result by brute force and exact arithmetic, and compares",
    .options = option_table,
    .examples = "  impinge check contacts.vtkhdf --input cloth.vtkhdf\n"
                "  impinge check contacts.vtkhdf --input big.vtkhdf --frames 10:12 --sample 500\n",
    .run = check_verb_run,
    .about =
        "Every frame, or step of --continuous, is computed again by means other than those of run: "
        "all pairs of primitives, and of their features, in exact arithmetic. The first pair that "
        "is missing, additional or different is reported, with exit code 1. Pairs with a rigid "
        "body that turns are checked within the tolerance of the run. Times and numbers of frames "
        "are computed again, too, as far as they follow from the input; a last line names what was "
        "not compared. Of rows of pairs of objects, --sample checks those of the objects that have "
        "one of its primitives. A result of pcs is checked from the batch beside it: its bodies "
        "are followed by their velocity changes, and all contacts are found again, but not what "
        "bodies do at one.",
    .least = "a result is missing",
    .one = "result",
};

/* ---- frames */

static int check_provenance_fail(const char *path, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge: options: %s", path, how);
}

static int check_provenance_are_frames(const frame_slice *s, uint64_t frames)
{
    if (!s->step)
        return 0;
    if (!s->count)
        return !s->first;
    const uint64_t step = (uint64_t)(s->step < 0 ? -s->step : s->step),
                   most = s->step < 0 ? s->first : frames - s->first - 1;
    return s->first < frames && s->count - 1 <= most / step;
}

/* Reconstructs the selection of all shards together, of which this shard has a share. */
static int check_provenance_select_shard(const job *w, const char *path, const result_info *info,
                                         job_shard *out)
{
    int err = IMP_OK;
    job shard = *w;
    unsigned long long first, count;
    long long step;
    const char *of = strstr(info->options, " of=");
    if (!of || sscanf(of, " of=%llu+%llu*%lld", &first, &count, &step) != 3)
        return check_provenance_fail(path, "not those of a shard");
    shard.slice = (frame_slice){first, count, step};
    if (!check_provenance_are_frames(&shard.slice, w->info.frames))
        return check_provenance_fail(path, "shards of frames that the input lacks");
    shard.steps = count && w->given.continuous ? count - 1 : count;
    shard.shard = (job_shard){.index = info->shard.index, .count = info->shard.count};
    TRY(job_shard_select(&shard));
    if (shard.slice.first != w->normal_slice.first || shard.slice.count != w->normal_slice.count ||
        step != w->normal_slice.step)
        err = check_provenance_fail(path, "the shard has other frames than that number has");
    *out = shard.shard;
out:
    return err;
}

/* ---- the text */

/* Reads the options of trees, which job_normal_form writes if results depend on them. */
static void check_provenance_read_trees(const char *options, job *w)
{
    static const char *const names[] = {"volume", "build", "descent"};
    char word[3][32];
    unsigned degree, leaf, level;
    job_options given = w->given;
    const char *at = strstr(options, " volume=");
    if (!at || sscanf(at, " volume=%31s build=%31s descent=%31s degree=%u leaf=%u hybrid-level=%u",
                      word[0], word[1], word[2], &degree, &leaf, &level) != 6)
        return;
    for (int i = 0; i < 3; i++)
        if (cli_set(job_option(names[i]), word[i], &given))
            return;
    w->def.volume = given.volume;
    w->def.build = given.build;
    w->def.descent = given.descent;
    w->def.degree = degree;
    w->def.leaf = leaf;
    w->def.hybrid_level = level;
}

int check_provenance_options(const job *w, const char *path, const result_info *info)
{
    int err = IMP_OK;
    job again = *w;
    char text[4096];
    again.slice = w->normal_slice;
    again.shard.count = 0;
    /* the result's list, which job_normal_form only reads */
    memcpy(&again.listed_pairs.pair, &info->object_pair, sizeof again.listed_pairs.pair);
    again.listed_pairs.count = info->object_pairs;
    check_provenance_read_trees(info->options, &again);
    if (!check_provenance_are_frames(&w->normal_slice, w->info.frames))
        return check_provenance_fail(path, "frames that the input lacks");
    if (info->shard.count)
        TRY(check_provenance_select_shard(w, path, info, &again.shard));
    TRY(job_normal_form(&again, text, sizeof text));
    if (strcmp(text, info->options) != 0)
        err = check_provenance_fail(path, "not as a run writes them");
out:
    return err;
}

/* ---- names */

int check_provenance_names(const batch_names *want, const char *path, const result_info *info)
{
    static const batch_names none;
    const batch_names *stored = info->names ? info->names : &none;
    want = want ? want : &none;
    for (size_t i = 0; i < want->objects && i < stored->objects; i++)
        if (stored->object[i] != want->object[i] ||
            strcmp(stored->object_name[i], want->object_name[i]) != 0)
            return imp_fail(IMP_ERR_DIFFERS,
                            "%s: /impinge/object_names: object %d is '%s', not object %d, '%s'",
                            path, (int)stored->object[i], stored->object_name[i],
                            (int)want->object[i], want->object_name[i]);
    if (stored->objects != want->objects)
        return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge/object_names: has %zu names, not %zu", path,
                        stored->objects, want->objects);
    return IMP_OK;
}

static int tables_fail(const check_tables *c, const char *name, int64_t stored, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: %s %llu: %s is %lld, not %s", c->path,
                    job_step_name(c->job), (unsigned long long)c->at->number, name,
                    (long long)stored, how);
}

static int tables_equal(const check_tables *c, const char *name, int64_t stored, uint64_t want)
{
    char how[32];
    snprintf(how, sizeof how, "%llu", (unsigned long long)want);
    return stored == (int64_t)want ? IMP_OK : tables_fail(c, name, stored, how);
}

int check_tables_frame_number(const job *w, const char *path, const result_info *info, uint64_t k)
{
    const frame_slice *was = &w->normal_slice;
    const int64_t want = (int64_t)was->first + (int64_t)k * was->step,
                  stored = info->of.input_frame[k];
    if (stored == want)
        return IMP_OK;
    return imp_fail(IMP_ERR_DIFFERS, "%s: /impinge/input_frame: row %llu is %lld, not %lld", path,
                    (unsigned long long)k, (long long)stored, (long long)want);
}

static int compare_time(const check_tables *c)
{
    const double stored = c->info->of.time[c->k],
                 want = batch_frame_time(c->job->in, c->at->number);
    if (stored == want && signbit(stored) == signbit(want))
        return IMP_OK;
    return imp_fail(IMP_ERR_DIFFERS, "%s: %s %llu: its time in Steps/Values is %.17g, not %.17g",
                    c->path, job_step_name(c->job), (unsigned long long)c->at->number, stored,
                    want);
}

/* Bounds are rounded outwards: if pairs nearly touch, there may be more candidates than exact
 * overlaps. */
static int compare_candidates(const check_tables *c, check_skipped *skipped)
{
    int err = IMP_OK;
    const int64_t stored = c->info->of.candidates[c->k], rows = c->info->of.contacts[c->k];
    uint64_t count[2];
    char how[64];
    if (c->job->given.stage == IMP_STAGE_CANDIDATES && !c->job->baseline.given)
        TRY(tables_equal(c, "candidates", stored, (uint64_t)rows));
    /* those of OBJECTS are pairs that the search compared */
    if (c->sampled || *c->job->normal_volume || c->job->def.rows == IMP_ROWS_OBJECTS ||
        truth_bounds_turning(c->at, c->next)) {
        skipped->candidates = 1;
        return IMP_OK;
    }
    imp_def def = c->job->def;
    if (def.rows == IMP_ROWS_INSIDE) { /* pairs of two objects, also those that share a vertex */
        def.pairs = IMP_PAIRS_BETWEEN;
        def.adjacent = IMP_ADJACENT_TEST;
    }
    TRY(truth_bounds_count(&c->job->mem.read, c->at, c->next, &def, def.threads, count));
    skipped->candidates |= count[0] != count[1];
    /* trees of oriented boxes leave out pairs, and the options of a contacts result do not name the
     * volume */
    if (!c->next && c->job->given.stage == IMP_STAGE_CONTACTS && stored >= rows &&
        stored < (int64_t)count[0]) {
        skipped->candidates = 1;
        return IMP_OK;
    }
    if (count[0] == count[1])
        TRY(tables_equal(c, "candidates", stored, count[0]));
    snprintf(how, sizeof how, "%llu to %llu", (unsigned long long)count[0],
             (unsigned long long)count[1]);
    if (stored < (int64_t)count[0] || stored > (int64_t)count[1])
        err = tables_fail(c, "candidates", stored, how);
out:
    return err;
}

/* Compares the number of feature pairs that came near each other, if it depends on the step
 * alone. */
static int compare_features(const check_tables *c, check_skipped *skipped)
{
    int err = IMP_OK;
    const result_frames *of = &c->info->of;
    uint64_t count[2];
    if (!of->candidates_vf || !of->candidates_ee) {
        skipped->features |= c->next != NULL;
        return IMP_OK;
    }
    if (c->sampled || !truth_candidates_known(c->at, c->next, &c->job->def)) {
        skipped->features = 1;
        return IMP_OK;
    }
    TRY(truth_candidates(&c->job->mem.read, c->at, c->next, &c->job->def, c->job->def.threads,
                         count));
    TRY(tables_equal(c, "candidates_vf", of->candidates_vf[c->k], count[0]));
    TRY(tables_equal(c, "candidates_ee", of->candidates_ee[c->k], count[1]));
out:
    return err;
}

int check_tables_compare(const check_tables *c, check_skipped *skipped)
{
    int err = IMP_OK;
    TRY(compare_time(c));
    TRY(tables_equal(c, "bad_primitives", c->info->of.bad[c->k], truth_bounds_bad(c->at, c->next)));
    TRY(compare_candidates(c, skipped));
    TRY(compare_features(c, skipped));
out:
    return err;
}

/* Columns that check recomputes. A column that is added to contact.def is reported as not compared
 * until it is here. */
static column_set compared_columns(void)
{
    static const int compared[] = {
        STORED_a,         STORED_b,           STORED_object_a,      STORED_object_b,
        STORED_kind,      STORED_points,      STORED_toi,           STORED_time,
        STORED_depth,     STORED_crossing,    STORED_feature_a,     STORED_feature_b,
        STORED_id_a,      STORED_id_b,        STORED_source_a,      STORED_source_b,
        STORED_collision, STORED_distance,    STORED_barycentric_a, STORED_barycentric_b,
        STORED_normal,    STORED_penetration, STORED_relative,      STORED_vertex,
        STORED_winding,   STORED_face,        STORED_barycentric,   STORED_end_features};
    column_set out = 0;
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        out |= COLUMN_BIT(compared[i]);
    return out;
}

/* Whether points are exact: those of contacts, and not of features or candidates. */
static int check_tables_ends(int kind)
{
    kind &= ~IMP_KIND_AT_START;
    return (kind >= IMP_KIND_POINT && kind <= IMP_KIND_SOLIDS) || kind == IMP_KIND_CROSSED;
}

void check_tables_rows(const check_tables *c, const result_rows *rows, check_skipped *skipped)
{
    for (uint64_t i = 0; i < rows->count && !skipped->points; i++)
        skipped->points = !check_tables_ends(rows->kind[i]);
    skipped->inside |= rows->count && rows->winding;
    for (uint64_t i = 0; i < rows->count && rows->distance && !skipped->nearest; i++)
        skipped->nearest = rows->feature_a[i] != -1 || rows->feature_b[i] != -1;
    skipped->turning |= rows->count && truth_bounds_turning(c->at, c->next);
    skipped->columns |= columns_present(&stored_table, rows) & ~compared_columns();
}

void check_skipped_print(const check_skipped *skipped)
{
    printf("not compared: undecided, touched, seconds%s%s",
           skipped->candidates ? ", candidates" : "",
           skipped->features ? ", candidates_vf, candidates_ee" : "");
    for (int c = 0; c < STORED_COLUMNS; c++)
        if (column_in(skipped->columns, c))
            printf(", %s", stored_table.column[c].file);
    if (skipped->relations)
        printf(", relations");
    printf(", version, command, device, input, collide_txt, csv, counts, json");
    if (skipped->points)
        printf("; Points%s only within the bounds of format.md",
               skipped->turning   ? " and Share"
               : skipped->inside  ? ", Barycentric and Normal"
               : skipped->nearest ? ", BarycentricA, BarycentricB and Normal"
                                  : "");
    printf("\n");
}

/* ---- samples */

int check_sample(mem *m, uint64_t n, uint64_t count, uint8_t **out)
{
    int err = IMP_OK;
    uint64_t x = 1;
    *out = NULL;
    if (!count || count >= n)
        return IMP_OK;
    TRY(mem_alloc(m, n, out));
    memset(*out, 0, n);
    for (uint64_t chosen = 0; chosen < count;) {
        /* Knuth's MMIX generator; the upper half is used, since its low bits repeat early */
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint8_t *w = &(*out)[(x >> 32) % n];
        chosen += !*w;
        *w = 1;
    }
out:
    return err;
}

static int check_sample_compare(const void *p, const void *q)
{
    const int32_t x = *(const int32_t *)p, y = *(const int32_t *)q;
    return (x > y) - (x < y);
}

int check_sample_objects(mem *m, const imp_mesh *mesh, uint8_t *sample)
{
    int err = IMP_OK;
    int32_t *object = NULL;
    size_t n = 0;
    TRY(mem_alloc(m, mesh->primitives * sizeof *object, &object));
    for (uint32_t i = 0; i < mesh->primitives; i++)
        if (sample[i])
            object[n++] = mesh->object ? mesh->object[i] : 0;
    qsort(object, n, sizeof *object, check_sample_compare);
    for (uint32_t i = 0; i < mesh->primitives; i++) {
        const int32_t of = mesh->object ? mesh->object[i] : 0;
        sample[i] = bsearch(&of, object, n, sizeof *object, check_sample_compare) != NULL;
    }
out:
    mem_free(m, object);
    return err;
}
