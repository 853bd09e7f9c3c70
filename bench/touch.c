/* See touch.h. */
#include "touch.h"

#include <math.h>
#include <string.h>

#define HAIR 22                 /* the least miss is one part in 2^HAIR of the features' size */
#define LONG ((int64_t)1 << 54) /* twice what is exact in float64, for both signs */

/* Four vertices that are at `there` when `num` of `den` parts of the step have gone; in each part
 * they go by `way`. */
typedef struct plan {
    int64_t there[4][3], way[4][3];
    int num, den;
    int meet;     /* then, and never before */
    int once;     /* nor after */
    int falls;    /* along an axis, and has sides along the others */
    int64_t size; /* of the features; a miss is 1 */
} plan;

typedef struct rng {
    uint64_t state;
} rng;

static uint64_t next(rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t between(rng *r, int64_t low, int64_t high)
{
    return low + (int64_t)(next(r) % (uint64_t)(high - low + 1));
}

static int chance(rng *r, int of)
{
    return between(r, 1, of) == 1;
}

static int64_t not_zero(rng *r, int64_t most)
{
    return chance(r, 2) ? between(r, 1, most) : -between(r, 1, most);
}

/* Vertices keep to a plane, or to a line, if there are fewer axes. */
static void random_ways(rng *r, plan *p, int axes)
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < axes; k++)
            p->way[i][k] = p->falls ? 0 : between(r, -9, 9);
}

/* ---- a vertex and a face. The face is in the plane z = 0 all the time. The vertex passes through
 * it at one instant, or stays in it. */

static int64_t area(int64_t (*v)[3])
{
    return (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[2][0] - v[0][0]) * (v[1][1] - v[0][1]);
}

static void random_face(rng *r, plan *p)
{
    if (p->falls) {
        p->there[1][0] = not_zero(r, 9);
        p->there[2][1] = not_zero(r, 9);
    }
    while (!area(p->there))
        for (int i = 0; i < 6; i++)
            p->there[i / 2][i % 2] = between(r, -9, 9);
}

static void pass_through(rng *r, plan *p)
{
    random_ways(r, p, 2);
    p->way[3][2] = not_zero(r, 9);
    p->once = 1;
}

/* The vertex is where the face's vertices have some weights, so many of them 0; a miss is on the
 * other side of an edge. */
static void vertex_face(rng *r, plan *p, int zeros)
{
    int64_t weight[3] = {0}, sum = 0;
    for (int i = 0; i < 3 - zeros; i++)
        weight[i] = between(r, 1, p->size);
    if (!p->meet)
        weight[2] = -1;
    weight[0] += !p->meet;
    for (int i = 0; i < 3; i++)
        sum += weight[i];
    random_face(r, p);
    for (int i = 0; i < 6; i++) {
        p->there[3][i % 2] += weight[i / 2] * p->there[i / 2][i % 2];
        p->there[i / 2][i % 2] *= sum;
    }
    pass_through(r, p);
}

static void in_face(rng *r, plan *p)
{
    vertex_face(r, p, 0);
}

static void on_face_edge(rng *r, plan *p)
{
    vertex_face(r, p, 1);
}

static void on_face_vertex(rng *r, plan *p)
{
    vertex_face(r, p, 2);
}

/* Places from -size to size on the line y = 0, both of which some have; the last one between or
 * beyond. */
static void on_line(rng *r, plan *p)
{
    const int first = (int)between(r, 0, 2), second = (first + (int)between(r, 1, 2)) % 3;
    for (int i = 0; i < 4; i++)
        p->there[i][0] =
            chance(r, 3) ? (chance(r, 2) ? p->size : -p->size) : between(r, -p->size, p->size);
    p->there[first][0] = -p->size;
    p->there[second][0] = p->size;
    if (!p->meet)
        p->there[3][0] = chance(r, 2) ? p->size + 1 : -p->size - 1;
}

/* On a line that turns. */
static void face_is_segment(rng *r, plan *p)
{
    const int64_t turn = between(r, -3, 3);
    on_line(r, p);
    pass_through(r, p);
    for (int i = 0; i < 3; i++) {
        p->way[i][0] = p->way[0][0];
        p->way[i][1] = turn * p->there[i][0];
    }
}

static void face_becomes_segment(rng *r, plan *p)
{
    on_line(r, p);
    pass_through(r, p);
}

static void face_is_point(rng *r, plan *p)
{
    p->there[3][between(r, 0, 1)] = !p->meet;
    pass_through(r, p);
    for (int i = 1; i < 3; i++)
        memcpy(p->way[i], p->way[0], sizeof p->way[0]);
}

/* y = 0 or above all the time, where the face is below and touches it with a vertex. */
static void along_face(rng *r, plan *p)
{
    for (int i = 1; i < 3; i++) {
        p->there[i][0] = between(r, -p->size, p->size);
        p->there[i][1] = -between(r, 1, p->size);
    }
    for (int i = 0; i < 4; i++)
        p->way[i][0] = between(r, -9, 9);
    p->way[3][0] = p->way[0][0] + not_zero(r, 9);
    p->there[3][1] = !p->meet;
    p->once = 1;
}

/* From above to an edge in y = 0, and on into the face; or to its end and beside it. */
static void into_face(rng *r, plan *p)
{
    p->there[1][0] = between(r, 1, p->size);
    p->there[2][1] = -between(r, 1, p->size);
    p->there[3][0] = p->meet ? between(r, 0, p->there[1][0]) : -1;
    p->way[3][1] = -between(r, 1, 9);
    if (p->meet)
        random_ways(r, p, 1);
}

static void in_face_plane(rng *r, plan *p)
{
    (chance(r, 2) ? along_face : into_face)(r, p);
}

/* A miss stays one ahead of the face. */
static void in_face_line(rng *r, plan *p)
{
    for (int i = 1; i < 3; i++)
        p->there[i][0] = -between(r, 0, p->size);
    p->there[3][0] = !p->meet;
    p->way[3][0] = p->meet ? -between(r, 1, 9) : 0;
}

/* ---- edges 0-1 and 2-3. The first is in the plane z = 0 all the time. The other one passes
 * through it at one instant, or stays in it. */

static void pass_edge(rng *r, plan *p)
{
    random_ways(r, p, 2);
    p->way[2][2] = not_zero(r, 9);
    p->way[3][2] = p->way[2][2] > 0 ? between(r, 1, 9) : -between(r, 1, 9);
    p->once = 1;
}

/* Its ends are at -before and after times a way from where the lines cross. */
static void spread(plan *p, int first, const int64_t along[2], int64_t before, int64_t after)
{
    for (int k = 0; k < 2; k++) {
        p->there[first][k] = -before * along[k];
        p->there[first + 1][k] = after * along[k];
    }
}

/* The lines cross where so many of both edges end; a miss is before the first edge. */
static void crossing(rng *r, plan *p, int ends)
{
    int64_t along[2][2] = {{0}};
    if (p->falls)
        along[0][0] = along[1][1] = not_zero(r, 5);
    while (along[0][0] * along[1][1] == along[0][1] * along[1][0])
        for (int i = 0; i < 4; i++)
            along[i / 2][i % 2] = between(r, -5, 5);
    const int64_t before = ends ? 0 : between(r, 1, p->size);
    spread(p, 0, along[0], p->meet ? before : -1, 1 + between(r, 1, p->size));
    spread(p, 2, along[1], ends > 1 ? 0 : between(r, 1, p->size), between(r, 1, p->size));
    pass_edge(r, p);
}

static void edges_cross(rng *r, plan *p)
{
    crossing(r, p, 0);
}

static void end_on_edge(rng *r, plan *p)
{
    crossing(r, p, 1);
}

static void end_on_end(rng *r, plan *p)
{
    crossing(r, p, 2);
}

/* Both on the line y = 0; the first ends at 0 and the other begins there or before. */
static void one_after_another(rng *r, plan *p)
{
    p->there[0][0] = -between(r, 1, p->size);
    p->there[2][0] = p->meet ? -between(r, 0, p->size) : 1;
    p->there[3][0] = between(r, 1, p->size) + 1;
}

/* They turn and so are in one line at that instant only, or are parallel all the time. */
static void edges_become_line(rng *r, plan *p)
{
    one_after_another(r, p);
    pass_edge(r, p);
    if (chance(r, 2))
        p->way[3][2] = p->way[2][2];
    if (chance(r, 2))
        for (int i = 1; i < 4; i += 2)
            p->way[i][1] = p->way[i - 1][1];
}

/* The first one is, or both are. */
static void edge_is_point(rng *r, plan *p)
{
    const int64_t along[2] = {not_zero(r, 5), between(r, -5, 5)};
    const int both = chance(r, 4);
    spread(p, 2, along, p->meet ? between(r, 0, p->size) : -1, between(r, 1, p->size) + 1);
    if (both && p->meet)
        memset(p->there[2], 0, sizeof p->there[2]);
    if (both)
        memcpy(p->there[3], p->there[2], sizeof p->there[2]);
    pass_edge(r, p);
    memcpy(p->way[1], p->way[0], sizeof p->way[0]);
    if (both)
        memcpy(p->way[3], p->way[2], sizeof p->way[2]);
}

/* y = 0 or above, along the upper end of the other edge. */
static void edges_in_plane(rng *r, plan *p)
{
    for (int i = 0; i < 2; i++)
        p->way[i][0] = between(r, -9, 9);
    p->there[1][0] = between(r, -p->size, p->size);
    p->there[1][1] = -between(r, 1, p->size);
    p->there[3][0] = between(r, 1, p->size);
    p->there[2][1] = p->there[3][1] = !p->meet;
    p->way[2][0] = p->way[3][0] = p->way[0][0] - between(r, 1, 9);
}

static void edges_in_line(rng *r, plan *p)
{
    p->there[0][0] = -between(r, 0, p->size);
    p->there[2][0] = !p->meet;
    p->there[3][0] = p->there[2][0] + between(r, 0, p->size);
    p->way[2][0] = p->way[3][0] = p->meet ? -between(r, 1, 9) : 0;
}

/* ---- all of them */

static const struct class_of_touches {
    enum exact_moving_kind kind;
    void (*make)(rng *r, plan *p);
    int falls; /* along an axis, where what lies along another keeps its place there */
} classes[] = {
    {EXACT_VERTEX_FACE, in_face},
    {EXACT_VERTEX_FACE, on_face_edge},
    {EXACT_VERTEX_FACE, on_face_vertex},
    {EXACT_VERTEX_FACE, face_is_segment},
    {EXACT_VERTEX_FACE, face_becomes_segment},
    {EXACT_VERTEX_FACE, face_is_point},
    {EXACT_VERTEX_FACE, in_face_plane},
    {EXACT_VERTEX_FACE, in_face_line},
    {EXACT_EDGE_EDGE, edges_cross},
    {EXACT_EDGE_EDGE, end_on_edge},
    {EXACT_EDGE_EDGE, end_on_end},
    {EXACT_EDGE_EDGE, edges_become_line},
    {EXACT_EDGE_EDGE, edge_is_point},
    {EXACT_EDGE_EDGE, edges_in_plane},
    {EXACT_EDGE_EDGE, edges_in_line},
    {EXACT_VERTEX_FACE, on_face_vertex, 1},
    {EXACT_EDGE_EDGE, end_on_edge, 1},
    {EXACT_EDGE_EDGE, end_on_end, 1},
};

const char *const touch_names[] = {
    "vertex in a face",
    "vertex on an edge of a face",
    "vertex on a vertex of a face",
    "face that is a segment",
    "face that becomes a segment",
    "face that is a point",
    "vertex and face in one plane, always",
    "vertex and face in one line, always",
    "edges that cross",
    "end of an edge on an edge",
    "end of an edge on an end",
    "edges in one line, then",
    "edge that is a point",
    "edges in one plane, always",
    "edges in one line, always",
    "vertex that falls on a vertex of a face",
    "end of an edge that falls on an edge",
    "end of an edge that falls on an end",
    NULL,
};

/* ---- the same touch in other places, orders and times */

/* x[to] += times x[from] */
static void shear(plan *p, int from, int to, int64_t times)
{
    for (int i = 0; i < 4; i++) {
        p->there[i][to] += times * p->there[i][from];
        p->way[i][to] += times * p->way[i][from];
    }
}

static void swap(int64_t *a, int64_t *b, int64_t sign)
{
    const int64_t a_before = *a;
    *a = *b;
    *b = sign * a_before;
}

/* x[a] and x[b] change places, one of them with a sign: mirrored or turned */
static void swap_axes(plan *p, int a, int b, int64_t sign)
{
    for (int i = 0; i < 4; i++) {
        swap(&p->there[i][a], &p->there[i][b], sign);
        swap(&p->way[i][a], &p->way[i][b], sign);
    }
}

/* What falls stays along the axes. */
static void turn(rng *r, plan *p)
{
    const int64_t most = p->falls ? 0 : 2, drift = p->falls ? 0 : 50;
    for (int i = 0; i < 4; i++) {
        const int from = (int)between(r, 0, 2), to = (from + (int)between(r, 1, 2)) % 3;
        if (i % 2)
            shear(p, from, to, between(r, -most, most));
        else
            swap_axes(p, from, to, not_zero(r, 1));
    }
    for (int k = 0; k < 3; k++) {
        const int64_t place = between(r, -p->size, p->size), way = between(r, -drift, drift);
        for (int i = 0; i < 4; i++) {
            p->there[i][k] += place;
            p->way[i][k] += way;
        }
    }
}

static void swap_vertices(plan *p, int i, int j)
{
    for (int k = 0; k < 3; k++) {
        swap(&p->there[i][k], &p->there[j][k], 1);
        swap(&p->way[i][k], &p->way[j][k], 1);
    }
}

static void order(rng *r, plan *p, enum exact_moving_kind kind)
{
    if (kind == EXACT_VERTEX_FACE) {
        swap_vertices(p, 0, (int)between(r, 0, 2));
        swap_vertices(p, 1, (int)between(r, 1, 2));
        return;
    }
    for (int e = 0; e < 4; e += 2)
        if (chance(r, 2))
            swap_vertices(p, e, e + 1);
    if (chance(r, 2)) {
        swap_vertices(p, 0, 2);
        swap_vertices(p, 1, 3);
    }
}

static void reverse(plan *p)
{
    p->num = p->den - p->num;
    for (int i = 0; i < 12; i++)
        p->way[i / 3][i % 3] *= -1;
}

/* Every other one is at a third. */
static void choose_instant(rng *r, plan *p)
{
    static const int dens[] = {2, 3, 5, 7, 10, 1024};
    p->den = 3;
    p->num = 1;
    if (chance(r, 2))
        return;
    p->den = dens[between(r, 0, 5)];
    p->num = (int)between(r, 0, p->den);
}

static double rounded_down(int num, int den)
{
    const double x = (double)num / den;
    return fma(x, den, -num) > 0 ? nextafter(x, 0) : x;
}

/* Along each axis the numbers become as long as exact integers can be, and of both signs, so that
 * sums of two are rounded in float64. */
static void lengthen(rng *r, int64_t x[2][4][3])
{
    for (int k = 0; k < 3; k++) {
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int i = 0; i < 8; i++) {
            const int64_t at = x[i / 4][i % 4][k];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        const int64_t most = LONG / (high - low + 1), times = between(r, most / 2 + 1, most);
        const int64_t from =
            high == low ? between(r, -LONG / 2, LONG / 2) : -(high - low) * times / 2;
        for (int i = 0; i < 8; i++)
            x[i / 4][i % 4][k] = (x[i / 4][i % 4][k] - low) * times + from;
    }
}

/* The exponent of the largest coordinate is `scale`. */
static void write(rng *r, const plan *p, int scale, question *out)
{
    int64_t x[2][4][3];
    double most = 0;
    int exponent = 0;
    for (int i = 0; i < 24; i++) {
        const int64_t parts = i < 12 ? -p->num : p->den - p->num;
        x[i / 12][i / 3 % 4][i % 3] = p->there[i / 3 % 4][i % 3] + parts * p->way[i / 3 % 4][i % 3];
    }
    if (p->falls || chance(r, 2))
        lengthen(r, x);
    for (int i = 0; i < 24; i++)
        most = fmax(most, fabs((double)x[i / 12][i / 3 % 4][i % 3]));
    frexp(most, &exponent);
    for (int i = 0; i < 24; i++)
        out->m.at[i / 12][i / 3 % 4].x[i % 3] =
            ldexp((double)x[i / 12][i / 3 % 4][i % 3], scale - exponent);
    out->want = p->meet ? rounded_down(p->num, p->den) : NEVER;
}

void touch_make(int class, uint64_t number, question *out)
{
    rng r = {number + ((uint64_t) class << 40)};
    plan p = {.meet = !chance(&r, 4), .falls = classes[class].falls};
    const int scale = (int)between(&r, -TOUCH_SCALE, TOUCH_SCALE);
    p.size = (int64_t)1 << (chance(&r, 2) ? 3 : between(&r, 3, HAIR));
    choose_instant(&r, &p);
    classes[class].make(&r, &p);
    turn(&r, &p);
    order(&r, &p, classes[class].kind);
    if (p.once && chance(&r, 2))
        reverse(&p);
    out->kind = classes[class].kind;
    out->group = TOUCH_GROUPS * class + scale + TOUCH_SCALE;
    write(&r, &p, scale, out);
}
