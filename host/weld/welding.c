/* See welding.h. */
#include "welding.h"

void welding_start(welding *w)
{
    for (uint32_t v = 0; v < w->mesh->vertices; v++)
        w->map[v] = v;
}

/* Paths are halved on the way, so that they stay short. */
uint32_t welding_find(const welding *w, uint32_t v)
{
    while (w->map[v] != v) {
        w->map[v] = w->map[w->map[v]];
        v = w->map[v];
    }
    return v;
}

void welding_join(const welding *w, uint32_t a, uint32_t b)
{
    a = welding_find(w, a);
    b = welding_find(w, b);
    if (a < b)
        w->map[b] = a;
    else
        w->map[a] = b;
}
