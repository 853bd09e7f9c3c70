/* See work.h. */
#include "work.h"

#include "compare.h"
#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define PAIRS_CHOICES "all|self|between"
#define ADJACENT_CHOICES "skip|test"
#define STAGE_CHOICES "contacts|candidates"
#define ON_BAD_CHOICES "error|skip"

const cli_option work_options[] = {
    {"device", 0, CLI_TEXT, offsetof(work, device), "auto|cpu|opencl|TEXT|N",
     "what computes; TEXT is part of a name, N a number of 'impinge devices' (default: auto)",
     "What computes: the host, the first OpenCL device, one whose platform, name or version "
     "contains TEXT (in any case), or number N of 'impinge devices'. The default, auto, takes a "
     "GPU "
     "if there is one, else whichever of the host and an OpenCL CPU device was measured to be "
     "faster here; for small inputs it takes the host at once."},
    {"threads", 0, CLI_COUNT, offsetof(work, threads), "N", "threads of the host (default: all)"},
    {"broad", 0, CLI_TEXT, offsetof(work, broad), "auto|grid|hash|brute",
     "how pairs are found whose bounds overlap (default: auto)",
     "The broad phase: sorted grids (what auto means), the prime-coefficient spatial hash, or all "
     "pairs. All give the same result."},
    {"pairs", 0, CLI_CHOICE, offsetof(work, pairs), PAIRS_CHOICES,
     "within objects and between them, or only one of both (default: all)"},
    {"object-pairs", 0, CLI_TEXT, offsetof(work, object_pairs), "FILE",
     "test only the pairs of objects listed there; with -FILE, all others",
     "Test only the pairs of objects listed in FILE, two numbers a line; lines that begin with '- "
     "' "
     "leave their pair out. With a dash before FILE, all pairs but those listed are tested."},
    {"objects", 0, CLI_TEXT, offsetof(work, objects), "id|connected|array:NAME",
     "what tells objects apart (default: id, which is CellData/ObjectId)",
     "What tells objects apart: the cell array ObjectId (the default), connection by shared "
     "vertices, or another cell array."},
    {"adjacent", 0, CLI_CHOICE, offsetof(work, adjacent), ADJACENT_CHOICES,
     "leave out pairs that share a vertex, or test whether they meet beyond it (default: skip)",
     "Pairs that share a vertex by index are left out (the default), or reported where they meet "
     "beyond what they share."},
    {"stage", 0, CLI_CHOICE, offsetof(work, stage), STAGE_CHOICES,
     "exact contacts, or only pairs whose bounds overlap (default: contacts)"},
    {"dop", 0, CLI_COUNT, offsetof(work, dop), "6|8|14|18|26",
     "directions of the bounds; 6 are axis-aligned boxes (default: 6)"},
    {"cell", 0, CLI_REAL, offsetof(work, cell), "SIZE",
     "edge of the cells of --broad hash, which it chooses (default: a frame's mean edge)"},
    {"frames", 0, CLI_TEXT, offsetof(work, frames), "A:B:STEP",
     "a slice of the frames, as in Python (default: all)"},
    {"block", 0, CLI_COUNT, offsetof(work, block), "N",
     "most frames in one set of launches (default: what memory allows)",
     "Most frames in one set of launches; while they are computed, the next are read and the "
     "contacts of those before are written. By default as many as the device and memory can take."},
    {"mem-limit", 0, CLI_SIZE, offsetof(work, mem_limit), "SIZE",
     "most memory of host and device buffers, such as 512M or 4G (default: half of the machine's)"},
    {"on-bad", 0, CLI_CHOICE, offsetof(work, on_bad), ON_BAD_CHOICES,
     "triangles with NaN or infinite vertices end the run, or are left out and counted "
     "(default: error)"},
    {0},
};

/* ---- the normal form */

int work_normal(const work *w, char *out, size_t size)
{
    char pairs[16], adjacent[16], stage[16], on_bad[16], list[64] = "";
    const object_pairs *l = &w->pairs_list;
    if (l->pair)
        snprintf(list, sizeof list, " object-pairs=%s:%zu:%016llx", l->exclude ? "not" : "only",
                 l->count, (unsigned long long)XXH3_64bits(l->pair, l->count * sizeof *l->pair));
    int n = snprintf(out, size,
                     "pairs=%s adjacent=%s stage=%s on-bad=%s dop=%d frames=%llu+%llu*%lld%s "
                     "objects=%s",
                     cli_choice_word(PAIRS_CHOICES, w->pairs, pairs, sizeof pairs),
                     cli_choice_word(ADJACENT_CHOICES, w->adjacent, adjacent, sizeof adjacent),
                     cli_choice_word(STAGE_CHOICES, w->stage, stage, sizeof stage),
                     cli_choice_word(ON_BAD_CHOICES, w->on_bad, on_bad, sizeof on_bad),
                     w->def.dop_k, (unsigned long long)w->first, (unsigned long long)w->count,
                     (long long)w->step, list, w->objects ? w->objects : "id");
    return n > 0 && (size_t)n < size
               ? IMP_OK
               : imp_fail(IMP_ERR_ARGUMENT, "--objects: the name of the array is too long");
}

/* The value of `key=` in a normal form, up to the next blank. */
static int normal_value(const char *normal, const char *key, char *out, size_t size)
{
    const char *at = strstr(normal, key);
    if (!at)
        return 0;
    at += strlen(key);
    snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
    return 1;
}

static int normal_choice(const char *normal, const char *key, const char *choices, int *out)
{
    char word[32];
    return normal_value(normal, key, word, sizeof word) && cli_choice(word, choices, out);
}

int work_parse(const char *normal, work *w, char *objects, size_t size)
{
    char text[64];
    unsigned long long first, count;
    long long step;
    const char *name = strstr(normal, " objects=");
    int good = normal_choice(normal, "pairs=", PAIRS_CHOICES, &w->pairs) &&
               normal_choice(normal, "adjacent=", ADJACENT_CHOICES, &w->adjacent) &&
               normal_choice(normal, "stage=", STAGE_CHOICES, &w->stage) &&
               normal_choice(normal, "on-bad=", ON_BAD_CHOICES, &w->on_bad) &&
               normal_value(normal, "dop=", text, sizeof text) && name;
    if (good)
        w->dop = strtoull(text, NULL, 10);
    good = good && normal_value(normal, "frames=", text, sizeof text) &&
           sscanf(text, "%llu+%llu*%lld", &first, &count, &step) == 3;
    if (!good)
        return imp_fail(IMP_ERR_INPUT, "/impinge: options: not understood");
    if (normal_value(normal, "object-pairs=", text, sizeof text))
        w->pairs_list.exclude = !strncmp(text, "not", 3);
    snprintf(objects, size, "%s", name + strlen(" objects="));
    w->objects = objects;
    return IMP_OK;
}

/* ---- frames */

/* One bound of a slice, as Python clips it: [low, high]. Returns 0 if it is not a number. */
static int slice_bound(const char *text, size_t length, int64_t n, int64_t low, int64_t high,
                       int64_t *out)
{
    char *end;
    long long x = strtoll(text, &end, 10);
    if ((size_t)(end - text) != length)
        return 0;
    if (x < 0)
        x += n;
    *out = x < low ? low : x > high ? high : x;
    return 1;
}

/* "a:b:step" as slice(a, b, step).indices(n) of Python. Returns 0 if it is not a slice. */
static int slice_parse(const char *text, uint64_t frames, work *w)
{
    const char *part[3] = {"", "", ""};
    size_t length[3] = {0}, parts = 0;
    int64_t n = (int64_t)frames, start, stop;
    w->step = 1;
    for (const char *at = text; at && parts < 3; parts++) {
        part[parts] = at;
        length[parts] = strcspn(at, ":");
        at = at[length[parts]] ? at + length[parts] + 1 : NULL;
        if (parts == 2 && at)
            return 0;
    }
    if (parts < 2)
        return 0;
    if (length[2] && (!slice_bound(part[2], length[2], 0, INT64_MIN / 4, INT64_MAX / 4, &w->step) ||
                      w->step == 0))
        return 0;
    int64_t low = w->step > 0 ? 0 : -1, high = w->step > 0 ? n : n - 1;
    start = w->step > 0 ? low : high;
    stop = w->step > 0 ? high : low;
    if (length[0] && !slice_bound(part[0], length[0], n, low, high, &start))
        return 0;
    if (length[1] && !slice_bound(part[1], length[1], n, low, high, &stop))
        return 0;
    int64_t span = w->step > 0 ? stop - start : start - stop;
    int64_t stride = w->step > 0 ? w->step : -w->step;
    w->first = (uint64_t)(start < 0 ? 0 : start);
    w->count = span > 0 ? (uint64_t)((span - 1) / stride + 1) : 0;
    return 1;
}

int work_slice(work *w, const char *text, uint64_t frames)
{
    if (!slice_parse(text ? text : ":", frames, w))
        return imp_fail(IMP_ERR_ARGUMENT, "--frames: '%s' is not a slice A:B or A:B:STEP", text);
    if (frames && !w->count)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--frames: '%s' selects none of the %llu frames, 0 to %llu", text,
                        (unsigned long long)frames, (unsigned long long)frames - 1);
    return IMP_OK;
}

uint64_t work_frame(const work *w, uint64_t i)
{
    return (uint64_t)((int64_t)w->first + (int64_t)i * w->step);
}

int work_read(work *w, uint64_t i, size_t count, batch_block *out)
{
    int err = batch_read(w->in, work_frame(w, i), w->step, count, out);
    for (size_t f = 0; f < count && !err; f++)
        if (batch_objects(out, f) > w->object_count)
            w->object_count = batch_objects(out, f);
    return err;
}

int work_count_objects(work *w, uint64_t count)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t n, frames = w->info.static_topology && count ? 1 : count;
    for (uint64_t i = 0; i < frames; i++) {
        TRY(batch_frame_objects(w->in, work_frame(w, i), &ids, &n));
        w->object_count = n > w->object_count ? n : w->object_count;
    }
out:
    return err;
}

int work_detect_error(const work *w, int err)
{
    if (err != IMP_ERR_INPUT)
        return err;
    return imp_fail(err, "%s: /VTKHDF/Points: %s; --on-bad skip leaves such triangles out", w->path,
                    imp_error_text());
}

int work_claim(const work *w, outputs *o)
{
    int err = outputs_reads_hdf5(o, w->path);
    if (err || !w->object_pairs)
        return err;
    const char *list = object_pairs_path(w->object_pairs);
    return outputs_reads(o, strcmp(list, "-") ? list : "/dev/stdin");
}

/* ---- opening */

static int check_options(work *w)
{
    static const uint64_t dops[] = {0, 6, 8, 14, 18, 26};
    size_t i = 0;
    while (i < sizeof dops / sizeof *dops && dops[i] != w->dop)
        i++;
    if (i == sizeof dops / sizeof *dops)
        return imp_fail(IMP_ERR_ARGUMENT, "--dop: %llu is none of 6, 8, 14, 18, 26",
                        (unsigned long long)w->dop);
    if (w->cell > 0 && w->broad && strcmp(w->broad, "hash") != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--cell: only --broad hash has cells, not '%s'",
                        w->broad);
    if (w->threads > 4096)
        return imp_fail(IMP_ERR_ARGUMENT, "--threads: %llu are too many",
                        (unsigned long long)w->threads);
    if (w->block > UINT32_MAX)
        return imp_fail(IMP_ERR_ARGUMENT, "--block: %llu frames are too many",
                        (unsigned long long)w->block);
    return IMP_OK;
}

static int open_batch(work *w)
{
    const char *objects = w->objects ? w->objects : "id", *array = "";
    enum batch_objects how = BATCH_OBJECT_ID;
    if (!strcmp(objects, "connected"))
        how = BATCH_CONNECTED;
    else if (!strncmp(objects, "array:", 6) && objects[6]) {
        how = BATCH_ARRAY;
        array = objects + 6;
    } else if (strcmp(objects, "id"))
        return imp_fail(IMP_ERR_ARGUMENT, "--objects: '%s' is not id, connected or array:NAME",
                        objects);
    if (result_is(w->path))
        return imp_fail(IMP_ERR_INPUT, "%s: is a result of impinge, not a batch", w->path);
    return batch_open(&w->mem, w->path, how, array, &w->in);
}

static void make_def(work *w)
{
    w->def = (imp_def){.device = w->device,
                       .threads = (int)w->threads,
                       .broad = w->cell > 0 ? "hash" : w->broad,
                       .dop_k = w->dop ? (int)w->dop : 6,
                       .cell = w->cell,
                       .adjacent = w->adjacent,
                       .pairs = w->pairs,
                       .stage = w->stage,
                       .on_bad = w->on_bad,
                       .object_pair = (const int32_t(*)[2])w->pairs_list.pair,
                       .object_pairs = w->pairs_list.count,
                       .object_pairs_exclude = w->pairs_list.exclude,
                       .block = (uint32_t)w->block,
                       .unchecked = 1, /* store_mesh.c has looked */
                       .expect = w->primitives ? w->primitives : 1};
}

#define SUMS_SHARE 32 /* of all memory */

static uint64_t within(uint64_t x, uint64_t low, uint64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static uint64_t memory_limit(const work *w)
{
    return w->mem_limit ? w->mem_limit : mem_machine() / 2;
}

int work_open(work *w, const char *path)
{
    int err = IMP_OK;
    w->path = path;
    TRY(check_options(w));
    w->mem.limit = memory_limit(w); /* a damaged file may ask for anything */
    w->sums.limit = w->tells ? within(w->mem.limit / SUMS_SHARE, 1, UINT64_MAX) : 1;
    TRY(open_batch(w));
    batch_get_info(w->in, &w->info);
    TRY(work_slice(w, w->frames, w->info.frames));
    for (uint64_t i = 0; i < w->count; i++) {
        uint64_t verts, prims;
        batch_size(w->in, work_frame(w, i), &verts, &prims);
        w->primitives += prims;
    }
    if (w->object_pairs)
        TRY(object_pairs_read(&w->mem, w->object_pairs, &w->pairs_list));
    make_def(w);
    TRY(work_warn_first(w));
out:
    return err;
}

void work_close(work *w)
{
    warnings_free(&w->warnings);
    object_pairs_free(&w->mem, &w->pairs_list);
    batch_close(w->in);
    w->in = NULL;
}

/* ---- memory: reading and writing take what they need, the pipeline the rest */

/* A frame in memory: its points, its topology if it has one of its own, what is known of it. */
static uint64_t frame_bytes(const work *w)
{
    uint64_t points = w->info.vertices * (w->info.type == IMP_FLOAT32 ? 12 : 24);
    return points + (w->info.static_topology ? 0 : 20 * w->info.triangles + 256) + 256;
}

/* The topology read last, and what reading one and counting its objects take. */
static uint64_t mesh_bytes(const work *w)
{
    uint64_t connected = w->objects && !strcmp(w->objects, "connected") ? 8 * w->info.vertices : 0;
    return (16 + 8) * w->info.triangles + connected + w->info.name_bytes + (1 << 20);
}

/* `frames`: how many to be in memory at a time */
static int engine_beside(work *w, uint64_t frames, void (*log)(void *, const char *), imp **out)
{
    uint64_t limit = memory_limit(w), others = w->out.limit + w->sums.limit;
    uint64_t read = atomic_load(&w->mem.now) + mesh_bytes(w) + frames * frame_bytes(w) + w->waiting;
    if (read + others >= limit)
        return imp_fail(IMP_ERR_MEMORY,
                        "--mem-limit: %llu bytes are too few; reading and writing alone take %llu",
                        (unsigned long long)limit, (unsigned long long)(read + others));
    w->at_once = frames;
    w->mem.limit = read;
    w->def.mem_limit = limit - read - others;
    w->def.log = log;
    return imp_create(&w->def, out);
}

#define BLOCK_TRIANGLES ((uint64_t)1 << 21) /* as many as a pipeline takes at a time */
#define WAITING_MOST ((uint64_t)128 << 20)  /* the contacts of such a block, mostly */
#define AHEAD_MOST ((uint64_t)64 << 20)     /* of frames, if two blocks are less */

int work_engine(work *w, void (*log)(void *, const char *), imp **out)
{
    uint64_t limit = memory_limit(w), fit = limit / 8 / frame_bytes(w);
    uint64_t most = 2 * (1 + BLOCK_TRIANGLES / (w->info.triangles + 1));
    most = within(AHEAD_MOST / frame_bytes(w), most, UINT64_MAX);
    most = within(w->count, 1, most);
    most = within(fit, 1, most);
    w->waiting = within(limit / 16, 1 << 16, WAITING_MOST);
    w->out.limit = within(limit / 16, 1 << 18, RESULT_BYTES) + most * RESULT_FRAME_BYTES;
    int err = engine_beside(w, most, log, out);
    if (!err)
        compare_later(&w->def, *out);
    return err;
}

int work_engine_all(work *w, void (*log)(void *, const char *), imp **out)
{
    uint64_t fit = memory_limit(w) / frame_bytes(w);
    return engine_beside(w, w->count < fit ? w->count : fit, log, out);
}

/* A batch is cut into a few blocks at least, which can overlap; not into such small ones that a
 * device has too little to do. */
#define OVERLAPPING 4
#define LEAST_TRIANGLES ((uint64_t)1 << 18)

size_t work_block(const work *w, const imp *p)
{
    uint64_t frames = imp_block_frames(p, w->info.vertices, w->info.triangles);
    uint64_t fit = w->count <= w->at_once ? w->count : w->at_once / 2;
    uint64_t least = 1 + LEAST_TRIANGLES / (w->info.triangles + 1);
    uint64_t few = (w->count + OVERLAPPING - 1) / OVERLAPPING;
    fit = fit < frames ? fit : frames;
    few = few > least ? few : least;
    fit = fit < few ? fit : few;
    return fit > 1 ? (size_t)fit : 1;
}

size_t work_blocks(const work *w, size_t frames)
{
    uint64_t blocks = w->count <= w->at_once ? w->count : w->at_once / frames;
    return blocks > 1 ? (size_t)blocks : 1;
}

void work_rest(work *w, const imp *p)
{
    imp_profile t;
    imp_profile_get(p, &t);
    uint64_t limit = memory_limit(w), rest = limit > t.peak_bytes ? limit - t.peak_bytes : 0;
    w->mem.limit = rest > w->mem.limit ? rest : w->mem.limit;
}
