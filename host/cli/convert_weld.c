/* See convert_weld.h. */
#include "convert_weld.h"

#include "cli.h"
#include "text.h"
#include "unwelded_text.h"

#include <stdio.h>

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
