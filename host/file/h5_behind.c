/* HDF5 helpers: all files that the datasets of a file take rows from. */
#include "h5_data.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file by device and inode: links and relative names lead to the same one. */
typedef struct seen {
    dev_t device;
    ino_t inode;
} seen;

typedef struct object {
    unsigned long file;
    haddr_t address;
} object;

/* Groups may contain themselves, and files each other: what was seen is not visited again. */
typedef struct walk {
    const char *path; /* of the file that is walked through */
    size_t files, last, groups;
    seen *file;    /* files found so far; `last`: the one looked up last */
    object *group; /* groups of this file that are being walked through or have been */
    h5_found found;
    void *to;
    int err;
} walk;

static int walk_file(walk *w, const char *path, const char *group);

/* Is it new? The search begins at the last file found: datasets name their files in much the same
 * order. */
static int is_new(walk *w, const char *path)
{
    struct stat s;
    /* a missing one is an error where its rows are read, and named there */
    if (stat(path, &s) || !S_ISREG(s.st_mode))
        return 0;
    for (size_t i = 0; i < w->files; i++) {
        size_t k = (w->last + i) % w->files;
        if (w->file[k].device == s.st_dev && w->file[k].inode == s.st_ino) {
            w->last = k;
            return 0;
        }
    }
    seen *more = realloc(w->file, (w->files + 1) * sizeof *more);
    if (!more) {
        w->err = imp_fail(IMP_ERR_MEMORY, "out of memory");
        return 0;
    }
    w->file = more;
    w->last = w->files;
    w->file[w->files++] = (seen){s.st_dev, s.st_ino};
    return 1;
}

/* Its own files come right after it. `within`: it is an HDF5 file. */
static void add_file(walk *w, const char *path, int within)
{
    if (w->err || !is_new(w, path))
        return;
    w->err = w->found(w->to, path);
    if (!w->err && within)
        w->err = walk_file(w, path, "/");
}

/* ---- datasets */

/* A list of files that cannot be read is skipped: opening the dataset reports it better. */
static void add_sources(walk *w, hid_t id, hid_t made)
{
    h5_data d = {.id = id, .path = w->path, .name = "virtual"};
    char *path = NULL;
    int err = h5_virtual_open(&d, made);
    for (size_t i = 0; !err && !w->err && i < h5_virtual_files(d.behind); i++) {
        const char *name = h5_virtual_name(d.behind, i);
        if (name && !h5_virtual_locate(d.behind, name, &path))
            add_file(w, path, 1);
        free(path);
        path = NULL;
    }
    if (err == IMP_ERR_MEMORY)
        w->err = err;
    h5_virtual_close(d.behind);
}

/* Raw data in files of their own, as H5Pset_external puts them: bytes, no HDF5. */
static void add_raw(walk *w, hid_t id, hid_t made)
{
    char name[4096], *file = h5_file_name(id), *path = NULL;
    int n = H5Pget_external_count(made);
    for (int i = 0; file && i < n && !w->err; i++) {
        if (H5Pget_external(made, (unsigned)i, sizeof name, name, NULL, NULL) < 0)
            break;
        name[sizeof name - 1] = 0;
        if (!h5_raw_file(file, name, &path))
            add_file(w, path, 0);
        free(path);
        path = NULL;
    }
    free(file);
}

static void walk_dataset(walk *w, hid_t id)
{
    hid_t made = H5Dget_create_plist(id);
    if (H5Pget_layout(made) == H5D_VIRTUAL)
        add_sources(w, id, made);
    else
        add_raw(w, id, made);
    H5Pclose(made);
}

/* ---- groups */

/* Hard links make circles of groups. */
static int group_is_new(walk *w, hid_t id)
{
    H5O_info_t info;
    if (H5Oget_info2(id, &info, H5O_INFO_BASIC) < 0)
        return 0;
    for (size_t i = 0; i < w->groups; i++)
        if (w->group[i].file == info.fileno && w->group[i].address == info.addr)
            return 0;
    object *more = realloc(w->group, (w->groups + 1) * sizeof *more);
    if (!more) {
        w->err = imp_fail(IMP_ERR_MEMORY, "out of memory");
        return 0;
    }
    w->group = more;
    w->group[w->groups++] = (object){info.fileno, info.addr};
    return 1;
}

/* An external link leads to an object in another file. A link that leads nowhere is skipped:
 * opening what it names reports it. */
static herr_t walk_link(hid_t at, const char *name, const H5L_info_t *info, void *data)
{
    walk *w = data;
    hid_t id = H5Oopen(at, name, H5P_DEFAULT);
    if (id < 0)
        return 0;
    if (info->type == H5L_TYPE_EXTERNAL) {
        char *file = h5_file_name(id);
        if (file)
            add_file(w, file, 1);
        free(file);
    }
    if (!w->err && H5Iget_type(id) == H5I_DATASET)
        walk_dataset(w, id);
    if (!w->err && H5Iget_type(id) == H5I_GROUP && group_is_new(w, id))
        H5Literate(id, H5_INDEX_NAME, H5_ITER_INC, NULL, walk_link, w);
    H5Oclose(id);
    return w->err != 0;
}

static int walk_file(walk *w, const char *path, const char *group)
{
    /* files are shared with the caller, groups are of this file alone */
    walk here = *w;
    hid_t file;
    if (h5_open(path, 0, &file)) /* what must be readable has been read already */
        return IMP_OK;
    here.path = path;
    here.group = NULL;
    here.groups = 0;
    hid_t top = H5Gopen2(file, group, H5P_DEFAULT);
    if (top >= 0 && group_is_new(&here, top))
        H5Literate(top, H5_INDEX_NAME, H5_ITER_INC, NULL, walk_link, &here);
    h5_drop(top);
    H5Fclose(file);
    free(here.group);
    w->file = here.file;
    w->files = here.files;
    w->last = here.last;
    return here.err;
}

int h5_files(const char *path, const char *group, h5_found found, void *to)
{
    walk w = {.found = found, .to = to};
    /* what is no regular file is still the input: a device is found, and not looked into */
    if (is_new(&w, path)) {
        w.err = found(to, path);
        if (!w.err)
            w.err = walk_file(&w, path, group);
    } else if (!w.err) {
        w.err = found(to, path);
    }
    free(w.file);
    return w.err;
}
