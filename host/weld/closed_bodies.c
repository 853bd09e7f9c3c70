/* See closed_bodies.h. Edges are added up by hashes, which cancel out where an edge is used in both
 * directions: a sum of 128 bits is 0 by chance once in 2^128. */
#include "closed_bodies.h"

#include "mix.h"

#include <string.h>

typedef struct edge_sum {
    uint64_t part[2];
} edge_sum;

/* From the position a to b: the opposite of from b to a. */
static void closed_bodies_add(edge_sum *s, uint32_t a, uint32_t b)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint64_t i = 0; i < 2; i++) {
        const uint64_t h = mix64(low << 32 ^ high ^ (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        s->part[i] += a < b ? h : 0 - h;
    }
}

/* Is it a triangle with an area, as far as its corners tell? */
static int closed_bodies_triangle(const uint32_t at[3])
{
    return at[0] != at[1] && at[1] != at[2] && at[2] != at[0];
}

static void closed_bodies_corners(const welding *w, const uint32_t *first, size_t p, uint32_t at[3])
{
    for (uint32_t k = 0; k < 3; k++)
        at[k] = first[mesh_vertex(w->mesh, p, k)];
}

/* The end of the stretch of triangles of one object that begins at p, or p. */
static size_t closed_bodies_range(const welding *w, size_t p)
{
    const size_t begin = p;
    while (p < w->mesh->primitives && mesh_corners_of(w->mesh, p) == IMP_TRIANGLES &&
           welding_object(w, p) == welding_object(w, begin))
        p++;
    return p;
}

/* The number of the last body of [begin, end) where those before it have `number`; `number` if it
 * does not consist of closed bodies. Triangles without area belong to the one that they come in. */
static uint32_t closed_bodies_divide(const welding *w, const uint32_t *first, size_t begin,
                                     size_t end, uint32_t number, uint32_t *body)
{
    uint32_t last = number;
    int open = 0;
    edge_sum sum = {{0, 0}};
    for (size_t p = begin; p < end; p++) {
        uint32_t at[3];
        closed_bodies_corners(w, first, p, at);
        body[p] = last + 1;
        if (!closed_bodies_triangle(at))
            continue;
        for (int k = 0; k < 3; k++)
            closed_bodies_add(&sum, at[k], at[(k + 1) % 3]);
        open = sum.part[0] || sum.part[1];
        last += !open;
    }
    return open ? number : last;
}

void closed_bodies_find(const welding *w, const uint32_t *first, uint32_t *body)
{
    uint32_t number = 0;
    memset(body, 0, w->mesh->primitives * sizeof *body);
    for (size_t p = 0; p < w->mesh->primitives;) {
        const size_t end = closed_bodies_range(w, p);
        const uint32_t last = closed_bodies_divide(w, first, p, end, number, body);
        if (last == number)
            memset(body + p, 0, (end - p) * sizeof *body);
        number = last;
        p = end > p ? end : p + 1;
    }
}
