/* See inside.h: vertices that answer for others. A primitive that has no contact with a closed
 * object is on one side of its surface, so that its vertices have one winding number; so do all
 * that such primitives connect, and those outside the object's box are outside. */
#include "inside.h"

#include "disjoint.h"
#include "error.h"

#include <string.h>

typedef struct flood {
    inside_frame *f;
    uint32_t *slot;   /* [vertices of the mesh] of a query: its number in the list, from 1 on */
    uint32_t *root;   /* [slots] FLOOD_OUTSIDE: of all that is connected to the outside */
    uint8_t *contact; /* [slots] a contact has the vertex; of a root: one of its vertices */
    size_t *leader;   /* [slots] of a root: the first query */
    uint8_t *met;     /* [primitives] with a contact */
} flood;

#define FLOOD_OUTSIDE 0 /* a slot for all vertices outside the box */

static inline void flood_join(uint32_t *root, const uint32_t *slot, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++) {
        if (root[slot[k]] == root[slot[0]])
            continue;
        const uint32_t a = disjoint_root(root, slot[0]), b = disjoint_root(root, slot[k]);
        root[b > a ? b : a] = b > a ? a : b;
    }
}

/* Connects the vertices of each primitive without a contact. */
static void flood_connect(flood *s, const inside_pair *p, int n)
{
    const imp_mesh *m = s->f->solids->mesh.frame->mesh;
    for (size_t i = p->near[n]; i < p->near_end[n]; i++) {
        const inside_near *near = &s->f->near[i];
        const uint32_t corners = mesh_corners_of(m, near->prim);
        uint32_t slot[4];
        for (uint32_t k = 0; k < corners; k++)
            slot[k] = near->corners >> k & 1 ? s->slot[mesh_vertex(m, near->prim, k)]
                                             : (uint32_t)FLOOD_OUTSIDE;
        if (s->met[near->prim])
            for (uint32_t k = 0; k < corners; k++)
                s->contact[slot[k]] = 1;
        else
            flood_join(s->root, slot, corners);
    }
}

/* The answers that need no ray; and whether some part may be inside without a contact. */
static void flood_answers(flood *s, inside_pair *p, int n)
{
    const closed_object *of = s->f->solids->mesh.of;
    inside_query *query = s->f->query + p->first[n];
    const size_t count = p->last[n] - p->first[n];
    for (size_t q = count; q-- > 0;) {
        const uint32_t slot = (uint32_t)q + 1, root = disjoint_root(s->root, slot);
        s->root[slot] = root;
        s->leader[root] = q;
        s->contact[root] |= s->contact[slot];
    }
    /* a contact of solids may be one within the other */
    p->alone[n] = of[p->place[0]].tetrahedra || of[p->place[1]].tetrahedra;
    for (size_t q = 0; q < count; q++) {
        const uint32_t root = s->root[q + 1];
        query[q].leader = p->first[n] + s->leader[root];
        query[q].known = root == FLOOD_OUTSIDE;
        p->alone[n] |= root != FLOOD_OUTSIDE && !s->contact[root];
    }
}

static void flood_pair(flood *s, inside_pair *p, int n)
{
    const inside_frame *f = s->f;
    const uint32_t count = (uint32_t)(p->last[n] - p->first[n]);
    for (uint32_t i = 0; i <= count; i++)
        s->root[i] = i;
    memset(s->contact, 0, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        s->slot[f->query[p->first[n] + i].vertex] = i + 1;
    for (size_t i = p->contact; i < p->contact + p->contacts; i++)
        s->met[n == 0 ? f->contact[i].a : f->contact[i].b] = 1;
    flood_connect(s, p, n);
    flood_answers(s, p, n);
    for (size_t i = p->contact; i < p->contact + p->contacts; i++)
        s->met[n == 0 ? f->contact[i].a : f->contact[i].b] = 0;
}

/* A vertex of both objects is on the surface: it connects nothing, so there is no flood. */
int inside_flood(inside_frame *f)
{
    int err = IMP_OK;
    mem *m = f->solids->mem;
    const imp_mesh *mesh = f->solids->mesh.frame->mesh;
    flood s = {.f = f};
    size_t most = 0;
    for (size_t q = 0; q < f->queries; q++)
        f->query[q].leader = q;
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++) {
            const size_t count = f->pair[i].last[n] - f->pair[i].first[n];
            f->pair[i].alone[n] = 1;
            most = count > most ? count : most;
        }
    if (f->shares || !most || most == UINT32_MAX)
        return IMP_OK;
    TRY(mem_alloc(m, mesh->vertices * sizeof *s.slot, &s.slot));
    TRY(mem_alloc(m, (most + 1) * sizeof *s.root, &s.root));
    TRY(mem_alloc(m, most + 1, &s.contact));
    TRY(mem_alloc(m, (most + 1) * sizeof *s.leader, &s.leader));
    TRY(mem_alloc(m, mesh->primitives, &s.met));
    memset(s.met, 0, mesh->primitives);
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++)
            if (f->pair[i].first[n] < f->pair[i].last[n])
                flood_pair(&s, &f->pair[i], n);
out:
    mem_free(m, s.slot);
    mem_free(m, s.root);
    mem_free(m, s.contact);
    mem_free(m, s.leader);
    mem_free(m, s.met);
    return err;
}
