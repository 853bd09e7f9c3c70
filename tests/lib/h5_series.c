/* See h5_series.h. */
#include "h5_series.h"

#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void h5_series_must(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "h5_series: %s failed\n", what);
    exit(1);
}

static hid_t h5_series_open_file(const char *path)
{
    hid_t file = exists(path) ? H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)
                              : H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    h5_series_must(file >= 0, path);
    return file;
}

/* A dataset in memory, in its file type. */
typedef struct table {
    int rank;
    hsize_t dims[2];
    hid_t type;
    size_t row_bytes;
    char *data;
} table;

static void h5_series_table_read(const char *path, const char *name, table *t)
{
    hid_t file = h5_series_open_file(path), id = H5Dopen2(file, name, H5P_DEFAULT);
    h5_series_must(id >= 0, name);
    hid_t space = H5Dget_space(id);
    *t = (table){.dims = {1, 1}, .type = H5Dget_type(id)};
    t->rank = H5Sget_simple_extent_dims(space, t->dims, NULL);
    t->row_bytes = (size_t)t->dims[1] * H5Tget_size(t->type);
    t->data = calloc((size_t)t->dims[0] * t->row_bytes + 1, 1);
    h5_series_must(t->data && H5Dread(id, t->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->data) >= 0,
                   name);
    H5Sclose(space);
    H5Dclose(id);
    H5Fclose(file);
}

static void table_free(table *t)
{
    H5Tclose(t->type);
    free(t->data);
}

/* Replaces an existing object at `name`. */
static hid_t h5_series_create(hid_t file, const char *name, hid_t type, int rank,
                              const hsize_t *dims, hid_t plan)
{
    hid_t way = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, dims, NULL);
    H5Pset_create_intermediate_group(way, 1);
    if (H5Lexists(file, "VTKHDF", H5P_DEFAULT) > 0 && H5Lexists(file, name, H5P_DEFAULT) > 0)
        H5Ldelete(file, name, H5P_DEFAULT);
    hid_t id = H5Dcreate2(file, name, type, space, way, plan, H5P_DEFAULT);
    h5_series_must(id >= 0, name);
    H5Sclose(space);
    H5Pclose(way);
    return id;
}

/* Writes rows [first, first + rows) of a table as a separate dataset. */
static void table_write(const char *path, const char *name, const table *t, hsize_t first,
                        hsize_t rows, hid_t plan)
{
    hid_t file = h5_series_open_file(path);
    const hsize_t dims[2] = {rows, t->dims[1]};
    hid_t id = h5_series_create(file, name, t->type, t->rank, dims, plan);
    h5_series_must(!rows || H5Dwrite(id, t->type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                     t->data + (size_t)first * t->row_bytes) >= 0,
                   name);
    H5Dclose(id);
    h5_series_must(H5Fclose(file) >= 0, path);
}

static int take_wholes;

void series_take_wholes(int on)
{
    take_wholes = on;
}

static void map_piece(hid_t plan, int rank, const hsize_t *dims, const series_piece *p)
{
    const hsize_t stride[2] = {p->stride ? p->stride : 1, 1};
    const hsize_t capacity[2] = {p->from[0] + p->count[0], p->from[1] + p->count[1]};
    hid_t to = H5Screate_simple(rank, dims, NULL), from = H5Screate_simple(rank, capacity, NULL);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, p->to, stride, p->count, NULL);
    if (take_wholes)
        H5Sselect_all(from);
    else
        H5Sselect_hyperslab(from, H5S_SELECT_SET, p->from, NULL, p->count, NULL);
    h5_series_must(H5Pset_virtual(plan, to, p->file, p->dataset, from) >= 0, p->file);
    H5Sclose(to);
    H5Sclose(from);
}

void series_replace(const char *path, const char *name, int rank, const hsize_t *dims,
                    const series_piece *piece)
{
    table t;
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    h5_series_table_read(path, name, &t);
    for (; piece->file; piece++)
        map_piece(plan, rank, dims, piece);
    hid_t file = h5_series_open_file(path);
    H5Dclose(h5_series_create(file, name, t.type, rank, dims, plan));
    h5_series_must(H5Fclose(file) >= 0, path);
    H5Pclose(plan);
    table_free(&t);
}

const char *series_part(size_t i)
{
    char name[40];
    snprintf(name, sizeof name, "part_%zu.h5", i);
    return at(name);
}

void series_spread(const char *path, const char *name, size_t files)
{
    table t;
    char file_names[100][40];
    series_piece piece[101] = {0};
    size_t n = 0;
    h5_series_must(files <= 100, "fewer files");
    h5_series_table_read(path, name, &t);
    for (size_t i = 0; i < files; i++) {
        hsize_t first = t.dims[0] * i / files, rows = t.dims[0] * (i + 1) / files - first;
        table_write(series_part(i), name, &t, first, rows, H5P_DEFAULT);
        if (!rows)
            continue;
        snprintf(file_names[i], sizeof file_names[i], "part_%zu.h5", i);
        piece[n++] = (series_piece){
            .file = file_names[i], .dataset = name, .to = {first}, .count = {rows, t.dims[1]}};
    }
    if (n)
        series_replace(path, name, t.rank, t.dims, piece);
    table_free(&t);
}

void series_spread_all(const char *path, size_t files)
{
    static const char *const names[] = {"VTKHDF/Points",
                                        "VTKHDF/NumberOfPoints",
                                        "VTKHDF/Polygons/NumberOfCells",
                                        "VTKHDF/Polygons/NumberOfConnectivityIds",
                                        "VTKHDF/Polygons/Connectivity",
                                        "VTKHDF/Polygons/Offsets",
                                        "VTKHDF/CellData/ObjectId"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        series_spread(path, names[i], files);
}

void series_copy(const char *from, const char *name, const char *to, const char *to_name)
{
    table t;
    h5_series_table_read(from, name, &t);
    table_write(to, to_name, &t, 0, t.dims[0], H5P_DEFAULT);
    table_free(&t);
}

void series_shorten(const char *path, const char *name, hsize_t rows)
{
    table t;
    h5_series_table_read(path, name, &t);
    table_write(path, name, &t, 0, rows, H5P_DEFAULT);
    table_free(&t);
}

void series_unwritten(const char *path, const char *name, hsize_t chunk, hsize_t rows,
                      const int64_t *fill)
{
    table t;
    h5_series_table_read(path, name, &t);
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE), file = h5_series_open_file(path);
    const hsize_t chunks[2] = {chunk, t.dims[1]}, start[2] = {0, 0}, count[2] = {rows, t.dims[1]};
    if (chunk)
        H5Pset_chunk(plan, t.rank, chunks);
    if (fill)
        H5Pset_fill_value(plan, H5T_NATIVE_INT64, fill);
    hid_t id = h5_series_create(file, name, t.type, t.rank, t.dims, plan), to = H5Dget_space(id);
    hid_t memory = H5Screate_simple(t.rank, count, NULL);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL);
    h5_series_must(!rows || H5Dwrite(id, t.type, memory, to, H5P_DEFAULT, t.data) >= 0, name);
    H5Sclose(memory);
    H5Sclose(to);
    H5Dclose(id);
    H5Pclose(plan);
    h5_series_must(H5Fclose(file) >= 0, path);
    table_free(&t);
}

void series_raw(const char *path, const char *name, const char *raw)
{
    table t;
    h5_series_table_read(path, name, &t);
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plan, raw, 0, t.dims[0] * t.row_bytes);
    table_write(path, name, &t, 0, t.dims[0], plan);
    H5Pclose(plan);
    table_free(&t);
}
