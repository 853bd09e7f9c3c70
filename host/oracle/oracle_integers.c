/* See oracle_integers.h. */
#include "oracle_integers.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* x as an integer of 53 bits, times 2^*e */
static int64_t oracle_integers_split(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int field = bits >> 52 & 2047;
    const int64_t m = (int64_t)(bits & (((uint64_t)1 << 52) - 1)) | (int64_t)(field != 0) << 52;
    *e = (field ? field : 1) - 1075;
    return x < 0 ? -m : m;
}

/* the exponent of x's last bit, INT_MAX for 0 */
static int last_bit(double x)
{
    int e;
    const int64_t m = oracle_integers_split(x, &e);
    return m ? e + __builtin_ctzll((unsigned long long)m) : INT_MAX;
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
        mpz_set_si(out[i], oracle_integers_split(x[i], &e));
        if (e >= unit)
            mpz_mul_2exp(out[i], out[i], (mp_bitcnt_t)(e - unit));
        else
            mpz_tdiv_q_2exp(out[i], out[i], (mp_bitcnt_t)(unit - e));
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
