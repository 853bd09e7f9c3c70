/* Double-double numbers: hi + lo, |lo| at most half an ulp of hi (Dekker 1971). Formulas over a
 * lane type: see lane.h. The residue of a product is exact, however it is computed, unless it
 * underflows. */
#define twofold LANE_NAME(twofold)
#define quick_sum LANE_NAME(quick_sum)
#define sum_of LANE_NAME(sum_of)
#define halves LANE_NAME(halves)
#define lane_residue LANE_NAME(lane_residue)
#define product_of LANE_NAME(product_of)
#define two_add LANE_NAME(two_add)
#define two_minus LANE_NAME(two_minus)
#define two_less LANE_NAME(two_less)
#define two_mul LANE_NAME(two_mul)
#define loose_div LANE_NAME(loose_div)
#define two_sqrt LANE_NAME(two_sqrt)
#define two_minor LANE_NAME(two_minor)
#define two_dot LANE_NAME(two_dot)
#define loose_area LANE_NAME(loose_area)
#define loose_minor LANE_NAME(loose_minor)
#define loose_sum LANE_NAME(loose_sum)
#define loose_dot LANE_NAME(loose_dot)

typedef struct twofold {
    lane hi, lo;
} twofold;

/* of |a| >= |b| */
FORMULA twofold quick_sum(lane a, lane b)
{
    twofold s;
    s.hi = a + b;
    s.lo = b - (s.hi - a);
    return s;
}

FORMULA twofold sum_of(lane a, lane b)
{
    twofold s;
    s.hi = a + b;
    lane other = s.hi - a;
    s.lo = (a - (s.hi - other)) + (b - other);
    return s;
}

#ifndef LANE_FUSED /* else it is an operation of the lanes */
/* Splits a into two halves of at most 26 bits. */
FORMULA twofold halves(lane a)
{
    lane c = 0x1.0000002p27 * a;
    twofold h;
    h.hi = c - (c - a);
    h.lo = a - h.hi;
    return h;
}

/* a * b - p, where p is a * b rounded */
FORMULA lane lane_residue(lane a, lane b, lane p)
{
    twofold x = halves(a), y = halves(b);
    return ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo;
}
#endif

FORMULA twofold product_of(lane a, lane b)
{
    twofold p;
    p.hi = a * b;
    p.lo = lane_residue(a, b, p.hi);
    return p;
}

/* Each of the following functions errs by less than 2^-100 of its result. */
FORMULA twofold two_add(twofold a, twofold b)
{
    twofold s = sum_of(a.hi, b.hi), t = sum_of(a.lo, b.lo);
    s = quick_sum(s.hi, s.lo + t.hi);
    return quick_sum(s.hi, s.lo + t.lo);
}

FORMULA twofold two_minus(twofold a)
{
    a.hi = -a.hi;
    a.lo = -a.lo;
    return a;
}

FORMULA twofold two_less(twofold a, twofold b)
{
    return two_add(a, two_minus(b));
}

FORMULA twofold two_mul(twofold a, twofold b)
{
    twofold p = product_of(a.hi, b.hi);
    return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* Errs by less than 2^-97 of its result. */
FORMULA twofold loose_div(twofold a, twofold b)
{
    twofold first;
    first.hi = a.hi / b.hi;
    first.lo = lane_all(0);
    twofold rest = two_less(a, two_mul(first, b));
    return quick_sum(first.hi, rest.hi / b.hi);
}

#ifndef IMP_DEVICE /* only the host takes roots */
FORMULA twofold two_sqrt(twofold square)
{
    lane root = lane_sqrt(square.hi);
    twofold rest = two_less(square, product_of(root, root));
    return quick_sum(root, rest.hi / (2 * root));
}
#endif

/* component k of u x v, and n . w */
FORMULA twofold two_minor(const twofold u[3], const twofold v[3], int k)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return two_less(two_mul(u[i], v[j]), two_mul(u[j], v[i]));
}

FORMULA twofold two_dot(const twofold n[3], const twofold w[3])
{
    return two_add(two_mul(n[0], w[0]), two_add(two_mul(n[1], w[1]), two_mul(n[2], w[2])));
}

/* The same, normalised once at the end: errs by less than 2^-99 of the sum of the products'
 * sizes. */
FORMULA twofold loose_area(twofold u0, twofold u1, twofold v0, twofold v1)
{
    twofold p = product_of(u0.hi, v1.hi), q = product_of(u1.hi, v0.hi);
    lane low = (u0.hi * v1.lo + u0.lo * v1.hi) - (u1.hi * v0.lo + u1.lo * v0.hi);
    twofold s = sum_of(p.hi, -q.hi);
    return quick_sum(s.hi, s.lo + ((p.lo - q.lo) + low));
}

FORMULA twofold loose_minor(const twofold u[3], const twofold v[3], int k)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return loose_area(u[i], u[j], v[i], v[j]);
}

/* Adds n w, not normalised. */
FORMULA twofold loose_sum(twofold sum, twofold n, twofold w)
{
    twofold p = product_of(n.hi, w.hi), s = sum_of(sum.hi, p.hi);
    s.lo = sum.lo + (s.lo + (p.lo + (n.hi * w.lo + n.lo * w.hi)));
    return s;
}

FORMULA twofold loose_dot(const twofold n[3], const twofold w[3])
{
    twofold sum = product_of(n[0].hi, w[0].hi);
    sum.lo = sum.lo + (n[0].hi * w[0].lo + n[0].lo * w[0].hi);
    for (int k = 1; k < 3; k++)
        sum = loose_sum(sum, n[k], w[k]);
    return quick_sum(sum.hi, sum.lo);
}
