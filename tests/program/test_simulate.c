/* `impinge pcs` as a user runs it: the known behaviour of the scenes (methods.md A), the files,
 * usage. The curve is read from its CSV, contacts and bodies by plain HDF5. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- running */

/* 0, with a note, in a build without ODE. */
static int simulate_can_run(void)
{
    ran r = RAN("pcs", "cradle", "-o", at("can.vtkhdf"), "--frames", "1", "-q");
    const int can = r.code == 0;
    EXPECT(can || ran_failed(&r, 1, "without ODE", NULL), "^ neither runs nor says why");
    EXPECT(can || !exists(at("can.vtkhdf")), "OUT is there without ODE");
    ran_free(&r);
    remove(at("can.vtkhdf"));
    remove(at("can.batch.vtkhdf"));
    remove(at("can.cps.csv"));
    remove(at("can.cps.svg"));
    return can;
}

#define NEEDS_ODE                                                                                  \
    if (!simulate_can_run())                                                                       \
    SKIP("built without ODE")

/* The path of a file beside OUT; it stays valid. */
static const char *simulate_sibling_path(const char *out, const char *suffix)
{
    char name[200];
    const char *ending = strstr(out, ".vtkhdf");
    const int length =
        (int)(ending && *suffix && strncmp(suffix, ".part", 5) ? (size_t)(ending - out)
                                                               : strlen(out));
    snprintf(name, sizeof name, "%.*s%s", length, out, suffix);
    return at(name);
}

static void simulate_all(const char *out, const char *const *more)
{
    const char *line[24] = {"pcs", more[0], "-o", at(out), "--force", "-q"};
    for (size_t n = 6, i = 1; more[i] && n < 23; i++)
        line[n++] = more[i];
    ran r = program_run(line);
    EXPECT(ran_well(&r) && !*r.out, "^ %s says %s", out, r.out);
    ran_free(&r);
}
#define SIMULATE(out, ...) simulate_all(out, (const char *const[]){__VA_ARGS__, NULL})

/* ---- the curve */

typedef struct curve {
    size_t frames;
    double *rate;                                      /* [frames] checks per second */
    uint64_t pairs, checks, rechecks, steps, contacts; /* sums */
} curve;

static curve simulate_read_curve(const char *out)
{
    curve c = {0};
    char *text = file_text(simulate_sibling_path(out, ".cps.csv"), NULL),
         *line = strchr(text, '\n');
    EXPECT(!strncmp(text, "frame,time,checks_per_second,rechecks_per_second,pairs,", 55),
           "the first line is %.80s", text);
    c.rate = malloc(count_lines(text) * sizeof *c.rate);
    for (; line && line[1]; line = strchr(line + 1, '\n')) {
        unsigned long long frame, n[5];
        double time, rechecks;
        const int read =
            sscanf(line + 1, "%llu,%lf,%lf,%lf,%llu,%llu,%llu,%llu,%llu,", &frame, &time,
                   &c.rate[c.frames], &rechecks, &n[0], &n[1], &n[2], &n[3], &n[4]);
        EXPECT(read == 9 && frame == c.frames, "line %zu: %.60s", c.frames, line + 1);
        c.pairs += n[0], c.checks += n[1], c.rechecks += n[2], c.steps += n[3], c.contacts += n[4];
        c.frames++;
    }
    free(text);
    return c;
}

/* Finds levels: runs of at least `least` frames with equal rates. Returns their number. */
static size_t simulate_levels(const curve *c, size_t least, double *out, size_t most)
{
    size_t count = 0;
    for (size_t i = 0, end; i < c->frames; i = end) {
        for (end = i; end < c->frames && c->rate[end] == c->rate[i]; end++)
            ;
        if (end - i >= least && count < most && (!count || out[count - 1] != c->rate[i]))
            out[count++] = c->rate[i];
    }
    return count;
}

/* ---- bodies */

typedef struct tracks {
    size_t frames, bodies;
    double *centre, *velocity, *rotation;
} tracks;

static tracks read_tracks(const char *out)
{
    tracks t;
    size_t n;
    const char *path = simulate_sibling_path(out, ".batch.vtkhdf");
    free(h5_ints(path, "impinge/bodies/object_id", &t.bodies));
    t.centre = h5_reals(path, "impinge/bodies/centre", &n);
    t.frames = n / 3 / t.bodies;
    t.velocity = h5_reals(path, "impinge/bodies/velocity", &n);
    t.rotation = h5_reals(path, "impinge/bodies/rotation", &n);
    return t;
}

static void free_tracks(tracks *t)
{
    free(t->centre);
    free(t->velocity);
    free(t->rotation);
}

static const double *centre(const tracks *t, size_t frame, size_t body)
{
    return t->centre + 3 * (frame * t->bodies + body);
}

static const double *velocity(const tracks *t, size_t frame, size_t body)
{
    return t->velocity + 3 * (frame * t->bodies + body);
}

/* z of the body's own z axis: 1 upright, 0 lying. */
static double upright(const tracks *t, size_t frame, size_t body)
{
    const double *q = t->rotation + 4 * (frame * t->bodies + body);
    return 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

/* ---- the ball */

/* The paper's six levels: in the air, on the ground, reaching the slope, on it, in the air, landed.
 */
static void test_plateaus(void)
{
    static const double wanted[] = {100, 200, 300, 200, 100, 200};
    double found[16];
    NEEDS_ODE;
    SIMULATE("ball.vtkhdf", "ball-slope");
    curve c = simulate_read_curve("ball.vtkhdf");
    const size_t n = simulate_levels(&c, 4, found, 16);
    EXPECT(n == 6, "%zu levels", n);
    for (size_t i = 0; i < 6 && i < n; i++)
        EXPECT(found[i] == wanted[i], "level %zu is %g", i, found[i]);
    tracks t = read_tracks("ball.vtkhdf");
    const double *end = centre(&t, t.frames - 1, 2);
    EXPECT(t.frames == c.frames + 1 && end[0] > 5 && end[2] < 0.52, "it ends at %g %g", end[0],
           end[2]);
    for (size_t f = 0; f < t.frames; f++)
        EXPECT(centre(&t, f, 2)[2] > 0.49, "frame %zu: it is in the ground", f);
    free_tracks(&t);
    free(c.rate);
}

/* Without contacts the ball falls freely; also after the flight. */
static void test_flight(void)
{
    NEEDS_ODE;
    SIMULATE("fall.vtkhdf", "ball-slope", "--seconds", "0.1", "--step", "0.001");
    tracks t = read_tracks("fall.vtkhdf");
    const double fallen = centre(&t, 0, 2)[2] - centre(&t, 100, 2)[2];
    EXPECT(t.frames == 101 && fabs(fallen - 0.5 * 9.81 * 0.01) < 0.001, "it fell by %g", fallen);
    EXPECT(fabs(velocity(&t, 100, 2)[2] + 0.981) < 1e-9, "as fast as %g", velocity(&t, 100, 2)[2]);
    free_tracks(&t);
}

static void test_rolls_back(void)
{
    NEEDS_ODE;
    SIMULATE("weak.vtkhdf", "ball-slope", "--push", "9");
    tracks t = read_tracks("weak.vtkhdf");
    double far = -10, high = 0;
    for (size_t f = 0; f < t.frames; f++) {
        far = fmax(far, centre(&t, f, 2)[0]);
        high = fmax(high, centre(&t, f, 2)[2]);
    }
    const double *end = centre(&t, t.frames - 1, 2), *v = velocity(&t, t.frames - 1, 2);
    EXPECT(far > 0 && far < 4 && high > 0.7, "it got to %g, as high as %g", far, high);
    EXPECT(end[0] < far - 1 && v[0] < -0.5, "it ends at %g with %g", end[0], v[0]);
    free_tracks(&t);
    SIMULATE("none.vtkhdf", "ball-slope", "--push", "0", "--seconds", "2");
    t = read_tracks("none.vtkhdf");
    end = centre(&t, t.frames - 1, 2);
    EXPECT(fabs(end[0] + 4) < 1e-3 && fabs(end[2] - 0.5) < 2e-3, "not pushed it is at %g %g",
           end[0], end[2]);
    free_tracks(&t);
}

/* ---- dominoes */

/* The first contact of each neighbour with the next is after that of the pair before; no other
 * dominoes touch before them. */
static void check_order(const rows *r, size_t count)
{
    double *first = malloc(count * sizeof *first);
    for (size_t i = 0; i < count; i++)
        first[i] = INFINITY;
    for (size_t i = 0; i < r->count; i++)
        if (r->oa[i] > 0) {
            EXPECT(r->ob[i] == r->oa[i] + 1, "%d touches %d", (int)r->oa[i], (int)r->ob[i]);
            first[r->oa[i]] = fmin(first[r->oa[i]], r->time[i]);
        }
    for (size_t i = 2; i < count; i++)
        EXPECT(first[i] < INFINITY && first[i] > first[i - 1],
               "%zu touches the next at %g, after %g", i, first[i], first[i - 1]);
    free(first);
}

/* The mean rate of each second rises to its peak and then falls. */
static void check_peak(const curve *c)
{
    double most = 0, mean[64] = {0};
    size_t seconds = c->frames / 100, peak = 0;
    for (size_t i = 0; i < seconds * 100; i++)
        mean[i / 100] += c->rate[i] / 100;
    for (size_t s = 0; s < seconds; s++)
        if (mean[s] > most)
            most = mean[peak = s];
    EXPECT(peak > 2 && peak + 1 < seconds, "the peak is in second %zu of %zu", peak, seconds);
    for (size_t s = 1; s <= peak; s++)
        EXPECT(mean[s] >= mean[s - 1] - 100, "second %zu: %g after %g", s, mean[s], mean[s - 1]);
    EXPECT(most > 1.4 * mean[0] && mean[seconds - 1] < 0.7 * most, "%g, %g, %g", mean[0], most,
           mean[seconds - 1]);
}

/* A point of the frame in a body's own coordinates, by the conjugate of its rotation. */
static void simulate_to_body_frame(const tracks *t, size_t frame, size_t body, const double *point,
                                   double *out)
{
    const double *q = t->rotation + 4 * (frame * t->bodies + body), *c = centre(t, frame, body);
    const double x[3] = {point[0] - c[0], point[1] - c[1], point[2] - c[2]};
    const double u[3] = {-q[1], -q[2], -q[3]};
    double s[3];
    for (int i = 0; i < 3; i++) /* u x (u x v + w v) */
        s[i] = u[(i + 1) % 3] * x[(i + 2) % 3] - u[(i + 2) % 3] * x[(i + 1) % 3] + q[0] * x[i];
    for (int i = 0; i < 3; i++)
        out[i] = x[i] + 2 * (u[(i + 1) % 3] * s[(i + 2) % 3] - u[(i + 2) % 3] * s[(i + 1) % 3]);
}

/* No corner of a domino penetrates a neighbour by more than twice epsilon. All dominoes
 * have the same width and stay in line, so y is ignored. */
static void check_apart(const tracks *t, const char *out)
{
    static const double half[3] = {0.11, 0.25, 0.5};
    size_t n;
    double *point = h5_reals(simulate_sibling_path(out, ".batch.vtkhdf"), "VTKHDF/Points", &n),
           most = 0;
    const size_t corners = 8, in_frame = n / 3 / t->frames;
    CU_ASSERT_EQUAL_FATAL(in_frame, corners * t->bodies);
    for (size_t f = 0; f < t->frames; f++)
        for (size_t i = 1; i < t->bodies; i++)
            for (size_t k = 0; k < 2 * corners; k++) {
                const size_t other = k < corners ? i - 1 : i + 1;
                double x[3], depth = INFINITY;
                if (other < 1 || other >= t->bodies)
                    continue;
                simulate_to_body_frame(
                    t, f, i, point + 3 * (f * in_frame + corners * other + k % corners), x);
                for (int c = 0; c < 3; c += 2)
                    depth = fmin(depth, half[c] - fabs(x[c]));
                most = fmax(most, depth);
            }
    EXPECT(most < 2e-4, "dominoes are %g in each other", most);
    free(point);
}

/* The overlap in --json, in epsilons. */
static void check_simulate_overlap(double most, const char *const *more)
{
    const char *line[24] = {"pcs", more[0], "-o", at("over.vtkhdf"), "--force", "--json"};
    for (size_t n = 6, i = 1; more[i] && n < 23; i++)
        line[n++] = more[i];
    ran r = program_run(line);
    const char *found = strstr(r.out, "\"overlap\"");
    found = found ? strstr(found, "\"epsilons\"") : NULL;
    const double depth = found ? strtod(strchr(found, ':') + 1, NULL) : INFINITY;
    EXPECT(ran_well(&r) && depth <= most, "^ %s: %g epsilon in each other", more[0], depth);
    ran_free(&r);
}
#define OVERLAP(most, ...) check_simulate_overlap(most, (const char *const[]){__VA_ARGS__, NULL})

static void test_simulate_overlap(void)
{
    NEEDS_ODE;
    OVERLAP(1, "ball-slope");
    OVERLAP(1, "boxes", "--ratio", "100", "--bodies", "300");
    OVERLAP(40, "dominoes", "--step", "0.05");
}

static void test_dominoes(void)
{
    NEEDS_ODE;
    SIMULATE("row.vtkhdf", "dominoes");
    rows r = read_rows(at("row.vtkhdf"));
    check_order(&r, 20);
    free_rows(&r);
    curve c = simulate_read_curve("row.vtkhdf");
    check_peak(&c);
    free(c.rate);
    tracks t = read_tracks("row.vtkhdf");
    CU_ASSERT_EQUAL_FATAL(t.bodies, 21);
    for (size_t i = 1; i < 21; i++) {
        EXPECT(upright(&t, 0, i) > 0.999, "domino %zu does not stand", i);
        EXPECT(upright(&t, t.frames - 1, i) < 0.4, "domino %zu has not fallen", i);
        EXPECT(centre(&t, t.frames - 1, i)[2] > 0.1, "domino %zu is in the ground", i);
    }
    check_apart(&t, "row.vtkhdf");
    free_tracks(&t);
}

/* All dominoes also fall if a frame is longer than the push. */
static void test_long_frames(void)
{
    NEEDS_ODE;
    SIMULATE("fifth.vtkhdf", "dominoes", "--bodies", "3", "--step", "0.15", "--seconds", "6");
    tracks t = read_tracks("fifth.vtkhdf");
    for (size_t i = 1; i < t.bodies; i++)
        EXPECT(upright(&t, t.frames - 1, i) < 0.5, "domino %zu has not fallen", i);
    free_tracks(&t);
}

/* Without a push they stand. */
static void test_standing(void)
{
    NEEDS_ODE;
    SIMULATE("stand.vtkhdf", "dominoes", "--push", "0", "--bodies", "3", "--seconds", "3");
    tracks t = read_tracks("stand.vtkhdf");
    EXPECT(t.bodies == 4, "%zu bodies", t.bodies);
    for (size_t i = 1; i < t.bodies; i++)
        EXPECT(upright(&t, t.frames - 1, i) > 0.9999 &&
                   fabs(centre(&t, t.frames - 1, i)[0] - centre(&t, 0, i)[0]) < 1e-3,
               "domino %zu has moved", i);
    free_tracks(&t);
}

/* ---- the cradle */

/* All contacts of a frame, in their order, and the velocity of the first ball in the last frame. */
static void test_cradle(void)
{
    NEEDS_ODE;
    SIMULATE("cradle.vtkhdf", "cradle", "--seconds", "0.6");
    rows r = read_rows(at("cradle.vtkhdf"));
    EXPECT(r.count == 4, "%zu contacts", r.count);
    for (size_t i = 0; i < r.count; i++) {
        EXPECT(r.oa[i] == (int64_t)i && r.ob[i] == (int64_t)i + 1, "contact %zu is %d-%d", i,
               (int)r.oa[i], (int)r.ob[i]);
        EXPECT(!i || r.time[i] > r.time[i - 1], "contact %zu is no later", i);
    }
    EXPECT(r.count == 4 && r.frame[0] == r.frame[2], "the first contacts are in several frames");
    tracks t = read_tracks("cradle.vtkhdf");
    double in = 0;
    for (size_t f = 0; f < r.frame[0]; f++)
        in = fmax(in, velocity(&t, f + 1, 0)[0]);
    const size_t after = r.frame[3] + 1;
    EXPECT(fabs(velocity(&t, after, 4)[0] / in - 1) < 0.03, "%g comes in, %g leaves", in,
           velocity(&t, after, 4)[0]);
    for (size_t i = 0; i < 4; i++)
        EXPECT(fabs(velocity(&t, after, i)[0]) < 0.03 * in, "ball %zu has %g", i,
               velocity(&t, after, i)[0]);
    free_tracks(&t);
    free_rows(&r);
}

/* ---- the files */

/* Two runs, different devices and numbers of threads: all data are the same, byte for byte. There
 * are more bodies than the host would process alone. */
static void test_simulate_same(void)
{
    static const char *const how[][2] = {
        {"--seed", "3"}, {"--threads", "1"}, {"--device", "opencl"}};
    NEEDS_ODE;
    SIMULATE("one.vtkhdf", "boxes", "--bodies", "1500", "--ratio", "40", "--frames", "40", "--seed",
             "3");
    for (size_t i = 0; i < 3; i++) {
        const char *line[] = {
            "pcs",     "boxes",   "-o", at("two.vtkhdf"), "--force", "-q",     "--bodies",
            "1500",    "--ratio", "40", "--frames",       "40",      "--seed", "3",
            how[i][0], how[i][1], NULL};
        ran r = program_run(line);
        if (i == 2 && r.code == 4) {
            test_partial("no OpenCL device");
            ran_free(&r);
            continue;
        }
        EXPECT(ran_well(&r), "^ %s %s", how[i][0], how[i][1]);
        ran_free(&r);
        const char *what = h5_same(at("one.vtkhdf"), at("two.vtkhdf"), "VTKHDF");
        EXPECT(!what, "%s: %s", how[i][1], what);
        what = h5_same(simulate_sibling_path("one.vtkhdf", ".batch.vtkhdf"),
                       simulate_sibling_path("two.vtkhdf", ".batch.vtkhdf"), "/");
        EXPECT(!what, "%s: batch: %s", how[i][1], what);
        char *x = file_text(simulate_sibling_path("one.vtkhdf", ".cps.csv"), NULL);
        char *y = file_text(simulate_sibling_path("two.vtkhdf", ".cps.csv"), NULL);
        EXPECT(!strcmp(x, y), "%s: the curves differ", how[i][1]);
        free(x);
        free(y);
    }
    rows r = read_rows(at("one.vtkhdf"));
    EXPECT(r.count > 10, "only %zu contacts", r.count);
    free_rows(&r);
}

/* Rows: ordered, within their step, of triangles that belong to the two bodies. */
static void check_simulate_rows(const char *out)
{
    size_t cells, n;
    rows r = read_rows(at(out));
    int64_t *object =
        h5_ints(simulate_sibling_path(out, ".batch.vtkhdf"), "VTKHDF/CellData/ObjectId", &cells);
    double *value = h5_reals(at(out), "VTKHDF/Steps/Values", &n);
    for (size_t i = 0; i < r.count; i++) {
        EXPECT(r.a[i] < r.b[i] && (size_t)r.b[i] < cells, "row %zu: %d %d", i, (int)r.a[i],
               (int)r.b[i]);
        EXPECT(object[r.a[i]] == r.oa[i] && object[r.b[i]] == r.ob[i], "row %zu: objects", i);
        EXPECT(r.toi[i] >= 0 && r.toi[i] <= 1 && r.time[i] >= value[r.frame[i]], "row %zu: %g", i,
               r.toi[i]);
        if (i && r.frame[i] == r.frame[i - 1])
            EXPECT(r.toi[i] > r.toi[i - 1] ||
                       (r.toi[i] == r.toi[i - 1] &&
                        (r.a[i] > r.a[i - 1] || (r.a[i] == r.a[i - 1] && r.b[i] >= r.b[i - 1]))),
                   "row %zu is out of order", i);
    }
    free(object);
    free(value);
    free_rows(&r);
}

static void test_simulate_files(void)
{
    NEEDS_ODE;
    SIMULATE("files.vtkhdf", "ball-slope", "--seconds", "0.1");
    ran r =
        RAN("pcs", "ball-slope", "-o", at("files.vtkhdf"), "--force", "--seconds", "1.4", "--json");
    EXPECT(ran_well(&r) && json_valid(r.out), "^ --json: %s", r.out);
    curve c = simulate_read_curve("files.vtkhdf");
    EXPECT(c.frames == 140 && json_number(r.out, "frames") == 140, "%zu frames", c.frames);
    EXPECT(json_number(r.out, "checks") == (double)c.checks &&
               json_number(r.out, "u") == (double)c.pairs &&
               json_number(r.out, "rechecks") == (double)c.rechecks &&
               json_number(r.out, "steps") == (double)c.steps,
           "the summary has other sums than the curve");
    free(c.rate);
    rows all = read_rows(at("files.vtkhdf"));
    EXPECT(json_number(r.out, "contacts") == (double)all.count && all.count > 50,
           "%zu rows of %g contacts", all.count, json_number(r.out, "contacts"));
    free_rows(&all);
    ran_free(&r);
    check_simulate_rows("files.vtkhdf");
    const char *what = h5_sound(at("files.vtkhdf"));
    EXPECT(!what, "%s", what);
    char *svg = file_text(simulate_sibling_path("files.vtkhdf", ".cps.svg"), NULL);
    EXPECT(!strncmp(svg, "<svg xmlns=", 11) && strstr(svg, "class=\"checks\" d=\"M") &&
               strstr(svg, "</svg>\n"),
           "the picture begins %.60s", svg);
    free(svg);
}

/* The files in other verbs. */
static void test_simulate_verbs(void)
{
    const char *out = at("verbs.vtkhdf"),
               *batch = simulate_sibling_path("verbs.vtkhdf", ".batch.vtkhdf");
    NEEDS_ODE;
    SIMULATE("verbs.vtkhdf", "dominoes", "--bodies", "3", "--seconds", "1");
    ran r = RAN("info", out);
    EXPECT(ran_well(&r) && strstr(r.out, "checks of pairs of bodies") &&
               strstr(r.out, "scene=dominoes"),
           "^ info says %s", r.out);
    ran_free(&r);
    r = RAN("info", out, "--json", "--frames", ":");
    EXPECT(ran_well(&r) && json_valid(r.out) && json_at(r.out, "complete") &&
               !strncmp(json_at(r.out, "complete"), "true", 4),
           "^ info --json");
    ran_free(&r);
    r = RAN("check", out, "--input", batch, "--frames", "::10");
    EXPECT(ran_well(&r), "^ check of what was simulated");
    ran_free(&r);
    r = RAN("run", batch, "-o", at("verbs.out.vtkhdf"), CPU, "--force", "-q");
    EXPECT(ran_well(&r), "^ run on the batch");
    ran_free(&r);
    r = RAN("check", at("verbs.out.vtkhdf"), "--input", batch, "-q");
    EXPECT(ran_well(&r), "^ check of that");
    ran_free(&r);
}

/* No existing file is replaced, whichever of the outputs it is. */
static void test_taken(void)
{
    static const char *const suffix[] = {"", ".batch.vtkhdf", ".cps.csv", ".cps.svg"};
    NEEDS_ODE;
    for (size_t i = 0; i < 4; i++) {
        const char *taken = simulate_sibling_path("taken.vtkhdf", suffix[i]);
        write_text(taken, "precious");
        ran r = RAN("pcs", "cradle", "-o", at("taken.vtkhdf"), "--frames", "2");
        EXPECT(ran_failed(&r, 2, taken, "--force"), "^ %s is there", taken);
        ran_free(&r);
        for (size_t k = 0; k < 4; k++)
            EXPECT(exists(simulate_sibling_path("taken.vtkhdf", suffix[k])) == (k == i) &&
                       !exists_part(simulate_sibling_path("taken.vtkhdf", suffix[k])),
                   "%s: file %zu", taken, k);
        EXPECT(file_size(taken) == 8, "%s was changed", taken);
        remove(taken);
    }
    ran r = RAN("pcs", "cradle", "-o", at("taken.vtkhdf"), "--frames", "2", "-q", "--json",
                simulate_sibling_path("taken.vtkhdf", ".cps.csv"));
    EXPECT(ran_failed(&r, 2, NULL, NULL), "^ two words");
    ran_free(&r);
    char json[300];
    snprintf(json, sizeof json, "--json=%s", simulate_sibling_path("taken.vtkhdf", ".cps.csv"));
    r = RAN("pcs", "cradle", "-o", at("taken.vtkhdf"), "--frames", "2", "--force", json);
    EXPECT(ran_failed(&r, 2, "cps.csv", NULL), "^ two outputs in one file");
    ran_free(&r);
    r = RAN("pcs", "cradle", "-o", at("nowhere/x.vtkhdf"), "--frames", "2");
    EXPECT(ran_failed(&r, 1, "nowhere", NULL), "^ no folder");
    ran_free(&r);
}

/* Files beside OUT have its name without .vtkhdf, and the last line says what to open. */
static void test_names_beside(void)
{
    static const char *const name[][2] = {{"names/dom.vtkhdf", "names/dom"},
                                          {"names/row.VTKHDF", "names/row"},
                                          {"names/x.hdf", "names/x.hdf"},
                                          {"names/plain", "names/plain"},
                                          {"names/.vtkhdf", "names/.vtkhdf"}};
    char path[300], line[700], batch[300];
    NEEDS_ODE;
    CU_ASSERT(!mkdir(at("names"), 0777));
    for (size_t i = 0; i < 5; i++) {
        const char *out = at(name[i][0]);
        ran r = RAN("pcs", "cradle", "-o", out, "--frames", "2");
        snprintf(batch, sizeof batch, "%s.batch.vtkhdf", at(name[i][1]));
        snprintf(line, sizeof line, "\nto see it: open %s, the bodies, and %s, their contacts, in",
                 batch, out);
        EXPECT(ran_well(&r) && strstr(r.out, line), "^ %s: %s", out, r.out);
        ran_free(&r);
        EXPECT(exists(batch), "no %s", batch);
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof path, "%s.cps.%s", at(name[i][1]), k ? "svg" : "csv");
            EXPECT(exists(path), "no %s", path);
        }
        r = RAN("check", out, "--input", batch, "-q");
        EXPECT(ran_well(&r), "^ check");
        ran_free(&r);
    }
    /* its bodies cannot be replaced by what they become */
    snprintf(batch, sizeof batch, "%s", at("names/dom.batch.vtkhdf"));
    remove(at("names/dom.vtkhdf"));
    const long long size = (long long)file_size(batch);
    ran r = RAN("pcs", batch, "-o", at("names/dom.vtkhdf"), "--frames", "2", "--force");
    EXPECT(ran_failed(&r, 2, batch, NULL), "^ the input is beside OUT");
    ran_free(&r);
    EXPECT((long long)file_size(batch) == size, "%s was changed", batch);
}

/* A full disk leaves nothing that looks complete. */
static void test_full(void)
{
    NEEDS_ODE;
    program_set(&(program_how){.file_limit = 200000});
    ran r = RAN("pcs", "ball-slope", "-o", at("full.vtkhdf"), "-q");
    program_plain();
    EXPECT(ran_failed(&r, 5, NULL, NULL), "^ a full disk");
    ran_free(&r);
    EXPECT(!exists(at("full.vtkhdf")) &&
               !exists(simulate_sibling_path("full.vtkhdf", ".batch.vtkhdf")) &&
               !exists_part(simulate_sibling_path("full.vtkhdf", ".batch.vtkhdf")) &&
               !exists(simulate_sibling_path("full.vtkhdf", ".cps.csv")),
           "something is complete");
}

/* Ctrl-C: its exit code, and the committed frames. */
static void test_simulate_stopped(void)
{
    NEEDS_ODE;
    const char *line[] = {"pcs",     "ball-slope", "-o", at("stop.vtkhdf"), "--force", "--frames",
                          "1000000", "-q",         NULL};
    program p = program_start(line);
    for (int i = 0; i < 1000 && !exists(at("stop.vtkhdf.part")) && !program_done(&p); i++)
        program_sleep(0.01);
    program_at(&p, 0.5);
    kill(p.pid, SIGINT);
    ran r = program_wait(&p);
    EXPECT(ran_failed(&r, 130, "stopped by a signal", NULL), "^ SIGINT");
    ran_free(&r);
    EXPECT(!exists(at("stop.vtkhdf")) && exists(at("stop.vtkhdf.part")), "OUT, not OUT.part");
    EXPECT(!exists(simulate_sibling_path("stop.vtkhdf", ".batch.vtkhdf")) &&
               exists_part(simulate_sibling_path("stop.vtkhdf", ".batch.vtkhdf")),
           "the batch is there, not its part");
    r = RAN("pcs", "cradle", "-o", at("stop.vtkhdf"), "-q");
    EXPECT(ran_failed(&r, 2, "--force begins anew", NULL), "^ after a stop");
    ran_free(&r);
    r = RAN("info", at("stop.vtkhdf.part"));
    EXPECT(ran_well(&r) && strstr(r.out, "not complete"), "^ info says %s", r.out);
    ran_free(&r);
}

/* Velocities that diverge, and a solver that aborts: not a usage error, and the earlier frames are
 * kept for inspection. */
static void check_diverged(const char *out, const char *why, const char *const *more)
{
    const char *line[24] = {"pcs", more[0], "-o", at(out), "-q"}, *batch;
    char frames[40];
    for (size_t n = 5, i = 1; more[i] && n < 23; i++)
        line[n++] = more[i];
    ran r = program_run(line);
    EXPECT(ran_failed(&r, 1, why, ".batch.vtkhdf.part"), "^ %s", out);
    ran_free(&r);
    EXPECT(!exists(at(out)) && !exists(simulate_sibling_path(out, ".batch.vtkhdf")) &&
               !exists(simulate_sibling_path(out, ".cps.csv")),
           "%s: something is complete", out);
    r = RAN("info", simulate_sibling_path(out, ".part"), "--json");
    const double steps = json_number(r.out, "frames");
    EXPECT(ran_well(&r) && steps > 0, "^ info: %g steps", steps);
    ran_free(&r);
    batch = simulate_sibling_path(out, ".batch.vtkhdf.part");
    r = RAN("info", batch);
    snprintf(frames, sizeof frames, "frames     %g,", steps + 1);
    EXPECT(ran_well(&r) && strstr(r.out, frames), "^ not %s: %s", frames, r.out);
    ran_free(&r);
    r = RAN("run", batch, "-o", at("diverged.out.vtkhdf"), CPU, "--force", "-q");
    EXPECT(ran_well(&r), "^ run on what is left");
    ran_free(&r);
}
#define DIVERGES(out, why, ...) check_diverged(out, why, (const char *const[]){__VA_ARGS__, NULL})

static void test_diverges(void)
{
    NEEDS_ODE;
    DIVERGES("fast.vtkhdf", "turns by more than", "dominoes", "--push", "1e200");
    DIVERGES("far.vtkhdf", "ODE found no velocities", "ball-slope", "--push", "1e308");
    DIVERGES("swing.vtkhdf", "beyond the range of float64", "cradle", "--bodies", "2", "--step",
             "400", "--frames", "149");
    DIVERGES("sizes.vtkhdf", ".part: frame 7", "boxes", "--ratio", "1e6", "--bodies", "400");
    ran r = RAN("pcs", "cradle", "-o", at("fast.vtkhdf"), "--frames", "2", "-q");
    EXPECT(ran_failed(&r, 2, "; --force starts again", NULL), "^ over what is left");
    ran_free(&r);
    SIMULATE("fast.vtkhdf", "cradle", "--frames", "2");
    EXPECT(!exists_part(at("fast.vtkhdf")) &&
               !exists_part(simulate_sibling_path("fast.vtkhdf", ".batch.vtkhdf")),
           "something is left");
}

/* The number of contacts to solve for a body that moves far in a frame is limited by its corners:
 * without that limit each of these took minutes. */
static void test_long_steps(void)
{
    NEEDS_ODE;
    SIMULATE("long.vtkhdf", "ball-slope", "--step", "0.35", "--seconds", "10", "--push", "0.3");
    curve c = simulate_read_curve("long.vtkhdf");
    EXPECT(c.frames == 29 && c.contacts > 10, "%zu frames", c.frames);
    free(c.rate);
    SIMULATE("long.vtkhdf", "cradle", "--step", "0.8", "--seconds", "30", "--bodies", "8");
}

static void test_simulate_memory(void)
{
    NEEDS_ODE;
    ran r = RAN("pcs", "boxes", "-o", at("memory.vtkhdf"), "--bodies", "2000", "--mem-limit", "1M");
    EXPECT(ran_failed(&r, 5, NULL, NULL), "^ 1 MiB");
    EXPECT(!exists(at("memory.vtkhdf")), "OUT is there");
    ran_free(&r);
}

/* The bound named in the message is accepted. */
static void test_simulate_epsilon(void)
{
    NEEDS_ODE;
    ran r = RAN("pcs", "boxes", "-o", at("wide.vtkhdf"), "--epsilon", "10", "--bodies", "100");
    char *bound = strstr(r.err, "must be ");
    EXPECT(ran_failed(&r, 2, "epsilon is 10; ", " or less") && bound, "^ --epsilon 10");
    EXPECT(!exists(at("wide.vtkhdf")) && !exists_part(at("wide.vtkhdf")), "OUT is there");
    char text[40] = "";
    if (bound)
        snprintf(text, sizeof text, "%.5g", strtod(bound + 8, NULL) * 0.999);
    SIMULATE("wide.vtkhdf", "boxes", "--epsilon", text, "--bodies", "100");
    ran_free(&r);
}

/* Also for a scene that needs no device. */
static void test_simulate_no_device(void)
{
    NEEDS_ODE;
    ran r = RAN("pcs", "cradle", "-o", at("device.vtkhdf"), "--device", "no such device");
    EXPECT(ran_failed(&r, 4, "no such device", NULL), "^ a device that is not there");
    EXPECT(!exists(at("device.vtkhdf")) && !exists_part(at("device.vtkhdf")), "OUT is there");
    ran_free(&r);
}

/* The result names the device, not the word that selected it. */
static void test_simulate_device(void)
{
    static const char *const bodies[] = {"20", "1100"};
    NEEDS_ODE;
    for (size_t i = 0; i < 2; i++) {
        SIMULATE("chosen.vtkhdf", "boxes", "--device", "auto", "--frames", "1", "--bodies",
                 bodies[i]);
        ran r = RAN("info", at("chosen.vtkhdf"), "--json");
        const char *device = json_at(r.out, "device");
        EXPECT(ran_well(&r) && device && strncmp(device, "\"auto\"", 6),
               "^ %s bodies: the device is %.20s", bodies[i], device ? device : "");
        EXPECT(i || (device && !strncmp(device, "\"cpu\"", 5)), "few bodies: %.20s",
               device ? device : "");
        ran_free(&r);
    }
}

/* ---- usage: also in a build without ODE */

static void test_simulate_usage(void)
{
    static const char *const bad[][4] = {
        {"nothing", NULL, NULL, "no scene 'nothing'"},
        {"domino", NULL, NULL, "perhaps dominoes"},
        {"boxes", "--push", "3", "boxes takes no --push"},
        {"ball-slope", "--bodies", "3", "ball-slope takes no --bodies"},
        {"cradle", "--ratio", "3", "cradle takes no --ratio"},
        {"dominoes", "--seed", "3", "dominoes takes no --seed"},
        {"dominoes", "--bodies", "1", "2 at least"},
        {"boxes", "--ratio", "0.5", "1 or more"},
        {"cradle", "--step", "0", "--step"},
        {"cradle", "--epsilon", "-1", "--epsilon"},
        {"cradle", "--seconds", "1e300", "too many frames"},
        {"cradle", "--push=x", NULL, "--push"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ran r = RAN("pcs", bad[i][0], "-o", at("usage.vtkhdf"), bad[i][1], bad[i][2]);
        EXPECT(ran_failed(&r, 2, bad[i][3], NULL), "^ %s %s", bad[i][0], bad[i][1]);
        EXPECT(!exists(at("usage.vtkhdf")) && !exists_part(at("usage.vtkhdf")), "OUT is there");
        ran_free(&r);
    }
    ran r = RAN("pcs", "cradle", "-o", at("usage.vtkhdf"), "--frames", "3", "--seconds", "1");
    EXPECT(ran_failed(&r, 2, "either --frames or --seconds", NULL), "^ both");
    ran_free(&r);
    r = RAN("pcs", "-o", at("usage.vtkhdf"));
    EXPECT(ran_failed(&r, 2, "a scene is missing", NULL), "^ no scene");
    ran_free(&r);
    r = RAN("pcs", "cradle");
    EXPECT(ran_failed(&r, 2, "-o OUT is missing", NULL), "^ no output");
    ran_free(&r);
    r = RAN("pcs", "--list");
    EXPECT(ran_well(&r) && strstr(r.out, "ball-slope") && strstr(r.out, "dominoes") &&
               strstr(r.out, "boxes") && strstr(r.out, "cradle"),
           "^ --list: %s", r.out);
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"plateaus", test_plateaus},
                                 {"flight", test_flight},
                                 {"rolls_back", test_rolls_back},
                                 {"overlap", test_simulate_overlap},
                                 {"dominoes", test_dominoes},
                                 {"long_frames", test_long_frames},
                                 {"standing", test_standing},
                                 {"cradle", test_cradle},
                                 {"same", test_simulate_same},
                                 {"files", test_simulate_files},
                                 {"verbs", test_simulate_verbs},
                                 {"taken", test_taken},
                                 {"names_beside", test_names_beside},
                                 {"full", test_full},
                                 {"stopped", test_simulate_stopped},
                                 {"diverges", test_diverges},
                                 {"long_steps", test_long_steps},
                                 {"memory", test_simulate_memory},
                                 {"epsilon", test_simulate_epsilon},
                                 {"no_device", test_simulate_no_device},
                                 {"device", test_simulate_device},
                                 {"usage", test_simulate_usage},
                                 {0}};
    return test_main(argc, argv, "simulate", tests);
}
