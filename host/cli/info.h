/* Within `impinge info`: info.c (the verb, results, unwelded meshes) and info_batch.c (batches). */
#ifndef IMP_INFO_H
#define IMP_INFO_H

#include "store.h"
#include "object_names.h"
#include "summary.h"

typedef struct info_options {
    const char *json, *frames; /* NULL if not given */
    int force;
    outputs files;
    text_output to; /* the text of --json */
} info_options;

/* Most bytes read from a file without --frames. */
#define INFO_BYTES ((uint64_t)1 << 30)

/* Most rows of text about objects. */
#define INFO_ROWS 10

int info_batch(mem *m, const char *path, info_options *o);
int info_result(mem *m, const char *path, info_options *o);

/* Writes the remark on neighbours in a frame that share no vertex; "" if there is nothing to
 * remark. Does not read a frame that is large or that run refuses. */
int info_unwelded(mem *m, const char *path, uint64_t frame, char *text, size_t size);

/* Claims the file of --json. Called after the inputs are claimed. */
int info_claim(info_options *o);

#endif
