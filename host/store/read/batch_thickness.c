/* See store.h: thicknesses of primitives. They belong to the mesh of a frame: one for all
 * primitives, or one for each object, or the values of a cell array. */
#include "batch.h"
#include "error.h"

#include <float.h>
#include <string.h>

static int batch_thickness_good(double x)
{
    return x >= 0 && x <= DBL_MAX;
}

/* ---- the cell array */

/* HDF5 would convert integers to floats, and lose digits of some. */
static int batch_thickness_open_array(batch *b, const char *name)
{
    int err = IMP_OK;
    char *path = NULL;
    h5_data *d = &b->thickness.data;
    const size_t bytes = strlen(name) + sizeof "CellData/";
    TRY(mem_alloc(b->mem, bytes, &path));
    snprintf(path, bytes, "CellData/%s", name);
    TRY(h5_data_open(b->mem, b->root, b->path, b->where.group, path, d));
    if (d->class != H5T_FLOAT || (d->size != 4 && d->size != 8) || (d->columns != 1 && d->rows))
        FAIL(IMP_ERR_INPUT, "%s: %s: not 1 column of floats of 4 or 8 bytes", b->path, d->name);
    TRY(mem_alloc(b->mem, b->frames * sizeof *b->thickness.row0, &b->thickness.row0));
    TRY(batch_array_rows(b, name, b->thickness.row0));
    for (uint64_t f = 0; f < b->frames; f++)
        TRY(batch_rows_fit(b, d, f, b->thickness.row0[f],
                           b->step[f].primitives + b->step[f].others));
    /* frames whose thicknesses have other rows have another mesh */
    for (uint64_t f = 1; f < b->frames && b->static_topology; f++)
        b->static_topology = batch_same_mesh(b, f, f - 1);
out:
    mem_free(b->mem, path);
    return err;
}

int batch_set_thickness(batch *b, const batch_thickness *of)
{
    b->thickness.of = *of;
    return of->source == BATCH_THICKNESS_ARRAY ? batch_thickness_open_array(b, of->name) : IMP_OK;
}

void batch_thickness_close(batch *b)
{
    h5_data_close(&b->thickness.data);
    mem_free(b->mem, b->thickness.row0);
}

/* ---- values */

/* Values that are no thickness are left to the reader of the mesh: they may be those of ghosts. */
int batch_thickness_most(batch *b, uint64_t frame, double *most)
{
    int err = IMP_OK;
    const batch_thickness *of = &b->thickness.of;
    const uint64_t cells = of->source == BATCH_THICKNESS_ARRAY ? b->step[frame].primitives : 0;
    double *value = NULL;
    *most = of->source == BATCH_THICKNESS_ALL ? of->all : 0;
    for (size_t i = 0; i < of->objects; i++)
        *most = of->value[i] > *most ? of->value[i] : *most;
    TRY(mem_alloc(b->mem, BATCH_CHUNK * sizeof *value, &value));
    for (uint64_t first = 0, n; first < cells; first += n) {
        n = cells - first < BATCH_CHUNK ? cells - first : BATCH_CHUNK;
        TRY(batch_thickness_read(b, frame, first, n, value));
        for (uint64_t i = 0; i < n; i++)
            if (batch_thickness_good(value[i]) && value[i] > *most)
                *most = value[i];
    }
out:
    mem_free(b->mem, value);
    return err;
}

int batch_thickness_read(const batch *b, uint64_t frame, uint64_t first, uint64_t n, double *out)
{
    return h5_data_read(&b->thickness.data, b->thickness.row0[frame] + first, n, H5T_NATIVE_DOUBLE,
                        out);
}

static int batch_thickness_unknown(const batch *b, uint64_t frame, int32_t object)
{
    const char *name = batch_object_name(&b->names, object);
    return imp_fail(IMP_ERR_INPUT, "%s: has no thickness of object %d%s%.60s%s of frame %llu",
                    b->thickness.of.name, (int)object, name ? " ('" : "", name ? name : "",
                    name ? "')" : "", (unsigned long long)frame);
}

/* Returns the thickness of an object, or NULL, by binary search. */
static const double *batch_thickness_of(const batch_thickness *of, int32_t object)
{
    size_t low = 0, high = of->objects;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (of->object[middle] == object)
            return &of->value[middle];
        if (of->object[middle] < object)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int batch_thickness_by_object(const batch *b, uint64_t frame, const int32_t *object,
                                     uint64_t n, double *out)
{
    const double *value = NULL;
    for (uint64_t i = 0; i < n; i++) {
        const int32_t id = object ? object[i] : 0;
        if (!i || (object && id != object[i - 1]))
            value = batch_thickness_of(&b->thickness.of, id);
        if (!value)
            return batch_thickness_unknown(b, frame, id);
        out[i] = *value;
    }
    return IMP_OK;
}

/* number: those of the primitives in the frame; NULL: the same */
static int batch_thickness_check(const batch *b, uint64_t frame, const uint32_t *number, uint64_t n,
                                 const double *value)
{
    for (uint64_t i = 0; i < n; i++)
        if (!batch_thickness_good(value[i]))
            return imp_fail(IMP_ERR_INPUT,
                            "%s: %s: cell %llu of frame %llu has %g; a thickness is finite and at "
                            "least 0",
                            b->path, b->thickness.data.name,
                            (unsigned long long)(number ? number[i] : i), (unsigned long long)frame,
                            value[i]);
    return IMP_OK;
}

int batch_thickness_fill(const batch *b, uint64_t frame, batch_mesh *m)
{
    const batch_thickness *of = &b->thickness.of;
    const uint64_t n = m->mesh.primitives;
    m->mesh.thickness = m->thickness;
    if (of->source == BATCH_THICKNESS_ARRAY)
        return batch_thickness_check(b, frame, m->slab.number, n, m->thickness);
    if (of->source == BATCH_THICKNESS_OBJECTS)
        return batch_thickness_by_object(b, frame, m->object, n, m->thickness);
    for (uint64_t i = 0; i < n && of->source; i++)
        m->thickness[i] = of->all;
    return IMP_OK;
}

int batch_mesh_thickness(const batch *b, uint64_t frame, batch_mesh *m)
{
    int err = IMP_OK;
    const uint64_t n = m->mesh.primitives;
    if (!b->thickness.of.source)
        return IMP_OK;
    TRY(mem_alloc(b->mem, n * sizeof *m->thickness, &m->thickness));
    if (b->thickness.of.source == BATCH_THICKNESS_ARRAY)
        TRY(batch_thickness_read(b, frame, 0, n, m->thickness));
out:
    return err;
}
