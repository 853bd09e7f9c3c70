/* Nearest features of pairs within a distance, and of pairs without certain ones the verdict on
 * their intersection, by a device with work-groups: of all pairs at once, so that the host waits
 * once for them and once for each piece of rows. */
#include "distance_code.h"
#include "error.h"
#include "prim.h"
#include "stages.h"
#include "tri.h"

/* With rings the host leaves out pairs before they get features. */
int distance_codes_on_device(const contact_source *of)
{
    const context *c = of->c;
    return c->dev64->groups && of->v->corners == IMP_TRIANGLES && !c->opt.ring &&
           c->opt.rules & RULE_SKIP_ADJACENT;
}

int distance_features_find(device *d, const bounds *o, const pairs *of, uint64_t n, buffer_u8 *code)
{
    int err = IMP_OK;
    TRY(RUN(d, distance_nearly, n, &of->a, &of->b, &o->on64.corner, &o->on64.point, code));
    TRY(RUN(d, distance_features, n, &of->a, &of->b, &o->on64.corner, &o->x, code));
out:
    return err;
}

int distance_codes_make(const contact_source *of)
{
    int err = IMP_OK;
    device *d = of->c->dev64;
    narrow *s = of->s;
    const pairs *m = &s->meet;
    const bounds *o = of->o;
    buffer_u8 *code = &s->codes.verdict;
    uint64_t picked[2];
    s->touched = 0;
    TRY(buffer_fit(d, code, m->count));
    TRY(distance_features_find(d, o, m, m->count, code));
    TRY(RUN(d, narrow_open, m->count, &m->a, &m->b, &o->on64.corner, &o->x, of->c->opt.rules,
            code));
    TRY(RUN(d, narrow_open_separate, m->count, &m->a, &m->b, &o->on64.corner, &o->x,
            of->c->opt.rules, code));
    TRY(narrow_compact(d, &s->codes, m, DISTANCE_OPEN + TRI_MEET, TRI_NO_VERDICT, &s->touching,
                       picked));
out:
    return err;
}

int distance_codes_read(const contact_source *of, uint64_t first, uint32_t n, uint32_t *a,
                        uint32_t *b, uint8_t *code)
{
    const narrow *s = of->s;
    const readout all[] = {READOUT(&s->meet.a, first, a, n), READOUT(&s->meet.b, first, b, n),
                           READOUT(&s->codes.verdict, first, code, n)};
    return device_read_all(of->c->dev64, all, 3);
}
