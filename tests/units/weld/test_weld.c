/* Welded vertices, against the rules of impinge_weld.h by other code: by a distance, for integers;
 * by edges, comparing every use of an edge with every other one. */
#include "impinge_weld.h"
#include "testlib.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 400 /* vertices of a mesh */

typedef struct made {
    uint32_t vertices, primitives;
    double point[MOST][3];
    uint32_t corner[MOST][4];
    int32_t object[MOST];
    uint8_t corner_count[MOST];
    imp_mesh mesh;
    imp_frame frame;
} made;

static void made_end(made *m)
{
    m->mesh = (imp_mesh){.vertices = m->vertices,
                         .primitives = m->primitives,
                         .corner = *m->corner,
                         .object = m->object,
                         .corners = 4,
                         .corner_count = m->corner_count};
    m->frame = (imp_frame){.mesh = &m->mesh, .point = m->point, .type = IMP_FLOAT64};
}

static uint32_t made_vertex(made *m, double x, double y, double z)
{
    const double point[3] = {x, y, z};
    memcpy(m->point[m->vertices], point, sizeof point);
    return m->vertices++;
}

static void made_primitive(made *m, int corner_count, const uint32_t *corner, int32_t object)
{
    memcpy(m->corner[m->primitives], corner, (size_t)corner_count * sizeof *corner);
    m->corner_count[m->primitives] = (uint8_t)corner_count;
    m->object[m->primitives++] = object;
}

/* ---- by a distance */

typedef struct near_case {
    double tolerance;
    int count;
    double point[5][3];
    const char *want; /* map */
} near_case;

#define BIG 4503599627370496.0 /* 2^52 */

static const near_case near_cases[] = {
    /* a chain does not collapse to a point */
    {1, 4, {{0, 0, 0}, {0.75, 0, 0}, {1.5, 0, 0}, {2.25, 0, 0}}, "0 0 2 2 "},
    {1, 3, {{0, 0, 0}, {1.5, 0, 0}, {0.75, 0, 0}}, "0 1 0 "}, /* the first one, not the nearest */
    {1, 3, {{0, 0, 0}, {1.9, 0, 0}, {1, 0, 0}}, "0 1 0 "},
    {5, 5, {{0, 0, 0}, {3, 4, 0}, {-4, 0, 3}, {0, 5, 0}, {0, 5.00000001, 0}}, "0 0 0 0 4 "},
    /* borders of cells, both sides of zero */
    {0.5, 4, {{4, 0, 0}, {3.75, 0, 0}, {-4, -8, 2}, {-4.25, -8.25, 1.75}}, "0 0 2 2 "},
    {0.25, 4, {{-0.125, 0, 0}, {0.125, 0, 0}, {-0.25, 0, 0}, {0.25, 0, 0}}, "0 0 0 3 "},
    /* cell indices beyond the integers of double, and beyond double */
    {1e-10, 4, {{1e300, 1, 1}, {1e300, 1, 1}, {-1e300, 1, 1}, {1e299, 1, 1}}, "0 0 2 3 "},
    {5e-324, 5, {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {5e-324, 0, 0}, {1e-323, 0, 0}}, "0 0 2 2 4 "},
    {1, 5, {{BIG}, {BIG + 1}, {2 * BIG}, {2 * BIG + 2}, {2 * BIG - 1}}, "0 0 2 3 2 "},
    {1e308, 5, {{1e308}, {-1e308}, {0}, {INFINITY}, {1, 2, 3}}, "0 1 0 3 0 "},
    {1.7976931348623157e308, 3, {{-1.7e308}, {1.7e308}, {-1, 1, 0}}, "0 1 0 "},
    {1, 5, {{NAN}, {0}, {NAN}, {INFINITY, 1, 1}, {INFINITY, 1.5, 1}}, "0 1 2 3 3 "},
};

static void check_near(const near_case *c)
{
    static made m;
    uint32_t map[5];
    char text[100] = "";
    size_t at = 0;
    m.vertices = m.primitives = 0;
    for (int i = 0; i < c->count; i++)
        made_vertex(&m, c->point[i][0], c->point[i][1], c->point[i][2]);
    made_end(&m);
    CU_ASSERT(!imp_weld(&m.frame, 1, c->tolerance, map, NULL));
    for (int i = 0; i < c->count; i++)
        at += (size_t)snprintf(text + at, 20, "%u ", map[i]);
    if (strcmp(text, c->want))
        printf("\ntolerance %g: %snot %s\n", c->tolerance, text, c->want);
    CU_ASSERT_STRING_EQUAL(text, c->want);
}

static void test_weld_near(void)
{
    for (size_t i = 0; i < sizeof near_cases / sizeof *near_cases; i++)
        check_near(&near_cases[i]);
}

/* The rule itself, for integers. */
static void near_by_rule(const made *m, const int64_t (*x)[3], int64_t tolerance, uint32_t *map)
{
    int32_t object[MOST] = {0};
    for (uint32_t p = m->primitives; p--;)
        for (uint32_t k = 0; k < m->corner_count[p]; k++)
            object[m->corner[p][k]] = m->object[p];
    for (uint32_t v = 0; v < m->vertices; v++) {
        map[v] = v;
        for (uint32_t u = 0; u < v && map[v] == v; u++) {
            int64_t sum = 0;
            for (int i = 0; i < 3; i++)
                sum += (x[v][i] - x[u][i]) * (x[v][i] - x[u][i]);
            if (map[u] == u && sum <= tolerance * tolerance && object[u] == object[v])
                map[v] = u;
        }
    }
}

static void check_cloud(rng *r)
{
    static made m;
    static const int64_t offset[] = {0, -50, -((int64_t)1 << 40), ((int64_t)1 << 52) - 40};
    int64_t x[MOST][3], tolerance = 1 + rng_below(r, 12), at = offset[rng_below(r, 4)];
    uint32_t spread = 10 + rng_below(r, 60), map[MOST], want[MOST], objects = 1 + rng_below(r, 2);
    double unit = ldexp(1, (int)rng_below(r, 1900) - 1060);
    m.vertices = m.primitives = 0;
    unit = (double)at * unit > 1e290 || unit < 1e-290 ? 1 : unit;
    for (uint32_t i = 0; i < 300; i++) {
        for (int k = 0; k < 3; k++)
            x[i][k] = at + rng_below(r, spread);
        made_vertex(&m, (double)x[i][0] * unit, (double)x[i][1] * unit, (double)x[i][2] * unit);
        const uint32_t corner[3] = {i / 3, rng_below(r, i + 1), i};
        if (i % 3)
            made_primitive(&m, 3, corner, (int32_t)rng_below(r, objects));
    }
    made_end(&m);
    near_by_rule(&m, (const int64_t(*)[3])x, tolerance, want);
    CU_ASSERT(!imp_weld(&m.frame, 1, (double)tolerance * unit, map, NULL));
    CU_ASSERT(!memcmp(map, want, m.vertices * sizeof *map));
    int yes = -1;
    CU_ASSERT(!imp_weld_holds(&m.frame, (double)tolerance * unit, map, &yes) && yes == 1);
    for (uint32_t v = 0; v < m.vertices; v++)
        if (map[v] != v) {
            m.point[v][1] += 4 * (double)tolerance * unit;
            CU_ASSERT(!imp_weld_holds(&m.frame, (double)tolerance * unit, map, &yes) && yes == 0);
            break;
        }
}

static void test_near_random(void)
{
    rng r = {3};
    for (uint64_t i = 0; i < test_count(300); i++)
        check_cloud(&r);
}

/* ---- by edges */

/* A use of an edge, by the positions of its ends, or of a face. */
typedef struct use {
    uint32_t at[3], corner[3], primitive, body;
    int ends, flat;
} use;

typedef struct uses {
    use use[4 * MOST];
    size_t count;
} uses;

static uint32_t position(const made *m, uint32_t v)
{
    for (uint32_t u = 0; u < v; u++)
        if (m->point[u][0] == m->point[v][0] && m->point[u][1] == m->point[v][1] &&
            m->point[u][2] == m->point[v][2])
            return u;
    return v;
}

/* Closed bodies, by counting each directed edge from the start of the body. */
static int closed(const made *m, size_t begin, size_t end)
{
    int open = 0;
    for (size_t p = begin; p < end; p++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t a = position(m, m->corner[p][k]),
                           b = position(m, m->corner[p][(k + 1) % 3]);
            int balance = 0;
            for (size_t q = begin; q < end; q++)
                for (uint32_t l = 0; l < 3; l++) {
                    const uint32_t c = position(m, m->corner[q][l]),
                                   d = position(m, m->corner[q][(l + 1) % 3]);
                    balance += (a == c && b == d) - (a == d && b == c);
                }
            open |= balance != 0;
        }
    return !open;
}

static int weld_is_flat(const made *m, size_t p)
{
    const uint32_t a = position(m, m->corner[p][0]), b = position(m, m->corner[p][1]),
                   c = position(m, m->corner[p][2]);
    return a == b || b == c || c == a;
}

static void bodies_by_rule(const made *m, uint32_t *body)
{
    uint32_t number = 0;
    memset(body, 0, m->primitives * sizeof *body);
    for (size_t begin = 0, end; begin < m->primitives; begin = end) {
        size_t from = begin;
        const uint32_t before = number;
        for (end = begin;
             end < m->primitives && m->corner_count[end] == 3 && m->object[end] == m->object[begin];
             end++) {
            body[end] = number + 1;
            if (!weld_is_flat(m, end) && closed(m, from, end + 1)) {
                number++;
                from = end + 1;
            }
        }
        int rest = 0;
        for (size_t p = from; p < end; p++)
            rest |= !weld_is_flat(m, p);
        if (rest || number == before)
            for (size_t p = begin; p < end; p++)
                body[p] = 0;
        number = rest ? before : number;
        end += end == begin;
    }
}

static void add_uses(const made *m, const uint32_t *body, uses *out)
{
    out->count = 0;
    for (uint32_t p = 0; p < m->primitives; p++) {
        const int corner_count = m->corner_count[p], flat = corner_count == 3 && weld_is_flat(m, p);
        uint32_t at[4];
        int twice = 0;
        for (int k = 0; k < corner_count; k++)
            at[k] = position(m, m->corner[p][k]);
        for (int i = 0; i < corner_count; i++)
            for (int k = 0; k < i; k++)
                twice |= at[i] == at[k];
        if (corner_count == 4 && twice)
            continue;
        for (int k = 0; k < corner_count; k++) {
            use u = {
                .primitive = p, .body = flat ? 0 : body[p], .ends = corner_count - 1, .flat = flat};
            for (int i = 0; i < u.ends; i++) {
                u.corner[i] = m->corner[p][(k + i) % corner_count];
                u.at[i] = at[(k + i) % corner_count];
            }
            /* a flat triangle has one use, its first edge */
            if (flat &&
                (u.at[0] == u.at[1] || (out->count && out->use[out->count - 1].primitive == p)))
                continue;
            out->use[out->count++] = u;
        }
    }
}

/* Whether both have the same ends. *turned: in opposite directions. */
static int same_edge(const made *m, const use *a, const use *b, int *turned)
{
    int common = 0;
    for (int i = 0; i < a->ends; i++)
        for (int k = 0; k < b->ends; k++)
            common += a->at[i] == b->at[k];
    *turned = a->at[0] != b->at[0];
    return a->ends == b->ends && common == a->ends &&
           m->object[a->primitive] == m->object[b->primitive];
}

/* Twice the volume of primitive p below the face; exact for the tests' coordinates. */
static double weld_side(const made *m, const use *face, uint32_t p)
{
    const double *a = m->point[face->at[0]], *b = m->point[face->at[1]], *c = m->point[face->at[2]];
    double u[3], v[3], w[3];
    const double *d = NULL;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t at = position(m, m->corner[p][k]);
        if (at != face->at[0] && at != face->at[1] && at != face->at[2])
            d = m->point[at];
    }
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static void unite(uint32_t *map, uint32_t n, uint32_t a, uint32_t b)
{
    const uint32_t x = map[a], y = map[b];
    for (uint32_t v = 0; v < n; v++)
        if (map[v] == x || map[v] == y)
            map[v] = x < y ? x : y;
}

static void unite_uses(const made *m, const use *a, const use *b, uint32_t *map)
{
    for (int i = 0; i < a->ends; i++)
        for (int k = 0; k < b->ends; k++)
            if (a->at[i] == b->at[k])
                unite(map, m->vertices, a->corner[i], b->corner[k]);
}

/* Unites the corners of a flat triangle that coincide. */
static void unite_flat(const made *m, uint32_t p, uint32_t *map)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            if (position(m, m->corner[p][i]) == position(m, m->corner[p][k]))
                unite(map, m->vertices, m->corner[p][i], m->corner[p][k]);
}

/* Counts the other uses of the edge in the same body, or in other bodies; *other: the last one. */
static int weld_others(const made *m, const uses *all, const use *a, int same_body,
                       const use **other)
{
    int n = 0, turned;
    for (size_t i = 0; i < all->count; i++) {
        const use *b = &all->use[i];
        if (b == a || b->flat || !same_edge(m, a, b, &turned) || (b->body == a->body) != same_body)
            continue;
        *other = b;
        n++;
    }
    return n;
}

static int sure(const made *m, const uses *all, const use *a, const use **b)
{
    int turned;
    if (weld_others(m, all, a, 1, b) != 1)
        return 0;
    same_edge(m, a, *b, &turned);
    return a->ends == 3 ? weld_side(m, a, a->primitive) * weld_side(m, a, (*b)->primitive) < 0
                        : turned;
}

static void flat_by_rule(const made *m, const uses *all, const use *a, uint32_t *map)
{
    const use *first = NULL, *b = NULL, *other = NULL;
    int turned, flats = 0;
    for (size_t i = 0; i < all->count; i++)
        if (same_edge(m, a, &all->use[i], &turned)) {
            flats += all->use[i].flat;
            first = first || all->use[i].flat ? first : &all->use[i];
        }
    if (!first && flats == 1)
        unite_flat(m, a->primitive, map);
    if (!first || weld_others(m, all, first, 0, &other))
        return;
    if (weld_others(m, all, first, 1, &b) && !sure(m, all, first, &b))
        return;
    unite_uses(m, first, a, map);
    unite_flat(m, a->primitive, map);
}

static void edges_by_rule(const made *m, uint32_t *map)
{
    static uses all;
    uint32_t body[MOST];
    const use *b = NULL;
    bodies_by_rule(m, body);
    add_uses(m, body, &all);
    for (uint32_t v = 0; v < m->vertices; v++)
        map[v] = v;
    for (size_t i = 0; i < all.count; i++)
        if (all.use[i].flat)
            flat_by_rule(m, &all, &all.use[i], map);
        else if (sure(m, &all, &all.use[i], &b))
            unite_uses(m, &all.use[i], b, map);
}

static void check_edges(const made *m)
{
    uint32_t map[MOST], want[MOST], one[MOST];
    imp_weld_info info;
    float narrow[MOST][3];
    edges_by_rule(m, want);
    CU_ASSERT(!imp_weld(&m->frame, 1, 0, map, &info));
    CU_ASSERT(!memcmp(map, want, m->vertices * sizeof *map));
    uint32_t merged = 0;
    for (uint32_t v = 0; v < m->vertices; v++) {
        merged += map[v] != v;
        for (int k = 0; k < 3; k++)
            narrow[v][k] = (float)m->point[v][k];
    }
    CU_ASSERT_EQUAL(info.merged, merged);
    /* the same numbers, of the other type; and twice the same frame */
    const imp_frame frames[2] = {{&m->mesh, narrow, IMP_FLOAT32}, m->frame};
    CU_ASSERT(!imp_weld(frames, 1, 0, one, NULL) && !memcmp(map, one, m->vertices * sizeof *map));
    CU_ASSERT(!imp_weld(frames, 2, 0, one, NULL) && !memcmp(map, one, m->vertices * sizeof *map));
    int yes = -1;
    CU_ASSERT(!imp_weld_holds(&frames[0], 0, map, &yes) && yes == 1);
    CU_ASSERT(!imp_weld_holds(&m->frame, 0, map, &yes) && yes == 1);
}

/* A closed body: the faces of a tetrahedron, each with its own vertices. */
static void add_pyramid(made *m, rng *r, uint32_t spread, int32_t object)
{
    static const uint8_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    double at[4][3];
    for (int k = 0; k < 12; k++)
        at[k / 3][k % 3] = rng_below(r, spread);
    for (int f = 0; f < 4; f++) {
        uint32_t corner[3];
        for (int k = 0; k < 3; k++) {
            const double *x = at[faces[f][k]];
            corner[k] = made_vertex(m, x[0], x[1], x[2]);
        }
        made_primitive(m, 3, corner, object);
    }
}

/* Primitives between few points, some of which share vertices; also after closed bodies, or closed
 * bodies alone. */
static void check_weld_random(rng *r)
{
    static made m;
    m.vertices = m.primitives = 0;
    const uint32_t spread = 2 + rng_below(r, 2), objects = 1 + rng_below(r, 2),
                   kinds = rng_below(r, 3);
    const uint32_t bodies = rng_below(r, 4), own_percent = rng_below(r, 101);
    const uint32_t count = bodies && rng_below(r, 2) ? 0 : 1 + rng_below(r, 24);
    for (uint32_t b = 0; b < bodies; b++)
        add_pyramid(&m, r, spread, (int32_t)rng_below(r, objects) * 7 - 3);
    for (uint32_t p = 0; p < count; p++) {
        const int corner_count = kinds == 0 ? 3 : kinds == 1 ? 4 : 3 + (int)rng_below(r, 2);
        uint32_t corner[4];
        for (int k = 0; k < corner_count; k++)
            corner[k] = m.vertices && rng_below(r, 100) >= own_percent
                            ? rng_below(r, m.vertices)
                            : made_vertex(&m, rng_below(r, spread), rng_below(r, spread),
                                          rng_below(r, spread) ? 1 : -0.0);
        made_primitive(&m, corner_count, corner, (int32_t)rng_below(r, objects) * 7 - 3);
    }
    made_end(&m);
    check_edges(&m);
}

static void test_edges_random(void)
{
    rng r = {11};
    for (uint64_t i = 0; i < test_count(3000); i++)
        check_weld_random(&r);
}

/* ---- bodies that touch */

/* A box with integer coordinates, of twelve triangles, with eight shared vertices or 36 separate
 * ones. The diagonals are random. */
static void weld_add_box(made *m, rng *r, const int low[3], const int high[3], int shared,
                         const uint32_t order[12])
{
    static const uint8_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    uint8_t triangle[12][3];
    uint32_t vertex[8];
    for (int i = 0; i < 8 && shared; i++)
        vertex[i] = made_vertex(m, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1],
                                i & 4 ? high[2] : low[2]);
    for (int f = 0; f < 6; f++) {
        const int turn = (int)rng_below(r, 2);
        for (int k = 0; k < 3; k++) {
            triangle[2 * f][k] = faces[f][(k + turn) % 4];
            triangle[2 * f + 1][k] = faces[f][((k ? k + 1 : 0) + turn) % 4];
        }
    }
    for (int t = 0; t < 12; t++) {
        uint32_t corner[3];
        for (int k = 0; k < 3; k++) {
            const int i = triangle[order[t]][k];
            corner[k] = shared ? vertex[i]
                               : made_vertex(m, i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1],
                                             i & 4 ? high[2] : low[2]);
        }
        made_primitive(m, 3, corner, 0);
    }
}

/* Boxes that touch, overlap or coincide, in two meshes with shared and with separate vertices: the
 * welded corners are the same in both. */
static void check_weld_bodies(rng *r)
{
    static made shared, alone;
    uint32_t map[MOST];
    imp_weld_info info;
    const uint64_t seed = rng_next(r);
    const int boxes = 1 + (int)rng_below(r, 9);
    for (int pass = 0; pass < 2; pass++) {
        made *m = pass ? &alone : &shared;
        rng again = {seed};
        m->vertices = m->primitives = 0;
        for (int b = 0; b < boxes; b++) {
            int low[3], high[3];
            uint32_t order[12];
            for (int k = 0; k < 3; k++) {
                low[k] = (int)rng_below(&again, 3);
                high[k] = low[k] + 1 + (int)rng_below(&again, 2);
            }
            for (uint32_t t = 0; t < 12; t++) {
                const uint32_t with = rng_below(&again, t + 1);
                order[t] = order[with];
                order[with] = t;
            }
            weld_add_box(m, &again, low, high, !pass, order);
        }
        made_end(m);
    }
    CU_ASSERT(!imp_weld(&alone.frame, 1, 0, map, &info) && !info.open);
    for (uint32_t p = 0; p < alone.primitives; p++)
        for (uint32_t q = 0; q < alone.primitives; q++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    CU_ASSERT((map[alone.corner[p][k]] == map[alone.corner[q][l]]) ==
                              (shared.corner[p][k] == shared.corner[q][l]));
}

static void test_weld_bodies(void)
{
    rng r = {5};
    for (uint64_t i = 0; i < test_count(60); i++)
        check_weld_bodies(&r);
}

/* Ambiguous edges stay unwelded, and are counted. */
static void test_weld_open(void)
{
    static made m;
    uint32_t map[MOST];
    imp_weld_info info;
    /* a fin of three triangles; two triangles with an edge in the same direction; a proper pair */
    static const double third[3][3] = {{0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    m.vertices = m.primitives = 0;
    for (int i = 0; i < 7; i++) {
        const double x = i < 3 ? 0 : i < 5 ? 5 : 9;
        const int back = i == 1 || i == 6;
        uint32_t corner[3];
        corner[0] = made_vertex(&m, x + back, 0, 0);
        corner[1] = made_vertex(&m, x + !back, 0, 0);
        corner[2] = made_vertex(&m, x, third[i % 3][1], third[i % 3][2]);
        made_primitive(&m, 3, corner, 0);
    }
    made_end(&m);
    check_edges(&m);
    CU_ASSERT(!imp_weld(&m.frame, 1, 0, map, &info));
    CU_ASSERT(info.open == 2 && info.open_primitive == 0 && info.merged == 2 && info.joined == 2 &&
              info.split == 0);
    CU_ASSERT(map[18] == 16 && map[19] == 15 && map[15] == 15);
}

/* ---- is it needed? */

static int unwelded(const made *m, double *fraction)
{
    int yes = -1;
    CU_ASSERT(!imp_is_unwelded(&m->frame, &yes, fraction));
    return yes;
}

static void test_unwelded(void)
{
    static made m;
    rng r = {1};
    double fraction = -1;
    static const uint32_t order[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const int low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    for (int shared = 0; shared < 2; shared++) {
        m.vertices = m.primitives = 0;
        weld_add_box(&m, &r, low, high, shared, order);
        made_end(&m);
        CU_ASSERT(unwelded(&m, &fraction) == !shared && fraction == !shared);
    }
    /* each triangle is an object of its own */
    m.vertices = m.primitives = 0;
    weld_add_box(&m, &r, low, high, 0, order);
    made_end(&m);
    for (int t = 0; t < 12; t++)
        m.object[t] = t;
    CU_ASSERT(!unwelded(&m, &fraction));
    m.mesh.object = NULL;
    CU_ASSERT(unwelded(&m, &fraction));
    /* one vertex is shared */
    m.corner[7][1] = m.corner[3][2];
    CU_ASSERT(!unwelded(&m, &fraction));
    /* triangles that touch at points, and random ones */
    m.vertices = m.primitives = 0;
    for (int t = 0; t < 100; t++) {
        uint32_t corner[3] = {made_vertex(&m, 0, 0, 0), made_vertex(&m, rng_unit(&r), 0, 1),
                              made_vertex(&m, 0, rng_unit(&r), 1)};
        made_primitive(&m, 3, corner, 0);
    }
    made_end(&m);
    CU_ASSERT(!unwelded(&m, &fraction) && fraction == 0);
    /* a triangle with a repeated edge */
    const uint32_t flat[3] = {0, 1, 1};
    m.vertices = m.primitives = 0;
    made_vertex(&m, 0, 0, 0);
    made_vertex(&m, 1, 0, 0);
    made_primitive(&m, 3, flat, 0);
    made_end(&m);
    CU_ASSERT(!unwelded(&m, NULL));
    m.vertices = m.primitives = 0;
    made_end(&m);
    CU_ASSERT(!unwelded(&m, NULL));
}

/* A large strip, judged by a sample; random points have no neighbours. */
static void test_unwelded_large(void)
{
    enum { TRIANGLES = 200000 };
    double(*point)[3] = calloc(3 * TRIANGLES, sizeof *point);
    uint32_t *corner = calloc(3 * TRIANGLES, sizeof *corner);
    CU_ASSERT_FATAL(point && corner);
    rng r = {2};
    const imp_mesh mesh = {.vertices = 3 * TRIANGLES, .primitives = TRIANGLES, .corner = corner};
    const imp_frame frame = {.mesh = &mesh, .point = point, .type = IMP_FLOAT64};
    for (int kind = 0; kind < 3; kind++) {
        int yes = -1;
        double fraction = -1;
        for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
            const uint32_t t = i / 3, k = i % 3, n = t + (t % 2 ? (3 - k) % 3 : k);
            corner[i] = i;
            point[i][0] = kind ? (kind == 2 ? NAN : rng_unit(&r)) : n / 2;
            point[i][1] = kind ? rng_unit(&r) : n % 2;
        }
        CU_ASSERT(!imp_is_unwelded(&frame, &yes, &fraction));
        CU_ASSERT(yes == !kind && (kind ? fraction == 0 : fabs(fraction - 2.0 / 3) < 0.02));
    }
    free(point);
    free(corner);
}

/* ---- arguments */

static void test_weld_wrong(void)
{
    static made m;
    uint32_t map[MOST];
    int yes;
    rng r = {1};
    static const uint32_t order[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const int low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    static const double tolerance[] = {-1, -5e-324, INFINITY, -INFINITY, NAN};
    m.vertices = m.primitives = 0;
    weld_add_box(&m, &r, low, high, 0, order);
    made_end(&m);
    for (size_t i = 0; i < sizeof tolerance / sizeof *tolerance; i++)
        CU_ASSERT_EQUAL(imp_weld(&m.frame, 1, tolerance[i], map, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_weld(&m.frame, 0, 0, map, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_weld(NULL, 1, 0, map, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_weld(&m.frame, 1, 0, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_weld_holds(&m.frame, 0, NULL, &yes), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_weld_holds(&m.frame, 0, map, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_weld_holds(NULL, 0, map, &yes), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_is_unwelded(&m.frame, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_is_unwelded(NULL, &yes, NULL), IMP_ERR_ARGUMENT);
    m.corner[5][2] = m.vertices;
    CU_ASSERT_EQUAL(imp_weld(&m.frame, 1, 0, map, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_STRING_EQUAL(imp_error_text(),
                           "imp_weld: corner 2 of triangle 5 is vertex 36, but there are 36");
    m.corner[5][2] = 0;
    m.corner_count[3] = 2;
    CU_ASSERT_EQUAL(imp_weld(&m.frame, 1, 0, map, NULL), IMP_ERR_ARGUMENT);
    m.corner_count[3] = 3;
    m.frame.point = NULL;
    CU_ASSERT_EQUAL(imp_weld(&m.frame, 1, 0, map, NULL), IMP_ERR_ARGUMENT);
    m.frame.point = m.point;
    m.frame.type = 2;
    CU_ASSERT_EQUAL(imp_is_unwelded(&m.frame, &yes, NULL), IMP_ERR_ARGUMENT);
    m.frame.type = IMP_FLOAT64;
    m.mesh.corner = NULL;
    CU_ASSERT_EQUAL(imp_weld(&m.frame, 1, 0, map, NULL), IMP_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"near", test_weld_near},
                                 {"near_random", test_near_random},
                                 {"edges_random", test_edges_random},
                                 {"bodies", test_weld_bodies},
                                 {"open", test_weld_open},
                                 {"unwelded", test_unwelded},
                                 {"unwelded_large", test_unwelded_large},
                                 {"wrong", test_weld_wrong},
                                 {0}};
    return test_main(argc, argv, "weld", tests);
}
