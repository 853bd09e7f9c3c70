/* Bounds: they contain every vertex, in exact arithmetic; they are tight, nested like their axes,
 * and depend on the frame alone. */
#include "dop.h"
#include "expect.h"
#include "made.h"
#include "parallel.h"
#include "ways.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 200
#define BITS 4400 /* enough for exact sums of three scaled float64 numbers */

static const int dops[] = {6, 8, 14, 18, 26};
#define DOPS 5

/* The directions of kernels/README.md, in the order in which a k-DOP uses them. */
static const int axes[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1},  {-1, 1, 1},
                                {1, -1, 1}, {1, 1, -1}, {1, 1, 0}, {1, -1, 0}, {1, 0, 1},
                                {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

static int axis_of(int k, uint32_t extra)
{
    return (int)extra + (k == 18 ? 7 : 3);
}

static imp_def bound_test_def(int k)
{
    return (imp_def){.broad = "brute",
                     .dop_k = k,
                     .stage = IMP_STAGE_CANDIDATES,
                     .adjacent = IMP_ADJACENT_TEST,
                     .on_bad = IMP_BAD_SKIP};
}

static imp *open_way(const way *w, int k)
{
    const imp_def def = bound_test_def(k);
    imp *p = way_pipeline(w, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    return p;
}

/* ---- containment */

static mpf_t origin[3], place[3][3], height[3], term; /* place: vertex, coordinate */

static void bound_test_exact_open(void)
{
    mpf_set_default_prec(BITS);
    for (int i = 0; i < 3; i++) {
        mpf_inits(origin[i], height[i], NULL);
        mpf_inits(place[i][0], place[i][1], place[i][2], NULL);
    }
    mpf_init(term);
}

static void exact_close(void)
{
    for (int i = 0; i < 3; i++) {
        mpf_clears(origin[i], height[i], NULL);
        mpf_clears(place[i][0], place[i][1], place[i][2], NULL);
    }
    mpf_clear(term);
}

/* x * 2^a * 2^b; the factors are powers of two, which need not fit one float64 */
static void exact_scaled(mpf_t out, double x, const double scale[2])
{
    mpf_set_d(out, x);
    for (int i = 0; i < 2; i++) {
        mpf_set_d(term, scale[i]);
        mpf_mul(out, out, term);
    }
}

/* Loads a triangle into `place`, relative to the centre. 0 if a vertex is not finite. */
static int exact_load(const read_bounds *r, const imp_frame *f, uint32_t i)
{
    for (int v = 0; v < 3; v++) {
        double x[3];
        frame_vertex(f, f->mesh->corner[3 * i + (uint32_t)v], x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            return 0;
        for (int k = 0; k < 3; k++) {
            exact_scaled(place[v][k], x[k], r->scale);
            mpf_sub(place[v][k], place[v][k], origin[k]);
        }
    }
    return 1;
}

/* float32 rounds at 2^-24 of the value, and outward by a full 2^-23; the rest is the error that
 * dop.h allows for float64, and the smallest bound. */
static int bound_test_tolerance(double exact, double bound)
{
    return fabs(exact - bound) > 0x1p-22 * fabs(exact) + 0x1p-48 + 0x1p-60;
}

/* Compares the three vertices along one axis with the interval. */
static const char *interval_fault(int axis, float lo, float hi)
{
    double least = INFINITY, most = -INFINITY;
    for (int v = 0; v < 3; v++) {
        mpf_set_ui(height[v], 0);
        for (int k = 0; k < 3; k++) {
            mpf_mul_ui(term, place[v][k], (unsigned long)abs(axes[axis][k]));
            (axes[axis][k] < 0 ? mpf_sub : mpf_add)(height[v], height[v], term);
        }
        if (mpf_cmp_d(height[v], (double)lo) < 0 || mpf_cmp_d(height[v], (double)hi) > 0)
            return "a vertex is outside";
        least = fmin(least, mpf_get_d(height[v]));
        most = fmax(most, mpf_get_d(height[v]));
    }
    return bound_test_tolerance(least, (double)lo) || bound_test_tolerance(most, (double)hi)
               ? "loose"
               : NULL;
}

static const char *triangle_fault(const read_bounds *r, const imp_frame *f, int k, uint32_t i)
{
    const float *box = r->box + 6 * i, *slab = r->slab + 2 * r->extra * i;
    const char *what = NULL;
    if (!exact_load(r, f, i))
        return box[0] > box[3] && box[1] > box[4] && box[2] > box[5] ? NULL : "bad, not empty";
    for (int a = 0; a < 3 && !what; a++)
        what = interval_fault(a, box[a], box[3 + a]);
    for (uint32_t e = 0; e < r->extra && !what; e++)
        what = interval_fault(axis_of(k, e), slab[2 * e], slab[2 * e + 1]);
    return what;
}

static void frame_contains(const way *w, imp *p, const made *m, size_t f, int k)
{
    read_bounds r;
    const imp_frame *frame = &m->frame[f];
    CU_ASSERT_EQUAL(read_bounds_of(p, frame, 1, &r), 0);
    CU_ASSERT_EQUAL(r.prims, frame->mesh->primitives);
    CU_ASSERT_EQUAL(r.prims ? r.extra : 0, r.prims ? (uint32_t)(k == 8 ? 7 : k / 2) - 3 : 0);
    for (int i = 0; i < 3; i++)
        mpf_set_d(origin[i], r.centre[i]);
    for (uint32_t i = 0; i < r.prims; i++) {
        const char *what = triangle_fault(&r, frame, k, i);
        if (what) {
            way_failed(w, NULL, m->name, what);
            break;
        }
    }
    read_bounds_free(&r);
}

static void test_contains(void)
{
    way list[1] = {way_host()};
    made m;
    bound_test_exact_open();
    for (int k = 0; k < DOPS; k++) {
        imp *p = open_way(list, dops[k]);
        for (size_t s = 0; made_open(s, PRIMS, &m); s++, made_free(&m))
            for (size_t f = 0; f < m.frames; f++)
                frame_contains(list, p, &m, f, dops[k]);
        imp_destroy(p);
    }
    exact_close();
}

/* ---- the same bytes from every device, and in every block */

static void bound_test_same_bytes(const way *w, const made *m, const read_bounds *a, uint32_t first,
                                  const read_bounds *b)
{
    size_t box = 6 * (size_t)b->prims * sizeof *b->box;
    size_t slab = 2 * (size_t)b->extra * b->prims * sizeof *b->slab;
    if (first + b->prims > a->prims || memcmp(a->box + 6 * (size_t)first, b->box, box) ||
        memcmp(a->slab + 2 * (size_t)a->extra * first, b->slab, slab))
        way_failed(w, NULL, m->name, "other bytes");
}

static void same_block(const way *w, imp *first, imp *p, const made *m, const imp_frame *frame,
                       size_t frames)
{
    read_bounds all, again, one;
    CU_ASSERT_EQUAL(read_bounds_of(first, frame, frames, &all), 0);
    CU_ASSERT_EQUAL(read_bounds_of(p, frame, frames, &again), 0);
    bound_test_same_bytes(w, m, &all, 0, &again);
    uint32_t at = 0;
    for (size_t f = 0; f < frames; f++, at += one.prims, read_bounds_free(&one)) {
        CU_ASSERT_EQUAL(read_bounds_of(p, frame + f, 1, &one), 0);
        bound_test_same_bytes(w, m, &all, at, &one);
    }
    CU_ASSERT_EQUAL(at, all.prims);
    read_bounds_free(&all);
    read_bounds_free(&again);
}

/* Frames with points of one type go into one block. */
static void same_blocks(const way *w, imp *first, imp *p, const made *m)
{
    for (size_t f = 0, n; f < m->frames; f += n) {
        for (n = 1; f + n < m->frames && m->frame[f + n].type == m->frame[f].type;)
            n++;
        same_block(w, first, p, m, m->frame + f, n);
    }
}

static void test_bound_same(void)
{
    way list[WAYS_MOST];
    made m;
    size_t n = ways_find(list);
    imp *first = open_way(list, 26);
    for (size_t w = 0; w < n; w++) {
        imp *p = open_way(&list[w], 26);
        for (size_t s = 0; made_open(s, PRIMS, &m); s++, made_free(&m))
            same_blocks(&list[w], first, p, &m);
        imp_destroy(p);
    }
    imp_destroy(first);
}

/* ---- more axes, fewer candidates */

static int row_compare(const struct contact_row *x, const struct contact_row *y)
{
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* is every pair of `few` in `many`? both are sorted */
static int bound_test_within(const contact_list *few, const contact_list *many)
{
    size_t j = 0;
    for (size_t i = 0; i < few->count; i++, j++) {
        while (j < many->count && row_compare(&many->row[j], &few->row[i]) < 0)
            j++;
        if (j == many->count || row_compare(&many->row[j], &few->row[i]) != 0)
            return 0;
    }
    return 1;
}

static void test_bound_nested(void)
{
    way list[1] = {way_host()};
    made m;
    imp *p[DOPS];
    uint64_t count[DOPS] = {0};
    for (int k = 0; k < DOPS; k++)
        p[k] = open_way(list, dops[k]);
    for (size_t s = 0; made_open(s, PRIMS, &m); s++, made_free(&m)) {
        contact_list c[DOPS] = {0};
        for (int k = 0; k < DOPS; k++) {
            CU_ASSERT_EQUAL(imp_detect(p[k], m.frame, m.frames, contact_list_sink, &c[k], NULL), 0);
            count[k] += c[k].count;
        }
        if (!contact_list_equal(&c[1], &c[2])) /* both carry box and diagonals */
            way_failed(list, NULL, m.name, "8 is not 14");
        if (!bound_test_within(&c[2], &c[0]) || !bound_test_within(&c[3], &c[0]))
            way_failed(list, NULL, m.name, "14 or 18 is not within 6");
        if (!bound_test_within(&c[4], &c[2]) || !bound_test_within(&c[4], &c[3]))
            way_failed(list, NULL, m.name, "26 is not within 14 and 18");
        for (int k = 0; k < DOPS; k++)
            contact_list_free(&c[k]);
    }
    CU_ASSERT(count[0] > count[2] && count[2] > count[4] && count[0] > count[3]);
    for (int k = 0; k < DOPS; k++)
        imp_destroy(p[k]);
}

/* As help says of k = 8: its axes are those of k = 14. */
static void test_eight(void)
{
    CU_ASSERT_EQUAL(dop_extra_first(8), dop_extra_first(14));
    CU_ASSERT_EQUAL(dop_extra_count(8), dop_extra_count(14));
}

/* ---- the worked example of the paper: kernels/README.md */

/* (max, min) along x, y, x + y, x - y: axes 0, 1, 7 and 8 of dop.h */
static const double example[3][3] = {{2, 1, 0}, {6, 2, 0}, {4, 6, 0}};
static const double example_most[4] = {6, 6, 10, 4}, example_least[4] = {2, 1, 3, -2};
static const uint32_t example_axis[4] = {0, 1, 7, 8};

static void test_example_exact(void)
{
    for (int i = 0; i < 4; i++) {
        double most = -INFINITY, least = INFINITY;
        for (int v = 0; v < 3; v++) {
            const double *x = example[v];
            double d = dop_project(example_axis[i], x[0], x[1], x[2]);
            most = fmax(most, d);
            least = fmin(least, d);
        }
        CU_ASSERT_EQUAL(most, example_most[i]);
        CU_ASSERT_EQUAL(least, example_least[i]);
    }
}

static void test_example_run(void)
{
    static const uint32_t corner[3] = {0, 1, 2};
    const imp_mesh mesh = {3, 1, corner, NULL};
    const imp_frame frame = {&mesh, example, IMP_FLOAT64, 0};
    way list[1] = {way_host()};
    read_bounds r;
    imp *p = open_way(list, 18);
    CU_ASSERT_EQUAL(read_bounds_of(p, &frame, 1, &r), 0);
    CU_ASSERT_EQUAL_FATAL(r.prims, 1);
    for (int i = 0; i < 4; i++) {
        const int *axis = axes[example_axis[i]];
        double origin_here = axis[0] * r.centre[0] + axis[1] * r.centre[1];
        double lo = (double)(i < 2 ? r.box[i] : r.slab[2 * (i - 2)]) + origin_here;
        double hi = (double)(i < 2 ? r.box[3 + i] : r.slab[2 * (i - 2) + 1]) + origin_here;
        double unit = r.scale[0] * r.scale[1];
        CU_ASSERT(hi / unit >= example_most[i] && hi / unit < example_most[i] + 1e-5);
        CU_ASSERT(lo / unit <= example_least[i] && lo / unit > example_least[i] - 1e-5);
    }
    read_bounds_free(&r);
    imp_destroy(p);
}

/* ---- sums of edges */

#define EDGE_VERTS 500
#define EDGE_PRIMS 2100
#define EDGE_CHUNKS 4

typedef struct edge_sums {
    double sum[EDGE_CHUNKS];
    uint32_t edges[EDGE_CHUNKS];
} edge_sums;

/* Chunks of several lengths: shorter than a work-group, empty, longer. */
static const uint32_t edge_first[EDGE_CHUNKS] = {0, 7, 7, 1031},
                      edge_last[EDGE_CHUNKS] = {7, 7, 1031, EDGE_PRIMS};

static void edge_scene(double *x, uint32_t *corner)
{
    rng r = {21};
    for (int i = 0; i < 3 * EDGE_VERTS; i++)
        x[i] = rng_unit(&r) - 0.5;
    x[30] = NAN;
    for (int i = 0; i < 3 * EDGE_PRIMS; i++)
        corner[i] = rng_below(&r, EDGE_VERTS);
}

static int bound_test_edges(device *d, const double *x, const uint32_t *corner, edge_sums *out)
{
    buffer_u32 first = {0}, last = {0}, corners = {0}, count = {0};
    buffer_f64 points = {0}, sum = {0};
    int err = buffer_put(d, &first, edge_first, EDGE_CHUNKS);
    err = err ? err : buffer_put(d, &last, edge_last, EDGE_CHUNKS);
    err = err ? err : buffer_put(d, &corners, corner, 3 * EDGE_PRIMS);
    err = err ? err : buffer_put(d, &points, x, 3 * EDGE_VERTS);
    err = err ? err : buffer_fit(d, &sum, EDGE_CHUNKS);
    err = err ? err : buffer_fit(d, &count, EDGE_CHUNKS);
    err = err ? err
              : RUN_CHUNKS(d, bound_edges, EDGE_CHUNKS, &first, &last, 3, &corners, &points, &sum,
                           &count);
    err = err ? err : buffer_read(d, &sum, 0, out->sum, EDGE_CHUNKS);
    err = err ? err : buffer_read(d, &count, 0, out->edges, EDGE_CHUNKS);
    buffer *all[] = {&first.raw, &last.raw, &corners.raw, &count.raw, &points.raw, &sum.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(d, all[i]);
    return err;
}

/* The kernel does not use hypot: compared with a tolerance. */
static int edges_good(const edge_sums *got, const double *x, const uint32_t *corner)
{
    int good = 1;
    for (int c = 0; c < EDGE_CHUNKS; c++) {
        double sum = 0;
        uint32_t edges = 0;
        for (uint32_t i = edge_first[c]; i < edge_last[c]; i++) {
            const uint32_t *t = corner + (size_t)3 * i;
            const int all = t[2] != t[1] ? 3 : t[1] != t[0] ? 2 : 1;
            double own = 0;
            for (int k = 0; k < all * (all - 1) / 2; k++) {
                const double *a = x + (size_t)3 * t[k], *b = x + (size_t)3 * t[(k + 1) % 3];
                own += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            }
            sum += isfinite(own) ? own : 0;
            edges += isfinite(own) ? (uint32_t)(all * (all - 1) / 2) : 0;
        }
        good &= got->edges[c] == edges && fabs(got->sum[c] - sum) <= 1e-12 * sum;
    }
    return good;
}

/* These sums determine the cells of the hash: they have the same bits on every device. */
static void test_edges(void)
{
    static double x[3 * EDGE_VERTS];
    static uint32_t corner[3 * EDGE_PRIMS];
    way list[WAYS_MOST];
    edge_sums want, got;
    const size_t n = ways_find(list);
    edge_scene(x, corner);
    for (size_t i = 0; i < n; i++) {
        mem m = {0};
        device *d = way_open(&list[i], &m, NULL);
        if (d && d->fp64) {
            const int err = bound_test_edges(d, x, corner, i ? &got : &want);
            EXPECT(!err && edges_good(i ? &got : &want, x, corner), "%s: other edges",
                   list[i].name);
            EXPECT(!i || !memcmp(want.sum, got.sum, sizeof got.sum), "%s: other bits of sums",
                   list[i].name);
        }
        device_close(d);
    }
}

/* ---- rounding */

static void test_bound_outward(void)
{
    rng r = {1};
    int wrong = 0;
    for (uint64_t i = test_count(1000000); i > 0; i--) {
        double t = (rng_unit(&r) - 0.5) * exp2(1 - rng_below(&r, 1080));
        t = i % 7 == 0 ? (double)(float)t : t;
        double lo = (double)dop_below(t), hi = (double)dop_above(t);
        wrong += lo > t || hi < t || bound_test_tolerance(t, lo) || bound_test_tolerance(t, hi);
        wrong += (lo != 0 && fabs(lo) < 0x1p-100) || (hi != 0 && fabs(hi) < 0x1p-100);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"contains", test_contains},
        {"same", test_bound_same},
        {"nested", test_bound_nested},
        {"eight", test_eight},
        {"example_exact", test_example_exact},
        {"example_run", test_example_run},
        {"edges", test_edges},
        {"outward", test_bound_outward},
        {0},
    };
    return test_main(argc, argv, "bound", tests);
}
