/* See program_job.h. */
#include "program_job.h"

#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- running */

void sample_job_line(const sample_job *j, const char *out, const char *more,
                     const char *line[JOB_LINE])
{
    const char *const begin[] = {"run", j->in,       "-o", out, "--device",
                                 "cpu", "--threads", "1",  "-q"};
    int n = sizeof begin / sizeof *begin;
    memcpy(line, begin, sizeof begin);
    for (int i = 0; j->option[i]; i++)
        line[n++] = j->option[i];
    if (more)
        line[n++] = more;
    line[n] = NULL;
}

ran sample_job_run(const sample_job *j, const char *out, const char *more)
{
    const char *line[JOB_LINE];
    sample_job_line(j, out, more, line);
    return program_run(line);
}

void sample_job_remove(const sample_job *j)
{
    char fresh[600];
    snprintf(fresh, sizeof fresh, "%s.new", j->part);
    unlink(j->out);
    unlink(j->part);
    unlink(fresh);
}

/* ---- jobs */

/* Runs the job once without interruption. */
static sample_job job_test_begin(const char *about, const char *in, const char *const option[7])
{
    sample_job j = {about, in, at("job.out"), at("job.out.part"), at("job.whole"), {0}};
    memcpy(j.option, option, 7 * sizeof *option);
    unlink(j.whole);
    sample_job_remove(&j);
    ran r = sample_job_run(&j, j.whole, NULL);
    EXPECT(ran_well(&r), "^ %s: without interruption", about);
    ran_free(&r);
    const char *what = h5_sound(j.whole);
    EXPECT(!what, "%s: the whole result: %s", about, what);
    return j;
}

sample_job sample_job_small(const char *about)
{
    static const char *const option[7] = {"--block", "1"};
    make m = {0};
    make_moving(&m, 7, 60, 5);
    make_write(&m, "small.vtkhdf");
    make_free(&m);
    return job_test_begin(about, at("small.vtkhdf"), option);
}

static const char *job_test_generate(const char *primitives, const char *frames)
{
    const char *in = at("scene.vtkhdf");
    ran r = RAN("generate", "hostile", "-o", in, "--primitives", primitives, "--frames", frames,
                "--force", "-q");
    EXPECT(ran_well(&r), "^ a scene");
    ran_free(&r);
    return in;
}

sample_job sample_job_large(const char *about)
{
    static const char *const option[7] = {"--stage", "candidates", "--block",
                                          "1",       "--broad",    "brute"};
    return job_test_begin(about, job_test_generate("400", "6"), option);
}

sample_job sample_job_long(const char *about, const char *block)
{
    const char *const option[7] = {"--broad", "brute", "--block", block};
    return job_test_begin(about, job_test_generate("700", "30"), option);
}

/* ---- conditions that hold after any end */

int64_t sample_job_check_part(const sample_job *j, const char *how, long n)
{
    int64_t done = -1;
    if (!exists(j->part))
        return -1;
    const char *what = h5_begins(j->part, j->whole, &done);
    EXPECT(!what, "%s, %s %ld: OUT.part: %s", j->about, how, n, what);
    return done;
}

void job_check_whole(const sample_job *j, const char *how, long n)
{
    int64_t done;
    const char *what = h5_same(j->out, j->whole, "VTKHDF");
    EXPECT(!what, "%s, %s %ld: OUT: %s", j->about, how, n, what);
    what = h5_begins(j->whole, j->out, &done); /* with the tables of /impinge */
    EXPECT(!what, "%s, %s %ld: OUT: %s", j->about, how, n, what);
    what = h5_sound(j->out);
    EXPECT(!what, "%s, %s %ld: OUT: %s", j->about, how, n, what);
    EXPECT(!exists_part(j->out), "%s, %s %ld: OUT.part beside OUT", j->about, how, n);
}

void job_go_on(const sample_job *j, const char *how, long n)
{
    if (!exists(j->out)) {
        ran r = sample_job_run(j, j->out, exists(j->part) ? "--resume" : NULL);
        EXPECT(ran_well(&r), "^ %s, going on after %s %ld", j->about, how, n);
        ran_free(&r);
    }
    job_check_whole(j, how, n);
    sample_job_remove(j);
}

/* ---- exact moments */

void job_fragile(const char *kind, long n)
{
    static char text[40];
    snprintf(text, sizeof text, "%s:%ld", kind, n);
    unlink(at("count"));
    program_set(&(program_how){.program = IMP_FRAGILE,
                               .variable = {{"IMPINGE_FRAGILE", text},
                                            {"IMPINGE_FRAGILE_COUNT", at("count")},
                                            {"IMPINGE_HASTY", "1"}}});
}

long job_changes(void)
{
    if (!exists(at("count")))
        return 0;
    char *text = file_text(at("count"), NULL);
    long n = strtol(text, NULL, 10);
    free(text);
    return n;
}

long job_count_of(const sample_job *j, const char *kind, const char *more)
{
    job_fragile(kind, 1000000000);
    ran r = sample_job_run(j, j->out, more);
    program_plain();
    EXPECT(ran_well(&r), "^ %s: counting", j->about);
    ran_free(&r);
    job_check_whole(j, "counting", 0);
    sample_job_remove(j);
    EXPECT(job_changes() > 20, "%s, %s: only %ld events", j->about, kind, job_changes());
    return job_changes();
}

long job_count(const sample_job *j, const char *more)
{
    return job_count_of(j, "none", more);
}

void job_kill(const sample_job *j, long n, const char *more)
{
    job_fragile("kill", n);
    ran r = sample_job_run(j, j->out, more);
    program_plain();
    EXPECT(r.code == PROGRAM_SIGNAL + SIGKILL, "%s, kill %ld: exit %d: %s", j->about, n, r.code,
           r.err);
    if (!exists(j->out)) /* otherwise it was killed after the last rename */
        sample_job_check_part(j, "kill", n);
    ran_free(&r);
}

void job_kill_half(const sample_job *j)
{
    sample_job_remove(j);
    long half = job_count(j, NULL) / 2;
    job_kill(j, half, NULL);
    EXPECT(sample_job_check_part(j, "kill", half) > 1, "%s: no frames are committed", j->about);
}

long job_moment(long all, uint64_t i, uint64_t n)
{
    return (long)((2 * i + 1) * (uint64_t)all / (2 * n));
}
