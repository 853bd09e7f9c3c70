/* The possible collision set: found at the start of a frame, and updated for bodies after a
 * response. */
#include "error.h"
#include "pcs_motion.h"
#include "pcs_state.h"

#include <string.h>

static pcs_pair pcs_set_new_pair(uint32_t a, uint32_t b)
{
    return (pcs_pair){.a = a, .b = b, .in = 1};
}

/* Makes a pair the first of both its bodies. */
static void pcs_set_link_pair(const pcs_pair *x, size_t number, size_t *first, size_t next[2])
{
    next[0] = first[x->a];
    next[1] = first[x->b];
    first[x->a] = first[x->b] = number + 1;
}

/* The next pair of a body. */
static size_t pcs_set_next(const pcs_pair *x, uint32_t body)
{
    return x->next[body != x->a];
}

/* ---- a frame's start */

static int pcs_set_find_all(pcs *p)
{
    int err = 0;
    const double(*box)[6] = (const double(*)[6])p->box;
    p->found.count = 0;
    p->tiled = !p->engine.pipeline;
    if (p->tiled) {
        TRY(pcs_tiles_make(p->def.mem, &p->tiles, box, p->def.bodies));
        TRY(pcs_tiles_all_pairs(p->def.mem, &p->tiles, &p->found));
    } else {
        TRY(pcs_engine_all_pairs(p->def.mem, &p->engine, box, p->def.bodies, p->def.cancel,
                                 &p->found));
    }
    TRY(pcs_pairs_sort(p->def.mem, &p->found, p->def.bodies));
out:
    return err;
}

/* Marks a body's former partners with greater numbers, or clears the marks. */
static void pcs_set_mark_partners(pcs *p, uint32_t a, int mark)
{
    for (size_t i = p->first[a]; i; i = pcs_set_next(&p->pair[i - 1], a))
        if (p->pair[i - 1].a == a)
            p->partner[p->pair[i - 1].b] = mark ? i : 0;
}

/* Copies the kept state to the new pairs, in order: the features at which they were closest, and a
 * normal. */
static void pcs_set_carry(pcs *p, pcs_pair *to)
{
    const uint32_t(*found)[2] = (const uint32_t(*)[2])p->found.at;
    for (size_t i = 0; i < p->found.count; i++) {
        const uint32_t a = found[i][0], b = found[i][1];
        if (!i || found[i - 1][0] != a)
            pcs_set_mark_partners(p, a, 1);
        to[i] = pcs_set_new_pair(a, b);
        if (p->partner[b]) {
            const pcs_pair *old = &p->pair[p->partner[b] - 1];
            to[i].cache = old->cache;
            memcpy(to[i].normal, old->normal, sizeof to->normal);
        }
        if (i + 1 == p->found.count || found[i + 1][0] != a)
            pcs_set_mark_partners(p, a, 0);
    }
}

int pcs_set_make(pcs *p)
{
    int err = 0;
    pcs_pair *pair = NULL;
    TRY(pcs_set_find_all(p));
    const size_t count = p->found.count, capacity = count + count / 8 + 64;
    TRY(mem_alloc(p->def.mem, capacity * sizeof *pair, &pair));
    TRY(pcs_order_fit(p->def.mem, &p->order, capacity));
    pcs_set_carry(p, pair);
    mem_free(p->def.mem, p->pair);
    p->pair = pair;
    pair = NULL;
    p->pairs = count;
    p->capacity = capacity;
    memset(p->first, 0, p->def.bodies * sizeof *p->first);
    for (size_t i = count; i--;)
        pcs_set_link_pair(&p->pair[i], i, p->first, p->pair[i].next);
    p->counts.pairs += count;
    p->counts.checks += count;
out:
    mem_free(p->def.mem, pair);
    return err;
}

/* ---- from frame to frame */

size_t pcs_save(const pcs *p, pcs_saved_pair *out)
{
    for (size_t i = 0; out && i < p->pairs; i++) {
        const pcs_pair *x = &p->pair[i];
        memset(&out[i], 0, sizeof out[i]); /* no padding bytes that differ from run to run */
        out[i].a = x->a;
        out[i].b = x->b;
        out[i].cache = x->cache;
        memcpy(out[i].normal, x->normal, sizeof x->normal);
    }
    return p->pairs;
}

int pcs_restore(pcs *p, const pcs_saved_pair *known, size_t count)
{
    int err = 0;
    for (size_t i = 0; i < count; i++)
        if (known[i].a >= known[i].b || known[i].b >= p->def.bodies)
            return imp_fail(IMP_ERR_ARGUMENT, "pcs: no pair of bodies %u and %u", known[i].a,
                            known[i].b);
    p->pairs = 0;
    TRY(mem_grow(p->def.mem, 0, (count + 1) * sizeof *p->pair, &p->pair));
    p->pairs = count;
    p->capacity = count + 1;
    memset(p->first, 0, p->def.bodies * sizeof *p->first);
    for (size_t i = 0; i < count; i++) {
        pcs_pair *x = &p->pair[i];
        *x = pcs_set_new_pair(known[i].a, known[i].b);
        x->cache = known[i].cache;
        memcpy(x->normal, known[i].normal, sizeof x->normal);
        pcs_set_link_pair(x, i, p->first, x->next);
    }
out:
    return err;
}

/* ---- after a response */

static int pcs_set_add_pair(pcs *p, uint32_t a, uint32_t b, size_t *number)
{
    int err = 0;
    TRY(mem_fit(p->def.mem, p->pairs, &p->capacity, sizeof *p->pair, &p->pair));
    TRY(pcs_order_fit(p->def.mem, &p->order, p->pairs + 1));
    *number = p->pairs++;
    p->pair[*number] = pcs_set_new_pair(a, b);
    pcs_set_link_pair(&p->pair[*number], *number, p->first, p->pair[*number].next);
    p->counts.pairs++;
out:
    return err;
}

/* Computes its distance, unless the response already reached it through the other body. */
static void pcs_set_measure_once(pcs *p, size_t number, int is_new)
{
    pcs_pair *x = &p->pair[number];
    x->in = 1;
    if (x->response == p->response)
        return;
    x->response = p->response;
    *(is_new ? &p->counts.checks : &p->counts.rechecks) += 1;
    pcs_pair_measure(p, x);
    p->counts.steps += x->near.steps;
    pcs_pair_schedule(p, number);
}

/* Updates the pairs of a body; p->partner has the former ones. */
static int pcs_set_renew_found(pcs *p, uint32_t body)
{
    int err = 0;
    p->found.count = 0;
    TRY(pcs_tiles_pairs_of_body(p->def.mem, &p->tiles, body, &p->found));
    for (size_t i = 0; i < p->found.count; i++) {
        const uint32_t *at = p->found.at[i], other = at[at[0] == body];
        size_t number = p->partner[other] - 1;
        const int is_new = !p->partner[other];
        if (is_new)
            TRY(pcs_set_add_pair(p, at[0], at[1], &number));
        pcs_set_measure_once(p, number, is_new);
    }
out:
    return err;
}

static int renew(pcs *p, uint32_t body)
{
    for (size_t i = p->first[body]; i; i = pcs_set_next(&p->pair[i - 1], body)) {
        pcs_pair *x = &p->pair[i - 1];
        p->partner[x->a == body ? x->b : x->a] = i;
        x->in = 0;
    }
    const int err = pcs_set_renew_found(p, body);
    for (size_t i = p->first[body]; i; i = pcs_set_next(&p->pair[i - 1], body)) {
        const pcs_pair *x = &p->pair[i - 1];
        p->partner[x->a == body ? x->b : x->a] = 0;
        if (!x->in)
            pcs_order_remove(&p->order, i - 1);
    }
    return err;
}

/* Makes the tiles on first use if the engine found the frame's pairs. */
static int pcs_set_tiles_ready(pcs *p)
{
    if (p->tiled)
        return IMP_OK;
    p->tiled = 1;
    return pcs_tiles_make(p->def.mem, &p->tiles, (const double(*)[6])p->box, p->def.bodies);
}

int pcs_set_renew(pcs *p, uint32_t count)
{
    int err = 0;
    p->response++;
    TRY(pcs_set_tiles_ready(p));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t body = p->list[i];
        pcs_tiles_remove(&p->tiles, body);
        TRY(pcs_body_make_box(p, body));
        TRY(pcs_tiles_add(p->def.mem, &p->tiles, body));
    }
    for (uint32_t i = 0; i < count; i++)
        TRY(renew(p, p->list[i]));
out:
    return err;
}

int pcs_order_fit(mem *m, pcs_order *o, size_t items)
{
    if (items <= o->capacity)
        return IMP_OK;
    const size_t capacity = items + items / 2;
    int err = mem_grow(m, o->count * sizeof *o->heap, capacity * sizeof *o->heap, &o->heap);
    if (!err)
        err = mem_grow(m, o->capacity * sizeof *o->position, capacity * sizeof *o->position,
                       &o->position);
    if (err)
        return err;
    memset(o->position + o->capacity, 0, (capacity - o->capacity) * sizeof *o->position);
    o->capacity = capacity;
    return IMP_OK;
}

void pcs_order_clear(pcs_order *o)
{
    o->count = 0;
    if (o->capacity)
        memset(o->position, 0, o->capacity * sizeof *o->position);
}

void pcs_order_free(mem *m, pcs_order *o)
{
    mem_free(m, o->heap);
    mem_free(m, o->position);
    *o = (pcs_order){0};
}

static int pcs_queue_before(const pcs_entry *x, const pcs_entry *y)
{
    if (x->time != y->time)
        return x->time < y->time;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void pcs_queue_set(pcs_order *o, size_t at, const pcs_entry *e)
{
    o->heap[at] = *e;
    o->position[e->item] = at + 1;
}

static size_t pcs_queue_sift_up(pcs_order *o, size_t at, const pcs_entry *e)
{
    while (at && pcs_queue_before(e, &o->heap[(at - 1) / 2])) {
        pcs_queue_set(o, at, &o->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    return at;
}

static size_t pcs_queue_sift_down(pcs_order *o, size_t at, const pcs_entry *e)
{
    for (size_t child; (child = 2 * at + 1) < o->count; at = child) {
        if (child + 1 < o->count && pcs_queue_before(&o->heap[child + 1], &o->heap[child]))
            child++;
        if (!pcs_queue_before(&o->heap[child], e))
            break;
        pcs_queue_set(o, at, &o->heap[child]);
    }
    return at;
}

/* Restores the heap order from a free position. */
static void pcs_queue_restore(pcs_order *o, size_t at, const pcs_entry *e)
{
    pcs_queue_set(o, pcs_queue_sift_down(o, pcs_queue_sift_up(o, at, e), e), e);
}

void pcs_order_set(pcs_order *o, const pcs_entry *e)
{
    const pcs_entry copy = *e;
    pcs_queue_restore(o, o->position[e->item] ? o->position[e->item] - 1 : o->count++, &copy);
}

void pcs_order_remove(pcs_order *o, size_t item)
{
    if (!o->position[item])
        return;
    const size_t at = o->position[item] - 1;
    const pcs_entry last = o->heap[--o->count];
    o->position[item] = 0;
    if (last.item != item)
        pcs_queue_restore(o, at, &last);
}

/* ---- A box is passed as a triangle without area, from its low corner to its high one: its bounds
 * are that box in float32, rounded outward. So candidates include all pairs of overlapping boxes,
 * and a comparison in float64 keeps only these. */

#define BROAD "tiles"

int pcs_engine_open(mem *m, pcs_engine *e, const char *device, int threads, uint32_t bodies)
{
    int err = 0;
    const imp_def def = {.device = device,
                         .threads = threads,
                         .broad = BROAD,
                         .stage = IMP_STAGE_CANDIDATES,
                         .unchecked = 1,
                         .mem_limit = m->limit ? mem_left(m) / 2 + 1 : 0,
                         .expect = bodies};
    TRY(mem_alloc(m, (size_t)3 * bodies * sizeof *e->corner, &e->corner));
    TRY(mem_alloc(m, (size_t)6 * bodies * sizeof *e->point, &e->point));
    for (uint32_t i = 0; i < bodies; i++) {
        uint32_t *c = e->corner + (size_t)3 * i;
        c[0] = 2 * i;
        c[1] = c[2] = 2 * i + 1;
    }
    TRY(imp_create(&def, &e->pipeline));
out:
    return err;
}

void pcs_engine_close(mem *m, pcs_engine *e)
{
    imp_destroy(e->pipeline);
    mem_free(m, e->corner);
    mem_free(m, e->point);
    *e = (pcs_engine){0};
}

typedef struct sink_state {
    mem *m;
    const double (*box)[6];
    const atomic_int *cancel;
    pcs_pairs *out;
} sink_state;

static int pcs_engine_add_pairs(void *with, const imp_contacts *c)
{
    int err = 0;
    const sink_state *s = with;
    if (s->cancel && atomic_load(s->cancel))
        return imp_fail(IMP_ERR_CANCELLED, "cancelled");
    for (size_t i = 0; i < c->count; i++)
        if (pcs_boxes_overlap(s->box[c->a[i]], s->box[c->b[i]]))
            TRY(pcs_pairs_add(s->m, s->out, c->a[i], c->b[i]));
out:
    return err;
}

int pcs_engine_all_pairs(mem *m, pcs_engine *e, const double (*box)[6], uint32_t bodies,
                         const atomic_int *cancel, pcs_pairs *out)
{
    sink_state s = {m, box, cancel, out};
    const imp_mesh mesh = {
        .vertices = 2 * bodies, .primitives = bodies, .corner = e->corner, .corners = 3};
    const imp_frame frame = {.mesh = &mesh, .point = e->point};
    memcpy(e->point, box, (size_t)6 * bodies * sizeof *e->point);
    return imp_detect(e->pipeline, &frame, 1, pcs_engine_add_pairs, &s, NULL);
}
