/* See cell_arrays.h. */
#include "cell_arrays.h"

#include "error.h"

#include <string.h>

size_t cell_arrays_find(const cell_arrays *a, const char *name)
{
    size_t i = 0;
    while (i < a->count && strcmp(a->array[i].name, name) != 0)
        i++;
    return i;
}

int cell_arrays_add(cell_arrays *a, const char *name, enum column_type type)
{
    int err = IMP_OK;
    const size_t i = cell_arrays_find(a, name), bytes = strlen(name) + 1;
    char *text = NULL;
    if (i < a->count) {
        a->array[i].type = a->array[i].type == type ? type : COLUMN_I64;
        return IMP_OK;
    }
    TRY(mem_fit(a->mem, a->count, &a->capacity, sizeof *a->array, &a->array));
    TRY(mem_alloc(a->mem, bytes, &text));
    memcpy(text, name, bytes);
    a->array[a->count++] = (cell_array){text, type};
out:
    return err;
}

void cell_arrays_remove(cell_arrays *a, size_t i)
{
    mem_free(a->mem, a->array[i].name);
    memmove(a->array + i, a->array + i + 1, (--a->count - i) * sizeof *a->array);
}

void cell_arrays_free(cell_arrays *a)
{
    while (a->count)
        cell_arrays_remove(a, a->count - 1);
    if (a->mem)
        mem_free(a->mem, a->array);
    *a = (cell_arrays){.mem = a->mem};
}
