/* The truth about two features that move: do they meet, or come near, and when first? In integers
 * of any length, from the definition of closed sets: weights of corners that are not negative, or a
 * place between two ends. All that the definition compares are polynomials of the time. */
#ifndef IMP_ORACLE_MOVING_H
#define IMP_ORACLE_MOVING_H

/* Points that move evenly, at the start and at the end; all finite. */
typedef struct oracle_ccd_points {
    double at[2][4][3];
} oracle_ccd_points;

/* vertex_face: vertex 3 against the face
 * 0 1 2; else the edge 0-1 against the edge 2-3. 0: they do not meet. *toi: the part of the way
 * after which they first do, exactly, rounded down to float64. Any number of threads. */
int oracle_ccd_first(int vertex_face, const oracle_ccd_points *p, double *toi);

/* The same, where they meet if their distance is at most `distance`, which is greater than 0. */
int oracle_ccd_first_near(int vertex_face, const oracle_ccd_points *p, double distance,
                          double *toi);

/* A quick test whether the hulls of the first corners[0] of x and the first corners[1] of y are
 * farther apart than `distance` all the way: most are. 0: it is not known. */
int oracle_ccd_apart(const int corners[2], const oracle_ccd_points *x, const oracle_ccd_points *y,
                     double distance);

#endif
