/* See job.h: reading and writing get the memory that they need, the pipeline gets the rest. */
#include "job.h"

#include "mem.h"
#include "error.h"

#include <string.h>

static uint64_t job_memory_clamp(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static uint64_t job_memory_limit(const job *j)
{
    return j->given.mem_limit ? j->given.mem_limit : mem_machine() / BUDGET_MACHINE_SHARE;
}

void job_memory_begin(job *j)
{
    j->mem.read.limit = job_memory_limit(j); /* a damaged file may ask for any amount */
    j->mem.sums.limit =
        j->wants_sums ? job_memory_clamp(j->mem.read.limit / BUDGET_SUMS_SHARE, 1, UINT64_MAX) : 1;
}

/* Bytes of a primitive's corners. */
static uint64_t job_memory_corner_bytes(const job *j)
{
    return BUDGET_CORNER * (uint64_t)j->info.corners + (j->info.unstructured ? BUDGET_OWN : 0);
}

/* Bytes of a frame in memory: its points, its own topology if it has one, and its description. */
static uint64_t job_memory_frame_bytes(const job *j)
{
    uint64_t points =
        j->info.vertices * (j->info.type == IMP_FLOAT32 ? BUDGET_VERTEX_F32 : BUDGET_VERTEX_F64);
    uint64_t mesh =
        (job_memory_corner_bytes(j) + BUDGET_MESH_PRIM) * j->info.primitives + BUDGET_MESH;
    mesh += j->info.rest_bytes + j->info.id_bytes;
    return points + (j->info.static_topology ? 0 : mesh) + BUDGET_FRAME +
           j->info.bodies * sizeof(imp_pose);
}

/* Bytes of the topology read last, and of the workspace for reading one and counting its
 * objects. */
static uint64_t job_memory_mesh_bytes(const job *j)
{
    int connected = j->given.objects && !strcmp(j->given.objects, "connected");
    uint64_t bodies = connected ? BUDGET_CONNECT_VERTEX * j->info.vertices : 0;
    uint64_t prims = (job_memory_corner_bytes(j) + BUDGET_LAST_PRIM) * j->info.primitives;
    return prims + bodies + j->info.id_bytes + j->info.name_bytes + j->info.rest_bytes +
           BUDGET_PIECES;
}

static void job_print_log(void *user, const char *line)
{
    (void)user;
    cli_line(stderr, "impinge: %s", line);
}

/* Sets the limit of each of n pipelines. read: bytes for reading besides the file's tables and
 * contacts that wait; frames: number of frames in memory at a time. */
static int job_memory_limit_devices(job *j, uint64_t read, uint64_t frames, size_t n)
{
    uint64_t limit = job_memory_limit(j), others = j->mem.write.limit + j->mem.sums.limit;
    /* relations wait, too, in memory of the same size */
    read += atomic_load(&j->mem.read.now) + (j->def.inside ? 2 : 1) * j->mem.waiting_bytes;
    if (read + others >= limit)
        return imp_fail(IMP_ERR_MEMORY,
                        "--mem-limit: %llu bytes are too few; reading and writing alone take %llu",
                        (unsigned long long)limit, (unsigned long long)(read + others));
    j->mem.frames_at_once = frames;
    j->mem.read.limit = read;
    j->def.mem_limit = (limit - read - others) / n;
    j->def.mem_limit += !j->def.mem_limit; /* 0 would mean no limit */
    j->def.log = job_print_log;
    j->def.log_user = j;
    return IMP_OK;
}

/* Bytes of a topology and of frames. */
static uint64_t job_memory_frames_bytes(const job *j, uint64_t frames)
{
    return job_memory_mesh_bytes(j) + frames * job_memory_frame_bytes(j);
}

/* Half of the remaining memory: the contacts found need memory, too. Opens only one of several
 * devices. */
int job_open_for_baseline(job *j, imp_def *def, imp **out)
{
    devices one = {0};
    const uint64_t limit = job_memory_limit(j), used = atomic_load(&j->mem.read.now);
    if (used + 1 >= limit)
        return imp_fail(IMP_ERR_MEMORY, "--mem-limit: %llu bytes are too few",
                        (unsigned long long)limit);
    def->mem_limit = (limit - used) / 2;
    def->log = job_print_log;
    def->log_user = j;
    int err = devices_open(def, &j->forced, 1, &one);
    *out = err ? NULL : one.p[0];
    one.count = 0; /* the caller owns it now */
    devices_close(&one);
    return err;
}

/* Sets the limits of contacts that wait, and of the writer of a result. */
static void job_memory_limit_writing(job *j, uint64_t steps)
{
    const uint64_t limit = job_memory_limit(j);
    j->mem.waiting_bytes =
        job_memory_clamp(limit / BUDGET_WAIT_SHARE, BUDGET_WAIT_LEAST, BUDGET_WAIT_MOST);
    j->mem.write.limit =
        job_memory_clamp(limit / BUDGET_WRITE_SHARE, BUDGET_WRITE_LEAST, RESULT_BYTES) +
        steps * RESULT_FRAME_BYTES;
}

/* Opens pipelines with memory for one unit each and one that is read meanwhile; fewer if only those
 * fit. Slabs of later steps may have any size. */
static int job_open_devices_for_units(job *j, size_t n, devices *out)
{
    int err = IMP_OK;
    uint64_t unit, besides, instants = job_frames_of_steps(j, 1);
    TRY(job_partition_bytes(j, &unit, &besides));
    unit += unit / BUDGET_UNIT_SPARE_SHARE;
    const uint64_t fit = job_memory_limit(j) / BUDGET_UNIT_SHARE / (unit + 1);
    const uint64_t units = job_memory_clamp(n + 1, 1, fit > 1 ? fit : 1);
    const int more = j->partition.count > j->partition.slabs;
    job_memory_limit_writing(j, units);
    TRY(job_memory_limit_devices(
        j,
        job_memory_clamp(units * unit + besides, more ? job_memory_limit(j) / BUDGET_UNIT_SHARE : 0,
                         UINT64_MAX),
        units * instants, n));
    const imp_def def = job_partition_def(j);
    err = devices_open(&def, &j->forced, n, out);
out:
    return err;
}

/* Two blocks of frames are enough for reading and computing to overlap; with several pipelines, one
 * for each and one more. Small blocks are read further ahead, up to a fixed size. */
int job_open_devices(job *j, devices *out)
{
    int err = IMP_OK;
    const size_t n = devices_wanted(&j->def);
    uint64_t limit = job_memory_limit(j),
             fit = limit / BUDGET_READ_SHARE / job_memory_frame_bytes(j);
    if (j->partition.slabs)
        return job_open_devices_for_units(j, n, out);
    uint64_t least = job_frames_of_steps(j, 1); /* fewest frames of a block */
    uint64_t most = (n + 1) * (least + BUDGET_BLOCK_PRIMS / (j->info.primitives + 1));
    most = job_memory_clamp(BUDGET_AHEAD_MOST / job_memory_frame_bytes(j), most, UINT64_MAX);
    most = job_memory_clamp(j->steps * least, least, most);
    most = job_memory_clamp(fit, least, most);
    job_memory_limit_writing(j, most);
    TRY(job_memory_limit_devices(j, job_memory_frames_bytes(j, most), most, n));
    err = devices_open(&j->def, &j->forced, n, out);
out:
    return err;
}

int job_open_for_all_frames(job *j, imp **out)
{
    uint64_t fit = job_memory_limit(j) / job_memory_frame_bytes(j);
    const uint64_t frames = j->slice.count < fit ? j->slice.count : fit;
    int err = job_memory_limit_devices(j, job_memory_frames_bytes(j, frames), frames, 1);
    return err ? err : imp_create_forced(&j->def, &j->forced, out);
}

/* A batch is divided into a few blocks, so that reading, computing and writing overlap, each block
 * with enough work for a device. */
#define OVERLAPPING 4
#define LEAST_PRIMITIVES ((uint64_t)1 << 18)

/* Returns whether all steps fit, each with frames of its own. */
static int job_memory_fits_all(const job *j)
{
    return j->steps * job_frames_of_steps(j, 1) <= j->mem.frames_at_once;
}

size_t job_block_steps(const job *j, const devices *p)
{
    if (j->partition.slabs)
        return 1;
    uint64_t steps = devices_block_frames(p, j->info.vertices, j->info.primitives);
    /* half of the frames that fit: one block is computed while another is read; each of several
     * pipelines computes one meanwhile */
    uint64_t part = j->mem.frames_at_once / (p->count + 1), shared = job_frames_of_steps(j, 0);
    uint64_t fit = job_memory_fits_all(j) ? j->steps : part > shared ? part - shared : 1;
    uint64_t least = 1 + LEAST_PRIMITIVES / (j->info.primitives + 1);
    if (!j->given.block && steps < least)
        steps = least; /* the pipeline divides them into its own blocks */
    uint64_t blocks = OVERLAPPING * p->count, few = (j->steps + blocks - 1) / blocks;
    fit = fit < steps ? fit : steps;
    few = few > least ? few : least;
    fit = fit < few ? fit : few;
    return fit > 1 ? (size_t)fit : 1;
}

/* The I/O thread keeps at least one block, even if memory is short. */
size_t job_block_count(const job *j, size_t steps)
{
    uint64_t blocks =
        job_memory_fits_all(j) ? j->steps : j->mem.frames_at_once / job_frames_of_steps(j, steps);
    return blocks > 1 ? (size_t)blocks : 1;
}

void job_memory_release_unused(job *j, const devices *p)
{
    imp_profile t;
    devices_profile(p, &t);
    /* the pipelines' peak stays counted: the limit and peak_bytes apply to all parts together */
    uint64_t limit = job_memory_limit(j), rest = limit > t.peak_bytes ? limit - t.peak_bytes : 0;
    j->mem.read.limit = rest > j->mem.read.limit ? rest : j->mem.read.limit;
}
