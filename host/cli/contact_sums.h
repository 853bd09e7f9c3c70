/* Contacts counted by kind and by pair of objects, for JSON documents. */
#ifndef IMP_CONTACT_SUMS_H
#define IMP_CONTACT_SUMS_H

#include "json.h"
#include "store.h"
#include "store_names.h"

#define CONTACT_KINDS 6 /* of enum imp_kind */
extern const char *const contact_kind_name[CONTACT_KINDS];

/* All zero at first, except pairs.mem. */
typedef struct contact_sums {
    uint64_t kind[CONTACT_KINDS];
    tally pairs;  /* of objects, the lower number first */
    int too_many; /* pairs for the memory limit: they are left out */
} contact_sums;

/* Contacts of one frame with this mesh, or of one frame of a file. */
void contact_sums_add(contact_sums *s, const imp_contacts *c, const imp_mesh *mesh);
void contact_sums_add_rows(contact_sums *s, const result_rows *rows);

/* The members `kinds` and `object_pairs` of a document; the pairs after tally_merge, with names of
 * objects. */
void json_kinds(json *j, const uint64_t kind[CONTACT_KINDS]);
void json_object_pairs(json *j, const tally *pairs, const batch_names *names);

#endif
