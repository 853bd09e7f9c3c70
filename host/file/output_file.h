/* Files that a command writes, and files that a name means: outputs, their names while they are
 * written, identities, signatures, endings. */
#ifndef IMP_OUTPUT_FILE_H
#define IMP_OUTPUT_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- The names that texts have while they are written. They are impinge's own, so that what a
 * killed process leaves can be told from files of others, and the next one removes it. */

/* Makes a new file for what becomes `path`, which messages call `name`: its name, which the caller
 * frees, and a descriptor that must stay open while it is written. Removes those that no process
 * writes any more. Errors: FILE, DISK, MEMORY. */
int output_part_make(const char *path, const char *name, char **part, int *descriptor);

/* Removes those of `path` that no process writes any more. */
void output_part_remove_stale(const char *path);

/* ---- Which file a name means: through links, and before the file exists. */

/* A file by device and inode; one that does not exist by those of its folder and its name there. */
typedef struct file_identity {
    dev_t device;
    ino_t inode;
    char *name; /* NULL: the file exists */
} file_identity;

/* The end of the chain of symbolic links that begins at `path`, whether it exists or not; `path`
 * itself if that is no link. free() it. Errors: FILE (links in a circle), MEMORY. */
int file_path_target(const char *path, char **out);

/* The absolute name of the end of that chain; free() it. The same errors. */
int file_path_absolute(const char *path, char **out);

/* The name of `to` as seen from the folder of `from`, whose last parts need not exist and are not
 * followed; free() it. A link to it in the file `from` stays right where both are moved together.
 * Errors: FILE (a folder is not there), MEMORY. */
int file_path_relative(const char *from, const char *to, char **out);

/* The place of a name; its folder must exist. Errors: FILE, MEMORY. */
int file_identity_find(const char *path, file_identity *out);
void file_identity_free(file_identity *p);

int file_identity_same(const file_identity *a, const file_identity *b);

/* ---- The files that a command writes. None of them may be a file that it reads or writes
 * elsewhere, by device and inode; nothing that exists is replaced without --force; and all of them
 * are proven writable before the work begins.
 *
 * A regular file appears under its name when it is complete. Anything else that text is sent to (a
 * terminal, a FIFO, /dev/stdout) is written through and stays what it is. */

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

/* `option` will write an HDF5 file, which grows beside it (vtkhdf_writer.h). `path` must be a
 * regular file or not exist. Errors: ARGUMENT (it is something else, or read or written by this
 * command), FILE (its folder is not there), MEMORY. */
int outputs_grows(outputs *o, const char *option, const char *path);

/* A text, or a complete HDF5 file, that a command writes besides. */
typedef struct text_output {
    char *name, *path; /* as it was given; the end of its links, NULL for a stream */
    char *absolute;    /* the same from the root, NULL for a stream */
    char *part;        /* while it is open: what becomes `path` (output_file.h) */
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

/* ---- The ending of an output's name: one that belongs to another kind of file is a mistake. */

enum ending { ENDING_HDF5, ENDING_CSV, ENDING_TEXT, ENDING_JSON, ENDING_OTHER };

/* What `option` writes to `path` is `is`. ARGUMENT if the ending is that of another kind of file;
 * the text says what writes that. Endings that are not known are allowed, and .txt for any text. */
int ending_check(const char *option, const char *path, enum ending is);

/* ---- Has an input been changed while it was read? HDF5 would give zeros for what was cut off. */

/* How a file, and all files that it takes rows from, were at a moment. All zero at first. */
typedef struct file_signatures {
    struct file_signature *signature;
    size_t count, capacity;
} file_signatures;

/* Errors: INPUT, MEMORY. */
int file_signatures_read(const char *path, file_signatures *out);

/* IMP_ERR_INPUT names the first one that is not as it was. */
int file_signatures_check(const file_signatures *s);
void file_signatures_free(file_signatures *s);

#endif
