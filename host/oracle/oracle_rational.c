/* See oracle_rational.h. */
#include "oracle_rational.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void vec_init(vec *v)
{
    for (int k = 0; k < 3; k++)
        mpq_init(v->x[k]);
}

void vec_clear(vec *v)
{
    for (int k = 0; k < 3; k++)
        mpq_clear(v->x[k]);
}

int vec_equal(const vec *a, const vec *b)
{
    return mpq_equal(a->x[0], b->x[0]) && mpq_equal(a->x[1], b->x[1]) &&
           mpq_equal(a->x[2], b->x[2]);
}

void vec_set(vec *out, const vec *a)
{
    for (int k = 0; k < 3; k++)
        mpq_set(out->x[k], a->x[k]);
}

void vec_subtract(vec *out, const vec *a, const vec *b)
{
    for (int k = 0; k < 3; k++)
        mpq_sub(out->x[k], a->x[k], b->x[k]);
}

void vec_cross(vec *out, const vec *a, const vec *b)
{
    mpq_t t;
    mpq_init(t);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_mul(out->x[k], a->x[i], b->x[j]);
        mpq_mul(t, a->x[j], b->x[i]);
        mpq_sub(out->x[k], out->x[k], t);
    }
    mpq_clear(t);
}

void vec_dot(mpq_t out, const vec *a, const vec *b)
{
    mpq_t t;
    mpq_init(t);
    mpq_mul(out, a->x[0], b->x[0]);
    for (int k = 1; k < 3; k++) {
        mpq_mul(t, a->x[k], b->x[k]);
        mpq_add(out, out, t);
    }
    mpq_clear(t);
}

void matrix_init(matrix *m, int rows, int unknowns)
{
    m->rows = rows;
    m->unknowns = unknowns;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            mpq_init(m->at[r][c]);
}

void matrix_clear(matrix *m)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            mpq_clear(m->at[r][c]);
}

/* row r minus a multiple of row p, so that column c of it becomes 0 */
static void matrix_clear_row(matrix *m, int r, int p, int c)
{
    mpq_t f, t;
    mpq_init(f);
    mpq_init(t);
    mpq_div(f, m->at[r][c], m->at[p][c]);
    for (int k = 0; k <= m->unknowns; k++) {
        mpq_mul(t, f, m->at[p][k]);
        mpq_sub(m->at[r][k], m->at[r][k], t);
    }
    mpq_clear(f);
    mpq_clear(t);
}

/* Gauss and Jordan. Any pivot that is not 0 will do: nothing is rounded. */
int matrix_reduce(matrix *m)
{
    int rank = 0;
    for (int c = 0; c < m->unknowns; c++) {
        int p = rank;
        while (p < m->rows && !mpq_sgn(m->at[p][c]))
            p++;
        if (p == m->rows)
            continue;
        for (int k = 0; k <= m->unknowns; k++)
            mpq_swap(m->at[p][k], m->at[rank][k]);
        for (int r = 0; r < m->rows; r++)
            if (r != rank && mpq_sgn(m->at[r][c]))
                matrix_clear_row(m, r, rank, c);
        rank++;
    }
    return rank;
}

int matrix_solve(matrix *m)
{
    if (matrix_reduce(m) < m->unknowns)
        return 0;
    for (int r = m->unknowns; r < m->rows; r++)
        if (mpq_sgn(m->at[r][m->unknowns]))
            return 0;
    for (int i = 0; i < m->unknowns; i++)
        mpq_div(m->at[i][m->unknowns], m->at[i][m->unknowns], m->at[i][i]);
    return 1;
}

int all_at_least_0(const matrix *m)
{
    for (int i = 0; i < m->unknowns; i++)
        if (mpq_sgn(m->at[i][m->unknowns]) < 0)
            return 0;
    return 1;
}

int all_at_most_1(const matrix *m)
{
    for (int i = 0; i < m->unknowns; i++)
        if (mpq_cmp_ui(m->at[i][m->unknowns], 1, 1) > 0)
            return 0;
    return 1;
}

/* r is between the middles from x to the float64 below and above it; at a middle x must be even. */
int rounds_to(const mpq_t r, double x)
{
    mpq_t a, b;
    uint64_t bits;
    int good = isfinite(x) != 0;
    memcpy(&bits, &x, sizeof bits);
    mpq_init(a);
    mpq_init(b);
    for (int side = 0; side < 2 && good; side++) {
        const double next = nextafter(x, side ? INFINITY : -INFINITY);
        mpq_set_d(a, x);
        if (isfinite(next)) {
            mpq_set_d(b, next);
        } else { /* as far beyond the last one as that is from the one before */
            mpq_set_d(b, nextafter(x, 0));
            mpq_sub(b, a, b);
            mpq_add(b, a, b);
        }
        mpq_add(a, a, b);
        mpq_div_2exp(a, a, 1);
        int c = mpq_cmp(r, a);
        good = (side ? c < 0 : c > 0) || (!c && !(bits & 1));
    }
    mpq_clear(a);
    mpq_clear(b);
    return good;
}
