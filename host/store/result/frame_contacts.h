/* The contacts of a frame of a result as those of the library, for contours and regions
 * (../../contours, ../../regions). */
#ifndef IMP_FRAME_CONTACTS_H
#define IMP_FRAME_CONTACTS_H

#include "mem.h"
#include "store.h"

/* All zero at first, except the members before `block`. */
typedef struct frame_contacts {
    mem *mem;
    batch *in;
    const char *path;  /* of the file that is made of the result, for messages */
    batch_block block; /* the frame read last */
    uint64_t held;     /* its number */
    uint32_t *a, *b;   /* [capacity] indices of its mesh */
    size_t capacity;
} frame_contacts;

/* The columns that the rows must have. */
column_set frame_contacts_columns(void);

/* Makes *out of the rows of a frame of the input, which is in `block`. Errors: INPUT (a row has a
 * primitive that the frame lacks, or is damaged), MEMORY. */
int frame_contacts_make(frame_contacts *c, const batch_block *block, uint64_t frame,
                        const result_rows *rows, imp_contacts *out);

/* Reads frame k of a result with EndFeatures, and its frame of the input into c->block: its mesh,
 * and the points if `points`, or if contacts overlap in a plane. Frames without contacts are not
 * read. Errors: those of reading, INPUT, MEMORY. */
int frame_contacts_read(frame_contacts *c, result_reader *r, uint64_t k, int points,
                        imp_contacts *out);
void frame_contacts_free(frame_contacts *c);

#endif
