/* Possible collision sets of many bodies, by hashed tiles in size classes (method A), beside other
 * methods: sort and sweep, and one uniform grid with the edge that is fastest for it: bench_pcs
 * [BODIES [REPS]] [--csv FILE]. All find the same pairs. One thread; times are its own. bench_pcs
 * scenes [BODIES [FRAMES]] [--csv FILE] is pcs_scenes.h, bench_pcs batch FILE [FRAMES] [--csv FILE]
 * is pcs_batch.h.
 *
 * Consecutive frames differ, as in a simulation; there are as many as have BODIES boxes in all. On
 * a repeated frame the branch predictor has learnt the branches, and a thousand boxes take half as
 * long. */
#include "cpu_clock.h"
#include "error.h"
#include "pcs_others.h"
#ifdef BENCH_ODE
#include "pcs_batch.h"
#include "pcs_scenes.h"
#endif
#include "pcs_tiles.h"
#include "scene_math.h"
#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILLED 0.1 /* fraction of space filled by the boxes of each size */
#define BODIES_LEAST 1000
#define REP_SECONDS 0.05 /* shorter runs are repeated more often */

static const double ratios[] = {1, 2, 10, 100, 1000, 10000};
#define RATIOS (sizeof ratios / sizeof *ratios)

static mem memory;

static void bench_pcs_require(int err)
{
    if (!err)
        return;
    fprintf(stderr, "%s\n", imp_error_text());
    exit(1);
}

/* ---- boxes */

/* Edges from 1 to `ratio`, as many between 1 and 2 as between 2 and 4. The surroundings of the
 * centre are as dense with large boxes as with small ones: the boxes of an edge are in a cube of
 * which they fill the same fraction, whatever the edge. */
static boxes boxes_make(uint32_t count, double ratio, uint64_t seed)
{
    boxes b = {pcs_capacity(count, sizeof *b.at), count, ratio};
    scene_rng r = scene_rng_at(seed, count);
    for (uint32_t i = 0; i < count; i++) {
        const double edge = pow(ratio, scene_rng_unit(&r));
        const double side = edge * cbrt(count / FILLED / fmax(1, log2(ratio)));
        const v3 middle = scene_rng_cube(&r, side);
        const double x[3] = {middle.x, middle.y, middle.z};
        for (int k = 0; k < 3; k++) {
            const double half = edge / 2 * (k == (int)(i % 3) ? 1 : scene_rng_range(&r, 0.5, 1));
            b.at[i][k] = x[k] - half;
            b.at[i][3 + k] = x[k] + half;
        }
    }
    return b;
}

/* Frames with one number of boxes and one ratio. */
typedef struct film {
    boxes *frame;
    uint32_t frames;
} film;

static film film_make(uint32_t count, double ratio, uint32_t frames)
{
    film f = {pcs_capacity(frames, sizeof *f.frame), frames};
    for (uint32_t i = 0; i < frames; i++)
        f.frame[i] = boxes_make(count, ratio, 1 + i);
    return f;
}

static void film_free(film *f)
{
    for (uint32_t i = 0; i < f->frames; i++)
        free(f->frame[i].at);
    free(f->frame);
}

static answer by_tiles(const boxes *b, double unused)
{
    static pcs_tiles t; /* memory is reused from frame to frame, as in pcs_frame */
    static pcs_pairs p;
    answer out = {0};
    (void)unused;
    p.count = 0;
    bench_pcs_require(pcs_tiles_make(&memory, &t, (const double(*)[6])b->at, b->count));
    bench_pcs_require(pcs_tiles_all_pairs(&memory, &t, &p));
    for (size_t i = 0; i < p.count; i++)
        answer_add(&out, p.at[i][0], p.at[i][1]);
    return out;
}

#define ENTRIES_MOST 300 /* entries per box: an edge that needs more is slower than others */

/* ---- times */

typedef answer (*finder)(const boxes *b, double edge);

typedef struct timed {
    answer of;
    double seconds; /* per frame */
} timed;

/* Processes all frames once. */
static timed time_once(finder find, const film *f, double edge)
{
    timed out = {{0}, 0};
    const double start = cpu_seconds();
    for (uint32_t i = 0; i < f->frames; i++) {
        const answer one = find(&f->frame[i], edge);
        out.of.pairs += one.pairs;
        out.of.hash += one.hash * (i + 1);
    }
    out.seconds = (cpu_seconds() - start) / f->frames;
    return out;
}

static timed least_time(finder find, const film *f, double edge, int reps)
{
    timed best = {{0}, INFINITY};
    const double start = cpu_seconds(), least = (reps - 1) * REP_SECONDS;
    time_once(find, f, edge); /* not counted: its memory is new */
    for (int i = 0; i < reps || cpu_seconds() - start < least; i++) {
        const timed now = time_once(find, f, edge);
        best = now.seconds < best.seconds ? now : best;
    }
    return best;
}

/* The best edge among powers of two, except those that are far slower. */
static timed best_grid(const film *f, int reps)
{
    const boxes *b = f->frame;
    timed best = {{0}, INFINITY};
    for (int i = 0; ldexp(1, i) <= 2 * b->ratio; i++) {
        const double edge = ldexp(1, i);
        if (pcs_grid_entries(b, edge) > ENTRIES_MOST * (double)b->count)
            continue;
        timed now = time_once(pcs_by_grid, f, edge);
        if (now.seconds < 2 * best.seconds)
            now = least_time(pcs_by_grid, f, edge, reps);
        else
            now.seconds = INFINITY;
        if (now.seconds < best.seconds || !best.of.pairs)
            best = now;
        if (now.seconds == INFINITY && edge > 64) /* larger edges are slower still */
            break;
    }
    return best;
}

static void bench_pcs_write_row(const boxes *b, const char *name, const timed *t)
{
    char table[60];
    snprintf(table, sizeof table, "%u bodies, R = %g", (unsigned)b->count, b->ratio);
    sheet_count(table, name, "pairs of all frames", t->of.pairs);
    sheet_seconds(table, name, "frame", t->seconds);
    sheet_number(table, name, "ns, of n log2 2R",
                 1e9 * t->seconds / (b->count * log2(2 * b->ratio)));
}

/* Prints all methods for one size in a row. */
static void write_beside(const boxes *b, const timed *tiles, const timed *sweep, const timed *one)
{
    char row[60];
    const char *table = "tiles, and others beside them";
    snprintf(row, sizeof row, "%u bodies, R = %g", (unsigned)b->count, b->ratio);
    sheet_seconds(table, row, "tiles", tiles->seconds);
    sheet_number(table, row, "ns, of n log2 2R",
                 1e9 * tiles->seconds / (b->count * log2(2 * b->ratio)));
    sheet_number(table, row, "sort and sweep / tiles", sweep->seconds / tiles->seconds);
    sheet_number(table, row, "one grid / tiles", one->seconds / tiles->seconds);
}

static int same_answer(const timed *a, const timed *b)
{
    return a->of.pairs == b->of.pairs && a->of.hash == b->of.hash;
}

static int bench_pcs_report(const film *f, int reps)
{
    const boxes *b = f->frame;
    const timed tiles = least_time(by_tiles, f, 0, reps);
    const timed sweep = least_time(pcs_by_sweep, f, 0, reps), one = best_grid(f, reps);
    printf("| %u | %g | %u | %llu | %.3f | %.1f | %.2f | %.2f |\n", (unsigned)b->count, b->ratio,
           (unsigned)f->frames, (unsigned long long)tiles.of.pairs, 1e3 * tiles.seconds,
           1e9 * tiles.seconds / (b->count * log2(2 * b->ratio)), sweep.seconds / tiles.seconds,
           one.seconds / tiles.seconds);
    fflush(stdout);
    bench_pcs_write_row(b, "tiles", &tiles);
    bench_pcs_write_row(b, "sort and sweep", &sweep);
    bench_pcs_write_row(b, "one grid", &one);
    write_beside(b, &tiles, &sweep, &one);
    return same_answer(&tiles, &sweep) && same_answer(&tiles, &one);
}

static int wrong_arguments(void)
{
    fputs("bench_pcs [BODIES [REPS]] [--csv FILE]\n"
          "bench_pcs scenes [BODIES [FRAMES]] [--csv FILE]\n"
          "bench_pcs batch FILE.vtkhdf [FRAMES] [--csv FILE]\n",
          stderr);
    return 2;
}

/* The broad phase. argv: BODIES, REPS. */
static int bench_pcs_compare(int argc, char **argv)
{
    const unsigned long most = argc > 0 ? strtoul(argv[0], NULL, 10) : 100000;
    const int reps = argc > 1 ? atoi(argv[1]) : 10;
    int same = 1;
    if (most < BODIES_LEAST || most > PCS_BODIES_MOST || reps < 1)
        return wrong_arguments();
    memory.limit = mem_machine();
    puts("Trajectory boxes around a middle, as dense with large as with small ones. ms: a frame. "
         "ns: a box, and log2 2R.\n\n| bodies | R | frames | pairs | tiles, ms | ns | "
         "sort and sweep / tiles | one grid / tiles |\n|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (unsigned long n = BODIES_LEAST; n <= most; n *= 10)
        for (size_t i = 0; i < RATIOS; i++) {
            film f = film_make((uint32_t)n, ratios[i], (uint32_t)(most / n));
            same &= bench_pcs_report(&f, reps);
            film_free(&f);
        }
    if (!same)
        fputs("answers differ\n", stderr);
    return !same;
}

/* Compares with ODE. */
static int bench_pcs_simulate(const char *what, int argc, char **argv)
{
#ifdef BENCH_ODE
    const int is_batch = strcmp(what, "batch") == 0;
    return (is_batch ? pcs_batch : pcs_scenes)(argc, argv) ? 0 : wrong_arguments();
#else
    (void)argc;
    (void)argv;
    fprintf(stderr, "bench_pcs %s: built without ODE\n", what);
    return 0;
#endif
}

int main(int argc, char **argv)
{
    sheet_open(&argc, argv);
    const char *what = argc > 1 ? argv[1] : "";
    const int simulates = strcmp(what, "scenes") == 0 || strcmp(what, "batch") == 0;
    const int failed = simulates ? bench_pcs_simulate(what, argc - 2, argv + 2)
                                 : bench_pcs_compare(argc - 1, argv + 1);
    sheet_close();
    return failed;
}
