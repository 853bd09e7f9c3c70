/* Running `impinge convert`, and what is in the batch that it makes. */
#ifndef IMP_CONVERTED_H
#define IMP_CONVERTED_H

#include "program.h"
#include "testlib.h"

#define BATCH at("batch.vtkhdf")
#define BYTES(text) text, sizeof(text) - 1

void write_bytes(const char *path, const char *bytes, size_t n);

/* Runs convert with these arguments and --force; true if all went well. It must print nothing on
 * stderr, or that becomes *told, which the caller frees; with -q, which hides no warning, it may.
 */
int convert_files(const char *const *arguments, char **told);
#define CONVERTS(told, ...) convert_files((const char *const[]){__VA_ARGS__, NULL}, told)

/* It must end with 3 and these words, and leave nothing. */
void check_refused(const char *path, const char *word, const char *word2);

/* Of the batch at `path`. Texts are valid until the next call. */
const char *batch_first_x(const char *path); /* of each frame: "1 2 " */
const char *batch_times(const char *path);
size_t batch_topologies(const char *path);
const char *batch_name_in(const char *path, const char *list, size_t i);

/* How many contacts `run` finds in BATCH. */
long batch_contacts(void);

#endif
