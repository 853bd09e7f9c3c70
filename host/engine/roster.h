/* Primitives that come and go, by name. Each has a place as long as it is there, whatever its
 * position in the mesh of a frame; the rooms are given a mesh of places, of which some are free, so
 * that bounds, tables and contacts of what stays can be kept (keep.h). A free place is a primitive
 * whose vertices are nowhere: it has no bounds, meets nothing, and counts as none.
 *
 * Places that are left are taken again: by who comes in the same frame and shares a vertex, else
 * the last first, since those near a cut are the next to be needed there. Where there is none left
 * all places are dealt out anew, with an eighth more than is needed, which makes an entry amortised
 * O(1). */
#ifndef IMP_ROSTER_H
#define IMP_ROSTER_H

#include "types.h"

#define ROSTER_NONE UINT32_MAX
#define ROSTER_SPARE 256u  /* more than that are needed, at least, places and vertices are made */
#define ROSTER_STRETCH 64u /* positions that are compared together */

/* What roster_match tells of ROSTER_STRETCH primitives of a mesh. */
typedef struct roster_stretch {
    uint32_t from;   /* all are the same, and stood from this position on; ROSTER_NONE: not so */
    uint64_t others; /* bit by bit: is it new, or other than it was? */
} roster_stretch;

typedef struct roster {
    int used;             /* does the frame at hand go through the rooms by places? */
    int dealt;            /* have places been dealt out for just this frame? */
    const imp_mesh *seen; /* the caller's mesh that the places are of; NULL: a model's */
    imp_mesh mesh;        /* of places; its arrays are these: */
    uint32_t *corner;
    uint8_t *own;
    int32_t *object;
    int64_t *name;
    imp_frame frame;    /* its points have room for some more vertices; the last one is nowhere */
    void *point;        /* [3 * mesh.vertices] of frame.type */
    uint32_t vertices;  /* of the caller's */
    uint32_t *uses;     /* [mesh.vertices] corners that a vertex is, */
    uint8_t *is_used;   /* and whether it is any */
    uint32_t *near;     /* [mesh.vertices] of roster_change; 0 */
    uint32_t *position; /* [mesh.primitives] in the caller's mesh, ROSTER_NONE: a free place */
    uint32_t *place;    /* [mesh.primitives] of each position, of which there are `count` */
    uint32_t *last;     /* the same of the frame before */
    uint32_t count;
    roster_stretch *stretch; /* of positions, one after another */
    uint32_t *vacant;        /* [vacancies] places that were left, */
    uint32_t vacancies;
    uint32_t fresh;             /* and those from here on that nobody had yet */
    uint32_t *bucket, mask;     /* of names: place + 1, or 0 */
    uint32_t *changed, changes; /* places whose primitive is another than in the frame before */
    uint8_t *is_changed;
    uint64_t turn; /* another whenever positions are others */
    mem *mem;
} roster;

/* What the rooms have of it on their device. */
typedef struct roster_copy {
    uint64_t turn; /* of the positions */
    buffer_u32 changed, corner, position;
    buffer_i32 object;
} roster_copy;

/* The next frame, of a mesh with names. r->used tells whether it can go by places: not where a
 * vertex is not finite. r->dealt: nothing can be kept. Errors: MEMORY. */
int roster_frame(const context *c, roster *r, const imp_frame *frame);

/* The same mesh again, with places dealt out anew. */
int roster_again(const context *c, roster *r, const imp_frame *frame);

void roster_free(roster *r);

/* ---- one by one */

/* How many to have room for: some more than are needed, `most` if that is less. */
static inline uint64_t roster_room(uint64_t need, uint64_t spare, uint64_t most)
{
    uint64_t n = need + spare + ROSTER_SPARE;
    return n < most ? n : most;
}

/* So many places and vertices, nobody there yet; what was is gone. Errors: MEMORY. */
int roster_open(mem *m, roster *r, uint32_t places, uint32_t verts, int corners, int type);

/* Room for so many more places and vertices; if there is too little, for half as many places again
 * and twice as many vertices. Those that are there stay where they are. *grown becomes 1 if arrays
 * are others now: nothing can be kept then. Errors: MEMORY, and the roster is as it was. */
int roster_grow(mem *m, roster *r, uint64_t places, uint64_t verts, int *grown);

/* Vertices that nobody has, up to `last`, are nowhere. */
void roster_nowhere(roster *r, uint32_t last);

/* Fibonacci hashing: names are mostly numbers in a row. */
static inline uint32_t roster_hash(int64_t name)
{
    return (uint32_t)((uint64_t)name * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The place of that name, or ROSTER_NONE. */
uint32_t roster_find(const roster *r, int64_t name);

/* A place that is vacant, which there must be, for who is to enter. */
uint32_t roster_vacate(roster *r);

/* corner: own of them, or more. Who calls says which position it has. */
void roster_enter(roster *r, uint32_t place, int64_t name, const uint32_t *corner, uint8_t own,
                  int32_t object);
void roster_leave(roster *r, uint32_t place);

/* What is at a place becomes something else of the same name. */
void roster_alter(roster *r, uint32_t place, const uint32_t *corner, uint8_t own, int32_t object);

static inline uint32_t roster_vacant(const roster *r)
{
    return r->vacancies + (r->mesh.primitives - r->fresh);
}

/* Free places. */
static inline uint32_t roster_absent(const roster *r)
{
    return r->mesh.primitives - r->count;
}

/* ---- a mesh after another: roster_match.c, roster_change.c */

/* Where every primitive of the mesh was, in r->last; ROSTER_NONE: it is new; r->stretch tells which
 * are others. The order in which those stand that were there must be the one of before, else
 * contacts of pairs that did not move would be others to the last bit: returns 0. */
int roster_match(const context *c, roster *r, const imp_mesh *m);

/* After it: who is not in the mesh leaves, who is new enters, who is another is altered. Errors:
 * MEMORY, and all are where they were. */
int roster_change(const context *c, roster *r, const imp_mesh *m);

/* Those at `count` places leave, which r->vacant lists behind r->vacancies; the primitives of `by`
 * enter, for which there are places. Their positions are their places, as all are of a model.
 * Errors: MEMORY, and all are where they were. */
int roster_exchange(mem *m, roster *r, uint32_t count, const imp_mesh *by);

/* Every place's position, from r->place. */
void roster_positions(const context *c, roster *r, const imp_mesh *m);

/* ---- for the rooms: roster_rooms.c */

/* The primitives that changed count as moved. */
int roster_mark(const context *c, const roster *r, roster_copy *d, buffer_u8 *moved);

/* Their corners and objects, as the rooms have them. */
int roster_write(const context *c, roster_copy *d, const block *b, bounds *o);

/* Of each pair the primitive that comes first in the caller's mesh becomes a. */
int roster_orient(const context *c, const roster *r, roster_copy *d, pairs *p);

void roster_copy_free(const context *c, roster_copy *d);

/* Which vertices primitives have. used: [mesh.vertices] */
void roster_used(const roster *r, uint8_t *used);

/* The changes have been taken up. */
void roster_settled(roster *r);

#endif
