/* What tests with a faulty OpenCL driver (fake_cl.c) share. */
#ifndef IMP_OPENCL_DRIVER_H
#define IMP_OPENCL_DRIVER_H

#include "fake_icd.h"
#include "made.h"
#include "testlib.h"

/* The switches of the driver (fake_cl.h). */
extern fake_cl *fake;

/* Resets the driver to its initial state, with nothing left from the previous test. */
void driver_fresh(void);

/* Lines of a log, of which the first is kept. */
typedef struct driver_log {
    int lines;
    char first[1200];
} driver_log;

void driver_log_first(void *user, const char *line);

/* two frames of triangles, many of which meet */
void driver_scene(made *m, uint32_t triangles);

/* The host's contacts of the scene. */
void driver_host_contacts(const made *m, contact_list *out);

/* The main function of a test with this driver, in a list of drivers that has everything that
 * can be wrong in it. */
int driver_main(int argc, char **argv, const char *name, const test *tests);

#endif
