/* See truth.h. */
#include "truth.h"

#include "truth_kind.h"
#include "truth_pairs.h"

#include <limits.h>

static int truth_frame_examine(const truth_case *c, oracle *o, truth_row *row)
{
    if (c->def->stage == IMP_STAGE_CANDIDATES)
        return truth_slabs_overlap(c, row->a, row->b);
    row->kind = truth_kind(c->f[0], o, row->a, row->b);
    return row->kind != 0;
}

int truth_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted, int threads,
               truth *out)
{
    const truth_case c = {.f = {f}, .frames = 1, .def = def, .wanted = wanted};
    return truth_sweep(m, &c, truth_frame_examine, threads, out);
}

const char *truth_points_fault(oracle *o, const imp_frame *f, uint32_t a, uint32_t b,
                               const truth_claim *claim)
{
    const solid_case c = truth_solids(f, a, b);
    const int solid = claim->kind == IMP_KIND_SOLIDS;
    const char *fault = NULL;
    if (!solid) {
        oracle_verdict want;
        const tri_pair t = truth_triangles(f, a, b);
        oracle_decide(o, &t, &want);
        fault = contact_form_fault(claim->kind, claim->point);
        fault = fault ? fault : oracle_box_fault(&want, claim->kind, claim->point);
        /* of slivers, and of planes nearly parallel, nothing more is known well enough */
        if (!fault && oracle_clear(&want, &t))
            fault = oracle_ends_fault(&want, claim->point);
    }
    if (fault || (!solid && !claim->deep))
        return fault;
    const int count = claim->collisions < INT_MAX ? (int)claim->collisions : INT_MAX;
    return oracle_solids_fault(&c, &(solid_claim){.meet = 1,
                                                  .within = -1,
                                                  .count = claim->deep ? count : -1,
                                                  .point = claim->collision,
                                                  .ends = solid ? claim->point : NULL,
                                                  .depth = claim->depth});
}
