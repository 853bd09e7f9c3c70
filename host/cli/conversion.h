/* Within `impinge convert`: the frames of a batch are made from files. A finding that several files
 * share is reported in one line. */
#ifndef IMP_CONVERSION_H
#define IMP_CONVERSION_H

#include "file_shape.h"
#include "impinge_weld.h"
#include "mesh_file.h"
#include "names.h"
#include "store.h"
#include "topology.h"

/* ---- Findings that are no errors and that several files may share: one line for all of them. */

/* The number of files with the finding, and the first place where it was found. */
typedef struct notice {
    size_t files;
    int one_file; /* all are frames of one file */
    const char *file, *place;
    file_shape_note in_file;
} notice;

/* Only the first file is named: a series of a thousand files must not print a thousand lines. */
void notice_add(notice *n, const char *file, const char *place, const file_shape_note *in_file);

/* "FILE: PLACE LINE: WHAT; 3 such in this file; the same in 7 files in all" */
void notice_print(const notice *n, const char *what);

/* Prints the end of such a line: the number of files. */
void notice_print_files(const notice *n);

/* ---- Within `impinge convert`: remarks on vertices that were welded, or that should be. */

typedef struct convert_weld {
    notice open, split; /* edges that imp_weld_info counts */
    notice apart;       /* frames that separate vertices which an earlier frame had welded */
    notice unwelded;    /* meshes that need welding */
    /* the first unwelded mesh: its primitives, their noun, and imp_is_unwelded's fraction */
    uint64_t primitives;
    const char *noun;
    double fraction;
} convert_weld;

/* Notes the welding of a mesh of this file. */
void convert_weld_note(convert_weld *w, const char *file, const imp_mesh *mesh,
                       const imp_weld_info *info);

/* Checks whether a mesh that is not to be welded should be. */
int convert_weld_check(convert_weld *w, const char *file, const imp_frame *frame);

void convert_weld_print(const convert_weld *w);

/* ---- Within `impinge convert`: cmd_convert.c (the verb), conversion.c (frames, their times, and
 * adding them to the batch). */

typedef struct convert_options {
    const char *out, *times, *joints, *purpose, *mesh, *objects;
    double weld, dt;
    int as, order, groups, skin, between, samples, force, quiet, float32, progress;
} convert_options;

enum { AS_FRAMES, AS_OBJECTS };
enum { ORDER_UNSET, ORDER_NATURAL, ORDER_GIVEN }; /* unset: depends on --as */

/* Names of files. */
typedef struct convert_files {
    char **name; /* [count] */
    size_t count, capacity;
} convert_files;

/* Copies the words of a command line, and replaces a pattern that is no file's name by its files,
 * in natural order, and a folder by its files of the one format in it
 * that convert reads, in natural order, without the output; a line on stderr names what else is in
 * it. *out is zeroed by the caller, who frees it. Errors: INPUT (no such file, several formats, an
 * OpenFOAM case), MEMORY. */
int convert_files_find(const convert_options *o, char **word, int count, convert_files *out);
void convert_files_free(convert_files *f);

/* One frame of a file, in the order of the batch. */
typedef struct convert_frame {
    char *file;
    uint64_t number;
    double time;
} convert_frame;

/* The files' frames, and the properties that the files share. */
typedef struct convert_input {
    convert_frame *frame; /* [frames] */
    size_t frames;
    mesh_file *open; /* the file read last */
    const char *open_name;
    int float32;        /* all files have float32 points */
    int objects;        /* some file has objects */
    int numbers;        /* all files have numbered objects, and the numbers are kept */
    batch_names kept;   /* names of numbered objects */
    cell_arrays arrays; /* arrays of all files; the first is SourceId */
    cell_arrays lost;   /* arrays that are not kept */
    int ids_lost;       /* PrimitiveId is not kept */
    int ids_made;       /* PrimitiveId is that of skins, from SourceId */
} convert_input;

/* members: input, output, and findings reported at the end */
typedef struct conversion {
    convert_options o;
    mem m;
    convert_input in;
    name_list names;          /* names of objects without numbers */
    char *body;               /* name of the current file if each file is an object */
    name_list dropped;        /* groups in files that do not become objects of the batch */
    const char *dropped_file; /* the first file with such groups */
    name_list varied;         /* arrays that could tell apart the parts of a skin, which are one */
    const char *varied_file;  /* the first file read, in which they are searched */
    batch_writer *w;
    int unstructured; /* the type of the batch */
    topology seen[2]; /* used alternately: the writer identifies a topology by its address */
    int turn;
    uint64_t triangles, tetrahedra, vertices; /* sizes of the last frame */
    uint64_t primitives;                      /* primitives in all frames, counted while reading */
    skin skin;                                /* the skin of the last frame read */
    notice crossing, changed, skipped, thin, ghosts, empty, apart, several, one_side, turned;
    convert_weld weld;
    char skipped_what[sizeof((file_shape *)0)->skipped_what];
} conversion;

/* Sorts the files and finds their frames and the time of each. */
int convert_order(conversion *s, char **files, size_t count);

/* The cell array that --objects names, or NULL. */
const char *conversion_array(const convert_options *o);

/* Opens a file unless it is open, and closes the previous one. */
int conversion_open(conversion *s, const char *file);

/* Drops PrimitiveId from the arrays kept. */
void conversion_lose_ids(conversion *s);

/* Creates the batch, or creates it again as another type. */
int conversion_create(conversion *s, int unstructured);

/* Adds all frames; adds all files as one frame. */
int conversion_frames(conversion *s);
int conversion_objects(conversion *s);

#endif
