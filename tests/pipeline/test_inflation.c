/* Swept bounds with inflation: contacts and candidates of steps with any separation, with rotating
 * bodies, and with points that are not finite. All devices, forms and methods find the same pairs,
 * each once; contacts are those of other code, and candidates those of a comparison of all boxes.
 */
#include "boxes.h"
#include "expect.h"
#include "oracle_ccd.h"
#include "bodies.h"
#include "prim.h"
#include "truth.h"
#include "ways.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 2
#define FRAMES (STEPS + 1)
#define PRIMS 72
#define VERTS (4 * PRIMS)
#define BODIES 4

typedef struct growth {
    const char *name;
    imp_mesh mesh;
    uint32_t corner[4 * PRIMS];
    uint8_t corner_count[PRIMS];
    int32_t object[PRIMS], body[BODIES];
    double rest[3 * VERTS], point[FRAMES][3 * VERTS];
    imp_pose pose[FRAMES][BODIES];
    imp_frame frame[FRAMES];
} growth;

/* ---- scenes: their extent is about 1 */

static void grown_scene_open(growth *s, const char *name, int corners)
{
    *s = (growth){.name = name};
    s->mesh = (imp_mesh){.corner = s->corner, .corners = corners, .object = s->object};
    for (int f = 0; f < FRAMES; f++)
        s->frame[f] =
            (imp_frame){.mesh = &s->mesh, .point = s->point[f], .number = (uint64_t)f, .time = f};
}

/* A primitive at a place; `goes`: its motion in a step. Every third of the tetrahedra is a
 * triangle. */
static void grown_add(growth *s, rng *r, const double at[3], const double size[3], double goes)
{
    const uint32_t corners = (uint32_t)s->mesh.corners, i = s->mesh.primitives++;
    double by[3];
    for (int k = 0; k < 3; k++)
        by[k] = goes * (rng_unit(r) - 0.5);
    s->object[i] = (int32_t)i % 3;
    s->corner_count[i] = (uint8_t)(corners - (corners == 4 && i % 3 == 0));
    for (uint32_t c = 0; c < corners; c++, s->mesh.vertices++) {
        s->corner[corners * i + c] = s->mesh.vertices;
        for (uint32_t k = 0; k < 3; k++) {
            const double x = at[k] + size[k] * (rng_unit(r) - 0.5);
            for (int f = 0; f < FRAMES; f++)
                s->point[f][3 * s->mesh.vertices + k] = x + f * (by[k] + 0.1 * goes * rng_unit(r));
        }
    }
}

static void add_cloud(growth *s, rng *r, uint32_t n, const double spread[3], double size)
{
    for (uint32_t i = 0; i < n; i++) {
        double at[3], edge[3];
        for (int k = 0; k < 3; k++) {
            at[k] = spread[k] * rng_unit(r);
            edge[k] = spread[k] > 0 ? size : 0;
        }
        grown_add(s, r, at, edge, spread[2] > 0 ? size : 0);
    }
}

static void make_soup(growth *s, rng *r)
{
    grown_scene_open(s, "soup", 3);
    add_cloud(s, r, 40, (const double[3]){1, 1, 1}, 0.1);
}

static void make_two(growth *s, rng *r)
{
    grown_scene_open(s, "two", 3);
    add_cloud(s, r, 2, (const double[3]){1, 1, 1}, 0.1);
}

/* Flat along z, so that only the inflation of bounds reaches out of the plane. */
static void grown_make_flat(growth *s, rng *r)
{
    grown_scene_open(s, "flat", 3);
    add_cloud(s, r, 30, (const double[3]){1, 1, 0}, 0.1);
    for (uint32_t i = 0; i < 9; i++) /* a triangle above the others in the last frame only */
        s->point[FRAMES - 1][i] += i % 3 == 2 ? 0.04 : 0;
}

static void make_line(growth *s, rng *r)
{
    grown_scene_open(s, "line", 3);
    add_cloud(s, r, 30, (const double[3]){0, 1, 0}, 0.01);
}

static void make_point(growth *s, rng *r)
{
    grown_scene_open(s, "point", 3);
    add_cloud(s, r, 5, (const double[3]){0, 0, 0}, 0);
}

/* From the whole extent down to a millionth of it. */
static void make_sizes(growth *s, rng *r)
{
    grown_scene_open(s, "sizes", 3);
    for (int i = 0; i < 40; i++) {
        const double size = exp2(-20 * rng_unit(r)),
                     at[3] = {rng_unit(r), rng_unit(r), rng_unit(r)};
        grown_add(s, r, at, (const double[3]){size, size, size}, size);
    }
}

static void make_solids(growth *s, rng *r)
{
    grown_scene_open(s, "solids", 4);
    add_cloud(s, r, 16, (const double[3]){1, 1, 1}, 0.2);
    s->mesh.corner_count = s->corner_count;
}

/* Far from the origin along the axis of its least extent. */
static void make_far(growth *s, rng *r)
{
    grown_scene_open(s, "far", 3);
    add_cloud(s, r, 30, (const double[3]){0.01, 1, 1}, 0.05);
    for (int f = 0; f < FRAMES; f++)
        for (uint32_t v = 0; v < s->mesh.vertices; v++)
            s->point[f][3 * (size_t)v] += 1e6;
}

/* Two rows side by side, which overlap only if bounds are inflated. */
static void grown_make_rows(growth *s, rng *r)
{
    grown_scene_open(s, "rows", 3);
    for (int i = 0; i < 60; i++) {
        const double at[3] = {i % 2 ? 1 : 0.2, i / 60., 0.5};
        grown_add(s, r, at, (const double[3]){0.02, 0.02, 0.02}, 0.01);
        s->object[i] = i % 2;
    }
}

/* Some primitives are bad at one instant or another, in several ways. */
static void make_bad(growth *s, rng *r)
{
    static const double bads[] = {NAN, INFINITY, -INFINITY};
    grown_scene_open(s, "bad", 3);
    add_cloud(s, r, 36, (const double[3]){1, 1, 1}, 0.1);
    for (uint32_t i = 0; i < 36; i += 5)
        s->point[i % FRAMES][9 * i + rng_below(r, 9)] = bads[i % 3];
}

/* Places the body's vertices by its pose in each frame. */
static void put_body(growth *s, uint32_t first, int body)
{
    for (int f = 0; f < FRAMES; f++) {
        const pose_map map = pose_map_of(&s->pose[f][body]);
        for (uint32_t v = first; v < first + 8; v++)
            pose_put(&map, s->rest + (size_t)3 * v, s->point[f] + (size_t)3 * v);
    }
}

/* A rod that rotates far, a little, not at all, or so fast that its bounds are unlimited. */
static void add_rod(growth *s, rng *r, int body)
{
    static const double angles[BODIES] = {2.5, 0.3, 0, 20};
    const uint32_t first = s->mesh.vertices;
    const double half[3] = {0.3, 0.02, 0.03}, angle = angles[body];
    double axis[3];
    rng_direction(r, axis);
    const double turn[4] = {cos(angle / 2), sin(angle / 2) * axis[0], sin(angle / 2) * axis[1],
                            sin(angle / 2) * axis[2]};
    for (uint32_t i = 0; i < 8; i++, s->mesh.vertices++)
        for (uint32_t k = 0; k < 3; k++)
            s->rest[3 * (first + i) + k] = i >> k & 1 ? half[k] : -half[k];
    for (int i = 0; i < 12; i += 3) {
        const uint32_t p = s->mesh.primitives++;
        s->object[p] = body;
        for (int k = 0; k < 3; k++)
            s->corner[3 * p + (uint32_t)k] = first + box_corners[i][k];
    }
    for (int f = 0; f < FRAMES; f++) {
        imp_pose *p = &s->pose[f][body];
        *p = f ? p[-BODIES] : (imp_pose){.rotation = {1}};
        for (int k = 0; k < 3; k++) {
            p->centre[k] = f ? p->centre[k] + 0.1 * rng_unit(r) : rng_unit(r);
            p->spin[k] = angle > 3 ? angle * axis[k] : 0;
        }
        if (f && angle > 0)
            pose_product(turn, p->rotation, p->rotation);
    }
    s->body[body] = body;
    put_body(s, first, body);
}

#define AMONG_RODS 5

static void make_rods(growth *s, rng *r)
{
    static const double spread[3] = {1.5, 1.5, 1};
    grown_scene_open(s, "rods", 3);
    add_cloud(s, r, AMONG_RODS, spread, 0.1);
    for (int b = 0; b < BODIES; b++)
        add_rod(s, r, b);
    add_cloud(s, r, 3 * AMONG_RODS, spread, 0.1);
    for (uint32_t i = 0; i < s->mesh.primitives; i++)
        if (i < AMONG_RODS || i >= AMONG_RODS + 4 * BODIES)
            s->object[i] = BODIES;
    s->mesh.bodies = BODIES;
    s->mesh.body = s->body;
    s->mesh.rest = s->rest;
    for (int f = 0; f < FRAMES; f++)
        s->frame[f].pose = s->pose[f];
}

/* Half of the primitives outside bodies are bad. */
static void make_bad_rods(growth *s, rng *r)
{
    make_rods(s, r);
    s->name = "bad rods";
    for (uint32_t i = 0; i < s->mesh.primitives; i += 2)
        if (s->object[i] == BODIES)
            s->point[i / 2 % FRAMES][3 * (size_t)s->corner[(size_t)3 * i] + 1] = NAN;
}

static void (*const makes[])(growth *s, rng *r) = {
    make_soup,   make_two, grown_make_flat, make_line, make_point, make_sizes,
    make_solids, make_far, grown_make_rows, make_bad,  make_rods,  make_bad_rods,
};
#define SCENES (sizeof makes / sizeof *makes)

static void grown_scene_make(growth *s, size_t which, uint64_t seed)
{
    rng r = {100 * seed + which};
    makes[which](s, &r);
}

/* Some are absurd. */
static const double separations[] = {0,  3e-3, 0.01, 0.03,  0.05, 0.3,     1,      4,
                                     10, 100,  1e9,  1e300, 1e-9, 0x1p-60, DBL_MAX};
#define SEPARATIONS (sizeof separations / sizeof *separations)
#define SEPARATIONS_FEW 2 /* for each scene; over all scenes, all are used */

/* Changes an existing pipeline, since creating one takes longer than most steps do. */
static void separate(imp *p, double by)
{
    p->def.min_separation = p->context.opt.separation = by;
}

/* ---- pairs one by one */

typedef struct range {
    double lo[3], hi[3];
} range;

/* The swept box of a primitive; returns 0 if a vertex is not finite. */
static int range_of(const imp_frame *f, uint32_t i, range *out)
{
    int finite = 1;
    *out = (range){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t k = 0; k < 8; k++) {
        double x[3];
        frame_vertex(f + k / 4, mesh_vertex(f->mesh, i, k % 4), x);
        for (int d = 0; d < 3; d++) {
            finite &= isfinite(x[d]) != 0;
            out->lo[d] = fmin(out->lo[d], x[d]);
            out->hi[d] = fmax(out->hi[d], x[d]);
        }
    }
    return finite;
}

/* The largest gap of a candidate pair along any axis: the separation, the chord error of rotating
 * bodies, and the rounding of bounds. */
static double grown_reach(const imp_frame *f, uint32_t a, uint32_t b, double separation)
{
    double by = separation * 1.00001 + 0x1p-15;
    const uint32_t pair[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (oracle_rigid_turning_body(f, f + 1, pair[i]) >= 0) {
            const rigid_mover m = rigid_mover_of(f, f + 1, pair[i]);
            by += 1.3 * rigid_mover_chord_error(&m) + 1e-5;
        }
    return by;
}

static const char *candidate_fault(const imp_frame *f, uint32_t a, uint32_t b, double separation)
{
    range p, q;
    if (a >= b)
        return "is no pair";
    if (!range_of(f, a, &p) || !range_of(f, b, &q))
        return "has a point that is not finite";
    const double by = grown_reach(f, a, b, separation);
    for (int k = 0; k < 3; k++)
        if (p.lo[k] - q.hi[k] > by || q.lo[k] - p.hi[k] > by)
            return "is far apart";
    return NULL;
}

/* Rows contain all pairs of the other code; additional pairs are close; rows are ordered and
 * unique. */
static void check_grown_candidates(const growth *s, const imp_def *def, const contact_list *rows)
{
    mem m = {0};
    size_t at = 0;
    for (uint64_t f = 0; f < STEPS; f++) {
        const imp_frame *from = s->frame + f;
        const size_t first = at;
        size_t have = 0;
        truth want;
        CU_ASSERT_EQUAL_FATAL(truth_ccd_find(&m, from, from + 1, def, NULL, 1, &want), 0);
        for (; at < rows->count && rows->row[at].frame == f; at++) {
            const struct contact_row *r = rows->row + at;
            const char *fault = candidate_fault(from, r->a, r->b, def->min_separation);
            const int later = at == first || r[-1].a < r->a || (r[-1].a == r->a && r[-1].b < r->b);
            EXPECT(!fault && later, "%s, %g: pair %u %u %s", s->name, def->min_separation, r->a,
                   r->b, fault ? fault : "comes again");
            have += have < want.count && want.row[have].a == r->a && want.row[have].b == r->b;
        }
        EXPECT(have == want.count, "%s, %g, step %d: %u %u is missing", s->name,
               def->min_separation, (int)f, want.row[have].a, want.row[have].b);
        truth_free(&m, &want);
    }
    EXPECT(at == rows->count, "%s: rows of other steps", s->name);
}

/* ---- contacts: those of other code */

static const struct contact_row *grown_find_row(const contact_list *l, uint64_t f, uint32_t a,
                                                uint32_t b)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == f && l->row[i].a == a && l->row[i].b == b)
            return &l->row[i];
    return NULL;
}

/* The fault of a row whose pair rotates, or NULL. */
static const char *turning_row_fault(oracle *o, const imp_frame *f, const imp_def *def,
                                     const struct contact_row *r)
{
    const truth_rigid_ccd_claim claim = {.a = r->a,
                                         .b = r->b,
                                         .kind = r->kind,
                                         .toi = r->toi,
                                         .feature_a = r->feature[0],
                                         .feature_b = r->feature[1],
                                         .point = r->point};
    return truth_rigid_ccd_fault(o, f, f + 1, def, &claim);
}

static void check_grown_step(const growth *s, const imp_def *def, const contact_list *rows,
                             uint64_t f)
{
    mem m = {0};
    const imp_frame *from = s->frame + f;
    const truth_case c = {.f = {from, from + 1}, .frames = 2, .def = def};
    oracle *o = oracle_open();
    size_t exact = 0;
    truth want;
    CU_ASSERT_EQUAL_FATAL(truth_ccd_find(&m, from, from + 1, def, NULL, 1, &want), 0);
    for (size_t i = 0; i < rows->count; i++) {
        const struct contact_row *r = rows->row + i;
        if (r->frame != f)
            continue;
        if (!(r->kind & IMP_KIND_AT_START) && truth_rigid_ccd(&c, r->a, r->b)) {
            const char *fault = turning_row_fault(o, from, def, r);
            EXPECT(!fault, "%s, %g: pair %u %u %s", s->name, def->min_separation, r->a, r->b,
                   fault);
            continue;
        }
        const truth_row *t = exact < want.count ? want.row + exact++ : NULL;
        EXPECT(t && t->a == r->a && t->b == r->b && t->kind == r->kind && t->toi == r->toi,
               "%s, %g: pair %u %u is another row", s->name, def->min_separation, r->a, r->b);
    }
    EXPECT(exact == want.count, "%s, %g: %zu exact rows, not %zu", s->name, def->min_separation,
           exact, want.count);
    for (size_t i = 0; i < want.turning; i++) {
        const truth_row *t = want.turning_row + i;
        EXPECT(grown_find_row(rows, f, t->a, t->b) != NULL, "%s, %g: pair %u %u is missing",
               s->name, def->min_separation, t->a, t->b);
    }
    oracle_close(o);
    truth_free(&m, &want);
}

static void check_grown_rows(const growth *s, const imp_def *def, const contact_list *rows)
{
    if (def->stage == IMP_STAGE_CANDIDATES)
        check_grown_candidates(s, def, rows);
    for (uint64_t f = 0; f < STEPS && def->stage != IMP_STAGE_CANDIDATES; f++)
        check_grown_step(s, def, rows, f);
}

/* ---- all devices and forms */

/* Checks a pipeline's rows and numbers of candidates; all pipelines have the same ones. */
static void check_pipe(const pipe *q, const growth *s, contact_list *first, imp_frame_info *known)
{
    contact_list rows = {0};
    imp_frame_info info[FRAMES];
    const char *what = NULL;
    if (imp_detect(q->p, s->frame, FRAMES, contact_list_sink, &rows, info))
        what = imp_error_text();
    else if (first->row && !contact_list_equal(&rows, first))
        what = "other rows";
    for (int f = 0; f < STEPS && !what && first->row; f++)
        if (info[f].candidates != known[f].candidates || info[f].bad != known[f].bad)
            what = "other candidates";
    char text[80];
    snprintf(text, sizeof text, "%s, separation %g", s->name, q->p->def.min_separation);
    if (what)
        way_failed(q->way, q->method, text, what);
    if (first->row) {
        contact_list_free(&rows);
        return;
    }
    *first = rows;
    memcpy(known, info, sizeof info);
}

/* Compares all pipelines with the first one, that of the host. Devices with drivers take turns. */
static void check_pipes(const pipes *all, size_t turn, const growth *s, double separation,
                        contact_list *first)
{
    imp_frame_info known[FRAMES] = {{0}};
    *first = (contact_list){0};
    for (size_t i = 0; i < all->count; i++) {
        const pipe *q = &all->list[i];
        if (q->way->opencl && turn % all->ways != (size_t)(q->way - all->way))
            continue;
        separate(q->p, separation);
        check_pipe(q, s, first, known);
    }
}

/* Compares the rows with the other code's, too. */
static void check_grown_scene(const pipes *all, size_t turn, const imp_def *base, const growth *s,
                              double separation)
{
    contact_list first;
    imp_def def = *base;
    def.min_separation = separation;
    check_pipes(all, turn, s, separation, &first);
    check_grown_rows(s, &def, &first);
    contact_list_free(&first);
}

/* The first `most` primitives of each scene, with `count` separations. */
static void check_grown_all(const imp_def *base, uint32_t most, size_t count)
{
    pipes all;
    imp_def def = *base;
    def.continuous = 1;
    def.on_bad = IMP_BAD_SKIP;
    pipes_open(&all, &def, 0);
    const uint64_t seeds = (test_cases(1) + 9) / 10; /* each is several hundred cases */
    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (size_t k = 0; k < SCENES; k++) {
            growth s;
            grown_scene_make(&s, k, seed);
            if (s.mesh.primitives > most)
                s.mesh.primitives = most;
            for (size_t i = 0; i < count; i++)
                check_grown_scene(&all, k + i, &def, &s,
                                  separations[(count * k + i) % SEPARATIONS]);
        }
    pipes_close(&all);
}

static void test_grown_candidates(void)
{
    const imp_def boxes = {.stage = IMP_STAGE_CANDIDATES},
                  dops = {.stage = IMP_STAGE_CANDIDATES, .pairs = IMP_PAIRS_BETWEEN, .dop_k = 26};
    check_grown_all(&boxes, PRIMS, SEPARATIONS);
    check_grown_all(&dops, PRIMS, SEPARATIONS);
}

static void test_grown_contacts(void)
{
    const size_t more = test_count(1) > 1 ? SEPARATIONS : SEPARATIONS_FEW;
    check_grown_all(&(imp_def){.verify = 1000}, 9, more);
}

/* Random scenes, few of which have a pair at the limit of a method's search range, with separations
 * of 0.3 to 5 % of the extent. */
static void test_grown_random(void)
{
    const imp_def def = {
        .continuous = 1, .stage = IMP_STAGE_CANDIDATES, .on_bad = IMP_BAD_SKIP, .block = 1};
    const uint64_t count = test_cases(48);
    uint64_t rows = 0;
    pipes all;
    pipes_open(&all, &def, 0);
    for (uint64_t i = 0; i < count; i++) {
        rng r = {7000 + i};
        growth s;
        contact_list first;
        const double size = 0.1 + 0.2 * rng_unit(&r), by = 0.003 + 0.047 * rng_unit(&r),
                     spread[3] = {rng_unit(&r), rng_unit(&r), rng_unit(&r)};
        grown_scene_open(&s, "random", 3);
        add_cloud(&s, &r, PRIMS, spread, size);
        check_pipes(&all, i, &s, by, &first);
        rows += first.count;
        contact_list_free(&first);
    }
    CU_ASSERT(rows > 100 * count);
    pipes_close(&all);
}

/* Trees with any volume have the candidates of all other methods: volumes of the points in one
 * frame do not bound a step. */
static void test_volumes(void)
{
    static const int volumes[] = {IMP_VOLUME_DOP, IMP_VOLUME_SPHERE, IMP_VOLUME_OBB,
                                  IMP_VOLUME_HYBRID};
    const way w = way_host();
    for (size_t k = 0; k < SCENES; k++) {
        growth s;
        contact_list rows[4] = {{0}};
        grown_scene_make(&s, k, 1);
        for (int v = 0; v < 4; v++) {
            const imp_def def = {.continuous = 1,
                                 .stage = IMP_STAGE_CANDIDATES,
                                 .on_bad = IMP_BAD_SKIP,
                                 .broad = "tree",
                                 .volume = volumes[v],
                                 .min_separation = k % 2 ? 0.05 : 0};
            imp *p = way_pipeline(&w, &def);
            EXPECT(!imp_detect(p, s.frame, FRAMES, contact_list_sink, &rows[v], NULL), "%s: %s",
                   s.name, imp_error_text());
            EXPECT(contact_list_equal(&rows[0], &rows[v]), "%s: volume %d finds others", s.name,
                   volumes[v]);
            imp_destroy(p);
        }
        for (int v = 0; v < 4; v++)
            contact_list_free(&rows[v]);
    }
}

/* ---- bounds alone */

#define GROWN ((size_t)400)
#define GROWN_FRAMES 8
#define GROWN_AXES ((size_t)2)
#define GROWN_FLOATS (GROWN * (BOX_BOUNDS + 2 * GROWN_AXES))

typedef struct grown {
    uint32_t prim0[GROWN_FRAMES + 1];
    double by[GROWN_FRAMES], margin[GROWN];
    float bound[GROWN_FLOATS]; /* boxes, then slabs */
} grown;

/* Bounds at random places of a frame, inflated by each distance; some are empty. */
static void grown_make(grown *g, rng *r)
{
    static const double by[GROWN_FRAMES] = {0, 1e-12, 1e-3, 0.4, 3.9, 4, 1e300, INFINITY};
    memcpy(g->by, by, sizeof by);
    for (uint32_t f = 0; f <= GROWN_FRAMES; f++)
        g->prim0[f] = (uint32_t)GROWN / GROWN_FRAMES * f;
    for (size_t i = 0; i < GROWN; i++) {
        float *box = g->bound + BOX_BOUNDS * i, *slab = g->bound + BOX_BOUNDS * GROWN;
        g->margin[i] = i % 3 ? 0 : i % 5 ? 5 * rng_unit(r) : i % 2 ? NAN : 0x1p-60;
        for (size_t k = 0; k < 3; k++) {
            box[k] = (float)(2 * rng_unit(r) - 1);
            box[k + 3] = box[k] + (1 - box[k]) * (float)rng_unit(r);
        }
        for (size_t k = 0; k < GROWN_AXES; k++) {
            float *at = slab + 2 * (GROWN_AXES * i + k);
            at[0] = (float)(6 * rng_unit(r) - 3);
            at[1] = at[0] + (3 - at[0]) * (float)rng_unit(r);
        }
        for (uint32_t k = 0; k < BOX_BOUNDS && i % 7 == 0; k++)
            box[k] = box_none(k);
    }
}

static int grown_run(device *d, const grown *g, float out[GROWN_FLOATS])
{
    const size_t boxes = GROWN * BOX_BOUNDS, slabs = GROWN * 2 * GROWN_AXES;
    buffer_u32 prim0 = {0};
    buffer_f64 by = {0}, margin = {0};
    buffer_f32 box = {0}, slab = {0};
    int err = buffer_put(d, &prim0, g->prim0, GROWN_FRAMES + 1);
    err = err ? err : buffer_put(d, &by, g->by, GROWN_FRAMES);
    err = err ? err : buffer_put(d, &margin, g->margin, GROWN);
    err = err ? err : buffer_put(d, &box, g->bound, boxes);
    err = err ? err : buffer_put(d, &slab, g->bound + boxes, slabs);
    err = err ? err
              : RUN(d, bound_grow, GROWN, GROWN_FRAMES, &prim0, &by, 1, &margin,
                    (uint32_t)GROWN_AXES, &box, &slab);
    err = err ? err : buffer_read(d, &box, 0, out, boxes);
    err = err ? err : buffer_read(d, &slab, 0, out + boxes, slabs);
    buffer *all[] = {&prim0.raw, &by.raw, &margin.raw, &box.raw, &slab.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(d, all[i]);
    return err;
}

static int same_bits(const float *x, const float *y)
{
    int same = 1;
    for (size_t i = 0; i < GROWN_FLOATS; i++)
        same &= bits_from_f32(x[i]) == bits_from_f32(y[i]);
    return same;
}

/* Whether a bound moved outward by at least `by`, and by little more. Sums are exact in long
 * double. */
static int grows(float was, float is, long double by, int up)
{
    const long double out = up ? (long double)is - was : (long double)was - is;
    return by == 0 ? is == was : out >= by && out <= by + 0x1p-20L;
}

static const char *grown_fault(const grown *g, const float *is, size_t i)
{
    const float *box = g->bound + BOX_BOUNDS * i, *now = is + BOX_BOUNDS * i;
    const size_t first = BOX_BOUNDS * GROWN + 2 * GROWN_AXES * i;
    const double by = g->by[i / (GROWN / GROWN_FRAMES)] + g->margin[i],
                 most = by < BOUND_GROW_MOST ? by : BOUND_GROW_MOST;
    const int empty = !box_enters(box);
    int good = 1, reaches = 1;
    for (size_t k = 0; k < BOX_BOUNDS; k++)
        good &= grows(box[k], now[k], empty ? 0 : most, k >= 3) &&
                (empty || fabsf(now[k]) <= BOUND_REACH);
    for (size_t k = 0; k < 2 * GROWN_AXES; k++)
        good &=
            grows(g->bound[first + k], is[first + k], empty ? 0 : 1.7320509L * most, k % 2 == 1) &&
            fabsf(is[first + k]) < BOUND_NONE;
    for (size_t k = 0; k < 3 && most == BOUND_GROW_MOST && !empty; k++)
        reaches &= now[k] < -1 && now[k + 3] > 1;
    for (size_t k = 0; k < GROWN_AXES && most == BOUND_GROW_MOST && !empty; k++)
        reaches &= is[first + 2 * k] < -3 && is[first + 2 * k + 1] > 3;
    return !good ? "has grown by another length" : reaches ? NULL : "does not hold all";
}

static void test_grown_outward(void)
{
    static grown g;
    static float first[GROWN_FLOATS], is[GROWN_FLOATS];
    rng r = {3};
    way list[WAYS_MOST];
    const size_t n = ways_find(list);
    grown_make(&g, &r);
    for (size_t w = 0; w < n; w++) {
        mem m = {0};
        device *d = way_open(&list[w], &m, NULL);
        if (d && d->fp64) {
            EXPECT(!grown_run(d, &g, w ? is : first), "%s: %s", list[w].name, imp_error_text());
            EXPECT(!w || same_bits(first, is), "%s: other bits", list[w].name);
        }
        device_close(d);
    }
    for (size_t i = 0; i < GROWN; i++) {
        const char *fault = grown_fault(&g, first, i);
        EXPECT(!fault, "box %zu %s", i, fault);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"candidates", test_grown_candidates}, {"contacts", test_grown_contacts},
        {"random", test_grown_random},         {"volumes", test_volumes},
        {"outward", test_grown_outward},       {0},
    };
    return test_main(argc, argv, "inflation", tests);
}
