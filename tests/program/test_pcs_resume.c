/* `impinge pcs` killed or stopped at any moment: --resume ends with the rows, bodies and curve of
 * an uninterrupted run, and leaves nothing beside them. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "json_read.h"
#include "program.h"
#include "testlib.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT "pcs.vtkhdf"
#define WHOLE "whole.vtkhdf"

static int pcs_resume_test_can_run(void)
{
    ran r = RAN("pcs", "cradle", "-o", at("can.vtkhdf"), "--frames", "1", "-q", "--force");
    const int can = r.code == 0;
    ran_free(&r);
    return can;
}

#define NEEDS_ODE                                                                                  \
    if (!pcs_resume_test_can_run())                                                                \
    SKIP("built without ODE")

/* A scene with contacts of many bodies at once, and one of bodies that fly. */
typedef struct scene {
    const char *word[9];
} scene;

static const scene scenes[] = {{{"dominoes", "--bodies", "4", "--frames", "120"}},
                               {{"boxes", "--bodies", "60", "--frames", "40", "--ratio", "8"}}};

static const char *pcs_resume_test_sibling_path(const char *out, const char *suffix)
{
    char name[200];
    const char *ending = strstr(out, ".vtkhdf");
    const int length =
        (int)(ending && *suffix && strncmp(suffix, ".part", 5) ? (size_t)(ending - out)
                                                               : strlen(out));
    snprintf(name, sizeof name, "%.*s%s", length, out, suffix);
    return at(name);
}

static ran pcs_resume_test_simulate(const scene *s, const char *out, const char *more)
{
    const char *line[20] = {"pcs", s->word[0], "-o", at(out), "-q"};
    size_t n = 5;
    for (size_t i = 1; i < 9 && s->word[i]; i++)
        line[n++] = s->word[i];
    line[n] = more;
    return program_run(line);
}

static const char *const suffixes[] = {"",
                                       ".part",
                                       ".part.new",
                                       ".cps.csv",
                                       ".cps.svg",
                                       ".batch.vtkhdf",
                                       ".batch.vtkhdf.part",
                                       ".batch.vtkhdf.part.new",
                                       ".state.part",
                                       ".state.part.new",
                                       ".cps.csv.part"};
#define SUFFIXES (sizeof suffixes / sizeof *suffixes)

static void pcs_resume_test_clear(const char *out)
{
    for (size_t i = 0; i < SUFFIXES; i++)
        unlink(pcs_resume_test_sibling_path(out, suffixes[i]));
}

static void make_whole(const scene *s)
{
    pcs_resume_test_clear(WHOLE);
    ran r = pcs_resume_test_simulate(s, WHOLE, NULL);
    EXPECT(ran_well(&r), "^ undisturbed");
    ran_free(&r);
}

static void check_whole(const char *how, long n)
{
    const char *what = h5_same(at(OUT), at(WHOLE), "VTKHDF");
    EXPECT(!what, "%s %ld: rows: %s", how, n, what);
    what = h5_same(pcs_resume_test_sibling_path(OUT, ".batch.vtkhdf"),
                   pcs_resume_test_sibling_path(WHOLE, ".batch.vtkhdf"), "/");
    EXPECT(!what, "%s %ld: bodies: %s", how, n, what);
    char *x = file_text(pcs_resume_test_sibling_path(OUT, ".cps.csv"), NULL);
    char *y = file_text(pcs_resume_test_sibling_path(WHOLE, ".cps.csv"), NULL);
    EXPECT(!strcmp(x, y), "%s %ld: the curves differ", how, n);
    free(x);
    free(y);
    for (size_t i = 0; i < SUFFIXES; i++)
        EXPECT(!strstr(suffixes[i], ".part") ||
                   !exists(pcs_resume_test_sibling_path(OUT, suffixes[i])),
               "%s %ld: %s is left", how, n, suffixes[i]);
}

static void pcs_resume_test_next_pose(const scene *s, const char *how, long n)
{
    ran r = pcs_resume_test_simulate(s, OUT, "--resume");
    EXPECT(r.code == 0 && !*r.err, "^ going on after %s %ld: %s", how, n, r.err);
    ran_free(&r);
    check_whole(how, n);
    pcs_resume_test_clear(OUT);
}

static long pcs_resume_test_count_changes(const scene *s)
{
    pcs_resume_test_clear(OUT);
    job_fragile("none", 1000000000);
    ran r = pcs_resume_test_simulate(s, OUT, NULL);
    program_plain();
    EXPECT(ran_well(&r), "^ counting");
    ran_free(&r);
    check_whole("counting", 0);
    pcs_resume_test_clear(OUT);
    return job_changes();
}

static void test_pcs_resume_killed(void)
{
    NEEDS_ODE;
    for (size_t k = 0; k < 2; k++) {
        const scene *s = &scenes[k];
        make_whole(s);
        const long all = pcs_resume_test_count_changes(s);
        const uint64_t n = test_count(TEST_SANITIZED ? 6 : 20);
        EXPECT(all > 50, "only %ld changes", all);
        for (uint64_t i = 0; i < n; i++) {
            /* the last changes are renames */
            const long moment = i < 8 ? all - 1 - (long)i : job_moment(all, i, n);
            job_fragile("kill", moment);
            ran r = pcs_resume_test_simulate(s, OUT, NULL);
            program_plain();
            /* the number of commits depends on the clock: the run may have ended before */
            EXPECT(r.code == PROGRAM_SIGNAL + SIGKILL || (!r.code && i < 8), "^ kill %ld: exit %d",
                   moment, r.code);
            ran_free(&r);
            pcs_resume_test_next_pose(s, "kill", moment);
        }
    }
}

/* A resumed run is killed, too. */
static void test_killed_again(void)
{
    NEEDS_ODE;
    const scene *s = &scenes[0];
    make_whole(s);
    const long all = pcs_resume_test_count_changes(s);
    for (uint64_t i = 0; i < test_count(TEST_SANITIZED ? 2 : 6); i++) {
        for (int again = 0; again < 4; again++) {
            job_fragile("kill", all / 3 + (long)i * 7);
            ran r = pcs_resume_test_simulate(s, OUT, again ? "--resume" : NULL);
            program_plain();
            ran_free(&r);
        }
        pcs_resume_test_next_pose(s, "kills", (long)i);
    }
}

/* Rows, bodies and curve all have n frames. */
static void check_same_frames(long n)
{
    size_t rows = 0, poses = 0, bodies = 0;
    free(h5_ints(pcs_resume_test_sibling_path(OUT, ".part"), "impinge/contacts", &rows));
    free(h5_ints(pcs_resume_test_sibling_path(OUT, ".batch.vtkhdf.part"),
                 "impinge/bodies/object_id", &bodies));
    free(h5_reals(pcs_resume_test_sibling_path(OUT, ".batch.vtkhdf.part"), "impinge/bodies/centre",
                  &poses));
    char *curve = file_text(pcs_resume_test_sibling_path(OUT, ".cps.csv.part"), NULL);
    EXPECT(bodies && poses / 3 / bodies == rows + 1 && count_lines(curve) == rows + 1,
           "stop %ld: %zu steps, %zu frames of bodies, %zu lines", n, rows,
           bodies ? poses / 3 / bodies : 0, count_lines(curve));
    free(curve);
}

static void test_pcs_resume_stopped(void)
{
    NEEDS_ODE;
    static const char *const kinds[] = {"int", "term"};
    const scene *s = &scenes[0];
    make_whole(s);
    const long all = pcs_resume_test_count_changes(s);
    for (uint64_t i = 0; i < test_count(TEST_SANITIZED ? 4 : 10); i++) {
        const long moment = job_moment(all * 3 / 4, i + 2, test_count(14));
        job_fragile(kinds[i % 2], moment);
        ran r = pcs_resume_test_simulate(s, OUT, NULL);
        program_plain();
        EXPECT(ran_failed(&r, i % 2 ? 143 : 130, "--resume goes on", NULL), "^ %s %ld",
               kinds[i % 2], moment);
        ran_free(&r);
        check_same_frames(moment);
        pcs_resume_test_next_pose(s, "stop", moment);
    }
}

/* ---- runs that cannot be resumed */

static void stop_half(const scene *s, long all)
{
    pcs_resume_test_clear(OUT);
    job_fragile("kill", all / 2);
    ran r = pcs_resume_test_simulate(s, OUT, NULL);
    program_plain();
    ran_free(&r);
}

static void test_pcs_resume_refused(void)
{
    NEEDS_ODE;
    const scene *s = &scenes[0];
    const scene other = {{"dominoes", "--bodies", "4", "--frames", "120", "--push", "650"}};
    make_whole(s);
    const long all = pcs_resume_test_count_changes(s);
    stop_half(s, all);
    ran r = pcs_resume_test_simulate(s, OUT, NULL);
    EXPECT(ran_failed(&r, 2, "--resume goes on with it", NULL), "^ without --resume");
    ran_free(&r);
    r = pcs_resume_test_simulate(&other, OUT, "--resume");
    EXPECT(ran_failed(&r, 3, "other options", NULL), "^ other options");
    ran_free(&r);
    pcs_resume_test_next_pose(s, "refusals", 0);
    stop_half(s, all);
    r = pcs_resume_test_simulate(s, OUT, "--force");
    EXPECT(ran_well(&r), "^ --force begins anew");
    ran_free(&r);
    check_whole("force", 0);
    r = pcs_resume_test_simulate(s, OUT, "--resume");
    EXPECT(ran_well(&r), "^ it is complete");
    ran_free(&r);
    check_whole("complete", 0);
    pcs_resume_test_clear(OUT);
    stop_half(s, all);
    /* a foreign file there is not replaced, unless there is a run to resume */
    pcs_resume_test_clear(OUT);
    write_text(pcs_resume_test_sibling_path(OUT, ".cps.csv"), "of somebody");
    r = pcs_resume_test_simulate(s, OUT, "--resume");
    EXPECT(ran_failed(&r, 2, ".cps.csv", NULL), "^ a curve of somebody");
    ran_free(&r);
    stop_half(s, all);
    write_text(pcs_resume_test_sibling_path(OUT, ".state.part"),
               "impinge pcs 1\n and nothing else");
    r = pcs_resume_test_simulate(s, OUT, "--resume");
    EXPECT(ran_failed(&r, 3, "damaged; cannot be resumed", NULL), "^ a damaged state");
    ran_free(&r);
    pcs_resume_test_clear(OUT);
    pcs_resume_test_clear(WHOLE);
}

/* Only the batch of bodies is left of a run: its frames stay until --force is given, and --resume
 * names the missing files. */
static void test_alone(void)
{
    NEEDS_ODE;
    static const char *const more[] = {NULL, "--resume"};
    const scene *s = &scenes[0];
    make_whole(s);
    const long all = pcs_resume_test_count_changes(s);
    stop_half(s, all);
    for (size_t i = 0; i < SUFFIXES; i++)
        if (strcmp(suffixes[i], ".batch.vtkhdf.part") != 0)
            unlink(pcs_resume_test_sibling_path(OUT, suffixes[i]));
    for (size_t i = 0; i < 2; i++) {
        ran r = pcs_resume_test_simulate(s, OUT, more[i]);
        EXPECT(ran_failed(&r, 2, ".batch.vtkhdf.part: holds ", NULL) &&
                   strstr(r.err, "finished frame") && strstr(r.err, "--force starts again"),
               "^ bodies alone, %s", more[i] ? more[i] : "plain");
        EXPECT(!more[i] == !strstr(r.err, ".state.part: is missing, so --resume cannot go on"),
               "%s", r.err);
        ran_free(&r);
        for (size_t k = 0; k < SUFFIXES; k++)
            EXPECT(exists(pcs_resume_test_sibling_path(OUT, suffixes[k])) ==
                       !strcmp(suffixes[k], ".batch.vtkhdf.part"),
                   "bodies alone: %s", suffixes[k]);
    }
    ran r = pcs_resume_test_simulate(s, OUT, "--force");
    EXPECT(ran_well(&r), "^ --force begins anew");
    ran_free(&r);
    check_whole("bodies alone", 0);
    pcs_resume_test_clear(OUT);
    pcs_resume_test_clear(WHOLE);
}

/* ---- the same command again */

static void same_members(const char *old, const char *new)
{
    static const char *const paths[] = {"schema",
                                        "scene",
                                        "step",
                                        "epsilon",
                                        "frames",
                                        "bodies",
                                        "primitives",
                                        "device",
                                        "output",
                                        "batch",
                                        "u",
                                        "checks",
                                        "rechecks",
                                        "steps",
                                        "contacts",
                                        "rested",
                                        "inelastic",
                                        "most_in_a_frame.pairs",
                                        "most_in_a_frame.rechecks",
                                        "kinds.vertex-face",
                                        "object_pairs.1.contacts",
                                        "object_pairs.1.first_time",
                                        "seconds.simulated"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *at = json_at(old, paths[i]);
        char *was = strndup(at ? at : "", at ? strcspn(at, ",\n") : 0);
        at = json_at(new, paths[i]);
        EXPECT(*was && at && !strncmp(at, was, strlen(was)), "%s is not %s", paths[i], was);
        free(was);
    }
}

/* The command of a complete result: exit code 0, and the same --json as before. */
static void test_pcs_resume_complete(void)
{
    NEEDS_ODE;
    char option[500];
    const scene *s = &scenes[0];
    pcs_resume_test_clear(OUT);
    unlink(at("sum.json"));
    snprintf(option, sizeof option, "--json=%s", at("sum.json"));
    ran r = pcs_resume_test_simulate(s, OUT, option);
    EXPECT(ran_well(&r), "^ --json");
    ran_free(&r);
    char *first = file_text(at("sum.json"), NULL);
    const char *const line[] = {"pcs",      s->word[0], "-o",       at(OUT), s->word[1], s->word[2],
                                s->word[3], s->word[4], "--resume", option,  NULL};
    r = program_run(line);
    EXPECT(ran_well(&r) && strstr(r.out, "complete, with 120 frames"), "^ again: %s", r.out);
    ran_free(&r);
    char *second = file_text(at("sum.json"), NULL);
    EXPECT(json_valid(second) && json_at(first, "overlap") && !json_at(second, "overlap"),
           "overlap is not kept");
    same_members(first, second);
    write_text(at("other.json"), "of somebody");
    snprintf(option, sizeof option, "--json=%s", at("other.json"));
    r = program_run(line);
    EXPECT(ran_failed(&r, 2, "other.json: exists already", NULL), "^ a file of somebody");
    ran_free(&r);
    char *curve = file_text(pcs_resume_test_sibling_path(OUT, ".cps.csv"), NULL);
    *strrchr(curve, ',') = 0;
    write_text(pcs_resume_test_sibling_path(OUT, ".cps.csv"), curve);
    snprintf(option, sizeof option, "--json=%s", at("sum.json"));
    r = program_run(line);
    EXPECT(ran_failed(&r, 3, ".cps.csv: is not the curve of ", NULL), "^ a curve that was cut");
    ran_free(&r);
    free(curve);
    free(first);
    free(second);
    pcs_resume_test_clear(OUT);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"killed", test_pcs_resume_killed},
                                 {"killed_again", test_killed_again},
                                 {"stopped", test_pcs_resume_stopped},
                                 {"refused", test_pcs_resume_refused},
                                 {"alone", test_alone},
                                 {"complete", test_pcs_resume_complete},
                                 {0}};
    return test_main(argc, argv, "pcs_resume", tests);
}
