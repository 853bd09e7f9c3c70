/* See collide_txt.h. */
#include "collide_txt.h"

#include "error.h"
#include "h5.h"
#include "signals.h"
#include "store_contact.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* No number takes more characters, including the blank before it and the newline after it. */
#define NUMBER 32
#define TEXT 4096              /* characters that wait to be written; a line may be of any length */
#define COLLIDE_TXT_CHUNK 1024 /* contacts in memory at a time */

/* The columns that the result has, in the order of a line. */
typedef struct line {
    int count, column[STORED_COLUMNS];
} line;

static line collide_txt_line(column_set set)
{
    line l = {0};
    for (int next = 1; next <= STORED_COLUMNS; next++)
        for (int c = 0; c < STORED_COLUMNS; c++)
            if (column_in(set, c) && stored_texts[c].position == next)
                l.column[l.count++] = c;
    return l;
}

/* Not printf: whole numbers are most of a line, and printf would take a good part of its time. */
static char *put_whole(char *to, int64_t value)
{
    char digit[24];
    int n = 0;
    /* negated without a sign: -INT64_MIN does not fit in int64 */
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

/* Value i of an array. 9 and 17 digits are the fewest that give back every float32 and every
 * float64 exactly. */
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

/* ---- lines */

typedef struct writer {
    FILE *file;
    int failed;
    size_t used;
    char text[TEXT];
} writer;

/* A failure is only noted here: collide_txt_write_row reports it once for a line. */
static void write_out(writer *w)
{
    w->failed |= fwrite(w->text, 1, w->used, w->file) != w->used;
    w->used = 0;
}

/* After the character `before`, if that is not 0. */
static void add_value(writer *w, char before, enum column_type type, const void *values, size_t i)
{
    if (w->used > TEXT - NUMBER)
        write_out(w);
    char *to = w->text + w->used;
    if (before)
        *to++ = before;
    w->used = (size_t)(put_value(to, type, values, i) - w->text);
}

static void collide_txt_add_column(writer *w, const column *k, const result_rows *rows, uint64_t i)
{
    uint64_t first = i, end = i + 1;
    if (k->first_at) {
        first = column_first(k, rows)[i];
        end = column_first(k, rows)[i + 1];
        add_value(w, ' ', COLUMN_I64, &(int64_t){(int64_t)(end - first)}, 0);
    }
    for (uint64_t v = first * k->width; v < end * k->width; v++)
        add_value(w, ' ', k->type, column_values(k, rows), v);
}

/* A line is written out at its end, so that a failure is reported with errno still set. */
static int collide_txt_write_row(writer *w, const line *l, int64_t frame, const result_rows *rows,
                                 uint64_t i)
{
    add_value(w, 0, COLUMN_I64, &frame, 0);
    for (int n = 0; n < l->count; n++)
        collide_txt_add_column(w, &stored_table.column[l->column[n]], rows, i);
    w->text[w->used++] = '\n'; /* the workspace of a number has space for it */
    write_out(w);
    return !w->failed;
}

/* Errors stay in the stream, where text_output_end finds them. */
static void write_titles(FILE *f, const line *l)
{
    fprintf(f, "# frame");
    for (int n = 0; n < l->count; n++)
        fprintf(f, " %s", stored_texts[l->column[n]].titles);
    fprintf(f, "\n");
}

/* ---- frames */

static int collide_txt_write_rows(result_reader *r, uint64_t k, const line *l, text_output *to)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(r);
    const uint64_t all = (uint64_t)info->of.contacts[k];
    writer w = {.file = to->file};
    for (uint64_t first = 0; first < all; first += COLLIDE_TXT_CHUNK) {
        result_rows rows;
        TRY(result_read_rows(
            r, k, first, all - first < COLLIDE_TXT_CHUNK ? all - first : COLLIDE_TXT_CHUNK, &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            /* checked for each line, since one frame may have millions */
            if (signals_came())
                FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", to->name);
            if (!collide_txt_write_row(&w, l, info->of.input_frame[k], &rows, i))
                TRY(h5_fail(IMP_ERR_FILE, to->name, NULL, "cannot be written: %s",
                            strerror(errno)));
        }
    }
out:
    return err;
}

static int collide_txt_write_frames(result_reader *r, text_output *to)
{
    int err = IMP_OK;
    const line l = collide_txt_line(result_columns(r));
    write_titles(to->file, &l);
    for (uint64_t k = 0; k < result_get_info(r)->frames; k++)
        TRY(collide_txt_write_rows(r, k, &l, to));
out:
    return err;
}

int collide_txt_write(result_reader *r, text_output *to)
{
    int err = text_output_begin(to);
    return err ? err : text_output_end(to, collide_txt_write_frames(r, to));
}
