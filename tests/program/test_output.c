/* Where the result goes: existing files, folders that are absent or not writable, disks that are
 * full or fail at any moment. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "testlib.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- existing files */

static void test_exists(void)
{
    sample_job j = sample_job_small("exists");
    write_text(j.out, "precious");
    ran r = sample_job_run(&j, j.out, NULL);
    EXPECT(ran_failed(&r, 2, j.out, "--force"), "^ OUT is there");
    ran_free(&r);
    char *text = file_text(j.out, NULL);
    EXPECT(!strcmp(text, "precious"), "OUT was changed: %s", text);
    free(text);
    EXPECT(!exists_part(j.out), "OUT.part is there");
    r = sample_job_run(&j, j.out, "--force");
    EXPECT(ran_well(&r), "^ --force");
    ran_free(&r);
    job_check_whole(&j, "--force", 0);
    sample_job_remove(&j);
}

/* With --force an old result stays until the new one is complete. */
static void test_force_late(void)
{
    sample_job j = sample_job_small("force");
    write_text(j.out, "precious");
    ran r = RAN("run", at("none.vtkhdf"), "-o", j.out, "--force");
    EXPECT(ran_failed(&r, 3, "none.vtkhdf", NULL), "^ no input");
    ran_free(&r);
    job_fragile("kill", job_count(&j, "--force") / 2);
    write_text(j.out, "precious");
    r = sample_job_run(&j, j.out, "--force");
    program_plain();
    ran_free(&r);
    char *text = file_text(j.out, NULL);
    EXPECT(!strcmp(text, "precious"), "OUT was changed: %s", text);
    free(text);
    sample_job_remove(&j);
}

static void test_other_verbs(void)
{
    const char *batch = at("taken.vtkhdf"), *obj = at("one.obj");
    write_text(batch, "precious");
    write_text(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    ran r = RAN("generate", "soup", "-o", batch, "--primitives", "10");
    EXPECT(ran_failed(&r, 2, batch, "--force"), "^ generate");
    ran_free(&r);
    r = RAN("convert", obj, "-o", batch);
    EXPECT(ran_failed(&r, 2, batch, "--force"), "^ convert");
    ran_free(&r);
    EXPECT(file_size(batch) == 8 && !exists_part(batch), "BATCH was changed");
    r = RAN("generate", "soup", "-o", batch, "--primitives", "10", "--force", "-q");
    EXPECT(ran_well(&r), "^ generate --force");
    ran_free(&r);
    r = RAN("convert", at("none.obj"), "-o", at("fresh.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "none.obj", NULL), "^ convert without its input");
    EXPECT(!exists(at("fresh.vtkhdf")) && !exists_part(at("fresh.vtkhdf")), "BATCH is there");
    ran_free(&r);
}

/* ---- folders */

static void check_no_place(const char *out, const char *about)
{
    sample_job j = sample_job_small(about);
    ran r = sample_job_run(&j, out, NULL);
    EXPECT(ran_failed(&r, 1, out, NULL), "^ run: %s", about);
    EXPECT(!exists(out) && !exists_part(out), "%s: something is there", about);
    ran_free(&r);
    r = RAN("generate", "soup", "-o", out, "--primitives", "10");
    EXPECT(ran_failed(&r, 1, out, NULL), "^ generate: %s", about);
    ran_free(&r);
}

static void test_no_folder(void)
{
    check_no_place(at("nowhere/out.vtkhdf"), "folder missing");
    write_text(at("file"), "");
    check_no_place(at("file/out.vtkhdf"), "a file for a folder");
    check_no_place("/proc/out.vtkhdf", "a folder of the system");
}

static void test_out_is_folder(void)
{
    sample_job j = sample_job_small("out is a folder");
    const char *out = at("folder");
    CU_ASSERT(!mkdir(out, 0777));
    ran r = sample_job_run(&j, out, NULL);
    EXPECT(ran_failed(&r, 2, out, NULL), "^ OUT is a folder");
    ran_free(&r);
    r = sample_job_run(&j, out, "--force");
    EXPECT(ran_failed(&r, 2, out, "not a regular file"), "^ OUT is a folder, --force");
    ran_free(&r);
}

/* Mounts another file system at a folder, visible to this process and its children only, and
 * removed with them. Returns 0 if that is not permitted. */
static int mount_at(const char *folder, unsigned long flags, const char *options)
{
    static int own; /* 1: this process has its own mounts; -1: not permitted */
    if (!own)
        own =
            !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ? 1 : -1;
    mkdir(folder, 0777);
    return own > 0 && !mount("none", folder, "tmpfs", flags, options);
}

static void test_closed_folder(void)
{
    const char *folder = at("closed");
    if (!program_can_be_humble())
        SKIP("root may write everywhere");
    CU_ASSERT(!mkdir(folder, 0555));
    program_set(&(program_how){.humble = 1});
    check_no_place(at("closed/out.vtkhdf"), "folder without permission");
    program_plain();
    rmdir(folder);
}

static void test_read_only(void)
{
    const char *folder = at("unwritable");
    if (!mount_at(folder, MS_RDONLY, "size=64k"))
        SKIP("file systems must not be mounted here");
    check_no_place(at("unwritable/out.vtkhdf"), "read-only file system");
    umount(folder);
}

/* ---- full disks */

/* Exit 5 in one line; checks OUT.part, if any. Returns the number of its frames. */
static int64_t check_full(const sample_job *j, const ran *r, long n)
{
    EXPECT(ran_failed(r, 5, j->out, "full"), "^ %s, full at %ld", j->about, n);
    EXPECT(!exists(j->out), "%s, full at %ld: OUT is there", j->about, n);
    char fresh[600];
    snprintf(fresh, sizeof fresh, "%s.new", j->part);
    EXPECT(!exists(fresh), "%s, full at %ld: %s is left", j->about, n, fresh);
    return sample_job_check_part(j, "full", n);
}

/* A small disk: if the result does not fit, it must not look complete, at any size of the disk. */
static void test_output_full_disk(void)
{
    const char *folder = at("disk");
    char option[40];
    sample_job j = sample_job_small("small disk");
    long need = file_size(j.whole);
    int64_t most = -1;
    for (long i = 0; i < 8; i++) {
        long size = i < 7 ? 8192 + i * (need - 8192) / 7 : need;
        snprintf(option, sizeof option, "size=%ld", (size - 1) / 4096 * 4096);
        if (!mount_at(folder, 0, option))
            SKIP("file systems must not be mounted here");
        sample_job here = j;
        here.out = at("disk/job.out");
        here.part = at("disk/job.out.part");
        ran r = sample_job_run(&here, here.out, NULL);
        int64_t done = check_full(&here, &r, size);
        most = done > most ? done : most;
        ran_free(&r);
        umount(folder);
    }
    EXPECT(most >= 0, "OUT.part was never there");
}

/* The same with limits on the size of a file, which need no mount; the program commits often. */
static void test_file_limit(void)
{
    sample_job j = sample_job_small("file limit");
    long need = file_size(j.whole);
    int64_t most = -1;
    for (long i = 1; i < 24; i += TEST_SANITIZED ? 4 : 1) {
        long size = i * need / 24;
        program_set(&(program_how){.program = IMP_FRAGILE,
                                   .file_limit = (uint64_t)size,
                                   .variable = {{"IMPINGE_HASTY", "1"}}});
        ran r = sample_job_run(&j, j.out, NULL);
        program_plain();
        int64_t done = check_full(&j, &r, size);
        most = done > most ? done : most;
        ran_free(&r);
        job_go_on(&j, "full", size);
    }
    EXPECT(most >= 0, "OUT.part was never there");
}

/* The disk is full exactly at the n-th change of a file and from then on; then there is space
 * again. */
static void test_full_anywhere(void)
{
    sample_job j = sample_job_small("full");
    long all = job_count(&j, NULL);
    uint64_t n = test_count(TEST_SANITIZED ? 8 : 20);
    for (uint64_t i = 0; i < n && i < (uint64_t)all; i++) {
        long k = job_moment(all, i, n < (uint64_t)all ? n : (uint64_t)all);
        job_fragile("full", k);
        ran r = sample_job_run(&j, j.out, NULL);
        program_plain();
        check_full(&j, &r, k);
        ran_free(&r);
        job_go_on(&j, "full", k);
    }
}

/* The last changes, one by one: sync, rename, and the sync of the folder, which may fail. */
static void test_broken_end(void)
{
    sample_job j = sample_job_small("broken");
    long all = job_count(&j, NULL);
    for (long k = all - 12; k < all; k++) {
        job_fragile("broken", k);
        ran r = sample_job_run(&j, j.out, NULL);
        program_plain();
        if (exists(j.out))
            job_check_whole(&j, "broken", k);
        else
            EXPECT(ran_failed(&r, 1, j.out, NULL), "^ broken at %ld", k);
        EXPECT((r.code == 0) == exists(j.out), "broken at %ld: OUT with exit %d", k, r.code);
        sample_job_check_part(&j, "broken", k);
        ran_free(&r);
        job_go_on(&j, "broken", k);
    }
}

/* A resumed run that fills the disk keeps the frames that it found. */
static void test_full_resumed(void)
{
    sample_job j = sample_job_small("full, resumed");
    job_kill_half(&j);
    int64_t before = sample_job_check_part(&j, "kill", 0);
    copy_file(j.part, at("first.part"));
    long all = job_count(&j, "--resume");
    uint64_t n = test_count(TEST_SANITIZED ? 4 : 10);
    for (uint64_t i = 0; i < n; i++) {
        long k = job_moment(all, i, n);
        copy_file(at("first.part"), j.part);
        job_fragile("full", k);
        ran r = sample_job_run(&j, j.out, "--resume");
        program_plain();
        int64_t after = check_full(&j, &r, k);
        EXPECT(after >= before, "full at %ld: %lld frames of %lld are left", k, (long long)after,
               (long long)before);
        ran_free(&r);
        job_go_on(&j, "full, resumed", k);
    }
}

/* Batches: exit 5, and no trace of the batch. */
static void test_full_batch(void)
{
    const char *out = at("batch.vtkhdf");
    const char *const line[] = {"generate", "soup", "-o", out, "--primitives", "2000", "-q", NULL};
    job_fragile("none", 0);
    ran r = program_run(line);
    program_plain();
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    unlink(out);
    long all = job_changes();
    EXPECT(all > 10, "only %ld changes of files", all);
    uint64_t n = test_count(TEST_SANITIZED ? 5 : 12);
    n = n < (uint64_t)all ? n : (uint64_t)all;
    for (uint64_t i = 0; i < n; i++) {
        long k = job_moment(all, i, n);
        job_fragile("full", k);
        r = program_run(line);
        program_plain();
        if (exists(out)) /* only the folder was not synced */
            EXPECT(r.code == 0, "full at %ld of %ld: exit %d", k, all, r.code);
        else
            EXPECT(ran_failed(&r, 5, out, "full"), "^ generate, full at %ld of %ld", k, all);
        EXPECT(!exists_part(out), "full at %ld of %ld: BATCH.part is left", k, all);
        ran_free(&r);
        unlink(out);
    }
}

/* ---- other outputs */

static void test_standard_output(void)
{
    sample_job j = sample_job_small("stdout");
    const char *const verbs[][4] = {{"info", NULL}, {"devices", NULL}, {"--help", NULL}};
    program_set(&(program_how){.std_out = "/dev/full"});
    ran r = RAN("run", j.in, "-o", j.out, "--device", "cpu");
    EXPECT(ran_failed(&r, 1, "standard output", NULL), "^ run");
    ran_free(&r);
    for (size_t i = 0; i < 3; i++) {
        r = i ? RAN(verbs[i][0]) : RAN(verbs[i][0], j.in);
        EXPECT(ran_failed(&r, 1, "standard output", NULL), "^ %s", verbs[i][0]);
        ran_free(&r);
    }
    program_plain();
    job_check_whole(&j, "stdout", 0); /* the result itself is complete */
    sample_job_remove(&j);
}

static void test_text_and_json(void)
{
    sample_job j = sample_job_small("text and json");
    static const char *const bad[] = {"--collide-txt=/nowhere/c.txt", "--json=/nowhere/j.json"};
    for (int i = 0; i < 2; i++) {
        ran r = sample_job_run(&j, j.out, bad[i]);
        EXPECT(ran_failed(&r, 1, strchr(bad[i], '/'), NULL), "^ %s", bad[i]);
        ran_free(&r);
        sample_job_remove(&j);
    }
    ran r = sample_job_run(&j, j.out, "--json=/dev/full");
    EXPECT(ran_failed(&r, 5, "/dev/full", NULL), "^ --json=/dev/full");
    ran_free(&r);
    sample_job_remove(&j);
}

/* A disk that fills up while the text is written: no part of the text stays. */
static void test_full_text(void)
{
    sample_job j = sample_job_small("text");
    const char *text = at("text/c.txt");
    if (!mount_at(at("text"), 0, "size=4k"))
        SKIP("file systems must not be mounted here");
    ran r = RAN("run", j.in, "-o", j.out, "--device", "cpu", "--collide-txt", text, "-q");
    EXPECT(ran_failed(&r, 5, text, "full"), "^ --collide-txt on a full disk");
    EXPECT(!exists(text) && !exists_part(text), "some of the text is left");
    ran_free(&r);
    umount(at("text"));
    job_check_whole(&j, "text", 0);
    sample_job_remove(&j);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"exists", test_exists},
                                 {"force_late", test_force_late},
                                 {"other_verbs", test_other_verbs},
                                 {"no_folder", test_no_folder},
                                 {"out_is_folder", test_out_is_folder},
                                 {"closed_folder", test_closed_folder},
                                 {"read_only", test_read_only},
                                 {"full_disk", test_output_full_disk},
                                 {"file_limit", test_file_limit},
                                 {"full_anywhere", test_full_anywhere},
                                 {"broken_end", test_broken_end},
                                 {"full_resumed", test_full_resumed},
                                 {"full_batch", test_full_batch},
                                 {"standard_output", test_standard_output},
                                 {"text_and_json", test_text_and_json},
                                 {"full_text", test_full_text},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "output", tests);
}
