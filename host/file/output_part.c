/* See output_part.h. */
#define _GNU_SOURCE
#include "output_part.h"

#include "error.h"
#include "h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".impinge.part"
#define PARTS_MOST 1000

/* The name of number i; NULL: out of memory. */
static char *output_part_name(const char *path, unsigned i)
{
    char number[16] = "", *part;
    if (i)
        snprintf(number, sizeof number, "%u", i);
    return asprintf(&part, "%s" ENDING "%s", path, number) < 0 ? NULL : part;
}

/* Does the name still lead to the open file? */
static int output_part_is_named(int f, const char *part)
{
    struct stat s, t;
    return !fstat(f, &s) && !lstat(part, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* Who writes a part has locked it. Where there are no locks nothing is removed. */
static void output_part_drop_stale(const char *part)
{
    struct stat s;
    int f = open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (f < 0)
        return;
    if (!fstat(f, &s) && S_ISREG(s.st_mode) && !flock(f, LOCK_EX | LOCK_NB) &&
        output_part_is_named(f, part))
        unlink(part);
    close(f);
}

/* A new file, locked. Another process may remove it before it is locked: then EEXIST, so that the
 * caller goes on. */
static int output_part_create(const char *part)
{
    output_part_drop_stale(part);
    int f = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f < 0)
        return -1;
    flock(f, LOCK_EX | LOCK_NB);
    if (output_part_is_named(f, part))
        return f;
    close(f);
    errno = EEXIST;
    return -1;
}

/* If a name exists, the next one is tried: it is that of another run. */
int output_part_make(const char *path, const char *name, char **out, int *descriptor)
{
    for (unsigned i = 0; i < PARTS_MOST; i++) {
        char *part = output_part_name(path, i);
        if (!part)
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        *descriptor = output_part_create(part);
        if (*descriptor >= 0) {
            *out = part;
            return IMP_OK;
        }
        /* free() may change it */
        int why = errno;
        free(part);
        errno = why;
        if (why != EEXIST)
            break;
    }
    return h5_fail(IMP_ERR_FILE, name, NULL, "cannot be written: %s", strerror(errno));
}

void output_part_remove_stale(const char *path)
{
    for (unsigned i = 0; i < PARTS_MOST; i++) {
        char *part = output_part_name(path, i);
        const int more = part && !access(part, F_OK);
        if (more)
            output_part_drop_stale(part);
        free(part);
        if (!more)
            return;
    }
}
