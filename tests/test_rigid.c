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
#define STEP (TEST_SLOW ? 3 : 1) /* crowds that are looked at: every so many */

static void test_contacts(void)
{
    way list[WAYS_MOST];
    const size_t ways = ways_few(list), few = test_count(1) > 1 ? 1 : TEST_SLOW ? 7 : 3;
    for (size_t i = 0; i < CROWDS; i += STEP) {
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
    for (size_t i = 0; i < CROWDS; i += STEP)
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

/* imp_forget, then another mesh in the place of the first one, whose first frame fails before there
 * are trees. */
static void check_forgotten(int volume, int update, int how)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    const kind k = {OBJECTS, 1, 0, 0, 1};
    crowd *c = crowd_make(&k, "forgotten");
    const imp_mesh whole = c->mesh;
    const imp_def def = {.volume = volume, .update = update, .block = 1};
    const made one = {.name = "one", .frames = 1, .frame = c->frame + 1};
    contact_list want, got = {0};
    imp *p = way_pipeline(&w, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    variant_detect(&w, &def, &one, &want, NULL);
    c->mesh.primitives = 2 * BODY_TRIANGLES;
    CU_ASSERT_EQUAL(imp_detect(p, c->frame, 1, NULL, NULL, NULL), 0);
    imp_forget(p);
    c->mesh = whole;
    const double x = c->point[0][0];
    if (how)
        imp_cancel(p);
    else
        c->point[0][0] = NAN;
    CU_ASSERT(imp_detect(p, c->frame, 1, NULL, NULL, NULL) < 0);
    c->point[0][0] = x;
    CU_ASSERT_EQUAL(imp_detect(p, c->frame + 1, 1, contact_list_sink, &got, NULL), 0);
    EXPECT(contact_list_equal(&want, &got), "forgotten: %zu rows, not %zu", got.count, want.count);
    contact_list_free(&want);
    contact_list_free(&got);
    imp_destroy(p);
    free(c);
}

static void test_forgotten(void)
{
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int update = IMP_UPDATE_AUTO; update <= IMP_UPDATE_KEEP; update++)
            for (int how = 0; how < 2; how++)
                check_forgotten(volume, update, how);
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

/* Another mesh at the same place in memory: half the first one. */
static void check_elsewhere(imp *p, const imp_def *def, const made *m)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    const imp_mesh *mesh = m->frame->mesh;
    imp_mesh other = *mesh;
    imp_frame frame[6];
    const made again = {.name = "elsewhere", .frames = 6, .frame = frame};
    contact_list want, got = {0};
    for (size_t f = 0; f < 6; f++) {
        frame[f] = m->frame[f];
        frame[f].mesh = &other;
    }
    CU_ASSERT_EQUAL(imp_detect(p, frame, 6, NULL, NULL, NULL), 0);
    CU_ASSERT_EQUAL(imp_detect(p, &(imp_frame){.mesh = &(imp_mesh){0}}, 1, NULL, NULL, NULL), 0);
    other.corner += 3 * (size_t)(mesh->primitives / 4);
    other.object += mesh->primitives / 4;
    other.primitives /= 2;
    variant_detect(&w, def, &again, &want, NULL);
    CU_ASSERT_EQUAL(imp_detect(p, frame, 6, contact_list_sink, &got, NULL), 0);
    EXPECT(contact_list_equal(&want, &got), "elsewhere: %zu rows, not %zu", got.count, want.count);
    contact_list_free(&want);
    contact_list_free(&got);
}

/* "auto" takes trees for two bodies that lie in each other for some frames; contacts and candidates
 * are those of the grid, before and after, and of a mesh that comes to lie where another was. */
static void test_auto(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (int stage = IMP_STAGE_CONTACTS; stage <= IMP_STAGE_CANDIDATES; stage++) {
        made m;
        uint64_t blocks;
        const char *name;
        CU_ASSERT_FATAL(made_procedural("dense", 3000, 8, 1, &m));
        imp_def def = {.pairs = IMP_PAIRS_BETWEEN, .block = 1, .stage = stage};
        contact_list want, got = {0};
        imp *p = way_pipeline(&w, &def);
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        def.broad = "grid";
        variant_detect(&w, &def, &m, &want, NULL);
        CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &got, NULL), 0);
        CU_ASSERT(imp_broad_at(p, BROAD_tree, &name, &blocks) && !strcmp(name, "tree"));
        EXPECT(blocks >= 4 && blocks < m.frames, "trees for %llu of %zu frames",
               (unsigned long long)blocks, m.frames);
        EXPECT(want.count > 100 && contact_list_equal(&want, &got), "%zu rows, not %zu", got.count,
               want.count);
        contact_list_free(&want);
        contact_list_free(&got);
        check_elsewhere(p, &def, &m);
        imp_destroy(p);
        made_free(&m);
    }
}

/* ---- swept queries */

/* Turned as far as the share t of the shorter arc, by sines, which the product does without. */
static void turned(const double a[4], const double b[4], double t, double out[4])
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = dot < 0 ? -1 : 1;
    const double whole = acos(fabs(dot) < 1 ? fabs(dot) : 1);
    const double x = whole > 1e-9 ? sin((1 - t) * whole) / sin(whole) : 1 - t;
    const double y = whole > 1e-9 ? sin(t * whole) / sin(whole) : t;
    for (int k = 0; k < 4; k++)
        out[k] = x * a[k] + sign * y * b[k];
}

/* The points of a crowd between two of its frames. */
static void between(const crowd *c, const kind *k, int f, int g, double t, double *point)
{
    for (int i = 0; i < OBJECTS; i++) {
        imp_pose p = {{0}};
        if (i < k->rigid) {
            turned(c->pose[f][i].rotation, c->pose[g][i].rotation, t, p.rotation);
            for (int a = 0; a < 3; a++)
                p.centre[a] = (1 - t) * c->pose[f][i].centre[a] + t * c->pose[g][i].centre[a];
        }
        const pose_map m = i < k->rigid ? pose_map_of(&p) : (pose_map){{{0}}, {0}};
        for (size_t v = (size_t)i * BODY_VERTICES; v < (size_t)(i + 1) * BODY_VERTICES; v++)
            if (i < k->rigid)
                pose_put(&m, c->rest + 3 * v, point + 3 * v);
            else
                for (size_t a = 3 * v; a < 3 * v + 3; a++)
                    point[a] = (1 - t) * c->point[f][a] + t * c->point[g][a];
    }
}

typedef struct swept_list {
    uint32_t *a, *b;
    double *time;
    size_t count;
    int order; /* all were in order so far */
} swept_list;

static int swept_sink(void *user, const imp_swept *s)
{
    swept_list *l = user;
    const size_t n = l->count + s->count;
    l->a = realloc(l->a, n * sizeof *l->a);
    l->b = realloc(l->b, n * sizeof *l->b);
    l->time = realloc(l->time, n * sizeof *l->time);
    for (size_t i = 0; i < s->count; i++, l->count++) {
        l->a[l->count] = s->a[i];
        l->b[l->count] = s->b[i];
        l->time[l->count] = s->time[i];
        const size_t at = l->count;
        l->order &=
            !at || l->a[at - 1] < l->a[at] || (l->a[at - 1] == l->a[at] && l->b[at - 1] < l->b[at]);
        l->order &= s->time[i] >= 0 && s->time[i] <= 1 && s->a[i] < s->b[i];
    }
    return 0;
}

static void swept_free(swept_list *l)
{
    free(l->a);
    free(l->b);
    free(l->time);
}

/* Is the pair there, and not later than t? */
static int swept_has(const swept_list *l, uint32_t a, uint32_t b, double t)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (l->a[middle] < a || (l->a[middle] == a && l->b[middle] < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->count && l->a[low] == a && l->b[low] == b && l->time[low] <= t + 1e-9;
}

#define INSTANTS 13

/* All that meets at some instants is told. */
static size_t check_instants(const crowd *c, const kind *k, int f, const swept_list *l, int which)
{
    static double point[INSTANTS + 1][3 * BODY_VERTICES * OBJECTS];
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    const imp_def def = {.broad = "grid", .pairs = which};
    imp_mesh mesh = c->mesh;
    imp_frame frame[INSTANTS + 1];
    const made all = {.name = "instants", .frames = INSTANTS + 1, .frame = frame};
    contact_list list;
    size_t missed = 0;
    mesh.bodies = 0;
    for (int i = 0; i <= INSTANTS; i++) {
        between(c, k, f, f + 1, (double)i / INSTANTS, point[i]);
        frame[i] = (imp_frame){.mesh = &mesh, .point = point[i]};
    }
    variant_detect(&w, &def, &all, &list, NULL);
    for (size_t r = 0; r < list.count; r++)
        missed += !swept_has(l, list.row[r].a, list.row[r].b, (double)list.row[r].frame / INSTANTS);
    contact_list_free(&list);
    return missed;
}

static void test_sweep(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (size_t i = 0; i < CROWDS; i++)
        for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++) {
            if (test_count(1) == 1 &&
                (volume != IMP_VOLUME_SPHERE + (int)i % 3 || i % (TEST_SLOW ? 6 : 2) != 1))
                continue;
            const kind *k = &crowds[i].kind;
            crowd *c = crowd_make(k, crowds[i].name);
            const int f = (int)i % (FRAMES - 1), which = i % 3 ? IMP_PAIRS_BETWEEN : IMP_PAIRS_ALL;
            imp *p = way_pipeline(&w, &(imp_def){.volume = volume,
                                                 .leaf = 3,
                                                 .pairs = which,
                                                 .build = 1 + volume % 2,
                                                 .descent = 1 + (int)i % 2});
            swept_list list = {.order = 1};
            uint64_t count = 0;
            CU_ASSERT_PTR_NOT_NULL_FATAL(p);
            CU_ASSERT_EQUAL(imp_sweep(p, c->frame + f, c->frame + f + 1, swept_sink, &list, &count),
                            0);
            CU_ASSERT(list.count == count && list.order);
            const size_t missed = check_instants(c, k, f, &list, which);
            EXPECT(!missed, "%s, volume %d: %zu of %zu missed", crowds[i].name, volume, missed,
                   list.count);
            swept_free(&list);
            imp_destroy(p);
            free(c);
        }
}

/* A ball that is on this side of a plate in one frame and on that side in the next. */
static void test_tunnel(void)
{
    const kind k = {OBJECTS, 1, 0, 0, 0};
    crowd *c = crowd_make(&k, "tunnel");
    imp_frame two[2];
    for (int f = 0; f < 2; f++) {
        imp_pose *pose = c->pose[f];
        for (int i = 0; i < OBJECTS; i++)
            pose[i].centre[0] = 100.0 * i, pose[i].centre[1] = pose[i].centre[2] = 0;
        pose[0].centre[0] = f ? 105 : 95; /* through number 1 */
        pose[2].centre[2] = f ? 50 : -50; /* along nothing */
        for (size_t v = 0; v < (size_t)BODY_VERTICES * OBJECTS; v++) {
            const pose_map m = pose_map_of(&pose[v / BODY_VERTICES]);
            pose_put(&m, c->rest + 3 * v, c->point[f] + 3 * v);
        }
        two[f] = c->frame[f];
    }
    for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++) {
        imp *p;
        imp_frame_info info[2];
        uint64_t count = 0, still = 1;
        swept_list list = {.order = 1};
        CU_ASSERT_EQUAL_FATAL(
            imp_create(&(imp_def){.device = "cpu", .volume = volume, .pairs = IMP_PAIRS_BETWEEN},
                       &p),
            0);
        CU_ASSERT_EQUAL(imp_detect(p, two, 2, NULL, NULL, info), 0);
        CU_ASSERT(!info[0].contacts && !info[1].contacts);
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, swept_sink, &list, &count), 0);
        CU_ASSERT_EQUAL(imp_sweep(p, two, two, NULL, NULL, &still), 0);
        CU_ASSERT(count > 0 && !still);
        double first = 1;
        for (size_t i = 0; i < list.count; i++) {
            CU_ASSERT(list.a[i] < BODY_TRIANGLES && list.b[i] >= BODY_TRIANGLES &&
                      list.b[i] < 2 * BODY_TRIANGLES);
            first = list.time[i] < first ? list.time[i] : first;
        }
        CU_ASSERT(first > 0.1 && first < 0.5);
        CU_ASSERT_EQUAL(imp_sweep(p, two, NULL, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        CU_ASSERT_EQUAL(imp_sweep(NULL, two, two, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        two[1].pose = NULL;
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        two[1].pose = c->pose[1];
        c->point[1][30] += 1e-6;
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        c->point[1][30] = NAN;
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_INPUT);
        const pose_map m = pose_map_of(&c->pose[1][0]);
        pose_put(&m, c->rest + 30, c->point[1] + 30);
        swept_free(&list);
        imp_destroy(p);
    }
    imp *p;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
    CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
    imp_destroy(p);
    free(c);
}

/* All objects become thinner. */
static void squeeze(crowd *c, const kind *k)
{
    rng r = {9};
    for (size_t v = 0; v < (size_t)BODY_VERTICES * OBJECTS; v++)
        c->rest[3 * v] *= 0.6;
    for (int f = 0; f < FRAMES; f++)
        crowd_frame(c, k, f, &r);
}

/* A frame of another mesh that fails, and then does not: nothing is left of the mesh before it. */
static void test_failed(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (int volume = IMP_VOLUME_DOP; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int rigid = 0; rigid <= OBJECTS; rigid += OBJECTS) {
            const kind one = {rigid, 1, 0, 0, 1}, two = one;
            crowd *a = crowd_make(&one, "one"), *b = crowd_make(&two, "two");
            const imp_def def = {.volume = volume, .update = IMP_UPDATE_AUTO};
            const made good = {.name = "good", .frames = 1, .frame = b->frame + 1};
            imp *p = way_pipeline(&w, &def);
            contact_list want, got = {0};
            CU_ASSERT_PTR_NOT_NULL_FATAL(p);
            squeeze(b, &two);
            variant_detect(&w, &def, &good, &want, NULL);
            CU_ASSERT_EQUAL(imp_detect(p, a->frame, 1, NULL, NULL, NULL), 0);
            const double x = b->point[0][5];
            b->point[0][5] = NAN;
            CU_ASSERT_EQUAL(imp_detect(p, b->frame, 1, NULL, NULL, NULL), IMP_ERR_INPUT);
            b->point[0][5] = x;
            CU_ASSERT_EQUAL(imp_detect(p, b->frame + 1, 1, contact_list_sink, &got, NULL), 0);
            EXPECT(contact_list_equal(&want, &got), "volume %d, %d rigid: others after a failure",
                   volume, rigid);
            contact_list_free(&want);
            contact_list_free(&got);
            imp_destroy(p);
            free(a);
            free(b);
        }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"contacts", test_contacts}, {"history", test_history},
                                 {"once", test_once},         {"forgotten", test_forgotten},
                                 {"auto", test_auto},         {"wrong", test_wrong},
                                 {"sweep", test_sweep},       {"tunnel", test_tunnel},
                                 {"failed", test_failed},     {0}};
    return test_main(argc, argv, "rigid", tests);
}
