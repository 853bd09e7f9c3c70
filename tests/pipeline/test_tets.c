/* Contacts of tetrahedra, alone and mixed with triangles, on all devices and by all methods: those
 * of the oracle's rational arithmetic for every pair. */
#include "exact.h"
#include "expect.h"
#include "truth.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 220
#define VERTS 160

typedef struct soup {
    imp_mesh mesh;
    uint32_t corner[4 * PRIMS];
    uint8_t corner_count[PRIMS];
    int32_t object[PRIMS];
    double point[3 * VERTS];
    float single[3 * VERTS];
    imp_frame frame;
} soup;

/* The arrangement of vertices, and the kinds of primitives. */
typedef struct look {
    const char *name;
    int grid;  /* number of integers for each coordinate; 0: any numbers */
    int mixed; /* triangles among them */
    int single;
    int repeats; /* some primitives repeat a vertex */
} look;

static const look looks[] = {
    {"anywhere", 0, 0, 0, 0},        {"mixed", 0, 1, 0, 0},    {"on a grid", 4, 1, 1, 0},
    {"on a small grid", 3, 0, 0, 1}, {"repeated", 0, 1, 0, 1},
};

#define LOOKS (sizeof looks / sizeof *looks)

static void soup_fill(soup *s, const look *l, uint64_t seed)
{
    rng r = {seed};
    for (int i = 0; i < 3 * VERTS; i++) {
        double x = l->grid ? rng_below(&r, (uint32_t)l->grid) : 2.5 * rng_unit(&r);
        s->single[i] = (float)x;
        s->point[i] = l->single ? (double)s->single[i] : x;
    }
    const uint32_t prims = l->grid ? PRIMS / 2 : PRIMS; /* there exact arithmetic has to decide */
    for (uint32_t i = 0; i < prims; i++) {
        uint32_t near = rng_below(&r, VERTS - 12);
        for (uint32_t k = 0; k < 4; k++)
            s->corner[4 * i + k] =
                near + (l->repeats ? rng_below(&r, 12) : 3 * k + rng_below(&r, 3));
        s->corner_count[i] = (uint8_t)(3 + rng_below(&r, 2));
        s->object[i] = (int32_t)rng_below(&r, 2);
    }
    s->mesh = (imp_mesh){VERTS, prims, s->corner, s->object, 4, l->mixed ? s->corner_count : NULL};
    s->frame = (imp_frame){&s->mesh, l->single ? (const void *)s->single : s->point,
                           l->single ? IMP_FLOAT32 : IMP_FLOAT64, 0};
}

/* ---- every pair, by the oracle */

static int tets_shared_corners(const imp_mesh *m, uint32_t a, uint32_t b, int at[4])
{
    int n = 0;
    for (uint32_t i = 0; i < 4; i++) {
        int again = 0, found = 0;
        for (uint32_t j = 0; j < i; j++)
            again |= mesh_vertex(m, a, i) == mesh_vertex(m, a, j);
        for (uint32_t j = 0; j < 4; j++)
            found |= mesh_vertex(m, a, i) == mesh_vertex(m, b, j);
        if (found && !again)
            at[n++] = (int)i;
    }
    return n;
}

/* The row of a pair in contact: its numbers to the last bit, which test_exact and test_solid
 * compare with rational arithmetic. */
static void expect_row(const soup *s, const truth_row *t, struct contact_row *out)
{
    const exact_prim p = exact_prim_of(&s->frame, t->a), q = exact_prim_of(&s->frame, t->b);
    exact_solids e;
    exact_contact triangles = {0};
    const int solids = t->kind == IMP_KIND_SOLIDS;
    exact_prims_contact(&p, &q, &e);
    if (!solids) {
        int at[4], n = tets_shared_corners(&s->mesh, t->a, t->b, at);
        exact_tri_tri(p.v, q.v, n, at, &triangles);
    }
    memset(out, 0, sizeof *out);
    out->a = t->a;
    out->b = t->b;
    out->kind = t->kind;
    out->crossing = t->crossing;
    memcpy(out->point, solids ? e.point : triangles.point, sizeof out->point);
    memset(out->end_features, IMP_END_NONE, sizeof out->end_features);
    if (!solids)
        memcpy(out->end_features, triangles.feature, sizeof out->end_features);
    out->depth = solids ? e.depth : 0;
    out->collisions = (uint64_t)e.count;
    out->collision_hash = collision_hash(e.collision[0].x, out->collisions);
}

/* The oracle decides which pairs are in contact, and their kind. */
static void expect_all(const soup *s, int adjacent, contact_list *out)
{
    truth t;
    mem memory = {0};
    const imp_def def = {.adjacent = adjacent};
    CU_ASSERT_EQUAL_FATAL(truth_find(&memory, &s->frame, &def, NULL, 2, &t), 0);
    memset(out, 0, sizeof *out);
    out->row = malloc(sizeof *out->row * (t.count + 1));
    CU_ASSERT_FATAL(out->row != NULL);
    for (; out->count < t.count; out->count++)
        expect_row(s, &t.row[out->count], &out->row[out->count]);
    truth_free(&memory, &t);
}

/* ---- on all devices */

static void check_tets_look(const look *l, int adjacent)
{
    static soup s;
    contact_list want, got;
    pipes all;
    size_t kinds[6] = {0}, crossing = 0;
    pipes_open(&all, &(imp_def){.adjacent = adjacent, .solids = 1, .end_features = 1}, 0);
    soup_fill(&s, l, 3);
    expect_all(&s, adjacent, &want);
    for (size_t i = 0; i < want.count; i++) {
        kinds[want.row[i].kind]++;
        crossing += (size_t)want.row[i].crossing;
    }
    EXPECT(kinds[IMP_KIND_SOLIDS] > 20, "%s: few meet", l->name);
    EXPECT(!l->mixed || kinds[IMP_KIND_SEGMENT], "%s: no triangles meet", l->name);
    EXPECT(crossing > 10 && (!l->grid || crossing < want.count), "%s: %zu of %zu cross", l->name,
           crossing, want.count);
    for (size_t i = 0; i < all.count; i++) {
        const pipe *q = &all.list[i];
        memset(&got, 0, sizeof got);
        EXPECT(!imp_detect(q->p, &s.frame, 1, contact_list_sink, &got, NULL), "%s",
               imp_error_text());
        EXPECT(got.count == want.count, "%s, %s, %s: %zu, not %zu", q->way->name, q->method,
               l->name, got.count, want.count);
        if (!contact_list_equal(&want, &got))
            way_failed(q->way, q->method, l->name, "not those of plain loops");
        contact_list_free(&got);
    }
    contact_list_free(&want);
    pipes_close(&all);
}

static size_t looks_apart(void)
{
    return TEST_SLOW ? 4 : test_count(1) > 1 ? 1 : 2;
}

/* In everyday runs each look is in one of the two tests; slow builds run every second look. */
static void test_tets_skip_adjacent(void)
{
    for (size_t i = 0; i < LOOKS; i += looks_apart())
        check_tets_look(&looks[i], IMP_ADJACENT_SKIP);
}

static void test_tets_adjacent(void)
{
    for (size_t i = looks_apart() / 2; i < LOOKS; i += looks_apart())
        check_tets_look(&looks[i], IMP_ADJACENT_TEST);
}

/* ---- candidates: with the centroids of both, in which a repeated corner counts twice */

static void centroid_of(const imp_frame *f, uint32_t i, double out[3])
{
    const exact_prim p = exact_prim_of(f, i);
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int c = 0; c < p.corners; c++)
            out[k] += p.v[c].x[k] / p.corners;
    }
}

/* The deviation of a row's points, which are in lexicographic order, from the centroids in either
 * order. */
static double off_centroids(const imp_frame *f, const struct contact_row *r)
{
    double at[2][3], most[2] = {0};
    centroid_of(f, r->a, at[0]);
    centroid_of(f, r->b, at[1]);
    for (int k = 0; k < 6; k++)
        for (int turned = 0; turned < 2; turned++)
            most[turned] = fmax(most[turned], fabs(at[(k / 3) ^ turned][k % 3] - r->point[k]));
    return r->point[0] > r->point[3] ? INFINITY : fmin(most[0], most[1]);
}

static void check_centroids(const look *l)
{
    static soup s;
    pipes all;
    soup_fill(&s, l, 3);
    pipes_open(&all, &(imp_def){.stage = IMP_STAGE_CANDIDATES}, 0);
    for (size_t i = 0; i < all.count; i++) {
        contact_list got = {0};
        double most = 0;
        CU_ASSERT(!imp_detect(all.list[i].p, &s.frame, 1, contact_list_sink, &got, NULL));
        for (size_t k = 0; k < got.count; k++)
            most = fmax(most, off_centroids(&s.frame, &got.row[k]));
        EXPECT(got.count > 100 && most < 1e-12, "%s, %s, %s: %zu candidates, off by %g",
               all.list[i].way->name, all.list[i].method, l->name, got.count, most);
        contact_list_free(&got);
    }
    pipes_close(&all);
}

static void test_tets_centroids(void)
{
    for (size_t i = 0; i < LOOKS; i += TEST_SLOW ? LOOKS - 1 : 1)
        check_centroids(&looks[i]);
}

/* ---- a mesh in which only neighbours touch: it has no contacts */

#define SIDE 5
#define CUBES (SIDE * SIDE * SIDE)

static uint32_t grid_vertex(uint32_t cube, uint32_t corner)
{
    uint32_t x = cube % SIDE + (corner & 1), y = cube / SIDE % SIDE + (corner >> 1 & 1);
    return x + (SIDE + 1) * (y + (SIDE + 1) * (cube / SIDE / SIDE + (corner >> 2)));
}

static void test_block(void)
{
    static const uint32_t path[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    static uint32_t corner[4 * 6 * CUBES];
    static double point[3 * (SIDE + 1) * (SIDE + 1) * (SIDE + 1)];
    pipes all;
    rng r = {1};
    for (uint32_t c = 0; c < CUBES; c++)
        for (uint32_t t = 0; t < 6; t++) {
            uint32_t *at = corner + 4 * (6 * c + t);
            at[0] = grid_vertex(c, 0);
            at[1] = grid_vertex(c, path[t][0]);
            at[2] = grid_vertex(c, path[t][1]);
            at[3] = grid_vertex(c, 7);
        }
    for (int moved = 0; moved < 2; moved++) {
        for (uint32_t v = 0; v < (SIDE + 1) * (SIDE + 1) * (SIDE + 1); v++) {
            point[3 * v] = v % (SIDE + 1) + moved * 0.1 * rng_unit(&r);
            point[3 * v + 1] = v / (SIDE + 1) % (SIDE + 1) + moved * 0.1 * rng_unit(&r);
            point[3 * v + 2] = v / (SIDE + 1) / (SIDE + 1) + moved * 0.1 * rng_unit(&r);
        }
        const imp_mesh mesh = {
            (SIDE + 1) * (SIDE + 1) * (SIDE + 1), 6 * CUBES, corner, NULL, 4, NULL};
        const imp_frame frame = {&mesh, point, IMP_FLOAT64, 0};
        for (int adjacent = 0; adjacent < 2; adjacent++) {
            pipes_open(&all, &(imp_def){.adjacent = adjacent}, 0);
            for (size_t i = 0; i < all.count; i++) {
                imp_frame_info info;
                EXPECT(!imp_detect(all.list[i].p, &frame, 1, NULL, NULL, &info), "%s",
                       imp_error_text());
                EXPECT(!info.contacts && info.candidates, "%s, %s, adjacent %d: %llu contacts",
                       all.list[i].way->name, all.list[i].method, adjacent,
                       (unsigned long long)info.contacts);
                EXPECT(info.undecided < info.candidates / 50 + 1 || !moved,
                       "%s: %llu of %llu undecided", all.list[i].way->name,
                       (unsigned long long)info.undecided, (unsigned long long)info.candidates);
            }
            pipes_close(&all);
        }
    }
}

/* ---- frames of different kinds: the result of a frame does not depend on the others in its block
 */

/* Whether frame `number` has the rows that it has alone. */
static int same_as_alone(const contact_list *all, uint64_t number, const contact_list *alone)
{
    contact_list part = {0};
    while (part.count < all->count && all->row[part.count].frame < number)
        part.count++;
    part.row = all->row + part.count;
    part.count = all->count - part.count;
    for (size_t i = 0; i < part.count; i++)
        if (part.row[i].frame != number)
            part.count = i;
    for (size_t i = 0; i < alone->count; i++)
        alone->row[i].frame = number;
    return contact_list_equal(&part, alone);
}

static void test_beside(void)
{
    enum { FRAMES = 5 };
    static const int corners[FRAMES] = {4, 3, 3, 4, 3};
    static soup s[FRAMES];
    imp_frame frame[FRAMES];
    for (int f = 0; f < FRAMES; f++) {
        soup_fill(&s[f], &looks[f % 2], (uint64_t)f + 1);
        s[f].mesh.corners = corners[f];
        s[f].mesh.corner_count = corners[f] == 4 ? s[f].mesh.corner_count : NULL;
        frame[f] = s[f].frame;
        frame[f].number = (uint64_t)f;
    }
    const uint32_t step = looks_apart() > 1 ? 2 : 1;
    for (uint32_t most = 0; most < 3; most += step) {
        pipes all;
        pipes_open(&all, &(imp_def){.solids = most == 2, .block = most}, 0);
        for (size_t i = 0; i < all.count; i++) {
            contact_list together = {0};
            EXPECT(!imp_detect(all.list[i].p, frame, FRAMES, contact_list_sink, &together, NULL),
                   "%s", imp_error_text());
            for (int f = 0; f < FRAMES; f++) {
                contact_list alone = {0};
                CU_ASSERT(
                    !imp_detect(all.list[i].p, frame + f, 1, contact_list_sink, &alone, NULL));
                EXPECT(alone.count > 20 && same_as_alone(&together, (uint64_t)f, &alone),
                       "%s, %s: frame %d is another beside others", all.list[i].way->name,
                       all.list[i].method, f);
                contact_list_free(&alone);
            }
            contact_list_free(&together);
        }
        pipes_close(&all);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"skip_adjacent", test_tets_skip_adjacent},
                                 {"adjacent", test_tets_adjacent},
                                 {"centroids", test_tets_centroids},
                                 {"block", test_block},
                                 {"beside", test_beside},
                                 {0}};
    return test_main(argc, argv, "tets", tests);
}
