/* The scenes of `impinge pcs`: how many distances they take beside what other methods would, and
 * how long one of them takes beside ODE's own collision. For pcs.c. */
#ifndef BENCH_PCS_SCENES_H
#define BENCH_PCS_SCENES_H

/* argv: BODIES, of boxes beside ODE, at most (10000); FRAMES, of each scene, at most (all that it
 * has). Returns 0 for arguments that are wrong. Other failures end the program. */
int pcs_scenes(int argc, char **argv);

#endif
