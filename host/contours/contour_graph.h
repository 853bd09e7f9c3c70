/* The graph of a frame's contacts: nodes with names, and the segments between them. */
#ifndef IMP_CONTOUR_GRAPH_H
#define IMP_CONTOUR_GRAPH_H

#include "impinge_contours.h"
#include "mem.h"

#include <stddef.h>
#include <stdint.h>

#define CONTOUR_NONE UINT32_MAX

/* A feature: its vertices in ascending order, CONTOUR_NONE after the last one. */
typedef struct contour_feature {
    int32_t object;
    uint32_t vertex[3];
} contour_feature;

/* A node; its features are in order. */
typedef struct contour_node {
    contour_feature of[2];
    double x[3];
} contour_node;

/* A segment between two nodes, the lower number first. */
typedef struct contour_segment {
    uint32_t node[2];
    uint8_t turned;  /* its first contact goes from the second node to the first one */
    uint8_t line;    /* it is a segment of two triangles */
    uint8_t odd;     /* it is a side of an odd number of polygons, */
    uint8_t polygon; /* or of any */
    uint8_t done;
} contour_segment;

/* A table of positions + 1 of nodes or segments by hash; a power of two in size; 0: free. */
typedef struct contour_table {
    uint32_t *at;
    size_t capacity;
} contour_table;

/* A contact with a segment that counts. */
typedef struct contour_use {
    size_t row;
    uint32_t segment;
} contour_use;

typedef struct contour_graph {
    mem *mem;
    const imp_frame *frame;
    contour_node *node; /* [nodes] */
    size_t nodes, node_capacity;
    contour_segment *segment; /* [segments] in order of their first contact */
    size_t segments, segment_capacity;
    contour_table by_name, by_nodes;
    uint64_t none;          /* contacts without a contour */
    uint32_t *first, *list; /* the segments at each node: list[first[n]] to list[first[n + 1]] */
    int with_uses;          /* the rest is wanted */
    contour_use *use;       /* [uses] in order of the contacts */
    size_t uses, use_capacity;
    uint32_t *contour; /* [segments] their contours, set by contours_trace */
} contour_graph;

/* Whether contacts of this kind are overlaps in one plane: only these need the frame's points. */
static inline int contours_is_flat(uint8_t kind)
{
    return kind == IMP_KIND_AREA || kind == IMP_KIND_DUPLICATE;
}

/* The feature of a triangle by its code (enum imp_end_feature). A vertex that occurs twice counts
 * once. */
contour_feature contour_feature_of(const imp_mesh *m, uint32_t prim, uint8_t code);

/* Makes the graph of the segments that count. *g is zero but for `with_uses`; free it also after an
 * error. Errors: MEMORY. */
int contour_graph_make(mem *m, const imp_frame *frame, const imp_contacts *rows, contour_graph *g);
void contour_graph_free(contour_graph *g);

#endif
