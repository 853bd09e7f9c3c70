/* HDF5 helpers: all files that the datasets of a file take rows from. */
#include "h5_data.h"

#include "error.h"
#include "h5_seen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the walk */

/* What is to be looked at, one after another: the links of a group, by name; or the files that a
 * dataset takes rows from. */
typedef struct level {
    hid_t group, file; /* -1: files; the file that is closed after it, or -1 */
    int begun;         /* the links of the group are in `text` */
    int within;        /* the files are HDF5 */
    char *text;        /* each with its NUL */
    size_t at, used, capacity;
} level;

/* Groups may be nested, and files may take rows from each other, to any depth: so there is a list
 * of levels, and no recursion. */
typedef struct h5_walk {
    level *level; /* [depth] the last one goes on first */
    size_t depth, capacity;
    h5_seen files, groups; /* by device and inode; by file and address */
    h5_found found;
    void *to;
    int err;
} h5_walk;

/* Opening by address takes the same time at any depth, while HDF5 makes the whole path of what is
 * opened by name. HADDR_UNDEF: a link that is none to an object of this file, or a file. */
static int level_note(level *l, haddr_t address, const char *text)
{
    const size_t bytes = sizeof address + strlen(text) + 1;
    if (l->used + bytes > l->capacity) {
        const size_t capacity = 2 * (l->used + bytes);
        char *more = realloc(l->text, capacity);
        if (!more)
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        l->text = more;
        l->capacity = capacity;
    }
    memcpy(l->text + l->used, &address, sizeof address);
    memcpy(l->text + l->used + sizeof address, text, bytes - sizeof address);
    l->used += bytes;
    return IMP_OK;
}

static void h5_walk_level_close(level *l)
{
    free(l->text);
    h5_drop(l->group);
    if (l->file >= 0)
        H5Fclose(l->file);
}

/* It is looked at before what is in the list already. What it holds is the walk's from now on. */
static void h5_walk_push(h5_walk *w, level *l)
{
    if (!w->err && w->depth == w->capacity) {
        const size_t capacity = 2 * w->capacity + 16;
        level *more = realloc(w->level, capacity * sizeof *more);
        if (more) {
            w->level = more;
            w->capacity = capacity;
        } else
            w->err = imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
    if (w->err)
        h5_walk_level_close(l);
    else
        w->level[w->depth++] = *l;
}

/* Its own files come right after it, unless it was found before. A missing one is skipped: reading
 * its rows is an error that names it. `within`: it is an HDF5 file. */
static void h5_walk_file(h5_walk *w, const char *path, const char *group, int within)
{
    struct stat s;
    int is_new = 0;
    level top = {.group = -1, .file = -1};
    if (!w->err && !stat(path, &s) && S_ISREG(s.st_mode))
        w->err = h5_seen_add(&w->files, s.st_dev, s.st_ino, &is_new);
    if (w->err || !is_new)
        return;
    w->err = w->found(w->to, path);
    if (w->err || !within || h5_open(path, 0, &top.file))
        return; /* what must be readable has been read already */
    top.group = H5Gopen2(top.file, group, H5P_DEFAULT);
    if (top.group >= 0)
        h5_walk_push(w, &top);
    else
        H5Fclose(top.file);
}

/* ---- datasets */

/* A list of files that cannot be read is skipped: opening the dataset reports it better. */
static void h5_walk_note_sources(h5_walk *w, hid_t id, hid_t made, level *files)
{
    h5_data d = {.id = id, .path = "", .name = "virtual"};
    char *path = NULL;
    int err = h5_virtual_open(&d, made);
    for (size_t i = 0; !err && !w->err && i < h5_virtual_files(d.behind); i++) {
        const char *name = h5_virtual_name(d.behind, i);
        if (name && !h5_virtual_locate(d.behind, name, &path))
            w->err = level_note(files, HADDR_UNDEF, path);
        free(path);
        path = NULL;
    }
    if (err == IMP_ERR_MEMORY)
        w->err = err;
    h5_virtual_close(d.behind);
}

/* Raw data in files of their own, as H5Pset_external puts them: bytes, no HDF5. */
static void h5_walk_note_raw(h5_walk *w, hid_t id, hid_t made, level *files)
{
    char name[4096], *file = h5_file_name(id), *path = NULL;
    int n = H5Pget_external_count(made);
    for (int i = 0; file && i < n && !w->err; i++) {
        if (H5Pget_external(made, (unsigned)i, sizeof name, name, NULL, NULL) < 0)
            break;
        name[sizeof name - 1] = 0;
        w->err = h5_raw_file(file, name, &path);
        if (!w->err)
            w->err = level_note(files, HADDR_UNDEF, path);
        free(path);
        path = NULL;
    }
    free(file);
}

static void h5_walk_dataset(h5_walk *w, hid_t id)
{
    hid_t made = H5Dget_create_plist(id);
    level files = {.group = -1, .file = -1, .within = H5Pget_layout(made) == H5D_VIRTUAL};
    if (files.within)
        h5_walk_note_sources(w, id, made, &files);
    else
        h5_walk_note_raw(w, id, made, &files);
    H5Pclose(made);
    h5_walk_push(w, &files);
}

/* ---- groups */

static herr_t h5_walk_note_link(hid_t at, const char *name, const H5L_info_t *info, void *data)
{
    (void)at;
    return level_note(data, info->type == H5L_TYPE_HARD ? info->u.address : HADDR_UNDEF, name);
}

/* Hard links make circles of groups. What iterates over a damaged one stops early: opening what is
 * in it reports that. */
static void h5_walk_begin(h5_walk *w, level *l)
{
    H5O_info_t info;
    int is_new = 0;
    l->begun = 1;
    if (H5Oget_info2(l->group, &info, H5O_INFO_BASIC) >= 0)
        w->err = h5_seen_add(&w->groups, info.fileno, info.addr, &is_new);
    if (is_new)
        H5Literate(l->group, H5_INDEX_NAME, H5_ITER_INC, NULL, h5_walk_note_link, l);
}

/* An external link leads to an object in another file, which comes first. A link that leads nowhere
 * is skipped: opening what it names reports it. */
static void h5_walk_link(h5_walk *w, hid_t group, haddr_t address, const char *name)
{
    H5L_info_t info;
    const int hard = address != HADDR_UNDEF;
    hid_t id = hard ? H5Oopen_by_addr(group, address) : H5Oopen(group, name, H5P_DEFAULT);
    if (id < 0)
        return;
    const int external = !hard && H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0 &&
                         info.type == H5L_TYPE_EXTERNAL;
    char *file = external ? h5_file_name(id) : NULL;
    const H5I_type_t type = H5Iget_type(id);
    if (type == H5I_DATASET)
        h5_walk_dataset(w, id);
    if (type == H5I_GROUP)
        h5_walk_push(w, &(level){.group = id, .file = -1});
    else
        H5Oclose(id);
    if (file)
        h5_walk_file(w, file, "/", 1);
    free(file);
}

/* The next link or file of the last level, which may add others behind it. */
static void h5_walk_step(h5_walk *w)
{
    level *l = &w->level[w->depth - 1];
    if (l->group >= 0 && !l->begun)
        h5_walk_begin(w, l);
    if (l->at == l->used) {
        w->depth--;
        h5_walk_level_close(l);
        return;
    }
    haddr_t address;
    memcpy(&address, l->text + l->at, sizeof address);
    const char *text = l->text + l->at + sizeof address;
    const hid_t group = l->group;
    l->at += sizeof address + strlen(text) + 1;
    if (group >= 0)
        h5_walk_link(w, group, address, text);
    else
        h5_walk_file(w, text, "/", l->within);
}

int h5_files(const char *path, const char *group, h5_found found, void *to)
{
    struct stat s;
    h5_walk w = {.found = found, .to = to};
    /* what is no regular file is still the input: a device is found, and not looked into */
    if (stat(path, &s) || !S_ISREG(s.st_mode))
        return found(to, path);
    h5_walk_file(&w, path, group, 1);
    while (w.depth && !w.err)
        h5_walk_step(&w);
    while (w.depth)
        h5_walk_level_close(&w.level[--w.depth]);
    free(w.level);
    h5_seen_free(&w.files);
    h5_seen_free(&w.groups);
    return w.err;
}
