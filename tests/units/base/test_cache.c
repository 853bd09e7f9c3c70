/* Files of the cache folder are read, and written, only where the folder and the file are the
 * user's own and nobody else may write to them. */
#include "cache.h"
#include "expect.h"
#include "testlib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[400], path[420];

/* A file of the user in a folder of the user. */
static void make_cache(void)
{
    snprintf(folder, sizeof folder, "%s/impinge", test_folder());
    snprintf(path, sizeof path, "%s/answers", folder);
    CU_ASSERT_EQUAL_FATAL(setenv("XDG_CACHE_HOME", test_folder(), 1), 0);
    unlink(path);
    chmod(folder, 0700);
    CU_ASSERT_FATAL(cache_append("answers", "1\n"));
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

/* Whether it may be read and written. */
static void check(const char *about, int may)
{
    char copy[420];
    snprintf(copy, sizeof copy, "%s", path);
    EXPECT(may_read() == may, "%s: %sread", about, may ? "not " : "");
    EXPECT(cache_append("answers", "2\n") == may, "%s: %swritten", about, may ? "not " : "");
    EXPECT(may || (cache_refused() && strstr(cache_refused(), "/impinge")), "%s: not told", about);
    EXPECT(!strcmp(copy, path), "%s: the path has become %s", about, path);
}

static void test_modes(void)
{
    static const struct {
        mode_t of_folder, of_file;
        int may;
    } cases[] = {{0755, 0644, 1}, {0700, 0600, 1}, {0755, 0664, 0}, {0755, 0646, 0},
                 {0775, 0644, 0}, {0757, 0644, 0}, {01777, 0600, 0}};
    EXPECT(cache_refused() == NULL, "%s is refused", cache_refused());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char about[40];
        make_cache();
        CU_ASSERT(!chmod(path, cases[i].of_file) && !chmod(folder, cases[i].of_folder));
        snprintf(about, sizeof about, "folder %o, file %o", (unsigned)cases[i].of_folder,
                 (unsigned)cases[i].of_file);
        check(about, cases[i].may);
    }
}

static void test_others(void)
{
    if (geteuid())
        SKIP("only root may give files away");
    make_cache();
    CU_ASSERT(!chown(path, 65534, 65534));
    check("a file of another user", 0);
    make_cache();
    CU_ASSERT(!chown(folder, 65534, 65534));
    check("a folder of another user", 0);
    CU_ASSERT(!chown(folder, 0, 0));
}

/* A link would let a file elsewhere be written to; a FIFO would make the program wait. */
static void test_kinds(void)
{
    char other[420];
    make_cache();
    snprintf(other, sizeof other, "%s/other", test_folder());
    CU_ASSERT(!rename(path, other) && !symlink(other, path));
    EXPECT(!may_read() && !cache_append("answers", "2\n"), "through a link");
    CU_ASSERT(!unlink(path) && !mkfifo(path, 0600));
    EXPECT(!may_read() && !cache_append("answers", "2\n"), "a FIFO");
    CU_ASSERT(!unlink(path) && !mkdir(path, 0700));
    EXPECT(!may_read() && !cache_append("answers", "2\n"), "a folder");
    CU_ASSERT(!rmdir(path));
}

static void test_nowhere(void)
{
    static const char *const places[] = {"/proc/none", "relative", ""};
    unsetenv("HOME");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        setenv("XDG_CACHE_HOME", places[i], 1);
        EXPECT(cache_read("answers") < 0 && !cache_append("answers", "1\n"), "'%s'", places[i]);
    }
    unsetenv("XDG_CACHE_HOME");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"modes", test_modes},
                                 {"others", test_others},
                                 {"kinds", test_kinds},
                                 {"nowhere", test_nowhere},
                                 {0}};
    return test_main(argc, argv, "cache", tests);
}
