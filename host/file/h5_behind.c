/* HDF5 helpers: all files that the datasets of a file take rows from. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "error.h"
#include "h5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the walk */

/* A list of items to visit in order: the links of a group, by name; or the files that a dataset
 * takes rows from. */
typedef struct level {
    hid_t group, file; /* group: -1 for a list of files; file: closed after the level, or -1 */
    int begun;         /* the links of the group are in `text` */
    int within;        /* the files are HDF5 */
    char *text;        /* names, each preceded by an address and ending with NUL */
    size_t at, used, capacity;
} level;

/* Groups may be nested, and files may take rows from each other, to any depth, so the walk uses a
 * stack of levels rather than recursion. */
typedef struct h5_walk {
    level *level; /* [depth], the last one is visited first */
    size_t depth, capacity;
    h5_seen files, groups; /* by device and inode; by file and address */
    h5_found found;
    void *to;
    int err;
} h5_walk;

/* Adds an item. Opening by address takes the same time at any depth, while opening by name makes
 * HDF5 resolve the whole path. HADDR_UNDEF: a file, or a link that is no hard link to an object of
 * this file. */
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

/* Pushes a level, which is visited before those already on the stack. The walk takes over its
 * contents. */
static void h5_walk_push(h5_walk *w, level *l)
{
    if (!w->err && w->depth == w->capacity) {
        const size_t capacity = 2 * w->capacity + 16;
        level *more = realloc(w->level, capacity * sizeof *more);
        if (more) {
            w->level = more;
            w->capacity = capacity;
        } else {
            imp_fail(IMP_ERR_MEMORY, "out of memory");
            w->err = IMP_ERR_MEMORY;
        }
    }
    if (w->err)
        h5_walk_level_close(l);
    else
        w->level[w->depth++] = *l;
}

/* Reports a file; its own files follow directly, unless it was found before. A missing one is
 * skipped: reading its rows is an error that names it. within: it is an HDF5 file. */
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
        return; /* data that must be readable have already been read */
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

/* Notes raw data in separate files, as H5Pset_external sets them up: bytes, not HDF5. */
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

/* Hard links can make circles of groups. Iteration over a damaged group stops early: opening its
 * contents reports that. */
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

/* An external link leads to an object in another file, which is reported first. A dangling link is
 * skipped: opening the object reports it. */
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

/* Visits the next link or file of the last level, which may push others. */
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
    /* anything but a regular file is still an input: a device is reported, but not opened */
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

/* ---- HDF5 helpers: the rules by which HDF5 finds the files that a file refers to. */

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

/* Returns the length of a path without its last part. */
static size_t h5_path_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

#define H5_PATH_ORIGIN "${ORIGIN}"

/* Returns `name` in a folder from an environment variable, which may be relative to the file's own
 * folder. */
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

/* If the file `candidate` exists, keeps it at *out and returns 1. */
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

/* The order is HDF5's: an absolute name as it is, else in the folders of HDF5_VDS_PREFIX, beside
 * the file, in the current folder, beside the target if the file is a link. An absolute name that
 * does not exist is searched by its last part, so that a folder may be moved as a whole. If none of
 * a dataset's names leads to a file, all of them are searched by their last parts: VTK's writer
 * names files relative to its working folder. For a single missing file this could find an
 * unrelated one by chance. */
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

/* Raw data are searched in the current folder only, unless a variable names another one. */
int h5_raw_file(const char *file, const char *name, char **out)
{
    const char *prefix = getenv("HDF5_EXTFILE_PREFIX");
    if (name[0] == '/' || !prefix || !*prefix || !strcmp(prefix, "."))
        *out = h5_path_join("", 0, name);
    else
        *out = h5_path_prefixed(prefix, strlen(prefix), file, name);
    return *out ? IMP_OK : imp_fail(IMP_ERR_MEMORY, "out of memory");
}

/* ---- A hash table, since a file may have a hundred thousand groups. */

typedef struct seen_pair {
    uint64_t a, b;
    int there;
} seen_pair;

/* Returns the pair's place, or the free one where it belongs. Terminates, since half of the places
 * are free. */
static seen_pair *seen_place(const h5_seen *s, uint64_t a, uint64_t b)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* its products depend on all bits */
    size_t i = (size_t)((a * golden ^ b) * golden >> 32) & (s->capacity - 1);
    while (s->at[i].there && (s->at[i].a != a || s->at[i].b != b))
        i = (i + 1) & (s->capacity - 1);
    return &s->at[i];
}

static int seen_grow(h5_seen *s)
{
    h5_seen larger = {.count = s->count, .capacity = s->capacity ? 2 * s->capacity : 64};
    larger.at = calloc(larger.capacity, sizeof *larger.at);
    if (!larger.at) {
        imp_fail(IMP_ERR_MEMORY, "out of memory");
        return IMP_ERR_MEMORY;
    }
    for (size_t i = 0; i < s->capacity; i++)
        if (s->at[i].there)
            *seen_place(&larger, s->at[i].a, s->at[i].b) = s->at[i];
    free(s->at);
    *s = larger;
    return IMP_OK;
}

int h5_seen_add(h5_seen *s, uint64_t a, uint64_t b, int *is_new)
{
    int err = IMP_OK;
    if (2 * s->count >= s->capacity)
        TRY(seen_grow(s));
    seen_pair *at = seen_place(s, a, b);
    *is_new = !at->there;
    s->count += !at->there;
    *at = (seen_pair){a, b, 1};
out:
    return err;
}

void h5_seen_free(h5_seen *s)
{
    free(s->at);
    *s = (h5_seen){0};
}
