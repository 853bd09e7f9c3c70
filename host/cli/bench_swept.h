/* impinge bench --swept. */
#ifndef IMP_BENCH_SWEPT_H
#define IMP_BENCH_SWEPT_H

#include "summary.h"
#include "work.h"

/* Swept queries (imp_sweep) between all neighbouring frames of b, `reps` times; the figures go to
 * `to` as JSON, unless that is NULL, and to stdout if `text`. Errors: INPUT where the mesh changes,
 * those of imp_sweep. */
int bench_swept(work *w, imp *p, const batch_block *b, uint64_t reps, text_output *to, int text);

#endif
