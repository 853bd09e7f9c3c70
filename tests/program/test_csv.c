/* run --csv against the rows of the result: each row of the table has the number of contacts, the
 * greatest depth, the least distance, and the time and source ids of the first, nearest or deepest
 * contact, as recomputed here from all rows; rows ascend, and together they count all contacts. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "program_job.h"
#include "run_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TITLES                                                                                     \
    "frame,time,object_a,object_b,contacts,greatest_depth,name_a,name_b,source_a,source_b,"        \
    "least_distance"
enum {
    FRAME,
    TIME,
    OBJECT_A,
    OBJECT_B,
    CONTACTS,
    DEPTH,
    NAME_A,
    NAME_B,
    SOURCE_A,
    SOURCE_B,
    DISTANCE,
    FIELDS
};

/* Splits the next record, whose fields may be quoted, in place; *at moves past its CR LF. Returns
 * the number of fields, or -1 if the record has no CR LF at its end. */
static int take_record(char **at, char *field[FIELDS])
{
    for (int n = 0; n < FIELDS;) {
        char *from = *at, *to = from;
        field[n++] = to;
        if (*from == '"') {
            for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
                from += *from == '"';
                *to++ = *from;
            }
            from += *from == '"';
        } else {
            while (*from && *from != ',' && *from != '\r')
                *to++ = *from++;
        }
        const char end = *from;
        *at = from + (end == '\r' ? 2 : 1);
        if (end == '\r' && from[1] != '\n')
            return -1;
        *to = 0;
        if (end != ',')
            return end == '\r' ? n : -1;
    }
    return FIELDS + 1;
}

/* Depths and times of a result; depth is NULL if the result has none. */
typedef struct more_rows {
    double *depth, *time;
} more_rows;

static more_rows csv_read_more(const char *path)
{
    size_t n;
    more_rows m = {.time = h5_reals(path, "VTKHDF/Steps/Values", &n)};
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const int depths = H5Lexists(file, "VTKHDF/CellData/Depth", H5P_DEFAULT) > 0;
    H5Fclose(file);
    if (depths)
        m.depth = h5_reals(path, "VTKHDF/CellData/Depth", &n);
    return m;
}

static int is_real(const char *text, double want)
{
    char *end;
    const double x = strtod(text, &end);
    return *text && !*end && !memcmp(&x, &want, sizeof x);
}

/* Returns whether row i is named, not row `best` before it. */
static int csv_is_worse(const rows *r, const more_rows *m, size_t i, size_t best)
{
    if (r->toi)
        return r->toi[i] < r->toi[best];
    if (r->distance && r->distance[i] != r->distance[best])
        return r->distance[i] < r->distance[best];
    return m->depth && m->depth[i] > m->depth[best];
}

/* Checks one row of frame k; returns its number of contacts. */
static int64_t check_csv_row(const char *about, char *field[FIELDS], const rows *r,
                             const more_rows *m, size_t k)
{
    const int64_t a = strtoll(field[OBJECT_A], NULL, 10), b = strtoll(field[OBJECT_B], NULL, 10);
    int64_t count = 0;
    double depth = 0;
    size_t best = r->count;
    for (size_t i = 0; i < r->count; i++)
        if (r->frame[i] == k &&
            ((r->oa[i] == a && r->ob[i] == b) || (r->oa[i] == b && r->ob[i] == a))) {
            if (!count++ || csv_is_worse(r, m, i, best))
                best = i;
            if (m->depth && m->depth[i] > depth)
                depth = m->depth[i];
        }
    EXPECT(a <= b && count > 0 && strtoll(field[CONTACTS], NULL, 10) == count,
           "%s: frame %s, objects %lld %lld: %s, not %lld", about, field[FRAME], (long long)a,
           (long long)b, field[CONTACTS], (long long)count);
    if (best == r->count)
        return 0;
    EXPECT(is_real(field[TIME], r->time ? r->time[best] : m->time[k]), "%s: time %s", about,
           field[TIME]);
    const int swap = r->oa[best] != a;
    EXPECT(r->sa ? strtoll(field[SOURCE_A], NULL, 10) == (swap ? r->sb : r->sa)[best] &&
                       strtoll(field[SOURCE_B], NULL, 10) == (swap ? r->sa : r->sb)[best]
                 : !*field[SOURCE_A] && !*field[SOURCE_B],
           "%s: source ids %s %s of row %zu", about, field[SOURCE_A], field[SOURCE_B], best);
    EXPECT(r->distance ? is_real(field[DISTANCE], r->distance[best]) : !*field[DISTANCE],
           "%s: distance %s", about, field[DISTANCE]);
    EXPECT(m->depth ? is_real(field[DEPTH], depth) : !*field[DEPTH], "%s: depth %s, not %g", about,
           field[DEPTH], depth);
    return count;
}

/* The table against the result, which must have at least `least` contacts. Returns the number of
 * rows of the table. */
static size_t check_csv_table(const char *about, const char *out, const char *path, size_t least)
{
    rows r = read_rows(out);
    more_rows m = csv_read_more(out);
    char *text = file_text(path, NULL), *at_row = text, *field[FIELDS];
    size_t n = 0, k = 0;
    int64_t sum = 0, last[3] = {-1, INT64_MIN, INT64_MIN};
    EXPECT(!strncmp(text, TITLES "\r\n", sizeof TITLES + 1), "%s: titles: %.80s", about, text);
    EXPECT(take_record(&at_row, field) == FIELDS, "%s: titles", about);
    for (; *at_row; n++) {
        const int fields = take_record(&at_row, field);
        EXPECT(fields == FIELDS, "%s: row %zu has %d fields", about, n, fields);
        if (fields != FIELDS)
            break;
        while (k < r.frames && strtoll(field[FRAME], NULL, 10) != r.input_frame[k])
            k++;
        EXPECT(k < r.frames, "%s: frame %s", about, field[FRAME]);
        if (k == r.frames)
            break;
        const int64_t now[3] = {(int64_t)k, strtoll(field[OBJECT_A], NULL, 10),
                                strtoll(field[OBJECT_B], NULL, 10)};
        int up = 0; /* of the first column that differs */
        for (int i = 2; i >= 0; i--)
            up = now[i] != last[i] ? now[i] > last[i] : up;
        EXPECT(up, "%s: row %zu is not after the one before", about, n);
        memcpy(last, now, sizeof now);
        sum += check_csv_row(about, field, &r, &m, k);
    }
    EXPECT(sum == (int64_t)r.count && r.count >= least, "%s: %lld contacts of %zu", about,
           (long long)sum, r.count);
    EXPECT(!exists_part(path), "%s: a part is left", about);
    free(text);
    free(m.depth);
    free(m.time);
    free_rows(&r);
    return n;
}

/* ---- runs */

/* Frames without contacts have no row; blocks, slices, --baseline, steps. */
static void test_csv_triangles(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf"), *file = at("pairs.csv");
    RUN_WITH(in, "--csv", file);
    EXPECT(check_csv_table("triangles", out, file, 50) > 20, "too few rows");
    RUN_WITH(in, "--csv", file, "--frames", "::-2", "--block", "2", "--pairs", "between");
    check_csv_table("backwards", out, file, 20);
    RUN_WITH(in, "--csv", file, "--objects", "array:Part", "--frames", "1:");
    check_csv_table("another array", out, file, 20);
    RUN_STEPS(in, out, "--csv", file);
    check_csv_table("steps", out, file, 50);
    RUN_STEPS(in, out, "--csv", file, "--baseline", "0", "--frames", "1:");
    check_csv_table("baseline", out, file, 20);
    RUN_WITH(in, "--csv", file, "--distance", "0.25");
    EXPECT(check_csv_table("distances", out, file, 100) > 30, "too few rows");
    RUN_WITH(in, "--csv", file, "--frames", "3:4");
    EXPECT(check_csv_table("none", out, file, 0) == 0, "a row without contacts");
}

/* Depths; many objects, so that the list of pairs grows. */
static void test_csv_solids(void)
{
    make m = {.unstructured = 1,
              .cells = {{.name = "ObjectId"}, {.name = "Few"}, {.name = "SourceId"}}};
    make_moving_mixed(&m, 4, 240, 3);
    for (int64_t i = 0; i < 240; i++) {
        make_add(&m.cells[0].value, 7 * i % 60 - 30);
        make_add(&m.cells[1].value, i % 2);
        make_add(&m.cells[2].value, source_id(i));
    }
    const char *in = make_write(&m, "solids.vtkhdf"), *file = at("pairs.csv");
    make_free(&m);
    RUN_WITH(in, "--csv", file);
    EXPECT(check_csv_table("solids", at("out.vtkhdf"), file, 200) > 200, "too few pairs");
    RUN_WITH(in, "--csv", file, "--objects", "array:Few");
    check_csv_table("solids, two objects", at("out.vtkhdf"), file, 200);
    RUN_WITH(in, "--csv", file, "--distance", "0.25", "--objects", "array:Few");
    check_csv_table("solids, distances", at("out.vtkhdf"), file, 400);
    RUN_STEPS(in, at("out.vtkhdf"), "--csv", file);
    check_csv_table("solids, steps", at("out.vtkhdf"), file, 200);
}

/* Names as convert reads them from groups: with a comma, with quotes, plain; one object has no
 * name. */
static void test_csv_names(void)
{
    const char *obj = at("named.obj"), *in = at("named.vtkhdf"), *file = at("pairs.csv");
    write_text(obj, "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 -1\nv 2 1 1\nv 1 2 1\nv 1 1 -2\nv 2 1 2\n"
                    "v 1 2 2\no left, upper\nf 1 2 3\no a \"bolt\"\nf 4 5 6\no plain\nf 7 8 9\n");
    ran r = RAN("convert", obj, "-o", in, "--groups", "-q");
    EXPECT(ran_well(&r), "^ convert");
    ran_free(&r);
    RUN_WITH(in, "--csv", file);
    check_csv_table("names", at("out.vtkhdf"), file, 2);
    char *text = file_text(file, NULL);
    EXPECT(strstr(text, ",,\"left, upper\",\"a \"\"bolt\"\"\",0,1,\r\n"), "quoted: %s", text);
    EXPECT(strstr(text, ",,\"left, upper\",plain,0,2,\r\n"), "plain: %s", text);
    free(text);
    h5_remove(in, "impinge/object_names");
    h5_remove(in, "impinge/object_ids");
    RUN_WITH(in, "--csv", file);
    text = file_text(file, NULL);
    EXPECT(strstr(text, ",1,1,,,,0,1,\r\n"), "no names: %s", text);
    free(text);
}

/* After a kill in the middle, the table also has the contacts found before it. Once the result is
 * complete, the same command writes the table again without --force. */
static void test_csv_resume(void)
{
    sample_job j = sample_job_small("csv");
    const char *file = at("pairs.csv"), *other = at("other.csv");
    job_kill_half(&j);
    unlink(file);
    for (int again = 0; again < 2; again++) {
        ran r = RAN("run", j.in, "-o", j.out, CPU, "--block", "1", "-q", "--resume", "--csv", file);
        EXPECT(ran_well(&r), "^ resumed, %d", again);
        ran_free(&r);
        job_check_whole(&j, "resume", again);
        check_csv_table("resumed", j.out, file, 20);
        write_text(file, "cut sho");
    }
    write_text(other, "precious");
    ran r = RAN("run", j.in, "-o", j.out, CPU, "--block", "1", "-q", "--resume", "--csv", other);
    EXPECT(ran_failed(&r, 2, other, "--force"), "^ another table");
    ran_free(&r);
    sample_job_remove(&j);
}

/* A stream; a full disk; a signal during the write. */
static void test_csv_ends(void)
{
    sample_job j = sample_job_large("csv");
    const char *file = at("ends.csv");
    char option[600];
    ran r = sample_job_run(&j, j.out, "--csv=-");
    EXPECT(ran_well(&r) && !strncmp(r.out, TITLES, sizeof TITLES - 1), "^ stdout: %.80s", r.out);
    ran_free(&r);
    sample_job_remove(&j);
    r = sample_job_run(&j, j.out, "--csv=/dev/full");
    EXPECT(ran_failed(&r, 5, "/dev/full", "full"), "^ a full disk");
    ran_free(&r);
    job_check_whole(&j, "full", 0);
    sample_job_remove(&j);
    snprintf(option, sizeof option, "--csv=%s", file);
    const long before = job_count_of(&j, "look", NULL);
    for (long i = 0; i < 2; i++) {
        unlink(file);
        job_fragile("look", before + 10 * i);
        r = sample_job_run(&j, j.out, option);
        program_plain();
        EXPECT(ran_failed(&r, 143, file, "signal"), "^ look %ld", before + 10 * i);
        EXPECT(!exists(file) && !exists_part(file), "some of the table is left");
        ran_free(&r);
        job_check_whole(&j, "signal", i);
        sample_job_remove(&j);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"triangles", test_csv_triangles}, {"solids", test_csv_solids},
                                 {"names", test_csv_names},         {"resume", test_csv_resume},
                                 {"ends", test_csv_ends},           {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "csv", tests);
}
