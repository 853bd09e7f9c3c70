/* A quick test whether two primitives are apart: most are, and the full answer takes far longer. */
#ifndef IMP_ORACLE_APART_H
#define IMP_ORACLE_APART_H

/* Does the plane of a face separate them? Each has 3 or 4 corners x. `within`: their interiors,
 * which may touch. 0: it is not known. */
int oracle_apart(const int corners[2], const double x[2][4][3], int within);

#endif
