/* See columns.h. */
#include "columns.h"

#include "error.h"

#include <string.h>

#define ITEMS_EXPECTED 8 /* items in a row of a column of varying length */

/* ---- tables and row structs */

column_set columns_when(const column_table *t, const imp_def *def)
{
    column_set set = 0;
    for (int c = 0; c < t->count; c++)
        if (!t->column[c].when || t->column[c].when(def))
            set |= (column_set)1 << c;
    return set;
}

size_t column_bytes(const column_def *c)
{
    return c->width * column_value_bytes(c->type);
}

/* Copies the bits: C does not allow access to a pointer through another pointer type. */
static const void *pointer_get(const void *rows, size_t at)
{
    const void *p;
    memcpy(&p, (const char *)rows + at, sizeof p);
    return p;
}

static void pointer_put(void *rows, size_t at, const void *p)
{
    memcpy((char *)rows + at, &p, sizeof p);
}

const void *column_values(const column_def *c, const void *rows)
{
    return pointer_get(rows, c->at);
}

const uint64_t *column_first(const column_def *c, const void *rows)
{
    return pointer_get(rows, c->first_at);
}

column_set columns_present(const column_table *t, const void *rows)
{
    column_set out = 0;
    for (int c = 0; c < t->count; c++) {
        const column_def *k = &t->column[c];
        if (k->first_at ? (const void *)column_first(k, rows) : column_values(k, rows))
            out |= COLUMN_BIT(c);
    }
    return out;
}

/* In a column of varying length only `first` moves, since it locates the values. */
void columns_skip(const column_table *t, void *rows, size_t count)
{
    for (int c = 0; c < t->count; c++) {
        const column_def *k = &t->column[c];
        const char *values = column_values(k, rows);
        if (values && k->first_at)
            pointer_put(rows, k->first_at, column_first(k, rows) + count);
        else if (values)
            pointer_put(rows, k->at, values + count * column_bytes(k));
    }
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *c = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ c[i]) * UINT64_C(1099511628211);
    return h;
}

static uint64_t hash_row(const column_def *c, const void *rows, size_t i, uint64_t h)
{
    const char *values = column_values(c, rows);
    size_t bytes = column_bytes(c);
    if (!values)
        return h;
    if (!c->first_at)
        return hash_bytes(h, values + i * bytes, bytes);
    const uint64_t *first = column_first(c, rows);
    uint64_t items = first[i + 1] - first[i];
    h = hash_bytes(h, &items, sizeof items); /* else ends of rows would be ambiguous */
    return hash_bytes(h, values + first[i] * bytes, items * bytes);
}

/* Row by row, so that the hash does not depend on the division into pieces. */
uint64_t columns_hash(const column_table *t, const void *rows, size_t count, uint64_t h)
{
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < t->count; c++)
            h = hash_row(&t->column[c], rows, i, h);
    return h;
}

/* ---- rows in memory */

/* An estimate for columns of varying length; a column with more items grows. */
size_t columns_row_bytes(const column_table *t, column_set set)
{
    size_t bytes = 0;
    for (int c = 0; c < t->count; c++)
        if (column_in(set, c) && t->column[c].first_at)
            bytes += sizeof(uint64_t) + ITEMS_EXPECTED * column_bytes(&t->column[c]);
        else if (column_in(set, c))
            bytes += column_bytes(&t->column[c]);
    return bytes;
}

/* Columns with the largest values are first, so that all are aligned without gaps. Offsets, of
 * eight bytes each, precede all values. */
static void columns_lay_out(column_rows *r)
{
    char *at = r->memory;
    for (int c = 0; c < r->table->count; c++)
        if (column_in(r->set, c) && r->table->column[c].first_at) {
            r->first[c] = (uint64_t *)(void *)at;
            r->first[c][0] = 0;
            at += (r->capacity + 1) * sizeof(uint64_t);
        }
    for (size_t width = 8; width; width /= 2)
        for (int c = 0; c < r->table->count; c++) {
            const column_def *k = &r->table->column[c];
            if (!column_in(r->set, c) || column_value_bytes(k->type) != width)
                continue;
            r->items[c] = k->first_at ? ITEMS_EXPECTED * r->capacity : r->capacity;
            r->value[c] = at;
            at += r->items[c] * column_bytes(k);
        }
}

/* 0 if the product would overflow: columns_open reports it. */
size_t columns_bytes(const column_table *t, column_set set, size_t capacity)
{
    size_t row = columns_row_bytes(t, set), firsts = 0;
    for (int c = 0; c < t->count; c++)
        firsts += t->column[c].first_at > 0; /* offsets have an end as well */
    return row && capacity > SIZE_MAX / 2 / row ? 0 : capacity * row + firsts * sizeof(uint64_t);
}

int columns_open(mem *m, const column_table *t, column_set set, size_t capacity, column_rows *out)
{
    int err = IMP_OK;
    size_t bytes = columns_bytes(t, set, capacity);
    /* Set before anything can fail, so that it can always be closed. */
    *out = (column_rows){.table = t, .set = set, .capacity = capacity, .mem = m};
    if (!bytes && capacity)
        FAIL(IMP_ERR_MEMORY, "out of memory: %zu rows of %zu bytes", capacity,
             columns_row_bytes(t, set));
    TRY(mem_alloc(m, bytes, &out->memory));
    columns_lay_out(out);
out:
    return err;
}

void columns_place(mem *m, const column_table *t, column_set set, size_t capacity, void *memory,
                   column_rows *out)
{
    *out = (column_rows){.table = t, .set = set, .capacity = capacity, .mem = m, .memory = memory};
    columns_lay_out(out);
    out->memory = NULL; /* the caller's, not to be freed */
}

void columns_close(column_rows *r)
{
    for (int c = 0; r->table && c < r->table->count; c++)
        mem_free(r->mem, r->grown[c]);
    if (r->mem)
        mem_free(r->mem, r->memory);
    *r = (column_rows){0};
}

/* This suffices for columns of varying length: their first offset is always 0. */
void columns_clear(column_rows *r)
{
    r->count = 0;
}

/* The number of leading rows with at most `items` items in total. */
static size_t rows_within(const uint64_t *first, size_t count, uint64_t items)
{
    size_t n = 0;
    while (n < count && first[n + 1] - first[0] <= items)
        n++;
    return n;
}

/* For columns that a stage does not make, which would show old memory. */
void columns_zero(column_rows *r, column_set except)
{
    for (int c = 0; c < r->table->count; c++) {
        if (!column_in(r->set & ~except, c))
            continue;
        if (r->first[c])
            memset(r->first[c], 0, (r->capacity + 1) * sizeof *r->first[c]);
        else if (r->value[c])
            memset(r->value[c], 0, r->capacity * column_bytes(&r->table->column[c]));
    }
}

size_t columns_fit(const column_rows *r, const void *rows, size_t count)
{
    size_t capacity = r->capacity - r->count, fit = count < capacity ? count : capacity;
    for (int c = 0; c < r->table->count; c++) {
        const column_def *k = &r->table->column[c];
        if (column_in(r->set, c) && k->first_at && r->first[c] && fit)
            fit = rows_within(column_first(k, rows), fit, r->items[c] - r->first[c][r->count]);
    }
    /* A row with more items than expected is added to empty rows alone: columns_reserve makes space
     * for it. */
    return !fit && !r->count && count && capacity ? 1 : fit;
}

/* `memory` is one block for all columns, so a column that grows gets a block of its own. */
int columns_reserve(column_rows *r, int c, uint64_t items)
{
    int err = IMP_OK;
    void *more;
    size_t bytes = column_bytes(&r->table->column[c]);
    if (items <= r->items[c])
        return IMP_OK;
    if (items > SIZE_MAX / bytes)
        FAIL(IMP_ERR_MEMORY, "out of memory: %llu items", (unsigned long long)items);
    TRY(mem_alloc(r->mem, items * bytes, &more));
    memcpy(more, r->value[c], r->first[c][r->count] * bytes);
    mem_free(r->mem, r->grown[c]);
    r->grown[c] = r->value[c] = more;
    r->items[c] = items;
out:
    return err;
}

static int append_items(column_rows *r, int c, const void *values, const uint64_t *from,
                        size_t count)
{
    const column_def *k = &r->table->column[c];
    uint64_t *to = r->first[c] + r->count, items = from[count] - from[0];
    size_t bytes = column_bytes(k);
    const uint64_t all = to[0] + items;
    /* collected rows grow by half; a single long row gets exactly its length */
    int err = columns_reserve(r, c, to[0] && all > r->items[c] ? all + all / 2 : all);
    if (err)
        return err;
    memcpy(r->value[c] + to[0] * bytes, (const char *)values + from[0] * bytes, items * bytes);
    /* The source may begin anywhere among its items; these continue behind the last row. */
    for (size_t i = 1; i <= count; i++)
        to[i] = to[0] + (from[i] - from[0]);
    return IMP_OK;
}

int columns_append_values(column_rows *r, int c, const void *values, const uint64_t *first,
                          size_t count)
{
    const column_def *k = &r->table->column[c];
    const size_t bytes = column_bytes(k);
    /* The rows have another set: leaving the column out would shift all rows after it. */
    if (!values)
        return imp_fail(IMP_ERR_ARGUMENT, "rows without their column '%s'", k->name);
    if (first)
        return append_items(r, c, values, first, count);
    memcpy(r->value[c] + r->count * bytes, values, count * bytes);
    return IMP_OK;
}

static int columns_append_all(column_rows *r, const void *rows, size_t count, int incomplete)
{
    int err = IMP_OK;
    for (int c = 0; c < r->table->count; c++) {
        const column_def *k = &r->table->column[c];
        const uint64_t *first = k->first_at ? column_first(k, rows) : NULL;
        const void *values = column_values(k, rows);
        const size_t bytes = column_bytes(k);
        if (column_in(r->set, c) && incomplete && !values && !k->first_at)
            memset(r->value[c] + r->count * bytes, 0, count * bytes);
        else if (column_in(r->set, c))
            TRY(columns_append_values(r, c, values, first, count));
    }
    /* Counted last: after an error in one column no row has been added. */
    r->count += count;
out:
    return err;
}

int columns_append(column_rows *r, const void *rows, size_t count)
{
    return columns_append_all(r, rows, count, 0);
}

int columns_append_incomplete(column_rows *r, const void *rows, size_t count)
{
    return columns_append_all(r, rows, count, 1);
}

void columns_put(column_rows *r, size_t i, const column_rows *from, size_t j)
{
    for (int c = 0; c < r->table->count; c++) {
        const size_t bytes = column_bytes(&r->table->column[c]);
        if (!column_in(r->set, c) || r->table->column[c].first_at)
            continue;
        if (from->value[c])
            memcpy(r->value[c] + i * bytes, from->value[c] + j * bytes, bytes);
        else
            memset(r->value[c] + i * bytes, 0, bytes);
    }
}

column_rows columns_range(const column_rows *r, size_t first, size_t count)
{
    column_rows out = *r;
    out.count = out.capacity = count;
    out.memory = NULL;
    for (int c = 0; c < r->table->count; c++) {
        out.grown[c] = NULL;
        if (out.first[c])
            out.first[c] += first;
        else if (out.value[c])
            out.value[c] += first * column_bytes(&r->table->column[c]);
    }
    return out;
}

/* Columns that are not in the set become NULL. */
void columns_as_rows(const column_rows *r, void *rows)
{
    for (int c = 0; c < r->table->count; c++) {
        pointer_put(rows, r->table->column[c].at, r->value[c]);
        if (r->table->column[c].first_at)
            pointer_put(rows, r->table->column[c].first_at, r->first[c]);
    }
}

/* imp_contacts as generated from the table. The public one is written out, with comments, for users
 * of the library; if the two differed this would not compile. */
typedef struct made_contacts {
    size_t frame, count;
#define CONTACT(name, type, ...) const type *name;
#define VARYING(name, type, ...)                                                                   \
    const uint64_t *name##_first;                                                                  \
    const type *name;
#include "contact.def"
} made_contacts;

#define SAME(type, name)                                                                           \
    _Static_assert(offsetof(imp_contacts, name) == offsetof(made_contacts, name),                  \
                   "imp_contacts." #name " has another position in contact.def");                  \
    _Static_assert(_Generic(((imp_contacts *)NULL)->name, const type * : 1, default : 0),          \
                   "imp_contacts." #name " has another type in contact.def");
#define CONTACT(name, type, ...) SAME(type, name)
#define VARYING(name, type, ...)                                                                   \
    SAME(uint64_t, name##_first)                                                                   \
    SAME(type, name)
#include "contact.def"
_Static_assert(sizeof(imp_contacts) == sizeof(made_contacts),
               "imp_contacts has a column that contact.def lacks");
_Static_assert(CONTACT_COLUMNS <= COLUMNS_MOST, "COLUMNS_MOST is too small");

/* The table has all columns; `when` leaves out those that a run lacks. */
static const column_def contact_column[] = {
#define CONTACT(name, type, values, when, ...)                                                     \
    {#name, COLUMN_TYPE(type), values, offsetof(imp_contacts, name), 0, when_##when},
#define VARYING(name, type, values, when, ...)                                                     \
    {#name,                                                                                        \
     COLUMN_TYPE(type),                                                                            \
     values,                                                                                       \
     offsetof(imp_contacts, name),                                                                 \
     offsetof(imp_contacts, name##_first),                                                         \
     when_##when},
#include "contact.def"
};

const column_table contact_table = {contact_column, CONTACT_COLUMNS};

/* Parts keep their memory for later rows. */
void contact_rows_open(mem *m, column_set set, contact_rows *r)
{
    r->mem = m;
    r->set = set;
    for (size_t i = 0; i < r->used; i++)
        columns_clear(&r->part[i]);
    r->used = 0;
    r->count = 0;
}

/* Rows that were never opened have no parts and no memory. */
void contact_rows_free(contact_rows *r)
{
    for (size_t i = 0; i < r->parts; i++)
        columns_close(&r->part[i]);
    mem_free(r->mem, r->part);
    *r = (contact_rows){0};
}

/* Parts have a fixed size, so that rows never move when more are added. */
static int contact_rows_part_open(contact_rows *r)
{
    int err = IMP_OK;
    if (r->used < r->parts) {
        r->used++;
        return IMP_OK;
    }
    TRY(mem_fit(r->mem, r->parts, &r->capacity, sizeof *r->part, &r->part));
    r->part[r->parts] = (column_rows){0};
    TRY(columns_open(r->mem, &contact_table, r->set, CONTACT_ROWS_PART, &r->part[r->parts]));
    r->used = ++r->parts;
out:
    return err;
}

int contact_rows_add(contact_rows *r, const imp_contacts *c)
{
    int err = IMP_OK;
    imp_contacts rest = *c;
    while (rest.count) {
        size_t fit = r->used ? columns_fit(&r->part[r->used - 1], &rest, rest.count) : 0;
        if (!fit) {
            /* Not even one row fits in the last part. In an empty part one always does:
             * columns_fit. */
            TRY(contact_rows_part_open(r));
            continue;
        }
        TRY(columns_append(&r->part[r->used - 1], &rest, fit));
        columns_skip(&contact_table, &rest, fit);
        rest.count -= fit;
        r->count += fit;
    }
out:
    return err;
}

int contact_rows_more(contact_rows *r, size_t count, column_set mine)
{
    int err = IMP_OK;
    for (size_t left = count; left; left -= r->part[r->used - 1].count) {
        TRY(contact_rows_part_open(r));
        column_rows *part = &r->part[r->used - 1];
        columns_zero(part, mine);
        part->count = left < CONTACT_ROWS_PART ? left : CONTACT_ROWS_PART;
        r->count += part->count;
    }
out:
    return err;
}

int contact_more(contact_cursor *at)
{
    while (!at->rest.count) {
        if (!at->rows || at->part == at->rows->used)
            return 0;
        /* The row struct has all columns; missing ones are NULL. */
        const column_rows *part = &at->rows->part[at->part++];
        at->rest = (imp_contacts){.count = part->count};
        columns_as_rows(part, &at->rest);
    }
    return 1;
}

void contact_skip(contact_cursor *at, size_t rows)
{
    columns_skip(&contact_table, &at->rest, rows);
    at->rest.count -= rows;
}

/* The number of leading rows of x that precede the first row of y. No bisection: if the lists
 * interleave, runs are short. */
static size_t contact_rows_before(const imp_contacts *x, const imp_contacts *y)
{
    size_t n = 0;
    while (n < x->count && contact_before(x, n, y, 0))
        n++;
    return n;
}

/* Merges whole runs: one copy of a run costs far less than copies of its rows. */
int contact_merge(contact_cursor *x, contact_cursor *y, imp_contacts *run, int *of_x)
{
    const int more_x = contact_more(x), more_y = contact_more(y);
    if (!more_x && !more_y)
        return 0;
    const int first_y = more_y && (!more_x || contact_before(&y->rest, 0, &x->rest, 0));
    *of_x = !first_y;
    contact_cursor *from = first_y ? y : x, *other = first_y ? x : y;
    *run = from->rest;
    if (more_x && more_y) {
        size_t n = contact_rows_before(&from->rest, &other->rest);
        run->count = n ? n : 1; /* the same pair in both: that of x is first */
    }
    contact_skip(from, run->count);
    return 1;
}
