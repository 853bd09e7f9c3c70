/* See solids_rays.h. */
#include "solids_rays.h"

#include "error.h"
#include "float_env.h"
#include "inside_grid.h"
#include "solids_pack.h"

#include <math.h>
#include <string.h>

#define RAYS_POINTS 2     /* points of a cell, on average */
#define RAYS_TRIANGLES 16 /* triangles of one, if that makes more cells */
#define RAYS_CHUNK 32     /* runs that a thread takes at a time, at most */
#define RAYS_FEW 4096     /* points that are not worth several threads */
#define RAYS_ALONE 8192   /* the same of points and triangles together */
#define RAYS_NONE UINT32_MAX

typedef struct rays {
    const solids *of;
    uint32_t place;
    const solids_query *query;
    const size_t *which;
    size_t n;
    uint32_t axis; /* of the rays; the next two are across them */
    double turn;   /* 1 upward, -1 downward: then coordinates along the axis have the other sign */
    uint32_t count, stride; /* points in the object's box, and that with places behind them */
    uint32_t cells[2];      /* columns and rows */
    double grid[INSIDE_GRID];
    uint32_t *cell;  /* [n], or RAYS_NONE: outside the box */
    uint32_t *start; /* [cells + 1] the first point of each cell */
    uint32_t *order; /* [count] the place of each point in `which` */
    double *point;   /* [3 * stride] */
    uint32_t *sum;   /* [2 * stride] */
} rays;

static void rays_close(rays *r)
{
    mem *m = r->of->mem;
    mem_free(m, r->cell);
    mem_free(m, r->start);
    mem_free(m, r->order);
    mem_free(m, r->point);
    mem_free(m, r->sum);
}

static double rays_coordinate(const rays *r, size_t i, uint32_t k)
{
    return r->query[r->which[i]].x[k] * r->of->scale[0] * r->of->scale[1];
}

static int rays_in_box(const rays *r, size_t i)
{
    const float *box = solids_box(r->of, r->place);
    const double *x = r->query[r->which[i]].x;
    for (int k = 0; k < 3; k++) {
        const float at = solids_unit(r->of, k, x[k]);
        if (at < box[k] || at > box[3 + k])
            return 0;
    }
    return 1;
}

/* The box of some points. */
typedef struct rays_box {
    uint32_t count;
    double lo[3], hi[3];
} rays_box;

/* Finds the points in the object's box, and the box of these; the others are outside the object. */
static rays_box rays_find(const rays *r)
{
    const double most = INFINITY;
    double lo[3] = {most, most, most}, hi[3] = {-most, -most, -most};
    uint32_t count = 0;
#pragma omp parallel num_threads(r->of->threads) if (r->n > RAYS_FEW)                              \
    reduction(+ : count) reduction(min : lo[:3]) reduction(max : hi[:3])
    EACH_IN_FLOAT_ENV
#pragma omp for
    for (int64_t i = 0; i < (int64_t)r->n; i++) {
        r->cell[i] = rays_in_box(r, (size_t)i) ? 0 : RAYS_NONE;
        count += r->cell[i] != RAYS_NONE;
        for (uint32_t k = 0; k < 3 && r->cell[i] != RAYS_NONE; k++) {
            const double x = rays_coordinate(r, (size_t)i, k);
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    }
    return (rays_box){count, {lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

/* About the share of the triangles that rays along an axis may meet, times the layers of these. */
static double rays_cost(const rays *r, const rays_box *b, uint32_t axis, int up)
{
    const float *box = solids_box(r->of, r->place);
    double cost = 1;
    for (uint32_t k = 0; k < 3; k++) {
        const double lo = (double)box[k] + r->of->centre[k],
                     hi = (double)box[3 + k] + r->of->centre[k];
        if (k == axis)
            cost *= up ? hi - b->lo[k] : b->hi[k] - lo;
        else
            cost *= hi > lo ? (b->hi[k] - b->lo[k]) / (hi - lo) : 1;
    }
    return cost;
}

/* Chooses the rays' direction. */
static void rays_aim(rays *r, const rays_box *b)
{
    double least = INFINITY;
    for (uint32_t way = 0; way < 6; way++) {
        const double cost = rays_cost(r, b, way / 2, way % 2);
        if (!(cost < least))
            continue;
        least = cost;
        r->axis = way / 2;
        r->turn = way % 2 ? 1 : -1;
    }
}

/* Cells over the points' box: a few points in each, or a few triangles. */
static void rays_grid(rays *r, const rays_box *b)
{
    const closed_object *o = &r->of->mesh.of[r->place];
    const double cells = 1 + floor(fmax((double)r->count / RAYS_POINTS,
                                        (double)(o->last - o->first) / RAYS_TRIANGLES));
    double extent[2];
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t axis = (r->axis + 1 + k) % 3;
        extent[k] = fmax(b->hi[axis] - b->lo[axis], 0x1p-20);
        r->grid[k] = b->lo[axis];
        r->grid[4 + k] = b->hi[axis];
    }
    const double rows = sqrt(cells * extent[1] / extent[0]);
    r->cells[1] = (uint32_t)fmin(fmax(rows, 1), cells);
    r->cells[0] = (uint32_t)fmax(cells / r->cells[1], 1);
    for (int k = 0; k < 2; k++)
        r->grid[2 + k] = r->cells[k] / extent[k];
    r->grid[6] = r->turn > 0 ? b->lo[r->axis] : -b->hi[r->axis];
}

static uint32_t rays_cell(const rays *r, size_t i)
{
    uint32_t at[2];
    for (int k = 0; k < 2; k++)
        at[k] = inside_cell(rays_coordinate(r, i, (r->axis + 1 + (uint32_t)k) % 3), r->grid[k],
                            r->grid[2 + k], r->cells[k]);
    return at[1] * r->cells[0] + at[0];
}

static void rays_put(const rays *r, size_t i, uint32_t place)
{
    r->order[place] = (uint32_t)i;
    r->point[place] = rays_coordinate(r, i, (r->axis + 1) % 3);
    r->point[r->stride + place] = rays_coordinate(r, i, (r->axis + 2) % 3);
    r->point[2 * (size_t)r->stride + place] = r->turn * rays_coordinate(r, i, r->axis);
}

/* Sorts the points by cell. */
static int rays_sort(rays *r)
{
    int err = IMP_OK;
    mem *m = r->of->mem;
    const size_t cells = (size_t)r->cells[0] * r->cells[1];
    TRY(mem_alloc(m, (cells + 2) * sizeof *r->start, &r->start));
    TRY(mem_alloc(m, r->count * sizeof *r->order, &r->order));
    TRY(mem_alloc(m, (size_t)3 * r->stride * sizeof *r->point, &r->point));
    TRY(mem_alloc(m, (size_t)2 * r->stride * sizeof *r->sum, &r->sum));
    memset(r->start, 0, (cells + 2) * sizeof *r->start);
    memset(r->sum, 0, (size_t)2 * r->stride * sizeof *r->sum);
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = r->count; i < r->stride; i++)
            r->point[(size_t)k * r->stride + i] = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->cell[i] != RAYS_NONE)
            r->start[(r->cell[i] = rays_cell(r, i)) + 2]++;
    for (size_t c = 0; c < cells; c++)
        r->start[c + 2] += r->start[c + 1];
    /* each cell's entry moves to its end, the next one's first */
    for (size_t i = 0; i < r->n; i++)
        if (r->cell[i] != RAYS_NONE)
            rays_put(r, i, r->start[r->cell[i] + 1]++);
out:
    return err;
}

/* The inputs as buffers. */
typedef struct rays_buffers {
    buffer_u32 prim, corner, start, sum;
    buffer_f64 run, x, grid, point;
} rays_buffers;

static int rays_wrap(const rays *r, device *d, rays_buffers *b)
{
    int err = IMP_OK;
    const closed_mesh *c = &r->of->mesh;
    const imp_mesh *m = c->frame->mesh;
    const size_t cells = (size_t)r->cells[0] * r->cells[1], places = 2 * (size_t)r->stride;
    TRY(buffer_wrap(d, &b->run, r->of->runs.box, (size_t)6 * r->of->runs.first[c->count]));
    TRY(buffer_wrap(d, &b->prim, c->prim, c->of[r->place].last));
    TRY(buffer_wrap(d, &b->corner, m->corner, mesh_corner_count(m)));
    TRY(buffer_wrap(d, &b->x, r->of->x, (size_t)3 * m->vertices));
    TRY(buffer_wrap(d, &b->grid, r->grid, INSIDE_GRID));
    TRY(buffer_wrap(d, &b->start, r->start, cells + 1));
    TRY(buffer_wrap(d, &b->point, r->point, (size_t)3 * r->stride));
    TRY(buffer_put(d, &b->sum, r->sum, places));
out:
    return err;
}

static void rays_unwrap(device *d, rays_buffers *b)
{
    buffer *all[] = {&b->run.raw,  &b->prim.raw,  &b->corner.raw, &b->x.raw,
                     &b->grid.raw, &b->start.raw, &b->point.raw,  &b->sum.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(d, all[i]);
}

static int rays_run(const rays *r)
{
    int err = IMP_OK;
    device *d = r->of->pack->dev;
    const closed_object *o = &r->of->mesh.of[r->place];
    const uint32_t *run0 = r->of->runs.first + r->place, runs = run0[1] - run0[0];
    const uint32_t share = runs / (16 * (uint32_t)r->of->threads) + 1;
    const uint32_t chunk = o->last - o->first + (size_t)r->count < RAYS_ALONE ? runs
                           : share < RAYS_CHUNK                               ? share
                                                                              : RAYS_CHUNK;
    const uint32_t items = (runs - 1) / chunk + 1;
    rays_buffers b = {0};
    TRY(rays_wrap(r, d, &b));
    TRY(RUN(d, inside_rays8, items, o->first, o->last, *run0, chunk, &b.run, &b.prim, &b.corner,
            (uint32_t)mesh_corners(r->of->mesh.frame->mesh), &b.x, 2 * r->axis + (r->turn > 0),
            &b.grid, r->cells[0], r->cells[1], &b.start, &b.point, r->stride, &b.sum));
    TRY(buffer_read(d, &b.sum, 0, r->sum, 2 * (size_t)r->stride));
out:
    rays_unwrap(d, &b);
    return err;
}

int solids_rays(const solids *s, uint32_t place, solids_query *q, const size_t *which, size_t n)
{
    int err = IMP_OK;
    rays r = {.of = s, .place = place, .query = q, .which = which, .n = n};
    TRY(mem_alloc(s->mem, n * sizeof *r.cell, &r.cell));
    const rays_box box = rays_find(&r);
    r.count = box.count;
    r.stride = (r.count + 2 * INSIDE_PAD - 1) / INSIDE_PAD * INSIDE_PAD;
    if (r.count) {
        rays_aim(&r, &box);
        rays_grid(&r, &box);
        TRY(rays_sort(&r));
        TRY(rays_run(&r));
    }
    for (size_t i = 0; i < n; i++)
        q[which[i]].winding = 0;
    for (uint32_t i = 0; i < r.count; i++)
        q[which[r.order[i]]].winding =
            r.sum[r.stride + i] ? INSIDE_DOUBT : (int32_t)r.turn * (int32_t)r.sum[i];
out:
    rays_close(&r);
    return err;
}
