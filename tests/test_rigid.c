/* Rigid bodies whose poses are known: trees that are made once and posed lead to the contacts of
 * all pairs in each frame, whichever frame came before, beside objects that change their shape. */
#include "error.h"
#include "expect.h"
#include "pose.h"
#include "variants.h"

#include <stdlib.h>
#include <string.h>

#define RINGS 7
#define SIDES 9
#define BODY_VERTICES (RINGS * SIDES + 2)
#define BODY_TRIANGLES (2 * RINGS * SIDES)
#define OBJECTS 7
#define FRAMES 6

/* What a crowd of bodies is like. */
typedef struct kind {
    int rigid;           /* so many objects are; the others change their shape */
    double scale, pivot; /* of everything; how far the origin of bodies is from them */
    int single, turning; /* float32; 0: bodies move without turning */
} kind;

/* Frames of objects in a small space, in memory that lasts as long. */
typedef struct crowd {
    made made;
    imp_frame frame[FRAMES];
    imp_mesh mesh;
    uint32_t corner[3 * BODY_TRIANGLES * OBJECTS];
    int32_t object[BODY_TRIANGLES * OBJECTS], body[OBJECTS];
    double rest[3 * BODY_VERTICES * OBJECTS];
    double point[FRAMES][3 * BODY_VERTICES * OBJECTS];
    float single[FRAMES][3 * BODY_VERTICES * OBJECTS];
    imp_pose pose[FRAMES][OBJECTS];
} crowd;

/* A lumpy ball, wider than high: rings of vertices between two poles. */
static void lump(double *point, const kind *k, rng *r)
{
    for (int i = 0; i < BODY_VERTICES; i++) {
        const int ring = i / SIDES, side = i % SIDES;
        const double high = i < RINGS * SIDES    ? 2 * (ring + 1.0) / (RINGS + 1) - 1
                            : i == RINGS * SIDES ? -1
                                                 : 1;
        const double wide = sqrt(1 - high * high) * (0.8 + 0.4 * rng_unit(r));
        const double angle = side * 2 * 3.14159265358979 / SIDES;
        point[3 * i] = k->scale * (wide * cos(angle) + k->pivot);
        point[3 * i + 1] = k->scale * (1.5 * wide * sin(angle) - k->pivot);
        point[3 * i + 2] = k->scale * (0.4 * high + 2 * k->pivot);
    }
}

static void lump_corners(uint32_t first, uint32_t *corner)
{
    const uint32_t south = first + RINGS * SIDES, north = south + 1;
    for (uint32_t ring = 0; ring <= RINGS; ring++)
        for (uint32_t side = 0; side < SIDES; side++) {
            const uint32_t next = (side + 1) % SIDES, low = first + (ring - 1) * SIDES;
            const uint32_t a = ring ? low + side : south, b = ring ? low + next : south;
            const uint32_t c = ring < RINGS ? first + ring * SIDES + side : north;
            const uint32_t d = ring < RINGS ? first + ring * SIDES + next : north;
            const uint32_t two[6] = {a, d, c, a, b, d};
            if (!ring || ring == RINGS) {
                memcpy(corner, ring ? two + 3 : two, 3 * sizeof *corner);
                if (ring)
                    corner[2] = north;
                corner += 3;
            } else {
                memcpy(corner, two, sizeof two);
                corner += 6;
            }
        }
}

static void random_pose(const kind *k, rng *r, imp_pose *p)
{
    double length = 0;
    for (int i = 0; i < 4; i++) {
        p->rotation[i] = k->turning ? rng_unit(r) - 0.5 : i == 0;
        length += p->rotation[i] * p->rotation[i];
    }
    for (int i = 0; i < 4; i++)
        p->rotation[i] /= sqrt(length);
    /* so that bodies stay together, however far their origins are */
    const double to[3] = {-k->pivot, k->pivot, -2 * k->pivot};
    double m[3][3];
    pose_matrix(p->rotation, m);
    for (int i = 0; i < 3; i++)
        p->centre[i] =
            k->scale * (4 * rng_unit(r) + m[i][0] * to[0] + m[i][1] * to[1] + m[i][2] * to[2]);
}

static void crowd_frame(crowd *c, const kind *k, int f, rng *r)
{
    for (int i = 0; i < OBJECTS; i++) {
        imp_pose soft, *p = i < k->rigid ? &c->pose[f][i] : &soft;
        random_pose(k, r, p);
        const pose_map m = pose_map_of(p);
        for (size_t v = (size_t)i * BODY_VERTICES; v < (size_t)(i + 1) * BODY_VERTICES; v++) {
            double x[3];
            memcpy(x, c->rest + 3 * v, sizeof x);
            x[2] += i < k->rigid ? 0 : 0.2 * k->scale * rng_unit(r);
            pose_put(&m, x, c->point[f] + 3 * v);
            for (size_t a = 0; a < 3; a++)
                c->single[f][3 * v + a] = (float)c->point[f][3 * v + a];
        }
    }
    c->frame[f] = (imp_frame){.mesh = &c->mesh,
                              .point = k->single ? (void *)c->single[f] : (void *)c->point[f],
                              .type = k->single ? IMP_FLOAT32 : IMP_FLOAT64,
                              .number = (uint64_t)f,
                              .pose = k->rigid ? c->pose[f] : NULL};
}

static crowd *crowd_make(const kind *k, const char *name)
{
    crowd *c = calloc(1, sizeof *c);
    rng r = {5};
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    for (int i = 0; i < OBJECTS; i++) {
        lump(c->rest + (size_t)3 * BODY_VERTICES * (size_t)i, k, &r);
        lump_corners((uint32_t)i * BODY_VERTICES,
                     c->corner + (size_t)3 * BODY_TRIANGLES * (size_t)i);
        for (int t = 0; t < BODY_TRIANGLES; t++)
            c->object[i * BODY_TRIANGLES + t] = 10 * i - 20;
        c->body[i] = 10 * i - 20;
    }
    c->mesh = (imp_mesh){.vertices = BODY_VERTICES * OBJECTS,
                         .primitives = BODY_TRIANGLES * OBJECTS,
                         .corner = c->corner,
                         .object = c->object,
                         .bodies = (uint32_t)k->rigid,
                         .body = c->body,
                         .rest = c->rest};
    for (int f = 0; f < FRAMES; f++)
        crowd_frame(c, k, f, &r);
    c->made = (made){.name = name, .frames = FRAMES, .frame = c->frame};
    return c;
}

static const struct {
    const char *name;
    kind kind;
} crowds[] = {{"rigid", {OBJECTS, 1, 0, 0, 1}}, {"rigid and soft", {4, 1, 0, 0, 1}},
              {"one rigid", {1, 1, 0, 0, 1}},   {"far pivots", {OBJECTS, 1, 1000, 0, 1}},
              {"large", {5, 0x1p300, 3, 0, 1}}, {"small", {5, 0x1p-400, 3, 0, 1}},
              {"float32", {6, 1, 5, 1, 1}},     {"sliding", {OBJECTS, 1, 0, 0, 0}}};

#define CROWDS (sizeof crowds / sizeof *crowds)

static void test_contacts(void)
{
    way list[WAYS_MOST];
    const size_t ways = ways_few(list), few = test_count(1) > 1 ? 1 : TEST_SLOW ? 7 : 3;
    for (size_t i = 0; i < CROWDS; i++) {
        crowd *c = crowd_make(&crowds[i].kind, crowds[i].name);
        for (size_t k = i % 2; k < VARIANTS; k += few)
            for (size_t w = 0; w < (k == i % 2 ? ways : 1); w++)
                variant_check(&list[w], &variants[k], &c->made, (int)((k + k / 3 + i) % 3));
        free(c);
    }
}

/* One frame at a time, backwards, again, with another mesh between: always the same candidates. */
static void test_history(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (size_t i = 0; i < CROWDS; i++)
        for (size_t k = i % 7; k < VARIANTS; k += TEST_SLOW ? 14 : 7) {
            crowd *c = crowd_make(&crowds[i].kind, crowds[i].name);
            imp_def def = variant_def(&variants[k]);
            contact_list want, got;
            imp *p;
            def.stage = IMP_STAGE_CANDIDATES;
            def.update = i % 2 ? IMP_UPDATE_AUTO : IMP_UPDATE_REBUILD;
            variant_detect(&w, &def, &c->made, &want, NULL);
            CU_ASSERT_FATAL((p = way_pipeline(&w, &def)) != NULL);
            for (int f = FRAMES - 1; f >= 0; f--) {
                made one = {.name = "one", .frames = 1, .frame = c->frame + f};
                contact_list alone;
                got = (contact_list){0};
                CU_ASSERT_EQUAL(imp_detect(p, c->frame + f, 1, contact_list_sink, &got, NULL), 0);
                variant_detect(&w, &def, &one, &alone, NULL);
                EXPECT(contact_list_equal(&alone, &got), "%s, variant %zu: frame %d is another",
                       crowds[i].name, k, f);
                contact_list_free(&alone);
                contact_list_free(&got);
            }
            got = (contact_list){0};
            CU_ASSERT_EQUAL(imp_detect(p, c->frame, FRAMES, contact_list_sink, &got, NULL), 0);
            EXPECT(contact_list_equal(&want, &got), "%s, variant %zu: others later", crowds[i].name,
                   k);
            contact_list_free(&want);
            contact_list_free(&got);
            imp_destroy(p);
            free(c);
        }
}

/* Trees of rigid bodies are made once, those of k-DOPs too; soft ones of other volumes each time.
 */
static void test_once(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int rigid = 0; rigid <= OBJECTS; rigid += OBJECTS) {
            const kind k = {rigid, 1, 0, 0, 1};
            crowd *c = crowd_make(&k, "once");
            const imp_def def = {.volume = volume, .block = 1};
            made one = {.name = "one", .frames = 1, .frame = c->frame};
            contact_list x, y;
            imp_profile first, all;
            variant_detect(&w, &def, &one, &x, &first);
            variant_detect(&w, &def, &c->made, &y, &all);
            if (rigid)
                CU_ASSERT_EQUAL(all.tree_nodes, first.tree_nodes);
            if (!rigid && volume != IMP_VOLUME_DOP)
                CU_ASSERT(all.tree_nodes > 5 * first.tree_nodes);
            contact_list_free(&x);
            contact_list_free(&y);
            free(c);
        }
}

/* A vertex that is not where its pose says it is. */
static void test_wrong(void)
{
    const kind k = {OBJECTS, 1, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        crowd *c = crowd_make(&k, "wrong");
        imp *p;
        CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu", .volume = IMP_VOLUME_OBB}, &p),
                              0);
        CU_ASSERT_EQUAL(imp_detect(p, c->frame, FRAMES, NULL, NULL, NULL), 0);
        if (i == 0)
            c->point[3][17] += 1e-13;
        if (i == 1)
            c->pose[3][2].centre[1] = INFINITY;
        if (i == 2)
            c->pose[3][2].rotation[0] += 1e-3;
        if (i == 3)
            c->pose[3][4].rotation[1] = NAN;
        EXPECT(imp_detect(p, c->frame, FRAMES, NULL, NULL, NULL) == IMP_ERR_ARGUMENT,
               "wrong pose %d is taken", i);
        CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "frame 3: body "));
        CU_ASSERT_EQUAL(imp_detect(p, c->frame, 3, NULL, NULL, NULL), 0);
        imp_destroy(p);
        free(c);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"contacts", test_contacts},
                                 {"history", test_history},
                                 {"once", test_once},
                                 {"wrong", test_wrong},
                                 {0}};
    return test_main(argc, argv, "rigid", tests);
}
