/* See output_file.h. */
#define _GNU_SOURCE
#include "output_file.h"

#include "error.h"
#include "h5.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- claims */

typedef struct output_claim {
    file_identity identity;
    char *name;         /* name of the file, for messages */
    const char *option; /* NULL: the file is read */
} output_claim;

void outputs_free(outputs *o)
{
    for (size_t i = 0; i < o->count; i++) {
        file_identity_free(&o->claim[i].identity);
        free(o->claim[i].name);
    }
    free(o->claim);
    *o = (outputs){0};
}

/* Adds a claim; the list takes over *p. */
static int claim_add(outputs *o, const char *option, const char *name, file_identity *p)
{
    if (o->count == o->capacity) {
        size_t capacity = 2 * o->capacity + 8;
        output_claim *more = realloc(o->claim, capacity * sizeof *more);
        if (!more)
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        o->claim = more;
        o->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    o->claim[o->count++] = (output_claim){*p, copy, option};
    *p = (file_identity){0};
    return IMP_OK;
}

/* Files that the shell opened as standard output and standard error are also written by this
 * command. */
static int is_standard(const file_identity *p, const char **name)
{
    static const char *const names[] = {"standard output", "standard errors"};
    for (int i = 0; i < 2; i++) {
        struct stat s;
        if (!fstat(STDOUT_FILENO + i, &s) && S_ISREG(s.st_mode) && !p->name &&
            s.st_dev == p->device && s.st_ino == p->inode) {
            *name = names[i];
            return 1;
        }
    }
    return 0;
}

int outputs_reads(outputs *o, const char *path)
{
    int err = IMP_OK;
    struct stat s;
    file_identity p = {0};
    const char *standard;
    /* character devices are not consumed: /dev/null may be read and written */
    if (stat(path, &s) || S_ISCHR(s.st_mode))
        return IMP_OK;
    TRY(file_identity_find(path, &p));
    if (is_standard(&p, &standard))
        FAIL(IMP_ERR_ARGUMENT, "%s: is read, but %s goes there", path, standard);
    TRY(claim_add(o, NULL, path, &p));
out:
    file_identity_free(&p);
    return err;
}

static int found_file(void *to, const char *path)
{
    return outputs_reads(to, path);
}

int outputs_reads_hdf5(outputs *o, const char *path)
{
    return h5_files(path, "/VTKHDF", found_file, o);
}

/* Claims `path` for `option`, unless it is claimed already. user: its name on the command line. */
static int claim_output(outputs *o, const char *option, const char *user, const char *path)
{
    int err = IMP_OK;
    file_identity p;
    const char *standard;
    TRY(file_identity_find(path, &p));
    if (is_standard(&p, &standard))
        FAIL(IMP_ERR_ARGUMENT, "%s: %s: this is the file that %s goes to", option, user, standard);
    for (size_t i = 0; i < o->count; i++) {
        const output_claim *c = &o->claim[i];
        if (!file_identity_same(&p, &c->identity))
            continue;
        /* two options may give the file different names, so the message has both */
        if (c->option)
            FAIL(IMP_ERR_ARGUMENT, "%s: %s: this is what %s writes (%s)", option, user, c->option,
                 c->name);
        FAIL(IMP_ERR_ARGUMENT, "%s: %s: this is what is read (%s); it is not replaced", option,
             user, c->name);
    }
    TRY(claim_add(o, option, path, &p));
out:
    file_identity_free(&p);
    return err;
}

/* ---- HDF5 files */

/* The temporary names are claimed as well: a text named OUT.part would be replaced by the result,
 * or the result by the text. */
int outputs_grows(outputs *o, const char *option, const char *path)
{
    static const char *const also[] = {"", ".part", ".part.new"};
    int err = IMP_OK;
    char *target = NULL, *name = NULL;
    TRY(file_path_target(path, &target));
    struct stat s;
    if (!stat(path, &s) && !S_ISREG(s.st_mode))
        FAIL(IMP_ERR_ARGUMENT, "%s: %s: is not a regular file", option, path);
    for (int i = 0; i < 3; i++) {
        if (asprintf(&name, "%s%s", target, also[i]) < 0) {
            name = NULL;
            FAIL(IMP_ERR_MEMORY, "out of memory");
        }
        TRY(claim_output(o, option, path, name));
        free(name);
        name = NULL;
    }
    /* last: that a file is read is the better reason */
    TRY(ending_check(option, path, ENDING_HDF5));
out:
    free(name);
    free(target);
    return err;
}

/* ---- texts */

/* Returns the open descriptor that the name refers to, or -1. A regular file behind one is not
 * opened again: that would write from its beginning. */
static int names_descriptor(const char *path, const struct stat *s)
{
    int number, length = 0;
    if (sscanf(path, "/dev/fd/%d%n", &number, &length) == 1 && !path[length])
        return number;
    /* only names that denote streams: a file that happens to be stdout's is an error elsewhere */
    if (strncmp(path, "/dev/std", 8) != 0 && strncmp(path, "/proc/", 6) != 0)
        return -1;
    for (int d = STDOUT_FILENO; d <= STDERR_FILENO; d++) {
        struct stat t;
        if (!fstat(d, &t) && t.st_dev == s->st_dev && t.st_ino == s->st_ino)
            return d;
    }
    return -1;
}

/* Two documents on one stream could not be separated again. */
static int claim_stdout(outputs *o, const char *option, text_output *out)
{
    if (o->on_stdout)
        return imp_fail(IMP_ERR_ARGUMENT, "%s: standard output is what %s writes to", option,
                        o->on_stdout);
    o->on_stdout = option;
    out->descriptor = STDOUT_FILENO;
    return IMP_OK;
}

/* Devices may have several writers; other streams only one. */
static int claim_stream(outputs *o, const char *option, int force, const struct stat *s,
                        text_output *out)
{
    out->descriptor = names_descriptor(out->name, s);
    if (out->descriptor == STDOUT_FILENO)
        return claim_stdout(o, option, out);
    if (out->descriptor >= 0)
        return IMP_OK;
    if (S_ISDIR(s->st_mode) || S_ISSOCK(s->st_mode))
        return imp_fail(IMP_ERR_ARGUMENT, "%s: %s: is a %s", option, out->name,
                        S_ISDIR(s->st_mode) ? "folder" : "socket");
    /* a mistyped name in /dev must not destroy a file system */
    if (S_ISBLK(s->st_mode) && !force)
        return imp_fail(IMP_ERR_EXISTS, "%s: is a disk; --force writes to it", out->name);
    if (access(out->name, W_OK))
        return imp_fail(IMP_ERR_FILE, "%s: cannot be written: %s", out->name, strerror(errno));
    return S_ISCHR(s->st_mode) ? IMP_OK : claim_output(o, option, out->name, out->name);
}

/* Creates the temporary file of a text. */
static int make_part(text_output *out, int *descriptor)
{
    return output_part_make(out->path, out->name, &out->part, descriptor);
}

/* Removes the temporary file of a text. */
static void drop_part(text_output *out)
{
    if (out->part)
        unlink(out->part);
    free(out->part);
    out->part = NULL;
}

static void unlock_part(text_output *out)
{
    if (out->lock >= 0)
        close(out->lock);
    out->lock = -1;
}

/* Checks the ending against the kind of file that the option writes. */
static int check_ending(const char *option, const char *path)
{
    static const struct {
        const char *option;
        enum ending is;
    } options[] = {{"--csv", ENDING_CSV},       {"--collide-txt", ENDING_TEXT},
                   {"--json", ENDING_JSON},     {"--counts", ENDING_HDF5},
                   {"--contours", ENDING_HDF5}, {"--regions", ENDING_HDF5}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(option, options[i].option))
            return ending_check(option, path, options[i].is);
    return IMP_OK;
}

/* The part is created and removed at once, so that a folder without write permission is an error
 * now, not after hours of computing. */
static int claim_file(outputs *o, const char *option, int force, int exists, text_output *out)
{
    int err = IMP_OK, descriptor;
    TRY(file_path_target(out->name, &out->path));
    TRY(file_path_absolute(out->name, &out->absolute));
    TRY(claim_output(o, option, out->name, out->path));
    TRY(check_ending(option, out->name));
    if (exists && !force)
        FAIL(IMP_ERR_EXISTS, "%s: exists already; --force replaces it", out->name);
    out->replace = force;
    TRY(make_part(out, &descriptor));
    close(descriptor);
    drop_part(out);
out:
    return err;
}

int outputs_text(outputs *o, const char *option, const char *path, int force, text_output *out)
{
    int err = IMP_OK;
    struct stat s;
    *out = (text_output){.descriptor = -1, .lock = -1, .name = strdup(path)};
    if (!out->name)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    int exists = !stat(path, &s);
    if (!strcmp(path, "-")) {
        free(out->name);
        out->name = strdup("standard output");
        err = out->name ? claim_stdout(o, option, out) : imp_fail(IMP_ERR_MEMORY, "out of memory");
    } else if (exists && (!S_ISREG(s.st_mode) || names_descriptor(path, &s) >= 0))
        err = claim_stream(o, option, force, &s, out);
    else
        err = claim_file(o, option, force, exists, out);
out:
    if (err)
        text_output_free(out);
    return err;
}

int outputs_hdf5(outputs *o, const char *option, const char *path, int force, text_output *out)
{
    *out = (text_output){.descriptor = -1, .lock = -1, .name = strdup(path)};
    int err = out->name ? claim_file(o, option, force, !access(path, F_OK), out)
                        : imp_fail(IMP_ERR_MEMORY, "out of memory");
    if (err)
        text_output_free(out);
    return err;
}

int outputs_json(outputs *o, const char *file, int force, text_output *out)
{
    return file ? outputs_text(o, "--json", *file ? file : "-", force, out) : IMP_OK;
}

/* An already open stream is written through a new descriptor: closing the text then reports its
 * errors, and leaves stdout as it is. */
int text_output_begin(text_output *out)
{
    int err = IMP_OK, descriptor = -1;
    if (out->descriptor >= 0) {
        fflush(stdout); /* earlier output stays before this text */
        /* 3: the text must not become a standard stream that is closed */
        descriptor = fcntl(out->descriptor, F_DUPFD_CLOEXEC, 3);
    } else if (out->path) {
        TRY(make_part(out, &descriptor));
        /* the lock of the part is shared by both descriptors: it stays until the file has its
         * name */
        out->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    } else {
        descriptor = open(out->name, O_WRONLY | O_CLOEXEC);
    }
    /* a second signal ends the program at once, and must not leave half a text */
    signals_remove(out->part, NULL);
    out->file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    /* opening a FIFO waits for its reader; a signal ends the wait */
    if (!out->file && errno == EINTR && signals_came())
        err = imp_fail(IMP_ERR_CANCELLED, "%s: stopped by a signal", out->name);
    else if (!out->file) {
        err = h5_fail(IMP_ERR_FILE, out->name, NULL, "cannot be written: %s", strerror(errno));
        if (descriptor >= 0)
            close(descriptor);
        unlock_part(out);
        drop_part(out);
    }
out:
    return err;
}

/* HDF5 creates the file itself, and only if it does not exist. */
int text_output_path(text_output *out)
{
    int descriptor = -1, err = make_part(out, &descriptor);
    if (err)
        return err;
    close(descriptor);
    unlink(out->part);
    signals_remove(out->part, NULL);
    return IMP_OK;
}

int text_output_end(text_output *out, int err)
{
    if (err && out->file)
        fclose(out->file); /* its errors no longer matter */
    else if (out->file)
        err = h5_text_close(out->name, out->file);
    out->file = NULL;
    /* HDF5 has closed its file: until it has its name, another run must not treat it as stale */
    if (!err && out->part && out->lock < 0) {
        out->lock = open(out->part, O_RDONLY | O_CLOEXEC);
        if (out->lock >= 0)
            flock(out->lock, LOCK_SH | LOCK_NB);
    }
    if (!err && out->path)
        /* the old file is replaced only when the text is complete */
        err = h5_publish(out->part, out->path, out->replace);
    if (err)
        drop_part(out);
    unlock_part(out);
    signals_remove(NULL, NULL);
    return err;
}

void text_output_free(text_output *out)
{
    free(out->name);
    free(out->path);
    free(out->absolute);
    free(out->part);
    *out = (text_output){.descriptor = -1, .lock = -1};
}

#define ENDING ".impinge.part"
#define PARTS_MOST 1000

/* Returns name number i; NULL: out of memory. */
static char *output_part_name(const char *path, unsigned i)
{
    char number[16] = "", *part;
    if (i)
        snprintf(number, sizeof number, "%u", i);
    return asprintf(&part, "%s" ENDING "%s", path, number) < 0 ? NULL : part;
}

/* Returns whether the name still refers to the open file. */
static int output_part_is_named(int f, const char *part)
{
    struct stat s, t;
    return !fstat(f, &s) && !lstat(part, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* A process that writes a part holds its lock. On file systems without locks nothing is removed. */
static void output_part_drop_stale(const char *part)
{
    struct stat s;
    int f = open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (f < 0)
        return;
    if (!fstat(f, &s) && S_ISREG(s.st_mode) && !flock(f, LOCK_EX | LOCK_NB) &&
        output_part_is_named(f, part))
        unlink(part);
    close(f);
}

/* Creates and locks a file. Another process may remove it before it is locked: then EEXIST, so that
 * the caller continues. */
static int output_part_create(const char *part)
{
    output_part_drop_stale(part);
    int f = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f < 0)
        return -1;
    flock(f, LOCK_EX | LOCK_NB);
    if (output_part_is_named(f, part))
        return f;
    close(f);
    errno = EEXIST;
    return -1;
}

/* If a name exists, it belongs to another run, and the next one is tried. */
int output_part_make(const char *path, const char *name, char **out, int *descriptor)
{
    for (unsigned i = 0; i < PARTS_MOST; i++) {
        char *part = output_part_name(path, i);
        if (!part)
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        *descriptor = output_part_create(part);
        if (*descriptor >= 0) {
            *out = part;
            return IMP_OK;
        }
        /* free() may change errno */
        int why = errno;
        free(part);
        errno = why;
        if (why != EEXIST)
            break;
    }
    return h5_fail(IMP_ERR_FILE, name, NULL, "cannot be written: %s", strerror(errno));
}

void output_part_remove_stale(const char *path)
{
    for (unsigned i = 0; i < PARTS_MOST; i++) {
        char *part = output_part_name(path, i);
        const int more = part && !access(part, F_OK);
        if (more)
            output_part_drop_stale(part);
        free(part);
        if (!more)
            return;
    }
}

/* The endings of a kind of file, and the options that write such files; NULL: no option. */
static const struct kind {
    enum ending is;
    const char *ends, *writer;
} kinds[] = {
    {ENDING_HDF5, " .vtkhdf .hdf .hdf5 .h5 ", "-o of run, convert, generate and pcs"},
    {ENDING_CSV, " .csv ", "run --csv"},
    {ENDING_TEXT, " .txt ", "run --collide-txt"},
    {ENDING_JSON, " .json ", "--json=FILE"},
    {ENDING_OTHER, " .html .htm ", "'impinge report'"},
    {ENDING_OTHER, " .svg ", "'impinge pcs', beside OUT"},
    {ENDING_OTHER,
     " .pdf .png .jpg .jpeg .gif .xlsx .xls .ods .docx .zip .gz .bz2 .xz .npy .npz .mat .xml .yaml "
     ".md .obj .mtl .stl .ply .off .vtk .vtp .vtu .vtm .pvd .pvtp .pvtu .xdmf .xmf .msh .mesh .inp "
     ".bdf .nas .exo .nc .gltf .glb .abc .mdd .pc2 .usd .usda .usdc .usdz .fbx .dae .urdf ",
     NULL},
};

static const char *const written[] = {[ENDING_HDF5] = "VTKHDF (HDF5)",
                                      [ENDING_CSV] = "a table (CSV)",
                                      [ENDING_TEXT] = "text",
                                      [ENDING_JSON] = "JSON"};

/* Returns the kind that an ending belongs to, or NULL; " .x " is a word of the list. */
static const struct kind *file_ending_kind(const char *ending)
{
    const size_t n = strlen(ending);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (const char *at = kinds[i].ends; (at = strchr(at, '.')) != NULL; at++)
            if (!strncasecmp(at, ending, n) && at[n] == ' ')
                return &kinds[i];
    return NULL;
}

int ending_check(const char *option, const char *path, enum ending is)
{
    const char *name = strrchr(path, '/'), *ending = strrchr(name ? name : path, '.');
    const struct kind *k = ending ? file_ending_kind(ending) : NULL;
    if (!k || k->is == is || (k->is == ENDING_TEXT && is != ENDING_HDF5))
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT,
                    "%s: %s: what is written here is %s, whatever its name; %s writes such files",
                    option, path, written[is], k->writer ? k->writer : "no command");
}
