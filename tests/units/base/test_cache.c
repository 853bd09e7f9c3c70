/* Files of the cache folder are read, and created, only if the folder and the file belong to the
 * user and nobody else may write to them. */
#include "cache.h"
#include "expect.h"
#include "testlib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[400], path[420];

/* Returns whether files may be created there. */
static int makes(void)
{
    char name[420], copy[420];
    if (!cache_path("answers", name, sizeof name))
        return 0;
    snprintf(copy, sizeof copy, "%s", name);
    const int may = cache_folder(name);
    EXPECT(!strcmp(copy, name), "the path %s has become %s", copy, name);
    return may;
}

/* Creates a file of the user in a folder of the user. */
static void make_cache(void)
{
    snprintf(folder, sizeof folder, "%s/impinge", test_folder());
    snprintf(path, sizeof path, "%s/answers", folder);
    CU_ASSERT_EQUAL_FATAL(setenv("XDG_CACHE_HOME", test_folder(), 1), 0);
    unlink(path);
    chmod(folder, 0700);
    CU_ASSERT_FATAL(makes());
    FILE *f = fopen(path, "w");
    CU_ASSERT_FATAL(f && fputs("1\n", f) >= 0 && !fclose(f));
}

static int may_read(void)
{
    char byte = 0;
    int f = cache_read("answers");
    const int read_it = f >= 0 && read(f, &byte, 1) == 1 && byte == '1';
    if (f >= 0)
        close(f);
    return read_it;
}

/* Checks whether it may be read, and others created beside it. */
static void check_cache(const char *about, int may, int may_make)
{
    EXPECT(may_read() == may, "%s: %sread", about, may ? "not " : "");
    EXPECT(makes() == may_make, "%s: %smade", about, may_make ? "not " : "");
    EXPECT(may || (cache_refused() && strstr(cache_refused(), "/impinge")), "%s: not told", about);
}

static void test_modes(void)
{
    static const struct {
        mode_t of_folder, of_file;
        int may, may_make;
    } cases[] = {{0755, 0644, 1, 1}, {0700, 0600, 1, 1}, {0755, 0664, 0, 1}, {0755, 0646, 0, 1},
                 {0775, 0644, 0, 0}, {0757, 0644, 0, 0}, {01777, 0600, 0, 0}};
    EXPECT(cache_refused() == NULL, "%s is refused", cache_refused());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char about[40];
        make_cache();
        CU_ASSERT(!chmod(path, cases[i].of_file) && !chmod(folder, cases[i].of_folder));
        snprintf(about, sizeof about, "folder %o, file %o", (unsigned)cases[i].of_folder,
                 (unsigned)cases[i].of_file);
        check_cache(about, cases[i].may, cases[i].may_make);
    }
}

static void test_cache_others(void)
{
    if (geteuid())
        SKIP("only root may give files away");
    make_cache();
    CU_ASSERT(!chown(path, 65534, 65534));
    check_cache("a file of another user", 0, 1);
    make_cache();
    CU_ASSERT(!chown(folder, 65534, 65534));
    check_cache("a folder of another user", 0, 0);
    CU_ASSERT(!chown(folder, 0, 0));
}

/* A link may lead to a file of others; opening a FIFO would block the program. */
static void test_cache_kinds(void)
{
    char other[420];
    make_cache();
    snprintf(other, sizeof other, "%s/other", test_folder());
    CU_ASSERT(!rename(path, other) && !symlink(other, path));
    EXPECT(!may_read(), "through a link");
    CU_ASSERT(!unlink(path) && !mkfifo(path, 0600));
    EXPECT(!may_read(), "a FIFO");
    CU_ASSERT(!unlink(path) && !mkdir(path, 0700));
    EXPECT(!may_read(), "a folder");
    CU_ASSERT(!rmdir(path));
}

static void test_cache_nowhere(void)
{
    static const char *const places[] = {"/proc/none", "relative", ""};
    unsetenv("HOME");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        setenv("XDG_CACHE_HOME", places[i], 1);
        EXPECT(cache_read("answers") < 0 && !makes(), "'%s'", places[i]);
    }
    unsetenv("XDG_CACHE_HOME");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"modes", test_modes},
                                 {"others", test_cache_others},
                                 {"kinds", test_cache_kinds},
                                 {"nowhere", test_cache_nowhere},
                                 {0}};
    return test_main(argc, argv, "cache", tests);
}
