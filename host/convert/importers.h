/* The formats of files that are read (importers.def). */
#ifndef IMP_IMPORTERS_H
#define IMP_IMPORTERS_H

#include "file_shape.h"

struct text;

/* Each reads the rest of a text that was just opened. On failure *out is as it was. Errors: as
 * file_shape_read. */
#define IMPORTER(name, ...) int name##_read(struct text *t, file_shape *out);
#include "importers.def"
#undef IMPORTER

typedef struct importer {
    const char *ending; /* of file names: ".obj" */
    const char *title;  /* in messages: "Wavefront OBJ" */
    const char *begins; /* of the text; "": any */
    int has_groups;
    int (*read)(struct text *t, file_shape *out);
} importer;

/* The one that reads a text which was just opened. */
const importer *importer_of_text(const struct text *t);

/* The one that the ending of the name belongs to, or NULL. */
const importer *importer_of_name(const char *path);

/* For messages and help: " .obj .vtk", and a line for each. */
extern const char importer_endings[];
#define IMPORTER_LINE(name, ending, title, begins, has_groups, more)                               \
    "  " ending "  " title more "\n"

#endif
