/* Runs `impinge convert`, and reads the batch that it makes. */
#ifndef IMP_CONVERTED_H
#define IMP_CONVERTED_H

#include "program.h"
#include "testlib.h"

#define BATCH at("batch.vtkhdf")
#define BYTES(text) text, sizeof(text) - 1

void write_bytes(const char *path, const char *bytes, size_t n);

/* Runs convert with these arguments and --force; true on success. It must print nothing on stderr,
 * unless `told` is given: this becomes the output and is freed by the caller; with -q, which hides
 * no warning, output is allowed. */
int convert_files(const char *const *arguments, char **told);
#define CONVERTS(told, ...) convert_files((const char *const[]){__VA_ARGS__, NULL}, told)

/* convert must end with code 3 and these words, and leave no file. */
void check_refused(const char *path, const char *word, const char *word2);

/* Contents of the batch at `path`. Texts are valid until the next call. */
const char *batch_first_x(const char *path); /* for each frame: "1 2 " */
const char *batch_times(const char *path);
size_t batch_topologies(const char *path);
const char *batch_name_in(const char *path, const char *list, size_t i);

/* Number of contacts that `run` finds in BATCH. */
long batch_contacts(void);

#endif
