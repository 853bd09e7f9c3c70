/* See converted.h. */
#include "converted.h"

#include "expect.h"
#include "h5_make.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void write_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    CU_ASSERT_FATAL(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

int convert_files(const char *const *arguments, char **told)
{
    const char *all[40] = {"convert", "-o", BATCH, "--force"};
    size_t n = 4;
    int quiet = 0;
    for (; *arguments; arguments++) {
        all[n++] = *arguments;
        quiet |= !strcmp(*arguments, "-q");
    }
    ran r = program_run(all);
    int good = r.code == 0;
    EXPECT(good, "convert: code %d: %s", r.code, r.err);
    if (told)
        *told = strdup(r.err);
    else
        EXPECT(quiet || !*r.err, "convert says %s", r.err);
    ran_free(&r);
    return good;
}

/* The first x coordinate of each frame, as text. */
const char *batch_first_x(const char *path)
{
    static char text[400];
    size_t n = 0, frames = 0, at_text = 0;
    double *x = h5_reals(path, "VTKHDF/Points", &n);
    int64_t *first = h5_ints(path, "VTKHDF/Steps/PointOffsets", &frames);
    text[0] = 0;
    for (size_t i = 0; i < frames; i++)
        at_text += (size_t)snprintf(text + at_text, sizeof text - at_text, "%g ", x[3 * first[i]]);
    free(x);
    free(first);
    return text;
}

const char *batch_times(const char *path)
{
    static char text[400];
    size_t n = 0, at_text = 0;
    double *t = h5_reals(path, "VTKHDF/Steps/Values", &n);
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        at_text += (size_t)snprintf(text + at_text, sizeof text - at_text, "%g ", t[i]);
    free(t);
    return text;
}

size_t batch_topologies(const char *path)
{
    size_t n = 0;
    free(h5_ints(path, "VTKHDF/NumberOfPoints", &n));
    return n;
}

/* Text i of a list in the batch. */
const char *batch_name_in(const char *path, const char *list, size_t i)
{
    static char text[400];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
          data = H5Dopen2(file, list, H5P_DEFAULT);
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space), width = H5Tget_size(type);
    char *all = calloc(n, width + 1);
    CU_ASSERT_FATAL(i < n && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    snprintf(text, sizeof text, "%.*s", (int)width, all + i * width);
    free(all);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
    H5Fclose(file);
    return text;
}

void check_refused(const char *path, const char *word, const char *word2)
{
    unlink(BATCH);
    ran r = RAN("convert", path, "-o", BATCH);
    EXPECT(ran_failed(&r, 3, word, word2), "^ %s", path);
    EXPECT(strstr(r.err, path) != NULL, "%s", r.err);
    EXPECT(!exists(BATCH) && !exists_part(BATCH), "something is left of %s", path);
    ran_free(&r);
}

long batch_contacts(void)
{
    ran r = RAN("run", BATCH, "-o", at("result.vtkhdf"), "--force", "--device", "cpu", "--json");
    const char *found = r.code ? NULL : strstr(r.out, "\"contacts\": ");
    long n = found ? strtol(found + strlen("\"contacts\": "), NULL, 10) : -1;
    EXPECT(found != NULL, "run: code %d: %s", r.code, r.err);
    ran_free(&r);
    return n;
}
