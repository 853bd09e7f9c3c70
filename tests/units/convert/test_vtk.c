/* The reader of legacy VTK files, on good ones and on such with errors. */
#include "importers.h"
#include "mesh_text.h"
#include "testlib.h"

#include <stdio.h>
#include <string.h>

#define HEAD "# vtk DataFile Version 3.0\nof some words\nASCII\n"
#define GRID HEAD "DATASET UNSTRUCTURED_GRID\n"
#define POLY HEAD "DATASET POLYDATA\n"
#define POINTS5 "POINTS 5 double\n0 0 0 1 0 0\n0 1 0\n0 0 1 1 1\n 0\n"
#define P5 "0 0 0;1 0 0;0 1 0;0 0 1;1 1 0;|"
#define MIXED "CELLS 2 9\n4 0 1 2 3\n3 2 1 4\n"
#define MIXED5 "CELLS 3 7\nOFFSETS vtktypeint64\n0 4 7 \nCONNECTIVITY vtktypeint64\n0 1 2 3 2 1 4\n"
#define TYPES "CELL_TYPES 2\n10\n5\n"

static const struct {
    const char *text, *want;
} good[] = {
    {GRID POINTS5 MIXED TYPES, P5 "0 1 2 3 ;2 1 4 ;"},
    {GRID POINTS5 MIXED5 TYPES, P5 "0 1 2 3 ;2 1 4 ;"},
    /* the numbers of lines, and of words in them, are free */
    {GRID "POINTS 3\nfloat 0 0 0 1 0\n0 0 1 0 CELLS 1 4 3 0 1\n2 CELL_TYPES 1 5",
     "0 0 0;1 0 0;0 1 0;|0 1 2 ;"},
    {GRID POINTS5 "CELLS 2 9\n3 2 1 4 4 0 1 2 3\nCELL_TYPES 2 5 10", P5 "2 1 4 ;0 1 2 3 ;"},
    /* a vertex twice; points that no cell uses stay */
    {GRID POINTS5 "CELLS 2 10 4 0 0 0 0 4 3 2 1 1 CELL_TYPES 2 10 10", P5 "0 0 0 0 ;3 2 1 1 ;"},
    {"\xef\xbb\xbf" HEAD "dataset unstructured_grid\npoints 1 float\nnan -inf 1e999\ncells 0 0\n"
     "cell_types 0\n",
     "nan -inf inf;|"},
    {"# vtk DataFile Version 5.1\r\ntitle \\\r\nASCII\r\n# told\r\nDATASET UNSTRUCTURED_GRID\r\n"
     "POINTS 1 float # three\r\n1\r\n# two\r\n2 3 # all\r\nCELLS 0 0\r\nCELL_TYPES 0\r\n",
     "1 2 3;|"},
    /* what is no primitive is passed over, what has more corners is cut */
    {GRID POINTS5 "CELLS 6 21 1 0 2 0 1 3 0 1 2 4 0 1 4 2 4 0 1 2 4 1 3\n"
                  "CELL_TYPES 6 1 3 4 9 8 2",
     P5 "0 1 4 ;0 4 2 ;0 1 4 ;0 4 2 ;"},
    {GRID POINTS5 "CELLS 2 11 5 0 1 2 4 3 4 4 2 1 0 CELL_TYPES 2 6 7",
     P5 "0 1 2 ;2 1 4 ;2 4 3 ;4 2 1 ;4 1 0 ;"},
    {POLY POINTS5 "VERTICES 1 2 1 0\nLINES 1 3 2 0 1\nPOLYGONS 2 9 3 0 1 2 4 0 1 4 2\n"
                  "TRIANGLE_STRIPS 1 5 4 0 1 2 4\n",
     P5 "0 1 2 ;0 1 4 ;0 4 2 ;0 1 2 ;2 1 4 ;"},
    {POLY POINTS5 "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2\n",
     P5 "0 1 2 ;"},
    {POLY POINTS5, P5},
    /* what is between and behind */
    {GRID
     "FIELD FieldData 2\nTIME 1 1 double\n0.5\nname#1 1 2 string\nPOINTS 7\nCELLS%20\n" POINTS5
     "METADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 1\n\n" MIXED TYPES
     "CELL_DATA 2\nSCALARS x double\n",
     P5 "0 1 2 3 ;2 1 4 ;"},
    {POLY "FIELD FieldData 2\na 2 1 int 1 2\nMETADATA\nCOMPONENT_NAMES\nx\n\nb 1 0 int\n" POINTS5
          "POINT_DATA 5\n\xff",
     P5},
};

static void test_good(void)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        mesh_check(good[i].text, good[i].want);
}

static const struct {
    const char *text, *want; /* the message begins with the path */
} bad[] = {
    {"# vtk DataFile Version 3.0\n", ": line 1: the file ends within its head"},
    {"# vtk DataFile Version 3.0\n\nBINARY\nDATASET POLYDATA\n",
     ": line 3: BINARY: of legacy VTK only ASCII files are read"},
    {"# vtk DataFile Version 3.0\n\nbin\n", ": line 3: 'bin' where ASCII should be"},
    {HEAD "POINTS 3 float\n", ": line 4: 'POINTS' where DATASET should be"},
    {HEAD "DATASET STRUCTURED_POINTS\n", ": line 4: DATASET STRUCTURED_POINTS: only "
                                         "UNSTRUCTURED_GRID and POLYDATA are read"},
    {GRID, ": line 4: there are no POINTS"},
    {GRID "POINTS 2 double\n0 0 0\n1 0\n", ": line 7: the file ends within POINTS"},
    {GRID "POINTS 99999999999999999999 double\n0 0 0\n", ": line 6: the file ends within POINTS"},
    {GRID "POINTS -1 double\n", ": line 5: '-1' is not a whole number of 0 or more, in POINTS"},
    {GRID "POINTS 1 double\n0 0 x\n", ": line 6: 'x' is not a number, in POINTS"},
    {GRID "POINTS 1 double\n0 0 0 0\n", ": line 6: '0' where a section should begin, after POINTS"},
    {GRID "POINTS 0 double\nPOINTS 0 double\n", ": line 6: POINTS is there twice"},
    {GRID "CELLS 0 0\n", ": line 5: CELLS before POINTS"},
    {GRID POINTS5 "POLYGONS 0 0\n", ": line 10: 'POLYGONS' where a section should begin, after "
                                    "POINTS"},
    {GRID POINTS5 "CELLS 1 4\n3 0 1 5\n", ": line 11: there is no point 5; the file has 5, from 0"},
    {GRID POINTS5 "CELLS 1 4\n3 0 1 -2\n",
     ": line 11: '-2' is not a whole number of 0 or more, in CELLS"},
    {GRID POINTS5 "CELLS 1 4\n3 0 1\n", ": line 11: the file ends within CELLS"},
    {GRID POINTS5 "CELLS 1 4\n4 0 1 2 3\n", ": line 11: a cell of 4 points, more than CELLS has"},
    {GRID POINTS5 "CELLS 2 4\n3 0 1 2 3 2 1 0\n",
     ": line 11: a cell of 3 points, more than CELLS has"},
    {GRID POINTS5 "CELLS 1 5\n3 0 1 2\n", ": line 11: CELLS has 4 numbers and should have 5"},
    {GRID POINTS5 "CELLS 99999999999 9999999999999999\n3 0 1 2\n",
     ": line 11: the file ends within CELLS"},
    {GRID POINTS5 MIXED MIXED, ": line 13: CELLS is there twice"},
    {GRID POINTS5, ": line 9: there are no CELLS"},
    {GRID POINTS5 MIXED, ": line 12: there are no CELL_TYPES"},
    {GRID POINTS5 MIXED "CELL_TYPES 1\n10\n", ": line 13: 1 types of 2 cells"},
    {GRID POINTS5 MIXED "CELL_TYPES 2\n10\n", ": line 14: the file ends within CELL_TYPES"},
    {GRID POINTS5 MIXED "CELL_TYPES 2\n10\n10\n", ": line 15: cell 1 is a tetrahedron of 3 points"},
    {GRID POINTS5 MIXED "CELL_TYPES 2\n5\n5\n", ": line 14: cell 0 is a triangle of 4 points"},
    {GRID POINTS5 MIXED "CELL_TYPES 2\n10\n12\n",
     ": line 15: cell 1 is a hexahedron, which is not read"},
    {GRID POINTS5 MIXED "CELL_TYPES 2\n99 5\n",
     ": line 14: cell 0 is a cell of VTK type 99, which is not read"},
    {GRID POINTS5 MIXED TYPES TYPES, ": line 16: CELL_TYPES is there twice"},
    {GRID POINTS5 "CELLS 1 3 2 0 1 CELL_TYPES 1 7\n", ": line 10: cell 0 is a polygon of 2 points"},
    {GRID POINTS5 "CELLS 1 6 5 0 1 2 3 4 CELL_TYPES 1 9\n",
     ": line 10: cell 0 is a quad of 5 points"},
    {GRID POINTS5 "CELLS 2 3\nOFFSETS x\n0 2\nCONNECTIVITY x\n0 1 2\n",
     ": line 13: the last offset of CELLS is 2 and not 3"},
    {GRID POINTS5 "CELLS 2 3\nOFFSETS x\n1 3\n",
     ": line 12: offset 1 of CELLS: they go from 0 to 3 and never down"},
    {GRID POINTS5 "CELLS 4 7\nOFFSETS x\n0 4 3 7\n",
     ": line 12: offset 3 of CELLS: they go from 0 to 7 and never down"},
    {GRID POINTS5 "CELLS 3 7\nOFFSETS x\n0 4 8\n",
     ": line 12: offset 8 of CELLS: they go from 0 to 7 and never down"},
    {GRID POINTS5 "CELLS 3 7\nOFFSETS x\n0 4 7\n0 1 2\n",
     ": line 13: '0' where CONNECTIVITY should be, in CELLS"},
    {GRID POINTS5 "CELLS 3 7\nOFFSETS x\n0 4 7\nCONNECTIVITY x 0 1 2 3 2 1 5\n",
     ": line 13: there is no point 5; the file has 5, from 0"},
    {GRID POINTS5 "CELLS 99999999999 99999999999\nOFFSETS x\n0 4 7\n",
     ": line 12: the file ends within CELLS"},
    {POLY POINTS5 "POLYGONS 1 3 2 0 1\n", ": line 10: cell 0 is a polygon of 2 points"},
    {POLY "FIELD f 1\na 99999999999 99999999999 int\n",
     ": line 6: FIELD has an array of too many numbers"},
    {POLY "FIELD f 99\na 1 1 int\n", ": line 6: the file ends within FIELD"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        mesh_check_bad(bad[i].text, bad[i].want);
}

/* Vertices and lines are counted; quads and polygons are cut as they must be, with a tetrahedron
 * among them as without. */
static void test_cut(void)
{
    static const char text[] =
        GRID "POINTS 5 double 0 0 0 4 0 0 4 4 0 2 1 0 0 4 0\n"
             "CELLS 4 16\n5 0 1 2 3 4\n4 0 1 2 3\n\n2 0 1\n1 0 CELL_TYPES 4 7 %d\n3\n1\n";
    for (int type = 9; type <= 10; type++) {
        char content[sizeof text];
        file_shape o;
        file_shape_note crossing;
        snprintf(content, sizeof content, text, type);
        CU_ASSERT_FATAL(!mesh_read(content, &o));
        CU_ASSERT(o.by == importer_of_name("a.vtk") && o.skipped.count == 2 &&
                  o.skipped.line == 12);
        CU_ASSERT(o.polygons == (type == 9 ? 2 : 1) && o.corners == (type == 9 ? 3 : 4));
        CU_ASSERT(o.polygon[0].corners == 5 && o.polygon[0].line == 11);
        CU_ASSERT(!file_shape_cut("a", &o, &crossing) && !crossing.count && mesh_is_sound(&o));
        mesh_check_text(content, mesh_show(&o),
                        type == 9 ? "0 0 0;4 0 0;4 4 0;2 1 0;0 4 0;|"
                                    "1 2 3 ;0 1 3 ;4 0 3 ;3 0 1 ;2 3 1 ;"
                                  : "0 0 0;4 0 0;4 4 0;2 1 0;0 4 0;|"
                                    "1 2 3 ;0 1 3 ;4 0 3 ;0 1 2 3 ;");
        file_shape_free(&o);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"good", test_good}, {"bad", test_bad}, {"cut", test_cut}, {0}};
    return test_main(argc, argv, "vtk", tests);
}
