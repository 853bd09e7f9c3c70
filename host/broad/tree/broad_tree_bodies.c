/* Trees of rigid bodies with known poses (imp_pose; [S] section 2.1.2): made once, of the bodies in
 * coordinates of their own, and then only posed. Results depend on no frame before: a body's tree
 * is the same for any frame that it was made for. */
#include "broad_tree.h"

#include "error.h"
#include "float_env.h"
#include "pose.h"
#include "prim.h"

#include <string.h>

static void bodies_drop(tree_bodies *b, mem *m)
{
    void *all[] = {b->off, b->x, b->middle, b->reach, b->body, b->tree, b->place, b->current};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(m, all[i]);
    bodies_free(m, &b->of);
    *b = (tree_bodies){0};
}

void trees_bodies_free(trees *s, mem *m)
{
    tree_set_free(m, &s->rigid);
    bodies_drop(&s->bodies, m);
}

/* ---- once: the bodies in coordinates of their own */

/* The middle of each body's box there. */
static int find_middles(tree_bodies *b, mem *m, const imp_mesh *mesh, uint32_t count)
{
    int err = IMP_OK;
    double *box = NULL; /* [6 * count] low and high */
    TRY(mem_alloc(m, (size_t)6 * count * sizeof *box, &box));
    for (size_t i = 0; i < (size_t)6 * count; i++)
        box[i] = i % 6 < 3 ? INFINITY : -INFINITY;
    for (size_t i = 0; i < b->of.runs; i++) {
        const body_run *run = b->of.run + i;
        double *lo = box + (size_t)6 * b->tree[run->body], *hi = lo + 3;
        for (size_t v = run->first; v < run->last; v++)
            for (size_t a = 0; a < 3; a++) {
                const double x = mesh->rest[3 * v + a];
                lo[a] = x < lo[a] ? x : lo[a];
                hi[a] = x > hi[a] ? x : hi[a];
            }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < 3; a++)
            /* Halved before they are added: the sum may overflow. */
            b->middle[3 * i + a] = box[6 * i + a] / 2 + box[6 * i + 3 + a] / 2;
out:
    mem_free(m, box);
    return err;
}

/* The vertices of all bodies from there, in units of the frame. */
static void put_vertices(tree_bodies *b, const imp_mesh *mesh)
{
    for (size_t i = 0; i < b->of.runs; i++) {
        const body_run *run = b->of.run + i;
        const uint32_t number = b->tree[run->body];
        for (size_t v = run->first; v < run->last; v++)
            for (size_t a = 0; a < 3; a++) {
                double *x = b->x + 3 * v + a;
                *x = (mesh->rest[3 * v + a] - b->middle[(size_t)3 * number + a]) * b->scale[0] *
                     b->scale[1];
                b->reach[number] = fabs(*x) > b->reach[number] ? fabs(*x) : b->reach[number];
            }
    }
}

/* Boxes of all primitives of bodies, in their coordinates: for the shape of the trees only, so they
 * need not be rounded outward. */
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

/* Freed by bodies_drop, also after an error. */
static int bodies_alloc(trees *s, mem *m, uint32_t verts)
{
    int err = IMP_OK;
    const uint32_t n = s->rigid.tree.trees;
    tree_bodies *b = &s->bodies;
    TRY(mem_alloc(m, b->of.runs * sizeof *b->off, &b->off));
    TRY(mem_alloc(m, (size_t)3 * verts * sizeof *b->x, &b->x));
    TRY(mem_alloc(m, (size_t)3 * n * sizeof *b->middle, &b->middle));
    TRY(mem_alloc(m, n * sizeof *b->reach, &b->reach));
    memset(b->reach, 0, n * sizeof *b->reach);
    TRY(mem_alloc(m, n * sizeof *b->body, &b->body));
    TRY(mem_alloc(m, b->of.count * sizeof *b->tree, &b->tree));
    TRY(mem_alloc(m, n * sizeof *b->place, &b->place));
    TRY(mem_alloc(m, n * sizeof *b->current, &b->current));
out:
    return err;
}

static int bodies_shape(trees *s, const broad_input *in, float **box)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    tree_bodies *b = &s->bodies;
    const imp_frame *f = in->view->frame;
    const imp_mesh *mesh = f->mesh;
    const uint32_t n = s->rigid.tree.trees;
    TRY(bodies_find(m, mesh, &(bodies_of){IMP_ERR_ARGUMENT, NULL, f->number}, &b->of));
    bodies_measure(&b->of);
    TRY(bodies_alloc(s, m, in->view->verts));
    TRY(mem_alloc(m, (size_t)6 * in->view->prims * sizeof **box, box));
    memcpy(b->scale, in->bounds->normalisation.scale, sizeof b->scale);
    memset(b->tree, 0, b->of.count * sizeof *b->tree);
    for (uint32_t i = 0; i < n; i++) {
        b->body[i] = body_number(mesh->body, mesh->bodies, s->rigid.object[i]);
        b->tree[b->body[i]] = i;
    }
    TRY(find_middles(b, m, mesh, n));
    put_vertices(b, mesh);
    find_boxes(s, in->view->corners, *box);
out:
    return err;
}

/* The boxes are those of bodies at rest, so the same trees come from any frame. */
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

/* How far the vertices of a run are from where the pose puts them. One that is not finite belongs
 * to bad primitives, which meet nothing. */
static double bvh_bodies_point_error(const trees *s, const body_run *run)
{
    const bv_pose *p = s->bodies.place + s->bodies.tree[run->body];
    double most = 0;
    for (uint32_t v = run->first; v < run->last; v++) {
        const double *is = s->x + (size_t)3 * v;
        double at[3], off = 0;
        bv_point_posed(s->bodies.x + (size_t)3 * v, p, at);
        for (size_t k = 0; k < 3; k++)
            off += (is[k] - at[k]) * (is[k] - at[k]);
        most = off > most && isfinite(is[0]) && isfinite(is[1]) && isfinite(is[2]) ? off : most;
    }
    return sqrt(most);
}

/* From the body's coordinates, with the origin in its middle, to the frame's. */
static bv_pose bvh_bodies_transform(const trees *s, const broad_input *in, uint32_t i)
{
    const double *scale = s->bodies.scale;
    const pose_map map = pose_map_of(in->view->frame->pose + s->bodies.body[i]);
    double at[3];
    bv_pose p;
    pose_put(&map, s->bodies.middle + (size_t)3 * i, at);
    memcpy(p.r, map.r, sizeof p.r);
    for (int k = 0; k < 3; k++)
        p.t[k] = at[k] * scale[0] * scale[1] - in->bounds->normalisation.centre[k];
    p.slack = BV_MARGIN;
    return p;
}

/* A body may have several runs, each of another thread, so its greatest distance is found after all
 * were measured. */
static void bodies_place(trees *s, const broad_input *in)
{
    tree_bodies *b = &s->bodies;
    for (uint32_t i = 0; i < s->rigid.tree.trees; i++)
        b->place[i] = bvh_bodies_transform(s, in, i);
#pragma omp parallel num_threads(in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
    for (int64_t i = 0; i < (int64_t)b->of.runs; i++)
        b->off[i] = bvh_bodies_point_error(s, b->of.run + i);
    for (size_t i = 0; i < b->of.runs; i++) {
        double *slack = &b->place[b->tree[b->of.run[i].body]].slack;
        *slack = b->off[i] + BV_MARGIN > *slack ? b->off[i] + BV_MARGIN : *slack;
    }
    for (uint32_t i = 0; i < s->rigid.tree.trees; i++) /* margins are for BV_EXTENT */
        b->place[i].slack += 0x1p-40 * (b->reach[i] + fabs(b->place[i].t[0]) +
                                        fabs(b->place[i].t[1]) + fabs(b->place[i].t[2]));
}

/* ---- all of it */

/* k-DOPs are made of boxes of the frame and cannot be turned: only the nodes of a body's tree stay.
 */
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
    /* Trees are in the unit of a frame: a frame in another one needs new ones. */
    if (!s->rigid.ready || !trees_follow(s, in) || !s->bodies.x ||
        s->bodies.scale[0] != in->bounds->normalisation.scale[0] ||
        s->bodies.scale[1] != in->bounds->normalisation.scale[1])
        TRY(bodies_make(s, in));
    bodies_place(s, in);
    memset(s->bodies.current, 0, s->rigid.tree.trees);
out:
    return err;
}

/* Only when a tree meets another one: most bodies of a scene do not, and their leaves are not
 * compared. */
void trees_update_bounds(trees *s, uint32_t number)
{
    tree_set *r = &s->rigid;
    if (!s->bodies.current || s->bodies.current[number])
        return;
    tree_update_items(&s->from, r->start[number], r->start[number + 1], &r->tree);
    s->bodies.current[number] = 1;
}
