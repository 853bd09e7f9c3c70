/* See stamp.h. */
#include "stamp.h"

#include "error.h"
#include "h5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* For h5_files, which calls it for each file. A series may have thousands of files behind it, so
 * the list doubles. */
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
    /* counted only now: file_signatures_free frees the path of each */
    all->signature[all->count++] = one;
out:
    return err;
}

/* The same files as those whose contents are hashed (file_hash): others cannot change a result. */
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
        /* replaced (inode), cut or grown (size), written to (time) */
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
