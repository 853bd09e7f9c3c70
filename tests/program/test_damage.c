/* Damaged files: truncated at any place, or with bytes changed. The program must neither crash nor
 * hang, and must not compute results from a truncated file. */
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *bytes; /* the undamaged file */
static size_t size;

static void write_damaged(const char *path, size_t length)
{
    FILE *f = fopen(path, "wb");
    int good = f && fwrite(bytes, 1, length, f) == length;
    CU_ASSERT_FATAL(good && !fclose(f));
}

static void damage_load(const make *m)
{
    const char *path = make_write(m, "whole.vtkhdf");
    free(bytes);
    bytes = file_text(path, &size);
}

/* ---- truncation */

static void check_cut(size_t length)
{
    const char *path = at("cut.vtkhdf"), *out = at("cut.out");
    write_damaged(path, length);
    ran r = RAN("run", path, "-o", out, "--device", "cpu");
    EXPECT(ran_failed(&r, 3, path, NULL), "^ cut off at %zu of %zu bytes", length, size);
    EXPECT(!exists(out) && !exists_part(out), "cut off at %zu: something is left", length);
    ran_free(&r);
}

/* Truncates everywhere: near the beginning, at the end, and between. */
static void check_cuts(const make *m, size_t steps)
{
    damage_load(m);
    for (size_t n = 0; n < 100; n += 25)
        check_cut(n);
    for (size_t i = 1; i < steps; i++)
        check_cut(size * i / steps);
    check_cut(size - 1);
}

static void test_cut(void)
{
    for (int storage = 0; storage < 4; storage++) {
        make m = {.storage = (enum make_storage)storage};
        make_moving(&m, 6, 20, 1);
        check_cuts(&m, test_count(10));
        make_free(&m);
    }
}

static void test_cut_given(void)
{
    char path[600];
    if (!test_data())
        SKIP("shared/data is not here");
    snprintf(path, sizeof path, "%s/warping_spheres.vtkhdf", test_data());
    free(bytes);
    bytes = file_text(path, &size);
    for (size_t i = 1; i < test_count(12); i++)
        check_cut(size / test_count(12) * i);
    check_cut(size - 1);
}

/* A truncated result: info, check and --resume. */
static void test_cut_result(void)
{
    make m = {0};
    make_moving(&m, 4, 20, 1);
    const char *in = make_write(&m, "whole.vtkhdf"), *out = at("result.vtkhdf");
    const char *part = at("result.vtkhdf.part");
    ran r = RAN("run", in, "-o", out, "--device", "cpu");
    EXPECT(ran_well(&r), "^ the result");
    ran_free(&r);
    free(bytes);
    bytes = file_text(out, &size);
    unlink(out);
    for (size_t i = 0; i < 10; i++) {
        write_damaged(part, size * i / 10);
        r = RAN("info", part);
        EXPECT(ran_failed(&r, 3, part, NULL), "^ info of %zu tenths", i);
        ran_free(&r);
        r = RAN("check", part, "--input", in);
        EXPECT(ran_failed(&r, 3, part, NULL), "^ check of %zu tenths", i);
        ran_free(&r);
        r = RAN("run", in, "-o", out, "--device", "cpu", "--resume");
        EXPECT(ran_failed(&r, 3, part, NULL), "^ --resume of %zu tenths", i);
        EXPECT(file_size(part) == (long)(size * i / 10), "a part that is refused was changed");
        EXPECT(!exists(out), "OUT is there");
        ran_free(&r);
    }
    unlink(part);
    make_free(&m);
}

/* ---- changed bytes */

static int refused, taken; /* damaged files by outcome; both counts must be positive */

static int acceptable(int code)
{
    refused += code == 3;
    taken += code == 0;
    return code == 0 || code == 3 || code == 5;
}

/* A small file that uses every feature. */
static void damage_small_batch(make *m, int variant)
{
    *m = (make){.unstructured = variant & 1,
                .storage = (enum make_storage)(variant >> 1 & 3),
                .cells = {{.name = "ObjectId"}, {.name = "PrimitiveId"}}};
    if (m->unstructured)
        make_moving_mixed(m, 3, 8, 1);
    else
        make_moving(m, 3, 8, 1);
    for (int64_t i = 0; i < 8; i++) {
        make_add(&m->cells[0].value, i / 4);
        make_add(&m->cells[1].value, i);
    }
    for (int f = 0; f < 3; f++)
        make_add(&m->cells[0].offset, 0);
}

static void change_byte(char *b, rng *r)
{
    static const signed char likely[] = {0, 1, 2, 3, 4, 8, 16, 127, -128, -1};
    switch (rng_below(r, 4)) {
    case 0:
        *b = (char)rng_next(r);
        break;
    case 1:
        *b = (char)(*b ^ (1 << rng_below(r, 8)));
        break;
    case 2:
        *b = (char)(*b + (rng_below(r, 2) ? 1 : -1));
        break;
    default:
        *b = (char)likely[rng_below(r, sizeof likely)];
    }
}

/* Changes random bytes. Metadata lie at the beginning and between; most of the rest is data. */
static void damage(rng *r)
{
    uint32_t n = 1 + rng_below(r, 3) * rng_below(r, 4);
    while (n-- > 0) {
        size_t place = rng_below(r, (uint32_t)size);
        if (rng_below(r, 2)) /* prefer a byte that is not 0: zeros are mostly unused */
            for (int tries = 0; tries < 50 && !bytes[place]; tries++)
                place = rng_below(r, (uint32_t)size);
        change_byte(&bytes[place], r);
        if (rng_below(r, 8) == 0 && place + 8 < size)
            memset(bytes + place, rng_below(r, 2) ? -1 : 0, 1 + rng_below(r, 8));
    }
}

static void check_damage_damaged(const char *const *arguments, const char *about,
                                 unsigned long long seed)
{
    ran r = program_run(arguments);
    EXPECT(acceptable(r.code), "%s: mutation %llu: exit %d: %.300s", about, seed, r.code, r.err);
    if (r.code)
        EXPECT(ran_failed(&r, r.code, NULL, NULL), "^ %s: mutation %llu", about, seed);
    ran_free(&r);
}

/* Each mutation starts from the whole file and has its own seed, so that it can be repeated. */
static void test_damage_mutations(void)
{
    if (TEST_SANITIZED)
        SKIP("HDF5 1.10 itself leaks and reads past its buffers on some");
    const char *path = at("changed.vtkhdf"), *out = at("changed.out");
    refused = taken = 0;
    for (uint64_t i = 0; i < test_count(240); i++) {
        make m;
        rng r = {1000 + i};
        damage_small_batch(&m, (int)(i % 8));
        damage_load(&m);
        make_free(&m);
        damage(&r);
        write_damaged(path, size);
        check_damage_damaged((const char *const[]){"run", path, "-o", out, "--device", "cpu", "-q",
                                                   "--on-bad", "skip", "--force", NULL},
                             "run", i);
        EXPECT(!exists_part(out), "mutation %llu: OUT.part is there", (unsigned long long)i);
        unlink(out);
    }
    EXPECT(refused > 20 && taken > 20, "%d refused, %d not", refused, taken);
    program_plain();
}

/* Damage in a result must not harm its readers. A check may find a difference. */
static void test_result_mutations(void)
{
    if (TEST_SANITIZED)
        SKIP("HDF5 1.10 itself leaks and reads past its buffers on some");
    make m = {0};
    make_moving(&m, 3, 8, 1);
    const char *in = make_write(&m, "whole.vtkhdf"), *out = at("result.vtkhdf");
    const char *part = at("result.vtkhdf.part");
    ran r = RAN("run", in, "-o", out, "--device", "cpu", "--force");
    EXPECT(ran_well(&r), "^ the result");
    ran_free(&r);
    refused = taken = 0;
    for (uint64_t i = 0; i < test_count(40); i++) {
        rng g = {5000 + i};
        free(bytes);
        bytes = file_text(out, &size);
        damage(&g);
        write_damaged(part, size);
        check_damage_damaged((const char *const[]){"info", part, NULL}, "info", i);
        r = RAN("check", part, "--input", in, "-q");
        EXPECT(acceptable(r.code) || r.code == 1, "check: mutation %llu: exit %d: %.300s",
               (unsigned long long)i, r.code, r.err);
        ran_free(&r);
        r = RAN("run", in, "-o", at("resumed.vtkhdf"), "--device", "cpu", "--resume", "-q");
        ran_free(&r);
        copy_file(part, at("resumed.vtkhdf.part"));
        r = RAN("run", in, "-o", at("resumed.vtkhdf"), "--device", "cpu", "--resume", "-q");
        EXPECT(acceptable(r.code) || r.code == 1, "--resume: mutation %llu: exit %d: %.300s",
               (unsigned long long)i, r.code, r.err);
        ran_free(&r);
        unlink(at("resumed.vtkhdf"));
        unlink(at("resumed.vtkhdf.part"));
    }
    EXPECT(refused > 3 && taken > 3, "%d refused, %d not", refused, taken);
    program_plain();
    make_free(&m);
}

/* Nothing but noise after the signature. */
static void test_noise(void)
{
    rng r = {3};
    size = 4096;
    for (uint64_t i = 0; i < test_count(20); i++) {
        free(bytes);
        bytes = malloc(size);
        CU_ASSERT_FATAL(bytes != NULL);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (char)rng_next(&r);
        memcpy(bytes, "\x89HDF\r\n\x1a\n", 8);
        bytes[8] = (char)(i % 4); /* version of the superblock */
        check_cut(size);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"cut", test_cut},
                                 {"cut_given", test_cut_given},
                                 {"cut_result", test_cut_result},
                                 {"mutations", test_damage_mutations},
                                 {"result_mutations", test_result_mutations},
                                 {"noise", test_noise},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    int failed = test_main(argc, argv, "damage", tests);
    free(bytes);
    return failed;
}
