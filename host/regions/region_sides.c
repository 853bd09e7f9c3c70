/* See region_flood.h: which regions lie on either side of segments, and the lesser side. */
#include "error.h"
#include "exact.h"
#include "frame.h"
#include "region_flood.h"

#include <string.h>

/* ---- bounds: segments with different regions on either side */

static int region_add_bound(region_flood *s, uint32_t segment, uint32_t x, uint32_t y)
{
    int err = IMP_OK;
    if (x == y)
        return IMP_OK;
    TRY(mem_fit(s->mem, s->bounds, &s->bound_capacity, sizeof *s->bound, &s->bound));
    s->bound[s->bounds++] = (region_bound){segment, {x, y}};
out:
    return err;
}

/* Along an interval of an edge all faces are apart from each other: two regions lie on two sides,
 * three contradict. */
static int region_bound_interval(region_flood *s, const region_cut *c, uint32_t interval)
{
    int err = IMP_OK;
    const region_mesh *m = s->unit.mesh;
    uint32_t first = REGION_NONE, last = REGION_NONE;
    for (uint32_t i = m->first[c->at]; i < m->first[c->at + 1]; i++) {
        const uint32_t face = m->face[i];
        if (region_left_out(&s->unit, face))
            continue;
        const int k = region_edge_number(m, face, c->at);
        const uint32_t now = region_of(s, face, region_part_at(&s->unit, face, k, interval));
        if (first == REGION_NONE) {
            first = now;
        } else if (now != first) {
            TRY(region_add_bound(s, c->segment, first, now));
            if (last != REGION_NONE)
                TRY(region_add_bound(s, c->segment, last, now));
            last = now;
        }
    }
out:
    return err;
}

static int region_find_bounds(region_flood *s)
{
    int err = IMP_OK;
    const region_unit *u = &s->unit;
    s->bounds = 0;
    for (size_t i = 0; i < u->sides; i++)
        TRY(region_add_bound(s, u->side[i].segment,
                             region_of(s, u->side[i].face, u->side[i].part[0]),
                             region_of(s, u->side[i].face, u->side[i].part[1])));
    for (size_t i = 0; i < u->edge_cuts; i++)
        for (uint32_t k = u->edge_cut[i].end[0]; k < u->edge_cut[i].end[1]; k++)
            TRY(region_bound_interval(s, &u->edge_cut[i], k));
out:
    return err;
}

/* ---- areas */

static region_area region_face_area(const region_unit *u, uint32_t face)
{
    const exact_prim p = exact_prim_of(u->space.frame, u->mesh->prim[face]);
    return region_area_of(p.v[0].x, p.v[1].x, p.v[2].x);
}

/* Of `parts` parts of a face, ascending in `key`. */
static region_area region_parts_area(const region_unit *u, uint32_t face, const uint64_t *key,
                                     uint32_t parts)
{
    uint32_t count;
    const region_area all = region_face_area(u, face);
    region_first_part(u, face, &count);
    if (parts == count)
        return all;
    double share = 0;
    for (uint32_t i = 0; i < parts; i++)
        share += u->share[(uint32_t)key[i] - u->mesh->faces];
    return (region_area){all.m * fmin(share, 1), all.e};
}

static void region_measure(const region_flood *s, region_found *f)
{
    const uint64_t *key = s->key + f->first;
    for (uint32_t i = 0, n; i < f->parts; i += n) {
        for (n = 1; i + n < f->parts && key[i + n] >> 32 == key[i] >> 32;)
            n++;
        f->area = region_area_add(
            f->area, region_parts_area(&s->unit, (uint32_t)(key[i] >> 32), key + i, n));
    }
}

/* Until it is larger than all others together. */
static int region_measure_rest(region_flood *s, uint32_t r, region_area others)
{
    int err = IMP_OK;
    const region_mesh *m = s->unit.mesh;
    region_found *f = &s->found[r];
    const uint32_t surface = s->surface[f->surface].face;
    for (uint32_t i = m->start[surface]; i < m->start[surface + 1]; i++) {
        uint32_t parts;
        const uint32_t face = m->of[i];
        TRY(region_parts_in(s, r, face, &parts));
        if (!parts)
            continue;
        f->area = region_area_add(f->area, region_parts_area(&s->unit, face, s->in, parts));
        if (region_area_order(f->area, others) > 0)
            return IMP_OK;
    }
out:
    return err;
}

static int region_measure_all(region_flood *s)
{
    int err = IMP_OK;
    for (size_t r = 0; r < s->founds; r++) {
        region_found *f = &s->found[r];
        region_surface *on = &s->surface[f->surface];
        if (on->regions < 2 || f->root == REGION_NONE)
            continue;
        region_measure(s, f);
        on->others = region_area_add(on->others, f->area);
    }
    for (size_t i = 0; i < s->surfaces; i++)
        if (s->surface[i].regions > 1)
            TRY(region_measure_rest(s, s->surface[i].rest, s->surface[i].others));
out:
    return err;
}

/* ---- sides */

/* The root of a region; *side: whether it is on the other side. */
static uint32_t region_side_root(region_flood *s, uint32_t r, int *side)
{
    region_found *f = s->found;
    uint32_t root = r;
    int other = 0;
    for (; f[root].parent != root; root = f[root].parent)
        other ^= f[root].other_side;
    *side = other;
    for (uint32_t next; f[r].parent != root && r != root; r = next) {
        const int now = f[r].other_side;
        next = f[r].parent;
        f[r].parent = root;
        f[r].other_side = (uint8_t)other;
        other ^= now;
    }
    return root;
}

static void region_set_sides(region_flood *s, const region_bound *b)
{
    int x, y;
    const uint32_t p = region_side_root(s, b->region[0], &x),
                   q = region_side_root(s, b->region[1], &y);
    if (p == q) {
        s->surface[s->found[p].surface].contradicts |= x == y;
        return;
    }
    s->found[p > q ? p : q].parent = p > q ? q : p;
    s->found[p > q ? p : q].other_side = (uint8_t)(x == y);
}

static int region_side_of(region_flood *s, uint32_t r)
{
    int x, y;
    region_side_root(s, r, &x);
    region_side_root(s, s->surface[s->found[r].surface].largest, &y);
    return x != y;
}

static void region_measure_sides(region_flood *s)
{
    for (uint32_t r = 0; r < s->founds; r++) {
        region_surface *on = &s->surface[s->found[r].surface];
        const int larger = on->largest == REGION_NONE ||
                           region_area_order(s->found[r].area, s->found[on->largest].area) > 0;
        on->largest = larger ? r : on->largest;
    }
    for (uint32_t r = 0; r < s->founds; r++) {
        region_surface *on = &s->surface[s->found[r].surface];
        const int side = region_side_of(s, r);
        on->area[side] = region_area_add(on->area[side], s->found[r].area);
        if (on->least[side] == REGION_NONE)
            on->least[side] = s->found[r].face;
    }
    for (size_t i = 0; i < s->surfaces; i++) {
        region_surface *on = &s->surface[i];
        const int order = region_area_order(on->area[0], on->area[1]);
        on->listed = order ? order > 0 : on->least[0] <= on->least[1];
    }
}

static int region_is_listed(region_flood *s, uint32_t r)
{
    const region_surface *on = &s->surface[s->found[r].surface];
    if (on->regions < 2)
        return 0;
    return on->contradicts ? r != on->largest : region_side_of(s, r) == on->listed;
}

int region_choose(region_flood *s)
{
    int err = IMP_OK;
    TRY(region_find_bounds(s));
    TRY(region_measure_all(s));
    for (size_t i = 0; i < s->bounds; i++)
        region_set_sides(s, &s->bound[i]);
    region_measure_sides(s);
    for (uint32_t r = 0; r < s->founds; r++)
        s->found[r].listed = region_is_listed(s, r) ? 0 : REGION_NONE;
out:
    return err;
}
