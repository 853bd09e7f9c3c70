/* See result.h. */
#define _GNU_SOURCE
#include "error.h"
#include "h5.h"
#include "result.h"
#include "store.h"
#include "vtkhdf_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- writing */

/* The rest of the provenance cannot change: provenance_check would have rejected it. */
int provenance_write_texts(hid_t group, const char *path, const result_provenance *o)
{
    int err = IMP_OK;
    TRY(h5_put_text(group, path, "command", o->command));
    TRY(h5_put_text(group, path, "device", o->device));
    TRY(h5_put_text(group, path, "collide_txt", o->collide_txt ? o->collide_txt : ""));
    TRY(h5_put_text(group, path, "csv", o->csv ? o->csv : ""));
    TRY(h5_put_text(group, path, "counts", o->counts ? o->counts : ""));
    TRY(h5_put_text(group, path, "contours", o->contours ? o->contours : ""));
    TRY(h5_put_text(group, path, "regions", o->regions ? o->regions : ""));
    TRY(h5_put_text(group, path, "json", o->json ? o->json : ""));
out:
    return err;
}

/* Stores the list itself, not the name of its file, which may change. */
static int provenance_write_object_pairs(mem *m, hid_t group, const char *path,
                                         const result_provenance *o)
{
    static const h5_grow_def list = {"object_pairs", COLUMN_I32, 2, 1024};
    return o->object_pair ? h5_write(m, group, path, &list, o->object_pair, o->object_pairs)
                          : IMP_OK;
}

/* Likewise the thicknesses of objects. */
static int provenance_write_thickness(mem *m, hid_t group, const char *path,
                                      const result_provenance *o)
{
    int err = IMP_OK;
    static const h5_grow_def objects = {"thickness_objects", COLUMN_I32, 0, 1024};
    static const h5_grow_def values = {"thickness", COLUMN_F64, 0, 1024};
    const batch_thickness *t = o->thickness;
    if (!t || t->source != BATCH_THICKNESS_OBJECTS)
        return IMP_OK;
    TRY(h5_write(m, group, path, &objects, t->object, t->objects));
    TRY(h5_write(m, group, path, &values, t->value, t->objects));
out:
    return err;
}

/* Likewise the objects of --inside. */
static int provenance_write_inside(mem *m, hid_t group, const char *path,
                                   const result_provenance *o)
{
    static const h5_grow_def objects = {"inside_objects", COLUMN_I32, 0, 1024};
    return o->inside_object
               ? h5_write(m, group, path, &objects, o->inside_object, o->inside_objects)
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

/* A shard's input is recognised by the tables, which all shards read, and by the shard's pieces. */
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
    TRY(provenance_write_thickness(m, group, path, o));
    TRY(provenance_write_inside(m, group, path, o));
    TRY(provenance_write_pieces(m, group, path, o));
out:
    return err;
}

/* ---- comparing */

/* One "key=value" of a normal form, in the form of the command line. A longer value is truncated;
 * if two then look the same, provenance_options_differ gives its general message. */
typedef struct token {
    char key[32], value[1024];
} token;

/* Reads the next token of a normal form; returns 0 at its end. The last one, objects=, may contain
 * blanks. */
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
    /* messages describe frames in words, since the normal form is not that of --frames */
    unsigned long long first, count;
    long long step;
    if (!strcmp(out->key, "frames") &&
        sscanf(out->value, "%llu+%llu*%lld", &first, &count, &step) == 3)
        snprintf(out->value, sizeof out->value, "%llu frames from %llu, step %lld", count, first,
                 step);
    *at = s + n;
    return 1;
}

/* Returns the value of a key in a normal form; "" if absent. */
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

/* Returns whether `others` has all tokens of `options`, except those of slabs. */
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

int provenance_has_thickness(const char *options)
{
    return provenance_token(options, "thickness").value[0] &&
           strcmp(provenance_token(options, "stage").value, "candidates") != 0;
}

/* 0 in the text of a damaged distance: strtod reads nothing. Thicknesses may be any. */
int provenance_distance(const char *options, double *distance)
{
    const token t = provenance_token(options, "distance");
    const int any = !strcmp(provenance_token(options, "rows").value, "objects") ||
                    provenance_token(options, "thickness").value[0];
    *distance = any ? INFINITY : strtod(t.value, NULL);
    return (t.value[0] || any) &&
           strcmp(provenance_token(options, "stage").value, "candidates") != 0;
}

int provenance_has_relations(const char *options)
{
    return provenance_token(options, "inside").value[0] != 0;
}

int provenance_is_inside(const char *options)
{
    return provenance_has_relations(options) &&
           strcmp(provenance_token(options, "rows").value, "contacts") != 0;
}

int provenance_is_simulated(const char *options)
{
    return provenance_token(options, "scene").value[0] ||
           provenance_token(options, "batch").value[0];
}

/* Returns the value as a user would give it: a default is 0 in the normal form, or missing; 0 is
 * also a frame, and a distance. */
static const char *provenance_as_given(const token *t, const char *key)
{
    if (!t->value[0])
        return strcmp(key, "volume") ? "not given" : "dop";
    if (!strcmp(key, "continuous"))
        return "given";
    const int zero =
        !strcmp(key, "baseline") || !strcmp(key, "distance") || !strcmp(key, "thickness");
    return strcmp(t->value, "0") || zero ? t->value : "not given";
}

/* Reports an option whose value differs, or that only one of the two has. */
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
            if (!strcmp(t.key, "thickness") && !strncmp(then, "file:", 5) &&
                !strncmp(now, "file:", 5))
                then = "another list", now = "this one";
            if (!strcmp(t.key, "inside") && strchr(then, ':') && strchr(now, ':'))
                then = "another list", now = "this one";
            then = !strcmp(t.key, "inside") && strchr(then, ':') ? "a list" : then;
            now = !strcmp(t.key, "inside") && strchr(now, ':') ? "a list" : now;
            return imp_fail(IMP_ERR_INPUT,
                            "%s: cannot be resumed: it was made with other options: --%s was %s, "
                            "is %s",
                            path, t.key, then, now);
        }
    }
    return imp_fail(IMP_ERR_INPUT, "%s: cannot be resumed: it was made with other options", path);
}

/* Rows of two versions must not be mixed: a bug fixed between them would affect only one half. */
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

/* Sums and texts find the frames by their numbers. */
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

static int provenance_check_relations(result_reader *r, const char *path, uint64_t f)
{
    int err = IMP_OK;
    const result_info *i = result_get_info(r);
    step_relations of;
    if (!i->relations)
        return IMP_OK;
    TRY(result_read_relations(r, f, &of));
    if (result_relations_checksum(&of) != i->of.relations_checksum[f])
        FAIL(IMP_ERR_INPUT, "%s: cannot be resumed: the relations of frame %llu are damaged", path,
             (unsigned long long)i->of.input_frame[f]);
out:
    return err;
}

/* Checks each frame's rows against its checksum, so that damage is found before anything is
 * appended. */
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
        TRY(provenance_check_relations(r, path, f));
    }
out:
    result_close(r);
    return err;
}

/* A complete file of this command is its answer; that of another command is another result. */
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

/* ---- OUT.part and OUT.part.new, under which a file grows. A file of an earlier run without a
 * finished frame is removed silently; any other file may belong to the user. */

/* Returns whether the writer was killed while it created the file: it has only our groups, and no
 * point; or it cannot be read. */
static int stale_parts_is_unbegun(hid_t file, const char *path)
{
    H5G_info_t root;
    h5_data points = {.id = -1};
    int rows = 0;
    if (H5Gget_info(file, &root) < 0)
        return 1;
    hsize_t ours = (hsize_t)h5_exists(file, "VTKHDF") + (hsize_t)h5_exists(file, "impinge");
    if (h5_exists(file, "VTKHDF/Points") &&
        !h5_data_open(NULL, file, path, "", "VTKHDF/Points", &points))
        rows = points.rows > 0;
    h5_data_close(&points);
    return root.nlinks == ours && !rows;
}

/* Returns the number of finished frames of an unfinished file of ours; or the reason why it is not
 * ours. */
enum { NOT_OURS = -1, NOT_OPEN = -2 };

static int64_t stale_parts_count_frames(const char *part)
{
    int64_t n = NOT_OURS;
    hid_t file, steps = -1;
    if (h5_open(part, 0, &file))
        return NOT_OPEN;
    if (h5_exists(file, "VTKHDF/Steps"))
        steps = H5Gopen2(file, "VTKHDF/Steps", H5P_DEFAULT);
    /* a killed writer leaves a file without Steps, but so may others: the contents decide */
    if (steps < 0 || h5_attr_integers(steps, part, "/VTKHDF/Steps", "NSteps", &n, 1))
        n = stale_parts_is_unbegun(file, part) ? 0 : NOT_OURS;
    h5_drop(steps);
    H5Fclose(file);
    return n;
}

/* HDF5 creates the file before it writes to it. */
static int stale_parts_is_empty(const char *path)
{
    struct stat s;
    return !lstat(path, &s) && S_ISREG(s.st_mode) && s.st_size == 0;
}

/* A file whose writer was killed before the first flush begins with HDF5's signature, or with
 * zeros; it does not open, or is empty. */
static int stale_parts_is_just_begun(const char *path)
{
    char head[8] = "";
    struct stat s;
    if (lstat(path, &s) || !S_ISREG(s.st_mode))
        return 0;
    int f = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = f < 0 ? -1 : read(f, head, sizeof head);
    if (f >= 0)
        close(f);
    if (n < 0 || (memcmp(head, "\211HDF\r\n\032\n", 8) && memcmp(head, "\0\0\0\0\0\0\0", 8)))
        return 0;
    int64_t frames = stale_parts_count_frames(path);
    return frames == 0 || frames == NOT_OPEN;
}

/* Returns the noun for the file's frames; *resumable: a run can continue it. */
static const char *stale_parts_noun(const char *part, int *resumable)
{
    mem m = {0};
    result_reader *r = NULL;
    const int opened = !result_open(&m, part, &r);
    const int steps = opened && result_get_info(r)->continuous;
    *resumable = !opened || !result_get_info(r)->simulated;
    result_close(r);
    return steps ? "step" : "frame";
}

/* Returns whether it is a batch of a simulation that was stopped: only such a batch is left with
 * frames and has bodies. */
static int stale_parts_is_batch(const char *part)
{
    hid_t file;
    if (h5_open(part, 0, &file))
        return 0;
    const int has = h5_exists(file, "impinge") && h5_exists(file, "impinge/bodies");
    H5Fclose(file);
    return has;
}

/* It may hold hours of computing, so a file with finished frames, or an unknown file, is kept. */
static int stale_parts_may_replace(const char *part, int force, int results)
{
    struct stat s;
    if (lstat(part, &s))
        return IMP_OK;
    if (h5_in_use(part))
        return imp_fail(IMP_ERR_FILE, "%s: in use by another run", part);
    if (force || stale_parts_is_empty(part))
        return IMP_OK;
    int64_t n = S_ISREG(s.st_mode) ? stale_parts_count_frames(part) : NOT_OURS;
    if (n == 0)
        return IMP_OK;
    int resumable;
    if (n > 0 && result_is_file(part)) {
        const char *noun = stale_parts_noun(part, &resumable);
        return imp_fail(IMP_ERR_EXISTS, "%s: holds %lld finished %s%s; %s--force starts again",
                        part, (long long)n, noun, n == 1 ? "" : "s",
                        results && resumable ? "--resume continues from there, " : "");
    }
    if (n > 0 && stale_parts_is_batch(part))
        return imp_fail(IMP_ERR_EXISTS, "%s: holds %lld finished frame%s; --force starts again",
                        part, (long long)n, n == 1 ? "" : "s");
    return imp_fail(IMP_ERR_EXISTS,
                    "%s: exists, and is not what a run that was stopped leaves; --force replaces "
                    "it",
                    part);
}

/* Returns whether it is a join that was killed before it was renamed: all its contents exist
 * elsewhere, so it can be created again. */
static int stale_parts_is_join(mem *m, const char *part, const result_provenance *provenance)
{
    int complete = 0;
    return provenance && !h5_in_use(part) && result_is_file(part) &&
           !provenance_check(m, part, provenance, &complete) && complete;
}

int result_join_check_stale_parts(mem *m, const char *path, int force,
                                  const result_provenance *provenance)
{
    int err = IMP_OK;
    char *part = NULL;
    TRY(store_part_name(path, &part));
    if (!stale_parts_is_join(m, part, provenance))
        TRY(stale_parts_may_replace(part, force, 0));
out:
    free(part);
    return err;
}

int stale_parts_drop_join(mem *m, const char *path, const result_provenance *provenance)
{
    char *part = NULL;
    int err = store_part_name(path, &part);
    if (!err && stale_parts_is_join(m, part, provenance))
        unlink(part);
    free(part);
    return err;
}

/* Returns whether the file has units that belong to no shard, and (unless `force`) the same input
 * and options, so that the result contains all of them. */
static int stale_parts_are_units(mem *m, const char *path, int force,
                                 const result_provenance *provenance)
{
    char hash[24];
    result_reader *r = NULL;
    if (h5_in_use(path) || !result_is_file(path) || result_open_info(m, path, &r))
        return 0;
    const result_info *i = result_get_info(r);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)provenance->input_hash);
    const int same = i->input_bytes == provenance->input_bytes && !strcmp(i->input_hash, hash) &&
                     provenance_same_but_units(i->options, provenance->options);
    const int are = i->units.slabs && !i->shard.count && (force || same);
    result_close(r);
    return are;
}

/* PATH.part.new never holds a unit. */
void result_units_drop_stale(mem *m, const char *path, int force,
                             const result_provenance *provenance)
{
    char *part = NULL, *fresh = NULL;
    if (store_part_name(path, &part) || asprintf(&fresh, "%s.new", part) < 0)
        fresh = NULL;
    if (stale_parts_are_units(m, path, force, provenance))
        unlink(path);
    if (part && stale_parts_are_units(m, part, force, provenance))
        unlink(part);
    if (fresh && !h5_in_use(fresh) && stale_parts_is_just_begun(fresh))
        unlink(fresh);
    free(part);
    free(fresh);
}

/* OUT.part.new never holds a frame: it is renamed before the first. */
int stale_parts_clear(const char *part, const char *fresh, int force, int results)
{
    int err = IMP_OK;
    struct stat s;
    TRY(stale_parts_may_replace(part, force, results));
    if (lstat(fresh, &s))
        goto out;
    if (h5_in_use(fresh))
        FAIL(IMP_ERR_FILE, "%s: in use by another run", part);
    if (!force && !stale_parts_is_just_begun(fresh))
        FAIL(IMP_ERR_EXISTS, "%s: exists already; --force replaces it", fresh);
    unlink(fresh);
out:
    return err;
}

/* ---- Size and hash of an input, to recognise it: the file and those behind it, as if they were
 * one. It is hashed in pieces, so that tasks that share an input can share this work, too. */

#define BUFFER ((size_t)1 << 17)

/* ---- files */

/* Callback of h5_files. */
static int add_file(void *to, const char *path)
{
    struct stat s;
    file_pieces *p = to;
    char **more = realloc(p->file, (p->files + 1) * sizeof *more);
    if (!more)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    p->file = more;
    p->file[p->files] = strdup(path);
    if (!p->file[p->files])
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    p->files++;
    if (!stat(path, &s))
        p->bytes += (uint64_t)s.st_size;
    return IMP_OK;
}

/* ---- pieces */

typedef struct hashing {
    XXH3_state_t *state;
    char *buffer;
    uint64_t at;        /* position in the whole input */
    uint64_t low, high; /* range to hash */
    uint64_t done;      /* pieces done */
    file_pieces *out;
} hashing;

static void end_piece(hashing *h)
{
    h->out->piece[h->done++] = XXH3_64bits_digest(h->state);
    XXH3_64bits_reset(h->state);
}

/* Returns the number of bytes up to the end of a piece, of the range, of the file, or of the
 * buffer. */
static uint64_t bytes_next(const hashing *h, uint64_t end)
{
    uint64_t n = FILE_PIECE - h->at % FILE_PIECE, to = end < h->high ? end : h->high;
    n = n < to - h->at ? n : to - h->at;
    return n < BUFFER ? n : BUFFER;
}

/* Hashes the part of [low, high) in this file, which begins at h->at and ends at `end`. */
static int hash_part(hashing *h, FILE *f, uint64_t end, const char *path)
{
    const uint64_t skip = h->low > h->at ? h->low - h->at : 0;
    if (fseeko(f, (off_t)skip, SEEK_SET))
        return imp_fail(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    for (h->at += skip; h->at < end && h->at < h->high;) {
        const uint64_t n = bytes_next(h, end);
        if (atomic_load(&h->out->stop))
            return imp_fail(IMP_ERR_CANCELLED, "cancelled");
        if (fread(h->buffer, 1, n, f) != n)
            return imp_fail(IMP_ERR_INPUT, "%s: cannot be read", path);
        XXH3_64bits_update(h->state, h->buffer, n);
        h->at += n;
        if (h->at % FILE_PIECE == 0 || h->at == h->out->bytes)
            end_piece(h);
    }
    return IMP_OK;
}

static int hash_file(hashing *h, const char *path)
{
    int err = IMP_OK;
    struct stat s;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &s))
        FAIL(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    const uint64_t end = h->at + (uint64_t)s.st_size;
    if (end > h->low && h->at < h->high)
        TRY(hash_part(h, f, end, path));
    h->at = end;
out:
    if (f)
        fclose(f);
    return err;
}

/* The pieces of a share follow those of the earlier shares. */
static int alloc_pieces(uint64_t share, uint64_t shares, file_pieces *out)
{
    const uint64_t all = out->bytes / FILE_PIECE + (out->bytes % FILE_PIECE != 0);
    const uint64_t each = all / shares, more = all % shares;
    out->first = each * share + (share < more ? share : more);
    const uint64_t count = each + (share < more);
    out->piece = malloc((count + 1) * sizeof *out->piece);
    out->count = count;
    return out->piece ? IMP_OK : imp_fail(IMP_ERR_MEMORY, "out of memory");
}

int file_pieces_open(const char *path, uint64_t share, uint64_t shares, file_pieces *out)
{
    int err = IMP_OK;
    *out = (file_pieces){0};
    TRY(h5_files(path, "/VTKHDF", add_file, out));
    TRY(alloc_pieces(share, shares, out));
out:
    if (err)
        file_pieces_free(out);
    return err;
}

int file_pieces_read(file_pieces *p)
{
    int err = IMP_OK;
    /* XXH3 needs a state aligned to 64 bytes, which createState allocates */
    hashing h = {.state = XXH3_createState(), .buffer = malloc(BUFFER), .out = p};
    if (!h.state || !h.buffer)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    h.low = p->first * FILE_PIECE;
    h.high = h.low + p->count * FILE_PIECE;
    XXH3_64bits_reset(h.state);
    for (size_t i = 0; i < p->files; i++)
        TRY(hash_file(&h, p->file[i]));
    if (h.done != p->count)
        FAIL(IMP_ERR_INPUT, "%s: was changed while it was read", p->file[0]);
out:
    /* both calls accept NULL */
    free(h.buffer);
    XXH3_freeState(h.state);
    return err;
}

int file_pieces_hash(const char *path, uint64_t share, uint64_t shares, file_pieces *out)
{
    int err = file_pieces_open(path, share, shares, out);
    if (err)
        return err;
    err = file_pieces_read(out);
    if (err)
        file_pieces_free(out);
    return err;
}

void file_pieces_free(file_pieces *p)
{
    for (size_t i = 0; i < p->files; i++)
        free(p->file[i]);
    free(p->file);
    free(p->piece);
    *p = (file_pieces){0};
}

uint64_t file_pieces_sum(const uint64_t *piece, uint64_t count)
{
    return XXH3_64bits(piece, count * sizeof *piece);
}

int file_hash(const char *path, uint64_t *bytes, uint64_t *hash)
{
    file_pieces p;
    int err = file_pieces_hash(path, 0, 1, &p);
    *bytes = p.bytes;
    *hash = err ? 0 : file_pieces_sum(p.piece, p.count);
    file_pieces_free(&p);
    return err;
}
