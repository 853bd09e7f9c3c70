/* The OBJ reader on files with errors, damaged ones, and without memory. The linker sends malloc,
 * calloc, realloc and read of the tested code through this program, which makes them fail. */
#include "error.h"
#include "mesh_text.h"
#include "testlib.h"
#include "weld.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- faults */

static int64_t allocations_left = -1; /* then one fails; negative: none does */
static int64_t reads_left = -1;

static int fails(int64_t *left)
{
    return *left >= 0 && (*left)-- == 0;
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
    return fails(&allocations_left) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails(&allocations_left) ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *p, size_t bytes)
{
    return fails(&allocations_left) ? NULL : __real_realloc(p, bytes);
}

ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
    if (fails(&reads_left)) {
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

static void test_errors(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        obj o;
        memset(&o, 1, sizeof o);
        CU_ASSERT_EQUAL(mesh_read(bad[i].text, &o), IMP_ERR_INPUT);
        CU_ASSERT(!o.point && !o.triangle && !o.group && !o.group_name && !o.groups);
        const char *path = mesh_path("a.obj"), *have = imp_error_text();
        int same = !strncmp(have, path, strlen(path)) && !strcmp(have + strlen(path), bad[i].want);
        if (!same)
            printf("\n%s\n  is   %s\n  not  %s\n", bad[i].text, have, bad[i].want);
        CU_ASSERT(same);
        obj_free(&o);
    }
}

static void test_nul(void)
{
    static const char text[] = "v 1 2 3\nv 1 2 3\0 4\n", zeros[100] = "", late[] = V3 "\0";
    obj o;
    CU_ASSERT_EQUAL(mesh_read_bytes(text, sizeof text - 1, &o), IMP_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "a.obj: line 2: a NUL byte"));
    CU_ASSERT_EQUAL(mesh_read_bytes(zeros, sizeof zeros, &o), IMP_ERR_INPUT);
    CU_ASSERT_EQUAL(mesh_read_bytes(late, sizeof late - 1, &o), IMP_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "a.obj: line 4: a NUL byte"));
}

static void check_unreadable(const char *path, const char *want)
{
    obj o;
    CU_ASSERT_EQUAL(obj_read(path, &o), IMP_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), path));
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), want));
    CU_ASSERT(!strchr(imp_error_text(), '\n'));
    CU_ASSERT_PTR_NULL(o.point);
}

static void test_files(void)
{
    check_unreadable(mesh_path("none.obj"), "No such file");
    check_unreadable(test_folder(), "directory");
    const char *path = mesh_write(V3, strlen(V3));
    reads_left = 1;
    check_unreadable(path, "error");
    reads_left = -1;
    if (geteuid() == 0)
        SKIP("the user root may read every file");
    CU_ASSERT(!chmod(path, 0));
    check_unreadable(path, "denied");
    CU_ASSERT(!unlink(path));
}

/* a file with many groups, so that all that can grow does */
static const char *write_groups(void)
{
    char text[8000];
    size_t n = (size_t)snprintf(text, sizeof text, V3 "v 1 2 3\n");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "g part %d\nf 1 2 3\nf 1 4 2 3\n", i);
    return mesh_write(text, n);
}

/* Every allocation fails once; what is left then is found by a sanitizer. */
static void test_memory(void)
{
    const char *path = write_groups();
    int err = IMP_ERR_MEMORY, failed = 1;
    int64_t n = 0;
    for (; failed && n < 1000; n++) {
        obj o;
        allocations_left = n;
        obj_faces faces;
        err = obj_read(path, &o);
        if (!err)
            err = obj_cut(path, &o, &faces);
        if (!err)
            err = weld(0.5, &o, NULL);
        failed = allocations_left < 0;
        allocations_left = -1;
        CU_ASSERT(mesh_is_sound(&o));
        CU_ASSERT(!err || (failed && err == IMP_ERR_MEMORY));
        obj_free(&o);
    }
    CU_ASSERT(n > 200 && n < 1000);
    CU_ASSERT(!err);
}

/* ---- damaged files */

static const char small[] =
    "# all forms\r\nmtllib x.mtl\no first\nv 0 0 0\nv 1.5 0 0 1\nv 0 1e0 .5\nv -1 -2 -3 0 1 0\n"
    "vt 0 0\nvn 0 0 1\nf 1 2 3\ng second part\nf 1/1 2/1 3/1 4/1\nf 1//1 2//1 \\\n 4//1\n"
    "f -1/1/1 -2/1/1 -4/1/1\ng first\ns 1\nl 1 2\nf 2 3 4\nv nan inf 12345678901234567890123\n";

static void check_any(const char *content, size_t size)
{
    obj o;
    int err = mesh_read_bytes(content, size, &o);
    CU_ASSERT(!err || err == IMP_ERR_INPUT);
    CU_ASSERT(mesh_is_sound(&o));
    CU_ASSERT(!err || strstr(imp_error_text(), "a.obj: line "));
    obj_faces faces;
    CU_ASSERT(!obj_cut("a.obj", &o, &faces) && mesh_is_sound(&o));
    if (!err)
        CU_ASSERT(!weld(1.5, &o, NULL) && mesh_is_sound(&o));
    obj_free(&o);
}

static void test_prefixes(void)
{
    for (size_t n = 0; n < sizeof small; n++)
        check_any(small, n);
}

static void test_mutations(void)
{
    static const char likely[] = "\n\r\\\t /-+.#0123456789efgvoxn";
    rng r = {7};
    for (uint64_t i = 0; i < test_count(3000); i++) {
        char text[sizeof small];
        size_t size = sizeof small - 1;
        memcpy(text, small, sizeof small);
        for (uint32_t k = 1 + rng_below(&r, 8); k; k--) {
            uint32_t at = rng_below(&r, (uint32_t)size), to = rng_below(&r, (uint32_t)size);
            uint32_t length = rng_below(&r, (uint32_t)size - (at > to ? at : to));
            switch (rng_below(&r, 4)) {
            case 0:
                text[at] = (char)rng_next(&r);
                break;
            case 1:
                memmove(text + to, text + at, length % 16);
                break;
            default:
                text[at] = likely[rng_below(&r, sizeof likely - 1)];
            }
        }
        check_any(text, size);
    }
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
        check_any(text, sizeof text);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"errors", test_errors},     {"nul", test_nul},
                                 {"files", test_files},       {"memory", test_memory},
                                 {"prefixes", test_prefixes}, {"mutations", test_mutations},
                                 {"garbage", test_garbage},   {0}};
    return test_main(argc, argv, "obj_bad", tests);
}
