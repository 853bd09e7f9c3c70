/* h5_sound of h5_same.h. */
#include "h5_read.h"
#include "h5_same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct tables {
    size_t frames, contacts, most;
    int times;      /* contacts have times */
    int near;       /* rows have distances */
    int inside;     /* rows are vertices inside objects */
    int simulated;  /* by `impinge pcs`: rows are events of bodies, of which a pair may have several
                       at a time */
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

/* The columns that only results with distances have. */
static const struct {
    const char *name;
    int whole, rank; /* int64, else float64 */
} near_columns[] = {{"Distance", 0, 1}, {"BarycentricA", 0, 2}, {"BarycentricB", 0, 2},
                    {"Normal", 0, 2},   {"FeatureA", 1, 1},     {"FeatureB", 1, 1}};
#define NEAR_COLUMNS (sizeof near_columns / sizeof *near_columns)

static const char *sound_near_types(hid_t file, const tables *t)
{
    const char *what = NULL;
    char name[64];
    for (size_t i = 0; t->near && i < NEAR_COLUMNS && !what; i++) {
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", near_columns[i].name);
        what = check_type(file, name, near_columns[i].whole ? H5T_STD_I64LE : H5T_IEEE_F64LE,
                          near_columns[i].rank);
    }
    return what;
}

static const char *sound_types(hid_t file, const tables *t)
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
               {"impinge/input_frame", H5T_STD_I64LE, 1},
               {"VTKHDF/CellData/Share", H5T_IEEE_F64LE, 1},
               {"VTKHDF/CellData/Time", H5T_IEEE_F64LE, 1},
               {"VTKHDF/CellData/FeatureA", H5T_STD_I64LE, 1},
               {"VTKHDF/CellData/FeatureB", H5T_STD_I64LE, 1},
               {"impinge/candidates_vf", H5T_STD_I64LE, 1},
               {"impinge/candidates_ee", H5T_STD_I64LE, 1}};
    const char *what = NULL;
    /* feature pairs are not counted in slabs */
    const size_t counted = H5Lexists(file, "impinge/candidates_vf", H5P_DEFAULT) > 0;
    const size_t always = 11, timed = sizeof all / sizeof *all - 2 * (size_t)!counted;
    const size_t n = t->times ? timed : always;
    for (size_t i = 0; i < n && !what; i++)
        what = check_type(file, all[i].name, all[i].type, all[i].rank);
    return what ? what : sound_near_types(file, t);
}

/* The options of `impinge pcs` begin with its scene. */
static int is_simulated(hid_t file)
{
    value v = {0};
    hid_t group = H5Gopen2(file, "impinge", H5P_DEFAULT);
    const int is = group >= 0 && value_of_attribute(group, "options", &v) && v.bytes >= 6 &&
                   !memcmp(v.data, "scene=", 6);
    value_free(&v);
    H5Gclose(group);
    return is;
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

/* The rule for the values of a list of `n` int64. */
typedef int64_t rule(const tables *t, size_t i);

static const char *check_h5_sound_list(hid_t file, const tables *t, const char *name, size_t n,
                                       rule *want)
{
    size_t have;
    const char *what = NULL;
    int64_t *all = h5_whole(file, name, H5T_NATIVE_INT64, &have);
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
               {"VTKHDF/Steps/CellDataOffsets/Kind", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/Share", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/Time", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/FeatureA", f, rule_first},
               {"VTKHDF/Steps/CellDataOffsets/FeatureB", f, rule_first}};
    const char *what = NULL;
    const size_t all_count = sizeof all / sizeof *all, n = t->times ? all_count : all_count - 4;
    for (size_t i = 0; i < n && !what; i++)
        what = check_h5_sound_list(file, t, all[i].name, all[i].n, all[i].want);
    for (size_t i = 0; t->near && i < NEAR_COLUMNS && !what; i++) {
        char name[80];
        snprintf(name, sizeof name, "VTKHDF/Steps/CellDataOffsets/%s", near_columns[i].name);
        what = check_h5_sound_list(file, t, name, f, rule_first);
    }
    return what;
}

/* ends of a segment in lexicographic order unless it joins nearest points, finite, no negative
 * zero */
static int point_sound(const double *p, int near)
{
    for (int k = 0; k < 6; k++)
        if (!isfinite(p[k]) || (p[k] == 0 && signbit(p[k])))
            return 0;
    for (int k = 0; k < 3 && !near; k++)
        if (p[k] != p[k + 3])
            return p[k] < p[k + 3];
    return 1;
}

/* Returns whether row i follows row i - 1 in the order of toi, if present, then of the pair. */
static int h5_sound_in_order(const double *toi, const int64_t *a, const int64_t *b, size_t i,
                             int again)
{
    if (toi && toi[i - 1] != toi[i])
        return toi[i - 1] < toi[i];
    return a[i - 1] != a[i] ? a[i - 1] < a[i] : b[i - 1] < b[i] + again;
}

/* The columns of distances; NULL if the result has none. */
typedef struct near_rows {
    double *distance, *weight[2], *normal;
    double *deep, *relative; /* NULL: it has no thicknesses */
    int64_t *feature[2];
    uint8_t *kind;
} near_rows;

static near_rows near_rows_read(hid_t file, const tables *t)
{
    size_t n;
    near_rows r = {0};
    if (!t->near)
        return r;
    r.distance = h5_whole(file, "VTKHDF/CellData/Distance", H5T_NATIVE_DOUBLE, &n);
    r.weight[0] = h5_whole(file, "VTKHDF/CellData/BarycentricA", H5T_NATIVE_DOUBLE, &n);
    r.weight[1] = h5_whole(file, "VTKHDF/CellData/BarycentricB", H5T_NATIVE_DOUBLE, &n);
    r.normal = h5_whole(file, "VTKHDF/CellData/Normal", H5T_NATIVE_DOUBLE, &n);
    r.feature[0] = h5_whole(file, "VTKHDF/CellData/FeatureA", H5T_NATIVE_INT64, &n);
    r.feature[1] = h5_whole(file, "VTKHDF/CellData/FeatureB", H5T_NATIVE_INT64, &n);
    r.kind = h5_whole(file, "VTKHDF/CellData/Kind", H5T_NATIVE_UINT8, &n);
    if (H5Lexists(file, "VTKHDF/CellData/Penetration", H5P_DEFAULT) <= 0)
        return r;
    r.deep = h5_whole(file, "VTKHDF/CellData/Penetration", H5T_NATIVE_DOUBLE, &n);
    r.relative = h5_whole(file, "VTKHDF/CellData/Relative", H5T_NATIVE_DOUBLE, &n);
    return r;
}

static void near_rows_free(near_rows *r)
{
    void *all[] = {r->distance,   r->weight[0], r->weight[1], r->normal,  r->feature[0],
                   r->feature[1], r->kind,      r->deep,      r->relative};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* A pair that touches has features -1, and no distance, weights or normal; another one has weights
 * of sum 1 and a normal of length 1. */
static int near_row_sound(const near_rows *r, size_t i)
{
    const int apart = r->kind[i] > 5 && r->kind[i] != 10;
    if (r->deep &&
        !(r->deep[i] >= 0 && r->deep[i] < INFINITY && r->relative[i] >= 0 && r->relative[i] <= 1))
        return 0;
    if (!r->deep && r->kind[i] == 10)
        return 0;
    for (int k = 0; k < 2; k++) {
        const double *w = r->weight[k] + 4 * i;
        const double sum = w[0] + w[1] + w[2] + w[3];
        if (fabs(sum - apart) > 0x1p-45 || !(fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) >= 0))
            return 0;
    }
    const double *v = r->normal + 3 * i, length = hypot(hypot(v[0], v[1]), v[2]);
    const int none = r->feature[0][i] == -1 && r->feature[1][i] == -1;
    /* features that touch, of primitives that may not: the direction is 0 */
    const int directed = apart && r->distance[i] > 0;
    return fabs(length - directed) <= 0x1p-45 && (apart ? r->kind[i] <= 9 && !none : none) &&
           (apart ? r->distance[i] >= 0 : r->distance[i] == 0);
}

static const char *sound_near_rows(hid_t file, const tables *t)
{
    const char *what = NULL;
    near_rows r = near_rows_read(file, t);
    for (size_t i = 0; t->near && i < t->contacts && !what; i++)
        if (!near_row_sound(&r, i))
            what = differ("row %zu: its distance, weights, normal or features are not sound", i);
    near_rows_free(&r);
    return what;
}

/* Returns whether row i, of the pair of row i - 1, follows it: pairs of features do. */
static int near_row_follows(const near_rows *r, size_t i)
{
    if (r->kind[i - 1] != r->kind[i])
        return r->kind[i - 1] < r->kind[i];
    for (int k = 0; k < 2; k++)
        if (r->feature[k][i - 1] != r->feature[k][i])
            return r->feature[k][i - 1] < r->feature[k][i];
    return 0;
}

/* The vertices of rows that are vertices inside objects, sorted by (vertex, a, b); else NULL. */
static int64_t *h5_sound_vertices(hid_t file, const tables *t)
{
    size_t n;
    return t->inside ? h5_whole(file, "VTKHDF/CellData/VertexId", H5T_NATIVE_INT64, &n) : NULL;
}

static const char *sound_rows(hid_t file, const tables *t)
{
    int64_t *vertex = h5_sound_vertices(file, t);
    size_t n, m, k, tois = 0;
    const char *what = NULL;
    near_rows near = near_rows_read(file, t);
    int64_t *a = h5_whole(file, "VTKHDF/CellData/PrimitiveA", H5T_NATIVE_INT64, &n);
    int64_t *b = h5_whole(file, "VTKHDF/CellData/PrimitiveB", H5T_NATIVE_INT64, &m);
    double *p = h5_whole(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, &k);
    double *toi =
        t->times ? h5_whole(file, "VTKHDF/CellData/Share", H5T_NATIVE_DOUBLE, &tois) : NULL;
    if (!a || !b || !p || n != t->contacts || m != n || k != 6 * n || (t->times && tois != n))
        what = differ("%zu, %zu and %zu values for %zu contacts", n, m, k, t->contacts);
    for (size_t f = 0, i = 0, end = 0; f < t->frames && !what; f++)
        for (size_t first = i, last = end += (size_t)t->count[f]; i < last && !what; i++) {
            int sorted = i == first || (vertex && vertex[i - 1] < vertex[i]) ||
                         ((!vertex || vertex[i - 1] == vertex[i]) &&
                          h5_sound_in_order(toi, a, b, i, t->simulated));
            if (!sorted && t->near && a[i - 1] == a[i] && b[i - 1] == b[i])
                sorted = near_row_follows(&near, i);
            if (!sorted || a[i] < 0 || b[i] < 0 || (vertex ? a[i] == b[i] : a[i] >= b[i]))
                what = differ("frame %zu: row %zu is out of order", f, i - first);
            else if (!point_sound(p + 6 * i, t->near || vertex))
                what = differ("frame %zu: row %zu: its points are not sound", f, i - first);
            else if (toi && !(toi[i] >= 0 && toi[i] <= 1))
                what = differ("frame %zu: row %zu: its share is %g", f, i - first, toi[i]);
        }
    near_rows_free(&near);
    free(vertex);
    free(a);
    free(b);
    free(p);
    free(toi);
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

/* Adds the hash of an optional column; none if it is absent. */
static size_t add_hash(hid_t file, const char *name, size_t bytes, size_t first, size_t n,
                       uint64_t *sums, size_t have)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return have;
    sums[have] = rows_hash(file, name, bytes, first, n);
    return have + 1;
}

/* Adds hashes of the end of each contact's collision points, counted from the frame's first, and of
 * those points. */
static size_t add_points_hash(hid_t file, size_t first, size_t n, uint64_t *sums, size_t have)
{
    size_t rows;
    if (H5Lexists(file, "impinge/points", H5P_DEFAULT) <= 0)
        return have;
    uint64_t *offset = h5_whole(file, "impinge/point_offsets", H5T_NATIVE_UINT64, &rows);
    if (!offset || rows < first + n + 1) {
        free(offset);
        return have;
    }
    uint64_t begin = offset[first], end = offset[first + n];
    for (size_t i = first + 1; i <= first + n; i++)
        offset[i] -= begin;
    sums[have] = XXH3_64bits(offset + first + 1, n * sizeof *offset);
    sums[have + 1] = rows_hash(file, "impinge/points", 24, begin, end - begin);
    free(offset);
    return have + 2;
}

static uint64_t frame_hash(hid_t file, size_t first, size_t n)
{
    const size_t bytes[H5_ARRAYS] = {8, 8, 4, 4, 1};
    uint64_t sums[H5_ARRAYS + 24];
    size_t have = H5_ARRAYS;
    char name[64];
    for (int a = 0; a < H5_ARRAYS; a++) {
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", h5_arrays[a]);
        sums[a] = rows_hash(file, name, bytes[a], first, n);
    }
    sums[have++] = rows_hash(file, "VTKHDF/Points", 48, first, n);
    have = add_hash(file, "VTKHDF/CellData/Share", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Time", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/FeatureA", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/FeatureB", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Distance", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/BarycentricA", 32, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/BarycentricB", 32, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Normal", 24, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Penetration", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Relative", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Crossing", 1, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/EndFeatures", 4, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/VertexId", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Winding", 4, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Face", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Barycentric", 32, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/Depth", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/PrimitiveIdA", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/PrimitiveIdB", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/SourceIdA", 8, first, n, sums, have);
    have = add_hash(file, "VTKHDF/CellData/SourceIdB", 8, first, n, sums, have);
    have = add_points_hash(file, first, n, sums, have);
    return XXH3_64bits(sums, have * sizeof *sums);
}

static const char *sound_checksums(hid_t file, const tables *t)
{
    size_t n, first = 0;
    const char *what = NULL;
    uint64_t *sum = h5_whole(file, "impinge/checksum", H5T_NATIVE_UINT64, &n);
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
    int64_t done = h5_frames_done(file);
    t.count = h5_whole(file, "impinge/contacts", H5T_NATIVE_INT64, &n);
    if (done < 0 || !t.count || n != (size_t)done) {
        free(t.count);
        return differ("frames_done is %lld, with %zu rows", (long long)done, n);
    }
    for (; t.frames < n; t.frames++) {
        size_t count = (size_t)t.count[t.frames];
        t.contacts += count;
        t.most = count > t.most ? count : t.most;
    }
    t.times = H5Lexists(file, "VTKHDF/CellData/Share", H5P_DEFAULT) > 0;
    t.near = H5Lexists(file, "VTKHDF/CellData/Distance", H5P_DEFAULT) > 0;
    t.inside = H5Lexists(file, "VTKHDF/CellData/VertexId", H5P_DEFAULT) > 0;
    t.simulated = t.times && is_simulated(file);
    const char *what = sound_types(file, &t);
    what = what ? what : sound_identity(file, &t);
    what = what ? what : sound_lists(file, &t);
    what = what ? what : sound_rows(file, &t);
    what = what ? what : sound_near_rows(file, &t);
    what = what ? what : sound_checksums(file, &t);
    free(t.count);
    return what;
}

const char *h5_sound(const char *result)
{
    hid_t file = h5_open_file(result);
    if (file < 0)
        return differ("%s: cannot be opened", result);
    const char *what = sound(file);
    H5Fclose(file);
    return what;
}
