/* A missile's flight to a building or an aircraft, watched by three detectors ([S] section 3): line
 * segments fixed to the missile (intersect vectors), a tree of oriented boxes, and the Sphere-OBB
 * hybrid. A fourth is the library's contacts between frames (imp_def.continuous), which also detect
 * contacts between two of them: bench_missile [PRIMITIVES [RUNS]] [--csv FILE]. One thread. Times
 * of the frame-based detectors are of queries alone: no frame is read, written or bounded. A step
 * of the fourth is a call of imp_detect, with its bounds and its broad phase. */
#include "beside.h"
#include "cpu_clock.h"
#include "error.h"
#include "exact.h"
#include "frame.h"
#include "bodies.h"
#include "scene.h"
#include "sheet.h"
#include "tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERRAIN, TARGET, MISSILE, BODIES };

#define MISSILE_UNIT 0x1p-10 /* unit of tree coordinates, in metres: the terrain is 2,000 wide */
#define SEGMENTS 5
#define FINE 0x1p-10 /* seconds: sampled so finely, a flight counts as known */
#define LATE 20      /* frames before the hit where CONTINUOUS begins: its steps are long */

enum { BUILDING, AIRCRAFT, TARGETS }; /* values of the scene's setting */

static const char *const target_names[TARGETS] = {"building", "aircraft"};

static const struct setting {
    int target;
    double speed, step;
} settings[] = {{BUILDING, 100, 0.02},  {BUILDING, 300, 0.005}, {BUILDING, 300, 0.02},
                {BUILDING, 300, 0.05},  {BUILDING, 600, 0.02},  {BUILDING, 1000, 0.02},
                {BUILDING, 1000, 0.05}, {BUILDING, 2000, 0.05}, {AIRCRAFT, 300, 0.002},
                {AIRCRAFT, 300, 0.005}, {AIRCRAFT, 300, 0.01},  {AIRCRAFT, 300, 0.02},
                {AIRCRAFT, 600, 0.005}, {AIRCRAFT, 600, 0.02}};

#define SETTINGS (sizeof settings / sizeof *settings)
#define RUNS_MOST 100

static void bench_missile_require(int err)
{
    if (!err)
        return;
    fprintf(stderr, "%s\n", imp_error_text());
    exit(1);
}

/* ---- bodies: trees, and their primitives */

typedef struct body {
    tree tree;
    tree_source from;
    double *x; /* [3 * vertices of the mesh] */
    float *box;
    uint32_t *prim, prims;
} body;

static mem memory;

/* The boxes determine the tree's shape only: later each item's box is set to contain everything, so
 * that leaves test all pairs. */
static void prim_box(const body *b, const imp_mesh *m, uint32_t i, float *out)
{
    bv_dop_none(out, 0);
    for (uint32_t k = 0; k < 3; k++) {
        const double *x = b->x + (size_t)3 * m->corner[(size_t)3 * i + k];
        const float at[6] = {(float)x[0], (float)x[1], (float)x[2],
                             (float)x[0], (float)x[1], (float)x[2]};
        bv_dop_join(out, at, 0);
    }
}

static void body_make(const imp_mesh *m, int object, const tree_def *def, body *b)
{
    static const float all[6] = {-1e9F, -1e9F, -1e9F, 1e9F, 1e9F, 1e9F};
    *b = (body){0};
    bench_missile_require(mem_alloc(&memory, (size_t)3 * m->vertices * sizeof *b->x, &b->x));
    bench_missile_require(mem_alloc(&memory, (size_t)6 * m->primitives * sizeof *b->box, &b->box));
    bench_missile_require(mem_alloc(&memory, m->primitives * sizeof *b->prim, &b->prim));
    for (size_t i = 0; i < (size_t)3 * m->vertices; i++)
        b->x[i] = m->rest[i] * MISSILE_UNIT;
    for (uint32_t i = 0; i < m->primitives; i++)
        if (m->object[i] == object) {
            b->prim[b->prims++] = i;
            prim_box(b, m, i, b->box + (size_t)6 * i);
        }
    b->from = (tree_source){b->box, NULL, m->corner, 3, b->x};
    const uint32_t start[2] = {0, b->prims};
    bench_missile_require(tree_make(&memory, def, &b->from, 1, start, b->prim, &b->tree));
    for (uint32_t i = 0; i < b->tree.items && def->volume != IMP_VOLUME_DOP; i++)
        memcpy(b->tree.item[i].box, all, sizeof all);
}

static void body_free(body *b)
{
    tree_free(&memory, &b->tree);
    mem_free(&memory, b->x);
    mem_free(&memory, b->box);
    mem_free(&memory, b->prim);
}

/* ---- poses */

static bv_pose bench_missile_place(const imp_pose *p)
{
    const pose_map map = pose_map_of(p);
    bv_pose out = {.slack = BV_MARGIN};
    memcpy(out.r, map.r, sizeof out.r);
    for (int k = 0; k < 3; k++)
        out.t[k] = map.t[k] * MISSILE_UNIT;
    return out;
}

/* The pose of f relative to e. */
static bv_pose bench_missile_relative(const bv_pose *e, const bv_pose *f)
{
    bv_pose out = {.slack = 2 * BV_MARGIN};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out.t[i] += e->r[j][i] * (f->t[j] - e->t[j]);
            for (int k = 0; k < 3; k++)
                out.r[i][j] += e->r[k][i] * f->r[k][j];
        }
    return out;
}

/* ---- exact tests in leaves */

typedef struct watch {
    const imp_mesh *mesh;
    const imp_pose *pose;         /* [BODIES] */
    uint64_t hits, tests, target; /* target: hits on the target */
    double aside;                 /* seconds not to be charged to the detector */
} watch;

static void bench_missile_corner_at(const watch *w, int of, uint32_t prim, uint32_t k,
                                    exact_point *out)
{
    const pose_map map = pose_map_of(&w->pose[of]);
    double x[3];
    pose_put(&map, w->mesh->rest + (size_t)3 * w->mesh->corner[(size_t)3 * prim + k], x);
    *out = (exact_point){{x[0], x[1], x[2]}};
}

static int tri_tri(const exact_point p[3], const exact_point q[3])
{
    static const int none[3] = {-1, -1, -1};
    exact_contact c;
    exact_tri_tri(p, q, 0, none, &c);
    return c.kind != 0;
}

static void bench_missile_count_pair(void *user, uint32_t a, uint32_t b)
{
    watch *w = user;
    exact_point p[3], q[3];
    for (uint32_t k = 0; k < 3; k++) {
        bench_missile_corner_at(w, w->mesh->object[a], a, k, &p[k]);
        bench_missile_corner_at(w, w->mesh->object[b], b, k, &q[k]);
    }
    const uint64_t hit = (uint64_t)tri_tri(p, q);
    w->tests++;
    w->hits += hit;
    w->target += w->mesh->object[a] == TARGET || w->mesh->object[b] == TARGET ? hit : 0;
}

/* ---- kinds of detectors */

enum way { VECTORS, TREES, CONTINUOUS };

enum {
    OF_VECTORS,
    OF_OBB,
    OF_HYBRID,
    OF_OBB_ALL,
    OF_HYBRID_ALL,
    OF_CONTINUOUS,
    OF_OBB_ACTIVE,
    DETECTORS
};

static const struct kind {
    const char *name;
    int volume, eager, active;
    enum way way;
} kinds[DETECTORS] = {{"vectors", IMP_VOLUME_DOP, 0, 0, VECTORS},
                      {"OBB", IMP_VOLUME_OBB, 0, 0, TREES},
                      {"hybrid", IMP_VOLUME_HYBRID, 0, 0, TREES},
                      {"OBB, all posed", IMP_VOLUME_OBB, 1, 0, TREES},
                      {"hybrid, all posed", IMP_VOLUME_HYBRID, 1, 0, TREES},
                      {"continuous", IMP_VOLUME_DOP, 0, 0, CONTINUOUS},
                      {"OBB, active first", IMP_VOLUME_OBB, 0, 1, TREES}};

/* ---- detectors: whether the missile touches anything; each tests terrain and target */

/* Frames for the library: the previous one and the current one. */
typedef struct steps {
    imp *p;
    imp_frame frame[2];
    double *point[2]; /* [3 * vertices] */
} steps;

typedef struct detector {
    const char *name;
    steps steps; /* used by CONTINUOUS only, which uses no other member */
    body of[BODIES];
    tree_stack_entry *stack;
    double segment[SEGMENTS][2][3]; /* in the missile's coordinates */
    tree_counts counts;
    int eager;  /* all of the missile's volumes are posed in advance, needed or not */
    int active; /* the missile is descended first instead of the environment */
    tree posed;
} detector;

static void segments_make(const imp_mesh *m, detector *d)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < m->primitives; i++)
        for (uint32_t k = 0; k < 3 && m->object[i] == MISSILE; k++)
            for (int a = 0; a < 3; a++) {
                const double x = m->rest[(size_t)3 * m->corner[(size_t)3 * i + k] + (size_t)a];
                lo[a] = x < lo[a] ? x : lo[a];
                hi[a] = x > hi[a] ? x : hi[a];
            }
    /* along its axis, and along the tips of its fins */
    for (int s = 0; s < SEGMENTS; s++)
        for (int e = 0; e < 2; e++) {
            d->segment[s][e][0] = e ? hi[0] : lo[0];
            d->segment[s][e][1] = s == 1 ? hi[1] : s == 2 ? lo[1] : 0;
            d->segment[s][e][2] = s == 3 ? hi[2] : s == 4 ? lo[2] : 0;
        }
}

static int box_holds(const float *box, const float *other)
{
    return bv_boxes_overlap(box, other);
}

/* A segment is represented by a degenerate triangle. */
static void segment_ask(const detector *d, watch *w, int e, const exact_point line[3])
{
    const tree *t = &d->of[e].tree;
    const pose_map map = pose_map_of(&w->pose[e]);
    float box[6];
    uint32_t stack[256], depth = 0;
    bv_dop_none(box, 0);
    for (int i = 0; i < 2; i++) {
        float at[6];
        for (int k = 0; k < 3; k++) { /* in the body's own coordinates, slightly enlarged */
            double x = 0;
            for (int j = 0; j < 3; j++)
                x += map.r[j][k] * (line[i].x[j] - map.t[j]);
            at[k] = (float)(x * MISSILE_UNIT) - 1e-6F;
            at[3 + k] = at[k] + 2e-6F;
        }
        bv_dop_join(box, at, 0);
    }
    for (stack[depth++] = 0; depth;) {
        const uint32_t i = stack[--depth];
        const tree_node *n = t->node + i;
        if (!box_holds(t->dop + (size_t)t->words * i, box))
            continue;
        if (depth + n->children > sizeof stack / sizeof *stack)
            bench_missile_require(imp_fail(IMP_ERR_MEMORY, "a tree that is too high for segments"));
        for (uint32_t k = 0; k < n->children; k++)
            stack[depth++] = n->child + k;
        for (uint32_t k = n->begin; !n->children && k < n->end; k++) {
            exact_point p[3];
            if (!box_holds(t->item[k].box, box))
                continue;
            for (uint32_t j = 0; j < 3; j++)
                bench_missile_corner_at(w, e, t->item[k].prim, j, &p[j]);
            const uint64_t hit = (uint64_t)tri_tri(p, line);
            w->tests++;
            w->hits += hit;
            w->target += e == TARGET ? hit : 0;
        }
    }
}

static void segments_ask(const detector *d, watch *w)
{
    const pose_map map = pose_map_of(&w->pose[MISSILE]);
    for (int s = 0; s < SEGMENTS; s++) {
        exact_point line[3];
        for (int k = 0; k < 3; k++) {
            double x[3];
            pose_put(&map, d->segment[s][k > 0], x);
            line[k] = (exact_point){{x[0], x[1], x[2]}};
        }
        for (int e = TERRAIN; e <= TARGET; e++)
            segment_ask(d, w, e, line);
    }
}

/* As in papers: all nodes of the moving body are posed before the query. */
static void bench_missile_pose_all(detector *d, const bv_pose *p)
{
    const tree *t = &d->of[MISSILE].tree;
    const int hybrid = t->def.volume == IMP_VOLUME_HYBRID;
    const uint32_t below = t->def.hybrid_level < t->levels ? t->def.hybrid_level : t->levels;
    const uint32_t round = hybrid ? t->level0[below] : 0;
    for (uint32_t i = 0; i < round; i++)
        d->posed.sphere[i] = bv_sphere_posed(t->sphere + i, p);
    for (uint32_t i = round; i < t->nodes; i++)
        d->posed.obb[i] = bv_obb_posed(t->obb + i, p);
}

/* The duo of the environment e and the missile, in the detector's order; pose: storage for the
 * relative pose. */
static tree_duo duo_of(const detector *d, const watch *w, int e, bv_pose *pose)
{
    const tree *still = &d->of[e].tree, *moving = &d->of[MISSILE].tree;
    const bv_pose at = bench_missile_place(&w->pose[e]), f = bench_missile_place(&w->pose[MISSILE]);
    *pose = d->active ? bench_missile_relative(&f, &at) : bench_missile_relative(&at, &f);
    return d->active ? (tree_duo){moving, still, pose} : (tree_duo){still, moving, pose};
}

static void trees_ask(detector *d, watch *w)
{
    for (int e = TERRAIN; e <= TARGET; e++) {
        bv_pose pose;
        tree_duo duo = duo_of(d, w, e, &pose);
        if (d->eager) {
            bench_missile_pose_all(d, &pose);
            duo = (tree_duo){duo.e, &d->posed, NULL};
        }
        if (tree_overlap(&duo, (tree_pair){0, 0}, &d->counts))
            tree_traverse(&duo, (tree_pair){0, 0}, d->stack, bench_missile_count_pair, w,
                          &d->counts);
    }
}

/* ---- the library, continuously */

static void steps_make(const imp_mesh *m, steps *s)
{
    static const int32_t asked[2][2] = {{TERRAIN, MISSILE}, {TARGET, MISSILE}};
    const imp_def def = {
        .device = "cpu", .threads = 1, .continuous = 1, .object_pair = asked, .object_pairs = 2};
    bench_missile_require(imp_create(&def, &s->p));
    for (int e = 0; e < 2; e++) {
        const size_t bytes = (size_t)3 * m->vertices * sizeof *s->point[e];
        bench_missile_require(mem_alloc(&memory, bytes, &s->point[e]));
        memset(s->point[e], 0, bytes);
        s->frame[e] = (imp_frame){.mesh = m, .point = s->point[e]};
    }
}

static void steps_free(steps *s)
{
    imp_destroy(s->p);
    for (int e = 0; e < 2; e++)
        mem_free(&memory, s->point[e]);
}

/* Writes the next frame; the last one becomes the previous one. */
static void steps_put(steps *s, const imp_mesh *m, const imp_pose *pose)
{
    pose_map map[BODIES];
    double *point = s->point[0];
    s->point[0] = s->point[1];
    s->point[1] = point;
    s->frame[0] = s->frame[1];
    s->frame[1] = (imp_frame){.mesh = m, .point = point, .pose = pose};
    for (int i = 0; i < BODIES; i++)
        map[i] = pose_map_of(&pose[i]);
    for (size_t i = 0; i < (size_t)3 * m->primitives; i++) {
        const size_t at = (size_t)3 * m->corner[i];
        pose_put(&map[m->object[i / 3]], m->rest + at, point + at);
    }
}

static int bench_missile_take_contacts(void *user, const imp_contacts *c)
{
    watch *w = user;
    w->hits += c->count;
    for (size_t i = 0; i < c->count; i++)
        w->target += w->mesh->object[c->a[i]] == TARGET || w->mesh->object[c->b[i]] == TARGET;
    return 0;
}

/* All contacts of the step to this frame. Its points are the caller's: computing them is not timed.
 */
static void steps_ask(steps *s, watch *w, int first)
{
    const double start = cpu_seconds();
    steps_put(s, w->mesh, w->pose);
    w->aside = cpu_seconds() - start;
    if (!first)
        bench_missile_require(imp_detect(s->p, s->frame, 2, bench_missile_take_contacts, w, NULL));
}

static void detector_make(const imp_mesh *m, const struct kind *k, const tree_def *def, detector *d)
{
    *d = (detector){.name = k->name, .eager = k->eager, .active = k->active};
    if (k->way == CONTINUOUS) {
        steps_make(m, &d->steps);
        return;
    }
    for (int i = 0; i < BODIES; i++)
        body_make(m, i, def, &d->of[i]);
    d->stack = malloc((tree_stack_size(&d->of[TERRAIN].tree, &d->of[MISSILE].tree) +
                       tree_stack_size(&d->of[TARGET].tree, &d->of[MISSILE].tree)) *
                      sizeof *d->stack);
    if (!d->stack)
        bench_missile_require(imp_fail(IMP_ERR_MEMORY, "out of memory"));
    segments_make(m, d);
    d->posed = d->of[MISSILE].tree;
    d->posed.sphere = NULL;
    d->posed.obb = NULL;
    if (k->eager) {
        bench_missile_require(
            mem_alloc(&memory, d->posed.nodes * sizeof *d->posed.sphere, &d->posed.sphere));
        bench_missile_require(
            mem_alloc(&memory, d->posed.nodes * sizeof *d->posed.obb, &d->posed.obb));
    }
}

static void detector_free(detector *d)
{
    for (int i = 0; i < BODIES; i++)
        body_free(&d->of[i]);
    mem_free(&memory, d->posed.sphere);
    mem_free(&memory, d->posed.obb);
    steps_free(&d->steps);
    free(d->stack);
}

/* ---- flights: poses alone, which do not depend on the resolution of the bodies */

typedef struct flying {
    size_t frames, late; /* late: where CONTINUOUS begins to watch */
    imp_pose (*pose)[BODIES];
} flying;

static void bench_missile_fly(uint64_t seed, const struct setting *at, double step, flying *out)
{
    const double speed = at->speed;
    const scene_value set[] = {{"speed", speed}, {"step", step}, {"target", at->target}};
    const scene_def def = {.name = "missile",
                           .primitives = 1,
                           .frames =
                               (uint64_t)ceil((1300 / speed + 2) / step), /* beyond everything */
                           .seed = seed,
                           .value = set,
                           .values = 3};
    scene *s;
    bench_missile_require(scene_create(&def, &s));
    out->pose = calloc((size_t)def.frames, sizeof *out->pose);
    if (!out->pose)
        bench_missile_require(imp_fail(IMP_ERR_MEMORY, "out of memory"));
    for (out->frames = 0; out->frames < def.frames; out->frames++) {
        imp_frame f;
        double time;
        bench_missile_require(scene_next(s, &f, &time));
        memcpy(out->pose[out->frames], f.pose, sizeof *out->pose);
    }
    scene_destroy(s);
}

/* ---- a flight with a detector: until it hits the target */

typedef struct seen {
    uint64_t hits, tests; /* pairs that meet; pairs tested in leaves */
    size_t frames;        /* up to the end of the flight */
    int target;           /* the target was touched in some frame, or between frames */
    double seconds;       /* mean time per frame */
} seen;

static seen watch_flight(detector *d, enum way way, const imp_mesh *m, const flying *f)
{
    seen out = {0};
    const double start = cpu_seconds();
    const size_t first = way == CONTINUOUS ? f->late : 0;
    double aside = 0;
    size_t i = first;
    for (; i < f->frames && !out.target; i++) {
        watch w = {.mesh = m, .pose = f->pose[i]};
        if (way == VECTORS)
            segments_ask(d, &w);
        else if (way == TREES)
            trees_ask(d, &w);
        else
            steps_ask(&d->steps, &w, i == first);
        aside += w.aside;
        out.hits += w.hits;
        out.tests += w.tests;
        out.target = w.target > 0;
    }
    out.frames = i;
    out.seconds = (cpu_seconds() - start - aside) / (double)(i - first);
    return out;
}

/* The fastest of `times` flights. */
static seen watch_often(detector *d, enum way way, const imp_mesh *m, const flying *f, int times)
{
    seen best = watch_flight(d, way, m, f);
    for (int i = 1; i < times; i++) {
        const seen one = watch_flight(d, way, m, f);
        best.seconds = one.seconds < best.seconds ? one.seconds : best.seconds;
    }
    return best;
}

/* ---- detectors at their best */

#define TIMES 5

static tree_def bench_missile_def(int volume, uint32_t leaf, uint32_t degree, uint32_t level)
{
    return (tree_def){.volume = volume,
                      .build = IMP_BUILD_TOP_DOWN,
                      .descent = IMP_DESCENT_ENVIRONMENT_FIRST,
                      .degree = degree,
                      .leaf = leaf,
                      .hybrid_level = level,
                      .threads = 1};
}

/* The leaf, the degree and, for hybrids, the level that are fastest on this flight. Where all is
 * posed the tree is the paper's: binary, down to single triangles. */
static tree_def best_def(const imp_mesh *m, const flying *f, const struct kind *kind)
{
    const int volume = kind->volume;
    static const uint32_t leaf[] = {1, 4, 8, 16, 32}, degree[] = {2, 4};
    const uint32_t levels = volume == IMP_VOLUME_HYBRID ? 20 : 1;
    const size_t leaves = kind->eager ? 1 : sizeof leaf / sizeof *leaf;
    const size_t degrees = kind->eager ? 1 : sizeof degree / sizeof *degree;
    tree_def best = bench_missile_def(volume, 1, 2, 1);
    double least = INFINITY;
    for (size_t i = 0; i < leaves; i++)
        for (size_t k = 0; k < degrees; k++)
            for (uint32_t level = 1; level <= levels; level += 1 + level / 4) {
                const tree_def def = bench_missile_def(volume, leaf[i], degree[k], level);
                detector d;
                detector_make(m, kind, &def, &d);
                double now = watch_flight(&d, kind->way, m, f).seconds;
                if (now < 2 * least) /* otherwise it will not be the best */
                    now = fmin(now, watch_often(&d, kind->way, m, f, 2).seconds);
                if (now < least) {
                    least = now;
                    best = def;
                }
                detector_free(&d);
            }
    return best;
}

/* ---- the table */

/* Titles for the building have no prefix. */
static void title_of(int target, const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", target ? target_names[target] : "", target ? ", " : "", text);
}

typedef struct bench {
    uint64_t prims;
    int flights, runs; /* flights: as requested; runs: per setting */
    int wrong, target;
    int hits; /* runs that pass through the target */
    scene *scene;
    const imp_mesh *mesh;
    detector of[DETECTORS];
    detector truth, round; /* binary trees of boxes; of spheres */
} bench;

/* The detector whose leaf, degree and level detector i uses: its own, unless their counts are
 * compared. */
static int same_trees(int i)
{
    return i == OF_OBB_ACTIVE ? OF_OBB_ALL : i;
}

static void detectors_open(bench *b, const flying *f)
{
    char title[96];
    title_of(b->target, "detectors", title, sizeof title);
    for (int i = 0; i < DETECTORS; i++) {
        const struct kind *k = &kinds[i];
        const int same = same_trees(i);
        if (k->way == CONTINUOUS) {
            detector_make(b->mesh, k, NULL, &b->of[i]);
            continue;
        }
        const tree_def best =
            same == i ? best_def(b->mesh, f, k) : b->of[same].of[MISSILE].tree.def;
        detector_make(b->mesh, k, &best, &b->of[i]);
        printf("%s: leaves of %u, degree %u", k->name, best.leaf, best.degree);
        sheet_number(title, k->name, "leaf", best.leaf);
        sheet_number(title, k->name, "degree", best.degree);
        if (k->volume == IMP_VOLUME_HYBRID) {
            printf(", spheres on %u levels", best.hybrid_level);
            sheet_number(title, k->name, "levels of spheres", best.hybrid_level);
        }
        printf("\n");
    }
}

static void bench_missile_bench_open(bench *b, int target)
{
    flying f;
    const struct setting usual = {target, 300, 0.02};
    const scene_value set = {"target", target};
    const scene_def def = {.name = "missile", .primitives = b->prims, .value = &set, .values = 1};
    b->target = target;
    b->hits = 0;
    bench_missile_require(scene_create(&def, &b->scene));
    b->mesh = scene_mesh(b->scene);
    bench_missile_fly(0, &usual, usual.step, &f);
    printf("\n%u triangles, of which the missile has one in ten; to the %s; one thread\n\n",
           b->mesh->primitives, target_names[target]);
    detectors_open(b, &f);
    const tree_def binary = bench_missile_def(IMP_VOLUME_OBB, 1, 2, 1);
    const tree_def round = bench_missile_def(IMP_VOLUME_SPHERE, 1, 2, 1);
    detector_make(b->mesh, &kinds[OF_OBB], &binary, &b->truth);
    detector_make(b->mesh, &kinds[OF_OBB], &round, &b->round);
    free(f.pose);
}

static void bench_missile_bench_close(bench *b)
{
    for (int i = 0; i < DETECTORS; i++)
        detector_free(&b->of[i]);
    detector_free(&b->truth);
    detector_free(&b->round);
    scene_destroy(b->scene);
}

static void bench_missile_print_head(void)
{
    printf("\nspeed, step, way: m/s, s, m a frame. hit: runs that go through the target. Then for "
           "each detector µs a frame and runs that it missed; ratios of µs.\n\n");
    printf("| speed | step | way | hit |");
    for (int i = 0; i < DETECTORS; i++)
        printf(" %s | missed |", kinds[i].name);
    printf(" pairs of boxes | spheres apart | only spheres |");
    printf(" hybrid / OBB | hybrid / vectors | all posed: hybrid / OBB |\n|---|---|---|---|");
    for (int i = 0; i < 2 * DETECTORS + 6; i++)
        printf("---|");
    printf("\n");
}

/* Results of all runs of a setting: seconds a frame; missed runs, and pairs that met; volumes
 * tested in all frames. */
typedef struct outcome {
    double time[DETECTORS];
    int missed[DETECTORS], hit;
    uint64_t hits[DETECTORS], tests[DETECTORS];
    beside beside; /* for the boxes of binary trees */
} outcome;

/* Leaf, degree and level are the fastest ones, so tests are reproducible counts only if none of
 * these is chosen. */
static void write_setting(const struct setting *at, const outcome *o)
{
    char text[64], title[96];
    snprintf(text, sizeof text, "%g m/s, %g s", at->speed, at->step);
    title_of(at->target, text, title, sizeof title);
    sheet_count(title, "all", "hit", (uint64_t)o->hit);
    for (int i = 0; i < DETECTORS; i++) {
        const char *name = kinds[i].name;
        sheet_seconds(title, name, "frame", o->time[i]);
        sheet_count(title, name, "missed", (uint64_t)o->missed[i]);
        sheet_count(title, name, "pairs that meet", o->hits[i]);
        if (i == OF_OBB_ALL || i == OF_OBB_ACTIVE)
            sheet_count(title, name, "volume tests", o->tests[i]);
        else if (kinds[i].way == TREES)
            sheet_number(title, name, "volume tests", (double)o->tests[i]);
    }
    sheet_count(title, "OBB, spheres beside", "volume tests", o->beside.pairs);
    sheet_count(title, "OBB, spheres beside", "boxes apart", o->beside.boxes);
    sheet_count(title, "OBB, spheres beside", "spheres apart", o->beside.spheres);
    sheet_count(title, "OBB, spheres beside", "spheres alone", o->beside.alone);
}

static void bench_missile_print_setting(const struct setting *at, const outcome *o)
{
    const double *time = o->time;
    printf("| %g | %g | %g | %d |", at->speed, at->step, at->speed * at->step, o->hit);
    for (int i = 0; i < DETECTORS; i++)
        printf(" %.2f | %d |", 1e6 * time[i], o->missed[i]);
    printf(" %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", o->beside.pairs, o->beside.spheres,
           o->beside.alone);
    printf(" %.3f | %.3f | %.3f |\n", time[OF_HYBRID] / time[OF_OBB],
           time[OF_HYBRID] / time[OF_VECTORS], time[OF_HYBRID_ALL] / time[OF_OBB_ALL]);
    fflush(stdout);
}

/* A run with all detectors. */
static void bench_run(bench *b, const flying *f, int happens, outcome *o)
{
    uint64_t hits[DETECTORS];
    for (int i = 0; i < DETECTORS; i++) {
        const uint64_t before = b->of[i].counts.volume_tests;
        const int times = kinds[i].way == CONTINUOUS ? 1 : TIMES;
        const seen s = watch_often(&b->of[i], kinds[i].way, b->mesh, f, times);
        o->time[i] += s.seconds / b->runs;
        o->missed[i] += happens && !s.target;
        o->tests[i] += (b->of[i].counts.volume_tests - before) / (uint64_t)times;
        o->hits[i] += s.hits;
        hits[i] = s.hits;
    }
    for (int i = OF_OBB; i < DETECTORS; i++)
        b->wrong |= kinds[i].way == TREES && hits[i] != hits[OF_OBB];
}

/* Counts pairs until the target is hit, as for detectors. */
static void bench_beside(bench *b, const flying *f, beside *out)
{
    const detector *d = &b->truth;
    for (size_t i = 0, hit = 0; i < f->frames && !hit; i++) {
        watch w = {.mesh = b->mesh, .pose = f->pose[i]};
        for (int e = TERRAIN; e <= TARGET; e++) {
            bv_pose pose;
            const tree_duo boxes = duo_of(d, &w, e, &pose), round = duo_of(&b->round, &w, e, &pose);
            beside_count(&boxes, &round, d->stack, out);
        }
        trees_ask(&b->truth, &w);
        hit = w.target > 0;
    }
}

/* The frame LATE frames before the hit. */
static size_t late_frame(const seen *fine, double step)
{
    const double at = (double)fine->frames * FINE / step;
    return at > LATE ? (size_t)at - LATE : 0;
}

/* All runs of one setting: four times as many for an aircraft, since each run hits another part. */
static void bench_setting(bench *b, const struct setting *at)
{
    outcome o = {0};
    b->runs = (at->target == AIRCRAFT ? 4 : 1) * b->flights;
    for (int run = 0; run < b->runs; run++) {
        flying fine, f;
        bench_missile_fly((uint64_t)run, at, FINE, &fine);
        const seen truth = watch_flight(&b->truth, TREES, b->mesh, &fine);
        bench_missile_fly((uint64_t)run, at, at->step, &f);
        f.late = late_frame(&truth, at->step);
        bench_run(b, &f, truth.target, &o);
        bench_beside(b, &f, &o.beside);
        o.hit += truth.target;
        free(fine.pose);
        free(f.pose);
    }
    b->hits += o.hit;
    b->wrong |= o.missed[OF_CONTINUOUS];
    bench_missile_print_setting(at, &o);
    write_setting(at, &o);
}

/* All settings of one target. */
static void bench_target(bench *b, int target)
{
    bench_missile_bench_open(b, target);
    bench_missile_print_head();
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings[i].target == target)
            bench_setting(b, &settings[i]);
    if (!b->hits)
        fprintf(stderr, "no run hits the %s\n", target_names[target]);
    b->wrong |= !b->hits;
    bench_missile_bench_close(b);
}

int main(int argc, char **argv)
{
    sheet_open(&argc, argv);
    bench b = {.prims = argc > 1 ? strtoull(argv[1], NULL, 10) : 60000,
               .flights = argc > 2 ? atoi(argv[2]) : 5};
    if (b.prims < 1 || b.flights < 1 || b.flights > RUNS_MOST) {
        fputs("bench_missile [PRIMITIVES [RUNS]] [--csv FILE]\n", stderr);
        return 2;
    }
    memory.limit = mem_machine();
    for (int target = 0; target < TARGETS; target++)
        bench_target(&b, target);
    if (b.wrong)
        fputs("answers differ, a hit between frames was missed, or there was none\n", stderr);
    sheet_close();
    return b.wrong;
}
