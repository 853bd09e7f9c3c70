/* A user's batch of cuboids, simulated by impinge and by ODE with its own collision detection: the
 * cost, and the resulting states of the bodies. For pcs.c. */
#ifndef BENCH_PCS_BATCH_H
#define BENCH_PCS_BATCH_H

/* argv: FILE; FRAMES, default all that the file requests. Returns 0 for wrong arguments. Other
 * failures end the program, including bodies that are not cuboids, pushes and springs. */
int pcs_batch(int argc, char **argv);

#endif
