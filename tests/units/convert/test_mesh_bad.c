/* Readers of meshes on files with errors, damaged ones, and without memory. The linker redirects
 * malloc, calloc, realloc and read of the tested code to this program, which makes them fail. */
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "mesh_file.h"
#include "mesh_text.h"
#include "file_shape.h"
#include "testlib.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- faults */

static int64_t allocations_left = -1; /* then one fails; negative: never */
static int64_t reads_left = -1;

static int bad_meshes_fails(int64_t *left)
{
    const int now = *left >= 0 && (*left)-- == 0;
    errno = now ? ENOMEM : errno;
    return now;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
ssize_t __real_read(int fd, void *to, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
ssize_t __wrap_read(int fd, void *to, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return bad_meshes_fails(&allocations_left) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return bad_meshes_fails(&allocations_left) ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *p, size_t bytes)
{
    return bad_meshes_fails(&allocations_left) ? NULL : __real_realloc(p, bytes);
}

ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
    if (bad_meshes_fails(&reads_left)) {
        errno = EIO;
        return -1;
    }
    return __real_read(fd, to, bytes);
}

/* ---- errors */

static const struct {
    const char *text, *want; /* the message begins with the path */
} bad[] = {
    {"v 1 2\n", ": line 1: a vertex with 2 of 3 coordinates"},
    {"\n#\nv", ": line 3: a vertex with 0 of 3 coordinates"},
    {"v 1 2 # 3", ": line 1: a vertex with 2 of 3 coordinates"},
    {"v 1 2 x\n", ": line 1: 'x' is not a number"},
    {"v 1 2 3x\n", ": line 1: '3x' is not a number"},
    {"v 1,5 2 3\n", ": line 1: '1,5' is not a number"},
    {"v 1 0x10 3\n", ": line 1: '0x10' is not a number"},
    {"v 1 -0X1p3 3\n", ": line 1: '-0X1p3' is not a number"},
    {"v 1 1e 3\n", ": line 1: '1e' is not a number"},
    {"v . 1 3\n", ": line 1: '.' is not a number"},
    {"v + 1 3\n", ": line 1: '+' is not a number"},
    {"v 1.2.3 1 3\n", ": line 1: '1.2.3' is not a number"},
    {"v 1\a\xff 1 3\n", ": line 1: '1?\?' is not a number"},
    {"v 1234567890123456789012345678901x 2 3",
     ": line 1: '1234567890123456789012345678...' is not a number"},
    {V3 "\r\n\rf 1 2\n", ": line 6: a face with 2 vertices; it needs 3"},
    {V3 "f\n", ": line 4: a face with 0 vertices; it needs 3"},
    {V3 "f 1 \\\n2 \\\n\nf 1 2 3\n", ": line 4: a face with 2 vertices; it needs 3"},
    {V3 "f 0 1 2\n", ": line 4: a face with vertex 0; they are numbered from 1"},
    {V3 "f 1 2 -0\n", ": line 4: a face with vertex 0; they are numbered from 1"},
    {V3 "f 1 2 4\n\n", ": line 4: there is no vertex 4 (the file has 3)"},
    {V3 "f 1 2 4\nf 1 2 5\nf 1 2 5", ": line 5: there is no vertex 5 (the file has 3)"},
    {"f 4 1 2\n" V3 "#", ": line 1: there is no vertex 4 (the file has 3)"},
    {V3 "f 1 2 -4/1\nv 1 2 3", ": line 4: there is no vertex -4/1 (3 so far)"},
    {V3 "f 1 2 4294967295\n", ": line 4: there is no vertex 4294967295 (3 so far)"},
    {V3 "f 1 2 4294967294\n", ": line 4: there is no vertex 4294967294 (the file has 3)"},
    {V3 "f 1 2 -18446744073709551615\n",
     ": line 4: there is no vertex -18446744073709551615 (3 so far)"},
    {V3 "f 1 2 1.5\n", ": line 4: '1.5' is not a corner of a face"},
    {V3 "f 1 2 x\n", ": line 4: 'x' is not a corner of a face"},
    {V3 "f 1 2 /3\n", ": line 4: '/3' is not a corner of a face"},
    {V3 "f 1 2 3///\n", ": line 4: '3///' is not a corner of a face"},
    {V3 "f 1 2 3/x\n", ": line 4: '3/x' is not a corner of a face"},
    {V3 "f 1 2 3/1/1/1\n", ": line 4: '3/1/1/1' is not a corner of a face"},
    {V3 "f 1 2 --3\n", ": line 4: '--3' is not a corner of a face"},
    {V3 "f 1 2 3 \\", ": line 4: '\\' is not a corner of a face"},
};

static void test_bad_meshes_errors(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        mesh_check_bad(bad[i].text, bad[i].want);
}

static void check_nul(const char *bytes, size_t n, const char *want)
{
    file_shape o;
    CU_ASSERT_EQUAL_FATAL(mesh_read_bytes(bytes, n, &o), IMP_ERR_INPUT);
    mesh_check_text(want, strstr(imp_error_text(), "a.obj") + 5, want);
}

/* NUL bytes after the last line are no error (mesh_check); before it any number is one. */
static void test_nul(void)
{
    static const char within[] = "v 1 2 3\nv 1 2 3\0 4\n", zeros[100] = "";
    static const char between[] = V3 "\0\0\0\nf 1 2 3\n", last[] = V3 "f 1 2 3\n\0\0\n";
    static char many[1 << 20] = V3 "f 1 2 3";
    file_shape o;
    check_nul(within, sizeof within - 1, ": line 2: a NUL byte: this is not text");
    check_nul(zeros, sizeof zeros, ": line 1: a NUL byte: this is not text");
    check_nul(between, sizeof between - 1, ": line 4: a NUL byte: this is not text");
    check_nul(last, sizeof last - 1, ": line 5: a NUL byte: this is not text");
    CU_ASSERT_EQUAL(mesh_read_bytes(many, sizeof many, &o), 0);
    mesh_check_text("a MB of NUL", mesh_show(&o), P3 "0 1 2 ;");
    file_shape_free(&o);
    many[sizeof many - 1] = '\n';
    check_nul(many, sizeof many, ": line 4: a NUL byte: this is not text");
}

static void check_unreadable(const char *path, const char *want)
{
    file_shape o;
    CU_ASSERT_EQUAL(file_shape_read(path, 1, &o), IMP_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), path));
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), want));
    CU_ASSERT(!strchr(imp_error_text(), '\n'));
    CU_ASSERT_PTR_NULL(o.point);
}

#define NOBODY 65534

static void test_bad_meshes_files(void)
{
    check_unreadable(mesh_path("none.obj"), "No such file");
    check_unreadable(test_folder(), "directory");
    const char *path = mesh_write(V3, strlen(V3));
    reads_left = 1;
    check_unreadable(path, "error");
    reads_left = -1;
    CU_ASSERT(!chmod(path, 0));
    if (geteuid() == 0) {
        setfsuid(NOBODY); /* for file access this process is another user for a moment */
        if (setfsuid((uid_t)-1) != NOBODY)
            SKIP("the user root may read every file");
    }
    check_unreadable(path, "denied");
    if (geteuid() == 0)
        setfsuid(0);
    CU_ASSERT(!unlink(path));
}

/* A file with many groups, so that every growing array grows. */
static const char *write_groups(void)
{
    static char text[16000];
    size_t n = (size_t)snprintf(text, sizeof text, V3 "v 1 2 3\n");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "g part %d\nf 1 2 3\nf 1 4 2 3\n", i);
    CU_ASSERT_FATAL(n < sizeof text);
    return mesh_write(text, n);
}

/* Cells of three types in many objects. */
static const char *bad_meshes_write_cells(void)
{
    static const int64_t types[] = {5, 9, 10}, ids[] = {0, 1, 2, 0, 3, 1, 2, 0, 1, 2, 3};
    int64_t all_types[600], all_ids[2200];
    make m = {.unstructured = 1};
    for (size_t i = 0; i < 200; i++) {
        memcpy(all_types + 3 * i, types, sizeof types);
        memcpy(all_ids + 11 * i, ids, sizeof ids);
        for (int k = 0; k < 3; k++)
            make_add(&m.cells[0].value, (int64_t)i);
    }
    m.cells[0].name = "ObjectId";
    m.cells[1].name = "PartId";
    for (int64_t i = 0; i < 600; i++)
        make_add(&m.cells[1].value, 7 * i);
    make_part_of(&m, 4, 600, all_types, all_ids);
    make_step_next(&m, 0, 1);
    make_points(&m, 4, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 3});
    const char *path = make_write(&m, "cells.vtkhdf");
    make_free(&m);
    return path;
}

/* Reads one after the other, as bodies of one frame. */
static int bad_meshes_read_all(const char *path, file_shape *o, file_shape_maker *all)
{
    mem m = {0};
    mesh_file *f;
    file_shape_note faces;
    cell_arrays arrays = {.mem = &m};
    *o = (file_shape){0};
    int err = cell_arrays_add(&arrays, "SourceId", COLUMN_I64);
    if (!err)
        err = cell_arrays_add(&arrays, "PartId", COLUMN_I64);
    f = NULL;
    if (!err)
        err = mesh_file_open(&m, path, NULL, &f);
    if (!err)
        err = mesh_file_read(f, 0, &(mesh_reading){.arrays = &arrays}, o);
    mesh_file_close(f);
    cell_arrays_free(&arrays);
    if (!err)
        err = file_shape_triangulate(path, o, &faces);
    if (!err)
        err = file_shape_weld(0.5, o, NULL);
    if (!err)
        err = file_shape_make_join(all, path, o);
    return err;
}

/* Makes each allocation fail once; a sanitizer finds leaks. */
static void check_memory(const char *path)
{
    int err = IMP_ERR_MEMORY, failed = 1;
    int64_t n = 0;
    for (; failed && n < 1000; n++) {
        file_shape o;
        file_shape_maker all;
        file_shape_make_start(&all, path, 2);
        allocations_left = n;
        err = bad_meshes_read_all(path, &o, &all);
        failed = allocations_left < 0;
        allocations_left = -1;
        CU_ASSERT(mesh_is_sound(&o));
        CU_ASSERT(!err || (failed && err == IMP_ERR_MEMORY));
        file_shape_free(&o);
        file_shape_make_free(&all);
    }
    CU_ASSERT(n > 10 && n < 1000);
    CU_ASSERT(!err);
}

static void test_bad_meshes_memory(void)
{
    check_memory(write_groups());
    check_memory(bad_meshes_write_cells());
}

/* ---- damaged files */

static const char small[] =
    "# all forms\r\nmtllib x.mtl\no first\nv 0 0 0\nv 1.5 0 0 1\nv 0 1e0 .5\nv -1 -2 -3 0 1 0\n"
    "vt 0 0\nvn 0 0 1\nf 1 2 3\ng second part\nf 1/1 2/1 3/1 4/1\nf 1//1 2//1 \\\n 4//1\n"
    "f -1/1/1 -2/1/1 -4/1/1\ng first\ns 1\nl 1 2\nf 2 3 4\nv nan inf 12345678901234567890123\n";

static int check_bad_meshes_any(const char *content, size_t size)
{
    file_shape o;
    file_shape_maker all;
    file_shape_make_start(&all, "all", 1);
    int err = mesh_read_bytes(content, size, &o);
    CU_ASSERT(!err || err == IMP_ERR_INPUT);
    CU_ASSERT(mesh_is_sound(&o));
    CU_ASSERT(!err || strstr(imp_error_text(), "a.obj: line ") ||
              strstr(imp_error_text(), "a.obj: is "));
    file_shape_note faces;
    CU_ASSERT(!file_shape_triangulate("a.obj", &o, &faces) && mesh_is_sound(&o));
    if (!err)
        CU_ASSERT(!file_shape_weld(1.5, &o, NULL) && mesh_is_sound(&o));
    if (!err)
        CU_ASSERT(!file_shape_make_join(&all, "a.obj", &o) &&
                  !file_shape_make_join(&all, "b.obj", &o));
    CU_ASSERT(all.shape.primitives == 2 * o.primitives && all.shape.tetrahedra == 2 * o.tetrahedra);
    file_shape_free(&o);
    file_shape_make_free(&all);
    return err;
}

/* Every prefix of an OBJ file is a valid file, or an error; the whole is valid. */
static void test_prefixes(void)
{
    for (size_t n = 0; n < sizeof small; n++) {
        int err = check_bad_meshes_any(small, n);
        CU_ASSERT(!err || n < sizeof small - 1);
    }
}

static void mutate(rng *r, char *text, size_t size)
{
    static const char likely[] = "\n\r\\\t /-+.#0123456789efgvoxn$";
    for (uint32_t k = 1 + rng_below(r, 8); k; k--) {
        uint32_t at = rng_below(r, (uint32_t)size), to = rng_below(r, (uint32_t)size);
        uint32_t length = rng_below(r, (uint32_t)size - (at > to ? at : to));
        switch (rng_below(r, 4)) {
        case 0:
            text[at] = (char)rng_next(r);
            break;
        case 1:
            memmove(text + to, text + at, length % 16);
            break;
        default:
            text[at] = likely[rng_below(r, sizeof likely - 1)];
        }
    }
}

static void test_bad_meshes_mutations(void)
{
    rng r = {7};
    uint64_t refused = 0, all = test_count(9000);
    for (uint64_t i = 0; i < all; i++) {
        char text[1000];
        const size_t size = sizeof small - 1;
        CU_ASSERT_FATAL(size < sizeof text);
        memcpy(text, small, size + 1);
        mutate(&r, text, size);
        refused += check_bad_meshes_any(text, size) != 0;
    }
    EXPECT(refused > 100 && all - refused > 100, "%llu of %llu refused",
           (unsigned long long)refused, (unsigned long long)all);
}

static void test_garbage(void)
{
    rng r = {9};
    char text[4096];
    for (uint64_t i = 0; i < test_count(200); i++) {
        for (size_t k = 0; k < sizeof text; k++) {
            text[k] = (char)rng_next(&r);
            text[k] = (char)(text[k] || i % 2 ? text[k] : 1);
        }
        check_bad_meshes_any(text, sizeof text);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"errors", test_bad_meshes_errors}, {"nul", test_nul},
        {"files", test_bad_meshes_files},   {"memory", test_bad_meshes_memory},
        {"prefixes", test_prefixes},        {"mutations", test_bad_meshes_mutations},
        {"garbage", test_garbage},          {0}};
    return test_main(argc, argv, "mesh_bad", tests);
}
