/* See variants.h. */
#include "variants.h"

#include "expect.h"

/* Pairwise: each combination of values of any two options occurs. */
const variant variants[VARIANTS] = {
    {1, 6, 1, 1, 2, 1},   {1, 8, 2, 2, 3, 4},     {1, 14, 1, 2, 8, 9},  {1, 18, 2, 1, 50, 30},
    {1, 26, 1, 1, 3, 30}, {2, 6, 2, 2, 8, 30},    {2, 8, 1, 1, 50, 9},  {2, 14, 2, 1, 2, 4},
    {2, 18, 1, 2, 3, 1},  {2, 26, 2, 2, 50, 4},   {3, 6, 1, 2, 50, 4},  {3, 8, 2, 1, 8, 1},
    {3, 14, 2, 1, 3, 30}, {3, 18, 1, 1, 2, 9},    {3, 26, 2, 2, 2, 30}, {4, 6, 2, 1, 3, 9},
    {4, 8, 1, 2, 2, 30},  {4, 14, 1, 2, 50, 1},   {4, 18, 2, 2, 8, 4},  {4, 26, 1, 1, 8, 9},
    {4, 6, 1, 2, 3, 4},   {4, 18, 1, 1, 2, 2, 2},
};

imp_def variant_def(const variant *v)
{
    return (imp_def){.broad = "tree",
                     .volume = v->volume,
                     .dop_k = v->dop,
                     .build = v->build,
                     .descent = v->descent,
                     .degree = (uint32_t)v->degree,
                     .leaf = (uint32_t)v->leaf,
                     .hybrid_level = (uint32_t)v->level,
                     .on_bad = IMP_BAD_SKIP};
}

static int row_before(const struct contact_row *a, const struct contact_row *b)
{
    return a->frame != b->frame ? a->frame < b->frame : a->a != b->a ? a->a < b->a : a->b < b->b;
}

/* Returns whether all rows of `some` are in `all`. Both are sorted. */
static int is_part(const contact_list *some, const contact_list *all)
{
    size_t k = 0;
    for (size_t i = 0; i < some->count; i++, k++) {
        while (k < all->count && row_before(&all->row[k], &some->row[i]))
            k++;
        if (k == all->count || row_before(&some->row[i], &all->row[k]))
            return 0;
    }
    return 1;
}

void variant_detect(const way *w, const imp_def *def, const made *m, contact_list *out,
                    imp_profile *told)
{
    imp *p = way_pipeline(w, def);
    *out = (contact_list){0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    if (imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL))
        way_failed(w, def->broad, m->name, imp_error_text());
    if (told)
        imp_profile_get(p, told);
    imp_destroy(p);
}

void variant_check(const way *w, const variant *v, const made *m, int which)
{
    contact_list want, got, found, all;
    imp_def def = variant_def(v), plain = {.broad = "brute", .on_bad = IMP_BAD_SKIP};
    plain.dop_k = v->dop;
    plain.pairs = def.pairs = which;
    variant_detect(w, &plain, m, &want, NULL);
    variant_detect(w, &def, m, &got, NULL);
    plain.stage = def.stage = IMP_STAGE_CANDIDATES;
    variant_detect(w, &plain, m, &all, NULL);
    variant_detect(w, &def, m, &found, NULL);
    int same =
        v->volume == IMP_VOLUME_DOP ? contact_list_equal(&all, &found) : is_part(&found, &all);
    EXPECT(contact_list_equal(&want, &got), "%s, %s, volume %d, dop %d: other contacts", w->name,
           m->name, v->volume, v->dop);
    EXPECT(same && is_part(&got, &found), "%s, %s, volume %d, dop %d: other candidates", w->name,
           m->name, v->volume, v->dop);
    contact_list_free(&want);
    contact_list_free(&got);
    contact_list_free(&all);
    contact_list_free(&found);
}
