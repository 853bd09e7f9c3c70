/* bench_job: `impinge bench` for developers. */
#include "device.h"
#include "expect.h"
#include "internal.h"
#include "json_read.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The next RAN runs bench_job, not the product. */
static void job_next(const char *std_in)
{
    program_set(&(program_how){.program = IMP_BENCH_JOB, .std_in = std_in});
}

/* Runs bench_job once; after that, RAN runs the product again. */
#define RAN_JOB(...) (job_next(NULL), job_ran(RAN("bench", __VA_ARGS__)))

static ran job_ran(ran r)
{
    program_plain();
    return r;
}

/* --paced: one repetition at the start, and one for each line until stdin ends. */
static void test_bench_job_paced(void)
{
    const char *in = make_batch();
    double seconds = -1;
    long long pairs = -1;
    int end = 0;
    ran r = RAN("run", in, "-o", at("paced.vtkhdf"), CPU, "--json", "-q");
    const double contacts = json_number(r.out, "contacts");
    EXPECT(ran_well(&r) && contacts > 0, "^ run: %s", r.out);
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--paced");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld\n%n", &seconds, &pairs, &end) == 2 &&
               seconds > 0 && (double)pairs == contacts && !r.out[end],
           "^ --paced: %s", r.out);
    ran_free(&r);
    write_text(at("lines"), "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    job_next(at("lines"));
    r = RAN("bench", in, CPU, "--paced");
    EXPECT(ran_well(&r) && count_lines(r.out) == 21, "^ --paced, 20 lines: %s", r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--paced", "--reps", "3");
    EXPECT(ran_well(&r) && count_lines(r.out) == 4, "^ --paced --reps 3: %s", r.out);
    ran_free(&r);
    program_plain();
    r = RAN_JOB(in, CPU, "--paced", "--queries");
    EXPECT(ran_failed(&r, 2, "--queries", "--continuous"), "^ without steps");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--paced", "--queries", "--continuous", "--stage", "candidates");
    EXPECT(ran_failed(&r, 2, "--queries", "--stage"), "^ of candidates");
    ran_free(&r);
}

/* Steps: the number of contacts, or of feature pairs that are tested. */
static void test_bench_job_continuous(void)
{
    const char *in = at("sheets.vtkhdf");
    double seconds = -1, whole = -1;
    long long pairs = -1, found = -1;
    ran r = RAN("generate", "sheets", "-n", "1000", "-o", in, "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("run", in, "--continuous", "-o", at("step.vtkhdf"), CPU, "--json", "-q");
    const double contacts = json_number(r.out, "contacts");
    const double features =
        json_number(r.out, "candidates_vf") + json_number(r.out, "candidates_ee");
    EXPECT(ran_well(&r) && contacts > 0 && features > contacts, "^ run: %s", r.out);
    ran_free(&r);
    r = RAN_JOB(in, "--continuous", CPU, "--paced");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &whole, &found) == 2 &&
               (double)found == contacts,
           "^ --continuous: %s", r.out);
    ran_free(&r);
    r = RAN_JOB(in, "--continuous", CPU, "--paced", "--queries");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &seconds, &pairs) == 2 && seconds > 0 &&
               (double)pairs == features,
           "^ --queries: %s", r.out);
    ran_free(&r);
    r = RAN_JOB(in, "--continuous", CPU, "--paced", "--stage", "candidates");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &seconds, &pairs) == 2 && seconds > 0 &&
               (double)pairs == features,
           "^ candidates: %s", r.out);
    ran_free(&r);
    unlink(in);
}

/* ---- --against: the other program is a script that answers with made-up times */

/* A script that stores its arguments in a file, then runs `lines`. */
static const char *make_rival(const char *lines)
{
    const char *path = at("rival.sh");
    char text[2000];
    snprintf(text, sizeof text, "#!/bin/sh\nprintf '%%s\\n' \"$@\" > %s\n%s\n", at("arguments"),
             lines);
    write_text(path, text);
    CU_ASSERT_FATAL(!chmod(path, 0755));
    return path;
}

/* A script that answers with these times and a number of contacts; its first repetition is not
 * counted. */
static const char *make_racer(const char *seconds, long long contacts)
{
    char lines[1000];
    snprintf(lines, sizeof lines,
             "for s in %s; do echo $s %lld; read line || exit 0; done\n"
             "echo no more >&2; exit 1",
             seconds, contacts);
    return make_rival(lines);
}

static long long bench_job_test_count(const char *in, const char *stage)
{
    double seconds;
    long long count = -1;
    ran r = RAN_JOB(in, CPU, "--paced", "--stage", stage);
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &seconds, &count) == 2, "^ %s", r.out);
    ran_free(&r);
    return count;
}

/* Reads the two numbers of the line that begins with `name`; returns 0 if there is no such line. */
static int job_times(const char *text, const char *name, double *least, double *median)
{
    const char *at = strstr(text, name);
    return at && sscanf(at + strlen(name), "%lf %lf", least, median) == 2;
}

static void test_against(void)
{
    const char *in = make_batch();
    double own[2], rival_ms[2], ratio[2];
    const char *rival = make_racer("99 8 2 4 16", bench_job_test_count(in, "contacts"));
    ran r = RAN_JOB(in, CPU, "--reps", "4", "--against", rival);
    EXPECT(ran_well(&r) && strstr(r.out, rival), "^ %s", r.out);
    EXPECT(job_times(r.out, "\nthis ", &own[0], &own[1]) &&
               job_times(r.out, "\nagainst ", &rival_ms[0], &rival_ms[1]) &&
               job_times(r.out, "\nratio ", &ratio[0], &ratio[1]),
           "%s", r.out);
    EXPECT(rival_ms[0] == 2000 && rival_ms[1] == 8000, "%s", r.out);
    for (int i = 0; i < 2; i++)
        EXPECT(own[i] > 0 && fabs(1e-3 * ratio[i] * rival_ms[i] - own[i]) <= 5, "%s", r.out);
    ran_free(&r);
}

/* The other program gets all options that choose work, except those at their default. */
static void test_against_options(void)
{
    const char *in = make_batch(), *list = at("list.txt");
    write_text(list, "5 -2\n5 -9\n");
    const char *rival = make_racer("1 1 1", 1);
    char want[1000];
    size_t size;
    ran r = RAN_JOB(in, "--device", "cpu", "--reps", "1", "--against", rival, "--dop", "18",
                    "--cell", "0.1", "--pairs", "between", "--stage", "candidates", "--mem-limit",
                    "1G", "--object-pairs", list, "--frames", "1:");
    EXPECT(ran_well(&r), "^ %s", r.out);
    ran_free(&r);
    char *given = file_text(at("arguments"), &size);
    snprintf(want, sizeof want,
             "bench\n--paced\n--quiet\n--device=cpu\n--pairs=between\n--object-pairs=%s\n"
             "--stage=candidates\n--dop=18\n--cell=0.10000000000000001\n--frames=1:\n"
             "--mem-limit=1073741824\n--\n%s\n",
             list, in);
    EXPECT(given && !strcmp(given, want), "given:\n%swanted:\n%s", given, want);
    free(given);
    /* an option without a value, however the run ends */
    r = RAN_JOB(in, "--device", "cpu", "--reps", "1", "--against", rival, "--continuous");
    ran_free(&r);
    given = file_text(at("arguments"), &size);
    EXPECT(given && strstr(given, "\n--continuous\n"), "given:\n%s", given);
    free(given);
    /* else the two times would be of different work */
    r = RAN_JOB(in, "--device", "cpu", "--reps", "1", "--against", rival, "--stage", "candidates",
                "--listed");
    EXPECT(ran_well(&r), "^ --listed");
    ran_free(&r);
    given = file_text(at("arguments"), &size);
    EXPECT(given && strstr(given, "\n--listed\n"), "given:\n%s", given);
    free(given);
}

static void test_against_bad(void)
{
    const char *in = make_batch();
    long long contacts = bench_job_test_count(in, "contacts"),
              found = bench_job_test_count(in, "candidates");
    ran r = RAN_JOB(in, CPU, "--against", make_racer("1 1 1 1 1 1 1 1", contacts + 1));
    EXPECT(ran_failed(&r, 1, "rival.sh", "contacts"), "^ other contacts");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--stage", "candidates", "--against",
                make_racer("1 1 1 1 1 1 1 1", found + 1));
    EXPECT(ran_well(&r), "^ other candidates");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--against", make_racer("1 1 1", contacts));
    EXPECT(ran_failed(&r, 1, "rival.sh", "no more"), "^ it ends too soon");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--against", make_rival("echo one two; cat"));
    EXPECT(ran_failed(&r, 1, "rival.sh", "seconds and contacts"), "^ its answer is none");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--stage", "candidates", "--listed", "--against",
                make_rival("echo unknown option --listed >&2; exit 2"));
    EXPECT(ran_failed(&r, 1, "rival.sh", "unknown option --listed"), "^ it is older");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--against", make_rival("kill -9 $$"));
    EXPECT(ran_failed(&r, 1, "rival.sh", "signal 9"), "^ it is killed");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--against", at("none"));
    EXPECT(ran_failed(&r, 3, at("none"), NULL), "^ it is not there");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--against", at("rival.sh"), "--paced");
    EXPECT(ran_failed(&r, 2, "--paced", "--against"), "^ both");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--against", at("rival.sh"), "--object-pairs", "-");
    EXPECT(ran_failed(&r, 2, "--object-pairs", "--against"), "^ two readers of stdin");
    ran_free(&r);
}

/* Both programs are bench_job: the socket, the order, the end. */
static void test_against_itself(void)
{
    const char *in = make_batch();
    double least, median;
    ran r = RAN_JOB(in, CPU, "--against", IMP_BENCH_JOB);
    EXPECT(ran_well(&r) && job_times(r.out, "\nratio ", &least, &median) && least > 0, "^ %s",
           r.out);
    ran_free(&r);
}

/* The number of contacts in the text of a run without --paced: "IN, N contacts (DEVICE, METHOD)".
 */
static long long job_contacts(const char *text)
{
    long long n = -1;
    const char *at = strstr(text, "vtkhdf, ");
    return at && sscanf(at, "vtkhdf, %lld", &n) == 1 ? n : -1;
}

/* An OpenCL CPU device can act as a GPU, and the output says so. */
static void test_bench_job_as_gpu(void)
{
    const char *in = make_batch();
    imp_device_info info = {0};
    char number[24] = "", line[400];
    for (size_t i = 1; !*number && imp_device_at(i, &info); i++)
        if (!info.is_gpu)
            snprintf(number, sizeof number, "%zu", i);
    if (!*number)
        SKIP("no OpenCL device that is a CPU");
    ran host = RAN_JOB(in, CPU, "--reps", "1");
    ran r = RAN_JOB(in, "--device", number, "--as-gpu", "3", "--reps", "1");
    EXPECT(ran_well(&r), "^ bench --as-gpu: %.400s", r.out);
    EXPECT(job_contacts(host.out) > 0 && job_contacts(r.out) == job_contacts(host.out),
           "other contacts");
    snprintf(line, sizeof line, "(%.100s, %.200s, as a GPU of 3 units, ", info.platform, info.name);
    EXPECT(strstr(r.out, line), "%s, not %s", r.out, line);
    ran_free(&r);
    ran_free(&host);
}

/* Host kernels for a lower ISA than the processor's find the same contacts, and `devices` tells
 * which one is used; an ISA that the processor lacks, or another device, is an error. */
static void test_bench_job_isa(void)
{
    const char *in = make_batch();
    ran widest = RAN_JOB(in, CPU, "--reps", "1");
    const long long contacts = job_contacts(widest.out);
    EXPECT(contacts > 0, "no contacts");
    static const char *const names[] = {NULL, "base", "v3", "v4"};
    for (int isa = IMP_ISA_BASE; isa <= IMP_ISA_V4; isa++) {
        ran r = RAN_JOB(in, CPU, "--isa", names[isa], "--reps", "1");
        if (device_cpu_has(isa))
            EXPECT(ran_well(&r) && job_contacts(r.out) == contacts, "%s", names[isa]);
        else
            EXPECT(ran_failed(&r, 4, "instruction set", names[isa]), "^ %s", names[isa]);
        ran_free(&r);
    }
    ran r = RAN_JOB(in, "--isa", "v3");
    EXPECT(ran_failed(&r, 2, "--isa", "--device cpu"), "^ --isa without a device");
    ran_free(&r);
    r = RAN_JOB(in, CPU, "--isa", "v3", "--against", "/bin/true");
    EXPECT(ran_failed(&r, 2, "--isa", "--against"), "^ --isa and --against");
    ran_free(&r);
    ran_free(&widest);
}

/* Options that exclude each other, and values out of range. */
static void test_bench_job_usage(void)
{
    static const char *const bad[][6] = {
        {"IN", "--as-gpu", "--device", "opencl"},
        {"IN", "--as-gpu", "0", "--device", "opencl"},
        {"IN", "--as-gpu", "65537", "--device", "opencl"},
        {"IN", "--as-gpu", "8"},
        {"IN", "--as-gpu", "8", "--device", "auto"},
        {"IN", "--as-gpu", "8", "--device", "CPU"},
        {"IN", "--as-gpu", "8", "--device", "00"},
        {"IN", "--in-edges"},
        {"IN", "--in-edges", "--distance", "1", "--against", "x"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ran r = RAN_JOB(bad[i][0], bad[i][1], bad[i][2], bad[i][3], bad[i][4], bad[i][5]);
        EXPECT(ran_failed(&r, 2,
                          i < 3   ? "--as-gpu"
                          : i < 7 ? "--device"
                                  : "--in-edges",
                          NULL),
               "^ row %zu", i);
        ran_free(&r);
    }
    ran r = RAN_JOB("IN", "--as-gpu", "8", "--device", "opencl", "--against", "x");
    EXPECT(ran_failed(&r, 2, "--as-gpu", "--against"), "^ both");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"paced", test_bench_job_paced},   {"continuous", test_bench_job_continuous},
        {"against", test_against},         {"against_options", test_against_options},
        {"against_bad", test_against_bad}, {"against_itself", test_against_itself},
        {"as_gpu", test_bench_job_as_gpu}, {"isa", test_bench_job_isa},
        {"usage", test_bench_job_usage},   {0},
    };
    return test_main(argc, argv, "bench_job", tests);
}
