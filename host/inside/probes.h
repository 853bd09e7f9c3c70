/* Probe points of the regions that surfaces divide the space into. A probe is a point on faces,
 * with rational coordinates, moved by infinitely small steps in three directions; so it is on no
 * face, and a winding number there is a sequence of signs. Any probe tells of a region that exists;
 * those around the intersections of two surfaces, and beside each face, together tell of all. */
#ifndef IMP_PROBES_H
#define IMP_PROBES_H

#include "dyads.h"
#include "solids.h"

/* The point p / w, moved by a step along d[0], then by infinitely smaller ones along d[1] and d[2].
 * w > 0; the directions span the space. */
typedef struct probe {
    dyad p[3], w, d[3][3];
    double lo[3], hi[3]; /* a box that contains it: probes_place */
} probe;

void probe_init(probe *s);
void probe_clear(probe *s);

/* Sets lo and hi; called after p and w are set. */
void probe_place(probe *s);

/* d[n] = v, or -v if sign < 0 */
void probe_direction(probe *s, int n, const dyad v[3], int sign);

/* The winding number of a closed object about a probe. */
int probes_winding(solids_walk *w, uint32_t place, const probe *s);

/* A face of the surface of any object, closed or not. */
typedef struct probe_face {
    uint32_t vertex[3];
    exact_point p[3];
} probe_face;

/* Receives a probe; a result other than 0 ends the probing and is returned by it. on: the probe
 * is on the face that is probed, on which d[0] keeps it (probes_beside: d[0] and d[1]). */
typedef int probes_visit(void *user, probe *s, int on);

/* Beside a face: in its middle (corner -1) or at a corner, on both sides. */
int probes_beside(const probe_face *f, int corner, probes_visit *visit, void *user);

/* Around the intersection of two faces that are not coplanar and meet in a segment: between each
 * two neighbouring points at which a face of the objects place[n] may end or begin to meet the
 * segment, beside the first face in both directions and on both sides; with `both` also beside the
 * second one, and `on` is then 0. Of coplanar faces: in the middle of their overlap, on both sides.
 */
int probes_around(solids_walk *w, const uint32_t *place, int places, const probe_face *f,
                  const probe_face *g, int both, probes_visit *visit, void *user);

/* ---- Parts of a segment that are inside a closed object. */

/* Receives the ends of a part, in order; only p, w, lo and hi of them are set. */
typedef void probes_part(void *user, const probe end[2]);

/* Calls `visit` for each part of the segment p-q, as long as possible, all points of which are
 * inside the object, off its surface, but for finitely many. Faces without area do not count. */
void probes_parts(solids_walk *w, uint32_t place, const exact_point *p, const exact_point *q,
                  probes_part *visit, void *user);

/* Whether the point of a probe, without its steps, is on a face. */
int probe_on_face(const probe *s, const probe_face *f);

/* The middle of two points, each coordinate rounded to the nearest float64. */
void probes_middle(const probe end[2], double out[3]);

#endif
