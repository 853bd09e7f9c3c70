/* What a result says of itself: its options, the names of its objects. */
#ifndef IMP_CHECK_ORIGIN_H
#define IMP_CHECK_ORIGIN_H

#include "work.h"

/* Would a run of this input write the options that job_parse_normal_form has read, to the letter,
 * and of a shard for these frames? `w` is open. IMP_ERR_DIFFERS if not, here and below. */
int check_provenance_options(const job *w, const char *path, const result_info *info);

/* Has it the names of the input's objects? NULL: it has none. */
int check_provenance_names(const batch_names *want, const char *path, const result_info *info);

#endif
