/* The input of a result: where it is, and whether it is still the one that the result was made
 * from. */
#ifndef IMP_RESULT_INPUT_H
#define IMP_RESULT_INPUT_H

#include "store.h"

/* Finds the input of the result `path`: `given` if not NULL; else the path in the result, or a file
 * of that name beside the result. The caller frees *out. Errors: INPUT (there is no such file),
 * MEMORY. */
int result_input_find(const char *path, const result_info *info, const char *given, char **out);

/* Returns whether pieces that were read, of a shard its share of them, are those that the result
 * was made from. */
int result_input_same(const result_info *info, const file_pieces *pieces);

#endif
