/* See geom.h: the shapes that scenes are made of. */
#include "geom.h"

#include "error.h"
#include "scene_kind.h"

/* ---- of few corners */

int geom_box(mem *m, v3 edges, geom **out)
{
    static const uint32_t corner[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double point[24];
    for (int i = 0; i < 8; i++)
        scene_store(point + (size_t)3 * (size_t)i,
                    v3_make((i & 1 ? 0.5 : -0.5) * edges.x, (i & 2 ? 0.5 : -0.5) * edges.y,
                            (i & 4 ? 0.5 : -0.5) * edges.z));
    return geom_make(m, point, 8, corner, 12, out);
}

int geom_wedge(mem *m, double length, double width, double height, geom **out)
{
    static const uint32_t corner[24] = {0, 3, 4, 0, 4, 1, 0, 1, 2, 3, 5, 4,
                                        1, 4, 5, 1, 5, 2, 0, 2, 5, 0, 5, 3};
    const double y = width / 2;
    const double point[18] = {0, -y, 0, length, -y, 0, length, -y, height,
                              0, y,  0, length, y,  0, length, y,  height};
    return geom_make(m, point, 6, corner, 8, out);
}

/* ---- balls */

/* The rotation that takes a corner of the icosahedron to +x: half a turn about the bisector. */
static v3 turned(v3 p, v3 corner)
{
    const v3 axis = scene_unit(v3_add(corner, v3_make(1, 0, 0)));
    return v3_sub(v3_scale(axis, 2 * v3_dot(axis, p)), p);
}

/* The two corners that are opposite get there exactly: a row of balls touches at these. */
static void geom_shapes_place_points(double radius, uint32_t vertices, double *point)
{
    const v3 first = v3_make(point[0], point[1], point[2]);
    for (uint32_t i = 0; i < vertices; i++) {
        double *at = point + (size_t)3 * i;
        v3 p = turned(v3_make(at[0], at[1], at[2]), first);
        if (p.x > 1 - 1e-12 || p.x < -1 + 1e-12)
            p = v3_make(p.x > 0 ? 1 : -1, 0, 0);
        scene_store(at, v3_scale(p, radius));
    }
}

/* Anticlockwise as seen from outside, whatever ball_fill does. */
static void face_outward(const double *point, uint32_t triangles, uint32_t *corner)
{
    for (uint32_t t = 0; t < triangles; t++) {
        uint32_t *c = corner + (size_t)3 * t;
        v3 p[3];
        for (int k = 0; k < 3; k++) {
            const double *at = point + (size_t)3 * c[k];
            p[k] = v3_make(at[0], at[1], at[2]);
        }
        if (v3_dot(p[0], v3_cross(p[1], p[2])) < 0) {
            const uint32_t swap = c[1];
            c[1] = c[2];
            c[2] = swap;
        }
    }
}

int geom_ball(mem *m, double radius, uint32_t cuts, geom **out)
{
    int err = IMP_OK;
    double *point = NULL;
    uint32_t *corner = NULL;
    const uint32_t vertices = (uint32_t)ball_vertices(cuts),
                   triangles = (uint32_t)ball_triangles(cuts);
    *out = NULL;
    TRY(mem_alloc(m, (size_t)3 * vertices * sizeof *point, &point));
    TRY(mem_alloc(m, (size_t)3 * triangles * sizeof *corner, &corner));
    ball_points(cuts, point);
    ball_fill(cuts, 0, corner);
    geom_shapes_place_points(radius, vertices, point);
    face_outward(point, triangles, corner);
    TRY(geom_make(m, point, vertices, corner, triangles, out));
out:
    mem_free(m, point);
    mem_free(m, corner);
    return err;
}
