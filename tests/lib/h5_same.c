/* See h5_same.h; h5_sound is in h5_sound.c. */
#include "h5_same.h"

#include "h5_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Virtual datasets have a fixed size; those of a run may be extensible. */
static int may_be_fixed;

static const char *compare_values(const char *name, const value *a, const value *b)
{
    if (H5Tequal(a->type, b->type) <= 0)
        return differ("%s: other types", name);
    if (a->rank != b->rank)
        return differ("%s: %d and %d dimensions", name, a->rank, b->rank);
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i] || (!may_be_fixed && a->most[i] != b->most[i]))
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

/* Compares the object `name` of two groups. */
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
    hid_t f = h5_open_file(a), g = h5_open_file(b);
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

static const char *same_data(hid_t f, hid_t g, const char *name)
{
    const int in_f =
        H5Lexists(f, "impinge", H5P_DEFAULT) > 0 && H5Lexists(f, name, H5P_DEFAULT) > 0;
    const int in_g =
        H5Lexists(g, "impinge", H5P_DEFAULT) > 0 && H5Lexists(g, name, H5P_DEFAULT) > 0;
    if (in_f != in_g)
        return differ("%s: in one of them only", name);
    return in_f ? compare_one(f, g, name, name, value_of_data) : NULL;
}

const char *h5_origin(const char *path, const char *name)
{
    static char text[2][4096];
    static int turn;
    char *to = text[turn = !turn];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t at = H5Aopen_by_name(file, "impinge", name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Aget_type(at);
    memset(to, 0, sizeof text[0]);
    if (H5Tget_size(type) >= sizeof text[0] || H5Aread(at, type, to) < 0)
        snprintf(to, sizeof text[0], "%s: not readable", name);
    H5Tclose(type);
    H5Aclose(at);
    H5Fclose(file);
    return to;
}

const char *h5_same_answers(const char *a, const char *b)
{
    static const char *const names[] = {"impinge/input_frame",    "impinge/contacts",
                                        "impinge/bad_primitives", "impinge/checksum",
                                        "impinge/point_offsets",  "impinge/points"};
    const char *what = h5_same(a, b, "/VTKHDF");
    hid_t f = h5_open_file(a), g = h5_open_file(b);
    for (size_t i = 0; i < sizeof names / sizeof *names && !what; i++)
        what = f < 0 || g < 0 ? differ("%s: cannot be opened", f < 0 ? a : b)
                              : same_data(f, g, names[i]);
    if (f >= 0)
        H5Fclose(f);
    if (g >= 0)
        H5Fclose(g);
    return what;
}

/* ---- prefixes of results */

/* The first rows of a dataset with `columns` values to a row must be the same. */
static const char *h5_same_rows(hid_t part, hid_t full, const char *name, size_t values)
{
    size_t n, m;
    hid_t type = H5T_NATIVE_UINT64;
    if (strstr(name, "/DeepestPoint") || strstr(name, "/Depth"))
        type = H5T_NATIVE_DOUBLE;
    if (strstr(name, "Points") || strstr(name, "Values"))
        type = strstr(name, "NumberOf") ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE;
    char *a = h5_whole(part, name, type, &n), *b = h5_whole(full, name, type, &m);
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
    size_t frames, contacts, most; /* in these frames; in the largest one */
} rows;

static const char *begins_arrays(hid_t part, hid_t full, const rows *r)
{
    const char *what = NULL;
    char name[64];
    for (int a = 0; a < H5_ARRAYS && !what; a++) {
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", h5_arrays[a]);
        what = h5_same_rows(part, full, name, r->contacts);
        snprintf(name, sizeof name, "VTKHDF/Steps/CellDataOffsets/%s", h5_arrays[a]);
        what = what ? what : h5_same_rows(part, full, name, r->frames);
    }
    return what;
}

/* The additional tables of results with times. */
static const char *begins_times(hid_t part, hid_t full, const rows *r)
{
    static const char *const names[] = {"Share", "Time", "FeatureA", "FeatureB"};
    const char *what = NULL;
    char name[64];
    if (H5Lexists(full, "VTKHDF/CellData/Share", H5P_DEFAULT) <= 0)
        return NULL;
    for (int a = 0; a < 4 && !what; a++) {
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", names[a]);
        what = h5_same_rows(part, full, name, r->contacts);
        snprintf(name, sizeof name, "VTKHDF/Steps/CellDataOffsets/%s", names[a]);
        what = what ? what : h5_same_rows(part, full, name, r->frames);
    }
    what = what ? what : h5_same_rows(part, full, "impinge/candidates_vf", r->frames);
    return what ? what : h5_same_rows(part, full, "impinge/candidates_ee", r->frames);
}

/* The additional tables of results with distances. */
static const char *begins_distances(hid_t part, hid_t full, const rows *r)
{
    static const struct {
        const char *name;
        size_t width;
    } of[] = {{"Distance", 1}, {"BarycentricA", 4}, {"BarycentricB", 4},
              {"Normal", 3},   {"FeatureA", 1},     {"FeatureB", 1}};
    const char *what = NULL;
    char name[64];
    if (H5Lexists(full, "VTKHDF/CellData/Distance", H5P_DEFAULT) <= 0)
        return NULL;
    for (size_t i = 0; i < sizeof of / sizeof *of && !what; i++) {
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", of[i].name);
        what = h5_same_rows(part, full, name, of[i].width * r->contacts);
        snprintf(name, sizeof name, "VTKHDF/Steps/CellDataOffsets/%s", of[i].name);
        what = what ? what : h5_same_rows(part, full, name, r->frames);
    }
    return what;
}

/* The rows of a table of relations in these frames. */
static size_t relation_count(hid_t full, const char *group, size_t frames)
{
    size_t n;
    char name[64];
    snprintf(name, sizeof name, "impinge/%s/offsets", group);
    uint64_t *first = h5_whole(full, name, H5T_NATIVE_UINT64, &n);
    const size_t count = first && n > frames ? (size_t)first[frames] : SIZE_MAX;
    free(first);
    return count;
}

/* The additional tables of results with relations. */
static const char *begins_relations(hid_t part, hid_t full, const rows *r)
{
    static const struct {
        const char *group, *name;
        size_t width;
    } of[] = {{"relations", "ObjectA", 1},       {"relations", "ObjectB", 1},
              {"relations", "Relation", 1},      {"relations", "Contacts", 1},
              {"relations", "InsideA", 1},       {"relations", "InsideB", 1},
              {"relations", "TouchingA", 1},     {"relations", "TouchingB", 1},
              {"relations", "DepthA", 1},        {"relations", "DepthB", 1},
              {"relations", "DeepestA", 1},      {"relations", "DeepestB", 1},
              {"relations", "DeepestPointA", 3}, {"relations", "DeepestPointB", 3},
              {"swallowed", "Object", 1},        {"swallowed", "In", 1},
              {"swallowed", "Primitive", 1},     {"swallowed", "Primitives", 1},
              {"swallowed", "Vertices", 1}};
    const char *what = NULL;
    char name[64];
    if (H5Lexists(full, "impinge/relations", H5P_DEFAULT) <= 0)
        return NULL;
    for (size_t i = 0; i < sizeof of / sizeof *of && !what; i++) {
        snprintf(name, sizeof name, "impinge/%s/%s", of[i].group, of[i].name);
        what = h5_same_rows(part, full, name,
                            of[i].width * relation_count(full, of[i].group, r->frames));
    }
    what = what ? what : h5_same_rows(part, full, "impinge/relations/offsets", r->frames + 1);
    what = what ? what : h5_same_rows(part, full, "impinge/swallowed/offsets", r->frames + 1);
    what = what ? what : h5_same_rows(part, full, "impinge/closed_objects", r->frames);
    return what ? what : h5_same_rows(part, full, "impinge/relations_checksum", r->frames);
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
        what = h5_same_rows(part, full, all[i].name, all[i].values);
    return what;
}

static const char *h5_same_is_prefix(hid_t part, hid_t full, int64_t *done)
{
    size_t n;
    rows r = {0};
    *done = h5_frames_done(part);
    if (*done < 0)
        return differ("frames_done is missing");
    int64_t *contacts = h5_whole(full, "impinge/contacts", H5T_NATIVE_INT64, &n);
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
    what = what ? what : begins_arrays(part, full, &r);
    what = what ? what : begins_times(part, full, &r);
    what = what ? what : begins_distances(part, full, &r);
    return what ? what : begins_relations(part, full, &r);
}

const char *h5_begins(const char *part, const char *full, int64_t *done)
{
    hid_t f = h5_open_file(part), g = h5_open_file(full);
    *done = -1;
    const char *what = f < 0 || g < 0 ? differ("%s: cannot be opened", f < 0 ? part : full)
                                      : h5_same_is_prefix(f, g, done);
    if (f >= 0)
        H5Fclose(f);
    if (g >= 0)
        H5Fclose(g);
    return what;
}

const char *h5_same_virtual(const char *a, const char *b)
{
    may_be_fixed = 1;
    const char *what = h5_same_answers(a, b);
    may_be_fixed = 0;
    return what;
}
