/* An assertion with a message: EXPECT(n == 3, "%d rows, not 3", n). One fault often shows in
 * thousands of places: only the first failures of each test are printed and counted. */
#ifndef IMP_EXPECT_H
#define IMP_EXPECT_H

#include <CUnit/CUnit.h>
#include <stdio.h>

#define EXPECT_MOST 30

extern int expect_failed; /* failures in the running test: testlib.c resets it */

#define EXPECT(ok, ...)                                                                            \
    do {                                                                                           \
        int expect_ok = (ok) != 0;                                                                 \
        if (!expect_ok && ++expect_failed > EXPECT_MOST)                                           \
            break;                                                                                 \
        if (!expect_ok) {                                                                          \
            printf("\n    ");                                                                      \
            printf(__VA_ARGS__);                                                                   \
        }                                                                                          \
        CU_ASSERT(expect_ok);                                                                      \
    } while (0)

#endif
