/* The types of numbers in a column, or in a dataset of a file. */
#ifndef IMP_COLUMN_TYPE_H
#define IMP_COLUMN_TYPE_H

#include <stddef.h>
#include <stdint.h>

enum column_type {
    COLUMN_U8,
    COLUMN_U32,
    COLUMN_U64,
    COLUMN_I32,
    COLUMN_I64,
    COLUMN_F32,
    COLUMN_F64,
    COLUMN_TYPES
};

/* That of a C type. */
#define COLUMN_TYPE(type)                                                                          \
    _Generic((type)0, uint8_t                                                                      \
             : COLUMN_U8, uint32_t                                                                 \
             : COLUMN_U32, uint64_t                                                                \
             : COLUMN_U64, int32_t                                                                 \
             : COLUMN_I32, int64_t                                                                 \
             : COLUMN_I64, float                                                                   \
             : COLUMN_F32, double                                                                  \
             : COLUMN_F64)

/* Bytes of a value. */
static inline size_t column_value_bytes(enum column_type type)
{
    static const size_t bytes[COLUMN_TYPES] = {
        [COLUMN_U8] = 1,  [COLUMN_U32] = 4, [COLUMN_U64] = 8, [COLUMN_I32] = 4,
        [COLUMN_I64] = 8, [COLUMN_F32] = 4, [COLUMN_F64] = 8};
    return bytes[type];
}

#endif
