/* Batches of queries on every device: the same bits as the exact answers one by one, of random and
 * of degenerate points, about closed objects of triangles and of tetrahedra, of any size and place;
 * and most of random ones are answered by the device. */
#include "boxes.h"
#include "expect.h"
#include "inside_tree.h"
#include "solids_batch.h"
#include "solids_pack.h"
#include "solids_rays.h"
#include "testlib.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUND 40 /* vertices of a ring around */
#define ALONG 24
#define CELLS 6    /* units of a cube's edge */
#define TRIED 4096 /* of a scene, and enough for a device with a driver */

static mem test_mem;

/* ---- scenes */

typedef struct scene {
    const char *name;
    imp_mesh mesh;
    imp_frame frame;
    double *point;
    uint32_t *corner;
    uint8_t *corner_count;
    int32_t *object;
    double scale, shift;
    size_t points; /* of `x` */
    double *x;
} scene;

static void scene_open(const char *name, double scale, double shift, scene *s)
{
    const size_t verts = 4096, prims = 8192;
    *s = (scene){.name = name, .scale = scale, .shift = shift};
    s->point = calloc(3 * verts, sizeof *s->point);
    s->corner = calloc(4 * prims, sizeof *s->corner);
    s->corner_count = calloc(prims, 1);
    s->object = calloc(prims, sizeof *s->object);
    s->x = calloc((size_t)3 * TRIED, sizeof *s->x);
    CU_ASSERT_FATAL(s->point && s->corner && s->corner_count && s->object && s->x);
    s->mesh = (imp_mesh){
        .corners = 4, .corner = s->corner, .corner_count = s->corner_count, .object = s->object};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point};
}

static void scene_free(scene *s)
{
    free(s->point);
    free(s->corner);
    free(s->corner_count);
    free(s->object);
    free(s->x);
}

static uint32_t scene_vertex(scene *s, const double x[3])
{
    for (int k = 0; k < 3; k++)
        s->point[3 * s->mesh.vertices + (size_t)k] = x[k] * s->scale + s->shift;
    return s->mesh.vertices++;
}

static void scene_prim(scene *s, int32_t object, int corners, const uint32_t *v)
{
    const size_t at = s->mesh.primitives++;
    for (int k = 0; k < corners; k++)
        s->corner[4 * at + (size_t)k] = v[k];
    for (int k = corners; k < 4; k++)
        s->corner[4 * at + (size_t)k] = v[0];
    s->corner_count[at] = (uint8_t)corners;
    s->object[at] = object;
}

/* A ring with bumps, whose nearest faces are often met at edges and vertices. */
static void scene_ring(scene *s, int32_t object, double at)
{
    const uint32_t first = s->mesh.vertices;
    for (int i = 0; i < ROUND; i++)
        for (int j = 0; j < ALONG; j++) {
            const double u = 6.283185307179586 * i / ROUND, v = 6.283185307179586 * j / ALONG;
            const double r = 0.4 + 0.05 * sin(5 * u) * cos(3 * v), q = 1 + r * cos(v);
            scene_vertex(s, (double[3]){at + q * cos(u), q * sin(u), r * sin(v)});
        }
    for (uint32_t i = 0; i < ROUND; i++)
        for (uint32_t j = 0; j < ALONG; j++) {
            const uint32_t a = first + i * ALONG + j, b = first + (i + 1) % ROUND * ALONG + j,
                           c = first + (i + 1) % ROUND * ALONG + (j + 1) % ALONG,
                           d = first + i * ALONG + (j + 1) % ALONG;
            scene_prim(s, object, 3, (uint32_t[3]){a, b, c});
            scene_prim(s, object, 3, (uint32_t[3]){a, c, d});
        }
}

/* A cube of CELLS units, its sides divided into `along` squares along an edge; all turns of
 * diagonals. */
static void scene_cube(scene *s, int32_t object, int at, uint32_t along)
{
    const uint32_t n = along + 1, unit = CELLS / along, first = s->mesh.vertices;
    for (uint32_t i = 0; i < n * n * n; i++)
        scene_vertex(s, (double[3]){at + (int)(unit * (i % n)), at + (int)(unit * (i / n % n)),
                                    at + (int)(unit * (i / n / n))});
    for (uint32_t side = 0; side < 6; side++)
        for (uint32_t i = 0; i < along * along; i++) {
            uint32_t v[4];
            for (uint32_t c = 0; c < 4; c++) {
                const uint32_t x = i % along + (c == 1 || c == 2), y = i / along + c / 2;
                uint32_t to[3];
                to[side / 2] = side % 2 ? along : 0;
                to[(side / 2 + 1) % 3] = side % 2 ? x : y;
                to[(side / 2 + 2) % 3] = side % 2 ? y : x;
                v[c] = first + to[0] + n * (to[1] + n * to[2]);
            }
            const uint32_t turn = i % 3 == 0;
            scene_prim(s, object, 3, (uint32_t[3]){v[turn], v[1 + turn], v[2 + turn]});
            scene_prim(s, object, 3, (uint32_t[3]){v[turn], v[2 + turn], v[(3 + turn) % 4]});
        }
}

static void scene_solids(scene *s, int32_t object)
{
    uint32_t vertex[8];
    for (int v = 0; v < 8; v++)
        vertex[v] = scene_vertex(s, (double[3]){(v & 1) * 2, (v >> 1 & 1) * 2, (v >> 2) * 2});
    for (int p = 0; p < 5; p++) {
        uint32_t corner[4];
        for (int c = 0; c < 4; c++)
            corner[c] = vertex[box_solids[p][c]];
        scene_prim(s, object, 4, corner);
    }
}

static void scene_point(scene *s, double x, double y, double z)
{
    double *to = s->x + 3 * s->points++;
    to[0] = x * s->scale + s->shift;
    to[1] = y * s->scale + s->shift;
    to[2] = z * s->scale + s->shift;
}

/* Random ones, with some vertices, and some far away. */
static void scene_random(scene *s)
{
    rng r = {11};
    while (s->points < TRIED - 64)
        scene_point(s, 4 * rng_unit(&r) - 1.5, 3 * rng_unit(&r) - 1.5, rng_unit(&r) - 0.5);
    for (int i = 0; i < 32; i++)
        memcpy(s->x + 3 * s->points++, s->point + 3 * rng_below(&r, s->mesh.vertices),
               3 * sizeof *s->x);
    for (int i = 0; i < 32; i++) {
        double *to = s->x + 3 * s->points++;
        for (int k = 0; k < 3; k++)
            to[k] = rng_below(&r, 2) ? s->shift + s->scale * rng_unit(&r)
                                     : ldexp(rng_unit(&r) - 0.5, (int)rng_below(&r, 1000));
    }
}

/* In halves and in sixteenths: on surfaces, below edges and vertices, as near to several faces. */
static void scene_lattice(scene *s)
{
    rng r = {13};
    while (s->points < TRIED)
        if (s->points % 2)
            scene_point(s, rng_below(&r, 24) / 2.0 - 1, rng_below(&r, 24) / 2.0 - 1,
                        rng_below(&r, 24) / 2.0 - 1);
        else
            scene_point(s, rng_below(&r, 192) / 16.0 - 1, rng_below(&r, 192) / 16.0 - 1,
                        rng_below(&r, 192) / 16.0 - 1);
}

#define RINGS 6
#define SCENES (RINGS + 3)

static void scene_make(int which, scene *s)
{
    static const double places[][2] = {{1, 0},         {0x1p300, 0},  {0x1p-320, 0},
                                       {0x1p-10, 1e6}, {0x1p-960, 0}, {0x1p1010, 0}};
    if (which < RINGS) {
        scene_open("rings", places[which][0], places[which][1], s);
        scene_ring(s, 3, 0);
        scene_ring(s, 5, 1);
        scene_random(s);
        return;
    }
    scene_open("cubes", places[which - RINGS][0], places[which - RINGS][1], s);
    scene_cube(s, 3, 0, CELLS);
    scene_cube(s, 3, 2, CELLS); /* of one object: its winding number is 2 in both */
    scene_cube(s, 5, 4, CELLS);
    scene_cube(s, 9, 1, 1);
    scene_solids(s, 7);
    scene_lattice(s);
}

/* ---- answers */

typedef struct answers {
    size_t count;
    solids_query *query;
    solids_depth_at *at;
    size_t open, none, many; /* what the device left open */
} answers;

static void answers_free(answers *a)
{
    free(a->query);
    free(a->at);
}

/* Of the last launch. */
static void answers_read(const solids *s, size_t n, answers *out)
{
    const solids_pack *p = s->pack;
    int32_t *winding = malloc(n * sizeof *winding);
    CU_ASSERT_FATAL(winding != NULL);
    if (BUFFER_BYTES(&p->winding, n) > p->winding.raw.bytes)
        n = p->winding.raw.bytes / sizeof *winding;
    CU_ASSERT(!buffer_read(s->pack->dev, &p->winding, 0, winding, n));
    for (size_t i = 0; i < n; i++)
        out->open += winding[i] == INSIDE_DOUBT;
    free(winding);
}

/* What rays leave open of the queries about objects of triangles. */
static void answers_count_open(const solids *s, size_t n, answers *out)
{
    solids_query *q = malloc(n * sizeof *q);
    size_t *which = malloc(n * sizeof *which);
    CU_ASSERT_FATAL(q && which);
    memcpy(q, out->query, n * sizeof *q);
    for (uint32_t place = 0; place < s->mesh.count; place++) {
        size_t few = 0;
        for (size_t i = 0; i < n && !s->mesh.of[place].tetrahedra; i++)
            if (q[i].place == place)
                which[few++] = i;
        CU_ASSERT(!few || !solids_rays(s, place, q, which, few));
        for (size_t i = 0; i < few; i++)
            out->open += q[which[i]].winding == INSIDE_DOUBT;
    }
    free(q);
    free(which);
}

static void answers_read_depths(const solids *s, size_t n, answers *out)
{
    uint32_t *count = malloc((n + 1) * sizeof *count);
    CU_ASSERT_FATAL(count != NULL);
    if (n > s->pack->count.raw.bytes / sizeof *count) /* the last launch, if there was one */
        n = s->pack->count.raw.bytes / sizeof *count;
    CU_ASSERT(!n || !buffer_read(s->pack->dev, &s->pack->count, 0, count, n));
    for (size_t i = 0; i < n; i++) {
        out->none += !count[i];
        out->many += count[i] == INSIDE_MANY;
    }
    free(count);
}

/* The same answers of the points on one side of an object's middle, by rays to that side or
 * another.
 */
static void expect_side(const solids *s, const answers *a, size_t n, uint32_t place, int side)
{
    const float *box = solids_box(s, place);
    const int axis = side / 2;
    const float middle = (box[axis] + box[3 + axis]) / 2;
    solids_query *q = malloc(n * sizeof *q);
    size_t *of = malloc(n * sizeof *of), few = 0;
    CU_ASSERT_FATAL(q && of);
    for (size_t i = 0; i < n; i++)
        if (a->query[i].place == place &&
            (solids_unit(s, axis, a->query[i].x[axis]) < middle) == side % 2) {
            of[few] = i;
            q[few++] = a->query[i];
        }
    EXPECT(!solids_windings(s, q, few), "%s", imp_error_text());
    for (size_t i = 0; i < few; i++)
        EXPECT(q[i].winding == a->query[of[i]].winding && q[i].touches == a->query[of[i]].touches,
               "place %u, side %d: %d, not %d", place, side, q[i].winding, a->query[of[i]].winding);
    free(q);
    free(of);
}

/* The winding numbers of all points about all closed objects, then the depths. */
static void answers_find(const scene *c, device *d, int threads, answers *out)
{
    solids_pack pack = {.dev = d};
    solids s = {.mem = &test_mem, .pack = d ? &pack : NULL, .threads = threads};
    size_t n = 0, inside = 0;
    EXPECT(!solids_make(&c->frame, &(closed_wanted){0}, &s), "%s", imp_error_text());
    *out = (answers){.query = calloc(s.mesh.count * c->points, sizeof *out->query),
                     .at = calloc(s.mesh.count * c->points, sizeof *out->at)};
    CU_ASSERT_FATAL(out->query && out->at);
    for (size_t i = 0; i < c->points; i++)
        for (uint32_t place = 0; place < s.mesh.count; place++, n++) {
            CU_ASSERT(s.mesh.of[place].closed);
            out->query[n].place = place;
            memcpy(out->query[n].x, c->x + 3 * i, sizeof out->query[n].x);
        }
    EXPECT(!solids_windings(&s, out->query, n), "%s", imp_error_text());
    if (d && d->groups)
        answers_read(&s, n, out);
    else if (d)
        answers_count_open(&s, n, out);
    for (uint32_t place = 0; place < s.mesh.count && d && !d->groups; place++)
        for (int side = 0; side < 6; side++)
            expect_side(&s, out, n, place, side);
    solids_query *list = calloc(n, sizeof *list);
    CU_ASSERT_FATAL(list != NULL);
    for (size_t i = 0; i < n; i++)
        if (!out->query[i].touches && out->query[i].winding) {
            list[inside] = out->query[i];
            list[inside++].at = &out->at[i];
        }
    EXPECT(!solids_depths(&s, list, inside), "%s", imp_error_text());
    if (d)
        answers_read_depths(&s, inside, out);
    out->count = n;
    free(list);
    solids_pack_free(&s);
    solids_free(&s);
}

static void expect_answers(const char *on, const scene *c, const answers *want, const answers *got)
{
    size_t inside = 0;
    for (size_t i = 0; i < want->count; i++) {
        const solids_query *x = &want->query[i], *y = &got->query[i];
        inside += x->winding != 0;
        EXPECT(x->winding == y->winding && x->touches == y->touches,
               "%s, %s by %g: query %zu at %g %g %g: %d (touches %d), not %d (%d)", on, c->name,
               c->scale, i, x->x[0], x->x[1], x->x[2], y->winding, y->touches, x->winding,
               x->touches);
        EXPECT(!memcmp(&want->at[i], &got->at[i], sizeof want->at[i]),
               "%s, %s by %g: query %zu at %g %g %g: face %u, not %u", on, c->name, c->scale, i,
               x->x[0], x->x[1], x->x[2], got->at[i].prim, want->at[i].prim);
    }
    CU_ASSERT(inside > want->count / 40);
}

static uint64_t launches;

static int inside_launch(void *user, enum kernel kernel)
{
    (void)user;
    launches += kernel == KERNEL_inside_winding || kernel == KERNEL_inside_rays8 ||
                kernel == KERNEL_inside_nearest || kernel == KERNEL_inside_nearest8;
    return IMP_OK;
}

static void expect_way(const way *w, const scene *c, const answers *want)
{
    atomic_int cancel = 0;
    answers got;
    device *d = way_open(w, &test_mem, &cancel);
    if (!d || !d->fp64) {
        device_close(d);
        return;
    }
    way_hook(d, inside_launch, NULL);
    launches = 0;
    answers_find(c, d, w->threads ? w->threads : 2, &got);
    EXPECT(launches > 0, "%s: no launch", w->name);
    expect_answers(w->name, c, want, &got);
    if (!strcmp(c->name, "rings"))
        EXPECT(got.open < 100 + got.count / 50 && !got.none && got.many < 1 + got.count / 1000,
               "%s, %s by %g: of %zu left open: %zu, %zu without a face, %zu with many", w->name,
               c->name, c->scale, got.count, got.open, got.none, got.many);
    answers_free(&got);
    device_close(d);
}

static void test_inside_ways(void)
{
    way list[WAYS_MOST];
    const size_t ways = ways_find(list);
    for (int i = 0; i < SCENES; i++) {
        scene c;
        answers want;
        scene_make(i, &c);
        answers_find(&c, NULL, 2, &want);
        for (size_t k = 0; k < ways; k++)
            expect_way(&list[k], &c, &want);
        answers_free(&want);
        scene_free(&c);
    }
}

/* A device whose launch fails, or that is asked to stop. */
static int inside_fail(void *user, enum kernel kernel)
{
    (void)kernel;
    return *(int *)user;
}

static void test_inside_failures(void)
{
    const way host = way_host();
    for (int i = 0; i < 2; i++) {
        int err = i ? IMP_ERR_DEVICE : IMP_ERR_CANCELLED;
        atomic_int cancel = 0;
        scene c;
        scene_make(0, &c);
        device *d = way_open(&host, &test_mem, &cancel);
        CU_ASSERT_FATAL(d != NULL);
        way_hook(d, inside_fail, &err);
        solids_pack pack = {.dev = d};
        solids s = {.mem = &test_mem, .pack = &pack, .threads = 1, .cancel = &cancel};
        CU_ASSERT(!solids_make(&c.frame, &(closed_wanted){0}, &s));
        solids_query *q = calloc(c.points, sizeof *q);
        CU_ASSERT_FATAL(q != NULL);
        for (size_t k = 0; k < c.points; k++)
            memcpy(q[k].x, c.x + 3 * k, sizeof q[k].x);
        CU_ASSERT_EQUAL(solids_windings(&s, q, c.points), err);
        atomic_store(&cancel, 1);
        err = IMP_OK;
        CU_ASSERT_EQUAL(solids_windings(&s, q, c.points), IMP_ERR_CANCELLED);
        free(q);
        solids_pack_free(&s);
        solids_free(&s);
        device_close(d);
        scene_free(&c);
    }
}

/* Without memory for the trees of the device the host answers alone. */
static void test_inside_limits(void)
{
    const way host = way_host();
    atomic_int cancel = 0;
    scene c;
    answers want, got;
    scene_make(0, &c);
    answers_find(&c, NULL, 1, &want);
    device *d = way_open(&host, &test_mem, &cancel);
    CU_ASSERT_FATAL(d != NULL);
    way_hook(d, inside_launch, NULL);
    d->largest = 4096;
    launches = 0;
    solids_pack pack = {.dev = d};
    solids s = {.mem = &test_mem, .pack = &pack, .threads = 1};
    CU_ASSERT(!solids_make(&c.frame, &(closed_wanted){0}, &s));
    got = (answers){.count = want.count,
                    .query = calloc(want.count, sizeof *got.query),
                    .at = calloc(want.count, sizeof *got.at)};
    CU_ASSERT_FATAL(got.query && got.at);
    memcpy(got.query, want.query, want.count * sizeof *got.query);
    memcpy(got.at, want.at, want.count * sizeof *got.at);
    CU_ASSERT(!solids_windings(&s, got.query, got.count));
    CU_ASSERT_EQUAL(launches, 0);
    expect_answers("no room", &c, &want, &got);
    solids_pack_free(&s);
    solids_free(&s);
    answers_free(&got);
    solids_pack_free(&s);
    solids_free(&s);
    /* all fits, but not all queries at a time */
    d->largest = 300000;
    answers_find(&c, d, 1, &got);
    CU_ASSERT(launches > 2);
    expect_answers("several launches", &c, &want, &got);
    answers_free(&got);
    device_close(d);
    answers_free(&want);
    scene_free(&c);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"ways", test_inside_ways},
                                 {"failures", test_inside_failures},
                                 {"limits", test_inside_limits},
                                 {0}};
    return test_main(argc, argv, "inside_batch", tests);
}
