/* The moment at which OpenCL starts in this process. The program asks its drivers before that, in
 * other processes (cli/drivers.h); the library alone does nothing there. */
#ifndef IMP_GATE_H
#define IMP_GATE_H

/* `before` runs once, right before the OpenCL loader reads which drivers there are, and `after`
 * right after it has loaded them: in the thread that lists devices first, under the lock of drivers
 * (device_cl.h), so they must not use the library. Set before any other thread runs. */
typedef struct gate {
    void (*before)(void);
    void (*after)(void);
} gate;

void gate_set(const gate *g);

/* For the code that lists devices, around each listing. */
void gate_enter(void);
void gate_leave(void);

#endif
