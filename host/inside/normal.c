/* The normal of a face, of length 1 within 2^-50. */
#include "dyads.h"
#include "solids.h"

#include "lane_vec.h"
#include "lane_measure.h"
#include "vec3.h"

#include <limits.h>

/* A component in double-double numbers errs by less than 2^-97; so of a normal that is longer than
 * this one, in the unit of the triangle, by less than 2^-57 of its length. */
#define NORMAL_SQUARE_LEAST 0x1p-80

static v3 normal_at(const exact_point *p)
{
    return v3_make(p->x[0], p->x[1], p->x[2]);
}

/* Returns 0 for a triangle that is too thin, or beyond the range. */
static int normal_quick(const exact_point p[3], double out[3])
{
    const v3 a = normal_at(&p[0]), b = normal_at(&p[1]), c = normal_at(&p[2]);
    twofold e[3], f[3], n[3];
    lane_mask sure;
    const double scale = 1 / measure_unit(a, b, c, a, &sure);
    if (!sure)
        return 0;
    measure_between(a, b, scale, e, &sure);
    measure_between(a, c, scale, f, &sure);
    measure_cross(e, f, n);
    for (int k = 0; k < 3; k++)
        out[k] = n[k].hi;
    return sure && vec_dot(out, out) > NORMAL_SQUARE_LEAST;
}

static void normal_exactly(const exact_point p[3], double out[3])
{
    dyad n[3];
    long power[3], most = LONG_MIN;
    dyads_init(n);
    dyads_normal(n, p);
    for (int k = 0; k < 3; k++) {
        out[k] = dyad_top(&n[k], &power[k]);
        most = out[k] != 0 && power[k] > most ? power[k] : most;
    }
    for (int k = 0; k < 3; k++)
        out[k] = power[k] - most < -1000 ? 0 : ldexp(out[k], (int)(power[k] - most));
    dyads_clear(n);
}

void solids_normal(const exact_point p[3], int turn, double out[3])
{
    if (!normal_quick(p, out))
        normal_exactly(p, out);
    const double length = sqrt(vec_dot(out, out));
    for (int k = 0; k < 3; k++)
        out[k] = turn * out[k] / length + 0.0;
}
