/* What --resume continues, and what it refuses. */
#include "expect.h"
#include "h5_make.h"
#include "program_job.h"
#include "testlib.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void check_resume_refused(const sample_job *j, const char *const *more, const char *word)
{
    const char *line[JOB_LINE + 4];
    size_t size, size2;
    int n = 0;
    char *before = file_text(j->part, &size);
    sample_job_line(j, j->out, "--resume", line);
    while (line[n])
        n++;
    for (int i = 0; i < 2 && more[i]; i++)
        line[n++] = more[i];
    line[n] = NULL;
    ran r = program_run(line);
    EXPECT(ran_failed(&r, 3, j->part, word), "^ --resume with %s", line[n - 1]);
    EXPECT(!exists(j->out), "OUT is there");
    char *after = file_text(j->part, &size2);
    EXPECT(size2 == size && !memcmp(before, after, size), "%s: OUT.part was changed", line[n - 1]);
    ran_free(&r);
    free(before);
    free(after);
}

static void test_other_options(void)
{
    sample_job j = sample_job_small("other options");
    static const char *const other[][3] = {
        {"--adjacent", "test", NULL},    {"--dop", "26", NULL},           {"--pairs", "self", NULL},
        {"--stage", "candidates", NULL}, {"--frames", ":5", NULL},        {"--frames", "1:", NULL},
        {"--on-bad", "skip", NULL},      {"--objects", "connected", NULL}};
    job_kill_half(&j);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        char word[60];
        snprintf(word, sizeof word, "%s was", other[i][0]);
        check_resume_refused(&j, other[i], word);
    }
    write_text(at("pairs.txt"), "0 0\n");
    check_resume_refused(&j, (const char *const[]){"--object-pairs", at("pairs.txt"), NULL},
                         "--object-pairs was not given");
    job_go_on(&j, "refusals", 0);
}

/* Device, threads, broad phase, block and memory do not change a result. */
static void test_same_options(void)
{
    sample_job j = sample_job_small("same options");
    static const char *const same[][2] = {
        {"--broad", "brute"}, {"--broad", "hash"},     {"--threads", "2"},
        {"--block", "3"},     {"--mem-limit", "200M"}, {"--cell", "0.5"},
        {"--frames", ":"},    {"--dop", "6"},          {"--pairs", "all"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        job_kill_half(&j);
        ran r =
            RAN("run", j.in, "-o", j.out, "--device", "cpu", "--resume", same[i][0], same[i][1]);
        EXPECT(ran_well(&r), "^ --resume with %s %s", same[i][0], same[i][1]);
        ran_free(&r);
        job_check_whole(&j, same[i][0], 0);
    }
    sample_job_remove(&j);
}

static void test_other_input(void)
{
    sample_job j = sample_job_small("another input");
    job_kill_half(&j);
    copy_file(j.in, at("kept.vtkhdf"));
    h5_poke(j.in, "VTKHDF/Points", 5, 0.25);
    check_resume_refused(&j, (const char *const[]){NULL}, "another input");
    ran r = RAN("run", at("kept.vtkhdf"), "-o", j.out, "--device", "cpu", "--resume", "-q");
    EXPECT(ran_well(&r), "^ the input under another name");
    ran_free(&r);
    job_check_whole(&j, "another name", 0);
    sample_job_remove(&j);
}

/* Missing objects, and numbers out of range. */
static void test_resume_damaged(void)
{
    static const char *const gone[] = {"impinge",
                                       "impinge/frames_done",
                                       "impinge/contacts",
                                       "impinge/checksum",
                                       "impinge@options",
                                       "impinge@version",
                                       "impinge@input_hash",
                                       "VTKHDF/Steps",
                                       "VTKHDF/CellData",
                                       "VTKHDF/Points",
                                       "VTKHDF/Steps/Values",
                                       "VTKHDF/CellData/Kind",
                                       "VTKHDF/Lines",
                                       "VTKHDF/Polygons",
                                       "VTKHDF/Lines/Offsets",
                                       "VTKHDF/Steps/CellDataOffsets/Kind"};
    static const struct {
        const char *name;
        double value;
    } bad[] = {{"impinge/frames_done", -1}, {"impinge/frames_done", 1000},
               {"impinge/contacts", 1e15},  {"impinge/contacts", -1},
               {"impinge/contacts", 3},     {"impinge/checksum", 1}};
    /* with more columns than the reader's buffer has room for */
    static const char *const wide[] = {"impinge/seconds", "impinge/input_frame", "impinge/checksum",
                                       "VTKHDF/Steps/Values"};
    sample_job j = sample_job_small("damaged");
    job_kill_half(&j);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        copy_file(at("kept.part"), j.part);
        h5_replace(j.part, wide[i], H5T_IEEE_F64LE, 2, (const hsize_t[]){1000, 1000}, NULL);
        ran r = sample_job_run(&j, j.out, "--resume");
        EXPECT(ran_failed(&r, 3, j.part, wide[i]), "^ %s is wide", wide[i]);
        ran_free(&r);
    }
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        copy_file(at("kept.part"), j.part);
        h5_remove(j.part, gone[i]);
        ran r = sample_job_run(&j, j.out, "--resume");
        EXPECT(ran_failed(&r, 3, j.part, NULL), "^ without %s", gone[i]);
        ran_free(&r);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        copy_file(at("kept.part"), j.part);
        h5_poke(j.part, bad[i].name, 0, bad[i].value);
        ran r = sample_job_run(&j, j.out, "--resume");
        EXPECT(ran_failed(&r, 3, j.part, NULL), "^ %s is %g", bad[i].name, bad[i].value);
        ran_free(&r);
    }
    sample_job_remove(&j);
}

/* A dataset was stored in another way: appended values would be truncated to another type, or pass
 * through a filter. No frame is committed, so no checksum tells. */
static void test_stored_otherwise(void)
{
    static const struct {
        const char *name;
        enum { INT8, INT32, FLOAT32, DEFLATE } how;
    } bad[] = {{"VTKHDF/CellData/PrimitiveB", INT8},
               {"VTKHDF/Points", FLOAT32},
               {"VTKHDF/CellData/ObjectA", DEFLATE},
               {"VTKHDF/Lines/Connectivity", INT8},
               {"VTKHDF/Vertices/NumberOfCells", INT32},
               {"VTKHDF/Steps/Values", FLOAT32},
               {"VTKHDF/Steps/CellDataOffsets/Kind", INT32},
               {"impinge/contacts", INT8},
               {"impinge/seconds", FLOAT32}};
    const hid_t types[] = {H5T_STD_I8LE, H5T_STD_I32LE, H5T_IEEE_F32LE, H5T_STD_I32LE};
    static const char *const none[] = {NULL};
    const int64_t zeros[2] = {0};
    sample_job j = sample_job_small("stored otherwise");
    job_kill_half(&j);
    h5_poke(j.part, "impinge/frames_done", 0, 0);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        copy_file(at("kept.part"), j.part);
        h5_store(j.part, bad[i].name, types[bad[i].how], bad[i].how == DEFLATE);
        check_resume_refused(&j, none, bad[i].name);
    }
    copy_file(at("kept.part"), j.part);
    h5_replace_ints(j.part, "VTKHDF/Steps/PointOffsets", 2, zeros); /* cannot grow */
    check_resume_refused(&j, none, "VTKHDF/Steps/PointOffsets");
    h5_replace_ints(j.part, "impinge/frames_done", 2, zeros);
    check_resume_refused(&j, none, "/impinge/frames_done");
    h5_replace(j.part, "impinge/frames_done", H5T_STD_I8LE, 0, NULL, NULL);
    check_resume_refused(&j, none, "/impinge/frames_done");
    copy_file(at("kept.part"), j.part);
    job_go_on(&j, "refusals", 0);
}

/* Restores the part for --resume and the result for check, to be damaged alike. */
static void both_anew(const sample_job *j)
{
    copy_file(at("kept.part"), j->part);
    copy_file(j->whole, at("whole.out"));
}

static void check_both(const sample_job *j, const char *name)
{
    ran r = sample_job_run(j, j->out, "--resume");
    EXPECT(ran_failed(&r, 3, j->part, name), "^ --resume: another %s", name);
    ran_free(&r);
    r = RAN("check", at("whole.out"), "--input", j->in);
    EXPECT(ran_failed(&r, 1, at("whole.out"), name), "^ check: another %s", name);
    ran_free(&r);
}

/* The layout that viewers read: rows of each frame, their offsets, the connectivity of lines. */
static void test_resume_layout(void)
{
    static const char *const names[] = {"VTKHDF/NumberOfPoints",
                                        "VTKHDF/Lines/NumberOfCells",
                                        "VTKHDF/Lines/NumberOfConnectivityIds",
                                        "VTKHDF/Lines/Connectivity",
                                        "VTKHDF/Lines/Offsets",
                                        "VTKHDF/Polygons/NumberOfCells",
                                        "VTKHDF/Vertices/NumberOfConnectivityIds",
                                        "VTKHDF/Polygons/NumberOfConnectivityIds",
                                        "VTKHDF/Strips/NumberOfConnectivityIds",
                                        "VTKHDF/Steps/PartOffsets",
                                        "VTKHDF/Steps/NumberOfParts",
                                        "VTKHDF/Steps/PointOffsets",
                                        "VTKHDF/Steps/CellOffsets",
                                        "VTKHDF/Steps/ConnectivityIdOffsets",
                                        "VTKHDF/Steps/CellDataOffsets/PrimitiveA",
                                        "VTKHDF/Steps/CellDataOffsets/Kind"};
    sample_job j = sample_job_small("layout");
    job_kill_half(&j);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        both_anew(&j);
        h5_poke(j.part, names[i], 1, h5_peek(j.part, names[i], 1) + 1);
        h5_poke(at("whole.out"), names[i], 1, h5_peek(at("whole.out"), names[i], 1) + 1);
        check_both(&j, names[i]);
    }
    both_anew(&j);
    for (int k = 0; k < 2; k++)
        h5_attribute_ints(k ? at("whole.out") : j.part, "VTKHDF", "Version", 2,
                          (const int64_t[]){2, 9});
    check_both(&j, "version 2.9");
    both_anew(&j);
    h5_remove(j.part, "VTKHDF@Type");
    h5_remove(at("whole.out"), "VTKHDF@Type");
    check_both(&j, "Type");
    sample_job_remove(&j);
}

/* Groups without cells must be empty; `rows` and `value` replace the contents of a dataset. */
static void test_no_other_cells(void)
{
    static const struct {
        const char *name;
        size_t rows;
        int64_t value[2];
    } bad[] = {{"VTKHDF/Vertices/Offsets", 1, {5}},
               {"VTKHDF/Strips/Offsets", 2, {0, 3}},
               {"VTKHDF/Polygons/Offsets", 2, {0, 1}},
               {"VTKHDF/Polygons/Connectivity", 1, {0}}};
    static const char *const gone[] = {"VTKHDF/Polygons/Offsets", "VTKHDF/Strips/Connectivity"};
    sample_job j = sample_job_small("no other cells");
    const char *const file[] = {j.part, at("whole.out")};
    job_kill_half(&j);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        both_anew(&j);
        for (int k = 0; k < 2; k++)
            h5_replace_ints(file[k], bad[i].name, bad[i].rows, bad[i].value);
        check_both(&j, bad[i].name);
    }
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        both_anew(&j);
        for (int k = 0; k < 2; k++)
            h5_remove(file[k], gone[i]);
        check_both(&j, gone[i]);
    }
    both_anew(&j);
    for (int k = 0; k < 2; k++) /* more columns than the reader's buffer has room for */
        h5_replace(file[k], "VTKHDF/Lines/Connectivity", H5T_STD_I64LE, 2,
                   (const hsize_t[]){1000, 1000}, NULL);
    check_both(&j, "VTKHDF/Lines/Connectivity");
    sample_job_remove(&j);
}

/* Rows of committed frames that were changed. */
static void test_resume_changed(void)
{
    static const char *const names[] = {"VTKHDF/CellData/PrimitiveB", "VTKHDF/CellData/Kind",
                                        "VTKHDF/CellData/ObjectA", "VTKHDF/Points"};
    sample_job j = sample_job_small("changed");
    job_kill_half(&j);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        copy_file(at("kept.part"), j.part);
        h5_poke(j.part, names[i], 1, h5_peek(j.part, names[i], 1) + 1);
        ran r = sample_job_run(&j, j.out, "--resume");
        EXPECT(ran_failed(&r, 3, j.part, "frame 0 is damaged"), "^ another value in %s", names[i]);
        ran_free(&r);
    }
    sample_job_remove(&j);
}

/* Frames that are not those of the selection, or that the input does not have. */
static void test_elsewhere(void)
{
    static const struct {
        const char *name;
        double value;
        const char *word;
    } bad[] = {{"impinge/input_frame", 0, "frame 0 of the input where 1 belongs"},
               {"impinge/input_frame", -1, "frame -1 of"},
               {"impinge/input_frame", 4294967295., "frame 4294967295 of"},
               {"VTKHDF/Steps/Values", 1e6, "has time 1000000"}};
    sample_job j = sample_job_small("elsewhere");
    job_kill_half(&j);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int done = 0; done < 2; done++) { /* for the part and for OUT */
            const char *file = done ? j.out : j.part;
            remove(j.out);
            copy_file(at("kept.part"), j.part);
            if (done)
                copy_file(j.whole, j.out);
            h5_poke(file, bad[i].name, 1, bad[i].value);
            ran r = sample_job_run(&j, j.out, "--resume");
            EXPECT(ran_failed(&r, done ? 2 : 3, file, bad[i].word), "^ another %s", bad[i].name);
            ran_free(&r);
        }
    sample_job_remove(&j);
}

/* Without --resume an old part with finished frames, or a file that is not a part, needs --force.
 */
static void test_stale(void)
{
    sample_job j = sample_job_small("stale");
    static const char *const word[] = {"not what a run", "finished frame"};
    for (int i = 0; i < 2; i++) {
        size_t size, size2;
        if (i)
            job_kill_half(&j);
        else
            write_text(j.part, "of somebody");
        char *before = file_text(j.part, &size);
        ran r = sample_job_run(&j, j.out, NULL);
        EXPECT(ran_failed(&r, 2, j.part, word[i]) && strstr(r.err, "--force"), "^ stale");
        EXPECT(!i || strstr(r.err, "--resume"), "%s", r.err);
        ran_free(&r);
        char *after = file_text(j.part, &size2);
        EXPECT(size == size2 && !memcmp(before, after, size), "OUT.part was changed");
        r = sample_job_run(&j, j.out, "--force");
        EXPECT(ran_well(&r), "^ with a stale OUT.part, --force");
        ran_free(&r);
        job_check_whole(&j, "stale", i);
        sample_job_remove(&j);
        free(before);
        free(after);
    }
}

/* The part of a killed run without a finished frame does not need --force. */
static void test_nothing_lost(void)
{
    sample_job j = sample_job_small("nothing lost");
    for (int i = 0; i < 2; i++) {
        if (i)
            write_text(j.part, "");
        else {
            copy_file(j.whole, j.part);
            h5_attribute_ints(j.part, "VTKHDF/Steps", "NSteps", 1, &(int64_t){0});
        }
        ran r = sample_job_run(&j, j.out, NULL);
        EXPECT(ran_well(&r), "^ without finished frames: %d", i);
        ran_free(&r);
        job_check_whole(&j, "no frames", i);
        sample_job_remove(&j);
    }
}

/* A bad option or input does not discard the work of an earlier run. */
static void test_resume_kept(void)
{
    sample_job j = sample_job_small("kept");
    const char *const bad[][3] = {{"--dop", "7", NULL}, {"--device", "none", NULL}};
    job_kill_half(&j);
    for (int i = 0; i < 2; i++) {
        ran r = RAN("run", j.in, "-o", j.out, bad[i][0], bad[i][1]);
        EXPECT(ran_failed(&r, i ? 4 : 2, bad[i][0] + 2, NULL), "^ %s", bad[i][0]);
        ran_free(&r);
    }
    ran r = RAN("run", at("none.vtkhdf"), "-o", j.out);
    EXPECT(ran_failed(&r, 3, "none.vtkhdf", NULL), "^ no input");
    ran_free(&r);
    EXPECT(sample_job_check_part(&j, "errors", 0) > 1, "OUT.part is gone");
    job_go_on(&j, "errors", 0);
}

/* One command for a job script: it begins, continues, and finally has nothing to do. */
static void test_idempotent(void)
{
    sample_job j = sample_job_small("idempotent");
    ran r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_well(&r), "^ --resume without OUT.part");
    ran_free(&r);
    job_check_whole(&j, "--resume", 0);
    size_t size, size2;
    char *before = file_text(j.out, &size);
    r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_well(&r), "^ --resume beside the complete OUT");
    ran_free(&r);
    char *after = file_text(j.out, &size2);
    EXPECT(size == size2 && !memcmp(before, after, size), "OUT was changed");
    free(before);
    free(after);
    sample_job_remove(&j);
}

/* OUT exists, but it is not the result of this command. */
static void test_other_out(void)
{
    static const struct {
        const char *more[3], *word;
    } bad[] = {{{"--dop", "26", NULL}, "--dop was 6, is 26"},
               {{"--frames", ":5", NULL}, "--frames was 7 frames from 0, step 1, is 5 frames"},
               {{"--objects", "connected", NULL}, "--objects was id, is connected"},
               {{"--pairs", "self", NULL}, "--pairs was all, is self"}};
    sample_job j = sample_job_small("another OUT");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        copy_file(j.whole, j.out);
        ran r = RAN("run", j.in, "-o", j.out, "--resume", bad[i].more[0], bad[i].more[1]);
        EXPECT(ran_failed(&r, 2, j.out, bad[i].word) && strstr(r.err, "--force"), "^ %s",
               bad[i].more[0]);
        ran_free(&r);
    }
    copy_file(j.whole, j.out);
    h5_poke(j.out, "VTKHDF/CellData/Kind", 0, 9);
    ran r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_failed(&r, 2, j.out, "frame 0 is damaged"), "^ a damaged OUT");
    ran_free(&r);
    write_text(j.out, "precious");
    r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_failed(&r, 2, j.out, "not an HDF5 file"), "^ OUT is something else");
    ran_free(&r);
    sample_job_remove(&j);
}

/* Texts of the recorded command are written again from the result; other texts are refused. */
static void test_texts_again(void)
{
    sample_job j = sample_job_small("texts");
    const char *text = at("side.txt"), *other = at("other.txt"), *json = at("side.json");
    char option[600];
    snprintf(option, sizeof option, "--json=%s", json);
    ran r = RAN("run", j.in, "-o", j.out, "--collide-txt", text, option, "-q", "--device", "cpu");
    EXPECT(ran_well(&r), "^ with texts");
    ran_free(&r);
    char *first = file_text(text, NULL);
    write_text(text, "cut sho");
    write_text(json, "{");
    r = RAN("run", j.in, "-o", j.out, "--collide-txt", text, option, "-q", "--resume");
    EXPECT(ran_well(&r), "^ again");
    ran_free(&r);
    char *second = file_text(text, NULL), *document = file_text(json, NULL);
    EXPECT(!strcmp(first, second), "another text");
    EXPECT(strstr(document, "\"contacts\""), "JSON: %s", document);
    write_text(other, "precious");
    r = RAN("run", j.in, "-o", j.out, "--collide-txt", other, "-q", "--resume");
    EXPECT(ran_failed(&r, 2, other, "--force"), "^ another text");
    ran_free(&r);
    char *kept = file_text(other, NULL);
    EXPECT(!strcmp(kept, "precious"), "it was changed");
    char *all[] = {first, second, document, kept};
    for (int i = 0; i < 4; i++)
        free(all[i]);
    sample_job_remove(&j);
}

/* All frames are there; only the rename is missing. */
static void test_resume_complete(void)
{
    sample_job j = sample_job_small("complete");
    copy_file(j.whole, j.part);
    job_go_on(&j, "all frames done", 0);
}

/* Two runs must not write the same file. The first run is stopped in the middle. */
static void test_two_runs(void)
{
    sample_job j = sample_job_small("two runs");
    long half = job_count(&j, NULL) / 2;
    const char *line[JOB_LINE];
    sample_job_line(&j, j.out, NULL, line);
    job_fragile("stop", half);
    program p = program_start(line);
    CU_ASSERT_FATAL(program_stopped(&p));
    program_set(&(program_how){.printed = "second"});
    ran r = sample_job_run(&j, j.out, NULL);
    EXPECT(ran_failed(&r, 1, j.part, "in use"), "^ a second run");
    ran_free(&r);
    r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_failed(&r, 1, j.part, "in use"), "^ a second run with --resume");
    ran_free(&r);
    program_plain();
    kill(p.pid, SIGCONT);
    r = program_wait(&p);
    EXPECT(ran_well(&r), "^ the first run");
    ran_free(&r);
    job_check_whole(&j, "two runs", 0);
    sample_job_remove(&j);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"other_options", test_other_options},
                                 {"same_options", test_same_options},
                                 {"other_input", test_other_input},
                                 {"damaged", test_resume_damaged},
                                 {"stored_otherwise", test_stored_otherwise},
                                 {"layout", test_resume_layout},
                                 {"no_other_cells", test_no_other_cells},
                                 {"changed", test_resume_changed},
                                 {"elsewhere", test_elsewhere},
                                 {"stale", test_stale},
                                 {"nothing_lost", test_nothing_lost},
                                 {"kept", test_resume_kept},
                                 {"idempotent", test_idempotent},
                                 {"other_out", test_other_out},
                                 {"texts_again", test_texts_again},
                                 {"complete", test_resume_complete},
                                 {"two_runs", test_two_runs},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "resume", tests);
}
