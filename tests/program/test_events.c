/* impinge events: where the input is looked for, results that have no events, wrong options and
 * damaged rows, each with one clear line; files that are written; the list of approved events.
 * oracles/events.py shows that events are right. */
#include "expect.h"
#include "h5_make.h"
#include "json_read.h"
#include "program_job.h"
#include "run_rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT at("out.vtkhdf")

/* Runs it with OUT, and checks the exit code and the words of its one line. */
static void check_events_fail(int code, const char *word, const char *const *more)
{
    const char *line[16] = {"events", OUT};
    int n = 2;
    while ((line[n] = *more++))
        n++;
    ran r = program_run(line);
    EXPECT(ran_failed(&r, code, word, NULL), "^ %s", word);
    EXPECT(!*r.out, "%s: printed %s", word, r.out);
    ran_free(&r);
}
#define EVENTS_FAIL(code, word, ...)                                                               \
    check_events_fail(code, word, (const char *const[]){__VA_ARGS__, NULL})

/* Returns what it prints with OUT; the caller frees it. */
static char *events_out(const char *const *more)
{
    const char *line[16] = {"events", OUT};
    int n = 2;
    while ((line[n] = *more++))
        n++;
    ran r = program_run(line);
    EXPECT(ran_well(&r), "^ events");
    char *out = strdup(r.out);
    ran_free(&r);
    return out;
}
#define EVENTS_OUT(...) events_out((const char *const[]){__VA_ARGS__, NULL})

static void check_events_same(const char *about, const char *want, char *is)
{
    EXPECT(is && !strcmp(want, is), "%s: %.300s, not %.300s", about, is, want);
    free(is);
}

/* ---- the input */

static void test_events_input(void)
{
    const char *in = make_batch(), *moved = at("moved.vtkhdf"), *folder = at("folder");
    char *base, beside[600], result[600];
    RUN_WITH(in, "-q");
    base = EVENTS_OUT("--csv", "-");
    EXPECT(count_lines(base) > 10, "only %zu lines", count_lines(base));
    rename(in, moved);
    EVENTS_FAIL(3, "there is no such file, the input of", "-q");
    EVENTS_FAIL(3, "; --input names it where it is now", "-q");
    EVENTS_FAIL(3, "nowhere: there is no such file", "--input", "nowhere");
    check_events_same("moved", base, EVENTS_OUT("--csv", "-", "--input", moved));
    /* beside the result, by the last part of its name */
    mkdir(folder, 0777);
    snprintf(beside, sizeof beside, "%s/%s", folder, strrchr(in, '/') + 1);
    snprintf(result, sizeof result, "%s/result", folder);
    copy_file(moved, beside);
    copy_file(OUT, result);
    ran r = RAN("events", result, "--csv", "-");
    EXPECT(ran_well(&r) && !strcmp(r.out, base), "^ beside the result");
    ran_free(&r);
    h5_poke(moved, "VTKHDF/Points", 7, 0.25);
    EVENTS_FAIL(3, "is not the input that", "--input", moved);
    EVENTS_FAIL(3, "", "--input", OUT);
    free(base);
}

static void test_events_refused(void)
{
    const char *in = make_batch();
    static const struct {
        const char *option[3], *word;
    } of[] = {
        {{"--stage", "candidates"}, "has candidates, not contacts"},
        {{"--rows", "objects"}, "its rows are pairs of objects"},
        {{"--distance=0.1", "--rows", "features"}, "its rows are pairs of features"},
        {{"--inside"}, "its rows are vertices inside objects"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ran r = RAN("run", in, "-o", OUT, "--force", "-q", CPU, of[i].option[0], of[i].option[1],
                    of[i].option[2]);
        EXPECT(r.code == 0, "%s: %s", of[i].word, r.err);
        ran_free(&r);
        EVENTS_FAIL(3, of[i].word, "-q");
    }
    ran r = RAN("events", in);
    EXPECT(ran_failed(&r, 3, in, NULL), "^ a batch");
    ran_free(&r);
    r = RAN("events");
    EXPECT(ran_failed(&r, 2, "a result is missing", NULL), "^ no file");
    ran_free(&r);
}

/* A row whose primitive the input does not have. */
static void test_events_damaged(void)
{
    const double bad[] = {-1, TRIANGLES, 5e9};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        RUN_WITH(make_batch(), "-q");
        h5_poke(OUT, "VTKHDF/CellData/PrimitiveB", 3, bad[i]);
        EVENTS_FAIL(3, "the input has no primitive", "-q");
    }
}

/* ---- meshes that change */

/* Two frames of two crossing triangles; the second frame has another vertex, too. */
static void make_changing(make *m, int ids)
{
    static const double x[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, .5, .5, -1, .5, .5, 1, 1, .6, 1, 9, 9, 9};
    static const int64_t id[] = {0, 1, 2, 3, 4, 5}, other[] = {3, 4, 5, 0, 1, 2};
    *m = (make){.cells = {{.name = "ObjectId"}, {.name = ids ? "PrimitiveId" : "Other"}}};
    for (int k = 0; k < 2; k++) {
        make_part(m, 6 + k, 2, k ? other : id);
        make_step_next(m, k, 1);
        make_points(m, (size_t)(6 + k), x);
        for (int64_t i = 0; i < 2; i++) {
            make_add(&m->cells[0].value, k ? 1 - i : i);
            make_add(&m->cells[1].value, 10 + (k ? 1 - i : i));
        }
    }
}

static void test_events_changes(void)
{
    for (int ids = 0; ids < 2; ids++) {
        make m;
        make_changing(&m, ids);
        const char *in = make_write(&m, "changing.vtkhdf");
        ran r = RAN("run", in, "-o", OUT, "--force", "-q", CPU);
        EXPECT(r.code == 0, "%s", r.err);
        ran_free(&r);
        r = RAN("events", OUT);
        EXPECT(r.code == 0 && ids == (strstr(r.err, "has no PrimitiveId") == NULL), "ids %d: %s",
               ids, r.err);
        EXPECT(strstr(r.out, ": 1 event in 2 frames\n") != NULL, "ids %d: %s", ids, r.out);
        ran_free(&r);
        make_free(&m);
    }
}

/* ---- options and files */

static void test_events_options(void)
{
    RUN_WITH(make_batch(), "-q");
    const char *csv = at("events.csv"), *list = at("approved.txt");
    char name[700];
    EVENTS_FAIL(2, "--approve writes the file of --states", "--approve");
    EVENTS_FAIL(2, "--approve approves all events", "--approve", "--states", list, "--new-since",
                "2");
    EVENTS_FAIL(2, "standard input", "--approve", "--states", "-");
    EVENTS_FAIL(3, list, "--states", list);
    EXPECT(!exists(list), "a list was written");
    EVENTS_FAIL(2, "--new-since", "--new-since", "-1");
    write_text(csv, "mine");
    EVENTS_FAIL(2, "--force", "--csv", csv);
    snprintf(name, sizeof name, "--json=%s", csv);
    EVENTS_FAIL(2, "--csv", "--csv", at("x.vtkhdf"));
    EVENTS_FAIL(2, "in.vtkhdf", "--csv", at("in.vtkhdf"), "--force");
    char *said = EVENTS_OUT("--csv", csv, "--force", "-q");
    EXPECT(!*said, "with -q it prints %s", said);
    free(said);
    said = file_text(csv, NULL);
    check_events_same("a file", said, EVENTS_OUT("--csv", "-"));
    free(said);
    said = EVENTS_OUT("--json");
    EXPECT(strstr(said, "\"warnings\": []") && strstr(said, "\"schema\": 1"), "JSON: %s", said);
    free(said);
}

/* Only later events are listed; a number beyond all frames may be a mistake. */
static void test_events_since(void)
{
    RUN_WITH(make_batch(), "-q", "--frames", "1:");
    char *all = EVENTS_OUT("--csv", "-"), *late = EVENTS_OUT("--csv", "-", "--new-since", "4");
    EXPECT(count_lines(late) > 1 && count_lines(late) < count_lines(all), "%zu of %zu lines",
           count_lines(late), count_lines(all));
    for (char *row = strchr(late, '\n') + 1; *row; row = strchr(row, '\n') + 1) {
        const char *field = row;
        for (int i = 0; i < 4; i++)
            field = strchr(field, ',') + 1;
        EXPECT(atoi(field) >= 4, "an event of frame %d", atoi(field));
    }
    check_events_same("since the first", all, EVENTS_OUT("--csv", "-", "--new-since", "1"));
    free(all);
    free(late);
    ran r = RAN("events", OUT, "--new-since", "9");
    EXPECT(ran_warned(&r) && strstr(r.err, "has no such frame"), "^ %s", r.err);
    ran_free(&r);
}

/* A result without a contact has no event. */
static void test_events_none(void)
{
    RUN_WITH(make_batch(), "-q", "--frames", "3:4");
    char *said = EVENTS_OUT("-q", "--csv", "-");
    EXPECT(count_lines(said) == 1, "CSV: %s", said);
    free(said);
    said = EVENTS_OUT("--states", at("none.txt"), "--approve");
    EXPECT(strstr(said, ": 0 events in 1 frame; 0 new, 0 known, 0 gone\n") != NULL, "%s", said);
    free(said);
}

/* Approved events of one run are known in the next, and the list of the next replaces it. */
static void test_events_states(void)
{
    const char *in = make_batch(), *list = at("states.txt");
    RUN_WITH(in, "-q", "--frames", "0:6");
    free(EVENTS_OUT("--states", list, "--approve"));
    char *first = file_text(list, NULL), *said = EVENTS_OUT("--states", list);
    EXPECT(strstr(said, " 0 new, ") && strstr(said, " 0 gone\n"), "%s", said);
    free(said);
    RUN_WITH(in, "-q", "--frames", "5:9");
    said = EVENTS_OUT("--states", list, "--csv", "-");
    EXPECT(strstr(said, ",new,") && strstr(said, ",known,") && strstr(said, ",gone,"), "%s", said);
    free(said);
    free(EVENTS_OUT("--states", list, "--approve", "-q"));
    char *second = file_text(list, NULL);
    EXPECT(strcmp(first, second) != 0, "the list is as before");
    said = EVENTS_OUT("--states", list);
    EXPECT(strstr(said, " 0 new, ") && strstr(said, " 0 gone\n"), "%s", said);
    free(said);
    free(first);
    free(second);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"input", test_events_input},
                                 {"refused", test_events_refused},
                                 {"damaged", test_events_damaged},
                                 {"changes", test_events_changes},
                                 {"options", test_events_options},
                                 {"since", test_events_since},
                                 {"none", test_events_none},
                                 {"states", test_events_states},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "events", tests);
}
