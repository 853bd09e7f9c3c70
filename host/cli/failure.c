/* See failure.h. */
#include "failure.h"

#include "error.h"

#include <stdio.h>

void failure_record(failure *f, int err)
{
    f->err = err;
    snprintf(f->text, sizeof f->text, "%s", imp_error_text());
}

int failure_restore(const failure *f)
{
    return f->err ? imp_fail(f->err, "%s", f->text) : IMP_OK;
}
