/* HDF5 helpers: where HDF5 finds the files that a file refers to. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "h5_data.h"

#include "error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *h5_file_name(hid_t object)
{
    ssize_t n = H5Fget_name(object, NULL, 0);
    char *name = n > 0 ? malloc((size_t)n + 1) : NULL;
    if (name && H5Fget_name(object, name, (size_t)n + 1) < 0)
        name[0] = 0;
    return name;
}

static char *h5_path_join(const char *folder, size_t length, const char *name)
{
    size_t size = length + strlen(name) + 2;
    char *out = malloc(size);
    if (out)
        snprintf(out, size, "%.*s%s%s", (int)length, folder,
                 length && folder[length - 1] != '/' ? "/" : "", name);
    return out;
}

/* Bytes of a path up to its last part. */
static size_t h5_path_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

#define H5_PATH_ORIGIN "${ORIGIN}"

/* `name` in a folder that an environment variable names, which may begin at the file's own. */
static char *h5_path_prefixed(const char *prefix, size_t length, const char *file, const char *name)
{
    size_t origin = strlen(H5_PATH_ORIGIN);
    if (length < origin || memcmp(prefix, H5_PATH_ORIGIN, origin))
        return h5_path_join(prefix, length, name);
    char *rest = h5_path_join(prefix + origin, length - origin, name), *out = NULL;
    if (rest)
        out = h5_path_join(file, h5_path_folder_length(file), rest + (rest[0] == '/'));
    free(rest);
    return out;
}

/* Keeps `candidate` at *out if there is such a file; then 1. */
static int h5_path_keep_if_file(char *candidate, char **out)
{
    if (candidate && access(candidate, F_OK) == 0) {
        *out = candidate;
        return 1;
    }
    free(candidate);
    return 0;
}

static int h5_path_try_prefix(const char *list, const char *file, const char *name, char **out)
{
    for (const char *at = list; at && *at;) {
        size_t n = strcspn(at, ":");
        if (n && h5_path_keep_if_file(h5_path_prefixed(at, n, file, name), out))
            return 1;
        at += n + (at[n] == ':');
    }
    return 0;
}

/* The order is HDF5's: the name as it is if it is absolute, else in the folders of HDF5_VDS_PREFIX,
 * beside the file, in the current folder, beside what the file is a link to. An absolute name that
 * does not exist is looked for by its last part: so a folder may be moved as a whole. Where none of
 * a dataset's names leads to a file, that is tried for all of them: VTK's writer names files as
 * seen from where it ran. For a single missing file it could find another one by chance. */
int h5_virtual_file(const char *file, const char *name, int astray, char **out)
{
    const char *part = name[0] == '/' ? name + h5_path_folder_length(name) : name;
    char *real = NULL;
    *out = NULL;
    int found = (name[0] == '/' && h5_path_keep_if_file(h5_path_join("", 0, name), out)) ||
                h5_path_try_prefix(getenv("HDF5_VDS_PREFIX"), file, part, out) ||
                h5_path_keep_if_file(h5_path_join(file, h5_path_folder_length(file), part), out) ||
                h5_path_keep_if_file(h5_path_join("", 0, part), out);
    if (!found && (real = realpath(file, NULL)))
        found = h5_path_keep_if_file(h5_path_join(real, h5_path_folder_length(real), part), out);
    free(real);
    if (!found && astray)
        found = h5_path_keep_if_file(
            h5_path_join(file, h5_path_folder_length(file), name + h5_path_folder_length(name)),
            out);
    if (found)
        return IMP_OK;
    const char *last = astray ? name + h5_path_folder_length(name) : part;
    char *beside = h5_path_join(file, h5_path_folder_length(file), last);
    int err = imp_fail(IMP_ERR_INPUT, "%s: %s", beside ? beside : last, strerror(ENOENT));
    free(beside);
    return err;
}

/* Raw data are looked for in the current folder only, unless a variable names another one. */
int h5_raw_file(const char *file, const char *name, char **out)
{
    const char *prefix = getenv("HDF5_EXTFILE_PREFIX");
    if (name[0] == '/' || !prefix || !*prefix || !strcmp(prefix, "."))
        *out = h5_path_join("", 0, name);
    else
        *out = h5_path_prefixed(prefix, strlen(prefix), file, name);
    return *out ? IMP_OK : imp_fail(IMP_ERR_MEMORY, "out of memory");
}
