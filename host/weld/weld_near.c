/* See weld_near.h. Kept vertices, those that stand for themselves, are in lists, one for each grid
 * cell. A cell has few, as those of an object are further apart than the tolerance. */
#include "weld_near.h"

#include "error.h"
#include "positions.h"

#include <math.h>
#include <string.h>

/* Lengths are scaled by a power of two, which is exact, so that the tolerance becomes `radius`,
 * less than 1; its square cannot vanish. Cells are of the first frame. */
typedef struct near_grid {
    const welding *w;
    double scale, radius;
    int32_t *object; /* [vertices] of each */
    uint32_t *first; /* [mask + 1] by hash of the cell: the vertex kept last, or WELD_NONE */
    uint32_t *next;  /* [vertices] the one before in the same list, or WELD_NONE */
    size_t mask;
} near_grid;

/* A vertex belongs to the object of the first primitive that has it. */
static void weld_near_objects(const welding *w, int32_t *object)
{
    memset(object, 0, w->mesh->vertices * sizeof *object);
    for (size_t p = w->mesh->primitives; p--;)
        for (uint32_t k = 0; k < mesh_corners_of(w->mesh, p); k++)
            object[mesh_vertex(w->mesh, p, k)] = welding_object(w, p);
}

/* At least one slot for each vertex, so that most lists have one. */
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

/* The cells where coordinates near x may be, its own first; returns their number. Cells have edges
 * of 4 and the radius is under 1, so that one neighbour is enough. From 2^52 on, doubles are so far
 * apart that only equal ones are near. Where scaling overflows each coordinate is its own cell.
 * Adding 0 makes -0 and 0 the same. */
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

/* Equal coordinates are always near, also infinite ones: infinity minus infinity is no number. */
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

/* The first kept vertex near v, or WELD_NONE. own[] becomes the cell of v. */
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

/* Is any coordinate of v no number in the first frame? Those would share a list. */
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
