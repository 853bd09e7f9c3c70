/* Trees of bounding volumes of all kinds, which must give the contacts of all pairs. */
#ifndef IMP_VARIANTS_H
#define IMP_VARIANTS_H

#include "made.h"
#include "ways.h"

typedef struct variant {
    int volume, dop, build, descent, degree, leaf;
    int level; /* tree_def.hybrid_level */
} variant;

#define VARIANTS 22
extern const variant variants[VARIANTS];

imp_def variant_def(const variant *v);

/* Contacts of a scene; *told: the profile, if not NULL. */
void variant_detect(const way *w, const imp_def *def, const made *m, contact_list *out,
                    imp_profile *told);

/* Contacts must be those of all pairs; candidates must be a subset of theirs, or all if volumes are
 * k-DOPs, and include all contacts. which: enum imp_pairs. */
void variant_check(const way *w, const variant *v, const made *m, int which);

#endif
