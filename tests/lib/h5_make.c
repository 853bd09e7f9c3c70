/* See h5_make.h. */
#include "h5_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A test that cannot make its files cannot continue. */
static void h5_make_must(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "h5_make: %s failed\n", what);
    exit(1);
}

/* ---- lists */

void make_add(make_list *l, int64_t value)
{
    if (l->count == l->capacity) {
        l->capacity = 2 * l->capacity + 64;
        l->value = realloc(l->value, l->capacity * sizeof *l->value);
        h5_make_must(l->value != NULL, "realloc");
    }
    l->value[l->count++] = value;
}

static void add_real(make_reals *l, double value)
{
    if (l->count == l->capacity) {
        l->capacity = 2 * l->capacity + 64;
        l->value = realloc(l->value, l->capacity * sizeof *l->value);
        h5_make_must(l->value != NULL, "realloc");
    }
    l->value[l->count++] = value;
}

void make_free(make *m)
{
    make_list *lists[] = {&m->part_points, &m->part_cells, &m->part_ids, &m->ids,
                          &m->offsets,     &m->types,      &m->part0,    &m->parts,
                          &m->point0,      &m->cell0,      &m->id0};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->value);
    for (int i = 0; i < MAKE_ARRAYS; i++) {
        free(m->cells[i].value.value);
        free(m->cells[i].offset.value);
    }
    free(m->points.value);
    free(m->time.value);
    memset(m, 0, sizeof *m);
}

static int64_t h5_make_type_size(int64_t type)
{
    return type == 5 || type == 69 || type == 76 ? 3 : 4;
}

void make_part_of(make *m, int64_t vertices, int64_t cells, const int64_t *types,
                  const int64_t *ids)
{
    int64_t end = 0;
    make_add(&m->part_points, vertices);
    make_add(&m->part_cells, cells);
    if (cells || !m->skip_empty)
        make_add(&m->offsets, 0);
    for (int64_t i = 0; i < cells; i++) {
        int64_t type = types ? types[i] : 5;
        make_add(&m->types, type);
        make_add(&m->offsets, end += h5_make_type_size(type));
    }
    for (int64_t i = 0; i < end; i++)
        make_add(&m->ids, ids[i]);
    make_add(&m->part_ids, end);
}

void make_part(make *m, int64_t vertices, int64_t triangles, const int64_t *ids)
{
    make_part_of(m, vertices, triangles, NULL, ids);
}

void make_part_again(make *m)
{
    make_list *lists[] = {&m->part_points, &m->part_cells, &m->part_ids};
    for (int i = 0; i < 3; i++)
        make_add(lists[i], lists[i]->value[lists[i]->count - 1]);
}

void make_points(make *m, size_t rows, const double *xyz)
{
    for (size_t i = 0; i < 3 * rows; i++)
        add_real(&m->points, xyz[i]);
}

/* Multiples of 1/1024, which are exact in float32. */
void make_random_points(make *m, size_t rows, rng *r)
{
    for (size_t i = 0; i < 3 * rows; i++)
        add_real(&m->points, (double)rng_below(r, 4096) / 1024 - 2);
}

void make_step(make *m, double time, int64_t part0, int64_t parts, int64_t point0, int64_t cell0,
               int64_t id0)
{
    add_real(&m->time, time);
    make_add(&m->part0, part0);
    make_add(&m->parts, parts);
    make_add(&m->point0, point0);
    make_add(&m->cell0, cell0);
    make_add(&m->id0, id0);
}

void make_step_next(make *m, double time, int64_t parts)
{
    int64_t all = (int64_t)m->part_cells.count, cells = 0, ids = 0;
    for (int64_t p = all - parts; p < all; p++) {
        cells += m->part_cells.value[p];
        ids += m->part_ids.value[p];
    }
    make_step(m, time, all - parts, parts, (int64_t)m->points.count / 3,
              (int64_t)m->types.count - cells, (int64_t)m->ids.count - ids);
}

/* Each cell has half the size of its grid cell in a row, and moves slightly within and beyond it,
 * so that neighbours cross now and then. Vertices are not shared. */
static void h5_make_moving(make *m, size_t frames, int64_t cells, const int64_t *types, rng *r)
{
    int64_t *ids = malloc((size_t)(4 * cells + 1) * sizeof *ids), n = 0;
    h5_make_must(ids != NULL, "malloc");
    for (int64_t i = 0; i < 4 * cells; i++)
        ids[i] = i;
    for (int64_t i = 0; i < cells; i++)
        n += types ? h5_make_type_size(types[i]) : 3;
    make_part_of(m, n, cells, types, ids);
    free(ids);
    for (size_t f = 0; f < frames; f++) {
        make_step(m, (double)f * 0.5, 0, 1, (int64_t)m->points.count / 3, 0, 0);
        for (int64_t i = 0; i < cells; i++)
            for (int64_t k = types ? h5_make_type_size(types[i]) : 3; k > 0; k--) {
                double x = (double)rng_below(r, 1024) / 256, y = (double)rng_below(r, 1024) / 1024;
                double z = (double)rng_below(r, 1024) / 1024;
                make_points(m, 1, (double[]){(double)i + x, y, z});
            }
    }
}

void make_moving(make *m, size_t frames, int64_t triangles, uint64_t seed)
{
    rng r = {seed};
    h5_make_moving(m, frames, triangles, NULL, &r);
}

void make_moving_mixed(make *m, size_t frames, int64_t cells, uint64_t seed)
{
    rng r = {seed};
    make_list types = {0};
    for (int64_t i = 0; i < cells; i++)
        make_add(&types, i % 3 == 1 ? 10 : 5);
    h5_make_moving(m, frames, cells, types.value, &r);
    free(types.value);
}

/* ---- writing */

static hid_t in_file(hid_t type, hid_t otherwise)
{
    return type > 0 ? type : otherwise;
}

static hid_t storage_plan(enum make_storage storage, int rank, const hsize_t *dims)
{
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {dims[0] < 7 ? dims[0] : 7, rank > 1 ? dims[1] : 1};
    if (storage == MAKE_CONTIGUOUS || dims[0] == 0)
        return plan;
    H5Pset_chunk(plan, rank, chunk);
    if (storage == MAKE_DEFLATE) {
        H5Pset_shuffle(plan);
        H5Pset_deflate(plan, 6);
    }
    if (storage == MAKE_FLETCHER32)
        H5Pset_fletcher32(plan);
    return plan;
}

static void h5_make_store(hid_t at, const char *name, enum make_storage storage, hid_t type,
                          int rank, const hsize_t *dims, hid_t memory, const void *data)
{
    hid_t space = H5Screate_simple(rank, dims, NULL), plan = storage_plan(storage, rank, dims);
    hid_t id = H5Dcreate2(at, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    h5_make_must(id >= 0, name);
    if (dims[0])
        h5_make_must(H5Dwrite(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, name);
    H5Dclose(id);
    H5Pclose(plan);
    H5Sclose(space);
}

static void put_list(const make *m, hid_t at, const char *name, hid_t type, const make_list *l)
{
    hsize_t n = l->count;
    h5_make_store(at, name, m->storage, type, 1, &n, H5T_NATIVE_INT64, l->value);
}

/* A list of zeros, one for each part. */
static void put_zeros(const make *m, hid_t at, const char *name)
{
    make_list zeros = {0};
    for (size_t i = 0; i < m->part_cells.count; i++)
        make_add(&zeros, 0);
    put_list(m, at, name, H5T_STD_I64LE, &zeros);
    free(zeros.value);
}

static hid_t group(hid_t at, const char *name)
{
    hid_t id = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    h5_make_must(id >= 0, name);
    return id;
}

static void put_attribute_ints(hid_t at, const char *name, size_t n, const int64_t *value)
{
    hsize_t dims = n;
    hid_t space = n > 1 ? H5Screate_simple(1, &dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(at, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    h5_make_must(a >= 0 && H5Awrite(a, H5T_NATIVE_INT64, value) >= 0, name);
    H5Aclose(a);
    H5Sclose(space);
}

static void put_attribute_text(hid_t at, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    h5_make_must(a >= 0 && H5Awrite(a, type, text) >= 0, name);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_cells(const make *m, hid_t at)
{
    hid_t count = in_file(m->count_type, H5T_STD_I64LE), id = in_file(m->id_type, H5T_STD_I64LE);
    put_list(m, at, "NumberOfCells", count, &m->part_cells);
    put_list(m, at, "NumberOfConnectivityIds", count, &m->part_ids);
    put_list(m, at, "Connectivity", id, &m->ids);
    put_list(m, at, "Offsets", id, &m->offsets);
}

static void put_no_cells(const make *m, hid_t root, const char *name)
{
    hid_t at = group(root, name);
    make_list none = {0}, first = {0};
    make_add(&first, 0);
    put_zeros(m, at, "NumberOfCells");
    put_zeros(m, at, "NumberOfConnectivityIds");
    put_list(m, at, "Connectivity", H5T_STD_I64LE, &none);
    put_list(m, at, "Offsets", H5T_STD_I64LE, &first);
    free(first.value);
    H5Gclose(at);
}

static void put_topology(const make *m, hid_t root)
{
    if (m->unstructured) {
        put_cells(m, root);
        put_list(m, root, "Types", H5T_STD_U8LE, &m->types);
        return;
    }
    put_no_cells(m, root, "Vertices");
    put_no_cells(m, root, "Lines");
    put_no_cells(m, root, "Strips");
    hid_t at = group(root, "Polygons");
    put_cells(m, at);
    H5Gclose(at);
}

/* Step tables of `columns` topologies, with the values in the column of the polygons. */
static void put_table(const make *m, hid_t at, const char *name, const make_list *l,
                      hsize_t columns)
{
    hsize_t dims[2] = {l->count, columns};
    int64_t *wide = calloc(l->count * columns + 1, sizeof *wide);
    h5_make_must(wide != NULL, "calloc");
    for (size_t i = 0; i < l->count; i++)
        wide[i * columns + (columns == 4 ? 2 : 0)] = l->value[i];
    int rank = columns > 1 || m->steps_columns ? 2 : 1;
    h5_make_store(at, name, m->storage, H5T_STD_I64LE, rank, dims, H5T_NATIVE_INT64, wide);
    free(wide);
}

static void put_steps(const make *m, hid_t root)
{
    hid_t at = group(root, "Steps"), data = group(at, "CellDataOffsets");
    const int64_t n = (int64_t)m->time.count;
    hsize_t dims[2] = {m->time.count, 1}, topologies = m->unstructured ? 1 : 4;
    put_attribute_ints(at, "NSteps", 1, &n);
    h5_make_store(at, "Values", m->storage, H5T_IEEE_F64LE, m->steps_columns ? 2 : 1, dims,
                  H5T_NATIVE_DOUBLE, m->time.value);
    put_table(m, at, "PartOffsets", &m->part0, 1);
    if (!m->no_part_counts)
        put_table(m, at, "NumberOfParts", &m->parts, 1);
    put_table(m, at, "PointOffsets", &m->point0, 1);
    put_table(m, at, "CellOffsets", &m->cell0, topologies);
    put_table(m, at, "ConnectivityIdOffsets", &m->id0, topologies);
    for (int i = 0; i < MAKE_ARRAYS; i++)
        if (m->cells[i].offset.count)
            put_table(m, data, m->cells[i].name, &m->cells[i].offset, 1);
    H5Gclose(data);
    H5Gclose(at);
}

static void put_cell_arrays(const make *m, hid_t root)
{
    hid_t at = group(root, "CellData");
    for (int i = 0; i < MAKE_ARRAYS; i++)
        if (m->cells[i].name)
            put_list(m, at, m->cells[i].name, in_file(m->cells[i].type, H5T_STD_I64LE),
                     &m->cells[i].value);
    H5Gclose(at);
}

const char *make_write(const make *m, const char *name)
{
    static char path[512];
    const int64_t usual[2] = {2, 0};
    hsize_t dims[2] = {m->points.count / 3, 3};
    snprintf(path, sizeof path, "%s/%s", test_folder(), name);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    h5_make_must(file >= 0, path);
    hid_t root = group(file, "VTKHDF");
    put_attribute_ints(root, "Version", 2, m->version[0] ? m->version : usual);
    put_attribute_text(root, "Type", m->unstructured ? "UnstructuredGrid" : "PolyData");
    put_list(m, root, "NumberOfPoints", in_file(m->count_type, H5T_STD_I64LE), &m->part_points);
    h5_make_store(root, "Points", m->storage, in_file(m->point_type, H5T_IEEE_F64LE), 2, dims,
                  H5T_NATIVE_DOUBLE, m->points.value);
    put_topology(m, root);
    put_cell_arrays(m, root);
    if (!m->no_steps)
        put_steps(m, root);
    H5Gclose(root);
    h5_make_must(H5Fclose(file) >= 0, path);
    return path;
}

/* ---- expected contents */

size_t make_frames(const make *m)
{
    return m->no_steps ? 1 : m->time.count;
}

typedef struct place {
    size_t part0, parts, point0, cell0, id0;
} place;

static place frame_place(const make *m, size_t f)
{
    if (m->no_steps)
        return (place){0, m->part_cells.count, 0, 0, 0};
    return (place){(size_t)m->part0.value[f], m->no_part_counts ? 1 : (size_t)m->parts.value[f],
                   (size_t)m->point0.value[f], (size_t)m->cell0.value[f], (size_t)m->id0.value[f]};
}

/* Appends a cell of a frame, from its ids in the file. Returns their number. */
static int64_t expect_cell(int64_t type, const int64_t *id, int64_t verts, make_frame *out)
{
    int64_t size = h5_make_type_size(type);
    uint32_t *to = out->corner + (int64_t)out->primitives * out->corners;
    for (int64_t k = 0; k < out->corners; k++)
        to[k] = (uint32_t)(id[k < size ? k : size - 1] + verts);
    out->corner_count[out->primitives++] = (uint8_t)size;
    return size;
}

static int expect_corners(const make *m, const place *at, int *mixed)
{
    size_t cells = 0, solids = 0;
    for (size_t p = at->part0; p < at->part0 + at->parts; p++)
        for (int64_t i = 0; i < m->part_cells.value[p]; i++)
            solids += m->types.value[at->cell0 + cells++] != 5;
    *mixed = solids && solids < cells;
    return solids ? 4 : 3;
}

void make_expect(const make *m, size_t frame, make_frame *out)
{
    place at = frame_place(m, frame);
    int64_t verts = 0, id = (int64_t)at.id0;
    memset(out, 0, sizeof *out);
    out->time = m->no_steps ? 0 : m->time.value[frame];
    out->corners = expect_corners(m, &at, &out->mixed);
    out->corner = malloc((4 * m->types.count + 1) * sizeof *out->corner);
    out->corner_count = malloc(m->types.count + 1);
    out->point = malloc((m->points.count + 1) * sizeof *out->point);
    h5_make_must(out->corner && out->corner_count && out->point, "malloc");
    for (size_t p = at.part0; p < at.part0 + at.parts; p++) {
        for (int64_t i = 0; i < m->part_cells.value[p]; i++)
            id += expect_cell(m->types.value[at.cell0 + out->primitives], m->ids.value + id, verts,
                              out);
        verts += m->part_points.value[p];
    }
    for (int64_t i = 0; i < 3 * verts; i++)
        out->point[i] = m->points.value[3 * (int64_t)at.point0 + i];
    out->vertices = (uint32_t)verts;
}

void make_frame_free(make_frame *f)
{
    free(f->corner);
    free(f->corner_count);
    free(f->point);
    memset(f, 0, sizeof *f);
}

int64_t make_cell_value(const make *m, const make_cells *c, size_t frame, size_t cell)
{
    size_t first = c->offset.count ? (size_t)c->offset.value[frame] : frame_place(m, frame).cell0;
    return c->value.value[first + cell];
}

/* ---- changing a file */

static hid_t h5_make_open_file(const char *path, unsigned how)
{
    hid_t file = H5Fopen(path, how, H5P_DEFAULT);
    h5_make_must(file >= 0, path);
    return file;
}

void h5_remove(const char *path, const char *name)
{
    char where[256];
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR);
    snprintf(where, sizeof where, "%s", name);
    char *at = strchr(where, '@');
    if (at) {
        *at = 0;
        h5_make_must(H5Adelete_by_name(file, where, at + 1, H5P_DEFAULT) >= 0, name);
    } else {
        h5_make_must(H5Ldelete(file, name, H5P_DEFAULT) >= 0, name);
    }
    h5_make_must(H5Fclose(file) >= 0, path);
}

void h5_rename(const char *path, const char *from, const char *to)
{
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR);
    h5_make_must(H5Lmove(file, from, file, to, H5P_DEFAULT, H5P_DEFAULT) >= 0, from);
    h5_make_must(H5Fclose(file) >= 0, path);
}

void h5_replace(const char *path, const char *name, hid_t type, int rank, const hsize_t *dims,
                const double *value)
{
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR), space = H5Screate_simple(rank, dims, NULL);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        h5_make_must(H5Ldelete(file, name, H5P_DEFAULT) >= 0, name);
    hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    h5_make_must(id >= 0, name);
    if (value)
        h5_make_must(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0,
                     name);
    H5Dclose(id);
    H5Sclose(space);
    h5_make_must(H5Fclose(file) >= 0, path);
}

void h5_replace_ints(const char *path, const char *name, size_t n, const int64_t *value)
{
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR);
    hsize_t dims = n;
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        h5_make_must(H5Ldelete(file, name, H5P_DEFAULT) >= 0, name);
    h5_make_store(file, name, MAKE_CONTIGUOUS, H5T_STD_I64LE, 1, &dims, H5T_NATIVE_INT64, value);
    h5_make_must(H5Fclose(file) >= 0, path);
}

void h5_texts(const char *path, const char *name, size_t n, const char *text, size_t size)
{
    const hsize_t dims = n;
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR), links = H5Pcreate(H5P_LINK_CREATE);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &dims, NULL);
    H5Pset_create_intermediate_group(links, 1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    hid_t id = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    h5_make_must(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0, name);
    H5Dclose(id);
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(links);
    h5_make_must(H5Fclose(file) >= 0, path);
}

void h5_store(const char *path, const char *name, hid_t type, int deflate)
{
    size_t n;
    double *value = h5_reals(path, name, &n);
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR), old = H5Dopen2(file, name, H5P_DEFAULT);
    hsize_t dims[2] = {0, 0}, most[2] = {H5S_UNLIMITED, 0};
    hid_t space = H5Dget_space(old);
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    hsize_t chunk[2] = {64, most[1] = dims[1]};
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE), grows = H5Screate_simple(rank, dims, most);
    H5Pset_chunk(plan, rank, chunk);
    if (deflate)
        H5Pset_deflate(plan, 6);
    h5_make_must(H5Ldelete(file, name, H5P_DEFAULT) >= 0, name);
    hid_t id = H5Dcreate2(file, name, type, grows, H5P_DEFAULT, plan, H5P_DEFAULT);
    h5_make_must(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0, name);
    const hid_t datasets[] = {id, old}, spaces[] = {space, grows};
    for (int i = 0; i < 2; i++) {
        H5Dclose(datasets[i]);
        H5Sclose(spaces[i]);
    }
    H5Pclose(plan);
    h5_make_must(H5Fclose(file) >= 0, path);
    free(value);
}

static hid_t open_for_attribute(hid_t file, const char *object, const char *name)
{
    hid_t at = H5Oopen(file, object, H5P_DEFAULT);
    h5_make_must(at >= 0, object);
    if (H5Aexists(at, name) > 0)
        H5Adelete(at, name);
    return at;
}

void h5_attribute_ints(const char *path, const char *object, const char *name, size_t n,
                       const int64_t *value)
{
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR), at = open_for_attribute(file, object, name);
    put_attribute_ints(at, name, n, value);
    H5Oclose(at);
    h5_make_must(H5Fclose(file) >= 0, path);
}

void h5_attribute_text(const char *path, const char *object, const char *name, const char *text)
{
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR), at = open_for_attribute(file, object, name);
    put_attribute_text(at, name, text);
    H5Oclose(at);
    h5_make_must(H5Fclose(file) >= 0, path);
}

/* ---- elements and whole datasets */

static void *h5_make_read_all(const char *path, const char *name, hid_t type, size_t size,
                              size_t *n)
{
    hid_t file = h5_make_open_file(path, H5F_ACC_RDONLY), id = H5Dopen2(file, name, H5P_DEFAULT);
    h5_make_must(id >= 0, name);
    hid_t space = H5Dget_space(id);
    *n = (size_t)H5Sget_simple_extent_npoints(space);
    void *all = calloc(*n + 1, size);
    h5_make_must(all && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0, name);
    H5Sclose(space);
    H5Dclose(id);
    H5Fclose(file);
    return all;
}

double *h5_reals(const char *path, const char *name, size_t *n)
{
    return h5_make_read_all(path, name, H5T_NATIVE_DOUBLE, sizeof(double), n);
}

int64_t *h5_ints(const char *path, const char *name, size_t *n)
{
    return h5_make_read_all(path, name, H5T_NATIVE_INT64, sizeof(int64_t), n);
}

double h5_peek(const char *path, const char *name, size_t index)
{
    size_t n;
    double *all = h5_reals(path, name, &n), x;
    h5_make_must(index < n, name);
    x = all[index];
    free(all);
    return x;
}

void h5_poke(const char *path, const char *name, size_t index, double value)
{
    hsize_t dims[2] = {0, 1}, one = 1;
    hid_t file = h5_make_open_file(path, H5F_ACC_RDWR), id = H5Dopen2(file, name, H5P_DEFAULT);
    h5_make_must(id >= 0, name);
    hid_t space = H5Dget_space(id), memory = H5Screate_simple(1, &one, NULL);
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    const hsize_t at[2] = {index / dims[1], index % dims[1]};
    h5_make_must(rank == 0 || (rank <= 2 && index < dims[0] * dims[1]), name);
    if (rank > 0)
        H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
    h5_make_must(H5Dwrite(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0, name);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(id);
    h5_make_must(H5Fclose(file) >= 0, path);
}
