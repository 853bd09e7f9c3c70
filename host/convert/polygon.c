/* See polygon.h. A polygon is projected to a plane, where all decisions are exact; along an axis,
 * its projected coordinates are exact too. */
#include "polygon.h"

#include "error.h"
#include "text.h"
#include "vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST ((uint64_t)1 << 28) /* about ten seconds */
#define FLAT 1e-3                      /* relative to its size, as text has few digits */

/* A projection of the polygon: along an axis, or to the plane of two vectors. */
typedef struct projection {
    double u[3], v[3];
    int axis; /* 0, 1, 2; 3: the plane */
    int sign; /* sign of the projected area; rounding may have changed it */
} projection;

/* ---- vectors */

static double polygon_max_component(const double a[3])
{
    return fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
}

static int polygon_sign(double x)
{
    return (x > 0) - (x < 0);
}

/* A power of two that scales |x| to [0.5, 1), as far as the factor is representable. */
static double polygon_power_of_two(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent > -1000 ? -exponent : 1000);
}

/* ---- shape */

/* Corners relative to the first one, scaled by powers of two so that nothing overflows or vanishes.
 */
typedef struct shape {
    const double *point;
    const uint32_t *corner;
    uint32_t n;
    double unit, size_unit; /* scale coordinates, then differences */
    double area[3];         /* twice the area vector */
    double sizes[3];        /* the same with absolute values, for polygons of area 0 */
} shape;

static void polygon_corner(const shape *s, size_t i, double out[3])
{
    const double *o = s->point + (size_t)3 * s->corner[0];
    const double *p = s->point + (size_t)3 * s->corner[i];
    for (int k = 0; k < 3; k++)
        out[k] = (p[k] * s->unit - o[k] * s->unit) * s->size_unit;
}

/* Returns 0 if a corner is not finite. */
static int polygon_find_units(shape *s)
{
    double most = 0, size = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < 3; k++) {
            double x = s->point[(size_t)3 * s->corner[i] + k];
            if (!isfinite(x))
                return 0;
            most = fmax(most, fabs(x));
        }
    s->unit = polygon_power_of_two(most);
    s->size_unit = 1;
    for (uint32_t i = 1; i < s->n; i++) {
        double d[3];
        polygon_corner(s, i, d);
        size = fmax(size, polygon_max_component(d));
    }
    s->size_unit = polygon_power_of_two(size);
    return 1;
}

/* The area is summed over a fan around the first corner: parts beyond the outline cancel. */
static int shape_open(shape *s)
{
    if (!polygon_find_units(s))
        return 0;
    double a[3], b[3], c[3];
    polygon_corner(s, 1, a);
    for (uint32_t i = 2; i < s->n; i++) {
        polygon_corner(s, i, b);
        vec_cross(a, b, c);
        for (int k = 0; k < 3; k++) {
            s->area[k] += c[k];
            s->sizes[k] += fabs(c[k]);
        }
        vec_copy(b, a);
    }
    return 1;
}

/* The axis along which the projected area is greatest; of ties the first. */
static int polygon_best_axis(const shape *s)
{
    const double *v = polygon_max_component(s->area) > 0 ? s->area : s->sizes;
    const double a[3] = {fabs(v[0]), fabs(v[1]), fabs(v[2])};
    return a[0] >= a[1] && a[0] >= a[2] ? 0 : a[1] >= a[2] ? 1 : 2;
}

static projection polygon_axis_projection(const shape *s, int axis)
{
    int sign = polygon_sign(s->area[axis]);
    return (projection){.axis = axis, .sign = sign ? sign : 1};
}

/* The plane orthogonal to the area vector. */
static projection polygon_plane_projection(const shape *s)
{
    const double unit = polygon_power_of_two(polygon_max_component(s->area));
    const double n[3] = {s->area[0] * unit, s->area[1] * unit, s->area[2] * unit};
    const int axis = polygon_best_axis(s); /* another one is far from parallel to n */
    const double other[3] = {axis == 2, axis == 0, axis == 1};
    projection w = {.axis = 3, .sign = 1};
    vec_cross(n, other, w.u);
    vec_cross(n, w.u, w.v);
    return w;
}

static exact_point polygon_projected(const shape *s, const projection *w, size_t i)
{
    const double *p = s->point + (size_t)3 * s->corner[i];
    if (w->axis < 3)
        return (exact_point){{p[(w->axis + 1) % 3], p[(w->axis + 2) % 3], 0}};
    double c[3];
    polygon_corner(s, i, c);
    return (exact_point){{vec_dot(c, w->u), vec_dot(c, w->v), 0}};
}

/* ---- fans */

/* Returns whether a fan around the first corner covers it, with a rotation of less than half a
 * turn. */
static int fan_is_right(const shape *s, const projection *w)
{
    exact_point o = polygon_projected(s, w, 0), a = polygon_projected(s, w, 1), before = a;
    for (uint32_t i = 2; i < s->n; i++) {
        exact_point next = polygon_projected(s, w, i);
        if (w->sign * exact_orient2d(&o, &before, &next, 2) <= 0 ||
            w->sign * exact_orient2d(&o, &a, &next, 2) <= 0)
            return 0;
        before = next;
    }
    return 1;
}

static void polygon_fan(const shape *s, uint32_t *triangle)
{
    for (uint32_t i = 2; i < s->n; i++) {
        *triangle++ = s->corner[0];
        *triangle++ = s->corner[i - 1];
        *triangle++ = s->corner[i];
    }
}

/* ---- ears */

static int grow_workspace(polygon_workspace *w, uint32_t n)
{
    size_t side = ears_side(n);
    int err = grow_buffer(&w->node, &w->node_bytes, n * sizeof *w->node);
    return err ? err : grow_buffer(&w->cell, &w->cell_bytes, side * side * sizeof *w->cell);
}

void polygon_workspace_free(polygon_workspace *w)
{
    free(w->node);
    free(w->cell);
    *w = (polygon_workspace){0};
}

static enum ears_end polygon_clip_in(ears *e, const shape *s, const projection *w,
                                     uint32_t *triangle, int force)
{
    for (uint32_t i = 0; i < s->n; i++)
        e->node[i].at = polygon_projected(s, w, i);
    e->sign = w->sign;
    e->out = triangle;
    return ears_clip(e, force);
}

/* Tries a projection with both orientations: rounding may have given the wrong sign. */
static enum ears_end polygon_clip_projection(ears *e, const shape *s, projection w,
                                             uint32_t *triangle)
{
    enum ears_end end = polygon_clip_in(e, s, &w, triangle, 0);
    if (end == EARS_STUCK) {
        w.sign = -w.sign;
        end = polygon_clip_in(e, s, &w, triangle, 0);
    }
    return end;
}

/* Clips in the first projection without crossings, or by force in the first of all. */
static enum ears_end polygon_clip_any(ears *e, const shape *s, uint32_t *triangle, int *crosses)
{
    int axis = polygon_best_axis(s);
    const projection views[4] = {polygon_axis_projection(s, axis), polygon_plane_projection(s),
                                 polygon_axis_projection(s, (axis + 1) % 3),
                                 polygon_axis_projection(s, (axis + 2) % 3)};
    for (int i = 0; i < 4; i++) {
        enum ears_end end = polygon_clip_projection(e, s, views[i], triangle);
        if (end == EARS_SPENT)
            return end;
        int round = end == EARS_DONE ? abs(ears_rotation(e)) : 0;
        if (round == 1 || (round == EARS_OPEN && i == 0)) /* in another projection all corners may
                                                           * be collinear */
            return end;
    }
    *crosses = 1;
    /* forced clipping gets half of the steps, even if the projections used more */
    e->work = STEPS_MOST / 2;
    return polygon_clip_in(e, s, &views[0], triangle, 1);
}

int polygon_triangulate(polygon_workspace *space, const double *point, const uint32_t *corner,
                        uint32_t n, uint32_t *triangle, int *crosses)
{
    int err = IMP_OK;
    shape s = {.point = point, .corner = corner, .n = n};
    *crosses = 0;
    int finite = shape_open(&s);
    projection w = polygon_axis_projection(&s, polygon_best_axis(&s));
    if (!finite || n == 3 || fan_is_right(&s, &w)) {
        polygon_fan(&s, triangle);
        return IMP_OK;
    }
    TRY(grow_workspace(space, n));
    ears e = {.node = space->node, .nodes = n, .cell = space->cell, .most = STEPS_MOST};
    if (polygon_clip_any(&e, &s, triangle, crosses) == EARS_SPENT)
        FAIL(IMP_ERR_INPUT, "a face of %u corners is too intricate to be cut into triangles", n);
    for (size_t i = 0; i < (size_t)3 * (n - 2); i++)
        triangle[i] = corner[triangle[i]];
out:
    return err;
}

/* ---- the same triangles at other positions */

static int polygon_is_flat(const shape *s)
{
    double size = 0, height = 0, c[3];
    for (uint32_t i = 1; i < s->n; i++) {
        polygon_corner(s, i, c);
        const double one = polygon_max_component(c), high = fabs(vec_dot(c, s->area));
        size = one > size ? one : size; /* gcc 12 for ARM fails on fmax here; they are finite */
        height = high > height ? high : height;
    }
    return height <= FLAT * size * sqrt(vec_dot(s->area, s->area));
}

/* Uses only the best projection: a flat polygon is equivalent in all projections with nonzero
 * area. */
int polygon_holds(const double *point, const uint32_t *corner, uint32_t n, const uint32_t *triangle)
{
    shape s = {.point = point, .corner = corner, .n = n};
    if (n == 3 || !shape_open(&s) || polygon_max_component(s.area) <= 0)
        return 1;
    projection w = polygon_axis_projection(&s, polygon_best_axis(&s));
    s.corner = triangle;
    for (size_t i = 0; i < (size_t)3 * (n - 2); i += 3) {
        exact_point a = polygon_projected(&s, &w, i), b = polygon_projected(&s, &w, i + 1),
                    c = polygon_projected(&s, &w, i + 2);
        if (w.sign * exact_orient2d(&a, &b, &c, 2) < 0) {
            s.corner = corner;
            return !polygon_is_flat(&s);
        }
    }
    return 1;
}

/* ---- A corner is clipped if its triangle contains no other one. Only blunt corners, those that
 * are reflex or straight, can be inside; a grid finds them. */

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

/* Its row or column. Compared before the conversion: casting a double that is too large, or NaN, is
 * undefined. */
static uint32_t grid_line(const ears *e, double at)
{
    return at < 1 ? 0 : at < e->side - 1 ? (uint32_t)at : e->side - 1;
}

/* Everything is scaled by a power of two, so that no difference overflows. */
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

/* A corner enters the list of its grid cell once; cell_blocks removes it when it passes it. */
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

/* ---- ear test */

typedef struct ear {
    uint32_t a, b, c;
    double low[2], high[2];
} ear;

/* Returns whether an edge at v, at the position of `tip`, goes between the edges tip-from and
 * tip-to. */
static int enters_corner(const ears *e, uint32_t v, uint32_t tip, uint32_t from, uint32_t to)
{
    uint32_t end[2] = {e->node[v].prev, e->node[v].next};
    for (int i = 0; i < 2; i++)
        if (ears_turn(e, tip, from, end[i]) > 0 && ears_turn(e, tip, to, end[i]) < 0)
            return 1;
    return 0;
}

/* Returns whether an edge at v, on the edge from-to, goes to its inner side. */
static int enters_edge(const ears *e, uint32_t v, uint32_t from, uint32_t to)
{
    return ears_turn(e, from, to, e->node[v].prev) > 0 ||
           ears_turn(e, from, to, e->node[v].next) > 0;
}

/* Inside the triangle v always blocks. At its corners and on its edges v may coincide with them, as
 * at joined holes; then v blocks if its own edges enter the triangle. */
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

/* A corner that blocks the ear. Corners that are no longer blunt are removed from the list.
 * Removing them here, and not when they change, saves a search in the lists. */
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

#define MARGIN 1e-3 /* in cells: exceeds any rounding here */

/* Widens [*low, *high] to the columns where the edge p-q passes a row. */
static void ears_widen_row(const double *p, const double *q, double row, double *low, double *high)
{
    double below = row - MARGIN, above = row + 1 + MARGIN, rise = q[1] - p[1], from = 0, to = 1;
    if (fmax(p[1], q[1]) < below || fmin(p[1], q[1]) > above)
        return;
    if (fabs(rise) > MARGIN) { /* otherwise it is practically level */
        from = fmin(fmax(fmin((below - p[1]) / rise, (above - p[1]) / rise), 0), 1);
        to = fmin(fmax(fmax((below - p[1]) / rise, (above - p[1]) / rise), 0), 1);
    }
    double x = p[0] + from * (q[0] - p[0]), y = p[0] + to * (q[0] - p[0]);
    *low = fmin(*low, fmin(x, y) - MARGIN);
    *high = fmax(*high, fmax(x, y) + MARGIN);
}

/* A corner that blocks the ear, in a row of the grid. corner: the triangle's, in grid
 * coordinates. */
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

/* Returns whether a corner has no area: at the position of a neighbour, or the tip of a spike. */
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

/* ---- waiting corners */

static void enqueue_all(ears *e)
{
    uint32_t i = e->node[e->start].next;
    for (uint32_t k = 0; k < e->remaining; k++, i = e->node[i].next)
        ears_enqueue(e, i);
    e->work += e->remaining;
}

/* A corner that is not an ear can become one when its blocker is clipped or no longer blunt. Each
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

/* Writes node indices, which polygon_triangulate replaces by the corners of the face. */
static void emit(ears *e, uint32_t b)
{
    *e->out++ = e->node[b].prev;
    *e->out++ = b;
    *e->out++ = e->node[b].next;
}

/* Updates a corner after a neighbour was clipped. */
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

/* Tries corners of the queue until one is clipped; returns 0 if none is. */
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

/* Tries all corners once more, since blocking corners may have changed elsewhere. If none is an
 * ear, other corners may be on the edges of an ear. */
static int clip_again(ears *e)
{
    for (e->relaxed = 0; e->relaxed < 2; e->relaxed++) {
        enqueue_all(e);
        if (clip_next(e))
            return 1;
    }
    return 0;
}

/* If no corner is an ear: the first that is not blunt. */
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
    /* the last triangle is never tested as an ear, so its orientation is checked here */
    int wrong = ears_turn(e, e->node[a].prev, a, e->node[a].next) < 0;
    emit(e, a);
    return wrong && !force ? EARS_STUCK : EARS_DONE;
}

/* ---- rotation */

/* Whether a direction is in [0, half a turn); by comparisons, so that nothing is rounded. */
static int is_upper(const double *from, const double *to)
{
    return to[1] > from[1] || (to[1] == from[1] && to[0] > from[0]);
}

/* Lists the corners whose position differs from the previous one; returns their number. They are
 * stored in node[i].below, as the grid is no longer needed. */
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

/* ---- See polygon.h: the queue of corners that may be ears, as a binary heap in the nodes.
 *
 * Short edges are first: their triangles are small, so few other corners are near, and they are
 * better than slivers. */

static int comes_before(const ears *e, uint32_t i, uint32_t j)
{
    double a = e->node[i].length, b = e->node[j].length;
    return a < b || (a == b && i < j);
}

/* Ranks begin at 1: 0 means not in the heap, and the children of r are 2 r and 2 r + 1. */
static void ear_queue_set(ears *e, uint32_t rank, uint32_t i)
{
    e->node[rank - 1].heap = i;
    e->node[i].rank = rank;
}

static void sift_up(ears *e, uint32_t i)
{
    uint32_t rank = e->node[i].rank;
    for (; rank > 1 && comes_before(e, i, e->node[rank / 2 - 1].heap); rank /= 2)
        ear_queue_set(e, rank, e->node[rank / 2 - 1].heap);
    ear_queue_set(e, rank, i);
}

static void sift_down(ears *e, uint32_t i)
{
    uint32_t rank = e->node[i].rank;
    while (rank <= e->heap / 2) {
        uint32_t child = 2 * rank, other = child < e->heap ? child + 1 : child;
        if (comes_before(e, e->node[other - 1].heap, e->node[child - 1].heap))
            child = other;
        if (!comes_before(e, e->node[child - 1].heap, i))
            break;
        ear_queue_set(e, rank, e->node[child - 1].heap);
        rank = child;
    }
    ear_queue_set(e, rank, i);
}

/* The length may have increased or decreased, so it is moved up and down. */
void ears_enqueue(ears *e, uint32_t i)
{
    polygon_node *n = &e->node[i];
    const double *a = e->node[n->prev].at.x, *c = e->node[n->next].at.x;
    double x = c[0] * e->unit - a[0] * e->unit, y = c[1] * e->unit - a[1] * e->unit;
    if (n->gone)
        return;
    n->length = x * x + y * y;
    if (!n->rank)
        ear_queue_set(e, ++e->heap, i);
    sift_up(e, i);
    sift_down(e, i);
}

/* The last corner of the heap gets its rank. */
void ears_dequeue(ears *e, uint32_t i)
{
    uint32_t rank = e->node[i].rank;
    if (!rank)
        return;
    uint32_t last = e->node[--e->heap].heap;
    e->node[i].rank = 0;
    if (last != i) {
        ear_queue_set(e, rank, last);
        sift_up(e, last);
        sift_down(e, last);
    }
}
