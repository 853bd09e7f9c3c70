/* Folders of .icd files for the OpenCL loader (OCL_ICD_VENDORS). */
#ifndef IMP_FAKE_ICD_H
#define IMP_FAKE_ICD_H

#include "fake_cl.h"

/* One that leads to the driver of fake_cl.h alone; the loader may read it from now on. */
const char *fake_icd(void);

/* One with everything beside it that can be wrong with such a folder. */
const char *fake_icd_hostile(void);

/* A folder of this name with a driver for each of these words, up to "": copies of the library,
 * named by them, which they behave by (fake_cl.h), in this order. */
const char *fake_icd_of(const char *name, const char *const *words);

/* The switches of the driver in this process, once the loader has it; NULL before. */
fake_cl *fake_icd_switches(void);

#endif
