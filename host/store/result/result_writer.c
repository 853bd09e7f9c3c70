/* Writes results. VTKHDF holds the data that ParaView shows; the group /impinge beside it has the
 * provenance of the result, sums of each frame, and the number of complete frames. */
#define _GNU_SOURCE
#include "clock.h"
#include "error.h"
#include "frame.h"
#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMIT_SECONDS 0.25 /* the most work that a kill may lose */

static const vtkhdf_writer_def result_def = {
    .minor = RESULT_MINOR, .cells = VTKHDF_LINES, .points = COLUMN_F64};

/* A join of shards cannot be resumed: its rows are created at its end. */
static const vtkhdf_writer_def join_def = {
    .minor = RESULT_MINOR, .temporary = 1, .cells = VTKHDF_LINES, .points = COLUMN_F64};

/* ---- creating and resuming */

/* The first commit is timed from here: earlier there is nothing to lose. */
static int result_alloc(mem *m, result **out)
{
    result *r;
    int err = mem_alloc(m, sizeof *r, &r);
    if (err)
        return err;
    memset(r, 0, sizeof *r);
    r->mem = m;
    r->group = -1;
    r->committed = clock_seconds();
    *out = r;
    return IMP_OK;
}

/* VTK needs the first of the offsets, even without frames. */
static int put_first_offset(result *r)
{
    const int64_t zero = 0;
    return vtkhdf_writer_add_rows(&r->p, VTKHDF_OFFSETS, &zero, 1);
}

/* Creates the columns and tables (H5_NEW), or opens those of a file with this number of finished
 * frames. */
static int result_writer_open_columns(result *r, const result_provenance *provenance,
                                      uint64_t frames)
{
    int err = IMP_OK;
    const column_groups at = {r->p.part, r->p.at[VTKHDF_ROOT], r->p.at[VTKHDF_CELL_DATA],
                              r->p.at[VTKHDF_DATA_OFFSETS], r->group};
    TRY(column_writer_open(r->mem, &at, &stored_table, stored_columns(provenance),
                           &r->p.data[VTKHDF_POINTS], frames == H5_NEW ? H5_NEW : r->rows, frames,
                           &r->columns));
    r->tables = provenance->like ? result_tables(provenance->like)
                                 : columns_when(&frame_tables, provenance->def);
    /* pairs of bodies are no feature pairs; and a feature pair may be near in two slabs */
    if (provenance->simulated || provenance->units)
        r->tables &= ~(COLUMN_BIT(FRAME_CANDIDATES_VF) | COLUMN_BIT(FRAME_CANDIDATES_EE));
    for (int t = 0; t < FRAME_TABLES; t++) {
        const column_def *k = &frame_tables.column[t];
        const h5_grow_def table = {k->name, k->type, 0, 1024};
        if (column_in(r->tables, t))
            TRY(h5_grow_open(r->mem, r->group, r->p.part, &table, frames, &r->table[t]));
    }
    if (column_in(r->tables, FRAME_RELATIONS))
        TRY(relation_writer_open(r->mem, r->group, r->p.part, frames, &r->relations));
out:
    return err;
}

int result_create(mem *m, const char *path, int force, const result_provenance *provenance,
                  result **out)
{
    int err = IMP_OK;
    result *r = NULL;
    *out = NULL;
    TRY(result_alloc(m, &r));
    TRY(vtkhdf_writer_create(m, path, force, provenance->like ? &join_def : &result_def, &r->p));
    r->group = h5_group(r->p.file, "impinge");
    if (r->group < 0)
        FAIL(IMP_ERR_FILE, "%s: /impinge: cannot be written", r->p.part);
    TRY(result_writer_open_columns(r, provenance, H5_NEW));
    TRY(provenance_write(r->mem, r->group, r->p.part, provenance));
    TRY(batch_names_write_objects(provenance->like ? result_get_info(provenance->like)->names
                                                   : provenance->names,
                                  r->p.part, r->group));
    TRY(put_first_offset(r));
    /* --resume accepts any file named .part: it has its provenance, and 0 frames */
    TRY(result_commit(r));
    TRY(vtkhdf_writer_appear(&r->p));
    *out = r;
    r = NULL;
out:
    result_discard(r);
    return err;
}

/* Finds where the committed frames end. Sums do not overflow: provenance_check has read the file
 * before. Lines are those of the largest frame only (grow_lines). */
static int committed_extent(result *r, uint64_t done, vtkhdf_extent *e)
{
    int err = IMP_OK;
    uint64_t n = 0;
    int64_t *count = NULL;
    r->rows = r->most = 0;
    TRY(h5_read_integers(r->mem, r->group, r->p.part, "/impinge", "contacts", 1, &count, &n, NULL));
    if (n < done)
        FAIL(IMP_ERR_INPUT, "%s: /impinge/contacts: too short; cannot be resumed", r->p.part);
    for (uint64_t f = 0; f < done; f++) {
        if (count[f] < 0)
            FAIL(IMP_ERR_INPUT, "%s: /impinge/contacts: damaged; cannot be resumed", r->p.part);
        r->rows += (uint64_t)count[f];
        r->most = (uint64_t)count[f] > r->most ? (uint64_t)count[f] : r->most;
    }
    *e = (vtkhdf_extent){.done = done,
                         .parts = done,
                         .points = 2 * r->rows,
                         .ids = 2 * r->most,
                         .offsets = r->most + 1};
out:
    mem_free(r->mem, count);
    return err;
}

/* Opens all tables without changing anything, so that a rejected file stays as it is. */
static int open_tables(result *r, const result_provenance *provenance, uint64_t *done)
{
    int err = IMP_OK;
    int64_t frames = 0;
    vtkhdf_extent e = {0};
    r->group = h5_exists(r->p.file, "impinge") ? H5Gopen2(r->p.file, "impinge", H5P_DEFAULT) : -1;
    if (r->group < 0)
        FAIL(IMP_ERR_INPUT, "%s: /impinge: missing; cannot be resumed", r->p.part);
    TRY(h5_get_scalar(r->group, r->p.part, "/impinge", "frames_done", &frames));
    if (frames < 0)
        FAIL(IMP_ERR_INPUT, "%s: /impinge/frames_done: damaged; cannot be resumed", r->p.part);
    if (provenance->frames.most && (uint64_t)frames > provenance->frames.most)
        frames = (int64_t)provenance->frames.most;
    TRY(committed_extent(r, (uint64_t)frames, &e));
    TRY(vtkhdf_writer_open_rows(&r->p, &e));
    TRY(result_writer_open_columns(r, provenance, e.done));
    *done = e.done;
out:
    return err;
}

/* Writes the number of frames first, so that it never counts a row that does not exist. */
static int cut_tables(result *r, uint64_t done)
{
    int err = IMP_OK;
    TRY(h5_put_scalar(r->group, r->p.part, "frames_done", (int64_t)done));
    TRY(vtkhdf_writer_commit(&r->p));
    TRY(vtkhdf_writer_truncate(&r->p));
    TRY(column_writer_truncate(&r->columns));
    for (int t = 0; t < FRAME_TABLES; t++)
        if (column_in(r->tables, t))
            TRY(h5_grow_truncate(&r->table[t], r->p.part));
    TRY(relation_writer_truncate(&r->relations));
    TRY(h5_flush(r->p.part, r->p.file)); /* only from now on the removed rows' space is free */
out:
    return err;
}

/* Continues path.part, which was checked. Texts are written last, after the last check that may
 * fail. */
static int resume_part(mem *m, const char *path, int force, const result_provenance *provenance,
                       result **out, uint64_t *done)
{
    int err = IMP_OK;
    result *r = NULL;
    TRY(result_alloc(m, &r));
    TRY(vtkhdf_writer_reopen(m, path, force, &result_def, &r->p));
    TRY(open_tables(r, provenance, done));
    TRY(cut_tables(r, *done));
    TRY(provenance_write_texts(r->group, r->p.part, provenance));
    *out = r;
    r = NULL;
out:
    result_leave(r); /* a file that cannot be resumed stays as it is */
    return err;
}

int result_resume(mem *m, const char *path, int force, const result_provenance *provenance,
                  result **out, uint64_t *done)
{
    int err = IMP_OK, complete;
    char *part = NULL;
    *out = NULL;
    *done = 0;
    TRY(store_path_check(path, force));
    TRY(store_part_name(path, &part));
    if (access(part, F_OK)) {
        TRY(result_create(m, path, force, provenance, out));
        goto out;
    }
    if (h5_in_use(part))
        FAIL(IMP_ERR_FILE, "%s: in use by another run", part);
    TRY(provenance_check(m, part, provenance, &complete));
    TRY(resume_part(m, path, force, provenance, out, done));
out:
    free(part);
    return err;
}

/* ---- frames */

/* Marks the contacts of the block's frames below `count` as complete. Contacts arrive in the order
 * of frames, so contacts of a later frame end the frames before it. */
static int close_frames(result *r, size_t count)
{
    int err = IMP_OK;
    if (count > r->end_capacity) {
        size_t capacity = 2 * count;
        TRY(mem_grow(r->mem, r->closed * sizeof *r->end, capacity * sizeof *r->end, &r->end));
        r->end_capacity = capacity;
    }
    for (; r->closed < count; r->closed++) {
        r->end[r->closed] = (frame_end){r->frame_rows, column_writer_end_sum(&r->columns)};
        r->frame_rows = 0;
    }
out:
    return err;
}

column_set result_writer_columns(const result *r)
{
    return r ? r->columns.set : 0;
}

/* Adds rows of one frame to its checksum. */
static int result_writer_sum_rows(result *r, const result_rows *rows, size_t count, size_t frame)
{
    int err = IMP_OK;
    TRY(close_frames(r, frame));
    row_sums_add(&r->columns.sums, rows, count);
    r->frame_rows += count;
out:
    return err;
}

int result_add_chunk(result *r, const column_rows *rows, const uint32_t *frame)
{
    int err = IMP_OK;
    result_rows view = {0};
    columns_as_rows(rows, &view);
    for (size_t i = 0, n; i < rows->count; i += n) {
        for (n = 1; i + n < rows->count && frame[i + n] == frame[i];)
            n++;
        TRY(result_writer_sum_rows(r, &view, n, frame[i]));
        columns_skip(&stored_table, &view, n);
    }
    TRY(column_writer_add_chunk(&r->columns, rows));
out:
    return err;
}

int result_add(result *r, const imp_contacts *c, const result_step *of)
{
    int err = IMP_OK;
    imp_contacts rest = *c;
    TRY(close_frames(r, c->frame));
    if (!r->chunk.table)
        TRY(columns_open(r->mem, &stored_table, r->columns.set, STORED_CHUNK, &r->chunk));
    while (rest.count) {
        const size_t n = stored_rows_fit(&r->chunk, &rest, rest.count);
        result_rows view = {0};
        TRY(stored_rows_append(&r->chunk, &rest, n, of));
        columns_as_rows(&r->chunk, &view);
        TRY(result_writer_sum_rows(r, &view, n, c->frame));
        TRY(column_writer_add_chunk(&r->columns, &r->chunk));
        columns_clear(&r->chunk);
        columns_skip(&contact_table, &rest, n);
        rest.count -= n;
    }
out:
    return err;
}

/* The lines of any frame join points 0-1, 2-3, 4-5, ... of the frame, so all frames share the rows
 * of the largest one, and the file stores them once. */
static int grow_lines(result *r, uint64_t rows)
{
    int err = IMP_OK;
    for (; r->most < rows; r->most++) {
        int64_t id[2] = {2 * (int64_t)r->most, 2 * (int64_t)r->most + 1}, end = id[0] + 2;
        TRY(vtkhdf_writer_add_rows(&r->p, VTKHDF_CONNECTIVITY, id, 2));
        TRY(vtkhdf_writer_add_rows(&r->p, VTKHDF_OFFSETS, &end, 1));
    }
out:
    return err;
}

/* counts[] is in the order of enum frame_table. */
static int add_tables(result *r, uint64_t frame, const frame_end *end, const imp_frame_info *info)
{
    int err = IMP_OK;
    const int64_t counts[] = {(int64_t)frame,
                              (int64_t)info->candidates,
                              (int64_t)end->rows,
                              (int64_t)info->undecided,
                              (int64_t)info->bad,
                              (int64_t)info->entries_written,
                              (int64_t)info->candidates_vf,
                              (int64_t)info->candidates_ee};
    for (int t = FRAME_INPUT; t <= FRAME_CANDIDATES_EE; t++)
        if (column_in(r->tables, t))
            TRY(h5_grow_add(&r->table[t], r->p.part, &counts[t], 1));
    TRY(h5_grow_add(&r->table[FRAME_SECONDS], r->p.part, &info->seconds, 1));
    TRY(h5_grow_add(&r->table[FRAME_CHECKSUM], r->p.part, &end->checksum, 1));
out:
    return err;
}

/* Points begin at twice the number of earlier contacts, since each contact has two. */
int result_end_step(result *r, const result_step *of, const frame_end *end,
                    const imp_frame_info *info)
{
    int err = IMP_OK;
    int64_t rows = (int64_t)end->rows, first = (int64_t)r->rows;
    vtkhdf_step s = {.time = of->time, .part0 = (int64_t)r->p.done, .point0 = 2 * first};
    TRY(grow_lines(r, end->rows));
    TRY(add_tables(r, of->number, end, info));
    TRY(vtkhdf_writer_add_part(&r->p, 2 * rows, rows, 2 * rows));
    TRY(vtkhdf_writer_add_step(&r->p, &s));
    TRY(column_writer_begin_frame(&r->columns, r->rows));
    r->rows += end->rows;
out:
    return err;
}

int result_has_relations(const result *r)
{
    return r->relations.there;
}

int result_relate(result *r, const step_relations *of)
{
    int err = IMP_OK;
    uint64_t sum = 0;
    TRY(relation_writer_add(&r->relations, of, &sum));
    TRY(h5_grow_add(&r->table[FRAME_CLOSED], r->p.part, &of->closed, 1));
    TRY(h5_grow_add(&r->table[FRAME_OPEN], r->p.part, &of->open, 1));
    TRY(h5_grow_add(&r->table[FRAME_RELATIONS], r->p.part, &sum, 1));
out:
    return err;
}

int result_end_block(result *r, size_t count, const result_step *of, const imp_frame_info *info)
{
    int err = IMP_OK;
    /* the last steps of a block may have no contacts, so result_add has not ended them */
    TRY(close_frames(r, count));
    for (size_t f = 0; f < count; f++)
        TRY(result_end_step(r, &of[f], &r->end[f], &info[f]));
    r->closed = 0;
    if (clock_seconds() - r->committed > COMMIT_SECONDS)
        TRY(result_commit(r));
out:
    return err;
}

int result_set_input(result *r, uint64_t bytes, uint64_t hash)
{
    return provenance_write_input(r->group, r->p.part, bytes, hash);
}

/* Writes data first, then the number of frames, so that every counted frame is complete. NSteps,
 * which viewers read, is written last: a reader that finds both equal knows that no write was
 * interrupted between them. */
int result_commit(result *r)
{
    int err = IMP_OK;
    for (int t = 0; t < FRAME_TABLES; t++)
        if (column_in(r->tables, t))
            TRY(h5_grow_flush(&r->table[t], r->p.part));
    TRY(column_writer_flush(&r->columns));
    TRY(relation_writer_flush(&r->relations));
    TRY(vtkhdf_writer_flush(&r->p));
    TRY(h5_put_scalar(r->group, r->p.part, "frames_done", (int64_t)r->p.done));
    TRY(vtkhdf_writer_commit(&r->p));
    r->committed = clock_seconds();
out:
    return err;
}

/* ---- the end */

static void result_free(result *r)
{
    for (int t = 0; t < FRAME_TABLES; t++)
        h5_grow_close(&r->table[t]);
    column_writer_close(&r->columns);
    relation_writer_close(&r->relations);
    columns_close(&r->chunk);
    mem_free(r->mem, r->end);
    h5_drop(r->group);
    r->group = -1;
}

/* After vtkhdf_writer_publish r->p is zeroed, and vtkhdf_writer_close does nothing; after a failed
 * commit it closes the file, whose committed frames stay. */
int result_finish(result *r)
{
    int err = result_commit(r);
    result_free(r);
    if (!err)
        /* hours of computing are kept, even if the file cannot be renamed */
        err = vtkhdf_writer_publish(&r->p, 1);
    vtkhdf_writer_close(&r->p);
    mem_free(r->mem, r);
    return err;
}

void result_leave(result *r)
{
    if (!r)
        return;
    result_free(r);
    vtkhdf_writer_close(&r->p);
    mem_free(r->mem, r);
}

void result_discard(result *r)
{
    if (!r)
        return;
    result_free(r);
    vtkhdf_writer_discard(&r->p);
    mem_free(r->mem, r);
}

static int when_relations(const imp_def *def)
{
    return def->inside || def->rows == IMP_ROWS_INSIDE;
}

#define FRAME(name, type, field, when)                                                             \
    {                                                                                              \
#name, COLUMN_TYPE(type), 1, offsetof(result_frames, field), 0, when_##when                \
    }
static const column_def frame_column[FRAME_TABLES] = {
    [FRAME_INPUT] = FRAME(input_frame, int64_t, input_frame, always),
    [FRAME_CANDIDATES] = FRAME(candidates, int64_t, candidates, always),
    [FRAME_CONTACTS] = FRAME(contacts, int64_t, contacts, always),
    [FRAME_UNDECIDED] = FRAME(undecided, int64_t, undecided, always),
    [FRAME_BAD] = FRAME(bad_primitives, int64_t, bad, always),
    [FRAME_TOUCHED] = FRAME(touched, int64_t, entries_written, always),
    [FRAME_CANDIDATES_VF] = FRAME(candidates_vf, int64_t, candidates_vf, continuous),
    [FRAME_CANDIDATES_EE] = FRAME(candidates_ee, int64_t, candidates_ee, continuous),
    [FRAME_SECONDS] = FRAME(seconds, double, seconds, always),
    [FRAME_CHECKSUM] = FRAME(checksum, uint64_t, checksum, always),
    [FRAME_CLOSED] = FRAME(closed_objects, int64_t, closed, relations),
    [FRAME_OPEN] = FRAME(open_objects, int64_t, open, relations),
    [FRAME_RELATIONS] = FRAME(relations_checksum, uint64_t, relations_checksum, relations)};

const column_table frame_tables = {frame_column, FRAME_TABLES};

_Static_assert(STORED_COLUMNS <= COLUMNS_MOST, "COLUMNS_MOST is too small");

static const column_def stored_column[] = {
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

/* ---- conversion of the pipeline's contacts */

/* The pipeline does not hand out DERIVED columns: they follow from positions and the mesh, or from
 * tois and the step's two values. */
enum rule { RULE_same, RULE_objects, RULE_ids, RULE_source_ids, RULE_time };

static const struct {
    int of; /* the column from which it is computed */
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

/* Positions are int64 in the file, as format.md specifies. Those in a part of a frame are mapped to
 * the frame. */
static void stored_widen(const uint32_t *from, size_t rows, const uint32_t *number, int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = number ? number[from[i]] : from[i];
}

/* Returns the frame's numbers of what a column counts, in a part of the frame: primitives, or
 * vertices. NULL: the same. */
static const uint32_t *stored_numbers(int c, const batch_slab *part)
{
    return !part ? NULL : c == STORED_vertex ? part->vertex : part->number;
}

/* Returns whether all corners of a primitive are one vertex. */
static int stored_has_no_edge(const imp_mesh *mesh, uint32_t prim)
{
    const uint32_t *corner = mesh->corner + (size_t)mesh_corners(mesh) * prim;
    for (uint32_t k = 1; k < mesh_corners_of(mesh, prim); k++)
        if (corner[k] != corner[0])
            return 0;
    return 1;
}

/* Returns whether a feature of this primitive is a vertex. Where the two features are a vertex and
 * an edge, the vertex is that of the primitive without an edge. */
static int stored_is_vertex(uint8_t kind, int64_t feature, const imp_mesh *mesh, uint32_t prim)
{
    return (kind == IMP_KIND_VERTEX_FACE && feature >= 0) || kind == IMP_KIND_VERTEX_VERTEX ||
           (kind == IMP_KIND_VERTEX_EDGE && stored_has_no_edge(mesh, prim));
}

/* A vertex is mapped to the frame, too. */
static void stored_features(const int64_t *from, size_t rows, const uint8_t *kind,
                            const uint32_t *prim, const result_step *of, int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = stored_is_vertex(kind[i], from[i], of->mesh, prim[i]) ? of->part->vertex[from[i]]
                                                                      : from[i];
}

/* Without objects a mesh is object 0, as everywhere. */
static void stored_objects(const uint32_t *prim, size_t rows, const imp_mesh *mesh, int32_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = mesh->object ? mesh->object[prim[i]] : 0;
}

/* Ids exist here: such a column is written only for a batch that has them. */
static void stored_ids(const uint32_t *prim, size_t rows, const int64_t *id, int64_t *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = id[prim[i]];
}

/* Uses the formula of data/format.md, which readers can recompute. Rounding may exceed the end, so
 * the time is clamped; and if the difference of two finite values is not finite, a weighted sum of
 * both is. */
double result_time(const result_step *of, double toi)
{
    const double length = of->next - of->time;
    const double low = length < 0 ? of->next : of->time, high = length < 0 ? of->time : of->next;
    const double t =
        isfinite(length) ? of->time + toi * length : (1 - toi) * of->time + toi * of->next;
    return t < low ? low : t > high ? high : t;
}

static void stored_times(const double *toi, size_t rows, const result_step *of, double *to)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = result_time(of, toi[i]);
}

/* Returns whether features are numbered within a part of the frame. */
static int stored_is_renumbered(int c, const result_step *of)
{
    return of->part && of->part->vertex && (c == STORED_feature_a || c == STORED_feature_b);
}

/* Returns whether the file stores the column as the pipeline hands it out. */
static int stored_is_same(int c, const result_step *of)
{
    return source[c].rule == RULE_same && !stored_is_renumbered(c, of) &&
           contact_table.column[source[c].of].type == stored_table.column[c].type;
}

static void stored_convert(int c, const imp_contacts *from, size_t rows, const result_step *of,
                           void *to)
{
    const void *values = column_values(&contact_table.column[source[c].of], from);
    switch (source[c].rule) {
    case RULE_objects:
        stored_objects(values, rows, of->mesh, to);
        break;
    case RULE_ids:
        stored_ids(values, rows, of->mesh->id, to);
        break;
    case RULE_source_ids:
        stored_ids(values, rows, of->source_id, to);
        break;
    case RULE_time:
        stored_times(values, rows, of, to);
        break;
    case RULE_same:
        if (stored_is_renumbered(c, of))
            stored_features(values, rows, from->kind, c == STORED_feature_a ? from->a : from->b, of,
                            to);
        else
            stored_widen(values, rows, stored_numbers(c, of->part), to);
        break;
    }
}

/* Only columns of varying length limit the number. */
size_t stored_rows_fit(const column_rows *to, const imp_contacts *from, size_t count)
{
    result_rows rows = {0};
#define VARYING(name, ...)                                                                         \
    rows.name##_first = from->name##_first;                                                        \
    rows.name = from->name;
#include "contact.def"
    return columns_fit(to, &rows, count);
}

int stored_rows_append(column_rows *to, const imp_contacts *from, size_t rows,
                       const result_step *of)
{
    int err = IMP_OK;
    for (int c = 0; c < STORED_COLUMNS; c++) {
        const column_def *made = &contact_table.column[source[c].of];
        const uint64_t *first = made->first_at ? column_first(made, from) : NULL;
        if (!column_in(to->set, c))
            continue;
        if (stored_is_same(c, of))
            TRY(columns_append_values(to, c, column_values(made, from), first, rows));
        else
            stored_convert(c, from, rows, of,
                           to->value[c] + to->count * column_bytes(&stored_table.column[c]));
    }
    to->count += rows;
out:
    return err;
}
