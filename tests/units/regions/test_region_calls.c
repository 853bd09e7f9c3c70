/* impinge_regions.h: the same regions of the same meshes in other orders, sizes and types, and of a
 * set that is used again; Euler's formula; wrong arguments and contacts, every allocation that
 * fails, the caller's floating-point environment, threads. */
#include "region_scenes.h"

#include "regions.h"

#include "expect.h"
#include "forgetful.h"
#include "modes.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int armed;
static long allocations, fails_at;

int forgetful(void)
{
    return armed && allocations++ == fails_at;
}

/* ---- the same regions */

static int area_order(const void *p, const void *q)
{
    const double x = ((const imp_region *)p)->area, y = ((const imp_region *)q)->area;
    return (x > y) - (x < y);
}

static void check_same(const region_scene *s, const region_scene *t, double scale, double error)
{
    const imp_regions *x = s->found, *y = t->found;
    CU_ASSERT_FATAL(x->count == y->count && x->faces == y->faces && x->partings == y->partings);
    imp_region p[64], q[64];
    CU_ASSERT_FATAL(x->count <= 64);
    memcpy(p, x->region, x->count * sizeof *p);
    memcpy(q, y->region, x->count * sizeof *q);
    qsort(p, x->count, sizeof *p, area_order);
    qsort(q, x->count, sizeof *q, area_order);
    for (size_t i = 0; i < x->count; i++) {
        EXPECT(p[i].faces == q[i].faces && p[i].vertices == q[i].vertices &&
                   p[i].contours == q[i].contours,
               "region %zu: %u faces, not %u", i, q[i].faces, p[i].faces);
        EXPECT(fabs(p[i].area * scale - q[i].area) <= error * q[i].area, "%.17g, not %.17g",
               q[i].area, p[i].area * scale);
    }
    for (size_t i = 0; i < x->partings; i++)
        CU_ASSERT(x->parting[i].regions == y->parting[i].regions &&
                  x->parting[i].parting == y->parting[i].parting);
}

/* Balls of many bumps, and a sheet. */
static void bumpy_make(region_scene *s, uint64_t seed)
{
    scene_torus(s, 0, 30, 18, 3, 1.1);
    scene_torus(s, 1, 22, 14, 2.9, 1);
    scene_sheet(s, 2, 9, 8, (double[]){-5.1, -4.9, -0.3}, (double[]){10, 0.1, 0.4},
                (double[]){0.2, 10, 0.1});
    for (uint32_t i = 0; i < 3 * s->vertices; i++)
        s->point[i] = rint((s->point[i] + 0.2 * scene_random(&seed)) * 4096) / 4096;
}

static void test_permuted(void)
{
    region_scene s = {0}, t = {0};
    uint64_t state = 3;
    bumpy_make(&s, 5);
    bumpy_make(&t, 5);
    scene_regions(&s);
    const uint32_t v = t.vertices, n = t.primitives;
    for (uint32_t i = 0; i < v; i++)
        memcpy(t.point + 3 * (size_t)(v - 1 - i), s.point + 3 * (size_t)i, 3 * sizeof *t.point);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t to = (uint32_t)((uint64_t)i * 7919 % n),
                       turn = (uint32_t)(3 * scene_random(&state));
        for (uint32_t k = 0; k < 3; k++)
            t.corner[3 * to + (k + turn) % 3] = v - 1 - s.corner[3 * i + k];
        t.object[to] = s.object[i];
    }
    scene_regions(&t);
    CU_ASSERT(s.found->count > 12);
    check_same(&s, &t, 1, 1e-12);
    scene_free(&s);
    scene_free(&t);
}

static void test_scaled(void)
{
    static const int exponent[] = {400, -400, 900, -900, -1058};
    for (size_t e = 0; e < sizeof exponent / sizeof *exponent; e++) {
        region_scene s = {0}, t = {0};
        bumpy_make(&s, 5);
        bumpy_make(&t, 5);
        for (uint32_t i = 0; i < 3 * t.vertices; i++)
            t.point[i] = ldexp(t.point[i], exponent[e]);
        scene_regions(&s);
        scene_regions(&t);
        if (abs(exponent[e]) == 400) {
            check_same(&s, &t, ldexp(1, 2 * exponent[e]), 0);
        } else {
            CU_ASSERT_FATAL(s.found->count == t.found->count && s.found->faces == t.found->faces);
            CU_ASSERT(
                !memcmp(s.found->face, t.found->face, s.found->faces * sizeof *t.found->face));
            for (size_t i = 0; i < t.found->count; i++)
                CU_ASSERT(t.found->region[i].area == (exponent[e] > 0 ? INFINITY : 0));
        }
        for (size_t i = 0; i < s.found->faces; i++)
            EXPECT(fabs(s.found->share[i] - t.found->share[i]) <
                       (exponent[e] < -1000 ? 1e-2 : 1e-12),
                   "%d: %g, not %g", exponent[e], t.found->share[i], s.found->share[i]);
        scene_free(&s);
        scene_free(&t);
    }
}

static void test_single(void)
{
    region_scene s = {0}, t = {0};
    bumpy_make(&s, 9);
    bumpy_make(&t, 9);
    scene_regions(&s);
    t.single = malloc(3 * (size_t)t.vertices * sizeof *t.single);
    CU_ASSERT_FATAL(t.single != NULL);
    for (uint32_t i = 0; i < 3 * t.vertices; i++)
        t.single[i] = (float)t.point[i];
    scene_regions(&t);
    check_same(&s, &t, 1, 0);
    scene_free(&s);
    scene_free(&t);
}

/* ---- Euler: disjoint loops on a surface without handles make one region more */

static void ball_make(region_scene *s, int32_t object, double x, uint64_t *seed)
{
    enum { N = 24 };
    const uint32_t first = s->vertices;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k <= N; k++) {
            const double u = acos(-1) * k / N, v = 2 * acos(-1) * i / N,
                         r = k % N ? 1 + 0.5 * scene_random(seed) : 1;
            scene_vertex(s, x + r * sin(u) * cos(v), r * sin(u) * sin(v), r * cos(u));
        }
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t k = 0; k < N; k++) {
            const uint32_t j = (i + 1) % N;
            /* one vertex at each pole */
            const uint32_t a = first + (k ? i * (N + 1) + k : 0),
                           b = first + (k + 1 < N ? i * (N + 1) + k + 1 : N),
                           c = first + (k + 1 < N ? j * (N + 1) + k + 1 : N),
                           d = first + (k ? j * (N + 1) + k : 0);
            if (b != c)
                scene_face(s, object, a, b, c);
            if (a != d)
                scene_face(s, object, a, c, d);
        }
}

static void test_euler(void)
{
    uint64_t seed = 1;
    for (int round = 0; round < 12; round++) {
        region_scene s = {0};
        ball_make(&s, 0, 0, &seed);
        ball_make(&s, 1, round / 8.0 + 0.3, &seed);
        scene_contacts_of(&s, IMP_PAIRS_BETWEEN);
        const imp_parting *p = scene_parting(&s, 0, 1), *q = scene_parting(&s, 1, 0);
        EXPECT(p->contours > (round < 4 ? 10u : 0u), "round %d: only %u contours", round,
               p->contours);
        EXPECT(p->regions == p->contours + 1 && q->regions == q->contours + 1 &&
                   p->parting == p->contours && q->parting == q->contours,
               "round %d: %u contours, %d and %d regions", round, p->contours, (int)p->regions,
               (int)q->regions);
        scene_free(&s);
    }
}

/* ---- the function */

/* Triangles with a point that is not finite are no part of a surface. */
static void test_left_out(void)
{
    region_scene s = {0};
    scene_sheet(&s, 0, 6, 6, (double[]){-0.55, -0.45, 0.375}, (double[]){2, 0, 0},
                (double[]){0, 2, 0});
    scene_box(&s, 5, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    scene_regions(&s);
    const imp_region whole = *scene_region(&s, 0, 5, 0);
    const size_t within = 3 * (3 * 7 + 3); /* a vertex of six triangles within the disc */
    const double z = s.point[within + 2];
    for (int k = 0; k < 2; k++) {
        s.point[within + 2] = k ? z : INFINITY;
        s.point[1] = k ? NAN : s.point[1]; /* then a corner of two triangles without */
        imp_regions_free(s.found);
        s.found = NULL;
        CU_ASSERT_FATAL(!imp_regions_find(&s.frame, &s.contacts, &s.found));
        const imp_region *r = scene_region(&s, 0, 5, 0);
        const double area = whole.area - (k ? 0 : 3.0 / 9);
        EXPECT(fabs(r->area - area) < 1e-14 && r->faces == whole.faces - (k ? 0 : 6) &&
                   r->vertices == whole.vertices - (k ? 0 : 1),
               "area %.17g of %u faces", r->area, r->faces);
        CU_ASSERT(s.found->count == 2);
    }
    scene_free(&s);
}

/* Two triangles without contacts; a contact with a tetrahedron. */
static void test_none(void)
{
    static const uint32_t corner[] = {0, 1, 2, 3, 4, 5, 6, 0};
    static const double point[] = {0, 0,  0,  1,  0,  0,  0, 1,  0,  0, 0,
                                   1, .1, .1, -1, .1, .2, 2, .3, .1, 2};
    static const uint8_t corner_count[] = {4, 3}, feature[] = {255, 255, 255, 255};
    static const uint32_t a = 0, b = 1;
    static const uint8_t kind = IMP_KIND_SOLIDS;
    static const double points[6];
    const imp_mesh mesh = {.vertices = 7,
                           .primitives = 2,
                           .corner = corner,
                           .corners = 4,
                           .corner_count = corner_count},
                   empty = {0};
    imp_regions *r = NULL;
    CU_ASSERT_FATAL(!imp_regions_find(
        &(imp_frame){.mesh = &mesh, .point = point},
        &(imp_contacts){
            .count = 1, .a = &a, .b = &b, .kind = &kind, .points = points, .end_features = feature},
        &r));
    CU_ASSERT(r->count == 0 && r->partings == 0 && r->contours == 0 && r->without == 1);
    imp_regions_free(r);
    CU_ASSERT_FATAL(!imp_regions_find(&(imp_frame){.mesh = &empty}, &(imp_contacts){0}, &r));
    CU_ASSERT(r->count == 0 && r->faces == 0 && r->without == 0);
    imp_regions_free(r);
    imp_regions_free(NULL);
}

static void check_wrong(const region_scene *s, const char *says)
{
    imp_regions *r = (imp_regions *)(uintptr_t)8;
    CU_ASSERT(imp_regions_find(&s->frame, &s->contacts, &r) == IMP_ERR_ARGUMENT && !r);
    EXPECT(strstr(imp_error_text(), says) && strstr(imp_error_text(), "imp_regions_find: "),
           "%s: not '%s'", imp_error_text(), says);
}

static void test_regions_wrong(void)
{
    region_scene s = {0};
    scene_box(&s, 0, (double[]){0, 0, 0}, (double[]){2, 2, 2});
    scene_box(&s, 1, (double[]){1.5, 1.25, 1.75}, (double[]){3, 3, 3});
    scene_contacts(&s);
    CU_ASSERT(imp_regions_find(&s.frame, &s.contacts, NULL) == IMP_ERR_ARGUMENT);
    s.frame.point = NULL;
    check_wrong(&s, "point is NULL");
    s.frame.point = s.point;
    s.frame.type = 7;
    check_wrong(&s, "no type 7");
    s.frame.type = IMP_FLOAT64;
    s.corner[3] = 16; /* of a triangle without a contact */
    check_wrong(&s, "corner 0 of triangle 1 is vertex 16, but there are 16");
    s.corner[3] = 0;
    s.a[1] = s.a[0];
    s.b[1] = s.b[0];
    check_wrong(&s, "not in order");
    scene_free(&s);
}

/* Contacts of another frame: no matter what is found, memory is in order. */
static void test_other_frame(void)
{
    uint64_t state = 11;
    for (int round = 0; round < 20; round++) {
        region_scene s = {0};
        bumpy_make(&s, 5);
        scene_contacts(&s);
        for (uint32_t i = 0; i < 3 * s.vertices; i++)
            s.point[i] += round < 10 ? 3 * scene_random(&state) : rint(3 * scene_random(&state));
        for (size_t i = 0; i < 4 * s.contacts.count && round % 3 == 0; i++)
            s.end_features[i] = (uint8_t)(7 * scene_random(&state));
        CU_ASSERT(!imp_regions_find(&s.frame, &s.contacts, &s.found));
        scene_free(&s);
    }
}

static int same_bytes_of(const void *x, const void *y, size_t bytes)
{
    return !bytes || !memcmp(x, y, bytes);
}

static int same_regions(const imp_regions *x, const imp_regions *y)
{
    for (size_t i = 0; i < x->count && x->count == y->count; i++) {
        const imp_region *p = &x->region[i], *q = &y->region[i];
        if (p->object != q->object || p->other != q->other || p->faces != q->faces ||
            p->first != q->first || p->vertices != q->vertices || p->contours != q->contours ||
            p->area != q->area)
            return 0;
    }
    return x->count == y->count && x->faces == y->faces && x->contours == y->contours &&
           same_bytes_of(x->face, y->face, x->faces * sizeof *x->face) &&
           same_bytes_of(x->share, y->share, x->faces * sizeof *x->share) &&
           same_bytes_of(x->of_contour, y->of_contour, 2 * x->contours * sizeof *x->of_contour);
}

/* One set of one frame after another, of other meshes and objects. */
static void test_again(void)
{
    enum { SCENES = 4 };
    region_scene s[SCENES] = {{0}};
    region_set again = {0};
    mem m = {0};
    bumpy_make(&s[0], 5);
    bumpy_make(&s[1], 6);
    for (uint32_t i = 0; i < s[1].primitives; i++)
        s[1].object[i] = 0; /* other objects; then other corners */
    bumpy_make(&s[2], 5);
    for (uint32_t i = 0; i < 3 * s[2].primitives; i++)
        s[2].corner[i] = s[2].vertices - 1 - s[2].corner[i];
    bumpy_make(&s[3], 7);
    for (size_t i = 0; i < SCENES; i++)
        scene_regions(&s[i]);
    for (size_t i = 0; i < 12; i++) {
        const region_scene *t = &s[i / 2 * 7 / 3 % SCENES];
        imp_contacts few = t->contacts;
        const size_t less = i % 2 ? 0 : few.count - few.count / 16; /* then of two objects */
        few.a += less;
        few.b += less;
        few.kind += less;
        few.points += 6 * less;
        few.end_features += 4 * less;
        few.count -= less;
        region_set once = {0};
        CU_ASSERT_FATAL(!regions_find(&m, &t->frame, &few, &again));
        CU_ASSERT_FATAL(!regions_find(&m, &t->frame, &few, &once));
        const imp_regions
            x = {again.count,    again.of,      again.faces,    again.face,       again.share,
                 again.partings, again.parting, again.contours, again.of_contour, 0},
            y = {once.count,    once.of,      once.faces,    once.face,       once.share,
                 once.partings, once.parting, once.contours, once.of_contour, 0};
        EXPECT(same_regions(&x, &y), "scene %zu", i);
        CU_ASSERT(!memcmp(again.of_row, once.of_row, 2 * few.count * sizeof *once.of_row));
        regions_free(&m, &once);
    }
    regions_free(&m, &again);
    for (size_t i = 0; i < SCENES; i++)
        scene_free(&s[i]);
    mem_close(&m);
}

/* The regions of rows are those of their contours, at most. */
static void test_rows(void)
{
    region_scene s = {0};
    region_set set = {0};
    mem m = {0};
    scene_box(&s, 4, (double[]){0, 0, 0}, (double[]){2, 2, 2});
    scene_box(&s, 4, (double[]){1.5, 1.25, 1.75}, (double[]){3, 3, 3});
    scene_box(&s, 2, (double[]){-1, -1, -1}, (double[]){0.5, 0.25, 0.75});
    scene_regions(&s);
    CU_ASSERT_FATAL(!regions_find(&m, &s.frame, &s.contacts, &set));
    CU_ASSERT(set.count == 4 && set.of[0].object == 2 && set.of[1].other == 2);
    for (size_t i = 0; i < s.contacts.count; i++) {
        const int self = s.object[s.a[i]] == s.object[s.b[i]];
        const int64_t *of = set.of_row + 2 * i;
        if (s.kind[i] == IMP_KIND_SEGMENT)
            CU_ASSERT(self ? of[0] == 2 && of[1] == 3 : of[0] == 1 && of[1] == 0);
    }
    regions_free(&m, &set);
    scene_free(&s);
    /* a sheet in the plane of another one: only contacts at its border bound a region */
    scene_sheet(&s, 0, 6, 6, (double[]){0, 0, 0}, (double[]){6, 0, 0}, (double[]){0, 6, 0});
    scene_sheet(&s, 1, 4, 4, (double[]){1.25, 1.5, 0}, (double[]){4, 0, 0}, (double[]){0, 4, 0});
    scene_contacts_of(&s, IMP_PAIRS_BETWEEN);
    CU_ASSERT_FATAL(!regions_find(&m, &s.frame, &s.contacts, &set));
    int none = 0;
    for (size_t i = 0; i < s.contacts.count; i++) {
        const uint32_t square = (s.b[i] - 72) / 2, x = square / 4, y = square % 4;
        if (s.kind[i] == IMP_KIND_AREA && (x - 1) < 2 && (y - 1) < 2) {
            none++;
            CU_ASSERT(set.of_row[2 * i] == -1 && set.of_row[2 * i + 1] == -1);
        }
    }
    CU_ASSERT(none > 8 && set.count == 1 && set.of[0].object == 0);
    regions_free(&m, &set);
    mem_close(&m);
    scene_free(&s);
}

/* Faces without an area side by side, segments that cross in a face, loops in it. */
static void mixed_make(region_scene *s)
{
    static const double y[5] = {-1, -0.75, -0.625, 0.375, 1};
    static const uint32_t face[8][3] = {{5, 0, 1}, {5, 1, 2}, {5, 2, 3}, {5, 3, 4},
                                        {0, 2, 1}, {0, 3, 2}, {0, 4, 3}, {4, 0, 6}};
    for (int i = 0; i < 5; i++)
        scene_vertex(s, 0, y[i], 0);
    scene_vertex(s, -1, -1, 0);
    scene_vertex(s, 1, 0, 0);
    for (int i = 0; i < 8; i++)
        scene_face(s, 0, face[i][0], face[i][1], face[i][2]);
    scene_box(s, 1, (double[]){-0.25, -0.25, -0.5}, (double[]){0.25, 0.125, 0.5});
    for (int i = 0; i < 3; i++) {
        const double h = 0.0625 * (i + 2);
        scene_box(s, 1, (double[]){0.5, -h, -h}, (double[]){0.5 + h, h, h});
    }
}

static void memory_of(region_scene *s)
{
    imp_regions *r = NULL;
    scene_regions(s);
    armed = 1;
    fails_at = -1;
    allocations = 0;
    CU_ASSERT_FATAL(!imp_regions_find(&s->frame, &s->contacts, &r));
    CU_ASSERT(same_regions(r, s->found));
    imp_regions_free(r);
    const long all = allocations;
    EXPECT(all > 60, "only %ld allocations", all);
    for (fails_at = 0; fails_at < all; fails_at++) {
        allocations = 0;
        const int err = imp_regions_find(&s->frame, &s->contacts, &r);
        EXPECT(err == IMP_ERR_MEMORY && !r, "allocation %ld: %d", fails_at, err);
    }
    armed = 0;
    scene_free(s);
}

static void test_regions_memory(void)
{
    region_scene s = {0}, t = {0};
    bumpy_make(&s, 5);
    memory_of(&s);
    mixed_make(&t);
    memory_of(&t);
}

static void test_regions_modes(void)
{
    region_scene s = {0};
    bumpy_make(&s, 5);
    for (uint32_t i = 0; i < 3 * s.vertices; i++)
        s.point[i] *= 0x1p-1060; /* denormals */
    scene_regions(&s);
    for (const mode *m = modes; m->name; m++) {
        imp_regions *r = NULL;
        mode_set(m);
        const int err = imp_regions_find(&s.frame, &s.contacts, &r);
        const int same = mode_is(m);
        mode_set(modes);
        EXPECT(!err && same && same_regions(r, s.found), "%s: %d %d", m->name, err, same);
        imp_regions_free(r);
    }
    scene_free(&s);
}

static void test_regions_threads(void)
{
    enum { CALLS = 16 };
    region_scene s = {0};
    imp_regions *r[CALLS] = {NULL};
    bumpy_make(&s, 5);
    scene_regions(&s);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < CALLS; i++)
        (void)imp_regions_find(&s.frame, &s.contacts, &r[i]);
    for (int i = 0; i < CALLS; i++) {
        CU_ASSERT_FATAL(r[i] && same_regions(r[i], s.found));
        imp_regions_free(r[i]);
    }
    scene_free(&s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"again", test_again},
                                 {"rows", test_rows},
                                 {"permuted", test_permuted},
                                 {"scaled", test_scaled},
                                 {"single", test_single},
                                 {"euler", test_euler},
                                 {"left_out", test_left_out},
                                 {"none", test_none},
                                 {"wrong", test_regions_wrong},
                                 {"other_frame", test_other_frame},
                                 {"memory", test_regions_memory},
                                 {"modes", test_regions_modes},
                                 {"threads", test_regions_threads},
                                 {0}};
    const int failed = test_main(argc, argv, "region_calls", tests);
    scenes_end();
    return failed;
}
