/* `impinge pcs --resume` where OUT is complete: see pcs_run.h. Counts are in the curve beside OUT,
 * kinds and pairs in OUT itself. */
#define _GNU_SOURCE
#include "pcs_run.h"

#include "cli.h"
#include "error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is the file of --json the one that this result, or OUT.part, names? */
static int names_json(pcs_run *r, const char *path)
{
    char *name = NULL;
    result_reader *of = NULL;
    if (access(path, F_OK) || result_open_info(&r->mem, path, &of))
        return 0;
    const char *named = result_get_info(of)->json;
    const int does = *named && !file_path_absolute(r->o.json, &name) && !strcmp(name, named);
    free(name);
    result_close(of);
    return does;
}

int pcs_owns_json(pcs_run *r)
{
    char *part = NULL;
    if (!r->o.resume || !r->o.json || store_part_name(r->o.out, &part))
        return 0;
    const int owns = names_json(r, r->o.out) || names_json(r, part);
    free(part);
    return owns;
}

/* A line of the curve, without what follows from others. */
static int pcs_complete_add_line(const char *line, uint64_t frame, pcs_counts *n)
{
    uint64_t number;
    *n = (pcs_counts){0};
    return sscanf(line,
                  "%" SCNu64 ",%*[^,],%*[^,],%*[^,],%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
                  ",%" SCNu64 ",%" SCNu64 ",%" SCNu64,
                  &number, &n->pairs, &n->checks, &n->rechecks, &n->steps, &n->contacts, &n->rested,
                  &n->inelastic) == 8 &&
           number == frame;
}

/* Returns the number of frames that it has and OUT has, too. */
static uint64_t pcs_complete_add_curve(pcs_run *r, const result_info *i, FILE *in)
{
    uint64_t f = 0;
    char line[400];
    pcs_counts n;
    if (!fgets(line, sizeof line, in)) /* the names of columns */
        return 0;
    for (; f < i->frames && fgets(line, sizeof line, in); f++) {
        if (!pcs_complete_add_line(line, f, &n) || n.checks != (uint64_t)i->of.candidates[f] ||
            n.contacts != (uint64_t)i->of.contacts[f])
            break;
        pcs_count_frame(r, &n);
    }
    return fgets(line, sizeof line, in) ? 0 : f;
}

static int pcs_complete_read_curve(pcs_run *r, const result_info *i)
{
    char *name = NULL;
    if (asprintf(&name, "%s.cps.csv", r->o.out) < 0)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    FILE *in = fopen(name, "r");
    r->done = in ? pcs_complete_add_curve(r, i, in) : 0;
    if (in)
        fclose(in);
    const int err = r->done == i->frames
                        ? IMP_OK
                        : imp_fail(IMP_ERR_INPUT,
                                   "%s: is not the curve of %s, from which --json has its counts; "
                                   "--force simulates again",
                                   name, r->o.out);
    free(name);
    return err;
}

int pcs_sum_rows(pcs_run *r, result_reader *of, uint64_t frames)
{
    int err = IMP_OK;
    for (uint64_t f = 0; f < frames; f++) {
        result_rows rows;
        TRY(result_read(of, f, &rows));
        contact_sums_add_rows(&r->sums, &rows, f, f);
    }
out:
    return err;
}

int pcs_report_complete(pcs_run *r)
{
    int err = IMP_OK;
    result_reader *of = NULL;
    if (r->o.json) {
        TRY(result_open(&r->mem, r->o.out, &of));
        const result_info *i = result_get_info(of);
        TRY(pcs_complete_read_curve(r, i));
        TRY(pcs_sum_rows(r, of, i->frames));
        r->device = i->device;
        TRY(pcs_write_json(r));
    }
    if (!r->o.quiet && !r->outputs.on_stdout)
        printf("%s: complete, with %s\n", cli_shown(r->o.out),
               cli_count_text(r->o.frames, "frame"));
out:
    r->device = NULL;
    result_close(of);
    return err;
}
