/* When to rebuild the k-DOP trees of a cloth instead of refitting them to the next frame:
 * bench_refit [TRIANGLES [FRAMES [REPETITIONS [THREADS]]]] [--csv FILE]. Times of a frame are
 * minima of the repetitions. Ends with 1 if two policies lead to different contacts. */
#include "film.h"
#include "sheet.h"

#include <stdio.h>
#include <stdlib.h>

/* A policy on rebuilding trees. */
typedef struct policy {
    const char *text;
    double loose; /* tree_def.loose; 0: rebuilt each time */
} policy;

enum { ANEW, FITTED };

static const policy policies[] = {
    {"always", 0},
    {"never", 1e300},
    {"weight above 1.1", 1.1},
    {"weight above 1.25", 1.25},
    {"weight above 1.5", 1.5},
    {"weight above 2", 2},
    {"weight above 3", 3},
    {"weight above 4", 4},
};

#define POLICIES (sizeof policies / sizeof *policies)

/* The measurements of a policy. */
typedef struct course {
    imp *p;
    shot *shot;       /* [frames] minima of all repetitions */
    double *weight;   /* [frames] tree_weight */
    uint64_t rebuilt; /* frames */
} course;

typedef struct setup {
    const imp_frame *frame;
    size_t first, frames; /* number of the first frame in the scene; number of frames */
    size_t reps;
    int threads;
} setup;

static imp *bench_refit_pipeline(const setup *s, const policy *how, int dop_k)
{
    imp *p =
        film_pipeline(&(imp_def){.dop_k = dop_k,
                                 .threads = s->threads,
                                 .update = how->loose > 0 ? IMP_UPDATE_AUTO : IMP_UPDATE_REBUILD});
    p->context.opt.tree.loose = how->loose;
    return p;
}

static void bench_refit_repetition(const setup *s, size_t rep, course *c)
{
    imp_forget(c->p);
    for (size_t i = 0; i < s->frames; i++) {
        const shot one = film_shoot(c->p, s->frame + i);
        shot *least = c->shot + i;
        if (!rep) {
            *least = one;
            c->weight[i] = tree_weight(&film_trees(c->p)->soft.tree);
            c->rebuilt += one.profile.tree_nodes > 0;
        }
        least->build = one.build < least->build ? one.build : least->build;
        least->query = one.query < least->query ? one.query : least->query;
    }
}

static void bench_refit_compare(const setup *s, const course *c, const policy *how)
{
    for (size_t i = 0; i < s->frames; i++)
        for (size_t k = 1; k < POLICIES; k++)
            if (c[k].shot[i].marks != c->shot[i].marks) {
                fprintf(stderr, "%s, frame %zu: other contacts than %s\n", how[k].text, i,
                        how->text);
                exit(1);
            }
}

/* Prints ten rows, each for a tenth of the frames. */
static void print_tenths(const setup *s, const course *c)
{
    const size_t n = s->frames;
    printf(
        "| frames | anew | fitted | query anew | fitted | volume tests anew | fitted | weight |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t part = 0, from = 0, to; part < 10; part++, from = to) {
        double build[2] = {0}, query[2] = {0}, tests[2] = {0}, weight[2] = {0};
        to = (part + 1) * n / 10;
        if (from == to)
            continue;
        for (size_t i = from; i < to; i++)
            for (int k = ANEW; k <= FITTED; k++) {
                const double a = 1.0 / (double)(to - from);
                build[k] += 1e3 * a * c[k].shot[i].build;
                query[k] += 1e3 * a * c[k].shot[i].query;
                tests[k] += a * (double)c[k].shot[i].profile.volume_tests;
                weight[k] += a * c[k].weight[i];
            }
        printf("| %zu to %zu | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f | %.2f |\n", s->first + from,
               s->first + to - 1, build[ANEW], build[FITTED], query[ANEW], query[FITTED],
               tests[ANEW], tests[FITTED], weight[FITTED] / weight[ANEW]);
    }
}

static double bench_refit_seconds(const setup *s, const course *c, double *build)
{
    double sum = 0;
    *build = 0;
    for (size_t i = 0; i < s->frames; i++) {
        sum += c->shot[i].build + c->shot[i].query;
        *build += c->shot[i].build;
    }
    return sum;
}

/* The sum of the fastest one is bold. */
static void print_policies(const setup *s, const course *c)
{
    double build, least = bench_refit_seconds(s, c, &build);
    for (size_t k = 1; k < POLICIES; k++) {
        const double sum = bench_refit_seconds(s, c + k, &build);
        least = sum < least ? sum : least;
    }
    printf("\n| trees are made anew | times | trees | query | sum |\n|---|--:|--:|--:|--:|\n");
    for (size_t k = 0; k < POLICIES; k++) {
        const double sum = bench_refit_seconds(s, c + k, &build);
        const char *bold = sum > least ? "" : "**";
        printf("| %s | %llu | %.1f | %.1f | %s%.1f%s |\n", policies[k].text,
               (unsigned long long)c[k].rebuilt, 1e3 * build, 1e3 * (sum - build), bold, 1e3 * sum,
               bold);
    }
}

static void write_policy(const char *title, const setup *s, const policy *how, const course *c)
{
    double build, sum = bench_refit_seconds(s, c, &build);
    uint64_t tests = 0, contacts = 0;
    for (size_t i = 0; i < s->frames; i++) {
        tests += c->shot[i].profile.volume_tests;
        contacts += c->shot[i].profile.contacts;
    }
    sheet_count(title, how->text, "times", c->rebuilt);
    sheet_seconds(title, how->text, "trees", build);
    sheet_seconds(title, how->text, "query", sum - build);
    sheet_seconds(title, how->text, "sum", sum);
    sheet_count(title, how->text, "volume tests", tests);
    sheet_count(title, how->text, "contacts", contacts);
}

static void tables(const setup *s, int dop_k)
{
    char title[48];
    course c[POLICIES] = {{0}};
    for (size_t k = 0; k < POLICIES; k++) {
        c[k].p = bench_refit_pipeline(s, policies + k, dop_k);
        c[k].shot = zeros(s->frames * sizeof *c->shot);
        c[k].weight = zeros(s->frames * sizeof *c->weight);
    }
    for (size_t rep = 0; rep < s->reps; rep++)
        for (size_t k = 0; k < POLICIES; k++)
            bench_refit_repetition(s, rep, c + k);
    bench_refit_compare(s, c, policies);
    snprintf(title, sizeof title, "%d-DOP, from frame %zu on", dop_k, s->first);
    printf("\n### %s\n\n", title);
    print_tenths(s, c);
    print_policies(s, c);
    fflush(stdout);
    for (size_t k = 0; k < POLICIES; k++) {
        write_policy(title, s, policies + k, c + k);
        imp_destroy(c[k].p);
        free(c[k].shot);
        free(c[k].weight);
    }
}

int main(int argc, char **argv)
{
    sheet_open(&argc, argv);
    char **arg = argv + 1;
    const uint64_t triangles = argument(&arg, 40000, 100), frames = argument(&arg, 100, 2);
    setup s = {.reps = (size_t)argument(&arg, 5, 1)};
    s.threads = (int)argument(&arg, 1, 1);
    film f;
    film_make("cloth-ball", triangles, frames, &f);
    printf("cloth-ball, %u triangles, %zu frames, minima of %zu repetitions, threads: %d; "
           "milliseconds.\n",
           f.frame->mesh->primitives, f.frames, s.reps, s.threads);
    for (int half = 0; half < 2; half++)
        for (int k = 6; k <= 18; k += 12) {
            s.first = half ? f.frames / 2 : 0; /* all frames; only those of the crumpled cloth */
            s.frame = f.frame + s.first;
            s.frames = f.frames - s.first;
            tables(&s, k);
        }
    film_free(&f);
    sheet_close();
    return 0;
}
