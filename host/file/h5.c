/* HDF5 helpers: files, links and attributes. Datasets are in h5_data.c, writing in h5_write.c. */
#include "h5.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

void h5_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void h5_forget(void)
{
    H5Eclear2(H5E_DEFAULT);
}

void h5_drop(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

/* HDF5 gives no reason. The last system error mostly does; a disk without a free block shows it
 * even where HDF5 has lost the error. */
int h5_fail(int code, const char *path, const char *dataset, const char *format, ...)
{
    char reason[1024];
    struct statvfs v;
    int why = errno; /* before statvfs changes it */
    int full = why == ENOSPC || why == EDQUOT || why == EFBIG;
    if (code == IMP_ERR_FILE && !full && statvfs(path, &v) == 0)
        full = v.f_bavail == 0;
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (code == IMP_ERR_FILE && why == ENOMEM)
        code = IMP_ERR_MEMORY;
    if (code == IMP_ERR_FILE && full) {
        code = IMP_ERR_DISK;
        snprintf(reason, sizeof reason, "the disk is full");
    }
    return imp_fail(code, "%s: %s%s%s", path, dataset ? dataset : "", dataset ? ": " : "", reason);
}

/* A user with a mesh as text needs `convert`. */
static int is_text(const char *path)
{
    unsigned char head[256];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    for (size_t i = 0; i < n; i++)
        if (head[i] < ' ' && !(head[i] && strchr("\t\r\n\f", head[i])))
            n = 0;
    if (f)
        fclose(f);
    return n > 0;
}

/* HDF5 keeps up to 32 MiB of the metadata of each file, and five times that in memory: a file of a
 * hundred thousand groups would take more than --mem-limit. */
static void set_little_cache(hid_t access)
{
    H5AC_cache_config_t c = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(access, &c) < 0)
        return;
    c.set_initial_size = 1;
    c.initial_size = c.min_size = (size_t)1 << 20;
    c.max_size = (size_t)4 << 20;
    H5Pset_mdc_config(access, &c);
}

int h5_open(const char *path, int write, hid_t *out)
{
    struct stat s;
    *out = -1;
    h5_quiet();
    if (!strcmp(path, "-"))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "-: HDF5 cannot be read from standard input; ./- is a file of that name");
    if (stat(path, &s))
        return h5_fail(IMP_ERR_INPUT, path, NULL, "%s", strerror(errno));
    /* HDF5 would wait for the writer of a FIFO, and fail on a folder without a reason */
    if (!S_ISREG(s.st_mode))
        return h5_fail(IMP_ERR_INPUT, path, NULL, "not a file");
    FILE *f = fopen(path, "rb");
    if (!f)
        return h5_fail(IMP_ERR_INPUT, path, NULL, "%s", strerror(errno));
    fclose(f);
    /* before it is opened: this distinguishes other files from damaged HDF5 files */
    if (H5Fis_hdf5(path) <= 0)
        return h5_fail(IMP_ERR_INPUT, path, NULL, "not an HDF5 file%s",
                       is_text(path) ? "; 'impinge convert' makes a batch of meshes in text files"
                                     : "");
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (h5_order(access, write) < 0) {
        H5Pclose(access);
        return h5_fail(IMP_ERR_FILE, path, NULL, "HDF5 refuses the file driver");
    }
    if (!write) {
        /* a reader needs no lock, which some network file systems refuse */
        H5Pset_file_locking(access, 0, 1);
        set_little_cache(access);
    }
    /* what is added to an old file has the format of h5_create, with any HDF5 library */
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    errno = 0;
    *out = H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    const int forgetful = *out < 0 && errno == ENOMEM;
    H5Pclose(access);
    if (write && *out >= 0) /* h5_order learns what is in the file already */
        H5Fflush(*out, H5F_SCOPE_GLOBAL);
    if (forgetful)
        return imp_fail(IMP_ERR_MEMORY, "%s: out of memory", path);
    if (*out < 0)
        return h5_fail(IMP_ERR_INPUT, path, NULL,
                       "damaged, cut short or in use: HDF5 cannot open it");
    return IMP_OK;
}

/* ---- links */

/* Calls look(at, part) for each part of a path: "a", "a/b", ... until it returns something. */
static int each_part(hid_t at, const char *name, int (*look)(hid_t at, const char *part))
{
    char part[256];
    size_t n = strlen(name);
    int found = 0;
    if (n >= sizeof part)
        return -1;
    for (size_t i = 1; i <= n && !found; i++) {
        if (name[i] != '/' && name[i])
            continue;
        memcpy(part, name, i);
        part[i] = 0;
        found = look(at, part);
    }
    return found;
}

/* For each_part: a part that certainly does not exist. An error counts as existing. */
static int link_missing(hid_t at, const char *part)
{
    return H5Lexists(at, part, H5P_DEFAULT) == 0;
}

/* H5Lexists needs every part of a path to exist. What exists but cannot be followed counts as
 * existing: it is damage, not an absent option. */
int h5_exists(hid_t at, const char *name)
{
    return each_part(at, name, link_missing) == 0;
}

/* For each_part: a link that leads nowhere. The text is left for h5_broken, which knows the
 * names. */
static int link_broken(hid_t at, const char *part)
{
    H5L_info_t info;
    char value[512], file[512];
    const char *object = value, *target = NULL;
    unsigned flags;
    if (H5Oexists_by_name(at, part, H5P_DEFAULT) > 0)
        return 0;
    if (H5Lget_info(at, part, &info, H5P_DEFAULT) < 0 || info.type == H5L_TYPE_HARD ||
        info.u.val_size > sizeof value ||
        H5Lget_val(at, part, value, sizeof value, H5P_DEFAULT) < 0)
        return 0;
    if (info.type == H5L_TYPE_EXTERNAL &&
        H5Lunpack_elink_val(value, info.u.val_size, &flags, &target, &object) < 0)
        return 0;
    snprintf(file, sizeof file, "%s%s", target ? " of " : "", target ? target : "");
    imp_fail(IMP_ERR_INPUT, "a link to %s%s, which cannot be opened", object, file);
    return 1;
}

int h5_broken(hid_t at, const char *path, const char *where, const char *name, const char *what)
{
    char full[300];
    snprintf(full, sizeof full, "%s/%s", where, name);
    if (each_part(at, name, link_broken) == 1)
        return h5_fail(IMP_ERR_INPUT, path, full, "%s", imp_error_text());
    return h5_fail(IMP_ERR_INPUT, path, full, "%s", what);
}

/* ---- attributes */

/* An open attribute. */
typedef struct attribute {
    hid_t id, type;
} attribute;

static void attribute_close(attribute *a)
{
    h5_drop(a->type);
    h5_drop(a->id);
}

/* Opens an attribute of `count` numbers or texts, which messages call `what`. */
static int attribute_open(hid_t at, const char *path, const char *where, const char *name,
                          H5T_class_t class, int count, const char *what, attribute *a)
{
    *a = (attribute){-1, -1};
    if (H5Aexists(at, name) <= 0)
        return imp_fail(IMP_ERR_INPUT, "%s: %s: attribute %s is missing", path, where, name);
    a->id = H5Aopen(at, name, H5P_DEFAULT);
    a->type = H5Aget_type(a->id);
    /* of an attribute that failed to open both ids are negative: these calls fail, and it does not
     * fit */
    hid_t space = H5Aget_space(a->id);
    int fits = a->id >= 0 && H5Tget_class(a->type) == class &&
               H5Sget_simple_extent_npoints(space) == count;
    h5_drop(space);
    return fits
               ? IMP_OK
               : imp_fail(IMP_ERR_INPUT, "%s: %s: attribute %s is not %s", path, where, name, what);
}

/* Numbers of one class, as `type`. */
static int attr_numbers(hid_t at, const char *path, const char *where, const char *name,
                        H5T_class_t class, hid_t type, void *out, int count)
{
    int err = IMP_OK;
    char what[40];
    attribute a;
    snprintf(what, sizeof what, "%d %s(s)", count, class == H5T_INTEGER ? "integer" : "float");
    TRY(attribute_open(at, path, where, name, class, count, what, &a));
    if (H5Aread(a.id, type, out) < 0)
        FAIL(IMP_ERR_INPUT, "%s: %s: attribute %s cannot be read", path, where, name);
out:
    attribute_close(&a);
    return err;
}

int h5_attr_integers(hid_t at, const char *path, const char *where, const char *name, int64_t *out,
                     int count)
{
    return attr_numbers(at, path, where, name, H5T_INTEGER, H5T_NATIVE_INT64, out, count);
}

int h5_attr_floats(hid_t at, const char *path, const char *where, const char *name, double *out,
                   int count)
{
    return attr_numbers(at, path, where, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, out, count);
}

/* Texts have any length in the file, or a fixed one, which may have no space for a NUL; both become
 * C strings, cut where *out ends. */
static herr_t read_text(hid_t a, hid_t type, char *out, size_t size)
{
    herr_t bad;
    if (H5Tis_variable_str(type) > 0) {
        char *text = NULL;
        bad = H5Aread(a, type, &text);
        if (bad >= 0 && text)
            snprintf(out, size, "%s", text);
        H5free_memory(text);
        return bad;
    }
    hid_t memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, size);
    /* HDF5 does not convert between ASCII and UTF-8: it fails */
    H5Tset_cset(memory, H5Tget_cset(type));
    bad = H5Aread(a, memory, out);
    out[size - 1] = 0;
    H5Tclose(memory);
    return bad;
}

int h5_attr_text(hid_t at, const char *path, const char *where, const char *name, char *out,
                 size_t size)
{
    attribute a;
    out[0] = 0;
    int err = attribute_open(at, path, where, name, H5T_STRING, 1, "a text", &a);
    if (!err && read_text(a.id, a.type, out, size) < 0)
        err = imp_fail(IMP_ERR_INPUT, "%s: %s: attribute %s is not a text", path, where, name);
    attribute_close(&a);
    return err;
}
