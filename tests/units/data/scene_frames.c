/* See scene_frames.h. */
#include "scene_frames.h"

#include "testlib.h"

imp_frame scenes_next(scene *s)
{
    imp_frame f = {0};
    double time;
    CU_ASSERT_FATAL(!scene_next(s, &f, &time));
    return f;
}

const double *scenes_corner(const imp_frame *f, uint32_t triangle, int k)
{
    return (const double *)f->point + 3 * (size_t)mesh_vertex(f->mesh, triangle, (uint32_t)k);
}

imp *scenes_open_pipeline(const imp_def *def)
{
    imp *p = NULL;
    CU_ASSERT_FATAL(!imp_create(def, &p));
    return p;
}

imp_frame_info scenes_count(imp *p, const imp_frame *f, imp_sink *sink, void *user)
{
    imp_frame_info info = {0};
    CU_ASSERT_FATAL(!imp_detect(p, f, 1, sink, user, &info));
    return info;
}

int scenes_on_sides(void *user, const imp_contacts *c)
{
    sides *n = user;
    for (size_t i = 0; i < c->count; i++)
        if (n->object[c->a[i]] == n->object[c->b[i]])
            n->self++;
        else
            n->between++;
    return 0;
}
