/* The regions of an object for its contours with another one: parts that are connected, and which
 * of them are listed. Floods begin at all parts along contours, and go on in turns. Where all
 * floods of a surface but one have ended, that one has all the rest, which is not visited, as it is
 * the largest by far mostly. */
#ifndef IMP_REGION_FLOOD_H
#define IMP_REGION_FLOOD_H

#include "region_area.h"
#include "region_unit.h"
#include "regions.h"

/* A connected surface that contours run on. */
typedef struct region_surface {
    uint32_t face;   /* the least one */
    uint32_t floods; /* that have not ended */
    uint32_t rest;   /* the region of all that no other flood has visited */
    uint32_t regions, largest;
    region_area others;  /* of all but the rest */
    int contradicts;     /* its regions have no two sides */
    region_area area[2]; /* of the side of the largest region, and of the other one */
    uint32_t least[2];   /* their least faces */
    int listed;          /* the side that is listed */
} region_surface;

/* A part that a flood has visited. */
typedef struct region_visit {
    uint32_t part, face;
    uint32_t root;        /* of the tree of the flood; */
    uint32_t next;        /* the next of those from which it has to go on */
    uint32_t front, back; /* of a root: the first and the last of these, or REGION_NONE; */
    uint32_t region;      /* then its region */
} region_visit;

typedef struct region_found {
    uint32_t surface;    /* in `surface` */
    uint32_t face, part; /* the least face, and of its parts the least */
    uint32_t root;       /* of the flood; REGION_NONE: it is the rest of the surface */
    uint32_t first,
        parts;        /* key[first] on: parts << 32 | face, ascending by faces, of all but rests */
    region_area area; /* set where a surface has several regions; of a rest that is larger than
                         all others together: less */
    uint32_t parent;  /* of a tree of regions of a surface: */
    uint8_t other_side; /* than the parent */
    uint32_t listed;    /* in the set, or REGION_NONE */
} region_found;

/* A segment with different regions on its two sides. */
typedef struct region_bound {
    uint32_t segment, region[2];
} region_bound;

/* members: arrays with their sizes */
typedef struct region_flood {
    mem *mem;
    region_unit unit;
    region_set *out;
    region_surface *surface;
    size_t surfaces, surface_capacity;
    region_visit *visit;
    size_t visits, visit_capacity;
    uint32_t *piece_slot;             /* [pieces] their visits */
    uint32_t *piece_first, *piece_at; /* their intervals: piece_at[piece_first[p]] on, as places in
                                         unit.border */
    size_t piece_slot_capacity, piece_first_capacity, piece_at_capacity;
    uint32_t *turn; /* the floods that go on */
    size_t turn_capacity;
    uint64_t *key; /* [visits] face << 32 | part, by regions */
    size_t key_capacity;
    uint64_t *in; /* work of region_parts_in */
    size_t in_capacity;
    region_found *found;
    size_t founds, found_capacity;
    region_bound *bound;
    size_t bounds, bound_capacity;
    uint32_t *mark; /* [marks] the vertices on contours: mesh->vertex is REGION_NONE; of others 1 if
                       the region that is listed has counted it */
    size_t marks, mark_capacity;
    uint64_t *pair; /* region << 32 | contour */
    size_t pairs, pair_capacity;
    uint32_t *parting; /* [contours] the last unit that it parts, from 1 on */
    uint32_t units;
    int64_t *by_segment; /* [2 * segments] the least region that it bounds, as of_contour */
} region_flood;

/* The least of numbers; -1: there is none yet. The two least ones, ascending. */
static inline int64_t region_lesser(int64_t x, int64_t y)
{
    return x < 0 || (y >= 0 && y < x) ? y : x;
}

static inline void region_keep_least(int64_t out[2], int64_t x)
{
    if (x < 0 || out[0] == x || out[1] == x)
        return;
    if (out[0] < 0 || x < out[0]) {
        out[1] = out[0];
        out[0] = x;
    } else {
        out[1] = region_lesser(out[1], x);
    }
}

/* The first of the parts of a face, which follow each other. */
static inline uint32_t region_first_part(const region_unit *u, uint32_t face, uint32_t *count)
{
    const uint32_t at = u->mesh->face_at[face];
    *count = at == REGION_NONE ? 1 : u->face[at].pieces;
    return at == REGION_NONE ? face : u->mesh->faces + u->face[at].piece;
}

/* The visit of a part, or REGION_NONE. */
static inline uint32_t region_slot(const region_flood *s, uint32_t part)
{
    const uint32_t faces = s->unit.mesh->faces;
    return part < faces ? s->unit.mesh->slot[part] : s->piece_slot[part - faces];
}

static inline uint32_t region_flood_of(region_visit *v, uint32_t slot)
{
    while (v[slot].root != slot) {
        v[slot].root = v[v[slot].root].root;
        slot = v[slot].root;
    }
    return slot;
}

/* The region of a part of a face. */
static inline uint32_t region_of(const region_flood *s, uint32_t face, uint32_t part)
{
    const uint32_t slot = region_slot(s, part);
    if (slot == REGION_NONE)
        return s->surface[s->unit.mesh->on[s->unit.mesh->surface[face]]].rest;
    return s->visit[region_flood_of(s->visit, slot)].region;
}

/* Lists in `in` the parts of a face that are in a region, as in `key`; *parts: their number.
 * Errors: MEMORY. */
int region_parts_in(region_flood *s, uint32_t region, uint32_t face, uint32_t *parts);

/* Finds the regions of what is cut. Errors: MEMORY. */
int region_flood_find(region_flood *s);

/* region_sides.c: chooses the regions that are listed, of those found. Errors: MEMORY. */
int region_choose(region_flood *s);

/* region_lists.c: adds them to the set; contours: of both objects. Errors: MEMORY. */
int region_list(region_flood *s, uint32_t contours);

#endif
