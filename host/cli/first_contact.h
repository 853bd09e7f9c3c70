/* The first contact of each pair of objects, with --continuous: in any order of contacts the one of
 * the earliest step, and there of the least toi. */
#ifndef IMP_FIRST_CONTACT_H
#define IMP_FIRST_CONTACT_H

#include "json.h"
#include "mem.h"

#include <stddef.h>

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

#endif
