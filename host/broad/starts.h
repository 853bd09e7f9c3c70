/* Where each bucket of a hash begins among the entries that are sorted by bucket. */
#ifndef IMP_STARTS_H
#define IMP_STARTS_H

#include "device.h"

/* start: [buckets + 1]. key: [entries] ascending by their low `bits`, which are the bucket. */
int bucket_starts(device *d, const buffer_u32 *key, uint64_t entries, uint32_t buckets,
                  uint32_t bits, buffer_u64 *start);

#endif
