/* A topology as OBJ files of a sequence have it, and what becomes of it: polygons are cut into
 * triangles and vertices welded. Later files of the same faces are cut and welded like the first,
 * so that theirs stays the same; only where triangles would be wrong it changes. */
#ifndef IMP_TOPOLOGY_H
#define IMP_TOPOLOGY_H

#include "impinge.h"
#include "obj.h"

typedef struct topology {
    uint32_t vertices, triangles; /* as read */
    uint32_t *triangle;           /* as read */
    int32_t *group;
    uint32_t polygons;
    obj_polygon *polygon;
    uint32_t *cut;    /* triangles after cutting; NULL: as read */
    uint32_t *map;    /* of welding; NULL without */
    uint32_t *welded; /* triangles as written */
    imp_mesh mesh;    /* of it */
} topology;

int topology_same(const topology *t, const obj *o);

/* Takes over the arrays of o but its points, cuts, and welds unless `tolerance` is negative. The
 * old contents of t are freed. *crossing: faces that cross themselves. */
int topology_take(topology *t, const char *file, double tolerance, obj *o, obj_faces *crossing);

/* o has the same faces as t. If triangles of t are wrong at o's points and there are right ones,
 * *next becomes that topology; *changed: of how many faces. */
int topology_change(const topology *t, const char *file, const obj *o, topology *next,
                    obj_faces *changed);

/* Brings the points of o, which has these faces, in the order of the mesh. */
void topology_apply(const topology *t, obj *o);

void topology_free(topology *t);

#endif
