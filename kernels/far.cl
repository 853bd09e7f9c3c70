/* The first question about candidates, in float32: far.h. Of all that it leaves float64 decides
 * (narrow.cl, solid.cl). */
#include "far.h"
#include "tri.h"

FN far_triangle far_triangle_of(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 i)
{
    GLOBAL const u32 *c = corner + (size_t)3 * i;
    far_triangle t;
    t.a = far_get(point, c[0]);
    t.b = far_get(point, c[1]);
    t.c = far_get(point, c[2]);
    return t;
}

/* verdict[i]: TRI_APART if the plane of either triangle separates pair i for certain, else
 * TRI_NEAR. Triangles that share a vertex are always near: it is on both planes. */
KERNEL void far_triangles(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                          GLOBAL const u32 *corner, GLOBAL const f32 *point, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const far_triangle p = far_triangle_of(corner, point, a[ITEM]);
    const far_triangle q = far_triangle_of(corner, point, b[ITEM]);
    verdict[ITEM] = far_triangles_apart(p, q) ? TRI_APART : TRI_NEAR;
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

/* The same of primitives with four corners, by the faces of both. */
KERNEL void far_solids(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                       GLOBAL const u32 *corner, GLOBAL const f32 *point, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const far_solid p = far_solid_of(corner, point, a[ITEM]);
    const far_solid q = far_solid_of(corner, point, b[ITEM]);
    verdict[ITEM] = far_solids_apart(p, q) ? TRI_APART : TRI_NEAR;
}
