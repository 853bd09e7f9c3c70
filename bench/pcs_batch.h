/* A user's batch of cuboids, simulated by impinge and by ODE with its own collision: what it takes,
 * and what becomes of the bodies. For pcs.c. */
#ifndef BENCH_PCS_BATCH_H
#define BENCH_PCS_BATCH_H

/* argv: FILE; FRAMES, all that the file asks for if absent. Returns 0 for arguments that are wrong.
 * Other failures end the program: also bodies that are no cuboids, and pushes and springs. */
int pcs_batch(int argc, char **argv);

#endif
