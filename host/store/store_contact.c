/* See store_contact.h. */
#include "store_contact.h"

#include <math.h>

#define FRAME(name, type, field, when)                                                             \
    {                                                                                              \
#name, COLUMN_TYPE(type), 1, offsetof(result_frames, field), 0, when_##when                \
    }
static const column frame_column[FRAME_TABLES] = {
    [FRAME_INPUT] = FRAME(input_frame, int64_t, input_frame, always),
    [FRAME_CANDIDATES] = FRAME(candidates, int64_t, candidates, always),
    [FRAME_CONTACTS] = FRAME(contacts, int64_t, contacts, always),
    [FRAME_UNDECIDED] = FRAME(undecided, int64_t, undecided, always),
    [FRAME_BAD] = FRAME(bad_primitives, int64_t, bad, always),
    [FRAME_TOUCHED] = FRAME(touched, int64_t, entries_written, always),
    [FRAME_CANDIDATES_VF] = FRAME(candidates_vf, int64_t, candidates_vf, continuous),
    [FRAME_CANDIDATES_EE] = FRAME(candidates_ee, int64_t, candidates_ee, continuous),
    [FRAME_SECONDS] = FRAME(seconds, double, seconds, always),
    [FRAME_CHECKSUM] = FRAME(checksum, uint64_t, checksum, always)};

const column_table frame_tables = {frame_column, FRAME_TABLES};

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

column_set stored_columns(const result_provenance *o)
{
    const column_set ids = COLUMN_BIT(STORED_source_a) | COLUMN_BIT(STORED_source_b);
    return o->like ? result_columns(o->like)
                   : columns_when(&stored_table, o->def) | (o->source_ids ? ids : 0);
}

const stored_text stored_texts[STORED_COLUMNS] = {
#define CONTACT(name, type, values, when, group, file, stored, text, titles) {text, titles},
#define DERIVED(name, of, rule, when, group, file, stored, text, titles) {text, titles},
#define VARYING(name, type, values, when, group, file, file_first, stored, text, titles)           \
    {text, titles},
#include "contact.def"
};

/* ---- made of what the pipeline hands out */

/* DERIVED columns are not handed out by the pipeline: they follow from positions and the mesh, or
 * from tois and the step's two values. */
enum rule { RULE_same, RULE_objects, RULE_ids, RULE_source_ids, RULE_time };

static const struct {
    int of; /* the column it is made of */
    enum rule rule;
} source[STORED_COLUMNS] = {
#define CONTACT(name, ...) {CONTACT_##name, RULE_same},
#define DERIVED(name, of, rule, ...) {CONTACT_##of, RULE_##rule},
#define VARYING(name, ...) {CONTACT_##name, RULE_same},
#include "contact.def"
};

/* A file has the type of the pipeline, or int64 for its positions, int32 for objects, int64 for
 * ids, and float64 for times. A line of contact.def that asks for another conversion does not
 * compile. */
#define IS(type, wanted) (COLUMN_TYPE(type) == COLUMN_TYPE(wanted))
#define KNOWN(type, values, stored)                                                                \
    _Static_assert(IS(type, stored) || (IS(type, uint32_t) && IS(stored, int64_t) && values == 1), \
                   "contact.def: this type cannot be made of that");
#define CONTACT(name, type, values, when, group, file, stored, ...) KNOWN(type, values, stored)
#define VARYING(name, type, values, when, group, file, file_first, stored, ...)                    \
    _Static_assert(IS(type, stored), "contact.def: what varies is stored as it is");
#define DERIVED(name, of, rule, when, group, file, stored, ...)                                    \
    _Static_assert(RULE_##rule == RULE_objects ? IS(stored, int32_t)                               \
                   : RULE_##rule == RULE_time  ? IS(stored, double)                                \
                                               : IS(stored, int64_t),                               \
                   "contact.def: this type cannot be made by that rule");
#include "contact.def"

/* int64 in the file, since that is what format.md gives for positions. Those of a part of a frame
 * become those of the frame. */
static const int64_t *widened(const uint32_t *from, size_t rows, const batch_slab *part,
                              int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = part && part->number ? part->number[from[i]] : from[i];
    return to;
}

/* A vertex that meets a face is numbered in the frame, too. */
static const int64_t *features(const int64_t *from, size_t rows, const uint8_t *kind,
                               const batch_slab *part, int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = kind[i] == IMP_KIND_VERTEX_FACE && from[i] >= 0 ? part->vertex[from[i]] : from[i];
    return to;
}

/* A mesh without objects is object 0, as everywhere. */
static const int32_t *objects(const uint32_t *prim, size_t rows, const imp_mesh *mesh, int32_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = mesh->object ? mesh->object[prim[i]] : 0;
    return to;
}

/* Ids exist here: such a column is written only for a batch that has them. */
static const int64_t *ids(const uint32_t *prim, size_t rows, const int64_t *id, int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = id[prim[i]];
    return to;
}

/* By the formula of data/format.md, which readers can compute again. Rounding may take it past the
 * end; and where the difference of two finite values is not finite, a sum of parts of both is. */
double result_time(const result_step *of, double toi)
{
    const double length = of->next - of->time;
    const double low = length < 0 ? of->next : of->time, high = length < 0 ? of->time : of->next;
    const double t =
        isfinite(length) ? of->time + toi * length : (1 - toi) * of->time + toi * of->next;
    return t < low ? low : t > high ? high : t;
}

static const double *contact_writer_times(const double *toi, size_t rows, const result_step *of,
                                          double *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = result_time(of, toi[i]);
    return to;
}

/* A column with the same type in the file is written from the view, without a copy. */
const void *stored_values(int c, const imp_contacts *from, size_t rows, const result_step *of,
                          stored_chunk *chunk)
{
    const column *made = &contact_table.column[source[c].of];
    const void *values = column_values(made, from);
    switch (source[c].rule) {
    case RULE_objects:
        return objects(values, rows, of->mesh, chunk->object);
    case RULE_ids:
        return ids(values, rows, of->mesh->id, chunk->wide);
    case RULE_source_ids:
        return ids(values, rows, of->source_id, chunk->wide);
    case RULE_time:
        return contact_writer_times(values, rows, of, chunk->time);
    case RULE_same:
        break;
    }
    if (of->part && of->part->vertex && (c == STORED_feature_a || c == STORED_feature_b))
        return features(values, rows, from->kind, of->part, chunk->wide);
    if (made->type == stored_table.column[c].type)
        return values;
    return widened(values, rows, of->part, chunk->wide);
}

/* Offsets are handed out as they are: the writer makes those of the file from them. */
const uint64_t *stored_first(int c, const imp_contacts *from)
{
    const column *made = &contact_table.column[source[c].of];
    return made->first_at ? column_first(made, from) : NULL;
}
