/* The components of a shape. Private to host/shape. */
#ifndef IMP_SHAPE_PARTS_H
#define IMP_SHAPE_PARTS_H

#include "exact.h"
#include "exact_number.h"
#include "shape.h"

#define SHAPE_NONE UINT32_MAX

/* A box in the coordinates of the shape, and a sphere with the same centre. */
typedef struct shape_node {
    double middle[3], half[3], radius;
    uint32_t begin, end; /* range in shape.order */
    uint32_t child;      /* the first of two adjacent children; 0: a leaf */
} shape_node;

/* The definition of the inside. */
enum shape_closed {
    SHAPE_OPEN,   /* no inside */
    SHAPE_ODD,    /* points from which a ray crosses an odd number of triangles */
    SHAPE_WINDING /* points with a nonzero winding number */
};

struct shape {
    uint32_t vertices, triangles, nodes;
    exact_point *point; /* [vertices] */
    uint32_t *corner;   /* [3 * triangles] in the caller's order */
    uint32_t *same;     /* [vertices] the lowest vertex with the same position */
    uint32_t *order;    /* [triangles] contiguous for each node */
    shape_node *node;   /* [nodes] the root first */
    double radius;
    struct shape_hull *hull;  /* NULL unless the body is convex */
    enum shape_closed closed; /* shape_make.c */
    uint32_t components;
    uint32_t *component; /* [components] a corner of one triangle of each, 3 t + i */
};

/* ---- shape_make.c */

/* Finds out whether the surface is closed, and its connected parts. Call after shape_hull_make. */
int shape_closed_make(mem *m, shape *s);

/* ---- shape_make.c */

/* A descent into two trees has at most this many pending pairs of nodes, as each half of a node has
 * at most half of its triangles, rounded up. */
#define SHAPE_LEVELS 33

int shape_tree(mem *m, shape *s);

/* ---- Vectors with twice the digits of float64. Private to host/shape. */

typedef struct fine {
    twofold x[3];
} fine;

static inline fine fine_sub(const fine *a, const fine *b)
{
    fine d;
    for (int k = 0; k < 3; k++)
        d.x[k] = two_add(a->x[k], two_minus(b->x[k]));
    return d;
}

static inline fine fine_cross(const fine *a, const fine *b)
{
    fine c;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        c.x[k] = two_add(two_mul(a->x[i], b->x[j]), two_minus(two_mul(a->x[j], b->x[i])));
    }
    return c;
}

static inline void fine_out(const fine *a, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a->x[k].hi;
}

/* From a to b, exact within 2^-100. */
static inline fine fine_between(const double a[3], const double b[3])
{
    fine d;
    for (int k = 0; k < 3; k++)
        d.x[k] = sum_of(b[k], -a[k]);
    return d;
}

/* The component of w orthogonal to e, times the square of e. */
static inline fine fine_across(const fine *w, const fine *e)
{
    const fine c = fine_cross(w, e);
    return fine_cross(e, &c);
}

/* ---- Two posed shapes. Private to host/shape.
 *
 * All lengths of a query are in units of a power of two near the size of both shapes and of their
 * distance, so squares neither overflow nor vanish. Positions are relative to the origin of the
 * first shape as posed, so that shapes far from the origin of the frame lose no accuracy. */

typedef struct shape_query {
    const shape *s[2];
    double turn[2][3][3]; /* rotation without the unit, for directions */
    double r[2][3][3];    /* x of a shape is at r x + t */
    double t[2][3];
    double origin[3]; /* origin of the query, in the coordinates of the frame */
    double unit;      /* unit of length */
    double margin;    /* twice an upper limit of the rounding error of a point, or of a height of
                       * one */
} shape_query;

void shape_query_make(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                      shape_query *out);

/* The position of a vertex of shape 0 or 1; in shape_query_other, in the coordinates of the other
 * shape instead of the query's. */
void shape_query_vertex(const shape_query *q, int side, uint32_t vertex, double out[3]);
void shape_query_other(const shape_query *q, int side, uint32_t vertex, exact_point *out);

/* A feature of a triangle. */
enum shape_part { PART_VERTEX, PART_EDGE = 3, PART_FACE = 6 }; /* the first of each kind */

/* Two points, one of each shape. */
typedef struct shape_touch {
    double square; /* square of their distance */
    double x[2][3];
    int part[2]; /* parts of the triangles that contain them: vertex 0-2, edge 0-2, face */
} shape_touch;

/* ---- shape_search.c */

/* The squared distance of two segments, and the parameters of their closest points. */
double shape_segments(const double a[2][3], const double b[2][3], double parameter[2]);

/* The closest points of two triangles, which may have no area. */
void shape_triangles(const double p[3][3], const double q[3][3], shape_touch *out);

/* A lower bound of their distance, from directions derived from them and from `out`. It exceeds the
 * true distance by no more than rounding, which is less than a margin, and is accurate to `enough`
 * if possible. */
double shape_triangles_apart(const double p[3][3], const double q[3][3], const shape_touch *t,
                             double enough);

/* The closest triangles of two shapes. */
typedef struct shape_found {
    shape_touch touch;
    uint32_t cell[2];
    double least;        /* a lower bound of the distance, within rounding */
    int intersect;       /* they have a common point, within rounding */
    double direction[3]; /* unit vector from 0 to 1: all of 1 is at least `least` beyond all of 0
                          * along it; 0 0 0: unknown */
    uint64_t steps;
    int searched; /* the trees were searched */
} shape_found;

/* ---- shape_search.c: by the trees of both */

/* cell: triangles to begin with; they only affect the time. */
void shape_search(const shape_query *q, const uint32_t cell[2], shape_found *out);

/* Some triangles near each other: descends the trees once, always to the nearer half of a node. */
void shape_search_start(const shape_query *q, uint32_t cell[2], uint64_t *steps);

#endif
