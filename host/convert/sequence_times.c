/* See sequence.h: times. */
#include "error.h"
#include "name_runs.h"
#include "name_signs.h"
#include "sequence.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which number of the names it is */

#define NAMES "; --times FILE gives the times"

/* The runs of digits that make the number: one, or two with a point between. */
typedef struct column {
    size_t first;
    int point;
} column;

/* Is there a point between this run and the next? */
static int point_follows(const char *name, size_t run)
{
    const char *s = runs_at(name, run), *end = s + runs_digits(s);
    return *end == '.' && runs_is_digit(end[1]);
}

/* Names that differ in several runs, which all hold the same number: frame7/mesh007. Then it does
 * not matter which of them is taken. */
static int same_everywhere(char *const *file, size_t count, size_t last)
{
    for (size_t k = 0; k < last; k++)
        for (size_t i = 0; i < count && runs_vary(file, count, k); i++)
            if (runs_compare(runs_at(file[i], k), runs_at(file[i], last)))
                return 0;
    return 1;
}

/* 0.25 0.5: a constant 0 before the point shows that this is a fraction. */
static int sequence_times_all_zero(char *const *file, size_t count, size_t run)
{
    for (size_t i = 0; i < count; i++)
        if (runs_compare(runs_at(file[i], run), "0"))
            return 0;
    return 1;
}

/* The fraction behind a number that varies, 1.5 2.5, is one if no letter follows. */
static int fraction_follows(const char *name, size_t run)
{
    if (!point_follows(name, run))
        return 0;
    const char *s = runs_at(name, run + 1);
    s += runs_digits(s);
    return *s == 0 || *s == '.' || *s == '_' || *s == '-' || *s == '/';
}

/* Nothing is guessed. Where two readings are possible, as with v1.5 v1.6, the user has to give a
 * list. `name` has signs; messages have the file. */
static int find_column(char *const *name, char *const *file, size_t count, column *out)
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
    *out = (column){last, 0};
    int before = last > 0 && point_follows(name[0], last - 1);
    int joined = before && varying <= 2 && runs_vary(name, count, last - 1);
    if (joined || (before && varying <= 1 && sequence_times_all_zero(name, count, last - 1)))
        *out = (column){last - 1, 1};
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

/* Equal times keep their order, since qsort may swap them; sequence_times_check_ascending then
 * names both files.
 */
static int by_time(const void *a, const void *b)
{
    const timed *x = a, *y = b;
    if (x->time < y->time || x->time > y->time)
        return x->time < y->time ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Reads from a copy, because text_number needs a word that ends after the number. */
static int sequence_times_number(const char *name, const column *c, double *out)
{
    const char *s = runs_at(name, c->first), *end;
    size_t n = runs_digits(s);
    text plain = {0};
    n += c->point ? 1 + runs_digits(s + n + 1) : 0;
    char *copy = strndup(s, n);
    if (!copy)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    *copy = *copy == RUNS_MINUS ? '-' : *copy;
    text_number(&plain, copy, &end, out);
    free(copy);
    return IMP_OK;
}

/* Do the times ascend? A product with `step` may overflow, so it is checked to be finite. */
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
    column c = {0};
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
static int read_time(text *t, const char *s, double *out)
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
    text t = {0};
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
        /* further ones are counted, for the message */
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
