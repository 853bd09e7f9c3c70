/* The distance of two primitives: bounds and the nearest features of one pair at a time. The
 * formulas and their errors are in lane_distance.h. Vertices are fetched again for each way, since
 * those of two primitives fill the registers that an item of a GPU has. */
#ifndef IMP_DISTANCE_H
#define IMP_DISTANCE_H
#include "ccd.h"
#include "distance_code.h"
#ifdef IMP_FP64
#include "lane_distance.h"

/* The vertices of two primitives. */
typedef struct distance_pair {
    GLOBAL const f64 *x;
    GLOBAL const u32 *p, *q; /* [corners] */
    u32 corners;
} distance_pair;

FN distance_pair distance_pair_of(u32 corners, GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 i,
                                  u32 j)
{
    distance_pair r;
    r.x = x;
    r.p = corner + (size_t)corners * i;
    r.q = corner + (size_t)corners * j;
    r.corners = corners;
    return r;
}

/* ---- the limits of a pair */

typedef struct distance_limit {
    f64 below, above; /* DISTANCE_BELOW, DISTANCE_ABOVE */
} distance_limit;

/* By halves of thicknesses. A way, and what bounds it from below, errs by less than 2^-46
 * (lane_distance.h). */
FN distance_limit distance_limit_of(f64 half_a, f64 half_b)
{
    distance_limit r;
    f64 sum = half_a + half_b;
    r.below = sum * (1 - 0x1p-40) - 0x1p-44;
    r.above = sum * (1 + 0x1p-40) + 0x1p-44;
    r.below = r.below > 0 ? r.below * r.below : 0;
    r.above = r.above * r.above;
    return r;
}

/* frame: of both primitives i and j */
FN distance_limit distance_limit_at(GLOBAL const f64 *limit, u32 frame, u32 i, u32 j)
{
    distance_limit r;
    if (limit[0] < 0)
        return distance_limit_of(limit[DISTANCE_HALVES + i], limit[DISTANCE_HALVES + j]);
    r.below = limit[(size_t)DISTANCE_LIMITS * frame + DISTANCE_BELOW];
    r.above = limit[(size_t)DISTANCE_LIMITS * frame + DISTANCE_ABOVE];
    return r;
}

FN distance_edge distance_load_edge(distance_pair r, GLOBAL const u32 *p, u32 e)
{
    return distance_edge_make(v3_load(r.x, p[edge_corner(e, 0)]),
                              v3_load(r.x, p[edge_corner(e, 1)]));
}

FN distance_face distance_load_face(distance_pair r, GLOBAL const u32 *p, u32 f)
{
    return distance_face_make(v3_load(r.x, p[face_corner(r.corners, f, 0)]),
                              v3_load(r.x, p[face_corner(r.corners, f, 1)]),
                              v3_load(r.x, p[face_corner(r.corners, f, 2)]));
}

/* An item's scratch row: the shortest way so far and the square of its length. It is in memory, and
 * written after each way, so that no compiler keeps vertices in registers from one to the next
 * (narrow.cl). */
#define DISTANCE_SQUARE 3
#define DISTANCE_U 4
#define DISTANCE_V 5

FN void distance_note_begin(GLOBAL f64 *note)
{
    v3_put(v3_make(0, 0, 0), note);
    note[DISTANCE_SQUARE] = 0x1p1000;
}

FN v3 distance_note_way(GLOBAL const f64 *note)
{
    return v3_make(note[0], note[1], note[2]);
}

FN distance_way distance_note(GLOBAL const f64 *note)
{
    distance_way w;
    w.way = distance_note_way(note);
    w.square = note[DISTANCE_SQUARE];
    return w;
}

/* Notes a way if it is shorter; turned: as a way in the other direction. */
FN void distance_note_shorter(GLOBAL f64 *note, distance_way w, u32 turned)
{
    if (!(w.square < note[DISTANCE_SQUARE]))
        return;
    v3_put(turned ? distance_turned(w).way : w.way, note);
    note[DISTANCE_SQUARE] = w.square;
}

/* The shortest way of edge i of p and edge j of q, in four steps. */
FN void distance_note_edges(distance_pair r, u32 i, u32 j, GLOBAL f64 *note)
{
    note[DISTANCE_U] =
        distance_lines_s(distance_load_edge(r, r.p, i), distance_load_edge(r, r.q, j));
    note[DISTANCE_V] = distance_point_t(distance_load_edge(r, r.p, i),
                                        distance_load_edge(r, r.q, j), note[DISTANCE_U]);
    note[DISTANCE_U] = distance_point_s(distance_load_edge(r, r.p, i),
                                        distance_load_edge(r, r.q, j), note[DISTANCE_V]);
    distance_note_shorter(note,
                          distance_at_feet(distance_load_edge(r, r.p, i),
                                           distance_load_edge(r, r.q, j), note[DISTANCE_U],
                                           note[DISTANCE_V]),
                          0);
}

FN void distance_of_edges(distance_pair r, GLOBAL f64 *note)
{
    u32 edges = r.corners == 3 ? 3 : 6;
    ROLLED
    for (u32 i = 0; i < edges; i++) {
        ROLLED
        for (u32 j = 0; j < edges; j++)
            distance_note_edges(r, i, j, note);
    }
}

/* The way from a vertex to its foot on face f of q, in three steps. */
FN void distance_note_over(distance_pair r, GLOBAL const u32 *q, u32 f, u32 vertex, u32 turned,
                           GLOBAL f64 *note)
{
    note[DISTANCE_U] = distance_foot(distance_load_face(r, q, f), v3_load(r.x, vertex), 0);
    note[DISTANCE_V] = distance_foot(distance_load_face(r, q, f), v3_load(r.x, vertex), 1);
    distance_note_shorter(note,
                          distance_at_foot(distance_load_face(r, q, f), v3_load(r.x, vertex),
                                           note[DISTANCE_U], note[DISTANCE_V]),
                          turned);
}

/* From the vertices of p to the faces of q. */
FN void distance_of_faces(distance_pair r, GLOBAL const u32 *p, GLOBAL const u32 *q, u32 turned,
                          GLOBAL f64 *note)
{
    u32 faces = r.corners == 3 ? 1 : 4;
    ROLLED
    for (u32 f = 0; f < faces; f++) {
        ROLLED
        for (u32 k = 0; k < r.corners; k++)
            distance_note_over(r, q, f, p[k], turned, note);
    }
}

/* Notes the shortest way from p to q. */
FN void distance_shortest(distance_pair r, GLOBAL f64 *note)
{
    distance_note_begin(note);
    distance_of_edges(r, note);
    distance_of_faces(r, r.p, r.q, 0, note);
    distance_of_faces(r, r.q, r.p, 1, note);
}

/* The way of two features of triangles, named as in distance_code.h; its square is large if a foot
 * is not certainly inside a face. */
FN distance_way distance_way_of(distance_pair r, u32 features)
{
    if (features >= DISTANCE_EDGES)
        return distance_edges(distance_load_edge(r, r.p, (features - DISTANCE_EDGES) / 3),
                              distance_load_edge(r, r.q, (features - DISTANCE_EDGES) % 3));
    u32 turned = features >= DISTANCE_FACE;
    distance_way w = distance_over(
        distance_load_face(r, turned ? r.p : r.q, 0),
        v3_load(r.x, turned ? r.q[features - DISTANCE_FACE] : r.p[features - DISTANCE_VERTEX]));
    return turned ? distance_turned(w) : w;
}

/* The products of d with the vertices of p, relative to a point. */
FN distance_range distance_along(distance_pair r, GLOBAL const u32 *p, v3 d, v3 from)
{
    distance_range t = distance_range_one(v3_dot(v3_sub(v3_load(r.x, p[0]), from), d));
    ROLLED
    for (u32 k = 1; k < r.corners; k++)
        t = distance_range_add(t, v3_dot(v3_sub(v3_load(r.x, p[k]), from), d));
    return t;
}

FN f64 distance_least(distance_pair r, v3 d)
{
    v3 from = v3_load(r.x, r.p[0]);
    return distance_along(r, r.q, d, from).lo - distance_along(r, r.p, d, from).hi;
}

/* ---- two features: ccd_four (ccd.h), vertices in memory as ccd_ends has them */

FN v3 distance_end(GLOBAL const f64 *ends, u32 v)
{
    GLOBAL const f64 *row = ends + (size_t)CCD_ROW * v;
    return v3_make(row[0], row[1], row[2]);
}

FN distance_edge distance_end_edge(GLOBAL const f64 *ends, u32 from, u32 to)
{
    return distance_edge_make(distance_end(ends, from), distance_end(ends, to));
}

/* Notes the shortest way from the vertex to the face, or from the first edge to the second. */
FN void distance_shortest_of(GLOBAL const f64 *ends, ccd_four v, GLOBAL f64 *note)
{
    distance_note_begin(note);
    if (v.edges) {
        distance_note_shorter(
            note,
            distance_edges(distance_end_edge(ends, v.a, v.b), distance_end_edge(ends, v.c, v.d)),
            0);
        return;
    }
    distance_note_shorter(
        note,
        distance_over(distance_face_make(distance_end(ends, v.a), distance_end(ends, v.b),
                                         distance_end(ends, v.c)),
                      distance_end(ends, v.d)),
        0);
    ROLLED
    for (u32 k = 0; k < 3; k++) {
        u32 from = k == 0 ? v.a : k == 1 ? v.b : v.c, to = k == 0 ? v.b : k == 1 ? v.c : v.a;
        distance_note_shorter(
            note, distance_vertex_edge(distance_end(ends, v.d), distance_end_edge(ends, from, to)),
            0);
    }
}

/* The least product of such a way with those between vertices. */
FN f64 distance_least_of(GLOBAL const f64 *ends, ccd_four v, v3 way)
{
    v3 d = distance_end(ends, v.d), a = distance_end(ends, v.a), b = distance_end(ends, v.b),
       c = distance_end(ends, v.c);
    if (!v.edges)
        return lane_min3(v3_dot(v3_sub(a, d), way), v3_dot(v3_sub(b, d), way),
                         v3_dot(v3_sub(c, d), way));
    return lane_min(lane_min(v3_dot(v3_sub(c, a), way), v3_dot(v3_sub(d, a), way)),
                    lane_min(v3_dot(v3_sub(c, b), way), v3_dot(v3_sub(d, b), way)));
}

/* The number of the edge that lacks the vertex whose bit a set of two lacks. */
FN u32 distance_edge_of(u32 two)
{
    return two == 3 ? 0 : two == 6 ? 1 : 2;
}

/* The nearest features, from the sets of vertices that may be at the ends of the shortest way.
 * off_vertices: the end of the way from the only vertex of a is no vertex of the second triangle;
 * off_lines: no way from a vertex of one of the two edges ends on the other's line. So two edges
 * cross inside both, as seen along the way. */
FN u32 distance_code(u32 a, u32 b, u32 off_vertices, u32 off_lines)
{
    u32 in_a = bit_count(a), in_b = bit_count(b);
    if (in_b == 1)
        return DISTANCE_FACE + bit_lowest(b);
    if (in_a == 1 && off_vertices)
        return DISTANCE_VERTEX + bit_lowest(a);
    if (in_a == 2 && in_b == 2 && off_lines)
        return DISTANCE_EDGES + 3 * distance_edge_of(a) + distance_edge_of(b);
    return DISTANCE_OPEN;
}

FN i32 distance_corners_differ(GLOBAL const u32 *p)
{
    return p[0] != p[1] && p[0] != p[2] && p[1] != p[2];
}

#endif
#endif
