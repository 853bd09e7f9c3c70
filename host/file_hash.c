/* Size and hash of a file, to know an input again. */
#include "error.h"
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define PIECE ((size_t)1 << 20)

int file_hash(const char *path, uint64_t *bytes, uint64_t *hash)
{
    int err = IMP_OK;
    XXH3_state_t *state = XXH3_createState();
    char *piece = malloc(PIECE);
    FILE *f = fopen(path, "rb");
    *bytes = *hash = 0;
    if (!f)
        FAIL(IMP_ERR_INPUT, "%s: %s", path, strerror(errno));
    if (!state || !piece)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    XXH3_64bits_reset(state);
    for (size_t n; (n = fread(piece, 1, PIECE, f)) > 0; *bytes += n)
        XXH3_64bits_update(state, piece, n);
    if (ferror(f))
        FAIL(IMP_ERR_INPUT, "%s: cannot be read", path);
    *hash = XXH3_64bits_digest(state);
out:
    if (f)
        fclose(f);
    free(piece);
    XXH3_freeState(state);
    return err;
}
