/* PrimitiveId of a batch: in the rows of its result, and for `check`. test_collide_txt.c tests it
 * in collide.txt. */
#include "expect.h"
#include "h5_make.h"
#include "h5_read.h"
#include "run_rows.h"

#include <stdlib.h>
#include <string.h>

#define CELLS 60
#define ID_A "VTKHDF/CellData/PrimitiveIdA"
#define ID_B "VTKHDF/CellData/PrimitiveIdB"

/* Every frame has its own ids. */
static int64_t primitive_ids_test_name(int64_t frame, int64_t cell)
{
    return 1000 - 37 * cell + (int64_t)1000000007 * frame;
}

static const char *primitive_ids_test_named_batch(int unstructured, hid_t type)
{
    make m = {.unstructured = unstructured, .cells = {{.name = "PrimitiveId", .type = type}}};
    if (unstructured)
        make_moving_mixed(&m, 4, CELLS, 3);
    else
        make_moving(&m, 4, CELLS, 3);
    for (int64_t f = 0; f < 4; f++) {
        make_add(&m.cells[0].offset, CELLS * f);
        for (int64_t i = 0; i < CELLS; i++)
            make_add(&m.cells[0].value, primitive_ids_test_name(f, i));
    }
    const char *path = make_write(&m, "named.vtkhdf");
    make_free(&m);
    return path;
}

static void check_primitive_ids_names(const rows *r)
{
    size_t a, b;
    int64_t *id_a = h5_ints(at("out.vtkhdf"), ID_A, &a),
            *id_b = h5_ints(at("out.vtkhdf"), ID_B, &b);
    EXPECT(a == r->count && b == r->count, "%zu and %zu names, %zu rows", a, b, r->count);
    for (size_t i = 0; i < r->count && i < a; i++) {
        int64_t f = r->input_frame[r->frame[i]];
        EXPECT(id_a[i] == primitive_ids_test_name(f, r->a[i]) &&
                   id_b[i] == primitive_ids_test_name(f, r->b[i]),
               "row %zu has the names %lld %lld", i, (long long)id_a[i], (long long)id_b[i]);
    }
    free(id_a);
    free(id_b);
}

static void test_primitive_ids_names(void)
{
    for (int unstructured = 0; unstructured < 2; unstructured++) {
        const char *in = primitive_ids_test_named_batch(unstructured, 0), *out = at("out.vtkhdf");
        RUN_WITH(in, "--frames", "::-1");
        rows r = read_rows(out);
        EXPECT(r.count > 20, "%zu rows", r.count);
        check_primitive_ids_names(&r);
        ran c = RAN("check", out, "--input", in);
        EXPECT(ran_well(&c), "^ check");
        ran_free(&c);
        h5_poke(out, ID_B, r.count - 1, 5);
        c = RAN("check", out, "--input", in);
        EXPECT(c.code == 1 && strstr(c.err, "has wrong names"), "exit %d: %s", c.code, c.err);
        ran_free(&c);
        free_rows(&r);
    }
}

/* The greatest id of int64, and one beyond it, which HDF5 would clamp to the former. */
static void test_primitive_ids_large(void)
{
    const char *in = primitive_ids_test_named_batch(0, H5T_STD_U64LE),
               *name = "/VTKHDF/CellData/PrimitiveId";
    uint64_t all[4 * CELLS];
    for (uint64_t i = 0; i < 4 * CELLS; i++)
        all[i] = 7 * i;
    for (int large = 0; large < 2; large++) {
        hid_t file = H5Fopen(in, H5F_ACC_RDWR, H5P_DEFAULT),
              set = H5Dopen2(file, name, H5P_DEFAULT);
        all[100] = (UINT64_C(1) << 63) - 1 + (uint64_t)large;
        CU_ASSERT(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
        H5Dclose(set);
        H5Fclose(file);
        ran r = RAN("run", in, "-o", at("large.vtkhdf"), "--force", "-q");
        EXPECT(large ? ran_failed(&r, 3, "named.vtkhdf", name) &&
                           strstr(r.err, "cell 40 of frame 1 has 9223372036854775808")
                     : ran_well(&r),
               "exit %d: %s", r.code, r.err);
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"names", test_primitive_ids_names}, {"large", test_primitive_ids_large}, {0}};
    return test_main(argc, argv, "names", tests);
}
