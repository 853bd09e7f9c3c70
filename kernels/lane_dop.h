/* Rounding outward, for dop.h. Formulas over a lane type: see lane.h. */
#define dop_below LANE_NAME(dop_below)
#define dop_above LANE_NAME(dop_above)

/* The greatest float32 that is certainly <= t, where t has an error below DOP_SLACK. Results below
 * DOP_TINY in magnitude become that or 0, so that none is a denormal. */
FORMULA lane32 dop_below(lane t)
{
    lane s = t - DOP_SLACK;
    lane32 tiny = lane32_if(lane_less(s, lane_all(0)), lane32_all(-DOP_TINY), lane32_all(0));
    return lane32_if(lane_less(lane_abs(s), lane_all(DOP_TINY)), tiny, lane_down(s));
}

FORMULA lane32 dop_above(lane t)
{
    return -dop_below(-t);
}
