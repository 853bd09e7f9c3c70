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

/* Checks that v / w is between the midpoints from x to its float64 neighbours; at a midpoint x must
 * be even. Beyond the last float64, the next would be as far as the one before. */
static int quotient_rounds_to(const mpz_t v, const mpz_t w, int unit, double x)
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

/* ---- tolerances */

double oracle_gap(double a, double b, int unit)
{
    return isfinite(a - b) ? ldexp(a - b, -unit) : ldexp(0.5 * a - 0.5 * b, 1 - unit);
}

void oracle_scale(const tri_pair *t, oracle_verdict *out)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        out->low[k] = out->high[k] = t->x[t->corner[0]][k];
        for (int i = 1; i < 6; i++) {
            double x = t->x[t->corner[i]][k];
            out->low[k] = fmin(out->low[k], x);
            out->high[k] = fmax(out->high[k], x);
        }
        size = fmax(size, oracle_gap(out->high[k], out->low[k], 1));
    }
    frexp(size, &out->unit);
    out->unit++;
    for (int k = 0; k < 3; k++) {
        double most = fmax(fabs(out->low[k]), fabs(out->high[k]));
        if (out->low[k] < out->high[k]) /* the last term covers steps of the least float64 */
            out->tolerance[k] =
                1e-9 + 1e-15 * ldexp(most, -out->unit) + ldexp(0x1p-1073, -out->unit);
    }
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

const char *oracle_box_fault(const oracle_verdict *want, int kind, const double point[6])
{
    if (kind != want->kind)
        return !kind ? "missed" : !want->kind ? "does not exist" : "wrong kind";
    for (int i = 0; kind && i < 6; i++) {
        int k = i % 3;
        if (oracle_gap(want->low[k], point[i], want->unit) > want->tolerance[k] ||
            oracle_gap(point[i], want->high[k], want->unit) > want->tolerance[k])
            return "a point is outside";
    }
    return NULL;
}

static int oracle_check_is_near(const oracle_verdict *want, const double a[3], const double b[3])
{
    int near = 1;
    for (int k = 0; k < 3; k++)
        near &= fabs(oracle_gap(a[k], b[k], want->unit)) <= want->tolerance[k];
    return near;
}

/* Distance of two corners, in units of the answer: only accurate to float64, as tolerances are. */
static double oracle_check_length(const oracle_verdict *want, int i, int j)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = oracle_gap(want->corner[i][k], want->corner[j][k], want->unit);
    return hypot(hypot(d[0], d[1]), d[2]);
}

/* Accepts any two corners that are about as far apart as the farthest two: float64 cannot decide
 * near ties. */
const char *oracle_ends_fault(const oracle_verdict *want, const double point[6])
{
    const double *t = want->tolerance;
    double enough =
        oracle_check_length(want, want->end[0], want->end[1]) - 4 * (t[0] + t[1] + t[2]);
    for (int i = 0; i < want->corners; i++)
        for (int j = 0; j < want->corners; j++)
            if (oracle_check_is_near(want, point, want->corner[i]) &&
                oracle_check_is_near(want, point + 3, want->corner[j]) &&
                oracle_check_length(want, i, j) >= enough)
                return NULL;
    return "the points are not the ends";
}

const char *oracle_tie_fault(const oracle_verdict *want, const double point[6])
{
    for (int k = 0; want->plain && k < 6; k++)
        if (point[k] != want->corner[want->end[k / 3]][k % 3])
            return "of ties the wrong pair";
    return NULL;
}

/* ---- float64 geometry, in units of 2^unit, relative to the first vertex */

typedef struct flat_tri {
    double x[3][3];
} flat_tri;

static flat_tri oracle_check_scaled(const oracle_verdict *want, const tri_pair *t, int which)
{
    flat_tri r;
    for (int i = 0; i < 9; i++)
        r.x[i / 3][i % 3] = oracle_gap(t->x[t->corner[3 * which + i / 3]][i % 3],
                                       t->x[t->corner[0]][i % 3], want->unit);
    return r;
}

static void oracle_check_minus(double r[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[k] - b[k];
}

static double oracle_check_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void oracle_check_cross(double r[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        r[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Sets n to the unit normal; returns its length before, over the square of the longest edge. */
static double normal(const flat_tri *t, double n[3])
{
    double u[3], v[3], w[3], most = 0, size;
    oracle_check_minus(u, t->x[1], t->x[0]);
    oracle_check_minus(v, t->x[2], t->x[0]);
    oracle_check_minus(w, t->x[2], t->x[1]);
    most = fmax(oracle_check_dot(u, u), fmax(oracle_check_dot(v, v), oracle_check_dot(w, w)));
    oracle_check_cross(n, u, v);
    size = sqrt(oracle_check_dot(n, n));
    for (int k = 0; k < 3; k++)
        n[k] = size > 0 ? n[k] / size : 0;
    return most > 0 ? size / most : 0;
}

int oracle_clear(const oracle_verdict *want, const tri_pair *t)
{
    double n[2][3], sine[3];
    for (int i = 0; i < 2; i++) {
        flat_tri f = oracle_check_scaled(want, t, i);
        if (!(normal(&f, n[i]) > 1e-3))
            return 0;
    }
    oracle_check_cross(sine, n[0], n[1]);
    return sqrt(oracle_check_dot(sine, sine)) > 1e-3;
}
