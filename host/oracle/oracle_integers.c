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
        mpz_set_si(out[i], split(x[i], &e));
        if (e - 53 >= unit)
            mpz_mul_2exp(out[i], out[i], (mp_bitcnt_t)(e - 53 - unit));
        else
            mpz_tdiv_q_2exp(out[i], out[i], (mp_bitcnt_t)(unit - e + 53));
    }
    return unit;
}
