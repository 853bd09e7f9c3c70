/* See contact_columns.h. */
#include "contact_columns.h"

/* What imp_contacts would be if it were made from the table. It is written out, with comments, for
 * users of the library; if the two differed this would not compile. */
typedef struct made_contacts {
    size_t frame, count;
#define CONTACT(name, type, ...) const type *name;
#define VARYING(name, type, ...)                                                                   \
    const uint64_t *name##_first;                                                                  \
    const type *name;
#include "contact.def"
} made_contacts;

#define SAME(type, name)                                                                           \
    _Static_assert(offsetof(imp_contacts, name) == offsetof(made_contacts, name),                  \
                   "imp_contacts." #name " has another position in contact.def");                  \
    _Static_assert(_Generic(((imp_contacts *)NULL)->name, const type * : 1, default : 0),          \
                   "imp_contacts." #name " has another type in contact.def");
#define CONTACT(name, type, ...) SAME(type, name)
#define VARYING(name, type, ...)                                                                   \
    SAME(uint64_t, name##_first)                                                                   \
    SAME(type, name)
#include "contact.def"
_Static_assert(sizeof(imp_contacts) == sizeof(made_contacts),
               "imp_contacts has a column that contact.def lacks");
_Static_assert(CONTACT_COLUMNS <= COLUMNS_MOST, "COLUMNS_MOST is too small");

/* Columns that a run does not have are in the table as well; `when` leaves them out of its set. */
static const column contact_column[] = {
#define CONTACT(name, type, values, when, ...)                                                     \
    {#name, COLUMN_TYPE(type), values, offsetof(imp_contacts, name), 0, when_##when},
#define VARYING(name, type, values, when, ...)                                                     \
    {#name,                                                                                        \
     COLUMN_TYPE(type),                                                                            \
     values,                                                                                       \
     offsetof(imp_contacts, name),                                                                 \
     offsetof(imp_contacts, name##_first),                                                         \
     when_##when},
#include "contact.def"
};

const column_table contact_table = {contact_column, CONTACT_COLUMNS};
