/* See exact_form.h. */
#include "exact_form.h"

#include "exact_number.h"

#include <limits.h>
#include <stdint.h>

/* ---- ratios */

void ratio_init(ratio *p)
{
    dyad_init(&p->s);
    dyad_init(&p->t);
    dyad_set_power(&p->s, 0);
}

void ratio_clear(ratio *p)
{
    dyad_clear(&p->s);
    dyad_clear(&p->t);
}

void ratio_set(ratio *r, const ratio *p)
{
    dyad_set(&r->s, &p->s);
    dyad_set(&r->t, &p->t);
}

/* ---- one form */

void form_init(form *p)
{
    p->degree = 0;
    for (int i = 0; i <= FORM_DEGREE; i++)
        dyad_init(&p->c[i]);
}

void form_clear(form *p)
{
    for (int i = 0; i <= FORM_DEGREE; i++)
        dyad_clear(&p->c[i]);
}

void form_copy(form *r, const form *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; i++)
        dyad_set(&r->c[i], &p->c[i]);
}

int form_is_zero(const form *p)
{
    return !form_sign_after(p);
}

int form_variations(const form *p)
{
    int count = 0, last = 0;
    for (int i = 0; i <= p->degree; i++) {
        int sign = dyad_sign(&p->c[i]);
        count += sign * last < 0;
        last = sign ? sign : last;
    }
    return count;
}

int form_sign_after(const form *p)
{
    int sign = 0;
    for (int i = 0; i <= p->degree && !sign; i++)
        sign = dyad_sign(&p->c[i]);
    return sign;
}

int form_sign_before(const form *p)
{
    int sign = 0;
    for (int i = p->degree; i >= 0 && !sign; i--)
        sign = dyad_sign(&p->c[i]);
    return sign;
}

void form_mul(form *r, const form *a, const form *b)
{
    r->degree = 0;
    dyad_set_double(&r->c[0], 0);
    form_add_mul(r, a, b, 1);
}

void form_add(form *r, const form *a, const form *b, int sign)
{
    r->degree = a->degree;
    for (int i = 0; i <= a->degree; i++)
        dyad_add(&r->c[i], &a->c[i], &b->c[i], sign);
}

void form_add_mul(form *r, const form *a, const form *b, int sign)
{
    while (r->degree < a->degree + b->degree)
        dyad_set_double(&r->c[++r->degree], 0);
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++)
            dyad_add_mul(&r->c[i + j], &a->c[i], &b->c[j], sign);
}

void form_raise(form *p, int k)
{
    for (; k > 0; k--) {
        p->degree++;
        dyad_set(&p->c[p->degree], &p->c[p->degree - 1]);
        for (int i = p->degree - 1; i > 0; i--)
            dyad_add(&p->c[i], &p->c[i], &p->c[i - 1], 1);
    }
}

void form_drop_ends(form *p)
{
    int low = 0;
    while (p->degree > 0 && !dyad_sign(&p->c[p->degree]))
        p->degree--;
    while (low < p->degree && !dyad_sign(&p->c[low]))
        low++;
    for (int i = low; low && i <= p->degree; i++)
        dyad_set(&p->c[i - low], &p->c[i]);
    p->degree -= low;
}

void form_slope(form *r, const form *p)
{
    r->degree = p->degree > 0 ? p->degree - 1 : 0;
    dyad_set_double(&r->c[0], 0);
    for (int i = 1; i <= p->degree; i++) {
        dyad power;
        dyad_init(&power);
        dyad_set_double(&power, i);
        dyad_mul(&r->c[i - 1], &p->c[i], &power);
        dyad_clear(&power);
    }
    form_drop_ends(r);
}

/* ---- three */

void triple_init(triple *v)
{
    for (int k = 0; k < 3; k++)
        form_init(&v->x[k]);
}

void triple_clear(triple *v)
{
    for (int k = 0; k < 3; k++)
        form_clear(&v->x[k]);
}

void triple_sub(triple *r, const triple *a, const triple *b)
{
    for (int k = 0; k < 3; k++)
        form_add(&r->x[k], &a->x[k], &b->x[k], -1);
}

void triple_cross(triple *r, const triple *a, const triple *b)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        form_mul(&r->x[k], &a->x[i], &b->x[j]);
        form_add_mul(&r->x[k], &a->x[j], &b->x[i], -1);
    }
}

void triple_dot(form *r, const triple *a, const triple *b)
{
    form_mul(r, &a->x[0], &b->x[0]);
    form_add_mul(r, &a->x[1], &b->x[1], 1);
    form_add_mul(r, &a->x[2], &b->x[2], 1);
}

int triple_is_zero(const triple *v)
{
    return form_is_zero(&v->x[0]) && form_is_zero(&v->x[1]) && form_is_zero(&v->x[2]);
}

/* ---- Common roots of forms, as polynomials in x = t / s */

/* ---- modulo a prime: a common divisor of a and b also divides them there, and keeps its degree if
 * the leading coefficient of one of them does not vanish. */

#define PRIME ((UINT64_C(1) << 31) - 1) /* 2^31 is 1 */

typedef struct residue {
    int degree; /* -1: 0 */
    uint64_t c[FORM_DEGREE + 1];
} residue;

/* 2^e times the form has integer coefficients; a power of two shares no factor with the prime. */
static void residue_of(residue *r, const form *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; i++) {
        const long power = p->c[i].e * GMP_NUMB_BITS % 31;
        r->c[i] = mpz_fdiv_ui(p->c[i].m, PRIME) *
                  (UINT64_C(1) << (power < 0 ? power + 31 : power)) % PRIME;
    }
}

static void residue_shorten(residue *r)
{
    while (r->degree >= 0 && !r->c[r->degree])
        r->degree--;
}

/* a times some nonzero number, minus a multiple of b */
static void residue_reduce(residue *a, const residue *b)
{
    while (a->degree >= b->degree) {
        const int up = a->degree - b->degree;
        const uint64_t lead = PRIME - a->c[a->degree];
        for (int i = 0; i < a->degree; i++)
            a->c[i] = (a->c[i] * b->c[b->degree] + (i >= up ? b->c[i - up] * lead : 0)) % PRIME;
        a->degree--;
        residue_shorten(a);
    }
}

int form_may_share(const form *a, const form *b)
{
    residue r, s;
    residue_of(&r, a);
    residue_of(&s, b);
    if (!r.c[r.degree])
        return 1;
    residue_shorten(&s);
    while (s.degree >= 0) {
        residue_reduce(&r, &s);
        const residue swap = r;
        r = s;
        s = swap;
    }
    return r.degree > 0;
}

/* ---- Euclid's algorithm. Every remainder is divided by the content of its coefficients (primitive
 * remainders), so that they stay short. */

/* Divides p by the greatest common divisor of all its m, and by a power of two. */
static void drop_content(form *p)
{
    mpz_t content;
    mpz_init(content);
    for (int i = 0; i <= p->degree; i++)
        mpz_gcd(content, content, p->c[i].m);
    const long e = p->c[p->degree].e;
    for (int i = 0; i <= p->degree; i++) {
        if (dyad_sign(&p->c[i]))
            p->c[i].e -= e;
        if (mpz_cmp_ui(content, 1) > 0)
            mpz_divexact(p->c[i].m, p->c[i].m, content);
    }
    mpz_clear(content);
}

/* a times some number, minus a multiple of b, of lower degree than b */
static void reduce(form *a, const form *b)
{
    dyad lead;
    dyad_init(&lead);
    while (a->degree >= b->degree) {
        int up = a->degree - b->degree;
        dyad_set(&lead, &a->c[a->degree]);
        for (int i = 0; i < a->degree; i++) {
            dyad_mul(&a->c[i], &a->c[i], &b->c[b->degree]);
            if (i >= up)
                dyad_add_mul(&a->c[i], &b->c[i - up], &lead, -1);
        }
        if (!a->degree) {
            dyad_set_double(&a->c[0], 0);
            break;
        }
        a->degree--;
        while (a->degree > 0 && !dyad_sign(&a->c[a->degree]))
            a->degree--;
    }
    dyad_clear(&lead);
}

/* Factors of x in a remainder are harmless: b has none. */
void form_gcd(form *r, const form *a, const form *b)
{
    form rest;
    form_init(&rest);
    form_copy(r, a);
    form_copy(&rest, b);
    form_drop_ends(r);
    form_drop_ends(&rest);
    while (!form_is_zero(&rest)) {
        drop_content(&rest);
        reduce(r, &rest);
        form_drop_ends(r);
        form swap = *r;
        *r = rest;
        rest = swap;
    }
    form_clear(&rest);
}

/* ---- The signs of forms: see exact_form.h. float64 represents a coefficient, or one of a ratio's
 * two numbers, as d 2^e: as a polynomial of x 2^-k, with a power of two that brings the ratio near
 * 1, coefficients whose exponents are outside the range of float64 do not matter. */

/* ---- float64 */

/* Coefficients smaller than the largest by more become 0: that is far below the rounding errors. */
#define EXPONENTS 900

/* c = p's coefficients as a polynomial of x 2^-k, times a power of two: the largest is within 0.5
 * and 1. They have relative errors below 2^-52. */
static void form_sign_float_coefficients(const form *p, long k, double c[FORM_DEGREE + 1])
{
    long e[FORM_DEGREE + 1], most = LONG_MIN;
    for (int i = 0; i <= p->degree; i++) {
        c[i] = dyad_top(&p->c[i], &e[i]);
        e[i] += k * i;
        most = c[i] != 0 && e[i] > most ? e[i] : most;
    }
    for (int i = 0; i <= p->degree; i++)
        c[i] = c[i] != 0 && e[i] - most > -EXPONENTS ? times_power(c[i], (int)(e[i] - most)) : 0;
}

/* With u = 2^-53, a term is a product of a coefficient and `degree` numbers of the ratio, each of
 * which errs by 2 u; these products and all sums are rounded at most 13 times: 27 u of the sum of
 * the terms' sizes, and second-order terms. */
#define SIGN_ERROR 0x1p-47

static int float_sign(const form *p, const ratio *at)
{
    double c[FORM_DEGREE + 1] = {0}, power = 1;
    long s_e, t_e;
    const double s = dyad_top(&at->s, &s_e), t = dyad_top(&at->t, &t_e);
    form_sign_float_coefficients(p, t_e - s_e, c);
    double value = c[p->degree], size = fabs(value);
    for (int i = p->degree - 1; i >= 0; i--) {
        power *= s;
        value = value * t + c[i] * power;
        size = size * t + fabs(c[i]) * power;
    }
    return value > SIGN_ERROR * size ? 1 : value < -SIGN_ERROR * size ? -1 : 0;
}

/* p *= a S + b T */
static void times_floats(double *p, int degree, double a, double b)
{
    p[degree + 1] = p[degree] * b;
    for (int i = degree; i > 0; i--)
        p[i] = p[i] * a + p[i - 1] * b;
    p[0] *= a;
}

/* As above, with one more sum and product for each of `degree` factors: less than 41 u. */
#define WITHIN_ERROR 0x1p-46

/* The coefficients over the interval, by Horner's rule, and the sums of the absolute terms. */
static int float_sign_over(int degree, const double *c, const double s[2], const double t[2])
{
    double r[FORM_DEGREE + 1] = {c[degree]}, size[FORM_DEGREE + 1] = {fabs(c[degree])};
    double power[FORM_DEGREE + 1] = {1};
    int all[2] = {1, 1};
    for (int i = degree - 1, done = 0; i >= 0 && i < FORM_DEGREE; i--, done++) {
        times_floats(power, done, s[0], s[1]);
        times_floats(r, done, t[0], t[1]);
        times_floats(size, done, t[0], t[1]);
        for (int j = 0; j <= done + 1; j++) {
            r[j] += c[i] * power[j];
            size[j] += fabs(c[i]) * power[j];
        }
    }
    for (int j = 0; j <= degree; j++) {
        all[0] &= r[j] > WITHIN_ERROR * size[j];
        all[1] &= r[j] < -WITHIN_ERROR * size[j];
    }
    return all[0] - all[1];
}

/* The ratio of the ends must be less than 2^WIDEST. */
#define WIDEST 20

int form_sign_within_float(const form *p, const ratio *from, const ratio *to)
{
    double s[2], t[2], c[FORM_DEGREE + 1];
    long s_e[2], t_e[2];
    s[0] = dyad_top(&from->s, &s_e[0]);
    s[1] = dyad_top(&to->s, &s_e[1]);
    t[0] = dyad_top(&from->t, &t_e[0]);
    t[1] = dyad_top(&to->t, &t_e[1]);
    const long k = t_e[0] - s_e[0], wide = t_e[1] - s_e[1] - k;
    if (s[0] == 0 || s[1] == 0 || t[0] == 0 || t[1] == 0 || wide < 0 || wide >= WIDEST)
        return 0;
    t[1] = times_power(t[1], (int)wide);
    form_sign_float_coefficients(p, k, c);
    return float_sign_over(p->degree, c, s, t);
}

/* x 2^e, 0 or infinite if that is too small or too large */
static double form_sign_scale(double x, long e)
{
    return ldexp(x, e > 3000 ? 3000 : e < -3000 ? -3000 : (int)e);
}

/* Bisection: only a guess, which may be wrong. */
double form_root_float(const form *p, const ratio *from, const ratio *to, int before)
{
    double c[FORM_DEGREE + 1], end[2];
    long s_e[2], t_e[2];
    const ratio *at[2] = {from, to};
    for (int i = 0; i < 2; i++) {
        const double s = dyad_top(&at[i]->s, &s_e[i]), t = dyad_top(&at[i]->t, &t_e[i]);
        end[i] = s != 0 ? form_sign_scale(t / s, t_e[i] - s_e[i] - (t_e[0] - s_e[0])) : INFINITY;
    }
    const long k = t_e[0] - s_e[0];
    form_sign_float_coefficients(p, k, c);
    double low = end[0], high = end[1] < 0x1p60 ? end[1] : 0x1p60;
    for (double x = 0.5 * (low + high); x > low && x < high; x = 0.5 * (low + high)) {
        double value = c[p->degree];
        for (int i = p->degree - 1; i >= 0; i--)
            value = value * x + c[i];
        *(before * value > 0 ? &low : &high) = x;
    }
    const double x = form_sign_scale(low, k);
    return x < 0x1p100 ? x / (1 + x) : 1;
}

/* ---- integers */

void form_value(dyad *r, const form *p, const ratio *at)
{
    dyad power;
    dyad_init(&power);
    dyad_set_power(&power, 0);
    dyad_set(r, &p->c[p->degree]);
    for (int i = p->degree - 1; i >= 0; i--) {
        dyad_mul(&power, &power, &at->s);
        dyad_mul(r, r, &at->t);
        dyad_add_mul(r, &p->c[i], &power, 1);
    }
    dyad_clear(&power);
}

static int form_sign_exact(const form *p, const ratio *at)
{
    dyad value;
    dyad_init(&value);
    form_value(&value, p, at);
    const int sign = dyad_sign(&value);
    dyad_clear(&value);
    return sign;
}

int ratio_compare(const ratio *a, const ratio *b)
{
    dyad remaining, right;
    dyad_init(&remaining);
    dyad_init(&right);
    dyad_mul(&remaining, &a->t, &b->s);
    dyad_mul(&right, &b->t, &a->s);
    const int order = dyad_compare(&remaining, &right);
    dyad_clear(&remaining);
    dyad_clear(&right);
    return order;
}

/* p *= a S + b T */
static void times_line(form *p, const dyad *a, const dyad *b)
{
    p->degree++;
    dyad_mul(&p->c[p->degree], &p->c[p->degree - 1], b);
    for (int i = p->degree - 1; i > 0; i--) {
        dyad_mul(&p->c[i], &p->c[i], a);
        dyad_add_mul(&p->c[i], &p->c[i - 1], b, 1);
    }
    dyad_mul(&p->c[0], &p->c[0], a);
}

/* With S and T within the interval, s = from.s S + to.s T, and t likewise; by Horner's rule. */
void form_over(form *r, const form *p, const ratio *from, const ratio *to)
{
    form power; /* power of s */
    form_init(&power);
    dyad_set_power(&power.c[0], 0);
    r->degree = 0;
    dyad_set(&r->c[0], &p->c[p->degree]);
    for (int i = p->degree - 1; i >= 0; i--) {
        times_line(&power, &from->s, &to->s);
        times_line(r, &from->t, &to->t);
        for (int j = 0; j <= r->degree; j++)
            dyad_add_mul(&r->c[j], &p->c[i], &power.c[j], 1);
    }
    form_clear(&power);
}

/* ---- signs in both arithmetics */

int form_sign(const form *p, const ratio *at)
{
    if (!dyad_sign(&at->t))
        return dyad_sign(&p->c[0]);
    if (!dyad_sign(&at->s))
        return dyad_sign(&p->c[p->degree]);
    const int sign = float_sign(p, at);
    return sign ? sign : form_sign_exact(p, at);
}

int form_sign_within(const form *p, const ratio *from, const ratio *to)
{
    int sign = form_sign_within_float(p, from, to);
    if (sign)
        return sign;
    form here;
    form_init(&here);
    form_over(&here, p, from, to);
    if (dyad_sign(&here.c[0]) && dyad_sign(&here.c[p->degree]) && !form_variations(&here))
        sign = dyad_sign(&here.c[0]);
    form_clear(&here);
    return sign;
}
