/* The OpenCL drivers of this machine, as the loader finds them: one .icd file each, in the folder
 * OCL_ICD_VENDORS, OPENCL_VENDOR_PATH or /etc/OpenCL/vendors. */
#ifndef IMP_DRIVER_LIST_H
#define IMP_DRIVER_LIST_H

#include <stddef.h>

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

#endif
