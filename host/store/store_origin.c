/* See store_origin.h. */
#include "store_origin.h"

#include "error.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- writing */

/* The rest of the provenance cannot change: provenance_check would have refused it. */
int provenance_write_texts(hid_t group, const char *path, const result_provenance *o)
{
    int err = IMP_OK;
    TRY(h5_put_text(group, path, "command", o->command));
    TRY(h5_put_text(group, path, "device", o->device));
    TRY(h5_put_text(group, path, "collide_txt", o->collide_txt ? o->collide_txt : ""));
    TRY(h5_put_text(group, path, "csv", o->csv ? o->csv : ""));
    TRY(h5_put_text(group, path, "counts", o->counts ? o->counts : ""));
    TRY(h5_put_text(group, path, "json", o->json ? o->json : ""));
out:
    return err;
}

/* The list itself, not the name of its file, which may change. */
static int provenance_write_object_pairs(mem *m, hid_t group, const char *path,
                                         const result_provenance *o)
{
    static const h5_grow_def list = {"object_pairs", COLUMN_I32, 2, 1024};
    return o->object_pair ? h5_write(m, group, path, &list, o->object_pair, o->object_pairs)
                          : IMP_OK;
}

int provenance_write_input(hid_t group, const char *path, uint64_t bytes, uint64_t hash)
{
    int err = IMP_OK;
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    const int64_t size = (int64_t)bytes;
    TRY(h5_put_integers(group, path, "input_bytes", &size, 1));
    TRY(h5_put_text(group, path, "input_hash", text));
out:
    return err;
}

/* The input is recognised by what all shards have read of it, and by the bytes that each has. */
static int provenance_write_pieces(mem *m, hid_t group, const char *path,
                                   const result_provenance *o)
{
    static const h5_grow_def list = {"input_pieces", COLUMN_U64, 0, 1024};
    char text[24];
    int err = IMP_OK;
    if (!o->pieces)
        return IMP_OK;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)o->input_tables);
    TRY(h5_put_text(group, path, "input_tables", text));
    TRY(h5_write(m, group, path, &list, o->pieces->piece, o->pieces->count));
out:
    return err;
}

int provenance_write(mem *m, hid_t group, const char *path, const result_provenance *o)
{
    int err = IMP_OK;
    TRY(h5_put_text(group, path, "version", IMP_VERSION));
    TRY(h5_put_text(group, path, "options", o->options));
    TRY(h5_put_text(group, path, "input", o->input));
    TRY(provenance_write_input(group, path, o->input_bytes, o->input_hash));
    TRY(provenance_write_texts(group, path, o));
    TRY(provenance_write_object_pairs(m, group, path, o));
    TRY(provenance_write_pieces(m, group, path, o));
out:
    return err;
}

/* ---- comparing */

/* One "key=value" of a normal form, as the command line has it. A longer value is cut. Then two may
 * look the same, and provenance_options_differ gives its general message. */
typedef struct token {
    char key[32], value[1024];
} token;

/* The next token of a normal form, or 0 at its end. The last one, objects=, may hold blanks. */
static int provenance_next_token(const char **at, token *out)
{
    const char *s = *at + strspn(*at, " ");
    size_t key = strcspn(s, "=");
    if (!s[0] || !s[key])
        return 0;
    snprintf(out->key, sizeof out->key, "%.*s", (int)key, s);
    s += key + 1;
    size_t n = !strcmp(out->key, "objects") ? strlen(s) : strcspn(s, " ");
    snprintf(out->value, sizeof out->value, "%.*s", (int)n, s);
    /* messages show frames in words, since the normal form is not that of --frames */
    unsigned long long first, count;
    long long step;
    if (!strcmp(out->key, "frames") &&
        sscanf(out->value, "%llu+%llu*%lld", &first, &count, &step) == 3)
        snprintf(out->value, sizeof out->value, "%llu frames from %llu, step %lld", count, first,
                 step);
    *at = s + n;
    return 1;
}

/* The value of a key in a normal form; "" if it is not there. */
static token provenance_token(const char *normal, const char *key)
{
    token t;
    while (provenance_next_token(&normal, &t))
        if (!strcmp(t.key, key))
            return t;
    return (token){"", ""};
}

int provenance_shard(const char *options, uint64_t *shard, uint64_t *shards)
{
    const token t = provenance_token(options, "shard");
    unsigned long long i = 0, n = 0;
    int is = sscanf(t.value, "%llu/%llu", &i, &n) == 2 && i < n && n <= SHARDS_MOST;
    *shard = is ? i : 0;
    *shards = is ? n : 0;
    return is;
}

int provenance_partition(const char *options, uint64_t *slabs, uint64_t *first, uint64_t *count)
{
    const token s = provenance_token(options, "space"), t = provenance_token(options, "units");
    unsigned long long k = 0, from = 0, n = 0;
    int is = sscanf(s.value, "%llu", &k) == 1 && sscanf(t.value, "%llu+%llu", &from, &n) == 2 &&
             k > 0 && k <= PARTITION_SLABS_MOST && from <= INT64_MAX && n <= INT64_MAX;
    *slabs = is ? k : 0;
    *first = is ? from : 0;
    *count = is ? n : 0;
    return is;
}

/* Has `others` all that `options` has, apart from slabs? */
static int provenance_has_all_but_units(const char *options, const char *others)
{
    for (token t; provenance_next_token(&options, &t);)
        if (strcmp(t.key, "space") && strcmp(t.key, "units") &&
            strcmp(provenance_token(others, t.key).value, t.value))
            return 0;
    return 1;
}

int provenance_same_but_units(const char *options, const char *others)
{
    return provenance_has_all_but_units(options, others) &&
           provenance_has_all_but_units(others, options);
}

int provenance_is_continuous(const char *options)
{
    return provenance_token(options, "continuous").value[0] == '1';
}

int provenance_has_times(const char *options)
{
    return provenance_is_continuous(options) &&
           strcmp(provenance_token(options, "stage").value, "candidates") != 0;
}

int provenance_is_simulated(const char *options)
{
    return provenance_token(options, "scene").value[0] ||
           provenance_token(options, "batch").value[0];
}

/* As a user would give it: a default is 0 in the normal form, or missing. */
static const char *provenance_as_given(const token *t, const char *key)
{
    if (!t->value[0])
        return strcmp(key, "volume") ? "not given" : "dop";
    if (!strcmp(key, "continuous"))
        return "given";
    return strcmp(t->value, "0") || !strcmp(key, "baseline") ? t->value : "not given";
}

/* An option whose value differs, or that only one of the two has. */
static int provenance_options_differ(const char *path, const char *was, const char *is)
{
    for (int swap = 0; swap < 2; swap++) {
        const char *at = swap ? is : was;
        for (token t; provenance_next_token(&at, &t);) {
            const token other = provenance_token(swap ? was : is, t.key);
            const char *then = provenance_as_given(swap ? &other : &t, t.key);
            const char *now = provenance_as_given(swap ? &t : &other, t.key);
            if (!strcmp(other.value, t.value))
                continue;
            if (!strcmp(t.key, "object-pairs") && other.value[0] && t.value[0])
                then = "another list", now = "this one";
            return imp_fail(IMP_ERR_INPUT,
                            "%s: cannot be resumed: it was made with other options: --%s was %s, "
                            "is %s",
                            path, t.key, then, now);
        }
    }
    return imp_fail(IMP_ERR_INPUT, "%s: cannot be resumed: it was made with other options", path);
}

/* Rows of two versions do not belong together: a bug that was fixed between them would be in one
 * half only. */
static int provenance_is_same(const char *path, const result_info *i, const result_provenance *o)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)o->input_hash);
    if (strcmp(i->version, IMP_VERSION))
        return imp_fail(IMP_ERR_INPUT,
                        "%s: cannot be resumed: it was made by another version of impinge, %s",
                        path, i->version);
    if (!o->simulated && (i->input_bytes != o->input_bytes || strcmp(i->input_hash, hash)))
        return imp_fail(
            IMP_ERR_INPUT,
            "%s: cannot be resumed: it was made from another input: %s, of %llu bytes with "
            "hash %s; %s has %llu with %s",
            path, i->input, (unsigned long long)i->input_bytes, i->input_hash, o->input,
            (unsigned long long)o->input_bytes, hash);
    return strcmp(i->options, o->options) ? provenance_options_differ(path, i->options, o->options)
                                          : IMP_OK;
}

/* Sums and texts look up the frames by their numbers. */
static int provenance_frame_matches(const char *path, const result_info *i,
                                    const result_provenance *o, uint64_t frames, uint64_t k)
{
    const result_frame_match *of = &o->frames;
    if (!of->in)
        return IMP_OK;
    const int64_t frame = i->of.input_frame[k];
    const uint64_t at = o->units ? (of->unit + k) / of->slabs : k;
    const uint64_t want = of->first + at * (uint64_t)of->step;
    if ((uint64_t)frame != want || want >= frames)
        return imp_fail(IMP_ERR_INPUT,
                        "%s: cannot be resumed: it has frame %lld of the input where %llu belongs",
                        path, (long long)frame, (unsigned long long)want);
    const double time = batch_frame_time(of->in, want);
    return i->of.time[k] == time
               ? IMP_OK
               : imp_fail(IMP_ERR_INPUT,
                          "%s: cannot be resumed: frame %llu has time %.17g, not %.17g", path,
                          (unsigned long long)want, i->of.time[k], time);
}

/* Damage is found before anything is appended: each frame's rows against its checksum. */
int provenance_check(mem *m, const char *path, const result_provenance *o, int *complete)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    batch_info in = {0};
    TRY(result_open(m, path, &r));
    const result_info *i = result_get_info(r);
    *complete = i->complete;
    if (o->frames.in)
        batch_get_info(o->frames.in, &in);
    TRY(provenance_is_same(path, i, o));
    err = result_check_layout(r);
    if (err)
        imp_fail(err, "%s; cannot be resumed", imp_error_text());
    TRY(err);
    for (uint64_t f = 0; f < i->frames; f++) {
        result_rows rows;
        TRY(provenance_frame_matches(path, i, o, in.frames, f));
        TRY(result_read(r, f, &rows));
        if (result_checksum(&rows) != i->of.checksum[f])
            FAIL(IMP_ERR_INPUT, "%s: cannot be resumed: %s %llu is damaged", path,
                 i->continuous ? "the step from frame" : "frame",
                 (unsigned long long)i->of.input_frame[f]);
    }
out:
    result_close(r);
    return err;
}

/* The complete file of this command is its answer; that of another command is another result. */
int result_is_done(mem *m, const char *path, const result_provenance *provenance)
{
    struct stat s;
    char text[1024];
    int complete;
    if (stat(path, &s))
        return 0;
    int err = provenance_check(m, path, provenance, &complete);
    if (!err && complete)
        return 1;
    if (!err)
        err = imp_fail(IMP_ERR_INPUT, "%s: is not complete, but has the name of the result", path);
    /* a copy: imp_fail overwrites the text that it would read */
    snprintf(text, sizeof text, "%s", imp_error_text());
    return err == IMP_ERR_INPUT ? imp_fail(IMP_ERR_EXISTS, "%s; --force replaces it", text) : err;
}
