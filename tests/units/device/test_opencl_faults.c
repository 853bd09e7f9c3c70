/* OpenCL drivers whose calls fail, or whose answers are wrong: an error with a text, or the
 * contacts of the host. */
#include "expect.h"
#include "internal.h"
#include "opencl_driver.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <limits.h>
#include <string.h>

/* ---- calls that fail */

static void opencl_log_line(void *user, const char *line)
{
    ++*(int *)user;
    CU_ASSERT_PTR_NULL(strchr(line, '\n'));
}

/* A run in which these calls fail: a reported error, or the host's contacts. */
static long run_failing(const made *m, const contact_list *want, long from, long end, int code)
{
    imp *p = NULL;
    int lines = 0;
    contact_list got = {0};
    driver_fresh();
    fake->fail_from = from;
    fake->fail_end = end;
    fake->fail_code = code;
    const imp_def def = {
        .device = "opencl", .verify = 5, .log = opencl_log_line, .log_user = &lines};
    int err = imp_create(&def, &p);
    int opened = !err;
    if (!err)
        err = imp_detect(p, m->frame, m->frames, contact_list_sink, &got, NULL);
    const char *text = imp_error_text();
    if (err)
        EXPECT((err == IMP_ERR_DEVICE || err == IMP_ERR_MEMORY) && *text && !strchr(text, '\n'),
               "calls %ld to %ld fail with %d: error %d, '%s'", from, end, code, err, text);
    else
        EXPECT(contact_list_equal(want, &got), "calls %ld to %ld fail with %d: other contacts",
               from, end, code);
    EXPECT(!opened || !err || err == IMP_ERR_MEMORY, "call %ld: the host did not go on", from);
    long calls = atomic_load(&fake->calls);
    contact_list_free(&got);
    imp_destroy(p);
    EXPECT(atomic_load(&fake->alive) == 0, "calls %ld to %ld fail with %d: %ld objects are left",
           from, end, code, atomic_load(&fake->alive));
    return calls;
}

static void test_failing_calls(void)
{
    static const int codes[] = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                                CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_VALUE, 1};
    made m;
    contact_list want;
    driver_scene(&m, 20);
    driver_host_contacts(&m, &want);
    long calls = run_failing(&m, &want, LONG_MAX, LONG_MAX, 0);
    long step = test_count(1) > 1 ? 1 : TEST_SANITIZED ? 211 : 31;
    CU_ASSERT(calls > 500);
    for (long n = 0; n < calls; n += n < 60 ? 1 : step) {
        run_failing(&m, &want, n, n + 1, codes[(size_t)n % 5]);
        run_failing(&m, &want, n, LONG_MAX, codes[(size_t)n % 5]);
    }
    contact_list_free(&want);
    made_free(&m);
    driver_fresh();
}

/* ---- wrong answers */

/* Runs the frames on a device that from now on reports all pairs as apart. */
static uint64_t detect_lied(const made *m, imp_def def, int lies, driver_log *l, contact_list *out)
{
    imp *p = NULL;
    imp_profile t;
    driver_fresh();
    def.device = "opencl";
    def.log = driver_log_first;
    def.log_user = l;
    *out = (contact_list){0};
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
    fake->lies = lies;
    /* twice: after the difference the host computes, without a message */
    for (int i = 0; i < 2; i++) {
        contact_list_free(out);
        *out = (contact_list){0};
        CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL), 0);
    }
    EXPECT(!strcmp(imp_device_name(p), "cpu") == (lies && def.verify), "the device is %s",
           imp_device_name(p));
    imp_profile_get(p, &t);
    imp_destroy(p);
    return t.verified;
}

/* Every mode in which a device makes verdicts; `verify` covers all pairs, so that no lie escapes.
 */
static void lied_about(const made *m, imp_def def, const char *what)
{
    contact_list want, got;
    driver_log l = {0};
    detect_lied(m, def, 0, &l, &want);
    CU_ASSERT(want.count > 20 && !l.lines);
    detect_lied(m, def, 1, &l, &got);
    EXPECT(!contact_list_equal(&want, &got) && !l.lines, "%s: lies change nothing", what);
    contact_list_free(&got);
    def.verify = UINT32_MAX;
    EXPECT(detect_lied(m, def, 0, &l, &got) > 20 && !l.lines, "%s: an honest device: %s", what,
           l.first);
    CU_ASSERT(contact_list_equal(&want, &got));
    contact_list_free(&got);
    detect_lied(m, def, 1, &l, &got);
    EXPECT(contact_list_equal(&want, &got), "%s: other contacts from the host", what);
    EXPECT(l.lines == 1 && strstr(l.first, "Fake Device' decides wrongly") &&
               strstr(l.first, "going on with cpu") && !strchr(l.first, '\n'),
           "%s: %d lines, %s", what, l.lines, l.first);
    contact_list_free(&got);
    contact_list_free(&want);
}

static void test_lies(void)
{
    made m;
    driver_scene(&m, 60);
    lied_about(&m, (imp_def){0}, "triangles");
    lied_about(&m, (imp_def){.adjacent = IMP_ADJACENT_TEST}, "neighbours");
    lied_about(&m, (imp_def){.solids = 1}, "solids");
    lied_about(&m, (imp_def){.block = 1}, "block by block");
    made_free(&m);
    CU_ASSERT_FATAL(made_procedural("organ", 900, 3, 1, &m));
    lied_about(&m, (imp_def){0}, "tetrahedra");
    made_free(&m);
    driver_fresh();
}

/* Two frames of one mesh, of triangles that pass each other; every `meet`-th two begin in contact,
 * 0: none do. */
static void passing(made *m, uint32_t meet)
{
    rng r = {11};
    *m = (made){.name = "between"};
    made_part *p = made_add(m, 200), *q;
    for (uint32_t i = 0; i < 200; i++) {
        const double up = meet && i / 2 % meet == 0 ? 0 : 3;
        made_triangle(p, i, (const double[3]){2.0 * (i / 2), 0, i % 2 ? up : 0}, 1, &r);
    }
    q = made_again(m, p);
    for (uint32_t i = 0; i < 3 * 600; i++)
        q->point[i] = p->point[i] + (i % 3 == 2 ? (i / 9 % 2 ? -6 : 6) : 0);
}

/* Nothing meets at the start, so that only steps have contacts. */
static void test_lies_between(void)
{
    made m;
    passing(&m, 0);
    lied_about(&m, (imp_def){.continuous = 1}, "steps");
    made_free(&m);
    driver_fresh();
}

/* An honest device's verdicts on pairs at the start of a step agree with exact arithmetic. */
static void test_honest_between(void)
{
    made m;
    contact_list want, got;
    driver_log l = {0};
    imp_def def = {.continuous = 1};
    passing(&m, 2);
    detect_lied(&m, def, 0, &l, &want);
    CU_ASSERT(want.count > 20 && !l.lines);
    size_t start = 0;
    for (size_t i = 0; i < want.count; i++)
        start += want.row[i].toi == 0;
    CU_ASSERT(start > 10 && want.count > 20 + start);
    def.verify = UINT32_MAX;
    detect_lied(&m, def, 0, &l, &got);
    EXPECT(!l.lines && contact_list_equal(&want, &got), "an honest device: %s", l.first);
    contact_list_free(&want);
    contact_list_free(&got);
    made_free(&m);
    driver_fresh();
}

/* The requested number of pairs of each block is re-checked, whichever method finds them. */
static void test_verified(void)
{
    static const char *const methods[] = {"rtree", "grid", "hash", "brute"};
    made m;
    driver_scene(&m, 60);
    for (size_t i = 0; i < 4; i++)
        for (uint32_t n = 1; n < 40; n = 3 * n + 1) {
            contact_list got;
            driver_log l = {0};
            const imp_def def = {.broad = methods[i], .verify = n, .block = 1};
            const uint64_t verified = detect_lied(&m, def, 0, &l, &got);
            EXPECT(verified == 4 * n && !l.lines, "%s: %llu of %u verified: %s", methods[i],
                   (unsigned long long)verified, n, l.first);
            contact_list_free(&got);
        }
    made_free(&m);
    driver_fresh();
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"failing_calls", test_failing_calls}, {"lies", test_lies},
        {"lies_between", test_lies_between},   {"honest_between", test_honest_between},
        {"verified", test_verified},           {0}};
    return driver_main(argc, argv, "opencl_faults", tests);
}
