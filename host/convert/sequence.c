/* See names.h: order and gaps. */
#include "error.h"
#include "names.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order */

/* The end of a folder's name sorts before any other character: "a/2" before "a-1". */
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
    int first = 0; /* difference in leading zeros */
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
    const char *number; /* the run that counts frames */
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

/* A line assembled from pieces; truncated if too long. */
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

/* The name with %d for the number; of a long name only the end. */
static void say_pattern(line *l, const member *m)
{
    const size_t most = 200;
    size_t before = (size_t)(m->number - m->name), cut = before > most ? before - most : 0;
    sequence_append(l, " in %s%.*s%%d%.200s", cut ? "..." : "", (int)(before - cut), m->name + cut,
                    m->number + runs_digits(m->number));
}

#define LISTED 8 /* ranges per line */
#define LINES 3  /* in total */

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

/* Has at most 18 digits: report_sequence has checked. */
static int64_t value_of(const member *m)
{
    int minus = *m->number == RUNS_MINUS;
    int64_t size = strtoll(m->number + minus, NULL, 10);
    return minus ? -size : size;
}

/* The greatest common divisor; that of all differences is the step of the frame numbers. */
static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Reports the missing numbers of the sequence first .. first + count - 1, in order. A repeated
 * number would make `to` wrap around; it is skipped before that is used. */
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

/* Reports the first number that several files have. */
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
    /* two names with one number: 7.obj and 007.obj */
    if (!strcmp(m[first - 1].name, m[first].name))
        sequence_append(&l, "%.150s is given twice", m[first].name);
    else
        sequence_append(&l, "frame %.*s is there twice: %.150s and %.150s", n < 40 ? (int)n : 40,
                        m[first].number, m[first - 1].name, m[first].name);
    if (repeated > 1)
        sequence_append(&l, ", and %zu more", repeated - 1);
    report_line(t, &l);
}

/* 0.25 0.5 1.75 are not frame numbers; v2.0010 v2.0011 are. */
static int are_fractions(const member *m, size_t count)
{
    const char *s = m[0].number;
    size_t n = runs_digits(s);
    int equal = 1;
    for (size_t i = 1; i < count; i++)
        equal &= runs_digits(m[i].number) == n;
    return s - m[0].name >= 2 && s[-1] == '.' && runs_is_digit(s[-2]) && (n < 3 || !equal);
}

/* One sequence: names that differ only in the number. Numbers of up to 18 digits fit in 64 bits
 * with a step added. */
static void report_sequence(const member *m, size_t count, reporter *t)
{
    uint64_t step = 0;
    if (are_fractions(m, count))
        return;
    report_repeated(m, count, t);
    for (size_t i = 0; i < count; i++) {
        if (runs_digits(m[i].number + runs_zeros(m[i].number)) > 18) /* not a frame number */
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

/* Files are first grouped by shape: a folder may contain several sequences. */
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

/* ---- See names.h: times. */

/* ---- the number in the names */

#define NAMES "; --times FILE gives the times"

/* The runs of digits that form the number: one, or two with a point between. */
typedef struct time_column {
    size_t first;
    int point;
} time_column;

/* Returns whether there is a point between this run and the next. */
static int point_follows(const char *name, size_t run)
{
    const char *s = runs_at(name, run), *end = s + runs_digits(s);
    return *end == '.' && runs_is_digit(end[1]);
}

/* Names that differ in several runs with the same number: frame7/mesh007. Then any of them can be
 * used. */
static int same_everywhere(char *const *file, size_t count, size_t last)
{
    for (size_t k = 0; k < last; k++)
        for (size_t i = 0; i < count && runs_vary(file, count, k); i++)
            if (runs_compare(runs_at(file[i], k), runs_at(file[i], last)))
                return 0;
    return 1;
}

/* 0.25 0.5: a constant 0 before the point shows that it is a fraction. */
static int sequence_times_all_zero(char *const *file, size_t count, size_t run)
{
    for (size_t i = 0; i < count; i++)
        if (runs_compare(runs_at(file[i], run), "0"))
            return 0;
    return 1;
}

/* The run after a number that varies, as in 1.5 2.5, is a fraction unless a letter follows. */
static int fraction_follows(const char *name, size_t run)
{
    if (!point_follows(name, run))
        return 0;
    const char *s = runs_at(name, run + 1);
    s += runs_digits(s);
    return *s == 0 || *s == '.' || *s == '_' || *s == '-' || *s == '/';
}

/* Nothing is guessed. If two readings are possible, as with v1.5 v1.6, the user has to give a list.
 * `name` has signs; messages use the file. */
static int find_column(char *const *name, char *const *file, size_t count, time_column *out)
{
    size_t runs = runs_count(name[0]), last = runs - 1, varying = 0;
    for (size_t i = 1; i < count; i++)
        if (runs_compare_shapes(name[0], name[i]))
            return imp_fail(IMP_ERR_INPUT,
                            "%s: its name differs from %s in more than a number" NAMES, file[i],
                            file[0]);
    if (!runs)
        return imp_fail(IMP_ERR_INPUT, "%s: there is no number in its name" NAMES, file[0]);
    for (size_t k = 0; k < runs; k++)
        if (runs_vary(name, count, k)) {
            last = k;
            varying++;
        }
    *out = (time_column){last, 0};
    int before = last > 0 && point_follows(name[0], last - 1);
    int joined = before && varying <= 2 && runs_vary(name, count, last - 1);
    if (joined || (before && varying <= 1 && sequence_times_all_zero(name, count, last - 1)))
        *out = (time_column){last - 1, 1};
    else if (varying > 1 && !same_everywhere(name, count, last))
        return imp_fail(IMP_ERR_INPUT, "%s: several numbers of its name change" NAMES, file[0]);
    else if (before && varying <= 1)
        return imp_fail(IMP_ERR_INPUT, "%s: is the point in its name that of a number?" NAMES,
                        file[0]);
    else if (fraction_follows(name[0], last))
        out->point = 1;
    return IMP_OK;
}

/* ---- times of names */

typedef struct timed {
    double time;
    char *file;
    size_t position;
} timed;

/* Equal times keep their order, although qsort is not stable; sequence_times_check_ascending then
 * names both files. */
static int by_time(const void *a, const void *b)
{
    const timed *x = a, *y = b;
    if (x->time < y->time || x->time > y->time)
        return x->time < y->time ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Reads from a copy, because text_number needs a word that ends after the number. */
static int sequence_times_number(const char *name, const time_column *c, double *out)
{
    const char *s = runs_at(name, c->first), *end;
    size_t n = runs_digits(s);
    text_reader plain = {0};
    n += c->point ? 1 + runs_digits(s + n + 1) : 0;
    char *copy = strndup(s, n);
    if (!copy)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    *copy = *copy == RUNS_MINUS ? '-' : *copy;
    text_number(&plain, copy, &end, out);
    free(copy);
    return IMP_OK;
}

/* Checks that the times ascend. A product with `step` may overflow, so it must be finite. */
static int sequence_times_check_ascending(const timed *t, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(t[i].time))
            return imp_fail(IMP_ERR_INPUT, "%s: its time %g is not finite", t[i].file, t[i].time);
        if (i && t[i].time <= t[i - 1].time)
            return imp_fail(IMP_ERR_INPUT, "%s: its time %.17g does not come after %.17g of %s",
                            t[i].file, t[i].time, t[i - 1].time, t[i - 1].file);
    }
    return IMP_OK;
}

int sequence_times_of_names(char **file, size_t count, double step, int sort, double *time)
{
    int err = IMP_OK;
    time_column c = {0};
    char **name = NULL;
    /* one more, since malloc(0) may return NULL */
    timed *t = malloc((count + 1) * sizeof *t);
    if (!t)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(name_signs_read(file, count, &name));
    TRY(find_column(name, file, count, &c));
    for (size_t i = 0; i < count; i++) {
        t[i] = (timed){.file = file[i], .position = i};
        TRY(sequence_times_number(name[i], &c, &t[i].time));
        t[i].time *= step;
    }
    if (sort)
        qsort(t, count, sizeof *t, by_time);
    TRY(sequence_times_check_ascending(t, count));
    for (size_t i = 0; i < count; i++) {
        file[i] = t[i].file;
        time[i] = t[i].time;
    }
out:
    name_signs_free(name, count);
    free(t);
    return err;
}

/* ---- times of a file */

/* A second column is more likely a mistake than a comment. */
static int read_time(text_reader *t, const char *s, double *out)
{
    int err = IMP_OK;
    const char *word = s;
    if (!text_number(t, s, &s, out) || !isfinite(*out))
        FAIL(TEXT_BAD(t, "'%s' is not a finite number", text_show(word).text));
    s = text_skip_blanks(s);
    if (*s && *s != '#')
        FAIL(TEXT_BAD(t, "'%s' after the time; one in a line is read", text_show(s).text));
out:
    return err;
}

int sequence_times_of_file(const char *path, size_t count, double *time)
{
    int err = IMP_OK;
    text_reader t = {0};
    const char *s;
    size_t n = 0;
    TRY(text_open(path, &t));
    for (;;) {
        double x;
        TRY(text_next(&t, &s));
        if (!s)
            break;
        s = text_skip_blanks(s);
        if (text_ends_word(*s))
            continue;
        TRY(read_time(&t, s, &x));
        if (n && n <= count && x <= time[n - 1])
            FAIL(TEXT_BAD(&t, "time %.17g does not come after %.17g", x, time[n - 1]));
        /* further ones are only counted, for the message */
        if (n < count)
            time[n] = x;
        n++;
    }
    if (n != count)
        FAIL(IMP_ERR_INPUT, "%s: %zu times for %zu files", t.path, n, count);
out:
    text_close(&t);
    return err;
}
