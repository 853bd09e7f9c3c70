/* See swept.h. */
#include "swept.h"

#include "error.h"
#include "expect.h"

#include <math.h>
#include <stdlib.h>

void turned(const double a[4], const double b[4], double t, double out[4])
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = dot < 0 ? -1 : 1;
    const double whole = acos(fabs(dot) < 1 ? fabs(dot) : 1);
    const double x = whole > 1e-9 ? sin((1 - t) * whole) / sin(whole) : 1 - t;
    const double y = whole > 1e-9 ? sin(t * whole) / sin(whole) : t;
    for (int k = 0; k < 4; k++)
        out[k] = x * a[k] + sign * y * b[k];
}

int swept_sink(void *user, const imp_swept *s)
{
    swept_list *l = user;
    const size_t n = l->count + s->count;
    l->a = realloc(l->a, n * sizeof *l->a);
    l->b = realloc(l->b, n * sizeof *l->b);
    l->time = realloc(l->time, n * sizeof *l->time);
    for (size_t i = 0; i < s->count; i++, l->count++) {
        l->a[l->count] = s->a[i];
        l->b[l->count] = s->b[i];
        l->time[l->count] = s->time[i];
        const size_t at = l->count;
        l->order &=
            !at || l->a[at - 1] < l->a[at] || (l->a[at - 1] == l->a[at] && l->b[at - 1] < l->b[at]);
        l->order &= s->time[i] >= 0 && s->time[i] <= 1 && s->a[i] < s->b[i];
    }
    return 0;
}

void swept_free(swept_list *l)
{
    free(l->a);
    free(l->b);
    free(l->time);
    *l = (swept_list){.order = 1};
}

int swept_has(const swept_list *l, uint32_t a, uint32_t b, double t)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (l->a[middle] < a || (l->a[middle] == a && l->b[middle] < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->count && l->a[low] == a && l->b[low] == b && l->time[low] <= t + 1e-9;
}

void swept_frames(imp *p, const crowd *c, int from, int to, swept_list *out)
{
    uint64_t count = 0;
    *out = (swept_list){.order = 1};
    imp_profile_reset(p);
    EXPECT(imp_sweep(p, c->frame + from, c->frame + to, swept_sink, out, &count) == 0, "%s",
           imp_error_text());
    CU_ASSERT(count == out->count && out->order);
}

uint64_t swept_tests(const imp *p)
{
    imp_profile t;
    imp_profile_get(p, &t);
    return t.volume_tests + t.obb_tests + t.leaf_pairs;
}

int swept_same(const swept_list *x, const swept_list *y)
{
    int same = x->count == y->count;
    for (size_t i = 0; same && i < x->count; i++)
        same = x->a[i] == y->a[i] && x->b[i] == y->b[i] && x->time[i] == y->time[i];
    return same;
}

int swept_as_frame(const swept_list *l, const contact_list *frame, const int still[OBJECTS])
{
    size_t r = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (!still[l->a[i] / BODY_TRIANGLES] || !still[l->b[i] / BODY_TRIANGLES])
            continue;
        while (r < frame->count && (!still[frame->row[r].a / BODY_TRIANGLES] ||
                                    !still[frame->row[r].b / BODY_TRIANGLES]))
            r++;
        if (r == frame->count || frame->row[r].a != l->a[i] || frame->row[r].b != l->b[i] ||
            l->time[i] != 0)
            return 0;
        r++;
    }
    for (; r < frame->count; r++)
        if (still[frame->row[r].a / BODY_TRIANGLES] && still[frame->row[r].b / BODY_TRIANGLES])
            return 0;
    return 1;
}
