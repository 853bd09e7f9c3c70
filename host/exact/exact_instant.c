/* See exact_instant.h. Roots are those of a polynomial of x = t / s in (0, infinity). Between two
 * roots of its derivative it has one root at most, and one if its signs there differ (Rolle). So
 * the roots of a derivative with one variation of signs, of which there is one, tell those of the
 * form above it, and so on. */
#include "exact_instant.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

void form_root_init(form_root *x)
{
    memset(x, 0, sizeof *x);
    ratio_init(&x->from);
    ratio_init(&x->to);
}

void form_root_clear(form_root *x)
{
    ratio_clear(&x->from);
    ratio_clear(&x->to);
}

/* ---- intervals */

/* x is at that place. */
static void becomes(form_root *x, const ratio *at)
{
    x->before = 0;
    ratio_set(&x->from, at);
    ratio_set(&x->to, at);
}

/* A place within the interval, which becomes shorter. The sign of the form there. */
static int form_root_bisect(form_root *x, const ratio *at)
{
    const int sign = form_sign(x->root_of, at);
    if (!sign)
        becomes(x, at);
    else
        ratio_set(sign == x->before ? &x->from : &x->to, at);
    return sign;
}

/* r = from a + to b */
static void ratio_between(ratio *r, const form_root *x, const dyad *a, const dyad *b)
{
    dyad_mul(&r->s, &x->from.s, a);
    dyad_add_mul(&r->s, &x->to.s, b, 1);
    dyad_mul(&r->t, &x->from.t, a);
    dyad_add_mul(&r->t, &x->to.t, b, 1);
}

/* r = from + to 2^e, or half of that, a quarter ... so that its numbers keep the size of the ends'
 */
static void ratio_power(ratio *r, const form_root *x, long e)
{
    dyad weight[2];
    for (int i = 0; i < 2; i++)
        dyad_init(&weight[i]);
    dyad_set_power(&weight[0], e > 0 ? -e : 0);
    dyad_set_power(&weight[1], e > 0 ? 0 : e);
    ratio_between(r, x, &weight[0], &weight[1]);
    for (int i = 0; i < 2; i++)
        dyad_clear(&weight[i]);
}

/* Cauchy's bound of roots in (0, infinity): x is less than 1 and the greatest quotient of a
 * coefficient by the last one, and 1 / x of one by the first. So all are between 2^*low and
 * 2^*high.
 */
static void form_roots_bound(const form *p, long *low, long *high)
{
    long top[FORM_DEGREE + 1] = {0}, most = LONG_MIN;
    for (int i = 0; i <= p->degree; i++)
        if (dyad_top(&p->c[i], &top[i]) != 0 && top[i] > most)
            most = top[i];
    *low = top[0] - most - 2;
    *high = most - top[p->degree] + 2;
}

/* The interval becomes one from 2^e to 2^(e + 1) of its own ratio: where the instant is far nearer
 * to one end than to the other, as of roots that are near each other, that is found by few signs.
 */
static void form_root_refine_exponent(form_root *x)
{
    form here;
    ratio at;
    long low, high;
    int sign = 1;
    form_init(&here);
    ratio_init(&at);
    form_over(&here, x->root_of, &x->from, &x->to);
    form_roots_bound(&here, &low, &high);
    while (high - low > 1 && sign) {
        const long middle = low + (high - low) / 2;
        dyad_set_power(&at.t, middle);
        sign = form_sign(&here, &at);
        *(sign == x->before ? &low : &high) = middle;
    }
    form_clear(&here);
    ratio_power(&at, x, high);
    if (!sign) {
        becomes(x, &at);
    } else {
        ratio from;
        ratio_init(&from);
        ratio_power(&from, x, low);
        ratio_set(&x->from, &from);
        ratio_set(&x->to, &at);
        ratio_clear(&from);
    }
    ratio_clear(&at);
}

/* r = from (1 - part 2^-bits) + to part 2^-bits */
static void ratio_part(ratio *r, const form_root *x, const mpz_t part)
{
    dyad weight[2];
    for (int i = 0; i < 2; i++)
        dyad_init(&weight[i]);
    dyad_set_integer(&weight[1], part, -x->bits);
    dyad_set_power(&weight[0], 0);
    dyad_add(&weight[0], &weight[0], &weight[1], -1);
    ratio_between(r, x, &weight[0], &weight[1]);
    for (int i = 0; i < 2; i++)
        dyad_clear(&weight[i]);
}

/* Where a straight line between the values at both ends is 0: parts of 2^bits, rounded down. */
static void form_root_of_line(const form_root *x, mpz_t part)
{
    dyad value[2];
    for (int i = 0; i < 2; i++)
        dyad_init(&value[i]);
    form_value(&value[0], x->root_of, &x->from);
    form_value(&value[1], x->root_of, &x->to);
    dyad_add(&value[1], &value[1], &value[0], -1); /* signs differ */
    const long shift = x->bits + GMP_NUMB_BITS * (value[0].e - value[1].e);
    mpz_mul_2exp(part, value[0].m, (mp_bitcnt_t)(shift > 0 ? shift : 0));
    mpz_mul_2exp(value[1].m, value[1].m, (mp_bitcnt_t)(shift > 0 ? 0 : -shift));
    mpz_tdiv_q(part, part, value[1].m);
    mpz_abs(part, part);
    for (int i = 0; i < 2; i++)
        dyad_clear(&value[i]);
}

/* Abbott, Quadratic interval refinement for real roots (2006): of 2^bits parts of the interval the
 * one where a straight line is 0 has the root, or does not; next time twice or half as many bits
 * are tried. */
#define BITS_MOST 4096

static void form_root_refine_line(form_root *x)
{
    ratio low, high;
    mpz_t part;
    mpz_init(part);
    ratio_init(&low);
    ratio_init(&high);
    form_root_of_line(x, part);
    const int first = !mpz_sgn(part), before = x->before;
    ratio_part(&low, x, part);
    mpz_add_ui(part, part, 1);
    const int last = mpz_sizeinbase(part, 2) > (size_t)x->bits;
    ratio_part(&high, x, part);
    const int beyond = !first && form_root_bisect(x, &low) == -before;
    const int found = !beyond && x->before && (last || form_root_bisect(x, &high) == -before);
    x->bits = found ? 2 * x->bits : x->bits / 2;
    x->bits = x->bits < BITS_MOST ? x->bits : BITS_MOST;
    mpz_clear(part);
    ratio_clear(&low);
    ratio_clear(&high);
}

static void form_root_refine(form_root *x)
{
    if (x->bits) {
        form_root_refine_line(x);
    } else {
        form_root_refine_exponent(x);
        x->bits = 1;
    }
}

/* ---- finding */

static void form_roots_add(form_roots *r, const form *of, const ratio *from, const ratio *to,
                           int before)
{
    form_root *x = &r->at[r->count++];
    form_root_init(x);
    x->root_of = of;
    x->before = before;
    ratio_set(&x->from, from);
    ratio_set(&x->to, to);
}

/* From the roots of p's derivative to those of p, within (0, 1). */
static void climb(form_roots *r, const form *p, const ratio ends[2])
{
    form_root turn[FORM_DEGREE];
    ratio from;
    const int turns = r->count;
    int before = form_sign_after(p);
    memcpy(turn, r->at, sizeof turn);
    ratio_init(&from);
    r->count = 0;
    for (int i = 0; i < turns; i++) {
        const int sign = form_root_sign(&turn[i], p);
        if (before * sign < 0)
            form_roots_add(r, p, &from, &turn[i].from, before);
        before = sign;
        ratio_set(&from, &turn[i].to);
        if (sign)
            form_root_clear(&turn[i]);
        else /* p touches 0 */
            r->at[r->count++] = turn[i];
    }
    if (before * form_sign_before(p) < 0)
        form_roots_add(r, p, &from, &ends[1], before);
    ratio_clear(&from);
}

static void form_root_find_within(form_roots *r, const ratio ends[2])
{
    int last = 0;
    for (; form_variations(&r->of[last]) > 1; last++) {
        form_init(&r->of[last + 1]);
        form_slope(&r->of[last + 1], &r->of[last]);
    }
    r->forms = last + 1;
    if (form_variations(&r->of[last]))
        form_roots_add(r, &r->of[last], &ends[0], &ends[1], form_sign_after(&r->of[last]));
    while (last-- > 0)
        climb(r, &r->of[last], ends);
}

void form_roots_find(form_roots *r, const form *p)
{
    ratio ends[2];
    ratio_init(&ends[0]);
    ratio_init(&ends[1]);
    dyad_set_power(&ends[1].t, 0);
    dyad_set_double(&ends[1].s, 0);
    r->count = 0;
    form_init(&r->of[0]);
    form_copy(&r->of[0], p);
    form_drop_ends(&r->of[0]);
    form_root_find_within(r, ends);
    if (!dyad_sign(&p->c[0])) {
        memmove(r->at + 1, r->at, (size_t)r->count++ * sizeof *r->at);
        form_root_init(r->at);
    }
    if (!dyad_sign(&p->c[p->degree])) {
        form_roots_add(r, NULL, &ends[1], &ends[1], 0);
    }
    ratio_clear(&ends[0]);
    ratio_clear(&ends[1]);
}

void form_roots_clear(form_roots *r)
{
    for (int i = 0; i < r->count; i++)
        form_root_clear(&r->at[i]);
    for (int i = 0; i < r->forms; i++)
        form_clear(&r->of[i]);
}

/* ---- rounding down. Of float64 numbers that are not negative the bits have the same order. */

#define BITS_OF_ONE (UINT64_C(1023) << 52)

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t form_root_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Is x not before the toi? It cuts the interval there. */
static int reaches(form_root *x, uint64_t bits)
{
    ratio at;
    ratio_init(&at);
    dyad_set_double(&at.t, of_bits(bits));
    dyad_add(&at.s, &at.s, &at.t, -1);
    int yes = ratio_compare(&at, &x->from) <= 0;
    if (!yes && x->before && ratio_compare(&at, &x->to) < 0) {
        const int before = x->before;
        yes = form_root_bisect(x, &at) != -before;
    }
    ratio_clear(&at);
    return yes;
}

/* About the toi, between 0 and 1. */
static uint64_t guess(form_root *x)
{
    long s_e, t_e;
    if (x->before && !x->bits)
        form_root_refine(x);
    if (x->before) {
        const double toi = form_root_float(x->root_of, &x->from, &x->to, x->before);
        return form_root_bits(toi < 1 ? toi : 1);
    }
    const double s = dyad_top(&x->from.s, &s_e), t = dyad_top(&x->from.t, &t_e);
    if (t == 0 || t_e - s_e < -1200)
        return 0;
    if (s == 0 || t_e - s_e > 1000)
        return BITS_OF_ONE;
    const double x_near = ldexp(t / s, (int)(t_e - s_e));
    return form_root_bits(x_near / (1 + x_near));
}

/* From a guess on in steps of 1, 2, 4, ... float64 numbers, then by halving. */
void form_root_round(form_root *x)
{
    uint64_t low = guess(x), high = 0, step = 1;
    for (; !reaches(x, low); step *= 2) {
        high = low;
        low -= step < low ? step : low;
    }
    for (step = 1; !high; step *= 2) {
        const uint64_t next = low + step;
        if (next > BITS_OF_ONE)
            high = BITS_OF_ONE + 1;
        else
            *(reaches(x, next) ? &low : &high) = next;
    }
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(reaches(x, middle) ? &low : &high) = middle;
    }
    x->toi = of_bits(low);
}

/* ---- signs */

/* Is q, which is not 0, 0 at x? A common root is one of the greatest common divisor, which has no
 * other in the interval: its signs at the ends differ. */
static int form_root_is_common(const form_root *x, const form *q)
{
    form common;
    if (!form_may_share(x->root_of, q))
        return 0;
    form_init(&common);
    form_gcd(&common, x->root_of, q);
    const int yes = form_sign(&common, &x->from) * form_sign(&common, &x->to) < 0;
    form_clear(&common);
    return yes;
}

int form_root_sign(form_root *x, const form *q)
{
    int sign = 0, tried = 0;
    if (form_is_zero(q))
        return 0;
    for (; x->before && !sign; tried++) {
        sign = (tried ? form_sign_within : form_sign_within_float)(q, &x->from, &x->to);
        if (!sign && !tried && form_root_is_common(x, q))
            return 0;
        if (!sign)
            form_root_refine(x);
    }
    return x->before ? sign : form_sign(q, &x->from);
}
