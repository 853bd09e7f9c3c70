/* What `run` prints at its end, and the same figures in its JSON: counted again from the rows of
 * the result. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "json_read.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MOST = 16 };

typedef struct pair_sum {
    int64_t a, b;
    size_t count;
    int64_t begin, end; /* frames of the input, in the order of the result */
} pair_sum;

static int pair_order(const void *p, const void *q)
{
    const pair_sum *x = p, *y = q;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* The pairs of objects of some rows, those with the most rows first. */
static size_t sum_pairs(const rows *r, pair_sum out[PAIRS_MOST])
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        const int64_t a = r->oa[i] < r->ob[i] ? r->oa[i] : r->ob[i],
                      b = r->oa[i] < r->ob[i] ? r->ob[i] : r->oa[i];
        const int64_t frame = r->input_frame[r->frame[i]];
        size_t k = 0;
        while (k < n && (out[k].a != a || out[k].b != b))
            k++;
        CU_ASSERT_FATAL(k < PAIRS_MOST);
        if (k == n)
            out[n++] = (pair_sum){a, b, 0, frame, frame};
        out[k].count++;
        out[k].end = frame;
    }
    qsort(out, n, sizeof *out, pair_order);
    return n;
}

/* The frames with rows, and those with the most. */
typedef struct frame_sum {
    size_t with;
    int64_t first, last, most, most_frame;
} frame_sum;

static frame_sum sum_frames(const rows *r)
{
    frame_sum s = {0, -1, -1, 0, -1};
    for (size_t f = 0; f < r->frames; f++) {
        if (!r->contacts[f])
            continue;
        s.first = s.with++ ? s.first : r->input_frame[f];
        s.last = r->input_frame[f];
        s.most_frame = r->contacts[f] > s.most ? r->input_frame[f] : s.most_frame;
        s.most = r->contacts[f] > s.most ? r->contacts[f] : s.most;
    }
    return s;
}

static double count_events(const char *result)
{
    ran r = RAN("events", result, "--json");
    EXPECT(ran_well(&r), "^ events");
    const double n = json_number(r.out, "events_all");
    ran_free(&r);
    return n;
}

static void check_summary_text(const char *text, const char *result, const char *word)
{
    rows r = read_rows(result);
    const frame_sum s = sum_frames(&r);
    pair_sum pair[PAIRS_MOST];
    char line[200], numbers[100] = "in frame";
    const size_t n = sum_pairs(&r, pair);
    const char *before = text;
    snprintf(line, sizeof line, "%zu contacts in %zu of %zu %ss, %lld to %lld; at most %lld, in ",
             r.count, s.with, r.frames, word, (long long)s.first, (long long)s.last,
             (long long)s.most);
    EXPECT(strstr(text, line), "no '%s': %s", line, text);
    snprintf(line, sizeof line, "frame %lld\n", (long long)s.most_frame);
    EXPECT(strstr(text, line), "no '%s': %s", line, text);
    for (size_t i = 0; i < n && i < 10; i++) {
        if (pair[i].begin == pair[i].end)
            snprintf(numbers, sizeof numbers, " %lld", (long long)pair[i].begin);
        else
            snprintf(numbers, sizeof numbers, "s %lld to %lld", (long long)pair[i].begin,
                     (long long)pair[i].end);
        if (pair[i].a == pair[i].b)
            snprintf(line, sizeof line, "\nwithin %lld: %zu in frame%s", (long long)pair[i].a,
                     pair[i].count, numbers);
        else
            snprintf(line, sizeof line, "\nbetween %lld and %lld: %zu in frame%s",
                     (long long)pair[i].a, (long long)pair[i].b, pair[i].count, numbers);
        const char *at = strstr(text, line);
        EXPECT(at && at > before, "no '%s', or not there: %s", line, text);
        before = at ? at : before;
    }
    snprintf(line, sizeof line, "\n%g events; impinge events %s lists them\n", count_events(result),
             result);
    EXPECT(n > 2 && strstr(text, line), "no '%s': %s", line, text);
    EXPECT(!strstr(text, "candidates") && !strstr(text, "exact"), "%s", text);
    free_rows(&r);
}

static void check_summary_json(const char *json, const char *result)
{
    rows r = read_rows(result);
    const frame_sum s = sum_frames(&r);
    pair_sum pair[PAIRS_MOST];
    const size_t n = sum_pairs(&r, pair);
    EXPECT(json_number(json, "first_frame") == (double)s.first &&
               json_number(json, "last_frame") == (double)s.last &&
               json_number(json, "contacts_most") == (double)s.most &&
               json_number(json, "most_frame") == (double)s.most_frame,
           "%s", json);
    EXPECT(json_number(json, "events") == count_events(result), "%s", json);
    for (size_t i = 0, found = 0; i < n; i++, found = 0) {
        for (size_t k = 0; k < n; k++) {
            char name[60];
            const char *const key[] = {"a", "b", "contacts", "first_frame", "last_frame"};
            const double want[] = {(double)pair[i].a, (double)pair[i].b, (double)pair[i].count,
                                   (double)pair[i].begin, (double)pair[i].end};
            size_t same = 0;
            for (int m = 0; m < 5; m++) {
                snprintf(name, sizeof name, "object_pairs.%zu.%s", k, key[m]);
                same += json_number(json, name) == want[m];
            }
            found += same == 5;
        }
        EXPECT(found == 1, "objects %lld %lld: %s", (long long)pair[i].a, (long long)pair[i].b,
               json);
    }
    free_rows(&r);
}

/* Frames, steps, frames in the reverse order; in slabs; continued. */
static void test_summary_counts(void)
{
    static const char *const ways[][3] = {{"--progress=never", "-v", "frame"},
                                          {"--continuous", "-v", "step"},
                                          {"--frames", "::-1", "frame"},
                                          {"--space", "3", "frame"},
                                          {"--adjacent", "test", "frame"}};
    const char *in = make_batch(), *out = at("out.vtkhdf"), *json = at("run.json");
    char option[200];
    snprintf(option, sizeof option, "--json=%s", json);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        ran r = RAN("run", in, "-o", out, CPU, "--force", ways[i][0], ways[i][1], option);
        EXPECT(r.code == 0, "^ %s: %s", ways[i][0], r.err);
        check_summary_text(r.out, out, ways[i][2]);
        EXPECT(!strstr(ways[i][1], "-v") ||
                   (strstr(r.err, " candidates, ") && strstr(r.err, "exact arithmetic")),
               "%s", r.err);
        ran_free(&r);
        char *text = file_text(json, NULL);
        check_summary_json(text, out);
        free(text);
    }
    ran r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--frames", "::2");
    EXPECT(ran_well(&r) && !*r.out, "^ -q");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--resume", "--frames", "::2");
    EXPECT(r.code == 0 && strstr(r.out, "was complete already"), "^ resumed");
    check_summary_text(r.out, out, "frame");
    ran_free(&r);
}

/* Tetrahedra: the greatest depth of a folded slab, and the first frame that has it. */
static void test_summary_depth(void)
{
    const char *in = at("tissue.vtkhdf"), *out = at("out.vtkhdf");
    ran r = RAN("generate", "tissue-fold", "-n", "2000", "--frames", "6", "--set", "begin=40", "-o",
                in, "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--json");
    EXPECT(ran_well(&r), "^ run");
    size_t n;
    double *depth = h5_reals(out, "VTKHDF/CellData/Depth", &n), most = 0;
    rows all = read_rows(out);
    int64_t frame = -1;
    for (size_t i = 0; i < n; i++) {
        frame = depth[i] > most ? all.input_frame[all.frame[i]] : frame;
        most = depth[i] > most ? depth[i] : most;
    }
    EXPECT(most > 0 && json_number(r.out, "greatest_depth") == most &&
               json_number(r.out, "greatest_depth_frame") == (double)frame,
           "%g in %lld of %zu: %s", most, (long long)frame, n, r.out);
    ran_free(&r);
    char line[100];
    snprintf(line, sizeof line, "depth up to %.9g in frame %lld\n", most, (long long)frame);
    r = RAN("run", in, "-o", out, CPU, "--force");
    EXPECT(strstr(r.out, line), "no '%s': %s", line, r.out);
    ran_free(&r);
    free(depth);
    free_rows(&all);
}

/* Contacts of a single frame, and rows that are no contacts. */
static void test_summary_other(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    char line[100], slice[60];
    RUN_WITH(in, "-q");
    rows all = read_rows(out);
    const frame_sum s = sum_frames(&all);
    free_rows(&all);
    snprintf(slice, sizeof slice, "%lld:%lld", (long long)s.most_frame,
             (long long)s.most_frame + 1);
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--frames", slice);
    snprintf(line, sizeof line, "\n%lld contacts in frame %lld\n", (long long)s.most,
             (long long)s.most_frame);
    EXPECT(ran_well(&r) && strstr(r.out, line), "no '%s': %s", line, r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--pairs", "between", "--distance", "0.1");
    EXPECT(r.code == 0 && strstr(r.out, "\nleast distance ") && !strstr(r.out, "event"), "%s",
           r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--stage", "candidates", "--json");
    EXPECT(ran_well(&r) && !json_at(r.out, "events"), "%s", r.out);
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"counts", test_summary_counts},
                                 {"depth", test_summary_depth},
                                 {"other", test_summary_other},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "summary", tests);
}
