/* Systems of linear equations in integers, without fractions. */
#ifndef IMP_ORACLE_LINEAR_H
#define IMP_ORACLE_LINEAR_H

#include <gmp.h>

#define ROWS 4
#define COLUMNS 10

/* Row r says that the sum of at[r][c] times unknown c is a right side; there are several. */
typedef struct matrix {
    int unknowns, columns; /* right sides are the columns from `unknowns` on */
    mpz_t at[ROWS][COLUMNS];
} matrix;

/* All numbers become 0. */
void matrix_init(matrix *m, int unknowns, int columns);
void matrix_clear(matrix *m);

/* Eliminates until each row has only one unknown, of the first ones that are independent, in their
 * order, with the same factor > 0 in all rows. 0: the first `needed` unknowns' columns are
 * dependent. The columns of all unknowns have rank 4. */
int matrix_reduce(matrix *m, int needed);

#endif
