/* The segment in which two triangles meet. Formulas over a lane type: see lane.h. */
#define segment LANE_NAME(segment)
#define v3_less LANE_NAME(v3_less) /* vec.h, tri_wide.h */
#define segment_turn LANE_NAME(segment_turn)
#define segment_along LANE_NAME(segment_along)
#define segment_common LANE_NAME(segment_common)
#define segment_unscaled LANE_NAME(segment_unscaled)
#define point_unscaled LANE_NAME(point_unscaled)
#define point_between LANE_NAME(point_between)
#define heights_turn LANE_NAME(heights_turn)
#define edge_crossing LANE_NAME(edge_crossing)
#define tri_cut LANE_NAME(tri_cut)

typedef struct segment {
    v3 a, b;
} segment;

/* the point at parameter s of the line through o and t, relative to r */
FORMULA v3 point_between(v3 o, v3 t, lane s, v3 r)
{
    return v3_add(v3_sub(o, r), v3_scale(v3_sub(t, o), s));
}

/* rotates h to begin with the height of the vertex that is alone on its side */
FORMULA v3 heights_turn(v3 h, signs s)
{
    return v3_make(lane_if(s.lone_a, h.x, lane_if(s.lone_b, h.y, h.z)),
                   lane_if(s.lone_a, h.y, lane_if(s.lone_b, h.z, h.x)),
                   lane_if(s.lone_a, h.z, lane_if(s.lone_b, h.x, h.y)));
}

/* the parameter at which an edge with these heights at its ends crosses a plane */
FORMULA lane edge_crossing(lane from, lane to)
{
    return from / (from - to);
}

/* The points at these parameters on the two edges from the first vertex, relative to r. */
FORMULA segment tri_cut(tri t, lane along_b, lane along_c, v3 r)
{
    segment s;
    s.a = point_between(t.a, t.b, along_b, r);
    s.b = point_between(t.a, t.c, along_c, r);
    return s;
}

FORMULA segment segment_turn(segment s, lane_mask turn)
{
    segment r;
    r.a = v3_if(turn, s.b, s.a);
    r.b = v3_if(turn, s.a, s.b);
    return r;
}

FORMULA segment segment_along(segment s, v3 direction)
{
    return segment_turn(s, lane_less(v3_dot(direction, s.b), v3_dot(direction, s.a)));
}

/* The common part of two segments of one line; r is added to the points. The ends are compared as
 * computed points, not by a parameter, which accounts for the rounding of an end along its edge. */
FORMULA segment segment_common(segment s, segment t, v3 direction, v3 r)
{
    segment c;
    s = segment_along(s, direction);
    t = segment_along(t, direction);
    lane_mask begins_later = lane_less(v3_dot(direction, s.a), v3_dot(direction, t.a));
    lane_mask ends_before = lane_less(v3_dot(direction, t.b), v3_dot(direction, s.b));
    c.a = v3_add(v3_if(begins_later, t.a, s.a), r);
    c.b = v3_add(v3_if(ends_before, t.b, s.b), r);
    return c;
}

/* Scales back to the frame's own units by the two factors of frame_scale. x + 0 turns -0 into 0:
 * contacts have only one zero. */
FORMULA v3 point_unscaled(v3 a, lane scale0, lane scale1)
{
    lane zero = lane_all(0);
    return v3_make(a.x * scale0 * scale1 + zero, a.y * scale0 * scale1 + zero,
                   a.z * scale0 * scale1 + zero);
}

/* the ends in lexicographic order */
FORMULA segment segment_unscaled(segment s, lane scale0, lane scale1)
{
    s.a = point_unscaled(s.a, scale0, scale1);
    s.b = point_unscaled(s.b, scale0, scale1);
    return segment_turn(s, v3_less(s.b, s.a));
}
