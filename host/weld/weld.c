/* imp_weld of impinge_weld.h. */
#include "weld.h"

#include "disjoint.h"
#include "error.h"
#include "float_env.h"
#include "hash64.h"
#include "impinge_weld.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- validation of the input */

static int weld_check_mesh(const imp_mesh *m)
{
    int err = IMP_OK;
    const uint32_t corners = mesh_corners(m);
    if (m->corners < 0 || corners > IMP_TETRAHEDRA ||
        (m->corner_count && corners != IMP_TETRAHEDRA))
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: primitives of %d corners", m->corners);
    if (m->primitives && !m->corner)
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: corner is NULL, but there are to be %u primitives",
             m->primitives);
    for (size_t p = 0; p < m->primitives; p++) {
        const uint32_t corner_count = mesh_corners_of(m, p);
        if (m->corner_count && corner_count != IMP_TRIANGLES && corner_count != IMP_TETRAHEDRA)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: primitive %zu has %u corners, 3 or 4 are possible", p,
                 corner_count);
        for (uint32_t k = 0; k < corner_count; k++)
            if (mesh_vertex(m, p, k) >= m->vertices)
                FAIL(IMP_ERR_ARGUMENT,
                     "imp_weld: corner %u of %s %zu is vertex %u, but there are %u", k,
                     mesh_kind_name(m, p), p, mesh_vertex(m, p, k), m->vertices);
    }
out:
    return err;
}

int weld_check(const imp_frame *frames, size_t count)
{
    int err = IMP_OK;
    if (!frames || !count)
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: there is no frame");
    for (size_t i = 0; i < count; i++) {
        const imp_frame *f = &frames[i];
        if (!f->mesh || f->mesh != frames->mesh)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: all frames must have one mesh");
        if (f->type != IMP_FLOAT64 && f->type != IMP_FLOAT32)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: there is no type %d of points", f->type);
        if (f->mesh->vertices && !f->point)
            FAIL(IMP_ERR_ARGUMENT, "imp_weld: point is NULL, but there are to be %u vertices",
                 f->mesh->vertices);
    }
    TRY(weld_check_mesh(frames->mesh));
out:
    return err;
}

/* ---- counts */

/* Marks vertices of sets of several, then counts the primitives that have one. */
static int weld_count(const welding *w, imp_weld_info *info)
{
    int err = IMP_OK;
    uint8_t *joined = NULL;
    TRY(mem_alloc(w->mem, w->mesh->vertices, &joined));
    memset(joined, 0, w->mesh->vertices);
    for (uint32_t v = 0; v < w->mesh->vertices; v++)
        if (w->map[v] != v) {
            joined[v] = joined[w->map[v]] = 1;
            info->merged++;
        }
    for (size_t p = 0; p < w->mesh->primitives; p++) {
        int any = 0;
        for (uint32_t k = 0; k < mesh_corners_of(w->mesh, p); k++)
            any |= joined[mesh_vertex(w->mesh, p, k)];
        info->joined += (uint32_t)any;
    }
out:
    mem_free(w->mem, joined);
    return err;
}

/* ---- the function */

int imp_weld(const imp_frame *frames, size_t count, double tolerance, uint32_t *map,
             imp_weld_info *info)
{
    int err = IMP_OK;
    mem m = {0};
    imp_weld_info found = {0};
    const float_entry entry = float_enter();
    if (!(tolerance >= 0 && tolerance <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "weld: the tolerance %g is not finite, 0 or more", tolerance);
    TRY(weld_check(frames, count));
    if (!map && frames->mesh->vertices)
        FAIL(IMP_ERR_ARGUMENT, "imp_weld: map is NULL");
    welding w = {.mem = &m, .frame = frames, .frames = count, .mesh = frames->mesh, .map = map};
    TRY(tolerance > 0 ? weld_near(&w, tolerance) : weld_edges(&w, &found));
    for (uint32_t v = 0; v < w.mesh->vertices; v++)
        map[v] = welding_find(&w, v);
    TRY(weld_count(&w, &found));
    if (info)
        *info = found;
out:
    float_leave(entry);
    return err;
}

void welding_start(welding *w)
{
    for (uint32_t v = 0; v < w->mesh->vertices; v++)
        w->map[v] = v;
}

/* Path halving keeps paths short. */
uint32_t welding_find(const welding *w, uint32_t v)
{
    return disjoint_root(w->map, v);
}

void welding_join(const welding *w, uint32_t a, uint32_t b)
{
    a = welding_find(w, a);
    b = welding_find(w, b);
    if (a < b)
        w->map[b] = a;
    else
        w->map[a] = b;
}

/* ---- imp_weld_holds of impinge_weld.h. */

/* hypot rounds, so slightly more than the tolerance is accepted: the frame of which the map was
 * made must hold. */
static int weld_holds_near(const imp_frame *f, uint32_t a, uint32_t b, double tolerance)
{
    double x[DIMENSIONS], y[DIMENSIONS], d[DIMENSIONS];
    if (position_same(f, 1, a, b))
        return 1;
    frame_vertex(f, a, x);
    frame_vertex(f, b, y);
    for (int k = 0; k < DIMENSIONS; k++)
        d[k] = x[k] == y[k] ? 0 : x[k] - y[k];
    return tolerance > 0 && hypot(hypot(d[0], d[1]), d[2]) <= tolerance * (1 + 0x1p-40);
}

int imp_weld_holds(const imp_frame *frame, double tolerance, const uint32_t *map, int *yes)
{
    if (!frame || !frame->mesh || !yes || (frame->mesh->vertices && (!map || !frame->point)))
        return imp_fail(IMP_ERR_ARGUMENT, "imp_weld_holds: frame, map or yes is NULL");
    if (frame->type != IMP_FLOAT64 && frame->type != IMP_FLOAT32)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_weld_holds: there is no type %d of points",
                        frame->type);
    if (!(tolerance >= 0 && tolerance <= DBL_MAX))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "imp_weld_holds: the tolerance %g is not finite, 0 or more", tolerance);
    for (uint32_t v = 0; v < frame->mesh->vertices; v++)
        if (map[v] >= frame->mesh->vertices)
            return imp_fail(IMP_ERR_ARGUMENT,
                            "imp_weld_holds: map[%u] is vertex %u, but there are %u", v, map[v],
                            frame->mesh->vertices);
    const float_entry entry = float_enter();
    *yes = 1;
    for (uint32_t v = 0; *yes && v < frame->mesh->vertices; v++)
        *yes = map[v] == v || weld_holds_near(frame, map[v], v, tolerance);
    float_leave(entry);
    return IMP_OK;
}

uint64_t position_hash_add(uint64_t h, const double x[3])
{
    for (int k = 0; k < DIMENSIONS; k++) {
        const double plain = x[k] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &plain, sizeof bits);
        h = mix64(h ^ bits) + UINT64_C(0x9e3779b97f4a7c15);
    }
    return h;
}

uint64_t position_hash(const imp_frame *frame, size_t frames, uint32_t v)
{
    uint64_t h = 0;
    for (size_t f = 0; f < frames; f++) {
        double x[DIMENSIONS];
        frame_vertex(&frame[f], v, x);
        h = position_hash_add(h, x);
    }
    return h;
}

int position_same(const imp_frame *frame, size_t frames, uint32_t a, uint32_t b)
{
    for (size_t f = 0; f < frames; f++) {
        double x[DIMENSIONS], y[DIMENSIONS];
        frame_vertex(&frame[f], a, x);
        frame_vertex(&frame[f], b, y);
        if (!(x[0] == y[0] && x[1] == y[1] && x[2] == y[2]))
            return 0;
    }
    return 1;
}

/* A hash table of vertices by position, at most half full, without removals. */
int positions_find(const welding *w, uint32_t *first)
{
    int err = IMP_OK;
    const uint32_t vertices = w->mesh->vertices;
    uint32_t *slot = NULL;
    size_t slots = 1;
    while (slots < 2 * (size_t)vertices)
        slots *= 2;
    TRY(mem_alloc(w->mem, slots * sizeof *slot, &slot));
    memset(slot, 0xff, slots * sizeof *slot); /* WELD_NONE */
    for (uint32_t v = 0; v < vertices; v++) {
        size_t at = (size_t)position_hash(w->frame, w->frames, v) & (slots - 1);
        first[v] = v;
        /* NaN equals nothing: many in one slot would be compared with each other */
        if (!position_same(w->frame, w->frames, v, v))
            continue;
        while (slot[at] != WELD_NONE && !position_same(w->frame, w->frames, slot[at], v))
            at = (at + 1) & (slots - 1);
        if (slot[at] == WELD_NONE)
            slot[at] = v;
        first[v] = slot[at];
    }
out:
    mem_free(w->mem, slot);
    return err;
}

/* ---- Representative vertices are in lists, one for each grid cell. A cell has few, as those of an
 * object are farther apart than the tolerance. */

/* Lengths are scaled by a power of two, which is exact, so that the tolerance becomes `radius`,
 * less than 1; its square cannot vanish. Cells are those of the first frame. */
typedef struct near_grid {
    const welding *w;
    double scale, radius;
    int32_t *object; /* [vertices] object of each */
    uint32_t *first; /* [mask + 1] by hash of the cell: the last vertex of its list, or WELD_NONE */
    uint32_t *next;  /* [vertices] the previous vertex in the same list, or WELD_NONE */
    size_t mask;
} near_grid;

/* A vertex belongs to the object of the first primitive with that vertex. */
static void weld_near_objects(const welding *w, int32_t *object)
{
    memset(object, 0, w->mesh->vertices * sizeof *object);
    for (size_t p = w->mesh->primitives; p--;)
        for (uint32_t k = 0; k < mesh_corners_of(w->mesh, p); k++)
            object[mesh_vertex(w->mesh, p, k)] = welding_object(w, p);
}

/* At least one slot per vertex, so that most lists have one element. */
static int weld_near_open(near_grid *g, double tolerance)
{
    int err = IMP_OK, exponent;
    const uint32_t vertices = g->w->mesh->vertices;
    size_t slots = 1;
    while (slots < vertices)
        slots *= 2;
    frexp(tolerance, &exponent);
    exponent = exponent > -1000 ? exponent : -1000; /* the scale must be finite */
    g->scale = ldexp(1, -exponent);
    g->radius = tolerance * g->scale;
    g->mask = slots - 1;
    TRY(mem_alloc(g->w->mem, vertices * sizeof *g->object, &g->object));
    weld_near_objects(g->w, g->object);
    TRY(mem_alloc(g->w->mem, slots * sizeof *g->first, &g->first));
    TRY(mem_alloc(g->w->mem, vertices * sizeof *g->next, &g->next));
    memset(g->first, 0xff, slots * sizeof *g->first); /* WELD_NONE */
out:
    return err;
}

static void weld_near_close(near_grid *g)
{
    mem_free(g->w->mem, g->object);
    mem_free(g->w->mem, g->first);
    mem_free(g->w->mem, g->next);
}

/* The cells that may contain coordinates near x, its own first; returns their number. Cells have
 * edges of 4 and the radius is under 1, so one neighbour suffices. From 2^52 on, doubles are so far
 * apart that only equal ones are near. If scaling overflows, each coordinate is its own cell.
 * Adding 0 makes -0 and 0 equal. */
static int weld_near_cells(const near_grid *g, double x, double out[2])
{
    const double reach = g->radius * (1 + 0x1p-40); /* weld_near_is rounds */
    double t = x * g->scale;
    if (!isfinite(t)) {
        out[0] = x + 0.0;
        return 1;
    }
    double below = floor((t - reach) / 4), above = floor((t + reach) / 4);
    out[0] = floor(t / 4) + 0.0;
    out[1] = (below < out[0] ? below : above) + 0.0;
    return out[1] == out[0] ? 1 : 2;
}

static size_t weld_near_slot(const near_grid *g, double x, double y, double z)
{
    return (size_t)position_hash_add(0, (const double[DIMENSIONS]){x, y, z}) & g->mask;
}

/* Equal coordinates are always near, even infinite ones: infinity minus infinity is NaN. */
static int weld_near_is(const near_grid *g, uint32_t a, uint32_t b)
{
    for (size_t f = 0; f < g->w->frames; f++) {
        double x[DIMENSIONS], y[DIMENSIONS], sum = 0;
        frame_vertex(&g->w->frame[f], a, x);
        frame_vertex(&g->w->frame[f], b, y);
        for (int k = 0; k < DIMENSIONS; k++) {
            const double d = x[k] == y[k] ? 0 : (x[k] - y[k]) * g->scale;
            sum += d * d;
        }
        if (!(sum <= g->radius * g->radius))
            return 0;
    }
    return g->object[a] == g->object[b];
}

/* The first representative near v, or WELD_NONE. own[] becomes the cell of v. */
static uint32_t weld_near_find(const near_grid *g, uint32_t v, double own[DIMENSIONS])
{
    double x[DIMENSIONS], cell[DIMENSIONS][2];
    int n[DIMENSIONS];
    uint32_t found = WELD_NONE;
    frame_vertex(g->w->frame, v, x);
    for (int k = 0; k < DIMENSIONS; k++) {
        n[k] = weld_near_cells(g, x[k], cell[k]);
        own[k] = cell[k][0];
    }
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        const size_t slot = weld_near_slot(g, cell[0][i % n[0]], cell[1][i / n[0] % n[1]],
                                           cell[2][i / n[0] / n[1]]);
        for (uint32_t a = g->first[slot]; a != WELD_NONE; a = g->next[a])
            if (a < found && weld_near_is(g, a, v))
                found = a;
    }
    return found;
}

/* Returns whether any coordinate of v is NaN in the first frame. Those would share a list. */
static int weld_near_bad(const near_grid *g, uint32_t v)
{
    double x[DIMENSIONS];
    frame_vertex(g->w->frame, v, x);
    return isnan(x[0]) || isnan(x[1]) || isnan(x[2]);
}

int weld_near(welding *w, double tolerance)
{
    int err = IMP_OK;
    near_grid g = {.w = w};
    welding_start(w);
    TRY(weld_near_open(&g, tolerance));
    for (uint32_t v = 0; v < w->mesh->vertices; v++) {
        double own[DIMENSIONS];
        if (weld_near_bad(&g, v))
            continue;
        const uint32_t kept = weld_near_find(&g, v, own);
        if (kept != WELD_NONE) {
            w->map[v] = kept;
            continue;
        }
        const size_t slot = weld_near_slot(&g, own[0], own[1], own[2]);
        g.next[v] = g.first[slot];
        g.first[slot] = v;
    }
out:
    weld_near_close(&g);
    return err;
}
