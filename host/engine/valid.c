/* Checks of what a caller hands over, before its use: missing arrays, indices beyond the vertices,
 * invalid choices. */
#include "engine.h"

#include "bodies.h"
#include "error.h"
#include "float_env.h"
#include "internal.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#define PRIMITIVES_MOST INT32_MAX
#define VERTICES_MOST (UINT32_MAX - 1)
/* Indices that one thread reads in the time that it takes to wake others. */
#define ALONE (1 << 18)

/* ---- options */

/* Enumerations of impinge.h begin with 0, the default. */
static int choice_check(const char *name, int value, int most)
{
    if (value >= 0 && value <= most)
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT, "%s: there is no choice %d", name, value);
}

/* Are there options of the method "tree" alone? */
static int def_tree(const imp_def *def)
{
    return def->volume || def->build || def->descent || def->degree || def->leaf ||
           def->hybrid_level;
}

/* If a cell is set no option of trees is: tree_check refuses both together. */
const char *def_broad(const imp_def *def)
{
    return def->cell > 0 ? "hash" : def_tree(def) ? "tree" : def->broad;
}

static int tree_check(const imp_def *def)
{
    int err = IMP_OK;
    if (def_tree(def) && def->broad && strcmp(def->broad, "auto") && strcmp(def->broad, "tree"))
        FAIL(IMP_ERR_ARGUMENT,
             "volume, build, descent, degree, leaf, hybrid_level: of the method 'tree', not '%s'",
             def->broad);
    if (def_tree(def) && def->cell > 0)
        FAIL(IMP_ERR_ARGUMENT, "cell: only the method 'hash' has cells, not 'tree'");
    /* Parts would never get smaller. */
    if (def->degree == 1)
        FAIL(IMP_ERR_ARGUMENT, "degree: a node of a tree has 2 children or more, not 1");
    if (def->hybrid_level && def->volume != IMP_VOLUME_HYBRID)
        FAIL(IMP_ERR_ARGUMENT, "hybrid_level: only with the volume 'hybrid'");
    TRY(choice_check("volume", def->volume, IMP_VOLUME_HYBRID));
    TRY(choice_check("build", def->build, IMP_BUILD_BOTTOM_UP));
    TRY(choice_check("descent", def->descent, IMP_DESCENT_SIMULTANEOUS));
out:
    return err;
}

int def_check(const imp_def *def)
{
    int err = IMP_OK, k = def->dop_k;
    if (k != 0 && k != 6 && k != 8 && k != 14 && k != 18 && k != 26)
        FAIL(IMP_ERR_ARGUMENT, "dop: %d is none of 6, 8, 14, 18, 26", k);
    /* In this form NaN fails. */
    if (!(def->cell >= 0 && def->cell <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "cell: %g is not a positive length", def->cell);
    if (def->device && !strcasecmp(def->device, IMP_ALL_DEVICES))
        FAIL(IMP_ERR_ARGUMENT, "device: '%s' are several; only 'impinge run' takes them all",
             def->device);
    const broad_method *method;
    if (!broad_find(def->broad, &method))
        FAIL(IMP_ERR_ARGUMENT, "broad: there is no method '%s'", def->broad);
    if (def->cell > 0 && def->broad && strcmp(def->broad, "auto") && strcmp(def->broad, "hash"))
        FAIL(IMP_ERR_ARGUMENT, "cell: only the method 'hash' has cells, not '%s'", def->broad);
    if (!(def->min_separation >= 0 && def->min_separation <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "min_separation: %g is not a distance", def->min_separation);
    if (def->min_separation > 0 && !def->continuous)
        FAIL(IMP_ERR_ARGUMENT, "min_separation: only between frames (continuous)");
    if (!(def->tolerance >= 0 && def->tolerance <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "tolerance: %g is not a distance", def->tolerance);
    if (def->tolerance > 0 && !def->continuous)
        FAIL(IMP_ERR_ARGUMENT, "tolerance: only between frames (continuous)");
    TRY(tree_check(def));
    if (def->threads < 0 || def->threads > THREADS_MOST)
        FAIL(IMP_ERR_ARGUMENT, "threads: %d, at most %d are possible", def->threads, THREADS_MOST);
    TRY(choice_check("adjacent", def->adjacent, IMP_ADJACENT_TEST));
    TRY(choice_check("pairs", def->pairs, IMP_PAIRS_BETWEEN));
    TRY(choice_check("stage", def->stage, IMP_STAGE_CANDIDATES));
    TRY(choice_check("on_bad", def->on_bad, IMP_BAD_SKIP));
    TRY(choice_check("update", def->update, IMP_UPDATE_KEEP));
    if (def->object_pairs > UINT32_MAX)
        FAIL(IMP_ERR_ARGUMENT, "object_pairs: %zu are too many", def->object_pairs);
    if (def->object_pairs && !def->object_pair)
        FAIL(IMP_ERR_ARGUMENT, "object_pair: NULL, but there are to be %zu", def->object_pairs);
    if (def->object_pair && !def->object_pairs && !def->object_pairs_exclude)
        FAIL(IMP_ERR_ARGUMENT, "object_pairs: the list is empty, which leaves no pair to test; "
                               "without a list all pairs are tested");
out:
    return err;
}

/* ---- frames */

/* Only called where a bad corner exists, so the search ends. */
static int index_fail(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    size_t i = 0;
    uint32_t n = mesh_corners(m);
    while (mesh_vertex(m, i / n, (uint32_t)(i % n)) < m->vertices)
        i++;
    return imp_fail(IMP_ERR_ARGUMENT,
                    "frame %llu: corner %zu of %s %zu is vertex %u, but there are %u",
                    (unsigned long long)f->number, i % n, mesh_kind_name(m, i / n), i / n,
                    m->corner[i], m->vertices);
}

/* Their own corners, of primitives of several kinds. Corners behind a primitive's own may be
 * anything: no stage takes them for vertices. */
static int mixed_check(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    for (size_t i = 0; i < m->primitives; i++) {
        if (m->corner_count[i] != IMP_TRIANGLES && m->corner_count[i] != IMP_TETRAHEDRA)
            return imp_fail(IMP_ERR_ARGUMENT,
                            "frame %llu: primitive %zu has %u corners, 3 or 4 are possible",
                            (unsigned long long)f->number, i, m->corner_count[i]);
        for (uint32_t k = 0; k < m->corner_count[i]; k++)
            if (mesh_vertex(m, i, k) >= m->vertices)
                return index_fail(f);
    }
    return IMP_OK;
}

/* The maximum alone decides, as fast as memory is read; only an error searches for the corner. */
static int index_check(const imp *p, const imp_frame *f)
{
    const uint32_t *index = f->mesh->corner;
    int64_t n = (int64_t)mesh_corner_count(f->mesh);
    uint32_t most = 0;
    (void)p;
    if (f->mesh->corner_count)
        return mixed_check(f);
#pragma omp parallel num_threads(p->context.threads) if (n > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(max : most) nowait
    for (int64_t i = 0; i < n; i++)
        most = index[i] > most ? index[i] : most;
    return n && most >= f->mesh->vertices ? index_fail(f) : IMP_OK;
}

static int frame_check(const imp *p, const imp_frame *f)
{
    int err = IMP_OK;
    unsigned long long number = f->number;
    const imp_mesh *m = f->mesh;
    if (!m)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: mesh is NULL", number);
    if (f->type != IMP_FLOAT64 && f->type != IMP_FLOAT32)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: there is no type %d of points", number, f->type);
    if (m->corners < 0 || m->corners > IMP_TETRAHEDRA)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: primitives of %d corners, at most %d are possible",
             number, m->corners, IMP_TETRAHEDRA);
    if (m->corner_count && m->corners != IMP_TETRAHEDRA)
        FAIL(IMP_ERR_ARGUMENT,
             "frame %llu: only of primitives of 4 corners some may have 3, not of %u", number,
             mesh_corners(m));
    if (m->primitives > PRIMITIVES_MOST)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: %u primitives, at most %d are possible", number,
             m->primitives, PRIMITIVES_MOST);
    if (m->vertices > VERTICES_MOST)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: %u vertices, at most %u are possible", number,
             m->vertices, VERTICES_MOST);
    if (m->primitives && !m->corner)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: corner is NULL, but there are to be %u", number,
             m->primitives);
    if (p->def.ids && m->primitives && !m->id)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: id is NULL, but there are to be %u", number,
             m->primitives);
    if (m->vertices && !f->point)
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: point is NULL, but there are to be %u vertices", number,
             m->vertices);
    TRY(bodies_listed(m, &(bodies_of){IMP_ERR_ARGUMENT, NULL, number}));
    /* It decides how far bodies turn. */
    if (f->pose && m->bodies && !isfinite(f->time))
        FAIL(IMP_ERR_ARGUMENT, "frame %llu: its time is %g", number, f->time);
out:
    return err;
}

/* *found: the bodies of the mesh that was looked at last. */
static int poses_look(imp *p, const imp_frame *f, body_set *found)
{
    int err = IMP_OK;
    const bodies_of of = {IMP_ERR_ARGUMENT, NULL, f->number};
    if (!f->pose || !f->mesh->bodies)
        return IMP_OK;
    if (found->mesh != f->mesh) {
        bodies_free(&p->mem, found);
        TRY(bodies_find(&p->mem, f->mesh, &of, found));
        bodies_measure(found);
    }
    err = bodies_check(found, f, p->context.threads, &of);
out:
    return err;
}

/* Consecutive frames mostly have one mesh: its corners are checked once, points and poses in each
 * frame. */
int frames_check(imp *p, const imp_frame *frames, size_t count)
{
    int err = IMP_OK;
    body_set found = {0};
    if (count && !frames)
        FAIL(IMP_ERR_ARGUMENT, "frames: NULL, but there are to be %zu", count);
    for (size_t i = 0; i < count; i++) {
        TRY(frame_check(p, &frames[i]));
        if (!p->def.unchecked && (i == 0 || frames[i].mesh != frames[i - 1].mesh))
            TRY(index_check(p, &frames[i]));
        if (!p->def.unchecked)
            TRY(poses_look(p, &frames[i], &found));
        if (p->def.continuous && i && frames[i].mesh != frames[i - 1].mesh)
            FAIL(IMP_ERR_ARGUMENT,
                 "frame %llu: another mesh than frame %llu: no vertices to follow",
                 (unsigned long long)frames[i].number, (unsigned long long)frames[i - 1].number);
    }
out:
    bodies_free(&p->mem, &found);
    return err;
}
