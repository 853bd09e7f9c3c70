/* See weld.h. Kept vertices are in lists, one for each grid cell. A cell has few, as they are
 * further apart than the tolerance. */
#include "weld.h"

#include "error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define NONE UINT32_MAX

/* Lengths are scaled by a power of two, which is exact, so that the tolerance becomes `radius`,
 * less than 1; its square cannot vanish. */
typedef struct grid {
    double scale, radius;
    uint32_t kept;
    uint32_t *first; /* [mask + 1] by hash of the cell: the vertex kept last, or NONE */
    uint32_t *next;  /* [kept] the one before in the same list, or NONE */
    size_t mask;
} grid;

/* At least one slot for each vertex, so that most lists have one. */
static int grid_open(grid *g, double tolerance, uint32_t vertices)
{
    int exponent;
    size_t slots = 1;
    while (slots < vertices)
        slots *= 2;
    frexp(tolerance, &exponent);
    exponent = exponent > -1000 ? exponent : -1000; /* the scale must be finite */
    g->scale = tolerance > 0 ? ldexp(1, -exponent) : INFINITY;
    g->radius = tolerance > 0 ? tolerance * g->scale : 0;
    g->mask = slots - 1;
    g->first = malloc(slots * sizeof *g->first);
    g->next = malloc(vertices * sizeof *g->next);
    if (!g->first || !g->next)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes",
                        (slots + vertices) * sizeof *g->first);
    memset(g->first, 0xff, slots * sizeof *g->first); /* NONE */
    return IMP_OK;
}

static void grid_close(grid *g)
{
    free(g->first);
    free(g->next);
}

/* The cells where coordinates near x may be, its own first; returns their number. Cells have edges
 * of 4 and the radius is under 1, so that one neighbour is enough. From 2^52 on, doubles are so far
 * apart that only equal ones are near. Without a tolerance, and where scaling overflows, each
 * coordinate is its own cell. Adding 0 makes -0 and 0 the same. */
static int cells_near(const grid *g, double x, double out[2])
{
    const double reach = g->radius * (1 + 0x1p-40); /* is_near rounds */
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

static size_t hash(const grid *g, double x, double y, double z)
{
    double cell[] = {x, y, z};
    return (size_t)XXH3_64bits(cell, sizeof cell) & g->mask;
}

/* Equal coordinates are always near, also infinite ones: infinity minus infinity is no number. */
static int is_near(const grid *g, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double d = a[i] == b[i] ? 0 : (a[i] - b[i]) * g->scale;
        sum += d * d;
    }
    return sum <= g->radius * g->radius;
}

/* The first kept vertex near x, or NONE. own[] becomes the cell of x. */
static uint32_t grid_find(const grid *g, const double *point, const double *x, double own[3])
{
    double cell[3][2];
    int n[3];
    uint32_t found = NONE;
    for (int i = 0; i < 3; i++) {
        n[i] = cells_near(g, x[i], cell[i]);
        own[i] = cell[i][0];
    }
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        size_t slot =
            hash(g, cell[0][i % n[0]], cell[1][i / n[0] % n[1]], cell[2][i / n[0] / n[1]]);
        for (uint32_t v = g->first[slot]; v != NONE; v = g->next[v])
            if (v < found && is_near(g, point + (size_t)3 * v, x))
                found = v;
    }
    return found;
}

/* The new number of the vertex at x. The kept ones are at the front of point. */
static uint32_t grid_join(grid *g, double *point, const double *x)
{
    double own[3];
    int bad = isnan(x[0]) || isnan(x[1]) || isnan(x[2]);
    uint32_t v = bad ? NONE : grid_find(g, point, x, own);
    if (v != NONE)
        return v;
    v = g->kept++;
    /* in place: kept vertices are never more than those seen */
    memmove(point + (size_t)3 * v, x, 3 * sizeof *x);
    if (!bad) {
        size_t slot = hash(g, own[0], own[1], own[2]);
        g->next[v] = g->first[slot];
        g->first[slot] = v;
    }
    return v;
}

static void renumber(const uint32_t *map, file_shape *io)
{
    for (size_t i = 0; i < (size_t)io->corners * io->primitives; i++)
        io->corner[i] = map[io->corner[i]];
}

void weld_again(const uint32_t *map, uint32_t kept, file_shape *io)
{
    uint32_t n = 0; /* the first vertex of each new number is the kept one */
    for (uint32_t v = 0; v < io->vertices; v++)
        if (map[v] == n)
            memmove(io->point + (size_t)3 * n++, io->point + (size_t)3 * v, 3 * sizeof *io->point);
    renumber(map, io);
    io->vertices = kept;
}

/* Vertices are moved to the front of the array while it is read, so it needs no second one. */
int weld(double tolerance, file_shape *io, uint32_t **map_out)
{
    int err = IMP_OK;
    grid g = {0};
    uint32_t *map = NULL;
    if (map_out)
        *map_out = NULL;
    if (!(tolerance >= 0 && tolerance <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "cannot weld with tolerance %g: it must be finite, 0 or more",
             tolerance);
    if (!io->vertices)
        goto out;
    TRY(grid_open(&g, tolerance, io->vertices));
    map = malloc(io->vertices * sizeof *map);
    if (!map)
        FAIL(IMP_ERR_MEMORY, "out of memory: %zu bytes", io->vertices * sizeof *map);
    for (uint32_t v = 0; v < io->vertices; v++)
        map[v] = grid_join(&g, io->point, io->point + (size_t)3 * v);
    renumber(map, io);
    io->vertices = g.kept;
    double *less = realloc(io->point, (size_t)3 * g.kept * sizeof *less);
    io->point = less ? less : io->point;
    if (map_out) {
        *map_out = map;
        map = NULL;
    }
out:
    grid_close(&g);
    free(map);
    return err;
}
