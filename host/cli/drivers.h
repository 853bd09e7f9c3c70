/* OpenCL drivers that misbehave. The loader loads all drivers of a machine into the process that
 * lists them, and one that crashes or hangs there takes the program with it; several that are
 * sound alone may crash together, such as two with an LLVM each. So before OpenCL starts in the
 * program, drivers are listed by other processes, each of which is this program again: one for each
 * driver, then one for all that are sound. What crashes, does not answer in time or ends with
 * another code is left out: the loader gets a folder of the others (OCL_ICD_VENDORS).
 *
 * The answers are remembered in the cache folder, for as long as the drivers' files and the loader
 * are the same (driver_list.h). Runs that start no OpenCL ask nothing. Only listing is asked:
 * kernels are compiled, and tested, in the program itself. */
#ifndef IMP_DRIVERS_H
#define IMP_DRIVERS_H

#include <stddef.h>

/* From now on drivers are asked before OpenCL starts. Each one that is left out is said in one
 * line, on stderr. Before any pipeline. */
void drivers_guard(void);

/* To whom these lines go instead: NULL: to nobody. */
typedef void drivers_say(void *user, const char *line);
void drivers_tell(drivers_say *say, void *user);

/* What is remembered is asked again. */
void drivers_forget(void);

/* The drivers that are left out, once OpenCL has started: file and library, and the reason. Returns
 * 0 past the last. Valid until the next call. */
int drivers_left_at(size_t i, const char **name, const char **reason);

#endif
