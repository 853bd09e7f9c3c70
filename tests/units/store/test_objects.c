/* The object of each primitive of a batch, and the ids of its primitives. */
#include "check_batch.h"
#include "error.h"
#include "expect.h"
#include "layouts.h"

#include <stdio.h>
#include <string.h>

static void fill_cells(make_cells *c, size_t n, rng *r)
{
    static const int64_t values[] = {0, 1, 7, -1, INT32_MAX, INT32_MIN, 7, 7};
    for (size_t i = 0; i < n; i++)
        make_add(&c->value, values[rng_below(r, 8)]);
}

/* One row for each triangle, used by all steps of the same topology. */
static void test_objects_static(void)
{
    rng r = {5};
    for (const layout *l = layouts; l->name; l++)
        for (int variant = 0; variant < 4; variant++) {
            make m = {.unstructured = l->solids || (variant & 1)};
            l->build(&m, &r);
            m.cells[0].name = "ObjectId";
            m.cells[0].type = variant & 2 ? H5T_STD_I32LE : H5T_STD_I64LE;
            fill_cells(&m.cells[0], m.types.count, &r);
            snprintf(about, sizeof about, "objects, %s", l->name);
            check_file(&m, make_write(&m, "objects.vtkhdf"), BATCH_OBJECT_ID, &m.cells[0],
                       l->is_static);
            make_free(&m);
        }
}

/* CellDataOffsets give each step its own rows, or shared ones. */
static void test_objects_per_step(void)
{
    rng r = {6};
    for (int shared = 0; shared < 2; shared++) {
        make m = {.steps_columns = shared};
        layout_static(&m, &r);
        m.cells[1].name = "ObjectId";
        fill_cells(&m.cells[1], 5 * 11 + 2, &r);
        for (int f = 0; f < 5; f++)
            make_add(&m.cells[1].offset, shared ? 2 : 2 + 11 * f);
        snprintf(about, sizeof about, "objects by step, shared %d", shared);
        check_file(&m, make_write(&m, "objects.vtkhdf"), BATCH_OBJECT_ID, &m.cells[1], shared);
        make_free(&m);
    }
}

static void test_objects_array(void)
{
    rng r = {7};
    make m = {0};
    layout_changing(&m, &r);
    m.cells[0] = (make_cells){.name = "ObjectId"};
    m.cells[1] = (make_cells){.name = "a b=c", .type = H5T_STD_U8LE};
    for (size_t i = 0; i < m.types.count; i++) {
        make_add(&m.cells[0].value, 1);
        make_add(&m.cells[1].value, rng_below(&r, 256));
    }
    const char *path = make_write(&m, "array.vtkhdf");
    snprintf(about, sizeof about, "objects by another array");
    check_file(&m, path, BATCH_ARRAY, &m.cells[1], 0);
    mem memory = {0};
    batch *b;
    CU_ASSERT_EQUAL(batch_open(&memory, path, BATCH_ARRAY, "none", &b), IMP_ERR_INPUT);
    EXPECT(strstr(imp_error_text(), path) && strstr(imp_error_text(), "CellData/none"), "%s",
           imp_error_text());
    make_free(&m);
}

/* Components by repeated passes: the least vertex that can be reached. */
static void plain_components(const imp_mesh *mesh, uint32_t *least)
{
    int changed = 1;
    for (uint32_t v = 0; v < mesh->vertices; v++)
        least[v] = v;
    while (changed) {
        changed = 0;
        const size_t corners = (size_t)mesh->corners;
        for (size_t i = 0; i < corners * mesh->primitives; i++) {
            size_t next = i / corners * corners + (i + 1) % corners;
            uint32_t a = least[mesh->corner[i]], b = least[mesh->corner[next]];
            if (a != b) {
                least[mesh->corner[a < b ? next : i]] = a < b ? a : b;
                changed = 1;
            }
        }
    }
}

static void check_components(const imp_mesh *mesh, uint64_t objects)
{
    uint32_t least[400];
    uint64_t count = 0;
    int bad = 0;
    const uint32_t corners = (uint32_t)mesh->corners;
    plain_components(mesh, least);
    for (uint32_t i = 0; i < mesh->primitives; i++) {
        int fresh = 1;
        for (uint32_t j = 0; j < i; j++) {
            int same = least[mesh->corner[corners * i]] == least[mesh->corner[corners * j]];
            bad |= same != (mesh->object[i] == mesh->object[j]);
            fresh &= !same;
        }
        bad |= fresh && mesh->object[i] != (int32_t)count; /* numbered in order of appearance */
        count += (uint64_t)fresh;
    }
    EXPECT(!bad && count == objects, "%s: %llu objects, not %llu, or others", about,
           (unsigned long long)objects, (unsigned long long)count);
}

static void test_objects_connected(void)
{
    rng r = {8};
    for (uint64_t k = 0; k < test_count(30); k++) {
        make m = {.unstructured = k % 4 > 0};
        int64_t kind = k % 4 == 3 ? 0 : k % 4 == 2 ? 10 : 5; /* 0: both */
        mem memory = {0};
        batch *b = NULL;
        batch_block block = {0};
        for (int f = 0; f < 3; f++) {
            layout_cells(&m, 60, 1 + rng_below(&r, 60), kind, &r);
            layout_cells(&m, 20, 1 + rng_below(&r, 5), kind, &r);
            make_step_next(&m, f, 2);
            make_random_points(&m, 80, &r);
        }
        snprintf(about, sizeof about, "connected %llu", (unsigned long long)k);
        const char *path = make_write(&m, "connected.vtkhdf");
        CU_ASSERT(!batch_open(&memory, path, BATCH_CONNECTED, "", &b));
        CU_ASSERT(!batch_read(b, 0, 1, 3, &block));
        for (size_t f = 0; f < block.count; f++)
            check_components(block.frame[f].mesh, batch_block_objects(&block, f));
        batch_block_free(&block);
        batch_close(b);
        make_free(&m);
    }
}

static void check_object_count(const int64_t *values, size_t n, uint64_t want)
{
    make m = {.cells = {{.name = "ObjectId"}}};
    mem memory = {0};
    batch *b = NULL;
    batch_block block = {0};
    make_moving(&m, 1, (int64_t)n, 1);
    for (size_t i = 0; i < n; i++)
        make_add(&m.cells[0].value, values[i]);
    CU_ASSERT(!batch_open(&memory, make_write(&m, "count.vtkhdf"), BATCH_OBJECT_ID, "", &b));
    CU_ASSERT(!batch_read(b, 0, 1, 1, &block));
    EXPECT(batch_block_objects(&block, 0) == want, "%llu objects, not %llu",
           (unsigned long long)batch_block_objects(&block, 0), (unsigned long long)want);
    batch_block_free(&block);
    batch_close(b);
    make_free(&m);
}

static void test_object_count(void)
{
    check_object_count((int64_t[]){1}, 0, 0);
    check_object_count((int64_t[]){5, 5, 5}, 3, 1);
    check_object_count((int64_t[]){5, -5, 5, 0, -5, INT32_MIN, INT32_MAX, 0}, 8, 5);
}

/* Ids may repeat from frame to frame, but not within one. */
static void test_primitive_names(void)
{
    rng r = {9};
    make m = {.cells = {{.name = "PrimitiveId"}}};
    layout_static(&m, &r);
    for (int f = 0; f < 5; f++) {
        make_add(&m.cells[0].offset, 11 * f);
        for (int64_t i = 0; i < 11; i++)
            make_add(&m.cells[0].value, i % 2 ? i - 5 : INT64_MAX - i);
    }
    snprintf(about, sizeof about, "names");
    check_file(&m, make_write(&m, "names.vtkhdf"), BATCH_OBJECT_ID, NULL, 0);
    m.cells[0].value.value[11 * 3 + 9] = INT64_MAX - 4; /* the id of cell 4 */
    const char *path = make_write(&m, "names.vtkhdf"), *text = imp_error_text();
    CU_ASSERT_EQUAL(read_code(path, 2), 0);
    CU_ASSERT_EQUAL(read_code(path, 3), IMP_ERR_INPUT);
    EXPECT(strstr(text, path) && strstr(text, "CellData/PrimitiveId") && strstr(text, "frame 3") &&
               strstr(text, "cells 4 and 9"),
           "%s", text);
    make_free(&m);
}

/* Ids that differ in a few digits only, high or low, with either sign. */
static int64_t random_name(int pattern, size_t i, rng *r)
{
    uint64_t x = rng_next(r);
    switch (pattern) {
    case 0:
        return (int64_t)i;
    case 1:
        return (int64_t)(x % 1000);
    case 2:
        return (int64_t)(x << 56);
    case 3:
        return INT64_MIN + (int64_t)(x % 3000);
    default:
        return (int64_t)x;
    }
}

/* If reading fails, the two cells that the message names have the same id, and no other cell before
 * the second one has it. */
static void check_repeat(const char *path, const make_list *names)
{
    unsigned long long a = 0, b = 0;
    int64_t repeats = 0;
    for (size_t i = 0; i < names->count; i++)
        for (size_t j = 0; j < i; j++)
            repeats += names->value[i] == names->value[j];
    int err = read_code(path, 0);
    EXPECT(err == (repeats ? IMP_ERR_INPUT : 0), "%lld repeats: %d", (long long)repeats, err);
    if (!err)
        return;
    const char *at = strstr(imp_error_text(), "cells ");
    CU_ASSERT_FATAL(at && sscanf(at, "cells %llu and %llu", &a, &b) == 2);
    CU_ASSERT_FATAL(a < b && b < names->count);
    EXPECT(names->value[a] == names->value[b], "%s", imp_error_text());
    for (size_t i = 0; i < b; i++)
        EXPECT(i == a || names->value[i] != names->value[a], "%s", imp_error_text());
}

static void test_random_names(void)
{
    rng r = {12};
    for (uint64_t k = 0; k < test_count(100); k++) {
        make m = {.cells = {{.name = "PrimitiveId"}}};
        size_t n = 1 + rng_below(&r, 60);
        make_moving(&m, 1, (int64_t)n, k);
        for (size_t i = 0; i < n; i++)
            make_add(&m.cells[0].value, random_name((int)(k % 5), i, &r));
        if (k % 3 == 0)
            m.cells[0].value.value[rng_below(&r, (uint32_t)n)] = m.cells[0].value.value[0];
        check_repeat(make_write(&m, "names.vtkhdf"), &m.cells[0].value);
        make_free(&m);
    }
}

/* For every memory limit: an error or the frames, and nothing leaks. */
static void test_object_sets_memory(void)
{
    make m = {.unstructured = 1, .cells = {{.name = "PrimitiveId"}}};
    int failed = 0, read = 0;
    make_moving_mixed(&m, 2, 4000, 1);
    for (int64_t i = 0; i < 4000; i++)
        make_add(&m.cells[0].value, i * i);
    const char *path = make_write(&m, "limit.vtkhdf");
    make_free(&m);
    for (uint64_t limit = 1000; limit < 2000000; limit += limit / 30) {
        mem memory = {.limit = limit};
        batch *b = NULL;
        batch_block block = {0};
        int err = batch_open(&memory, path, BATCH_CONNECTED, "", &b);
        if (!err)
            err = batch_read(b, 0, 1, 2, &block);
        CU_ASSERT(!err || err == IMP_ERR_MEMORY);
        failed += err != 0;
        read += err == 0;
        batch_block_free(&block);
        batch_close(b);
        CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    }
    EXPECT(failed > 100 && read > 5, "%d failed, %d did not", failed, read);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"objects_static", test_objects_static},
                                 {"objects_per_step", test_objects_per_step},
                                 {"objects_array", test_objects_array},
                                 {"objects_connected", test_objects_connected},
                                 {"object_count", test_object_count},
                                 {"primitive_names", test_primitive_names},
                                 {"random_names", test_random_names},
                                 {"memory", test_object_sets_memory},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "objects", tests);
}
