/* See truth.h. */
#include "truth.h"

#include "frame.h"
#include "oracle_ccd.h"

#include <math.h>
#include <string.h>

#define HALVES 40
#define TESTS_MOST 4000 /* per pair: after that, no earlier time is searched for */

/* ---- a pair */

/* Features of both primitives as corner numbers. */
typedef struct feature_corners {
    int vertex_face, of[4], corner[4];
} feature_corners;

typedef struct turning_pair {
    rigid_mover of[2];
    real from[2][3]; /* origin of positions, at both ends of the step */
    int features;
    feature_corners feature[68];
    real distance;
} turning_pair;

int truth_rigid_ccd(const truth_case *c, uint32_t a, uint32_t b)
{
    if (c->frames < 2)
        return 0;
    const int64_t x = oracle_rigid_turning_body(c->f[0], c->f[1], a),
                  y = oracle_rigid_turning_body(c->f[0], c->f[1], b);
    return x < 0 && y < 0 ? 0 : x == y ? 2 : 1;
}

static int corner_of(const rigid_mover *m, uint32_t vertex)
{
    for (int k = 0; k < m->corners; k++)
        if (m->vertex[k] == vertex)
            return k;
    return 0;
}

/* Excludes features that share a vertex, and edges from a vertex to itself. */
static void feature_add(turning_pair *p, int vertex_face, int first, const uint32_t vertex[4])
{
    const int cut = vertex_face ? 3 : 2;
    feature_corners f = {.vertex_face = vertex_face};
    if (!vertex_face && (vertex[0] == vertex[1] || vertex[2] == vertex[3]))
        return;
    for (int k = 0; k < 4; k++) {
        f.of[k] = k < cut ? first : !first;
        f.corner[k] = corner_of(&p->of[f.of[k]], vertex[k]);
        for (int j = 0; j < cut && k >= cut; j++)
            if (vertex[j] == vertex[k])
                return;
    }
    p->feature[p->features++] = f;
}

static void add_faces(const imp_mesh *m, turning_pair *p, int on, uint32_t prim)
{
    uint32_t vertex[4];
    for (int f = 0; f < feature_face_count(m, prim); f++)
        for (int v = 0; v < p->of[!on].corners; v++) {
            feature_face_vertices(m, prim, f, vertex);
            vertex[3] = p->of[!on].vertex[v];
            feature_add(p, 1, on, vertex);
        }
}

static turning_pair truth_rigid_ccd_pair(const truth_case *c, uint32_t a, uint32_t b)
{
    const imp_mesh *m = c->f[0]->mesh;
    turning_pair p = {
        .of = {rigid_mover_of(c->f[0], c->f[1], a), rigid_mover_of(c->f[0], c->f[1], b)},
        .distance = c->def->min_separation};
    uint32_t vertex[4];
    rigid_movers_relate(p.of, p.from);
    add_faces(m, &p, 0, a);
    add_faces(m, &p, 1, b);
    for (int i = 0; i < feature_edge_count(m, a); i++)
        for (int j = 0; j < feature_edge_count(m, b); j++) {
            feature_edge_vertices(m, a, i, vertex);
            feature_edge_vertices(m, b, j, vertex + 2);
            feature_add(&p, 0, 0, vertex);
        }
    return p;
}

/* ---- at one time */

typedef struct places {
    real x[2][4][3];
} places;

static places places_at(const rigid_mover m[2], real toi)
{
    places out;
    rigid_mover_place(&m[0], toi, out.x[0]);
    rigid_mover_place(&m[1], toi, out.x[1]);
    return out;
}

static real feature_distance(const feature_corners *f, const places *at)
{
    real x[4][3];
    for (int k = 0; k < 4; k++)
        memcpy(x[k], at->x[f->of[k]][f->corner[k]], sizeof x[k]);
    return oracle_rigid_features_distance(f->vertex_face, (const real(*)[3])x);
}

static real pair_distance(const turning_pair *p, const places *at)
{
    real least = INFINITY;
    for (int i = 0; i < p->features; i++)
        least = fminl(least, feature_distance(&p->feature[i], at));
    return least;
}

/* Returns whether an edge of one, between any two of its corners, passes through a face of the
 * other without sharing a vertex. */
static int truth_rigid_ccd_pierces(const turning_pair *p, const places *at, int on)
{
    static const int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const rigid_mover *m = &p->of[on], *n = &p->of[!on];
    for (int f = 0; f < (m->corners == 4 ? 4 : 1); f++)
        for (int i = 0; i < n->corners; i++)
            for (int j = i + 1; j < n->corners; j++) {
                real edge[2][3], face[3][3];
                int shared = 0;
                for (int k = 0; k < 3; k++) {
                    memcpy(face[k], at->x[on][faces[f][k]], sizeof face[k]);
                    shared |= m->vertex[faces[f][k]] == n->vertex[i] ||
                              m->vertex[faces[f][k]] == n->vertex[j];
                }
                memcpy(edge[0], at->x[!on][i], sizeof edge[0]);
                memcpy(edge[1], at->x[!on][j], sizeof edge[1]);
                if (!shared &&
                    oracle_rigid_edge_pierces((const real(*)[3])edge, (const real(*)[3])face))
                    return 1;
            }
    return 0;
}

/* ---- search for a contact */

typedef struct truth_rigid_ccd_scan {
    const turning_pair *p;
    rigid_mover of[2]; /* in one direction of rotation */
    real first;
    int tests_made;
    real rounded;
} truth_rigid_ccd_scan;

static int truth_rigid_ccd_meet_at(const truth_rigid_ccd_scan *l, const places *at, real distance)
{
    const turning_pair *p = l->p;
    return distance < p->distance - l->rounded ||
           (!(p->distance > 0) &&
            (truth_rigid_ccd_pierces(p, at, 0) || truth_rigid_ccd_pierces(p, at, 1)));
}

/* In order of time, so that the first toi is found soon and later times are skipped. */
static void truth_rigid_ccd_search(truth_rigid_ccd_scan *l, real from, real to, int halves)
{
    const real middle = (from + to) / 2;
    if (from >= l->first || l->tests_made++ > TESTS_MOST)
        return;
    const places at = places_at(l->of, middle);
    const real distance = pair_distance(l->p, &at);
    if (truth_rigid_ccd_meet_at(l, &at, distance))
        l->first = fminl(l->first, middle);
    const real reach = rigid_mover_reach(l->of, (to - from) / 2);
    if (!halves || distance > l->p->distance + reach || reach < l->rounded)
        return;
    truth_rigid_ccd_search(l, from, middle, halves - 1);
    truth_rigid_ccd_search(l, middle, to, halves - 1);
}

/* Upper limit of a distance's error: a face or two edges may be nearly parallel to their
 * surroundings, which costs digits. */
static real rounding(const turning_pair *p)
{
    return 1e-15L * (p->of[0].most + p->of[1].most);
}

int truth_rigid_ccd_meets(const truth_case *c, uint32_t a, uint32_t b, double *toi)
{
    const turning_pair p = truth_rigid_ccd_pair(c, a, b);
    truth_rigid_ccd_scan l = {.p = &p, .first = 2, .rounded = rounding(&p)};
    for (int i = 0; i <= p.of[0].either; i++)
        for (int j = 0; j <= p.of[1].either; j++) {
            l.of[0] = p.of[0];
            l.of[1] = p.of[1];
            if (i)
                rigid_mover_reverse(&l.of[0]);
            if (j)
                rigid_mover_reverse(&l.of[1]);
            l.tests_made = 0;
            truth_rigid_ccd_search(&l, 0, 1, HALVES);
        }
    *toi = (double)l.first;
    return l.first <= 1;
}

/* ---- rows */

/* Half of the largest extent of both frames' primitives with finite vertices. */
static double truth_rigid_ccd_half_extent(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < m->primitives; i++) {
            double x[4][3];
            int finite = 1;
            truth_read(f, i, x);
            for (int v = 0; v < 3 * truth_corners(m, i); v++)
                finite &= isfinite(x[v / 3][v % 3]) != 0;
            for (int v = 0; v < truth_corners(m, i) && finite; v++) {
                lo = fmin(lo, x[v][k]);
                hi = fmax(hi, x[v][k]);
            }
        }
        most = lo <= hi ? fmax(most, 0.5 * hi - 0.5 * lo) : most;
    }
    return most;
}

double truth_rigid_ccd_tolerance(const imp_frame *f, const imp_frame *next, const imp_def *def)
{
    return def->tolerance > 0
               ? def->tolerance
               : 2e-6 * fmax(truth_rigid_ccd_half_extent(f), truth_rigid_ccd_half_extent(next));
}

/* Checks that these features belong to the two primitives. Then returns their vertices, the face's
 * first. */
static int claimed_vertices(const imp_mesh *m, const truth_rigid_ccd_claim *c, int *first,
                            uint32_t vertex[4])
{
    const int64_t g[2] = {c->feature_a, c->feature_b};
    const uint32_t prim[2] = {c->a, c->b};
    if (c->kind == IMP_KIND_EDGE_EDGE) {
        *first = 0;
        for (int s = 0; s < 2; s++) {
            if (g[s] < 0 || g[s] >= feature_edge_count(m, prim[s]))
                return 0;
            feature_edge_vertices(m, prim[s], (int)g[s], vertex + (size_t)2 * (size_t)s);
        }
        return 1;
    }
    *first = g[0] < 0 ? 0 : 1;
    const int64_t face = -1 - g[*first], v = g[!*first];
    if (c->kind != IMP_KIND_VERTEX_FACE || face < 0 || face >= feature_face_count(m, prim[*first]))
        return 0;
    feature_face_vertices(m, prim[*first], (int)face, vertex);
    int has = 0;
    for (int k = 0; k < truth_corners(m, prim[!*first]); k++)
        has |= v == mesh_vertex(m, prim[!*first], (uint32_t)k);
    vertex[3] = (uint32_t)v;
    return has;
}

/* Distance of a point from the first or second feature of a pair. */
static real off_feature(const feature_corners *f, const places *at, int second, const real q[3])
{
    const int cut = f->vertex_face ? 3 : 2, from = second ? cut : 0, count = second ? 4 - cut : cut;
    real x[4][3];
    for (int k = 0; k < 4; k++) {
        const int i = k < count ? from + k : from + count - 1;
        memcpy(x[k], at->x[f->of[i]][f->corner[i]], sizeof x[k]);
    }
    for (int k = 0; k < 3; k++)
        x[3][k] = q[k];
    if (count == 2) /* a triangle without area */
        memcpy(x[2], x[1], sizeof x[2]);
    return oracle_rigid_features_distance(1, (const real(*)[3])x);
}

/* Claimed points are in the frame's coordinates, so they are rounded in proportion to their
 * distance from the origin. */
static real relative_points(const turning_pair *p, const truth_rigid_ccd_claim *claim, real q[6])
{
    real most = 0;
    for (int k = 0; k < 6; k++) {
        const real toi = claim->toi;
        q[k] = claim->point[k] - ((1 - toi) * p->from[0][k % 3] + toi * p->from[1][k % 3]);
        most = fmaxl(most, fabsl(claim->point[k]));
    }
    return 0x1p-50L * most;
}

static const char *truth_rigid_ccd_points_fault(const feature_corners *f, const places *at,
                                                const real q[6], real distance, real allowed)
{
    const real one = fmaxl(off_feature(f, at, 0, q), off_feature(f, at, 1, q + 3)),
               other = fmaxl(off_feature(f, at, 0, q + 3), off_feature(f, at, 1, q));
    const real offset[3] = {q[3] - q[0], q[4] - q[1], q[5] - q[2]};
    if (fminl(one, other) > allowed)
        return "a point is not on its feature";
    return oracle_rigid_length(offset) > distance + 2 * allowed ? "two other points are nearer"
                                                                : NULL;
}

/* The rotation directions with the least distance: the row may use any of them. */
static real nearest_mover(const turning_pair *p, const feature_corners *f, real toi, places *out)
{
    real least = INFINITY;
    for (int i = 0; i <= p->of[0].either; i++)
        for (int j = 0; j <= p->of[1].either; j++) {
            rigid_mover m[2] = {p->of[0], p->of[1]};
            if (i)
                rigid_mover_reverse(&m[0]);
            if (j)
                rigid_mover_reverse(&m[1]);
            const places at = places_at(m, toi);
            const real distance = feature_distance(f, &at);
            if (!(distance < least))
                continue;
            least = distance;
            *out = at;
        }
    return least;
}

const char *truth_rigid_ccd_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                  const imp_def *def, const truth_rigid_ccd_claim *claim)
{
    const truth_case c = {.f = {f, next}, .frames = 2, .def = def};
    uint32_t vertex[4];
    int first;
    places at;
    if (truth_rigid_ccd(&c, claim->a, claim->b) != 1 || !truth_wanted(&c, claim->a, claim->b))
        return "is no pair to be tested";
    if (truth_kind(f, o, claim->a, claim->b))
        return "meets at the start";
    if (floor(claim->toi * 0x1p52) != claim->toi * 0x1p52)
        return "has a share of too many digits";
    if (!claimed_vertices(f->mesh, claim, &first, vertex))
        return "has features that it does not have";
    turning_pair p = truth_rigid_ccd_pair(&c, claim->a, claim->b);
    p.features = 0;
    feature_add(&p, claim->kind == IMP_KIND_VERTEX_FACE, first, vertex);
    if (!p.features)
        return "has features that share a vertex";
    const char *fault = contact_form_fault(claim->kind, claim->point);
    if (fault)
        return fault;
    const real rounded = rounding(&p), distance = nearest_mover(&p, p.feature, claim->toi, &at);
    const double tolerance = truth_rigid_ccd_tolerance(f, next, def);
    if (!(distance <= p.distance + tolerance * (1 + 1e-12L) + p.of[0].off + p.of[1].off + rounded))
        return "is farther apart than the tolerance";
    real q[6];
    const real allowed = relative_points(&p, claim, q) + 10 * rounded;
    return truth_rigid_ccd_points_fault(p.feature, &at, q, distance,
                                        allowed + 1e-9L * (p.of[0].radius + p.of[1].radius));
}
