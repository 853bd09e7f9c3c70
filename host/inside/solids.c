/* See solids.h: the trees, and traversals of them. */
#include "solids.h"

#include "error.h"
#include "float_env.h"

#include <math.h>
#include <string.h>

#define SOLIDS_DEGREE 8 /* the most children of a node */
#define SOLIDS_LEAF 8   /* the most primitives of a leaf */

/* ---- making */

/* Coordinates of boxes are within about [-1, 1]. */
static void solids_normalise(const imp_frame *f, const closed_mesh *c, solids *s)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double half = 0, far = 0;
    int e;
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t k = c->of[i].first; k < c->of[i].last && c->of[i].closed; k++)
            for (uint32_t n = 0; n < mesh_corners_of(f->mesh, c->prim[k]); n++) {
                double x[3];
                frame_vertex(f, mesh_vertex(f->mesh, c->prim[k], n), x);
                for (int axis = 0; axis < 3; axis++) {
                    lo[axis] = x[axis] < lo[axis] ? x[axis] : lo[axis];
                    hi[axis] = x[axis] > hi[axis] ? x[axis] : hi[axis];
                }
            }
    for (int axis = 0; axis < 3 && lo[0] <= hi[0]; axis++) {
        half = fmax(half, hi[axis] / 2 - lo[axis] / 2);
        far = fmax(far, fmax(fabs(lo[axis]), fabs(hi[axis])));
    }
    /* a small object far away: more digits than float64 has are not needed */
    half = fmax(half, far * 0x1p-60);
    frexp(half > 0 ? half : 1, &e);
    s->scale[0] = ldexp(1, -e / 2);
    s->scale[1] = ldexp(1, -e - -e / 2);
    for (int axis = 0; axis < 3; axis++)
        s->centre[axis] =
            lo[0] <= hi[0] ? (lo[axis] / 2 + hi[axis] / 2) * s->scale[0] * s->scale[1] : 0;
}

static void solids_prim_box(const solids *s, uint32_t prim, float *box)
{
    const imp_frame *f = s->mesh.frame;
    for (int k = 0; k < 3; k++) {
        box[k] = INFINITY;
        box[3 + k] = -INFINITY;
    }
    for (uint32_t n = 0; n < mesh_corners_of(f->mesh, prim); n++)
        for (int k = 0; k < 3; k++) {
            const size_t v = mesh_vertex(f->mesh, prim, n);
            const float x = solids_unit(s, k, frame_coordinate(f, v, (size_t)k));
            box[k] = x < box[k] ? x : box[k];
            box[3 + k] = x > box[3 + k] ? x : box[3 + k];
        }
}

/* start, prim: the closed objects' primitives, as tree_make expects them. */
static int solids_trees_make(solids *s, const closed_mesh *c)
{
    int err = IMP_OK;
    const tree_def def = {.volume = IMP_VOLUME_DOP,
                          .build = IMP_BUILD_BOTTOM_UP,
                          .degree = SOLIDS_DEGREE,
                          .leaf = SOLIDS_LEAF,
                          .threads = s->threads,
                          .cancel = s->cancel};
    float *box = NULL;
    uint32_t *start = NULL, *prim = NULL, trees = 0, n = 0;
    const uint32_t all = c->count ? c->of[c->count - 1].last : 0;
    TRY(mem_alloc(s->mem, (size_t)6 * c->frame->mesh->primitives * sizeof *box, &box));
    TRY(mem_alloc(s->mem, ((size_t)c->count + 1) * sizeof *start, &start));
    TRY(mem_alloc(s->mem, all * sizeof *prim, &prim));
    for (uint32_t i = 0; i < c->count; i++) {
        s->root[i] = c->of[i].closed ? trees : CLOSED_NONE;
        if (!c->of[i].closed)
            continue;
        start[trees++] = n;
        for (uint32_t k = c->of[i].first; k < c->of[i].last; k++)
            prim[n++] = c->prim[k];
    }
    start[trees] = n;
#pragma omp parallel num_threads(s->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static)
    for (int64_t i = 0; i < (int64_t)n; i++)
        solids_prim_box(s, prim[i], box + (size_t)6 * prim[i]);
    if (trees)
        TRY(tree_make(s->mem, &def, &(tree_source){.box = box}, trees, start, prim, &s->tree));
out:
    mem_free(s->mem, box);
    mem_free(s->mem, start);
    mem_free(s->mem, prim);
    return err;
}

int solids_make(const imp_frame *frame, const closed_wanted *wanted, solids *s)
{
    int err = IMP_OK;
    TRY(closed_mesh_find(s->mem, frame, wanted, s->threads, &s->mesh));
    solids_normalise(frame, &s->mesh, s);
    TRY(mem_alloc(s->mem, s->mesh.count * sizeof *s->root, &s->root));
    TRY(mem_alloc(s->mem, frame->mesh->primitives * sizeof *s->side, &s->side));
    memset(s->side, 0, frame->mesh->primitives * sizeof *s->side);
    TRY(solids_trees_make(s, &s->mesh));
out:
    if (err)
        solids_free(s);
    return err;
}

void solids_free(solids *s)
{
    tree_free(s->mem, &s->tree);
    mem_free(s->mem, s->root);
    mem_free(s->mem, s->side);
    closed_mesh_free(s->mem, &s->mesh);
    s->root = NULL;
    s->side = NULL;
}

const float *solids_box(const solids *s, uint32_t place)
{
    return s->tree.dop + (size_t)s->tree.words * s->root[place];
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

void solids_walk_push(solids_walk *w, uint32_t node)
{
    if (mem_fit(w->of->mem, w->used, &w->capacity, sizeof *w->stack, &w->stack))
        w->err = IMP_ERR_MEMORY;
    else
        w->stack[w->used++] = node;
}

static int solids_boxes_overlap(const float *box, const float lo[3], const float hi[3])
{
    return (box[0] <= hi[0]) & (box[1] <= hi[1]) & (box[2] <= hi[2]) & (box[3] >= lo[0]) &
           (box[4] >= lo[1]) & (box[5] >= lo[2]);
}

int solids_overlaps(solids_walk *w, uint32_t place, const float lo[3], const float hi[3],
                    solids_visit *visit, void *user)
{
    const tree *t = &w->of->tree;
    const size_t base = w->used;
    int found = 0;
    if (!solids_boxes_overlap(solids_box(w->of, place), lo, hi))
        return 0;
    solids_walk_push(w, w->of->root[place]);
    while (w->used > base && !found) {
        const tree_node *n = &t->node[w->stack[--w->used]];
        for (uint32_t i = n->child; i < n->child + n->children; i++)
            if (solids_boxes_overlap(t->dop + (size_t)t->words * i, lo, hi))
                solids_walk_push(w, i);
        for (uint32_t i = n->begin; i < n->end && !n->children && !found; i++)
            if (solids_boxes_overlap(t->item[i].box, lo, hi))
                found = visit(user, t->item[i].prim);
    }
    w->used = base;
    return found;
}
