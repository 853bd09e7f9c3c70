/* The vertices of a frame that are inside closed objects, and the relations of its objects: each
 * step in a file of its own, in this order. */
#ifndef IMP_INSIDE_H
#define IMP_INSIDE_H

#include "solids.h"

/* A vertex of an object in the box of a closed one. */
typedef struct inside_query {
    uint32_t vertex, prim; /* prim: the first primitive of its object that has it */
    size_t leader;         /* the query whose answer it has */
    int32_t winding;
    uint8_t known; /* it is outside */
    uint8_t inside, touches;
    double depth; /* set by inside_depths */
} inside_query;

/* Two objects whose boxes overlap, at least one of them closed. Arrays of two: [0] is of the first
 * with respect to the second, [1] the reverse. */
typedef struct inside_pair {
    uint32_t place[2];           /* in solids.mesh.of, ascending */
    size_t near[2], near_end[2]; /* ranges of inside_frame.near; none if the other is open */
    size_t first[2], last[2];    /* the queries, ascending by vertex: the vertices of these */
    size_t contact, contacts;    /* the contacts: a range of inside_frame.contact */
    uint64_t inside[2], touching[2];
    double depth[2];
    uint32_t deepest[2];
    uint8_t alone[2]; /* a part of one may be inside the other without a contact */
    int flags;        /* enum inside_flag */
} inside_pair;

/* A primitive with vertices in the box of a closed object: bits of `corners` tell which. */
typedef struct inside_near {
    uint32_t prim, corners;
} inside_near;

/* A contact of primitives of two objects; adjacent: they share a vertex, and meet elsewhere. */
typedef struct inside_contact {
    uint32_t a, b;
    uint8_t crossing, adjacent;
} inside_contact;

/* Zero at first, except `solids` and `allowed`. members: the results of each step, in order */
typedef struct inside_frame {
    const solids *solids;
    /* whether two objects, by their places, are to be compared; NULL: all are */
    int (*allowed)(const void *user, const closed_mesh *m, const uint32_t place[2]);
    const void *allowed_user;
    inside_pair *pair; /* [pairs] ordered by place */
    size_t pairs, pair_capacity;
    int shares;          /* a vertex belongs to several objects */
    inside_near *near;   /* by pair, ascending */
    inside_query *query; /* [queries] */
    size_t queries, query_capacity;
    /* [contacts] by pair, crossing ones first; a is of the pair's first object */
    inside_contact *contact;
    size_t contacts;
    imp_relation *relation;
    imp_swallowed *swallowed;
    size_t relations, relation_capacity, swallowed_count, swallowed_capacity;
} inside_frame;

void inside_frame_free(inside_frame *f);

/* ---- inside.c: the pairs of objects, and the vertices of each that are inside the other */

/* contact: [contacts] of different objects, in any order; `adjacent` is not read. Errors: MEMORY,
 * CANCELLED. */
int inside_find(inside_frame *f, const inside_contact *contact, size_t contacts);

/* near.c: finds boxes around the spans of solids.mesh, box[6 * spans]. Errors: MEMORY. */
int inside_span_boxes(const solids *s, float *box);

/* relations.c: copies the contacts; those of no pair are left out. Errors: MEMORY. */
int inside_set_contacts(inside_frame *f, const inside_contact *contact, size_t count);

/* near.c: finds the primitives near the other object of each pair. Errors: MEMORY. */
int inside_find_near(inside_frame *f, const float *box);

/* flood.c: finds the queries that need an answer of their own. Errors: MEMORY. */
int inside_flood(inside_frame *f);

/* The pair of two objects by places, or NULL. */
inside_pair *inside_pair_of(const inside_frame *f, uint32_t a, uint32_t b);

/* The query of a vertex of place[n] of a pair, or NULL. */
const inside_query *inside_query_of(const inside_frame *f, const inside_pair *p, int n,
                                    uint32_t vertex);

/* Finds the depth of queries of vertices inside, list[n]; out: [n]. Errors: MEMORY, CANCELLED. */
typedef struct inside_row {
    size_t query;
    uint32_t place; /* the closed object */
    solids_depth_at at;
} inside_row;
int inside_depths(inside_frame *f, inside_row *row, size_t n);

/* ---- edges.c */

/* The greatest depth in an object, with place `in`, of the middles, rounded to float64, of those
 * parts of a primitive's edges that are inside it and begin or end on its primitive `other`; 0:
 * there are none. */
double inside_edges_depth(solids_walk *w, uint32_t prim, uint32_t in, uint32_t other);

/* ---- relations.c: after inside_find and inside_depths of all queries of vertices inside */

/* Finds the relations. Errors: MEMORY, CANCELLED. */
int inside_relate(inside_frame *f);

#endif
