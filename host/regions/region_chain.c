/* See region_arrangement.h: faces that one chain of segments crosses from border to border, as most
 * are. They need no arrangement: the chain has a piece on either side. */
#include "error.h"
#include "region_arrangement.h"

#include <math.h>

#define REGION_CHAIN_MOST 12 /* segments: their points are compared by pairs */

/* The points of a chain in order; its ends are on the border. */
typedef struct region_path {
    uint32_t point[REGION_CHAIN_MOST + 1];
    size_t count;
} region_path;

/* The number of chords with a point; the last one of them that is not `but`. */
static int region_chords_at(const region_arrangement *a, uint32_t point, uint32_t but,
                            uint32_t *chord)
{
    int count = 0;
    for (uint32_t i = 0; i < a->chords; i++)
        if (a->chord[i].point[0] == point || a->chord[i].point[1] == point) {
            count++;
            *chord = i == but ? *chord : i;
        }
    return count;
}

/* Returns whether the chords are a chain, whose first end is the lesser one. inner: the first point
 * that is not on the border. */
static int region_follow(const region_arrangement *a, uint32_t inner, region_path *out)
{
    uint32_t chord = REGION_NONE, point = REGION_NONE;
    for (uint32_t i = 0; i < a->chords && chord == REGION_NONE; i++)
        for (int k = 0; k < 2; k++)
            if (a->chord[i].point[k] < inner) {
                chord = i;
                point = a->chord[i].point[k];
            }
    if (chord == REGION_NONE || region_chords_at(a, point, chord, &chord) != 1)
        return 0;
    out->count = 1;
    out->point[0] = point;
    for (size_t i = 0; i < a->chords; i++) {
        point = a->chord[chord].point[a->chord[chord].point[0] == point];
        out->point[out->count++] = point;
        const int last = i + 1 == a->chords;
        if ((point < inner) != last || region_chords_at(a, point, chord, &chord) != 2 - last)
            return 0;
    }
    if (region_order(&a->view, &a->point[out->point[0]], &a->point[point]) > 0)
        for (size_t i = 0, k = out->count - 1; i < k; i++, k--) {
            const uint32_t p = out->point[i];
            out->point[i] = out->point[k];
            out->point[k] = p;
        }
    return out->point[0] != out->point[out->count - 1];
}

/* Returns whether all points within the face look different. */
static int region_apart(const region_arrangement *a, const region_path *c)
{
    const int i = a->view.axis[0], j = a->view.axis[1];
    for (size_t p = 2; p + 1 < c->count; p++)
        for (size_t q = 1; q < p; q++) {
            const double *x = a->point[c->point[p]].x, *y = a->point[c->point[q]].x;
            if (x[i] == y[i] && x[j] == y[j])
                return 0;
        }
    return 1;
}

/* ---- the border: places of points on it, from corner 0 on in the direction of the corners */

static uint32_t region_intervals(const region_unit *u, const region_arrangement *a, int k)
{
    return 1 + (a->edge[k] == REGION_NONE ? 0 : u->edge[a->edge[k]].points);
}

static uint32_t region_border_place(const region_unit *u, const region_arrangement *a,
                                    uint32_t point)
{
    uint32_t place = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t n = region_intervals(u, a, k), at = point - a->base[k];
        if (point == (uint32_t)k)
            return place;
        if (point >= a->base[k] && at + 1 < n)
            return place + (a->turned[k] ? n - 1 - at : at + 1);
        place += n;
    }
    return 0;
}

/* Returns whether a place is on the way from one place to another one, without that. */
static int region_on_way(uint32_t from, uint32_t to, uint32_t place)
{
    return from < to ? place >= from && place < to : place >= from || place < to;
}

/* ---- areas */

typedef struct region_polygon {
    const region_arrangement *a;
    const int *unit;
    const double *first; /* all others are seen from here */
    double last[2], sum; /* twice the area */
} region_polygon;

static void region_polygon_add(region_polygon *p, uint32_t point)
{
    const region_view *v = &p->a->view;
    const double *x = p->a->point[point].x;
    double d[2];
    for (int k = 0; k < 2; k++) {
        const int axis = v->axis[k];
        d[k] = times_power(v->scale * x[axis] - v->scale * p->first[axis], p->unit[k]);
    }
    p->sum += p->last[0] * d[1] - p->last[1] * d[0];
    p->last[0] = d[0];
    p->last[1] = d[1];
}

/* Twice the area between the chain and the way along the border from its end `back` to the other
 * one. place: of the first and last point. */
static double region_chain_area(const region_unit *u, const region_arrangement *a,
                                const region_path *c, const uint32_t place[2], int back,
                                const int unit[2])
{
    region_polygon p = {.a = a, .unit = unit, .first = a->point[c->point[0]].x};
    for (size_t i = 0; i < c->count; i++)
        region_polygon_add(&p, c->point[back ? i : c->count - 1 - i]);
    uint32_t corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = k ? corner[k - 1] + region_intervals(u, a, k - 1) : 0;
    const uint32_t from = place[back], to = place[!back];
    int first = 0; /* the corners in order from `from` on */
    while (first < 3 && corner[first] <= from)
        first++;
    for (int n = 0; n < 3; n++) {
        const int k = (first + n) % 3;
        if (corner[k] != from && region_on_way(from, to, corner[k]))
            region_polygon_add(&p, (uint32_t)k);
    }
    region_polygon_add(&p, c->point[back ? 0 : c->count - 1]);
    return fabs(p.sum);
}

/* ---- pieces */

/* The first piece is on the left of the chain. */
static int region_chain_pieces(region_unit *u, region_arrangement *a, region_face *f,
                               const region_path *c)
{
    int err = IMP_OK;
    const uint32_t place[2] = {region_border_place(u, a, c->point[0]),
                               region_border_place(u, a, c->point[c->count - 1])};
    int unit[2];
    double all;
    TRY(region_add_pieces_of(u, a, f, 2, unit, &all));
    const uint32_t part = u->mesh->faces + f->piece;
    const int ahead = a->view.turn > 0; /* the piece along the border from the first point on */
    for (int back = 0; back < 2; back++) {
        const double area = region_chain_area(u, a, c, place, back, unit);
        u->share[f->piece + (uint32_t)(back ? !ahead : ahead)] = all > 0 ? fmin(area / all, 1) : 0;
    }
    uint32_t first = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t n = region_intervals(u, a, k);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t at = first + (a->turned[k] ? n - 1 - i : i);
            const int way = region_on_way(place[0], place[1], at);
            u->border[f->border[k] + i] = part + (uint32_t)(way ? ahead : !ahead);
        }
        first += n;
    }
    for (size_t i = 0; i < a->chords; i++) {
        TRY(mem_fit(u->mem, u->sides, &u->side_capacity, sizeof *u->side, &u->side));
        u->side[u->sides++] = (region_side){a->chord[i].segment, f->face, {part, part + 1}};
    }
out:
    return err;
}

int region_chain(region_unit *u, region_arrangement *a, region_face *f, int *made)
{
    int err = IMP_OK;
    region_path c;
    uint32_t inner = 3;
    *made = 0;
    if (a->splits || !a->chords || a->chords > REGION_CHAIN_MOST)
        return IMP_OK;
    for (int k = 0; k < 3; k++)
        inner += region_intervals(u, a, k) - 1;
    if (!region_follow(a, inner, &c) || !region_apart(a, &c))
        return IMP_OK;
    TRY(region_chain_pieces(u, a, f, &c));
    *made = 1;
out:
    return err;
}
