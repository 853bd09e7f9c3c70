/* The scenes of tetrahedra: positive volumes, conforming meshes, and contacts at the intended
 * places. */
#include "expect.h"
#include "frame.h"
#include "scene.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static scene *tissue_make(const char *name, uint64_t primitives, uint64_t frames, uint64_t seed,
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

static imp_frame tissue_next(scene *s)
{
    imp_frame f = {0};
    double time;
    CU_ASSERT_FATAL(!scene_next(s, &f, &time));
    return f;
}

static const double *tissue_place(const imp_frame *f, uint32_t vertex)
{
    return (const double *)f->point + (size_t)3 * vertex;
}

static double volume(const imp_frame *f, uint32_t i)
{
    const double *a = tissue_place(f, mesh_vertex(f->mesh, i, 0));
    double e[3][3];
    for (uint32_t k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            e[k][d] = tissue_place(f, mesh_vertex(f->mesh, i, k + 1))[d] - a[d];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

/* The volume of all tetrahedra; *least: the smallest volume over the mean, 1 if there are no
 * tetrahedra. */
static double volumes(const imp_frame *f, double *least)
{
    double sum = 0, small = INFINITY;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->mesh->primitives; i++)
        if (mesh_corners_of(f->mesh, i) == IMP_TETRAHEDRA) {
            double v = volume(f, i);
            sum += v;
            small = v < small ? v : small;
            n++;
        }
    *least = n ? small / (sum / n) : 1;
    return sum;
}

static imp *tissue_open_pipeline(void)
{
    imp *p = NULL;
    CU_ASSERT_FATAL(!imp_create(&(imp_def){.device = "cpu"}, &p));
    return p;
}

/* contacts within the tissue, which is object 0, and with other objects */
typedef struct sides {
    const int32_t *object;
    uint64_t self, between, others;
} sides;

static int tissue_on_sides(void *user, const imp_contacts *c)
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

static sides tissue_contacts(imp *p, const imp_frame *f)
{
    sides n = {.object = f->mesh->object};
    CU_ASSERT_EQUAL(imp_detect(p, f, 1, tissue_on_sides, &n, NULL), 0);
    return n;
}

/* ---- tissue-fold */

static void test_fold_volumes(void)
{
    static const uint64_t sizes[] = {1, 100, 500, 1000, 3000, 12000, 60000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int begin = 0; begin <= 40; begin += 20) {
            scene *s = tissue_make("tissue-fold", sizes[i], 1, i,
                                   (scene_value[]){{"begin", begin}, {"overlap", 0.9}, {0}});
            imp_frame f = tissue_next(s);
            double least, all = volumes(&f, &least);
            EXPECT(least > 0.1, "%llu, frame %d: the smallest has %g of the mean",
                   (unsigned long long)sizes[i], begin, least);
            CU_ASSERT(sizes[i] < 3000 || (all > 0.2 && all < 0.25));
            scene_destroy(s);
        }
}

/* Contacts of all frames are computed in the soak only. */
static int passed_by(int frame)
{
    return test_count(1) < 2 && frame % (TEST_SLOW ? 10 : 4);
}

/* It meets itself exactly while its layers do, and only there. */
static void test_fold_contacts(void)
{
    static const double overlaps[] = {0, 0.3, 0.6};
    imp *p = tissue_open_pipeline();
    uint64_t most = 0;
    for (int i = 0; i < 3; i++) {
        scene *s =
            tissue_make("tissue-fold", 3000, 41, 1, (scene_value[]){{"overlap", overlaps[i]}, {0}});
        uint64_t before = most;
        most = 0;
        for (int k = 0; k < 41; k++) {
            imp_frame f = tissue_next(s);
            if (passed_by(k))
                continue;
            sides n = tissue_contacts(p, &f);
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
    scene *all = tissue_make("tissue-fold", 1000, 8, 3, NULL);
    scene *late = tissue_make("tissue-fold", 1000, 1, 3, (scene_value[]){{"begin", 7}, {0}});
    imp_frame f = {0}, g = tissue_next(late);
    for (int i = 0; i < 8; i++)
        f = tissue_next(all);
    CU_ASSERT(!memcmp(f.point, g.point, (size_t)24 * f.mesh->vertices));
    scene_destroy(all);
    scene_destroy(late);
}

/* ---- scalpel: its frames */

#define FRAMES 120
#define TOUCH 10 /* the blade is in the air before that frame */

static const scene_value still[] = {{"open", 0}, {"dent", 0}, {"burn", 0}, {0}};
static const scene_value widest[] = {
    {"open", 0.04}, {"dent", 0.08}, {"burn", 0.2}, {"depth", 0.9}, {0}};

static void check_cut_volumes(uint64_t size, uint64_t seed, const scene_value *value)
{
    scene *s = tissue_make("scalpel", size, FRAMES, seed, value);
    for (int k = 0; k < FRAMES; k++) {
        imp_frame f = tissue_next(s);
        double least;
        volumes(&f, &least);
        EXPECT(least > 1e-3, "%llu, seed %llu, frame %d: the smallest has %g of the mean",
               (unsigned long long)size, (unsigned long long)seed, k, least);
    }
    scene_destroy(s);
}

static void test_cut_volumes(void)
{
    static const uint64_t sizes[] = {1, 100, 300, 600, 2040};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t seed = 0; seed < test_count(2); seed++) {
            check_cut_volumes(sizes[i], seed, NULL);
            check_cut_volumes(sizes[i], seed, widest);
        }
    check_cut_volumes(20000, 1, widest);
}

/* The area vectors of the blade's triangles sum to zero, since it is closed; its volume does not,
 * since they point outwards. */
static void test_blade(void)
{
    static const uint64_t sizes[] = {1, 2040, 50000};
    for (int i = 0; i < 3; i++) {
        scene *s = tissue_make("scalpel", sizes[i], 1, 0, NULL);
        imp_frame f = tissue_next(s);
        double area[3] = {0}, inside = 0;
        for (uint32_t t = 0; f.mesh->object[t]; t++) {
            const double *a = tissue_place(&f, mesh_vertex(f.mesh, t, 0));
            const double *b = tissue_place(&f, mesh_vertex(f.mesh, t, 1));
            const double *c = tissue_place(&f, mesh_vertex(f.mesh, t, 2));
            for (int d = 0; d < 3; d++) {
                int p = (d + 1) % 3, q = (d + 2) % 3;
                double normal = (b[p] - a[p]) * (c[q] - a[q]) - (b[q] - a[q]) * (c[p] - a[p]);
                area[d] += normal;
                inside += normal * a[d] / 6;
            }
        }
        CU_ASSERT(fabs(area[0]) + fabs(area[1]) + fabs(area[2]) < 1e-12);
        EXPECT(inside > 2e-3 && inside < 5e-3, "%g", inside);
        scene_destroy(s);
    }
}

/* Halves have together the volume of the halved tetrahedron. */
static void test_cut_volume_stays(void)
{
    for (uint64_t seed = 0; seed < test_count(3); seed++) {
        scene *s = tissue_make("scalpel", 2040, FRAMES, seed, still);
        double least;
        for (int k = 0; k < FRAMES; k++) {
            imp_frame f = tissue_next(s);
            double all = volumes(&f, &least);
            EXPECT(fabs(all / 1.2 - 1) < 1e-12, "frame %d: %.17g", k, all);
        }
        scene_destroy(s);
    }
}

/* ---- ids */

/* A tetrahedron by its id, and by the positions of its corners. */
typedef struct named {
    int64_t id;
    uint64_t key;
} named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_key(const void *a, const void *b)
{
    const named *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* A key for the positions of n vertices, independent of their order. */
static uint64_t places_key(const imp_frame *f, const uint32_t *vertex, int n)
{
    uint64_t sum = 0;
    for (int k = 0; k < n; k++) {
        uint64_t x[3], z = 0;
        memcpy(x, tissue_place(f, vertex[k]), sizeof x);
        for (int d = 0; d < 3; d++) {
            z = (z ^ x[d]) * UINT64_C(0x9e3779b97f4a7c15);
            z = (z ^ z >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
            z ^= z >> 32;
        }
        sum += z;
    }
    return sum;
}

static named *tissue_of(const scene *s, const imp_frame *f, size_t *count)
{
    const imp_mesh *m = f->mesh;
    named *list = malloc((m->primitives + 1) * sizeof *list);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    *count = 0;
    for (uint32_t i = 0; i < m->primitives; i++)
        if (mesh_corners_of(m, i) == IMP_TETRAHEDRA)
            list[(*count)++] =
                (named){scene_ids(s)[i], places_key(f, m->corner + (size_t)4 * i, 4)};
    qsort(list, *count, sizeof *list, by_name);
    return list;
}

/* Compares two frames of a static tissue, the first in order of ids: `known` is the number of ids
 * up to the first. Returns the number of ids up to the second. */
static int64_t check_tissue_names(named *old, size_t olds, named *now, size_t nows, int64_t known)
{
    int64_t most = known;
    size_t i = 0;
    for (size_t k = 0; k < nows; k++) {
        CU_ASSERT(k == 0 || now[k].id > now[k - 1].id);
        while (i < olds && old[i].id < now[k].id)
            i++;
        if (i < olds && old[i].id == now[k].id)
            EXPECT(old[i].key == now[k].key, "%lld is another one", (long long)now[k].id);
        else
            EXPECT(now[k].id >= known, "%lld is there again", (long long)now[k].id);
        most = now[k].id >= most ? now[k].id + 1 : most;
    }
    qsort(old, olds, sizeof *old, by_key);
    qsort(now, nows, sizeof *now, by_key);
    i = 0;
    for (size_t k = 0; k < nows; k++) {
        while (i < olds && old[i].key < now[k].key)
            i++;
        EXPECT(i == olds || old[i].key != now[k].key || old[i].id == now[k].id, "%lld is %lld now",
               (long long)old[i].id, (long long)now[k].id);
    }
    qsort(now, nows, sizeof *now, by_name);
    return most;
}

static void test_cut_names(void)
{
    static const scene_value burning[] = {{"open", 0}, {"dent", 0}, {"burn", 0.1}, {0}};
    scene *s = tissue_make("scalpel", 3000, FRAMES, 1, burning);
    size_t olds = 0, nows, least = SIZE_MAX, first = 0;
    named *old = NULL;
    int64_t known = 0;
    for (int k = 0; k < FRAMES; k++) {
        imp_frame f = tissue_next(s);
        for (uint32_t i = 0; f.mesh->object[i];
             i++) /* the blade's triangles are first, and constant */
            CU_ASSERT_EQUAL(scene_ids(s)[i], i);
        named *now = tissue_of(s, &f, &nows);
        first = k ? first : nows;
        least = nows < olds && nows < least ? nows : least;
        if (old)
            known = check_tissue_names(old, olds, now, nows, known);
        else
            known = now[nows - 1].id + 1;
        free(old);
        old = now;
        olds = nows;
    }
    CU_ASSERT(known > (int64_t)first + 500 && least < SIZE_MAX);
    free(old);
    scene_destroy(s);
}

/* ---- faces */

typedef struct face {
    uint32_t vertex[3]; /* ascending */
} face;

static int by_vertices(const void *a, const void *b)
{
    const face *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->vertex[k] != y->vertex[k])
            return x->vertex[k] < y->vertex[k] ? -1 : 1;
    return 0;
}

static face face_of(const uint32_t *corner, int without)
{
    face out;
    int n = 0;
    for (int k = 0; k < 4; k++) {
        int at = n;
        if (k == without)
            continue;
        for (; at && out.vertex[at - 1] > corner[k]; at--)
            out.vertex[at] = out.vertex[at - 1];
        out.vertex[at] = corner[k];
        n++;
    }
    return out;
}

/* Returns whether a face is in a plane normal to the axis, at *at. */
static int is_level(const imp_frame *f, const face *t, int axis, double *at)
{
    *at = tissue_place(f, t->vertex[0])[axis];
    return tissue_place(f, t->vertex[1])[axis] == *at && tissue_place(f, t->vertex[2])[axis] == *at;
}

static int on_surface(const imp_frame *f, const face *t)
{
    static const double size[3] = {1, 2, 0.6};
    double at;
    for (int axis = 0; axis < 3; axis++)
        if (is_level(f, t, axis, &at) && (at == 0 || fabs(at - size[axis]) < 1e-15))
            return 1;
    return 0;
}

/* Interior faces are shared by two; the others are on the surface, or on a lip of the wound, whose
 * faces coincide while it is closed. Returns the number of lip faces. */
static size_t check_faces(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    face *list = malloc((size_t)4 * m->primitives * sizeof *list);
    named *lip = malloc((size_t)4 * m->primitives * sizeof *lip);
    size_t n = 0, lips = 0;
    double plane = NAN, at;
    CU_ASSERT_FATAL(list && lip);
    for (uint32_t i = 0; i < m->primitives; i++)
        for (int k = 0; k < 4 && mesh_corners_of(m, i) == IMP_TETRAHEDRA; k++)
            list[n++] = face_of(m->corner + (size_t)4 * i, k);
    qsort(list, n, sizeof *list, by_vertices);
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && !by_vertices(&list[i], &list[i + same]);)
            same++;
        CU_ASSERT(same <= 2);
        if (same == 2 || on_surface(f, &list[i]))
            continue;
        CU_ASSERT(is_level(f, &list[i], 0, &at) && (isnan(plane) || at == plane));
        plane = at;
        lip[lips++] = (named){0, places_key(f, list[i].vertex, 3)};
    }
    qsort(lip, lips, sizeof *lip, by_key);
    CU_ASSERT_EQUAL(lips % 2, 0);
    for (size_t i = 0; i + 1 < lips; i += 2)
        CU_ASSERT(lip[i].key == lip[i + 1].key && (!i || lip[i].key != lip[i - 1].key));
    free(list);
    free(lip);
    return lips;
}

static void test_cut_faces(void)
{
    static const uint64_t sizes[] = {100, 600, 3000};
    for (int i = 0; i < 3; i++) {
        scene *s = tissue_make("scalpel", sizes[i], FRAMES, (uint64_t)i, still);
        size_t lips = 0;
        for (int k = 0; k < FRAMES; k++) {
            imp_frame f = tissue_next(s);
            size_t now = check_faces(&f);
            CU_ASSERT(now >= lips && (k > TOUCH || now == 0));
            lips = now;
        }
        CU_ASSERT(lips > sizes[i] / 50);
        scene_destroy(s);
    }
}

/* ---- motion and changes */

static void test_cut_moves(void)
{
    scene *s = tissue_make("scalpel", 10000, FRAMES, 0, NULL);
    double *old = NULL;
    uint32_t olds = 0;
    for (int k = 0; k < FRAMES; k++) {
        imp_frame f = tissue_next(s);
        size_t moved = 0, bytes = (size_t)24 * f.mesh->vertices;
        CU_ASSERT(f.mesh->vertices >= olds); /* existing vertices keep their numbers */
        for (uint32_t v = 0; v < olds; v++)
            moved += memcmp(tissue_place(&f, v), old + (size_t)3 * v, 24) != 0;
        EXPECT((double)moved <= 0.2 * olds, "frame %d: %zu of %u move", k, moved, olds);
        free(old);
        old = malloc(bytes);
        CU_ASSERT_PTR_NOT_NULL_FATAL(old);
        memcpy(old, f.point, bytes);
        olds = f.mesh->vertices;
    }
    free(old);
    scene_destroy(s);
}

static uint64_t mesh_sum(const scene *s, const imp_mesh *m)
{
    uint64_t sum = m->vertices;
    for (size_t i = 0; i < mesh_corner_count(m); i++)
        sum = (sum ^ m->corner[i]) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 32);
    for (size_t i = 0; i < m->primitives; i++)
        sum = (sum ^ (uint64_t)scene_ids(s)[i]) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 32);
    return sum;
}

/* The pointer of the mesh changes if and only if the mesh does. */
static void test_cut_meshes(void)
{
    scene *s = tissue_make("scalpel", 600, FRAMES, 0, NULL);
    scene *late = tissue_make("scalpel", 600, FRAMES - 70, 0, (scene_value[]){{"begin", 70}, {0}});
    const imp_mesh *last = scene_mesh(s);
    uint64_t sum = mesh_sum(s, last), changes = 0;
    for (int k = 0; k < FRAMES; k++) {
        imp_frame f = tissue_next(s);
        uint64_t now = mesh_sum(s, f.mesh);
        CU_ASSERT_EQUAL(f.mesh != last, now != sum);
        changes += f.mesh != last;
        last = f.mesh;
        sum = now;
        if (k < 70)
            continue;
        imp_frame g = tissue_next(late);
        CU_ASSERT_EQUAL(mesh_sum(late, g.mesh), now);
        CU_ASSERT(!memcmp(f.point, g.point, (size_t)24 * f.mesh->vertices));
    }
    CU_ASSERT(changes > 30);
    scene_destroy(s);
    scene_destroy(late);
}

/* The blade meets the tissue from the moment of contact; the lips of the wound never meet. */
static void check_cut_contacts(uint64_t size, const scene_value *value)
{
    imp *p = tissue_open_pipeline();
    scene *s = tissue_make("scalpel", size, FRAMES, 0, value);
    int without = 0;
    for (int k = 0; k < FRAMES; k++) {
        imp_frame f = tissue_next(s);
        if (passed_by(k))
            continue;
        sides n = tissue_contacts(p, &f);
        EXPECT(n.self == 0 && n.others == 0, "frame %d: %llu of the tissue, %llu of the blade", k,
               (unsigned long long)n.self, (unsigned long long)n.others);
        CU_ASSERT(k >= TOUCH || n.between == 0);
        without += k >= TOUCH && n.between == 0;
    }
    EXPECT(without == 0, "%d frames without contacts", without);
    scene_destroy(s);
    imp_destroy(p);
}

static void test_cut_contacts(void)
{
    check_cut_contacts(600, NULL);
    check_cut_contacts(2040, NULL);
    check_cut_contacts(5000, NULL);
    check_cut_contacts(2040, (scene_value[]){{"open", 0.04}, {"burn", 0}, {0}});
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"fold_volumes", test_fold_volumes}, {"fold_contacts", test_fold_contacts},
        {"fold_begin", test_fold_begin},     {"blade", test_blade},
        {"cut_volumes", test_cut_volumes},   {"cut_volume_stays", test_cut_volume_stays},
        {"cut_names", test_cut_names},       {"cut_faces", test_cut_faces},
        {"cut_moves", test_cut_moves},       {"cut_meshes", test_cut_meshes},
        {"cut_contacts", test_cut_contacts}, {0}};
    return test_main(argc, argv, "tissue", tests);
}
