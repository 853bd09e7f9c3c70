/* The vertices inside closed objects, and their depths: see truth.h. */
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "inside_oracle.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- the nearest face */

/* The face whose box's middle is nearest, of those whose sides differ. A guess: any other one is
 * right, too. */
static size_t truth_inside_guess(const inside_surface *s, const double x[3])
{
    size_t best = s->faces;
    double least = INFINITY;
    for (size_t i = 0; i < s->faces; i++) {
        double d = 0;
        for (int k = 0; k < 3; k++) {
            const double gap = fabs(0.5 * s->face[i].lo[k] + 0.5 * s->face[i].hi[k] - x[k]);
            d = gap > d ? gap : d;
        }
        if (s->differs[i] && (best == s->faces || d < least)) {
            least = d;
            best = i;
        }
    }
    return best;
}

/* Returns whether a face's box is surely farther away than `most`. */
static int truth_inside_far(const inside_face *face, const double x[3], double most)
{
    double gap[3];
    for (int k = 0; k < 3; k++) {
        const double low = face->lo[k] - x[k], high = x[k] - face->hi[k];
        gap[k] = low > high ? low : high;
        if (gap[k] > most)
            return 1;
        gap[k] = gap[k] > 0 ? gap[k] : 0;
    }
    return hypot(hypot(gap[0], gap[1]), gap[2]) * (1 - 0x1p-48) > most;
}

static void truth_inside_depth(const inside_surface *s, const double x[3], const rational_point *at,
                               inside_answer *out)
{
    inside_nearest best, next;
    inside_nearest_init(&best);
    inside_nearest_init(&next);
    out->face = truth_inside_guess(s, x);
    inside_nearest_find(&s->face[out->face], at, s->unit, &best);
    double most = nextafter(oracle_distance_rounded(&best.distance), INFINITY);
    for (size_t i = 0; i < s->faces; i++) {
        if (!s->differs[i] || truth_inside_far(&s->face[i], x, most))
            continue;
        inside_nearest_find(&s->face[i], at, s->unit, &next);
        const int order = oracle_distance_compare(&next.distance, &best.distance);
        if (order > 0 || (!order && i >= out->face))
            continue;
        const inside_nearest was = best;
        best = next;
        next = was;
        out->face = i;
        most = nextafter(oracle_distance_rounded(&best.distance), INFINITY);
    }
    out->depth = oracle_distance_rounded(&best.distance);
    inside_nearest_clear(&best);
    inside_nearest_clear(&next);
}

void inside_at(const inside_scene *s, const inside_object *of, const double x[3], int deep,
               inside_answer *out)
{
    int apart = 0;
    rational_point at;
    *out = (inside_answer){.place = INSIDE_OFF};
    for (int k = 0; k < 3; k++)
        apart |= x[k] < of->lo[k] || x[k] > of->hi[k];
    if (apart)
        return;
    point_init(&at);
    inside_point_set(&at, x, s->unit);
    out->place = inside_winding(&of->surface, &at, &out->winding);
    out->inside = out->place == INSIDE_OFF && inside_by(s->def, out->winding);
    if (out->inside && deep)
        truth_inside_depth(&of->surface, x, &at, out);
    point_clear(&at);
}

void inside_vertex(const inside_scene *s, const inside_object *of, uint32_t vertex, int deep,
                   inside_answer *out)
{
    double x[3];
    frame_vertex(s->f, vertex, x);
    inside_at(s, of, x, deep, out);
}

/* ---- rows */

typedef struct truth_inside_list {
    const inside_scene *scene;
    const uint8_t *wanted;
    truth_inside *out;
    size_t capacity;
} truth_inside_list;

static int truth_inside_add(truth_inside_list *l, const inside_object *of, const inside_use *use,
                            const inside_answer *answer)
{
    int err = IMP_OK;
    truth_inside *out = l->out;
    const inside_face *face = &of->surface.face[answer->face];
    const uint8_t differs = of->surface.differs[answer->face];
    uint32_t named[3];
    TRY(mem_fit(l->scene->mem, out->count, &l->capacity, sizeof *out->row, &out->row));
    /* the face's corners may be in another order than those that its number names */
    feature_face_vertices(l->scene->f->mesh, face->prim, face->side, named);
    const int turn = named[1] == face->vertex[1] ? 1 : -1;
    out->row[out->count++] = (truth_inside_row){.vertex = use->vertex,
                                                .a = use->prim,
                                                .b = face->prim,
                                                .winding = answer->winding,
                                                .depth = answer->depth,
                                                .side = face->side,
                                                .outward = differs == 3   ? 0
                                                           : differs == 1 ? turn
                                                                          : -turn};
out:
    return err;
}

/* The vertices of one object inside another one. */
static int truth_inside_pair(truth_inside_list *l, const inside_object *a, const inside_object *b)
{
    int err = IMP_OK;
    const inside_scene *s = l->scene;
    inside_answer *answer;
    const int64_t n = (int64_t)a->uses;
    TRY(mem_alloc(s->mem, a->uses * sizeof *answer, &answer));
#pragma omp parallel num_threads(s->threads)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < n; i++) {
            answer[i] = (inside_answer){0};
            if (!l->wanted || l->wanted[a->use[i].prim])
                inside_vertex(s, b, a->use[i].vertex, 1, &answer[i]);
        }
    }
    for (size_t i = 0; i < a->uses && !err; i++)
        if (answer[i].inside)
            err = truth_inside_add(l, b, &a->use[i], &answer[i]);
    mem_free(s->mem, answer);
out:
    return err;
}

int truth_inside_order(const void *x, const void *y)
{
    const truth_inside_row *p = x, *q = y;
    if (p->vertex != q->vertex)
        return p->vertex < q->vertex ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

int truth_inside_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted,
                      int threads, truth_inside *out)
{
    int err = IMP_OK;
    inside_scene s;
    truth_inside_list l = {.scene = &s, .wanted = wanted, .out = out};
    *out = (truth_inside){0};
    TRY(inside_scene_open(m, f, def, threads, &s));
    out->closed = s.closed;
    out->open = s.open;
    for (size_t b = 0; b < s.objects; b++)
        for (size_t a = 0; a < s.objects; a++) {
            inside_object *of = &s.object[b];
            if (!of->closed || !inside_pair_wanted(&s, &s.object[a], of) ||
                inside_boxes_apart(&s.object[a], of))
                continue;
            if (!of->surface.differs)
                TRY(inside_surface_differ(m, def, threads, &of->surface));
            TRY(truth_inside_pair(&l, &s.object[a], of));
        }
    if (out->count)
        qsort(out->row, out->count, sizeof *out->row, truth_inside_order);
out:
    inside_scene_close(&s);
    return err;
}

void truth_inside_free(mem *m, truth_inside *t)
{
    mem_free(m, t->row);
    *t = (truth_inside){0};
}

/* ---- a claim */

/* Returns whether x is at most `tolerance` from p / q 2^unit. */
static int truth_inside_near(double x, const mpz_t p, const mpz_t q, int unit, double tolerance)
{
    mpq_t want, got;
    if (!isfinite(x))
        return 0;
    mpq_init(want);
    mpq_init(got);
    mpq_set_num(want, p);
    mpq_set_den(want, q);
    mpq_canonicalize(want);
    if (unit > 0)
        mpq_mul_2exp(want, want, (mp_bitcnt_t)unit);
    else
        mpq_div_2exp(want, want, (mp_bitcnt_t)-unit);
    mpq_set_d(got, x);
    mpq_sub(got, got, want);
    mpq_abs(got, got);
    mpq_set_d(want, tolerance);
    const int near = mpq_cmp(got, want) <= 0;
    mpq_clear(want);
    mpq_clear(got);
    return near;
}

/* Each weight stands at the first corner of b with the vertex. */
static int truth_inside_weights(const imp_mesh *mesh, uint32_t b, const inside_face *face,
                                const inside_nearest *want, const double claim[4])
{
    int good = 1;
    for (uint32_t c = 0; c < 4; c++) {
        int of = -1;
        for (int k = 0; k < 3 && c < (uint32_t)truth_corners(mesh, b); k++)
            of = face->vertex[k] == mesh_vertex(mesh, b, c) ? k : of;
        good &= of < 0 ? claim[c] == 0 && !signbit(claim[c])
                       : truth_inside_near(claim[c], want->weight[of], want->scale, 0, 0x1p-48);
    }
    return good;
}

static int truth_inside_nearest(const inside_face *face, const inside_nearest *want, int unit,
                                const double claim[3])
{
    int good = 1;
    double extent = 0;
    mpz_t x;
    mpz_init(x);
    for (int k = 0; k < 3; k++)
        extent = fmax(extent, face->hi[k] - face->lo[k]);
    for (int k = 0; k < 3; k++) {
        mpz_set_ui(x, 0);
        for (int i = 0; i < 3; i++)
            mpz_addmul(x, want->weight[i], face->corner[i].v[k]);
        good &= truth_inside_near(claim[k], x, want->scale, unit,
                                  0x1p-48 * extent + 0x1p-52 * fabs(claim[k]) + 0x1p-1074);
    }
    mpz_clear(x);
    return good;
}

/* sign: that of the normal against the face's own; 0: either is right. */
static int truth_inside_normal(const inside_face *face, int sign, const double claim[3])
{
    int good[2] = {sign >= 0, sign <= 0};
    mpz_t square;
    mpf_t length, x, error;
    mpz_init(square);
    mpf_init2(length, 256);
    mpf_init2(x, 256);
    mpf_init2(error, 256);
    vector_dot(square, mpz_read(face->plane.n), mpz_read(face->plane.n));
    mpf_set_z(length, square);
    mpf_sqrt(length, length);
    for (int k = 0; k < 6; k++) {
        if (!isfinite(claim[k % 3])) {
            good[k / 3] = 0;
            continue;
        }
        mpf_set_z(x, face->plane.n[k % 3]);
        mpf_div(x, x, length);
        mpf_set_d(error, k < 3 ? claim[k % 3] : -claim[k % 3]);
        mpf_sub(error, error, x);
        mpf_abs(error, error);
        good[k / 3] &= mpf_cmp_d(error, 0x1p-50) <= 0;
    }
    mpz_clear(square);
    mpf_clear(length);
    mpf_clear(x);
    mpf_clear(error);
    return good[0] || good[1];
}

static const char *truth_inside_columns(const imp_frame *f, const truth_inside_row *row, int unit,
                                        const inside_face *face, const truth_inside_claim *claim)
{
    double x[3];
    rational_point at;
    inside_nearest want;
    const char *fault = NULL;
    frame_vertex(f, row->vertex, x);
    point_init(&at);
    inside_nearest_init(&want);
    inside_point_set(&at, x, unit);
    inside_nearest_find(face, &at, unit, &want);
    const int sign = row->outward ? row->outward : -inside_plane_sign(&face->plane, &at);
    for (int k = 0; k < 3; k++)
        fault = claim->point[k] != x[k] ? "the first point is not the vertex" : fault;
    if (!fault && !truth_inside_nearest(face, &want, unit, claim->point + 3))
        fault = "the second point is not the nearest one";
    if (!fault && !truth_inside_weights(f->mesh, row->b, face, &want, claim->barycentric))
        fault = "the weights are not those of the nearest point";
    if (!fault && !truth_inside_normal(face, sign, claim->normal))
        fault = "the normal is not the outward normal of the face";
    inside_nearest_clear(&want);
    point_clear(&at);
    return fault;
}

const char *truth_inside_fault(const imp_frame *f, const truth_inside_row *row,
                               const truth_inside_claim *claim)
{
    if (claim->winding != row->winding)
        return "another winding number";
    if (claim->depth != row->depth)
        return "another depth";
    inside_face face = {.prim = row->b, .side = row->side};
    feature_face_vertices(f->mesh, row->b, row->side, face.vertex);
    const uint32_t used[4] = {row->vertex, face.vertex[0], face.vertex[1], face.vertex[2]};
    const int unit = inside_unit(f, used, 4);
    inside_face_open(f, unit, &face);
    const char *fault = truth_inside_columns(f, row, unit, &face, claim);
    inside_face_close(&face);
    return fault;
}
