/* Within work.h: what its files ask of each other. */
#ifndef IMP_WORK_PARTS_H
#define IMP_WORK_PARTS_H

#include "work.h"

/* Words of options, which the normal form keeps in results: they stay what they are. */
#define PAIRS_CHOICES "all|self|between"
#define ADJACENT_CHOICES "skip|test"
#define STAGE_CHOICES "contacts|candidates"
#define ON_BAD_CHOICES "error|skip"
/* in the order of enum imp_volume, imp_build and imp_descent */
#define VOLUME_CHOICES "dop|sphere|obb|hybrid"
#define BUILD_CHOICES "top-down|bottom-up"
#define DESCENT_CHOICES "environment-first|simultaneous"
#define UPDATE_CHOICES "auto|rebuild|keep" /* work.c makes these enum imp_update */

/* work_options.c: what the table does not check by itself. IMP_ERR_ARGUMENT names an option whose
 * value is none, or that does not go with another. */
int work_check(const work *w);

/* The options of trees. */
void work_tree(const work *w, imp_def *def);

/* work_memory.c: what reading and the sums may take before the rest is known. */
void work_limits(work *w);

#endif
