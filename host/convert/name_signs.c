/* See name_signs.h. */
#include "name_signs.h"

#include "error.h"
#include "name_runs.h"

#include <stdlib.h>
#include <string.h>

static int is_hyphen(const char *name, size_t i)
{
    return name[i] == '-' && runs_is_digit(name[i + 1]);
}

/* Does what is before the hyphen make it a sign, whatever other files there are? */
static int stands_alone(const char *name, size_t i)
{
    return i == 0 || strchr("/_.,=( -", name[i - 1]) != NULL;
}

/* ---- names without their numbers */

/* The name with one character for each number, without the hyphen at `left_out`. */
static void name_signs_pattern(const char *name, size_t left_out, char *out)
{
    for (size_t i = 0; name[i];) {
        size_t n = runs_begin(name + i) ? runs_digits(name + i) : 1;
        if (i != left_out)
            *out++ = runs_begin(name + i) ? '0' : name[i];
        i += n;
    }
    *out = 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void shapes_free(char **shape, size_t count)
{
    for (size_t i = 0; shape && i < count; i++)
        free(shape[i]);
    free(shape);
}

/* Those of all names, sorted. */
static int shapes_make(char *const *name, size_t count, char ***out)
{
    int err = IMP_OK;
    char **shape = calloc(count + 1, sizeof *shape);
    if (!shape)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        shape[i] = malloc(strlen(name[i]) + 1);
        if (!shape[i])
            FAIL(IMP_ERR_MEMORY, "out of memory");
        name_signs_pattern(name[i], strlen(name[i]), shape[i]);
    }
    qsort(shape, count, sizeof *shape, by_text);
    *out = shape;
    shape = NULL;
out:
    shapes_free(shape, count);
    return err;
}

/* ---- signs */

static void mark_alone(char *name)
{
    for (size_t i = 0; name[i]; i++)
        if (is_hyphen(name, i) && stands_alone(name, i))
            name[i] = RUNS_MINUS;
}

/* Hyphens after letters. Names are compared before any of these is marked. */
static int mark_beside_others(char *name, char **shape, size_t count)
{
    char *plain = malloc(strlen(name) + 1), *copy = strdup(name);
    int err = IMP_OK;
    if (!plain || !copy)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    for (size_t i = 0; copy[i]; i++) {
        /* one at the beginning is marked already */
        if (!i || !is_hyphen(copy, i) || runs_is_digit(copy[i - 1]))
            continue;
        name_signs_pattern(copy, i, plain);
        if (bsearch(&plain, shape, count, sizeof *shape, by_text))
            name[i] = RUNS_MINUS;
    }
out:
    free(plain);
    free(copy);
    return err;
}

int name_signs_read(char *const *file, size_t count, char ***out)
{
    int err = IMP_OK;
    char **name = calloc(count + 1, sizeof *name), **shape = NULL;
    if (!name)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        name[i] = strdup(file[i]);
        if (!name[i])
            FAIL(IMP_ERR_MEMORY, "out of memory");
        mark_alone(name[i]);
    }
    TRY(shapes_make(name, count, &shape));
    for (size_t i = 0; shape && i < count; i++)
        TRY(mark_beside_others(name[i], shape, count));
    *out = name;
    name = NULL;
out:
    shapes_free(shape, count);
    name_signs_free(name, count);
    return err;
}

void name_signs_free(char **name, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        free(name[i]);
    free(name);
}
