/* The first test of candidates, in float32: far.h. float64 decides all pairs that it leaves
 * (narrow.cl, solid.cl). On devices only. */
#include "far.h"
#include "list.h"
#include "prim.h"

FN i32 far_triangles_near(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 a, u32 b)
{
    return !far_triangles_apart(far_triangle_of(corner, point, a),
                                far_triangle_of(corner, point, b), 0, 0);
}

/* The same for triangles that may share vertices, by which they are not near. */
FN i32 far_adjacent_near(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 a, u32 b)
{
    GLOBAL const u32 *p = corner + (size_t)3 * a, *q = corner + (size_t)3 * b;
    return !far_triangles_apart(far_triangle_of(corner, point, a),
                                far_triangle_of(corner, point, b), far_shared(q, p),
                                far_shared(p, q));
}

FN far_solid far_solid_of(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 i)
{
    GLOBAL const u32 *c = corner + (size_t)4 * i;
    far_solid s;
    s.a = far_get(point, c[0]);
    s.b = far_get(point, c[1]);
    s.c = far_get(point, c[2]);
    s.d = far_get(point, c[3]);
    return s;
}

FN i32 far_solids_near(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 a, u32 b)
{
    return !far_solids_apart(far_solid_of(corner, point, a), far_solid_of(corner, point, b));
}

#ifdef IMP_DEVICE

/* All are near unless the plane of either triangle, or of a face of either solid,
 * certainly separates them. Without far_adjacent_group triangles that share a vertex are always
 * near: it is on both planes. */
#define FAR(name, near)                                                                            \
    GROUP_KERNEL(SCAN_GROUP)                                                                       \
    name(u32 room, GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *corner,             \
         GLOBAL const f32 *point, GLOBAL u32 *counts, GLOBAL u32 *a_out, GLOBAL u32 *b_out)        \
    {                                                                                              \
        SHARED list_shared shared;                                                                 \
        LIST_FILTER(&shared, room, a, b, near, counts, a_out, b_out);                              \
    }

#define FAR_TRIANGLES_NEAR(i) far_triangles_near(corner, point, a[i], b[i])
#define FAR_ADJACENT_NEAR(i) far_adjacent_near(corner, point, a[i], b[i])
#define FAR_SOLIDS_NEAR(i) far_solids_near(corner, point, a[i], b[i])

FAR(far_triangles_group, FAR_TRIANGLES_NEAR)
FAR(far_adjacent_group, FAR_ADJACENT_NEAR)
FAR(far_solids_group, FAR_SOLIDS_NEAR)

#endif
