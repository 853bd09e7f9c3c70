/* See work.h: reading and writing get the memory that they need, the pipeline gets the rest. */
#include "work.h"

#include "budget.h"
#include "error.h"

#include <string.h>

static uint64_t within(uint64_t x, uint64_t low, uint64_t high)
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
        w->wants_sums ? within(w->mem.read.limit / BUDGET_SUMS_SHARE, 1, UINT64_MAX) : 1;
}

/* The corners of a primitive. */
static uint64_t corner_bytes(const work *w)
{
    return BUDGET_CORNER * (uint64_t)w->info.corners + (w->info.unstructured ? BUDGET_OWN : 0);
}

/* A frame in memory: its points, its own topology if it has one, and its description. */
static uint64_t frame_bytes(const work *w)
{
    uint64_t points =
        w->info.vertices * (w->info.type == IMP_FLOAT32 ? BUDGET_VERTEX_F32 : BUDGET_VERTEX_F64);
    uint64_t mesh = (corner_bytes(w) + BUDGET_MESH_PRIM) * w->info.primitives + BUDGET_MESH;
    mesh += w->info.rest_bytes;
    return points + (w->info.static_topology ? 0 : mesh) + BUDGET_FRAME +
           w->info.bodies * sizeof(imp_pose);
}

/* The topology read last, and the workspace to read one and to count its objects. */
static uint64_t mesh_bytes(const work *w)
{
    int connected = w->given.objects && !strcmp(w->given.objects, "connected");
    uint64_t bodies = connected ? BUDGET_CONNECT_VERTEX * w->info.vertices : 0;
    uint64_t prims = (corner_bytes(w) + BUDGET_LAST_PRIM) * w->info.primitives;
    return prims + bodies + w->info.name_bytes + w->info.rest_bytes + BUDGET_PIECES;
}

static void print_log(void *user, const char *line)
{
    const work *w = user;
    if (!w->warnings.quiet)
        fprintf(stderr, "impinge: %s\n", line);
}

/* `read`: what reading takes besides its tables of the file, and contacts that wait; `frames`:
 * number of frames in memory at a time */
static int engine_beside(work *w, uint64_t read, uint64_t frames, imp **out)
{
    uint64_t limit = memory_limit(w), others = w->mem.write.limit + w->mem.sums.limit;
    imp_def def;
    read += atomic_load(&w->mem.read.now) + w->mem.waiting;
    if (read + others >= limit)
        return imp_fail(IMP_ERR_MEMORY,
                        "--mem-limit: %llu bytes are too few; reading and writing alone take %llu",
                        (unsigned long long)limit, (unsigned long long)(read + others));
    w->mem.at_once = frames;
    w->mem.read.limit = read;
    w->def.mem_limit = limit - read - others;
    w->def.log = print_log;
    w->def.log_user = w;
    def = work_space_def(w);
    return imp_create_forced(&def, &w->forced, out);
}

/* A topology, and frames. */
static uint64_t frames_bytes(const work *w, uint64_t frames)
{
    return mesh_bytes(w) + frames * frame_bytes(w);
}

/* Half of what is left: what it finds needs memory, too. */
int work_engine_before(work *w, imp_def *def, imp **out)
{
    const uint64_t limit = memory_limit(w), used = atomic_load(&w->mem.read.now);
    if (used + 1 >= limit)
        return imp_fail(IMP_ERR_MEMORY, "--mem-limit: %llu bytes are too few",
                        (unsigned long long)limit);
    def->mem_limit = (limit - used) / 2;
    def->log = print_log;
    def->log_user = w;
    return imp_create_forced(def, &w->forced, out);
}

/* Contacts that wait, and the writer of a result. */
static void share_writing(work *w, uint64_t steps)
{
    const uint64_t limit = memory_limit(w);
    w->mem.waiting = within(limit / BUDGET_WAIT_SHARE, BUDGET_WAIT_LEAST, BUDGET_WAIT_MOST);
    w->mem.write.limit = within(limit / BUDGET_WRITE_SHARE, BUDGET_WRITE_LEAST, RESULT_BYTES) +
                         steps * RESULT_FRAME_BYTES;
}

/* Two units, so that one is read while another is computed; one where only that fits. */
static int engine_of_units(work *w, imp **out)
{
    int err = IMP_OK;
    uint64_t unit, besides, instants = work_frames(w, 1);
    TRY(work_space_bytes(w, &unit, &besides));
    unit += unit / BUDGET_UNIT_SPARE_SHARE;
    const uint64_t two = memory_limit(w) / BUDGET_UNIT_SHARE / 2 > unit ? 2 : 1;
    share_writing(w, two);
    err = engine_beside(w, two * unit + besides, two * instants, out);
out:
    return err;
}

/* Two blocks of frames are enough for reading and computing to overlap; small ones are read further
 * ahead, up to a fixed size. */
int work_engine(work *w, imp **out)
{
    uint64_t limit = memory_limit(w), fit = limit / BUDGET_READ_SHARE / frame_bytes(w);
    if (w->space.slabs)
        return engine_of_units(w, out);
    uint64_t least = work_frames(w, 1); /* of a block */
    uint64_t most = 2 * (least + BUDGET_BLOCK_PRIMS / (w->info.primitives + 1));
    most = within(BUDGET_AHEAD_MOST / frame_bytes(w), most, UINT64_MAX);
    most = within(w->steps * least, least, most);
    most = within(fit, least, most);
    share_writing(w, most);
    return engine_beside(w, frames_bytes(w, most), most, out);
}

int work_engine_all(work *w, imp **out)
{
    uint64_t fit = memory_limit(w) / frame_bytes(w);
    const uint64_t frames = w->slice.count < fit ? w->slice.count : fit;
    return engine_beside(w, frames_bytes(w, frames), frames, out);
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

size_t work_block(const work *w, const imp *p)
{
    if (w->space.slabs)
        return 1;
    uint64_t steps = imp_block_frames(p, w->info.vertices, w->info.primitives);
    /* half of the frames that fit: one block is computed while another is read */
    uint64_t half = w->mem.at_once / 2, shared = work_frames(w, 0);
    uint64_t fit = all_fit(w) ? w->steps : half > shared ? half - shared : 1;
    uint64_t least = 1 + LEAST_PRIMITIVES / (w->info.primitives + 1);
    if (!w->given.block && steps < least)
        steps = least; /* the pipeline cuts them into its own blocks */
    uint64_t few = (w->steps + OVERLAPPING - 1) / OVERLAPPING;
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

void work_rest(work *w, const imp *p)
{
    imp_profile t;
    imp_profile_get(p, &t);
    /* the pipeline's peak stays counted: the limit and peak_bytes are for all parts together */
    uint64_t limit = memory_limit(w), rest = limit > t.peak_bytes ? limit - t.peak_bytes : 0;
    w->mem.read.limit = rest > w->mem.read.limit ? rest : w->mem.read.limit;
}
