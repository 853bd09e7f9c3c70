/* A topology as in the files of a sequence, and its processed form: polygons are cut into triangles
 * and vertices welded. Later files with the same faces are cut and welded like the first, so that
 * their topology stays the same; it changes only where triangles would be wrong. */
#ifndef IMP_TOPOLOGY_H
#define IMP_TOPOLOGY_H

#include "impinge.h"
#include "file_shape.h"

typedef struct topology {
    file_shape read;         /* without points and values */
    uint32_t *triangulated;  /* corners after cutting; NULL: as read */
    file_shape_welding weld; /* zeroed without */
    uint32_t *welded;        /* corners as written */
    imp_mesh mesh;           /* the processed mesh */
} topology;

int topology_same(const topology *t, const file_shape *o);

/* Returns whether the welded vertices are within the tolerance of each other in o as well, which
 * must have these faces. If not, o has another topology. */
int topology_holds(const topology *t, double tolerance, const file_shape *o);

/* Takes ownership of the arrays of o except its points and values, cuts, and welds unless
 * `tolerance` is negative. The old contents of t are freed. *crossing: self-intersecting faces. */
int topology_set(topology *t, const char *file, double tolerance, file_shape *o,
                 file_shape_note *crossing);

/* o must have the same faces as t. If triangles of t are wrong at o's points and correct ones
 * exist, *next becomes that topology; *changed: the number of such faces. */
int topology_change(const topology *t, const char *file, const file_shape *o, topology *next,
                    file_shape_note *changed);

/* Reorders the points of o, which must have these faces, as in the mesh. */
void topology_apply(const topology *t, file_shape *o);

void topology_free(topology *t);

#endif
