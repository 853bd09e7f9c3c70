/* See event_rows.h. */
#include "event_rows.h"

#include "error.h"
#include "pcs_feature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding of the quotient could put a contact after its time. */
static double impact_rows_toi(double time, double step)
{
    double toi = time / step;
    while (toi > 0 && toi * step > time)
        toi = nextafter(toi, 0);
    return toi < 1 ? toi : 1;
}

static int impact_rows_point_order(const double *p, const double *q)
{
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

/* Two points in lexicographic order, without -0, as in every result. */
static void impact_rows_put_points(const double point[2][3], double out[6])
{
    const int swap = impact_rows_point_order(point[0], point[1]) > 0;
    for (int k = 0; k < 6; k++)
        out[k] = point[(k >= 3) != swap][k % 3] + 0.0;
}

/* Primitives of a user's mesh may be in any order. */
static void impact_rows_swap_sides(impact_row *row)
{
    const uint32_t a = row->a;
    const int64_t feature = row->feature[0];
    row->a = row->b;
    row->b = a;
    row->feature[0] = row->feature[1];
    row->feature[1] = feature;
}

int impact_rows_add(impact_rows *r, const body_mesh *m, const pcs_contact *c, double step)
{
    const uint32_t body[2] = {c->a, c->b};
    const shape_nearest *near = &c->near;
    const world *w = m->w;
    int err = mem_fit(r->mem, r->count, &r->capacity, sizeof *r->row, &r->row);
    if (err)
        return err;
    impact_row *row = &r->row[r->count];
    *row = (impact_row){.toi = impact_rows_toi(c->time, step),
                        .a = w->cell[w->cell0[c->a] + near->cell[0]],
                        .b = w->cell[w->cell0[c->b] + near->cell[1]],
                        .number = (uint32_t)r->count,
                        .kind = pcs_kind(near)};
    for (int i = 0; i < 2; i++)
        row->feature[i] = near->kind[i] == SHAPE_VERTEX
                              ? (int64_t)w->vertex[w->vertex0[body[i]] + near->feature[i]]
                              : near->feature[i];
    impact_rows_put_points(near->point, row->point);
    if (row->a > row->b)
        impact_rows_swap_sides(row);
    r->count++;
    return IMP_OK;
}

/* A pair may have several contacts at one time: these stay in order. */
static int row_order(const void *x, const void *y)
{
    const impact_row *p = x, *q = y;
    if (p->toi != q->toi)
        return p->toi < q->toi ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

/* Columns with room for all rows. */
static int impact_rows_reserve(impact_rows *r)
{
    const imp_def def = {.continuous = 1, .stage = IMP_STAGE_CONTACTS};
    const column_set set = columns_when(&contact_table, &def);
    if (r->columns.table && r->columns.capacity >= r->count)
        return IMP_OK;
    columns_close(&r->columns);
    const int err = columns_open(r->mem, &contact_table, set, r->capacity, &r->columns);
    if (err)
        columns_close(&r->columns);
    return err;
}

int impact_rows_view(impact_rows *r, imp_contacts *out)
{
    int err = IMP_OK;
    *out = (imp_contacts){.count = r->count};
    TRY(impact_rows_reserve(r));
    columns_clear(&r->columns);
    if (r->count)
        qsort(r->row, r->count, sizeof *r->row, row_order);
    for (const impact_row *x = r->row; x < r->row + r->count; x++) {
        const imp_contacts one = {.count = 1,
                                  .a = &x->a,
                                  .b = &x->b,
                                  .kind = &x->kind,
                                  .points = x->point,
                                  .toi = &x->toi,
                                  .feature_a = &x->feature[0],
                                  .feature_b = &x->feature[1]};
        TRY(columns_append(&r->columns, &one, 1));
    }
    columns_as_rows(&r->columns, out);
out:
    return err;
}

void impact_rows_free(impact_rows *r)
{
    if (!r->mem)
        return;
    mem_free(r->mem, r->row);
    columns_close(&r->columns);
}
