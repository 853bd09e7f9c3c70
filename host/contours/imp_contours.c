/* imp_contours_find of impinge_contours.h. */
#include "contours.h"
#include "error.h"
#include "float_env.h"
#include "frame.h"

#include <math.h>
#include <stdlib.h>

/* ---- validation of the input */

static int contours_check_arrays(const char *name, const imp_frame *f, const imp_contacts *c)
{
    int err = IMP_OK;
    if (!f || !f->mesh || !c)
        FAIL(IMP_ERR_ARGUMENT, "%s: the frame, its mesh or contacts is NULL", name);
    const imp_mesh *m = f->mesh;
    const uint32_t corners = mesh_corners(m);
    if (m->corners < 0 || corners > IMP_TETRAHEDRA ||
        (m->corner_count && corners != IMP_TETRAHEDRA))
        FAIL(IMP_ERR_ARGUMENT, "%s: primitives of %d corners", name, m->corners);
    if (m->primitives && !m->corner)
        FAIL(IMP_ERR_ARGUMENT, "%s: corner is NULL, but there are to be %u primitives", name,
             m->primitives);
    if (c->count && (!c->a || !c->b || !c->kind || !c->points))
        FAIL(IMP_ERR_ARGUMENT, "%s: a, b, kind or points of %zu contacts is NULL", name, c->count);
    if (c->count && !c->end_features)
        FAIL(IMP_ERR_ARGUMENT, "%s: the contacts were found without end_features", name);
out:
    return err;
}

/* Checks the primitives, the kind and the features of contact i. */
static int contours_check_pair(const char *name, const imp_mesh *m, const imp_contacts *c, size_t i)
{
    int err = IMP_OK;
    const uint32_t a = c->a[i], b = c->b[i];
    if (a >= b || b >= m->primitives)
        FAIL(IMP_ERR_ARGUMENT,
             "%s: contact %zu is of primitives %u and %u: not two of %u, in order", name, i, a, b,
             m->primitives);
    if (i && (a < c->a[i - 1] || (a == c->a[i - 1] && b <= c->b[i - 1])))
        FAIL(IMP_ERR_ARGUMENT,
             "%s: contact %zu, of primitives %u and %u, comes after that of %u and "
             "%u: not in order, or of another frame",
             name, i, a, b, c->a[i - 1], c->b[i - 1]);
    if (c->kind[i] < IMP_KIND_POINT || c->kind[i] > IMP_KIND_SOLIDS)
        FAIL(IMP_ERR_ARGUMENT, "%s: contact %zu has kind %u: none of a frame", name, i, c->kind[i]);
out:
    return err;
}

static int contours_check_features(const char *name, const imp_mesh *m, const imp_contacts *c,
                                   size_t i, int *solid)
{
    int err = IMP_OK;
    const uint8_t *f = c->end_features + 4 * i;
    const int is_solid = mesh_corners_of(m, c->a[i]) == IMP_TETRAHEDRA ||
                         mesh_corners_of(m, c->b[i]) == IMP_TETRAHEDRA;
    for (int k = 0; k < 4; k++)
        if (is_solid ? f[k] != IMP_END_NONE : f[k] > IMP_END_FACE)
            FAIL(IMP_ERR_ARGUMENT, "%s: contact %zu has end feature %u of a %s", name, i, f[k],
                 mesh_kind_name(m, k % 2 ? c->b[i] : c->a[i]));
    for (int k = 0; k < 6; k++)
        if (!is_solid && !isfinite(c->points[6 * i + (size_t)k]))
            FAIL(IMP_ERR_ARGUMENT, "%s: a point of contact %zu is not finite", name, i);
    *solid = is_solid;
out:
    return err;
}

/* points: those of the vertices are needed. */
static int contours_check_primitive(const char *name, const imp_frame *f, uint32_t prim, int points)
{
    int err = IMP_OK;
    const imp_mesh *m = f->mesh;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t v = mesh_vertex(m, prim, k);
        if (v >= m->vertices)
            FAIL(IMP_ERR_ARGUMENT, "%s: corner %u of %s %u is vertex %u, but there are %u", name, k,
                 mesh_kind_name(m, prim), prim, v, m->vertices);
        double x[DIMENSIONS] = {0};
        if (points)
            frame_vertex(f, v, x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            FAIL(IMP_ERR_ARGUMENT, "%s: vertex %u of %s %u is not finite", name, v,
                 mesh_kind_name(m, prim), prim);
    }
out:
    return err;
}

static int contours_check_corners(const char *name, const imp_mesh *m, uint32_t prim)
{
    const uint32_t n = mesh_corners_of(m, prim);
    if (m->corner_count && n != IMP_TRIANGLES && n != IMP_TETRAHEDRA)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: primitive %u has %u corners, 3 or 4 are possible",
                        name, prim, n);
    return IMP_OK;
}

static int contours_check_contact(const char *name, const imp_frame *f, const imp_contacts *c,
                                  size_t i, int points)
{
    int err = IMP_OK, solid = 0;
    const int flat = contours_is_flat(c->kind[i]);
    TRY(contours_check_pair(name, f->mesh, c, i));
    TRY(contours_check_corners(name, f->mesh, c->a[i]));
    TRY(contours_check_corners(name, f->mesh, c->b[i]));
    TRY(contours_check_features(name, f->mesh, c, i, &solid));
    if (solid)
        return IMP_OK;
    if (flat && f->type != IMP_FLOAT64 && f->type != IMP_FLOAT32)
        FAIL(IMP_ERR_ARGUMENT, "%s: there is no type %d of points", name, f->type);
    if (flat && !f->point)
        FAIL(IMP_ERR_ARGUMENT, "%s: point is NULL, but contact %zu is an overlap in one plane",
             name, i);
    TRY(contours_check_primitive(name, f, c->a[i], points || flat));
    TRY(contours_check_primitive(name, f, c->b[i], points || flat));
out:
    return err;
}

/* The points, and the primitives without contacts. */
static int contours_check_whole(const char *name, const imp_frame *f)
{
    int err = IMP_OK;
    if (f->type != IMP_FLOAT64 && f->type != IMP_FLOAT32)
        FAIL(IMP_ERR_ARGUMENT, "%s: there is no type %d of points", name, f->type);
    if (!f->point)
        FAIL(IMP_ERR_ARGUMENT, "%s: point is NULL", name);
    for (uint32_t i = 0; i < f->mesh->primitives; i++) {
        TRY(contours_check_corners(name, f->mesh, i));
        TRY(contours_check_primitive(name, f, i, 0));
    }
out:
    return err;
}

int contours_check(const char *name, const imp_frame *f, const imp_contacts *c, int whole)
{
    int err = IMP_OK;
    TRY(contours_check_arrays(name, f, c));
    if (whole && f->mesh->primitives)
        TRY(contours_check_whole(name, f));
    for (size_t i = 0; i < c->count; i++)
        TRY(contours_check_contact(name, f, c, i, whole));
out:
    return err;
}

/* ---- the functions */

/* What the caller sees is its first member. */
typedef struct contours_result {
    imp_contours view;
    mem mem;
    contour_set found;
} contours_result;

static int contours_result_make(const imp_frame *f, const imp_contacts *c, contours_result **out)
{
    int err = IMP_OK;
    contours_result *r = calloc(1, sizeof *r);
    if (!r)
        return imp_fail(IMP_ERR_MEMORY, "no memory for contours");
    TRY(contours_find(&r->mem, f, c, &r->found));
    r->view = (imp_contours){.count = r->found.count,
                             .contour = r->found.of,
                             .points = r->found.points,
                             .point = r->found.point,
                             .without = r->found.none};
    *out = r;
out:
    if (err)
        imp_contours_free(&r->view);
    return err;
}

int imp_contours_find(const imp_frame *frame, const imp_contacts *contacts, imp_contours **out)
{
    int err = IMP_OK;
    contours_result *made = NULL;
    const float_entry entry = float_enter();
    if (!out)
        FAIL(IMP_ERR_ARGUMENT, "imp_contours_find: out is NULL");
    *out = NULL;
    TRY(contours_check("imp_contours_find", frame, contacts, 0));
    TRY(contours_result_make(frame, contacts, &made));
    *out = &made->view;
out:
    float_leave(entry);
    return err;
}

void imp_contours_free(imp_contours *c)
{
    contours_result *r = (contours_result *)(void *)c;
    if (r)
        contours_free(&r->mem, &r->found);
    free(r);
}
