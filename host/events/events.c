/* See events.h: the chain of patches. */
#include "events.h"

#include "error.h"
#include "event_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_PART SIZE_MAX

/* The figures of a patch. */
typedef struct patch_sums {
    double length, depth, penetration, distance, begin, end;
    size_t worst;    /* in the order of rows */
    double severity; /* of that row */
} patch_sums;

/* A link from the patch of a part in the frame before to a patch of this one. */
typedef struct part_link {
    size_t part;
    uint32_t now;
} part_link;

/* A row of an event bounds a region. */
typedef struct event_bound {
    size_t event;
    int64_t region;
} event_bound;

/* members: what lasts from frame to frame, and arrays that are used again */
struct event_chain {
    mem *mem;
    event_elements elements;
    patch_frame frame[2]; /* [frames % 2] is the next one */
    patch_links links;
    patch_marks marks;
    patch_sums *sums; /* of this frame's patches */
    part_link *link;
    event_bound *bound; /* the regions that the rows of this frame bound */
    size_t sums_capacity, link_capacity, bound_capacity;
    uint64_t frames;
    contact_event *event;
    event_part *part;
    size_t events, event_capacity, parts, part_capacity;
    event_change *change;
    size_t changes, change_capacity;
    int lists;   /* the primitives and the worst rows of events are listed */
    int64_t *id; /* events_end: those of all events */
    size_t *begin;
};

int events_open(mem *m, int lists, event_chain **out)
{
    int err = mem_alloc(m, sizeof **out, out);
    if (err)
        return err;
    **out = (event_chain){.mem = m, .lists = lists};
    (*out)->elements.mem = (*out)->frame[0].mem = (*out)->frame[1].mem = (*out)->links.mem = m;
    return IMP_OK;
}

void events_close(event_chain *e)
{
    if (!e)
        return;
    event_elements_free(&e->elements);
    patch_frame_free(&e->frame[0]);
    patch_frame_free(&e->frame[1]);
    mem_free(e->mem, e->links.link);
    mem_free(e->mem, e->marks.mark);
    mem_free(e->mem, e->sums);
    mem_free(e->mem, e->link);
    mem_free(e->mem, e->bound);
    mem_free(e->mem, e->event);
    mem_free(e->mem, e->part);
    mem_free(e->mem, e->change);
    mem_free(e->mem, e->id);
    mem_free(e->mem, e->begin);
    mem_free(e->mem, e);
}

column_set events_columns(void)
{
    return COLUMN_BIT(STORED_a) | COLUMN_BIT(STORED_b) | COLUMN_BIT(STORED_id_a) |
           COLUMN_BIT(STORED_id_b) | COLUMN_BIT(STORED_object_a) | COLUMN_BIT(STORED_object_b) |
           COLUMN_BIT(STORED_kind) | COLUMN_BIT(STORED_points) | COLUMN_BIT(STORED_time) |
           COLUMN_BIT(STORED_depth) | COLUMN_BIT(STORED_distance) | COLUMN_BIT(STORED_penetration);
}

int events_set_mesh(event_chain *e, const event_mesh *mesh)
{
    return event_elements_mesh(&e->elements, mesh->mesh, mesh->number);
}

/* ---- figures of rows */

/* The line of other contacts is the gap between two primitives, or the diameter of an area. */
static int events_is_segment(uint8_t kind)
{
    return (kind & ~IMP_KIND_AT_START) == IMP_KIND_SEGMENT || kind == IMP_KIND_CROSSED;
}

static double events_length(const double p[6])
{
    const double x = p[3] - p[0], y = p[4] - p[1], z = p[5] - p[2];
    return sqrt(x * x + y * y + z * z);
}

static double events_value(const double *column, size_t i, double absent)
{
    return column ? column[i] : absent;
}

/* A row with a greater one is worse. */
static double events_severity(const result_rows *r, size_t i)
{
    return r->penetration ? r->penetration[i]
           : r->distance  ? -r->distance[i]
                          : events_value(r->depth, i, 0);
}

/* Adds row n in the order of rows, which is row i of the given ones. */
static void patch_sums_add(patch_sums *s, const event_frame *of, size_t n, size_t i)
{
    const result_rows *r = of->rows;
    const double time = events_value(r->time, i, of->time), severity = events_severity(r, i);
    if (events_is_segment(r->kind[i]))
        s->length += events_length(r->points + 6 * i);
    if (r->depth && r->depth[i] > s->depth)
        s->depth = r->depth[i];
    if (r->penetration && r->penetration[i] > s->penetration)
        s->penetration = r->penetration[i];
    if (r->distance && r->distance[i] < s->distance)
        s->distance = r->distance[i];
    s->begin = time < s->begin ? time : s->begin;
    s->end = time > s->end ? time : s->end;
    if (severity > s->severity) {
        s->severity = severity;
        s->worst = n;
    }
}

/* Adds the rows in the order of their pairs, so that sums have the same bits for any order of the
 * given rows. */
static int events_sum_patches(event_chain *e, const patch_frame *f, const event_frame *of)
{
    int err = IMP_OK;
    const result_rows *r = of->rows;
    if (f->patches > e->sums_capacity) {
        TRY(mem_grow(e->mem, 0, f->patches * sizeof *e->sums, &e->sums));
        e->sums_capacity = f->patches;
    }
    for (size_t p = 0; p < f->patches; p++) {
        const size_t first = f->patch[p].first, i = f->order[first];
        const double time = events_value(r->time, i, of->time);
        e->sums[p] = (patch_sums){.distance = INFINITY,
                                  .begin = time,
                                  .end = time,
                                  .worst = first,
                                  .severity = events_severity(r, i)};
    }
    for (size_t n = 0; n < f->rows; n++)
        patch_sums_add(&e->sums[f->patch_of[n]], of, n, f->order[n]);
out:
    return err;
}

/* ---- which part goes on in which patch */

static int part_link_compare(const void *x, const void *y)
{
    const part_link *p = x, *q = y;
    if (p->part != q->part)
        return p->part < q->part ? -1 : 1;
    return (p->now > q->now) - (p->now < q->now);
}

/* Makes e->link the links from the parts of the frame before, in order of parts. */
static int events_find_links(event_chain *e, const patch_frame *now, const patch_frame *before)
{
    int err = IMP_OK;
    TRY(patch_links_find(&e->links, now, before, &e->elements, &e->marks));
    if (e->links.count > e->link_capacity) {
        TRY(mem_grow(e->mem, 0, e->links.count * sizeof *e->link, &e->link));
        e->link_capacity = e->links.count;
    }
    for (size_t i = 0; i < e->links.count; i++)
        e->link[i] = (part_link){before->patch[e->links.link[i].before].part, e->links.link[i].now};
    if (e->links.count)
        qsort(e->link, e->links.count, sizeof *e->link, part_link_compare);
out:
    return err;
}

/* Returns the end of the links of the part that link i is of. */
static size_t part_links_end(const event_chain *e, size_t i)
{
    size_t end = i + 1;
    while (end < e->links.count && e->link[end].part == e->link[i].part)
        end++;
    return end;
}

/* Older parts choose first: of the patches that no older part goes on in, the one with the most
 * rows, of equal ones the first. The parent of a patch becomes the oldest part that is linked to
 * it. */
static void events_go_on(const event_chain *e, patch_frame *now)
{
    for (size_t i = 0; i < e->links.count;) {
        const size_t end = part_links_end(e, i);
        contact_patch *best = NULL;
        for (size_t k = i; k < end; k++) {
            contact_patch *p = &now->patch[e->link[k].now];
            if (p->part == NO_PART && (!best || p->rows > best->rows))
                best = p;
            if (p->parent == NO_PART)
                p->parent = e->link[k].part;
        }
        if (best)
            best->part = e->link[i].part;
        i = end;
    }
}

static int events_add_change(event_chain *e, enum event_change_kind kind, size_t part, size_t other)
{
    int err = mem_fit(e->mem, e->changes, &e->change_capacity, sizeof *e->change, &e->change);
    if (!err)
        e->change[e->changes++] = (event_change){e->frames, kind, part, other};
    return err;
}

static int events_change_compare(const void *x, const void *y)
{
    const event_change *p = x, *q = y;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->part != q->part)
        return p->part < q->part ? -1 : 1;
    return (p->other > q->other) - (p->other < q->other);
}

/* Each link to a patch in which another part goes on, or begins, is a change. */
static int events_find_changes(event_chain *e, const patch_frame *now)
{
    int err = IMP_OK;
    const size_t first = e->changes;
    for (size_t i = 0; i < e->links.count;) {
        const size_t end = part_links_end(e, i), part = e->link[i].part;
        int goes_on = 0;
        for (size_t k = i; k < end; k++)
            goes_on |= now->patch[e->link[k].now].part == part;
        for (; i < end; i++) {
            const size_t other = now->patch[e->link[i].now].part;
            if (other != part)
                TRY(events_add_change(e, goes_on ? EVENT_SPLIT : EVENT_MERGE, part, other));
        }
    }
    if (e->changes > first)
        qsort(e->change + first, e->changes - first, sizeof *e->change, events_change_compare);
out:
    return err;
}

/* ---- figures of events */

/* The primitive of the event's object a is first; within one object that with the lower number. */
static event_place events_place(const event_chain *e, const patch_frame *f, const result_rows *r,
                                size_t row)
{
    const size_t i = f->order[row];
    const double *p = r->points + 6 * i;
    const int swap =
        r->object_a[i] != r->object_b[i] ? r->object_a[i] > r->object_b[i] : r->a[i] > r->b[i];
    event_place at = {e->frames, row, swap ? r->b[i] : r->a[i], swap ? r->a[i] : r->b[i], {0}};
    for (int k = 0; k < 3; k++)
        at.point[k] = 0.5 * p[k] + 0.5 * p[3 + k]; /* a sum of both might overflow */
    return at;
}

/* A new part is one of the event that it was a part of in the frame before, or of a new event.
 * Patches are in order of their least pairs, and so are new parts and events. */
static int events_begin(event_chain *e, patch_frame *now)
{
    int err = IMP_OK;
    for (size_t p = 0; p < now->patches; p++) {
        contact_patch *patch = &now->patch[p];
        size_t id = e->events;
        if (patch->part != NO_PART)
            continue;
        if (patch->parent != NO_PART) {
            id = e->part[patch->parent].event;
        } else {
            TRY(mem_fit(e->mem, e->events, &e->event_capacity, sizeof *e->event, &e->event));
            e->event[e->events++] = (contact_event){.a = patch->a,
                                                    .b = patch->b,
                                                    .first = e->frames,
                                                    .last = e->frames,
                                                    .begin = INFINITY,
                                                    .end = -INFINITY,
                                                    .distance = INFINITY,
                                                    .severity = -INFINITY};
        }
        TRY(mem_fit(e->mem, e->parts, &e->part_capacity, sizeof *e->part, &e->part));
        patch->part = e->parts;
        e->part[e->parts++] =
            (event_part){.event = id, .number = e->event[id].parts++, .first = e->frames};
    }
out:
    return err;
}

static void events_add_to_part(const event_chain *e, event_part *of, const contact_patch *p,
                               const patch_sums *s)
{
    if (p->rows > of->contacts) {
        of->contacts = p->rows;
        of->contacts_frame = e->frames;
    }
    of->length = fmax(of->length, s->length);
    of->last = e->frames;
}

/* The sums of a frame grow from patch to patch, so the greatest of all sums so far is that of whole
 * frames in the end. */
static void events_add_to_event(const event_chain *e, contact_event *of, const contact_patch *p,
                                const patch_sums *s)
{
    if (of->last != e->frames) {
        of->last = e->frames;
        of->last_contacts = 0;
        of->last_length = 0;
        of->end = -INFINITY;
    }
    of->last_contacts += p->rows;
    of->last_length += s->length;
    if (of->last_contacts > of->contacts) {
        of->contacts = of->last_contacts;
        of->contacts_frame = e->frames;
    }
    of->length = fmax(of->length, of->last_length);
    of->depth = fmax(of->depth, s->depth);
    of->penetration = fmax(of->penetration, s->penetration);
    of->distance = fmin(of->distance, s->distance);
    of->end = fmax(of->end, s->end);
    if (of->first == e->frames)
        of->begin = fmin(of->begin, s->begin);
}

/* Rows of patches may alternate: of equal ones the first is found by its place. */
static int events_is_worse(const event_chain *e, const contact_event *of, const patch_sums *s)
{
    if (s->severity != of->severity)
        return s->severity > of->severity;
    return of->worst.frame == e->frames && s->worst < of->worst.row;
}

static void events_add_patch(event_chain *e, const patch_frame *f, size_t p,
                             const result_rows *rows)
{
    const patch_sums *s = &e->sums[p];
    event_part *part = &e->part[f->patch[p].part];
    contact_event *of = &e->event[part->event];
    events_add_to_part(e, part, &f->patch[p], s);
    events_add_to_event(e, of, &f->patch[p], s);
    if (events_is_worse(e, of, s)) {
        of->severity = s->severity;
        of->worst = events_place(e, f, rows, s->worst);
    }
}

static double events_rank(const result_rows *r, size_t i)
{
    if (r->penetration || r->distance || r->depth)
        return events_severity(r, i);
    return r->time ? -r->time[i] : events_length(r->points + 6 * i);
}

/* Keeps row n, in the order of rows, if it is one of the worst. Of equal ones the first stay. */
static void events_rank_row(const event_chain *e, contact_event *of, const patch_frame *f,
                            const result_rows *rows, size_t n)
{
    const double rank = events_rank(rows, f->order[n]);
    size_t at = of->ranked_count;
    of->contacts_all++;
    while (at && rank > of->ranked[at - 1].rank)
        at--;
    if (at == EVENT_RANKED)
        return;
    if (of->ranked_count < EVENT_RANKED)
        of->ranked_count++;
    for (size_t k = of->ranked_count - 1; k > at; k--)
        of->ranked[k] = of->ranked[k - 1];
    of->ranked[at] = (event_ranked){events_place(e, f, rows, n), rank};
}

static void events_rank_rows(event_chain *e, const patch_frame *f, const result_rows *rows)
{
    for (size_t n = 0; n < f->rows; n++) {
        const size_t part = f->patch[f->patch_of[n]].part;
        events_rank_row(e, &e->event[e->part[part].event], f, rows, n);
    }
}

static int event_bound_compare(const void *x, const void *y)
{
    const event_bound *p = x, *q = y;
    if (p->event != q->event)
        return p->event < q->event ? -1 : 1;
    return (p->region > q->region) - (p->region < q->region);
}

/* Makes e->bound the regions that the rows of each event bound, in order of events; many rows bound
 * that of the row before. *count: their number, each as often as it was found. */
static int events_find_bounds(event_chain *e, const patch_frame *f, const event_regions *r,
                              size_t *count)
{
    int err = IMP_OK;
    size_t n = 0;
    if (2 * f->rows > e->bound_capacity) {
        e->bound_capacity = 0;
        TRY(mem_grow(e->mem, 0, 2 * f->rows * sizeof *e->bound, &e->bound));
        e->bound_capacity = 2 * f->rows;
    }
    for (size_t i = 0; i < f->rows; i++)
        for (size_t s = 0; s < 2; s++) {
            const event_bound b = {e->part[f->patch[f->patch_of[i]].part].event,
                                   r->of_row[(size_t)2 * f->order[i] + s]};
            if (b.region >= 0 && (n < 2 || event_bound_compare(&b, &e->bound[n - 2]) != 0) &&
                (n < 1 || event_bound_compare(&b, &e->bound[n - 1]) != 0))
                e->bound[n++] = b;
        }
    if (n)
        qsort(e->bound, n, sizeof *e->bound, event_bound_compare);
    *count = n;
out:
    return err;
}

/* Adds up each region of an event once, in their order. */
static int events_add_areas(event_chain *e, const patch_frame *f, const event_regions *r)
{
    int err = IMP_OK;
    size_t n;
    double area = 0;
    TRY(events_find_bounds(e, f, r, &n));
    for (size_t i = 0; i < n; i++) {
        const event_bound *b = &e->bound[i];
        contact_event *of = &e->event[b->event];
        const int first = !i || b[-1].event != b->event;
        if (first || b[-1].region != b->region)
            area = (first ? 0 : area) + r->of[b->region].area;
        of->area = fmax(of->area, area);
    }
out:
    return err;
}

/* Many rows have the first primitive of the row before, in the same patch. */
static int events_count_prims(event_chain *e, const patch_frame *now)
{
    int err = IMP_OK;
    event_prim *prims = e->elements.of[now->mesh % 2].prim;
    for (size_t i = 0; i < now->rows; i++) {
        const size_t part = now->patch[now->patch_of[i]].part;
        for (int s = 0; s < 2; s++)
            if (!i || now->prim[i][s] != now->prim[i - 1][s] ||
                now->patch_of[i] != now->patch_of[i - 1])
                TRY(event_elements_count(&e->elements, e->part[part].event,
                                         &prims[now->prim[i][s]]));
    }
out:
    return err;
}

/* ---- frames */

static int events_add_rows(event_chain *e, patch_frame *now, const patch_frame *before,
                           const event_frame *of)
{
    int err = IMP_OK;
    TRY(events_sum_patches(e, now, of));
    TRY(events_find_links(e, now, before));
    for (size_t p = 0; p < now->patches; p++)
        now->patch[p].part = now->patch[p].parent = NO_PART;
    events_go_on(e, now);
    TRY(events_begin(e, now));
    TRY(events_find_changes(e, now));
    for (size_t p = 0; p < now->patches; p++)
        events_add_patch(e, now, p, of->rows);
    if (of->regions)
        TRY(events_add_areas(e, now, of->regions));
    if (e->lists) {
        events_rank_rows(e, now, of->rows);
        TRY(events_count_prims(e, now));
    }
out:
    return err;
}

int events_add(event_chain *e, const char *path, const event_frame *of)
{
    int err = IMP_OK;
    patch_frame *now = &e->frame[e->frames % 2];
    const patch_frame *before = &e->frame[(e->frames + 1) % 2];
    now->rows = now->patches = 0;
    if (of->rows && of->rows->count) {
        TRY(patch_frame_find(now, &e->elements, &e->marks, path, of->number, of->rows));
        TRY(events_add_rows(e, now, before, of));
        e->elements.mesh_changed = 0;
    }
    e->frames++;
out:
    return err;
}

int events_end(event_chain *e)
{
    if (!e->lists)
        return IMP_OK;
    const int err = event_elements_list(&e->elements, e->events, &e->id, &e->begin);
    if (err)
        return err;
    for (size_t i = 0; i < e->events; i++) {
        e->event[i].primitives = e->begin[i + 1] - e->begin[i];
        e->event[i].primitive = e->id + e->begin[i];
    }
    return IMP_OK;
}

size_t events_count(const event_chain *e)
{
    return e->events;
}

const contact_event *events_get(const event_chain *e, size_t id)
{
    return &e->event[id];
}

size_t events_parts(const event_chain *e)
{
    return e->parts;
}

const event_part *events_part(const event_chain *e, size_t i)
{
    return &e->part[i];
}

size_t events_changes(const event_chain *e)
{
    return e->changes;
}

const event_change *events_change(const event_chain *e, size_t i)
{
    return &e->change[i];
}
