/* See rep_features.h. */
#include "rep_features.h"

#include "block_view.h"
#include "error.h"
#include "feature_tests.h"
#include "float_env.h"
#include "frame.h"

#include <string.h>

const uint8_t rep_features_edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
const uint8_t rep_features_face_corners[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};

/* ---- a primitive's vertices */

/* A primitive's vertices in the order of the mesh; the last one is repeated if there are fewer than
 * four. */
static void vertices_of(const rep_features *t, uint32_t i, uint32_t out[4])
{
    for (uint32_t k = 0; k < 4; k++)
        out[k] = mesh_vertex(t->mesh, i, k);
}

/* The same in the order of the view's corners. */
static void rep_features_corners(const rep_features *t, uint32_t i, uint32_t out[4])
{
    block_view_corners(t->mesh, i, t->corners, out);
    if (t->corners < 4)
        out[3] = out[2];
}

static int is_solid(const rep_features *t, uint32_t i)
{
    return mesh_corners_of(t->mesh, i) == IMP_TETRAHEDRA;
}

static int rep_features_repeats_vertex(const uint32_t *v, uint32_t k)
{
    for (uint32_t j = 0; j < k; j++)
        if (v[j] == v[k])
            return 1;
    return 0;
}

/* ---- the primitives of each vertex */

/* Counts, then lists: the primitives of each vertex are in ascending order. */
static void lists_fill(rep_features *t, uint32_t *next)
{
    const imp_mesh *m = t->mesh;
    uint32_t v[4];
    memset(next, 0, ((size_t)m->vertices + 1) * sizeof *next);
    for (uint32_t i = 0; i < m->primitives; i++) {
        vertices_of(t, i, v);
        for (uint32_t k = 0; k < mesh_corners_of(m, i); k++)
            next[v[k] + 1] += !rep_features_repeats_vertex(v, k);
    }
    for (uint32_t i = 0; i < m->vertices; i++)
        next[i + 1] += next[i];
    memcpy(t->first, next, ((size_t)m->vertices + 1) * sizeof *next);
    for (uint32_t i = 0; i < m->primitives; i++) {
        vertices_of(t, i, v);
        for (uint32_t k = 0; k < mesh_corners_of(m, i); k++)
            if (!rep_features_repeats_vertex(v, k))
                t->prim[next[v[k]]++] = i;
    }
}

int rep_features_again(rep_features *t, const imp_mesh *mesh, uint32_t corners, int once,
                       int threads)
{
    if (!t->first || t->corners != corners || t->once != once ||
        !mesh_copy_equal(&t->copy, mesh, threads))
        return 0;
    t->mesh = mesh;
    return 1;
}

int rep_features_open(mem *m, const imp_mesh *mesh, uint32_t corners, int once, int threads,
                      rep_features *out)
{
    int err = IMP_OK;
    uint32_t *next = NULL;
    const size_t vertices = (size_t)mesh->vertices + 1;
    *out = (rep_features){.mesh = mesh, .corners = corners, .once = once};
    TRY(mesh_copy_make(m, mesh, &out->copy));
    TRY(mem_alloc(m, vertices * sizeof *out->first, &out->first));
    TRY(mem_alloc(m, mesh_corner_count(mesh) * sizeof *out->prim, &out->prim));
    TRY(mem_alloc(m, mesh->primitives * sizeof *out->bits, &out->bits));
    TRY(mem_alloc(m, vertices * sizeof *next, &next));
    lists_fill(out, next);
    rep_features_assign(out, NULL, threads);
out:
    mem_free(m, next);
    if (err)
        rep_features_close(m, out);
    return err;
}

void rep_features_close(mem *m, rep_features *t)
{
    mem_free(m, t->first);
    mem_free(m, t->prim);
    mem_free(m, t->bits);
    mesh_copy_free(m, &t->copy);
    *t = (rep_features){0};
}

/* ---- features */

feature rep_features_corner(const rep_features *t, uint32_t prim, uint32_t k)
{
    uint32_t v[4];
    rep_features_corners(t, prim, v);
    return (feature){1, {v[k]}};
}

feature rep_features_edge(const rep_features *t, uint32_t prim, uint32_t k)
{
    uint32_t v[4];
    rep_features_corners(t, prim, v);
    return (feature){2, {v[rep_features_edge_ends[k][0]], v[rep_features_edge_ends[k][1]]}};
}

/* The face of a triangle has number 0 where no primitive has more than three corners, else 3. */
feature rep_features_face(const rep_features *t, uint32_t prim, uint32_t k)
{
    uint32_t v[4];
    const uint8_t *c = rep_features_face_corners[t->corners < 4 ? 3 : k];
    rep_features_corners(t, prim, v);
    return (feature){3, {v[c[0]], v[c[1]], v[c[2]]}};
}

static int has_vertex(const uint32_t *v, uint32_t n, uint32_t x)
{
    for (uint32_t k = 0; k < n; k++)
        if (v[k] == x)
            return 1;
    return 0;
}

/* Returns whether both have the same set of vertices; each may have one twice. */
static int same_vertices(const uint32_t *p, const uint32_t *q, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (!has_vertex(p, n, q[k]) || !has_vertex(q, n, p[k]))
            return 0;
    return 1;
}

/* The number of an edge with two different ends in a primitive with these vertices, or
 * NO_FEATURE. */
#define NO_FEATURE INT64_MAX

static int64_t rep_features_edge_number(const uint32_t v[4], int edges, const feature *f)
{
    for (int k = 0; k < edges; k++) {
        const uint32_t p = v[rep_features_edge_ends[k][0]], q = v[rep_features_edge_ends[k][1]];
        const uint32_t i = f->vertex[0], j = f->vertex[1];
        if ((p == i && q == j) || (p == j && q == i))
            return k;
    }
    return NO_FEATURE;
}

/* -1 - k for face k. Of several faces the last one gives the least number. */
static int64_t face_number(const uint32_t v[4], const feature *f)
{
    for (int k = 3; k >= 0; k--) {
        const uint8_t *c = rep_features_face_corners[k];
        const uint32_t corner[3] = {v[c[0]], v[c[1]], v[c[2]]};
        if (same_vertices(corner, f->vertex, 3))
            return -1 - k;
    }
    return NO_FEATURE;
}

/* The number of a feature in a primitive with these vertices, or NO_FEATURE. */
static int64_t feature_number(const rep_features *t, uint32_t prim, const uint32_t v[4],
                              const feature *f)
{
    if (f->vertices == 1)
        return f->vertex[0];
    if (f->vertices == 2)
        return rep_features_edge_number(v, is_solid(t, prim) ? 6 : 3, f);
    if (is_solid(t, prim))
        return face_number(v, f);
    return same_vertices(v, f->vertex, 3) ? -1 : NO_FEATURE;
}

/* Returns whether both belong to one object and the second one is not excluded. */
static int rep_features_same_object(const rep_features *t, uint32_t owner, uint32_t prim)
{
    const int32_t *object = t->mesh->object;
    return !(t->excluded && t->excluded[prim]) && (!object || object[owner] == object[prim]);
}

/* The number of the feature in the primitive, and its vertices. */
static int64_t number_in(const rep_features *t, uint32_t owner, uint32_t prim, const feature *f,
                         uint32_t v[4])
{
    if (!rep_features_same_object(t, owner, prim))
        return NO_FEATURE;
    vertices_of(t, prim, v);
    return feature_number(t, prim, v, f);
}

uint32_t rep_features_holders(const rep_features *t, uint32_t owner, const feature *f,
                              feature_holder *out)
{
    uint32_t count = 0;
    const uint32_t v = f->vertex[0];
    for (uint32_t n = t->first[v]; n < t->first[v + 1]; n++) {
        feature_holder *to = out + count;
        to->prim = t->prim[n];
        to->number = number_in(t, owner, to->prim, f, to->vertex);
        count += to->number != NO_FEATURE;
    }
    return count;
}

int rep_features_of_prim(const rep_features *t, uint32_t prim, feature out[REP_FEATURES_MOST])
{
    const int solid = is_solid(t, prim);
    int n = 0;
    for (uint32_t k = 0; k < (solid ? 4u : 3u); k++)
        out[n++] = rep_features_corner(t, prim, k);
    for (uint32_t k = 0; k < (solid ? 6u : 3u); k++) {
        out[n] = rep_features_edge(t, prim, k);
        n += out[n].vertex[0] != out[n].vertex[1];
    }
    for (uint32_t k = solid ? 0 : 3; k < 4; k++)
        out[n++] = rep_features_face(t, prim, k);
    return n;
}

/* ---- owners */

/* Primitives of a vertex ascend, so the first with the feature is its owner. */
static int is_owner(const rep_features *t, uint32_t prim, const feature *f)
{
    uint32_t v[4];
    const uint32_t first = f->vertex[0];
    for (uint32_t n = t->first[first]; n < t->first[first + 1]; n++)
        if (number_in(t, prim, t->prim[n], f, v) != NO_FEATURE)
            return t->prim[n] == prim;
    return 1;
}

static uint32_t rep_corners(const rep_features *t, uint32_t i, const uint32_t v[4])
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < t->corners; k++) {
        const feature f = {1, {v[k]}};
        bits |= !rep_features_repeats_vertex(v, k) && is_owner(t, i, &f) ? REP_CORNER(k) : 0;
    }
    return bits;
}

/* Returns whether an edge before number k has the same ends. */
static int edge_again(const uint32_t v[4], uint32_t k)
{
    const feature f = {2, {v[rep_features_edge_ends[k][0]], v[rep_features_edge_ends[k][1]]}};
    return rep_features_edge_number(v, (int)k, &f) != NO_FEATURE;
}

static uint32_t rep_edges(const rep_features *t, uint32_t i, const uint32_t v[4])
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < (is_solid(t, i) ? 6u : 3u); k++) {
        const feature f = {2, {v[rep_features_edge_ends[k][0]], v[rep_features_edge_ends[k][1]]}};
        if (f.vertex[0] != f.vertex[1] && !edge_again(v, k) && is_owner(t, i, &f))
            bits |= REP_EDGE(k);
    }
    return bits;
}

/* Returns whether a face after number k has the same vertices: contacts have the last one's
 * number. */
static int face_again(const uint32_t v[4], uint32_t k)
{
    const uint8_t *c = rep_features_face_corners[k];
    const feature f = {3, {v[c[0]], v[c[1]], v[c[2]]}};
    return face_number(v, &f) != -1 - (int64_t)k;
}

/* In a mesh of triangles each triangle owns its face, unless `once` is set: another triangle with
 * the same vertices finds the same contacts again, which does no harm. */
static uint32_t rep_faces(const rep_features *t, uint32_t i, const uint32_t v[4])
{
    uint32_t bits = 0;
    if (t->corners < 4) {
        const feature f = {3, {v[0], v[1], v[2]}};
        return !t->once || is_owner(t, i, &f) ? REP_FACE(0) : 0;
    }
    for (uint32_t k = is_solid(t, i) ? 0 : 3; k < 4; k++) {
        const uint8_t *c = rep_features_face_corners[k];
        const feature f = {3, {v[c[0]], v[c[1]], v[c[2]]}};
        bits |= !(is_solid(t, i) && face_again(v, k)) && is_owner(t, i, &f) ? REP_FACE(k) : 0;
    }
    return bits;
}

void rep_features_assign(rep_features *t, const uint8_t *left, int threads)
{
    const int64_t n = t->mesh->primitives;
    t->excluded = left;
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t v[4];
        rep_features_corners(t, (uint32_t)i, v);
        t->bits[i] = left && left[i]
                         ? 0
                         : rep_corners(t, (uint32_t)i, v) | rep_edges(t, (uint32_t)i, v) |
                               rep_faces(t, (uint32_t)i, v);
    }
}

#define PIECE ((size_t)1 << 16) /* bytes that a thread compares at a time */

static int mesh_copy_array(mem *m, const void *from, size_t bytes, void *out)
{
    int err = IMP_OK;
    void *to = NULL;
    if (from && bytes) {
        TRY(mem_alloc(m, bytes, &to));
        memcpy(to, from, bytes);
    }
    memcpy(out, &to, sizeof to);
out:
    return err;
}

int mesh_copy_make(mem *m, const imp_mesh *of, mesh_copy *out)
{
    int err = IMP_OK;
    const size_t n = of->primitives;
    *out = (mesh_copy){of->vertices, of->primitives, (int)mesh_corners(of), NULL, NULL, NULL};
    TRY(mesh_copy_array(m, of->corner, mesh_corner_count(of) * sizeof *out->corner, &out->corner));
    TRY(mesh_copy_array(m, of->object, n * sizeof *out->object, &out->object));
    TRY(mesh_copy_array(m, of->corner_count, n * sizeof *out->corner_count, &out->corner_count));
out:
    return err;
}

void mesh_copy_free(mem *m, mesh_copy *t)
{
    mem_free(m, t->corner);
    mem_free(m, t->object);
    mem_free(m, t->corner_count);
    *t = (mesh_copy){0};
}

/* One thread alone does not saturate the memory bandwidth. */
static int mesh_copy_same_bytes(const char *x, const char *y, size_t bytes, int threads)
{
    int differ = 0;
#pragma omp parallel num_threads(threads) if (bytes > PIECE)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) reduction(| : differ) nowait
    for (size_t at = 0; at < bytes; at += PIECE)
        differ |= memcmp(x + at, y + at, bytes - at < PIECE ? bytes - at : PIECE) != 0;
    return !differ;
}

/* Arrays are equal only if both exist or both are NULL. */
static int mesh_copy_same_array(const void *x, const void *y, size_t bytes, int threads)
{
    return !bytes || (x && y ? mesh_copy_same_bytes(x, y, bytes, threads) : x == y);
}

int mesh_copy_equal(const mesh_copy *t, const imp_mesh *with, int threads)
{
    const size_t n = t->primitives;
    return t->vertices == with->vertices && n == with->primitives &&
           t->corners == (int)mesh_corners(with) &&
           mesh_copy_same_array(t->corner, with->corner,
                                mesh_corner_count(with) * sizeof *t->corner, threads) &&
           mesh_copy_same_array(t->object, with->object, n * sizeof *t->object, threads) &&
           mesh_copy_same_array(t->corner_count, with->corner_count, n * sizeof *t->corner_count,
                                threads);
}
