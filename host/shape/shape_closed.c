/* Is a surface closed, and which parts of it hang together? Triangles that have a position twice
 * are no part of the boundary, for their edges cancel each other; but what they join hangs
 * together. */
#include "shape_parts.h"

#include "error.h"

#include <stdlib.h>

/* An edge by its positions, low < high. */
typedef struct side {
    uint32_t low, high;
    int direction; /* 1: from low to high, -1 */
} side;

static int side_order(const void *a, const void *b)
{
    const side *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

static uint32_t shape_closed_position(const shape *s, size_t corner)
{
    return s->same[s->corner[corner]];
}

/* The sides of triangles, but for those from a position to itself. */
static size_t shape_closed_list_sides(const shape *s, side *out)
{
    size_t count = 0;
    for (size_t e = 0; e < 3 * (size_t)s->triangles; e++) {
        const uint32_t a = shape_closed_position(s, e),
                       b = shape_closed_position(s, e % 3 == 2 ? e - 2 : e + 1);
        if (a != b)
            out[count++] = a < b ? (side){a, b, 1} : (side){b, a, -1};
    }
    return count;
}

/* Of sorted sides. */
static enum shape_closed closed_by(const side *l, size_t count)
{
    enum shape_closed closed = SHAPE_WINDING;
    for (size_t i = 0, to; i < count; i = to) {
        int64_t sum = 0;
        for (to = i; to < count && !side_order(&l[i], &l[to]); to++)
            sum += l[to].direction;
        if ((to - i) % 2)
            return SHAPE_OPEN;
        if (sum)
            closed = SHAPE_ODD;
    }
    return count ? closed : SHAPE_OPEN;
}

static int find_closed(mem *m, shape *s)
{
    int err = 0;
    side *l = NULL;
    TRY(mem_alloc(m, 3 * (size_t)s->triangles * sizeof *l, &l));
    const size_t count = shape_closed_list_sides(s, l);
    qsort(l, count, sizeof *l, side_order);
    s->closed = closed_by(l, count);
out:
    mem_free(m, l);
    return err;
}

/* ---- parts */

/* The first vertex of the part, as far as parts are joined yet; ways to it become shorter. */
static uint32_t shape_closed_root(uint32_t *to, uint32_t v)
{
    while (to[v] != v)
        v = to[v] = to[to[v]];
    return v;
}

static int shape_closed_components(mem *m, shape *s)
{
    int err = 0;
    uint32_t *to = NULL;
    size_t room = 0;
    TRY(mem_alloc(m, s->vertices * sizeof *to, &to));
    for (uint32_t v = 0; v < s->vertices; v++)
        to[v] = v;
    for (size_t e = 0; e < 3 * (size_t)s->triangles; e++) {
        const uint32_t a = shape_closed_root(to, shape_closed_position(s, e - e % 3)),
                       b = shape_closed_root(to, shape_closed_position(s, e));
        to[a > b ? a : b] = a > b ? b : a;
    }
    for (size_t e = 0; e < 3 * (size_t)s->triangles; e++) {
        const uint32_t v = shape_closed_position(s, e);
        if (to[v] != v) /* not the first one, or listed */
            continue;
        TRY(mem_fit(m, s->components, &room, sizeof *s->component, &s->component));
        s->component[s->components++] = (uint32_t)e;
        to[v] = SHAPE_NONE;
    }
out:
    mem_free(m, to);
    return err;
}

int shape_closed_make(mem *m, shape *s)
{
    int err = 0;
    if (s->hull)
        s->closed = SHAPE_WINDING;
    else
        TRY(find_closed(m, s));
    TRY(shape_closed_components(m, s));
out:
    return err;
}
