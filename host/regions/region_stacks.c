/* See region_unit.h: faces without an area at edges with points of contours. Those that have edges
 * in common are a stack, on one line, between faces with an area. No contour has a point on its
 * inner edges: where contours come to two of the outer edges, or to one and to a vertex, at one
 * point, the inner edges there have it, too. */
#include "error.h"
#include "exact.h"
#include "frame.h"
#include "region_unit.h"

#include <math.h>

int region_left_out(const region_unit *u, uint32_t face)
{
    const imp_frame *f = u->space.frame;
    int finite = 1;
    for (uint32_t k = 0; k < 3; k++) {
        double x[DIMENSIONS];
        frame_vertex(f, mesh_vertex(f->mesh, u->mesh->prim[face], k), x);
        finite &= isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
    }
    return !finite;
}

static int region_has_area(const region_unit *u, uint32_t face)
{
    const exact_prim p = exact_prim_of(u->space.frame, u->mesh->prim[face]);
    int area = 0;
    for (int axis = 0; axis < 3 && !area; axis++)
        area = exact_orient2d(&p.v[0], &p.v[1], &p.v[2], axis);
    return area;
}

/* ---- the faces of a stack */

static int region_add_needle(region_unit *u, uint32_t face)
{
    int err = IMP_OK;
    uint32_t *at = &u->mesh->face_at[face];
    if (*at != REGION_NONE || region_left_out(u, face) || region_has_area(u, face))
        return IMP_OK;
    TRY(mem_fit(u->mem, u->faces, &u->face_capacity, sizeof *u->face, &u->face));
    *at = (uint32_t)u->faces;
    u->face[u->faces++] = (region_face){.face = face};
out:
    return err;
}

/* Adds all that are connected with u->face[first] by edges. */
static int region_add_stack(region_unit *u, size_t first)
{
    int err = IMP_OK;
    const region_mesh *m = u->mesh;
    for (size_t i = first; i < u->faces; i++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t edge = m->edge[3 * (size_t)u->face[i].face + k];
            for (uint32_t n = edge == REGION_NONE ? 0 : m->first[edge];
                 edge != REGION_NONE && n < m->first[edge + 1]; n++)
                TRY(region_add_needle(u, m->face[n]));
        }
out:
    return err;
}

/* ---- points on a stack */

/* An end on an edge or at a vertex. */
typedef struct region_item {
    uint32_t end, edge, vertex; /* REGION_NONE: it is at a vertex, or on an edge */
} region_item;

typedef struct region_stack {
    region_unit *u;
    size_t first; /* u->face[first] on */
    const uint32_t *last, *list;
    int axis;
    region_item *item;
    size_t items, item_capacity;
    region_point *point; /* [items] */
    uint32_t *number, *work;
} region_stack;

static int region_add_item(region_stack *s, uint32_t end, uint32_t edge, uint32_t vertex)
{
    int err = IMP_OK;
    TRY(mem_fit(s->u->mem, s->items, &s->item_capacity, sizeof *s->item, &s->item));
    s->item[s->items++] = (region_item){end, edge, vertex};
out:
    return err;
}

/* Adds an end at a vertex that is on a contour. */
static int region_add_vertex_item(region_stack *s, uint32_t vertex)
{
    const region_unit *u = s->u;
    const region_cut *const cut[2] = {u->face_cut, u->edge_cut};
    const size_t cuts[2] = {u->face_cuts, u->edge_cuts};
    if (u->mesh->vertex[vertex] != REGION_NONE)
        return IMP_OK;
    for (int list = 0; list < 2; list++)
        for (size_t i = 0; i < cuts[list]; i++)
            for (int n = 0; n < 2; n++) {
                const contour_feature *f = region_feature(u, cut[list][i].end[n]);
                if (region_feature_vertices(f) == 1 && f->vertex[0] == vertex)
                    return region_add_item(s, cut[list][i].end[n], REGION_NONE, vertex);
            }
    return IMP_OK;
}

static int region_add_items(region_stack *s, uint32_t face)
{
    int err = IMP_OK;
    const region_unit *u = s->u;
    const imp_mesh *m = u->space.frame->mesh;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t edge = u->mesh->edge[3 * (size_t)face + k],
                       at = edge == REGION_NONE ? REGION_NONE : u->mesh->edge_at[edge];
        for (uint32_t i = 0; at != REGION_NONE && i < u->edge[at].ends; i++)
            TRY(region_add_item(s, s->list[s->last[at] - 1 - i], edge, REGION_NONE));
        TRY(region_add_vertex_item(s, mesh_vertex(m, u->mesh->prim[face], k)));
    }
out:
    return err;
}

/* The axis along which its faces are longest. */
static int region_stack_axis(const region_stack *s)
{
    const region_unit *u = s->u;
    double most = -1;
    int axis = 0;
    for (size_t i = s->first; i < u->faces; i++) {
        const exact_prim p = exact_prim_of(u->space.frame, u->mesh->prim[u->face[i].face]);
        for (int k = 0; k < 3; k++) {
            const double x = p.v[0].x[k], y = p.v[1].x[k], z = p.v[2].x[k];
            const double size = 0.5 * fmax(x, fmax(y, z)) - 0.5 * fmin(x, fmin(y, z));
            if (size > most) {
                most = size;
                axis = k;
            }
        }
    }
    return axis;
}

static int region_item_order(const void *of, uint32_t i, uint32_t j)
{
    const region_stack *s = of;
    return region_order_along(&s->u->space, &s->point[i], &s->point[j], s->axis);
}

static int region_is_within(const region_stack *s, uint32_t edge, const region_point *x)
{
    const region_space *space = &s->u->space;
    const region_point p = region_point_of_vertex(space, s->u->mesh->end[2 * (size_t)edge]),
                       q = region_point_of_vertex(space, s->u->mesh->end[2 * (size_t)edge + 1]);
    return region_order_along(space, &p, x, s->axis) * region_order_along(space, x, &q, s->axis) >
           0;
}

/* Adds the point of items number[from] to number[to] to the edges that have none of them there. */
static int region_add_inner(region_stack *s, size_t from, size_t to)
{
    int err = IMP_OK;
    region_unit *u = s->u;
    const uint32_t at = s->number[from];
    for (size_t i = s->first; i < u->faces; i++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t edge = u->mesh->edge[3 * (size_t)u->face[i].face + k];
            int known = edge == REGION_NONE || !region_is_within(s, edge, &s->point[at]);
            for (size_t n = from; n < to && !known; n++)
                known = s->item[s->number[n]].edge == edge;
            if (known)
                continue;
            TRY(mem_fit(u->mem, u->inners, &u->inner_capacity, sizeof *u->inner, &u->inner));
            u->inner[u->inners++] = (region_cut){.at = edge, .end = {s->item[at].end}};
        }
out:
    return err;
}

/* Finds the points to which contours come from two sides. */
static int region_find_inner(region_stack *s)
{
    int err = IMP_OK;
    mem *m = s->u->mem;
    TRY(mem_alloc(m, s->items * sizeof *s->point, &s->point));
    TRY(mem_alloc(m, s->items * sizeof *s->number, &s->number));
    TRY(mem_alloc(m, s->items * sizeof *s->work, &s->work));
    for (uint32_t i = 0; i < s->items; i++) {
        s->point[i] = region_point_of_node(&s->u->space, s->item[i].end / 2);
        s->number[i] = i;
    }
    region_sort(s->number, s->work, s->items, region_item_order, s);
    for (size_t from = 0, to; from < s->items; from = to) {
        int sides = 0;
        for (to = from; to < s->items && !region_item_order(s, s->number[from], s->number[to]);
             to++)
            sides |= s->item[s->number[to]].edge != s->item[s->number[from]].edge ||
                     s->item[s->number[to]].vertex != s->item[s->number[from]].vertex;
        if (sides)
            TRY(region_add_inner(s, from, to));
    }
out:
    return err;
}

/* A face by itself has no inner edge. */
static int region_cut_stack(region_unit *u, size_t first, const uint32_t *last,
                            const uint32_t *list)
{
    int err = IMP_OK;
    region_stack s = {.u = u, .first = first, .last = last, .list = list};
    if (u->faces - first < 2)
        return IMP_OK;
    s.axis = region_stack_axis(&s);
    for (size_t i = first; i < u->faces; i++)
        TRY(region_add_items(&s, u->face[i].face));
    TRY(region_find_inner(&s));
out:
    mem_free(u->mem, s.item);
    mem_free(u->mem, s.point);
    mem_free(u->mem, s.number);
    mem_free(u->mem, s.work);
    return err;
}

int region_add_needles(region_unit *u, const uint32_t *last, const uint32_t *list)
{
    int err = IMP_OK;
    const region_mesh *m = u->mesh;
    for (size_t i = 0; i < u->edges; i++) {
        const uint32_t edge = u->edge[i].edge;
        for (uint32_t k = m->first[edge]; k < m->first[edge + 1] && u->edge[i].ends; k++) {
            const size_t first = u->faces;
            TRY(region_add_needle(u, m->face[k]));
            TRY(region_add_stack(u, first));
            TRY(region_cut_stack(u, first, last, list));
        }
    }
out:
    return err;
}
