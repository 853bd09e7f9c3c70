/* Contacts counted by kind, by pair of objects, and the frames that have any. */
#ifndef IMP_TALLY_H
#define IMP_TALLY_H

#include "json.h"
#include "mem.h"
#include "store.h"

#define TALLY_KINDS 5

/* Contacts between two objects, or within one: a <= b. */
typedef struct tally_pair {
    int32_t a, b;
    uint64_t contacts;
} tally_pair;

/* All zero at first, but for mem. */
typedef struct tally {
    mem *mem;
    uint64_t kind[TALLY_KINDS]; /* by enum imp_kind */
    tally_pair *slot;           /* [slots] hash table; contacts = 0: free */
    size_t slots, pairs;        /* slots is a power of two */
} tally;

/* What enum imp_kind is called in documents. */
extern const char *const tally_kind_name[TALLY_KINDS];

/* Contacts of one frame with this mesh. IMP_ERR_MEMORY. */
int tally_add(tally *t, const imp_contacts *c, const imp_mesh *mesh);

/* The same from a file. */
int tally_add_rows(tally *t, const result_rows *rows);

/* Sorts the pairs by a, b: t->slot[0 .. t->pairs - 1]. Nothing can be added after that. */
void tally_sort(tally *t);

/* The members `kinds` and, if `objects`, `object_pairs` of a document, after tally_sort. `names`
 * may be NULL. */
void tally_json(json *j, const tally *t, int objects);
void tally_free(tally *t);

#endif
