/* See pcs_tiles.h: the pairs of a body, and their list. */
#include "pcs_tiles.h"

#include "error.h"
#include "pcs_motion.h"

int pcs_pairs_add(mem *m, pcs_pairs *p, uint32_t a, uint32_t b)
{
    int err = mem_fit(m, p->count, &p->capacity, sizeof *p->at, &p->at);
    if (err)
        return err;
    p->at[p->count][0] = a < b ? a : b;
    p->at[p->count++][1] = a < b ? b : a;
    return IMP_OK;
}

/* The partners in the tile x y z. Entries of other tiles with its hash give no pair twice: of a
 * body only one entry has that hash, and if the tile holds a corner of the body, it is the tile's
 * own. */
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

/* In its own class and larger ones. */
static int pcs_tiles_search_larger(mem *m, const pcs_tiles *t, const pcs_place *p, pcs_pairs *out)
{
    int err = 0;
    for (int i = 0; i < t->presents; i++)
        if (t->present[i] >= p->class)
            TRY(pcs_tiles_search_class(m, t, p, t->present[i], out));
out:
    return err;
}

/* Tiles of smaller classes that its box covers, and at most the number of bodies. */
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

/* Those that would have found it. A large body covers many small tiles: where these are more than
 * bodies, all of them are compared. */
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
