/* See collide_txt.h. */
#include "collide_txt.h"

#include "error.h"
#include "h5.h"
#include "signals.h"
#include "store_contact.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The longest line: no number takes more than 31 characters with the blank before it. */
enum {
    LINE = 32
#define CONTACT(name, type, values, ...) +32 * values
#define DERIVED(...) +32
#include "contact.def"
};

/* The columns that are there, in the order of a line. */
typedef struct line {
    int count, column[STORED_COLUMNS];
} line;

static line line_of(column_set set)
{
    line l = {0};
    for (int next = 1; next <= STORED_COLUMNS; next++)
        for (int c = 0; c < STORED_COLUMNS; c++)
            if (column_in(set, c) && stored_texts[c].place == next)
                l.column[l.count++] = c;
    return l;
}

/* printf would take a good part of the time of a line for its whole numbers. */
static char *put_whole(char *to, int64_t value)
{
    char digit[24];
    int n = 0;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        digit[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        digit[n++] = '-';
    while (n)
        *to++ = digit[--n];
    return to;
}

/* Value i of an array. */
static char *put_value(char *to, enum column_type type, const void *values, size_t i)
{
    switch (type) {
    case COLUMN_U8:
        return put_whole(to, ((const uint8_t *)values)[i]);
    case COLUMN_U32:
        return put_whole(to, ((const uint32_t *)values)[i]);
    case COLUMN_I32:
        return put_whole(to, ((const int32_t *)values)[i]);
    case COLUMN_I64:
        return put_whole(to, ((const int64_t *)values)[i]);
    case COLUMN_U64:
        return to + snprintf(to, 31, "%llu", (unsigned long long)((const uint64_t *)values)[i]);
    case COLUMN_F32:
        return to + snprintf(to, 31, "%.9g", (double)((const float *)values)[i]);
    default:
        return to + snprintf(to, 31, "%.17g", ((const double *)values)[i]);
    }
}

static int write_row(FILE *f, const line *l, int64_t frame, const result_rows *rows, uint64_t i)
{
    char text[LINE], *to = put_whole(text, frame);
    for (int n = 0; n < l->count; n++) {
        const column *k = &stored_table.column[l->column[n]];
        for (uint32_t v = 0; v < k->width; v++) {
            *to++ = ' ';
            to = put_value(to, k->type, column_values(k, rows), i * k->width + v);
        }
    }
    *to++ = '\n';
    return fwrite(text, 1, (size_t)(to - text), f) == (size_t)(to - text);
}

static void write_titles(FILE *f, const line *l)
{
    fprintf(f, "# frame");
    for (int n = 0; n < l->count; n++)
        fprintf(f, " %s", stored_texts[l->column[n]].titles);
    fprintf(f, "\n");
}

static int write_frames(result_reader *r, text_output *to)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(r);
    const line l = line_of(result_columns(r));
    write_titles(to->file, &l);
    for (uint64_t k = 0; k < info->frames; k++) {
        result_rows rows;
        TRY(result_read(r, k, &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            if (signals_came())
                FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", to->name);
            if (!write_row(to->file, &l, info->input_frame[k], &rows, i))
                TRY(h5_fail(IMP_ERR_FILE, to->name, NULL, "cannot be written: %s",
                            strerror(errno)));
        }
    }
out:
    return err;
}

int collide_txt_write(result_reader *r, text_output *to)
{
    int err = text_output_begin(to);
    return err ? err : text_output_end(to, write_frames(r, to));
}
