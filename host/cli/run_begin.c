/* See run.h: the files that are read and written, and the frames that an earlier run has done. */
#include "run.h"

#include "clock.h"
#include "error.h"
#include "output_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Inputs of the command must not be written. */
static int run_begin_claim_files(run_state *s)
{
    int err = job_claim(&s->o.job, &s->outputs);
    return err ? err : outputs_grows(&s->outputs, "-o", s->o.out);
}

/* Is `now` the file that an earlier run wrote? */
static int same_file(const char *recorded, const char *now)
{
    char *name = NULL;
    int same = *recorded && !file_path_absolute(now, &name) && !strcmp(name, recorded);
    free(name);
    return same;
}

/* The run that wrote the existing result may have been killed while it wrote them. */
static void clear_texts(const result_info *old)
{
    const char *const text[] = {old->collide_txt, old->csv, old->counts, old->json};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (*text[i])
            output_part_remove_stale(text[i]);
}

/* The texts beside OUT. Those of the run that wrote the existing result are written again. */
static int claim_texts(run_state *s, const result_info *old)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    int again = old && o->collide_txt && same_file(old->collide_txt, o->collide_txt);
    if (o->collide_txt)
        TRY(outputs_text(&s->outputs, "--collide-txt", o->collide_txt, o->force || again,
                         &s->collide_txt));
    again = old && o->csv && same_file(old->csv, o->csv);
    if (o->csv)
        TRY(outputs_text(&s->outputs, "--csv", o->csv, o->force || again, &s->csv));
    again = old && o->counts && same_file(old->counts, o->counts);
    if (o->counts) {
        TRY(store_path_check(o->counts, o->force || again));
        TRY(outputs_hdf5(&s->outputs, "--counts", o->counts, o->force || again, &s->counts));
    }
    again = old && o->json && same_file(old->json, o->json);
    TRY(outputs_json(&s->outputs, o->json, o->force || again, &s->json));
    if (old)
        clear_texts(old);
out:
    return err;
}

/* Everything a later --resume or check needs to recognise this run. */
static int run_begin_make_provenance(run_state *s, result_provenance *out)
{
    run_options *o = &s->o;
    *out =
        (result_provenance){.command = s->command,
                            .options = s->normal,
                            .input = o->job.path,
                            .input_bytes = s->hash.pieces.bytes,
                            .pieces = o->job.shard.count ? &s->hash.pieces : NULL,
                            .input_tables = o->job.shard.count ? batch_tables_hash(o->job.in) : 0,
                            .units = o->job.partition.has_units,
                            .frames = {o->job.in, o->job.slice.first, o->job.slice.step,
                                       o->job.partition.slabs, o->job.partition.first},
                            .object_pair = o->job.def.object_pair,
                            .object_pairs = o->job.def.object_pairs,
                            .names = job_object_names(&o->job),
                            .def = &o->job.def,
                            .source_ids = o->job.info.source_ids};
    return job_normal_form(&o->job, s->normal, sizeof s->normal);
}

/* Waits for the hash. */
static int put_hash(run_state *s, result_provenance *provenance)
{
    int err = input_hash_end(&s->hash);
    if (!err)
        provenance->input_hash = file_pieces_sum(s->hash.pieces.piece, s->hash.pieces.count);
    return err;
}

/* An earlier run has computed all frames. */
static int all_done(run_state *s)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    s->found = s->done = s->o.job.steps;
    TRY(result_open(&s->o.job.mem.read, s->o.out, &r));
    TRY(claim_texts(s, result_get_info(r)));
    if (!s->o.quiet && !access(s->part, F_OK))
        cli_line(stderr, "impinge: %s is complete; %s belongs to another run", s->o.out, s->part);
out:
    result_close(r);
    return err;
}

/* Texts are made of whole frames, of which a shard of slabs has parts. */
static int run_begin_check_texts(const run_options *o)
{
    const char *text = o->collide_txt ? "--collide-txt"
                       : o->csv       ? "--csv"
                       : o->counts    ? "--counts"
                                      : NULL;
    if (!o->slabs || !o->shard || !text)
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT, "%s: a shard of slabs has parts of frames only", text);
}

/* The order matters: the cheapest refusals come first, and the hash, which reads all of the input,
 * late. */
int run_prepare(run_state *s, result_provenance *provenance, int *complete)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    double start = clock_seconds();
    /* before the input is opened: the quickest answer if OUT exists */
    if (!o->resume)
        TRY(store_path_check(o->out, o->force));
    TRY(run_begin_check_texts(o));
    o->job.partition.slabs = o->slabs;
    if (o->shard)
        TRY(job_shard_parse(o->shard, &o->job.shard));
    TRY(job_open(&o->job));
    TRY(run_begin_claim_files(s));
    TRY(store_part_name(o->out, &s->part));
    /* before the hash: changes while it is computed are found as well */
    TRY(file_signatures_read(o->job.path, &s->input_signatures));
    /* each shard reads its share of the bytes, so that all of them together read the input once */
    TRY(input_hash_begin(&s->hash, o->job.path, o->job.shard.index,
                         o->job.shard.count ? o->job.shard.count : 1));
    TRY(run_begin_make_provenance(s, provenance));
    /* with --resume only: otherwise an existing result was refused above, or will be replaced */
    if (o->resume)
        TRY(put_hash(s, provenance));
    s->seconds[STAGE_LOAD] += clock_seconds() - start;
    int done = o->resume ? result_is_done(&o->job.mem.read, o->out, provenance) : 0;
    if (done < 0 && !(done == IMP_ERR_EXISTS && o->force))
        TRY(done);
    *complete = done > 0;
    TRY(*complete ? all_done(s) : claim_texts(s, NULL));
    provenance->collide_txt = s->collide_txt.absolute;
    provenance->csv = s->csv.absolute;
    provenance->counts = s->counts.absolute;
    provenance->json = s->json.absolute;
    if (o->job.partition.slabs && !o->job.shard.count && !*complete)
        TRY(run_space_begin(s, provenance));
out:
    return err;
}

/* A resumed run continues after the frames found in OUT.part. */
int run_open_result(run_state *s, result_provenance *provenance)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    const double start = clock_seconds();
    TRY(put_hash(s, provenance));
    s->seconds[STAGE_LOAD] += clock_seconds() - start;
    provenance->device = devices_names(&s->p);
    uint64_t limit =
        o->job.mem.write
            .limit; /* the pipeline's memory is still free: reading an old result may use it */
    o->job.mem.write.limit += o->job.def.mem_limit;
    const char *out = s->slabs.path ? s->slabs.path : o->out;
    err = o->resume ? result_resume(&o->job.mem.write, out, o->force, provenance, &s->r, &s->found)
                    : result_create(&o->job.mem.write, out, o->force, provenance, &s->r);
    o->job.mem.write.limit = limit;
    atomic_store(&o->job.mem.write.peak, atomic_load(&o->job.mem.write.now));
    TRY(err);
    if (s->found > o->job.steps)
        FAIL(IMP_ERR_INPUT, "%s: has more %ss than are selected; cannot be resumed", s->part,
             job_step_noun(&o->job));
    s->done = s->found;
out:
    return err;
}
