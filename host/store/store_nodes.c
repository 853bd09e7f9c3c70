/* See store_batch.h: numbers of points, by which those of several blocks or parts are one. */
#include "store_batch.h"

#include "error.h"

#include <string.h>

/* As VTK's filters, its Exodus readers and other writers call them. */
static const char *const node_arrays[] = {"GlobalPointIds", "GlobalNodeIds", "GlobalNodeId"};

const char *batch_node_array(const batch *b)
{
    char name[60];
    for (size_t i = 0; i < sizeof node_arrays / sizeof *node_arrays; i++) {
        snprintf(name, sizeof name, "PointData/%s", node_arrays[i]);
        if (h5_exists(b->root, name))
            return node_arrays[i];
    }
    return NULL;
}

void batch_nodes_remark(batch *b)
{
    const char *name = batch_node_array(b);
    int several = 0;
    for (uint64_t f = 0; f < b->frames && name; f++)
        several |= b->step[f].parts > 1;
    if (several)
        batch_add_remark(b,
                         "%s/PointData/%s: parts that have the same points are read as if they "
                         "had not; impinge convert makes them share",
                         b->where.group, name);
}

/* Steps/PointDataOffsets of the array if it has one, else the frame's first point. */
static int store_nodes_first(const batch *b, const char *name, uint64_t frame, uint64_t *first)
{
    int err = IMP_OK;
    int64_t row = 0;
    h5_data offsets = {.id = -1};
    char entry[80];
    *first = b->step[frame].point0;
    snprintf(entry, sizeof entry, "PointDataOffsets/%s", name);
    if (b->steps < 0 || !h5_exists(b->steps, entry))
        return IMP_OK;
    TRY(h5_data_open(b->mem, b->steps, b->path, b->where.steps, entry, &offsets));
    if (offsets.class != H5T_INTEGER || offsets.columns != 1 || offsets.rows <= frame)
        FAIL(IMP_ERR_INPUT, "%s: %s: not a row of integers for each step", b->path, offsets.name);
    TRY(h5_data_read(&offsets, frame, 1, H5T_NATIVE_INT64, &row));
    if (row < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: step %llu begins at %lld", b->path, offsets.name,
             (unsigned long long)frame, (long long)row);
    *first = (uint64_t)row;
out:
    h5_data_close(&offsets);
    return err;
}

int batch_nodes_read(const batch *b, uint64_t frame, int64_t *out)
{
    int err = IMP_OK;
    uint64_t first = 0;
    const uint64_t vertices = b->step[frame].vertices;
    const char *name = batch_node_array(b);
    h5_data d = {.id = -1};
    char path[80];
    snprintf(path, sizeof path, "PointData/%s", name);
    TRY(store_nodes_first(b, name, frame, &first));
    TRY(h5_data_open(b->mem, b->root, b->path, b->where.group, path, &d));
    if (d.class != H5T_INTEGER || (d.columns != 1 && d.rows))
        FAIL(IMP_ERR_INPUT, "%s: %s: not 1 column(s) of integers", b->path, d.name);
    TRY(batch_rows_fit(b, &d, frame, first, vertices));
    TRY(h5_data_read(&d, first, vertices, H5T_NATIVE_INT64, out));
out:
    h5_data_close(&d);
    return err;
}
