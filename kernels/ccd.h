/* Feature pairs of two primitives, and their test between two instants, one pair at a time.
 *
 * Corners, edges and faces of a primitive are numbered as in VTK. Edges: 0 (0,1), 1 (1,2),
 * 2 (2,0), 3 (0,3), 4 (1,3), 5 (2,3). Faces of a tetrahedron: 0 (0,1,3), 1 (1,2,3), 2 (2,0,3),
 * 3 (0,2,1); in a block with tetrahedra a triangle has the last one, else face 0, (0,1,2).
 *
 * The feature pairs of a primitive pair are numbered by the bits of a mask.
 * Two triangles have one word:
 *
 *     i                            corner i of a, b
 *     3 + j                        a, corner j of b
 *     6 + 3 i + j                  edge i of a, edge j of b
 *
 * In a block with tetrahedra there are three:
 *
 *     word 0       4 i + j         corner i of a, face j of b
 *                  16 + 4 i + j    face i of a, corner j of b
 *     words 1, 2   8 i + j         edge i of a (word 2: 3 + i), edge j of b */
#ifndef IMP_CCD_H
#define IMP_CCD_H
#include "prim.h"
#include "tri_contact.h"
#ifdef IMP_FP64
#include "lane_ccd.h"

#define CCD_ROW 8 /* words of a vertex: position, number, position at the other instant, frame */
#define CCD_NUMBER 3
#define CCD_TO 4
#define CCD_FRAME 7       /* index of the frame number */
#define CCD_NUMBER_BITS 7 /* bits of a feature pair's number */
#define CCD_HALVINGS 8    /* most halvings of the step */
#define CCD_MOMENTS 256u  /* shortest intervals in a step */
#define CCD_MOMENT (1.0 / CCD_MOMENTS)
#define CCD_CHUNK 64u /* pairs that an item halves on CPUs */

/* Number of words of a mask. Edges 3, 4, 5 exist in tetrahedra only. */
FN u32 ccd_words(u32 corners)
{
    return corners == 3 ? 1 : 3;
}

/* The bits of a word that are edge-edge pairs, or else point-face pairs. */
FN u32 ccd_kind(u32 words, u32 word, u32 edges)
{
    u32 of_edges = words == 1 ? 0x7fc0u : word == 0 ? 0 : ~0u;
    return edges ? of_edges : ~of_edges;
}

/* ---- representative features of a primitive (Curtis, Tamstorf, Manocha 2008: R-triangles): bits
 * 0..3 corners, 4..9 edges, 10..13 faces */

FN u32 rep_corners(u32 rep)
{
    return rep & 15;
}

FN u32 rep_edges(u32 rep)
{
    return rep >> 4 & 63;
}

FN u32 rep_faces(u32 rep)
{
    return rep >> 10 & 15;
}

/* 4 i + j for each i and j in these sets */
FN u32 ccd_product4(u32 i, u32 j)
{
    return ((i & 1) | (i & 2) << 3 | (i & 4) << 6 | (i & 8) << 9) * j;
}

/* 8 i + j for the first three i */
FN u32 ccd_product8(u32 i, u32 j)
{
    return ((i & 1) | (i & 2) << 7 | (i & 4) << 14) * j;
}

/* 3 i + j for three i and three j */
FN u32 ccd_product3(u32 i, u32 j)
{
    return ((i & 1) | (i & 2) << 2 | (i & 4) << 4) * j;
}

/* The pairs of representative features of two triangles. */
FN u32 ccd_rep_triangles(u32 p, u32 q)
{
    return rep_faces(q) * rep_corners(p) | rep_faces(p) * rep_corners(q) << 3 |
           ccd_product3(rep_edges(p), rep_edges(q)) << 6;
}

/* A word of the pairs of representative features of two primitives: p those of a, q those of b. */
FN u32 ccd_rep(u32 corners, u32 word, u32 p, u32 q)
{
    if (corners == 3)
        return ccd_rep_triangles(p, q);
    if (word == 0)
        return ccd_product4(rep_corners(p), rep_faces(q)) |
               ccd_product4(rep_faces(p), rep_corners(q)) << 16;
    return ccd_product8(rep_edges(p) >> (word == 1 ? 0 : 3), rep_edges(q));
}

/* Each feature pair of a tetrahedron with itself once: a corner before its face, edge i before j >
 * i. */
FN u32 ccd_own(u32 word)
{
    return word == 0 ? 0xffffu : word == 1 ? 0x383c3eu : 0x2030u;
}

/* ---- numbers */

FN u32 edge_corner(u32 e, u32 end)
{
    return (end ? 0xfc9u : 0x924u) >> 2 * e & 3;
}

FN u32 face_corner(u32 corners, u32 f, u32 k)
{
    return corners == 3 ? k : (k == 0 ? 0x24u : k == 1 ? 0x89u : 0x7fu) >> 2 * f & 3;
}

FN u32 number_edges(u32 corners, u32 number)
{
    return number >= (corners == 3 ? 6 : 32);
}

#define KIND_CORNER_FACE 0
#define KIND_FACE_CORNER 1
#define KIND_EDGES 2

/* Features i of a and j of b. */
typedef struct ccd_two {
    u32 kind, i, j;
} ccd_two;

FN ccd_two ccd_two_triangles(u32 number)
{
    ccd_two t;
    u32 of = number - (number < 6 ? 0 : 6), third = (of * 11) >> 5; /* = of / 3 */
    t.kind = number < 6 ? third : KIND_EDGES;
    t.i = number < 6 ? of : third;
    t.j = of - 3 * third;
    if (t.kind == KIND_CORNER_FACE)
        t.j = 0;
    if (t.kind == KIND_FACE_CORNER)
        t.i = 0;
    return t;
}

FN ccd_two ccd_two_of(u32 corners, u32 number)
{
    if (corners == 3)
        return ccd_two_triangles(number);
    ccd_two t;
    u32 edges = number >= 32;
    t.kind = edges ? KIND_EDGES : number >> 4;
    t.i = edges ? (number >> 3 & 3) + (number >= 64 ? 3 : 0) : number >> 2 & 3;
    t.j = number & (edges ? 7 : 3);
    return t;
}

/* kind << 8 | i << 4 | j, the code of feature_tests.h */
FN u32 number_code(u32 corners, u32 number)
{
    ccd_two t = ccd_two_of(corners, number);
    return t.kind << 8 | t.i << 4 | t.j;
}

/* ---- vertices of a feature pair: triangle a b c and point d, or edges a b and c d */

typedef struct ccd_four {
    u32 a, b, c, d, edges;
} ccd_four;

/* p, q: the corners of both primitives */
FN ccd_four ccd_four_edges(ccd_two t, GLOBAL const u32 *p, GLOBAL const u32 *q)
{
    ccd_four v;
    v.a = p[edge_corner(t.i, 0)];
    v.b = p[edge_corner(t.i, 1)];
    v.c = q[edge_corner(t.j, 0)];
    v.d = q[edge_corner(t.j, 1)];
    v.edges = 1;
    return v;
}

FN ccd_four ccd_four_face(ccd_two t, u32 corners, GLOBAL const u32 *p, GLOBAL const u32 *q)
{
    ccd_four v;
    u32 other = t.kind == KIND_FACE_CORNER;
    GLOBAL const u32 *point = other ? q : p, *face = other ? p : q;
    u32 k = other ? t.j : t.i, f = other ? t.i : t.j;
    v.a = face[face_corner(corners, f, 0)];
    v.b = face[face_corner(corners, f, 1)];
    v.c = face[face_corner(corners, f, 2)];
    v.d = point[k];
    v.edges = 0;
    return v;
}

FN ccd_four ccd_four_of(u32 number, u32 corners, GLOBAL const u32 *p, GLOBAL const u32 *q)
{
    ccd_two t = ccd_two_of(corners, number);
    return t.kind == KIND_EDGES ? ccd_four_edges(t, p, q) : ccd_four_face(t, corners, p, q);
}

/* Returns whether the features share a vertex, by index. */
FN i32 ccd_share(ccd_four v)
{
    i32 ad = v.a == v.d, bd = v.b == v.d;
    return v.edges ? ad | bd | (v.a == v.c) | (v.b == v.c) : ad | bd | (v.c == v.d);
}

/* ---- from memory: ends[CCD_ROW v ..] of vertex v */

FN reach ccd_reach(GLOBAL const f64 *ends, u32 v)
{
    GLOBAL const f64 *row = ends + (size_t)CCD_ROW * v;
    return reach_of(v3_make(row[0], row[1], row[2]),
                    v3_make(row[CCD_TO], row[CCD_TO + 1], row[CCD_TO + 2]));
}

/* Returns whether their closed boxes over both instants overlap after one grows by the gap. */
FN i32 ccd_near(GLOBAL const f64 *ends, ccd_four v, f64 gap)
{
    reach p = reach_join(ccd_reach(ends, v.a), ccd_reach(ends, v.b));
    reach q = ccd_reach(ends, v.d), c = ccd_reach(ends, v.c);
    if (v.edges)
        q = reach_join(q, c);
    else
        p = reach_join(p, c);
    if (gap > 0) {
        v3 by = v3_make(gap, gap, gap);
        p.lo = v3_sub(p.lo, by);
        p.hi = v3_add(p.hi, by);
    }
    return reach_meet(1, p, q);
}

/* Vertex v at an instant, 0 or 1, with the requested axis as x. */
FN v3 ccd_point(GLOBAL const f64 *ends, u32 v, u32 axis, u32 instant)
{
    GLOBAL const f64 *p = ends + (size_t)CCD_ROW * v + (size_t)CCD_TO * instant;
    return v3_make(p[axis], p[axis == 2 ? 0 : axis + 1], p[axis == 0 ? 2 : axis - 1]);
}

/* the vector from vertex v to vertex w */
FN v3 ccd_arrow(GLOBAL const f64 *ends, u32 v, u32 w, u32 axis, u32 instant)
{
    return v3_sub(ccd_point(ends, w, axis, instant), ccd_point(ends, v, axis, instant));
}

FN v3 ccd_fetch_e(GLOBAL const f64 *ends, ccd_four v, u32 axis, u32 instant)
{
    return ccd_arrow(ends, v.a, v.b, axis, instant);
}

FN v3 ccd_fetch_f(GLOBAL const f64 *ends, ccd_four v, u32 axis, u32 instant)
{
    return ccd_arrow(ends, v.edges ? v.c : v.a, v.edges ? v.d : v.c, axis, instant);
}

FN v3 ccd_fetch_g(GLOBAL const f64 *ends, ccd_four v, u32 axis, u32 instant)
{
    return ccd_arrow(ends, v.a, v.edges ? v.c : v.d, axis, instant);
}

FN ccd_vectors ccd_fetch(GLOBAL const f64 *ends, ccd_four v, u32 axis, u32 instant)
{
    ccd_vectors r;
    r.e = ccd_fetch_e(ends, v, axis, instant);
    r.f = ccd_fetch_f(ends, v, axis, instant);
    r.g = ccd_fetch_g(ends, v, axis, instant);
    return r;
}

/* ---- verdicts, axis by axis: all vectors at once are too many for a GPU's registers */

/* D, and the product of the sizes, to which its error is proportional. */
typedef struct ccd_volumes {
    cubic d;
    f64 size;
} ccd_volumes;

FN ccd_volumes ccd_volumes_zero(void)
{
    ccd_volumes d;
    d.d = cubic_zero();
    d.size = 1;
    return d;
}

/* Adds the term of one axis, from the vectors at 0 and 1 and at both ends of the interval. */
FN ccd_volumes ccd_volumes_add(ccd_volumes d, ccd_vectors p, ccd_vectors q, ccd_vectors s,
                               ccd_vectors t)
{
    d.d = cubic_add(d.d, quad_cross(s.e, t.e, s.f, t.f), s.g.x, t.g.x);
    d.size *= ccd_size(p, q);
    return d;
}

#define CCD_OPEN TRI_NEAR

/* TRI_APART or CCD_OPEN for the whole step, by D alone: enough for most pairs. */
FN u8 ccd_decide_first(GLOBAL const f64 *ends, ccd_four v)
{
    ccd_volumes d = ccd_volumes_zero();
    ROLLED
    for (u32 axis = 0; axis < 3; axis++) {
        ccd_vectors p = ccd_fetch(ends, v, axis, 0), q = ccd_fetch(ends, v, axis, 1);
        d = ccd_volumes_add(d, p, q, p, q);
    }
    return cubic_beside(d.d, ccd_volume_error(d.size)) ? TRI_APART : CCD_OPEN;
}

/* A GPU item's scratch row for its pair; its registers hold only a part of it.
 *
 *     0, 9      e, f, g at time 0, at time 1
 *     18, 27    at both ends of an interval
 *     36        ccd_size along each axis */
#define CCD_NOTE 40
#define NOTE_TO 9
#define NOTE_S 18
#define NOTE_T 27
#define NOTE_SIZE 36

FN void ccd_note_put(GLOBAL f64 *note, ccd_vectors r)
{
    v3_put(r.e, note);
    v3_put(r.f, note + 3);
    v3_put(r.g, note + 6);
}

/* a vector with the requested axis as x */
FN v3 ccd_note_vector(GLOBAL const f64 *note, u32 axis)
{
    return v3_make(note[axis], note[axis == 2 ? 0 : axis + 1], note[axis == 0 ? 2 : axis - 1]);
}

FN ccd_vectors ccd_note_vectors(GLOBAL const f64 *note, u32 axis)
{
    ccd_vectors r;
    r.e = ccd_note_vector(note, axis);
    r.f = ccd_note_vector(note + 3, axis);
    r.g = ccd_note_vector(note + 6, axis);
    return r;
}

FN void ccd_note_begin(GLOBAL f64 *note, GLOBAL const f64 *ends, ccd_four v)
{
    ccd_note_put(note, ccd_fetch(ends, v, 0, 0));
    ccd_note_put(note + NOTE_TO, ccd_fetch(ends, v, 0, 1));
    ROLLED
    for (u32 axis = 0; axis < 3; axis++)
        note[NOTE_SIZE + axis] =
            ccd_size(ccd_note_vectors(note, axis), ccd_note_vectors(note + NOTE_TO, axis));
}

FN void ccd_note_cut(GLOBAL f64 *note, f64 s, f64 t)
{
    ROLLED
    for (u32 k = 0; k < 9; k += 3) {
        v3 p = ccd_note_vector(note + k, 0), q = ccd_note_vector(note + NOTE_TO + k, 0);
        v3_put(v3_between(p, q, s), note + NOTE_S + k);
        v3_put(v3_between(p, q, t), note + NOTE_T + k);
    }
}

/* *verdict: TRI_APART if D certainly has no root in the interval. Returns whether it certainly has
 * one. */
FN i32 ccd_note_volume(GLOBAL const f64 *note, GLOBAL u8 *verdict)
{
    cubic d = cubic_zero();
    ROLLED
    for (u32 axis = 0; axis < 3; axis++) {
        ccd_vectors s = ccd_note_vectors(note + NOTE_S, axis),
                    t = ccd_note_vectors(note + NOTE_T, axis);
        d = cubic_add(d, quad_cross(s.e, t.e, s.f, t.f), s.g.x, t.g.x);
        *verdict = (u8)axis;
    }
    v3 size = ccd_note_vector(note + NOTE_SIZE, 0);
    f64 error = ccd_volume_error(size.x * size.y * size.z);
    *verdict = cubic_beside(d, error) ? TRI_APART : CCD_OPEN;
    return cubic_crosses(d, error);
}

/* Area k of the four, a product of two vectors (ccd_areas), seen along an axis. */
FN quad ccd_note_area(GLOBAL const f64 *note, u32 k, u32 axis, u32 edges)
{
    u32 first = k == 0 || (k == 1 && edges) ? 6 : 0, second = k == 1 ? (edges ? 0 : 6) : 3;
    f64 less = k == (edges ? 3 : 2) ? -1 : 0, more = k == 2 ? (edges ? 1 : -1) : 0;
    v3 u[2], v[2];
    for (u32 i = 0; i < 2; i++) {
        GLOBAL const f64 *at = note + (i ? NOTE_T : NOTE_S);
        v3 g = ccd_note_vector(at + 6, axis);
        u[i] = v3_add(ccd_note_vector(at + first, axis), v3_scale(g, less));
        v[i] = v3_add(ccd_note_vector(at + second, axis), v3_scale(g, more));
    }
    return quad_cross(u[0], u[1], v[0], v[1]);
}

/* *verdict: TRI_APART if the areas along an axis certainly separate the features throughout the
 * interval. Returns whether all four certainly have one sign. */
FN i32 ccd_note_areas(GLOBAL const f64 *note, u32 axis, u32 edges, GLOBAL u8 *verdict)
{
    ccd_spread r = ccd_spread_none();
    ROLLED
    for (u32 k = 0; k < 4; k++) {
        r = ccd_spread_add(r, ccd_note_area(note, k, axis, edges));
        *verdict = (u8)k;
    }
    v3 size = ccd_note_vector(note + NOTE_SIZE, axis);
    ccd_signs sign = ccd_signs_of(r, ccd_area_error(size.y, size.z));
    *verdict = sign.apart ? TRI_APART : CCD_OPEN;
    return sign.agree;
}

/* *verdict: TRI_APART if one feature is certainly beyond the other along an axis throughout the
 * interval. */
FN void ccd_note_gap(GLOBAL const f64 *note, u32 axis, u32 edges, GLOBAL u8 *verdict)
{
    ccd_vectors s = ccd_note_vectors(note + NOTE_S, axis),
                t = ccd_note_vectors(note + NOTE_T, axis);
    *verdict = ccd_gap(s, t, edges, note[NOTE_SIZE + axis]) ? TRI_APART : CCD_OPEN;
}

/* *verdict: TRI_APART, TRI_MEET or CCD_OPEN for an interval. It is stored after each step, so that
 * no compiler keeps coordinates in registers from one to the next (narrow.cl). */
FN void ccd_decide(GLOBAL f64 *note, u32 edges, u32 at, u32 length, GLOBAL u8 *verdict)
{
    ccd_note_cut(note, at * CCD_MOMENT, (at + length) * CCD_MOMENT);
    i32 crosses = ccd_note_volume(note, verdict), agree = 0;
    ROLLED
    for (u32 axis = 0; axis < 3 && *verdict != TRI_APART; axis++)
        ccd_note_gap(note, axis, edges, verdict);
    ROLLED
    for (u32 axis = 0; axis < 3 && *verdict != TRI_APART; axis++)
        agree |= ccd_note_areas(note, axis, edges, verdict);
    if (crosses && agree && *verdict != TRI_APART)
        *verdict = TRI_MEET;
}

/* ---- the next interval in order of time, in the unit 1 / CCD_MOMENTS */

/* Length of the interval that begins at `at`: the largest that its alignment allows. */
FN u32 ccd_length_at(u32 at)
{
    return at & (0 - at);
}

/* ---- lists of feature pairs: see ccd.cl */

/* The mesh that feature pairs refer to. */
typedef struct ccd_mesh {
    u32 corners;
    GLOBAL const u32 *corner;
    GLOBAL const f64 *ends;
} ccd_mesh;

#define MESH_ARGS u32 corners, GLOBAL const u32 *corner, GLOBAL const f64 *ends
#define MESH                                                                                       \
    {                                                                                              \
        corners, corner, ends                                                                      \
    }

FN ccd_four ccd_vertices(const ccd_mesh *m, u32 a, u32 b, u32 number)
{
    return ccd_four_of(number, m->corners, m->corner + (size_t)m->corners * a,
                       m->corner + (size_t)m->corners * b);
}

#define FEATURES_ARGS                                                                              \
    GLOBAL const u32 *which, GLOBAL const u32 *a, GLOBAL const u32 *b, u32 pair0, MESH_ARGS

FN ccd_four ccd_named(const ccd_mesh *m, u32 which, GLOBAL const u32 *a, GLOBAL const u32 *b,
                      u32 pair0)
{
    u32 pair = pair0 + (which >> CCD_NUMBER_BITS);
    return ccd_vertices(m, a[pair], b[pair], which & ((1u << CCD_NUMBER_BITS) - 1));
}

FN u32 ccd_edges_named(u32 corners, u32 which)
{
    return number_edges(corners, which & ((1u << CCD_NUMBER_BITS) - 1));
}

#endif
#endif
