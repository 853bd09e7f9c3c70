/* Files that a command writes, and names of files: outputs, their temporary names, identities,
 * signatures, endings. */
#ifndef IMP_OUTPUT_FILE_H
#define IMP_OUTPUT_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- The temporary names of texts while they are written. They are specific to impinge, so that
 * files left by a killed process can be told from others' files, and the next process removes
 * them. */

/* Creates a temporary file for the output `path`, which messages call `name`; returns its name,
 * which the caller frees, and a descriptor that must stay open while it is written. Removes earlier
 * ones that no process writes any more. Errors: FILE, DISK, MEMORY. */
int output_part_make(const char *path, const char *name, char **part, int *descriptor);

/* Removes the temporary files of `path` that no process writes any more. */
void output_part_remove_stale(const char *path);

/* ---- Identity of the file that a name refers to: through links, and before the file exists. */

/* A file by device and inode; a file that does not exist by those of its folder, and its name
 * there. */
typedef struct file_identity {
    dev_t device;
    ino_t inode;
    char *name; /* NULL if the file exists */
} file_identity;

/* Returns the end of the chain of symbolic links that begins at `path`, whether it exists or not;
 * `path` itself if it is no link. The caller frees it. Errors: FILE (circular links), MEMORY. */
int file_path_target(const char *path, char **out);

/* Returns the absolute name of the end of that chain; the caller frees it. The same errors. */
int file_path_absolute(const char *path, char **out);

/* Returns the name of `to` relative to the folder of `from`; the last parts of both need not exist
 * and are not followed. The caller frees it. A link with this name in the file `from` stays valid
 * if both files are moved together. Errors: FILE (a folder does not exist), MEMORY. */
int file_path_relative(const char *from, const char *to, char **out);

/* Finds the identity of a name; its folder must exist. Errors: FILE, MEMORY. */
int file_identity_find(const char *path, file_identity *out);
void file_identity_free(file_identity *p);

int file_identity_same(const file_identity *a, const file_identity *b);

/* ---- The files that a command writes. None of them may be a file that it reads or writes
 * elsewhere, compared by device and inode; no existing file is replaced without --force; and all of
 * them are proven writable before the work begins.
 *
 * A regular file appears under its name when it is complete. Other destinations of text (a
 * terminal, a FIFO, /dev/stdout) are written directly and stay as they are. */

/* The files that a command has claimed for reading and writing so far. All zero at first. */
typedef struct outputs {
    struct output_claim *claim;
    size_t count, capacity;
    const char *on_stdout; /* the option that writes to standard output, or NULL */
} outputs;

void outputs_free(outputs *o);

/* Claims `path` for reading: files claimed from now on must differ from it. A name that does not
 * exist or is not a file is ignored. Errors: MEMORY. */
int outputs_reads(outputs *o, const char *path);

/* Does the same for an HDF5 file and all files that its datasets take rows from. Errors: also
 * INPUT. */
int outputs_reads_hdf5(outputs *o, const char *path);

/* Claims an HDF5 file that `option` writes and that grows beside its final name (vtkhdf_writer.h).
 * `path` must be a regular file or not exist. Errors: ARGUMENT (it is something else, or read or
 * written by this command), FILE (its folder does not exist), MEMORY. */
int outputs_grows(outputs *o, const char *option, const char *path);

/* A text, or a complete HDF5 file, that a command writes as a further output. */
typedef struct text_output {
    char *name, *path; /* name as given; path at the end of its links, NULL for a stream */
    char *absolute;    /* path as an absolute name, NULL for a stream */
    char *part;        /* temporary name while open (output_file.h) */
    int replace;       /* an existing file of that name may be replaced */
    int descriptor;    /* an already open stream's, or -1 */
    int lock;          /* keeps the part locked while it is open, or -1 */
    FILE *file;
} text_output;

/* Claims `path` for a text that `option` writes; "-" is standard output. Unless `force`, it must
 * not exist as a regular file or a block device. Only tests, and changes nothing. Errors: ARGUMENT,
 * EXISTS, FILE, DISK, MEMORY. */
int outputs_text(outputs *o, const char *option, const char *path, int force, text_output *out);

/* Does the same for an HDF5 file that is written after the work; `path` is a regular file or does
 * not exist. */
int outputs_hdf5(outputs *o, const char *option, const char *path, int force, text_output *out);

/* Does the same for --json[=FILE]: "" is standard output, NULL claims nothing. */
int outputs_json(outputs *o, const char *file, int force, text_output *out);

/* Opens out->file. text_output_end closes it; if err is 0 the file gets its name, otherwise it is
 * removed. It returns err, or the error of writing. Each may be called once. */
int text_output_begin(text_output *out);

/* Replaces text_output_begin for outputs_hdf5: the caller creates the file under the name
 * out->part. */
int text_output_path(text_output *out);
int text_output_end(text_output *out, int err);
void text_output_free(text_output *out);

/* ---- The ending of an output's name: an ending of another kind of file is a mistake. */

enum ending { ENDING_HDF5, ENDING_CSV, ENDING_TEXT, ENDING_JSON, ENDING_OTHER };

/* Checks the ending of `path`, to which `option` writes a file of kind `is`. ARGUMENT if the ending
 * is that of another kind; the text names the option that writes that kind. Unknown endings are
 * allowed, and .txt for any text. */
int ending_check(const char *option, const char *path, enum ending is);

/* ---- Detection of inputs that change while they are read: HDF5 would read zeros in place of
 * truncated data. */

/* The state, at one moment, of a file and all files that it takes rows from. All zero at first. */
typedef struct file_signatures {
    struct file_signature *signature;
    size_t count, capacity;
} file_signatures;

/* Errors: INPUT, MEMORY. */
int file_signatures_read(const char *path, file_signatures *out);

/* Returns IMP_ERR_INPUT, naming the first file that has changed. */
int file_signatures_check(const file_signatures *s);
void file_signatures_free(file_signatures *s);

#endif
