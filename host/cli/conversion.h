/* Within `impinge convert`: files become the frames of a batch; one line for what several files
 * have. */
#ifndef IMP_CONVERSION_H
#define IMP_CONVERSION_H

#include "file_shape.h"
#include "impinge_weld.h"
#include "mesh_file.h"
#include "names.h"
#include "store.h"
#include "topology.h"

/* ---- Something that several files may have and that is no error: one line for all of them. */

/* How many files have it, and where it was found first. */
typedef struct notice {
    size_t files;
    int one_file; /* they are frames of one */
    const char *file, *place;
    file_shape_note in_file;
} notice;

/* Only the first file is named: a series of a thousand files must not print a thousand lines. */
void notice_add(notice *n, const char *file, const char *place, const file_shape_note *in_file);

/* "FILE: PLACE LINE: WHAT; 3 such in this file; the same in 7 files in all" */
void notice_print(const notice *n, const char *what);

/* The end of such a line: in how many files. */
void notice_print_files(const notice *n);

/* ---- Within `impinge convert`: what a user should know of vertices that are one, or are not. */

typedef struct convert_weld {
    notice open, split; /* edges: imp_weld_info */
    notice apart;       /* frames in which vertices are apart that were one before */
    notice unwelded;    /* meshes */
    /* the first of these: its primitives, what they are called, and imp_is_unwelded */
    uint64_t primitives;
    const char *noun;
    double fraction;
} convert_weld;

/* A mesh of this file was welded. */
void convert_weld_note(convert_weld *w, const char *file, const imp_mesh *mesh,
                       const imp_weld_info *info);

/* Looks whether a mesh that is not to be welded should be. */
int convert_weld_check(convert_weld *w, const char *file, const imp_frame *frame);

void convert_weld_print(const convert_weld *w);

/* ---- Within `impinge convert`: cmd_convert.c (the verb), conversion.c (frames and their times),
 * conversion.c (frames are added to the batch). */

typedef struct convert_options {
    const char *out, *times, *joints;
    double weld, dt;
    int as, order, groups, force, quiet, float32, progress;
} convert_options;

enum { AS_FRAMES, AS_OBJECTS };
enum { ORDER_UNSET, ORDER_NATURAL, ORDER_GIVEN }; /* unset: it depends on --as */

/* A frame of a file, in the order of the batch. */
typedef struct convert_frame {
    char *file;
    uint64_t number;
    double time;
} convert_frame;

/* What all files have. */
typedef struct convert_input {
    convert_frame *frame; /* [frames] */
    size_t frames;
    mesh_file *open; /* the file that was read last */
    const char *open_name;
    int float32;        /* points of all files are */
    int objects;        /* a file has objects of its own */
    int numbers;        /* all files have, with numbers that they keep */
    batch_names kept;   /* of these objects */
    cell_arrays arrays; /* of any file; the first is SourceId */
    cell_arrays lost;   /* arrays of files that are not kept */
    int ids_lost;       /* PrimitiveId is not kept */
} convert_input;

/* members: what is read, what is written, and what is told of both at the end */
typedef struct conversion {
    convert_options o;
    mem m;
    convert_input in;
    name_list names;          /* of objects, where they have no numbers of their own */
    char *body;               /* the name of the file that is read, if each is an object */
    name_list dropped;        /* groups that are told apart in files, and not in the batch */
    const char *dropped_file; /* the first file of these */
    batch_writer *w;
    int unstructured; /* the type that it writes */
    topology seen[2]; /* the writer knows a topology by its address: two are used in turns */
    int turn;
    uint64_t triangles, tetrahedra, vertices; /* of the last frame */
    uint64_t primitives;                      /* of all, counted while they are read */
    notice crossing, changed, skipped, thin, ghosts, empty, apart;
    convert_weld weld;
    char skipped_what[sizeof((file_shape *)0)->skipped_what];
} conversion;

/* Sorts the files and finds their frames and the time of each. */
int convert_order(conversion *s, char **files, size_t count);

/* Opens a file, if it is not open, and closes the one before. */
int conversion_open(conversion *s, const char *file);

/* PrimitiveId is not kept. */
void conversion_lose_ids(conversion *s);

/* Makes the batch, or makes it again as another type. */
int conversion_create(conversion *s, int unstructured);

/* Adds all frames, or all as one frame. */
int conversion_frames(conversion *s);
int conversion_objects(conversion *s);

#endif
