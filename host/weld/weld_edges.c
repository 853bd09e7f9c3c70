/* See weld_edges.h. Closed bodies are looked for only where an edge has more than two triangles,
 * which most meshes have nowhere. */
#include "weld_edges.h"

#include "closed_bodies.h"
#include "edge_uses.h"
#include "error.h"
#include "exact.h"

#include <math.h>

/* The uses of one edge by one object, flat ones first; those of a body are next to each other. */
typedef struct weld_edge {
    const edge_use *use;
    size_t count, flats;
} weld_edge;

/* One look at all edges. crowded: there is an edge of more than two triangles; doubtful: one that
 * is counted in `info`. */
typedef struct weld_pass {
    const welding *w;
    const edge_places *places;
    int count; /* nothing is joined any more */
    int crowded, doubtful;
    imp_weld_info *info;
} weld_pass;

static uint32_t weld_edges_vertex(const welding *w, const edge_use *u, int end)
{
    return mesh_vertex(w->mesh, u->primitive, u->corner[end]);
}

static int weld_edges_ends(const edge_use *u)
{
    return u->orientation == EDGE_FACE ? 3 : 2;
}

/* ---- neighbours */

static int weld_edges_point(const welding *w, uint32_t v, exact_point *out)
{
    frame_vertex(w->frame, v, out->x);
    return isfinite(out->x[0]) && isfinite(out->x[1]) && isfinite(out->x[2]);
}

/* Are two tetrahedra on different sides of their face? By the first frame. */
static int weld_edges_sides(const welding *w, const edge_use *a, const edge_use *b)
{
    exact_point face[3], apex;
    int side[2], finite = 1;
    for (int k = 0; k < 3; k++)
        finite &= weld_edges_point(w, weld_edges_vertex(w, a, k), &face[k]);
    for (int i = 0; i < 2; i++) {
        const edge_use *u = i ? b : a;
        const uint32_t other = 6U - u->corner[0] - u->corner[1] - u->corner[2];
        finite &= weld_edges_point(w, mesh_vertex(w->mesh, u->primitive, other), &apex);
        side[i] = finite ? exact_orient3d(&face[0], &face[1], &face[2], &apex) : 0;
    }
    return side[0] * side[1] < 0;
}

/* Are these uses, of one body, of two neighbours? */
static int weld_edges_neighbours(const welding *w, const edge_use *use, size_t count)
{
    if (count != 2)
        return 0;
    return use->orientation == EDGE_FACE ? weld_edges_sides(w, &use[0], &use[1])
                                         : use[0].orientation != use[1].orientation;
}

static void weld_edges_join(const welding *w, const edge_use *a, const edge_use *b)
{
    for (int k = 0; k < weld_edges_ends(a); k++)
        welding_join(w, weld_edges_vertex(w, a, k), weld_edges_vertex(w, b, k));
}

/* The third corner of a flat triangle is at one end of its edge, where another one is. */
static void weld_edges_close(const weld_pass *p, const edge_use *flat)
{
    const uint32_t *first = p->places->first;
    const uint32_t other =
        mesh_vertex(p->w->mesh, flat->primitive, 3U - flat->corner[0] - flat->corner[1]);
    for (int k = 0; k < 2; k++) {
        const uint32_t v = weld_edges_vertex(p->w, flat, k);
        if (first[v] == first[other])
            welding_join(p->w, v, other);
    }
}

/* ---- an edge */

/* Have all of its users the same vertices there? */
static int weld_edges_settled(const welding *w, const weld_edge *e)
{
    for (size_t i = 1; i < e->count; i++)
        for (int k = 0; k < weld_edges_ends(e->use); k++)
            if (welding_find(w, weld_edges_vertex(w, &e->use[0], k)) !=
                welding_find(w, weld_edges_vertex(w, &e->use[i], k)))
                return 0;
    return 1;
}

/* Bodies of an edge: how many there are, how many are certain of their neighbours, and how many
 * have the edge at their border. */
typedef struct weld_tally {
    size_t bodies, neighbours, borders;
} weld_tally;

static weld_tally weld_edges_bodies(const weld_pass *p, const weld_edge *e)
{
    weld_tally t = {0, 0, 0};
    for (size_t i = e->flats; i < e->count;) {
        const edge_use *use = e->use + i;
        size_t n = 1;
        while (i + n < e->count && use[n].body == use->body)
            n++;
        const int sure = weld_edges_neighbours(p->w, use, n);
        if (sure && !p->count)
            weld_edges_join(p->w, &use[0], &use[1]);
        t.bodies++;
        t.neighbours += (size_t)sure;
        t.borders += n == 1;
        i += n;
    }
    return t;
}

/* Flat triangles belong to the neighbours, if these are certain; a single one is its own. */
static int weld_edges_flats(const weld_pass *p, const weld_edge *e, const weld_tally *t)
{
    const int belongs = t->bodies == 1 && t->neighbours + t->borders == 1;
    const int alone = !t->bodies && e->flats == 1;
    for (size_t i = 0; i < e->flats && !p->count && (belongs || alone); i++) {
        if (belongs)
            weld_edges_join(p->w, &e->use[e->flats], &e->use[i]);
        weld_edges_close(p, &e->use[i]);
    }
    return !e->flats || belongs || alone;
}

/* Counts the edge, and keeps the first primitive of all that are counted. */
static void weld_edges_note(const weld_edge *e, uint64_t *count, uint32_t *primitive)
{
    for (size_t i = 0; i < e->count; i++)
        if ((!*count && !i) || e->use[i].primitive < *primitive)
            *primitive = e->use[i].primitive;
    ++*count;
}

static void weld_edges_edge(weld_pass *p, const weld_edge *e)
{
    imp_weld_info *info = p->info;
    const weld_tally t = weld_edges_bodies(p, e);
    const int sure = weld_edges_flats(p, e, &t) && t.neighbours + t.borders == t.bodies;
    p->crowded |= e->use->orientation != EDGE_FACE && e->count > 2;
    p->doubtful |= !sure || t.neighbours > 1;
    if (!p->count)
        return;
    if (sure && t.neighbours > 1)
        weld_edges_note(e, &info->split, &info->split_primitive);
    if (!sure && !weld_edges_settled(p->w, e))
        weld_edges_note(e, &info->open, &info->open_primitive);
}

/* ---- all of them */

static int weld_edges_pass(weld_pass *p)
{
    int err = IMP_OK;
    edge_uses uses = {0};
    for (uint32_t v = 0; v < p->w->mesh->vertices; v++) {
        if (p->places->begin[v] == p->places->begin[v + 1])
            continue;
        TRY(edge_uses_find(p->w, p->places, v, &uses));
        for (size_t i = 0; i < uses.count;) {
            weld_edge e = {.use = uses.use + i};
            for (; i < uses.count && edge_uses_same(e.use, &uses.use[i]); i++) {
                e.count++;
                e.flats += uses.use[i].orientation == EDGE_FLAT;
            }
            weld_edges_edge(p, &e);
        }
    }
out:
    mem_free(p->w->mem, uses.use);
    return err;
}

/* Joined by the plain rule, triangles stay joined by that of closed bodies: an edge of two, in
 * opposite direction, is in one body. */
int weld_edges(welding *w, imp_weld_info *info)
{
    int err = IMP_OK;
    edge_places places = {0};
    weld_pass p = {.w = w, .places = &places, .info = info};
    welding_start(w);
    TRY(edge_places_find(w, &places));
    TRY(weld_edges_pass(&p));
    if (p.crowded) {
        TRY(mem_alloc(w->mem, w->mesh->primitives * sizeof *places.body, &places.body));
        closed_bodies_find(w, places.first, places.body);
        p.doubtful = 0;
        TRY(weld_edges_pass(&p));
    }
    p.count = 1;
    if (p.doubtful)
        TRY(weld_edges_pass(&p));
out:
    edge_places_free(w->mem, &places);
    return err;
}
