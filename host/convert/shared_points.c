/* See shared_points.h. */
#include "shared_points.h"

#include "error.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static size_t shared_points_slot(const shared_points *s, int64_t number)
{
    return (size_t)XXH3_64bits(&number, sizeof number) & (s->slots - 1);
}

static void shared_points_enter(shared_points *s, size_t entry)
{
    size_t at = shared_points_slot(s, s->number[entry]);
    while (s->slot[at])
        at = (at + 1) & (s->slots - 1);
    s->slot[at] = (uint32_t)entry + 1;
}

/* At most half full. */
static int shared_points_grow(shared_points *s)
{
    int err = IMP_OK;
    if (2 * (s->count + 1) <= s->slots)
        return IMP_OK;
    const size_t slots = s->slots ? 2 * s->slots : 1024;
    TRY(grow_buffer(&s->slot, &s->slot_bytes, slots * sizeof *s->slot));
    s->slots = slots;
    memset(s->slot, 0, slots * sizeof *s->slot);
    for (size_t i = 0; i < s->count; i++)
        shared_points_enter(s, i);
out:
    return err;
}

static int shared_points_at(const file_shape *shape, uint32_t vertex, const double x[3])
{
    const double *p = shape->point + (size_t)3 * vertex;
    return p[0] == x[0] && p[1] == x[1] && p[2] == x[2];
}

int shared_points_find(shared_points *s, file_shape_maker *make, int64_t number, const double x[3],
                       uint64_t place, uint32_t *vertex)
{
    int err = IMP_OK, elsewhere = 0;
    TRY(shared_points_grow(s));
    for (size_t at = shared_points_slot(s, number); s->slot[at]; at = (at + 1) & (s->slots - 1)) {
        const size_t entry = s->slot[at] - 1;
        if (s->number[entry] != number)
            continue;
        *vertex = s->vertex[entry];
        if (shared_points_at(&make->shape, *vertex, x))
            return IMP_OK;
        elsewhere = 1;
    }
    if (elsewhere && !s->apart.count++)
        s->apart.line = place;
    *vertex = make->shape.vertices;
    TRY(file_shape_make_vertex(make, x));
    TRY(grow_buffer(&s->number, &s->number_bytes, (s->count + 1) * sizeof *s->number));
    TRY(grow_buffer(&s->vertex, &s->vertex_bytes, (s->count + 1) * sizeof *s->vertex));
    s->number[s->count] = number;
    s->vertex[s->count] = *vertex;
    shared_points_enter(s, s->count++);
out:
    return err;
}

void shared_points_free(shared_points *s)
{
    free(s->slot);
    free(s->number);
    free(s->vertex);
    *s = (shared_points){0};
}
