/* See solids.h: which sides of a face are inside its own object. */
#include "probes.h"

#include "error.h"

/* ---- faces of its object that a face meets */

typedef struct crossings {
    const solids *of;
    uint32_t prim;
    int face;
    probe_face at;
    solids_faces *out;
    int err;
} crossings;

static int crossings_visit_prim(void *user, uint32_t prim)
{
    crossings *a = user;
    const solids *s = a->of;
    for (int f = 0; f < 4; f++) {
        probe_face g;
        exact_contact contact;
        int shared = 0, mine[3] = {0};
        if (!(s->mesh.surface[prim] >> f & 1) || (prim == a->prim && f == a->face))
            continue;
        solids_face(s, prim, f, g.vertex, g.p);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if (shared < 3 && a->at.vertex[i] == g.vertex[j] &&
                    (!shared || mine[shared - 1] != i))
                    mine[shared++] = i;
        exact_tri_tri(a->at.p, g.p, shared, mine, &contact);
        if (contact.kind != IMP_KIND_SEGMENT && contact.kind != IMP_KIND_AREA)
            continue;
        if (mem_fit(s->mem, a->out->count, &a->out->capacity, sizeof *a->out->face, &a->out->face))
            a->err = IMP_ERR_MEMORY;
        else
            a->out->face[a->out->count++] = (solids_face_at){prim, f};
    }
    return a->err;
}

void solids_crossings(solids_walk *w, uint32_t prim, int face, solids_faces *out)
{
    const solids *s = w->of;
    crossings a = {.of = s, .prim = prim, .face = face, .out = out};
    float lo[3], hi[3];
    out->count = 0;
    solids_face(s, prim, face, a.at.vertex, a.at.p);
    for (int k = 0; k < 3; k++) {
        double least = a.at.p[0].x[k], most = least;
        for (int c = 1; c < 3; c++) {
            least = a.at.p[c].x[k] < least ? a.at.p[c].x[k] : least;
            most = a.at.p[c].x[k] > most ? a.at.p[c].x[k] : most;
        }
        lo[k] = solids_unit(s, k, least);
        hi[k] = solids_unit(s, k, most);
    }
    solids_overlaps(w, s->mesh.place[prim], lo, hi, crossings_visit_prim, &a);
    w->err = a.err ? a.err : w->err;
}

void solids_faces_free(const solids *s, solids_faces *f)
{
    mem_free(s->mem, f->face);
    *f = (solids_faces){0};
}

/* ---- sides */

/* The sides of a face at its probes. */
typedef struct sides {
    solids_walk *walk;
    uint32_t place;
    probe_face of;
    int back, front;     /* somewhere only the back, or only the front, is inside */
    const int *enough;   /* one of these: if it is set, the search ends */
    int pending, before; /* pending: the probe in front was seen, and is inside or not */
} sides;

/* Probes come in pairs: in front of the face, then behind it. */
static int sides_visit(void *user, probe *s, int on)
{
    sides *a = user;
    if (!on)
        return 0;
    const int inside = solids_inside(a->walk->of, probes_winding(a->walk, a->place, s));
    if (!a->pending) {
        a->pending = 1;
        a->before = inside;
        return 0;
    }
    a->pending = 0;
    a->back |= inside && !a->before;
    a->front |= a->before && !inside;
    return *a->enough;
}

static void sides_find(sides *a, uint32_t prim, int face)
{
    const solids *s = a->walk->of;
    solids_faces list = {0};
    solids_face(s, prim, face, a->of.vertex, a->of.p);
    probes_beside(&a->of, -1, sides_visit, a);
    if (!*a->enough)
        solids_crossings(a->walk, prim, face, &list);
    for (size_t i = 0; i < list.count && !*a->enough && !a->walk->err; i++) {
        probe_face g;
        solids_face(s, list.face[i].prim, list.face[i].face, g.vertex, g.p);
        a->pending = 0;
        probes_around(a->walk, &a->place, 1, &a->of, &g, 0, sides_visit, a);
    }
    solids_faces_free(s, &list);
}

int solids_side_of(solids_walk *w, uint32_t prim, int face)
{
    const solids *s = w->of;
    uint8_t known;
#pragma omp atomic read
    known = s->side[prim];
    int side = known >> 2 * face & 3;
    if (side)
        return side;
    sides a = {.walk = w, .place = s->mesh.place[prim], .enough = &a.back};
    sides_find(&a, prim, face);
    side = a.back ? SOLIDS_BACK : a.front ? SOLIDS_FRONT : SOLIDS_SAME;
    uint8_t *to = &s->side[prim];
    const uint8_t bits = (uint8_t)(side << 2 * face);
#pragma omp atomic
    *to |= bits;
    return side;
}

int solids_front_inside(solids_walk *w, uint32_t prim, int face)
{
    const int side = solids_side_of(w, prim, face);
    sides a = {.walk = w, .place = w->of->mesh.place[prim], .enough = &a.front};
    if (side != SOLIDS_BACK)
        return side == SOLIDS_FRONT;
    sides_find(&a, prim, face);
    return a.front;
}
