/* `check` of results of --continuous that are written here: it confirms correct ones, and names the
 * frame and the pair if one row is missing, additional, duplicated, out of order, at another time,
 * of another kind, or has other features or points; and a wrong number of candidates. */
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "store.h"
#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 4
#define TRIANGLES (TEST_SLOW ? 45 : 60)
#define ROWS_MOST 2000

/* The fault of a result, in one row of its second step. */
enum change {
    NOTHING,
    REMOVED,
    ADDED,
    TWICE,
    SWAPPED,
    LATER,
    EARLIER,
    KIND,
    FEATURE,
    START_FEATURE,
    MOVED,
    APART,
    BEHIND,
    ZERO,
    START_MOVED,
    NOT_START,
    ONE_FACE, /* in the numbers of candidates */
    ONE_EDGE,
    CHANGES
};

typedef struct rows {
    size_t count;
    uint32_t a[ROWS_MOST], b[ROWS_MOST];
    uint8_t kind[ROWS_MOST];
    double point[ROWS_MOST][6], toi[ROWS_MOST];
    int64_t feature_a[ROWS_MOST], feature_b[ROWS_MOST];
} rows;

/* A batch, and the selection of its frames. */
typedef struct steps {
    mem memory;
    const char *path;
    int back, candidates;
    double separation, said; /* the rows' one; the one in the result's options */
    batch *in;
    batch_block block;
} steps;

/* ---- correct rows */

static const double *vertex(const imp_frame *f, int64_t v)
{
    return (const double *)f->point + 3 * v;
}

static void at_toi(const imp_frame *f, int64_t v, double toi, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (1 - toi) * vertex(f, v)[k] + toi * vertex(f + 1, v)[k];
}

static double check_steps_dot(const double x[3], const double y[3])
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* The crossing point of two edges that cross. */
static void check_steps_crossing(double x[4][3], double out[3])
{
    double e[3], f[3], g[3];
    for (int k = 0; k < 3; k++) {
        e[k] = x[1][k] - x[0][k];
        f[k] = x[3][k] - x[2][k];
        g[k] = x[2][k] - x[0][k];
    }
    const double ee = check_steps_dot(e, e), ff = check_steps_dot(f, f), ef = check_steps_dot(e, f);
    const double u =
        (check_steps_dot(e, g) * ff - check_steps_dot(f, g) * ef) / (ee * ff - ef * ef);
    for (int k = 0; k < 3; k++)
        out[k] = x[0][k] + u * e[k];
}

/* The points of a row with toi > 0; features are indices in a mesh without shared vertices:
 * primitive a has 3 a and the next two. */
static void put_point(const imp_frame *f, const truth_row *t, double out[6])
{
    const uint32_t *corner = f->mesh->corner;
    if (t->kind == IMP_KIND_VERTEX_FACE) {
        at_toi(f, t->feature_a < 0 ? t->feature_b : t->feature_a, t->toi, out);
    } else {
        double x[4][3];
        const int64_t p = 3 * (int64_t)t->a, q = 3 * (int64_t)t->b;
        for (int k = 0; k < 2; k++) {
            at_toi(f, corner[p + (t->feature_a + k) % 3], t->toi, x[k]);
            at_toi(f, corner[q + (t->feature_b + k) % 3], t->toi, x[2 + k]);
        }
        check_steps_crossing(x, out);
    }
    memcpy(out + 3, out, 3 * sizeof *out);
}

/* The centroids of a candidate, ordered. */
static void put_centroids(const imp_frame *f, const truth_row *t, double out[6])
{
    const uint32_t *corner = f->mesh->corner;
    for (int i = 0; i < 6; i++) {
        const uint32_t *c = corner + 3 * (size_t)(i < 3 ? t->a : t->b);
        out[i] = (vertex(f, c[0])[i % 3] + vertex(f, c[1])[i % 3] + vertex(f, c[2])[i % 3]) / 3;
    }
    int k = 0;
    while (k < 2 && out[k] == out[3 + k])
        k++;
    const int turn = out[k] > out[3 + k];
    for (int i = 0; turn && i < 3; i++) {
        const double x = out[i];
        out[i] = out[3 + i];
        out[3 + i] = x;
    }
}

/* The segment that the library finds. */
static void put_line(const contact_list *l, const truth_row *t, double out[6])
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].a == t->a && l->row[i].b == t->b)
            memcpy(out, l->row[i].point, 6 * sizeof *out);
}

/* Segments of contacts of the first frame; with a separation, those of the step: there `check`
 * accepts points other than the truth's. */
static void find_lines(const steps *s, const imp_frame *f, contact_list *out)
{
    imp *p = NULL;
    const int step = s->separation > 0;
    const imp_def def = {
        .device = "cpu", .threads = 1, .continuous = step, .min_separation = s->separation};
    CU_ASSERT_FATAL(!imp_create(&def, &p));
    CU_ASSERT_FATAL(!imp_detect(p, f, step ? 2 : 1, contact_list_sink, out, NULL));
    imp_destroy(p);
}

static void check_steps_find_rows(steps *s, const imp_frame *f, rows *r)
{
    const imp_def def = {.continuous = 1,
                         .min_separation = s->separation,
                         .dop_k = 6,
                         .stage = s->candidates ? IMP_STAGE_CANDIDATES : IMP_STAGE_CONTACTS};
    truth t;
    contact_list lines = {0};
    find_lines(s, f, &lines);
    CU_ASSERT_FATAL(!truth_ccd_find(&s->memory, f, f + 1, &def, NULL, 1, &t));
    CU_ASSERT_FATAL(t.count > 20 && t.count < ROWS_MOST - 1);
    r->count = t.count;
    for (size_t i = 0; i < t.count; i++) {
        const truth_row *x = &t.row[i];
        r->a[i] = x->a;
        r->b[i] = x->b;
        r->kind[i] = (uint8_t)x->kind;
        r->toi[i] = x->toi;
        r->feature_a[i] = x->feature_a;
        r->feature_b[i] = x->feature_b;
        if (s->separation > 0 || x->kind & IMP_KIND_AT_START)
            put_line(&lines, x, r->point[i]);
        else if (x->kind)
            put_point(f, x, r->point[i]);
        else
            put_centroids(f, x, r->point[i]);
    }
    truth_free(&s->memory, &t);
    contact_list_free(&lines);
}

/* All tests have the same frames: rows found for one test are right for the others. */
static void right_rows(steps *s, const imp_frame *f, rows *r)
{
    enum { MOST = 4 * FRAMES };
    static struct {
        uint64_t frame, next;
        int candidates;
        double separation;
        rows of;
    } known[MOST];
    static size_t count;
    size_t i = 0;
    while (i < count &&
           !(known[i].frame == f->number && known[i].next == f[1].number &&
             known[i].candidates == s->candidates && known[i].separation == s->separation))
        i++;
    if (i == count) {
        CU_ASSERT_FATAL(count++ < MOST);
        known[i].frame = f->number;
        known[i].next = f[1].number;
        known[i].candidates = s->candidates;
        known[i].separation = s->separation;
        check_steps_find_rows(s, f, &known[i].of);
    }
    *r = known[i].of;
}

/* ---- faulty rows */

/* The first row from the middle on that is in contact at the start, or is not. */
static size_t check_steps_choose(const rows *r, int start)
{
    size_t i = start ? 0 : r->count / 2;
    while (((r->kind[i] & IMP_KIND_AT_START) != 0) != start)
        i++;
    CU_ASSERT_FATAL(i < r->count);
    return i;
}

static void move_rows(rows *r, size_t to, size_t from)
{
    const size_t n = r->count - (from > to ? from : to);
    memmove(r->a + to, r->a + from, n * sizeof *r->a);
    memmove(r->b + to, r->b + from, n * sizeof *r->b);
    memmove(r->kind + to, r->kind + from, n * sizeof *r->kind);
    memmove(r->toi + to, r->toi + from, n * sizeof *r->toi);
    memmove(r->point + to, r->point + from, n * sizeof *r->point);
    memmove(r->feature_a + to, r->feature_a + from, n * sizeof *r->feature_a);
    memmove(r->feature_b + to, r->feature_b + from, n * sizeof *r->feature_b);
    r->count = r->count + to - from;
}

static void copy_row(rows *r, size_t to, size_t from)
{
    r->a[to] = r->a[from];
    r->b[to] = r->b[from];
    r->kind[to] = r->kind[from];
    r->toi[to] = r->toi[from];
    memcpy(r->point[to], r->point[from], sizeof r->point[to]);
    r->feature_a[to] = r->feature_a[from];
    r->feature_b[to] = r->feature_b[from];
}

/* Duplicates row i. */
static void double_row(rows *r, size_t i)
{
    r->count++;
    move_rows(r, i + 1, i);
    r->count--;
}

/* a[0] and a[1]: the pair at fault. */
static void change_rows(rows *r, enum change how, uint32_t a[2])
{
    const size_t i =
        check_steps_choose(r, how == START_FEATURE || how == START_MOVED || how == NOT_START);
    const double p0 = r->point[i][0];
    a[0] = r->a[i];
    a[1] = r->b[i];
    switch (how) {
    case REMOVED:
        move_rows(r, i, i + 1);
        break;
    case ADDED: /* a pair without a contact, in its place in the order */
        double_row(r, i);
        r->a[i] = a[0] = 0;
        r->b[i] = a[1] = TRIANGLES - 1;
        r->toi[i] = nextafter(r->toi[i], 0);
        break;
    case TWICE:
        double_row(r, i);
        break;
    case SWAPPED:
        double_row(r, i);
        copy_row(r, i, i + 2);
        move_rows(r, i + 2, i + 3);
        break;
    case LATER:
        r->toi[i] = nextafter(r->toi[i], 2);
        break;
    case EARLIER:
        r->toi[i] = nextafter(r->toi[i], -1);
        break;
    case KIND:
        r->kind[i] ^= 1;
        break;
    case FEATURE:
        r->feature_a[i] = (r->feature_a[i] + 1) % 3;
        break;
    case START_FEATURE:
        r->feature_b[i] = 0;
        break;
    case MOVED:
        r->point[i][0] = r->point[i][3] = p0 + 1e-5;
        break;
    case APART:
        r->point[i][3] = p0 + 1e-5;
        break;
    case BEHIND:
        r->point[i][3] = nextafter(p0, -1e9);
        break;
    case ZERO:
        r->point[i][2] = r->point[i][5] = -0.0;
        break;
    case START_MOVED:
        r->point[i][0] -= 1e-5;
        break;
    case NOT_START:
        r->kind[i] &= 15;
        break;
    case NOTHING:
    case ONE_FACE:
    case ONE_EDGE:
    case CHANGES:
        break;
    }
}

/* Whether the boxes of these vertices overlap, each box over both frames. */
static int check_steps_boxes_overlap(const imp_frame *f, const int64_t *v, int n, const int64_t *w,
                                     int m)
{
    for (int k = 0; k < 3; k++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 2 * (n + m); i++) {
            const int second = i / 2 >= n;
            const double x = vertex(f + i % 2, second ? w[i / 2 - n] : v[i / 2])[k];
            lo[second] = fmin(lo[second], x);
            hi[second] = fmax(hi[second], x);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0])
            return 0;
    }
    return 1;
}

/* For a mesh without shared vertices: triangle a has 3 a and the next two. */
static void count_features(const imp_frame *f, imp_frame_info *info)
{
    for (int64_t i = 0; i < 3 * TRIANGLES; i++)
        for (int64_t j = 0; j < 3 * TRIANGLES; j++) {
            const int64_t a = i / 3, b = j / 3, face[3] = {3 * b, 3 * b + 1, 3 * b + 2};
            const int64_t e[2] = {i, 3 * a + (i + 1) % 3}, d[2] = {j, 3 * b + (j + 1) % 3};
            if (a != b && j % 3 == 0)
                info->candidates_vf += (uint64_t)check_steps_boxes_overlap(f, &i, 1, face, 3);
            if (a < b)
                info->candidates_ee += (uint64_t)check_steps_boxes_overlap(f, e, 2, d, 2);
        }
}

/* ---- writing */

static void check_steps_add_step(result *out, const steps *s, const rows *r, const result_step *of,
                                 size_t at)
{
    const int times = !s->candidates;
    const imp_contacts c = {.frame = at,
                            .count = r->count,
                            .a = r->a,
                            .b = r->b,
                            .kind = r->kind,
                            .points = r->point[0],
                            .toi = times ? r->toi : NULL,
                            .feature_a = times ? r->feature_a : NULL,
                            .feature_b = times ? r->feature_b : NULL};
    CU_ASSERT_FATAL(!result_add(out, &c, of));
}

static result *open_result(steps *s, const char *path)
{
    const imp_def def = {.continuous = 1,
                         .stage = s->candidates ? IMP_STAGE_CANDIDATES : IMP_STAGE_CONTACTS};
    result_provenance provenance = {
        .command = "impinge run", .device = "cpu", .input = s->path, .def = &def};
    result *out = NULL;
    char options[256], near[60] = "";
    if (s->said > 0)
        snprintf(near, sizeof near, " min-separation=%.17g", s->said);
    snprintf(
        options, sizeof options,
        "pairs=all adjacent=skip stage=%s on-bad=error dop=6 frames=%s continuous=1%s objects=id",
        s->candidates ? "candidates" : "contacts", s->back ? "3+4*-1" : "0+4*1", near);
    provenance.options = options;
    CU_ASSERT_FATAL(!file_hash(s->path, &provenance.input_bytes, &provenance.input_hash));
    CU_ASSERT_FATAL(!result_create(&s->memory, path, 1, &provenance, &out));
    return out;
}

static uint64_t count_candidates(steps *s, const imp_frame *f)
{
    const imp_def def = {.continuous = 1, .min_separation = s->said, .dop_k = 6};
    uint64_t count[2];
    CU_ASSERT_FATAL(!truth_bounds_count(&s->memory, f, f + 1, &def, 1, count));
    return count[0];
}

/* a: the pair at fault, in the step that begins with frame *frame. */
static const char *check_steps_write_result(steps *s, enum change how, uint32_t a[2],
                                            uint64_t *frame)
{
    static rows r;
    const char *path = at("result.vtkhdf");
    result *out = open_result(s, path);
    result_step of[FRAMES - 1];
    imp_frame_info info[FRAMES - 1] = {{0}};
    for (size_t k = 0; k < FRAMES - 1; k++) {
        const imp_frame *f = &s->block.frame[k];
        of[k] = (result_step){f->mesh, f->number, batch_frame_time(s->in, f->number),
                              batch_frame_time(s->in, f[1].number)};
        right_rows(s, f, &r);
        if (k == 1) {
            change_rows(&r, how, a);
            *frame = f->number;
        }
        info[k].contacts = r.count;
        info[k].candidates = count_candidates(s, f);
        count_features(f, &info[k]);
        info[k].candidates_vf += how == ONE_FACE && k == 1;
        info[k].candidates_ee -= how == ONE_EDGE && k == 1;
        check_steps_add_step(out, s, &r, &of[k], k);
    }
    CU_ASSERT_FATAL(!result_end_block(out, FRAMES - 1, of, info));
    CU_ASSERT_FATAL(!result_finish(out));
    return path;
}

static void steps_open(steps *s, int back, int candidates)
{
    make m = {0};
    make_moving(&m, FRAMES, TRIANGLES, 5);
    *s = (steps){.path = make_write(&m, "moving.vtkhdf"), .back = back, .candidates = candidates};
    make_free(&m);
    CU_ASSERT_FATAL(!batch_open(&s->memory, s->path, BATCH_OBJECT_ID, "", &s->in));
    CU_ASSERT_FATAL(!batch_read(s->in, back ? FRAMES - 1 : 0, back ? -1 : 1, FRAMES, &s->block));
}

static void steps_close(steps *s)
{
    batch_block_free(&s->block);
    batch_close(s->in);
}

/* ---- tests */

static void expect_right(const char *path, const char *in, const char *option, const char *value)
{
    ran r = RAN("check", path, "--input", in, option, value);
    EXPECT(ran_well(&r) && strstr(r.out, "none missing") && strstr(r.out, "step"), "%s", r.out);
    ran_free(&r);
}

static void test_right(void)
{
    for (int back = 0; back < 2; back++) {
        steps s;
        uint32_t a[2];
        uint64_t frame;
        steps_open(&s, back, 0);
        const char *path = check_steps_write_result(&s, NOTHING, a, &frame);
        expect_right(path, s.path, NULL, NULL);
        expect_right(path, s.path, "--frames", "1:2");
        expect_right(path, s.path, "--sample", "9");
        steps_close(&s);
    }
}

static void test_check_steps_wrong(void)
{
    static const char *const words[CHANGES] = {[REMOVED] = "is missing",
                                               [ADDED] = "does not meet",
                                               [TWICE] = "is there twice",
                                               [SWAPPED] = "is out of order",
                                               [LATER] = "meets at another time",
                                               [EARLIER] = "meets at another time",
                                               [KIND] = "has another kind",
                                               [FEATURE] = "has other features",
                                               [START_FEATURE] = "other features",
                                               [MOVED] = "a point is not on its feature",
                                               [APART] = "a point is not on its feature",
                                               [BEHIND] = "lexicographic order",
                                               [ZERO] = "a coordinate is -0",
                                               [START_MOVED] = "wrong points",
                                               [NOT_START] = "has another kind",
                                               [ONE_FACE] = "candidates_vf is",
                                               [ONE_EDGE] = "candidates_ee is"};
    for (int how = REMOVED; how < CHANGES; how++) {
        steps s;
        uint32_t a[2];
        uint64_t frame;
        char pair[64];
        steps_open(&s, how % 2, 0);
        const char *path = check_steps_write_result(&s, (enum change)how, a, &frame);
        const int n = snprintf(pair, sizeof pair, "step from frame %d: ", (int)frame);
        if (how < ONE_FACE)
            snprintf(pair + n, sizeof pair - (size_t)n, "pair %u %u ", a[0], a[1]);
        ran r = RAN("check", path, "--input", s.path);
        EXPECT(ran_failed(&r, 1, pair, words[how]), "^ change %d, %s", how, pair);
        ran_free(&r);
        steps_close(&s);
    }
}

/* Rows of a separation, with that separation or another one in the options. */
static void test_separation(void)
{
    static const struct {
        enum change how;
        double said;
        const char *word;
    } cases[] = {{NOTHING, 0.1, NULL},
                 {NOTHING, 0.15, "frame"},
                 {NOTHING, 0.05, "frame"},
                 {NOTHING, 0, "does not meet"},
                 {NOTHING, 0x1.999999999999bp-4, "meets at another time"}, /* the next number */
                 {LATER, 0.1, "meets at another time"},
                 {MOVED, 0.1, "a point is not on its feature"},
                 {START_MOVED, 0.1, "wrong points"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steps s;
        uint32_t a[2];
        uint64_t frame;
        steps_open(&s, (int)i % 2, 0);
        s.separation = 0.1;
        s.said = cases[i].said;
        const char *path = check_steps_write_result(&s, cases[i].how, a, &frame);
        ran r = RAN("check", path, "--input", s.path);
        EXPECT(cases[i].word ? ran_failed(&r, 1, cases[i].word, "pair") : ran_well(&r),
               "^ case %zu: %s", i, r.out);
        ran_free(&r);
        steps_close(&s);
    }
}

static void test_check_steps_candidates(void)
{
    static const struct {
        enum change how;
        const char *word;
    } cases[] = {{NOTHING, NULL},           {REMOVED, "is missing"},    {TWICE, "is there twice"},
                 {SWAPPED, NULL},           {KIND, "has another kind"}, {MOVED, "has wrong points"},
                 {ADDED, "is out of order"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steps s;
        uint32_t a[2];
        uint64_t frame;
        steps_open(&s, 0, 1);
        const char *path = check_steps_write_result(&s, cases[i].how, a, &frame);
        ran r = RAN("check", path, "--input", s.path);
        EXPECT(i ? ran_failed(&r, 1, "frame 1: pair", cases[i].word) : ran_well(&r),
               "^ case %zu: %s", i, r.out);
        ran_free(&r);
        steps_close(&s);
    }
}

/* The program's numbers of candidates where primitives share vertices, and rules exclude pairs of
 * objects. */
static void check_steps_counts(const char *in, int several)
{
    static const char *const options[][2] = {
        {NULL}, {"--pairs", "self"}, {"--adjacent", "test"}, {"--pairs", "between"}};
    const size_t n = several ? 4 : 3; /* a single object has no pair between objects */
    const char *out = at("counts.vtkhdf");
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        ran r = RAN("run", in, "-o", out, "--force", "-q", "--continuous", "--device", "cpu",
                    options[i][0], options[i][1]);
        EXPECT(ran_well(&r), "^ run %s", in);
        ran_free(&r);
        expect_right(out, in, NULL, NULL);
        const double faces = h5_peek(out, "impinge/candidates_vf", 0);
        h5_poke(out, "impinge/candidates_vf", 0, faces + 1);
        all += faces;
        r = RAN("check", out, "--input", in, "--frames", "0:1");
        EXPECT(ran_failed(&r, 1, "candidates_vf is", NULL), "^ one more");
        ran_free(&r);
    }
    EXPECT(all > 100, "%s: %g candidates", in, all);
}

static void test_check_steps_counts(void)
{
    static const char *const scenes[] = {"scan", "tissue-fold"};
    make m = {.unstructured = 1, .cells = {{.name = "ObjectId"}}};
    make_moving_mixed(&m, 2, 40, 6);
    for (int i = 0; i < 40; i++)
        make_add(&m.cells[0].value, i / 3 % 2);
    check_steps_counts(make_write(&m, "mixed.vtkhdf"), 1);
    make_free(&m);
    for (size_t i = 0; i < 2; i++) {
        const char *in = at(scenes[i]);
        ran r = RAN("generate", scenes[i], "-n", "100", "--frames", "2", "-o", in, "-q");
        EXPECT(ran_well(&r), "^ generate %s", scenes[i]);
        ran_free(&r);
        check_steps_counts(in, i == 0);
    }
}

/* ---- times of steps */

/* Times of contacts have one definition, for any times of frames. */
static void test_check_steps_times(void)
{
    static const double times[][FRAMES] = {{0, 0x1p-1074, 0x3p-1074, 0x1p-1070},
                                           {0x1p-1074, 0x1p-1022, 0x1.8p-1022, 0x1p-1000},
                                           {-1.7e308, 1.7e308, -0.1, 0},
                                           {1e9, 1e9, 0x1.0000000000001p30, -1e-9},
                                           {0.1, 0.7, 0.3, 0.2}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        make m = {0};
        make_moving(&m, FRAMES, TRIANGLES, 5);
        for (size_t f = 0; f < FRAMES; f++)
            m.time.value[f] = times[i][f];
        const char *in = make_write(&m, "times.vtkhdf"), *out = at("out.vtkhdf");
        make_free(&m);
        ran r = RAN("run", in, "-o", out, "--force", "--continuous", "-q");
        EXPECT(ran_well(&r), "^ times %zu", i);
        ran_free(&r);
        expect_right(out, in, NULL, NULL);
    }
}

/* ---- primitives with a repeated vertex */

/* Triangles, every third of them replaced by a tetrahedron if `solids`, with corners drawn from few
 * vertices. */
static const char *repeats_batch(rng *r, int solids)
{
    make m = {.unstructured = solids};
    int64_t ids[4 * 14], types[14];
    double point[3 * 9];
    size_t used = 0;
    for (int i = 0; i < 14; i++) {
        types[i] = solids && i % 3 == 1 ? 10 : 5;
        for (int k = 0; k < (types[i] == 10 ? 4 : 3); k++)
            ids[used++] = rng_below(r, 9);
    }
    make_part_of(&m, 9, 14, types, ids);
    for (int f = 0; f < 3; f++) {
        make_step(&m, f, 0, 1, (int64_t)m.points.count / 3, 0, 0);
        for (int i = 0; i < 27; i++)
            point[i] = rng_below(r, 4);
        make_points(&m, 9, point);
    }
    const char *path = make_write(&m, "repeats.vtkhdf");
    make_free(&m);
    return path;
}

/* run and check have the same definition of features. */
static void test_check_steps_repeats(void)
{
    size_t later = 0;
    for (uint64_t i = 0; i < test_cases(30); i++) {
        rng r = {i};
        const char *in = repeats_batch(&r, i % 2);
        ran run = RAN("run", in, "-o", at("out.vtkhdf"), "--force", "--continuous", "--adjacent",
                      "test", "--json");
        ran check = RAN("check", at("out.vtkhdf"), "--input", in);
        later += strstr(run.out, "\"edge-edge\"") || strstr(run.out, "\"vertex-face\"");
        EXPECT(!run.code && !check.code, "seed %llu: %s%s", (unsigned long long)i, run.err,
               check.err);
        ran_free(&run);
        ran_free(&check);
    }
    EXPECT(later > 0, "nothing meets on its way");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"right", test_right},
                                 {"wrong", test_check_steps_wrong},
                                 {"separation", test_separation},
                                 {"candidates", test_check_steps_candidates},
                                 {"counts", test_check_steps_counts},
                                 {"times", test_check_steps_times},
                                 {"repeats", test_check_steps_repeats},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "check_steps", tests);
}
