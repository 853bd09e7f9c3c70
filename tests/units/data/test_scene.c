/* The procedural scenes: valid meshes at any size, and the property for which each was made; what
 * happens between frames: test_scene_steps.c. test_golden.c checks that they are the same bytes
 * everywhere. */
#include "expect.h"
#include "frame.h"
#include "made.h"
#include "bodies.h"
#include "scene.h"
#include "scene_frames.h"
#include "scene_math.h"
#include "testlib.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- allocations that fail */

static int64_t allocations_left = -1; /* before one fails; below 0: never */

void *__real_calloc(size_t n, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);

static int scenes_fails(void)
{
    return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return scenes_fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
    return scenes_fails() ? NULL : __real_aligned_alloc(align, bytes);
}

/* ---- helpers */

static scene *scenes_make(const char *name, uint64_t primitives, uint64_t frames, uint64_t seed)
{
    scene *s = NULL;
    const scene_def def = {name, primitives, frames, seed};
    int err = scene_create(&def, &s);
    EXPECT(!err, "%s %llu: %s", name, (unsigned long long)primitives, imp_error_text());
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

/* ---- every scene */

static int is_sound(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    for (size_t i = 0; i < 3 * (size_t)m->vertices; i++)
        if (!(fabs(((const double *)f->point)[i]) < 1e9))
            return 0;
    for (size_t i = 0; i < m->primitives; i++)
        for (uint32_t k = 0; k < mesh_corners_of(m, i); k++) {
            if (mesh_vertex(m, i, k) >= m->vertices)
                return 0;
            for (uint32_t l = 0; l < k; l++)
                if (mesh_vertex(m, i, k) == mesh_vertex(m, i, l))
                    return 0;
        }
    return 1;
}

/* Seconds from frame to frame by default. */
static double scenes_step(const char *name)
{
    scene_setting t;
    for (size_t i = 0; scene_setting_at(name, i, &t); i++)
        if (!strcmp(t.name, "step"))
            return t.value;
    return 0.04;
}

/* Returns whether each vertex of a body is at the position given by its pose. */
static int is_posed(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    for (size_t i = 0; i < m->primitives; i++) {
        uint32_t b = 0;
        while (b < m->bodies && m->body[b] != m->object[i])
            b++;
        if (b == m->bodies)
            continue;
        const pose_map map = pose_map_of(&f->pose[b]);
        if (!pose_is_unit(f->pose[b].rotation))
            return 0;
        for (uint32_t k = 0; k < mesh_corners_of(m, i); k++) {
            const size_t v = (size_t)3 * mesh_vertex(m, i, k);
            const double *p = m->rest + v, *x = (const double *)f->point + v;
            double want[3], r = hypot(hypot(p[0], p[1]), p[2]);
            pose_put(&map, p, want);
            for (int d = 0; d < 3; d++)
                if (!(fabs(x[d] - want[d]) <= pose_tolerance(&f->pose[b], r, f->type)))
                    return 0;
        }
    }
    return 1;
}

static void check_scenes_size(const scene_entry *e, uint64_t primitives, uint64_t frames)
{
    scene *s = scenes_make(e->name, primitives, frames, 5);
    const imp_mesh *m = scene_mesh(s);
    double off = fabs((double)m->primitives - (double)primitives) / (double)primitives;
    CU_ASSERT_EQUAL((int)mesh_corners(m), e->corners);
    EXPECT(off < 0.05 || m->primitives <= 80 || (primitives < 3000 && off < 0.5),
           "%s: %u primitives for %llu", e->name, m->primitives, (unsigned long long)primitives);
    CU_ASSERT_EQUAL(scene_frames(s), frames ? frames : e->frames);
    for (uint64_t i = 0; i < scene_frames(s); i++) {
        imp_frame f = {0};
        double time = -1;
        CU_ASSERT(!scene_next(s, &f, &time));
        CU_ASSERT(f.mesh == scene_mesh(s) && (f.mesh == m || scene_ids(s)));
        CU_ASSERT(f.number == i && f.type == IMP_FLOAT64);
        EXPECT(is_sound(&f), "%s %llu: frame %llu", e->name, (unsigned long long)primitives,
               (unsigned long long)i);
        EXPECT(!f.mesh->bodies || is_posed(&f), "%s %llu: frame %llu: not where its poses are",
               e->name, (unsigned long long)primitives, (unsigned long long)i);
        CU_ASSERT_DOUBLE_EQUAL(time, scenes_step(e->name) * (double)i, 1e-12);
    }
    imp_frame f;
    double time;
    CU_ASSERT_EQUAL(scene_next(s, &f, &time), IMP_ERR_ARGUMENT);
    scene_destroy(s);
}

static void test_scenes_sizes(void)
{
    static const uint64_t sizes[] = {1, 2, 3, 13, 100, 1000, 3000, 20011};
    scene_entry e;
    for (size_t i = 0; scene_at(i, &e); i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            check_scenes_size(&e, sizes[k], 2);
        check_scenes_size(&e, 100, 40);
        scene *s = scenes_make(e.name, 0, 0, 0);
        double off = fabs((double)scene_mesh(s)->primitives - (double)e.primitives);
        CU_ASSERT(off < 0.01 * (double)e.primitives);
        CU_ASSERT_EQUAL(scene_frames(s), e.frames);
        scene_destroy(s);
    }
}

static unsigned long long hash_of_seed(const char *name, uint64_t seed)
{
    made m;
    CU_ASSERT_FATAL(made_procedural(name, 500, 3, seed, &m));
    unsigned long long hash = made_hash(&m);
    made_free(&m);
    return hash;
}

static void test_seeds(void)
{
    scene_entry e;
    for (size_t i = 0; scene_at(i, &e); i++) {
        unsigned long long a = hash_of_seed(e.name, 0), b = hash_of_seed(e.name, 1);
        EXPECT(a == hash_of_seed(e.name, 0), "%s: another one each time", e.name);
        EXPECT(a != b && b != hash_of_seed(e.name, UINT64_MAX), "%s: the seed does nothing",
               e.name);
    }
}

/* Mean displacement of a vertex from frame to frame, in mean edges. */
static void check_motion(const scene_entry *e)
{
    scene *s = scenes_make(e->name, 2000, 6, 0);
    size_t n = 3 * (size_t)scene_mesh(s)->vertices;
    double way = 0, edge = 0, *old = malloc(n * sizeof *old);
    imp_frame f = scenes_next(s);
    CU_ASSERT_PTR_NOT_NULL_FATAL(old);
    for (uint64_t frame = 1; frame < 6; frame++) {
        memcpy(old, f.point, n * sizeof *old);
        f = scenes_next(s);
        for (size_t i = 0; i < n; i++)
            way += fabs(((const double *)f.point)[i] - old[i]) / (double)n / 5;
    }
    for (uint32_t t = 0; t < f.mesh->primitives; t++)
        for (int k = 0; k < 3; k++)
            edge += fabs(scenes_corner(&f, t, 0)[k] - scenes_corner(&f, t, 1)[k]) /
                    (3.0 * f.mesh->primitives);
    EXPECT(way > 0 && way < 2 * edge, "%s moves %g, edges are %g", e->name, way, edge);
    free(old);
    scene_destroy(s);
}

static void test_motion(void)
{
    scene_entry e;
    for (size_t i = 0; scene_at(i, &e); i++)
        check_motion(&e);
}

static void check_scenes_error(const char *name, uint64_t primitives, int code, const char *text)
{
    scene *s = (scene *)&code;
    const scene_def def = {.name = name, .primitives = primitives};
    CU_ASSERT_EQUAL(scene_create(&def, &s), code);
    CU_ASSERT_PTR_NULL(s);
    EXPECT(strstr(imp_error_text(), text) != NULL, "'%s' lacks '%s'", imp_error_text(), text);
}

static void check_setting(const char *of, scene_value v, const char *text)
{
    scene *s = NULL;
    const scene_def def = {.name = of, .primitives = 100, .value = &v, .values = 1};
    CU_ASSERT_EQUAL(scene_create(&def, &s), text ? IMP_ERR_ARGUMENT : IMP_OK);
    EXPECT(!text || strstr(imp_error_text(), text), "'%s' lacks '%s'", imp_error_text(), text);
    scene_destroy(s);
}

static void test_scenes_settings(void)
{
    scene_setting t;
    scene_entry e;
    size_t all = 0;
    for (size_t i = 0; scene_at(i, &e); i++)
        for (size_t k = 0; scene_setting_at(e.name, k, &t); k++, all++) {
            check_setting(e.name, (scene_value){t.name, t.least}, NULL);
            check_setting(e.name, (scene_value){t.name, t.value}, NULL);
            check_setting(e.name, (scene_value){t.name, t.least - 1}, t.name);
            check_setting(e.name, (scene_value){t.name, 2 * t.most + 1}, t.name);
            check_setting(e.name, (scene_value){t.name, NAN}, t.name);
            check_setting(e.name, (scene_value){t.name, t.least + 0.25 * t.most},
                          t.whole && t.most < 4 ? t.name : NULL);
            check_setting("soup", (scene_value){t.name, t.value}, "no setting");
            CU_ASSERT(!t.words || (t.words[(int)t.most] && !t.words[(int)t.most + 1]));
        }
    CU_ASSERT(all > 0 && !scene_setting_at("soup", 0, &t) && !scene_setting_at("?", 0, &t));
    check_setting("tissue-fold", (scene_value){"begin", 0.5}, "whole");
    check_setting("missile", (scene_value){"target", 1}, NULL);
    check_setting("missile", (scene_value){"target", 0.5}, "whole");
}

static void test_scenes_errors(void)
{
    scene_entry e;
    check_scenes_error(NULL, 0, IMP_ERR_ARGUMENT, "no scene ''");
    check_scenes_error("", 0, IMP_ERR_ARGUMENT, "no scene ''");
    check_scenes_error("cloth", 0, IMP_ERR_ARGUMENT, "no scene 'cloth'");
    for (size_t i = 0; scene_at(i, &e); i++) {
        check_scenes_error(e.name, UINT64_C(1) << 31, IMP_ERR_ARGUMENT, "2147483648 primitives");
        check_scenes_error(e.name, UINT64_MAX, IMP_ERR_ARGUMENT, e.name);
    }
    check_scenes_error("soup", INT32_MAX, IMP_ERR_ARGUMENT, "vertices");
    scene_destroy(NULL);
}

static void test_scenes_memory(void)
{
    scene_entry e;
    for (size_t i = 0; scene_at(i, &e); i++)
        for (int64_t fail = 0;; fail++) {
            scene *s = NULL;
            const scene_def def = {.name = e.name, .primitives = 200};
            allocations_left = fail;
            int err = scene_create(&def, &s);
            allocations_left = -1;
            if (!err) {
                CU_ASSERT(fail > 2);
                scene_destroy(s);
                break;
            }
            EXPECT(err == IMP_ERR_MEMORY && !s, "%s: %d", e.name, err);
        }
}

/* ---- the purposes of scenes */

/* The greatest ratio of an edge of the cloth to its length at rest. */
static double stretch(const imp_frame *f, double rest)
{
    double most = 0;
    for (uint32_t t = 0; !f->mesh->object[t]; t += 2) {
        const double *a = scenes_corner(f, t, 0), *b = scenes_corner(f, t, 1);
        double d = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) / rest;
        most = d > most ? d : most;
    }
    return most;
}

static void test_cloth_ball(void)
{
    sides n = {0};
    imp *p = scenes_open_pipeline(&(imp_def){.device = "cpu"});
    for (uint64_t seed = 0; seed < test_count(1); seed++) {
        scene *s = scenes_make("cloth-ball", 0, 0, seed);
        uint64_t late = 0;
        for (uint64_t i = 0; i < scene_frames(s); i++) {
            imp_frame f = scenes_next(s);
            n = (sides){.object = f.mesh->object};
            scenes_count(p, &f, scenes_on_sides, &n);
            late += i >= 40 ? n.self : 0;
            EXPECT(i > 3 || n.self + n.between == 0, "it begins with contacts");
            EXPECT(i < 10 || n.between > 10, "%llu with the ball", (unsigned long long)n.between);
            double most = stretch(&f, 2.6 / 50);
            EXPECT(most < 1.2, "frame %llu: stretched by %g", (unsigned long long)i, most);
        }
        EXPECT(late > 500, "%llu contacts of the cloth with itself", (unsigned long long)late);
        scene_destroy(s);
    }
    imp_destroy(p);
}

/* All bounds overlap, whatever the k-DOP; hardly any triangles meet. */
static void test_scenes_hostile(void)
{
    static const int dops[] = {6, 8, 14, 18, 26};
    for (int k = 0; k < 5; k++) {
        imp *p = scenes_open_pipeline(&(imp_def){.device = "cpu", .dop_k = dops[k]});
        scene *s = scenes_make("hostile", 700, 1, 3);
        imp_frame f = scenes_next(s);
        imp_frame_info info = scenes_count(p, &f, NULL, NULL);
        CU_ASSERT_EQUAL(info.candidates, 700 * 699 / 2);
        CU_ASSERT(info.contacts > 0 && info.contacts < 20);
        scene_destroy(s);
        imp_destroy(p);
    }
}

static int count_last(void *user, const imp_contacts *c)
{
    uint64_t *n = user; /* the last triangle, its contacts */
    for (size_t i = 0; i < c->count; i++)
        n[1] += c->b[i] == n[0];
    return 0;
}

static void test_scenes_others(void)
{
    imp *p = scenes_open_pipeline(&(imp_def){.device = "cpu"});
    scene *s = scenes_make("flat", 5000, 1, 0);
    imp_frame f = scenes_next(s);
    imp_frame_info info = scenes_count(p, &f, NULL, NULL);
    CU_ASSERT(info.candidates > 10000 && info.contacts == 0);
    scene_destroy(s);

    s = scenes_make("giant", 5000, 1, 0);
    f = scenes_next(s);
    uint64_t last[2] = {scene_mesh(s)->primitives - 1, 0};
    scenes_count(p, &f, count_last, last);
    EXPECT(last[1] > 50, "%llu contacts of the giant", (unsigned long long)last[1]);
    scene_destroy(s);

    s = scenes_make("clusters", 5000, 1, 0);
    f = scenes_next(s);
    sides n = {.object = f.mesh->object};
    scenes_count(p, &f, scenes_on_sides, &n);
    CU_ASSERT(n.self > 100 && n.between == 0);
    scene_destroy(s);

    s = scenes_make("drape", 5000, 1, 0);
    f = scenes_next(s);
    n = (sides){.object = f.mesh->object};
    scenes_count(p, &f, scenes_on_sides, &n);
    CU_ASSERT(n.between > 100);
    scene_destroy(s);
    imp_destroy(p);
}

/* ---- scenes that resemble real ones */

static double longest_side(const imp_frame *f, uint32_t t)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = scenes_corner(f, t, k), *b = scenes_corner(f, t, (k + 1) % 3);
        most = fmax(most, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    return most;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Longest sides of triangles, sorted; the caller frees them. */
static double *scenes_sizes(const imp_frame *f)
{
    double *size = malloc(f->mesh->primitives * sizeof *size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(size);
    for (uint32_t t = 0; t < f->mesh->primitives; t++)
        size[t] = longest_side(f, t);
    qsort(size, f->mesh->primitives, sizeof *size, by_value);
    return size;
}

/* bench/outlier.py has the same sizes */
static void test_scenes_outlier(void)
{
    static const double sizes[] = {1, 2, 4, 7, 16, 64, 100, 1000, 1e4};
    scene *s = scenes_make("outlier", 10000, 0, 2);
    CU_ASSERT_EQUAL(scene_frames(s), 9);
    for (int i = 0; i < 9; i++) {
        imp_frame f = scenes_next(s);
        double *size = scenes_sizes(&f), median = size[f.mesh->primitives / 2];
        double got = longest_side(&f, f.mesh->primitives - 1) / median;
        EXPECT(fabs(got / sizes[i] - 1) < 0.05, "%g medians, not %g", got, sizes[i]);
        free(size);
    }
    scene_destroy(s);
}

/* The smallest, the 1st percentile, the 99th percentile and the largest size, in medians. */
static void check_scenes_sizes(const char *name, double least, double few, double many, double most)
{
    scene *s = scenes_make(name, 10000, 1, 0);
    imp_frame f = scenes_next(s);
    uint32_t n = f.mesh->primitives;
    double *size = scenes_sizes(&f), unit = 1 / size[n / 2];
    double low = size[0] * unit, high = size[n - 1] * unit;
    EXPECT(low < least && high > most, "%s: sizes from %g to %g medians", name, low, high);
    low = size[n / 100] * unit;
    high = size[n - 1 - n / 100] * unit;
    EXPECT(low < few && high > many, "%s: 98 %% from %g to %g medians", name, low, high);
    free(size);
    scene_destroy(s);
}

static void test_mixtures(void)
{
    check_scenes_sizes("mixed", 0.05, 0.2, 5, 15);
    check_scenes_sizes("press", 1, 1, 8, 8);
    check_scenes_sizes("scan", 0.2, 0.3, 1.8, 2);
}

static void test_scenes_touching(void)
{
    static const char *const names[] = {"press", "scan"};
    imp *p = scenes_open_pipeline(&(imp_def){.device = "cpu"});
    for (int i = 0; i < 2; i++) {
        scene *s = scenes_make(names[i], 10000, 1, 0);
        imp_frame f = scenes_next(s);
        sides n = {.object = f.mesh->object};
        scenes_count(p, &f, scenes_on_sides, &n);
        EXPECT(n.between > 100, "%s: %llu contacts", names[i], (unsigned long long)n.between);
        scene_destroy(s);
    }
    scene *s = scenes_make("creases", 10000, 1, 0);
    imp_frame f = scenes_next(s);
    imp_frame_info info = scenes_count(p, &f, NULL, NULL);
    EXPECT(info.contacts > 300, "creases: %llu contacts", (unsigned long long)info.contacts);
    scene_destroy(s);
    imp_destroy(p);
}

/* ---- rigid bodies */

/* Checks the number of contacts of frames, all of them between bodies. */
static void check_contacts(const char *name, uint64_t primitives, uint64_t least, uint64_t most)
{
    imp *p = scenes_open_pipeline(&(imp_def){.device = "cpu"});
    scene *s = scenes_make(name, primitives, 10, 3);
    for (uint64_t i = 0; i < 10; i++) {
        imp_frame f = scenes_next(s);
        sides n = {.object = f.mesh->object};
        scenes_count(p, &f, scenes_on_sides, &n);
        EXPECT(!n.self && n.between >= least && n.between <= most,
               "%s: frame %llu: %llu contacts, %llu within a body", name, (unsigned long long)i,
               (unsigned long long)n.between, (unsigned long long)n.self);
    }
    const imp_mesh *m = scene_mesh(s);
    uint64_t second = 0;
    for (uint32_t i = 0; i < m->primitives; i++)
        second += m->object[i] == 1;
    const double share = (double)second / m->primitives;
    EXPECT(!strcmp(name, "dense") ? share == 0.5 : share < 0.02, "%s: a part of %g", name, share);
    scene_destroy(s);
    imp_destroy(p);
}

static void test_rigid(void)
{
    check_contacts("organ", 20000, 10, 100);
    check_contacts("dense", 20000, 1000, 4000);
}

/* A cell as large as the mean edge, or four of them, hold the whole cloud. */
static void test_scenes_pile(void)
{
    scene *s = scenes_make("pile", 5000, 1, 0);
    imp_frame f = scenes_next(s);
    double edges = 0, low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (uint32_t t = 0; t < f.mesh->primitives; t++)
        for (int k = 0; k < 3; k++) {
            const double *a = scenes_corner(&f, t, k), *b = scenes_corner(&f, t, (k + 1) % 3);
            edges += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            for (int d = 0; d < 3 && !f.mesh->object[t]; d++) {
                low[d] = fmin(low[d], a[d]);
                high[d] = fmax(high[d], a[d]);
            }
        }
    for (int d = 0; d < 3; d++)
        CU_ASSERT(high[d] - low[d] < edges / (3.0 * f.mesh->primitives));
    scene_destroy(s);
}

/* ---- arithmetic */

static void check_close(const char *what, double x, double got, double want, double most)
{
    EXPECT(fabs(got - want) <= most, "%s(%.17g) = %.17g, not %.17g", what, x, got, want);
}

static void test_math(void)
{
    rng r = {11};
    for (uint64_t i = 0; i < test_count(100000); i++) {
        double x = (rng_unit(&r) - 0.5) * (i & 1 ? 20 : 1e6);
        check_close("sin", x, scene_sin(x), sin(x), 3e-16);
        check_close("cos", x, scene_cos(x), cos(x), 3e-16);
        check_close("floor", x, scene_floor(x), floor(x), 0);
        double e = x * 3e-4, c = fabs(x) + 1e-9;
        check_close("exp", e, scene_exp(e), exp(e), exp(e) * 1e-15);
        check_close("cbrt", c, scene_cbrt(c), cbrt(c), cbrt(c) * 1e-15);
    }
    static const double floors[] = {0,      -0.0,    1,      -1,        -0.5,
                                    0x1p52, -0x1p52, 0x1p60, -0x1.8p70, 1e300};
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++)
        check_close("floor", floors[i], scene_floor(floors[i]), floor(floors[i]), 0);
    check_close("sin", 0, scene_sin(0), 0, 0);
    check_close("cos", 0, scene_cos(0), 1, 0);
    check_close("exp", -701, scene_exp(-701), 0, 0);
    check_close("bounce", -0.25, scene_bounce(-0.25), 0.25, 0);
    check_close("bounce", 3.25, scene_bounce(3.25), 0.75, 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"math", test_math},
                                 {"sizes", test_scenes_sizes},
                                 {"seeds", test_seeds},
                                 {"motion", test_motion},
                                 {"errors", test_scenes_errors},
                                 {"settings", test_scenes_settings},
                                 {"memory", test_scenes_memory},
                                 {"cloth_ball", test_cloth_ball},
                                 {"hostile", test_scenes_hostile},
                                 {"others", test_scenes_others},
                                 {"outlier", test_scenes_outlier},
                                 {"mixtures", test_mixtures},
                                 {"touching", test_scenes_touching},
                                 {"rigid", test_rigid},
                                 {"pile", test_scenes_pile},
                                 {0}};
    return test_main(argc, argv, "scene", tests);
}
