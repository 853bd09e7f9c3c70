/* The files that a command writes. None of them may be a file that it reads or writes elsewhere, by
 * device and inode; nothing that exists is replaced without --force; and all of them are proven
 * writable before the work begins.
 *
 * A regular file appears under its name when it is complete. Anything else that text is sent to (a
 * terminal, a FIFO, /dev/stdout) is written through and stays what it is. */
#ifndef IMP_OUTPUT_H
#define IMP_OUTPUT_H

#include "place.h"

#include <stddef.h>
#include <stdio.h>

/* What a command reads and writes so far. All zero at first. */
typedef struct outputs {
    struct output_claim *claim;
    size_t count, capacity;
    const char *on_stdout; /* the option whose text goes there, or NULL */
} outputs;

void outputs_free(outputs *o);

/* `path` is read: what is claimed from now on must be another file. A name that does not exist or
 * is not a file is not recorded. Errors: MEMORY. */
int outputs_reads(outputs *o, const char *path);

/* The same of an HDF5 file and of all files that its datasets take rows from. Errors: also INPUT.
 */
int outputs_reads_hdf5(outputs *o, const char *path);

/* `option` will write an HDF5 file, which grows beside it (store_poly.h). `path` must be a regular
 * file or not exist. Errors: ARGUMENT (it is something else, or read or written by this command),
 * FILE (its folder is not there), MEMORY. */
int outputs_grows(outputs *o, const char *option, const char *path);

/* A text, or a complete HDF5 file, that a command writes besides. */
typedef struct text_output {
    char *name, *path; /* as it was given; the end of its links, NULL for a stream */
    char *absolute;    /* the same from the root, NULL for a stream */
    char *part;        /* while it is open: what becomes `path` (output_part.h) */
    int replace;       /* what has that name may go */
    int descriptor;    /* of a stream that is open anyway, or -1 */
    int lock;          /* keeps the part locked while it is open, or -1 */
    FILE *file;
} text_output;

/* `option` will write a text to `path`, "-" being standard output. Unless `force` it must not exist
 * as a regular file or a block device. Nothing is changed here, only tested. Errors: ARGUMENT,
 * EXISTS, FILE, DISK, MEMORY. */
int outputs_text(outputs *o, const char *option, const char *path, int force, text_output *out);

/* The same for an HDF5 file that is made after the work; `path` is a regular file or none. */
int outputs_hdf5(outputs *o, const char *option, const char *path, int force, text_output *out);

/* The same of --json[=FILE]: "" is standard output, NULL asks for nothing. */
int outputs_json(outputs *o, const char *file, int force, text_output *out);

/* Opens it: out->file. text_output_end closes it; if err is 0 the file gets its name, otherwise
 * nothing of it stays. It returns err, or how writing failed. Both may be done once. */
int text_output_begin(text_output *out);

/* In place of text_output_begin for outputs_hdf5: out->part is the name to make the file under. */
int text_output_path(text_output *out);
int text_output_end(text_output *out, int err);
void text_output_free(text_output *out);

#endif
