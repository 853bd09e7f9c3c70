/* See solids_rays.h. */
#include "solids_rays.h"

#include "error.h"
#include "float_env.h"
#include "inside_grid.h"
#include "solids_pack.h"

#include <math.h>
#include <string.h>

#define RAYS_CELL 2     /* points of a cell, on average */
#define RAYS_CHUNK 512  /* triangles that a thread takes at a time, at most */
#define RAYS_FEW 4096   /* points that are not worth several threads */
#define RAYS_ALONE 8192 /* the same of triangles and points together */
#define RAYS_NONE UINT32_MAX

typedef struct rays {
    const solids *of;
    uint32_t place;
    const solids_query *query;
    const size_t *which;
    size_t n;
    uint32_t axis, across[2]; /* axes along the rays and across them */
    uint32_t count, stride;   /* points in the object's box, and that with places behind them */
    uint32_t cells[2];        /* columns and rows */
    double grid[INSIDE_GRID];
    uint32_t *cell;  /* [n], or RAYS_NONE: outside the box */
    uint32_t *start; /* [cells + 1] the first point of each cell */
    uint32_t *order; /* [count] the place of each point in `which` */
    double *point;   /* [3 * stride] */
    uint32_t *sum;   /* [2 * stride] */
} rays;

static int rays_open(rays *r)
{
    int err = IMP_OK;
    r->axis = solids_way(r->of, r->place, r->query[r->which[0]].x, -1) / 2;
    r->across[0] = (r->axis + 1) % 3;
    r->across[1] = (r->axis + 2) % 3;
    TRY(mem_alloc(r->of->mem, r->n * sizeof *r->cell, &r->cell));
out:
    return err;
}

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

/* The box of some points: across the rays, then along them. */
typedef struct rays_box {
    uint32_t count;
    double lo[3], hi[3];
} rays_box;

static void rays_join(rays_box *to, const rays_box *b)
{
    to->count += b->count;
    for (int k = 0; k < 3; k++) {
        to->lo[k] = b->lo[k] < to->lo[k] ? b->lo[k] : to->lo[k];
        to->hi[k] = b->hi[k] > to->hi[k] ? b->hi[k] : to->hi[k];
    }
}

static rays_box rays_box_none(void)
{
    const double most = INFINITY;
    return (rays_box){0, {most, most, most}, {-most, -most, -most}};
}

/* Finds the points in the object's box, and the box of these; the others are outside the object. */
static rays_box rays_find(const rays *r)
{
    rays_box all = rays_box_none();
#pragma omp parallel num_threads(r->of->threads) if (r->n > RAYS_FEW)
    EACH_IN_FLOAT_ENV
    {
        rays_box mine = rays_box_none();
#pragma omp for
        for (int64_t i = 0; i < (int64_t)r->n; i++) {
            rays_box one = {.count = 1};
            r->cell[i] = rays_in_box(r, (size_t)i) ? 0 : RAYS_NONE;
            if (r->cell[i] == RAYS_NONE)
                continue;
            for (uint32_t k = 0; k < 3; k++)
                one.lo[k] = one.hi[k] = rays_coordinate(r, (size_t)i, (r->axis + 1 + k) % 3);
            rays_join(&mine, &one);
        }
#pragma omp critical(rays)
        rays_join(&all, &mine);
    }
    return all;
}

/* Cells over the points' box. */
static void rays_grid(rays *r, const rays_box *b)
{
    const double cells = 1 + floor((double)r->count / RAYS_CELL);
    double extent[2];
    for (int k = 0; k < 2; k++)
        extent[k] = fmax(b->hi[k] - b->lo[k], 0x1p-20);
    const double rows = sqrt(cells * extent[1] / extent[0]);
    r->cells[1] = (uint32_t)fmin(fmax(rows, 1), cells);
    r->cells[0] = (uint32_t)fmax(cells / r->cells[1], 1);
    for (int k = 0; k < 2; k++) {
        r->grid[k] = b->lo[k];
        r->grid[2 + k] = r->cells[k] / extent[k];
        r->grid[4 + k] = b->hi[k];
    }
    r->grid[6] = b->lo[2];
}

static uint32_t rays_cell(const rays *r, size_t i)
{
    uint32_t at[2];
    for (int k = 0; k < 2; k++)
        at[k] = inside_cell(rays_coordinate(r, i, r->across[k]), r->grid[k], r->grid[2 + k],
                            r->cells[k]);
    return at[1] * r->cells[0] + at[0];
}

static void rays_put(const rays *r, size_t i, uint32_t place)
{
    r->order[place] = (uint32_t)i;
    r->point[place] = rays_coordinate(r, i, r->across[0]);
    r->point[r->stride + place] = rays_coordinate(r, i, r->across[1]);
    r->point[2 * (size_t)r->stride + place] = rays_coordinate(r, i, r->axis);
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
    buffer_f64 x, grid, point;
} rays_buffers;

static int rays_wrap(const rays *r, device *d, rays_buffers *b)
{
    int err = IMP_OK;
    const closed_mesh *c = &r->of->mesh;
    const imp_mesh *m = c->frame->mesh;
    const size_t cells = (size_t)r->cells[0] * r->cells[1], places = 2 * (size_t)r->stride;
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
    buffer *all[] = {&b->prim.raw,  &b->corner.raw, &b->x.raw,  &b->grid.raw,
                     &b->start.raw, &b->point.raw,  &b->sum.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(d, all[i]);
}

static int rays_run(const rays *r)
{
    int err = IMP_OK;
    device *d = r->of->pack->dev;
    const closed_object *o = &r->of->mesh.of[r->place];
    const uint32_t n = o->last - o->first, share = n / (16 * (uint32_t)r->of->threads) + 1;
    const uint32_t chunk = (size_t)n + r->count < RAYS_ALONE ? n
                           : share < RAYS_CHUNK              ? share
                                                             : RAYS_CHUNK;
    const uint32_t items = (n - 1) / chunk + 1;
    rays_buffers b = {0};
    TRY(rays_wrap(r, d, &b));
    TRY(RUN(d, inside_rays8, items, o->first, o->last, chunk, &b.prim, &b.corner,
            (uint32_t)mesh_corners(r->of->mesh.frame->mesh), &b.x, r->axis, &b.grid, r->cells[0],
            r->cells[1], &b.start, &b.point, r->stride, &b.sum));
    TRY(buffer_read(d, &b.sum, 0, r->sum, 2 * (size_t)r->stride));
out:
    rays_unwrap(d, &b);
    return err;
}

int solids_rays(const solids *s, uint32_t place, solids_query *q, const size_t *which, size_t n)
{
    int err = IMP_OK;
    rays r = {.of = s, .place = place, .query = q, .which = which, .n = n};
    TRY(rays_open(&r));
    const rays_box box = rays_find(&r);
    r.count = box.count;
    r.stride = (r.count + 2 * INSIDE_PAD - 1) / INSIDE_PAD * INSIDE_PAD;
    if (r.count) {
        rays_grid(&r, &box);
        TRY(rays_sort(&r));
        TRY(rays_run(&r));
    }
    for (size_t i = 0; i < n; i++)
        q[which[i]].winding = 0;
    for (uint32_t i = 0; i < r.count; i++)
        q[which[r.order[i]]].winding = r.sum[r.stride + i] ? INSIDE_DOUBT : (int32_t)r.sum[i];
out:
    rays_close(&r);
    return err;
}
