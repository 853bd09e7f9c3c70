/* Within host/events: elements of primitives, patches of a frame. */
#ifndef IMP_EVENT_PARTS_H
#define IMP_EVENT_PARTS_H

#include "impinge.h"
#include "mem.h"
#include "store.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Numbers of vertices and primitives, the same in all frames. */

#define PRIM_VERTICES 4

/* A primitive of a mesh. */
typedef struct event_prim {
    int64_t id;
    int32_t object;
    uint32_t number; /* from 1 on, as are those of vertices */
    uint32_t vertices, vertex[PRIM_VERTICES];
    uint32_t counted; /* the last event that has it among its primitives, plus 1; 0: none yet */
} event_prim;

typedef struct event_prims {
    event_prim *prim;
    size_t count, capacity;
} event_prims;

typedef struct element_entry {
    uint64_t name;
    int32_t object;
    uint32_t number; /* 0: the entry is free */
} element_entry;

/* A hash table from (object, name) to consecutive numbers from 1 on. */
typedef struct element_table {
    element_entry *entry; /* [capacity], a power of two, or 0 */
    size_t capacity, count;
} element_table;

typedef struct event_elements {
    mem *mem;
    const imp_mesh *mesh;
    const uint32_t *number; /* [primitives] numbers in the frame, ascending; NULL: their indices */
    uint64_t meshes;        /* meshes so far, without those that no frame was added of */
    int mesh_changed;       /* no frame of the mesh was added yet */
    uint32_t *index;   /* [mesh primitives] 1 + the index among the mesh's prims; 0: none yet */
    event_prims of[2]; /* of[meshes % 2]: the mesh; the other one: the mesh before it */
    element_table of_prims, of_vertices;
    int64_t *id; /* [of_prims.count + 1] ids of primitives by number */
    size_t id_capacity;
    uint64_t *counted; /* a hash set of (event, primitive): event_elements_count */
    size_t counted_capacity, counted_count;
} event_elements;

/* Sets the mesh of the rows from now on. Errors: MEMORY. */
int event_elements_mesh(event_elements *e, const imp_mesh *mesh, const uint32_t *number);
void event_elements_free(event_elements *e);

/* Finds the primitive of a row by its number in the frame; *prim: index among the mesh's prims.
 * Errors: MEMORY; INPUT, without a text, if the mesh lacks it. */
int event_elements_find(event_elements *e, int64_t number, int64_t id, int32_t object,
                        uint32_t *prim);

/* Adds a primitive to those of an event. Errors: MEMORY. */
int event_elements_count(event_elements *e, size_t event, event_prim *prim);

/* Lists all (event, primitive) in order of events, then ids: (*id)[pairs], and for each of `events`
 * events the first of its ids and the end of the last one in (*begin)[events + 1]. Both are the
 * caller's. Errors: MEMORY. */
int event_elements_list(const event_elements *e, size_t events, int64_t **id, size_t **begin);

/* ---- Patches of a frame. */

typedef struct contact_patch {
    int32_t a, b; /* objects, a <= b */
    size_t first; /* its first row in the order of pairs */
    uint64_t rows;
    size_t part;   /* its part of an event, once that is known */
    size_t parent; /* the oldest part that is linked to it */
} contact_patch;

/* The rows around each vertex or primitive: those that have it on the first side, and rows within
 * one object also those that have it on the other side. */
typedef struct patch_around {
    struct patch_slot *slot; /* [slots] by number: where its list is */
    uint32_t *begin;         /* [lists + 1] */
    uint32_t *row;           /* twice the row, plus the side; [begin[lists]] */
    uint32_t *number;        /* [lists] of the vertex or primitive */
    size_t slots, lists, begin_capacity, row_capacity, number_capacity;
    uint32_t stamp; /* marks the slots that the current frame uses */
} patch_around;

/* Rows are numbered in the order of their pairs of primitives. All zero at first, except mem. */
typedef struct patch_frame {
    mem *mem;
    uint64_t mesh; /* event_elements.meshes */
    size_t rows, patches;
    uint32_t *order;      /* [rows] positions in the given rows */
    uint32_t (*prim)[2];  /* [rows] primitives, that of the lower object first */
    uint32_t *patch_of;   /* [rows] */
    contact_patch *patch; /* [patches] in order of their first rows */
    patch_around around;  /* of vertices */
    size_t row_capacity, patch_capacity;
} patch_frame;

/* Marks of vertices or primitives by number. */
typedef struct patch_marks {
    struct patch_mark *mark; /* [count] */
    size_t count;
    uint32_t stamp; /* the last one used */
} patch_marks;

/* Finds the patches of a frame. Errors: MEMORY; INPUT, if a row has a primitive that the mesh
 * lacks. */
int patch_frame_find(patch_frame *f, event_elements *e, patch_marks *marks, const char *path,
                     uint64_t frame, const result_rows *rows);
void patch_frame_free(patch_frame *f);

/* A patch and one of the frame before that it is linked to. */
typedef struct patch_link {
    uint32_t now, before;
} patch_link;

typedef struct patch_links {
    mem *mem;
    patch_link *link; /* each once, in order of `now`, then `before` */
    size_t count, capacity;
} patch_links;

/* Errors: MEMORY. */
int patch_links_find(patch_links *l, const patch_frame *now, const patch_frame *before,
                     const event_elements *e, patch_marks *marks);

#endif
