/* See oracle_solid.h. */
#include "oracle_solid.h"

#include "oracle_apart.h"
#include "oracle_rational.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* 48 pairs of an edge of one and a face of the other, each with at most three points where the edge
 * is in the plane of the face, and 8 corners. */
#define POINTS_MOST 152

typedef struct solid_truth {
    vec corner[2][4];
    int corners[2];
    vec point[POINTS_MOST]; /* all common points that a contact lists, each once */
    int points;
    int inside[2][4]; /* is that vertex in the other? */
} solid_truth;

/* ---- hulls */

/* Is x a mean of just these of four points, with weights that are not negative (or are positive)?
 */
static int mean_of(const vec *x, const vec *p, int set, int positive)
{
    matrix m;
    int n = 0, found;
    matrix_init(&m, 4, __builtin_popcount((unsigned)set));
    for (int v = 0; v < 4; v++) {
        if (!(set >> v & 1))
            continue;
        for (int k = 0; k < 3; k++)
            mpq_set(m.at[k][n], p[v].x[k]);
        mpq_set_ui(m.at[3][n++], 1, 1);
    }
    for (int k = 0; k < 3; k++)
        mpq_set(m.at[k][n], x->x[k]);
    mpq_set_ui(m.at[3][n], 1, 1);
    found = matrix_solve(&m) && all_at_least_0(&m);
    for (int i = 0; i < n && positive; i++)
        found = found && mpq_sgn(m.at[i][n]) > 0;
    matrix_clear(&m);
    return found;
}

static int in_hull(const vec *x, const vec *p, int corners)
{
    for (int set = 1; set < 1 << corners; set++)
        if (mean_of(x, p, set, 0))
            return 1;
    return 0;
}

/* ---- common points */

static void add_point(solid_truth *t, const vec *x)
{
    for (int i = 0; i < t->points; i++)
        if (vec_equal(&t->point[i], x))
            return;
    vec_init(&t->point[t->points]);
    vec_set(&t->point[t->points++], x);
}

/* Each common point of two hulls that is extreme is a vertex of one in the other, or a point of an
 * edge of one and a face of the other. Both are found here by the definition, for all edges and all
 * triples of corners, so that flat tetrahedra need no cases of their own. */
static void set_difference(mpq_t out, const vec *a, const vec *b, int k)
{
    mpq_sub(out, a->x[k], b->x[k]);
}

/* a + s (b - a) */
static void add_on_edge(solid_truth *t, const vec *a, const vec *b, const mpq_t s)
{
    vec x;
    vec_init(&x);
    vec_subtract(&x, b, a);
    for (int k = 0; k < 3; k++) {
        mpq_mul(x.x[k], x.x[k], s);
        mpq_add(x.x[k], x.x[k], a->x[k]);
    }
    add_point(t, &x);
    vec_clear(&x);
}

/* a + s (b - a) = c + u (d - c) */
static void edge_edge(solid_truth *t, const vec *a, const vec *b, const vec *c, const vec *d)
{
    matrix m;
    matrix_init(&m, 3, 2);
    for (int k = 0; k < 3; k++) {
        set_difference(m.at[k][0], b, a, k);
        set_difference(m.at[k][1], c, d, k);
        set_difference(m.at[k][2], c, a, k);
    }
    if (matrix_solve(&m) && all_at_least_0(&m) && all_at_most_1(&m))
        add_on_edge(t, a, b, m.at[0][2]);
    matrix_clear(&m);
}

/* a + s (b - a) = c + u (d - c) + v (e - c) */
static void edge_face(solid_truth *t, const vec *a, const vec *b, const vec *const f[3])
{
    matrix m;
    mpq_t sum;
    mpq_init(sum);
    matrix_init(&m, 3, 3);
    for (int k = 0; k < 3; k++) {
        set_difference(m.at[k][0], b, a, k);
        set_difference(m.at[k][1], f[0], f[1], k);
        set_difference(m.at[k][2], f[0], f[2], k);
        set_difference(m.at[k][3], f[0], a, k);
    }
    /* none or many solutions: the edge is parallel to the face; in its plane it may cross the
     * face's edges */
    int one = matrix_solve(&m);
    if (one && all_at_least_0(&m) && all_at_most_1(&m)) {
        mpq_add(sum, m.at[1][3], m.at[2][3]);
        if (mpq_cmp_ui(sum, 1, 1) <= 0)
            add_on_edge(t, a, b, m.at[0][3]);
    }
    for (int i = 0; i < 3 && !one; i++)
        edge_edge(t, a, b, f[i], f[(i + 1) % 3]);
    matrix_clear(&m);
    mpq_clear(sum);
}

/* Edges of one side with the faces of the other. */
static void edges_faces(solid_truth *t, int side)
{
    const vec *p = t->corner[side], *q = t->corner[!side];
    int n = t->corners[side], other = t->corners[!side];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int set = 0; set < 1 << other; set++) {
                const vec *f[3] = {q, q, q};
                int c = 0;
                if (__builtin_popcount((unsigned)set) != 3)
                    continue;
                for (int v = 0; v < other; v++)
                    if (set >> v & 1)
                        f[c++] = &q[v];
                edge_face(t, &p[i], &p[j], f);
            }
}

/* Finds all common points, and which vertices are in the other. */
static void truth_open(solid_truth *t, const solid_case *c)
{
    t->points = 0;
    for (int s = 0; s < 2; s++) {
        t->corners[s] = c->corners[s];
        for (int v = 0; v < 4; v++) {
            vec_init(&t->corner[s][v]);
            for (int k = 0; k < 3 && v < c->corners[s]; k++)
                mpq_set_d(t->corner[s][v].x[k], c->x[s][v][k]);
        }
    }
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < t->corners[s]; v++) {
            t->inside[s][v] = in_hull(&t->corner[s][v], t->corner[!s], t->corners[!s]);
            if (t->inside[s][v])
                add_point(t, &t->corner[s][v]);
        }
    edges_faces(t, 0);
    edges_faces(t, 1);
}

static void truth_close(solid_truth *t)
{
    for (int i = 0; i < t->points; i++)
        vec_clear(&t->point[i]);
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < 4; v++)
            vec_clear(&t->corner[s][v]);
}

/* ---- interiors, points, ends */

/* Dimension of the hull of some points. */
static int dimension(const vec *p, int n)
{
    int rank = 0;
    matrix m;
    matrix_init(&m, 4, 3);
    /* the rows so far, reduced, and one more */
    for (int i = 1; i < n && rank < 3; i++) {
        for (int k = 0; k < 3; k++)
            set_difference(m.at[rank][k], &p[i], &p[0], k);
        mpq_set_ui(m.at[rank][3], 0, 1);
        m.rows = rank + 1;
        rank = matrix_reduce(&m);
    }
    matrix_clear(&m);
    return n ? rank : -1;
}

static void mean(const vec *p, int n, vec *out)
{
    mpq_t count;
    mpq_init(count);
    mpq_set_ui(count, (unsigned)n, 1);
    for (int k = 0; k < 3; k++) {
        mpq_set_ui(out->x[k], 0, 1);
        for (int i = 0; i < n; i++)
            mpq_add(out->x[k], out->x[k], p[i].x[k]);
        mpq_div(out->x[k], out->x[k], count);
    }
    mpq_clear(count);
}

/* Two interiors meet if what the solids have in common has a volume; a triangle meets an interior
 * if the middle of what it has in common with the solid is there. */
static int meet_within(const solid_truth *t)
{
    int solid[2], side;
    for (int s = 0; s < 2; s++)
        solid[s] = t->corners[s] == 4 && dimension(t->corner[s], 4) == 3;
    if (!t->points || (t->corners[0] == 4 && !solid[0]) || (t->corners[1] == 4 && !solid[1]))
        return 0;
    if (solid[0] && solid[1])
        return dimension(t->point, t->points) == 3;
    side = solid[1];
    vec middle;
    vec_init(&middle);
    mean(t->point, t->points, &middle);
    int found = mean_of(&middle, t->corner[side], 15, 1);
    vec_clear(&middle);
    return found;
}

/* Is x the point p, each coordinate rounded to nearest? */
static int rounds_each(const vec *p, const double x[3])
{
    return rounds_to(p->x[0], x[0]) && rounds_to(p->x[1], x[1]) && rounds_to(p->x[2], x[2]);
}

/* Each common point must be claimed, and each claimed point be one: rounding may make two of them
 * equal. */
static const char *points_fault(const solid_truth *t, const solid_claim *claim)
{
    int used[POINTS_MOST] = {0};
    if (claim->count > POINTS_MOST)
        return "a collision point too many";
    for (int i = 0; i < t->points; i++) {
        int at = 0;
        while (at < claim->count && !rounds_each(&t->point[i], claim->point + 3 * (ptrdiff_t)at))
            at++;
        if (at == claim->count)
            return "a collision point is missing, or rounded wrong";
        used[at] = 1;
    }
    for (int i = 0; i < claim->count; i++) {
        if (!used[i])
            return "a collision point too many";
        for (int k = 0; k < 3; k++)
            if (claim->point[3 * i + k] == 0 && signbit(claim->point[3 * i + k]))
                return "-0";
    }
    return NULL;
}

static int point_order(const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int vec_order(const vec *a, const vec *b)
{
    for (int k = 0; k < 3; k++)
        if (mpq_cmp(a->x[k], b->x[k]))
            return mpq_cmp(a->x[k], b->x[k]);
    return 0;
}

/* The two points that are farthest apart, of ties the least pair. */
static void find_ends(const solid_truth *t, const vec *end[2])
{
    vec way;
    mpq_t most, d;
    vec_init(&way);
    mpq_init(most);
    mpq_init(d);
    end[0] = end[1] = &t->point[0];
    for (int i = 0; i < t->points; i++)
        for (int j = 0; j < i; j++) {
            int turn = vec_order(&t->point[i], &t->point[j]) > 0;
            const vec *a = &t->point[turn ? j : i], *b = &t->point[turn ? i : j];
            vec_subtract(&way, a, b);
            vec_dot(d, &way, &way);
            int far = mpq_cmp(d, most), less = vec_order(a, end[0]);
            less = less ? less : vec_order(b, end[1]);
            if (far < 0 || (!far && less >= 0))
                continue;
            mpq_set(most, d);
            end[0] = a;
            end[1] = b;
        }
    vec_clear(&way);
    mpq_clear(most);
    mpq_clear(d);
}

static const char *order_fault(const solid_claim *claim)
{
    for (int i = 1; i < claim->count; i++)
        if (point_order(claim->point + 3 * (ptrdiff_t)(i - 1), claim->point + 3 * (ptrdiff_t)i) >=
            0)
            return "collision points are out of order";
    return NULL;
}

static const char *ends_fault(const solid_truth *t, const solid_claim *claim)
{
    const vec *end[2];
    const double *a = claim->ends, *b = claim->ends + 3;
    if (point_order(a, b) > 0)
        return "the ends are out of order";
    find_ends(t, end);
    return (rounds_each(end[0], a) && rounds_each(end[1], b)) ||
                   (rounds_each(end[0], b) && rounds_each(end[1], a))
               ? NULL
               : "the ends are not the two that are farthest apart";
}

/* ---- depth */

/* The square of the distance of x from the plane of three points, which are not on a line. */
static void plane_distance(mpq_t out, const vec *x, const vec *const f[3])
{
    vec u, v, n;
    mpq_t square;
    vec_init(&u);
    vec_init(&v);
    vec_init(&n);
    mpq_init(square);
    vec_subtract(&u, f[1], f[0]);
    vec_subtract(&v, f[2], f[0]);
    vec_cross(&n, &u, &v);
    vec_subtract(&u, x, f[0]);
    vec_dot(out, &u, &n);
    vec_dot(square, &n, &n);
    mpq_mul(out, out, out);
    mpq_div(out, out, square);
    vec_clear(&u);
    vec_clear(&v);
    vec_clear(&n);
    mpq_clear(square);
}

/* The square of the depth. */
static void find_depth(const solid_truth *t, mpq_t out)
{
    mpq_t least, d;
    mpq_init(least);
    mpq_init(d);
    mpq_set_ui(out, 0, 1);
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < t->corners[s]; v++) {
            const vec *q = t->corner[!s];
            if (!t->inside[s][v] || t->corners[!s] < 4 || dimension(q, 4) < 3)
                continue;
            for (int f = 0; f < 4; f++) {
                const vec *const face[3] = {&q[f == 0], &q[f < 2 ? 2 : 1], &q[f < 3 ? 3 : 2]};
                plane_distance(d, &t->corner[s][v], face);
                if (!f || mpq_cmp(d, least) < 0)
                    mpq_set(least, d);
            }
            if (mpq_cmp(least, out) > 0)
                mpq_set(out, least);
        }
    mpq_clear(least);
    mpq_clear(d);
}

/* Is `claim` within 1e-9 of the root of `square`, or of the least denormal? */
static int depth_good(mpq_t square, double claim)
{
    mpq_t lo, hi;
    double slack = fmax(1e-9 * claim, 0x1p-1073);
    if (!(claim >= 0) || !isfinite(claim))
        return 0;
    mpq_init(lo);
    mpq_init(hi);
    mpq_set_d(lo, claim > slack ? claim - slack : 0);
    mpq_set_d(hi, fmin(claim + slack, DBL_MAX));
    mpq_mul(lo, lo, lo);
    mpq_mul(hi, hi, hi);
    int good = mpq_cmp(lo, square) <= 0 && mpq_cmp(square, hi) <= 0;
    mpq_clear(lo);
    mpq_clear(hi);
    return good;
}

/* ---- answers */

int solid_meet(const solid_case *c, int within)
{
    solid_truth t;
    if (oracle_apart(c->corners, c->x, within))
        return 0;
    truth_open(&t, c);
    const int meet = within ? meet_within(&t) : t.points > 0;
    truth_close(&t);
    return meet;
}

static const char *where_fault(const solid_truth *t, const solid_claim *claim)
{
    const char *fault = claim->ends ? ends_fault(t, claim) : NULL;
    if (fault || claim->count < 0)
        return fault;
    fault = points_fault(t, claim);
    fault = fault ? fault : order_fault(claim);
    mpq_t depth;
    mpq_init(depth);
    find_depth(t, depth);
    if (!fault && !depth_good(depth, claim->depth))
        fault = "another depth";
    mpq_clear(depth);
    return fault;
}

const char *solid_fault(const solid_case *c, const solid_claim *claim)
{
    solid_truth t;
    const char *fault = NULL;
    const int solid = c->corners[0] == 4 || c->corners[1] == 4;
    truth_open(&t, c);
    if ((t.points && oracle_apart(c->corners, c->x, 0)) ||
        (solid && oracle_apart(c->corners, c->x, 1) && meet_within(&t)))
        fault = "the oracle contradicts itself";
    else if (claim->meet != (t.points > 0))
        fault = t.points ? "they do meet" : "they do not meet";
    else if (solid && claim->within >= 0 && claim->within != meet_within(&t))
        fault = claim->within ? "they do not meet within" : "they do meet within";
    else if (claim->meet)
        fault = where_fault(&t, claim);
    truth_close(&t);
    return fault;
}
