/* impinge events: the contacts of a result as events, connected in space and time. */
#include "cli.h"
#include "error.h"
#include "event_find.h"
#include "events_run.h"
#include "io_thread.h"
#include "job.h"
#include "result_input.h"
#include "signals.h"
#include "summary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct events_options {
    const char *input, *csv, *json, *states; /* NULL if not given */
    uint64_t since;
    int approve, force, quiet;
} events_options;

static const cli_option option_table[] = {
    {"input", 0, CLI_TEXT, offsetof(events_options, input), "IN",
     "the batch that the result was made from, if it has moved (default: where it was, or beside "
     "RESULT)"},
    {"csv", 0, CLI_TEXT, offsetof(events_options, csv), "FILE", "a table of the events"},
    {CLI_JSON(events_options, "one JSON document (default: to stdout)")},
    {"new-since", 0, CLI_COUNT, offsetof(events_options, since), "FRAME",
     "list only events that begin in this frame of the input or later"},
    {"states", 0, CLI_TEXT, offsetof(events_options, states), "FILE",
     "a file of approved events: tells which events are known, new, or gone",
     "A file of approved events, as --approve writes it. An event is known if at least half of its "
     "primitives are those of approved events of the same two objects, otherwise new. An approved "
     "event is gone if no event of these objects has any of its primitives."},
    {"approve", 0, CLI_FLAG, offsetof(events_options, approve), NULL,
     "write all events of RESULT to the file of --states, in place of those in it"},
    {CLI_FORCE(events_options, "replace the files of --csv and --json")},
    {CLI_QUIET(events_options)},
    {0},
};

/* members: the parts of the verb */
typedef struct events_state {
    events_options o;
    mem m;
    warnings warnings;
    const char *path;
    result_reader *r;
    char *input;
    batch *in;
    input_hash hashed;
    event_chain *e;
    event_states states;
    uint64_t *hash; /* [events] */
    uint8_t *state;
    outputs outputs;
    text_output csv, json, approved;
} events_state;

/* ---- the result and its input */

/* Called before anything is written. */
static int events_check_input(events_state *s)
{
    int err = IMP_OK;
    TRY(input_hash_end(&s->hashed));
    if (!result_input_same(result_get_info(s->r), &s->hashed.pieces))
        FAIL(IMP_ERR_INPUT, "%s: is not the input that %s was made from", s->input, s->path);
out:
    return err;
}

static int events_open_files(events_state *s)
{
    int err = IMP_OK;
    TRY(result_open(&s->m, s->path, &s->r));
    const result_info *info = result_get_info(s->r);
    const char *refusal = event_find_refusal(s->r);
    if (refusal)
        FAIL(IMP_ERR_INPUT, "%s: %s", s->path, refusal);
    if (!info->complete)
        warnings_add(&s->warnings, "%s: is not complete: only %s", s->path,
                     cli_count_text(info->frames, info->continuous ? "step" : "frame"));
    TRY(result_input_find(s->path, info, s->o.input, &s->input));
    TRY(batch_open(&s->m, s->input, BATCH_OBJECT_ID, "", &s->in));
    TRY(input_hash_begin(&s->hashed, s->input, info->shard.index,
                         info->shard.count ? info->shard.count : 1));
out:
    return err;
}

/* ---- states and outputs */

/* Before the events are found: a file that cannot be read or replaced is reported at once. */
static int events_read_states(events_state *s)
{
    int err = IMP_OK;
    s->states = (event_states){.mem = &s->m,
                               .names = result_get_info(s->r)->names,
                               .ids = column_in(result_columns(s->r), STORED_id_a)};
    if (!s->o.states)
        return IMP_OK;
    if (s->o.approve && !strcmp(s->o.states, "-"))
        FAIL(IMP_ERR_ARGUMENT, "--approve: writes the file of --states, which is standard input");
    if (!s->o.approve || !access(s->o.states, F_OK))
        TRY(event_states_read(&s->states, s->o.states));
out:
    return err;
}

static int events_claim(events_state *s)
{
    int err = IMP_OK;
    if (!s->o.csv && !s->o.json && !s->o.approve) /* nothing that could be replaced */
        return IMP_OK;
    TRY(outputs_reads_hdf5(&s->outputs, s->path));
    TRY(outputs_reads_hdf5(&s->outputs, s->input));
    /* the file of approved events is replaced by its next state; that it is one was checked */
    if (s->o.approve)
        TRY(outputs_text(&s->outputs, "--states", s->o.states, 1, &s->approved));
    else if (s->o.states)
        TRY(outputs_reads(&s->outputs, s->o.states));
    if (s->o.csv)
        TRY(outputs_text(&s->outputs, "--csv", s->o.csv, s->o.force, &s->csv));
    TRY(outputs_json(&s->outputs, s->o.json, s->o.force, &s->json));
out:
    return err;
}

static int events_find_states(events_state *s)
{
    int err = IMP_OK;
    const size_t count = events_count(s->e);
    TRY(mem_alloc(&s->m, count * sizeof *s->hash, &s->hash));
    TRY(mem_alloc(&s->m, count, &s->state));
    memset(s->state, EVENT_NO_STATE, count);
    for (size_t i = 0; i < count; i++)
        TRY(event_states_hash(&s->states, events_get(s->e, i), &s->hash[i]));
    if (s->o.states)
        TRY(event_states_compare(&s->states, s->e, s->state));
out:
    return err;
}

/* A filter that selects nothing may be a mistake in its number. */
static void events_check_since(events_state *s)
{
    const result_info *info = result_get_info(s->r);
    int any = !s->o.since;
    for (uint64_t k = 0; k < info->frames && !any; k++)
        any = info->of.input_frame[k] >= (int64_t)s->o.since;
    if (!any)
        warnings_add(&s->warnings, "--new-since %llu: %s has no such frame",
                     (unsigned long long)s->o.since, s->path);
}

static int events_write(events_state *s)
{
    int err = IMP_OK;
    json j;
    event_list list = {.path = s->path,
                       .input = s->input,
                       .info = result_get_info(s->r),
                       .columns = result_columns(s->r),
                       .events = s->e,
                       .hash = s->hash,
                       .state = s->state,
                       .approved = &s->states,
                       .states = s->o.states != NULL,
                       .since = s->o.since,
                       .warnings = &s->warnings};
    TRY(event_list_make(&s->m, &list));
    if (s->o.csv)
        TRY(events_print_csv(&list, &s->csv));
    if (s->o.json) {
        TRY(json_begin(&j, &s->json));
        events_print_json(&j, &list);
        TRY(json_end(&j, &s->json));
    }
    if (s->o.approve)
        TRY(event_states_write(&s->states, s->e, &s->approved));
    if (!s->o.quiet && !s->outputs.on_stdout)
        events_print_table(&list);
out:
    event_list_free(&s->m, &list);
    return err;
}

/* ---- the verb */

static int events_verb(events_state *s)
{
    int err = IMP_OK;
    /* a damaged file may ask for any amount */
    s->m = (mem){.limit = mem_machine() / BUDGET_MACHINE_SHARE};
    signals_watch(NULL);
    TRY(events_open_files(s));
    TRY(events_read_states(s));
    TRY(events_claim(s));
    events_check_since(s);
    event_finder finder = {.mem = &s->m,
                           .path = s->path,
                           .input = s->input,
                           .r = s->r,
                           .in = s->in,
                           .areas = event_find_has_areas(s->r),
                           .warnings = &s->warnings};
    /* areas are those of the input's points: another input may have any */
    if (finder.areas)
        TRY(events_check_input(s));
    const int found = event_find(&finder, &s->e);
    if (found && found != IMP_ERR_INPUT)
        return found;
    /* another input may lack primitives: that it is another one is the better report */
    if (!finder.areas)
        TRY(events_check_input(s));
    TRY(found);
    TRY(events_find_states(s));
    TRY(events_write(s));
out:
    return err;
}

static void events_state_free(events_state *s)
{
    text_output_free(&s->csv);
    text_output_free(&s->json);
    text_output_free(&s->approved);
    outputs_free(&s->outputs);
    event_states_free(&s->states);
    mem_free(&s->m, s->hash);
    mem_free(&s->m, s->state);
    events_close(s->e);
    input_hash_free(&s->hashed);
    batch_close(s->in);
    result_close(s->r);
    free(s->input);
    warnings_free(&s->warnings);
}

static int events_verb_run(int argc, char **argv)
{
    events_state s = {0};
    int count, code = cli_parse(&verb_events, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    if (s.o.approve && !s.o.states)
        return cli_usage_error(&verb_events, "--approve writes the file of --states, which is "
                                             "missing");
    if (s.o.approve && s.o.since)
        return cli_usage_error(&verb_events, "--approve approves all events; leave out "
                                             "--new-since");
    s.path = argv[0];
    const int err = events_verb(&s);
    code = err ? cli_fail(err) : 0;
    events_state_free(&s);
    return code;
}

const cli_verb verb_events = {
    .name = "events",
    .usage = "RESULT.vtkhdf [options]",
    .text = "lists the contacts of a result as events: when and where two objects meet",
    .options = option_table,
    .examples = "  impinge events contacts.vtkhdf\n"
                "  impinge events contacts.vtkhdf --csv events.csv --new-since 20\n"
                "  impinge events contacts.vtkhdf --states approved.txt --approve\n"
                "  impinge events repaired.vtkhdf --states approved.txt\n",
    .run = events_verb_run,
    .about =
        "Two contacts of the same two objects are neighbours if on both sides their primitives "
        "are equal or share a vertex. A patch is a connected set of the contacts of a frame. "
        "Patches of frames that follow each other are linked if they have a pair of primitives "
        "in common, or neighbouring pairs. An event is a chain of linked patches, with all "
        "parts that split from it. Where two events meet the younger one merges into the older "
        "one. Splits and merges are listed after the events: 2.5 is part 5 of event 2.",
    .least = "a result is missing",
    .one = "result",
};
