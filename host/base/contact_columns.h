/* The columns of contacts as the pipeline hands them out: contact.def as a table over imp_contacts.
 * What a file has of them is in store_contact.h. */
#ifndef IMP_CONTACT_COLUMNS_H
#define IMP_CONTACT_COLUMNS_H

#include "columns.h"

enum contact_column {
#define CONTACT(name, ...) CONTACT_##name,
#define VARYING(name, ...) CONTACT_##name,
#include "contact.def"
    CONTACT_COLUMNS
};

extern const column_table contact_table;

/* Does row i of x come before row j of y? */
static inline int contact_before(const imp_contacts *x, size_t i, const imp_contacts *y, size_t j)
{
#define ORDER(name)                                                                                \
    if (x->name && x->name[i] != y->name[j])                                                       \
        return x->name[i] < y->name[j];
#include "contact.def"
    return 0;
}

/* The conditions, for tables. */
#define when_always NULL
#define WHEN(name, is)                                                                             \
    static inline int when_##name(const imp_def *def)                                              \
    {                                                                                              \
        return is;                                                                                 \
    }
#include "contact.def"

#endif
