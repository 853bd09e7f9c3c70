/* Vectors of three lanes, by value. Formulas over a lane type: see lane.h. */
#define v3 LANE_NAME(v3)
#define v3_make LANE_NAME(v3_make)
#define v3_add LANE_NAME(v3_add)
#define v3_sub LANE_NAME(v3_sub)
#define v3_scale LANE_NAME(v3_scale)
#define v3_cross LANE_NAME(v3_cross)
#define v3_dot LANE_NAME(v3_dot)
#define v3_min LANE_NAME(v3_min)
#define v3_max LANE_NAME(v3_max)
#define v3_abs LANE_NAME(v3_abs)
#define v3_if LANE_NAME(v3_if)
#define lane_min3 LANE_NAME(lane_min3)
#define lane_max3 LANE_NAME(lane_max3)

typedef struct v3 {
    lane x, y, z;
} v3;

FORMULA lane lane_min3(lane a, lane b, lane c)
{
    return lane_min(lane_min(a, b), c);
}

FORMULA lane lane_max3(lane a, lane b, lane c)
{
    return lane_max(lane_max(a, b), c);
}

FORMULA v3 v3_make(lane x, lane y, lane z)
{
    v3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

FORMULA v3 v3_add(v3 a, v3 b)
{
    return v3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

FORMULA v3 v3_sub(v3 a, v3 b)
{
    return v3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

FORMULA v3 v3_scale(v3 a, lane s)
{
    return v3_make(a.x * s, a.y * s, a.z * s);
}

FORMULA v3 v3_cross(v3 a, v3 b)
{
    return v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

FORMULA lane v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FORMULA v3 v3_min(v3 a, v3 b)
{
    return v3_make(lane_min(a.x, b.x), lane_min(a.y, b.y), lane_min(a.z, b.z));
}

FORMULA v3 v3_max(v3 a, v3 b)
{
    return v3_make(lane_max(a.x, b.x), lane_max(a.y, b.y), lane_max(a.z, b.z));
}

FORMULA v3 v3_abs(v3 a)
{
    return v3_make(lane_abs(a.x), lane_abs(a.y), lane_abs(a.z));
}

FORMULA v3 v3_if(lane_mask m, v3 a, v3 b)
{
    return v3_make(lane_if(m, a.x, b.x), lane_if(m, a.y, b.y), lane_if(m, a.z, b.z));
}
