/* Tiles by size class: cubes of a class differ by less than a factor of two, each box covers at
 * most 27 tiles of a class, the table has the entries that plain code counts, and each pair of
 * overlapping boxes is found once, whatever their sizes. */
#include "broad_tiles.h"
#include "expect.h"
#include "made.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 260
#define FRAMES 3
#define RATIOS 7 /* ratios of sizes */

/* ---- classes of a histogram */

static uint32_t sizes[TILES_PARTS * TILES_BINS];
static size_class class[TILE_CLASSES_MOST];

static double tiles_test_bin_least(uint32_t bin)
{
    return ldexp(1 + (bin % 4) / 4.0, (int)(bin / 4) - TILES_OCTAVES);
}

/* the smallest class of a part that is larger than the size */
static size_class *class_of(uint32_t n, uint32_t part, double size)
{
    size_class *own = NULL;
    for (uint32_t i = 0; i < n; i++)
        if (class[i].part == part && size < class[i].most)
            own = &class[i];
    return own;
}

static const char *class_wrong(uint32_t n, uint32_t part, const uint32_t *of)
{
    double least[TILE_CLASSES_MOST] = {0};
    uint32_t in[TILE_CLASSES_MOST] = {0};
    for (uint32_t bin = 0; bin < TILES_BINS; bin++) {
        size_class *own = of[bin] ? class_of(n, part, bin ? tiles_test_bin_least(bin) : 0) : NULL;
        if (of[bin] && !own)
            return "a size without a class";
        if (of[bin])
            in[own - class] += of[bin];
        if (of[bin] && bin && !(least[own - class] > 0))
            least[own - class] = tiles_test_bin_least(bin);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (class[i].part != part)
            continue;
        if (class[i].prims != in[i] || !in[i])
            return "other primitives than it counts, or none";
        if (least[i] > 0 && class[i].most > 2 * least[i])
            return "sizes that differ by more than a factor of two";
    }
    return NULL;
}

/* The least number of classes: each begins with a size that the one below it cannot hold. */
static uint32_t classes_least(const uint32_t *of)
{
    uint32_t n = 0, first = 0;
    for (uint32_t bin = 1; bin < TILES_BINS; bin++)
        if (of[bin] && (!n || tiles_test_bin_least(bin) >= 2 * tiles_test_bin_least(first))) {
            n++;
            first = bin;
        }
    return n || !of[0] ? n : 1;
}

static void check_classes(uint32_t bipartite)
{
    uint32_t n = tile_classes(sizes, bipartite, class), want = 0;
    for (uint32_t part = 0; part <= bipartite; part++) {
        const char *what =
            class_wrong(n, bipartite ? part + 1 : 0, sizes + part * (size_t)TILES_BINS);
        EXPECT(!what, "%s", what);
        want += classes_least(sizes + part * (size_t)TILES_BINS);
    }
    EXPECT(n == want, "%u classes, not %u", n, want);
    for (uint32_t i = 1; i < n; i++)
        CU_ASSERT(class[i].most <= class[i - 1].most);
}

static void test_tiles_classes(void)
{
    rng r = {5};
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t bipartite = i & 1, bins = i % 7 ? 1 + rng_below(&r, 40) : TILES_BINS;
        uint32_t first = rng_below(&r, TILES_BINS - bins + 1);
        memset(sizes, 0, sizeof sizes);
        for (uint32_t k = 0; k < i % 300; k++)
            sizes[(bipartite ? rng_below(&r, 2) * TILES_BINS : 0) + first + rng_below(&r, bins)] +=
                1 + rng_below(&r, 9);
        check_classes(bipartite);
    }
    memset(sizes, 0, sizeof sizes);
    sizes[0] = 1000;
    check_classes(0);
    memset(sizes, 1, sizeof sizes);
    check_classes(1);
}

/* Tables of all classes together have a few buckets for each primitive. */
static void test_buckets(void)
{
    for (uint32_t all = 1; all < 1u << 30; all = 2 * all + all / 3)
        for (uint32_t some = 1; some <= all; some *= 3) {
            double least = all / 32 < 1024 ? all / 32 : 1024, want = fmax(2.0 * some, least);
            uint32_t bits = tile_bits(some, all, 1000);
            EXPECT(ldexp(1, (int)bits) >= want && ldexp(1, (int)bits) <= 2 * want + 1,
                   "2^%u buckets for %u of %u", bits, some, all);
            CU_ASSERT(ldexp(1, (int)tile_bits(some, all, UINT32_MAX)) <= fmax(some, 2 * least + 1));
        }
}

/* ---- tiles of boxes */

/* As in the kernels: the product is rounded to float32, and distant tiles coincide. */
static int64_t tiles_test_tile(float x, float inv)
{
    double t = (float)((double)x * inv);
    return (int64_t)floor(fmax(fmin(t, 0x1p24), -0x1p24));
}

typedef struct table {
    size_t prims, first[FRAMES + 1];
    float *box;
    uint32_t class0[FRAMES + 1], *record;
} table;

static float most_of(const table *t, uint32_t c)
{
    float x;
    memcpy(&x, &t->record[(size_t)TILES_WORDS * c], sizeof x);
    return x;
}

static float inv_of(const table *t, uint32_t c)
{
    float x;
    memcpy(&x, &t->record[(size_t)TILES_WORDS * c + 1], sizeof x);
    return x;
}

static float tiles_test_size(const float *b)
{
    return fmaxf(b[3] - b[0], fmaxf(b[4] - b[1], b[5] - b[2]));
}

static uint32_t own_class(const table *t, uint32_t f, const float *b)
{
    uint32_t c = t->class0[f + 1] - 1;
    while (c > t->class0[f] && !(tiles_test_size(b) < most_of(t, c)))
        c--;
    return c;
}

static uint64_t tiles_test_tiles(const float *b, float inv)
{
    uint64_t n = 1;
    for (int k = 0; k < 3; k++) {
        int64_t more = tiles_test_tile(b[k + 3], inv) - tiles_test_tile(b[k], inv);
        if (more < 0 || more > 2)
            EXPECT(0, "%lld tiles along an axis", (long long)more + 1);
        n *= (uint64_t)more + 1;
    }
    return n;
}

/* Returns whether both cover the tile of the lower corner of their intersection. */
static int owned(const float *p, const float *q, float inv)
{
    for (int k = 0; k < 3; k++) {
        int64_t at = tiles_test_tile(fmaxf(p[k], q[k]), inv);
        if (at < tiles_test_tile(p[k], inv) || at > tiles_test_tile(p[k + 3], inv) ||
            at < tiles_test_tile(q[k], inv) || at > tiles_test_tile(q[k + 3], inv))
            return 0;
    }
    return 1;
}

static int tiles_test_overlap(const float *p, const float *q)
{
    for (int k = 0; k < 3; k++)
        if (!(p[k] <= q[k + 3] && q[k] <= p[k + 3]))
            return 0;
    return 1;
}

/* The pairs of a frame, ascending, for which some tile finds the pair. */
static void tiles_test_plain_frame(const table *t, uint32_t f, contact_list *out)
{
    for (size_t i = t->first[f]; i < t->first[f + 1]; i++)
        for (size_t j = i + 1; j < t->first[f + 1]; j++) {
            const float *p = t->box + 6 * i, *q = t->box + 6 * j;
            if (!tiles_test_overlap(p, q))
                continue;
            uint32_t a = (uint32_t)(i - t->first[f]), b = (uint32_t)(j - t->first[f]);
            const imp_contacts one = {f, 1, &a, &b, &(uint8_t){0}, (double[6]){0}};
            uint32_t c = own_class(t, f, p), d = own_class(t, f, q);
            EXPECT(owned(p, q, inv_of(t, c < d ? c : d)), "%u and %u: no tile", a, b);
            CU_ASSERT_EQUAL_FATAL(contact_list_sink(out, &one), 0);
        }
}

/* Number of entries in the own class, and as visitors in those of larger cubes. */
static void plain_entries(const table *t, uint32_t f, uint64_t *own, uint64_t *visitors)
{
    for (size_t i = t->first[f]; i < t->first[f + 1]; i++) {
        const float *b = t->box + 6 * i;
        if (!(b[0] <= b[3]))
            continue;
        uint32_t c = own_class(t, f, b);
        *own += tiles_test_tiles(b, inv_of(t, c));
        while (c-- > t->class0[f])
            *visitors += tiles_test_tiles(b, inv_of(t, c));
    }
}

static void check_ratio(const table *t, uint32_t f)
{
    double least = INFINITY, most = 0;
    uint32_t n = t->class0[f + 1] - t->class0[f];
    for (size_t i = t->first[f]; i < t->first[f + 1]; i++) {
        double size = tiles_test_size(t->box + 6 * i);
        least = size > 0 ? fmin(least, size) : least;
        most = fmax(most, size);
    }
    EXPECT(most > 0 ? n >= 1 && n <= log2(most / least) + 2 : !n, "%u classes of R %g", n,
           most / least);
}

/* ---- scenes */

/* Triangles whose sizes differ by a factor of up to R, and whose distance from the centre is ten
 * times their size, so that float32 distinguishes them. With a huge R most are so small that they
 * are one class, and would visit so many others that they search instead. Some are points, some
 * have no extent along an axis. */
static void tiles_test_scene_make(made *m, double ratio, uint64_t seed)
{
    rng r = {seed};
    for (int f = 0; f < FRAMES; f++) {
        made_part *p = made_add(m, f == 1 ? 0 : PRIMS);
        for (uint32_t i = 0; i < p->mesh.primitives; i++) {
            double part = (f ? rng_unit(&r) : 1) * (ratio > 1e9 && i % 4 ? 0.3 : 1), at[3];
            double size = pow(ratio, part * rng_unit(&r) - 1);
            for (int k = 0; k < 3; k++)
                at[k] = (ratio > 1e9 ? size : 1) * 10 * (rng_unit(&r) - 0.5);
            made_triangle(p, i, at, (i % 50 != 7) * 2 * size, &r);
            for (int c = 0; c < 3 && i % 9 == 4; c++)
                p->point[9 * (size_t)i + 3 * (size_t)c] = at[0];
        }
    }
    /* float32 is finest at the frame's centre */
    for (made_part *p = m->part; p && ratio > 1e9; p = p->next)
        for (int k = 0; k < 3 && p->mesh.primitives; k++)
            p->point[k] = -20, p->point[9 + k] = 20;
    m->part->point[18] = NAN; /* one primitive of the last frame overlaps nothing */
    m->bad = 1;
}

static void tiles_test_table_read(imp *p, const tiles *s, table *t)
{
    device *d = p->context.dev;
    t->first[0] = 0;
    for (int f = 0; f < FRAMES; f++)
        t->first[f + 1] = t->first[f] + (f == 1 ? 0 : PRIMS);
    t->prims = t->first[FRAMES];
    t->box = malloc(6 * t->prims * sizeof *t->box);
    CU_ASSERT_EQUAL_FATAL(buffer_read(d, &p->workspace.bounds.broad.box, 0, t->box, 6 * t->prims),
                          0);
    CU_ASSERT_EQUAL_FATAL(buffer_read(d, &s->ranks.class0, 0, t->class0, FRAMES + 1), 0);
    size_t n = (size_t)TILES_WORDS * t->class0[FRAMES];
    t->record = malloc((n + 1) * sizeof *t->record);
    CU_ASSERT_EQUAL_FATAL(buffer_read(d, &s->ranks.record, 0, t->record, n), 0);
}

typedef struct tally {
    uint64_t pairs, visits, looks, alone;
} tally;

static void check_tiles_table(const tiles *s, const table *t, const imp_frame_info *info,
                              contact_list *want, tally *seen)
{
    uint64_t own = 0, visitors = 0;
    for (uint32_t f = 0; f < FRAMES; f++) {
        uint64_t before = own, visited = visitors;
        tiles_test_plain_frame(t, f, want);
        plain_entries(t, f, &own, &visitors);
        check_ratio(t, f);
        uint64_t all = own - before + (s->visits ? visitors - visited : 0);
        EXPECT(info[f].entries_written == all, "%llu written, not %llu",
               (unsigned long long)info[f].entries_written, (unsigned long long)all);
    }
    EXPECT(s->entries.own == own && s->entries.visitors == (s->visits ? visitors : 0),
           "%llu and %llu entries, not %llu and %llu", (unsigned long long)s->entries.own,
           (unsigned long long)s->entries.visitors, (unsigned long long)own,
           (unsigned long long)visitors);
    seen->pairs += want->count;
    seen->visits += (uint64_t)s->visits;
    seen->looks += s->by_strip && s->looks;
    seen->alone += !s->ranks.several;
}

static int tiles_test_same_pairs(const contact_list *a, const contact_list *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (a->row[i].frame != b->row[i].frame || a->row[i].a != b->row[i].a ||
            a->row[i].b != b->row[i].b)
            return 0;
    return a->count == b->count;
}

static void check_tiles_scene(const way *w, double ratio, uint64_t seed, tally *seen)
{
    imp_def def = {
        .broad = "tiles", .stage = IMP_STAGE_CANDIDATES, .on_bad = IMP_BAD_SKIP, .block = FRAMES};
    made m = {.name = "sizes"};
    contact_list want = {0}, got = {0};
    imp_frame_info info[FRAMES];
    table t;
    tiles_test_scene_make(&m, ratio, seed);
    imp *p = way_pipeline(w, &def);
    EXPECT(!imp_detect(p, m.frame, FRAMES, contact_list_sink, &got, info), "%s", imp_error_text());
    const tiles *s = p->workspace.broad.state[BROAD_tiles];
    CU_ASSERT_FATAL(s != NULL);
    tiles_test_table_read(p, s, &t);
    check_tiles_table(s, &t, info, &want, seen);
    EXPECT(tiles_test_same_pairs(&want, &got), "%s, R %g, seed %llu: %zu pairs, not %zu, or others",
           w->name, ratio, (unsigned long long)seed, got.count, want.count);
    free(t.box);
    free(t.record);
    contact_list_free(&want);
    contact_list_free(&got);
    imp_destroy(p);
    made_free(&m);
}

static void test_tiles_pairs(void)
{
    static const double ratio[RATIOS] = {1, 1.5, 4, 100, 1e4, 1e30, 1e300};
    way ways[WAYS_MOST];
    size_t n = ways_few(ways);
    uint64_t count = test_cases(3);
    for (size_t i = 0; i < n; i++) {
        tally seen = {0};
        for (uint64_t seed = 1; seed <= count; seed++)
            for (size_t k = 0; k < RATIOS; k++)
                check_tiles_scene(&ways[i], ratio[k], seed, &seen);
        EXPECT(seen.pairs && seen.alone < count * RATIOS, "%s: few pairs or classes", ways[i].name);
        if (!ways[i].opencl)
            EXPECT(seen.visits && seen.looks, "%s: not all happened: %llu %llu", ways[i].name,
                   (unsigned long long)seen.visits, (unsigned long long)seen.looks);
    }
}

/* Two objects are two parts with separate classes. */
static void test_tiles_parts(void)
{
    way ways[WAYS_MOST];
    size_t n = ways_few(ways);
    uint64_t all = 0;
    for (uint64_t seed = 1; seed <= test_cases(4); seed++) {
        made m = {.name = "parts"};
        tiles_test_scene_make(&m, seed % 2 ? 30 : 1e4, seed);
        for (made_part *p = m.part; p; p = p->next)
            for (uint32_t i = 0; i < p->mesh.primitives; i++)
                p->object[i] = i % 5 < 2;
        for (size_t i = 0; i < n; i++) {
            contact_list list[2] = {{0}, {0}};
            for (int k = 0; k < 2; k++) {
                imp_def def = {.broad = k ? "tiles" : "brute",
                               .pairs = IMP_PAIRS_BETWEEN,
                               .stage = IMP_STAGE_CANDIDATES,
                               .on_bad = IMP_BAD_SKIP};
                imp *p = way_pipeline(&ways[i], &def);
                EXPECT(!imp_detect(p, m.frame, FRAMES, contact_list_sink, &list[k], NULL), "%s",
                       imp_error_text());
                imp_destroy(p);
            }
            EXPECT(contact_list_equal(&list[0], &list[1]), "%s, seed %llu", ways[i].name,
                   (unsigned long long)seed);
            all += list[0].count;
            contact_list_free(&list[0]);
            contact_list_free(&list[1]);
        }
        made_free(&m);
    }
    CU_ASSERT(all > 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"classes", test_tiles_classes},
                                 {"buckets", test_buckets},
                                 {"pairs", test_tiles_pairs},
                                 {"parts", test_tiles_parts},
                                 {0}};
    return test_main(argc, argv, "tiles", tests);
}
