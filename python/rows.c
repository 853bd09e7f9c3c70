/* The sink of the Python package: it appends the columns of contact.def to arrays that Python takes
 * over as they are. */
#include "calls.h"
#include "columns.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns */

static const rows_column columns[] = {
#define CONTACT(name, type, values, when, group, file, ...)                                        \
    {#name, #group, file, NULL, values, 0, when_##when},
#define DERIVED(name, of, rule, when, group, file, ...)                                            \
    {#name, #group, file, NULL, 1, 1, when_##when},
#define VARYING(name, type, values, when, group, file, file_first, ...)                            \
    {#name, #group, file, file_first, values, 0, when_##when},
#include "contact.def"
};

const rows_column *rows_column_at(size_t index)
{
    return index < sizeof columns / sizeof *columns ? &columns[index] : NULL;
}

_Static_assert(CONTACT_COLUMNS <= sizeof((rows *)NULL)->item_room / sizeof(size_t),
               "rows.item_room");

/* Pointers of several types, so neither is read as the other. */
static void *array_get(const imp_contacts *view, size_t at)
{
    void *array;
    memcpy(&array, (const char *)view + at, sizeof array);
    return array;
}

static void array_set(imp_contacts *view, size_t at, const void *array)
{
    memcpy((char *)view + at, &array, sizeof array);
}

/* Room for `count` items of this size, of which the first `used` stay; also less than before. A new
 * array is on huge pages: with small ones the page faults of its first writes take longer than all
 * else. */
static int array_resize(imp_contacts *view, size_t at, size_t used, size_t count, size_t bytes)
{
    void *old = array_get(view, at), *array = NULL;
    if (count < SIZE_MAX / bytes)
        array = used == count ? realloc(old, count * bytes + 1) : mem_uncounted(count * bytes + 1);
    if (!array)
        return imp_set_error(IMP_ERR_MEMORY, "no memory for the contacts");
    if (used != count) {
        if (used)
            memcpy(array, old, used * bytes);
        free(old);
    }
    array_set(view, at, array);
    return IMP_OK;
}

/* The columns that `like` has; of those of varying length where the items of each row begin. */
static int rows_resize(rows *r, const imp_contacts *like, size_t room)
{
    int err = IMP_OK;
    const size_t n = r->view.count;
    for (int c = 0; c < CONTACT_COLUMNS && !err; c++) {
        const column_def *k = &contact_table.column[c];
        if (k->first_at && column_first(k, like))
            err = array_resize(&r->view, k->first_at, n ? n + 1 : 0, room + 1, sizeof(uint64_t));
        else if (!k->first_at && column_values(k, like))
            err = array_resize(&r->view, k->at, n, room, column_bytes(k));
    }
    r->room = err ? r->room : room;
    return err;
}

static int items_resize(rows *r, int c, size_t used, size_t room)
{
    const column_def *k = &contact_table.column[c];
    int err = array_resize(&r->view, k->at, used, room, column_bytes(k));
    r->item_room[c] = err ? r->item_room[c] : room;
    return err;
}

static uint64_t items(const rows *r, const column_def *k)
{
    return r->view.count ? column_first(k, &r->view)[r->view.count] : 0;
}

/* ---- the sink */

/* The first row of a part may begin anywhere among its items. */
static int items_append(rows *r, int c, const imp_contacts *part)
{
    const column_def *k = &contact_table.column[c];
    const uint64_t *part_first = column_first(k, part), have = items(r, k), from = part_first[0];
    const size_t bytes = column_bytes(k), more = part_first[part->count] - from, all = have + more;
    if (all > r->item_room[c] && items_resize(r, c, have, all + all / 2))
        return IMP_ERR_MEMORY;
    if (more)
        memcpy((char *)array_get(&r->view, k->at) + have * bytes,
               (const char *)column_values(k, part) + from * bytes, more * bytes);
    uint64_t *first = (uint64_t *)array_get(&r->view, k->first_at) + r->view.count;
    for (size_t i = 0; i <= part->count; i++)
        first[i] = part_first[i] - from + have;
    return IMP_OK;
}

static int column_append(rows *r, int c, const imp_contacts *part)
{
    const column_def *k = &contact_table.column[c];
    const size_t bytes = column_bytes(k);
    if (k->first_at)
        return column_first(k, part) ? items_append(r, c, part) : IMP_OK;
    if (column_values(k, part))
        memcpy((char *)array_get(&r->view, k->at) + r->view.count * bytes, column_values(k, part),
               part->count * bytes);
    return IMP_OK;
}

static int rows_append(rows *r, const imp_contacts *part)
{
    int err = IMP_OK;
    const size_t all = r->view.count + part->count;
    const size_t room = all + all / 2 > r->expected ? all + all / 2 : r->expected;
    if (all > r->room && rows_resize(r, part, room) && rows_resize(r, part, all))
        return IMP_ERR_MEMORY;
    for (int c = 0; c < CONTACT_COLUMNS && !err; c++)
        err = column_append(r, c, part);
    r->view.count = err ? r->view.count : all;
    return err;
}

int rows_sink(void *user, const imp_contacts *part)
{
    return rows_append((rows *)user + part->frame, part);
}

/* ---- relations */

/* In place of an array that may be there: a frame may come again. */
static int array_copy(void **to, const void *from, size_t bytes)
{
    free(*to);
    *to = bytes ? malloc(bytes) : NULL;
    if (bytes && !*to)
        return imp_set_error(IMP_ERR_MEMORY, "no memory for the relations");
    if (bytes)
        memcpy(*to, from, bytes);
    return IMP_OK;
}

int rows_relations(void *call, const imp_relations *found)
{
    rows *all = ((rows_call *)call)->rows;
    if (!all)
        return IMP_OK;
    rows *r = all + found->frame;
    void *relation = r->relation, *swallowed = r->swallowed;
    int err = array_copy(&relation, found->relation, found->count * sizeof *r->relation);
    r->relation = relation;
    r->relations = err ? 0 : found->count;
    if (err)
        return err;
    err = array_copy(&swallowed, found->swallowed, found->swallowed_count * sizeof *r->swallowed);
    r->swallowed = swallowed;
    r->swallowed_parts = err ? 0 : found->swallowed_count;
    r->closed = found->closed;
    r->open = found->open;
    return err;
}

/* ---- arrays */

static void items_trim(rows *r, int c)
{
    const size_t n = items(r, &contact_table.column[c]);
    items_resize(r, c, n, n);
}

void rows_expect(rows *r, size_t frames, const rows_call *how)
{
    if (frames == 1)
        r->expected = how->most + how->most / 8;
}

/* Gives back what is not used. An array that cannot get smaller stays as it is. */
void rows_trim(rows *r, size_t frames, rows_call *how)
{
    how->most = 0;
    for (size_t f = 0; f < frames; f++) {
        if (!r[f].view.count)
            continue;
        how->most = r[f].view.count > how->most ? r[f].view.count : how->most;
        rows_resize(r + f, &r[f].view, r[f].view.count);
        for (int c = 0; c < CONTACT_COLUMNS; c++)
            if (contact_table.column[c].first_at &&
                array_get(&r[f].view, contact_table.column[c].at))
                items_trim(r + f, c);
    }
}

void rows_free(rows *r, size_t frames)
{
    for (size_t f = 0; f < frames; f++) {
        for (const column_def *k = contact_table.column; k < contact_table.column + CONTACT_COLUMNS;
             k++) {
            free(array_get(&r[f].view, k->at));
            if (k->first_at)
                free(array_get(&r[f].view, k->first_at));
        }
        free(r[f].relation);
        free(r[f].swallowed);
        r[f] = (rows){.room = 0};
    }
}

void rows_free_array(void *array)
{
    free(array);
}

/* ---- warnings */

void rows_note(void *notes, const char *line)
{
    rows_notes *n = notes;
    size_t length = strlen(line);
    if (n->used + length + 1 > sizeof n->text)
        return;
    memcpy(n->text + n->used, line, length);
    n->text[n->used + length] = '\n';
    n->used += length + 1;
}

/* ---- fewer bits */

/* A number is beyond the range where a difference to one of its ends is negative: only operations
 * that processors do for several numbers at a time. */
int rows_narrow(const int64_t *from, size_t count, int64_t least, int64_t most, void *to)
{
    const uint64_t low = (uint64_t)least, span = (uint64_t)most - low;
    uint32_t *narrow = to;
    uint64_t beyond = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t above = (uint64_t)from[i] - low;
        beyond |= above | (span - above);
        narrow[i] = (uint32_t)(uint64_t)from[i];
    }
    return !(beyond >> 63);
}

/* ---- a hash */

#define LANES 8 /* enough that no product waits for the one before it in its lane */
#define PRIME UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * PRIME;
    return h ^ h >> 29;
}

uint64_t rows_hash(const void *bytes, size_t count)
{
    uint64_t lane[LANES] = {1, 2, 3, 4}, word[LANES], h = count;
    const char *from = bytes;
    size_t done = 0;
    for (; done + sizeof word <= count; done += sizeof word) {
        memcpy(word, from + done, sizeof word);
        for (int i = 0; i < LANES; i++)
            lane[i] = mix(lane[i], word[i]);
    }
    memset(word, 0, sizeof word);
    if (done < count)
        memcpy(word, from + done, count - done);
    for (int i = 0; i < LANES; i++)
        h = mix(mix(h, lane[i]), word[i]);
    return h;
}
