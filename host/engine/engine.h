/* The pipeline and its rooms: bound -> broad -> order -> narrow. Each room is one file and a few
 * functions; impinge.c walks through them. */
#ifndef IMP_ENGINE_H
#define IMP_ENGINE_H

#include "broad.h"
#include "scan.h"
#include "types.h"

typedef struct narrow_state {
    pairs found;           /* candidates of one piece */
    pairs here;            /* the same on the device of the narrow phase, if that is another */
    pairs near;            /* of these, those that the first question does not settle */
    pairs picked;          /* of these, those that the second does not settle, and that meet */
    pairs meet, undecided; /* of the whole range, collected */
    buffer verdict, count, offset, point;
    scanner scan;
    sorter sort;
} narrow_state;

struct imp {
    imp_def def;
    uint64_t *object_pair; /* [def.object_pairs] sorted keys */
    mem mem;
    atomic_int cancel;
    device *dev;
    device *dev64;     /* where float64 kernels run: dev, or the host if dev cannot */
    int threads;       /* of the host */
    device_def device; /* what tests may force; names and limits are filled in */
    char name[300];
    block block;
    bounds bounds;
    broad broad;
    narrow_state narrow;
    imp_profile profile;
};

/* imp_detect without a second chance: a device that fails is an error. */
int detect_blocks(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
                  imp_frame_info *info);

/* ---- what the caller hands over: valid.c */

#define THREADS_MOST 4096 /* OpenMP ends the process when it cannot have as many as it is told */

/* IMP_ERR_ARGUMENT for what cannot be used; the text says which frame, triangle and vertex. */
int def_check(const imp_def *def);
int frames_check(const imp *p, const imp_frame *frames, size_t count);

/* ---- room 2: bound.c */

/* Uploads the block, finds the frames' boxes and bad primitives, scales, bounds.
 * IMP_ERR_INPUT for a bad primitive unless they are to be skipped. */
int bound(imp *p);
void bound_free(imp *p);

/* ---- room 4: order.c */

/* Sorts pairs of the block by (a, b). */
int order_pairs(imp *p, pairs *pr);

/* ---- room 5: narrow.c, contact.c */

/* A kernel of pairs in the form that the device is for: one by one, or on CPUs eight at a time. */
#define RUN_PAIRS(d, name, pairs, ...)                                                             \
    ((d)->group_forms ? RUN(d, name, pairs, __VA_ARGS__)                                           \
                      : RUN(d, name##8, ((uint64_t)(pairs) + 7) / 8, U32(pairs), __VA_ARGS__))

/* Adds the verdicts on p->narrow.found to p->narrow.meet and .undecided; in stage candidates all
 * pairs go to meet. */
int narrow_collect(imp *p);
void narrow_clear(imp *p); /* forgets what was collected */
void narrow_free(imp *p);

/* Contacts of the collected pairs, which are in order, to the sink. Counts contacts and undecided
 * in info[frame]. */
int contact_emit(imp *p, imp_sink *sink, void *user, imp_frame_info *info);

/* ---- the device */

/* imp_create with what a test may force on the device; NULL: nothing. */
int engine_create(const imp_def *def, const device_def *forced, imp **out);

/* Opens the device that def asks for, and the host beside it if it lacks float64. */
int engine_open(imp *p);
void engine_close(imp *p);

/* Lets the pipeline reproduce a known answer. IMP_ERR_DEVICE if it does not. */
int selftest(imp *p);

#endif
