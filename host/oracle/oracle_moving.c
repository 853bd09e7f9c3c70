/* See oracle_moving.h. */
#include "oracle_moving.h"

#include "oracle_root.h"
#include "oracle_vectors.h"

/* A feature of two corners, and a point. They meet where `away` is 0 and `between` is not more. */
typedef struct on_edge {
    polynomial
        away; /* the square of the cross product of the vectors to the point and along the edge */
    polynomial between; /* the scalar product of the vectors from the point to both ends */
} on_edge;

#define EDGES 4   /* of a face and a vertex 3, of two edges the ends of both */
#define WEIGHTS 4 /* of a face's corners 3, of both edges' ends */

/* Signs at one instant say whether the features meet then: `height` is 0, and if `area` is not, no
 * weight is negative; else an end of one or the vertex is on an edge. */
typedef struct oracle_ccd_pair {
    polynomial_vector at[4];
    polynomial height;
    polynomial area; /* the square of the normal, by which weights are multiplied */
    int weights, edges;
    polynomial weight[WEIGHTS];
    on_edge edge[EDGES]; /* made when they are needed */
} oracle_ccd_pair;

/* ---- what the definition compares */

/* Of a vertex p over a face: p - a = u e + v f, where e and f are vectors from corner a to the
 * others. Of two edges from a along e and from b along f: a + u e = b + v f. By the cross product
 * with f and with e, u and v times the normal e x f. */
static void oracle_ccd_find_weights(oracle_ccd_pair *m, int vertex_face)
{
    polynomial_vector v[6]; /* e f g, the normal, and weights times it */
    vectors_between(v[0], m->at[0], m->at[1]);
    vectors_between(v[1], m->at[vertex_face ? 0 : 2], m->at[vertex_face ? 2 : 3]);
    vectors_between(v[2], m->at[0], m->at[vertex_face ? 3 : 2]);
    vectors_cross(v[3], v[0], v[1]);
    vectors_cross(v[4], v[2], v[1]);
    vectors_cross(v[5], v[vertex_face ? 0 : 2], v[vertex_face ? 2 : 0]);
    vectors_dot(&m->height, v[3], v[2]);
    vectors_dot(&m->area, v[3], v[3]);
    vectors_dot(&m->weight[0], v[4], v[3]);
    vectors_dot(&m->weight[1], v[5], v[3]);
    m->weights = vertex_face ? 3 : 4;
    for (int i = 2; i < WEIGHTS; i++)
        polynomial_init(&m->weight[i]);
    polynomial_subtract(&m->weight[2], &m->area, &m->weight[0]);
    polynomial_subtract(&m->weight[m->weights - 1], vertex_face ? &m->weight[2] : &m->area,
                        &m->weight[1]);
    vectors_clear(6, v);
}

static void oracle_ccd_pair_open(oracle_ccd_pair *m, int vertex_face, const oracle_ccd_points *p)
{
    mpz_t none;
    vectors_read(p->at, 0, m->at, none);
    mpz_clear(none);
    m->edges = 0;
    oracle_ccd_find_weights(m, vertex_face);
}

static void oracle_ccd_pair_close(oracle_ccd_pair *m)
{
    vectors_clear(4, m->at);
    polynomial_clear(&m->height);
    polynomial_clear(&m->area);
    for (int i = 0; i < WEIGHTS; i++)
        polynomial_clear(&m->weight[i]);
    for (int i = 0; i < m->edges; i++) {
        polynomial_clear(&m->edge[i].away);
        polynomial_clear(&m->edge[i].between);
    }
}

static void oracle_ccd_make_edge(oracle_ccd_pair *m, int from, int to, int point)
{
    on_edge *e = &m->edge[m->edges++];
    polynomial_vector v[4]; /* along the edge, to both ends, and the cross product */
    vectors_between(v[0], m->at[from], m->at[to]);
    vectors_between(v[1], m->at[point], m->at[from]);
    vectors_between(v[2], m->at[point], m->at[to]);
    vectors_cross(v[3], v[0], v[1]);
    vectors_dot(&e->away, v[3], v[3]);
    vectors_dot(&e->between, v[1], v[2]);
    vectors_clear(4, v);
}

/* A face without area is the union of its edges (Caratheodory). Edges along one line that meet have
 * an end of one on the other. */
static void oracle_ccd_make_edges(oracle_ccd_pair *m)
{
    static const int ends[2][EDGES][3] = {{{2, 3, 0}, {2, 3, 1}, {0, 1, 2}, {0, 1, 3}},
                                          {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    const int face = m->weights == 3;
    for (int i = m->edges; i < m->weights && i < EDGES; i++)
        oracle_ccd_make_edge(m, ends[face][i][0], ends[face][i][1], ends[face][i][2]);
}

/* ---- when */

static int oracle_ccd_meet_at(oracle_ccd_pair *m, const oracle_root *t)
{
    if (oracle_root_sign(t, &m->height))
        return 0;
    const int flat = !oracle_root_sign(t, &m->area);
    for (int i = 0; i < m->weights && !flat; i++)
        if (oracle_root_sign(t, &m->weight[i]) < 0)
            return 0;
    if (!flat)
        return 1;
    oracle_ccd_make_edges(m);
    for (int i = 0; i < m->edges; i++)
        if (!oracle_root_sign(t, &m->edge[i].away) && oracle_root_sign(t, &m->edge[i].between) <= 0)
            return 1;
    return 0;
}

/* The first root of p at which they meet becomes *toi if that is earlier. Rounding keeps the
 * order. */
static void oracle_ccd_try_roots(oracle_ccd_pair *m, const polynomial *p, double *toi)
{
    oracle_roots r;
    if (p->degree < 1)
        return;
    oracle_roots_open(&r, p);
    int i = 0;
    while (i < r.count && !oracle_ccd_meet_at(m, &r.at[i]))
        i++;
    if (i < r.count) {
        const double x = oracle_root_rounded_down(&r.at[i]);
        *toi = x < *toi ? x : *toi;
    }
    oracle_roots_close(&r);
}

/* The instants at which they meet are a closed set, and it begins where a sign changes: at a root
 * of what is compared and not 0 all the way. */
static void oracle_ccd_try_all(oracle_ccd_pair *m, double *toi)
{
    oracle_ccd_make_edges(m);
    oracle_ccd_try_roots(m, &m->area, toi);
    for (int i = 0; i < m->weights; i++)
        oracle_ccd_try_roots(m, &m->weight[i], toi);
    for (int i = 0; i < m->edges; i++) {
        oracle_ccd_try_roots(m, &m->edge[i].away, toi);
        oracle_ccd_try_roots(m, &m->edge[i].between, toi);
    }
}

int oracle_ccd_first(int vertex_face, const oracle_ccd_points *p, double *toi)
{
    oracle_ccd_pair m;
    oracle_root start;
    double first = 2; /* beyond the end */
    oracle_ccd_pair_open(&m, vertex_face, p);
    oracle_root_start(&start);
    if (oracle_ccd_meet_at(&m, &start))
        first = 0;
    else if (m.height.degree >= 0)
        oracle_ccd_try_roots(&m, &m.height, &first);
    else
        oracle_ccd_try_all(&m, &first);
    oracle_root_close(&start);
    oracle_ccd_pair_close(&m);
    if (first <= 1)
        *toi = first;
    return first <= 1;
}
