/* Points of rational coordinates, and systems of linear equations, both in integers with a common
 * denominator: fractions are never shortened, as that takes longer than all else. */
#ifndef IMP_ORACLE_RATIONAL_H
#define IMP_ORACLE_RATIONAL_H

#include <gmp.h>

/* Coordinate k is v[k] / v[3] in units of 2^unit, the same for all points of a pair. v[3] > 0. */
typedef struct rational_point {
    mpz_t v[4];
    double near[3]; /* the coordinates, not in units: so exact that most comparisons need no more */
} rational_point;

void point_init(rational_point *p);
void point_clear(rational_point *p);

/* Sets near: after each change of v. */
void point_approximate(rational_point *p, int unit);

/* Lexicographic: less than 0 if a is before b, 0 if they are equal. */
int point_compare(const rational_point *a, const rational_point *b);

/* Is each coordinate of x the float64 nearest to that of p, of two the even one? */
int point_rounds_to(const rational_point *p, int unit, const double x[3]);

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
