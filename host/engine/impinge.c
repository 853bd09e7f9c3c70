/* The corridor: blocks of frames walk through the rooms. */
#include "engine.h"

#include "clock.h"
#include "error.h"

#include <stdio.h>
#include <string.h>

#define BLOCK_PRIMS (1u << 21)    /* enough to fill a device; more only costs memory */
#define PIECE (UINT64_C(1) << 23) /* candidates at a time */

/* ---- blocks */

/* Bytes that a frame takes on the way, all buffers together: points as given and scaled, corners,
 * bounds, hash table, a few candidates for each primitive. */
static uint64_t frame_bytes(uint64_t verts, uint64_t prims)
{
    return 4096 + 48 * verts + 320 * prims;
}

size_t imp_block_frames(const imp *p, uint64_t vertices, uint64_t triangles)
{
    uint64_t n = BLOCK_PRIMS / (triangles + vertices / 2 + 1);
    uint64_t fit = p->mem.limit / 2 / frame_bytes(vertices, triangles);
    n = n < fit ? n : fit;
    if (p->def.block && n > p->def.block)
        n = p->def.block;
    return n > 1 ? (size_t)n : 1;
}

/* how many of the frames go together */
static size_t block_length(const imp *p, const imp_frame *frame, size_t count)
{
    uint64_t verts = 0, prims = 0, bytes = 0;
    size_t n = 0;
    for (; n < count && (!p->def.block || n < p->def.block); n++) {
        const imp_mesh *m = frame[n].mesh;
        verts += m->vertices;
        prims += m->triangles;
        bytes += frame_bytes(m->vertices, m->triangles);
        if (n && (prims > BLOCK_PRIMS || verts > BLOCK_PRIMS || bytes > p->mem.limit / 2))
            break;
    }
    return n;
}

static void block_close(imp *p)
{
    mem_free(&p->mem, p->block.memory);
    p->block = (block){0};
}

/* Lays the block's arrays out in one allocation. */
static int block_arrays(imp *p, block *b)
{
    size_t n = b->frames;
    size_t doubles = 10 * n, words = 3 * (n + 1) + 3 * n;
    int err = mem_alloc(&p->mem, doubles * sizeof(double) + words * sizeof(uint32_t), &b->memory);
    if (err)
        return err;
    b->scale = b->memory;
    b->unscale = b->scale + 2 * n;
    b->centre = b->unscale + 2 * n;
    b->half = b->centre + 3 * n;
    b->prim0 = (uint32_t *)(b->half + 3 * n);
    b->vert0 = b->prim0 + n + 1;
    b->tri0 = b->vert0 + n + 1;
    b->bad = b->tri0 + n;
    b->parted = b->bad + n;
    b->place0 = b->parted + n;
    return IMP_OK;
}

static int block_open(imp *p, const imp_frame *frame, size_t count)
{
    int err = IMP_OK;
    block *b = &p->block;
    uint64_t prims = 0, verts = 0, tris = 0;
    *b = (block){.frame = frame, .frames = (uint32_t)count};
    TRY(block_arrays(p, b));
    for (size_t f = 0; f < count; f++) {
        const imp_mesh *m = frame[f].mesh;
        int again = f > 0 && frame[f - 1].mesh == m;
        b->prim0[f] = (uint32_t)prims;
        b->vert0[f] = (uint32_t)verts;
        b->tri0[f] = again ? b->tri0[f - 1] : (uint32_t)tris;
        prims += m->triangles;
        verts += m->vertices;
        tris += again ? 0 : m->triangles;
    }
    /* both fit: of one frame frames_check has seen to it, of several block_length */
    b->prim0[count] = b->prims = (uint32_t)prims;
    b->vert0[count] = b->verts = (uint32_t)verts;
    b->tri_total = (uint32_t)tris;
out:
    return err;
}

/* ---- a range of a block */

/* Between the rooms and the caller's sink. A range or a block that has to be done again yields the
 * same contacts again: those that were handed out already are passed over. */
typedef struct gate {
    const imp_frame *frame; /* the caller's array */
    imp_sink *sink;
    void *user;
    size_t frame0;   /* the block's first frame in the caller's array */
    uint64_t seen;   /* contacts of all frames, as they come */
    uint64_t handed; /* the most that were ever handed out */
    uint64_t ranges; /* of complete ranges */
    uint64_t blocks; /* of complete blocks */
    int fall_back;   /* to the host if the device fails */
    int refused;     /* what the caller's sink returned, if that was not 0 */
    double outside;  /* seconds spent in it, which belong to no room */
} gate;

static int gate_sink(void *user, const imp_contacts *in)
{
    gate *g = user;
    imp_contacts out = *in;
    uint64_t skip = g->handed > g->seen ? g->handed - g->seen : 0;
    g->seen += in->count;
    if (skip >= in->count)
        return 0;
    g->handed = g->seen;
    out.frame += g->frame0;
    out.count -= skip;
    out.a += skip;
    out.b += skip;
    out.kind += skip;
    out.point += 6 * skip;
    if (!g->sink)
        return 0;
    double start = clock_seconds();
    unsigned long texts = error_texts();
    g->refused = g->sink(g->user, &out);
    g->outside += clock_seconds() - start;
    if (g->refused && texts == error_texts())
        imp_fail(g->refused, "frame %llu: the caller's sink stopped the run with %d",
                 (unsigned long long)g->frame[out.frame].number, g->refused);
    return g->refused;
}

/* Adds the time since *start to *room, and starts anew. */
static void room_time(double *room, double *start)
{
    double now = clock_seconds();
    *room += now - *start;
    *start = now;
}

/* Candidates at a time: what a third of the free memory holds, with what narrow makes of them. */
static uint64_t piece_room(const imp *p)
{
    uint64_t fit = mem_left(&p->mem) / 3 / 24;
    uint64_t most = p->dev->largest ? p->dev->largest / 4 : PIECE;
    most = most < PIECE ? most : PIECE;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

/* All contacts whose lower primitive is in [first, last). */
static int range_detect(imp *p, uint32_t first, uint32_t last, imp_frame_info *info, gate *g)
{
    int err = IMP_OK;
    double start = clock_seconds();
    imp_profile *t = &p->profile;
    narrow_clear(p);
    TRY(broad_begin(p, first, last, info));
    while (!broad_done(p)) {
        TRY(broad_next(p, piece_room(p), info, &p->narrow.found));
        TRY(device_finish(p->dev));
        room_time(&t->broad, &start);
        TRY(narrow_collect(p));
        room_time(&t->narrow, &start);
    }
    TRY(order_pairs(p, &p->narrow.meet));
    TRY(order_pairs(p, &p->narrow.undecided));
    TRY(device_finish(p->dev64));
    room_time(&t->order, &start);
    g->seen = g->ranges;
    start -= g->outside;
    TRY(contact_emit(p, gate_sink, g, info));
    g->ranges = g->seen;
    start += g->outside;
    room_time(&t->narrow, &start);
out:
    return err;
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

/* The whole block in one range if memory allows, else in halves, and so on. */
static int block_ranges(imp *p, imp_frame_info *info, gate *g)
{
    int err = IMP_OK;
    uint32_t first = 0, n = p->block.prims, last = n;
    imp_frame_info *part = NULL;
    TRY(mem_alloc(&p->mem, p->block.frames * sizeof *part, &part));
    while (first < n) {
        memset(part, 0, p->block.frames * sizeof *part);
        err = range_detect(p, first, last, part, g);
        if (err == IMP_ERR_MEMORY && last - first > 1) {
            narrow_free(p);
            last = first + (last - first) / 2;
            continue;
        }
        TRY(err);
        info_add(info, part, p->block.frames);
        uint32_t step = last - first;
        first = last;
        last = n - first > step ? first + step : n;
    }
    err = IMP_OK;
out:
    mem_free(&p->mem, part);
    return err;
}

static int block_detect(imp *p, const imp_frame *frame, size_t count, imp_frame_info *info, gate *g)
{
    int err = IMP_OK;
    double start = clock_seconds();
    g->ranges = g->blocks;
    memset(info, 0, count * sizeof *info);
    TRY(block_open(p, frame, count));
    TRY(bound(p));
    TRY(device_finish(p->dev));
    room_time(&p->profile.bound, &start);
    TRY(broad_build(p));
    TRY(device_finish(p->dev));
    room_time(&p->profile.broad, &start);
    TRY(block_ranges(p, info, g));
    for (size_t f = 0; f < count; f++)
        info[f].bad = p->block.bad[f];
    g->blocks = g->ranges;
out:
    block_close(p);
    return err;
}

/* The device has failed: report it, and go on with the host for good. */
static int fall_back(imp *p)
{
    char line[1200];
    snprintf(line, sizeof line, "%s; going on with cpu", imp_error_text());
    if (p->def.log)
        p->def.log(p->def.log_user, line);
    engine_close(p);
    p->def.device = "cpu";
    return engine_open(p);
}

static void profile_add(imp *p, const imp_frame *frame, size_t count, imp_frame_info *info,
                        double seconds)
{
    imp_profile *t = &p->profile;
    uint64_t prims = 0;
    for (size_t f = 0; f < count; f++)
        prims += frame[f].mesh->triangles;
    for (size_t f = 0; f < count; f++) {
        double share = prims ? (double)frame[f].mesh->triangles / (double)prims : 1 / (double)count;
        info[f].seconds = seconds * share;
        t->candidates += info[f].candidates;
        t->contacts += info[f].contacts;
        t->undecided += info[f].undecided;
        t->bad += info[f].bad;
        if (info[f].candidates > t->candidates_max)
            t->candidates_max = info[f].candidates;
    }
    t->frames += count;
    t->primitives += prims;
}

/* One block, done again where there is hope: fewer frames if memory was short, the host if the
 * device failed. *count becomes the number of frames done. */
static int block_retry(imp *p, const imp_frame *frame, size_t *count, imp_frame_info *info, gate *g)
{
    for (;;) {
        double start = clock_seconds() - g->outside;
        int err = block_detect(p, frame, *count, info, g);
        if (err == IMP_ERR_DEVICE && g->fall_back && strcmp(p->name, "cpu")) {
            err = fall_back(p);
            if (!err)
                continue;
        }
        if (err == IMP_ERR_MEMORY && *count > 1) {
            bound_free(p);
            broad_free(p);
            narrow_free(p);
            *count /= 2;
            continue;
        }
        if (!err)
            profile_add(p, frame, *count, info, clock_seconds() - g->outside - start);
        return err;
    }
}

/* After an error kernels may still be at work on the caller's frames, which are about to go. */
static int wait_out(imp *p, int err)
{
    char text[1200];
    snprintf(text, sizeof text, "%s", imp_error_text());
    if (p->dev)
        device_finish(p->dev);
    if (p->dev64 && p->dev64 != p->dev)
        device_finish(p->dev64);
    return imp_fail(err, "%s", text);
}

static int detect(imp *p, const imp_frame *frames, size_t count, gate *g, imp_frame_info *info)
{
    int err = IMP_OK;
    imp_frame_info *part = NULL;
    for (size_t done = 0; done < count;) {
        size_t n = block_length(p, frames + done, count - done);
        g->frame0 = done;
        mem_free(&p->mem, part);
        TRY(mem_alloc(&p->mem, n * sizeof *part, &part));
        TRY(block_retry(p, frames + done, &n, part, g));
        if (info)
            memcpy(info + done, part, n * sizeof *part);
        done += n;
    }
out:
    mem_free(&p->mem, part);
    if (g->refused)
        err = g->refused; /* the rooms know it as CANCELLED, whatever it is */
    return err ? wait_out(p, err) : err;
}

int detect_blocks(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
                  imp_frame_info *info)
{
    gate g = {.frame = frames, .sink = sink, .user = user};
    return detect(p, frames, count, &g, info);
}

int imp_detect(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
               imp_frame_info *info)
{
    gate g = {.frame = frames, .sink = sink, .user = user, .fall_back = 1};
    if (!p)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_detect: the pipeline is NULL");
    int err = frames_check(p, frames, count);
    if (err)
        return err;
    err = detect(p, frames, count, &g, info);
    if (err == IMP_ERR_CANCELLED || g.refused)
        atomic_store(&p->cancel, 0); /* it has been heard */
    return err;
}

void imp_profile_get(const imp *p, imp_profile *out)
{
    *out = p->profile;
    out->peak_bytes = atomic_load(&p->mem.peak);
}

void imp_profile_reset(imp *p)
{
    p->profile = (imp_profile){0};
    atomic_store(&p->mem.peak, atomic_load(&p->mem.now));
}

void imp_cancel(imp *p)
{
    atomic_store(&p->cancel, 1);
}

const char *imp_device_name(const imp *p)
{
    return p->name;
}

const char *imp_broad_name(const imp *p)
{
    return p->broad.method->name;
}
