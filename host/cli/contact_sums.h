/* Sums over the contacts of a run: counts by kind and by pair of objects, and the first contact of
 * each pair of objects. */
#ifndef IMP_CONTACT_SUMS_H
#define IMP_CONTACT_SUMS_H

#include "json.h"
#include "mem.h"
#include "object_names.h"
#include "store.h"

#include <stddef.h>

/* ---- The first contact of each pair of objects, with --continuous: the one of the earliest step
 * and, in that step, of the least toi. With --distance: the row of the least distance and, of
 * those, of the earliest frame. Contacts may be added in any order. */

typedef struct first_contact {
    int32_t a, b; /* objects, the lower number first */
    int known;
    int near;             /* it has a distance, not a time */
    uint64_t step, frame; /* step in the result; the input frame at which it begins */
    double toi, time;
    double distance;    /* 0 with --continuous */
    int thick;          /* with --thickness: */
    double penetration; /* the greatest of all contacts of the pair */
} first_contact;

/* All zero at first, except mem. */
typedef struct first_contacts {
    mem *mem;
    size_t count, capacity;
    first_contact *at; /* hash table of `capacity` entries */
} first_contacts;

/* Keeps the contact if it is earlier than the known one of its pair. IMP_ERR_MEMORY. */
int first_contacts_add(first_contacts *t, const first_contact *c);

/* Returns the first contact of a pair, or NULL. */
const first_contact *first_contacts_find(const first_contacts *t, int32_t a, int32_t b);
void first_contacts_free(first_contacts *t);

/* Writes the members of an open object; nothing for NULL. */
void first_contact_json(json *j, const first_contact *c);

/* ---- Contacts counted by kind and by pair of objects, for JSON documents. */

/* The kinds of enum imp_kind, without and with IMP_KIND_AT_START. NULL for numbers that are no
 * kind. */
#define CONTACT_KINDS (IMP_KIND_AT_START + IMP_KIND_SOLIDS + 1)
extern const char *const contact_kind_name[CONTACT_KINDS];

/* All zero at first, except pairs.mem and firsts.mem. */
typedef struct contact_sums {
    uint64_t kind[CONTACT_KINDS];
    tally pairs;           /* pairs of objects, the lower number first */
    first_contacts firsts; /* their first contacts, with --continuous or --distance */
    int too_many;          /* the pairs exceed the memory limit and are left out */
} contact_sums;

/* Adds contacts of step k of the result; of frame k of a result file. */
void contact_sums_add(contact_sums *s, const imp_contacts *c, uint64_t k, const result_step *of);
void contact_sums_add_rows(contact_sums *s, const result_rows *rows, uint64_t k, uint64_t frame);
void contact_sums_free(contact_sums *s);

/* Writes the members `kinds` and `object_pairs` of a document; call tally_merge on the pairs
 * before. names: of objects. continuous, near: also kinds of contacts between frames, or of pairs
 * within a distance, or with CONTACT_SUMS_THICK within their thickness, or with
 * CONTACT_SUMS_INSIDE of vertices inside objects. */
#define CONTACT_SUMS_THICK 2
#define CONTACT_SUMS_INSIDE 3
void contact_sums_json_kinds(json *j, const uint64_t kind[CONTACT_KINDS], int continuous, int near);
void contact_sums_json_pairs(json *j, const tally *pairs, const first_contacts *firsts,
                             const batch_names *names);

#endif
