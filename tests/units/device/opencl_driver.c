/* See opencl_driver.h. */
#include "opencl_driver.h"

#include "expect.h"
#include "fake_icd.h"

#include <stdio.h>
#include <stdlib.h>

fake_cl *fake;

void driver_fresh(void)
{
    CU_ASSERT_EQUAL(atomic_load(&fake->alive), 0);
    CU_ASSERT_EQUAL(atomic_load(&fake->wrong), 0);
    *fake = (fake_cl){.devices = 1, .later = -1};
}

void driver_log_first(void *user, const char *line)
{
    driver_log *l = user;
    if (!l->lines++)
        snprintf(l->first, sizeof l->first, "%s", line);
}

void driver_scene(made *m, uint32_t triangles)
{
    rng r = {7};
    *m = (made){.name = "opencl"};
    for (int f = 0; f < 2; f++) {
        made_part *p = made_add(m, triangles);
        for (uint32_t i = 0; i < triangles; i++)
            made_triangle(p, i, (const double[3]){0.02 * i, 0, 0}, 1, &r);
    }
}

void driver_host_contacts(const made *m, contact_list *out)
{
    imp *p = NULL;
    *out = (contact_list){0};
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
    CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL), 0);
    CU_ASSERT(out->count > 20);
    imp_destroy(p);
}

int driver_main(int argc, char **argv, const char *name, const test *tests)
{
    imp_device_info d;
    setenv("OCL_ICD_VENDORS", fake_icd_hostile(), 1);
    imp_device_at(1, &d); /* loads the driver */
    fake = fake_icd_switches();
    if (!fake) {
        fprintf(stderr, "test_%s: the OpenCL loader does not load %s\n", name, IMP_FAKE_CL);
        return 1;
    }
    return test_main(argc, argv, name, tests);
}
