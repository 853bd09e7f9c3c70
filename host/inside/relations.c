/* See inside.h: the relation of two objects, by probes of the regions around their surfaces
 * (probes.h), as many as are needed: both surfaces' corners that are inside or outside the other
 * one, then all contacts. Where a corner is off the other object's surface, so is the part of the
 * face around it; a face without such a corner is in contact with the other surface, or shares its
 * corners.
 */
#include "inside.h"
#include "probes.h"

#include "disjoint.h"
#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <stdlib.h>
#include <string.h>

/* Regions that exist. Of an object that is not closed: points of its surface inside the other one,
 * or outside it; the other one always has a region of its own. */
enum inside_flag { INSIDE_BOTH = 1, INSIDE_ONLY_A = 2, INSIDE_ONLY_B = 4, INSIDE_ALL = 7 };

/* The last pair that has probed each, by relate.number; NULL: none has. */
typedef struct relate_probed {
    uint32_t *prim;      /* [primitives] alone */
    uint32_t *vertex[2]; /* [vertices] of the pair's first object, of its second one */
} relate_probed;

typedef struct relate {
    inside_frame *f;
    solids_walk *walk;
    inside_pair *p;
    int flags;           /* of the pair, as far as is known here */
    relate_probed *seen; /* relate_thread.seen */
    uint32_t number;     /* of this pair, from 1 on, in `seen` */
    int probed;          /* a probe was visited */
    int of;              /* the object that has the face that is probed: 0 or 1 */
    int pending, before; /* of an open object: the side in front was seen */
} relate;

/* ---- contacts by pair */

/* The pair of a contact, or NULL; c->a is then of its first object. pair: that of the contact
 * before, which is mostly the same. */
static inside_pair *relate_contact_pair(const inside_frame *f, inside_contact *c, inside_pair *pair)
{
    const uint32_t *place = f->solids->mesh.place;
    const uint32_t a = place[c->a], b = place[c->b];
    if (a == CLOSED_NONE || b == CLOSED_NONE || a == b)
        return NULL;
    if (!pair || pair->place[0] != (a < b ? a : b) || pair->place[1] != (a < b ? b : a))
        pair = inside_pair_of(f, a, b);
    if (pair && a > b) {
        const uint32_t t = c->a;
        c->a = c->b;
        c->b = t;
    }
    return pair;
}

static int relate_contact_order(const void *p, const void *q)
{
    const inside_contact *x = p, *y = q;
    if (x->crossing != y->crossing)
        return x->crossing > y->crossing ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Contacts that come in order are then in order, too. */
static void relate_sort_contacts(inside_contact *contact, size_t n)
{
    size_t i = 1;
    while (i < n && relate_contact_order(&contact[i - 1], &contact[i]) < 0)
        i++;
    if (i < n)
        qsort(contact, n, sizeof *contact, relate_contact_order);
}

/* crossing: [pairs] the number of contacts of each that cross; then the place of the next one. */
static void relate_put_contacts(inside_frame *f, const inside_contact *contact, size_t count,
                                size_t *crossing)
{
    const imp_mesh *m = f->solids->mesh.frame->mesh;
    inside_pair *pair = NULL;
    for (size_t i = 0; i < f->pairs; i++) {
        const size_t n = crossing[i];
        f->pair[i].contact = crossing[i] = f->contacts;
        f->contacts += f->pair[i].contacts;
        f->pair[i].contacts = n;
    }
    for (size_t i = 0; i < count; i++) {
        inside_contact c = contact[i];
        inside_pair *p = relate_contact_pair(f, &c, pair);
        if (!p)
            continue;
        pair = p;
        c.adjacent = (uint8_t)(f->shares && mesh_share(m, c.a, c.b));
        f->contact[c.crossing ? crossing[p - f->pair]++ : p->contact + p->contacts++] = c;
    }
}

int inside_set_contacts(inside_frame *f, const inside_contact *contact, size_t count)
{
    int err = IMP_OK;
    mem *m = f->solids->mem;
    size_t *crossing = NULL;
    inside_pair *pair = NULL;
    TRY(mem_alloc(m, count * sizeof *f->contact, &f->contact));
    TRY(mem_alloc(m, f->pairs * sizeof *crossing, &crossing));
    memset(crossing, 0, f->pairs * sizeof *crossing);
    for (size_t i = 0; i < count; i++) {
        inside_contact c = contact[i];
        inside_pair *p = relate_contact_pair(f, &c, pair);
        pair = p ? p : pair;
        if (p) {
            p->contacts++;
            crossing[p - f->pair] += c.crossing;
        }
    }
    relate_put_contacts(f, contact, count, crossing);
    for (size_t i = 0; i < f->pairs; i++)
        if (f->pair[i].contacts)
            relate_sort_contacts(f->contact + f->pair[i].contact, f->pair[i].contacts);
out:
    mem_free(m, crossing);
    return err;
}

/* ---- probes */

static int relate_winding_inside(const relate *r, int n, probe *s)
{
    return solids_inside(r->walk->of, probes_winding(r->walk, r->p->place[n], s));
}

static int relate_closed(const relate *r, int n)
{
    return r->walk->of->mesh.of[r->p->place[n]].closed;
}

/* The places of those of the two that are closed; returns their number. */
static int relate_places(const relate *r, uint32_t place[2])
{
    int places = 0;
    for (int n = 0; n < 2; n++)
        if (relate_closed(r, n))
            place[places++] = r->p->place[n];
    return places;
}

/* A probe of an open object's face counts if both sides are inside the other object, or neither. */
static int relate_visit_open(relate *r, probe *s, int on)
{
    if (!on || relate_closed(r, r->of))
        return 0;
    const int inside = relate_winding_inside(r, 1 - r->of, s);
    if (r->pending && inside == r->before)
        r->flags |= inside ? INSIDE_BOTH : r->of == 0 ? INSIDE_ONLY_A : INSIDE_ONLY_B;
    r->pending = !r->pending;
    r->before = inside;
    return r->flags == INSIDE_ALL;
}

static int relate_visit(void *user, probe *s, int on)
{
    relate *r = user;
    r->probed = 1;
    if (!relate_closed(r, 0) || !relate_closed(r, 1))
        return relate_visit_open(r, s, on);
    const int a = relate_winding_inside(r, 0, s), b = relate_winding_inside(r, 1, s);
    r->flags |= a && b ? INSIDE_BOTH : a ? INSIDE_ONLY_A : b ? INSIDE_ONLY_B : 0;
    return r->flags == INSIDE_ALL;
}

/* Face number `face` of a primitive; 0 if it is no face of the surface. */
static int relate_face(const relate *r, uint32_t prim, int face, probe_face *out)
{
    return solids_surface(r->walk->of, prim, face, out->vertex, out->p);
}

/* ---- corners */

/* Probes the faces of a primitive at a vertex that is off the other object's surface. */
static void relate_at_corner(relate *r, int n, uint32_t prim, uint32_t vertex)
{
    probe_face f;
    r->of = n;
    for (int face = 0; face < 4 && r->flags != INSIDE_ALL; face++)
        for (int k = 0; k < 3 && relate_face(r, prim, face, &f); k++)
            if (f.vertex[k] == vertex) {
                r->pending = 0;
                probes_beside(&f, k, relate_visit, r);
                break;
            }
}

/* The first primitive that has the vertex may have no area, or no face of the surface: then the
 * others. */
static void relate_at_vertex(relate *r, int n, uint32_t prim, uint32_t vertex)
{
    const closed_mesh *c = &r->walk->of->mesh;
    const closed_object *o = &c->of[r->p->place[n]];
    r->probed = 0;
    relate_at_corner(r, n, prim, vertex);
    for (uint32_t i = o->first; i < o->last && !r->probed; i++)
        if (c->prim[i] > prim)
            relate_at_corner(r, n, c->prim[i], vertex);
}

/* Vertices of one object inside the other one: until both kinds of regions are found that they can
 * show. Of an object that is not closed the vertex itself counts. */
static void relate_inside(relate *r, int n)
{
    const inside_query *q = r->f->query;
    const int wanted = INSIDE_BOTH | (n == 0 ? INSIDE_ONLY_B : INSIDE_ONLY_A);
    for (size_t i = r->p->first[n];
         i < r->p->last[n] && (r->flags & wanted) != wanted && !r->walk->err; i++)
        if (q[i].inside && !relate_closed(r, n))
            r->flags |= INSIDE_BOTH;
        else if (q[i].inside)
            relate_at_vertex(r, n, q[i].prim, q[i].vertex);
}

/* Whether the pair has probed element i of `seen`, of n; then it has. */
static int relate_seen(relate *r, uint32_t **seen, size_t n, uint32_t i)
{
    if (!*seen) {
        r->walk->err = mem_alloc(r->walk->of->mem, n * sizeof **seen, seen);
        if (r->walk->err)
            return 1;
        memset(*seen, 0, n * sizeof **seen);
    }
    const int before = (*seen)[i] == r->number;
    (*seen)[i] = r->number;
    return before;
}

/* A vertex of one object outside the other one, which is closed. */
static void relate_outside_at(relate *r, int n, uint32_t prim, uint32_t vertex)
{
    const size_t verts = r->walk->of->mesh.frame->mesh->vertices;
    if (!relate_closed(r, n))
        r->flags |= n == 0 ? INSIDE_ONLY_A : INSIDE_ONLY_B;
    else if (!relate_seen(r, &r->seen->vertex[n], verts, vertex))
        relate_at_vertex(r, n, prim, vertex);
}

/* Vertices of one object outside the other one: those in its box, and the others. */
static void relate_outside(relate *r, int n)
{
    const closed_mesh *c = &r->walk->of->mesh;
    const closed_object *o = &c->of[r->p->place[n]];
    const imp_mesh *m = c->frame->mesh;
    const inside_query *q = r->f->query;
    const inside_near *near = r->f->near + r->p->near[n], *end = r->f->near + r->p->near_end[n];
    const int wanted = n == 0 ? INSIDE_ONLY_A : INSIDE_ONLY_B;
    if (!relate_closed(r, 1 - n))
        return;
    for (size_t i = r->p->first[n]; i < r->p->last[n] && !(r->flags & wanted) && !r->walk->err; i++)
        if (!q[i].inside && !q[i].touches)
            relate_outside_at(r, n, q[i].prim, q[i].vertex);
    for (uint32_t i = o->first; i < o->last && !(r->flags & wanted); i++) {
        const uint32_t prim = c->prim[i], corners = mesh_corners_of(m, prim);
        const uint32_t in = near < end && near->prim == prim ? near++->corners : 0;
        for (uint32_t k = 0; k < corners && !(r->flags & wanted) && !r->walk->err; k++)
            if (!(in >> k & 1))
                relate_outside_at(r, n, prim, mesh_vertex(m, prim, k));
    }
}

/* ---- where an object crosses itself */

/* Around the intersections of a face of object n with others of that object, which part the face.
 */
static void relate_own(relate *r, int n, uint32_t prim)
{
    const solids *s = r->walk->of;
    solids_faces list = {0};
    uint32_t place[2];
    const int places = relate_places(r, place);
    probe_face f, g;
    r->of = n;
    for (int i = 0; i < 4 && relate_closed(r, n); i++) {
        if (!relate_face(r, prim, i, &f))
            continue;
        solids_crossings(r->walk, prim, i, &list);
        for (size_t k = 0; k < list.count && r->flags != INSIDE_ALL; k++) {
            solids_face(s, list.face[k].prim, list.face[k].face, g.vertex, g.p);
            r->pending = 0;
            probes_around(r->walk, place, places, &f, &g, 0, relate_visit, r);
        }
    }
    solids_faces_free(s, &list);
}

/* Where all corners inside the other object are within their own object, too, its surface may still
 * have other parts there. */
static void relate_hidden(relate *r, int n)
{
    const imp_mesh *m = r->walk->of->mesh.frame->mesh;
    const int wanted = INSIDE_BOTH | (n == 0 ? INSIDE_ONLY_B : INSIDE_ONLY_A);
    if (!r->p->inside[n])
        return;
    for (size_t i = r->p->near[n]; i < r->p->near_end[n] && (r->flags & wanted) != wanted; i++) {
        const uint32_t prim = r->f->near[i].prim;
        int inside = 0;
        for (uint32_t k = 0; k < mesh_corners_of(m, prim) && !inside; k++) {
            const inside_query *q = inside_query_of(r->f, r->p, n, mesh_vertex(m, prim, k));
            inside = q && q->inside;
        }
        if (inside)
            relate_own(r, n, prim);
    }
}

/* ---- contacts */

static void relate_part(void *user, const probe end[2])
{
    relate *r = user;
    (void)end;
    r->flags |= INSIDE_BOTH;
}

static int relate_has_area(const probe_face *f)
{
    for (int axis = 0; axis < 3; axis++)
        if (exact_orient2d(&f->p[0], &f->p[1], &f->p[2], axis))
            return 1;
    return 0;
}

/* A triangle without area of an object that is not closed has no sides: parts of its edges inside
 * the other object count. */
static void relate_edges(relate *r, int n, uint32_t prim)
{
    probe_face f;
    if (relate_closed(r, n) || r->flags & INSIDE_BOTH || !relate_face(r, prim, 0, &f) ||
        relate_has_area(&f))
        return;
    for (int k = 0; k < 3; k++)
        probes_parts(r->walk, r->p->place[1 - n], &f.p[k], &f.p[(k + 1) % 3], relate_part, r);
}

/* What a primitive shows that is in some contact, whatever the contact is: once for each pair. */
static void relate_alone(relate *r, int n, uint32_t prim)
{
    probe_face f;
    if (relate_seen(r, &r->seen->prim, r->walk->of->mesh.frame->mesh->primitives, prim))
        return;
    r->of = n;
    for (int i = 0; i < 4 && r->flags != INSIDE_ALL; i++)
        if (relate_face(r, prim, i, &f)) {
            r->pending = 0;
            probes_beside(&f, -1, relate_visit, r);
        }
    relate_own(r, n, prim);
    relate_edges(r, n, prim);
}

/* Primitives that share a vertex are in contact only if they meet elsewhere. So one whose corners
 * are all on the other object's surface may be in no contact, and be inside that object, or
 * outside. */
static void relate_shared(relate *r, int n)
{
    const imp_mesh *m = r->walk->of->mesh.frame->mesh;
    if (!r->f->shares || !r->p->touching[n])
        return;
    for (size_t i = r->p->near[n]; i < r->p->near_end[n] && r->flags != INSIDE_ALL && !r->walk->err;
         i++) {
        const uint32_t prim = r->f->near[i].prim;
        int touches = 1;
        for (uint32_t k = 0; k < mesh_corners_of(m, prim) && touches; k++) {
            const inside_query *q = inside_query_of(r->f, r->p, n, mesh_vertex(m, prim, k));
            touches = q && q->touches;
        }
        if (touches)
            relate_alone(r, n, prim);
    }
}

/* Of an object that is not closed only its own faces count. */
static void relate_contact(relate *r, const inside_contact *c)
{
    uint32_t place[2];
    const int places = relate_places(r, place), both = places == 2;
    const int n = relate_closed(r, 0) && !both; /* the object of the first face */
    const uint32_t prim[2] = {c->a, c->b};
    probe_face f, g;
    r->of = n;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4 && relate_face(r, prim[n], i, &f); j++)
            if (r->flags != INSIDE_ALL && relate_face(r, prim[1 - n], j, &g)) {
                r->pending = 0;
                probes_around(r->walk, place, places, &f, &g, both, relate_visit, r);
            }
    for (int k = 0; k < 2 && r->flags != INSIDE_ALL; k++)
        relate_alone(r, k, prim[k]);
}

/* ---- a pair */

static int relate_common(const inside_pair *p)
{
    return p->contacts || p->inside[0] || p->inside[1] || p->touching[0] || p->touching[1];
}

/* Without the contacts, but for the first one that crosses, which mostly shows all regions. */
static void relate_begin(relate *r)
{
    const inside_pair *p = r->p;
    const inside_contact *contact = r->f->contact + p->contact;
    r->flags = !relate_closed(r, 0) ? INSIDE_ONLY_B : !relate_closed(r, 1) ? INSIDE_ONLY_A : 0;
    if (p->contacts && contact->crossing)
        relate_contact(r, contact);
    for (int n = 0; n < 2; n++) {
        relate_inside(r, n);
        relate_hidden(r, n);
    }
}

/* Where there is a region in both, those outside one of them count, too. */
static void relate_end(relate *r)
{
    for (int n = 0; n < 2 && r->flags & INSIDE_BOTH; n++)
        relate_outside(r, n);
    r->p->flags = r->flags;
}

static int relate_kind(const inside_pair *p)
{
    if (!relate_common(p))
        return IMP_RELATION_APART;
    if (!(p->flags & INSIDE_BOTH))
        return IMP_RELATION_TOUCHING;
    return !(p->flags & INSIDE_ONLY_A)   ? IMP_RELATION_A_IN_B
           : !(p->flags & INSIDE_ONLY_B) ? IMP_RELATION_B_IN_A
                                         : IMP_RELATION_CROSSING;
}

static void relate_depth(const inside_frame *f, inside_pair *p)
{
    for (int n = 0; n < 2; n++)
        for (size_t i = p->first[n]; i < p->last[n]; i++)
            if (f->query[i].inside &&
                (f->query[i].depth > p->depth[n] ||
                 (f->query[i].depth == p->depth[n] && p->deepest[n] == UINT32_MAX))) {
                p->depth[n] = f->query[i].depth;
                p->deepest[n] = f->query[i].vertex;
            }
}

/* ---- parts of an object that are swallowed */

/* The parts of an object, connected by common vertices. */
typedef struct parts {
    const inside_frame *f;
    uint32_t place;
    uint32_t *slot;            /* [vertices of the mesh] CLOSED_NONE: of no primitive */
    uint32_t *root;            /* [slots] a slot of the same part */
    uint8_t *touched, *within; /* [slots] by root */
    uint32_t slots;
} parts;

static void parts_find(parts *p, uint32_t place)
{
    const closed_mesh *c = &p->f->solids->mesh;
    const imp_mesh *m = c->frame->mesh;
    const closed_object *o = &c->of[place];
    p->place = place;
    p->slots = 0;
    memset(p->slot, 0xff, m->vertices * sizeof *p->slot);
    for (uint32_t i = o->first; i < o->last; i++)
        for (uint32_t k = 0; k < mesh_corners_of(m, c->prim[i]); k++) {
            uint32_t *slot = &p->slot[mesh_vertex(m, c->prim[i], k)];
            const uint32_t first = p->slot[mesh_vertex(m, c->prim[i], 0)];
            if (*slot == CLOSED_NONE) {
                p->root[p->slots] = p->slots;
                *slot = p->slots++;
            }
            if (k)
                p->root[disjoint_root(p->root, *slot)] = disjoint_root(p->root, first);
        }
}

static uint32_t parts_of_prim(const parts *p, uint32_t prim)
{
    const imp_mesh *m = p->f->solids->mesh.frame->mesh;
    return disjoint_root(p->root, p->slot[mesh_vertex(m, prim, 0)]);
}

static int parts_add(inside_frame *f, const parts *p, uint32_t in)
{
    int err = IMP_OK;
    const closed_mesh *c = &f->solids->mesh;
    const size_t from = f->swallowed_count;
    uint32_t *number = NULL;
    TRY(mem_alloc(f->solids->mem, p->slots * sizeof *number, &number));
    memset(number, 0xff, p->slots * sizeof *number);
    for (uint32_t i = c->of[p->place].first; i < c->of[p->place].last; i++) {
        const uint32_t root = parts_of_prim(p, c->prim[i]);
        if (!p->within[root] || p->touched[root])
            continue;
        if (number[root] == UINT32_MAX) {
            TRY(mem_fit(f->solids->mem, f->swallowed_count, &f->swallowed_capacity,
                        sizeof *f->swallowed, &f->swallowed));
            number[root] = (uint32_t)(f->swallowed_count - from);
            f->swallowed[f->swallowed_count++] =
                (imp_swallowed){c->of[p->place].object, c->of[in].object, c->prim[i], 0, 0};
        }
        f->swallowed[from + number[root]].primitives++;
    }
    for (uint32_t v = 0; v < p->slots; v++) {
        const uint32_t root = disjoint_root(p->root, v);
        if (number[root] != UINT32_MAX)
            f->swallowed[from + number[root]].vertices++;
    }
out:
    mem_free(f->solids->mem, number);
    return err;
}

/* Whether the surfaces of two primitives in contact meet: a tetrahedron may be within another
 * one. */
static int parts_surfaces_meet(const solids *s, const inside_contact *c)
{
    const imp_mesh *m = s->mesh.frame->mesh;
    probe_face f, g;
    exact_contact contact;
    if (mesh_corners_of(m, c->a) != (uint32_t)IMP_TETRAHEDRA &&
        mesh_corners_of(m, c->b) != (uint32_t)IMP_TETRAHEDRA)
        return 1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4 && solids_surface(s, c->a, i, f.vertex, f.p); j++) {
            if (!solids_surface(s, c->b, j, g.vertex, g.p) || exact_boxes_apart(f.p, 3, g.p, 3))
                continue;
            exact_tri_tri(f.p, g.p, 0, NULL, &contact);
            if (contact.kind)
                return 1;
        }
    return 0;
}

/* Marks the parts of p->place, object n of the pair, that have vertices inside, and those that
 * touch or have vertices elsewhere: a tetrahedron without volume has no surface that would touch.
 */
static void parts_mark(const parts *p, const inside_pair *pair, int n)
{
    const inside_frame *f = p->f;
    memset(p->touched, 0, p->slots);
    memset(p->within, 0, p->slots);
    for (size_t i = pair->first[n]; i < pair->last[n]; i++)
        p->within[p->slot[f->query[i].vertex]] = f->query[i].inside;
    for (uint32_t v = 0; v < p->slots; v++)
        p->touched[disjoint_root(p->root, v)] |= !p->within[v];
    for (size_t i = pair->contact; i < pair->contact + pair->contacts; i++) {
        const inside_contact *c = &f->contact[i];
        uint8_t *touched = &p->touched[parts_of_prim(p, n == 0 ? c->a : c->b)];
        *touched = *touched || parts_surfaces_meet(f->solids, c);
    }
}

/* A pair and one of its objects. */
typedef struct parts_job {
    uint32_t object, in;
    size_t pair;
    int n;
} parts_job;

static int parts_job_order(const void *p, const void *q)
{
    const parts_job *x = p, *y = q;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->in > y->in) - (x->in < y->in);
}

/* The pairs and objects that may have such parts, and the most vertices of these objects. */
static int parts_jobs(const inside_frame *f, parts_job **job, size_t *jobs, size_t *most)
{
    int err = IMP_OK;
    const closed_mesh *c = &f->solids->mesh;
    const imp_mesh *m = c->frame->mesh;
    *jobs = *most = 0;
    TRY(mem_alloc(f->solids->mem, 2 * f->pairs * sizeof **job, job));
    for (size_t i = 0; i < f->pairs; i++)
        for (int n = 0; n < 2; n++) {
            const inside_pair *p = &f->pair[i];
            const closed_object *o = &c->of[p->place[n]];
            const size_t corners = (size_t)(o->last - o->first) * mesh_corners(m),
                         verts = corners < m->vertices ? corners : m->vertices;
            if (!p->inside[n] || !p->alone[n])
                continue;
            (*job)[(*jobs)++] = (parts_job){p->place[n], p->place[1 - n], i, n};
            *most = verts > *most ? verts : *most;
        }
    if (*jobs)
        qsort(*job, *jobs, sizeof **job, parts_job_order);
out:
    return err;
}

static int relate_swallowed(inside_frame *f)
{
    int err = IMP_OK;
    mem *m = f->solids->mem;
    parts p = {.f = f, .place = CLOSED_NONE};
    parts_job *job = NULL;
    size_t jobs = 0, most = 0;
    TRY(parts_jobs(f, &job, &jobs, &most));
    if (!jobs)
        goto out;
    TRY(mem_alloc(m, f->solids->mesh.frame->mesh->vertices * sizeof *p.slot, &p.slot));
    TRY(mem_alloc(m, most * sizeof *p.root, &p.root));
    TRY(mem_alloc(m, most, &p.touched));
    TRY(mem_alloc(m, most, &p.within));
    for (size_t i = 0; i < jobs; i++) {
        if (p.place != job[i].object)
            parts_find(&p, job[i].object);
        parts_mark(&p, &f->pair[job[i].pair], job[i].n);
        TRY(parts_add(f, &p, job[i].in));
    }
out:
    mem_free(m, job);
    mem_free(m, p.slot);
    mem_free(m, p.root);
    mem_free(m, p.touched);
    mem_free(m, p.within);
    return err;
}

/* ---- all */

/* What a thread needs. */
typedef struct relate_thread {
    solids_walk walk;
    relate_probed seen;
} relate_thread;

/* There are fewer than 2^32 pairs, each of which takes memory. */
static relate relate_of(inside_frame *f, relate_thread *t, size_t pair)
{
    return (relate){.f = f,
                    .walk = &t->walk,
                    .p = &f->pair[pair],
                    .seen = &t->seen,
                    .number = (uint32_t)pair + 1};
}

#define RELATE_CONTACTS 64 /* that a thread takes at a time */

/* The pair of a contact. */
static size_t relate_pair_at(const inside_frame *f, size_t contact)
{
    size_t low = 0, high = f->pairs;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (f->pair[middle].contact <= contact)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Contacts from number `first` on; other threads have others of the same pair. */
static void relate_contacts(inside_frame *f, relate_thread *t, size_t first)
{
    size_t pair = relate_pair_at(f, first);
    for (size_t i = first; i < first + RELATE_CONTACTS && i < f->contacts && !t->walk.err; i++) {
        while (i >= f->pair[pair].contact + f->pair[pair].contacts)
            pair++;
        int *flags = &f->pair[pair].flags, known;
#pragma omp atomic read
        known = *flags;
        if (known == INSIDE_ALL)
            continue;
        relate r = relate_of(f, t, pair);
        r.flags = known;
        if (!t->walk.err)
            relate_contact(&r, &f->contact[i]);
        known = r.flags;
#pragma omp atomic
        *flags |= known;
    }
}

/* Finds the regions of all pairs. */
static int relate_all(inside_frame *f)
{
    const solids *s = f->solids;
    const int64_t pairs = (int64_t)f->pairs;
    const int64_t chunks = (int64_t)(f->contacts / RELATE_CONTACTS + 1);
    int failed = 0;
#pragma omp parallel num_threads(s->threads) reduction(| : failed)
    EACH_IN_FLOAT_ENV
    {
        relate_thread t = {.walk = {.of = s}};
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < pairs; i++) {
            relate r = relate_of(f, &t, (size_t)i);
            if (t.walk.err || !relate_common(r.p))
                continue;
            relate_begin(&r);
            relate_end(&r);
        }
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < chunks; i++)
            if (!t.walk.err && (size_t)i * RELATE_CONTACTS < f->contacts)
                relate_contacts(f, &t, (size_t)i * RELATE_CONTACTS);
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < pairs; i++) {
            relate r = relate_of(f, &t, (size_t)i);
            r.flags = r.p->flags;
            for (int n = 0; n < 2 && !t.walk.err; n++)
                relate_shared(&r, n);
            if (!t.walk.err)
                relate_end(&r);
            relate_depth(f, r.p);
        }
        failed |= t.walk.err != 0;
        mem_free(s->mem, t.seen.prim);
        mem_free(s->mem, t.seen.vertex[0]);
        mem_free(s->mem, t.seen.vertex[1]);
        solids_walk_free(&t.walk);
    }
    return failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

static int relate_put(inside_frame *f, const inside_pair *p)
{
    int err = IMP_OK;
    const closed_object *of = f->solids->mesh.of;
    imp_relation out = {
        .a = of[p->place[0]].object, .b = of[p->place[1]].object, .relation = relate_kind(p)};
    if (out.relation == IMP_RELATION_APART)
        return IMP_OK;
    for (size_t i = p->contact; i < p->contact + p->contacts; i++)
        out.contacts += !f->contact[i].adjacent;
    for (int n = 0; n < 2; n++) {
        out.inside[n] = p->inside[n];
        out.touching[n] = p->touching[n];
        out.depth[n] = p->depth[n];
        out.deepest[n] = p->deepest[n];
    }
    TRY(mem_fit(f->solids->mem, f->relations, &f->relation_capacity, sizeof *f->relation,
                &f->relation));
    f->relation[f->relations++] = out;
out:
    return err;
}

int inside_relate(inside_frame *f)
{
    int err = IMP_OK;
    TRY(relate_all(f));
    for (size_t i = 0; i < f->pairs; i++)
        TRY(relate_put(f, &f->pair[i]));
    TRY(relate_swallowed(f));
out:
    return err;
}
