/* See sequence.h: order and gaps. */
#include "sequence.h"

#include "error.h"
#include "name_runs.h"
#include "name_signs.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order */

/* The end of a folder's name comes before any other character: "a/2" before "a-1". */
static int compare_characters(char a, char b)
{
    a = a == RUNS_MINUS ? '-' : a;
    b = b == RUNS_MINUS ? '-' : b;
    int x = a == '/' ? 1 : (unsigned char)a + (a != 0),
        y = b == '/' ? 1 : (unsigned char)b + (b != 0);
    return x - y;
}

int sequence_compare(const char *a, const char *b)
{
    const char *p = a, *q = b;
    int first = 0; /* difference in zeros */
    while (*p && *q) {
        if (runs_begin(p) && runs_begin(q)) {
            int order = runs_compare(p, q);
            if (order)
                return order;
            first =
                first ? first : (runs_zeros(p) > runs_zeros(q)) - (runs_zeros(p) < runs_zeros(q));
            p += runs_digits(p);
            q += runs_digits(q);
        } else if (compare_characters(*p, *q)) {
            return compare_characters(*p, *q);
        } else {
            p++;
            q++;
        }
    }
    int order = compare_characters(*p, *q);
    return order ? order : first;
}

typedef struct reading {
    char *name; /* with signs */
    char *file;
} reading;

static int by_name(const void *a, const void *b)
{
    const reading *x = a, *y = b;
    return sequence_compare(x->name, y->name);
}

int sequence_sort(char **file, size_t count)
{
    int err = IMP_OK;
    char **name = NULL;
    reading *r = malloc((count + 1) * sizeof *r);
    if (!r)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(name_signs_read(file, count, &name));
    for (size_t i = 0; i < count; i++)
        r[i] = (reading){name[i], file[i]};
    qsort(r, count, sizeof *r, by_name);
    for (size_t i = 0; i < count; i++)
        file[i] = r[i].file;
out:
    name_signs_free(name, count);
    free(r);
    return err;
}

/* ---- gaps */

typedef struct member {
    const char *name;
    const char *number; /* the run that counts */
} member;

/* Groups names of one shape: the name without its numbers. */
static int by_shape(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int order = runs_compare_shapes(x, y);
    return order ? order : sequence_compare(x, y);
}

/* Compares names of one shape by all their numbers except one, then by that one. */
static int compare_members(const member *a, const member *b, int with_number)
{
    const char *p = a->name, *q = b->name;
    while (*p && *q) {
        if (!runs_begin(p)) {
            p++;
            q++;
            continue;
        }
        int order = p == a->number ? 0 : runs_compare(p, q);
        if (order)
            return order;
        p += runs_digits(p);
        q += runs_digits(q);
    }
    return with_number ? runs_compare(a->number, b->number) : 0;
}

static int by_number(const void *a, const void *b)
{
    const member *x = a, *y = b;
    int order = compare_members(x, y, 1);
    return order ? order : sequence_compare(x->name, y->name);
}

/* A line made of pieces; what is too long is cut. */
typedef struct line {
    char text[700];
    size_t n;
} line;

__attribute__((format(printf, 2, 3))) static void sequence_append(line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->text + l->n, sizeof l->text - l->n, format, args);
    va_end(args);
    l->n += n > 0 ? (size_t)n : 0;
    l->n = l->n < sizeof l->text ? l->n : sizeof l->text - 1;
}

/* The name with %d for the number; of a long one the end. */
static void say_pattern(line *l, const member *m)
{
    const size_t most = 200;
    size_t before = (size_t)(m->number - m->name), cut = before > most ? before - most : 0;
    sequence_append(l, " in %s%.*s%%d%.200s", cut ? "..." : "", (int)(before - cut), m->name + cut,
                    m->number + runs_digits(m->number));
}

#define LISTED 8 /* ranges in a line */
#define LINES 3  /* in all */

/* A folder of many odd names must not fill the screen. */
typedef struct reporter {
    void (*report)(const char *line);
    size_t lines;
} reporter;

static void report_line(reporter *t, line *l)
{
    for (char *s = strchr(l->text, RUNS_MINUS); s; s = strchr(s, RUNS_MINUS))
        *s = '-';
    if (++t->lines <= LINES)
        t->report(l->text);
}

/* At most 18 digits: report_sequence has checked. */
static int64_t value_of(const member *m)
{
    int minus = *m->number == RUNS_MINUS;
    int64_t size = strtoll(m->number + minus, NULL, 10);
    return minus ? -size : size;
}

/* The step in which frames are numbered is the greatest that all differences are multiples of. */
static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Numbers of the sequence first .. first + count - 1, in order, that are missing. A repeated number
 * would make `to` wrap around; it is skipped before that is used. */
static void report_missing(const member *m, size_t count, int64_t step, reporter *t)
{
    line l = {.n = 0};
    int64_t missing = 0, ranges = 0, listed = 0;
    for (size_t i = 1; i < count; i++) {
        /* nothing is missing between neighbours and equal numbers */
        int64_t from = value_of(&m[i - 1]) + step, to = value_of(&m[i]) - step;
        if (value_of(&m[i]) <= from)
            continue;
        missing += (to - from) / step + 1;
        if (++ranges > LISTED)
            continue;
        listed = missing;
        sequence_append(&l, "%s %lld", ranges > 1 ? "," : "", (long long)from);
        if (to > from)
            sequence_append(&l, from < 0 ? " to %lld" : "-%lld", (long long)to);
    }
    /* steps of ten may mean that frames were omitted on purpose */
    if (!missing && step <= 1)
        return;
    line all = {.n = 0};
    if (missing) {
        sequence_append(&all, "%s%s", missing > 1 ? "frames" : "frame", l.text);
        if (missing > listed)
            sequence_append(&all, " and %lld more", (long long)(missing - listed));
        sequence_append(&all, missing > 1 ? " are missing" : " is missing");
    } else {
        sequence_append(&all, "frames are numbered in steps of %lld", (long long)step);
    }
    say_pattern(&all, m);
    if (missing && step > 1)
        sequence_append(&all, " (numbered in steps of %lld)", (long long)step);
    report_line(t, &all);
}

/* The first number that several files have. */
static void report_repeated(const member *m, size_t count, reporter *t)
{
    size_t repeated = 0, first = 0;
    for (size_t i = 1; i < count; i++)
        if (!runs_compare(m[i - 1].number, m[i].number) && !repeated++)
            first = i;
    if (!repeated)
        return;
    line l = {.n = 0};
    size_t n = runs_digits(m[first].number);
    /* two names of one number: 7.obj and 007.obj */
    if (!strcmp(m[first - 1].name, m[first].name))
        sequence_append(&l, "%.150s is given twice", m[first].name);
    else
        sequence_append(&l, "frame %.*s is there twice: %.150s and %.150s", n < 40 ? (int)n : 40,
                        m[first].number, m[first - 1].name, m[first].name);
    if (repeated > 1)
        sequence_append(&l, ", and %zu more", repeated - 1);
    report_line(t, &l);
}

/* 0.25 0.5 1.75 are no frame numbers; v2.0010 v2.0011 are. */
static int are_fractions(const member *m, size_t count)
{
    const char *s = m[0].number;
    size_t n = runs_digits(s);
    int equal = 1;
    for (size_t i = 1; i < count; i++)
        equal &= runs_digits(m[i].number) == n;
    return s - m[0].name >= 2 && s[-1] == '.' && runs_is_digit(s[-2]) && (n < 3 || !equal);
}

/* One sequence: names that differ in the number only. Numbers of up to 18 digits fit in 64 bits
 * with a step added. */
static void report_sequence(const member *m, size_t count, reporter *t)
{
    uint64_t step = 0;
    if (are_fractions(m, count))
        return;
    report_repeated(m, count, t);
    for (size_t i = 0; i < count; i++) {
        if (runs_digits(m[i].number + runs_zeros(m[i].number)) > 18) /* no number of frames */
            return;
        step = i ? divisor(step, (uint64_t)(value_of(&m[i]) - value_of(&m[i - 1]))) : 0;
    }
    if (step)
        report_missing(m, count, (int64_t)step, t);
}

/* Names of one shape: the last number in which they differ counts frames. */
static void report_shape(char *const *file, size_t count, member *m, reporter *t)
{
    size_t runs = runs_count(file[0]), column = runs - 1;
    if (count < 2 || !runs)
        return;
    for (size_t k = 0; k < runs; k++)
        column = runs_vary(file, count, k) ? k : column;
    for (size_t i = 0; i < count; i++)
        m[i] = (member){file[i], runs_at(file[i], column)};
    qsort(m, count, sizeof *m, by_number);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && !compare_members(&m[i], &m[i + n], 0);)
            n++;
        report_sequence(m + i, n, t);
    }
}

/* Files are grouped by shape first: a folder may hold several sequences. */
int sequence_gaps(char *const *file, size_t count, void (*report)(const char *line))
{
    int err = IMP_OK;
    reporter t = {report, 0};
    line more = {.n = 0};
    char **sorted = NULL;
    member *m = malloc((count + 1) * sizeof *m);
    if (!m)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(name_signs_read(file, count, &sorted));
    qsort(sorted, count, sizeof *sorted, by_shape);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && !runs_compare_shapes(sorted[i], sorted[i + n]);)
            n++;
        report_shape(sorted + i, n, m, &t);
    }
    sequence_append(&more, "and more in %zu other sequences", t.lines - LINES);
    if (t.lines > LINES)
        report(more.text);
out:
    name_signs_free(sorted, count);
    free(m);
    return err;
}
