/* impinge_contours.h: contours of a scene that is known, wrong arguments, every allocation that
 * fails, the caller's floating-point environment, threads. tests/oracles/contours.py judges the
 * curves of many scenes. */
#include "impinge_contours.h"

#include "expect.h"
#include "forgetful.h"
#include "modes.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the scene: two squares in one plane, and one that stands in the greater of them */

enum { VERTICES = 12, TRIANGLES = 6, CONTACTS_MOST = 15 };

static const double scene_point[3 * VERTICES] = {
    0,    0,   0,  3,    0,   0,  3,    3,   0, 0,    3,   0, /* the first square */
    1,    1,   0,  2,    1,   0,  2,    2,   0, 1,    2,   0, /* a part of it */
    0.25, 0.5, -1, 2.25, 0.5, -1, 2.25, 0.5, 1, 0.25, 0.5, 1};
static const uint32_t scene_corner[3 * TRIANGLES] = {0, 1, 2, 0, 2, 3,  4, 5,  6,
                                                     4, 6, 7, 8, 9, 10, 8, 10, 11};
static const int32_t scene_object[TRIANGLES] = {0, 0, 1, 1, -2, -2};

/* Contacts of a frame, and their columns. */
typedef struct scene {
    imp_mesh mesh;
    imp_frame frame;
    imp_contacts contacts;
    uint32_t a[CONTACTS_MOST], b[CONTACTS_MOST];
    uint8_t kind[CONTACTS_MOST], end_features[4 * CONTACTS_MOST];
    double points[6 * CONTACTS_MOST];
    double point[3 * VERTICES];
    uint32_t corner[3 * TRIANGLES];
} scene;

static int scene_sink(void *user, const imp_contacts *c)
{
    scene *s = user;
    const size_t at = s->contacts.count, n = c->count;
    if (at + n > CONTACTS_MOST)
        return 1;
    memcpy(s->a + at, c->a, n * sizeof *c->a);
    memcpy(s->b + at, c->b, n * sizeof *c->b);
    memcpy(s->kind + at, c->kind, n);
    memcpy(s->end_features + 4 * at, c->end_features, 4 * n);
    memcpy(s->points + 6 * at, c->points, 6 * n * sizeof *c->points);
    s->contacts.count += n;
    return 0;
}

static void scene_detect(scene *s)
{
    imp *p = NULL;
    CU_ASSERT_FATAL(!imp_create(&(imp_def){.device = "cpu", .end_features = 1}, &p));
    CU_ASSERT_FATAL(!imp_detect(p, &s->frame, 1, scene_sink, s, NULL));
    imp_destroy(p);
    CU_ASSERT_FATAL(s->contacts.count > 6);
}

/* A copy with its contacts, which are found once. */
static void squares_make(scene *s)
{
    static scene found;
    *s = found;
    memcpy(s->point, scene_point, sizeof s->point);
    memcpy(s->corner, scene_corner, sizeof s->corner);
    s->mesh = (imp_mesh){
        .vertices = VERTICES, .primitives = TRIANGLES, .corner = s->corner, .object = scene_object};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point, .type = IMP_FLOAT64};
    s->contacts = (imp_contacts){.count = found.contacts.count,
                                 .a = s->a,
                                 .b = s->b,
                                 .kind = s->kind,
                                 .end_features = s->end_features,
                                 .points = s->points};
    if (!s->contacts.count) {
        scene_detect(s);
        found = *s;
    }
}

static int same_contours(const imp_contours *x, const imp_contours *y)
{
    int same = x->count == y->count && x->points == y->points && x->without == y->without &&
               !memcmp(x->point, y->point, 3 * x->points * sizeof *x->point);
    for (size_t i = 0; i < x->count && same; i++) {
        const imp_contour *p = &x->contour[i], *q = &y->contour[i];
        same = p->a == q->a && p->b == q->b && p->closed == q->closed && p->first == q->first &&
               p->points == q->points && p->length == q->length;
    }
    return same;
}

/* ---- what is found */

/* On the border of the second square, all around. */
static void check_border(const imp_contours *c, const imp_contour *of)
{
    CU_ASSERT(of->a == 0 && of->b == 1 && of->closed && of->length == 4 && of->points >= 4);
    for (size_t i = of->first; i < of->first + of->points; i++) {
        const double *x = c->point + 3 * i;
        const double from = fmax(fabs(x[0] - 1.5), fabs(x[1] - 1.5));
        EXPECT(from == 0.5 && x[2] == 0, "%g %g %g is not on the border", x[0], x[1], x[2]);
    }
}

static void check_line(const imp_contours *c, const imp_contour *of)
{
    const double *x = c->point + 3 * of->first, *y = x + 3 * (of->points - 1);
    CU_ASSERT(of->a == -2 && of->b == 0 && !of->closed && of->length == 2 && of->points >= 2);
    CU_ASSERT(x[1] == 0.5 && y[1] == 0.5 && x[2] == 0 && y[2] == 0);
    CU_ASSERT(fmin(x[0], y[0]) == 0.25 && fmax(x[0], y[0]) == 2.25);
}

static void test_found(void)
{
    scene s;
    squares_make(&s);
    imp_contours *c = NULL;
    CU_ASSERT_FATAL(!imp_contours_find(&s.frame, &s.contacts, &c));
    CU_ASSERT_FATAL(c->count == 2 && c->without == 0);
    CU_ASSERT(c->contour[0].first == 0 && c->contour[1].first == c->contour[0].points);
    CU_ASSERT(c->points == c->contour[0].points + c->contour[1].points);
    check_border(c, &c->contour[0]);
    check_line(c, &c->contour[1]);
    imp_contours_free(c);
    imp_contours_free(NULL);
}

/* float32; the third square's contacts alone, which need no points; no contacts. */
static void test_parts(void)
{
    scene s;
    imp_contours *c = NULL;
    float single[3 * VERTICES];
    squares_make(&s);
    for (int i = 0; i < 3 * VERTICES; i++)
        single[i] = (float)s.point[i];
    imp_frame frame = s.frame;
    frame.point = single;
    frame.type = IMP_FLOAT32;
    imp_contours *want = NULL;
    CU_ASSERT_FATAL(!imp_contours_find(&s.frame, &s.contacts, &want));
    CU_ASSERT_FATAL(!imp_contours_find(&frame, &s.contacts, &c));
    CU_ASSERT(same_contours(c, want));
    imp_contours_free(c);
    imp_contours_free(want);

    frame.point = NULL;
    frame.type = 9;
    size_t kept = 0;
    for (size_t i = 0; i < s.contacts.count; i++)
        if (s.b[i] > 3) {
            s.a[kept] = s.a[i];
            s.b[kept] = s.b[i];
            s.kind[kept] = s.kind[i];
            memmove(s.end_features + 4 * kept, s.end_features + 4 * i, 4);
            memmove(s.points + 6 * kept++, s.points + 6 * i, 6 * sizeof *s.points);
        }
    s.contacts.count = kept;
    CU_ASSERT_FATAL(!imp_contours_find(&frame, &s.contacts, &c));
    CU_ASSERT_FATAL(c->count == 1);
    check_line(c, c->contour);
    imp_contours_free(c);

    const imp_mesh none = {0};
    CU_ASSERT_FATAL(!imp_contours_find(&(imp_frame){.mesh = &none}, &(imp_contacts){0}, &c));
    CU_ASSERT(c->count == 0 && c->points == 0 && c->without == 0);
    imp_contours_free(c);
}

/* Contacts of a tetrahedron count, and have none. */
static void test_tetrahedron(void)
{
    static const double point[] = {0, 0,  0,  1,  0,  0,  0, 1,  0,  0, 0,
                                   1, .1, .1, -1, .1, .2, 2, .3, .1, 2};
    static const uint32_t corner[] = {0, 1, 2, 3, 4, 5, 6, 0};
    static const uint8_t corner_count[] = {4, 3};
    static const uint32_t a = 0, b = 1;
    static const uint8_t kind = IMP_KIND_SOLIDS;
    uint8_t feature[] = {255, 255, 255, 255};
    static const double points[6];
    const imp_mesh mesh = {.vertices = 7,
                           .primitives = 2,
                           .corner = corner,
                           .corners = 4,
                           .corner_count = corner_count};
    const imp_frame frame = {.mesh = &mesh, .point = point};
    const imp_contacts one = {
        .count = 1, .a = &a, .b = &b, .kind = &kind, .points = points, .end_features = feature};
    imp_contours *c = NULL;
    CU_ASSERT_FATAL(!imp_contours_find(&frame, &one, &c));
    CU_ASSERT(c->count == 0 && c->without == 1);
    imp_contours_free(c);
    feature[2] = 0;
    CU_ASSERT(imp_contours_find(&frame, &one, &c) == IMP_ERR_ARGUMENT && !c);
    EXPECT(strstr(imp_error_text(), "feature 0 of a tetrahedron"), "%s", imp_error_text());
}

/* ---- wrong arguments */

typedef struct wrong {
    const char *says;
    void (*make)(scene *s);
} wrong;

static void wrong_mesh(scene *s)
{
    s->frame.mesh = NULL;
}

static void wrong_corners(scene *s)
{
    s->mesh.corners = 5;
}

static void wrong_corner(scene *s)
{
    s->mesh.corner = NULL;
}

static void wrong_ends(scene *s)
{
    s->contacts.points = NULL;
}

static void wrong_features(scene *s)
{
    s->contacts.end_features = NULL;
}

static void wrong_primitive(scene *s)
{
    s->b[s->contacts.count - 1] = TRIANGLES;
}

static void wrong_pair(scene *s)
{
    s->b[0] = s->a[0];
}

static void wrong_order(scene *s)
{
    s->a[1] = s->a[0];
    s->b[1] = s->b[0];
}

static void wrong_kind(scene *s)
{
    s->kind[1] = IMP_KIND_VERTEX_FACE;
}

static void wrong_candidate(scene *s)
{
    s->kind[0] = IMP_KIND_CANDIDATE;
}

static void wrong_feature(scene *s)
{
    s->end_features[4] = IMP_END_FACE + 1;
}

static void wrong_none(scene *s)
{
    s->end_features[7] = IMP_END_NONE;
}

static void wrong_end(scene *s)
{
    s->points[3] = NAN;
}

static void wrong_vertex(scene *s)
{
    s->corner[0] = VERTICES;
}

static void wrong_point(scene *s)
{
    s->frame.point = NULL;
}

static void wrong_type(scene *s)
{
    s->frame.type = 2;
}

static void wrong_infinite(scene *s)
{
    s->point[13] = INFINITY;
}

static const wrong wrongs[] = {{"mesh or contacts is NULL", wrong_mesh},
                               {"primitives of 5 corners", wrong_corners},
                               {"corner is NULL", wrong_corner},
                               {"kind or points of", wrong_ends},
                               {"without end_features", wrong_features},
                               {"and 6: not two of 6", wrong_primitive},
                               {"primitives 0 and 0: not two", wrong_pair},
                               {"contact 1, of primitives 0 and 2, comes after", wrong_order},
                               {"contact 1 has kind 6", wrong_kind},
                               {"contact 0 has kind 0", wrong_candidate},
                               {"contact 1 has end feature 7 of a triangle", wrong_feature},
                               {"contact 1 has end feature 255 of a triangle", wrong_none},
                               {"a point of contact 0 is not finite", wrong_end},
                               {"triangle 0 is vertex 12, but there are 12", wrong_vertex},
                               {"point is NULL", wrong_point},
                               {"no type 2", wrong_type},
                               {"vertex 4 of triangle 2 is not finite", wrong_infinite}};

static void test_contours_wrong(void)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        scene s;
        imp_contours *c = (void *)&s;
        squares_make(&s);
        wrongs[i].make(&s);
        const int err = imp_contours_find(&s.frame, &s.contacts, &c);
        EXPECT(err == IMP_ERR_ARGUMENT && !c, "%s: %d", wrongs[i].says, err);
        EXPECT(strstr(imp_error_text(), wrongs[i].says), "'%s', not '%s'", imp_error_text(),
               wrongs[i].says);
    }
    scene s;
    squares_make(&s);
    CU_ASSERT(imp_contours_find(&s.frame, &s.contacts, NULL) == IMP_ERR_ARGUMENT);
    imp_contours *c = NULL;
    CU_ASSERT(imp_contours_find(NULL, &s.contacts, &c) == IMP_ERR_ARGUMENT);
    CU_ASSERT(imp_contours_find(&s.frame, NULL, &c) == IMP_ERR_ARGUMENT);
}

/* ---- memory, environments, threads */

static int armed;
static long allocations, fails_at;

int forgetful(void)
{
    return armed && allocations++ == fails_at;
}

static void test_contours_memory(void)
{
    scene s;
    imp_contours *want = NULL;
    squares_make(&s);
    armed = 1;
    fails_at = -1;
    allocations = 0;
    CU_ASSERT_FATAL(!imp_contours_find(&s.frame, &s.contacts, &want));
    const long all = allocations;
    EXPECT(all > 8, "only %ld allocations", all);
    for (fails_at = 0; fails_at < all; fails_at++) {
        imp_contours *c = NULL;
        allocations = 0;
        const int err = imp_contours_find(&s.frame, &s.contacts, &c);
        EXPECT(err == IMP_ERR_MEMORY && !c, "allocation %ld: %d", fails_at, err);
    }
    armed = 0;
    imp_contours_free(want);
}

static void test_contours_modes(void)
{
    scene s;
    imp_contours *want = NULL;
    squares_make(&s);
    for (int i = 0; i < 3 * VERTICES; i++)
        s.point[i] *= 0x1p-1071; /* denormals */
    for (size_t i = 0; i < 6 * s.contacts.count; i++)
        s.points[i] *= 0x1p-1071;
    for (const mode *m = modes; m->name; m++) {
        imp_contours *c = NULL;
        mode_set(m);
        const int err = imp_contours_find(&s.frame, &s.contacts, &c);
        const int same = mode_is(m);
        mode_set(modes);
        want = want ? want : c;
        EXPECT(!err && same && same_contours(c, want), "%s: %d %d", m->name, err, same);
        if (c != want)
            imp_contours_free(c);
    }
    imp_contours_free(want);
}

static void test_threads(void)
{
    enum { CALLS = 64 };
    scene s;
    imp_contours *c[CALLS] = {NULL};
    squares_make(&s);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < CALLS; i++)
        (void)imp_contours_find(&s.frame, &s.contacts, &c[i]);
    for (int i = 0; i < CALLS; i++)
        CU_ASSERT_FATAL(c[i] && same_contours(c[i], c[0]));
    for (int i = 0; i < CALLS; i++)
        imp_contours_free(c[i]);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"found", test_found},
                                 {"parts", test_parts},
                                 {"tetrahedron", test_tetrahedron},
                                 {"wrong", test_contours_wrong},
                                 {"memory", test_contours_memory},
                                 {"modes", test_contours_modes},
                                 {"threads", test_threads},
                                 {0}};
    return test_main(argc, argv, "contours", tests);
}
