/* Finds which primitives of a mesh have stable ids, and which of these are unchanged. Most are, in
 * sequence: all threads compare arrays by chunks, and look ids up only in chunks that
 * differ. */
#include "slots.h"

#include "float_env.h"

#include <string.h>

#define PARTS 64u /* that threads take one by one */
#define ALONE                                                                                      \
    (1u << 15) /* primitives that one thread compares in the time that it takes to wake others */

/* Some chunks of a mesh, and their old positions. */
typedef struct part {
    uint32_t low, end; /* the first one's position, NO_NUMBER: none; after the last */
    int ordered;
} part;

/* The number of stable ids from the first on that are consecutive. */
static uint32_t persistent_ids_run_length(const stable_id *stable, uint32_t most)
{
    uint32_t n = 1;
    while (n < most && stable[n].n == stable[0].n + n)
        n++;
    return n;
}

static int none_of(const int32_t *object, uint32_t n)
{
    int32_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= object[i];
    return !any;
}

/* Are n primitives of the mesh the ones in n stable ids, with all that belongs to them? */
static int run_same(const persistent_ids *r, const imp_mesh *m, uint32_t i, uint32_t stable,
                    uint32_t n)
{
    size_t corners = mesh_corners(m), most = corners * n;
    if (memcmp(r->of.id + stable, m->id + i, n * sizeof *m->id) ||
        memcmp(r->of.corner + corners * stable, m->corner + corners * i,
               most * sizeof *m->corner) ||
        (m->corner_count && memcmp(r->of.corner_count + stable, m->corner_count + i, n)))
        return 0;
    return m->object ? !memcmp(r->of.object + stable, m->object + i, n * sizeof *m->object)
                     : none_of(r->of.object + stable, n);
}

/* The same for the n inputs of before from `next` on; their stable ids go to r->before. */
static int id_chunk_same(const persistent_ids *r, const imp_mesh *m, uint32_t i, uint32_t next,
                         uint32_t n)
{
    if (next + n > r->count)
        return 0;
    for (uint32_t k = 0, run; k < n; k += run) {
        const stable_id *stable = r->stable + next + k;
        run = persistent_ids_run_length(stable, n - k);
        if (!run_same(r, m, i + k, stable->n, run))
            return 0;
    }
    memcpy(r->before + i, r->stable + next, n * sizeof *r->before);
    return 1;
}

static int is_same(const persistent_ids *r, const imp_mesh *m, uint32_t i, uint32_t stable)
{
    uint32_t corner_count = mesh_corners_of(m, i);
    const uint32_t *is = r->of.corner + (size_t)r->of.mesh.corners * stable;
    const uint32_t *corner = m->corner + (size_t)r->of.mesh.corners * i;
    int32_t object = m->object ? m->object[i] : 0;
    uint32_t other =
        (r->of.corner_count[stable] ^ corner_count) | (uint32_t)(r->of.object[stable] ^ object);
    for (uint32_t k = 0; k < corner_count && !other; k++)
        other |= is[k] ^ corner[k];
    return !other;
}

/* Compares one by one; returns the bits of those that are new or altered. */
static uint64_t id_chunk_match(const persistent_ids *r, const imp_mesh *m, uint32_t first,
                               uint32_t n, part *p)
{
    uint64_t others = 0;
    for (uint32_t i = first; i < first + n; i++) {
        stable_id stable = {p->end < r->count ? r->stable[p->end].n : NO_NUMBER};
        /* Mostly it is the next one of before, so ids are seldom looked up. */
        if (stable.n == NO_NUMBER || r->of.id[stable.n] != m->id[i])
            stable = persistent_ids_find(r, m->id[i]);
        r->before[i] = stable;
        if (stable.n == NO_NUMBER || !is_same(r, m, i, stable.n))
            others |= UINT64_C(1) << (i - first);
        if (stable.n == NO_NUMBER)
            continue;
        uint32_t at = r->input[stable.n].n;
        p->ordered &= p->low == NO_NUMBER || at >= p->end;
        p->low = p->low == NO_NUMBER ? at : p->low;
        p->end = at + 1;
    }
    return others;
}

/* A part begins to compare at the old position of its first primitive, found by id. */
static part part_match(const persistent_ids *r, const imp_mesh *m, uint32_t first, uint32_t last)
{
    const stable_id stable = {first < last ? persistent_ids_find(r, m->id[first]).n : NO_NUMBER};
    part p = {NO_NUMBER, r->count, 1};
    if (stable.n != NO_NUMBER)
        p.low = p.end = r->input[stable.n].n;
    for (uint32_t i = first; i < last && p.ordered; i += ID_CHUNK) {
        uint32_t n = last - i < ID_CHUNK ? last - i : ID_CHUNK;
        id_chunk *s = &r->chunk[i / ID_CHUNK];
        *s = (id_chunk){id_chunk_same(r, m, i, p.end, n) ? p.end : NO_NUMBER, 0};
        if (s->from == NO_NUMBER)
            s->others = id_chunk_match(r, m, i, n, &p);
        else
            p.end += n;
    }
    return p;
}

/* The first position of part k. */
static uint32_t part_first(const imp_mesh *m, uint32_t k)
{
    uint64_t chunk_count = ((uint64_t)m->primitives + ID_CHUNK - 1) / ID_CHUNK;
    uint64_t first = chunk_count * k / PARTS * ID_CHUNK;
    return first < m->primitives ? (uint32_t)first : m->primitives;
}

/* Parts are compared on their own, by several threads; the loop after that asks whether they are in
 * order with each other. */
int persistent_ids_match(const context *c, persistent_ids *r, const imp_mesh *m)
{
    part parts[PARTS];
    uint32_t next = 0;
    int ordered = 1;
#pragma omp parallel num_threads(c->threads) if (m->primitives > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (uint32_t k = 0; k < PARTS; k++)
        parts[k] = part_match(r, m, part_first(m, k), part_first(m, k + 1));
    for (uint32_t k = 0; k < PARTS; k++) {
        ordered &= parts[k].ordered && (parts[k].low == NO_NUMBER || parts[k].low >= next);
        if (parts[k].low != NO_NUMBER)
            next = parts[k].end;
    }
    return ordered;
}

static void persistent_ids_part_inputs(persistent_ids *r, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i += ID_CHUNK) {
        uint32_t end = last - i < ID_CHUNK ? last : i + ID_CHUNK;
        if (r->chunk[i / ID_CHUNK].from == i)
            continue;
        for (uint32_t k = i; k < end; k++)
            r->input[r->stable[k].n] = (input_no){k};
    }
}

void persistent_ids_set_inputs(const context *c, persistent_ids *r, const imp_mesh *m)
{
#pragma omp parallel num_threads(c->threads) if (m->primitives > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (uint32_t k = 0; k < PARTS; k++)
        persistent_ids_part_inputs(r, part_first(m, k), part_first(m, k + 1));
}
