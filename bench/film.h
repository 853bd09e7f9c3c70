/* Frames of a scene in memory, and how trees take them: what the programs that measure trees share.
 * Failures end the program. */
#ifndef BENCH_FILM_H
#define BENCH_FILM_H

#include "broad_tree.h"
#include "engine.h"
#include "scene.h"

typedef struct film {
    scene *scene; /* has the mesh */
    imp_frame *frame;
    size_t frames;
} film;

/* Memory, all zero; err: what a function of the library returned. */
void *zeros(size_t bytes);
void good(int err);

/* A number given on the command line from `least` on; *argv is the next one, NULL ends them. */
uint64_t argument(char ***argv, uint64_t otherwise, uint64_t least);

/* All frames of a scene of one mesh. */
void film_make(const char *name, uint64_t primitives, uint64_t frames, film *out);
void film_free(film *f);

/* A pipeline of trees that are kept from frame to frame, or not: on the host, with options that
 * only `trees` can say. */
imp *film_pipeline(const imp_def *def);
const trees *film_trees(const imp *p);

/* What a frame takes. */
typedef struct shot {
    double build,
        query;      /* seconds: trees are made, fitted or posed; the rest of the broad phase; */
    double exact;   /* which candidates meet, and where */
    uint64_t marks; /* checksum of its contacts */
    imp_profile profile;
} shot;

shot film_shoot(imp *p, const imp_frame *frame);

#endif
