/* `impinge bench`: its output. Its figures are tested in bench/. */
#include "expect.h"
#include "json_read.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

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

/* The document counts each contact and its objects once, not per repetition; times are ordered. */
static void test_bench_json(void)
{
    const char *in = make_batch();
    ran r = RAN("bench", in, CPU, "--reps", "4", "--json");
    EXPECT(ran_well(&r) && json_valid(r.out), "^ --json: %s", r.out);
    const double kinds = json_number(r.out, "kinds.point") + json_number(r.out, "kinds.segment") +
                         json_number(r.out, "kinds.area") + json_number(r.out, "kinds.duplicate"),
                 pairs = json_number(r.out, "object_pairs.0.contacts"),
                 least = json_number(r.out, "seconds.total.min");
    EXPECT(kinds > 0 && kinds == json_number(r.out, "contacts") && pairs > 0,
           "%g contacts of all kinds, %g of two objects: %s", kinds, pairs, r.out);
    EXPECT(least > 0 && least <= json_number(r.out, "seconds.total.median"), "%s", r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--paced");
    EXPECT(ran_failed(&r, 2, "--paced", NULL), "^ an option of bench_job");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"bench_objects", test_bench_objects},
        {"bench_json", test_bench_json},
        {0},
    };
    return test_main(argc, argv, "bench", tests);
}
