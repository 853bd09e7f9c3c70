/* A topology as files of a sequence have it, and what becomes of it: polygons are cut into
 * triangles and vertices welded. Later files of the same faces are cut and welded like the first,
 * so that theirs stays the same; only where triangles would be wrong it changes. */
#ifndef IMP_TOPOLOGY_H
#define IMP_TOPOLOGY_H

#include "impinge.h"
#include "file_shape.h"

typedef struct topology {
    file_shape read;         /* without points and values */
    uint32_t *triangulated;  /* corners after cutting; NULL: as read */
    file_shape_welding weld; /* zeroed without */
    uint32_t *welded;        /* corners as written */
    imp_mesh mesh;           /* of it */
} topology;

int topology_same(const topology *t, const file_shape *o);

/* Are the vertices that were welded within the tolerance of each other in o, which has these faces,
 * too? If not, o has another topology. */
int topology_holds(const topology *t, double tolerance, const file_shape *o);

/* Takes over the arrays of o except its points and values, cuts, and welds unless `tolerance` is
 * negative. The old contents of t are freed. *crossing: faces that cross themselves. */
int topology_set(topology *t, const char *file, double tolerance, file_shape *o,
                 file_shape_note *crossing);

/* o has the same faces as t. If triangles of t are wrong at o's points and there are right ones,
 * *next becomes that topology; *changed: of how many faces. */
int topology_change(const topology *t, const char *file, const file_shape *o, topology *next,
                    file_shape_note *changed);

/* Brings the points of o, which has these faces, in the order of the mesh. */
void topology_apply(const topology *t, file_shape *o);

void topology_free(topology *t);

#endif
