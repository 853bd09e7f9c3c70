/* See names.h. */
#define _GNU_SOURCE
#include "names.h"

#include "error.h"
#include "text.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tree owns these; names.name points into them. */
typedef struct numbered {
    int32_t number;
    char name[];
} numbered;

static int compare(const void *a, const void *b)
{
    return strcmp(((const numbered *)a)->name, ((const numbered *)b)->name);
}

/* One look-up: tsearch finds the name, or adds it. */
int names_find(name_list *n, const char *file, const char *group, int32_t *out)
{
    int err = IMP_OK;
    /* 3: ": " and the NUL */
    size_t size = strlen(file) + strlen(group) + 3;
    numbered *e = malloc(sizeof *e + size), **found = NULL;
    if (!e)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    if (n->count == INT32_MAX)
        FAIL(IMP_ERR_INPUT, "more than %d names of objects", INT32_MAX);
    snprintf(e->name, size, "%s%s%s", file, *file && *group ? ": " : "", group);
    e->number = (int32_t)n->count;
    /* before tsearch: once the name is in the tree, nothing may fail */
    TRY(grow_buffer(&n->name, &n->bytes, (n->count + 1) * sizeof *n->name));
    found = tsearch(e, &n->tree, compare);
    if (!found)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    *out = (*found)->number;
    if (*found == e) {
        n->name[n->count++] = e->name;
        e = NULL;
    }
out:
    /* unless the tree took it */
    free(e);
    return err;
}

void names_free(name_list *n)
{
    tdestroy(n->tree, free);
    free(n->name);
    *n = (name_list){0};
}

int runs_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int runs_begin(const char *s)
{
    return runs_is_digit(s[*s == RUNS_MINUS]);
}

size_t runs_digits(const char *s)
{
    size_t n = *s == RUNS_MINUS;
    while (runs_is_digit(s[n]))
        n++;
    return n;
}

/* The last digit is never counted, so that 0 keeps a digit. */
size_t runs_zeros(const char *s)
{
    size_t n = *s == RUNS_MINUS;
    while (s[n] == '0' && runs_is_digit(s[n + 1]))
        n++;
    return n;
}

/* Returns whether it is below 0. -0 is not. */
static int runs_negative(const char *s)
{
    return *s == RUNS_MINUS && s[runs_zeros(s)] != '0';
}

/* Compares digits, not values: numbers in names may have any length. Without leading zeros, the one
 * with more digits is larger. */
int runs_compare(const char *a, const char *b)
{
    int below = runs_negative(a);
    if (below != runs_negative(b))
        return below ? -1 : 1;
    a += runs_zeros(a);
    b += runs_zeros(b);
    size_t n = runs_digits(a), m = runs_digits(b);
    int order = n != m ? (n > m) - (n < m) : strncmp(a, b, n);
    return below ? -order : order;
}

/* Any run of digits equals any other. */
int runs_compare_shapes(const char *a, const char *b)
{
    while (*a && *b) {
        if (runs_begin(a) && runs_begin(b)) {
            a += runs_digits(a);
            b += runs_digits(b);
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    /* unsigned, so that the order of names in UTF-8 is the same on every system */
    return (unsigned char)*a - (unsigned char)*b;
}

const char *runs_at(const char *name, size_t column)
{
    for (const char *s = name; *s; s += runs_begin(s) ? runs_digits(s) : 1)
        if (runs_begin(s) && column-- == 0)
            return s;
    return NULL;
}

size_t runs_count(const char *name)
{
    size_t n = 0;
    while (runs_at(name, n))
        n++;
    return n;
}

/* Compared as numbers: 7 and 007 do not vary. */
int runs_vary(char *const *name, size_t count, size_t column)
{
    const char *first = count ? runs_at(name[0], column) : NULL;
    for (size_t i = 1; i < count && first; i++) {
        const char *s = runs_at(name[i], column);
        if (s && runs_compare(first, s))
            return 1;
    }
    return 0;
}

static int is_hyphen(const char *name, size_t i)
{
    return name[i] == '-' && runs_is_digit(name[i + 1]);
}

/* Returns whether the text before the hyphen makes it a sign, regardless of other files. */
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

/* The patterns of all names, sorted. */
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
