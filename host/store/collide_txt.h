/* collide.txt: the contacts of a result, one line each. They are read in chunks, so memory does not
 * grow with what a frame has. */
#ifndef IMP_COLLIDE_TXT_H
#define IMP_COLLIDE_TXT_H

#include "output.h"
#include "store.h"

/* Writes all frames of a result. On failure, and after a signal, nothing of a file stays. */
int collide_txt_write(result_reader *r, text_output *to);

#endif
