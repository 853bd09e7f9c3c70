/* See scene_cloth.h. */
#include "scene_cloth.h"

#include <math.h>

#define GRAVITY 9.81
#define DRAG 0.8 /* air drag: fraction of the velocity lost in a second */
#define FRICTION_BALL 1.0
#define FRICTION_FLOOR 1.0
#define GIVE_SIDE 50

/* Links connect each vertex to the one `row` rows and `col` columns further. `give` is the
 * compliance in seconds squared, 0 for rigid. It is that of a cloth of GIVE_SIDE quads; a vertex of
 * a finer one has less mass. */
typedef struct family {
    int row, col;
    double give;
} family;

static const family families[] = {
    {0, 1, 0},    {1, 0, 0},     /* along the threads */
    {1, 1, 2e-6}, {1, -1, 2e-6}, /* diagonal: shear */
    {0, 2, 6e-5}, {2, 0, 6e-5},  /* to the second neighbour: bending */
    {2, 2, 6e-5}, {2, -2, 6e-5},
};

int cloth_init(scene *s, uint64_t side, cloth *c)
{
    uint64_t n = (side + 1) * (side + 1);
    *c = (cloth){.side = side};
    int err = scene_alloc(s, n, sizeof *c->at, &c->at);
    if (!err)
        err = scene_alloc(s, n, sizeof *c->was, &c->was);
    if (!err)
        err = scene_alloc(s, n, sizeof *c->speed, &c->speed);
    if (!err)
        err = scene_alloc(s, n, sizeof *c->rest, &c->rest);
    return err;
}

static void scene_cloth_fly(cloth *c, double dt)
{
    uint64_t n = (c->side + 1) * (c->side + 1);
    double keep = 1 - DRAG * dt;
    for (uint64_t i = 0; i < n; i++) {
        v3 v = c->speed[i];
        v.z = v.z - GRAVITY * dt;
        c->speed[i] = v3_scale(v, keep);
        c->was[i] = c->at[i];
        c->at[i] = v3_add(c->at[i], v3_scale(c->speed[i], dt));
    }
}

static void pull(v3 *a, v3 *b, double rest, double soft)
{
    v3 d = v3_sub(*b, *a);
    double length = scene_norm(d);
    if (length < 1e-9 * rest)
        return; /* no direction to push in */
    v3 move = v3_scale(d, (length - rest) / (length * (2 + soft)));
    *a = v3_add(*a, move);
    *b = v3_sub(*b, move);
}

/* Every other step goes in reverse order, so that no direction is preferred. */
static void pull_family(cloth *c, const family *f, double soft)
{
    uint64_t across = c->side + 1, rows = across - (uint64_t)f->row;
    uint64_t skip = (uint64_t)(f->col < 0 ? -f->col : f->col);
    if (across <= skip || across <= (uint64_t)f->row)
        return;
    uint64_t cols = across - skip, n = rows * cols;
    int64_t apart = f->row * (int64_t)across + f->col;
    double rest = c->edge * sqrt((double)(f->row * f->row + f->col * f->col));
    for (uint64_t k = 0; k < n; k++) {
        uint64_t i = c->steps & 1 ? n - 1 - k : k;
        v3 *a = c->at + i / cols * across + i % cols + (f->col < 0 ? skip : 0);
        pull(a, a + apart, rest, soft);
    }
}

/* The part of `slip` that friction removes: at most its tangential part, and at most `friction`
 * times the depth from which the vertex was pushed out. */
static v3 rub(v3 slip, v3 normal, double depth, double friction)
{
    v3 along = v3_sub(slip, v3_scale(normal, v3_dot(slip, normal)));
    double length = scene_norm(along), most = friction * depth;
    return length <= most ? along : v3_scale(along, most / length);
}

static void push_out(cloth *c, uint64_t i, double dt)
{
    v3 p = c->at[i], centre = v3_make(0, 0, c->height), off = v3_sub(p, centre);
    double far = scene_norm(off), floor = c->rest[i];
    if (far < c->radius && far > 0) {
        v3 normal = v3_scale(off, 1 / far);
        v3 drift = v3_make(-c->spin * dt * off.y, c->spin * dt * off.x, 0);
        v3 slip = v3_sub(v3_sub(p, c->was[i]), drift);
        p = v3_add(centre, v3_scale(normal, c->radius));
        p = v3_sub(p, rub(slip, normal, c->radius - far, FRICTION_BALL));
    }
    if (p.z < floor) {
        v3 slip = v3_sub(p, c->was[i]);
        p = v3_sub(p, rub(slip, v3_make(0, 0, 1), floor - p.z, FRICTION_FLOOR));
        p.z = floor;
    }
    c->at[i] = p;
}

void cloth_step(cloth *c, double dt)
{
    uint64_t n = (c->side + 1) * (c->side + 1);
    double finer = (double)c->side / GIVE_SIDE, soft = 1 / (finer * finer * dt * dt);
    scene_cloth_fly(c, dt);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        pull_family(c, &families[f], families[f].give * soft);
    for (uint64_t i = 0; i < n; i++)
        push_out(c, i, dt);
    for (uint64_t i = 0; i < n; i++)
        c->speed[i] = v3_scale(v3_sub(c->at[i], c->was[i]), 1 / dt);
    c->angle += c->spin * dt;
    c->steps++;
}

/* ---- between the vertices: Catmull-Rom splines, extrapolated linearly beyond the border */

/* Returns the quad of position k / fine along `side` quads, and the weights of four vertices about
 * it. */
static uint64_t spline(uint64_t k, uint64_t fine, uint64_t side, double w[4])
{
    uint64_t quad = k * side / fine;
    quad = quad < side ? quad : side - 1;
    double t = (double)(k * side - quad * fine) / (double)fine;
    w[0] = t * (t * (1 - 0.5 * t) - 0.5);
    w[1] = 1 + t * t * (1.5 * t - 2.5);
    w[2] = t * (0.5 + t * (2 - 1.5 * t));
    w[3] = t * t * (0.5 * t - 0.5);
    return quad;
}

static v3 weigh(const double w[4], v3 a, v3 b, v3 c, v3 d)
{
    v3 left = v3_add(v3_scale(a, w[0]), v3_scale(b, w[1]));
    return v3_add(left, v3_add(v3_scale(c, w[2]), v3_scale(d, w[3])));
}

static v3 scene_cloth_beyond(v3 last, v3 before)
{
    return v3_sub(v3_scale(last, 2), before);
}

void cloth_row(const cloth *c, uint64_t row, uint64_t fine, v3 *curve)
{
    double w[4];
    uint64_t across = c->side + 1, quad = spline(row, fine, c->side, w);
    const v3 *p = c->at + quad * across;
    for (uint64_t i = 0; i < across; i++) {
        v3 first = quad ? p[i - across] : scene_cloth_beyond(p[i], p[i + across]);
        v3 last = quad + 1 < c->side ? p[i + 2 * across] : scene_cloth_beyond(p[i + across], p[i]);
        curve[i + 1] = weigh(w, first, p[i], p[i + across], last);
    }
    curve[0] = scene_cloth_beyond(curve[1], curve[2]);
    curve[across + 1] = scene_cloth_beyond(curve[across], curve[across - 1]);
}

v3 cloth_col(const cloth *c, uint64_t col, uint64_t fine, const v3 *curve)
{
    double w[4];
    const v3 *p = curve + spline(col, fine, c->side, w);
    return weigh(w, p[0], p[1], p[2], p[3]);
}
