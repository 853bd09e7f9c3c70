/* Numbers of primitives. Each space has a type of its own, so that mixing them does not compile;
 * block_view_input (view.h) and the maps of slots.h lead from one to another. Kernels and device
 * buffers have plain uint32_t; their names say the space: kernels/README.md.
 *
 *     input  the caller's: the position in the mesh of imp_frame, which contacts are reported by
 *     prim   the position in a view, whose frames are numbered one after another
 *     stable what a primitive with an id keeps while it exists; of a view by stable ids the prim
 *     rank   the position in an order of a broad method, which only candidates leave it with
 */
#ifndef IMP_NUMBERS_H
#define IMP_NUMBERS_H

#include <stdint.h>

#define NO_NUMBER UINT32_MAX /* in every space: none */

typedef struct input_no {
    uint32_t n;
} input_no;

typedef struct prim_no {
    uint32_t n;
} prim_no;

typedef struct stable_id {
    uint32_t n;
} stable_id;

#endif
