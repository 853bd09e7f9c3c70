/* The truth about the contacts of a step of simulated bodies (data/format.md, "Contacts of
 * simulated bodies"): is each row one, and does none lack? What bodies do at a contact is not
 * asked. */
#ifndef IMP_TRUTH_RIGID_H
#define IMP_TRUTH_RIGID_H

#include "rigid_step.h"

/* Adds to *out. Errors: MEMORY; DIFFERS, with a text that does not name the file. */
int truth_rigid_check(mem *m, const rigid_step *s, rigid_found *out);

#endif
