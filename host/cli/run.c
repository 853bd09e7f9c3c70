/* impinge run: the main job. */
#include "run.h"

#include "cache.h"
#include "cli.h"
#include "clock.h"
#include "error.h"
#include "info.h"
#include "event_find.h"
#include "exports.h"
#include "machine.h"
#include "output_file.h"
#include "signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {CLI_OUTPUT(run_options, "OUT", "the result to write"), .needed = 1},
    {"collide-txt", 0, CLI_TEXT, offsetof(run_options, collide_txt), "FILE",
     "also write contacts as text: one line each, for solids with all collision points"},
    {"csv", 0, CLI_TEXT, offsetof(run_options, csv), "FILE",
     "also write a table as CSV: a row for each frame and pair of objects, of their contacts, or "
     "of what --inside or --thickness find",
     "Also write a table as CSV, from OUT when it is complete: one row for each frame and pair of "
     "objects that has contacts, with the time of the frame, the number of contacts, their "
     "greatest depth (empty for PolyData), the names of the objects, and with --distance the least "
     "distance. With --inside: one row for each frame and two objects that are not apart, with "
     "their "
     "relation, vertices inside, and the deepest one. With --thickness: the pairs, those that "
     "cross, "
     "the deepest penetration and the least distance."},
    {"counts", 0, CLI_TEXT, offsetof(run_options, counts), "FILE",
     "also write the number of contacts of each primitive on the input's mesh, for ParaView",
     "Also write the number of contacts of each primitive as VTKHDF, on the mesh of the input: "
     "colored by the cell array Contacts, ParaView shows where contacts are; with --distance also "
     "by LeastDistance, the distance to the nearest other primitive, and with --inside by Depth, "
     "of points and cells. Points and cells are "
     "not copied: FILE has links to the input, relative to its own folder. Move both together."},
    {"contours", 0, CLI_TEXT, offsetof(run_options, contours), "FILE",
     "also write the curves along which triangles meet, as polylines, for ParaView",
     "Also write, as VTKHDF, the curves along which triangles meet, in each frame as polylines: "
     "segments of contacts, joined where their ends have the same features (EndFeatures, which "
     "--end-features adds to OUT), never by distance. Borders of overlaps in one plane are curves, "
     "too. Cell arrays: Contour (a number), Closed, Length, ObjectA, ObjectB. Contacts with "
     "tetrahedra have none."},
    {"regions", 0, CLI_TEXT, offsetof(run_options, regions), "FILE",
     "also write the parts into which these curves cut surfaces, on the input's mesh, for ParaView",
     "Also write, as VTKHDF on the mesh of the input, the regions into which the curves of "
     "--contours cut the surface of each object: of each surface the smaller side, which is what "
     "is "
     "through the other object. Colored by the cell array RegionArea, the area of a cell's whole "
     "region, ParaView shows where much is through; Region has its number in the frame, "
     "RegionShare "
     "the part of the cell that lies in it. Field data lists the regions with objects, faces, "
     "vertices and areas. OUT has EndFeatures then. As with --counts, FILE has links to the input: "
     "move both together."},
    {"shard", 0, CLI_TEXT, offsetof(run_options, shard), "i/n|auto",
     "one of n shares of the frames, i from 0 on, for n tasks; 'impinge merge' joins their results",
     "Computes one of n shares of the selected frames, i from 0 to n - 1: frames in a row, shared "
     "out by their primitives, the same ones in every task. With auto the task's number comes from "
     "its launcher: a job array of Slurm, srun, mpirun. 'impinge merge' joins the results. A share "
     "without a frame is an empty result."},
    {"space", 0, CLI_SOME, offsetof(run_options, slabs), "K",
     "computes each frame in K slabs, one after another or with --shard one a task: for frames "
     "that "
     "are too large for the memory",
     "Computes each frame in K slabs of about as many primitives, one after another within "
     "--mem-limit, or with --shard as units that are shared out like frames. No task holds a "
     "frame: "
     "each reads it block by block. The result is the same. Contacts of slabs are written to "
     "OUT.slabs and then sorted into OUT; with --shard 'impinge merge' does that. With "
     "--continuous, numbers of features that come near are not counted. With --inside slabs "
     "consist of whole objects, and of all objects of later slabs whose boxes overlap theirs, "
     "those that overlap much last: at worst memory for an object and all that overlap it is "
     "needed.",
     .high = PARTITION_SLABS_MOST},
    {"resume", 0, CLI_FLAG, offsetof(run_options, resume), NULL,
     "continue after the last frame of OUT.part, or start if it does not exist; exit with 0 if OUT "
     "is complete",
     "Continue after the last finished frame of OUT.part, or start if it does not exist; if OUT is "
     "complete, only write again the other files that the same command writes. So one command "
     "serves a job "
     "script from start to end. Another input, other options or a damaged file are refused."},
    {CLI_FORCE(run_options,
               "replace OUT, OUT.part, OUT.slabs and the files of --collide-txt, --csv, --counts, "
               "--contours, --regions and --json")},
    {CLI_JSON(run_options, "a summary as JSON (default: to stdout, and nothing else there)")},
    {CLI_PROGRESS(run_options)},
    {CLI_QUIET(run_options)},
    {"verbose", 'v', CLI_FLAG, offsetof(run_options, verbose), NULL, "report each step on stderr",
     "Report on stderr what is done: the device and the broad phase; of each block whether it was "
     "computed in full, and why, or incrementally, and how many primitives were kept; candidates, "
     "and how many of them needed exact arithmetic; seconds."},
    {"fail-on-collision", 0, CLI_FLAG, offsetof(run_options, fail_on_collision), NULL,
     "exit with 10 if there is a contact, with --distance a pair that is reported, or with "
     "--inside "
     "two objects that are not apart"},
    {0},
};

/* Closes OUT.part. After exits 2, 3 and 4 nothing that this run created stays. A stopped run keeps
 * its committed frames, and so does a run that ran out of disk or memory. */
static int run_close_result(run_state *s, int err)
{
    int code = imp_exit_code(err);
    if (!s->r)
        return err;
    if (!err)
        return result_finish(s->r);
    if (code >= 2 && code <= 4 && !s->found) {
        result_discard(s->r);
        return err;
    }
    if (err == IMP_ERR_CANCELLED) {
        int kept = result_commit(s->r) == IMP_OK;
        imp_fail(err, "%s: stopped by a signal after %llu of %llu %ss%s", s->part,
                 (unsigned long long)s->done, (unsigned long long)s->o.job.steps,
                 job_step_noun(&s->o.job),
                 kept ? "; --resume continues from there" : "; the last of them are lost");
    }
    result_leave(s->r);
    return err;
}

/* ---- the verb */

static void say_how(const run_state *s)
{
    const run_options *o = &s->o;
    fprintf(stderr, "impinge: %s, broad phase %s, %s at a time\n", cli_shown(devices_names(&s->p)),
            devices_broad_name(&s->p),
            cli_count_text(job_block_steps(&o->job, &s->p), job_step_noun(&o->job)));
    if (o->job.given.threads > (uint64_t)processors_own())
        fprintf(stderr,
                "impinge: --threads %llu: there are %d processors for this process, and as "
                "many threads work\n",
                (unsigned long long)o->job.given.threads, processors_own());
    if (cache_refused())
        cli_line(stderr, "impinge: %s: is not used: it is not a file or folder of this user alone",
                 cache_refused());
}

/* Nothing is written before the input, the options and the device are known to be good. */
static int run_whole(run_state *s)
{
    int err = IMP_OK, complete = 0;
    run_options *o = &s->o;
    result_provenance provenance = {0};
    TRY(run_prepare(s, &provenance, &complete));
    if (complete || s->slabs.complete)
        goto out;
    TRY(job_baseline_read(&o->job));
    o->job.def.relations = o->job.def.inside ? run_relations : NULL;
    TRY(job_open_devices(&o->job, &s->p));
    if (o->verbose)
        say_how(s);
    /* from now on a signal ends the run after a committed frame, not at once */
    signals_watch(s->p.p);
    TRY(run_open_result(s, &provenance));
    TRY(run_blocks(s));
out:
    err = run_close_result(s, err);
    if (!err && s->slabs.path)
        err = run_space_join(s, &provenance);
    else if (!err && !o->job.shard.count)
        run_space_drop(s, &provenance);
    return err;
}

/* Called after the pipelines are closed: they have a pointer to the job, for its log. */
static void run_free(run_state *s)
{
    text_output_free(&s->collide_txt);
    text_output_free(&s->csv);
    text_output_free(&s->counts);
    text_output_free(&s->contours);
    text_output_free(&s->regions);
    text_output_free(&s->json);
    outputs_free(&s->outputs);
    file_signatures_free(&s->input_signatures);
    relation_sums_free(&s->relations);
    input_hash_free(&s->hash);
    free(s->part);
    free(s->slabs.path);
    job_close(&s->o.job);
}

static int run_verb(int argc, char **argv)
{
    run_state s = {0};
    int count;
    cli_command_line(argc, argv, s.command, sizeof s.command);
    int code = cli_parse(&verb_run, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    job_begin(&s.o.job, argv[0], s.o.json || !s.o.quiet);
    if (s.o.regions)
        s.o.job.given.end_features = JOB_END_FEATURES_REGIONS;
    if (s.o.contours)
        s.o.job.given.end_features = JOB_END_FEATURES_CONTOURS;
    s.o.job.warns_unwelded = 1;
    s.o.verbose &= !s.o.quiet;
    double start = clock_seconds();
    signals_watch(NULL);
    int err = run_whole(&s);
    s.seconds[STAGE_TOTAL] = clock_seconds() - start;
    if (!err)
        err = run_finish(&s);
    /* before the pipelines are destroyed: a signal handler may use them */
    int number = signals_came();
    signals_end();
    /* 10 is an exit code, not an error with a text */
    code = err == 10 ? 10 : err ? cli_fail(err) : 0;
    devices_close(&s.p);
    run_free(&s);
    return err == IMP_ERR_CANCELLED && number ? 128 + number : code;
}

const cli_verb verb_run = {
    .name = "run",
    .usage = "IN.vtkhdf -o OUT.vtkhdf [options]",
    .text = "finds all contacts in every frame of a batch",
    .options = options,
    .more = job_option_list,
    .examples = "  impinge run cloth.vtkhdf -o contacts.vtkhdf\n"
                "  impinge run cloth.vtkhdf -o contacts.vtkhdf --device opencl --frames 100:200\n"
                "  impinge run s.vtkhdf -o c.vtkhdf --pairs between --json --fail-on-collision\n",
    .run = run_verb,
    .about =
        "While it runs it writes OUT.part and renames it to OUT after the last frame. SIGINT, "
        "SIGTERM "
        "and SIGHUP (unless ignored, as by nohup) end it after its last committed frame; --resume "
        "continues from there. Memory holds a few blocks of frames, not the file.\n\n"
        "Besides pairs and points a result holds the command and the hash of its input; 'impinge "
        "info' shows them.",
    .least = "an input is missing",
    .one = "input",
};

/* ---- See run.h: the files read and written, and the frames that an earlier run has done. */

/* Claims the inputs, so that no output replaces them, and OUT. */
static int run_begin_claim_files(run_state *s)
{
    int err = job_claim(&s->o.job, &s->outputs);
    return err ? err : outputs_grows(&s->outputs, "-o", s->o.out);
}

/* True if `now` is the file that an earlier run wrote. */
static int same_file(const char *recorded, const char *now)
{
    char *name = NULL;
    int same = *recorded && !file_path_absolute(now, &name) && !strcmp(name, recorded);
    free(name);
    return same;
}

/* The run that wrote the existing result may have been killed while it wrote its texts. */
static void clear_texts(const result_info *old)
{
    const char *const text[] = {old->collide_txt, old->csv,     old->counts,
                                old->contours,    old->regions, old->json};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (*text[i])
            output_part_remove_stale(text[i]);
}

/* Claims an HDF5 file beside OUT, if it is asked for. recorded: that of the existing result, or
 * NULL. */
static int claim_hdf5(run_state *s, const char *option, const char *path, const char *recorded,
                      text_output *out)
{
    int err = IMP_OK;
    if (!path)
        return IMP_OK;
    const int replace = s->o.force || (recorded && same_file(recorded, path));
    TRY(store_path_check(path, replace));
    TRY(outputs_hdf5(&s->outputs, option, path, replace, out));
out:
    return err;
}

/* Claims the texts beside OUT. Those of the run that wrote the existing result may be written
 * again. */
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
    TRY(claim_hdf5(s, "--counts", o->counts, old ? old->counts : NULL, &s->counts));
    TRY(claim_hdf5(s, "--contours", o->contours, old ? old->contours : NULL, &s->contours));
    TRY(claim_hdf5(s, "--regions", o->regions, old ? old->regions : NULL, &s->regions));
    again = old && o->json && same_file(old->json, o->json);
    TRY(outputs_json(&s->outputs, o->json, o->force || again, &s->json));
    if (old)
        clear_texts(old);
out:
    return err;
}

/* Collects everything that a later --resume or check needs to recognise this run. */
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
                            .thickness = &o->job.thickness.of,
                            .inside_object = o->job.inside.object,
                            .inside_objects = o->job.inside.count,
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

/* Handles a result whose frames were all computed by an earlier run. */
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

/* Texts describe whole frames, of which a shard of slabs has only parts. */
static int run_begin_check_texts(const run_options *o)
{
    const char *text = o->collide_txt ? "--collide-txt"
                       : o->csv       ? "--csv"
                       : o->counts    ? "--counts"
                       : o->contours  ? "--contours"
                       : o->regions   ? "--regions"
                                      : NULL;
    if (!o->slabs || !o->shard || !text)
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT, "%s: a shard of slabs has parts of frames only", text);
}

/* The order matters: the cheapest checks are first, and the hash, which reads the whole input, is
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
    /* each shard reads its share of the bytes: all shards together read the input once */
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
    provenance->contours = s->contours.absolute;
    provenance->regions = s->regions.absolute;
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

/* ---- See run.h: sums over all frames, for the user and for scripts. */

/* Sums the contacts of frames from an earlier run, which this run has not seen. */
static int run_end_sum_earlier(run_state *s, result_reader *r)
{
    int err = IMP_OK;
    /* for the count of objects, and for the warning that there is only one */
    const result_info *i = result_get_info(r);
    /* contacts of slabs were not summed when they were found */
    const uint64_t found = s->o.job.partition.slabs ? i->frames : s->found;
    const int sums = s->o.job.wants_sums;
    const int wanted = sums || s->o.job.given.pairs == IMP_PAIRS_BETWEEN;
    /* objects were already counted when the frames were cut */
    if (wanted && !(s->o.job.partition.slabs && s->p.count))
        TRY(job_count_objects(&s->o.job, i->units.slabs ? s->o.job.slice.count : found));
    for (uint64_t f = 0; f < found && sums; f++) {
        result_rows rows;
        const uint64_t step = i->units.slabs ? (i->units.first + f) / i->units.slabs : f;
        TRY(result_read(r, f, &rows));
        contact_sums_add_rows(&s->o.job.sums, &rows, step, (uint64_t)i->of.input_frame[f]);
    }
    tally_merge(&s->o.job.sums.pairs);
out:
    return err;
}

/* True if every primitive of a frame was left out. Uses the input's tables: no frame is read
 * again. */
static int all_bad(const job *w, uint64_t f, uint64_t bad)
{
    uint64_t verts, prims;
    batch_frame_size(w->in, f, &verts, &prims);
    return bad > 0 && bad == prims;
}

#define RUN_END_PAIRS 10 /* most lines about pairs of objects */

/* Advice is given only where it helps: to weld, where neighbours have edges at the same points. */
static void run_end_none_closed(job *w)
{
    char text[300] = "";
    const char *objects = w->given.objects;
    if (info_unwelded(&w->mem.read, w->path, 0, text, sizeof text) != IMP_OK)
        *text = 0;
    if (!*text && objects && !strncmp(objects, "array:", 6) && strcmp(objects + 6, "ObjectId"))
        snprintf(text, sizeof text,
                 "if it is the skin of solids, impinge convert --skin --objects %.100s makes a "
                 "closed one of each object",
                 objects);
    warnings_add(&w->warnings, "%s: --inside: no object is closed%s%s", w->path, *text ? "; " : "",
                 text);
}

/* Sums the relations; an answer may be empty since no object is closed. */
static int run_end_sum_relations(run_state *s, result_reader *r, summary *out)
{
    int err = IMP_OK;
    job *w = &s->o.job;
    if (!result_get_info(r)->relations)
        return IMP_OK;
    s->relations.mem = &w->mem.read;
    TRY(relation_sums_add(&s->relations, r));
    out->relations = &s->relations;
    if (s->relations.open)
        warnings_add(&w->warnings, "%s: --inside-open skip: %s of the list %s not closed, and %s",
                     w->path, cli_count_text((uint64_t)s->relations.open, "object"),
                     s->relations.open == 1 ? "is" : "are",
                     s->relations.open == 1 ? "is no solid" : "are no solids");
    if (!s->relations.closed && !s->relations.slabs && s->relations.frames && !w->inside.count &&
        out->primitives)
        run_end_none_closed(w);
out:
    return err;
}

/* Pairs within a distance may be many times those that touch: their events are left to
 * `impinge events`. */
static int run_end_count_events(run_state *s, result_reader *r, summary *out)
{
    job *w = &s->o.job;
    event_chain *e = NULL;
    event_finder finder = {
        .mem = &w->mem.read, .path = s->o.out, .input = w->path, .r = r, .in = w->in, .counts = 1};
    if (event_find_refusal(r) || result_get_info(r)->distances)
        return IMP_OK;
    const int err = event_find(&finder, &e);
    if (err == IMP_ERR_MEMORY) {
        warnings_add(&w->warnings, "events are not counted: they need more than --mem-limit; "
                                   "impinge events lists them");
        return IMP_OK;
    }
    out->events_known = !err;
    out->events = e ? events_count(e) : 0;
    events_close(e);
    return err;
}

/* Sums over all frames of the result, including those of an interrupted run that was resumed. */
static int sum_up(run_state *s, result_reader *r, summary *out)
{
    int err = IMP_OK;
    uint64_t bad_frames = 0;
    const result_info *i = result_get_info(r);
    *out = summary_begin(&s->o.job, &s->p);
    /* if an earlier run did everything, its device is shown */
    out->device = s->p.count ? out->device : i->device;
    out->total = frame_sums_of(i);
    TRY(run_end_sum_earlier(s, r));
    out->first = s->o.job.sums.all;
    /* after the objects of earlier frames were counted */
    out->objects = s->o.job.object_count;
    for (uint64_t f = 0; f < i->frames; f++)
        bad_frames +=
            (uint64_t)all_bad(&s->o.job, (uint64_t)i->of.input_frame[f], (uint64_t)i->of.bad[f]);
    job_warn_last(&s->o.job, out->total.bad, bad_frames);
    if (out->total.contacts_max)
        out->most_frame = (uint64_t)i->of.input_frame[out->total.contacts_frame];
    TRY(run_end_sum_relations(s, r, out));
    const double start = clock_seconds();
    if (s->o.job.wants_sums)
        TRY(run_end_count_events(s, r, out));
    s->seconds[STAGE_EVENTS] = clock_seconds() - start;
out:
    return err;
}

static int run_end_print_json(run_state *s, const summary *sum)
{
    int err = IMP_OK;
    json j;
    TRY(json_begin(&j, &s->json));
    summary_json(&j, sum);
    json_text(&j, "output", s->o.out);
    if (s->o.job.partition.slabs) {
        json_count(&j, "slabs", s->o.job.partition.slabs);
        json_count(&j, "slab_primitives", s->o.job.partition.primitives);
    }
    json_open(&j, "seconds", '{');
    for (int r = 0; r < STAGE_DETECT; r++)
        json_real(&j, stage_names[r], s->seconds[r]);
    json_close(&j, '}');
    TRY(json_end(&j, &s->json));
out:
    return err;
}

static void run_end_print_contacts(const run_state *s, const summary *sum)
{
    const frame_sums *t = &sum->total;
    const job *w = &s->o.job;
    const char *in = sum->continuous ? "in the step from frame" : "in frame";
    char limit[CLI_TEXT_MOST];
    printf("%s%s", cli_count_text(t->contacts, job_row_noun(w)), job_row_limit(w, limit));
    if (t->contact_frames == 1)
        printf(" %s %s", in, cli_number_text(sum->most_frame));
    else if (t->contact_frames)
        printf(" in %s of %s, %s to %s; at most %s, %s %s", cli_number_text(t->contact_frames),
               cli_count_text(sum->frames, job_step_noun(w)),
               cli_number_text(sum->first.begin.frame), cli_number_text(sum->first.end.frame),
               cli_number_text(t->contacts_max), in, cli_number_text(sum->most_frame));
    printf("\n");
}

/* An object that is not closed contains nothing, which its user may not expect. */
static void run_end_print_relations(const run_state *s, const summary *sum)
{
    const uint64_t closed = (uint64_t)sum->relations->closed;
    if (closed < sum->objects && !s->relations.slabs && !s->o.job.inside.count)
        printf("%s of %s closed\n", cli_number_text(closed),
               cli_count_text(sum->objects, "object"));
    if (closed || sum->relations->count)
        relation_sums_print(sum->relations, sum->names, sum->relations->count ? "objects " : "",
                            RUN_END_PAIRS);
}

/* Without a pipeline nothing was computed: an earlier run had finished. */
static void run_end_print_summary(const run_state *s, const summary *sum)
{
    printf("%s: %s, %s in all\n", cli_shown(sum->input),
           cli_count_text(sum->frames, job_step_noun(&s->o.job)),
           cli_count_text(sum->primitives, job_primitive_noun(&s->o.job)));
    run_end_print_contacts(s, sum);
    if (sum->relations)
        run_end_print_relations(s, sum);
    else
        contact_sums_print(sum->sums, sum->objects, sum->names, RUN_END_PAIRS);
    if (sum->regions)
        region_sums_print(sum->regions, sum->names);
    if (sum->events_known && sum->events)
        printf("%s; impinge events %s lists %s\n", cli_count_text(sum->events, "event"),
               cli_shown(s->o.out), sum->events == 1 ? "it" : "them");
    if (sum->total.bad)
        printf("%s with bad vertices left out\n",
               cli_count_text(sum->total.bad, job_primitive_noun(&s->o.job)));
    if (s->p.count)
        printf("%s written in %.3g s (%s, %s)\n", cli_shown(s->o.out), s->seconds[STAGE_TOTAL],
               cli_shown(sum->device), sum->broad);
    else if (s->slabs.complete)
        printf("%s was joined of slabs that were complete\n", cli_shown(s->o.out));
    else
        printf("%s was complete already\n", cli_shown(s->o.out));
}

/* Several feature pairs of a candidate may need exact arithmetic. */
static void run_end_log_candidates(const summary *sum)
{
    fprintf(stderr, "impinge: %s, ", cli_count_text(sum->total.candidates, "candidate"));
    if (sum->continuous)
        fprintf(stderr, "exact arithmetic needed %s\n",
                cli_count_text(sum->total.undecided, "time"));
    else
        fprintf(stderr, "%s of which needed exact arithmetic\n",
                cli_number_text(sum->total.undecided));
}

/* Omits detect, which is the sum of other stages. */
static void log_stages(const run_state *s)
{
    fprintf(stderr, "impinge: seconds:");
    for (int r = 0; r < STAGE_DETECT; r++)
        fprintf(stderr, " %s %.3g", stage_names[r], s->seconds[r]);
    fputc('\n', stderr);
    if (s->o.job.partition.slabs && s->o.job.primitives)
        fprintf(stderr, "impinge: %s in slabs, %.4g times those of the frames\n",
                cli_count_text(s->o.job.partition.primitives, job_primitive_noun(&s->o.job)),
                (double)s->o.job.partition.primitives / (double)s->o.job.primitives);
}

static int run_end_write_contours(run_state *s, result_reader *r)
{
    uint64_t none = 0;
    job *w = &s->o.job;
    const int err = contours_write(&w->mem.read, w->in, r, &s->contours, &none);
    if (!err && none)
        warnings_add(&w->warnings, "--contours: %s with tetrahedra %s no contour",
                     cli_count_text(none, "contact"), none == 1 ? "has" : "have");
    return err;
}

/* An open contour of a cloth parts nothing: its regions are those that a user may miss. */
static int run_end_write_regions(run_state *s, result_reader *r, summary *sum)
{
    job *w = &s->o.job;
    region_sums *of = &s->region_sums;
    const int err = regions_write(&w->mem.read, w->in, r, &s->regions, of);
    sum->regions = of;
    if (!err && of->none && !s->o.contours)
        warnings_add(&w->warnings, "--regions: %s with tetrahedra %s no contour",
                     cli_count_text(of->none, "contact"), of->none == 1 ? "has" : "have");
    if (!err && of->open)
        warnings_add(&w->warnings, "--regions: %s in %s part%s no surface, and bound%s no region",
                     cli_count_text(of->open, "contour"), cli_count_text(of->open_frames, "frame"),
                     of->open == 1 ? "s" : "", of->open == 1 ? "s" : "");
    return err;
}

/* Writes the texts from the result in its file. */
static int run_end_write_texts(run_state *s, summary *sum)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    run_options *o = &s->o;
    imp_profile t;
    /* reading the result may use the memory that the pipeline no longer needs */
    if (s->p.count) {
        job_memory_release_unused(&o->job, &s->p);
        devices_profile(&s->p, &t);
        stage_seconds(&t, s->seconds);
    }
    /* from the file, not from memory: the texts show the data that was written */
    TRY(result_open(&o->job.mem.read, o->out, &r));
    TRY(sum_up(s, r, sum));
    if (o->collide_txt)
        TRY(collide_txt_write(r, &s->collide_txt));
    if (o->csv)
        TRY(pairs_csv_write(&o->job.mem.read, r, &s->csv));
    if (o->counts)
        TRY(counts_write(&o->job.mem.read, o->job.in, r, &s->counts));
    if (o->contours)
        TRY(run_end_write_contours(s, r));
    if (o->regions)
        TRY(run_end_write_regions(s, r, sum));
    if (o->json)
        TRY(run_end_print_json(s, sum));
out:
    result_close(r);
    return err;
}

/* Texts are written after OUT has its name: they describe a complete result. */
int run_finish(run_state *s)
{
    int err = IMP_OK;
    summary sum;
    run_options *o = &s->o;
    TRY(run_end_write_texts(s, &sum));
    relation_sums_sort(&s->relations); /* for people */
    tally_sort(&o->job.sums.pairs);
    if (!o->quiet && !s->outputs.on_stdout)
        run_end_print_summary(s, &sum);
    if (o->verbose) {
        run_end_log_candidates(&sum);
        log_stages(s);
    }
    /* an exit code, not an error: everything succeeded */
    if (o->fail_on_collision && (sum.total.contacts || s->relations.count))
        err = 10;
out:
    return err;
}
