/* Meshes that move through some frames, for tests of continuous detection. */
#ifndef IMP_COURSE_H
#define IMP_COURSE_H

#include "ways.h"

#define COURSE_FRAMES 3
#define COURSE_STEPS (COURSE_FRAMES - 1)

/* The parameters of a course. */
typedef struct look {
    const char *name;
    uint32_t primitives;
    int corners, shared; /* corners: -4: triangles, too; shared: primitives share vertices */
    int grid;            /* coordinates are small integers: many coplanar, collinear or touching */
    double step;         /* distance that vertices move, in sizes of a primitive */
    enum { LOOK_RANDOM, LOOK_FAN, LOOK_STILL, LOOK_APART } form;
    uint32_t copies; /* primitives with the same vertices, in other orders; 0: one */
} look;

extern const look looks[];
#define LOOKS 15

/* On slow builds, unless more cases are requested, a test uses a third of the looks: those from
 * `first` on in steps of looks_step. Tests differ in `first`, so that together they use all. */
size_t looks_from(size_t first);
size_t looks_step(void);

/* The frames share one mesh, which the course owns. */
typedef struct course {
    const look *of;
    imp_mesh mesh;
    uint32_t *corner;
    uint8_t *corner_count;
    int32_t *object;
    double *point[COURSE_FRAMES];
    imp_frame frame[COURSE_FRAMES];
} course;

/* The same seed makes the same course. */
void course_make(course *c, const look *l, uint64_t seed);
void course_copy(const course *from, course *c);
void course_free(course *c);

/* imp_detect of its frames, which must succeed; info[COURSE_FRAMES], or NULL. */
void course_rows(imp *p, const course *c, contact_list *out, imp_frame_info *info);

/* The same with a pipeline of its own. */
void course_way(const way *w, const imp_def *def, const course *c, contact_list *out);

/* Compares rows with those of independent code (truth.h), step by step. */
void course_truth(const course *c, const imp_def *def, const contact_list *rows);

#endif
