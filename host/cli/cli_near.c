/* The word that was probably meant: the one with the fewest letters omitted, added, exchanged or
 * swapped. */
#include "cli.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LONGEST 32 /* no verb and no option is longer */

/* Capitals do not matter: Run is run. */
static int cli_near_same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t cli_near_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: rows of the table for i - 2, i - 1 and i letters of a. */
static size_t cli_near_edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][LONGEST + 1];
    for (size_t k = 0; k <= m; k++)
        row[0][k] = k;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        now[0] = i;
        for (size_t k = 1; k <= m; k++) {
            now[k] = cli_near_least(up[k], now[k - 1]) + 1;
            now[k] = cli_near_least(now[k], up[k - 1] + !cli_near_same_letter(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && cli_near_same_letter(a[i - 1], b[k - 2]) &&
                cli_near_same_letter(a[i - 2], b[k - 1]))
                now[k] = cli_near_least(now[k], up2[k - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* The first of several candidates at the same distance stays. */
void cli_near_try(cli_near *n, const char *candidate)
{
    size_t length = strlen(candidate);
    if (n->length > LONGEST || length > LONGEST || n->length < 2)
        return;
    /* short words allow one wrong letter: with two almost any verb would be near */
    size_t d = cli_near_edit_distance(n->word, n->length, candidate, length),
           most = length < 6 ? 1 : 2;
    if (n->length >= 3 && !strncasecmp(n->word, candidate, n->length))
        d = d < most ? d : most; /* its beginning */
    if (d <= most && (!n->best || d < n->distance)) {
        n->best = candidate;
        n->distance = d;
    }
}
