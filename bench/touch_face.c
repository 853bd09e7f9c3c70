/* A vertex and a face: see touch_plan.h. */
#include "touch_plan.h"

#include <string.h>

static int64_t touch_face_area(int64_t (*v)[3])
{
    return (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[2][0] - v[0][0]) * (v[1][1] - v[0][1]);
}

static void random_face(rng *r, plan *p)
{
    if (p->falls) {
        p->there[1][0] = rng_not_zero(r, 9);
        p->there[2][1] = rng_not_zero(r, 9);
    }
    while (!touch_face_area(p->there))
        for (int i = 0; i < 6; i++)
            p->there[i / 2][i % 2] = rng_between(r, -9, 9);
}

static void pass_through(rng *r, plan *p)
{
    touch_random_ways(r, p, 2);
    p->way[3][2] = rng_not_zero(r, 9);
    p->once = 1;
}

/* The vertex is at a weighted mean of the face's vertices with `zeros` zero weights; a miss is on
 * the other side of an edge. */
static void touch_face_vertex_face(rng *r, plan *p, int zeros)
{
    int64_t weight[3] = {0}, sum = 0;
    for (int i = 0; i < 3 - zeros; i++)
        weight[i] = rng_between(r, 1, p->size);
    if (!p->meet)
        weight[2] = -1;
    weight[0] += !p->meet;
    for (int i = 0; i < 3; i++)
        sum += weight[i];
    random_face(r, p);
    for (int i = 0; i < 6; i++) {
        p->there[3][i % 2] += weight[i / 2] * p->there[i / 2][i % 2];
        p->there[i / 2][i % 2] *= sum;
    }
    pass_through(r, p);
}

void touch_in_face(rng *r, plan *p)
{
    touch_face_vertex_face(r, p, 0);
}

void touch_on_face_edge(rng *r, plan *p)
{
    touch_face_vertex_face(r, p, 1);
}

void touch_on_face_vertex(rng *r, plan *p)
{
    touch_face_vertex_face(r, p, 2);
}

/* Positions from -size to size on the line y = 0, of both signs; the last one between or beyond. */
static void touch_face_on_line(rng *r, plan *p)
{
    const int first = (int)rng_between(r, 0, 2), second = (first + (int)rng_between(r, 1, 2)) % 3;
    for (int i = 0; i < 4; i++)
        p->there[i][0] = rng_chance(r, 3) ? (rng_chance(r, 2) ? p->size : -p->size)
                                          : rng_between(r, -p->size, p->size);
    p->there[first][0] = -p->size;
    p->there[second][0] = p->size;
    if (!p->meet)
        p->there[3][0] = rng_chance(r, 2) ? p->size + 1 : -p->size - 1;
}

/* On a rotating line. */
void touch_face_is_segment(rng *r, plan *p)
{
    const int64_t turn = rng_between(r, -3, 3);
    touch_face_on_line(r, p);
    pass_through(r, p);
    for (int i = 0; i < 3; i++) {
        p->way[i][0] = p->way[0][0];
        p->way[i][1] = turn * p->there[i][0];
    }
}

void touch_face_becomes_segment(rng *r, plan *p)
{
    touch_face_on_line(r, p);
    pass_through(r, p);
}

void touch_face_is_point(rng *r, plan *p)
{
    p->there[3][rng_between(r, 0, 1)] = !p->meet;
    pass_through(r, p);
    for (int i = 1; i < 3; i++)
        memcpy(p->way[i], p->way[0], sizeof p->way[0]);
}

/* The vertex stays at y = 0 or above; the face is below that line and touches it with a vertex. */
static void along_face(rng *r, plan *p)
{
    for (int i = 1; i < 3; i++) {
        p->there[i][0] = rng_between(r, -p->size, p->size);
        p->there[i][1] = -rng_between(r, 1, p->size);
    }
    for (int i = 0; i < 4; i++)
        p->way[i][0] = rng_between(r, -9, 9);
    p->way[3][0] = p->way[0][0] + rng_not_zero(r, 9);
    p->there[3][1] = !p->meet;
    p->once = 1;
}

/* From above to an edge in y = 0, and further into the face; or to its end and past it. */
static void into_face(rng *r, plan *p)
{
    p->there[1][0] = rng_between(r, 1, p->size);
    p->there[2][1] = -rng_between(r, 1, p->size);
    p->there[3][0] = p->meet ? rng_between(r, 0, p->there[1][0]) : -1;
    p->way[3][1] = -rng_between(r, 1, 9);
    if (p->meet)
        touch_random_ways(r, p, 1);
}

void touch_in_face_plane(rng *r, plan *p)
{
    (rng_chance(r, 2) ? along_face : into_face)(r, p);
}

/* A miss stays one unit ahead of the face. */
void touch_in_face_line(rng *r, plan *p)
{
    for (int i = 1; i < 3; i++)
        p->there[i][0] = -rng_between(r, 0, p->size);
    p->there[3][0] = !p->meet;
    p->way[3][0] = p->meet ? -rng_between(r, 1, 9) : 0;
}
