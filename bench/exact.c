/* Checks impinge's answers between two frames for exactness: for a vertex and a face, or two edges,
 * that move, whether they meet, and when first. Each question is put to the exact arithmetic and to
 * the whole of impinge. Ends with 1 if an answer is wrong.
 *
 *     bench_exact [CASES] [--csv FILE]              constructed touches, CASES of each class
 *     bench_exact --file TITLE FILE [--csv FILE]    the questions of a file (question.h)
 *     bench_exact --make CASES FILE                 writes the touches to a file of questions */
#include "question.h"
#include "sheet.h"
#include "touch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct way {
    const char *text;
    question_way *ask;
} ways[] = {{"impinge, exact arithmetic", questions_exact}, {"impinge", questions_whole}};

enum { WAYS = sizeof ways / sizeof *ways };

typedef struct tally {
    uint64_t asked, meet;
    uint64_t missed, false_hits, wrong_tois; /* by one way of asking */
    double seconds;                          /* per question */
} tally;

static uint64_t bench_exact_wrong(const tally *t)
{
    return t->missed + t->false_hits + t->wrong_tois;
}

static void *bench_exact_room(size_t bytes)
{
    void *p = malloc(bytes + 1);
    if (p)
        return p;
    fputs("not enough memory\n", stderr);
    exit(5);
}

static _Noreturn void bench_exact_stop(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

/* ---- asking */

static void bench_exact_count(const question *q, double toi, tally *t)
{
    t->asked++;
    t->meet += q->want != NEVER;
    if (q->want == NEVER)
        t->false_hits += toi != NEVER;
    else if (toi == NEVER)
        t->missed++;
    else
        t->wrong_tois += q->want != SOME_TIME && toi != q->want;
}

static tally bench_exact_time_queries(const struct way *w, const question *asked, size_t n,
                                      double *toi)
{
    tally t = {.seconds = w->ask(asked, n, toi)};
    for (size_t i = 0; i < n; i++)
        bench_exact_count(&asked[i], toi[i], &t);
    return t;
}

static size_t bench_exact_read_all(const char *path, question **out)
{
    FILE *f = fopen(path, "rb");
    long bytes;
    if (!f || fseek(f, 0, SEEK_END) || (bytes = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
        bench_exact_stop(path, "cannot be read");
    const size_t n = (size_t)bytes / sizeof **out;
    *out = bench_exact_room((size_t)bytes);
    if ((size_t)bytes % sizeof **out || fread(*out, sizeof **out, n, f) != n)
        bench_exact_stop(path, "is no file of questions");
    fclose(f);
    return n;
}

/* If a time is unknown both ways must give the same one. Returns the number of faults. */
static uint64_t bench_exact_file(const char *title, const char *path)
{
    question *asked;
    const size_t n = bench_exact_read_all(path, &asked);
    double *toi[WAYS];
    uint64_t faults = 0;
    for (int w = 0; w < WAYS; w++) {
        toi[w] = bench_exact_room(n * sizeof **toi);
        tally t = bench_exact_time_queries(&ways[w], asked, n, toi[w]);
        for (size_t i = 0; w && i < n; i++)
            t.wrong_tois += asked[i].want == SOME_TIME && toi[w][i] != toi[0][i];
        faults += bench_exact_wrong(&t);
        printf("%s, %s: of %llu %llu meet; false negatives %llu, positives %llu, other shares "
               "%llu; %.2f us each\n",
               title, ways[w].text, (unsigned long long)t.asked, (unsigned long long)t.meet,
               (unsigned long long)t.missed, (unsigned long long)t.false_hits,
               (unsigned long long)t.wrong_tois, 1e6 * t.seconds);
        sheet_count(title, ways[w].text, "queries", t.asked);
        sheet_count(title, ways[w].text, "meet", t.meet);
        sheet_count(title, ways[w].text, "false negatives", t.missed);
        sheet_count(title, ways[w].text, "false positives", t.false_hits);
        sheet_number(title, ways[w].text, "µs a query", 1e6 * t.seconds);
    }
    for (int w = 0; w < WAYS; w++)
        free(toi[w]);
    free(asked);
    return faults;
}

/* ---- touches */

static void bench_exact_make(int class, size_t n, question *out)
{
    for (size_t i = 0; i < n; i++)
        touch_make(class, i, &out[i]);
}

static uint64_t touches_of(int class, size_t n, question *asked, double *toi)
{
    static const char table[] = "touches";
    const char *name = touch_name(class);
    tally t[WAYS];
    bench_exact_make(class, n, asked);
    for (int w = 0; w < WAYS; w++)
        t[w] = bench_exact_time_queries(&ways[w], asked, n, toi);
    printf("%-37s %8llu %8llu", name, (unsigned long long)n, (unsigned long long)t[0].meet);
    sheet_count(table, name, "queries", n);
    sheet_count(table, name, "meet", t[0].meet);
    uint64_t faults = 0;
    for (int w = 0; w < WAYS; w++) {
        char column[64];
        snprintf(column, sizeof column, "wrong: %s", ways[w].text);
        sheet_count(table, name, column, bench_exact_wrong(&t[w]));
        faults += bench_exact_wrong(&t[w]);
        printf(" %8llu %8.2f", (unsigned long long)bench_exact_wrong(&t[w]), 1e6 * t[w].seconds);
    }
    putchar('\n');
    fflush(stdout);
    return faults;
}

static uint64_t touches(size_t n)
{
    question *asked = bench_exact_room(n * sizeof *asked);
    double *toi = bench_exact_room(n * sizeof *toi);
    uint64_t faults = 0;
    printf("%-37s %8s %8s", "", "queries", "meet");
    for (int w = 0; w < WAYS; w++)
        printf(" %8s %8s", "wrong", "us each");
    printf(", of %s and of %s\n", ways[0].text, ways[1].text);
    for (int class = 0; touch_name(class); class ++)
        faults += touches_of(class, n, asked, toi);
    free(asked);
    free(toi);
    return faults;
}

static void make_file(size_t n, const char *path)
{
    question *made = bench_exact_room(n * sizeof *made);
    FILE *f = fopen(path, "wb");
    for (int class = 0; f && touch_name(class); class ++) {
        bench_exact_make(class, n, made);
        if (fwrite(made, sizeof *made, n, f) != n)
            bench_exact_stop(path, "cannot be written");
    }
    if (!f || fclose(f))
        bench_exact_stop(path, "cannot be written");
    free(made);
}

static size_t cases(const char *text)
{
    char *end;
    const unsigned long long n = strtoull(text, &end, 10);
    if (!*end && n && *text != '-')
        return (size_t)n;
    fprintf(stderr, "%s: a number of cases is wanted\n", text);
    exit(2);
}

int main(int argc, char **argv)
{
    uint64_t faults = 0;
    sheet_open(&argc, argv);
    if (argc == 4 && strcmp(argv[1], "--file") == 0) {
        faults = bench_exact_file(argv[2], argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "--make") == 0) {
        make_file(cases(argv[2]), argv[3]);
    } else if (argc <= 2) {
        faults = touches(argc == 2 ? cases(argv[1]) : 100000);
    } else {
        fputs("bench_exact [CASES | --file TITLE FILE | --make CASES FILE] [--csv FILE]\n", stderr);
        return 2;
    }
    sheet_close();
    if (faults)
        fprintf(stderr, "%llu answers are wrong\n", (unsigned long long)faults);
    return faults != 0;
}
