/* The command line: wrong options and wrong values end with exit 2 and one line; unknown devices
 * with exit 4; help and version with exit 0. */
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 8

/* IN, OUT and OBJ in a line stand for files; OUT must not exist afterwards. */
typedef struct usage {
    const char *line[MOST];
    const char *word; /* in the message */
} usage;

static const char *in, *out, *obj;

static void usage_make_files(void)
{
    make m = {0};
    make_moving(&m, 5, 10, 1);
    make_write(&m, "in.vtkhdf");
    make_free(&m);
    in = at("in.vtkhdf");
    out = at("out.vtkhdf");
    obj = at("in.obj");
    write_text(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

static const char *usage_suggestion(const char *word)
{
    return !strcmp(word, "IN")    ? in
           : !strcmp(word, "OUT") ? out
           : !strcmp(word, "OBJ") ? obj
                                  : word;
}

static void check_usage_line(const usage *u, int code)
{
    const char *line[MOST + 1] = {0};
    char about[300] = "";
    for (int i = 0; i < MOST && u->line[i]; i++) {
        line[i] = usage_suggestion(u->line[i]);
        strcat(strcat(about, " "), u->line[i]);
    }
    ran r = program_run(line);
    EXPECT(ran_failed(&r, code, u->word, NULL), "^%s", about);
    EXPECT(!*r.out, "%s: '%s' on stdout", about, r.out);
    EXPECT(!exists(out) && !exists_part(out), "%s: OUT or OUT.part is there", about);
    ran_free(&r);
}

static void check_usage_of_all(const usage *list, size_t n, int code)
{
    usage_make_files();
    for (size_t i = 0; i < n; i += TEST_SANITIZED ? 2 : 1)
        check_usage_line(&list[i], code);
}

#define CHECK_ALL(list, code) check_usage_of_all(list, sizeof list / sizeof *list, code)
#define RUN "run", "IN", "-o", "OUT"

static void test_run_options(void)
{
    static const usage list[] = {
        {{"run"}, "input"},
        {{"run", "-o", "OUT"}, "input"},
        {{"run", "IN"}, "-o"},
        {{"run", "IN", "IN", "-o", "OUT"}, "one input"},
        {{RUN, "--verify", "-3"}, "4294967295"},
        {{RUN, "--verify", "some"}, "--verify"},
        {{RUN, "--verify", "3", "--stage", "candidates"}, "--verify: with --stage candidates"},
        {{"run", "IN", "-o"}, "-o needs a value"},
        {{"run", "IN", "--output"}, "--output needs a value"},
        {{RUN, "--device"}, "--device needs a value"},
        {{RUN, "--nonsense"}, "--nonsense"},
        {{RUN, "--nonsense=3"}, "--nonsense"},
        {{RUN, "-z"}, "-z"},
        {{RUN, "-qz"}, "z"},
        {{RUN, "--force=yes"}, "--force"},
        {{RUN, "--threads", "two"}, "--threads"},
        {{RUN, "--threads", "-1"}, "--threads"},
        {{RUN, "--threads", "1.5"}, "--threads"},
        {{RUN, "--threads", ""}, "--threads"},
        {{RUN, "--threads", "99999999999999999999"}, "--threads"},
        {{RUN, "--threads", "1000000"}, "--threads"},
        {{RUN, "--broad", "octree"}, "octree"},
        {{RUN, "--broad", ""}, "broad"},
        {{RUN, "--pairs", "none"}, "--pairs"},
        {{RUN, "--pairs", "al"}, "--pairs"},
        {{RUN, "--pairs", "all|self"}, "--pairs"},
        {{RUN, "--adjacent", "yes"}, "--adjacent"},
        {{RUN, "--stage", "broad"}, "--stage"},
        {{RUN, "--on-bad", "ignore"}, "--on-bad"},
        {{RUN, "--objects", "name"}, "--objects"},
        {{RUN, "--objects", "array"}, "--objects"},
        {{RUN, "--objects", "array:"}, "--objects"},
        {{RUN, "--dop", "7"}, "--dop"},
        {{RUN, "--dop", "six"}, "--dop"},
        {{RUN, "--dop", "-6"}, "--dop"},
        {{RUN, "--cell", "0"}, "--cell"},
        {{RUN, "--cell", "-1"}, "--cell"},
        {{RUN, "--cell", "nan"}, "--cell"},
        {{RUN, "--cell", "inf"}, "--cell"},
        {{RUN, "--cell", "1e999"}, "--cell"},
        {{RUN, "--cell", "1e-400"}, "--cell"},
        {{RUN, "--cell", "1m"}, "--cell"},
        {{RUN, "--continuous", "--min-separation", "1e-400"}, "--min-separation"},
        {{RUN, "--distance"}, "--distance needs a value"},
        {{RUN, "--distance", "-1"}, "--distance: '-1' is not a number, 0 or more"},
        {{RUN, "--distance", "nan"}, "--distance: 'nan' is not a number, 0 or more"},
        {{RUN, "--distance", "inf"}, "--distance: 'inf' is not a number, 0 or more"},
        {{RUN, "--distance", "1e999"}, "--distance"},
        {{RUN, "--distance", "1e-400"}, "--distance"},
        {{RUN, "--distance", "1mm"}, "--distance"},
        {{RUN, "--distance", "1", "--continuous"}, "--distance: not with --continuous"},
        {{RUN, "--distance", "0", "--continuous"}, "--distance: not with --continuous"},
        {{RUN, "--distance", "1", "--min-separation", "1"}, "not with --min-separation"},
        {{RUN, "--distance", "1", "--tolerance", "1"}, "--tolerance: only with --continuous"},
        {{RUN, "--distance", "0", "--adjacent", "test"}, "--distance: not with --adjacent test"},
        {{RUN, "--contacts", "some"}, "--contacts"},
        {{RUN, "--contacts", "crossing", "--continuous"},
         "--contacts crossing: not with --continuous"},
        {{RUN, "--contacts", "crossing", "--distance", "1"}, "not with --distance"},
        {{RUN, "--contacts", "crossing", "--thickness", "1"}, "not with --thickness"},
        {{RUN, "--contacts", "crossing", "--rows", "objects"}, "not with --rows objects"},
        {{RUN, "--contacts", "crossing", "--stage", "candidates"}, "not with --stage candidates"},
        {{RUN, "--cell", "1", "--broad", "grid"}, "--cell"},
        {{RUN, "--broad", "auto", "--cell", "1"}, "--cell"},
        {{RUN, "--block", "0x10"}, "--block"},
        {{RUN, "--block", "5000000000"}, "--block"},
        {{RUN, "--mem-limit", "lots"}, "--mem-limit"},
        {{RUN, "--mem-limit", "0"}, "--mem-limit"},
        {{RUN, "--mem-limit", "-1G"}, "--mem-limit"},
        {{RUN, "--mem-limit", "1X"}, "--mem-limit"},
        {{RUN, "--mem-limit", "1e30"}, "--mem-limit"},
        {{RUN, "--frames", "9"}, "--frames: '9' selects none of the 5 frames, 0 to 4"},
        {{RUN, "--frames", "3x"}, "--frames: '3x' is neither a frame nor a slice"},
        {{RUN, "--frames", ""}, "--frames"},
        {{RUN, "--frames", "a:b"}, "--frames"},
        {{RUN, "--frames", "1:2:0"}, "--frames"},
        {{RUN, "--frames", "1:2:3:4"}, "--frames"},
        {{RUN, "--frames", "1.5:2"}, "--frames"},
        {{RUN, "--frames", ":::"}, "--frames"},
        {{RUN, "--progress", "sometimes"}, "--progress"},
    };
    CHECK_ALL(list, 2);
}

/* Options of trees: unknown words, numbers that are too small, and other methods. */
static void test_trees(void)
{
    static const usage list[] = {
        {{RUN, "--volume", "cube"}, "--volume"},
        {{RUN, "--build", "sideways"}, "--build"},
        {{RUN, "--descent", "active-first"}, "--descent"},
        {{RUN, "--degree", "1"}, "--degree"},
        {{RUN, "--degree", "0"}, "--degree"},
        {{RUN, "--leaf", "0"}, "--leaf"},
        {{RUN, "--leaf", "x"}, "--leaf"},
        {{RUN, "--hybrid-level", "0"}, "--hybrid-level"},
        {{RUN, "--hybrid-level", "2"}, "--hybrid-level"},
        {{RUN, "--hybrid-level", "2", "--volume", "obb"}, "--hybrid-level"},
        {{RUN, "--volume", "dop", "--broad", "grid"}, "--volume"},
        {{RUN, "--leaf", "4", "--broad", "auto"}, "--leaf"},
        {{RUN, "--degree", "4", "--cell", "1"}, "--cell"},
        {{RUN, "--update", "keep", "--broad", "tree"}, "--update"},
        {{RUN, "--update", "keep", "--broad", "grid"}, "only --broad rtree and hash can"},
        {{RUN, "--update", "keep", "--broad", "tiles"}, "only --broad rtree and hash can"},
        {{RUN, "--update", "keep", "--broad", "brute"}, "only --broad rtree and hash can"},
        {{RUN, "--update", "keep", "--leaf", "4"}, "--update"},
    };
    CHECK_ALL(list, 2);
}

/* Options of the contract that do not exist yet must not be ignored; an option may be abbreviated
 * only if it stays unambiguous. */
static void test_future_options(void)
{
    static const usage list[] = {
        {{RUN, "--tolerance", "1"}, "--tolerance: only with --continuous"},
        {{RUN, "--min-separation", "0.1"}, "--min-separation"},
        {{RUN, "--f"}, "--f"},
        {{RUN, "--o", "x"}, "--o"},
        {{"pcs", "IN"}, "pcs"},
    };
    CHECK_ALL(list, 2);
}

static void test_usage_verbs(void)
{
    static const usage list[] = {
        {{"fly"}, "fly"},
        {{"Run"}, "Run"},
        {{"--run"}, "--run"},
        {{"runs", "IN"}, "runs"},
        {{"convert"}, "files"},
        {{"convert", "OBJ"}, "-o"},
        {{"convert", "OBJ", "-o", "OUT", "--as", "mesh"}, "--as"},
        {{"convert", "OBJ", "-o", "OUT", "--weld", "-1"}, "--weld"},
        {{"convert", "OBJ", "-o", "OUT", "--weld", "x"}, "--weld"},
        {{"convert", "OBJ", "-o", "OUT", "--mesh", "a.obj"}, "--mesh is for caches of points"},
        {{"convert", "OBJ", "-o", "OUT", "--between", "held"},
         "--between is for USD and Alembic files"},
        {{"convert", "a.abc", "-o", "OUT", "--between", "kept"}, "--between"},
        {{"convert", "OBJ", "-o", "OUT", "--joints", "a=1"}, "--joints is for URDF files"},
        {{"convert", "a.urdf", "-o", "OUT", "--joints", "a"},
         "--joints: 'a' is not NAME=VALUE,..."},
        {{"convert", "a.urdf", "-o", "OUT", "--joints", "a=1,b=x"}, "is not NAME=VALUE"},
        {{"convert", "a.urdf", "-o", "OUT", "--joints", "a=1,"}, "is not NAME=VALUE"},
        {{"convert", "a.urdf", "-o", "OUT", "--joints", "=1"}, "is not NAME=VALUE"},
        {{"convert", "a.abc", "-o", "OUT", "--samples", "range"}, "--samples is for USD files"},
        {{"convert", "OBJ", "-o", "OUT", "--samples", "range"}, "--samples is for USD files"},
        {{"convert", "OBJ", "-o", "OUT", "--purpose", "proxy"}, "--purpose is for USD files"},
        {{"convert", "a.usd", "-o", "OUT", "--between", "kept"}, "--between"},
        {{"convert", "a.usd", "-o", "OUT", "--samples", "some"}, "--samples"},
        {{"convert", "a.usd", "-o", "OUT", "--purpose", "prox"}, "--purpose: 'prox' is not of"},
        {{"convert", "a.usd", "-o", "OUT", "--purpose", "proxy,"}, "--purpose: 'proxy,' is not of"},
        {{"convert", "a.usd", "-o", "OUT", "--purpose", ","}, "--purpose: ',' is not of"},
        {{"generate"}, "scene"},
        {{"generate", "soup"}, "-o"},
        {{"generate", "teapot", "-o", "OUT"}, "teapot"},
        {{"generate", "soup", "flat", "-o", "OUT"}, "one scene"},
        {{"generate", "soup", "-o", "OUT", "--primitives", "few"}, "--primitives"},
        {{"generate", "soup", "-o", "OUT", "--frames", "-1"}, "--frames"},
        {{"generate", "soup", "-o", "OUT", "--seed", "x"}, "--seed"},
        {{"generate", "soup", "-o", "OUT", "--set", "x=1"}, "soup has no setting 'x'"},
        {{"generate", "tissue-fold", "-o", "OUT", "--set", "overlap"}, "overlap=NUMBER"},
        {{"generate", "missile", "-o", "OUT", "--set", "target=ship"},
         "target is building or aircraft"},
        {{"generate", "missile", "-o", "OUT", "--set", "target"}, "target is building or aircraft"},
        {{"generate", "missile", "-o", "OUT", "--set", "target=1"},
         "target is building or aircraft"},
        {{"generate", "tissue-fold", "-o", "OUT", "--set", "overlap=-1"}, "overlap=NUMBER"},
        {{"generate", "tissue-fold", "-o", "OUT", "--set", "overlop=1"}, "perhaps overlap"},
        {{"generate", "tissue-fold", "-o", "OUT", "--set=overlap=0.5", "--set"}, "--set"},
        {{"info"}, "file"},
        {{"info", "IN", "IN"}, "one file"},
        {{"info", "IN", "--verbose"}, "--verbose"},
        {{"check"}, "result"},
        {{"check", "IN"}, "--input"},
        {{"check", "IN", "--input", "IN", "--sample", "x"}, "--sample"},
        {{"devices", "IN"}, "unexpected"},
        {{"devices", "--all"}, "--all"},
        {{"bench"}, "input"},
        {{"bench", "IN", "--reps", "x"}, "--reps"},
        {{"bench", "IN", "--reps", "0"}, "--reps"},
        {{"bench", "IN", "--dop", "9"}, "--dop"},
        {{"bench", "IN", "--distance", "-0.5"}, "--distance"},
        {{"bench", "IN", "--distance", "1", "--continuous"}, "--distance: not with"},
        {{"bench", "IN", "--cell", "1", "--broad", "brute"}, "--cell"},
        {{"check", "IN", "--input", "IN", "--cell", "1"}, "--cell"},
    };
    CHECK_ALL(list, 2);
}

/* ---- the whole message: it names the fault, and nothing else */

static void check_exact(const usage *list, size_t n)
{
    usage_make_files();
    for (size_t i = 0; i < n; i += TEST_SANITIZED ? 2 : 1) {
        const char *line[MOST + 1] = {0};
        char about[300] = "", want[300];
        for (int k = 0; k < MOST && list[i].line[k]; k++) {
            line[k] = usage_suggestion(list[i].line[k]);
            strcat(strcat(about, " "), list[i].line[k]);
        }
        ran r = program_run(line);
        snprintf(want, sizeof want, "impinge%s\n", list[i].word);
        EXPECT(r.code == 2 && !*r.out && !strcmp(r.err, want), "%s: exit %d, '%s', not '%s'", about,
               r.code, r.err, want);
        EXPECT(!exists(out) && !exists_part(out), "%s: OUT or OUT.part is there", about);
        ran_free(&r);
    }
}

#define CHECK_EXACT(list) check_exact(list, sizeof list / sizeof *list)
#define TRY_RUN "; try 'impinge run --help'"

/* Options before and after files; letters in one word; values in the same word. */
static void test_named(void)
{
    static const usage list[] = {
        {{"run", "-dash.vtkhdf", "-o", "OUT"},
         " run: unknown option -d in -dash.vtkhdf; a file of that name is ./-dash.vtkhdf" TRY_RUN},
        {{"run", "-o", "OUT", "-dash.vtkhdf"},
         " run: unknown option -d in -dash.vtkhdf; a file of that name is ./-dash.vtkhdf" TRY_RUN},
        {{"run", "--dash.vtkhdf", "-o", "OUT"},
         " run: unknown option --dash.vtkhdf; a file of that name is ./--dash.vtkhdf" TRY_RUN},
        {{"run", "IN", "-z", "-o", "OUT", "--quiet"}, " run: unknown option -z" TRY_RUN},
        {{"run", "-qvz", "IN", "-o", "OUT"}, " run: unknown option -z in -qvz" TRY_RUN},
        {{"run", "-qzv", "IN", "-o", "OUT"}, " run: unknown option -z in -qzv" TRY_RUN},
        {{"run", "--nonsense=3", "IN", "-q"}, " run: unknown option --nonsense=3" TRY_RUN},
        {{"run", "IN", "-q", "-o"}, " run: -o needs a value" TRY_RUN},
        {{"run", "IN", "-qo"}, " run: -o needs a value" TRY_RUN},
        {{"run", "IN", "--out"}, " run: --output needs a value" TRY_RUN},
        {{"run", "IN", "-o", "-q"}, " run: -o needs a value, and -q is an option" TRY_RUN},
        {{"run", "IN", "-o", "--force"},
         " run: -o needs a value, and --force is an option" TRY_RUN},
        {{"run", "IN", "-q", "b", "-o", "OUT"},
         " run: one input at a time; 'b' is the second" TRY_RUN},
        {{"run", "IN", "--", "-b", "-q"}, " run: one input at a time; '-b' is the second" TRY_RUN},
        {{RUN, "--force=yes"}, " run: --force takes no value: '--force=yes'" TRY_RUN},
        {{RUN, "--json="}, " run: --json= needs a file, or no '='" TRY_RUN},
        {{RUN, "--thr", "two"},
         " run: --threads: 'two' is not a whole number from 1 to 4096" TRY_RUN},
        {{RUN, "--threads=2x", "-q"},
         " run: --threads: '2x' is not a whole number from 1 to 4096" TRY_RUN},
        {{RUN, "--pairs", "al"}, " run: --pairs: 'al' is not one of all|self|between" TRY_RUN},
        {{"generate", "soup", "-nfew", "-o", "OUT"},
         " generate: -n: 'few' is not a whole number above 0; try 'impinge generate --help'"},
        {{RUN, "--frames", ""}, " run: --frames needs a value, not ''" TRY_RUN},
        {{"run", "IN", "-o", ""}, " run: -o needs a value, not ''" TRY_RUN},
        {{"run", "a\nb", "c\td"},
         " run: one input at a time; 'c?d' is the second; perhaps -o c?d" TRY_RUN},
    };
    CHECK_EXACT(list);
}

static void test_meant(void)
{
    static const usage list[] = {
        {{RUN, "--f"}, " run: --f can be any of --force, --fail-on-collision, --frames" TRY_RUN},
        {{RUN, "--forse"}, " run: unknown option --forse, perhaps --force" TRY_RUN},
        {{RUN, "--object_pairs"},
         " run: unknown option --object_pairs, perhaps --object-pairs" TRY_RUN},
        {{RUN, "--Quiet"}, " run: unknown option --Quiet, perhaps --quiet" TRY_RUN},
        {{RUN, "--treads=4"}, " run: unknown option --treads=4, perhaps --threads" TRY_RUN},
        {{RUN, "-force"}, " run: unknown option -force, perhaps --force" TRY_RUN},
        {{"run", "IN", "-output", "OUT"}, " run: unknown option -output, perhaps --output" TRY_RUN},
        {{RUN, "--shelves", "3"}, " run: unknown option --shelves" TRY_RUN},
        {{RUN, "--toleration", "1"}, " run: unknown option --toleration" TRY_RUN},
        {{"report", "OUT"},
         ": report is a verb of the Python package: pip install '.[report]' in a clone of impinge"},
        {{"runn", "IN"}, ": there is no verb 'runn', perhaps run; try 'impinge --help'"},
        {{"Run"}, ": there is no verb 'Run', perhaps run; try 'impinge --help'"},
        {{"reprot"}, ": there is no verb 'reprot', perhaps report; try 'impinge --help'"},
        {{"genrate"}, ": there is no verb 'genrate', perhaps generate; try 'impinge --help'"},
        {{"gen"}, ": there is no verb 'gen', perhaps generate; try 'impinge --help'"},
        {{"generate", "clothball", "-o", "OUT"},
         " generate: there is no scene 'clothball', perhaps cloth-ball, see --list; try 'impinge "
         "generate --help'"},
        {{"fly"}, ": there is no verb 'fly'; try 'impinge --help'"},
        {{"help", "nonsense"}, ": there is no verb 'nonsense'; try 'impinge --help'"},
        {{"help", "chekc"}, ": there is no verb 'chekc', perhaps check; try 'impinge --help'"},
        {{"--quiet", "run"}, ": --quiet: options come after the verb; try 'impinge --help'"},
        {{"help", "run", "check"},
         " help: one verb at a time; 'check' is the second; try 'impinge help --help'"},
        {{"help", "run", "--man"},
         " help: either VERB or --man or --completion; try 'impinge help --help'"},
        {{"version", "run"}, " version: unexpected 'run'; try 'impinge version --help'"},
    };
    CHECK_EXACT(list);
}

/* A file in place of the verb. */
static void test_file_first(void)
{
    char want[600];
    usage_make_files();
    ran r = RAN(in);
    snprintf(want, sizeof want,
             "impinge: '%s' is a file, and a verb comes first: impinge run %s -o OUT.vtkhdf\n", in,
             in);
    EXPECT(r.code == 2 && !strcmp(r.err, want), "exit %d: %s", r.code, r.err);
    ran_free(&r);
    r = RAN(obj);
    EXPECT(ran_failed(&r, 2, "impinge convert", obj), "^ an OBJ file");
    ran_free(&r);
}

/* A form of another program is answered by the form of this one. */
static void test_right_form(void)
{
    usage_make_files();
    char one[700], several[700], missing[700], folder[700], hint[300];
    ran r = RAN("run", in, "-o", at("form.vtkhdf"), "--device", "cpu", "-q");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    snprintf(one, sizeof one,
             ": not an HDF5 file; 'impinge convert %s -o BATCH.vtkhdf' makes a batch of a mesh, "
             "for 'impinge run BATCH.vtkhdf -o OUT.vtkhdf'\n",
             obj);
    snprintf(missing, sizeof missing,
             "-o OUT is missing; %s is a mesh: 'impinge convert %s -o BATCH.vtkhdf', then 'impinge "
             "run BATCH.vtkhdf -o OUT.vtkhdf'; try",
             obj, obj);
    snprintf(several, sizeof several,
             "is the second; of several files 'impinge convert %s %s ... -o BATCH.vtkhdf' makes "
             "one, for 'impinge run BATCH.vtkhdf -o OUT.vtkhdf'; try",
             obj, obj);
    snprintf(folder, sizeof folder,
             "not a file but a folder; 'impinge convert %s -o BATCH.vtkhdf' makes a batch",
             test_folder());
    snprintf(hint, sizeof hint, "is the second; perhaps --input %s; try", in);
    const usage mesh[] = {{{"run", "OBJ", "-o", "OUT"}, one},
                          {{"run", test_folder(), "-o", "OUT"}, folder}};
    CHECK_ALL(mesh, 3);
    const usage usages[] = {
        {{"run", "OBJ"}, missing},
        {{"run", "OBJ", "OBJ", "OBJ"}, several},
        {{"run", "OBJ", "OBJ", "OBJ", "-o", "OUT"}, several},
        {{"bench", "IN", "IN"}, "' makes one, for 'impinge bench BATCH.vtkhdf'; try"},
        {{"run", "IN", "new.vtkhdf"}, "is the second; perhaps -o new.vtkhdf; try"},
        {{"generate", "soup", "new.vtkhdf"}, "is the second; perhaps -o new.vtkhdf; try"},
        {{"convert", "OBJ", "new.vtkhdf"}, "-o BATCH is missing, as in -o new.vtkhdf; try"},
        {{"check", at("form.vtkhdf"), "IN"}, hint},
        {{"info", "IN", "IN"}, "is the second; try"},
    };
    CHECK_ALL(usages, 2);
}

/* Correct usage stays correct: a file after "--", values in any form, the last of several values
 * wins. */
static void test_forms(void)
{
    usage_make_files();
    char joined[600];
    snprintf(joined, sizeof joined, "-o%s", out);
    ran r = RAN("run", in, joined, "--device=cpu");
    EXPECT(ran_well(&r) && exists(out), "^ %s", joined);
    ran_free(&r);
    r = RAN("run", "-qo", out, "--dev", "cpu", "--force", "--", in);
    EXPECT(ran_well(&r) && !*r.out, "^ --");
    ran_free(&r);
    snprintf(joined, sizeof joined, "--output=%s", out);
    r = RAN("run", "-o", at("first.vtkhdf"), joined, "--pairs", "self", "--pairs=all", "--device",
            "opencl", "--device", "cpu", "--force", in);
    EXPECT(ran_well(&r) && !exists(at("first.vtkhdf")), "^ the last counts");
    ran_free(&r);
    r = RAN("info", out);
    EXPECT(ran_well(&r) && strstr(r.out, "pairs=all"), "^ %s", r.out);
    ran_free(&r);
    unlink(out);
}

/* No verb at all: usage on stderr. */
static void test_usage_nothing(void)
{
    ran r = program_run((const char *const[]){NULL});
    EXPECT(r.code == 2 && !*r.out && strstr(r.err, "usage"), "exit %d: %s", r.code, r.err);
    ran_free(&r);
    r = RAN("");
    EXPECT(r.code == 2 && !*r.out && *r.err, "exit %d: %s", r.code, r.err);
    ran_free(&r);
}

/* Help goes to stdout, with examples, whatever else is on the line. */
static void test_help(void)
{
    static const char *const verbs[] = {"run",     "convert", "generate", "info",   "check",
                                        "devices", "bench",   "help",     "version"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        for (int form = 0; form < 3; form++) {
            ran r = form == 2 ? RAN(verbs[i], "--help", "--nonsense")
                              : RAN(verbs[i], form ? "-h" : "--help");
            EXPECT(ran_well(&r), "^ help of %s", verbs[i]);
            EXPECT(strstr(r.out, "usage: impinge") && strstr(r.out, verbs[i]) &&
                       strstr(r.out, "examples:"),
                   "help of %s: %s", verbs[i], r.out);
            ran_free(&r);
        }
    ran r = RAN("--help");
    EXPECT(ran_well(&r), "^ --help");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        EXPECT(strstr(r.out, verbs[i]), "--help does not tell %s", verbs[i]);
    ran_free(&r);
}

static void test_version(void)
{
    ran r = RAN("--version");
    EXPECT(ran_well(&r), "^ --version");
    EXPECT(strstr(r.out, "impinge " IMP_VERSION) && strstr(r.out, "HDF5 ") &&
               strstr(r.out, "OpenCL"),
           "%s", r.out);
    ran_free(&r);
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", IMP_VERSION_MAJOR, IMP_VERSION_MINOR,
             IMP_VERSION_PATCH);
    EXPECT(!strcmp(numbers, IMP_VERSION), "the numbers of the version are %s, its text is %s",
           numbers, IMP_VERSION);
}

/* ---- messages with advice */

/* A text mesh leads to the advice to convert it; other files do not. */
static void test_hint_convert(void)
{
    static const char *const verbs[] = {"run", "bench", "info"};
    usage_make_files();
    write_text(at("junk.vtkhdf"), "\001\002\003 no text");
    for (int i = 0; i < 3; i++) {
        ran r = i ? RAN(verbs[i], obj) : RAN(verbs[i], obj, "-o", out);
        EXPECT(ran_failed(&r, 3, obj, "not an HDF5 file; 'impinge convert "), "^ %s", verbs[i]);
        ran_free(&r);
        r = i ? RAN(verbs[i], at("junk.vtkhdf")) : RAN(verbs[i], at("junk.vtkhdf"), "-o", out);
        EXPECT(ran_failed(&r, 3, "not an HDF5 file", NULL) && !strstr(r.err, "convert"), "^ %s",
               verbs[i]);
        ran_free(&r);
    }
    static const char zeros[64];
    FILE *f = fopen(at("junk.vtkhdf"), "wb");
    CU_ASSERT_FATAL(f && fwrite(zeros, 1, sizeof zeros, f) == sizeof zeros && !fclose(f));
    ran r = RAN("info", at("junk.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "not an HDF5 file", NULL) && !strstr(r.err, "convert"), "^ zeros");
    ran_free(&r);
}

/* A result given as a batch: the message says so, not only that it has lines. */
static void test_hint_result(void)
{
    usage_make_files();
    ran r = RAN("run", in, "-o", at("result.vtkhdf"), "--device", "cpu", "-q");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    r = RAN("run", at("result.vtkhdf"), "-o", out);
    EXPECT(ran_failed(&r, 3, at("result.vtkhdf"), "a result of impinge"), "^ run of a result");
    ran_free(&r);
    r = RAN("run", in, "-o", out, "--cell", "1", "--device", "cpu");
    EXPECT(ran_well(&r) && strstr(r.out, "hash"), "--cell chooses hash: %s", r.out);
    ran_free(&r);
    unlink(out);
}

/* For points that are not finite the message names --on-bad. */
static void test_hint_on_bad(void)
{
    make m = {0};
    make_moving(&m, 2, 10, 1);
    m.points.value[4] = NAN;
    make_write(&m, "nan.vtkhdf");
    make_free(&m);
    ran r = RAN("bench", at("nan.vtkhdf"), "--device", "cpu", "--reps", "1");
    EXPECT(ran_failed(&r, 3, at("nan.vtkhdf"), "--on-bad skip"), "^ bench");
    ran_free(&r);
    r = RAN("run", at("nan.vtkhdf"), "-o", at("nan.out"), "--device", "cpu");
    EXPECT(ran_failed(&r, 3, at("nan.vtkhdf"), "--on-bad skip"), "^ run");
    ran_free(&r);
    r = RAN("bench", at("nan.vtkhdf"), "--device", "cpu", "--reps", "1", "--on-bad", "skip");
    EXPECT(ran_well(&r), "^ bench --on-bad skip");
    ran_free(&r);
}

/* ---- files named by options */

static void test_option_files(void)
{
    static const usage missing[] = {
        {{RUN, "--object-pairs", "/nowhere/pairs.txt"}, "/nowhere/pairs.txt: No such file"},
        {{RUN, "--object-pairs", "-/nowhere/pairs.txt"}, "/nowhere/pairs.txt: No such file"},
        {{RUN, "--objects", "array:Colour"}, "/VTKHDF/CellData/Colour"},
    };
    CHECK_ALL(missing, 3);
}

static void test_pairs_file(void)
{
    static const char *const bad[][2] = {
        {"1 2\n3\n", "line 2"},     {"1 2 3\n", "line 1"},
        {"one two\n", "line 1"},    {"0 0\n\n# x\n1 2147483648\n", "line 4"},
        {"1;2\n", "line 1"},        {"1 2,\n", "line 1"},
        {"1 ,\n", "line 1"},        {"- 1\n", "line 1"},
        {"1 2\n1.5 2\n", "line 2"}, {"99999999999999999999 1\n", "line 1"}};
    usage_make_files();
    const char *file = at("pairs.txt");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(file, bad[i][0]);
        ran r = RAN("run", in, "-o", out, "--object-pairs", file);
        EXPECT(ran_failed(&r, 3, file, bad[i][1]), "^ '%s'", bad[i][0]);
        EXPECT(!exists(out) && !exists_part(out), "OUT or OUT.part is there");
        ran_free(&r);
    }
    ran r = RAN("run", in, "-o", out, "--object-pairs", test_folder());
    EXPECT(ran_failed(&r, 3, test_folder(), NULL), "^ a folder as --object-pairs");
    ran_free(&r);
}

/* ---- devices */

static void test_usage_no_device(void)
{
    static const usage list[] = {
        {{RUN, "--device", "abacus"}, "'abacus'"},
        {{RUN, "--device", "99"}, "'99'"},
        {{RUN, "--device", "99999999999999999999"}, "device"},
        {{RUN, "--device", "-1"}, "'-1'"},
        {{RUN, "--device", "cpux"}, "'cpux'"},
        {{"bench", "IN", "--device", "abacus"}, "'abacus'"},
    };
    CHECK_ALL(list, 4);
}

/* A machine without any OpenCL driver. */
static void test_no_platform(void)
{
    usage_make_files();
    const char *empty = at("vendors");
    CU_ASSERT(!mkdir(empty, 0777));
    program_set(&(program_how){.variable = {{"OCL_ICD_VENDORS", empty},
                                            {"OPENCL_VENDOR_PATH", empty},
                                            {"OCL_ICD_FILENAMES", NULL}}});
    check_usage_line(&(usage){{RUN, "--device", "opencl"}, "OpenCL"}, 4);
    check_usage_line(&(usage){{RUN, "--device", "1"}, "'1'"}, 4);
    check_usage_line(&(usage){{RUN, "--device", "pocl"}, "'pocl'"}, 4);
    static const char *const fine[] = {"auto", "cpu", "0", "CPU"};
    for (int i = 0; i < 4; i++) {
        ran r = RAN("run", in, "-o", out, "--device", fine[i], "--force");
        EXPECT(ran_well(&r) && strstr(r.out, "(cpu,"), "^ --device %s: %s", fine[i], r.out);
        ran_free(&r);
    }
    ran r = RAN("devices");
    EXPECT(ran_well(&r) && strstr(r.out, "0  host") && !strstr(r.out, "\n1 "), "^ %s", r.out);
    ran_free(&r);
    program_plain();
    unlink(out);
}

/* A driver that cannot be loaded counts as none. */
static void test_broken_platform(void)
{
    usage_make_files();
    const char *folder = at("broken");
    CU_ASSERT(!mkdir(folder, 0777));
    write_text(at("broken/none.icd"), "/nowhere/libnone.so\n");
    program_set(
        &(program_how){.variable = {{"OCL_ICD_VENDORS", folder}, {"OPENCL_VENDOR_PATH", folder}}});
    check_usage_line(&(usage){{RUN, "--device", "opencl"}, "OpenCL"}, 4);
    ran r = RAN("run", in, "-o", out, "-q");
    EXPECT(ran_well(&r), "^ --device auto");
    ran_free(&r);
    program_plain();
    unlink(out);
}

/* ---- --json FILE.json */

static void check_json_word(const char *const *line, const char *file)
{
    ran r = program_run(line);
    EXPECT(!r.code && !strchr(r.out, '{'), "^ %s: %d: %s%s", line[0], r.code, r.out, r.err);
    ran_free(&r);
    char *text = file_text(file, NULL);
    EXPECT(text && *text == '{', "%s: %.20s", line[0], text ? text : "no file");
    free(text);
}

/* The next word is the file if it ends in .json, in all verbs; nothing else is. */
static void test_json_word(void)
{
    usage_make_files();
    const char *to = at("word.json"), *upper = at("UPPER.JSON"), *text = at("word.txt");
    check_json_word((const char *[]){"run", in, "-o", out, "--json", to, "-q", NULL}, to);
    check_json_word((const char *[]){"info", "--json", at("info.json"), out, NULL},
                    at("info.json"));
    check_json_word((const char *[]){"events", out, "--json", upper, NULL}, upper);
    check_json_word((const char *[]){"devices", "--no-test", "--json", at("d.json"), NULL},
                    at("d.json"));
    check_json_word((const char *[]){"bench", "--json", at("b.json"), in, "--reps", "1", NULL},
                    at("b.json"));
    ran r = RAN("run", in, "-o", out, "--force", "--json", to, "--device", "cpu");
    EXPECT(!r.code, "^ --force replaces both");
    ran_free(&r);
    r = RAN("info", in, "--json", to);
    EXPECT(ran_failed(&r, 2, to, "--force"), "^ an existing file");
    ran_free(&r);
    r = RAN("run", "--json", in, "-o", out, "--force");
    EXPECT(!r.code && *r.out == '{', "^ an input after --json: %s", r.err);
    ran_free(&r);
    unlink(out);
    char hint[300];
    snprintf(hint, sizeof hint, "; a file of --json is given as --json=%s; try", text);
    const usage wrong[] = {
        {{"run", "IN", "-o", "OUT", "--json", text}, hint},
        {{"run", "-o", "OUT", "--json", text, "IN"}, hint},
        {{"devices", "--json", text}, hint},
        {{"run", "--json", "IN", "IN", "-o", "OUT"}, "--json=FILE; try"},
        {{"run", "IN", "-o", "OUT", "--json", "-q", "IN"}, "' makes one, for 'impinge run"}};
    CHECK_ALL(wrong, 2);
    EXPECT(!exists(text), "%s is there", text);
}

/* ---- memory */

static void test_little_memory(void)
{
    static const usage list[] = {
        {{RUN, "--device", "cpu", "--mem-limit", "1"}, "limit"},
        {{RUN, "--device", "cpu", "--mem-limit", "64K"}, "limit"},
        {{RUN, "--device", "cpu", "--mem-limit", "1M"}, "limit"},
    };
    CHECK_ALL(list, 5);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"run_options", test_run_options},
                                 {"trees", test_trees},
                                 {"future_options", test_future_options},
                                 {"verbs", test_usage_verbs},
                                 {"named", test_named},
                                 {"meant", test_meant},
                                 {"file_first", test_file_first},
                                 {"forms", test_forms},
                                 {"nothing", test_usage_nothing},
                                 {"help", test_help},
                                 {"version", test_version},
                                 {"hint_convert", test_hint_convert},
                                 {"hint_result", test_hint_result},
                                 {"hint_on_bad", test_hint_on_bad},
                                 {"option_files", test_option_files},
                                 {"pairs_file", test_pairs_file},
                                 {"no_device", test_usage_no_device},
                                 {"no_platform", test_no_platform},
                                 {"broken_platform", test_broken_platform},
                                 {"right_form", test_right_form},
                                 {"json_word", test_json_word},
                                 {"little_memory", test_little_memory},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "usage", tests);
}
