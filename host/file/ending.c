/* See ending.h. */
#include "ending.h"

#include "error.h"

#include <string.h>
#include <strings.h>

/* The endings of a kind of file, and what writes such files; NULL: nothing here. */
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
     ".bdf .nas .exo .nc .gltf .glb .abc .usd .fbx .dae .urdf ",
     NULL},
};

static const char *const written[] = {[ENDING_HDF5] = "VTKHDF (HDF5)",
                                      [ENDING_CSV] = "a table (CSV)",
                                      [ENDING_TEXT] = "text",
                                      [ENDING_JSON] = "JSON"};

/* The kind that an ending belongs to, or NULL; " .x " is a word of the list. */
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
