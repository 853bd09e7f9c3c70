/* See work.h: reading and writing get the memory that they need, the pipeline gets the rest. */
#include "work.h"

#include "budget.h"
#include "error.h"

#include <string.h>

static uint64_t job_memory_clamp(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static uint64_t memory_limit(const work *w)
{
    return w->given.mem_limit ? w->given.mem_limit : mem_machine() / BUDGET_MACHINE_SHARE;
}

void work_limits(work *w)
{
    w->mem.read.limit = memory_limit(w); /* a damaged file may ask for any amount */
    w->mem.sums.limit =
        w->wants_sums ? job_memory_clamp(w->mem.read.limit / BUDGET_SUMS_SHARE, 1, UINT64_MAX) : 1;
}

/* The corners of a primitive. */
static uint64_t corner_bytes(const work *w)
{
    return BUDGET_CORNER * (uint64_t)w->info.corners + (w->info.unstructured ? BUDGET_OWN : 0);
}

/* A frame in memory: its points, its own topology if it has one, and its description. */
static uint64_t job_memory_frame_bytes(const work *w)
{
    uint64_t points =
        w->info.vertices * (w->info.type == IMP_FLOAT32 ? BUDGET_VERTEX_F32 : BUDGET_VERTEX_F64);
    uint64_t mesh = (corner_bytes(w) + BUDGET_MESH_PRIM) * w->info.primitives + BUDGET_MESH;
    mesh += w->info.rest_bytes + w->info.id_bytes;
    return points + (w->info.static_topology ? 0 : mesh) + BUDGET_FRAME +
           w->info.bodies * sizeof(imp_pose);
}

/* The topology read last, and the workspace to read one and to count its objects. */
static uint64_t mesh_bytes(const work *w)
{
    int connected = w->given.objects && !strcmp(w->given.objects, "connected");
    uint64_t bodies = connected ? BUDGET_CONNECT_VERTEX * w->info.vertices : 0;
    uint64_t prims = (corner_bytes(w) + BUDGET_LAST_PRIM) * w->info.primitives;
    return prims + bodies + w->info.id_bytes + w->info.name_bytes + w->info.rest_bytes +
           BUDGET_PIECES;
}

static void print_log(void *user, const char *line)
{
    (void)user;
    cli_line(stderr, "impinge: %s", line);
}

/* What each of n pipelines may use. `read`: what reading takes besides its tables of the file, and
 * contacts that wait; `frames`: number of frames in memory at a time. */
static int limit_beside(work *w, uint64_t read, uint64_t frames, size_t n)
{
    uint64_t limit = memory_limit(w), others = w->mem.write.limit + w->mem.sums.limit;
    read += atomic_load(&w->mem.read.now) + w->mem.waiting;
    if (read + others >= limit)
        return imp_fail(IMP_ERR_MEMORY,
                        "--mem-limit: %llu bytes are too few; reading and writing alone take %llu",
                        (unsigned long long)limit, (unsigned long long)(read + others));
    w->mem.at_once = frames;
    w->mem.read.limit = read;
    w->def.mem_limit = (limit - read - others) / n;
    w->def.mem_limit += !w->def.mem_limit; /* 0 is no limit */
    w->def.log = print_log;
    w->def.log_user = w;
    return IMP_OK;
}

/* A topology, and frames. */
static uint64_t frames_bytes(const work *w, uint64_t frames)
{
    return mesh_bytes(w) + frames * job_memory_frame_bytes(w);
}

/* Half of what is left: what it finds needs memory, too. Of several devices one is enough. */
int work_engine_before(work *w, imp_def *def, imp **out)
{
    pipelines one = {0};
    const uint64_t limit = memory_limit(w), used = atomic_load(&w->mem.read.now);
    if (used + 1 >= limit)
        return imp_fail(IMP_ERR_MEMORY, "--mem-limit: %llu bytes are too few",
                        (unsigned long long)limit);
    def->mem_limit = (limit - used) / 2;
    def->log = print_log;
    def->log_user = w;
    int err = pipelines_open(def, &w->forced, 1, &one);
    *out = err ? NULL : one.p[0];
    one.count = 0; /* the caller's now */
    pipelines_close(&one);
    return err;
}

/* Contacts that wait, and the writer of a result. */
static void share_writing(work *w, uint64_t steps)
{
    const uint64_t limit = memory_limit(w);
    w->mem.waiting =
        job_memory_clamp(limit / BUDGET_WAIT_SHARE, BUDGET_WAIT_LEAST, BUDGET_WAIT_MOST);
    w->mem.write.limit =
        job_memory_clamp(limit / BUDGET_WRITE_SHARE, BUDGET_WRITE_LEAST, RESULT_BYTES) +
        steps * RESULT_FRAME_BYTES;
}

/* A unit for each of n pipelines and one that is read meanwhile; fewer where only those fit. Slabs
 * of later steps may be of any size. */
static int engine_of_units(work *w, size_t n, pipelines *out)
{
    int err = IMP_OK;
    uint64_t unit, besides, instants = work_frames(w, 1);
    TRY(work_space_bytes(w, &unit, &besides));
    unit += unit / BUDGET_UNIT_SPARE_SHARE;
    const uint64_t fit = memory_limit(w) / BUDGET_UNIT_SHARE / (unit + 1);
    const uint64_t units = job_memory_clamp(n + 1, 1, fit > 1 ? fit : 1);
    const int more = w->space.count > w->space.slabs;
    share_writing(w, units);
    TRY(limit_beside(w,
                     job_memory_clamp(units * unit + besides,
                                      more ? memory_limit(w) / BUDGET_UNIT_SHARE : 0, UINT64_MAX),
                     units * instants, n));
    const imp_def def = work_space_def(w);
    err = pipelines_open(&def, &w->forced, n, out);
out:
    return err;
}

/* Two blocks of frames are enough for reading and computing to overlap, with several pipelines one
 * for each and one; small ones are read further ahead, up to a fixed size. */
int work_engine(work *w, pipelines *out)
{
    int err = IMP_OK;
    const size_t n = pipelines_wanted(&w->def);
    uint64_t limit = memory_limit(w), fit = limit / BUDGET_READ_SHARE / job_memory_frame_bytes(w);
    if (w->space.slabs)
        return engine_of_units(w, n, out);
    uint64_t least = work_frames(w, 1); /* of a block */
    uint64_t most = (n + 1) * (least + BUDGET_BLOCK_PRIMS / (w->info.primitives + 1));
    most = job_memory_clamp(BUDGET_AHEAD_MOST / job_memory_frame_bytes(w), most, UINT64_MAX);
    most = job_memory_clamp(w->steps * least, least, most);
    most = job_memory_clamp(fit, least, most);
    share_writing(w, most);
    TRY(limit_beside(w, frames_bytes(w, most), most, n));
    err = pipelines_open(&w->def, &w->forced, n, out);
out:
    return err;
}

int work_engine_all(work *w, imp **out)
{
    uint64_t fit = memory_limit(w) / job_memory_frame_bytes(w);
    const uint64_t frames = w->slice.count < fit ? w->slice.count : fit;
    int err = limit_beside(w, frames_bytes(w, frames), frames, 1);
    return err ? err : imp_create_forced(&w->def, &w->forced, out);
}

/* A batch is cut into a few blocks, so that reading, computing and writing overlap, each with
 * enough work for a device. */
#define OVERLAPPING 4
#define LEAST_PRIMITIVES ((uint64_t)1 << 18)

/* All steps, each with frames of its own. */
static int all_fit(const work *w)
{
    return w->steps * work_frames(w, 1) <= w->mem.at_once;
}

size_t work_block(const work *w, const pipelines *p)
{
    if (w->space.slabs)
        return 1;
    uint64_t steps = pipelines_block(p, w->info.vertices, w->info.primitives);
    /* half of the frames that fit: one block is computed while another is read; of several
     * pipelines each computes one meanwhile */
    uint64_t part = w->mem.at_once / (p->count + 1), shared = work_frames(w, 0);
    uint64_t fit = all_fit(w) ? w->steps : part > shared ? part - shared : 1;
    uint64_t least = 1 + LEAST_PRIMITIVES / (w->info.primitives + 1);
    if (!w->given.block && steps < least)
        steps = least; /* the pipeline cuts them into its own blocks */
    uint64_t blocks = OVERLAPPING * p->count, few = (w->steps + blocks - 1) / blocks;
    fit = fit < steps ? fit : steps;
    few = few > least ? few : least;
    fit = fit < few ? fit : few;
    return fit > 1 ? (size_t)fit : 1;
}

/* The relay keeps at least one block, also where memory is short. */
size_t work_blocks(const work *w, size_t steps)
{
    uint64_t blocks = all_fit(w) ? w->steps : w->mem.at_once / work_frames(w, steps);
    return blocks > 1 ? (size_t)blocks : 1;
}

void work_rest(work *w, const pipelines *p)
{
    imp_profile t;
    pipelines_profile(p, &t);
    /* the pipelines' peak stays counted: the limit and peak_bytes are for all parts together */
    uint64_t limit = memory_limit(w), rest = limit > t.peak_bytes ? limit - t.peak_bytes : 0;
    w->mem.read.limit = rest > w->mem.read.limit ? rest : w->mem.read.limit;
}
