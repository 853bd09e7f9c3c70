/* The pipeline and its rooms: bound -> broad -> order -> narrow. Each room is one file and a few
 * functions, which are given what they need: a context, what came before, and what is theirs to
 * fill. impinge.c walks through them. */
#ifndef IMP_ENGINE_H
#define IMP_ENGINE_H

#include "broad.h"
#include "cull.h"
#include "exact.h"
#include "keep.h"
#include "nearby.h"
#include "roster.h"
#include "scan.h"
#include "sweep_still.h"
#include "types.h"

/* What the narrow room keeps: its working memory, and what it has collected of a range. */
typedef struct narrow {
    pairs local;           /* candidates on its device, if that is another than the broad phase's */
    pairs unsettled;       /* of these, those that the first question does not settle */
    pairs decided;         /* of these, those that the second does not settle, and that meet */
    pairs meet, undecided; /* of the whole range */
    buffer_u8 verdict;
    buffer_u32 count;
    buffer_u64 offset;
    buffer_f64 point;
    buffer_u32 kind;     /* [frames] corners that primitives have by their mesh; 0: mixed */
    buffer_f64 centroid; /* [3 * prims] of candidates */
    scanner scan;
} narrow;

/* What a block becomes on its way. Device memory is kept from block to block. */
typedef struct rooms {
    block block;
    nearby near; /* what is left of the frame at hand */
    bounds bounds;
    culling cull;
    broad broad;
    pairs found; /* candidates of one piece */
    narrow narrow;
    sorter sort;
    keep keep;     /* of the last frame */
    roster roster; /* for meshes with names */
    stills stills; /* of the last swept query */
} rooms;

struct imp {
    imp_def def;
    uint64_t *object_pair; /* [def.object_pairs] sorted keys */
    mem mem;
    atomic_int cancel;
    device_def device; /* what tests may force; names and limits are filled in */
    char name[300];
    context context;
    rooms rooms;
    imp_profile profile;
    struct faults *faults; /* of whoever counts them; NULL: nobody */
};

void rooms_free(const context *c, rooms *r);

/* imp_detect of what a model has (model.c), whose places are contacts' primitives. */
int imp_detect_model(imp *p, roster *model, imp_sink *sink, void *user, imp_frame_info *info);

/* imp_detect on these rooms without a second chance: a device that fails is an error. Times and
 * sums are added to *t. */
int rooms_detect(const context *c, rooms *r, imp_profile *t, const imp_frame *frames, size_t count,
                 imp_sink *sink, void *user, imp_frame_info *info);

/* ---- what the caller hands over: valid.c */

#define THREADS_MOST 4096 /* OpenMP ends the process when it cannot have as many as it is told */

/* IMP_ERR_ARGUMENT for what cannot be used; the text says which frame, triangle and vertex. */
int def_check(const imp_def *def);

/* The method of the broad phase that it asks for: by name, or by options of one alone. */
const char *def_broad(const imp_def *def);

int frames_check(const imp *p, const imp_frame *frames, size_t count);

/* ---- block.c */

/* The topology of these frames; their arrays stay the caller's. */
int block_open(mem *m, const imp_frame *frame, size_t count, block *out);
void block_close(mem *m, block *b);

/* ---- room 2: bound.c */

/* Uploads the block with one set of points, finds the frames' boxes and bad primitives, scales,
 * bounds. frame: [b->frames] with the block's meshes. IMP_ERR_INPUT for a bad primitive unless they
 * are to be skipped. */
int bound(const context *c, const block *b, const imp_frame *frame, bounds *out);
void bound_free(const context *c, bounds *o);

/* The unit of a frame with this box is 2 to the power of this. */
int bound_exponent(const double *lo, const double *hi);

/* Has a frame with this box the unit and centre of the first frame of `of`? */
int bound_same_unit(const units *of, const double lo[3], const double hi[3]);

/* The corners of a primitive of a mesh, as many as its block has: as kernels take them. */
void bound_corners_of(const imp_mesh *m, uint32_t i, uint32_t corners, uint32_t *out);

/* ---- room 4: order.c */

/* Sorts pairs of the block by (a, b). */
int order_pairs(const context *c, const block *b, sorter *s, pairs *p);

/* ---- room 5: narrow.c, contact.c, contact_solid.c */

/* A kernel of pairs in the form that the device is for: one by one, or on CPUs eight at a time. */
#define RUN_PAIRS(d, name, pairs, ...)                                                             \
    ((d)->group_forms                                                                              \
         ? RUN(d, name, pairs, __VA_ARGS__)                                                        \
         : RUN(d, name##8, ((uint64_t)(pairs) + 7) / 8, (uint32_t)(pairs), __VA_ARGS__))

/* Adds the verdicts on `found` to s->meet and s->undecided; in stage candidates all pairs go to
 * meet. What `found` holds afterwards is nobody's. */
int narrow_collect(const context *c, const block *b, const bounds *o, pairs *found, narrow *s);
void narrow_clear(narrow *s); /* forgets what was collected */
void narrow_free(const context *c, narrow *s);

/* Exactly: triangles i and j of a frame. */
void contact_triangles(const imp_frame *frame, uint32_t i, uint32_t j, exact_contact *out);

/* Points of the pairs [first, first + n) of s->meet into s->point, made on the device. */
int contact_points(const context *c, const block *b, const bounds *o, narrow *s, uint64_t first,
                   uint32_t n);

struct contact_rows; /* rows.h */

/* The rows of contact_emit where there are tetrahedra, or depth and collision points are asked for:
 * contact_solid.c. */
int contact_solids(const context *c, const block *b, const bounds *o, narrow *s,
                   struct contact_rows *r);

/* The rows of contact_emit in stage candidates: contact_candidates.c. */
int contact_candidates(const context *c, const block *b, const bounds *o, narrow *s,
                       struct contact_rows *r);

/* Contacts of the collected pairs, which are in order, to the sink. Counts contacts and undecided
 * in info[frame]. */
int contact_emit(const context *c, const block *b, const bounds *o, narrow *s, imp_sink *sink,
                 void *user, imp_frame_info *info);

/* ---- the device */

/* imp_create with what a test may force on the device; NULL: nothing. */
int engine_create(const imp_def *def, const device_def *forced, imp **out);

/* Opens the device that def asks for, and the host beside it if it lacks float64. */
int engine_open(imp *p);
void engine_close(imp *p);

/* Lets these devices reproduce a known answer, in rooms of its own. IMP_ERR_DEVICE if they do not;
 * the message calls them `name`. */
int selftest(const context *c, const char *name);

#endif
