/* See region_flood.h: what the set has of the regions that are listed. */
#include "error.h"
#include "frame.h"
#include "region_arrangement.h"
#include "region_flood.h"

#include <string.h>

/* ---- regions and their faces */

static int region_number_listed(region_flood *s)
{
    int err = IMP_OK;
    region_set *out = s->out;
    for (size_t r = 0; r < s->founds; r++) {
        region_found *f = &s->found[r];
        if (f->listed == REGION_NONE)
            continue;
        if (out->count >= REGION_NONE)
            FAIL(IMP_ERR_MEMORY, "more regions than 32 bits can number");
        TRY(mem_fit(s->mem, out->count, &out->capacity, sizeof *out->of, &out->of));
        f->listed = (uint32_t)out->count;
        out->of[out->count++] = (imp_region){.object = s->unit.object->object,
                                             .other = s->unit.other,
                                             .area = region_area_value(f->area)};
    }
out:
    return err;
}

/* The part of a face at its corner k. */
static uint32_t region_part_at_corner(const region_unit *u, uint32_t face, uint32_t k)
{
    const imp_mesh *m = u->space.frame->mesh;
    const uint32_t prim = u->mesh->prim[face];
    if (u->mesh->face_at[face] == REGION_NONE)
        return face;
    const uint32_t edge = u->mesh->edge[3 * (size_t)face + k],
                   at = edge == REGION_NONE ? REGION_NONE : u->mesh->edge_at[edge];
    const int lower = mesh_vertex(m, prim, k) < mesh_vertex(m, prim, (k + 1) % 3);
    return region_part_at(u, face, (int)k, lower || at == REGION_NONE ? 0 : u->edge[at].points);
}

/* Lists a face in region r, of which it has some parts; counts its vertices there. */
static int region_put_face(region_flood *s, uint32_t r, uint32_t face, const uint64_t *key,
                           uint32_t parts)
{
    int err = IMP_OK;
    region_set *out = s->out;
    const region_unit *u = &s->unit;
    imp_region *of = &out->of[s->found[r].listed];
    uint32_t count;
    double share = 0;
    region_first_part(u, face, &count);
    for (uint32_t i = 0; i < parts && parts < count; i++)
        share += u->share[(uint32_t)key[i] - u->mesh->faces];
    size_t share_capacity = out->face_capacity;
    TRY(mem_fit(s->mem, out->faces, &share_capacity, sizeof *out->share, &out->share));
    TRY(mem_fit(s->mem, out->faces, &out->face_capacity, sizeof *out->face, &out->face));
    out->face[out->faces] = u->mesh->prim[face];
    out->share[out->faces++] = parts == count ? 1 : fmin(share, 1);
    of->faces++;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t *v = &u->mesh->vertex[mesh_vertex(u->space.frame->mesh, u->mesh->prim[face], k)];
        if (*v || region_of(s, face, region_part_at_corner(u, face, k)) != r)
            continue;
        *v = 1;
        of->vertices++;
    }
out:
    return err;
}

/* Takes back the marks of the vertices of the last region. */
static void region_unmark(const region_flood *s, size_t first)
{
    const imp_mesh *m = s->unit.space.frame->mesh;
    for (size_t i = first; i < s->out->faces; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t *v = &s->unit.mesh->vertex[mesh_vertex(m, s->out->face[i], k)];
            *v = *v == REGION_NONE ? *v : 0;
        }
}

static int region_put_faces(region_flood *s, uint32_t r)
{
    int err = IMP_OK;
    const region_mesh *m = s->unit.mesh;
    const region_found *f = &s->found[r];
    const uint64_t *key = s->key + f->first;
    s->out->of[f->listed].first = s->out->faces;
    for (uint32_t i = 0, n; f->root != REGION_NONE && i < f->parts; i += n) {
        for (n = 1; i + n < f->parts && key[i + n] >> 32 == key[i] >> 32;)
            n++;
        TRY(region_put_face(s, r, (uint32_t)(key[i] >> 32), key + i, n));
    }
    const uint32_t surface = s->surface[f->surface].face;
    for (uint32_t i = m->start[surface]; f->root == REGION_NONE && i < m->start[surface + 1]; i++) {
        uint32_t parts;
        TRY(region_parts_in(s, r, m->of[i], &parts));
        if (parts)
            TRY(region_put_face(s, r, m->of[i], s->in, parts));
    }
    region_unmark(s, s->out->of[f->listed].first);
out:
    return err;
}

/* ---- contours */

static int region_put_bound(region_flood *s, const region_bound *b, uint32_t *parting)
{
    int err = IMP_OK;
    const int self = s->unit.object->object == s->unit.other,
              second = s->unit.object->object > s->unit.other;
    const uint32_t contour = s->unit.space.graph->contour[b->segment];
    *parting += s->parting[contour] != s->units;
    s->parting[contour] = s->units;
    for (int n = 0; n < 2; n++) {
        const uint32_t r = s->found[b->region[n]].listed;
        const uint64_t pair = (uint64_t)r << 32 | contour;
        int64_t *of = s->out->of_contour + 2 * (size_t)contour;
        int64_t *by = s->by_segment + 2 * (size_t)b->segment;
        if (r == REGION_NONE)
            continue;
        if (self) {
            region_keep_least(of, r);
            region_keep_least(by, r);
        } else {
            of[second] = region_lesser(of[second], r);
            by[second] = region_lesser(by[second], r);
        }
        if (s->pairs && s->pair[s->pairs - 1] == pair)
            continue;
        TRY(mem_fit(s->mem, s->pairs, &s->pair_capacity, sizeof *s->pair, &s->pair));
        s->pair[s->pairs++] = pair;
    }
out:
    return err;
}

static int region_put_contours(region_flood *s, uint32_t *parting)
{
    int err = IMP_OK;
    s->pairs = 0;
    for (size_t i = 0; i < s->bounds; i++)
        TRY(region_put_bound(s, &s->bound[i], parting));
    region_sort_keys(s->pair, s->pairs);
    for (size_t i = 0; i < s->pairs; i++)
        s->out->of[s->pair[i] >> 32].contours += !i || s->pair[i] != s->pair[i - 1];
out:
    return err;
}

int region_list(region_flood *s, uint32_t contours)
{
    int err = IMP_OK;
    region_set *out = s->out;
    imp_parting p = {.object = s->unit.object->object,
                     .other = s->unit.other,
                     .contours = contours,
                     .regions = s->founds};
    TRY(region_number_listed(s));
    for (uint32_t r = 0; r < s->founds; r++)
        if (s->found[r].listed != REGION_NONE)
            TRY(region_put_faces(s, r));
    TRY(region_put_contours(s, &p.parting));
    TRY(mem_fit(s->mem, out->partings, &out->parting_capacity, sizeof *out->parting,
                &out->parting));
    out->parting[out->partings++] = p;
out:
    return err;
}
