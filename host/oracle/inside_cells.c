/* A face is divided by the planes of faces that pass through it, and by the edges of faces in its
 * plane: see inside_oracle.h. */
#include "error.h"
#include "float_env.h"
#include "inside_oracle.h"

#include <omp.h>
#include <string.h>

/* ---- points */

static void inside_cells_reduce(rational_point *p, int unit)
{
    mpz_t common;
    mpz_init(common);
    mpz_gcd(common, p->v[0], p->v[1]);
    mpz_gcd(common, common, p->v[2]);
    mpz_gcd(common, common, p->v[3]);
    for (int k = 0; k < 4; k++)
        mpz_divexact(p->v[k], p->v[k], common);
    mpz_clear(common);
    point_approximate(p, unit);
}

static void inside_cells_value(const inside_plane *p, const rational_point *x, mpz_t out)
{
    vector_dot(out, mpz_read(p->n), mpz_read(x->v));
    mpz_submul(out, p->offset, x->v[3]);
}

/* The point of the segment that is on the plane; its ends are strictly on both sides. */
static void inside_cells_meet(const inside_plane *plane, const rational_point *a,
                              const rational_point *b, int unit, rational_point *out)
{
    mpz_t at_a, at_b;
    mpz_init(at_a);
    mpz_init(at_b);
    inside_cells_value(plane, a, at_a);
    inside_cells_value(plane, b, at_b);
    const int turn = mpz_sgn(at_a) < 0;
    for (int k = 0; k < 4; k++) {
        mpz_mul(out->v[k], at_a, b->v[k]);
        mpz_submul(out->v[k], at_b, a->v[k]);
        if (turn)
            mpz_neg(out->v[k], out->v[k]);
    }
    inside_cells_reduce(out, unit);
    mpz_clear(at_a);
    mpz_clear(at_b);
}

void inside_cell_point(const inside_cell *c, int attempt, int unit, rational_point *out)
{
    unsigned long weight = 1;
    for (int k = 0; k < 4; k++)
        mpz_set_ui(out->v[k], 0);
    for (int i = 0; i < c->count; i++) {
        if (attempt)
            weight = 1 + ((unsigned long)attempt * 7919 + (unsigned long)i * 104729) % 1009;
        for (int k = 0; k < 4; k++)
            mpz_addmul_ui(out->v[k], c->corner[i].v[k], weight);
    }
    inside_cells_reduce(out, unit);
}

/* ---- cells */

static void inside_cells_free(mem *m, inside_cell *c)
{
    for (int i = 0; i < c->count; i++)
        point_clear(&c->corner[i]);
    mem_free(m, c->corner);
    *c = (inside_cell){0};
}

static int inside_cells_room(mem *m, int most, inside_cell *c)
{
    *c = (inside_cell){0};
    return mem_alloc(m, (size_t)most * sizeof *c->corner, &c->corner);
}

static void inside_cells_add(inside_cell *c, const rational_point *p)
{
    point_init(&c->corner[c->count]);
    inside_point_copy(&c->corner[c->count++], p);
}

/* Takes over the cell, or frees it after an error. */
static int inside_cells_append(inside_cells *out, inside_cell *c)
{
    const int err = mem_fit(out->mem, out->count, &out->capacity, sizeof *out->cell, &out->cell);
    if (err)
        inside_cells_free(out->mem, c);
    else
        out->cell[out->count++] = *c;
    return err;
}

void inside_cells_close(inside_cells *c)
{
    for (size_t i = 0; i < c->count; i++)
        inside_cells_free(c->mem, &c->cell[i]);
    mem_free(c->mem, c->cell);
    *c = (inside_cells){0};
}

/* The face itself; without area a segment or a point. */
static int inside_cells_begin(const inside_face *face, inside_cells *out)
{
    int err = IMP_OK;
    inside_cell c;
    int low = 0, high = 0;
    TRY(inside_cells_room(out->mem, 3, &c));
    for (int i = 1; i < 3; i++) {
        low = point_compare(&face->corner[i], &face->corner[low]) < 0 ? i : low;
        high = point_compare(&face->corner[i], &face->corner[high]) > 0 ? i : high;
    }
    if (face->area) {
        for (int i = 0; i < 3; i++)
            inside_cells_add(&c, &face->corner[i]);
    } else {
        inside_cells_add(&c, &face->corner[low]);
        if (low != high)
            inside_cells_add(&c, &face->corner[high]);
    }
    err = inside_cells_append(out, &c);
out:
    return err;
}

/* ---- cuts */

/* A plane, and the segment on it that passes through a face; `whole`: through all of the plane. */
typedef struct inside_cut {
    inside_plane plane;
    int whole, ends;
    rational_point end[2];
} inside_cut;

static void inside_cells_cut_init(inside_cut *c)
{
    inside_plane_init(&c->plane);
    for (int i = 0; i < 2; i++)
        point_init(&c->end[i]);
    c->whole = c->ends = 0;
}

static void inside_cells_cut_clear(inside_cut *c)
{
    inside_plane_clear(&c->plane);
    for (int i = 0; i < 2; i++)
        point_clear(&c->end[i]);
}

static int inside_cells_lesser(const rational_point *a, const rational_point *b)
{
    return point_compare(a, b) < 0;
}

/* Returns whether two segments of one line have more than a point in common. */
static int inside_cells_overlap(const rational_point a[2], const rational_point b[2])
{
    const int x = inside_cells_lesser(&a[1], &a[0]), y = inside_cells_lesser(&b[1], &b[0]);
    return inside_cells_lesser(&a[x], &b[!y]) && inside_cells_lesser(&b[y], &a[!x]);
}

/* Divides a polygon, of which corners are strictly on both sides, into `part`. meet: two points. */
static void inside_cells_halve(const inside_cell *c, const inside_plane *plane, int unit,
                               inside_cell part[2], rational_point meet[2])
{
    int met = 0;
    for (int i = 0; i < c->count; i++) {
        const rational_point *p = &c->corner[i], *q = &c->corner[(i + 1) % c->count];
        const int at_p = inside_plane_sign(plane, p), at_q = inside_plane_sign(plane, q);
        if (at_p >= 0)
            inside_cells_add(&part[0], p);
        if (at_p <= 0)
            inside_cells_add(&part[1], p);
        if (!at_p)
            inside_point_copy(&meet[met++], p);
        if (at_p * at_q < 0 && (c->count > 2 || !met)) {
            inside_cells_meet(plane, p, q, unit, &meet[met]);
            inside_cells_add(&part[0], &meet[met]);
            inside_cells_add(&part[1], &meet[met++]);
        }
    }
}

/* The sides of a plane on which there are points: 1 in front, 2 behind. */
static int inside_cells_sides(int count, const rational_point *p, const inside_plane *plane)
{
    int sides = 0;
    for (int i = 0; i < count; i++) {
        const int sign = inside_plane_sign(plane, &p[i]);
        sides |= sign > 0 ? 1 : sign < 0 ? 2 : 0;
    }
    return sides;
}

/* Divides the cells that the cut passes through. */
static int inside_cells_cut(inside_cells *out, int unit, const inside_cut *cut)
{
    int err = IMP_OK;
    rational_point meet[2];
    const size_t before = out->count;
    for (int i = 0; i < 2; i++)
        point_init(&meet[i]);
    for (size_t i = 0; i < before; i++) {
        inside_cell *c = &out->cell[i], part[2] = {{0}, {0}};
        if (inside_cells_sides(c->count, c->corner, &cut->plane) != 3)
            continue;
        err = inside_cells_room(out->mem, c->count + 2, &part[0]);
        err = err ? err : inside_cells_room(out->mem, c->count + 2, &part[1]);
        if (!err)
            inside_cells_halve(c, &cut->plane, unit, part, meet);
        if (err || (!cut->whole && !inside_cells_overlap(meet, cut->end))) {
            inside_cells_free(out->mem, &part[0]);
            inside_cells_free(out->mem, &part[1]);
            TRY(err);
            continue;
        }
        inside_cells_free(out->mem, c);
        *c = part[0];
        TRY(inside_cells_append(out, &part[1]));
    }
out:
    for (int i = 0; i < 2; i++)
        point_clear(&meet[i]);
    return err;
}

static void inside_cells_plane_copy(inside_plane *to, const inside_plane *from)
{
    for (int k = 0; k < 3; k++)
        mpz_set(to->n[k], from->n[k]);
    mpz_set(to->offset, from->offset);
}

/* The plane through an edge of a face that is at a right angle to another plane. */
static void inside_cells_wall(const inside_face *face, int edge, const inside_plane *on,
                              inside_cut *cut)
{
    vector along;
    const rational_point *a = &face->corner[edge], *b = &face->corner[(edge + 1) % 3];
    vector_init(along);
    point_between(along, a, b);
    vector_cross(cut->plane.n, along, mpz_read(on->n));
    vector_dot(cut->plane.offset, cut->plane.n, mpz_read(a->v));
    inside_point_copy(&cut->end[0], a);
    inside_point_copy(&cut->end[1], b);
    vector_clear(along);
}

/* The segment in which a face meets a plane that does not contain it; ends: 2, if there is one. */
static void inside_cells_pass(const inside_face *by, const inside_plane *plane, int unit,
                              inside_cut *cut)
{
    int sign[3];
    for (int i = 0; i < 3; i++)
        sign[i] = inside_plane_sign(plane, &by->corner[i]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        if (!sign[i])
            inside_point_copy(&cut->end[cut->ends++], &by->corner[i]);
        else if (sign[i] * sign[j] < 0)
            inside_cells_meet(plane, &by->corner[i], &by->corner[j], unit, &cut->end[cut->ends++]);
    }
    inside_cells_plane_copy(&cut->plane, &by->plane);
}

/* Divides the cells of a face, or of a segment, where another face passes through it. */
static int inside_cells_cut_by(const inside_face *face, const inside_face *by, int unit,
                               inside_cells *out)
{
    int err = IMP_OK;
    inside_cut cut;
    inside_cells_cut_init(&cut);
    cut.whole = !face->area;
    const int coplanar = face->area && !inside_cells_sides(3, by->corner, &face->plane);
    if (!face->area) {
        inside_cells_plane_copy(&cut.plane, &by->plane);
        TRY(inside_cells_cut(out, unit, &cut));
    } else if (!coplanar && inside_cells_sides(3, face->corner, &by->plane) == 3) {
        inside_cells_pass(by, &face->plane, unit, &cut);
        if (cut.ends == 2)
            TRY(inside_cells_cut(out, unit, &cut));
    }
    for (int i = 0; i < 3 && (coplanar || !face->area); i++) {
        inside_cells_wall(by, i, face->area ? &face->plane : &by->plane, &cut);
        TRY(inside_cells_cut(out, unit, &cut));
    }
out:
    inside_cells_cut_clear(&cut);
    return err;
}

/* All faces of a surface whose boxes meet that of the face. */
static int inside_cells_cut_by_all(const inside_face *face, const inside_surface *s,
                                   inside_cells *out)
{
    int err = IMP_OK;
    double lo[3], hi[3];
    const inside_view *v = &s->box;
    inside_view_point(s, v, face->lo, lo);
    inside_view_point(s, v, face->hi, hi);
    for (size_t i = inside_view_first(s, v, lo[0]); i < s->faces && !(v->item[i].lo[0] > hi[0]);
         i++) {
        const inside_face *by = &s->face[v->item[i].face];
        int apart = by == face || !by->area;
        for (int k = 0; k < 3; k++)
            apart |= by->hi[k] < face->lo[k] || face->hi[k] < by->lo[k];
        if (!apart)
            TRY(inside_cells_cut_by(face, by, s->unit, out));
    }
out:
    return err;
}

int inside_cells_open(mem *m, const inside_face *face, const inside_surface *const by[2],
                      inside_cells *out)
{
    int err = IMP_OK;
    *out = (inside_cells){.mem = m};
    TRY(inside_cells_begin(face, out));
    for (int i = 0; i < 2; i++)
        if (by[i])
            TRY(inside_cells_cut_by_all(face, by[i], out));
out:
    return err;
}

/* ---- faces whose sides differ in being inside */

static int inside_cells_differ(mem *m, const imp_def *def, const inside_surface *s,
                               const inside_face *face, uint8_t *differs)
{
    int err = IMP_OK;
    inside_cells cells = {.mem = m};
    rational_point x;
    point_init(&x);
    *differs = 0;
    if (face->area)
        TRY(inside_cells_open(m, face, (const inside_surface *const[2]){s, NULL}, &cells));
    for (size_t i = 0; i < cells.count; i++) {
        int w[2], attempt = 0;
        do
            inside_cell_point(&cells.cell[i], attempt++, s->unit, &x);
        while (inside_sides(s, &x, mpz_read(face->plane.n), w) == INSIDE_EDGE);
        const int front = inside_by(def, w[0]), behind = inside_by(def, w[1]);
        *differs |= (uint8_t)(front == behind ? 0 : behind ? 1 : 2);
    }
out:
    inside_cells_close(&cells);
    point_clear(&x);
    return err;
}

int inside_surface_differ(mem *m, const imp_def *def, int threads, inside_surface *s)
{
    int err = IMP_OK, failed = 0;
    const int64_t n = (int64_t)s->faces;
    TRY(mem_alloc(m, s->faces, &s->differs));
#pragma omp parallel num_threads(threads) reduction(+ : failed)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < n; i++)
            failed += inside_cells_differ(m, def, s, &s->face[i], &s->differs[i]) != 0;
    }
    err = failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
out:
    return err;
}
