/* Batches of random triangles and tetrahedra in every layout that VTKHDF allows. */
#ifndef IMP_LAYOUTS_H
#define IMP_LAYOUTS_H

#include "h5_make.h"

typedef struct layout {
    const char *name;
    void (*build)(make *m, rng *r);
    int is_static; /* static topology */
    int solids;    /* has tetrahedra: UnstructuredGrid only */
} layout;

/* ends with name = NULL */
extern const layout layouts[];

/* A part of random triangles, on vertices numbered within it. */
void layout_part(make *m, int64_t vertices, int64_t triangles, rng *r);

/* The same for cells of both types in any order; or of one type, 5 or 10. */
void layout_cells(make *m, int64_t vertices, int64_t cells, int64_t type, rng *r);

/* Some layouts of the list. */
void layout_static(make *m, rng *r); /* 5 steps of 11 triangles */
void layout_parts(make *m, rng *r);
void layout_changing(make *m, rng *r);

/* The part is stored again for every step, although the topology is static. */
void layout_repeated_counts(make *m, rng *r);

#endif
