/* impinge run: the main job. Blocks of frames are computed here, read and saved at the same time by
 * the thread of relay.c. */
#include "cli.h"

#include "collide_txt.h"
#include "error.h"
#include "progress.h"
#include "relay.h"
#include "signals.h"
#include "summary.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    work w;
    const char *out, *collide_txt, *json;
    int resume, force, quiet, verbose, progress, fail_on_collision;
} run_options;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, offsetof(run_options, out), "OUT", "the result to write"},
    {"collide-txt", 0, CLI_TEXT, offsetof(run_options, collide_txt), "FILE",
     "contacts as text, too: one line each"},
    {"resume", 0, CLI_FLAG, offsetof(run_options, resume), NULL,
     "go on from OUT.part after its last frame"},
    {"force", 0, CLI_FLAG, offsetof(run_options, force), NULL, "replace files that exist"},
    {"json", 0, CLI_MAYBE, offsetof(run_options, json), "FILE",
     "a summary as JSON (default: to stdout, and nothing else there)"},
    {"progress", 0, CLI_CHOICE, offsetof(run_options, progress), "auto|always|never",
     "progress on stderr; auto: on a terminal (default: auto)"},
    {"quiet", 'q', CLI_FLAG, offsetof(run_options, quiet), NULL, "print nothing but errors"},
    {"verbose", 'v', CLI_FLAG, offsetof(run_options, verbose), NULL,
     "tell what is done, on stderr"},
    {"fail-on-collision", 0, CLI_FLAG, offsetof(run_options, fail_on_collision), NULL,
     "exit with 10 if there is a contact"},
    {0},
};

/* A run in progress. */
typedef struct run_state {
    run_options o;
    imp *p;
    result *r;
    uint64_t done, contacts; /* frames and contacts computed so far */
    double seconds[ROOMS];
    progress bar;
    char command[4096], normal[4096];
    uint64_t input_bytes, input_hash;
} run_state;

static int quiet;

static void log_line(void *user, const char *line)
{
    (void)user;
    if (!quiet)
        fprintf(stderr, "impinge: %s\n", line);
}

/* ---- blocks */

typedef struct block_sink {
    run_state *s;
    relay *y;
} block_sink;

static int save_contacts(void *user, const imp_contacts *c)
{
    block_sink *to = user;
    to->s->contacts += c->count;
    return relay_add(to->y, c);
}

static int run_block(run_state *s, relay *y, relay_block *b)
{
    int err = IMP_OK;
    block_sink to = {s, y};
    size_t count = b->frames.count;
    err = imp_detect(s->p, b->frames.frame, count, save_contacts, &to, b->info);
    if (err == IMP_ERR_INPUT)
        err = imp_fail(err, "%s: /VTKHDF/Points: %s", s->o.w.path, imp_error_text());
    TRY(err);
    TRY(relay_end(y));
    s->done += count;
    progress_show(&s->bar, s->done, s->contacts);
out:
    return err;
}

static int run_blocks(run_state *s)
{
    int err = IMP_OK;
    work *w = &s->o.w;
    relay *y = NULL;
    relay_block *b = NULL;
    relay_seconds spent = {0};
    progress_start(&s->bar, s->o.quiet ? PROGRESS_NEVER : (enum progress_when)s->o.progress,
                   s->done, w->count);
    TRY(relay_start(w, s->r, s->done, work_block(w, s->p), &y));
    for (;;) {
        TRY(relay_next(y, &b));
        if (!b)
            break;
        if (signals_came())
            FAIL(IMP_ERR_CANCELLED, "stopped by a signal");
        TRY(run_block(s, y, b));
    }
out:
    err = relay_stop(y, err, &spent);
    s->seconds[ROOM_LOAD] += spent.load;
    s->seconds[ROOM_SAVE] += spent.save;
    progress_clear(&s->bar);
    return err;
}

/* ---- before and after */

static int open_result(run_state *s)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    result_origin origin = {.command = s->command,
                            .options = s->normal,
                            .device = imp_device_name(s->p),
                            .input = o->w.path,
                            .input_bytes = s->input_bytes,
                            .input_hash = s->input_hash,
                            .object_pair = o->w.def.object_pair,
                            .object_pairs = o->w.def.object_pairs};
    TRY(work_normal(&o->w, s->normal, sizeof s->normal));
    uint64_t limit = o->w.out.limit; /* nobody uses the pipeline's memory yet: an old result may */
    o->w.out.limit += o->w.def.mem_limit;
    err = o->resume ? result_resume(&o->w.out, o->out, o->force, &origin, &s->r, &s->done)
                    : result_create(&o->w.out, o->out, o->force, &origin, &s->r);
    o->w.out.limit = limit;
    atomic_store(&o->w.out.peak, atomic_load(&o->w.out.now));
    TRY(err);
    if (s->done > o->w.count)
        FAIL(IMP_ERR_INPUT, "%s.part: has more frames than are asked for; cannot be resumed",
             o->out);
out:
    return err;
}

/* What becomes of OUT.part: nothing stays after exits 2, 3 and 4; a stopped run keeps its committed
 * frames, and so does one that ran out of disk or memory. */
static int close_result(run_state *s, int err)
{
    int code = imp_exit_code(err);
    if (!s->r)
        return err;
    if (!err)
        return result_finish(s->r);
    if (code >= 2 && code <= 4) {
        result_discard(s->r);
        return err;
    }
    if (err == IMP_ERR_CANCELLED) {
        int kept = result_commit(s->r) == IMP_OK;
        imp_fail(err, "%s.part: stopped by a signal after %llu of %llu frames%s", s->o.out,
                 (unsigned long long)s->done, (unsigned long long)s->o.w.count,
                 kept ? "; --resume goes on from there" : "; the last of them are lost");
    }
    result_leave(s->r);
    return err;
}

/* Sums over all frames of the result, also those of an interrupted run that was resumed. */
static int sum_up(run_state *s, summary *out)
{
    int err = IMP_OK;
    work *w = &s->o.w;
    result_reader *r = NULL;
    imp_profile t;
    imp_profile_get(s->p, &t);
    *out = (summary){.input = w->path,
                     .device = imp_device_name(s->p),
                     .broad = imp_broad_name(s->p),
                     .frames = w->count,
                     .primitives = w->primitives,
                     .objects = w->object_count,
                     .peak_bytes =
                         t.peak_bytes + atomic_load(&w->mem.peak) + atomic_load(&w->out.peak)};
    work_rest(w, s->p);
    s->seconds[ROOM_BOUND] = t.bound;
    s->seconds[ROOM_BROAD] = t.broad;
    s->seconds[ROOM_ORDER] = t.order;
    s->seconds[ROOM_NARROW] = t.narrow;
    TRY(result_open(&w->mem, s->o.out, &r));
    const result_info *i = result_get_info(r);
    for (uint64_t f = 0; f < i->frames; f++) {
        uint64_t candidates = (uint64_t)i->candidates[f];
        out->candidates += candidates;
        out->candidates_max = candidates > out->candidates_max ? candidates : out->candidates_max;
        out->contacts += (uint64_t)i->contacts[f];
        out->undecided += (uint64_t)i->undecided[f];
        out->bad += (uint64_t)i->bad[f];
    }
out:
    result_close(r);
    return err;
}

static int print_json(const run_state *s, const summary *sum)
{
    int err = IMP_OK;
    json j;
    TRY(json_begin(&j, s->o.json));
    summary_json(&j, sum);
    json_text(&j, "output", s->o.out);
    json_open(&j, "seconds", '{');
    for (int r = 0; r < ROOM_DETECT; r++)
        json_real(&j, room_names[r], s->seconds[r]);
    json_close(&j, '}');
    TRY(json_end(&j, s->o.json));
out:
    return err;
}

static void print_summary(const run_state *s, const summary *sum)
{
    printf("%s: %s, %s in all\n", sum->input, counted(sum->frames, "frame"),
           counted(sum->primitives, "triangle"));
    printf("%s among %s, %s of which needed exact arithmetic\n", counted(sum->contacts, "contact"),
           counted(sum->candidates, "candidate"), grouped(sum->undecided));
    if (sum->bad)
        printf("%s with bad vertices left out\n", counted(sum->bad, "triangle"));
    printf("%s written in %.3g s (%s, %s)\n", s->o.out, s->seconds[ROOM_TOTAL], sum->device,
           sum->broad);
}

static void log_rooms(const run_state *s)
{
    fprintf(stderr, "impinge: seconds:");
    for (int r = 0; r < ROOM_DETECT; r++)
        fprintf(stderr, " %s %.3g", room_names[r], s->seconds[r]);
    fputc('\n', stderr);
}

/* ---- the verb */

static int run_all(run_state *s)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    double start = clock_seconds();
    TRY(result_path_free(o->out, o->force));
    TRY(work_open(&o->w, o->w.path));
    TRY(file_hash(o->w.path, &s->input_bytes, &s->input_hash));
    s->seconds[ROOM_LOAD] += clock_seconds() - start;
    TRY(work_engine(&o->w, log_line, &s->p));
    if (o->verbose)
        fprintf(stderr, "impinge: %s, broad phase %s, %s at a time\n", imp_device_name(s->p),
                imp_broad_name(s->p), counted(work_block(&o->w, s->p), "frame"));
    signals_watch(s->p);
    TRY(open_result(s));
    TRY(run_blocks(s));
out:
    return close_result(s, err);
}

static int finish(run_state *s)
{
    int err = IMP_OK;
    summary sum;
    run_options *o = &s->o;
    TRY(sum_up(s, &sum));
    if (o->collide_txt)
        TRY(collide_txt_write(&o->w.mem, o->out, o->collide_txt));
    if (o->json)
        TRY(print_json(s, &sum));
    if (!o->quiet && !(o->json && !*o->json))
        print_summary(s, &sum);
    if (o->verbose)
        log_rooms(s);
    if (o->fail_on_collision && sum.contacts)
        err = 10;
out:
    return err;
}

static void command_line(int argc, char **argv, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "impinge");
    for (int i = 0; i < argc && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, " %s", argv[i]);
}

static int run(int argc, char **argv)
{
    run_state s = {0};
    int count;
    command_line(argc, argv, s.command, sizeof s.command);
    int code = cli_parse(&verb_run, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    if (!count)
        return cli_usage_error(&verb_run, "an input is missing");
    if (!s.o.out)
        return cli_usage_error(&verb_run, "-o OUT is missing");
    s.o.w.path = argv[0];
    quiet = s.o.quiet;
    double start = clock_seconds();
    signals_watch(NULL);
    int err = run_all(&s);
    s.seconds[ROOM_TOTAL] = clock_seconds() - start;
    if (!err)
        err = finish(&s);
    int number = signals_came();
    signals_watch(NULL);
    code = err == 10 ? 10 : err ? cli_fail(err) : 0;
    imp_destroy(s.p);
    work_close(&s.o.w);
    return err == IMP_ERR_CANCELLED && number ? 128 + number : code;
}

const cli_verb verb_run = {
    .name = "run",
    .usage = "IN.vtkhdf -o OUT.vtkhdf [options]",
    .text = "finds all contacts in every frame of a batch",
    .options = options,
    .more = work_options,
    .examples = "  impinge run cloth.vtkhdf -o contacts.vtkhdf\n"
                "  impinge run cloth.vtkhdf -o contacts.vtkhdf --device opencl --frames 100:200\n"
                "  impinge run s.vtkhdf -o c.vtkhdf --pairs between --json --fail-on-collision\n",
    .run = run,
    .about =
        "While it runs it writes OUT.part and renames it to OUT after the last frame. SIGINT, "
        "SIGTERM "
        "and SIGHUP (unless ignored, as by nohup) end it after its last committed frame; --resume "
        "goes on from there. Memory holds a few blocks of frames, not the file.\n\n"
        "Beside pairs and points a result holds the command and the hash of its input; 'impinge "
        "info' "
        "shows them.",
    .one = "input",
};
