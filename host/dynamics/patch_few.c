/* Few points of many: see patch.h. */
#include "error.h"
#include "patch_parts.h"

#include <math.h>
#include <stdlib.h>

#define GROUP 0.9 /* cosine of 26 degrees */
#define DIRECTIONS 8

/* A point while a few are chosen. */
typedef struct few_point {
    double gap;
    size_t number; /* in the manifold */
    int grouped, chosen;
} few_point;

static int gap_order(const void *x, const void *y)
{
    const few_point *a = x, *b = y;
    if (a->gap != b->gap)
        return a->gap < b->gap ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static int number_order(const void *x, const void *y)
{
    const few_point *a = x, *b = y;
    return a->number < b->number ? -1 : 1;
}

/* Of the group number `group` (from 1) the farthest along a direction; of those as far the first.
 */
static void choose_extreme(const manifold *m, few_point *p, size_t count, int group, v3 direction)
{
    few_point *best = NULL;
    double most = -INFINITY;
    for (few_point *x = p; x < p + count; x++) {
        const double far = v3_dot(direction, m->point[x->number].at);
        if (x->grouped == group && far > most) {
            most = far;
            best = x;
        }
    }
    if (best)
        best->chosen = 1;
}

static void patch_few_choose(const manifold *m, few_point *p, size_t count)
{
    static const double direction[DIRECTIONS][2] = {
        {1, 0},  {0.7071067811865476, 0.7071067811865476},
        {0, 1},  {-0.7071067811865476, 0.7071067811865476},
        {-1, 0}, {-0.7071067811865476, -0.7071067811865476},
        {0, -1}, {0.7071067811865476, -0.7071067811865476}};
    int groups = 0;
    for (few_point *first = p; first < p + count; first++) {
        if (first->grouped)
            continue;
        const v3 n = m->point[first->number].normal, u = patch_across(n), v = v3_cross(n, u);
        groups++;
        first->chosen = 1;
        for (few_point *x = first; x < p + count; x++)
            if (!x->grouped && v3_dot(m->point[x->number].normal, n) > GROUP)
                x->grouped = groups;
        for (int k = 0; k < DIRECTIONS; k++)
            choose_extreme(m, p, count, groups,
                           v3_add(v3_scale(u, direction[k][0]), v3_scale(v, direction[k][1])));
    }
}

static size_t count_near(const few_point *p, size_t count, double near)
{
    size_t n = 0;
    while (n < count && p[n].gap <= near)
        n++;
    return n;
}

static void choose_all(few_point *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        p[i].chosen = 1;
}

int patch_reduce(manifold *m, double near)
{
    int err = IMP_OK;
    few_point *p = NULL;
    size_t remaining = 0;
    if (m->count <= PATCH_MANY)
        return IMP_OK;
    TRY(mem_alloc(m->mem, m->count * sizeof *p, &p));
    for (size_t i = 0; i < m->count; i++)
        p[i] = (few_point){m->point[i].gap, i, 0, 0};
    qsort(p, m->count, sizeof *p, gap_order);
    const size_t first = count_near(p, m->count, near);
    const size_t part[2][2] = {{0, first}, {first, m->count - first}};
    for (int i = 0; i < 2; i++)
        (part[i][1] > PATCH_MANY ? patch_few_choose(m, p + part[i][0], part[i][1])
                                 : choose_all(p + part[i][0], part[i][1]));
    qsort(p, m->count, sizeof *p, number_order);
    for (size_t i = 0; i < m->count; i++)
        if (p[i].chosen)
            m->point[remaining++] = m->point[i];
    m->count = remaining;
out:
    mem_free(m->mem, p);
    return err;
}
