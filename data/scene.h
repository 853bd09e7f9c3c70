/* Procedural scenes, used by the program, the tests and the bench alike. The list is scene.def.
 *
 * The same scene, size, frames and seed give the same bytes on every system: only + - * / and sqrt
 * of float64 (correctly rounded everywhere), integer arithmetic and our own polynomials. golden.csv
 * holds hashes of small ones. In all of them neighbouring frames are similar. */
#ifndef IMP_SCENE_H
#define IMP_SCENE_H

#include "impinge.h"

typedef struct scene_def {
    const char *name;
    uint64_t primitives; /* approximate number in the first frame, at most 2^31 - 1; below the parts
                            of a scene, the smallest one (up to 80); 0: its own default */
    uint64_t frames;     /* 0: the scene's own default */
    uint64_t seed;       /* any number gives another scene of the kind */
    const struct scene_value *value; /* [values] of its own settings; of one given twice the last */
    size_t values;
} scene_def;

typedef struct scene_value {
    const char *name;
    double value;
} scene_value;

typedef struct scene scene;

/* Scene number `index` of the list. Returns 0 past its end. */
typedef struct scene_entry {
    const char *name, *text;     /* text: one line of description */
    int corners;                 /* 3: of triangles; 4: of tetrahedra, maybe with triangles */
    uint64_t primitives, frames; /* defaults */
} scene_entry;
int scene_at(size_t index, scene_entry *out);

/* Setting number `index` of a scene. Returns 0 past the last. */
typedef struct scene_setting {
    const char *name, *text;
    double value, least, most; /* value: where none is given */
    int whole;                 /* a whole number */
    const char *const *words;  /* what its values 0, 1, ... are called, and NULL; or NULL */
} scene_setting;
int scene_setting_at(const char *name, size_t index, scene_setting *out);

/* IMP_ERR_ARGUMENT for an unknown name, a setting that the scene does not have or that is out of
 * its range, or an impossible size (more vertices than 2^32 - 1 too), IMP_ERR_MEMORY also where the
 * machine has too little memory for the mesh and one frame. */
int scene_create(const scene_def *def, scene **out);
void scene_destroy(scene *s);

/* The topology of the last frame made, at first of frame 0, and the number of frames. While
 * it stays the same so does the pointer; from a frame to the next with another it changes. Most
 * scenes have one for all frames. */
const imp_mesh *scene_mesh(const scene *s);
uint64_t scene_frames(const scene *s);

/* [primitives] ids of that frame's primitives, valid in all frames: no id of a removed
 * primitive is used again. NULL where the topology never changes. */
const int64_t *scene_ids(const scene *s);

/* The name of an object, cut to `size`. Returns 0, and "", if it has none. */
int scene_object_name(const scene *s, int32_t object, char *out, size_t size);

/* The same of a list of names, which NULL ends: one with # is for all objects that follow, with
 * their numbers from 1 on in its place. */
int scene_name_of(const char *const *names, int32_t object, char *out, size_t size);

/* Goes on to the next frame (the first call gives frame 0) and points *out at it; it is valid until
 * the next call. *time is its time in seconds. Frames come in order only: some are simulated.
 * IMP_ERR_ARGUMENT after the last frame. */
int scene_next(scene *s, imp_frame *out, double *time);

#endif
