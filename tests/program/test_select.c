/* The selections of `run`: frames, as Python slices, and pairs of objects. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- selections of frames, as in Python */

/* slice(a, b, c).indices(n), after PySlice_AdjustIndices; `has` tells which of the three are given
 */
static size_t python_slice(const int64_t v[3], const int has[3], int64_t n, int64_t *out)
{
    int64_t step = has[2] ? v[2] : 1, low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    int64_t bound[2] = {step < 0 ? high : low, step < 0 ? low : high};
    size_t count = 0;
    for (int i = 0; i < 2; i++)
        if (has[i]) {
            int64_t x = v[i] < 0 ? v[i] + n : v[i];
            bound[i] = x < low ? low : x > high ? high : x;
        }
    for (int64_t f = bound[0]; step > 0 ? f < bound[1] : f > bound[1]; f += step)
        out[count++] = f;
    return count;
}

static void check_select_slice(const char *in, const char *text, const int64_t *want, size_t n)
{
    size_t have;
    const char *out = at("slice.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--frames", text);
    if (!n)
        EXPECT(ran_failed(&r, 2, "--frames", "0 to 8"), "^ --frames %s", text);
    else
        EXPECT(ran_well(&r), "^ --frames %s", text);
    if (r.code == 0) {
        int64_t *frame = h5_ints(out, "impinge/input_frame", &have);
        double *time = h5_reals(out, "VTKHDF/Steps/Values", &have);
        EXPECT(have == n, "--frames %s: %zu frames, not %zu", text, have, n);
        for (size_t i = 0; i < n && i < have; i++)
            EXPECT(frame[i] == want[i] && time[i] == 0.5 * (double)want[i],
                   "--frames %s: frame %zu is %lld at %g, not %lld", text, i, (long long)frame[i],
                   time[i], (long long)want[i]);
        free(frame);
        free(time);
    }
    ran_free(&r);
}

static void slice_text(const int64_t v[3], const int has[3], char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < 3; i++) {
        if (i < 2 || has[2])
            n += (size_t)snprintf(out + n, size - n, "%s", i ? ":" : "");
        if (has[i])
            n += (size_t)snprintf(out + n, size - n, "%lld", (long long)v[i]);
    }
}

static void test_select_slices(void)
{
    static const struct {
        int64_t v[3];
        int has[3];
    } list[] = {
        {{0}, {0, 0, 0}},
        {{0, 3}, {0, 1, 0}},
        {{-3}, {1, 0, 0}},
        {{2, 7, 2}, {1, 1, 1}},
        {{0, 0, -1}, {0, 0, 1}},
        {{7, 2, -2}, {1, 1, 1}},
        {{-2, -8, -3}, {1, 1, 1}},
        {{5, 5}, {1, 1, 0}},
        {{8, 2}, {1, 1, 0}},
        {{100}, {1, 0, 0}},
        {{-100, 100}, {1, 1, 0}},
        {{0, 0, 100}, {0, 0, 1}},
        {{100, -100, -100}, {1, 1, 1}},
        {{3, 4}, {1, 1, 0}},
        {{-1000000000000, 1000000000000, 7}, {1, 1, 1}},
        {{0, 0, INT64_MAX}, {0, 0, 1}},
        {{0, 0, INT64_MIN + 1}, {0, 0, 1}},
    };
    const char *in = make_batch();
    int64_t want[FRAMES];
    char text[100];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        slice_text(list[i].v, list[i].has, text, sizeof text);
        int64_t v[3] = {list[i].v[0], list[i].v[1], list[i].v[2]};
        if (v[2] > 1000 || v[2] < -1000) /* the same, without overflow in the reference */
            v[2] = v[2] > 0 ? 1000 : -1000;
        check_select_slice(in, text, want, python_slice(v, list[i].has, FRAMES, want));
    }
}

static void test_random_slices(void)
{
    const char *in = make_batch();
    rng r = {31};
    for (uint64_t k = 0; k < test_count(25); k++) {
        int64_t v[3], want[FRAMES];
        int has[3];
        char text[100];
        for (int i = 0; i < 3; i++) {
            v[i] = (int64_t)rng_below(&r, 29) - 14;
            has[i] = rng_below(&r, 4) > 0;
        }
        v[2] = v[2] ? v[2] : 1;
        slice_text(v, has, text, sizeof text);
        check_select_slice(in, text, want, python_slice(v, has, FRAMES, want));
    }
}

/* A single number is that frame alone, counted from the end if it is negative, in every verb. */
static void test_select_one_frame(void)
{
    const char *in = make_batch(), *out = at("slice.vtkhdf");
    static const int64_t given[] = {0, 3, FRAMES - 1, -1, -FRAMES, FRAMES, -FRAMES - 1, 1000};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const int64_t one = given[i] < 0 ? given[i] + FRAMES : given[i];
        char text[30];
        snprintf(text, sizeof text, "%lld", (long long)given[i]);
        check_select_slice(in, text, &one, one >= 0 && one < FRAMES);
    }
    RUN_WITH(in, "--frames", "2:5");
    ran r = RAN("info", in, "--frames", "-1", "--json");
    EXPECT(ran_well(&r) && json_number(r.out, "frame_table.0.frame") == FRAMES - 1 &&
               isnan(json_number(r.out, "frame_table.1.frame")),
           "^ info: %s", r.out);
    ran_free(&r);
    r = RAN("check", at("out.vtkhdf"), "--input", in, "--frames", "1");
    EXPECT(ran_well(&r) && strstr(r.out, "1 frame"), "^ check: %s", r.out);
    ran_free(&r);
    r = RAN("check", at("out.vtkhdf"), "--input", in, "--frames", "3");
    EXPECT(ran_failed(&r, 2, "--frames: '3' selects none of the 3 frames", NULL), "^ check");
    ran_free(&r);
    r = RAN("bench", in, "--reps", "1", "--frames", "3", "--json");
    EXPECT(ran_well(&r) && json_number(r.out, "frames") == 1, "^ bench: %s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, "--force", CPU, "--continuous", "--frames", "3");
    EXPECT(r.code == 0 && strstr(r.err, "warning"), "^ one frame has no step: %s", r.err);
    ran_free(&r);
}

/* A frame has the same rows in any order of the selection. */
static void test_slice_rows(void)
{
    const char *in = make_batch();
    RUN_WITH(in, "--frames", ":");
    rows all = read_rows(at("out.vtkhdf"));
    RUN_WITH(in, "--frames", "::-2", "--block", "2");
    rows some = read_rows(at("out.vtkhdf"));
    EXPECT(some.count > 10, "%zu rows", some.count);
    for (size_t i = 0; i < some.count; i++) {
        size_t k = 0;
        int64_t f = some.input_frame[some.frame[i]];
        while (k < all.count && (all.input_frame[all.frame[k]] != f || all.a[k] != some.a[i] ||
                                 all.b[k] != some.b[i]))
            k++;
        EXPECT(k < all.count && !memcmp(all.point + 6 * k, some.point + 6 * i, 48) &&
                   all.kind[k] == some.kind[i],
               "frame %lld: pair %lld %lld", (long long)f, (long long)some.a[i],
               (long long)some.b[i]);
    }
    free_rows(&all);
    free_rows(&some);
}

/* ---- pairs of objects */

/* The rows of `all` that a rule keeps must be those of at("out.vtkhdf"). */
typedef int keep(int64_t a, int64_t b);

static void check_kept(const rows *all, keep *rule, const char *about)
{
    rows some = read_rows(at("out.vtkhdf"));
    size_t n = 0, wrong = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!rule(all->oa[i], all->ob[i]))
            continue;
        wrong += n >= some.count || some.frame[n] != all->frame[i] || some.a[n] != all->a[i] ||
                 some.b[n] != all->b[i] || some.oa[n] != all->oa[i] || some.ob[n] != all->ob[i] ||
                 memcmp(some.point + 6 * n, all->point + 6 * i, 48);
        n++;
    }
    EXPECT(n == some.count && !wrong, "%s: %zu rows, not %zu; %zu differ", about, some.count, n,
           wrong);
    free_rows(&some);
}

static int select_keep_all(int64_t a, int64_t b)
{
    (void)a;
    (void)b;
    return 1;
}

static int keep_self(int64_t a, int64_t b)
{
    return a == b;
}

static int keep_between(int64_t a, int64_t b)
{
    return a != b;
}

static int is_pair(int64_t a, int64_t b, int64_t x, int64_t y)
{
    return (a == x && b == y) || (a == y && b == x);
}

static int keep_listed(int64_t a, int64_t b)
{
    return is_pair(a, b, 5, -2) || is_pair(a, b, -9, -9);
}

static int keep_others(int64_t a, int64_t b)
{
    return !keep_listed(a, b);
}

static int keep_one(int64_t a, int64_t b)
{
    return is_pair(a, b, 5, -2);
}

static void test_select_pairs(void)
{
    const char *in = make_batch();
    static const struct {
        const char *word;
        keep *rule;
    } list[] = {{"all", select_keep_all}, {"self", keep_self}, {"between", keep_between}};
    RUN_WITH(in, "--pairs", "all");
    rows all = read_rows(at("out.vtkhdf"));
    size_t objects[2] = {0, 0};
    for (size_t i = 0; i < all.count; i++) {
        objects[all.oa[i] != all.ob[i]]++;
        EXPECT(all.oa[i] == 5 - all.a[i] / 2 % 3 * 7 && all.ob[i] == 5 - all.b[i] / 2 % 3 * 7,
               "row %zu: objects %lld, %lld", i, (long long)all.oa[i], (long long)all.ob[i]);
    }
    EXPECT(objects[0] > 5 && objects[1] > 5, "%zu and %zu rows", objects[0], objects[1]);
    for (int i = 0; i < 3; i++) {
        RUN_WITH(in, "--pairs", list[i].word);
        check_kept(&all, list[i].rule, list[i].word);
    }
    free_rows(&all);
}

static void test_object_pairs(void)
{
    static const struct {
        const char *text;
        keep *rule;
        int minus; /* the file's name begins with a minus */
    } list[] = {
        {"5 -2\n-9 -9\n", keep_listed, 0},
        {"# all\n\n  -2\t5 # and\n-9,-9\r\n-2 5\n", keep_listed, 0},
        {"5 -2\n-9 -9", keep_others, 1},
        {"- 5 -2\n- -9 -9\n", keep_others, 0},
        {"5 -2\n-9 -9\n- -9 -9\n", keep_one, 0},
        {"", select_keep_all, 1},
    };
    const char *in = make_batch(), *file = at("pairs.txt");
    char minus[600];
    snprintf(minus, sizeof minus, "-%s", file);
    run_with(in, NULL);
    rows all = read_rows(at("out.vtkhdf"));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        write_text(file, list[i].text);
        RUN_WITH(in, "--object-pairs", list[i].minus ? minus : file);
        check_kept(&all, list[i].rule, list[i].text);
        ran r = RAN("check", at("out.vtkhdf"), "--input", in, "-q");
        EXPECT(ran_well(&r), "^ check with pairs %s", list[i].text);
        ran_free(&r);
    }
    free_rows(&all);
}

static void test_select_objects(void)
{
    const char *in = make_batch();
    RUN_WITH(in, "--objects", "array:Part");
    rows r = read_rows(at("out.vtkhdf"));
    for (size_t i = 0; i < r.count; i++)
        EXPECT(r.oa[i] == r.a[i] / 10 && r.ob[i] == r.b[i] / 10, "row %zu: objects %lld %lld", i,
               (long long)r.oa[i], (long long)r.ob[i]);
    free_rows(&r);
    RUN_WITH(in, "--objects", "connected");
    r = read_rows(at("out.vtkhdf"));
    for (size_t i = 0; i < r.count; i++) /* no two triangles share a vertex */
        EXPECT(r.oa[i] == r.a[i] && r.ob[i] == r.b[i], "row %zu: objects %lld %lld", i,
               (long long)r.oa[i], (long long)r.ob[i]);
    free_rows(&r);
}
int main(int argc, char **argv)
{
    static const test tests[] = {
        {"slices", test_select_slices},       {"random_slices", test_random_slices},
        {"one_frame", test_select_one_frame}, {"slice_rows", test_slice_rows},
        {"pairs", test_select_pairs},         {"object_pairs", test_object_pairs},
        {"objects", test_select_objects},     {0},
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "select", tests);
}
