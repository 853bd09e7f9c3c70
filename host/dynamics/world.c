/* See world.h: the list of scenes, and their common parts. */
#include "world.h"

#include "bodies.h"
#include "error.h"
#include "frame.h"
#include "pcs_motion.h"
#include "scene.h"
#include "scene_math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BODY_NAMES(symbol, ...) static const char *const names_##symbol[] = {__VA_ARGS__, NULL};
#include "worlds.def"

static const struct scene_kind {
    world_entry entry;
    int (*build)(world *w, const world_request *request);
    const char *const *names; /* names of bodies */
} scenes[] = {
#define WORLD(symbol, ...) {{__VA_ARGS__}, world_##symbol##_build, names_##symbol},
#include "worlds.def"
};

#define SCENES (sizeof scenes / sizeof *scenes)

int world_entry_at(size_t index, world_entry *out)
{
    if (index >= SCENES)
        return 0;
    *out = scenes[index].entry;
    return 1;
}

static const struct scene_kind *world_find_scene(const char *name)
{
    for (size_t i = 0; name && i < SCENES; i++)
        if (!strcmp(scenes[i].entry.name, name))
            return &scenes[i];
    return NULL;
}

int world_find(const char *name, world_entry *out)
{
    const struct scene_kind *k = world_find_scene(name);
    if (k)
        *out = k->entry;
    return k != NULL;
}

void world_body_name(const char *name, uint32_t body, char *out, size_t size)
{
    scene_name_of(world_find_scene(name)->names, (int32_t)body, out, size);
}

/* Completes a scene after its own function: its bodies as one mesh. */
static int world_build_mesh(const struct scene_kind *k, const world_request *request, world *w)
{
    int err = IMP_OK;
    TRY(k->build(w, request));
    for (uint32_t i = 0; i < w->bodies; i++)
        w->object[i] = (int32_t)i;
    TRY(world_mesh(w));
out:
    return err;
}

int world_make(mem *m, const char *name, const world_request *request, world *out)
{
    int err = IMP_OK;
    const struct scene_kind *k = world_find_scene(name);
    world_request all = *request;
    *out = (world){.mem = m, .matter = {.mem = m}};
    if (!k)
        FAIL(IMP_ERR_ARGUMENT, "there is no scene '%s'", name ? name : "");
    const world_entry *e = &k->entry;
    snprintf(out->name, sizeof out->name, "%s", e->name);
    all.bodies = all.bodies ? all.bodies : e->bodies;
    all.ratio = all.ratio > 0 ? all.ratio : 1;
    if (all.bodies < e->bodies_least || all.bodies > INT32_MAX / 64)
        FAIL(IMP_ERR_ARGUMENT, "%s: %llu bodies; it takes %llu to %d", name,
             (unsigned long long)all.bodies, (unsigned long long)e->bodies_least, INT32_MAX / 64);
    TRY(world_build_mesh(k, &all, out));
out:
    if (err)
        world_free(out);
    return err;
}

void world_free(world *w)
{
    for (uint32_t i = 0; i < w->kinds; i++) {
        geom_free(w->mem, w->geom[i]);
        shape_free(w->mem, w->shape[i]);
    }
    if (w->mem) {
        void *arrays[] = {w->geom,  w->shape,   w->of,   w->body,   w->object,
                          w->cell0, w->vertex0, w->cell, w->vertex, w->point};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
            mem_free(w->mem, arrays[i]);
    }
    matter_free(&w->matter);
    *w = (world){0};
}

/* ---- functions for scenes */

static int alloc_zeros(mem *m, size_t bytes, void *out)
{
    int err = mem_alloc(m, bytes, out);
    if (!err)
        memset(*(void **)out, 0, bytes);
    return err;
}

int world_alloc(world *w, uint32_t kinds, uint32_t bodies)
{
    int err = IMP_OK;
    TRY(alloc_zeros(w->mem, kinds * sizeof *w->shape, &w->shape));
    TRY(alloc_zeros(w->mem, kinds * sizeof *w->geom, &w->geom));
    w->kinds = kinds; /* both arrays exist, so world_free may iterate over them */
    TRY(alloc_zeros(w->mem, bodies * sizeof *w->of, &w->of));
    TRY(alloc_zeros(w->mem, bodies * sizeof *w->body, &w->body));
    TRY(alloc_zeros(w->mem, bodies * sizeof *w->object, &w->object));
    TRY(alloc_zeros(w->mem, ((size_t)bodies + 1) * sizeof *w->cell0, &w->cell0));
    TRY(alloc_zeros(w->mem, ((size_t)bodies + 1) * sizeof *w->vertex0, &w->vertex0));
    w->bodies = bodies;
out:
    return err;
}

int world_set_shape(world *w, uint32_t kind, int err, geom *const *made)
{
    if (err)
        return err;
    geom *s = w->geom[kind] = *made;
    const shape_def def = {.points = s->point,
                           .vertices = s->vertices,
                           .corner = s->corner,
                           .triangles = s->triangles};
    err = shape_make(w->mem, &def, &w->shape[kind]);
    s->convex = !err && shape_is_convex(w->shape[kind]);
    return err;
}

void world_set_body(world *w, uint32_t body, uint32_t kind, v3 at, int fixed)
{
    const v3 centre = v3_sub(at, w->geom[kind]->moved);
    w->of[body] = kind;
    w->body[body] = (pcs_body){.shape = w->shape[kind],
                               .fixed = fixed,
                               .centre = {centre.x, centre.y, centre.z},
                               .rotation = {1, 0, 0, 0}};
}

int world_set_masses(world *w, double density)
{
    const world_entry e = world_find_scene(w->name)->entry;
    matter *m = &w->matter;
    int err = matter_make(m, w->bodies);
    if (err)
        return err;
    for (uint32_t i = 0; i < w->bodies; i++) {
        const geom *s = w->geom[w->of[i]];
        matter_body *b = &m->body[i];
        *b = (matter_body){.mass = density * s->volume,
                           .density = density,
                           .restitution = e.bounce,
                           .friction = e.friction,
                           .fixed = w->body[i].fixed};
        for (int k = 0; k < 6; k++)
            b->inertia[k] = s->inertia[k] * density;
    }
    m->gravity[2] = e.gravity > 0 ? -e.gravity : 0;
    m->slowest = e.bounce_least;
    m->step = e.step;
    m->epsilon = e.epsilon;
    m->seconds = e.seconds;
    snprintf(m->scene, sizeof m->scene, "%s", e.name);
    return IMP_OK;
}

int world_set_springs(world *w, const double spring[3])
{
    matter *m = &w->matter;
    int err = mem_alloc(w->mem, (size_t)3 * w->bodies * sizeof *m->home, &m->home);
    for (size_t i = 0; i < w->bodies && !err; i++)
        memcpy(m->home + 3 * i, w->body[i].centre, sizeof w->body[i].centre);
    memcpy(m->spring, spring, sizeof m->spring);
    return err;
}

int world_set_push(world *w, const matter_push *push)
{
    matter *m = &w->matter;
    int err = mem_alloc(w->mem, sizeof *m->push, &m->push);
    if (err)
        return err;
    m->push[0] = *push;
    m->pushes = 1;
    return IMP_OK;
}

/* ---- The bodies of a world as one mesh: world_mesh of world.h. */

/* Sizes are summed in 64 bits before anything is allocated. */
static int world_mesh_count(world *w)
{
    w->cells = w->vertices = 0;
    for (uint32_t i = 0; i < w->bodies; i++) {
        w->vertices += w->geom[w->of[i]]->vertices;
        w->cells += w->geom[w->of[i]]->triangles;
    }
    if (w->cells > INT32_MAX || w->vertices > INT32_MAX)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: %u bodies have %llu triangles; that is too many",
                        w->name, w->bodies, (unsigned long long)w->cells);
    return IMP_OK;
}

int world_mesh(world *w)
{
    int err = IMP_OK;
    TRY(world_mesh_count(w));
    TRY(mem_alloc(w->mem, (size_t)w->cells * sizeof *w->cell, &w->cell));
    TRY(mem_alloc(w->mem, (size_t)w->vertices * sizeof *w->vertex, &w->vertex));
    for (uint32_t i = 0; i < w->bodies; i++) {
        w->cell0[i + 1] = w->cell0[i] + w->geom[w->of[i]]->triangles;
        w->vertex0[i + 1] = w->vertex0[i] + w->geom[w->of[i]]->vertices;
    }
    for (uint32_t i = 0; i < w->cells; i++)
        w->cell[i] = i;
    for (uint32_t i = 0; i < w->vertices; i++)
        w->vertex[i] = i;
out:
    return err;
}

static int alloc(const world *w, body_mesh *m)
{
    int err = IMP_OK;
    const size_t numbers = (size_t)3 * (size_t)w->vertices;
    TRY(mem_alloc(m->mem, (size_t)3 * (size_t)w->cells * sizeof *m->corner, &m->corner));
    TRY(mem_alloc(m->mem, (size_t)w->cells * sizeof *m->object, &m->object));
    TRY(mem_alloc(m->mem, numbers * sizeof *m->rest, &m->rest));
    TRY(mem_alloc(m->mem, numbers * sizeof *m->point, &m->point));
    TRY(mem_alloc(m->mem, w->bodies * sizeof *m->pose, &m->pose));
out:
    return err;
}

static void fill_body(const world *w, uint32_t body, body_mesh *m)
{
    const geom *s = w->geom[w->of[body]];
    const uint32_t *cell = w->cell + w->cell0[body], *vertex = w->vertex + w->vertex0[body];
    for (uint32_t t = 0; t < s->triangles; t++) {
        m->object[cell[t]] = w->object[body];
        for (size_t k = 0; k < 3; k++)
            m->corner[(size_t)3 * cell[t] + k] = vertex[s->corner[(size_t)3 * t + k]];
    }
    for (uint32_t i = 0; i < s->vertices; i++)
        memcpy(m->rest + (size_t)3 * vertex[i], s->point + (size_t)3 * i, 3 * sizeof *m->rest);
}

int body_mesh_make(const world *w, body_mesh *out)
{
    int err = IMP_OK;
    const size_t numbers = (size_t)3 * (size_t)w->vertices;
    out->w = w;
    TRY(alloc(w, out));
    memset(out->rest, 0, numbers * sizeof *out->rest);
    if (w->point)
        memcpy(out->point, w->point, numbers * sizeof *out->point);
    for (uint32_t i = 0; i < w->bodies; i++)
        fill_body(w, i, out);
    out->mesh = (imp_mesh){.vertices = (uint32_t)w->vertices,
                           .primitives = (uint32_t)w->cells,
                           .corners = IMP_TRIANGLES,
                           .corner = out->corner,
                           .object = out->object,
                           .bodies = w->bodies,
                           .body = w->object,
                           .rest = out->rest};
out:
    return err;
}

void body_mesh_free(body_mesh *m)
{
    if (!m->mem)
        return;
    mem_free(m->mem, m->corner);
    mem_free(m->mem, m->object);
    mem_free(m->mem, m->rest);
    mem_free(m->mem, m->point);
    mem_free(m->mem, m->pose);
}

void body_mesh_pose(body_mesh *m, const pcs_body *body)
{
    const world *w = m->w;
    for (uint32_t i = 0; i < w->bodies; i++) {
        m->pose[i] = pcs_pose_of(&body[i]);
        const pose_map map = pose_map_of(&m->pose[i]);
        for (uint32_t k = w->vertex0[i]; k < w->vertex0[i + 1]; k++) {
            const size_t v = w->vertex[k];
            pose_put(&map, m->rest + 3 * v, m->point + 3 * v);
        }
    }
}

/* ---- The rigid bodies of a frame as a world: world_of_frame of world.h. */

#define NONE UINT32_MAX

/* State shared by the functions below. */
typedef struct source {
    mem *mem;
    const imp_frame *frame;
    const char *of;   /* beginning of messages */
    uint32_t *local;  /* [vertices] number of a vertex in its body, or NONE */
    uint32_t *corner; /* [3 * cells of the largest body] */
    double *point;    /* [3 * vertices of the largest body] */
} source;

static v3 world_frame_vector(const double x[3])
{
    return v3_make(x[0], x[1], x[2]);
}

/* ---- the primitives and vertices of a body */

static int world_frame_body_of(const source *s, uint32_t cell, uint32_t *body)
{
    const imp_mesh *m = s->frame->mesh;
    const int32_t object = mesh_object(m, cell);
    *body = body_number(m->body, m->bodies, object);
    return *body != NO_BODY
               ? IMP_OK
               : imp_fail(IMP_ERR_INPUT,
                          "%s: object %d is no rigid body: /impinge/bodies/object_id must list all "
                          "objects of the frame",
                          s->of, object);
}

/* Numbers of cells, contiguous and ascending for each body. */
static int list_cells(const source *s, world *w)
{
    int err = IMP_OK;
    uint32_t body;
    const imp_mesh *m = s->frame->mesh;
    TRY(mem_alloc(s->mem, m->primitives * sizeof *w->cell, &w->cell));
    for (uint32_t i = 0; i < m->primitives; i++) {
        TRY(world_frame_body_of(s, i, &body));
        w->cell0[body + 1]++;
    }
    for (uint32_t i = 0; i < m->bodies; i++) {
        if (!w->cell0[i + 1])
            FAIL(IMP_ERR_INPUT, "%s: body %d has no primitives", s->of, m->body[i]);
        w->cell0[i + 1] += w->cell0[i];
    }
    /* counts down to the beginning of each body */
    for (uint32_t i = m->primitives; i-- > 0;) {
        TRY(world_frame_body_of(s, i, &body));
        w->cell[--w->cell0[body + 1]] = i;
    }
    memmove(w->cell0, w->cell0 + 1, m->bodies * sizeof *w->cell0);
    w->cell0[m->bodies] = m->primitives;
out:
    return err;
}

/* The same for vertices: those of each body ascend, as in /impinge/bodies/points. */
static int list_vertices(source *s, world *w)
{
    int err = IMP_OK;
    body_set found = {0};
    const imp_mesh *m = s->frame->mesh;
    const bodies_of how = {IMP_ERR_INPUT, s->of, s->frame->number};
    TRY(bodies_find(s->mem, m, &how, &found));
    TRY(mem_alloc(s->mem, m->vertices * sizeof *w->vertex, &w->vertex));
    TRY(mem_alloc(s->mem, m->vertices * sizeof *s->local, &s->local));
    for (uint32_t i = 0; i < m->vertices; i++)
        s->local[i] = NONE;
    for (uint32_t i = 0; i < m->bodies; i++)
        w->vertex0[i + 1] = w->vertex0[i] + found.vertices[i];
    memset(found.vertices, 0, m->bodies * sizeof *found.vertices);
    for (const body_run *run = found.run; run < found.run + found.runs; run++)
        for (uint32_t v = run->first; v < run->last; v++) {
            s->local[v] = found.vertices[run->body]++;
            w->vertex[w->vertex0[run->body] + s->local[v]] = v;
        }
out:
    bodies_free(s->mem, &found);
    return err;
}

/* ---- one body */

/* Copies its mesh to s->point and s->corner. */
static void world_frame_copy_mesh(const source *s, const world *w, uint32_t body)
{
    const imp_mesh *m = s->frame->mesh;
    const uint32_t cells = w->cell0[body + 1] - w->cell0[body];
    const uint32_t vertices = w->vertex0[body + 1] - w->vertex0[body];
    for (uint32_t i = 0; i < vertices; i++)
        memcpy(s->point + (size_t)3 * i, m->rest + (size_t)3 * w->vertex[w->vertex0[body] + i],
               3 * sizeof *s->point);
    for (uint32_t t = 0; t < cells; t++)
        for (size_t k = 0; k < 3; k++)
            s->corner[(size_t)3 * t + k] =
                s->local[m->corner[(size_t)3 * w->cell[w->cell0[body] + t] + k]];
}

/* Fills in mass and inertia unless the user gives both. */
static int complete_matter(const source *s, const geom *of, uint32_t body, matter_body *b)
{
    const int32_t object = s->frame->mesh->body[body];
    if (b->fixed != 0 || matter_has_inertia(b))
        return IMP_OK;
    if (!(of->volume > 0))
        return imp_fail(
            IMP_ERR_INPUT,
            "%s: body %d: its surface is not closed, so mass and inertia must be given, "
            "or it must be fixed",
            s->of, object);
    b->density = b->mass > 0 ? b->mass / of->volume : b->density;
    b->mass = b->density * of->volume;
    for (int k = 0; k < 6; k++)
        b->inertia[k] = of->inertia[k] * b->density;
    return IMP_OK;
}

/* The pose of a frame is that of the body's origin; pcs needs that of the centre of mass, to which
 * the points of the shape were translated. Without a translation nothing is rounded. */
static void world_frame_pose(const imp_pose *p, v3 moved, pcs_body *b)
{
    pcs_set_pose(b, p);
    if (moved.x == 0 && moved.y == 0 && moved.z == 0)
        return;
    const double to[3] = {-moved.x, -moved.y, -moved.z};
    const pose_map map = pose_map_of(p);
    double at[3];
    pose_put(&map, to, at);
    const v3 arm = v3_sub(world_frame_vector(at), world_frame_vector(p->centre));
    scene_store(b->velocity, v3_add(world_frame_vector(p->velocity),
                                    v3_cross(world_frame_vector(p->spin), arm)));
    memcpy(b->centre, at, sizeof at);
}

static int world_frame_make_body(const source *s, world *w, uint32_t body)
{
    int err = IMP_OK;
    geom *made = NULL;
    matter_body *b = &w->matter.body[body];
    world_frame_copy_mesh(s, w, body);
    err = (matter_has_inertia(b) ? geom_make_centred : geom_make)(
        s->mem, s->point, w->vertex0[body + 1] - w->vertex0[body], s->corner,
        w->cell0[body + 1] - w->cell0[body], &made);
    TRY(world_set_shape(w, body, err, &made));
    TRY(complete_matter(s, made, body, b));
    w->of[body] = body;
    w->object[body] = s->frame->mesh->body[body];
    w->body[body] = (pcs_body){.shape = w->shape[body], .fixed = b->fixed != 0};
    world_frame_pose(&s->frame->pose[body], made->moved, &w->body[body]);
out:
    return err;
}

/* ---- all bodies */

/* Defaults for values that the file does not give. */
static void complete_simulation(world *w)
{
    matter *m = &w->matter;
    double least = INFINITY;
    for (uint32_t i = 0; i < w->bodies; i++)
        if (!w->body[i].fixed)
            least = fmin(least, shape_radius(w->shape[i]));
    m->step = m->step > 0 ? m->step : WORLD_STEP;
    m->seconds = m->seconds > 0 ? m->seconds : WORLD_SECONDS;
    if (!(m->epsilon > 0))
        m->epsilon = isfinite(least) && least > 0 ? WORLD_EPSILON * 2 * least : WORLD_EPSILON;
}

static int world_frame_check(const source *s)
{
    const imp_mesh *m = s->frame->mesh;
    if (!m->bodies || !s->frame->pose)
        return imp_fail(IMP_ERR_INPUT, "%s: has no rigid bodies (/impinge/bodies)", s->of);
    for (uint32_t i = 0; i < m->primitives; i++)
        if (mesh_corners_of(m, i) != IMP_TRIANGLES)
            return imp_fail(IMP_ERR_INPUT, "%s: primitive %u is a %s; bodies are of triangles",
                            s->of, i, mesh_kind_name(m, i));
    return IMP_OK;
}

/* Stores the points that belong to no body. */
static int keep_points(const source *s, world *w)
{
    int err = IMP_OK;
    const imp_mesh *m = s->frame->mesh;
    if (w->vertex0[w->bodies] == m->vertices)
        return IMP_OK;
    TRY(mem_alloc(s->mem, (size_t)3 * m->vertices * sizeof *w->point, &w->point));
    for (size_t v = 0; v < m->vertices; v++)
        frame_vertex(s->frame, v, w->point + 3 * v);
out:
    return err;
}

static int world_frame_make_bodies(source *s, world *w)
{
    int err = IMP_OK;
    const imp_mesh *m = s->frame->mesh;
    uint32_t cells = 0, vertices = 0;
    TRY(world_alloc(w, m->bodies, m->bodies));
    TRY(list_cells(s, w));
    TRY(list_vertices(s, w));
    w->cells = m->primitives;
    w->vertices = m->vertices;
    for (uint32_t i = 0; i < m->bodies; i++) {
        const uint32_t c = w->cell0[i + 1] - w->cell0[i], v = w->vertex0[i + 1] - w->vertex0[i];
        cells = c > cells ? c : cells;
        vertices = v > vertices ? v : vertices;
    }
    TRY(mem_alloc(s->mem, (size_t)3 * cells * sizeof *s->corner, &s->corner));
    TRY(mem_alloc(s->mem, (size_t)3 * vertices * sizeof *s->point, &s->point));
    for (uint32_t i = 0; i < m->bodies; i++)
        TRY(world_frame_make_body(s, w, i));
    TRY(keep_points(s, w));
    complete_simulation(w);
out:
    return err;
}

int world_of_frame(mem *m, const imp_frame *frame, matter *given, const char *of, world *out)
{
    int err = IMP_OK;
    source s = {.mem = m, .frame = frame, .of = of};
    *out = (world){.mem = m, .matter = *given};
    *given = (matter){0};
    snprintf(out->name, sizeof out->name, "%s", out->matter.scene);
    TRY(world_frame_check(&s));
    TRY(world_frame_make_bodies(&s, out));
out:
    mem_free(m, s.local);
    mem_free(m, s.corner);
    mem_free(m, s.point);
    if (err)
        world_free(out);
    return err;
}

/* ---- the first step */

/* The reason why pcs would refuse a body in its first frame; NULL: none. The spin is tested first:
 * values computed from it would also exceed all ranges. */
static const char *motion_fault(const pcs_body *b, double step, double epsilon)
{
    double box[6];
    pcs_motion m = {0};
    if (b->fixed)
        return NULL;
    pcs_motion_shape(&m, b->shape);
    memcpy(m.at.centre, b->centre, sizeof b->centre);
    memcpy(m.at.rotation, b->rotation, sizeof b->rotation);
    memcpy(m.at.velocity, b->velocity, sizeof b->velocity);
    memcpy(m.at.spin, b->spin, sizeof b->spin);
    if (!(spin_angle(&m.at, step) <= SPIN_MOST))
        return "angular velocity: it turns by more than 2^30 radians";
    pcs_motion_speed(&m);
    pcs_box(&m, 0, step, epsilon / 2, box);
    for (int k = 0; k < 6; k++)
        if (!isfinite(box[k]))
            return "velocity: it goes beyond the range of float64";
    return NULL;
}

int world_check_motion(const world *w, double step, double epsilon, const char *of)
{
    for (uint32_t i = 0; i < w->bodies; i++) {
        const char *fault = motion_fault(&w->body[i], step, epsilon);
        if (fault)
            return imp_fail(IMP_ERR_INPUT, "%s: body %d: its %s in a step of %g s", of,
                            w->object[i], fault, step);
    }
    return IMP_OK;
}
