/* collide.txt: the contacts of a result, one line each. */
#ifndef IMP_COLLIDE_TXT_H
#define IMP_COLLIDE_TXT_H

#include "store.h"

/* Writes all frames of a result to path.part, then renames it to path. */
int collide_txt_write(mem *m, const char *result_path, const char *path);

#endif
