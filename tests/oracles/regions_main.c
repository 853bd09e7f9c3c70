/* regions_pairs FIRST COUNT: pairs of closed meshes on a lattice, each in a line that
 * regions_nef.cpp reads: the number of the pair, into how many regions the contours with the other
 * mesh cut the surfaces of each, and both meshes. A last line goes to stderr: how many pairs have
 * contours, and the most regions of a mesh. */
#include "impinge_regions.h"
#include "solid_scenes.h"
#include "testlib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Contacts of a frame in the arrays of imp_contacts. */
typedef struct pair_contacts {
    size_t count;
    uint32_t *a, *b;
    uint8_t *kind, *end_features;
    double *points;
} pair_contacts;

static void pair_contacts_free(pair_contacts *c)
{
    free(c->a);
    free(c->b);
    free(c->kind);
    free(c->end_features);
    free(c->points);
}

/* Those of which a primitive is of this surface; NULL: all. */
static void pair_contacts_select(const contact_list *l, const uint32_t *surface, uint32_t which,
                                 pair_contacts *to)
{
    to->count = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct contact_row *r = &l->row[i];
        if (surface && surface[r->a] != which && surface[r->b] != which)
            continue;
        const size_t n = to->count++;
        to->a[n] = r->a;
        to->b[n] = r->b;
        to->kind[n] = (uint8_t)r->kind;
        memcpy(to->points + 6 * n, r->point, sizeof r->point);
        memcpy(to->end_features + 4 * n, r->end_features, sizeof r->end_features);
    }
}

static void pair_contacts_open(size_t most, pair_contacts *to)
{
    to->a = malloc((most + 1) * sizeof *to->a);
    to->b = malloc((most + 1) * sizeof *to->b);
    to->kind = malloc(most + 1);
    to->end_features = malloc(4 * most + 1);
    to->points = malloc((6 * most + 1) * sizeof *to->points);
    if (!to->a || !to->b || !to->kind || !to->end_features || !to->points)
        exit(1);
}

/* The regions into which the contours of these contacts cut an object; 0: they have none. */
static uint64_t pair_regions(const solid_scene *s, const pair_contacts *c, int32_t object)
{
    const imp_contacts rows = {.count = c->count,
                               .a = c->a,
                               .b = c->b,
                               .kind = c->kind,
                               .end_features = c->end_features,
                               .points = c->points};
    imp_regions *r = NULL;
    uint64_t found = 0;
    if (imp_regions_find(&s->frame, &rows, &r)) {
        fprintf(stderr, "%s\n", imp_error_text());
        exit(1);
    }
    for (size_t i = 0; i < r->partings; i++)
        found += r->parting[i].object == object ? r->parting[i].regions : 0;
    imp_regions_free(r);
    return found;
}

static uint32_t pair_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* surface[primitives]: the least vertex that is connected with the triangle. */
static void pair_surfaces(const solid_scene *s, uint32_t *surface)
{
    static uint32_t parent[SOLID_VERTS];
    for (uint32_t v = 0; v < s->mesh.vertices; v++)
        parent[v] = v;
    for (uint32_t i = 0; i < s->mesh.primitives; i++)
        for (size_t k = 1; k < 3; k++) {
            const uint32_t x = pair_root(parent, s->corner[(size_t)4 * i]),
                           y = pair_root(parent, s->corner[(size_t)4 * i + k]);
            parent[x < y ? y : x] = x < y ? x : y;
        }
    for (uint32_t i = 0; i < s->mesh.primitives; i++)
        surface[i] = pair_root(parent, s->corner[(size_t)4 * i]);
}

/* The regions of an object: those of each of its surfaces, which is one where no contour runs. They
 * must be those that all contacts give at once. */
static uint64_t pair_count(const solid_scene *s, const contact_list *l, const uint32_t *surface,
                           pair_contacts *c, int32_t object)
{
    uint64_t cut = 0, whole = 0;
    uint32_t done = 0; /* surfaces are found in the order of their least vertices */
    for (uint32_t i = 0; i < s->mesh.primitives; i++) {
        if (s->object[i] != object || surface[i] < done)
            continue;
        pair_contacts_select(l, surface, surface[i], c);
        const uint64_t regions = pair_regions(s, c, object);
        cut += regions;
        whole += !regions;
        done = surface[i] + 1;
    }
    pair_contacts_select(l, NULL, 0, c);
    const uint64_t all = pair_regions(s, c, object);
    if (all != cut) {
        fprintf(stderr, "%llu regions at once, %llu surface by surface\n", (unsigned long long)all,
                (unsigned long long)cut);
        exit(1);
    }
    return cut + whole;
}

int main(int argc, char **argv)
{
    static uint32_t surface[SOLID_PRIMS];
    const imp_def def = {.device = "cpu", .end_features = 1, .pairs = IMP_PAIRS_BETWEEN};
    solid_scene *s = solid_scene_open();
    imp *p = NULL;
    uint64_t with = 0, most = 0;
    if (argc != 3 || imp_create(&def, &p))
        return 2;
    const uint64_t first = strtoull(argv[1], NULL, 10), n = strtoull(argv[2], NULL, 10);
    for (uint64_t i = first; i < first + n; i++) {
        contact_list l = {0};
        pair_contacts c = {0};
        solid_pair_make(s, i);
        if (imp_detect(p, &s->frame, 1, contact_list_sink, &l, NULL))
            return 1;
        pair_contacts_open(l.count, &c);
        pair_surfaces(s, surface);
        const uint64_t a = pair_count(s, &l, surface, &c, 0), b = pair_count(s, &l, surface, &c, 1);
        printf("%llu %llu %llu", (unsigned long long)i, (unsigned long long)a,
               (unsigned long long)b);
        solid_print(s, 0);
        solid_print(s, 1);
        printf("\n");
        with += pair_regions(s, &c, 0) > 0;
        most = a > most ? a : b > most ? b : most;
        pair_contacts_free(&c);
        contact_list_free(&l);
    }
    fprintf(stderr, "%llu of %llu pairs have contours, at most %llu regions\n",
            (unsigned long long)with, (unsigned long long)n, (unsigned long long)most);
    imp_destroy(p);
    free(s);
    return 0;
}
