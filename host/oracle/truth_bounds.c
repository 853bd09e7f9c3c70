/* See truth_bounds.h. */
#include "truth_bounds.h"

#include "error.h"
#include "frame.h"
#include "oracle_turning.h"
#include "truth_pairs.h"
#include "truth_turning.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define ROUNDING 0x1p-19 /* of all extents: far more than float32 of a scaled frame is off */
#define LOST 0x1p-1000   /* of the largest coordinate: far more than a scaled frame loses */

static truth_case bounds_case(const imp_frame *f, const imp_frame *next, const imp_def *def)
{
    return (truth_case){.f = {f, next}, .frames = next ? 2 : 1, .def = def};
}

/* The longest edge of the box of all finite vertices, and their largest coordinate. */
static double bounds_extent(const truth_case *c, double *largest)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double x[3], most = 0;
    for (int f = 0; f < c->frames; f++)
        for (size_t i = 0; i < c->f[f]->mesh->vertices; i++) {
            frame_vertex(c->f[f], i, x);
            for (int k = 0; k < 3; k++) {
                lo[k] = isfinite(x[k]) ? fmin(lo[k], x[k]) : lo[k];
                hi[k] = isfinite(x[k]) ? fmax(hi[k], x[k]) : hi[k];
            }
        }
    *largest = 0;
    for (int k = 0; k < 3 && lo[k] <= hi[k]; k++) {
        most = fmax(most, hi[k] - lo[k]);
        *largest = fmax(*largest, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    return most;
}

/* More than 0: coordinates of a frame without extent are equal, or denormals. */
void truth_bounds_sizes(const imp_frame *f, const imp_frame *next, const imp_def *def,
                        double *margin, double *lost)
{
    const truth_case c = bounds_case(f, next, def);
    const double distance = next ? def->min_separation : 0, extent = bounds_extent(&c, lost);
    *margin = ROUNDING * (extent + distance) + 0x1p-1070;
    *lost = *lost * LOST + 0x1p-1072;
}

int truth_bounds_turning(const imp_frame *f, const imp_frame *next)
{
    for (uint32_t i = 0; next && i < f->mesh->primitives; i++)
        if (oracle_rigid_turning_body(f, next, i) >= 0)
            return 1;
    return 0;
}

static int bounds_overlap(const truth_case *c, uint32_t a, uint32_t b)
{
    return truth_boxes_near(c, a, b) && truth_slabs_overlap(c, a, b);
}

/* Counts a pair whose grown boxes overlap; makes no row. */
static int truth_bounds_count_pair(const truth_case *c, oracle *o, truth_row *row)
{
    truth_case exact = *c;
    uint64_t *count = c->count[omp_get_thread_num()];
    (void)o;
    exact.margin = 0;
    count[0] += (uint64_t)bounds_overlap(&exact, row->a, row->b);
    count[1] += (uint64_t)truth_slabs_overlap(c, row->a, row->b);
    return 0;
}

int truth_bounds_count(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                       int threads, uint64_t counts[2])
{
    int err = IMP_OK;
    imp_def rules = *def;
    truth_case c = bounds_case(f, next, &rules);
    truth none = {0};
    double lost;
    /* features of neighbours may be those of others, too, so that they are not left out */
    if (next && def->stage != IMP_STAGE_CANDIDATES)
        rules.adjacent = IMP_ADJACENT_TEST;
    truth_bounds_sizes(f, next, def, &c.margin, &lost);
    TRY(mem_alloc(m, (size_t)threads * sizeof *c.count, &c.count));
    memset(c.count, 0, (size_t)threads * sizeof *c.count);
    TRY(truth_sweep(m, &c, truth_bounds_count_pair, threads, &none));
    counts[0] = counts[1] = 0;
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < 2; i++)
            counts[i] += c.count[t][i];
out:
    truth_free(m, &none);
    mem_free(m, c.count);
    return err;
}

int truth_bounds_near(const imp_frame *f, const imp_frame *next, const imp_def *def, int any,
                      double margin, uint32_t a, uint32_t b)
{
    truth_case c = bounds_case(f, next, def);
    if (!truth_wanted(&c, a, b) || truth_rigid_ccd(&c, a, b) > 1)
        return 0;
    c.margin = margin;
    return any || truth_rigid_ccd(&c, a, b) || bounds_overlap(&c, a, b);
}

/* Corners may be as large as float64 allows: each is divided before it is added. */
static void truth_bounds_centroid(const imp_frame *f, uint32_t i, double out[3], double *largest)
{
    double x[4][3];
    const int corners = truth_corners(f->mesh, i);
    truth_read(f, i, x);
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int v = 0; v < corners; v++) {
            out[k] += x[v][k] / corners;
            *largest = fmax(*largest, fabs(x[v][k]));
        }
    }
}

static int point_near(const double x[3], const double y[3], double slack)
{
    return fabs(x[0] - y[0]) <= slack && fabs(x[1] - y[1]) <= slack && fabs(x[2] - y[2]) <= slack;
}

const char *truth_centroids_fault(const imp_frame *f, uint32_t a, uint32_t b, double lost,
                                  const double point[6])
{
    double x[2][3], largest = 0;
    const char *fault = contact_form_fault(0, point);
    if (fault)
        return fault;
    truth_bounds_centroid(f, a, x[0], &largest);
    truth_bounds_centroid(f, b, x[1], &largest);
    const double slack = 1e-15 * largest + lost;
    for (int turn = 0; turn < 2; turn++)
        if (point_near(x[turn], point, slack) && point_near(x[!turn], point + 3, slack))
            return NULL;
    return "they are not the centroids";
}

uint64_t truth_bounds_bad(const imp_frame *f, const imp_frame *next)
{
    const imp_frame *const at[2] = {f, next};
    uint64_t bad = 0;
    for (uint32_t i = 0; i < f->mesh->primitives; i++) {
        int finite = 1;
        for (int n = 0; n < (next ? 2 : 1); n++) {
            double x[4][3];
            truth_read(at[n], i, x);
            for (int k = 0; k < 3 * truth_corners(f->mesh, i); k++)
                finite &= isfinite(x[k / 3][k % 3]) != 0;
        }
        bad += (uint64_t)!finite;
    }
    return bad;
}
