/* HDF5 helpers: is what a dataset gives really stored? HDF5 reads zeros where a writer has died
 * before it wrote, and where a file of raw data is cut short. */
#include "h5_data.h"

#include "error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- rows that were never written */

/* The first row from `first` on, before `end`, whose chunk does not exist; `end` if all exist. A
 * chunk that HDF5 cannot find counts as missing. */
static uint64_t missing_chunk(const h5_data *d, const hsize_t chunk[2], uint64_t first,
                              uint64_t end)
{
    for (uint64_t row = first - first % chunk[0]; row < end; row += chunk[0])
        for (uint64_t column = 0; column < d->columns; column += chunk[1]) {
            hsize_t at[2] = {row, column}, bytes = 0;
            if (H5Dget_chunk_storage_size(d->id, at, &bytes) < 0 || !bytes)
                return row > first ? row : first;
        }
    return end;
}

/* HDF5 allocates a contiguous dataset as a whole when its first row is written. Compact ones are in
 * the header. */
static uint64_t h5_stored_missing_row(const h5_data *d, hid_t made, uint64_t first, uint64_t end)
{
    hsize_t chunk[2] = {1, d->columns}, count = 0;
    if (H5Pget_layout(made) == H5D_CONTIGUOUS)
        return H5Pget_external_count(made) == 0 && H5Dget_storage_size(d->id) == 0 ? first : end;
    if (H5Pget_layout(made) != H5D_CHUNKED || H5Pget_chunk(made, 2, chunk) < 1)
        return end;
    /* one call for the number of chunks first: mostly all exist, and none has to be looked up */
    hsize_t all = (d->rows + chunk[0] - 1) / chunk[0] * ((d->columns + chunk[1] - 1) / chunk[1]);
    hid_t space = H5Dget_space(d->id);
    int known = H5Dget_num_chunks(d->id, space, &count) >= 0;
    H5Sclose(space);
    if (known && count >= all)
        return end;
    return missing_chunk(d, chunk, first, end);
}

uint64_t h5_data_missing(const h5_data *d, uint64_t first, uint64_t rows)
{
    H5D_fill_value_t fill = H5D_FILL_VALUE_DEFAULT;
    uint64_t end = first + rows, missing = end;
    if (d->behind)
        return h5_virtual_missing(d->behind, first, end);
    if (!d->stored || !rows || !d->columns)
        return end;
    hid_t made = H5Dget_create_plist(d->id);
    H5Pfill_value_defined(made, &fill);
    if (fill != H5D_FILL_VALUE_USER_DEFINED) /* else the writer may have meant just that */
        missing = h5_stored_missing_row(d, made, first, end);
    H5Pclose(made);
    return missing;
}

int h5_data_stored(const h5_data *d, uint64_t first, uint64_t rows)
{
    unsigned long long row = h5_data_missing(d, first, rows);
    if (row >= first + rows)
        return IMP_OK;
    if (d->behind)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name,
                       "is virtual, and its row %llu is in no file", row);
    return h5_fail(IMP_ERR_INPUT, d->path, d->name, H5_NEVER_WRITTEN, row);
}

/* ---- raw data in files of their own */

static int raw_file_check(const h5_data *d, const char *path, uint64_t bytes)
{
    struct stat s;
    if (stat(path, &s))
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "its data are in %s: %s", path,
                       strerror(errno));
    if (!S_ISREG(s.st_mode)) /* reading it may wait for ever */
        return h5_fail(IMP_ERR_INPUT, d->path, d->name, "its data are in %s, which is not a file",
                       path);
    if ((uint64_t)s.st_size < bytes)
        return h5_fail(IMP_ERR_INPUT, d->path, d->name,
                       "its data are in %s, which has %llu bytes; %llu are needed", path,
                       (unsigned long long)s.st_size, (unsigned long long)bytes);
    return IMP_OK;
}

/* The dataset is the files one after another, and HDF5 reads zeros beyond the end of each. */
int h5_raw_check(const h5_data *d, hid_t made)
{
    int err = IMP_OK;
    char name[4096], *path = NULL, *file = NULL;
    const double all = (double)d->rows * (double)d->columns * (double)d->size;
    uint64_t chunks_left = d->rows * d->columns * d->size;
    int n = H5Pget_external_count(made);
    if (n > 0 && all > (double)INT64_MAX)
        FAIL(IMP_ERR_INPUT, "%s: %s: damaged: %llu rows", d->path, d->name,
             (unsigned long long)d->rows);
    if (n > 0)
        file = h5_file_name(d->id);
    for (int i = 0; i < n && chunks_left; i++) {
        off_t first = 0;
        hsize_t most = 0;
        if (!file || H5Pget_external(made, (unsigned)i, sizeof name, name, &first, &most) < 0)
            FAIL(IMP_ERR_INPUT, "%s: %s: damaged: its data are in no file", d->path, d->name);
        name[sizeof name - 1] = 0;
        uint64_t bytes = chunks_left < most ? chunks_left : most;
        TRY(h5_raw_file(file, name, &path));
        TRY(raw_file_check(d, path, (uint64_t)first + bytes));
        free(path);
        path = NULL;
        chunks_left -= bytes;
    }
    if (n > 0 && chunks_left)
        FAIL(IMP_ERR_INPUT, "%s: %s: its files hold %llu bytes too few", d->path, d->name,
             (unsigned long long)chunks_left);
out:
    free(path);
    free(file);
    return err;
}
