/* See solids_measure.h. */
#include "solids_measure.h"

#include "exact_form.h"
#include "launch.h"

#include "lane_vec.h"
#include "lane_measure.h"

#include <string.h>

static v3 measure_at(const double x[3])
{
    return v3_make(x[0], x[1], x[2]);
}

/* A pair out of range gets a unit of 0, with which nothing is certain. */
void solids_measure_add(const solids *s, uint32_t prim, const double x[3], solids_measure *m)
{
    const uint32_t i = m->count++;
    const imp_frame *f = s->mesh.frame;
    double p[4][3];
    lane_mask sure;
    memcpy(p[0], x, sizeof p[0]);
    for (uint32_t k = 0; k < 3; k++)
        frame_vertex(f, mesh_vertex(f->mesh, prim, k), p[k + 1]);
    for (size_t k = 0; k < MEASURE_POINTS; k++) {
        for (size_t axis = 0; axis < 3; axis++)
            m->x[(3 * k + axis) * MEASURE_ROOM + i] = p[k][axis];
        m->at[k * MEASURE_ROOM + i] = (uint32_t)(3 * k * MEASURE_ROOM + i);
    }
    m->row[i] = i;
    m->unit[i] =
        measure_unit(measure_at(p[1]), measure_at(p[2]), measure_at(p[3]), measure_at(p[0]), &sure);
    m->unit[i] = sure ? m->unit[i] : 0;
}

void solids_measure_run(const device *d, solids_measure *m)
{
    buffer_f64 x = {{.data = m->x}}, unit = {{.data = m->unit}}, out = {{.data = m->out}};
    buffer_u32 row = {{.data = m->row}}, at = {{.data = m->at}};
    buffer_u8 sure = {{.data = m->sure}};
    for (uint32_t to = m->count; to % 8; to++) {
        m->row[to] = m->row[to - 1];
        for (size_t k = 0; k < MEASURE_POINTS; k++)
            m->at[k * MEASURE_ROOM + to] = m->at[k * MEASURE_ROOM + to - 1];
    }
    RUN_HERE(d, measure_parts8, (m->count + 7) / 8, (uint32_t)MEASURE_VERTEX_FACE, MEASURE_ROOM, &x,
             &unit, &row, &at, &out, &sure);
}

/* result: enum measure_result */
static double measure_result_of(const solids_measure *m, int result, uint32_t i)
{
    return m->out[(size_t)result * MEASURE_ROOM + i];
}

int solids_measure_get(const solids_measure *m, uint32_t i, exact_nearest *out)
{
    if (!m->sure[i] || m->unit[i] == 0)
        return 0;
    out->distance = measure_result_of(m, MEASURE_DISTANCE, i);
    for (int k = 0; k < 3; k++) {
        out->weight[1][k] = measure_result_of(m, MEASURE_WEIGHT + 1 + k, i);
        out->point[3 + k] = measure_result_of(m, MEASURE_NEAREST + 3 + k, i);
    }
    return 1;
}
