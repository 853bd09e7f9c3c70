/* See job.h: --inside, closed objects that count as solids: all of them, or a list. */
#include "cli.h"
#include "error.h"
#include "job.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define INSIDE_ALL "all" /* in a normal form */

/* ---- options that do not go together */

static const char *job_inside_other(const job_options *o)
{
    return o->continuous                      ? "--continuous, which is about steps between frames"
           : o->distance.given                ? "--distance: rows of both are not the same"
           : o->thickness                     ? "--thickness: rows of both are not the same"
           : o->stage == IMP_STAGE_CANDIDATES ? "--stage candidates, of which nothing is decided"
           : o->adjacent == IMP_ADJACENT_TEST
               ? "--adjacent test: an object meets itself at its edges"
           : o->pairs == IMP_PAIRS_SELF ? "--pairs self: a relation is of two different objects"
                                        : NULL;
}

int job_inside_check(const job_options *o)
{
    const char *other = job_inside_other(o);
    char word[CLI_TEXT_MOST];
    if (!o->inside && (o->inside_open || o->inside_winding))
        return imp_fail(IMP_ERR_ARGUMENT, "--inside-%s: only with --inside",
                        o->inside_open ? "open" : "winding");
    if (!o->inside)
        return IMP_OK;
    if (other)
        return imp_fail(IMP_ERR_ARGUMENT, "--inside: not with %s", other);
    if (o->inside_open && !*o->inside)
        return imp_fail(IMP_ERR_ARGUMENT, "--inside-open: only with --inside=OBJECTS; without a "
                                          "list all objects that are closed count");
    if (o->rows && o->rows < ROWS_VERTICES)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--inside: not with --rows %s; its rows are vertices or contacts",
                        job_normal_word("rows", o->rows, 1, word));
    return IMP_OK;
}

/* ---- the list */

/* Reads the next item: a name in quotes, where two quotes are one, or the text up to a comma
 * without blanks at its ends. Returns 0 if there is none. word: space for the rest of the list. */
static int job_inside_item(const char **at, char *word, int *quoted)
{
    const char *s = text_skip_blanks(*at);
    size_t n = 0;
    *quoted = *s == '"';
    if (*quoted) {
        for (s++; *s && (*s != '"' || s[1] == '"'); s++) {
            s += *s == '"';
            word[n++] = *s;
        }
        if (*s != '"')
            return 0;
        s = text_skip_blanks(s + 1);
    } else {
        while (*s && *s != ',')
            word[n++] = *s++;
        while (n && strchr(" \t", word[n - 1]))
            n--;
    }
    word[n] = 0;
    *at = s;
    return n && (!*s || *s == ',');
}

static int job_inside_compare(const void *p, const void *q)
{
    const int32_t x = *(const int32_t *)p, y = *(const int32_t *)q;
    return (x > y) - (x < y);
}

/* Sorts the list, each object once, so that equal lists give the same hash in the options of a
 * result. */
static void job_inside_sort(job_inside *l)
{
    size_t kept = 0;
    qsort(l->object, l->count, sizeof *l->object, job_inside_compare);
    for (size_t i = 0; i < l->count; i++)
        if (!kept || l->object[kept - 1] != l->object[i])
            l->object[kept++] = l->object[i];
    l->count = kept;
}

int job_inside_open(job *j)
{
    int err = IMP_OK, quoted;
    const char *at = j->given.inside;
    job_inside *l = &j->inside;
    char *word = NULL;
    if (!at || !*at || l->stored)
        return IMP_OK;
    TRY(mem_alloc(&j->mem.read, strlen(at) + 1, &word));
    /* an item has at least one character, and a comma follows it */
    TRY(mem_alloc(&j->mem.read, (strlen(at) / 2 + 1) * sizeof *l->object, &l->object));
    for (;; at++) {
        if (!job_inside_item(&at, word, &quoted))
            FAIL(IMP_ERR_ARGUMENT,
                 "--inside: '%s' is not a list of objects, by numbers or names with commas "
                 "between them",
                 j->given.inside);
        TRY(object_named("--inside", job_object_names(j), word, quoted, &l->object[l->count]));
        l->count++;
        if (!*at)
            break;
    }
    job_inside_sort(l);
out:
    mem_free(&j->mem.read, word);
    return err;
}

void job_inside_free(job *j)
{
    if (!j->inside.stored)
        mem_free(&j->mem.read, j->inside.object);
    j->inside = (job_inside){0};
}

void job_inside_stored(job *j, const result_info *info)
{
    const char *text = j->given.inside;
    if (!text || !*text)
        return;
    j->inside = (job_inside){.stored = 1, .count = info->inside_objects};
    memcpy(&j->inside.object, &info->inside_object, sizeof j->inside.object); /* only read */
}

/* ---- the normal form */

void job_inside_normal(const job *j, char *out, size_t size)
{
    const job_options *o = &j->given;
    const job_inside *l = &j->inside;
    char list[40] = INSIDE_ALL;
    *out = 0;
    if (!o->inside)
        return;
    if (*o->inside)
        snprintf(list, sizeof list, "%zu:%016llx", l->count,
                 (unsigned long long)XXH3_64bits(l->object, l->count * sizeof *l->object));
    snprintf(out, size, " inside=%s%s%s", list, o->inside_open ? " inside-open=skip" : "",
             o->inside_winding ? " inside-winding=positive" : "");
}

/* The list itself is in a dataset. */
void job_inside_parse(job *j, const char *normal)
{
    char text[CLI_TEXT_MOST];
    if (!job_normal_value(normal, "inside=", text, sizeof text))
        return;
    j->given.inside = strcmp(text, INSIDE_ALL) != 0 ? "/impinge/inside_objects" : "";
    job_normal_option(normal, "inside-open=", j);
    job_normal_option(normal, "inside-winding=", j);
}

/* ---- before the first frame */

/* As for pairs of objects: a list of which no frame has an object is an error. The rules of pairs
 * know which objects frames lack; here each pair is one object twice. */
static int job_inside_warn_missing(job *j)
{
    int err = IMP_OK;
    const job_inside *l = &j->inside;
    int32_t(*pair)[2] = NULL;
    imp_rules *rules = NULL;
    size_t next = 0, missing = 0;
    TRY(mem_alloc(&j->mem.read, l->count * sizeof *pair, &pair));
    for (size_t i = 0; i < l->count; i++)
        pair[i][0] = pair[i][1] = l->object[i];
    TRY(imp_rules_create(&(imp_def){.object_pair = (const int32_t(*)[2])pair,
                                    .object_pairs = l->count,
                                    .object_pairs_exclude = 1},
                         &rules));
    TRY(job_warn_add_frames(j, rules));
    for (int32_t id; imp_rules_missing(rules, &next, &id);)
        missing++;
    if (missing == l->count)
        FAIL(IMP_ERR_INPUT, "%s: --inside %s: no selected frame has %s", j->path, j->given.inside,
             missing > 1 ? "any of these objects" : "this object");
    job_warn_missing(j, rules, "inside", j->given.inside);
out:
    imp_rules_destroy(rules);
    mem_free(&j->mem.read, pair);
    return err;
}

int job_inside_warn(job *j, uint64_t objects)
{
    if (!j->given.inside)
        return IMP_OK;
    if (objects == 1 && j->info.static_topology)
        warnings_add(&j->warnings, "%s: has only one object: nothing can be inside another one",
                     j->path);
    return j->inside.count ? job_inside_warn_missing(j) : IMP_OK;
}
