/* What a run sums up of its contacts: counts of kinds and of pairs of objects, and the first
 * contact of each pair of objects. */
#ifndef IMP_CONTACT_SUMS_H
#define IMP_CONTACT_SUMS_H

#include "json.h"
#include "mem.h"
#include "object_names.h"
#include "store.h"

#include <stddef.h>

/* ---- The first contact of each pair of objects, with --continuous: in any order of contacts the
 * one of the earliest step, and there of the least toi. */

typedef struct first_contact {
    int32_t a, b; /* objects, the lower number first */
    int known;
    uint64_t step, frame; /* of the result; of the input: where the step begins */
    double toi, time;
} first_contact;

/* All zero at first, except mem. */
typedef struct first_contacts {
    mem *mem;
    size_t count, capacity;
    first_contact *at; /* a hash table of `capacity` entries */
} first_contacts;

/* Takes the contact if it is earlier than the one that is known of its pair. IMP_ERR_MEMORY. */
int first_contacts_add(first_contacts *t, const first_contact *c);

/* That of a pair, or NULL. */
const first_contact *first_contacts_find(const first_contacts *t, int32_t a, int32_t b);
void first_contacts_free(first_contacts *t);

/* Members of an open object: nothing for NULL. */
void first_contact_json(json *j, const first_contact *c);

/* ---- Contacts counted by kind and by pair of objects, for JSON documents. */

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
