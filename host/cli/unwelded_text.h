/* What is said of a mesh whose neighbours share no vertex (imp_is_unwelded). */
#ifndef IMP_UNWELDED_TEXT_H
#define IMP_UNWELDED_TEXT_H

#include <stdint.h>

/* Valid until the next call. noun: of its primitives, "triangle"; `where`: of which part of the
 * mesh they are, "" or " of its first slab". */
const char *unwelded_text(uint64_t primitives, const char *noun, const char *where,
                          double fraction);

#endif
