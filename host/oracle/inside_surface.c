/* The objects of a frame, which of them are closed, and their surfaces: see inside_oracle.h. */
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "inside_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- views */

/* A number that depends on these two alone, of 32 bits. */
static uint32_t inside_surface_hash(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x >> 32);
}

void inside_direction(int attempt, long d[3])
{
    for (uint32_t k = 0; k < 3; k++)
        d[k] = (long)(inside_surface_hash((uint32_t)attempt, k) >> 21 | 1) - 1024;
}

void inside_view_point(const inside_surface *s, const inside_view *v, const double x[3],
                       double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += (double)v->direction[i][k] * (x[k] * s->scale);
    }
}

size_t inside_view_first(const inside_surface *s, const inside_view *v, double lo)
{
    size_t first = 0, last = s->faces;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (v->item[middle].reach < lo)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static int inside_surface_item_order(const void *x, const void *y)
{
    const inside_item *p = x, *q = y;
    if (p->lo[0] != q->lo[0])
        return p->lo[0] < q->lo[0] ? -1 : 1;
    return (p->face > q->face) - (p->face < q->face);
}

static int inside_surface_view(mem *m, inside_surface *s, inside_view *v)
{
    int err = IMP_OK;
    TRY(mem_alloc(m, s->faces * sizeof *v->item, &v->item));
    for (size_t i = 0; i < s->faces; i++) {
        inside_item *t = &v->item[i];
        truth_box box = truth_box_empty(0);
        for (int c = 0; c < 3; c++) {
            double x[3];
            inside_view_point(s, v, s->face[i].corner[c].near, x);
            truth_box_extend(&box, x);
        }
        t->face = i;
        for (int k = 0; k < 3; k++) {
            t->lo[k] = box.lo[k] - v->margin;
            t->hi[k] = box.hi[k] + v->margin;
        }
    }
    if (s->faces)
        qsort(v->item, s->faces, sizeof *v->item, inside_surface_item_order);
    for (size_t i = 0; i < s->faces; i++)
        v->item[i].reach = i ? fmax(v->item[i].hi[0], v->item[i - 1].reach) : v->item[i].hi[0];
out:
    return err;
}

/* The ray is the last direction. Scaled coordinates are less than 1; their error is that of few
 * roundings. */
static void inside_surface_directions(int attempt, inside_view *v)
{
    long(*e)[3] = v->direction, *d = e[2];
    double most = 0;
    inside_direction(attempt, d);
    e[0][0] = d[1];
    e[0][1] = -d[0];
    e[0][2] = 0;
    e[1][0] = d[2] * d[0];
    e[1][1] = d[2] * d[1];
    e[1][2] = -(d[0] * d[0] + d[1] * d[1]);
    for (int i = 0; i < 3; i++)
        most = fmax(most, (double)(labs(e[i][0]) + labs(e[i][1]) + labs(e[i][2])));
    v->margin = most * 0x1p-46;
}

/* ---- surfaces */

int inside_surface_open(mem *m, const imp_frame *f, int unit, inside_surface *s)
{
    int err = IMP_OK;
    double most = 0;
    s->unit = unit;
    for (size_t i = 0; i < s->faces; i++) {
        inside_face_open(f, unit, &s->face[i]);
        for (int k = 0; k < 3; k++)
            most = fmax(most, fmax(fabs(s->face[i].lo[k]), fabs(s->face[i].hi[k])));
    }
    int e = 0;
    (void)frexp(most, &e);
    s->scale = ldexp(1, -e < 1000 ? -e : 1000);
    for (int k = 0; k < 3; k++)
        s->box.direction[k][k] = 1;
    s->box.margin = 0x1p-46;
    TRY(inside_surface_view(m, s, &s->box));
    for (int i = 0; i < INSIDE_VIEWS; i++) {
        inside_surface_directions(i, &s->view[i]);
        TRY(inside_surface_view(m, s, &s->view[i]));
    }
out:
    return err;
}

void inside_surface_close(mem *m, inside_surface *s)
{
    for (size_t i = 0; i < s->faces && s->scale > 0; i++)
        inside_face_close(&s->face[i]);
    mem_free(m, s->box.item);
    for (int i = 0; i < INSIDE_VIEWS; i++)
        mem_free(m, s->view[i].item);
    mem_free(m, s->differs);
    *s = (inside_surface){0};
}

size_t inside_surface_of_prim(const inside_surface *s, uint32_t prim, const inside_face **out)
{
    size_t lo = 0, hi = s->faces, last;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (s->face[middle].prim < prim)
            lo = middle + 1;
        else
            hi = middle;
    }
    for (last = lo; last < s->faces && s->face[last].prim == prim;)
        last++;
    *out = s->face + lo;
    return last - lo;
}
