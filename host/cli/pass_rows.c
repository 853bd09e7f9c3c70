/* See pass_rows.h. */
#include "pass_rows.h"

#include "contact_columns.h"

int rows_filter(const imp_contacts *c, row_filter *out, const void *by, imp_sink *sink, void *user)
{
    int err = 0;
    imp_contacts rest = *c;
    while (rest.count && !err) {
        size_t left_out = 0, kept = 0;
        while (left_out < rest.count && out(by, &rest, left_out))
            left_out++;
        columns_skip(&contact_table, &rest, left_out);
        rest.count -= left_out;
        while (kept < rest.count && !out(by, &rest, kept))
            kept++;
        imp_contacts run = rest;
        run.count = kept;
        if (kept)
            err = sink(user, &run);
        columns_skip(&contact_table, &rest, kept);
        rest.count -= kept;
    }
    return err;
}
