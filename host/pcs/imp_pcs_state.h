/* What the functions of impinge_pcs.h share: the loop of pcs.h, with shapes, bodies and poses of
 * its own. */
#ifndef IMP_PCS_PUBLIC_STATE_H
#define IMP_PCS_PUBLIC_STATE_H

#include "impinge_pcs.h"

#include "pcs.h"

struct imp_pcs {
    mem mem;
    atomic_int cancel;
    pcs *loop;
    shape **shape; /* [shapes] one for each mesh */
    uint32_t shapes, bodies;
    pcs_body *body; /* [bodies] */
    imp_pose *pose; /* [bodies] what hooks see of them */
    const imp_pcs_hooks *hooks;
    int running;    /* a step */
    int in_contact; /* the contact hook runs */
};

#endif
