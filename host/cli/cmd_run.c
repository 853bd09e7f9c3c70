/* impinge run: the main job. */
#include "cli.h"

#include "cache.h"
#include "error.h"
#include "processors.h"
#include "run.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>

static const cli_option options[] = {
    {CLI_OUTPUT(run_options, "OUT", "the result to write"), .needed = 1},
    {"collide-txt", 0, CLI_TEXT, offsetof(run_options, collide_txt), "FILE",
     "also write contacts as text: one line each, for solids with all collision points"},
    {"csv", 0, CLI_TEXT, offsetof(run_options, csv), "FILE",
     "also write a table as CSV: contacts and greatest depth of each frame and pair of objects",
     "Also write a table as CSV, from OUT when it is complete: one row for each frame and pair of "
     "objects that has contacts, with the time of the frame, the number of contacts, their "
     "greatest depth (empty for PolyData), and the names of the objects."},
    {"counts", 0, CLI_TEXT, offsetof(run_options, counts), "FILE",
     "also write the number of contacts of each primitive on the input's mesh, for ParaView",
     "Also write the number of contacts of each primitive as VTKHDF, on the mesh of the input: "
     "colored by the cell array Contacts, ParaView shows where contacts are. Points and cells are "
     "not copied: FILE has links to the input, relative to its own folder. Move both together."},
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
     "--continuous, numbers of features that come near are not counted.",
     .high = PARTITION_SLABS_MOST},
    {"resume", 0, CLI_FLAG, offsetof(run_options, resume), NULL,
     "continue after the last frame of OUT.part; start if there is none, exit with 0 if OUT is "
     "complete",
     "Continue after the last finished frame of OUT.part; start if there is none; if OUT is "
     "complete, "
     "only write again the other files that the same command writes. So one command serves a job "
     "script from start to end. Another input, other options or a damaged file are refused."},
    {CLI_FORCE(run_options,
               "replace OUT, OUT.part, OUT.slabs and the files of --collide-txt, --csv, --counts "
               "and --json")},
    {CLI_JSON(run_options, "a summary as JSON (default: to stdout, and nothing else there)")},
    {CLI_PROGRESS(run_options)},
    {CLI_QUIET(run_options)},
    {"verbose", 'v', CLI_FLAG, offsetof(run_options, verbose), NULL,
     "report on stderr what is done",
     "Report on stderr what is done: the device and the broad phase; of each block whether it was "
     "computed in full, and why, or incrementally, and how many primitives were kept; seconds."},
    {"fail-on-collision", 0, CLI_FLAG, offsetof(run_options, fail_on_collision), NULL,
     "exit with 10 if there is a contact"},
    {0},
};

/* OUT.part at the end: After exits 2, 3 and 4 nothing that this run began stays. A stopped run
 * keeps its committed frames; a run that was out of disk or memory does, too. */
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

/* After the pipelines are closed: they have a pointer to the job, for its log. */
static void run_free(run_state *s)
{
    text_output_free(&s->collide_txt);
    text_output_free(&s->csv);
    text_output_free(&s->counts);
    text_output_free(&s->json);
    outputs_free(&s->outputs);
    file_signatures_free(&s->input_signatures);
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
    job_begin(&s.o.job, argv[0], s.o.json != NULL);
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
