/* See starts.h. */
#include "starts.h"

#include "error.h"
#include "launch.h"

/* A launch counts its items in 32 bits; entries may be more. */
int bucket_starts(device *d, const buffer_u32 *key, uint64_t entries, uint32_t buckets,
                  uint32_t bits, buffer_u64 *start)
{
    int err = IMP_OK;
    const uint64_t most = UINT64_C(1) << 31;
    TRY(buffer_fit(d, start, (size_t)buckets + 1));
    for (uint64_t e = 0; e <= entries; e += most) {
        uint64_t n = entries + 1 - e < most ? entries + 1 - e : most;
        TRY(RUN(d, hash_starts, n, entries, e, buckets, bits, key, start));
    }
out:
    return err;
}
