/* See job.h: --thickness, a number, a file of lines "object thickness", or a cell array. */
#include "cli.h"
#include "error.h"
#include "job.h"
#include "text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define THICKNESS_ARRAY "array:"
#define THICKNESS_FILE "file:" /* in a normal form */

/* ---- the option */

/* Returns whether the word is a number and nothing else. */
static int job_thickness_number(const char *word, double *out)
{
    char *end;
    *out = strtod(word, &end);
    return end != word && !*end;
}

static int job_thickness_good(double x)
{
    return x >= 0 && x <= DBL_MAX;
}

int job_thickness_check(const char *text)
{
    double x;
    if (job_thickness_number(text, &x) && !job_thickness_good(x))
        return imp_fail(IMP_ERR_ARGUMENT, "--thickness: '%s' is not finite and at least 0", text);
    return IMP_OK;
}

/* ---- the file */

typedef struct thickness_list {
    mem *mem;
    int32_t *object; /* [count] */
    double *value;   /* [count] */
    size_t count, capacity;
} thickness_list;

static int thickness_list_add(thickness_list *l, int32_t object, double value)
{
    int err = IMP_OK;
    const size_t more = 2 * l->capacity + 64;
    if (l->count == l->capacity) {
        TRY(mem_grow(l->mem, l->count * sizeof *l->object, more * sizeof *l->object, &l->object));
        TRY(mem_grow(l->mem, l->count * sizeof *l->value, more * sizeof *l->value, &l->value));
        l->capacity = more;
    }
    l->object[l->count] = object;
    l->value[l->count++] = value;
out:
    return err;
}

/* *found: the line is not empty. word: space for the line */
static int thickness_list_line(const text_reader *file, const batch_names *names, const char *at,
                               char *word, thickness_list *to)
{
    int err = IMP_OK;
    int32_t object = 0;
    double value;
    at = text_skip_blanks(at);
    if (object_pairs_at_end(at))
        return IMP_OK;
    TRY(object_pairs_next_object(file, names, &at, word, &object));
    at += strspn(at, " \t,");
    const size_t n = strcspn(at, " \t,#");
    memcpy(word, at, n);
    word[n] = 0;
    if (!job_thickness_number(word, &value) || !object_pairs_at_end(at + n))
        FAIL(TEXT_BAD(file, "not an object and its %s; a name with blanks is in double quotes",
                      "thickness"));
    if (!job_thickness_good(value))
        FAIL(TEXT_BAD(file, "'%.60s' is not finite and at least 0", word));
    TRY(thickness_list_add(to, object, value));
out:
    return err;
}

static int thickness_list_read(const char *path, const batch_names *names, thickness_list *out)
{
    int err = IMP_OK;
    const char *line;
    char *word = NULL;
    text_reader file;
    TRY(text_open(path, &file));
    file.plain_lines = 1; /* a backslash does not join lines */
    TRY(text_next(&file, &line));
    while (line) {
        TRY(mem_grow(out->mem, 0, strlen(line) + 1, &word));
        TRY(thickness_list_line(&file, names, line, word, out));
        TRY(text_next(&file, &line));
    }
out:
    mem_free(out->mem, word);
    text_close(&file);
    return err;
}

typedef struct thickness_line {
    int32_t object;
    double value;
} thickness_line;

static int thickness_line_order(const void *p, const void *q)
{
    const thickness_line *x = p, *y = q;
    return (x->object > y->object) - (x->object < y->object);
}

/* Sorts the list, so that equal lists give the same hash in the options of a result. */
static int thickness_list_sort(const char *path, thickness_list *l)
{
    int err = IMP_OK;
    thickness_line *both = NULL;
    TRY(mem_alloc(l->mem, l->count * sizeof *both, &both));
    for (size_t i = 0; i < l->count; i++)
        both[i] = (thickness_line){l->object[i], l->value[i] + 0.0};
    if (l->count)
        qsort(both, l->count, sizeof *both, thickness_line_order);
    for (size_t i = 0; i < l->count; i++) {
        l->object[i] = both[i].object;
        l->value[i] = both[i].value;
        if (i && both[i].object == both[i - 1].object)
            FAIL(IMP_ERR_INPUT, "%s: has two thicknesses of object %d", path, (int)both[i].object);
    }
out:
    mem_free(l->mem, both);
    return err;
}

static int job_thickness_read(job *j, const char *path)
{
    int err = IMP_OK;
    job_thickness *t = &j->thickness;
    thickness_list l = {.mem = &j->mem.read};
    TRY(thickness_list_read(path, job_object_names(j), &l));
    TRY(thickness_list_sort(path, &l));
    if (!l.count)
        FAIL(IMP_ERR_INPUT, "%s: has no thickness of an object", path);
out:
    t->object = l.object;
    t->value = l.value;
    t->of.object = l.object;
    t->of.value = l.value;
    t->of.objects = l.count;
    return err;
}

/* ---- the normal form. Other options follow, so that blanks and '=' of a name, and the '%' that
 * stands for them, are written as %20, %3D and %25. */

/* Returns whether the name fits. */
static int job_thickness_escape(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (; *name && n + 4 < size; name++)
        if ((unsigned char)*name <= ' ' || strchr("=%", *name))
            n += (size_t)snprintf(out + n, size - n, "%%%02X", (unsigned)(unsigned char)*name);
        else
            out[n++] = *name;
    out[n] = 0;
    return !*name;
}

static void job_thickness_unescape(char *name)
{
    char *to = name;
    for (const char *at = name; *at; to++) {
        unsigned code;
        if (*at == '%' && sscanf(at + 1, "%2X", &code) == 1) {
            *to = (char)code;
            at += 3;
        } else {
            *to = *at++;
        }
    }
    *to = 0;
}

/* ---- the job */

int job_thickness_open(job *j)
{
    int err = IMP_OK;
    const char *text = j->given.thickness;
    batch_thickness *of = &j->thickness.of;
    char name[JOB_THICKNESS_MOST];
    if (!text)
        return IMP_OK;
    if (of->source != BATCH_THICKNESS_NONE) { /* from a result */
    } else if (!strncmp(text, THICKNESS_ARRAY, strlen(THICKNESS_ARRAY))) {
        of->source = BATCH_THICKNESS_ARRAY;
        of->name = text + strlen(THICKNESS_ARRAY);
        if (!*of->name)
            FAIL(IMP_ERR_ARGUMENT, "--thickness: '%s' names no array", text);
        if (!job_thickness_escape(of->name, name, sizeof name))
            FAIL(IMP_ERR_ARGUMENT, "--thickness: the name of the array is too long for a result");
    } else if (job_thickness_number(text, &of->all)) {
        of->source = BATCH_THICKNESS_ALL;
        of->all += 0.0; /* -0 is 0 */
    } else {
        of->source = BATCH_THICKNESS_OBJECTS;
        of->name = text;
        TRY(job_thickness_read(j, text));
    }
    TRY(batch_set_thickness(j->in, of));
out:
    return err;
}

void job_thickness_free(job *j)
{
    mem_free(&j->mem.read, j->thickness.object);
    mem_free(&j->mem.read, j->thickness.value);
    j->thickness = (job_thickness){0};
}

void job_thickness_stored(job *j, const result_info *info)
{
    const char *text = j->given.thickness;
    if (!text || strncmp(text, THICKNESS_FILE, strlen(THICKNESS_FILE)) != 0)
        return;
    j->thickness.of = (batch_thickness){.source = BATCH_THICKNESS_OBJECTS,
                                        .name = "/impinge/thickness",
                                        .objects = info->thicknesses,
                                        .object = info->thickness_object,
                                        .value = info->thickness};
}

static uint64_t job_thickness_hash(const batch_thickness *of)
{
    return XXH3_64bits_withSeed(of->value, of->objects * sizeof *of->value,
                                XXH3_64bits(of->object, of->objects * sizeof *of->object));
}

void job_thickness_normal(const job *j, char *out, size_t size)
{
    const batch_thickness *of = &j->thickness.of;
    char name[JOB_THICKNESS_MOST];
    *out = 0;
    if (of->source == BATCH_THICKNESS_ALL)
        snprintf(out, size, " thickness=%.17g", of->all);
    if (of->source == BATCH_THICKNESS_OBJECTS)
        snprintf(out, size, " thickness=" THICKNESS_FILE "%zu:%016llx", of->objects,
                 (unsigned long long)job_thickness_hash(of));
    if (of->source == BATCH_THICKNESS_ARRAY) {
        (void)job_thickness_escape(of->name, name, sizeof name);
        snprintf(out, size, " thickness=" THICKNESS_ARRAY "%s", name);
    }
}

void job_thickness_parse(job *j, const char *value)
{
    snprintf(j->normal_thickness, sizeof j->normal_thickness, "%s", value);
    job_thickness_unescape(j->normal_thickness);
    j->given.thickness = j->normal_thickness;
}

const char *job_thickness_path(const job *j)
{
    double x;
    const char *text = j->given.thickness;
    if (!text || !strncmp(text, THICKNESS_ARRAY, strlen(THICKNESS_ARRAY)) ||
        job_thickness_number(text, &x))
        return NULL;
    return strcmp(text, "-") ? text : "/dev/stdin";
}
