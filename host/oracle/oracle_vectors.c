/* See oracle_vectors.h. */
#include "oracle_vectors.h"

#include "oracle_integers.h"

#include <string.h>

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
