/* The hash of an input: of a file, and of those that its datasets take rows from. Functions return
 * 0 or IMP_ERR_. */
#ifndef IMP_FILE_HASH_H
#define IMP_FILE_HASH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* An input in pieces of so many bytes, the last one shorter: the file, then the files that its
 * datasets take rows from (data/format.md), as if they were one. */
#define FILE_PIECE ((uint64_t)16 << 20)

/* XXH3 hashes of pieces, those of one of several tasks that share an input. */
typedef struct file_pieces {
    uint64_t bytes;        /* of the whole input */
    uint64_t first, count; /* of the pieces here */
    uint64_t *piece;       /* [count] */
    char **file;           /* [files] of the input */
    size_t files;
    atomic_int stop; /* another thread may set it: reading ends with IMP_ERR_CANCELLED */
} file_pieces;

/* Finds the files, and chooses the pieces of share `share` of `shares`. */
int file_pieces_open(const char *path, uint64_t share, uint64_t shares, file_pieces *out);

/* Reads these pieces, no other bytes. Does not use HDF5, so that another thread may. */
int file_pieces_read(file_pieces *p);

/* Both of them. */
int file_pieces_hash(const char *path, uint64_t share, uint64_t shares, file_pieces *out);
void file_pieces_free(file_pieces *p);

/* The hash of some pieces: of an input that of all of them, in order. */
uint64_t file_pieces_sum(const uint64_t *piece, uint64_t count);

/* Size and hash of a whole input. */
int file_hash(const char *path, uint64_t *bytes, uint64_t *hash);

#endif
