/* impinge convert: makes a batch from mesh files, each of them a frame or a body of one frame. */
#include "cli.h"
#include "conversion.h"
#include "error.h"
#include "mem.h"
#include "output_file.h"
#include "package.h"
#include "signals.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const cli_option options[] = {
    {CLI_OUTPUT(convert_options, "BATCH", "the file to write"), .needed = 1},
    {"as", 0, CLI_CHOICE, offsetof(convert_options, as), "frames|objects",
     "each file is a frame, or an object of one frame (default: frames)"},
    {"order", 0, CLI_WORD, offsetof(convert_options, order), "natural|given",
     "order of files: 1 2 10, f_-1 before f_0, or as given (default: natural; for objects: given)"},
    {"dt", 0, CLI_REAL, offsetof(convert_options, dt), "STEP",
     "time from frame to frame; with --times names: time of 1 in the numbers (default: 1, or the "
     "times that the files have)"},
    {"times", 0, CLI_TEXT, offsetof(convert_options, times), "FILE|names",
     "times of frames: one per line of a text file, or the numbers in file names"},
    {"groups", 0, CLI_FLAG, offsetof(convert_options, groups), NULL,
     "each named group becomes an object"},
    {"objects", 0, CLI_TEXT, offsetof(convert_options, objects), "id|array:NAME",
     "how objects are distinguished: by blocks and CellData/ObjectId, or by the values of another "
     "cell array of integers, in place of both (default: id)"},
    {"skin", 0, CLI_FLAG, offsetof(convert_options, skin), NULL,
     "read the surface of solids: of tetrahedra, voxels, hexahedra, wedges and pyramids the faces "
     "that no other cell of the same object has"},
    {"weld", 0, CLI_LENGTH, offsetof(convert_options, weld), "TOL",
     "within objects, merge vertices at most TOL apart; 0: only where triangles have an edge in "
     "common, and tetrahedra a face (default: no merging; STL is joined as by 0)"},
    {CLI_FLOAT32(convert_options)},
    {"joints", 0, CLI_TEXT, offsetof(convert_options, joints), "NAME=VALUE,...",
     "of a URDF file, in Python: values of joints, in radians or in its unit of length (default: "
     "0)"},
    {"between", 0, CLI_WORD, offsetof(convert_options, between), "interpolated|held",
     "of USD and Alembic, in Python: where an object has no sample at a frame, it is moved on "
     "between "
     "its samples, or stays as at the one before (default: interpolated)"},
    {"samples", 0, CLI_WORD, offsetof(convert_options, samples), "all|range",
     "of USD, in Python: frames are at all samples, or at those from startTimeCode to endTimeCode "
     "(default: all)"},
    {"purpose", 0, CLI_TEXT, offsetof(convert_options, purpose), "NAME,...",
     "of USD, in Python: prims that are read, of default, render, proxy, guide (default: "
     "default,render)"},
    {"mesh", 0, CLI_TEXT, offsetof(convert_options, mesh), "FILE",
     "of MDD and PC2, in Python: the OBJ file with the faces (default: that of the same name)"},
    {CLI_FORCE(convert_options, "replace BATCH")},
    {CLI_PROGRESS(convert_options)},
    {CLI_QUIET(convert_options)},
    {0},
};

/* ---- the verb */

/* Prints all arrays in one line. */
static void print_lost(const cell_arrays *lost)
{
    cli_items list = {0};
    for (size_t i = 0; i < lost->count; i++)
        cli_items_add(&list, lost->array[i].name);
    if (lost->count)
        cli_line(stderr,
                 "impinge: %s %s not kept: %s; CellData of integers with one component is kept",
                 cli_count_text(lost->count, "array"), lost->count > 1 ? "are" : "is",
                 cli_items_text(&list));
}

/* Pairs between these groups are then no pairs between objects. */
static void print_dropped(const conversion *s)
{
    const name_list *n = &s->dropped;
    cli_items list = {0};
    for (size_t i = 0; i < n->count; i++)
        cli_items_add(&list, n->name[i]);
    if (n->count)
        cli_line(
            stderr, "impinge: warning: %s: %s not told apart: %s; --groups makes objects of them",
            text_name(s->dropped_file), cli_count_text(n->count, "group"), cli_items_text(&list));
}

/* The faces between such parts are then in no skin. */
static void print_varied(const conversion *s)
{
    const name_list *n = &s->varied;
    cli_items list = {0};
    for (size_t i = 0; i < n->count; i++)
        cli_items_add(&list, n->name[i]);
    if (n->count)
        cli_line(
            stderr,
            "impinge: warning: %s: the skin is that of all cells as one object, which %s could "
            "tell apart: %s; --objects array:%s makes objects of its values",
            text_name(s->varied_file), cli_count_text(n->count, "cell array"),
            cli_items_text(&list), n->name[0]);
}

/* Prints findings in files that are no errors. */
static void print_notices(const conversion *s)
{
    print_dropped(s);
    print_varied(s);
    print_lost(&s->in.lost);
    if (s->in.ids_lost)
        fprintf(stderr,
                "impinge: CellData/PrimitiveId is not %s: not every primitive of a frame would "
                "have one of its own\n",
                s->in.ids_made ? "made, though the skin changes" : "kept");
    notice_print(&s->ghosts, "a ghost cell (vtkGhostType), which is left out");
    notice_print(&s->empty, "it has no triangle, polygon or tetrahedron");
    notice_print(&s->skipped, s->skipped_what);
    notice_print(&s->thin, "a point or a line, which is ignored");
    notice_print(&s->crossing, "a face that crosses itself: its triangles reach beyond it");
    notice_print(&s->changed, "a face that cannot be cut into triangles as in the previous frame: "
                              "the topology changes");
    notice_print(&s->apart, "it has the number (GlobalPointIds) of another point at another place, "
                            "so they are two");
    notice_print(&s->several, "warning: a face of three solids or more of one object: the skin "
                              "has it once if their number is odd");
    notice_print(&s->one_side, "warning: a face that two solids have in the same direction: one "
                               "of them is inverted, or there twice");
    notice_print(&s->turned, "a wedge whose points are in the other order of the two that VTK has "
                             "had, and which is turned");
    convert_weld_print(&s->weld);
}

/* Most batches have triangles only: "0 tetrahedra" is not printed for them. */
static void convert_print_summary(const conversion *s)
{
    const size_t frames = s->o.as == AS_FRAMES ? s->in.frames : 1;
    printf("%s: %s frame%s, the last of ", cli_shown(s->o.out), cli_number_text(frames),
           frames > 1 ? "s" : "");
    if (s->triangles || !s->tetrahedra)
        printf("%s triangles, ", cli_number_text(s->triangles));
    if (s->tetrahedra)
        printf("%s tetrahedra, ", cli_number_text(s->tetrahedra));
    printf("%s vertices\n", cli_number_text(s->vertices));
    for (size_t i = 0; i < s->names.count; i++)
        printf("object %zu: %s\n", i, cli_shown(s->names.name[i]));
    for (size_t i = 0; s->in.numbers && i < s->in.kept.objects; i++)
        printf("object %d: %s\n", (int)s->in.kept.object[i], cli_shown(s->in.kept.object_name[i]));
}

/* All names are claimed before anything is written. */
static int convert_claim_files(const convert_options *o, char **files, int count, outputs *claimed)
{
    int err = IMP_OK;
    for (int i = 0; i < count; i++)
        /* a name that is no file, such as -, is ignored */
        TRY(outputs_reads(claimed, files[i]));
    if (o->times && strcmp(o->times, "names"))
        TRY(outputs_reads(claimed, o->times));
    /* after all inputs: none of them may be replaced */
    TRY(outputs_grows(claimed, "-o", o->out));
out:
    return err;
}

/* Called at the end: names are collected while the files are read. */
static int convert_write_object_names(const conversion *s)
{
    int err = IMP_OK;
    for (size_t i = 0; i < s->names.count; i++)
        TRY(batch_name_object(s->w, (int32_t)i, s->names.name[i]));
    for (size_t i = 0; s->in.numbers && i < s->in.kept.objects; i++)
        TRY(batch_name_object(s->w, s->in.kept.object[i], s->in.kept.object_name[i]));
out:
    return err;
}

/* Outputs are claimed before files are read, and files are read before the batch has its name. */
static int convert_all(conversion *s, char **files, int count)
{
    int err = IMP_OK;
    const convert_options *o = &s->o;
    outputs claimed = {0};
    s->in.kept.mem = s->in.arrays.mem = s->in.lost.mem = s->skin.mem = &s->m;
    s->m.limit = mem_machine() / BUDGET_MACHINE_SHARE; /* a damaged file may ask for any amount */
    /* a signal ends the program at once and removes the unfinished batch, which is useless */
    signals_watch(NULL);
    TRY(convert_claim_files(o, files, count, &claimed));
    TRY(convert_order(s, files, (size_t)count));
    /* PolyData at first; created again as UnstructuredGrid if a file has tetrahedra */
    TRY(conversion_create(s, 0));
    TRY(o->as == AS_OBJECTS ? conversion_objects(s) : conversion_frames(s));
    TRY(convert_write_object_names(s));
    err = batch_finish(s->w);
    /* batch_finish has freed it, also after an error */
    s->w = NULL;
    if (!err)
        print_notices(s);
    if (!err && !o->quiet)
        convert_print_summary(s);
out:
    outputs_free(&claimed);
    batch_discard(s->w);
    topology_free(&s->seen[0]);
    topology_free(&s->seen[1]);
    names_free(&s->names);
    names_free(&s->dropped);
    names_free(&s->varied);
    batch_names_free(&s->in.kept);
    cell_arrays_free(&s->in.arrays);
    cell_arrays_free(&s->in.lost);
    mesh_file_close(s->in.open);
    skin_free(&s->skin);
    mem_free(&s->m, s->in.frame);
    free(s->body);
    return err;
}

/* Returns whether a file has one of these endings, up to NULL. Python reads these files and has the
 * values of their options; convert_order reports an error if this program runs alone. */
static int has_ending(char **files, int count, const char *const *endings)
{
    for (int i = 0; i < count; i++) {
        const char *ending = strrchr(files[i], '.');
        for (const char *const *e = endings; ending && *e; e++)
            if (!strcasecmp(ending, *e))
                return 1;
    }
    return 0;
}

/* Checks the form of --joints: Python passes other forms on to this program. */
static int are_joints(const char *list)
{
    for (size_t n; *list; list += n + (list[n] == ',')) {
        char *end;
        size_t name;
        n = name = strcspn(list, ",");
        while (name && list[name - 1] != '=')
            name--;
        strtod(list + name, &end);
        if (name < 2 || list + name == end || end != list + n || !strcmp(list + n, ","))
            return 0;
    }
    return 1;
}

/* Checks the form of --purpose. */
static int are_purposes(const char *list)
{
    static const char *const known[] = {"default", "render", "proxy", "guide"};
    for (;; list++) {
        size_t n = strcspn(list, ","), i = 0;
        while (i < 4 && (strlen(known[i]) != n || strncmp(known[i], list, n) != 0))
            i++;
        list += n;
        if (i == 4 || !*list)
            return i < 4;
    }
}

/* Returns the exit code for options of files that Python reads, or 0. */
static int convert_check_python(const convert_options *o, char **files, int count)
{
    static const char *const bodies[] = {".urdf", NULL};
    /* and lists, which may name them */
    static const char *const caches[] = {".usd", ".usda", ".usdc",   ".usdz",
                                         ".abc", ".pvd",  ".series", NULL};
    static const char *const stages[] = {".usd", ".usda",   ".usdc", ".usdz",
                                         ".pvd", ".series", NULL};
    static const char *const points[] = {".mdd", ".pc2", NULL};
    const char *stage = o->samples ? "--samples" : o->purpose ? "--purpose" : NULL;
    if (o->joints && !has_ending(files, count, bodies))
        return cli_usage_error(&verb_convert, "--joints is for URDF files");
    if (o->joints && !are_joints(o->joints))
        return cli_usage_error(&verb_convert, "--joints: '%s' is not NAME=VALUE,...", o->joints);
    if (o->between && !has_ending(files, count, caches))
        return cli_usage_error(&verb_convert, "--between is for USD and Alembic files");
    if (stage && !has_ending(files, count, stages))
        return cli_usage_error(&verb_convert, "%s is for USD files", stage);
    if (o->purpose && !are_purposes(o->purpose))
        return cli_usage_error(
            &verb_convert, "--purpose: '%s' is not of default, render, proxy, guide", o->purpose);
    if (o->mesh && !has_ending(files, count, points))
        return cli_usage_error(&verb_convert, "--mesh is for caches of points, MDD and PC2");
    return 0;
}

/* Returns the exit code for options that do not go together, or 0. */
static int convert_check_usage(const convert_options *o, char **files, int count)
{
    /* the number of uses of standard input */
    int standard = o->times && !strcmp(o->times, "-");
    if (o->as == AS_OBJECTS && (o->times || o->dt > 0))
        return cli_usage_error(&verb_convert, "%s is for frames; --as objects makes one",
                               o->times ? "--times" : "--dt");
    if (o->dt > 0 && o->times && strcmp(o->times, "names"))
        return cli_usage_error(&verb_convert,
                               "--dt and --times FILE: only one of them may give the times");
    if (o->objects && strcmp(o->objects, "id") && !(conversion_array(o) && *conversion_array(o)))
        return cli_usage_error(&verb_convert, "--objects: '%s' is not id or array:NAME",
                               o->objects);
    if (convert_check_python(o, files, count))
        return 2;
    for (int i = 0; i < count; i++)
        standard += !strcmp(files[i], "-");
    if (standard > 1)
        return cli_usage_error(&verb_convert, "-, standard input, can be read once only");
    return 0;
}

static int convert_found(conversion *s, convert_files *files)
{
    const int count = (int)files->count, code = convert_check_usage(&s->o, files->name, count);
    if (code)
        return code;
    const int err = convert_all(s, files->name, count);
    return err ? cli_fail(err) : 0;
}

static int convert(int argc, char **argv)
{
    /* -1: no welding, since 0 is a tolerance */
    conversion s = {.o = {.weld = -1}};
    int count, code = cli_parse(&verb_convert, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    convert_files files = {0};
    const int err = convert_files_find(&s.o, argv, count, &files);
    if (err)
        code = cli_fail(err);
    else
        code = convert_found(&s, &files);
    convert_files_free(&files);
    return code;
}

const cli_verb verb_convert = {
    .name = "convert",
    .usage = "FILE|FOLDER... -o BATCH.vtkhdf [options]",
    .text = "makes a batch from meshes in files, or in a folder; - is standard input, of text",
    .options = options,
    .examples = "  impinge convert cloth.*.obj -o cloth.vtkhdf\n"
                "  impinge convert frames/ -o cloth.vtkhdf\n"
                "  impinge convert cloth.*.obj --dt 0.04 -o cloth.vtkhdf\n"
                "  impinge convert t0.25.obj t0.5.obj --times names -o cloth.vtkhdf\n"
                "  impinge convert env.obj rob.obj --as objects -o scene.vtkhdf\n"
                "  impinge convert parts.obj --groups --weld 0 -o parts.vtkhdf\n"
                "  impinge convert blocks.vtkhdf -o batch.vtkhdf\n"
                "  impinge convert solids.vtkhdf --skin -o skin.vtkhdf\n"
                "  impinge convert glue.vtkhdf --skin --objects array:PartId -o parts.vtkhdf\n"
                "\nformats (recognised by contents, whatever the file is called):\n"
                "  Wavefront OBJ; groups are o and g\n"
                "  VTKHDF: PolyData and UnstructuredGrid, MultiBlockDataSet and\n"
                "    PartitionedDataSetCollection, of triangles, quads, polygons, strips and\n"
                "    tetrahedra, with --skin also of voxels, hexahedra, wedges and pyramids;\n"
                "    blocks, or the values of ObjectId, are objects, or with --objects\n"
                "    those of another array; times and cell arrays of integers are kept\n"
                "others (VTK, Gmsh, STL, PLY, Abaqus, USD, Alembic, URDF, ...) in Python:\n"
                "  " PACKAGE_WITH("io") "\n",
    .run = convert,
    .about = "A pattern in quotes stands for its files, and a folder for the files in it, in "
             "natural order, without those in folders below "
             "it. They have the ending of one format; other files are left out, and named.",
    .least = "files are missing",
};

static const char *weld_noun(const imp_mesh *mesh)
{
    return mesh->corners == IMP_TETRAHEDRA ? "primitive" : "triangle";
}

void convert_weld_note(convert_weld *w, const char *file, const imp_mesh *mesh,
                       const imp_weld_info *info)
{
    const char *noun = weld_noun(mesh);
    notice_add(&w->open, file, noun, &(file_shape_note){info->open, info->open_primitive});
    notice_add(&w->split, file, noun, &(file_shape_note){info->split, info->split_primitive});
}

int convert_weld_check(convert_weld *w, const char *file, const imp_frame *frame)
{
    int yes = 0;
    double fraction = 0;
    int err = imp_is_unwelded(frame, &yes, &fraction);
    if (err || !yes)
        return err;
    if (!w->unwelded.files) {
        w->primitives = frame->mesh->primitives;
        w->fraction = fraction;
        w->noun = weld_noun(frame->mesh);
    }
    notice_add(&w->unwelded, file, "", &(file_shape_note){1, 0});
    return IMP_OK;
}

void convert_weld_print(const convert_weld *w)
{
    const int faces = w->open.files && *w->open.place != 't';
    notice_print(&w->open,
                 faces
                     ? "an edge or face of more than two primitives, or of two on one side: it is "
                       "not certain which are neighbours, and none is joined there"
                     : "an edge of more than two triangles, or of two in one direction: it is "
                       "not certain which are neighbours, and none is joined there");
    notice_print(&w->split, "an edge of more than two triangles: they are closed bodies, one after "
                            "another, which stay apart");
    notice_print(&w->apart, "vertices that were one in the frame before are apart: they are found "
                            "anew, and the topology changes");
    if (!w->unwelded.files)
        return;
    fprintf(stderr, "impinge: %s: %s; --weld 0 joins them", cli_shown(text_name(w->unwelded.file)),
            unwelded_text(w->primitives, w->noun, "", w->fraction));
    notice_print_files(&w->unwelded);
}

void notice_add(notice *n, const char *file, const char *where, const file_shape_note *in_file)
{
    if (!in_file->count)
        return;
    n->one_file = !n->files++ || (n->one_file && n->file == file);
    if (n->files == 1) {
        n->file = file;
        n->place = where;
        n->in_file = *in_file;
    }
}

void notice_print_files(const notice *n)
{
    if (n->files > 1)
        fprintf(stderr, "; the same in %zu %s in all", n->files, n->one_file ? "frames" : "files");
    fputc('\n', stderr);
}

void notice_print(const notice *n, const char *what)
{
    if (!n->files)
        return;
    fprintf(stderr, "impinge: %s: %s %llu: %s", cli_shown(text_name(n->file)), n->place,
            (unsigned long long)n->in_file.line, cli_shown(what));
    if (n->in_file.count > 1)
        fprintf(stderr, "; %llu such in this file", (unsigned long long)n->in_file.count);
    notice_print_files(n);
}

const char *unwelded_text(uint64_t primitives, const char *noun, const char *where, double fraction)
{
    static char text[240];
    snprintf(text, sizeof text,
             "no two of %llu %ss%s share a vertex, though %.0f %% of their %s are those of a "
             "neighbour, too: all neighbours are contacts",
             (unsigned long long)primitives, noun, where, 100 * fraction,
             *noun == 't' ? "edges" : "edges or faces");
    return text;
}
