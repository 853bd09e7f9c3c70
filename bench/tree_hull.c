/* See tree_hull.h. */
#include "tree_hull.h"

#ifdef BENCH_QHULL

#include "film.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tree_hull_there(void)
{
    return 1;
}

/* Takes a triangle of the hull. */
typedef void take(const double *const corner[3], bv_moments *m);

static void take_corners(const double *const corner[3], bv_moments *m)
{
    for (int i = 0; i < 3; i++)
        bv_moments_add(m, &(bv_points){.x = corner[i], .count = 1});
}

/* The integrals over a triangle: area times (9 middle middle' + sum of p p') / 12. */
static void take_surface(const double *const corner[3], bv_moments *m)
{
    const double *p = corner[0], *q = corner[1], *r = corner[2];
    bv_moments one = {0};
    double a[3], b[3], middle[3];
    for (int k = 0; k < 3; k++) {
        a[k] = q[k] - p[k];
        b[k] = r[k] - p[k];
        middle[k] = (p[k] + q[k] + r[k]) / 3;
    }
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    const double area = sqrt(bv_dot(n, n)) / 2;
    take_corners(corner, &one);
    for (int i = 0; i < 9; i++)
        bv_moments_add(&one, &(bv_points){.x = middle, .count = 1});
    for (int k = 0; k < 6; k++)
        m->product[k] += area / 12 * one.product[k];
    for (int k = 0; k < 3; k++)
        m->sum[k] += area * middle[k];
    m->count += area;
}

static void take_hull(qhT *qh, take *each, bv_moments *out)
{
    facetT *facet;
    FORALLfacets
    {
        const double *corner[3];
        int n = 0;
        vertexT *vertex, **vertexp;
        FOREACHvertex_(facet->vertices)
        {
            if (n < 3)
                corner[n] = vertex->point;
            n++;
        }
        if (n == 3)
            each(corner, out);
    }
}

static void hull(const bv_points *below, take *each, bv_moments *out)
{
    char command[] = "qhull Qt Pp";
    FILE *nowhere = fopen("/dev/null", "w");
    double *x = room(3 * below->count * sizeof *x);
    qhT qh;
    int kept, total;
    qh_zero(&qh, nowhere);
    for (size_t i = 0; i < below->count; i++)
        memcpy(x + 3 * i, below->x + 3 * (below->vertex ? (size_t)below->vertex[i] : i),
               3 * sizeof *x);
    const int flat = !nowhere || below->count < 4 ||
                     qh_new_qhull(&qh, 3, (int)below->count, x, False, command, nowhere, nowhere);
    if (!flat)
        take_hull(&qh, each, out);
    if (flat || !(out->count > 0))
        bv_moments_add(out, below);
    qh_freeqhull(&qh, !qh_ALL);
    qh_memfreeshort(&qh, &kept, &total);
    free(x);
    if (nowhere)
        fclose(nowhere);
}

void tree_hull_corners(const bv_points *below, bv_moments *out)
{
    hull(below, take_corners, out);
}

void tree_hull_surface(const bv_points *below, bv_moments *out)
{
    hull(below, take_surface, out);
}

#else

int tree_hull_there(void)
{
    return 0;
}

void tree_hull_corners(const bv_points *below, bv_moments *out)
{
    bv_moments_add(out, below);
}

void tree_hull_surface(const bv_points *below, bv_moments *out)
{
    bv_moments_add(out, below);
}

#endif
