/* See oracle_apart.h. */
#include "oracle_apart.h"

#include "oracle_integers.h"

typedef struct integers {
    int corners[2];
    mpz_t x[2][4][3];
    mpz_t u[3], v[3], n[3], h; /* to work with: two edges of a face, its normal, a height */
} integers;

static void integers_open(integers *w, const solid_case *c)
{
    double all[24];
    for (int i = 0; i < 24; i++) {
        const int s = i / 12, v = i / 3 % 4;
        mpz_init(w->x[s][v][i % 3]);
        all[i] = c->x[s][v < c->corners[s] ? v : 0][i % 3];
    }
    for (int k = 0; k < 3; k++)
        mpz_inits(w->u[k], w->v[k], w->n[k], NULL);
    mpz_init(w->h);
    w->corners[0] = c->corners[0];
    w->corners[1] = c->corners[1];
    oracle_integers(24, all, &w->x[0][0][0]);
}

static void integers_close(integers *w)
{
    for (int i = 0; i < 24; i++)
        mpz_clear(w->x[i / 12][i / 3 % 4][i % 3]);
    for (int k = 0; k < 3; k++)
        mpz_clears(w->u[k], w->v[k], w->n[k], NULL);
    mpz_clear(w->h);
}

static void find_normal(integers *w, mpz_t *a, mpz_t *b, mpz_t *c)
{
    for (int k = 0; k < 3; k++) {
        mpz_sub(w->u[k], b[k], a[k]);
        mpz_sub(w->v[k], c[k], a[k]);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(w->n[k], w->u[i], w->v[j]);
        mpz_submul(w->n[k], w->u[j], w->v[i]);
    }
}

/* The sign of x's height over the plane through `a` that has the normal. */
static int side_of(integers *w, mpz_t *a, mpz_t *x)
{
    mpz_set_si(w->h, 0);
    for (int k = 0; k < 3; k++) {
        mpz_sub(w->u[k], x[k], a[k]);
        mpz_addmul(w->h, w->u[k], w->n[k]);
    }
    return mpz_sgn(w->h);
}

/* Does the plane of a face part them, of side s the one without corner n: are all corners of the
 * other beyond it? `within`: or in it, which is enough where interiors are asked for. A triangle
 * has one face, beyond which both sides are. */
static int face_parts(integers *w, int s, int n, int within)
{
    const int solid = w->corners[s] == 4;
    mpz_t(*p)[3] = w->x[s];
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

int oracle_apart(const solid_case *c, int within)
{
    integers w;
    int found = 0;
    integers_open(&w, c);
    for (int s = 0; s < 2 && !found; s++)
        for (int n = 0; n < (w.corners[s] == 4 ? 4 : 1) && !found; n++)
            found = face_parts(&w, s, n, within);
    integers_close(&w);
    return found;
}
