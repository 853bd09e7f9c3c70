/* What oriented boxes may be made of besides all vertices of their triangles: the convex hull of
 * these, by Qhull. */
#ifndef BENCH_TREE_HULL_H
#define BENCH_TREE_HULL_H

#include "bv.h"

/* Is there a Qhull in this build? */
int tree_hull_there(void);

/* For tree_def.moments: sums over the corners of the hull's triangles ([S] section 1.2, step 1),
 * and those over the hull's surface (Gottschalk, Lin and Manocha, section 4), which does not depend
 * on how it is cut into triangles. Points that have no hull, in one plane or fewer than four, are
 * taken all. */
void tree_hull_corners(const bv_points *below, bv_moments *out);
void tree_hull_surface(const bv_points *below, bv_moments *out);

#endif
