/* See mutate.h. */
#include "mutate.h"

#include <float.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THINGS 400
#define BYTES_MOST (1 << 22) /* limit for recreating a dataset with its values */

/* A named object of a file. */
typedef struct thing {
    char name[120];
    H5O_type_t type;
} thing;

typedef struct things {
    size_t count;
    thing list[THINGS];
} things;

static herr_t mutate_note_object(hid_t at, const char *name, const H5O_info_t *info, void *to)
{
    things *t = to;
    (void)at;
    if (strcmp(name, ".") && t->count < THINGS && strlen(name) < sizeof t->list->name) {
        thing *one = &t->list[t->count++];
        snprintf(one->name, sizeof one->name, "%s", name);
        one->type = info->type;
    }
    return 0;
}

static const thing *mutate_choose(hid_t file, things *t, rng *r, H5O_type_t type)
{
    t->count = 0;
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, mutate_note_object, t, H5O_INFO_BASIC);
    for (int tries = 0; tries < 200; tries++) {
        const thing *one = &t->list[rng_below(r, (uint32_t)t->count)];
        if (type == H5O_TYPE_UNKNOWN || one->type == type)
            return one;
    }
    return &t->list[0];
}

/* ---- numbers */

static int64_t odd_integer(rng *r, int64_t was)
{
    const uint64_t w = (uint64_t)was; /* wraps around */
    const uint64_t odd[] = {0,
                            1,
                            -UINT64_C(1),
                            2,
                            w + 1,
                            w - 1,
                            2 * w,
                            -w,
                            INT8_MAX,
                            UINT8_MAX,
                            INT32_MAX,
                            (uint64_t)INT32_MIN,
                            UINT32_MAX,
                            INT64_MAX,
                            (uint64_t)INT64_MIN,
                            INT64_MAX / 8,
                            UINT64_C(1) << 40,
                            rng_next(r)};
    return (int64_t)odd[rng_below(r, sizeof odd / sizeof *odd)];
}

static double odd_real(rng *r, double was)
{
    const double odd[] = {
        0,          -0.0,   NAN,   INFINITY, -INFINITY, 5e-324,  1e-310,     DBL_MAX,
        -1.7e308,   3.5e38, 1e-45, was + 1,  -was,      2 * was, 1e15 * was, nextafter(was, 1e300),
        rng_unit(r)};
    return odd[rng_below(r, sizeof odd / sizeof *odd)];
}

/* Changes some values of a dataset. */
static void change_values(hid_t data, rng *r)
{
    hid_t space = H5Dget_space(data), type = H5Dget_type(data);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    const int real = H5Tget_class(type) == H5T_FLOAT;
    if (n > 0 && n < BYTES_MOST / 8 && (real || H5Tget_class(type) == H5T_INTEGER)) {
        const hid_t native = real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
        double *reals = malloc((size_t)n * 8);
        int64_t *whole = malloc((size_t)n * 8);
        void *values = real ? (void *)reals : (void *)whole;
        if (H5Dread(data, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
            for (uint32_t k = 1 + rng_below(r, 3) * rng_below(r, 8); k > 0; k--) {
                const uint32_t i = rng_below(r, (uint32_t)n);
                if (real)
                    reals[i] = odd_real(r, reals[i]);
                else
                    whole[i] = odd_integer(r, whole[i]);
            }
            H5Dwrite(data, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        }
        free(reals);
        free(whole);
    }
    H5Tclose(type);
    H5Sclose(space);
}

/* ---- recreated datasets */

static hid_t odd_type(rng *r, hid_t was)
{
    const hid_t types[] = {H5T_STD_I8LE,    H5T_STD_U8LE,  H5T_STD_I32BE,  H5T_STD_U32LE,
                           H5T_STD_I64BE,   H5T_STD_U64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE,
                           H5T_STD_REF_OBJ, H5T_C_S1};
    const uint32_t i = rng_below(r, 14);
    hid_t made;
    if (i < 10)
        return H5Tcopy(types[i]);
    switch (i) {
    case 10:
        made = H5Tcopy(H5T_C_S1);
        H5Tset_size(made, H5T_VARIABLE);
        return made;
    case 11:
        made = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(made, "x", 0, H5T_NATIVE_DOUBLE);
        return made;
    case 12:
        return H5Tvlen_create(H5T_NATIVE_INT64);
    default:
        return H5Tcopy(was);
    }
}

static hid_t odd_space(rng *r, hid_t was)
{
    hsize_t dims[H5S_MAX_RANK] = {0}, most[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(was, dims, NULL);
    const hsize_t rows = dims[0];
    const hsize_t odd[] = {0,    1,      rows + 1,         rows ? rows - 1 : 0, 2 * rows,
                           1000, 100000, (hsize_t)1 << 33, (hsize_t)1 << 62};
    switch (rng_below(r, 8)) {
    case 0:
        return H5Screate(H5S_NULL);
    case 1:
        return H5Screate(H5S_SCALAR);
    case 2:
        dims[rank < 1 ? 0 : rank] = 1;
        rank = rank < 1 ? 1 : rank + 1;
        break;
    case 3:
        dims[1] = 1 + rng_below(r, 5);
        rank = 2;
        break;
    case 4:
        dims[1] = dims[0];
        dims[0] = 1;
        rank = 2;
        break;
    default:
        dims[0] = odd[rng_below(r, sizeof odd / sizeof *odd)];
        rank = rank < 1 ? 1 : rank;
    }
    for (int i = 0; i < rank; i++)
        most[i] = i ? dims[i] : H5S_UNLIMITED;
    return H5Screate_simple(rank, dims, rng_below(r, 2) ? most : NULL);
}

static void odd_storage(rng *r, hid_t made, hid_t space, const char *path)
{
    hsize_t dims[H5S_MAX_RANK] = {0}, chunk[H5S_MAX_RANK];
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    const hsize_t rows[] = {1, 2, 7, 4096, 1 << 20};
    if (rank < 1)
        return;
    for (int i = 0; i < rank; i++)
        chunk[i] = i ? (dims[i] ? dims[i] : 1) : rows[rng_below(r, 5)];
    switch (rng_below(r, 6)) {
    case 0:
        break;
    case 1:
        H5Pset_external(made, path, (off_t)rng_below(r, 5000),
                        rng_below(r, 2) ? H5F_UNLIMITED : 64);
        break;
    case 2:
        H5Pset_virtual(made, space, rng_below(r, 2) ? "." : "elsewhere.vtkhdf",
                       rng_below(r, 2) ? "/VTKHDF/Points" : "/none", space);
        break;
    default:
        H5Pset_chunk(made, rank, chunk);
        if (rng_below(r, 2))
            H5Pset_deflate(made, 1);
        if (rng_below(r, 4) == 0)
            H5Pset_fletcher32(made);
    }
}

/* Replaces a dataset by another one, with the values that fit, if any. */
static void mutate_make_again(hid_t file, const char *path, const char *name, rng *r)
{
    hid_t old = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(old);
    hid_t type = H5Dget_type(old), made = H5Pcreate(H5P_DATASET_CREATE);
    const uint32_t what = rng_below(r, 4);
    hid_t kind = what == 1 ? odd_type(r, type) : H5Tcopy(type);
    hid_t shape = what != 1 ? odd_space(r, space) : H5Scopy(space);
    if (what > 1)
        odd_storage(r, made, shape, path);
    const hssize_t n = H5Sget_simple_extent_npoints(space), m = H5Sget_simple_extent_npoints(shape);
    const size_t bytes = H5Tget_size(type) * (size_t)(n > 0 ? n : 0);
    void *values = bytes < BYTES_MOST ? calloc(1, bytes + 64) : NULL;
    if (values)
        H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(old);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t data = H5Dcreate2(file, name, kind, shape, H5P_DEFAULT, made, H5P_DEFAULT);
    if (data < 0) { /* HDF5 refuses to create it */
        H5Pclose(made);
        made = H5Pcreate(H5P_DATASET_CREATE);
        data = H5Dcreate2(file, name, kind, space, H5P_DEFAULT, made, H5P_DEFAULT);
    }
    const int full = H5Tdetect_class(kind, H5T_VLEN) == 0 && H5Tis_variable_str(kind) <= 0;
    if (data >= 0 && values && full && m >= 0 && m <= n && what != 1 && rng_below(r, 4))
        H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    free(values);
    if (data >= 0)
        H5Dclose(data);
    H5Sclose(shape);
    H5Sclose(space);
    H5Tclose(kind);
    H5Tclose(type);
    H5Pclose(made);
}

/* ---- links and attributes */

static void change_link(hid_t file, const char *name, const char *other, rng *r)
{
    if (rng_below(r, 3) == 0) {
        H5Lmove(file, name, H5L_SAME_LOC, "away", H5P_DEFAULT, H5P_DEFAULT);
        return;
    }
    H5Ldelete(file, name, H5P_DEFAULT);
    switch (rng_below(r, 6)) {
    case 0:
        H5Lcreate_soft(name, file, name, H5P_DEFAULT, H5P_DEFAULT); /* to itself */
        break;
    case 1:
        H5Lcreate_soft("/none/at/all", file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 2:
        H5Lcreate_external("none.h5", "/x", file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 3:
        if (H5Lexists(file, other, H5P_DEFAULT) > 0)
            H5Lcreate_hard(file, other, file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 4:
        H5Lcreate_hard(file, "/", file, name, H5P_DEFAULT, H5P_DEFAULT); /* a cycle */
        break;
    default:
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
}

static void put_attribute(hid_t object, const char *name, hid_t type, hid_t space,
                          const void *value)
{
    hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a < 0)
        return;
    if (value)
        H5Awrite(a, type, value);
    H5Aclose(a);
}

static void mutate_put_text(hid_t object, const char *name, hid_t space, rng *r)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "PolyData",
                                        "UnstructuredGrid",
                                        "2.0",
                                        "\xff",
                                        "frames=",
                                        "pairs=all objects=",
                                        "frames=0+9223372036854775807*-1 shard=0/1 objects=id"};
    const char *text = texts[rng_below(r, sizeof texts / sizeof *texts)];
    char longer[5000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    text = rng_below(r, 8) ? text : longer;
    hid_t type = H5Tcopy(H5T_C_S1);
    const int varying = rng_below(r, 3) == 0;
    H5Tset_size(type, varying ? H5T_VARIABLE : strlen(text) + 1);
    put_attribute(object, name, type, space, varying ? (const void *)&text : text);
    H5Tclose(type);
}

static void change_attribute(hid_t file, const thing *of, rng *r, char about[MUTATE_ABOUT])
{
    char name[60] = "";
    const hsize_t many = 1 + rng_below(r, 4);
    hid_t object = H5Oopen(file, of->name, H5P_DEFAULT);
    const int count = H5Aget_num_attrs(object);
    if (count > 0)
        H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, rng_below(r, (uint32_t)count),
                           name, sizeof name, H5P_DEFAULT);
    snprintf(about, MUTATE_ABOUT, "attribute %s of %s", name, of->name);
    if (name[0]) {
        int64_t value[4] = {2, 0, 0, 0};
        H5Adelete(object, name);
        hid_t spaces[] = {H5Screate(H5S_SCALAR), H5Screate(H5S_NULL),
                          H5Screate_simple(1, &many, NULL)};
        const uint32_t space = rng_below(r, 8) > 1 ? 0 : 1 + rng_below(r, 2);
        for (int i = 0; i < 4; i++)
            value[i] = odd_integer(r, value[i]);
        switch (rng_below(r, 5)) {
        case 0:
            break;
        case 1:
            mutate_put_text(object, name, spaces[space == 2 ? 0 : space], r);
            break;
        case 2:
            put_attribute(object, name, H5T_IEEE_F64LE, spaces[space], NULL);
            break;
        default:
            put_attribute(object, name, H5T_NATIVE_INT64, spaces[space], value);
        }
        for (int i = 0; i < 3; i++)
            H5Sclose(spaces[i]);
    }
    H5Oclose(object);
}

void mutate_file(const char *path, rng *r, char about[MUTATE_ABOUT])
{
    static things all;
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const uint32_t what = rng_below(r, 10);
    const H5O_type_t type = what < 7   ? H5O_TYPE_DATASET
                            : what < 9 ? H5O_TYPE_GROUP
                                       : H5O_TYPE_UNKNOWN;
    const thing one = *mutate_choose(file, &all, r, type);
    const thing other = *mutate_choose(file, &all, r, H5O_TYPE_UNKNOWN);
    snprintf(about, MUTATE_ABOUT, "%s %s",
             what < 4   ? "values of"
             : what < 7 ? "another"
                        : "link",
             one.name);
    if (one.type != H5O_TYPE_DATASET && what < 7)
        change_attribute(file, &one, r, about);
    else if (what < 4) {
        hid_t data = H5Dopen2(file, one.name, H5P_DEFAULT);
        change_values(data, r);
        H5Dclose(data);
    } else if (what < 7)
        mutate_make_again(file, path, one.name, r);
    else if (what < 9)
        change_attribute(file, &one, r, about);
    else
        change_link(file, one.name, other.name, r);
    H5Fclose(file);
}
