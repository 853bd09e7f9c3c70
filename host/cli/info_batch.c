/* impinge info for a batch. Counts of all frames are in small tables. Cell types, boxes and objects
 * need most of the file: of a large one only its first and last frame are read, unless --frames
 * asks for more. */
#include "cell_types.h"
#include "info.h"

#include "error.h"
#include "object_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Facts about one frame that was read. */
typedef struct frame_facts {
    uint64_t frame, vertices, cells, objects;
    batch_box box;
} frame_facts;

typedef struct batch_facts {
    batch *b;
    batch_info info;
    frame_slice slice;    /* the frames to read */
    int ends, all;        /* ends: only the first and the last frame are read; all: all are */
    frame_facts *scanned; /* [slice.count] */
    uint64_t cells_most, cells_all;
    uint64_t type_most[BATCH_CELL_TYPES], type_all[BATCH_CELL_TYPES]; /* over the frames read */
    batch_box box;
    uint64_t objects_most; /* most different objects in a frame */
    uint64_t large;        /* the frame with the most cells: its objects are listed */
    tally object, object_now;
    char unwelded[300]; /* remark on neighbours in the first frame; "": nothing to remark */
} batch_facts;

/* VTK types of cells that `run` reads */
#define TRIANGLE 5
#define TETRAHEDRON 10

static int is_read(int type)
{
    return type == TRIANGLE || type == TETRAHEDRON;
}

/* True if `run` reads all cells seen. Frames that were not read may have others. */
static int readable(const batch_facts *f)
{
    for (int t = 0; t < BATCH_CELL_TYPES; t++)
        if (!is_read(t) && f->type_most[t])
            return 0;
    return 1;
}

/* ---- reading */

/* Chooses frames: those of --frames; else all, or the first and the last of a large file. The
 * tables give the size, so nothing is read to decide. */
static int info_batch_choose_frames(batch_facts *f, const info_options *o)
{
    int err = IMP_OK;
    uint64_t n = f->info.frames, bytes = 0;
    TRY(frame_slice_select(o->frames, n, &f->slice));
    for (uint64_t k = 0; k < n; k++)
        bytes += batch_scan_bytes(f->b, k);
    if (!o->frames && bytes > INFO_BYTES && n > 2) {
        f->slice.count = 2;
        /* one step from the first to the last */
        f->slice.step = (int64_t)n - 1;
        f->ends = 1;
    }
    /* if so, sums over the frames read are sums over all */
    f->all = f->slice.count == n;
    TRY(mem_alloc(f->object.mem, f->slice.count * sizeof *f->scanned, &f->scanned));
out:
    return err;
}

/* The two tallies are swapped, so that each keeps its memory. */
static void info_batch_add_objects(batch_facts *f, uint64_t frame)
{
    tally t = f->object;
    f->object = f->object_now;
    f->object_now = t;
    f->large = frame;
}

/* Reads the i-th frame. type: cells of the previous one, kept if the topology is the same. */
static int info_batch_read_frame(batch_facts *f, uint64_t i, uint64_t type[BATCH_CELL_TYPES])
{
    int err = IMP_OK;
    frame_facts *now = &f->scanned[i];
    uint64_t frame = frame_slice_at(&f->slice, i);
    *now = (frame_facts){.frame = frame};
    batch_frame_size(f->b, frame, &now->vertices, &now->cells);
    if (i && batch_same_mesh(f->b, frame, frame_slice_at(&f->slice, i - 1))) {
        /* type[] still has the cells; i > 0, so there is an entry before */
        now->objects = now[-1].objects;
        now->cells = now[-1].cells;
    } else {
        /* batch_frame_size does not count vertices, lines and strips of PolyData */
        now->cells = 0;
        TRY(batch_scan_cells(f->b, frame, type));
        for (int t = 0; t < BATCH_CELL_TYPES; t++)
            now->cells += type[t];
        TRY(batch_scan_objects(f->b, frame, &f->object_now));
        now->objects = f->object_now.rows;
        /* among frames with the same number of cells the first is listed */
        if (!i || now->cells > f->cells_most)
            info_batch_add_objects(f, frame);
    }
    for (int t = 0; t < BATCH_CELL_TYPES; t++) {
        f->type_most[t] = type[t] > f->type_most[t] ? type[t] : f->type_most[t];
        f->type_all[t] += type[t];
    }
    TRY(batch_scan_points(f->b, frame, &now->box));
    batch_box_join(&f->box, &now->box);
    f->cells_most = now->cells > f->cells_most ? now->cells : f->cells_most;
    f->cells_all += now->cells;
    f->objects_most = now->objects > f->objects_most ? now->objects : f->objects_most;
out:
    return err;
}

/* All facts are gathered before anything is printed, so that an error leaves no partial text.
 * type[] passes the cells from one frame to the next. */
static int info_batch_gather(mem *m, const char *path, const info_options *o, batch_facts *f)
{
    int err = IMP_OK;
    uint64_t type[BATCH_CELL_TYPES] = {0};
    f->object.mem = f->object_now.mem = m;
    TRY(batch_open_any_type(m, path, &f->b));
    batch_get_info(f->b, &f->info);
    TRY(info_batch_choose_frames(f, o));
    for (uint64_t i = 0; i < f->slice.count; i++)
        TRY(info_batch_read_frame(f, i, type));
    if (f->slice.count && readable(f))
        TRY(info_unwelded(m, path, frame_slice_at(&f->slice, 0), f->unwelded, sizeof f->unwelded));
out:
    return err;
}

/* Returns the number of cells of a type in all frames, or NaN if it is not known. As double, since
 * the product may exceed 64 bits; JSON shows NaN as null. */
static double info_batch_cells_of_all(const batch_facts *f, int type)
{
    if (f->all)
        return (double)f->type_all[type];
    if (f->info.static_topology)
        return (double)f->type_most[type] * (double)f->info.frames;
    return NAN;
}

/* Used for text and JSON, so that both report the same warnings in the same order. */
static void each_warning(const batch_facts *f, void (*report)(void *to, const char *text), void *to)
{
    char line[128];
    const char *text;
    for (size_t i = 0; (text = batch_remark(f->b, i)); i++)
        report(to, text);
    if (!f->info.frames)
        report(to, "it has no frames");
    else if (f->info.empty_frames == f->info.frames)
        report(to, "no frame has a primitive");
    else if (f->info.empty_frames) {
        snprintf(line, sizeof line, "frames without a primitive: %s",
                 cli_number_text(f->info.empty_frames));
        report(to, line);
    }
    if (*f->unwelded)
        report(to, f->unwelded);
    if (f->box.bad) {
        snprintf(line, sizeof line, "vertices that are NaN or infinite: %s",
                 cli_number_text(f->box.bad));
        report(to, line);
    }
}

/* ---- as text */

/* Without a finite vertex the box is undefined. */
static void print_box(const batch_box *box)
{
    if (box->vertices)
        printf("%.6g %.6g %.6g to %.6g %.6g %.6g", box->low[0], box->low[1], box->low[2],
               box->high[0], box->high[1], box->high[2]);
    else
        printf("-");
}

/* Other types are also shown, with the hint that run refuses them, so that the user knows why. */
static void print_cells(const batch_facts *f)
{
    char many[64];
    for (int t = 0; t < BATCH_CELL_TYPES; t++) {
        /* a batch without cells prints 0 triangles; one with other cells prints only those */
        if (!f->type_most[t] && (t != TRIANGLE || f->cells_most))
            continue;
        cell_type_name(t, 1, many, sizeof many);
        printf("%-10s ", is_read(t) ? many : "not read");
        if (!is_read(t))
            printf("%s: ", many);
        printf("%s%s", cli_number_text(f->type_most[t]), f->info.static_topology ? "" : " at most");
        if (!isnan(info_batch_cells_of_all(f, t)) && f->info.frames > 1)
            printf(", %s in all frames", cli_number_text((uint64_t)info_batch_cells_of_all(f, t)));
        printf("\n");
    }
    if (!readable(f))
        printf("           'impinge run' reads triangles and tetrahedra only\n");
}

static void print_objects(const batch_facts *f, const batch_names *names)
{
    const tally *o = &f->object;
    if (!f->info.has_object) {
        printf("objects    not named\n");
        return;
    }
    printf("objects    CellData/ObjectId: %s", cli_number_text(f->objects_most));
    printf("%s; in frame %s, with their primitives:\n", f->info.static_topology ? "" : " at most",
           cli_number_text(f->large));
    for (size_t i = 0; i < o->rows && i < INFO_ROWS; i++)
        printf("           %s: %s\n", object_text(names, o->row[i].a),
               cli_number_text(o->row[i].count));
    if (o->rows > INFO_ROWS)
        printf("           and %s more, none of them larger; --json lists all\n",
               cli_number_text(o->rows - INFO_ROWS));
}

/* Only with --frames: a batch may have thousands of frames. */
static void info_batch_print_table(const batch_facts *f, const batch_names *names)
{
    printf("\n%10s %14s %14s %14s %9s  %s\n", "frame", "time", "vertices", "primitives", "objects",
           names->sources ? "box, made of" : "box");
    for (uint64_t i = 0; i < f->slice.count; i++) {
        const frame_facts *r = &f->scanned[i];
        const char *source = batch_frame_source(names, r->frame);
        printf("%10s %14g %14s %14s %9s  ", cli_number_text(r->frame),
               batch_frame_time(f->b, r->frame), cli_number_text(r->vertices),
               cli_number_text(r->cells), cli_number_text(r->objects));
        print_box(&r->box);
        printf("%s%s\n", source ? ", " : "", source ? cli_shown(source) : "");
    }
}

static void print_warning(void *to, const char *text)
{
    (void)to;
    printf("warning    %s\n", cli_shown(text));
}

/* "at most" if frames differ: the largest is shown. */
static void info_batch_print_text(const char *path, const batch_facts *f)
{
    const batch_info *i = &f->info;
    const batch_names *names = batch_get_names(f->b);
    printf("%s: a batch (VTKHDF %s)\n", cli_shown(path),
           i->unstructured ? "UnstructuredGrid" : "PolyData");
    printf("frames     %s", cli_number_text(i->frames));
    if (i->temporal && i->frames)
        printf(", time %g to %g", batch_frame_time(f->b, 0), batch_frame_time(f->b, i->frames - 1));
    printf("\nvertices   %s%s\n", cli_number_text(i->vertices),
           i->static_topology ? "" : " at most");
    print_cells(f);
    if (i->ghosts)
        printf("ghosts     %s left out in all frames (vtkGhostType)\n",
               cli_count_text(i->ghosts, "cell"));
    printf("points     %s\n", i->type == IMP_FLOAT32 ? "float32" : "float64");
    printf("topology   %s\n", i->static_topology ? "the same in all frames" : "changes");
    printf("box        ");
    print_box(&f->box);
    printf("\n");
    print_objects(f, names);
    if (i->bodies)
        printf("bodies     %s rigid, with poses (/impinge/bodies)\n", cli_number_text(i->bodies));
    if (f->ends)
        printf("seen       the first and the last frame: the file is large; --frames : reads "
               "all\n");
    else if (!f->all)
        printf("seen       %s of %s\n", cli_number_text(f->slice.count),
               cli_count_text(i->frames, "frame"));
    each_warning(f, print_warning, NULL);
}

/* ---- as JSON */

static void json_point(json *j, const char *key, const double x[3])
{
    json_open(j, key, '[');
    for (int k = 0; k < 3; k++)
        json_real(j, NULL, x[k]);
    json_close(j, ']');
}

/* The array is empty if there is no finite vertex. */
static void json_box(json *j, const batch_box *box)
{
    json_open(j, "box", '[');
    if (box->vertices) {
        json_point(j, NULL, box->low);
        json_point(j, NULL, box->high);
    }
    json_close(j, ']');
}

/* Types without a cell are omitted: there are 256. */
static void json_cells(json *j, const batch_facts *f)
{
    char one[64];
    json_open(j, "cells", '[');
    for (int t = 0; t < BATCH_CELL_TYPES; t++) {
        if (!f->type_most[t])
            continue;
        cell_type_name(t, 0, one, sizeof one);
        json_open(j, NULL, '{');
        json_count(j, "type", (uint64_t)t);
        json_text(j, "name", one);
        json_count(j, "most", f->type_most[t]);
        json_real(j, "all_frames", info_batch_cells_of_all(f, t));
        json_bool(j, "read", is_read(t));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_objects(json *j, const batch_facts *f, const batch_names *names)
{
    json_count(j, "objects_most", f->objects_most);
    json_count(j, "objects_frame", f->large);
    json_open(j, "objects", '[');
    for (size_t i = 0; i < f->object.rows; i++) {
        const tally_row *r = &f->object.row[i];
        const char *name = batch_object_name(names, r->a);
        json_open(j, NULL, '{');
        /* exact: an int32 fits in a double */
        json_real(j, "id", r->a);
        if (name)
            json_text(j, "name", name);
        json_count(j, "primitives", r->count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void info_batch_json_table(json *j, const batch_facts *f, const batch_names *names)
{
    json_open(j, "frame_table", '[');
    for (uint64_t i = 0; i < f->slice.count; i++) {
        const frame_facts *r = &f->scanned[i];
        json_open(j, NULL, '{');
        json_count(j, "frame", r->frame);
        json_real(j, "time", batch_frame_time(f->b, r->frame));
        json_count(j, "vertices", r->vertices);
        json_count(j, "primitives", r->cells);
        json_count(j, "objects", r->objects);
        json_box(j, &r->box);
        if (batch_frame_source(names, r->frame))
            json_text(j, "source", batch_frame_source(names, r->frame));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void json_warning(void *to, const char *text)
{
    json_text(to, NULL, text);
}

/* All members are always present, so that scripts need not test for them; only the table depends on
 * --frames. */
static void info_batch_print_json(json *j, const char *path, const batch_facts *f, int table)
{
    const batch_info *i = &f->info;
    const batch_names *names = batch_get_names(f->b);
    json_text(j, "file", path);
    json_text(j, "kind", "batch");
    json_text(j, "type", i->unstructured ? "UnstructuredGrid" : "PolyData");
    json_bool(j, "readable", readable(f));
    json_count(j, "frames", i->frames);
    json_count(j, "frames_seen", f->slice.count);
    json_count(j, "empty_frames", i->empty_frames);
    json_bool(j, "temporal", i->temporal);
    json_real(j, "first_time", i->frames ? batch_frame_time(f->b, 0) : 0);
    json_real(j, "last_time", i->frames ? batch_frame_time(f->b, i->frames - 1) : 0);
    json_count(j, "vertices", i->vertices);
    json_count(j, "bad_vertices", f->box.bad);
    json_count(j, "triangles", f->type_most[TRIANGLE]);
    json_real(j, "triangles_all_frames", info_batch_cells_of_all(f, TRIANGLE));
    json_count(j, "tetrahedra", f->type_most[TETRAHEDRON]);
    json_real(j, "tetrahedra_all_frames", info_batch_cells_of_all(f, TETRAHEDRON));
    json_cells(j, f);
    json_count(j, "ghosts", i->ghosts);
    json_text(j, "points", i->type == IMP_FLOAT32 ? "float32" : "float64");
    json_bool(j, "static_topology", i->static_topology);
    json_box(j, &f->box);
    json_bool(j, "object_id", i->has_object);
    json_count(j, "rigid_bodies", i->bodies);
    json_objects(j, f, names);
    json_open(j, "warnings", '[');
    each_warning(f, json_warning, j);
    json_close(j, ']');
    if (table)
        info_batch_json_table(j, f, names);
}

/* ---- both */

/* --json is claimed before the frames are read, so that a refusal is immediate. */
int info_batch(mem *m, const char *path, info_options *o)
{
    int err = IMP_OK;
    batch_facts f = {0};
    json j;
    TRY(info_claim(o));
    TRY(info_batch_gather(m, path, o, &f));
    if (o->json) {
        TRY(json_begin(&j, &o->to));
        info_batch_print_json(&j, path, &f, o->frames != NULL);
        TRY(json_end(&j, &o->to));
        goto out;
    }
    /* for people, the largest first; JSON lists all by number */
    tally_sort(&f.object);
    info_batch_print_text(path, &f);
    if (o->frames)
        info_batch_print_table(&f, batch_get_names(f.b));
out:
    mem_free(m, f.scanned);
    tally_free(&f.object);
    tally_free(&f.object_now);
    batch_close(f.b);
    return err;
}
