/* See region_flood.h: the floods. */
#include "region_flood.h"

#include "error.h"
#include "region_arrangement.h"

#include <stdlib.h>
#include <string.h>

/* ---- the intervals of pieces */

static int region_list_intervals(region_flood *s)
{
    int err = IMP_OK;
    const region_unit *u = &s->unit;
    const uint32_t faces = u->mesh->faces;
    const size_t n = u->pieces;
    if (n >= REGION_NONE / 4 - faces)
        FAIL(IMP_ERR_MEMORY, "more pieces of faces than 32 bits can number");
    TRY(region_room(s->mem, 0, n, &s->piece_slot_capacity, sizeof *s->piece_slot, &s->piece_slot));
    TRY(region_room(s->mem, 0, n + 2, &s->piece_first_capacity, sizeof *s->piece_first,
                    &s->piece_first));
    TRY(region_room(s->mem, 0, u->borders, &s->piece_at_capacity, sizeof *s->piece_at,
                    &s->piece_at));
    if (n)
        memset(s->piece_slot, 0xff, n * sizeof *s->piece_slot);
    memset(s->piece_first, 0, (n + 2) * sizeof *s->piece_first);
    for (size_t i = 0; i < u->borders; i++)
        s->piece_first[u->border[i] - faces + 2]++;
    for (size_t i = 0; i < n; i++)
        s->piece_first[i + 2] += s->piece_first[i + 1];
    for (uint32_t i = 0; i < u->borders; i++)
        s->piece_at[s->piece_first[u->border[i] - faces + 1]++] = i;
out:
    return err;
}

/* ---- floods */

/* The surface of a face, which may be new. */
static int region_touch(region_flood *s, uint32_t face, uint32_t *out)
{
    int err = IMP_OK;
    const uint32_t least = s->unit.mesh->surface[face];
    uint32_t *on = &s->unit.mesh->on[least];
    if (*on == REGION_NONE) {
        TRY(mem_fit(s->mem, s->surfaces, &s->surface_capacity, sizeof *s->surface, &s->surface));
        *on = (uint32_t)s->surfaces;
        s->surface[s->surfaces++] = (region_surface){.face = least,
                                                     .rest = REGION_NONE,
                                                     .largest = REGION_NONE,
                                                     .least = {REGION_NONE, REGION_NONE}};
    }
    *out = *on;
out:
    return err;
}

/* Appends the parts from which one flood goes on to those of another one. */
static void region_append(region_visit *v, uint32_t to, uint32_t front, uint32_t back)
{
    if (front == REGION_NONE)
        return;
    if (v[to].front == REGION_NONE)
        v[to].front = front;
    else
        v[v[to].back].next = front;
    v[to].back = back;
}

/* Visits a part. flood: that which comes there, whose root may change; REGION_NONE: a new one. */
static int region_visit_part(region_flood *s, uint32_t face, uint32_t part, uint32_t *flood)
{
    int err = IMP_OK;
    const uint32_t faces = s->unit.mesh->faces;
    uint32_t slot = region_slot(s, part);
    if (slot == REGION_NONE) {
        if (region_left_out(&s->unit, face))
            return IMP_OK;
        slot = (uint32_t)s->visits;
        TRY(mem_fit(s->mem, s->visits, &s->visit_capacity, sizeof *s->visit, &s->visit));
        s->visit[s->visits++] = (region_visit){.part = part,
                                               .face = face,
                                               .root = *flood == REGION_NONE ? slot : *flood,
                                               .next = REGION_NONE,
                                               .front = REGION_NONE,
                                               .back = REGION_NONE,
                                               .region = REGION_NONE};
        *(part < faces ? &s->unit.mesh->slot[part] : &s->piece_slot[part - faces]) = slot;
        region_append(s->visit, s->visit[slot].root, slot, slot);
        *flood = s->visit[slot].root;
        return IMP_OK;
    }
    region_visit *v = s->visit;
    const uint32_t other = region_flood_of(v, slot);
    if (*flood != REGION_NONE && other != *flood) {
        s->surface[s->unit.mesh->on[s->unit.mesh->surface[face]]].floods--;
        v[*flood].root = other;
        region_append(v, other, v[*flood].front, v[*flood].back);
    }
    *flood = other;
out:
    return err;
}

/* Begins a flood at a part. */
static int region_begin(region_flood *s, uint32_t face, uint32_t part)
{
    int err = IMP_OK;
    uint32_t flood = REGION_NONE, on;
    const size_t before = s->visits;
    TRY(region_visit_part(s, face, part, &flood));
    if (s->visits == before)
        return IMP_OK;
    TRY(region_touch(s, face, &on));
    s->surface[on].floods++;
out:
    return err;
}

/* Begins floods on either side of all segments. */
static int region_begin_all(region_flood *s)
{
    int err = IMP_OK;
    const region_unit *u = &s->unit;
    const region_mesh *m = u->mesh;
    for (size_t i = 0; i < u->face_cuts; i++) {
        uint32_t count;
        const uint32_t face = u->face_cut[i].at, part = region_first_part(u, face, &count);
        for (uint32_t k = 0; k < count && region_slot(s, part) == REGION_NONE; k++)
            TRY(region_begin(s, face, part + count - 1 - k));
    }
    for (size_t i = 0; i < u->edge_cuts; i++) {
        const region_cut *c = &u->edge_cut[i];
        for (uint32_t k = m->first[c->at]; k < m->first[c->at + 1]; k++)
            for (uint32_t n = c->end[0]; n < c->end[1]; n++) {
                const uint32_t face = m->face[k];
                const int l = region_edge_number(m, face, c->at);
                TRY(region_begin(s, face, region_part_at(u, face, l, n)));
            }
    }
out:
    return err;
}

/* Goes on over an interval of edge k of a face. */
static int region_go_over(region_flood *s, uint32_t face, uint32_t edge, uint32_t interval,
                          uint32_t *flood)
{
    int err = IMP_OK;
    const region_unit *u = &s->unit;
    const region_mesh *m = u->mesh;
    const uint32_t at = m->edge_at[edge];
    if (at != REGION_NONE && u->blocked[u->edge[at].blocked + interval])
        return IMP_OK;
    for (uint32_t i = m->first[edge]; i < m->first[edge + 1]; i++) {
        const uint32_t next = m->face[i];
        if (next == face)
            continue;
        const int l = region_edge_number(m, next, edge);
        TRY(region_visit_part(s, next, region_part_at(u, next, l, interval), flood));
    }
out:
    return err;
}

/* The edge of a face, and its interval, that a place in unit.border is of. */
static uint32_t region_interval_of(const region_unit *u, const region_face *f, uint32_t border,
                                   uint32_t *interval)
{
    const int k = border >= f->border[2] ? 2 : border >= f->border[1];
    *interval = border - f->border[k];
    return u->mesh->edge[3 * (size_t)f->face + (size_t)k];
}

/* Goes on from a part. */
static int region_go_on(region_flood *s, uint32_t slot, uint32_t *flood)
{
    int err = IMP_OK;
    const region_unit *u = &s->unit;
    const region_mesh *m = u->mesh;
    const uint32_t face = s->visit[slot].face, part = s->visit[slot].part;
    if (part >= m->faces) {
        const region_face *f = &u->face[m->face_at[face]];
        const uint32_t *first = &s->piece_first[part - m->faces];
        for (uint32_t i = first[0]; i < first[1]; i++) {
            uint32_t interval;
            const uint32_t edge = region_interval_of(u, f, s->piece_at[i], &interval);
            if (edge != REGION_NONE)
                TRY(region_go_over(s, face, edge, interval, flood));
        }
        return IMP_OK;
    }
    for (size_t k = 0; k < 3; k++) {
        const uint32_t edge = m->edge[3 * (size_t)face + k];
        if (edge == REGION_NONE)
            continue;
        const uint32_t at = m->edge_at[edge], count = at == REGION_NONE ? 0 : u->edge[at].points;
        for (uint32_t n = 0; n <= count; n++)
            TRY(region_go_over(s, face, edge, n, flood));
    }
out:
    return err;
}

/* A step of a flood. Returns in *on whether it has to go on. */
static int region_step(region_flood *s, uint32_t flood, int *on)
{
    int err = IMP_OK;
    const uint32_t slot = s->visit[flood].front;
    region_surface *f = &s->surface[s->unit.mesh->on[s->unit.mesh->surface[s->visit[flood].face]]];
    *on = 0;
    if (f->floods < 2)
        return IMP_OK;
    s->visit[flood].front = s->visit[slot].next;
    s->visit[slot].next = REGION_NONE;
    uint32_t now = flood;
    TRY(region_go_on(s, slot, &now));
    *on = s->visit[now].front != REGION_NONE;
    f->floods -= !*on;
    *on &= now == flood;
out:
    return err;
}

static int region_spread(region_flood *s)
{
    int err = IMP_OK;
    size_t count = s->visits;
    TRY(region_room(s->mem, 0, count, &s->turn_capacity, sizeof *s->turn, &s->turn));
    for (size_t i = 0; i < count; i++)
        s->turn[i] = (uint32_t)i;
    while (count) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t flood = s->turn[i];
            int on = 0;
            if (s->visit[flood].root == flood)
                TRY(region_step(s, flood, &on));
            s->turn[kept] = flood;
            kept += (size_t)on;
        }
        count = kept;
    }
out:
    return err;
}

/* ---- regions */

static int region_add_found(region_flood *s, uint32_t surface, uint32_t root)
{
    int err = IMP_OK;
    TRY(mem_fit(s->mem, s->founds, &s->found_capacity, sizeof *s->found, &s->found));
    s->found[s->founds++] = (region_found){
        .surface = surface, .root = root, .face = REGION_NONE, .listed = REGION_NONE};
    s->surface[surface].regions++;
out:
    return err;
}

/* A flood that has not ended has the rest of its surface. */
static int region_find_all(region_flood *s)
{
    int err = IMP_OK;
    s->founds = 0;
    for (uint32_t i = 0; i < s->visits; i++) {
        region_visit *v = &s->visit[i];
        if (v->root != i)
            continue;
        const uint32_t on = s->unit.mesh->on[s->unit.mesh->surface[v->face]];
        const int rest = v->front != REGION_NONE;
        v->region = (uint32_t)s->founds;
        if (rest)
            s->surface[on].rest = v->region;
        TRY(region_add_found(s, on, rest ? REGION_NONE : i));
    }
out:
    return err;
}

/* Lists the parts of the regions that are no rests, by faces. */
static int region_list_parts(region_flood *s)
{
    int err = IMP_OK;
    uint32_t sum = 0;
    TRY(region_room(s->mem, 0, s->visits, &s->key_capacity, sizeof *s->key, &s->key));
    for (uint32_t i = 0; i < s->visits; i++)
        s->found[s->visit[region_flood_of(s->visit, i)].region].parts++;
    for (size_t r = 0; r < s->founds; r++) {
        s->found[r].first = sum;
        sum += s->found[r].parts;
    }
    for (uint32_t i = 0; i < s->visits; i++) {
        region_found *f = &s->found[s->visit[region_flood_of(s->visit, i)].region];
        s->key[f->first++] = (uint64_t)s->visit[i].face << 32 | s->visit[i].part;
    }
    for (size_t r = 0; r < s->founds; r++) {
        region_found *f = &s->found[r];
        f->first -= f->parts;
        if (f->root == REGION_NONE)
            continue;
        region_sort_keys(s->key + f->first, f->parts);
        f->face = (uint32_t)(s->key[f->first] >> 32);
        f->part = (uint32_t)s->key[f->first];
    }
out:
    return err;
}

int region_parts_in(region_flood *s, uint32_t region, uint32_t face, uint32_t *parts)
{
    int err = IMP_OK;
    uint32_t count;
    const uint32_t part = region_first_part(&s->unit, face, &count);
    *parts = 0;
    if (region_left_out(&s->unit, face))
        return IMP_OK;
    TRY(region_room(s->mem, 0, count, &s->in_capacity, sizeof *s->in, &s->in));
    for (uint32_t k = 0; k < count; k++) {
        s->in[*parts] = (uint64_t)face << 32 | (part + k);
        *parts += region_of(s, face, part + k) == region;
    }
out:
    return err;
}

/* The first part of the rest of a surface. */
static void region_find_rest(const region_flood *s, uint32_t r)
{
    const region_mesh *m = s->unit.mesh;
    region_found *f = &s->found[r];
    const uint32_t surface = s->surface[f->surface].face;
    for (uint32_t i = m->start[surface]; i < m->start[surface + 1]; i++) {
        uint32_t count;
        const uint32_t face = m->of[i], part = region_first_part(&s->unit, face, &count);
        for (uint32_t k = 0; k < count; k++)
            if (region_of(s, face, part + k) == r && !region_left_out(&s->unit, face)) {
                f->face = face;
                f->part = part + k;
                return;
            }
    }
}

static int region_found_order(const void *p, const void *q)
{
    const region_found *x = p, *y = q;
    if (x->face != y->face)
        return x->face < y->face ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Brings them into the order of their first parts. A rest keeps one of its parts as its root. */
static int region_order_found(region_flood *s)
{
    int err = IMP_OK;
    for (uint32_t r = 0; r < s->founds; r++)
        if (s->found[r].root == REGION_NONE)
            region_find_rest(s, r);
    for (uint32_t i = 0; i < s->visits; i++)
        if (s->visit[i].root == i)
            s->found[s->visit[i].region].parent = i;
    if (s->founds)
        qsort(s->found, s->founds, sizeof *s->found, region_found_order);
    for (uint32_t r = 0; r < s->founds; r++) {
        region_found *f = &s->found[r];
        s->visit[f->parent].region = r;
        if (f->root == REGION_NONE)
            s->surface[f->surface].rest = r;
        f->parent = r;
    }
    return err;
}

int region_flood_find(region_flood *s)
{
    int err = IMP_OK;
    s->surfaces = s->visits = 0;
    TRY(region_list_intervals(s));
    TRY(region_begin_all(s));
    TRY(region_spread(s));
    TRY(region_find_all(s));
    TRY(region_list_parts(s));
    TRY(region_order_found(s));
out:
    return err;
}
