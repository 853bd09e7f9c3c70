/* run and bench --continuous: every division of the steps into blocks gives the same result; each
 * step equals a run of its two frames alone; a stopped run can be resumed; sums, first contacts,
 * --baseline and candidates agree with the rows. Rows are only compared with each other here;
 * other tests show that they are right. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "json_read.h"
#include "run_rows.h"
#include "store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS (FRAMES - 1)

/* A batch of triangles, or of triangles and tetrahedra. */
static const char *continuous_moving(int solids)
{
    make m = {.unstructured = solids};
    if (solids)
        make_moving_mixed(&m, FRAMES, TRIANGLES, 7);
    else
        make_moving(&m, FRAMES, TRIANGLES, 7);
    const char *path = make_write(&m, "solids.vtkhdf");
    make_free(&m);
    return path;
}

static void check_continuous_same(const char *a, const char *b, const char *how)
{
    const char *what = h5_same(a, b, "VTKHDF");
    EXPECT(!what, "%s: %s", how, what);
}

/* ---- blocks */

static void check_continuous_blocks(const char *in)
{
    static const char *const blocks[] = {"1", "2", "3", "100"};
    static const char *const limits[] = {"4M", "30M", "2G"};
    const char *whole = at("whole.vtkhdf"), *out = at("out.vtkhdf");
    RUN_STEPS(in, whole, NULL);
    rows r = read_rows(whole);
    EXPECT(r.frames == STEPS && r.count > 20 && r.toi, "%zu steps, %zu rows", r.frames, r.count);
    for (size_t k = 0; k < r.frames; k++)
        CU_ASSERT(r.input_frame[k] == (int64_t)k);
    free_rows(&r);
    for (size_t b = 0; b < 4; b += TEST_SANITIZED ? 3 : 1)
        for (size_t m = 0; m < 3; m++) {
            RUN_STEPS(in, out, "--block", blocks[b], "--mem-limit", limits[m]);
            check_continuous_same(whole, out, blocks[b]);
        }
}

static void test_continuous_blocks(void)
{
    check_continuous_blocks(make_batch());
    check_continuous_blocks(continuous_moving(1));
}

/* Whether rows [first, ...) of x are all the rows of y. */
static int rows_same(const rows *x, size_t first, const rows *y)
{
    for (size_t i = 0; i < y->count; i++)
        if (x->a[first + i] != y->a[i] || x->b[first + i] != y->b[i] ||
            x->kind[first + i] != y->kind[i] || x->toi[first + i] != y->toi[i] ||
            x->time[first + i] != y->time[i] ||
            memcmp(x->point + 6 * (first + i), y->point + 6 * i, 6 * sizeof(double)) != 0)
            return 0;
    return 1;
}

/* The steps of a slice against runs of each pair of its frames; times lie between those of both. */
static void check_continuous_slice(const char *in, const char *slice, int64_t from, int64_t stride,
                                   size_t steps)
{
    const char *all = at("slice.vtkhdf"), *one = at("one.vtkhdf");
    size_t first = 0;
    RUN_STEPS(in, all, "--frames", slice, "--block", "2");
    rows r = read_rows(all);
    EXPECT(r.frames == steps, "%s: %zu steps", slice, r.frames);
    for (size_t k = 0; k < r.frames; k++) {
        const int64_t f = from + (int64_t)k * stride, end = f + 2 * stride;
        char two[60];
        if (end < 0)
            snprintf(two, sizeof two, "%lld::%lld", (long long)f, (long long)stride);
        else
            snprintf(two, sizeof two, "%lld:%lld:%lld", (long long)f, (long long)end,
                     (long long)stride);
        RUN_STEPS(in, one, "--frames", two);
        rows s = read_rows(one);
        EXPECT(r.input_frame[k] == f && s.frames == 1 && r.contacts[k] == (int64_t)s.count &&
                   rows_same(&r, first, &s),
               "%s: step %zu is not that of %s", slice, k, two);
        first += s.count;
        free_rows(&s);
    }
    free_rows(&r);
}

static void test_continuous_slices(void)
{
    const char *in = make_batch();
    check_continuous_slice(in, ":", 0, 1, STEPS);
    check_continuous_slice(in, "::-1", FRAMES - 1, -1, STEPS);
    check_continuous_slice(in, "1::3", 1, 3, 2);
    check_continuous_slice(in, "-2::-3", FRAMES - 2, -3, 2);
}

/* The time of each row, from the values of the two frames. */
static void test_continuous_times(void)
{
    const char *in = make_batch(), *out = at("times.vtkhdf");
    size_t n, wrong = 0;
    double *value = h5_reals(in, "VTKHDF/Steps/Values", &n);
    RUN_STEPS(in, out, "--frames", "::-2");
    rows r = read_rows(out);
    for (size_t i = 0; i < r.count; i++) {
        const size_t f = (size_t)r.input_frame[r.frame[i]];
        const double v = value[f], w = value[f - 2], t = v + r.toi[i] * (w - v);
        wrong += r.time[i] != fmin(fmax(t, fmin(v, w)), fmax(v, w));
    }
    EXPECT(!wrong && r.count > 10, "%zu of %zu times are wrong", wrong, r.count);
    free_rows(&r);
    free(value);
}

/* ---- meshes and bodies */

/* Each frame stores its own cells, which are equal: they count as one mesh. */
static void test_own_meshes(void)
{
    const char *in = make_batch(), *one = at("one_mesh.vtkhdf"), *out = at("own_mesh.vtkhdf");
    RUN_STEPS(in, one, NULL);
    make m = {.cells = {{.name = "ObjectId"}, {.name = "SourceId"}}};
    int64_t corner[3 * TRIANGLES];
    size_t n, at_point = 0;
    double *point = h5_reals(in, "VTKHDF/Points", &n);
    double *value = h5_reals(in, "VTKHDF/Steps/Values", &n);
    for (int64_t i = 0; i < 3 * TRIANGLES; i++)
        corner[i] = i;
    for (size_t f = 0; f < FRAMES; f++) {
        make_part(&m, 3 * TRIANGLES, TRIANGLES, corner);
        make_step_next(&m, value[f], 1);
        make_points(&m, 3 * TRIANGLES, point + at_point);
        at_point += 9 * TRIANGLES;
        for (int64_t i = 0; i < TRIANGLES; i++) {
            make_add(&m.cells[0].value, 5 - i / 2 % 3 * 7);
            make_add(&m.cells[1].value, source_id(i));
        }
    }
    RUN_STEPS(make_write(&m, "own.vtkhdf"), out, "--block", "2");
    check_continuous_same(one, out, "cells of each frame");
    make_free(&m);
    free(point);
    free(value);
}

/* A frame that is not selected may have another mesh, for the run and for `check`. */
static void test_other_frames(void)
{
    make m = {0};
    rng r = {6};
    const char *out = at("others.vtkhdf");
    int64_t corner[3 * TRIANGLES];
    for (int64_t i = 0; i < 3 * TRIANGLES; i++)
        corner[i] = i;
    for (size_t f = 0; f < 4; f++) {
        make_part(&m, 3 * TRIANGLES, TRIANGLES - (f == 2), corner);
        make_step_next(&m, (double)f, 1);
        make_random_points(&m, 3 * TRIANGLES, &r);
    }
    const char *in = make_write(&m, "others.in.vtkhdf");
    make_free(&m);
    RUN_STEPS(in, out, "--frames", "3::-2", NULL);
    RUN_STEPS(in, out, "--frames", ":2", NULL);
    ran c = RAN("check", out, "--input", in);
    EXPECT(!strstr(c.err, "different meshes"), "%s", c.err);
    ran_free(&c);
}

/* Two rigid bodies that move without rotating: the same result as without poses. */
static void test_continuous_bodies(void)
{
    enum { BODIES = 2, TRI = 4 };
    static const uint32_t corner[3 * TRI] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    static const int32_t object[TRI] = {1, 1, 2, 2}, body[BODIES] = {1, 2};
    static const double rest[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                                  0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    imp_mesh mesh = {.vertices = 8,
                     .primitives = TRI,
                     .corner = corner,
                     .object = object,
                     .bodies = BODIES,
                     .body = body,
                     .rest = rest};
    const char *const path[] = {at("posed.vtkhdf"), at("unposed.vtkhdf")};
    mem memory = {0};
    for (int poses = 0; poses < 2; poses++) {
        batch_writer *w = NULL;
        const batch_def def = {.force = 1, .objects = 1, .bodies = !poses};
        CU_ASSERT_FATAL(!batch_create(&memory, path[poses], &def, &w));
        for (int f = 0; f < 4; f++) {
            imp_pose pose[BODIES] = {{.rotation = {1}},
                                     {.centre = {0.25, 0.25, 2.0 - f}, .rotation = {1}}};
            double point[24];
            for (int i = 0; i < 24; i++)
                point[i] = rest[i] + pose[i / 12].centre[i % 3];
            const imp_frame frame = {&mesh, point, IMP_FLOAT64, (uint64_t)f, poses ? NULL : pose};
            CU_ASSERT_FATAL(!batch_append(w, &frame, NULL, f));
        }
        CU_ASSERT_FATAL(!batch_finish(w));
        RUN_STEPS(path[poses], poses ? at("without.vtkhdf") : at("with.vtkhdf"), "--block", "1");
    }
    check_continuous_same(at("with.vtkhdf"), at("without.vtkhdf"), "poses");
    rows r = read_rows(at("with.vtkhdf"));
    EXPECT(r.count > 0, "no contact");
    free_rows(&r);
}

/* ---- resuming */

/* A job whose result of an uninterrupted run is in `whole`. */
static sample_job steps_job(void)
{
    sample_job j = {"steps",         make_batch(),
                    at("job.out"),   at("job.out.part"),
                    at("job.whole"), {"--continuous", "--block", "1"}};
    unlink(j.whole);
    sample_job_remove(&j);
    ran r = sample_job_run(&j, j.whole, NULL);
    EXPECT(ran_well(&r), "^ without interruption");
    ran_free(&r);
    return j;
}

static void test_continuous_resume(void)
{
    sample_job j = steps_job();
    long n = job_count(&j, NULL);
    for (long k = 2; k < n; k += 1 + n / (TEST_SANITIZED ? 4 : 12)) {
        job_kill(&j, k, NULL);
        job_go_on(&j, "killed", k);
    }
    job_kill_half(&j);
    ran r = RAN("run", j.in, "-o", j.out, CPU, "--resume", "--block", "1");
    EXPECT(ran_failed(&r, 3, "--continuous was given, is not given", NULL), "^ without the option");
    ran_free(&r);
    r = RAN("run", j.in, "-o", j.out, CPU, "--continuous", "--block", "1");
    EXPECT(ran_failed(&r, 2, "finished step", "--resume continues"), "^ without --resume");
    ran_free(&r);
    job_go_on(&j, "refused", 0);
}

/* ---- sums */

static double table_sum(const char *path, const char *name)
{
    size_t n;
    double sum = 0, *x = h5_reals(path, name, &n);
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    free(x);
    return sum;
}

static const char *const kinds[][2] = {{"1", "point"},
                                       {"2", "segment"},
                                       {"6", "vertex-face"},
                                       {"7", "edge-edge"},
                                       {"17", "point at start"},
                                       {"18", "segment at start"},
                                       {"19", "area at start"},
                                       {"20", "duplicate at start"},
                                       {"21", "solids at start"},
                                       {"0", "candidate"}};

static void check_continuous_kinds(const char *json, const rows *r)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char name[60];
        size_t n = 0;
        for (size_t i = 0; i < r->count; i++)
            n += r->kind[i] == atoi(kinds[k][0]);
        snprintf(name, sizeof name, "kinds.%s", kinds[k][1]);
        EXPECT(json_number(json, name) == (double)n, "%s is not %zu", name, n);
    }
}

/* Each pair of objects, its number of contacts, and its first row; rows are in order. */
static void check_continuous_pairs(const char *json, const rows *r)
{
    static const int64_t ids[] = {-9, -2, 5};
    int next = 0;
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++) {
            size_t n = 0, first = 0;
            for (size_t i = 0; i < r->count; i++) {
                const int64_t low = r->oa[i] < r->ob[i] ? r->oa[i] : r->ob[i];
                const int64_t high = r->oa[i] < r->ob[i] ? r->ob[i] : r->oa[i];
                if (low != ids[a] || high != ids[b])
                    continue;
                first = n++ ? first : i;
            }
            if (!n)
                continue;
            const double want[] = {(double)ids[a], (double)ids[b],
                                   (double)n,      (double)r->input_frame[r->frame[first]],
                                   r->toi[first],  r->time[first]};
            static const char *const key[] = {"a",           "b",           "contacts",
                                              "first_frame", "first_share", "first_time"};
            for (int k = 0; k < 6; k++) {
                char name[60];
                snprintf(name, sizeof name, "object_pairs.%d.%s", next, key[k]);
                EXPECT(json_number(json, name) == want[k], "%s is %s, not %.17g", name,
                       json_at(json, name), want[k]);
            }
            next++;
        }
    EXPECT(next > 2, "%d pairs of objects", next);
}

/* The first contact of the document is the first row. */
static void check_first(const char *json, const rows *r)
{
    const double want[] = {(double)r->input_frame[*r->frame], *r->toi, *r->time};
    static const char *const key[] = {"first_frame", "first_share", "first_time"};
    for (int k = 0; k < 3; k++)
        EXPECT(json_number(json, key[k]) == want[k], "%s is %s, not %.17g", key[k],
               json_at(json, key[k]), want[k]);
}

/* The table of frames has the time of each step's first contact, not that of its start. */
static void check_continuous_table(const char *json, const rows *r)
{
    size_t row = 0;
    for (size_t k = 0; k < r->frames; row += (size_t)r->contacts[k++]) {
        char name[60];
        snprintf(name, sizeof name, "frame_table.%zu.first_time", k);
        const char *said = json_at(json, name);
        EXPECT(r->contacts[k] ? json_number(json, name) == r->time[row]
                              : said && !strncmp(said, "null", 4),
               "%s is %s", name, said ? said : "missing");
    }
}

static void check_continuous_sums(const char *json, const char *out, int pairs)
{
    rows r = read_rows(out);
    EXPECT(json_number(json, "frames") == (double)r.frames, "frames: %s", json_at(json, "frames"));
    EXPECT(json_number(json, "contacts") == (double)r.count, "contacts: %s, not %zu",
           json_at(json, "contacts"), r.count);
    EXPECT(json_number(json, "candidates_vf") == table_sum(out, "impinge/candidates_vf") &&
               json_number(json, "candidates_ee") == table_sum(out, "impinge/candidates_ee"),
           "%s and %s are other sums", json_at(json, "candidates_vf"),
           json_at(json, "candidates_ee"));
    check_continuous_kinds(json, &r);
    if (pairs)
        check_continuous_pairs(json, &r);
    free_rows(&r);
}

/* Also backwards: the earlier step is the first one of the selection. */
static void test_sums(void)
{
    static const char *const slices[] = {":", "::-1", "1:6:2"};
    const char *in = make_batch(), *out = at("sums.vtkhdf");
    for (int i = 0; i < 3; i++) {
        ran r = RAN("run", in, "-o", out, CPU, "--force", "--continuous", "--json", "--frames",
                    slices[i]);
        rows all = read_rows(out);
        check_continuous_sums(r.out, out, 1);
        check_first(r.out, &all);
        EXPECT(r.code == 0 && !*r.err, "exit %d: %s", r.code, r.err);
        ran_free(&r);
        r = RAN("info", out, "--json", "--frames", ":");
        check_continuous_sums(r.out, out, 1);
        check_continuous_table(r.out, &all);
        ran_free(&r);
        free_rows(&all);
        r = RAN("bench", in, CPU, "--reps", "1", "--continuous", "--json", "--frames", slices[i]);
        check_continuous_sums(r.out, out, 1);
        ran_free(&r);
    }
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--continuous", "--fail-on-collision", "-q");
    EXPECT(r.code == 10, "exit %d", r.code);
    ran_free(&r);
    r = RAN("info", out, "--frames", ":");
    EXPECT(r.code == 0 && strstr(r.out, "\nsteps      8, ") &&
               strstr(r.out, ", first contact at time ") &&
               strstr(r.out, "      step   of input  first contact") && !strstr(r.out, "nan"),
           "%s", r.out);
    ran_free(&r);
}

/* Feature pairs that are decided exactly are not counted as candidates, which are pairs of
 * primitives. */
static void test_continuous_texts(void)
{
    const char *in = make_batch(), *out = at("texts.vtkhdf");
    char words[80];
    ran r =
        RAN("run", in, "-o", out, CPU, "--force", "-v", "--continuous", "--min-separation", "0.2");
    const double exact = table_sum(out, "impinge/undecided");
    rows all = read_rows(out);
    snprintf(words, sizeof words, "first contact at time %.9g (share ", *all.time);
    EXPECT(strstr(r.out, words), "no '%s': %s", words, r.out);
    free_rows(&all);
    EXPECT(exact > 1 && exact < 1000, "%g", exact);
    snprintf(words, sizeof words, "exact arithmetic needed %.0f times\n", exact);
    EXPECT(r.code == 0 && strstr(r.err, words), "%s", r.err);
    ran_free(&r);
    r = RAN("info", out);
    EXPECT(ran_well(&r) && strstr(r.out, words), "%s", r.out);
    ran_free(&r);
}

/* Sums include rows of steps that were committed before the run was resumed. */
static void test_resumed_sums(void)
{
    sample_job j = steps_job();
    job_kill_half(&j);
    ran r =
        RAN("run", j.in, "-o", j.out, CPU, "--continuous", "--block", "1", "--resume", "--json");
    check_continuous_sums(r.out, j.out, 1);
    ran_free(&r);
    r = RAN("run", j.in, "-o", j.out, CPU, "--continuous", "--resume", "--json");
    check_continuous_sums(r.out, j.out, 1);
    ran_free(&r);
}

/* ---- --baseline and candidates */

static int continuous_has_pair(const rows *r, int64_t a, int64_t b)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->a[i] == a && r->b[i] == b)
            return 1;
    return 0;
}

/* --baseline leaves out exactly the pairs of a plain run of that frame, also if the steps have a
 * distance option. */
static void check_baseline(const char *in, const char *frame, const char *slice,
                           const char *const option[2])
{
    const char *all = at("all.vtkhdf"), *base = at("base.vtkhdf"), *out = at("rest.vtkhdf");
    RUN_STEPS(in, all, option[0], option[1]);
    ran s = RAN("run", in, "-o", base, CPU, "--force", "-q", "--frames", slice);
    EXPECT(ran_well(&s), "^ frame %s", frame);
    ran_free(&s);
    ran t = RAN("run", in, "-o", out, CPU, "--force", "--continuous", "--baseline", frame, "--json",
                "--block", "3", option[0], option[1]);
    rows r = read_rows(all), b = read_rows(base), o = read_rows(out);
    size_t next = 0, wrong = 0;
    for (size_t i = 0; i < r.count; i++) {
        if (continuous_has_pair(&b, r.a[i], r.b[i]))
            continue;
        wrong += next >= o.count || o.a[next] != r.a[i] || o.b[next] != r.b[i] ||
                 o.toi[next] != r.toi[i] || o.frame[next] != r.frame[i];
        next++;
    }
    EXPECT(!wrong && next == o.count && o.count < r.count && b.count, "frame %s: %zu rows of %zu",
           frame, o.count, r.count);
    check_continuous_sums(t.out, out, 0);
    ran_free(&t);
    t = RAN("bench", in, CPU, "--reps", "1", "--continuous", "--json", "--baseline", frame,
            option[0], option[1]);
    EXPECT(json_number(t.out, "contacts") == (double)o.count, "bench: %s contacts, not %zu",
           json_at(t.out, "contacts"), o.count);
    ran_free(&t);
    free_rows(&r);
    free_rows(&b);
    free_rows(&o);
    t = RAN("check", out, "--input", in);
    EXPECT(ran_well(&t), "^ check");
    ran_free(&t);
}

static void test_continuous_baseline(void)
{
    static const char *const none[2] = {NULL}, *const near[2] = {"--min-separation", "0.05"},
                             *const loose[2] = {"--tolerance", "1e-3"};
    const char *in = make_batch(), *bodies = at("bodies.vtkhdf");
    check_baseline(in, "0", ":1", none);
    check_baseline(in, "5", "5:6", none);
    check_baseline(in, "5", "5:6", near);
    check_baseline(continuous_moving(1), "4", "4:5", none);
    ran r = RAN("generate", "missile", "-n", "1000", "--frames", "5", "--set", "begin=3.98", "-o",
                bodies, "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    check_baseline(bodies, "3", "3:4", loose);
}

/* Pairs whose swept bounds overlap: they include all pairs in contact. */
static void test_continuous_candidates(void)
{
    const char *in = make_batch(), *met = at("met.vtkhdf"), *out = at("candidates.vtkhdf");
    RUN_STEPS(in, met, NULL);
    RUN_STEPS(in, out, "--stage", "candidates");
    rows m = read_rows(met), c = read_rows(out);
    size_t missing = 0, next = 0;
    EXPECT(c.frames == STEPS && c.count >= m.count && !c.time, "%zu candidates", c.count);
    for (size_t i = 0; i < c.count; i++)
        EXPECT(c.kind[i] == 0, "row %zu has kind %d", i, (int)c.kind[i]);
    for (size_t i = 0; i < m.count; i++) {
        for (next = 0; next < c.count; next++)
            if (c.frame[next] == m.frame[i] && c.a[next] == m.a[i] && c.b[next] == m.b[i])
                break;
        missing += next == c.count;
    }
    EXPECT(!missing, "%zu pairs meet that are no candidates", missing);
    free_rows(&m);
    free_rows(&c);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"blocks", test_continuous_blocks},
                                 {"slices", test_continuous_slices},
                                 {"times", test_continuous_times},
                                 {"own_meshes", test_own_meshes},
                                 {"other_frames", test_other_frames},
                                 {"bodies", test_continuous_bodies},
                                 {"resume", test_continuous_resume},
                                 {"sums", test_sums},
                                 {"texts", test_continuous_texts},
                                 {"resumed_sums", test_resumed_sums},
                                 {"baseline", test_continuous_baseline},
                                 {"candidates", test_continuous_candidates},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "continuous", tests);
}
