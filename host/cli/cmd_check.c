/* impinge check: a result held against the input, recomputed by brute force and exact arithmetic.
 */
#include "cli.h"

#include "error.h"
#include "exact_solid.h"
#include "progress.h"
#include "summary.h"
#include "truth.h"

#include <math.h>
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
    {"input", 0, CLI_TEXT, offsetof(check_options, input), "IN", "the batch that was run"},
    {"frames", 0, CLI_TEXT, offsetof(check_options, frames), "A:B:STEP",
     "a slice of the result's frames, as in Python (default: all)"},
    {"sample", 0, CLI_SOME, offsetof(check_options, sample), "N",
     "check only N primitives of each frame, against all others (default: all)"},
    {"threads", 0, CLI_SOME, offsetof(check_options, threads), "N", "threads (default: all)"},
    {"progress", 0, CLI_CHOICE, offsetof(check_options, progress), "auto|always|never",
     "progress on stderr; auto: on a terminal (default: auto)"},
    {"quiet", 'q', CLI_FLAG, offsetof(check_options, quiet), NULL, "print nothing but errors"},
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
    uint64_t pairs, extra; /* rows held against the truth; candidates that need not be there */
} check_state;

/* ---- points */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* unit normal and longest edge of a triangle; 0 for a sliver: height / length under 1e-3 */
static int well_shaped(const exact_point p[3], double n[3], double *size)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = p[1].x[k] - p[0].x[k];
        v[k] = p[2].x[k] - p[0].x[k];
        w[k] = v[k] - u[k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double longest = fmax(dot(u, u), fmax(dot(v, v), dot(w, w))), area = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++)
        n[k] /= area;
    *size = sqrt(longest);
    return area > 1e-3 * longest && isfinite(area) && area > 0;
}

/* first = 3: the ends the other way round. Their order is lost where they differ by rounding only.
 */
static int near_points(const double point[6], const double want[6], int first, double tolerance)
{
    for (int k = 0; k < 6; k++)
        if (fabs(point[k] - want[(k + first) % 6]) > tolerance)
            return 0;
    return 1;
}

/* Where triangles are well shaped and their planes cross clearly, ends are known well, too. */
static int points_agree(const imp_frame *f, const truth_row *t, const double point[6])
{
    const exact_prim p[2] = {exact_prim_of(f, t->a), exact_prim_of(f, t->b)};
    double n[2][3], size[2], most = 0;
    int clear = well_shaped(p[0].v, n[0], &size[0]) && well_shaped(p[1].v, n[1], &size[1]) &&
                fabs(dot(n[0], n[1])) < 1 - 5e-7;
    for (int k = 0; k < 18; k++)
        most = fmax(most, fabs(p[k / 9].v[k / 3 % 3].x[k % 3]));
    double tolerance = 1e-6 * fmax(size[0], size[1]) + 1e-15 * most;
    for (int k = 0; k < 6; k++)
        if (!isfinite(point[k]))
            return 0;
    /* of slivers, and of planes nearly parallel, nothing is known well enough */
    const double *want = t->contact.point;
    return !clear || near_points(point, want, 0, tolerance) ||
           near_points(point, want, 3, tolerance);
}

static int same_numbers(const double *a, const double *b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (!(a[i] == b[i]))
            return 0;
    return 1;
}

/* Of solids all is exact; triangles have their own points, and no depth. */
static const char *solids_differ(const imp_frame *f, const truth_row *t, const result_rows *r,
                                 uint64_t i)
{
    exact_solids want;
    const exact_prim p = exact_prim_of(f, t->a), q = exact_prim_of(f, t->b);
    exact_prims_contact(&p, &q, &want);
    if (t->contact.kind == IMP_KIND_SOLIDS && !same_numbers(want.point, r->point + 6 * i, 6))
        return "has wrong points";
    if (!r->depth)
        return NULL;
    if (r->depth[i] != (t->contact.kind == IMP_KIND_SOLIDS ? want.depth : 0))
        return "has a wrong depth";
    uint64_t first = r->collision_first[i], count = r->collision_first[i + 1] - first;
    if (count != (uint64_t)want.count ||
        !same_numbers(want.collision[0].x, r->collision + 3 * first, 3 * count))
        return "has wrong collision points";
    return NULL;
}

/* ---- one frame */

static int differs(const check_state *s, uint64_t frame, int64_t a, int64_t b, const char *how)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s: frame %llu: pair %lld %lld %s", s->path,
                    (unsigned long long)frame, (long long)a, (long long)b, how);
}

/* Both lists are sorted by (a, b): one walk along both tells what is missing and what is too
 * much. */
static int row_order(const result_rows *r, uint64_t i, const truth_row *t)
{
    if (r->a[i] != t->a)
        return r->a[i] < t->a ? -1 : 1;
    return r->b[i] != t->b ? (r->b[i] < t->b ? -1 : 1) : 0;
}

/* A row that the truth does not have, or has otherwise. */
static int compare_row(check_state *s, uint64_t frame, const result_rows *r, uint64_t i,
                       const truth_row *t)
{
    const imp_frame *f = s->block.frame;
    int candidates = s->w.stage == IMP_STAGE_CANDIDATES;
    if (!t) {
        /* bounds are a little larger than exact boxes: candidates may be more, never fewer */
        s->extra += (uint64_t)candidates;
        return candidates ? IMP_OK : differs(s, frame, r->a[i], r->b[i], "does not meet");
    }
    if (r->kind[i] != (candidates ? IMP_KIND_CANDIDATE : t->contact.kind))
        return differs(s, frame, t->a, t->b, "is of another kind");
    const int32_t *object = f->mesh->object;
    if (r->object_a[i] != (object ? object[t->a] : 0) ||
        r->object_b[i] != (object ? object[t->b] : 0))
        return differs(s, frame, t->a, t->b, "has wrong objects");
    const int64_t *name = f->mesh->name;
    if (r->id_a && (!name || r->id_a[i] != name[t->a] || r->id_b[i] != name[t->b]))
        return differs(s, frame, t->a, t->b, "has wrong names");
    if (!candidates && t->contact.kind != IMP_KIND_SOLIDS && !points_agree(f, t, r->point + 6 * i))
        return differs(s, frame, t->a, t->b, "has wrong points");
    int solids = !candidates && (r->depth || t->contact.kind == IMP_KIND_SOLIDS);
    const char *wrong = solids ? solids_differ(f, t, r, i) : NULL;
    if (wrong)
        return differs(s, frame, t->a, t->b, wrong);
    s->pairs++;
    return IMP_OK;
}

static int compare_rows(check_state *s, uint64_t frame, const result_rows *r, const truth *t,
                        const uint8_t *wanted)
{
    int err = IMP_OK;
    size_t next = 0;
    /* rows come from a file: before they are used as indices they are looked at */
    int64_t n = s->block.frame->mesh->primitives;
    for (uint64_t i = 0; i < r->count; i++) {
        if (r->a[i] < 0 || r->a[i] >= r->b[i] || r->b[i] >= n)
            return differs(s, frame, r->a[i], r->b[i], "is not a pair of this frame");
        /* a sample asks for the pairs that its primitives are in */
        if (wanted && !wanted[r->a[i]] && !wanted[r->b[i]])
            continue;
        int order = next < t->count ? row_order(r, i, &t->row[next]) : -1;
        if (order > 0)
            return differs(s, frame, t->row[next].a, t->row[next].b, "is missing");
        TRY(compare_row(s, frame, r, i, order ? NULL : &t->row[next]));
        next += order == 0;
    }
    if (next < t->count)
        return differs(s, frame, t->row[next].a, t->row[next].b, "is missing");
out:
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
    TRY(mem_alloc(&s->w.mem, n, wanted));
    memset(*wanted, 0, n);
    for (uint64_t chosen = 0; chosen < s->o.sample;) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint8_t *w = &(*wanted)[(x >> 32) % n];
        chosen += !*w;
        *w = 1;
    }
out:
    return err;
}

static int check_frame(check_state *s, uint64_t k)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(s->r);
    uint64_t frame = (uint64_t)info->input_frame[k];
    uint8_t *wanted = NULL;
    truth t = {0};
    result_rows rows;
    if (info->input_frame[k] < 0 || frame >= s->w.info.frames)
        FAIL(IMP_ERR_DIFFERS, "%s: frame %llu is not in %s", s->path, (unsigned long long)frame,
             s->w.path);
    TRY(batch_read(s->w.in, frame, 1, 1, &s->block));
    TRY(choose_sample(s, &wanted));
    /* trees of other volumes than k-DOPs leave out candidates, none that meets */
    imp_def def = s->w.def;
    def.stage = *s->w.volume_was ? IMP_STAGE_CONTACTS : def.stage;
    TRY(truth_find(&s->w.mem, s->block.frame, &def, wanted, s->w.def.threads, &t));
    TRY(result_read(s->r, k, &rows));
    TRY(compare_rows(s, frame, &rows, &t, wanted));
    /* last: what was changed after it was written is better told as the pair that is wrong */
    if (result_checksum(&rows) != info->checksum[k])
        FAIL(IMP_ERR_DIFFERS, "%s: frame %llu: its rows have another checksum than when written",
             s->path, (unsigned long long)frame);
out:
    mem_free(&s->w.mem, wanted);
    truth_free(&s->w.mem, &t);
    return err;
}

/* ---- the verb */

static int open_both(check_state *s)
{
    int err = IMP_OK;
    uint64_t bytes, hash;
    char text[24];
    TRY(result_open(&s->w.mem, s->path, &s->r));
    const result_info *info = result_get_info(s->r);
    TRY(work_parse(s->path, info->options, &s->w, s->objects, sizeof s->objects));
    if (!info->complete)
        warn(&s->w.warnings, "%s: is not complete: only %s", s->path,
             counted(info->frames, "frame"));
    TRY(work_open(&s->w, s->o.input));
    /* the list that the result keeps, not the file, which may be another by now */
    s->w.def.object_pair = info->object_pair;
    s->w.def.object_pairs = info->object_pairs;
    s->w.def.object_pairs_exclude = s->w.pairs_list.exclude;
    s->w.def.threads = s->o.threads ? (int)s->o.threads : omp_get_max_threads();
    /* another input is no error: the pairs tell whether it matters */
    TRY(file_hash(s->o.input, &bytes, &hash));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    if ((bytes != info->input_bytes || strcmp(text, info->input_hash)) && !s->o.quiet)
        fprintf(stderr, "impinge: %s is not the file that the result was made from\n", s->o.input);
out:
    return err;
}

static int check_frames(check_state *s)
{
    int err = IMP_OK;
    /* of the result's frames, which --frames means here */
    work slice = {0};
    progress bar;
    TRY(work_slice(&slice, s->o.frames, result_get_info(s->r)->frames));
    progress_start(&bar, s->o.quiet ? PROGRESS_NEVER : (enum progress_when)s->o.progress, 0,
                   slice.count);
    for (uint64_t i = 0; i < slice.count && !err; i++) {
        err = check_frame(s, work_frame(&slice, i));
        progress_show(&bar, i + 1, s->pairs);
    }
    progress_clear(&bar);
    TRY(err);
    err = result_check_layout(s->r);
    if (err == IMP_ERR_INPUT) /* the result itself is what is looked at */
        err = imp_fail(IMP_ERR_DIFFERS, "%s", imp_error_text());
    TRY(err);
    if (!s->o.quiet) {
        printf("%s: %s in %s as they should be, none missing", s->path, counted(s->pairs, "pair"),
               counted(slice.count, "frame"));
        if (s->w.stage == IMP_STAGE_CANDIDATES)
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
    if (!count)
        return cli_usage_error(&verb_check, "a result is missing");
    if (!s.o.input)
        return cli_usage_error(&verb_check, "--input IN is missing");
    if (s.o.threads > 4096)
        return cli_usage_error(&verb_check, "--threads: too many");
    s.path = argv[0];
    s.w.warnings.quiet = s.o.quiet;
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
        "Every frame is computed again by other means than run has: all pairs of primitives, in "
        "exact arithmetic. The first pair that is missing, invented or described otherwise is "
        "named, with exit code 1.",
    .one = "result",
};
