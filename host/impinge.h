/* impinge: exact collision detection of triangles and tetrahedra over the frames of a simulation.
 *
 * A pipeline (`imp`) takes frames of primitives and returns every pair of primitives that
 * intersects, each pair once, with the geometry of the intersection. Primitives are closed sets: a
 * triangle is a surface, a tetrahedron a solid. Verdicts are those of exact arithmetic for every
 * finite input, and all results are the same bits on every device, for every broad method, k-DOP,
 * cell size, number of threads, block size and memory limit.
 *
 *     imp *p = NULL;
 *     int err = imp_create(&(imp_def){ .device = "opencl" }, &p);
 *     if (!err)
 *         err = imp_detect(p, &frame, 1, on_contacts, NULL, NULL);
 *     if (err)
 *         fprintf(stderr, "%s\n", imp_error_text());
 *     imp_destroy(p);
 *
 * Conventions. Functions that can fail return 0 or a negative IMP_ERR_ code (imp_detect also the
 * number that a sink returns); imp_error_text() then describes the error of the calling thread.
 * Destroying or closing NULL is allowed; with NULL for a pipeline, a model or a result, functions
 * with a code return ARGUMENT, others 0, 1, -1, NULL or "". A pipeline is used by one thread at a
 * time (except imp_cancel); several pipelines are independent. Lengths are in the units of the
 * input. All threads compute with rounding to nearest, with denormals and without traps; the
 * caller's floating-point environment is restored before a function returns, and sinks and
 * imp_def.log run in it. The library never prints, exits, aborts or truncates, with one exception
 * that it cannot prevent: GMP prints a line and aborts where malloc fails in it. Numbers of GMP are
 * used by pipelines with imp_def.continuous, or with imp_def.rows other than CONTACTS (by their
 * imp_create, too, which tests the device), by imp_def.inside and imp_solids, and by
 * imp_regions_find; contacts of frames, contours, welding and imp_pcs use none. These numbers are
 * small and do not count towards mem_limit. A program that must end otherwise installs GMP memory
 * functions (mp_set_memory_functions) that may leave, but that never return without memory. */
#ifndef IMPINGE_H
#define IMPINGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IMP_VERSION "0.1.0"
/* The same as numbers, for #if. imp_version() is that of the library which is loaded. */
#define IMP_VERSION_MAJOR 0
#define IMP_VERSION_MINOR 1
#define IMP_VERSION_PATCH 0

#if defined(__GNUC__)
#define IMP_API __attribute__((visibility("default")))
#else
#define IMP_API
#endif

/* ---- errors */

enum imp_error {
    IMP_OK = 0,
    IMP_ERR_ARGUMENT = -1,  /* an argument or option is not valid */
    IMP_ERR_EXISTS = -2,    /* the output exists and may not be replaced */
    IMP_ERR_INPUT = -3,     /* an input is missing, damaged or not supported */
    IMP_ERR_DEVICE = -4,    /* no usable device, or a device failed */
    IMP_ERR_MEMORY = -5,    /* out of memory, or over the memory limit */
    IMP_ERR_DISK = -6,      /* no space left on the disk */
    IMP_ERR_FILE = -7,      /* a file could not be written */
    IMP_ERR_CANCELLED = -8, /* imp_cancel was called, or a sink stopped the run */
    IMP_ERR_DIFFERS = -9,   /* a check found a difference */
    IMP_ERR_DIVERGED = -10  /* a simulation: no finite velocities or poses could be computed */
};

/* The general meaning of a code, for any number. Never NULL. */
IMP_API const char *imp_strerror(int code);

/* The last failure in this thread, in one line: file, dataset, reason. "" before the first
 * failure. A call that succeeds leaves it as it was. */
IMP_API const char *imp_error_text(void);

/* Sets the text that imp_error_text returns, at most its first 1023 bytes, and returns `code`. A
 * sink gives the reason why it stops a run with `return imp_set_error(7, "the disk is full");`. */
IMP_API int imp_set_error(int code, const char *text);

/* ---- input */

/* The number of corners of a primitive. */
enum imp_corners { IMP_VERTICES = 1, IMP_EDGES = 2, IMP_TRIANGLES = 3, IMP_TETRAHEDRA = 4 };

/* A mesh: everything that stays the same while points move. The arrays belong to the caller and
 * must not change while a pipeline uses them; frames with the same mesh pointer share one
 * upload. */
typedef struct imp_mesh {
    uint32_t vertices;
    uint32_t primitives;    /* at most 2^31 - 1 */
    const uint32_t *corner; /* [corners * primitives] vertex numbers, each < vertices */
    const int32_t *object; /* [primitives] object of each primitive; NULL: all belong to object 0 */
    int corners; /* per primitive, enum imp_corners; 0: 3, triangles. A vertex or an edge counts as
                    a triangle of zero area */
    /* [primitives] number of corners of each primitive, 3 or 4: with corners = 4 some may be
     * triangles. The last of the four vertex numbers of a triangle is ignored. NULL: all have
     * `corners` */
    const uint8_t *corner_count;
    const int64_t *id; /* [primitives] unique ids, which identify primitives from one mesh to the
                          next; used with imp_def.ids */
    uint32_t bodies; /* number of rigid objects, each of which has a pose in every frame (imp_pose);
                        0: none, or unknown */
    const int32_t *body; /* [bodies] the rigid objects, ascending */
    /* [3 * vertices] rest positions x y z of the vertices of bodies, in the body's own coordinates.
     * No vertex belongs to two bodies; vertices outside bodies are ignored */
    const double *rest;
    const double *thickness; /* [primitives] finite and not negative; used with imp_def.thickness,
                                else NULL */
} imp_mesh;

enum imp_type { IMP_FLOAT64 = 0, IMP_FLOAT32 = 1 };

/* Position and motion of a rigid body: a point in the body's coordinates is rotated about their
 * origin, then translated by the centre. Between two frames the centre moves with constant
 * velocity, and the body rotates with constant angular velocity along the shorter arc. If the first
 * pose's `spin` says that it turns by more than pi until the second, the body rotates instead along
 * that arc to the second pose that is nearest to `spin`, which may be several turns. A rotation of
 * less than 2^-23 between both poses has no axis: whole turns are then about the axis of `spin`,
 * and the rotation is spread over the whole motion. */
typedef struct imp_pose {
    double centre[3];
    double rotation[4]; /* quaternion w x y z, of length 1 within 1e-6 */
    double velocity[3]; /* velocity of the centre, per unit of time */
    double spin[3];     /* angular velocity about this axis, in radians per unit of time */
} imp_pose;

typedef struct imp_frame {
    const imp_mesh *mesh;
    const void *point;    /* [3 * vertices] x y z, of `type`; unchanged during a call */
    int type;             /* IMP_FLOAT64 or IMP_FLOAT32 */
    uint64_t number;      /* number of this frame in messages */
    const imp_pose *pose; /* [mesh->bodies] poses of the rigid bodies; NULL: unknown. Each vertex of
                             a body equals its posed rest position within 8 * 2^-52 (float32: 8 *
                             2^-23) of |centre| + radius */
    double time; /* finite, in the unit of imp_pose; if two frames have equal times, bodies turn by
                    at most pi between them */
} imp_frame;

/* ---- pipeline */

enum imp_adjacent { IMP_ADJACENT_SKIP = 0, IMP_ADJACENT_TEST = 1 };
enum imp_pairs { IMP_PAIRS_ALL = 0, IMP_PAIRS_SELF = 1, IMP_PAIRS_BETWEEN = 2 };
enum imp_stage { IMP_STAGE_CONTACTS = 0, IMP_STAGE_CANDIDATES = 1 };

/* What a row is. CONTACTS: a contact. PRIMITIVES: two primitives without a common vertex, whose
 * distance is at most imp_def.distance. FEATURES: two features without a common vertex within that
 * distance, a vertex and a face, or two edges, each pair once. Vertices without an edge and edges
 * without a face in their object also make pairs of a vertex and an edge, and of two vertices. A
 * feature belongs to the first primitive of its object that has it; features of one tetrahedron are
 * no pair. OBJECTS: for each two different objects the primitives without a common vertex that have
 * the least (distance, a, b), whatever the distance is. INSIDE: a vertex of one object that is
 * inside another, closed one: see imp_relation. */
enum imp_rows {
    IMP_ROWS_CONTACTS = 0,
    IMP_ROWS_PRIMITIVES = 1,
    IMP_ROWS_FEATURES = 2,
    IMP_ROWS_OBJECTS = 3,
    IMP_ROWS_INSIDE = 4
};
/* What imp_def.inside does with an object that its list names and that is not closed; and which
 * winding numbers are inside. */
enum imp_inside_open { IMP_INSIDE_OPEN_ERROR = 0, IMP_INSIDE_OPEN_SKIP = 1 };
enum imp_inside_winding { IMP_INSIDE_NONZERO = 0, IMP_INSIDE_POSITIVE = 1 };
enum imp_on_bad { IMP_BAD_ERROR = 0, IMP_BAD_SKIP = 1 };
/* Coherence from a frame to the next with the same mesh pointer, also across calls of imp_detect.
 * REBUILD computes everything again. KEEP reuses what did not change: bounds, the broad phase's
 * table, and contacts of pairs in which neither primitive moved. AUTO does so where it should be
 * faster. Results are the same bits. With AUTO and KEEP the caller guarantees that a mesh pointer
 * that is used again points to the same mesh; imp_forget ends that. With imp_def.ids the next frame
 * may also have another mesh. A primitive with the same id, corners and object, whose vertices have
 * the same numbers and points, then counts as unchanged if the primitives that remain keep their
 * order. Only "rtree", which "auto" then uses, and "hash" can be incremental. Other methods,
 * devices without float64, and GPUs, on which a full pass is faster, recompute everything but the
 * topology. */
enum imp_update { IMP_UPDATE_REBUILD = 0, IMP_UPDATE_AUTO = 1, IMP_UPDATE_KEEP = 2 };

/* Options of the method "tree": the bounding volumes of its nodes; how trees are built; and which
 * of two nodes is divided first, that of the object with more primitives (the environment), or both
 * at once. Trees of spheres and oriented boxes, or spheres above oriented boxes (HYBRID), may
 * report fewer false candidates than other methods; contacts are the same. */
enum imp_volume {
    IMP_VOLUME_DOP = 1,
    IMP_VOLUME_SPHERE = 2,
    IMP_VOLUME_OBB = 3,
    IMP_VOLUME_HYBRID = 4
};
enum imp_build { IMP_BUILD_TOP_DOWN = 1, IMP_BUILD_BOTTOM_UP = 2 };
enum imp_descent { IMP_DESCENT_ENVIRONMENT_FIRST = 1, IMP_DESCENT_SIMULTANEOUS = 2 };

struct imp_relations;

/* The options of a pipeline. Zero is the default of every option. members: options, each of which
 * has its own meaning to the caller. */
typedef struct imp_def {
    const char *device; /* "auto", "cpu", "opencl", part of a name, or an index of imp_device_at();
                           NULL: "auto", which chooses "cpu" if fewer than 2,000,000 primitives are
                           expected, else a GPU, or "cpu" without a GPU */
    int threads; /* host threads, at most 4096; more than the processors that the process may use
                    are as many as these; 0: all of them, but one for small frames with few pairs */
    const char *broad; /* "auto", "rtree", "grid", "hash", "tiles", "tree", "brute"; NULL: "auto" */
    int dop_k; /* 6, 8, 14, 18 or 26; 0: 6. Every k-DOP includes the box, so 8 is the same as 14 */
    double cell; /* edge length of a grid cell of "hash"; 0: mean edge of the frame's triangles.
                    Selects "hash" if `broad` is "auto"; ARGUMENT with other methods */
    /* options of "tree"; any nonzero one selects it as `cell` selects "hash" */
    int volume, build, descent; /* enum imp_volume, imp_build, imp_descent; 0: the first */
    uint32_t degree;            /* children of a node, at least 2; 0: 2 */
    uint32_t leaf;              /* primitives of a leaf; 0: the fastest */
    uint32_t hybrid_level;      /* HYBRID: number of levels with spheres, from the root on; 0: 1 */
    int adjacent;               /* enum imp_adjacent: pairs that share a vertex */
    int pairs;                  /* enum imp_pairs: within objects, between them, or both */
    int stage;                  /* enum imp_stage: exact contacts, or overlapping bounds only */
    int rows;                   /* enum imp_rows: contacts, or pairs within a distance */
    double distance; /* with `rows`: the greatest distance of a pair that has a row, finite and not
                        negative; 0: they touch */
    int thickness;   /* with `rows` PRIMITIVES or FEATURES, instead of `distance`: meshes have
                        imp_mesh.thickness. The greatest distance of a pair is half of the sum of
                        both primitives' thicknesses, exactly: their contact distance. A feature has
                        the thickness of the primitive that it belongs to */
    /* with `rows`: pairs within this number of edges along the mesh are left out. The edges are
     * those of all primitives of the mesh, of whatever object; of two primitives, or two features,
     * the least number of edges from a vertex of one to a vertex of the other counts. 0: pairs with
     * a common vertex */
    uint32_t ring;
    int crossing;     /* contacts that do not cross (imp_contacts.crossing) are left out */
    int end_features; /* contacts of frames have imp_contacts.end_features */
    /* closed objects are solids: their relations (imp_relation), and with `rows` CONTACTS the depth
     * of contacts; implied by `rows` INSIDE */
    int inside;
    /* [inside_objects] the closed objects that count as solids; NULL: all that are closed. Those
     * that no primitive of the first imp_detect has are logged; imp_solids_create fails */
    const int32_t *inside_object;
    size_t inside_objects;
    int inside_open;    /* enum imp_inside_open: those listed that are open */
    int inside_winding; /* enum imp_inside_winding */
    int (*relations)(void *user, const struct imp_relations *relations); /* see imp_relations */
    void *relations_user;
    int continuous; /* contacts within the step from each frame to the next: see imp_detect */
    double min_separation; /* with `continuous`: features meet at this distance or less; 0: if they
                              touch */
    double tolerance;      /* for bodies that rotate: see imp_detect; 0: 1e-6 of the extent */
    int on_bad;            /* enum imp_on_bad: primitives with NaN or infinite vertices */
    /* [object_pairs] the only pairs of objects to test, at least one pair; with
     * object_pairs_exclude the pairs not to test. NULL: all are tested */
    const int32_t (*object_pair)[2];
    size_t object_pairs;
    int object_pairs_exclude;
    int solids;         /* contacts with depth and collision points */
    int ids;            /* meshes have imp_mesh.id */
    int update;         /* enum imp_update */
    int unchecked;      /* the caller guarantees valid vertex numbers and poses: see
                           imp_detect */
    uint64_t mem_limit; /* bytes of host and device buffers; 0: half of the machine's memory */
    uint32_t block; /* maximum number of frames, or steps, in one set of launches; 0: the fastest */
    uint32_t verify; /* candidates of each block to re-check: see imp_detect; 0: none */
    uint64_t expect; /* expected primitives of all frames together, for "auto"; 0: unknown, perhaps
                        many */
    void (*log)(void *user, const char *line); /* receives warnings for the user, or NULL */
    void *log_user;
} imp_def;

typedef struct imp imp;

/* Makes a pipeline: opens the device and tests it against a known answer. def: it and its lists are
 * copied; NULL: all defaults. Any number of threads may do so at once; OpenCL drivers are started
 * and kernels built one after another, since drivers fail otherwise. Errors: ARGUMENT, DEVICE (the
 * named device is absent, unfit or gives wrong answers), MEMORY. */
IMP_API int imp_create(const imp_def *def, imp **out);

IMP_API void imp_destroy(imp *p);

/* ---- which pairs of objects are tested */

/* The pairs of objects that the rules of an imp_def (pairs, object_pair, object_pairs,
 * object_pairs_exclude) leave to test in the frames of a run. imp_detect accepts any objects, even
 * if no pair of them may be tested: a simulation can have such frames. A caller that knows all
 * frames checks them here before the first one, so that a wrong option is an error and not an empty
 * result.
 *
 * def: as for imp_create; other options are ignored, and the list is copied; NULL: all defaults.
 * Errors: ARGUMENT, MEMORY. Used by one thread at a time. */
typedef struct imp_rules imp_rules;
IMP_API int imp_rules_create(const imp_def *def, imp_rules **out);
IMP_API void imp_rules_destroy(imp_rules *r);

/* Adds a frame by the objects of its primitives, in any order; each object may be given once. NULL:
 * all belong to object 0. Errors: MEMORY. */
IMP_API int imp_rules_add(imp_rules *r, const int32_t *object, size_t primitives);

/* Errors: ARGUMENT if frames with primitives were added and none of them has a pair of objects that
 * may be tested. The text says why and names the objects of the last frame. */
IMP_API int imp_rules_check(const imp_rules *r);

/* Finds the next object of the list that no frame has, in ascending order. *at: 0 before the first
 * call. Returns 1, or 0 past the last. */
IMP_API int imp_rules_missing(const imp_rules *r, size_t *at, int32_t *object);

enum imp_kind {
    IMP_KIND_CANDIDATE = 0, /* stage candidates: bounds overlap */
    IMP_KIND_POINT = 1,     /* the primitives touch in one point */
    IMP_KIND_SEGMENT = 2,   /* they intersect in a segment */
    IMP_KIND_AREA = 3,      /* they are coplanar and overlap in an area */
    IMP_KIND_DUPLICATE = 4, /* the same three vertices */
    IMP_KIND_SOLIDS = 5,    /* one or both primitives are tetrahedra */
    /* with imp_def.continuous: the features that meet first in the step, a vertex and a face, or
     * two edges. AT_START is added to one of the kinds above if the primitives already meet at the
     * start of the step */
    IMP_KIND_VERTEX_FACE = 6,
    IMP_KIND_EDGE_EDGE = 7,
    /* with imp_def.rows also, where a primitive has only one vertex, or neither has more than two
     */
    IMP_KIND_VERTEX_EDGE = 8,
    IMP_KIND_VERTEX_VERTEX = 9,
    /* with imp_def.thickness and rows PRIMITIVES, instead of POINT or SEGMENT: two triangles, and
     * an edge of one passes through the other: its ends are strictly on different sides of the
     * other's plane, and it meets the closed other triangle */
    IMP_KIND_CROSSED = 10,
    IMP_KIND_VERTEX_INSIDE = 11, /* rows INSIDE: a vertex inside a closed object */
    IMP_KIND_AT_START = 16
};

/* A feature of a triangle at an end of a contact: corner 0 to 2, IMP_END_EDGE + edge 0 to 2, or the
 * face. */
enum imp_end_feature {
    IMP_END_CORNER = 0,
    IMP_END_EDGE = 3,
    IMP_END_FACE = 6,
    IMP_END_NONE = 255 /* the contact is none of two triangles */
};

/* Contacts of one frame, or a part of them, sorted by (a, b), a < b. With imp_def.continuous:
 * contacts within the step from a frame to the next, sorted by (toi, a, b); with rows INSIDE:
 * sorted by (vertex, a, b). Valid during the call. members: columns of the result */
typedef struct imp_contacts {
    size_t frame; /* index in the array given to imp_detect */
    size_t count;
    const uint32_t *a, *b; /* [count] positions of the primitives in their frame */
    const uint8_t *kind;   /* [count] enum imp_kind */
    const double *points;  /* [6 * count] two points, in lexicographic order: the ends of the
                             segment of intersection; equal for a point; the two farthest corners
                             of an area, or of the intersection of solids; all of these correctly
                             rounded from the exact points, so that equal points have equal bits in
                             all rows; the centroids for candidates; of a pair that does not touch
                             (imp_def.rows) the nearest points, that of a first */
    /* toi: with imp_def.continuous, else NULL; features: also with imp_def.rows */
    const double *toi; /* [count] time of impact, 0 to 1: the fraction of the step at which the pair
                          first meets, rounded down; for bodies that rotate, not later than that; 0:
                          at the start of the step */
    /* [count] the features of a and of b that meet, or are nearest. VERTEX_FACE: the vertex number,
     * and -1 - f for face f, which is 0 for a triangle; EDGE_EDGE: edge 0 to 2 of a triangle, 0 to
     * 5 of a tetrahedron; VERTEX_EDGE, VERTEX_VERTEX: likewise; AT_START, and pairs that touch: -1
     */
    const int64_t *feature_a, *feature_b;
    /* the next four: with imp_def.rows, else NULL; 0 for pairs that touch, but for the distance */
    const double *distance; /* [count] the greatest float64 not above the exact distance */
    /* [4 * count] weights of the corners of a, and of b, that give the nearest points; of a
     * primitive with fewer than four corners the last weights are 0 */
    const double *barycentric_a, *barycentric_b;
    const double *normal; /* [3 * count] direction of length 1 from the point of a to that of b */
    /* the next two: with imp_def.thickness, else NULL */
    const double *penetration; /* [count] the contact distance minus the exact distance, rounded
                                  down: the greatest float64 not above it; at least 0 */
    const double *relative;    /* [count] the same divided by the contact distance, rounded down; 0
                                  if the contact distance is 0 */
    /* the next: of contacts of a frame, else NULL */
    const uint8_t *crossing; /* [count] 1: two triangles pass through each other: each has vertices
                                strictly on both sides of the other's plane, and they meet in a
                                segment, interior to both; with a tetrahedron: the interiors meet */
    /* the next: with imp_def.end_features, else NULL. [4 * count] enum imp_end_feature: the
     * features of a and of b that have the exact first point, then those that have the second: of
     * each triangle the vertex at that point, else the edge through it, else the face. So the point
     * is determined by the vertices of these features, and has the same two features in all
     * contacts of neighbours that meet in it */
    const uint8_t *end_features;
    /* the next three: with rows INSIDE, else NULL. a: the first primitive of the vertex's object
     * that has the vertex; b: the face, or the tetrahedron with the face, that is nearest; points:
     * the vertex, and the nearest point of b's face; normal: the direction of length 1 that leaves
     * b at that face, at a right angle to it */
    const uint32_t *vertex;    /* [count] */
    const int32_t *winding;    /* [count] the winding number of the object about the vertex */
    const double *barycentric; /* [4 * count] weights of the corners of b, as barycentric_b */
    /* the rest: with imp_def.solids or imp_def.inside, else NULL */
    const double *depth; /* [count] penetration depth. Of solids: the greatest distance from a
                            vertex of one, inside the other, to the other's surface; without such a
                            vertex the greatest distance to the other's surface from the middle of
                            the part of an edge of one that is inside the other; 0 without such an
                            edge; correctly rounded. With imp_def.inside, of contacts of two
                            objects, one closed: the greatest depth (as with rows INSIDE) of the
                            vertices of either primitive inside the other's object; without one that
                            of the middles, each coordinate rounded to the nearest float64, of those
                            parts of their edges that are inside the other's object and begin or
                            end on the surface of the other primitive, where the middle is inside,
                            too; without one that of the pair, as without inside. A part is as long
                            as possible, and inside but for finitely many points; faces without area
                            do not divide it. With rows INSIDE: the exact distance of the vertex to
                            the nearest face of the object whose two sides differ in being inside,
                            the greatest float64 not above it */
    const uint64_t *collision_first; /* [count + 1] */
    /* x y z of collision points: points where edges of one meet faces of the other, and vertices of
     * one inside the other. Contact i has points [collision_first[i], collision_first[i + 1]).
     * Correctly rounded from exact points, each once, in lexicographic order. None for candidates
     */
    const double *collision;
} imp_contacts;

/* A sink receives contacts in order of frame, a, b, in the thread that called imp_detect, and never
 * with count = 0. A result other than 0 stops the run: the sink is not called again, and imp_detect
 * returns that number, whether or not it is one of the codes above; imp_error_text() is the text
 * that the sink set with imp_set_error, or names the frame and the number. A sink must return: no
 * longjmp, no C++ exception. It may use other pipelines and models, and imp_cancel; functions that
 * compute with its own pipeline, or change its own model, return ARGUMENT, and the run goes on. */
typedef int imp_sink(void *user, const imp_contacts *contacts);

/* ---- closed objects: imp_def.inside */

/* An object is closed if it has a triangle of three different vertices or a tetrahedron, and the
 * directed uses of each edge of its triangles cancel: an edge is used as often in one direction as
 * in the other, by the numbers of its vertices. It may overlap itself and be non-manifold. The
 * winding number about a point that is not on its surface counts how often the triangles go around
 * the point, and the tetrahedra that contain it; the point is inside if that number is not 0
 * (NONZERO), or above 0 (POSITIVE). The surface of tetrahedra are the faces that do not cancel. A
 * point on the surface has no winding number: it touches.
 *
 * The relation of two objects, at least one of which is closed: APART: no common point. TOUCHING:
 * there are common points, but the interiors are disjoint. CROSSING: the interiors meet, and
 * neither contains the other. A_IN_B: a is contained in b (also where both are the same set);
 * B_IN_A: the reverse. Of an object that is not closed, its surface counts instead of its
 * interior: TOUCHING if no part of it is inside the other, A_IN_B if no part is outside. */
enum imp_relation_kind {
    IMP_RELATION_APART = 0,
    IMP_RELATION_TOUCHING = 1,
    IMP_RELATION_CROSSING = 2,
    IMP_RELATION_A_IN_B = 3,
    IMP_RELATION_B_IN_A = 4
};

/* Two objects of a frame that are not apart, a < b. In arrays of two: [0] of a with respect to b,
 * [1] of b with respect to a; zeros if the other is not closed. */
typedef struct imp_relation {
    int32_t a, b;
    int relation;         /* enum imp_relation_kind */
    uint64_t contacts;    /* pairs of primitives of the two that touch */
    uint64_t inside[2];   /* vertices inside the other */
    uint64_t touching[2]; /* vertices on the surface of the other */
    double depth[2];      /* the greatest depth of these vertices; 0: there are none */
    uint32_t deepest[2];  /* the least vertex with that depth; UINT32_MAX: none */
} imp_relation;

/* A part of an object that is inside another one and touches it nowhere: connected by common
 * vertices, and as large as possible. */
typedef struct imp_swallowed {
    int32_t object, in;
    uint32_t primitive;  /* its first primitive */
    uint32_t primitives; /* their number */
    uint32_t vertices;
} imp_swallowed;

/* The relations of a frame, ordered by (a, b), and the parts swallowed, by (object, in, primitive).
 * Valid during the call. imp_def.relations receives those of each frame after its rows, in the
 * thread that called imp_detect; a frame may come again, with the same values. A result other than
 * 0 stops the run, as of a sink. */
typedef struct imp_relations {
    size_t frame; /* index in the array given to imp_detect */
    size_t count, swallowed_count;
    const imp_relation *relation;
    const imp_swallowed *swallowed;
    uint32_t closed, open; /* objects that count as solids; listed ones that were skipped */
} imp_relations;

/* Counts of one frame. undecided: candidates that needed exact arithmetic; for a step, feature
 * pairs and candidates of its start. */
typedef struct imp_frame_info {
    uint64_t candidates; /* pairs whose bounds overlap */
    /* with imp_def.continuous: vertex-face and edge-edge pairs whose exact boxes over the step
     * overlap */
    uint64_t candidates_vf, candidates_ee;
    uint64_t contacts, undecided;
    uint32_t bad; /* primitives left out because of NaN or infinite vertices */
    /* table entries that the broad phase wrote: "hash" has one for each grid cell that a primitive
     * entered or left, other methods one for each primitive. A new table counts whole, an updated
     * one (imp_def.update) only with its changes */
    uint64_t entries_written;
    double seconds; /* the frame's part of its block's time, without the sink's time */
    /* the pass that computed it: "full"; "incremental", only pairs with a primitive that changed
     * since the frame before (imp_def.update); "continuous", a step. Static text, as is `reason` */
    const char *pass;
    /* why bounds and pairs (in a step, those of its start) are not incremental; "": they are */
    const char *reason;
    uint32_t kept; /* primitives whose bounds and pairs were reused from the frame before */
} imp_frame_info;

/* Finds all contacts of `count` frames. With imp_def.continuous: all contacts of the count - 1
 * steps between consecutive frames, both of one mesh, in which vertices move linearly; a step's
 * contacts have the number of its first frame, and info has count - 1 elements. Each pair of
 * primitives that meets in a step has one contact, its first: the least (toi, kind, feature_a,
 * feature_b). Features meet if they touch, or if their distance is at most imp_def.min_separation;
 * whether and when is decided exactly. Tetrahedra take part with their faces; one that contains
 * another at the start is a contact, too.
 *
 * Bodies with poses in both frames move as imp_pose says. Pairs with a body that rotates are found
 * conservatively: none is missed, the toi is not after the true one, and at that toi the distance
 * exceeds the separation by at most imp_def.tolerance (0: 1e-6 of the largest extent of both
 * frames) plus the distance of points from their posed positions. A tolerance that rounding does
 * not allow is ARGUMENT; a rotation that is too long for it, or a pair that takes too much work, is
 * INPUT: the text has the frame, the body and the figures, and begins with "bodies: "
 * (data/format.md has the bounds). Nothing moves within such a body: its own pairs are those of the
 * start, and count as candidates where they meet.
 *
 * `sink` may be NULL (count only: candidates are then neither sorted nor made into rows). info:
 * [count], or NULL. All frames are checked before the first block: an array that is NULL, a vertex
 * number not below mesh->vertices, and a pose that is invalid or does not fit the points are
 * IMP_ERR_ARGUMENT, and the text names the frame and the triangle or body. The check takes at most
 * 2 % of the time. imp_def.unchecked omits it; a number out of range then reads and writes outside
 * the arrays, and a wrong pose may lose contacts.
 *
 * If the device fails after it has worked before, this is logged, and the host computes this block
 * again and all that follow. imp_def.verify re-checks that many candidates and feature pairs of
 * each block (or all), chosen by a hash, by exact arithmetic before their rows are delivered; a
 * wrong answer counts as a device failure. Where memory is short, the number applies to each part
 * of a block. Errors: ARGUMENT, INPUT (a bad primitive with on_bad = error, and the text names
 * frame, triangle and vertex; or a rotation, see above), DEVICE, MEMORY, CANCELLED, and the number
 * that the sink returns. */
IMP_API int imp_detect(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
                       imp_frame_info *info);

/* Sets *yes to 1 if any two primitives of a frame touch, by the same rules, else to 0. Returns soon
 * after the first pair that does, with few candidates before it: the traversal of a tree reaches
 * one region after another ([K] section 5). With imp_def.distance or thickness: if any two are so
 * near; in stage candidates: if the bounds of any two overlap. Errors: as imp_detect; ARGUMENT with
 * rows OBJECTS and INSIDE, which exist whether or not primitives touch. */
IMP_API int imp_touches(imp *p, const imp_frame *frame, int *yes);

/* The number of frames of this size and one type (with imp_def.continuous, of steps) that a
 * pipeline computes in one set of launches, at least 1. A call with that number is fastest; any
 * number is allowed. */
IMP_API size_t imp_block_frames(const imp *p, uint64_t vertices, uint64_t primitives);

/* Drops everything cached for the next frame, even if its mesh pointer is the same: see
 * imp_update. */
IMP_API void imp_forget(imp *p);

/* ---- points inside closed objects */

/* The closed objects of one frame, prepared for queries by any points: see imp_relation. imp_def's
 * inside_object, inside_open, inside_winding, on_bad, threads and mem_limit apply. The frame's
 * arrays are copied. Used by one thread at a time, while its pipeline exists and computes nothing
 * else. Errors: ARGUMENT (also a listed object without a primitive), INPUT (a listed object is not
 * closed), MEMORY, CANCELLED. */
typedef struct imp_solids imp_solids;
IMP_API int imp_solids_create(imp *p, const imp_frame *frame, imp_solids **out);
IMP_API void imp_solids_destroy(imp_solids *s);

/* The closed objects, ascending; count: their number. NULL if there are none. */
IMP_API const int32_t *imp_solids_objects(const imp_solids *s, size_t *count);

/* The answers about n points; arrays that are NULL are not computed. Of a point that is not inside
 * (it is outside, or touches) depth, barycentric, normal and nearest are 0, and face is UINT32_MAX.
 */
typedef struct imp_inside_points {
    int32_t *winding;    /* [n] 0 where it touches */
    uint8_t *inside;     /* [n] 1: inside, by inside_winding */
    uint8_t *touching;   /* [n] 1: on the surface */
    double *depth;       /* [n] as imp_contacts.depth with rows INSIDE, as are the others */
    uint32_t *face;      /* [n] the primitive with the nearest face */
    double *barycentric; /* [4 * n] */
    double *normal;      /* [3 * n] */
    double *nearest;     /* [3 * n] */
} imp_inside_points;

/* Answers for points [3 * n], finite, about one object. Errors: ARGUMENT (a point is not finite, or
 * the object is not among the closed ones), MEMORY, CANCELLED. */
IMP_API int imp_solids_points(imp_solids *s, int32_t object, const double *point, size_t n,
                              const imp_inside_points *out);

/* ---- a model: primitives are added, moved, replaced and removed */

/* The primitives of a simulation that cuts or burns, identified by ids. A query finds the contacts
 * of all current primitives, as imp_detect does for a frame. With imp_def.update KEEP (or AUTO) it
 * is incremental: it computes only what changed since the previous query, and reuses bounds, table
 * entries and contacts of the rest. Adding, moving, replacing and removing cost amortised O(1) per
 * primitive.
 *
 * A function that fails does not change the model. Used by one thread at a time. */
typedef struct imp_model imp_model;

/* def: as for imp_create; ids, on_bad, block and unchecked are not used. corners: corners per
 * primitive, enum imp_corners; with 4 some may be triangles. Errors: as imp_create. */
IMP_API int imp_model_create(const imp_def *def, int corners, imp_model **out);
IMP_API void imp_model_destroy(imp_model *m);

/* Adds `count` vertices, x y z, finite; *first, if first is not NULL: the number of the first one,
 * the others follow. Vertices are never removed; imp_model_move can reuse those that no primitive
 * has. Errors: ARGUMENT, MEMORY. */
IMP_API int imp_model_add_vertices(imp_model *m, const double *point, uint32_t count,
                                   uint32_t *first);

/* Moves vertices: vertex[count], or the first `count` if that is NULL. Errors: ARGUMENT. */
IMP_API int imp_model_move(imp_model *m, const uint32_t *vertex, const double *point,
                           uint32_t count);

/* Adds what->primitives primitives, each with a new id; only the members corners, corner,
 * corner_count, object and id are used. Errors: ARGUMENT for an id that exists or occurs twice, and
 * for a vertex that does not exist; MEMORY. */
IMP_API int imp_model_add(imp_model *m, const imp_mesh *what);

/* Removes the primitives with these ids. Errors: ARGUMENT for an id that does not exist or occurs
 * twice. */
IMP_API int imp_model_remove(imp_model *m, const int64_t *id, uint32_t count);

/* Removes the primitives with these ids and adds others, which may have the same ids: one
 * primitive is replaced by several, or its corners change. Errors: as for the two above. */
IMP_API int imp_model_replace(imp_model *m, const int64_t *id, uint32_t count, const imp_mesh *by);

/* Finds the contacts. a and b are positions in imp_model_mesh; info: one element, or NULL. Errors:
 * as imp_detect. */
IMP_API int imp_model_query(imp_model *m, imp_sink *sink, void *user, imp_frame_info *info);

/* The model's primitives by position: id[a], corner[corners * a]. A primitive keeps its position
 * until it is removed; some positions are unused. Valid until the next call that changes the
 * model. */
IMP_API const imp_mesh *imp_model_mesh(const imp_model *m);

/* The position of the primitive with that id, or -1. */
IMP_API int64_t imp_model_position(const imp_model *m, int64_t id);

/* The model's pipeline: for imp_cancel, imp_profile_get, imp_device_name and similar functions. */
IMP_API imp *imp_model_pipeline(imp_model *m);

/* ---- while a pipeline runs, and after */

/* Cancels the running imp_detect, or another function that computes, or the next one if none is
 * running: it soon returns IMP_ERR_CANCELLED, and its sink is not called again; one that has
 * computed all returns that, too. A running function that ends with another error, or with a sink's
 * number, returns that instead. The next one is not cancelled then. The pipeline can be used again
 * afterwards. May be called from a signal handler, a sink or another thread. */
IMP_API void imp_cancel(imp *p);

/* Sums since creation or the last imp_profile_reset. Times are wall seconds by stage, without
 * sinks; a GPU's work counts in the stage that waits for it. members: figures, each of which is
 * shown by itself. */
typedef struct imp_profile {
    double bound, broad, order, narrow;
    double exact; /* the part of `narrow` in exact arithmetic, on the host */
    uint64_t frames, primitives, candidates, contacts, undecided, bad, candidates_max,
        entries_written;
    uint64_t candidates_vf, candidates_ee; /* as in imp_frame_info */
    uint64_t verified;                     /* candidates that were re-checked: imp_def.verify */
    uint64_t peak_bytes; /* peak size of this pipeline's host and device buffers */
    /* the rest: the method "tree" alone */
    double tree_build; /* seconds of `broad` in which trees were built, refitted to other points, or
                          posed */
    /* counts, the same for any number of threads */
    uint64_t tree_nodes;   /* nodes of all trees */
    uint64_t volume_tests; /* pairs of nodes tested */
    uint64_t obb_tests;    /* the part of them with an oriented box */
    uint64_t axes;         /* axes tested until one separated the boxes */
    uint64_t leaf_pairs;   /* pairs of leaves whose primitives were tested */
    uint32_t tree_height;  /* levels below the root of the highest tree */
    uint64_t tree_bytes;   /* the largest size of a block's trees */
} imp_profile;

IMP_API void imp_profile_get(const imp *p, imp_profile *out);
IMP_API void imp_profile_reset(imp *p);

/* The device: "cpu", or the platform and name of the OpenCL device. The broad method: that of the
 * last block, or before the first block the one in imp_def. */
IMP_API const char *imp_device_name(const imp *p);
IMP_API const char *imp_broad_name(const imp *p);

/* The number of blocks that used broad method `index` since creation or the last imp_profile_reset:
 * "auto" chooses a method for each block. Returns 1, or 0 past the last. */
IMP_API int imp_broad_at(const imp *p, size_t index, const char **name, uint64_t *blocks);

/* ---- devices */

typedef struct imp_device_info {
    char platform[128], name[128], version[128], driver[128];
    int is_gpu, fp64;
    uint64_t memory, largest_buffer; /* bytes */
    uint32_t compute_units;          /* compute units or threads */
} imp_device_info;

/* Describes device number `index`, 0 being the host ("cpu"). Returns 1, or 0 past the last. Without
 * libOpenCL.so.1 the host is the only device. That library loads drivers into this process: those
 * that the folder of .icd files OCL_ICD_VENDORS lists. The program impinge sets it to a folder with
 * only the drivers that another process could list. */
IMP_API int imp_device_at(size_t index, imp_device_info *out);

/* The version of the library, and of the OpenCL API that it uses ("" if built without OpenCL). */
IMP_API const char *imp_version(void);
IMP_API const char *imp_opencl_version(void);

#ifdef __cplusplus
}
#endif
#endif
