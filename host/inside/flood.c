/* See inside.h: vertices that answer for others. A primitive that has no contact with a closed
 * object is on one side of its surface, so that its vertices have one winding number; so do all
 * that such primitives connect, and those outside the object's box are outside. */
#include "inside.h"

#include "disjoint.h"
#include "error.h"
#include "float_env.h"

#include <string.h>

/* A flood costs a visit of each primitive of the object, a ray some hundred of these. */
#define FLOOD_SHARE 32

typedef struct flood {
    inside_frame *f;
    uint32_t *slot;    /* [vertices of the mesh] places in the list of an object's vertices */
    uint32_t *root;    /* [slots] */
    uint8_t *flag;     /* [slots] of a root: enum flood_flag */
    size_t *leader;    /* [slots] of a root: the first query */
    uint32_t *contact; /* [primitives] the mark of the pair whose contact has it */
    uint32_t place;    /* the object whose vertices have slots */
} flood;

enum flood_flag { FLOOD_OUTSIDE = 1, FLOOD_CONTACT = 2, FLOOD_QUERIED = 4 };

static void flood_slots(flood *s, uint32_t place)
{
    const inside_frame *f = s->f;
    const size_t first = f->vertex0[place];
    for (size_t i = first; i < f->vertex0[place + 1] && s->place != place; i++)
        s->slot[f->vertex[i]] = (uint32_t)(i - first);
    s->place = place;
}

/* Connects the vertices of each primitive without a contact. */
static void flood_connect(flood *s, uint32_t mark)
{
    const closed_mesh *c = &s->f->solids->mesh;
    const imp_mesh *m = c->frame->mesh;
    for (uint32_t i = c->of[s->place].first; i < c->of[s->place].last; i++) {
        const uint32_t prim = c->prim[i], corners = mesh_corners_of(m, prim);
        uint32_t a = disjoint_root(s->root, s->slot[mesh_vertex(m, prim, 0)]);
        if (s->contact[prim] == mark)
            continue;
        for (uint32_t k = 1; k < corners; k++) {
            const uint32_t b = disjoint_root(s->root, s->slot[mesh_vertex(m, prim, k)]);
            s->root[b > a ? b : a] = b > a ? a : b;
            a = b > a ? a : b;
        }
    }
}

/* Vertices that are no query are outside the box. */
static void flood_flags(flood *s, const inside_pair *p, int n)
{
    const inside_frame *f = s->f;
    const closed_mesh *c = &f->solids->mesh;
    const imp_mesh *m = c->frame->mesh;
    const uint32_t verts = (uint32_t)(f->vertex0[s->place + 1] - f->vertex0[s->place]);
    size_t q = p->first[n];
    for (uint32_t v = 0; v < verts; v++) {
        const uint32_t root = disjoint_root(s->root, v);
        const int queried =
            q < p->last[n] && f->query[q].vertex == f->vertex[f->vertex0[s->place] + v];
        if (queried && !(s->flag[root] & FLOOD_QUERIED))
            s->leader[root] = q;
        s->flag[root] |= queried ? FLOOD_QUERIED : FLOOD_OUTSIDE;
        if (queried)
            f->query[q++].leader = s->leader[root];
    }
    for (size_t i = p->contact; i < p->contact + p->contacts; i++) {
        const uint32_t prim = n == 0 ? f->contact[i].a : f->contact[i].b;
        for (uint32_t k = 0; k < mesh_corners_of(m, prim); k++)
            s->flag[disjoint_root(s->root, s->slot[mesh_vertex(m, prim, k)])] |= FLOOD_CONTACT;
    }
}

/* The answers that need no ray; and whether some part may be inside without a contact. */
static void flood_answers(flood *s, inside_pair *p, int n)
{
    inside_frame *f = s->f;
    const closed_object *of = f->solids->mesh.of;
    /* a contact of solids may be one within the other */
    p->alone[n] = of[p->place[0]].tetrahedra || of[p->place[1]].tetrahedra;
    for (size_t q = p->first[n]; q < p->last[n]; q++) {
        const uint32_t root = disjoint_root(s->root, s->slot[f->query[q].vertex]);
        f->query[q].known = (s->flag[root] & FLOOD_OUTSIDE) != 0;
        p->alone[n] |= !(s->flag[root] & (FLOOD_OUTSIDE | FLOOD_CONTACT));
    }
}

static void flood_pair(flood *s, size_t pair, int n)
{
    inside_frame *f = s->f;
    inside_pair *p = &f->pair[pair];
    const uint32_t place = p->place[n];
    const closed_object *o = &f->solids->mesh.of[place];
    const size_t verts = f->vertex0[place + 1] - f->vertex0[place];
    const uint32_t mark = (uint32_t)(2 * pair + (size_t)n + 1);
    if ((p->last[n] - p->first[n]) * FLOOD_SHARE < o->last - o->first)
        return;
    flood_slots(s, place);
    for (uint32_t v = 0; v < verts; v++)
        s->root[v] = v;
    memset(s->flag, 0, verts);
    for (size_t i = p->contact; i < p->contact + p->contacts; i++)
        s->contact[n == 0 ? f->contact[i].a : f->contact[i].b] = mark;
    flood_connect(s, mark);
    flood_flags(s, p, n);
    flood_answers(s, p, n);
}

/* A vertex of both objects is on the surface: it connects nothing, so there is no flood. */
int inside_flood(inside_frame *f)
{
    int err = IMP_OK;
    mem *m = f->solids->mem;
    const closed_mesh *c = &f->solids->mesh;
    flood s = {.f = f, .place = CLOSED_NONE};
    size_t most = 0;
    for (size_t q = 0; q < f->queries; q++)
        f->query[q].leader = q;
    for (size_t i = 0; i < f->pairs; i++)
        f->pair[i].alone[0] = f->pair[i].alone[1] = 1;
    if (f->shares || !f->queries || f->pairs > UINT32_MAX / 2 - 1)
        return IMP_OK;
    for (uint32_t i = 0; i < c->count; i++)
        most = f->vertex0[i + 1] - f->vertex0[i] > most ? f->vertex0[i + 1] - f->vertex0[i] : most;
    TRY(mem_alloc(m, c->frame->mesh->vertices * sizeof *s.slot, &s.slot));
    TRY(mem_alloc(m, most * sizeof *s.root, &s.root));
    TRY(mem_alloc(m, most * sizeof *s.flag, &s.flag));
    TRY(mem_alloc(m, most * sizeof *s.leader, &s.leader));
    TRY(mem_alloc(m, c->frame->mesh->primitives * sizeof *s.contact, &s.contact));
    memset(s.contact, 0, c->frame->mesh->primitives * sizeof *s.contact);
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++)
            flood_pair(&s, i, n);
out:
    mem_free(m, s.slot);
    mem_free(m, s.root);
    mem_free(m, s.flag);
    mem_free(m, s.leader);
    mem_free(m, s.contact);
    return err;
}
