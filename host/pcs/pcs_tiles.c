/* See pcs_tiles.h. */
#include "pcs_tiles.h"

#include "error.h"
#include "pcs_motion.h"

#include <math.h>
#include <string.h>

/* Beyond that all is in the last tile. Tiles still ascend with coordinates, which is all that
 * finding a pair, and finding it once, needs. */
#define FARTHEST 0x1p62

/* ---- classes and tiles */

static double edge_of(const double box[6])
{
    const double x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
    return fmax(x, fmax(y, z));
}

/* 2^(class - 1) <= edge < 2^class. */
static int class_of(double edge)
{
    int class;
    if (!(edge <= DBL_MAX))
        return PCS_CLASS_MOST;
    frexp(edge, &class);
    return class < PCS_CLASS_LEAST ? PCS_CLASS_LEAST : class;
}

static int64_t tile_of(double x, int class)
{
    const double tile = floor(ldexp(x, -class));
    return (int64_t)(tile < -FARTHEST ? -FARTHEST : tile > FARTHEST ? FARTHEST : tile);
}

/* Multiplications may wrap: it is a hash. */
static uint32_t bucket_of(const pcs_tiles *t, const int64_t at[3], int class)
{
    uint64_t h = (uint64_t)(class - PCS_CLASS_LEAST);
    for (int k = 0; k < 3; k++) {
        h = (h ^ (uint64_t)at[k]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (uint32_t)h & (t->buckets - 1);
}

/* The tiles of a box in a class: first x y z, last. */
typedef struct tile_range {
    int64_t first[3], last[3];
} tile_range;

static tile_range range_of(const double box[6], int class)
{
    tile_range r;
    for (int k = 0; k < 3; k++) {
        r.first[k] = tile_of(box[k], class);
        r.last[k] = tile_of(box[3 + k], class);
    }
    return r;
}

/* The next tile of a range; 0: there is none. */
static int range_next(const tile_range *r, int64_t at[3])
{
    for (int k = 0; k < 3; k++) {
        if (at[k]++ < r->last[k])
            return 1;
        at[k] = r->first[k];
    }
    return 0;
}

/* ---- entries */

static void present_set(pcs_tiles *t, int class, int more)
{
    uint32_t *count = &t->in_class[class - PCS_CLASS_LEAST];
    const int was = *count > 0;
    *count += (uint32_t)more;
    if (was == (*count > 0))
        return;
    int i = 0;
    while (i < t->presents && t->present[i] < class)
        i++;
    const size_t after = (size_t)(t->presents - i);
    if (was)
        memmove(t->present + i, t->present + i + 1, (after - 1) * sizeof *t->present);
    else
        memmove(t->present + i + 1, t->present + i, after * sizeof *t->present);
    if (!was)
        t->present[i] = class;
    t->presents += was ? -1 : 1;
}

static void link_tile(pcs_tiles *t, uint32_t entry, int class)
{
    uint32_t *bucket = t->bucket + bucket_of(t, t->tile[entry].at, class);
    t->tile[entry].next = *bucket;
    *bucket = entry;
}

static void fill_tile(pcs_tiles *t, uint32_t entry, uint32_t body, const int64_t at[3])
{
    pcs_tile *e = &t->tile[entry];
    memcpy(e->at, at, sizeof e->at);
    memcpy(e->box, t->box[body], sizeof e->box);
    e->body = body;
}

/* Twice the buckets: about one for each entry. */
static int buckets_grow(mem *m, pcs_tiles *t)
{
    uint32_t *bucket;
    const uint32_t buckets = t->buckets ? 2 * t->buckets : 1024;
    int err = mem_alloc(m, buckets * sizeof *bucket, &bucket);
    if (err)
        return err;
    uint32_t *old = t->bucket;
    const uint32_t olds = t->buckets;
    t->bucket = memset(bucket, 0xff, buckets * sizeof *bucket); /* PCS_NO_TILE */
    t->buckets = buckets;
    for (uint32_t i = 0; i < olds; i++)
        for (uint32_t e = old[i], next; e != PCS_NO_TILE; e = next) {
            next = t->tile[e].next;
            link_tile(t, e, t->class[t->tile[e].body]);
        }
    mem_free(m, old);
    return IMP_OK;
}

/* A free entry: one that was given back, or a new one. */
static int tile_new(mem *m, pcs_tiles *t, uint32_t *out)
{
    int err = 0;
    if (t->spare != PCS_NO_TILE) {
        *out = t->spare;
        t->spare = t->tile[*out].next;
        return IMP_OK;
    }
    TRY(mem_fit(m, t->tiles, &t->capacity, sizeof *t->tile, &t->tile));
    if (t->tiles >= t->buckets)
        TRY(buckets_grow(m, t));
    *out = (uint32_t)t->tiles++;
out:
    return err;
}

static int put_in(mem *m, pcs_tiles *t, uint32_t body, int class)
{
    int err = 0;
    const tile_range r = range_of(t->box[body], class);
    int64_t at[3];
    memcpy(at, r.first, sizeof at);
    t->class[body] = class;
    do {
        uint32_t entry;
        TRY(tile_new(m, t, &entry));
        fill_tile(t, entry, body, at);
        link_tile(t, entry, class);
    } while (range_next(&r, at));
    present_set(t, class, 1);
out:
    return err;
}

int pcs_tiles_put(mem *m, pcs_tiles *t, uint32_t body)
{
    const double edge = edge_of(t->box[body]);
    return put_in(m, t, body, edge > 0 || !t->presents ? class_of(edge) : t->present[0]);
}

static void unlink_tile(pcs_tiles *t, uint32_t body, const int64_t at[3], int class)
{
    uint32_t *link = t->bucket + bucket_of(t, at, class);
    while (t->tile[*link].body != body || memcmp(t->tile[*link].at, at, sizeof t->tile->at) != 0)
        link = &t->tile[*link].next;
    const uint32_t entry = *link;
    *link = t->tile[entry].next;
    t->tile[entry].next = t->spare;
    t->spare = entry;
}

void pcs_tiles_take(pcs_tiles *t, uint32_t body)
{
    const int class = t->class[body];
    const tile_range r = range_of(t->box[body], class);
    int64_t at[3];
    memcpy(at, r.first, sizeof at);
    do
        unlink_tile(t, body, at, class);
    while (range_next(&r, at));
    present_set(t, class, -1);
}

/* ---- all at once: the entries of a bucket side by side */

/* Classes of all bodies; returns the number of their entries. */
static size_t classify(pcs_tiles *t)
{
    double least = INFINITY;
    size_t entries = 0;
    for (uint32_t i = 0; i < t->bodies; i++)
        least = edge_of(t->box[i]) > 0 ? fmin(least, edge_of(t->box[i])) : least;
    for (uint32_t i = 0; i < t->bodies; i++) {
        const double edge = edge_of(t->box[i]);
        t->class[i] = class_of(edge > 0 ? edge : least);
        const tile_range r = range_of(t->box[i], t->class[i]);
        size_t all = 1;
        for (int k = 0; k < 3; k++)
            all *= (size_t)(r.last[k] - r.first[k] + 1);
        entries += all;
        present_set(t, t->class[i], 1);
    }
    return entries;
}

/* Counts the entries of each bucket, or, from where each begins, places them. */
static void spread(pcs_tiles *t, int place)
{
    for (uint32_t i = 0; i < t->bodies; i++) {
        const tile_range r = range_of(t->box[i], t->class[i]);
        int64_t at[3];
        memcpy(at, r.first, sizeof at);
        do {
            const uint32_t entry = t->bucket[bucket_of(t, at, t->class[i])]++;
            if (place)
                fill_tile(t, entry, i, at);
        } while (range_next(&r, at));
    }
}

/* From counts to first places. */
static void begin_buckets(pcs_tiles *t)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < t->buckets; i++) {
        const uint32_t count = t->bucket[i];
        t->bucket[i] = first;
        first += count;
    }
}

/* Each bucket has its end, which is where the next one begins. */
static void link_buckets(pcs_tiles *t)
{
    for (uint32_t i = t->buckets; i--;) {
        const uint32_t first = i ? t->bucket[i - 1] : 0, end = t->bucket[i];
        for (uint32_t e = first; e < end; e++)
            t->tile[e].next = e + 1 < end ? e + 1 : PCS_NO_TILE;
        t->bucket[i] = first < end ? first : PCS_NO_TILE;
    }
}

/* Room for all of them, of which nothing is kept. */
static int make_room(mem *m, pcs_tiles *t, size_t entries)
{
    int err = 0;
    uint32_t buckets = t->buckets ? t->buckets : 1024;
    while (buckets < entries)
        buckets *= 2;
    if (buckets > t->buckets)
        TRY(mem_grow(m, 0, buckets * sizeof *t->bucket, &t->bucket));
    t->buckets = buckets;
    if (entries > t->capacity) {
        TRY(mem_grow(m, 0, entries * sizeof *t->tile, &t->tile));
        t->capacity = entries;
    }
    t->tiles = entries;
    memset(t->bucket, 0, t->buckets * sizeof *t->bucket);
out:
    return err;
}

int pcs_tiles_make(mem *m, pcs_tiles *t, const double (*box)[6], uint32_t bodies)
{
    int err = 0;
    if (!t->class || bodies > t->bodies)
        TRY(mem_grow(m, 0, bodies * sizeof *t->class, &t->class));
    t->bodies = bodies;
    t->box = box;
    t->spare = PCS_NO_TILE;
    t->presents = 0;
    memset(t->in_class, 0, sizeof t->in_class);
    TRY(make_room(m, t, classify(t)));
    spread(t, 0);
    begin_buckets(t);
    spread(t, 1);
    link_buckets(t);
out:
    return err;
}

void pcs_tiles_free(mem *m, pcs_tiles *t)
{
    mem_free(m, t->class);
    mem_free(m, t->bucket);
    mem_free(m, t->tile);
    *t = (pcs_tiles){0};
}

/* ---- pairs */

int pcs_pairs_add(mem *m, pcs_pairs *p, uint32_t a, uint32_t b)
{
    int err = mem_fit(m, p->count, &p->capacity, sizeof *p->at, &p->at);
    if (err)
        return err;
    p->at[p->count][0] = a < b ? a : b;
    p->at[p->count++][1] = a < b ? b : a;
    return IMP_OK;
}

/* The lower corner of the boxes' intersection is in this tile. */
static int owns(const double a[6], const double b[6], const int64_t at[3], int class)
{
    for (int k = 0; k < 3; k++)
        if (tile_of(a[k] > b[k] ? a[k] : b[k], class) != at[k])
            return 0;
    return 1;
}

/* The partners in one tile. first: of its own class only those with greater numbers. */
static int look_into(mem *m, const pcs_tiles *t, uint32_t body, const int64_t at[3], int class,
                     int first, pcs_pairs *out)
{
    int err = 0;
    const double *box = t->box[body];
    for (uint32_t e = t->bucket[bucket_of(t, at, class)]; e != PCS_NO_TILE; e = t->tile[e].next) {
        const uint32_t other = t->tile[e].body;
        if (t->class[other] != class || memcmp(t->tile[e].at, at, sizeof t->tile->at) != 0 ||
            (first && class == t->class[body] ? other <= body : other == body) ||
            !pcs_boxes_meet(box, t->tile[e].box) || !owns(box, t->tile[e].box, at, class))
            continue;
        TRY(pcs_pairs_add(m, out, body, other));
    }
out:
    return err;
}

static int look_in_class(mem *m, const pcs_tiles *t, uint32_t body, int class, int first,
                         pcs_pairs *out)
{
    int err = 0;
    const tile_range r = range_of(t->box[body], class);
    int64_t at[3];
    memcpy(at, r.first, sizeof at);
    do
        TRY(look_into(m, t, body, at, class, first, out));
    while (range_next(&r, at));
out:
    return err;
}

/* In its own class and larger ones. */
static int look_up(mem *m, const pcs_tiles *t, uint32_t body, int first, pcs_pairs *out)
{
    int err = 0;
    for (int i = 0; i < t->presents; i++)
        if (t->present[i] >= t->class[body])
            TRY(look_in_class(m, t, body, t->present[i], first, out));
out:
    return err;
}

int pcs_tiles_all(mem *m, const pcs_tiles *t, pcs_pairs *out)
{
    int err = 0;
    for (uint32_t i = 0; i < t->bodies; i++)
        TRY(look_up(m, t, i, 1, out));
out:
    return err;
}

/* Tiles of smaller classes that its box covers, and at most the number of bodies. */
static uint64_t smaller_tiles(const pcs_tiles *t, uint32_t body)
{
    double tiles = 0;
    for (int i = 0; i < t->presents && t->present[i] < t->class[body]; i++) {
        const tile_range r = range_of(t->box[body], t->present[i]);
        double all = 1;
        for (int k = 0; k < 3; k++)
            all *= (double)r.last[k] - (double)r.first[k] + 1;
        tiles += all;
    }
    return tiles < t->bodies ? (uint64_t)tiles : t->bodies;
}

/* Those that would have found it. A large body covers many small tiles: where these are more than
 * bodies, all of them are compared. */
static int look_down(mem *m, const pcs_tiles *t, uint32_t body, pcs_pairs *out)
{
    int err = 0;
    if (smaller_tiles(t, body) < t->bodies) {
        for (int i = 0; i < t->presents && t->present[i] < t->class[body]; i++)
            TRY(look_in_class(m, t, body, t->present[i], 0, out));
        return IMP_OK;
    }
    for (uint32_t i = 0; i < t->bodies; i++)
        if (t->class[i] < t -> class[body] && pcs_boxes_meet(t->box[i], t->box[body]))
            TRY(pcs_pairs_add(m, out, i, body));
out:
    return err;
}

int pcs_tiles_of(mem *m, const pcs_tiles *t, uint32_t body, pcs_pairs *out)
{
    const int err = look_up(m, t, body, 0, out);
    return err ? err : look_down(m, t, body, out);
}

/* By one of the two numbers, those that are equal in their order. */
static void sort_by(const uint32_t (*from)[2], size_t count, int side, size_t *start,
                    uint32_t bodies, uint32_t (*to)[2])
{
    memset(start, 0, ((size_t)bodies + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[from[i][side] + 1]++;
    for (uint32_t i = 0; i < bodies; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < count; i++)
        memcpy(to[start[from[i][side]]++], from[i], sizeof *to);
}

int pcs_pairs_sort(mem *m, pcs_pairs *p, uint32_t bodies)
{
    int err = 0;
    size_t *start = NULL;
    uint32_t(*other)[2] = NULL;
    TRY(mem_alloc(m, ((size_t)bodies + 1) * sizeof *start, &start));
    TRY(mem_alloc(m, p->count * sizeof *other, &other));
    sort_by((const uint32_t(*)[2])p->at, p->count, 1, start, bodies, other);
    sort_by((const uint32_t(*)[2])other, p->count, 0, start, bodies, p->at);
out:
    mem_free(m, start);
    mem_free(m, other);
    return err;
}
