/* See truth_kind.h. */
#include "truth_kind.h"

#include "frame.h"
#include "oracle_apart.h"
#include "truth_pairs.h"

solid_case truth_solids(const imp_frame *f, uint32_t a, uint32_t b)
{
    solid_case c = {.corners = {truth_corners(f->mesh, a), truth_corners(f->mesh, b)}};
    truth_read(f, a, c.x[0]);
    truth_read(f, b, c.x[1]);
    return c;
}

tri_pair truth_triangles(const imp_frame *f, uint32_t a, uint32_t b)
{
    tri_pair t;
    uint32_t vertex[6];
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t same = 0;
        vertex[i] = mesh_vertex(f->mesh, i < 3 ? a : b, i % 3);
        frame_vertex(f, vertex[i], t.x[i]);
        while (vertex[same] != vertex[i])
            same++;
        t.corner[i] = same;
    }
    return t;
}

int truth_kind(const imp_frame *f, oracle *o, uint32_t a, uint32_t b)
{
    const solid_case c = truth_solids(f, a, b);
    if (c.corners[0] == 4 || c.corners[1] == 4)
        return oracle_solids_intersect(&c, truth_prims_share_vertex(f->mesh, a, b))
                   ? IMP_KIND_SOLIDS
                   : 0;
    if (oracle_apart(c.corners, c.x, 0))
        return 0;
    oracle_verdict answer;
    const tri_pair t = truth_triangles(f, a, b);
    oracle_decide(o, &t, &answer);
    return answer.kind;
}
