/* See oracle_apart.h. */
#include "oracle_apart.h"

#include "oracle_integers.h"

#include <math.h>

typedef struct apart_pair {
    const int *corners;
    const double (*x)[4][3];
    double sure;      /* a height over a plane has the right sign if it is more than this */
    double normal[3]; /* of a face */
    int whole;        /* are there integers? */
    vector integer[2][4];
} apart_pair;

/* Corner n of a face of primitive s. Face f of a tetrahedron lacks corner f. */
static int face_corner(const apart_pair *w, int s, int f, int n)
{
    return n + (w->corners[s] == 4 && f <= n);
}

/* ---- in integers */

/* A triangle's fourth corner is its first again: it is not used, and must not shorten the unit. */
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

/* With all differences of coordinates at most m, one is at most 2^-53 m off, a coordinate of a
 * normal 2^-50 m^2, a height 48 * 2^-53 m^3. Beyond these sizes products may lose bits below the
 * least float64. */
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

/* Does the plane of face f of primitive s separate them? All corners of the other must be on the
 * far side; `within`: or in the plane, which is enough for interiors. A triangle has one face, and
 * either side of it is far. */
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
