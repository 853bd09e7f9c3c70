/* The OBJ reader on valid files. The linker redirects read() of the tested code to this program,
 * which returns small pieces. */
#include "mesh_text.h"
#include "testlib.h"
#include "file_shape.h"

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading in pieces */

static size_t read_most = SIZE_MAX;

ssize_t __real_read(int fd, void *to, size_t bytes);
ssize_t __wrap_read(int fd, void *to, size_t bytes);

ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
    static int interrupted;
    if (read_most < SIZE_MAX && (interrupted = !interrupted)) {
        errno = EINTR;
        return -1;
    }
    return __real_read(fd, to, bytes < read_most ? bytes : read_most);
}

/* ---- statements */

static const struct {
    const char *text, *want;
} good[] = {
    {"", "|"},
    {"\n\n", "|"},
    {"# only this", "|"},
    {V3 "f 1 2 3\n", P3 "0 1 2 ;"},
    {V3 "f 1 2 3", P3 "0 1 2 ;"}, /* no end of line */
    {"f 3 1 2\n" V3, P3 "2 0 1 ;"},
    {V3 "f 1/1 2/2 3/3\nf 1//1 2//2 3//3\nf 1/1/1 2/2/2 3/-3/-3", P3 "0 1 2 ;0 1 2 ;0 1 2 ;"},
    {V3 "f 1/ 2// 3/4/\n", P3 "0 1 2 ;"}, /* some programs write trailing slashes */
    {V3 "f -3 -2 -1\nv 5 5 5\nf -4//-1 -3//-1 -1/-2/-3\n",
     "0 0 0;1 0 0;0 1 0;5 5 5;|0 1 2 ;0 1 3 ;"},
    {V3 "v 1 1 0\nf 1 2 4 3\n", "0 0 0;1 0 0;0 1 0;1 1 0;|0 1 3 ;0 3 2 ;"},
    {V3 "f 1 2 3 1 2 3\n", P3 "0 1 2 ;0 2 0 ;0 0 1 ;0 1 2 ;"},
    {V3 "f 1 1 1\nf +1 +2 +3", P3 "0 0 0 ;0 1 2 ;"},
    {"v 1 2 3 0.5\nv 1 2 3 0.1 0.2 0.3\nv 1 2 3 x", "1 2 3;1 2 3;1 2 3;|"},
    {"v -1.5e1 +.25 1.\n", "-15 0.25 1;|"},
    {"v nan inf -inf\nv NaN Infinity -INF\n", "nan inf -inf;nan inf -inf;|"},
    {"v 1e999 -1e999 1e-999\n", "inf -inf 0;|"},
    {"  \tv\t1 \t 2   3  \t\r\n", "1 2 3;|"},
    {"v 1 2 3\rv 4 5 6\r\rv 7 8 9", "1 2 3;4 5 6;7 8 9;|"},
    {"v 1 2 3\r\nv 4 5 6\r\n", "1 2 3;4 5 6;|"},
    {"v 1 2 3\r", "1 2 3;|"},
    {"v 1 \\\n2 \\\r\n3\nv 4 5\\\r 6", "1 2 3;4 5 6;|"},
    {"v\\\n\\\n\\\n 1 2 3\\\n", "1 2 3;|"},
    {V3 "f \\\n1 2\\\n 3\\\n\n", P3 "0 1 2 ;"},
    {"# a path: C:\\\nv 1 2 3\n", "1 2 3;|"},
    {"v 1 2 3# c\nv 1 2 3 # \\\n\nv 4 5 6", "1 2 3;1 2 3;4 5 6;|"},
    {"\xef\xbb\xbf", "|"},
    {"\xef\xbb\xbf# C:\\\nv 1 2 3", "1 2 3;|"},
    {"\xef\xbb\xbfv 1 2 3\n\xef\xbb\xbfv 1 2 3\n", "1 2 3;|"},
    {"vt 1 2\nvn x\nvp\ns off\nusemtl f 1\nmtllib v\nl 1 2\np 9\nfoo\nvx 1\nF 1\n#v\n6540 2180\n",
     "|"},
    {"v\v1\f2\v3", "1 2 3;|"},
    {V3 "g a\nf 1 2 3\ng b\nf 2 3 1\ng a\nf 3 1 2", P3 "0 1 2 a;1 2 0 b;2 0 1 a;"},
    {V3 "f 1 2 3\no x\nf 2 3 1", P3 "0 1 2 ;1 2 0 x;"},
    {V3 "g \nf 1 2 3\ng\nf 1 2 3\no\t \r\nf 1 2 3", P3 "0 1 2 ;0 1 2 ;0 1 2 ;"},
    {V3 "g  a  b \t\r\nf 1 2 3", P3 "0 1 2 a  b;"},
    {V3 "o a #1\nf 1 2 3\no a\\\nb\nf 1 2 3", P3 "0 1 2 a #1;0 1 2 a  b;"},
    {V3 "g none\ng a\nf 1 2 3\no none\no last", P3 "0 1 2 a;"},
    {"o a\nv 0 0 0\no b\nv 1 0 0\nv 0 1 0\nf 1 2 3", P3 "0 1 2 b;"},
};

static void test_statements(void)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        mesh_check(good[i].text, good[i].want);
}

/* The same in pieces of some bytes: every position is once at the end of a read. */
static void test_obj_pieces(void)
{
    for (read_most = 1; read_most < 4; read_most++)
        test_statements();
    read_most = SIZE_MAX;
}

static void test_obj_groups(void)
{
    file_shape o;
    CU_ASSERT(!mesh_read(V3 "g x\ng b\nf 1 2 3 1\no c\nf 1 2 3\ng b\nf 3 2 1\n", &o));
    CU_ASSERT_EQUAL_FATAL(o.groups.count, 2);
    CU_ASSERT_STRING_EQUAL(o.groups.name[0], "b");
    CU_ASSERT_STRING_EQUAL(o.groups.name[1], "c");
    static const int32_t want[] = {0, 0, 1, 0};
    CU_ASSERT_EQUAL_FATAL(o.primitives, 4);
    CU_ASSERT(!memcmp(o.group, want, sizeof want));
    file_shape_free(&o);
    CU_ASSERT(!o.point && !o.groups.name && !o.groups.count);
    file_shape_free(&o);
}

/* Faces of more than three corners are listed, and triangulated in place. */
static void test_obj_polygons(void)
{
    file_shape o, later;
    file_shape_note faces = {0};
    static const char text[] = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv %s 0\nv %s 0\nv 9 9 9\n"
                               "f 1 2 6\nf 1 2 3 4 5\ng x\nf 2 3 6\nf 1 2 3 5\n";
    char first[300], second[300];
    snprintf(first, sizeof first, text, "2 1", "0 4");
    snprintf(second, sizeof second, text, "0 4", "1.5 1");
    CU_ASSERT_FATAL(!mesh_read(first, &o));
    CU_ASSERT_EQUAL_FATAL(o.polygons, 2);
    CU_ASSERT(o.polygon[0].first == 1 && o.polygon[0].corners == 5 && o.polygon[0].line == 8);
    CU_ASSERT(o.polygon[1].first == 5 && o.polygon[1].corners == 4 && o.polygon[1].line == 11);
    static const uint32_t fan[] = {0, 1, 5, 0, 1, 2, 0, 2, 3, 0, 3, 4, 1, 2, 5, 0, 1, 2, 0, 2, 4};
    CU_ASSERT(o.primitives == 7 && !memcmp(o.corner, fan, sizeof fan));
    CU_ASSERT(!file_shape_triangulate("a", &o, &faces) && !faces.count && mesh_is_sound(&o));
    CU_ASSERT(!memcmp(o.corner, fan, 12) && !memcmp(o.corner + 12, fan + 12, 36));
    CU_ASSERT(memcmp(o.corner + 3, fan + 3, 36) != 0); /* a fan is wrong for the notch */
    CU_ASSERT_FATAL(!mesh_read(second, &later));
    CU_ASSERT(!memcmp(later.corner, fan, sizeof fan));
    CU_ASSERT(!file_shape_check_triangles("a", &later, o.corner, &faces));
    CU_ASSERT(faces.count == 2 && faces.line == 8);
    CU_ASSERT(!memcmp(o.corner, fan, 12) && !memcmp(o.corner + 12, fan + 12, 12));
    CU_ASSERT(!file_shape_check_triangles("a", &later, o.corner, &faces) && !faces.count);
    file_shape_free(&o);
    file_shape_free(&later);
}

/* ---- sizes */

/* text of n statements made by `line` */
static char *many(uint32_t n, void (*line)(uint32_t i, char text[64]), const char *head)
{
    size_t size = strlen(head), capacity = size + 64 * (size_t)n + 1;
    char *text = malloc(capacity);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memcpy(text, head, size + 1);
    for (uint32_t i = 0; i < n; i++) {
        line(i, text + size);
        size += strlen(text + size);
    }
    return text;
}

static void group_line(uint32_t i, char text[64])
{
    snprintf(text, 64, "g part %u\nf 1 2 3\n", i % 5000);
}

static void test_many_groups(void)
{
    file_shape o;
    char *text = many(10000, group_line, V3);
    CU_ASSERT(!mesh_read(text, &o));
    CU_ASSERT_EQUAL(o.primitives, 10000);
    CU_ASSERT_EQUAL_FATAL(o.groups.count, 5000);
    CU_ASSERT_STRING_EQUAL(o.groups.name[4999], "part 4999");
    CU_ASSERT_EQUAL(o.group[9999], 4999);
    CU_ASSERT(mesh_is_sound(&o));
    file_shape_free(&o);
    free(text);
}

static void corner_line(uint32_t i, char text[64])
{
    snprintf(text, 64, "%s%u/%u", i % 7 ? " " : " \\\n   ", i % 3 + 1, i);
}

static void test_long_lines(void)
{
    file_shape o;
    char *text = many(100000, corner_line, V3 "f");
    CU_ASSERT(!mesh_read(text, &o));
    CU_ASSERT_EQUAL(o.primitives, 99998);
    CU_ASSERT(mesh_is_sound(&o));
    file_shape_free(&o);
    size_t size = (size_t)1 << 21;
    text = realloc(text, size + 16);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, 'g', size);
    memcpy(text, "o ", 2);
    memcpy(text + size, "\n" V3, 10);
    CU_ASSERT(!mesh_read_bytes(text, size + 9, &o));
    CU_ASSERT_EQUAL(o.vertices, 1);
    file_shape_free(&o);
    free(text);
}

/* ---- numbers */

/* Coordinates must equal those of strtod to the last bit. */
static void test_numbers(void)
{
    static const char *const form[] = {"%.17g", "%.16g", "%.15g", "%.9g", "%.6f", "%.3e", "%.20e"};
    rng r = {1};
    for (uint64_t i = 0; i < test_count(4000); i++) {
        char number[3][512], text[2000];
        for (int k = 0; k < 3; k++) {
            uint64_t bits = rng_next(&r);
            double x;
            memcpy(&x, &bits, sizeof x);
            if (i % 4 || !isfinite(x))
                x = ldexp(rng_unit(&r) - 0.5, (int)rng_below(&r, 140) - 70);
            const char *f = form[rng_below(&r, 7)];
            snprintf(number[k], sizeof number[k], f, x);
        }
        snprintf(text, sizeof text, "v %s %s %s", number[0], number[1], number[2]);
        file_shape o;
        CU_ASSERT_FATAL(!mesh_read(text, &o) && o.vertices == 1);
        for (int k = 0; k < 3; k++) {
            double want = strtod(number[k], NULL);
            CU_ASSERT(!memcmp(&o.point[k], &want, sizeof want));
        }
        file_shape_free(&o);
    }
}

/* A custom locale: glibc's C.UTF-8, in which the two strings for the decimal point, narrow and
 * wide, the first and the fourth of its table of offsets, are commas. */
static void make_comma_locale(void)
{
    static const char *const from[] = {"/usr/lib/locale/C.utf8/LC_NUMERIC",
                                       "/usr/lib/locale/C.UTF-8/LC_NUMERIC"};
    static char path[512];
    unsigned char bytes[1000];
    uint32_t at[6];
    FILE *f = fopen(from[0], "rb");
    f = f ? f : fopen(from[1], "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    if (n < 8 + sizeof at)
        return;
    memcpy(at, bytes + 8, sizeof at);
    for (int i = 0; i < 4; i += 3)
        if (at[i] < n && bytes[at[i]] == '.')
            bytes[at[i]] = ',';
    snprintf(path, sizeof path, "%s/comma", test_folder());
    mkdir(path, 0755);
    setenv("LOCPATH", test_folder(), 1);
    strcat(path, "/LC_NUMERIC");
    f = fopen(path, "wb");
    CU_ASSERT_FATAL(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

static void test_locale(void)
{
    static const char *const name[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE",
                                       "comma"};
    size_t i = 0;
    while (i < 5 && !setlocale(LC_NUMERIC, name[i]))
        if (++i == 4)
            make_comma_locale();
    if (i == 5 || strcmp(localeconv()->decimal_point, ",") != 0)
        SKIP("no locale with a decimal comma");
    file_shape o;
    CU_ASSERT(!mesh_read("v 1.5 1.2345678901234567890123 1e-300", &o));
    setlocale(LC_NUMERIC, "C");
    CU_ASSERT_EQUAL_FATAL(o.vertices, 1);
    CU_ASSERT_EQUAL(o.point[0], 1.5);
    CU_ASSERT_EQUAL(o.point[1], 1.2345678901234567890123);
    CU_ASSERT_EQUAL(o.point[2], 1e-300);
    file_shape_free(&o);
}

/* ---- real files */

/* counts lines that begin with `word`, and the words after it */
static void count_lines(const char *path, const char *word, uint32_t *lines, uint32_t *words)
{
    char *line = NULL, *save;
    size_t capacity = 0;
    FILE *f = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    *lines = *words = 0;
    while (getline(&line, &capacity, f) > 0) {
        if (strncmp(line, word, strlen(word)))
            continue;
        ++*lines;
        strtok_r(line, " \t\r\n", &save);
        while (strtok_r(NULL, " \t\r\n", &save))
            ++*words;
    }
    free(line);
    fclose(f);
}

static void check_real(const char *path)
{
    file_shape o;
    uint32_t vertices, faces, numbers, corners;
    count_lines(path, "v ", &vertices, &numbers);
    count_lines(path, "f ", &faces, &corners);
    int err = file_shape_read(path, 1, &o);
    if (err)
        printf("\n%s\n", imp_error_text());
    CU_ASSERT(!err);
    CU_ASSERT_EQUAL(o.vertices, vertices);
    CU_ASSERT_EQUAL(o.primitives, corners - 2 * faces);
    CU_ASSERT(o.vertices && o.primitives && mesh_is_sound(&o));
    for (size_t i = 0; i < (size_t)3 * o.vertices; i++)
        CU_ASSERT(isfinite(o.point[i]));
    file_shape_note crossing = {0};
    uint32_t triangles = o.primitives;
    CU_ASSERT(!file_shape_need_primitives(path, &o) &&
              !file_shape_triangulate(path, &o, &crossing) && !crossing.count);
    CU_ASSERT(o.primitives == triangles && mesh_is_sound(&o));
    CU_ASSERT(!file_shape_weld(0, &o, NULL) && o.vertices <= vertices && mesh_is_sound(&o));
    file_shape_free(&o);
}

static void test_obj_real(void)
{
    static const char *const folder[] = {"fcl", "ipc", "codim-ipc", "vegafem"};
    if (!test_data())
        SKIP("no folder of real data");
    int files = 0;
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/meshes/%s", test_data(), folder[i]);
        DIR *d = opendir(path);
        for (struct dirent *e; d && (e = readdir(d));) {
            size_t n = strlen(e->d_name);
            if (n < 4 || strcmp(e->d_name + n - 4, ".obj"))
                continue;
            snprintf(path, sizeof path, "%s/meshes/%s/%s", test_data(), folder[i], e->d_name);
            check_real(path);
            files++;
        }
        if (d)
            closedir(d);
    }
    if (!files)
        SKIP("no OBJ files in the real data");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"statements", test_statements},   {"pieces", test_obj_pieces},
                                 {"groups", test_obj_groups},       {"polygons", test_obj_polygons},
                                 {"many_groups", test_many_groups}, {"long_lines", test_long_lines},
                                 {"numbers", test_numbers},         {"locale", test_locale},
                                 {"real", test_obj_real},           {0}};
    return test_main(argc, argv, "obj", tests);
}
