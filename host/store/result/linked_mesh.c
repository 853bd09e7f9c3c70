/* See linked_mesh.h: links to the input's points and cells, tables of the steps, and arrays. */
#include "linked_mesh.h"

#include "error.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_CHUNK 1024
#define ROWS_CHUNK UINT64_C(65536)
#define FIELD_CHUNK 1024

/* ---- links */

static int linked_mesh_put_link(const linked_mesh *l, hid_t at, const char *name,
                                const char *target)
{
    if (H5Lcreate_external(l->source, target, at, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return h5_fail(IMP_ERR_FILE, l->path, target, "cannot be linked");
    return IMP_OK;
}

/* Links points and cells. Datasets that the input lacks are not linked, so VTK does not find them
 * here either. */
static int linked_mesh_put_mesh(const linked_mesh *l)
{
    int err = IMP_OK;
    static const char *const polygons[] = {"Points", "NumberOfPoints", "Vertices", "Lines",
                                           "Strips", "Polygons",       NULL};
    static const char *const grid[] = {
        "Points",  "NumberOfPoints",          "NumberOfCells", "Connectivity",
        "Offsets", "NumberOfConnectivityIds", "Types",         NULL};
    char target[64];
    for (const char *const *name = l->in->unstructured ? grid : polygons; *name; name++) {
        snprintf(target, sizeof target, "/VTKHDF/%s", *name);
        if (h5_exists(l->in->root, *name))
            TRY(linked_mesh_put_link(l, l->root, *name, target));
    }
out:
    return err;
}

/* Returns whether the file has a cell array of its own with that name. */
static int linked_mesh_has(const linked_mesh *l, const char *name)
{
    for (int a = 0; a < l->arrays; a++)
        if (l->array[a].name && l->array[a].place == LINKED_CELLS &&
            !strcmp(l->array[a].name, name))
            return 1;
    return 0;
}

/* Returns the name of one of the input's arrays; NULL if there is no array to link to. */
static const char *linked_mesh_array_name(const linked_mesh *l, int table)
{
    const batch *b = l->in;
    const char *name = b->objects.name;
    switch (table) {
    case LINKED_PRIMITIVE0:
        return b->in.primitive.id >= 0 ? PRIMITIVE_ID : NULL;
    case LINKED_SOURCE0:
        return b->in.source.id >= 0 ? SOURCE_ID : NULL;
    case LINKED_GHOST0:
        return b->in.ghost.id >= 0 ? GHOST_TYPE : NULL;
    default: /* one of the other arrays may serve as objects */
        return b->in.object.id >= 0 && *name && !linked_mesh_has(l, name) &&
                       strcmp(name, PRIMITIVE_ID) != 0 && strcmp(name, SOURCE_ID) != 0 &&
                       strcmp(name, GHOST_TYPE) != 0
                   ? name
                   : NULL;
    }
}

/* ---- creating the file */

static int linked_mesh_open_data(const linked_mesh *l, hid_t at, const h5_grow_def *def,
                                 h5_grow *out)
{
    return h5_grow_open(l->mem, at, l->path, def, H5_NEW, out);
}

static int linked_mesh_make_tables(linked_mesh *l)
{
    int err = IMP_OK;
    const uint64_t columns = l->columns == 1 ? 0 : l->columns;
    const h5_grow_def tables[] = {
        [LINKED_VALUES] = {"Values", COLUMN_F64, 0, STEPS_CHUNK},
        [LINKED_PART0] = {"PartOffsets", COLUMN_I64, 0, STEPS_CHUNK},
        [LINKED_PARTS] = {"NumberOfParts", COLUMN_I64, 0, STEPS_CHUNK},
        [LINKED_POINT0] = {"PointOffsets", COLUMN_I64, 0, STEPS_CHUNK},
        [LINKED_CELL0] = {"CellOffsets", COLUMN_I64, columns, STEPS_CHUNK},
        [LINKED_ID0] = {"ConnectivityIdOffsets", COLUMN_I64, columns, STEPS_CHUNK}};
    for (int t = LINKED_VALUES; t <= LINKED_ID0; t++)
        TRY(linked_mesh_open_data(l, l->steps, &tables[t], &l->table[t]));
    for (int t = LINKED_OBJECT0; t <= LINKED_GHOST0; t++) {
        const h5_grow_def of = {linked_mesh_array_name(l, t), COLUMN_I64, 0, STEPS_CHUNK};
        char target[160];
        if (!of.name)
            continue;
        snprintf(target, sizeof target, "/VTKHDF/CellData/%s", of.name);
        TRY(linked_mesh_put_link(l, l->place[LINKED_CELLS], of.name, target));
        TRY(linked_mesh_open_data(l, l->offsets[LINKED_CELLS], &of, &l->table[t]));
    }
out:
    return err;
}

static int linked_mesh_make_array(linked_mesh *l, int a)
{
    int err = IMP_OK;
    const linked_array *of = &l->array[a];
    linked_data *to = &l->data[a];
    const int field = of->place == LINKED_FIELD;
    const h5_grow_def first = {of->name, COLUMN_I64, 0, STEPS_CHUNK};
    const h5_grow_def size = {of->name, COLUMN_I64, 2, STEPS_CHUNK};
    const h5_grow_def values = {of->name, of->type, 0, field ? FIELD_CHUNK : ROWS_CHUNK};
    TRY(linked_mesh_open_data(l, l->offsets[of->place], &first, &to->first));
    if (field)
        TRY(linked_mesh_open_data(l, l->sizes, &size, &to->size));
    TRY(h5_grow_packed(l->mem, l->place[of->place], l->path, &values, &to->values));
out:
    return err;
}

static int linked_mesh_make_group(const linked_mesh *l, hid_t in, const char *name, hid_t *out)
{
    *out = h5_group(in, name);
    return *out < 0 ? h5_fail(IMP_ERR_FILE, l->path, "/VTKHDF", "cannot be written") : IMP_OK;
}

/* A place without arrays has no groups. */
static int linked_mesh_make_groups(linked_mesh *l)
{
    static const char *const name[LINKED_PLACES][2] = {
        [LINKED_CELLS] = {"CellData", "CellDataOffsets"},
        [LINKED_POINTS] = {"PointData", "PointDataOffsets"},
        [LINKED_FIELD] = {"FieldData", "FieldDataOffsets"}};
    int err = IMP_OK;
    TRY(linked_mesh_make_group(l, l->file, "VTKHDF", &l->root));
    TRY(linked_mesh_make_group(l, l->root, "Steps", &l->steps));
    for (int a = 0; a < l->arrays; a++) {
        const enum linked_place p = l->array[a].place;
        if (!l->array[a].name || l->place[p] >= 0)
            continue;
        TRY(linked_mesh_make_group(l, l->root, name[p][0], &l->place[p]));
        TRY(linked_mesh_make_group(l, l->steps, name[p][1], &l->offsets[p]));
        if (p == LINKED_FIELD)
            TRY(linked_mesh_make_group(l, l->steps, "FieldDataSizes", &l->sizes));
    }
out:
    return err;
}

/* The cells are the input's, so the version is the input's; but 1.0 has no Steps. */
static int linked_mesh_put_identity(const linked_mesh *l, uint64_t steps)
{
    int err = IMP_OK;
    int64_t version[2];
    const int64_t n = (int64_t)steps;
    TRY(h5_attr_integers(l->in->root, l->in->path, "/VTKHDF", "Version", version, 2));
    if (version[0] < 2) {
        version[0] = 2;
        version[1] = 0;
    }
    TRY(h5_put_integers(l->root, l->path, "Version", version, 2));
    TRY(h5_put_text(l->root, l->path, "Type",
                    l->in->unstructured ? "UnstructuredGrid" : "PolyData"));
    TRY(h5_put_integers(l->steps, l->path, "NSteps", &n, 1));
out:
    return err;
}

/* Reads tables with a column for each kind of cells, one table at a time. */
static int linked_mesh_read_tables(linked_mesh *l)
{
    int err = IMP_OK;
    uint64_t rows;
    batch *b = l->in;
    if (b->steps < 0)
        return IMP_OK;
    TRY(h5_read_integers(l->mem, b->steps, b->path, "/VTKHDF/Steps", "CellOffsets", l->columns,
                         &l->cell0, &rows, NULL));
    TRY(h5_read_integers(l->mem, b->steps, b->path, "/VTKHDF/Steps", "ConnectivityIdOffsets",
                         l->columns, &l->id0, &rows, NULL));
out:
    return err;
}

static int linked_mesh_make(linked_mesh *l, uint64_t frames)
{
    int err = IMP_OK;
    TRY(h5_create(l->path, &l->file));
    TRY(linked_mesh_make_groups(l));
    TRY(linked_mesh_put_identity(l, frames));
    TRY(linked_mesh_put_mesh(l));
    TRY(linked_mesh_read_tables(l));
    TRY(linked_mesh_make_tables(l));
    for (int a = 0; a < l->arrays; a++)
        if (l->array[a].name)
            TRY(linked_mesh_make_array(l, a));
out:
    return err;
}

int linked_mesh_open(mem *m, batch *in, text_output *to, const linked_array *array, int arrays,
                     uint64_t frames, linked_mesh *out)
{
    int err = IMP_OK;
    linked_mesh *l = out;
    *l = (linked_mesh){.mem = m,
                       .in = in,
                       .array = array,
                       .arrays = arrays,
                       .file = -1,
                       .root = -1,
                       .steps = -1,
                       .sizes = -1,
                       .columns = in->unstructured ? 1 : 4};
    for (int p = 0; p < LINKED_PLACES; p++)
        l->place[p] = l->offsets[p] = -1;
    for (int t = 0; t < LINKED_TABLES; t++)
        l->table[t].id = -1;
    for (int a = 0; a < LINKED_ARRAYS; a++)
        l->data[a].values.id = l->data[a].first.id = l->data[a].size.id = -1;
    TRY(file_path_relative(to->path, in->path, &l->source));
    TRY(text_output_path(to));
    l->path = to->part;
    TRY(linked_mesh_make(l, frames));
out:
    return err;
}

/* ---- steps */

static int linked_mesh_add_row(linked_mesh *l, int table, const void *row)
{
    return l->table[table].id < 0 ? IMP_OK : h5_grow_add(&l->table[table], l->path, row, 1);
}

static int linked_mesh_add_number(linked_mesh *l, int table, uint64_t value)
{
    return linked_mesh_add_row(l, table, &(int64_t){(int64_t)value});
}

/* values between flushes, at which a full disk is noticed */
#define FLUSH_ROWS ((uint64_t)1 << 24)

int linked_mesh_add_step(linked_mesh *l, uint64_t f, double time)
{
    int err = IMP_OK;
    static const int64_t none[4] = {0};
    if (f >= l->in->frames)
        FAIL(IMP_ERR_INPUT, "%s: has no frame %llu", l->in->path, (unsigned long long)f);
    if (signals_came())
        FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", l->path);
    if (l->unflushed > FLUSH_ROWS) {
        TRY(h5_flush(l->path, l->file));
        l->unflushed = 0;
    }
    const batch_step *s = &l->in->step[f];
    TRY(linked_mesh_add_row(l, LINKED_VALUES, &time));
    TRY(linked_mesh_add_number(l, LINKED_PART0, s->part0));
    TRY(linked_mesh_add_number(l, LINKED_PARTS, s->parts));
    TRY(linked_mesh_add_number(l, LINKED_POINT0, s->point0));
    TRY(linked_mesh_add_row(l, LINKED_CELL0, l->cell0 ? l->cell0 + f * l->columns : none));
    TRY(linked_mesh_add_row(l, LINKED_ID0, l->id0 ? l->id0 + f * l->columns : none));
    TRY(linked_mesh_add_number(l, LINKED_OBJECT0, s->object0));
    TRY(linked_mesh_add_number(l, LINKED_PRIMITIVE0, s->primitive0));
    TRY(linked_mesh_add_number(l, LINKED_SOURCE0, s->source0));
    TRY(linked_mesh_add_number(l, LINKED_GHOST0, s->ghost0));
out:
    return err;
}

int linked_mesh_begin_rows(linked_mesh *l, int array, uint64_t rows)
{
    int err = IMP_OK;
    linked_data *to = &l->data[array];
    TRY(h5_grow_add(&to->first, l->path, &(int64_t){(int64_t)to->values.rows}, 1));
    if (l->array[array].place == LINKED_FIELD)
        TRY(h5_grow_add(&to->size, l->path, (const int64_t[]){1, (int64_t)rows}, 1));
    l->unflushed += rows;
out:
    return err;
}

int linked_mesh_add_value(linked_mesh *l, int array, const void *value)
{
    return h5_grow_add(&l->data[array].values, l->path, value, 1);
}

int linked_mesh_add_rows(linked_mesh *l, int array, const void *value, uint64_t rows)
{
    const int err = linked_mesh_begin_rows(l, array, rows);
    return err ? err : h5_grow_add(&l->data[array].values, l->path, value, rows);
}

/* ---- the end */

static int linked_mesh_flush(linked_mesh *l)
{
    int err = IMP_OK;
    for (int t = 0; t < LINKED_TABLES; t++)
        if (l->table[t].id >= 0)
            TRY(h5_grow_flush(&l->table[t], l->path));
    for (int a = 0; a < l->arrays; a++) {
        h5_grow *const of[] = {&l->data[a].first, &l->data[a].size, &l->data[a].values};
        for (int i = 0; i < 3; i++)
            if (of[i]->id >= 0)
                TRY(h5_grow_flush(of[i], l->path));
    }
    TRY(h5_flush(l->path, l->file));
out:
    return err;
}

/* Closing also writes: its failure is the error if there was none before. */
int linked_mesh_close(linked_mesh *l, text_output *to, int err)
{
    if (!err)
        err = linked_mesh_flush(l);
    for (int t = 0; t < LINKED_TABLES; t++)
        h5_grow_close(&l->table[t]);
    for (int a = 0; a < LINKED_ARRAYS; a++) {
        h5_grow_close(&l->data[a].first);
        h5_grow_close(&l->data[a].size);
        h5_grow_close(&l->data[a].values);
    }
    for (int p = 0; p < LINKED_PLACES; p++) {
        h5_drop(l->place[p]);
        h5_drop(l->offsets[p]);
    }
    h5_drop(l->sizes);
    h5_drop(l->steps);
    h5_drop(l->root);
    if (l->file >= 0 && h5_close(l->file) && !err)
        err = h5_fail(IMP_ERR_FILE, l->path, NULL, "cannot be written");
    mem_free(l->mem, l->cell0);
    mem_free(l->mem, l->id0);
    free(l->source);
    return l->path ? text_output_end(to, err) : err;
}
