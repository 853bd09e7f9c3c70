/* See pcs_tiles.h: all pairs at once.
 *
 * Boxes come along the curve, so that most have the same tiles of larger classes as the one before.
 * What these hold is on a stack, largest class first, of which only the top changes. */
#include "pcs_tiles.h"

#include "error.h"
#include "pcs_motion.h"

#define SHIFT_MOST 63
#define CLASSES_EXACT 1000 /* what these scale down is rounded to 0 from tile -1 alone */
#define NO_CLASS (PCS_CLASS_LEAST - 1)

/* The tiles of one class that a box has. */
typedef struct level {
    int class;
    tile_range range;
    size_t end; /* its entries are those from the end of the level before */
} level;

typedef struct stack {
    level *level; /* [classes] */
    int levels;
    uint32_t *of; /* as pcs_tile has it: entries that may be of these tiles */
    size_t count, capacity;
    int class; /* of the box, or NO_CLASS */
    tile_range own;
} stack;

/* ---- what is on the stack */

/* Of several tiles of one body in the range the first is taken, along each axis. */
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
        s->of[s->count] = entry->of; /* without a branch, which nothing could foresee */
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

/* Tiles are floors, and floors of floors are shifts: from a class to one that is larger by so many.
 */
static int shift_of(int classes)
{
    return classes < SHIFT_MOST ? classes : SHIFT_MOST;
}

/* How many levels are those of a box with other tiles in the same class? */
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

/* Is a product below 0 rounded to 0 in a class? */
static int is_rounded(double x, int class)
{
    return x < 0 && x * pcs_class_scale(class) == 0;
}

/* Do its tiles say nothing of those in larger classes? One stands for all that is beyond, and what
 * is just below 0 is in tile 0 of a class that is large enough. */
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

/* Puts what is in the tiles of a box in larger classes on the stack. */
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

/* Entries of tiles elsewhere may have the same hash. Those of one range are side by side and have
 * not, so that of a body in several of them one entry is on the stack. */
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

/* Of its own class those that are after it in its bucket: each two entries are met once. */
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
