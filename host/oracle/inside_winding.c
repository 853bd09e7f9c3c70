/* Where a point is about a closed surface: a ray in a direction that meets no edge, and whose
 * crossings are counted. See inside_oracle.h. */
#include "inside_oracle.h"

#include <math.h>

typedef struct inside_ray {
    const rational_point *x;
    long d[3];
    mpz_t *normal; /* of the plane through x, or NULL */
    int turn;      /* the ray goes along d, or with -1 against it */
    int through;   /* crossings, +1 for each face that the ray leaves by its front */
    int jump;      /* faces with x, +1 for each in the direction of the normal */
    int on;        /* x is on a face */
} inside_ray;

static int inside_winding_along(const long d[3], vector n)
{
    mpz_t t, s;
    mpz_init(t);
    mpz_init(s);
    for (int k = 0; k < 3; k++) {
        mpz_mul_si(s, n[k], d[k]);
        mpz_add(t, t, s);
    }
    const int sign = mpz_sgn(t);
    mpz_clear(t);
    mpz_clear(s);
    return sign;
}

/* The sign of the determinant of (d, a - x, b - x): the side of the line on which the edge from a
 * to b passes it. It equals d (a x b) - x ((b - a) x d). */
static int inside_winding_pass(const inside_ray *r, const rational_point *a,
                               const rational_point *b)
{
    vector across, edge, d;
    mpz_t t, s;
    mpz_init(t);
    mpz_init(s);
    vector_init(across);
    vector_init(edge);
    vector_init(d);
    for (int k = 0; k < 3; k++)
        mpz_set_si(d[k], r->d[k]);
    vector_cross(across, mpz_read(a->v), mpz_read(b->v));
    vector_dot(t, d, across);
    mpz_mul(t, t, r->x->v[3]);
    point_between(edge, a, b);
    vector_cross(across, edge, d);
    vector_dot(s, across, mpz_read(r->x->v));
    const int sign = mpz_cmp(t, s);
    mpz_clear(t);
    mpz_clear(s);
    vector_clear(across);
    vector_clear(edge);
    vector_clear(d);
    return (sign > 0) - (sign < 0);
}

/* The sign of n m for parallel n and m, 0 if they are not parallel. */
static int inside_winding_parallel(vector n, vector m)
{
    vector across;
    mpz_t t;
    mpz_init(t);
    vector_init(across);
    vector_cross(across, n, m);
    vector_dot(t, n, m);
    const int parallel = !mpz_sgn(across[0]) && !mpz_sgn(across[1]) && !mpz_sgn(across[2]);
    const int sign = mpz_sgn(t);
    mpz_clear(t);
    vector_clear(across);
    return parallel ? sign : 0;
}

/* What a face means for the count. */
enum inside_step { INSIDE_COUNTED, INSIDE_TOUCHED, INSIDE_BORDER, INSIDE_AGAIN };

/* A face whose plane has x. */
static int inside_winding_at(inside_ray *r, const inside_face *face)
{
    mpz_t *n = mpz_read(face->plane.n);
    const int where = inside_face_where(face, r->x);
    if (where < 0)
        return inside_winding_along(r->d, n) ? INSIDE_COUNTED : INSIDE_AGAIN;
    if (!r->normal)
        return INSIDE_TOUCHED;
    const int parallel = where ? inside_winding_parallel(n, r->normal) : 0;
    r->jump += parallel;
    r->on = 1;
    return parallel ? INSIDE_COUNTED : INSIDE_BORDER;
}

static int inside_winding_face(inside_ray *r, const inside_face *face)
{
    if (!face->area)
        return !r->normal && inside_face_edge_has(face, r->x) ? INSIDE_TOUCHED : INSIDE_COUNTED;
    const int before = inside_plane_sign(&face->plane, r->x);
    if (!before)
        return inside_winding_at(r, face);
    int any[3] = {0};
    for (int i = 0; i < 3; i++)
        any[1 + inside_winding_pass(r, &face->corner[i], &face->corner[(i + 1) % 3])]++;
    if (any[0] && any[2]) /* the line passes the face, or meets the line of an edge outside it */
        return INSIDE_COUNTED;
    if (any[1])
        return INSIDE_AGAIN;
    const int leaves = any[2] ? r->turn : -r->turn;
    if (before == -leaves)
        r->through += leaves;
    return INSIDE_COUNTED;
}

/* The greatest scaled coordinate. */
static double inside_winding_size(const inside_surface *s, const double x[3])
{
    return s->scale * fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

/* The faces that a line along the ray, or x itself, may meet; in directions beyond those of the
 * views all faces. */
static int inside_winding_faces(const inside_surface *s, int attempt, inside_ray *r)
{
    int step = INSIDE_COUNTED;
    const int boxes = attempt < INSIDE_VIEWS;
    const inside_view *v = &s->view[boxes ? attempt : 0];
    const double margin = boxes ? v->margin * (1 + inside_winding_size(s, r->x->near)) : INFINITY;
    double at[3], from[3], to[3];
    inside_view_point(s, v, r->x->near, at);
    for (int k = 0; k < 3; k++) {
        from[k] = at[k] - margin;
        to[k] = at[k] + margin;
    }
    for (size_t i = inside_view_first(s, v, from[0]); i < s->faces && step == INSIDE_COUNTED; i++) {
        const inside_item *t = &v->item[i];
        if (t->lo[0] > to[0])
            break;
        if (!(t->hi[0] < from[0] || t->lo[1] > to[1] || t->hi[1] < from[1] ||
              (r->turn > 0 ? t->hi[2] < from[2] : t->lo[2] > to[2])))
            step = inside_winding_face(r, &s->face[t->face]);
    }
    return step;
}

static int inside_winding_count(const inside_surface *s, inside_ray *r)
{
    int step = INSIDE_AGAIN;
    for (int attempt = 0; step == INSIDE_AGAIN; attempt++) {
        inside_direction(attempt, r->d);
        r->turn = r->normal ? inside_winding_along(r->d, r->normal) : 1;
        r->through = r->jump = r->on = 0;
        if (r->turn)
            step = inside_winding_faces(s, attempt, r);
    }
    return step;
}

int inside_winding(const inside_surface *s, const rational_point *x, int *winding)
{
    inside_ray r = {.x = x};
    *winding = 0;
    if (inside_winding_count(s, &r) == INSIDE_TOUCHED)
        return INSIDE_ON;
    *winding = r.through;
    return INSIDE_OFF;
}

int inside_sides(const inside_surface *s, const rational_point *x, vector normal, int w[2])
{
    inside_ray r = {.x = x, .normal = normal};
    if (inside_winding_count(s, &r) == INSIDE_BORDER)
        return INSIDE_EDGE;
    w[0] = r.through;
    w[1] = r.through + r.jump;
    return r.on ? INSIDE_ON : INSIDE_OFF;
}
