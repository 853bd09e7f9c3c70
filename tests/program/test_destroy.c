/* No file is destroyed: every option that names an output, with every kind of file that may already
 * exist, in a folder of its own whose contents are compared before and after. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a folder and its contents */

#define FILES_MOST 40

typedef struct thing_file {
    char name[256];
    mode_t type;
    size_t size;
    char *data; /* contents of a regular file; target of a link */
} thing_file;

typedef struct listing {
    size_t count;
    thing_file file[FILES_MOST];
} listing;

static const char *in_folder(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "there/%s", name);
    return at(path);
}

static void read_file(const char *name, thing_file *f)
{
    struct stat s;
    const char *path = in_folder(name);
    CU_ASSERT_FATAL(!lstat(path, &s));
    snprintf(f->name, sizeof f->name, "%s", name);
    f->type = s.st_mode & S_IFMT;
    if (S_ISREG(s.st_mode))
        f->data = file_text(path, &f->size);
    if (S_ISLNK(s.st_mode)) {
        f->data = calloc(1, 1000);
        CU_ASSERT_FATAL(f->data != NULL);
        f->size = (size_t)readlink(path, f->data, 999);
    }
}

static void list_folder(listing *l)
{
    *l = (listing){0};
    DIR *d = opendir(at("there"));
    CU_ASSERT_FATAL(d != NULL);
    for (struct dirent *e; (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        CU_ASSERT_FATAL(l->count < FILES_MOST);
        read_file(e->d_name, &l->file[l->count++]);
    }
    closedir(d);
}

static const thing_file *destroy_find(const listing *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->file[i].name, name))
            return &l->file[i];
    return NULL;
}

static int destroy_same(const thing_file *a, const thing_file *b)
{
    return a->type == b->type && a->size == b->size &&
           (!a->size || !a->data || !memcmp(a->data, b->data, a->size));
}

static void free_listing(listing *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->file[i].data);
}

static void empty_folder(void)
{
    listing l;
    list_folder(&l);
    for (size_t i = 0; i < l.count; i++)
        if (unlink(in_folder(l.file[i].name)))
            rmdir(in_folder(l.file[i].name));
    free_listing(&l);
}

/* ---- the existing files */

static int reader; /* keeps the FIFO open, so that no writer waits */

/* Which writes to an output of this name are allowed. */
enum may { NEVER, FORCED, THROUGH, FRESH };

static const struct thing {
    const char *name, *target; /* target: the file that receives the output */
    enum may text, hdf5;
} things[] = {
    {"in", NULL, NEVER, NEVER},
    {"obj", NULL, NEVER, NEVER},
    {"pairs", NULL, NEVER, NEVER},
    {"to-in", NULL, NEVER, NEVER},
    {"hard-in", NULL, NEVER, NEVER},
    {"precious", "precious", FORCED, FORCED},
    {"result", "result", FORCED, FORCED},
    {"to-precious", "precious", FORCED, FORCED},
    {"to-link", "precious", FORCED, FORCED},
    {"to-nothing", "nothing", FRESH, FRESH},
    {"circle", NULL, NEVER, NEVER},
    {"folder", NULL, NEVER, NEVER},
    {"fifo", NULL, THROUGH, NEVER},
    {"to-fifo", NULL, THROUGH, NEVER},
    {"null", NULL, THROUGH, NEVER},
    {"to-null", NULL, THROUGH, NEVER},
    {"fresh", "fresh", FRESH, FRESH},
    {"taken", "taken", FRESH, FORCED}, /* taken.part exists */
};
#define THINGS (sizeof things / sizeof *things)

static void destroy_link_to(const char *target, const char *name)
{
    CU_ASSERT(!symlink(target, in_folder(name)));
}

static void make_things(void)
{
    static int made;
    mkdir(at("there"), 0777);
    empty_folder();
    if (!made++) {
        make m = {0};
        make_moving(&m, 3, 20, 1);
        make_write(&m, "batch");
        make_free(&m);
        ran r = RAN("run", at("batch"), "-o", at("whole"), "-q", "--device", "cpu");
        EXPECT(ran_well(&r), "^ run");
        ran_free(&r);
    }
    copy_file(at("batch"), in_folder("in"));
    copy_file(at("whole"), in_folder("result"));
    write_text(in_folder("obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text(in_folder("pairs"), "0 0\n");
    write_text(in_folder("precious"), "precious");
    write_text(in_folder("taken.part"), "of somebody");
    CU_ASSERT(!link(in_folder("in"), in_folder("hard-in")));
    destroy_link_to("in", "to-in");
    destroy_link_to("precious", "to-precious");
    destroy_link_to("to-precious", "to-link");
    destroy_link_to("nothing", "to-nothing");
    destroy_link_to("circle", "circle");
    CU_ASSERT(!mkdir(in_folder("folder"), 0777) && !mkfifo(in_folder("fifo"), 0666));
    destroy_link_to("fifo", "to-fifo");
    destroy_link_to("/dev/null", "null");
    destroy_link_to("null", "to-null");
    if (reader > 0)
        close(reader);
    reader = open(in_folder("fifo"), O_RDWR | O_NONBLOCK);
}

/* ---- the ways to name an output */

/* OUT stands for the thing; IN, OBJ, PAIRS and NEW for other files there. */
static const struct way {
    const char *line[12];
    int hdf5;             /* 2: it never writes OUT.part if that exists */
    const char *reads[2]; /* things that it reads */
    const char *also;     /* another output */
    const char *forced;   /* an existing file that is not an input of this way */
} ways[] = {
    {{"run", "IN", "-o", "OUT"}, 1, {"in"}, NULL, NULL},
    {{"run", "IN", "-o", "OUT", "--object-pairs", "PAIRS"}, 1, {"in", "pairs"}, NULL, 0},
    {{"run", "IN", "-o", "NEW", "--collide-txt", "OUT"}, 0, {"in"}, "new", NULL},
    {{"run", "IN", "-o", "NEW", "--csv", "OUT"}, 0, {"in"}, "new", NULL},
    {{"run", "IN", "-o", "NEW", "--counts", "OUT"}, 2, {"in"}, "new", NULL},
    {{"run", "IN", "-o", "NEW", "--contours", "OUT"}, 2, {"in"}, "new", NULL},
    {{"run", "IN", "-o", "NEW", "--regions", "OUT"}, 2, {"in"}, "new", NULL},
    {{"run", "IN", "-o", "NEW", "--json=OUT"}, 0, {"in"}, "new", NULL},
    {{"run", "IN", "-o", "NEW", "--object-pairs", "PAIRS", "--collide-txt", "OUT"},
     0,
     {"in", "pairs"},
     "new",
     NULL},
    {{"generate", "soup", "-n", "10", "-o", "OUT"}, 1, {NULL}, NULL, NULL},
    {{"convert", "OBJ", "-o", "OUT"}, 1, {"obj"}, NULL, NULL},
    {{"info", "IN", "--json=OUT"}, 0, {"in"}, NULL, NULL},
    {{"bench", "IN", "--reps", "1", "--device", "cpu", "--json=OUT"}, 0, {"in"}, NULL, NULL},
    {{"devices", "--no-test", "--json=OUT"}, 0, {NULL}, NULL, NULL},
};
#define WAYS (sizeof ways / sizeof *ways)

static const char *destroy_is_target(const char *word, const char *thing)
{
    static char json[600];
    if (!strcmp(word, "--json=OUT")) {
        snprintf(json, sizeof json, "--json=%s", in_folder(thing));
        return json;
    }
    return !strcmp(word, "IN")      ? in_folder("in")
           : !strcmp(word, "OBJ")   ? in_folder("obj")
           : !strcmp(word, "PAIRS") ? in_folder("pairs")
           : !strcmp(word, "NEW")   ? in_folder("new")
           : !strcmp(word, "OUT")   ? in_folder(thing)
                                    : word;
}

/* An input of another way is an ordinary file for this one. */
static enum may rule(const struct way *w, const struct thing *t)
{
    enum may may = w->hdf5 && (w->hdf5 == 1 || t->text == THROUGH) ? t->hdf5 : t->text;
    static const char *const inputs[][2] = {
        {"in", "in"}, {"to-in", "in"}, {"hard-in", "in"}, {"obj", "obj"}, {"pairs", "pairs"}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        if (strcmp(t->name, inputs[i][0]))
            continue;
        for (int k = 0; k < 2; k++)
            if (w->reads[k] && !strcmp(w->reads[k], inputs[i][1]))
                return NEVER;
        return FORCED;
    }
    return may;
}

/* The file that such an output replaces. */
static const char *target(const struct thing *t)
{
    return !strcmp(t->name, "to-in") ? "in" : t->target ? t->target : t->name;
}

static void destroy_compare(const listing *before, const char *changed, const char *also, int done,
                            const char *about)
{
    listing after;
    list_folder(&after);
    for (size_t i = 0; i < before->count; i++) {
        const thing_file *old = &before->file[i], *now = destroy_find(&after, old->name);
        EXPECT(now != NULL, "%s: %s is gone", about, old->name);
        int may = done && changed && !strcmp(old->name, changed);
        /* only the output may differ */
        EXPECT(!now || may || destroy_same(old, now), "%s: %s was changed", about, old->name);
    }
    for (size_t i = 0; i < after.count; i++) {
        const char *name = after.file[i].name;
        int wanted = (changed && !strcmp(name, changed)) || (also && !strcmp(name, also));
        EXPECT(destroy_find(before, name) || (done && wanted), "%s: %s is there now", about, name);
    }
    free_listing(&after);
}

static void check_destroy(const struct way *w, const struct thing *t, int force)
{
    const char *line[16];
    char about[400] = "";
    int n = 0;
    listing before;
    make_things();
    list_folder(&before);
    for (; w->line[n]; n++) {
        line[n] = destroy_is_target(w->line[n], t->name);
        strcat(strcat(about, w->line[n]), " ");
    }
    if (force)
        line[n++] = "--force";
    line[n] = NULL;
    strcat(strcat(about, force ? "--force: " : ": "), t->name);
    ran r = program_run(line);
    enum may may = rule(w, t);
    int well = may == THROUGH || may == FRESH || (may == FORCED && force);
    if (well)
        EXPECT(r.code == 0, "%s: exit %d: %s", about, r.code, r.err);
    else
        EXPECT(ran_failed(&r, !strcmp(t->name, "circle") ? 1 : 2, NULL, NULL), "^ %s", about);
    const char *changed = may == THROUGH ? NULL : target(t);
    if (well && force && w->hdf5 == 1 && !strcmp(t->name, "taken"))
        unlink(in_folder("taken.part")), write_text(in_folder("taken.part"), "of somebody");
    destroy_compare(&before, changed, w->also, r.code == 0, about);
    ran_free(&r);
    free_listing(&before);
}

/* With sanitizers a third of the pairs, which include each way and each thing. */
static void test_destroy_pairs(void)
{
    for (size_t w = 0; w < WAYS; w++)
        for (size_t t = 0; t < THINGS; t++)
            for (int force = 0; force < 2; force++)
                if (!TEST_SANITIZED || (w + t + (size_t)force) % 3 == 0)
                    check_destroy(&ways[w], &things[t], force);
}

/* ---- two outputs of one command */

static void test_two_outputs(void)
{
    static const char *const same_file[][3] = {{"fresh", "fresh", NULL},
                                               {"fresh", "fresh.part", NULL},
                                               {"fresh", "fresh.part.new", NULL},
                                               {"fresh", NULL, "fresh"},
                                               {"fresh", NULL, "fresh.part"},
                                               {"fresh", "text", "text"},
                                               {"to-nothing", "nothing", NULL},
                                               {"nothing", "to-nothing", NULL},
                                               {"fresh", "nothing", "to-nothing"},
                                               {"to-precious", "to-link", NULL},
                                               {"fresh", "precious", "to-link"},
                                               {"fresh", "fifo", "to-fifo"},
                                               {"fresh", "-", "-"},
                                               {"fresh", "/dev/stdout", "-"}};
    for (size_t i = 0; i < sizeof same_file / sizeof *same_file; i++) {
        const char *const *s = same_file[i];
        const char *line[16] = {"run", NULL, "-o", NULL, "--force", "-q"};
        char json[600];
        listing before;
        int n = 6;
        make_things();
        list_folder(&before);
        line[1] = in_folder("in");
        line[3] = in_folder(s[0]);
        if (s[1]) {
            line[n++] = "--collide-txt";
            line[n++] = strpbrk(s[1], "-/") == s[1] ? s[1] : in_folder(s[1]);
        }
        snprintf(json, sizeof json, "--json=%s", s[2] && strcmp(s[2], "-") ? in_folder(s[2]) : "-");
        if (s[2])
            line[n++] = json;
        ran r = program_run(line);
        EXPECT(ran_failed(&r, 2, "writes", NULL), "^ -o %s, text %s, JSON %s", s[0], s[1], s[2]);
        destroy_compare(&before, NULL, NULL, 0, s[0]);
        ran_free(&r);
        free_listing(&before);
    }
}

/* OUT.part is the input, or standard output is OUT. */
static void test_part_is_input(void)
{
    make_things();
    copy_file(at("batch"), in_folder("x.part"));
    listing before;
    list_folder(&before);
    ran r = RAN("run", in_folder("x.part"), "-o", in_folder("x"), "--force");
    EXPECT(ran_failed(&r, 2, "is read", NULL), "^ the input is OUT.part");
    ran_free(&r);
    program_set(&(program_how){.std_out = in_folder("precious")});
    r = RAN("run", in_folder("in"), "-o", in_folder("precious"), "--force");
    program_plain();
    EXPECT(ran_failed(&r, 2, "standard output", NULL), "^ standard output is OUT");
    ran_free(&r);
    write_text(in_folder("precious"), "precious"); /* it was emptied, as by a shell */
    destroy_compare(&before, NULL, NULL, 0, "OUT.part");
    free_listing(&before);
}

/* ---- streams */

static void test_destroy_streams(void)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    make_things();
    const char *in = in_folder("in"), *out = in_folder("new"), *text = in_folder("text");
    ran r = RAN("run", in, "-o", out, "--collide-txt", text, "-q");
    EXPECT(ran_well(&r), "^ a file");
    ran_free(&r);
    char *want = file_text(text, NULL);
    EXPECT(strlen(want) > 100, "%s", want);
    for (int i = 0; i < 8; i++) {
        const char *to = in_folder("redirected");
        write_text(to, "");
        if (i >= 4)
            program_set(&(program_how){.std_out = to});
        r = RAN("run", in, "-o", out, "--force", "--collide-txt", names[i % 4]);
        program_plain();
        EXPECT(ran_well(&r), "^ --collide-txt %s", names[i % 4]);
        char *have = i >= 4 ? file_text(to, NULL) : strdup(r.out);
        EXPECT(!strcmp(have, want), "--collide-txt %s, %d: %s", names[i % 4], i, have);
        free(have);
        ran_free(&r);
    }
    EXPECT(!exists("-"), "a file '-' was made");
    free(want);
}

/* HDF5 cannot be written to a stream. */
static void test_dashes(void)
{
    make_things();
    const char *in = in_folder("in"), *out = in_folder("new");
    const char *const lines[][8] = {{"run", in, "-o", "-"},
                                    {"run", in, "-o", "-", "--force"},
                                    {"run", "-", "-o", out},
                                    {"info", "-"},
                                    {"bench", "-"},
                                    {"check", "-", "--input", in},
                                    {"check", in_folder("result"), "--input", "-"},
                                    {"generate", "soup", "-o", "-"},
                                    {"convert", in_folder("obj"), "-o", "-"},
                                    {"run", in, "-o", out, "--counts", "-"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ran r = program_run(lines[i]);
        EXPECT(ran_failed(&r, 2, "./-", NULL), "^ %s %s %s", lines[i][0], lines[i][1], lines[i][2]);
        EXPECT(!exists("-") && !exists(out), "a file was made");
        ran_free(&r);
    }
    program_set(&(program_how){.std_in = in_folder("pairs")});
    ran r = RAN("run", in, "-o", out, "-q", "--object-pairs", "-");
    program_plain();
    EXPECT(ran_well(&r), "^ --object-pairs -");
    ran_free(&r);
}

/* All outputs are checked before the first frame is computed: nothing of OUT is there. */
static void test_proven(void)
{
    static const char *const bad[] = {
        "--collide-txt=/nowhere/c.txt", "--json=/nowhere/j.json",     "--collide-txt=/proc/c.txt",
        "--csv=/nowhere/c.csv",         "--counts=/nowhere/c.vtkhdf", "--counts=/proc/c.vtkhdf",
        "--contours=/nowhere/c.vtkhdf", "--regions=/nowhere/r.vtkhdf"};
    make_things();
    for (int i = 0; i < 8; i++) {
        ran r = RAN("run", in_folder("in"), "-o", in_folder("new"), bad[i]);
        EXPECT(ran_failed(&r, 1, strchr(bad[i], '/'), NULL), "^ %s", bad[i]);
        EXPECT(!exists(in_folder("new")) && !exists_part(in_folder("new")), "%s: OUT is there",
               bad[i]);
        ran_free(&r);
    }
}

/* OUT.part lies beside the target of the link. */
static void test_part_of_link(void)
{
    make_things();
    CU_ASSERT(!mkdir(at("elsewhere"), 0777));
    CU_ASSERT(!symlink("../elsewhere/out", in_folder("far")));
    for (long n = 40; n < 400 && !exists(at("elsewhere/out.part")); n += 10) {
        char kill[40];
        snprintf(kill, sizeof kill, "kill:%ld", n);
        program_set(
            &(program_how){.program = IMP_FRAGILE,
                           .variable = {{"IMPINGE_FRAGILE", kill}, {"IMPINGE_HASTY", "1"}}});
        ran r = RAN("run", in_folder("in"), "-o", in_folder("far"), "--block", "1");
        program_plain();
        ran_free(&r);
    }
    EXPECT(exists(at("elsewhere/out.part")) && !exists(in_folder("far.part")), "the part is wrong");
    ran r = RAN("run", in_folder("in"), "-o", in_folder("far"), "-q", "--resume");
    EXPECT(ran_well(&r), "^ --resume through a link");
    EXPECT(exists(at("elsewhere/out")) && !exists(at("elsewhere/out.part")), "OUT is not there");
    ran_free(&r);
}

/* ---- inputs under another name, and files that appear later */

static void test_other_inputs(void)
{
    make_things();
    const char *in = in_folder("in"), *list = in_folder("pairs");
    const char *result = in_folder("named"), *new = in_folder("new");
    char json[600];
    ran r = RAN("run", in, "-o", result, "-q");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    listing before;
    list_folder(&before);
    snprintf(json, sizeof json, "--json=%s", list);
    r = RAN("bench", in, "--reps", "1", "--object-pairs", list, json, "--force");
    EXPECT(ran_failed(&r, 2, "is read", NULL), "^ bench over its list");
    ran_free(&r);
    program_set(&(program_how){.std_in = list});
    r = RAN("run", in, "-o", new, "--object-pairs", "-", json, "--force");
    EXPECT(ran_failed(&r, 2, "is read", NULL), "^ over standard input");
    ran_free(&r);
    program_plain();
    snprintf(json, sizeof json, "--json=%s", in);
    r = RAN("info", result, json, "--force");
    EXPECT(ran_failed(&r, 2, "is read", NULL), "^ info over the input of a result");
    ran_free(&r);
    destroy_compare(&before, NULL, NULL, 0, "other inputs");
    free_listing(&before);
}

/* --resume identifies the texts of a run by their location, not by their names relative to the
 * current folder. */
static void test_other_folder(void)
{
    make_things();
    char here[1000];
    const char *const names[] = {"text", "--json=doc"};
    CU_ASSERT_FATAL(getcwd(here, sizeof here) != NULL);
    mkdir(at("first"), 0777);
    mkdir(at("second"), 0777);
    const char *line[] = {"run",           in_folder("in"), "-o",     in_folder("new"), "-q",
                          "--collide-txt", names[0],        names[1], "--resume",       NULL};
    CU_ASSERT(!chdir(at("first")));
    for (int i = 0; i < 2; i++) {
        ran r = program_run(line);
        EXPECT(ran_well(&r), "^ in the first folder, %d", i);
        ran_free(&r);
    }
    CU_ASSERT(!chdir(at("second")));
    write_text("text", "precious");
    write_text("doc", "precious");
    ran r = program_run(line);
    EXPECT(ran_failed(&r, 2, "--force", NULL), "^ in another folder");
    ran_free(&r);
    CU_ASSERT(!chdir(here));
    EXPECT(file_size(at("second/text")) == 8 && file_size(at("second/doc")) == 8, "destroyed");
}

/* A part that is not one of the program's own files is refused without waiting for it. */
static void test_odd_parts(void)
{
    static const char *const parts[] = {"new.part", "new.part.new"};
    for (int i = 0; i < 3; i++) {
        make_things();
        const char *part = in_folder(parts[i % 2]);
        if (i < 2) {
            CU_ASSERT(!mkfifo(part, 0666));
        } else
            copy_file(at("batch"), in_folder("new.part.new"));
        listing before;
        list_folder(&before);
        ran r = RAN("run", in_folder("in"), "-o", in_folder("new"));
        EXPECT(ran_failed(&r, 2, "new.part", "--force"), "^ %d", i);
        ran_free(&r);
        destroy_compare(&before, NULL, NULL, 0, "odd parts");
        free_listing(&before);
    }
}

/* Two texts may go to one device, whatever standard output is. */
static void test_null_device(void)
{
    make_things();
    program_set(&(program_how){.std_out = "/dev/null"});
    ran r = RAN("run", in_folder("in"), "-o", in_folder("new"), "--collide-txt", "/dev/null",
                "--json=/dev/null");
    program_plain();
    EXPECT(ran_well(&r), "^ /dev/null three times");
    ran_free(&r);
}

/* A file that appears during the run stays, and so do the computed frames. An input that is
 * truncated meanwhile is noticed. */
static void test_meanwhile(void)
{
    for (int cut = 0; cut < 2; cut++) {
        make_things();
        const char *in = in_folder("in"), *out = in_folder("new");
        program_set(
            &(program_how){.program = IMP_FRAGILE,
                           .variable = {{"IMPINGE_FRAGILE", "stop:60"}, {"IMPINGE_HASTY", "1"}}});
        program p = program_start(
            (const char *const[]){"run", in, "-o", out, "--block", "1", "--device", "cpu", NULL});
        int status = 0;
        waitpid(p.pid, &status, WUNTRACED);
        CU_ASSERT_FATAL(WIFSTOPPED(status));
        if (cut) {
            CU_ASSERT(!truncate(in, 3000));
        } else
            write_text(out, "precious");
        kill(p.pid, SIGCONT);
        ran r = program_wait(&p);
        program_plain();
        if (cut)
            EXPECT(ran_failed(&r, 3, in, NULL), "^ the input was cut");
        else
            EXPECT(ran_failed(&r, 2, out, "by now"), "^ OUT came meanwhile");
        EXPECT(cut ? !exists(out) : file_size(out) == 8, "OUT is wrong");
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"pairs", test_destroy_pairs},
                                 {"two_outputs", test_two_outputs},
                                 {"part_is_input", test_part_is_input},
                                 {"streams", test_destroy_streams},
                                 {"dashes", test_dashes},
                                 {"proven", test_proven},
                                 {"part_of_link", test_part_of_link},
                                 {"other_inputs", test_other_inputs},
                                 {"other_folder", test_other_folder},
                                 {"odd_parts", test_odd_parts},
                                 {"null_device", test_null_device},
                                 {"meanwhile", test_meanwhile},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "destroy", tests);
}
