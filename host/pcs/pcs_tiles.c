/* See pcs_tiles.h: the entries. */
#include "pcs_tiles.h"

#include "error.h"
#include "pcs_motion.h"

#define TILES_MOST 8 /* per body */

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

/* Doubles the number of buckets: about one per entry. */
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

/* Allocates space for the entries of one more body. */
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

/* A free entry: one that was released, or a new one. */
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
    uint32_t hash, of; /* as in pcs_tile */
} tile_name;

/* The tiles of a body, at most TILES_MOST; returns their number. */
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

/* The class of the least nonzero edge. */
static int least_class(const pcs_tiles *t)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < t->bodies; i++) {
        const double edge = pcs_box_edge(t->box[i]);
        least = edge > 0 && edge < least ? edge : least;
    }
    return pcs_edge_class(least);
}

/* Makes the class of each body the key of its spot. */
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

/* Assigns places: larger classes first, and within a class along a Z curve through its tiles. */
static void pcs_tiles_sort(pcs_tiles *t)
{
    const int bits = pcs_curve_bits(t->bodies);
    const int most = t->presents ? t->present[t->presents - 1] : 0;
    int more = 0; /* bits for classes */
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

/* ---- See pcs_tiles.h: all pairs at once.
 *
 * Boxes are processed along the curve, so that most have the same tiles of larger classes as the
 * one before. The entries of these tiles are on a stack, largest class first, of which only the top
 * changes. */

#define SHIFT_MOST 63
#define CLASSES_EXACT 1000 /* products scaled down by these are rounded to 0 only from tile -1 */
#define NO_CLASS (PCS_CLASS_LEAST - 1)

/* The tiles of a box in one class. */
typedef struct level {
    int class;
    tile_range range;
    size_t end; /* end of its entries, which begin at the end of the previous level */
} level;

typedef struct stack {
    level *level; /* [classes] */
    int levels;
    uint32_t *of; /* as in pcs_tile: entries that may be in these tiles */
    size_t count, capacity;
    int class; /* class of the box, or NO_CLASS */
    tile_range own;
} stack;

/* ---- the stack */

/* If a body has several tiles in the range, the first along each axis is used. */
static int push_tile(mem *m, const pcs_tiles *t, const level *l, const int64_t tile[3], stack *s)
{
    int err = 0;
    const uint32_t hash = pcs_tile_hash(tile[0], tile[1], tile[2], l->class);
    uint32_t later = 0;
    for (int k = 0; k < 3; k++)
        later |= (uint32_t)(tile[k] != l->range.first[k]) << k;
    for (uint32_t e = t->bucket[hash & (t->buckets - 1)]; e != PCS_NO_TILE; e = t->tile[e].next) {
        const pcs_tile *entry = t->tile + e;
        if (s->count == s->capacity)
            TRY(mem_fit(m, s->count, &s->capacity, sizeof *s->of, &s->of));
        s->of[s->count] = entry->of; /* without a branch, which would be unpredictable */
        s->count += !((entry->hash ^ hash) | (entry->of & later));
    }
out:
    return err;
}

static int push_level(mem *m, const pcs_tiles *t, stack *s)
{
    int err = 0;
    level *l = s->level + s->levels++;
    const tile_range r = l->range;
    for (int64_t z = r.first[2]; z <= r.last[2]; z++)
        for (int64_t y = r.first[1]; y <= r.last[1]; y++)
            for (int64_t x = r.first[0]; x <= r.last[0]; x++)
                TRY(push_tile(m, t, l, (const int64_t[]){x, y, z}, s));
    l->end = s->count;
out:
    return err;
}

/* Tiles are floors, and floors of floors are shifts: the shift to a class that is larger by so
 * many. */
static int shift_of(int classes)
{
    return classes < SHIFT_MOST ? classes : SHIFT_MOST;
}

/* The number of levels that stay valid for a box with other tiles in the same class. */
static int levels_kept(const stack *s, const tile_range *own)
{
    uint64_t changed = 0;
    int levels = s->levels;
    for (int k = 0; k < 3; k++)
        changed |= (uint64_t)((own->first[k] ^ s->own.first[k]) | (own->last[k] ^ s->own.last[k]));
    while (levels && changed >> shift_of(s->level[levels - 1].class - s->class))
        levels--;
    return levels;
}

static tile_range range_above(const tile_range *own, int classes)
{
    tile_range r;
    const int shift = shift_of(classes);
    for (int k = 0; k < 3; k++) {
        r.first[k] = own->first[k] >> shift;
        r.last[k] = own->last[k] >> shift;
    }
    return r;
}

/* Returns whether a negative product is rounded to 0 in a class. */
static int is_rounded(double x, int class)
{
    return x < 0 && x * pcs_class_scale(class) == 0;
}

/* Returns whether its tiles do not determine those in larger classes. The last tile stands for
 * everything beyond, and coordinates just below 0 are in tile 0 of a class that is large enough. */
static int is_extreme(const pcs_place *p, const tile_range *own, int most)
{
    int extreme = most - p->class > CLASSES_EXACT;
    for (int k = 0; k < 3; k++) {
        extreme |= own->first[k] <= (int64_t)-PCS_FARTHEST || own->last[k] >= (int64_t)PCS_FARTHEST;
        if (own->first[k] == -1 || own->last[k] == -1)
            extreme |= is_rounded(p->box[k], most) || is_rounded(p->box[3 + k], most);
    }
    return extreme;
}

/* Pushes the entries of a box's tiles in larger classes on the stack. */
static int stack_for(mem *m, const pcs_tiles *t, const pcs_place *p, stack *s)
{
    int err = 0;
    const tile_range own = pcs_box_tiles(p->box, p->class);
    const int extreme = is_extreme(p, &own, t->present[t->presents - 1]);
    s->levels = p->class == s->class && !extreme ? levels_kept(s, &own) : 0;
    s->count = s->levels ? s->level[s->levels - 1].end : 0;
    s->class = extreme ? NO_CLASS : p->class;
    s->own = own;
    for (int i = t->presents - 1 - s->levels; i >= 0 && t->present[i] > p->class; i--) {
        const int class = t->present[i];
        level *l = s->level + s->levels;
        l->class = class;
        l->range = extreme ? pcs_box_tiles(p->box, class) : range_above(&own, class - p->class);
        TRY(push_level(m, t, s));
    }
out:
    return err;
}

/* ---- pairs */

/* Entries of tiles elsewhere may have the same hash. Tiles of one range are adjacent and have
 * different hashes, so a body in several of them has one entry on the stack. */
static int is_in_range(const stack *s, size_t i, const pcs_place *b, uint32_t of)
{
    int64_t at[3];
    int in = 1;
    const level *l = s->level;
    while (l->end <= i)
        l++;
    pcs_tile_at(b, of, at);
    for (int k = 0; k < 3; k++)
        in &= at[k] >= l->range.first[k] && at[k] <= l->range.last[k];
    return in && b->class == l->class;
}

static int pcs_tiles_pair_larger(mem *m, const pcs_tiles *t, const pcs_place *a, const stack *s,
                                 pcs_pairs *out)
{
    int err = 0;
    for (size_t i = 0; i < s->count; i++) {
        const pcs_place *b = t->place + (s->of[i] >> 3);
        if (pcs_boxes_overlap(a->box, b->box) && is_in_range(s, i, b, s->of[i]))
            TRY(pcs_pairs_add(m, out, a->body, b->body));
    }
out:
    return err;
}

/* In its own class, only later entries of the bucket, so that each two entries are compared
 * once. */
static int pcs_tiles_pair_own(mem *m, const pcs_tiles *t, const pcs_tile *x, pcs_pairs *out)
{
    int err = 0;
    const pcs_place *a = t->place + (x->of >> 3);
    for (uint32_t e = x->next; e != PCS_NO_TILE; e = t->tile[e].next) {
        const pcs_tile *y = t->tile + e;
        const pcs_place *b = t->place + (y->of >> 3);
        int64_t at[3];
        if (x->hash != y->hash || !pcs_boxes_overlap(a->box, b->box) || a->class != b->class ||
            a == b)
            continue;
        pcs_tile_at(a, x->of, at);
        if (pcs_tile_owns(a->box, b->box, at, a->class))
            TRY(pcs_pairs_add(m, out, a->body, b->body));
    }
out:
    return err;
}

int pcs_tiles_all_pairs(mem *m, const pcs_tiles *t, pcs_pairs *out)
{
    int err = 0;
    stack s = {.class = NO_CLASS};
    TRY(mem_alloc(m, (size_t)t->presents * sizeof *s.level, &s.level));
    for (size_t e = 0; e < t->tiles; e++)
        if (t->tile[e].of != PCS_NO_TILE)
            TRY(pcs_tiles_pair_own(m, t, t->tile + e, out));
    for (const pcs_place *p = t->place; p < t->place + t->bodies; p++) {
        TRY(stack_for(m, t, p, &s));
        TRY(pcs_tiles_pair_larger(m, t, p, &s, out));
    }
out:
    mem_free(m, s.level);
    mem_free(m, s.of);
    return err;
}

/* ---- See pcs_tiles.h: the pairs of a body, and their list. */

int pcs_pairs_add(mem *m, pcs_pairs *p, uint32_t a, uint32_t b)
{
    int err = mem_fit(m, p->count, &p->capacity, sizeof *p->at, &p->at);
    if (err)
        return err;
    p->at[p->count][0] = a < b ? a : b;
    p->at[p->count++][1] = a < b ? b : a;
    return IMP_OK;
}

/* The partners in the tile x y z. Entries of other tiles with its hash give no pair twice: only one
 * entry of a body has that hash, and if the tile contains a corner of the body, that entry belongs
 * to the tile. */
static int pcs_tiles_search_tile(mem *m, const pcs_tiles *t, const pcs_place *a, int64_t x,
                                 int64_t y, int64_t z, int class, pcs_pairs *out)
{
    int err = 0;
    const uint32_t hash = pcs_tile_hash(x, y, z, class);
    for (uint32_t e = t->bucket[hash & (t->buckets - 1)]; e != PCS_NO_TILE; e = t->tile[e].next) {
        const pcs_tile *entry = t->tile + e;
        const pcs_place *b = t->place + (entry->of >> 3);
        if (((entry->hash == hash) & pcs_boxes_overlap(a->box, b->box)) && b->class == class &&
            a != b && pcs_tile_owns(a->box, b->box, (const int64_t[]){x, y, z}, class))
            TRY(pcs_pairs_add(m, out, a->body, b->body));
    }
out:
    return err;
}

static int pcs_tiles_search_class(mem *m, const pcs_tiles *t, const pcs_place *p, int class,
                                  pcs_pairs *out)
{
    int err = 0;
    const tile_range r = pcs_box_tiles(p->box, class);
    for (int64_t z = r.first[2]; z <= r.last[2]; z++)
        for (int64_t y = r.first[1]; y <= r.last[1]; y++)
            for (int64_t x = r.first[0]; x <= r.last[0]; x++)
                TRY(pcs_tiles_search_tile(m, t, p, x, y, z, class, out));
out:
    return err;
}

/* Searches its own class and larger ones. */
static int pcs_tiles_search_larger(mem *m, const pcs_tiles *t, const pcs_place *p, pcs_pairs *out)
{
    int err = 0;
    for (int i = 0; i < t->presents; i++)
        if (t->present[i] >= p->class)
            TRY(pcs_tiles_search_class(m, t, p, t->present[i], out));
out:
    return err;
}

/* The number of smaller classes' tiles that its box covers, limited to the number of bodies. */
static uint64_t smaller_tiles(const pcs_tiles *t, const pcs_place *p)
{
    double tiles = 0;
    for (int i = 0; i < t->presents && t->present[i] < p->class; i++) {
        const tile_range r = pcs_box_tiles(p->box, t->present[i]);
        double all = 1;
        for (int k = 0; k < 3; k++)
            all *= (double)r.last[k] - (double)r.first[k] + 1;
        tiles += all;
    }
    return tiles < t->bodies ? (uint64_t)tiles : t->bodies;
}

/* Finds smaller bodies that would have found it. A large body covers many small tiles: if there are
 * more of these than bodies, it is compared with all bodies. */
static int pcs_tiles_search_smaller(mem *m, const pcs_tiles *t, const pcs_place *p, pcs_pairs *out)
{
    int err = 0;
    if (smaller_tiles(t, p) < t->bodies) {
        for (int i = 0; i < t->presents && t->present[i] < p->class; i++)
            TRY(pcs_tiles_search_class(m, t, p, t->present[i], out));
        return IMP_OK;
    }
    for (const pcs_place *q = t->place; q < t->place + t->bodies; q++)
        if (q->class < p->class && pcs_boxes_overlap(q->box, p->box))
            TRY(pcs_pairs_add(m, out, q->body, p->body));
out:
    return err;
}

int pcs_tiles_pairs_of_body(mem *m, const pcs_tiles *t, uint32_t body, pcs_pairs *out)
{
    const pcs_place *p = t->place + t->place_of[body];
    const int err = pcs_tiles_search_larger(m, t, p, out);
    return err ? err : pcs_tiles_search_smaller(m, t, p, out);
}

/* Sorts stably by one of the two numbers. */
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
