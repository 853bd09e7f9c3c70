/* See roster.h: places, and who has them. */
#include "roster.h"

#include "error.h"

#include <math.h>
#include <string.h>

/* ---- names: open addressing, one bucket after another */

static uint32_t bucket_find(const roster *r, int64_t name)
{
    uint32_t b = roster_hash(name) & r->mask;
    while (r->bucket[b] && r->name[r->bucket[b] - 1] != name)
        b = (b + 1) & r->mask;
    return b;
}

/* Those behind it that would not be found across the gap move up. */
static void bucket_empty(roster *r, uint32_t gap)
{
    r->bucket[gap] = 0;
    for (uint32_t b = (gap + 1) & r->mask; r->bucket[b]; b = (b + 1) & r->mask) {
        uint32_t home = roster_hash(r->name[r->bucket[b] - 1]) & r->mask;
        if (((b - home) & r->mask) < ((b - gap) & r->mask))
            continue;
        r->bucket[gap] = r->bucket[b];
        r->bucket[b] = 0;
        gap = b;
    }
}

uint32_t roster_find(const roster *r, int64_t name)
{
    return r->bucket[bucket_find(r, name)] - 1;
}

/* ---- places */

static void mark_changed(roster *r, uint32_t place)
{
    if (!r->is_changed[place])
        r->changed[r->changes++] = place;
    r->is_changed[place] = 1;
}

/* The corners of a primitive: own of them, or, NULL, nowhere. */
static void place_corners(roster *r, uint32_t place, const uint32_t *corner, uint8_t own)
{
    uint32_t n = (uint32_t)r->mesh.corners, nowhere = r->mesh.vertices - 1;
    uint32_t *to = r->corner + (size_t)n * place;
    for (uint32_t k = 0; k < r->own[place] && to[k] != nowhere; k++)
        r->is_used[to[k]] = --r->uses[to[k]] != 0;
    r->own[place] = corner ? own : (uint8_t)n;
    for (uint32_t k = 0; k < n; k++)
        to[k] = corner ? corner[k < own ? k : own - 1u] : nowhere;
    for (uint32_t k = 0; k < r->own[place] && corner; k++) {
        r->uses[to[k]]++;
        r->is_used[to[k]] = 1;
    }
}

void roster_alter(roster *r, uint32_t place, const uint32_t *corner, uint8_t own, int32_t object)
{
    place_corners(r, place, corner, own);
    r->object[place] = object;
    mark_changed(r, place);
}

uint32_t roster_vacate(roster *r)
{
    return r->vacancies ? r->vacant[--r->vacancies] : r->fresh++;
}

void roster_enter(roster *r, uint32_t place, int64_t name, const uint32_t *corner, uint8_t own,
                  int32_t object)
{
    r->name[place] = name;
    r->bucket[bucket_find(r, name)] = place + 1;
    roster_alter(r, place, corner, own, object);
}

void roster_leave(roster *r, uint32_t place)
{
    bucket_empty(r, bucket_find(r, r->name[place]));
    roster_alter(r, place, NULL, 0, 0);
    r->position[place] = ROSTER_NONE;
    r->vacant[r->vacancies++] = place;
}

void roster_settled(roster *r)
{
    for (uint32_t i = 0; i < r->changes; i++)
        r->is_changed[r->changed[i]] = 0;
    r->changes = 0;
}

void roster_used(const roster *r, uint8_t *used)
{
    memcpy(used, r->is_used, r->mesh.vertices);
}

void roster_nowhere(roster *r, uint32_t last)
{
    size_t end = (size_t)DIMENSIONS * last;
    for (size_t i = (size_t)DIMENSIONS * r->vertices; i < end; i++)
        if (r->frame.type == IMP_FLOAT32)
            ((float *)r->point)[i] = NAN;
        else
            ((double *)r->point)[i] = NAN;
}

/* ---- memory */

static void arrays_free(roster *r)
{
    void *all[] = {r->corner, r->own,      r->object,     r->name,   r->uses,    r->near,
                   r->point,  r->position, r->place,      r->last,   r->stretch, r->vacant,
                   r->bucket, r->changed,  r->is_changed, r->is_used};
    for (size_t i = 0; i < sizeof all / sizeof *all && r->mem; i++)
        mem_free(r->mem, all[i]);
    *r = (roster){.mem = r->mem, .turn = r->turn};
}

void roster_free(roster *r)
{
    arrays_free(r);
    r->mem = NULL;
}

static uint32_t bucket_mask(uint32_t places)
{
    uint32_t n = 16;
    while (n / 2 < places)
        n *= 2;
    return n - 1;
}

int roster_open(mem *m, roster *r, uint32_t places, uint32_t verts, int corners, int type)
{
    int err = IMP_OK;
    size_t n = places, v = verts;
    r->mem = m;
    arrays_free(r);
    r->turn++;
    r->mask = bucket_mask(places);
    TRY(mem_alloc(m, (size_t)corners * n * sizeof *r->corner, &r->corner));
    TRY(mem_alloc(m, n, &r->own));
    TRY(mem_alloc(m, n * sizeof *r->object, &r->object));
    TRY(mem_alloc(m, n * sizeof *r->name, &r->name));
    TRY(mem_alloc(m, v * sizeof *r->uses, &r->uses));
    TRY(mem_alloc(m, v, &r->is_used));
    TRY(mem_alloc(m, v * sizeof *r->near, &r->near));
    TRY(mem_alloc(m, n * sizeof *r->position, &r->position));
    TRY(mem_alloc(m, n * sizeof *r->place, &r->place));
    TRY(mem_alloc(m, n * sizeof *r->last, &r->last));
    TRY(mem_alloc(m, (n / ROSTER_STRETCH + 1) * sizeof *r->stretch, &r->stretch));
    TRY(mem_alloc(m, n * sizeof *r->vacant, &r->vacant));
    TRY(mem_alloc(m, ((size_t)r->mask + 1) * sizeof *r->bucket, &r->bucket));
    TRY(mem_alloc(m, n * sizeof *r->changed, &r->changed));
    TRY(mem_alloc(m, n, &r->is_changed));
    r->mesh = (imp_mesh){.vertices = verts,
                         .primitives = places,
                         .corner = r->corner,
                         .object = r->object,
                         .corners = corners,
                         .own = corners == IMP_TETRAHEDRA ? r->own : NULL,
                         .name = r->name};
    r->frame = (imp_frame){.mesh = &r->mesh, .type = type};
    TRY(mem_alloc(m, v * frame_point_bytes(&r->frame), &r->point));
    r->frame.point = r->point;
    memset(r->uses, 0, v * sizeof *r->uses);
    memset(r->is_used, 0, v);
    memset(r->near, 0, v * sizeof *r->near);
    memset(r->bucket, 0, ((size_t)r->mask + 1) * sizeof *r->bucket);
    memset(r->is_changed, 0, n);
    for (uint32_t i = 0; i < places; i++) {
        r->own[i] = (uint8_t)corners;
        r->object[i] = 0;
        r->position[i] = ROSTER_NONE;
        for (int k = 0; k < corners; k++)
            r->corner[(size_t)corners * i + (size_t)k] = verts - 1;
    }
out:
    return err;
}
