/* See contact_sums.h. */
#include "contact_sums.h"

#include "cli.h"
#include "error.h"
#include "object_text.h"

#include <stdio.h>
#include <string.h>

#define AT_START IMP_KIND_AT_START

const char *const contact_kind_name[CONTACT_KINDS] = {
    [IMP_KIND_CANDIDATE] = "candidate",
    [IMP_KIND_POINT] = "point",
    [IMP_KIND_SEGMENT] = "segment",
    [IMP_KIND_AREA] = "area",
    [IMP_KIND_DUPLICATE] = "duplicate",
    [IMP_KIND_SOLIDS] = "solids",
    [IMP_KIND_VERTEX_FACE] = "vertex-face",
    [IMP_KIND_EDGE_EDGE] = "edge-edge",
    [IMP_KIND_VERTEX_EDGE] = "vertex-edge",
    [IMP_KIND_VERTEX_VERTEX] = "vertex-vertex",
    [IMP_KIND_CROSSED] = "crossed",
    [IMP_KIND_VERTEX_INSIDE] = "vertex-inside",
    [IMP_KIND_POINT + AT_START] = "point at start",
    [IMP_KIND_SEGMENT + AT_START] = "segment at start",
    [IMP_KIND_AREA + AT_START] = "area at start",
    [IMP_KIND_DUPLICATE + AT_START] = "duplicate at start",
    [IMP_KIND_SOLIDS + AT_START] = "solids at start"};

static int first_contacts_earlier(const first_contact *x, const first_contact *y)
{
    if (x->distance != y->distance)
        return x->distance < y->distance;
    return x->at.step != y->at.step ? x->at.step < y->at.step : x->toi < y->toi;
}

/* Both are of one pair. */
static void first_contact_join(first_contact *to, const first_contact *c)
{
    const first_contact x = *to;
    if (first_contacts_earlier(c, to))
        *to = *c;
    to->penetration = c->penetration > x.penetration ? c->penetration : x.penetration;
    const int deeper =
        c->depth > x.depth || (c->depth == x.depth && c->deepest.step < x.deepest.step);
    to->depth = deeper ? c->depth : x.depth;
    to->deepest = deeper ? c->deepest : x.deepest;
    to->begin = c->begin.step < x.begin.step ? c->begin : x.begin;
    to->end = c->end.step > x.end.step ? c->end : x.end;
}

first_contact first_contact_row(uint64_t step, uint64_t frame)
{
    const contact_step at = {step, frame};
    return (first_contact){.known = 1, .at = at, .deepest = at, .begin = at, .end = at};
}

/* If memory does not suffice for all pairs, none is kept: a part of them would look like all. */
static void contact_sums_end_run(contact_sums *s)
{
    if (s->run_count && s->all.known)
        first_contact_join(&s->all, &s->run);
    else if (s->run_count)
        s->all = s->run;
    if (s->run_count && !s->too_many &&
        (tally_add(&s->pairs, s->run.a, s->run.b, s->run_count) ||
         first_contacts_add(&s->firsts, &s->run))) {
        s->too_many = 1;
        tally_free(&s->pairs);
        first_contacts_free(&s->firsts);
    }
    s->run_count = 0;
}

/* Contacts of one pair mostly come one after another. */
static void contact_sums_add_row(contact_sums *s, uint8_t kind, int32_t a, int32_t b,
                                 first_contact *of)
{
    of->a = a < b ? a : b;
    of->b = a < b ? b : a;
    /* a damaged result may have any kind: the index must stay within the array */
    s->kind[kind % CONTACT_KINDS]++;
    if (s->run_count && s->run.a == of->a && s->run.b == of->b) {
        first_contact_join(&s->run, of);
    } else {
        contact_sums_end_run(s);
        s->run = *of;
    }
    s->run_count++;
}

/* Columns of contacts; NULL: they have none. */
typedef struct sums_columns {
    const double *distance, *penetration, *depth, *toi;
} sums_columns;

static first_contact contact_sums_row(const sums_columns *c, uint64_t i, uint64_t step,
                                      uint64_t frame)
{
    first_contact at = first_contact_row(step, frame);
    at.near = c->distance != NULL;
    at.distance = c->distance ? c->distance[i] : 0;
    at.thick = c->penetration != NULL;
    at.penetration = c->penetration ? c->penetration[i] : 0;
    at.deep = c->depth != NULL;
    at.depth = c->depth ? c->depth[i] : 0;
    at.timed = c->toi != NULL;
    at.toi = c->toi ? c->toi[i] : 0;
    return at;
}

/* Without objects all primitives belong to object 0. */
void contact_sums_add(contact_sums *s, const imp_contacts *c, uint64_t k, const result_step *of)
{
    const int32_t *object = of->mesh->object;
    const sums_columns columns = {c->distance, c->penetration, c->depth, c->toi};
    for (size_t i = 0; i < c->count; i++) {
        first_contact at = contact_sums_row(&columns, i, k, of->number);
        at.time = at.timed ? result_time(of, at.toi) : 0;
        contact_sums_add_row(s, c->kind[i], object ? object[c->a[i]] : 0,
                             object ? object[c->b[i]] : 0, &at);
    }
    contact_sums_end_run(s);
}

void contact_sums_add_rows(contact_sums *s, const result_rows *rows, uint64_t k, uint64_t frame)
{
    const sums_columns columns = {rows->distance, rows->penetration, rows->depth,
                                  rows->time ? rows->toi : NULL};
    for (uint64_t i = 0; i < rows->count; i++) {
        first_contact at = contact_sums_row(&columns, i, k, frame);
        at.time = at.timed ? rows->time[i] : 0;
        contact_sums_add_row(s, rows->kind[i], rows->object_a[i], rows->object_b[i], &at);
    }
    contact_sums_end_run(s);
}

void contact_sums_free(contact_sums *s)
{
    tally_free(&s->pairs);
    first_contacts_free(&s->firsts);
}

/* Kinds of frames occur in all results. */
static int contact_sums_has_kind(int k, int continuous, int near)
{
    if (k == IMP_KIND_VERTEX_INSIDE)
        return near == CONTACT_SUMS_INSIDE;
    near = near != CONTACT_SUMS_INSIDE ? near : 0;
    if (k == IMP_KIND_CROSSED)
        return near == CONTACT_SUMS_THICK;
    const int of_features = k == IMP_KIND_VERTEX_FACE || k == IMP_KIND_EDGE_EDGE;
    return contact_kind_name[k] && (k <= IMP_KIND_SOLIDS || (of_features && (continuous || near)) ||
                                    (k > IMP_KIND_EDGE_EDGE && (k < AT_START ? near : continuous)));
}

void contact_sums_json_kinds(json *j, const uint64_t kind[CONTACT_KINDS], int continuous, int near)
{
    json_open(j, "kinds", '{');
    for (int k = 0; k < CONTACT_KINDS; k++)
        if (contact_sums_has_kind(k, continuous, near))
            json_count(j, contact_kind_name[k], kind[k]);
    json_close(j, '}');
}

/* Names are optional in a batch; objects without one are known by number alone. */
void contact_sums_json_pairs(json *j, const tally *pairs, const first_contacts *firsts,
                             const batch_names *names)
{
    json_open(j, "object_pairs", '[');
    for (size_t i = 0; i < pairs->rows; i++) {
        const tally_row *r = &pairs->row[i];
        const char *a = batch_object_name(names, r->a), *b = batch_object_name(names, r->b);
        json_open(j, NULL, '{');
        json_whole(j, "a", r->a);
        json_whole(j, "b", r->b);
        if (a)
            json_text(j, "name_a", a);
        if (b)
            json_text(j, "name_b", b);
        json_count(j, "contacts", r->count);
        first_contact_json(j, first_contacts_find(firsts, r->a, r->b));
        json_close(j, '}');
    }
    json_close(j, ']');
}

#define CAPACITY_FIRST ((size_t)64) /* a power of two, as are all later ones */

/* Multiplies by a number close to 2^64 divided by the golden ratio: the upper half depends on all
 * bits. */
static size_t first_contacts_hash(int32_t a, int32_t b, size_t capacity)
{
    const uint64_t pair = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    const uint64_t mixed = (pair ^ pair >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (capacity - 1);
}

/* Returns the pair's entry, or the free one where it belongs. Terminates, since half of the entries
 * are free. */
static first_contact *first_contacts_lookup(first_contact *at, size_t capacity, int32_t a,
                                            int32_t b)
{
    size_t i = first_contacts_hash(a, b, capacity);
    while (at[i].known && (at[i].a != a || at[i].b != b))
        i = (i + 1) & (capacity - 1);
    return &at[i];
}

/* Positions depend on the capacity: all are entered again. */
static int first_contacts_grow(first_contacts *t)
{
    int err = IMP_OK;
    first_contact *at;
    const size_t capacity = t->capacity ? 2 * t->capacity : CAPACITY_FIRST;
    TRY(mem_alloc(t->mem, capacity * sizeof *at, &at));
    memset(at, 0, capacity * sizeof *at);
    for (size_t i = 0; i < t->capacity; i++)
        if (t->at[i].known)
            *first_contacts_lookup(at, capacity, t->at[i].a, t->at[i].b) = t->at[i];
    mem_free(t->mem, t->at);
    t->at = at;
    t->capacity = capacity;
out:
    return err;
}

int first_contacts_add(first_contacts *t, const first_contact *c)
{
    int err = IMP_OK;
    if (t->count >= t->capacity / 2)
        TRY(first_contacts_grow(t));
    first_contact *at = first_contacts_lookup(t->at, t->capacity, c->a, c->b);
    t->count += !at->known;
    if (at->known)
        first_contact_join(at, c);
    else
        *at = *c;
out:
    return err;
}

const first_contact *first_contacts_find(const first_contacts *t, int32_t a, int32_t b)
{
    const first_contact *at = t->capacity ? first_contacts_lookup(t->at, t->capacity, a, b) : NULL;
    return at && at->known ? at : NULL;
}

void first_contacts_free(first_contacts *t)
{
    if (t->mem)
        mem_free(t->mem, t->at);
    *t = (first_contacts){.mem = t->mem};
}

/* Prints text between facts, first what comes before them. */
static const char *first_contact_join_text(const char **before)
{
    const char *now = *before;
    *before = ", ";
    return now;
}

int first_contact_print(const first_contact *c, const char *before)
{
    const char *const first = before;
    if (c->near)
        printf("%sleast distance %.9g in frame %s", first_contact_join_text(&before), c->distance,
               cli_number_text(c->at.frame));
    if (c->timed)
        printf("%sfirst contact at time %.9g (share %.6g of the step from frame %s)",
               first_contact_join_text(&before), c->time, c->toi, cli_number_text(c->at.frame));
    if (c->thick)
        printf("%sdeepest penetration %.9g", first_contact_join_text(&before), c->penetration);
    if (c->deep && c->depth > 0)
        printf("%sdepth up to %.9g in frame %s", first_contact_join_text(&before), c->depth,
               cli_number_text(c->deepest.frame));
    return before != first;
}

static void contact_sums_print_pair(const contact_sums *s, const tally_row *r,
                                    const batch_names *names)
{
    const first_contact *c = first_contacts_find(&s->firsts, r->a, r->b);
    const int all = s->pairs.rows == 1;
    printf("%s%s %s", all ? "all " : "", r->a == r->b ? "within" : "between",
           object_text(names, r->a));
    if (r->a != r->b)
        printf(" and %s", object_text(names, r->b));
    if (!all)
        printf(": %s in frame", cli_number_text(r->count));
    if (!all && c->begin.frame == c->end.frame)
        printf(" %s", cli_number_text(c->begin.frame));
    else if (!all)
        printf("s %s to %s", cli_number_text(c->begin.frame), cli_number_text(c->end.frame));
    first_contact_print(c, ", ");
    printf("\n");
}

void contact_sums_print(const contact_sums *s, uint64_t objects, const batch_names *names,
                        size_t most)
{
    const size_t pairs = s->too_many || objects == 1 ? 0 : s->pairs.rows;
    if (pairs != 1 && s->all.known && first_contact_print(&s->all, ""))
        printf("\n");
    for (size_t i = 0; i < pairs && i < most; i++)
        contact_sums_print_pair(s, &s->pairs.row[i], names);
    if (pairs > most)
        printf("and %s, none of them with more contacts; --json lists all\n",
               cli_count_text(pairs - most, "more pair"));
}

void first_contact_json(json *j, const first_contact *c)
{
    if (!c)
        return;
    json_count(j, "first_frame", c->begin.frame);
    json_count(j, "last_frame", c->end.frame);
    if (c->timed) {
        json_real(j, "first_share", c->toi);
        json_real(j, "first_time", c->time);
    }
    if (c->near) {
        json_real(j, "least_distance", c->distance);
        json_count(j, "least_distance_frame", c->at.frame);
    }
    if (c->thick)
        json_real(j, "deepest_penetration", c->penetration);
    if (c->deep) {
        json_real(j, "greatest_depth", c->depth);
        json_count(j, "greatest_depth_frame", c->deepest.frame);
    }
}
