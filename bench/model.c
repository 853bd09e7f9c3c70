/* The cost of a frame for a block of tetrahedra in memory (imp_model) of which 1 % move and, in
 * addition, some are replaced: bench_model [DEVICE [TETRAHEDRA [REPLACED [ROUNDS]]]] [--csv FILE].
 * Times cover the change and the query. The ways take turns, each with its own block: a round of
 * frames of one, then of the next. */
#include "impinge.h"
#include "sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRAMES 22 /* frames of a round */
#define WARM 2    /* the first is built from scratch */

typedef struct block {
    uint32_t side, verts, tets; /* cubes along an edge; each has six tetrahedra */
    double *point;
    uint32_t *corner;
    int64_t *id, next;
    uint8_t *gone;
    uint32_t *moving, movers; /* vertices in a ball at the centre */
} block;

/* The changes of a frame, and the method. */
typedef struct way {
    const char *text, *broad;
    int replace, scattered, parts;
    enum imp_update update;
} way;

static double bench_model_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t bench_model_below(uint32_t n)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) * n >> 31);
}

static void *bench_model_zeros(size_t bytes)
{
    void *p = calloc(1, bytes + 1);
    if (p)
        return p;
    fputs("not enough memory\n", stderr);
    exit(5);
}

static void bench_model_require(int err)
{
    if (!err)
        return;
    fprintf(stderr, "%s\n", imp_error_text());
    exit(1);
}

/* ---- the block */

static uint32_t bench_model_vertex_at(const block *b, const uint32_t at[3])
{
    return (at[0] * (b->side + 1) + at[1]) * (b->side + 1) + at[2];
}

/* The six paths along three edges from a corner of the cube to the opposite one. */
static void cube_make(block *b, const uint32_t at[3])
{
    static const int axis[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 6; k++) {
        uint32_t *corner = b->corner + 4 * (size_t)b->tets, to[3] = {at[0], at[1], at[2]};
        corner[0] = bench_model_vertex_at(b, to);
        for (int step = 0; step < 3; step++) {
            to[axis[k][step]]++;
            corner[step + 1] = bench_model_vertex_at(b, to);
        }
        b->id[b->tets] = b->tets;
        b->tets++;
    }
}

static double from_middle(const double *x)
{
    return sqrt((x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5) +
                (x[2] - 0.5) * (x[2] - 0.5));
}

static void block_make(block *b, uint32_t tets)
{
    uint32_t n = b->side = (uint32_t)cbrt(tets / 6.0) + 1, most = 6 * n * n * n, at[3];
    size_t verts = (size_t)(n + 1) * (n + 1) * (n + 1);
    b->point = bench_model_zeros(3 * verts * sizeof *b->point);
    b->corner = bench_model_zeros(4 * (size_t)most * sizeof *b->corner);
    b->id = bench_model_zeros(most * sizeof *b->id);
    b->gone = bench_model_zeros(most);
    b->moving = bench_model_zeros(verts * sizeof *b->moving);
    for (at[0] = 0; at[0] <= n; at[0]++)
        for (at[1] = 0; at[1] <= n; at[1]++)
            for (at[2] = 0; at[2] <= n; at[2]++) {
                double *x = b->point + 3 * (size_t)b->verts;
                for (int k = 0; k < 3; k++)
                    x[k] = (at[k] + 3e-4 * bench_model_below(1000) - 0.15) / n;
                if (from_middle(x) < 0.129) /* radius in a unit cube: nearly 1 % of the volume */
                    b->moving[b->movers++] = b->verts;
                b->verts++;
            }
    for (at[0] = 0; at[0] < n; at[0]++)
        for (at[1] = 0; at[1] < n; at[1]++)
            for (at[2] = 0; at[2] < n; at[2]++)
                cube_make(b, at);
    b->next = b->tets;
}

/* ---- a frame */

static void bench_model_move(imp_model *m, const block *b, int frame)
{
    double *to = bench_model_zeros(3 * (size_t)b->movers * sizeof *to);
    for (uint32_t i = 0; i < b->movers; i++)
        for (int k = 0; k < 3; k++) {
            double x = b->point[3 * (size_t)b->moving[i] + (size_t)k];
            to[3 * (size_t)i + (size_t)k] = x + 0.3 / b->side * sin(0.7 * frame + 9 * x);
        }
    bench_model_require(imp_model_move(m, b->moving, to, b->movers));
    free(to);
}

/* A tetrahedron that was not replaced yet: the next in order, or a random one. */
static uint32_t bench_model_choose(block *b, const way *w, uint32_t *at)
{
    uint32_t one = w->scattered ? bench_model_below(b->tets) : *at % b->tets;
    while (b->gone[one])
        one = (one + 1) % b->tets;
    *at = one + 1;
    b->gone[one] = 1;
    return one;
}

/* Replaces each by one, or by two that share a new vertex at the middle of an edge. */
static void bench_model_replace(imp_model *m, block *b, const way *w, uint32_t *at)
{
    size_t n = (size_t)w->replace, parts = (size_t)w->parts;
    int64_t *gone = bench_model_zeros(n * sizeof *gone),
            *id = bench_model_zeros(n * parts * sizeof *id);
    uint32_t *corner = bench_model_zeros(4 * n * parts * sizeof *corner), first = 0;
    double *middle = bench_model_zeros(3 * n * sizeof *middle);
    for (size_t i = 0; i < n; i++) {
        uint32_t one = bench_model_choose(b, w, at), *of = b->corner + 4 * (size_t)one;
        gone[i] = b->id[one];
        for (int k = 0; k < 3; k++)
            middle[3 * i + (size_t)k] = 0.5 * (b->point[3 * (size_t)of[0] + (size_t)k] +
                                               b->point[3 * (size_t)of[1] + (size_t)k]);
    }
    bench_model_require(imp_model_add_vertices(m, middle, (uint32_t)n, &first));
    for (size_t i = 0; i < n * parts; i++) {
        memcpy(corner + 4 * i, b->corner + 4 * (size_t)gone[i / parts], 4 * sizeof *corner);
        corner[4 * i + i % parts] = first + (uint32_t)(i / parts);
        id[i] = b->next++;
    }
    bench_model_require(imp_model_replace(m, gone, (uint32_t)n,
                                          &(imp_mesh){.primitives = (uint32_t)(n * parts),
                                                      .corner = corner,
                                                      .corners = IMP_TETRAHEDRA,
                                                      .id = id}));
    free(gone);
    free(id);
    free(corner);
    free(middle);
}

/* ---- measuring, in turn */

typedef struct spent {
    double whole, table; /* seconds: in all; bounds and the broad phase */
} spent;

/* Sums over the timed frames of a round; the same for every round. */
typedef struct counts {
    uint64_t candidates, contacts, entries_written;
} counts;

static int by_whole(const void *a, const void *b)
{
    const spent *x = a, *y = b;
    return (x->whole > y->whole) - (x->whole < y->whole);
}

/* If nothing is replaced each frame has the same candidates, however they are found. */
static void bench_model_compare(const way *w, int f, uint64_t candidates)
{
    static uint64_t known[FRAMES];
    if (w->replace)
        return;
    known[f] = known[f] ? known[f] : candidates;
    if (candidates && known[f] == candidates)
        return;
    fprintf(stderr, "%s, frame %d: %llu candidates, before %llu\n", w->text, f,
            (unsigned long long)candidates, (unsigned long long)known[f]);
    exit(1);
}

static void bench_model_add(counts *sum, const imp_frame_info *info, const imp_profile *p)
{
    sum->candidates += info->candidates;
    sum->contacts += info->contacts;
    sum->entries_written += p->entries_written;
}

/* A round of frames; their times go to times[FRAMES - WARM]. */
static counts bench_model_measure(const char *device, block *b, const way *w, spent *times)
{
    counts sum = {0};
    imp_model *m;
    uint32_t first, at = b->tets / 3;
    bench_model_require(
        imp_model_create(&(imp_def){.device = device, .broad = w->broad, .update = (int)w->update},
                         IMP_TETRAHEDRA, &m));
    bench_model_require(imp_model_add_vertices(m, b->point, b->verts, &first));
    bench_model_require(imp_model_add(m, &(imp_mesh){.primitives = b->tets,
                                                     .corner = b->corner,
                                                     .corners = IMP_TETRAHEDRA,
                                                     .id = b->id}));
    memset(b->gone, 0, b->tets);
    for (int f = 0; f < FRAMES; f++) {
        imp_profile p;
        imp_frame_info info;
        imp_profile_reset(imp_model_pipeline(m));
        double start = bench_model_seconds();
        bench_model_move(m, b, f);
        if (w->replace)
            bench_model_replace(m, b, w, &at);
        bench_model_require(imp_model_query(m, NULL, NULL, &info));
        imp_profile_get(imp_model_pipeline(m), &p);
        bench_model_compare(w, f, info.candidates);
        if (f < WARM)
            continue;
        times[f - WARM] = (spent){bench_model_seconds() - start, p.bound + p.broad};
        bench_model_add(&sum, &info, &p);
    }
    imp_model_destroy(m);
    return sum;
}

/* The fastest frame, and the median one; also relative to the incremental update. */
static void print_way(const way *w, const spent *times, size_t n, const spent kept[2])
{
    const spent least = times[0], middle = times[n / 2];
    printf("%-33s %8.2f (%7.2f) %8.2f (%7.2f)", w->text, 1e3 * least.whole, 1e3 * middle.whole,
           1e3 * least.table, 1e3 * middle.table);
    printf(kept ? " %5.2f (%4.2f)\n" : "\n", kept ? least.whole / kept[0].whole : 0,
           kept ? middle.whole / kept[1].whole : 0);
}

static void write_way(const char *table, const way *w, const spent *times, size_t n,
                      const counts *c)
{
    sheet_seconds(table, w->text, "frame", times[0].whole);
    sheet_seconds(table, w->text, "frame, median", times[n / 2].whole);
    sheet_seconds(table, w->text, "bounds and broad phase", times[0].table);
    sheet_seconds(table, w->text, "bounds and broad phase, median", times[n / 2].table);
    sheet_count(table, w->text, "candidates", c->candidates);
    sheet_count(table, w->text, "contacts", c->contacts);
    sheet_count(table, w->text, "touched", c->entries_written);
}

static int bench_model_number(char **argv, int argc, int i, int otherwise)
{
    return i < argc ? atoi(argv[i]) : otherwise;
}

int main(int argc, char **argv)
{
    sheet_open(&argc, argv);
    const char *device = argc > 1 ? argv[1] : "cpu";
    const int tets = bench_model_number(argv, argc, 2, 1000000),
              n = bench_model_number(argv, argc, 3, 1000),
              rounds = bench_model_number(argv, argc, 4, 5);
    const way ways[] = {{"made anew", NULL, 0, 0, 1, IMP_UPDATE_REBUILD},
                        {"kept", NULL, 0, 0, 1, IMP_UPDATE_KEEP},
                        {"and replaced, side by side", NULL, n, 0, 1, IMP_UPDATE_KEEP},
                        {"and cut in two, side by side", NULL, n, 0, 2, IMP_UPDATE_KEEP},
                        {"and replaced, anywhere", NULL, n, 1, 1, IMP_UPDATE_KEEP},
                        {"and cut in two, anywhere", NULL, n, 1, 2, IMP_UPDATE_KEEP},
                        {"hash, made anew", "hash", 0, 0, 1, IMP_UPDATE_REBUILD},
                        {"hash, kept", "hash", 0, 0, 1, IMP_UPDATE_KEEP},
                        {"hash, and replaced, side by side", "hash", n, 0, 1, IMP_UPDATE_KEEP}};
    enum { KEPT = 1, WAYS = sizeof ways / sizeof *ways };
    const size_t frames = FRAMES - WARM;
    spent *times[WAYS], kept[2];
    counts found[WAYS];
    char title[32];
    block b = {0};
    if (tets < 1000 || n < 1 || n > tets / FRAMES || rounds < 1) {
        fputs("bench_model [DEVICE [TETRAHEDRA [REPLACED [ROUNDS]]]] [--csv FILE]\n", stderr);
        return 2;
    }
    const size_t all = frames * (size_t)rounds;
    block_make(&b, (uint32_t)tets);
    printf("%u tetrahedra, %u of %u vertices move, %d replaced; ms a frame, minimum (median)\n",
           b.tets, b.movers, b.verts, n);
    printf("%-33s %18s %18s %12s\n", "", "all", "bounds, broad phase", "of kept");
    for (int i = 0; i < WAYS; i++)
        times[i] = bench_model_zeros(all * sizeof **times);
    for (size_t r = 0; r < (size_t)rounds; r++)
        for (int i = 0; i < WAYS; i++)
            found[i] = bench_model_measure(device, &b, &ways[i], times[i] + r * frames);
    for (int i = 0; i < WAYS; i++)
        qsort(times[i], all, sizeof **times, by_whole);
    kept[0] = times[KEPT][0];
    kept[1] = times[KEPT][all / 2];
    snprintf(title, sizeof title, "%u tetrahedra", b.tets);
    for (int i = 0; i < WAYS; i++) {
        print_way(&ways[i], times[i], all, i ? kept : NULL);
        write_way(title, &ways[i], times[i], all, &found[i]);
        free(times[i]);
    }
    sheet_close();
    free(b.point);
    free(b.corner);
    free(b.id);
    free(b.gone);
    free(b.moving);
    return 0;
}
