/* The skin of solids: of the faces of tetrahedra, voxels, hexahedra, wedges and pyramids those that
 * no other cell of the same part has. Faces are equal if they have the same vertices, by their
 * numbers, in the same order around the face or in the opposite one. */
#ifndef IMP_SKIN_H
#define IMP_SKIN_H

#include "mem.h"

#include <stddef.h>
#include <stdint.h>

/* Cells in the order in which they were added. */
typedef struct skin_cells {
    size_t count, corners; /* cells, and corners of all */
    size_t type_room, part_room, corner_room;
    uint8_t *type;    /* [count] VTK types */
    int32_t *part;    /* [count] */
    uint32_t *corner; /* [corners] of one cell after another */
} skin_cells;

/* Faces that need a remark: their number, and a cell that has the first of them. */
typedef struct skin_note {
    uint64_t count;
    size_t cell;
} skin_note;

/* Zeroed at first, except `mem`. Kept from frame to frame: the skin of the same cells is found
 * once. */
typedef struct skin {
    mem *mem;
    skin_cells now, before;
    size_t kept_room;
    uint8_t *kept;      /* [before.count] bit f: face f of the cell belongs to the skin */
    skin_note several;  /* faces of three cells or more; an odd number leaves that of the first */
    skin_note one_side; /* faces that two cells have in the same direction */
    int found;          /* `kept` is valid for `before` */
    int wedges_turned;  /* points 1 and 2, 4 and 5 of wedges change places */
    uint64_t searches;  /* how often faces were compared */
} skin;

#define SKIN_CORNERS 8 /* the most corners that a cell has */
#define SKIN_FACES 6

/* Number of corners of a solid of this VTK type; 0: it is none. */
uint32_t skin_corners(int type);

/* Face f of a cell, f < SKIN_FACES, outward, without corners that repeat. Returns their number, 3
 * or 4, or 0 if the cell has no such face, or one without an area. */
uint32_t skin_face(const skin *s, int type, const uint32_t *corner, int f, uint32_t out[4]);

/* A frame begins. */
void skin_start(skin *s);

/* Adds a solid of a part. Errors: MEMORY. */
int skin_add(skin *s, int type, int32_t part, const uint32_t *corner);

/* Finds the faces to keep of all cells added, of which `point` has the vertices. VTK's documents
 * and its code do not agree on the order of a wedge's points, so files have both: whether wedges
 * are turned is decided by their volumes. Errors: INPUT, MEMORY. */
int skin_find(skin *s, const double *point);

/* Leaves *s zeroed, except `mem`. */
void skin_free(skin *s);

#endif
