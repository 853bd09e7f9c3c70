/* See pcs_others.h. */
#include "pcs_others.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *pcs_capacity(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static int pcs_others_boxes_meet(const double a[6], const double b[6])
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
           b[2] <= a[5];
}

/* Sorted by lower end along the axis of greatest spread. */
typedef struct sweep_item {
    double low;
    uint32_t box;
} sweep_item;

static int by_low(const void *p, const void *q)
{
    const sweep_item *a = p, *b = q;
    return a->low < b->low ? -1 : a->low > b->low ? 1 : (a->box > b->box) - (a->box < b->box);
}

static int widest_axis(const boxes *b)
{
    double most = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double sum = 0, squares = 0;
        for (uint32_t i = 0; i < b->count; i++) {
            const double x = b->at[i][k] + b->at[i][3 + k];
            sum += x;
            squares += x * x;
        }
        const double spread = squares - sum * sum / b->count;
        axis = spread > most ? k : axis;
        most = spread > most ? spread : most;
    }
    return axis;
}

/* The boxes in the active set are copied together, so that they are read sequentially. */
answer pcs_by_sweep(const boxes *b, double unused)
{
    static sweep_item *item;
    static double(*open)[6];
    static uint32_t *name, capable;
    answer out = {0};
    const int axis = widest_axis(b);
    uint32_t opened = 0;
    (void)unused;
    if (b->count > capable) {
        free(item), free(open), free(name);
        item = pcs_capacity(b->count, sizeof *item);
        open = pcs_capacity(b->count, sizeof *open);
        name = pcs_capacity(b->count, sizeof *name);
        capable = b->count;
    }
    for (uint32_t i = 0; i < b->count; i++)
        item[i] = (sweep_item){b->at[i][axis], i};
    qsort(item, b->count, sizeof *item, by_low);
    for (uint32_t i = 0; i < b->count; i++) {
        const double *box = b->at[item[i].box];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < opened; k++) {
            if (open[k][3 + axis] < item[i].low)
                continue; /* already ended */
            if (pcs_others_boxes_meet(box, open[k]))
                answer_add(&out, item[i].box, name[k]);
            if (kept != k) {
                memcpy(open[kept], open[k], sizeof *open);
                name[kept] = name[k];
            }
            kept++;
        }
        memcpy(open[kept], box, sizeof *open);
        name[kept] = item[i].box;
        opened = kept + 1;
    }
    return out;
}

/* One uniform grid, whose cells are hashed: boxes are entered into all cells that they overlap. A
 * pair of boxes is counted in the cell of the lower corner of their intersection. */
typedef struct cell_item {
    int32_t at[3];
    uint32_t box;
} cell_item;

double pcs_grid_entries(const boxes *b, double edge)
{
    double all = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        double n = 1;
        for (int k = 0; k < 3; k++)
            n *= floor(b->at[i][3 + k] / edge) - floor(b->at[i][k] / edge) + 1;
        all += n;
    }
    return all;
}

static size_t cell_bucket(const int32_t at[3], size_t buckets)
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++)
        h = (h ^ (uint32_t)at[k]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 20) & (buckets - 1);
}

typedef struct grid {
    size_t entries, buckets, *start;
    cell_item *item;
} grid;

/* Visits each cell of each box: the first round counts, the second enters. */
static void grid_round(grid *g, const boxes *b, double edge, int enter)
{
    for (uint32_t i = 0; i < b->count; i++) {
        int32_t lo[3], hi[3], at[3];
        for (int k = 0; k < 3; k++) {
            lo[k] = (int32_t)floor(b->at[i][k] / edge);
            hi[k] = (int32_t)floor(b->at[i][3 + k] / edge);
        }
        for (at[0] = lo[0]; at[0] <= hi[0]; at[0]++)
            for (at[1] = lo[1]; at[1] <= hi[1]; at[1]++)
                for (at[2] = lo[2]; at[2] <= hi[2]; at[2]++) {
                    size_t *start = g->start + cell_bucket(at, g->buckets);
                    if (enter)
                        g->item[(*start)++] = (cell_item){{at[0], at[1], at[2]}, i};
                    else
                        start[1]++;
                }
    }
}

static int same_cell(const cell_item *a, const cell_item *b)
{
    return a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

static int owns(const double a[6], const double b[6], const cell_item *cell, double edge)
{
    for (int k = 0; k < 3; k++)
        if ((int32_t)floor(fmax(a[k], b[k]) / edge) != cell->at[k])
            return 0;
    return 1;
}

/* Its memory is reused from frame to frame, too. */
static grid grid_make(size_t entries)
{
    static size_t *start, starts;
    static cell_item *item;
    static size_t items;
    size_t buckets = 1;
    while (buckets < entries)
        buckets *= 2;
    if (buckets + 1 > starts) {
        free(start);
        starts = buckets + 1;
        start = pcs_capacity(starts, sizeof *start);
    }
    if (entries > items) {
        free(item);
        items = entries + entries / 4;
        item = pcs_capacity(items, sizeof *item);
    }
    memset(start, 0, (buckets + 1) * sizeof *start);
    return (grid){entries, buckets, start, item};
}

answer pcs_by_grid(const boxes *b, double edge)
{
    grid g = grid_make((size_t)pcs_grid_entries(b, edge));
    answer out = {0};
    grid_round(&g, b, edge, 0);
    for (size_t i = 0; i < g.buckets; i++)
        g.start[i + 1] += g.start[i];
    grid_round(&g, b, edge, 1); /* start[i] is now the end of bucket i */
    for (size_t i = 0, first = 0; i < g.buckets; first = g.start[i++])
        for (size_t p = first; p < g.start[i]; p++)
            for (size_t q = first; q < p; q++) {
                const double *x = b->at[g.item[p].box], *y = b->at[g.item[q].box];
                if (same_cell(g.item + p, g.item + q) && pcs_others_boxes_meet(x, y) &&
                    owns(x, y, g.item + p, edge))
                    answer_add(&out, g.item[p].box, g.item[q].box);
            }
    return out;
}
