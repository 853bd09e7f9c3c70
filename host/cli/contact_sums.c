/* See contact_sums.h. */
#include "contact_sums.h"

#include "error.h"

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

/* If memory does not suffice for all pairs, none is kept: a part of them would look like all.
 * first: the first of these contacts; NULL: they have neither times nor distances. */
static void contact_sums_add_pair(contact_sums *s, int32_t a, int32_t b, uint64_t count,
                                  const first_contact *first)
{
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    if (s->too_many)
        return;
    int err = tally_add(&s->pairs, low, high, count);
    if (!err && first && count) {
        first_contact c = *first;
        c.a = low;
        c.b = high;
        err = first_contacts_add(&s->firsts, &c);
    }
    if (!err)
        return;
    s->too_many = 1;
    tally_free(&s->pairs);
    first_contacts_free(&s->firsts);
}

/* Without objects all primitives belong to object 0. */
void contact_sums_add(contact_sums *s, const imp_contacts *c, uint64_t k, const result_step *of)
{
    const int32_t *object = of->mesh->object;
    for (size_t i = 0; i < c->count; i++)
        s->kind[c->kind[i] % CONTACT_KINDS]++;
    /* without objects, one addition for all contacts; the first one is the earliest, but need not
     * be the nearest */
    const size_t each = object || c->distance ? 1 : c->count;
    for (size_t i = 0; i < c->count; i += each) {
        first_contact at = {.step = k, .frame = of->number};
        if (c->distance) {
            at.near = 1;
            at.distance = c->distance[i];
            at.thick = c->penetration != NULL;
            at.penetration = c->penetration ? c->penetration[i] : 0;
        }
        if (c->toi) {
            at.toi = c->toi[i];
            at.time = result_time(of, at.toi);
        }
        contact_sums_add_pair(s, object ? object[c->a[i]] : 0, object ? object[c->b[i]] : 0, each,
                              c->toi || c->distance ? &at : NULL);
    }
}

void contact_sums_add_rows(contact_sums *s, const result_rows *rows, uint64_t k, uint64_t frame)
{
    const int timed = rows->toi && rows->time;
    for (uint64_t i = 0; i < rows->count; i++) {
        first_contact at = {.step = k, .frame = frame, .near = rows->distance != NULL};
        if (rows->distance)
            at.distance = rows->distance[i];
        at.thick = rows->penetration != NULL;
        at.penetration = rows->penetration ? rows->penetration[i] : 0;
        if (timed) {
            at.toi = rows->toi[i];
            at.time = rows->time[i];
        }
        /* a damaged result may have any kind: the index must stay within the array */
        s->kind[rows->kind[i] % CONTACT_KINDS]++;
        contact_sums_add_pair(s, rows->object_a[i], rows->object_b[i], 1,
                              timed || rows->distance ? &at : NULL);
    }
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

static int first_contacts_earlier(const first_contact *x, const first_contact *y)
{
    if (x->distance != y->distance)
        return x->distance < y->distance;
    return x->step != y->step ? x->step < y->step : x->toi < y->toi;
}

int first_contacts_add(first_contacts *t, const first_contact *c)
{
    int err = IMP_OK;
    if (t->count >= t->capacity / 2)
        TRY(first_contacts_grow(t));
    first_contact *at = first_contacts_lookup(t->at, t->capacity, c->a, c->b);
    t->count += !at->known;
    const double deepest =
        at->known && at->penetration > c->penetration ? at->penetration : c->penetration;
    if (!at->known || first_contacts_earlier(c, at))
        *at = *c;
    at->known = 1;
    at->penetration = deepest;
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

void first_contact_json(json *j, const first_contact *c)
{
    if (!c)
        return;
    if (c->near) {
        json_real(j, "least_distance", c->distance);
        json_count(j, "least_distance_frame", c->frame);
        if (c->thick)
            json_real(j, "deepest_penetration", c->penetration);
        return;
    }
    json_count(j, "first_frame", c->frame);
    json_real(j, "first_share", c->toi);
    json_real(j, "first_time", c->time);
}
