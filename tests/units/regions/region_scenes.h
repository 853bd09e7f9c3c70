/* Scenes of a few objects, their contacts and regions. */
#ifndef IMP_REGION_SCENES_H
#define IMP_REGION_SCENES_H

#include "impinge_regions.h"

/* A mesh that grows, its frame, and what was found. Zero at first. */
typedef struct region_scene {
    double *point;
    uint32_t *corner;
    int32_t *object;
    uint32_t vertices, primitives;
    imp_mesh mesh;
    imp_frame frame;
    float *single; /* the points as float32; NULL: float64 */
    imp_contacts contacts;
    uint32_t *a, *b;
    uint8_t *kind, *end_features;
    double *points;
    imp_regions *found;
} region_scene;

/* A number from 0 up to 1. */
double scene_random(uint64_t *state);

uint32_t scene_vertex(region_scene *s, double x, double y, double z);
void scene_face(region_scene *s, int32_t object, uint32_t u, uint32_t v, uint32_t w);

/* A box; a sheet of n x m squares, each of two triangles, from a point along two vectors; a torus
 * around z of n x m squares. */
void scene_box(region_scene *s, int32_t object, const double low[3], const double high[3]);
void scene_sheet(region_scene *s, int32_t object, uint32_t n, uint32_t m, const double at[3],
                 const double along[3], const double across[3]);
void scene_torus(region_scene *s, int32_t object, uint32_t n, uint32_t m, double radius,
                 double tube);

/* Finds the contacts of what was added, and their regions; again after a change. */
void scene_contacts(region_scene *s);
void scene_regions(region_scene *s);
void scene_contacts_of(region_scene *s, int pairs); /* the same of enum imp_pairs */
void scene_free(region_scene *s);

/* After the last scene. */
void scenes_end(void);

/* The n-th region of two objects; one without faces: there is none. Their parting; one without
 * contours: there is none. */
const imp_region *scene_region(const region_scene *s, int32_t object, int32_t other, int n);
const imp_parting *scene_parting(const region_scene *s, int32_t object, int32_t other);

#endif
