/* See work.h: the table of options. */
#include "work_parts.h"

#include "error.h"

#include <string.h>

/* "auto" and every method, parted by bars. */
static const char broad_choices[] = "auto"
#define X(name) "|" #name
#include "broad.def"
#undef X
    ;

const cli_option work_options[] = {
    {"device", 0, CLI_TEXT, offsetof(work, device), "auto|cpu|opencl|TEXT|N",
     "what computes; TEXT is part of a name, N a number of 'impinge devices' (default: auto)",
     "What computes: the host, the first OpenCL device, one whose platform, name or version "
     "contains TEXT (in any case), or number N of 'impinge devices'. The default, auto, takes a "
     "GPU "
     "if there is one, else whichever of the host and an OpenCL CPU device was measured to be "
     "faster here; for small inputs it takes the host at once."},
    {"threads", 0, CLI_COUNT, offsetof(work, threads), "N", "threads of the host (default: all)"},
    {"broad", 0, CLI_TEXT, offsetof(work, broad), broad_choices,
     "how pairs are found whose bounds overlap (default: auto)",
     "The broad phase: a packed R-tree, sorted grids, the prime-coefficient spatial hash, or all "
     "pairs. All give the same result; auto chooses for each block of frames what is fastest "
     "there."},
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
     "directions of the bounds; 6 are boxes, 8 the same as 14 (default: 6)",
     "Directions of the bounds, k-DOPs: 6 are axis-aligned boxes; 14 add the space diagonals, 18 "
     "those of edges, 26 both. All carry the box, so 8, the diagonals, are the same as 14. More "
     "directions leave fewer candidates and take longer each. Contacts are the same."},
    {"cell", 0, CLI_REAL, offsetof(work, cell), "SIZE",
     "edge of the cells of --broad hash, which it chooses (default: a frame's mean edge)"},
    {"frames", 0, CLI_TEXT, offsetof(work, frames), "A:B:STEP",
     "a slice of the frames, as in Python (default: all)"},
    {"block", 0, CLI_COUNT, offsetof(work, block), "N",
     "most frames in one set of launches (default: as is fastest)",
     "Most frames in one set of launches; while they are computed, the next are read and the "
     "contacts of those before are written. By default as many as keep a device busy, on the host "
     "as many as its caches hold, and no more than memory allows."},
    {"mem-limit", 0, CLI_SIZE, offsetof(work, mem_limit), "SIZE",
     "most memory of host and device buffers, such as 512M or 4G (default: half of the machine's)"},
    {"on-bad", 0, CLI_CHOICE, offsetof(work, on_bad), ON_BAD_CHOICES,
     "triangles with NaN or infinite vertices end the run, or are left out and counted "
     "(default: error)"},
    {"update", 0, CLI_CHOICE, offsetof(work, update), UPDATE_CHOICES,
     "what did not change since the frame before is kept where that pays, never, or always "
     "(default: auto)",
     "Where a frame has the mesh of the one before, or PrimitiveId tells what is the same, bounds, "
     "table and contacts of what did not change can be kept: auto does so for large frames of "
     "which little moves, keep for all. Results are the same. Of the methods rtree can, which auto "
     "then is, and hash; what --json calls touched are the primitives whose place in the table was "
     "written."},
    {0},
};

int work_check(const work *w)
{
    /* 0: not given */
    static const uint64_t dops[] = {0, 6, 8, 14, 18, 26};
    size_t i = 0;
    while (i < sizeof dops / sizeof *dops && dops[i] != w->dop)
        i++;
    if (i == sizeof dops / sizeof *dops)
        return imp_fail(IMP_ERR_ARGUMENT, "--dop: %llu is none of 6, 8, 14, 18, 26",
                        (unsigned long long)w->dop);
    /* "auto" is an error, too: who names both means two things */
    if (w->cell > 0 && w->broad && strcmp(w->broad, "hash") != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--cell: only --broad hash has cells, not '%s'",
                        w->broad);
    if (w->update == 2 && w->broad && strcmp(w->broad, "auto") && strcmp(w->broad, "rtree") &&
        strcmp(w->broad, "hash"))
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--update keep: only --broad rtree and hash can, not '%s'", w->broad);
    if (w->threads > 4096)
        return imp_fail(IMP_ERR_ARGUMENT, "--threads: %llu are too many",
                        (unsigned long long)w->threads);
    if (w->block > UINT32_MAX)
        return imp_fail(IMP_ERR_ARGUMENT, "--block: %llu frames are too many",
                        (unsigned long long)w->block);
    return IMP_OK;
}
