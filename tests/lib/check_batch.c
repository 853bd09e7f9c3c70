/* See check_batch.h. */
#include "check_batch.h"

#include "error.h"
#include "expect.h"

#include <string.h>

char about[200];

static int same_point(const imp_frame *f, const make_frame *want)
{
    for (size_t i = 0; i < (size_t)3 * want->vertices; i++) {
        double x = f->type == IMP_FLOAT32 ? (double)((const float *)f->point)[i]
                                          : ((const double *)f->point)[i];
        if (x != want->point[i])
            return 0;
    }
    return 1;
}

/* corners is 3 or 4, as the frame needs; corner_count exists only in frames with both kinds. */
static int check_batch_same_cells(const imp_mesh *m, const make_frame *want)
{
    size_t bytes = (size_t)want->corners * want->primitives * sizeof *want->corner;
    if (m->corners != want->corners || !m->corner_count != !want->mixed)
        return 0;
    return !bytes ||
           (!memcmp(m->corner, want->corner, bytes) &&
            (!m->corner_count || !memcmp(m->corner_count, want->corner_count, want->primitives)));
}

static void check_batch_frame(const make *m, const imp_frame *got, size_t frame)
{
    make_frame want;
    make_expect(m, frame, &want);
    const imp_mesh *mesh = got->mesh;
    int sizes = mesh->vertices == want.vertices && mesh->primitives == want.primitives;
    EXPECT(sizes, "%s: frame %zu: %u vertices, %u primitives, not %u, %u", about, frame,
           mesh->vertices, mesh->primitives, want.vertices, want.primitives);
    EXPECT(got->number == frame, "%s: frame %zu is called %llu", about, frame,
           (unsigned long long)got->number);
    if (sizes) {
        EXPECT(check_batch_same_cells(mesh, &want), "%s: frame %zu: other primitives", about,
               frame);
        EXPECT(same_point(got, &want), "%s: frame %zu: other points", about, frame);
    }
    make_frame_free(&want);
}

static void check_objects(const make *m, const make_cells *c, const imp_mesh *mesh, size_t frame)
{
    size_t wrong = 0;
    for (size_t i = 0; mesh->object && i < mesh->primitives; i++)
        wrong += mesh->object[i] != make_cell_value(m, c, frame, i);
    EXPECT(mesh->object && !wrong, "%s: frame %zu: %zu other objects", about, frame, wrong);
}

static void check_batch_frames(const make *m, const make_cells *c, const batch_block *b,
                               size_t first, int64_t step)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t frame = (size_t)((int64_t)first + (int64_t)i * step);
        check_batch_frame(m, &b->frame[i], frame);
        if (c)
            check_objects(m, c, b->frame[i].mesh, frame);
    }
}

void check_blocks(const make *m, const make_cells *c, batch *b, size_t most, int back)
{
    batch_block block = {0};
    size_t n = make_frames(m);
    for (size_t done = 0; done < n; done += most) {
        size_t count = n - done < most ? n - done : most;
        size_t first = back ? n - 1 - done : done;
        int err = batch_read(b, first, back ? -1 : 1, count, &block);
        EXPECT(!err, "%s: %s", about, imp_error_text());
        if (err)
            break;
        check_batch_frames(m, c, &block, first, back ? -1 : 1);
    }
    batch_block_free(&block);
}

static void check_batch_times(const make *m, const batch *b)
{
    for (size_t f = 0; f < make_frames(m); f++) {
        make_frame want;
        uint64_t verts, cells;
        make_expect(m, f, &want);
        batch_frame_size(b, f, &verts, &cells);
        EXPECT(batch_frame_time(b, f) == want.time, "%s: frame %zu: time %g", about, f,
               batch_frame_time(b, f));
        EXPECT(verts == want.vertices && cells == want.primitives, "%s: frame %zu: size", about, f);
        make_frame_free(&want);
    }
}

static void check_batch_info(const make *m, const batch *b, int is_static)
{
    batch_info info;
    uint64_t empty = 0;
    int corners = 3;
    for (size_t f = 0; f < make_frames(m); f++) {
        make_frame want;
        make_expect(m, f, &want);
        empty += want.primitives == 0;
        corners = want.corners > corners ? want.corners : corners;
        make_frame_free(&want);
    }
    batch_get_info(b, &info);
    int type = m->point_type == H5T_IEEE_F32LE ? IMP_FLOAT32 : IMP_FLOAT64;
    EXPECT(info.frames == make_frames(m), "%s: %llu frames", about,
           (unsigned long long)info.frames);
    EXPECT(info.empty_frames == empty, "%s: %llu empty frames", about,
           (unsigned long long)info.empty_frames);
    EXPECT(info.temporal == !m->no_steps, "%s: temporal %d", about, info.temporal);
    EXPECT(info.type == type, "%s: type %d", about, info.type);
    EXPECT(info.unstructured == m->unstructured, "%s: unstructured", about);
    EXPECT(info.corners == corners, "%s: %d corners", about, info.corners);
    EXPECT(info.static_topology == is_static, "%s: static %d", about, info.static_topology);
}

void check_file(const make *m, const char *path, enum object_source how, const make_cells *c,
                int is_static)
{
    mem memory = {0};
    batch *b = NULL;
    const char *array = how == BATCH_ARRAY ? c->name : "";
    int err = batch_open(&memory, path, how, array, &b);
    EXPECT(!err, "%s: %s", about, imp_error_text());
    if (err)
        return;
    check_batch_info(m, b, is_static);
    check_batch_times(m, b);
    const size_t blocks[] = {1, 2, 3, 1000};
    for (int i = 0; i < 8; i++)
        check_blocks(m, c, b, blocks[i / 2], i % 2);
    batch_close(b);
    EXPECT(atomic_load(&memory.now) == 0, "%s: %llu bytes are left", about,
           (unsigned long long)atomic_load(&memory.now));
}

int read_code(const char *path, size_t frame)
{
    mem memory = {0};
    batch *b = NULL;
    batch_block block = {0};
    int err = batch_open(&memory, path, BATCH_OBJECT_ID, "", &b);
    if (!err)
        err = batch_read(b, frame, 1, 1, &block);
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    return err;
}
