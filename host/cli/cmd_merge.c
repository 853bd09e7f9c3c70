/* impinge merge: joins the results of all shards of an input. */
#include "cli.h"

#include "mem.h"
#include "error.h"
#include "output_file.h"
#include "json.h"
#include "signals.h"
#include "run.h"
#include "store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Shards with this many bytes or more are copied only if --copy asks for it. */
#define COPY_LEAST ((uint64_t)1 << 30)
#define LISTED 8 /* most shards that the last line names */

typedef struct merge_options {
    int copy, virtual, force, quiet;
} merge_options;

static const cli_option options[] = {
    {"copy", 0, CLI_FLAG, offsetof(merge_options, copy), NULL,
     "copy all rows into OUT, which then does not need the shards (default: if these have less "
     "than "
     "1 GiB; rows of slabs are always copied)"},
    {"virtual", 0, CLI_FLAG, offsetof(merge_options, virtual), NULL,
     "OUT refers to the rows of the shards, by names relative to its folder (default: from 1 GiB "
     "on)",
     "OUT has virtual datasets, which refer to the rows of the shards by names relative to its "
     "folder (default: if the shards have 1 GiB or more). All of these files must stay together. "
     "Where a shard is missing 'impinge info' names it; other programs read zeros without an "
     "error."},
    {CLI_FORCE(merge_options, "replace OUT")},
    {CLI_QUIET(merge_options)},
    {0},
};

/* A shard: its file, and the hashes of its pieces of the input. */
typedef struct merge_shard {
    char *file; /* NULL: missing so far */
    uint64_t first, units;
    uint64_t pieces, *piece;
} merge_shard;

/* The frames of the whole result, as the options of each shard name them. */
typedef struct merge_whole {
    uint64_t first, steps; /* first frame in the input; number of steps in the join */
    long long step;        /* distance between frames */
    int inside;            /* rows are vertices inside objects */
} merge_whole;

/* Sums over shards: frames and contacts joined so far; rows and bytes from the first pass. */
typedef struct merge_sums {
    uint64_t frames, contacts;
    uint64_t rows, bytes;
} merge_sums;

/* Properties common to all shards, and the state of the join. */
typedef struct merge {
    merge_options o;
    mem m;
    const char *out;
    merge_shard *shard; /* [shards], by shard number */
    uint64_t shards;
    merge_sums sum;
    merge_whole whole;
    int refer;                       /* rows stay in the shards' files */
    uint64_t slabs;                  /* units of each step; 0: shards contain whole frames */
    char common[4096], normal[4096]; /* options without the shard's; with all frames */
    char version[64], tables[24], input[4096], device[512], command[4096];
    uint64_t input_bytes;
    int32_t (*object_pair)[2];
    size_t object_pairs;
    job_thickness thickness; /* the list of a result, if it has one */
} merge;

/* ---- options */

/* Copies the normal form without its frames=, shard=, of= and units=, which differ between shards;
 * *of gets the value of of=, the frames of all shards. */
static void split_options(const char *normal, char *common, size_t size, char of[64])
{
    const char *objects = strstr(normal, " objects=");
    size_t n = 0;
    *of = *common = 0;
    for (const char *at = normal; *at && at != objects;) {
        size_t length = strcspn(at, " ");
        if (!strncmp(at, "of=", 3))
            snprintf(of, 64, "%.*s", (int)length - 3, at + 3);
        else if (strncmp(at, "frames=", 7) && strncmp(at, "shard=", 6) && strncmp(at, "units=", 6))
            n += (size_t)snprintf(common + n, size - n, "%.*s ", (int)length, at);
        at += length;
        at += *at == ' ' && at != objects;
    }
    /* names of arrays may have blanks: they are last and stay as they are */
    snprintf(common + n, size - n, "%s", objects ? objects + 1 : "");
}

/* Writes the options as a run without --shard and --space does: frames= after dop=, then space=. */
static int join_options(merge *s, const char *first, const char *of)
{
    const char *dop = strstr(s->common, "dop="), *rest = dop ? strchr(dop, ' ') : NULL;
    const char *after = rest;
    long long count = 0;
    unsigned long long from = 0;
    if (rest && s->slabs)
        after = strchr(rest + 1, ' ');
    if (!rest || !after || sscanf(of, "%llu+%lld*%lld", &from, &count, &s->whole.step) != 3 ||
        count < 0)
        return imp_fail(IMP_ERR_INPUT, "%s: /impinge: options: not understood", first);
    snprintf(s->normal, sizeof s->normal, "%.*s frames=%s%s", (int)(rest - s->common), s->common,
             of, after);
    s->whole.first = from;
    s->whole.steps = (uint64_t)count - (strstr(s->common, "continuous=1") && count);
    return IMP_OK;
}

/* ---- checks */

/* Returns the difference between two shards, or NULL. */
static const char *merge_shards_differ(const merge *s, const result_info *i, const char *common)
{
    return strcmp(i->version, s->version)       ? "another version of impinge"
           : i->input_bytes != s->input_bytes   ? "an input of another size"
           : strcmp(i->shard.tables, s->tables) ? "another input"
           : strcmp(common, s->common)          ? "other options"
                                                : NULL;
}

static int merge_set_thickness(merge *s, const result_info *i)
{
    int err = IMP_OK;
    const size_t n = i->thicknesses;
    job_thickness *t = &s->thickness;
    TRY(mem_alloc(&s->m, n * sizeof *t->object, &t->object));
    TRY(mem_alloc(&s->m, n * sizeof *t->value, &t->value));
    if (n) {
        memcpy(t->object, i->thickness_object, n * sizeof *t->object);
        memcpy(t->value, i->thickness, n * sizeof *t->value);
    }
    t->of = (batch_thickness){.source = n ? BATCH_THICKNESS_OBJECTS : BATCH_THICKNESS_NONE,
                              .objects = n,
                              .object = t->object,
                              .value = t->value};
out:
    return err;
}

/* The first shard determines the common properties. */
static int merge_set_common(merge *s, const char *first, const result_info *i, const char *common,
                            const char *of)
{
    int err = IMP_OK;
    snprintf(s->common, sizeof s->common, "%s", common);
    snprintf(s->version, sizeof s->version, "%s", i->version);
    snprintf(s->tables, sizeof s->tables, "%s", i->shard.tables);
    snprintf(s->input, sizeof s->input, "%s", i->input);
    snprintf(s->device, sizeof s->device, "%s", i->device);
    s->input_bytes = i->input_bytes;
    s->shards = i->shard.count;
    s->slabs = i->units.slabs;
    TRY(join_options(s, first, of));
    TRY(mem_alloc(&s->m, i->object_pairs * sizeof *s->object_pair, &s->object_pair));
    s->object_pairs = i->object_pairs;
    if (i->object_pairs)
        memcpy(s->object_pair, i->object_pair, i->object_pairs * sizeof *s->object_pair);
    TRY(merge_set_thickness(s, i));
    TRY(mem_alloc(&s->m, s->shards * sizeof *s->shard, &s->shard));
    memset(s->shard, 0, s->shards * sizeof *s->shard);
out:
    return err;
}

static int merge_add_pieces(merge *s, const result_info *i, merge_shard *to)
{
    int err = IMP_OK;
    TRY(mem_alloc(&s->m, i->shard.pieces * sizeof *to->piece, &to->piece));
    to->pieces = i->shard.pieces;
    if (to->pieces)
        memcpy(to->piece, i->shard.piece, to->pieces * sizeof *to->piece);
out:
    return err;
}

static int check_shard(merge *s, char *path, const char *first, const result_info *i)
{
    int err = IMP_OK;
    char common[4096], of[64];
    if (!i->shard.count)
        FAIL(IMP_ERR_INPUT, "%s: is no shard: run --shard makes them", path);
    if (!i->complete)
        FAIL(IMP_ERR_INPUT, "%s: is not complete: only %s", path,
             cli_count_text(i->frames, "frame"));
    split_options(i->options, common, sizeof common, of);
    if (!s->shard)
        TRY(merge_set_common(s, first, i, common, of));
    const char *what = merge_shards_differ(s, i, common);
    if (what)
        FAIL(IMP_ERR_INPUT, "%s: was made with %s, unlike %s", path, what, first);
    if (i->shard.count != s->shards)
        FAIL(IMP_ERR_INPUT, "%s: is one of %" PRIu64 " shards, %s one of %" PRIu64, path,
             i->shard.count, first, s->shards);
    merge_shard *to = &s->shard[i->shard.index];
    if (to->file)
        FAIL(IMP_ERR_INPUT, "%s: is shard %" PRIu64 "/%" PRIu64 ", and so is %s", path,
             i->shard.index, i->shard.count, to->file);
    to->file = path;
    to->first = i->units.first;
    to->units = i->units.count;
    TRY(merge_add_pieces(s, i, to));
out:
    return err;
}

/* Accepts shards in any order. Each file is closed again: there may be more than a process may have
 * open. */
static int merge_read_infos(merge *s, char **files, size_t count)
{
    int err = IMP_OK;
    struct stat st;
    for (size_t k = 0; k < count && !err; k++) {
        result_reader *r;
        err = result_open_info(&s->m, files[k], &r);
        if (!err) {
            s->sum.rows += result_row_count(r);
            s->sum.bytes += stat(files[k], &st) ? 0 : (uint64_t)st.st_size;
            err = check_shard(s, files[k], files[0], result_get_info(r));
        }
        result_close(r);
    }
    return err;
}

/* Reports the missing shards by number. */
static int check_all_there(const merge *s)
{
    char list[200] = "";
    uint64_t missing = 0;
    size_t n = 0;
    for (uint64_t k = 0; k < s->shards; k++) {
        if (s->shard[k].file)
            continue;
        if (missing++ < 8)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%" PRIu64, missing > 1 ? ", " : "",
                                  k);
    }
    if (!missing)
        return IMP_OK;
    return imp_fail(IMP_ERR_INPUT, "%s: of %" PRIu64 " shards %s %s%s missing", s->out, s->shards,
                    list, missing > 8 ? "and more " : "", missing > 1 ? "are" : "is");
}

/* ---- joining */

static int add_shard(merge *s, result_join *j, const char *path, result_reader *r)
{
    int err = IMP_OK;
    const result_info *i = result_get_info(r);
    if (signals_came())
        FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", s->out);
    result_join_sums(j, &s->sum.frames, &s->sum.contacts);
    for (uint64_t k = 0; k < i->frames; k++) {
        const int64_t want = (int64_t)s->whole.first + (int64_t)(s->sum.frames + k) * s->whole.step;
        if (i->of.input_frame[k] != want)
            FAIL(IMP_ERR_INPUT, "%s: has frame %" PRId64 " of the input where %" PRId64 " belongs",
                 path, i->of.input_frame[k], want);
    }
    TRY(result_join_add(j, path, r));
out:
    return err;
}

/* Joins shards of units, which are consecutive. */
static int add_units(merge *s, result_join *j)
{
    int err = IMP_OK;
    slab_file *source = NULL;
    uint64_t next = 0;
    TRY(mem_alloc(&s->m, s->shards * sizeof *source, &source));
    for (uint64_t k = 0; k < s->shards; k++) {
        const merge_shard *from = &s->shard[k];
        if (from->first != next)
            FAIL(IMP_ERR_INPUT, "%s: begins with slab %" PRIu64 " of all, and not with %" PRIu64,
                 from->file, from->first, next);
        source[k] = (slab_file){from->file, from->first, from->units, NULL};
        next += from->units;
    }
    if (next != s->whole.steps * s->slabs)
        FAIL(IMP_ERR_INPUT, "%s: shards have %" PRIu64 " slabs, and not %" PRIu64, s->out, next,
             s->whole.steps * s->slabs);
    TRY(slabs_join(&s->m, j, source, s->shards, s->slabs));
out:
    mem_free(&s->m, source);
    return err;
}

/* Computes the hash of the input from the pieces of all shards, in order. */
static int sum_pieces(merge *s, uint64_t *hash)
{
    int err = IMP_OK;
    const uint64_t want = s->input_bytes / FILE_PIECE + (s->input_bytes % FILE_PIECE != 0);
    uint64_t *piece = NULL, pieces = 0;
    for (uint64_t k = 0; k < s->shards; k++)
        pieces += s->shard[k].pieces;
    if (pieces != want)
        FAIL(IMP_ERR_INPUT, "%s: shards have hashed %" PRIu64 " pieces of %" PRIu64, s->out, pieces,
             want);
    TRY(mem_alloc(&s->m, pieces * sizeof *piece, &piece));
    pieces = 0;
    for (uint64_t k = 0; k < s->shards; pieces += s->shard[k++].pieces)
        if (s->shard[k].pieces)
            memcpy(piece + pieces, s->shard[k].piece, s->shard[k].pieces * sizeof *piece);
    *hash = file_pieces_sum(piece, pieces);
out:
    mem_free(&s->m, piece);
    return err;
}

static int merge_begin(merge *s, uint64_t hash, result_reader *like, result_join **out)
{
    const result_info *info = result_get_info(like);
    const result_provenance provenance = {
        .command = s->command,
        .options = s->normal,
        .device = s->device,
        .input = s->input,
        .input_bytes = s->input_bytes,
        .input_hash = hash,
        .object_pair = s->object_pairs ? (const int32_t(*)[2])s->object_pair : NULL,
        .object_pairs = s->object_pairs,
        .thickness = &s->thickness.of,
        .inside_object = info->inside_object,
        .inside_objects = info->inside_objects,
        .like = like};
    return result_join_begin(&s->m, s->out, s->o.force, !s->refer, s->sum.rows, &provenance, out);
}

static int merge_join(merge *s)
{
    int err = IMP_OK;
    result_join *j = NULL;
    result_reader *r = NULL;
    uint64_t hash = 0;
    TRY(sum_pieces(s, &hash));
    for (uint64_t k = 0; k < s->shards; k++) {
        if (s->slabs && j)
            break;
        TRY(result_open(&s->m, s->shard[k].file, &r));
        s->whole.inside = result_get_info(r)->inside;
        if (!j)
            TRY(merge_begin(s, hash, r, &j));
        if (!s->slabs)
            TRY(add_shard(s, j, s->shard[k].file, r));
        result_close(r);
        r = NULL;
    }
    if (s->slabs)
        TRY(add_units(s, j));
    result_join_sums(j, &s->sum.frames, &s->sum.contacts);
    if (s->sum.frames != s->whole.steps)
        FAIL(IMP_ERR_INPUT, "%s: shards have %" PRIu64 " frames, and not %" PRIu64, s->out,
             s->sum.frames, s->whole.steps);
    err = result_join_finish(j);
    j = NULL;
out:
    result_close(r);
    result_join_discard(j);
    return err;
}

/* ---- the verb */

/* Prints the shards, for a message: all, or only the first two and the last if there are many. */
static void print_shards(const merge *s)
{
    const uint64_t listed = s->shards <= LISTED ? s->shards : 2;
    for (uint64_t k = 0; k < listed; k++)
        printf("%s %s", k ? "," : "", cli_shown(s->shard[k].file));
    if (listed < s->shards)
        printf(" ... %s", cli_shown(s->shard[s->shards - 1].file));
    printf("\n");
}

static void merge_print_summary(const merge *s)
{
    printf("%s: %s, %s, of %s\n", cli_shown(s->out), cli_count_text(s->sum.frames, "frame"),
           cli_count_text(s->sum.contacts, s->whole.inside ? "vertex inside" : "contact"),
           cli_count_text(s->shards, "shard"));
    if (!s->refer)
        return;
    printf("%s refers to the rows of the shards; keep it together with", cli_shown(s->out));
    print_shards(s);
}

static int merge_all_shards(merge *s, char **files, size_t count)
{
    int err = IMP_OK;
    outputs claimed = {0};
    s->m.limit = mem_machine() / BUDGET_MACHINE_SHARE; /* a damaged file may ask for any amount */
    signals_watch(NULL);
    for (size_t k = 0; k < count; k++)
        TRY(outputs_reads(&claimed, files[k]));
    TRY(store_path_check(s->out, s->o.force));
    TRY(outputs_grows(&claimed, "OUT", s->out));
    TRY(merge_read_infos(s, files, count));
    TRY(check_all_there(s));
    if (s->slabs && s->o.virtual)
        FAIL(IMP_ERR_ARGUMENT, "--virtual: shards of slabs have parts of frames, whose rows are "
                               "sorted into one order; so they are copied");
    s->refer = s->o.virtual || (!s->o.copy && !s->slabs && s->sum.bytes >= COPY_LEAST);
    TRY(merge_join(s));
    if (!s->o.quiet)
        merge_print_summary(s);
out:
    outputs_free(&claimed);
    for (uint64_t k = 0; s->shard && k < s->shards; k++)
        mem_free(&s->m, s->shard[k].piece);
    mem_free(&s->m, s->shard);
    mem_free(&s->m, s->object_pair);
    mem_free(&s->m, s->thickness.object);
    mem_free(&s->m, s->thickness.value);
    return err;
}

static int merge_run(int argc, char **argv)
{
    merge s = {0};
    int count;
    cli_command_line(argc, argv, s.command, sizeof s.command);
    int code = cli_parse(&verb_merge, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    if (count < 2)
        return cli_usage_error(&verb_merge, "shards are missing");
    if (s.o.copy && s.o.virtual)
        return cli_usage_error(&verb_merge, "either --copy or --virtual");
    s.out = argv[0];
    int err = merge_all_shards(&s, argv + 1, (size_t)count - 1);
    return err ? cli_fail(err) : 0;
}

const cli_verb verb_merge = {
    .name = "merge",
    .usage = "OUT.vtkhdf SHARD.vtkhdf... [options]",
    .text = "joins the results of all shards of an input (run --shard)",
    .options = options,
    .examples = "  impinge merge contacts.vtkhdf shard-*.vtkhdf\n"
                "  impinge merge contacts.vtkhdf shard-*.vtkhdf --virtual\n",
    .run = merge_run,
    .about = "Shards are given in any order, each once, all complete, of one input, with the same "
             "options and version; what lacks is named, with exit code 3, and so is a frame whose "
             "rows are not those that its run wrote (each has a checksum). OUT has the frames of a "
             "run without --shard. It has all rows itself, if the shards have less than 1 GiB or "
             "with --copy; else it refers to the shards, and the last line says which files must "
             "stay together. After a merge that was killed the same command makes OUT again.",
    .least = "a name for the result, and shards, are missing",
};
