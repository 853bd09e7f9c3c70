/* See h5_read.h. */
#include "h5_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const h5_arrays[H5_ARRAYS] = {"PrimitiveA", "PrimitiveB", "ObjectA", "ObjectB", "Kind"};

static char difference[400];

const char *differ(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(difference, sizeof difference, format, args);
    va_end(args);
    return difference;
}

hid_t h5_open_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

/* ---- values */

static void value_shape(value *v, hid_t space)
{
    v->rank = H5Sget_simple_extent_dims(space, v->dims, v->most);
    v->bytes = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(v->type);
    v->data = calloc(v->bytes + 1, 1);
    H5Sclose(space);
}

int value_of_data(hid_t at, const char *name, value *v)
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

int value_of_attribute(hid_t at, const char *name, value *v)
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

void value_free(value *v)
{
    if (v->type > 0)
        H5Tclose(v->type);
    free(v->data);
}

/* ---- whole datasets */

void *h5_whole(hid_t file, const char *name, hid_t type, size_t *n)
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

int64_t h5_frames_done(hid_t file)
{
    int64_t *done = NULL, n = -1;
    size_t count = 0;
    if (H5Lexists(file, "impinge", H5P_DEFAULT) > 0)
        done = h5_whole(file, "impinge/frames_done", H5T_NATIVE_INT64, &count);
    if (done && count == 1)
        n = *done;
    free(done);
    return n;
}
