/* Costs and benefits of trees of bounding volumes, of all kinds, side by side: bench_trees
 * [TRIANGLES [FRAMES [REPETITIONS [THREADS]]]] [--csv FILE]. Times are minima of the repetitions,
 * each of which begins with a frame without a predecessor. Ends with 1 if two trees lead to
 * different contacts. */
#include "film.h"
#include "sheet.h"
#include "tree_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct kind {
    const char *text;
    imp_def def;
} kind;

#define DOP(k) .volume = IMP_VOLUME_DOP, .dop_k = (k)
#define OBB .volume = IMP_VOLUME_OBB
#define HYBRID .volume = IMP_VOLUME_HYBRID
#define BOTTOM_UP .build = IMP_BUILD_BOTTOM_UP
#define SIMULTANEOUS .descent = IMP_DESCENT_SIMULTANEOUS

static const kind kinds[] = {
    {"6-DOP", {DOP(6)}},
    {"8-DOP", {DOP(8)}},
    {"14-DOP", {DOP(14)}},
    {"18-DOP", {DOP(18)}},
    {"26-DOP", {DOP(26)}},
    {"sphere", {.volume = IMP_VOLUME_SPHERE}},
    {"sphere, leaf 1", {.volume = IMP_VOLUME_SPHERE, .leaf = 1}},
    {"OBB", {OBB}},
    {"hybrid", {HYBRID}},
    {"hybrid, 5 of spheres", {HYBRID, .hybrid_level = 5}},
    {"hybrid, 10 of spheres", {HYBRID, .hybrid_level = 10}},
    {"6-DOP, bottom-up", {DOP(6), BOTTOM_UP}},
    {"18-DOP, bottom-up", {DOP(18), BOTTOM_UP}},
    {"OBB, bottom-up", {OBB, BOTTOM_UP}},
    {"6-DOP, simultaneous", {DOP(6), SIMULTANEOUS}},
    {"18-DOP, simultaneous", {DOP(18), SIMULTANEOUS}},
    {"OBB, simultaneous", {OBB, SIMULTANEOUS}},
    {"hybrid, 5 of spheres, simultaneous", {HYBRID, SIMULTANEOUS, .hybrid_level = 5}},
    {"6-DOP, degree 4", {DOP(6), .degree = 4}},
    {"6-DOP, degree 8", {DOP(6), .degree = 8}},
    {"OBB, degree 4", {OBB, .degree = 4}},
    {"OBB, degree 8", {OBB, .degree = 8}},
    {"6-DOP, simultaneous, degree 4", {DOP(6), SIMULTANEOUS, .degree = 4}},
    {"6-DOP, simultaneous, degree 8", {DOP(6), SIMULTANEOUS, .degree = 8}},
    {"6-DOP, leaf 4", {DOP(6), .leaf = 4}},
    {"6-DOP, leaf 8", {DOP(6), .leaf = 8}},
    {"6-DOP, leaf 16", {DOP(6), .leaf = 16}},
    {"OBB, leaf 4", {OBB, .leaf = 4}},
    {"OBB, leaf 8", {OBB, .leaf = 8}},
    {"OBB, leaf 16", {OBB, .leaf = 16}},
};

typedef struct setup {
    const film *film;
    size_t reps;
    int threads;
    uint64_t *marks; /* [frames] checksums of the first kind's contacts */
} setup;

/* The measurements of a kind: seconds of each repetition, per frame, and the values that all
 * repetitions share. */
typedef struct row {
    size_t reps;
    double *build, *later, *query, *exact; /* [reps] */
    imp_profile sum;                       /* over the frames of one repetition */
    tree_shape shape;                      /* for the trees of the first frame */
    uint32_t spheres;                      /* levels of spheres; the most of several sets */
} row;

/* ---- measuring */

static void bench_trees_look_at(const trees *s, uint32_t dop_k, row *r)
{
    const tree *all[] = {&s->soft.tree, &s->rigid.tree};
    for (size_t i = 0; i < 2; i++) {
        const uint32_t level = all[i]->def.hybrid_level;
        tree_shape_add(all[i], dop_k, &r->shape);
        r->spheres = level > r->spheres ? level : r->spheres;
    }
}

static void bench_trees_add(imp_profile *sum, const imp_profile *one)
{
    sum->volume_tests += one->volume_tests;
    sum->obb_tests += one->obb_tests;
    sum->axes += one->axes;
    sum->leaf_pairs += one->leaf_pairs;
    sum->candidates += one->candidates;
    sum->contacts += one->contacts;
    sum->tree_height = one->tree_height > sum->tree_height ? one->tree_height : sum->tree_height;
    sum->tree_bytes = one->tree_bytes > sum->tree_bytes ? one->tree_bytes : sum->tree_bytes;
    sum->peak_bytes = one->peak_bytes > sum->peak_bytes ? one->peak_bytes : sum->peak_bytes;
}

static void bench_trees_repetition(const setup *s, const kind *k, imp *p, size_t rep, row *r)
{
    const film *f = s->film;
    imp_forget(p);
    for (size_t i = 0; i < f->frames; i++) {
        const shot one = film_shoot(p, f->frame + i);
        if (i)
            r->later[rep] += one.build / (double)(f->frames - 1);
        else
            r->build[rep] = one.build;
        r->query[rep] += one.query / (double)f->frames;
        r->exact[rep] += one.exact / (double)f->frames;
        if (rep)
            continue;
        bench_trees_add(&r->sum, &one.profile);
        if (!i)
            bench_trees_look_at(film_trees(p), p->context.opt.dop_k, r);
        if (k == kinds)
            s->marks[i] = one.marks;
        if (s->marks[i] == one.marks)
            continue;
        fprintf(stderr, "%s, frame %zu: other contacts than %s\n", k->text, i, kinds->text);
        exit(1);
    }
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static row bench_trees_measure(const setup *s, const kind *k)
{
    const size_t reps = s->reps;
    row r = {.reps = reps,
             .build = zeros(reps * sizeof(double)),
             .later = zeros(reps * sizeof(double)),
             .query = zeros(reps * sizeof(double)),
             .exact = zeros(reps * sizeof(double))};
    imp_def def = k->def;
    def.threads = s->threads;
    def.pairs = IMP_PAIRS_BETWEEN;
    def.update = IMP_UPDATE_AUTO;
    imp *p = film_pipeline(&def);
    for (size_t rep = 0; rep < reps; rep++)
        bench_trees_repetition(s, k, p, rep, &r);
    qsort(r.build, reps, sizeof(double), by_size);
    qsort(r.later, reps, sizeof(double), by_size);
    qsort(r.query, reps, sizeof(double), by_size);
    qsort(r.exact, reps, sizeof(double), by_size);
    imp_destroy(p);
    return r;
}

/* ---- printing */

static void bench_trees_print_head(const setup *s, const char *name)
{
    const imp_mesh *m = s->film->frame->mesh;
    printf("\n### %s\n\n%u triangles, %zu frames, minima of %zu repetitions, "
           "threads: %d.\n\n",
           name, m->primitives, s->film->frames, s->reps, s->threads);
    printf(
        "| tree | build | later | query | median | exact | volume tests | axes | leaf pairs | "
        "height | "
        "spheres | overlap | volumes | candidates | contacts | bytes of trees, each | MB |\n|---|");
    for (int i = 0; i < 16; i++)
        printf("--:|");
    putchar('\n');
}

static void print_row(const setup *s, const kind *k, const row *r)
{
    const imp_profile *p = &r->sum;
    const double n = (double)s->film->frames;
    printf("| %s | %.2f | %.2f | %.3f | %.3f | %.3f | %.0f | ", k->text, 1e3 * r->build[0],
           1e3 * r->later[0], 1e3 * r->query[0], 1e3 * r->query[r->reps / 2], 1e3 * r->exact[0],
           (double)p->volume_tests / n);
    if (p->obb_tests)
        printf("%.1f", (double)p->axes / (double)p->obb_tests);
    printf(" | %.0f | %u | ", (double)p->leaf_pairs / n, p->tree_height);
    if (k->def.volume == IMP_VOLUME_HYBRID)
        printf("%u", r->spheres);
    printf(" | %.3f | %.2f | %.0f | %.0f | %.0f | %.0f |\n", tree_shape_overlap(&r->shape),
           tree_shape_volumes(&r->shape), (double)p->candidates / n, (double)p->contacts / n,
           (double)p->tree_bytes / s->film->frame->mesh->primitives, (double)p->peak_bytes / 1e6);
    fflush(stdout);
}

/* Seconds per frame, and counts of all frames. */
static void bench_trees_write_row(const char *name, const kind *k, const row *r)
{
    const imp_profile *p = &r->sum;
    const size_t half = r->reps / 2;
    sheet_seconds(name, k->text, "build", r->build[0]);
    sheet_seconds(name, k->text, "later", r->later[0]);
    sheet_seconds(name, k->text, "query", r->query[0]);
    sheet_seconds(name, k->text, "query, median", r->query[half]);
    sheet_seconds(name, k->text, "exact", r->exact[0]);
    sheet_count(name, k->text, "volume tests", p->volume_tests);
    sheet_count(name, k->text, "box tests", p->obb_tests);
    sheet_count(name, k->text, "axes", p->axes);
    sheet_count(name, k->text, "leaf pairs", p->leaf_pairs);
    sheet_count(name, k->text, "height", p->tree_height);
    sheet_count(name, k->text, "levels of spheres", r->spheres);
    sheet_number(name, k->text, "overlap", tree_shape_overlap(&r->shape));
    sheet_number(name, k->text, "volumes", tree_shape_volumes(&r->shape));
    sheet_count(name, k->text, "candidates", p->candidates);
    sheet_count(name, k->text, "contacts", p->contacts);
    sheet_count(name, k->text, "bytes of trees", p->tree_bytes);
    sheet_number(name, k->text, "MB", (double)p->peak_bytes / 1e6);
}

static void table(const char *name, uint64_t triangles, uint64_t frames, setup *s)
{
    film f;
    film_make(name, triangles, frames, &f);
    s->film = &f;
    s->marks = zeros(f.frames * sizeof *s->marks);
    bench_trees_print_head(s, name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        row r = bench_trees_measure(s, kinds + i);
        print_row(s, kinds + i, &r);
        bench_trees_write_row(name, kinds + i, &r);
        free(r.build);
        free(r.later);
        free(r.query);
        free(r.exact);
    }
    free(s->marks);
    film_free(&f);
}

int main(int argc, char **argv)
{
    sheet_open(&argc, argv);
    char **arg = argv + 1;
    const uint64_t triangles = argument(&arg, 200000, 100), frames = argument(&arg, 6, 2);
    setup s = {.reps = (size_t)argument(&arg, 5, 1)};
    s.threads = (int)argument(&arg, 1, 1);
    printf("Milliseconds, and counts a frame.\n");
    table("organ", triangles, frames, &s);
    table("dense", triangles, frames, &s);
    sheet_close();
    return 0;
}
