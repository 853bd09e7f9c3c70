/* Points of several blocks or parts that have one number are one vertex. */
#ifndef IMP_SHARED_POINTS_H
#define IMP_SHARED_POINTS_H

#include "file_shape.h"

/* All zero at first. */
typedef struct shared_points {
    uint32_t *slot; /* [slots] by number: 1 + an entry, or 0 */
    size_t slots, slot_bytes;
    int64_t *number; /* [count] */
    uint32_t *vertex;
    size_t count, number_bytes, vertex_bytes;
    file_shape_note apart; /* points that have the number of another one at another place */
} shared_points;

/* The vertex of the point with this number at x, which is made if there is none. Numbers count
 * where positions are the same, so that those of one block alone move nothing. `place`: of the
 * point, for messages. Errors: INPUT, MEMORY. */
int shared_points_find(shared_points *s, file_shape_maker *make, int64_t number, const double x[3],
                       uint64_t place, uint32_t *vertex);

void shared_points_free(shared_points *s);

#endif
