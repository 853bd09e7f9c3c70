/* See exact_form.h. Roots are those of a polynomial of x = t / s in (0, infinity). Between two
 * roots of its derivative it has at most one root, and exactly one if its signs there differ
 * (Rolle). So the roots of a derivative with one sign variation, which has one root, give those of
 * the form above it, and so on. */
#include "exact_form.h"
#include "exact_number.h"

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

/* Sets x to that time. */
static void becomes(form_root *x, const ratio *at)
{
    x->before = 0;
    ratio_set(&x->from, at);
    ratio_set(&x->to, at);
}

/* Shortens the interval at a time within it. Returns the sign of the form there. */
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

/* r = from + to 2^e, or half of that, a quarter ..., so that its numbers have the size of the
 * ends' */
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

/* Cauchy's bound of roots in (0, infinity): x is less than 1 plus the greatest quotient of a
 * coefficient by the last one, and 1 / x than that by the first. So all are between 2^*low and
 * 2^*high. */
static void form_roots_bound(const form *p, long *low, long *high)
{
    long top[FORM_DEGREE + 1] = {0}, most = LONG_MIN;
    for (int i = 0; i <= p->degree; i++)
        if (dyad_top(&p->c[i], &top[i]) != 0 && top[i] > most)
            most = top[i];
    *low = top[0] - most - 2;
    *high = most - top[p->degree] + 2;
}

/* Shortens the interval to one from 2^e to 2^(e + 1) of its own ratio: if the root is far nearer to
 * one end than to the other, as for close roots, few signs find that. */
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

/* The zero of the linear interpolation between the values at both ends: parts of 2^bits, rounded
 * down. */
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

/* Abbott, Quadratic interval refinement for real roots (2006): of 2^bits parts of the interval,
 * tests the one with the zero of the linear interpolation. If it has the root, the next step tries
 * twice as many bits, else half as many. */
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

/* ---- rounding down. Nonnegative float64 numbers are ordered like their bits. */

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

/* Returns whether x is not before the toi. Cuts the interval there. */
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

/* The approximate toi, between 0 and 1. */
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

/* From a guess in steps of 1, 2, 4, ... float64 numbers, then by bisection. */
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

/* Returns whether q, which must not be the zero form, is 0 at x. A common root is a root of the
 * greatest common divisor, which has no other in the interval: its signs at the ends differ. */
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

/* ---- The signs of Bernstein coefficients find an interval of time with one simple root; Newton's
 * method finds the root, with a last step in double-double numbers. If the error is small, that
 * certainly gives the float64 number below the root; otherwise the signs of the form there and at
 * the next number decide. */

/* Bernstein coefficients over [from, to], rounded, and their error bound. */
typedef struct interval {
    double b[CURVE_DEGREE + 1], from, to;
} interval;

/* With u = 2^-53: c times a binomial, rounded, errs by 2 u of itself and as c. A bisection computes
 * averages, at most n of them in a row, each of which errs by u of the largest coefficient: 10 n u.
 * Averages are no larger than that. In total less than 2 u + 60 u of the largest. */
#define HALVINGS 10
#define HALVING_ERROR 0x1p-47

static inline interval curve_whole_interval(const curve *c, int degree, double *error)
{
    static const double binomial[CURVE_DEGREE + 1][CURVE_DEGREE + 1] = {{1},
                                                                        {1, 1},
                                                                        {1, 2, 1},
                                                                        {1, 3, 3, 1},
                                                                        {1, 4, 6, 4, 1},
                                                                        {1, 5, 10, 10, 5, 1},
                                                                        {1, 6, 15, 20, 15, 6, 1}};
    interval p = {.from = 0, .to = 1};
    double most = 0;
    for (int i = 0; i <= degree; i++) {
        p.b[i] = c->c[i].hi / binomial[degree][i];
        most = greater(most, fabs(p.b[i]));
    }
    *error = c->error + HALVING_ERROR * most;
    return p;
}

/* p becomes its second half; returns the first. */
static inline interval curve_split(interval *p, int degree)
{
    interval first = {.from = p->from, .to = 0.5 * (p->from + p->to)};
    for (int remaining = degree; remaining >= 0; remaining--) {
        first.b[degree - remaining] = p->b[0];
        for (int i = 0; i < remaining; i++)
            p->b[i] = 0.5 * (p->b[i] + p->b[i + 1]);
    }
    p->from = first.to;
    return first;
}

/* The number of roots within: 0 or 1; or SIGN_OPEN if undecided, where a bisection may help.
 * Uncertain coefficients may have any sign, so there certainly is one root if the ends have
 * different signs, and no coefficient that may have the first one's sign follows one that may have
 * the last one's. */
static inline int curve_count_roots(const interval *p, int degree, double error)
{
    int first = p->b[0] > error ? 1 : p->b[0] < -error ? -1 : 0, turned = 0;
    double last = first * p->b[degree];
    if (!first || fabs(last) <= error)
        return SIGN_OPEN;
    for (int i = 1; i < degree; i++) {
        double b = first * p->b[i];
        if (turned && b >= -error && last < 0)
            return SIGN_OPEN;
        turned |= b <= error;
    }
    if (last < 0)
        return 1;
    return turned ? SIGN_OPEN : 0;
}

/* ---- the root */

static inline double curve_bernstein(const interval *p, int degree, double x, double *slope)
{
    double b[CURVE_DEGREE + 1] = {0};
    for (int i = 0; i <= degree; i++)
        b[i] = p->b[i];
    for (int remaining = degree; remaining > 1; remaining--)
        for (int i = 0; i < remaining; i++)
            b[i] += x * (b[i + 1] - b[i]);
    *slope = degree * (b[1] - b[0]);
    return b[0] + x * (b[1] - b[0]);
}

/* The approximate root in the interval, from 0 to 1. */
typedef struct curve_near_root {
    double x, slope, last; /* slope: at the start of the last step */
} curve_near_root;

/* By Newton's method, with bisection where it leaves the interval. curve_newton_step makes it more
 * accurate. */
static inline curve_near_root curve_root_near(const interval *p, int degree)
{
    double low = 0, high = 1, step = 1, x = p->b[0] / (p->b[0] - p->b[degree]), slope = 1;
    for (int i = 0; i < 30 && fabs(step) > 0x1p-24; i++) {
        double value = curve_bernstein(p, degree, x, &slope), next = x - value / slope;
        *((value > 0) == (p->b[0] > 0) ? &low : &high) = x;
        next = next >= low && next <= high ? next : 0.5 * (low + high);
        step = next - x;
        x = next;
    }
    return (curve_near_root){x, slope, fabs(step)};
}

/* Newton's step from t to the root, by the value at t. The root is within *off of the result if
 * that range is in the interval; *off is infinite if undecided.
 *
 * Let x range from 0 to 1 in the interval, w be its width, F the form, F' its slope along x and b
 * the greatest coefficient. Certain coefficients are greater than their error, so |F''| <= M = 8 n
 * (n - 1) b. The slope errs by E = 20 errors of a coefficient and M (`last` + 2^-52 / w):
 * differences of them, n times, by 2 n errors; `bernstein` by less than n (10 n - 6) u b, 6 errors,
 * which are more than 2^-47 b; it is that of another x, and t is rounded. The value v errs by V.
 * With d = -v / slope and any o
 *
 *     |F(d + o) - F' o| <= V + |v| (E / |slope| + 2^-51) + M (d + o)^2 / 2
 *
 * For o = 2 (V + |v| (E / |slope| + 2^-50) + 2 M d^2) / |slope|, and E and M o less than |slope| /
 * 16, that is less than |F' o|. So F has two signs at d - o and d + o. */
static inline double curve_newton_step(const curve *c, int degree, const interval *p, double error,
                                       double t, const curve_near_root *r, double *off)
{
    double value_error, most = 0;
    const double value = c->value(c->of, t, &value_error).hi;
    for (int i = 0; i <= degree; i++)
        most = greater(most, fabs(p->b[i]));
    const double width = p->to - p->from, size = fabs(r->slope), step = -value / r->slope;
    const double bend = 8 * degree * (degree - 1) * most;
    const double turn = 20 * error + bend * (r->last + 0x1p-52 / width);
    const double least = value_error + fabs(value) * (turn / size + 0x1p-50);
    const double o = 2 * (least + 2 * bend * step * step) / size;
    *off = turn < size / 16 && bend * o < size / 16 ? o * width : INFINITY;
    return step * width;
}

/* The float64 numbers next to a positive one. */
static inline double curve_next_up(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits++;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double curve_next_down(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits--;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int curve_sign_at(const curve *c, double t)
{
    double error, value = c->value(c->of, t, &error).hi;
    return value > error ? 1 : value < -error ? -1 : SIGN_OPEN;
}

/* Decides by the signs at some numbers, the first of which is probably the one below the root. */
static int curve_round_by_signs(const curve *c, const interval *p, double low, double *toi)
{
    const int before = p->b[0] > 0 ? 1 : -1;
    for (int i = 0; i < 3 && low > 0 && low >= p->from && low < p->to; i++) {
        const int sign = curve_sign_at(c, low), next_sign = curve_sign_at(c, curve_next_up(low));
        *toi = low;
        if (sign == SIGN_OPEN || next_sign == SIGN_OPEN)
            return 0;
        if (sign == before && next_sign == -before)
            return 1;
        low = sign == before ? curve_next_up(low) : curve_next_down(low);
    }
    return 0;
}

/* At *toi the form has the sign of the interval's beginning, and the opposite one at the next
 * number. Returns 0 if in doubt. It is certain if the nearest number is farther than the error of
 * the root. */
static inline int curve_round_root(const curve *c, int degree, const interval *p, double error,
                                   double *toi)
{
    double off;
    const curve_near_root r = curve_root_near(p, degree);
    const double t = p->from + (p->to - p->from) * r.x;
    const twofold at = sum_of(t, curve_newton_step(c, degree, p, error, t, &r, &off));
    if (!(at.hi > 0 && at.hi <= 1))
        return 0;
    *toi = at.lo < 0 ? curve_next_down(at.hi) : at.hi;
    if (off < fabs(at.lo) && *toi >= p->from && curve_next_up(*toi) <= p->to)
        return 1;
    return curve_round_by_signs(c, p, *toi, toi);
}

/* Processes pending pieces in the order of time; the first one is last in the array. */
static inline int curve_first_root(const curve *c, int degree, double *toi)
{
    interval remaining[HALVINGS + 1];
    double error;
    int count = 1, found = 0;
    remaining[0] = curve_whole_interval(c, degree, &error);
    while (count && !found) {
        interval *p = &remaining[count - 1];
        int roots = curve_count_roots(p, degree, error);
        if (roots == 1)
            found = curve_round_root(c, degree, p, error, toi) ? c->holds(c->of, *toi) : SIGN_OPEN;
        else if (roots && (count > HALVINGS || p->to - p->from <= 0x1p-10))
            found = SIGN_OPEN;
        if (roots != SIGN_OPEN)
            count--;
        else if (!found)
            remaining[count] = curve_split(p, degree), count++;
    }
    return found;
}

/* Loops of constant length are far faster. */
int curve_first(const curve *c, double *toi)
{
    return c->degree == 3 ? curve_first_root(c, 3, toi) : curve_first_root(c, c->degree, toi);
}
