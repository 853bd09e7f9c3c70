/* See check.h. Steps are checked one by one: the motion that follows from the poses and velocities
 * at the beginning, forces and velocity changes; that this motion leads to the poses at the end;
 * then the rows. */
#include "check.h"

#include "cli.h"
#include "error.h"
#include "machine.h"
#include "json.h"
#include "rigid_oracle.h"
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct simulated {
    const check_simulated_def *def;
    batch *in;
    batch_info info;
    batch_block block;
    matter matter;
    uint64_t *first; /* [steps + 1] first rows of velocity changes */
    double overlap;
    rigid_shapes shapes;
    uint8_t *wanted;
    rigid_found found;
} simulated;

/* ---- the files */

/* Returns the value of a numeric option of the result. */
static double option_of(const char *options, const char *name)
{
    const char *at = strstr(options, name);
    return at ? strtod(at + strlen(name), NULL) : 0;
}

static int check_simulated_input(const simulated *s)
{
    int err = IMP_OK;
    uint64_t bytes, hash;
    char text[24];
    const result_info *info = result_get_info(s->def->result);
    TRY(file_hash(s->def->input, &bytes, &hash));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    if (info->complete && (bytes != info->input_bytes || strcmp(text, info->input_hash) != 0))
        warnings_add(s->def->warnings, "%s: is not the file that was written beside the result",
                     s->def->input);
out:
    return err;
}

static int check_simulated_options(const simulated *s)
{
    const result_info *info = result_get_info(s->def->result);
    const double step = option_of(info->options, " step="),
                 epsilon = option_of(info->options, " epsilon=");
    if (step != s->matter.step || epsilon != s->matter.epsilon)
        return imp_fail(IMP_ERR_DIFFERS,
                        "%s: /impinge: options: step and epsilon are not those of %s", s->def->path,
                        s->def->input);
    if (s->info.frames <= info->frames)
        return imp_fail(IMP_ERR_DIFFERS, "%s: has %s, and %s only %s", s->def->path,
                        cli_count_text(info->frames, "step"), s->def->input,
                        cli_count_text(s->info.frames, "frame"));
    return IMP_OK;
}

/* Opens the batch. Steps are computed from poses alone and all frames share one mesh, so one frame
 * is read. */
static int check_simulated_open_batch(simulated *s)
{
    int err = IMP_OK;
    mem *m = s->def->mem;
    TRY(batch_open(m, s->def->input, BATCH_OBJECT_ID, NULL, &s->in));
    batch_get_info(s->in, &s->info);
    if (!s->info.bodies || !s->info.static_topology)
        FAIL(IMP_ERR_INPUT, "%s: is no batch of 'impinge pcs'", s->def->input);
    TRY(batch_read_matter(s->in, &s->matter));
    TRY(check_simulated_options(s));
    TRY(batch_find_changes(s->in, s->info.frames - 1, &s->first, &s->overlap));
    TRY(batch_read(s->in, 0, 1, 1, &s->block));
    TRY(rigid_shapes_make(m, s->block.frame->mesh, &s->shapes));
    TRY(check_provenance_names(batch_get_names(s->in), s->def->path,
                               result_get_info(s->def->result)));
out:
    return err;
}

/* ---- a step */

static int check_simulated_differ(const char *what)
{
    return imp_fail(IMP_ERR_DIFFERS, "%s", what);
}

/* Checks the step's row of the tables. */
static int check_step_tables(const simulated *s, uint64_t k, const result_rows *rows)
{
    const result_frames *of = &result_get_info(s->def->result)->of;
    if (of->input_frame[k] != (int64_t)k)
        return check_simulated_differ("input_frame is another one");
    if (of->time[k] != batch_frame_time(s->in, k))
        return check_simulated_differ("has another time than the frame");
    if (of->contacts[k] != (int64_t)rows->count)
        return check_simulated_differ("has another number of contacts than rows");
    if (of->bad[k] || of->entries_written[k] || of->undecided[k])
        return check_simulated_differ("bad, touched or undecided is not 0");
    return IMP_OK;
}

/* Checks the columns that follow from the toi and the primitives. */
static int check_derived(const simulated *s, uint64_t k, const result_rows *rows)
{
    const imp_mesh *m = s->block.frame->mesh;
    const result_step of = {.mesh = m,
                            .number = k,
                            .time = batch_frame_time(s->in, k),
                            .next = batch_frame_time(s->in, k + 1)};
    for (uint64_t i = 0; i < rows->count; i++) {
        const int64_t a = rows->a[i], b = rows->b[i];
        if (a < 0 || b < 0 || a >= m->primitives || b >= m->primitives)
            return check_simulated_differ("a primitive that the batch lacks");
        if (rows->object_a[i] != m->object[a] || rows->object_b[i] != m->object[b])
            return check_simulated_differ("an object is not that of its primitive");
        if (rows->time[i] != result_time(&of, rows->toi[i]))
            return check_simulated_differ("Time does not follow from Share");
    }
    return IMP_OK;
}

static void check_simulated_read_claims(const simulated *s, const result_rows *rows,
                                        rigid_claim *to)
{
    for (uint64_t i = 0; i < rows->count; i++)
        to[i] = (rigid_claim){.time = rows->toi[i] * s->matter.step,
                              .a = (uint32_t)rows->a[i],
                              .b = (uint32_t)rows->b[i],
                              .kind = rows->kind[i],
                              .feature = {rows->feature_a[i], rows->feature_b[i]},
                              .point = rows->points + 6 * i};
}

static int check_simulated_rows(simulated *s, uint64_t k, const rigid_motion *motion)
{
    int err = IMP_OK;
    rigid_claim *claim = NULL;
    result_rows rows;
    TRY(result_read(s->def->result, k, &rows));
    TRY(check_step_tables(s, k, &rows));
    TRY(check_derived(s, k, &rows));
    TRY(mem_alloc(s->def->mem, (size_t)rows.count * sizeof *claim, &claim));
    check_simulated_read_claims(s, &rows, claim);
    const rigid_step step = {.shapes = &s->shapes,
                             .motion = motion,
                             .mesh = s->block.frame->mesh,
                             .matter = &s->matter,
                             .epsilon = s->matter.epsilon,
                             .overlap = s->overlap,
                             .wanted = s->wanted,
                             .claim = claim,
                             .claims = (size_t)rows.count,
                             .threads = s->def->threads};
    TRY(truth_rigid_check(s->def->mem, &step, &s->found));
    if (result_checksum(&rows) != result_get_info(s->def->result)->of.checksum[k])
        err = check_simulated_differ("its rows have another checksum than when written");
out:
    mem_free(s->def->mem, claim);
    return err;
}

static int check_simulated_step(simulated *s, uint64_t k)
{
    int err = IMP_OK;
    velocity_change *change = NULL;
    rigid_motion motion = {0};
    const uint64_t rows = s->first[k + 1] - s->first[k];
    TRY(batch_read(s->in, k, 1, 2, &s->block));
    TRY(batch_read_changes(s->in, s->first[k], rows, &change));
    const rigid_frame f = {.shapes = &s->shapes,
                           .matter = &s->matter,
                           .number = k,
                           .step = s->matter.step,
                           .from = s->block.frame[0].pose,
                           .to = s->block.frame[1].pose,
                           .change = change,
                           .changes = (size_t)rows};
    TRY(rigid_motion_make(s->def->mem, &f, s->block.frame->mesh->body, &motion));
    TRY(check_simulated_rows(s, k, &motion));
out:
    rigid_motion_free(&motion);
    mem_free(s->def->mem, change);
    if (err == IMP_ERR_DIFFERS) {
        char text[400];
        snprintf(text, sizeof text, "%s", imp_error_text());
        err = imp_fail(IMP_ERR_DIFFERS, "%s: step from frame %llu: %s", s->def->path,
                       (unsigned long long)k, text);
    }
    return err;
}

/* ---- the whole check */

static void check_simulated_report(const simulated *s, uint64_t steps)
{
    printf("%s: %s in %s are correct, none missing", cli_shown(s->def->path),
           cli_count_text(s->found.claims, "contact"), cli_count_text(steps, "step"));
    if (s->wanted)
        printf(", those of %s", cli_count_text(s->def->sample, "object"));
    printf("\n");
    if (s->found.sampled)
        printf("of %s of a pair between contacts %s were proven by a bound of its speed, others "
               "sampled\n",
               cli_count_text(s->found.proven + s->found.sampled, "interval"),
               cli_number_text(s->found.proven));
    printf("greatest overlap %.3g (%.3g epsilon)", s->found.deepest,
           s->found.deepest / s->matter.epsilon);
    if (s->found.unmeasured)
        printf("; not measured at %s of bodies that are not convex",
               cli_count_text(s->found.unmeasured, "contact"));
    printf("\nnot compared: candidates, and velocities after contacts\n");
}

static int check_simulated_all_steps(simulated *s)
{
    int err = IMP_OK;
    frame_slice slice;
    progress bar;
    TRY(frame_slice_select(s->def->frames, result_get_info(s->def->result)->frames, &slice));
    progress_start(&bar, s->def->quiet, s->def->progress, "step", 0, slice.count);
    for (uint64_t i = 0; i < slice.count && !err; i++) {
        err = check_simulated_step(s, frame_slice_at(&slice, i));
        progress_show(&bar, i + 1, s->found.claims);
    }
    progress_clear(&bar);
    TRY(err);
    err = result_check_layout(s->def->result);
    if (err == IMP_ERR_INPUT) /* the result itself is being checked */
        err = imp_fail(IMP_ERR_DIFFERS, "%s", imp_error_text());
    TRY(err);
    if (!s->def->quiet)
        check_simulated_report(s, slice.count);
out:
    return err;
}

int check_simulated(const check_simulated_def *def)
{
    int err = IMP_OK;
    simulated s = {.def = def};
    const result_info *info = result_get_info(def->result);
    if (!info->complete)
        warnings_add(def->warnings, "%s: is not complete: only %s", def->path,
                     cli_count_text(info->frames, "step"));
    TRY(check_simulated_input(&s));
    TRY(check_simulated_open_batch(&s));
    TRY(check_sample(def->mem, s.shapes.bodies, def->sample, &s.wanted));
    TRY(check_simulated_all_steps(&s));
out:
    batch_block_free(&s.block);
    rigid_shapes_free(&s.shapes);
    matter_free(&s.matter);
    mem_free(def->mem, s.first);
    mem_free(def->mem, s.wanted);
    if (s.in)
        batch_close(s.in);
    return err;
}
