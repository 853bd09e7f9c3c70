/* OUT.part and OUT.part.new, where a file will grow. A file of an earlier run without a finished
 * frame is removed silently; anything else may belong to the user. */
#define _GNU_SOURCE
#include "store_poly.h"

#include "error.h"
#include "store_origin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file whose writer was killed while it made it has only our groups, and no point; or it cannot
 * be read. */
static int stale_parts_is_unbegun(hid_t file, const char *path)
{
    H5G_info_t root;
    h5_data points = {.id = -1};
    int rows = 0;
    if (H5Gget_info(file, &root) < 0)
        return 1;
    hsize_t ours = (hsize_t)h5_exists(file, "VTKHDF") + (hsize_t)h5_exists(file, "impinge");
    if (h5_exists(file, "VTKHDF/Points") &&
        !h5_data_open(NULL, file, path, "", "VTKHDF/Points", &points))
        rows = points.rows > 0;
    h5_data_close(&points);
    return root.nlinks == ours && !rows;
}

/* The number of finished frames of an unfinished file of ours; or why it is not ours. */
enum { NOT_OURS = -1, NOT_OPEN = -2 };

static int64_t stale_parts_count_frames(const char *part)
{
    int64_t n = NOT_OURS;
    hid_t file, steps = -1;
    if (h5_open(part, 0, &file))
        return NOT_OPEN;
    if (h5_exists(file, "VTKHDF/Steps"))
        steps = H5Gopen2(file, "VTKHDF/Steps", H5P_DEFAULT);
    /* a killed writer leaves a file without Steps, but other files have none either: the contents
     * decide */
    if (steps < 0 || h5_attr_integers(steps, part, "/VTKHDF/Steps", "NSteps", &n, 1))
        n = stale_parts_is_unbegun(file, part) ? 0 : NOT_OURS;
    h5_drop(steps);
    H5Fclose(file);
    return n;
}

/* HDF5 makes the file before it writes to it. */
static int stale_parts_is_empty(const char *path)
{
    struct stat s;
    return !lstat(path, &s) && S_ISREG(s.st_mode) && s.st_size == 0;
}

/* A file whose writer was killed before the first flush begins like HDF5, or with zeros; it does
 * not open, or is empty. */
static int stale_parts_is_just_begun(const char *path)
{
    char head[8] = "";
    struct stat s;
    if (lstat(path, &s) || !S_ISREG(s.st_mode))
        return 0;
    int f = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = f < 0 ? -1 : read(f, head, sizeof head);
    if (f >= 0)
        close(f);
    if (n < 0 || (memcmp(head, "\211HDF\r\n\032\n", 8) && memcmp(head, "\0\0\0\0\0\0\0", 8)))
        return 0;
    int64_t frames = stale_parts_count_frames(path);
    return frames == 0 || frames == NOT_OPEN;
}

/* What it holds: the word for its frames, and whether a run can continue it. */
static const char *stale_parts_noun(const char *part, int *resumable)
{
    mem m = {0};
    result_reader *r = NULL;
    const int opened = !result_open(&m, part, &r);
    const int steps = opened && result_get_info(r)->continuous;
    *resumable = !opened || !result_get_info(r)->simulated;
    result_close(r);
    return steps ? "step" : "frame";
}

/* A batch of a simulation that was stopped: only such a one is left with frames, and has bodies. */
static int stale_parts_is_batch(const char *part)
{
    hid_t file;
    if (h5_open(part, 0, &file))
        return 0;
    const int has = h5_exists(file, "impinge") && h5_exists(file, "impinge/bodies");
    H5Fclose(file);
    return has;
}

/* It may hold hours of computing: what has finished frames, or is unknown, stays. */
static int stale_parts_may_replace(const char *part, int force, int results)
{
    struct stat s;
    if (lstat(part, &s))
        return IMP_OK;
    if (h5_in_use(part))
        return imp_fail(IMP_ERR_FILE, "%s: in use by another run", part);
    if (force || stale_parts_is_empty(part))
        return IMP_OK;
    int64_t n = S_ISREG(s.st_mode) ? stale_parts_count_frames(part) : NOT_OURS;
    if (n == 0)
        return IMP_OK;
    int resumable;
    if (n > 0 && result_is_file(part)) {
        const char *noun = stale_parts_noun(part, &resumable);
        return imp_fail(IMP_ERR_EXISTS, "%s: holds %lld finished %s%s; %s--force starts again",
                        part, (long long)n, noun, n == 1 ? "" : "s",
                        results && resumable ? "--resume continues from there, " : "");
    }
    if (n > 0 && stale_parts_is_batch(part))
        return imp_fail(IMP_ERR_EXISTS, "%s: holds %lld finished frame%s; --force starts again",
                        part, (long long)n, n == 1 ? "" : "s");
    return imp_fail(IMP_ERR_EXISTS,
                    "%s: exists, and is not what a run that was stopped leaves; --force replaces "
                    "it",
                    part);
}

/* A join that was killed before its file had its name: all of it is there, so it can be made again.
 */
static int stale_parts_is_join(mem *m, const char *part, const result_provenance *provenance)
{
    int complete = 0;
    return provenance && !h5_in_use(part) && result_is_file(part) &&
           !provenance_check(m, part, provenance, &complete) && complete;
}

int result_join_check_stale_parts(mem *m, const char *path, int force,
                                  const result_provenance *provenance)
{
    int err = IMP_OK;
    char *part = NULL;
    TRY(store_part_name(path, &part));
    if (!stale_parts_is_join(m, part, provenance))
        TRY(stale_parts_may_replace(part, force, 0));
out:
    free(part);
    return err;
}

int stale_parts_drop_join(mem *m, const char *path, const result_provenance *provenance)
{
    char *part = NULL;
    int err = store_part_name(path, &part);
    if (!err && stale_parts_is_join(m, part, provenance))
        unlink(part);
    free(part);
    return err;
}

/* Units of no shard; and of the same input and options, so that all of them are in the result, or
 * any. */
static int stale_parts_are_units(mem *m, const char *path, int force,
                                 const result_provenance *provenance)
{
    char hash[24];
    result_reader *r = NULL;
    if (h5_in_use(path) || !result_is_file(path) || result_open_info(m, path, &r))
        return 0;
    const result_info *i = result_get_info(r);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)provenance->input_hash);
    const int same = i->input_bytes == provenance->input_bytes && !strcmp(i->input_hash, hash) &&
                     provenance_same_but_units(i->options, provenance->options);
    const int are = i->units.slabs && !i->shard.count && (force || same);
    result_close(r);
    return are;
}

/* PATH.part.new never holds a unit. */
void result_units_drop_stale(mem *m, const char *path, int force,
                             const result_provenance *provenance)
{
    char *part = NULL, *fresh = NULL;
    if (store_part_name(path, &part) || asprintf(&fresh, "%s.new", part) < 0)
        fresh = NULL;
    if (stale_parts_are_units(m, path, force, provenance))
        unlink(path);
    if (part && stale_parts_are_units(m, part, force, provenance))
        unlink(part);
    if (fresh && !h5_in_use(fresh) && stale_parts_is_just_begun(fresh))
        unlink(fresh);
    free(part);
    free(fresh);
}

/* OUT.part.new never holds a frame: it is renamed before the first. */
int stale_parts_clear(const char *part, const char *fresh, int force, int results)
{
    int err = IMP_OK;
    struct stat s;
    TRY(stale_parts_may_replace(part, force, results));
    if (lstat(fresh, &s))
        goto out;
    if (h5_in_use(fresh))
        FAIL(IMP_ERR_FILE, "%s: in use by another run", part);
    if (!force && !stale_parts_is_just_begun(fresh))
        FAIL(IMP_ERR_EXISTS, "%s: exists already; --force replaces it", fresh);
    unlink(fresh);
out:
    return err;
}
