/* The possible collision set of many bodies by the engine, on its device. */
#ifndef IMP_PCS_ENGINE_H
#define IMP_PCS_ENGINE_H

#include "impinge.h"
#include "pcs_tiles.h"

#include <stdatomic.h>

typedef struct pcs_engine {
    imp *pipeline; /* NULL: not used */
    uint32_t *corner;
    double *point;
} pcs_engine;

/* Errors: as imp_create. */
int pcs_engine_open(mem *m, pcs_engine *e, const char *device, int threads, uint32_t bodies);
void pcs_engine_close(mem *m, pcs_engine *e);

/* The same pairs as pcs_tiles_all_pairs. Ends with CANCELLED where *cancel is not 0. Errors: as
 * imp_detect. */
int pcs_engine_all_pairs(mem *m, pcs_engine *e, const double (*box)[6], uint32_t bodies,
                         const atomic_int *cancel, pcs_pairs *out);

#endif
