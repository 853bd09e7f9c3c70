/* Size and hash of an input, to recognise it: of the file and of those behind it, as if they were
 * one. It is hashed in pieces, so that tasks which share an input can share this, too. */
#include "file_hash.h"

#include "error.h"
#include "h5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define BUFFER ((size_t)1 << 17)

/* ---- files */

/* For h5_files. */
static int add_file(void *to, const char *path)
{
    struct stat s;
    file_pieces *p = to;
    char **more = realloc(p->file, (p->files + 1) * sizeof *more);
    if (!more)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    p->file = more;
    p->file[p->files] = strdup(path);
    if (!p->file[p->files])
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    p->files++;
    if (!stat(path, &s))
        p->bytes += (uint64_t)s.st_size;
    return IMP_OK;
}

/* ---- pieces */

typedef struct hashing {
    XXH3_state_t *state;
    char *buffer;
    uint64_t at;        /* bytes before what comes next */
    uint64_t low, high; /* what is hashed */
    uint64_t done;      /* pieces */
    file_pieces *out;
} hashing;

static void end_piece(hashing *h)
{
    h->out->piece[h->done++] = XXH3_64bits_digest(h->state);
    XXH3_64bits_reset(h->state);
}

/* Up to the end of a piece, of what is hashed, of the file, or of the buffer. */
static uint64_t bytes_next(const hashing *h, uint64_t end)
{
    uint64_t n = FILE_PIECE - h->at % FILE_PIECE, to = end < h->high ? end : h->high;
    n = n < to - h->at ? n : to - h->at;
    return n < BUFFER ? n : BUFFER;
}

/* The part of [low, high) in this file, which begins at h->at; `end`: where it ends. */
static int hash_part(hashing *h, FILE *f, uint64_t end, const char *path)
{
    const uint64_t skip = h->low > h->at ? h->low - h->at : 0;
    if (fseeko(f, (off_t)skip, SEEK_SET))
        return imp_fail(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    for (h->at += skip; h->at < end && h->at < h->high;) {
        const uint64_t n = bytes_next(h, end);
        if (atomic_load(&h->out->stop))
            return imp_fail(IMP_ERR_CANCELLED, "cancelled");
        if (fread(h->buffer, 1, n, f) != n)
            return imp_fail(IMP_ERR_INPUT, "%s: cannot be read", path);
        XXH3_64bits_update(h->state, h->buffer, n);
        h->at += n;
        if (h->at % FILE_PIECE == 0 || h->at == h->out->bytes)
            end_piece(h);
    }
    return IMP_OK;
}

static int hash_file(hashing *h, const char *path)
{
    int err = IMP_OK;
    struct stat s;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &s))
        FAIL(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    const uint64_t end = h->at + (uint64_t)s.st_size;
    if (end > h->low && h->at < h->high)
        TRY(hash_part(h, f, end, path));
    h->at = end;
out:
    if (f)
        fclose(f);
    return err;
}

/* The pieces of a share follow those of the shares before. */
static int alloc_pieces(uint64_t share, uint64_t shares, file_pieces *out)
{
    const uint64_t all = out->bytes / FILE_PIECE + (out->bytes % FILE_PIECE != 0);
    const uint64_t each = all / shares, more = all % shares;
    out->first = each * share + (share < more ? share : more);
    const uint64_t count = each + (share < more);
    out->piece = malloc((count + 1) * sizeof *out->piece);
    out->count = count;
    return out->piece ? IMP_OK : imp_fail(IMP_ERR_MEMORY, "out of memory");
}

int file_pieces_open(const char *path, uint64_t share, uint64_t shares, file_pieces *out)
{
    int err = IMP_OK;
    *out = (file_pieces){0};
    TRY(h5_files(path, "/VTKHDF", add_file, out));
    TRY(alloc_pieces(share, shares, out));
out:
    if (err)
        file_pieces_free(out);
    return err;
}

int file_pieces_read(file_pieces *p)
{
    int err = IMP_OK;
    /* XXH3 needs a state that is aligned to 64 bytes, which createState allocates */
    hashing h = {.state = XXH3_createState(), .buffer = malloc(BUFFER), .out = p};
    if (!h.state || !h.buffer)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    h.low = p->first * FILE_PIECE;
    h.high = h.low + p->count * FILE_PIECE;
    XXH3_64bits_reset(h.state);
    for (size_t i = 0; i < p->files; i++)
        TRY(hash_file(&h, p->file[i]));
    if (h.done != p->count)
        FAIL(IMP_ERR_INPUT, "%s: was changed while it was read", p->file[0]);
out:
    /* both calls accept NULL */
    free(h.buffer);
    XXH3_freeState(h.state);
    return err;
}

int file_pieces_hash(const char *path, uint64_t share, uint64_t shares, file_pieces *out)
{
    int err = file_pieces_open(path, share, shares, out);
    if (err)
        return err;
    err = file_pieces_read(out);
    if (err)
        file_pieces_free(out);
    return err;
}

void file_pieces_free(file_pieces *p)
{
    for (size_t i = 0; i < p->files; i++)
        free(p->file[i]);
    free(p->file);
    free(p->piece);
    *p = (file_pieces){0};
}

uint64_t file_pieces_sum(const uint64_t *piece, uint64_t count)
{
    return XXH3_64bits(piece, count * sizeof *piece);
}

int file_hash(const char *path, uint64_t *bytes, uint64_t *hash)
{
    file_pieces p;
    int err = file_pieces_hash(path, 0, 1, &p);
    *bytes = p.bytes;
    *hash = err ? 0 : file_pieces_sum(p.piece, p.count);
    file_pieces_free(&p);
    return err;
}
