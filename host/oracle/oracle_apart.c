/* See oracle_apart.h. */
#include "oracle_apart.h"

#include "oracle_integers.h"

typedef struct integers {
    int corners[2];
    vector x[2][4];
    vector u, v, n; /* two edges of a face, its normal */
    mpz_t h;        /* a height */
} integers;

/* A triangle's fourth corner is its first again: it is not used, and must not shorten the unit. */
static void integers_open(integers *w, const int corners[2], const double x[2][4][3])
{
    double all[24];
    for (int i = 0; i < 24; i++) {
        const int s = i / 12, v = i / 3 % 4;
        mpz_init(w->x[s][v][i % 3]);
        all[i] = x[s][v < corners[s] ? v : 0][i % 3];
    }
    vector_init(w->u);
    vector_init(w->v);
    vector_init(w->n);
    mpz_init(w->h);
    w->corners[0] = corners[0];
    w->corners[1] = corners[1];
    oracle_integers(24, all, &w->x[0][0][0]);
}

static void integers_close(integers *w)
{
    for (int i = 0; i < 24; i++)
        mpz_clear(w->x[i / 12][i / 3 % 4][i % 3]);
    vector_clear(w->u);
    vector_clear(w->v);
    vector_clear(w->n);
    mpz_clear(w->h);
}

static void find_normal(integers *w, vector a, vector b, vector c)
{
    vector_subtract(w->u, b, a);
    vector_subtract(w->v, c, a);
    vector_cross(w->n, w->u, w->v);
}

/* The sign of x's height over the plane through `a` that has the normal. */
static int side_of(integers *w, vector a, vector x)
{
    vector_subtract(w->u, x, a);
    vector_dot(w->h, w->u, w->n);
    return mpz_sgn(w->h);
}

/* Does the plane of a face of primitive s separate them? Face n of a tetrahedron lacks corner n.
 * All corners of the other must be on the far side; `within`: or in the plane, which is enough for
 * interiors. A triangle has one face, and either side of it is far. */
static int face_parts(integers *w, int s, int n, int within)
{
    const int solid = w->corners[s] == 4;
    vector *p = w->x[s];
    mpz_t *const a = p[solid && n == 0];
    int side = 0, own = 0;
    find_normal(w, a, p[solid && n < 2 ? 2 : 1], p[solid && n < 3 ? 3 : 2]);
    if (solid)
        own = side_of(w, a, p[n]);
    for (int v = 0; v < w->corners[!s]; v++) {
        const int at = side_of(w, a, w->x[!s][v]);
        if ((!at && !within) || (at && (at == own || at == -side)))
            return 0;
        side = at ? at : side;
    }
    return own || side;
}

int oracle_apart(const int corners[2], const double x[2][4][3], int within)
{
    integers w;
    int found = 0;
    integers_open(&w, corners, x);
    for (int s = 0; s < 2 && !found; s++)
        for (int n = 0; n < (w.corners[s] == 4 ? 4 : 1) && !found; n++)
            found = face_parts(&w, s, n, within);
    integers_close(&w);
    return found;
}
