/* Within `impinge info`: info.c (the verb), info_batch.c, info.c, info.c. */
#ifndef IMP_INFO_H
#define IMP_INFO_H

#include "store.h"
#include "object_names.h"
#include "summary.h"

typedef struct info_options {
    const char *json, *frames; /* NULL: not given */
    int force;
    outputs files;
    text_output to; /* of --json */
} info_options;

/* The most that is read of a file without --frames. */
#define INFO_BYTES ((uint64_t)1 << 30)

/* Most rows of text about objects. */
#define INFO_ROWS 10

int info_batch(mem *m, const char *path, info_options *o);
int info_result(mem *m, const char *path, info_options *o);

/* What is to be said of neighbours in a frame that share no vertex; "": nothing. A frame that is
 * large or that run refuses is not read. */
int info_unwelded(mem *m, const char *path, uint64_t frame, char *text, size_t size);

/* Claims the file of --json, after the files that are read. */
int info_claim(info_options *o);

/* "3 (cloth)", or "3" without a name; the last few stay valid. */
const char *info_object(const batch_names *names, int32_t object);

#endif
