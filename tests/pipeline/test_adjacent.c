/* Meshes whose triangles share vertices (imp_def.adjacent), on all devices and by all methods: the
 * pairs that meet beyond what they share are those of the oracle's rational arithmetic, and nearly
 * all are decided without it. */
#include "expect.h"
#include "truth.h"
#include "ways.h"

#include <math.h>
#include <string.h>

#define TRIANGLES_MOST 400
#define VERTS 220

typedef struct mesh_case {
    imp_mesh mesh;
    uint32_t corner[3 * TRIANGLES_MOST];
    double point[3 * VERTS];
    float single[3 * VERTS];
    imp_frame frame;
} mesh_case;

static void put_vertex(mesh_case *s, uint32_t v, double x, double y, double z)
{
    const double p[3] = {x, y, z};
    memcpy(s->point + (size_t)3 * v, p, sizeof p);
}

static void put_triangle(mesh_case *s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = s->corner + (size_t)3 * s->mesh.primitives++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* ---- meshes */

/* triangles of any three of a few vertices; some repeat one */
static void any_corners(rng *r, mesh_case *s, uint32_t triangles, int repeats)
{
    for (uint32_t i = 0; i < triangles; i++) {
        uint32_t c[3];
        for (uint32_t k = 0; k < 3; k++)
            c[k] = rng_below(r, s->mesh.vertices);
        if (repeats || (c[0] != c[1] && c[1] != c[2] && c[2] != c[0]))
            put_triangle(s, c[0], c[1], c[2]);
    }
}

static void soup_anywhere(rng *r, mesh_case *s)
{
    s->mesh.vertices = 40;
    for (uint32_t v = 0; v < 40; v++)
        put_vertex(s, v, rng_unit(r), rng_unit(r), rng_unit(r));
    any_corners(r, s, 70, 0);
}

/* few places: other vertices are where shared ones are, edges on one line, planes the same */
static void soup_lattice(rng *r, mesh_case *s)
{
    s->mesh.vertices = 30;
    for (uint32_t v = 0; v < 30; v++)
        put_vertex(s, v, rng_below(r, 3), rng_below(r, 3), rng_below(r, 3));
    any_corners(r, s, 50, 1);
}

/* all in one plane, or out of it by some last bits */
static void soup_flat(rng *r, mesh_case *s, double off)
{
    s->mesh.vertices = 30;
    for (uint32_t v = 0; v < 30; v++) {
        const double a = rng_below(r, 9), b = rng_below(r, 9), by = 1 + off * rng_below(r, 3);
        put_vertex(s, v, (3 * a + b) * by, a - 2 * b, (5 * b - a) * by);
    }
    any_corners(r, s, 50, 0);
}

static void soup_in_plane(rng *r, mesh_case *s)
{
    soup_flat(r, s, 0);
}

static void soup_near_plane(rng *r, mesh_case *s)
{
    soup_flat(r, s, 0x1p-52);
}

/* triangles around one vertex: in a plane, or as a cone that is folded over itself */
static void fan_around(rng *r, mesh_case *s, double up)
{
    s->mesh.vertices = 60;
    put_vertex(s, 0, 0, 0, 0);
    for (uint32_t v = 1; v < 60; v++) {
        const double turn = 0.3 * v + 0.1 * rng_unit(r), far = 1 + rng_below(r, 3);
        put_vertex(s, v, far * cos(turn), far * sin(turn), up * rng_unit(r));
    }
    for (uint32_t v = 1; v < 59; v++)
        put_triangle(s, v, v + 1, 0);
}

static void fan_in_plane(rng *r, mesh_case *s)
{
    fan_around(r, s, 0);
}

static void fan_folded(rng *r, mesh_case *s)
{
    fan_around(r, s, 1);
}

/* pages of one edge, of which some lie on each other, and some are twice there */
static void book(rng *r, mesh_case *s)
{
    s->mesh.vertices = 50;
    put_vertex(s, 0, 0, 0, 0);
    put_vertex(s, 1, 0, 0, 4);
    for (uint32_t v = 2; v < 50; v++)
        put_vertex(s, v, (double)rng_below(r, 5) - 2, (double)rng_below(r, 5) - 2, rng_below(r, 4));
    for (uint32_t v = 2; v < 50; v++) {
        put_triangle(s, v, v & 1, !(v & 1));
        if (!rng_below(r, 8))
            put_triangle(s, 0, v, 1);
    }
}

/* pages of one edge in planes of their own, all on one side of it, with corners in any order */
static void book_open(rng *r, mesh_case *s)
{
    s->mesh.vertices = 30;
    put_vertex(s, 0, 0, 0, 0);
    put_vertex(s, 1, 0.1, 0.2, 0.3);
    for (uint32_t v = 2; v < 30; v++) {
        const uint32_t c[3] = {v, 0, 1}, turn = rng_below(r, 3);
        put_vertex(s, v, 5 + rng_unit(r), 1 + rng_unit(r), rng_unit(r));
        put_triangle(s, c[turn], c[(turn + 1) % 3], c[(turn + 2) % 3]);
    }
}

#define SIDE 14

/* a sheet as a cloth begins: a regular grid, here and there with a bump */
static void sheet_of(rng *r, mesh_case *s, double bump)
{
    s->mesh.vertices = SIDE * SIDE;
    for (uint32_t v = 0; v < SIDE * SIDE; v++)
        put_vertex(s, v, v % SIDE, floor((double)v / SIDE), bump * (rng_unit(r) - 0.5));
    for (uint32_t v = 0; v + SIDE + 1 < SIDE * SIDE; v++)
        if (v % SIDE != SIDE - 1) {
            put_triangle(s, v, v + 1, v + SIDE + 1);
            put_triangle(s, v + SIDE + 1, v + SIDE, v);
        }
}

static void sheet_flat(rng *r, mesh_case *s)
{
    sheet_of(r, s, 0);
}

static void sheet_bumpy(rng *r, mesh_case *s)
{
    sheet_of(r, s, 3);
}

typedef struct kind_of_mesh {
    const char *name;
    void (*make)(rng *r, mesh_case *s);
    int certain; /* float64 decides all but duplicate faces, and what is close by chance */
    int apart;   /* triangles meet in nothing beyond what they share */
} kind_of_mesh;

static const kind_of_mesh kinds_of_mesh[] = {
    {"anywhere", soup_anywhere, 1, 0},
    {"lattice", soup_lattice, 0, 0},
    {"one plane", soup_in_plane, 0, 0},
    {"nearly one plane", soup_near_plane, 0, 0},
    {"fan in a plane", fan_in_plane, 0, 0},
    {"folded fan", fan_folded, 1, 0},
    {"book", book, 0, 0},
    {"open book", book_open, 1, 1},
    {"flat sheet", sheet_flat, 1, 1},
    {"bumpy sheet", sheet_bumpy, 1, 1},
};

#define KINDS_OF_MESH (sizeof kinds_of_mesh / sizeof *kinds_of_mesh)

/* Scale: 2^-40, 1 or 2^40, of each axis alone or of all. */
static void mesh_fill(const kind_of_mesh *k, uint64_t seed, int single, mesh_case *s)
{
    rng r = {seed};
    memset(s, 0, sizeof *s);
    s->mesh.corner = s->corner;
    k->make(&r, s);
    const int same = 40 * ((int)rng_below(&r, 3) - 1), each = !rng_below(&r, 4);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const int e = each ? (int)rng_below(&r, 81) - 40 : same;
        for (uint32_t v = 0; v < s->mesh.vertices; v++) {
            double *x = &s->point[(size_t)3 * v + axis];
            *x = ldexp(*x, e) + 0.0;
            s->single[(size_t)3 * v + axis] = (float)*x;
        }
    }
    s->frame = (imp_frame){&s->mesh, single ? (const void *)s->single : s->point,
                           single ? IMP_FLOAT32 : IMP_FLOAT64, 0};
}

/* ---- */

static void expect_oracle_pairs(const truth *want, const contact_list *got, const pipe *q,
                                const char *name)
{
    EXPECT(got->count == want->count, "%s, %s, %s: %zu, not %zu", q->way->name, q->method, name,
           got->count, want->count);
    for (size_t i = 0; i < got->count && i < want->count; i++) {
        const struct contact_row *g = &got->row[i];
        const truth_row *w = &want->row[i];
        if (g->a != w->a || g->b != w->b || g->kind != w->kind) {
            way_failed(q->way, q->method, name, "not the pairs of the oracle");
            return;
        }
    }
}

#define BY_CHANCE 2

/* The most pairs that may be left to exact arithmetic. */
static uint64_t undecided_most(const mesh_case *s, const kind_of_mesh *k)
{
    uint64_t most = k->certain ? BY_CHANCE : UINT64_MAX;
    for (uint32_t i = 0; i < s->mesh.primitives && k->certain; i++)
        for (uint32_t j = 0; j < i; j++) {
            int n = 0;
            for (uint32_t c = 0; c < 9; c++)
                n += s->corner[3 * i + c / 3] == s->corner[3 * j + c % 3];
            most += n == 3;
        }
    return k->apart ? 0 : most;
}

/* All pipelines give the rows of the first, whose pairs and kinds are the oracle's. */
static void check_mesh(const pipes *all, const imp_def *def, const kind_of_mesh *k, uint64_t seed)
{
    static mesh_case s;
    mem memory = {0};
    truth want;
    contact_list first = {0};
    mesh_fill(k, seed, seed % 3 == 0, &s);
    const uint64_t most = undecided_most(&s, k);
    CU_ASSERT_EQUAL_FATAL(truth_find(&memory, &s.frame, def, NULL, 2, &want), 0);
    EXPECT(!k->apart || !want.count, "%s: %zu meet", k->name, want.count);
    for (size_t i = 0; i < all->count; i++) {
        const pipe *q = &all->list[i];
        contact_list got = {0};
        imp_frame_info info;
        EXPECT(!imp_detect(q->p, &s.frame, 1, contact_list_sink, &got, &info), "%s",
               imp_error_text());
        EXPECT((info.candidates || !def->adjacent) && info.undecided <= most,
               "%s, %s, %s: %llu undecided", q->way->name, q->method, k->name,
               (unsigned long long)info.undecided);
        if (!i) {
            expect_oracle_pairs(&want, &got, q, k->name);
            first = got;
            continue;
        }
        if (!contact_list_equal(&first, &got))
            way_failed(q->way, q->method, k->name, "not the rows of the first");
        contact_list_free(&got);
    }
    contact_list_free(&first);
    truth_free(&memory, &want);
}

static void check_adjacent_meshes(int adjacent, uint64_t times)
{
    static pipes all;
    const imp_def def = {.adjacent = adjacent, .end_features = 1};
    pipes_open(&all, &def, 0);
    for (size_t i = 0; i < KINDS_OF_MESH; i++)
        for (uint64_t n = 0; n < times; n++)
            check_mesh(&all, &def, &kinds_of_mesh[i], 100 * n + i);
    pipes_close(&all);
}

static void test_meshes_adjacent(void)
{
    check_adjacent_meshes(IMP_ADJACENT_TEST, test_long_cases(12));
}

static void test_meshes_skip(void)
{
    check_adjacent_meshes(IMP_ADJACENT_SKIP, test_long_cases(3));
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"adjacent", test_meshes_adjacent}, {"skip", test_meshes_skip}, {0}};
    return test_main(argc, argv, "adjacent", tests);
}
