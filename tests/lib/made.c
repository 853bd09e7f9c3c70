/* See made.h. */
#include "made.h"

#include "frame.h"
#include "scene.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- frames */

/* Ends the program if there is not enough memory. */
static void *made_capacity(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        abort();
    return p;
}

static void made_add_frame(made *m, made_part *p, const imp_mesh *mesh)
{
    imp_frame *f = realloc(m->frame, (m->frames + 1) * sizeof *f);
    if (!f)
        abort();
    m->frame = f;
    f[m->frames] = (imp_frame){mesh, p->point, IMP_FLOAT64, 10 * m->frames};
    m->frames++;
    p->next = m->part;
    m->part = p;
}

made_part *made_mesh(made *m, uint32_t vertices, uint32_t triangles)
{
    made_part *p = made_capacity(1, sizeof *p);
    p->triangle = made_capacity((size_t)3 * triangles, sizeof *p->triangle);
    p->object = made_capacity(triangles, sizeof *p->object);
    p->point = made_capacity((size_t)3 * vertices, sizeof *p->point);
    p->mesh = (imp_mesh){vertices, triangles, p->triangle, p->object};
    made_add_frame(m, p, &p->mesh);
    return p;
}

made_part *made_add(made *m, uint32_t triangles)
{
    made_part *p = made_mesh(m, 3 * triangles, triangles);
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        p->triangle[i] = i;
        p->object[i / 3] = (int32_t)(i / 3 % 3);
    }
    return p;
}

made_part *made_again(made *m, const made_part *before)
{
    made_part *p = made_capacity(1, sizeof *p);
    p->mesh = before->mesh;
    p->point = made_capacity((size_t)3 * p->mesh.vertices, sizeof *p->point);
    made_add_frame(m, p, m->frame[m->frames - 1].mesh);
    return p;
}

void made_single(made *m)
{
    made_part *p = m->part;
    imp_frame *f = &m->frame[m->frames - 1];
    size_t n = (size_t)3 * p->mesh.vertices;
    p->single = made_capacity(n, sizeof *p->single);
    for (size_t i = 0; i < n; i++)
        p->single[i] = (float)p->point[i];
    f->point = p->single;
    f->type = IMP_FLOAT32;
}

void made_free(made *m)
{
    while (m->part) {
        made_part *p = m->part;
        m->part = p->next;
        free(p->triangle);
        free(p->corner_count);
        free(p->id);
        free(p->object);
        free(p->point);
        free(p->single);
        free(p->body);
        free(p->rest);
        free(p->pose);
        free(p);
    }
    free(m->frame);
    *m = (made){0};
}

/* ---- points */

void made_triangle(made_part *p, uint32_t i, const double at[3], double size, rng *r)
{
    double *x = p->point + (size_t)9 * i;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            *x++ = at[k] + size * (rng_unit(r) - 0.5);
}

void made_map(made_part *p, double scale, double x, double y, double z)
{
    const double shift[3] = {x, y, z};
    for (size_t i = 0; i < (size_t)3 * p->mesh.vertices; i++)
        p->point[i] = p->point[i] * scale + shift[i % 3];
}

/* Triangles [first, last) of one size, uniform in a cube about a point. */
static void made_cloud(made_part *p, uint32_t first, uint32_t last, const double middle[3],
                       double cube, double size, rng *r)
{
    for (uint32_t i = first; i < last; i++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = middle[k] + cube * (rng_unit(r) - 0.5);
        made_triangle(p, i, at, size, r);
    }
}

static const double origin[3] = {0, 0, 0};

/* A frame of a cloud in which a triangle meets a few others. */
static made_part *soup(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n);
    made_cloud(p, 0, n, origin, 2, 2.5 / cbrt((double)n + 1), r);
    return p;
}

/* ---- made scenes: number and size */

static void made_empty(made *m, uint32_t n, rng *r)
{
    (void)n;
    (void)r;
    made_add(m, 0);
}

static void one(made *m, uint32_t n, rng *r)
{
    (void)n;
    soup(m, 1, r);
}

static void two(made *m, uint32_t n, rng *r)
{
    (void)n;
    made_part *p = made_add(m, 2);
    made_cloud(p, 0, 2, origin, 0, 1, r);
}

static void made_groups(made *m, uint32_t n, rng *r)
{
    (void)n;
    for (uint32_t i = 63; i <= 65; i++)
        soup(m, i, r);
}

static void made_plain(made *m, uint32_t n, rng *r)
{
    soup(m, n, r);
}

static void coincident(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n / 8 + 2);
    made_triangle(p, 0, origin, 1, r);
    for (uint32_t i = 1; i < p->mesh.primitives; i++)
        memcpy(p->point + (size_t)9 * i, p->point, 9 * sizeof *p->point);
}

/* The mean edge is far larger than the region of most triangles. */
static void one_cell(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n / 4 + 8);
    const double far[3] = {100, 0, 0};
    made_cloud(p, 0, n / 4, origin, 0.3, 0.1, r);
    made_cloud(p, n / 4, n / 4 + 8, far, 200, 100, r);
}

static void giant(made *m, uint32_t n, rng *r)
{
    made_part *p = soup(m, n, r);
    made_triangle(p, n / 2, origin, 1000, r);
}

static void graded(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n);
    for (uint32_t i = 0; i < n; i++) {
        double at[3], size = pow(10, -6 * rng_unit(r));
        for (int k = 0; k < 3; k++)
            at[k] = 2 * size * (rng_unit(r) - 0.5);
        made_triangle(p, i, at, size, r);
    }
}

static void clusters(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n);
    const double far[3] = {1e6, -1e6, 1e6};
    made_cloud(p, 0, n / 2, origin, 4, 1, r);
    made_cloud(p, n / 2, n, far, 4, 1, r);
}

static void points(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n);
    for (uint32_t i = 0; i < 3 * n; i++)
        for (uint32_t k = 0; k < 3; k++)
            p->point[3 * i + k] = i % 3 ? p->point[3 * (i - 1) + k] : rng_below(r, 5) - 2.0;
}

static void single_point(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n / 16 + 2);
    double x = rng_unit(r);
    made_map(p, 1, x, -x, 1e30 * x);
}

static void made_flat(made *m, uint32_t n, rng *r)
{
    made_part *p = soup(m, n, r);
    for (uint32_t i = 0; i < 3 * n; i++)
        p->point[3 * i + 2] = 0.7;
}

/* A line along an axis, and a point far out on another: nothing has an area. */
static void line(made *m, uint32_t n, rng *r)
{
    made_part *p = soup(m, n, r);
    for (uint32_t i = 0; i < 3 * n; i++) {
        p->point[3 * i + 1] = 1e200;
        p->point[3 * i + 2] = -3e-200;
    }
}

/* ---- coordinates */

static void made_off_centre(made *m, uint32_t n, rng *r)
{
    made_part *p = soup(m, n, r);
    double edge = 2.5 / cbrt((double)n + 1);
    made_map(p, 1, 1e7 * edge, -1e7 * edge, 1e7 * edge);
}

static void made_negative(made *m, uint32_t n, rng *r)
{
    made_map(soup(m, n, r), 1, -3, -5, -77);
}

static void made_huge(made *m, uint32_t n, rng *r)
{
    made_map(soup(m, n, r), 1e300, 0, 0, 0);
    made_map(soup(m, n, r), DBL_MAX / 4, 0, DBL_MAX / 4, 0);
}

static void made_tiny(made *m, uint32_t n, rng *r)
{
    made_map(soup(m, n, r), 1e-300, 0, 0, 0);
    made_map(soup(m, n, r), 1e-30, 0, -1e-30, 1e-28);
}

static void made_denormal(made *m, uint32_t n, rng *r)
{
    made_map(soup(m, n, r), 1e-310, 0, 0, 0);
    made_map(soup(m, n, r), 1e-322, 0, 5e-324, 5e-324);
}

/* Sizes that no single scale represents. */
static void made_mixed(made *m, uint32_t n, rng *r)
{
    made_part *p = soup(m, n, r);
    for (uint32_t i = 0; i < 9 * n; i++)
        p->point[i] *= i / 9 % 3 == 0 ? 1e300 : i / 9 % 3 == 1 ? 1 : 1e-300;
}

/* Two corners make the frame's box (-1, 1) along each axis, so that cells of MADE_CELL begin at its
 * multiples. */
static void frame_corners(made_part *p)
{
    for (int i = 0; i < 18; i++)
        p->point[i] = i < 9 ? -1 : 1;
}

static double on_border(rng *r, double reach)
{
    double cells = floor(reach * (2 * rng_unit(r) - 1) / MADE_CELL);
    return cells * MADE_CELL;
}

static void borders(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n + 2);
    frame_corners(p);
    for (uint32_t i = 2; i < n + 2; i++) {
        double *x = p->point + (size_t)9 * i, at[3];
        for (int k = 0; k < 3; k++)
            at[k] = on_border(r, 0.7);
        for (int k = 0; k < 9; k++)
            x[k] = at[k % 3] + MADE_CELL * rng_below(r, 3);
    }
}

/* The same with each coordinate on a cell border or one float64 or float32 step beside it. */
static void near_borders(made *m, uint32_t n, rng *r)
{
    borders(m, n, r);
    for (uint32_t i = 18; i < 9 * n + 18; i++) {
        double *x = &m->part->point[i], side = rng_below(r, 2) ? 4.0 : -4.0;
        uint32_t what = rng_below(r, 3);
        if (what)
            *x = what == 1 ? nextafter(*x, side) : (double)nextafterf((float)*x, (float)side);
    }
}

/* Small triangles in cells whose hash by kernels/cell.h is 0 modulo the table length 3n: all in one
 * bucket. Each is present twice. */
static void one_bucket(made *m, uint32_t n, rng *r)
{
    made_part *p = made_add(m, n / 2 * 2 + 2);
    uint32_t filled = 2, total = p->mesh.primitives;
    frame_corners(p);
    for (int64_t c = 0; filled < total; c = (c + 1) % (32 * 32 * 32)) {
        const int64_t i = c % 32 - 16, j = c / 32 % 32 - 16, k = c / 1024 - 16;
        if ((2000689 * i + 8000981 * j + 5123693 * k) % (3 * (int64_t)total))
            continue;
        const double at[3] = {MADE_CELL * ((double)i + 0.5), MADE_CELL * ((double)j + 0.5),
                              MADE_CELL * ((double)k + 0.5)};
        made_triangle(p, filled++, at, 0.9 * MADE_CELL, r);
        made_triangle(p, filled++, at, 0.9 * MADE_CELL, r);
    }
}

/* So few triangles over so many cells that each is in every bucket several times. */
static void few_buckets(made *m, uint32_t n, rng *r)
{
    (void)n;
    for (uint32_t i = 2; i < 9; i++) {
        made_part *p = made_add(m, i + 2);
        made_cloud(p, 0, i + 2, origin, 0.15, 0.25, r);
        frame_corners(p);
    }
}

/* ---- topology */

/* A crumpled sheet: neighbours share vertices. Some triangles repeat a vertex once or twice, some
 * are duplicated, some reversed. */
static void sheet(made *m, uint32_t n, rng *r)
{
    uint32_t side = (uint32_t)sqrt(n / 2.0) + 1, row = side + 1;
    made_part *p = made_mesh(m, row * row, 2 * side * side);
    for (uint32_t v = 0; v < row * row; v++) {
        p->point[3 * v] = v % row + 1.5 * rng_unit(r);
        p->point[3 * v + 1] = v / row + 1.5 * rng_unit(r);
        p->point[3 * v + 2] = 1.5 * rng_unit(r);
    }
    for (uint32_t q = 0; q < side * side; q++) {
        uint32_t v = q / side * row + q % side, *t = p->triangle + (size_t)6 * q;
        const uint32_t corner[6] = {v, v + 1, v + row, v + 1, v + row + 1, v + row};
        memcpy(t, corner, sizeof corner);
        p->object[2 * q] = p->object[2 * q + 1] = (int32_t)(q % 5) - 2;
    }
    for (uint32_t i = 0; i < 2 * side * side / 16; i++) {
        uint32_t *t = p->triangle + (size_t)48 * i;
        t[1] = rng_below(r, 3) ? t[1] : t[0];
        t[2] = rng_below(r, 3) ? t[2] : t[0];
        t[3] = rng_below(r, 3) ? t[3] : t[0];
    }
}

static void bad_points(made *m, uint32_t n, rng *r)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    made_part *p = soup(m, n, r);
    for (uint32_t i = 0; i < n; i += 7)
        p->point[9 * i + rng_below(r, 9)] = values[rng_below(r, 3)];
    p = soup(m, 5, r);
    for (uint32_t i = 0; i < 5; i++)
        p->point[9 * i + rng_below(r, 9)] = values[i % 3];
    soup(m, 9, r);
    m->bad = 1;
}

/* Meshes that recur, empty frames, with or without objects, in one block; and in the next one with
 * points of the other type. */
static void made_many_frames(made *m, uint32_t n, rng *r)
{
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t size = i % 4 == 2 ? 0 : 1 + rng_below(r, n / 2 + 1);
        made_part *p = soup(m, size, r);
        made_map(p, pow(10, (double)i - 6), i, 0, 0);
        if (i % 3 == 1)
            p->mesh.object = NULL;
        if (i % 5 == 3) {
            made_part *q = made_again(m, p);
            made_cloud(q, 0, size, origin, 2, 0.3, r);
        }
        if (i / 4 % 2)
            made_single(m);
    }
}

/* Frames of float32 that are adjacent in memory, and so are copied to the device as they are. */
static void side_by_side(made *m, uint32_t n, rng *r)
{
    made_part *p = soup(m, 3 * n, r);
    made_single(m);
    made_part *q = made_add(m, n);
    for (uint32_t f = 0; f < 3; f++) {
        if (f)
            made_add_frame(m, made_capacity(1, sizeof *p), &q->mesh);
        m->frame[f] = (imp_frame){&q->mesh, p->single + (size_t)9 * n * f, IMP_FLOAT32, f};
    }
    m->frames = 3;
}

/* Two objects in most frames, of equal, different and all sizes, far from each other, and one or
 * three objects in some. */
static void two_objects(made *m, uint32_t n, rng *r)
{
    const double far[3] = {9, 9, 9};
    for (uint32_t f = 0; f < 6; f++) {
        made_part *p = made_add(m, n);
        uint32_t half = f == 4 ? n : n / 2;
        for (uint32_t i = 0; i < n; i++)
            p->object[i] = f == 5 ? (int32_t)(i % 3) : 7 - 9 * (i >= half);
        made_cloud(p, 0, half, origin, 1, 0.2, r);
        made_cloud(p, half, n, f == 3 ? far : origin, 1, f == 1 ? 0.01 : 0.2, r);
        for (uint32_t i = 0; i < 9 * n && f == 2; i++)
            p->point[i] *= pow(2, -(double)(i / 9 % 16));
    }
}

/* Triangles a few float64 steps apart, far out or among denormals: the mean of two is rounded to
 * one of them. */
static void between_steps(made *m, uint32_t n, rng *r)
{
    static const struct {
        double at, step, size;
    } cases[] = {{0x1p52, 1, 0.1}, {1.5e11, 17 * 0x1p-15, 0x1p-15}, {0, 17 * 0x1p-1074, 0x1p-1074}};
    (void)n;
    (void)r;
    for (uint32_t c = 0; c < 3; c++)
        for (int axis = 0; axis < 3; axis++) {
            made_part *p = made_add(m, 3);
            double size = cases[c].size * (c ? 10 : 1), off = size / 5;
            for (int i = 0; i < 27; i++) {
                int k = i % 3, vertex = i / 3 % 3, far = i >= 9;
                double across = k == (axis + vertex) % 3 && vertex ? size : 0;
                p->point[i] =
                    k == axis ? cases[c].at + far * cases[c].step : across + (i >= 18 ? off : 0);
            }
        }
}

static const struct maker {
    const char *name;
    void (*make)(made *m, uint32_t n, rng *r);
} makers[] = {
    {"empty", made_empty},
    {"one", one},
    {"two", two},
    {"63 to 65", made_groups},
    {"soup", made_plain},
    {"coincident", coincident},
    {"one cell", one_cell},
    {"giant", giant},
    {"graded", graded},
    {"two clusters", clusters},
    {"points", points},
    {"single point", single_point},
    {"flat", made_flat},
    {"line", line},
    {"off-centre", made_off_centre},
    {"negative", made_negative},
    {"huge", made_huge},
    {"tiny", made_tiny},
    {"denormal", made_denormal},
    {"mixed", made_mixed},
    {"borders", borders},
    {"near borders", near_borders},
    {"one bucket", one_bucket},
    {"few buckets", few_buckets},
    {"sheet", sheet},
    {"bad points", bad_points},
    {"many frames", made_many_frames},
    {"side by side", side_by_side},
    {"two objects", two_objects},
    {"between steps", between_steps},
};

#define MAKERS (sizeof makers / sizeof *makers)

/* ---- procedural scenes */

static void *copied(const void *from, size_t count, size_t size)
{
    void *p = made_capacity(count, size);
    memcpy(p, from, count * size);
    return p;
}

static made_part *copy_mesh(made *m, const imp_mesh *from, const int64_t *id)
{
    made_part *p = made_mesh(m, from->vertices, from->primitives);
    free(p->triangle);
    p->triangle = copied(from->corner, mesh_corner_count(from), sizeof *p->triangle);
    p->mesh.corner = p->triangle;
    p->mesh.corners = from->corners;
    if (from->corner_count)
        p->mesh.corner_count = p->corner_count =
            copied(from->corner_count, from->primitives, sizeof *p->corner_count);
    if (id)
        p->id = copied(id, from->primitives, sizeof *id);
    if (from->object)
        memcpy(p->object, from->object, (size_t)4 * from->primitives);
    else
        p->mesh.object = NULL;
    if (from->bodies) {
        p->mesh.body = p->body = copied(from->body, from->bodies, sizeof *p->body);
        p->mesh.rest = p->rest = copied(from->rest, (size_t)3 * from->vertices, sizeof *p->rest);
        p->mesh.bodies = from->bodies;
    }
    return p;
}

int made_procedural(const char *name, uint64_t primitives, uint64_t frames, uint64_t seed,
                    made *out)
{
    scene *s;
    const scene_def def = {name, primitives, frames, seed};
    *out = (made){.name = name};
    if (scene_create(&def, &s))
        return 0;
    int err = 0;
    const imp_mesh *last = NULL;
    for (uint64_t f = 0; f < scene_frames(s) && !err; f++) {
        imp_frame frame;
        double time;
        err = scene_next(s, &frame, &time);
        const imp_mesh *mesh = scene_mesh(s);
        made_part *p =
            mesh == last ? made_again(out, out->part) : copy_mesh(out, mesh, scene_ids(s));
        last = mesh;
        if (err)
            continue;
        memcpy(p->point, frame.point, (size_t)24 * frame.mesh->vertices);
        if (frame.pose)
            out->frame[out->frames - 1].pose = p->pose =
                copied(frame.pose, mesh->bodies, sizeof *p->pose);
    }
    scene_destroy(s);
    return !err;
}

static void hash_mesh(XXH3_state_t *h, const imp_mesh *m, const int64_t *id)
{
    XXH3_64bits_update(h, m->corner, mesh_corner_count(m) * sizeof *m->corner);
    if (m->corner_count)
        XXH3_64bits_update(h, m->corner_count, m->primitives);
    if (m->object)
        XXH3_64bits_update(h, m->object, (size_t)m->primitives * sizeof *m->object);
    if (id)
        XXH3_64bits_update(h, id, (size_t)m->primitives * sizeof *id);
}

static const int64_t *made_name(const made *m, const imp_mesh *mesh)
{
    const made_part *p = m->part;
    while (p && &p->mesh != mesh)
        p = p->next;
    return p ? p->id : NULL;
}

unsigned long long made_hash(const made *m)
{
    XXH3_state_t *h = XXH3_createState();
    if (!h)
        abort();
    XXH3_64bits_reset(h);
    for (size_t f = 0; f < m->frames; f++) {
        const imp_mesh *mesh = m->frame[f].mesh;
        if (!f || mesh != m->frame[f - 1].mesh)
            hash_mesh(h, mesh, made_name(m, mesh));
        XXH3_64bits_update(h, m->frame[f].point, (size_t)mesh->vertices * 3 * sizeof(double));
    }
    unsigned long long hash = XXH3_64bits_digest(h);
    XXH3_freeState(h);
    return hash;
}

/* The index-th scene that has triangles. */
static int triangles_at(size_t index, scene_entry *out)
{
    for (size_t i = 0; scene_at(i, out); i++)
        if (out->corners == IMP_TRIANGLES && index-- == 0)
            return 1;
    return 0;
}

int made_open(size_t index, uint32_t n, made *out)
{
    rng r = {index};
    scene_entry e;
    *out = (made){0};
    if (index >= MAKERS) {
        if (!triangles_at(index - MAKERS, &e))
            return 0;
        uint32_t size = strcmp(e.name, "hostile") ? n : n / 5 + 5; /* n^2 candidates */
        return made_procedural(e.name, size, 2, 1, out);
    }
    out->name = makers[index].name;
    makers[index].make(out, n, &r);
    return 1;
}
