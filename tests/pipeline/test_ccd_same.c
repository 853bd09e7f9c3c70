/* Changes of a course that must not change its contacts of steps: other indices, positions and
 * scales. */
#include "course.h"
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a course and its changed copy */

typedef struct change {
    const course *was;
    course now;
    uint32_t *prim, *vertex; /* index before the change; NULL: the same */
    uint8_t (*corner)[4];    /* [primitives] former position of each corner */
    double factor;           /* scale of contact points; 0: they may differ */
} change;

static void change_free(change *c)
{
    course_free(&c->now);
    free(c->prim);
    free(c->vertex);
    free(c->corner);
}

static uint32_t *shuffled(uint32_t n, rng *r)
{
    uint32_t *out = malloc((n + (size_t)1) * sizeof *out);
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = rng_below(r, i + 1);
        out[i] = out[k];
        out[k] = i;
    }
    return out;
}

static void shuffle_primitives(change *c, rng *r)
{
    const course *was = c->was;
    const uint32_t n = was->mesh.primitives, corners = (uint32_t)was->mesh.corners;
    c->prim = shuffled(n, r);
    for (uint32_t i = 0; i < n; i++) {
        c->now.object[i] = was->object[c->prim[i]];
        c->now.corner_count[i] = was->corner_count[c->prim[i]];
        memcpy(c->now.corner + (size_t)corners * i, was->corner + (size_t)corners * c->prim[i],
               corners * sizeof *c->now.corner);
    }
}

static void shuffle_vertices(change *c, rng *r)
{
    const course *was = c->was;
    const uint32_t n = was->mesh.vertices;
    uint32_t *to = shuffled(n, r);
    c->vertex = malloc((n + (size_t)1) * sizeof *c->vertex);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c->vertex);
    for (uint32_t v = 0; v < n; v++) {
        c->vertex[to[v]] = v;
        for (int f = 0; f < COURSE_FRAMES; f++)
            memcpy(c->now.point[f] + (size_t)3 * to[v], was->point[f] + (size_t)3 * v,
                   3 * sizeof(double));
    }
    for (size_t i = 0; i < mesh_corner_count(&was->mesh); i++)
        c->now.corner[i] = to[was->corner[i]];
    free(to);
}

static void shuffle_corners(change *c, rng *r)
{
    const course *was = c->was;
    const uint32_t n = was->mesh.primitives, corners = (uint32_t)was->mesh.corners;
    c->corner = malloc((n + (size_t)1) * sizeof *c->corner);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c->corner);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t corner_count = mesh_corners_of(&was->mesh, i);
        uint32_t *order = shuffled(corner_count, r);
        for (uint32_t k = 0; k < corner_count; k++) {
            c->corner[i][k] = (uint8_t)order[k];
            c->now.corner[corners * i + k] = was->corner[corners * i + order[k]];
        }
        free(order);
    }
}

/* x becomes by[axis] * x + add[axis], with permuted axes. */
static void map_points(change *c, const int axis[3], const double by[3], const double add[3])
{
    for (int f = 0; f < COURSE_FRAMES; f++)
        for (uint32_t v = 0; v < c->now.mesh.vertices; v++) {
            double was[3], *x = c->now.point[f] + (size_t)3 * v;
            memcpy(was, x, sizeof was);
            for (int k = 0; k < 3; k++)
                x[k] = by[k] * was[axis[k]] + add[k];
        }
}

static const double nothing[3] = {0, 0, 0};

static void ccd_invariance_mirror(change *c, rng *r)
{
    double by[3] = {1, 1, 1};
    by[rng_below(r, 3)] = -1;
    map_points(c, (const int[3]){0, 1, 2}, by, nothing);
}

static void ccd_invariance_swap_axes(change *c, rng *r)
{
    int axis[3] = {0, 1, 2};
    const uint32_t k = rng_below(r, 3), l = (k + 1 + rng_below(r, 2)) % 3;
    axis[k] = (int)l;
    axis[l] = (int)k;
    map_points(c, axis, (const double[3]){1, 1, 1}, nothing);
}

static void ccd_invariance_scale(change *c, rng *r)
{
    c->factor = ldexp(1, (int)rng_below(r, 600) - 300);
    map_points(c, (const int[3]){0, 1, 2}, (const double[3]){c->factor, c->factor, c->factor},
               nothing);
}

/* Coordinates are multiples of 2^-18 (coarsen), so nothing is lost. */
static void ccd_invariance_translate(change *c, rng *r)
{
    double add[3];
    for (int k = 0; k < 3; k++)
        add[k] = ldexp(rng_below(r, 2) ? 1 : -1, (int)rng_below(r, 28));
    map_points(c, (const int[3]){0, 1, 2}, (const double[3]){1, 1, 1}, add);
}

static void ccd_invariance_rename_objects(change *c, rng *r)
{
    const course *was = c->was;
    (void)r;
    c->factor = 1;
    for (uint32_t i = 0; i < was->mesh.primitives; i++)
        c->now.object[i] = 1000 - 300 * was->object[i];
}

/* Vertices that no primitive uses, with arbitrary coordinates. */
static void stray_vertices(change *c, rng *r)
{
    const course *was = c->was;
    static const double strays[] = {NAN, INFINITY, 1e308, -1e-308, 0};
    const size_t n = was->mesh.vertices, more = 4;
    c->factor = 1;
    for (int f = 0; f < COURSE_FRAMES; f++) {
        c->now.point[f] = realloc(c->now.point[f], 3 * (n + more) * sizeof(double));
        CU_ASSERT_PTR_NOT_NULL_FATAL(c->now.point[f]);
        c->now.frame[f].point = c->now.point[f];
        for (size_t i = 0; i < 3 * more; i++)
            c->now.point[f][3 * n + i] = strays[rng_below(r, 5)];
    }
    c->now.mesh.vertices += (uint32_t)more;
}

static const struct how {
    const char *name;
    void (*make)(change *c, rng *r);
} hows[] = {
    {"primitives in another order", shuffle_primitives},
    {"vertices in another order", shuffle_vertices},
    {"corners in another order", shuffle_corners},
    {"mirrored", ccd_invariance_mirror},
    {"other axes", ccd_invariance_swap_axes},
    {"another size", ccd_invariance_scale},
    {"elsewhere", ccd_invariance_translate},
    {"other objects", ccd_invariance_rename_objects},
    {"unused vertices", stray_vertices},
};
#define HOWS (sizeof hows / sizeof *hows)

/* ---- rows in terms of the course before the change */

static const uint8_t edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const uint8_t face_lacks[4] = {2, 0, 1, 3}; /* the opposite corner */

static int64_t edge_was(const uint8_t corner[4], int64_t edge)
{
    const int a = corner[edge_ends[edge][0]], b = corner[edge_ends[edge][1]];
    for (int k = 0; k < 6; k++)
        if ((edge_ends[k][0] == a && edge_ends[k][1] == b) ||
            (edge_ends[k][0] == b && edge_ends[k][1] == a))
            return k;
    return -1;
}

static int64_t face_was(const uint8_t corner[4], int64_t face)
{
    for (int k = 0; k < 4; k++)
        if (face_lacks[k] == corner[face_lacks[face]])
            return k;
    return -1;
}

/* The former feature of a primitive, given by its new index. */
static int64_t feature_was(const change *c, int kind, uint32_t prim, int64_t feature)
{
    if (kind == IMP_KIND_EDGE_EDGE)
        return c->corner ? edge_was(c->corner[prim], feature) : feature;
    if (kind == IMP_KIND_VERTEX_FACE && feature >= 0)
        return c->vertex ? c->vertex[feature] : feature;
    if (kind == IMP_KIND_VERTEX_FACE && c->corner && mesh_corners_of(&c->now.mesh, prim) == 4)
        return -1 - face_was(c->corner[prim], -1 - feature);
    return feature;
}

static void ccd_invariance_numbers_back(const change *c, contact_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        struct contact_row *r = &l->row[i];
        const int64_t f = feature_was(c, r->kind, r->a, r->feature[0]),
                      g = feature_was(c, r->kind, r->b, r->feature[1]);
        const uint32_t a = c->prim ? c->prim[r->a] : r->a, b = c->prim ? c->prim[r->b] : r->b;
        r->a = a < b ? a : b;
        r->b = a < b ? b : a;
        r->feature[0] = a < b ? f : g;
        r->feature[1] = a < b ? g : f;
    }
    contact_list_sort(l);
}

static int ccd_invariance_repeats(const imp_mesh *m, uint32_t prim)
{
    for (uint32_t k = 0; k < mesh_corners_of(m, prim); k++)
        for (uint32_t j = 0; j < k; j++)
            if (mesh_vertex(m, prim, j) == mesh_vertex(m, prim, k))
                return 1;
    return 0;
}

/* The least of several features in contact at the same time depends on indices: some looks have no
 * such ties, except for primitives that repeat a vertex and so have an edge twice. */
static int one_least(const change *c, const struct contact_row *of)
{
    const look *l = c->was->of;
    const imp_mesh *m = &c->was->mesh;
    return !(c->prim || c->vertex || c->corner) ||
           (!l->grid && l->form != LOOK_FAN && !l->copies && !ccd_invariance_repeats(m, of->a) &&
            !ccd_invariance_repeats(m, of->b));
}

static const char *ccd_invariance_row_fault(const struct contact_row *was,
                                            const struct contact_row *is, const change *c)
{
    if (was->frame != is->frame || was->a != is->a || was->b != is->b)
        return "other pairs";
    if (was->toi != is->toi || was->kind != is->kind)
        return "another share or kind";
    if (one_least(c, was) && memcmp(was->feature, is->feature, sizeof was->feature) != 0)
        return "other features";
    for (int k = 0; k < 6 && c->factor > 0; k++)
        if (was->point[k] * c->factor != is->point[k])
            return "other points";
    return NULL;
}

static void check_ccd_invariance_rows(const change *c, const contact_list *was,
                                      const contact_list *is, const char *how)
{
    EXPECT(was->count == is->count, "%s, %s: %zu rows, not %zu", c->was->of->name, how, is->count,
           was->count);
    for (size_t i = 0; i < was->count && i < is->count; i++) {
        const char *what = ccd_invariance_row_fault(&was->row[i], &is->row[i], c);
        EXPECT(!what, "%s, %s: row %zu: %s", c->was->of->name, how, i, what);
        if (what)
            break;
    }
}

/* ---- changes */

/* Rounds to multiples of 2^-18, so that translations are exact. */
static void ccd_invariance_coarsen(course *c)
{
    for (int f = 0; f < COURSE_FRAMES; f++)
        for (uint32_t i = 0; i < 3 * c->mesh.vertices; i++)
            c->point[f][i] = rint(c->point[f][i] * 0x1p18) * 0x1p-18;
}

static void check_ccd_invariance_changes(imp *p, const look *l, uint64_t seed)
{
    course c;
    contact_list was, is;
    rng r = {seed};
    course_make(&c, l, seed);
    ccd_invariance_coarsen(&c);
    course_rows(p, &c, &was, NULL);
    EXPECT(was.count > 0, "%s: no rows", l->name);
    for (size_t k = 0; k < HOWS; k++) {
        change to = {.was = &c};
        course_copy(&c, &to.now);
        hows[k].make(&to, &r);
        course_rows(p, &to.now, &is, NULL);
        ccd_invariance_numbers_back(&to, &is);
        check_ccd_invariance_rows(&to, &was, &is, hows[k].name);
        contact_list_free(&is);
        change_free(&to);
    }
    contact_list_free(&was);
    course_free(&c);
}

/* The fan has adjacent pairs only. */
static int adjacent(size_t l, uint64_t i)
{
    return looks[l].form == LOOK_FAN || (l + i) % 2;
}

static void test_ccd_invariance_changed(void)
{
    const way w = way_host();
    const uint64_t count = test_cases(3);
    for (int rule = 0; rule < 2; rule++) {
        const imp_def def = {.continuous = 1, .adjacent = rule};
        imp *p = way_pipeline(&w, &def);
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        for (uint64_t i = 0; i < count; i++)
            for (size_t l = 0; l < LOOKS; l++)
                if (adjacent(l, i) == rule)
                    check_ccd_invariance_changes(p, &looks[l], 1000 * i + l);
        imp_destroy(p);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"changed", test_ccd_invariance_changed}, {0}};
    return test_main(argc, argv, "ccd_same", tests);
}
