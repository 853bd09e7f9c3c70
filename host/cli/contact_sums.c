/* See contact_sums.h. */
#include "contact_sums.h"

const char *const contact_kind_name[CONTACT_KINDS] = {"candidate", "point",     "segment",
                                                      "area",      "duplicate", "solids"};

/* Without memory for all pairs none is kept: a part of them would look like all. */
static void add_pair(contact_sums *s, int32_t a, int32_t b, uint64_t count)
{
    if (s->too_many || !tally_add(&s->pairs, a < b ? a : b, a < b ? b : a, count))
        return;
    s->too_many = 1;
    tally_free(&s->pairs);
}

/* Without objects all primitives are of object 0. */
void contact_sums_add(contact_sums *s, const imp_contacts *c, const imp_mesh *mesh)
{
    const int32_t *object = mesh->object;
    for (size_t i = 0; i < c->count; i++)
        s->kind[c->kind[i] % CONTACT_KINDS]++;
    if (!object)
        /* one addition for all of them, not one for each */
        add_pair(s, 0, 0, c->count);
    for (size_t i = 0; object && i < c->count; i++)
        add_pair(s, object[c->a[i]], object[c->b[i]], 1);
}

void contact_sums_add_rows(contact_sums *s, const result_rows *rows)
{
    for (uint64_t i = 0; i < rows->count; i++) {
        /* a damaged result may have any kind: the index must stay in the array */
        s->kind[rows->kind[i] % CONTACT_KINDS]++;
        add_pair(s, rows->object_a[i], rows->object_b[i], 1);
    }
}

void json_kinds(json *j, const uint64_t kind[CONTACT_KINDS])
{
    json_open(j, "kinds", '{');
    for (int k = 0; k < CONTACT_KINDS; k++)
        json_count(j, contact_kind_name[k], kind[k]);
    json_close(j, '}');
}

/* Names are optional in a batch; objects without one are known by number alone. */
void json_object_pairs(json *j, const tally *pairs, const batch_names *names)
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
        json_close(j, '}');
    }
    json_close(j, ']');
}
