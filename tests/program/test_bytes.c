/* The same command writes the same bytes at any time: HDF5 would store in each object the second at
 * which it was created, and an input that is made again would count as another one. */
#include "expect.h"
#include "json_read.h"
#include "program.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

#define CPU "--device", "cpu"
#define SECOND 1.1 /* a little more */

static const char mesh[] = "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\no two\nf 1 2 4\n";

/* Runs the command `words` with the output `name`. */
static void bytes_make(const char *name, const char *const *words)
{
    const char *line[24] = {NULL};
    size_t n = 0;
    for (; words[n] && n < 18; n++)
        line[n] = words[n];
    line[n++] = "-o";
    line[n++] = at(name);
    line[n++] = "--force";
    line[n++] = "-q";
    ran r = program_run(line);
    EXPECT(r.code == 0, "^ %s %s: %s", words[0], words[1], r.err);
    ran_free(&r);
}
#define MAKE(name, ...) bytes_make(name, (const char *const[]){__VA_ARGS__, NULL})

static void expect_same(const char *name, const char *again)
{
    size_t n[2] = {0};
    char *x = file_text(at(name), &n[0]), *y = file_text(at(again), &n[1]);
    size_t i = 0;
    while (i < n[0] && i < n[1] && x[i] == y[i])
        i++;
    EXPECT(n[0] > 1000 && n[0] == n[1] && i == n[0], "%s and %s: %zu and %zu bytes, byte %zu", name,
           again, n[0], n[1], i);
    free(x);
    free(y);
}

/* Runs all commands that make batches, before and after a second has passed. */
static void bytes_make_all(const char *suffix)
{
    char out[5][40];
    static const char *const names[5] = {"cloth", "tissue", "bodies", "text", "grid"};
    for (int i = 0; i < 5; i++)
        snprintf(out[i], sizeof out[i], "%s%s", names[i], suffix);
    MAKE(out[0], "generate", "cloth-ball", "-n", "500", "--frames", "2");
    MAKE(out[1], "generate", "scalpel", "-n", "400", "--frames", "12");
    MAKE(out[2], "generate", "missile", "-n", "300", "--frames", "3");
    MAKE(out[3], "convert", at("mesh.obj"), at("mesh2.obj"), "--groups", "--weld", "0");
    MAKE(out[4], "convert", at("tissue.vtkhdf"), "--weld", "1e-9");
}

static void test_bytes_batches(void)
{
    write_text(at("mesh.obj"), mesh);
    write_text(at("mesh2.obj"), mesh);
    bytes_make_all(".vtkhdf");
    program_sleep(SECOND);
    bytes_make_all(".again.vtkhdf");
    expect_same("cloth.vtkhdf", "cloth.again.vtkhdf");
    expect_same("tissue.vtkhdf", "tissue.again.vtkhdf");
    expect_same("bodies.vtkhdf", "bodies.again.vtkhdf");
    expect_same("text.vtkhdf", "text.again.vtkhdf");
    expect_same("grid.vtkhdf", "grid.again.vtkhdf");
}

static int bytes_pcs(const char *out)
{
    ran r = RAN("pcs", "dominoes", "-o", at(out), "--frames", "12", "-q", "--force");
    const int can = r.code == 0;
    EXPECT(can || ran_failed(&r, 1, "without ODE", NULL), "^ pcs");
    ran_free(&r);
    return can;
}

static void test_bytes_bodies(void)
{
    if (!bytes_pcs("row.vtkhdf"))
        SKIP("built without ODE");
    program_sleep(SECOND);
    bytes_pcs("again.vtkhdf");
    expect_same("row.batch.vtkhdf", "again.batch.vtkhdf");
}

/* A scene that is generated again counts as the same input. */
static void test_bytes_resume(void)
{
    MAKE("scene.vtkhdf", "generate", "cloth-ball", "-n", "500", "--frames", "4");
    MAKE("rows.vtkhdf", "run", at("scene.vtkhdf"), CPU);
    program_sleep(SECOND);
    MAKE("scene.vtkhdf", "generate", "cloth-ball", "-n", "500", "--frames", "4");
    ran r = RAN("run", at("scene.vtkhdf"), "-o", at("rows.vtkhdf"), "--resume", "-q", CPU);
    EXPECT(ran_well(&r), "^ --resume");
    ran_free(&r);
    r = RAN("check", at("rows.vtkhdf"), "--input", at("scene.vtkhdf"), "-q");
    EXPECT(ran_well(&r), "^ check");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"batches", test_bytes_batches},
                                 {"bodies", test_bytes_bodies},
                                 {"resume", test_bytes_resume},
                                 {0}};
    return test_main(argc, argv, "bytes", tests);
}
