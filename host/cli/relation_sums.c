/* See relation_sums.h. */
#include "relation_sums.h"

#include "cli.h"
#include "error.h"
#include "object_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- adding */

static int relation_sums_order(const void *p, const void *q)
{
    const relation_sum *x = p, *y = q;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static relation_sum *relation_sums_find(const relation_sums *s, size_t count, int32_t a, int32_t b)
{
    const relation_sum key = {.a = a, .b = b};
    return count ? bsearch(&key, s->pair, count, sizeof *s->pair, relation_sums_order) : NULL;
}

/* Adds the pairs of a frame that no frame before had. */
static int relation_sums_extend(relation_sums *s, const relation_rows *r)
{
    int err = IMP_OK;
    const size_t old = s->count;
    for (uint64_t i = 0; i < r->count; i++) {
        if (relation_sums_find(s, old, r->a[i], r->b[i]))
            continue;
        if (s->count == s->capacity) {
            const size_t capacity = 2 * s->capacity + 64;
            TRY(mem_grow(s->mem, s->count * sizeof *s->pair, capacity * sizeof *s->pair, &s->pair));
            s->capacity = capacity;
        }
        s->pair[s->count++] = (relation_sum){.a = r->a[i], .b = r->b[i]};
    }
    if (s->count > old)
        qsort(s->pair, s->count, sizeof *s->pair, relation_sums_order);
out:
    return err;
}

static void relation_sum_deepen(relation_sum *to, double depth, int64_t vertex, const double *point,
                                int of_b, uint64_t frame)
{
    if (!(depth > to->depth))
        return;
    to->depth = depth;
    to->vertex = vertex;
    to->of_b = of_b;
    to->frame = frame;
    memcpy(to->point, point, sizeof to->point);
}

static void relation_sum_add_row(relation_sum *to, const relation_rows *r, uint64_t i,
                                 uint64_t frame)
{
    to->frames[r->relation[i]]++;
    to->inside[0] = r->inside_a[i] > to->inside[0] ? r->inside_a[i] : to->inside[0];
    to->inside[1] = r->inside_b[i] > to->inside[1] ? r->inside_b[i] : to->inside[1];
    relation_sum_deepen(to, r->depth_a[i], r->deepest_a[i], r->point_a + 3 * i, 0, frame);
    relation_sum_deepen(to, r->depth_b[i], r->deepest_b[i], r->point_b + 3 * i, 1, frame);
}

/* Parts are sorted by the object and the one they are in: those of a pair are two runs. */
static void relation_sums_add_swallowed(relation_sums *s, const swallowed_rows *w)
{
    for (uint64_t i = 0, n; i < w->count; i += n) {
        const int32_t x = w->object[i], y = w->in[i];
        for (n = 1; i + n < w->count && w->object[i + n] == x && w->in[i + n] == y;)
            n++;
        relation_sum *to = relation_sums_find(s, s->count, x < y ? x : y, x < y ? y : x);
        if (to && n > to->swallowed)
            to->swallowed = n;
    }
}

/* closed: the closed and the open objects of the step so far. */
static int relation_sums_add_frame(relation_sums *s, result_reader *r, uint64_t k,
                                   int64_t closed[2])
{
    int err = IMP_OK;
    const uint64_t frame = (uint64_t)result_get_info(r)->of.input_frame[k];
    step_relations of;
    TRY(result_read_relations(r, k, &of));
    TRY(relation_sums_extend(s, &of.pairs));
    for (uint64_t i = 0; i < of.pairs.count; i++) {
        /* the relation is an index below */
        if (of.pairs.relation[i] >= RELATION_KINDS)
            FAIL(IMP_ERR_INPUT, "/impinge/relations/Relation: frame %llu has the relation %d",
                 (unsigned long long)k, of.pairs.relation[i]);
        relation_sum_add_row(relation_sums_find(s, s->count, of.pairs.a[i], of.pairs.b[i]),
                             &of.pairs, i, frame);
    }
    relation_sums_add_swallowed(s, &of.swallowed);
    closed[0] += of.closed;
    closed[1] += of.open;
    s->closed = closed[0] > s->closed ? closed[0] : s->closed;
    s->open = closed[1] > s->open ? closed[1] : s->open;
out:
    return err;
}

/* The number of a frame's step; several units have the same. */
static uint64_t relation_sums_step(const result_info *i, uint64_t k)
{
    return i->units.slabs ? (i->units.first + k) / i->units.slabs : k;
}

int relation_sums_add(relation_sums *s, result_reader *r)
{
    int err = IMP_OK;
    const result_info *of = result_get_info(r);
    int64_t closed[2] = {0};
    s->slabs = of->units.slabs > 0;
    for (uint64_t k = 0; k < of->frames; k++) {
        if (!k || relation_sums_step(of, k) > relation_sums_step(of, k - 1)) {
            memset(closed, 0, sizeof closed);
            s->frames++;
        }
        TRY(relation_sums_add_frame(s, r, k, closed));
    }
    for (size_t i = 0; i < s->count; i++) {
        uint64_t other = 0;
        for (int kind = IMP_RELATION_TOUCHING; kind < RELATION_KINDS; kind++)
            other += s->pair[i].frames[kind];
        s->pair[i].frames[IMP_RELATION_APART] = s->frames - other;
    }
out:
    return err;
}

void relation_sums_free(relation_sums *s)
{
    if (s->mem)
        mem_free(s->mem, s->pair);
    *s = (relation_sums){.mem = s->mem};
}

/* ---- as text */

/* "touching in 3 frames, crossing in 1 frame, 0 (rod) inside 1 (box) in 2 frames" */
static void relation_print_frames(const relation_sum *p, const batch_names *names)
{
    const char *join = "";
    for (int kind = IMP_RELATION_TOUCHING; kind < RELATION_KINDS; kind++) {
        const int turn = kind == IMP_RELATION_B_IN_A;
        if (!p->frames[kind])
            continue;
        if (kind < IMP_RELATION_A_IN_B)
            printf("%s%s", join, relation_name[kind]);
        else
            printf("%s%s inside %s", join, object_text(names, turn ? p->b : p->a),
                   object_text(names, turn ? p->a : p->b));
        printf(" in %s", cli_count_text(p->frames[kind], "frame"));
        join = ", ";
    }
}

static void relation_print_pair(const relation_sum *p, const batch_names *names)
{
    const uint64_t inside = (uint64_t)(p->inside[0] > p->inside[1] ? p->inside[0] : p->inside[1]);
    printf("%s and %s: ", object_text(names, p->a), object_text(names, p->b));
    relation_print_frames(p, names);
    if (inside)
        printf("; at most %s", cli_count_text(inside, "vertex inside"));
    if (p->depth > 0)
        printf(", depth up to %.9g (vertex %s of %s in frame %s)", p->depth,
               cli_number_text((uint64_t)p->vertex), object_text(names, p->of_b ? p->b : p->a),
               cli_number_text(p->frame));
    if (p->swallowed)
        printf("; at most %s swallowed", cli_count_text(p->swallowed, "part"));
    printf("\n");
}

/* The deepest first, then those that are contained or cross in the most frames. */
static int relation_sums_worse(const void *p, const void *q)
{
    const relation_sum *x = p, *y = q;
    const uint64_t touch[2] = {x->frames[IMP_RELATION_TOUCHING], y->frames[IMP_RELATION_TOUCHING]},
                   apart[2] = {x->frames[IMP_RELATION_APART], y->frames[IMP_RELATION_APART]};
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (touch[0] + apart[0] != touch[1] + apart[1])
        return touch[0] + apart[0] < touch[1] + apart[1] ? -1 : 1;
    return relation_sums_order(p, q);
}

void relation_sums_sort(relation_sums *s)
{
    if (s->count)
        qsort(s->pair, s->count, sizeof *s->pair, relation_sums_worse);
}

void relation_sums_print(const relation_sums *s, const batch_names *names, const char *before,
                         size_t most)
{
    if (!s->count)
        printf("%s%s\n", before,
               s->closed || s->slabs ? "no closed object touches or contains another one"
                                     : "no object is closed");
    for (size_t i = 0; i < s->count && i < most; i++) {
        printf("%*s", (int)strlen(before), i ? "" : before);
        relation_print_pair(&s->pair[i], names);
    }
    if (s->count > most)
        printf("%*sand %s that are not apart; --json lists all\n", (int)strlen(before), "",
               cli_count_text(s->count - most, "more pair"));
}

/* ---- as JSON */

static void relation_json_pair(json *j, const relation_sum *p, const batch_names *names)
{
    const char *a = batch_object_name(names, p->a), *b = batch_object_name(names, p->b);
    json_open(j, NULL, '{');
    json_whole(j, "a", p->a);
    json_whole(j, "b", p->b);
    if (a)
        json_text(j, "name_a", a);
    if (b)
        json_text(j, "name_b", b);
    json_open(j, "frames", '{');
    for (int kind = 0; kind < RELATION_KINDS; kind++)
        json_count(j, relation_name[kind], p->frames[kind]);
    json_close(j, '}');
    json_whole(j, "inside_a", p->inside[0]);
    json_whole(j, "inside_b", p->inside[1]);
    json_real(j, "depth", p->depth);
    if (p->depth > 0) {
        json_whole(j, "depth_object", p->of_b ? p->b : p->a);
        if (p->of_b ? b : a)
            json_text(j, "depth_name", p->of_b ? b : a);
        json_whole(j, "depth_vertex", p->vertex);
        json_count(j, "depth_frame", p->frame);
        json_open(j, "depth_point", '[');
        for (int k = 0; k < 3; k++)
            json_real(j, NULL, p->point[k]);
        json_close(j, ']');
    }
    json_count(j, "swallowed", p->swallowed);
    json_close(j, '}');
}

void relation_sums_json(json *j, const relation_sums *s, const batch_names *names)
{
    json_whole(j, "closed_objects", s->closed);
    json_whole(j, "open_objects", s->open);
    json_open(j, "relations", '[');
    for (size_t i = 0; i < s->count; i++)
        relation_json_pair(j, &s->pair[i], names);
    json_close(j, ']');
}
