/* See rigid_oracle.h. */
#include "rigid_oracle.h"

#include "error.h"

#include <math.h>
#include <string.h>

static real rigid_gap_dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void rigid_gap_minus(const real a[3], const real b[3], real r[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[k] - b[k];
}

static void rigid_gap_cross(const real a[3], const real b[3], real r[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Maximum, faster than fmaxl; `less` likewise replaces fminl. */
static real more(real a, real b)
{
    return a > b ? a : b;
}

static real less(real a, real b)
{
    return a < b ? a : b;
}

/* ---- posing */

int rigid_pair_open(mem *m, const rigid_shapes *s, rigid_pair *p)
{
    int err = IMP_OK;
    *p = (rigid_pair){.mem = m};
    for (int i = 0; i < 2; i++) {
        TRY(mem_alloc(m, s->most_vertices * sizeof *p->body[i].at, &p->body[i].at));
        TRY(mem_alloc(m, s->most_triangles * sizeof *p->body[i].box, &p->body[i].box));
    }
out:
    return err;
}

void rigid_pair_close(rigid_pair *p)
{
    for (int i = 0; i < 2 && p->mem; i++) {
        mem_free(p->mem, p->body[i].at);
        mem_free(p->mem, p->body[i].box);
    }
    *p = (rigid_pair){0};
}

static void rigid_gap_widen(double low[3], double high[3], const double by[6])
{
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], by[k]);
        high[k] = fmax(high[k], by[3 + k]);
    }
}

static void rigid_gap_place(rigid_placed *to, const rigid_shape *s, const rigid_pose *pose,
                            const real origin[3])
{
    real move[3];
    to->shape = s;
    rigid_gap_minus(pose->centre, origin, move);
    for (uint32_t v = 0; v < s->vertices; v++) {
        const double *x = s->point + 3 * (size_t)v;
        for (int k = 0; k < 3; k++)
            to->at[v][k] =
                pose->r[k][0] * x[0] + pose->r[k][1] * x[1] + pose->r[k][2] * x[2] + move[k];
    }
    for (int k = 0; k < 3; k++) {
        to->low[k] = INFINITY;
        to->high[k] = -INFINITY;
    }
    for (uint32_t t = 0; t < s->triangles; t++) {
        double *box = to->box[t];
        for (int k = 0; k < 3; k++) {
            box[k] = INFINITY;
            box[3 + k] = -INFINITY;
            for (int c = 0; c < 3; c++) {
                const double x = (double)to->at[s->corner[3 * (size_t)t + (size_t)c]][k];
                box[k] = fmin(box[k], x);
                box[3 + k] = fmax(box[3 + k], x);
            }
        }
        rigid_gap_widen(to->low, to->high, box);
    }
}

void rigid_pair_place(rigid_pair *p, const rigid_shape *a, const rigid_pose *pa,
                      const rigid_shape *b, const rigid_pose *pb)
{
    memcpy(p->origin, pa->centre, sizeof p->origin);
    rigid_gap_place(&p->body[0], a, pa, p->origin);
    rigid_gap_place(&p->body[1], b, pb, p->origin);
}

/* ---- distances */

static void rigid_gap_corners(const rigid_placed *b, uint32_t triangle, real x[3][3])
{
    for (int k = 0; k < 3; k++)
        memcpy(x[k], b->at[b->shape->corner[3 * (size_t)triangle + (size_t)k]], sizeof x[k]);
}

static real vertex_faces(real a[3][3], real b[3][3])
{
    real x[4][3], least = INFINITY;
    memcpy(x, b, 3 * sizeof x[0]);
    for (int k = 0; k < 3; k++) {
        memcpy(x[3], a[k], sizeof x[3]);
        least = fminl(least, oracle_rigid_features_distance(1, (const real(*)[3])x));
    }
    return least;
}

static void rigid_gap_edge(real a[3][3], int k, real out[2][3])
{
    memcpy(out[0], a[k], sizeof out[0]);
    memcpy(out[1], a[(k + 1) % 3], sizeof out[1]);
}

static int rigid_gap_pierces(real a[3][3], real b[3][3])
{
    real edge[2][3];
    for (int k = 0; k < 3; k++) {
        rigid_gap_edge(a, k, edge);
        if (oracle_rigid_edge_pierces((const real(*)[3])edge, (const real(*)[3])b))
            return 1;
    }
    return 0;
}

static real rigid_gap_between(real a[3][3], real b[3][3])
{
    real x[4][3], least = fminl(vertex_faces(a, b), vertex_faces(b, a));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            rigid_gap_edge(a, i, x);
            rigid_gap_edge(b, k, x + 2);
            least = fminl(least, oracle_rigid_features_distance(0, (const real(*)[3])x));
        }
    return rigid_gap_pierces(a, b) || rigid_gap_pierces(b, a) ? 0 : least;
}

real rigid_triangles_distance(const rigid_pair *p, uint32_t a, uint32_t b)
{
    real x[3][3], y[3][3];
    rigid_gap_corners(&p->body[0], a, x);
    rigid_gap_corners(&p->body[1], b, y);
    return rigid_gap_between(x, y);
}

real rigid_point_distance(const rigid_pair *p, int body, uint32_t triangle, const real point[3])
{
    real x[4][3];
    rigid_gap_corners(&p->body[body], triangle, x);
    memcpy(x[3], point, sizeof x[3]);
    return oracle_rigid_features_distance(1, (const real(*)[3])x);
}

real rigid_edge_distance(const rigid_pair *p, int body, uint32_t triangle, int edge,
                         const real point[3])
{
    real c[3][3], x[4][3];
    rigid_gap_corners(&p->body[body], triangle, c);
    rigid_gap_edge(c, edge, x);
    memcpy(x[2], point, sizeof x[2]);
    memcpy(x[3], point, sizeof x[3]);
    return oracle_rigid_features_distance(0, (const real(*)[3])x);
}

/* A slightly reduced squared distance of two boxes. */
static double rigid_gap_box_distance(const double *low, const double *high, const double *other_low,
                                     const double *other_high)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d = fmax(fmax(low[k] - other_high[k], other_low[k] - high[k]), 0);
        sum += d * d;
    }
    return sum * (1 - 0x1p-40);
}

/* The body with more triangles, each of which is compared with all of the other one. */
typedef struct ordered {
    const rigid_placed *many, *few;
} ordered;

/* Distance of a triangle of `many` from all of `few`, if below `least`; *near becomes the nearest
 * triangle of `few`. */
static real rigid_gap_from_all(const ordered *p, uint32_t a, real least, uint32_t *near)
{
    const rigid_placed *of = p->many, *to = p->few;
    const double *box = of->box[a];
    real x[3][3], y[3][3];
    rigid_gap_corners(of, a, x);
    for (uint32_t b = 0; b < to->shape->triangles; b++) {
        if (rigid_gap_box_distance(box, box + 3, to->box[b], to->box[b] + 3) > least * least)
            continue;
        rigid_gap_corners(to, b, y);
        const real d = rigid_gap_between(x, y);
        *near = d < least ? b : *near;
        least = fminl(least, d);
    }
    return least;
}

/* Extent of the other body along a direction of length 1: it ends at `end`. */
typedef struct side_of {
    real direction[3], end;
} side_of;

static void rigid_gap_rotate_back(real x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = -x[k];
}

/* The plane of a triangle of the other body, on the side on which the first body reaches
 * farther. */
static side_of rigid_gap_side_by(const ordered *p, uint32_t triangle)
{
    const rigid_placed *body[2] = {p->many, p->few};
    real c[3][3], u[3], v[3], most[2] = {-INFINITY, -INFINITY}, least[2] = {INFINITY, INFINITY};
    side_of s;
    rigid_gap_corners(p->few, triangle, c);
    rigid_gap_minus(c[1], c[0], u);
    rigid_gap_minus(c[2], c[0], v);
    rigid_gap_cross(u, v, s.direction);
    const real size = sqrtl(rigid_gap_dot(s.direction, s.direction));
    for (int k = 0; k < 3; k++)
        s.direction[k] = size > 0 ? s.direction[k] / size : 0;
    for (int i = 0; i < 2; i++)
        for (uint32_t x = 0; x < body[i]->shape->vertices; x++) {
            const real h = rigid_gap_dot(s.direction, body[i]->at[x]);
            most[i] = more(most[i], h);
            least[i] = less(least[i], h);
        }
    s.end = most[1];
    if (most[0] - most[1] < least[1] - least[0]) {
        rigid_gap_rotate_back(s.direction);
        s.end = -least[1];
    }
    return s;
}

/* A lower limit of the distance of a triangle of the first body from the other body. */
static real rigid_gap_lower_bound(const ordered *p, const side_of *s, uint32_t triangle)
{
    real c[3][3], least = INFINITY, size = fabsl(s->end);
    rigid_gap_corners(p->many, triangle, c);
    for (int k = 0; k < 3; k++) {
        const real h = rigid_gap_dot(s->direction, c[k]);
        least = fminl(least, h);
        size = fmaxl(size, fabsl(h));
    }
    return least - s->end - 1e-15L * size;
}

/* The triangle of the first body with the least box distance, or least beyond the plane. */
static uint32_t rigid_gap_nearest(const ordered *p, const side_of *s)
{
    const rigid_placed *a = p->many, *b = p->few;
    real nearest = INFINITY;
    uint32_t out = 0;
    for (uint32_t t = 0; t < a->shape->triangles; t++) {
        const real d = s ? rigid_gap_lower_bound(p, s, t)
                         : rigid_gap_box_distance(a->box[t], a->box[t] + 3, b->low, b->high);
        out = d < nearest ? t : out;
        nearest = fminl(d, nearest);
    }
    return out;
}

/* Two guesses first, then all triangles that neither boxes nor a plane prove to be farther away. */
real rigid_distance(const rigid_pair *p, real most)
{
    const rigid_placed *a = &p->body[0], *b = &p->body[1];
    const ordered o = a->shape->triangles < b->shape->triangles ? (ordered){b, a} : (ordered){a, b};
    const double apart = rigid_gap_box_distance(a->low, a->high, b->low, b->high);
    uint32_t near = 0;
    if (apart > most * most)
        return sqrt(apart);
    real least = rigid_gap_from_all(&o, rigid_gap_nearest(&o, NULL), INFINITY, &near);
    const side_of s = rigid_gap_side_by(&o, near);
    least = rigid_gap_from_all(&o, rigid_gap_nearest(&o, &s), least, &near);
    for (uint32_t t = 0; t < o.many->shape->triangles && least > 0; t++) {
        const double *box = o.many->box[t];
        if (rigid_gap_box_distance(box, box + 3, o.few->low, o.few->high) <= least * least &&
            rigid_gap_lower_bound(&o, &s, t) <= least)
            least = rigid_gap_from_all(&o, t, least, &near);
    }
    return least;
}

/* ---- inside */

/* Whether a ray from x crosses the triangle: 1 or -1 by its side; 2: too near its border to
 * decide. */
static int rigid_gap_ray_crosses(const real x[3], const real direction[3], real c[3][3])
{
    real u[3], v[3], w[3], n[3], s[3], t[3];
    rigid_gap_minus(c[1], c[0], u);
    rigid_gap_minus(c[2], c[0], v);
    rigid_gap_minus(x, c[0], w);
    rigid_gap_cross(u, v, n);
    const real slope = rigid_gap_dot(n, direction), size = sqrtl(rigid_gap_dot(n, n));
    if (fabsl(slope) <= 1e-9L * size)
        return size > 0 && fabsl(rigid_gap_dot(n, w)) <=
                               1e-9L * size * sqrtl(rigid_gap_dot(u, u) + rigid_gap_dot(v, v))
                   ? 2
                   : 0;
    const real along = -rigid_gap_dot(n, w) / slope;
    for (int k = 0; k < 3; k++)
        w[k] += along * direction[k];
    rigid_gap_cross(w, v, s);
    rigid_gap_cross(u, w, t);
    const real a = rigid_gap_dot(s, n) / (size * size), b = rigid_gap_dot(t, n) / (size * size);
    const real least = fminl(fminl(a, b), 1 - a - b);
    if (along <= 0 || least < -1e-9L)
        return 0;
    return least < 1e-9L ? 2 : slope > 0 ? 1 : -1;
}

int rigid_inside(const rigid_pair *p, int body, const real x[3])
{
    static const real directions[5][3] = {{0.31L, 0.47L, 0.83L},
                                          {-0.59L, 0.73L, 0.34L},
                                          {0.67L, -0.23L, -0.71L},
                                          {-0.37L, -0.61L, 0.70L},
                                          {0.11L, 0.89L, -0.44L}};
    const rigid_placed *of = &p->body[body];
    for (int k = 0; k < 3; k++)
        if (x[k] < of->low[k] || x[k] > of->high[k])
            return 0;
    for (int i = 0; i < 5; i++) {
        long sum = 0, count = 0;
        uint32_t t = 0;
        for (; t < of->shape->triangles; t++) {
            real c[3][3];
            rigid_gap_corners(of, t, c);
            const int through = rigid_gap_ray_crosses(x, directions[i], c);
            if (through == 2)
                break;
            sum += through;
            count += through != 0;
        }
        if (t == of->shape->triangles)
            return of->shape->oriented ? sum != 0 : count % 2 != 0;
    }
    return 0;
}

static int rigid_gap_part_inside(const rigid_pair *p, int inner)
{
    const rigid_placed *of = &p->body[inner];
    if (!p->body[!inner].shape->closed)
        return 0;
    for (uint32_t i = 0; i < of->shape->parts; i++)
        if (rigid_inside(p, !inner, of->at[of->shape->part[i]]))
            return 1;
    return 0;
}

int rigid_nested(const rigid_pair *p)
{
    return rigid_gap_part_inside(p, 0) || rigid_gap_part_inside(p, 1);
}

/* ---- overlap depth */

/* Distance that the second body must move along a direction of length 1 to leave the first. */
static real rigid_gap_exit(const rigid_pair *p, const real n[3])
{
    real reach = -INFINITY, back = INFINITY;
    for (uint32_t v = 0; v < p->body[0].shape->vertices; v++)
        reach = more(reach, rigid_gap_dot(n, p->body[0].at[v]));
    for (uint32_t v = 0; v < p->body[1].shape->vertices; v++)
        back = less(back, rigid_gap_dot(n, p->body[1].at[v]));
    return reach - back;
}

/* The lesser of both directions along n, which may have any length; 0: no direction. */
static real rigid_gap_least_exit(const rigid_pair *p, const real n[3], real least)
{
    const real size = sqrtl(rigid_gap_dot(n, n));
    real out[3], back[3];
    for (int k = 0; k < 3; k++) {
        out[k] = n[k] / size;
        back[k] = -out[k];
    }
    return fminl(least, fminl(rigid_gap_exit(p, out), rigid_gap_exit(p, back)));
}

static real by_faces(const rigid_pair *p, int body, real least)
{
    for (uint32_t t = 0; t < p->body[body].shape->triangles; t++) {
        real c[3][3], u[3], v[3], n[3];
        rigid_gap_corners(&p->body[body], t, c);
        rigid_gap_minus(c[1], c[0], u);
        rigid_gap_minus(c[2], c[0], v);
        rigid_gap_cross(u, v, n);
        if (rigid_gap_dot(n, n) > 0)
            least = rigid_gap_least_exit(p, n, least);
    }
    return least;
}

/* All three edges of all triangles: each occurs twice, which only costs time. */
static real by_edges(const rigid_pair *p, uint32_t a, uint32_t b, real least)
{
    real x[3][3], y[3][3];
    rigid_gap_corners(&p->body[0], a, x);
    rigid_gap_corners(&p->body[1], b, y);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            real u[3], v[3], n[3];
            rigid_gap_minus(x[(i + 1) % 3], x[i], u);
            rigid_gap_minus(y[(k + 1) % 3], y[k], v);
            rigid_gap_cross(u, v, n);
            if (rigid_gap_dot(n, n) > 1e-12L * rigid_gap_dot(u, u) * rigid_gap_dot(v, v))
                least = rigid_gap_least_exit(p, n, least);
        }
    return least;
}

real rigid_depth(const rigid_pair *p, uint64_t edges)
{
    const rigid_shape *a = p->body[0].shape, *b = p->body[1].shape;
    real least = by_faces(p, 1, by_faces(p, 0, INFINITY));
    if (9 * (uint64_t)a->triangles * b->triangles >
        4 * edges) /* each edge belongs to two triangles */
        return least;
    for (uint32_t t = 0; t < a->triangles; t++)
        for (uint32_t u = 0; u < b->triangles; u++)
            least = by_edges(p, t, u, least);
    return least;
}
