/* The table of contacts (host/base/contact.def) agrees with its documentation: host/impinge.h,
 * which the compiler compares to it, and data/format.md. */
#include "columns.h"
#include "expect.h"
#include "result.h"
#include "testlib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns promised to the library's users, listed by hand: the table must agree. */
static void test_format_contacts(void)
{
    const imp_contacts c = {.a = (const uint32_t[]){1, 2},
                            .b = (const uint32_t[]){3, 4},
                            .kind = (const uint8_t[]){1, 2},
                            .points = (const double[12]){0}};
    imp_contacts rest = c;
    columns_skip(&contact_table, &rest, 1);
    CU_ASSERT(rest.a == c.a + 1 && rest.b == c.b + 1 && rest.kind == c.kind + 1 &&
              rest.points == c.points + 6);
    CU_ASSERT(columns_row_bytes(&contact_table, columns_when(&contact_table, &(imp_def){0})) == 58);
}

/* The content of a text file; the caller frees it. */
static char *format_text_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 17);
    CU_ASSERT_FATAL(f && text);
    CU_ASSERT(fread(text, 1, (1 << 17) - 1, f) > 0);
    fclose(f);
    return text;
}

/* The section of format.md on results. */
static char *format_results(void)
{
    char *text = format_text_of(IMP_SOURCE_DIR "/data/format.md");
    char *from = strstr(text, "## Result"), *end = strstr(text, "\n## JSON");
    CU_ASSERT_FATAL(from && end > from);
    char *out = strndup(from, (size_t)(end - from));
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    free(text);
    return out;
}

static const char *type_name(enum column_type type)
{
    static const char *const names[COLUMN_TYPES] = {
        [COLUMN_U8] = "uint8",   [COLUMN_U32] = "uint32", [COLUMN_U64] = "uint64",
        [COLUMN_I32] = "int32",  [COLUMN_I64] = "int64",  [COLUMN_F32] = "float32",
        [COLUMN_F64] = "float64"};
    return names[type];
}

/* Checks the table row that documents this dataset, up to the shape and the type that it must have:
 *     | `CellData/ObjectA`, `ObjectB` | (R) | int32 | ... |
 * The meaning of an optional column begins with "only". */
static void check_told(const char *text, const char *group, const char *name, const char *shape,
                       enum column_type type, int always)
{
    char first[100], later[100], cells[100], only[110];
    snprintf(first, sizeof first, "\n| `%s%s`", group, name);
    snprintf(later, sizeof later, ", `%s` |", name);
    snprintf(cells, sizeof cells, " | %s | %s | ", shape, type_name(type));
    snprintf(only, sizeof only, "%sonly ", cells);
    const char *at = strstr(text, first), *row = at;
    if (!at) {
        at = strstr(text, later);
        for (row = at; row && row > text && row[0] != '\n';)
            row--;
    }
    const char *end = row ? strchr(row + 1, '\n') : NULL, *told = row ? strstr(row, cells) : NULL;
    EXPECT(told && told < end, "format.md has no row for %s%s with%s", group, name, cells);
    EXPECT(!told || !strncmp(told, only, strlen(only)) == !always,
           "format.md is wrong about when %s is there", name);
}

static void test_format(void)
{
    char *text = format_results();
    for (int c = 0; c < STORED_COLUMNS; c++) {
        const column_def *k = &stored_table.column[c];
        const char *group = k->group == COLUMN_CellData ? "CellData/" : "";
        char shape[40];
        if (k->first_at) {
            snprintf(shape, sizeof shape, k->width > 1 ? "(n, %u)" : "(n)", k->width);
            check_told(text, "", k->file_first, "(R + 1)", COLUMN_U64, !k->when);
        } else if (k->group == COLUMN_VTKHDF)
            snprintf(shape, sizeof shape, "(%u R, 3)", k->width / 3);
        else
            snprintf(shape, sizeof shape, k->width > 1 ? "(R, %u)" : "(R)", k->width);
        check_told(text, group, k->file, shape, k->type, !k->when);
    }
    free(text);
}

/* No documented row of CellData is missing in the table; checksums go over the columns in its
 * order, which format.md lists. */
static void test_format_lists(void)
{
    char *text = format_results(), sums[400] = "", *row = text;
    size_t cells = 0, told = 0;
    for (int c = 0; c < STORED_COLUMNS; c++) {
        const column_def *k = &stored_table.column[c];
        cells += k->group == COLUMN_CellData;
        snprintf(sums + strlen(sums), sizeof sums - strlen(sums), "%s%s", c ? ", " : "", k->file);
    }
    EXPECT(strstr(text, sums) != NULL, "format.md does not say: %s", sums);
    while ((row = strstr(row, "\n| `CellData/")) != NULL) {
        const char *end = strchr(++row, '|');
        for (const char *at = strchr(end + 1, '|'); row < at && *row != '\n'; row++)
            told += *row == '`';
    }
    EXPECT(told == 2 * cells, "format.md has %zu names of CellData, not %zu", told / 2, cells);
    free(text);
}

/* The example line of collide.txt, and the columns that only some lines have at the end. */
static void test_format_text(void)
{
    char *text = format_results(), line[400] = "`frame";
    for (int place = 1; place <= STORED_COLUMNS; place++)
        for (int c = 0; c < STORED_COLUMNS; c++)
            if (stored_texts[c].position == place && !stored_table.column[c].when)
                snprintf(line + strlen(line), sizeof line - strlen(line), " %s",
                         stored_texts[c].titles);
    EXPECT(strstr(strcat(line, "`"), "kind") && strstr(text, line), "format.md does not say: %s",
           line);
    const char *lines = strstr(text, "## collide.txt");
    for (int c = 0; c < STORED_COLUMNS; c++)
        EXPECT(!stored_texts[c].position || (lines && strstr(lines, stored_texts[c].titles)),
               "format.md does not say: %s", stored_texts[c].titles);
    free(text);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"contacts", test_format_contacts},
                                 {"format", test_format},
                                 {"format_lists", test_format_lists},
                                 {"format_text", test_format_text},
                                 {0}};
    return test_main(argc, argv, "format", tests);
}
