/* What the contours of an object with another one do to its edges and faces. A part is a face that
 * no contour enters, by its number, or a piece of a face: mesh->faces + the number of the piece. */
#ifndef IMP_REGION_UNIT_H
#define IMP_REGION_UNIT_H

#include "region_mesh.h"
#include "region_points.h"

/* A segment in a face, or along an edge. Its ends: 2 * node + which of the node's features is of
 * the object; of a segment along an edge: the first of the edge's intervals that it covers, and the
 * one after the last. */
typedef struct region_cut {
    uint32_t at, segment, end[2];
} region_cut;

/* An edge with points of contours, which divide it into points + 1 intervals, from the lower vertex
 * on. */
typedef struct region_edge {
    uint32_t edge, ends, points;
    uint32_t first;   /* points: edge_point[first] on */
    uint32_t blocked; /* intervals: blocked[blocked] on */
} region_edge;

/* A face in pieces. */
typedef struct region_face {
    uint32_t face, piece, pieces; /* the first piece */
    uint32_t border[3];           /* pieces at the intervals of each edge: border[border[k]] on */
    uint32_t first, cuts;         /* segments in it: face_cut[first] on */
} region_face;

/* Two different parts on either side of a segment. */
typedef struct region_side {
    uint32_t segment, face, part[2];
} region_side;

/* members: arrays with their sizes */
typedef struct region_unit {
    mem *mem;
    region_space space;
    const region_mesh *mesh;
    const region_object *object;
    int32_t other;
    region_cut *face_cut, *edge_cut;
    region_cut *inner; /* [inners] edges of faces without an area: only `at` and end[0] */
    size_t inners, inner_capacity;
    size_t face_cuts, edge_cuts, face_cut_capacity, edge_cut_capacity;
    uint32_t *place; /* [2 * nodes] of ends: on an edge its point's number, in a face that of the
                        arrangement */
    region_edge *edge;
    size_t edges, edge_capacity;
    region_point *edge_point;
    size_t edge_points, edge_point_capacity;
    uint8_t *blocked; /* of intervals: a contour runs along it */
    size_t blockeds, blocked_capacity;
    region_face *face;
    size_t faces, face_capacity;
    uint32_t *border;
    size_t borders, border_capacity;
    double *share; /* [pieces] the part of the face's area */
    size_t pieces, share_capacity;
    region_side *side;
    size_t sides, side_capacity;
    struct region_arrangement *arrangement; /* work of region_cut_faces */
} region_unit;

/* Makes room for n elements of `size` bytes; the first `keep` remain. */
int region_room(mem *m, size_t keep, size_t n, size_t *capacity, size_t size, void *inout);

static inline const contour_feature *region_feature(const region_unit *u, uint32_t end)
{
    return &u->space.graph->node[end / 2].of[end % 2];
}

/* The edge of a face between two vertices, in ascending order; or REGION_NONE. */
static inline uint32_t region_edge_between(const region_mesh *s, uint32_t face, uint32_t v,
                                           uint32_t w)
{
    for (size_t k = 0; k < 3; k++) {
        const uint32_t e = s->edge[3 * (size_t)face + k];
        if (e != REGION_NONE && s->end[2 * (size_t)e] == v && s->end[2 * (size_t)e + 1] == w)
            return e;
    }
    return REGION_NONE;
}

/* The part of a face at an interval of its edge k. */
static inline uint32_t region_part_at(const region_unit *u, uint32_t face, int k, uint32_t interval)
{
    const uint32_t at = u->mesh->face_at[face];
    return at == REGION_NONE ? face : u->border[u->face[at].border[k] + interval];
}

/* The number of an edge among those of a face. */
static inline int region_edge_number(const region_mesh *s, uint32_t face, uint32_t edge)
{
    const uint32_t *e = s->edge + 3 * (size_t)face;
    return e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
}

/* region_edges.c: divides the edges that have ends of cuts. Errors: MEMORY. */
int region_cut_edges(region_unit *u);

/* region_stacks.c: returns whether a face has a point that is not finite: it is left out, as by
 * contacts. */
int region_left_out(const region_unit *u, uint32_t face);

/* region_stacks.c: adds the faces without an area at edges with ends; finds the ends on outer edges
 * of several side by side that are also on their inner edges. list: of edge i the ends up to
 * list[last[i]]. Errors: MEMORY. */
int region_add_needles(region_unit *u, const uint32_t *last, const uint32_t *list);

/* region_faces.c: brings the segments in each face together. Errors: MEMORY. */
int region_group_cuts(region_unit *u);

/* region_faces.c: divides the faces with cuts. Errors: MEMORY. */
int region_cut_faces(region_unit *u);
void region_arrangement_free(region_unit *u);

#endif
