/* See solids.h: the trees, and traversals of them. */
#include "solids.h"

#include "error.h"
#include "float_env.h"

#include <math.h>
#include <string.h>

#define SOLIDS_CHUNK 256 /* runs that a thread takes at a time */
#define SOLIDS_FEW 4096  /* vertices that are not worth several threads */

/* ---- making */

/* The box of an object, exactly. */
typedef struct solids_extent {
    double lo[3], hi[3];
} solids_extent;

static solids_extent solids_extent_none(void)
{
    const double most = INFINITY;
    return (solids_extent){{most, most, most}, {-most, -most, -most}};
}

static void solids_extent_join(solids_extent *to, const double lo[3], const double hi[3])
{
    for (int k = 0; k < 3; k++) {
        to->lo[k] = lo[k] < to->lo[k] ? lo[k] : to->lo[k];
        to->hi[k] = hi[k] > to->hi[k] ? hi[k] : to->hi[k];
    }
}

static void solids_extent_add(const imp_frame *f, uint32_t prim, solids_extent *to)
{
    const imp_mesh *m = f->mesh;
    const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * prim,
                   n = mesh_corners_of(m, prim);
    for (uint32_t k = 0; k < n; k++) {
        double x[3];
        frame_vertex(f, corner[k], x);
        solids_extent_join(to, x, x);
    }
}

/* Of the primitives prim[first] to before prim[last]. */
static solids_extent solids_extent_of(const closed_mesh *c, uint32_t first, uint32_t last)
{
    solids_extent e = solids_extent_none();
    for (uint32_t i = first; i < last; i++)
        solids_extent_add(c->frame, c->prim[i], &e);
    return e;
}

static int solids_runs_open(solids *s)
{
    int err = IMP_OK;
    const closed_mesh *c = &s->mesh;
    uint32_t runs = 0;
    TRY(mem_alloc(s->mem, ((size_t)c->count + 1) * sizeof *s->runs.first, &s->runs.first));
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t n = c->of[i].closed ? c->of[i].last - c->of[i].first : 0;
        s->runs.first[i] = runs;
        runs += n / INSIDE_WIDTH + (n % INSIDE_WIDTH != 0);
    }
    s->runs.first[c->count] = runs;
    TRY(mem_alloc(s->mem, (size_t)6 * runs * sizeof *s->runs.box, &s->runs.box));
out:
    return err;
}

/* The object of a run. */
static uint32_t solids_run_place(const solids *s, uint32_t run)
{
    uint32_t low = 0, high = s->mesh.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->runs.first[middle] <= run)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static solids_extent solids_run_extent(const solids *s, uint32_t run)
{
    const uint32_t place = solids_run_place(s, run);
    const closed_object *o = &s->mesh.of[place];
    const uint32_t from = o->first + INSIDE_WIDTH * (run - s->runs.first[place]);
    const uint32_t to = o->last - from > INSIDE_WIDTH ? from + INSIDE_WIDTH : o->last;
    return solids_extent_of(&s->mesh, from, to);
}

/* of: [mesh.count] the boxes of the closed objects */
static void solids_extents(const solids *s, solids_extent *of)
{
    const closed_mesh *c = &s->mesh;
    const uint32_t *first = s->runs.first;
#pragma omp parallel num_threads(s->threads) if (first[c->count] > SOLIDS_CHUNK)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, SOLIDS_CHUNK)
    for (uint32_t r = 0; r < first[c->count]; r++) {
        const solids_extent e = solids_run_extent(s, r);
        memcpy(s->runs.box + (size_t)6 * r, e.lo, sizeof e.lo);
        memcpy(s->runs.box + (size_t)6 * r + 3, e.hi, sizeof e.hi);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        of[i] = solids_extent_none();
        for (uint32_t r = first[i]; r < first[i + 1]; r++)
            solids_extent_join(&of[i], s->runs.box + (size_t)6 * r,
                               s->runs.box + (size_t)6 * r + 3);
    }
}

/* Coordinates of boxes are within about [-1, 1]. */
static void solids_normalise(const solids_extent *of, solids *s)
{
    solids_extent all = solids_extent_none();
    double half = 0, far = 0;
    int e;
    for (uint32_t i = 0; i < s->mesh.count; i++)
        solids_extent_join(&all, of[i].lo, of[i].hi);
    const int any = all.lo[0] <= all.hi[0];
    for (int k = 0; k < 3 && any; k++) {
        half = fmax(half, all.hi[k] / 2 - all.lo[k] / 2);
        far = fmax(far, fmax(fabs(all.lo[k]), fabs(all.hi[k])));
    }
    /* a small object far away: more digits than float64 has are not needed */
    half = fmax(half, far * 0x1p-60);
    frexp(half > 0 ? half : 1, &e);
    s->scale[0] = ldexp(1, -e / 2);
    s->scale[1] = ldexp(1, -e - -e / 2);
    for (int k = 0; k < 3; k++)
        s->centre[k] = any ? (all.lo[k] / 2 + all.hi[k] / 2) * s->scale[0] * s->scale[1] : 0;
}

static int solids_boxes(solids *s)
{
    int err = IMP_OK;
    const uint32_t count = s->mesh.count;
    solids_extent *of = NULL;
    TRY(mem_alloc(s->mem, count * sizeof *of, &of));
    TRY(mem_alloc(s->mem, (size_t)6 * count * sizeof *s->box, &s->box));
    TRY(solids_runs_open(s));
    solids_extents(s, of);
    solids_normalise(of, s);
    for (size_t i = 0; i < (size_t)6 * s->runs.first[count]; i++)
        s->runs.box[i] = s->runs.box[i] * s->scale[0] * s->scale[1];
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3 && s->mesh.of[i].closed; k++) {
            s->box[(size_t)6 * i + (size_t)k] = solids_unit(s, k, of[i].lo[k]);
            s->box[(size_t)6 * i + (size_t)k + 3] = solids_unit(s, k, of[i].hi[k]);
        }
out:
    mem_free(s->mem, of);
    return err;
}

static void solids_scale(const solids *s)
{
    const imp_frame *f = s->mesh.frame;
    const int64_t n = f->mesh->vertices;
#pragma omp parallel num_threads(s->threads) if (n > SOLIDS_FEW)
    EACH_IN_FLOAT_ENV
#pragma omp for
    for (int64_t v = 0; v < n; v++)
        for (size_t k = 0; k < 3; k++)
            s->x[3 * (size_t)v + k] = frame_coordinate(f, (size_t)v, k) * s->scale[0] * s->scale[1];
}

int solids_make(const imp_frame *frame, const closed_wanted *wanted, solids *s)
{
    int err = IMP_OK;
    TRY(closed_mesh_find(s->mem, frame, wanted, s->threads, &s->mesh));
    TRY(solids_boxes(s));
    TRY(mem_alloc(s->mem, 3 * (size_t)frame->mesh->vertices * sizeof *s->x, &s->x));
    solids_scale(s);
    TRY(mem_alloc(s->mem, frame->mesh->primitives * sizeof *s->side, &s->side));
    memset(s->side, 0, frame->mesh->primitives * sizeof *s->side);
    TRY(mem_alloc(s->mem, sizeof *s->tree, &s->tree));
    *s->tree = (solids_tree){0};
out:
    if (err)
        solids_free(s);
    return err;
}

int solids_trees(const solids *s, size_t queries)
{
    const solids_tree_source from = {.mem = s->mem,
                                     .mesh = &s->mesh,
                                     .x = s->x,
                                     .middle = s->centre,
                                     .box = s->box,
                                     .runs = &s->runs,
                                     .queries = queries,
                                     .threads = s->threads};
    return s->tree->root ? IMP_OK : solids_tree_make(&from, s->tree);
}

void solids_free(solids *s)
{
    if (s->tree)
        solids_tree_free(s->mem, s->tree);
    mem_free(s->mem, s->tree);
    mem_free(s->mem, s->box);
    mem_free(s->mem, s->runs.first);
    mem_free(s->mem, s->runs.box);
    mem_free(s->mem, s->x);
    mem_free(s->mem, s->side);
    closed_mesh_free(s->mem, &s->mesh);
    s->tree = NULL;
    s->box = NULL;
    s->runs = (solids_runs){0};
    s->x = NULL;
    s->side = NULL;
}

const float *solids_box(const solids *s, uint32_t place)
{
    return s->box + (size_t)6 * place;
}

void solids_face(const solids *s, uint32_t prim, int face, uint32_t vertex[3], exact_point out[3])
{
    const imp_frame *f = s->mesh.frame;
    const int solid = mesh_corners_of(f->mesh, prim) == (uint32_t)IMP_TETRAHEDRA;
    for (int k = 0; k < 3; k++) {
        const int corner = solid ? tet_face[face][k] : k;
        vertex[k] = mesh_vertex(f->mesh, prim, (uint32_t)corner);
        frame_vertex(f, vertex[k], out[k].x);
    }
    if (!solid)
        return;
    exact_point opposite;
    frame_vertex(f, mesh_vertex(f->mesh, prim, (uint32_t)face), opposite.x);
    if (exact_orient3d(&out[0], &out[1], &out[2], &opposite) > 0) {
        const exact_point p = out[1];
        const uint32_t v = vertex[1];
        out[1] = out[2];
        vertex[1] = vertex[2];
        out[2] = p;
        vertex[2] = v;
    }
}

int solids_surface(const solids *s, uint32_t prim, int face, uint32_t vertex[3], exact_point out[3])
{
    const closed_object *o = &s->mesh.of[s->mesh.place[prim]];
    const uint32_t corners = mesh_corners_of(s->mesh.frame->mesh, prim);
    const int faces = corners == (uint32_t)IMP_TETRAHEDRA ? 4 : 1;
    if (o->closed ? !(s->mesh.surface[prim] >> face & 1) : face >= faces)
        return 0;
    solids_face(s, prim, face, vertex, out);
    return 1;
}

/* ---- traversals */

void solids_walk_free(solids_walk *w)
{
    mem_free(w->of->mem, w->stack);
    mem_free(w->of->mem, w->near);
    *w = (solids_walk){.of = w->of};
}

void solids_walk_push(solids_walk *w, solids_visited node)
{
    if (mem_fit(w->of->mem, w->used, &w->capacity, sizeof *w->stack, &w->stack))
        w->err = IMP_ERR_MEMORY;
    else
        w->stack[w->used++] = node;
}

/* overlaps: [INSIDE_WIDTH] whether the boxes of a node overlap the box lo, hi */
static void solids_node_overlaps(const float *box, const float lo[3], const float hi[3],
                                 uint8_t *overlaps)
{
    for (int e = 0; e < INSIDE_WIDTH; e++)
        overlaps[e] =
            (uint8_t)((box[e] <= hi[0]) & (box[INSIDE_WIDTH + e] <= hi[1]) &
                      (box[2 * INSIDE_WIDTH + e] <= hi[2]) & (box[3 * INSIDE_WIDTH + e] >= lo[0]) &
                      (box[4 * INSIDE_WIDTH + e] >= lo[1]) & (box[5 * INSIDE_WIDTH + e] >= lo[2]));
}

int solids_overlaps(solids_walk *w, uint32_t place, const float lo[3], const float hi[3],
                    solids_visit *visit, void *user)
{
    const solids_tree *t = w->of->tree;
    const size_t base = w->used;
    int found = 0;
    solids_walk_push(w, (solids_visited){t->root[place], 0});
    while (w->used > base && !found) {
        const uint32_t node = w->stack[--w->used].node, below = t->below[node];
        const uint32_t *prim = t->prim + (size_t)INSIDE_WIDTH * (below & ~INSIDE_LEAF);
        uint8_t overlaps[INSIDE_WIDTH];
        solids_node_overlaps(t->box + (size_t)INSIDE_NODE * node, lo, hi, overlaps);
        for (uint32_t e = 0; e < INSIDE_WIDTH && !found; e++)
            if (overlaps[e] && below & INSIDE_LEAF)
                found = visit(user, prim[e]);
            else if (overlaps[e])
                solids_walk_push(w, (solids_visited){below + e, 0});
    }
    w->used = base;
    return found;
}
