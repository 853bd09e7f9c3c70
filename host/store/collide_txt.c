/* See collide_txt.h. */
#include "collide_txt.h"

#include "error.h"
#include "h5.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int write_row(FILE *f, int64_t frame, const result_rows *rows, uint64_t i)
{
    const double *p = rows->point + 6 * i;
    return fprintf(f, "%lld %lld %lld %.17g %.17g %.17g %.17g %.17g %.17g %d %ld %ld\n",
                   (long long)frame, (long long)rows->a[i], (long long)rows->b[i], p[0], p[1], p[2],
                   p[3], p[4], p[5], rows->kind[i], (long)rows->object_a[i],
                   (long)rows->object_b[i]);
}

static int write_frames(result_reader *r, text_output *to)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(r);
    fprintf(to->file, "# frame a b x0 y0 z0 x1 y1 z1 kind object_a object_b\n");
    for (uint64_t k = 0; k < info->frames; k++) {
        result_rows rows;
        TRY(result_read(r, k, &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            if (signals_came())
                FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", to->name);
            if (write_row(to->file, info->input_frame[k], &rows, i) < 0)
                TRY(h5_fail(IMP_ERR_FILE, to->name, NULL, "cannot be written: %s",
                            strerror(errno)));
        }
    }
out:
    return err;
}

int collide_txt_write(result_reader *r, text_output *to)
{
    int err = text_output_begin(to);
    return err ? err : text_output_end(to, write_frames(r, to));
}
