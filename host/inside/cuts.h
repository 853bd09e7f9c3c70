/* Points of a line, as rationals, and where faces cut it. */
#ifndef IMP_CUTS_H
#define IMP_CUTS_H

#include "probes.h"

/* A point p / w with w > 0; t: its place along a line, t / w. */
typedef struct cut {
    dyad p[3], w, t;
} cut;

void cut_at_init(cut *c);
void cut_at_clear(cut *c);
void cut_at_set_point(cut *c, const exact_point *p);

/* w n . (p / w - q): the sign is that of the side of the plane through q. */
void cut_at_height(dyad *out, const cut *c, const dyad n[3], const exact_point *q);

/* The point at which i-j crosses a plane, over which i is at h / i.w and j, on the other side, at
 * l / j.w. */
void cut_at_between(cut *out, const cut *i, const cut *j, const dyad *h, const dyad *l);

/* Sets p, w, lo and hi of a probe: the middle of two points. */
void cut_at_middle(const cut *i, const cut *j, probe *s);

/* The order of two points along the line. */
int cut_at_compare(const cut *i, const cut *j);

/* Points of a line: of a segment the two ends first. */
typedef struct cut_line {
    solids_walk *walk;
    dyad along[3]; /* its direction */
    cut *cut;      /* [count] */
    size_t count, capacity;
    int spoilt; /* there was no memory */
} cut_line;

void cut_line_init(cut_line *a, solids_walk *walk);

/* Also sets walk->err where there was no memory. */
void cut_line_clear(cut_line *a);

/* Adds a point, which is initialised; NULL without memory. */
cut *cut_line_add(cut_line *a);

/* Sets t of a point. */
void cut_line_place(const cut_line *a, cut *c);

/* Removes the points from number `from` on. */
void cut_line_drop(cut_line *a, size_t from);

/* Adds the points at which the segment crosses the planes of faces of closed objects near it, and
 * where it lies in one, those through its edges; leaves all in order, each once. So between two
 * neighbours it does not enter, leave or cross a face. */
void cut_line_divide(cut_line *a, const uint32_t *place, int places);

#endif
