/* The verb `convert` as a user runs it: what is read and what is not, order, times, polygons. */
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH at("batch.vtkhdf")

static void write_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    CU_ASSERT_FATAL(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

/* A triangle whose first x is the number, so that frames can be told apart. */
static const char *write_frame(const char *name, double x)
{
    char content[200];
    snprintf(content, sizeof content, "o part\nv %g 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n", x);
    write_text(at(name), content);
    return at(name);
}

/* Runs convert with these arguments and --force; true if all went well. */
static int converts(const char *const *arguments, char **told)
{
    const char *all[40] = {"convert", "-o", BATCH, "--force"};
    size_t n = 4;
    for (; *arguments; arguments++)
        all[n++] = *arguments;
    ran r = program_run(all);
    int good = r.code == 0;
    EXPECT(good, "convert: code %d: %s", r.code, r.err);
    if (told)
        *told = strdup(r.err);
    else
        EXPECT(!*r.err, "convert says %s", r.err);
    ran_free(&r);
    return good;
}
#define CONVERTS(told, ...) converts((const char *const[]){__VA_ARGS__, NULL}, told)

/* The first x of each frame, as text. */
static const char *frames_of(const char *path)
{
    static char text[400];
    size_t n = 0, frames = 0, at_text = 0;
    double *x = h5_reals(path, "VTKHDF/Points", &n);
    int64_t *first = h5_ints(path, "VTKHDF/Steps/PointOffsets", &frames);
    text[0] = 0;
    for (size_t i = 0; i < frames; i++)
        at_text += (size_t)snprintf(text + at_text, sizeof text - at_text, "%g ", x[3 * first[i]]);
    free(x);
    free(first);
    return text;
}

static const char *times_of(const char *path)
{
    static char text[400];
    size_t n = 0, at_text = 0;
    double *t = h5_reals(path, "VTKHDF/Steps/Values", &n);
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        at_text += (size_t)snprintf(text + at_text, sizeof text - at_text, "%g ", t[i]);
    free(t);
    return text;
}

static size_t count_topologies(const char *path)
{
    size_t n = 0;
    free(h5_ints(path, "VTKHDF/NumberOfPoints", &n));
    return n;
}

/* A text of a list in the batch. */
static const char *name_in(const char *path, const char *list, size_t i)
{
    static char text[400];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
          data = H5Dopen2(file, list, H5P_DEFAULT);
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space), width = H5Tget_size(type);
    char *all = calloc(n, width + 1);
    CU_ASSERT_FATAL(i < n && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    snprintf(text, sizeof text, "%.*s", (int)width, all + i * width);
    free(all);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
    H5Fclose(file);
    return text;
}

/* ---- what is read */

static void check_refused(const char *path, const char *word, const char *word2)
{
    unlink(BATCH);
    ran r = RAN("convert", path, "-o", BATCH);
    EXPECT(ran_failed(&r, 3, word, word2), "^ %s", path);
    EXPECT(strstr(r.err, path) != NULL && (strstr(r.err, "OBJ") || strstr(r.err, ".obj")), "%s",
           r.err);
    EXPECT(!exists(BATCH) && !exists_part(BATCH), "something is left of %s", path);
    ran_free(&r);
}

#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *name, *bytes;
    size_t n;
    const char *is;
} others[] = {
    {"a.vtp", BYTES("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\">\n"), "VTK XML"},
    {"a.vtu", BYTES("<VTKFile type=\"UnstructuredGrid\">\n"), "VTK XML"},
    {"a.vtk", BYTES("not VTK\n"), "by its name it is legacy VTK"},
    {"a.gltf", BYTES("{\n  \"asset\": {\"version\": \"2.0\"}\n}\n"), "glTF"},
    {"a.glb", BYTES("glTF\x02\0\0\0"), "glTF"},
    {"a.ply", BYTES("ply\r\nformat ascii 1.0\r\n"), "PLY"},
    {"a.stl", BYTES("solid cube\nfacet normal 0 0 1\n"), "STL"},
    {"a.msh", BYTES("$NOD\n0\n"), "a Gmsh mesh of version 1"},
    {"a.off", BYTES("OFF\n3 1 0\n"), "OFF"},
    {"b.off", BYTES("COFF\n3 1 0\n"), "OFF"},
    {"a.abc", BYTES("Ogawa\xff\0"), "Alembic"},
    {"a.usdc", BYTES("PXR-USDC\0"), "USD"},
    {"a.usda", BYTES("#usda 1.0\n"), "USD"},
    {"a.fbx", BYTES("Kaydara FBX Binary  \0"), "FBX"},
    {"a.h5", BYTES("\x89HDF\r\n\x1a\n\0"), "VTKHDF is a batch already"},
    {"a.obj.gz", BYTES("\x1f\x8b\x08"), "gzip"},
    {"a.zip", BYTES("PK\x03\x04"), "zip"},
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
    const char *frame = write_frame("good.obj", 1); /* one bad one among good ones */
    unlink(BATCH);
    ran r = RAN("convert", frame, at("empty.obj"), "-o", BATCH);
    EXPECT(ran_failed(&r, 3, "empty.obj", "no triangle") && !exists(BATCH), "^ one of two");
    ran_free(&r);
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
    /* all that OBJ has, and some words that it has not */
    write_text(
        at("all.obj"),
        "6540 2180\nmtllib a\nusemtl f\ng x y\ns off\nv 0 0 0\nvt 0 0\nvn 0 0 1\nvp 0\n"
        "v 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\np 1\nlod 1\nmyown %s %n\nshadow_obj f\ncall a b\n"
        "cstype bezier\ndeg 3\ncurv 0 1 1 2\nsurf 0 1 0 1 1\nparm u 0 1\ntrim 1\nhole 1\nend\n");
    if (CONVERTS(&told, at("all.obj")))
        EXPECT(strstr(told, "line 1: '6540' is not an OBJ statement; 2 such in this file"), "%s",
               told);
    free(told);
    told = NULL;
    if (CONVERTS(&told, at("all.obj"), "-q"))
        EXPECT(!*told, "%s", told);
    free(told);
}

static int ends_in(const char *name, const char *end)
{
    return strlen(name) >= strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

/* Each given mesh is read, or refused with the name of its format. */
static void test_given(void)
{
    static const char *const is[][2] = {
        {".ply", "PLY"}, {".veg", "VegaFEM"}, {".node", "TetGen"}, {".ele", "TetGen"}};
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
            if (ends_in(f->d_name, ".obj") || ends_in(f->d_name, ".vtk") ||
                ends_in(f->d_name, ".msh"))
                read += (size_t)CONVERTS(NULL, path, "-q");
        }
        if (in)
            closedir(in);
    }
    if (d)
        closedir(d);
    CU_ASSERT(refused > 10 && read > 20);
}

static void test_standard_input(void)
{
    write_frame("piped.obj", 7);
    write_text(at("times.txt"), "0.5\n");
    program_set(&(program_how){.std_in = at("piped.obj")});
    if (CONVERTS(NULL, "-")) {
        CU_ASSERT_STRING_EQUAL(frames_of(BATCH), "7 ");
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/frame_sources", 0), "-");
    }
    ran r = RAN("convert", "-", "-", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 2, "standard input", NULL), "^ twice");
    ran_free(&r);
    program_set(&(program_how){.std_in = at("times.txt")});
    if (CONVERTS(NULL, at("piped.obj"), "--times", "-"))
        CU_ASSERT_STRING_EQUAL(times_of(BATCH), "0.5 ");
    r = RAN("convert", "-", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "standard input: line 1: '0.5'", "OBJ"), "^ no OBJ");
    ran_free(&r);
    program_plain();
    r = RAN("convert", "./-", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "./-: No such file", NULL), "^ a file of that name");
    ran_free(&r);
}

/* ---- order, gaps, times */

static void test_order(void)
{
    char *told = NULL;
    const char *one = write_frame("f1.obj", 1), *two = write_frame("f2.obj", 2),
               *ten = write_frame("f10.obj", 10), *hundred = write_frame("f100.obj", 100);
    if (CONVERTS(&told, hundred, ten, one, two)) {
        CU_ASSERT_STRING_EQUAL(frames_of(BATCH), "1 2 10 100 ");
        CU_ASSERT_STRING_EQUAL(times_of(BATCH), "0 1 2 3 ");
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/frame_sources", 0), one);
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/frame_sources", 3), hundred);
        EXPECT(strstr(told, "impinge: frames 3-9, 11-99 are missing in ") && count_lines(told) == 1,
               "%s", told);
    }
    free(told);
    if (CONVERTS(NULL, hundred, ten, one, two, "--order", "given", "-q")) {
        CU_ASSERT_STRING_EQUAL(frames_of(BATCH), "100 10 1 2 ");
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/frame_sources", 0), hundred);
    }
    if (CONVERTS(NULL, ten, two, "--as", "objects")) {
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/object_names", 0), ten);
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/object_names", 1), two);
        char both[700];
        snprintf(both, sizeof both, "%s, %s", ten, two);
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/frame_sources", 0), both);
    }
    if (CONVERTS(NULL, ten, two, "--as", "objects", "--order", "natural"))
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/object_names", 0), two);
    if (CONVERTS(NULL, two, "--groups"))
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/object_names", 0), "part");
    if (CONVERTS(NULL, two, "--groups", "--as", "objects"))
        CU_ASSERT_PTR_NOT_NULL(strstr(name_in(BATCH, "impinge/object_names", 0), "f2.obj: part"));
}

static void test_times(void)
{
    const char *one = write_frame("t0.25.obj", 1), *two = write_frame("t0.5.obj", 2),
               *three = write_frame("t1.0.obj", 3);
    if (CONVERTS(NULL, three, two, one, "--times", "names")) {
        CU_ASSERT_STRING_EQUAL(frames_of(BATCH), "1 2 3 ");
        CU_ASSERT_STRING_EQUAL(times_of(BATCH), "0.25 0.5 1 ");
    }
    if (CONVERTS(NULL, one, two, three, "--times", "names", "--dt", "4"))
        CU_ASSERT_STRING_EQUAL(times_of(BATCH), "1 2 4 ");
    if (CONVERTS(NULL, one, two, three, "--order", "given", "--dt", "0.125"))
        CU_ASSERT_STRING_EQUAL(times_of(BATCH), "0 0.125 0.25 ");
    write_text(at("times.txt"), "# s\n-1\n\n0.5\n7e2\n");
    if (CONVERTS(NULL, one, two, three, "--order", "given", "--times", at("times.txt")))
        CU_ASSERT_STRING_EQUAL(times_of(BATCH), "-1 0.5 700 ");
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

static long contacts_of_batch(void)
{
    ran r = RAN("run", BATCH, "-o", at("result.vtkhdf"), "--force", "--device", "cpu", "--json");
    const char *found = r.code ? NULL : strstr(r.out, "\"contacts\": ");
    long n = found ? strtol(found + strlen("\"contacts\": "), NULL, 10) : -1;
    EXPECT(found != NULL, "run: code %d: %s", r.code, r.err);
    ran_free(&r);
    return n;
}

#define NEEDLE(x, y)                                                                               \
    "o needle\nv " #x " " #y " -1\nv " #x "1 " #y " -1\nv " #x " " #y "1 1\nf -3 -2 -1\n"
#define NOTCHED "o plate\nv 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n"

/* A triangle through the notch of a plate meets nothing; one beside it does. */
static void test_notch(void)
{
    write_text(at("notch.obj"), NOTCHED NEEDLE(3.5, 3.4));
    if (CONVERTS(NULL, at("notch.obj"), "--groups"))
        CU_ASSERT_EQUAL(contacts_of_batch(), 0);
    if (CONVERTS(NULL, at("notch.obj"), "--as", "objects"))
        CU_ASSERT_EQUAL(contacts_of_batch(), 0);
    if (CONVERTS(NULL, at("notch.obj"), "--groups", "--weld", "0"))
        CU_ASSERT_EQUAL(contacts_of_batch(), 0);
    write_text(at("notch.obj"), NOTCHED NEEDLE(3.5, 3.1));
    if (CONVERTS(NULL, at("notch.obj"), "--groups"))
        CU_ASSERT_EQUAL(contacts_of_batch(), 1);
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

/* Two plates with an edge of their own each, at one place in the first frame: welded then, they
 * stay so where they are cut anew. */
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

/* While triangles are right they stay, through welding too; where they are not they change, which
 * is told; a plate that is bent keeps them. */
static void test_same_topology(void)
{
    char *told = NULL;
    const char *a = write_plate("p1.obj", 2, 1, 0, 0, 4), *b = write_plate("p2.obj", 2, 2, 0, 0, 4),
               *c = write_plate("p3.obj", 0, 4, 0, 1.5, 1),
               *d = write_plate("p4.obj", 0, 4, 0, 1, 1),
               *bent = write_plate("p5.obj", 0, 4, 3, 1.5, 1);
    if (CONVERTS(NULL, a, b, a, "--order", "given", "-q"))
        CU_ASSERT_EQUAL(count_topologies(BATCH), 1);
    if (CONVERTS(&told, a, b, c, d)) {
        CU_ASSERT_EQUAL(count_topologies(BATCH), 2);
        EXPECT(strstr(told, "p3.obj: line 6: a face that cannot be cut") && count_lines(told) == 1,
               "%s", told);
    }
    free(told);
    if (CONVERTS(NULL, a, b, c, d, "--weld", "0", "-q"))
        CU_ASSERT_EQUAL(count_topologies(BATCH), 2);
    check_welded_change();
    if (CONVERTS(NULL, a, bent, "-q"))
        CU_ASSERT_EQUAL(count_topologies(BATCH), 1);
    write_text(at("x.obj"), "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n");
    told = NULL;
    if (CONVERTS(&told, at("x.obj"), at("x.obj"), "--order", "given"))
        EXPECT(strstr(told, "x.obj: line 5: a face that crosses itself") != NULL, "%s", told);
    free(told);
}

/* ---- tetrahedra */

#define VTK_HEAD "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_POINTS "POINTS 5 double\n%g 0 0 1 0 0 0 1 0 0 0 1 9 9 9\n"
#define MSH_SCENE                                                                                  \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"flesh\"\n$EndPhysicalNames\n"  \
    "$Nodes\n5\n11 5 0 0\n12 1 0 0\n13 0 1 0\n14 0 0 1\n15 0 0 1\n$EndNodes\n$Elements\n4\n"       \
    "1 15 2 0 1 11\n2 1 2 0 1 11 12\n3 2 2 0 6 11 12 13\n4 4 2 1 1 11 12 13 15\n$EndElements\n"

/* A tetrahedron whose first x is the number. */
static const char *write_solid(const char *name, double x)
{
    char content[300];
    snprintf(content, sizeof content,
             VTK_HEAD VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n", x);
    write_text(at(name), content);
    return at(name);
}

/* Types of all cells of the batch, "10 5 ", or "none" in PolyData. */
static const char *types_of(const char *path)
{
    static char text[400];
    size_t n = 0, at_text = 0;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int grid = H5Lexists(file, "VTKHDF/Types", H5P_DEFAULT) > 0;
    H5Fclose(file);
    if (!grid)
        return "none";
    int64_t *type = h5_ints(path, "VTKHDF/Types", &n);
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        at_text += (size_t)snprintf(text + at_text, sizeof text - at_text, "%d ", (int)type[i]);
    free(type);
    return text;
}

static void check_ids(const char *path, const char *list, const int64_t *want, size_t count)
{
    size_t n = 0;
    int64_t *id = h5_ints(path, list, &n);
    CU_ASSERT(n == count && !memcmp(id, want, count * sizeof *want));
    free(id);
}

/* Names of groups, boundaries, welding. */
static void test_gmsh(void)
{
    static const int64_t ids[] = {0, 1, 2, 0, 1, 2, 4}, welded[] = {0, 1, 2, 0, 1, 2, 3},
                         object[] = {0, 1};
    char *told = NULL;
    write_text(at("scene.msh"), MSH_SCENE);
    if (CONVERTS(&told, at("scene.msh"), "--groups")) {
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "5 10 ");
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/object_names", 0), "surface 6");
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/object_names", 1), "flesh");
        check_ids(BATCH, "VTKHDF/Connectivity", ids, 7);
        check_ids(BATCH, "VTKHDF/CellData/ObjectId", object, 2);
        EXPECT(strstr(told, "scene.msh: line 18: a point or a line, which is ignored; "
                            "2 such in this file") &&
                   count_lines(told) == 1,
               "%s", told);
    }
    free(told);
    if (CONVERTS(NULL, at("scene.msh"), "--weld", "0", "--float32", "-q"))
        check_ids(BATCH, "VTKHDF/Connectivity", welded, 7);
    if (CONVERTS(NULL, at("scene.msh"), at("scene.msh"), "--as", "objects", "--groups", "-q")) {
        char want[700];
        snprintf(want, sizeof want, "%s: flesh", at("scene.msh"));
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/object_names", 1), want);
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "5 10 5 10 ");
    }
}

/* A sequence is one topology while its cells are the same; tetrahedra may come at any time. */
static void test_solids(void)
{
    const char *a = write_solid("s1.vtk", 1), *b = write_solid("s2.vtk", 2),
               *c = write_frame("s3.obj", 3);
    if (CONVERTS(NULL, b, a)) {
        CU_ASSERT_STRING_EQUAL(frames_of(BATCH), "1 2 ");
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "10 ");
        CU_ASSERT_EQUAL(count_topologies(BATCH), 1);
    }
    if (CONVERTS(NULL, c, a, b, c, "--order", "given", "--dt", "0.5", "-q")) {
        CU_ASSERT_STRING_EQUAL(frames_of(BATCH), "3 1 2 3 ");
        CU_ASSERT_STRING_EQUAL(times_of(BATCH), "0 0.5 1 1.5 ");
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "5 10 5 ");
        CU_ASSERT_STRING_EQUAL(name_in(BATCH, "impinge/frame_sources", 1), a);
    }
    if (CONVERTS(NULL, c, a, "--as", "objects"))
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "5 10 ");
    if (CONVERTS(NULL, c, c, "--order", "given", "-q"))
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "none");
    /* what was read cannot be read again from a pipe */
    program_set(&(program_how){.std_in = a});
    if (CONVERTS(NULL, "-", c, "--order", "given", "-q"))
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "10 5 ");
    ran r = RAN("convert", c, "-", "--order", "given", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "standard input: has tetrahedra", "must be the first"), "^ second");
    ran_free(&r);
    program_plain();
}

/* A solid inside another meets it; quads are cut beside tetrahedra as without. */
static void test_inside(void)
{
    write_text(at("big.vtk"), VTK_HEAD "POINTS 4 int 0 0 0 9 0 0 0 9 0 0 0 9\n"
                                       "CELLS 1 5 4 0 1 2 3\nCELL_TYPES 1 10\n");
    write_text(at("small.vtk"), VTK_HEAD "POINTS 4 int 1 1 1 2 1 1 1 2 1 1 1 2\n"
                                         "CELLS 1 5 4 0 1 2 3\nCELL_TYPES 1 10\n");
    if (CONVERTS(NULL, at("big.vtk"), at("small.vtk"), "--as", "objects"))
        CU_ASSERT_EQUAL(contacts_of_batch(), 1);
}

static void check_refusal(const char *path, int code, const char *word, const char *option)
{
    unlink(BATCH);
    ran r = RAN("convert", path, "-o", BATCH, option);
    EXPECT(ran_failed(&r, code, path, word), "^ %s", path);
    EXPECT(!exists(BATCH) && !exists_part(BATCH), "something is left of %s", path);
    ran_free(&r);
}

static void test_refused(void)
{
    write_bytes(at("bin.vtk"),
                BYTES("# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\n\0"));
    check_refusal(at("bin.vtk"), 3, "line 3: BINARY", NULL);
    write_bytes(at("bin.msh"), BYTES("$MeshFormat\n2.2 1 8\n\1\0\0\0\n"));
    check_refusal(at("bin.msh"), 3, "line 2: BINARY", NULL);
    check_refusal(write_solid("solid.vtk", 1), 2, "--groups: files of legacy VTK have no groups",
                  "--groups");
    write_text(at("none.vtk"), VTK_HEAD "POINTS 1 int 0 0 0\nCELLS 1 2 1 0\nCELL_TYPES 1 1\n");
    check_refusal(at("none.vtk"), 3, "no triangle, polygon or tetrahedron among 1 points", NULL);
    write_text(at("hex.vtk"), VTK_HEAD "POINTS 1 int 0 0 0\nCELLS 1 9 8 0 0 0 0 0 0 0 0\n"
                                       "CELL_TYPES 1\n12\n");
    check_refusal(at("hex.vtk"), 3, "line 8: cell 0 is a hexahedron", NULL);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"other_formats", test_other_formats},
                                 {"bulk", test_bulk},
                                 {"given", test_given},
                                 {"standard_input", test_standard_input},
                                 {"gmsh", test_gmsh},
                                 {"solids", test_solids},
                                 {"inside", test_inside},
                                 {"refused", test_refused},
                                 {"order", test_order},
                                 {"times", test_times},
                                 {"notch", test_notch},
                                 {"same_topology", test_same_topology},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "convert", tests);
}
