/* See course.h. */
#include "course.h"

#include "expect.h"
#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const look looks[LOOKS] = {
    {"loose triangles", 60, 3, 0, 0, 1, LOOK_RANDOM},
    {"a sheet of triangles", 60, 3, 1, 0, 1, LOOK_RANDOM},
    {"triangles of a grid", 50, 3, 0, 1, 1, LOOK_RANDOM},
    {"a sheet on a grid", 50, 3, 1, 1, 1, LOOK_RANDOM},
    {"far", 40, 3, 1, 0, 30, LOOK_RANDOM},
    {"tetrahedra", 24, 4, 0, 0, 1, LOOK_RANDOM},
    {"tetrahedra of a grid", 20, 4, 1, 1, 1, LOOK_RANDOM},
    {"mixed", 24, -4, 1, 1, 1, LOOK_RANDOM},
    {"each triangle twice", 40, 3, 1, 0, 1, LOOK_RANDOM, 2},
    {"each cell twice", 16, -4, 1, 0, 1, LOOK_RANDOM, 2},
    {"edges", 60, 2, 1, 1, 1, LOOK_RANDOM},
    {"tetrahedra about a vertex", 20, 4, 0, 0, .25, LOOK_FAN},
    {"vertices", 60, 1, 0, 1, 1, LOOK_RANDOM},
    {"mostly still", 60, 3, 0, 0, 1, LOOK_STILL},
    {"two objects, mostly apart", 80, 3, 0, 0, 1, LOOK_APART},
};

static int takes_all(void)
{
    return !TEST_SLOW || test_count(1) > 1;
}

size_t looks_from(size_t first)
{
    return takes_all() ? 0 : first;
}

size_t looks_step(void)
{
    return takes_all() ? 1 : 3;
}

/* ---- construction */

static void *ccd_course_zeros(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p)
        abort();
    return p;
}

static double coordinate(const look *l, rng *r, double size)
{
    return l->grid ? (double)rng_below(r, (uint32_t)size + 1) : size * rng_unit(r);
}

static void ccd_course_random_corners(course *c, rng *r)
{
    const look *l = c->of;
    const uint32_t n = c->mesh.primitives * (uint32_t)c->mesh.corners;
    for (uint32_t i = 0; i < n; i++)
        c->corner[i] = l->shared ? rng_below(r, c->mesh.vertices) : i;
    for (uint32_t i = 0; i < c->mesh.primitives; i++) {
        c->object[i] = (int32_t)rng_below(r, 3);
        c->corner_count[i] = (uint8_t)(3 + rng_below(r, 2));
    }
}

/* All primitives but the first ones repeat the vertices of these, each in its own order. */
static void copy_corners(course *c, rng *r)
{
    const uint32_t n = c->mesh.primitives, first = n / c->of->copies;
    const uint32_t corners = (uint32_t)c->mesh.corners;
    for (uint32_t i = first; i < n; i++) {
        const uint32_t of = i % first, corner_count = c->corner_count[i] = c->corner_count[of],
                       turn = 1 + rng_below(r, corner_count - 1);
        for (uint32_t k = 0; k < corner_count; k++)
            c->corner[corners * i + k] = c->corner[corners * of + (k + turn) % corner_count];
        c->object[i] = rng_below(r, 2) ? c->object[of] : (int32_t)rng_below(r, 3);
    }
}

/* Vertex 0 belongs to all primitives; any other touch of two at the start is of equal positions,
 * not of a shared vertex. */
static void ccd_course_fan(course *c)
{
    for (uint32_t i = 0; i < c->mesh.primitives; i++) {
        const double x = i / 2 % 8, base[3][2] = {{x + i % 2, i % 2}, {x + 1, 0}, {x, 1}};
        c->corner[4 * (size_t)i] = 0;
        for (uint32_t k = 1; k < 4; k++) {
            double *to = c->point[0] + 3 * c->corner[4 * i + k];
            to[0] = base[k - 1][0];
            to[1] = base[k - 1][1];
            to[2] = 2;
        }
    }
    memset(c->point[0], 0, 3 * sizeof(double));
}

/* Gathers each primitive's vertices around its first one. */
static void ccd_course_gather(course *c, double *point)
{
    const uint32_t corners = (uint32_t)c->mesh.corners;
    for (uint32_t i = 0; i < c->mesh.primitives; i++)
        for (uint32_t k = 1; k < corners; k++)
            for (int d = 0; d < 3; d++) {
                const double at = point[3 * c->corner[corners * i] + (uint32_t)d];
                double *x = point + 3 * c->corner[corners * i + k] + d;
                *x = at + (c->of->grid ? fmod(*x, 3) : *x / 3);
            }
}

/* Moves the two objects apart, except for a quarter of each. */
static void ccd_course_apart(course *c)
{
    const uint32_t n = c->mesh.primitives, corners = (uint32_t)c->mesh.corners;
    for (uint32_t i = 0; i < n; i++) {
        c->object[i] = (int32_t)i % 2;
        for (int f = 0; f < COURSE_FRAMES && i >= n / 4; f++)
            for (uint32_t k = 0; k < corners; k++)
                c->point[f][3 * (corners * i + k)] += i % 2 ? 9 : -9;
    }
}

static void make_points(course *c, rng *r)
{
    const look *l = c->of;
    for (uint32_t i = 0; i < 3 * c->mesh.vertices; i++)
        c->point[0][i] = coordinate(l, r, l->grid ? 4 : 5);
    if (l->form == LOOK_FAN)
        ccd_course_fan(c);
    for (int f = 1; f < COURSE_FRAMES; f++)
        for (uint32_t i = 0; i < 3 * c->mesh.vertices; i++) {
            const int goes =
                l->form == LOOK_STILL ? i / 9 % 16 == 3 * (uint32_t)f : rng_below(r, 4) != 0;
            c->point[f][i] = c->point[f - 1][i] + (goes ? l->step * (coordinate(l, r, 2) - 1) : 0);
        }
    for (int f = 0; f < COURSE_FRAMES && !l->shared && l->form != LOOK_FAN; f++)
        ccd_course_gather(c, c->point[f]);
    if (l->form == LOOK_APART)
        ccd_course_apart(c);
}

static void course_arrays(course *c)
{
    const uint32_t n = c->mesh.primitives;
    c->corner = ccd_course_zeros((size_t)c->mesh.corners * n, sizeof *c->corner);
    c->object = ccd_course_zeros(n, sizeof *c->object);
    c->corner_count = ccd_course_zeros(n, 1);
    c->mesh.corner = c->corner;
    c->mesh.object = c->object;
    c->mesh.corner_count = c->of->corners < 0 ? c->corner_count : NULL;
    for (int f = 0; f < COURSE_FRAMES; f++) {
        c->point[f] = ccd_course_zeros(3 * (size_t)c->mesh.vertices, sizeof(double));
        c->frame[f] = (imp_frame){.mesh = &c->mesh, .point = c->point[f], .number = (uint64_t)f};
    }
}

void course_make(course *c, const look *l, uint64_t seed)
{
    rng r = {seed};
    const uint32_t n = l->primitives, corners = (uint32_t)abs(l->corners);
    *c = (course){.of = l};
    c->mesh = (imp_mesh){
        .vertices = l->shared ? n : corners * n, .primitives = n, .corners = (int)corners};
    course_arrays(c);
    ccd_course_random_corners(c, &r);
    if (l->copies)
        copy_corners(c, &r);
    make_points(c, &r);
}

void course_copy(const course *from, course *c)
{
    const size_t n = from->mesh.primitives;
    *c = (course){.of = from->of, .mesh = from->mesh};
    course_arrays(c);
    memcpy(c->corner, from->corner, n * (size_t)c->mesh.corners * sizeof *c->corner);
    memcpy(c->object, from->object, n * sizeof *c->object);
    memcpy(c->corner_count, from->corner_count, n);
    for (int f = 0; f < COURSE_FRAMES; f++)
        memcpy(c->point[f], from->point[f], 3 * (size_t)c->mesh.vertices * sizeof(double));
}

void course_free(course *c)
{
    free(c->corner);
    free(c->corner_count);
    free(c->object);
    for (int f = 0; f < COURSE_FRAMES; f++)
        free(c->point[f]);
}

/* ---- its rows */

void course_rows(imp *p, const course *c, contact_list *out, imp_frame_info *info)
{
    imp_frame_info own[COURSE_FRAMES] = {{0}};
    size_t contacts = 0;
    info = info ? info : own;
    *out = (contact_list){0};
    EXPECT(!imp_detect(p, c->frame, COURSE_FRAMES, contact_list_sink, out, info), "%s: %s",
           c->of->name, imp_error_text());
    for (int f = 0; f < COURSE_STEPS; f++)
        contacts += info[f].contacts;
    EXPECT(contacts == out->count || p->def.continuous == 0, "%s: %zu contacts counted, %zu rows",
           c->of->name, contacts, out->count);
}

void course_way(const way *w, const imp_def *def, const course *c, contact_list *out)
{
    imp *p = way_pipeline(w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    course_rows(p, c, out, NULL);
    imp_destroy(p);
}

/* ---- the rows of other code */

static const char *ccd_course_row_fault(const struct contact_row *got, const truth_row *want)
{
    if (got->a != want->a || got->b != want->b)
        return "another pair";
    if (got->toi != want->toi)
        return "another share";
    if (got->kind != want->kind)
        return "another kind";
    return got->feature[0] != want->feature_a || got->feature[1] != want->feature_b
               ? "other features"
               : NULL;
}

void course_truth(const course *c, const imp_def *def, const contact_list *rows)
{
    mem m = {0};
    size_t at = 0;
    for (uint64_t f = 0; f < COURSE_STEPS; f++) {
        truth want;
        const size_t first = at;
        CU_ASSERT_EQUAL_FATAL(
            truth_ccd_find(&m, c->frame + f, c->frame + f + 1, def, NULL, 2, &want), 0);
        while (at < rows->count && rows->row[at].frame == f)
            at++;
        EXPECT(at - first == want.count, "%s, step %llu: %zu rows, not %zu", c->of->name,
               (unsigned long long)f, at - first, want.count);
        for (size_t i = 0; i < want.count && first + i < at; i++) {
            const char *what = ccd_course_row_fault(&rows->row[first + i], &want.row[i]);
            EXPECT(!what, "%s, step %llu, pair %u %u: %s", c->of->name, (unsigned long long)f,
                   want.row[i].a, want.row[i].b, what);
        }
        truth_free(&m, &want);
    }
    EXPECT(at == rows->count, "%s: rows of more than %d steps", c->of->name, COURSE_STEPS);
}
