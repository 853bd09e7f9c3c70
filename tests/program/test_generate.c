/* `generate` as a user runs it: scenes of tetrahedra through files, and settings. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

#define CPU "--device", "cpu"

/* Parts of the frames of a file: their numbers of cells and their ids. */
typedef struct listed {
    size_t frames, parts, names;
    int64_t *part, *cells, *first, *id;
} listed;

static listed generate_test_read_names(const char *path)
{
    listed l;
    size_t n;
    l.part = h5_ints(path, "VTKHDF/Steps/PartOffsets", &l.frames);
    l.cells = h5_ints(path, "VTKHDF/NumberOfCells", &l.parts);
    l.first = h5_ints(path, "VTKHDF/Steps/CellDataOffsets/PrimitiveId", &n);
    CU_ASSERT_EQUAL_FATAL(n, l.frames);
    l.id = h5_ints(path, "VTKHDF/CellData/PrimitiveId", &l.names);
    return l;
}

static void free_names(listed *l)
{
    free(l->part);
    free(l->cells);
    free(l->first);
    free(l->id);
}

static void test_generate_scalpel(void)
{
    const char *in = at("scalpel.vtkhdf"), *out = at("scalpel.out.vtkhdf");
    ran r = RAN("generate", "scalpel", "-n", "600", "-o", in, "--force");
    EXPECT(ran_well(&r) && strstr(r.out, "120 frames of 600 to ") != NULL, "^ it says %s", r.out);
    ran_free(&r);
    listed l = generate_test_read_names(in);
    CU_ASSERT(l.frames == 120 && l.parts > 20 && l.parts < 120);
    size_t names = 0;
    for (size_t i = 0; i < l.parts; i++)
        names += (size_t)l.cells[i];
    CU_ASSERT_EQUAL(names, l.names);
    for (size_t f = 1; f < l.frames; f++) { /* each mesh once, with its ids */
        int64_t cells = l.part[f] == l.part[f - 1] ? 0 : l.cells[l.part[f - 1]];
        CU_ASSERT_EQUAL(l.first[f], l.first[f - 1] + cells);
    }
    free_names(&l);
    r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--frames", "0:120:7");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    r = RAN("check", out, "--input", in);
    EXPECT(ran_well(&r), "^ check");
    ran_free(&r);
}

/* Coherence: rows of unmoved primitives are the same with --update keep, also if the mesh changes.
 */
static void test_scalpel_kept(void)
{
    const char *in = at("kept.vtkhdf"), *out = at("kept.out.vtkhdf"), *anew = at("anew.vtkhdf");
    ran r = RAN("generate", "scalpel", "-n", "3000", "-o", in, "--force", "--set", "begin=30",
                "--frames", "24", "--float32", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--update", "keep");
    EXPECT(ran_well(&r), "^ keep");
    ran_free(&r);
    r = RAN("run", in, "-o", anew, CPU, "--force", "-q", "--update", "rebuild");
    EXPECT(ran_well(&r), "^ rebuild");
    ran_free(&r);
    const char *what = h5_same(out, anew, "VTKHDF");
    EXPECT(!what, "%s", what);
}

static void test_tissue_fold(void)
{
    const char *in = at("fold.vtkhdf"), *out = at("fold.out.vtkhdf");
    ran r = RAN("generate", "tissue-fold", "-n", "2000", "-o", in, "--force", "--set", "begin=36",
                "--set=overlap=0.1", "--set", "overlap=0.5", "--frames", "4");
    EXPECT(ran_well(&r) && strstr(r.out, " primitives, ") != NULL, "^ it says %s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--fail-on-collision");
    CU_ASSERT_EQUAL(r.code, 10);
    ran_free(&r);
    r = RAN("check", out, "--input", in, "-q");
    EXPECT(ran_well(&r), "^ check");
    ran_free(&r);
}

/* Both bodies have poses; steps, too, have the contacts that exact arithmetic finds. */
static void test_generate_aircraft(void)
{
    const char *in = at("hit.vtkhdf"), *out = at("hit.out.vtkhdf");
    ran r = RAN("generate", "missile", "-n", "900", "-o", in, "--force", "-q", "--set",
                "target=aircraft", "--set", "begin=2.6", "--set", "step=0.01", "--frames", "12");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("info", in);
    EXPECT(!r.code && strstr(r.out, "1 (aircraft)") && strstr(r.out, "2 (missile)"), "^ %s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--continuous", "--fail-on-collision");
    CU_ASSERT_EQUAL(r.code, 10);
    ran_free(&r);
    r = RAN("check", out, "--input", in, "-q");
    EXPECT(ran_well(&r), "^ check");
    ran_free(&r);
}

static void test_generate_settings(void)
{
    const char *out = at("none.vtkhdf");
    static const char *const bad[][2] = {
        {"depth=2", "from 0.1 to 0.9"},
        {"begin=1.5", "no whole number"},
        {"depth=1e999", "depth=NUMBER"},
        {"depth=", "depth=NUMBER"},
        {"=1", "no setting ''"},
        {"deepth=0.5", "perhaps depth"},
        {"depth = 0.5", "no setting 'depth '"},
        {"depth=0.5x", "depth=NUMBER"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ran r = RAN("generate", "scalpel", "-o", out, "--set", "open=0", "--set", bad[i][0]);
        EXPECT(ran_failed(&r, 2, bad[i][1], NULL), "^ %s", bad[i][0]);
        CU_ASSERT(!exists(out) && !exists_part(out));
        ran_free(&r);
    }
    ran r = RAN("generate", "--list");
    EXPECT(ran_well(&r) && strstr(r.out, "--set depth=0.6") != NULL &&
               strstr(r.out, "--set target=building") != NULL && strstr(r.out, "building or"),
           "^ --list: %s", r.out);
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"scalpel", test_generate_scalpel},   {"scalpel_kept", test_scalpel_kept},
        {"tissue_fold", test_tissue_fold},    {"aircraft", test_generate_aircraft},
        {"settings", test_generate_settings}, {0}};
    return test_main(argc, argv, "generate", tests);
}
