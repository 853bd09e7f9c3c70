/* The column `crossing` and the depth of contacts, for pairs that are known: primitives that touch,
 * and that pass through each other. And imp_def.crossing: on all devices and by all methods, from
 * frame to frame, its contacts are those that cross, in rows and in counts. */
#include "expect.h"
#include "made.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- known pairs */

typedef struct known_pair {
    const char *name;
    int corners[2];
    double x[2][4][3];
    int kind, crossing;
    double depth;
} known_pair;

#define FLOOR                                                                                      \
    {                                                                                              \
        {0, 0, 0}, {4, 0, 0},                                                                      \
        {                                                                                          \
            0, 4, 0                                                                                \
        }                                                                                          \
    }
#define CORNER                                                                                     \
    {                                                                                              \
        {0, 0, 0}, {4, 0, 0}, {0, 4, 0},                                                           \
        {                                                                                          \
            0, 0, 4                                                                                \
        }                                                                                          \
    }

static const known_pair known[] = {
    {"an edge through a face", {3, 3}, {FLOOR, {{1, 1, -1}, {1, 1, 1}, {9, 9, 1}}}, 2, 1, 0},
    {"needle through a plate",
     {3, 3},
     {FLOOR, {{1, 1, -9}, {1.125, 1, -9}, {1, 1.125, 9}}},
     2,
     1,
     0},
    {"each through the other's border",
     {3, 3},
     {FLOOR, {{1, 1, -1}, {1, 1, 1}, {9, 1, 0}}},
     2,
     1,
     0},
    {"a vertex on a face", {3, 3}, {FLOOR, {{1, 1, 0}, {1, 2, 1}, {2, 1, 1}}}, 1, 0, 0},
    {"a vertex in the plane, others on both sides",
     {3, 3},
     {FLOOR, {{1, 1, 0}, {-2, 3, 1}, {-2, -1, -1}}},
     2,
     1,
     0},
    {"two vertices at one point", {3, 3}, {FLOOR, {{0, 0, 0}, {-1, 0, 2}, {0, -1, 2}}}, 1, 0, 0},
    {"an edge on a face", {3, 3}, {FLOOR, {{1, 1, 0}, {2, 1, 0}, {1, 1, 1}}}, 2, 0, 0},
    {"an edge on an edge", {3, 3}, {FLOOR, {{1, 0, 0}, {3, 0, 0}, {1, 0, 1}}}, 2, 0, 0},
    {"edges that cross", {3, 3}, {FLOOR, {{2, -1, -1}, {2, 1, 1}, {2, -5, 5}}}, 1, 0, 0},
    {"an edge through a border", {3, 3}, {FLOOR, {{1, 0, -1}, {1, 0, 1}, {1, -5, 0}}}, 1, 0, 0},
    {"a plane along a border", {3, 3}, {FLOOR, {{1, 0, -1}, {1, 0, 1}, {3, 0, 0}}}, 2, 0, 0},
    {"in one plane", {3, 3}, {FLOOR, {{1, 1, 0}, {9, 1, 0}, {1, 9, 0}}}, 3, 0, 0},
    {"without area", {3, 3}, {FLOOR, {{1, 1, -1}, {1, 1, 1}, {1, 1, 1}}}, 1, 0, 0},
    {"tetrahedra that share a face",
     {4, 4},
     {CORNER, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, -4}}},
     5,
     0,
     0},
    {"a tetrahedron on a face",
     {4, 4},
     {CORNER, {{1, 1, 0}, {1, 1, -1}, {2, 1, -1}, {1, 2, -1}}},
     5,
     0,
     0},
    {"edges of tetrahedra cross",
     {4, 4},
     {CORNER, {{2, -1, -1}, {2, 1, -1}, {2, -1, 1}, {3, -1, -1}}},
     5,
     0,
     0},
    {"a vertex inside",
     {4, 4},
     {CORNER, {{1, 1, 0.5}, {1, 1, -5}, {2, 1, -5}, {1, 2, -5}}},
     5,
     1,
     0.5},
    {"the same tetrahedron", {4, 4}, {CORNER, CORNER}, 5, 1, 0},
    /* inside from x = 0 to 2 at y = z = 1; the other edges are less deep, or outside */
    {"needle through a tetrahedron",
     {4, 4},
     {CORNER, {{-9, 1, 1}, {9, 1, 1}, {-9, 1, 1.125}, {-9, 1.125, 1}}},
     5,
     1,
     0x1.279a74590331cp-1},
    /* like a plus: the lower edge of the second, at z = 1, is inside the first for |y| <= 1 */
    {"tetrahedra like a plus",
     {4, 4},
     {{{-8, 0, 2}, {8, 0, 2}, {0, -2, 0}, {0, 2, 0}},
      {{0, -8, 1}, {0, 8, 1}, {-2, 0, 3}, {2, 0, 3}}},
     5,
     1,
     0x1.6a09e667f3bcdp-1},
    {"a flat tetrahedron inside",
     {4, 4},
     {CORNER, {{0.5, 0.5, 0.5}, {1, 0.5, 0.5}, {0.5, 1, 0.5}, {0.75, 0.75, 0.5}}},
     5,
     0,
     0.5},
    {"a triangle on a face", {4, 3}, {CORNER, {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}}, 5, 0, 0},
    {"a triangle touches in a vertex",
     {3, 4},
     {{{0, 0, 4}, {9, 9, 4}, {9, -9, 4}}, CORNER},
     5,
     0,
     0},
    {"a triangle cuts a tetrahedron",
     {3, 4},
     {{{-9, -9, 1}, {9, -9, 1}, {0, 18, 1}}, CORNER},
     5,
     1,
     0},
    {"an edge of a triangle through a tetrahedron",
     {3, 4},
     {{{-9, 1, 1}, {9, 1, 1}, {0, 99, 1}}, CORNER},
     5,
     1,
     0x1.279a74590331cp-1},
    {"a triangle inside a tetrahedron",
     {4, 3},
     {CORNER, {{0.5, 0.5, 0.5}, {1, 0.5, 0.25}, {0.5, 1, 0.5}}},
     5,
     1,
     0.5},
};

#define KNOWN (sizeof known / sizeof *known)

typedef struct known_scene {
    imp_mesh mesh;
    uint32_t corner[8 * KNOWN];
    uint8_t corner_count[2 * KNOWN];
    double point[24 * KNOWN];
    imp_frame frame;
} known_scene;

/* Pairs one after the other along y, no vertex shared; `count` of them. */
static void known_fill(known_scene *s, size_t first, size_t count)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < 2; p++)
            for (size_t k = 0; k < 4; k++) {
                const size_t v = 8 * i + 4 * p + k;
                const double *x = known[first + i].x[p][k];
                s->corner[v] = (uint32_t)v;
                s->corner_count[2 * i + p] = (uint8_t)known[first + i].corners[p];
                s->point[3 * v] = x[0];
                s->point[3 * v + 1] = x[1] + 1024 * (double)i;
                s->point[3 * v + 2] = x[2];
            }
    s->mesh = (imp_mesh){.vertices = (uint32_t)(8 * count),
                         .primitives = (uint32_t)(2 * count),
                         .corner = s->corner,
                         .corners = 4,
                         .corner_count = s->corner_count};
    s->frame = (imp_frame){&s->mesh, s->point, IMP_FLOAT64, 0};
}

static void check_known_rows(const pipe *q, const contact_list *got, int crossing)
{
    size_t n = 0;
    for (size_t i = 0; i < KNOWN; i++) {
        const known_pair *k = &known[i];
        if (k->crossing < crossing)
            continue;
        const struct contact_row *r = &got->row[n];
        if (n == got->count || r->a != 2 * i || r->b != 2 * i + 1) {
            way_failed(q->way, q->method, k->name, "there is no row");
            return;
        }
        EXPECT(r->kind == k->kind && r->crossing == k->crossing && r->depth == k->depth,
               "%s, %s, %s: kind %d, crossing %d, depth %a", q->way->name, q->method, k->name,
               r->kind, r->crossing, r->depth);
        n++;
    }
    EXPECT(n == got->count, "%s, %s: %zu rows, not %zu", q->way->name, q->method, got->count, n);
}

static void test_crossing_known(void)
{
    static known_scene s;
    known_fill(&s, 0, KNOWN);
    for (int crossing = 0; crossing < 2; crossing++) {
        pipes all;
        pipes_open(&all, &(imp_def){.solids = 1, .crossing = crossing}, 0);
        for (size_t i = 0; i < all.count; i++) {
            contact_list got = {0};
            imp_frame_info info;
            EXPECT(!imp_detect(all.list[i].p, &s.frame, 1, contact_list_sink, &got, &info), "%s",
                   imp_error_text());
            check_known_rows(&all.list[i], &got, crossing);
            EXPECT(info.contacts == got.count, "%llu contacts", (unsigned long long)info.contacts);
            contact_list_free(&got);
        }
        pipes_close(&all);
    }
}

/* Each pair alone: whether anything touches, or crosses. */
static void test_crossing_touches(void)
{
    static known_scene s;
    way w = way_host();
    for (int crossing = 0; crossing < 2; crossing++) {
        imp *p = way_pipeline(&w, &(imp_def){.crossing = crossing});
        for (size_t i = 0; p && i < KNOWN; i++) {
            int yes = -1;
            known_fill(&s, i, 1);
            EXPECT(!imp_touches(p, &s.frame, &yes), "%s", imp_error_text());
            EXPECT(yes == (known[i].crossing >= crossing), "%s: %d", known[i].name, yes);
        }
        imp_destroy(p);
    }
}

/* ---- frames of a mesh on few points, of which some vertices move: many pairs only touch */

#define PRIMS 150
#define VERTS 120
#define FRAMES 4

typedef struct lattice {
    imp_mesh mesh;
    uint32_t corner[4 * PRIMS];
    uint8_t corner_count[PRIMS];
    float point[FRAMES][3 * VERTS];
    imp_frame frame[FRAMES];
} lattice;

/* corners: 3, or 4 for both triangles and tetrahedra. */
static void lattice_fill(lattice *s, int corners)
{
    rng r = {(uint64_t)corners};
    for (int i = 0; i < 3 * VERTS; i++)
        s->point[0][i] = (float)rng_below(&r, 7);
    for (int f = 1; f < FRAMES; f++) {
        memcpy(s->point[f], s->point[f - 1], sizeof s->point[f]);
        for (int i = 0; i < 9; i++)
            s->point[f][rng_below(&r, 3 * VERTS)] = (float)rng_below(&r, 7);
    }
    for (uint32_t i = 0; i < PRIMS; i++) {
        const uint32_t near = rng_below(&r, VERTS - 12);
        for (uint32_t k = 0; k < 4; k++)
            s->corner[(uint32_t)corners * i + k % (uint32_t)corners] =
                near + 3 * k + rng_below(&r, 3);
        s->corner_count[i] = (uint8_t)(3 + rng_below(&r, 2));
    }
    s->mesh = (imp_mesh){.vertices = VERTS,
                         .primitives = PRIMS,
                         .corner = s->corner,
                         .corners = corners,
                         .corner_count = corners == 4 ? s->corner_count : NULL};
    for (int f = 0; f < FRAMES; f++)
        s->frame[f] = (imp_frame){&s->mesh, s->point[f], IMP_FLOAT32, (uint64_t)f};
}

/* Removes the rows that do not cross. */
static void keep_crossing(contact_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].crossing)
            l->row[n++] = l->row[i];
    l->count = n;
}

static uint64_t rows_of_frame(const contact_list *l, uint64_t frame)
{
    uint64_t n = 0;
    for (size_t i = 0; i < l->count; i++)
        n += l->row[i].frame == frame;
    return n;
}

/* Rows and counts, with and without a sink. */
static void check_only_crossing(const pipe *q, const lattice *s, const contact_list *want)
{
    imp_frame_info info[FRAMES];
    for (int sink = 0; sink < 2; sink++) {
        contact_list got = {0};
        EXPECT(!imp_detect(q->p, s->frame, FRAMES, sink ? contact_list_sink : NULL, &got, info),
               "%s", imp_error_text());
        if (sink && !contact_list_equal(&got, want))
            way_failed(q->way, q->method, "lattice", "not the contacts that cross");
        for (uint64_t f = 0; f < FRAMES; f++)
            EXPECT(info[f].contacts == rows_of_frame(want, f), "%s, %s: frame %llu has %llu",
                   q->way->name, q->method, (unsigned long long)f,
                   (unsigned long long)info[f].contacts);
        contact_list_free(&got);
        imp_forget(q->p);
    }
}

static void check_lattice(int corners, imp_def def)
{
    static lattice s;
    contact_list want = {0};
    pipes all;
    way w = way_host();
    lattice_fill(&s, corners);
    imp *p = way_pipeline(&w, &def);
    CU_ASSERT_FATAL(p && !imp_detect(p, s.frame, FRAMES, contact_list_sink, &want, NULL));
    imp_destroy(p);
    const size_t contacts = want.count;
    keep_crossing(&want);
    EXPECT(want.count > 50 && want.count + 50 < contacts, "%zu of %zu cross", want.count, contacts);
    def.crossing = 1;
    pipes_open(&all, &def, 0);
    for (size_t i = 0; i < all.count; i++)
        check_only_crossing(&all.list[i], &s, &want);
    pipes_close(&all);
    contact_list_free(&want);
}

static void test_crossing_only(void)
{
    for (int adjacent = 0; adjacent < 2; adjacent++) {
        check_lattice(3, (imp_def){.adjacent = adjacent, .solids = adjacent});
        check_lattice(4, (imp_def){.adjacent = adjacent, .solids = !adjacent});
    }
}

static void test_crossing_update(void)
{
    check_lattice(3, (imp_def){.update = IMP_UPDATE_KEEP});
    check_lattice(4, (imp_def){.update = IMP_UPDATE_KEEP, .solids = 1});
}

/* Triangles with collision points have the same column as those without. */
static void test_crossing_solids(void)
{
    static lattice s;
    way w = way_host();
    contact_list list[2] = {{0}};
    size_t same = 0;
    lattice_fill(&s, 3);
    for (int solids = 0; solids < 2; solids++) {
        imp *p = way_pipeline(&w, &(imp_def){.solids = solids});
        CU_ASSERT_FATAL(p &&
                        !imp_detect(p, s.frame, FRAMES, contact_list_sink, &list[solids], NULL));
        imp_destroy(p);
    }
    CU_ASSERT_EQUAL_FATAL(list[0].count, list[1].count);
    for (size_t i = 0; i < list[0].count; i++)
        same += list[0].row[i].crossing == list[1].row[i].crossing;
    EXPECT(same == list[0].count, "%zu of %zu", same, list[0].count);
    contact_list_free(&list[0]);
    contact_list_free(&list[1]);
}

/* ---- where it has no meaning */

static int no_crossing_sink(void *user, const imp_contacts *c)
{
    *(int *)user |= c->crossing || c->end_features;
    return 0;
}

/* The columns are NULL, and their options an error. */
static void test_crossing_absent(void)
{
    static const imp_def other[] = {{.continuous = 1},
                                    {.stage = IMP_STAGE_CANDIDATES},
                                    {.rows = IMP_ROWS_PRIMITIVES, .distance = 1},
                                    {.rows = IMP_ROWS_FEATURES, .distance = 1},
                                    {.rows = IMP_ROWS_OBJECTS}};
    static lattice s;
    lattice_fill(&s, 3);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        imp_def def = other[i];
        imp *p = NULL;
        int seen = 0;
        CU_ASSERT_FATAL(!imp_create(&def, &p));
        CU_ASSERT(!imp_detect(p, s.frame, FRAMES, no_crossing_sink, &seen, NULL));
        CU_ASSERT(!seen);
        imp_destroy(p);
        def.crossing = 1;
        CU_ASSERT_EQUAL(imp_create(&def, &p), IMP_ERR_ARGUMENT);
        EXPECT(strstr(imp_error_text(), "crossing: only contacts of frames"), "%s",
               imp_error_text());
        def.crossing = 0;
        def.end_features = 1;
        CU_ASSERT_EQUAL(imp_create(&def, &p), IMP_ERR_ARGUMENT);
        EXPECT(strstr(imp_error_text(), "end_features: only contacts of frames"), "%s",
               imp_error_text());
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"known", test_crossing_known},
                                 {"touches", test_crossing_touches},
                                 {"only", test_crossing_only},
                                 {"update", test_crossing_update},
                                 {"solids", test_crossing_solids},
                                 {"absent", test_crossing_absent},
                                 {0}};
    return test_main(argc, argv, "crossing", tests);
}
