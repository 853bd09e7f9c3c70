/* Points and systems of linear equations in rational numbers. */
#ifndef IMP_ORACLE_RATIONAL_H
#define IMP_ORACLE_RATIONAL_H

#include <gmp.h>

typedef struct vec {
    mpq_t x[3];
} vec;

void vec_init(vec *v);
void vec_clear(vec *v);
void vec_set(vec *out, const vec *a);
int vec_equal(const vec *a, const vec *b);
void vec_subtract(vec *out, const vec *a, const vec *b);

/* *out is neither a nor b. */
void vec_cross(vec *out, const vec *a, const vec *b);
void vec_dot(mpq_t out, const vec *a, const vec *b);

#define ROWS 4
#define COLUMNS 5

typedef struct matrix {
    int rows, unknowns; /* the column behind the unknowns is the right side */
    mpq_t at[ROWS][COLUMNS];
} matrix;

void matrix_init(matrix *m, int rows, int unknowns);
void matrix_clear(matrix *m);

/* Eliminates; the rank of the unknowns' columns. If that is their number, row i then has only
 * unknown i. */
int matrix_reduce(matrix *m);

/* The one solution, if there is just one: then unknown i is the right side of row i. */
int matrix_solve(matrix *m);

/* Of a solution. */
int all_at_least_0(const matrix *m);
int all_at_most_1(const matrix *m);

/* Is x the float64 nearest to r, of two the even one? */
int rounds_to(const mpq_t r, double x);

#endif
