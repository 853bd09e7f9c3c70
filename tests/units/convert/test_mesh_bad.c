/* Readers of meshes on files with errors, damaged ones, and without memory. The linker sends
 * malloc, calloc, realloc and read of the tested code through this program, which makes them fail.
 */
#include "error.h"
#include "expect.h"
#include "mesh_text.h"
#include "file_shape_make.h"
#include "testlib.h"
#include "weld.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
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
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        mesh_check_bad(bad[i].text, bad[i].want);
}

static void check_nul(const char *bytes, size_t n, const char *want)
{
    file_shape o;
    CU_ASSERT_EQUAL_FATAL(mesh_read_bytes(bytes, n, &o), IMP_ERR_INPUT);
    mesh_check_text(want, strstr(imp_error_text(), "a.obj") + 5, want);
}

/* Behind the last line they are no error (mesh_check); before it they are, however many there are.
 */
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
    CU_ASSERT_EQUAL(file_shape_read(path, &o), IMP_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), path));
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), want));
    CU_ASSERT(!strchr(imp_error_text(), '\n'));
    CU_ASSERT_PTR_NULL(o.point);
}

#define NOBODY 65534

static void test_files(void)
{
    check_unreadable(mesh_path("none.obj"), "No such file");
    check_unreadable(test_folder(), "directory");
    const char *path = mesh_write(V3, strlen(V3));
    reads_left = 1;
    check_unreadable(path, "error");
    reads_left = -1;
    CU_ASSERT(!chmod(path, 0));
    if (geteuid() == 0) {
        setfsuid(NOBODY); /* for files this process is somebody else for a moment */
        if (setfsuid((uid_t)-1) != NOBODY)
            SKIP("the user root may read every file");
    }
    check_unreadable(path, "denied");
    if (geteuid() == 0)
        setfsuid(0);
    CU_ASSERT(!unlink(path));
}

/* files with many groups, and the like, so that all that can grow does */
enum { OBJ, VTK, MSH };

static size_t write_groups(char *text, size_t size, int format)
{
    size_t n = 0;
    if (format == OBJ)
        n += (size_t)snprintf(text + n, size - n, V3 "v 1 2 3\n");
    else if (format == VTK)
        n += (size_t)snprintf(text + n, size - n,
                              "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                              "POINTS 4 int 0 0 0 1 0 0 0 1 0 1 2 3\nCELLS 600 2800\n");
    else
        n += (size_t)snprintf(text + n, size - n,
                              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n"
                              "3 7 \"x\"\n$EndPhysicalNames\n$Nodes\n4 9 0 0 0 8 1 0 0 7 0 1 0 "
                              "6 1 2 3\n$EndNodes\n$Elements\n400\n");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n,
                              format == OBJ   ? "g part %d\nf 1 2 3\nf 1 4 2 3\n"
                              : format == VTK ? "3 0 1 2 4 0 3 1 2 4 0 1 2 3\n"
                                              : "1 3 2 %d 0 9 8 7 6 1 4 1 %d 9 8 7 6\n",
                              i, i);
    for (int i = 0; i < 200 && format == VTK; i++)
        n += (size_t)snprintf(text + n, size - n, i ? "5 9 10\n" : "CELL_TYPES 600\n5 9 10\n");
    if (format == MSH)
        n += (size_t)snprintf(text + n, size - n, "$EndElements\n");
    CU_ASSERT_FATAL(n < size);
    return n;
}

/* One after the other, as bodies of one frame. */
static int read_all(const char *path, file_shape *o, file_shape_maker *all)
{
    int err;
    file_shape_note faces;
    err = file_shape_read(path, o);
    if (!err)
        err = file_shape_cut(path, o, &faces);
    if (!err)
        err = weld(0.5, o, NULL);
    if (!err)
        err = file_shape_make_join(all, path, o);
    return err;
}

/* Every allocation fails once; what is left then is found by a sanitizer. */
static void check_memory(const char *path)
{
    int err = IMP_ERR_MEMORY, failed = 1;
    int64_t n = 0;
    for (; failed && n < 1000; n++) {
        file_shape o;
        file_shape_maker all;
        file_shape_make_start(&all, path);
        allocations_left = n;
        err = read_all(path, &o, &all);
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

static void test_memory(void)
{
    static char text[16000];
    for (int format = OBJ; format <= MSH; format++)
        check_memory(mesh_write(text, write_groups(text, sizeof text, format)));
}

/* ---- damaged files */

static const char small[] =
    "# all forms\r\nmtllib x.mtl\no first\nv 0 0 0\nv 1.5 0 0 1\nv 0 1e0 .5\nv -1 -2 -3 0 1 0\n"
    "vt 0 0\nvn 0 0 1\nf 1 2 3\ng second part\nf 1/1 2/1 3/1 4/1\nf 1//1 2//1 \\\n 4//1\n"
    "f -1/1/1 -2/1/1 -4/1/1\ng first\ns 1\nl 1 2\nf 2 3 4\nv nan inf 12345678901234567890123\n";

static const char grid[] =
    "# vtk DataFile Version 2.0\r\nall forms\\\r\nASCII\r\nDATASET UNSTRUCTURED_GRID\n"
    "FIELD f 2\na 1 2 int 5 6\nMETADATA\nx\n\nb 1 1 string\ntext\nPOINTS 5 double\n0 0 0 4 0 0\n"
    "4 4 0\n2 1 0.5 0 4e0 -.5\nCELLS 6 25\n4 0 1 2 3\n3 0 1 2 # three\n1 4\n4 1 2 4 3\n"
    "5 0 1 2 4 3\n2 0 1\nCELL_TYPES 6\n10 5 1\n9 7\n3\n";
static const char grid5[] =
    "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
    "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 4 11\nOFFSETS vtktypeint64\n0 4 7 11 \n"
    "CONNECTIVITY vtktypeint64\n0 1 2 3 2 1 0 0 \n1 2 3\nCELL_TYPES 3\n10\n6\n8\n";
static const char polys[] =
    "# vtk DataFile Version 4.2\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n"
    "0 0 0 1 0 0 0 1 0 0 0 1\nMETADATA\nINFORMATION 0\n\nVERTICES 1 2\n1 0\nLINES 1 4 3 0 1 2\n"
    "POLYGONS 2 9\n3 0 1 2\n4 0 1 2 3\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n";
static const char gmsh2[] =
    "$Comments\nof all forms\n$EndComments\n$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n2\n2 1 \"skin\"\n3 2 \"flesh \"\n$EndPhysicalNames\n"
    "$Nodes\n4\n70 0 0 0\n3 1 0 0\n1 0 1 0\n900 0.5 0 1\n$EndNodes\n"
    "$Elements\n5\n1 15 2 1 1 70\n2 1 2 0 1 70 3\n3 2 2 1 1 1 3 70\n4 4 4 2 1 1 -1 1 3 70 900\n"
    "5 3 2 0 5 1 3 70 900\n$EndElements\n";
static const char gmsh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 2 \"flesh\"\n$EndPhysicalNames\n"
    "$Entities\n1 0 1 1\n1 0 0 0 0\n1 0 0 0 1 1 1 0 0\n1 0 0 0 1 1 1 1 2 1 -1\n$EndEntities\n"
    "$PartitionedEntities\n2\n1\n4 1\n0 0 0 1\n5 3 1 2 1 2 0 0 0 1 1 1 1 2 0\n"
    "$EndPartitionedEntities\n$Nodes\n2 4 1 9\n2 1 1 3\n9\n1\n4\n0 0 0 5 5\n1 0 0 5 5\n"
    "0 1 0 5 5\n3 1 0 1\n7\n0 0 1\n$EndNodes\n$Elements\n3 3 1 3\n2 1 2 1\n1 9 1 4\n3 1 4 1\n"
    "2 9 1 4 7\n0 1 15 1\n3 9\n$EndElements\n$Other\nx\n$EndOther\n";

/* `whole`: from which length on it may be read, which no less of it may. */
static const struct {
    const char *text;
    size_t size, whole;
} samples[] = {{small, sizeof small - 1, 0},
               {grid, sizeof grid - 1, sizeof grid - 2},
               {grid5, sizeof grid5 - 1, sizeof grid5 - 2},
               {polys, sizeof polys - 1, 0},
               {gmsh2, sizeof gmsh2 - 1, sizeof gmsh2 - 2},
               {gmsh4, sizeof gmsh4 - 1, sizeof gmsh4 - 2 - sizeof "$Other\nx\n$EndOther\n" + 1}};
#define SAMPLES (sizeof samples / sizeof *samples)

static int check_any(const char *content, size_t size)
{
    file_shape o;
    file_shape_maker all;
    file_shape_make_start(&all, "all");
    int err = mesh_read_bytes(content, size, &o);
    CU_ASSERT(!err || err == IMP_ERR_INPUT);
    CU_ASSERT(mesh_is_sound(&o));
    CU_ASSERT(!err || strstr(imp_error_text(), "a.obj: line ") ||
              strstr(imp_error_text(), "a.obj: is "));
    file_shape_note faces;
    CU_ASSERT(!file_shape_cut("a.obj", &o, &faces) && mesh_is_sound(&o));
    if (!err)
        CU_ASSERT(!weld(1.5, &o, NULL) && mesh_is_sound(&o));
    if (!err)
        CU_ASSERT(!file_shape_make_join(&all, "a.obj", &o) &&
                  !file_shape_make_join(&all, "b.obj", &o));
    CU_ASSERT(all.shape.primitives == 2 * o.primitives && all.shape.tetrahedra == 2 * o.tetrahedra);
    file_shape_free(&o);
    file_shape_make_free(&all);
    return err;
}

/* Less of a file than tells its format is OBJ without a face, and behind the last section of one
 * may be more. */
static void test_prefixes(void)
{
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t n = 0; n <= samples[i].size; n++) {
            int err = check_any(samples[i].text, n), known = n >= sizeof "# vtk DataFile Version";
            if (n < samples[i].whole && known && !err)
                printf("\n%.*s\n", (int)n, samples[i].text);
            CU_ASSERT(!err ? n >= samples[i].whole || !known : n < samples[i].size);
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

static void test_mutations(void)
{
    rng r = {7};
    uint64_t refused = 0, all = test_count(9000);
    for (uint64_t i = 0; i < all; i++) {
        char text[1000];
        const size_t size = samples[i % SAMPLES].size;
        CU_ASSERT_FATAL(size < sizeof text);
        memcpy(text, samples[i % SAMPLES].text, size + 1);
        mutate(&r, text, size);
        refused += check_any(text, size) != 0;
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
        check_any(text, sizeof text);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"errors", test_errors},     {"nul", test_nul},
                                 {"files", test_files},       {"memory", test_memory},
                                 {"prefixes", test_prefixes}, {"mutations", test_mutations},
                                 {"garbage", test_garbage},   {0}};
    return test_main(argc, argv, "mesh_bad", tests);
}
