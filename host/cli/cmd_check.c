/* impinge check: a result compared with the input, recomputed by brute force and exact arithmetic.
 */
#include "cli.h"

#include "error.h"
#include "progress.h"
#include "summary.h"
#include "truth.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_options {
    const char *input, *frames;
    uint64_t sample, threads;
    int quiet, progress;
} check_options;

static const cli_option options[] = {
    {"input", 0, CLI_TEXT, offsetof(check_options, input), "IN",
     "the batch that the result was made from", .needed = 1},
    {"frames", 0, CLI_TEXT, offsetof(check_options, frames), "A:B:STEP",
     "a slice of the result's frames, as in Python (default: all)"},
    {"sample", 0, CLI_SOME, offsetof(check_options, sample), "N",
     "check only N primitives of each frame, against all others (default: all)"},
    {CLI_THREADS(check_options, "threads (default: all)")},
    {CLI_PROGRESS(check_options)},
    {CLI_QUIET(check_options)},
    {0},
};

/* `w` has the options that the result says it was made with, not those of a command line. */
typedef struct check_state {
    check_options o;
    const char *path;
    work w;
    result_reader *r;
    char objects[4096];
    batch_block block;
    uint64_t pairs, extra; /* rows compared with the truth; additional candidates */
} check_state;

/* ---- points */

/* What is wrong with the points of row i, which has the right kind; NULL: nothing. */
static const char *row_points_wrong(const check_state *s, oracle *o, const result_rows *r,
                                    uint64_t i)
{
    truth_claim said = {.kind = r->kind[i], .point = r->point + 6 * i, .deep = r->depth != NULL};
    if (said.deep) {
        said.depth = r->depth[i];
        said.collisions = r->collision_first[i + 1] - r->collision_first[i];
        said.collision = r->collision + 3 * r->collision_first[i];
    }
    return truth_points_fault(o, s->block.frame, (uint32_t)r->a[i], (uint32_t)r->b[i], &said);
}

/* The row of the truth for this pair, or NULL. By halves: the truth is sorted by (a, b). */
static const truth_row *find_row(const truth *t, int64_t a, int64_t b)
{
    size_t lo = 0, hi = t->count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        const truth_row *at = &t->row[middle];
        if (at->a < a || (at->a == a && at->b < b))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < t->count && t->row[lo].a == a && t->row[lo].b == b ? &t->row[lo] : NULL;
}

/* The same for all rows with the right kind: wrong[rows]. Each thread has an oracle of its own,
 * which is memory for its big numbers. */
static int judge_points(const check_state *s, const result_rows *r, const truth *t,
                        const char **wrong)
{
    int64_t n = (int64_t)r->count;
    int without = 0; /* threads */
#pragma omp parallel num_threads(s->w.def.threads) reduction(+ : without)
    {
        oracle *o = oracle_open();
        without += !o;
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < n; i++) {
            const truth_row *row = o ? find_row(t, r->a[i], r->b[i]) : NULL;
            wrong[i] =
                row && row->kind == r->kind[i] ? row_points_wrong(s, o, r, (uint64_t)i) : NULL;
        }
        oracle_close(o);
    }
    return without ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

/* ---- one frame */

static int differs(const check_state *s, uint64_t frame, int64_t a, int64_t b, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: frame %llu: pair %lld %lld %s", s->path,
                    (unsigned long long)frame, (long long)a, (long long)b, how);
}

/* Both lists are sorted by (a, b): one walk along both finds missing and additional rows. */
static int row_order(const result_rows *r, uint64_t i, const truth_row *t)
{
    if (r->a[i] != t->a)
        return r->a[i] < t->a ? -1 : 1;
    return r->b[i] != t->b ? (r->b[i] < t->b ? -1 : 1) : 0;
}

/* t: the truth of this pair; NULL: it has none. */
static int compare_row(check_state *s, uint64_t frame, const result_rows *r, uint64_t i,
                       const truth_row *t, const char *points_wrong)
{
    const imp_frame *f = s->block.frame;
    int candidates = s->w.given.stage == IMP_STAGE_CANDIDATES;
    if (!t) {
        /* bounds are a little larger than exact boxes: candidates may be more, never fewer */
        s->extra += (uint64_t)candidates;
        return candidates ? IMP_OK : differs(s, frame, r->a[i], r->b[i], "does not meet");
    }
    if (r->kind[i] != (candidates ? IMP_KIND_CANDIDATE : t->kind))
        return differs(s, frame, t->a, t->b, "has another kind");
    const int32_t *object = f->mesh->object;
    if (r->object_a[i] != (object ? object[t->a] : 0) ||
        r->object_b[i] != (object ? object[t->b] : 0))
        return differs(s, frame, t->a, t->b, "has wrong objects");
    const int64_t *name = f->mesh->name;
    if (r->id_a && (!name || r->id_a[i] != name[t->a] || r->id_b[i] != name[t->b]))
        return differs(s, frame, t->a, t->b, "has wrong names");
    if (points_wrong) {
        char how[100];
        snprintf(how, sizeof how, "has wrong points: %s", points_wrong);
        return differs(s, frame, t->a, t->b, how);
    }
    s->pairs++;
    return IMP_OK;
}

/* Stops at the first difference: one is enough to prove a result wrong. */
static int compare_rows(check_state *s, uint64_t frame, const result_rows *r, const truth *t,
                        const uint8_t *wanted)
{
    int err = IMP_OK;
    size_t next = 0;
    const char **wrong = NULL;
    TRY(mem_alloc(&s->w.mem.read, (r->count + 1) * sizeof *wrong, &wrong));
    memset(wrong, 0, (r->count + 1) * sizeof *wrong);
    if (s->w.given.stage != IMP_STAGE_CANDIDATES)
        TRY(judge_points(s, r, t, wrong));
    /* rows come from a file: they are checked before they are used as indices */
    int64_t n = s->block.frame->mesh->primitives;
    for (uint64_t i = 0; i < r->count; i++) {
        if (r->a[i] < 0 || r->a[i] >= r->b[i] || r->b[i] >= n)
            TRY(differs(s, frame, r->a[i], r->b[i], "is not a pair of this frame"));
        /* of a sample only pairs with one of its primitives are compared */
        if (wanted && !wanted[r->a[i]] && !wanted[r->b[i]])
            continue;
        /* after the last row of the truth every further one is additional */
        int order = next < t->count ? row_order(r, i, &t->row[next]) : -1;
        if (order > 0)
            TRY(differs(s, frame, t->row[next].a, t->row[next].b, "is missing"));
        TRY(compare_row(s, frame, r, i, order ? NULL : &t->row[next], wrong[i]));
        next += order == 0;
    }
    if (next < t->count)
        TRY(differs(s, frame, t->row[next].a, t->row[next].b, "is missing"));
out:
    mem_free(&s->w.mem.read, wrong);
    return err;
}

/* N primitives, spread over the frame by a fixed sequence */
static int choose_sample(check_state *s, uint8_t **wanted)
{
    int err = IMP_OK;
    uint64_t n = s->block.frame->mesh->primitives, x = 1;
    *wanted = NULL;
    if (!s->o.sample || s->o.sample >= n)
        return IMP_OK;
    TRY(mem_alloc(&s->w.mem.read, n, wanted));
    memset(*wanted, 0, n);
    for (uint64_t chosen = 0; chosen < s->o.sample;) {
        /* Knuth's MMIX generator; the upper half is used, since its low bits repeat early */
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint8_t *w = &(*wanted)[(x >> 32) % n];
        chosen += !*w;
        *w = 1;
    }
out:
    return err;
}

/* Frames are checked one by one: memory holds one of them and its truth. */
static int check_frame(check_state *s, uint64_t k)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(s->r);
    uint64_t frame = (uint64_t)info->of.input_frame[k];
    uint8_t *wanted = NULL;
    truth t = {0};
    result_rows rows;
    if (info->of.input_frame[k] < 0 || frame >= s->w.info.frames)
        FAIL(IMP_ERR_DIFFERS, "%s: frame %llu is not in %s", s->path, (unsigned long long)frame,
             s->w.path);
    TRY(batch_read(s->w.in, frame, 1, 1, &s->block));
    TRY(choose_sample(s, &wanted));
    /* sphere and OBB trees report fewer false candidates */
    imp_def def = s->w.def;
    def.stage = *s->w.volume_was ? IMP_STAGE_CONTACTS : def.stage;
    TRY(truth_find(&s->w.mem.read, s->block.frame, &def, wanted, s->w.def.threads, &t));
    TRY(result_read(s->r, k, &rows));
    TRY(compare_rows(s, frame, &rows, &t, wanted));
    /* last: a row changed after it was written is better reported as the pair that is wrong */
    if (result_checksum(&rows) != info->of.checksum[k])
        FAIL(IMP_ERR_DIFFERS, "%s: frame %llu: its rows have another checksum than when written",
             s->path, (unsigned long long)frame);
out:
    mem_free(&s->w.mem.read, wanted);
    truth_free(&s->w.mem.read, &t);
    return err;
}

/* ---- the verb */

/* The options come from the result itself: a user need not repeat them, and cannot get them wrong.
 */
static int open_both(check_state *s)
{
    int err = IMP_OK;
    uint64_t bytes, hash;
    char text[24];
    TRY(result_open(&s->w.mem.read, s->path, &s->r));
    const result_info *info = result_get_info(s->r);
    TRY(work_parse(s->path, info->options, &s->w, s->objects, sizeof s->objects));
    if (!info->complete)
        warn(&s->w.warnings, "%s: is not complete: only %s", s->path,
             counted(info->frames, "frame"));
    TRY(work_open(&s->w));
    /* the list that the result keeps: the file may have changed since */
    s->w.def.object_pair = info->object_pair;
    s->w.def.object_pairs = info->object_pairs;
    s->w.def.object_pairs_exclude = s->w.pairs_list.exclude;
    s->w.def.threads = s->o.threads ? (int)s->o.threads : omp_get_max_threads();
    /* another input is no error: the pairs show whether it matters */
    TRY(file_hash(s->o.input, &bytes, &hash));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    if ((bytes != info->input_bytes || strcmp(text, info->input_hash)) && !s->o.quiet)
        fprintf(stderr, "impinge: %s is not the file that the result was made from\n", s->o.input);
out:
    return err;
}

/* The layout is checked last: it is about the whole file, not about one pair. */
static int check_frames(check_state *s)
{
    int err = IMP_OK;
    /* of the result's frames: these are what --frames selects here */
    frame_slice slice;
    progress bar;
    TRY(slice_select(s->o.frames, result_get_info(s->r)->frames, &slice));
    progress_start(&bar, s->o.quiet, s->o.progress, 0, slice.count);
    for (uint64_t i = 0; i < slice.count && !err; i++) {
        err = check_frame(s, slice_frame(&slice, i));
        progress_show(&bar, i + 1, s->pairs);
    }
    progress_clear(&bar);
    TRY(err);
    err = result_check_layout(s->r);
    if (err == IMP_ERR_INPUT) /* the result itself is what is checked */
        err = imp_fail(IMP_ERR_DIFFERS, "%s", imp_error_text());
    TRY(err);
    if (!s->o.quiet) {
        printf("%s: %s in %s are correct, none missing", s->path, counted(s->pairs, "pair"),
               counted(slice.count, "frame"));
        if (s->o.sample) /* the others were not compared */
            printf(", in samples of %s a frame", counted(s->o.sample, "primitive"));
        if (s->w.given.stage == IMP_STAGE_CANDIDATES)
            printf("; %s more %s", grouped(s->extra),
                   *s->w.volume_was ? "do not meet" : "touch only by rounding");
        printf("\n");
    }
out:
    return err;
}

static int check(int argc, char **argv)
{
    check_state s = {0};
    int count, code = cli_parse(&verb_check, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    s.path = argv[0];
    /* the input that the user names: the one named in the result may have moved */
    work_begin(&s.w, s.o.input, s.o.quiet, 0);
    int err = open_both(&s);
    if (!err)
        err = check_frames(&s);
    code = err ? cli_fail(err) : 0;
    batch_block_free(&s.block);
    result_close(s.r);
    work_close(&s.w);
    return code;
}

const cli_verb verb_check = {
    .name = "check",
    .usage = "RESULT.vtkhdf --input IN.vtkhdf [options]",
    .text = "recomputes a result by brute force and exact arithmetic, and compares",
    .options = options,
    .examples = "  impinge check contacts.vtkhdf --input cloth.vtkhdf\n"
                "  impinge check contacts.vtkhdf --input big.vtkhdf --frames 10:12 --sample 500\n",
    .run = check,
    .about =
        "Every frame is computed again by means other than those of run: all pairs of primitives, "
        "in "
        "exact arithmetic. The first pair that is missing, additional or different is reported, "
        "with "
        "exit code 1.",
    .least = "a result is missing",
    .one = "result",
};
