/* See store_batch.h: oddities of a batch. */
#include "store_batch.h"

#include "error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* An oddity that is no error becomes a warning of the command that opens the batch. */
void batch_add_remark(batch *b, const char *format, ...)
{
    va_list args;
    assert(b->remarks.count < BATCH_REMARKS);
    va_start(args, format);
    vsnprintf(b->remarks.text[b->remarks.count], sizeof b->remarks.text[0], format, args);
    va_end(args);
    b->remarks.count++;
}

void batch_remark_error(batch *b, const char *then)
{
    const char *text = imp_error_text();
    const size_t path = strlen(b->path);
    batch_add_remark(b, "%s; %s",
                     strncmp(text, b->path, path) ? text : text + path + strspn(text + path, ": "),
                     then);
}
