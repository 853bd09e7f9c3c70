/* imp_regions_find of impinge_regions.h. */
#include "contours.h"
#include "error.h"
#include "float_env.h"
#include "regions.h"

#include <stdlib.h>

/* What the caller sees is its first member. */
typedef struct regions_result {
    imp_regions view;
    mem mem;
    region_set found;
} regions_result;

static int regions_result_make(const imp_frame *f, const imp_contacts *c, regions_result **out)
{
    int err = IMP_OK;
    regions_result *r = calloc(1, sizeof *r);
    if (!r)
        return imp_fail(IMP_ERR_MEMORY, "no memory for regions");
    TRY(regions_find(&r->mem, f, c, &r->found));
    r->view = (imp_regions){.count = r->found.count,
                            .region = r->found.of,
                            .faces = r->found.faces,
                            .face = r->found.face,
                            .share = r->found.share,
                            .partings = r->found.partings,
                            .parting = r->found.parting,
                            .contours = r->found.contours,
                            .of_contour = r->found.of_contour,
                            .without = r->found.none};
    *out = r;
out:
    if (err)
        imp_regions_free(&r->view);
    return err;
}

int imp_regions_find(const imp_frame *frame, const imp_contacts *contacts, imp_regions **out)
{
    int err = IMP_OK;
    regions_result *made = NULL;
    const float_entry entry = float_enter();
    if (!out)
        FAIL(IMP_ERR_ARGUMENT, "imp_regions_find: out is NULL");
    *out = NULL;
    TRY(contours_check("imp_regions_find", frame, contacts, 1));
    TRY(regions_result_make(frame, contacts, &made));
    *out = &made->view;
out:
    float_leave(entry);
    return err;
}

void imp_regions_free(imp_regions *r)
{
    regions_result *made = (regions_result *)(void *)r;
    if (made)
        regions_free(&made->mem, &made->found);
    free(made);
}
