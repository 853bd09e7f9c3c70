/* See output_file.h. */
#define _GNU_SOURCE
#include "error.h"
#include "h5.h"
#include "output_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MOST 40 /* the limit of the system */

/* Returns the target of the link at `path`, a relative one prefixed with the link's folder; NULL
 * with errno. The system makes no link longer than PATH_MAX, so none is cut. */
static char *file_path_link_target(const char *path)
{
    char text[PATH_MAX], *out = NULL;
    ssize_t n = readlink(path, text, sizeof text - 1);
    if (n < 0)
        return NULL;
    text[n] = 0;
    const char *slash = strrchr(path, '/');
    int folder = text[0] == '/' || !slash ? 0 : (int)(slash - path + 1);
    return asprintf(&out, "%.*s%s", folder, path, text) < 0 ? NULL : out;
}

/* realpath is not used, since it needs the last file to exist, and an output mostly does not. A
 * name that lstat does not find is the end of the chain. */
int file_path_target(const char *path, char **out)
{
    int err = IMP_OK;
    struct stat s;
    char *at = strdup(path);
    *out = NULL;
    for (int links = 0; at && !lstat(at, &s) && S_ISLNK(s.st_mode); links++) {
        char *next = links < LINKS_MOST ? file_path_link_target(at) : NULL;
        if (!next)
            FAIL(IMP_ERR_FILE, "%s: %s", path, strerror(links < LINKS_MOST ? errno : ELOOP));
        free(at);
        at = next;
    }
    if (!at)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    *out = at;
    at = NULL;
out:
    free(at);
    return err;
}

/* The folder must exist, the file in it need not. */
int file_path_absolute(const char *path, char **out)
{
    int err = IMP_OK;
    char *target = NULL, *copy = NULL, *folder = NULL;
    *out = NULL;
    TRY(file_path_target(path, &target));
    copy = strdup(target);
    folder = copy ? realpath(dirname(copy), NULL) : NULL;
    if (!folder)
        FAIL(IMP_ERR_FILE, "%s: %s", path, strerror(errno));
    const char *slash = strrchr(target, '/');
    if (asprintf(out, "%s/%s", strcmp(folder, "/") ? folder : "", slash ? slash + 1 : target) < 0) {
        *out = NULL;
        err = imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
out:
    free(target);
    free(copy);
    free(folder);
    return err;
}

/* Returns the absolute folder of a file, with "/" at its end; NULL if it does not exist. */
static char *file_path_folder(const char *path)
{
    char *copy = strdup(path), *real = copy ? realpath(dirname(copy), NULL) : NULL, *out = NULL;
    if (real && asprintf(&out, "%s%s", real, strcmp(real, "/") ? "/" : "") < 0)
        out = NULL;
    free(copy);
    free(real);
    return out;
}

/* Returns the path from one folder to the other: up to their last common folder, then down. */
static char *file_path_between(const char *here, const char *there, const char *name)
{
    size_t same = 0, up = 0;
    for (size_t i = 0; here[i] && here[i] == there[i]; i++)
        same = here[i] == '/' ? i + 1 : same;
    for (size_t i = same; here[i]; i++)
        up += here[i] == '/';
    const size_t size = 3 * up + strlen(there + same) + strlen(name) + 1;
    char *out = malloc(size), *at = out;
    if (!out)
        return NULL;
    while (up--)
        at = stpcpy(at, "../");
    stpcpy(stpcpy(at, there + same), name);
    return out;
}

int file_path_relative(const char *from, const char *to, char **out)
{
    int err = IMP_OK;
    errno = ENOMEM;
    char *here = file_path_folder(from), *there = here ? file_path_folder(to) : NULL;
    const char *slash = strrchr(to, '/');
    *out = NULL;
    if (here && there)
        *out = file_path_between(here, there, slash ? slash + 1 : to);
    if (!*out)
        err = imp_fail(errno == ENOMEM ? IMP_ERR_MEMORY : IMP_ERR_FILE, "%s: %s", here ? to : from,
                       strerror(errno));
    free(here);
    free(there);
    return err;
}

/* Identifies a name that does not exist by its folder. Two copies are made: dirname and basename
 * may change their text. */
static int file_identity_in_folder(const char *target, file_identity *out)
{
    int err = IMP_OK;
    struct stat s;
    char *folder = strdup(target), *copy = strdup(target);
    if (!folder || !copy)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    if (stat(dirname(folder), &s))
        FAIL(IMP_ERR_FILE, "%s: cannot be written: %s", target, strerror(errno));
    out->name = strdup(basename(copy));
    if (!out->name)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    out->device = s.st_dev;
    out->inode = s.st_ino;
out:
    free(folder);
    free(copy);
    return err;
}

/* stat follows links by itself. A file that does not exist has no inode: it is a name in a folder,
 * so OUT and ./OUT are found to be the same before either exists. */
int file_identity_find(const char *path, file_identity *out)
{
    struct stat s;
    char *target = NULL;
    *out = (file_identity){0};
    if (!stat(path, &s)) {
        out->device = s.st_dev;
        out->inode = s.st_ino;
        return IMP_OK;
    }
    /* stat also fails for a link to a missing file: then its target names the folder */
    int err = file_path_target(path, &target);
    if (target)
        err = file_identity_in_folder(target, out);
    free(target);
    return err;
}

void file_identity_free(file_identity *p)
{
    free(p->name);
    p->name = NULL;
}

/* A name without a file has the inode of its folder, so it is compared only with other such
 * names. */
int file_identity_same(const file_identity *a, const file_identity *b)
{
    if (a->device != b->device || a->inode != b->inode || !a->name != !b->name)
        return 0;
    return !a->name || !strcmp(a->name, b->name);
}

typedef struct file_signature {
    char *path;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
} file_signature;

/* A file that no longer exists is an error as well: its rows cannot be read. */
static int file_signature_of(const char *path, file_signature *out)
{
    struct stat s;
    if (stat(path, &s))
        return imp_fail(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    *out = (file_signature){NULL, s.st_dev, s.st_ino, s.st_size, s.st_mtim};
    return IMP_OK;
}

/* Callback of h5_files. A series may have thousands of files behind it, so the capacity doubles. */
static int file_signature_add(void *to, const char *path)
{
    int err = IMP_OK;
    file_signatures *all = to;
    file_signature one = {0};
    TRY(file_signature_of(path, &one));
    if (all->count == all->capacity) {
        size_t capacity = 2 * all->capacity + 4;
        file_signature *more = realloc(all->signature, capacity * sizeof *more);
        if (!more)
            FAIL(IMP_ERR_MEMORY, "out of memory");
        all->signature = more;
        all->capacity = capacity;
    }
    one.path = strdup(path);
    if (!one.path)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    /* counted last: file_signatures_free frees the path of each counted entry */
    all->signature[all->count++] = one;
out:
    return err;
}

/* These are the files whose contents are hashed (file_hash): others cannot change a result. */
int file_signatures_read(const char *path, file_signatures *out)
{
    return h5_files(path, "/VTKHDF", file_signature_add, out);
}

int file_signatures_check(const file_signatures *s)
{
    int err = IMP_OK;
    for (size_t i = 0; i < s->count; i++) {
        const file_signature *was = &s->signature[i];
        file_signature is = {0};
        TRY(file_signature_of(was->path, &is));
        /* detects replaced (inode), cut or grown (size), and rewritten (time) files */
        if (is.device != was->device || is.inode != was->inode || is.size != was->size ||
            is.changed.tv_sec != was->changed.tv_sec || is.changed.tv_nsec != was->changed.tv_nsec)
            FAIL(IMP_ERR_INPUT, "%s: was changed while it was read", was->path);
    }
out:
    return err;
}

void file_signatures_free(file_signatures *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->signature[i].path);
    free(s->signature);
    *s = (file_signatures){0};
}
