/* Protection against OpenCL drivers that misbehave. The loader loads all drivers of a machine into
 * the process that lists devices, and one that crashes or hangs there takes the program with it;
 * several that are sound alone may crash together, such as two with an LLVM each. So before OpenCL
 * starts in the program, another process, which is this program again, lists the devices. Only if
 * that process crashes, times out or exits with another code, further processes find the bad
 * driver: first one for each driver, then one with the sound drivers, added one at a time. The
 * others are left out: the loader gets a folder with the drivers that are sound together
 * (OCL_ICD_VENDORS).
 *
 * Runs that start no OpenCL test nothing. Only listing is tested: kernels are compiled and tested
 * in the program itself. */
#ifndef IMP_DRIVERS_H
#define IMP_DRIVERS_H

#include <signal.h>
#include <stddef.h>

/* From now on drivers are tested before OpenCL starts. Prints one line on stderr for each driver
 * that is left out. Called before any pipeline is created. */
void drivers_guard(void);

/* Redirects these lines; NULL: discards them. */
typedef void drivers_log_line(void *user, const char *line);
void drivers_set_log(drivers_log_line *say, void *user);

/* The drivers that are left out, known once OpenCL has started: file and library, and the reason.
 * Returns 0 past the last. Valid until the next call. */
int drivers_excluded_at(size_t i, const char **name, const char **reason);

/* ---- The OpenCL drivers of this machine, as the loader finds them: one .icd file each, in the
 * folder OCL_ICD_VENDORS, OPENCL_VENDOR_PATH or /etc/OpenCL/vendors. */

/* Outcome of listing a driver's devices. */
enum driver_end {
    DRIVER_SOUND,
    DRIVER_CRASHED,    /* number: the signal */
    DRIVER_TIMED_OUT,  /* number: the seconds that it was given */
    DRIVER_WRONG_EXIT, /* number: the exit code */
    DRIVER_UNTESTED    /* no process could be started; treated as sound */
};

typedef struct driver_verdict {
    enum driver_end end;
    int number;
    int together; /* sound alone, not with the others */
} driver_verdict;

typedef struct driver {
    char *path; /* its .icd file */
    char *name; /* for messages: the path, and the library that the file names */
    driver_verdict verdict;
} driver;

typedef struct driver_list {
    driver *list; /* sorted by path */
    size_t count;
    int chosen; /* OCL_ICD_VENDORS names one driver, not a folder; path is that name */
} driver_list;

/* Returns 0 if there is no driver, or no memory. */
int driver_list_open(driver_list *out);
void driver_list_close(driver_list *d);

static inline int driver_is_excluded(const driver *d)
{
    return d->verdict.end != DRIVER_SOUND && d->verdict.end != DRIVER_UNTESTED;
}

/* Creates a folder with links to the .icd files of the drivers whose `wanted` is not 0. Returns its
 * path, malloc'ed, or NULL. */
char *driver_folder(const driver_list *d, const char *wanted);

/* Removes the folder with its links and frees the path. */
void driver_folder_remove(const driver_list *d, char *path);

/* ---- This program, started again to list the devices of some OpenCL drivers. */

#define DRIVER_SECONDS_WORD "IMPINGE_DRIVER_SECONDS"
#define DRIVER_SECONDS 8 /* used if that variable is not set */

/* The first argument of such a process; the second is its time limit in seconds. */
#define DRIVER_CHILD "--list-drivers"
int driver_child(int argc, char **argv);

/* Lists the drivers of `count` folders, all at the same time; NULL: those of the environment. All
 * processes have ended on return. */
void driver_test(char *const *folder, size_t count, driver_verdict *out);

/* Blocks signals that end the program, so that it can remove its test files, and restores them. A
 * pending signal makes driver_test end soon. */
void driver_block_signals(sigset_t *was);
void driver_restore_signals(const sigset_t *was);

#endif
