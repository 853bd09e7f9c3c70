/* Neighbours that do not share vertices: the result of `convert --weld`, and the messages of
 * convert, run and info. */
#include "converted.h"
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

/* ---- files: the triangles of boxes, each with its own vertices or with the shared vertices of the
 * box */

static void neighbours_add_box(char *text, int *vertices, double x, double y, double z, int shared)
{
    static const uint8_t triangle[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                            {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                            {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    char *end = text + strlen(text);
    for (int i = 0; i < 8 && shared; i++)
        end += sprintf(end, "v %g %g %g\n", x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
    for (int t = 0; t < 12; t++) {
        for (int k = 0; k < 3 && !shared; k++) {
            const int i = triangle[t][k];
            end += sprintf(end, "v %g %g %g\n", x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
        }
        if (shared)
            end += sprintf(end, "f %d %d %d\n", *vertices + triangle[t][0] + 1,
                           *vertices + triangle[t][1] + 1, *vertices + triangle[t][2] + 1);
        else
            end += sprintf(end, "f -3 -2 -1\n");
    }
    *vertices += 8;
}

/* Position of the second box: touching in a vertex, an edge or a face, or not at all. */
static const double places[][3] = {{1, 1, 1}, {1, 1, 0.5}, {1, 1, 0}, {0, 0, 1}, {0.5, 1, 0}, {3}};

static const char *write_boxes(const char *name, const double *at_second, int shared,
                               const char *between)
{
    char text[8000] = "o one\n";
    int vertices = 0;
    neighbours_add_box(text, &vertices, 0, 0, 0, shared);
    strcat(text, between);
    neighbours_add_box(text, &vertices, at_second[0], at_second[1], at_second[2], shared);
    write_text(at(name), text);
    return at(name);
}

/* ---- contacts */

/* Welding by 0 gives the contacts of boxes that share their vertices: none within a box. */
static void test_neighbours_touching(void)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *told = NULL;
        long want = 0;
        if (CONVERTS(NULL, write_boxes("a.obj", places[i], 1, "")))
            want = batch_contacts();
        EXPECT((want == 0) == (i == 5), "%ld contacts", want);
        if (CONVERTS(&told, write_boxes("b.obj", places[i], 0, ""), "--weld", "0"))
            EXPECT(batch_contacts() == want, "%ld contacts, not %ld", batch_contacts(), want);
        const int split = i == 2 || i == 3;
        EXPECT((strstr(told, "an edge of more than two triangles: they are closed bodies") !=
                NULL) == split &&
                   count_lines(told) == (size_t)split,
               "place %zu: %s", i, told);
        free(told);
        told = NULL;
        /* groups are objects, which are welded separately, as is a file among others */
        if (CONVERTS(NULL, write_boxes("c.obj", places[i], 0, "o two\n"), "--groups", "--weld",
                     "0"))
            EXPECT(batch_contacts() == want, "%ld contacts, not %ld", batch_contacts(), want);
        write_boxes("d.obj", places[i], 0, "o two\n");
        if (CONVERTS(NULL, at("d.obj"), at("b.obj"), "--groups", "--as", "objects", "--weld", "0",
                     "--order", "given", "-q"))
            EXPECT(batch_contacts() >= want, "%ld contacts, not %ld", batch_contacts(), want);
        /* a distance > 0 joins boxes that touch in vertices of both */
        if (i < 4 && i != 1 && CONVERTS(NULL, at("b.obj"), "--weld", "1e-9"))
            EXPECT(batch_contacts() < want, "%ld contacts", batch_contacts());
    }
}

/* A fin: its three triangles stay unwelded, which a message tells. */
static void test_neighbours_open(void)
{
    char *told = NULL;
    write_text(at("fin.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                              "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 5 4 6\n"
                              "v 0 0 0\nv 1 0 0\nv 0 0 -1\nf 7 8 9\n");
    if (CONVERTS(&told, at("fin.obj"), "--weld", "0"))
        EXPECT(strstr(told, "fin.obj: triangle 0: an edge of more than two triangles, or of two in "
                            "one direction") &&
                   count_lines(told) == 1,
               "%s", told);
    free(told);
    CU_ASSERT_EQUAL(batch_contacts(), 3);
}

/* Vertices that coincide in one frame and not in the next are not welded. */
static void test_neighbours_apart(void)
{
    char *told = NULL;
    for (int k = 1; k < 4; k++) {
        char text[300], name[40];
        snprintf(text, sizeof text,
                 "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 1 %g 0\nv 0 0 0\nv 0 -1 %d\nf 4 5 6\n",
                 k == 3 ? -0.5 : 0, k);
        snprintf(name, sizeof name, "apart%d.obj", k);
        write_text(at(name), text);
    }
    if (CONVERTS(&told, at("apart1.obj"), at("apart2.obj"), at("apart3.obj"), "--weld", "0")) {
        EXPECT(strstr(told, "apart3.obj: frame 0: vertices that were one in the frame before are "
                            "apart") &&
                   count_lines(told) == 1,
               "%s", told);
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 2);
        size_t n = 0;
        double *x = h5_reals(BATCH, "VTKHDF/Points", &n);
        CU_ASSERT_EQUAL_FATAL(n, 3 * (4 + 4 + 6));
        CU_ASSERT_EQUAL(x[3 * 11 + 1], -0.5);
        free(x);
    }
    free(told);
}

/* ---- messages */

static void check_neighbours_said(const char *batch, int yes, const char *option, const char *value)
{
    static const char said[] = "no two of 24 triangles share a vertex, though 100 % of their "
                               "edges are those of a neighbour, too: all neighbours are contacts";
    ran r = option ? RAN("run", batch, "-o", at("r.vtkhdf"), "--force", option, value)
                   : RAN("info", batch);
    const char *all = option ? r.err : r.out;
    EXPECT(r.code == 0 && (strstr(all, said) != NULL) == yes &&
               (strstr(all, "--weld 0") != NULL) == yes,
           "%s: %s", option ? option : "info", all);
    ran_free(&r);
}

static void test_said(void)
{
    char *told = NULL;
    static const double far[3] = {5};
    if (CONVERTS(&told, write_boxes("far.obj", far, 0, "o two\n"), "--groups"))
        EXPECT(strstr(told, "far.obj: no two of 24 triangles share a vertex, though 100 % of "
                            "their edges are those of a neighbour") &&
                   strstr(told, "--weld 0 joins them") && count_lines(told) == 1,
               "%s", told);
    free(told);
    check_neighbours_said(BATCH, 1, NULL, NULL);
    check_neighbours_said(BATCH, 1, "--pairs", "all");
    ran r = RAN("run", BATCH, "-o", at("r.vtkhdf"), "--force", "--space", "3");
    EXPECT(strstr(r.err, "triangles of its first slab share a vertex") != NULL, "%s", r.err);
    ran_free(&r);
    check_neighbours_said(BATCH, 0, "--pairs", "between");
    check_neighbours_said(BATCH, 1, "--objects", "connected");
    if (CONVERTS(NULL, at("far.obj"), "--groups", "--weld", "0")) {
        check_neighbours_said(BATCH, 0, NULL, NULL);
        check_neighbours_said(BATCH, 0, "--pairs", "all");
    }
    /* one line for all files; each body is judged by itself */
    write_boxes("far2.obj", far, 0, "");
    write_boxes("near.obj", far, 1, "");
    told = NULL;
    if (CONVERTS(&told, at("near.obj"), at("far.obj"), at("far2.obj"), "--as", "objects"))
        EXPECT(strstr(told, "far.obj: no two of 24") && strstr(told, "the same in 2 files in all"),
               "%s", told);
    free(told);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"touching", test_neighbours_touching},
                                 {"open", test_neighbours_open},
                                 {"apart", test_neighbours_apart},
                                 {"said", test_said},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "neighbours", tests);
}
