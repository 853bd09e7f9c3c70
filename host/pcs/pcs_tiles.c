/* See pcs_tiles.h: the entries. */
#include "pcs_tiles.h"

#include "error.h"
#include "pcs_curve.h"

#define TILES_MOST 8 /* of a body */

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

static void link_tile(pcs_tiles *t, uint32_t entry)
{
    uint32_t *bucket = t->bucket + (t->tile[entry].hash & (t->buckets - 1));
    t->tile[entry].next = *bucket;
    *bucket = entry;
}

/* Twice the buckets: about one for each entry. */
static int buckets_grow(mem *m, pcs_tiles *t)
{
    uint32_t *bucket;
    const uint32_t buckets = t->buckets ? 2 * t->buckets : 1024;
    const int err = mem_alloc(m, buckets * sizeof *bucket, &bucket);
    if (err)
        return err;
    mem_free(m, t->bucket);
    t->bucket = memset(bucket, 0xff, buckets * sizeof *bucket); /* PCS_NO_TILE */
    t->buckets = buckets;
    for (uint32_t e = 0; e < t->tiles; e++)
        if (t->tile[e].of != PCS_NO_TILE)
            link_tile(t, e);
    return IMP_OK;
}

/* Memory for the entries of one more body. */
static int pcs_tiles_reserve(mem *m, pcs_tiles *t)
{
    int err = 0;
    const size_t wanted = t->tiles + TILES_MOST;
    if (wanted > t->capacity) {
        const size_t capacity = wanted + wanted / 2;
        TRY(mem_grow(m, t->tiles * sizeof *t->tile, capacity * sizeof *t->tile, &t->tile));
        t->capacity = capacity;
    }
    while (wanted > t->buckets)
        TRY(buckets_grow(m, t));
out:
    return err;
}

/* A free entry: one that was given back, or a new one. */
static uint32_t tile_new(pcs_tiles *t)
{
    const uint32_t entry = t->spare;
    if (entry == PCS_NO_TILE)
        return (uint32_t)t->tiles++;
    t->spare = t->tile[entry].next;
    return entry;
}

/* A tile of a body. */
typedef struct tile_name {
    uint32_t hash, of; /* as pcs_tile has them */
} tile_name;

/* Its tiles, at most TILES_MOST; returns their number. */
static int pcs_tiles_of_body(const pcs_tiles *t, uint32_t place, tile_name *out)
{
    const pcs_place *p = t->place + place;
    const tile_range r = pcs_box_tiles(p->box, p->class);
    int count = 0;
    for (uint32_t k = 0; k <= r.last[2] - r.first[2]; k++)
        for (uint32_t j = 0; j <= r.last[1] - r.first[1]; j++)
            for (uint32_t i = 0; i <= r.last[0] - r.first[0]; i++)
                out[count++] = (tile_name){
                    pcs_tile_hash(r.first[0] + i, r.first[1] + j, r.first[2] + k, p->class),
                    place << 3 | i | j << 1 | k << 2};
    return count;
}

static int pcs_tiles_insert(mem *m, pcs_tiles *t, uint32_t place)
{
    tile_name name[TILES_MOST];
    const int count = pcs_tiles_of_body(t, place, name), err = pcs_tiles_reserve(m, t);
    for (int i = 0; i < count && !err; i++) {
        const uint32_t entry = tile_new(t);
        t->tile[entry].hash = name[i].hash;
        t->tile[entry].of = name[i].of;
        link_tile(t, entry);
    }
    return err;
}

int pcs_tiles_add(mem *m, pcs_tiles *t, uint32_t body)
{
    pcs_place *p = t->place + t->place_of[body];
    const double edge = pcs_box_edge(t->box[body]);
    memcpy(p->box, t->box[body], sizeof p->box);
    p->class = edge > 0 || !t->presents ? pcs_edge_class(edge) : t->present[0];
    const int err = pcs_tiles_insert(m, t, t->place_of[body]);
    if (!err)
        present_set(t, p->class, 1);
    return err;
}

static void unlink_tile(pcs_tiles *t, tile_name name)
{
    uint32_t *link = t->bucket + (name.hash & (t->buckets - 1));
    while (t->tile[*link].of != name.of)
        link = &t->tile[*link].next;
    const uint32_t entry = *link;
    *link = t->tile[entry].next;
    t->tile[entry].next = t->spare;
    t->tile[entry].of = PCS_NO_TILE;
    t->spare = entry;
}

void pcs_tiles_remove(pcs_tiles *t, uint32_t body)
{
    tile_name name[TILES_MOST];
    const int count = pcs_tiles_of_body(t, t->place_of[body], name);
    for (int i = 0; i < count; i++)
        unlink_tile(t, name[i]);
    present_set(t, t->place[t->place_of[body]].class, -1);
}

/* ---- all */

static int fit_bodies(mem *m, pcs_tiles *t, uint32_t bodies)
{
    int err = 0;
    if (bodies > t->body_capacity) {
        TRY(mem_grow(m, 0, bodies * sizeof *t->place, &t->place));
        TRY(mem_grow(m, 0, bodies * sizeof *t->place_of, &t->place_of));
        TRY(mem_grow(m, 0, (size_t)2 * bodies * sizeof *t->spot, &t->spot));
        t->body_capacity = bodies;
    }
out:
    return err;
}

static void pcs_tiles_clear(pcs_tiles *t)
{
    t->tiles = 0;
    t->spare = PCS_NO_TILE;
    t->presents = 0;
    memset(t->in_class, 0, sizeof t->in_class);
    if (t->buckets)
        memset(t->bucket, 0xff, t->buckets * sizeof *t->bucket);
}

/* Of the least edge that is not 0. */
static int least_class(const pcs_tiles *t)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < t->bodies; i++) {
        const double edge = pcs_box_edge(t->box[i]);
        least = edge > 0 && edge < least ? edge : least;
    }
    return pcs_edge_class(least);
}

/* The class of each body becomes the key of its spot. */
static void classify(pcs_tiles *t)
{
    const int least = least_class(t);
    for (uint32_t i = 0; i < t->bodies; i++) {
        const double edge = pcs_box_edge(t->box[i]);
        const int class = edge > 0 ? pcs_edge_class(edge) : least;
        t->spot[i] = (pcs_curve_entry){(uint64_t)(class - PCS_CLASS_LEAST), i};
        present_set(t, class, 1);
    }
}

/* Places: larger classes first, and within one along a Z curve through its tiles. */
static void pcs_tiles_sort(pcs_tiles *t)
{
    const int bits = pcs_curve_bits(t->bodies);
    const int most = t->presents ? t->present[t->presents - 1] : 0;
    int more = 0; /* bits, for classes */
    while (t->presents && (most - t->present[0]) >> more)
        more++;
    for (uint32_t i = 0; i < t->bodies; i++) {
        const int class = (int)t->spot[i].key + PCS_CLASS_LEAST;
        const tile_range r = pcs_box_tiles(t->box[i], class);
        t->spot[i].key = (uint64_t)(most - class) << 3 * bits | pcs_curve_key(r.first, bits);
    }
    const pcs_curve_entry *spot = pcs_curve_sort(t->spot, t->bodies, 3 * bits + more);
    for (uint32_t i = 0; i < t->bodies; i++) {
        pcs_place *p = t->place + i;
        p->body = spot[i].box;
        p->class = most - (int)(spot[i].key >> 3 * bits);
        memcpy(p->box, t->box[p->body], sizeof p->box);
        t->place_of[p->body] = i;
    }
}

int pcs_tiles_make(mem *m, pcs_tiles *t, const double (*box)[6], uint32_t bodies)
{
    int err = 0;
    TRY(fit_bodies(m, t, bodies));
    t->bodies = bodies;
    t->box = box;
    pcs_tiles_clear(t);
    classify(t);
    pcs_tiles_sort(t);
    for (uint32_t i = 0; i < bodies; i++)
        TRY(pcs_tiles_insert(m, t, i));
out:
    return err;
}

void pcs_tiles_free(mem *m, pcs_tiles *t)
{
    mem_free(m, t->place);
    mem_free(m, t->place_of);
    mem_free(m, t->spot);
    mem_free(m, t->bucket);
    mem_free(m, t->tile);
    *t = (pcs_tiles){0};
}
