/* See job.h. */
#define _GNU_SOURCE
#include "cli.h"
#include "columns.h"
#include "error.h"
#include "frame.h"
#include "job.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct line_pair {
    int32_t a, b;
    int out; /* 1: leave the pair out */
} line_pair;

/* ---- objects, by number or by name */

/* Parses a whole number and nothing else. Objects are int32 in a batch, so larger ones cannot be
 * meant. */
static int is_number(const char *word, int32_t *out)
{
    char *end;
    errno = 0;
    long long n = strtoll(word, &end, 10);
    *out = (int32_t)n;
    return end != word && !*end && !errno && n >= INT32_MIN && n <= INT32_MAX;
}

/* Lists the objects that have this name. */
static void numbers_of(const batch_names *names, const char *name, cli_items *out)
{
    for (size_t i = 0; names && i < names->objects; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)names->object[i]);
        if (!strcmp(names->object_name[i], name))
            cli_items_add(out, number);
    }
}

/* Returns whether the name may have been meant. */
static int object_pairs_is_near(const char *word, const char *name)
{
    cli_near near = {.word = word, .length = strlen(word)};
    cli_near_try(&near, name);
    return near.best || strcasestr(name, word) || strcasestr(word, name);
}

/* Lists the names that are similar to the word, or all names if none is. */
static void list_names(const batch_names *names, const char *word, cli_items *out)
{
    size_t near = 0;
    for (size_t i = 0; i < names->objects; i++)
        near += (size_t)object_pairs_is_near(word, names->object_name[i]);
    for (size_t i = 0; i < names->objects; i++)
        if (!near || object_pairs_is_near(word, names->object_name[i]))
            cli_items_add(out, names->object_name[i]);
}

/* An unknown name is an error: ignoring it would silently leave pairs untested. */
static int unknown(const char *where, const batch_names *names, const char *name)
{
    cli_items list = {0};
    if (!names || !names->objects)
        return imp_fail(IMP_ERR_INPUT, "%s: '%.60s' is no number, and the objects have no names",
                        where, name);
    list_names(names, name, &list);
    return imp_fail(IMP_ERR_INPUT, "%s: there is no object '%.60s'; there is %s", where, name,
                    cli_items_text(&list));
}

static int by_name(const char *where, const batch_names *names, const char *name, int32_t *out)
{
    cli_items list = {0};
    size_t found = 0;
    for (size_t i = 0; names && i < names->objects; i++)
        if (!strcmp(names->object_name[i], name)) {
            *out = names->object[i];
            found++;
        }
    if (!found)
        return unknown(where, names, name);
    if (found == 1)
        return IMP_OK;
    numbers_of(names, name, &list);
    return imp_fail(IMP_ERR_INPUT,
                    "%s: '%.60s' is the name of %zu objects, %s; their numbers tell them apart",
                    where, name, found, cli_items_text(&list));
}

int object_named(const char *where, const batch_names *names, const char *word, int quoted,
                 int32_t *out)
{
    return !quoted && is_number(word, out) ? IMP_OK : by_name(where, names, word, out);
}

/* ---- lines */

int object_pairs_at_end(const char *at)
{
    at = text_skip_blanks(at);
    return !*at || *at == '#';
}

/* Reads a word: in quotes, where two quotes are one, or up to a blank, a comma or a comment. `word`
 * has space for the rest of the line. Returns 0 if no word is left, or if its quotes do not end.
 * *quoted: the word is no number. */
static int object_pairs_next_word(const char **at, char *word, int *quoted)
{
    const char *s = *at;
    *quoted = *s == '"';
    if (!*quoted) {
        const size_t n = strcspn(s, " \t,#");
        memcpy(word, s, n);
        word[n] = 0;
        *at = s + n;
        return n > 0;
    }
    for (s++; *s && (*s != '"' || s[1] == '"'); s++) {
        s += *s == '"';
        *word++ = *s;
    }
    *word = 0;
    *at = s + (*s == '"');
    return *s == '"';
}

int object_pairs_next_object(const text_reader *file, const batch_names *names, const char **at,
                             char *word, int32_t *out)
{
    int quoted;
    char where[512];
    if (!object_pairs_next_word(at, word, &quoted))
        return imp_fail(TEXT_BAD(file, "not a pair of %s", "objects, by numbers or names"));
    snprintf(where, sizeof where, "%.400s: line %" PRIu64, file->path, file->line);
    return object_named(where, names, word, quoted, out);
}

/* *found: the line has a pair and is not empty. word: space for the line */
static int object_pairs_read_line(const text_reader *file, const batch_names *names, const char *at,
                                  char *word, line_pair *out, int *found)
{
    int err = IMP_OK;
    int32_t a = 0, b = 0;
    at = text_skip_blanks(at);
    /* "- 3 4" leaves a pair out, "-3 4" is a pair with object -3 */
    out->out = at[0] == '-' && (at[1] == ' ' || at[1] == '\t');
    at += out->out;
    *found = out->out || !object_pairs_at_end(at);
    if (!*found)
        return IMP_OK;
    at = text_skip_blanks(at);
    TRY(object_pairs_next_object(file, names, &at, word, &a));
    /* a comma too, as in CSV */
    at += strspn(at, " \t,");
    TRY(object_pairs_next_object(file, names, &at, word, &b));
    if (!object_pairs_at_end(at))
        FAIL(TEXT_BAD(file, "more than a pair of %s; a name with blanks is in double quotes",
                      "objects"));
    out->a = a < b ? a : b;
    out->b = a < b ? b : a;
out:
    return err;
}

/* Sorts by pair; lines that leave the pair out are first. */
static int compare(const void *x, const void *y)
{
    const line_pair *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return b->out - a->out;
}

/* Appends the lines of a file to a list. One that cannot be read is an error: a pair left out by
 * mistake would not be noticed. */
static int read_lines(mem *m, const char *path, const batch_names *names, line_pair **list,
                      size_t *count)
{
    int err = IMP_OK;
    size_t capacity = *count;
    const char *line;
    char *word = NULL;
    text_reader file;
    TRY(text_open(path, &file));
    /* a backslash does not join lines here: each line is a pair */
    file.plain_lines = 1;
    TRY(text_next(&file, &line));
    while (line) {
        line_pair p;
        int found;
        TRY(mem_grow(m, 0, strlen(line) + 1, &word));
        TRY(object_pairs_read_line(&file, names, line, word, &p, &found));
        if (*count == capacity) {
            capacity = 2 * capacity + 64;
            TRY(mem_grow(m, *count * sizeof **list, capacity * sizeof **list, list));
        }
        if (found)
            (*list)[(*count)++] = p;
        TRY(text_next(&file, &line));
    }
out:
    mem_free(m, word);
    text_close(&file);
    return err;
}

/* Copies the pairs to test or, if every line leaves a pair out, the pairs left out; each once. */
static size_t object_pairs_resolve(const line_pair *list, size_t n, int exclude, int32_t (*out)[2])
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        int again = i > 0 && list[i].a == list[i - 1].a && list[i].b == list[i - 1].b;
        if (again || list[i].out != exclude)
            continue; /* lines that leave the pair out are first */
        out[count][0] = list[i].a;
        out[count++][1] = list[i].b;
    }
    return count;
}

/* "-" alone is standard input, as elsewhere. */
const char *object_pairs_path(const char *name)
{
    return name[0] == '-' && name[1] ? name + 1 : name;
}

/* Reads the list of --object-pairs. *exclude: each line of it leaves a pair out. */
static int read_listed(mem *m, const char *name, const batch_names *names, line_pair **list,
                       size_t *count, int *exclude)
{
    int err = IMP_OK;
    const char *path = object_pairs_path(name);
    const int inverse = path != name;
    size_t left_out = 0;
    TRY(read_lines(m, path, names, list, count));
    for (size_t i = 0; i < *count; i++) {
        (*list)[i].out |= inverse;
        left_out += (size_t)(*list)[i].out;
    }
    *exclude = inverse || (*count && left_out == *count);
out:
    return err;
}

/* The list is sorted, so that equal lists give the same hash in the options of a result. */
int object_pairs_read(mem *m, const char *name, const char *without, const batch_names *names,
                      object_pairs *out)
{
    int err = IMP_OK;
    line_pair *list = NULL;
    size_t n = 0, listed;
    *out = (object_pairs){.exclude = 1};
    if (name)
        TRY(read_listed(m, name, names, &list, &n, &out->exclude));
    listed = n;
    if (without)
        TRY(read_lines(m, without, names, &list, &n));
    for (size_t i = listed; i < n; i++)
        list[i].out = 1;
    /* qsort must not get NULL */
    if (n)
        qsort(list, n, sizeof *list, compare);
    /* not NULL even without a pair: NULL means that no list was given */
    TRY(mem_alloc(m, n * sizeof *out->pair, &out->pair));
    out->count = object_pairs_resolve(list, n, out->exclude, out->pair);
out:
    mem_free(m, list);
    return err;
}

void object_pairs_free(mem *m, object_pairs *p)
{
    mem_free(m, p->pair);
    *p = (object_pairs){0};
}

/* ---- the pairs of a baseline */

#define FEATURE_WORDS 4 /* an object, and three vertices */

static size_t baseline_words(const baseline *b)
{
    return b->features ? (size_t)2 * FEATURE_WORDS : 2;
}

static int baseline_compare_words(const uint32_t *p, const uint32_t *q, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

static int baseline_compare_prims(const void *p, const void *q)
{
    return baseline_compare_words(p, q, 2);
}

static int baseline_compare_features(const void *p, const void *q)
{
    return baseline_compare_words(p, q, (size_t)2 * FEATURE_WORDS);
}

static int baseline_compare_vertices(const void *p, const void *q)
{
    return baseline_compare_words(p, q, 1);
}

/* Lists the corners of a feature, numbered as in imp_contacts; returns their number. */
static int baseline_corners(const imp_mesh *m, uint32_t prim, int kind, int64_t value, int out[3])
{
    static const uint8_t ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const uint8_t faces[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
    const int solid = mesh_corners_of(m, prim) == IMP_TETRAHEDRA;
    if (kind == IMP_KIND_VERTEX_FACE) {
        for (int k = 0; k < 3; k++)
            out[k] = solid ? faces[-1 - value][k] : k;
        return 3;
    }
    for (int k = 0; k < 2; k++)
        out[k] = ends[value][k];
    return 2;
}

/* Returns whether the feature of a row is a vertex, whose number it then has. Of a vertex and an
 * edge without a face the vertex is all of its primitive. */
static int baseline_is_vertex(const imp_mesh *m, uint32_t prim, int kind, int64_t value)
{
    int one = 1;
    for (uint32_t k = 1; k < 4; k++)
        one &= mesh_vertex(m, prim, k) == mesh_vertex(m, prim, 0);
    return kind == IMP_KIND_VERTEX_EDGE   ? one
           : kind == IMP_KIND_VERTEX_FACE ? value >= 0
                                          : kind == IMP_KIND_VERTEX_VERTEX;
}

/* The object and the vertices of a feature, ascending, of which a vertex or an edge repeats one. */
static void baseline_feature(const baseline_at *at, uint32_t prim, int kind, int64_t value,
                             uint32_t out[FEATURE_WORDS])
{
    const imp_mesh *m = at->mesh;
    int corner[3], n = 0;
    uint32_t *v = out + 1;
    out[0] = m->object ? (uint32_t)m->object[prim] : 0;
    if (baseline_is_vertex(m, prim, kind, value))
        v[0] = v[1] = v[2] = (uint32_t)value;
    else
        n = baseline_corners(m, prim, kind, value, corner);
    for (int k = 0; k < 3; k++) {
        v[k] = n ? mesh_vertex(m, prim, (uint32_t)corner[k < n ? k : n - 1]) : v[k];
        v[k] = at->vertex ? at->vertex[v[k]] : v[k];
    }
    qsort(v, 3, sizeof *v, baseline_compare_vertices);
    v[1] = n == 2 ? v[2] : v[1]; /* the same whichever end was repeated */
}

/* The pair of row i. The features of a pair may change places, as their primitives do. */
static void baseline_key(const baseline *b, const imp_contacts *c, size_t i, const baseline_at *at,
                         uint32_t out[2 * FEATURE_WORDS])
{
    const uint32_t prim[2] = {c->a[i], c->b[i]};
    uint32_t of[2][FEATURE_WORDS];
    if (!b->features) {
        for (int k = 0; k < 2; k++)
            out[k] = at && at->number ? at->number[prim[k]] : prim[k];
        return;
    }
    baseline_feature(at, prim[0], c->kind[i], c->feature_a[i], of[0]);
    baseline_feature(at, prim[1], c->kind[i], c->feature_b[i], of[1]);
    const int turn = baseline_compare_words(of[0], of[1], FEATURE_WORDS) > 0;
    memcpy(out, of[turn], sizeof of[turn]);
    memcpy(out + FEATURE_WORDS, of[!turn], sizeof of[!turn]);
}

baseline_at baseline_at_of(const imp_mesh *mesh, const batch_slab *part)
{
    return (baseline_at){mesh, part ? part->number : NULL, part ? part->vertex : NULL};
}

int baseline_add(baseline *b, mem *m, const imp_contacts *c, const baseline_at *at)
{
    int err = IMP_OK;
    const size_t words = baseline_words(b), bytes = words * sizeof *b->key;
    if (b->count + c->count > b->capacity) {
        const size_t capacity = 2 * (b->count + c->count);
        TRY(mem_grow(m, b->count * bytes, capacity * bytes, &b->key));
        b->capacity = capacity;
    }
    for (size_t i = 0; i < c->count; i++, b->count++) {
        uint32_t key[2 * FEATURE_WORDS];
        baseline_key(b, c, i, at, key);
        memcpy(b->key + words * b->count, key, bytes);
    }
out:
    return err;
}

/* Pairs of primitives are in order already. */
void baseline_end(baseline *b)
{
    if (b->features && b->count)
        qsort(b->key, b->count, baseline_words(b) * sizeof *b->key, baseline_compare_features);
}

void baseline_free(baseline *b, mem *m)
{
    mem_free(m, b->key);
    *b = (baseline){0};
}

int baseline_has(const baseline *b, const imp_contacts *c, size_t i, const baseline_at *at)
{
    uint32_t key[2 * FEATURE_WORDS];
    if (!b->count)
        return 0;
    baseline_key(b, c, i, at, key);
    return bsearch(key, b->key, b->count, baseline_words(b) * sizeof *key,
                   b->features ? baseline_compare_features : baseline_compare_prims) != NULL;
}

typedef struct baseline_pairs {
    const baseline *baseline;
    const baseline_at *at;
} baseline_pairs;

static int baseline_has_row(const void *by, const imp_contacts *c, size_t i)
{
    const baseline_pairs *f = by;
    return baseline_has(f->baseline, c, i, f->at);
}

int baseline_filter(const baseline *b, const imp_contacts *c, const baseline_at *at, imp_sink *sink,
                    void *user)
{
    int err = 0;
    const baseline_pairs by = {b, at};
    const row_filter f = {b->count ? baseline_has_row : NULL, &by};
    imp_contacts rest = *c, run;
    while (rest.count && !err) {
        row_filter_next(&f, &rest, &run);
        err = run.count ? sink(user, &run) : 0;
        columns_skip(&contact_table, &rest, run.count);
        rest.count -= run.count;
    }
    return err;
}

/* ---- See job.h: --baseline, a frame whose pairs are left out of the result. */

/* ---- its number */

int job_baseline_open(job *j)
{
    const char *text = j->given.baseline;
    char *end;
    if (!text)
        return IMP_OK;
    const unsigned long long frame = strtoull(text, &end, 10);
    if (!*text || *end || strspn(text, "0123456789") != strlen(text))
        return imp_fail(IMP_ERR_ARGUMENT, "--baseline: '%s' is not the number of a frame", text);
    if (frame >= j->info.frames)
        return imp_fail(IMP_ERR_ARGUMENT, "--baseline: there is no frame %s; %s has %llu", text,
                        j->path, (unsigned long long)j->info.frames);
    j->baseline.given = 1;
    j->baseline.frame = frame;
    j->baseline.features = job_rows(&j->given) == IMP_ROWS_FEATURES;
    return IMP_OK;
}

/* ---- its pairs */

typedef struct job_pair_sink {
    job *job;
    baseline_at at;
} job_pair_sink;

/* The pipeline's sink. */
static int job_baseline_add_pairs(void *user, const imp_contacts *c)
{
    const job_pair_sink *s = user;
    return baseline_add(&s->job->baseline, &s->job->mem.read, c, &s->at);
}

/* Returns the same rules, but for contacts of one static frame, or pairs within the distance.
 * Columns other than the pairs and their features are not needed. */
static imp_def job_baseline_def(const job *j)
{
    imp_def def = j->def;
    def.continuous = def.solids = def.ids = 0;
    def.min_separation = def.tolerance = 0;
    def.stage = IMP_STAGE_CONTACTS;
    def.update = IMP_UPDATE_REBUILD;
    return def;
}

/* Positions of primitives, and vertices, must have the same meaning in both. */
int job_baseline_check(job *j, uint64_t frame)
{
    int err = IMP_OK;
    const char *what = NULL;
    if (!j->baseline.given)
        return IMP_OK;
    TRY(batch_partition_meshes_differ(j->in, j->baseline.frame, frame, &what));
    if (what)
        FAIL(IMP_ERR_INPUT,
             "%s: --baseline: frames %llu and %llu have different meshes (%s), so their pairs "
             "cannot be compared",
             j->path, (unsigned long long)j->baseline.frame, (unsigned long long)frame, what);
out:
    return err;
}

int job_baseline_read(job *j)
{
    int err = IMP_OK;
    imp *p = NULL;
    batch_block b = {0};
    imp_def def = job_baseline_def(j);
    if (!j->baseline.given)
        return IMP_OK;
    TRY(batch_read(j->in, j->baseline.frame, 1, 1, &b));
    if (j->slice.count)
        TRY(job_baseline_check(j, frame_slice_at(&j->slice, 0)));
    TRY(job_open_for_baseline(j, &def, &p));
    job_pair_sink to = {j, baseline_at_of(b.frame->mesh, batch_block_slab(&b, 0))};
    err = imp_detect(p, b.frame, 1, job_baseline_add_pairs, &to, NULL);
    TRY(job_detect_error(j, err));
    baseline_end(&j->baseline);
out:
    imp_destroy(p);
    batch_block_free(&b);
    return err;
}

void row_filter_next(const row_filter *f, imp_contacts *rest, imp_contacts *run)
{
    size_t left_out = 0, kept = f->out ? 0 : rest->count;
    while (f->out && left_out < rest->count && f->out(f->by, rest, left_out))
        left_out++;
    columns_skip(&contact_table, rest, left_out);
    rest->count -= left_out;
    while (f->out && kept < rest->count && !f->out(f->by, rest, kept))
        kept++;
    *run = *rest;
    run->count = kept;
}
