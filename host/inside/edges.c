/* See inside.h: the depth of a contact without a vertex inside: that of the middles of the parts of
 * edges that are inside. */
#include "inside.h"
#include "probes.h"

#include "error.h"
#include "float_env.h"

/* The edges of a primitive of one object in the other one. */
typedef struct edges {
    solids_walk *walk;
    uint32_t in, other; /* the place of the other object; its primitive */
    double depth;
} edges;

/* A part counts if it begins or ends on the other primitive. */
static void edges_part(void *user, const probe end[2])
{
    edges *e = user;
    const solids *s = e->walk->of;
    probe_face f;
    solids_depth_at at;
    double x[3];
    int on = 0, touches;
    for (int face = 0; face < 4 && !on; face++)
        if (solids_surface(s, e->other, face, f.vertex, f.p))
            on = probe_on_face(&end[0], &f) || probe_on_face(&end[1], &f);
    if (!on)
        return;
    probes_middle(end, x);
    const int winding = solids_winding(e->walk, e->in, x, -1, &touches);
    if (!touches && solids_inside(s, winding) && solids_depth(e->walk, e->in, x, winding, &at))
        e->depth = at.depth > e->depth ? at.depth : e->depth;
}

double inside_edges_depth(solids_walk *w, uint32_t prim, uint32_t in, uint32_t other)
{
    const imp_frame *f = w->of->mesh.frame;
    const exact_prim p = exact_prim_of(f, prim);
    edges e = {.walk = w, .in = in, .other = other};
    for (int k = 0; k < edges_count(&p) && !w->err; k++)
        probes_parts(w, in, &p.v[prim_edge[k][0]], &p.v[prim_edge[k][1]], edges_part, &e);
    return e.depth;
}
