/* Frames of a scene in memory, and the measurement of trees on them: shared by the programs that
 * measure trees. Failures end the program. */
#ifndef BENCH_FILM_H
#define BENCH_FILM_H

#include "broad_tree.h"
#include "engine.h"
#include "scene.h"

typedef struct film {
    scene *scene; /* owns the mesh */
    imp_frame *frame;
    size_t frames;
} film;

/* zeros: zeroed memory. good: ends the program if err, the result of a library function, is an
 * error. */
void *zeros(size_t bytes);
void good(int err);

/* A number from the command line, at least `least`; *argv is the next argument, NULL ends them;
 * `otherwise` is the default. */
uint64_t argument(char ***argv, uint64_t otherwise, uint64_t least);

/* All frames of a scene with one mesh. */
void film_make(const char *name, uint64_t primitives, uint64_t frames, film *out);
void film_free(film *f);

/* A pipeline on the host, whose trees are cached from frame to frame or not, with the options that
 * only `trees` takes. */
imp *film_pipeline(const imp_def *def);
const trees *film_trees(const imp *p);

/* The measurements of a frame. */
typedef struct shot {
    double build,
        query;      /* seconds: building, refitting or posing trees; the rest of the broad phase */
    double exact;   /* seconds: the narrow phase */
    uint64_t marks; /* checksum of its contacts */
    imp_profile profile;
} shot;

shot film_shoot(imp *p, const imp_frame *frame);

#endif
