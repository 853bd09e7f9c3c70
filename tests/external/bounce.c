/* Cubes that fall on a slab and bounce: a hand-written solver, to which the library delivers the
 * contacts in time order. Each contact applies an impulse along the normal at the two closest
 * points, which leaves RESTITUTION of the approach speed; there is no friction.
 *
 * Prints each contact: step, time, bodies, and kinetic energy before and after; and the total
 * energy at the end of each step. */
#include <impinge.h>
#include <impinge_pcs.h>

#include <stdio.h>

#define CUBES 6
#define BODIES (CUBES + 1) /* body 0: the slab */
#define STEP 0.01          /* s */
#define STEPS 150
#define EPSILON 1e-5 /* m */
#define GRAVITY 9.81
#define RESTITUTION 0.5
#define MASS 1.0                  /* kg; the slab's is infinite */
#define INERTIA (MASS * 0.04 / 6) /* for a cube with edges of 0.2 m, about every axis */

static const double unit[] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                              -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const uint32_t corner[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

typedef struct scene {
    imp_pose pose[BODIES];
    int step;
} scene;

static double bounce_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void bounce_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double kinetic(const imp_pose *b)
{
    return (MASS * bounce_dot(b->velocity, b->velocity) + INERTIA * bounce_dot(b->spin, b->spin)) /
           2;
}

static double energy_of_all(const imp_pose *pose)
{
    double sum = 0;
    for (int i = 1; i < BODIES; i++)
        sum += kinetic(&pose[i]) + MASS * GRAVITY * pose[i].centre[2];
    return sum;
}

/* ---- hooks */

static int bounce_fall(void *user, imp_pose *pose, double seconds)
{
    (void)user;
    for (int i = 1; i < BODIES; i++)
        pose[i].velocity[2] -= GRAVITY * seconds;
    return 0;
}

/* One body at a contact. */
typedef struct lever {
    double turn[3]; /* the arm x normal */
    double speed;   /* contact point's, along the normal */
    double ease;    /* change of that speed per unit of impulse */
} lever;

static lever bounce_lever(const imp_pose *b, int moves, const double point[3],
                          const double normal[3])
{
    lever l = {{0}, 0, 0};
    double arm[3];
    if (!moves)
        return l;
    for (int k = 0; k < 3; k++)
        arm[k] = point[k] - b->centre[k];
    bounce_cross(arm, normal, l.turn);
    l.speed = bounce_dot(b->velocity, normal) + bounce_dot(b->spin, l.turn);
    l.ease = 1 / MASS + bounce_dot(l.turn, l.turn) / INERTIA;
    return l;
}

static void bounce_push(imp_pose *b, const lever *l, const double normal[3], double impulse)
{
    for (int k = 0; k < 3; k++) {
        b->velocity[k] += impulse / MASS * normal[k];
        b->spin[k] += impulse / INERTIA * l->turn[k];
    }
}

static int bounce(void *user, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    const scene *s = user;
    imp_pose *a = &pose[c->a], *b = &pose[c->b];
    const double before = (c->a ? kinetic(a) : 0) + kinetic(b);
    const lever la = bounce_lever(a, c->a != 0, c->point[0], c->normal);
    const lever lb = bounce_lever(b, 1, c->point[1], c->normal);
    const double nearing = la.speed - lb.speed;
    /* A gap below half of epsilon gets a little speed to restore it, so that a cube resting on the
     * slab does not sink into it step by step. */
    const double room = EPSILON / 2 - c->distance, back = room > 0 ? room / STEP / 4 : 0;
    const double rebound = c->inelastic ? 0 : RESTITUTION * nearing;
    if (nearing > -back) {
        const double impulse = (nearing + (rebound > back ? rebound : back)) / (la.ease + lb.ease);
        if (c->a)
            bounce_push(a, &la, c->normal, -impulse);
        bounce_push(b, &lb, c->normal, impulse);
        changed[c->a] = changed[c->b] = 1;
    }
    printf("contact %d %.17g %u %u %.17g %.17g\n", s->step, c->time, c->a, c->b, before,
           (c->a ? kinetic(a) : 0) + kinetic(b));
    return 0;
}

/* ---- the scene */

/* Stacked cubes, each rotated a little about another axis. */
static void bounce_place(scene *s)
{
    static const double turned[] = {0.98, 0.1, 0.1, 0.14}; /* unit quaternion */
    s->pose[0] = (imp_pose){.centre = {0, 0, -0.1}, .rotation = {1, 0, 0, 0}};
    for (int i = 1; i < BODIES; i++) {
        imp_pose *b = &s->pose[i];
        *b = (imp_pose){.centre = {0.03 * i, 0.02 * (i % 2), 0.4 * i}};
        for (int k = 0; k < 4; k++)
            b->rotation[k] = turned[k ? 1 + (k + i) % 3 : 0];
    }
}

static int bounce_create(imp_pcs **out)
{
    double cube[24], slab[24];
    imp_pcs_body body[BODIES] = {{.mesh = 1, .fixed = 1}}; /* the others: mesh 0, not fixed */
    for (int i = 0; i < 24; i++) {
        cube[i] = 0.1 * unit[i];
        slab[i] = (i % 3 == 2 ? 0.1 : 20) * unit[i];
    }
    const imp_pcs_mesh mesh[] = {{.vertices = 8, .triangles = 12, .point = cube, .corner = corner},
                                 {.vertices = 8, .triangles = 12, .point = slab, .corner = corner}};
    return imp_pcs_create(
        &(imp_pcs_def){
            .mesh = mesh, .meshes = 2, .body = body, .bodies = BODIES, .epsilon = EPSILON},
        out); /* the library copies its input */
}

int main(void)
{
    scene s = {.step = 0};
    imp_pcs *p = NULL;
    const imp_pcs_hooks hooks = {.user = &s, .forces = bounce_fall, .contact = bounce};
    bounce_place(&s);
    printf("energy %.17g\n", energy_of_all(s.pose));
    int err = bounce_create(&p);
    for (; s.step < STEPS && !err; s.step++) {
        err = imp_pcs_step(p, s.pose, STEP, &hooks, NULL);
        printf("energy %.17g\n", energy_of_all(s.pose));
    }
    if (err)
        fprintf(stderr, "%s: %s\n", imp_strerror(err), imp_error_text());
    imp_pcs_destroy(p);
    return err != 0;
}
