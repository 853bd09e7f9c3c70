/* Possible collision sets of many bodies, by hashed tiles in classes of sizes (method A), beside
 * what others do: sort and sweep, and one uniform grid with the edge that is the fastest for it:
 * bench_pcs [BODIES [REPS]] [--csv FILE]. One thread. All give the same pairs.
 * bench_pcs scenes [BODIES [FRAMES]] [--csv FILE] is pcs_scenes.h.
 *
 * Frames in a row are different ones, as in a simulation, as many as have BODIES boxes: of a frame
 * that is repeated a processor remembers what its branches do, and a thousand boxes take half as
 * long. */
#include "clock.h"
#include "error.h"
#ifdef BENCH_ODE
#include "pcs_scenes.h"
#endif
#include "pcs_tiles.h"
#include "scene_math.h"
#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILLED 0.1 /* of space, by the boxes of each size */
#define BODIES_LEAST 1000

static const double ratios[] = {1, 2, 10, 100, 1000, 10000};
#define RATIOS (sizeof ratios / sizeof *ratios)

static mem memory;

static void good(int err)
{
    if (!err)
        return;
    fprintf(stderr, "%s\n", imp_error_text());
    exit(1);
}

static void *capacity(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        good(imp_fail(IMP_ERR_MEMORY, "out of memory"));
    return p;
}

/* ---- boxes */

typedef struct boxes {
    double (*at)[6];
    uint32_t count;
    double ratio; /* of the largest edge to the smallest */
} boxes;

/* Edges from 1 to `ratio`, as many between 1 and 2 as between 2 and 4. What is around the middle is
 * as dense with large boxes as with small ones: those of an edge are in a cube of which they fill
 * the same share, whatever the edge. */
static boxes boxes_make(uint32_t count, double ratio, uint64_t seed)
{
    boxes b = {capacity(count, sizeof *b.at), count, ratio};
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

/* Frames of one number of boxes and one ratio. */
typedef struct film {
    boxes *frame;
    uint32_t frames;
} film;

static film film_make(uint32_t count, double ratio, uint32_t frames)
{
    film f = {capacity(frames, sizeof *f.frame), frames};
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

static int meet(const double a[6], const double b[6])
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
           b[2] <= a[5];
}

/* ---- what finds their pairs. `hash` is a sum over pairs, so that their order does not count */

typedef struct answer {
    uint64_t pairs, hash;
} answer;

static void answer_add(answer *a, uint32_t i, uint32_t j)
{
    const uint64_t lo = i < j ? i : j, hi = i < j ? j : i;
    const uint64_t h = (lo << 32 | hi) * UINT64_C(0x9e3779b97f4a7c15);
    a->pairs++;
    a->hash += h ^ h >> 29;
}

static answer by_tiles(const boxes *b, double unused)
{
    static pcs_tiles t; /* both keep their memory from frame to frame, as in pcs_frame */
    static pcs_pairs p;
    answer out = {0};
    (void)unused;
    p.count = 0;
    good(pcs_tiles_make(&memory, &t, (const double(*)[6])b->at, b->count));
    good(pcs_tiles_all(&memory, &t, &p));
    for (size_t i = 0; i < p.count; i++)
        answer_add(&out, p.at[i][0], p.at[i][1]);
    return out;
}

/* Sorted by their lower ends along the axis on which they are spread most. */
typedef struct sweep_item {
    double low;
    uint32_t box;
} sweep_item;

static int by_low(const void *p, const void *q)
{
    const sweep_item *a = p, *b = q;
    return a->low < b->low ? -1 : a->low > b->low ? 1 : (a->box > b->box) - (a->box < b->box);
}

static int widest_axis(const boxes *b)
{
    double most = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double sum = 0, squares = 0;
        for (uint32_t i = 0; i < b->count; i++) {
            const double x = b->at[i][k] + b->at[i][3 + k];
            sum += x;
            squares += x * x;
        }
        const double spread = squares - sum * sum / b->count;
        axis = spread > most ? k : axis;
        most = spread > most ? spread : most;
    }
    return axis;
}

/* The boxes that the sweep is in are copied together, so that they are read in a row. */
static answer by_sweep(const boxes *b, double unused)
{
    static sweep_item *item;
    static double(*open)[6];
    static uint32_t *name, capable;
    answer out = {0};
    const int axis = widest_axis(b);
    uint32_t opened = 0;
    (void)unused;
    if (b->count > capable) {
        free(item), free(open), free(name);
        item = capacity(b->count, sizeof *item);
        open = capacity(b->count, sizeof *open);
        name = capacity(b->count, sizeof *name);
        capable = b->count;
    }
    for (uint32_t i = 0; i < b->count; i++)
        item[i] = (sweep_item){b->at[i][axis], i};
    qsort(item, b->count, sizeof *item, by_low);
    for (uint32_t i = 0; i < b->count; i++) {
        const double *box = b->at[item[i].box];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < opened; k++) {
            if (open[k][3 + axis] < item[i].low)
                continue; /* it has ended */
            if (meet(box, open[k]))
                answer_add(&out, item[i].box, name[k]);
            if (kept != k) {
                memcpy(open[kept], open[k], sizeof *open);
                name[kept] = name[k];
            }
            kept++;
        }
        memcpy(open[kept], box, sizeof *open);
        name[kept] = item[i].box;
        opened = kept + 1;
    }
    return out;
}

/* One uniform grid, whose cells are hashed: boxes are entered into all cells that they overlap. Two
 * boxes are counted in the cell of the lower corner of their intersection. */
typedef struct cell_item {
    int32_t at[3];
    uint32_t box;
} cell_item;

#define ENTRIES_MOST 300 /* of a box: an edge that needs more takes longer than others */

static double entries_of(const boxes *b, double edge)
{
    double all = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        double n = 1;
        for (int k = 0; k < 3; k++)
            n *= floor(b->at[i][3 + k] / edge) - floor(b->at[i][k] / edge) + 1;
        all += n;
    }
    return all;
}

static size_t cell_bucket(const int32_t at[3], size_t buckets)
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++)
        h = (h ^ (uint32_t)at[k]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 20) & (buckets - 1);
}

typedef struct grid {
    size_t entries, buckets, *start;
    cell_item *item;
} grid;

/* Calls for each cell of each box: counting is the first round, entering the second. */
static void grid_round(grid *g, const boxes *b, double edge, int enter)
{
    for (uint32_t i = 0; i < b->count; i++) {
        int32_t lo[3], hi[3], at[3];
        for (int k = 0; k < 3; k++) {
            lo[k] = (int32_t)floor(b->at[i][k] / edge);
            hi[k] = (int32_t)floor(b->at[i][3 + k] / edge);
        }
        for (at[0] = lo[0]; at[0] <= hi[0]; at[0]++)
            for (at[1] = lo[1]; at[1] <= hi[1]; at[1]++)
                for (at[2] = lo[2]; at[2] <= hi[2]; at[2]++) {
                    size_t *start = g->start + cell_bucket(at, g->buckets);
                    if (enter)
                        g->item[(*start)++] = (cell_item){{at[0], at[1], at[2]}, i};
                    else
                        start[1]++;
                }
    }
}

static int same_cell(const cell_item *a, const cell_item *b)
{
    return a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

static int owns(const double a[6], const double b[6], const cell_item *cell, double edge)
{
    for (int k = 0; k < 3; k++)
        if ((int32_t)floor(fmax(a[k], b[k]) / edge) != cell->at[k])
            return 0;
    return 1;
}

/* Its memory is kept from frame to frame, too. */
static grid grid_make(size_t entries)
{
    static size_t *start, starts;
    static cell_item *item;
    static size_t items;
    size_t buckets = 1;
    while (buckets < entries)
        buckets *= 2;
    if (buckets + 1 > starts) {
        free(start);
        starts = buckets + 1;
        start = capacity(starts, sizeof *start);
    }
    if (entries > items) {
        free(item);
        items = entries + entries / 4;
        item = capacity(items, sizeof *item);
    }
    memset(start, 0, (buckets + 1) * sizeof *start);
    return (grid){entries, buckets, start, item};
}

static answer by_grid(const boxes *b, double edge)
{
    grid g = grid_make((size_t)entries_of(b, edge));
    answer out = {0};
    grid_round(&g, b, edge, 0);
    for (size_t i = 0; i < g.buckets; i++)
        g.start[i + 1] += g.start[i];
    grid_round(&g, b, edge, 1); /* start[i] is now where bucket i ends */
    for (size_t i = 0, first = 0; i < g.buckets; first = g.start[i++])
        for (size_t p = first; p < g.start[i]; p++)
            for (size_t q = first; q < p; q++) {
                const double *x = b->at[g.item[p].box], *y = b->at[g.item[q].box];
                if (same_cell(g.item + p, g.item + q) && meet(x, y) && owns(x, y, g.item + p, edge))
                    answer_add(&out, g.item[p].box, g.item[q].box);
            }
    return out;
}

/* ---- times */

typedef answer (*finder)(const boxes *b, double edge);

typedef struct timed {
    answer of;
    double seconds; /* a frame */
} timed;

/* All frames once. */
static timed time_once(finder find, const film *f, double edge)
{
    timed out = {{0}, 0};
    const double start = clock_seconds();
    for (uint32_t i = 0; i < f->frames; i++) {
        const answer one = find(&f->frame[i], edge);
        out.of.pairs += one.pairs;
        out.of.hash += one.hash * (i + 1);
    }
    out.seconds = (clock_seconds() - start) / f->frames;
    return out;
}

static timed least_time(finder find, const film *f, double edge, int reps)
{
    timed best = {{0}, INFINITY};
    time_once(find, f, edge); /* not counted: memory is new */
    for (int i = 0; i < reps; i++) {
        const timed now = time_once(find, f, edge);
        best = now.seconds < best.seconds ? now : best;
    }
    return best;
}

/* With the best edge of all powers of two that do not take far longer. */
static timed best_grid(const film *f, int reps)
{
    const boxes *b = f->frame;
    timed best = {{0}, INFINITY};
    for (double edge = 1; edge <= 2 * b->ratio; edge *= 2) {
        if (entries_of(b, edge) > ENTRIES_MOST * (double)b->count)
            continue;
        timed now = time_once(by_grid, f, edge);
        if (now.seconds < 2 * best.seconds)
            now = least_time(by_grid, f, edge, reps);
        else
            now.seconds = INFINITY;
        if (now.seconds < best.seconds || !best.of.pairs)
            best = now;
        if (now.seconds == INFINITY && edge > 64) /* it gets worse from here on */
            break;
    }
    return best;
}

static void write_row(const boxes *b, const char *name, const timed *t)
{
    char table[60];
    snprintf(table, sizeof table, "%u bodies, R = %g", (unsigned)b->count, b->ratio);
    sheet_count(table, name, "pairs of all frames", t->of.pairs);
    sheet_seconds(table, name, "frame", t->seconds);
    sheet_number(table, name, "ns, of n log2 2R",
                 1e9 * t->seconds / (b->count * log2(2 * b->ratio)));
}

static int same_answer(const timed *a, const timed *b)
{
    return a->of.pairs == b->of.pairs && a->of.hash == b->of.hash;
}

static int report(const film *f, int reps)
{
    const boxes *b = f->frame;
    const timed tiles = least_time(by_tiles, f, 0, reps);
    const timed sweep = least_time(by_sweep, f, 0, reps), one = best_grid(f, reps);
    printf("| %u | %g | %u | %llu | %.3f | %.1f | %.2f | %.2f |\n", (unsigned)b->count, b->ratio,
           (unsigned)f->frames, (unsigned long long)tiles.of.pairs, 1e3 * tiles.seconds,
           1e9 * tiles.seconds / (b->count * log2(2 * b->ratio)), sweep.seconds / tiles.seconds,
           one.seconds / tiles.seconds);
    fflush(stdout);
    write_row(b, "tiles", &tiles);
    write_row(b, "sort and sweep", &sweep);
    write_row(b, "one grid", &one);
    return same_answer(&tiles, &sweep) && same_answer(&tiles, &one);
}

static int wrong_arguments(void)
{
    fputs("bench_pcs [BODIES [REPS]] [--csv FILE]\n"
          "bench_pcs scenes [BODIES [FRAMES]] [--csv FILE]\n",
          stderr);
    return 2;
}

/* The broad phase. argv: BODIES, REPS. */
static int compare(int argc, char **argv)
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
            same &= report(&f, reps);
            film_free(&f);
        }
    if (!same)
        fputs("answers differ\n", stderr);
    return !same;
}

static int scenes(int argc, char **argv)
{
#ifdef BENCH_ODE
    return pcs_scenes(argc, argv) ? 0 : wrong_arguments();
#else
    (void)argc;
    (void)argv;
    fputs("bench_pcs scenes: built without ODE\n", stderr);
    return 0;
#endif
}

int main(int argc, char **argv)
{
    sheet_open(&argc, argv);
    const int is_scenes = argc > 1 && strcmp(argv[1], "scenes") == 0;
    const int failed = is_scenes ? scenes(argc - 2, argv + 2) : compare(argc - 1, argv + 1);
    sheet_close();
    return failed;
}
