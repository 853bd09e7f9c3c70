/* A model in memory (impinge.h). Primitives have stable ids; contacts refer to these. */
#include "engine.h"

#include "error.h"

#include <math.h>
#include <string.h>

struct imp_model {
    imp *p;
    mem *mem;
    persistent_ids ids;
};

/* ---- creation */

int imp_model_create(const imp_def *def, int corners, imp_model **out)
{
    int err = IMP_OK, grown;
    imp_def mine = def ? *def : (imp_def){0};
    imp *p = NULL;
    imp_model *m = NULL;
    if (!out)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "imp_model_create: there is no place for the model: out is NULL");
    *out = NULL;
    if (corners < IMP_VERTICES || corners > IMP_TETRAHEDRA)
        FAIL(IMP_ERR_ARGUMENT, "a model of primitives of %d corners, 1 to %d are possible", corners,
             IMP_TETRAHEDRA);
    if (mine.thickness)
        FAIL(IMP_ERR_ARGUMENT, "thickness: the primitives of a model have none");
    if (mine.inside || mine.rows == IMP_ROWS_INSIDE)
        FAIL(IMP_ERR_ARGUMENT, "inside: the objects of a model are not looked at");
    TRY(def_check(&mine));
    /* A query is of one instant. */
    mine.continuous = 0;
    mine.min_separation = mine.tolerance = 0;
    /* The model maintains its own stable ids, and each query is a block of one frame. */
    mine.ids = 0;
    mine.block = 0;
    TRY(imp_create(&mine, &p));
    TRY(mem_alloc(&p->mem, sizeof *m, &m));
    *m = (imp_model){.p = p, .mem = &p->mem};
    m->ids.of.mesh.corners = corners;
    /* A model without primitives has arrays, too, as every frame. */
    TRY(persistent_ids_grow(m->mem, &m->ids, 1, 1, &grown));
    *out = m;
    m = NULL;
    p = NULL;
out:
    if (m)
        mem_free(m->mem, m);
    imp_destroy(p);
    return err;
}

void imp_model_destroy(imp_model *m)
{
    if (!m)
        return;
    /* *m is allocated from the pipeline's memory. */
    imp *p = m->p;
    persistent_ids_free(&m->ids);
    mem_free(m->mem, m);
    imp_destroy(p);
}

/* ---- requests are checked before anything changes */

/* A query's own sink cannot change what the query reads. */
static int model_refuse(const imp_model *m)
{
    return run_refuse(m->p, "a function that changes the model");
}

static int model_null(void)
{
    return imp_fail(IMP_ERR_ARGUMENT, "the model is NULL");
}

static int points_check(const double *point, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < DIMENSIONS; k++)
            if (!isfinite(point[DIMENSIONS * (size_t)i + k]))
                return imp_fail(IMP_ERR_ARGUMENT, "point %u is not finite", i);
    return IMP_OK;
}

/* Makes space for that number; if arrays grow, the cache becomes invalid. */
static int model_reserve(imp_model *m, uint64_t count, uint64_t verts)
{
    int grown = 0, err = persistent_ids_grow(m->mem, &m->ids, count, verts, &grown);
    if (grown && !err)
        imp_forget(m->p);
    return err;
}

/* Vertex numbers are checked against the model's vertices, which are added before the primitives
 * that use them. */
static int shape_check(const imp_model *m, const imp_mesh *what)
{
    const persistent_ids *r = &m->ids;
    uint32_t corners = mesh_corners(what);
    if (corners != (uint32_t)r->of.mesh.corners)
        return imp_fail(IMP_ERR_ARGUMENT, "primitives of %u corners, the model's have %d", corners,
                        r->of.mesh.corners);
    if (what->primitives > INT32_MAX)
        return imp_fail(IMP_ERR_ARGUMENT, "%u primitives, 2^31 - 1 are possible", what->primitives);
    if (what->primitives && (!what->corner || !what->id))
        return imp_fail(IMP_ERR_ARGUMENT, "%s is NULL, but there are to be %u",
                        what->corner ? "id" : "corner", what->primitives);
    if (what->corner_count && corners != IMP_TETRAHEDRA)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "only of primitives of 4 corners some may have 3, not of %u", corners);
    for (uint32_t i = 0; i < what->primitives; i++) {
        uint32_t corner_count = mesh_corners_of(what, i);
        if (what->corner_count && corner_count != IMP_TRIANGLES && corner_count != IMP_TETRAHEDRA)
            return imp_fail(IMP_ERR_ARGUMENT, "primitive %u has %u corners, 3 or 4 are possible", i,
                            corner_count);
        for (uint32_t k = 0; k < corner_count; k++)
            if (mesh_vertex(what, i, k) >= r->vertices)
                return imp_fail(IMP_ERR_ARGUMENT,
                                "corner %u of primitive %u is vertex %u, but there are %u", k, i,
                                mesh_vertex(what, i, k), r->vertices);
    }
    return IMP_OK;
}

/* Checks that n ids are distinct, by a hash table that is half empty. */
static int distinct_check(mem *m, const int64_t *id, uint32_t n)
{
    int err = IMP_OK;
    uint32_t mask = 15, *bucket = NULL;
    while (mask / 2 < n)
        mask = 2 * mask + 1;
    TRY(mem_alloc(m, ((size_t)mask + 1) * sizeof *bucket, &bucket));
    memset(bucket, 0, ((size_t)mask + 1) * sizeof *bucket);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = persistent_ids_hash(id[i]) & mask;
        for (; bucket[b]; b = (b + 1) & mask)
            if (id[bucket[b] - 1] == id[i])
                FAIL(IMP_ERR_ARGUMENT, "primitives %u and %u are both named %lld", bucket[b] - 1, i,
                     (long long)id[i]);
        bucket[b] = i + 1;
    }
out:
    mem_free(m, bucket);
    return err;
}

/* ---- primitives: the ones to remove are marked by a special input until nothing can fail */

/* No input has this number: primitives are at most INT32_MAX. */
#define GOING (NO_NUMBER - 1)

/* In a model the input of each primitive is its stable id, so the mark can be undone. */
static void model_unmark_removed(imp_model *m, const int64_t *id, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const stable_id stable = persistent_ids_find(&m->ids, id[i]);
        m->ids.input[stable.n] = (input_no){stable.n};
    }
}

/* Marks the primitives to remove; marks none if one of them does not exist. */
static int model_mark_removed(imp_model *m, const int64_t *id, uint32_t count)
{
    persistent_ids *r = &m->ids;
    if (count && !id)
        return imp_fail(IMP_ERR_ARGUMENT, "id is NULL, but there are to be %u", count);
    for (uint32_t i = 0; i < count; i++) {
        const stable_id stable = persistent_ids_find(r, id[i]);
        /* The second occurrence of an id finds its mark. */
        if (stable.n != NO_NUMBER && r->input[stable.n].n != GOING) {
            r->input[stable.n].n = GOING;
            continue;
        }
        model_unmark_removed(m, id, i);
        return imp_fail(IMP_ERR_ARGUMENT, "there is no primitive %lld%s", (long long)id[i],
                        stable.n != NO_NUMBER ? " any more: it was named before" : "");
    }
    return IMP_OK;
}

/* Checks that no primitive to add has the id of one that stays. After model_mark_removed: an id
 * that is removed in the same request may be used again. */
static int model_check_present(const imp_model *m, const imp_mesh *by)
{
    for (uint32_t i = 0; i < by->primitives; i++) {
        const stable_id stable = persistent_ids_find(&m->ids, by->id[i]);
        if (stable.n != NO_NUMBER && m->ids.input[stable.n].n != GOING)
            return imp_fail(IMP_ERR_ARGUMENT, "there is a primitive %lld already",
                            (long long)by->id[i]);
    }
    return IMP_OK;
}

/* Removes primitives with these ids and adds the others. persistent_ids_exchange reads the stable
 * ids to remove from behind the free ones. They fit: no stable id is in both lists. */
static int model_exchange(imp_model *m, const int64_t *id, uint32_t count, const imp_mesh *by)
{
    persistent_ids *r = &m->ids;
    for (uint32_t i = 0; i < count; i++)
        r->free_ids.stable[r->free_ids.count + i] = persistent_ids_find(r, id[i]);
    return persistent_ids_exchange(m->mem, r, count, by);
}

/* All checks precede the exchange, which changes the stable ids; if it fails, the marks are removed
 * as well. */
int imp_model_replace(imp_model *m, const int64_t *id, uint32_t count, const imp_mesh *by)
{
    int err = IMP_OK;
    if (!m || !by)
        return m ? imp_fail(IMP_ERR_ARGUMENT, "what is to come is NULL") : model_null();
    TRY(model_refuse(m));
    TRY(shape_check(m, by));
    TRY(distinct_check(m->mem, by->id, by->primitives));
    TRY(model_reserve(m, by->primitives > count ? by->primitives - count : 0, 0));
    TRY(model_mark_removed(m, id, count));
    err = model_check_present(m, by);
    err = err ? err : model_exchange(m, id, count, by);
    if (err)
        model_unmark_removed(m, id, count);
out:
    return err;
}

int imp_model_add(imp_model *m, const imp_mesh *what)
{
    return imp_model_replace(m, NULL, 0, what);
}

int imp_model_remove(imp_model *m, const int64_t *id, uint32_t count)
{
    if (!m)
        return model_null();
    const imp_mesh none = {.corners = m->ids.of.mesh.corners};
    return imp_model_replace(m, id, count, &none);
}

/* ---- vertices */

int imp_model_add_vertices(imp_model *m, const double *point, uint32_t count, uint32_t *first)
{
    int err = IMP_OK;
    if (!m)
        return model_null();
    persistent_ids *r = &m->ids;
    if (count && !point)
        FAIL(IMP_ERR_ARGUMENT, "point is NULL, but there are to be %u", count);
    TRY(model_refuse(m));
    TRY(points_check(point, count));
    TRY(model_reserve(m, 0, count));
    if (first)
        *first = r->vertices;
    /* memcpy does not allow NULL even for 0 bytes. */
    if (count)
        memcpy((double *)r->of.point + (size_t)DIMENSIONS * r->vertices, point,
               sizeof(double[DIMENSIONS]) * count);
    r->vertices += count;
out:
    return err;
}

/* All numbers are checked before the first vertex moves. */
int imp_model_move(imp_model *m, const uint32_t *vertex, const double *point, uint32_t count)
{
    int err = IMP_OK;
    if (!m)
        return model_null();
    persistent_ids *r = &m->ids;
    if (count && !point)
        FAIL(IMP_ERR_ARGUMENT, "point is NULL, but there are to be %u", count);
    TRY(model_refuse(m));
    for (uint32_t i = 0; i < count; i++)
        if ((vertex ? vertex[i] : i) >= r->vertices)
            FAIL(IMP_ERR_ARGUMENT, "there is no vertex %u, there are %u", vertex ? vertex[i] : i,
                 r->vertices);
    TRY(points_check(point, count));
    for (uint32_t i = 0; i < count; i++)
        memcpy((double *)r->of.point + (size_t)DIMENSIONS * (vertex ? vertex[i] : i),
               point + (size_t)DIMENSIONS * i, sizeof(double[DIMENSIONS]));
out:
    return err;
}

/* ---- queries */

int imp_model_query(imp_model *m, imp_sink *sink, void *user, imp_frame_info *info)
{
    if (!m)
        return model_null();
    int err = imp_detect_model(m->p, &m->ids, sink, user, info);
    /* A failed query may be repeated as the same frame. */
    m->ids.of.frame.number += !err;
    return err;
}

const imp_mesh *imp_model_mesh(const imp_model *m)
{
    return m ? &m->ids.of.mesh : NULL;
}

int64_t imp_model_position(const imp_model *m, int64_t id)
{
    const stable_id stable = m ? persistent_ids_find(&m->ids, id) : (stable_id){NO_NUMBER};
    return stable.n == NO_NUMBER ? -1 : (int64_t)stable.n;
}

imp *imp_model_pipeline(imp_model *m)
{
    return m ? m->p : NULL;
}
