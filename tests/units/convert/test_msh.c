/* The reader of Gmsh meshes, on good ones and on such with errors. */
#include "importers.h"
#include "mesh_text.h"
#include "testlib.h"

#include <stdio.h>
#include <string.h>

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n7 0 0 0\n1000000000000 1 0 0\n3 0 1 0\n12 0 0 1\n$EndNodes\n"
#define NODES4                                                                                     \
    "$Nodes\n2 4 3 1000000000000\n3 1 0 3\n7\n1000000000000\n3\n0 0 0\n1 0 0\n0 1 0\n"             \
    "2 1 1 1\n12\n0 0 1 0.5 0.5\n$EndNodes\n"
#define P4 "0 0 0;1 0 0;0 1 0;0 0 1;|"
#define NAMES                                                                                      \
    "$PhysicalNames\n3\n2 1 \"skin # of \"all\"\"\n3 1 \"flesh\"\n3 9 "                            \
    "\"flesh\"\n$EndPhysicalNames\n"
#define ENTITIES                                                                                   \
    "$Entities\n1 0 2 3\n1 0 0 0 0\n1 0 0 0 1 1 1 1 1 2 4 -5\n2 0 0 0 1 1 1 0 0\n"                 \
    "1 0 0 0 1 1 1 2 1 9 0\n2 0 0 0 1 1 1 1 5 0\n3 0 0 0 1 1 1 0 1 -2\n$EndEntities\n"
#define PARTS                                                                                      \
    "$PartitionedEntities\n2\n1\n4 1\n0 0 0 2\n5 3 1 2 1 2 0 0 0 1 1 1 1 1 0\n"                    \
    "6 3 1 1 2 0 0 0 1 1 1 0 2 1 -2\n$EndPartitionedEntities\n"
#define ELEMENTS2                                                                                  \
    "$Elements\n5\n1 15 2 0 1 7\n5 1 2 1 1 7 12\n9 2 2 1 6 7 1000000000000 3\n"                    \
    "2 4 4 1 1 2 -3 7 1000000000000 3 12\n4 4 2 0 2 12 12 3 7\n$EndElements\n"

static const struct {
    const char *text, *want;
} good[] = {
    {HEAD2 NODES2 "$Elements\n0\n$EndElements", P4},
    {HEAD2 NODES2 ELEMENTS2, P4 "0 1 2 physical surface 1;0 1 2 3 physical volume 1;"
                                "3 3 2 0 volume 2;"},
    {NAMES HEAD2 NODES2 ELEMENTS2, P4 "0 1 2 skin # of \"all\";0 1 2 3 flesh;3 3 2 0 volume 2;"},
    {HEAD2 NODES2 "$Elements 3 1 2 0 7 3 12 1 3 1 0 7 1000000000000 3 12 3 2 1 5 3 12 7 "
                  "$EndElements\n",
     P4 "0 2 3 ;0 1 2 ;0 2 3 ;2 3 0 physical surface 5;"},
    /* an element is in its first group, but two of one group are two */
    {HEAD2 NODES2 "$Elements\n7\n1 4 2 1 5 7 1000000000000 3 12\n2 4 2 2 5 7 1000000000000 3 12\n"
                  "3 4 2 -3 5 3 1000000000000 7 12\n4 4 2 1 5 7 1000000000000 3 12\n"
                  "5 4 2 2 6 7 1000000000000 3 12\n6 2 2 2 6 7 1000000000000 3\n"
                  "7 2 2 -1 6 3 1000000000000 7\n$EndElements\n",
     P4 "0 1 2 3 physical volume 1;0 1 2 3 physical volume 1;0 1 2 3 physical volume 2;"
        "0 1 2 physical surface 2;"},
    {HEAD4 NODES4 "$Elements\n2 3 1 3\n3 0 4 2\n1 7 1000000000000 3 12\n2 12 3 7 7\n2 4 2 1\n"
                  "3 3 7 12\n$EndElements\n",
     P4 "0 1 2 3 ;3 2 0 0 ;2 0 3 surface 4;"},
    {HEAD4 NAMES ENTITIES NODES4
     "$Elements\n7 8 1 8\n0 1 15 1\n1 7\n2 1 2 1\n2 7 12 3\n2 2 2 1\n3 7 12 3\n3 1 4 1\n"
     "4 7 1000000000000 3 12\n3 2 4 1\n5 7 1000000000000 3 12\n3 3 4 1\n6 7 1000000000000 3 12\n"
     "1 2 8 2\n7 7 12 3\n8 7 3 12\n$EndElements\n",
     P4 "0 3 2 skin # of \"all\";0 3 2 surface 2;0 1 2 3 flesh;0 1 2 3 physical volume 5;"
        "0 1 2 3 volume 3;"},
    {HEAD4 NAMES ENTITIES PARTS NODES4
     "$Elements\n2 2 1 2\n3 5 4 1\n4 7 1000000000000 3 12\n3 6 4 1\n5 7 1000000000000 3 12\n"
     "$EndElements\n",
     P4 "0 1 2 3 flesh;0 1 2 3 volume 6;"},
    /* other sections, comments, ends of lines, a path that ends like a line that is joined */
    {"\n$Comments\r\nmade in C:\\\r\n# 5 $ $$\r\n$EndComments\r\n"
     "$MeshFormat\r\n2 0 8 # two\r\n$EndMeshFormat\r\n# nodes\r\n$Nodes\r\n1\r\n1 nan 2 3e0\r\n"
     "$EndNodes\r\n$Elements\r\n0\r\n$EndElements\r\n$Surface\r\n1\r\n5 5 5\r\n$EndSurface",
     "nan 2 3;|"},
    {HEAD4 "$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n0 0 0 0\n$EndElements\n", "|"},
};

static void test_good(void)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        mesh_check(good[i].text, good[i].want);
}

static const struct {
    const char *text, *want; /* the message begins with the path */
} bad[] = {
    {"$MeshFormat\n4.1 1 8\n\x01", ": line 2: BINARY: of Gmsh meshes only ASCII files are read"},
    {"$MeshFormat\n4 0 8\n", ": line 2: a Gmsh mesh of version 4; 2.2 and 4.1 are read"},
    {"$MeshFormat\n3.1 0 8\n", ": line 2: a Gmsh mesh of version 3.1; 2.2 and 4.1 are read"},
    {"$MeshFormat\n4.1 0\n", ": line 2: the file ends within $MeshFormat"},
    {"$MeshFormat\n4.1 0 8\n$End\n", ": line 3: '$End' where $EndMeshFormat should be"},
    {HEAD2, ": line 3: the file ends without $Nodes"},
    {"$Comments\n$EndComments", ": line 2: the file ends without $MeshFormat"},
    {"$Nodes\n0\n", ": line 1: $Nodes before $MeshFormat"},
    {HEAD2 "$Elements\n0\n", ": line 4: $Elements before $Nodes"},
    {HEAD2 "$Other\n1 2 3\n", ": line 5: the file ends within $Other"},
    {HEAD2 "5\n", ": line 4: '5' where a section should begin"},
    {HEAD2 NODES2, ": line 10: the file ends without $Elements"},
    {HEAD2 NODES2 NODES2, ": line 11: $Nodes is there twice"},
    {HEAD2 NODES2 ELEMENTS2 ELEMENTS2, ": line 19: $Elements is there twice"},
    {HEAD2 NODES2 ELEMENTS2 NAMES, ": line 19: $PhysicalNames after $Elements"},
    {HEAD2 "$Nodes\n2\n5 0 0 0\n5 0 0 1\n$EndNodes\n", ": line 7: there are two nodes 5"},
    {HEAD2 "$Nodes\n1\n99999999999999999999 0 0 0\n", ": line 6: a node with too large a number"},
    {HEAD2 "$Nodes\n1\n5 0 0 z\n", ": line 6: 'z' is not a number, in $Nodes"},
    {HEAD2 "$Nodes\n1\n5 0 0 0\n6 0 0 0\n", ": line 7: '6' where $EndNodes should be"},
    {HEAD2 "$Nodes\n9999999999\n5 0 0 0\n", ": line 6: the file ends within $Nodes"},
    {HEAD4 "$Nodes\n1 9999999999 1 1\n3 0 0 9999999999\n5\n",
     ": line 7: the file ends within $Nodes"},
    {HEAD4 "$Nodes\n1 2 1 1\n3 0 0 1\n5\n0 0 0\n$EndNodes\n",
     ": line 8: $Nodes has 1 in its blocks and should have 2"},
    {HEAD4 "$Nodes\n1 1 1 1\n4 0 0 1\n", ": line 6: an entity of 4 dimensions, in $Nodes"},
    {HEAD2 NODES2 "$Elements\n1\n1 2 2 0 0 7 3 8\n", ": line 13: there is no node 8"},
    {HEAD2 NODES2 "$Elements\n1\n1 2 2 0 0 7 3 0\n", ": line 13: there is no node 0"},
    {HEAD2 NODES2 "$Elements\n1\n1 2 2 0 0 7 3\n", ": line 13: the file ends within $Elements"},
    {HEAD2 NODES2 "$Elements\n1\n1 2 99999999999 0\n", ": line 13: the file ends within $Elements"},
    {HEAD2 NODES2 "$Elements\n99999999999\n1 15 0 7\n",
     ": line 13: the file ends within $Elements"},
    {HEAD2 NODES2 "$Elements\n1\n1 5 2 0 0 7 3\n",
     ": line 13: an element of type 5 (hexahedron), which is not read"},
    {HEAD2 NODES2 "$Elements\n1\n1 11 2 0 0 7 3\n",
     ": line 13: an element of type 11 (tetrahedron of second order), which is not read"},
    {HEAD2 NODES2 "$Elements\n1\n1 93 2 0 0 7 3\n",
     ": line 13: an element of type 93, which is not read"},
    {HEAD4 NODES4 "$Elements\n1 1 1 1\n3 0 4 2\n1 7 7 7 7\n2 7 7 7 8\n",
     ": line 21: there is no node 8"},
    {HEAD4 NODES4 "$Elements\n1 1 1 1\n3 0 4 2\n1 7 7 7 7\n2 7 7 7 7\n$EndElements\n",
     ": line 21: $Elements has 2 in its blocks and should have 1"},
    {HEAD2 "$PhysicalNames\n1\n2 1 skin\n", ": line 6: a name without its quotes, in "
                                            "$PhysicalNames"},
    {HEAD4 "$Entities\n0 0 1\n", ": line 5: the file ends within $Entities"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        mesh_check_bad(bad[i].text, bad[i].want);
}

/* Numbers of nodes in any order, with gaps, or none of that. */
static void test_numbers(void)
{
    static const struct {
        uint64_t first, step;
    } way[] = {{1, 1}, {0, 1}, {40, 1}, {5, 1000003}, {9000000, (uint64_t)-3}};
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        enum { NODES = 300 };
        static char text[120 * NODES];
        file_shape o;
        size_t n = (size_t)sprintf(text, HEAD2 "$Nodes\n%d\n", NODES);
        for (uint64_t k = 0; k < NODES; k++)
            n += (size_t)sprintf(text + n, "%llu %d 0 0\n",
                                 (unsigned long long)(way[i].first + k * way[i].step), (int)k);
        n += (size_t)sprintf(text + n, "$EndNodes\n$Elements\n%d\n", NODES - 3);
        for (uint64_t k = 3; k < NODES; k++) {
            n += (size_t)sprintf(text + n, "%d 4 0", (int)k);
            for (uint64_t c = 0; c < 4; c++)
                n += (size_t)sprintf(text + n, " %llu",
                                     (unsigned long long)(way[i].first + (k - c) * way[i].step));
            n += (size_t)sprintf(text + n, "\n");
        }
        sprintf(text + n, "$EndElements\n");
        int err = mesh_read(text, &o);
        CU_ASSERT_FATAL(!err && o.primitives == NODES - 3 && o.tetrahedra == NODES - 3);
        int good_corners = mesh_is_sound(&o);
        for (uint32_t k = 0; k < 4 * o.primitives; k++)
            good_corners &= o.corner[k] == k / 4 + 3 - k % 4;
        CU_ASSERT(good_corners);
        file_shape_free(&o);
    }
}

/* Points and lines are counted. */
static void test_passed(void)
{
    file_shape o;
    CU_ASSERT_FATAL(!mesh_read(HEAD2 NODES2 ELEMENTS2, &o));
    CU_ASSERT(o.by == importer_of_name("a.msh") && o.skipped.count == 2 && o.skipped.line == 13);
    CU_ASSERT(o.corners == 4 && o.primitives == 3 && o.tetrahedra == 2 && o.groups.count == 3);
    file_shape_free(&o);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"good", test_good},
                                 {"bad", test_bad},
                                 {"numbers", test_numbers},
                                 {"passed", test_passed},
                                 {0}};
    return test_main(argc, argv, "msh", tests);
}
