/* Names of objects: in results, whatever happens to the input; in the file of --object-pairs; in
 * scenes; and those that convert drops. tests/units/store/test_store_names.c tests the files. */
#include "converted.h"
#include "expect.h"
#include "h5_make.h"
#include "h5_read.h"
#include "json_read.h"
#include "run_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IN at("parts.vtkhdf")
#define OUT at("parts.out.vtkhdf")

/* Four objects: the first three are in contact with each other, the last one with none. */
static const char parts[] =
    "v 0 0 0\nv 4 0 0\nv 0 4 0\nv .1 .1 -1\nv 1.1 .1 1\nv .1 1.1 1\nv .2 .1 -2\nv 1.2 .1 2\nv .2 "
    "1.1 2\n"
    "v 9 9 9\nv 10 9 9\nv 9 10 9\n"
    "o left, \"upper\"\nf 1 2 3\no cloth\nf 4 5 6\no bolt\nf 7 8 9\no 7\nf 10 11 12\n";

static void make_parts(void)
{
    write_text(at("parts.obj"), parts);
    ran r = RAN("convert", at("parts.obj"), "--groups", "-o", IN, "--force", "-q");
    EXPECT(ran_well(&r), "^ convert");
    ran_free(&r);
}

/* ---- results */

static void check_object_names_all(const char *path, const char *about)
{
    ran r = RAN("info", path);
    EXPECT(ran_well(&r) && strstr(r.out, "between 0 (left, \"upper\") and 1 (cloth): 1") &&
               strstr(r.out, "between 1 (cloth) and 2 (bolt): 1"),
           "^ %s: %s", about, r.out);
    ran_free(&r);
    r = RAN("info", path, "--json");
    EXPECT(r.code == 0 && strstr(r.out, "\"name_b\": \"bolt\""), "%s: %s", about, r.out);
    ran_free(&r);
}

/* The result has the names: the input may be deleted or replaced. */
static void test_object_names_results(void)
{
    make_parts();
    ran r = RAN("run", IN, "-o", OUT, "--force", "-q", CPU);
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    CU_ASSERT_STRING_EQUAL(batch_name_in(OUT, "impinge/object_names", 1), "cloth");
    for (int i = 0; i < 2; i++) {
        char part[16];
        snprintf(part, sizeof part, "%d/2", i);
        r = RAN("run", IN, "-o", i ? at("s1.vtkhdf") : at("s0.vtkhdf"), "--force", "-q", CPU,
                "--shard", part);
        EXPECT(ran_well(&r), "^ shard");
        ran_free(&r);
    }
    for (int copy = 0; copy < 2; copy++) {
        r = RAN("merge", copy ? at("copy.vtkhdf") : at("join.vtkhdf"), at("s0.vtkhdf"),
                at("s1.vtkhdf"), "--force", "-q", copy ? "--copy" : "--virtual");
        EXPECT(ran_well(&r), "^ merge, %d", copy);
        ran_free(&r);
    }
    r = RAN("run", IN, "-o", at("cut.vtkhdf"), "--force", "-q", CPU, "--space", "2");
    EXPECT(ran_well(&r), "^ slabs");
    ran_free(&r);
    CU_ASSERT(!unlink(IN));
    check_object_names_all(OUT, "without the input");
    check_object_names_all(at("join.vtkhdf"), "joined");
    check_object_names_all(at("copy.vtkhdf"), "copied");
    check_object_names_all(at("cut.vtkhdf"), "slabs");
    write_text(IN, "another file");
    check_object_names_all(OUT, "another input");
}

/* They are names of ObjectId: objects of another array with the same ids have no names. */
static void test_other_objects(void)
{
    make m = {.no_steps = 1, .cells = {{.name = "ObjectId"}, {.name = "Part"}}};
    make_moving(&m, 1, 40, 7);
    for (int64_t i = 0; i < 40; i++) {
        make_add(&m.cells[0].value, i % 2);
        make_add(&m.cells[1].value, i % 4);
    }
    const char *in = make_write(&m, "named.vtkhdf");
    h5_texts(in, "impinge/object_names", 2, "even\0odd\0\0", 5);
    h5_replace_ints(in, "impinge/object_ids", 2, (const int64_t[]){0, 1});
    write_text(at("even.txt"), "even odd\n");
    const char *const how[] = {"id", "array:ObjectId", "array:Part", "connected"};
    for (int i = 0; i < 4; i++) {
        ran r = RAN("run", in, "-o", OUT, "--force", CPU, "--objects", how[i], "--json");
        EXPECT(!r.code && !strstr(r.out, "\"even\"") == (i > 1), "%s: %s", how[i], r.out);
        ran_free(&r);
        r = RAN("info", OUT);
        EXPECT(!r.code && !strstr(r.out, "even") == (i > 1), "%s: %s", how[i], r.out);
        ran_free(&r);
        r = RAN("run", in, "-o", OUT, "--force", "-q", CPU, "--objects", how[i], "--object-pairs",
                at("even.txt"));
        EXPECT(i > 1 ? ran_failed(&r, 3, "even.txt: line 1", "have no names") : ran_well(&r),
               "^ a list of %s", how[i]);
        ran_free(&r);
    }
    make_free(&m);
}

/* ---- --object-pairs */

/* Compares the pairs of objects in the table of --csv. */
static void check_object_names_csv(const char *list, const char *pairs)
{
    char *text = file_text(at("list.csv"), NULL), have[100] = "";
    for (char *at_row = strchr(text, '\n'); at_row && at_row[1]; at_row = strchr(at_row + 1, '\n'))
        snprintf(have + strlen(have), sizeof have - strlen(have), "%.3s ", at_row + 5);
    EXPECT(!strcmp(have, pairs), "%s: pairs %s, not %s", list, have, pairs);
    free(text);
}

static void check_object_names_list(const char *list, const char *pairs)
{
    write_text(at("list.txt"), list);
    ran r = RAN("run", IN, "-o", OUT, "--force", CPU, "--object-pairs", at("list.txt"), "--csv",
                at("list.csv"));
    EXPECT(!r.code, "%s: %s", list, r.err);
    ran_free(&r);
    check_object_names_csv(list, pairs);
}

static void test_object_names_lists(void)
{
    static const char *const wrong[][3] = {
        {"0 1\ncloth blot\n", "line 2: there is no object 'blot'; there is bolt", NULL},
        {"cloth nothing\n", "there is no object 'nothing'", "cloth, bolt, 7"},
        {"Cloth bolt\n", "there is no object 'Cloth'", "cloth"},
        {"cloth\n", "line 1: not a pair of objects", NULL},
        {"cloth bolt 3\n", "more than a pair of objects", "double quotes"},
        {"left, upper bolt\n", "there is no object 'left'", "left, \"upper\""},
        {"\"cloth bolt\n", "line 1: not a pair of objects", NULL},
        {"0 99999999999\n", "there is no object '99999999999'", NULL},
    };
    make_parts();
    check_object_names_list("cloth bolt\n", "1,2 ");
    check_object_names_list("cloth,bolt\n2\t0 # a comment\n", "0,2 1,2 ");
    check_object_names_list("\"left, \"\"upper\"\"\" cloth#\n0 1#c\n", "0,1 ");
    check_object_names_list("- cloth bolt\n- 0 \"cloth\"\n", "0,2 ");
    check_object_names_list("\"7\" cloth\n0 1\n", "0,1 ");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_text(at("list.txt"), wrong[i][0]);
        ran r = RAN("run", IN, "-o", OUT, "--force", CPU, "--object-pairs", at("list.txt"));
        EXPECT(ran_failed(&r, 3, wrong[i][1], wrong[i][2]), "^ %s", wrong[i][0]);
        ran_free(&r);
    }
    /* a name that two objects share identifies neither */
    make_parts();
    h5_remove(IN, "impinge/object_names");
    h5_texts(IN, "impinge/object_names", 4, "bolt\0\0cloth\0bolt\0\0007\0\0\0\0", 6);
    write_text(at("list.txt"), "cloth bolt\n");
    ran r = RAN("run", IN, "-o", OUT, "--force", CPU, "--object-pairs", at("list.txt"));
    EXPECT(ran_failed(&r, 3, "'bolt' is the name of 2 objects, 0, 2", NULL), "^ two of one name");
    ran_free(&r);
}

/* --object-pairs-exclude FILE is --object-pairs -FILE; with both, pairs of the first list are
 * tested except those of the second. */
static void test_object_names_exclude(void)
{
    static const struct {
        const char *only, *without, *pairs; /* `without` is the file of the second option */
    } list[] = {
        {NULL, "cloth bolt\n", "0,1 0,2 "},  {NULL, "- cloth bolt\n0 1 # a comment\n", "0,2 "},
        {NULL, "", "0,1 0,2 1,2 "},          {"cloth bolt\n0 1\n", "1 0\n", "1,2 "},
        {"- cloth bolt\n", "0 1\n", "0,2 "}, {"0 1\n1 2\n- 1 2\n", "0 2\n", "0,1 "}};
    make_parts();
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        write_text(at("without.txt"), list[i].without);
        if (list[i].only)
            write_text(at("list.txt"), list[i].only);
        const char *line[16] = {"run",
                                IN,
                                "-o",
                                OUT,
                                "--force",
                                CPU,
                                "--csv",
                                at("list.csv"),
                                "--object-pairs-exclude",
                                at("without.txt")};
        if (list[i].only)
            line[13] = "--object-pairs", line[14] = at("list.txt");
        ran r = program_run(line);
        EXPECT(!r.code, "%s: %s", list[i].without, r.err);
        ran_free(&r);
        check_object_names_csv(list[i].without, list[i].pairs);
        r = RAN("check", OUT, "--input", IN);
        EXPECT(ran_well(&r), "^ check");
        ran_free(&r);
    }
    write_text(at("without.txt"), "cloth blot\n");
    ran r = RAN("run", IN, "-o", OUT, "--force", CPU, "--object-pairs-exclude", at("without.txt"));
    EXPECT(ran_failed(&r, 3, "without.txt: line 1: there is no object 'blot'; there is bolt", NULL),
           "^ an unknown name");
    ran_free(&r);
    write_text(at("without.txt"), "0 1\n0 2\n1 2\n0 3\n1 3\n2 3\n0 0\n1 1\n2 2\n3 3\n");
    r = RAN("run", IN, "-o", OUT, "--force", CPU, "--object-pairs-exclude", at("without.txt"));
    EXPECT(ran_failed(&r, 2, "--object-pairs-exclude", "without.txt: "), "^ no pair is left");
    ran_free(&r);
    r = RAN("run", IN, "-o", OUT, "--force", CPU, "--object-pairs-exclude", "-", "--object-pairs",
            "-");
    EXPECT(ran_failed(&r, 2, "--object-pairs and --object-pairs-exclude: only one", NULL),
           "^ both from standard input");
    ran_free(&r);
    write_text(at("without.txt"), "0 1\n");
    r = RAN("run", IN, "-o", OUT, "--force", CPU, "--object-pairs-exclude", at("without.txt"),
            "--collide-txt", at("without.txt"));
    EXPECT(ran_failed(&r, 2, "--collide-txt: ", at("without.txt")), "^ the list as an output");
    EXPECT(file_size(at("without.txt")) == 4, "the list was changed");
    ran_free(&r);
}

static int has_impinge(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const int has = H5Lexists(file, "impinge", H5P_DEFAULT) > 0;
    H5Fclose(file);
    return has;
}

/* The other files of a run have the names of the result; without names they have no /impinge. */
static void test_object_names_files(void)
{
    static const char *const option[] = {"--contours", "--regions", "--counts"};
    const char *side = at("side.vtkhdf");
    make_parts();
    for (size_t i = 0; i < 3; i++) {
        ran r = RAN("run", IN, "-o", OUT, "--force", "-q", CPU, option[i], side);
        EXPECT(!r.code, "%s: %s", option[i], r.err);
        ran_free(&r);
        CU_ASSERT_STRING_EQUAL(batch_name_in(side, "impinge/object_names", 1), "cloth");
    }
    h5_remove(IN, "impinge/object_names");
    h5_remove(IN, "impinge/object_ids");
    for (size_t i = 0; i < 3; i++) {
        ran r = RAN("run", IN, "-o", OUT, "--force", "-q", CPU, option[i], side);
        EXPECT(!r.code && !has_impinge(side), "%s: %s", option[i], r.err);
        ran_free(&r);
    }
}

/* ---- scenes */

static void test_object_names_scenes(void)
{
    static const char *const scenes[][3] = {{"cloth-ball", "0 (cloth)", "1 (ball)"},
                                            {"spheres", "0 (ball-1)", "1 (ball-2)"},
                                            {"missile", "1 (building)", "2 (missile)"},
                                            {"scalpel", "0 (tissue)", "1 (blade)"},
                                            {"dense", "0 (lower)", "1 (upper)"}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        ran r =
            RAN("generate", scenes[i][0], "-n", "900", "--frames", "1", "-o", IN, "--force", "-q");
        EXPECT(ran_well(&r), "^ generate");
        ran_free(&r);
        r = RAN("info", IN);
        EXPECT(!r.code && strstr(r.out, scenes[i][1]) && strstr(r.out, scenes[i][2]), "%s: %s",
               scenes[i][0], r.out);
        ran_free(&r);
    }
    ran r = RAN("generate", "soup", "-n", "90", "-o", IN, "--force", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("info", IN);
    EXPECT(!r.code && strstr(r.out, "objects    not named"), "soup: %s", r.out);
    ran_free(&r);
    r = RAN("pcs", "dominoes", "--bodies", "3", "--frames", "3", "-o", OUT, "--force", "--json");
    if (!strstr(r.err, "ODE")) {
        EXPECT(!r.code && strstr(r.out, "\"name_b\": \"domino-3\""), "pcs: %s%s", r.out, r.err);
        ran_free(&r);
        r = RAN("info", OUT);
        EXPECT(!r.code && strstr(r.out, "0 (ground) and 2 (domino-2)"), "pcs: %s", r.out);
        ran_free(&r);
        r = RAN("info", at("parts.out.batch.vtkhdf"));
        EXPECT(!r.code && strstr(r.out, "1 (domino-1): 12"), "pcs: %s", r.out);
    }
    ran_free(&r);
}

/* ---- names that convert drops */

static void test_dropped(void)
{
    static const char one[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\no only\nf 1 2 3\n";
    const char *word = "2 groups not told apart: a, b; --groups makes objects of them";
    write_text(at("two.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no a\nf 1 2 3\ng b\nf 3 2 1\n");
    write_text(at("one.obj"), one);
    ran r = RAN("convert", at("two.obj"), "-o", IN, "--force", "-q");
    EXPECT(!r.code && strstr(r.err, "two.obj: ") && strstr(r.err, word), "%s", r.err);
    ran_free(&r);
    r = RAN("convert", at("one.obj"), at("two.obj"), "--as", "objects", "-o", IN, "--force");
    EXPECT(!r.code && strstr(r.err, word), "%s", r.err);
    ran_free(&r);
    const char *const quiet[][3] = {{at("two.obj"), "--groups"}, {at("one.obj")}};
    for (int i = 0; i < 2; i++) {
        r = RAN("convert", "-o", IN, "--force", quiet[i][0], quiet[i][1]);
        EXPECT(ran_well(&r), "^ nothing is lost");
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"results", test_object_names_results},
                                 {"other_objects", test_other_objects},
                                 {"lists", test_object_names_lists},
                                 {"exclude", test_object_names_exclude},
                                 {"files", test_object_names_files},
                                 {"scenes", test_object_names_scenes},
                                 {"dropped", test_dropped},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "object_names", tests);
}
