/* The distance of convex bodies whose distance is known (roof.h). Counts answers of impinge whose
 * error is above 1e-9 of the size, or above its own error bound; and, if libccd is available,
 * libccd's wrong answers to whether they meet. Ends with 1 if impinge has a wrong answer.
 *
 *     bench_distance [PAIRS] [--csv FILE]      PAIRS pairs for each gap */
#include "mem.h"
#include "roof.h"
#include "sheet.h"
#ifdef BENCH_CCD
#include "peers/gjk.h"
#endif

#include <stdio.h>
#include <stdlib.h>

#define PAIRS 18000 /* for each of six gaps: more than 10^5 */
#define MOST 1e-9   /* largest error of an answer, relative to the size */

static const int powers[] = {3, 8, 13, 18, 23, 28};
enum { POWERS = sizeof powers / sizeof *powers };
static const char *const top_name[ROOF_TOPS] = {"vertex", "edge", "face"};

typedef struct tally {
    uint64_t pairs, off, beyond, gjk, mpr;
} tally;

static tally by_tops[ROOF_TOPS][ROOF_TOPS], by_power[POWERS], all;

static _Noreturn void bench_distance_stop(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static shape *bench_distance_shape(mem *m, const roof *r)
{
    shape *s;
    const shape_def def = {
        .points = r->x, .vertices = r->vertices, .corner = r->corner, .triangles = r->triangles};
    if (shape_make(m, &def, &s))
        bench_distance_stop("not enough memory");
    if (!shape_is_convex(s))
        bench_distance_stop("a body is not convex");
    return s;
}

/* Adds impinge's answer to the tally. */
static void bench_distance_query(mem *m, const roof_pair *p, tally *t)
{
    shape *a = bench_distance_shape(m, &p->body[0]), *b = bench_distance_shape(m, &p->body[1]);
    const double size = shape_radius(a) + shape_radius(b), want = p->gap > 0 ? p->gap : 0;
    shape_nearest n;
    shape_distance(a, &p->put[0], b, &p->put[1], &(shape_pair){0}, &n);
    t->off += fabs(n.distance - want) > MOST * size;
    t->beyond += fabs(n.distance - want) > n.error + size * 0x1p-50; /* poses are rounded */
    shape_free(m, a);
    shape_free(m, b);
}

static void ask_peers(const roof_pair *p, tally *t)
{
#ifdef BENCH_CCD
    t->gjk += gjk_meet(p) != (p->gap < 0);
    t->mpr += mpr_meet(p) != (p->gap < 0);
#else
    (void)p;
    (void)t;
#endif
}

static void bench_distance_add(tally *to, const tally *t)
{
    to->pairs += t->pairs;
    to->off += t->off;
    to->beyond += t->beyond;
    to->gjk += t->gjk;
    to->mpr += t->mpr;
}

static void bench_distance_print(const char *table, const char *row, const tally *t)
{
    printf("  %-20s %8llu pairs, impinge: %llu off, %llu beyond its error", row,
           (unsigned long long)t->pairs, (unsigned long long)t->off, (unsigned long long)t->beyond);
    sheet_count(table, row, "pairs", t->pairs);
    sheet_count(table, row, "impinge: off by over 1e-9", t->off);
    sheet_count(table, row, "impinge: beyond its error", t->beyond);
#ifdef BENCH_CCD
    printf("; libccd wrong: GJK %llu, MPR %llu", (unsigned long long)t->gjk,
           (unsigned long long)t->mpr);
    sheet_number(table, row, "libccd, GJK: wrong", (double)t->gjk);
    sheet_number(table, row, "libccd, MPR: wrong", (double)t->mpr);
#endif
    printf("\n");
}

static void bench_distance_print_all(void)
{
    char row[64];
    for (int i = 0; i < ROOF_TOPS * ROOF_TOPS; i++) {
        snprintf(row, sizeof row, "%s, %s", top_name[i / ROOF_TOPS], top_name[i % ROOF_TOPS]);
        bench_distance_print("convex bodies, by closest features", row,
                             &by_tops[i / ROOF_TOPS][i % ROOF_TOPS]);
    }
    for (int i = 0; i < POWERS; i++) {
        snprintf(row, sizeof row, "2^-%d", powers[i]);
        bench_distance_print("convex bodies, by the gap or depth", row, &by_power[i]);
    }
    bench_distance_print("convex bodies", "all", &all);
}

int main(int argc, char **argv)
{
    mem m = {0};
    sheet_open(&argc, argv);
    const uint64_t pairs = argc > 1 ? strtoull(argv[1], NULL, 10) : PAIRS;
    for (int i = 0; i < POWERS; i++)
        for (uint64_t k = 0; k < pairs; k++) {
            roof_pair p;
            tally t = {.pairs = 1};
            roof_pair_make(k, powers[i], &p);
            bench_distance_query(&m, &p, &t);
            ask_peers(&p, &t);
            bench_distance_add(&by_tops[p.top[0]][p.top[1]], &t);
            bench_distance_add(&by_power[i], &t);
            bench_distance_add(&all, &t);
        }
    bench_distance_print_all();
    sheet_close();
    mem_close(&m);
    return all.off || all.beyond;
}
