/* What is linked to the program to make `impinge_fragile`: the same program, but for faults that
 * the environment asks for.
 *
 * IMPINGE_FRAGILE=KIND:N lets something happen at the N-th call (from 0) that changes a file:
 * write, pwrite, ftruncate, rename, fsync of this program and of the HDF5 library. KIND is one of
 *
 *   kill          the process is killed before it
 *   int, term     SIGINT, SIGTERM comes before it; twice, both: SIGINT and one more of the two
 *   full, broken  it and all after it fail: the disk is full, or an I/O error
 *   memory        not that: the N-th allocation of this program, without its libraries, fails
 *
 * IMPINGE_FRAGILE_COUNT=FILE: how many such calls there were is written there at the end.
 * IMPINGE_HASTY=1: every look at the clock takes a second, so that each block is committed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static long calls, allocations, chosen = -1;
static char kind[16];
static int hasty;

__attribute__((constructor)) static void fragile_begin(void)
{
    const char *text = getenv("IMPINGE_FRAGILE");
    hasty = getenv("IMPINGE_HASTY") != NULL;
    if (text && sscanf(text, "%15[a-z]:%ld", kind, &chosen) != 2)
        abort();
}

__attribute__((destructor)) static void fragile_end(void)
{
    const char *name = getenv("IMPINGE_FRAGILE_COUNT");
    FILE *f = name ? fopen(name, "w") : NULL;
    if (f) {
        fprintf(f, "%ld\n", strcmp(kind, "memory") ? calls : allocations);
        fclose(f);
    }
}

/* 1: the call is to fail, errno is set */
static int fragile(void)
{
    long n = calls++;
    if (chosen < 0 || n < chosen || !strcmp(kind, "memory"))
        return 0;
    if (n == chosen && !strcmp(kind, "kill"))
        kill(getpid(), SIGKILL);
    int again = !strcmp(kind, "twice"), both = !strcmp(kind, "both");
    if (n == chosen && (!strcmp(kind, "int") || again || both))
        raise(SIGINT);
    if (n == chosen && again)
        raise(SIGINT);
    if (n == chosen && (!strcmp(kind, "term") || both))
        raise(SIGTERM);
    errno = !strcmp(kind, "full") ? ENOSPC : EIO;
    return !strcmp(kind, "full") || !strcmp(kind, "broken");
}

/* Seen by the HDF5 library, too, before those of the C library. */
#define VISIBLE __attribute__((visibility("default")))

/* stdin, stdout and stderr are not meant */
VISIBLE ssize_t write(int fd, const void *data, size_t bytes)
{
    return fd > 2 && fragile() ? -1 : syscall(SYS_write, fd, data, bytes);
}

VISIBLE ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    return fragile() ? -1 : syscall(SYS_pwrite64, fd, data, bytes, at);
}

VISIBLE int ftruncate(int fd, off_t size)
{
    return fragile() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

VISIBLE int rename(const char *from, const char *to)
{
    return fragile() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

VISIBLE int fsync(int fd)
{
    return fragile() ? -1 : (int)syscall(SYS_fsync, fd);
}

/* By the linker's --wrap: only this program's clock is fast. */
int __real_clock_gettime(clockid_t id, struct timespec *out);
int __wrap_clock_gettime(clockid_t id, struct timespec *out);

int __wrap_clock_gettime(clockid_t id, struct timespec *out)
{
    static long looks;
    int bad = __real_clock_gettime(id, out);
    if (hasty)
        out->tv_sec += ++looks;
    return bad;
}

static int forgetful(void)
{
    int fails = !strcmp(kind, "memory") && allocations++ == chosen;
    errno = fails ? ENOMEM : errno;
    return fails;
}

#define ALLOCATION(name, declared, given)                                                          \
    void *__real_##name declared;                                                                  \
    void *__wrap_##name declared;                                                                  \
    void *__wrap_##name declared                                                                   \
    {                                                                                              \
        return forgetful() ? NULL : __real_##name given;                                           \
    }
ALLOCATION(malloc, (size_t n), (n))
ALLOCATION(calloc, (size_t n, size_t size), (n, size))
ALLOCATION(realloc, (void *p, size_t n), (p, n))
ALLOCATION(aligned_alloc, (size_t align, size_t n), (align, n))

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

char *__wrap_strdup(const char *text)
{
    return forgetful() ? NULL : __real_strdup(text);
}
