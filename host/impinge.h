/* impinge: which triangles and tetrahedra of each frame of a simulation touch, exactly.
 *
 * A pipeline (`imp`) takes frames of primitives and returns every pair of them that intersects as
 * closed sets - a triangle is a surface, a tetrahedron a solid -, each pair once, with the geometry
 * of the intersection. Verdicts are those of exact arithmetic for every finite input, and all
 * results are the same bits on every device, for every broad method, k-DOP, cell size, number of
 * threads, block size and memory limit.
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
 * Destroying or closing NULL is allowed; with NULL for a pipeline, a model or an answer functions
 * with a code return ARGUMENT, others 0, 1, -1, NULL or "". A pipeline is used by one thread at a
 * time (except imp_cancel); several pipelines are independent. Lengths are in the units of the
 * input. All threads compute with rounding to nearest, with denormals and without traps; the
 * caller's floating-point environment is restored before a function returns, and sinks and
 * imp_def.log run in it. The library never prints, exits, aborts or truncates, with one exception
 * that it cannot prevent: contacts between frames use GMP, which prints a line and aborts where
 * malloc fails in it. Its numbers are small and no part of mem_limit. A program that must end
 * otherwise gives GMP functions (mp_set_memory_functions) that may leave, but never return without
 * memory. */
#ifndef IMPINGE_H
#define IMPINGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IMP_VERSION "0.1.0"

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

/* The general meaning of a code. Never NULL, for any number. */
IMP_API const char *imp_strerror(int code);

/* The last failure in this thread, in one line: file, dataset, reason. "" before any. */
IMP_API const char *imp_error_text(void);

/* Sets that text, at most its first 1023 bytes, and returns `code`: for sinks, which give the
 * reason why they stop a run with `return imp_set_error(7, "the disk is full");`. */
IMP_API int imp_set_error(int code, const char *text);

/* ---- input */

/* The number of corners of a primitive. */
enum imp_corners { IMP_VERTICES = 1, IMP_EDGES = 2, IMP_TRIANGLES = 3, IMP_TETRAHEDRA = 4 };

/* Everything that stays the same while points move. The arrays belong to the caller and must not
 * change while a pipeline uses them; frames with the same mesh pointer share one upload. */
typedef struct imp_mesh {
    uint32_t vertices;
    uint32_t primitives;    /* at most 2^31 - 1 */
    const uint32_t *corner; /* [corners * primitives] vertex numbers, each < vertices */
    const int32_t *object;  /* [primitives] the object of each; NULL: all belong to object 0 */
    int corners;            /* of each primitive, enum imp_corners; 0: 3, triangles. A vertex or an
                               edge counts as a triangle of zero area. */
    /* [primitives] with corners = 4 some may be triangles: the number of corners of each, 3 or 4.
     * The last of the four numbers of a triangle is ignored. NULL: all have `corners` */
    const uint8_t *corner_count;
    const int64_t *id;   /* [primitives] with imp_def.ids: unique numbers, which identify primitives
                            from one mesh to the next */
    uint32_t bodies;     /* rigid objects: frames have a pose of each (imp_pose). 0: none, or not
                            known */
    const int32_t *body; /* [bodies] those objects, ascending */
    const double *rest;  /* [3 * vertices] x y z of the vertices of bodies, in the body's own
                            coordinates. No vertex belongs to two bodies; vertices that belong to
                            no body are ignored */
} imp_mesh;

enum imp_type { IMP_FLOAT64 = 0, IMP_FLOAT32 = 1 };

/* Position and motion of a rigid body: a point in its own coordinates is rotated about their
 * origin, then moved by the centre. Between two frames the centre moves with constant velocity, and
 * the body rotates with constant angular velocity: along the shorter arc, or, where `spin` of the
 * first says that it turns by more than pi until the second, along the arc that is nearest to what
 * it says of all that end in the second pose, which may be several turns. A rotation between both
 * poses of less than 2^-23 has no axis: then whole turns are about that of `spin`, and the rotation
 * is spread over the whole motion. */
typedef struct imp_pose {
    double centre[3];
    double rotation[4]; /* w x y z, a quaternion of length 1 within 1e-6 */
    double velocity[3]; /* of the centre, per unit of time */
    double spin[3];     /* angular velocity: radians per unit of time, about this axis */
} imp_pose;

typedef struct imp_frame {
    const imp_mesh *mesh;
    const void *point;    /* [3 * vertices] x y z, of the type below; unchanged during a call */
    int type;             /* IMP_FLOAT64 or IMP_FLOAT32 */
    uint64_t number;      /* the number of this frame in messages */
    const imp_pose *pose; /* [mesh->bodies] of its rigid bodies; NULL: not known. Each vertex of a
                             body equals its posed rest position within 8 * 2^-52 (float32:
                             8 * 2^-23) of |centre| + radius */
    double time; /* finite, in the unit of imp_pose; with equal times bodies turn by pi at most */
} imp_frame;

/* ---- pipeline */

enum imp_adjacent { IMP_ADJACENT_SKIP = 0, IMP_ADJACENT_TEST = 1 };
enum imp_pairs { IMP_PAIRS_ALL = 0, IMP_PAIRS_SELF = 1, IMP_PAIRS_BETWEEN = 2 };
enum imp_stage { IMP_STAGE_CONTACTS = 0, IMP_STAGE_CANDIDATES = 1 };
enum imp_on_bad { IMP_BAD_ERROR = 0, IMP_BAD_SKIP = 1 };

/* From a frame to the next with the same mesh pointer, also in the next call of imp_detect: compute
 * everything again, or keep what did not change - bounds, the table of the broad phase, contacts of
 * pairs in which neither moved -, always or where that should be faster. Results are the same
 * bits. With AUTO and KEEP the caller guarantees that a mesh pointer that is used again points to
 * the same mesh; imp_forget ends that. With imp_def.ids the next frame may also have another
 * mesh: a primitive with the same id, corners and object, whose vertices have the same numbers
 * and points, is the same as before, if the primitives that are kept stay in the same order.
 * Only "rtree", which "auto" then takes, and "hash" can keep; other methods, devices without
 * float64, and GPUs, which are sooner done with a frame made anew, compute everything but the
 * topology again. */
enum imp_update { IMP_UPDATE_REBUILD = 0, IMP_UPDATE_AUTO = 1, IMP_UPDATE_KEEP = 2 };

/* For the method "tree": bounding volumes of its nodes; how trees are built; which of two nodes is
 * divided first, that of the object with more primitives (the environment), or both at once.
 * Trees of spheres and oriented boxes, or spheres above oriented boxes (HYBRID), may report fewer
 * false candidates than other methods; contacts are the same. */
enum imp_volume { IMP_VOLUME_DOP = 1, IMP_VOLUME_SPHERE, IMP_VOLUME_OBB, IMP_VOLUME_HYBRID };
enum imp_build { IMP_BUILD_TOP_DOWN = 1, IMP_BUILD_BOTTOM_UP = 2 };
enum imp_descent { IMP_DESCENT_ENVIRONMENT_FIRST = 1, IMP_DESCENT_SIMULTANEOUS = 2 };

/* The options of a pipeline. All zero: the default of every option. members: options, each of which
 * has its own meaning to the caller. */
typedef struct imp_def {
    const char *device; /* "auto", "cpu", "opencl", part of a name, or a number of
                           imp_device_at(); NULL: "auto": "cpu" if fewer than 2,000,000 primitives
                           are expected, else a GPU, or "cpu" where there is none */
    int threads;        /* of the host, at most the processors that the process may use; 0: these */
    const char *broad; /* "auto", "rtree", "grid", "hash", "tiles", "tree", "brute"; NULL: "auto" */
    int dop_k;         /* 6, 8, 14, 18 or 26; 0: 6. All include the box, so 8 is the same as 14 */
    double cell; /* edge of a grid cell of "hash"; 0: mean edge of the frame's triangles. Chooses
                    "hash" if `broad` is "auto"; with other methods: ARGUMENT */
    /* of "tree"; any that is not 0 chooses it as `cell` chooses "hash" */
    int volume, build, descent; /* enum imp_volume, imp_build, imp_descent; 0: the first of each */
    uint32_t degree;            /* children of a node, at least 2; 0: 2 */
    uint32_t leaf;              /* primitives of a leaf; 0: what is fastest */
    uint32_t hybrid_level;      /* of HYBRID: the number of levels, from the root on, with spheres;
                                   0: 1 */
    int adjacent;               /* enum imp_adjacent: pairs that share a vertex */
    int pairs;                  /* enum imp_pairs: within objects, between them, or both */
    int stage;                  /* enum imp_stage: exact contacts, or overlapping bounds only */
    int continuous;             /* contacts between each frame and the next: see imp_detect */
    double min_separation; /* with `continuous`: features as near as that meet; 0: that touch */
    double tolerance;      /* of bodies that turn: see imp_detect; 0: 1e-6 of the extent */
    int on_bad;            /* enum imp_on_bad: primitives with NaN or infinite vertices */
    /* [object_pairs] only these pairs of objects, at least one; or with object_pairs_exclude all
     * except these. NULL: all */
    const int32_t (*object_pair)[2];
    size_t object_pairs;
    int object_pairs_exclude;
    int solids;         /* contacts with depth and collision points */
    int ids;            /* meshes have imp_mesh.id */
    int update;         /* enum imp_update */
    int unchecked;      /* the caller guarantees valid vertex numbers and poses: see
                           imp_detect */
    uint64_t mem_limit; /* bytes of host and device buffers; 0: half of the machine's */
    uint32_t block;     /* maximum of frames, or steps, in a set of launches; 0: the fastest */
    uint32_t verify;    /* candidates of a block decided again: see imp_detect; 0: none */
    uint64_t expect;    /* primitives of all frames together, for "auto"; 0: not known,
                           perhaps many */
    void (*log)(void *user, const char *line); /* takes warnings for the user, or NULL */
    void *log_user;
} imp_def;

typedef struct imp imp;

/* Makes a pipeline: opens the device and tests it with a known answer. Any number of threads may do
 * so at once; on OpenCL devices drivers are started and kernels built one after another, since
 * drivers fail otherwise. Errors: ARGUMENT, DEVICE (the named device is absent, unfit or gives
 * wrong answers), MEMORY. */
IMP_API int imp_create(const imp_def *def, imp **out);

IMP_API void imp_destroy(imp *p);

/* ---- which pairs of objects are tested */

/* What the rules of an imp_def (pairs, object_pair, object_pairs, object_pairs_exclude) leave to
 * test in the frames of a run. imp_detect takes any objects, also those of which no pair may be
 * tested: in a simulation such frames come and go. A caller who knows all frames asks here before
 * the first one, so that a wrong option is an error and not an empty answer.
 *
 * def: as for imp_create; other options are not looked at, and the list is copied; NULL: all
 * defaults. Errors: ARGUMENT, MEMORY. Used by one thread at a time. */
typedef struct imp_rules imp_rules;
IMP_API int imp_rules_create(const imp_def *def, imp_rules **out);
IMP_API void imp_rules_destroy(imp_rules *r);

/* Adds a frame: the objects of its primitives, in any order, also each of them once; NULL: all are
 * of object 0. Errors: MEMORY. */
IMP_API int imp_rules_add(imp_rules *r, const int32_t *object, size_t primitives);

/* ARGUMENT where frames with primitives were added, and none of them has a pair of objects that may
 * be tested. The text says why and names the objects of the last frame. */
IMP_API int imp_rules_check(const imp_rules *r);

/* The next object of the list that no frame has, ascending. *at: 0 before the first call. Returns
 * 1, or 0 past the last. */
IMP_API int imp_rules_missing(const imp_rules *r, size_t *at, int32_t *object);

enum imp_kind {
    IMP_KIND_CANDIDATE = 0, /* stage candidates: bounds overlap */
    IMP_KIND_POINT = 1,     /* they touch in one point */
    IMP_KIND_SEGMENT = 2,   /* they meet in a segment */
    IMP_KIND_AREA = 3,      /* they are in one plane and overlap in an area */
    IMP_KIND_DUPLICATE = 4, /* the same three vertices */
    IMP_KIND_SOLIDS = 5,    /* one or both are tetrahedra */
    /* with imp_def.continuous: what meets first in the step, a vertex and a face, or two edges; or,
     * added to one of the kinds above: they meet already at the start of the step */
    IMP_KIND_VERTEX_FACE = 6,
    IMP_KIND_EDGE_EDGE = 7,
    IMP_KIND_AT_START = 16
};

/* Contacts of one frame, or a part of them, sorted by (a, b), a < b; with imp_def.continuous those
 * between a frame and the next, sorted by (toi, a, b). Valid during the call. */
typedef struct imp_contacts {
    size_t frame; /* position in the array given to imp_detect */
    size_t count;
    const uint32_t *a, *b; /* [count] positions of the primitives in their frame */
    const uint8_t *kind;   /* [count] enum imp_kind */
    const double *points;  /* [6 * count] two points, in lexicographic order: the ends of the
                             segment of intersection; equal for a point; the two farthest corners
                             of an area, or of the intersection of solids; the centroids for
                             candidates */
    /* these with imp_def.continuous, else NULL */
    const double *toi; /* [count] time of impact, 0 to 1: the fraction of the step after which they
                          meet first, rounded down; of bodies that turn not after that; 0: at its
                          start */
    const int64_t *feature_a, *feature_b; /* [count] of a and of b, what meets: VERTEX_FACE: the
                                             number of the vertex, and -1 - f for face f, which of a
                                             triangle is 0; EDGE_EDGE: edges 0 to 2, of tetrahedra 0
                                             to 5; AT_START: -1 */
    /* the rest with imp_def.solids, else NULL */
    const double *depth; /* [count] the greatest distance of a vertex of one, inside the other, from
                            the other's surface; 0 if there is none */
    const uint64_t *collision_first; /* [count + 1] */
    const double *collision;         /* x y z of collision points; contact i has those from
                                        collision_first[i] to before collision_first[i + 1]: points where
                                        edges of one meet faces of the other, and vertices of one inside the
                                        other. Rounded correctly from exact points, each once, in
                                        lexicographic order. None for candidates */
} imp_contacts;

/* Takes contacts in order of frame, a, b, in the thread that called imp_detect; never called with
 * count = 0. A result other than 0 stops the run: the sink is not called again, and imp_detect
 * returns that number, whether or not it is one of the codes above; imp_error_text() is the text
 * that the sink set with imp_set_error, or names the frame and the number. A sink must return: no
 * longjmp, no C++ exception. */
typedef int imp_sink(void *user, const imp_contacts *contacts);

/* Counts of one frame. undecided: candidates that needed exact arithmetic; of a step pairs of
 * features, and candidates of its start. */
typedef struct imp_frame_info {
    uint64_t candidates; /* pairs whose bounds overlap */
    /* with imp_def.continuous: pairs of a vertex and a face, and of two edges, whose exact boxes
     * over the step overlap */
    uint64_t candidates_vf, candidates_ee;
    uint64_t contacts, undecided;
    uint32_t bad; /* primitives left out because of NaN or infinite vertices */
    /* entries of the broad phase's table that were written: of the hash one for each grid cell that
     * a primitive entered or left; of others one for each primitive. All of a new table, else
     * (imp_def.update) those that changed */
    uint64_t entries_written;
    double seconds; /* its share of the time of its block, without the sink's time */
    /* how it was computed: "full"; "incremental", only pairs of what changed since the frame before
     * (imp_def.update); "continuous", a step. Both texts are static */
    const char *pass;
    /* why bounds and pairs, of a step those of its start, are not incremental; "": they are */
    const char *reason;
    uint32_t kept; /* primitives whose bounds and pairs are those of the frame before */
} imp_frame_info;

/* Finds all contacts of `count` frames; with imp_def.continuous all contacts of the count - 1 steps
 * between neighbours, of one mesh each, in which vertices move linearly. A step's contacts have the
 * number of its first frame; info[count - 1]. Of each pair of primitives that meet there is one
 * contact, the first: the least (toi, kind, feature_a, feature_b). Whether and when features meet
 * is decided exactly: that they touch, or that their distance is at most imp_def.min_separation.
 * Tetrahedra take part with their faces, and where one contains another at the start.
 *
 * Bodies with poses in both frames move as imp_pose says. Pairs with one that turns are found
 * conservatively: none is missed, the toi is not after the true one, and at that toi their
 * distance is at most imp_def.tolerance (0: 1e-6 of the largest extent of both frames) more than
 * the separation, and than points are away from their poses. A tolerance that rounding does not
 * allow is ARGUMENT; a turn that is too long for it, or a pair that takes too much work, INPUT: the
 * text has the frame, the body and the figures, and begins with "bodies: " (data/format.md has the
 * bounds). Nothing moves within such a body: its pairs are of the start, and count as candidates
 * where they meet.
 *
 * `sink` may be NULL (count only: candidates are then neither sorted nor made into rows);
 * info[count] or NULL. All frames are checked before the first block: arrays that are NULL, vertex
 * numbers that are not below mesh->vertices, and poses that are not valid or do not fit the points,
 * are IMP_ERR_ARGUMENT, and the text names frame and triangle or body. That takes at most 2 % of
 * the time. imp_def.unchecked omits both checks; then a number out of range reads and writes
 * outside the arrays, and a wrong pose may lose contacts.
 *
 * If the device fails after it has worked before, this is logged, and the block is computed again
 * on the host, as are all that follow. With imp_def.verify a wrong answer is such a failure: of
 * each block's candidates, and pairs of features, that many (or all), chosen by a hash, are decided
 * again by exact arithmetic before rows are handed out. Where memory is short these are a part's.
 * Errors: ARGUMENT, INPUT (a bad triangle and on_bad = error; the text names frame, triangle and
 * vertex; or a turn), DEVICE, MEMORY, CANCELLED, and the number that the sink returns. */
IMP_API int imp_detect(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
                       imp_frame_info *info);

/* Do any two primitives of a frame touch, by the same rules? Returns soon after the first pair that
 * does, with few candidates before it: the descent of a tree reaches one region after another ([K]
 * section 5). *yes: 1 or 0. Errors: as imp_detect. */
IMP_API int imp_touches(imp *p, const imp_frame *frame, int *yes);

/* How many frames of this size and one type, or with imp_def.continuous steps, a pipeline takes in
 * one set of launches, at least 1. A call with that number is fastest; any number is allowed. */
IMP_API size_t imp_block_frames(const imp *p, uint64_t vertices, uint64_t primitives);

/* Nothing is kept for the next frame, even if its mesh pointer is the same: see imp_update. */
IMP_API void imp_forget(imp *p);

/* ---- a model: primitives that are added, moved, replaced and removed */

/* The primitives of a simulation that cuts and burns, identified by ids. A query finds the
 * contacts of all current primitives, as imp_detect does for a frame. With imp_def.update KEEP (or
 * AUTO) it computes only what changed since the previous query: bounds, table entries and contacts
 * of the rest are kept. Adding, moving, replacing and removing cost amortised O(1) per primitive.
 *
 * A function that fails does not change the model. Used by one thread at a time. */
typedef struct imp_model imp_model;

/* def: as for imp_create; ids, on_bad, block and unchecked are not used. corners: of its
 * primitives, enum imp_corners; with 4 some may be triangles. Errors: as imp_create. */
IMP_API int imp_model_create(const imp_def *def, int corners, imp_model **out);
IMP_API void imp_model_destroy(imp_model *m);

/* Adds `count` vertices, x y z, finite; *first, if first is not NULL: the number of the first one,
 * the others follow. Vertices are never removed: imp_model_move can give unused ones a new use.
 * Errors: ARGUMENT, MEMORY. */
IMP_API int imp_model_add_vertices(imp_model *m, const double *point, uint32_t count,
                                   uint32_t *first);

/* Moves vertices: vertex[count], or the first `count` if that is NULL. Errors: ARGUMENT. */
IMP_API int imp_model_move(imp_model *m, const uint32_t *vertex, const double *point,
                           uint32_t count);

/* Adds what->primitives primitives, each with a new id; of *what only corners, corner,
 * corner_count, object and id are used. Errors: ARGUMENT for an id that exists or occurs twice, and
 * for a vertex that does not exist; MEMORY. */
IMP_API int imp_model_add(imp_model *m, const imp_mesh *what);

/* Removes the primitives with these ids. Errors: ARGUMENT for an id that does not exist or occurs
 * twice. */
IMP_API int imp_model_remove(imp_model *m, const int64_t *id, uint32_t count);

/* Removes the primitives with these ids and adds others, which may have the same ids: one
 * primitive is replaced by several, or its corners change. Errors: as for the two above. */
IMP_API int imp_model_replace(imp_model *m, const int64_t *id, uint32_t count, const imp_mesh *by);

/* Finds the contacts. a and b are positions in imp_model_mesh; info: one, or NULL. Errors: as
 * imp_detect. */
IMP_API int imp_model_query(imp_model *m, imp_sink *sink, void *user, imp_frame_info *info);

/* Its primitives by position, which each keeps until it is removed: id[a], corner[corners * a].
 * Valid until the next call that changes the model. It has unused positions, too. */
IMP_API const imp_mesh *imp_model_mesh(const imp_model *m);

/* The position of the primitive with that id, or -1. */
IMP_API int64_t imp_model_position(const imp_model *m, int64_t id);

/* Its pipeline: for imp_cancel, imp_profile_get, imp_device_name and similar functions. */
IMP_API imp *imp_model_pipeline(imp_model *m);

/* ---- while a pipeline runs, and after */

/* Makes a running imp_detect, else the next one, return IMP_ERR_CANCELLED soon; after that the
 * pipeline can be used again. May be called from a signal handler or another thread. */
IMP_API void imp_cancel(imp *p);

/* Sums since creation or the last imp_profile_reset. Wall time by stage, without sinks, of a GPU's
 * work in the stage that waits for it. members: figures, each of which is shown by itself. */
typedef struct imp_profile {
    double bound, broad, order, narrow;
    double exact; /* of `narrow`: on the host, by exact arithmetic */
    uint64_t frames, primitives, candidates, contacts, undecided, bad, candidates_max,
        entries_written;
    uint64_t candidates_vf, candidates_ee; /* as in imp_frame_info */
    uint64_t verified;                     /* candidates that were decided again: imp_def.verify */
    uint64_t peak_bytes;                   /* of this pipeline's host and device buffers */
    /* of the method "tree" */
    double tree_build; /* seconds of `broad` in which trees were made, fitted to other points, or
                          posed */
    /* the same for any number of threads */
    uint64_t tree_nodes;   /* of the trees */
    uint64_t volume_tests; /* pairs of nodes that were tested */
    uint64_t obb_tests;    /* of these, those with an oriented box, */
    uint64_t axes;         /* and the axes tested until one separated them */
    uint64_t leaf_pairs;   /* pairs of leaves whose primitives were compared */
    uint32_t tree_height;  /* of the highest tree: levels below its root */
    uint64_t tree_bytes;   /* of the trees of a block, at most */
} imp_profile;

IMP_API void imp_profile_get(const imp *p, imp_profile *out);
IMP_API void imp_profile_reset(imp *p);

/* The device: "cpu" or the platform and name of the OpenCL device; the broad method of the last
 * block; before the first block the one in imp_def. */
IMP_API const char *imp_device_name(const imp *p);
IMP_API const char *imp_broad_name(const imp *p);

/* "auto" chooses a broad method for each block: the number of blocks that used method `index` since
 * creation or the last imp_profile_reset. Returns 1, or 0 past the last. */
IMP_API int imp_broad_at(const imp *p, size_t index, const char **name, uint64_t *blocks);

/* ---- devices */

typedef struct imp_device_info {
    char platform[128], name[128], version[128], driver[128];
    int is_gpu, fp64;
    uint64_t memory, largest_buffer; /* bytes */
    uint32_t compute_units;          /* compute units or threads */
} imp_device_info;

/* Device number `index`, 0 being the host ("cpu"). Returns 1, or 0 past the last. libOpenCL.so.1,
 * without which there is the host alone, loads drivers into this process: those of OCL_ICD_VENDORS,
 * a folder of .icd files. The program impinge names there those that another process could list. */
IMP_API int imp_device_at(size_t index, imp_device_info *out);

/* Version of the library, and of the OpenCL API that it uses ("" if built without). */
IMP_API const char *imp_version(void);
IMP_API const char *imp_opencl_version(void);

#ifdef __cplusplus
}
#endif
#endif
