/* The spatial hash kept from frame to frame (kernels/hash_moved.cl): tables of its own, made when
 * the first frame follows, of the bounds that are then there. */
#ifndef IMP_BROAD_HASH_MOVED_H
#define IMP_BROAD_HASH_MOVED_H

#include "queries.h"
#include "segments.h"

typedef struct hash_table {
    uint32_t buckets;
    uint64_t entries; /* 0: nothing is to be found in it */
    buffer_u32 key, value;
    buffer_u64 start; /* [buckets + 1] */
} hash_table;

/* By number: 2 stale + above. */
#define HASH_TABLES 4

typedef struct hash_moved {
    int ready; /* tables are of the frame before */
    hash_table table[HASH_TABLES];
    uint32_t levels; /* that there were when all was entered: bit by bit */
    uint64_t stales; /* primitives that were written since */
    const buffer_f32 *inv;
    buffer_u8 level, stale;           /* [prims] */
    buffer_u32 where, changed, fresh; /* of those that moved */
    buffer_u32 count, set;
    buffer_u64 offset;
    segments cut;
    sorter sort;
    const movers *moved; /* the caller's */
    int pass;            /* the table that is looked into */
    queries queries[HASH_TABLES];
} hash_moved;

/* start[buckets + 1]: where each bucket begins among sorted keys, whose low bits are buckets; in
 * launches whose items fit 32 bits: broad_hash.c. */
int hash_table_starts(device *d, const buffer_u32 *key, uint64_t entries, uint32_t buckets,
                      uint32_t bucket_bits, buffer_u64 *start);

/* As in broad_keeping. inv: the frame's cells per unit, one number. */
int hash_moved_leave(hash_moved *h, const broad_input *in, const buffer_f32 *inv,
                     const movers *moved, uint64_t *count);
int hash_moved_enter(hash_moved *h, const broad_input *in, imp_frame_info *info, uint64_t *written);
int hash_moved_next(hash_moved *h, const broad_input *in, uint64_t most, pairs *out);
int hash_moved_done(const hash_moved *h);
void hash_moved_free(hash_moved *h, device *d);

#endif
