/* The sink of the Python package: it appends the columns of contact.def to arrays that Python takes
 * over as they are. */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns */

/* Where a column's pointer is in imp_contacts, and the bytes of a row. */
static const struct {
    size_t at, bytes;
} columns[] = {
#define CONTACT(name, type, values, ...) {offsetof(imp_contacts, name), values * sizeof(type)},
#include "contact.def"
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* Pointers of several types, so neither is read as the other. */
static void *column_get(const imp_contacts *view, size_t at)
{
    void *array;
    memcpy(&array, (const char *)view + at, sizeof array);
    return array;
}

static void column_set(imp_contacts *view, size_t at, const void *array)
{
    memcpy((char *)view + at, &array, sizeof array);
}

/* Room for `count` rows of this size; also less than before. */
static int resize(imp_contacts *view, size_t at, size_t count, size_t bytes)
{
    void *array =
        count < SIZE_MAX / bytes ? realloc(column_get(view, at), count * bytes + 1) : NULL;
    if (!array)
        return imp_set_error(IMP_ERR_MEMORY, "no memory for the contacts");
    column_set(view, at, array);
    return IMP_OK;
}

static const size_t first_at = offsetof(imp_contacts, collision_first);
static const size_t collision_at = offsetof(imp_contacts, collision);
#define COLLISION_BYTES (3 * sizeof(double))

/* The columns that `like` has. */
static int rows_resize(rows *r, const imp_contacts *like, size_t room)
{
    int err = IMP_OK;
    for (size_t c = 0; c < COLUMNS && !err; c++)
        if (column_get(like, columns[c].at))
            err = resize(&r->view, columns[c].at, room, columns[c].bytes);
    if (like->collision_first && !err)
        err = resize(&r->view, first_at, room + 1, sizeof(uint64_t));
    r->room = err ? r->room : room;
    return err;
}

static int collision_resize(rows *r, size_t room)
{
    int err = resize(&r->view, collision_at, room, COLLISION_BYTES);
    r->collision_room = err ? r->collision_room : room;
    return err;
}

static uint64_t collisions(const rows *r)
{
    return r->view.count ? r->view.collision_first[r->view.count] : 0;
}

/* ---- the sink */

/* The first row of a part may begin anywhere among its collision points. */
static int collisions_append(rows *r, const imp_contacts *part)
{
    uint64_t have = collisions(r), from = part->collision_first[0];
    size_t more = part->collision_first[part->count] - from, all = have + more;
    if (all > r->collision_room && collision_resize(r, all + all / 2))
        return IMP_ERR_MEMORY;
    if (more)
        memcpy((char *)column_get(&r->view, collision_at) + have * COLLISION_BYTES,
               part->collision + 3 * from, more * COLLISION_BYTES);
    uint64_t *first = (uint64_t *)column_get(&r->view, first_at) + r->view.count;
    for (size_t i = 0; i <= part->count; i++)
        first[i] = part->collision_first[i] - from + have;
    return IMP_OK;
}

static int rows_append(rows *r, const imp_contacts *part)
{
    size_t have = r->view.count, all = have + part->count;
    if (all > r->room && rows_resize(r, part, all + all / 2))
        return IMP_ERR_MEMORY;
    if (part->collision_first && collisions_append(r, part))
        return IMP_ERR_MEMORY;
    for (size_t c = 0; c < COLUMNS; c++) {
        const void *from = column_get(part, columns[c].at);
        char *to = column_get(&r->view, columns[c].at);
        if (from)
            memcpy(to + have * columns[c].bytes, from, part->count * columns[c].bytes);
    }
    r->view.count = all;
    return IMP_OK;
}

int rows_sink(void *user, const imp_contacts *part)
{
    return rows_append((rows *)user + part->frame, part);
}

/* ---- arrays */

/* Gives back what is not used. An array that cannot get smaller stays as it is. */
void rows_trim(rows *r, size_t frames)
{
    for (size_t f = 0; f < frames; f++) {
        if (!r[f].view.count)
            continue;
        rows_resize(r + f, &r[f].view, r[f].view.count);
        if (r[f].view.collision)
            collision_resize(r + f, collisions(r + f));
    }
}

void rows_free(rows *r, size_t frames)
{
    for (size_t f = 0; f < frames; f++) {
        for (size_t c = 0; c < COLUMNS; c++)
            free(column_get(&r[f].view, columns[c].at));
        free(column_get(&r[f].view, first_at));
        free(column_get(&r[f].view, collision_at));
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

/* ---- a hash */

#define LANES 4 /* which a processor multiplies at a time */
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
