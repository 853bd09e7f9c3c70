/* See near_files.h. */
#include "near_files.h"

#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"

#include <stdlib.h>
#include <string.h>

near_rows distances_read(const char *path)
{
    size_t n;
    near_rows out = {.r = read_rows(path)};
    out.weight[0] = h5_reals(path, "VTKHDF/CellData/BarycentricA", &n);
    CU_ASSERT(n == 4 * out.r.count);
    out.weight[1] = h5_reals(path, "VTKHDF/CellData/BarycentricB", &n);
    out.normal = h5_reals(path, "VTKHDF/CellData/Normal", &n);
    CU_ASSERT(n == 3 * out.r.count);
    out.feature[0] = h5_ints(path, "VTKHDF/CellData/FeatureA", &n);
    out.feature[1] = h5_ints(path, "VTKHDF/CellData/FeatureB", &n);
    return out;
}

void distances_free(near_rows *n)
{
    void *all[] = {n->weight[0], n->weight[1], n->normal, n->feature[0], n->feature[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free_rows(&n->r);
}

const char *distances_moving(int solids)
{
    make m = {.unstructured = solids};
    if (solids)
        make_moving_mixed(&m, FRAMES, TRIANGLES, 7);
    else
        make_moving(&m, FRAMES, TRIANGLES, 7);
    const char *path = make_write(&m, solids ? "solids.vtkhdf" : "triangles.vtkhdf");
    make_free(&m);
    return path;
}

int distances_same_row(const near_rows *x, size_t i, const near_rows *y, size_t j)
{
    return x->r.frame[i] == y->r.frame[j] && x->r.a[i] == y->r.a[j] && x->r.b[i] == y->r.b[j] &&
           x->r.kind[i] == y->r.kind[j] && x->feature[0][i] == y->feature[0][j] &&
           x->feature[1][i] == y->feature[1][j] && x->r.distance[i] == y->r.distance[j] &&
           !memcmp(x->r.point + 6 * i, y->r.point + 6 * j, 6 * sizeof(double)) &&
           !memcmp(x->weight[0] + 4 * i, y->weight[0] + 4 * j, 4 * sizeof(double)) &&
           !memcmp(x->weight[1] + 4 * i, y->weight[1] + 4 * j, 4 * sizeof(double)) &&
           !memcmp(x->normal + 3 * i, y->normal + 3 * j, 3 * sizeof(double));
}

void check_distances_same(const char *about)
{
    const char *what = h5_same(WHOLE, OUT, "VTKHDF");
    EXPECT(!what, "%s: %s", about, what);
}

void check_distances_merge(const char *in, const char *first, const char *more, const char *last)
{
    const int slabs = more && !strncmp(more, "--space", 7);
    const char *shard[3] = {at("shard0.vtkhdf"), at("shard1.vtkhdf"), at("shard2.vtkhdf")};
    for (int i = 0; i < 3; i++) {
        const char number[] = {(char)('0' + i), '/', '3', 0};
        ran r = RAN("run", in, "-o", shard[i], "--force", "-q", CPU, first, "--shard", number, more,
                    last);
        EXPECT(ran_warned(&r), "^ shard %d", i);
        ran_free(&r);
    }
    for (int copy = 0; copy < 2; copy++) {
        ran r = RAN("merge", OUT, "--force", "-q", shard[2], shard[0], shard[1],
                    copy    ? "--copy"
                    : slabs ? NULL
                            : "--virtual");
        EXPECT(ran_well(&r), "^ merge, %d", copy);
        ran_free(&r);
        const char *what =
            copy || slabs ? h5_same(WHOLE, OUT, "VTKHDF") : h5_same_virtual(WHOLE, OUT);
        EXPECT(!what, "merge, copy %d: %s", copy, what);
        EXPECT(!strcmp(h5_origin(WHOLE, "options"), h5_origin(OUT, "options")), "options");
    }
}

void check_rows_divided(const char *in, const char *first, const char *second, const char *third)
{
    static const char *const ways[][2] = {{"--block", "1"},       {"--block", "4"},
                                          {"--mem-limit", "30M"}, {"--broad", "grid"},
                                          {"--broad", "hash"},    {"--update", "keep"}};
    RUN_WITH(in, first, second, third);
    copy_file(OUT, WHOLE);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        RUN_WITH(in, ways[i][0], ways[i][1], first, second, third);
        check_distances_same(ways[i][1]);
    }
    check_distances_merge(in, first, second, third);
    ran c = RAN("check", WHOLE, "--input", in, "-q");
    EXPECT(ran_well(&c), "^ check of %s", first);
    ran_free(&c);
    rows r = read_rows(WHOLE);
    EXPECT(r.count >= FRAMES, "%s: %zu rows", first, r.count);
    free_rows(&r);
}
