/* See names.h. */
#define _GNU_SOURCE
#include "names.h"

#include "error.h"
#include "grow.h"

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

/* One look-up: tsearch finds the name, or enters it. */
int names_find(names *n, const char *file, const char *group, int32_t *out)
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
    /* before tsearch: once the name is in the tree nothing may fail */
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

void names_free(names *n)
{
    tdestroy(n->tree, free);
    free(n->name);
    *n = (names){0};
}
