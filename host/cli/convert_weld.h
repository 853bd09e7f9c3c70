/* Within `impinge convert`: what a user should know of vertices that are one, or are not. */
#ifndef IMP_CONVERT_WELD_H
#define IMP_CONVERT_WELD_H

#include "impinge_weld.h"
#include "notice.h"

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

#endif
