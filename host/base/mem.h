/* Memory under a limit: every buffer of a pipeline, on the host or a device, is counted here.
 * Threads may share it while the limit stays as it is. */
#ifndef IMP_MEM_H
#define IMP_MEM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* All zero except the limit at first. Set `keeps` where the same work comes again and again: then
 * blocks have some spare capacity, which is counted, and mem_free keeps a block for the next
 * request of about that size. So memory comes from the system, and its pages are touched for the
 * first time, only while the work grows. Neither makes anything fail: near the limit blocks have no
 * spare capacity, and those that are kept are given back. */
typedef struct mem {
    uint64_t limit; /* 0: none */
    _Atomic uint64_t now, peak;
    int caches;
    atomic_int busy;               /* a thread reads or changes what follows */
    struct mem_block *cached;      /* not in use, counted in `now` */
    _Atomic uint64_t cached_bytes; /* bytes */
    uint64_t epoch;
} mem;

/* Counts `bytes` that the caller allocates elsewhere. IMP_ERR_MEMORY if the limit forbids it. */
int mem_reserve(mem *m, uint64_t bytes);
void mem_release(mem *m, uint64_t bytes);

/* Counts the greater of two sizes that the limit allows: `most`, or `bytes` as mem_reserve does.
 * Returns which, or 0 with the error's text. */
size_t mem_reserve_most(mem *m, size_t bytes, size_t most);

/* bytes that the limit still allows */
uint64_t mem_left(const mem *m);

/* 64-byte aligned host memory, not initialised, at *out (any pointer type); large blocks begin on
 * huge pages and ask for them. 0 bytes give a valid pointer. On failure *out is NULL. */
int mem_alloc(mem *m, size_t bytes, void *out);
void mem_free(mem *m, void *p);

/* mem_alloc of up to `most` bytes, if it keeps and the limit allows it; mem_capacity is how many
 * there are. */
int mem_alloc_spare(mem *m, size_t bytes, size_t most, void *out);
size_t mem_capacity(const void *p);

/* mem_free of what is not needed again: nothing is kept. */
void mem_drop(mem *m, void *p);

/* Like mem_alloc for a growing array: keeps the first `keep` bytes. On failure *inout is as it
 * was. */
int mem_grow(mem *m, size_t keep, size_t bytes, void *inout);

/* Grows an array of elements of `size` bytes, of which `count` are in use, so that one more fits.
 */
int mem_fit(mem *m, size_t count, size_t *capacity, size_t size, void *inout);

/* One of many equal pieces of work is done: gives back what was not used in the last two. mem_close
 * gives back all that is kept. */
void mem_end_epoch(mem *m);
void mem_close(mem *m);

/* A little more than this number of bytes, so that pieces that differ a little ask for the same. */
size_t mem_spare_size(size_t bytes);

/* Physical memory of the machine, bytes. */
uint64_t mem_machine(void);

/* ---- How memory is divided: every share and every size of `--mem-limit` and imp_def.mem_limit has
 * its name here. Reading and writing get what they need first, the pipeline has the rest.
 *
 * A SHARE of n is one n-th; all others are bytes, unless they say what. Sizes are those of the
 * arrays that exist at a time. The number of candidates of a frame is not known before: the
 * pipeline's sizes are what scenes take, and where a frame takes more its block is repeated in
 * parts. */

#define BUDGET_MACHINE_SHARE 2 /* of the machine's memory, where no limit is set */
#define BUDGET_SPARE_SHARE 16  /* of the memory that is left: what stays though it is not needed */

/* ---- reading: the frames that are in memory at a time */

#define BUDGET_READ_SHARE 8                    /* of the limit, at most: frames read ahead */
#define BUDGET_AHEAD_MOST ((uint64_t)64 << 20) /* of frames, if two blocks are less */
#define BUDGET_VERTEX_F32 12                   /* a vertex of a frame */
#define BUDGET_VERTEX_F64 24
#define BUDGET_FRAME 256                  /* what is known of a frame besides */
#define BUDGET_CORNER 4                   /* each corner of a primitive */
#define BUDGET_OWN 1                      /* how many it has, where that is not known before */
#define BUDGET_MESH_PRIM 8                /* its object, that object in the list */
#define BUDGET_MESH 256                   /* what is known of a topology besides */
#define BUDGET_LAST_PRIM (4 + 8)          /* of the topology read last: objects; these while they */
                                          /* are listed */
#define BUDGET_CONNECT_VERTEX 8           /* while bodies are found by shared vertices */
#define BUDGET_PIECES ((uint64_t)1 << 20) /* of a file, on their way into a topology */
/* Decoded chunks of a compressed dataset: this number of bytes, if it has them, or two rows of
 * chunks; one chunk where that is more than a SHARE of the remaining memory. */
#define BUDGET_CHUNKS_LEAST ((uint64_t)1 << 20)
#define BUDGET_CHUNKS_SHARE 8

#define BUDGET_UNIT_SHARE 3             /* of the limit, at most: slabs in memory, if two fit */
#define BUDGET_UNIT_SPARE_SHARE 8       /* of a slab: how much larger those of later frames are */
#define BUDGET_CUT ((uint64_t)12 << 20) /* while a frame is cut: a sample, and levels */

/* ---- writing: contacts that wait, and the writer of a result */

#define BUDGET_WAIT_SHARE 16 /* of the limit: contacts that wait to be written */
#define BUDGET_WAIT_LEAST ((uint64_t)1 << 16)
#define BUDGET_WAIT_MOST ((uint64_t)128 << 20) /* the contacts of a block, mostly */
#define BUDGET_WRITE_SHARE 16                  /* of the limit: rows kept back by the writer */
#define BUDGET_WRITE_LEAST ((uint64_t)1 << 18) /* its most is RESULT_BYTES (store.h) */
#define BUDGET_SUMS_SHARE 32                   /* of the limit: pairs of objects, for --json */

/* ---- the pipeline: blocks of frames */

#define BUDGET_BLOCK_PRIMS (UINT64_C(1) << 21) /* primitives: enough to fill a device */
#define BUDGET_BLOCK_GPU (UINT64_C(1) << 22)   /* the same of a GPU */
#define BUDGET_BLOCK_THREAD (1 << 15)          /* of the host: what they become stays in caches */
#define BUDGET_BLOCK_TREES (1 << 16)           /* of the host, by trees */
#define BUDGET_BLOCK_SHARE 2                   /* of its memory: a block, without candidates */
#define BUDGET_BLOCK_FRAME 4096                /* of a frame: boxes, levels, small arrays */
#define BUDGET_BLOCK_VERTEX 48                 /* as given, by view or copy; scaled */
#define BUDGET_BLOCK_PRIM 320                  /* corners, bounds, tables, a few candidates */
/* Of a step besides: a vertex at both instants as it was given, scaled, and in a row; bounds of a
 * primitive over both, and what it owns. */
#define BUDGET_STEP_VERTEX 160
#define BUDGET_STEP_SPAN 64 /* of a GPU: what the vertex reaches between them */
#define BUDGET_STEP_PRIM 440

/* Of a device with memory of its own, where that is not more than what may stay: pieces of memory
 * that it copies from and to by itself, twice at most. */
#define BUDGET_PINNED_PIECE ((uint64_t)1 << 20)
#define BUDGET_PINNED_PIECES 8
#define BUDGET_READBACK 64 /* of a contact, on the device, while it comes from there */

/* ---- the pipeline: candidates and contacts, of what the block leaves */

#define BUDGET_PIECE_SHARE 3    /* candidates at a time; narrow takes the rest */
#define BUDGET_CANDIDATE 24     /* the pair, its verdict, the pair once more */
#define BUDGET_MASK_SHARE 4     /* masks of pairs of features, of some candidates */
#define BUDGET_MASK 16          /* of a candidate, with its part of counts */
#define BUDGET_FEATURES_SHARE 3 /* pairs of features at a time */
#define BUDGET_FEATURE 24       /* its number three times, its verdict, the pair and its code */
#define BUDGET_FEATURE_PAIRS_SHARE 8 /* pairs of features that are decided exactly at a time */
#define BUDGET_FEATURE_PAIR 512 /* its numbers twice, its features, and impacts of primitives */
#define BUDGET_IMPACT 192 /* what an impact of a step takes besides itself until it is a row */
#define BUDGET_IMPACTS_SHARE 256 /* of the limit: fewer impacts free little when a step is cut */
#define BUDGET_COPY_SHARE 4      /* triangles copied in sorted order (rtree) */
#define BUDGET_VISITORS_SHARE 4  /* entries of primitives in tiles of larger ones (tiles) */
#define BUDGET_ROWS_SHARE 4 /* contacts on their way to the sink, and the points of more pairs */

#endif
