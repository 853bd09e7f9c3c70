/* Room 3, what all methods share: which there are, and pairs in pieces, by finder or by tile. */
#include "engine.h"

#include "error.h"

#include <string.h>

#define TILE 128       /* finders */
#define TILE_ROOM 1024 /* pairs of a tile's region at first */
#define TILE_ROOM_MOST 65536
#define PAIRS_MOST INT32_MAX /* of a tile or a finder: kernels count in 32 bits */

#define X(name) extern const broad_method broad_##name;
#include "broad.def"
#undef X

const broad_method *broad_find(const char *name)
{
    static const broad_method *const all[] = {
#define X(name) &broad_##name,
#include "broad.def"
#undef X
    };
    if (!name || !strcmp(name, "auto"))
        return all[0];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i]->name))
            return all[i];
    return NULL;
}

int broad_build(imp *p)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    b->by_tile = b->method->tiles && !p->dev->group_forms;
    b->finder0 = p->block.prim0;
    b->finder0_buf = &p->bounds.near.prim0;
    if (!b->tile_room)
        b->tile_room = TILE_ROOM;
    TRY(cull(p));
    TRY(b->method->build(p));
    if (b->by_tile)
        TRY(chunks_make(&p->mem, p->dev, &b->tiles, b->finder0, p->block.frames, TILE));
    else
        TRY(buffer_fit(p->dev, &b->count, (size_t)4 * b->finder0[p->block.frames]));
out:
    return err;
}

/* ---- by finder */

/* candidates of each frame: differences of the offsets where frames begin */
static int count_frames(imp *p, imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t n = p->block.frames + 1;
    uint64_t *at = NULL;
    TRY(mem_alloc(&p->mem, n * sizeof *at, &at));
    TRY(scan_take(p->dev, &p->broad.scan, &p->broad.offset, p->broad.finder0_buf, n, at));
    for (uint32_t f = 0; f + 1 < n; f++)
        info[f].candidates += at[f + 1] - at[f];
out:
    mem_free(&p->mem, at);
    return err;
}

static int finders_begin(imp *p, imp_frame_info *info)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    b->base = 0;
    TRY(b->method->count(p, 0, b->end));
    TRY(scan_counts(p->dev, &b->scan, &b->count, b->end, &b->offset, &b->total));
    TRY(count_frames(p, info));
out:
    return err;
}

static int pairs_fit(imp *p, pairs *out, uint64_t count)
{
    int err = IMP_OK;
    TRY(buffer_fit(p->dev, &out->a, count * sizeof(uint32_t)));
    TRY(buffer_fit(p->dev, &out->b, count * sizeof(uint32_t)));
    out->count = count;
out:
    return err;
}

/* Pairs that would need more than 16 GB: less of the block at a time has fewer. */
static int pairs_few(uint64_t count)
{
    return count > PAIRS_MOST ? imp_fail(IMP_ERR_MEMORY, "too many candidates at a time") : IMP_OK;
}

static int finders_next(imp *p, uint64_t room, pairs *out)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    uint32_t end = b->end;
    uint64_t upto = b->total;
    if (b->total - b->base > room)
        TRY(scan_find(p->dev, &b->scan, &b->offset, b->end, b->at, b->base + room, &end, &upto));
    TRY(pairs_few(upto - b->base));
    TRY(pairs_fit(p, out, upto - b->base));
    TRY(b->method->emit(p, b->at, end - b->at, b->base, out));
    b->at = end;
    b->base = upto;
out:
    return err;
}

/* ---- by tile */

/* A piece of tiles: how many pairs each has, and where they go. */
typedef struct tile_piece {
    uint32_t tiles, fit; /* that ran, and whose pairs fit the room */
    uint32_t *count;     /* [tiles] */
    uint64_t *offset;    /* [tiles + 1] */
    uint32_t most;       /* pairs of a tile */
} tile_piece;

static int piece_run(imp *p, uint64_t room, tile_piece *t)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    uint64_t tiles = room / (b->tile_room > b->tile_pairs ? b->tile_room : b->tile_pairs) + 1;
    t->tiles = b->end - b->at < tiles ? b->end - b->at : (uint32_t)tiles;
    /* as large for a last, short piece: buffers of steady size are not made anew */
    TRY(pairs_fit(p, &b->regions, (b->end < tiles ? b->end : tiles) * b->tile_room));
    TRY(buffer_fit(p->dev, &b->count, t->tiles * sizeof *t->count));
    TRY(buffer_fit(p->dev, &b->offset, (t->tiles + 1) * sizeof *t->offset));
    TRY(mem_alloc(&p->mem, t->tiles * sizeof *t->count, &t->count));
    TRY(mem_alloc(&p->mem, (t->tiles + 1) * sizeof *t->offset, &t->offset));
    TRY(b->method->tiles(p, b->at, t->tiles, b->tile_room, &b->regions));
    TRY(buffer_read(p->dev, &b->count, 0, t->count, t->tiles * sizeof *t->count));
out:
    return err;
}

/* Prefix sum of the counts, as far as the pairs fit; one tile at least. */
static void piece_sum(imp *p, uint64_t room, tile_piece *t, imp_frame_info *info)
{
    const broad *b = &p->broad;
    uint64_t sum = 0;
    while (t->fit < t->tiles && (t->fit == 0 || sum + t->count[t->fit] <= room)) {
        uint32_t n = t->count[t->fit];
        info[b->tiles.frame[b->at + t->fit]].candidates += n;
        t->most = n > t->most ? n : t->most;
        t->offset[t->fit++] = sum;
        sum += n;
    }
    t->offset[t->fit] = sum;
}

static int tiles_next(imp *p, uint64_t room, imp_frame_info *info, pairs *out)
{
    int err = IMP_OK;
    broad *b = &p->broad;
    tile_piece t = {0};
    TRY(piece_run(p, room, &t));
    for (uint32_t i = 0; i < t.tiles; i++)
        TRY(pairs_few(t.count[i]));
    piece_sum(p, room, &t, info);
    TRY(buffer_write(p->dev, &b->offset, 0, t.offset, (t.fit + 1) * sizeof *t.offset));
    TRY(pairs_fit(p, out, t.offset[t.fit]));
    if (t.most <= b->tile_room)
        TRY(RUN(p->dev, grid_pack, t.fit, U32(b->tile_room), BUF(&b->count), BUF(&b->offset),
                BUF(&b->regions.a), BUF(&b->regions.b), BUF(&out->a), BUF(&out->b)));
    else
        TRY(b->method->tiles(p, b->at, t.fit, 0, out));
    b->at += t.fit;
    b->tile_pairs = (uint32_t)(t.offset[t.fit] / t.fit);
    if (t.most > b->tile_room && b->tile_room < TILE_ROOM_MOST)
        b->tile_room = t.most + t.most / 4 < TILE_ROOM_MOST ? t.most + t.most / 4 : TILE_ROOM_MOST;
out:
    mem_free(&p->mem, t.count);
    mem_free(&p->mem, t.offset);
    return err;
}

/* ---- either way */

int broad_begin(imp *p, uint32_t first, uint32_t last, imp_frame_info *info)
{
    broad *b = &p->broad;
    b->first = first;
    b->last = last == p->block.prims ? UINT32_MAX : last; /* as prim.h wants a whole range */
    b->at = 0;
    b->end = b->by_tile ? b->tiles.count : b->finder0[p->block.frames];
    b->tile_pairs = 0;
    return b->by_tile ? IMP_OK : finders_begin(p, info);
}

int broad_next(imp *p, uint64_t room, imp_frame_info *info, pairs *out)
{
    return p->broad.by_tile ? tiles_next(p, room, info, out) : finders_next(p, room, out);
}

int broad_done(const imp *p)
{
    return p->broad.at == p->broad.end;
}

void broad_free(imp *p)
{
    broad *b = &p->broad;
    if (!p->dev)
        return;
    if (b->method)
        b->method->free(p);
    buffer_free(p->dev, &b->count);
    buffer_free(p->dev, &b->offset);
    buffer_free(p->dev, &b->regions.a);
    buffer_free(p->dev, &b->regions.b);
    chunks_free(&p->mem, p->dev, &b->tiles);
    scanner_free(p->dev, &b->scan);
    sorter_free(p->dev, &b->sort);
}
