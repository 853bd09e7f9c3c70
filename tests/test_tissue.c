/* The scenes of tetrahedra: positive volumes, meshes that fit, and contacts where they should be.
 */
#include "expect.h"
#include "frame.h"
#include "scene.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static scene *make(const char *name, uint64_t primitives, uint64_t frames, uint64_t seed,
                   const scene_value *value)
{
    scene *s = NULL;
    scene_def def = {name, primitives, frames, seed, value, 0};
    while (value && value[def.values].name)
        def.values++;
    int err = scene_create(&def, &s);
    EXPECT(!err, "%s %llu: %s", name, (unsigned long long)primitives, imp_error_text());
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

static imp_frame next(scene *s)
{
    imp_frame f = {0};
    double time;
    CU_ASSERT_FATAL(!scene_next(s, &f, &time));
    return f;
}

static const double *place(const imp_frame *f, uint32_t vertex)
{
    return (const double *)f->point + (size_t)3 * vertex;
}

static double volume(const imp_frame *f, uint32_t i)
{
    const double *a = place(f, mesh_vertex(f->mesh, i, 0));
    double e[3][3];
    for (uint32_t k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            e[k][d] = place(f, mesh_vertex(f->mesh, i, k + 1))[d] - a[d];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

/* The volume of all tetrahedra; *least: of the smallest one over the mean. */
static double volumes(const imp_frame *f, double *least)
{
    double sum = 0, small = INFINITY;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->mesh->primitives; i++)
        if (mesh_own(f->mesh, i) == IMP_TETRAHEDRA) {
            double v = volume(f, i);
            sum += v;
            small = v < small ? v : small;
            n++;
        }
    *least = small / (sum / n);
    return sum;
}

static imp *open_pipeline(void)
{
    imp *p = NULL;
    CU_ASSERT_FATAL(!imp_create(&(imp_def){.device = "cpu"}, &p));
    return p;
}

/* contacts within the tissue, which is object 0, and with what else there is */
typedef struct sides {
    const int32_t *object;
    uint64_t self, between, others;
} sides;

static int on_sides(void *user, const imp_contacts *c)
{
    sides *n = user;
    for (size_t i = 0; i < c->count; i++) {
        int a = n->object[c->a[i]] == 0, b = n->object[c->b[i]] == 0;
        n->self += a && b;
        n->between += a != b;
        n->others += !a && !b;
    }
    return 0;
}

static sides contacts(imp *p, const imp_frame *f)
{
    sides n = {.object = f->mesh->object};
    CU_ASSERT_EQUAL(imp_detect(p, f, 1, on_sides, &n, NULL), 0);
    return n;
}

/* ---- tissue-fold */

static void test_fold_volumes(void)
{
    static const uint64_t sizes[] = {1, 100, 500, 1000, 3000, 12000, 60000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int begin = 0; begin <= 40; begin += 20) {
            scene *s = make("tissue-fold", sizes[i], 1, i,
                            (scene_value[]){{"begin", begin}, {"overlap", 0.9}, {0}});
            imp_frame f = next(s);
            double least, all = volumes(&f, &least);
            EXPECT(least > 0.1, "%llu, frame %d: the smallest has %g of the mean",
                   (unsigned long long)sizes[i], begin, least);
            CU_ASSERT(sizes[i] < 3000 || (all > 0.2 && all < 0.25));
            scene_destroy(s);
        }
}

/* It meets itself where its layers do, and only while they do. */
static void test_fold_contacts(void)
{
    static const double overlaps[] = {0, 0.3, 0.6};
    imp *p = open_pipeline();
    uint64_t most = 0;
    for (int i = 0; i < 3; i++) {
        scene *s = make("tissue-fold", 3000, 41, 1, (scene_value[]){{"overlap", overlaps[i]}, {0}});
        uint64_t before = most;
        most = 0;
        for (int k = 0; k < 41; k++) {
            imp_frame f = next(s);
            sides n = contacts(p, &f);
            EXPECT(k > 25 || n.self == 0, "frame %d: %llu contacts", k, (unsigned long long)n.self);
            CU_ASSERT(n.between == 0 && n.others == 0);
            most = n.self > most ? n.self : most;
        }
        EXPECT(i == 0 || (most > before && most > 50), "%llu contacts after %llu",
               (unsigned long long)most, (unsigned long long)before);
        scene_destroy(s);
    }
    imp_destroy(p);
}

/* A scene that begins later has the same frames. */
static void test_fold_begin(void)
{
    scene *all = make("tissue-fold", 1000, 8, 3, NULL);
    scene *late = make("tissue-fold", 1000, 1, 3, (scene_value[]){{"begin", 7}, {0}});
    imp_frame f = {0}, g = next(late);
    for (int i = 0; i < 8; i++)
        f = next(all);
    CU_ASSERT(!memcmp(f.point, g.point, (size_t)24 * f.mesh->vertices));
    scene_destroy(all);
    scene_destroy(late);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"fold_volumes", test_fold_volumes},
                                 {"fold_contacts", test_fold_contacts},
                                 {"fold_begin", test_fold_begin},
                                 {0}};
    return test_main(argc, argv, "tissue", tests);
}
