/* See run.h: frames cut into slabs. Units are computed into OUT.slabs; then the slabs of each step
 * are joined in OUT. */
#include "error.h"
#include "frame.h"
#include "internal.h"
#include "job.h"
#include "run.h"
#include "signals.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a unit */

/* The primitives that begin before the slab along some axes, as a mesh; in one of whole objects
 * those of later slabs. */
typedef struct carried_mesh {
    imp_mesh mesh;
    uint32_t *corner;
    int32_t *object;
    uint8_t *corner_count;
    double *thickness;
} carried_mesh;

static int carried_mesh_alloc(mem *m, const imp_mesh *of, size_t n, carried_mesh *out)
{
    int err = IMP_OK;
    *out = (carried_mesh){.mesh = *of};
    TRY(mem_alloc(m, n * mesh_corners(of) * sizeof *out->corner, &out->corner));
    if (of->object)
        TRY(mem_alloc(m, n * sizeof *out->object, &out->object));
    if (of->corner_count)
        TRY(mem_alloc(m, n, &out->corner_count));
    if (of->thickness)
        TRY(mem_alloc(m, n * sizeof *out->thickness, &out->thickness));
    out->mesh.thickness = out->thickness;
    out->mesh.corner = out->corner;
    out->mesh.object = out->object;
    out->mesh.corner_count = out->corner_count;
    out->mesh.id = NULL;
out:
    return err;
}

static void carried_mesh_select(const imp_mesh *of, const batch_slab *part, uint8_t axes,
                                carried_mesh *out)
{
    const size_t corners = mesh_corners(of);
    uint32_t at = 0;
    for (size_t i = 0; i < of->primitives; i++) {
        if ((part->carried[i] & axes) != axes)
            continue;
        memcpy(out->corner + corners * at, of->corner + corners * i, corners * sizeof *of->corner);
        if (of->object)
            out->object[at] = of->object[i];
        if (of->corner_count)
            out->corner_count[at] = of->corner_count[i];
        if (of->thickness)
            out->thickness[at] = of->thickness[i];
        at++;
    }
    out->mesh.primitives = at;
}

static void carried_mesh_free(mem *m, carried_mesh *c)
{
    mem_free(m, c->corner);
    mem_free(m, c->object);
    mem_free(m, c->corner_count);
    mem_free(m, c->thickness);
}

/* Counts the pairs whose two primitives both begin before the slab along all of these axes. */
static int run_space_count_carried(imp *p, const io_block *b, const batch_slab *part, uint8_t axes,
                                   carried_mesh *c, imp_frame_info *out)
{
    imp_frame frame[2];
    imp_frame_info info[2] = {{0}};
    carried_mesh_select(b->frames.frame->mesh, part, axes, c);
    for (size_t i = 0; i < b->frames.count; i++) {
        frame[i] = b->frames.frame[i];
        frame[i].mesh = &c->mesh;
    }
    imp_forget(p); /* another mesh now has the same address */
    int err = c->mesh.primitives > 1
                  ? imp_detect_from(p, frame, b->frames.count, 0, NULL, NULL, info)
                  : IMP_OK;
    *out = *info;
    return err;
}

/* Pairs that belong to another slab are counted again separately and subtracted: those that
 * begin before this slab along the first axis, plus those along the second, minus those along
 * both. */
static int run_space_subtract_carried(imp *p, mem *m, const io_block *b, const batch_slab *part,
                                      imp_frame_info *info)
{
    int err = IMP_OK;
    carried_mesh c = {0};
    uint64_t candidates = 0, undecided = 0;
    imp_whole whole = part->whole;
    if (part->carried_count < 2)
        return IMP_OK;
    whole.counts = 1;
    imp_force_whole(p, &whole);
    TRY(carried_mesh_alloc(m, b->frames.frame->mesh, part->carried_count, &c));
    for (uint8_t axes = 1; axes <= 3; axes++) {
        imp_frame_info twice;
        TRY(run_space_count_carried(p, b, part, axes, &c, &twice));
        candidates += axes < 3 ? twice.candidates : -twice.candidates;
        undecided += axes < 3 ? twice.undecided : -twice.undecided;
        info->seconds += twice.seconds;
    }
    info->candidates -= candidates;
    /* undecided pairs of features are counted where they belong */
    if (!part->vertex_at)
        info->undecided -= undecided < info->undecided ? undecided : info->undecided;
out:
    imp_force_whole(p, NULL);
    imp_forget(p);
    carried_mesh_free(m, &c);
    return err;
}

int run_unit(imp *p, mem *m, io_block *b, imp_sink *sink, void *user)
{
    int err = IMP_OK;
    const batch_slab *part = b->step->part;
    const imp_whole *whole = &part->whole;
    imp_force_whole(p, whole->box[0][0] <= whole->box[1][0] ? whole : NULL);
    TRY(imp_detect_from(p, b->frames.frame, b->frames.count, b->delivered, sink, user, b->info));
    TRY(run_space_subtract_carried(p, m, b, part, b->info));
    b->info->bad += (uint32_t)part->bad;
out:
    imp_force_whole(p, NULL);
    return err;
}

/* ---- OUT.slabs */

/* Returns the name beside OUT.part with .slabs in place of .part. */
static int run_space_slabs_name(const char *part, char **out)
{
    const size_t n = strlen(part) - strlen(".part");
    *out = malloc(n + sizeof ".slabs");
    if (!*out)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    memcpy(*out, part, n);
    memcpy(*out + n, ".slabs", sizeof ".slabs");
    return IMP_OK;
}

/* Files of an earlier run that are in the way are found before the work, not after it. */
static int run_space_check_stale(run_state *s, const result_provenance *provenance)
{
    mem *m = &s->o.job.mem.read;
    const int resume = s->o.resume, force = s->o.force;
    if (!resume && !force && result_is_file(s->slabs.path))
        return imp_fail(IMP_ERR_EXISTS,
                        "%s: has slabs of an earlier run; --resume continues, --force starts again",
                        s->slabs.path);
    return result_join_check_stale_parts(m, s->o.out, force, resume ? provenance : NULL);
}

int run_space_begin(run_state *s, result_provenance *provenance)
{
    int err = IMP_OK;
    job *w = &s->o.job;
    TRY(run_space_slabs_name(s->part, &s->slabs.path));
    free(s->part);
    s->part = NULL;
    TRY(store_part_name(s->slabs.path, &s->part));
    TRY(outputs_grows(&s->outputs, "--space", s->slabs.path));
    TRY(run_space_check_stale(s, provenance));
    w->partition.has_units = 1;
    w->steps = w->partition.count;
    TRY(job_normal_form(w, s->slabs.normal, sizeof s->slabs.normal));
    provenance->options = s->slabs.normal;
    provenance->units = 1;
    if (!s->o.resume) {
        TRY(store_path_check(s->slabs.path, s->o.force));
        goto out;
    }
    const int done = result_is_done(&w->mem.read, s->slabs.path, provenance);
    if (done < 0 && !(done == IMP_ERR_EXISTS && s->o.force))
        TRY(done);
    s->slabs.complete = done > 0;
out:
    return err;
}

void run_space_drop(run_state *s, const result_provenance *provenance)
{
    char *slabs = NULL, *part = NULL;
    /* no file can have a name that cannot be formed */
    if (!store_part_name(s->o.out, &part) && !run_space_slabs_name(part, &slabs))
        result_units_drop_stale(&s->o.job.mem.read, slabs, s->o.force, provenance);
    free(part);
    free(slabs);
}

/* ---- OUT */

int run_space_join(run_state *s, const result_provenance *provenance)
{
    int err = IMP_OK;
    job *w = &s->o.job;
    result_provenance whole = *provenance;
    slab_file source = {.path = s->slabs.path, .count = w->partition.count};
    result_join *j = NULL;
    result_reader *like = NULL;
    w->partition.has_units = 0;
    w->steps = w->partition.count / w->partition.slabs;
    s->found = s->done = w->steps;
    if (s->p.count)
        job_memory_release_unused(w, &s->p);
    TRY(result_open(&w->mem.read, s->slabs.path, &like));
    whole.options = s->normal;
    whole.device = result_get_info(like)->device;
    whole.units = 0;
    whole.like = like;
    TRY(result_join_begin(&w->mem.read, s->o.out, s->o.force, 1, 0, &whole, &j));
    err = slabs_join(&w->mem.read, j, &source, 1, w->partition.slabs);
    if (err == IMP_ERR_CANCELLED)
        imp_fail(err, "%s: stopped by a signal while slabs were joined; --resume continues",
                 s->o.out);
    TRY(err);
    result_close(like);
    like = NULL;
    err = result_join_finish(j);
    j = NULL;
    TRY(err);
    unlink(s->slabs.path);
out:
    result_close(like);
    result_join_discard(j);
    return err;
}

/* The units of all files, in order. */
typedef struct slab_sequence {
    mem *mem;
    slab_file *source;
    size_t sources, first, at; /* first open source; source of the next unit */
    uint64_t unit;
} slab_sequence;

static int slabs_join_next(slab_sequence *w, result_part *out)
{
    int err = IMP_OK;
    while (w->at < w->sources && w->source[w->at].first + w->source[w->at].count <= w->unit)
        w->at++;
    slab_file *s = &w->source[w->at];
    if (!s->reader)
        TRY(result_open(w->mem, s->path, &s->reader));
    *out = (result_part){s->reader, w->unit - s->first};
    w->unit++;
out:
    return err;
}

/* Closes sources that have no further unit. */
static void slabs_join_close_ended(slab_sequence *w)
{
    for (; w->first < w->sources; w->first++) {
        slab_file *s = &w->source[w->first];
        if (s->first + s->count > w->unit)
            break;
        result_close(s->reader);
        s->reader = NULL;
    }
}

int slabs_join(mem *m, result_join *j, slab_file *source, size_t sources, uint64_t slabs)
{
    int err = IMP_OK;
    slab_sequence w = {.mem = m, .source = source, .sources = sources};
    result_part *part = NULL;
    uint64_t units = 0;
    for (size_t i = 0; i < sources; i++)
        units += source[i].count;
    TRY(mem_alloc(m, slabs * sizeof *part, &part));
    while (w.unit < units) {
        if (signals_came())
            FAIL(IMP_ERR_CANCELLED, "stopped by a signal");
        for (uint64_t k = 0; k < slabs; k++)
            TRY(slabs_join_next(&w, &part[k]));
        TRY(result_join_slabs(j, part, slabs));
        slabs_join_close_ended(&w);
    }
out:
    for (size_t i = 0; i < sources; i++) {
        result_close(source[i].reader);
        source[i].reader = NULL;
    }
    mem_free(m, part);
    return err;
}
