/* `impinge bench`: what it prints; its figures are in bench/. */
#include "expect.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <string.h>
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
    ran r = RAN("bench", in, CPU, "--paced");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld\n%n", &seconds, &pairs, &end) == 2 &&
               seconds > 0 && pairs >= 0 && !r.out[end],
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
}
int main(int argc, char **argv)
{
    static const test tests[] = {
        {"bench_objects", test_bench_objects},
        {"bench_paced", test_bench_paced},
        {0},
    };
    return test_main(argc, argv, "bench", tests);
}
