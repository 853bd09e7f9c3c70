/* OpenCL drivers that misbehave. The loader loads all drivers of a machine into the process that
 * lists them, and one that crashes or hangs there takes the program with it; several that are
 * sound alone may crash together, such as two with an LLVM each. So before OpenCL starts in the
 * program, another process, which is this program again, lists them all. Only where it crashes,
 * does not answer in time or ends with another code, further ones find out which driver it is: one
 * for each driver, then those that are sound, one more at a time. The others are left out: the
 * loader gets a folder of those that are sound together (OCL_ICD_VENDORS).
 *
 * Runs that start no OpenCL ask nothing. Only listing is asked: kernels are compiled, and tested,
 * in the program itself. */
#ifndef IMP_DRIVERS_H
#define IMP_DRIVERS_H

#include <signal.h>
#include <stddef.h>

/* From now on drivers are asked before OpenCL starts. Each one that is left out is said in one
 * line, on stderr. Before any pipeline. */
void drivers_guard(void);

/* To whom these lines go instead: NULL: to nobody. */
typedef void drivers_log_line(void *user, const char *line);
void drivers_set_log(drivers_log_line *say, void *user);

/* The drivers that are left out, once OpenCL has started: file and library, and the reason. Returns
 * 0 past the last. Valid until the next call. */
int drivers_excluded_at(size_t i, const char **name, const char **reason);

/* ---- The OpenCL drivers of this machine, as the loader finds them: one .icd file each, in the
 * folder OCL_ICD_VENDORS, OPENCL_VENDOR_PATH or /etc/OpenCL/vendors. */

/* What listing its devices ended with. */
enum driver_end {
    DRIVER_SOUND,
    DRIVER_CRASHED,    /* number: of the signal */
    DRIVER_TIMED_OUT,  /* the seconds that it had */
    DRIVER_WRONG_EXIT, /* the exit code */
    DRIVER_UNTESTED    /* no process could be started: taken for sound */
};

typedef struct driver_verdict {
    enum driver_end end;
    int number;
    int together; /* alone it was sound */
} driver_verdict;

typedef struct driver {
    char *path; /* of its .icd file */
    char *name; /* for messages: this, and the library that the file names */
    driver_verdict verdict;
} driver;

typedef struct driver_list {
    driver *list; /* by path */
    size_t count;
    int chosen; /* OCL_ICD_VENDORS is no folder: it names one driver, which the loader knows how
                   to find; its path is that name */
} driver_list;

/* 0: no driver, or no memory. */
int driver_list_open(driver_list *out);
void driver_list_close(driver_list *d);

static inline int driver_is_excluded(const driver *d)
{
    return d->verdict.end != DRIVER_SOUND && d->verdict.end != DRIVER_UNTESTED;
}

/* A fresh folder with links to the .icd files of those drivers for which `wanted` is not 0: its
 * path, malloc'ed, or NULL. */
char *driver_folder(const driver_list *d, const char *wanted);

/* Removes it with its links; frees the path. */
void driver_folder_remove(const driver_list *d, char *path);

/* ---- This program, started again to list the devices of some OpenCL drivers. */

#define DRIVER_SECONDS_WORD "IMPINGE_DRIVER_SECONDS"
#define DRIVER_SECONDS 8 /* without that variable */

/* The first argument of such a process; the second are its seconds. */
#define DRIVER_CHILD "--list-drivers"
int driver_child(int argc, char **argv);

/* Lists the drivers of `count` folders, all at the same time; NULL: those of the environment. Every
 * process has ended when it returns. */
void driver_test(char *const *folder, size_t count, driver_verdict *out);

/* Signals that end the program wait between these two, so that it removes what it made for asking;
 * driver_test ends soon when one comes. */
void driver_block_signals(sigset_t *was);
void driver_restore_signals(const sigset_t *was);

#endif
