/* Scales and centres of frames (bound.c): unmoved primitives keep their bounds, a frame's bounds do
 * not depend on the other frames of its block, and one block may have two sets of points. */
#include "expect.h"
#include "frame.h"
#include "made.h"
#include "scene.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

/* Bounds of some frames in one block, read back. */
typedef struct frame_bounds {
    uint32_t prims;
    double scale[2], centre[3]; /* first frame's */
    float *box, *slab;
} frame_bounds;

static void frame_bounds_free(frame_bounds *r)
{
    free(r->box);
    free(r->slab);
    *r = (frame_bounds){0};
}

static void bounds_copy(const context *c, const block_view *b, const bounds *o, frame_bounds *out)
{
    size_t box = (size_t)6 * b->prims, slab = (size_t)2 * o->extra * b->prims;
    out->prims = b->prims;
    memcpy(out->scale, o->normalisation.scale, sizeof out->scale);
    memcpy(out->centre, o->normalisation.centre, sizeof out->centre);
    out->box = malloc((box + 1) * sizeof *out->box);
    out->slab = malloc((slab + 1) * sizeof *out->slab);
    CU_ASSERT_FATAL(out->box && out->slab);
    CU_ASSERT_EQUAL(buffer_read(c->dev, &o->broad.box, 0, out->box, box), 0);
    CU_ASSERT_EQUAL(buffer_read(c->dev, &o->broad.slab, 0, out->slab, slab), 0);
}

/* `points`: frames with the meshes of `frame` */
static void normalisation_bounds(imp *p, const imp_frame *frame, const imp_frame *points,
                                 size_t frames, frame_bounds *out)
{
    block_view b = {0};
    bounds o = {0};
    *out = (frame_bounds){0};
    int err = block_view_open(&p->mem, frame, NULL, frames, &b);
    b.frame = points;
    if (!err)
        err = bound_block(&p->context, &b, &o);
    EXPECT(!err, "%s", imp_error_text());
    if (!err)
        bounds_copy(&p->context, &b, &o, out);
    bound_free(&p->context, &o);
    block_view_close(&p->mem, &b);
}

static int same_unit(const frame_bounds *a, const frame_bounds *b)
{
    return !memcmp(a->scale, b->scale, sizeof a->scale) &&
           !memcmp(a->centre, b->centre, sizeof a->centre);
}

/* The number of primitives with the same points in two frames of one mesh; *other: those of them
 * with different bounds. */
static uint32_t unmoved(const imp_frame *f, const frame_bounds *a, const frame_bounds *b,
                        uint32_t extra, uint32_t *other)
{
    uint32_t n = 0;
    const double *x = f[0].point, *y = f[1].point;
    for (uint32_t i = 0; i < f->mesh->primitives; i++) {
        int same = 1;
        for (uint32_t c = 0; c < mesh_corners(f->mesh); c++) {
            size_t v = mesh_vertex(f->mesh, i, c);
            same = same && !memcmp(x + 3 * v, y + 3 * v, 3 * sizeof *x);
        }
        if (!same)
            continue;
        n++;
        size_t k = (size_t)2 * extra;
        *other += memcmp(a->box + (size_t)6 * i, b->box + (size_t)6 * i, 6 * sizeof *a->box) ||
                  memcmp(a->slab + k * i, b->slab + k * i, k * sizeof *a->slab);
    }
    return n;
}

/* ---- unmoved primitives */

typedef struct moves {
    uint32_t steps;        /* frames whose scale or centre differs from the previous one's */
    uint32_t still, other; /* primitives unmoved in the other frames; those with different bounds */
} moves;

static moves moves_of(imp *p, const made *m)
{
    moves r = {0};
    frame_bounds last = {0}, next;
    uint32_t extra = 4; /* for k = 14 */
    for (size_t f = 0; f < m->frames; f++) {
        normalisation_bounds(p, &m->frame[f], &m->frame[f], 1, &next);
        if (f > 0 && !same_unit(&last, &next))
            r.steps++;
        else if (f > 0 && m->frame[f].mesh == m->frame[f - 1].mesh)
            r.still += unmoved(&m->frame[f - 1], &last, &next, extra, &r.other);
        frame_bounds_free(&last);
        last = next;
    }
    frame_bounds_free(&last);
    return r;
}

static void each_way(void (*run)(imp *p, const way *w))
{
    way list[WAYS_MOST];
    size_t n = ways_few(list);
    for (size_t i = 0; i < n; i++) {
        imp *p = way_pipeline(&list[i], &(imp_def){.dop_k = 14, .block = 1});
        if (p)
            run(p, &list[i]);
        imp_destroy(p);
    }
}

#define STILL 200
#define MOVING 40 /* frames */

/* One triangle moves away from a heap of others at rest: it alone changes the frame's box, in every
 * frame. */
static void runaway(made *m)
{
    *m = (made){.name = "runaway"};
    made_part *before = NULL;
    for (int f = 0; f < MOVING; f++) {
        rng r = {5};
        made_part *q = before ? made_again(m, before) : made_add(m, STILL + 1);
        for (uint32_t i = 0; i < STILL; i++)
            made_triangle(q, i, (const double[3]){1, 2, 3}, 1, &r);
        made_triangle(q, STILL, (const double[3]){2 + f * 0.01, 2, 3}, 0.5, &r);
        before = q;
    }
}

static void runaway_run(imp *p, const way *w)
{
    made m;
    runaway(&m);
    moves r = moves_of(p, &m);
    EXPECT(r.other == 0, "%s: %u other bounds", w->name, r.other);
    EXPECT(r.steps <= 2, "%s: %u steps", w->name, r.steps);
    EXPECT(r.still == (MOVING - 1 - r.steps) * STILL, "%s: %u did not move", w->name, r.still);
    made_free(&m);
}

static void test_runaway(void)
{
    each_way(runaway_run);
}

/* ---- all scenes */

static void scenes_run(imp *p, const way *w)
{
    scene_entry e;
    for (size_t k = 0; scene_at(k, &e); k++) {
        made m;
        CU_ASSERT_FATAL(made_procedural(e.name, 500, 12, 1, &m));
        moves r = moves_of(p, &m);
        EXPECT(r.other == 0, "%s, %s: %u of %u that did not move have other bounds", w->name,
               e.name, r.other, r.still);
        made_free(&m);
    }
}

static void test_normalisation_scenes(void)
{
    each_way(scenes_run);
}

/* ---- two sets of points */

static void points_run(imp *p, const way *w)
{
    made m;
    frame_bounds alone[2], both[2];
    CU_ASSERT_FATAL(made_procedural("cloth-ball", 600, 8, 0, &m));
    for (size_t k = 0; k < 2; k++)
        normalisation_bounds(p, m.frame + 4 * k, m.frame + 4 * k, 4, &alone[k]);
    block_view b = {0};
    bounds set[2] = {{{0}}};
    CU_ASSERT_EQUAL_FATAL(block_view_open(&p->mem, m.frame, NULL, 4, &b), 0);
    for (size_t k = 0; k < 2; k++) {
        b.frame = m.frame + 4 * k;
        CU_ASSERT_EQUAL_FATAL(bound_block(&p->context, &b, &set[k]), 0);
    }
    for (size_t k = 0; k < 2; k++) {
        bounds_copy(&p->context, &b, &set[k], &both[k]);
        EXPECT(alone[k].prims == both[k].prims && same_unit(&alone[k], &both[k]) &&
                   !memcmp(alone[k].box, both[k].box, 6 * sizeof(float) * b.prims),
               "%s: other bounds than alone, set %zu", w->name, k);
        bound_free(&p->context, &set[k]);
        frame_bounds_free(&alone[k]);
        frame_bounds_free(&both[k]);
    }
    block_view_close(&p->mem, &b);
    made_free(&m);
}

static void test_normalisation_points(void)
{
    each_way(points_run);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"runaway", test_runaway},
                                 {"scenes", test_normalisation_scenes},
                                 {"points", test_normalisation_points},
                                 {0}};
    return test_main(argc, argv, "normalisation", tests);
}
