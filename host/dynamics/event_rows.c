/* See event_rows.h. */
#include "event_rows.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding of the quotient could put a contact after its time. */
static double share_of(double time, double step)
{
    double share = time / step;
    while (share > 0 && share * step > time)
        share = nextafter(share, 0);
    return share < 1 ? share : 1;
}

static uint8_t kind_of(const uint8_t kind[2])
{
    if (kind[0] == SHAPE_VERTEX || kind[1] == SHAPE_VERTEX)
        return IMP_KIND_VERTEX_FACE;
    return kind[0] == SHAPE_EDGE || kind[1] == SHAPE_EDGE ? IMP_KIND_EDGE_EDGE : IMP_KIND_AREA;
}

static int point_order(const double *p, const double *q)
{
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

/* Two points in lexicographic order, without -0, as in every result. */
static void put_points(const double point[2][3], double out[6])
{
    const int swap = point_order(point[0], point[1]) > 0;
    for (int k = 0; k < 6; k++)
        out[k] = point[(k >= 3) != swap][k % 3] + 0.0;
}

int event_rows_add(event_rows *r, const body_mesh *m, const pcs_contact *c, double step)
{
    const uint32_t body[2] = {c->a, c->b};
    const shape_nearest *near = &c->near;
    int err = mem_fit(r->mem, r->count, &r->capacity, sizeof *r->row, &r->row);
    if (err)
        return err;
    event_row *row = &r->row[r->count];
    *row = (event_row){.share = share_of(c->time, step),
                       .a = m->cell0[c->a] + near->cell[0],
                       .b = m->cell0[c->b] + near->cell[1],
                       .number = (uint32_t)r->count,
                       .kind = kind_of(near->kind)};
    for (int i = 0; i < 2; i++)
        row->feature[i] =
            near->feature[i] + (near->kind[i] == SHAPE_VERTEX ? m->vertex0[body[i]] : 0);
    put_points(near->point, row->point);
    r->count++;
    return IMP_OK;
}

/* A pair may have several contacts at one time: these stay in order. */
static int row_order(const void *x, const void *y)
{
    const event_row *p = x, *q = y;
    if (p->share != q->share)
        return p->share < q->share ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

static int columns_fit(event_rows *r)
{
    int err = IMP_OK;
    const size_t n = r->capacity;
    if (r->columns >= r->count)
        return IMP_OK;
    r->columns = 0;
    TRY(mem_grow(r->mem, 0, n * sizeof *r->a, &r->a));
    TRY(mem_grow(r->mem, 0, n * sizeof *r->b, &r->b));
    TRY(mem_grow(r->mem, 0, n * sizeof *r->kind, &r->kind));
    TRY(mem_grow(r->mem, 0, 6 * n * sizeof *r->point, &r->point));
    TRY(mem_grow(r->mem, 0, n * sizeof *r->share, &r->share));
    TRY(mem_grow(r->mem, 0, n * sizeof *r->feature_a, &r->feature_a));
    TRY(mem_grow(r->mem, 0, n * sizeof *r->feature_b, &r->feature_b));
    r->columns = n;
out:
    return err;
}

int event_rows_view(event_rows *r, imp_contacts *out)
{
    int err = columns_fit(r);
    if (err)
        return err;
    if (r->count)
        qsort(r->row, r->count, sizeof *r->row, row_order);
    for (size_t i = 0; i < r->count; i++) {
        const event_row *row = &r->row[i];
        r->a[i] = row->a;
        r->b[i] = row->b;
        r->kind[i] = row->kind;
        memcpy(r->point + 6 * i, row->point, sizeof row->point);
        r->share[i] = row->share;
        r->feature_a[i] = row->feature[0];
        r->feature_b[i] = row->feature[1];
    }
    *out = (imp_contacts){.count = r->count,
                          .a = r->a,
                          .b = r->b,
                          .kind = r->kind,
                          .point = r->point,
                          .share = r->share,
                          .feature_a = r->feature_a,
                          .feature_b = r->feature_b};
    return IMP_OK;
}

void event_rows_free(event_rows *r)
{
    if (!r->mem)
        return;
    mem_free(r->mem, r->row);
    mem_free(r->mem, r->a);
    mem_free(r->mem, r->b);
    mem_free(r->mem, r->kind);
    mem_free(r->mem, r->point);
    mem_free(r->mem, r->share);
    mem_free(r->mem, r->feature_a);
    mem_free(r->mem, r->feature_b);
}
