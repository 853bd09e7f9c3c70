/* Another view of the block at hand: by places, or only what comes near another object. */
#include "walk.h"

#include "error.h"

#define FEW 2       /* one primitive in so many may be left, else the copy is not worth it, */
#define FEW_KEPT 16 /* where few moved: to make so many anew takes less than to look what moved */

int walk_again(walk *w, const imp_frame *frame, size_t count, roster *by)
{
    rooms *r = w->r;
    block_close(w->c->mem, &r->block);
    int err = block_open(w->c->mem, frame, count, &r->block);
    r->block.roster = by;
    return err;
}

int walk_near(walk *w)
{
    rooms *r = w->r;
    keep *k = &r->keep;
    int done = 0;
    if (k->recording && w->c->opt.update == IMP_UPDATE_KEEP)
        return IMP_OK;
    if (w->c->opt.trees && r->block.frame->pose) /* trees of whole bodies are there already */
        return IMP_OK;
    int err = nearby_look(w->c, &r->block, k->recording ? FEW_KEPT : FEW, &r->near, &done);
    if (err || !done)
        return err;
    k->recording = 0;
    err = walk_again(w, &r->near.frame, 1, NULL);
    r->block.near = &r->near;
    return err;
}
