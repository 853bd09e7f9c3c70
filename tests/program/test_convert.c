/* The verb `convert` as a user runs it: accepted and refused input, order, times, polygons. */
#include "converted.h"
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A triangle whose first x is the number, so that frames can be told apart. */
static const char *convert_test_write_frame(const char *name, double x)
{
    char content[200];
    snprintf(content, sizeof content, "o part\nv %g 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n", x);
    write_text(at(name), content);
    return at(name);
}

/* ---- accepted and refused files */

static const struct {
    const char *name, *bytes;
    size_t n;
    const char *is;
} others[] = {
    {"a.vtp", BYTES("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\">\n"), "VTK XML"},
    {"a.vtu", BYTES("<VTKFile type=\"UnstructuredGrid\">\n"), "VTK XML"},
    {"a.vtk", BYTES("not VTK\n"), "by its name it is a legacy VTK file"},
    {"b.vtk", BYTES("# vtk DataFile Version 3.0\nx\nBINARY\n\0"), "a legacy VTK file"},
    {"b.msh", BYTES("$MeshFormat\n4.1 1 8\n\1\0\0\0\n"), "a Gmsh mesh, "},
    {"c.msh", BYTES("\n$Comments\n$EndComments\n"), "pip install '.[io]' in a clone of impinge"},
    {"a.xdmf", BYTES("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n"), "an XDMF file"},
    {"a.urdf", BYTES("<?xml version=\"1.0\"?>\n<robot name=\"a\">\n"), "a URDF file"},
    {"a.vtk.series", BYTES("{\n \"file-series-version\" : \"1.0\"}\n"), "of a series"},
    {"a.gltf", BYTES("{\n  \"asset\": {\"version\": \"2.0\"}\n}\n"), "glTF"},
    {"a.glb", BYTES("glTF\x02\0\0\0"), "glTF"},
    {"a.ply", BYTES("ply\r\nformat ascii 1.0\r\n"), "PLY"},
    {"a.stl", BYTES("solid cube\nfacet normal 0 0 1\n"), "STL"},
    {"a.msh", BYTES("$NOD\n0\n"), "a Gmsh mesh of version 1"},
    {"a.off", BYTES("OFF\n3 1 0\n"), "OFF"},
    {"b.off", BYTES("COFF\n3 1 0\n"), "OFF"},
    {"a.abc", BYTES("Ogawa\xff\0"), "an Alembic file, "},
    {"b.abc", BYTES("Ogawa\xff\0"), "pip install '.[io]' in a clone of impinge"},
    {"a.mdd", BYTES("\0\0\0\1\0\0\0\1\0\0\0\0xxxxyyyyzzz\0"), "is a cache of points (MDD), "},
    {"b.mdd", BYTES("v 0 0 0\n"), "by its name it is a cache of points (MDD)"},
    {"a.pc2", BYTES("POINTCACHE2\0\1\0\0\0"), "is a cache of points (PC2), "},
    {"a.usdc", BYTES("PXR-USDC\0"), "USD"},
    {"a.usda", BYTES("#usda 1.0\n"), "USD"},
    {"a.fbx", BYTES("Kaydara FBX Binary  \0"), "FBX"},
    {"a.obj.gz", BYTES("\x1f\x8b\x08"), "gzip"},
    {"a.zip", BYTES("PK\x03\x04"), "zip"},
    {"a.usdz", BYTES("PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0a.usdc"),
     "(USDZ), which convert does not read; "},
    {"b.usdz", BYTES("PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0b.USDA"),
     "pip install '.[io]' in a clone of impinge"},
    {"b.zip", BYTES("PK\x03\x04\x0a\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0a.usdc"),
     "an archive (zip), "},
    {"c.zip", BYTES("PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0a.obj"),
     "an archive (zip), "},
    {"a.obj.zst", BYTES("\x28\xb5\x2f\xfd"), "zstd"},
    {"utf16.obj", BYTES("\xff\xfev\0 \0"), "UTF-16"},
    {"a.veg", BYTES("# Vega Mesh File.\n*VERTICES\n"), "VegaFEM"},
    {"b.veg", BYTES("*VERTICES\n3 3 0 0\n"), "VegaFEM"},
    {"a.inp", BYTES("*HEADING\nmodel\n*NODE\n1, 0, 0, 0\n"), "Abaqus"},
    {"b.inp", BYTES("** made by hand\n*Part, name=x\n1, 0, 0, 0\n"), "Abaqus"},
    {"a.node", BYTES("3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n"), "TetGen"},
    {"a.e", BYTES("CDF\x02\0"), "Exodus"},
    {"a.html", BYTES("<!DOCTYPE html>\n<html>\n"), "HTML"},
    {"prose.obj", BYTES("This is not a mesh.\nIt has no faces.\n"), "line 1: 'This'"},
    {"late.obj", BYTES("v 0 0 0\nv 1 0 0\nsome\nwords\nfollow\nhere\n"), "line 3: 'some'"},
    {"a.mtl", BYTES("newmtl red\nKd 1 0 0\nKa 1 0 0\n"), "material"},
    {"empty.obj", BYTES(""), "no triangle"},
    {"comment.obj", BYTES("# nothing\n"), "no triangle, polygon or tetrahedron among 0 points"},
    {"points.obj", BYTES("v 0 0 0\nv 1 0 0\np 1 2\nl 1 2\n"),
     "among 2 points; it was read as Wavefront OBJ"},
};

static void test_other_formats(void)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_bytes(at(others[i].name), others[i].bytes, others[i].n);
        check_refused(at(others[i].name), others[i].is, NULL);
    }
    char stl[84 + 50] = "binary";
    stl[80] = 1;
    write_bytes(at("binary.stl"), stl, sizeof stl);
    check_refused(at("binary.stl"), "STL", NULL);
    const char *frame = convert_test_write_frame("good.obj", 1); /* one bad file among good ones */
    unlink(BATCH);
    ran r = RAN("convert", frame, at("empty.obj"), "-o", BATCH);
    EXPECT(ran_failed(&r, 3, "empty.obj", "no triangle") && !exists(BATCH), "^ one of two");
    ran_free(&r);
}

/* A file of a sequence that has no face, in any position and format, is an empty frame. */
static void test_empty_frames(void)
{
    char *told = NULL;
    const char *one = convert_test_write_frame("e1.obj", 1),
               *four = convert_test_write_frame("e4.obj", 4);
    write_text(at("e2.obj"), "# nothing\n");
    write_text(at("e3.obj"), "v 3 0 0\nv 1 0 0\np 1 2\n");
    if (CONVERTS(&told, one, at("e2.obj"), at("e3.obj"), four)) {
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 1 2 3 ");
        EXPECT(strstr(told, "e2.obj: frame 0: it has no triangle, polygon or tetrahedron; the same "
                            "in 2 files in all\n"),
               "%s", told);
    }
    free(told);
    told = NULL;
    if (CONVERTS(&told, at("e2.obj"), one))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 1 ");
    free(told);
    unlink(BATCH);
    ran r = RAN("convert", at("e2.obj"), at("e3.obj"), "-o", BATCH);
    EXPECT(ran_failed(&r, 3, "in any frame", NULL) && !exists(BATCH), "^ all of them");
    ran_free(&r);
    r = RAN("convert", one, at("e2.obj"), "--as", "objects", "-o", BATCH);
    EXPECT(ran_failed(&r, 3, "e2.obj", "no triangle") && !exists(BATCH), "^ a body");
    ran_free(&r);
}

/* Negative numbers in file names count as such where the hyphen is a sign. */
static void test_negative(void)
{
    const char *ten = convert_test_write_frame("n_-10.obj", -10),
               *two = convert_test_write_frame("n_-2.obj", -2),
               *zero = convert_test_write_frame("n_0.obj", 0),
               *three = convert_test_write_frame("n_3.obj", 3);
    const char *first = convert_test_write_frame("c-1.obj", 1),
               *last = convert_test_write_frame("c-10.obj", 10);
    if (CONVERTS(NULL, zero, two, three, ten, "-q"))
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "-10 -2 0 3 ");
    if (CONVERTS(NULL, zero, two, three, ten, "-q", "--times", "names"))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "-10 -2 0 3 ");
    if (CONVERTS(NULL, last, first, "-q", "--times", "names"))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "1 10 ");
}

/* Many unknown lines are an error long before the end. */
static void test_bulk(void)
{
    size_t n = 0, capacity = 2000000;
    char *bulk = calloc(capacity, 1), *told = NULL;
    CU_ASSERT_PTR_NOT_NULL_FATAL(bulk);
    for (int i = 0; i < 60; i++)
        n += (size_t)sprintf(bulk + n, "%d 0.5 0.5 0.5\n", i + 1);
    for (int i = 0; i < 90000; i++)
        n += (size_t)sprintf(bulk + n, "v %d 0 0\n", i);
    sprintf(bulk + n, "f 1 2 3\n");
    write_text(at("bulk.obj"), bulk);
    check_refused(at("bulk.obj"), "line 1: '1'", NULL);
    free(bulk);
    /* all statements of OBJ, and some unknown words */
    write_text(at("all.obj"),
               "6540 2180\nmtllib a\nusemtl f\ng x y\ns off\nv 0 0 0\nvt 0 0\nvn 0 0 1\nvp 0\n"
               "v 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\np 1\nlod 1\nmyown %s %n\nshadow_obj f\n"
               "cstype bezier\ndeg 3\ncurv 0 1 1 2\nparm u 0 1\ntrim 1\nhole 1\nend\n");
    if (CONVERTS(&told, at("all.obj")))
        EXPECT(strstr(told, "line 1: '6540' is not an OBJ statement; 2 such in this file"), "%s",
               told);
    free(told);
    told = NULL;
    if (CONVERTS(&told, at("all.obj"), "-q"))
        EXPECT(strstr(told, "2 such in this file"), "%s", told);
    EXPECT(told && strstr(told, "line 13: a point or a line, which is ignored; 3 such in"), "%s",
           told);
    free(told);
    /* statements that make geometry, and fo, the old word for f */
    static const char *const solid[] = {"call a.obj", "surf 0 1 0 1 1 2 3", "bsp 1 2", "csh cat a"};
    for (size_t i = 0; i < sizeof solid / sizeof *solid; i++) {
        char text[200], word[20];
        snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n%s\n", solid[i]);
        snprintf(word, sizeof word, "line 5: '%.*s'", (int)strcspn(solid[i], " "), solid[i]);
        write_text(at("solid.obj"), text);
        check_refused(at("solid.obj"), word, "geometry, which is not read");
    }
    write_text(at("old.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nfo 1 2 4\n");
    if (CONVERTS(NULL, at("old.obj")))
        CU_ASSERT_EQUAL(h5_peek(BATCH, "VTKHDF/Polygons/NumberOfCells", 0), 2);
}

static int ends_in(const char *name, const char *end)
{
    return strlen(name) >= strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

/* Each given mesh is read, or refused with the name of its format. */
static void test_convert_given(void)
{
    static const char *const is[][2] = {{".ply", "PLY"},     {".veg", "VegaFEM"},
                                        {".node", "TetGen"}, {".ele", "TetGen"},
                                        {".msh", "Gmsh"},    {".vtk", "legacy VTK"}};
    char folder[600], path[1200];
    if (!test_data())
        SKIP("shared/data is not here");
    snprintf(folder, sizeof folder, "%s/meshes", test_data());
    DIR *d = opendir(folder);
    size_t refused = 0, read = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        DIR *in = e->d_name[0] == '.' ? NULL : opendir(path);
        for (struct dirent *f; in && (f = readdir(in));) {
            snprintf(path, sizeof path, "%s/%s/%s", folder, e->d_name, f->d_name);
            for (size_t i = 0; i < sizeof is / sizeof *is; i++)
                if (ends_in(f->d_name, is[i][0])) {
                    check_refused(path, is[i][1], NULL);
                    refused++;
                }
            if (ends_in(f->d_name, ".obj"))
                read += (size_t)CONVERTS(NULL, path, "-q");
        }
        if (in)
            closedir(in);
    }
    if (d)
        closedir(d);
    CU_ASSERT(refused > 10 && read > 10);
}

static void test_standard_input(void)
{
    convert_test_write_frame("piped.obj", 7);
    write_text(at("times.txt"), "0.5\n");
    program_set(&(program_how){.std_in = at("piped.obj")});
    if (CONVERTS(NULL, "-")) {
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "7 ");
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 0), "-");
    }
    ran r = RAN("convert", "-", "-", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 2, "standard input", NULL), "^ twice");
    ran_free(&r);
    program_set(&(program_how){.std_in = at("times.txt")});
    if (CONVERTS(NULL, at("piped.obj"), "--times", "-"))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0.5 ");
    r = RAN("convert", "-", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "standard input: line 1: '0.5'", "OBJ"), "^ no OBJ");
    ran_free(&r);
    program_plain();
    r = RAN("convert", "./-", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "./-: No such file", NULL), "^ a file of that name");
    ran_free(&r);
}

/* ---- order, gaps, times */

static void test_convert_order(void)
{
    char *told = NULL;
    const char *one = convert_test_write_frame("f1.obj", 1),
               *two = convert_test_write_frame("f2.obj", 2),
               *ten = convert_test_write_frame("f10.obj", 10),
               *hundred = convert_test_write_frame("f100.obj", 100);
    if (CONVERTS(&told, hundred, ten, one, two)) {
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "1 2 10 100 ");
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 1 2 3 ");
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 0), one);
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 3), hundred);
        EXPECT(strstr(told, "impinge: frames 3-9, 11-99 are missing in ") && count_lines(told) == 1,
               "%s", told);
    }
    free(told);
    if (CONVERTS(NULL, hundred, ten, one, two, "--order", "given", "-q")) {
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "100 10 1 2 ");
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 0), hundred);
    }
    if (CONVERTS(NULL, ten, two, "--as", "objects")) {
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 0), ten);
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 1), two);
        char both[700];
        snprintf(both, sizeof both, "%s, %s", ten, two);
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 0), both);
    }
    if (CONVERTS(NULL, two, two, "--as", "objects")) {
        char again[700];
        snprintf(again, sizeof again, "%s (2)", two);
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 0), two);
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 1), again);
    }
    if (CONVERTS(NULL, ten, two, "--as", "objects", "--order", "natural"))
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 0), two);
    if (CONVERTS(NULL, two, "--groups"))
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 0), "part");
    if (CONVERTS(NULL, two, "--groups", "--as", "objects"))
        CU_ASSERT_PTR_NOT_NULL(
            strstr(batch_name_in(BATCH, "impinge/object_names", 0), "f2.obj: part"));
}

static void test_convert_times(void)
{
    const char *one = convert_test_write_frame("t0.25.obj", 1),
               *two = convert_test_write_frame("t0.5.obj", 2),
               *three = convert_test_write_frame("t1.0.obj", 3);
    if (CONVERTS(NULL, three, two, one, "--times", "names")) {
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "1 2 3 ");
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0.25 0.5 1 ");
    }
    if (CONVERTS(NULL, one, two, three, "--times", "names", "--dt", "4"))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "1 2 4 ");
    if (CONVERTS(NULL, one, two, three, "--order", "given", "--dt", "0.125"))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 0.125 0.25 ");
    write_text(at("times.txt"), "# s\n-1\n\n0.5\n7e2\n");
    if (CONVERTS(NULL, one, two, three, "--order", "given", "--times", at("times.txt")))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "-1 0.5 700 ");
    ran r = RAN("convert", one, two, "--times", at("times.txt"), "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "times.txt: 3 times for 2 files", NULL), "^ too many times");
    ran_free(&r);
    r = RAN("convert", two, one, "--times", "names", "--order", "given", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "t0.25.obj", "does not come after 0.5"), "^ given order");
    ran_free(&r);
    r = RAN("convert", one, two, "--times", at("times.txt"), "--dt", "1", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 2, "--dt and --times", NULL), "^ both");
    ran_free(&r);
    r = RAN("convert", one, two, "--as", "objects", "--dt", "1", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 2, "--dt is for frames", NULL), "^ one frame");
    ran_free(&r);
}

/* ---- polygons */

#define NEEDLE(x, y)                                                                               \
    "o needle\nv " #x " " #y " -1\nv " #x "1 " #y " -1\nv " #x " " #y "1 1\nf -3 -2 -1\n"
#define NOTCHED "o plate\nv 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n"

/* A triangle through the notch of a plate touches nothing; one beside the notch hits the plate. */
static void test_convert_notch(void)
{
    write_text(at("notch.obj"), NOTCHED NEEDLE(3.5, 3.4));
    if (CONVERTS(NULL, at("notch.obj"), "--groups"))
        CU_ASSERT_EQUAL(batch_contacts(), 0);
    char *told = NULL;
    if (CONVERTS(&told, at("notch.obj"), "--as", "objects"))
        CU_ASSERT_EQUAL(batch_contacts(), 0);
    free(told);
    if (CONVERTS(NULL, at("notch.obj"), "--groups", "--weld", "0"))
        CU_ASSERT_EQUAL(batch_contacts(), 0);
    write_text(at("notch.obj"), NOTCHED NEEDLE(3.5, 3.1));
    if (CONVERTS(NULL, at("notch.obj"), "--groups"))
        CU_ASSERT_EQUAL(batch_contacts(), 1);
}

/* A frame of a plate whose last two corners are (x, y, z) and (u, v, 0). */
static const char *write_plate(const char *name, double x, double y, double z, double u, double v)
{
    char content[300];
    snprintf(content, sizeof content,
             "v 0 0 0\nv 4 0 0\nv 4 4 0\nv %g %g %g\nv %g %g 0\nf 1 2 3 4 5\n", x, y, z, u, v);
    write_text(at(name), content);
    return at(name);
}

/* Two plates whose own edges coincide in the first frame are welded there, and stay welded when
 * they are triangulated anew. */
static void check_welded_change(void)
{
    static const char *const last[2][2] = {{"2 1", "0 4"}, {"0 4", "1.5 1"}};
    for (int k = 0; k < 2; k++) {
        char content[500], name[20];
        snprintf(content, sizeof content,
                 "v 0 0 0\nv 4 0 0\nv 4 4 0\nv %s 0\nv %s 0\n"
                 "v 4 0 0\nv 8 0 0\nv 8 4 0\nv 4 4 0\nf 1 2 3 4 5\nf 6 7 8 9\n",
                 last[k][0], last[k][1]);
        snprintf(name, sizeof name, "w%d.obj", k + 1);
        write_text(at(name), content);
    }
    if (!CONVERTS(NULL, at("w1.obj"), at("w2.obj"), "--weld", "0", "-q"))
        return;
    size_t n = 0;
    int64_t *id = h5_ints(BATCH, "VTKHDF/Polygons/Connectivity", &n);
    CU_ASSERT_EQUAL_FATAL(n, 30);
    static const int64_t plate[] = {1, 5, 6, 1, 6, 2};
    CU_ASSERT(!memcmp(id + 9, plate, sizeof plate) && !memcmp(id + 24, plate, sizeof plate));
    CU_ASSERT(memcmp(id, id + 15, 9 * sizeof *id) != 0);
    for (size_t i = 15; i < 24; i++)
        CU_ASSERT(id[i] >= 0 && id[i] < 5);
    free(id);
}

/* A triangulation is kept while it is valid, also through welding; where it becomes invalid it is
 * replaced, with a message; a bent plate keeps its triangles. */
static void test_same_topology(void)
{
    char *told = NULL;
    const char *a = write_plate("p1.obj", 2, 1, 0, 0, 4), *b = write_plate("p2.obj", 2, 2, 0, 0, 4),
               *c = write_plate("p3.obj", 0, 4, 0, 1.5, 1),
               *d = write_plate("p4.obj", 0, 4, 0, 1, 1),
               *bent = write_plate("p5.obj", 0, 4, 3, 1.5, 1);
    if (CONVERTS(NULL, a, b, a, "--order", "given", "-q"))
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 1);
    if (CONVERTS(&told, a, b, c, d)) {
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 2);
        EXPECT(strstr(told, "p3.obj: line 6: a face that cannot be cut") && count_lines(told) == 1,
               "%s", told);
    }
    free(told);
    if (CONVERTS(NULL, a, b, c, d, "--weld", "0", "-q"))
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 2);
    check_welded_change();
    if (CONVERTS(NULL, a, bent, "-q"))
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 1);
    write_text(at("x.obj"), "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n");
    told = NULL;
    if (CONVERTS(&told, at("x.obj"), at("x.obj"), "--order", "given"))
        EXPECT(strstr(told, "x.obj: line 5: a face that crosses itself") != NULL, "%s", told);
    free(told);
}

/* ---- folders */

static void check_convert_folder(const char *folder, const char *want, const char *note)
{
    size_t n;
    char have[200] = "", quiet_note[300];
    ran r = RAN("convert", folder, "-o", BATCH, "--force");
    snprintf(quiet_note, sizeof quiet_note, "%s%s", note ? folder : "", note ? note : "");
    EXPECT(!r.code && (note ? strstr(r.err, quiet_note) != NULL : !strstr(r.err, "left out")),
           "%s: exit %d: %s", folder, r.code, r.err);
    ran_free(&r);
    double *point = h5_reals(BATCH, "VTKHDF/Points", &n);
    for (size_t i = 0; i < n; i += 9) /* three points of three numbers a frame */
        snprintf(have + strlen(have), sizeof have - strlen(have), "%g ", point[i]);
    EXPECT(!strcmp(have, want), "%s: %s instead of %s", folder, have, want);
    free(point);
    r = RAN("convert", folder, "-o", BATCH, "--force", "-q");
    EXPECT(!r.code && !strstr(r.err, "left out"), "%s: %s", folder, r.err);
    ran_free(&r);
}

/* Files of the one format, in natural order, without folders, names with a point, and the batch. */
static void test_convert_folder(void)
{
    char slash[300];
    CU_ASSERT(!mkdir(at("series"), 0777) && !mkdir(at("series/below.obj"), 0777));
    static const int number[] = {10, 2, 1, 9};
    for (int i = 0; i < 4; i++) {
        char name[40];
        snprintf(name, sizeof name, "series/f.%d.%s", number[i], i ? "obj" : "OBJ");
        convert_test_write_frame(name, number[i]);
    }
    convert_test_write_frame("series/.hidden.obj", 50);
    check_convert_folder(at("series"), "1 2 9 10 ", NULL);
    /* as where a shell expands no pattern */
    ran p = RAN("convert", at("series/f.?*.[oO]*"), "--order", "given", "-o", BATCH, "--force");
    EXPECT(!p.code, "^ a pattern: %s", p.err);
    CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 0), at("series/f.1.obj"));
    CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 3), at("series/f.10.OBJ"));
    ran_free(&p);
    p = RAN("convert", at("series/g*.obj"), "-o", BATCH, "--force");
    EXPECT(ran_failed(&p, 3, "g*.obj: No such file or directory", NULL), "^ a pattern of none");
    ran_free(&p);
    write_text(at("zero.stl"), "");
    p = RAN("convert", at("zero.stl"), "-o", BATCH, "--force");
    EXPECT(ran_failed(&p, 3, "zero.stl: is empty, 0 bytes", NULL), "^ no bytes");
    ran_free(&p);
    write_text(at("series/f.mtl"), "x");
    write_text(at("series/data.h5"), "x");
    write_text(at("series/none"), "x");
    check_convert_folder(at("series"), "1 2 9 10 ",
                         ": 4 files .obj; left out: 1 without an ending, 1 .mtl, 1 .h5\n");
    snprintf(slash, sizeof slash, "%s/", at("series"));
    check_convert_folder(slash, "1 2 9 10 ", ": 4 files");
    ran r = RAN("convert", at("series/f.9.obj"), at("series"), "--order", "given", "-o", BATCH,
                "--force", "-q");
    EXPECT(!r.code, "^ a file and a folder: %s", r.err);
    CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 0), at("series/f.9.obj"));
    CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 4), at("series/f.10.OBJ"));
    ran_free(&r);
    /* the batch in the folder of its files is no file of them, also the second time */
    for (int i = 0; i < 2; i++) {
        r = RAN("convert", at("series"), "-o", at("series/out.vtkhdf"), "-q", i ? "--force" : "-q");
        EXPECT(!r.code, "^ into the folder: %s", r.err);
        ran_free(&r);
    }
    r = RAN("convert", at("series"), "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "several formats, 4 .obj, 1 .vtkhdf; name those of one, as in", NULL),
           "^ two formats");
    ran_free(&r);
    unlink(at("series/out.vtkhdf"));
    CU_ASSERT(!symlink("/nowhere/x.obj", at("series/f.11.obj")));
    r = RAN("convert", at("series"), "-o", BATCH, "--force");
    EXPECT(r.code == 3 && strstr(r.err, "f.11.obj: No such file"), "a link: %s", r.err);
    ran_free(&r);
}

static void test_convert_no_folder(void)
{
    static const char *const wrong[][3] = {
        {"empty", NULL, "is a folder without a file\n"},
        {"texts", "a.txt",
         "without a file that convert reads, by their names; there is 1 .txt; in"},
        {"stl", "a.stl", "an STL file, which convert does not read; it reads .obj"},
        {"data", "a.h5", "a.h5: "},
    };
    for (size_t i = 0; i < 4; i++) {
        char name[60];
        CU_ASSERT(!mkdir(at(wrong[i][0]), 0777));
        snprintf(name, sizeof name, "%s/%s", wrong[i][0], wrong[i][1] ? wrong[i][1] : "");
        if (wrong[i][1])
            write_text(at(name), "solid x\nfacet normal 0 0 1\n");
        ran r = RAN("convert", at(wrong[i][0]), "-o", at("none.vtkhdf"));
        EXPECT(ran_failed(&r, 3, at(wrong[i][0]), wrong[i][2]), "^ %s", wrong[i][0]);
        EXPECT(!exists(at("none.vtkhdf")), "%s has made a batch", wrong[i][0]);
        ran_free(&r);
    }
    CU_ASSERT(!mkdir(at("case"), 0777) && !mkdir(at("case/system"), 0777));
    write_text(at("case/system/controlDict"), "");
    convert_test_write_frame("case/a.obj", 1);
    ran r = RAN("convert", at("case"), "-o", at("none.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "is an OpenFOAM case, which convert does not read", NULL), "^ a case");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"other_formats", test_other_formats},
                                 {"empty_frames", test_empty_frames},
                                 {"negative", test_negative},
                                 {"bulk", test_bulk},
                                 {"given", test_convert_given},
                                 {"standard_input", test_standard_input},
                                 {"order", test_convert_order},
                                 {"times", test_convert_times},
                                 {"notch", test_convert_notch},
                                 {"same_topology", test_same_topology},
                                 {"folder", test_convert_folder},
                                 {"no_folder", test_convert_no_folder},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "convert", tests);
}
