/* Does anything touch at all? As imp_detect, until there is one contact. */
#include "walk.h"

#include "error.h"
#include "faults.h"

#define FOUND 1 /* what stops the walk: no error code */

static int found_sink(void *user, const imp_contacts *contacts)
{
    (void)contacts;
    *(int *)user = 1;
    return FOUND;
}

int imp_touches(imp *p, const imp_frame *frame, int *yes)
{
    int err = IMP_OK, found = 0;
    if (!p || !yes)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_touches: %s is NULL", p ? "yes" : "the pipeline");
    walk w = {&p->context,
              &p->rooms,
              &p->profile,
              {.frame = frame, .sink = found_sink, .user = &found, .faults = p->faults},
              .any = 1};
    faults_resume(p->faults);
    TRY(frames_check(p, frame, 1));
    err = walk_heard(&w, p, 1, NULL);
    err = err == FOUND ? IMP_OK : err;
    *yes = found;
out:
    return err;
}
