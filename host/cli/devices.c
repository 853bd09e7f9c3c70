/* See devices.h. */
#include "devices.h"

#include "error.h"
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which devices */

static int devices_is_all(const imp_def *def)
{
    return def->device && !strcasecmp(def->device, IMP_ALL_DEVICES);
}

/* Returns whether a device other than number 0, the host, is a GPU. */
static int devices_any_gpu(void)
{
    imp_device_info info;
    int any = 0;
    for (size_t i = 1; imp_device_at(i, &info) && !any; i++)
        any = info.is_gpu;
    return any;
}

/* Returns the next of all devices from number i on; 0 past the last. */
static size_t devices_next(size_t i, int gpus)
{
    imp_device_info info;
    for (; imp_device_at(i, &info); i++)
        if (!gpus || info.is_gpu)
            return i;
    return 0;
}

size_t devices_wanted(const imp_def *def)
{
    size_t n = 0;
    if (!devices_is_all(def))
        return 1;
    const int gpus = devices_any_gpu();
    for (size_t i = devices_next(1, gpus); i; i = devices_next(i + 1, gpus))
        n++;
    return n ? n : 1;
}

/* ---- opening */

/* Opens one more device. The host's threads are divided, since all pipelines use theirs at the same
 * time. */
static int devices_add(devices *ps, const imp_def *def, const imp_forced *forced, size_t wanted)
{
    imp_def device_def = *def;
    imp_forced device_forced = *forced;
    device_forced.stays = ps->several;
    if (ps->several)
        device_def.threads = ps->threads / (int)wanted > 1 ? ps->threads / (int)wanted : 1;
    int err = imp_create_forced(&device_def, &device_forced, &ps->p[ps->count]);
    ps->count += !err;
    return err;
}

static void devices_exclude(const imp_def *def, size_t number)
{
    char line[1200];
    snprintf(line, sizeof line, "%s; device %zu is left out", imp_error_text(), number);
    if (def->log)
        def->log(def->log_user, line);
}

/* Names devices by number: two devices may have the same name. */
static int devices_add_all(devices *ps, const imp_def *def, const imp_forced *forced, size_t wanted,
                           size_t most)
{
    const int gpus = devices_any_gpu();
    size_t tried = 0;
    char number[24];
    imp_def device_def = *def;
    device_def.device = number;
    /* a device may appear while they are listed: there is space only for those that were counted */
    for (size_t i = devices_next(1, gpus); i && tried < wanted && ps->count < most;
         i = devices_next(i + 1, gpus)) {
        tried++;
        snprintf(number, sizeof number, "%zu", i);
        int err = devices_add(ps, &device_def, forced, wanted);
        if (err == IMP_ERR_DEVICE)
            devices_exclude(def, i);
        else if (err)
            return err;
    }
    if (ps->count)
        return IMP_OK;
    if (tried)
        return imp_fail(IMP_ERR_DEVICE, "device '%s': none of %zu works", def->device, tried);
    return imp_fail(IMP_ERR_DEVICE, "device '%s': there is no OpenCL device, see 'impinge devices'",
                    def->device);
}

int devices_open(const imp_def *def, const imp_forced *forced, size_t most, devices *out)
{
    int err = IMP_OK;
    const size_t wanted = devices_wanted(def);
    const int threads = processors_threads(def->threads);
    *out = (devices){.threads = threads, .several = wanted > 1 && most > 1};
    out->p = calloc(wanted + 1, sizeof *out->p);
    out->lost = calloc(wanted, 1);
    if (!out->p || !out->lost)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    TRY(devices_is_all(def) ? devices_add_all(out, def, forced, wanted, most)
                            : devices_add(out, def, forced, 1));
out:
    if (err)
        devices_close(out);
    return err;
}

void devices_close(devices *ps)
{
    for (size_t i = 0; ps->p && i < ps->count; i++)
        imp_destroy(ps->p[i]);
    free(ps->p);
    free(ps->lost);
    *ps = (devices){0};
}

/* ---- all devices together */

static void devices_add_trees(imp_profile *to, const imp_profile *t)
{
    to->tree_build += t->tree_build;
    to->tree_nodes += t->tree_nodes;
    to->volume_tests += t->volume_tests;
    to->obb_tests += t->obb_tests;
    to->axes += t->axes;
    to->leaf_pairs += t->leaf_pairs;
    to->tree_height = t->tree_height > to->tree_height ? t->tree_height : to->tree_height;
    to->tree_bytes = t->tree_bytes > to->tree_bytes ? t->tree_bytes : to->tree_bytes;
}

static void devices_add_profile(imp_profile *to, const imp_profile *t)
{
    to->bound += t->bound;
    to->broad += t->broad;
    to->order += t->order;
    to->narrow += t->narrow;
    to->exact += t->exact;
    to->frames += t->frames;
    to->primitives += t->primitives;
    to->candidates += t->candidates;
    to->contacts += t->contacts;
    to->undecided += t->undecided;
    to->bad += t->bad;
    to->entries_written += t->entries_written;
    to->candidates_vf += t->candidates_vf;
    to->candidates_ee += t->candidates_ee;
    to->verified += t->verified;
    to->peak_bytes += t->peak_bytes;
    if (t->candidates_max > to->candidates_max)
        to->candidates_max = t->candidates_max;
    devices_add_trees(to, t);
}

void devices_profile(const devices *ps, imp_profile *out)
{
    imp_profile t;
    *out = (imp_profile){0};
    for (size_t i = 0; i < ps->count; i++) {
        imp_profile_get(ps->p[i], &t);
        devices_add_profile(out, &t);
    }
}

static int devices_is_usable(const devices *ps, size_t i)
{
    return !ps->lost || !ps->lost[i];
}

/* Returns how many working devices have the name of the i-th; 0 if an earlier one has it, too. */
static size_t devices_count_alike(const devices *ps, size_t i)
{
    size_t n = 0;
    for (size_t k = 0; k < ps->count; k++) {
        const int same = devices_is_usable(ps, k) &&
                         !strcmp(imp_device_name(ps->p[k]), imp_device_name(ps->p[i]));
        if (same && k < i)
            return 0;
        n += (size_t)same;
    }
    return n;
}

const char *devices_names(const devices *ps)
{
    static char text[512]; /* as much as a result stores */
    size_t at = 0;
    for (size_t i = 0; i < ps->count; i++) {
        const size_t n = devices_is_usable(ps, i) ? devices_count_alike(ps, i) : 0;
        char number[24] = "";
        if (!n || at >= sizeof text)
            continue;
        if (n > 1)
            snprintf(number, sizeof number, "%zu x ", n);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s", at ? "; " : "", number,
                               imp_device_name(ps->p[i]));
    }
    return text;
}

static uint64_t devices_count_blocks(const imp *p)
{
    const char *name;
    uint64_t blocks, sum = 0;
    for (size_t i = 0; imp_broad_at(p, i, &name, &blocks); i++)
        sum += blocks;
    return sum;
}

/* If they ended with different methods, "auto" chose them. */
const char *devices_broad_name(const devices *ps)
{
    const char *name = NULL;
    for (size_t i = 0; i < ps->count; i++) {
        const char *mine = imp_broad_name(ps->p[i]);
        if (ps->count > 1 && !devices_count_blocks(ps->p[i]))
            continue;
        if (name && strcmp(name, mine) != 0)
            return "auto";
        name = mine;
    }
    return name ? name : imp_broad_name(ps->p[0]);
}

int devices_broad_at(const devices *ps, size_t index, const char **name, uint64_t *blocks)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ps->count; i++) {
        if (!imp_broad_at(ps->p[i], index, name, blocks))
            return 0;
        sum += *blocks;
    }
    *blocks = sum;
    return ps->count > 0;
}

size_t devices_block_frames(const devices *ps, uint64_t vertices, uint64_t primitives)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < ps->count; i++) {
        const size_t n = imp_block_frames(ps->p[i], vertices, primitives);
        least = n < least ? n : least;
    }
    return least;
}
