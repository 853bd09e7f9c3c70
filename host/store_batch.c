/* Room 1: reading a batch of frames from VTKHDF. All counts and offsets are checked when the file
 * is opened, so that a batch whose frame 900 is bad is refused before frame 0 is computed; indices
 * are checked as topology is read (store_mesh.c). */
#include "store_batch.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

#define VERTICES_MOST (UINT32_MAX - 1)
#define TRIANGLES_MOST INT32_MAX

#define STEPS "/VTKHDF/Steps"

/* ---- what kind of file it is */

static int check_version(batch *b)
{
    int64_t v[2];
    char type[64];
    int err = IMP_OK;
    TRY(h5_attr_text(b->root, b->path, "/VTKHDF", "Type", type, sizeof type));
    if (strcmp(type, "PolyData") && strcmp(type, "UnstructuredGrid"))
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: Type is '%s'; PolyData or UnstructuredGrid is needed",
             b->path, type);
    b->unstructured = type[0] == 'U';
    snprintf(b->cells, sizeof b->cells, "%s", b->unstructured ? "/VTKHDF" : "/VTKHDF/Polygons");
    TRY(h5_attr_integers(b->root, b->path, "/VTKHDF", "Version", v, 2));
    if (v[0] != 2 && !(v[0] == 1 && b->unstructured))
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: Version %lld.%lld of %s is not supported", b->path,
             (long long)v[0], (long long)v[1], type);
out:
    return err;
}

/* Vertices, Lines and Strips of PolyData must hold no cells. */
static int check_no_cells(batch *b, const char *name)
{
    int err = IMP_OK;
    int64_t *count = NULL;
    uint64_t n = 0;
    char part[64], where[64];
    snprintf(part, sizeof part, "%s/NumberOfCells", name);
    snprintf(where, sizeof where, "/VTKHDF/%s", name);
    if (!h5_exists(b->root, part))
        return IMP_OK;
    TRY(h5_read_integers(b->mem, b->root, b->path, "/VTKHDF", part, 1, &count, &n));
    for (uint64_t i = 0; i < n; i++)
        if (count[i] != 0)
            FAIL(IMP_ERR_INPUT, "%s: %s: has cells (part %llu); only Polygons are supported",
                 b->path, where, (unsigned long long)i);
out:
    mem_free(b->mem, count);
    return err;
}

/* ---- counts of parts */

static int read_counts(batch *b, const char *name, int64_t **out)
{
    int err = IMP_OK;
    uint64_t n = 0;
    TRY(h5_read_integers(b->mem, b->root, b->path, "/VTKHDF", name, 1, out, &n));
    if (b->part_points != *out && n != b->parts)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/%s: has %llu parts, NumberOfPoints %llu", b->path, name,
             (unsigned long long)n, (unsigned long long)b->parts);
    b->parts = n;
    for (uint64_t i = 0; i < n; i++)
        if ((*out)[i] < 0 || (*out)[i] > INT64_MAX / 4)
            FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/%s: %lld in part %llu", b->path, name,
                 (long long)(*out)[i], (unsigned long long)i);
out:
    return err;
}

static int read_parts(batch *b)
{
    int err = IMP_OK;
    int u = b->unstructured;
    TRY(read_counts(b, "NumberOfPoints", &b->part_points));
    TRY(read_counts(b, u ? "NumberOfCells" : "Polygons/NumberOfCells", &b->part_cells));
    TRY(read_counts(b, u ? "NumberOfConnectivityIds" : "Polygons/NumberOfConnectivityIds",
                    &b->part_ids));
out:
    return err;
}

/* ---- steps */

/* Step values are there, one for each step. */
static int check_values(const batch *b, uint64_t frames)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    hid_t steps = H5Gopen2(b->root, "Steps", H5P_DEFAULT);
    TRY(h5_data_open(steps, b->path, STEPS, "Values", &d));
    if (d.columns != 1 || (d.class != H5T_FLOAT && d.class != H5T_INTEGER))
        FAIL(IMP_ERR_INPUT, "%s: %s: not a list of numbers", b->path, d.name);
    if (d.rows < frames)
        FAIL(IMP_ERR_INPUT, "%s: %s: has %llu steps, NSteps is %llu", b->path, d.name,
             (unsigned long long)d.rows, (unsigned long long)frames);
out:
    h5_data_close(&d);
    H5Gclose(steps);
    return err;
}

static int read_times(batch *b)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    hid_t steps = H5Gopen2(b->root, "Steps", H5P_DEFAULT);
    TRY(h5_data_open(steps, b->path, STEPS, "Values", &d));
    TRY(h5_data_read(&d, 0, b->frames, H5T_NATIVE_DOUBLE, b->time));
out:
    h5_data_close(&d);
    H5Gclose(steps);
    return err;
}

/* One column of a table of Steps: name[frame], or name[frame][column] of `columns`. */
static int step_column(batch *b, const char *name, uint64_t columns, int64_t **out)
{
    int err = IMP_OK;
    uint64_t rows = 0;
    hid_t steps = H5Gopen2(b->root, "Steps", H5P_DEFAULT);
    h5_data d = {.id = -1};
    if (columns == 1) { /* VTK writes one column as one or two dimensions */
        TRY(h5_data_open(steps, b->path, STEPS, name, &d));
        columns = d.columns;
    }
    TRY(h5_read_integers(b->mem, steps, b->path, STEPS, name, columns, out, &rows));
    if (rows < b->frames || columns == 0)
        FAIL(IMP_ERR_INPUT, "%s: " STEPS "/%s: has %llu steps, NSteps is %llu", b->path, name,
             (unsigned long long)rows, (unsigned long long)b->frames);
    for (uint64_t i = 0; i < b->frames * columns; i++)
        if ((*out)[i] < 0)
            FAIL(IMP_ERR_INPUT, "%s: " STEPS "/%s: %lld in step %llu", b->path, name,
                 (long long)(*out)[i], (unsigned long long)(i / columns));
out:
    h5_data_close(&d);
    H5Gclose(steps);
    return err;
}

/* where[frame] of the cell array `name`, if Steps/CellDataOffsets says so, else the frame's own
 * first cell */
static int array_offsets(batch *b, const char *name, size_t field)
{
    int err = IMP_OK;
    int64_t *at = NULL;
    char entry[200];
    snprintf(entry, sizeof entry, "CellDataOffsets/%s", name);
    char full[256];
    snprintf(full, sizeof full, "Steps/%s", entry);
    if (b->temporal && h5_exists(b->root, full))
        TRY(step_column(b, entry, 1, &at));
    for (uint64_t f = 0; f < b->frames; f++) {
        uint64_t row = at ? (uint64_t)at[f] : b->step[f].data0;
        memcpy((char *)&b->step[f] + field, &row, sizeof row);
    }
out:
    mem_free(b->mem, at);
    return err;
}

static int read_steps(batch *b)
{
    int err = IMP_OK;
    int64_t *part0 = NULL, *parts = NULL, *point0 = NULL, *cell0 = NULL, *id0 = NULL;
    uint64_t topologies = b->unstructured ? 1 : 4, polygons = b->unstructured ? 0 : 2;
    TRY(step_column(b, "PartOffsets", 1, &part0));
    if (h5_exists(b->root, "Steps/NumberOfParts"))
        TRY(step_column(b, "NumberOfParts", 1, &parts));
    TRY(step_column(b, "PointOffsets", 1, &point0));
    TRY(step_column(b, "CellOffsets", topologies, &cell0));
    TRY(step_column(b, "ConnectivityIdOffsets", topologies, &id0));
    for (uint64_t f = 0; f < b->frames; f++) {
        batch_step *s = &b->step[f];
        s->part0 = (uint64_t)part0[f];
        s->parts = parts ? (uint64_t)parts[f] : 1;
        s->point0 = (uint64_t)point0[f];
        s->cell0 = (uint64_t)cell0[f * topologies + polygons];
        s->id0 = (uint64_t)id0[f * topologies + polygons];
        s->data0 = 0;
        for (uint64_t t = 0; t < topologies; t++)
            s->data0 += (uint64_t)cell0[f * topologies + t];
    }
out:
    mem_free(b->mem, part0);
    mem_free(b->mem, parts);
    mem_free(b->mem, point0);
    mem_free(b->mem, cell0);
    mem_free(b->mem, id0);
    return err;
}

/* Sums over a frame's parts, held against what the datasets hold. */
static int check_step(batch *b, uint64_t f)
{
    batch_step *s = &b->step[f];
    unsigned long long frame = f;
    if (s->part0 > b->parts || s->parts > b->parts - s->part0)
        return imp_fail(IMP_ERR_INPUT, "%s: " STEPS "/PartOffsets: step %llu goes past part %llu",
                        b->path, frame, (unsigned long long)b->parts);
    uint64_t ids = 0;
    for (uint64_t i = s->part0; i < s->part0 + s->parts; i++) {
        s->vertices += (uint64_t)b->part_points[i];
        s->triangles += (uint64_t)b->part_cells[i];
        ids += (uint64_t)b->part_ids[i];
        if (s->vertices > VERTICES_MOST || s->triangles > TRIANGLES_MOST || ids > INT64_MAX / 4)
            return imp_fail(IMP_ERR_INPUT, "%s: frame %llu: more than %u vertices or %d triangles",
                            b->path, frame, VERTICES_MOST, TRIANGLES_MOST);
    }
    const struct {
        const h5_data *data;
        uint64_t first, rows;
        int needed;
    } want[] = {
        {&b->points, s->point0, s->vertices, 1},
        {&b->connectivity, s->id0, ids, 1},
        {&b->types, s->cell0, s->triangles, b->unstructured},
        {&b->object, s->object0, s->triangles, b->object_array[0] != 0},
        {&b->primitive, s->primitive0, s->triangles, b->has_primitive},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (want[i].needed && (want[i].rows > want[i].data->rows ||
                               want[i].first > want[i].data->rows - want[i].rows))
            return imp_fail(IMP_ERR_INPUT, "%s: %s: has %llu rows, frame %llu needs %llu from %llu",
                            b->path, want[i].data->name, (unsigned long long)want[i].data->rows,
                            frame, (unsigned long long)want[i].rows,
                            (unsigned long long)want[i].first);
    return IMP_OK;
}

static int steps_open(batch *b)
{
    int err = IMP_OK;
    int64_t n = 1;
    if (b->temporal) {
        hid_t steps = H5Gopen2(b->root, "Steps", H5P_DEFAULT);
        if (steps < 0)
            FAIL(IMP_ERR_INPUT, "%s: " STEPS ": not a group", b->path);
        err = h5_attr_integers(steps, b->path, STEPS, "NSteps", &n, 1);
        H5Gclose(steps);
        TRY(err);
    }
    if (n < 0)
        FAIL(IMP_ERR_INPUT, "%s: " STEPS ": NSteps is %lld", b->path, (long long)n);
    if (b->temporal) /* before anything of that size is allocated */
        TRY(check_values(b, (uint64_t)n));
    b->frames = (uint64_t)n;
    TRY(mem_alloc(b->mem, b->frames * sizeof *b->step, &b->step));
    TRY(mem_alloc(b->mem, b->frames * sizeof *b->time, &b->time));
    memset(b->step, 0, b->frames * sizeof *b->step);
    memset(b->time, 0, b->frames * sizeof *b->time);
    if (!b->temporal) {
        b->step[0].parts = b->parts;
        goto out;
    }
    TRY(read_times(b));
    TRY(read_steps(b));
out:
    return err;
}

/* ---- arrays */

static int open_array(batch *b, const char *name, H5T_class_t class, uint64_t columns, h5_data *out)
{
    int err = h5_data_open(b->root, b->path, "/VTKHDF", name, out);
    if (!err && (out->class != class || (out->columns != columns && out->rows)))
        err = imp_fail(IMP_ERR_INPUT, "%s: %s: not %llu column(s) of %s", b->path, out->name,
                       (unsigned long long)columns, class == H5T_FLOAT ? "floats" : "integers");
    return err;
}

/* Which cell array tells the objects, and whether primitives have names. */
static int open_cell_arrays(batch *b, const char *array)
{
    int err = IMP_OK;
    char name[160];
    b->has_object = h5_exists(b->root, "CellData/ObjectId");
    if (b->objects == BATCH_OBJECT_ID && b->has_object)
        array = "ObjectId";
    else if (b->objects != BATCH_ARRAY)
        array = "";
    if (strlen(array) >= sizeof b->object_array)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/CellData/%s: missing", b->path, array);
    snprintf(b->object_array, sizeof b->object_array, "%s", array);
    if (b->object_array[0]) {
        snprintf(name, sizeof name, "CellData/%s", b->object_array);
        TRY(open_array(b, name, H5T_INTEGER, 1, &b->object));
        TRY(array_offsets(b, b->object_array, offsetof(batch_step, object0)));
    }
    b->has_primitive = h5_exists(b->root, "CellData/PrimitiveId");
    if (b->has_primitive) {
        TRY(open_array(b, "CellData/PrimitiveId", H5T_INTEGER, 1, &b->primitive));
        TRY(array_offsets(b, "PrimitiveId", offsetof(batch_step, primitive0)));
    }
out:
    return err;
}

static int open_arrays(batch *b)
{
    int err = IMP_OK;
    const char *prefix = b->unstructured ? "" : "Polygons/";
    char name[64];
    TRY(open_array(b, "Points", H5T_FLOAT, 3, &b->points));
    if (b->points.size != 4 && b->points.size != 8)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/Points: floats of %zu bytes; 4 or 8 are needed", b->path,
             b->points.size);
    b->type = b->points.size == 4 ? IMP_FLOAT32 : IMP_FLOAT64;
    snprintf(name, sizeof name, "%sConnectivity", prefix);
    TRY(open_array(b, name, H5T_INTEGER, 1, &b->connectivity));
    snprintf(name, sizeof name, "%sOffsets", prefix);
    TRY(open_array(b, name, H5T_INTEGER, 1, &b->offsets));
    if (b->unstructured)
        TRY(open_array(b, "Types", H5T_INTEGER, 1, &b->types));
out:
    return err;
}

/* ---- the file */

static int batch_check(batch *b, const char *array)
{
    int err = IMP_OK;
    if (!h5_exists(b->file, "VTKHDF"))
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: missing; not a VTKHDF file", b->path);
    b->root = H5Gopen2(b->file, "VTKHDF", H5P_DEFAULT);
    if (b->root < 0)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: not a group", b->path);
    TRY(check_version(b));
    if (!b->unstructured) {
        TRY(check_no_cells(b, "Vertices"));
        TRY(check_no_cells(b, "Lines"));
        TRY(check_no_cells(b, "Strips"));
    }
    TRY(read_parts(b));
    TRY(open_arrays(b));
    b->temporal = h5_exists(b->root, "Steps");
    TRY(steps_open(b));
    TRY(open_cell_arrays(b, array));
    for (uint64_t f = 0; f < b->frames; f++)
        TRY(check_step(b, f));
    TRY(batch_names_read(b->mem, b->path, b->file, b->frames, &b->names));
out:
    return err;
}

int batch_open(mem *m, const char *path, enum batch_objects objects, const char *array, batch **out)
{
    int err = IMP_OK;
    batch *b = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *b, &b));
    memset(b, 0, sizeof *b);
    b->mem = m;
    b->objects = objects;
    b->file = b->root = -1;
    h5_data *all[] = {&b->points, &b->connectivity, &b->offsets,
                      &b->types,  &b->object,       &b->primitive};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->id = -1;
    b->path = strdup(path);
    if (!b->path)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(h5_open(path, 0, &b->file));
    TRY(batch_check(b, array));
    *out = b;
    b = NULL;
out:
    batch_close(b);
    return err;
}

void batch_close(batch *b)
{
    if (!b)
        return;
    h5_data *all[] = {&b->points, &b->connectivity, &b->offsets,
                      &b->types,  &b->object,       &b->primitive};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        h5_data_close(all[i]);
    batch_mesh_put(b->last);
    batch_names_free(&b->names);
    if (b->root >= 0)
        H5Gclose(b->root);
    if (b->file >= 0)
        H5Fclose(b->file);
    mem_free(b->mem, b->part_points);
    mem_free(b->mem, b->part_cells);
    mem_free(b->mem, b->part_ids);
    mem_free(b->mem, b->step);
    mem_free(b->mem, b->time);
    free(b->path);
    mem_free(b->mem, b);
}

void batch_get_info(const batch *b, batch_info *out)
{
    *out = (batch_info){.frames = b->frames,
                        .temporal = b->temporal,
                        .type = b->type,
                        .has_object = b->has_object,
                        .unstructured = b->unstructured,
                        .static_topology = 1};
    for (uint64_t f = 0; f < b->frames; f++) {
        const batch_step *s = &b->step[f];
        out->vertices = s->vertices > out->vertices ? s->vertices : out->vertices;
        out->triangles = s->triangles > out->triangles ? s->triangles : out->triangles;
        out->name_bytes = b->has_primitive ? 24 * out->triangles : 0;
        out->static_topology &= f == 0 || batch_same_mesh(b, f, f - 1);
    }
}

const batch_names *batch_get_names(const batch *b)
{
    return &b->names;
}

double batch_time(const batch *b, uint64_t frame)
{
    return b->time[frame];
}

void batch_size(const batch *b, uint64_t frame, uint64_t *vertices, uint64_t *triangles)
{
    *vertices = b->step[frame].vertices;
    *triangles = b->step[frame].triangles;
}

/* ---- frames */

static int block_room(batch *b, batch_block *out, size_t count, size_t point_bytes)
{
    int err = IMP_OK;
    batch_block_free(out);
    out->mem = b->mem;
    TRY(mem_alloc(b->mem, count * sizeof *out->frame, &out->frame));
    TRY(mem_alloc(b->mem, count * sizeof *out->mesh, &out->mesh));
    memset(out->mesh, 0, count * sizeof *out->mesh);
    out->count = count;
    TRY(mem_alloc(b->mem, point_bytes, &out->point));
out:
    return err;
}

int batch_read(batch *b, uint64_t first, int64_t step, size_t count, batch_block *out)
{
    int err = IMP_OK;
    size_t bytes = 0, size = b->type == IMP_FLOAT32 ? 4 : 8;
    hid_t type = b->type == IMP_FLOAT32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    for (size_t i = 0; i < count; i++)
        bytes += 3 * size * b->step[first + (uint64_t)((int64_t)i * step)].vertices;
    TRY(block_room(b, out, count, bytes));
    char *at = out->point;
    for (size_t i = 0; i < count; i++) {
        uint64_t f = first + (uint64_t)((int64_t)i * step);
        const batch_step *s = &b->step[f];
        TRY(batch_mesh_get(b, f, &out->mesh[i]));
        TRY(h5_data_read(&b->points, s->point0, s->vertices, type, at));
        out->frame[i] = (imp_frame){&out->mesh[i]->mesh, at, b->type, f};
        at += 3 * size * s->vertices;
    }
out:
    if (err)
        batch_block_free(out);
    return err;
}

void batch_block_free(batch_block *out)
{
    for (size_t i = 0; i < out->count; i++)
        batch_mesh_put(out->mesh[i]);
    if (out->mem) {
        mem_free(out->mem, out->frame);
        mem_free(out->mem, out->mesh);
        mem_free(out->mem, out->point);
    }
    memset(out, 0, sizeof *out);
}

uint64_t batch_objects(const batch_block *b, size_t i)
{
    return b->mesh[i]->objects;
}
