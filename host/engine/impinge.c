/* The corridor: blocks of frames walk through the rooms. */
#include "engine.h"
#include "walk.h"

#include "budget.h"
#include "clock.h"
#include "contact_columns.h"
#include "error.h"
#include "faults.h"

#include <stdio.h>
#include <string.h>

#define PIECE (UINT64_C(1) << 23) /* candidates at a time */
#define ANY_FIRST 256             /* where any contact is enough: at first */

/* ---- a range of a block */

int gate_sink(void *user, const imp_contacts *in)
{
    gate *g = user;
    imp_contacts out = *in;
    uint64_t skip = g->handed > g->seen ? g->handed - g->seen : 0;
    keep_record(g->keep, in, g->seen - g->blocks);
    g->seen += in->count;
    if (skip >= in->count)
        return 0;
    g->handed = g->seen;
    out.frame += g->frame0;
    out.count -= skip;
    columns_skip(&contact_table, &out, skip);
    if (!g->sink)
        return 0;
    double start = clock_seconds();
    unsigned long texts = error_texts();
    faults_pause(g->faults);
    g->refused = g->sink(g->user, &out);
    faults_resume(g->faults);
    g->outside += clock_seconds() - start;
    if (g->refused && texts == error_texts())
        imp_fail(g->refused, "frame %llu: the caller's sink stopped the run with %d",
                 (unsigned long long)g->frame[out.frame].number, g->refused);
    return g->refused;
}

void room_time(double *room, double *start)
{
    double now = clock_seconds();
    *room += now - *start;
    *start = now;
}

uint64_t walk_piece(const context *c)
{
    uint64_t fit = mem_left(c->mem) / BUDGET_PIECE_SHARE / BUDGET_CANDIDATE;
    uint64_t most = c->dev->largest ? c->dev->largest / 4 : PIECE;
    most = most < PIECE ? most : PIECE;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

int walk_order(walk *w, double *start)
{
    int err = IMP_OK;
    rooms *r = w->r;
    TRY(order_pairs(w->c, &r->block, &r->sort, &r->narrow.meet));
    TRY(order_pairs(w->c, &r->block, &r->sort, &r->narrow.undecided));
    TRY(device_finish(w->c->dev64));
    room_time(&w->t->order, start);
out:
    return err;
}

/* What the narrow room has collected, to the sink. */
static int hand_out(walk *w, imp_frame_info *info, double *start)
{
    int err = IMP_OK;
    rooms *r = w->r;
    TRY(walk_order(w, start));
    w->gate.seen = w->gate.ranges;
    *start -= w->gate.outside;
    TRY(contact_emit(w->c, &r->block, &r->bounds, &r->narrow, gate_sink, &w->gate, info));
    keep_open(w->c, &r->keep, &r->narrow.undecided);
    w->gate.ranges = w->gate.seen;
    *start += w->gate.outside;
    room_time(&w->t->narrow, start);
out:
    return err;
}

/* Are candidates only counted? Then they are neither sorted nor made into rows. */
static int only_counts(const walk *w)
{
    return w->c->opt.stage == IMP_STAGE_CANDIDATES && !w->gate.sink && !w->any &&
           !w->r->keep.recording;
}

static int range_count(walk *w, const broad_input *in, imp_frame_info *info, double *start)
{
    int err = IMP_OK;
    rooms *r = w->r;
    while (!broad_done(&r->broad))
        TRY(broad_next(&r->broad, in, walk_piece(w->c), info, &r->found));
    TRY(device_finish(w->c->dev));
    for (uint32_t f = 0; f < in->block->frames; f++)
        info[f].contacts = info[f].candidates;
    room_time(&w->t->broad, start);
out:
    return err;
}

/* All contacts whose lower primitive is in [first, last). Where any one is enough they are not
 * collected, but shown as they are found, from few candidates at a time to more. */
static int range_detect(walk *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    int err = IMP_OK;
    double start = clock_seconds();
    const context *c = w->c;
    rooms *r = w->r;
    const broad_input in = {.c = c, .block = &r->block, .bounds = &r->bounds};
    uint64_t few = ANY_FIRST;
    narrow_clear(&r->narrow);
    TRY(broad_begin(&r->broad, &in, first, last, info));
    if (only_counts(w))
        return range_count(w, &in, info, &start);
    while (!broad_done(&r->broad)) {
        const uint64_t most = walk_piece(c);
        TRY(broad_next(&r->broad, &in, w->any && few < most ? few : most, info, &r->found));
        TRY(device_finish(c->dev));
        room_time(&w->t->broad, &start);
        TRY(narrow_collect(c, &r->block, &r->bounds, &r->found, &r->narrow));
        room_time(&w->t->narrow, &start);
        if (!w->any)
            continue;
        TRY(hand_out(w, info, &start));
        narrow_clear(&r->narrow);
        few *= 2;
    }
    TRY(hand_out(w, info, &start));
out:
    return err;
}

/* What a range has taken, so that a smaller one finds room. */
static void range_free(walk *w)
{
    narrow_free(w->c, &w->r->narrow);
    pairs_free(w->c->dev, &w->r->found);
    sorter_free(w->c->dev64, &w->r->sort);
}

static void info_add(imp_frame_info *to, const imp_frame_info *from, uint32_t frames)
{
    for (uint32_t f = 0; f < frames; f++) {
        to[f].candidates += from[f].candidates;
        to[f].contacts += from[f].contacts;
        to[f].undecided += from[f].undecided;
    }
}

/* ---- a block */

int walk_ranges(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const block *b = &w->r->block;
    uint32_t first = 0, n = b->prims, last = n;
    imp_frame_info *part = NULL;
    TRY(mem_alloc(w->c->mem, b->frames * sizeof *part, &part));
    while (first < n) {
        memset(part, 0, b->frames * sizeof *part);
        err = range_detect(w, first, last, part);
        if (err == IMP_ERR_MEMORY && last - first > 1) {
            range_free(w);
            last = first + (last - first) / 2;
            continue;
        }
        TRY(err);
        info_add(info, part, b->frames);
        uint32_t step = last - first;
        first = last;
        last = n - first > step ? first + step : n;
    }
    err = IMP_OK;
out:
    mem_free(w->c->mem, part);
    return err;
}

/* From nothing. What is to be kept for the next frame is not culled: it may come near. */
static int block_anew(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    double start = clock_seconds();
    const context *c = w->c;
    rooms *r = w->r;
    const block *b = &r->block;
    memset(info, 0, b->frames * sizeof *info);
    w->gate.ranges = w->gate.blocks;
    keep_forget(&r->keep);
    keep_begin(c, &r->keep);
    TRY(walk_near(w));
    const broad_input in = {.c = c,
                            .block = b,
                            .bounds = &r->bounds,
                            .kept = r->keep.recording,
                            .mesh = r->keep.number,
                            .dense = r->keep.follows && nearby_dense(&r->near, b)};
    TRY(bound(c, b, b->frame, &r->bounds));
    TRY(device_finish(c->dev));
    room_time(&w->t->bound, &start);
    /* trees of bodies are whole, and one over them tells which come near each other */
    const int whole =
        r->keep.recording || (b->frame->pose && broad_which(&r->broad, &in) == BROAD_tree);
    TRY(cull(c, b, &r->cull, &r->bounds, whole));
    TRY(broad_build(&r->broad, &in, info));
    TRY(device_finish(c->dev));
    room_time(&w->t->broad, &start);
    TRY(walk_ranges(w, info));
    for (uint32_t f = 0; f < b->frames; f++)
        info[f].bad = r->bounds.units.bad[f];
    if (b->roster)
        roster_settled(b->roster);
    keep_end(c, &r->keep, b, &r->bounds, info[0].candidates);
out:
    r->keep.recording = 0;
    return err;
}

/* The frame goes through the rooms by places, if it can; again: all dealt out anew. */
static int block_places(walk *w, const imp_frame *frame, int again)
{
    rooms *r = w->r;
    int err = again ? roster_again(w->c, &r->roster, frame) : roster_frame(w->c, &r->roster, frame);
    if (err || !r->roster.used || r->roster.dealt)
        keep_forget(&r->keep);
    if (!err && r->roster.used)
        return walk_again(w, &r->roster.frame, 1, &r->roster);
    roster_free(&r->roster);
    return err == IMP_ERR_MEMORY ? IMP_OK : err;
}

/* What is kept of the frame before could not be used, all of it or too little memory was left. */
static int block_over(walk *w, const imp_frame *frame, size_t count, int short_of_memory,
                      imp_frame_info *info)
{
    int err = IMP_OK;
    rooms *r = w->r;
    if (!short_of_memory && r->block.roster == &r->roster && !r->roster.dealt) {
        TRY(walk_again(w, frame, count, NULL));
        TRY(block_places(w, frame, 1));
    }
    if (!short_of_memory)
        err = block_anew(w, info);
    if (short_of_memory || (err == IMP_ERR_MEMORY && r->block.roster)) {
        keep_free(w->c, &r->keep);
        broad_free(&r->broad, w->c); /* tables that are kept are larger */
        range_free(w);
        roster_free(&r->roster);
        TRY(walk_again(w, frame, count, w->model));
        err = block_anew(w, info);
    }
out:
    return err;
}

static int block_detect(walk *w, const imp_frame *frame, size_t count, imp_frame_info *info)
{
    int err = IMP_OK, done = 0;
    const context *c = w->c;
    rooms *r = w->r;
    w->gate.ranges = w->gate.blocks;
    w->gate.keep = &r->keep;
    memset(info, 0, count * sizeof *info);
    TRY(block_open(c->mem, frame, count, &r->block));
    keep_look(c, &r->keep, &r->block, w->gate.frame0 > 0);
    r->block.roster = w->model;
    if (keep_by_place(&r->keep))
        TRY(block_places(w, frame, 0));
    else
        roster_free(&r->roster);
    err = walk_next(w, info, &done);
    if (err && err != IMP_ERR_MEMORY) /* what is kept takes memory: there is more without */
        goto out;
    if (err || !done)
        TRY(block_over(w, frame, count, err == IMP_ERR_MEMORY, info));
    w->gate.blocks = w->gate.ranges;
out:
    block_close(c->mem, &r->block);
    return err;
}

void rooms_free(const context *c, rooms *r)
{
    if (!c->dev)
        return;
    bound_free(c, &r->bounds);
    cull_free(c, &r->cull);
    broad_free(&r->broad, c);
    keep_free(c, &r->keep);
    roster_free(&r->roster);
    nearby_free(c->mem, &r->near);
    stills_free(c->mem, &r->stills);
    narrow_free(c, &r->narrow);
    pairs_free(c->dev, &r->found);
    sorter_free(c->dev64, &r->sort);
}

int walk_fall_back(imp *p)
{
    char line[1200];
    snprintf(line, sizeof line, "%s; going on with cpu", imp_error_text());
    if (p->def.log)
        p->def.log(p->def.log_user, line);
    engine_close(p);
    p->def.device = "cpu";
    return engine_open(p);
}

static void profile_add(const walk *w, const imp_frame *frame, size_t count, imp_frame_info *info,
                        double seconds)
{
    imp_profile *t = w->t;
    uint64_t prims = 0;
    for (size_t f = 0; f < count; f++)
        prims += frame[f].mesh->primitives;
    for (size_t f = 0; f < count; f++) {
        double share =
            prims ? (double)frame[f].mesh->primitives / (double)prims : 1 / (double)count;
        info[f].seconds = seconds * share;
        t->candidates += info[f].candidates;
        t->contacts += info[f].contacts;
        t->undecided += info[f].undecided;
        t->bad += info[f].bad;
        t->touched += info[f].touched;
        if (info[f].candidates > t->candidates_max)
            t->candidates_max = info[f].candidates;
    }
    t->frames += count;
    t->primitives += w->model ? w->model->count : prims;
}

/* One block, done again where there is hope: fewer frames if memory was short, the host if the
 * device failed. *count becomes the number of frames done. */
static int block_retry(walk *w, imp *host, const imp_frame *frame, size_t *count,
                       imp_frame_info *info)
{
    for (;;) {
        double start = clock_seconds() - w->gate.outside;
        int err = block_detect(w, frame, *count, info);
        if (err == IMP_ERR_DEVICE && host && strcmp(host->name, "cpu")) {
            err = walk_fall_back(host);
            if (!err)
                continue;
        }
        if (err == IMP_ERR_MEMORY && *count > 1) {
            rooms_free(w->c, w->r);
            *count /= 2;
            continue;
        }
        if (!err)
            profile_add(w, frame, *count, info, clock_seconds() - w->gate.outside - start);
        return err;
    }
}

int walk_wait_out(const context *c, int err)
{
    char text[1200];
    snprintf(text, sizeof text, "%s", imp_error_text());
    if (c->dev)
        device_finish(c->dev);
    if (c->dev64 && c->dev64 != c->dev)
        device_finish(c->dev64);
    return imp_fail(err, "%s", text);
}

/* `host`: whose device may be given up for the host; NULL: none may. */
static int detect(walk *w, imp *host, const imp_def *def, const imp_frame *frames, size_t count,
                  imp_frame_info *info)
{
    int err = IMP_OK;
    mem *m = w->c->mem;
    imp_frame_info *part = NULL;
    for (size_t done = 0; done < count;) {
        size_t n = walk_length(w->c, def->block, frames + done, count - done);
        w->gate.frame0 = done;
        mem_free(m, part);
        TRY(mem_alloc(m, n * sizeof *part, &part));
        TRY(block_retry(w, host, frames + done, &n, part));
        if (info)
            memcpy(info + done, part, n * sizeof *part);
        mem_turn(m);
        faults_block(w->gate.faults);
        done += n;
    }
out:
    mem_free(m, part);
    if (w->gate.refused)
        err = w->gate.refused; /* the rooms know it as CANCELLED, whatever it is */
    return err ? walk_wait_out(w->c, err) : err;
}

int rooms_detect(const context *c, rooms *r, imp_profile *t, const imp_frame *frames, size_t count,
                 imp_sink *sink, void *user, imp_frame_info *info)
{
    static const imp_def none;
    walk w = {c, r, t, {.frame = frames, .sink = sink, .user = user}};
    return detect(&w, NULL, &none, frames, count, info);
}

int walk_heard(walk *w, imp *p, size_t count, imp_frame_info *info)
{
    int err = detect(w, p, &p->def, w->gate.frame, count, info);
    if (err == IMP_ERR_CANCELLED || w->gate.refused)
        atomic_store(&p->cancel, 0); /* it has been heard */
    return err;
}

int imp_detect(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
               imp_frame_info *info)
{
    if (!p)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_detect: the pipeline is NULL");
    walk w = {&p->context, &p->rooms, &p->profile, {.frame = frames, .sink = sink, .user = user}};
    w.gate.faults = p->faults;
    faults_resume(p->faults);
    int err = frames_check(p, frames, count);
    return err ? err : walk_heard(&w, p, count, info);
}

int imp_detect_model(imp *p, roster *model, imp_sink *sink, void *user, imp_frame_info *info)
{
    walk w = {&p->context,
              &p->rooms,
              &p->profile,
              {.frame = &model->frame, .sink = sink, .user = user},
              .model = model};
    return walk_heard(&w, p, 1, info);
}

void imp_forget(imp *p)
{
    keep_forget(&p->rooms.keep);
    p->rooms.keep.mesh = NULL;
    p->rooms.roster.used = 0;
}

void imp_cancel(imp *p)
{
    atomic_store(&p->cancel, 1);
}

const char *imp_device_name(const imp *p)
{
    return p->name;
}

int imp_broad_at(const imp *p, size_t index, const char **name, uint64_t *blocks)
{
    return broad_at(&p->rooms.broad, index, name, blocks);
}

const char *imp_broad_name(const imp *p)
{
    return broad_name(&p->rooms.broad);
}
