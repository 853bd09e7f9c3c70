/* run --contacts: the rows with Crossing 1 of a run without the option, however the work is
 * divided, in the result, its counts, the document and the exit code; results with another choice
 * are not mixed. Other tests show that Crossing is right. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "near_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CROSSING "VTKHDF/CellData/Crossing"
#define CELLS 60

/* Cells on few points, of which many only touch: triangles, or triangles and tetrahedra. */
static const char *contacts_batch(int solids)
{
    make m = {.unstructured = solids, .cells = {{.name = "ObjectId"}}};
    rng r = {(uint64_t)solids + 5};
    int64_t types[CELLS], id[4 * CELLS], n = 0;
    for (int64_t i = 0; i < CELLS; i++) {
        types[i] = solids && i % 2 ? 10 : 5;
        for (int k = 0; k < (types[i] == 10 ? 4 : 3); k++, n++)
            id[n] = n;
    }
    make_part_of(&m, n, CELLS, types, id);
    for (int64_t i = 0; i < CELLS; i++)
        make_add(&m.cells[0].value, i % 3);
    for (size_t f = 0; f < FRAMES; f++) {
        make_step(&m, (double)f, 0, 1, (int64_t)m.points.count / 3, 0, 0);
        for (int64_t v = 0; v < n; v++)
            make_points(&m, 1, (double[]){rng_below(&r, 6), rng_below(&r, 6), rng_below(&r, 6)});
    }
    const char *path = make_write(&m, solids ? "solids.vtkhdf" : "triangles.vtkhdf");
    make_free(&m);
    return path;
}

/* Two triangles, of which one vertex is on the other. */
static const char *contacts_touch(void)
{
    make m = {0};
    make_part(&m, 6, 2, (const int64_t[]){0, 1, 2, 3, 4, 5});
    make_step_next(&m, 0, 1);
    make_points(&m, 6, (double[]){0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 0, 1, 1, 3, 2, 1, 3});
    const char *path = make_write(&m, "touch.vtkhdf");
    make_free(&m);
    return path;
}

static int64_t *contacts_column(const char *path, size_t count)
{
    size_t n = 0;
    int64_t *value = h5_ints(path, CROSSING, &n);
    CU_ASSERT_EQUAL_FATAL(n, count);
    return value;
}

/* OUT has the rows of WHOLE that cross. */
static void check_contacts_filtered(void)
{
    rows all = read_rows(WHOLE), some = read_rows(OUT);
    int64_t *crossing = contacts_column(WHOLE, all.count), *left = contacts_column(OUT, some.count);
    size_t n = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (!crossing[i])
            continue;
        EXPECT(n < some.count && left[n] == 1 && some.a[n] == all.a[i] && some.b[n] == all.b[i] &&
                   some.kind[n] == all.kind[i] && some.frame[n] == all.frame[i] &&
                   !memcmp(some.point + 6 * n, all.point + 6 * i, sizeof(double[6])),
               "row %zu", i);
        n++;
    }
    EXPECT(n == some.count && n > FRAMES && n + FRAMES < all.count, "%zu of %zu, not %zu",
           some.count, all.count, n);
    free(crossing);
    free(left);
    free_rows(&all);
    free_rows(&some);
}

static void test_contacts_crossing(void)
{
    for (int solids = 0; solids < 2; solids++) {
        const char *in = contacts_batch(solids);
        RUN_WITH(in, "--contacts", "all");
        copy_file(OUT, WHOLE);
        RUN_WITH(in, "--pairs", "all");
        const char *what = h5_same(WHOLE, OUT, "VTKHDF");
        EXPECT(!what, "--contacts all: %s", what);
        RUN_WITH(in, "--contacts", "crossing");
        check_contacts_filtered();
        RUN_WITH(in, "--contacts", "crossing", "--adjacent", "test", "--on-bad", "skip");
        ran c = RAN("check", OUT, "--input", in, "-q");
        EXPECT(ran_well(&c), "^ check");
        ran_free(&c);
    }
}

static void test_contacts_divided(void)
{
    for (int solids = 0; solids < 2; solids++) {
        const char *in = contacts_batch(solids);
        check_rows_divided(in, "--contacts=crossing", NULL, NULL);
        RUN_WITH(in, "--contacts", "crossing", "--space", "3");
        check_distances_same("--space 3");
        check_distances_merge(in, "--contacts=crossing", "--space=3", NULL);
        check_rows_divided(in, "--end-features", NULL, NULL);
        RUN_WITH(in, "--end-features", "--space", "3");
        check_distances_same("--space 3");
        check_distances_merge(in, "--end-features", "--space=3", NULL);
    }
}

/* ---- counts and the exit code */

static void check_contacts_exit(const char *in, const char *choice, int code, double contacts)
{
    ran r = RAN("run", in, "-o", OUT, "--force", CPU, "-q", "--json", "--fail-on-collision",
                "--contacts", choice);
    EXPECT(r.code == code, "--contacts %s: exit %d", choice, r.code);
    EXPECT(json_number(r.out, "contacts") == contacts, "--contacts %s: %g", choice,
           json_number(r.out, "contacts"));
    ran_free(&r);
}

static void test_contacts_counts(void)
{
    const char *in = contacts_touch();
    check_contacts_exit(in, "all", 10, 1);
    check_contacts_exit(in, "crossing", 0, 0);
}

/* ---- damage, and other choices */

/* A result without the column can be read; check misses it. test_check_values changes its values.
 */
static void test_contacts_damaged(void)
{
    const char *in = contacts_batch(0);
    RUN_WITH(in, "--contacts", "crossing");
    h5_remove(OUT, CROSSING);
    ran r = RAN("info", OUT);
    EXPECT(ran_well(&r), "^ info");
    ran_free(&r);
    r = RAN("check", OUT, "--input", in);
    EXPECT(ran_failed(&r, 1, "its rows have the wrong columns", NULL), "^ check");
    ran_free(&r);
}

static void check_contacts_resumed(const char *in, const char *was, const char *is,
                                   const char *word)
{
    const char *more = at("other.vtkhdf");
    unlink(more);
    ran r = RAN("run", in, "-o", more, "-q", CPU, "--contacts", was);
    EXPECT(ran_well(&r), "^ %s", word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--contacts", is);
    EXPECT(ran_failed(&r, 2, "cannot be resumed: it was made with other options", word), "^ %s",
           word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--contacts", was);
    EXPECT(ran_well(&r), "^ again, %s", word);
    ran_free(&r);
}

/* Results with another choice are neither continued nor joined. */
static void test_contacts_other(void)
{
    const char *in = contacts_batch(0), *shard[2] = {at("s0.vtkhdf"), at("s1.vtkhdf")};
    check_contacts_resumed(in, "all", "crossing", "--contacts was not given, is crossing");
    check_contacts_resumed(in, "crossing", "all", "--contacts was crossing, is not given");
    for (int i = 0; i < 2; i++) {
        ran r = RAN("run", in, "-o", shard[i], "-q", CPU, "--shard", i ? "1/2" : "0/2",
                    "--contacts", i ? "all" : "crossing");
        EXPECT(ran_well(&r), "^ shard %d", i);
        ran_free(&r);
    }
    ran r = RAN("merge", at("join.vtkhdf"), shard[0], shard[1]);
    EXPECT(ran_failed(&r, 3, shard[1], "other options"), "^ merge");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"crossing", test_contacts_crossing}, {"divided", test_contacts_divided},
        {"counts", test_contacts_counts},     {"damaged", test_contacts_damaged},
        {"other", test_contacts_other},       {0}};
    return test_main(argc, argv, "contacts", tests);
}
