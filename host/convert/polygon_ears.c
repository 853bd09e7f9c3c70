/* See polygon_ears.h. A corner is clipped if its triangle holds no other one. Only blunt corners
 * can be within, those that turn the other way or not at all; a grid finds them. */
#include "polygon_ears.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define SIDE_MOST 2048

static int ears_turn(const ears *e, uint32_t a, uint32_t b, uint32_t c)
{
    return e->sign * exact_orient2d(&e->node[a].at, &e->node[b].at, &e->node[c].at, 2);
}

static int ears_same_point(const ears *e, uint32_t a, uint32_t b)
{
    const double *p = e->node[a].at.x, *q = e->node[b].at.x;
    return p[0] == q[0] && p[1] == q[1];
}

/* ---- blunt corners */

/* About four corners in a grid cell. SIDE_MOST bounds the grid to 16 MiB. */
uint32_t ears_side(uint32_t nodes)
{
    uint32_t side = (uint32_t)sqrt((double)nodes) / 2;
    return side < 1 ? 1 : side > SIDE_MOST ? SIDE_MOST : side;
}

/* x in units of cells, from 0 to the side. */
static double grid_at(const ears *e, double x, int axis)
{
    return (x * e->unit - e->low[axis]) * e->scale[axis];
}

/* The row or column of it. Compared before it is converted: casting a double that is too large, or
 * no number, is undefined. */
static uint32_t grid_line(const ears *e, double at)
{
    return at < 1 ? 0 : at < e->side - 1 ? (uint32_t)at : e->side - 1;
}

/* All is scaled by a power of two, so that no difference overflows. */
static void grid_open(ears *e)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int exponent;
    for (uint32_t i = 0; i < e->nodes; i++)
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], e->node[i].at.x[k]);
            high[k] = fmax(high[k], e->node[i].at.x[k]);
        }
    frexp(fmax(fmax(high[0], high[1]), fmax(-low[0], -low[1])), &exponent);
    e->unit = ldexp(1, exponent > -1000 ? -exponent : 1000);
    e->side = ears_side(e->nodes);
    for (int k = 0; k < 2; k++) {
        double width = high[k] * e->unit - low[k] * e->unit;
        e->low[k] = low[k] * e->unit;
        e->scale[k] = width > 0 ? fmin(e->side / width, 1e300) : 0;
    }
    memset(e->cell, 0xff, (size_t)e->side * e->side * sizeof *e->cell); /* NONE */
}

/* A corner enters the list of its grid cell once; it leaves when cell_blocks passes it. */
static void note_bluntness(ears *e, uint32_t i)
{
    polygon_node *n = &e->node[i];
    n->blunt = ears_turn(e, n->prev, i, n->next) <= 0;
    if (n->blunt && !n->listed) {
        uint32_t column = grid_line(e, grid_at(e, n->at.x[0], 0));
        uint32_t *head = &e->cell[grid_line(e, grid_at(e, n->at.x[1], 1)) * e->side + column];
        n->below = *head;
        n->listed = 1;
        *head = i;
    }
}

/* ---- is it an ear? */

typedef struct ear {
    uint32_t a, b, c;
    double low[2], high[2];
} ear;

/* Does an edge at v, at the position of `tip`, go in between the edges tip-from and tip-to? */
static int enters_corner(const ears *e, uint32_t v, uint32_t tip, uint32_t from, uint32_t to)
{
    uint32_t end[2] = {e->node[v].prev, e->node[v].next};
    for (int i = 0; i < 2; i++)
        if (ears_turn(e, tip, from, end[i]) > 0 && ears_turn(e, tip, to, end[i]) < 0)
            return 1;
    return 0;
}

/* Does an edge at v, on the edge from-to, go to its inner side? */
static int enters_edge(const ears *e, uint32_t v, uint32_t from, uint32_t to)
{
    return ears_turn(e, from, to, e->node[v].prev) > 0 ||
           ears_turn(e, from, to, e->node[v].next) > 0;
}

/* Inside the triangle is simple. At its corners and edges v may coincide with them, as at joined
 * holes; then v blocks if its own edges enter the triangle. */
static int ears_blocked_by(const ears *e, const ear *t, uint32_t v)
{
    const double *x = e->node[v].at.x;
    if (v == t->a || v == t->b || v == t->c || x[0] < t->low[0] || x[0] > t->high[0] ||
        x[1] < t->low[1] || x[1] > t->high[1])
        return 0;
    int ab, bc, ca;
    if ((ab = ears_turn(e, t->a, t->b, v)) < 0 || (bc = ears_turn(e, t->b, t->c, v)) < 0 ||
        (ca = ears_turn(e, t->c, t->a, v)) < 0)
        return 0;
    if (ab && bc && ca)
        return 1;
    if (!ab && !ca)
        return enters_corner(e, v, t->a, t->b, t->c);
    if (!ab && !bc)
        return enters_corner(e, v, t->b, t->c, t->a);
    if (!bc && !ca)
        return enters_corner(e, v, t->c, t->a, t->b);
    if (!e->relaxed)
        return 1;
    return !ab   ? enters_edge(e, v, t->a, t->b)
           : !bc ? enters_edge(e, v, t->b, t->c)
                 : enters_edge(e, v, t->c, t->a);
}

/* One that blocks. Corners that are no longer blunt leave the list. Removing them here, and not
 * when they change, saves a search in the lists. */
static uint32_t cell_blocks(ears *e, const ear *t, uint32_t *head)
{
    for (uint32_t *at = head; *at != NONE;) {
        polygon_node *n = &e->node[*at];
        e->work++;
        if (n->gone || !n->blunt) {
            n->listed = 0;
            *at = n->below;
            continue;
        }
        if (ears_blocked_by(e, t, *at))
            return *at;
        at = &n->below;
    }
    return NONE;
}

#define MARGIN 1e-3 /* of a cell: more than anything here is rounded by */

/* Widens [*low, *high] to the columns where the edge p-q passes a row. */
static void ears_widen_row(const double *p, const double *q, double row, double *low, double *high)
{
    double below = row - MARGIN, above = row + 1 + MARGIN, rise = q[1] - p[1], from = 0, to = 1;
    if (fmax(p[1], q[1]) < below || fmin(p[1], q[1]) > above)
        return;
    if (fabs(rise) > MARGIN) { /* else it is as good as level */
        from = fmin(fmax(fmin((below - p[1]) / rise, (above - p[1]) / rise), 0), 1);
        to = fmin(fmax(fmax((below - p[1]) / rise, (above - p[1]) / rise), 0), 1);
    }
    double x = p[0] + from * (q[0] - p[0]), y = p[0] + to * (q[0] - p[0]);
    *low = fmin(*low, fmin(x, y) - MARGIN);
    *high = fmax(*high, fmax(x, y) + MARGIN);
}

/* One that blocks, in a row of the grid. corner: the triangle's, in the grid. */
static uint32_t row_blocks(ears *e, const ear *t, double corner[3][2], uint32_t row)
{
    double low = INFINITY, high = -INFINITY;
    uint32_t blocker = NONE;
    for (int i = 0; i < 3; i++)
        ears_widen_row(corner[i], corner[(i + 1) % 3], row, &low, &high);
    if (low > high)
        return NONE;
    uint32_t first = grid_line(e, low), last = grid_line(e, high);
    for (uint32_t i = first; i <= last && blocker == NONE; i++) {
        blocker = cell_blocks(e, t, &e->cell[row * e->side + i]);
        e->work++;
    }
    return blocker;
}

/* The corner that prevents b from being an ear, or NONE. */
static uint32_t find_blocker(ears *e, uint32_t b)
{
    ear t = {.a = e->node[b].prev, .b = b, .c = e->node[b].next};
    const double *x[3] = {e->node[t.a].at.x, e->node[t.b].at.x, e->node[t.c].at.x};
    double corner[3][2];
    uint32_t blocker = NONE;
    for (int k = 0; k < 2; k++) {
        t.low[k] = fmin(x[0][k], fmin(x[1][k], x[2][k]));
        t.high[k] = fmax(x[0][k], fmax(x[1][k], x[2][k]));
        for (int i = 0; i < 3; i++)
            corner[i][k] = grid_at(e, x[i][k], k);
    }
    uint32_t last = grid_line(e, grid_at(e, t.high[1], 1));
    for (uint32_t j = grid_line(e, grid_at(e, t.low[1], 1)); j <= last && blocker == NONE; j++)
        blocker = row_blocks(e, &t, corner, j);
    return blocker;
}

static int ears_side_sign(double x, double y)
{
    return (x > y) - (x < y);
}

/* A corner without area beside it: at the position of a neighbour, or the tip of a spike. */
static int is_spike(const ears *e, uint32_t i)
{
    const polygon_node *n = &e->node[i];
    const double *a = e->node[n->prev].at.x, *b = n->at.x, *c = e->node[n->next].at.x;
    if (!n->blunt || ears_turn(e, n->prev, i, n->next))
        return 0;
    if (ears_same_point(e, n->prev, i) || ears_same_point(e, i, n->next))
        return 1;
    return ears_side_sign(a[0], b[0]) == ears_side_sign(c[0], b[0]) &&
           ears_side_sign(a[1], b[1]) == ears_side_sign(c[1], b[1]);
}

/* ---- corners that wait */

static void enqueue_all(ears *e)
{
    uint32_t i = e->node[e->start].next;
    for (uint32_t k = 0; k < e->remaining; k++, i = e->node[i].next)
        ears_enqueue(e, i);
    e->work += e->remaining;
}

/* A corner that is no ear can become one when its blocker is clipped or is no longer blunt. Each
 * blocker has a list of the corners that wait for it, so that only these are tried then. */
static void wait_for(ears *e, uint32_t i, uint32_t blocker)
{
    polygon_node *n = &e->node[i], *b = &e->node[blocker];
    n->waits_for = blocker;
    n->wait_prev = NONE;
    n->wait_next = b->waiters;
    if (b->waiters != NONE)
        e->node[b->waiters].wait_prev = i;
    b->waiters = i;
}

static void stop_waiting(ears *e, uint32_t i)
{
    polygon_node *n = &e->node[i];
    if (n->waits_for == NONE)
        return;
    if (n->wait_prev == NONE)
        e->node[n->waits_for].waiters = n->wait_next;
    else
        e->node[n->wait_prev].wait_next = n->wait_next;
    if (n->wait_next != NONE)
        e->node[n->wait_next].wait_prev = n->wait_prev;
    n->waits_for = NONE;
}

static void wake_waiters(ears *e, uint32_t i)
{
    while (e->node[i].waiters != NONE) {
        uint32_t waiter = e->node[i].waiters;
        stop_waiting(e, waiter);
        ears_enqueue(e, waiter);
        e->work++;
    }
}

/* ---- clipping */

/* Positions of nodes: polygon_triangulate replaces them by the corners of the face. */
static void emit(ears *e, uint32_t b)
{
    *e->out++ = e->node[b].prev;
    *e->out++ = b;
    *e->out++ = e->node[b].next;
}

/* A corner after a neighbour was clipped. */
static void ears_update_corner(ears *e, uint32_t i)
{
    note_bluntness(e, i);
    if (!e->node[i].blunt)
        wake_waiters(e, i);
    stop_waiting(e, i);
    ears_enqueue(e, i);
}

/* Removes b. Only its neighbours change, and corners that waited for b may be ears now. */
static void ears_clip_corner(ears *e, uint32_t b)
{
    uint32_t a = e->node[b].prev, c = e->node[b].next;
    emit(e, b);
    stop_waiting(e, b);
    ears_dequeue(e, b);
    e->node[b].gone = 1;
    e->node[a].next = c;
    e->node[c].prev = a;
    e->start = a;
    e->remaining--;
    wake_waiters(e, b);
    ears_update_corner(e, c);
    ears_update_corner(e, a);
    e->relaxed = 0;
}

/* Clips the corner if it is an ear or a spike. */
static int try_corner(ears *e, uint32_t i)
{
    uint32_t blocker = NONE;
    e->work++;
    if (!is_spike(e, i)) {
        if (e->node[i].blunt)
            return 0;
        blocker = find_blocker(e, i);
        if (blocker != NONE) {
            stop_waiting(e, i);
            wait_for(e, i, blocker);
            return 0;
        }
    }
    ears_clip_corner(e, i);
    return 1;
}

/* Tries corners of the queue until one is clipped; 0 if none is. */
static int clip_next(ears *e)
{
    while (e->heap && e->work <= e->most) {
        uint32_t i = e->node[0].heap;
        ears_dequeue(e, i);
        if (try_corner(e, i))
            return 1;
    }
    return 0;
}

/* Tries all corners once more, since what blocks a corner may have changed elsewhere. If none is an
 * ear, other corners may be on its edges. */
static int clip_again(ears *e)
{
    for (e->relaxed = 0; e->relaxed < 2; e->relaxed++) {
        enqueue_all(e);
        if (clip_next(e))
            return 1;
    }
    return 0;
}

/* Where no corner is an ear: the first that is not blunt. */
static uint32_t least_bad(ears *e)
{
    uint32_t i = e->start;
    for (uint32_t k = 0; k < e->remaining && e->work <= e->most;
         k++, i = e->node[i].next, e->work++)
        if (!e->node[i].blunt)
            return i;
    return e->start;
}

static void ears_begin(ears *e)
{
    uint32_t n = e->nodes;
    grid_open(e);
    e->heap = 0;
    e->remaining = n;
    e->start = 0;
    e->relaxed = 0;
    for (uint32_t i = 0; i < n; i++) {
        polygon_node *x = &e->node[i];
        *x = (polygon_node){.at = x->at,
                            .prev = i ? i - 1 : n - 1,
                            .next = i + 1 < n ? i + 1 : 0,
                            .waiters = NONE,
                            .waits_for = NONE};
    }
    for (uint32_t i = 0; i < n; i++)
        note_bluntness(e, i);
    enqueue_all(e);
}

enum ears_end ears_clip(ears *e, int force)
{
    ears_begin(e);
    while (e->remaining > 3) {
        if (e->work <= e->most && (clip_next(e) || clip_again(e)))
            continue;
        if (!force)
            return e->work > e->most ? EARS_SPENT : EARS_STUCK;
        ears_clip_corner(e, least_bad(e));
    }
    uint32_t a = e->start;
    /* the last triangle is never tried as an ear, so its turn is checked here */
    int wrong = ears_turn(e, e->node[a].prev, a, e->node[a].next) < 0;
    emit(e, a);
    return wrong && !force ? EARS_STUCK : EARS_DONE;
}

/* ---- rotation */

/* Directions from 0 to half a turn, without the latter; compared, so that nothing is rounded. */
static int is_upper(const double *from, const double *to)
{
    return to[1] > from[1] || (to[1] == from[1] && to[0] > from[0]);
}

/* Corners at another position than the one before; returns their number. They are stored in
 * node[i].below: the grid is not needed any more. */
static uint32_t list_different(ears *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nodes; i++)
        if (!n || !ears_same_point(e, e->node[n - 1].below, i))
            e->node[n++].below = i;
    while (n > 1 && ears_same_point(e, e->node[n - 1].below, e->node[0].below))
        n--;
    return n;
}

/* Counts how often the direction of the edges passes that of the first axis. */
int ears_rotation(ears *e)
{
    int rotation = 0;
    uint32_t n = list_different(e);
    for (uint32_t i = 0; i < n && n > 2; i++) {
        const exact_point *a = &e->node[e->node[i ? i - 1 : n - 1].below].at;
        const exact_point *b = &e->node[e->node[i].below].at;
        const exact_point *c = &e->node[e->node[i + 1 < n ? i + 1 : 0].below].at;
        int left = exact_orient2d(a, b, c, 2);
        int before = is_upper(a->x, b->x), after = is_upper(b->x, c->x);
        if (!left && before != after)
            return EARS_OPEN;
        rotation += (left > 0 && !before && after) - (left < 0 && before && !after);
    }
    return n > 2 ? rotation : EARS_OPEN;
}
