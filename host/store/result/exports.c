/* See exports.h. */
#include "exports.h"

#include "error.h"
#include "h5.h"
#include "object_names.h"
#include "result.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most characters of a number, with the blank before it and the newline after it. */
#define NUMBER 32
#define TEXT 4096              /* characters in the buffer; a line may be longer */
#define COLLIDE_TXT_CHUNK 1024 /* contacts in memory at a time */

/* The columns of the result, in the order of a line. */
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

/* Not printf: most of a line is whole numbers, on which printf would spend much of the time. */
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

/* Formats value i of an array. 9 and 17 digits are the fewest that represent every float32 and
 * every float64 exactly. */
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

/* A failure is only recorded here: collide_txt_write_row reports it once for a line. */
static void write_out(writer *w)
{
    w->failed |= fwrite(w->text, 1, w->used, w->file) != w->used;
    w->used = 0;
}

/* Writes the character `before` first, unless it is 0. */
static void add_value(writer *w, char before, enum column_type type, const void *values, size_t i)
{
    if (w->used > TEXT - NUMBER)
        write_out(w);
    char *to = w->text + w->used;
    if (before)
        *to++ = before;
    w->used = (size_t)(put_value(to, type, values, i) - w->text);
}

static void collide_txt_add_column(writer *w, const column_def *k, const result_rows *rows,
                                   uint64_t i)
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

/* Each line is written at its end, so that a failure is reported while errno is still set. */
static int collide_txt_write_row(writer *w, const line *l, int64_t frame, const result_rows *rows,
                                 uint64_t i)
{
    add_value(w, 0, COLUMN_I64, &frame, 0);
    for (int n = 0; n < l->count; n++)
        collide_txt_add_column(w, &stored_table.column[l->column[n]], rows, i);
    w->text[w->used++] = '\n'; /* the space reserved for a number includes it */
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

/* ---- pairs of objects of a frame */

typedef struct pair_sum {
    int32_t a, b; /* a <= b */
    uint64_t contacts, crossed;
    double depth;                 /* rows are sorted by time */
    double distance, penetration; /* the least, and the greatest */
    /* one contact of the pair: with times the first one, else the nearest, then the deepest, at
     * equal depth the one of the first row */
    uint64_t row;
    double time, row_depth;
    int64_t source[2]; /* SourceId of the primitives of objects a and b */
} pair_sum;

typedef struct pair_sums {
    mem *mem;
    int timed;     /* rows are in order of time */
    pair_sum *row; /* a pair may have several rows before pair_sums_join */
    size_t count, capacity;
} pair_sums;

static int pair_sums_same(const pair_sum *x, const pair_sum *y)
{
    return x->a == y->a && x->b == y->b;
}

/* Returns whether the contact that x names is worse than that of y: the one to name for both. */
static int pair_sum_worse(const pair_sums *s, const pair_sum *x, const pair_sum *y)
{
    if (!s->timed && x->distance != y->distance)
        return x->distance < y->distance;
    if (!s->timed && x->row_depth != y->row_depth)
        return x->row_depth > y->row_depth;
    return x->row < y->row;
}

static void pair_sum_join(const pair_sums *s, pair_sum *to, const pair_sum *more)
{
    const uint64_t contacts = to->contacts + more->contacts, crossed = to->crossed + more->crossed;
    const double depth = more->depth > to->depth ? more->depth : to->depth;
    const double penetration =
        more->penetration > to->penetration ? more->penetration : to->penetration;
    if (pair_sum_worse(s, more, to))
        *to = *more;
    to->contacts = contacts;
    to->crossed = crossed;
    to->depth = depth;
    to->penetration = penetration;
}

static int pair_sums_by_objects(const void *x, const void *y)
{
    const pair_sum *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* Joins the rows of each pair, in order. Sums and maxima do not depend on the order of equal
 * rows. */
static void pair_sums_join(pair_sums *s)
{
    size_t pairs_kept = 0;
    if (s->count)
        qsort(s->row, s->count, sizeof *s->row, pair_sums_by_objects);
    for (size_t i = 0; i < s->count; i++)
        if (pairs_kept && pair_sums_same(&s->row[pairs_kept - 1], &s->row[i]))
            pair_sum_join(s, &s->row[pairs_kept - 1], &s->row[i]);
        else
            s->row[pairs_kept++] = s->row[i];
    s->count = pairs_kept;
}

/* Leaves at least half of the rows free, so that sorting is rare. */
static int pair_sums_reserve(pair_sums *s)
{
    if (s->count < s->capacity)
        return IMP_OK;
    pair_sums_join(s);
    if (s->capacity && s->count <= s->capacity / 2)
        return IMP_OK;
    const size_t capacity = s->capacity ? 2 * s->capacity : 64;
    int err = mem_grow(s->mem, s->count * sizeof *s->row, capacity * sizeof *s->row, &s->row);
    if (!err)
        s->capacity = capacity;
    return err;
}

/* Consecutive contacts mostly have the same two objects. */
static int pair_sums_add(pair_sums *s, const pair_sum *one)
{
    if (s->count && pair_sums_same(&s->row[s->count - 1], one)) {
        pair_sum_join(s, &s->row[s->count - 1], one);
        return IMP_OK;
    }
    int err = pair_sums_reserve(s);
    if (!err)
        s->row[s->count++] = *one;
    return err;
}

/* ---- names in a table */

/* A spreadsheet treats a field with such a beginning as a formula, which may start programs (OWASP:
 * CSV injection), also with the fullwidth forms of = + - @. An apostrophe counts too, so that
 * removing one restores the name. */
static int csv_is_formula(const char *name)
{
    static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                       "\xef\xbc\xa0"};
    int is = *name && strchr("=+-@\t\r\n'", *name);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        is |= !strncmp(name, wide[i], strlen(wide[i]));
    return is;
}

/* Bytes that are not UTF-8, and characters that control a terminal, become U+FFFD; line breaks and
 * tabs stay. */
static void csv_put_character(FILE *f, const char *c, size_t bytes)
{
    if (*c == '"')
        fputc('"', f);
    if (!bytes || (utf8_controls(c, bytes) && !strchr("\t\r\n", *c)))
        fputs("\xef\xbf\xbd", f);
    else
        fwrite(c, 1, bytes, f);
}

/* Fields with a comma, a quote or a line break are quoted, and quotes doubled (RFC 4180). */
void csv_put_name(FILE *f, const char *name)
{
    const int quoted = name && strpbrk(name, ",\"\r\n");
    if (quoted)
        fputc('"', f);
    if (name && csv_is_formula(name))
        fputc('\'', f);
    for (size_t n; name && *name; name += n ? n : 1) {
        n = utf8_bytes(name);
        csv_put_character(f, name, n);
    }
    if (quoted)
        fputc('"', f);
}

/* ---- the text */

/* 17 digits represent every float64 exactly. */
static void pairs_csv_put_row(FILE *f, const result_reader *r, uint64_t k, const pair_sum *p)
{
    const batch_names *names = result_get_info(r)->names;
    const result_frames *of = &result_get_info(r)->of;
    const column_set set = result_columns(r);
    const double time = column_in(set, STORED_time) ? p->time : of->time[k];
    fprintf(f, "%lld,%.17g,%d,%d,%llu,", (long long)of->input_frame[k], time, p->a, p->b,
            (unsigned long long)p->contacts);
    if (column_in(set, STORED_depth))
        fprintf(f, "%.17g", p->depth);
    fputc(',', f);
    csv_put_name(f, batch_object_name(names, p->a));
    fputc(',', f);
    csv_put_name(f, batch_object_name(names, p->b));
    if (column_in(set, STORED_source_a))
        fprintf(f, ",%lld,%lld,", (long long)p->source[0], (long long)p->source[1]);
    else
        fputs(",,,", f);
    if (column_in(set, STORED_distance))
        fprintf(f, "%.17g", p->distance);
    fputs("\r\n", f);
}

/* ---- the text with thicknesses: the table of a penetration check */

/* A part is an object, by its name if it has one. */
static void pairs_csv_put_part(FILE *f, const batch_names *names, int32_t object)
{
    const char *name = batch_object_name(names, object);
    if (name)
        csv_put_name(f, name);
    else
        fprintf(f, "%d", object);
    fputc(',', f);
}

static void pairs_csv_put_thick_row(FILE *f, const result_reader *r, uint64_t k, const pair_sum *p)
{
    const batch_names *names = result_get_info(r)->names;
    fprintf(f, "%lld,", (long long)result_get_info(r)->of.input_frame[k]);
    pairs_csv_put_part(f, names, p->a);
    pairs_csv_put_part(f, names, p->b);
    fprintf(f, "%llu,%llu,%.17g,%.17g,%d,%d\r\n", (unsigned long long)p->contacts,
            (unsigned long long)p->crossed, p->penetration, p->distance, p->a, p->b);
}

/* ---- the text with --inside: relations of objects */

#define PAIRS_CSV_RELATIONS                                                                        \
    "frame,time,object_a,object_b,relation,contacts,inside_a,inside_b,touching_a,touching_b,"      \
    "depth_a,depth_b,x,y,z,name_a,name_b\r\n"

/* x, y, z: the deepest vertex of both; empty if none is inside. */
static void pairs_csv_put_relation(FILE *f, const result_reader *r, uint64_t k,
                                   const relation_rows *p, uint64_t i)
{
    const result_info *info = result_get_info(r);
    const uint8_t relation = p->relation[i] < RELATION_KINDS ? p->relation[i] : 0;
    const int b = p->deepest_b[i] >= 0 && (p->deepest_a[i] < 0 || p->depth_b[i] > p->depth_a[i]);
    const double *at = (b ? p->point_b : p->point_a) + 3 * i;
    fprintf(f, "%lld,%.17g,%d,%d,%s,%lld,%lld,%lld,%lld,%lld,%.17g,%.17g,",
            (long long)info->of.input_frame[k], info->of.time[k], p->a[i], p->b[i],
            relation_name[relation], (long long)p->contacts[i], (long long)p->inside_a[i],
            (long long)p->inside_b[i], (long long)p->touching_a[i], (long long)p->touching_b[i],
            p->depth_a[i], p->depth_b[i]);
    if (p->deepest_a[i] >= 0 || p->deepest_b[i] >= 0)
        fprintf(f, "%.17g,%.17g,%.17g,", at[0], at[1], at[2]);
    else
        fputs(",,,", f);
    csv_put_name(f, batch_object_name(info->names, p->a[i]));
    fputc(',', f);
    csv_put_name(f, batch_object_name(info->names, p->b[i]));
    fputs("\r\n", f);
}

/* ---- frames */

#define PAIRS_CSV_CHUNK 4096 /* contacts in memory at a time */

typedef struct pairs_csv_chunk {
    int32_t a[PAIRS_CSV_CHUNK], b[PAIRS_CSV_CHUNK];
    uint8_t kind[PAIRS_CSV_CHUNK];
    double depth[PAIRS_CSV_CHUNK], time[PAIRS_CSV_CHUNK], distance[PAIRS_CSV_CHUNK],
        penetration[PAIRS_CSV_CHUNK];
    int64_t source_a[PAIRS_CSV_CHUNK], source_b[PAIRS_CSV_CHUNK];
} pairs_csv_chunk;

/* Converts row i of a chunk; `row`: its number in the frame. */
static pair_sum pairs_csv_pair(const pairs_csv_chunk *p, uint64_t i, uint64_t row)
{
    const int swap = p->a[i] > p->b[i];
    return (pair_sum){
        .a = swap ? p->b[i] : p->a[i],
        .b = swap ? p->a[i] : p->b[i],
        .contacts = 1,
        .crossed = p->kind[i] == IMP_KIND_CROSSED,
        .depth = p->depth[i],
        .distance = p->distance[i],
        .penetration = p->penetration[i],
        .row = row,
        .time = p->time[i],
        .row_depth = p->depth[i],
        .source = {swap ? p->source_b[i] : p->source_a[i], swap ? p->source_a[i] : p->source_b[i]}};
}

static int pairs_csv_stopped(const text_output *to)
{
    return signals_came() ? imp_fail(IMP_ERR_CANCELLED, "%s: stopped by a signal", to->name)
                          : IMP_OK;
}

static int pairs_csv_sum_frame(result_reader *r, uint64_t k, pairs_csv_chunk *p, pair_sums *sums,
                               const text_output *to)
{
    int err = IMP_OK;
    const uint64_t all = (uint64_t)result_get_info(r)->of.contacts[k];
    const result_pairs into = {p->a,        p->b,           p->kind,     p->depth,   p->time,
                               p->distance, p->penetration, p->source_a, p->source_b};
    sums->count = 0;
    for (uint64_t first = 0; first < all; first += PAIRS_CSV_CHUNK) {
        const uint64_t n = all - first < PAIRS_CSV_CHUNK ? all - first : PAIRS_CSV_CHUNK;
        TRY(pairs_csv_stopped(to));
        TRY(result_read_object_pairs(r, k, first, n, &into));
        for (uint64_t i = 0; i < n; i++) {
            const pair_sum one = pairs_csv_pair(p, i, first + i);
            TRY(pair_sums_add(sums, &one));
        }
    }
    pair_sums_join(sums);
out:
    return err;
}

/* The stream is checked after each row, so that errno belongs to that row. */
static int pairs_csv_write_frame(result_reader *r, uint64_t k, const pair_sums *sums,
                                 const text_output *to)
{
    int err = IMP_OK;
    for (size_t i = 0; i < sums->count; i++) {
        TRY(pairs_csv_stopped(to));
        errno = 0;
        (result_get_info(r)->thick ? pairs_csv_put_thick_row : pairs_csv_put_row)(to->file, r, k,
                                                                                  &sums->row[i]);
        if (ferror(to->file))
            TRY(h5_fail(IMP_ERR_FILE, to->name, NULL, "cannot be written: %s", strerror(errno)));
    }
out:
    return err;
}

static int pairs_csv_write_relations(result_reader *r, const text_output *to)
{
    int err = IMP_OK;
    fputs(PAIRS_CSV_RELATIONS, to->file);
    for (uint64_t k = 0; k < result_get_info(r)->frames; k++) {
        step_relations of;
        TRY(result_read_relations(r, k, &of));
        for (uint64_t i = 0; i < of.pairs.count; i++) {
            TRY(pairs_csv_stopped(to));
            errno = 0;
            pairs_csv_put_relation(to->file, r, k, &of.pairs, i);
            if (ferror(to->file))
                TRY(h5_fail(IMP_ERR_FILE, to->name, NULL, "cannot be written: %s",
                            strerror(errno)));
        }
    }
out:
    return err;
}

static int pairs_csv_write_frames(mem *m, result_reader *r, const text_output *to)
{
    int err = IMP_OK;
    pair_sums sums = {.mem = m, .timed = result_get_info(r)->times};
    pairs_csv_chunk *p = NULL;
    TRY(mem_alloc(m, sizeof *p, &p));
    fputs(result_get_info(r)->thick
              ? "frame,part_a,part_b,pairs,crossed,deepest,least_distance,object_a,object_b\r\n"
              : "frame,time,object_a,object_b,contacts,greatest_depth,name_a,name_b,source_a,"
                "source_b,least_distance\r\n",
          to->file);
    for (uint64_t k = 0; k < result_get_info(r)->frames; k++) {
        TRY(pairs_csv_sum_frame(r, k, p, &sums, to));
        TRY(pairs_csv_write_frame(r, k, &sums, to));
    }
out:
    mem_free(m, sums.row);
    mem_free(m, p);
    return err;
}

int pairs_csv_write(mem *m, result_reader *r, text_output *to)
{
    int err = text_output_begin(to);
    if (err)
        return err;
    return text_output_end(to, result_get_info(r)->relations ? pairs_csv_write_relations(r, to)
                                                             : pairs_csv_write_frames(m, r, to));
}
