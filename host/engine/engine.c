/* Making and unmaking a pipeline: the device is opened and proven. */
#include "engine.h"

#include "auto.h"
#include "error.h"
#include "prim.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options */

static int key_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The filter on pairs as kernels take it. */
static int def_rules(imp *p)
{
    int err = IMP_OK;
    const imp_def *def = &p->def;
    uint32_t rules = def->adjacent == IMP_ADJACENT_SKIP ? RULE_SKIP_ADJACENT : 0;
    rules |= def->pairs == IMP_PAIRS_SELF ? RULE_SELF : 0;
    rules |= def->pairs == IMP_PAIRS_BETWEEN ? RULE_BETWEEN : 0;
    if (def->object_pair)
        rules |= def->object_pairs_exclude ? RULE_LIST_NOT : RULE_LIST_ONLY;
    TRY(mem_alloc(&p->mem, def->object_pairs * sizeof *p->object_pair, &p->object_pair));
    for (size_t i = 0; i < def->object_pairs; i++)
        p->object_pair[i] = object_pair(def->object_pair[i][0], def->object_pair[i][1]);
    if (def->object_pairs)
        qsort(p->object_pair, def->object_pairs, sizeof *p->object_pair, key_compare);
    p->bounds.rules = rules;
    p->bounds.listed = (uint32_t)def->object_pairs;
out:
    return err;
}

/* ---- the device */

void engine_close(imp *p)
{
    broad_free(p);
    narrow_free(p);
    bound_free(p);
    if (p->dev64 != p->dev)
        device_close(p->dev64);
    device_close(p->dev);
    p->dev = p->dev64 = NULL;
}

static int open_named(imp *p, const char *name)
{
    int err = IMP_OK;
    device_def def = p->device;
    def.name = name;
    def.threads = p->threads;
    def.mem = &p->mem;
    def.cancel = &p->cancel;
    TRY(device_open(&def, &p->dev));
    p->dev64 = p->dev;
    if (!p->dev->fp64) {
        def.name = "cpu";
        TRY(device_open(&def, &p->dev64));
    }
    const imp_device_info *info = &p->dev->info;
    if (!strcmp(info->platform, "host"))
        snprintf(p->name, sizeof p->name, "cpu");
    else
        snprintf(p->name, sizeof p->name, "%s, %s", info->platform, info->name);
    TRY(selftest(p));
out:
    if (err)
        engine_close(p);
    return err;
}

/* With "auto" a device that does not work is reported, and the next one tried. */
static int open_or_tell(imp *p, const char *name)
{
    char line[1200];
    int err = open_named(p, name);
    if (err && p->def.log) {
        snprintf(line, sizeof line, "%s; trying the next device", imp_error_text());
        p->def.log(p->def.log_user, line);
    }
    return err;
}

int engine_open(imp *p)
{
    const char *name = p->def.device;
    if (name && strcmp(name, "auto"))
        return open_named(p, name);
    char number[24];
    imp_device_info info;
    if (auto_is_small(&p->def))
        return open_named(p, "cpu");
    for (size_t i = 1; imp_device_at(i, &info); i++) {
        snprintf(number, sizeof number, "%zu", i);
        if (info.is_gpu && open_or_tell(p, number) == IMP_OK)
            return IMP_OK;
    }
    auto_cpu(p->threads, number, sizeof number);
    if (strcmp(number, "cpu") && open_or_tell(p, number) == IMP_OK)
        return IMP_OK;
    return open_named(p, "cpu");
}

/* ---- creation */

int engine_create(const imp_def *def, const device_def *forced, imp **out)
{
    int err = IMP_OK;
    static const imp_def none;
    imp *p = NULL;
    if (!out)
        FAIL(IMP_ERR_ARGUMENT, "imp_create: there is no place for the pipeline: out is NULL");
    *out = NULL;
    def = def ? def : &none;
    TRY(def_check(def));
    p = calloc(1, sizeof *p);
    if (!p)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    p->def = *def;
    p->def.dop_k = def->dop_k ? def->dop_k : 6;
    p->threads = def->threads ? def->threads : omp_get_max_threads();
    p->broad.method = broad_find(def->broad);
    p->mem.limit = def->mem_limit ? def->mem_limit : mem_machine() / 2;
    p->device = forced ? *forced : (device_def){0};
    p->device.log = def->log;
    p->device.log_user = def->log_user;
    TRY(def_rules(p));
    TRY(engine_open(p));
    p->def.object_pair = NULL; /* the caller's; the keys are ours */
    imp_profile_reset(p);
    *out = p;
    p = NULL;
out:
    imp_destroy(p);
    return err;
}

int imp_create(const imp_def *def, imp **out)
{
    return engine_create(def, NULL, out);
}

void imp_destroy(imp *p)
{
    if (!p)
        return;
    engine_close(p);
    mem_free(&p->mem, p->object_pair);
    free(p);
}
