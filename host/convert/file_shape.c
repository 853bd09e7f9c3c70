/* See file_shape.h. */
#include "file_shape.h"

#include "error.h"
#include "polygon.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int file_shape_make_vertex(file_shape_maker *m, const double x[3])
{
    int err = IMP_OK;
    file_shape *s = &m->shape;
    if (s->vertices == SHAPE_VERTICES_MOST)
        FAIL(IMP_ERR_INPUT, "%s: more than %" PRIu32 " vertices", m->path, SHAPE_VERTICES_MOST);
    TRY(grow_buffer(&s->point, &m->point_bytes, ((size_t)s->vertices + 1) * 3 * sizeof *s->point));
    memcpy(s->point + (size_t)3 * s->vertices++, x, 3 * sizeof *x);
out:
    return err;
}

/* A section without primitives makes no group, so the group gets its number with its first
 * primitive. */
int file_shape_make_section(file_shape_maker *m, const char *name, size_t length)
{
    int err = IMP_OK;
    TRY(grow_buffer(&m->section, &m->section_bytes, length + 1));
    memcpy(m->section, name, length);
    m->section[length] = 0;
    m->section_owns = 0;
out:
    return err;
}

void file_shape_make_number(file_shape_maker *m, int32_t object)
{
    m->section_group = object;
    m->section_owns = 1;
}

void file_shape_make_cell(file_shape_maker *m, const int64_t *value)
{
    m->value = value;
}

/* ---- primitives */

/* Most files have only triangles: they get their fourth number with the first tetrahedron.
 * Processed from the end, so that no corner is overwritten before it is moved. One byte more than
 * needed: `corner_count` marks mixed shapes, so it must not be NULL even without primitives. */
static int shape_build_widen(file_shape_maker *m)
{
    int err = IMP_OK;
    file_shape *s = &m->shape;
    TRY(grow_buffer(&s->corner, &m->corner_bytes,
                    4 * (size_t)s->primitives * sizeof *s->corner + 1));
    TRY(grow_buffer(&s->corner_count, &m->corner_count_bytes, (size_t)s->primitives + 1));
    for (size_t i = s->primitives; i--;) {
        memmove(s->corner + 4 * i, s->corner + 3 * i, 3 * sizeof *s->corner);
        s->corner[4 * i + 3] = s->corner[4 * i + 2];
        s->corner_count[i] = 3;
    }
    s->corners = 4;
out:
    return err;
}

/* Unused numbers repeat the last corner, so that arrays of four hold triangles. */
int file_shape_make_primitive(file_shape_maker *m, const uint32_t *corner, uint32_t corner_count)
{
    int err = IMP_OK;
    file_shape *s = &m->shape;
    const size_t n = (size_t)s->primitives + 1;
    if (s->primitives == SHAPE_PRIMITIVES_MOST)
        FAIL(IMP_ERR_INPUT, "%s: more than %" PRIu32 " triangles and tetrahedra", m->path,
             SHAPE_PRIMITIVES_MOST);
    if (!m->section_owns)
        TRY(names_find(&s->groups, "", m->section ? m->section : "", &m->section_group));
    m->section_owns = 1;
    /* the first tetrahedron of the shape */
    if (corner_count > s->corners)
        TRY(shape_build_widen(m));
    TRY(grow_buffer(&s->corner, &m->corner_bytes, n * s->corners * sizeof *s->corner));
    TRY(grow_buffer(&s->group, &m->group_bytes, n * sizeof *s->group));
    if (s->corner_count) {
        TRY(grow_buffer(&s->corner_count, &m->corner_count_bytes, n));
        s->corner_count[s->primitives] = (uint8_t)corner_count;
    }
    TRY(grow_buffer(&s->value, &m->value_bytes, n * s->arrays * sizeof *s->value));
    for (size_t a = 0; a < s->arrays; a++)
        s->value[s->arrays * s->primitives + a] = m->value[a];
    uint32_t *to = s->corner + (size_t)s->corners * s->primitives;
    for (uint32_t k = 0; k < s->corners; k++)
        to[k] = corner[k < corner_count ? k : corner_count - 1];
    s->group[s->primitives++] = m->section_group;
    s->tetrahedra += corner_count == 4;
out:
    return err;
}

/* Its fan was just added, so it begins corners - 2 triangles before the end. */
int file_shape_make_polygon(file_shape_maker *m, uint32_t corners, uint64_t line)
{
    file_shape *s = &m->shape;
    size_t bytes = ((size_t)s->polygons + 1) * sizeof *s->polygon;
    int err = grow_buffer(&s->polygon, &m->polygon_bytes, bytes);
    if (!err)
        s->polygon[s->polygons++] = (file_shape_polygon){
            .line = line, .first = s->primitives - (corners - 2), .corners = corners};
    return err;
}

int file_shape_make_fan(file_shape_maker *m, const uint32_t *corner, uint32_t n, uint64_t line)
{
    int err = IMP_OK;
    for (uint32_t i = 2; i < n; i++)
        TRY(file_shape_make_primitive(m, (const uint32_t[]){corner[0], corner[i - 1], corner[i]},
                                      3));
    if (n > 3)
        TRY(file_shape_make_polygon(m, n, line));
out:
    return err;
}

/* A message shows only the first one, so only that is stored; the others are counted. */
void file_shape_make_skip(file_shape_maker *m, uint64_t line, const char *what)
{
    file_shape *s = &m->shape;
    if (s->skipped.count++)
        return;
    s->skipped.line = line;
    snprintf(s->skipped_what, sizeof s->skipped_what, "%s", what);
}

void file_shape_make_thin(file_shape_maker *m, uint64_t line)
{
    if (!m->shape.thin.count++)
        m->shape.thin.line = line;
}

/* ---- the whole shape */

void file_shape_make_start(file_shape_maker *m, const char *path, size_t arrays)
{
    *m = (file_shape_maker){.path = path, .shape = {.corners = 3, .arrays = arrays}};
}

/* Adds one piece at a time, so that limits and growth are in one function each. */
int file_shape_make_join(file_shape_maker *m, const char *path, const file_shape *s)
{
    int err = IMP_OK;
    const uint32_t before = m->shape.vertices;
    m->path = text_name(path);
    for (uint32_t v = 0; v < s->vertices; v++)
        TRY(file_shape_make_vertex(m, s->point + (size_t)3 * v));
    for (size_t i = 0; i < s->primitives; i++) {
        uint32_t corner[4] = {0};
        for (uint32_t k = 0; k < s->corners; k++)
            corner[k] = before + s->corner[s->corners * i + k];
        file_shape_make_number(m, s->group[i]);
        file_shape_make_cell(m, s->value + s->arrays * i);
        TRY(file_shape_make_primitive(m, corner,
                                      s->corner_count ? s->corner_count[i] : s->corners));
    }
out:
    return err;
}

/* If realloc cannot shrink it, the old array stays: it is valid, only longer. Not to 0 bytes, which
 * would free it. */
static void trim(void *inout, size_t bytes)
{
    void *p;
    memcpy(&p, inout, sizeof p);
    if (p && bytes) {
        void *less = realloc(p, bytes);
        p = less ? less : p;
        memcpy(inout, &p, sizeof p);
    }
}

/* The arrays then belong to *out, so file_shape_make_free frees only the section's name. */
void file_shape_make_end(file_shape_maker *m, file_shape *out)
{
    file_shape *s = &m->shape;
    trim(&s->point, (size_t)3 * s->vertices * sizeof *s->point);
    trim(&s->corner, (size_t)s->corners * s->primitives * sizeof *s->corner);
    trim(&s->corner_count, s->primitives);
    trim(&s->group, s->primitives * sizeof *s->group);
    trim(&s->value, s->arrays * s->primitives * sizeof *s->value);
    trim(&s->polygon, s->polygons * sizeof *s->polygon);
    *out = *s;
    *s = (file_shape){0};
    file_shape_make_free(m);
}

void file_shape_make_free(file_shape_maker *m)
{
    file_shape_free(&m->shape);
    free(m->section);
    *m = (file_shape_maker){0};
}

/* ---- Triangulation of a file's polygons. */

/* Scratch memory for the largest face of the file, reused for each. */
typedef struct triangulator {
    const char *path;
    polygon_workspace *space;
    uint32_t *corner, *triangle; /* [corners], [3 * (corners - 2)] for the largest face, in one
                                  * allocation */
} triangulator;

static int triangulator_open(triangulator *c, const char *path, const file_shape *s,
                             polygon_workspace *space)
{
    size_t most = 3;
    for (uint32_t i = 0; i < s->polygons; i++)
        most = s->polygon[i].corners > most ? s->polygon[i].corners : most;
    *c = (triangulator){.path = text_name(path), .space = space};
    c->corner = malloc(4 * most * sizeof *c->corner);
    if (!c->corner)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", 4 * most * sizeof *c->corner);
    c->triangle = c->corner + most;
    return IMP_OK;
}

static void triangulator_close(triangulator *c)
{
    if (c->space)
        polygon_workspace_free(c->space);
    free(c->corner);
}

/* A face's corners, from its fan: triangle i of it has the corners 0, i + 1 and i + 2. */
static void shape_triangulate_corners(triangulator *c, const file_shape *s,
                                      const file_shape_polygon *p)
{
    const size_t corners = s->corners;
    const uint32_t *fan = s->corner + corners * p->first;
    c->corner[0] = fan[0];
    for (uint32_t i = 1; i < p->corners - 1; i++)
        c->corner[i] = fan[corners * (i - 1) + 1];
    c->corner[p->corners - 1] = fan[corners * (p->corners - 3) + 2];
}

/* Cuts the face of c->corner into c->triangle. */
static int triangulator_cut_face(triangulator *c, const file_shape *s, const file_shape_polygon *p,
                                 int *crosses)
{
    int err = polygon_triangulate(c->space, s->point, c->corner, p->corners, c->triangle, crosses);
    /* polygon_triangulate does not know the file and the line */
    if (err == IMP_ERR_INPUT)
        err = imp_fail(err,
                       "%s: %s %" PRIu64 ": a face of %" PRIu32
                       " corners takes too long to be cut into triangles",
                       c->path, s->place, p->line, p->corners);
    return err;
}

static void triangulator_note_face(file_shape_note *f, const file_shape_polygon *p)
{
    if (!f->count++)
        f->line = p->line;
}

/* corners: numbers per primitive in `corner`. If 4, a triangle repeats its last one. */
static void triangulator_put_face(const triangulator *c, const file_shape_polygon *p,
                                  size_t corners, uint32_t *corner)
{
    for (uint32_t i = 0; i < p->corners - 2; i++)
        for (size_t k = 0; k < corners; k++)
            corner[corners * (p->first + i) + k] = c->triangle[(size_t)3 * i + (k < 3 ? k : 2)];
}

int file_shape_triangulate(const char *path, file_shape *io, file_shape_note *crossing)
{
    int err = IMP_OK;
    triangulator c = {0};
    polygon_workspace space = {0};
    *crossing = (file_shape_note){0};
    TRY(triangulator_open(&c, path, io, &space));
    for (uint32_t i = 0; i < io->polygons; i++) {
        const file_shape_polygon *p = &io->polygon[i];
        int crosses = 0;
        shape_triangulate_corners(&c, io, p);
        TRY(triangulator_cut_face(&c, io, p, &crosses));
        triangulator_put_face(&c, p, io->corners, io->corner);
        if (crosses)
            triangulator_note_face(crossing, p);
    }
out:
    triangulator_close(&c);
    return err;
}

/* Returns whether the triangles of the face of c->corner are still correct. They are copied, since
 * arrays of four numbers have one more than polygon_holds reads. */
static int shape_triangulate_is_valid(const triangulator *c, const file_shape *s,
                                      const file_shape_polygon *p, const uint32_t *triangulated)
{
    for (uint32_t i = 0; i < p->corners - 2; i++)
        memcpy(c->triangle + (size_t)3 * i, triangulated + (size_t)s->corners * (p->first + i),
               3 * sizeof *triangulated);
    return polygon_holds(s->point, c->corner, p->corners, c->triangle);
}

/* A face that intersects itself at the new points keeps its old triangles: none are correct. */
int file_shape_check_triangles(const char *path, const file_shape *s, uint32_t *triangulated,
                               file_shape_note *changed)
{
    int err = IMP_OK;
    triangulator c = {0};
    polygon_workspace space = {0};
    *changed = (file_shape_note){0};
    TRY(triangulator_open(&c, path, s, &space));
    for (uint32_t i = 0; i < s->polygons; i++) {
        const file_shape_polygon *p = &s->polygon[i];
        int crosses = 0;
        shape_triangulate_corners(&c, s, p);
        if (shape_triangulate_is_valid(&c, s, p, triangulated))
            continue;
        TRY(triangulator_cut_face(&c, s, p, &crosses));
        if (crosses)
            continue;
        triangulator_put_face(&c, p, s->corners, triangulated);
        triangulator_note_face(changed, p);
    }
out:
    triangulator_close(&c);
    return err;
}

void file_shape_welding_free(file_shape_welding *w)
{
    free(w->map);
    free(w->number);
    *w = (file_shape_welding){0};
}

/* Never NULL for lack of elements. */
static int file_shape_welding_make(uint32_t vertices, file_shape_welding *w)
{
    const size_t bytes = (vertices + (size_t)1) * sizeof *w->map;
    *w = (file_shape_welding){.vertices = vertices, .map = malloc(bytes), .number = malloc(bytes)};
    return w->map && w->number ? IMP_OK
                               : imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", 2 * bytes);
}

static void file_shape_weld_number(file_shape_welding *w)
{
    for (uint32_t v = 0; v < w->vertices; v++)
        w->number[v] = w->map[v] == v ? w->kept++ : w->number[w->map[v]];
}

/* Points are compacted to the front of their array. */
void file_shape_weld_again(const file_shape_welding *w, file_shape *io)
{
    for (uint32_t v = 0; v < w->vertices; v++)
        if (w->map[v] == v)
            memmove(io->point + (size_t)3 * w->number[v], io->point + (size_t)3 * v,
                    3 * sizeof *io->point);
    for (size_t i = 0; i < (size_t)io->corners * io->primitives; i++)
        io->corner[i] = w->number[io->corner[i]];
    io->vertices = w->kept;
}

int file_shape_weld(double tolerance, file_shape *io, file_shape_welding *out)
{
    int err = IMP_OK;
    file_shape_welding w = {0};
    const imp_mesh mesh = {.vertices = io->vertices,
                           .primitives = io->primitives,
                           .corner = io->corner,
                           .object = io->group,
                           .corners = (int)io->corners,
                           .corner_count = io->corner_count};
    const imp_frame frame = {&mesh, io->point, IMP_FLOAT64};
    if (out)
        *out = (file_shape_welding){0};
    TRY(file_shape_welding_make(io->vertices, &w));
    TRY(imp_weld(&frame, 1, tolerance, w.map, &w.info));
    file_shape_weld_number(&w);
    file_shape_weld_again(&w, io);
    double *less = realloc(io->point, ((size_t)3 * w.kept + 1) * sizeof *less);
    io->point = less ? less : io->point;
    if (out) {
        *out = w;
        w = (file_shape_welding){0};
    }
out:
    file_shape_welding_free(&w);
    return err;
}

int file_shape_weld_holds(const file_shape_welding *w, double tolerance, const file_shape *s)
{
    int yes = 1;
    const imp_mesh mesh = {.vertices = s->vertices};
    const imp_frame frame = {&mesh, s->point, IMP_FLOAT64};
    return !w->map || (!imp_weld_holds(&frame, tolerance, w->map, &yes) && yes);
}
