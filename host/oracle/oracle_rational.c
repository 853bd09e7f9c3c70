/* See oracle_rational.h. */
#include "oracle_rational.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- points */

void point_init(rational_point *p)
{
    for (int k = 0; k < 4; k++)
        mpz_init(p->v[k]);
}

void point_clear(rational_point *p)
{
    for (int k = 0; k < 4; k++)
        mpz_clear(p->v[k]);
}

/* Both integers lose less than 2^-52 of their value, the quotient is rounded. */
void point_approximate(rational_point *p, int unit)
{
    long up, down;
    const double w = mpz_get_d_2exp(&down, p->v[3]);
    for (int k = 0; k < 3; k++) {
        const double x = mpz_get_d_2exp(&up, p->v[k]);
        p->near[k] = ldexp(x / w, (int)(up - down) + unit);
    }
}

/* Approximate coordinates are less than 2^-50 of their value off, or a denormal: do two differ by
 * so much more that the exact ones do? Not if one of them is infinite. */
static int surely_differ(double a, double b)
{
    return fabs(a - b) > 0x1p-48 * fmax(fabs(a), fabs(b)) + 0x1p-1070;
}

int point_compare(const rational_point *a, const rational_point *b)
{
    int order = 0;
    mpz_t s, t;
    mpz_init(s);
    mpz_init(t);
    for (int k = 0; k < 3 && !order; k++) {
        if (surely_differ(a->near[k], b->near[k])) {
            order = a->near[k] < b->near[k] ? -1 : 1;
        } else {
            mpz_mul(s, a->v[k], b->v[3]);
            mpz_mul(t, b->v[k], a->v[3]);
            order = mpz_cmp(s, t);
        }
    }
    mpz_clear(s);
    mpz_clear(t);
    return order;
}

/* The sign of v / w - middle 2^e */
static int compare_quotient(const mpz_t v, const mpz_t w, int64_t middle, int e)
{
    mpz_t s, t;
    mpz_init_set(s, v);
    mpz_init(t);
    mpz_mul_si(t, w, middle);
    mpz_mul_2exp(e < 0 ? s : t, e < 0 ? s : t, (mp_bitcnt_t)(e < 0 ? -e : e));
    const int order = mpz_cmp(s, t);
    mpz_clear(s);
    mpz_clear(t);
    return order;
}

/* v / w is between the middles from x to the float64 below and above it; at a middle x must be
 * even. Beyond the last float64 the next would be as far as the one before. */
static int quotient_rounds_to(const mpz_t v, const mpz_t w, int unit, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int side = 0; side < 2; side++) {
        const double next = nextafter(x, side ? INFINITY : -INFINITY);
        int e;
        frexp(isfinite(next) && fabs(next) > fabs(x) ? next : x, &e);
        /* both are integers in units of 2^(e - 54), their middle in half of that */
        const int64_t at = (int64_t)ldexp(x, 54 - e);
        const int64_t step = isfinite(next) ? (int64_t)ldexp(next, 54 - e) - at
                                            : at - (int64_t)ldexp(nextafter(x, 0), 54 - e);
        const int c = compare_quotient(v, w, 2 * at + step, e - 55 - unit);
        if ((side ? c > 0 : c < 0) || (!c && (bits & 1)))
            return 0;
    }
    return 1;
}

int point_rounds_to(const rational_point *p, int unit, const double x[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(x[k]) || surely_differ(p->near[k], x[k]) ||
            !quotient_rounds_to(p->v[k], p->v[3], unit, x[k]))
            return 0;
    return 1;
}

/* ---- linear equations */

void matrix_init(matrix *m, int unknowns, int columns)
{
    m->unknowns = unknowns;
    m->columns = columns;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < columns; c++)
            mpz_init(m->at[r][c]);
}

void matrix_clear(matrix *m)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < m->columns; c++)
            mpz_clear(m->at[r][c]);
}

/* Swaps rows so that row `rank` has a number other than 0 in column c; 0: no row has. */
static int find_pivot(matrix *m, int rank, int c)
{
    int p = rank;
    while (p < ROWS && !mpz_sgn(m->at[p][c]))
        p++;
    for (int k = 0; k < m->columns && p < ROWS; k++)
        mpz_swap(m->at[p][k], m->at[rank][k]);
    return p < ROWS;
}

/* Row r times the pivot, minus a multiple of the pivot's row, so that column c of it becomes 0. The
 * pivot before divides the result (Bareiss): numbers stay as short as determinants. */
static void clear_row(matrix *m, int r, int rank, int c, const mpz_t before)
{
    mpz_t f;
    mpz_init_set(f, m->at[r][c]);
    for (int k = 0; k < m->columns; k++) {
        mpz_mul(m->at[r][k], m->at[r][k], m->at[rank][c]);
        mpz_submul(m->at[r][k], f, m->at[rank][k]);
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
