/* Time and memory of a tree of spheres with one primitive a leaf, as in [H] section 2.5, and of the
 * hash, by the number of primitives: bench_growth [LARGEST [REPETITIONS]] [--csv FILE]. Sizes are
 * 10^4 to LARGEST. A scalpel is in an organ: pairs between both, and all pairs. One thread, minima.
 * Ends with 1 if two methods find different contacts. */
#include "film.h"
#include "sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SMALLEST 10000

typedef struct kind {
    const char *text;
    imp_def def;
} kind;

#define COMMON .device = "cpu", .threads = 1
#define SPHERES COMMON, .broad = "tree", .volume = IMP_VOLUME_SPHERE, .leaf = 1, .degree = 2
#define HASH COMMON, .broad = "hash"
#define TWO .pairs = IMP_PAIRS_BETWEEN

static const kind kinds[] = {
    {"spheres, two bodies", {SPHERES, TWO}},
    {"hash, two bodies", {HASH, TWO}},
    {"spheres, all pairs", {SPHERES}},
    {"hash, all pairs", {HASH}},
};

#define KINDS (sizeof kinds / sizeof *kinds)

typedef struct row {
    double bound, build, query; /* seconds, minima */
    imp_profile profile;
    uint64_t marks; /* checksum of the contacts */
} row;

/* Each repetition computes everything from scratch. */
static row bench_growth_measure(const kind *k, const imp_frame *f, uint64_t reps)
{
    row r = {.bound = INFINITY, .build = INFINITY, .query = INFINITY};
    imp *p;
    good(imp_create(&k->def, &p));
    for (uint64_t i = 0; i < reps; i++) {
        imp_forget(p);
        const shot s = film_shoot(p, f);
        r.bound = fmin(r.bound, s.profile.bound);
        r.build = fmin(r.build, s.build);
        r.query = fmin(r.query, s.query);
        r.profile = s.profile;
        r.marks = s.marks;
    }
    imp_destroy(p);
    return r;
}

static void bench_growth_write_row(const char *text, uint32_t n, const row *r)
{
    char title[40];
    snprintf(title, sizeof title, "%" PRIu32 " triangles", n);
    sheet_seconds(title, text, "bounds", r->bound);
    if (r->profile.tree_nodes) {
        sheet_seconds(title, text, "build", r->build);
        sheet_count(title, text, "height", r->profile.tree_height);
        sheet_count(title, text, "volume tests", r->profile.volume_tests);
        sheet_count(title, text, "leaf pairs", r->profile.leaf_pairs);
        sheet_number(title, text, "bytes, each", (double)r->profile.tree_bytes / n);
    }
    sheet_seconds(title, text, "query", r->query);
    sheet_count(title, text, "candidates", r->profile.candidates);
    sheet_count(title, text, "contacts", r->profile.contacts);
    printf("| %" PRIu32 " | %s | %.4g | %.4g | %.4g | %" PRIu32 " | %" PRIu64 " | %.1f | %" PRIu64
           " |\n",
           n, text, 1e3 * r->bound, 1e3 * r->build, 1e3 * r->query, r->profile.tree_height,
           r->profile.volume_tests, (double)r->profile.tree_bytes / n, r->profile.candidates);
    fflush(stdout);
}

/* [H] section 2.5: spheres of 16 bytes, two pointers of 4 in each of n - 1 inner nodes, one in each
 * leaf; for the hash 3n list heads, and an entry of two pointers for each primitive. */
static void write_paper(uint32_t n)
{
    char title[40];
    snprintf(title, sizeof title, "%" PRIu32 " triangles", n);
    sheet_number(title, "[H], spheres", "bytes, each", (24.0 * (n - 1) + 20.0 * n) / n);
    sheet_number(title, "[H], hash", "bytes, each", 20);
}

/* Returns whether both methods find the same contacts. */
static int measure_size(uint64_t size, uint64_t reps)
{
    film f;
    row r[KINDS];
    film_make("organ", size, 1, &f);
    const uint32_t n = f.frame->mesh->primitives;
    for (size_t i = 0; i < KINDS; i++) {
        r[i] = bench_growth_measure(kinds + i, f.frame, reps);
        bench_growth_write_row(kinds[i].text, n, r + i);
    }
    write_paper(n);
    film_free(&f);
    return r[0].marks == r[1].marks && r[2].marks == r[3].marks;
}

int main(int argc, char **argv)
{
    int same = 1;
    sheet_open(&argc, argv);
    char **arg = argv + 1;
    const uint64_t largest = argument(&arg, 10000000, SMALLEST), reps = argument(&arg, 3, 1);
    printf("Milliseconds; bytes of the tree for each triangle.\n\n"
           "| triangles | | bounds | build | query | height | volume tests | bytes | candidates |\n"
           "|--:|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (uint64_t size = SMALLEST; size <= largest; size *= 10)
        same &= measure_size(size, reps);
    if (!same)
        fputs("two methods find other contacts\n", stderr);
    sheet_close();
    return !same;
}
