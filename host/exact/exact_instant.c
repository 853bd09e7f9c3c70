/* See exact_instant.h. */
#include "exact_instant.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void instant_init(instant *x)
{
    x->root_of = NULL;
    x->before = 0;
    x->share = 0;
    span_init(&x->in);
    mpz_set_ui(x->in.to, 0);
}

void instant_clear(instant *x)
{
    span_clear(&x->in);
}

/* ---- isolation: spans are halved until the signs of the form over each vary at most once. For
 * a form of simple roots that ends (Vincent's theorem). */

static void add_root(instants *r, const span *in, int before)
{
    instant *x = &r->at[r->count++];
    instant_init(x);
    x->root_of = &r->simple;
    x->before = before;
    x->in.bits = in->bits;
    mpz_set(x->in.from, in->from);
    mpz_set(x->in.to, before ? in->to : in->from);
}

/* The next span after `in` in the order of time, of those that halving has made: its sibling, or an
 * ancestor's. 0 at the end. */
static int next_span(span *in)
{
    mpz_set(in->from, in->to);
    while (in->bits && mpz_even_p(in->from)) {
        mpz_tdiv_q_2exp(in->from, in->from, 1);
        in->bits--;
    }
    mpz_add_ui(in->to, in->from, 1);
    return in->bits > 0;
}

static void halve(span *in)
{
    span_finer(in);
    mpz_sub_ui(in->to, in->to, 1);
}

static void isolate(instants *r)
{
    form here;
    span in;
    int more = 1;
    form_init(&here);
    span_init(&in);
    while (more) {
        form_over(&here, &r->simple, &in);
        int count = form_variations(&here);
        if (count > 1) {
            halve(&in);
            continue;
        }
        if (count)
            add_root(r, &in, form_sign_after(&here));
        more = next_span(&in);
        if (more && !form_sign(&r->simple, &in))
            add_root(r, &in, 0);
    }
    form_clear(&here);
    span_clear(&in);
}

void instants_find(instants *r, const form *p)
{
    span end;
    span_init(&end);
    form_init(&r->simple);
    r->count = 0;
    int variations = form_variations(p);
    if (!mpz_sgn(p->c[0]))
        add_root(r, &end, 0);
    if (variations < 2)
        form_copy(&r->simple, p);
    else
        form_square_free(&r->simple, p);
    if (variations)
        isolate(r);
    if (!mpz_sgn(p->c[p->degree])) {
        mpz_set_ui(end.from, 1);
        add_root(r, &end, 0);
    }
    span_clear(&end);
}

void instants_clear(instants *r)
{
    for (int i = 0; i < r->count; i++)
        instant_clear(&r->at[i]);
    form_clear(&r->simple);
}

/* ---- rounding down. Of float64 numbers that are not negative the bits have the same order. */

#define BITS_OF_ONE (UINT64_C(1023) << 52)

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The place 0 <= x <= 1 as a span without length. */
static void set_place(span *s, double x)
{
    int e;
    double m = ldexp(frexp(x, &e), 53);
    mpz_set_d(s->from, m);
    s->bits = 53; /* of 0 */
    if (x > 0 && e > 0)
        mpz_mul_2exp(s->from, s->from, (mp_bitcnt_t)e);
    else if (x > 0)
        s->bits += (mp_bitcnt_t)-e;
    mpz_set(s->to, s->from);
}

/* a against b, in units of 2^-a_bits and 2^-b_bits */
static int compare(const mpz_t a, mp_bitcnt_t a_bits, const mpz_t b, mp_bitcnt_t b_bits)
{
    mpz_t longer;
    if (a_bits == b_bits)
        return mpz_cmp(a, b);
    mpz_init(longer);
    mpz_mul_2exp(longer, a_bits < b_bits ? a : b,
                 a_bits < b_bits ? b_bits - a_bits : a_bits - b_bits);
    int order = a_bits < b_bits ? mpz_cmp(longer, b) : mpz_cmp(a, longer);
    mpz_clear(longer);
    return order;
}

/* 1: x is later than `at`; 0: then; -1: earlier */
static int side(const instant *x, const span *at)
{
    int from = compare(x->in.from, x->in.bits, at->from, at->bits);
    if (!x->before)
        return (from > 0) - (from < 0);
    if (from >= 0)
        return 1;
    if (compare(x->in.to, x->in.bits, at->from, at->bits) <= 0)
        return -1;
    return form_sign(x->root_of, at) * x->before;
}

/* Where in x's interval x is, about: by halving in float64. It is no more than a guess. */
static double guess_within(const instant *x)
{
    double c[FORM_DEGREE + 1] = {0}, low = 0, high = 1;
    form here;
    signed long top = -1000000, e[FORM_DEGREE + 1];
    form_init(&here);
    form_over(&here, x->root_of, &x->in);
    for (int i = 0; i <= here.degree; i++) {
        c[i] = x->before * mpz_get_d_2exp(&e[i], here.c[i]);
        top = mpz_sgn(here.c[i]) && e[i] > top ? e[i] : top;
    }
    for (int i = 0; i <= here.degree; i++)
        c[i] = e[i] - top > -1000 ? ldexp(c[i], (int)(e[i] - top)) : 0;
    for (double t = 0.5; t != low && t != high; t = 0.5 * (low + high)) {
        double s = 1 - t, value = c[here.degree], power = 1;
        for (int i = here.degree - 1; i >= 0; i--)
            value = value * t + c[i] * (power *= s);
        *(value >= 0 ? &low : &high) = t;
    }
    form_clear(&here);
    return low;
}

static double guess(const instant *x)
{
    signed long e;
    double from = mpz_get_d_2exp(&e, x->in.from);
    if ((double)e - (double)x->in.bits < -1100)
        return 0;
    from = ldexp(from, (int)(e - (signed long)x->in.bits));
    if (!x->before)
        return from;
    double to = mpz_get_d_2exp(&e, x->in.to);
    to = ldexp(to, (int)(e - (signed long)x->in.bits));
    double between = from + (to - from) * guess_within(x);
    return between < 1 ? between : 1;
}

static int reaches(const instant *x, uint64_t bits)
{
    span at;
    span_init(&at);
    set_place(&at, of_bits(bits));
    int yes = side(x, &at) >= 0;
    span_clear(&at);
    return yes;
}

/* The last share that x reaches: from `low` on in steps of 1, 2, 4, ... float64 numbers, then by
 * halving. */
static uint64_t last_reached(const instant *x, uint64_t low)
{
    uint64_t high = 0, step = 1;
    for (; !reaches(x, low); step *= 2) {
        high = low;
        low -= step < low ? step : low;
    }
    for (step = 1; !high; step *= 2) {
        uint64_t next = low + step;
        if (next > BITS_OF_ONE)
            high = BITS_OF_ONE + 1;
        else
            *(reaches(x, next) ? &low : &high) = next;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(reaches(x, middle) ? &low : &high) = middle;
    }
    return low;
}

static void becomes(instant *x, const span *at)
{
    x->before = 0;
    x->in.bits = at->bits;
    mpz_set(x->in.from, at->from);
    mpz_set(x->in.to, at->from);
}

/* The interval begins no sooner than the place `at` (end = 0) or ends no later (1). */
static void narrow(instant *x, const span *at, int end)
{
    mpz_t *own = end ? &x->in.to : &x->in.from, place;
    while (x->in.bits < at->bits)
        span_finer(&x->in);
    mpz_init(place);
    mpz_mul_2exp(place, at->from, x->in.bits - at->bits);
    int order = mpz_cmp(place, *own);
    if (end ? order < 0 : order > 0)
        mpz_swap(*own, place);
    mpz_clear(place);
}

void instant_round(instant *x)
{
    span at;
    uint64_t bits = last_reached(x, bits_of(guess(x)));
    x->share = of_bits(bits);
    if (!x->before)
        return;
    span_init(&at);
    set_place(&at, x->share);
    if (!side(x, &at)) {
        becomes(x, &at);
    } else {
        narrow(x, &at, 0);
        set_place(&at, of_bits(bits + 1));
        narrow(x, &at, 1);
    }
    span_clear(&at);
}

/* ---- signs */

/* The half with the root, or the root itself. */
static void refine(instant *x)
{
    span middle;
    span_init(&middle);
    span_finer(&x->in);
    middle.bits = x->in.bits;
    mpz_add(middle.from, x->in.from, x->in.to);
    mpz_tdiv_q_2exp(middle.from, middle.from, 1);
    int sign = form_sign(x->root_of, &middle);
    if (!sign)
        becomes(x, &middle);
    else
        mpz_set(sign == x->before ? x->in.from : x->in.to, middle.from);
    span_clear(&middle);
}

/* Is q, which is not 0, 0 at the root within x's interval? A common root is one of the greatest
 * common divisor, which has no other within: its signs vary an odd number of times. */
static int is_common(const instant *x, const form *q)
{
    form common, here;
    form_init(&common);
    form_init(&here);
    form_gcd(&common, x->root_of, q);
    int odd = 0;
    if (common.degree > 0) {
        form_over(&here, &common, &x->in);
        odd = form_variations(&here) % 2;
    }
    form_clear(&common);
    form_clear(&here);
    return odd;
}

int instant_sign(instant *x, const form *q)
{
    form here;
    int sign = 0, tried = 0;
    if (form_is_zero(q))
        return 0;
    form_init(&here);
    while (x->before && !sign) {
        form_over(&here, q, &x->in);
        if (!form_variations(&here)) {
            sign = form_sign_after(&here);
            break;
        }
        if (!tried++ && is_common(x, q))
            break;
        refine(x);
    }
    if (!x->before)
        sign = form_sign(q, &x->in);
    form_clear(&here);
    return sign;
}
