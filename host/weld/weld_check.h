/* What a caller hands over is checked before its use. */
#ifndef IMP_WELD_CHECK_H
#define IMP_WELD_CHECK_H

#include "impinge.h"

#include <stddef.h>

/* IMP_ERR_ARGUMENT for frames that cannot be welded. */
int weld_check(const imp_frame *frames, size_t count);

#endif
