/* Names in a batch: through the writer and the reader, as plain HDF5 finds them, and damaged. */
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "store.h"
#include "object_names.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 5, OBJECTS = 6 };

/* as given, and as expected */
static const char *const source[FRAMES][2] = {{"a 1.obj", "a 1.obj"},
                                              {"", ""},
                                              {"dir/\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80.obj",
                                               "dir/\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80.obj"},
                                              {"\xff", "\xef\xbf\xbd"},
                                              {"b", "b"}};
static const char *const object[OBJECTS][2] = {
    {"K\xf6rper", "K\xef\xbf\xbdrper"},                       /* Latin-1 */
    {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a lone surrogate */
    {"cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd"},
    {"tab\t\"quote\" ", "tab\t\"quote\" "},
    {"plain", "plain"}};
static const int32_t id[OBJECTS] = {INT32_MIN, -1, 0, 7, 8, INT32_MAX};

static const uint32_t triangle[] = {0, 1, 2};
static const double point[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const imp_mesh mesh = {3, 1, triangle, NULL};

static batch_writer *object_names_test_begin(mem *m, const char *path)
{
    batch_writer *w = NULL;
    CU_ASSERT_FATAL(!batch_create(m, path, &(batch_def){.force = 1}, &w));
    for (int f = 0; f < FRAMES; f++)
        CU_ASSERT(!batch_append(w, &(imp_frame){&mesh, point, IMP_FLOAT64, 0}, NULL, f));
    return w;
}

static const char *write_named(const char *name)
{
    const char *path = at(name);
    mem m = {0};
    batch_writer *w = object_names_test_begin(&m, path);
    for (int f = 0; f < FRAMES; f++)
        CU_ASSERT(!batch_name_frame(w, source[f][0]));
    for (int i = 0; i < OBJECTS; i++) {
        CU_ASSERT(!batch_name_object(w, id[i], object[i][0]));
        if (i == 3)
            CU_ASSERT(!batch_name_object(w, 7, "")); /* no name */
    }
    CU_ASSERT(!batch_finish(w));
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    return path;
}

static void test_object_names_round_trip(void)
{
    mem m = {0};
    batch *b = NULL;
    CU_ASSERT_FATAL(!batch_open(&m, write_named("named.vtkhdf"), BATCH_OBJECT_ID, "", &b));
    const batch_names *n = batch_get_names(b);
    CU_ASSERT(n->objects == OBJECTS && n->sources == FRAMES);
    for (int f = 0; f < FRAMES; f++)
        CU_ASSERT_STRING_EQUAL(batch_frame_source(n, (uint64_t)f), source[f][1]);
    for (int i = 0; i < OBJECTS; i++) {
        const char *name = batch_object_name(n, id[i]);
        CU_ASSERT(name && !strcmp(name, object[i][1]));
    }
    CU_ASSERT(!batch_object_name(n, 1) && !batch_object_name(n, -2) && !batch_object_name(n, 9));
    CU_ASSERT(!batch_frame_source(n, FRAMES) && !batch_frame_source(NULL, 0));
    CU_ASSERT(!batch_object_name(NULL, 0));
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

/* Plain HDF5 finds UTF-8 of fixed length. */
static void check_object_names_texts(hid_t file, const char *name, const char *const (*want)[2],
                                     size_t n)
{
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
    CU_ASSERT_FATAL(data >= 0);
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    size_t width = H5Tget_size(type);
    CU_ASSERT(H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0);
    CU_ASSERT(H5Tget_cset(type) == H5T_CSET_UTF8 && H5Sget_simple_extent_ndims(space) == 1);
    CU_ASSERT_EQUAL_FATAL(H5Sget_simple_extent_npoints(space), (hssize_t)n);
    char *text = calloc(n, width);
    CU_ASSERT(text && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    for (size_t i = 0; i < n && text; i++)
        EXPECT(strnlen(text + i * width, width) == strlen(want[i][1]) &&
                   !memcmp(text + i * width, want[i][1], strlen(want[i][1])),
               "%s[%zu] is %.*s", name, i, (int)width, text + i * width);
    free(text);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
}

static void test_plain(void)
{
    const char *path = write_named("plain.vtkhdf");
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CU_ASSERT_FATAL(file >= 0);
    check_object_names_texts(file, "impinge/frame_sources", source, FRAMES);
    check_object_names_texts(file, "impinge/object_names", object, OBJECTS);
    H5Fclose(file);
    size_t n = 0;
    int64_t *ids = h5_ints(path, "impinge/object_ids", &n);
    CU_ASSERT_EQUAL_FATAL(n, OBJECTS);
    for (size_t i = 0; i < n; i++)
        CU_ASSERT_EQUAL(ids[i], id[i]);
    free(ids);
}

/* Without names there is no group. */
static void test_object_names_none(void)
{
    const char *path = at("none.vtkhdf");
    mem m = {0};
    batch *b = NULL;
    CU_ASSERT(!batch_finish(object_names_test_begin(&m, path)));
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CU_ASSERT(file >= 0 && H5Lexists(file, "impinge", H5P_DEFAULT) == 0);
    H5Fclose(file);
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    CU_ASSERT(!batch_get_names(b)->objects && !batch_get_names(b)->sources);
    CU_ASSERT(!batch_object_name(batch_get_names(b), 0));
    batch_close(b);
}

/* Many names, and a very long one: the file does not grow by their product. */
static void test_object_names_large(void)
{
    enum { MANY = 1000, LONG = 200000 };
    const char *path = at("large.vtkhdf");
    mem m = {0};
    batch *b = NULL;
    char name[32], *long_name = malloc(LONG + 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(long_name);
    memset(long_name, 'x', LONG);
    long_name[LONG] = 0;
    batch_writer *w = object_names_test_begin(&m, path);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "part %d", i);
        CU_ASSERT(!batch_name_object(w, i, i == 77 ? long_name : name));
    }
    CU_ASSERT(!batch_finish(w));
    CU_ASSERT(file_size(path) < 3000000); /* less than 200 MB */
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    CU_ASSERT_STRING_EQUAL(batch_object_name(batch_get_names(b), 77), long_name);
    CU_ASSERT_STRING_EQUAL(batch_object_name(batch_get_names(b), MANY - 1), "part 999");
    EXPECT(m.peak < 8000000, "%llu bytes", (unsigned long long)m.peak);
    batch_close(b);
    free(long_name);
    CU_ASSERT(!unlink(path));
}

/* ---- damage */

static void check_object_names_damaged(const char *path, const char *word)
{
    mem m = {0};
    batch *b = NULL;
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    const char *remark = batch_remark(b, 0); /* no result depends on the names */
    EXPECT(remark && strstr(remark, word), "'%s', not '%s'", remark ? remark : "", word);
    EXPECT(!batch_get_names(b)->objects && !batch_get_names(b)->sources, "names are there");
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
}

static void write_variable(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    hsize_t n = FRAMES;
    const char *text[FRAMES] = {"a", "b", "c", "d", "e"};
    H5Tset_size(type, H5T_VARIABLE);
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t data = H5Dcreate2(file, "impinge/frame_sources", type, space, H5P_DEFAULT, H5P_DEFAULT,
                            H5P_DEFAULT);
    CU_ASSERT(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
}

static void test_object_names_wrong(void)
{
    static const int64_t twice[OBJECTS] = {-2, -1, 0, 7, 7, 8},
                         wide[OBJECTS] = {-2, -1, 0, 7, 8, INT64_C(1) << 31};
    const char *path = write_named("wrong.vtkhdf");
    h5_replace_ints(path, "impinge/object_ids", OBJECTS - 1, wide);
    check_object_names_damaged(path, "/impinge/object_ids: 5 for 6 names");
    h5_replace_ints(path, "impinge/object_ids", OBJECTS, twice);
    check_object_names_damaged(path, "/impinge/object_ids: 7 is out of order");
    h5_replace_ints(path, "impinge/object_ids", OBJECTS, wide);
    check_object_names_damaged(path, "/impinge/object_ids: 2147483648 is out of order or range");
    h5_remove(path, "impinge/object_ids");
    check_object_names_damaged(path, "/impinge/object_ids: missing");
    path = write_named("wrong.vtkhdf");
    h5_remove(path, "impinge/object_names");
    check_object_names_damaged(path, "/impinge/object_names: missing");
    h5_replace_ints(path, "impinge/object_names", OBJECTS, twice);
    check_object_names_damaged(path, "/impinge/object_names: not a list of texts");
    path = write_named("wrong.vtkhdf");
    h5_rename(path, "impinge/object_names", "impinge/frame_sources2");
    h5_remove(path, "impinge/object_ids");
    h5_remove(path, "impinge/frame_sources");
    h5_rename(path, "impinge/frame_sources2", "impinge/frame_sources");
    check_object_names_damaged(path, "/impinge/frame_sources: 6 for 5 frames");
    h5_remove(path, "impinge/frame_sources");
    write_variable(path);
    check_object_names_damaged(path, "/impinge/frame_sources: not a list of texts");
}

/* Any byte changed: a result or an error, no crash. */
static void test_changed_bytes(void)
{
    const char *path = write_named("bytes.vtkhdf"), *damaged = at("changed.vtkhdf");
    size_t size = 0;
    char *bytes = file_text(path, &size);
    rng r = {5};
    int failed = 0, read = 0;
    for (uint64_t i = 0; i < test_count(2000); i++) {
        mem m = {0};
        batch *b = NULL;
        size_t where = rng_below(&r, (uint32_t)size);
        char was = bytes[where];
        bytes[where] = (char)rng_next(&r);
        FILE *f = fopen(damaged, "wb");
        CU_ASSERT_FATAL(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
        int err = batch_open(&m, damaged, BATCH_OBJECT_ID, "", &b);
        EXPECT(!err || err == IMP_ERR_INPUT || err == IMP_ERR_MEMORY, "byte %zu: %d", where, err);
        failed += err != 0;
        read += err == 0;
        batch_close(b);
        CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
        bytes[where] = was;
    }
    EXPECT(failed > 0 && read > 0, "%d failed, %d did not", failed, read);
    free(bytes);
}

/* For every memory limit: an error or the names, and nothing leaks. */
static void test_object_names_memory(void)
{
    const char *path = write_named("limit.vtkhdf");
    int failed = 0, read = 0;
    for (uint64_t limit = 1000; limit < 40000; limit += 111) {
        mem m = {.limit = limit};
        batch *b = NULL;
        int err = batch_open(&m, path, BATCH_OBJECT_ID, "", &b);
        CU_ASSERT(!err || err == IMP_ERR_MEMORY);
        CU_ASSERT(err || batch_get_names(b)->objects == OBJECTS);
        failed += err != 0;
        read += err == 0;
        batch_close(b);
        CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    }
    CU_ASSERT(failed > 5 && read > 5);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"round_trip", test_object_names_round_trip},
                                 {"plain", test_plain},
                                 {"none", test_object_names_none},
                                 {"large", test_object_names_large},
                                 {"wrong", test_object_names_wrong},
                                 {"changed_bytes", test_changed_bytes},
                                 {"memory", test_object_names_memory},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "store_names", tests);
}
