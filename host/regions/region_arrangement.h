/* The arrangement of the segments in a face: points and links between them that meet only at
 * points. Work of region_cut_faces. */
#ifndef IMP_REGION_ARRANGEMENT_H
#define IMP_REGION_ARRANGEMENT_H

#include "region_unit.h"

/* A segment of a contour, from the lesser point on. */
typedef struct region_chord {
    uint32_t point[2], segment;
    double low[2], high[2]; /* the rounded box in the view */
} region_chord;

/* A part of a chord or of an edge of the face, from the lesser point on. */
typedef struct region_piece_of {
    uint64_t points; /* their ranks, the lesser one << 32 | the other one */
    uint32_t chord;  /* REGION_NONE: of the border, */
    uint32_t border; /* with this place among the intervals of the face's edges */
} region_piece_of;

/* A link between two points; cuts: what lies on it. */
typedef struct region_link {
    uint32_t point[2], first, last; /* pieces of cuts: of[first] to of[last] */
} region_link;

/* members: arrays with their sizes */
typedef struct region_arrangement {
    region_view view;
    uint32_t vertex[3]; /* of the face */
    uint32_t edge[3];   /* in `edge` of the unit, or REGION_NONE; */
    uint32_t base[3];   /* and the first of its points here */
    int turned[3];      /* the edge goes from its higher vertex to the lower one */
    region_point *point;
    size_t points, point_capacity;
    region_chord *chord;
    size_t chords, chord_capacity;
    uint64_t *split; /* points within chords: chord << 32 | point; later the ranks of all on each */
    size_t splits, split_capacity;
    uint32_t *number; /* [points] in order, */
    uint32_t *rank;   /* and their places in it; equal points have one */
    uint32_t *work;
    size_t number_capacity, rank_capacity, work_capacity;
    uint32_t ranks;
    region_piece_of *of;
    size_t ofs, of_capacity;
    region_link *link; /* in order of their points */
    size_t links, link_capacity;
    /* a link in a direction: 2 * link, from its lesser point to the greater one, or that + 1 */
    uint32_t *first; /* [ranks + 1] those from each point: out[first[p]] to out[first[p + 1]], */
    uint32_t *out;   /* counter-clockwise: from straight down, without that, on */
    uint32_t *at;    /* [2 * links] the place of each in `out` */
    uint32_t *cycle; /* [2 * links] the cycle on the left of each */
    size_t first_capacity, out_capacity, at_capacity, cycle_capacity;
    uint32_t cycles;
    uint32_t *within; /* [cycles] of what goes around a connected part: the cycle around it;
                         REGION_NONE: it goes around a piece */
    uint32_t *piece;  /* [cycles] */
    double *area;     /* [cycles] */
    uint32_t *root;   /* [ranks] of connected parts, their least points */
    uint32_t *active; /* links that the sweep crosses, from below */
    size_t within_capacity, piece_capacity, area_capacity, root_capacity, active_capacity;
} region_arrangement;

/* region_lines.c: finds the points and chords of a face with an area, whose view and vertices are
 * set; then makes the links. Errors: MEMORY. */
int region_chords(region_unit *u, region_arrangement *a, const region_face *f);
int region_lines(region_unit *u, region_arrangement *a);

/* Parts of these: the corners, and the points on the edges; the ranks of all points in an order.
 * Errors: MEMORY. */
int region_border_points(region_unit *u, region_arrangement *a, uint32_t face);
int region_rank_by(region_unit *u, region_arrangement *a, region_less *order, const void *of);

/* region_needles.c: cuts a face without an area. Errors: MEMORY. */
int region_cut_needle(region_unit *u, region_arrangement *a, region_face *f);

/* region_chain.c: makes the two pieces of a face that one chain of chords crosses from border to
 * border; *made: 0 if that is not all. Errors: MEMORY. */
int region_chain(region_unit *u, region_arrangement *a, region_face *f, int *made);

/* region_faces.c: makes room for pieces, and for those at the intervals of the edges. *all: twice
 * the face's area in units of the view, whose exponents are `unit`. Errors: MEMORY. */
int region_add_pieces_of(region_unit *u, const region_arrangement *a, region_face *f,
                         uint32_t pieces, int unit[2], double *all);

/* Sorts keys of few or many. */
void region_sort_keys(uint64_t *key, size_t n);

#endif
