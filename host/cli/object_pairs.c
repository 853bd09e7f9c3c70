/* See object_pairs.h. */
#define _GNU_SOURCE
#include "object_pairs.h"

#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct line_pair {
    int32_t a, b;
    int out; /* leave it out */
} line_pair;

/* The next whole number of a line. Returns 0 if there is none. */
static int next_number(char **text, int32_t *out)
{
    char *end;
    errno = 0;
    long long n = strtoll(*text, &end, 10);
    if (end == *text || errno || n < INT32_MIN || n > INT32_MAX)
        return 0;
    *text = end;
    *out = (int32_t)n;
    return 1;
}

/* 1: a pair, 0: an empty line, -1: neither */
static int read_line(char *text, line_pair *out)
{
    int32_t a, b;
    /* without comment and line end, of any system */
    text[strcspn(text, "#\r\n")] = 0;
    text += strspn(text, " \t");
    /* "- 3 4" leaves a pair out, "-3 4" is a pair with an object -3 */
    out->out = text[0] == '-' && isspace((unsigned char)text[1]);
    text += out->out;
    if (!text[strspn(text, " \t")] && !out->out)
        return 0;
    if (!next_number(&text, &a))
        return -1;
    /* also as CSV has them */
    text += strspn(text, " \t,");
    if (!next_number(&text, &b) || text[strspn(text, " \t")])
        return -1;
    out->a = a < b ? a : b;
    out->b = a < b ? b : a;
    return 1;
}

/* by pair; lines that leave out come first */
static int compare(const void *x, const void *y)
{
    const line_pair *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return b->out - a->out;
}

static int read_lines(mem *m, FILE *f, const char *path, line_pair **list, size_t *count)
{
    int err = IMP_OK;
    char *text = NULL;
    size_t size = 0, capacity = 0, number = 1;
    for (; getline(&text, &size, f) >= 0; number++) {
        line_pair p;
        int found = read_line(text, &p);
        if (found < 0)
            FAIL(IMP_ERR_INPUT, "%s: line %zu: not a pair of object numbers", path, number);
        if (!found)
            continue;
        if (*count == capacity) {
            capacity = 2 * capacity + 64;
            TRY(mem_grow(m, *count * sizeof **list, capacity * sizeof **list, list));
        }
        (*list)[(*count)++] = p;
    }
    if (ferror(f))
        FAIL(IMP_ERR_INPUT, "%s: cannot be read", path);
    if (!feof(f)) /* getline also stops where a line does not fit into memory */
        FAIL(IMP_ERR_MEMORY, "out of memory");
out:
    free(text);
    return err;
}

/* The pairs to test, or, if all lines leave out, the pairs left out; each once. */
static size_t settle(const line_pair *list, size_t n, int exclude, int32_t (*out)[2])
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        int again = i > 0 && list[i].a == list[i - 1].a && list[i].b == list[i - 1].b;
        if (again || list[i].out != exclude)
            continue; /* if a pair has both kinds of line, the one that leaves out comes first */
        out[count][0] = list[i].a;
        out[count++][1] = list[i].b;
    }
    return count;
}

const char *object_pairs_path(const char *name)
{
    return name[0] == '-' && name[1] ? name + 1 : name;
}

int object_pairs_read(mem *m, const char *name, object_pairs *out)
{
    int err = IMP_OK;
    const char *path = object_pairs_path(name);
    int inverse = path != name, from_stdin = !strcmp(path, "-");
    line_pair *list = NULL;
    size_t n = 0, left_out = 0;
    *out = (object_pairs){0};
    FILE *f = from_stdin ? stdin : fopen(path, "r");
    if (!f)
        FAIL(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    TRY(read_lines(m, f, from_stdin ? "standard input" : path, &list, &n));
    for (size_t i = 0; i < n; i++) {
        list[i].out |= inverse;
        left_out += (size_t)list[i].out;
    }
    if (n)
        qsort(list, n, sizeof *list, compare);
    out->exclude = inverse || (n && left_out == n);
    TRY(mem_alloc(m, n * sizeof *out->pair, &out->pair));
    out->count = settle(list, n, out->exclude, out->pair);
out:
    if (f && !from_stdin)
        fclose(f);
    mem_free(m, list);
    return err;
}

void object_pairs_free(mem *m, object_pairs *p)
{
    mem_free(m, p->pair);
    *p = (object_pairs){0};
}
