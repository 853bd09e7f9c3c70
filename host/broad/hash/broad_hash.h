/* Private to the spatial hash: broad_hash.c (build, pairs), broad_hash_moved.c (incremental
 * update). */
#ifndef IMP_BROAD_HASH_H
#define IMP_BROAD_HASH_H

#include "broad.h"
#include "parallel.h"

/* State of incremental updates (kernels/hash_moved.cl): chains of the table's entries, which are
 * then slots of a pool. */
typedef struct hash_update {
    int chained;                   /* chains exist; else entries are in the order of the sort */
    uint32_t slots;                /* size of the chains' pool */
    uint32_t levels;               /* bit mask of the table's levels */
    buffer_u32 first, room, live;  /* [buckets] */
    buffer_u32 where;              /* [4 * dirty primitives] cells before the move */
    buffer_u32 count;              /* number of queries and changes */
    buffer_u32 order, prim, stamp; /* [changes] */
    buffer_u32 key, need, written;
    buffer_u64 offset;
    sorter sort;
    const dirty_set *dirty; /* the caller's; valid while its pairs are found */
    queries queries;
    strips strips; /* strips of dirty primitives */
} hash_update;

/* How pairs are found. */
typedef struct hash_mode {
    int by_strip; /* by strip, along chains */
    int visits;   /* entries of visitors give the pairs of two levels, too */
    int looks;    /* primitives search levels from `above` levels over their own on */
    uint32_t above;
    int by_entry;  /* on GPUs: hash_entries_group finds the pairs of one level */
    int several;   /* some frame has primitives on several levels */
    int updatable; /* entries have all bits that hash_moved.cl needs */
} hash_mode;

/* The cells covered by each primitive. */
typedef struct hash_cells {
    buffer_f32 inv;    /* cells per unit: cell.h, hash.cl */
    buffer_u8 level;   /* level of each primitive */
    buffer_u32 levels; /* bit mask of each frame's levels */
    buffer_u32 count;  /* number of cells of each primitive */
    buffer_u64 offset;
    buffer_u32 visit_count; /* number of its cells as a visitor of coarser levels */
    buffer_u64 visit_offset;
} hash_cells;

/* The arrays that searches use besides the entries. */
typedef struct hash_index {
    buffer_u64 start; /* [buckets + 1] first entry of each bucket; see started */
    int started;
    buffer_u64 rough; /* rounded bounds of each entry: hash_search.cl */
} hash_index;

typedef struct hash {
    hash_mode mode;
    hash_cells cells;
    queries queries;
    strips strips;
    buffer_u32 bucket0;
    uint32_t buckets;
    uint64_t entries, visitors;      /* entries on their own levels, and visitors after them */
    uint32_t prim_bits, bucket_bits; /* bits of an entry: hash.h */
    buffer_u32 key, value;           /* [entries + visitors] */
    buffer_u64 entry0;               /* [frames + 1] first entry of each frame */
    buffer_u32 group0;               /* [frames + 1] first group of each frame */
    hash_index index;
    scanner scan;
    sorter sort;
    segments segments;
    hash_update update;
} hash;

/* Makes all entries, sorted by bucket. Errors: MEMORY, DEVICE. */
int hash_table_make(hash *h, const broad_input *in);

/* Makes h->look.start unless it exists. */
int hash_table_starts(hash *h, device *d);

extern const broad_incremental hash_incremental;
void hash_update_free(hash_update *m, const context *c);

#endif
