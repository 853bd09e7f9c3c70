/* See oracle.h; oracle_points.c checks contacts. */
#include "oracle.h"

#include "impinge.h"
#include "oracle_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rational geometry
 *
 * Points are homogeneous: (x/w, y/w, z/w) with integers and w > 0, so nothing is ever divided. The
 * intersection of two triangles is convex: the first triangle, clipped by half-spaces that
 * intersect in the second one (Sutherland and Hodgman). Degenerate triangles need no special cases
 * in clipping, only other half-spaces. */

/* inside where n0 x + n1 y + n2 z + n3 w >= 0 */
typedef struct half_space {
    mpz_t n[4];
} half_space;

#define POINTS 16 /* capacity of a polygon: 3, and at most one more for each half-space */
#define SPACES 6

struct oracle {
    int unit;     /* integers are in units of 2^unit */
    vector x[6];  /* the six corners */
    int shared;   /* number of different vertices of the first triangle that the second also has */
    int share[3]; /* their corners in the first triangle */
    int spaces;
    half_space space[SPACES];
    int count;
    rational_point *polygon, *next, pool[2][POINTS];
    mpz_t f[POINTS];        /* heights of the polygon's points over a half-space */
    vector u, v, m, n;      /* scratch */
    mpz_t s, t, dist, best; /* scratch */
};

static void each_of(mpz_t *x, int count, void (*act)(mpz_ptr))
{
    for (int i = 0; i < count; i++)
        act(x[i]);
}

/* Applies `act`, initialisation or release, to all numbers of *o. */
static void each_number(oracle *o, void (*act)(mpz_ptr))
{
    for (int i = 0; i < 6; i++)
        each_of(o->x[i], 3, act);
    for (int i = 0; i < SPACES; i++)
        each_of(o->space[i].n, 4, act);
    for (int i = 0; i < 2 * POINTS; i++)
        each_of(o->pool[i / POINTS][i % POINTS].v, 4, act);
    each_of(o->f, POINTS, act);
    mpz_t *const work[] = {o->u, o->v, o->m, o->n};
    for (int i = 0; i < 4; i++)
        each_of(work[i], 3, act);
    mpz_t *const single[] = {&o->s, &o->t, &o->dist, &o->best};
    for (int i = 0; i < 4; i++)
        each_of(single[i], 1, act);
}

oracle *oracle_open(void)
{
    oracle *o = calloc(1, sizeof *o);
    if (o)
        each_number(o, mpz_init);
    return o;
}

void oracle_close(oracle *o)
{
    if (o)
        each_number(o, mpz_clear);
    free(o);
}

/* ---- input */

static int is_zero(vector a)
{
    return !mpz_sgn(a[0]) && !mpz_sgn(a[1]) && !mpz_sgn(a[2]);
}

/* Reads coordinates as integers, and finds the shared vertices. A vertex that the first triangle
 * names twice counts once. */
static void oracle_load(oracle *o, const tri_pair *t)
{
    double x[18];
    for (int i = 0; i < 18; i++)
        x[i] = t->x[t->corner[i / 3]][i % 3];
    o->unit = oracle_integers(18, x, &o->x[0][0]);
    o->shared = 0;
    for (int i = 0; i < 3; i++) {
        const uint32_t *c = t->corner;
        int again = (i > 0 && c[i] == c[0]) || (i > 1 && c[i] == c[1]);
        if (!again && (c[i] == c[3] || c[i] == c[4] || c[i] == c[5]))
            o->share[o->shared++] = i;
    }
}

/* ---- the second triangle as half-spaces */

/* Adds s n . (x - at) >= 0, s = 1 or -1. */
static void add_space(oracle *o, vector n, vector at, int s)
{
    half_space *h = &o->space[o->spaces++];
    vector_dot(h->n[3], n, at);
    if (s > 0)
        mpz_neg(h->n[3], h->n[3]);
    for (int k = 0; k < 3; k++)
        (s > 0 ? mpz_set : mpz_neg)(h->n[k], n[k]);
}

/* A plane is two opposite half-spaces. */
static void add_plane(oracle *o, vector n, vector at)
{
    add_space(o, n, at, 1);
    add_space(o, n, at, -1);
}

/* The triangle's plane, and the inner side of each edge. */
static void triangle_spaces(oracle *o, vector *x)
{
    add_plane(o, o->n, x[0]);
    for (int i = 0; i < 3; i++) {
        vector_subtract(o->u, x[(i + 1) % 3], x[i]);
        vector_cross(o->v, o->n, o->u);
        add_space(o, o->v, x[i], 1);
    }
}

/* Two planes through the line, and a half-space at each end. The first plane's normal is
 * perpendicular to the axis along which the line's extent is least, so that it is not 0. */
static void segment_spaces(oracle *o, vector a, vector b)
{
    int k = 0;
    vector_subtract(o->u, b, a);
    for (int i = 1; i < 3; i++)
        if (mpz_cmpabs(o->u[i], o->u[k]) < 0)
            k = i;
    for (int i = 0; i < 3; i++)
        mpz_set_si(o->v[i], i == k);
    vector_cross(o->m, o->u, o->v);
    vector_cross(o->n, o->u, o->m);
    add_plane(o, o->m, a);
    add_plane(o, o->n, a);
    add_space(o, o->u, a, 1);
    add_space(o, o->u, b, -1);
}

/* A plane perpendicular to each axis. */
static void point_spaces(oracle *o, vector a)
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            mpz_set_si(o->u[i], i == k);
        add_plane(o, o->u, a);
    }
}

/* Half-spaces whose intersection is the hull of x[0 .. 2]. */
static void make_spaces(oracle *o, vector *x)
{
    int from = 0;
    o->spaces = 0;
    vector_subtract(o->u, x[1], x[0]);
    vector_subtract(o->v, x[2], x[0]);
    vector_cross(o->n, o->u, o->v);
    if (!is_zero(o->n)) {
        triangle_spaces(o, x);
        return;
    }
    mpz_set_si(o->best, 0); /* collinear: the two corners farthest apart span the segment */
    for (int i = 0; i < 3; i++) {
        vector_subtract(o->u, x[(i + 1) % 3], x[i]);
        vector_dot(o->dist, o->u, o->u);
        if (mpz_cmp(o->dist, o->best) > 0) {
            mpz_set(o->best, o->dist);
            from = i;
        }
    }
    if (mpz_sgn(o->best))
        segment_spaces(o, x[from], x[(from + 1) % 3]);
    else
        point_spaces(o, x[0]);
}

/* ---- clipping */

/* The height of p over the half-space's plane, times p's weight; its sign is exact. */
static void oracle_height(mpz_t r, half_space *h, rational_point *p)
{
    mpz_mul(r, h->n[0], p->v[0]);
    for (int k = 1; k < 4; k++)
        mpz_addmul(r, h->n[k], p->v[k]);
}

/* r = the point of a-b at height 0, where a and b have heights fa and fb of different sign. A
 * common factor is removed once numbers are long: for short ones, gcd costs more than it saves. */
static void oracle_crossing(oracle *o, rational_point *r, rational_point *a, mpz_t fa,
                            rational_point *b, mpz_t fb)
{
    mpz_abs(o->s, fa);
    mpz_abs(o->t, fb);
    for (int k = 0; k < 4; k++) {
        mpz_mul(r->v[k], o->t, a->v[k]);
        mpz_addmul(r->v[k], o->s, b->v[k]);
    }
    if (mpz_sizeinbase(r->v[3], 2) < 1024)
        return;
    mpz_gcd(o->s, r->v[3], r->v[0]);
    mpz_gcd(o->s, o->s, r->v[1]);
    mpz_gcd(o->s, o->s, r->v[2]);
    for (int k = 0; k < 4; k++)
        mpz_divexact(r->v[k], r->v[k], o->s);
}

/* Keeps the part of the polygon inside h. Also works for a segment, which is traversed back and
 * forth, and for a point. */
static void oracle_clip(oracle *o, half_space *h)
{
    int n = 0, inside = 1;
    for (int i = 0; i < o->count; i++) {
        oracle_height(o->f[i], h, &o->polygon[i]);
        inside &= mpz_sgn(o->f[i]) >= 0;
    }
    if (inside)
        return;
    for (int i = 0; i < o->count; i++) {
        int j = (i + 1) % o->count;
        if (mpz_sgn(o->f[i]) >= 0)
            for (int k = 0; k < 4; k++)
                mpz_set(o->next[n].v[k], o->polygon[i].v[k]);
        n += mpz_sgn(o->f[i]) >= 0;
        if (mpz_sgn(o->f[i]) * mpz_sgn(o->f[j]) < 0)
            oracle_crossing(o, &o->next[n++], &o->polygon[i], o->f[i], &o->polygon[j], o->f[j]);
    }
    rational_point *was = o->polygon;
    o->polygon = o->next;
    o->next = was;
    o->count = n;
}

/* o->poly becomes the intersection of both triangles, possibly with points that are not corners. */
static void intersect(oracle *o)
{
    o->polygon = o->pool[0];
    o->next = o->pool[1];
    o->count = 3;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            mpz_set(o->polygon[i].v[k], o->x[i][k]);
        mpz_set_si(o->polygon[i].v[3], 1);
    }
    make_spaces(o, o->x + 3);
    for (int i = 0; i < o->spaces && o->count; i++)
        oracle_clip(o, &o->space[i]);
}

/* ---- corners */

/* Returns whether three points are collinear. */
static int oracle_on_line(oracle *o, rational_point *a, rational_point *b, rational_point *c)
{
    point_between(o->u, a, b);
    point_between(o->v, a, c);
    vector_cross(o->m, o->u, o->v);
    return is_zero(o->m);
}

/* The removed point moves past the end, since its numbers stay initialised. */
static void remove_point(oracle *o, int i)
{
    rational_point gone = o->polygon[i];
    o->count--;
    memmove(&o->polygon[i], &o->polygon[i + 1], (size_t)(o->count - i) * sizeof gone);
    o->polygon[o->count] = gone;
}

/* Keeps only the corners of the polygon, in lexicographic order. */
static void oracle_find_corners(oracle *o)
{
    for (int i = 0; i < o->count; i++)
        point_approximate(&o->polygon[i], o->unit);
    for (int i = 0; i < o->count; i++)
        for (int j = o->count - 1; j > i; j--)
            if (!point_compare(&o->polygon[i], &o->polygon[j]))
                remove_point(o, j);
    for (int i = 0; i < o->count && o->count > 2;) {
        rational_point *last = &o->polygon[(i + o->count - 1) % o->count];
        rational_point *next = &o->polygon[(i + 1) % o->count];
        /* the middle one of three collinear points is removed; a line's end, where the order
         * reverses, is kept */
        int low =
            point_compare(&o->polygon[i], last)<0, high = point_compare(&o->polygon[i], next)> 0;
        if (low != high || !oracle_on_line(o, last, &o->polygon[i], next)) {
            i++;
            continue;
        }
        remove_point(o, i);
        i = 0;
    }
    for (int i = 1; i < o->count; i++)
        for (int j = i; j > 0 && point_compare(&o->polygon[j - 1], &o->polygon[j]) > 0; j--) {
            rational_point swap = o->polygon[j];
            o->polygon[j] = o->polygon[j - 1];
            o->polygon[j - 1] = swap;
        }
}

/* v / w in units of 2^unit, truncated */
static double truncated(const oracle *o, mpz_t v, mpz_t w)
{
    mpq_t q;
    mpq_init(q);
    mpz_mul_2exp(mpq_numref(q), v, (mp_bitcnt_t)(o->unit > 0 ? o->unit : 0));
    mpz_mul_2exp(mpq_denref(q), w, (mp_bitcnt_t)(o->unit > 0 ? 0 : -o->unit));
    mpq_canonicalize(q);
    const double x = mpq_get_d(q);
    mpq_clear(q);
    return x;
}

/* It is the truncated number, or the next one away from 0. */
static double rounded(const oracle *o, mpz_t v, mpz_t w)
{
    const double x = truncated(o, v, w), next = nextafter(x, mpz_sgn(v) * INFINITY);
    const int up = mpz_sgn(v) && isfinite(next) && !quotient_rounds_to(v, w, o->unit, x);
    return (up ? next : x) + 0.0;
}

static void oracle_store_corners(oracle *o, oracle_verdict *out)
{
    out->corners = o->count;
    for (int i = 0; i < o->count; i++)
        for (int k = 0; k < 3; k++)
            out->corner[i][k] = rounded(o, o->polygon[i].v[k], o->polygon[i].v[3]);
}

/* ---- shared vertices and edges */

/* Returns whether p is the corner a, or on the segment between the corners a and b. */
static int is_shared(oracle *o, rational_point *p, vector a, vector b)
{
    for (int k = 0; k < 3; k++) {
        mpz_set(o->u[k], p->v[k]);
        mpz_submul(o->u[k], a[k], p->v[3]);
    }
    vector_subtract(o->v, b, a);
    vector_cross(o->m, o->u, o->v);
    if (is_zero(o->u))
        return 1;
    if (is_zero(o->v) || !is_zero(o->m))
        return 0;
    vector_dot(o->s, o->u, o->v);
    vector_dot(o->t, o->v, o->v);
    mpz_mul(o->t, o->t, p->v[3]);
    return mpz_sgn(o->s) >= 0 && mpz_cmp(o->s, o->t) <= 0;
}

/* The least feature that has the point, of the triangle that begins with this corner. */
static uint8_t oracle_feature(oracle *o, rational_point *p, int first)
{
    for (int i = first; i < first + 3; i++)
        if (is_shared(o, p, o->x[i], o->x[i]))
            return (uint8_t)(IMP_END_CORNER + i - first);
    for (int i = 0; i < 3; i++)
        if (is_shared(o, p, o->x[first + i], o->x[first + (i + 1) % 3]))
            return (uint8_t)(IMP_END_EDGE + i);
    return IMP_END_FACE;
}

/* The contact kind: they meet if a corner of the intersection is beyond their shared vertices and
 * edges. */
static int oracle_kind(oracle *o, int dim)
{
    int beyond = !o->shared;
    if (o->shared == 3)
        return IMP_KIND_DUPLICATE;
    for (int i = 0; i < o->count && !beyond; i++)
        beyond = !is_shared(o, &o->polygon[i], o->x[o->share[0]], o->x[o->share[o->shared - 1]]);
    if (!o->count || !beyond)
        return 0;
    return dim == 0 ? IMP_KIND_POINT : dim == 1 ? IMP_KIND_SEGMENT : IMP_KIND_AREA;
}

/* ---- verdict */

void oracle_decide(oracle *o, const tri_pair *t, oracle_verdict *out)
{
    memset(out, 0, sizeof *out);
    oracle_load(o, t);
    intersect(o);
    oracle_find_corners(o);
    out->dim = o->count > 2 ? 2 : o->count - 1;
    out->kind = oracle_kind(o, out->dim);
    points_farthest(o->polygon, o->count, out->end);
    for (int i = 0; i < 4 && out->kind; i++)
        out->feature[i / 2][i % 2] = oracle_feature(o, &o->polygon[out->end[i / 2]], 3 * (i % 2));
    oracle_store_corners(o, out);
}

typedef struct apart_pair {
    const int *corners;
    const double (*x)[4][3];
    double sure;      /* the sign of a height over a plane is certain above this */
    double normal[3]; /* normal of a face */
    int whole;        /* the integers exist */
    vector integer[2][4];
} apart_pair;

/* Corner n of a face of primitive s. Face f of a tetrahedron is opposite corner f. */
static int face_corner(const apart_pair *w, int s, int f, int n)
{
    return n + (w->corners[s] == 4 && f <= n);
}

/* ---- in integers */

/* A triangle's fourth corner repeats its first: it is not used, and must not shorten the unit. */
static void integers_open(apart_pair *w)
{
    double all[24];
    for (int i = 0; i < 24; i++) {
        const int s = i / 12, v = i / 3 % 4;
        mpz_init(w->integer[s][v][i % 3]);
        all[i] = w->x[s][v < w->corners[s] ? v : 0][i % 3];
    }
    oracle_integers(24, all, &w->integer[0][0][0]);
    w->whole = 1;
}

static void integers_close(apart_pair *w)
{
    for (int i = 0; i < 24 && w->whole; i++)
        mpz_clear(w->integer[i / 12][i / 3 % 4][i % 3]);
}

static int oracle_apart_exact_side(apart_pair *w, int s, int f, int other, int v)
{
    vector a, b, n;
    mpz_t h;
    if (!w->whole)
        integers_open(w);
    mpz_t *const p = w->integer[s][face_corner(w, s, f, 0)];
    vector_init(a);
    vector_init(b);
    vector_init(n);
    mpz_init(h);
    vector_subtract(a, w->integer[s][face_corner(w, s, f, 1)], p);
    vector_subtract(b, w->integer[s][face_corner(w, s, f, 2)], p);
    vector_cross(n, a, b);
    vector_subtract(a, w->integer[other][v], p);
    vector_dot(h, a, n);
    const int side = mpz_sgn(h);
    vector_clear(a);
    vector_clear(b);
    vector_clear(n);
    mpz_clear(h);
    return side;
}

/* ---- in float64 */

/* With all differences of coordinates at most m, a difference is at most 2^-53 m off, a coordinate
 * of a normal 2^-50 m^2, a height 48 * 2^-53 m^3. Beyond these sizes, products may lose bits below
 * the least float64. */
static double sure_height(const apart_pair *w)
{
    double m = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 8; i++) {
            const double *x = w->x[i / 4][i % 4 < w->corners[i / 4] ? i % 4 : 0];
            low = x[k] < low ? x[k] : low;
            high = x[k] > high ? x[k] : high;
        }
        m = fmax(m, high - low);
    }
    return m > 0x1p-300 && m < 0x1p300 ? 0x1p-46 * m * m * m : INFINITY;
}

static void oracle_apart_find_normal(apart_pair *w, int s, int f)
{
    const double *a = w->x[s][face_corner(w, s, f, 0)], *b = w->x[s][face_corner(w, s, f, 1)],
                 *c = w->x[s][face_corner(w, s, f, 2)];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        w->normal[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    }
}

static int is_corner(const apart_pair *w, int s, int f, const double x[3])
{
    for (int n = 0; n < 3; n++) {
        const double *p = w->x[s][face_corner(w, s, f, n)];
        if (p[0] == x[0] && p[1] == x[1] && p[2] == x[2])
            return 1;
    }
    return 0;
}

/* The sign of the height of corner v of `other` over the plane of face f of primitive s. */
static int oracle_apart_side(apart_pair *w, int s, int f, int other, int v)
{
    const double *a = w->x[s][face_corner(w, s, f, 0)], *x = w->x[other][v];
    double h = 0;
    for (int k = 0; k < 3; k++)
        h += (x[k] - a[k]) * w->normal[k];
    if (fabs(h) > w->sure)
        return h > 0 ? 1 : -1;
    return is_corner(w, s, f, x) ? 0 : oracle_apart_exact_side(w, s, f, other, v);
}

/* ---- apart */

/* Returns whether the plane of face f of primitive s separates them. All corners of the other must
 * be on the far side, or with `within` in the plane, which suffices for interiors. A triangle has
 * one face, and both of its sides count as far. */
static int face_parts(apart_pair *w, int s, int f, int within)
{
    int side = 0, own = 0;
    oracle_apart_find_normal(w, s, f);
    if (w->corners[s] == 4)
        own = oracle_apart_side(w, s, f, s, f);
    for (int v = 0; v < w->corners[!s]; v++) {
        const int at = oracle_apart_side(w, s, f, !s, v);
        if ((!at && !within) || (at && (at == own || at == -side)))
            return 0;
        side = at ? at : side;
    }
    return own || side;
}

int oracle_apart(const int corners[2], const double x[2][4][3], int within)
{
    apart_pair w;
    int found = 0;
    w.corners = corners;
    w.x = x;
    w.whole = 0;
    w.sure = sure_height(&w);
    for (int s = 0; s < 2 && !found; s++)
        for (int f = 0; f < (corners[s] == 4 ? 4 : 1) && !found; f++)
            found = face_parts(&w, s, f, within);
    integers_close(&w);
    return found;
}

/* initial size of determinants of coordinates of similar size; longer numbers grow */
#define BITS 320

void matrix_init(matrix *m, int unknowns, int columns)
{
    m->unknowns = unknowns;
    m->columns = columns;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < columns; c++)
            mpz_init2(m->at[r][c], BITS);
}

void matrix_clear(matrix *m)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < m->columns; c++)
            mpz_clear(m->at[r][c]);
}

/* Swaps rows so that row `rank` is nonzero in column c; returns 0 if no row is. */
static int find_pivot(matrix *m, int rank, int c)
{
    int p = rank;
    while (p < ROWS && !mpz_sgn(m->at[p][c]))
        p++;
    for (int k = 0; k < m->columns && p < ROWS; k++)
        mpz_swap(m->at[p][k], m->at[rank][k]);
    return p < ROWS;
}

/* Row r times the pivot, minus a multiple of the pivot's row, so that its column c becomes 0. The
 * result is divided by the previous pivot (Bareiss), so numbers stay as short as determinants. */
static void clear_row(matrix *m, int r, int rank, int c, const mpz_t before)
{
    mpz_t f;
    mpz_init_set(f, m->at[r][c]);
    for (int k = 0; k < m->columns; k++) {
        mpz_mul(m->at[r][k], m->at[r][k], m->at[rank][c]);
        mpz_submul(m->at[r][k], f, m->at[rank][k]);
        if (mpz_cmp_ui(before, 1))
            mpz_divexact(m->at[r][k], m->at[r][k], before);
    }
    mpz_clear(f);
}

int matrix_reduce(matrix *m, int needed)
{
    int rank = 0, good = 1;
    mpz_t before;
    mpz_init_set_ui(before, 1);
    for (int c = 0; c < m->unknowns && rank < ROWS && good; c++) {
        if (find_pivot(m, rank, c)) {
            for (int r = 0; r < ROWS; r++)
                if (r != rank)
                    clear_row(m, r, rank, c, before);
            mpz_set(before, m->at[rank++][c]);
        } else {
            good = c >= needed;
        }
    }
    for (int i = 0; i < ROWS * m->columns && mpz_sgn(before) < 0; i++)
        mpz_neg(m->at[i / m->columns][i % m->columns], m->at[i / m->columns][i % m->columns]);
    mpz_clear(before);
    return good;
}

#define NUMBERS 25 /* 24 coordinates and a length */

void vectors_read(const double from[2][4][3], double length, polynomial_vector out[4],
                  mpz_t in_units)
{
    mpz_t whole[NUMBERS];
    double x[NUMBERS];
    memcpy(x, from, (NUMBERS - 1) * sizeof *x);
    x[NUMBERS - 1] = length;
    for (int i = 0; i < NUMBERS; i++)
        mpz_init(whole[i]);
    oracle_integers(NUMBERS, x, whole);
    for (int i = 0; i < 12; i++) {
        polynomial_init(&out[i / 3][i % 3]);
        polynomial_line(&out[i / 3][i % 3], whole[i], whole[12 + i]);
    }
    mpz_init_set(in_units, whole[NUMBERS - 1]);
    for (int i = 0; i < NUMBERS; i++)
        mpz_clear(whole[i]);
}

void vectors_clear(int count, polynomial_vector *v)
{
    for (int i = 0; i < 3 * count; i++)
        polynomial_clear(&v[i / 3][i % 3]);
}

void vectors_between(polynomial_vector r, polynomial_vector from, polynomial_vector to)
{
    for (int k = 0; k < 3; k++) {
        polynomial_init(&r[k]);
        polynomial_subtract(&r[k], &to[k], &from[k]);
    }
}

void vectors_cross(polynomial_vector r, polynomial_vector a, polynomial_vector b)
{
    for (int k = 0; k < 3; k++) {
        polynomial_init(&r[k]);
        polynomial_add_product(&r[k], &a[(k + 1) % 3], &b[(k + 2) % 3]);
        polynomial_subtract_product(&r[k], &a[(k + 2) % 3], &b[(k + 1) % 3]);
    }
}

void vectors_dot(polynomial *r, polynomial_vector a, polynomial_vector b)
{
    polynomial_init(r);
    for (int k = 0; k < 3; k++)
        polynomial_add_product(r, &a[k], &b[k]);
}
