/* See oracle_linear.h. */
#include "oracle_linear.h"

/* Of determinants of coordinates of like size: longer numbers grow. */
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
