/* See oracle.h. */
#include "impinge.h"
#include "oracle.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void point_init(rational_point *p)
{
    for (int k = 0; k < 4; k++)
        mpz_init(p->v[k]);
}

void point_clear(rational_point *p)
{
    for (int k = 0; k < 4; k++)
        mpz_clear(p->v[k]);
}

/* Both integers lose less than 2^-52 of their value; the quotient is rounded. */
void point_approximate(rational_point *p, int unit)
{
    long up, down;
    const double w = mpz_get_d_2exp(&down, p->v[3]);
    for (int k = 0; k < 3; k++) {
        const double x = mpz_get_d_2exp(&up, p->v[k]);
        p->near[k] = ldexp(x / w, (int)(up - down) + unit);
    }
}

/* Approximate coordinates are less than 2^-50 of their value off, or a denormal. Returns whether
 * two differ by so much more that the exact ones must differ. False if one is infinite. */
static int surely_differ(double a, double b)
{
    return fabs(a - b) > 0x1p-48 * fmax(fabs(a), fabs(b)) + 0x1p-1070;
}

int point_compare(const rational_point *a, const rational_point *b)
{
    int order = 0;
    mpz_t s, t;
    mpz_init(s);
    mpz_init(t);
    for (int k = 0; k < 3 && !order; k++) {
        if (surely_differ(a->near[k], b->near[k])) {
            order = a->near[k] < b->near[k] ? -1 : 1;
        } else {
            mpz_mul(s, a->v[k], b->v[3]);
            mpz_mul(t, b->v[k], a->v[3]);
            order = mpz_cmp(s, t);
        }
    }
    mpz_clear(s);
    mpz_clear(t);
    return order;
}

/* The sign of v / w - middle 2^e */
static int compare_quotient(const mpz_t v, const mpz_t w, int64_t middle, int e)
{
    mpz_t s, t;
    mpz_init_set(s, v);
    mpz_init(t);
    mpz_mul_si(t, w, middle);
    mpz_mul_2exp(e < 0 ? s : t, e < 0 ? s : t, (mp_bitcnt_t)(e < 0 ? -e : e));
    const int order = mpz_cmp(s, t);
    mpz_clear(s);
    mpz_clear(t);
    return order;
}

/* v / w is between the midpoints from x to its float64 neighbours; at a midpoint x must be even.
 * Beyond the last float64, the next would be as far as the one before. */
int quotient_rounds_to(const mpz_t v, const mpz_t w, int unit, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int side = 0; side < 2; side++) {
        const double next = nextafter(x, side ? INFINITY : -INFINITY);
        int e;
        frexp(isfinite(next) && fabs(next) > fabs(x) ? next : x, &e);
        /* both are integers in units of 2^(e - 54), the midpoint in half of that */
        const int64_t at = (int64_t)ldexp(x, 54 - e);
        const int64_t step = isfinite(next) ? (int64_t)ldexp(next, 54 - e) - at
                                            : at - (int64_t)ldexp(nextafter(x, 0), 54 - e);
        const int c = compare_quotient(v, w, 2 * at + step, e - 55 - unit);
        if ((side ? c > 0 : c < 0) || (!c && (bits & 1)))
            return 0;
    }
    return 1;
}

int point_rounds_to(const rational_point *p, int unit, const double x[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(x[k]) || surely_differ(p->near[k], x[k]) ||
            !quotient_rounds_to(p->v[k], p->v[3], unit, x[k]))
            return 0;
    return 1;
}

void point_between(vector r, const rational_point *a, const rational_point *b)
{
    for (int k = 0; k < 3; k++) {
        mpz_mul(r[k], b->v[k], a->v[3]);
        mpz_submul(r[k], a->v[k], b->v[3]);
    }
}

/* ---- the two farthest points */

/* A quarter of the distance, which does not overflow. */
static double near_distance(const rational_point *a, const rational_point *b)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = 0.25 * a->near[k] - 0.25 * b->near[k];
    return hypot(hypot(d[0], d[1]), d[2]);
}

/* A lower limit of a quarter of the greatest distance; NaN if a coordinate overflows. */
static double distance_least(const rational_point *p, int n)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs(p[i].near[k]));
        for (int j = 0; j < i; j++)
            most = fmax(most, near_distance(&p[i], &p[j]));
    }
    return most - (0x1p-46 * size + 0x1p-1068);
}

/* The squared distance, in squares of the unit. */
static void square_distance(fraction out, const rational_point *a, const rational_point *b)
{
    vector between;
    vector_init(between);
    point_between(between, a, b);
    vector_dot(out[0], between, between);
    mpz_mul(out[1], a->v[3], b->v[3]);
    mpz_mul(out[1], out[1], out[1]);
    vector_clear(between);
}

void points_farthest(const rational_point *p, int n, int end[2])
{
    const double least = distance_least(p, n);
    fraction most, d;
    fraction_init(most);
    fraction_init(d);
    end[0] = end[1] = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            if (near_distance(&p[i], &p[j]) < least)
                continue;
            const int turn = point_compare(&p[i], &p[j]) > 0, a = turn ? j : i, b = turn ? i : j;
            square_distance(d, &p[a], &p[b]);
            int far = fraction_compare(d, most), less = point_compare(&p[a], &p[end[0]]);
            less = less ? less : point_compare(&p[b], &p[end[1]]);
            if (far < 0 || (!far && less >= 0))
                continue;
            fraction_set(most, d);
            end[0] = a;
            end[1] = b;
        }
    fraction_clear(most);
    fraction_clear(d);
}

/* ---- Checks of contacts: oracle.h. */

double oracle_gap(double a, double b, int unit)
{
    return isfinite(a - b) ? ldexp(a - b, -unit) : ldexp(0.5 * a - 0.5 * b, 1 - unit);
}

/* ---- comparison with the reference */

const char *contact_form_fault(int kind, const double point[6])
{
    int order = 0;
    for (int k = 0; k < 6; k++) {
        if (!isfinite(point[k]))
            return "a coordinate is not finite";
        if (point[k] == 0 && signbit(point[k]))
            return "a coordinate is -0";
    }
    for (int k = 2; k >= 0; k--)
        order = point[k] != point[3 + k] ? (point[k] > point[3 + k] ? 1 : -1) : order;
    if (order > 0)
        return "the points are not in lexicographic order";
    return kind == IMP_KIND_POINT && order ? "the ends of a point differ" : NULL;
}

const char *oracle_kind_fault(const oracle_verdict *want, int kind)
{
    if (kind == want->kind)
        return NULL;
    return !kind ? "missed" : !want->kind ? "does not exist" : "wrong kind";
}

static int oracle_check_is(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Rounding may change the lexicographic order, so contact_form_fault compares the points. */
const char *oracle_ends_fault(const oracle_verdict *want, const double point[6])
{
    int right = 0;
    for (int k = 0; k < 2; k++)
        right |= oracle_check_is(point, want->corner[want->end[k]]) &&
                 oracle_check_is(point + 3, want->corner[want->end[!k]]);
    return right ? NULL : "the points are not the ends";
}

/* Rounding may have exchanged the ends; those that round to one point are in their exact order. */
const char *oracle_end_features_fault(const oracle_verdict *want, const double point[6],
                                      const uint8_t feature[4])
{
    const int turned = !oracle_check_is(point, want->corner[want->end[0]]);
    const int right = !memcmp(feature, want->feature[turned], 2) &&
                      !memcmp(feature + 2, want->feature[!turned], 2);
    return right ? NULL : "features of an end";
}

/* Distance of two corners, halved so that it does not overflow. */
static double oracle_check_length(const oracle_verdict *want, int i, int j)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = 0.25 * want->corner[i][k] - 0.25 * want->corner[j][k];
    return hypot(hypot(d[0], d[1]), d[2]);
}

/* The corners are rounded, so float64 cannot decide near ties. */
const char *oracle_mirrored_fault(const oracle_verdict *want, const double point[6])
{
    double size = 0;
    for (int i = 0; i < 3 * want->corners; i++)
        size = fmax(size, fabs(want->corner[i / 3][i % 3]));
    const double enough = oracle_check_length(want, want->end[0], want->end[1]) - 0x1p-48 * size;
    for (int i = 0; i < want->corners; i++)
        for (int j = 0; j < want->corners; j++)
            if (oracle_check_is(point, want->corner[i]) &&
                oracle_check_is(point + 3, want->corner[j]) &&
                oracle_check_length(want, i, j) >= enough)
                return NULL;
    return "the points are not the ends";
}
