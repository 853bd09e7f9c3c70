/* Trees of rigid bodies whose poses are known (imp_pose; [S] section 2.1.2): made once, of the
 * bodies in coordinates of their own, and then only put somewhere else. What results say depends on
 * no frame before: a body's tree is the same whichever frame it was made for. */
#include "broad_tree.h"

#include "error.h"
#include "pose.h"
#include "prim.h"

#include <string.h>

#define RUN_VERTICES 4096 /* of a body, which a thread looks at together */

static void bodies_free(tree_bodies *b, mem *m)
{
    void *all[] = {b->x, b->middle, b->radius, b->reach, b->body, b->place, b->fresh, b->run};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(m, all[i]);
    *b = (tree_bodies){0};
}

void trees_bodies_free(trees *s, mem *m)
{
    tree_set_free(m, &s->rigid);
    bodies_free(&s->bodies, m);
}

/* ---- once: the bodies in coordinates of their own */

/* The middle of a body's box there, and how far its farthest vertex is from the origin. */
static void find_middle(const trees *s, const imp_mesh *mesh, uint32_t i, uint32_t corners)
{
    const tree_set *r = &s->rigid;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double most = 0;
    for (uint32_t p = r->start[i]; p < r->start[i + 1]; p++)
        for (uint32_t k = 0; k < corners; k++) {
            const uint32_t v = s->from.corner[(size_t)corners * r->prim[p] + k];
            const double *x = mesh->rest + (size_t)3 * v, far = pose_length(x);
            most = far > most ? far : most;
            for (int a = 0; a < 3; a++) {
                lo[a] = x[a] < lo[a] ? x[a] : lo[a];
                hi[a] = x[a] > hi[a] ? x[a] : hi[a];
            }
        }
    for (int a = 0; a < 3; a++)
        s->bodies.middle[3 * (size_t)i + (size_t)a] = lo[a] / 2 + hi[a] / 2;
    s->bodies.radius[i] = most;
}

/* A vertex of body i from there, in units of the frame. */
static void put_vertex(const tree_bodies *b, const imp_mesh *mesh, uint32_t i, uint32_t v)
{
    for (size_t a = 0; a < 3; a++) {
        double *x = b->x + (size_t)3 * v + a;
        *x = (mesh->rest[(size_t)3 * v + a] - b->middle[3 * (size_t)i + a]) * b->scale[0] *
             b->scale[1];
        b->reach[i] = fabs(*x) > b->reach[i] ? fabs(*x) : b->reach[i];
    }
}

/* owner[verts]: whose each vertex is, UINT32_MAX at first. */
static int find_vertices(const trees *s, const imp_mesh *mesh, uint32_t corners, uint32_t *owner)
{
    const tree_set *r = &s->rigid;
    for (uint32_t i = 0; i < r->tree.trees; i++)
        for (uint32_t p = r->start[i]; p < r->start[i + 1]; p++)
            for (uint32_t k = 0; k < corners; k++) {
                const uint32_t v = s->from.corner[(size_t)corners * r->prim[p] + k];
                if (owner[v] == UINT32_MAX)
                    put_vertex(&s->bodies, mesh, i, v);
                else if (owner[v] != i)
                    return imp_fail(IMP_ERR_ARGUMENT, "vertex %u is of the bodies %d and %d", v,
                                    r->object[owner[v]], r->object[i]);
                owner[v] = i;
            }
    return IMP_OK;
}

/* Does a stretch of vertices of one body begin here? */
static int run_begins(const uint32_t *owner, uint32_t v)
{
    return owner[v] != UINT32_MAX && (v % RUN_VERTICES == 0 || owner[v - 1] != owner[v]);
}

static int find_runs(tree_bodies *b, mem *m, const uint32_t *owner, uint32_t verts)
{
    int err = IMP_OK;
    size_t runs = 0;
    for (uint32_t v = 0; v < verts; v++)
        runs += (size_t)run_begins(owner, v);
    TRY(mem_alloc(m, runs * sizeof *b->run, &b->run));
    for (uint32_t v = 0; v < verts; v++) {
        if (run_begins(owner, v))
            b->run[b->runs++] = (tree_run){.first = v, .tree = owner[v]};
        if (owner[v] != UINT32_MAX)
            b->run[b->runs - 1].last = v + 1;
    }
out:
    return err;
}

/* Boxes of all primitives of bodies, in their coordinates: for the shape of the trees only. */
static void find_boxes(const trees *s, uint32_t corners, float *box)
{
    const tree_set *r = &s->rigid;
    for (uint32_t p = 0; p < r->start[r->tree.trees]; p++) {
        float *out = box + (size_t)6 * r->prim[p];
        bv_dop_none(out, 0);
        for (uint32_t k = 0; k < corners; k++) {
            const double *x =
                s->bodies.x + (size_t)3 * s->from.corner[(size_t)corners * r->prim[p] + k];
            const float at[6] = {(float)x[0], (float)x[1], (float)x[2],
                                 (float)x[0], (float)x[1], (float)x[2]};
            bv_dop_join(out, at, 0);
        }
    }
}

static int make_room(trees *s, mem *m, uint32_t verts)
{
    int err = IMP_OK;
    const uint32_t n = s->rigid.tree.trees;
    tree_bodies *b = &s->bodies;
    TRY(mem_alloc(m, (size_t)3 * verts * sizeof *b->x, &b->x));
    TRY(mem_alloc(m, (size_t)3 * n * sizeof *b->middle, &b->middle));
    TRY(mem_alloc(m, n * sizeof *b->radius, &b->radius));
    TRY(mem_alloc(m, n * sizeof *b->reach, &b->reach));
    memset(b->reach, 0, n * sizeof *b->reach);
    TRY(mem_alloc(m, n * sizeof *b->body, &b->body));
    TRY(mem_alloc(m, n * sizeof *b->place, &b->place));
    TRY(mem_alloc(m, n * sizeof *b->fresh, &b->fresh));
out:
    return err;
}

static int bodies_shape(trees *s, const broad_input *in, float **box)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    const imp_mesh *mesh = in->view->frame->mesh;
    const uint32_t corners = in->view->corners, verts = in->view->verts;
    uint32_t *owner = NULL;
    TRY(make_room(s, m, verts));
    TRY(mem_alloc(m, verts * sizeof *owner, &owner));
    TRY(mem_alloc(m, (size_t)6 * in->view->prims * sizeof **box, box));
    memset(owner, 0xff, verts * sizeof *owner);
    memcpy(s->bodies.scale, in->bounds->units.scale, sizeof s->bodies.scale);
    for (uint32_t i = 0; i < s->rigid.tree.trees; i++) {
        s->bodies.body[i] = pose_body(mesh->body, mesh->bodies, s->rigid.object[i]);
        find_middle(s, mesh, i, corners);
    }
    TRY(find_vertices(s, mesh, corners, owner));
    TRY(find_runs(&s->bodies, m, owner, verts));
    find_boxes(s, corners, *box);
out:
    mem_free(m, owner);
    return err;
}

static int bodies_make(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    tree_source from = s->from;
    float *box = NULL;
    uint32_t above[2];
    trees_bodies_free(s, m);
    TRY(trees_find(in, s->from.box, 1, &s->rigid, above));
    TRY(bodies_shape(s, in, &box));
    from.box = box;
    from.x = s->bodies.x;
    TRY(tree_set_make(in, &from, &s->rigid));
out:
    mem_free(m, box);
    return err;
}

/* ---- of each frame: where they are */

/* Distance of vertices from where poses put them; NaN if one has none. What is
 * nowhere is of bad primitives, which meet nothing. */
static void measure(const trees *s, tree_run *run)
{
    const bv_pose *p = s->bodies.place + run->tree;
    double most = 0;
    for (uint32_t v = run->first; v < run->last && most == most; v++) {
        const double *is = s->x + (size_t)3 * v;
        double at[3], off = 0;
        bv_point_posed(s->bodies.x + (size_t)3 * v, p, at);
        for (size_t k = 0; k < 3; k++)
            off += (is[k] - at[k]) * (is[k] - at[k]);
        if (!(off <= most) && isfinite(is[0]) && isfinite(is[1]) && isfinite(is[2]))
            most = off;
    }
    run->off = sqrt(most);
}

static int off_fail(const trees *s, const imp_frame *f, const tree_run *run, double allowed)
{
    const double unit = s->bodies.scale[0] * s->bodies.scale[1];
    return imp_fail(IMP_ERR_ARGUMENT,
                    "frame %llu: body %d: one of the vertices %u to %u lies %.3g from where the "
                    "body's pose puts it; %.3g is allowed",
                    (unsigned long long)f->number, s->rigid.object[run->tree], run->first,
                    run->last - 1, run->off / unit, allowed / unit);
}

/* From the body's coordinates, whose origin is its middle here, to the frame's. */
static bv_pose place_of(const trees *s, const broad_input *in, uint32_t i)
{
    const double *scale = s->bodies.scale;
    const pose_map map = pose_map_of(in->view->frame->pose + s->bodies.body[i]);
    double at[3];
    bv_pose p;
    pose_put(&map, s->bodies.middle + (size_t)3 * i, at);
    memcpy(p.r, map.r, sizeof p.r);
    for (int k = 0; k < 3; k++)
        p.t[k] = at[k] * scale[0] * scale[1] - in->bounds->units.centre[k];
    p.slack = BV_MARGIN;
    return p;
}

static int bodies_place(trees *s, const broad_input *in)
{
    tree_bodies *b = &s->bodies;
    const imp_frame *f = in->view->frame;
    for (uint32_t i = 0; i < s->rigid.tree.trees; i++)
        b->place[i] = place_of(s, in, i);
#pragma omp parallel for schedule(guided) num_threads(in->c->threads)
    for (int64_t i = 0; i < (int64_t)b->runs; i++)
        measure(s, b->run + i);
    for (size_t i = 0; i < b->runs; i++) {
        const tree_run *run = b->run + i;
        const imp_pose *pose = f->pose + b->body[run->tree];
        bv_pose *place = b->place + run->tree;
        const double allowed =
            pose_tolerance(pose, b->radius[run->tree], f->type) * b->scale[0] * b->scale[1];
        if (!pose_valid(pose) || !(run->off <= POSE_ROUNDED * allowed + 0x1p-46))
            return off_fail(s, f, run, allowed);
        if (run->off + BV_MARGIN > place->slack)
            place->slack = run->off + BV_MARGIN;
    }
    for (uint32_t i = 0; i < s->rigid.tree.trees; i++) /* margins are for BV_EXTENT */
        b->place[i].slack += 0x1p-40 * (b->reach[i] + fabs(b->place[i].t[0]) +
                                        fabs(b->place[i].t[1]) + fabs(b->place[i].t[2]));
    return IMP_OK;
}

/* ---- all of it */

/* Boxes of the frame make k-DOPs, which cannot be turned: of a body's tree the nodes alone stay. */
static int bodies_fit(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    uint32_t above[2];
    if (s->rigid.ready && trees_follow(s, in)) {
        s->rigid.made = 1;
        return tree_refit(m, &s->from, &s->rigid.tree);
    }
    trees_bodies_free(s, m);
    TRY(trees_find(in, s->from.box, 1, &s->rigid, above));
    TRY(tree_set_make(in, &s->from, &s->rigid));
out:
    return err;
}

int trees_bodies(trees *s, const broad_input *in)
{
    int err = IMP_OK;
    if (!trees_posed(in->view)) {
        trees_bodies_free(s, in->c->mem);
        return IMP_OK;
    }
    if (in->c->opt.tree.volume == IMP_VOLUME_DOP)
        return bodies_fit(s, in);
    if (!s->rigid.ready || !trees_follow(s, in) || !s->bodies.x ||
        s->bodies.scale[0] != in->bounds->units.scale[0] ||
        s->bodies.scale[1] != in->bounds->units.scale[1])
        TRY(bodies_make(s, in));
    TRY(bodies_place(s, in));
    memset(s->bodies.fresh, 0, s->rigid.tree.trees);
out:
    return err;
}

void trees_freshen(trees *s, uint32_t number)
{
    tree_set *r = &s->rigid;
    if (!s->bodies.fresh || s->bodies.fresh[number])
        return;
    tree_items(&s->from, r->start[number], r->start[number + 1], &r->tree);
    s->bodies.fresh[number] = 1;
}
