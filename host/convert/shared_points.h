/* Points of several blocks or parts that share a number become one vertex. */
#ifndef IMP_SHARED_POINTS_H
#define IMP_SHARED_POINTS_H

#include "file_shape.h"

/* All zero at first. */
typedef struct shared_points {
    uint32_t *slot; /* [slots] hash table by number: 1 + an entry, or 0 */
    size_t slots, slot_bytes;
    int64_t *number; /* [count] */
    uint32_t *vertex;
    size_t count, number_bytes, vertex_bytes;
    file_shape_note apart; /* points with the number of another one but another position */
} shared_points;

/* Finds the vertex of the point with this number at x, and adds it if absent. Points with equal
 * numbers are only joined at the same position, so numbers that are only unique in a block change
 * nothing. `place`: of the point, for messages. Errors: INPUT, MEMORY. */
int shared_points_find(shared_points *s, file_shape_maker *make, int64_t number, const double x[3],
                       uint64_t place, uint32_t *vertex);

void shared_points_free(shared_points *s);

#endif
