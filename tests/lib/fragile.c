/* Linked to the program to make `impinge_fragile`: the same program, with faults that the
 * environment requests.
 *
 * IMPINGE_FRAGILE=KIND:N triggers a fault at the N-th (from 0) event of a kind, in whichever
 * thread. At a call that changes a file - write, pwrite, ftruncate, rename, fsync of this program
 * and of the HDF5 library:
 *
 *   none            nothing
 *   kill, stop      the process is killed, or stopped until it is continued, before the call
 *   held            the program waits before it: it creates the file IMPINGE_FRAGILE_HELD, which
 *                   contains its number, and continues when that is removed, or after a signal
 *   int, term, hup  SIGINT, SIGTERM, SIGHUP arrives before it
 *   twice, both     SIGINT arrives before it, followed by another, or by SIGTERM
 *   full, broken    it and all later ones fail: the disk is full, or an I/O error
 *
 * at a read of an HDF5 file that is open for reading only:
 *
 *   unread          it and all later ones fail
 *
 * at other events of this program, without its libraries:
 *
 *   memory          an allocation, which fails: forgetful.h
 *   look            a check whether to stop, on the device or between blocks, except in the
 *                   self-test: SIGTERM arrives first
 *   exact           a pair in exact arithmetic: SIGINT arrives first
 *   reading         a block that is read ahead: SIGTERM arrives first
 *   late            the pipeline is destroyed, all else is done: SIGTERM arrives first
 *
 *   rows            a device has delivered N + 1 contacts of a result, and fails; so does the one
 *                   that takes over, after as many more
 *
 * or for the first N blocks:
 *
 *   meetread        reading the next block and computing this one begin together
 *   meetwrite       writing this block and computing the next begin together: each waits for the
 *                   other to begin, for a limited time, and not again after waiting in vain
 *
 * IMPINGE_FRAGILE_COUNT=FILE: the number of such events is written there at the end; of looks,
 * those answered with no; of blocks, those that began together, or 0 if one waited in vain.
 *
 * IMPINGE_FRAGILE_STACKS=FILE: lists the call stacks of allocations, one a line, as a number that
 * is the same in each run. IMPINGE_FRAGILE_STACK=NUMBER: only allocations of that call stack are
 * events.
 *
 * IMPINGE_SLOW=R:W: each such read takes R microseconds more, each pwrite W.
 *
 * IMPINGE_HASTY=1: the clock advances a second at every reading, so that each block is committed.
 */
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

static atomic_long events; /* events of the selected kind */
static atomic_int in_vain; /* a thread waited in vain for the other */
static long chosen = -1;
static unsigned slow_read, slow_write; /* microseconds */
static char kind[16];
static int hasty, of_changes;
static FILE *stacks;
static uint64_t the_stack; /* 0: all stacks */

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

/* Sends the program a signal, for any of its threads; returns when it is handled or its handling
 * has begun. */
static void send(int number)
{
    sigset_t waiting;
    kill(getpid(), number);
    while (!sigpending(&waiting) && sigismember(&waiting, number))
        usleep(100);
}

int __real_signals_came(void);

/* The file appears atomically with its full content. */
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

/* Overrides the C library's functions for the HDF5 library, too. */
#define VISIBLE __attribute__((visibility("default")))

/* stdin, stdout and stderr are excluded */
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

/* Hash of the functions of this program on the stack. Libraries in between are excluded, since
 * their load addresses vary. */
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

/* ---- checks whether to stop: the signal goes to the checking thread, which thus has handled it
 * before */

static atomic_int trying; /* a device is being tested before the work begins: not counted */

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
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* all other threads wait */
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

/* ---- rows of devices, filtered or not */

int __real_io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter,
                              imp_contacts *rest, imp_contacts *added);
int __wrap_io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter,
                              imp_contacts *rest, imp_contacts *added);

/* Adds rows up to the next failure, or all of them. */
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

/* ---- blocks: the numbers of those whose reading, computing and writing (or committing) has begun
 */

static atomic_long reading, computing, writing;

static void fragile_barrier(atomic_long *other, long least, int counts)
{
    for (int i = 0; atomic_load(other) < least; i++) {
        if (i == 300000) /* at least a minute */
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
