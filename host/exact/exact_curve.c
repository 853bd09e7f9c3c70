/* See exact_curve.h. An interval of time with one simple root is found by the signs of Bernstein
 * coefficients, the root by Newton's method, and the float64 number below it by the signs of the
 * form there and at the next one, in double-double numbers. */
#include "exact_curve.h"

#include "exact_float.h"

#include <math.h>

/* Bernstein coefficients over [from, to], rounded, and how far they may be off. */
typedef struct piece {
    double b[CURVE_DEGREE + 1], from, to;
} piece;

/* With u = 2^-53: c by a binomial, rounded, errs by 2 u of itself and as c. A halving takes
 * averages, n of them in a row at most, each of which errs by u of the largest coefficient: 10 n u.
 * Averages are no larger than that. All of it is less than 2 u + 60 u of the largest. */
#define HALVINGS 10
#define HALVING_ERROR 0x1p-47

static piece whole(const curve *c, double *error)
{
    static const double binomial[CURVE_DEGREE + 1][CURVE_DEGREE + 1] = {{1},
                                                                        {1, 1},
                                                                        {1, 2, 1},
                                                                        {1, 3, 3, 1},
                                                                        {1, 4, 6, 4, 1},
                                                                        {1, 5, 10, 10, 5, 1},
                                                                        {1, 6, 15, 20, 15, 6, 1}};
    piece p = {.from = 0, .to = 1};
    double most = 0;
    for (int i = 0; i <= c->degree; i++) {
        p.b[i] = c->c[i].hi / binomial[c->degree][i];
        most = greater(most, fabs(p.b[i]));
    }
    *error = c->error + HALVING_ERROR * most;
    return p;
}

/* p becomes its second half, the result is the first. */
static piece split(piece *p, int degree)
{
    piece first = {.from = p->from, .to = 0.5 * (p->from + p->to)};
    for (int left = degree; left >= 0; left--) {
        first.b[degree - left] = p->b[0];
        for (int i = 0; i < left; i++)
            p->b[i] = 0.5 * (p->b[i] + p->b[i + 1]);
    }
    p->from = first.to;
    return first;
}

/* How many roots are within: 0 or 1; or SIGN_OPEN if a halving may tell, or nothing. Coefficients
 * that are not certain may have any sign, so there is one root for certain if the ends have
 * different signs, and no coefficient that may have the first one's comes after one that may have
 * the last's. */
static int roots_within(const piece *p, int degree, double error)
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

static double bernstein(const piece *p, int degree, double x, double *slope)
{
    double b[CURVE_DEGREE + 1] = {0};
    for (int i = 0; i <= degree; i++)
        b[i] = p->b[i];
    for (int left = degree; left > 1; left--)
        for (int i = 0; i < left; i++)
            b[i] += x * (b[i + 1] - b[i]);
    *slope = degree * (b[1] - b[0]);
    return b[0] + x * (b[1] - b[0]);
}

/* Where in the piece, from 0 to 1, the form is 0, about; and its slope there. By Newton's method,
 * halving where it leaves the interval. */
static double root_near(const piece *p, int degree, double *slope)
{
    double low = 0, high = 1, step = 1, x = p->b[0] / (p->b[0] - p->b[degree]);
    *slope = 1;
    for (int i = 0; i < 30 && fabs(step) > 0x1p-30; i++) {
        double value = bernstein(p, degree, x, slope), next = x - value / *slope;
        *((value > 0) == (p->b[0] > 0) ? &low : &high) = x;
        next = next >= low && next <= high ? next : 0.5 * (low + high);
        step = next - x;
        x = next;
    }
    return x;
}

static int sign_at(const curve *c, double t)
{
    double error, value = c->value(c->of, t, &error).hi;
    return value > error ? 1 : value < -error ? -1 : SIGN_OPEN;
}

/* At *share the form has the sign of the piece's begin, and the other one at the next number. 0: in
 * doubt. */
static int round_root(const curve *c, const piece *p, double *share)
{
    double slope, error, t = p->from + (p->to - p->from) * root_near(p, c->degree, &slope);
    twofold at = sum_of(t, -c->value(c->of, t, &error).hi / slope * (p->to - p->from));
    double low = at.lo < 0 ? nextafter(at.hi, 0) : at.hi;
    int before = p->b[0] > 0 ? 1 : -1;
    for (int i = 0; i < 3 && low >= p->from && low < p->to; i++) {
        double next = nextafter(low, 1);
        int sign = sign_at(c, low), next_sign = sign_at(c, next);
        *share = low;
        if (sign == SIGN_OPEN || next_sign == SIGN_OPEN)
            return 0;
        if (sign == before && next_sign == -before)
            return 1;
        low = sign == before ? next : nextafter(low, 0);
    }
    return 0;
}

/* Pieces that are still to be looked at, in the order of time, the first one last. */
int curve_first(const curve *c, double *share)
{
    piece left[HALVINGS + 1];
    double error;
    int count = 1, found = 0;
    left[0] = whole(c, &error);
    while (count && !found) {
        piece *p = &left[count - 1];
        int roots = roots_within(p, c->degree, error);
        if (roots == 1)
            found = round_root(c, p, share) ? c->holds(c->of, *share) : SIGN_OPEN;
        else if (roots && (count > HALVINGS || p->to - p->from <= 0x1p-10))
            found = SIGN_OPEN;
        if (roots != SIGN_OPEN)
            count--;
        else if (!found)
            left[count] = split(p, c->degree), count++;
    }
    return found;
}
