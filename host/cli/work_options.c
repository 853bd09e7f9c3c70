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
    {"threads", 0, CLI_SOME, offsetof(work, threads), "N", "threads of the host (default: all)"},
    {"broad", 0, CLI_TEXT, offsetof(work, broad), broad_choices,
     "how pairs are found whose bounds overlap; on a CPU grid takes five times as long as rtree, "
     "or more (default: auto)",
     "The broad phase: a packed R-tree, sorted grids, the prime-coefficient spatial hash, trees of "
     "bounding volumes on the host, or all pairs. All give the same result; auto chooses for each "
     "block of frames what is fastest there. Grids are for GPUs: on CPUs, OpenCL's too, they take "
     "five times as long as the R-tree on real sequences, or more."},
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
    {"volume", 0, CLI_TEXT, offsetof(work, volume), VOLUME_CHOICES,
     "volumes of the nodes of --broad tree, which it chooses (default: dop)",
     "Volumes of the nodes of --broad tree, which it chooses as the next five options do: k-DOPs "
     "of "
     "as many directions as --dop says, spheres, oriented boxes, or hybrid, spheres above oriented "
     "boxes. All but dop may find fewer candidates; contacts are the same."},
    {"build", 0, CLI_TEXT, offsetof(work, build), BUILD_CHOICES,
     "how trees are made (default: top-down)",
     "How trees are made: nodes are divided where that leaves least to do, or neighbours on a "
     "space-filling curve are put together, level by level."},
    {"descent", 0, CLI_TEXT, offsetof(work, descent), DESCENT_CHOICES,
     "which node of two is divided first (default: environment-first)",
     "Which node of two is divided: that of the object with more primitives until it is a leaf, or "
     "both at once."},
    {"degree", 0, CLI_SOME, offsetof(work, degree), "D",
     "children of a tree's node, at least 2 (default: 2)"},
    {"leaf", 0, CLI_SOME, offsetof(work, leaf), "N",
     "primitives of a tree's leaf (default: as is fastest)"},
    {"hybrid-level", 0, CLI_SOME, offsetof(work, hybrid_level), "L",
     "levels of spheres of --volume hybrid, from the root on (default: by what they cost)"},
    {"frames", 0, CLI_TEXT, offsetof(work, frames), "A:B:STEP",
     "a slice of the frames, as in Python (default: all)"},
    {"block", 0, CLI_SOME, offsetof(work, block), "N",
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
     "what did not change since the frame before is kept where that pays, never, or always, which "
     "only --broad rtree and hash can (default: auto)",
     "Where a frame has the mesh of the one before, or PrimitiveId tells what is the same, bounds, "
     "table and contacts of what did not change can be kept: auto does so for large frames of "
     "which little moves, keep for all. Results are the same. Of the methods rtree can, which auto "
     "then is, and hash; keep with another is an error. What --json calls touched are the places "
     "of "
     "the table that were written: of hash one for each cell that a primitive came to or left, of "
     "other methods one for each primitive."},
    {0},
};

/* 0: not given; a word that is no choice: -1. */
static int choice_of(const char *text, const char *choices)
{
    int n;
    return !text ? 0 : cli_choice(text, choices, &n) ? n + 1 : -1;
}

void work_tree(const work *w, imp_def *def)
{
    def->volume = choice_of(w->volume, VOLUME_CHOICES);
    def->build = choice_of(w->build, BUILD_CHOICES);
    def->descent = choice_of(w->descent, DESCENT_CHOICES);
    def->degree = (uint32_t)w->degree;
    def->leaf = (uint32_t)w->leaf;
    def->hybrid_level = (uint32_t)w->hybrid_level;
}

/* An option of trees that was given, or NULL. */
static const char *tree_option(const work *w)
{
    return w->volume         ? "volume"
           : w->build        ? "build"
           : w->descent      ? "descent"
           : w->degree       ? "degree"
           : w->leaf         ? "leaf"
           : w->hybrid_level ? "hybrid-level"
                             : NULL;
}

static int tree_check(const work *w, const char *given)
{
    int err = IMP_OK;
    imp_def def = {0};
    if (w->broad && strcmp(w->broad, "tree") != 0)
        FAIL(IMP_ERR_ARGUMENT, "--%s: only --broad tree has it, not '%s'", given, w->broad);
    if (w->cell > 0)
        FAIL(IMP_ERR_ARGUMENT, "--%s and --cell: of two different methods", given);
    if (w->degree == 1)
        FAIL(IMP_ERR_ARGUMENT, "--degree: a node has 2 children or more, not 1");
    if (w->degree > INT32_MAX || w->leaf > INT32_MAX || w->hybrid_level > INT32_MAX)
        FAIL(IMP_ERR_ARGUMENT, "--%s: there are never so many",
             w->degree > INT32_MAX ? "degree"
             : w->leaf > INT32_MAX ? "leaf"
                                   : "hybrid-level");
    work_tree(w, &def);
    if (def.volume < 0)
        FAIL(IMP_ERR_ARGUMENT, "--volume: '%s' is none of " VOLUME_CHOICES, w->volume);
    if (def.build < 0)
        FAIL(IMP_ERR_ARGUMENT, "--build: '%s' is none of " BUILD_CHOICES, w->build);
    if (def.descent < 0)
        FAIL(IMP_ERR_ARGUMENT, "--descent: '%s' is none of " DESCENT_CHOICES, w->descent);
    if (w->hybrid_level && def.volume != IMP_VOLUME_HYBRID)
        FAIL(IMP_ERR_ARGUMENT, "--hybrid-level: only --volume hybrid has one");
out:
    return err;
}

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
    const char *given = tree_option(w);
    if (given && tree_check(w, given))
        return IMP_ERR_ARGUMENT;
    /* "auto" is an error, too: who names both means two things */
    if (w->cell > 0 && w->broad && strcmp(w->broad, "hash") != 0)
        return imp_fail(IMP_ERR_ARGUMENT, "--cell: only --broad hash has cells, not '%s'",
                        w->broad);
    if (w->update == 2 && given)
        return imp_fail(IMP_ERR_ARGUMENT, "--update keep: trees of --%s can't", given);
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
