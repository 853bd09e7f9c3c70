/* Size and hash of an input, to recognise it: of the file and of those behind it. */
#include "error.h"
#include "h5.h"
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define PIECE ((size_t)1 << 17)

typedef struct hashing {
    XXH3_state_t *state;
    char *piece;
    uint64_t bytes;
} hashing;

/* For h5_files: hashes all files as if they were one. */
static int hash_file(void *to, const char *path)
{
    int err = IMP_OK;
    hashing *h = to;
    FILE *f = fopen(path, "rb");
    if (!f)
        FAIL(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    for (size_t n; (n = fread(h->piece, 1, PIECE, f)) > 0; h->bytes += n)
        XXH3_64bits_update(h->state, h->piece, n);
    if (ferror(f))
        FAIL(IMP_ERR_INPUT, "%s: cannot be read", path);
out:
    if (f)
        fclose(f);
    return err;
}

/* A file that cannot be read has no size; reading it will report why. */
static int add_bytes(void *to, const char *path)
{
    struct stat s;
    uint64_t *bytes = to;
    if (!stat(path, &s))
        *bytes += (uint64_t)s.st_size;
    return IMP_OK;
}

/* Only asks for sizes: `info` calls it, and must not read an input of many gigabytes. */
int file_bytes(const char *path, uint64_t *bytes)
{
    *bytes = 0;
    return h5_files(path, "/VTKHDF", add_bytes, bytes);
}

int file_hash(const char *path, uint64_t *bytes, uint64_t *hash)
{
    int err = IMP_OK;
    /* XXH3 needs a state that is aligned to 64 bytes, which createState allocates */
    hashing h = {XXH3_createState(), malloc(PIECE), 0};
    *bytes = *hash = 0;
    if (!h.state || !h.piece)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    XXH3_64bits_reset(h.state);
    TRY(h5_files(path, "/VTKHDF", hash_file, &h));
    *bytes = h.bytes;
    *hash = XXH3_64bits_digest(h.state);
out:
    /* both calls accept NULL */
    free(h.piece);
    XXH3_freeState(h.state);
    return err;
}
