/* See auto.h. */
#include "auto.h"

#include "cache.h"
#include "hash64.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Triangles that the host does in the time that starting OpenCL takes: measured 0.1 to 0.3 s. */
#define EXPECT_LEAST 2000000

int auto_is_small(const imp_def *def)
{
    return def->expect && def->expect < EXPECT_LEAST;
}

/* GPUs are left out: where a machine has one, "auto" takes it without a comparison. */
int auto_rival(char *number, size_t size, imp_device_info *out)
{
    for (size_t i = 1; imp_device_at(i, out); i++) {
        if (out->is_gpu)
            continue;
        snprintf(number, size, "%zu", i);
        return 1;
    }
    return 0;
}

void auto_cpu(int threads, char *name, size_t size)
{
    imp_device_info rival;
    if (!auto_rival(name, size, &rival) || auto_known(&rival, threads) != AUTO_RIVAL)
        snprintf(name, size, "cpu");
}

/* ---- what is remembered */

/* What the answer depends on, as one number. A new version or driver may be faster, so its
 * answer is another one. */
static uint64_t memory_key(const imp_device_info *d, int threads)
{
    char text[1024];
    /* Separators, so that two names cannot give the text of two others. */
    snprintf(text, sizeof text, "%s|%s|%s|%s|%s|%d", IMP_VERSION, d->platform, d->name, d->version,
             d->driver, threads);
    return hash64(text, strlen(text));
}

void auto_line(const imp_device_info *rival, int threads, enum auto_answer answer, char *out,
               size_t size)
{
    snprintf(out, size, "%016" PRIx64 " %d\n", memory_key(rival, threads), (int)answer);
}

/* Lines that cannot be read, such as one cut short, are ignored. The last answer counts. */
enum auto_answer auto_known(const imp_device_info *rival, int threads)
{
    char line[64];
    uint64_t key = memory_key(rival, threads), k;
    enum auto_answer found = AUTO_UNKNOWN;
    int answer, attempts = 0;
    const int descriptor = cache_read("devices");
    FILE *f = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%16" SCNx64 " %d", &k, &answer) != 2 || k != key)
            continue;
        attempts += answer == AUTO_BEGUN;
        if (answer == AUTO_HOST || answer == AUTO_RIVAL)
            found = (enum auto_answer)answer;
    }
    if (f)
        fclose(f);
    else if (descriptor >= 0)
        close(descriptor);
    /* A device that never let a measurement end is left alone. */
    return found == AUTO_UNKNOWN && attempts >= AUTO_ATTEMPTS ? AUTO_HOST : found;
}
