/* See pcs_tiles.h. */
#include "pcs_tiles.h"

#include "error.h"
#include "pcs_curve.h"
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

/* One over the edge of its tiles. Bits are put together, since this is asked for each tile. */
static double scale_of(int class)
{
    double scale;
    const uint64_t bits = (uint64_t)(1023 - class) << 52;
    if (class >= 1023)
        return ldexp(1, -class); /* below the normal numbers */
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* The floor of x times the scale, without a call. */
static int64_t tile_of(double x, double scale)
{
    const double y = x * scale;
    if (!(y < FARTHEST))
        return (int64_t)FARTHEST;
    if (!(y > -FARTHEST))
        return (int64_t)-FARTHEST;
    const int64_t tile = (int64_t)y;
    return tile - ((double)tile > y);
}

/* Multiplications may wrap: it is a hash. */
static uint64_t hash_of(const int64_t at[3], int class)
{
    const uint64_t h = (uint64_t)at[0] * UINT64_C(0x9e3779b97f4a7c15) ^
                       (uint64_t)at[1] * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                       (uint64_t)at[2] * UINT64_C(0x165667b19e3779f9) ^
                       (uint64_t)(class - PCS_CLASS_LEAST) * UINT64_C(0xd6e8feb86659fd93);
    return (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* The lower bits of a tile's hash are its tag, the upper ones its bucket. */
static uint32_t bucket_of(const pcs_tiles *t, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & (t->buckets - 1);
}

/* The tiles of a box in a class: first x y z, last. */
typedef struct tile_range {
    int64_t first[3], last[3];
} tile_range;

static tile_range range_of(const double box[6], int class)
{
    tile_range r;
    const double scale = scale_of(class);
    for (int k = 0; k < 3; k++) {
        r.first[k] = tile_of(box[k], scale);
        r.last[k] = tile_of(box[3 + k], scale);
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
    pcs_tile *tile = t->tile + entry;
    const uint64_t hash = hash_of(tile->at, class);
    uint32_t *bucket = t->bucket + bucket_of(t, hash);
    tile->tag = (uint32_t)hash;
    tile->next = *bucket;
    *bucket = entry;
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
        memcpy(t->tile[entry].at, at, sizeof at);
        t->tile[entry].body = body;
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
    uint32_t *link = t->bucket + bucket_of(t, hash_of(at, class));
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

int pcs_tiles_make(mem *m, pcs_tiles *t, const double (*box)[6], uint32_t bodies)
{
    int err = 0;
    if (bodies > t->bodies) {
        TRY(mem_grow(m, 0, bodies * sizeof *t->class, &t->class));
        TRY(mem_grow(m, 0, bodies * sizeof *t->order, &t->order));
    }
    t->bodies = bodies > t->bodies ? bodies : t->bodies;
    t->box = box;
    t->tiles = 0;
    t->spare = PCS_NO_TILE;
    t->presents = 0;
    memset(t->in_class, 0, sizeof t->in_class);
    if (t->buckets)
        memset(t->bucket, 0xff, t->buckets * sizeof *t->bucket);
    double least = INFINITY;
    for (uint32_t i = 0; i < bodies; i++)
        least = edge_of(box[i]) > 0 ? fmin(least, edge_of(box[i])) : least;
    TRY(pcs_curve(m, box, bodies, t->order));
    for (uint32_t i = 0; i < bodies; i++) {
        const double edge = edge_of(box[t->order[i]]);
        TRY(put_in(m, t, t->order[i], class_of(edge > 0 ? edge : least)));
    }
out:
    return err;
}

void pcs_tiles_free(mem *m, pcs_tiles *t)
{
    mem_free(m, t->class);
    mem_free(m, t->order);
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
static int owns(const double a[6], const double b[6], const int64_t at[3], double scale)
{
    for (int k = 0; k < 3; k++)
        if (tile_of(a[k] > b[k] ? a[k] : b[k], scale) != at[k])
            return 0;
    return 1;
}

static int same_tile(const pcs_tile *tile, const int64_t at[3])
{
    return tile->at[0] == at[0] && tile->at[1] == at[1] && tile->at[2] == at[2];
}

/* The partners in one tile. first: of its own class only those with greater numbers. */
static int look_into(mem *m, const pcs_tiles *t, uint32_t body, const int64_t at[3], int class,
                     int first, pcs_pairs *out)
{
    int err = 0;
    const double *box = t->box[body], scale = scale_of(class);
    const uint64_t hash = hash_of(at, class);
    for (uint32_t e = t->bucket[bucket_of(t, hash)]; e != PCS_NO_TILE; e = t->tile[e].next) {
        const uint32_t other = t->tile[e].body;
        if (t->tile[e].tag != (uint32_t)hash || !same_tile(t->tile + e, at) ||
            t->class[other] != class ||
            (first && class == t->class[body] ? other <= body : other == body) ||
            !pcs_boxes_meet(box, t->box[other]) || !owns(box, t->box[other], at, scale))
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
        TRY(look_up(m, t, t->order[i], 1, out));
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
