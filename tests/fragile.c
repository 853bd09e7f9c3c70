/* What is linked to the program to make `impinge_fragile`: the same program, but for faults that
 * the environment asks for.
 *
 * IMPINGE_FRAGILE=KIND:N lets something happen at the N-th call (from 0) that changes a file:
 * write, pwrite, ftruncate, rename, fsync of this program and of the HDF5 library. It may be made
 * by any thread. KIND is one of
 *
 *   kill          the process is killed before it
 *   int, term     SIGINT, SIGTERM comes before it; twice, both: SIGINT and one more of the two
 *   full, broken  it and all after it fail: the disk is full, or an I/O error
 *   memory        not that: the N-th allocation of this program, without its libraries, fails
 *   unread        not that: the N-th read of an HDF5 file that is open for reading only fails, and
 *                 all after it
 *
 * IMPINGE_FRAGILE_COUNT=FILE: how many such calls there were is written there at the end.
 * IMPINGE_SLOW=R:W: each such read takes R microseconds more, each write W.
 * IMPINGE_HASTY=1: every look at the clock takes a second, so that each block is committed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls, allocations, reads;
static long chosen = -1;
static unsigned slow_read, slow_write; /* microseconds */
static char kind[16];
static int hasty;

__attribute__((constructor)) static void fragile_begin(void)
{
    const char *text = getenv("IMPINGE_FRAGILE");
    hasty = getenv("IMPINGE_HASTY") != NULL;
    if (text && sscanf(text, "%15[a-z]:%ld", kind, &chosen) != 2)
        abort();
    text = getenv("IMPINGE_SLOW");
    if (text && sscanf(text, "%u:%u", &slow_read, &slow_write) != 2)
        abort();
}

__attribute__((destructor)) static void fragile_end(void)
{
    const char *name = getenv("IMPINGE_FRAGILE_COUNT");
    FILE *f = name ? fopen(name, "w") : NULL;
    if (f) {
        fprintf(f, "%ld\n",
                !strcmp(kind, "memory")   ? atomic_load(&allocations)
                : !strcmp(kind, "unread") ? atomic_load(&reads)
                                          : atomic_load(&calls));
        fclose(f);
    }
}

/* A signal for the program, whichever thread is to handle it; returns when that is done or has
 * begun. */
static void send(int number)
{
    sigset_t waiting;
    kill(getpid(), number);
    while (!sigpending(&waiting) && sigismember(&waiting, number))
        usleep(100);
}

/* 1: the call is to fail, errno is set */
static int fragile(void)
{
    long n = atomic_fetch_add(&calls, 1);
    if (chosen < 0 || n < chosen || !strcmp(kind, "memory") || !strcmp(kind, "unread"))
        return 0;
    if (n == chosen && !strcmp(kind, "kill"))
        kill(getpid(), SIGKILL);
    int again = !strcmp(kind, "twice"), both = !strcmp(kind, "both");
    if (n == chosen && (!strcmp(kind, "int") || again || both))
        send(SIGINT);
    if (n == chosen && again)
        send(SIGINT);
    if (n == chosen && (!strcmp(kind, "term") || both))
        send(SIGTERM);
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

VISIBLE ssize_t pread(int fd, void *data, size_t bytes, off_t at)
{
    if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) {
        if (slow_read)
            usleep(slow_read);
        if (atomic_fetch_add(&reads, 1) >= chosen && !strcmp(kind, "unread")) {
            errno = EIO;
            return -1;
        }
    }
    return syscall(SYS_pread64, fd, data, bytes, at);
}

VISIBLE ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at)
{
    if (slow_write)
        usleep(slow_write);
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
    static atomic_long looks;
    int bad = __real_clock_gettime(id, out);
    if (hasty)
        out->tv_sec += 1 + atomic_fetch_add(&looks, 1);
    return bad;
}

static int forgetful(void)
{
    int fails = !strcmp(kind, "memory") && atomic_fetch_add(&allocations, 1) == chosen;
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
