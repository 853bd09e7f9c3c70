/* Balls: an icosahedron, each face cut into f * f triangles, all vertices projected to the sphere.
 * Vertex order: the 12 corners, then those within the 30 edges, then those within the faces. */
#include "scene_kind.h"

#include <math.h>

static const unsigned char face[20][3] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};

/* ends of the edges; each edge goes from a lower to a higher corner */
static const unsigned char edge[30][2] = {
    {0, 1},  {0, 5}, {0, 7},  {0, 10}, {0, 11}, {1, 5},  {1, 7}, {1, 8},  {1, 9}, {2, 3},
    {2, 4},  {2, 6}, {2, 10}, {2, 11}, {3, 4},  {3, 6},  {3, 8}, {3, 9},  {4, 5}, {4, 9},
    {4, 11}, {5, 9}, {5, 11}, {6, 7},  {6, 8},  {6, 10}, {7, 8}, {7, 10}, {8, 9}, {10, 11}};

uint64_t ball_cuts(uint64_t triangles)
{
    uint64_t f = (uint64_t)(sqrt((double)triangles / 20) + 0.5);
    return f ? f : 1;
}

uint64_t ball_vertices(uint64_t f)
{
    return 10 * f * f + 2;
}

uint64_t ball_triangles(uint64_t f)
{
    return 20 * f * f;
}

static v3 scene_ball_corner(unsigned number)
{
    double golden = (1 + sqrt(5.0)) / 2, one = number & 1 ? 1 : -1;
    double big = number & 2 ? -golden : golden;
    switch (number / 4) {
    case 0:
        return v3_make(one, big, 0);
    case 1:
        return v3_make(0, one, big);
    default:
        return v3_make(big, 0, one);
    }
}

/* (i a + j b + k c) / f, projected to the sphere */
static v3 blend(uint64_t i, v3 a, uint64_t j, v3 b, uint64_t k, v3 c)
{
    v3 ab = v3_add(v3_scale(a, (double)i), v3_scale(b, (double)j));
    return scene_unit(v3_add(ab, v3_scale(c, (double)k)));
}

void ball_points(uint64_t f, double *point)
{
    double *at = point;
    v3 none = {0, 0, 0};
    for (unsigned c = 0; c < 12; c++, at += 3)
        scene_store(at, scene_unit(scene_ball_corner(c)));
    for (int e = 0; e < 30; e++)
        for (uint64_t j = 1; j < f; j++, at += 3)
            scene_store(at, blend(f - j, scene_ball_corner(edge[e][0]), j,
                                  scene_ball_corner(edge[e][1]), 0, none));
    for (int t = 0; t < 20; t++)
        for (uint64_t k = 1; k < f; k++)
            for (uint64_t j = 1; j + k < f; j++, at += 3)
                scene_store(at,
                            blend(f - j - k, scene_ball_corner(face[t][0]), j,
                                  scene_ball_corner(face[t][1]), k, scene_ball_corner(face[t][2])));
}

/* Number of the vertex `step` steps from one corner to another, along an edge of `f` steps. */
static uint64_t on_edge(uint64_t f, unsigned from, unsigned to, uint64_t step)
{
    uint64_t e = 0;
    unsigned low = from < to ? from : to, high = from < to ? to : from;
    while (edge[e][0] != low || edge[e][1] != high)
        e++;
    return 12 + e * (f - 1) + (from < to ? step : f - step) - 1;
}

/* Number of the vertex of face t that is j steps towards its second corner and k to the third. */
static uint64_t on_face(uint64_t f, int t, uint64_t j, uint64_t k)
{
    const unsigned char *c = face[t];
    if (j == f || k == f || j + k == 0)
        return j == f ? c[1] : k == f ? c[2] : c[0];
    if (k == 0)
        return on_edge(f, c[0], c[1], j);
    if (j == 0)
        return on_edge(f, c[0], c[2], k);
    if (j + k == f)
        return on_edge(f, c[1], c[2], k);
    uint64_t inner = (f - 1) * (f - 2) / 2, above = (k - 1) * (f - 1) - k * (k - 1) / 2;
    return 12 + 30 * (f - 1) + (uint64_t)t * inner + above + j - 1;
}

void ball_fill(uint64_t f, uint32_t first, uint32_t *triangle)
{
    uint32_t *at = triangle;
    for (int t = 0; t < 20; t++)
        for (uint64_t k = 0; k < f; k++)
            for (uint64_t j = 0; j + k < f; j++) {
                uint32_t a = first + (uint32_t)on_face(f, t, j + 1, k);
                uint32_t b = first + (uint32_t)on_face(f, t, j, k + 1);
                *at++ = first + (uint32_t)on_face(f, t, j, k);
                *at++ = a;
                *at++ = b;
                if (j + k + 1 == f)
                    continue;
                *at++ = a;
                *at++ = first + (uint32_t)on_face(f, t, j + 1, k + 1);
                *at++ = b;
            }
}
