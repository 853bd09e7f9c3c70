/* See region_unit.h: edges of the object, and the points of contours on them. */
#include "region_unit.h"

#include "error.h"
#include "frame.h"

#include <math.h>
#include <string.h>

int region_room(mem *m, size_t keep, size_t n, size_t *capacity, size_t size, void *inout)
{
    int err = IMP_OK;
    if (n <= *capacity)
        return IMP_OK;
    const size_t more = n + *capacity + 16;
    TRY(mem_grow(m, keep * size, more * size, inout));
    *capacity = more;
out:
    return err;
}

/* The points of an edge before they are sorted. */
typedef struct region_line {
    const region_space *space;
    const region_point *point;
    int axis, sign; /* along which it is longest, and in which direction */
} region_line;

static int region_along_line(const void *of, uint32_t a, uint32_t b)
{
    const region_line *l = of;
    return l->sign * region_order_along(l->space, &l->point[a], &l->point[b], l->axis);
}

/* An edge of no length has no point within. */
static void region_line_axis(const region_unit *u, uint32_t edge, region_line *out)
{
    double x[3], y[3], most = 0;
    frame_vertex(u->space.frame, u->mesh->end[2 * (size_t)edge], x);
    frame_vertex(u->space.frame, u->mesh->end[2 * (size_t)edge + 1], y);
    out->axis = 0;
    out->sign = 1;
    for (int k = 0; k < 3; k++) {
        const double d = y[k] - x[k];
        if (fabs(d) > most) {
            most = fabs(d);
            out->axis = k;
            out->sign = d > 0 ? 1 : -1;
        }
    }
}

/* Counts an end on an edge, which becomes one of those that are cut. */
static int region_count_end(region_unit *u, uint32_t edge, uint32_t ends)
{
    int err = IMP_OK;
    if (u->mesh->edge_at[edge] == REGION_NONE) {
        TRY(mem_fit(u->mem, u->edges, &u->edge_capacity, sizeof *u->edge, &u->edge));
        u->mesh->edge_at[edge] = (uint32_t)u->edges;
        u->edge[u->edges++] = (region_edge){.edge = edge};
    }
    u->edge[u->mesh->edge_at[edge]].ends += ends;
out:
    return err;
}

/* The edge that an end of a segment in a face is on, or REGION_NONE. */
static uint32_t region_edge_of_end(const region_unit *u, const region_cut *c, int n)
{
    const contour_feature *f = region_feature(u, c->end[n]);
    return region_feature_vertices(f) == 2
               ? region_edge_between(u->mesh, c->at, f->vertex[0], f->vertex[1])
               : REGION_NONE;
}

static int region_count_ends(region_unit *u)
{
    int err = IMP_OK;
    for (size_t i = 0; i < u->face_cuts; i++)
        for (int n = 0; n < 2; n++) {
            const uint32_t edge = region_edge_of_end(u, &u->face_cut[i], n);
            if (edge != REGION_NONE)
                TRY(region_count_end(u, edge, 1));
        }
    for (size_t i = 0; i < u->edge_cuts; i++)
        for (int n = 0; n < 2; n++) {
            const contour_feature *f = region_feature(u, u->edge_cut[i].end[n]);
            TRY(region_count_end(u, u->edge_cut[i].at, region_feature_vertices(f) == 2));
        }
out:
    return err;
}

/* Lists the ends on each edge, first[number of the edge] on. */
static void region_list_ends(const region_unit *u, uint32_t *first, uint32_t *list)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < u->edges; i++) {
        first[i] = sum;
        sum += u->edge[i].ends;
    }
    for (size_t i = 0; i < u->face_cuts; i++)
        for (int n = 0; n < 2; n++) {
            const uint32_t edge = region_edge_of_end(u, &u->face_cut[i], n);
            if (edge != REGION_NONE)
                list[first[u->mesh->edge_at[edge]]++] = u->face_cut[i].end[n];
        }
    for (size_t i = 0; i < u->edge_cuts; i++)
        for (int n = 0; n < 2; n++) {
            const uint32_t end = u->edge_cut[i].end[n];
            if (region_feature_vertices(region_feature(u, end)) == 2)
                list[first[u->mesh->edge_at[u->edge_cut[i].at]]++] = end;
        }
    for (size_t i = 0; i < u->inners; i++)
        list[first[u->mesh->edge_at[u->inner[i].at]]++] = u->inner[i].end[0];
}

typedef struct region_edge_work {
    uint32_t *first, *list, *number, *work;
    region_point *point;
} region_edge_work;

/* Orders the points of an edge; equal ones become one. */
static int region_order_edge(region_unit *u, region_edge *e, const uint32_t *end,
                             const region_edge_work *w)
{
    int err = IMP_OK;
    region_line line = {.space = &u->space, .point = w->point};
    region_line_axis(u, e->edge, &line);
    for (uint32_t i = 0; i < e->ends; i++) {
        w->point[i] = region_point_of_node(&u->space, end[i] / 2);
        w->number[i] = i;
    }
    region_sort(w->number, w->work, e->ends, region_along_line, &line);
    e->first = (uint32_t)u->edge_points;
    TRY(region_room(u->mem, u->edge_points, u->edge_points + e->ends, &u->edge_point_capacity,
                    sizeof *u->edge_point, &u->edge_point));
    for (uint32_t i = 0; i < e->ends; i++) {
        const uint32_t at = w->number[i];
        if (!i || region_along_line(&line, w->number[i - 1], at)) {
            u->edge_point[u->edge_points++] = w->point[at];
            e->points++;
        }
        u->place[end[at]] = e->points - 1;
    }
    e->blocked = (uint32_t)u->blockeds;
    TRY(region_room(u->mem, u->blockeds, u->blockeds + e->points + 1, &u->blocked_capacity, 1,
                    &u->blocked));
    memset(u->blocked + u->blockeds, 0, e->points + 1);
    u->blockeds += e->points + 1;
out:
    return err;
}

/* The place of an end of a segment along an edge: 0 is the lower vertex. */
static uint32_t region_place_along(const region_unit *u, const region_edge *e, uint32_t end)
{
    const contour_feature *f = region_feature(u, end);
    if (region_feature_vertices(f) == 2)
        return u->place[end] + 1;
    return f->vertex[0] == u->mesh->end[2 * (size_t)e->edge] ? 0 : e->points + 1;
}

static void region_block(region_unit *u, region_cut *c)
{
    const region_edge *e = &u->edge[u->mesh->edge_at[c->at]];
    const uint32_t a = region_place_along(u, e, c->end[0]), b = region_place_along(u, e, c->end[1]);
    c->end[0] = a < b ? a : b;
    c->end[1] = a < b ? b : a;
    memset(u->blocked + e->blocked + c->end[0], 1, c->end[1] - c->end[0]);
}

/* Lists the ends of all edges. */
static int region_make_lists(region_unit *u, region_edge_work *w)
{
    int err = IMP_OK;
    size_t all = 0;
    for (size_t i = 0; i < u->edges; i++)
        all += u->edge[i].ends;
    mem_free(u->mem, w->first);
    mem_free(u->mem, w->list);
    w->first = w->list = NULL;
    TRY(mem_alloc(u->mem, u->edges * sizeof *w->first, &w->first));
    TRY(mem_alloc(u->mem, all * sizeof *w->list, &w->list));
    region_list_ends(u, w->first, w->list);
out:
    return err;
}

/* Lists them with those on inner edges of faces without an area. */
static int region_make_all_lists(region_unit *u, region_edge_work *w)
{
    int err = IMP_OK;
    TRY(region_make_lists(u, w));
    TRY(region_add_needles(u, w->first, w->list));
    for (size_t i = 0; i < u->inners; i++)
        TRY(region_count_end(u, u->inner[i].at, 1));
    if (u->inners)
        TRY(region_make_lists(u, w));
out:
    return err;
}

int region_cut_edges(region_unit *u)
{
    int err = IMP_OK;
    region_edge_work w = {0};
    size_t most = 0;
    TRY(region_count_ends(u));
    TRY(region_make_all_lists(u, &w));
    for (size_t i = 0; i < u->edges; i++)
        most = u->edge[i].ends > most ? u->edge[i].ends : most;
    TRY(mem_alloc(u->mem, most * sizeof *w.number, &w.number));
    TRY(mem_alloc(u->mem, most * sizeof *w.work, &w.work));
    TRY(mem_alloc(u->mem, most * sizeof *w.point, &w.point));
    for (size_t i = 0; i < u->edges; i++)
        TRY(region_order_edge(u, &u->edge[i], w.list + w.first[i] - u->edge[i].ends, &w));
    for (size_t i = 0; i < u->edge_cuts; i++)
        region_block(u, &u->edge_cut[i]);
out:
    mem_free(u->mem, w.first);
    mem_free(u->mem, w.list);
    mem_free(u->mem, w.number);
    mem_free(u->mem, w.work);
    mem_free(u->mem, w.point);
    return err;
}
