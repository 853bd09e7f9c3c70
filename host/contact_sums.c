/* See contact_sums.h. */
#include "contact_sums.h"

#include "error.h"

const char *const contact_kind_name[CONTACT_KINDS] = {"candidate", "point", "segment", "area",
                                                      "duplicate"};

static int add_pair(tally *t, int32_t a, int32_t b)
{
    return tally_add(t, a < b ? a : b, a < b ? b : a, 1);
}

int contact_sums_add(contact_sums *s, const imp_contacts *c, const imp_mesh *mesh)
{
    int err = IMP_OK;
    const int32_t *object = mesh->object;
    for (size_t i = 0; i < c->count; i++)
        s->kind[c->kind[i] % CONTACT_KINDS]++;
    if (!object)
        return tally_add(&s->pairs, 0, 0, c->count);
    for (size_t i = 0; i < c->count; i++)
        TRY(add_pair(&s->pairs, object[c->a[i]], object[c->b[i]]));
out:
    return err;
}

int contact_sums_add_rows(contact_sums *s, const result_rows *rows)
{
    int err = IMP_OK;
    for (uint64_t i = 0; i < rows->count; i++) {
        s->kind[rows->kind[i] % CONTACT_KINDS]++;
        TRY(add_pair(&s->pairs, rows->object_a[i], rows->object_b[i]));
    }
out:
    return err;
}

void json_kinds(json *j, const uint64_t kind[CONTACT_KINDS])
{
    json_open(j, "kinds", '{');
    for (int k = 0; k < CONTACT_KINDS; k++)
        json_count(j, contact_kind_name[k], kind[k]);
    json_close(j, '}');
}

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
