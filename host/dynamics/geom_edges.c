/* The edges of a geom, by sorting: which triangles and vertices they have, and whether they close
 * the surface. */
#include "error.h"
#include "geom.h"
#include "shape.h"

#include <stdlib.h>
#include <string.h>

/* An edge as one of its triangles has it. */
typedef struct side {
    uint32_t low, high, at; /* 3 * triangle + corner */
} side;

static int side_order(const void *x, const void *y)
{
    const side *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static uint32_t next_corner(uint32_t at)
{
    return at % 3 == 2 ? at - 2 : at + 1;
}

/* All edges that have a length; returns how many. */
static size_t geom_edges_list(geom *s, side *all)
{
    size_t count = 0;
    for (uint32_t i = 0; i < 3 * s->triangles; i++) {
        const uint32_t a = s->same[s->corner[i]], b = s->same[s->corner[next_corner(i)]];
        s->edge_of[i] = GEOM_NONE;
        if (a != b)
            all[count++] = (side){a < b ? a : b, a < b ? b : a, i};
    }
    return count;
}

/* Sides that are next to each other in order become edges. */
static void join_sides(geom *s, const side *all, size_t count)
{
    int64_t sum = 0; /* of the directions of an edge's sides */
    s->closed = count > 0;
    for (size_t i = 0; i < count; i++) {
        const side *x = &all[i];
        if (!i || x->low != all[i - 1].low || x->high != all[i - 1].high) {
            s->closed &= !sum;
            sum = 0;
            s->edge[s->edges++] = (geom_edge){.vertex = {x->low, x->high}, .side0 = (uint32_t)i};
        }
        s->edge[s->edges - 1].sides++;
        s->side[i] = x->at / 3;
        s->edge_of[x->at] = s->edges - 1;
        sum += s->same[s->corner[x->at]] == x->low ? 1 : -1;
    }
    s->closed &= !sum;
}

static int make_edges(mem *m, geom *s)
{
    int err = IMP_OK;
    const size_t corners = (size_t)3 * s->triangles;
    side *all = NULL;
    TRY(mem_alloc(m, corners * sizeof *all, &all));
    TRY(mem_alloc(m, corners * sizeof *s->edge, &s->edge));
    TRY(mem_alloc(m, corners * sizeof *s->edge_of, &s->edge_of));
    TRY(mem_alloc(m, corners * sizeof *s->side, &s->side));
    const size_t count = geom_edges_list(s, all);
    qsort(all, count, sizeof *all, side_order);
    join_sides(s, all, count);
    TRY(mem_grow(m, s->edges * sizeof *s->edge, s->edges * sizeof *s->edge, &s->edge));
out:
    mem_free(m, all);
    return err;
}

static int make_vertices(mem *m, geom *s)
{
    int err = IMP_OK;
    uint8_t *used = NULL;
    TRY(mem_alloc(m, s->vertices, &used));
    TRY(mem_alloc(m, s->vertices * sizeof *s->same, &s->same));
    TRY(mem_alloc(m, s->vertices * sizeof *s->vertex, &s->vertex));
    TRY(shape_same(m, s->point, s->vertices, s->same));
    memset(used, 0, s->vertices);
    for (size_t i = 0; i < (size_t)3 * s->triangles; i++)
        used[s->same[s->corner[i]]] = 1;
    for (uint32_t i = 0; i < s->vertices; i++)
        if (used[i])
            s->vertex[s->distinct++] = i;
out:
    mem_free(m, used);
    return err;
}

/* By counting: star0 is the end of each vertex's part, and goes down to its beginning. */
static int make_stars(mem *m, geom *s)
{
    int err = IMP_OK;
    TRY(mem_alloc(m, ((size_t)s->vertices + 1) * sizeof *s->star0, &s->star0));
    TRY(mem_alloc(m, (size_t)2 * s->edges * sizeof *s->star, &s->star));
    memset(s->star0, 0, ((size_t)s->vertices + 1) * sizeof *s->star0);
    for (uint32_t e = 0; e < s->edges; e++)
        for (int k = 0; k < 2; k++)
            s->star0[s->edge[e].vertex[k]]++;
    for (uint32_t i = 0; i < s->vertices; i++)
        s->star0[i + 1] += s->star0[i];
    for (uint32_t e = s->edges; e-- > 0;)
        for (int k = 0; k < 2; k++)
            s->star[--s->star0[s->edge[e].vertex[k]]] = e;
out:
    return err;
}

int geom_edges(mem *m, geom *s)
{
    int err = IMP_OK;
    TRY(make_vertices(m, s));
    TRY(make_edges(m, s));
    TRY(make_stars(m, s));
out:
    return err;
}

/* ---- flat edges */

/* The corner of a triangle that is not on an edge. */
static v3 opposite(const geom *s, uint32_t t, const geom_edge *e)
{
    int k = 0;
    while (k < 2 && (s->same[s->corner[(size_t)3 * t + (size_t)k]] == e->vertex[0] ||
                     s->same[s->corner[(size_t)3 * t + (size_t)k]] == e->vertex[1]))
        k++;
    return geom_corner(s, t, k);
}

/* Rounding may turn the normals of two triangles in one plane apart by some 2^-50. Where the
 * surface is folded back both are in one plane, too, but on one side of the edge. */
static int geom_edges_is_flat(const geom *s, const geom_edge *e)
{
    const uint32_t t = s->side[e->side0], u = e->sides == 2 ? s->side[e->side0 + 1] : t;
    const v3 n = s->plane[t].n, across = v3_cross(n, s->plane[u].n);
    if (e->sides != 2 || !(v3_dot(n, n) > 0) || v3_dot(s->plane[u].n, s->plane[u].n) == 0 ||
        !(v3_dot(across, across) < 1e-24))
        return 0;
    const v3 x = geom_vertex(s, e->vertex[0]), along = v3_sub(geom_vertex(s, e->vertex[1]), x);
    const v3 out = v3_cross(along, n);
    return v3_dot(out, v3_sub(opposite(s, t, e), x)) * v3_dot(out, v3_sub(opposite(s, u, e), x)) <
           0;
}

void geom_ridges(geom *s)
{
    for (geom_edge *e = s->edge; e < s->edge + s->edges; e++)
        e->flat = geom_edges_is_flat(s, e);
}
