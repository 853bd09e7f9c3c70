/* An object in texts for people. */
#ifndef IMP_OBJECT_TEXT_H
#define IMP_OBJECT_TEXT_H

#include "object_names.h"

#include <stdint.h>

/* Its number, and its name if it has one. Valid for a few calls, like cli_shown. */
const char *object_text(const batch_names *names, int32_t object);

#endif
