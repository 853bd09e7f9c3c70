/* See positions.h. */
#include "positions.h"

#include "error.h"
#include "mix.h"

#include <string.h>

uint64_t position_hash_add(uint64_t h, const double x[3])
{
    for (int k = 0; k < DIMENSIONS; k++) {
        const double plain = x[k] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &plain, sizeof bits);
        h = mix64(h ^ bits) + UINT64_C(0x9e3779b97f4a7c15);
    }
    return h;
}

uint64_t position_hash(const imp_frame *frame, size_t frames, uint32_t v)
{
    uint64_t h = 0;
    for (size_t f = 0; f < frames; f++) {
        double x[DIMENSIONS];
        frame_vertex(&frame[f], v, x);
        h = position_hash_add(h, x);
    }
    return h;
}

int position_same(const imp_frame *frame, size_t frames, uint32_t a, uint32_t b)
{
    for (size_t f = 0; f < frames; f++) {
        double x[DIMENSIONS], y[DIMENSIONS];
        frame_vertex(&frame[f], a, x);
        frame_vertex(&frame[f], b, y);
        if (!(x[0] == y[0] && x[1] == y[1] && x[2] == y[2]))
            return 0;
    }
    return 1;
}

/* A table of vertices by their positions, at most half full, without removals. */
int positions_find(const welding *w, uint32_t *first)
{
    int err = IMP_OK;
    const uint32_t vertices = w->mesh->vertices;
    uint32_t *slot = NULL;
    size_t slots = 1;
    while (slots < 2 * (size_t)vertices)
        slots *= 2;
    TRY(mem_alloc(w->mem, slots * sizeof *slot, &slot));
    memset(slot, 0xff, slots * sizeof *slot); /* WELD_NONE */
    for (uint32_t v = 0; v < vertices; v++) {
        size_t at = (size_t)position_hash(w->frame, w->frames, v) & (slots - 1);
        first[v] = v;
        /* a NaN equals nothing: many in one slot would be searched for each other */
        if (!position_same(w->frame, w->frames, v, v))
            continue;
        while (slot[at] != WELD_NONE && !position_same(w->frame, w->frames, slot[at], v))
            at = (at + 1) & (slots - 1);
        if (slot[at] == WELD_NONE)
            slot[at] = v;
        first[v] = slot[at];
    }
out:
    mem_free(w->mem, slot);
    return err;
}
