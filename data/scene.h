/* Procedural scenes, used by the program, the tests and the benchmarks. The list is scene.def.
 *
 * The same scene, size, frames and seed give the same bytes on every system: only + - * / and sqrt
 * of float64 (correctly rounded everywhere), integer arithmetic and our own polynomials. golden.csv
 * holds hashes of small ones. In all of them neighbouring frames are similar. */
#ifndef IMP_SCENE_H
#define IMP_SCENE_H

#include "impinge.h"

typedef struct scene_def {
    const char *name;
    uint64_t primitives; /* approximate number in the first frame, at most 2^31 - 1; if it is less
                            than the parts of a scene need, the smallest possible scene (up to 80)
                            is made; 0: the scene's default */
    uint64_t frames;     /* 0: the scene's default */
    uint64_t seed;       /* each number gives another scene of the kind */
    const struct scene_value
        *value; /* [values] settings of the scene; if repeated, the last applies */
    size_t values;
} scene_def;

typedef struct scene_value {
    const char *name;
    double value;
} scene_value;

typedef struct scene scene;

/* Returns entry `index` of the list, or 0 past its end. */
typedef struct scene_entry {
    const char *name, *text;     /* text: one line of description */
    int corners;                 /* 3: triangles; 4: tetrahedra, possibly with triangles */
    uint64_t primitives, frames; /* defaults */
} scene_entry;
int scene_at(size_t index, scene_entry *out);

/* Returns setting `index` of a scene, or 0 past the last. */
typedef struct scene_setting {
    const char *name, *text;
    double value, least, most; /* value: the default */
    int whole;                 /* integer values only */
    const char *const *words;  /* NULL-terminated names of the values 0, 1, ...; or NULL */
} scene_setting;
int scene_setting_at(const char *name, size_t index, scene_setting *out);

/* Returns IMP_ERR_ARGUMENT for an unknown name, a setting that the scene does not have or that is
 * out of range, or an impossible size (including more than 2^32 - 1 vertices); IMP_ERR_MEMORY also
 * if the machine has too little memory for the mesh and one frame. */
int scene_create(const scene_def *def, scene **out);
void scene_destroy(scene *s);

/* The topology of the last frame made, initially that of frame 0, and the number of frames. The
 * pointer changes exactly when the topology does. Most scenes have one topology for all frames. */
const imp_mesh *scene_mesh(const scene *s);
uint64_t scene_frames(const scene *s);

/* [primitives] ids of that frame's primitives, valid in all frames: ids of removed primitives are
 * never reused. NULL if the topology never changes. */
const int64_t *scene_ids(const scene *s);

/* Writes the name of an object, cut to `size`. Returns 0, and writes "", if it has none. */
int scene_object_name(const scene *s, int32_t object, char *out, size_t size);

/* The same for a NULL-terminated list of names: a name with # is for all remaining objects, with
 * their numbers from 1 on in place of #. */
int scene_name_of(const char *const *names, int32_t object, char *out, size_t size);

/* Advances to the next frame (the first call gives frame 0) and points *out at it; it is valid
 * until the next call. *time is its time in seconds. Frames can only be made in order, since some
 * are simulated. Returns IMP_ERR_ARGUMENT after the last frame. */
int scene_next(scene *s, imp_frame *out, double *time);

#endif
