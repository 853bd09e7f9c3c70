/* Double-double numbers: hi + lo, |lo| at most half an ulp of hi (Dekker 1971). Within host/exact
 * and host/shape. */
#ifndef IMP_EXACT_TWOFOLD_H
#define IMP_EXACT_TWOFOLD_H

typedef struct twofold {
    double hi, lo;
} twofold;

static inline twofold quick_sum(double a, double b)
{
    twofold s = {a + b, 0};
    s.lo = b - (s.hi - a);
    return s;
}

static inline twofold sum_of(double a, double b)
{
    twofold s = {a + b, 0};
    double other = s.hi - a;
    s.lo = (a - (s.hi - other)) + (b - other);
    return s;
}

/* in two halves of at most 26 bits */
static inline twofold halves(double a)
{
    double c = 0x1.0000002p27 * a;
    twofold h;
    h.hi = c - (c - a);
    h.lo = a - h.hi;
    return h;
}

static inline twofold product_of(double a, double b)
{
    twofold p = {a * b, 0}, x = halves(a), y = halves(b);
    p.lo = ((x.hi * y.hi - p.hi) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo;
    return p;
}

/* Each of the following errs by less than 2^-100 of its result. */
static inline twofold two_add(twofold a, twofold b)
{
    twofold s = sum_of(a.hi, b.hi), t = sum_of(a.lo, b.lo);
    s = quick_sum(s.hi, s.lo + t.hi);
    return quick_sum(s.hi, s.lo + t.lo);
}

static inline twofold two_minus(twofold a)
{
    return (twofold){-a.hi, -a.lo};
}

static inline twofold two_mul(twofold a, twofold b)
{
    twofold p = product_of(a.hi, b.hi);
    return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* This one by less than 2^-97. */
static inline twofold loose_div(twofold a, twofold b)
{
    double first = a.hi / b.hi;
    twofold rest = two_add(a, two_minus(two_mul((twofold){first, 0}, b)));
    return quick_sum(first, rest.hi / b.hi);
}

/* component k of u x v, and n . w */
static inline twofold two_minor(const twofold u[3], const twofold v[3], int k)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return two_add(two_mul(u[i], v[j]), two_minus(two_mul(u[j], v[i])));
}

static inline twofold two_dot(const twofold n[3], const twofold w[3])
{
    return two_add(two_mul(n[0], w[0]), two_add(two_mul(n[1], w[1]), two_mul(n[2], w[2])));
}

/* The same, normalized once at the end: off by less than 2^-99 of the sum of the products' sizes.
 */
static inline twofold loose_minor(const twofold u[3], const twofold v[3], int k)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    twofold p = product_of(u[i].hi, v[j].hi), q = product_of(u[j].hi, v[i].hi);
    double low = (u[i].hi * v[j].lo + u[i].lo * v[j].hi) - (u[j].hi * v[i].lo + u[j].lo * v[i].hi);
    twofold s = sum_of(p.hi, -q.hi);
    return quick_sum(s.hi, s.lo + ((p.lo - q.lo) + low));
}

static inline twofold loose_dot(const twofold n[3], const twofold w[3])
{
    twofold sum = product_of(n[0].hi, w[0].hi);
    double low = sum.lo + (n[0].hi * w[0].lo + n[0].lo * w[0].hi);
    for (int k = 1; k < 3; k++) {
        twofold p = product_of(n[k].hi, w[k].hi);
        twofold s = sum_of(sum.hi, p.hi);
        low += s.lo + (p.lo + (n[k].hi * w[k].lo + n[k].lo * w[k].hi));
        sum.hi = s.hi;
    }
    return quick_sum(sum.hi, low);
}

#endif
