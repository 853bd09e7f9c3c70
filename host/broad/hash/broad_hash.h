/* Within the spatial hash: broad_hash.c (build, pairs), broad_hash_moved.c (kept from frame to
 * frame). */
#ifndef IMP_BROAD_HASH_H
#define IMP_BROAD_HASH_H

#include "broad.h"
#include "parallel.h"

/* What is kept from frame to frame (kernels/hash_moved.cl): chains of the table's entries, which
 * are then slots of a pool. */
typedef struct hash_update {
    int chained;                   /* chains are there; else entries are as they were sorted */
    uint32_t slots;                /* of the pool that chains have */
    uint32_t levels;               /* that the table has, bit by bit */
    buffer_u32 first, room, live;  /* [buckets] */
    buffer_u32 where;              /* [4 * dirty primitives] cells before the frame */
    buffer_u32 count;              /* of queries and changes */
    buffer_u32 order, prim, stamp; /* [changes] */
    buffer_u32 key, need, written;
    buffer_u64 offset;
    sorter sort;
    const dirty_set *dirty; /* the caller's, while pairs of these are found */
    queries queries;
    strips strips; /* of dirty primitives */
} hash_update;

/* The way pairs are found. */
typedef struct hash_mode {
    int by_strip; /* finds pairs along chains */
    int visits;   /* pairs of two levels, too */
    int looks;    /* primitives search levels from `above` their own on */
    uint32_t above;
    int by_entry;  /* on GPUs: pairs of one level by hash_entries_group */
    int several;   /* some frame has primitives of several levels */
    int updatable; /* entries have all bits that hash_moved.cl needs */
} hash_mode;

/* The cells of primitives. */
typedef struct hash_cells {
    buffer_f32 inv;    /* cell.h, hash.cl */
    buffer_u8 level;   /* of each primitive */
    buffer_u32 levels; /* levels of each frame, bit by bit */
    buffer_u32 count;  /* cells of each primitive */
    buffer_u64 offset;
    buffer_u32 visit_count; /* the same as a visitor of coarser levels */
    buffer_u64 visit_offset;
} hash_cells;

/* What searches need beside the entries. */
typedef struct hash_index {
    buffer_u64 start; /* [buckets + 1] first entry of each bucket, if it is there */
    int started;
    buffer_u64 rough; /* of each entry: hash_search.cl */
} hash_index;

typedef struct hash {
    hash_mode mode;
    hash_cells cells;
    queries queries;
    strips strips;
    buffer_u32 bucket0;
    uint32_t buckets;
    uint64_t entries, visitors;      /* on their own levels, and those that follow them */
    uint32_t prim_bits, bucket_bits; /* of an entry: hash.h */
    buffer_u32 key, value;           /* of each entry */
    buffer_u64 entry0;               /* [frames + 1] first of each frame */
    buffer_u32 group0;               /* [frames + 1] the same, of groups */
    hash_index index;
    scanner scan;
    sorter sort;
    segments segments;
    hash_update update;
} hash;

/* All entries, sorted by bucket. Errors: MEMORY, DEVICE. */
int hash_table_make(hash *h, const broad_input *in);

/* h->look.start, if it is not there yet. */
int hash_table_starts(hash *h, device *d);

extern const broad_incremental hash_incremental;
void hash_update_free(hash_update *m, const context *c);

#endif
