/* Objects that imp_def.inside_object lists and that no primitive has: not an error of imp_detect,
 * since objects of a simulation come and go, but nothing can be inside them. */
#include "engine.h"

#include "error.h"
#include "mem.h"

#include <stdio.h>

#define LISTED_NAMED 8 /* objects named in a warning */

/* The rules of pairs know which objects frames lack; here each pair is one object twice. */
static int inside_listed_rules(const imp_def *def, const imp_frame *frames, size_t count,
                               imp_rules **out)
{
    int err = IMP_OK;
    TRY(imp_rules_create(def, out));
    for (size_t i = 0; i < count; i++)
        if (!i || frames[i].mesh != frames[i - 1].mesh)
            TRY(imp_rules_add(*out, frames[i].mesh->object, frames[i].mesh->primitives));
out:
    return err;
}

int inside_listed_missing(imp *p, const imp_frame *frames, size_t count, imp_rules **out)
{
    int err = IMP_OK;
    const options *o = &p->context.opt;
    int32_t(*pair)[2] = NULL;
    *out = NULL;
    if (!o->inside_object)
        return IMP_OK;
    TRY(mem_alloc(&p->mem, o->inside_objects * sizeof *pair, &pair));
    for (size_t i = 0; i < o->inside_objects; i++)
        pair[i][0] = pair[i][1] = o->inside_object[i];
    const imp_def def = {.object_pair = (const int32_t(*)[2])pair,
                         .object_pairs = o->inside_objects,
                         .object_pairs_exclude = 1};
    TRY(inside_listed_rules(&def, frames, count, out));
out:
    mem_free(&p->mem, pair);
    if (err) {
        imp_rules_destroy(*out);
        *out = NULL;
    }
    return err;
}

/* "7, 8 and 3 more" */
int inside_listed_warn(imp *p, const imp_frame *frames, size_t count)
{
    int err = IMP_OK;
    char line[80 + 12 * LISTED_NAMED];
    size_t next = 0, named = 0, more = 0;
    imp_rules *rules = NULL;
    if (!p->def.log || p->inside_warned || !count)
        return IMP_OK;
    TRY(inside_listed_missing(p, frames, count, &rules));
    int n = snprintf(line, sizeof line, "inside_object: there is no primitive of object ");
    for (int32_t id; imp_rules_missing(rules, &next, &id);)
        if (named < LISTED_NAMED)
            n += snprintf(line + n, sizeof line - (size_t)n, "%s%d", named++ ? ", " : "", id);
        else
            more++;
    if (more)
        snprintf(line + n, sizeof line - (size_t)n, " and %zu more", more);
    p->inside_warned = 1;
    if (named) {
        float_to_caller();
        p->def.log(p->def.log_user, line);
        float_from_caller();
    }
out:
    imp_rules_destroy(rules);
    return err;
}
