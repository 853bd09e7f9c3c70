/* same FILE FILE: compares the data below /VTKHDF, and the figures for contacts in /impinge, to the
 * last bit. */
#include "h5_same.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const char *how = h5_same_answers(argv[1], argv[2]);
    if (how)
        fprintf(stderr, "%s and %s differ: %s\n", argv[1], argv[2], how);
    return how != NULL;
}
