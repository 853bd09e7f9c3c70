/* See region_arrangement.h: the points of a face, and the links between them. */
#include "error.h"
#include "frame.h"
#include "region_arrangement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorting */

static int region_key_order(const void *p, const void *q)
{
    const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

#define REGION_KEYS_FEW 24

void region_sort_keys(uint64_t *key, size_t n)
{
    if (n > REGION_KEYS_FEW) {
        qsort(key, n, sizeof *key, region_key_order);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint64_t x = key[i];
        size_t k = i;
        for (; k > 0 && key[k - 1] > x; k--)
            key[k] = key[k - 1];
        key[k] = x;
    }
}

static int region_piece_order(const void *p, const void *q)
{
    const region_piece_of *x = p, *y = q;
    if (x->points != y->points)
        return x->points < y->points ? -1 : 1;
    return (x->chord > y->chord) - (x->chord < y->chord);
}

static void region_sort_pieces(region_piece_of *of, size_t n)
{
    if (n > REGION_KEYS_FEW) {
        qsort(of, n, sizeof *of, region_piece_order);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const region_piece_of x = of[i];
        size_t k = i;
        for (; k > 0 && region_piece_order(&of[k - 1], &x) > 0; k--)
            of[k] = of[k - 1];
        of[k] = x;
    }
}

/* ---- points */

static int region_add_point(region_unit *u, region_arrangement *a, const region_point *p)
{
    int err = IMP_OK;
    TRY(mem_fit(u->mem, a->points, &a->point_capacity, sizeof *a->point, &a->point));
    a->point[a->points++] = *p;
out:
    return err;
}

/* The corners, and the points on the edges. */
int region_border_points(region_unit *u, region_arrangement *a, uint32_t face)
{
    int err = IMP_OK;
    a->points = 0;
    for (int k = 0; k < 3; k++) {
        const region_point corner = region_point_of_vertex(&u->space, a->vertex[k]);
        TRY(region_add_point(u, a, &corner));
    }
    for (size_t k = 0; k < 3; k++) {
        const uint32_t edge = u->mesh->edge[3 * (size_t)face + k];
        a->turned[k] = a->vertex[k] > a->vertex[(k + 1) % 3];
        a->edge[k] = edge == REGION_NONE ? REGION_NONE : u->mesh->edge_at[edge];
        a->base[k] = (uint32_t)a->points;
        if (a->edge[k] == REGION_NONE)
            continue;
        const region_edge *e = &u->edge[a->edge[k]];
        for (uint32_t i = 0; i < e->points; i++)
            TRY(region_add_point(u, a, &u->edge_point[e->first + i]));
    }
out:
    return err;
}

/* The point of an end, or REGION_NONE. One within the face is new if its place is. */
static int region_end_point(region_unit *u, region_arrangement *a, uint32_t face, uint32_t end,
                            uint32_t *out)
{
    int err = IMP_OK;
    const contour_feature *f = region_feature(u, end);
    const int n = region_feature_vertices(f);
    *out = REGION_NONE;
    if (n == 1) {
        for (uint32_t k = 3; k-- > 0;)
            if (a->vertex[k] == f->vertex[0])
                *out = k;
    } else if (n == 2) {
        const uint32_t edge = region_edge_between(u->mesh, face, f->vertex[0], f->vertex[1]);
        if (edge != REGION_NONE)
            *out = a->base[region_edge_number(u->mesh, face, edge)] + u->place[end];
    } else {
        if (u->place[end] == REGION_NONE) {
            const region_point p = region_point_of_node(&u->space, end / 2);
            u->place[end] = (uint32_t)a->points;
            TRY(region_add_point(u, a, &p));
        }
        *out = u->place[end];
    }
out:
    return err;
}

/* ---- chords */

static void region_chord_box(const region_arrangement *a, region_chord *c)
{
    for (int k = 0; k < 2; k++) {
        const double x = a->point[c->point[0]].x[a->view.axis[k]],
                     y = a->point[c->point[1]].x[a->view.axis[k]];
        c->low[k] = fmin(x, y);
        c->high[k] = fmax(x, y);
    }
}

static int region_add_chord(region_unit *u, region_arrangement *a, uint32_t face,
                            const region_cut *cut)
{
    int err = IMP_OK;
    region_chord c = {.segment = cut->segment};
    for (int n = 0; n < 2; n++)
        TRY(region_end_point(u, a, face, cut->end[n], &c.point[n]));
    if (c.point[0] == REGION_NONE || c.point[1] == REGION_NONE)
        return IMP_OK;
    if (region_order(&a->view, &a->point[c.point[0]], &a->point[c.point[1]]) > 0) {
        const uint32_t first = c.point[0];
        c.point[0] = c.point[1];
        c.point[1] = first;
    }
    region_chord_box(a, &c);
    TRY(mem_fit(u->mem, a->chords, &a->chord_capacity, sizeof *a->chord, &a->chord));
    a->chord[a->chords++] = c;
out:
    return err;
}

static int region_add_chords(region_unit *u, region_arrangement *a, const region_face *f)
{
    int err = IMP_OK;
    const region_cut *cut = u->face_cut + f->first;
    a->chords = 0;
    for (uint32_t i = 0; i < f->cuts; i++)
        for (int n = 0; n < 2; n++)
            if (region_feature_vertices(region_feature(u, cut[i].end[n])) == 3)
                u->place[cut[i].end[n]] = REGION_NONE;
    for (uint32_t i = 0; i < f->cuts; i++)
        TRY(region_add_chord(u, a, f->face, &cut[i]));
out:
    return err;
}

/* ---- where chords meet */

static int region_add_split(region_unit *u, region_arrangement *a, uint32_t chord, uint32_t point)
{
    int err = IMP_OK;
    TRY(mem_fit(u->mem, a->splits, &a->split_capacity, sizeof *a->split, &a->split));
    a->split[a->splits++] = (uint64_t)chord << 32 | point;
out:
    return err;
}

/* The side of chord c that a point is on; its ends are on it. */
static int region_chord_side(const region_arrangement *a, const region_chord *c, uint32_t point)
{
    if (point == c->point[0] || point == c->point[1])
        return 0;
    return region_turn(&a->view, &a->point[c->point[0]], &a->point[c->point[1]], &a->point[point]);
}

/* Returns whether a point on the line of a chord is between its ends. */
static int region_in_chord(const region_arrangement *a, const region_chord *c, uint32_t point)
{
    if (point == c->point[0] || point == c->point[1])
        return 0;
    return region_order(&a->view, &a->point[c->point[0]], &a->point[point]) < 0 &&
           region_order(&a->view, &a->point[point], &a->point[c->point[1]]) < 0;
}

/* Returns whether they have one end in common and are on two lines, as most that follow each other.
 */
static int region_only_join(const region_arrangement *a, const region_chord *c,
                            const region_chord *d)
{
    const int first = d->point[0] == c->point[0] || d->point[0] == c->point[1],
              second = d->point[1] == c->point[0] || d->point[1] == c->point[1];
    return first != second && region_chord_side(a, c, d->point[first]);
}

/* Splits both chords where one ends within the other, or both cross. */
static int region_meet(region_unit *u, region_arrangement *a, uint32_t i, uint32_t j)
{
    int err = IMP_OK;
    const region_chord c = a->chord[i], d = a->chord[j];
    if (region_only_join(a, &c, &d))
        return IMP_OK;
    const int first = region_chord_side(a, &c, d.point[0]),
              second = region_chord_side(a, &c, d.point[1]);
    if (first * second > 0)
        return IMP_OK;
    const int third = region_chord_side(a, &d, c.point[0]),
              fourth = region_chord_side(a, &d, c.point[1]);
    if (first * second < 0 && third * fourth < 0) {
        const region_point p = region_point_of_crossing(&a->view, c.segment, d.segment);
        TRY(region_add_point(u, a, &p));
        TRY(region_add_split(u, a, i, (uint32_t)a->points - 1));
        TRY(region_add_split(u, a, j, (uint32_t)a->points - 1));
        return IMP_OK;
    }
    for (int n = 0; n < 2; n++) {
        if (!(n ? second : first) && region_in_chord(a, &c, d.point[n]))
            TRY(region_add_split(u, a, i, d.point[n]));
        if (!(n ? fourth : third) && region_in_chord(a, &d, c.point[n]))
            TRY(region_add_split(u, a, j, c.point[n]));
    }
out:
    return err;
}

static int region_chord_order(const void *of, uint32_t i, uint32_t j)
{
    const region_chord *c = of;
    return (c[i].low[0] > c[j].low[0]) - (c[i].low[0] < c[j].low[0]);
}

/* Rounding keeps the order of coordinates. */
static int region_boxes_apart(const region_chord *c, const region_chord *d)
{
    return c->high[0] < d->low[0] || d->high[0] < c->low[0] || c->high[1] < d->low[1] ||
           d->high[1] < c->low[1];
}

/* Boxes along the first axis in order; those that have ended leave the list. */
static int region_meet_many(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    const size_t n = a->chords;
    size_t active = 0;
    TRY(region_room(u->mem, 0, 2 * n, &a->number_capacity, sizeof *a->number, &a->number));
    TRY(region_room(u->mem, 0, n, &a->work_capacity, sizeof *a->work, &a->work));
    uint32_t *order = a->number, *open = a->number + n;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    region_sort(order, a->work, n, region_chord_order, a->chord);
    for (size_t i = 0; i < n; i++) {
        const region_chord *c = &a->chord[order[i]];
        size_t kept = 0;
        for (size_t k = 0; k < active; k++) {
            const region_chord *d = &a->chord[open[k]];
            if (d->high[0] < c->low[0])
                continue;
            open[kept++] = open[k];
            if (!region_boxes_apart(c, d))
                TRY(region_meet(u, a, open[k], order[i]));
        }
        open[kept++] = order[i];
        active = kept;
    }
out:
    return err;
}

#define REGION_CHORDS_FEW 8

static int region_meet_all(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    if (a->chords > REGION_CHORDS_FEW)
        return region_meet_many(u, a);
    for (uint32_t i = 1; i < a->chords; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!region_boxes_apart(&a->chord[k], &a->chord[i]))
                TRY(region_meet(u, a, k, i));
out:
    return err;
}

/* ---- links */

static int region_point_order(const void *of, uint32_t i, uint32_t j)
{
    const region_arrangement *a = of;
    return region_order(&a->view, &a->point[i], &a->point[j]);
}

int region_rank_by(region_unit *u, region_arrangement *a, region_less *order, const void *of)
{
    int err = IMP_OK;
    const size_t n = a->points;
    TRY(region_room(u->mem, 0, n, &a->number_capacity, sizeof *a->number, &a->number));
    TRY(region_room(u->mem, 0, n, &a->work_capacity, sizeof *a->work, &a->work));
    TRY(region_room(u->mem, 0, n, &a->rank_capacity, sizeof *a->rank, &a->rank));
    for (size_t i = 0; i < n; i++)
        a->number[i] = (uint32_t)i;
    region_sort(a->number, a->work, n, order, of);
    a->ranks = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = a->number[i];
        if (!i || order(of, a->number[a->ranks - 1], at))
            a->number[a->ranks++] = at;
        a->rank[at] = a->ranks - 1;
    }
out:
    return err;
}

static int region_add_piece(region_unit *u, region_arrangement *a, uint32_t from, uint32_t to,
                            uint32_t chord, uint32_t border)
{
    int err = IMP_OK;
    const uint64_t low = from < to ? from : to, high = from < to ? to : from;
    if (low == high)
        return IMP_OK;
    TRY(mem_fit(u->mem, a->ofs, &a->of_capacity, sizeof *a->of, &a->of));
    a->of[a->ofs++] = (region_piece_of){low << 32 | high, chord, border};
out:
    return err;
}

/* The intervals of the edges, from the lower vertex of each on. */
static int region_add_border(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    uint32_t border = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t count = a->edge[k] == REGION_NONE ? 0 : u->edge[a->edge[k]].points;
        const int to = (k + 1) % 3;
        uint32_t from = a->rank[a->turned[k] ? to : k];
        for (uint32_t i = 0; i <= count; i++) {
            const uint32_t next =
                i < count ? a->rank[a->base[k] + i] : a->rank[a->turned[k] ? k : to];
            TRY(region_add_piece(u, a, from, next, REGION_NONE, border++));
            from = next;
        }
    }
out:
    return err;
}

/* Along a line, points are in their order. */
static int region_add_pieces(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    for (uint32_t i = 0; i < a->chords; i++)
        for (int n = 0; n < 2; n++)
            TRY(region_add_split(u, a, i, a->chord[i].point[n]));
    for (size_t i = 0; i < a->splits; i++)
        a->split[i] = (a->split[i] & ~(uint64_t)UINT32_MAX) | a->rank[(uint32_t)a->split[i]];
    region_sort_keys(a->split, a->splits);
    a->ofs = 0;
    TRY(region_add_border(u, a));
    for (size_t i = 1; i < a->splits; i++)
        if (a->split[i] >> 32 == a->split[i - 1] >> 32)
            TRY(region_add_piece(u, a, (uint32_t)a->split[i - 1], (uint32_t)a->split[i],
                                 (uint32_t)(a->split[i] >> 32), 0));
    region_sort_pieces(a->of, a->ofs);
out:
    return err;
}

static int region_make_links(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    a->links = 0;
    for (uint32_t i = 0; i < a->ofs; i++) {
        if (i && a->of[i].points == a->of[i - 1].points) {
            a->link[a->links - 1].last = i + 1;
            continue;
        }
        TRY(mem_fit(u->mem, a->links, &a->link_capacity, sizeof *a->link, &a->link));
        a->link[a->links++] =
            (region_link){{(uint32_t)(a->of[i].points >> 32), (uint32_t)a->of[i].points}, i, i + 1};
    }
out:
    return err;
}

int region_chords(region_unit *u, region_arrangement *a, const region_face *f)
{
    int err = IMP_OK;
    a->splits = 0;
    TRY(region_border_points(u, a, f->face));
    TRY(region_add_chords(u, a, f));
    TRY(region_meet_all(u, a));
    if (a->points >= REGION_NONE / 8)
        FAIL(IMP_ERR_MEMORY, "more points in a face than 32 bits can number");
out:
    return err;
}

int region_lines(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    TRY(region_rank_by(u, a, region_point_order, a));
    TRY(region_add_pieces(u, a));
    TRY(region_make_links(u, a));
out:
    return err;
}
