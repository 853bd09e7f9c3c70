/* The bodies of a user's batch: see pcs_run.h. Of its frames only the first one counts. */
#include "pcs_run.h"

#include "cli.h"
#include "error.h"
#include "file_hash.h"
#include "store_names.h"

#include <string.h>

/* What a batch may have and a simulation does not keep. */
static void warn_of(pcs_run *r, const batch *b, const batch_info *info)
{
    const char *in = cli_shown(r->o.in), *text;
    for (size_t i = 0; (text = batch_remark(b, i)); i++)
        warnings_add(&r->warned, "%s", text);
    if (info->frames > 1)
        warnings_add(&r->warned, "%s: has %s, of which only the first one is read", in,
                     cli_count_text(info->frames, "frame"));
    if (info->ids || info->source_ids)
        warnings_add(
            &r->warned,
            "%s: PrimitiveId and SourceId are not kept; primitives of the batch beside OUT are in "
            "the same order",
            in);
}

static int pcs_input_name_objects(pcs_run *r, const batch *b)
{
    int err = IMP_OK;
    const batch_names *n = batch_get_names(b);
    for (size_t i = 0; i < n->objects; i++)
        TRY(batch_names_add_object(&r->names, n->object[i], n->object_name[i]));
out:
    return err;
}

int pcs_input_open(pcs_run *r)
{
    int err = IMP_OK;
    batch_info info;
    pcs_input *p = &r->input;
    TRY(batch_open(&r->mem, r->o.in, BATCH_OBJECT_ID, NULL, &p->batch));
    batch_get_info(p->batch, &info);
    if (!info.frames || !info.bodies)
        FAIL(IMP_ERR_INPUT, "%s: has no %s", r->o.in,
             info.frames ? "rigid bodies (/impinge/bodies)" : "frames");
    TRY(file_hash(r->o.in, &p->bytes, &p->hash));
    TRY(batch_read_matter(p->batch, &p->matter));
    TRY(batch_read(p->batch, 0, 1, 1, &p->block));
    TRY(pcs_input_name_objects(r, p->batch));
    warn_of(r, p->batch, &info);
out:
    return err;
}

void pcs_input_close(pcs_input *p)
{
    batch_block_free(&p->block);
    batch_close(p->batch);
    matter_free(&p->matter);
    p->batch = NULL;
}
