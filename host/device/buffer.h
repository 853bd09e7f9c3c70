/* Memory of a device, as typed arrays: kernels have arguments of these types (launch.h). All counts
 * of the macros are items, not bytes. Buffers are zero at first. */
#ifndef IMP_BUFFER_H
#define IMP_BUFFER_H

#include <stddef.h>
#include <stdint.h>

typedef struct device device;

/* The common part of all types. */
typedef struct buffer {
    size_t bytes;    /* size in use */
    size_t capacity; /* bytes allocated; 0: none, or a view of other memory */
    void *data;      /* cpu */
    void *native;    /* cl_mem */
} buffer;

/* `item` is used only for its type. */
#define BUFFER_TYPE(name, type)                                                                    \
    typedef union buffer_##name {                                                                  \
        buffer raw;                                                                                \
        type *item;                                                                                \
    } buffer_##name;
BUFFER_TYPE(u8, uint8_t)
BUFFER_TYPE(u32, uint32_t)
BUFFER_TYPE(i32, int32_t)
BUFFER_TYPE(u64, uint64_t)
BUFFER_TYPE(f32, float)
BUFFER_TYPE(f64, double)
#undef BUFFER_TYPE

/* bytes of n items of *b; `from` unchanged, but checked to point to such items */
#define BUFFER_BYTES(b, n) ((size_t)(n) * sizeof *(b)->item)
#define BUFFER_ITEMS(b, from) (1 ? (from) : (b)->item)

/* Makes *b hold n items; its contents are lost. Small changes reuse the memory. */
#define buffer_fit(d, b, n) bytes_fit(d, &(b)->raw, BUFFER_BYTES(b, n))

/* The same, but keeps the first `keep` items. */
#define buffer_grow(d, b, keep, n)                                                                 \
    bytes_grow(d, &(b)->raw, BUFFER_BYTES(b, keep), BUFFER_BYTES(b, n))

#define buffer_free(d, b) bytes_free(d, &(b)->raw)

/* Makes *b a read-only view of the caller's n items if the device reads host memory, else a copy.
 * The items must stay valid until buffer_unwrap or buffer_free, which wait for kernels that read a
 * view. buffer_unwrap keeps a copy's memory for the next one, unless memory is short. */
#define buffer_wrap(d, b, from, n)                                                                 \
    bytes_wrap(d, &(b)->raw, BUFFER_ITEMS(b, from), BUFFER_BYTES(b, n))

#define buffer_unwrap(d, b) bytes_unwrap(d, &(b)->raw)

/* Writes or reads n items from number `first` on, from or to host memory. */
#define buffer_write(d, b, first, from, n)                                                         \
    bytes_write(d, &(b)->raw, BUFFER_BYTES(b, first), BUFFER_ITEMS(b, from), BUFFER_BYTES(b, n))
#define buffer_read(d, b, first, to, n)                                                            \
    bytes_read(d, &(b)->raw, BUFFER_BYTES(b, first), BUFFER_ITEMS(b, to), BUFFER_BYTES(b, n))

/* A range of host memory, at least one byte. */
typedef struct source {
    const void *at;
    size_t bytes;
} source;

size_t sources_bytes(const source *list, size_t n);
void sources_copy(const source *list, size_t n, void *to, int threads);

/* memcpy, by several threads where waking them takes less time than they save. */
void bytes_copy_shared(void *to, const void *from, size_t bytes, int threads);

/* Fits *b and writes the sources to it, one after another. */
int bytes_gather(device *d, buffer *b, const source *list, size_t n);

/* Fits *b for writes that overlap with queued work. Returns 0, with *b empty, if these are not
 * possible: they need a device without views, and spare memory. */
int bytes_prefetch_fit(device *d, buffer *b, size_t bytes);

/* Begins such a write. device_prefetch_done waits for all of them; call it before anything reads
 * *b. */
int bytes_prefetch(device *d, buffer *b, size_t offset, const source *list, size_t n);
int device_prefetch_done(device *d);

/* One of several reads with a single wait: lists are made with READOUT(b, first, to, n). */
typedef struct readout {
    const buffer *from;
    size_t offset, bytes;
    void *to;
} readout;

#define READOUT(b, first, to, n)                                                                   \
    {                                                                                              \
        &(b)->raw, BUFFER_BYTES(b, first), BUFFER_BYTES(b, n), BUFFER_ITEMS(b, to)                 \
    }

int device_read_all(device *d, const readout *list, size_t n);

/* Copies n items of one buffer to another of its type. */
#define buffer_copy(d, from, first, to, to_first, n)                                               \
    bytes_copy(d, &(from)->raw, BUFFER_BYTES(from, first), &(to)->raw, BUFFER_BYTES(to, to_first), \
               (size_t)(n) * sizeof *BUFFER_ITEMS(from, (to)->item))

/* Fits *b and writes n items. */
#define buffer_put(d, b, from, n) bytes_put(d, &(b)->raw, BUFFER_ITEMS(b, from), BUFFER_BYTES(b, n))

int bytes_fit(device *d, buffer *b, size_t bytes);
int bytes_grow(device *d, buffer *b, size_t keep, size_t bytes);
void bytes_free(device *d, buffer *b);
int bytes_wrap(device *d, buffer *b, const void *data, size_t bytes);
void bytes_unwrap(device *d, buffer *b);
int bytes_write(device *d, buffer *b, size_t offset, const void *data, size_t bytes);
int bytes_read(device *d, const buffer *b, size_t offset, void *data, size_t bytes);
int bytes_copy(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
               size_t bytes);
int bytes_put(device *d, buffer *b, const void *data, size_t bytes);

#endif
