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

#endif
