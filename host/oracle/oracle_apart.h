/* Are two primitives apart at first sight? Most are, and what else tells it costs a hundred times
 * as much. */
#ifndef IMP_ORACLE_APART_H
#define IMP_ORACLE_APART_H

#include "oracle_solid.h"

/* Does the plane of a face part them? `within`: their interiors, which may touch. 0: it is not
 * known. */
int oracle_apart(const solid_case *c, int within);

#endif
