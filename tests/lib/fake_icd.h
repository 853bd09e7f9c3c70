/* Folders of .icd files for the OpenCL loader (OCL_ICD_VENDORS). */
#ifndef IMP_FAKE_ICD_H
#define IMP_FAKE_ICD_H

#include "fake_cl.h"

/* A folder with the driver of fake_cl.h alone; from now on the loader may read it. */
const char *fake_icd(void);

/* A folder that additionally contains everything that can be wrong in it. */
const char *fake_icd_hostile(void);

/* A folder of this name with one driver for each of these words, up to "", in this order: copies of
 * the library whose behaviour is given by the file name (fake_cl.h). */
const char *fake_icd_of(const char *name, const char *const *words);

/* The switches of the driver in this process, or NULL before the loader has loaded it. */
fake_cl *fake_icd_switches(void);

#endif
