/* See region_unit.h: faces without an area that have points of contours on their edges. Such a face
 * is on a line, as a thin triangle between its longest edge and the two others. It is cut where
 * both sides have a point of a contour at one place. */
#include "error.h"
#include "frame.h"
#include "region_arrangement.h"

#include <math.h>

typedef struct region_needle {
    const region_space *space;
    const region_point *point;
    int axis;
} region_needle;

static int region_needle_order(const void *of, uint32_t i, uint32_t j)
{
    const region_needle *n = of;
    return region_order_along(n->space, &n->point[i], &n->point[j], n->axis);
}

/* The axis along which a face is longest. */
static int region_needle_axis(const region_arrangement *a)
{
    double most = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        const double x = a->point[0].x[k], y = a->point[1].x[k], z = a->point[2].x[k];
        const double size = 0.5 * fmax(x, fmax(y, z)) - 0.5 * fmin(x, fmin(y, z));
        if (size > most) {
            most = size;
            axis = k;
        }
    }
    return axis;
}

/* Marks of places on the line. */
enum { REGION_LONG = 1, REGION_SHORT = 2 };

/* The longest edge: from the first place to the last one. */
static int region_longest(const region_arrangement *a)
{
    for (int k = 0; k < 3; k++) {
        const uint32_t p = a->rank[k], q = a->rank[(k + 1) % 3];
        if ((p < q ? p : q) == 0 && (p < q ? q : p) == a->ranks - 1)
            return k;
    }
    return 0;
}

/* mark: [ranks]. A face with one edge, as all others end where they begin, has both sides there. */
static void region_mark_places(const region_unit *u, const region_arrangement *a, uint32_t face,
                               uint32_t *mark)
{
    const int longest = region_longest(a);
    const uint32_t *edge = u->mesh->edge + 3 * (size_t)face;
    const int one =
        (edge[0] != REGION_NONE) + (edge[1] != REGION_NONE) + (edge[2] != REGION_NONE) == 1;
    for (uint32_t p = 0; p < a->ranks; p++)
        mark[p] = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t n = a->edge[k] == REGION_NONE ? 0 : u->edge[a->edge[k]].points;
        const int side = one            ? REGION_LONG | REGION_SHORT
                         : k == longest ? REGION_LONG
                                        : REGION_SHORT;
        for (uint32_t i = 0; i < n; i++)
            mark[a->rank[a->base[k] + i]] |= (uint32_t)side;
        if (u->mesh->vertex[a->vertex[k]] == REGION_NONE)
            mark[a->rank[k]] |= REGION_SHORT;
    }
}

/* Numbers the pieces; piece: [ranks], of the place and what follows it, in place of its mark. */
static uint32_t region_number_places(const region_arrangement *a, uint32_t *piece)
{
    uint32_t pieces = 0;
    for (uint32_t p = 0; p < a->ranks; p++) {
        const int cut = piece[p] == (REGION_LONG | REGION_SHORT) && p && p + 1 < a->ranks;
        pieces += (uint32_t)cut;
        piece[p] = pieces;
    }
    return pieces + 1;
}

/* Shares of the length, as there is no area. */
static void region_share_length(region_unit *u, const region_arrangement *a, const region_face *f,
                                int axis, const uint32_t *piece)
{
    const double first = a->point[a->number[0]].x[axis],
                 last = a->point[a->number[a->ranks - 1]].x[axis], all = 0.5 * last - 0.5 * first;
    for (uint32_t i = 0; i < f->pieces; i++)
        u->share[f->piece + i] = 0;
    for (uint32_t p = 0; p + 1 < a->ranks && all > 0; p++) {
        const double x = a->point[a->number[p]].x[axis], y = a->point[a->number[p + 1]].x[axis];
        u->share[f->piece + piece[p]] += (0.5 * y - 0.5 * x) / all;
    }
}

/* Where a face has an edge no more, or a second time, the corner counts. */
static void region_place_intervals(region_unit *u, const region_arrangement *a,
                                   const region_face *f, const uint32_t *piece)
{
    const uint32_t first = u->mesh->faces + f->piece;
    for (int k = 0; k < 3; k++) {
        const uint32_t n = a->edge[k] == REGION_NONE ? 0 : u->edge[a->edge[k]].points;
        const int none = u->mesh->edge[3 * (size_t)f->face + (size_t)k] == REGION_NONE,
                  to = none ? k : (k + 1) % 3;
        uint32_t from = a->rank[a->turned[k] ? to : k];
        for (uint32_t i = 0; i <= n; i++) {
            const uint32_t next = a->rank[i < n          ? a->base[k] + i
                                          : a->turned[k] ? (uint32_t)k
                                                         : (uint32_t)to];
            u->border[f->border[k] + i] = first + piece[from < next ? from : next];
            from = next;
        }
    }
}

int region_cut_needle(region_unit *u, region_arrangement *a, region_face *f)
{
    int err = IMP_OK, unit[2];
    double all;
    TRY(region_border_points(u, a, f->face));
    const region_needle n = {&u->space, a->point, region_needle_axis(a)};
    TRY(region_rank_by(u, a, region_needle_order, &n));
    TRY(region_room(u->mem, 0, a->ranks, &a->piece_capacity, sizeof *a->piece, &a->piece));
    region_mark_places(u, a, f->face, a->piece);
    a->view = (region_view){.of = u->space, .axis = {n.axis, n.axis}, .scale = 1};
    TRY(region_add_pieces_of(u, a, f, region_number_places(a, a->piece), unit, &all));
    region_share_length(u, a, f, n.axis, a->piece);
    region_place_intervals(u, a, f, a->piece);
out:
    return err;
}
