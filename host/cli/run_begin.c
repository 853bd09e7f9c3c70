/* See run.h: what is read and written, and whether an earlier run has done some of it. */
#include "run.h"

#include "clock.h"
#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the command reads must not be written. */
static int claim_files(run_state *s)
{
    int err = work_claim(&s->o.w, &s->outputs);
    return err ? err : outputs_grows(&s->outputs, "-o", s->o.out);
}

/* Does this name mean the file that an earlier run wrote? */
static int same_file(const char *recorded, const char *now)
{
    char *name = NULL;
    int same = *recorded && !place_absolute(now, &name) && !strcmp(name, recorded);
    free(name);
    return same;
}

/* The texts beside OUT. Those that the run wrote whose result is there are written again. */
static int claim_texts(run_state *s, const result_info *old)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    int again = old && o->collide_txt && same_file(old->collide_txt, o->collide_txt);
    if (o->collide_txt)
        TRY(outputs_text(&s->outputs, "--collide-txt", o->collide_txt, o->force || again,
                         &s->collide_txt));
    again = old && o->json && same_file(old->json, o->json);
    TRY(outputs_json(&s->outputs, o->json, o->force || again, &s->json));
out:
    return err;
}

static int make_origin(run_state *s, result_origin *out)
{
    run_options *o = &s->o;
    *out = (result_origin){.command = s->command,
                           .options = s->normal,
                           .input = o->w.path,
                           .input_bytes = s->input_bytes,
                           .input_hash = s->input_hash,
                           .object_pair = o->w.def.object_pair,
                           .object_pairs = o->w.def.object_pairs,
                           .def = &o->w.def};
    return work_normal(&o->w, s->normal, sizeof s->normal);
}

/* Nothing is left to compute. */
static int all_done(run_state *s)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    s->found = s->done = s->o.w.count;
    TRY(result_open(&s->o.w.mem, s->o.out, &r));
    TRY(claim_texts(s, result_get_info(r)));
    if (!s->o.quiet && !access(s->part, F_OK))
        fprintf(stderr, "impinge: %s is complete; %s is of another run\n", s->o.out, s->part);
out:
    result_close(r);
    return err;
}

int run_prepare(run_state *s, result_origin *origin, int *complete)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    double start = clock_seconds();
    /* asked before the input is opened: the quickest answer to a name that is taken */
    if (!o->resume)
        TRY(store_path_check(o->out, o->force));
    TRY(work_open(&o->w, o->w.path));
    TRY(claim_files(s));
    TRY(store_part_name(o->out, &s->part));
    /* before the hash: a change while that is taken is found, too */
    TRY(stamps_take(o->w.path, &s->input));
    TRY(file_hash(o->w.path, &s->input_bytes, &s->input_hash));
    s->seconds[ROOM_LOAD] += clock_seconds() - start;
    TRY(make_origin(s, origin));
    /* with --resume only: otherwise a result that exists was refused above, or is to be replaced */
    int done = o->resume ? result_is_done(&o->w.mem, o->out, origin) : 0;
    if (done < 0 && !(done == IMP_ERR_EXISTS && o->force))
        TRY(done);
    *complete = done > 0;
    TRY(*complete ? all_done(s) : claim_texts(s, NULL));
out:
    return err;
}

int run_open_result(run_state *s, result_origin *origin)
{
    int err = IMP_OK;
    run_options *o = &s->o;
    origin->device = imp_device_name(s->p);
    origin->collide_txt = s->collide_txt.absolute;
    origin->json = s->json.absolute;
    uint64_t limit = o->w.out.limit; /* nobody uses the pipeline's memory yet: an old result may */
    o->w.out.limit += o->w.def.mem_limit;
    err = o->resume ? result_resume(&o->w.out, o->out, o->force, origin, &s->r, &s->found)
                    : result_create(&o->w.out, o->out, o->force, origin, &s->r);
    o->w.out.limit = limit;
    atomic_store(&o->w.out.peak, atomic_load(&o->w.out.now));
    TRY(err);
    if (s->found > o->w.count)
        FAIL(IMP_ERR_INPUT, "%s: has more frames than are asked for; cannot be resumed", s->part);
    s->done = s->found;
out:
    return err;
}
