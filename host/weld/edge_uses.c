/* See edge_uses.h. Edges are found at their first position, so that there is no table of all. */
#include "edge_uses.h"

#include "error.h"
#include "positions.h"

#include <stdlib.h>
#include <string.h>

/* ---- the primitives at each position */

/* Is the position of corner k that of a corner before? */
static int edge_places_again(const welding *w, const uint32_t *first, size_t p, uint32_t k)
{
    const uint32_t at = first[mesh_vertex(w->mesh, p, k)];
    for (uint32_t i = 0; i < k; i++)
        if (first[mesh_vertex(w->mesh, p, i)] == at)
            return 1;
    return 0;
}

/* Counts the primitives at each position, or enters them. */
static void edge_places_enter(const welding *w, edge_places *o, size_t *next)
{
    for (size_t p = 0; p < w->mesh->primitives; p++)
        for (uint32_t k = 0; k < mesh_corners_of(w->mesh, p); k++) {
            if (edge_places_again(w, o->first, p, k))
                continue;
            const uint32_t at = o->first[mesh_vertex(w->mesh, p, k)];
            if (o->primitive)
                o->primitive[next[at]] = (uint32_t)p;
            next[at]++;
        }
}

int edge_places_find(const welding *w, edge_places *o)
{
    int err = IMP_OK;
    const size_t vertices = w->mesh->vertices;
    *o = (edge_places){0};
    TRY(mem_alloc(w->mem, vertices * sizeof *o->first, &o->first));
    TRY(positions_find(w, o->first));
    TRY(mem_alloc(w->mem, (vertices + 1) * sizeof *o->begin, &o->begin));
    memset(o->begin, 0, (vertices + 1) * sizeof *o->begin);
    edge_places_enter(w, o, o->begin + 1);
    for (size_t v = 0; v < vertices; v++)
        o->begin[v + 1] += o->begin[v];
    TRY(mem_alloc(w->mem, o->begin[vertices] * sizeof *o->primitive, &o->primitive));
    edge_places_enter(w, o, o->begin);
    /* each begins where the one before ended */
    memmove(o->begin + 1, o->begin, vertices * sizeof *o->begin);
    o->begin[0] = 0;
out:
    return err;
}

void edge_places_free(mem *m, edge_places *p)
{
    mem_free(m, p->first);
    mem_free(m, p->body);
    mem_free(m, p->begin);
    mem_free(m, p->primitive);
    *p = (edge_places){0};
}

/* ---- uses */

static int edge_uses_order(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int edge_uses_edge(const edge_use *a, const edge_use *b)
{
    int order = edge_uses_order(a->far[0], b->far[0]);
    order = order ? order : edge_uses_order(a->far[1], b->far[1]);
    return order ? order : (a->object > b->object) - (a->object < b->object);
}

int edge_uses_same(const edge_use *a, const edge_use *b)
{
    return !edge_uses_edge(a, b);
}

/* FLAT ones are of no body and come first. */
static int edge_uses_compare(const void *x, const void *y)
{
    const edge_use *a = x, *b = y;
    int order = edge_uses_edge(a, b);
    order = order ? order : (b->orientation == EDGE_FLAT) - (a->orientation == EDGE_FLAT);
    order = order ? order : edge_uses_order(a->body, b->body);
    order = order ? order : edge_uses_order(a->primitive, b->primitive);
    return order ? order : a->corner[0] - b->corner[0];
}

static int edge_uses_add(const welding *w, edge_uses *o, const edge_use *use)
{
    int err = mem_fit(w->mem, o->count, &o->capacity, sizeof *o->use, &o->use);
    if (!err)
        o->use[o->count++] = *use;
    return err;
}

/* The edge between the corners k and l of a triangle, if it begins here. */
static int edge_uses_edge_of(const welding *w, const uint32_t at[3], uint32_t here, uint8_t k,
                             uint8_t l, edge_use use, edge_uses *out)
{
    const int forward = at[k] == here;
    if ((at[k] != here && at[l] != here) || at[k] == at[l] || (forward ? at[l] : at[k]) < here)
        return IMP_OK;
    use.far[0] = forward ? at[l] : at[k];
    use.far[1] = WELD_NONE;
    use.corner[0] = forward ? k : l;
    use.corner[1] = forward ? l : k;
    if (use.orientation != EDGE_FLAT)
        use.orientation = forward ? EDGE_FORWARD : EDGE_BACKWARD;
    return edge_uses_add(w, out, &use);
}

/* A triangle with two corners at one point has one edge, which it uses there and back. */
static int edge_uses_of_triangle(const welding *w, const uint32_t at[3], uint32_t here,
                                 edge_use use, edge_uses *out)
{
    int err = IMP_OK;
    for (uint8_t k = 0; k < 3 && !err; k++) {
        const uint8_t l = (uint8_t)((k + 1) % 3);
        use.orientation = EDGE_FORWARD;
        if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) {
            use.orientation = EDGE_FLAT;
            use.body = 0;
            /* the way there only: from the first of its two positions */
            if (at[k] == at[l] || at[l] == at[(k + 2) % 3])
                continue;
        }
        err = edge_uses_edge_of(w, at, here, k, l, use, out);
    }
    return err;
}

/* The faces of a tetrahedron of which `here` is the first position, if it has four different ones.
 */
static int edge_uses_of_tetrahedron(const welding *w, const uint32_t at[4], uint32_t here,
                                    edge_use use, edge_uses *out)
{
    static const uint8_t faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    int err = IMP_OK;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (at[i] == at[j])
                return IMP_OK;
    use.orientation = EDGE_FACE;
    for (int f = 0; f < 4 && !err; f++) {
        uint8_t c[3] = {faces[f][0], faces[f][1], faces[f][2]};
        for (int i = 0; i < 3; i++) /* in the order of positions */
            for (int j = 2; j > i; j--)
                if (at[c[j]] < at[c[j - 1]]) {
                    const uint8_t swap = c[j];
                    c[j] = c[j - 1];
                    c[j - 1] = swap;
                }
        if (at[c[0]] != here)
            continue;
        use.far[0] = at[c[1]];
        use.far[1] = at[c[2]];
        memcpy(use.corner, c, sizeof c);
        err = edge_uses_add(w, out, &use);
    }
    return err;
}

int edge_uses_find(const welding *w, const edge_places *p, uint32_t here, edge_uses *out)
{
    int err = IMP_OK;
    out->count = 0;
    for (size_t i = p->begin[here]; i < p->begin[here + 1]; i++) {
        const uint32_t primitive = p->primitive[i],
                       corner_count = mesh_corners_of(w->mesh, primitive);
        edge_use use = {.object = welding_object(w, primitive),
                        .body = p->body ? p->body[primitive] : 0,
                        .primitive = primitive};
        uint32_t at[IMP_TETRAHEDRA] = {0};
        for (uint32_t k = 0; k < corner_count; k++)
            at[k] = p->first[mesh_vertex(w->mesh, primitive, k)];
        if (corner_count == IMP_TRIANGLES)
            TRY(edge_uses_of_triangle(w, at, here, use, out));
        if (corner_count == IMP_TETRAHEDRA)
            TRY(edge_uses_of_tetrahedron(w, at, here, use, out));
    }
    if (out->count > 1)
        qsort(out->use, out->count, sizeof *out->use, edge_uses_compare);
out:
    return err;
}
