/* Hooks for the start of OpenCL in this process. The program tests the drivers before that, in
 * other processes (cli/drivers.h); the library alone has no hooks. */
#ifndef IMP_GATE_H
#define IMP_GATE_H

/* `before` runs once, right before the OpenCL loader reads the list of drivers, and `after` right
 * after it has loaded them: in the thread that first lists devices, under the lock of drivers
 * (device_cl.h), so they must not use the library. Set before any other thread runs. */
typedef struct gate {
    void (*before)(void);
    void (*after)(void);
} gate;

void gate_set(const gate *g);

/* Called around each listing of devices. */
void gate_enter(void);
void gate_leave(void);

#endif
