/* Vectors of three float64, by value. */
#ifndef IMP_VEC_H
#define IMP_VEC_H
#include "dialect.h"
#ifdef IMP_FP64

typedef struct v3 {
    f64 x, y, z;
} v3;

FN f64 f64_min(f64 a, f64 b)
{
    return a < b ? a : b;
}

FN f64 f64_max(f64 a, f64 b)
{
    return a > b ? a : b;
}

FN f64 f64_abs(f64 a)
{
    return a < 0 ? -a : a;
}

FN f64 f64_min3(f64 a, f64 b, f64 c)
{
    return f64_min(f64_min(a, b), c);
}

FN f64 f64_max3(f64 a, f64 b, f64 c)
{
    return f64_max(f64_max(a, b), c);
}

FN v3 v3_make(f64 x, f64 y, f64 z)
{
    v3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

FN v3 v3_add(v3 a, v3 b)
{
    return v3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

FN v3 v3_sub(v3 a, v3 b)
{
    return v3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

FN v3 v3_scale(v3 a, f64 s)
{
    return v3_make(a.x * s, a.y * s, a.z * s);
}

FN v3 v3_cross(v3 a, v3 b)
{
    return v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

FN f64 v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FN v3 v3_min(v3 a, v3 b)
{
    return v3_make(f64_min(a.x, b.x), f64_min(a.y, b.y), f64_min(a.z, b.z));
}

FN v3 v3_max(v3 a, v3 b)
{
    return v3_make(f64_max(a.x, b.x), f64_max(a.y, b.y), f64_max(a.z, b.z));
}

#endif
#endif
