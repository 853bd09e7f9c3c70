/* See solids_batch.h. */
#include "solids_batch.h"

#include "error.h"
#include "float_env.h"
#include "inside_tree.h"
#include "solids_measure.h"
#include "solids_pack.h"
#include "solids_rays.h"

#include <string.h>

#define BATCH_CHUNK MEASURE_ROOM /* queries that a thread takes at a time */
#define RAYS_WORTH 256           /* triangles that are met in the time of an exact answer */
#define RAYS_MOST 262144         /* points that meet triangles at a time */
#define RAYS_TREE 4              /* triangles that are met in the time in which one enters a tree */

/* The results of a launch, on the host; NULL: nothing was launched. */
typedef struct batch_results {
    uint32_t *count; /* [PACK_BATCH] */
    uint32_t *face;  /* [INSIDE_NEAR * PACK_BATCH] */
} batch_results;

static int batch_cancelled(const solids *s)
{
    return s->cancel && atomic_load(s->cancel);
}

/* ---- the device */

/* Objects with tetrahedra are left to the host. */
static uint32_t batch_root(const solids *s, uint32_t place)
{
    return s->mesh.of[place].tetrahedra ? INSIDE_NONE : s->tree->root[place];
}

/* Writes the points and the roots. */
static int batch_write(const solids *s, const solids_query *q, size_t n, int rays)
{
    int err = IMP_OK;
    solids_pack *p = s->pack;
    double *x = NULL;
    uint32_t *root = NULL, *way = NULL;
    TRY(mem_alloc(s->mem, 3 * n * sizeof *x, &x));
    TRY(mem_alloc(s->mem, n * sizeof *root, &root));
    TRY(mem_alloc(s->mem, n * sizeof *way, &way));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++)
            x[3 * i + k] = q[i].x[k] * s->scale[0] * s->scale[1];
        root[i] = batch_root(s, q[i].place);
        way[i] = rays ? solids_way(s, q[i].place, q[i].x, -1) : 0;
    }
    TRY(buffer_put(s->pack->dev, &p->x, x, 3 * n));
    TRY(buffer_put(s->pack->dev, &p->from, root, n));
    if (rays)
        TRY(buffer_put(s->pack->dev, &p->way, way, n));
out:
    mem_free(s->mem, x);
    mem_free(s->mem, root);
    mem_free(s->mem, way);
    return err;
}

#define BATCH_TREE(p) &(p)->node, &(p)->child, &(p)->corner, &(p)->centre, &(p)->x, &(p)->from

static int batch_windings(const solids *s, const solids_query *q, size_t n, int32_t *out)
{
    int err = IMP_OK;
    solids_pack *p = s->pack;
    TRY(batch_write(s, q, n, 1));
    TRY(buffer_fit(s->pack->dev, &p->winding, n));
    TRY(RUN(s->pack->dev, inside_winding, n, BATCH_TREE(p), &p->way, &p->winding));
    TRY(buffer_read(s->pack->dev, &p->winding, 0, out, n));
out:
    return err;
}

static int batch_nearest(const solids *s, const solids_query *q, size_t n, batch_results *out)
{
    int err = IMP_OK;
    solids_pack *p = s->pack;
    TRY(batch_write(s, q, n, 0));
    TRY(buffer_fit(s->pack->dev, &p->count, n));
    TRY(buffer_fit(s->pack->dev, &p->face, INSIDE_NEAR * n));
    if (p->dev->groups)
        TRY(RUN(p->dev, inside_nearest, n, BATCH_TREE(p), &p->count, &p->face));
    else
        TRY(RUN(p->dev, inside_nearest8, (n + 31) / 32, (uint32_t)n, BATCH_TREE(p), &p->count,
                &p->face));
    const readout all[] = {READOUT(&p->count, 0, out->count, n),
                           READOUT(&p->face, 0, out->face, INSIDE_NEAR * n)};
    TRY(device_read_all(s->pack->dev, all, 2));
out:
    return err;
}

/* ---- the host */

/* The query's triangles, of which one is the nearest; 0: they are not known. */
static uint32_t batch_found(const batch_results *r, size_t i)
{
    return r->count && r->count[i] != INSIDE_MANY ? r->count[i] : 0;
}

static uint32_t batch_prim(const solids *s, const batch_results *r, size_t i, uint32_t k)
{
    return s->tree->prim[r->face[INSIDE_NEAR * i + k]];
}

/* nearest: of the only triangle, or NULL */
static int batch_depth(solids_walk *w, const solids_query *q, const batch_results *r, size_t i,
                       const exact_nearest *nearest)
{
    uint32_t prim[INSIDE_NEAR];
    const uint32_t n = batch_found(r, i);
    if (!n)
        return solids_depth(w, q->place, q->x, q->winding, q->at);
    for (uint32_t k = 0; k < n; k++)
        prim[k] = batch_prim(w->of, r, i, k);
    return solids_depth_of(w, q->place, q->x, q->winding, &(solids_found){prim, n, nearest}, q->at);
}

/* Queries [first, last): those with one triangle are measured together. Returns 0 if one has no
 * face. */
static int batch_chunk(solids_walk *w, const solids_query *q, const batch_results *r, size_t first,
                       size_t last)
{
    solids_measure m;
    exact_nearest nearest;
    int found = 1;
    m.count = 0;
    for (size_t i = first; i < last; i++)
        if (batch_found(r, i) == 1)
            solids_measure_add(w->of, batch_prim(w->of, r, i, 0), q[i].x, &m);
    if (m.count)
        solids_measure_run(w->of->pack->dev, &m);
    for (uint32_t i = 0, at = 0; i < last - first && found && !w->err; i++) {
        const int known = batch_found(r, first + i) == 1 && solids_measure_get(&m, at++, &nearest);
        found = batch_depth(w, &q[first + i], r, first + i, known ? &nearest : NULL) || w->err;
    }
    return found;
}

static int batch_end(const solids *s, int failed, int missing)
{
    if (batch_cancelled(s))
        return imp_fail(IMP_ERR_CANCELLED, "cancelled");
    if (failed)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    return missing ? imp_fail(IMP_ERR_ARGUMENT, "a point inside an object has no nearest face: "
                                                "please report this")
                   : IMP_OK;
}

/* Those that are open. */
static int batch_finish_windings(const solids *s, solids_query *q, size_t n)
{
    int failed = 0;
#pragma omp parallel num_threads(s->threads) reduction(| : failed) if (n > BATCH_CHUNK)
    EACH_IN_FLOAT_ENV
    {
        solids_walk w = {.of = s};
#pragma omp for schedule(dynamic, BATCH_CHUNK)
        for (int64_t i = 0; i < (int64_t)n; i++)
            if (q[i].winding == INSIDE_DOUBT && !w.err && !batch_cancelled(s))
                q[i].winding = solids_winding(&w, q[i].place, q[i].x, -1, &q[i].touches);
        failed |= w.err != 0;
        solids_walk_free(&w);
    }
    return batch_end(s, failed, 0);
}

static int batch_finish_depths(const solids *s, const solids_query *q, size_t n,
                               const batch_results *r)
{
    int failed = 0, missing = 0;
#pragma omp parallel num_threads(s->threads) reduction(| : failed, missing) if (n > BATCH_CHUNK)
    EACH_IN_FLOAT_ENV
    {
        solids_walk w = {.of = s};
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < n; i += BATCH_CHUNK)
            if (!w.err && !batch_cancelled(s))
                missing |= !batch_chunk(&w, q, r, i, n - i < BATCH_CHUNK ? n : i + BATCH_CHUNK);
        failed |= w.err != 0;
        solids_walk_free(&w);
    }
    return batch_end(s, failed, missing);
}

/* ---- all */

/* On a device: a query is an item, which searches a tree. */
static int windings_by_trees(const solids *s, solids_query *q, size_t n)
{
    int err = IMP_OK, made = 0;
    int32_t *winding = NULL;
    TRY(solids_trees(s, n));
    TRY(solids_pack_ready(s, n, &made));
    const size_t batch = made && s->pack->batch < n ? s->pack->batch : n;
    TRY(mem_alloc(s->mem, made ? batch * sizeof *winding : 0, &winding));
    for (size_t first = 0, m; first < n && made; first += m) {
        m = n - first < batch ? n - first : batch;
        TRY(batch_windings(s, q + first, m, winding));
        for (size_t i = 0; i < m; i++)
            q[first + i].winding = winding[i];
    }
out:
    mem_free(s->mem, winding);
    return err;
}

/* Whether each primitive of an object has three corners. */
static int rays_take(const solids *s, const closed_object *o)
{
    const imp_mesh *m = s->mesh.frame->mesh;
    for (uint32_t i = o->first; i < o->last && m->corner_count; i++)
        if (mesh_corners_of(m, s->mesh.prim[i]) != (uint32_t)IMP_TRIANGLES)
            return 0;
    return !o->tetrahedra;
}

/* Whether n points meet the triangles of an object, or search its tree; which is made if points
 * have met as many triangles as take that time. */
static int rays_worth(const solids *s, uint32_t place, size_t n)
{
    const closed_object *o = &s->mesh.of[place];
    const uint32_t triangles = o->last - o->first;
    if (n * RAYS_WORTH < triangles) {
        if (s->tree->root || s->pack->met / RAYS_TREE >= triangles)
            return 0;
        s->pack->met += triangles;
    }
    return rays_take(s, o);
}

/* On the host: triangles meet points. */
static int windings_by_rays(const solids *s, solids_query *q, size_t n)
{
    int err = IMP_OK;
    const uint32_t count = s->mesh.count;
    size_t *first = NULL, *which = NULL;
    TRY(mem_alloc(s->mem, ((size_t)count + 2) * sizeof *first, &first));
    TRY(mem_alloc(s->mem, n * sizeof *which, &which));
    memset(first, 0, ((size_t)count + 2) * sizeof *first);
    for (size_t i = 0; i < n; i++)
        first[q[i].place + 2]++;
    for (uint32_t k = 0; k < count; k++)
        first[k + 2] += first[k + 1];
    /* each object's entry moves to its end, the next one's first */
    for (size_t i = 0; i < n; i++)
        which[first[q[i].place + 1]++] = i;
    for (uint32_t k = 0; k < count; k++)
        for (size_t at = first[k], m; at < first[k + 1]; at += m) {
            m = first[k + 1] - at < RAYS_MOST ? first[k + 1] - at : RAYS_MOST;
            if (!rays_worth(s, k, m))
                continue;
            /* without memory nothing is missing but speed */
            err = solids_rays(s, k, q, which + at, m);
            err = err == IMP_ERR_MEMORY ? IMP_OK : err;
            TRY(err);
        }
out:
    mem_free(s->mem, first);
    mem_free(s->mem, which);
    return err;
}

int solids_windings(const solids *s, solids_query *q, size_t n)
{
    int err = IMP_OK;
    size_t open = 0;
    for (size_t i = 0; i < n; i++) {
        q[i].touches = 0;
        q[i].winding = INSIDE_DOUBT;
    }
    if (s->pack)
        TRY(s->pack->dev->groups ? windings_by_trees(s, q, n) : windings_by_rays(s, q, n));
    for (size_t i = 0; i < n; i++)
        open += q[i].winding == INSIDE_DOUBT;
    if (open) {
        TRY(solids_trees(s, n));
        TRY(batch_finish_windings(s, q, n));
    }
    TRY(batch_end(s, 0, 0));
out:
    return err;
}

int solids_depths(const solids *s, const solids_query *q, size_t n)
{
    int err = IMP_OK, made = 0;
    batch_results r = {0};
    TRY(solids_trees(s, n));
    TRY(solids_pack_ready(s, n, &made));
    const size_t batch = made && s->pack->batch < n ? s->pack->batch : n;
    if (made) {
        TRY(mem_alloc(s->mem, batch * sizeof *r.count, &r.count));
        TRY(mem_alloc(s->mem, INSIDE_NEAR * batch * sizeof *r.face, &r.face));
    }
    for (size_t first = 0, m; first < n; first += m) {
        m = n - first < batch ? n - first : batch;
        if (made)
            TRY(batch_nearest(s, q + first, m, &r));
        TRY(batch_finish_depths(s, q + first, m, &r));
    }
out:
    mem_free(s->mem, r.count);
    mem_free(s->mem, r.face);
    return err;
}
