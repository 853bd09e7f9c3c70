/* Sums over the contacts of a run: counts by kind and by pair of objects; of each pair of objects
 * its frames, its first contact and its greatest depth. */
#ifndef IMP_CONTACT_SUMS_H
#define IMP_CONTACT_SUMS_H

#include "json.h"
#include "mem.h"
#include "object_names.h"
#include "store.h"

#include <stddef.h>

/* ---- The first contact of each pair of objects: the one of the earliest step and, in that step,
 * with --continuous of the least toi. With --distance: the row of the least distance and, of those,
 * of the earliest frame. Contacts may be added in any order. */

/* A step in the result, and the frame of the input at which it begins. */
typedef struct contact_step {
    uint64_t step, frame;
} contact_step;

typedef struct first_contact {
    int32_t a, b; /* objects, the lower number first */
    int known;
    int near, timed; /* it has a distance; a time */
    contact_step at;
    double toi, time;
    double distance; /* 0 unless `near` */
    int thick, deep; /* with --thickness; contacts have a depth */
    /* over all contacts of the pair: */
    double penetration, depth; /* the greatest ones; 0 unless `thick`, or `deep` */
    contact_step deepest;      /* the first one with that depth */
    contact_step begin, end;   /* the first and the last one */
} first_contact;

/* A row is the first contact of its pair if there is no other. */
first_contact first_contact_row(uint64_t step, uint64_t frame);

/* All zero at first, except mem. */
typedef struct first_contacts {
    mem *mem;
    size_t count, capacity;
    first_contact *at; /* hash table of `capacity` entries */
} first_contacts;

/* Joins the contact with the known one of its pair. IMP_ERR_MEMORY. */
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
    first_contacts firsts; /* their first contacts */
    first_contact all;     /* the same of all contacts, without a pair; first_contact.known */
    first_contact run;     /* within contact_sums_add: contacts of one pair, one after another */
    uint64_t run_count;
    int too_many; /* the pairs exceed the memory limit and are left out */
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
/* Prints what is known of all contacts, then the first `most` pairs; after tally_sort those with
 * the most contacts. objects: their number; of one object no pair is printed. */
void contact_sums_print(const contact_sums *s, uint64_t objects, const batch_names *names,
                        size_t most);

/* Prints the distance, time, penetration and depth, those that are known, after `before`; returns
 * whether there is one. */
int first_contact_print(const first_contact *c, const char *before);

void contact_sums_json_pairs(json *j, const tally *pairs, const first_contacts *firsts,
                             const batch_names *names);

#endif
