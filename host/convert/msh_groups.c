/* See msh_groups.h. */
#include "msh_groups.h"

#include "error.h"
#include "grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables */

static void tags_free(msh_tags *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->at[i].name);
    free(t->at);
}

void msh_groups_free(msh_groups *g)
{
    tags_free(&g->names);
    tags_free(&g->entities);
    *g = (msh_groups){0};
}

/* The table becomes the owner of the name. qsort may swap equal tags, so their order in the file is
 * stored. */
static int add_tag(msh_tags *t, const msh_tag *tag)
{
    int err = grow_to(&t->at, &t->bytes, (t->count + 1) * sizeof *t->at);
    if (err)
        return err;
    t->at[t->count] = *tag;
    t->at[t->count].order = t->count;
    t->count++;
    t->sorted = 0;
    return IMP_OK;
}

static int compare_keys(const msh_tag *x, const msh_tag *y)
{
    if (x->dimension != y->dimension)
        return x->dimension < y->dimension ? -1 : 1;
    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

static int compare(const void *a, const void *b)
{
    const msh_tag *x = a, *y = b;
    int keys = compare_keys(x, y);
    return keys ? keys : x->order < y->order ? -1 : x->order > y->order;
}

/* The first that the file has, or NULL. */
static const msh_tag *find_tag(msh_tags *t, int64_t dimension, int64_t tag)
{
    const msh_tag key = {.dimension = dimension, .tag = tag};
    size_t low = 0, high = t->count;
    /* sorted once: all tags come before the first element (before_elements in msh.c) */
    if (!t->sorted && t->count)
        qsort(t->at, t->count, sizeof *t->at, compare);
    t->sorted = 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(&t->at[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->count && !compare_keys(&t->at[low], &key) ? &t->at[low] : NULL;
}

/* ---- sections */

/* The rest of a line: a name between quotes, which may hold quotes. */
static int read_name(words *w, char **out)
{
    const char *s = words_rest(w);
    size_t length = text_rest(&s);
    if (length < 2 || s[0] != '"' || s[length - 1] != '"')
        return imp_fail(TEXT_BAD(w->text, "a name without its quotes, in %s", w->within));
    *out = malloc(length - 1);
    if (!*out)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", length - 1);
    memcpy(*out, s + 1, length - 2);
    (*out)[length - 2] = 0;
    return IMP_OK;
}

int msh_read_names(msh_groups *g, words *w)
{
    int err = IMP_OK;
    uint64_t n;
    msh_tag t = {0};
    TRY(words_count(w, &n));
    for (uint64_t i = 0; i < n; i++) {
        TRY(words_integer(w, &t.dimension));
        TRY(words_integer(w, &t.tag));
        TRY(read_name(w, &t.name));
        TRY(add_tag(&g->names, &t));
        /* it belongs to the table now; after an error the one that does not is freed below */
        t.name = NULL;
    }
out:
    free(t.name);
    return err;
}

/* Reads a number n and n integers. *first is the first of them, or 0 if n is 0: Gmsh numbers groups
 * from 1. */
static int read_list(words *w, int64_t *first)
{
    int err = IMP_OK;
    uint64_t n;
    int64_t tag;
    *first = 0;
    TRY(words_count(w, &n));
    for (uint64_t i = 0; i < n; i++) {
        TRY(words_integer(w, &tag));
        if (i == 0)
            *first = tag;
    }
out:
    return err;
}

/* An entity: its tag, in partitions its parent and theirs, its box, its groups, its boundary. A
 * point has three coordinates instead of a box, and no boundary. Only tag and first group are used.
 */
static int read_entity(msh_groups *g, words *w, int64_t dimension, int parts)
{
    int err = IMP_OK;
    msh_tag t = {.dimension = dimension};
    int64_t ignored;
    double bound;
    TRY(words_integer(w, &t.tag));
    if (parts) {
        TRY(words_integer(w, &ignored));
        TRY(words_integer(w, &ignored));
        TRY(read_list(w, &ignored));
    }
    for (int i = 0; i < (dimension ? 6 : 3); i++)
        TRY(words_real(w, &bound));
    TRY(read_list(w, &t.physical));
    if (dimension)
        TRY(read_list(w, &ignored));
    TRY(add_tag(&g->entities, &t));
out:
    return err;
}

/* Of a partitioned mesh: the number of partitions, then ghosts, two numbers each. Primitives of all
 * partitions are one mesh here. */
static int skip_partitions(words *w)
{
    int err = IMP_OK;
    uint64_t ghosts, ignored;
    TRY(words_count(w, &ignored));
    TRY(words_count(w, &ghosts));
    for (uint64_t i = 0; i < ghosts; i++) {
        TRY(words_count(w, &ignored));
        TRY(words_count(w, &ignored));
    }
out:
    return err;
}

/* All counts come first, then the entities, both by dimension. */
int msh_read_entities(msh_groups *g, words *w, int partitioned)
{
    int err = IMP_OK;
    uint64_t n[MSH_DIMENSIONS];
    if (partitioned)
        TRY(skip_partitions(w));
    for (int d = 0; d < MSH_DIMENSIONS; d++)
        TRY(words_count(w, &n[d]));
    for (int d = 0; d < MSH_DIMENSIONS; d++)
        for (uint64_t i = 0; i < n[d]; i++)
            TRY(read_entity(g, w, d, partitioned));
out:
    return err;
}

/* ---- of elements */

int64_t msh_physical_of(msh_groups *g, int64_t dimension, int64_t entity)
{
    const msh_tag *t = find_tag(&g->entities, dimension, entity);
    return t ? t->physical : 0;
}

/* Names are optional in the format. Groups and entities without one are called by kind and number.
 */
const char *msh_section(msh_groups *g, int64_t dimension, int64_t physical, int64_t entity,
                        char *out)
{
    static const char *const kind[MSH_DIMENSIONS] = {"point", "curve", "surface", "volume"};
    const msh_tag *t = physical ? find_tag(&g->names, dimension, physical) : NULL;
    if (t)
        return t->name;
    out[0] = 0;
    if (physical || entity)
        snprintf(out, MSH_SECTION, "%s%s %lld", physical ? "physical " : "", kind[dimension],
                 (long long)(physical ? physical : entity));
    return out;
}
