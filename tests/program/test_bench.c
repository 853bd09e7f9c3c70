/* `impinge bench`: what it prints; its figures are in bench/. */
#include "device.h"
#include "expect.h"
#include "json_read.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Counting the objects of so many triangles takes memory of its own, which the limit must allow. */
static void test_bench_objects(void)
{
    const char *in = at("spheres.vtkhdf");
    ran r = RAN("generate", "spheres", "-n", "400000", "-o", in, "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "1", "--pairs", "between", "-q");
    EXPECT(ran_well(&r), "^ bench of many objects");
    ran_free(&r);
    unlink(in);
}

/* The repetition that comes at once, and one for each line until stdin ends. */
static void test_bench_paced(void)
{
    const char *in = make_batch();
    double seconds = -1;
    long long pairs = -1;
    int end = 0;
    ran r = RAN("run", in, "-o", at("paced.vtkhdf"), CPU, "--json", "-q");
    const double contacts = json_number(r.out, "contacts");
    EXPECT(ran_well(&r) && contacts > 0, "^ run: %s", r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--paced");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld\n%n", &seconds, &pairs, &end) == 2 &&
               seconds > 0 && (double)pairs == contacts && !r.out[end],
           "^ --paced: %s", r.out);
    ran_free(&r);
    write_text(at("lines"), "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    program_set(&(program_how){.std_in = at("lines")});
    r = RAN("bench", in, CPU, "--paced");
    EXPECT(ran_well(&r) && count_lines(r.out) == 21, "^ --paced, 20 lines: %s", r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--paced", "--reps", "3");
    EXPECT(ran_well(&r) && count_lines(r.out) == 4, "^ --paced --reps 3: %s", r.out);
    ran_free(&r);
    program_plain();
    r = RAN("bench", in, CPU, "--paced", "--json");
    EXPECT(ran_failed(&r, 2, "--paced", "--json"), "^ both");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--paced", "--queries");
    EXPECT(ran_failed(&r, 2, "--queries", "--continuous"), "^ without steps");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--paced", "--queries", "--continuous", "--stage", "candidates");
    EXPECT(ran_failed(&r, 2, "--queries", "--stage"), "^ of candidates");
    ran_free(&r);
}

/* Between frames: contacts, or the number of pairs of features that are tested. */
static void test_bench_continuous(void)
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
    r = RAN("bench", in, "--continuous", CPU, "--paced");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &whole, &found) == 2 &&
               (double)found == contacts,
           "^ --continuous: %s", r.out);
    ran_free(&r);
    r = RAN("bench", in, "--continuous", CPU, "--paced", "--queries");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &seconds, &pairs) == 2 && seconds > 0 &&
               (double)pairs == features,
           "^ --queries: %s", r.out);
    ran_free(&r);
    r = RAN("bench", in, "--continuous", CPU, "--paced", "--stage", "candidates");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &seconds, &pairs) == 2 && seconds > 0 &&
               (double)pairs == features,
           "^ candidates: %s", r.out);
    ran_free(&r);
    unlink(in);
}

/* ---- --against: the other program is a script that answers with times that are made up */

/* It keeps its arguments in a file, then does what the lines say. */
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

/* The one that answers with seconds and so many contacts, the first being not counted. */
static const char *make_racer(const char *seconds, long long contacts)
{
    char lines[1000];
    snprintf(lines, sizeof lines,
             "for s in %s; do echo $s %lld; read line || exit 0; done\n"
             "echo no more >&2; exit 1",
             seconds, contacts);
    return make_rival(lines);
}

static long long bench_test_count(const char *in, const char *stage)
{
    double seconds;
    long long count = -1;
    ran r = RAN("bench", in, CPU, "--paced", "--stage", stage);
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld", &seconds, &count) == 2, "^ %s", r.out);
    ran_free(&r);
    return count;
}

static int bench_test_is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_against(void)
{
    const char *in = make_batch();
    long long contacts = bench_test_count(in, "contacts");
    const char *rival = make_racer("99 8 2 4 16", contacts);
    ran r = RAN("bench", in, CPU, "--reps", "4", "--against", rival, "--json");
    EXPECT(ran_well(&r) && json_valid(r.out), "^ --json: %s", r.out);
    const char *name = json_at(r.out, "against.program");
    EXPECT(name && strstr(name, rival), "%s", r.out);
    EXPECT(json_number(r.out, "against.contacts") == (double)contacts, "%s", r.out);
    EXPECT(json_number(r.out, "against.seconds.min") == 2, "%s", r.out);
    EXPECT(json_number(r.out, "against.seconds.median") == 8, "%s", r.out);
    EXPECT(bench_test_is_near(json_number(r.out, "against.ratio.min") * 2,
                              json_number(r.out, "seconds.total.min")),
           "%s", r.out);
    EXPECT(bench_test_is_near(json_number(r.out, "against.ratio.median") * 8,
                              json_number(r.out, "seconds.total.median")),
           "%s", r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "4", "--against", rival);
    EXPECT(ran_well(&r) && strstr(r.out, rival) && strstr(r.out, "2000.000     8000.000"), "^ %s",
           r.out);
    ran_free(&r);
}

/* It is given all that chooses work, and nothing that has its default. */
static void test_against_options(void)
{
    const char *in = make_batch(), *list = at("list.txt");
    write_text(list, "5 -2\n5 -9\n");
    const char *rival = make_racer("1 1 1", 1);
    char want[1000];
    size_t size;
    ran r = RAN("bench", in, "--device", "cpu", "--reps", "1", "--against", rival, "--json",
                "--dop", "18", "--cell", "0.1", "--pairs", "between", "--stage", "candidates",
                "--mem-limit", "1G", "--object-pairs", list, "--frames", "1:");
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
    /* without a value, whatever comes of it */
    r = RAN("bench", in, "--device", "cpu", "--reps", "1", "--against", rival, "--continuous");
    ran_free(&r);
    given = file_text(at("arguments"), &size);
    EXPECT(given && strstr(given, "\n--continuous\n"), "given:\n%s", given);
    free(given);
}

static void test_against_bad(void)
{
    const char *in = make_batch();
    long long contacts = bench_test_count(in, "contacts"),
              found = bench_test_count(in, "candidates");
    ran r = RAN("bench", in, CPU, "--against", make_racer("1 1 1 1 1 1 1 1", contacts + 1));
    EXPECT(ran_failed(&r, 1, "rival.sh", "contacts"), "^ other contacts");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--stage", "candidates", "--against",
            make_racer("1 1 1 1 1 1 1 1", found + 1));
    EXPECT(ran_well(&r), "^ other candidates");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--against", make_racer("1 1 1", contacts));
    EXPECT(ran_failed(&r, 1, "rival.sh", "no more"), "^ it ends too soon");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--against", make_rival("echo one two; cat"));
    EXPECT(ran_failed(&r, 1, "rival.sh", "seconds and contacts"), "^ its answer is none");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--against", make_rival("kill -9 $$"));
    EXPECT(ran_failed(&r, 1, "rival.sh", "signal 9"), "^ it is killed");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--against", at("none"));
    EXPECT(ran_failed(&r, 3, at("none"), NULL), "^ it is not there");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--against", at("rival.sh"), "--paced");
    EXPECT(ran_failed(&r, 2, "--paced", "--against"), "^ both");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--against", at("rival.sh"), "--object-pairs", "-");
    EXPECT(ran_failed(&r, 2, "--object-pairs", "--against"), "^ two readers of stdin");
    ran_free(&r);
    char json[300];
    snprintf(json, sizeof json, "--json=%s", at("rival.sh"));
    r = RAN("bench", in, CPU, "--against", at("rival.sh"), json, "--force");
    EXPECT(ran_failed(&r, 2, "--json", "rival.sh"), "^ the program is not replaced");
    ran_free(&r);
}

/* Both are this program: the socket, the order, the end. */
static void test_against_itself(void)
{
    const char *in = make_batch();
    ran r = RAN("bench", in, CPU, "--against", IMP_PROGRAM, "--json");
    EXPECT(ran_well(&r) && json_number(r.out, "against.ratio.min") > 0 &&
               json_number(r.out, "against.contacts") == json_number(r.out, "contacts"),
           "^ %s", r.out);
    double kinds = json_number(r.out, "kinds.point") + json_number(r.out, "kinds.segment") +
                   json_number(r.out, "kinds.area") + json_number(r.out, "kinds.duplicate"),
           pairs = json_number(r.out, "object_pairs.0.contacts");
    EXPECT(kinds > 0 && kinds == json_number(r.out, "contacts") && pairs > 0,
           "%g contacts of all kinds, %g of two objects: %s", kinds, pairs, r.out);
    ran_free(&r);
}

/* Where OpenCL has a CPU device it can act as a GPU, and says so. */
static void test_bench_as_gpu(void)
{
    const char *in = make_batch();
    imp_device_info info = {0};
    char number[24] = "", line[400];
    for (size_t i = 1; !*number && imp_device_at(i, &info); i++)
        if (!info.is_gpu)
            snprintf(number, sizeof number, "%zu", i);
    if (!*number)
        SKIP("no OpenCL device that is a CPU");
    ran host = RAN("bench", in, CPU, "--reps", "1", "--json");
    ran r = RAN("bench", in, "--device", number, "--as-gpu", "3", "--reps", "1", "--json");
    EXPECT(ran_well(&r) && json_valid(r.out), "^ bench --as-gpu: %.400s", r.out);
    double contacts = json_number(host.out, "contacts");
    EXPECT(contacts > 0 && json_number(r.out, "contacts") == contacts, "other contacts");
    snprintf(line, sizeof line, "\"%.100s, %.200s, as a GPU of 3 units\"", info.platform,
             info.name);
    const char *name = json_at(r.out, "device");
    EXPECT(name && !strcmp(name, line), "device: %s, not %s", name, line);
    ran_free(&r);
    ran_free(&host);
}

/* The host's kernels for less than the processor has find the same, and devices tells which is
 * used; what it lacks, or another device, is an error. */
static void test_bench_isa(void)
{
    const char *in = make_batch();
    ran widest = RAN("bench", in, CPU, "--reps", "1", "--json");
    double contacts = json_number(widest.out, "contacts");
    EXPECT(contacts > 0, "no contacts");
    static const char *const names[] = {NULL, "base", "v3", "v4"};
    for (int isa = IMP_ISA_BASE; isa <= IMP_ISA_V4; isa++) {
        ran r = RAN("bench", in, CPU, "--isa", names[isa], "--reps", "1", "--json");
        if (device_cpu_has(isa))
            EXPECT(ran_well(&r) && json_number(r.out, "contacts") == contacts, "%s", names[isa]);
        else
            EXPECT(ran_failed(&r, 4, "instruction set", names[isa]), "^ %s", names[isa]);
        ran_free(&r);
    }
    ran r = RAN("bench", in, "--isa", "v3");
    EXPECT(ran_failed(&r, 2, "--isa", "--device cpu"), "^ --isa without a device");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--isa", "v3", "--against", "/bin/true");
    EXPECT(ran_failed(&r, 2, "--isa", "--against"), "^ --isa and --against");
    ran_free(&r);
    ran_free(&widest);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"bench_objects", test_bench_objects},
        {"bench_paced", test_bench_paced},
        {"bench_continuous", test_bench_continuous},
        {"against", test_against},
        {"against_options", test_against_options},
        {"against_bad", test_against_bad},
        {"against_itself", test_against_itself},
        {"as_gpu", test_bench_as_gpu},
        {"isa", test_bench_isa},
        {0},
    };
    return test_main(argc, argv, "bench", tests);
}
