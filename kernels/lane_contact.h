/* The segment in which two triangles cross. Each end is where an edge of one crosses the plane of
 * the other, rounded correctly from the exact point, so that it is the same number in every row, on
 * every device and for any order of the triangles. The formulas and their error bounds are those of
 * host/exact/exact_cut.c. Where they leave a doubt about the rounding, or about which edge has the
 * end, a coordinate is infinite, and the host computes both ends (host/stages/triangle_rows.c).
 * Formulas over a lane type: see lane.h. */
#define segment LANE_NAME(segment)
#define v3_less LANE_NAME(v3_less) /* vec.h, tri_wide.h */
#define tri_if LANE_NAME(tri_if)
#define segment_turn LANE_NAME(segment_turn)
#define segment_crossing LANE_NAME(segment_crossing)
#define segment_unscaled LANE_NAME(segment_unscaled)
#define point_unscaled LANE_NAME(point_unscaled)
#define crossing_differences LANE_NAME(crossing_differences)
#define crossing_error LANE_NAME(crossing_error)
#define crossing_doubt LANE_NAME(crossing_doubt)
#define crossing_coordinate LANE_NAME(crossing_coordinate)
#define crossing_point LANE_NAME(crossing_point)
#define crossing_unscaled LANE_NAME(crossing_unscaled)

/* Heights are sums of six products of three differences, each of which errs by less than 2^-98 of
 * the product of the extents. */
#define CROSSING_ERROR 0x1p-95
#define CROSSING_LEAST 0x1p-180 /* products of three such lengths lose nothing */
#define CROSSING_SMALL                                                                             \
    0x1p-900 /* scaling to or from the frame's unit may round smaller numbers                      \
              */

typedef struct segment {
    v3 a, b;
} segment;

FORMULA tri tri_if(lane_mask m, tri a, tri b)
{
    tri r;
    r.a = v3_if(m, a.a, b.a);
    r.b = v3_if(m, a.b, b.b);
    r.c = v3_if(m, a.c, b.c);
    return r;
}

FORMULA segment segment_turn(segment s, lane_mask turn)
{
    segment r;
    r.a = v3_if(turn, s.b, s.a);
    r.b = v3_if(turn, s.a, s.b);
    return r;
}

/* ---- where an edge crosses a plane */

FORMULA void crossing_differences(v3 a, v3 o, twofold out[3])
{
    out[0] = sum_of(a.x, -o.x);
    out[1] = sum_of(a.y, -o.y);
    out[2] = sum_of(a.z, -o.z);
}

/* The error bound of a height over a plane, for vertices of this extent. */
FORMULA lane crossing_error(v3 extent)
{
    lane_mask usual = lane_less(lane_all(CROSSING_LEAST), lane_min3(extent.x, extent.y, extent.z));
    return lane_if(usual, CROSSING_ERROR * (extent.x * extent.y * extent.z), lane_all(INFINITY));
}

/* A coordinate at the parameter t of an edge, which errs by at most half of `error`. It is known
 * exactly if the edge has it at both ends, or the face (a, b, c) at all vertices. */
FORMULA lane crossing_coordinate(lane from, lane to, lane a, lane b, lane c, twofold t, lane error)
{
    twofold offset = sum_of(to, -from), part = two_mul(offset, t), x = sum_of(from, part.hi);
    lane size = lane_abs(from) + lane_abs(offset.hi);
    lane doubt = lane_abs(offset.hi) * error + 0x1p-97 * size;
    x = quick_sum(x.hi, x.lo + part.lo);
    lane low = x.hi + (x.lo - doubt), high = x.hi + (x.lo + doubt);
    lane_mask sure = mask_and(lane_equal(low, high), lane_less(lane_all(CROSSING_LEAST), size));
    lane found = lane_if(sure, low, lane_all(INFINITY));
    found = lane_if(lane_equal(from, to), from, found);
    return lane_if(mask_and(lane_equal(a, b), lane_equal(a, c)), a, found);
}

/* Twice the error of a parameter: the quotient of a height by the difference of two, `all`. */
FORMULA lane crossing_doubt(lane error, twofold all)
{
    return 2 * (4 * error / lane_abs(all.hi) + 0x1p-96);
}

/* The point where the edge crosses the plane of the face; error: crossing_error. */
FORMULA v3 crossing_point(tri face, v3 from, v3 to, lane error)
{
    twofold u[3], v[3], p[3], q[3], normal[3];
    crossing_differences(face.b, face.a, u);
    crossing_differences(face.c, face.a, v);
    crossing_differences(from, face.a, p);
    crossing_differences(to, face.a, q);
    for (int k = 0; k < 3; k++)
        normal[k] = loose_minor(u, v, k);
    twofold height = loose_dot(normal, p), all = two_less(height, loose_dot(normal, q));
    twofold t = loose_div(height, all);
    error = crossing_doubt(error, all);
    return v3_make(crossing_coordinate(from.x, to.x, face.a.x, face.b.x, face.c.x, t, error),
                   crossing_coordinate(from.y, to.y, face.a.y, face.b.y, face.c.y, t, error),
                   crossing_coordinate(from.z, to.z, face.a.z, face.b.z, face.c.z, t, error));
}

/* ---- the ends */

/* The ends of the segment, in the frame's unit, with p and q in the form of tri_intervals. The
 * edges a-b of p and a-c of q cross the other's plane at the same side of the segment: end a is on
 * the edge that crosses it nearer to the other side. So is end b, with a-c of p and a-b of q.
 * of_q[]: whether it is the edge of q. */
FORMULA segment segment_crossing(tri p, tri q, lane_mask of_q[2])
{
    v3 extent = tri_extent(p, q), none = v3_make(lane_all(INFINITY), lane_all(0), lane_all(0));
    lane least = tri_error(extent), error = crossing_error(extent), zero = lane_all(0);
    lane h = tri_orient3d(p.a, p.b, q.c, q.a), g = tri_orient3d(p.a, p.c, q.b, q.a);
    segment s;
    of_q[0] = lane_less(zero, h);
    of_q[1] = lane_less(g, zero);
    s.a = crossing_point(tri_if(of_q[0], p, q), v3_if(of_q[0], q.a, p.a), v3_if(of_q[0], q.c, p.b),
                         error);
    s.b = crossing_point(tri_if(of_q[1], p, q), v3_if(of_q[1], q.a, p.a), v3_if(of_q[1], q.b, p.c),
                         error);
    s.a = v3_if(lane_less(least, lane_abs(h)), s.a, none);
    s.b = v3_if(lane_less(least, lane_abs(g)), s.b, none);
    return s;
}

/* Scales back to the frame's own units by the two factors of frame_scale. x + 0 turns -0 into 0:
 * contacts have only one zero. */
FORMULA v3 point_unscaled(v3 a, lane scale0, lane scale1)
{
    lane zero = lane_all(0);
    return v3_make(a.x * scale0 * scale1 + zero, a.y * scale0 * scale1 + zero,
                   a.z * scale0 * scale1 + zero);
}

/* The same of a correctly rounded coordinate: infinite where scaling may round again. */
FORMULA lane crossing_unscaled(lane x, lane y)
{
    lane_mask small = lane_less(lane_min(lane_abs(x), lane_abs(y)), lane_all(CROSSING_SMALL));
    lane_mask lost = mask_and(small, mask_not(lane_equal(x, lane_all(0))));
    return lane_if(lost, lane_all(INFINITY), y);
}

/* The ends in lexicographic order. *turned: whether they were in the other order, which is in doubt
 * if they are equal. */
FORMULA segment segment_unscaled(segment s, lane scale0, lane scale1, lane_mask *turned)
{
    v3 a = point_unscaled(s.a, scale0, scale1), b = point_unscaled(s.b, scale0, scale1);
    lane_mask same =
        mask_and(mask_and(lane_equal(a.x, b.x), lane_equal(a.y, b.y)), lane_equal(a.z, b.z));
    s.a = v3_make(crossing_unscaled(s.a.x, a.x), crossing_unscaled(s.a.y, a.y),
                  crossing_unscaled(s.a.z, a.z));
    s.b = v3_make(crossing_unscaled(s.b.x, b.x), crossing_unscaled(s.b.y, b.y),
                  crossing_unscaled(s.b.z, b.z));
    *turned = v3_less(s.b, s.a);
    s = segment_turn(s, *turned);
    s.a.x = lane_if(same, lane_all(INFINITY), s.a.x);
    return s;
}
