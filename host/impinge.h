/* impinge: which triangles and tetrahedra of each frame of a simulation touch, exactly.
 *
 * A pipeline (`imp`) takes frames of primitives and hands back every pair of them that intersect
 * as closed sets - a triangle is a surface, a tetrahedron a solid -, each once, with where they
 * meet. Verdicts are those of exact arithmetic for every finite input, and all results are the same
 * bits on every device, for every broad phase, k-DOP, cell size, number of threads, block size and
 * memory limit.
 *
 *     imp *p = NULL;
 *     int err = imp_create(&(imp_def){ .device = "opencl" }, &p);
 *     if (!err)
 *         err = imp_detect(p, &frame, 1, on_contacts, NULL, NULL);
 *     if (err)
 *         fprintf(stderr, "%s\n", imp_error_text());
 *     imp_destroy(p);
 *
 * Conventions. Functions that can fail return 0 or a negative IMP_ERR_ code (imp_detect also what
 * a sink returns); imp_error_text() then says what happened in the calling thread. Destroying or
 * closing NULL is allowed. A pipeline is used by one thread at a time (imp_cancel excepted);
 * several pipelines are independent. The library never prints, exits, aborts or truncates. Lengths
 * are in the units of the input. */
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
    IMP_ERR_CANCELLED = -8, /* imp_cancel was called, or a sink said stop */
    IMP_ERR_DIFFERS = -9    /* a check found a difference */
};

/* What a code means in general. Never NULL, for any number. */
IMP_API const char *imp_strerror(int code);

/* What the last failure in this thread was, in one line: file, dataset, reason. "" before any. */
IMP_API const char *imp_error_text(void);

/* Sets that text, its first 1023 bytes at most, and returns `code`: for sinks, which say why they
 * stop a run with `return imp_set_error(7, "the disk is full");`. */
IMP_API int imp_set_error(int code, const char *text);

/* ---- input */

/* How many corners the primitives of a mesh have. */
enum imp_corners { IMP_VERTICES = 1, IMP_EDGES = 2, IMP_TRIANGLES = 3, IMP_TETRAHEDRA = 4 };

/* What stays the same while points move. The arrays belong to the caller and must not change
 * while a pipeline uses them; frames with the same mesh pointer share one upload. */
typedef struct imp_mesh {
    uint32_t vertices;
    uint32_t primitives;    /* at most 2^31 - 1 */
    const uint32_t *corner; /* [corners * primitives] vertex numbers, each < vertices */
    const int32_t *object;  /* [primitives] which body; NULL: all of one body, 0 */
    int corners;            /* of each primitive, enum imp_corners; 0: 3, triangles. A vertex or an
                               edge counts as the triangle of no area that it is. */
    const uint8_t *own;     /* [primitives] with corners = 4 some may be triangles: how many corners
                               each has, 3 or 4. Of the four numbers of a triangle the last counts
                               for nothing. NULL: all have `corners` */
    const int64_t *name;    /* [primitives] with imp_def.names: different ones, by which primitives
                               are known from one mesh to the next */
    uint32_t bodies;        /* objects that are rigid: frames say where each is (imp_pose). 0: none,
                               or none is known */
    const int32_t *body;    /* [bodies] those objects, ascending */
    const double *rest;     /* [3 * vertices] of the vertices of bodies: x y z in the body's own
                               coordinates. No vertex belongs to two bodies; vertices that
                               belong to no body are ignored */
} imp_mesh;

enum imp_type { IMP_FLOAT64 = 0, IMP_FLOAT32 = 1 };

/* Where a rigid body is, and how it moves: a point of its own coordinates is turned about their
 * origin, and moved to the centre. Between two frames the centre moves evenly, and the body turns
 * evenly along the shorter arc. */
typedef struct imp_pose {
    double centre[3];
    double rotation[4]; /* w x y z, a quaternion of length 1 within 1e-6 */
    double velocity[3]; /* of the centre, a unit of time */
    double spin[3];     /* angular velocity: radians a unit of time, about this axis */
} imp_pose;

typedef struct imp_frame {
    const imp_mesh *mesh;
    const void *point;    /* [3 * vertices] x y z, of the type below */
    int type;             /* IMP_FLOAT64 or IMP_FLOAT32 */
    uint64_t number;      /* what messages call this frame */
    const imp_pose *pose; /* [mesh->bodies] of its rigid bodies; NULL: not known. Each vertex of a
                             body is where its pose puts it, within 8 * 2^-52 (float32: 8 * 2^-23)
                             of |centre| + radius */
} imp_frame;

/* ---- pipeline */

enum imp_adjacent { IMP_ADJACENT_SKIP = 0, IMP_ADJACENT_TEST = 1 };
enum imp_pairs { IMP_PAIRS_ALL = 0, IMP_PAIRS_SELF = 1, IMP_PAIRS_BETWEEN = 2 };
enum imp_stage { IMP_STAGE_CONTACTS = 0, IMP_STAGE_CANDIDATES = 1 };
enum imp_on_bad { IMP_BAD_ERROR = 0, IMP_BAD_SKIP = 1 };

/* From a frame to the next with the same mesh pointer, also of the next call of imp_detect: make
 * all anew, or keep what did not change - bounds, the table of the broad phase, contacts of pairs
 * of which neither moved -, always or where that is expected to pay. Results are the same bits. Who
 * keeps promises that a mesh pointer that comes again points to the same mesh; imp_forget takes
 * that back. With imp_def.names another mesh may follow, too: a primitive of the same name, corners
 * and object whose vertices have the same numbers and points is the same as before, if those that
 * are there again stand in the order of before. "rtree", which "auto" then is, and
 * "hash" can be kept; other methods, and devices without float64, make all anew. */
enum imp_update { IMP_UPDATE_REBUILD = 0, IMP_UPDATE_AUTO = 1, IMP_UPDATE_KEEP = 2 };

/* For the method "tree": bounding volumes of its nodes; how they are built; which of two nodes is
 * divided first, that of the object with more primitives (the environment), or both at once.
 * Spheres and oriented boxes, and spheres above oriented boxes (HYBRID), may find fewer candidates
 * than other methods do, never one less that meets: contacts are the same. */
enum imp_volume {
    IMP_VOLUME_DOP = 1,
    IMP_VOLUME_SPHERE = 2,
    IMP_VOLUME_OBB = 3,
    IMP_VOLUME_HYBRID = 4
};
enum imp_build { IMP_BUILD_TOP_DOWN = 1, IMP_BUILD_BOTTOM_UP = 2 };
enum imp_descent { IMP_DESCENT_ENVIRONMENT_FIRST = 1, IMP_DESCENT_SIMULTANEOUS = 2 };

/* What to do. All zero is the default of everything. */
typedef struct imp_def {
    const char *device; /* "auto", "cpu", "opencl", part of a name, or a number of
                           imp_device_at(); NULL: "auto": "cpu" if little is expected, else a GPU;
                           without one "cpu", or OpenCL on it if `impinge devices --compare` has
                           found that to be faster. Making a pipeline measures nothing. */
    int threads;        /* of the host; 0: all */
    const char *broad;  /* "auto", "rtree", "grid", "hash", "tree" or "brute"; NULL: "auto" */
    int dop_k;          /* 6, 8, 14, 18 or 26; 0: 6. All carry the box, so 8 bounds as 14 does */
    double cell; /* edge of a hash cell; 0: mean edge of the frame's triangles. Chooses "hash"
                    if that is left to "auto"; other methods have no cells: ARGUMENT */
    /* of "tree"; any that is not 0 chooses it as `cell` does "hash" */
    int volume, build, descent; /* enum imp_volume, imp_build, imp_descent; 0: the first of each */
    uint32_t degree;            /* children of a node, at least 2; 0: 2 */
    uint32_t leaf;              /* primitives of a leaf; 0: as is fastest */
    uint32_t hybrid_level;      /* of HYBRID: on how many levels, from the root on, nodes have
                                   spheres; 0: by what they cost */
    int adjacent;               /* enum imp_adjacent: pairs that share a vertex */
    int pairs;                  /* enum imp_pairs: within objects, between them, or both */
    int stage;                  /* enum imp_stage: exact contacts, or overlapping bounds only */
    int on_bad;                 /* enum imp_on_bad: triangles with NaN or infinite vertices */
    const int32_t (*object_pair)[2]; /* [object_pairs] only these pairs of objects ... */
    size_t object_pairs;
    int object_pairs_exclude; /* ... or all but these */
    int solids;               /* contacts with depth and collision points */
    int names;                /* imp_mesh.name is there */
    int update;               /* enum imp_update */
    int unchecked;            /* vertex numbers and poses are valid: see imp_detect */
    uint64_t mem_limit;       /* bytes of host and device buffers; 0: half of the machine's */
    uint32_t block;           /* most frames in one set of launches; 0: what is fastest */
    uint64_t expect;          /* triangles to expect in all; helps "auto" choose; 0: not known,
                                 perhaps many */
    void (*log)(void *user, const char *line); /* what a user should know, or NULL */
    void *log_user;
} imp_def;

typedef struct imp imp;

/* Makes a pipeline: opens the device and lets it reproduce a known answer. Any number of threads
 * may do so at once; those on OpenCL devices start drivers and build kernels one after another,
 * since drivers do not bear it otherwise. Errors: ARGUMENT, DEVICE (named device absent, unfit or
 * wrong), MEMORY. */
IMP_API int imp_create(const imp_def *def, imp **out);

IMP_API void imp_destroy(imp *p);

enum imp_kind {
    IMP_KIND_CANDIDATE = 0, /* stage candidates: bounds overlap */
    IMP_KIND_POINT = 1,     /* they touch in one point */
    IMP_KIND_SEGMENT = 2,   /* they meet in a segment */
    IMP_KIND_AREA = 3,      /* they lie in one plane and overlap in an area */
    IMP_KIND_DUPLICATE = 4, /* the same three vertices */
    IMP_KIND_SOLIDS = 5     /* one or both are tetrahedra */
};

/* Contacts of one frame, or a stretch of them, sorted by (a, b), a < b. Valid during the call. */
typedef struct imp_contacts {
    size_t frame; /* position in the array given to imp_detect */
    size_t count;
    const uint32_t *a, *b; /* [count] positions of the primitives in their frame */
    const uint8_t *kind;   /* [count] enum imp_kind */
    const double *point;   /* [6 * count] two points, in lexicographic order: the ends of the
                              segment of intersection; equal for a point; the two farthest corners
                              of an area, or of what solids have in common; the centroids for
                              candidates */
    /* the rest with imp_def.solids, else NULL */
    const double *depth; /* [count] the greatest distance of a vertex of one that lies in the other
                            from that one's surface; 0 if there is none */
    const uint64_t *collision_first; /* [count + 1] */
    const double *collision; /* three for each of the collision points of contact i, which are those
                                from collision_first[i] to before collision_first[i + 1]: where
                                edges of one meet faces of the other, and vertices of one in the
                                other. Rounded correctly from exact ones, different, in
                                lexicographic order. None for candidates */
} imp_contacts;

/* Takes contacts in order of frame, a, b, in the thread that called imp_detect; never called with
 * count = 0. Anything but 0 stops the run: the sink is not called again, and imp_detect returns
 * that number as it is, whether or not it is one of the codes above; imp_error_text() is what the
 * sink left with imp_set_error, or names the frame and the number. Nothing may leave it but by
 * returning: no longjmp, no C++ exception. */
typedef int imp_sink(void *user, const imp_contacts *contacts);

/* What happened in one frame. */
typedef struct imp_frame_info {
    uint64_t candidates; /* pairs whose bounds overlap */
    uint64_t contacts;
    uint64_t undecided; /* candidates that needed exact arithmetic */
    uint32_t bad;       /* triangles left out because of NaN or infinite vertices */
    /* places of the broad phase's table that were written: entries of the hash, one for each cell
     * that a primitive has come to or left; of other methods primitives whose bounds are in it. All
     * of them where the table was made for the frame, else (imp_def.update) those that changed */
    uint64_t touched;
    double seconds; /* its share of its block's time, without the sink's */
} imp_frame_info;

/* Before the first block all frames are checked: arrays that are NULL, vertex numbers that are not
 * below mesh->vertices, and poses that are not valid or do not fit the points, are
 * IMP_ERR_ARGUMENT, and the text names frame and triangle or body. Reading the numbers, once for
 * each run of frames with one mesh pointer, was measured to take 1 % of the time of a frame of 2
 * million triangles, 2 % where each of 100 frames of 5,000 has a mesh of its own, and nothing to
 * speak of where they share one (`cpu`, two threads). imp_def.unchecked leaves both out; then a
 * number out of range reads and writes anywhere, and a wrong pose may lose contacts.
 *
 * Finds all contacts of `count` frames. `sink` may be NULL (count only: candidates are then neither
 * sorted nor made into rows). info[count] or NULL.
 * If the device fails after it worked before, this is logged and the block done again on the host.
 * Errors: ARGUMENT, INPUT (a bad triangle and on_bad = error; the text names frame, triangle and
 * vertex), DEVICE, MEMORY, CANCELLED, and whatever the sink returns. */
IMP_API int imp_detect(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
                       imp_frame_info *info);

/* Do any two primitives of a frame touch, by the same rules? Ends soon after the first pair that
 * does, and looks at few candidates before: a tree's descent goes to one place after another ([K]
 * section 5). *yes: 1 or 0. Errors: as imp_detect. */
IMP_API int imp_touches(imp *p, const imp_frame *frame, int *yes);

/* Pairs that may meet on the way from one frame to the next: a stretch of them, sorted by (a, b),
 * a < b. Valid during the call. */
typedef struct imp_swept {
    size_t count;
    const uint32_t *a, *b; /* [count] positions of the primitives in their frame */
    const double *time;    /* [count] a share of the way, 0 to 1: they do not meet before that */
} imp_swept;

typedef int imp_swept_sink(void *user, const imp_swept *pairs);

/* Swept query of trees ([S] section 2.2 at every instant): which primitives' bounding volumes meet
 * at any instant between two frames of one mesh, so that nothing passes through another unseen.
 * None that meets is missed; some that do not are reported, as volumes are larger than what they
 * contain. Rigid bodies go from their pose in `from` to that in `to` (imp_pose), half a turn either
 * way round; vertices of other objects go anywhere in the hull of both their places. `from` and
 * `to` may be neighbours or not. Pairs are those that the pipeline's rules allow; on_bad is of no
 * meaning: points are finite. For pipelines with volumes of points (SPHERE, OBB, HYBRID), whose
 * leaves and levels are used.
 *
 * An object stands still if its points are the same in both frames, and its pose, without spin.
 * Pairs of objects that both stand still are those that imp_detect finds in `from`: contacts, or,
 * in stage CANDIDATES, candidates; their time is 0. With imp_def.update AUTO or KEEP they are kept
 * for the next sweep over the same mesh, and so are the pairs of a rigid body with itself: as long
 * as points and poses of both objects stay the same, which each sweep looks at, nothing is asked
 * again. Reported pairs are the same with any update.
 *
 * sink: as of imp_detect, or NULL; *count: how many pairs, or NULL. Errors: ARGUMENT (another kind
 * of pipeline, two meshes, poses in one frame alone, or not where points are), INPUT (a point that
 * is not finite), MEMORY, CANCELLED, what the sink returns. */
IMP_API int imp_sweep(imp *p, const imp_frame *from, const imp_frame *to, imp_swept_sink *sink,
                      void *user, uint64_t *count);

/* How many frames of this size a pipeline takes in one set of launches, at least 1. Handing over
 * that many at a time is fastest; any number is allowed. */
IMP_API size_t imp_block_frames(const imp *p, uint64_t vertices, uint64_t triangles);

/* The next frame is made from nothing, whatever its mesh: see imp_update. */
IMP_API void imp_forget(imp *p);

/* ---- a model: primitives that come, move, are replaced and go */

/* What a simulation that cuts and burns has in memory, by names. A query answers for all that is
 * there at that time, as imp_detect does for a frame, and with imp_def.update KEEP (or AUTO) looks
 * only at what changed since the query before: bounds, places in the table and contacts of the rest
 * are kept. Adding, moving, replacing and removing cost amortised O(1) a primitive.
 *
 * Every function that fails leaves the model as it was. Used by one thread at a time. */
typedef struct imp_model imp_model;

/* def: as for imp_create; names, on_bad, block and unchecked are of no meaning here. corners: that
 * its primitives have, enum imp_corners; with 4 some may be triangles. Errors: as imp_create. */
IMP_API int imp_model_create(const imp_def *def, int corners, imp_model **out);
IMP_API void imp_model_destroy(imp_model *m);

/* `count` more vertices, x y z, finite; *first, if first is not NULL: the number of the first one,
 * the others follow. Vertices stay, also those that nothing uses any more: imp_model_move gives
 * them to others. Errors: ARGUMENT, MEMORY. */
IMP_API int imp_model_add_vertices(imp_model *m, const double *point, uint32_t count,
                                   uint32_t *first);

/* Vertices get other places: vertex[count], or all from number 0 on if that is NULL. Errors:
 * ARGUMENT. */
IMP_API int imp_model_move(imp_model *m, const uint32_t *vertex, const double *point,
                           uint32_t count);

/* what->primitives more, each with a name that no other has; corners, corner, own, object and name
 * count, no more. Errors: ARGUMENT for a name that is there or comes twice, and for a vertex that
 * is not there; MEMORY. */
IMP_API int imp_model_add(imp_model *m, const imp_mesh *what);

/* Those names go. Errors: ARGUMENT for one that is not there or comes twice. */
IMP_API int imp_model_remove(imp_model *m, const int64_t *name, uint32_t count);

/* Those names go and these come, which may have the names of some that go: one primitive is
 * replaced by several, or its corners by others. Errors: as of the two above. */
IMP_API int imp_model_replace(imp_model *m, const int64_t *name, uint32_t count,
                              const imp_mesh *by);

/* Contacts of what is there. a and b are places in imp_model_mesh; info: one, or NULL. Errors: as
 * imp_detect. */
IMP_API int imp_model_query(imp_model *m, imp_sink *sink, void *user, imp_frame_info *info);

/* Its primitives by place, which each has as long as it is there: name[a], corner[corners * a].
 * Until the next call that changes something. Places that nobody has are in it, too. */
IMP_API const imp_mesh *imp_model_mesh(const imp_model *m);

/* Of that name: its place, or -1. */
IMP_API int64_t imp_model_place(const imp_model *m, int64_t name);

/* Its pipeline: for imp_cancel, imp_profile_get, imp_device_name and their like. */
IMP_API imp *imp_model_pipeline(imp_model *m);

/* ---- while one runs, and after */

/* Makes a running imp_detect, else the next, return IMP_ERR_CANCELLED soon; after that the pipeline
 * is as good as new. May be called from a signal handler or another thread. */
IMP_API void imp_cancel(imp *p);

/* Sums since creation or the last imp_profile_reset. Seconds of wall time by room, without those
 * that sinks take. */
typedef struct imp_profile {
    double bound, broad, order, narrow;
    uint64_t frames, primitives, candidates, contacts, undecided, bad, candidates_max, touched;
    uint64_t peak_bytes; /* of this pipeline's host and device buffers, which are kept */
    /* of the method "tree" */
    double tree_build; /* seconds of `broad`: trees were made, fitted to other points, or posed */
    /* the same for any number of threads */
    uint64_t tree_nodes;   /* of the trees that were made */
    uint64_t volume_tests; /* pairs of nodes that were asked */
    uint64_t obb_tests;    /* of these, those with an oriented box, */
    uint64_t axes;         /* and how many axes they took until one separated */
    uint64_t leaf_pairs;   /* pairs of leaves whose primitives were compared */
    uint32_t tree_height;  /* of the highest tree: levels below its root */
} imp_profile;

IMP_API void imp_profile_get(const imp *p, imp_profile *out);
IMP_API void imp_profile_reset(imp *p);

/* What runs: "cpu" or the platform and name of the OpenCL device; the broad phase of the last
 * block, before any the one asked for. */
IMP_API const char *imp_device_name(const imp *p);
IMP_API const char *imp_broad_name(const imp *p);

/* "auto" chooses a broad phase for each block: for how many number `index` was used since creation
 * or the last imp_profile_reset. Returns 1, or 0 past the last. */
IMP_API int imp_broad_at(const imp *p, size_t index, const char **name, uint64_t *blocks);

/* ---- devices */

typedef struct imp_device_info {
    char platform[128], name[128], version[128], driver[128];
    int is_gpu, fp64;
    uint64_t memory, largest_buffer; /* bytes */
    uint32_t units;                  /* compute units or threads */
} imp_device_info;

/* Device number `index`, 0 being the host ("cpu"). Returns 1, or 0 past the last. */
IMP_API int imp_device_at(size_t index, imp_device_info *out);

/* Version of the library, and of the OpenCL API that it uses ("" if built without). */
IMP_API const char *imp_version(void);
IMP_API const char *imp_opencl_version(void);

#ifdef __cplusplus
}
#endif
#endif
