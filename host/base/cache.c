/* See cache.h. */
#define _XOPEN_SOURCE 700 /* O_DIRECTORY */
#include "cache.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char refused[4200];
static atomic_int refusing, has_refused; /* a thread is writing the text; the text is complete */

static void cache_refuse(const char *path)
{
    if (atomic_exchange(&refusing, 1))
        return;
    snprintf(refused, sizeof refused, "%s", path);
    atomic_store(&has_refused, 1);
}

const char *cache_refused(void)
{
    return atomic_load(&has_refused) ? refused : NULL;
}

/* A relative path would depend on the current folder; XDG says to ignore it. */
int cache_path(const char *what, char *out, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache && cache[0] == '/')
        n = snprintf(out, size, "%s/impinge/%s", cache, what);
    else if (home && home[0] == '/')
        n = snprintf(out, size, "%s/.cache/impinge/%s", home, what);
    return n > 0 && (size_t)n < size;
}

/* Returns whether the file of this descriptor belongs to the user alone. */
static int cache_owned_by_user(int f, mode_t type, const char *path)
{
    struct stat s;
    if (fstat(f, &s))
        return 0;
    const int own =
        (s.st_mode & S_IFMT) == type && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
    if (!own)
        cache_refuse(path);
    return own;
}

/* The folder of a path, open; -1 if it may not be used. */
static int folder_open(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    int f = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f >= 0 && !cache_owned_by_user(f, S_IFDIR, folder)) {
        close(f);
        f = -1;
    }
    return f;
}

/* Opens the file through the checked folder, whose name may lead to another one by now. A FIFO must
 * not block this. */
int cache_read(const char *what)
{
    char path[4096];
    if (!cache_path(what, path, sizeof path))
        return -1;
    const int folder = folder_open(path);
    if (folder < 0)
        return -1;
    int f = openat(folder, what, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    close(folder);
    if (f >= 0 && !cache_owned_by_user(f, S_IFREG, path)) {
        close(f);
        f = -1;
    }
    return f;
}

static void folders_make(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
}

int cache_folder(char *path)
{
    folders_make(path);
    const int folder = folder_open(path);
    if (folder >= 0)
        close(folder);
    return folder >= 0;
}
