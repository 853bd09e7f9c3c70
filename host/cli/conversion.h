/* Within `impinge convert`: cmd_convert.c (the verb), conversion.c (files are added to the batch).
 */
#ifndef IMP_CONVERSION_H
#define IMP_CONVERSION_H

#include "names.h"
#include "file_shape.h"
#include "store.h"
#include "topology.h"

typedef struct convert_options {
    const char *out, *times;
    double weld, dt;
    int as, order, groups, force, quiet, float32, progress;
} convert_options;

enum { AS_FRAMES, AS_OBJECTS };
enum { ORDER_UNSET, ORDER_NATURAL, ORDER_GIVEN }; /* unset: it depends on --as */

/* Something that several files may have: how many do, and where it was found first. */
typedef struct notice {
    size_t files;
    const char *file;
    file_shape_note in_file;
} notice;

typedef struct conversion {
    convert_options o;
    mem m;
    names names; /* of objects */
    batch_writer *w;
    int unstructured; /* the type that it writes */
    topology seen[2]; /* the writer knows a topology by its address: two are used in turns */
    int turn;
    uint64_t triangles, tetrahedra, vertices; /* of the last frame */
    notice crossing, changed, skipped;
    char skipped_what[sizeof((file_shape *)0)->skipped_what];
} conversion;

/* Makes the batch, or makes it again as another type. */
int conversion_create(conversion *s, int unstructured);

/* Adds all files: each as a frame with its time, or all as one frame. */
int conversion_frames(conversion *s, char **files, const double *time, int count);
int conversion_objects(conversion *s, char **files, int count);

#endif
