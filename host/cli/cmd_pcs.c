/* impinge pcs: simulates scenes of rigid bodies, resolving every contact in order. */
#define _GNU_SOURCE
#include "cli.h"
#include "drivers.h"
#include "error.h"
#include "object_names.h"
#include "pcs_run.h"
#include "signals.h"
#include "store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    /* not `needed`: --list works without it */
    {CLI_OUTPUT(pcs_options, "OUT",
                "the contacts to write, as dom.vtkhdf; beside it dom.batch.vtkhdf, the bodies, and "
                "the curve, dom.cps.csv and dom.cps.svg")},
    {"push", 0, CLI_LENGTH, offsetof(pcs_options, push), "F",
     "ball-slope, dominoes: the force that pushes, in N; 0: none (default: the scene's, see "
     "--list)",
     "Of ball-slope and dominoes: the force in N that pushes the ball for half a second, or the "
     "first domino at its top edge for a tenth of a second. Pushed weakly, the ball rolls back. "
     "Default: the scene's, see --list; 0: no push."},
    {"bodies", 0, CLI_SOME, offsetof(pcs_options, bodies), "N",
     "dominoes, boxes, cradle: the number of bodies (default: the scene's, see --list)"},
    {"ratio", 0, CLI_REAL, offsetof(pcs_options, ratio), "R",
     "boxes: how many times as large as the smallest the largest are (default: 1)"},
    {"frames", 0, CLI_SOME, offsetof(pcs_options, frames), "N",
     "number of frames (default: as --seconds says)"},
    {"seconds", 0, CLI_REAL, offsetof(pcs_options, seconds), "T",
     "simulated time (default: the scene's)"},
    {"step", 0, CLI_REAL, offsetof(pcs_options, step), "SECONDS",
     "simulated time of a frame (default: 0.01)"},
    {"epsilon", 0, CLI_REAL, offsetof(pcs_options, epsilon), "LENGTH",
     "distance up to which two bodies are in contact, in m (default: the scene's)"},
    {"seed", 0, CLI_COUNT, offsetof(pcs_options, seed), "S",
     "boxes: another number gives other bodies (default: 0)"},
    {"device", 0, CLI_TEXT, offsetof(pcs_options, device), "auto|cpu|opencl|TEXT|N",
     "the device for boxes and tiles of 1,024 bodies or more, as of run (default: cpu)"},
    {CLI_THREADS(pcs_options, "threads of the host (default: all that the launcher gives)")},
    {"mem-limit", 0, CLI_SIZE, offsetof(pcs_options, mem_limit), "SIZE",
     "maximum memory of host and device buffers, such as 512M (default: half of the machine's)"},
    {"resume", 0, CLI_FLAG, offsetof(pcs_options, resume), NULL,
     "continue after the last frames of an unfinished run with the same options, or start if it "
     "does not exist; exit with 0 if OUT is complete",
     "Continue after the last frames of an unfinished run with the same options, or start if it "
     "does not exist; if OUT is complete, only write --json again, without `overlap`, which is not "
     "stored."},
    {"batch-only", 0, CLI_FLAG, offsetof(pcs_options, batch_only), NULL,
     "write the bodies at the beginning, and what acts on them, as the batch OUT, and nothing "
     "else"},
    {"list", 0, CLI_FLAG, offsetof(pcs_options, list), NULL, "list the scenes"},
    {CLI_FORCE(pcs_options, "replace OUT, the files beside it, and that of --json")},
    {CLI_JSON(pcs_options, "a summary as JSON (default: to stdout, and nothing else there)")},
    {CLI_PROGRESS(pcs_options)},
    {CLI_QUIET(pcs_options)},
    {"verbose", 'v', CLI_FLAG, offsetof(pcs_options, verbose), NULL, "report each step on stderr"},
    {0},
};

/* Texts begin in column 41, after the columns of the table. */
static int pcs_verb_list_scenes(void)
{
    simulation_scene e;
    printf("%-11s %6s %7s %7s  %s\n", "scene", "bodies", "seconds", "push/N", "what it is");
    for (size_t i = 0; simulation_scene_at(i, &e); i++) {
        int at = printf("%-11s %6llu %7g ", e.name, (unsigned long long)e.bodies, e.seconds);
        at += e.takes_push ? printf("%7g  ", e.push) : printf("%7s  ", "-");
        cli_wrap(stdout, e.text, at, at);
    }
    return 0;
}

static int find_scene(const char *name, simulation_scene *out)
{
    size_t i = 0;
    while (simulation_scene_at(i, out) && strcmp(out->name, name) != 0)
        i++;
    return simulation_scene_at(i, out);
}

static int pcs_verb_no_scene(const char *name)
{
    simulation_scene e;
    cli_near near = {.word = name, .length = strlen(name)};
    for (size_t i = 0; simulation_scene_at(i, &e); i++)
        cli_near_try(&near, e.name);
    return cli_usage_error(&verb_pcs, "there is no scene '%s'%s%s, see --list", name,
                           near.best ? ", perhaps " : "", near.best ? near.best : "");
}

/* Options without effect for the scene, or for a batch, are rejected rather than ignored. */
static int pcs_verb_check_options(const pcs_options *o, const char *name, const simulation_scene *e)
{
    const struct {
        const char *name;
        int given, used, of_scene;
    } of[] = {{"push", o->push >= 0, e->takes_push, 1},
              {"bodies", o->bodies > 0, e->takes_bodies, 1},
              {"ratio", o->ratio > 0, e->takes_ratio, 1},
              {"seed", o->seed > 0, e->takes_seed, 1},
              {"json", o->json != NULL, !o->batch_only, 0},
              {"device", o->device != NULL, !o->batch_only, 0},
              {"frames", o->frames > 0, !o->batch_only, 0},
              {"resume", o->resume, !o->batch_only, 0}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].given && !of[i].used)
            return cli_usage_error(&verb_pcs, "%s takes no --%s",
                                   of[i].of_scene ? name : "--batch-only", of[i].name);
    if (o->bodies && o->bodies < e->bodies_least)
        return cli_usage_error(&verb_pcs, "--bodies: %s needs %llu at least", e->name,
                               (unsigned long long)e->bodies_least);
    if (o->ratio > 0 && o->ratio < 1)
        return cli_usage_error(&verb_pcs, "--ratio is %g; it must be 1 or more", o->ratio);
    if (o->frames && o->seconds > 0)
        return cli_usage_error(&verb_pcs, "either --frames or --seconds");
    return 0;
}

/* A name that is no scene's is a file's if such a file exists or the ending says so. */
static int pcs_verb_is_file(const char *name)
{
    static const char ending[] = ".vtkhdf";
    const size_t length = strlen(name), tail = sizeof ending - 1;
    return strchr(name, '/') || !access(name, F_OK) ||
           (length > tail && !strcmp(name + length - tail, ending));
}

/* Defaults from the scene; step and epsilon are set with its bodies. */
static void pcs_verb_set_defaults(pcs_options *o, const simulation_scene *e)
{
    o->scene = e->name;
    o->push = o->push >= 0 ? o->push : e->push;
    o->bodies = o->bodies ? o->bodies : e->bodies;
    o->ratio = o->ratio > 0 ? o->ratio : 1;
}

static int pcs_verb_simulate(pcs_run *r)
{
    signals_watch(NULL);
    const int err = pcs_run_all(r);
    const int number = signals_came();
    signals_end();
    const int code = err ? cli_fail(err) : 0;
    return err == IMP_ERR_CANCELLED && number ? 128 + number : code;
}

static int pcs_parsed(pcs_run *r, const char *name)
{
    simulation_scene e;
    pcs_options *o = &r->o;
    if (o->list)
        return pcs_verb_list_scenes();
    if (!name)
        return cli_usage_error(&verb_pcs,
                               "a scene is missing, see --list, or a batch of rigid bodies");
    if (!o->out)
        return cli_usage_error(&verb_pcs, "-o OUT is missing");
    const int known = find_scene(name, &e);
    if (!known && !pcs_verb_is_file(name))
        return pcs_verb_no_scene(name);
    if (!known)
        e = (simulation_scene){0}; /* a batch uses none of a scene's options */
    const int code = pcs_verb_check_options(o, known ? e.name : "a batch", &e);
    if (code)
        return code;
    if (known)
        pcs_verb_set_defaults(o, &e);
    else
        o->in = name;
    if (!o->batch_only && *simulation_lacks()) {
        cli_line(stderr, "impinge pcs: %s", simulation_lacks());
        return 1;
    }
    o->device = o->device ? o->device : "cpu";
    return pcs_verb_simulate(r);
}

static int pcs_verb_run(int argc, char **argv)
{
    pcs_run r = {.o = {.push = -1}};
    char command[4096];
    int count;
    cli_command_line(argc, argv, command, sizeof command);
    r.command = command;
    int code = cli_parse(&verb_pcs, argc, argv, &r.o, &count);
    if (code >= 0)
        return code;
    r.o.verbose &= !r.o.quiet;
    if (r.o.quiet)
        drivers_set_log(NULL, NULL);
    code = pcs_parsed(&r, count ? argv[0] : NULL);
    pcs_run_free(&r);
    return code;
}

/* For the completion of command lines. */
static const char *pcs_verb_scene_word(size_t i)
{
    simulation_scene e;
    return simulation_scene_at(i, &e) ? e.name : NULL;
}

const cli_verb verb_pcs = {
    .name = "pcs",
    .usage = "SCENE|IN.vtkhdf -o OUT.vtkhdf [options]",
    .text = "simulates rigid bodies, each contact in its order; needs a build with ODE",
    .options = options,
    .examples = "  impinge pcs --list\n"
                "  impinge pcs ball-slope -o ball.vtkhdf\n"
                "  impinge pcs ball-slope -o back.vtkhdf --push 9\n"
                "  impinge pcs dominoes -o row.vtkhdf --json\n"
                "  impinge pcs boxes -o boxes.vtkhdf --bodies 10000 --ratio 100 --seed 3\n"
                "  impinge pcs cradle -o bodies.vtkhdf --batch-only\n"
                "  impinge pcs bodies.vtkhdf -o again.vtkhdf\n",
    .run = pcs_verb_run,
    .about =
        "Rigid bodies, of a scene or of a batch with /impinge/bodies, whose contacts are found by "
        "possible collision sets: every contact inside a "
        "frame, in the order in which they happen. At each, velocities change; they are computed "
        "by "
        "ODE, without which a build has no scenes ('impinge pcs' then says so and ends with 1). "
        "Nothing else is ODE's: what is near what, and when, is found here.\n\n"
        "OUT has a row for each contact, in the form of run --continuous: PrimitiveA and "
        "PrimitiveB "
        "are triangles of the batch beside it, which has the bodies of all frames with poses and "
        "velocities: dom.batch.vtkhdf beside dom.vtkhdf. Both are opened in ParaView. dom.cps.csv "
        "and dom.cps.svg are the curve of checks per second of simulated "
        "time: each pair of bodies that may meet counts once a frame; further distances within the "
        "frame are rechecks, apart.\n\n"
        "Lengths are in m, and z is up. The same options give the same bytes on one machine, with "
        "any device and any number of threads. Another build of ODE may round otherwise.",
    .one = "scene",
    .words = pcs_verb_scene_word,
};

/* ---- The bodies of a user's batch: see pcs_run.h. Only its first frame counts. */

/* Warns of parts of a batch that a simulation does not keep. */
static void warn_of(pcs_run *r, const batch *b, const batch_info *info)
{
    const char *in = cli_shown(r->o.in), *text;
    for (size_t i = 0; (text = batch_remark(b, i)); i++)
        warnings_add(&r->warned, "%s", text);
    if (info->frames > 1)
        warnings_add(&r->warned, "%s: has %s, of which only the first one is read", in,
                     cli_count_text(info->frames, "frame"));
    if (info->ids || info->source_ids)
        warnings_add(
            &r->warned,
            "%s: PrimitiveId and SourceId are not kept; primitives of the batch beside OUT are in "
            "the same order",
            in);
}

static int pcs_input_name_objects(pcs_run *r, const batch *b)
{
    int err = IMP_OK;
    const batch_names *n = batch_get_names(b);
    for (size_t i = 0; i < n->objects; i++)
        TRY(batch_names_add_object(&r->names, n->object[i], n->object_name[i]));
out:
    return err;
}

int pcs_input_open(pcs_run *r)
{
    int err = IMP_OK;
    batch_info info;
    pcs_input *p = &r->input;
    TRY(batch_open(&r->mem, r->o.in, BATCH_OBJECT_ID, NULL, &p->batch));
    batch_get_info(p->batch, &info);
    if (!info.frames || !info.bodies)
        FAIL(IMP_ERR_INPUT, "%s: has no %s", r->o.in,
             info.frames ? "rigid bodies (/impinge/bodies)" : "frames");
    TRY(file_hash(r->o.in, &p->bytes, &p->hash));
    TRY(batch_read_matter(p->batch, &p->matter));
    TRY(batch_read(p->batch, 0, 1, 1, &p->block));
    TRY(pcs_input_name_objects(r, p->batch));
    warn_of(r, p->batch, &info);
out:
    return err;
}

void pcs_input_close(pcs_input *p)
{
    batch_block_free(&p->block);
    batch_close(p->batch);
    matter_free(&p->matter);
    p->batch = NULL;
}

/* ---- `impinge pcs --resume` if OUT is complete: see pcs_run.h. Counts are in the curve beside
 * OUT, kinds and pairs in OUT itself. */

/* True if the file of --json is the one that this result, or OUT.part, names. */
static int names_json(pcs_run *r, const char *path)
{
    char *name = NULL;
    result_reader *of = NULL;
    if (access(path, F_OK) || result_open_info(&r->mem, path, &of))
        return 0;
    const char *named = result_get_info(of)->json;
    const int does = *named && !file_path_absolute(r->o.json, &name) && !strcmp(name, named);
    free(name);
    result_close(of);
    return does;
}

int pcs_owns_json(pcs_run *r)
{
    char *part = NULL;
    if (!r->o.resume || !r->o.json || store_part_name(r->o.out, &part))
        return 0;
    const int owns = names_json(r, r->o.out) || names_json(r, part);
    free(part);
    return owns;
}

/* Reads a line of the curve, without the derived columns. */
static int pcs_complete_add_line(const char *line, uint64_t frame, pcs_counts *n)
{
    uint64_t number;
    *n = (pcs_counts){0};
    return sscanf(line,
                  "%" SCNu64 ",%*[^,],%*[^,],%*[^,],%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
                  ",%" SCNu64 ",%" SCNu64 ",%" SCNu64,
                  &number, &n->pairs, &n->checks, &n->rechecks, &n->steps, &n->contacts, &n->rested,
                  &n->inelastic) == 8 &&
           number == frame;
}

/* Returns the number of frames that both the curve and OUT contain. */
static uint64_t pcs_complete_add_curve(pcs_run *r, const result_info *i, FILE *in)
{
    uint64_t f = 0;
    char line[400];
    pcs_counts n;
    if (!fgets(line, sizeof line, in)) /* column names */
        return 0;
    for (; f < i->frames && fgets(line, sizeof line, in); f++) {
        if (!pcs_complete_add_line(line, f, &n) || n.checks != (uint64_t)i->of.candidates[f] ||
            n.contacts != (uint64_t)i->of.contacts[f])
            break;
        pcs_count_frame(r, &n);
    }
    return fgets(line, sizeof line, in) ? 0 : f;
}

static int pcs_complete_read_curve(pcs_run *r, const result_info *i)
{
    char *name = NULL;
    int err = pcs_name_beside(r, ".cps.csv", &name);
    if (err)
        return err;
    FILE *in = fopen(name, "r");
    r->done = in ? pcs_complete_add_curve(r, i, in) : 0;
    if (in)
        fclose(in);
    err = r->done == i->frames
              ? IMP_OK
              : imp_fail(IMP_ERR_INPUT,
                         "%s: is not the curve of %s, from which --json has its counts; "
                         "--force simulates again",
                         name, r->o.out);
    free(name);
    return err;
}

int pcs_sum_rows(pcs_run *r, result_reader *of, uint64_t frames)
{
    int err = IMP_OK;
    for (uint64_t f = 0; f < frames; f++) {
        result_rows rows;
        TRY(result_read(of, f, &rows));
        contact_sums_add_rows(&r->sums, &rows, f, f);
    }
out:
    return err;
}

int pcs_report_complete(pcs_run *r)
{
    int err = IMP_OK;
    result_reader *of = NULL;
    if (r->o.json) {
        TRY(result_open(&r->mem, r->o.out, &of));
        const result_info *i = result_get_info(of);
        TRY(pcs_complete_read_curve(r, i));
        TRY(pcs_sum_rows(r, of, i->frames));
        r->device = i->device;
        TRY(pcs_write_json(r));
    }
    if (!r->o.quiet && !r->outputs.on_stdout)
        printf("%s: complete, with %s\n", cli_shown(r->o.out),
               cli_count_text(r->o.frames, "frame"));
out:
    r->device = NULL;
    result_close(of);
    return err;
}
