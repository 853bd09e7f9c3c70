/* See skin.h. */
#include "skin.h"

#include "cell_types.h"
#include "error.h"
#include "hash64.h"

#include <string.h>

/* ---- faces of cells, in VTK's order: outward where the volume is positive; -1: none */

typedef struct solid {
    int type;
    uint32_t corners;
    unsigned char frame[4]; /* a corner, and its neighbours in the order of a positive volume */
    signed char face[SKIN_FACES][4];
} solid;

/* A voxel has the corners of a hexahedron in rows. */
static const solid solids[] = {
    {VTK_TETRAHEDRON,
     4,
     {0, 1, 2, 3},
     {{0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}, {0, 2, 1, -1}, {-1}, {-1}}},
    {VTK_VOXEL,
     8,
     {0, 1, 2, 4},
     {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}},
    {VTK_HEXAHEDRON,
     8,
     {0, 1, 3, 4},
     {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}},
    {VTK_WEDGE,
     6,
     {0, 1, 2, 3},
     {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}, {-1}}},
    {VTK_PYRAMID,
     5,
     {0, 1, 3, 4},
     {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}, {-1}}},
};

static const solid *skin_solid(int type)
{
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
        if (solids[i].type == type)
            return &solids[i];
    return NULL;
}

uint32_t skin_corners(int type)
{
    const solid *s = skin_solid(type);
    return s ? s->corners : 0;
}

/* Solvers write a wedge or tetrahedron as a hexahedron with repeated nodes: its quads become
 * triangles, or vanish. A quad a b a c has no area, either. */
uint32_t skin_face(const skin *s, int type, const uint32_t *corner, int f, uint32_t out[4])
{
    static const unsigned char same[SKIN_CORNERS] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const unsigned char turned[SKIN_CORNERS] = {0, 2, 1, 3, 5, 4};
    const unsigned char *order = s->wedges_turned && type == VTK_WEDGE ? turned : same;
    const signed char *face = skin_solid(type)->face[f];
    uint32_t n = 0;
    for (int k = 0; k < 4 && face[k] >= 0; k++)
        if (!n || corner[order[face[k]]] != out[n - 1])
            out[n++] = corner[order[face[k]]];
    while (n > 1 && out[n - 1] == out[0])
        n--;
    if (n < 3 || (n == 4 && (out[0] == out[2] || out[1] == out[3])))
        return 0;
    return n;
}

/* ---- the cells of a frame */

void skin_start(skin *s)
{
    s->now.count = s->now.corners = 0;
}

/* Room for the corners of one more cell, of any type. */
static int skin_room(const skin *s, skin_cells *c)
{
    int err = IMP_OK;
    const size_t room = 2 * c->corner_room + SKIN_CORNERS;
    if (c->corners + SKIN_CORNERS <= c->corner_room)
        return IMP_OK;
    TRY(mem_grow(s->mem, c->corners * sizeof *c->corner, room * sizeof *c->corner, &c->corner));
    c->corner_room = room;
out:
    return err;
}

int skin_add(skin *s, int type, int32_t part, const uint32_t *corner)
{
    int err = IMP_OK;
    skin_cells *c = &s->now;
    const uint32_t n = skin_corners(type);
    TRY(mem_fit(s->mem, c->count, &c->type_room, sizeof *c->type, &c->type));
    TRY(mem_fit(s->mem, c->count, &c->part_room, sizeof *c->part, &c->part));
    TRY(skin_room(s, c));
    c->type[c->count] = (uint8_t)type;
    c->part[c->count++] = part;
    memcpy(c->corner + c->corners, corner, n * sizeof *corner);
    c->corners += n;
out:
    return err;
}

static int skin_same_cells(const skin_cells *a, const skin_cells *b)
{
    return a->count == b->count && a->corners == b->corners &&
           (!a->count || (!memcmp(a->type, b->type, a->count) &&
                          !memcmp(a->part, b->part, a->count * sizeof *a->part) &&
                          !memcmp(a->corner, b->corner, a->corners * sizeof *a->corner)));
}

/* ---- a table of faces */

typedef struct skin_entry {
    uint32_t v[4]; /* from the least on, towards the lesser neighbour; v[3] of a triangle: NONE */
    size_t cell;   /* the first cell that has it */
    int32_t part;
    uint8_t uses;     /* number of cells that have it; beyond 4 that of 3 and 4 with its parity */
    uint8_t face;     /* its number in the first */
    uint8_t turned;   /* its direction in the first */
    uint8_t one_side; /* the second has the same one */
} skin_entry;

#define NONE UINT32_MAX

typedef struct skin_table {
    mem *mem;
    size_t count, room;
    skin_entry *entry; /* [count] */
    size_t slots;      /* a power of 2, at least twice `count` */
    uint32_t *slot;    /* [slots] 1 + an entry, 0: free */
} skin_table;

/* Puts the face into the form in which equal faces are equal. Returns whether it was turned
 * round. */
static int skin_order_face(const uint32_t *face, uint32_t n, uint32_t v[4])
{
    uint32_t first = 0;
    for (uint32_t k = 1; k < n; k++)
        first = face[k] < face[first] ? k : first;
    const int turned = face[(first + 1) % n] > face[(first + n - 1) % n];
    for (uint32_t k = 0; k < n; k++)
        v[k] = face[(first + (turned ? n - k : k)) % n];
    if (n == 3)
        v[3] = NONE;
    return turned;
}

static size_t skin_hash(const uint32_t v[4], int32_t part)
{
    uint64_t h = mix64((uint64_t)v[0] << 32 | v[1]);
    h = mix64(h + ((uint64_t)v[2] << 32 | v[3]));
    return (size_t)mix64(h + (uint32_t)part);
}

/* The slot of a face, or the free one where it belongs. */
static uint32_t *skin_slot(const skin_table *t, const uint32_t v[4], int32_t part)
{
    size_t at = skin_hash(v, part) & (t->slots - 1);
    for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
        const skin_entry *e = &t->entry[t->slot[at] - 1];
        if (e->part == part && !memcmp(e->v, v, sizeof e->v))
            break;
    }
    return &t->slot[at];
}

static int skin_table_grow(skin_table *t)
{
    int err = IMP_OK;
    const size_t slots = t->slots ? 2 * t->slots : 1024;
    mem_free(t->mem, t->slot);
    t->slot = NULL;
    TRY(mem_alloc(t->mem, slots * sizeof *t->slot, &t->slot));
    memset(t->slot, 0, slots * sizeof *t->slot);
    t->slots = slots;
    for (size_t i = 0; i < t->count; i++)
        *skin_slot(t, t->entry[i].v, t->entry[i].part) = (uint32_t)(i + 1);
out:
    return err;
}

static int skin_table_add(skin_table *t, const uint32_t *face, uint32_t n, skin_entry *e)
{
    int err = IMP_OK;
    e->turned = skin_order_face(face, n, e->v) != 0;
    if (2 * t->count >= t->slots)
        TRY(skin_table_grow(t));
    uint32_t *slot = skin_slot(t, e->v, e->part);
    if (*slot) {
        skin_entry *known = &t->entry[*slot - 1];
        known->one_side |= known->uses == 1 && known->turned == e->turned;
        known->uses = known->uses == 4 ? 3 : (uint8_t)(known->uses + 1);
        goto out;
    }
    if (t->count == NONE - 1)
        FAIL(IMP_ERR_INPUT, "more than %u faces of solids", NONE - 1);
    TRY(mem_fit(t->mem, t->count, &t->room, sizeof *t->entry, &t->entry));
    t->entry[t->count++] = *e;
    *slot = (uint32_t)t->count;
out:
    return err;
}

static int skin_table_add_cell(const skin *s, skin_table *t, size_t cell, const uint32_t *corner)
{
    int err = IMP_OK;
    const skin_cells *c = &s->now;
    for (int f = 0; f < SKIN_FACES; f++) {
        uint32_t face[4];
        const uint32_t n = skin_face(s, c->type[cell], corner, f, face);
        skin_entry e = {.part = c->part[cell], .uses = 1, .cell = cell, .face = (uint8_t)f};
        if (n)
            TRY(skin_table_add(t, face, n, &e));
    }
out:
    return err;
}

/* ---- the skin */

static void skin_note_face(skin_note *n, size_t cell)
{
    n->cell = !n->count++ || cell < n->cell ? cell : n->cell;
}

/* An odd number keeps the face, so that each edge still has an even number of faces: the skin stays
 * closed. */
static void skin_keep(skin *s, const skin_table *t)
{
    s->several = s->one_side = (skin_note){0};
    for (size_t i = 0; i < t->count; i++) {
        const skin_entry *e = &t->entry[i];
        if (e->uses % 2)
            s->kept[e->cell] |= (uint8_t)(1 << e->face);
        if (e->uses > 2)
            skin_note_face(&s->several, e->cell);
        else if (e->one_side)
            skin_note_face(&s->one_side, e->cell);
    }
}

static int skin_search(skin *s)
{
    int err = IMP_OK;
    skin_table t = {.mem = s->mem};
    const uint32_t *corner = s->now.corner;
    s->searches++;
    if (s->kept_room < s->now.count) {
        mem_free(s->mem, s->kept);
        s->kept = NULL;
        s->kept_room = 0;
        TRY(mem_alloc(s->mem, s->now.count, &s->kept));
        s->kept_room = s->now.count;
    }
    if (s->now.count)
        memset(s->kept, 0, s->now.count);
    for (size_t i = 0; i < s->now.count; i++) {
        TRY(skin_table_add_cell(s, &t, i, corner));
        corner += skin_corners(s->now.type[i]);
    }
    skin_keep(s, &t);
out:
    mem_free(s->mem, t.slot);
    mem_free(s->mem, t.entry);
    return err;
}

/* 1, -1 or 0: the sign of the volume at a corner, as far as rounding lets it be known. */
static int skin_side(const solid *of, const uint32_t *corner, const double *point)
{
    double a[3][3];
    const double *from = point + (size_t)3 * corner[of->frame[0]];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            a[i][k] = point[(size_t)3 * corner[of->frame[i + 1]] + (size_t)k] - from[k];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            if (corner[of->frame[i]] == corner[of->frame[k]])
                return 0;
    const double volume = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) +
                          a[0][1] * (a[1][2] * a[2][0] - a[1][0] * a[2][2]) +
                          a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    return (volume > 0) - (volume < 0);
}

/* Wedges are turned if most of them are inverted and most other solids are not, or the reverse:
 * together, all solids of a file may be. */
static int skin_turn_wedges(const skin_cells *c, const double *point)
{
    int64_t wedges = 0, others = 0;
    const uint32_t *corner = c->corner;
    for (size_t i = 0; i < c->count; i++) {
        const solid *of = skin_solid(c->type[i]);
        *(of->type == VTK_WEDGE ? &wedges : &others) += skin_side(of, corner, point);
        corner += of->corners;
    }
    return others < 0 ? wedges > 0 : wedges < 0;
}

int skin_find(skin *s, const double *point)
{
    int err = IMP_OK;
    if (s->found && skin_same_cells(&s->now, &s->before))
        return IMP_OK;
    s->found = 0;
    s->wedges_turned = skin_turn_wedges(&s->now, point);
    TRY(skin_search(s));
    /* the next frame's cells replace those before */
    const skin_cells now = s->now;
    s->now = s->before;
    s->before = now;
    s->found = 1;
out:
    return err;
}

static void skin_cells_free(mem *m, skin_cells *c)
{
    mem_free(m, c->type);
    mem_free(m, c->part);
    mem_free(m, c->corner);
}

void skin_free(skin *s)
{
    mem *m = s->mem;
    if (!m)
        return;
    skin_cells_free(m, &s->now);
    skin_cells_free(m, &s->before);
    mem_free(m, s->kept);
    *s = (skin){.mem = m};
}
