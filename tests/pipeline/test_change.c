/* Changes of a frame that must not change its contacts: other indices, positions, scales and types.
 * Each pipeline is combined with each change in turn. */
#include "made.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 150

/* ---- a frame and its changed copy */

typedef struct copy {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t *triangle, *was; /* was[i]: the index of triangle i before */
    int32_t *object;
    double *point;
    double factor; /* scale of contact points, bit by bit; 0: only pairs and kinds are the same */
} copy;

/* Space for a few more vertices. */
#define MORE 4

static copy invariance_copy_frame(const imp_frame *f)
{
    copy c = {.mesh = *f->mesh, .frame = *f};
    size_t n = f->mesh->primitives, v = f->mesh->vertices;
    c.triangle = malloc((3 * n + 1) * sizeof *c.triangle);
    c.was = malloc((n + 1) * sizeof *c.was);
    c.object = malloc((n + 1) * sizeof *c.object);
    c.point = malloc(3 * (v + MORE) * sizeof *c.point);
    CU_ASSERT_FATAL(c.triangle && c.was && c.object && c.point);
    memcpy(c.triangle, f->mesh->corner, 3 * n * sizeof *c.triangle);
    for (uint32_t i = 0; i < n; i++) {
        c.was[i] = i;
        c.object[i] = f->mesh->object ? f->mesh->object[i] : 0;
    }
    for (size_t i = 0; i < v; i++)
        frame_vertex(f, i, c.point + 3 * i);
    c.mesh.corner = c.triangle;
    c.mesh.object = c.object;
    c.frame.point = c.point;
    c.frame.type = IMP_FLOAT64;
    c.frame.pose = NULL; /* changed points are not where poses put them */
    return c;
}

static void copy_free(copy *c)
{
    free(c->triangle);
    free(c->was);
    free(c->object);
    free(c->point);
}

/* ---- changes; each returns 0 if it cannot be made exactly */

static void swap_words(uint32_t *a, uint32_t *b)
{
    uint32_t t = *a;
    *a = *b;
    *b = t;
}

static int shuffle_triangles(copy *c, rng *r)
{
    for (uint32_t i = c->mesh.primitives; i > 1; i--) {
        uint32_t a = i - 1, b = rng_below(r, i);
        int32_t t = c->object[a];
        c->object[a] = c->object[b];
        c->object[b] = t;
        swap_words(&c->was[a], &c->was[b]);
        for (uint32_t k = 0; k < 3; k++)
            swap_words(&c->triangle[3 * a + k], &c->triangle[3 * b + k]);
    }
    return 1;
}

static int turn_triangles(copy *c, rng *r)
{
    for (uint32_t i = 0; i < c->mesh.primitives; i++) {
        uint32_t *t = c->triangle + 3 * i;
        swap_words(&t[0], &t[rng_below(r, 3)]);
        swap_words(&t[1], &t[1 + rng_below(r, 2)]);
    }
    return 1;
}

static int renumber_vertices(copy *c, rng *r)
{
    uint32_t n = c->mesh.vertices, *to = malloc((n + (size_t)1) * sizeof *to);
    CU_ASSERT_PTR_NOT_NULL_FATAL(to);
    for (uint32_t v = 0; v < n; v++)
        to[v] = v;
    for (uint32_t v = n; v > 1; v--) {
        uint32_t a = v - 1, b = rng_below(r, v);
        double t[3], *x = c->point + (size_t)3 * a, *y = c->point + (size_t)3 * b;
        memcpy(t, x, sizeof t);
        memmove(x, y, sizeof t);
        memcpy(y, t, sizeof t);
        swap_words(&to[a], &to[b]);
    }
    uint32_t *from = malloc((n + (size_t)1) * sizeof *from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(from);
    for (uint32_t v = 0; v < n; v++)
        from[to[v]] = v;
    for (uint32_t i = 0; i < 3 * c->mesh.primitives; i++)
        c->triangle[i] = from[c->triangle[i]];
    free(to);
    free(from);
    c->factor = 1;
    return 1;
}

/* The same bits, unless a number overflows or loses its last bits. */
static int invariance_scale(copy *c, double factor)
{
    c->factor = factor;
    for (size_t i = 0; i < (size_t)3 * c->mesh.vertices; i++) {
        double x = c->point[i];
        c->point[i] = x * factor;
        /* a contact may be smaller than all coordinates */
        if (isfinite(x) && x != 0 && !(fabs(c->point[i]) > 1e-200 && fabs(c->point[i]) < 1e200))
            return 0;
    }
    return 1;
}

static int scale_up(copy *c, rng *r)
{
    return invariance_scale(c, ldexp(1, (int)rng_below(r, 99)));
}

static int scale_down(copy *c, rng *r)
{
    return invariance_scale(c, ldexp(1, -(int)rng_below(r, 99)));
}

static int invariance_translate(copy *c, rng *r)
{
    double by[3];
    for (int k = 0; k < 3; k++)
        by[k] = ldexp(rng_below(r, 2) ? 1 : -1, (int)rng_below(r, 30));
    for (size_t i = 0; i < (size_t)3 * c->mesh.vertices; i++) {
        double x = c->point[i], y = x + by[i % 3];
        if (isfinite(x) && y - by[i % 3] != x)
            return 0;
        c->point[i] = y;
    }
    return 1;
}

static int invariance_mirror(copy *c, rng *r)
{
    size_t axis = rng_below(r, 3);
    for (size_t v = 0; v < c->mesh.vertices; v++)
        c->point[3 * v + axis] = -c->point[3 * v + axis];
    return 1;
}

static int invariance_swap_axes(copy *c, rng *r)
{
    size_t a = rng_below(r, 3), b = (a + 1 + rng_below(r, 2)) % 3;
    for (size_t v = 0; v < c->mesh.vertices; v++) {
        double *x = c->point + 3 * v, t = x[a];
        x[a] = x[b];
        x[b] = t;
    }
    return 1;
}

/* Vertices that no triangle uses have no effect, whatever their values. */
static int invariance_add_vertices(copy *c, rng *r)
{
    static const double strays[] = {NAN, INFINITY, 1e308, -1e-308, 0};
    double *x = c->point + (size_t)3 * c->mesh.vertices;
    for (int i = 0; i < 3 * MORE; i++)
        x[i] = strays[rng_below(r, 5)];
    c->mesh.vertices += MORE;
    c->factor = 1;
    return 1;
}

/* Other ids for the objects, in another order. */
static int invariance_rename_objects(copy *c, rng *r)
{
    (void)r;
    for (uint32_t i = 0; i < c->mesh.primitives; i++)
        c->object[i] = 1000 - 300 * c->object[i];
    c->factor = 1;
    return 1;
}

static const struct change {
    const char *name;
    int (*make)(copy *c, rng *r);
} changes[] = {
    {"triangles in another order", shuffle_triangles},
    {"corners in another order", turn_triangles},
    {"vertices in another order", renumber_vertices},
    {"larger", scale_up},
    {"smaller", scale_down},
    {"elsewhere", invariance_translate},
    {"mirrored", invariance_mirror},
    {"other axes", invariance_swap_axes},
    {"unused vertices", invariance_add_vertices},
    {"other objects", invariance_rename_objects},
};

#define CHANGES (sizeof changes / sizeof *changes)

/* ---- comparing */

/* Restores the indices of triangles before the change. */
static void invariance_numbers_back(const copy *c, contact_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        uint32_t a = c->was[l->row[i].a], b = c->was[l->row[i].b];
        l->row[i].a = a < b ? a : b;
        l->row[i].b = a < b ? b : a;
    }
    contact_list_sort(l);
}

static const char *invariance_compare(const contact_list *was, const contact_list *is,
                                      double factor)
{
    if (was->count != is->count)
        return "another number of contacts";
    for (size_t i = 0; i < was->count; i++) {
        const struct contact_row *p = &was->row[i], *q = &is->row[i];
        if (p->a != q->a || p->b != q->b || p->kind != q->kind)
            return "other pairs or kinds";
        for (int k = 0; k < 6 && factor > 0; k++)
            if (p->point[k] * factor != q->point[k])
                return "other points";
    }
    return NULL;
}

/* Rounds to multiples of 2^-18, so that translations are exact; such frames touch in many ways. */
static void invariance_coarsen(const imp_frame *f, copy *c)
{
    *c = invariance_copy_frame(f);
    for (size_t i = 0; i < (size_t)3 * c->mesh.vertices; i++)
        if (fabs(c->point[i]) < 0x1p30)
            c->point[i] = rint(c->point[i] * 0x1p18) * 0x1p-18;
}

/* Returns whether the change could be made. */
static int try_change(const pipe *q, const struct change *change, const made *m, size_t f, rng *r)
{
    contact_list was = {0}, is = {0};
    copy plain, changed;
    invariance_coarsen(&m->frame[f], &plain);
    plain.frame.mesh = &plain.mesh;
    changed = invariance_copy_frame(&plain.frame);
    changed.frame.mesh = &changed.mesh;
    int made_it = change->make(&changed, r);
    if (made_it) {
        CU_ASSERT_EQUAL(imp_detect(q->p, &plain.frame, 1, contact_list_sink, &was, NULL), 0);
        CU_ASSERT_EQUAL(imp_detect(q->p, &changed.frame, 1, contact_list_sink, &is, NULL), 0);
        invariance_numbers_back(&changed, &is);
        const char *what = invariance_compare(&was, &is, changed.factor);
        if (what) {
            way_failed(q->way, q->method, m->name, change->name);
            way_failed(q->way, q->method, m->name, what);
        }
    }
    contact_list_free(&was);
    contact_list_free(&is);
    copy_free(&plain);
    copy_free(&changed);
    return made_it;
}

/* ---- tests */

static void try_changes(const imp_def *def, uint32_t prims)
{
    pipes s;
    made m;
    rng r = {1};
    size_t turn = 0, tried[CHANGES] = {0};
    pipes_open(&s, def, 1);
    for (size_t i = 0; made_open(i, prims, &m); i += 1 + TEST_SLOW, made_free(&m))
        for (size_t f = 0; f < m.frames; f++, turn++)
            for (size_t k = 0; k < CHANGES; k++) {
                const pipe *q = &s.list[(turn + k) % s.count];
                tried[k] += (size_t)try_change(q, &changes[k], &m, f, &r);
            }
    for (size_t k = 0; k < CHANGES; k++)
        CU_ASSERT(tried[k] > 20);
    pipes_close(&s);
}

static void test_invariance_contacts(void)
{
    try_changes(&(imp_def){.on_bad = IMP_BAD_SKIP}, (uint32_t)test_count(PRIMS));
}

static void test_invariance_adjacent(void)
{
    try_changes(&(imp_def){.on_bad = IMP_BAD_SKIP, .adjacent = IMP_ADJACENT_TEST}, PRIMS);
}

static void test_between(void)
{
    try_changes(&(imp_def){.on_bad = IMP_BAD_SKIP, .pairs = IMP_PAIRS_BETWEEN}, PRIMS / 2);
}

/* float32 points give the result of float64 points with the same values. */
static int single(const pipe *q, const imp_frame *f)
{
    contact_list wide = {0}, less = {0};
    copy c = invariance_copy_frame(f);
    size_t n = (size_t)3 * c.mesh.vertices;
    float *x = malloc((n + 1) * sizeof *x);
    int finite = 1, same = 1;
    CU_ASSERT_PTR_NOT_NULL_FATAL(x);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)c.point[i];
        c.point[i] = (double)x[i];
        finite &= isfinite(x[i]);
    }
    imp_frame frame[2] = {c.frame, {f->mesh, x, IMP_FLOAT32, 0}};
    frame[0].mesh = &c.mesh;
    if (finite) {
        CU_ASSERT_EQUAL(imp_detect(q->p, &frame[0], 1, contact_list_sink, &wide, NULL), 0);
        CU_ASSERT_EQUAL(imp_detect(q->p, &frame[1], 1, contact_list_sink, &less, NULL), 0);
        same = contact_list_equal(&wide, &less);
    }
    contact_list_free(&wide);
    contact_list_free(&less);
    copy_free(&c);
    free(x);
    return same;
}

static void test_invariance_single(void)
{
    pipes s;
    made m;
    size_t turn = 0;
    pipes_open(&s, &(imp_def){0}, 1);
    for (size_t i = 0; made_open(i, PRIMS, &m); i++, made_free(&m))
        for (size_t f = 0; f < m.frames; f++, turn++)
            if (!single(&s.list[turn % s.count], &m.frame[f]))
                way_failed(s.list[turn % s.count].way, s.list[turn % s.count].method, m.name,
                           "float32 is not float64");
    pipes_close(&s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"contacts", test_invariance_contacts},
        {"adjacent", test_invariance_adjacent},
        {"between", test_between},
        {"single", test_invariance_single},
        {0},
    };
    return test_main(argc, argv, "change", tests);
}
