/* imp_weld_holds of impinge_weld.h. */
#include "impinge_weld.h"

#include "error.h"
#include "float_env.h"
#include "positions.h"

#include <float.h>
#include <math.h>

/* hypot rounds: a little more than the tolerance is within it, so that the frame of which the map
 * was made is right. */
static int weld_holds_near(const imp_frame *f, uint32_t a, uint32_t b, double tolerance)
{
    double x[DIMENSIONS], y[DIMENSIONS], d[DIMENSIONS];
    if (position_same(f, 1, a, b))
        return 1;
    frame_vertex(f, a, x);
    frame_vertex(f, b, y);
    for (int k = 0; k < DIMENSIONS; k++)
        d[k] = x[k] == y[k] ? 0 : x[k] - y[k];
    return tolerance > 0 && hypot(hypot(d[0], d[1]), d[2]) <= tolerance * (1 + 0x1p-40);
}

int imp_weld_holds(const imp_frame *frame, double tolerance, const uint32_t *map, int *yes)
{
    if (!frame || !frame->mesh || !yes || (frame->mesh->vertices && (!map || !frame->point)))
        return imp_fail(IMP_ERR_ARGUMENT, "imp_weld_holds: frame, map or yes is NULL");
    if (frame->type != IMP_FLOAT64 && frame->type != IMP_FLOAT32)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_weld_holds: there is no type %d of points",
                        frame->type);
    if (!(tolerance >= 0 && tolerance <= DBL_MAX))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "imp_weld_holds: the tolerance %g is not finite, 0 or more", tolerance);
    for (uint32_t v = 0; v < frame->mesh->vertices; v++)
        if (map[v] >= frame->mesh->vertices)
            return imp_fail(IMP_ERR_ARGUMENT,
                            "imp_weld_holds: map[%u] is vertex %u, but there are %u", v, map[v],
                            frame->mesh->vertices);
    const float_entry entry = float_enter();
    *yes = 1;
    for (uint32_t v = 0; *yes && v < frame->mesh->vertices; v++)
        *yes = map[v] == v || weld_holds_near(frame, map[v], v, tolerance);
    float_leave(entry);
    return IMP_OK;
}
