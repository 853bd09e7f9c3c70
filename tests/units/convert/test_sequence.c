/* The order of files, gaps in their numbers, times. */
#include "error.h"
#include "expect.h"
#include "names.h"
#include "testlib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* ---- order */

/* each before the next */
static const char *const ordered[] = {"",
                                      "/1",
                                      "1",
                                      "01",
                                      "001",
                                      "1.obj",
                                      "2",
                                      "2a",
                                      "9",
                                      "10",
                                      "10a1",
                                      "10a02",
                                      "10a3",
                                      "010a3",
                                      "99999999999999999999",
                                      "100000000000000000000",
                                      "a",
                                      "a/1/z",
                                      "a/2/b",
                                      "a/10/a",
                                      "a-1",
                                      "a1",
                                      "a1/b2",
                                      "a1/b10",
                                      "a2/b1",
                                      "a10",
                                      "f.1.obj",
                                      "f.2.obj",
                                      "f.10.obj",
                                      "f.100.obj",
                                      "f1.obj",
                                      "f\xc3\xbc"};

static void test_sequence_order(void)
{
    enum { N = sizeof ordered / sizeof *ordered };
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            int have = sequence_compare(ordered[i], ordered[j]);
            EXPECT((have > 0) - (have < 0) == (i > j) - (i < j), "%s, %s: %d", ordered[i],
                   ordered[j], have);
        }
    rng r = {1};
    for (int k = 0; k < 50; k++) {
        char *file[N];
        for (size_t i = 0; i < N; i++) {
            size_t j = rng_below(&r, (uint32_t)i + 1);
            file[i] = file[j];
            file[j] = strdup(ordered[i]);
        }
        CU_ASSERT(!sequence_sort(file, N));
        for (size_t i = 0; i < N; i++) {
            CU_ASSERT_STRING_EQUAL(file[i], ordered[i]);
            free(file[i]);
        }
    }
}

/* ---- negative numbers */

static size_t sequence_test_split(const char *names, char *store, char **file);

/* In order. A hyphen that is no sign is a separator. */
static const char *const signs[] = {
    "f_-10.obj f_-2.obj f_-1.obj f_0.obj f_1.obj f_2.obj f_10.obj",
    "-10.obj -2.obj 0.obj 3.obj",
    "d/-10 d/-9 d/1",
    "f.-10.vtk f.-3.vtk f.-03.vtk f.2.vtk",
    "t=-2 t=-1 t=0",
    "a--2 a--1 a-0 a-1",
    "cloth-1 cloth-2 cloth-10",
    "frame-2.obj frame-1.obj frame0.obj frame1.obj",
    "frame-1.obj frame-2.obj frames0.obj",
    "2024-01-02 2024-01-10 2024-02-01",
    "v2-1 v2-10",
    "a_-100000000000000000000 a_-99999999999999999999 a_-1",
    "a_-1b-1 a_-1b-2 a_0b-1",
    "a_-1_-2 a_-1_-1 a_0_-7 a_0_-6",
    "a_0 a_-0 a_1",
    "a_- a_-b a_b",
};

static void test_signs(void)
{
    rng r = {7};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        for (int k = 0; k < 20; k++) {
            char store[400], want_store[400], *file[MOST], *want[MOST];
            size_t n = sequence_test_split(signs[i], store, file);
            sequence_test_split(signs[i], want_store, want);
            for (size_t j = 0; j < n; j++) {
                size_t other = rng_below(&r, (uint32_t)n);
                char *kept = file[j];
                file[j] = file[other];
                file[other] = kept;
            }
            CU_ASSERT(!sequence_sort(file, n));
            for (size_t j = 0; j < n; j++)
                EXPECT(!strcmp(file[j], want[j]), "%s: %s in place %zu", signs[i], file[j], j);
        }
}

/* ---- gaps */

static char told[4000];

static void sequence_test_tell(const char *line)
{
    CU_ASSERT(strlen(line) < 800 && strlen(told) + strlen(line) + 2 < sizeof told);
    strcat(strcat(told, line), "\n");
}

/* splits names at blanks */
static size_t sequence_test_split(const char *names, char *store, char **file)
{
    size_t n = 0;
    strcpy(store, names);
    for (char *s = strtok(store, " "); s; s = strtok(NULL, " "))
        file[n++] = s;
    return n;
}

static const struct {
    const char *names, *want;
} gaps[] = {
    {"a1 a2 a3", ""},
    {"a3 a1 a2 b7 c", ""},
    {"a0009 a0010 a0011", ""},
    {"a1 a2 a4", "frame 3 is missing in a%d\n"},
    {"a20 a1 a2 a3 a5 a6 a8", "frames 4, 7, 9-19 are missing in a%d\n"},
    {"x/a1.obj x/a3.obj x/a4.obj", "frame 2 is missing in x/a%d.obj\n"},
    {"r1/a1 r1/a3 r1/a4 r2/a1 r2/a2", "frame 2 is missing in r1/a%d\n"},
    {"f1_v2 f2_v2 f5_v2", "frames 3-4 are missing in f%d_v2\n"},
    {"a0 a10 a20", "frames are numbered in steps of 10 in a%d\n"},
    {"a0 a10 a20 a40 a70", "frames 30, 50-60 are missing in a%d (numbered in steps of 10)\n"},
    {"a1 a01 a2", "frame 01 is there twice: a1 and a01\n"},
    {"a1 a1", "a1 is given twice\n"},
    {"a1 a1 a01 a2 a2", "a1 is given twice, and 2 more\n"},
    {"a1 a3 a5 a7 a9 a11 a13 a15 a17 a19 a21 a22",
     "frames 2, 4, 6, 8, 10, 12, 14, 16 and 2 more are missing in a%d\n"},
    {"a1 b1 a3 b3 a4 b4", "frame 2 is missing in a%d\nframe 2 is missing in b%d\n"},
    {"a1 a3 a4 b1 b3 b4 c1 c3 c4 d1 d3 d4 e1 e3 e4",
     "frame 2 is missing in a%d\nframe 2 is missing in b%d\nframe 2 is missing in c%d\n"
     "and more in 2 other sequences\n"},
    {"t0.25 t0.5 t0.75 t1.5", ""},
    {"c.v2.0010 c.v2.0011 c.v2.0013", "frame 12 is missing in c.v2.%d\n"},
    {"a1 a18446744073709551615", ""}, /* a number of 20 digits is no frame number */
    {"a1 a999999999999999999 a3",
     "frames 5-999999999999999997 are missing in a%d (numbered in steps of 2)\n"},
    {"a_-2 a_-1 a_1 a_2", "frame 0 is missing in a_%d\n"},
    {"a_-9 a_-2 a_3 a_-8", "frames -7 to -3, -1 to 2 are missing in a_%d\n"},
    {"a_-20 a_-10 a_0", "frames are numbered in steps of 10 in a_%d\n"},
    {"a_-1 a_-01", "frame -01 is there twice: a_-1 and a_-01\n"},
    {"a-1 a-2 a-4", "frame 3 is missing in a-%d\n"},
    {"a-1 a0 a2", "frame 1 is missing in a%d\n"},
    {"a b c", ""},
    {"a", ""},
};

static void test_gaps(void)
{
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        char store[400], *file[MOST];
        size_t n = sequence_test_split(gaps[i].names, store, file);
        told[0] = 0;
        CU_ASSERT(!sequence_gaps(file, n, sequence_test_tell));
        EXPECT(!strcmp(told, gaps[i].want), "%s:\n%s not\n%s", gaps[i].names, told, gaps[i].want);
    }
}

/* Names of any length produce messages of limited length. */
static void test_long_names(void)
{
    char name[3][3000], *file[3] = {name[0], name[1], name[2]};
    for (int i = 0; i < 3; i++) {
        memset(name[i], 'x', sizeof name[i]);
        snprintf(name[i] + 1500, 1000, "%d", i * i);
        name[i][1501] = 'y';
        name[i][2999] = 0;
    }
    told[0] = 0;
    CU_ASSERT(!sequence_gaps(file, 3, sequence_test_tell));
    EXPECT(strstr(told, "frame") && strstr(told, "2-3 are missing in ...xx"), "%s", told);
}

/* ---- times from names */

static const struct {
    const char *names, *order; /* sorted; "!text": an error with this text */
    double step, time[5];
} named[] = {
    {"a1 a2 a10", "a1 a2 a10", 1, {1, 2, 10}},
    {"a10 a2 a1", "a1 a2 a10", 0.5, {0.5, 1, 5}},
    {"a0007.obj", "a0007.obj", 1, {7}},
    {"v2_t0.25.obj v2_t0.5.obj v2_t0.125.obj",
     "v2_t0.125.obj v2_t0.25.obj v2_t0.5.obj",
     1,
     {0.125, 0.25, 0.5}},
    {"t10.5 t1.75 t1.5", "t1.5 t1.75 t10.5", 1, {1.5, 1.75, 10.5}},
    {"t1.5.obj t2.5.obj", "t1.5.obj t2.5.obj", 1, {1.5, 2.5}},
    {"t1.4k.obj t2.4k.obj", "t1.4k.obj t2.4k.obj", 1, {1, 2}},
    {"f1/m1.obj f2/m2.obj f10/m010.obj", "f1/m1.obj f2/m2.obj f10/m010.obj", 1, {1, 2, 10}},
    {"f1/m2.obj f2/m3.obj", "!f1/m2.obj: several numbers of its name change", 1, {0}},
    {"a b", "!b: its name differs from a in more than a number", 1, {0}},
    {"a", "!a: there is no number in its name", 1, {0}},
    {"a1 a01", "!a01: its time 1 does not come after 1 of a1", 1, {0}},
    {"v2.0010.obj v2.0011.obj", "!v2.0010.obj: is the point in its name that of a number?", 1, {0}},
    {"a1 a2", "!a2: its time inf is not finite", 1e308, {0}},
    {"a1 b2", "!b2: its name differs", 1, {0}},
    {"a_1 a_-10 a_-2 a_0", "a_-10 a_-2 a_0 a_1", 0.5, {-5, -1, 0, 0.5}},
    {"a-1 a-10", "a-1 a-10", 1, {1, 10}},
    {"a1 a-1 a0", "a-1 a0 a1", 1, {-1, 0, 1}},
    {"t_-0.5 t_-1.25 t_2.5", "t_-1.25 t_-0.5 t_2.5", 1, {-1.25, -0.5, 2.5}},
    {"a_-1 a_-01", "!a_-01: its time -1 does not come after -1 of a_-1", 1, {0}},
};

static void test_sequence_names(void)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        char store[400], want_store[400], *file[MOST], *want[MOST];
        double time[MOST];
        const char *order = named[i].order;
        size_t n = sequence_test_split(named[i].names, store, file);
        int err = sequence_times_of_names(file, n, named[i].step, 1, time);
        if (*order == '!') {
            EXPECT(err == IMP_ERR_INPUT && !strncmp(imp_error_text(), order + 1, strlen(order) - 1),
                   "%s: %d %s", named[i].names, err, err ? imp_error_text() : "");
            continue;
        }
        EXPECT(!err, "%s: %s", named[i].names, imp_error_text());
        CU_ASSERT_FATAL(!err && sequence_test_split(order, want_store, want) == n);
        for (size_t k = 0; k < n; k++)
            EXPECT(!strcmp(file[k], want[k]) && time[k] == named[i].time[k], "%s: %s at %g",
                   named[i].names, file[k], time[k]);
    }
    char two[] = "a2", one[] = "a1", *file[] = {two, one};
    double time[2];
    CU_ASSERT_EQUAL(sequence_times_of_names(file, 2, 1, 0, time), IMP_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "a1: its time 1 does not come after 2 of a2"));
}

/* ---- times from a file */

static const struct {
    const char *text, *want; /* NULL: 0.5, 1, 2 */
} texts[] = {
    {"0.5\n1\n2\n", NULL},
    {"# times\n\n 0.5 # first\r\n1e0\r\n\r\n+2.0", NULL},
    {"\xef\xbb\xbf"
     "0.5\n1\n2",
     NULL},
    {"0.5\n1\n", ": 2 times for 3 files"},
    {"", ": 0 times for 3 files"},
    {"0.5\n1\n2\n3\n4\n", ": 5 times for 3 files"},
    {"0.5\n1\n1\n", ": line 3: time 1 does not come after 1"},
    {"0.5\n-1\n1\n", ": line 2: time -1 does not come after 0.5"},
    {"0.5\nx\n1\n", ": line 2: 'x' is not a finite number"},
    {"0.5\n\nnan\n1\n", ": line 3: 'nan' is not a finite number"},
    {"0.5\n1e999\n", ": line 2: '1e999' is not a finite number"},
    {"0.5 1\n2\n", ": line 1: '1' after the time; one in a line is read"},
    {"0,5\n1\n2\n", ": line 1: '0,5' is not a finite number"},
};

static void test_sequence_files(void)
{
    char path[300];
    snprintf(path, sizeof path, "%s/times.txt", test_folder());
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double time[3] = {0};
        FILE *f = fopen(path, "wb");
        CU_ASSERT_FATAL(f && fputs(texts[i].text, f) >= 0 && !fclose(f));
        int err = sequence_times_of_file(path, 3, time);
        if (!texts[i].want) {
            CU_ASSERT(!err && time[0] == 0.5 && time[1] == 1 && time[2] == 2);
            continue;
        }
        const char *have = imp_error_text();
        EXPECT(err == IMP_ERR_INPUT && !strncmp(have, path, strlen(path)) &&
                   !strcmp(have + strlen(path), texts[i].want),
               "%s: %d %s", texts[i].text, err, have);
    }
    double time[1];
    CU_ASSERT_EQUAL(sequence_times_of_file("/none/such", 1, time), IMP_ERR_INPUT);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"order", test_sequence_order},
                                 {"signs", test_signs},
                                 {"gaps", test_gaps},
                                 {"long_names", test_long_names},
                                 {"names", test_sequence_names},
                                 {"files", test_sequence_files},
                                 {0}};
    return test_main(argc, argv, "sequence", tests);
}
