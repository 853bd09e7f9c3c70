/* See oracle_integers.h. */
#include "oracle_integers.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

/* x as an integer of 53 bits, times 2^(*e - 53) */
static int64_t split(double x, int *e)
{
    return (int64_t)ldexp(frexp(x, e), 53);
}

/* the exponent of x's last bit, INT_MAX for 0 */
static int last_bit(double x)
{
    int e;
    const int64_t m = split(x, &e);
    return m ? e - 53 + __builtin_ctzll((unsigned long long)(m < 0 ? -m : m)) : INT_MAX;
}

/* The unit is the lowest bit of any of them, so that all are integers and short. */
int oracle_integers(int n, const double *x, mpz_t *out)
{
    int unit = INT_MAX;
    for (int i = 0; i < n; i++) {
        int e = last_bit(x[i]);
        unit = e < unit ? e : unit;
    }
    if (unit == INT_MAX)
        unit = 0;
    for (int i = 0; i < n; i++) {
        int e;
        mpz_set_d(out[i], (double)split(x[i], &e));
        if (e - 53 >= unit)
            mpz_mul_2exp(out[i], out[i], (mp_bitcnt_t)(e - 53 - unit));
        else
            mpz_tdiv_q_2exp(out[i], out[i], (mp_bitcnt_t)(unit - e + 53));
    }
    return unit;
}

void vector_init(vector v)
{
    for (int k = 0; k < 3; k++)
        mpz_init(v[k]);
}

void vector_clear(vector v)
{
    for (int k = 0; k < 3; k++)
        mpz_clear(v[k]);
}

void vector_subtract(vector r, vector a, vector b)
{
    for (int k = 0; k < 3; k++)
        mpz_sub(r[k], a[k], b[k]);
}

void vector_cross(vector r, vector a, vector b)
{
    for (int k = 0; k < 3; k++) {
        mpz_mul(r[k], a[(k + 1) % 3], b[(k + 2) % 3]);
        mpz_submul(r[k], a[(k + 2) % 3], b[(k + 1) % 3]);
    }
}

void vector_dot(mpz_t r, vector a, vector b)
{
    mpz_mul(r, a[0], b[0]);
    mpz_addmul(r, a[1], b[1]);
    mpz_addmul(r, a[2], b[2]);
}

int fraction_compare(fraction a, fraction b)
{
    mpz_t s, t;
    mpz_init(s);
    mpz_init(t);
    mpz_mul(s, a[0], b[1]);
    mpz_mul(t, b[0], a[1]);
    const int order = mpz_cmp(s, t);
    mpz_clear(s);
    mpz_clear(t);
    return order;
}

void fraction_init(fraction a)
{
    mpz_init(a[0]);
    mpz_init_set_ui(a[1], 1);
}

void fraction_clear(fraction a)
{
    mpz_clear(a[0]);
    mpz_clear(a[1]);
}

void fraction_set(fraction a, fraction b)
{
    mpz_set(a[0], b[0]);
    mpz_set(a[1], b[1]);
}
