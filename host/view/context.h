/* Options, and what every stage may use beside its inputs. */
#ifndef IMP_CONTEXT_H
#define IMP_CONTEXT_H

#include "columns.h"
#include "device.h"
#include "tree.h"

/* imp_def as the stages take it. members: options, each of which is used by itself */
typedef struct options {
    uint32_t dop_k;
    double cell;       /* 0: the mean edge of a frame */
    int stage, on_bad; /* enum imp_stage, imp_on_bad */
    int continuous;    /* contacts between each frame and the next, */
    double separation; /* of features that come as near as that; */
    double tolerance;  /* of bodies that turn; 0: a part of the extent */
    uint32_t verify;   /* candidates of a block that are decided again; 0: none */
    int only_features; /* are found, and not decided; */
    double *queries;
    const struct imp_whole *whole; /* what frames are parts of, or NULL: way.h */
    int timed;                     /* the end of each stage is waited for */
    int update;                    /* enum imp_update */
    int ids;                       /* meshes have ids */
    tree_def tree;                 /* of the method "tree" */
    uint32_t rules;                /* which pairs: prim.h */
    uint32_t listed;               /* pairs of objects that the rules name, */
    const uint64_t *list;          /* as keys (prim.h: object_pair), ascending */
    int solids;                    /* contacts have depth and collision points */
    column_set columns;            /* that contacts of a frame have: contact_columns.h */
    column_set step_columns;       /* and those between two frames */
} options;

typedef struct context {
    mem *mem;
    device *dev;   /* runs the broad phase */
    device *dev64; /* runs float64 kernels: the same, or the host if that has none */
    const atomic_int *cancel;
    int threads; /* of the host */
    options opt;
} context;

#endif
