/* See info.h: do neighbours of a frame share vertices? The frame is read as `run` reads it. */
#include "info.h"

#include "impinge_weld.h"
#include "store.h"
#include "unwelded_text.h"

#include <stdio.h>

/* Points and corners: a mesh that takes more is not read for this. */
#define FRAME_BYTES (INFO_BYTES / 4)

static int info_unwelded_small(const batch *b, uint64_t frame)
{
    uint64_t vertices, primitives;
    batch_frame_size(b, frame, &vertices, &primitives);
    return vertices < FRAME_BYTES / 32 && primitives < FRAME_BYTES / 32;
}

/* What run refuses has no neighbours. */
int info_unwelded(mem *m, const char *path, uint64_t frame, char *text, size_t size)
{
    int yes = 0;
    double fraction = 0;
    batch *b = NULL;
    batch_block block = {0};
    batch_info info = {0};
    int err = batch_open(m, path, BATCH_OBJECT_ID, "", &b);
    if (!err) {
        batch_get_info(b, &info);
        err = frame < info.frames && info_unwelded_small(b, frame)
                  ? batch_read(b, frame, 1, 1, &block)
                  : IMP_OK;
    }
    if (!err && block.count)
        err = imp_is_unwelded(block.frame, &yes, &fraction);
    *text = 0;
    if (!err && yes)
        snprintf(text, size, "%s; impinge convert --weld 0 joins them",
                 unwelded_text(block.frame->mesh->primitives,
                               info.corners == IMP_TRIANGLES ? "triangle" : "primitive", "",
                               fraction));
    batch_block_free(&block);
    batch_close(b);
    return err == IMP_ERR_INPUT ? IMP_OK : err;
}
