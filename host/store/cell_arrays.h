/* Names and types of cell arrays of integers, of one component: those of several blocks or files,
 * and those that a batch is to have. */
#ifndef IMP_CELL_ARRAYS_H
#define IMP_CELL_ARRAYS_H

#include "column_type.h"
#include "mem.h"

#include <stddef.h>

#define SOURCE_ID "SourceId"
#define PRIMITIVE_ID "PrimitiveId"
#define GHOST_TYPE "vtkGhostType"

typedef struct cell_array {
    char *name;
    enum column_type type; /* COLUMN_I32, COLUMN_I64 or COLUMN_U64 */
} cell_array;

typedef struct cell_arrays {
    mem *mem;
    size_t count, capacity;
    cell_array *array; /* [count] of different names */
} cell_arrays;

/* Adds a name, unless it is there. Where its type is another one there, it becomes COLUMN_I64. */
int cell_arrays_add(cell_arrays *a, const char *name, enum column_type type);

/* Its number; a->count: it is not there. */
size_t cell_arrays_find(const cell_arrays *a, const char *name);

void cell_arrays_remove(cell_arrays *a, size_t i);

/* Leaves it empty; a zeroed one is allowed. */
void cell_arrays_free(cell_arrays *a);

#endif
