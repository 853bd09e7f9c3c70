/* The scenes of `impinge pcs`: the number of distances they compute beside that of other methods,
 * and the time of one of them beside ODE's own collision detection. For pcs.c. */
#ifndef BENCH_PCS_SCENES_H
#define BENCH_PCS_SCENES_H

/* argv: BODIES, most boxes in the comparison with ODE (10000); FRAMES, most frames of each scene
 * (default all). Returns 0 for wrong arguments. Other failures end the program. */
int pcs_scenes(int argc, char **argv);

#endif
