/* HDF5 helpers: how many decoded chunks HDF5 keeps of a dataset.
 *
 * A row of a chunk that went through a filter (deflate, shuffle, ...) cannot be read by itself:
 * HDF5 decodes the whole chunk, and keeps it if its cache for the dataset is large enough. The
 * default is 1 MiB, so a larger chunk would be decoded again for every frame in it. The handle that
 * opens a dataset first decides the size of the cache; later handles share it. */
#include "h5_data.h"

#include "budget.h"
#include "error.h"

/* Bytes of chunks that reading a dataset needs. */
typedef struct chunk_need {
    uint64_t one;  /* a chunk: HDF5 needs at least that */
    uint64_t wish; /* what decodes each chunk once */
} chunk_need;

static uint64_t h5_chunks_product(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Two chunks along the rows, since frames seldom end where chunks do; each with its neighbours that
 * hold the other columns. */
static chunk_need need_of(const h5_data *d, const hsize_t chunk[2])
{
    uint64_t one = h5_chunks_product(h5_chunks_product(chunk[0], chunk[1]), d->size);
    uint64_t band = h5_chunks_product(one, divide_up(d->columns, chunk[1]));
    uint64_t all = h5_chunks_product(band, divide_up(d->rows, chunk[0]));
    uint64_t wish = h5_chunks_product(2, band) > BUDGET_CHUNKS_LEAST ? h5_chunks_product(2, band)
                                                                     : BUDGET_CHUNKS_LEAST;
    return all < one ? (chunk_need){0} : (chunk_need){one, all < wish ? all : wish};
}

/* Does HDF5 decode its chunks? HDF5 reads single rows of other chunks from where they are in the
 * file. */
static int is_decoded(hid_t made, hsize_t chunk[2])
{
    chunk[0] = chunk[1] = 1;
    return H5Pget_layout(made) == H5D_CHUNKED && H5Pget_nfilters(made) > 0 &&
           H5Pget_chunk(made, 2, chunk) > 0;
}

/* Is this a small part of the remaining memory? Other datasets and later steps need memory as well.
 */
static int is_modest(const h5_chunks *c, uint64_t bytes)
{
    return bytes <= mem_left(c->mem) / BUDGET_CHUNKS_SHARE;
}

/* Makes *c so large that it holds what is needed. */
static int chunks_grow(const h5_data *d, chunk_need need, h5_chunks *c)
{
    uint64_t want = need.wish;
    if (want > c->bytes && !is_modest(c, want - c->bytes))
        want = need.one;
    if (want <= c->bytes)
        return IMP_OK;
    int err = mem_reserve(c->mem, want - c->bytes);
    if (err)
        return h5_fail(err, d->path, d->name,
                       "its chunks are compressed, so each is read as a whole, of %llu bytes: %s",
                       (unsigned long long)need.one, imp_error_text());
    c->bytes = want;
    return IMP_OK;
}

/* Preemption 0: the chunk that was used least recently goes first. With 1 HDF5 would keep every
 * chunk that is not read to its end, without a limit. */
static int open_again(hid_t group, const char *name, size_t bytes, h5_data *d)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, bytes, 0);
    H5Dclose(d->id); /* before: while it is open its cache stays as it is */
    d->id = H5Dopen2(group, name, access);
    H5Pclose(access);
    return d->id < 0 ? h5_fail(IMP_ERR_INPUT, d->path, d->name, "cannot be opened") : IMP_OK;
}

int h5_chunks_open(hid_t group, const char *name, hid_t made, h5_chunks *c, h5_data *d)
{
    int err = IMP_OK;
    hsize_t chunk[2];
    if (!is_decoded(made, chunk))
        return IMP_OK;
    chunk_need need = need_of(d, chunk);
    if (c->mem)
        TRY(chunks_grow(d, need, c));
    TRY(open_again(group, name, (size_t)(need.wish < c->bytes ? need.wish : c->bytes), d));
out:
    return err;
}

/* HDF5 frees chunks when the last handle is closed. Returns 0 where it keeps them: the dataset has
 * no name to open it by. */
static int cache_drop(h5_data *d)
{
    char name[1024];
    ssize_t n = H5Iget_name(d->id, name, sizeof name);
    if (n <= 0 || (size_t)n >= sizeof name)
        return 0;
    hid_t file = H5Iget_file_id(d->id);
    open_again(file, name, 0, d);
    H5Fclose(file);
    return 1;
}

void h5_data_rest(h5_data *d)
{
    if (!d->chunks.bytes)
        return;
    if (d->behind)
        h5_virtual_rest(d->behind);
    else if (!cache_drop(d))
        return;
    if (d->chunks.mem)
        mem_release(d->chunks.mem, d->chunks.bytes);
    d->chunks.bytes = 0;
}
