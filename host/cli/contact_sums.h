/* Contacts counted by kind and by pair of objects, for JSON documents. */
#ifndef IMP_CONTACT_SUMS_H
#define IMP_CONTACT_SUMS_H

#include "first_contact.h"
#include "json.h"
#include "store.h"
#include "store_names.h"

/* enum imp_kind, and the same with IMP_KIND_AT_START. Numbers that are no kind have no name. */
#define CONTACT_KINDS (IMP_KIND_AT_START + IMP_KIND_SOLIDS + 1)
extern const char *const contact_kind_name[CONTACT_KINDS];

/* All zero at first, except pairs.mem and firsts.mem. */
typedef struct contact_sums {
    uint64_t kind[CONTACT_KINDS];
    tally pairs;           /* of objects, the lower number first */
    first_contacts firsts; /* of these pairs, with --continuous */
    int too_many;          /* pairs for the memory limit: they are left out */
} contact_sums;

/* Contacts of one step, which is number k of the result; or of one of a file. */
void contact_sums_add(contact_sums *s, const imp_contacts *c, uint64_t k, const result_step *of);
void contact_sums_add_rows(contact_sums *s, const result_rows *rows, uint64_t k, uint64_t frame);
void contact_sums_free(contact_sums *s);

/* The members `kinds` and `object_pairs` of a document; the pairs after tally_merge, with names of
 * objects. continuous: also kinds of contacts between frames. */
void contact_sums_json_kinds(json *j, const uint64_t kind[CONTACT_KINDS], int continuous);
void contact_sums_json_pairs(json *j, const tally *pairs, const first_contacts *firsts,
                             const batch_names *names);

#endif
