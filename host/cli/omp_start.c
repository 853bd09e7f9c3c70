/* See cli.h.
 *
 * Threads that spin while they wait stall other threads if processors are shared: on a busy virtual
 * machine for tens of milliseconds; waking a sleeping thread takes 0.04 ms. So they sleep after
 * they have spun for about that long: the next region often begins within that time. A setting of
 * the user has priority.
 *
 * The OpenMP library reads this setting from the environment when it is loaded, before main, and
 * has no call for it. Functions of .preinit_array run before that, with the environment as the
 * kernel made it: an array without space for more variables. So the settings use the places of
 * variables that only shells read, until main begins. If the environment has no such variables, the
 * program executes itself again, which costs one start of the program. */
#define _GNU_SOURCE
#include "cli.h"

#include "machine.h"

#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#define POLICY "OMP_WAIT_POLICY"
#define SPINS "GOMP_SPINCOUNT"

/* ---- waiting */

/* A variable and its temporary place in the environment until main begins. */
typedef struct lodger {
    char text[32];
    char **place, *owner;
} lodger;

static lodger lodgers[2] = {{.text = POLICY "=passive"}, {.text = SPINS "=1000"}};

#ifndef IMP_SANITIZED /* sanitizers are not initialised yet */

static const char *const of_shells[] = {"_", "OLDPWD", "SHLVL", "PWD", "LOGNAME", "SHELL", "MAIL"};

/* Calls no library function: libraries are not initialised either. */
static int is_variable(const char *entry, const char *name)
{
    while (*name && *entry == *name) {
        entry++;
        name++;
    }
    return !*name && *entry == '=';
}

static char **omp_start_variable(char **environment, const char *name)
{
    while (*environment && !is_variable(*environment, name))
        environment++;
    return *environment ? environment : NULL;
}

static void lodge(int argc, char **argv, char **environment)
{
    const size_t names = sizeof of_shells / sizeof *of_shells;
    char **place[2];
    size_t found = 0;
    (void)argc;
    (void)argv;
    if (omp_start_variable(environment, POLICY) || omp_start_variable(environment, SPINS))
        return;
    for (size_t i = 0; i < names && found < 2; i++) {
        place[found] = omp_start_variable(environment, of_shells[i]);
        found += place[found] != NULL;
    }
    for (size_t i = 0; i < 2 && found == 2; i++) {
        lodgers[i].place = place[i];
        lodgers[i].owner = *place[i];
        *place[i] = lodgers[i].text;
    }
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = lodge;
#endif

/* Returns 0 if the variables had no places. */
static int move_out(void)
{
    for (size_t i = 0; i < 2 && lodgers[i].place; i++)
        *lodgers[i].place = lodgers[i].owner;
    return lodgers[0].place != NULL;
}

/* The variables stay set for libraries that read them later. If execv fails, the program continues
 * without them. */
static void sleep_while_waiting(char **argv)
{
    const int lodged = move_out();
    if (getenv(POLICY) || setenv(SPINS, "1000", 0) || setenv(POLICY, "passive", 0))
        return;
    if (!lodged)
        execv("/proc/self/exe", argv);
}

/* ---- the number of threads */

/* Uses no more threads than the launcher gave, by its variables too: OpenMP regions without a
 * num_threads clause use that number. A user may ask for more than SLURM_CPUS_PER_TASK. */
static void limit_threads(void)
{
    const char *slurm = getenv("SLURM_CPUS_PER_TASK");
    const long given = slurm && !getenv("OMP_NUM_THREADS") ? strtol(slurm, NULL, 10) : 0;
    const int most = processors_threads(0);
    omp_set_num_threads(given > 0 && given < most ? (int)given : most);
}

void omp_start(char **argv)
{
    sleep_while_waiting(argv);
    limit_threads();
}
