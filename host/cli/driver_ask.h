/* This program, started again to list the devices of some OpenCL drivers. */
#ifndef IMP_DRIVER_ASK_H
#define IMP_DRIVER_ASK_H

#include "driver_list.h"

#include <signal.h>

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
