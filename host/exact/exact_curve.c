/* See exact_curve.h. An interval of time with one simple root is found by the signs of Bernstein
 * coefficients, the root by Newton's method, with a last step in double-double numbers. That is
 * certain about the float64 number below the root where its error is small, else the signs of the
 * form there and at the next number are. */
#include "exact_curve.h"

#include "exact_float.h"

#include <math.h>

/* Bernstein coefficients over [from, to], rounded, and how far they may be off. */
typedef struct interval {
    double b[CURVE_DEGREE + 1], from, to;
} interval;

/* With u = 2^-53: c by a binomial, rounded, errs by 2 u of itself and as c. A halving takes
 * averages, n of them in a row at most, each of which errs by u of the largest coefficient: 10 n u.
 * Averages are no larger than that. All of it is less than 2 u + 60 u of the largest. */
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

/* p becomes its second half, the result is the first. */
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

/* How many roots are within: 0 or 1; or SIGN_OPEN if a halving may tell, or nothing. Coefficients
 * that are not certain may have any sign, so there is one root for certain if the ends have
 * different signs, and no coefficient that may have the first one's comes after one that may have
 * the last's. */
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

/* Where in the interval, from 0 to 1, the form is 0, about. */
typedef struct curve_near_root {
    double x, slope, last; /* slope: where the last step began */
} curve_near_root;

/* By Newton's method, halving where it leaves the interval. curve_newton_step makes it more
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

/* Newton's step from t to the root, by the value at t. The root is within *off of that, which is
 * infinite where this cannot be told, if all of it is in the interval.
 *
 * Let x go from 0 to 1 in the interval, w be its width, F the form, F' its slope along x and b the
 * greatest coefficient. Certain coefficients are greater than their error, so |F''| <= M = 8 n (n -
 * 1) b. The slope errs by E = 20 errors of a coefficient and M (`last` + 2^-52 / w): differences of
 * them, n times, by 2 n errors; `bernstein` by less than n (10 n - 6) u b, 6 errors, which are more
 * than 2^-47 b; it is that of another x, and t is rounded. The value v errs by V. With d = -v /
 * slope and any o
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

/* By the signs at some numbers, the first of which is probably the one below the root. */
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

/* At *toi the form has the sign of the interval's begin, and the other one at the next number. 0:
 * in doubt. That is certain where the root cannot be as far off as the nearest number is. */
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

/* Pieces that are still to be looked at, in the order of time, the first one last. */
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

/* Loops of a known length are far faster. */
int curve_first(const curve *c, double *toi)
{
    return c->degree == 3 ? curve_first_root(c, 3, toi) : curve_first_root(c, c->degree, toi);
}
