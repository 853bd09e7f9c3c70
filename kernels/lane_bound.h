/* The box of a triangle, float32, rounded outward. Formulas over a lane type: see lane.h. */
#define bound_bad LANE_NAME(bound_bad)
#define bound_low LANE_NAME(bound_low)
#define bound_high LANE_NAME(bound_high)
#define tri_from LANE_NAME(tri_from)
#define tri_box LANE_NAME(tri_box)
#define tri_box_of LANE_NAME(tri_box_of)

/* t with coordinates relative to o */
FORMULA tri tri_from(v3 o, tri t)
{
    t.a = v3_sub(t.a, o);
    t.b = v3_sub(t.b, o);
    t.c = v3_sub(t.c, o);
    return t;
}

/* true if a coordinate is NaN or infinite */
FORMULA lane_mask bound_bad(tri t)
{
    v3 sum = v3_add(v3_add(t.a, t.b), t.c);
    lane all = sum.x + sum.y + sum.z;
    return mask_not(lane_equal(all - all, lane_all(0)));
}

/* a bad triangle gets empty bounds */
FORMULA lane32 bound_low(lane t, lane_mask bad)
{
    return lane32_if(bad, lane32_all(BOUND_NONE), dop_below(t));
}

FORMULA lane32 bound_high(lane t, lane_mask bad)
{
    return lane32_if(bad, lane32_all(-BOUND_NONE), dop_above(t));
}

/* lower and upper corner */
typedef struct tri_box {
    lane32 x0, y0, z0, x1, y1, z1;
} tri_box;

FORMULA tri_box tri_box_of(tri t)
{
    tri_box b;
    lane_mask bad = bound_bad(t);
    v3 lo = tri_low(t), hi = tri_high(t);
    b.x0 = bound_low(lo.x, bad);
    b.y0 = bound_low(lo.y, bad);
    b.z0 = bound_low(lo.z, bad);
    b.x1 = bound_high(hi.x, bad);
    b.y1 = bound_high(hi.y, bad);
    b.z1 = bound_high(hi.z, bad);
    return b;
}
