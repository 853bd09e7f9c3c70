/* Memory under a limit: every buffer of a pipeline, on the host or a device, is counted here.
 * Threads may share it as long as the limit does not change. */
#ifndef IMP_MEM_H
#define IMP_MEM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Zero at first, except the limit. Set `caches` for repeated work: blocks then have some spare
 * capacity, which is counted, and mem_free caches a block for the next request of about that size.
 * So memory is requested from the system, and its pages are first touched, only while the work
 * grows. Neither makes a request fail: near the limit blocks have no spare capacity, and cached
 * ones are freed. */
typedef struct mem {
    uint64_t limit; /* bytes; 0: no limit */
    _Atomic uint64_t now, peak;
    int caches;
    atomic_int busy;               /* a thread uses the members below */
    struct mem_block *cached;      /* cached blocks, which are counted in `now` */
    _Atomic uint64_t cached_bytes; /* bytes of cached blocks */
    uint64_t epoch;
} mem;

/* Counts `bytes` that the caller allocates elsewhere. IMP_ERR_MEMORY if the limit forbids it. */
int mem_reserve(mem *m, uint64_t bytes);
void mem_release(mem *m, uint64_t bytes);

/* Counts the greater of `most` and `bytes` that the limit allows. Returns that size, or 0 with the
 * error's text. */
size_t mem_reserve_most(mem *m, size_t bytes, size_t most);

/* bytes that the limit still allows */
uint64_t mem_left(const mem *m);

/* 64-byte aligned host memory, not initialised, at *out (any pointer type); large blocks begin on
 * huge pages and ask for them. 0 bytes give a valid pointer. On failure *out is NULL. */
int mem_alloc(mem *m, size_t bytes, void *out);
void mem_free(mem *m, void *p);

/* Memory for the caller of a library, which no limit counts and free() frees; as aligned as that of
 * mem_alloc. NULL: there is none. */
void *mem_uncounted(size_t bytes);

/* mem_alloc of up to `most` bytes, if `caches` is set and the limit allows it; mem_capacity returns
 * the size. */
int mem_alloc_spare(mem *m, size_t bytes, size_t most, void *out);
size_t mem_capacity(const void *p);

/* mem_free without caching the block, for a size that is not needed again. */
void mem_drop(mem *m, void *p);

/* Like mem_alloc for a growing array: keeps the first `keep` bytes. On failure *inout is as it
 * was. */
int mem_grow(mem *m, size_t keep, size_t bytes, void *inout);

/* Grows an array of elements of `size` bytes, of which `count` are in use, so that one more fits.
 */
int mem_fit(mem *m, size_t count, size_t *capacity, size_t size, void *inout);

/* Ends an epoch, one of many equal pieces of work: frees cached blocks that were not used in the
 * last two. mem_close frees all cached blocks. */
void mem_end_epoch(mem *m);
void mem_close(mem *m);

/* A size slightly larger than `bytes`, so that slightly different requests have the same size. */
size_t mem_spare_size(size_t bytes);

/* Physical memory of the machine, bytes. */
uint64_t mem_machine(void);

/* ---- The division of memory: names all shares and sizes of `--mem-limit` and imp_def.mem_limit.
 * Reading and writing have priority, the pipeline has the rest.
 *
 * A SHARE of n is one n-th; all others are bytes, unless another unit is given. Sizes are those of
 * arrays that exist at the same time. The number of candidates of a frame is not known in advance:
 * the pipeline's sizes are typical, and if a frame needs more its block is repeated in parts. */

#define BUDGET_MACHINE_SHARE 2 /* the default limit, of the machine's memory */
#define BUDGET_SPARE_SHARE 16  /* unused memory that may stay allocated, of the free memory */

/* ---- reading: the frames that are in memory at a time */

#define BUDGET_READ_SHARE 8                    /* frames read ahead, at most, of the limit */
#define BUDGET_AHEAD_MOST ((uint64_t)64 << 20) /* frames read ahead, if two blocks are less */
#define BUDGET_VERTEX_F32 12                   /* a vertex of a frame */
#define BUDGET_VERTEX_F64 24
#define BUDGET_FRAME 256         /* other data of a frame */
#define BUDGET_CORNER 4          /* each corner of a primitive */
#define BUDGET_OWN 1             /* its number of corners, if that is not known in advance */
#define BUDGET_MESH_PRIM 8       /* its object, and that object in the list */
#define BUDGET_MESH 256          /* other data of a topology */
#define BUDGET_LAST_PRIM (4 + 8) /* the topology read last: objects, and these while they */
                                 /* are listed */
#define BUDGET_CONNECT_VERTEX 8  /* while bodies are found by shared vertices */
#define BUDGET_PIECES ((uint64_t)1 << 20) /* pieces of a file that is read into a topology */
/* Decoded chunks of a compressed dataset: this number of bytes, or two rows of chunks; one chunk if
 * that is more than a SHARE of the remaining memory. */
#define BUDGET_CHUNKS_LEAST ((uint64_t)1 << 20)
#define BUDGET_CHUNKS_SHARE 8

#define BUDGET_UNIT_SHARE 3             /* slabs in memory, at most, if two fit, of the limit */
#define BUDGET_UNIT_SPARE_SHARE 8       /* growth of a slab in later frames, of the slab */
#define BUDGET_CUT ((uint64_t)12 << 20) /* while a frame is cut: a sample, and levels */

/* ---- writing: queued contacts, and the writer of a result */

#define BUDGET_WAIT_SHARE 16 /* contacts queued for writing, of the limit */
#define BUDGET_WAIT_LEAST ((uint64_t)1 << 16)
#define BUDGET_WAIT_MOST ((uint64_t)128 << 20) /* the contacts of a block, mostly */
#define BUDGET_WRITE_SHARE 16                  /* rows buffered by the writer, of the limit */
#define BUDGET_WRITE_LEAST ((uint64_t)1 << 18) /* its most is RESULT_BYTES (store.h) */
#define BUDGET_SUMS_SHARE 32                   /* pairs of objects for --json, of the limit */

/* ---- the pipeline: blocks of frames */

#define BUDGET_BLOCK_PRIMS (UINT64_C(1) << 21) /* primitives: enough to fill a device */
#define BUDGET_BLOCK_GPU (UINT64_C(1) << 22)   /* the same for a GPU */
#define BUDGET_BLOCK_THREAD (1 << 15)          /* per host thread: their data stay in caches */
#define BUDGET_BLOCK_TREES (1 << 16)           /* per host thread, for trees */
#define BUDGET_BLOCK_SHARE 2    /* a block without candidates, of the pipeline's memory */
#define BUDGET_BLOCK_FRAME 4096 /* per frame: boxes, levels, small arrays */
#define BUDGET_BLOCK_VERTEX 48  /* the point as given, viewed or copied; scaled */
#define BUDGET_BLOCK_PRIM 320   /* corners, bounds, tables, a few candidates */
/* Additional bytes for a step: a vertex at both instants as given, scaled, and in ccd rows; bounds
 * of a primitive over both, and its representative features. */
#define BUDGET_STEP_VERTEX 160
#define BUDGET_STEP_SPAN 64 /* GPUs: the vertex's swept bounds */
#define BUDGET_STEP_PRIM 440

/* A device with memory of its own, if the SPARE share allows it: pieces of pinned memory for its
 * own copies, at most twice. */
#define BUDGET_PINNED_PIECE ((uint64_t)1 << 20)
#define BUDGET_PINNED_PIECES 8
#define BUDGET_READBACK 64 /* per contact, on the device during its readback */

/* ---- the pipeline: candidates and contacts, in the memory that the block leaves */

#define BUDGET_PIECE_SHARE 3    /* candidates at a time; narrow uses the rest */
#define BUDGET_CANDIDATE 24     /* the pair, its verdict, the pair once more */
#define BUDGET_MASK_SHARE 4     /* masks of some candidates' feature pairs */
#define BUDGET_MASK 16          /* per candidate, with its part of counts */
#define BUDGET_FEATURES_SHARE 3 /* feature pairs at a time */
#define BUDGET_FEATURE 24       /* its number three times, its verdict, the pair and its code */
#define BUDGET_FEATURE_PAIRS_SHARE 8 /* feature pairs that are decided exactly at a time */
#define BUDGET_FEATURE_PAIR 512  /* its numbers twice, its features, and impacts of primitives */
#define BUDGET_IMPACT 192        /* other data of a step's impact until it is a row */
#define BUDGET_IMPACTS_SHARE 256 /* least impacts to cut, of the limit: fewer free little */
#define BUDGET_COPY_SHARE 4      /* triangles copied in sorted order (rtree) */
#define BUDGET_VISITORS_SHARE 4  /* entries of primitives in tiles of larger ones (tiles) */
#define BUDGET_ROWS_SHARE 4      /* rows before the sink, and the points of more pairs */

#endif
