/* See solids_batch.h. */
#include "solids_batch.h"

#include "error.h"
#include "float_env.h"
#include "inside_tree.h"
#include "solids_pack.h"

#define BATCH_CHUNK 64 /* queries that a thread takes at a time */

/* The results of a launch, on the host; NULL: nothing was launched. */
typedef struct batch_results {
    int32_t *winding; /* [PACK_BATCH] */
    uint32_t *count;  /* [PACK_BATCH] */
    uint32_t *face;   /* [INSIDE_NEAR * PACK_BATCH] */
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
#define BATCH_RUN(d, kernel, n, ...)                                                               \
    ((d)->groups ? RUN(d, kernel, n, __VA_ARGS__)                                                  \
                 : RUN(d, kernel##8, ((n) + 7) / 8, (uint32_t)(n), __VA_ARGS__))

static int batch_windings(const solids *s, const solids_query *q, size_t n, batch_results *out)
{
    int err = IMP_OK;
    solids_pack *p = s->pack;
    TRY(batch_write(s, q, n, 1));
    TRY(buffer_fit(s->pack->dev, &p->winding, n));
    TRY(BATCH_RUN(s->pack->dev, inside_winding, n, BATCH_TREE(p), &p->way, &p->winding));
    TRY(buffer_read(s->pack->dev, &p->winding, 0, out->winding, n));
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
    TRY(BATCH_RUN(s->pack->dev, inside_nearest, n, BATCH_TREE(p), &p->count, &p->face));
    const readout all[] = {READOUT(&p->count, 0, out->count, n),
                           READOUT(&p->face, 0, out->face, INSIDE_NEAR * n)};
    TRY(device_read_all(s->pack->dev, all, 2));
out:
    return err;
}

/* ---- the host */

static void batch_winding(solids_walk *w, solids_query *q, const batch_results *r, size_t i)
{
    q->touches = 0;
    if (r->winding && r->winding[i] != INSIDE_DOUBT)
        q->winding = r->winding[i];
    else
        q->winding = solids_winding(w, q->place, q->x, -1, &q->touches);
}

static int batch_depth(solids_walk *w, const solids_query *q, const batch_results *r, size_t i)
{
    uint32_t prim[INSIDE_NEAR];
    if (!r->count || !r->count[i] || r->count[i] == INSIDE_MANY)
        return solids_depth(w, q->place, q->x, q->winding, q->at);
    for (uint32_t k = 0; k < r->count[i]; k++)
        prim[k] = w->of->tree->prim[r->face[INSIDE_NEAR * i + k]];
    return solids_depth_of(w, q->place, q->x, q->winding, prim, r->count[i], q->at);
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

static int batch_finish_windings(const solids *s, solids_query *q, size_t n, const batch_results *r)
{
    int failed = 0;
#pragma omp parallel num_threads(s->threads) reduction(| : failed) if (n > BATCH_CHUNK)
    EACH_IN_FLOAT_ENV
    {
        solids_walk w = {.of = s};
#pragma omp for schedule(dynamic, BATCH_CHUNK)
        for (int64_t i = 0; i < (int64_t)n; i++)
            if (!w.err && !batch_cancelled(s))
                batch_winding(&w, &q[i], r, (size_t)i);
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
#pragma omp for schedule(dynamic, BATCH_CHUNK)
        for (int64_t i = 0; i < (int64_t)n; i++)
            if (!w.err && !batch_cancelled(s))
                missing |= !batch_depth(&w, &q[i], r, (size_t)i) && !w.err;
        failed |= w.err != 0;
        solids_walk_free(&w);
    }
    return batch_end(s, failed, missing);
}

/* ---- all */

int solids_windings(const solids *s, solids_query *q, size_t n)
{
    int err = IMP_OK, made = 0;
    batch_results r = {0};
    TRY(solids_trees(s));
    TRY(solids_pack_ready(s, n, &made));
    const size_t batch = made && s->pack->batch < n ? s->pack->batch : n;
    if (made)
        TRY(mem_alloc(s->mem, batch * sizeof *r.winding, &r.winding));
    for (size_t first = 0, m; first < n; first += m) {
        m = n - first < batch ? n - first : batch;
        if (made)
            TRY(batch_windings(s, q + first, m, &r));
        TRY(batch_finish_windings(s, q + first, m, &r));
    }
out:
    mem_free(s->mem, r.winding);
    return err;
}

int solids_depths(const solids *s, const solids_query *q, size_t n)
{
    int err = IMP_OK, made = 0;
    batch_results r = {0};
    TRY(solids_trees(s));
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
