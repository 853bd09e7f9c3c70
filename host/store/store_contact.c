/* See store_contact.h. */
#include "store_contact.h"

#define FRAME(name, type, field)                                                                   \
    {                                                                                              \
#name, COLUMN_TYPE(type), 1, offsetof(result_frames, field)                                \
    }
const column frame_column[FRAME_TABLES] = {[FRAME_INPUT] = FRAME(input_frame, int64_t, input_frame),
                                           [FRAME_CANDIDATES] =
                                               FRAME(candidates, int64_t, candidates),
                                           [FRAME_CONTACTS] = FRAME(contacts, int64_t, contacts),
                                           [FRAME_UNDECIDED] = FRAME(undecided, int64_t, undecided),
                                           [FRAME_BAD] = FRAME(bad_primitives, int64_t, bad),
                                           [FRAME_TOUCHED] = FRAME(touched, int64_t, touched),
                                           [FRAME_SECONDS] = FRAME(seconds, double, seconds),
                                           [FRAME_CHECKSUM] = FRAME(checksum, uint64_t, checksum)};

_Static_assert(STORED_COLUMNS <= COLUMNS_MOST, "COLUMNS_MOST is too small");

static const column stored_column[] = {
#define CONTACT(name, type, values, when, group, file, stored, ...)                                \
    {#name, COLUMN_TYPE(stored), values,         offsetof(result_rows, name),                      \
     0,     when_##when,         COLUMN_##group, file},
#define DERIVED(name, of, rule, when, group, file, stored, ...)                                    \
    CONTACT(name, , 1, when, group, file, stored, )
#define VARYING(name, type, values, when, group, file, file_first, stored, ...)                    \
    {#name,                                                                                        \
     COLUMN_TYPE(stored),                                                                          \
     values,                                                                                       \
     offsetof(result_rows, name),                                                                  \
     offsetof(result_rows, name##_first),                                                          \
     when_##when,                                                                                  \
     COLUMN_##group,                                                                               \
     file,                                                                                         \
     file_first},
#include "contact.def"
};

/* Columns keep the order of contact.def, which checksums depend on. */
const column_table stored_table = {stored_column, STORED_COLUMNS};

const stored_text stored_texts[STORED_COLUMNS] = {
#define CONTACT(name, type, values, when, group, file, stored, text, titles) {text, titles},
#define DERIVED(name, of, rule, when, group, file, stored, text, titles) {text, titles},
#define VARYING(name, type, values, when, group, file, file_first, stored, text, titles)           \
    {text, titles},
#include "contact.def"
};

/* ---- made of what the pipeline hands out */

/* DERIVED columns are not handed out by the pipeline: they follow from positions and the mesh. */
enum rule { RULE_same, RULE_objects, RULE_names };

static const struct {
    int of; /* the column it is made of */
    enum rule rule;
} source[STORED_COLUMNS] = {
#define CONTACT(name, ...) {CONTACT_##name, RULE_same},
#define DERIVED(name, of, rule, ...) {CONTACT_##of, RULE_##rule},
#define VARYING(name, ...) {CONTACT_##name, RULE_same},
#include "contact.def"
};

/* A file has the type of the pipeline, or int64 for its positions, int32 for objects, and int64 for
 * names. A line of contact.def that asks for another conversion does not compile. */
#define IS(type, wanted) (COLUMN_TYPE(type) == COLUMN_TYPE(wanted))
#define KNOWN(type, values, stored)                                                                \
    _Static_assert(IS(type, stored) || (IS(type, uint32_t) && IS(stored, int64_t) && values == 1), \
                   "contact.def: this type cannot be made of that");
#define CONTACT(name, type, values, when, group, file, stored, ...) KNOWN(type, values, stored)
#define VARYING(name, type, values, when, group, file, file_first, stored, ...)                    \
    _Static_assert(IS(type, stored), "contact.def: what varies is stored as it is");
#define DERIVED(name, of, rule, when, group, file, stored, ...)                                    \
    _Static_assert(RULE_##rule == RULE_objects ? IS(stored, int32_t) : IS(stored, int64_t),        \
                   "contact.def: this type cannot be made by that rule");
#include "contact.def"

/* int64 in the file, since that is what format.md gives for positions. */
static const int64_t *widened(const uint32_t *from, size_t rows, int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = from[i];
    return to;
}

/* A mesh without objects is object 0, as everywhere. */
static const int32_t *objects(const uint32_t *prim, size_t rows, const imp_mesh *mesh, int32_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = mesh->object ? mesh->object[prim[i]] : 0;
    return to;
}

/* mesh->name exists here: this column is written only for a run with names. */
static const int64_t *names(const uint32_t *prim, size_t rows, const imp_mesh *mesh, int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = mesh->name[prim[i]];
    return to;
}

/* A column with the same type in the file is written from the view, without a copy. */
const void *stored_values(int c, const imp_contacts *from, size_t rows, const imp_mesh *mesh,
                          stored_piece *piece)
{
    const column *made = &contact_table.column[source[c].of];
    const void *values = column_values(made, from);
    if (source[c].rule == RULE_objects)
        return objects(values, rows, mesh, piece->object);
    if (source[c].rule == RULE_names)
        return names(values, rows, mesh, piece->wide);
    if (made->type != stored_table.column[c].type)
        return widened(values, rows, piece->wide);
    return values;
}

/* Offsets are handed out as they are: the writer makes those of the file from them. */
const uint64_t *stored_first(int c, const imp_contacts *from)
{
    const column *made = &contact_table.column[source[c].of];
    return made->first_at ? column_first(made, from) : NULL;
}
