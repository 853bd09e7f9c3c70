/* oracle_ccd_first_near of oracle_moving.h. The distance of two features is that of 0 from the hull
 * of all vectors from a corner of the one to a corner of the other: of a vertex and a face a
 * triangle, of two edges a parallelogram. What is nearest to 0 of such a polygon is inside it, on a
 * side, or a corner: that part holds when its plane, line or point is near enough and what of this
 * is nearest to 0 is in the part. A polygon without area is the union of its sides; a side without
 * length is a corner. */
#include "oracle_moving.h"

#include "oracle_root.h"
#include "oracle_vectors.h"

#define CORNERS 4
#define NEAR_PARTS (2 * CORNERS + 1)

typedef struct part {
    polynomial away;            /* squared, beyond the distance, times size: not more than 0 */
    polynomial size;            /* more than 0 */
    polynomial within[CORNERS]; /* not less than 0 */
    int bounds;                 /* of these */
} part;

typedef struct polygon {
    int corners;
    polynomial_vector at[4]; /* of the features */
    mpz_t distance;
    polynomial_vector edge[CORNERS], side[CORNERS], area[CORNERS]; /* to the next, and with it */
    polynomial_vector normal;
    int parts;
    part part[NEAR_PARTS];
} polygon;

/* ---- the parts */

/* Its square in r->away becomes what it is more than the distance. */
static void oracle_near_subtract_distance(part *r, const polygon *p)
{
    polynomial square;
    polynomial_init(&square);
    mpz_mul(square.c[0], p->distance, p->distance);
    square.degree = 0;
    polynomial_subtract_product(&r->away, &square, &r->size);
    polynomial_clear(&square);
}

static void negate(polynomial *p)
{
    for (int i = 0; i <= p->degree; i++)
        mpz_neg(p->c[i], p->c[i]);
}

/* 0 is over the inside if it is on the same side of all sides. */
static void oracle_near_add_inside(polygon *p)
{
    part *r = &p->part[p->parts++];
    polynomial height;
    vectors_dot(&height, p->edge[0], p->normal);
    polynomial_init(&r->away);
    polynomial_add_product(&r->away, &height, &height);
    polynomial_clear(&height);
    vectors_dot(&r->size, p->normal, p->normal);
    r->bounds = p->corners;
    for (int i = 0; i < p->corners; i++)
        vectors_dot(&r->within[i], p->area[i], p->normal);
    oracle_near_subtract_distance(r, p);
}

static void oracle_near_add_side(polygon *p, int i)
{
    part *r = &p->part[p->parts++];
    vectors_dot(&r->away, p->area[i], p->area[i]);
    vectors_dot(&r->size, p->side[i], p->side[i]);
    r->bounds = 2;
    vectors_dot(&r->within[0], p->edge[i], p->side[i]);
    negate(&r->within[0]);
    vectors_dot(&r->within[1], p->edge[(i + 1) % p->corners], p->side[i]);
    oracle_near_subtract_distance(r, p);
}

static void oracle_near_add_corner(polygon *p, int i)
{
    part *r = &p->part[p->parts++];
    vectors_dot(&r->away, p->edge[i], p->edge[i]);
    polynomial_init(&r->size);
    mpz_set_ui(r->size.c[0], 1);
    r->size.degree = 0;
    r->bounds = 0;
    oracle_near_subtract_distance(r, p);
}

static void oracle_near_polygon_open(polygon *p, int vertex_face, const oracle_ccd_points *points,
                                     double distance)
{
    static const int ends[2][CORNERS][2] = {{{0, 2}, {1, 2}, {1, 3}, {0, 3}},
                                            {{0, 3}, {1, 3}, {2, 3}}};
    p->corners = vertex_face ? 3 : 4;
    p->parts = 0;
    vectors_read(points->at, distance, p->at, p->distance);
    for (int i = 0; i < p->corners; i++)
        vectors_between(p->edge[i], p->at[ends[vertex_face][i][1]], p->at[ends[vertex_face][i][0]]);
    for (int i = 0; i < p->corners; i++) {
        vectors_between(p->side[i], p->edge[i], p->edge[(i + 1) % p->corners]);
        vectors_cross(p->area[i], p->edge[i], p->edge[(i + 1) % p->corners]);
    }
    vectors_cross(p->normal, p->side[0], p->side[1]);
    oracle_near_add_inside(p);
    for (int i = 0; i < p->corners; i++) {
        oracle_near_add_side(p, i);
        oracle_near_add_corner(p, i);
    }
}

static void oracle_near_polygon_close(polygon *p)
{
    vectors_clear(4, p->at);
    vectors_clear(p->corners, p->edge);
    vectors_clear(p->corners, p->side);
    vectors_clear(p->corners, p->area);
    vectors_clear(1, &p->normal);
    mpz_clear(p->distance);
    for (int i = 0; i < p->parts; i++) {
        polynomial_clear(&p->part[i].away);
        polynomial_clear(&p->part[i].size);
        for (int k = 0; k < p->part[i].bounds; k++)
            polynomial_clear(&p->part[i].within[k]);
    }
}

/* ---- when */

/* Is what is nearest of its plane, line or point in it? */
static int oracle_near_part_holds(const part *r, const oracle_root *t)
{
    if (oracle_root_sign(t, &r->size) <= 0)
        return 0;
    for (int i = 0; i < r->bounds; i++)
        if (oracle_root_sign(t, &r->within[i]) < 0)
            return 0;
    return 1;
}

/* The first root of `of` at which the part holds becomes *toi if that is earlier. */
static void oracle_near_try_roots(const part *r, const polynomial *of, double *toi)
{
    oracle_roots all;
    if (of->degree < 1)
        return;
    oracle_roots_open(&all, of);
    int i = 0;
    while (i < all.count && !oracle_near_part_holds(r, &all.at[i]))
        i++;
    if (i < all.count) {
        const double x = oracle_root_rounded_down(&all.at[i]);
        *toi = x < *toi ? x : *toi;
    }
    oracle_roots_close(&all);
}

static int oracle_near_at_start(const polygon *p)
{
    oracle_root start;
    int near = 0;
    oracle_root_start(&start);
    for (int i = 0; i < p->parts && !near; i++)
        near = oracle_root_sign(&start, &p->part[i].away) <= 0 &&
               oracle_near_part_holds(&p->part[i], &start);
    oracle_root_close(&start);
    return near;
}

/* Distances change without leaps: the first instant after the start has the very distance, of a
 * part that holds then. If that part has this distance at all instants it has not held before, so
 * that the sign of a bound changes. */
static double oracle_near_first_toi(const polygon *p)
{
    double toi = 2; /* beyond the end */
    if (oracle_near_at_start(p))
        return 0;
    for (int i = 0; i < p->parts; i++) {
        const part *r = &p->part[i];
        oracle_near_try_roots(r, &r->away, &toi);
        for (int k = 0; k < r->bounds && r->away.degree < 0; k++)
            oracle_near_try_roots(r, &r->within[k], &toi);
    }
    return toi;
}

int oracle_ccd_first_near(int vertex_face, const oracle_ccd_points *p, double distance, double *toi)
{
    polygon difference;
    oracle_near_polygon_open(&difference, vertex_face, p, distance);
    const double first = oracle_near_first_toi(&difference);
    oracle_near_polygon_close(&difference);
    if (first <= 1)
        *toi = first;
    return first <= 1;
}
