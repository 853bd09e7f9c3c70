/* Steps of scenes: how far things move from frame to frame, and what they meet between frames. */
#include "expect.h"
#include "scene_frames.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double scenes_distance(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static int belongs(const imp_frame *f, uint32_t triangle, int32_t object)
{
    return !f->mesh->object || f->mesh->object[triangle] == object;
}

/* The mean side of an object's triangles. */
static double mean_side(const imp_frame *f, int32_t object)
{
    double sum = 0, number = 0;
    for (uint32_t t = 0; t < f->mesh->primitives; t++)
        for (int k = 0; k < 3 && belongs(f, t, object); k++, number++)
            sum += scenes_distance(scenes_corner(f, t, k), scenes_corner(f, t, (k + 1) % 3));
    return sum / number;
}

/* The next frame, the points of the previous one, which the caller frees, and the mean displacement
 * between them of the corners of an object's triangles. */
typedef struct stride {
    imp_frame f;
    double *point, way;
} stride;

static stride stride_on(scene *s, imp_frame from, int32_t object)
{
    const size_t n = 3 * (size_t)from.mesh->vertices;
    stride t = {.point = malloc(n * sizeof(double))};
    double corners = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(t.point);
    memcpy(t.point, from.point, n * sizeof *t.point);
    t.f = scenes_next(s);
    from.point = t.point;
    for (uint32_t i = 0; i < from.mesh->primitives; i++)
        for (int k = 0; k < 3 && belongs(&from, i, object); k++, corners++)
            t.way += scenes_distance(scenes_corner(&from, i, k), scenes_corner(&t.f, i, k));
    t.way /= corners;
    return t;
}

static scene *make_moving(const char *name, double speed)
{
    const scene_value value = {"speed", speed};
    const scene_def def = {name, 3000, 4, 1, &value, 1};
    scene *s = NULL;
    CU_ASSERT_FATAL(!scene_create(&def, &s));
    return s;
}

/* Contacts of one sheet with the other, and of each with itself, in the middle of the step. */
static sides midway(imp *p, const stride *t)
{
    imp_frame f = t->f;
    sides n = {.object = f.mesh->object};
    for (size_t i = 0; i < 3 * (size_t)f.mesh->vertices; i++)
        t->point[i] = 0.5 * (t->point[i] + ((const double *)f.point)[i]);
    f.point = t->point;
    scenes_count(p, &f, scenes_on_sides, &n);
    return n;
}

/* No frame has a contact, and each step has many. */
static void test_sheets(void)
{
    static const double speeds[] = {0.1, 1, 2, 30, 1e4};
    imp *p = scenes_open_pipeline(&(imp_def){.device = "cpu", .adjacent = IMP_ADJACENT_TEST});
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        scene *s = make_moving("sheets", speeds[i]);
        imp_frame f = scenes_next(s);
        const double want = speeds[i] * mean_side(&f, 1);
        CU_ASSERT_EQUAL(scenes_count(p, &f, NULL, NULL).contacts, 0);
        for (uint64_t k = 1; k < scene_frames(s); k++) {
            stride t = stride_on(s, f, 1);
            f = t.f;
            EXPECT(fabs(t.way / want - 1) < 0.02, "speed %g: %g, not %g", speeds[i], t.way, want);
            CU_ASSERT_EQUAL(scenes_count(p, &f, NULL, NULL).contacts, 0);
            sides n = midway(p, &t);
            EXPECT(n.between > 100 && n.self == 0, "speed %g: %llu and %llu contacts", speeds[i],
                   (unsigned long long)n.between, (unsigned long long)n.self);
            free(t.point);
        }
        scene_destroy(s);
    }
    imp_destroy(p);
}

/* Contacts of a step: the triangles that have one, and the times. */
typedef struct catch
{
    const int32_t *object;
    uint8_t *met;
    uint64_t wrong; /* within one sheet, or at the start */
    double first, last;
}
catch;

static int on_catch(void *user, const imp_contacts *c)
{
    catch *t = user;
    for (size_t i = 0; i < c->count; i++) {
        t->wrong += t->object[c->a[i]] == t->object[c->b[i]] || c->kind[i] >= IMP_KIND_AT_START;
        t->met[c->a[i]] = t->met[c->b[i]] = 1;
        t->first = fmin(t->first, c->toi[i]);
        t->last = fmax(t->last, c->toi[i]);
    }
    return 0;
}

static void check_catch(imp *p, double speed)
{
    scene *s = make_moving("sheets", speed);
    imp_frame f[2] = {scenes_next(s)};
    stride t = stride_on(s, f[0], 1);
    f[0].point = t.point;
    f[1] = t.f;
    const imp_mesh *m = f[0].mesh;
    catch c = {m->object, calloc(m->primitives, 1), 0, 2, -1};
    CU_ASSERT_PTR_NOT_NULL_FATAL(c.met);
    CU_ASSERT_FATAL(!imp_detect(p, f, 2, on_catch, &c, NULL));
    uint32_t missed = 0;
    for (uint32_t i = 0; i < m->primitives; i++)
        missed += m->object[i] && !c.met[i];
    EXPECT(!missed && !c.wrong, "speed %g: %u triangles missed, %llu wrong", speed, missed,
           (unsigned long long)c.wrong);
    EXPECT(c.first > 0.02 && c.last < 0.98 && (speed > 2 || c.last - c.first > 0.4),
           "speed %g: from %g to %g", speed, c.first, c.last);
    free(c.met);
    free(t.point);
    scene_destroy(s);
}

/* Every triangle of the moving sheet is detected in the step, however fast it is. */
static void test_caught(void)
{
    static const double speeds[] = {0.1, 1, 2, 30, 1000, 1e4};
    imp *p = scenes_open_pipeline(&(imp_def){.device = "cpu", .continuous = 1});
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        check_catch(p, speeds[i]);
    imp_destroy(p);
}

/* The displacement is that of the setting. */
static void test_fold_speed(void)
{
    static const double speeds[] = {0.5, 3};
    for (int i = 0; i < 2; i++) {
        scene *s = make_moving("cloth-fold", speeds[i]);
        imp_frame f = scenes_next(s);
        const double want = speeds[i] * mean_side(&f, 0);
        for (uint64_t k = 1; k < scene_frames(s); k++) {
            stride t = stride_on(s, f, 0);
            f = t.f;
            EXPECT(fabs(t.way / want - 1) < 0.1, "speed %g: %g, not %g", speeds[i], t.way, want);
            free(t.point);
        }
        scene_destroy(s);
    }
}

/* Contacts of a step: all, and those at its start. */
typedef struct onset {
    uint64_t all, start;
} onset;

static int on_onset(void *user, const imp_contacts *c)
{
    onset *n = user;
    n->all += c->count;
    for (size_t i = 0; i < c->count; i++)
        n->start += c->kind[i] >= IMP_KIND_AT_START;
    return 0;
}

/* From an even frame to an odd one: the even one has no contact, the step has some. */
static void check_layers(imp *still, imp *swept, uint64_t triangles, uint64_t seed)
{
    const scene_value value[] = {{"crumple", 0.2}, {"gap", 1.3}, {"speed", 0.5}};
    const scene_def def = {"cloth-fold", triangles, 4, seed, value, 3};
    scene *s = NULL;
    CU_ASSERT_FATAL(!scene_create(&def, &s));
    for (uint64_t k = 0; k < scene_frames(s); k += 2) {
        imp_frame f[2] = {scenes_next(s)};
        const double want = 0.5 * mean_side(&f[0], 0);
        CU_ASSERT_EQUAL(scenes_count(still, &f[0], NULL, NULL).contacts, 0);
        stride t = stride_on(s, f[0], 0);
        f[0].point = t.point;
        f[1] = t.f;
        onset n = {0};
        CU_ASSERT_FATAL(!imp_detect(swept, f, 2, on_onset, &n, NULL));
        const double each = (double)n.all / f[0].mesh->primitives;
        EXPECT(fabs(t.way / want - 1) < 0.1, "seed %llu: %g, not %g", (unsigned long long)seed,
               t.way, want);
        EXPECT(!n.start && each > 0.005 && each < 0.3, "seed %llu: %llu at the start, %g each",
               (unsigned long long)seed, (unsigned long long)n.start, each);
        free(t.point);
    }
    scene_destroy(s);
}

/* A cloth that is hardly crumpled, with gaps between its layers, touches itself only when shaken.
 */
static void test_fold_layers(void)
{
    imp *still = scenes_open_pipeline(&(imp_def){.device = "cpu", .adjacent = IMP_ADJACENT_TEST});
    imp *swept = scenes_open_pipeline(&(imp_def){.device = "cpu", .continuous = 1});
    for (uint64_t seed = 0; seed < 4; seed++) {
        check_layers(still, swept, 3000, seed);
        check_layers(still, swept, 20000, seed);
    }
    imp_destroy(still);
    imp_destroy(swept);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"sheets", test_sheets},
                                 {"caught", test_caught},
                                 {"fold_speed", test_fold_speed},
                                 {"fold_layers", test_fold_layers},
                                 {0}};
    return test_main(argc, argv, "scene_steps", tests);
}
