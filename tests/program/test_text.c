/* Names in files, and of files, that a terminal or a spreadsheet would interpret: printed text has
 * no control characters except its own line breaks; JSON is valid; a table has no formula, and its
 * names can be restored. */
#include "expect.h"
#include "h5_make.h"
#include "json_read.h"
#include "program.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#define NAME 24 /* bytes */

/* A name, and its unquoted form in the table of --csv. */
static const struct {
    const char *name, *csv;
} names[] = {
    {"=1+1", "'=1+1"},
    {"+1", "'+1"},
    {"-1", "'-1"},
    {"@SUM(A1)", "'@SUM(A1)"},
    {"\ttab", "'\ttab"},
    {"\rreturn", "'\rreturn"},
    {"\nline", "'\nline"},
    {"'apostrophe", "''apostrophe"},
    {"\xef\xbc\x9d"
     "1",
     "'\xef\xbc\x9d"
     "1"},
    {"=\"a\",b", "'=\"a\",b"},
    {"\x1b[31mred\x07", "\xef\xbf\xbd[31mred\xef\xbf\xbd"},
    {"c1\xc2\x9b"
     "31m",
     "c1\xef\xbf\xbd"
     "31m"},
    {"two\nlines", "two\nlines"},
    {"no\xff"
     "text",
     "no\xef\xbf\xbdtext"},
    {"over\xc0\xaf", "over\xef\xbf\xbd\xef\xbf\xbd"},
    {"half\xed\xa0\x80", "half\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"back\xe2\x80\xae"
     "drow",
     "back\xef\xbf\xbd"
     "drow"},
    {"plain, \xc3\xa4=1", "plain, \xc3\xa4=1"},
};
#define NAMES (sizeof names / sizeof *names)

/* One triangle of each object, all of which meet in a point. */
static const char *hostile_batch(int hostile)
{
    make m = {.cells = {{.name = "ObjectId"}}};
    rng r = {4};
    int64_t ids[3 * NAMES], objects[NAMES];
    char text[NAMES][NAME] = {{0}}, source[2][NAME] = {"\x1b[2Jframe", "two\nlines"};
    for (size_t i = 0; i < NAMES; i++) {
        for (size_t k = 0; k < 3; k++)
            ids[3 * i + k] = (int64_t)(3 * i + k);
        objects[i] = (int64_t)i;
        make_add(&m.cells[0].value, (int64_t)i);
        snprintf(text[i], NAME, "%s", hostile ? names[i].name : "plain");
    }
    make_part(&m, 3 * NAMES, NAMES, ids);
    for (int64_t f = 0; f < 2; f++) {
        make_step(&m, (double)f, 0, 1, f * 3 * (int64_t)NAMES, 0, 0);
        for (size_t i = 0; i < NAMES; i++) {
            double x[9];
            rng_direction(&r, x);
            rng_direction(&r, x + 3);
            for (int k = 0; k < 3; k++) /* the origin lies between them */
                x[6 + k] = -x[k] - x[3 + k];
            make_points(&m, 3, x);
        }
    }
    const char *path = make_write(&m, "hostile.vtkhdf");
    make_free(&m);
    h5_texts(path, "impinge/object_names", NAMES, text[0], NAME);
    h5_texts(path, "impinge/frame_sources", 2, hostile ? source[0] : "a\0b", hostile ? NAME : 2);
    h5_replace_ints(path, "impinge/object_ids", NAMES, objects);
    return path;
}

/* Whether the text has only printable characters and line breaks; if not, with a message. */
static int text_test_is_plain(const char *text, const char *about)
{
    char *quoted = malloc(strlen(text) + 3), *to = quoted;
    *to++ = '"';
    for (const char *c = text; *c; c++)
        *to++ = *c == '\n' || *c == '"' || *c == '\\' ? '.' : *c;
    *to++ = '"';
    *to = 0;
    const int plain = json_valid(quoted);
    EXPECT(plain, "%s: control characters in what is printed", about);
    free(quoted);
    return plain;
}

static void check_text_said(const ran *r, int code, const char *about)
{
    EXPECT(r->code == code, "%s: exit %d: %.300s", about, r->code, r->err);
    text_test_is_plain(r->out, about);
    text_test_is_plain(r->err, about);
}

/* ---- printed text */

static void test_text_info(void)
{
    size_t lines[2];
    for (int hostile = 0; hostile < 2; hostile++) {
        const char *in = hostile_batch(hostile);
        ran r = RAN("info", in, "--frames", ":");
        check_text_said(&r, 0, "info");
        lines[hostile] = count_lines(r.out);
        EXPECT(!hostile || (strstr(r.out, "?[2Jframe") && strstr(r.out, "two?lines")), "%s", r.out);
        ran_free(&r);
        r = RAN("info", in, "--json");
        check_text_said(&r, 0, "info --json");
        EXPECT(json_valid(r.out), "not JSON: %s", r.out);
        ran_free(&r);
    }
    EXPECT(lines[0] == lines[1], "%zu lines, %zu with plain names", lines[1], lines[0]);
}

static void test_text_run(void)
{
    const char *in = hostile_batch(1), *out = at("hostile.out");
    ran r = RAN("run", in, "-o", out, "--force", "-v", "--device", "cpu");
    check_text_said(&r, 0, "run");
    ran_free(&r);
    r = RAN("run", in, "-o", out, "--force", "--device", "cpu", "--json");
    check_text_said(&r, 0, "run --json");
    EXPECT(json_valid(r.out), "not JSON: %s", r.out);
    ran_free(&r);
    r = RAN("convert", in, "-o", at("again.vtkhdf"), "--force");
    check_text_said(&r, 0, "convert");
    ran_free(&r);
    r = RAN("info", out);
    check_text_said(&r, 0, "info of a result");
    ran_free(&r);
}

/* The provenance of a result. */
static void test_origin(void)
{
    static const char *const text[] = {"version", "command", "device", "input", "input_hash"};
    const char *in = hostile_batch(1), *out = at("hostile.out");
    ran r = RAN("run", in, "-o", out, "--force", "-q", "--device", "cpu");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        h5_attribute_text(out, "impinge", text[i], "\x1b[31m\n\xc2\x9b\xff");
    r = RAN("info", out);
    check_text_said(&r, 0, "info of a hostile result");
    ran_free(&r);
    r = RAN("info", out, "--json");
    check_text_said(&r, 0, "info --json of a hostile result");
    EXPECT(json_valid(r.out), "not JSON: %s", r.out);
    ran_free(&r);
    r = RAN("check", out, "--input", in);
    check_text_said(&r, 0, "check of a hostile result");
    ran_free(&r);
    r = RAN("merge", at("merged.vtkhdf"), out);
    check_text_said(&r, 3, "merge of a hostile result");
    ran_free(&r);
}

/* Names in error messages: of the file, of a file that it refers to, of its type. */
static void test_text_errors(void)
{
    const char *odd = at("odd\x1b[31m\nname\xc2\x9b\xff.vtkhdf");
    copy_file(hostile_batch(1), odd);
    ran r = RAN("run", odd, "-o", at("odd.out"), "--force", "--device", "cpu");
    check_text_said(&r, 0, "an odd file");
    ran_free(&r);
    hid_t file = H5Fopen(odd, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "VTKHDF/Points", H5P_DEFAULT);
    H5Lcreate_external("\x1b[31mgone\n", "/\x1b]0;x\x07", file, "VTKHDF/Points", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Fclose(file);
    r = RAN("run", odd, "-o", at("odd.out"), "--force", "--device", "cpu");
    check_text_said(&r, 3, "a link");
    EXPECT(ran_failed(&r, 3, "?[31mgone?", NULL), "^ a link");
    ran_free(&r);
    h5_attribute_text(odd, "VTKHDF", "Type", "\x1b[31m\n");
    r = RAN("info", odd);
    check_text_said(&r, 3, "a type");
    ran_free(&r);
    r = RAN("\x1b[31m\n");
    check_text_said(&r, 2, "a verb");
    ran_free(&r);
}

/* ---- the table */

/* The next field of a record, unquoted in place; returns the rest of the record. */
static char *take_field(char *from, char **field)
{
    char *to = *field = from;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    } else
        while (*from && *from != ',' && *from != '\r')
            *to++ = *from++;
    const size_t end = *from == '\r' ? 2 : *from == ',';
    *to = 0;
    return from + end;
}

#define FIELDS 11

static void test_csv(void)
{
    const char *in = hostile_batch(1);
    ran r = RAN("run", in, "-o", at("hostile.out"), "--force", "-q", "--device", "cpu", "--csv",
                at("pairs.csv"), "--frames", ":1");
    EXPECT(ran_well(&r), "^ run --csv");
    ran_free(&r);
    char *text = file_text(at("pairs.csv"), NULL), *at_field = strstr(text, "\r\n") + 2;
    size_t rows = 0;
    for (; *at_field; rows++) {
        char *field[FIELDS];
        for (int i = 0; i < FIELDS; i++)
            at_field = take_field(at_field, &field[i]);
        for (int i = 0; i < 2; i++) {
            const size_t object = strtoul(field[2 + i], NULL, 10);
            const char *got = field[6 + i];
            EXPECT(object < NAMES && !strcmp(got, names[object].csv), "object %zu is '%s'", object,
                   got);
        }
    }
    EXPECT(rows == NAMES * (NAMES - 1) / 2, "%zu rows", rows);
    free(text);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"info", test_text_info}, {"run", test_text_run},
                                 {"origin", test_origin},  {"errors", test_text_errors},
                                 {"csv", test_csv},        {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "text", tests);
}
