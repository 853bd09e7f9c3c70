/* Vertices inside closed objects, relations, and the depths of contacts, against the oracle: pairs
 * on a lattice, objects that are sets of cells, tetrahedra, needles in plates. Every row and every
 * relation is compared. */
#include "expect.h"
#include "mem.h"
#include "solid_cells.h"
#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct inside_row {
    truth_inside_row row;
    double point[6], barycentric[4], normal[3];
} inside_row;

typedef struct inside_result {
    size_t rows, capacity;
    inside_row *row;
    imp_relations all;
} inside_result;

static void *inside_result_copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (!to)
        abort();
    return bytes ? memcpy(to, from, bytes) : to;
}

static int inside_result_rows(void *user, const imp_contacts *c)
{
    inside_result *r = user;
    for (size_t i = 0; i < c->count; i++) {
        if (r->rows == r->capacity) {
            r->capacity = 2 * r->capacity + 64;
            r->row = realloc(r->row, r->capacity * sizeof *r->row);
            if (!r->row)
                abort();
        }
        inside_row *row = &r->row[r->rows++];
        row->row = (truth_inside_row){.vertex = c->vertex[i],
                                      .a = c->a[i],
                                      .b = c->b[i],
                                      .winding = c->winding[i],
                                      .depth = c->depth[i]};
        memcpy(row->point, c->points + 6 * i, sizeof row->point);
        memcpy(row->barycentric, c->barycentric + 4 * i, sizeof row->barycentric);
        memcpy(row->normal, c->normal + 3 * i, sizeof row->normal);
    }
    return 0;
}

static void inside_result_close(inside_result *r)
{
    imp_relation *relation = (imp_relation *)(uintptr_t)r->all.relation;
    imp_swallowed *swallowed = (imp_swallowed *)(uintptr_t)r->all.swallowed;
    free(relation);
    free(swallowed);
    r->all = (imp_relations){0};
}

/* A frame may come again. */
static int inside_result_relations(void *user, const imp_relations *of)
{
    inside_result *r = user;
    inside_result_close(r);
    r->all = *of;
    r->all.relation = inside_result_copy(of->relation, of->count * sizeof *of->relation);
    r->all.swallowed =
        inside_result_copy(of->swallowed, of->swallowed_count * sizeof *of->swallowed);
    return 0;
}

static const char *inside_rows_fault(const imp_frame *f, const truth_inside *want,
                                     const inside_result *is, uint32_t *vertex)
{
    for (size_t i = 0; i < want->count && i < is->rows; i++) {
        const inside_row *row = &is->row[i];
        const truth_inside_claim claim = {.winding = row->row.winding,
                                          .depth = row->row.depth,
                                          .point = row->point,
                                          .barycentric = row->barycentric,
                                          .normal = row->normal};
        *vertex = want->row[i].vertex;
        if (truth_inside_order(&want->row[i], &row->row))
            return want->row[i].vertex == row->row.vertex ? "another face" : "another vertex";
        const char *fault = truth_inside_fault(f, &want->row[i], &claim);
        if (fault)
            return fault;
    }
    return want->count == is->rows ? NULL : "another number of rows";
}

/* Compares a scene's rows and relations. */
static void inside_compare(const char *what, uint64_t i, const solid_scene *s, const imp_def *of)
{
    mem m = {0};
    truth_inside rows;
    truth_relations relations;
    inside_result is = {0};
    imp *p = NULL;
    imp_def def = *of;
    uint32_t vertex = 0;
    int32_t object[2] = {0, 0};
    EXPECT(!truth_inside_find(&m, &s->frame, of, NULL, 2, &rows) &&
               !truth_relations_find(&m, &s->frame, of, 2, &relations),
           "%s %d: no truth", what, (int)i);
    def.device = "cpu";
    def.threads = 2;
    def.rows = IMP_ROWS_INSIDE;
    def.relations = inside_result_relations;
    def.relations_user = &is;
    EXPECT(!imp_create(&def, &p) && !imp_detect(p, &s->frame, 1, inside_result_rows, &is, NULL),
           "%s %d: %s", what, (int)i, imp_error_text());
    imp_destroy(p);
    const char *fault = truth_relations_fault(&relations, &is.all, object);
    EXPECT(!fault, "%s %d: objects %d %d: %s", what, (int)i, object[0], object[1],
           fault ? fault : "");
    fault = inside_rows_fault(&s->frame, &rows, &is, &vertex);
    EXPECT(!fault, "%s %d: vertex %u: %s", what, (int)i, vertex, fault ? fault : "");
    truth_inside_free(&m, &rows);
    truth_relations_free(&m, &relations);
    inside_result_close(&is);
    free(is.row);
}

/* ---- contacts */

typedef struct inside_contacts {
    const imp_frame *frame;
    const truth *want;
    oracle *oracle;
    size_t rows, deep; /* deep: those with a depth */
    const char *fault;
    uint32_t a, b; /* of the fault */
} inside_contacts;

static const char *inside_contact_fault(const inside_contacts *r, const imp_contacts *c, size_t i,
                                        const truth_row *want)
{
    const truth_claim claim = {
        .kind = c->kind[i],
        .point = c->points + 6 * i,
        .deep = c->collision_first != NULL,
        .depth = c->depth[i],
        .deep_elsewhere = want->depth > 0,
        .collision = c->collision_first ? c->collision + 3 * c->collision_first[i] : NULL,
        .collisions = c->collision_first ? c->collision_first[i + 1] - c->collision_first[i] : 0};
    if (want->a != c->a[i] || want->b != c->b[i])
        return "another pair";
    if (want->depth > 0 || !claim.deep)
        return want->depth == claim.depth ? NULL : "another depth";
    return truth_points_fault(r->oracle, r->frame, want->a, want->b, &claim);
}

static int inside_contacts_rows(void *user, const imp_contacts *c)
{
    inside_contacts *r = user;
    for (size_t i = 0; i < c->count && !r->fault; i++, r->rows++) {
        if (r->rows >= r->want->count) {
            r->fault = "another number of rows";
            break;
        }
        r->a = c->a[i];
        r->b = c->b[i];
        r->deep += c->depth[i] > 0;
        r->fault = inside_contact_fault(r, c, i, &r->want->row[r->rows]);
    }
    return 0;
}

/* Compares a scene's contacts; returns the number of those with a depth. */
static size_t inside_compare_contacts(const char *what, uint64_t i, const solid_scene *s,
                                      const imp_def *of)
{
    mem m = {0};
    truth want;
    imp *p = NULL;
    imp_def def = *of;
    inside_contacts r = {.frame = &s->frame, .want = &want, .oracle = oracle_open()};
    def.device = "cpu";
    def.threads = 2;
    def.rows = IMP_ROWS_CONTACTS;
    EXPECT(r.oracle && !truth_find(&m, &s->frame, &def, NULL, 2, &want) &&
               !truth_inside_contacts(&m, &s->frame, &def, 2, &want),
           "%s %d: no truth", what, (int)i);
    EXPECT(!imp_create(&def, &p) && !imp_detect(p, &s->frame, 1, inside_contacts_rows, &r, NULL),
           "%s %d: %s", what, (int)i, imp_error_text());
    imp_destroy(p);
    EXPECT(!r.fault && r.rows == want.count, "%s %d: pair %u %u: %s", what, (int)i, r.a, r.b,
           r.fault ? r.fault : "too few rows");
    truth_free(&m, &want);
    oracle_close(r.oracle);
    return r.deep;
}

/* ---- scenes */

static void test_inside_lattice(void)
{
    const imp_def def = {.inside = 1};
    solid_scene *s = solid_scene_open();
    for (uint64_t i = 0; i < test_cases(150); i++) {
        solid_pair_make(s, i);
        inside_compare("pair", i, s, &def);
        for (uint32_t k = 0; k < s->mesh.primitives && i % 2; k++)
            s->object[k] = !s->object[k];
        if (i % 5 == 0)
            inside_compare_contacts("contacts", i, s, &def);
    }
    free(s);
}

static void test_inside_cells(void)
{
    rng r = {77};
    solid_scene *s = solid_scene_open();
    for (uint64_t i = 0; i < test_cases(10); i++) {
        solid_cells_pair p[2];
        int from[2][3], sheet[5], at[CELL_POINTS][3];
        const imp_def def = {.inside = 1, .inside_winding = (int)rng_below(&r, 2)};
        solid_cells_objects(s, &r, p, from);
        inside_compare("cells", i, s, &def);
        if (i % 3 == 0)
            inside_compare_contacts("contacts of cells", i, s, &def);
        solid_sheet_make(s, &r, p, sheet);
        inside_compare("sheet", i, s, &def);
        inside_compare_contacts("contacts of a sheet", i, s, &def);
        solid_cells_make(s, &r, p, at, CELL_POINTS);
        if (i % 3 == 2)
            solid_cells_shear(s);
        inside_compare("points", i, s, &def);
        if (i % 6 == 2)
            inside_compare_contacts("contacts of points", i, s, &def);
    }
    free(s);
}

/* Tetrahedra on a lattice, which have vertices and faces in common; in half of the cases moved by
 * any numbers. */
static void tetrahedra_make(solid_scene *s, rng *r)
{
    solid_scene_clear(s);
    for (int32_t object = 0; object < 2; object++) {
        uint32_t first = 0;
        const int most = 3 + (int)rng_below(r, 5);
        for (int i = 0; i < most; i++) {
            const uint32_t v = solid_vertex(s, rng_below(r, 5), rng_below(r, 5), rng_below(r, 5));
            first = i ? first : v;
        }
        for (uint32_t i = rng_below(r, 4); i < 4; i++) {
            uint32_t corner[4];
            for (int k = 0; k < 4; k++)
                corner[k] = first + rng_below(r, (uint32_t)most);
            solid_tet(s, object, corner);
        }
        if (rng_below(r, 2))
            solid_move(s, first, rng_unit(r), rng_unit(r), rng_unit(r));
    }
}

static void test_inside_tetrahedra(void)
{
    rng r = {5};
    size_t deep = 0;
    const imp_def def = {.inside = 1, .solids = 1};
    solid_scene *s = solid_scene_open();
    /* some of few cases have no contact with a depth of an edge */
    const uint64_t cases = test_cases(40) > 16 ? test_cases(40) : 16;
    for (uint64_t i = 0; i < cases; i++) {
        tetrahedra_make(s, &r);
        for (uint32_t k = 0; k < s->mesh.primitives && i % 2; k++)
            s->object[k] = !s->object[k];
        inside_compare("tetrahedra", i, s, &def);
        deep += inside_compare_contacts("contacts of tetrahedra", i, s, &def);
    }
    free(s);
    CU_ASSERT(deep > 0);
}

/* A needle through a plate: no vertex is inside the other object. */
static void test_inside_needles(void)
{
    rng r = {8};
    const imp_def def = {.inside = 1};
    solid_scene *s = solid_scene_open();
    for (uint64_t i = 0; i < test_cases(10); i++) {
        double base[3][2], x = 6 + 4 * rng_unit(&r), y = 6 + 4 * rng_unit(&r);
        solid_scene_clear(s);
        solid_box(s, 0, (double[]){0, 0, 0}, (double[]){16, 16, 1});
        if (i % 2) /* another plate: a part may be as long as both */
            solid_box(s, 0, (double[]){0, 0, i % 4 == 1 ? 1 : 0.5}, (double[]){16, 16, 2.5});
        for (int k = 0; k < 3; k++) {
            base[k][0] = x + (k == 1);
            base[k][1] = y + (k == 2);
        }
        solid_prism(s, 1, (const double(*)[2])base, -1 - rng_unit(&r), 3 + rng_unit(&r));
        EXPECT(inside_compare_contacts("needle", i, s, &def) > 4, "needle %d has no depth", (int)i);
    }
    free(s);
}

static void inside_scale(solid_scene *s, int unit)
{
    for (size_t i = 0; i < (size_t)3 * s->mesh.vertices; i++)
        s->point[i] = ldexp(s->point[i], unit);
}

/* The top of a box is inside an inverted one on the left, so that outside is above it in one place
 * and below it in another; on the right both sides are in a third box. A vertex there, above the
 * top's edge, is nearest to it: the normal leads away from the vertex. In units up to the least and
 * the greatest that float64 has. */
static void test_inside_normal(void)
{
    static const int unit[] = {0, -1040, -300, 300, 1020};
    const imp_def def = {.inside = 1};
    solid_scene *s = solid_scene_open();
    for (uint64_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        solid_scene_clear(s);
        solid_box(s, 0, (double[]){-1, -1, -0.25}, (double[]){0.25, 2, 0.25});
        solid_flip(s, 0);
        solid_box(s, 0, (double[]){0, 0, -1}, (double[]){1, 1, 0});
        solid_box(s, 0, (double[]){0.5, -1, -0.5}, (double[]){3, 2, 2});
        solid_cube(s, 1, 1.25, 0.5, 0.25, 0.125);
        solid_box(s, 2, (double[]){-0.5, -2, -0.125}, (double[]){2, 0.5, 0.125});
        inside_scale(s, unit[i]);
        inside_compare("normal", i, s, &def);
    }
    free(s);
}

/* Two faces of a tetrahedron are equally near to a vertex: any two of the four, in both orders. */
static void test_inside_ties(void)
{
    static const double x[4][3] = {{-4, -4, -4}, {4, 4, -4}, {4, -4, 4}, {-4, 4, 4}};
    const imp_def def = {.inside = 1};
    solid_scene *s = solid_scene_open();
    for (uint64_t i = 0; i < 24; i++) {
        uint32_t id[4], rest = (uint32_t)i;
        int order[4] = {0, 1, 2, 3};
        solid_scene_clear(s);
        for (uint32_t k = 4; k > 1; k--) {
            const int t = order[k - 1];
            order[k - 1] = order[rest % k];
            order[rest % k] = t;
            rest /= k;
        }
        for (int k = 0; k < 4; k++)
            id[k] = solid_vertex(s, x[order[k]][0], x[order[k]][1], x[order[k]][2]);
        solid_tet(s, 0, id);
        solid_octahedron(s, 1, (double[]){0, 0, 0}, 1);
        inside_compare("ties", i, s, &def);
    }
    free(s);
}

/* A tetrahedron in a cube has its vertices, and its edges are those of the cube's triangles: no two
 * primitives are in contact. The cube, or the tetrahedron, is object 0. */
static void test_inside_inscribed(void)
{
    static const uint32_t cube[12][3] = {{0, 3, 1}, {0, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 5}, {0, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 6}, {0, 6, 2}, {1, 3, 5}, {3, 7, 5}},
                          tet[4][3] = {{0, 3, 5}, {0, 5, 6}, {0, 6, 3}, {3, 6, 5}};
    const imp_def def = {.inside = 1};
    solid_scene *s = solid_scene_open();
    for (uint64_t i = 0; i < 6; i++) {
        solid_scene_clear(s);
        for (int k = 0; k < 8; k++)
            solid_vertex(s, k & 1, k >> 1 & 1, k >> 2);
        for (int k = 0; k < 12; k++)
            solid_triangle(s, (int32_t)(i & 1), cube[k][0], cube[k][1], cube[k][2]);
        for (int k = 0; k < 4 && i / 2 == 0; k++)
            solid_triangle(s, !(i & 1), tet[k][0], tet[k][1], tet[k][2]);
        if (i / 2 == 1)
            solid_tet(s, !(i & 1), (uint32_t[]){0, 3, 5, 6});
        if (i / 2 == 2) /* no solid */
            solid_triangle(s, !(i & 1), 0, 3, 5);
        inside_compare("inscribed", i, s, &def);
    }
    free(s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"lattice", test_inside_lattice},     {"cells", test_inside_cells},
        {"normal", test_inside_normal},       {"ties", test_inside_ties},
        {"inscribed", test_inside_inscribed}, {"tetrahedra", test_inside_tetrahedra},
        {"needles", test_inside_needles},     {0}};
    return test_main(argc, argv, "inside_oracle", tests);
}
