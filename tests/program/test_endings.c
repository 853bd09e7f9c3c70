/* An output name with the ending of another file format: each option that names an output, with
 * endings of all kinds. A refused command writes nothing. */
#include "expect.h"
#include "program.h"
#include "testlib.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU "--device", "cpu", "--threads", "1"
#define KINDS 5

/* Endings, and the command that writes files of that kind. */
static const struct kind {
    const char *ending[12], *writer;
} kinds[KINDS] = {
    {{"", ".vtkhdf", ".hdf", ".hdf5", ".h5", ".v2", ".part2", ".d/out"},
     NULL}, /* and unknown endings */
    {{".csv"}, "run --csv"},
    {{".txt"}, "run --collide-txt"},
    {{".json"}, "--json=FILE"},
    {{".html", ".svg", ".pdf", ".png", ".obj", ".stl", ".vtu", ".vtp", ".pvd", ".xdmf"}, ""},
};

/* Commands that write to OUT; allowed[kind]: endings of that kind are accepted. */
static const struct way {
    const char *line[10], *option;
    int allowed[KINDS];
} ways[] = {
    {{"run", "IN", CPU, "-o", "OUT"}, "-o", {1}},
    {{"convert", "OBJ", "-o", "OUT"}, "-o", {1}},
    {{"generate", "soup", "-n", "10", "-o", "OUT"}, "-o", {1}},
    {{"run", "IN", "-o", "NEW", "--counts", "OUT"}, "--counts", {1}},
    {{"run", "IN", "-o", "NEW", "--contours", "OUT"}, "--contours", {1}},
    {{"run", "IN", "-o", "NEW", "--regions", "OUT"}, "--regions", {1}},
    {{"run", "IN", "-o", "NEW", "--csv", "OUT"}, "--csv", {0, 1}},
    {{"run", "IN", "-o", "NEW", "--collide-txt", "OUT"}, "--collide-txt", {0, 0, 1}},
    {{"info", "IN", "--json=OUT"}, "--json", {0, 0, 0, 1}},
};

/* Texts may have endings without a meaning, and .txt; HDF5 files may not have .txt. */
static int endings_allowed(const struct way *w, int kind, const char *ending)
{
    const int hdf5 = w->allowed[0], said = *ending && strcmp(ending, ".v2") &&
                                           strcmp(ending, ".part2") && strcmp(ending, ".d/out");
    return w->allowed[kind] || !said || (!hdf5 && kind == 2);
}

static void check_endings(const struct way *w, int kind, const char *ending, int upper)
{
    char out[600], json[700];
    const char *line[14];
    int n = 0;
    snprintf(out, sizeof out, "%s%s", at("named"), ending);
    for (char *c = strrchr(out, '/'); upper && c && *c; c++)
        *c = (char)toupper((unsigned char)*c);
    snprintf(json, sizeof json, "--json=%s", out);
    unlink(at("new"));
    for (; w->line[n]; n++)
        line[n] = !strcmp(w->line[n], "IN")           ? at("in.vtkhdf")
                  : !strcmp(w->line[n], "OBJ")        ? at("in.obj")
                  : !strcmp(w->line[n], "NEW")        ? at("new")
                  : !strcmp(w->line[n], "OUT")        ? out
                  : !strcmp(w->line[n], "--json=OUT") ? json
                                                      : w->line[n];
    line[n] = NULL;
    ran r = program_run(line);
    if (endings_allowed(w, kind, ending)) {
        EXPECT(r.code == 0 && exists(out), "%s %s %s: %s", *w->line, w->option, out, r.err);
    } else {
        EXPECT(ran_failed(&r, 2, w->option, kinds[kind].writer), "^ %s %s %s", *w->line, w->option,
               out);
        EXPECT(!exists(out) && !exists(at("new")), "%s %s writes %s", *w->line, w->option, out);
    }
    unlink(out);
    ran_free(&r);
}

static void test_endings_all(void)
{
    write_text(at("in.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    CU_ASSERT(!mkdir(at("named.d"), 0700));
    ran r = RAN("convert", at("in.obj"), "-o", at("in.vtkhdf"), "-q");
    EXPECT(ran_well(&r), "^ convert");
    ran_free(&r);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (int k = 0; k < KINDS; k++)
            for (int e = 0; kinds[k].ending[e]; e++)
                check_endings(&ways[w], k, kinds[k].ending[e], e == 0 && k);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, "endings", (const test[]){{"all", test_endings_all}, {0}});
}
