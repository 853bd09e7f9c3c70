/* The program's description of itself: help of every verb fits in 80 columns; the man page has the
 * options that help has, no more and no fewer; help and version as verbs. */
#include "expect.h"
#include "program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 80
#define VERBS_MOST 40

/* ---- the verbs, from the program's own list */

static char verbs[VERBS_MOST][40];
static size_t verb_count;

/* Lines "  NAME   text" from the line "verbs:" on; continuation lines are indented further. */
static void find_verbs(void)
{
    ran r = RAN("--help");
    const char *line = strstr(r.out, "\nverbs:\n");
    EXPECT(ran_well(&r) && line, "^ --help: %s", r.out);
    verb_count = 0;
    for (line = line ? line + 8 : ""; *line && *line != '\n'; line = strchr(line, '\n') + 1)
        if (line[2] != ' ' && verb_count < VERBS_MOST)
            snprintf(verbs[verb_count++], sizeof verbs[0], "%.*s", (int)strcspn(line + 2, " "),
                     line + 2);
    EXPECT(verb_count >= 9 && verb_count < VERBS_MOST, "%zu verbs", verb_count);
    ran_free(&r);
}

/* ---- 80 columns */

static void check_width(const char *about, const char *text)
{
    for (const char *line = text; *line;) {
        int n = (int)strcspn(line, "\n");
        EXPECT(n <= COLUMNS, "%s: %d columns: %.*s", about, n, n, line);
        EXPECT(!n || line[n - 1] != ' ', "%s: blanks at the end: '%.*s'", about, n, line);
        line += n + (line[n] == '\n');
    }
}

static void test_help_width(void)
{
    find_verbs();
    for (size_t i = 0; i < verb_count; i++) {
        ran r = RAN(verbs[i], "--help");
        EXPECT(ran_well(&r) && *r.out, "^ help of %s", verbs[i]);
        check_width(verbs[i], r.out);
        ran_free(&r);
    }
    const char *const more[][3] = {{"help"}, {"--help"}, {"generate", "--list"}, {"--version"}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        ran r = RAN(more[i][0], more[i][1]);
        EXPECT(ran_well(&r) && *r.out, "^ %s", more[i][0]);
        check_width(more[i][0], r.out);
        ran_free(&r);
    }
    ran r = program_run((const char *const[]){NULL});
    check_width("without a verb", r.err);
    ran_free(&r);
}

/* ---- help and version as verbs */

static void same_output(const char *const *a, const char *const *b)
{
    ran x = program_run(a), y = program_run(b);
    EXPECT(ran_well(&x) && ran_well(&y) && *x.out && !strcmp(x.out, y.out),
           "%s %s: '%s', %s %s: '%s'", a[0], a[1] ? a[1] : "", x.out, b[0], b[1] ? b[1] : "",
           y.out);
    ran_free(&x);
    ran_free(&y);
}

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_help_verbs(void)
{
    find_verbs();
    for (size_t i = 0; i < verb_count; i++) {
        same_output(LINE("help", verbs[i]), LINE(verbs[i], "--help"));
        same_output(LINE("--help", verbs[i]), LINE(verbs[i], "-h"));
        same_output(LINE("version"), LINE(verbs[i], "--version"));
    }
    same_output(LINE("help"), LINE("--help"));
    same_output(LINE("help"), LINE("-h"));
    same_output(LINE("version"), LINE("--version"));
    same_output(LINE("version"), LINE("-V"));
    same_output(LINE("version"), LINE("run", "-qV", "--nonsense"));
}

/* Verbs of the Python package are listed, and their help says what installs them. */
static void test_package_verbs(void)
{
    static const struct {
        const char *name, *extra;
    } list[] = {
#define PACKAGE_VERB(name, extra, ...) {#name, extra},
#include "package_verbs.def"
    };
    ran all = RAN("help");
    const char *of_package = strstr(all.out, "\nverbs of the Python package:\n");
    CU_ASSERT_FATAL(of_package != NULL);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *name = list[i].name;
        char line[100], pip[100];
        snprintf(line, sizeof line, "\n  %s ", name);
        snprintf(pip, sizeof pip, "pip install '.[%s]'", list[i].extra);
        EXPECT(strstr(of_package, line), "%s is not listed", name);
        same_output(LINE("help", name), LINE(name, "--help"));
        same_output(LINE("--help", name), LINE(name, "x", "-h"));
        ran r = RAN("help", name);
        EXPECT(strstr(r.out, pip), "%s: %s", name, r.out);
        check_width(name, r.out);
        ran_free(&r);
        r = RAN(name, "x");
        EXPECT(ran_failed(&r, 2, pip, " is a verb of the Python package"), "^ %s", name);
        ran_free(&r);
    }
    ran_free(&all);
}

static void test_exit_codes(void)
{
    ran r = RAN("help"), man = RAN("help", "--man");
    const char *codes = strstr(r.out, "exit codes:"), *page = strstr(man.out, ".SH EXIT STATUS");
    static const char *const all[] = {"0", "1", "2", "3", "4", "5", "10", "129", "130", "143"};
    CU_ASSERT_FATAL(codes && page);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        EXPECT(strstr(codes, all[i]) && strstr(page, all[i]), "%s is not told", all[i]);
    ran_free(&r);
    ran_free(&man);
}

/* ---- methods in help */

static const char *const methods[] = {
#define X(name) #name,
#include "broad.def"
#undef X
    NULL};

/* The text of an option in help, as one line: its continuation lines have a deeper indentation. */
static void option_text(const char *help, const char *option, char *out, size_t size)
{
    size_t n = 0;
    const char *line = strstr(help, option);
    CU_ASSERT_FATAL(line != NULL);
    do {
        for (; *line && *line != '\n' && n + 2 < size; line++)
            if (*line != ' ' || (n && out[n - 1] != ' '))
                out[n++] = *line;
        out[n++] = ' ';
        line += *line == '\n';
    } while (!strncmp(line, "          ", 10) && n + 2 < size);
    out[n] = 0;
}

/* --update keep is an error with exactly the methods that help does not name there. */
static void test_methods(void)
{
    char text[1000], word[60];
    ran help = RAN("help", "run");
    option_text(help.out, "--update auto", text, sizeof text);
    for (size_t i = 0; methods[i]; i++) {
        ran r = RAN("run", at("none"), "-o", at("out"), "--update", "keep", "--broad", methods[i]);
        snprintf(word, sizeof word, " %s ", methods[i]);
        EXPECT(r.code == (strstr(text, word) ? 3 : 2), "%s: exit %d; help: %s", methods[i], r.code,
               text);
        ran_free(&r);
    }
    option_text(help.out, "--broad auto", text, sizeof text);
    EXPECT(strstr(text, "on a CPU, grid takes at least five times"), "what a grid costs: %s", text);
    ran_free(&help);
}

/* ---- the man page against help: names of options, each as " --name " in one string */

typedef struct options {
    char names[8000];
} options;

static void options_add(options *o, const char *name, size_t length)
{
    size_t at = strlen(o->names);
    CU_ASSERT_FATAL(at + length + 3 < sizeof o->names);
    snprintf(o->names + at, sizeof o->names - at, " %.*s ", (int)length, name);
}

static int options_have(const options *o, const char *name, size_t length)
{
    char word[80];
    snprintf(word, sizeof word, " %.*s ", (int)length, name);
    return strstr(o->names, word) != NULL;
}

static size_t name_length(const char *name)
{
    size_t n = 2;
    while (isalnum((unsigned char)name[n]) || name[n] == '-')
        n++;
    return n;
}

/* From --help: lines "  -x, --name" and "      --name" before the examples. */
static options help_options(const char *verb)
{
    options o = {0};
    ran r = RAN(verb, "--help");
    const char *end = strstr(r.out, "\nexamples:");
    for (const char *line = r.out; line && line < end; line = strchr(line, '\n') + 1) {
        const char *name = line + 6;
        if (strncmp(line, "  ", 2) == 0 && (line[2] == '-' || !strncmp(line + 2, "    --", 6)) &&
            !strncmp(name, "--", 2))
            options_add(&o, name, name_length(name));
    }
    ran_free(&r);
    return o;
}

/* From a section of the page: headings after ".TP", as plain text. */
static options man_options(const char *page, const char *heading)
{
    options o = {0};
    char wanted[100], plain[200];
    snprintf(wanted, sizeof wanted, "\n%s\n", heading);
    const char *at = strstr(page, wanted), *line = at ? at + strlen(wanted) : "";
    EXPECT(at, "the page has no %s", heading);
    for (; *line && strncmp(line, ".S", 2) != 0; line = strchr(line, '\n') + 1) {
        if (strncmp(line, ".TP\n", 4) != 0)
            continue;
        size_t n = 0;
        for (const char *c = line + 4; *c != '\n' && n + 1 < sizeof plain; c++)
            if (*c == '\\' && c[1] == 'f')
                c += 2;
            else if (*c != '\\')
                plain[n++] = *c;
        plain[n] = 0;
        const char *name = strstr(plain, "--");
        EXPECT(name, "no option: '%s'", plain);
        if (name)
            options_add(&o, name, name_length(name));
    }
    return o;
}

/* Reports each option of a that both b and c lack; c may be NULL. */
static void check_within(const options *a, const options *b, const options *c, const char *about)
{
    for (const char *at = a->names; (at = strstr(at, "--")); at += name_length(at))
        EXPECT(options_have(b, at, name_length(at)) || (c && options_have(c, at, name_length(at))),
               "%s: %.*s", about, (int)name_length(at), at);
}

static void test_man_options(void)
{
    find_verbs();
    ran man = RAN("help", "--man");
    EXPECT(ran_well(&man), "^ help --man");
    options common = man_options(man.out, ".SH OPTIONS OF ALL VERBS");
    options work = man_options(man.out, ".SH OPTIONS THAT CHOOSE WORK");
    const char *of = strstr(man.out, ".SH OPTIONS THAT CHOOSE WORK");
    of = of ? strchr(of, '\n') + 1 : "\n";
    for (size_t i = 0; i < verb_count; i++) {
        char heading[60], named[60];
        snprintf(heading, sizeof heading, ".SS %.40s", verbs[i]);
        snprintf(named, sizeof named, "\\fB%.40s\\fR", verbs[i]);
        const char *in = strstr(of, named);
        int works = in && in < strchr(of, '\n');
        options help = help_options(verbs[i]), own = man_options(man.out, heading);
        EXPECT(strlen(help.names) > 10, "help of %s has no options", verbs[i]);
        for (const char *at = common.names; (at = strstr(at, "--")); at += name_length(at))
            options_add(&own, at, name_length(at));
        check_within(&help, &own, works ? &work : NULL, "not in the man page");
        check_within(&own, &help, NULL, "only in the man page");
        if (works)
            check_within(&work, &help, NULL, "only in the man page");
        EXPECT(works == (options_have(&help, "--adjacent", 10)), "%s: options of work", verbs[i]);
    }
    ran_free(&man);
}

/* Every verb of the list is in the page, with its usage; every option is explained. */
static void test_man_texts(void)
{
    find_verbs();
    ran man = RAN("help", "--man");
    static const char *const sections[] = {"NAME",        "SYNOPSIS",    "DESCRIPTION", "VERBS",
                                           "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        char heading[40];
        snprintf(heading, sizeof heading, "\n.SH %s\n", sections[i]);
        EXPECT(strstr(man.out, heading), "no section %s", sections[i]);
    }
    for (size_t i = 0; i < verb_count; i++) {
        char synopsis[80];
        snprintf(synopsis, sizeof synopsis, "\\fBimpinge %.40s\\fR", verbs[i]);
        EXPECT(strstr(man.out, synopsis), "no synopsis of %s", verbs[i]);
    }
    for (const char *at = man.out; (at = strstr(at, "\n.TP\n")); at++) {
        const char *text = strchr(at + 5, '\n') + 1;
        EXPECT(*text != '.' && *text != '\n', "not explained: %.60s", at + 5);
    }
    ran_free(&man);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"width", test_help_width},
                                 {"verbs", test_help_verbs},
                                 {"package_verbs", test_package_verbs},
                                 {"exit_codes", test_exit_codes},
                                 {"man_options", test_man_options},
                                 {"methods", test_methods},
                                 {"man_texts", test_man_texts},
                                 {0}};
    return test_main(argc, argv, "help", tests);
}
