/* See collide_txt.h. */
#define _GNU_SOURCE
#include "collide_txt.h"

#include "error.h"
#include "h5.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_frames(result_reader *r, const char *path, FILE *f)
{
    int err = IMP_OK;
    const result_info *info = result_get_info(r);
    fprintf(f, "# frame a b x0 y0 z0 x1 y1 z1\n");
    for (uint64_t k = 0; k < info->frames; k++) {
        result_rows rows;
        TRY(result_read(r, k, &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            const double *p = rows.point + 6 * i;
            if (signals_came())
                FAIL(IMP_ERR_CANCELLED, "%s: stopped by a signal", path);
            int n = fprintf(f, "%lld %lld %lld %.17g %.17g %.17g %.17g %.17g %.17g\n",
                            (long long)info->input_frame[k], (long long)rows.a[i],
                            (long long)rows.b[i], p[0], p[1], p[2], p[3], p[4], p[5]);
            if (n < 0)
                TRY(h5_fail(IMP_ERR_FILE, path, NULL, "cannot be written: %s", strerror(errno)));
        }
    }
out:
    return err;
}

int collide_txt_write(mem *m, const char *result_path, const char *path)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    FILE *f = NULL;
    char *part = NULL;
    if (asprintf(&part, "%s.part", path) < 0) {
        part = NULL;
        FAIL(IMP_ERR_MEMORY, "out of memory");
    }
    TRY(result_open(m, result_path, &r));
    f = fopen(part, "w");
    if (!f)
        FAIL(IMP_ERR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    TRY(write_frames(r, path, f));
    err = h5_text_close(path, f);
    f = NULL;
    TRY(err);
    TRY(h5_publish(part, path));
out:
    if (f)
        fclose(f);
    if (err && part)
        unlink(part);
    free(part);
    result_close(r);
    return err;
}
