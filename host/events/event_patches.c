/* See event_parts.h. */
#include "event_parts.h"

#include "disjoint.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

/* ---- the order of rows */

/* What tells rows apart; rows that are equal here are the same. */
typedef struct patch_sort {
    int64_t a, b;
    double time;
    const double *points; /* 6 */
    uint32_t row;
} patch_sort;

static int patch_sort_real(double x, double y)
{
    return (x > y) - (x < y);
}

static int patch_sort_compare(const void *x, const void *y)
{
    const patch_sort *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    int order = patch_sort_real(p->time, q->time);
    for (int i = 0; i < 6 && !order; i++)
        order = patch_sort_real(p->points[i], q->points[i]);
    return order ? order : (p->row > q->row) - (p->row < q->row);
}

static patch_sort patch_sort_of(const result_rows *rows, size_t i)
{
    const int swap = rows->a[i] > rows->b[i];
    return (patch_sort){.a = swap ? rows->b[i] : rows->a[i],
                        .b = swap ? rows->a[i] : rows->b[i],
                        .time = rows->time ? rows->time[i] : 0,
                        .points = rows->points + 6 * i,
                        .row = (uint32_t)i};
}

/* Returns whether row i - 1 is before row i. Mostly the primitives decide. */
static int patch_frame_ordered(const result_rows *r, size_t i)
{
    if (r->a[i - 1] < r->b[i - 1] && r->a[i] < r->b[i] &&
        (r->a[i - 1] != r->a[i] || r->b[i - 1] != r->b[i]))
        return r->a[i - 1] != r->a[i] ? r->a[i - 1] < r->a[i] : r->b[i - 1] < r->b[i];
    const patch_sort x = patch_sort_of(r, i - 1), y = patch_sort_of(r, i);
    return patch_sort_compare(&x, &y) < 0;
}

/* Rows of most results are in this order already. */
static int patch_frame_order(patch_frame *f, const result_rows *rows)
{
    int err = IMP_OK, sorted = 1;
    patch_sort *sort = NULL;
    for (size_t i = 0; i < f->rows; i++)
        f->order[i] = (uint32_t)i;
    for (size_t i = 1; i < f->rows && sorted; i++)
        sorted = patch_frame_ordered(rows, i);
    if (sorted)
        return IMP_OK;
    TRY(mem_alloc(f->mem, f->rows * sizeof *sort, &sort));
    for (size_t i = 0; i < f->rows; i++)
        sort[i] = patch_sort_of(rows, i);
    qsort(sort, f->rows, sizeof *sort, patch_sort_compare);
    for (size_t i = 0; i < f->rows; i++)
        f->order[i] = sort[i].row;
out:
    mem_free(f->mem, sort);
    return err;
}

/* ---- primitives of rows */

/* The primitive that was found last on a side: many rows have that of the row before. */
typedef struct patch_last {
    int known;
    int64_t number, id;
    int32_t object;
    uint32_t prim;
} patch_last;

static int patch_last_find(patch_last *l, event_elements *e, int64_t number, int64_t id,
                           int32_t object)
{
    if (l->known && l->number == number && l->id == id && l->object == object)
        return IMP_OK;
    *l = (patch_last){1, number, id, object, 0};
    return event_elements_find(e, number, id, object, &l->prim);
}

static int patch_frame_prims(patch_frame *f, event_elements *e, const char *path, uint64_t frame,
                             const result_rows *rows)
{
    int err = IMP_OK;
    patch_last last[2] = {{0}, {0}};
    for (size_t n = 0; n < f->rows; n++) {
        const size_t i = f->order[n];
        const int swap = rows->object_a[i] > rows->object_b[i];
        const int64_t number[2] = {rows->a[i], rows->b[i]};
        const int64_t id[2] = {rows->id_a ? rows->id_a[i] : rows->a[i],
                               rows->id_b ? rows->id_b[i] : rows->b[i]};
        const int32_t object[2] = {rows->object_a[i], rows->object_b[i]};
        for (int s = 0; s < 2; s++) {
            err = patch_last_find(&last[s], e, number[s], id[s], object[s]);
            if (err == IMP_ERR_INPUT)
                FAIL(err, "%s: frame %llu: the input has no primitive %lld", path,
                     (unsigned long long)frame, (long long)number[s]);
            TRY(err);
            f->prim[n][s ^ swap] = last[s].prim;
        }
    }
out:
    return err;
}

/* ---- the rows around vertices */

typedef struct patch_slot {
    uint32_t stamp, list;
} patch_slot;

typedef struct patch_mark {
    uint32_t stamp, value;
} patch_mark;

/* A side of a row: its vertices, or the primitive. */
typedef struct patch_side {
    uint32_t count;
    const uint32_t *number;
} patch_side;

static patch_side patch_side_of(const patch_frame *f, const event_prim *prims, size_t row, int side,
                                int vertices)
{
    const event_prim *p = &prims[f->prim[row][side]];
    return vertices ? (patch_side){p->vertices, p->vertex} : (patch_side){1, &p->number};
}

static const event_prim *patch_frame_all_prims(const patch_frame *f, const event_elements *e)
{
    return e->of[f->mesh % 2].prim;
}

/* The sides by which a row is found: the two sides of a contact within one object are not told
 * apart. */
static int patch_frame_sides(const patch_frame *f, const event_prim *prims, size_t row)
{
    return prims[f->prim[row][0]].object == prims[f->prim[row][1]].object ? 2 : 1;
}

/* Makes room for numbers up to `most`; new slots have a stamp that no frame has. */
static int patch_around_slots(mem *m, patch_around *a, size_t most)
{
    int err = IMP_OK;
    const size_t slots = most + 1 + most / 2;
    if (++a->stamp == 0) { /* all stamps have been used */
        memset(a->slot, 0, a->slots * sizeof *a->slot);
        a->stamp = 1;
    }
    if (most < a->slots)
        return IMP_OK;
    TRY(mem_grow(m, a->slots * sizeof *a->slot, slots * sizeof *a->slot, &a->slot));
    memset(a->slot + a->slots, 0, (slots - a->slots) * sizeof *a->slot);
    a->slots = slots;
out:
    return err;
}

/* Counts the rows of each list, in begin[list + 1]; gives numbers that have none yet a list. */
static int patch_around_count(mem *m, patch_around *a, patch_side side)
{
    int err = IMP_OK;
    for (uint32_t i = 0; i < side.count; i++) {
        patch_slot *slot = &a->slot[side.number[i]];
        if (slot->stamp != a->stamp) {
            *slot = (patch_slot){a->stamp, (uint32_t)a->lists};
            TRY(mem_fit(m, a->lists + 1, &a->begin_capacity, sizeof *a->begin, &a->begin));
            TRY(mem_fit(m, a->lists, &a->number_capacity, sizeof *a->number, &a->number));
            a->number[a->lists++] = side.number[i];
            a->begin[a->lists] = 0;
        }
        a->begin[slot->list + 1]++;
    }
out:
    return err;
}

/* Lists the rows around each vertex, or each primitive. begin[list + 1] is first the count, then
 * the position of the next row, which in the end is the end of the list. */
static int patch_around_find(mem *m, patch_around *a, const patch_frame *f, const event_elements *e,
                             int vertices)
{
    int err = IMP_OK;
    const event_prim *prims = patch_frame_all_prims(f, e);
    const size_t most = vertices ? e->of_vertices.count : e->of_prims.count;
    TRY(patch_around_slots(m, a, most));
    a->lists = 0;
    TRY(mem_fit(m, 0, &a->begin_capacity, sizeof *a->begin, &a->begin));
    a->begin[0] = 0;
    for (size_t i = 0; i < f->rows; i++)
        for (int s = 0; s < patch_frame_sides(f, prims, i); s++)
            TRY(patch_around_count(m, a, patch_side_of(f, prims, i, s, vertices)));
    size_t all = 0;
    for (size_t k = 0; k < a->lists; k++) {
        const size_t count = a->begin[k + 1];
        a->begin[k + 1] = (uint32_t)all;
        all += count;
    }
    if (all > a->row_capacity) {
        TRY(mem_grow(m, 0, all * sizeof *a->row, &a->row));
        a->row_capacity = all;
    }
    for (size_t i = 0; i < f->rows; i++)
        for (int s = 0; s < patch_frame_sides(f, prims, i); s++) {
            const patch_side side = patch_side_of(f, prims, i, s, vertices);
            for (uint32_t k = 0; k < side.count; k++)
                a->row[a->begin[a->slot[side.number[k]].list + 1]++] =
                    2 * (uint32_t)i + (uint32_t)s;
        }
out:
    return err;
}

static void patch_around_free(mem *m, patch_around *a)
{
    mem_free(m, a->slot);
    mem_free(m, a->begin);
    mem_free(m, a->row);
    mem_free(m, a->number);
    *a = (patch_around){0};
}

/* ---- marks */

static int patch_marks_reserve(mem *m, patch_marks *k, size_t most)
{
    int err = IMP_OK;
    const size_t count = most + 1 + most / 2;
    if (most < k->count)
        return IMP_OK;
    TRY(mem_grow(m, k->count * sizeof *k->mark, count * sizeof *k->mark, &k->mark));
    memset(k->mark + k->count, 0, (count - k->count) * sizeof *k->mark);
    k->count = count;
out:
    return err;
}

/* Removes all marks. */
static void patch_marks_clear(patch_marks *k)
{
    if (++k->stamp)
        return;
    memset(k->mark, 0, k->count * sizeof *k->mark);
    k->stamp = 1;
}

/* ---- patches */

/* Unites the set that has this root with that of a row; returns the root of both. */
static uint32_t patch_frame_unite(patch_frame *f, uint32_t root, uint32_t row)
{
    const uint32_t other = disjoint_root(f->patch_of, row), least = root < other ? root : other;
    f->patch_of[root] = f->patch_of[other] = least;
    return least;
}

/* Returns whether the rows around a vertex are in one set already, as most are that share several
 * vertices with others. */
static int patch_frame_joined(const patch_frame *f, size_t list)
{
    const uint32_t *row = f->around.row + f->around.begin[list],
                   *end = f->around.row + f->around.begin[list + 1];
    const uint32_t root = disjoint_root(f->patch_of, *row / 2);
    while (++row < end)
        if (disjoint_root(f->patch_of, *row / 2) != root)
            return 0;
    return 1;
}

/* Unites the rows around a vertex that have a vertex of the other side in common. */
static void patch_frame_join_list(patch_frame *f, const event_prim *prims, size_t list,
                                  patch_marks *marks)
{
    const patch_around *a = &f->around;
    patch_marks_clear(marks);
    for (size_t n = a->begin[list]; n < a->begin[list + 1]; n++) {
        const uint32_t row = a->row[n] / 2;
        const patch_side side = patch_side_of(f, prims, row, !(a->row[n] % 2), 1);
        uint32_t root = disjoint_root(f->patch_of, row);
        for (uint32_t k = 0; k < side.count; k++) {
            patch_mark *mark = &marks->mark[side.number[k]];
            if (mark->stamp == marks->stamp && f->patch_of[mark->value] != root)
                root = patch_frame_unite(f, root, mark->value);
            *mark = (patch_mark){marks->stamp, row};
        }
    }
}

/* f->patch_of is the root of each row's set meanwhile, the first row of the set. */
static void patch_frame_join(patch_frame *f, const event_elements *e, patch_marks *marks)
{
    const event_prim *prims = patch_frame_all_prims(f, e);
    for (size_t i = 0; i < f->rows; i++)
        f->patch_of[i] = (uint32_t)i;
    for (size_t list = 0; list < f->around.lists; list++)
        if (!patch_frame_joined(f, list))
            patch_frame_join_list(f, prims, list, marks);
}

/* Numbers the patches in the order of their first rows. */
static int patch_frame_number(patch_frame *f, const event_elements *e)
{
    int err = IMP_OK;
    const event_prim *prims = patch_frame_all_prims(f, e);
    f->patches = 0;
    for (size_t i = 0; i < f->rows; i++) {
        const uint32_t root = disjoint_root(f->patch_of, (uint32_t)i);
        f->patch_of[i] = root;
        if (root == i) {
            TRY(mem_fit(f->mem, f->patches, &f->patch_capacity, sizeof *f->patch, &f->patch));
            f->patch[f->patches++] = (contact_patch){
                .a = prims[f->prim[i][0]].object, .b = prims[f->prim[i][1]].object, .first = i};
        }
    }
    /* a root is before all other rows of its set */
    size_t next = 0;
    for (size_t i = 0; i < f->rows; i++) {
        const uint32_t root = f->patch_of[i];
        f->patch_of[i] = root == i ? (uint32_t)next++ : f->patch_of[root];
        f->patch[f->patch_of[i]].rows++;
    }
out:
    return err;
}

static int patch_frame_reserve(patch_frame *f, uint64_t frame, const char *path, size_t rows)
{
    int err = IMP_OK;
    f->rows = f->patches = 0;
    if (rows > UINT32_MAX / (2 * PRIM_VERTICES)) /* in patch_around.begin */
        FAIL(IMP_ERR_MEMORY, "%s: frame %llu: out of memory for its %llu contacts", path,
             (unsigned long long)frame, (unsigned long long)rows);
    if (rows > f->row_capacity) {
        TRY(mem_grow(f->mem, 0, rows * sizeof *f->order, &f->order));
        TRY(mem_grow(f->mem, 0, rows * sizeof *f->prim, &f->prim));
        TRY(mem_grow(f->mem, 0, rows * sizeof *f->patch_of, &f->patch_of));
        f->row_capacity = rows;
    }
    f->rows = rows;
out:
    return err;
}

int patch_frame_find(patch_frame *f, event_elements *e, patch_marks *marks, const char *path,
                     uint64_t frame, const result_rows *rows)
{
    int err = IMP_OK;
    TRY(patch_frame_reserve(f, frame, path, (size_t)rows->count));
    f->mesh = e->meshes;
    TRY(patch_frame_order(f, rows));
    TRY(patch_frame_prims(f, e, path, frame, rows));
    TRY(patch_around_find(f->mem, &f->around, f, e, 1));
    TRY(patch_marks_reserve(f->mem, marks, e->of_vertices.count));
    patch_frame_join(f, e, marks);
    TRY(patch_frame_number(f, e));
out:
    return err;
}

void patch_frame_free(patch_frame *f)
{
    mem_free(f->mem, f->order);
    mem_free(f->mem, f->prim);
    mem_free(f->mem, f->patch_of);
    mem_free(f->mem, f->patch);
    patch_around_free(f->mem, &f->around);
    *f = (patch_frame){.mem = f->mem};
}

/* ---- links */

static int patch_links_compare(const void *x, const void *y)
{
    const patch_link *p = x, *q = y;
    if (p->now != q->now)
        return p->now < q->now ? -1 : 1;
    return (p->before > q->before) - (p->before < q->before);
}

/* Sorts the links, and leaves each once. */
static void patch_links_sort(patch_links *l)
{
    size_t kept = 0;
    if (l->count)
        qsort(l->link, l->count, sizeof *l->link, patch_links_compare);
    for (size_t i = 0; i < l->count; i++)
        if (!kept || patch_links_compare(&l->link[kept - 1], &l->link[i]))
            l->link[kept++] = l->link[i];
    l->count = kept;
}

/* Consecutive keys mostly give the same link. Where the list would grow it is sorted first, so that
 * it is at most twice as long as the links. */
static int patch_links_add(patch_links *l, uint32_t now, uint32_t before)
{
    const patch_link one = {now, before};
    if (l->count && !patch_links_compare(&l->link[l->count - 1], &one))
        return IMP_OK;
    if (l->count == l->capacity && l->count)
        patch_links_sort(l);
    if (l->count > l->capacity / 2 || !l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : 64;
        int err =
            mem_grow(l->mem, l->count * sizeof *l->link, capacity * sizeof *l->link, &l->link);
        if (err)
            return err;
        l->capacity = capacity;
    }
    l->link[l->count++] = one;
    return IMP_OK;
}

/* A frame, its rows around vertices or primitives, and the primitives of its mesh. */
typedef struct patch_view {
    const patch_frame *frame;
    const patch_around *around;
    const event_prim *prims;
} patch_view;

/* The rows around a vertex in the frame before mark the vertices of their other side with their
 * patch: rows that share both vertices are in one patch. */
static void patch_links_mark(const patch_view *v, size_t list, int vertices, patch_marks *marks)
{
    patch_marks_clear(marks);
    for (size_t n = v->around->begin[list]; n < v->around->begin[list + 1]; n++) {
        const uint32_t row = v->around->row[n] / 2;
        const patch_side side =
            patch_side_of(v->frame, v->prims, row, !(v->around->row[n] % 2), vertices);
        for (uint32_t k = 0; k < side.count; k++)
            marks->mark[side.number[k]] = (patch_mark){marks->stamp, v->frame->patch_of[row]};
    }
}

static int patch_links_look(patch_links *l, const patch_view *v, size_t list, int vertices,
                            const patch_marks *marks)
{
    int err = IMP_OK;
    for (size_t n = v->around->begin[list]; n < v->around->begin[list + 1]; n++) {
        const uint32_t row = v->around->row[n] / 2;
        const patch_side side =
            patch_side_of(v->frame, v->prims, row, !(v->around->row[n] % 2), vertices);
        for (uint32_t k = 0; k < side.count; k++) {
            const patch_mark *mark = &marks->mark[side.number[k]];
            if (mark->stamp == marks->stamp)
                TRY(patch_links_add(l, v->frame->patch_of[row], mark->value));
        }
    }
out:
    return err;
}

/* Returns the patch of the rows of a list; UINT32_MAX if they are of several. */
static uint32_t patch_links_patch(const patch_view *v, size_t list)
{
    const uint32_t *row = v->around->row + v->around->begin[list],
                   *end = v->around->row + v->around->begin[list + 1];
    const uint32_t patch = v->frame->patch_of[*row / 2];
    while (++row < end)
        if (v->frame->patch_of[*row / 2] != patch)
            return UINT32_MAX;
    return patch;
}

/* Returns whether all that the two lists can give is the link that was added last. */
static int patch_links_known(const patch_links *l, const patch_view *now, size_t list,
                             const patch_view *before, size_t list_before)
{
    if (!l->count)
        return 0;
    const patch_link *last = &l->link[l->count - 1];
    return patch_links_patch(now, list) == last->now &&
           patch_links_patch(before, list_before) == last->before;
}

static int patch_links_views(patch_links *l, const patch_view *now, const patch_view *before,
                             int vertices, patch_marks *marks)
{
    int err = IMP_OK;
    for (size_t list = 0; list < now->around->lists; list++) {
        const uint32_t number = now->around->number[list];
        if (number >= before->around->slots ||
            before->around->slot[number].stamp != before->around->stamp)
            continue;
        const uint32_t list_before = before->around->slot[number].list;
        if (patch_links_known(l, now, list, before, list_before))
            continue;
        patch_links_mark(before, list_before, vertices, marks);
        TRY(patch_links_look(l, now, list, vertices, marks));
    }
out:
    return err;
}

/* Pairs that are the same share all vertices, unless vertices have other numbers in a changed
 * mesh. */
static int patch_links_same(patch_links *l, patch_view now, patch_view before,
                            const event_elements *e, patch_marks *marks)
{
    int err = IMP_OK;
    patch_around a = {0}, b = {0};
    TRY(patch_around_find(l->mem, &a, now.frame, e, 0));
    TRY(patch_around_find(l->mem, &b, before.frame, e, 0));
    TRY(patch_marks_reserve(l->mem, marks, e->of_prims.count));
    now.around = &a;
    before.around = &b;
    TRY(patch_links_views(l, &now, &before, 0, marks));
out:
    patch_around_free(l->mem, &a);
    patch_around_free(l->mem, &b);
    return err;
}

int patch_links_find(patch_links *l, const patch_frame *now, const patch_frame *before,
                     const event_elements *e, patch_marks *marks)
{
    int err = IMP_OK;
    const patch_view n = {now, &now->around, patch_frame_all_prims(now, e)},
                     b = {before, &before->around, patch_frame_all_prims(before, e)};
    l->count = 0;
    if (!now->rows || !before->rows)
        return IMP_OK;
    TRY(patch_links_views(l, &n, &b, 1, marks));
    if (now->mesh != before->mesh)
        TRY(patch_links_same(l, n, b, e, marks));
    patch_links_sort(l);
out:
    return err;
}
