/* See file_shape_weld.h. */
#include "file_shape_weld.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

void file_shape_welding_free(file_shape_welding *w)
{
    free(w->map);
    free(w->number);
    *w = (file_shape_welding){0};
}

/* Never NULL for lack of elements. */
static int file_shape_welding_make(uint32_t vertices, file_shape_welding *w)
{
    const size_t bytes = (vertices + (size_t)1) * sizeof *w->map;
    *w = (file_shape_welding){.vertices = vertices, .map = malloc(bytes), .number = malloc(bytes)};
    return w->map && w->number ? IMP_OK
                               : imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", 2 * bytes);
}

static void file_shape_weld_number(file_shape_welding *w)
{
    for (uint32_t v = 0; v < w->vertices; v++)
        w->number[v] = w->map[v] == v ? w->kept++ : w->number[w->map[v]];
}

/* Points are moved to the front of their array. */
void file_shape_weld_again(const file_shape_welding *w, file_shape *io)
{
    for (uint32_t v = 0; v < w->vertices; v++)
        if (w->map[v] == v)
            memmove(io->point + (size_t)3 * w->number[v], io->point + (size_t)3 * v,
                    3 * sizeof *io->point);
    for (size_t i = 0; i < (size_t)io->corners * io->primitives; i++)
        io->corner[i] = w->number[io->corner[i]];
    io->vertices = w->kept;
}

int file_shape_weld(double tolerance, file_shape *io, file_shape_welding *out)
{
    int err = IMP_OK;
    file_shape_welding w = {0};
    const imp_mesh mesh = {.vertices = io->vertices,
                           .primitives = io->primitives,
                           .corner = io->corner,
                           .object = io->group,
                           .corners = (int)io->corners,
                           .corner_count = io->corner_count};
    const imp_frame frame = {&mesh, io->point, IMP_FLOAT64};
    if (out)
        *out = (file_shape_welding){0};
    TRY(file_shape_welding_make(io->vertices, &w));
    TRY(imp_weld(&frame, 1, tolerance, w.map, &w.info));
    file_shape_weld_number(&w);
    file_shape_weld_again(&w, io);
    double *less = realloc(io->point, ((size_t)3 * w.kept + 1) * sizeof *less);
    io->point = less ? less : io->point;
    if (out) {
        *out = w;
        w = (file_shape_welding){0};
    }
out:
    file_shape_welding_free(&w);
    return err;
}

int file_shape_weld_holds(const file_shape_welding *w, double tolerance, const file_shape *s)
{
    int yes = 1;
    const imp_mesh mesh = {.vertices = s->vertices};
    const imp_frame frame = {&mesh, s->point, IMP_FLOAT64};
    return !w->map || (!imp_weld_holds(&frame, tolerance, w->map, &yes) && yes);
}
