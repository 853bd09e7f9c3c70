/* Reads a result, for `info`, `check`, collide.txt and other exports. */
#include "error.h"
#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A batch may have a group /impinge too, or a dataset of that name, for which h5_exists fails. Only
 * results have frames_done. */
static int is_result(hid_t file)
{
    hid_t group = h5_exists(file, "impinge") ? H5Gopen2(file, "impinge", H5P_DEFAULT) : -1;
    int is = group >= 0 && h5_exists(group, "frames_done");
    h5_drop(group);
    return is;
}

/* Returns 0 for a file that cannot be opened; the command that needs it reports the reason. */
int result_is_file(const char *path)
{
    hid_t file;
    if (h5_open(path, 0, &file))
        return 0;
    int found = is_result(file);
    H5Fclose(file);
    return found;
}

/* ---- opening */

/* Sizes are fixed: longer texts are truncated, as in h5_attr_text. */
static int result_reader_read_provenance(result_reader *r)
{
    int err = IMP_OK;
    result_info *i = &r->info;
    const struct {
        const char *name;
        char *out;
        size_t size;
        int later; /* results of earlier builds lack it */
    } texts[] = {
        {"version", i->version, sizeof i->version},
        {"command", i->command, sizeof i->command},
        {"options", i->options, sizeof i->options},
        {"device", i->device, sizeof i->device},
        {"input", i->input, sizeof i->input},
        {"input_hash", i->input_hash, sizeof i->input_hash},
        {"collide_txt", i->collide_txt, sizeof i->collide_txt},
        {"csv", i->csv, sizeof i->csv, 1},
        {"input_tables", i->shard.tables, sizeof i->shard.tables, 1},
        {"counts", i->counts, sizeof i->counts, 1},
        {"contours", i->contours, sizeof i->contours, 1},
        {"regions", i->regions, sizeof i->regions, 1},
        {"json", i->json, sizeof i->json},
    };
    int64_t bytes = 0;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        if (!texts[t].later || H5Aexists(r->group, texts[t].name) > 0)
            TRY(h5_attr_text(r->group, r->path, "/impinge", texts[t].name, texts[t].out,
                             texts[t].size));
    TRY(h5_attr_integers(r->group, r->path, "/impinge", "input_bytes", &bytes, 1));
    i->input_bytes = (uint64_t)bytes;
    i->continuous = provenance_is_continuous(i->options);
    i->simulated = provenance_is_simulated(i->options);
    provenance_shard(i->options, &i->shard.index, &i->shard.count);
    provenance_partition(i->options, &i->units.slabs, &i->units.first, &i->units.count);
out:
    return err;
}

/* Returns the number of frames of the complete result: job_normal_form writes
 * "frames=FIRST+COUNT*STEP". Between `count` frames there is one step less. -1 equals no number of
 * frames, so a result whose options are damaged is never complete. */
static int64_t frames_asked(const result_info *i)
{
    long long count = -1;
    if (i->units.slabs)
        return (int64_t)i->units.count;
    const char *at = strstr(i->options, " frames=");
    if (!at || sscanf(at, " frames=%*u+%lld", &count) != 1)
        return -1;
    return count - (i->continuous && count > 0);
}

/* Reads a table of at least `frames` rows; a killed writer may leave more. All types of tables have
 * 8 bytes. */
static int read_table(result_reader *r, hid_t at, const char *where, const char *name, hid_t type,
                      void **out)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    TRY(h5_data_open(r->mem, at, r->path, where, name, &d));
    TRY(h5_data_columns(&d, 1));
    TRY(mem_alloc(r->mem, r->info.frames * 8, out));
    TRY(h5_data_read(&d, 0, r->info.frames, type, *out));
out:
    h5_data_close(&d);
    return err;
}

static int result_reader_check_times(const result_reader *r)
{
    for (uint64_t f = 0; f < r->info.frames; f++)
        if (!isfinite(r->info.of.time[f]))
            return imp_fail(IMP_ERR_INPUT, "%s: /VTKHDF/Steps/Values: step %llu has the time %g",
                            r->path, (unsigned long long)f, r->info.of.time[f]);
    return IMP_OK;
}

/* HDF5 converts the file's types to those of the writer. */
static int result_reader_read_tables(result_reader *r)
{
    int err = IMP_OK;
    TRY(read_table(r, r->root, "/VTKHDF", "Steps/Values", H5T_NATIVE_DOUBLE, &r->time));
    r->info.of.time = r->time;
    TRY(result_reader_check_times(r));
    for (int t = 0; t < FRAME_TABLES; t++) {
        const column_def *c = &frame_tables.column[t];
        if (c->when && !h5_exists(r->group, c->name))
            continue;
        TRY(read_table(r, r->group, "/impinge", c->name, h5_type(c->type, 0), &r->table[t]));
        /* c->at is the offset of the table's pointer in result_frames */
        memcpy((char *)&r->info.of + c->at, &r->table[t], sizeof r->table[t]);
    }
out:
    return err;
}

/* Only results of a run with --object-pairs have the list. */
static int read_object_pairs(result_reader *r)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    if (!h5_exists(r->group, "object_pairs"))
        return IMP_OK;
    TRY(h5_data_open(r->mem, r->group, r->path, "/impinge", "object_pairs", &d));
    /* the limit keeps a damaged number of rows from overflowing the bytes below */
    if (d.columns != 2 || d.class != H5T_INTEGER || d.rows > INT32_MAX)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged", r->path, d.name);
    TRY(mem_alloc(r->mem, d.rows * 8, &r->pairs));
    TRY(h5_data_read(&d, 0, d.rows, H5T_NATIVE_INT32, r->pairs));
    r->info.object_pair = r->pairs;
    r->info.object_pairs = d.rows;
out:
    h5_data_close(&d);
    return err;
}

/* Opens a dataset of one column, with as many rows as *rows says; 0: any number. */
static int result_reader_open_list(result_reader *r, const char *name, H5T_class_t class,
                                   uint64_t *rows, h5_data *d)
{
    const int err = h5_data_open(r->mem, r->group, r->path, "/impinge", name, d);
    if (!err && (d->columns != 1 || d->class != class || d->rows > INT32_MAX ||
                 (*rows && d->rows != *rows)))
        return imp_fail(IMP_ERR_INPUT, "%s: %s: damaged", r->path, d->name);
    *rows = err ? 0 : d->rows;
    return err;
}

/* Only results of a run with --thickness FILE have the list. */
static int result_reader_read_thickness(result_reader *r)
{
    int err = IMP_OK;
    uint64_t n = 0;
    h5_data object = {.id = -1}, value = {.id = -1};
    if (!h5_exists(r->group, "thickness_objects"))
        return IMP_OK;
    TRY(result_reader_open_list(r, "thickness_objects", H5T_INTEGER, &n, &object));
    TRY(result_reader_open_list(r, "thickness", H5T_FLOAT, &n, &value));
    TRY(mem_alloc(r->mem, n * sizeof *r->thickness_object, &r->thickness_object));
    TRY(mem_alloc(r->mem, n * sizeof *r->thickness, &r->thickness));
    TRY(h5_data_read(&object, 0, n, H5T_NATIVE_INT32, r->thickness_object));
    TRY(h5_data_read(&value, 0, n, H5T_NATIVE_DOUBLE, r->thickness));
    r->info.thickness_object = r->thickness_object;
    r->info.thickness = r->thickness;
    r->info.thicknesses = n;
out:
    h5_data_close(&object);
    h5_data_close(&value);
    return err;
}

/* Only results of a run with --inside=OBJECTS have the list. */
static int result_reader_read_inside(result_reader *r)
{
    int err = IMP_OK;
    uint64_t n = 0;
    h5_data object = {.id = -1};
    if (!h5_exists(r->group, "inside_objects"))
        return IMP_OK;
    TRY(result_reader_open_list(r, "inside_objects", H5T_INTEGER, &n, &object));
    TRY(mem_alloc(r->mem, n * sizeof *r->inside_object, &r->inside_object));
    TRY(h5_data_read(&object, 0, n, H5T_NATIVE_INT32, r->inside_object));
    r->info.inside_object = r->inside_object;
    r->info.inside_objects = n;
out:
    h5_data_close(&object);
    return err;
}

/* Only shards have pieces. */
static int result_reader_read_pieces(result_reader *r)
{
    int err = IMP_OK;
    h5_data d = {.id = -1};
    if (!r->info.shard.count)
        return IMP_OK;
    TRY(h5_data_open(r->mem, r->group, r->path, "/impinge", "input_pieces", &d));
    if (d.columns != 1 || d.class != H5T_INTEGER || d.rows > INT32_MAX)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged", r->path, d.name);
    TRY(mem_alloc(r->mem, d.rows * sizeof *r->piece, &r->piece));
    TRY(h5_data_read(&d, 0, d.rows, H5T_NATIVE_UINT64, r->piece));
    r->info.shard.piece = r->piece;
    r->info.shard.pieces = d.rows;
out:
    h5_data_close(&d);
    return err;
}

/* For a simulation, the scene determines the columns of its contacts. */
static int result_reader_check_columns(result_reader *r)
{
    const result_info *i = &r->info;
    const int near = provenance_distance(i->options, &r->info.distance);
    if (!i->simulated && i->times != provenance_has_times(i->options))
        return imp_fail(IMP_ERR_INPUT, "%s: /VTKHDF/CellData/Share: %s", r->path,
                        i->times ? "is there, although its contacts are of frames" : "missing");
    const int thick =
        column_in(r->columns.set, STORED_penetration) && column_in(r->columns.set, STORED_relative);
    if (thick != provenance_has_thickness(i->options))
        return imp_fail(IMP_ERR_INPUT, "%s: /VTKHDF/CellData/Penetration: %s", r->path,
                        thick ? "is there, although its rows have no thickness" : "missing");
    if (i->relations != provenance_has_relations(i->options))
        return imp_fail(IMP_ERR_INPUT, "%s: /impinge/relations: %s", r->path,
                        i->relations ? "is there, although --inside was not given" : "missing");
    if (i->inside != provenance_is_inside(i->options))
        return imp_fail(IMP_ERR_INPUT, "%s: /VTKHDF/CellData/Winding: %s", r->path,
                        i->inside ? "is there, although its rows are no vertices" : "missing");
    if (column_in(r->columns.set, STORED_normal) != (i->distances || i->inside))
        return imp_fail(IMP_ERR_INPUT, "%s: Normal: %s", r->path,
                        i->distances ? "missing, although there is Distance"
                        : i->inside  ? "missing, although there is Winding"
                                     : "is there, although its rows have none");
    if (i->distances != near)
        return imp_fail(IMP_ERR_INPUT, "%s: /VTKHDF/CellData/Distance: %s", r->path,
                        near ? "missing" : "is there, although its rows are contacts");
    return IMP_OK;
}

static int result_reader_open_rows(result_reader *r)
{
    int err = IMP_OK;
    uint64_t frames = r->info.frames;
    column_groups at = {.path = r->path, .root = r->root, .own = r->group};
    TRY(mem_alloc(r->mem, (frames + 1) * sizeof *r->rows0, &r->rows0));
    r->rows0[0] = 0;
    for (uint64_t f = 0; f < frames; f++) {
        /* sums stay far enough below INT64_MAX that bytes and points of all rows fit too */
        if (r->info.of.contacts[f] < 0 || r->info.of.contacts[f] > INT64_MAX / 64 - r->rows0[f])
            FAIL(IMP_ERR_INPUT, "%s: /impinge/contacts: damaged", r->path);
        r->rows0[f + 1] = r->rows0[f] + r->info.of.contacts[f];
    }
    TRY(column_reader_open(r->mem, &at, &stored_table, (uint64_t)r->rows0[frames], &r->columns));
    r->info.times = column_in(r->columns.set, STORED_toi) && column_in(r->columns.set, STORED_time);
    r->info.distances = column_in(r->columns.set, STORED_distance);
    r->info.thick = column_in(r->columns.set, STORED_penetration);
    r->info.inside = column_in(r->columns.set, STORED_winding);
    r->info.relations = r->info.of.closed && r->info.of.open && r->info.of.relations_checksum;
    TRY(result_reader_check_columns(r));
    if (r->info.relations)
        TRY(relation_reader_open(r->mem, r->group, r->path, frames, &r->relations));
out:
    return err;
}

/* Reads the provenance and the number of finished frames. */
static int open_info(result_reader *r)
{
    int err = IMP_OK;
    int64_t done = 0, steps = 0;
    hid_t at = -1;
    TRY(h5_open(r->path, 0, &r->file));
    if (!h5_exists(r->file, "VTKHDF/Steps") || !is_result(r->file))
        FAIL(IMP_ERR_INPUT, "%s: /impinge/frames_done: missing; not a result of impinge", r->path);
    r->root = H5Gopen2(r->file, "VTKHDF", H5P_DEFAULT);
    r->group = H5Gopen2(r->file, "impinge", H5P_DEFAULT);
    at = H5Gopen2(r->file, "VTKHDF/Steps", H5P_DEFAULT);
    if (r->root < 0 || r->group < 0 || at < 0)
        FAIL(IMP_ERR_INPUT, "%s: damaged", r->path);
    TRY(h5_get_scalar(r->group, r->path, "/impinge", "frames_done", &done));
    /* the writer commits frames_done first, then NSteps: a kill between leaves them different */
    TRY(h5_attr_integers(at, r->path, "/VTKHDF/Steps", "NSteps", &steps, 1));
    /* tables with this number of rows must have a representable size in bytes */
    if (done < 0 || done > INT64_MAX / 256)
        FAIL(IMP_ERR_INPUT, "%s: /impinge/frames_done: damaged", r->path);
    r->info.frames = (uint64_t)done;
    TRY(result_reader_read_provenance(r));
    r->info.complete = done == steps && done == frames_asked(&r->info);
    TRY(read_object_pairs(r));
    TRY(result_reader_read_thickness(r));
    TRY(result_reader_read_inside(r));
    TRY(result_reader_read_pieces(r));
out:
    h5_drop(at);
    return err;
}

/* The number of frames is read first, since all tables need it; the rows last, since their
 * positions are sums of the table of contacts. */
static int result_reader_open_all(result_reader *r)
{
    int err = IMP_OK;
    TRY(open_info(r));
    TRY(batch_names_read(r->mem, r->path, r->file, r->info.frames, &r->names));
    TRY(result_reader_read_tables(r));
    TRY(result_reader_open_rows(r));
out:
    return err;
}

static int reader_open(mem *m, const char *path, int (*open)(result_reader *), result_reader **out)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *r, &r));
    memset(r, 0, sizeof *r);
    r->mem = r->names.mem = m;
    r->info.names = &r->names;
    /* marks everything as closed: result_close is called after an error at any step */
    r->file = r->root = r->group = -1;
    /* a copy: messages need it as long as the reader lives */
    r->path = strdup(path);
    if (!r->path)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(open(r));
    *out = r;
    r = NULL;
out:
    result_close(r);
    return err;
}

int result_open(mem *m, const char *path, result_reader **out)
{
    return reader_open(m, path, result_reader_open_all, out);
}

int result_open_info(mem *m, const char *path, result_reader **out)
{
    return reader_open(m, path, open_info, out);
}

uint64_t result_row_count(const result_reader *r)
{
    hsize_t shape[2] = {0, 0};
    hid_t points = H5Dopen2(r->root, "Points", H5P_DEFAULT);
    hid_t space = points < 0 ? -1 : H5Dget_space(points);
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 2 ||
        H5Sget_simple_extent_dims(space, shape, NULL) < 0)
        shape[0] = 0;
    h5_drop(space);
    h5_drop(points);
    return shape[0] / 2; /* a contact has two points */
}

/* Closes all objects before their file: HDF5 keeps a file open while one of its objects is. */
void result_close(result_reader *r)
{
    if (!r)
        return;
    columns_close(&r->rows);
    batch_names_free(&r->names);
    column_reader_close(&r->columns);
    relation_reader_close(&r->relations);
    for (size_t t = 0; t < FRAME_TABLES; t++)
        mem_free(r->mem, r->table[t]);
    mem_free(r->mem, r->time);
    mem_free(r->mem, r->pairs);
    mem_free(r->mem, r->thickness_object);
    mem_free(r->mem, r->thickness);
    mem_free(r->mem, r->inside_object);
    mem_free(r->mem, r->piece);
    mem_free(r->mem, r->rows0);
    h5_drop(r->group);
    h5_drop(r->root);
    if (r->file >= 0)
        H5Fclose(r->file);
    free(r->path);
    mem_free(r->mem, r);
}

/* Not part of opening: it reads tables that only viewers need. */
int result_check_layout(result_reader *r)
{
    return layout_check(r->mem, r->root, r->path, r->info.frames, r->info.of.contacts,
                        &stored_table, r->columns.set);
}

const result_info *result_get_info(const result_reader *r)
{
    return &r->info;
}

/* ---- rows */

column_set result_columns(const result_reader *r)
{
    return r->columns.set;
}

/* Closes and opens rather than grows: old rows are not needed, and growing would copy them. */
static int rows_fit(result_reader *r, column_set set, size_t n)
{
    if (n <= r->rows.capacity && r->rows.table && r->rows.set == set)
        return IMP_OK;
    columns_close(&r->rows);
    return columns_open(r->mem, &stored_table, set, n, &r->rows);
}

uint64_t result_checksum(const result_rows *x)
{
    return columns_sum(&stored_table, x, x->count);
}

/* r->rows is used again, so the view is valid until the next call. */
int result_read_rows(result_reader *r, uint64_t k, uint64_t first, uint64_t count, result_rows *out)
{
    int err = IMP_OK;
    size_t n = (size_t)count;
    TRY(rows_fit(r, r->columns.set, n));
    TRY(column_reader_read_all(&r->columns, (uint64_t)r->rows0[k] + first, n, &r->rows));
    out->count = n;
    columns_as_rows(&r->rows, out);
out:
    return err;
}

int result_read_columns(result_reader *r, uint64_t k, uint64_t frames, column_set set,
                        result_rows *out)
{
    int err = IMP_OK;
    column_reader some = r->columns;
    const size_t n = (size_t)(r->rows0[k + frames] - r->rows0[k]);
    some.set &= set;
    TRY(rows_fit(r, some.set, n));
    TRY(column_reader_read_all(&some, (uint64_t)r->rows0[k], n, &r->rows));
    *out = (result_rows){.count = n};
    columns_as_rows(&r->rows, out);
out:
    return err;
}

int result_read(result_reader *r, uint64_t k, result_rows *out)
{
    return result_read_rows(r, k, 0, (uint64_t)r->info.of.contacts[k], out);
}

/* Does not use r->rows: `info` reads all contacts and needs only 9 bytes of each. */
int result_read_kinds(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                      int32_t *object_a, int32_t *object_b, uint8_t *kind)
{
    int err = IMP_OK;
    first += (uint64_t)r->rows0[k];
    TRY(column_reader_read(&r->columns, STORED_object_a, first, count, object_a));
    TRY(column_reader_read(&r->columns, STORED_object_b, first, count, object_b));
    TRY(column_reader_read(&r->columns, STORED_kind, first, count, kind));
out:
    return err;
}

int result_read_pairs(result_reader *r, uint64_t k, uint64_t first, uint64_t count, int64_t *a,
                      int64_t *b)
{
    int err = IMP_OK;
    first += (uint64_t)r->rows0[k];
    TRY(column_reader_read(&r->columns, STORED_a, first, count, a));
    TRY(column_reader_read(&r->columns, STORED_b, first, count, b));
out:
    return err;
}

int result_read_object_pairs(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                             const result_pairs *out)
{
    int err = IMP_OK;
    const struct {
        int column;
        void *to;
    } all[] = {{STORED_object_a, out->object_a},
               {STORED_object_b, out->object_b},
               {STORED_kind, out->kind},
               {STORED_depth, out->depth},
               {STORED_time, out->time},
               {STORED_distance, out->distance},
               {STORED_source_a, out->source_a},
               {STORED_source_b, out->source_b},
               {STORED_penetration, out->penetration}};
    first += (uint64_t)r->rows0[k];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int c = all[i].column;
        if (column_in(r->columns.set, c))
            TRY(column_reader_read(&r->columns, c, first, count, all[i].to));
        else
            memset(all[i].to, 0, count * column_bytes(&stored_table.column[c]));
    }
out:
    return err;
}

int result_read_times(result_reader *r, uint64_t k, uint64_t first, uint64_t count, double *toi,
                      double *time)
{
    int err = IMP_OK;
    first += (uint64_t)r->rows0[k];
    TRY(column_reader_read(&r->columns, STORED_toi, first, count, toi));
    TRY(column_reader_read(&r->columns, STORED_time, first, count, time));
out:
    return err;
}

int result_read_distances(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                          double *distance)
{
    return column_reader_read(&r->columns, STORED_distance, (uint64_t)r->rows0[k] + first, count,
                              distance);
}

int result_read_penetrations(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                             double *penetration)
{
    return column_reader_read(&r->columns, STORED_penetration, (uint64_t)r->rows0[k] + first, count,
                              penetration);
}

int result_read_depths(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                       int64_t *vertex, double *depth)
{
    int err = IMP_OK;
    first += (uint64_t)r->rows0[k];
    TRY(column_reader_read(&r->columns, STORED_vertex, first, count, vertex));
    TRY(column_reader_read(&r->columns, STORED_depth, first, count, depth));
out:
    return err;
}

int result_read_relations(result_reader *r, uint64_t k, step_relations *out)
{
    out->closed = r->info.of.closed[k];
    out->open = r->info.of.open[k];
    return relation_reader_read(&r->relations, k, out);
}

/* The column of input frames always exists. */
column_set result_tables(const result_reader *r)
{
    column_set set = 0;
    for (int t = 0; t < FRAME_TABLES; t++)
        if (r->table[t])
            set |= COLUMN_BIT(t);
    return set;
}

/* A dataset with this number of columns, and its expected value for frame k: `contacts` times the
 * frame's contacts, plus `before` times the contacts of earlier frames, plus `step` times k, plus
 * `constant`. */
typedef struct table {
    const char *name;
    uint64_t columns;
    int64_t contacts, before, step, constant;
} table;

static const table tables[] = {
    {"NumberOfPoints", 1, .contacts = 2},
    {"Lines/NumberOfCells", 1, .contacts = 1},
    {"Lines/NumberOfConnectivityIds", 1, .contacts = 2},
    {"Vertices/NumberOfCells", 1},
    {"Vertices/NumberOfConnectivityIds", 1},
    {"Polygons/NumberOfCells", 1},
    {"Polygons/NumberOfConnectivityIds", 1},
    {"Strips/NumberOfCells", 1},
    {"Strips/NumberOfConnectivityIds", 1},
    {"Steps/PartOffsets", 1, .step = 1},
    {"Steps/NumberOfParts", 1, .constant = 1},
    {"Steps/PointOffsets", 1, .before = 2},
    /* lines of all frames share the same rows, so every frame begins at 0 */
    {"Steps/CellOffsets", 4},
    {"Steps/ConnectivityIdOffsets", 4},
};

/* With any other value a viewer would show rows of another frame, or none. */
static int layout_check_table(mem *m, hid_t root, const char *path, const table *t, uint64_t frames,
                              const int64_t *contacts)
{
    int err = IMP_OK;
    int64_t *value = NULL, before = 0;
    uint64_t rows = 0, columns = t->columns;
    TRY(h5_read_integers(m, root, path, "/VTKHDF", t->name, columns, &value, &rows, NULL));
    if (rows < frames)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/%s: damaged: %llu rows for %llu frames", path, t->name,
             (unsigned long long)rows, (unsigned long long)frames);
    for (uint64_t k = 0; k < frames; before += contacts[k++]) {
        const int64_t wanted =
            t->contacts * contacts[k] + t->before * before + t->step * (int64_t)k + t->constant;
        for (uint64_t c = 0; c < columns; c++)
            if (value[k * columns + c] != wanted)
                FAIL(IMP_ERR_INPUT, "%s: /VTKHDF/%s: damaged: it has %lld for frame %llu", path,
                     t->name, (long long)value[k * columns + c], (unsigned long long)k);
    }
out:
    mem_free(m, value);
    return err;
}

#define LAYOUT_CHUNK 16384

/* Checks that the first `rows` rows, of at most `most`, are 0, factor, 2 * factor, ... */
static int layout_check_ascending(mem *m, hid_t root, const char *path, const char *name,
                                  uint64_t rows, uint64_t most, int64_t factor)
{
    int err = IMP_OK;
    int64_t value[LAYOUT_CHUNK];
    h5_data d = {.id = -1};
    TRY(h5_data_open(m, root, path, "/VTKHDF", name, &d));
    TRY(h5_data_columns(&d, 1));
    if (d.class != H5T_INTEGER)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged: not integers", path, d.name);
    if (d.rows > most)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged: it has %llu rows, not %llu", path, d.name,
             (unsigned long long)d.rows, (unsigned long long)most);
    for (uint64_t done = 0; done < rows; done += LAYOUT_CHUNK) {
        uint64_t n = rows - done < LAYOUT_CHUNK ? rows - done : LAYOUT_CHUNK;
        TRY(h5_data_read(&d, done, n, H5T_NATIVE_INT64, value));
        for (uint64_t i = 0; i < n; i++)
            if (value[i] != factor * (int64_t)(done + i))
                FAIL(IMP_ERR_INPUT, "%s: %s: damaged: row %llu is %lld", path, d.name,
                     (unsigned long long)(done + i), (long long)value[i]);
    }
out:
    h5_data_close(&d);
    return err;
}

/* Checks for no connectivity, and the single offset 0: a viewer may use these without reading the
 * counts. */
static int layout_check_empty(mem *m, hid_t root, const char *path, const char *topology)
{
    int err = IMP_OK;
    char name[60];
    snprintf(name, sizeof name, "%s/Connectivity", topology);
    TRY(layout_check_ascending(m, root, path, name, 0, 0, 1));
    snprintf(name, sizeof name, "%s/Offsets", topology);
    TRY(layout_check_ascending(m, root, path, name, 1, 1, 1));
out:
    return err;
}

/* Checks the first row of each frame in a column of CellData. */
static int check_offsets(mem *m, hid_t root, const char *path, const column_def *c, uint64_t frames,
                         const int64_t *contacts)
{
    char name[120];
    snprintf(name, sizeof name, "Steps/CellDataOffsets/%s", c->file);
    return layout_check_table(m, root, path, &(table){name, 1, .before = 1}, frames, contacts);
}

static int check_identity(hid_t root, const char *path)
{
    int err = IMP_OK;
    int64_t version[2];
    char type[32];
    TRY(h5_attr_text(root, path, "/VTKHDF", "Type", type, sizeof type));
    TRY(h5_attr_integers(root, path, "/VTKHDF", "Version", version, 2));
    if (strcmp(type, "PolyData") || version[0] != 2 || version[1] != RESULT_MINOR)
        FAIL(IMP_ERR_INPUT, "%s: /VTKHDF: is %s of version %lld.%lld, not PolyData of 2.%d", path,
             type, (long long)version[0], (long long)version[1], RESULT_MINOR);
out:
    return err;
}

/* impinge itself needs only the counts. All of this is checked so that a file that is appended to,
 * or reported as correct, also opens in other programs. */
int layout_check(mem *m, hid_t root, const char *path, uint64_t frames, const int64_t *contacts,
                 const column_table *t, column_set set)
{
    int err = IMP_OK;
    static const char *const empty[] = {"Vertices", "Polygons", "Strips"};
    uint64_t most = 0;
    TRY(check_identity(root, path));
    for (uint64_t k = 0; k < frames; k++)
        most = (uint64_t)contacts[k] > most ? (uint64_t)contacts[k] : most;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        TRY(layout_check_table(m, root, path, &tables[i], frames, contacts));
    for (int c = 0; c < t->count; c++)
        if (column_in(set, c) && t->column[c].group == COLUMN_CellData)
            TRY(check_offsets(m, root, path, &t->column[c], frames, contacts));
    /* a growing file may have more rows than are committed */
    TRY(layout_check_ascending(m, root, path, "Lines/Connectivity", 2 * most, UINT64_MAX, 1));
    TRY(layout_check_ascending(m, root, path, "Lines/Offsets", most + 1, UINT64_MAX, 2));
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        TRY(layout_check_empty(m, root, path, empty[i]));
out:
    return err;
}
