/* See object_pairs.h. */
#include "object_pairs.h"

#include "error.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct line_pair {
    int32_t a, b;
    int out; /* leave it out */
} line_pair;

/* The next whole number of a line. Returns 0 if there is none. Objects are int32 in a batch, so
 * other numbers cannot be meant. */
static int next_number(const char **at, int32_t *out)
{
    char *end;
    errno = 0;
    long long n = strtoll(*at, &end, 10);
    if (end == *at || errno || n < INT32_MIN || n > INT32_MAX)
        return 0;
    *at = end;
    *out = (int32_t)n;
    return 1;
}

static int at_end(const char *at)
{
    at = text_skip_blanks(at);
    return !*at || *at == '#';
}

/* 1: a pair, 0: an empty line, -1: neither */
static int read_line(const char *at, line_pair *out)
{
    int32_t a, b;
    at = text_skip_blanks(at);
    /* "- 3 4" leaves a pair out, "-3 4" is a pair with an object -3 */
    out->out = at[0] == '-' && (at[1] == ' ' || at[1] == '\t');
    at += out->out;
    if (!out->out && at_end(at))
        return 0;
    if (!next_number(&at, &a))
        return -1;
    /* also as CSV has them */
    at += strspn(at, " \t,");
    if (!next_number(&at, &b) || !at_end(at))
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

/* A number that cannot be read is an error: a pair left out by mistake would not be noticed. */
static int read_lines(mem *m, const char *path, line_pair **list, size_t *count)
{
    int err = IMP_OK;
    size_t capacity = 0;
    const char *line;
    text file;
    TRY(text_open(path, &file));
    /* a backslash joins no lines here: each line is a pair */
    file.plain_lines = 1;
    TRY(text_next(&file, &line));
    while (line) {
        line_pair p;
        int found = read_line(line, &p);
        if (found < 0)
            FAIL(TEXT_BAD(&file, "not a pair of %s", "object numbers"));
        if (*count == capacity) {
            capacity = 2 * capacity + 64;
            TRY(mem_grow(m, *count * sizeof **list, capacity * sizeof **list, list));
        }
        if (found)
            (*list)[(*count)++] = p;
        TRY(text_next(&file, &line));
    }
out:
    text_close(&file);
    return err;
}

/* Copies the pairs to test, or, if every line leaves a pair out, the pairs left out; each once. */
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

/* "-" alone is standard input, as elsewhere. */
const char *object_pairs_path(const char *name)
{
    return name[0] == '-' && name[1] ? name + 1 : name;
}

/* The list is sorted, so that equal lists give the same hash in the options of a result. */
int object_pairs_read(mem *m, const char *name, object_pairs *out)
{
    int err = IMP_OK;
    const char *path = object_pairs_path(name);
    int inverse = path != name;
    line_pair *list = NULL;
    size_t n = 0, left_out = 0;
    *out = (object_pairs){0};
    TRY(read_lines(m, path, &list, &n));
    for (size_t i = 0; i < n; i++) {
        list[i].out |= inverse;
        left_out += (size_t)list[i].out;
    }
    /* qsort must not get NULL */
    if (n)
        qsort(list, n, sizeof *list, compare);
    out->exclude = inverse || (n && left_out == n);
    /* also for a file without a pair: NULL means that no list was given */
    TRY(mem_alloc(m, n * sizeof *out->pair, &out->pair));
    out->count = settle(list, n, out->exclude, out->pair);
out:
    mem_free(m, list);
    return err;
}

void object_pairs_free(mem *m, object_pairs *p)
{
    mem_free(m, p->pair);
    *p = (object_pairs){0};
}
