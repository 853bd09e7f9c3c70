/* See h5_same.h. */
#include "h5_same.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static char difference[400];

static const char *differ(const char *format, ...) __attribute__((format(printf, 1, 2)));

static const char *differ(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(difference, sizeof difference, format, args);
    va_end(args);
    return difference;
}

static hid_t open_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

/* ---- values: what datasets and attributes have in common */

typedef struct value {
    hid_t type;
    int rank;
    hsize_t dims[H5S_MAX_RANK], most[H5S_MAX_RANK];
    size_t bytes;
    char *data;
} value;

static void value_shape(value *v, hid_t space)
{
    v->rank = H5Sget_simple_extent_dims(space, v->dims, v->most);
    v->bytes = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(v->type);
    v->data = calloc(v->bytes + 1, 1);
    H5Sclose(space);
}

static int value_of_data(hid_t at, const char *name, value *v)
{
    hid_t id = H5Dopen2(at, name, H5P_DEFAULT);
    if (id < 0)
        return 0;
    v->type = H5Dget_type(id);
    value_shape(v, H5Dget_space(id));
    int good = v->data && H5Dread(id, v->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, v->data) >= 0;
    H5Dclose(id);
    return good;
}

static int value_of_attribute(hid_t at, const char *name, value *v)
{
    hid_t id = H5Aopen(at, name, H5P_DEFAULT);
    if (id < 0)
        return 0;
    v->type = H5Aget_type(id);
    value_shape(v, H5Aget_space(id));
    int good = v->data && H5Aread(id, v->type, v->data) >= 0;
    H5Aclose(id);
    return good;
}

static void value_free(value *v)
{
    if (v->type > 0)
        H5Tclose(v->type);
    free(v->data);
}

static const char *compare_values(const char *name, const value *a, const value *b)
{
    if (H5Tequal(a->type, b->type) <= 0)
        return differ("%s: other types", name);
    if (a->rank != b->rank)
        return differ("%s: %d and %d dimensions", name, a->rank, b->rank);
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i] || a->most[i] != b->most[i])
            return differ("%s: dimension %d is %llu and %llu", name, i,
                          (unsigned long long)a->dims[i], (unsigned long long)b->dims[i]);
    for (size_t i = 0; i < a->bytes; i++)
        if (a->data[i] != b->data[i])
            return differ("%s: byte %zu differs", name, i);
    return NULL;
}

/* ---- trees */

typedef int read_value(hid_t at, const char *name, value *v);

static const char *compare_one(hid_t a, hid_t b, const char *name, const char *shown,
                               read_value *read)
{
    value x = {0}, y = {0};
    const char *what = NULL;
    if (!read(a, name, &x) || !read(b, name, &y))
        what = differ("%s: missing or not readable in one of them", shown);
    else
        what = compare_values(shown, &x, &y);
    value_free(&x);
    value_free(&y);
    return what;
}

static const char *compare_attributes(hid_t a, hid_t b, const char *shown)
{
    int n = H5Aget_num_attrs(a);
    if (n != H5Aget_num_attrs(b))
        return differ("%s: more attributes in one of them", shown);
    for (int i = 0; i < n; i++) {
        char name[200] = "";
        hid_t id = H5Aopen_by_idx(a, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i, H5P_DEFAULT,
                                  H5P_DEFAULT);
        H5Aget_name(id, sizeof name, name);
        H5Aclose(id);
        const char *what = compare_one(a, b, name, name, value_of_attribute);
        if (what)
            return what;
    }
    return NULL;
}

static const char *compare_groups(hid_t a, hid_t b, const char *shown);

/* The object `name` of two groups. */
static const char *compare_objects(hid_t a, hid_t b, const char *shown, const char *name)
{
    char full[400];
    const char *what = NULL;
    snprintf(full, sizeof full, "%s/%s", shown, name);
    if (H5Lexists(b, name, H5P_DEFAULT) <= 0)
        return differ("%s: missing", full);
    hid_t x = H5Oopen(a, name, H5P_DEFAULT), y = H5Oopen(b, name, H5P_DEFAULT);
    if (x < 0 || y < 0 || H5Iget_type(x) != H5Iget_type(y))
        what = differ("%s: cannot be opened, or of two kinds", full);
    else if (H5Iget_type(x) == H5I_GROUP)
        what = compare_groups(x, y, full);
    else
        what = compare_attributes(x, y, full);
    if (!what && H5Iget_type(x) == H5I_DATASET)
        what = compare_one(a, b, name, full, value_of_data);
    if (x >= 0)
        H5Oclose(x);
    if (y >= 0)
        H5Oclose(y);
    return what;
}

static const char *compare_groups(hid_t a, hid_t b, const char *shown)
{
    H5G_info_t x, y;
    const char *what = compare_attributes(a, b, shown);
    if (H5Gget_info(a, &x) < 0 || H5Gget_info(b, &y) < 0 || x.nlinks != y.nlinks)
        return differ("%s: more objects in one of them", shown);
    for (hsize_t i = 0; i < x.nlinks && !what; i++) {
        char name[200] = "";
        H5Lget_name_by_idx(a, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        what = compare_objects(a, b, shown, name);
    }
    return what;
}

const char *h5_same(const char *a, const char *b, const char *group)
{
    hid_t f = open_file(a), g = open_file(b);
    hid_t x = f < 0 ? -1 : H5Gopen2(f, group, H5P_DEFAULT);
    hid_t y = g < 0 ? -1 : H5Gopen2(g, group, H5P_DEFAULT);
    const char *what = x < 0 || y < 0 ? differ("%s: cannot be opened", x < 0 ? a : b)
                                      : compare_groups(x, y, group);
    const hid_t groups[] = {x, y}, files[] = {f, g};
    for (int i = 0; i < 2; i++) {
        if (groups[i] >= 0)
            H5Gclose(groups[i]);
        if (files[i] >= 0)
            H5Fclose(files[i]);
    }
    return what;
}

/* ---- results */

static const char *const arrays[] = {"PrimitiveA", "PrimitiveB", "ObjectA", "ObjectB", "Kind"};
#define ARRAYS 5

/* A dataset as int64 or double; NULL if it is not there. */
static void *whole(hid_t file, const char *name, hid_t type, size_t *n)
{
    hid_t id = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    *n = 0;
    if (id < 0)
        return NULL;
    hid_t space = H5Dget_space(id);
    *n = (size_t)H5Sget_simple_extent_npoints(space);
    void *all = calloc(*n + 1, 8);
    if (!all || H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) < 0) {
        free(all);
        all = NULL;
    }
    H5Sclose(space);
    H5Dclose(id);
    return all;
}

static int64_t frames_done(hid_t file)
{
    int64_t *done = NULL, n = -1;
    size_t count = 0;
    if (H5Lexists(file, "impinge", H5P_DEFAULT) > 0)
        done = whole(file, "impinge/frames_done", H5T_NATIVE_INT64, &count);
    if (done && count == 1)
        n = *done;
    free(done);
    return n;
}

/* The first rows of a dataset that counts `columns` to a row must be the same. */
static const char *same_rows(hid_t part, hid_t full, const char *name, size_t values)
{
    size_t n, m;
    hid_t type = H5T_NATIVE_UINT64;
    if (strstr(name, "Points") || strstr(name, "Values"))
        type = strstr(name, "NumberOf") ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE;
    char *a = whole(part, name, type, &n), *b = whole(full, name, type, &m);
    const char *what = NULL;
    if (!a || n < values)
        what = differ("%s: %zu values, %zu are needed", name, n, values);
    else if (!b || m < values)
        what = differ("%s: the complete result has %zu values, not %zu", name, m, values);
    else if (memcmp(a, b, 8 * values))
        what = differ("%s: the first %zu values differ", name, values);
    free(a);
    free(b);
    return what;
}

typedef struct rows {
    size_t frames, contacts, most; /* of these frames; of the largest */
} rows;

static const char *begins_arrays(hid_t part, hid_t full, const rows *r)
{
    const char *what = NULL;
    char name[64];
    for (int a = 0; a < ARRAYS && !what; a++) {
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", arrays[a]);
        what = same_rows(part, full, name, r->contacts);
        snprintf(name, sizeof name, "VTKHDF/Steps/CellDataOffsets/%s", arrays[a]);
        what = what ? what : same_rows(part, full, name, r->frames);
    }
    return what;
}

static const char *begins_tables(hid_t part, hid_t full, const rows *r)
{
    const struct {
        const char *name;
        size_t values;
    } all[] = {{"VTKHDF/Points", 6 * r->contacts},
               {"VTKHDF/NumberOfPoints", r->frames},
               {"VTKHDF/Lines/NumberOfCells", r->frames},
               {"VTKHDF/Lines/NumberOfConnectivityIds", r->frames},
               {"VTKHDF/Lines/Connectivity", 2 * r->most},
               {"VTKHDF/Lines/Offsets", r->most + 1},
               {"VTKHDF/Polygons/NumberOfCells", r->frames},
               {"VTKHDF/Steps/Values", r->frames},
               {"VTKHDF/Steps/PartOffsets", r->frames},
               {"VTKHDF/Steps/NumberOfParts", r->frames},
               {"VTKHDF/Steps/PointOffsets", r->frames},
               {"VTKHDF/Steps/CellOffsets", 4 * r->frames},
               {"VTKHDF/Steps/ConnectivityIdOffsets", 4 * r->frames},
               {"impinge/input_frame", r->frames},
               {"impinge/candidates", r->frames},
               {"impinge/contacts", r->frames},
               {"impinge/undecided", r->frames},
               {"impinge/bad_primitives", r->frames},
               {"impinge/checksum", r->frames}};
    const char *what = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all && !what; i++)
        what = same_rows(part, full, all[i].name, all[i].values);
    return what;
}

static const char *begins(hid_t part, hid_t full, int64_t *done)
{
    size_t n;
    rows r = {0};
    *done = frames_done(part);
    if (*done < 0)
        return differ("frames_done is missing");
    int64_t *contacts = whole(full, "impinge/contacts", H5T_NATIVE_INT64, &n);
    if (!contacts || (size_t)*done > n) {
        free(contacts);
        return differ("frames_done is %lld of %zu", (long long)*done, n);
    }
    for (r.frames = 0; r.frames < (size_t)*done; r.frames++) {
        size_t count = (size_t)contacts[r.frames];
        r.contacts += count;
        r.most = count > r.most ? count : r.most;
    }
    free(contacts);
    const char *what = begins_tables(part, full, &r);
    return what ? what : begins_arrays(part, full, &r);
}

const char *h5_begins(const char *part, const char *full, int64_t *done)
{
    hid_t f = open_file(part), g = open_file(full);
    *done = -1;
    const char *what =
        f < 0 || g < 0 ? differ("%s: cannot be opened", f < 0 ? part : full) : begins(f, g, done);
    if (f >= 0)
        H5Fclose(f);
    if (g >= 0)
        H5Fclose(g);
    return what;
}

/* ---- is a result sound? */

typedef struct tables {
    size_t frames, contacts, most;
    int64_t *count; /* contacts of each frame */
} tables;

static const char *check_type(hid_t file, const char *name, hid_t type, int rank)
{
    hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
    if (id < 0)
        return differ("%s: missing", name);
    hid_t have = H5Dget_type(id), space = H5Dget_space(id), plan = H5Dget_create_plist(id);
    const char *what = NULL;
    if (H5Tequal(have, type) <= 0)
        what = differ("%s: of another type", name);
    else if (H5Sget_simple_extent_ndims(space) != rank)
        what = differ("%s: not of %d dimensions", name, rank);
    else if (H5Pget_nfilters(plan) != 0)
        what = differ("%s: has a filter", name);
    H5Pclose(plan);
    H5Sclose(space);
    H5Tclose(have);
    H5Dclose(id);
    return what;
}

static const char *sound_types(hid_t file)
{
    const struct {
        const char *name;
        hid_t type;
        int rank;
    } all[] = {{"VTKHDF/Points", H5T_IEEE_F64LE, 2},
               {"VTKHDF/CellData/PrimitiveA", H5T_STD_I64LE, 1},
               {"VTKHDF/CellData/PrimitiveB", H5T_STD_I64LE, 1},
               {"VTKHDF/CellData/ObjectA", H5T_STD_I32LE, 1},
               {"VTKHDF/CellData/ObjectB", H5T_STD_I32LE, 1},
               {"VTKHDF/CellData/Kind", H5T_STD_U8LE, 1},
               {"VTKHDF/Steps/Values", H5T_IEEE_F64LE, 1},
               {"VTKHDF/Steps/CellOffsets", H5T_STD_I64LE, 2},
               {"VTKHDF/Steps/ConnectivityIdOffsets", H5T_STD_I64LE, 2},
               {"impinge/frames_done", H5T_STD_I64LE, 0},
               {"impinge/input_frame", H5T_STD_I64LE, 1}};
    const char *what = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all && !what; i++)
        what = check_type(file, all[i].name, all[i].type, all[i].rank);
    return what;
}

static const char *sound_identity(hid_t file, const tables *t)
{
    value version = {0}, type = {0}, steps = {0};
    const char *what = NULL;
    const int64_t want[2] = {2, 1}, n = (int64_t)t->frames;
    hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "VTKHDF/Steps", H5P_DEFAULT);
    if (!value_of_attribute(root, "Version", &version) || version.bytes != sizeof want ||
        memcmp(version.data, want, sizeof want))
        what = differ("Version is not 2, 1");
    else if (!value_of_attribute(root, "Type", &type) || H5Tis_variable_str(type.type) ||
             H5Tget_cset(type.type) != H5T_CSET_ASCII || strcmp(type.data, "PolyData"))
        what = differ("Type is not 'PolyData' in ASCII of fixed length");
    else if (!value_of_attribute(group, "NSteps", &steps) || steps.bytes != sizeof n ||
             memcmp(steps.data, &n, sizeof n))
        what = differ("NSteps is not frames_done");
    value_free(&version);
    value_free(&type);
    value_free(&steps);
    H5Gclose(root);
    H5Gclose(group);
    return what;
}

/* A list of int64 that must have `n` values, given by a rule. */
typedef int64_t rule(const tables *t, size_t i);

static const char *check_list(hid_t file, const tables *t, const char *name, size_t n, rule *want)
{
    size_t have;
    const char *what = NULL;
    int64_t *all = whole(file, name, H5T_NATIVE_INT64, &have);
    if (!all || have != n)
        what = differ("%s: %zu values, not %zu", name, have, n);
    for (size_t i = 0; i < n && !what; i++)
        if (all[i] != want(t, i))
            what = differ("%s: value %zu is %lld, not %lld", name, i, (long long)all[i],
                          (long long)want(t, i));
    free(all);
    return what;
}

static int64_t rule_zero(const tables *t, size_t i)
{
    (void)t;
    return i > SIZE_MAX - 1;
}

static int64_t rule_one(const tables *t, size_t i)
{
    return 1 + rule_zero(t, i);
}

static int64_t rule_index(const tables *t, size_t i)
{
    return (int64_t)i + rule_zero(t, i);
}

static int64_t rule_twice_index(const tables *t, size_t i)
{
    return 2 * rule_index(t, i);
}

static int64_t rule_count(const tables *t, size_t i)
{
    return t->count[i];
}

static int64_t rule_twice_count(const tables *t, size_t i)
{
    return 2 * t->count[i];
}

static int64_t rule_first(const tables *t, size_t i)
{
    int64_t sum = 0;
    while (i-- > 0)
        sum += t->count[i];
    return sum;
}

static int64_t rule_twice_first(const tables *t, size_t i)
{
    return 2 * rule_first(t, i);
}

static const char *sound_lists(hid_t file, const tables *t)
{
    size_t f = t->frames;
    const struct {
        const char *name;
        size_t n;
        rule *want;
    } all[] = {{"VTKHDF/NumberOfPoints", f, rule_twice_count},
               {"VTKHDF/Lines/NumberOfCells", f, rule_count},
               {"VTKHDF/Lines/NumberOfConnectivityIds", f, rule_twice_count},
               {"VTKHDF/Lines/Connectivity", 2 * t->most, rule_index},
               {"VTKHDF/Lines/Offsets", t->most + 1, rule_twice_index},
               {"VTKHDF/Vertices/NumberOfCells", f, rule_zero},
               {"VTKHDF/Polygons/NumberOfCells", f, rule_zero},
               {"VTKHDF/Strips/NumberOfCells", f, rule_zero},
               {"VTKHDF/Vertices/NumberOfConnectivityIds", f, rule_zero},
               {"VTKHDF/Vertices/Connectivity", 0, rule_zero},
               {"VTKHDF/Vertices/Offsets", 1, rule_zero},
               {"VTKHDF/Polygons/Offsets", 1, rule_zero},
               {"VTKHDF/Strips/Offsets", 1, rule_zero},
               {"VTKHDF/Steps/PartOffsets", f, rule_index},
               {"VTKHDF/Steps/NumberOfParts", f, rule_one},
               {"VTKHDF/Steps/PointOffsets", f, rule_twice_first},
               {"VTKHDF/Steps/CellOffsets", 4 * f, rule_zero},
               {"VTKHDF/Steps/ConnectivityIdOffsets", 4 * f, rule_zero},
               {"VTKHDF/Steps/CellDataOffsets/PrimitiveA", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/PrimitiveB", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/ObjectA", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/ObjectB", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/Kind", f, rule_first}};
    const char *what = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all && !what; i++)
        what = check_list(file, t, all[i].name, all[i].n, all[i].want);
    return what;
}

/* ends of a line in lexicographic order, finite, no negative zero */
static int point_sound(const double *p)
{
    for (int k = 0; k < 6; k++)
        if (!isfinite(p[k]) || (p[k] == 0 && signbit(p[k])))
            return 0;
    for (int k = 0; k < 3; k++)
        if (p[k] != p[k + 3])
            return p[k] < p[k + 3];
    return 1;
}

static const char *sound_rows(hid_t file, const tables *t)
{
    size_t n, m, k;
    const char *what = NULL;
    int64_t *a = whole(file, "VTKHDF/CellData/PrimitiveA", H5T_NATIVE_INT64, &n);
    int64_t *b = whole(file, "VTKHDF/CellData/PrimitiveB", H5T_NATIVE_INT64, &m);
    double *p = whole(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, &k);
    if (!a || !b || !p || n != t->contacts || m != n || k != 6 * n)
        what = differ("%zu, %zu and %zu values for %zu contacts", n, m, k, t->contacts);
    for (size_t f = 0, i = 0, end = 0; f < t->frames && !what; f++)
        for (size_t first = i, last = end += (size_t)t->count[f]; i < last && !what; i++) {
            int sorted = i == first || a[i - 1] < a[i] || (a[i - 1] == a[i] && b[i - 1] < b[i]);
            if (!sorted || a[i] < 0 || a[i] >= b[i])
                what = differ("frame %zu: row %zu is out of order", f, i - first);
            else if (!point_sound(p + 6 * i))
                what = differ("frame %zu: row %zu: its points are not sound", f, i - first);
        }
    free(a);
    free(b);
    free(p);
    return what;
}

/* Hash of the rows of one array in a frame, as stored. */
static uint64_t rows_hash(hid_t file, const char *name, size_t bytes, size_t first, size_t n)
{
    hid_t id = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(id), space = H5Dget_space(id);
    size_t all = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    char *data = calloc(all + 1, 1);
    uint64_t h = 0;
    if (data && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0)
        h = XXH3_64bits(data + bytes * first, bytes * n);
    free(data);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(id);
    return h;
}

static uint64_t frame_hash(hid_t file, size_t first, size_t n)
{
    const size_t bytes[ARRAYS] = {8, 8, 4, 4, 1};
    uint64_t sums[ARRAYS + 1];
    char name[64];
    for (int a = 0; a < ARRAYS; a++) {
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", arrays[a]);
        sums[a] = rows_hash(file, name, bytes[a], first, n);
    }
    sums[ARRAYS] = rows_hash(file, "VTKHDF/Points", 48, first, n);
    return XXH3_64bits(sums, sizeof sums);
}

static const char *sound_checksums(hid_t file, const tables *t)
{
    size_t n, first = 0;
    const char *what = NULL;
    uint64_t *sum = whole(file, "impinge/checksum", H5T_NATIVE_UINT64, &n);
    if (!sum || n != t->frames)
        what = differ("impinge/checksum: %zu rows", n);
    for (size_t f = 0; f < t->frames && !what; f++) {
        if (sum[f] != frame_hash(file, first, (size_t)t->count[f]))
            what = differ("frame %zu: wrong checksum", f);
        first += (size_t)t->count[f];
    }
    free(sum);
    return what;
}

static const char *sound(hid_t file)
{
    size_t n;
    tables t = {0};
    int64_t done = frames_done(file);
    t.count = whole(file, "impinge/contacts", H5T_NATIVE_INT64, &n);
    if (done < 0 || !t.count || n != (size_t)done) {
        free(t.count);
        return differ("frames_done is %lld, with %zu rows", (long long)done, n);
    }
    for (; t.frames < n; t.frames++) {
        size_t count = (size_t)t.count[t.frames];
        t.contacts += count;
        t.most = count > t.most ? count : t.most;
    }
    const char *what = sound_types(file);
    what = what ? what : sound_identity(file, &t);
    what = what ? what : sound_lists(file, &t);
    what = what ? what : sound_rows(file, &t);
    what = what ? what : sound_checksums(file, &t);
    free(t.count);
    return what;
}

const char *h5_sound(const char *result)
{
    hid_t file = open_file(result);
    if (file < 0)
        return differ("%s: cannot be opened", result);
    const char *what = sound(file);
    H5Fclose(file);
    return what;
}
