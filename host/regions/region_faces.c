/* See region_unit.h: pieces of faces. Links of an arrangement make cycles, with the piece that they
 * go around on the left. What goes around a connected part on the outside belongs to the piece in
 * which that part is: a sweep over the points finds the link below it. */
#include "disjoint.h"
#include "error.h"
#include "frame.h"
#include "region_arrangement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rotation about points */

typedef struct region_rotation {
    const region_arrangement *a;
    uint32_t from;
} region_rotation;

/* The point that a directed link goes to, or comes from. */
static uint32_t region_head(const region_arrangement *a, uint32_t half)
{
    return a->link[half / 2].point[!(half % 2)];
}

static uint32_t region_tail(const region_arrangement *a, uint32_t half)
{
    return a->link[half / 2].point[half % 2];
}

/* Both go to greater points, or both to lesser ones. */
static int region_rotation_order(const void *of, uint32_t x, uint32_t y)
{
    const region_rotation *r = of;
    const region_arrangement *a = r->a;
    return -region_turn(&a->view, &a->point[a->number[r->from]],
                        &a->point[a->number[region_head(a, x)]],
                        &a->point[a->number[region_head(a, y)]]);
}

/* Links are in order of their lesser points: those to greater points come first. */
static void region_list_links(region_arrangement *a)
{
    uint32_t sum = 0;
    memset(a->first, 0, ((size_t)a->ranks + 1) * sizeof *a->first);
    for (uint32_t i = 0; i < a->links; i++)
        for (int k = 0; k < 2; k++)
            a->first[a->link[i].point[k]]++;
    for (uint32_t p = 0; p <= a->ranks; p++) {
        const uint32_t n = p < a->ranks ? a->first[p] : 0;
        a->first[p] = sum;
        sum += n;
    }
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < a->links; i++)
            a->out[a->first[a->link[i].point[k]]++] = 2 * i + (uint32_t)k;
    for (uint32_t p = a->ranks; p > 0; p--)
        a->first[p] = a->first[p - 1];
    a->first[0] = 0;
}

static int region_rotate(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    const size_t halves = 2 * a->links;
    TRY(region_room(u->mem, 0, (size_t)a->ranks + 1, &a->first_capacity, sizeof *a->first,
                    &a->first));
    TRY(region_room(u->mem, 0, halves, &a->out_capacity, sizeof *a->out, &a->out));
    TRY(region_room(u->mem, 0, halves, &a->at_capacity, sizeof *a->at, &a->at));
    TRY(region_room(u->mem, 0, halves, &a->work_capacity, sizeof *a->work, &a->work));
    region_list_links(a);
    for (uint32_t p = 0; p < a->ranks; p++) {
        const region_rotation r = {a, p};
        uint32_t *out = a->out + a->first[p], n = a->first[p + 1] - a->first[p], ahead = 0;
        while (ahead < n && out[ahead] % 2 == 0)
            ahead++;
        region_sort(out, a->work, ahead, region_rotation_order, &r);
        region_sort(out + ahead, a->work, n - ahead, region_rotation_order, &r);
        for (uint32_t i = a->first[p]; i < a->first[p + 1]; i++)
            a->at[a->out[i]] = i;
    }
out:
    return err;
}

/* ---- cycles */

/* The next of a cycle: the first clockwise from the way back. */
static uint32_t region_next(const region_arrangement *a, uint32_t half)
{
    const uint32_t p = region_head(a, half), at = a->at[half ^ 1];
    return a->out[at > a->first[p] ? at - 1 : a->first[p + 1] - 1];
}

static int region_trace_cycles(region_unit *u, region_arrangement *a)
{
    int err = IMP_OK;
    const uint32_t halves = 2 * (uint32_t)a->links;
    TRY(region_room(u->mem, 0, halves, &a->cycle_capacity, sizeof *a->cycle, &a->cycle));
    memset(a->cycle, 0xff, halves * sizeof *a->cycle);
    a->cycles = 0;
    for (uint32_t i = 0; i < halves; i++) {
        if (a->cycle[i] != REGION_NONE)
            continue;
        for (uint32_t h = i; a->cycle[h] == REGION_NONE; h = region_next(a, h))
            a->cycle[h] = a->cycles;
        a->cycles++;
    }
out:
    return err;
}

/* The cycle around a connected part, by its least point: on the right of the lowest link there. */
static uint32_t region_around(const region_arrangement *a, uint32_t least)
{
    return a->cycle[a->out[a->first[least]] ^ 1];
}

/* ---- connected parts */

/* Returns whether there is more than the part of the border. */
static int region_find_parts(region_arrangement *a)
{
    int more = 0;
    for (uint32_t p = 0; p < a->ranks; p++)
        a->root[p] = p;
    for (size_t i = 0; i < a->links; i++) {
        const uint32_t x = disjoint_root(a->root, a->link[i].point[0]),
                       y = disjoint_root(a->root, a->link[i].point[1]);
        a->root[x > y ? x : y] = x > y ? y : x;
    }
    for (uint32_t p = 0; p < a->ranks; p++) {
        a->root[p] = disjoint_root(a->root, p);
        more |= a->root[p] != 0 && a->first[p] < a->first[p + 1];
    }
    return more;
}

/* Returns how many active links are below a point. */
static size_t region_below(const region_arrangement *a, size_t active, uint32_t p)
{
    size_t low = 0, high = active;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const region_link *l = &a->link[a->active[middle]];
        const int above =
            l->point[1] != p &&
            region_turn(&a->view, &a->point[a->number[l->point[0]]],
                        &a->point[a->number[l->point[1]]], &a->point[a->number[p]]) > 0;
        if (above)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Removes those that end at a point. They follow each other, from `at` on; only contacts of other
 * points than the frame's can have them elsewhere. */
static size_t region_remove_ended(region_arrangement *a, size_t active, size_t at, uint32_t p)
{
    size_t end = at, ended = 0;
    for (uint32_t i = a->first[p]; i < a->first[p + 1]; i++)
        ended += a->out[i] % 2;
    while (end < active && a->link[a->active[end]].point[1] == p)
        end++;
    if (end - at == ended) {
        memmove(a->active + at, a->active + end, (active - end) * sizeof *a->active);
        return active - ended;
    }
    size_t kept = 0;
    for (size_t i = 0; i < active; i++)
        if (a->link[a->active[i]].point[1] != p)
            a->active[kept++] = a->active[i];
    return kept;
}

static size_t region_insert_ahead(region_arrangement *a, size_t active, size_t at, uint32_t p)
{
    uint32_t n = 0;
    while (a->first[p] + n < a->first[p + 1] && a->out[a->first[p] + n] % 2 == 0)
        n++;
    at = at < active ? at : active;
    memmove(a->active + at + n, a->active + at, (active - at) * sizeof *a->active);
    for (uint32_t i = 0; i < n; i++)
        a->active[at + i] = a->out[a->first[p] + i] / 2;
    return active + n;
}

/* Finds for each connected part the cycle above the link that is below its least point. The part of
 * the border has point 0. */
static void region_sweep(region_arrangement *a)
{
    size_t active = 0;
    for (uint32_t p = 0; p < a->ranks; p++) {
        const size_t at = region_below(a, active, p);
        active = region_remove_ended(a, active, at, p);
        if (p && a->root[p] == p && a->first[p] < a->first[p + 1]) {
            uint32_t within = at ? a->cycle[2 * (size_t)a->active[at - 1]] : region_around(a, 0);
            if (a->within[within] != REGION_NONE)
                within = a->within[within];
            a->within[region_around(a, p)] = within;
        }
        active = region_insert_ahead(a, active, at, p);
    }
}

/* ---- pieces */

/* Twice the areas that cycles go around, negative if clockwise, in units of the view. */
static void region_cycle_areas(region_arrangement *a, const int unit[2])
{
    const double scale = a->view.scale;
    for (uint32_t c = 0; c < a->cycles; c++)
        a->area[c] = NAN;
    for (uint32_t start = 0; start < 2 * a->links; start++) {
        const uint32_t c = a->cycle[start];
        if (!isnan(a->area[c]))
            continue;
        const double *o = a->point[a->number[region_tail(a, start)]].x;
        double sum = 0, last[2] = {0, 0};
        uint32_t h = start;
        do {
            const double *x = a->point[a->number[region_head(a, h)]].x;
            double d[2];
            for (int k = 0; k < 2; k++) {
                const int axis = a->view.axis[k];
                d[k] = times_power(scale * x[axis] - scale * o[axis], unit[k]);
            }
            sum += last[0] * d[1] - last[1] * d[0];
            last[0] = d[0];
            last[1] = d[1];
            h = region_next(a, h);
        } while (h != start);
        a->area[c] = sum;
    }
}

/* The exponents that make the face's size along each axis about 1; its area then. */
static double region_face_scale(const region_arrangement *a, int unit[2])
{
    double d[2][2];
    for (int k = 0; k < 2; k++) {
        const int axis = a->view.axis[k];
        const double scale = a->view.scale, o = scale * a->point[0].x[axis];
        int e = 0;
        d[0][k] = scale * a->point[1].x[axis] - o;
        d[1][k] = scale * a->point[2].x[axis] - o;
        frexp(fmax(fabs(d[0][k]), fabs(d[1][k])), &e);
        unit[k] = -e;
        d[0][k] = times_power(d[0][k], -e);
        d[1][k] = times_power(d[1][k], -e);
    }
    return fabs(d[0][0] * d[1][1] - d[0][1] * d[1][0]);
}

int region_add_pieces_of(region_unit *u, const region_arrangement *a, region_face *f,
                         uint32_t pieces, int unit[2], double *all)
{
    int err = IMP_OK;
    f->piece = (uint32_t)u->pieces;
    f->pieces = pieces;
    TRY(region_room(u->mem, u->pieces, u->pieces + pieces, &u->share_capacity, sizeof *u->share,
                    &u->share));
    u->pieces += pieces;
    for (int k = 0; k < 3; k++) {
        f->border[k] = (uint32_t)u->borders;
        u->borders += 1 + (a->edge[k] == REGION_NONE ? 0 : u->edge[a->edge[k]].points);
    }
    TRY(region_room(u->mem, f->border[0], u->borders, &u->border_capacity, sizeof *u->border,
                    &u->border));
    *all = region_face_scale(a, unit);
out:
    return err;
}

/* Adds up the areas of cycles. */
static void region_put_shares(region_unit *u, region_arrangement *a, const region_face *f,
                              const int unit[2], double all)
{
    memset(u->share + f->piece, 0, f->pieces * sizeof *u->share);
    region_cycle_areas(a, unit);
    for (uint32_t c = 0; c < a->cycles; c++)
        if (a->piece[c] != REGION_NONE)
            u->share[f->piece + a->piece[c]] += a->area[c];
    for (uint32_t i = f->piece; i < f->piece + f->pieces; i++)
        u->share[i] = all > 0 ? fmin(fmax(u->share[i] / all, 0), 1) : 0;
}

/* Numbers the pieces of the face, from 0 on. */
static int region_number_pieces(region_unit *u, region_arrangement *a, region_face *f)
{
    int err = IMP_OK;
    const uint32_t outside = region_around(a, 0);
    uint32_t pieces = 0;
    int unit[2];
    double all;
    TRY(region_room(u->mem, 0, a->cycles, &a->piece_capacity, sizeof *a->piece, &a->piece));
    TRY(region_room(u->mem, 0, a->cycles, &a->area_capacity, sizeof *a->area, &a->area));
    for (uint32_t c = 0; c < a->cycles; c++)
        if (c != outside && a->within[c] == REGION_NONE)
            a->piece[c] = pieces++;
    pieces += !pieces; /* only contacts of other points than the frame's leave none */
    for (uint32_t c = 0; c < a->cycles; c++)
        if (a->within[c] != REGION_NONE)
            a->piece[c] = a->within[c] == outside ? 0 : a->piece[a->within[c]];
    a->piece[outside] = REGION_NONE;
    TRY(region_add_pieces_of(u, a, f, pieces, unit, &all));
    region_put_shares(u, a, f, unit, all);
out:
    return err;
}

/* The pieces on either side of each segment, and those at the intervals of the edges. */
static int region_put_sides(region_unit *u, region_arrangement *a, region_face *f)
{
    int err = IMP_OK;
    const uint32_t first = u->mesh->faces + f->piece;
    for (size_t i = f->border[0]; i < u->borders; i++)
        u->border[i] = first;
    for (size_t i = 0; i < a->links; i++) {
        const uint32_t left = a->piece[a->cycle[2 * i]], right = a->piece[a->cycle[2 * i + 1]];
        const uint32_t inner = left == REGION_NONE ? right : left;
        for (uint32_t n = a->link[i].first; n < a->link[i].last; n++) {
            const region_piece_of *of = &a->of[n];
            if (of->chord == REGION_NONE && inner != REGION_NONE)
                u->border[f->border[0] + of->border] = first + inner;
            if (of->chord == REGION_NONE || left == right || left == REGION_NONE ||
                right == REGION_NONE)
                continue;
            TRY(mem_fit(u->mem, u->sides, &u->side_capacity, sizeof *u->side, &u->side));
            u->side[u->sides++] =
                (region_side){a->chord[of->chord].segment, f->face, {first + left, first + right}};
        }
    }
out:
    return err;
}

static int region_make_pieces(region_unit *u, region_arrangement *a, region_face *f)
{
    int err = IMP_OK;
    TRY(region_rotate(u, a));
    TRY(region_trace_cycles(u, a));
    TRY(region_room(u->mem, 0, a->cycles, &a->within_capacity, sizeof *a->within, &a->within));
    memset(a->within, 0xff, a->cycles * sizeof *a->within);
    TRY(region_room(u->mem, 0, a->ranks, &a->root_capacity, sizeof *a->root, &a->root));
    if (region_find_parts(a)) {
        TRY(region_room(u->mem, 0, a->links, &a->active_capacity, sizeof *a->active, &a->active));
        region_sweep(a);
    }
    TRY(region_number_pieces(u, a, f));
    TRY(region_put_sides(u, a, f));
out:
    return err;
}

/* ---- faces */

static int region_cut_order(const void *p, const void *q)
{
    const uint32_t x = ((const region_cut *)p)->segment, y = ((const region_cut *)q)->segment;
    return (x > y) - (x < y);
}

#define REGION_CUTS_FEW 24 /* that are sorted by insertion */

/* A segment that several contacts have counts once. */
static void region_unite_cuts(region_unit *u, region_face *f)
{
    region_cut *c = u->face_cut + f->first;
    uint32_t kept = 0;
    if (f->cuts > REGION_CUTS_FEW)
        qsort(c, f->cuts, sizeof *c, region_cut_order);
    for (uint32_t i = 1; i < f->cuts && f->cuts <= REGION_CUTS_FEW; i++) {
        const region_cut x = c[i];
        uint32_t k = i;
        for (; k > 0 && c[k - 1].segment > x.segment; k--)
            c[k] = c[k - 1];
        c[k] = x;
    }
    for (uint32_t i = 0; i < f->cuts; i++)
        if (!i || c[i].segment != c[kept - 1].segment)
            c[kept++] = c[i];
    f->cuts = kept;
}

static int region_cut_face(region_unit *u, region_face *f)
{
    int err = IMP_OK, made;
    region_arrangement *a = u->arrangement;
    exact_point corner[3];
    region_unite_cuts(u, f);
    for (uint32_t k = 0; k < 3; k++) {
        a->vertex[k] = mesh_vertex(u->space.frame->mesh, u->mesh->prim[f->face], k);
        frame_vertex(u->space.frame, a->vertex[k], corner[k].x);
    }
    if (!region_view_make(&u->space, corner, &a->view))
        return region_cut_needle(u, a, f);
    TRY(region_chords(u, a, f));
    TRY(region_chain(u, a, f, &made));
    if (made)
        return IMP_OK;
    TRY(region_lines(u, a));
    TRY(region_make_pieces(u, a, f));
out:
    return err;
}

/* Brings the segments in each face together. */
int region_group_cuts(region_unit *u)
{
    int err = IMP_OK;
    region_cut *sorted = NULL;
    uint32_t sum = 0;
    for (size_t i = 0; i < u->face_cuts; i++) {
        const uint32_t face = u->face_cut[i].at;
        if (u->mesh->face_at[face] == REGION_NONE) {
            TRY(mem_fit(u->mem, u->faces, &u->face_capacity, sizeof *u->face, &u->face));
            u->mesh->face_at[face] = (uint32_t)u->faces;
            u->face[u->faces++] = (region_face){.face = face};
        }
        u->face[u->mesh->face_at[face]].cuts++;
    }
    for (size_t i = 0; i < u->faces; i++) {
        u->face[i].first = sum;
        sum += u->face[i].cuts;
    }
    TRY(mem_alloc(u->mem, u->face_cut_capacity * sizeof *sorted, &sorted));
    for (size_t i = 0; i < u->face_cuts; i++)
        sorted[u->face[u->mesh->face_at[u->face_cut[i].at]].first++] = u->face_cut[i];
    for (size_t i = 0; i < u->faces; i++)
        u->face[i].first -= u->face[i].cuts;
    mem_free(u->mem, u->face_cut);
    u->face_cut = sorted;
out:
    return err;
}

int region_cut_faces(region_unit *u)
{
    int err = IMP_OK;
    if (!u->arrangement) {
        TRY(mem_alloc(u->mem, sizeof *u->arrangement, &u->arrangement));
        *u->arrangement = (region_arrangement){0};
    }
    for (size_t i = 0; i < u->faces; i++)
        TRY(region_cut_face(u, &u->face[i]));
out:
    return err;
}

void region_arrangement_free(region_unit *u)
{
    region_arrangement *a = u->arrangement;
    if (!a)
        return;
    void *const all[] = {a->point,  a->chord, a->split, a->number, a->rank,   a->work,
                         a->of,     a->link,  a->first, a->out,    a->at,     a->cycle,
                         a->within, a->piece, a->area,  a->root,   a->active, a};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(u->mem, all[i]);
    u->arrangement = NULL;
}
