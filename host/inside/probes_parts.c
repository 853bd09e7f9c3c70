/* See probes.h: the parts of a segment that are inside a closed object, and their middles. */
#include "cuts.h"

#include <math.h>

/* The middle of a part, and the object. */
typedef struct parts_at {
    const solids *of;
    const probe *s;
} parts_at;

static int parts_visit_prim(void *user, uint32_t prim)
{
    const parts_at *a = user;
    int on = 0;
    for (int face = 0; face < 4 && !on; face++) {
        probe_face f;
        if (!(a->of->mesh.surface[prim] >> face & 1))
            continue;
        solids_face(a->of, prim, face, f.vertex, f.p);
        on = probe_on_face(a->s, &f);
    }
    return on;
}

static int parts_on_surface(solids_walk *w, uint32_t place, const probe *s)
{
    parts_at a = {w->of, s};
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = solids_unit(w->of, k, s->lo[k]);
        hi[k] = solids_unit(w->of, k, s->hi[k]);
    }
    return solids_overlaps(w, place, lo, hi, parts_visit_prim, &a);
}

/* Whether the points between two neighbouring cuts are inside: their middle, which is within the
 * same faces as all others. `s` has any directions. */
static int parts_within(cut_line *a, uint32_t place, const cut *i, const cut *j, probe *s)
{
    cut_at_middle(i, j, s);
    return !parts_on_surface(a->walk, place, s) &&
           solids_inside(a->walk->of, probes_winding(a->walk, place, s));
}

static void parts_end(const cut *c, probe *out)
{
    dyad_set(&out->w, &c->w);
    for (int k = 0; k < 3; k++)
        dyad_set(&out->p[k], &c->p[k]);
    probe_place(out);
}

static void parts_visit(cut_line *a, uint32_t place, probes_part *visit, void *user)
{
    probe s, end[2];
    int open = 0;
    probe_init(&s);
    probe_init(&end[0]);
    probe_init(&end[1]);
    for (int k = 0; k < 3; k++)
        dyad_set_double(&s.d[k][k], 1);
    for (size_t i = 0; i + 1 < a->count; i++) {
        const int within = parts_within(a, place, &a->cut[i], &a->cut[i + 1], &s);
        if (within && !open)
            parts_end(&a->cut[i], &end[0]);
        if (within)
            parts_end(&a->cut[i + 1], &end[1]);
        if (open && !within)
            visit(user, end);
        open = within;
    }
    if (open)
        visit(user, end);
    probe_clear(&s);
    probe_clear(&end[0]);
    probe_clear(&end[1]);
}

void probes_parts(solids_walk *w, uint32_t place, const exact_point *p, const exact_point *q,
                  probes_part *visit, void *user)
{
    cut_line a;
    cut_line_init(&a, w);
    dyads_between(a.along, p, q);
    for (int n = 0; n < 2 && !dyads_zero(a.along); n++) {
        cut *c = cut_line_add(&a);
        if (!c)
            break;
        cut_at_set_point(c, n ? q : p);
        cut_line_place(&a, c);
    }
    if (a.count == 2)
        cut_line_divide(&a, &place, 1);
    if (!a.spoilt && a.count)
        parts_visit(&a, place, visit, user);
    cut_line_clear(&a);
}

int probe_on_face(const probe *s, const probe_face *f)
{
    int on = 1;
    dyad n[3], m[3], h;
    cut at;
    dyads_init(n);
    dyads_init(m);
    dyad_init(&h);
    cut_at_init(&at);
    dyad_set(&at.w, &s->w);
    for (int k = 0; k < 3; k++)
        dyad_set(&at.p[k], &s->p[k]);
    dyads_normal(n, f->p);
    cut_at_height(&h, &at, n, &f->p[0]);
    on = !dyads_zero(n) && !dyad_sign(&h);
    for (int k = 0; k < 3 && on; k++) {
        dyads_edge_normal(m, n, &f->p[k], &f->p[(k + 1) % 3]);
        cut_at_height(&h, &at, m, &f->p[k]);
        on = dyad_sign(&h) >= 0;
    }
    dyads_clear(n);
    dyads_clear(m);
    dyad_clear(&h);
    cut_at_clear(&at);
    return on;
}

/* q 2^e to the nearest float64; the lowest bit of q may stand for more bits. */
static double parts_round(const mpz_t q, long e)
{
    uint64_t top = 0;
    const long bits = (long)mpz_sizeinbase(q, 2), drop = bits > 62 ? bits - 62 : 0;
    mpz_t t;
    mpz_init(t);
    mpz_tdiv_q_2exp(t, q, (mp_bitcnt_t)drop);
    for (size_t i = 0; i < mpz_size(t); i++)
        top = mpz_getlimbn(t, (mp_size_t)i);
    if (drop && mpz_scan1(q, 0) < (mp_bitcnt_t)drop)
        top |= 1;
    mpz_clear(t);
    /* 62 bits with the rest in the last one: one rounding, to the bits that the result has */
    const long least = e + drop + 62 - 53 > -1074 ? e + drop + 62 - 53 : -1074;
    const long lost = least - (e + drop);
    double out;
    if (lost > 0 && lost < 64) {
        const uint64_t half = UINT64_C(1) << (lost - 1), low = top & (2 * half - 1);
        uint64_t whole = lost < 63 ? top >> lost : 0;
        whole += low > half || (low == half && whole & 1);
        out = ldexp((double)whole, (int)least);
    } else {
        out = lost >= 64 ? 0 : ldexp((double)top, (int)(e + drop));
    }
    return mpz_sgn(q) < 0 ? -out : out;
}

/* n / d to the nearest float64, of two equally near ones the even one; d > 0. The quotient is taken
 * to two bits more than are needed, and the last one is set if something is left. */
static double parts_quotient(const dyad *n, const dyad *d)
{
    mpz_t q, r;
    const long bits = (long)mpz_sizeinbase(n->m, 2) - (long)mpz_sizeinbase(d->m, 2);
    long e = 64 * (n->e - d->e);
    if (!dyad_sign(n))
        return 0;
    mpz_init(q);
    mpz_init(r);
    /* the quotient has at least 64 bits, and not more than a denormal number can use */
    long shift = 66 - bits;
    if (e - shift < -1140)
        shift = e + 1140;
    mpz_set(q, n->m);
    if (shift > 0)
        mpz_mul_2exp(q, q, (mp_bitcnt_t)shift);
    mpz_set(r, d->m);
    if (shift < 0)
        mpz_mul_2exp(r, r, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(q, r, q, r);
    if (mpz_sgn(r) && mpz_sgn(n->m) > 0)
        mpz_setbit(q, 0);
    else if (mpz_sgn(r)) {
        mpz_neg(q, q);
        mpz_setbit(q, 0);
        mpz_neg(q, q);
    }
    const double out = parts_round(q, e - shift);
    mpz_clear(q);
    mpz_clear(r);
    return out;
}

void probes_middle(const probe end[2], double out[3])
{
    dyad p, w;
    dyad_init(&p);
    dyad_init(&w);
    dyad_mul(&w, &end[0].w, &end[1].w);
    dyad_add(&w, &w, &w, 1);
    for (int k = 0; k < 3; k++) {
        dyad_mul(&p, &end[0].p[k], &end[1].w);
        dyad_add_mul(&p, &end[1].p[k], &end[0].w, 1);
        out[k] = parts_quotient(&p, &w);
    }
    dyad_clear(&p);
    dyad_clear(&w);
}
