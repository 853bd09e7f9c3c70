/* What is linked to the program to make `impinge_fragile`: the same program, but for faults that
 * the environment asks for.
 *
 * IMPINGE_FRAGILE=KIND:N lets something happen at the N-th (from 0) of certain events, in whichever
 * thread. At a call that changes a file - write, pwrite, ftruncate, rename, fsync of this program
 * and of the HDF5 library:
 *
 *   none            nothing
 *   kill, stop      the process is killed, or stopped until it is told to go on, before it
 *   held            the program waits before it: it makes the file IMPINGE_FRAGILE_HELD, which has
 *                   its number, and goes on when that is gone, or when a signal has come
 *   int, term, hup  SIGINT, SIGTERM, SIGHUP comes before it
 *   twice, both     SIGINT comes before it, and once more, or SIGTERM, too
 *   full, broken    it and all after it fail: the disk is full, or an I/O error
 *
 * at a read of an HDF5 file that is open for reading only:
 *
 *   unread          it and all after it fail
 *
 * at other events of this program, without its libraries:
 *
 *   memory          an allocation, which fails: forgetful.h
 *   look            a look at whether to stop, of the device or between blocks, but in the
 *                   self-test: SIGTERM comes first
 *   exact           a pair that goes through exact arithmetic: SIGINT comes first
 *   reading         a block that is read ahead: SIGTERM comes first
 *   late            the pipeline goes, all else is done: SIGTERM comes first
 *
 *   rows            a device has handed out N + 1 contacts of a result, and fails; so does the one
 *                   that goes on, after as many more
 *
 * or for the first N blocks:
 *
 *   meetread        reading the next block and computing this one begin together
 *   meetwrite       so do writing this block and computing the next: each waits for the other to
 *                   have begun; not for ever, and not again when once it did not
 *
 * IMPINGE_FRAGILE_COUNT=FILE: how many such events there were is written there at the end; of
 * looks, those that were answered with no; of blocks, those that met, or 0 if one waited in vain.
 *
 * IMPINGE_FRAGILE_STACKS=FILE: there are the call stacks of allocations, one a line, as a number
 * that is the same in each run. IMPINGE_FRAGILE_STACK=NUMBER: only allocations of that call stack
 * are events.
 *
 * IMPINGE_SLOW=R:W: each such read takes R microseconds more, each pwrite W.
 *
 * IMPINGE_HASTY=1: every look at the clock takes a second, so that each block is committed. */
#define _GNU_SOURCE
#include "device.h"
#include "engine.h"
#include "error.h"
#include "exact.h"
#include "forgetful.h"
#include "io_thread.h"
#include "signals.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
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

static atomic_long events; /* of the kind that was asked for */
static atomic_int in_vain; /* somebody waited for who did not come */
static long chosen = -1;
static unsigned slow_read, slow_write; /* microseconds */
static char kind[16];
static int hasty, of_changes;
static FILE *stacks;
static uint64_t the_stack; /* 0: of all */

static int fragile_equals(const char *name)
{
    return !strcmp(kind, name);
}

__attribute__((constructor)) static void fragile_begin(void)
{
    static const char *const changes[] = {"none",  "kill", "stop", "int",  "term",  "held",
                                          "twice", "both", "hup",  "full", "broken"};
    const char *text = getenv("IMPINGE_FRAGILE");
    hasty = getenv("IMPINGE_HASTY") != NULL;
    if (text && sscanf(text, "%15[a-z]:%ld", kind, &chosen) != 2)
        abort();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        of_changes |= fragile_equals(changes[i]);
    text = getenv("IMPINGE_FRAGILE_STACKS");
    if (text)
        stacks = fopen(text, "w");
    text = getenv("IMPINGE_FRAGILE_STACK");
    the_stack = text ? strtoull(text, NULL, 10) : 0;
    text = getenv("IMPINGE_SLOW");
    if (text && sscanf(text, "%u:%u", &slow_read, &slow_write) != 2)
        abort();
}

__attribute__((destructor)) static void fragile_end(void)
{
    if (stacks)
        fclose(stacks);
    const char *name = getenv("IMPINGE_FRAGILE_COUNT");
    FILE *f = name ? fopen(name, "w") : NULL;
    if (f) {
        fprintf(f, "%ld\n", atomic_load(&in_vain) ? 0 : atomic_load(&events));
        fclose(f);
    }
}

/* ---- files */

/* A signal for the program, whichever thread is to handle it; returns when that is done or has
 * begun. */
static void send(int number)
{
    sigset_t waiting;
    kill(getpid(), number);
    while (!sigpending(&waiting) && sigismember(&waiting, number))
        usleep(100);
}

int __real_signals_came(void);

/* The file is there at once with all that it holds. */
static void wait_held(void)
{
    const char *name = getenv("IMPINGE_FRAGILE_HELD");
    char fresh[600];
    snprintf(fresh, sizeof fresh, "%s.new", name);
    FILE *f = fopen(fresh, "w");
    if (!f)
        abort();
    fprintf(f, "%d\n", (int)getpid());
    if (fclose(f) || syscall(SYS_renameat2, AT_FDCWD, fresh, AT_FDCWD, name, 0))
        abort();
    while (!access(name, F_OK) && !__real_signals_came())
        usleep(1000);
}

/* 1: the call is to fail, errno is set */
static int fragile(void)
{
    if (!of_changes)
        return 0;
    long n = atomic_fetch_add(&events, 1);
    if (n == chosen && fragile_equals("kill"))
        kill(getpid(), SIGKILL);
    if (n == chosen && fragile_equals("stop"))
        kill(getpid(), SIGSTOP);
    if (n == chosen && fragile_equals("held"))
        wait_held();
    if (n == chosen && (fragile_equals("int") || fragile_equals("twice") || fragile_equals("both")))
        send(SIGINT);
    if (n == chosen && fragile_equals("twice"))
        send(SIGINT);
    if (n == chosen && (fragile_equals("term") || fragile_equals("both")))
        send(SIGTERM);
    if (n == chosen && fragile_equals("hup"))
        send(SIGHUP);
    errno = fragile_equals("full") ? ENOSPC : EIO;
    return n >= chosen && (fragile_equals("full") || fragile_equals("broken"));
}

static int unreadable(void)
{
    if (!fragile_equals("unread") || atomic_fetch_add(&events, 1) < chosen)
        return 0;
    errno = EIO;
    return 1;
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
        if (unreadable())
            return -1;
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

/* ---- this program, by the linker's --wrap: its clock; its allocations are in forgetful.c */

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

/* The functions of this program that lead here. Libraries between them are left out: where they are
 * loaded differs from run to run. */
static uint64_t stack_number(void)
{
    extern const char __executable_start, etext;
    void *frame[64];
    uint64_t number = UINT64_C(14695981039346656037);
    int n = backtrace(frame, 64);
    for (int i = 0; i < n; i++)
        if ((uintptr_t)frame[i] >= (uintptr_t)&__executable_start &&
            (uintptr_t)frame[i] < (uintptr_t)&etext)
            number = (number ^ ((uintptr_t)frame[i] - (uintptr_t)&__executable_start)) *
                     UINT64_C(1099511628211);
    return number;
}

int forgetful(void)
{
    if (!fragile_equals("memory"))
        return 0;
    const uint64_t number = stacks || the_stack ? stack_number() : 0;
    if (stacks)
        fprintf(stacks, "%llu\n", (unsigned long long)number);
    return (!the_stack || number == the_stack) && atomic_fetch_add(&events, 1) == chosen;
}

/* ---- whether to stop: the signal is for the thread that looks, which so has handled it before */

static atomic_int trying; /* a device is tried before the work begins: that is not counted */

int __real_selftest(const context *c, const char *name);
int __wrap_selftest(const context *c, const char *name);

int __wrap_selftest(const context *c, const char *name)
{
    atomic_fetch_add(&trying, 1);
    int err = __real_selftest(c, name);
    atomic_fetch_sub(&trying, 1);
    return err;
}

static int counts_looks(void)
{
    return fragile_equals("look") && !atomic_load(&trying);
}

static void before_look(void)
{
    static atomic_flag sent = ATOMIC_FLAG_INIT;
    if (counts_looks() && atomic_load(&events) >= chosen && !atomic_flag_test_and_set(&sent))
        raise(SIGTERM);
}

static int after_look(int stop)
{
    if (counts_looks() && !stop)
        atomic_fetch_add(&events, 1);
    return stop;
}

int __real_device_cancelled(const device *d);
int __wrap_device_cancelled(const device *d);

int __wrap_device_cancelled(const device *d)
{
    before_look();
    return after_look(__real_device_cancelled(d));
}

int __wrap_signals_came(void);

int __wrap_signals_came(void)
{
    before_look();
    return after_look(__real_signals_came());
}

void __real_exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared,
                          const int sp[3], exact_contact *out);
void __wrap_exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared,
                          const int sp[3], exact_contact *out);

void __wrap_exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared,
                          const int sp[3], exact_contact *out)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* nobody goes on meanwhile */
    if (fragile_equals("exact")) {
        pthread_mutex_lock(&one);
        if (atomic_fetch_add(&events, 1) == chosen)
            raise(SIGINT);
        pthread_mutex_unlock(&one);
    }
    __real_exact_tri_tri(p, q, shared, sp, out);
}

void __real_imp_destroy(imp *p);
void __wrap_imp_destroy(imp *p);

void __wrap_imp_destroy(imp *p)
{
    if (fragile_equals("late") && p && atomic_fetch_add(&events, 1) == chosen)
        raise(SIGTERM);
    __real_imp_destroy(p);
}

/* ---- rows of devices, left out or not */

int __real_io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter,
                              imp_contacts *rest, imp_contacts *added);
int __wrap_io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter,
                              imp_contacts *rest, imp_contacts *added);

/* Rows up to the next failure, or all of them. */
int __wrap_io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter,
                              imp_contacts *rest, imp_contacts *added)
{
    static atomic_long failures;
    if (!fragile_equals("rows"))
        return __real_io_thread_add_rows(io, b, filter, rest, added);
    const long failed = atomic_load(&failures), before = atomic_load(&events),
               left = (failed + 1) * (chosen + 1) - before;
    const size_t count = rest->count;
    const int fails = failed < 2 && left <= (long)count;
    imp_contacts part = *rest;
    part.count = !fails ? count : left > 0 ? (size_t)left : 0;
    const size_t most = part.count;
    const int err = __real_io_thread_add_rows(io, b, filter, &part, added);
    const size_t taken = most - part.count;
    atomic_fetch_add(&events, (long)taken);
    *rest = part;
    rest->count = count - taken;
    if (err || !fails || part.count)
        return err;
    atomic_fetch_add(&failures, 1);
    return imp_fail(IMP_ERR_DEVICE, "a device fails after its row");
}

/* ---- blocks: how many have begun to be read, computed and written (or to be completed there) */

static atomic_long reading, computing, writing;

static void fragile_barrier(atomic_long *other, long least, int counts)
{
    for (int i = 0; atomic_load(other) < least; i++) {
        if (i == 300000) /* a minute and more */
            atomic_store(&in_vain, 1);
        if (atomic_load(&in_vain))
            return;
        usleep(200);
    }
    atomic_fetch_add(&events, counts);
}

int __real_job_read(job *w, const batch_block *before, uint64_t i, size_t count, batch_block *out);
int __wrap_job_read(job *w, const batch_block *before, uint64_t i, size_t count, batch_block *out);

int __wrap_job_read(job *w, const batch_block *before, uint64_t i, size_t count, batch_block *out)
{
    long n = atomic_fetch_add(&reading, 1);
    if (fragile_equals("reading") && n == chosen)
        send(SIGTERM);
    if (fragile_equals("meetread") && n <= chosen)
        fragile_barrier(&computing, n, 0);
    return __real_job_read(w, before, i, count, out);
}

int __real_io_thread_next_block(io_thread *io, io_block **out);
int __wrap_io_thread_next_block(io_thread *io, io_block **out);

int __wrap_io_thread_next_block(io_thread *io, io_block **out)
{
    int err = __real_io_thread_next_block(io, out);
    long n = atomic_fetch_add(&computing, 1);
    if (fragile_equals("meetread") && n < chosen)
        fragile_barrier(&reading, n + 2, 1);
    if (fragile_equals("meetwrite") && n > 0 && n <= chosen)
        fragile_barrier(&writing, n, 1);
    return err;
}

int __real_result_end_block(result *r, size_t count, const result_step *of,
                            const imp_frame_info *info);
int __wrap_result_end_block(result *r, size_t count, const result_step *of,
                            const imp_frame_info *info);

int __wrap_result_end_block(result *r, size_t count, const result_step *of,
                            const imp_frame_info *info)
{
    long n = atomic_fetch_add(&writing, 1);
    if (fragile_equals("meetwrite") && n < chosen)
        fragile_barrier(&computing, n + 2, 0);
    return __real_result_end_block(r, count, of, info);
}
