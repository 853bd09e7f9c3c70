/* Which pairs of objects the rules of a pipeline leave to test in the frames of a run: imp_rules.
 */
#include "error.h"
#include "impinge.h"
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_NAMED 8 /* objects named in a text */

/* members: the rules, and what the frames had so far */
struct imp_rules {
    mem mem;
    int pairs, listed, exclude;
    int32_t (*pair)[2];
    size_t pairs_count;
    int32_t *id;   /* [ids] of the list, ascending, */
    uint8_t *seen; /* [ids] and whether a frame had them */
    size_t ids;
    int32_t *there; /* [there_count] the objects of the last frame that was looked at */
    size_t there_count;
    int any, possible; /* a frame had a primitive; a pair of objects that may be tested */
};

/* ---- the list */

static int rules_compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts ids and leaves each one once; returns how many. */
static size_t rules_unique(int32_t *id, size_t n)
{
    size_t out = 0;
    if (n)
        qsort(id, n, sizeof *id, rules_compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || id[i] != id[i - 1])
            id[out++] = id[i];
    return out;
}

static int rules_compare_pairs(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? rules_compare(x, y) : rules_compare(x + 1, y + 1);
}

/* Each pair once, the lesser object first. */
static void rules_sort_list(imp_rules *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t *p = r->pair[i], a = p[0] < p[1] ? p[0] : p[1], b = p[0] < p[1] ? p[1] : p[0];
        p[0] = a;
        p[1] = b;
    }
    if (n)
        qsort(r->pair, n, sizeof *r->pair, rules_compare_pairs);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || rules_compare_pairs(r->pair[i], r->pair[i - 1]))
            memmove(r->pair[r->pairs_count++], r->pair[i], sizeof *r->pair);
}

static int rules_list(imp_rules *r, const imp_def *def)
{
    int err = IMP_OK;
    const size_t n = def->object_pairs;
    TRY(mem_alloc(&r->mem, n * sizeof *r->pair, &r->pair));
    TRY(mem_alloc(&r->mem, 2 * n * sizeof *r->id, &r->id));
    TRY(mem_alloc(&r->mem, 2 * n, &r->seen));
    memset(r->seen, 0, 2 * n);
    if (n) {
        memcpy(r->pair, def->object_pair, n * sizeof *r->pair);
        memcpy(r->id, def->object_pair, n * sizeof *r->pair);
    }
    rules_sort_list(r, n);
    r->ids = rules_unique(r->id, 2 * n);
out:
    return err;
}

int imp_rules_create(const imp_def *def, imp_rules **out)
{
    int err = IMP_OK;
    if (!out)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_rules_create: out is NULL");
    *out = NULL;
    imp_rules *r = calloc(1, sizeof *r);
    if (!r)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    if (def) {
        if (def->object_pairs && !def->object_pair)
            FAIL(IMP_ERR_ARGUMENT, "object_pair: NULL, but there are to be %zu", def->object_pairs);
        r->pairs = def->pairs;
        r->listed = def->object_pair != NULL;
        r->exclude = def->object_pairs_exclude;
        TRY(rules_list(r, def));
    }
    *out = r;
    return IMP_OK;
out:
    imp_rules_destroy(r);
    return err;
}

void imp_rules_destroy(imp_rules *r)
{
    if (!r)
        return;
    mem_free(&r->mem, r->pair);
    mem_free(&r->mem, r->id);
    mem_free(&r->mem, r->seen);
    mem_free(&r->mem, r->there);
    free(r);
}

/* ---- frames */

static int rules_has(const int32_t *ids, size_t n, int32_t id)
{
    return n && bsearch(&id, ids, n, sizeof id, rules_compare) != NULL;
}

/* May a pair of these two objects be tested, apart from a list? */
static int rules_allow(const imp_rules *r, int32_t a, int32_t b)
{
    return r->pairs == IMP_PAIRS_ALL || (r->pairs == IMP_PAIRS_SELF) == (a == b);
}

/* Pairs of n objects that may be tested without a list. In double: n * n may exceed 64 bits. */
static double rules_pairs(const imp_rules *r, double n)
{
    const double self = r->pairs == IMP_PAIRS_BETWEEN ? 0 : n;
    return self + (r->pairs == IMP_PAIRS_SELF ? 0 : n * (n - 1) / 2);
}

/* Pairs are counted, not listed: there may be millions. */
static void rules_use(imp_rules *r)
{
    const int32_t *ids = r->there;
    const size_t n = r->there_count;
    double listed = 0;
    for (size_t i = 0; i < r->ids; i++)
        r->seen[i] |= (uint8_t)rules_has(ids, n, r->id[i]);
    for (size_t i = 0; i < r->pairs_count; i++) {
        const int32_t a = r->pair[i][0], b = r->pair[i][1];
        listed += rules_allow(r, a, b) && rules_has(ids, n, a) && rules_has(ids, n, b);
    }
    r->possible |= r->listed && !r->exclude ? listed > 0 : rules_pairs(r, (double)n) > listed;
}

/* Primitives of an object mostly follow one another, so few numbers are sorted. */
static int rules_objects(imp_rules *r, const int32_t *object, size_t n)
{
    int err = IMP_OK;
    size_t runs = 0;
    for (size_t i = 0; object && i < n; i++)
        runs += i == 0 || object[i] != object[i - 1];
    mem_free(&r->mem, r->there);
    r->there_count = 0;
    TRY(mem_alloc(&r->mem, (runs ? runs : 1) * sizeof *r->there, &r->there));
    r->there[0] = 0;
    runs = object ? 0 : 1;
    for (size_t i = 0; object && i < n; i++)
        if (i == 0 || object[i] != object[i - 1])
            r->there[runs++] = object[i];
    r->there_count = rules_unique(r->there, runs);
out:
    return err;
}

/* Are there two objects? */
static int rules_two(const int32_t *object, size_t n)
{
    size_t i = 1;
    while (object && i < n && object[i] == object[0])
        i++;
    return object && i < n;
}

/* Without a list a frame leaves nothing only by pairs between objects, where it has a single one:
 * then numbers of objects are not sorted. */
int imp_rules_add(imp_rules *r, const int32_t *object, size_t primitives)
{
    int err = IMP_OK;
    if (!r)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_rules_add: the rules are NULL");
    if (!primitives || (r->possible && !r->listed))
        return IMP_OK;
    r->any = 1;
    if (!r->listed)
        r->possible = r->pairs != IMP_PAIRS_BETWEEN || rules_two(object, primitives);
    if (r->possible && !r->listed)
        return IMP_OK;
    TRY(rules_objects(r, object, primitives));
    rules_use(r);
out:
    return err;
}

/* ---- answers */

/* "0, 1, 5 and 3 more" */
static void rules_text(const int32_t *id, size_t n, char *out, size_t size)
{
    size_t at = 0;
    out[0] = 0;
    for (size_t i = 0; i < n && i < RULES_NAMED; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%d", i ? ", " : "", id[i]);
    if (n > RULES_NAMED)
        snprintf(out + at, size - at, " and %zu more", n - RULES_NAMED);
}

int imp_rules_check(const imp_rules *r)
{
    char there[RULES_NAMED * 13 + 40];
    if (!r)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_rules_check: the rules are NULL");
    if (!r->any || r->possible)
        return IMP_OK;
    rules_text(r->there, r->there_count, there, sizeof there);
    const char *only = r->pairs == IMP_PAIRS_SELF      ? " with pairs 'self'"
                       : r->pairs == IMP_PAIRS_BETWEEN ? " with pairs 'between'"
                                                       : "";
    if (r->listed)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "the list of pairs of objects leaves no pair to test%s; the object%s %s",
                        only, r->there_count == 1 ? " is" : "s are", there);
    return imp_fail(IMP_ERR_ARGUMENT,
                    "no pair is left to test%s: all primitives are of one object, %s", only, there);
}

int imp_rules_missing(const imp_rules *r, size_t *at, int32_t *object)
{
    while (r && r->any && *at < r->ids) {
        const size_t i = (*at)++;
        if (!r->seen[i]) {
            *object = r->id[i];
            return 1;
        }
    }
    return 0;
}
