/* The progress bar on terminals of several widths: its line never wraps, on terminals of any width,
 * with any content, and when the terminal is resized. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "json.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- a terminal */

typedef struct terminal {
    int screen, keyboard; /* both ends of it */
    const char *name;
} terminal;

static void set_columns(const terminal *t, int columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    CU_ASSERT(!ioctl(t->screen, TIOCSWINSZ, &size));
}

static terminal terminal_open(int columns)
{
    terminal t = {.screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)};
    CU_ASSERT_FATAL(t.screen >= 0 && !grantpt(t.screen) && !unlockpt(t.screen));
    t.name = ptsname(t.screen);
    t.keyboard = open(t.name, O_RDWR | O_NOCTTY);
    CU_ASSERT_FATAL(t.keyboard >= 0);
    set_columns(&t, columns);
    return t;
}

static void terminal_close(terminal *t)
{
    close(t->keyboard);
    close(t->screen);
}

static char shown[60000];

static void terminal_read(const terminal *t)
{
    size_t n = 0;
    for (ssize_t got; n + 1 < sizeof shown; n += (size_t)got)
        if ((got = read(t->screen, shown + n, sizeof shown - 1 - n)) <= 0)
            break;
    shown[n] = 0;
}

/* ---- the widest line shown, without cursor movements and colours */

static int progress_test_widest(const char *text)
{
    int at = 0, most = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '\033') {
            c += strcspn(c, "mKJ");
            if (!*c)
                break;
        } else if (*c == '\r' || *c == '\n') {
            at = 0;
        } else if (++at > most) {
            most = at;
        }
    }
    return most;
}

static int is_line_feed(const char *text)
{
    return strchr(text, '\n') != NULL;
}

/* ---- the bar alone, with stderr on the terminal */

static void draw(uint64_t done, uint64_t total, uint64_t contacts)
{
    progress p;
    progress_start(&p, 0, PROGRESS_ALWAYS, "frame", 0, total);
    progress_show(&p, done, contacts);
    p.drawn -= 10; /* pretend that the last drawing was long ago */
    progress_show(&p, done, contacts);
}

static void test_widths(void)
{
    static const int widths[] = {1, 2, 5, 8, 12, 20, 30, 40, 60, 79, 80, 100, 200, 1000};
    static const uint64_t cases[][3] = {{0, 1, 0},
                                        {5, 9, 17},
                                        {1, 1000000, 0},
                                        {999999, 1000000, UINT64_C(123456789012345)},
                                        {3, 7, PROGRESS_NO_CONTACTS}};
    setenv("TERM", "xterm", 1);
    int kept = dup(STDERR_FILENO);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            terminal t = terminal_open(widths[w]);
            dup2(t.keyboard, STDERR_FILENO);
            draw(cases[c][0], cases[c][1], cases[c][2]);
            dup2(kept, STDERR_FILENO);
            terminal_read(&t);
            EXPECT(progress_test_widest(shown) <= widths[w], "%d columns: %d wide: '%s'", widths[w],
                   progress_test_widest(shown), shown);
            EXPECT(widths[w] < 5 || progress_test_widest(shown) >= 3, "%d columns show '%s'",
                   widths[w], shown);
            EXPECT(!is_line_feed(shown), "%d columns: '%s'", widths[w], shown);
            terminal_close(&t);
        }
    close(kept);
}

/* The terminal is resized between two drawings. */
static void test_resize(void)
{
    static const int widths[] = {100, 30, 60, 10, 80};
    int kept = dup(STDERR_FILENO);
    terminal t = terminal_open(80);
    progress p;
    dup2(t.keyboard, STDERR_FILENO);
    progress_start(&p, 0, PROGRESS_ALWAYS, "frame", 0, 1000);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        set_columns(&t, widths[w]);
        p.drawn -= 10;
        progress_show(&p, 100 * (w + 1), 123456);
        terminal_read(&t);
        EXPECT(*shown && progress_test_widest(shown) <= widths[w], "%d columns: %d wide: '%s'",
               widths[w], progress_test_widest(shown), shown);
        EXPECT(widths[w] < 80 || strstr(shown, "contacts"), "%d columns: '%s'", widths[w], shown);
    }
    dup2(kept, STDERR_FILENO);
    close(kept);
    terminal_close(&t);
}

/* A terminal that does not report its width, with COLUMNS set. */
static void test_progress_columns(void)
{
    int kept = dup(STDERR_FILENO);
    terminal t = terminal_open(0);
    dup2(t.keyboard, STDERR_FILENO);
    setenv("COLUMNS", "33", 1);
    draw(77, 1000, 5);
    terminal_read(&t);
    unsetenv("COLUMNS");
    dup2(kept, STDERR_FILENO);
    EXPECT(*shown && progress_test_widest(shown) <= 33, "%d wide: '%s'",
           progress_test_widest(shown), shown);
    dup2(t.keyboard, STDERR_FILENO);
    draw(77, 1000, 5);
    terminal_read(&t);
    dup2(kept, STDERR_FILENO);
    EXPECT(progress_test_widest(shown) > 33 && progress_test_widest(shown) <= 80, "%d wide: '%s'",
           progress_test_widest(shown), shown);
    close(kept);
    terminal_close(&t);
}

/* ---- the program's verbs */

static void progress_test_run_on(int columns, const char *const *line, const char *about)
{
    terminal t = terminal_open(columns);
    program_set(&(program_how){.std_err = t.name, .variable = {{"TERM", "xterm"}}});
    ran r = program_run(line);
    program_plain();
    terminal_read(&t);
    EXPECT(r.code == 0, "%s: exit %d: %s", about, r.code, shown);
    EXPECT(*shown && progress_test_widest(shown) <= columns, "%s on %d columns: %d wide: '%s'",
           about, columns, progress_test_widest(shown), shown);
    EXPECT(strstr(about, "run") || strstr(about, "check") || !strstr(shown, "contacts"), "%s: '%s'",
           about, shown);
    /* the unit of the rate, if there is room for it */
    const int steps = strstr(about, "steps") != NULL;
    EXPECT(columns < 160 || strstr(shown, steps ? " steps/s" : " frames/s"), "%s: '%s'", about,
           shown);
    EXPECT(!strstr(shown, steps ? "frame" : "step"), "%s: '%s'", about, shown);
    ran_free(&r);
    terminal_close(&t);
}

static void test_progress_program(void)
{
    make m = {0};
    make_moving(&m, 5, 40, 9);
    make_write(&m, "in.vtkhdf");
    make_free(&m);
    for (int i = 1; i < 3; i++)
        write_text(at(i == 1 ? "a.1.obj" : "a.2.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (int columns = 20; columns <= 160; columns *= 2) {
        progress_test_run_on(columns,
                             (const char *const[]){"run", at("in.vtkhdf"), "-o", at("out.vtkhdf"),
                                                   "--force", "--device", "cpu", "--block", "1",
                                                   NULL},
                             "run");
        progress_test_run_on(columns,
                             (const char *const[]){"run", at("in.vtkhdf"), "-o", at("steps.vtkhdf"),
                                                   "--force", "--continuous", "--device", "cpu",
                                                   "--block", "1", NULL},
                             "run of steps");
        progress_test_run_on(
            columns,
            (const char *const[]){"check", at("steps.vtkhdf"), "--input", at("in.vtkhdf"), NULL},
            "check of steps");
        progress_test_run_on(columns,
                             (const char *const[]){"convert", at("a.1.obj"), at("a.2.obj"), "-o",
                                                   at("b.vtkhdf"), "--force", NULL},
                             "convert");
        progress_test_run_on(columns,
                             (const char *const[]){"generate", "soup", "-n", "50", "--frames", "3",
                                                   "-o", at("c.vtkhdf"), "--force", NULL},
                             "generate");
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"widths", test_widths},
                                 {"resize", test_resize},
                                 {"columns", test_progress_columns},
                                 {"program", test_progress_program},
                                 {0}};
    return test_main(argc, argv, "progress", tests);
}
