/* nearest: generated pairs of primitives, and the oracle's judgement of claims about them, for
 * nearest.py. Numbers are in hexadecimal.
 *
 *   nearest cases N   prints N pairs of each class, each in a line: the class, a distance, the
 * corners of both, and for each corner the vertex number and x y z nearest check     reads lines:
 * such a pair without its class, and a claim: kind, features, distance, weights, points, normal.
 * Prints for each whether the pair is within the distance, and the fault of the claim or "right" */
#include "nearest_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void nearest_main_print(int class, uint64_t i)
{
    nearest_case c;
    double distance;
    nearest_case_make(class, i, &c, &distance);
    printf("%d %a %d %d", class, distance, c.of.corners[0], c.of.corners[1]);
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < c.of.corners[s]; v++)
            printf(" %u %a %a %a", c.vertex[s][v], c.of.x[s][v][0], c.of.x[s][v][1],
                   c.of.x[s][v][2]);
    printf("\n");
}

/* The next number of the line. */
static double nearest_main_number(char **at)
{
    char *end;
    const double x = strtod(*at, &end);
    if (end == *at) {
        fprintf(stderr, "a line is too short\n");
        exit(1);
    }
    *at = end;
    return x;
}

static void nearest_main_read(char *line, nearest_case *c, double *distance, nearest_claim *claim)
{
    char **at = &line;
    *distance = nearest_main_number(at);
    for (int s = 0; s < 2; s++)
        c->of.corners[s] = (int)nearest_main_number(at);
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < c->of.corners[s]; v++) {
            c->vertex[s][v] = (uint32_t)nearest_main_number(at);
            for (int k = 0; k < 3; k++)
                c->of.x[s][v][k] = nearest_main_number(at);
        }
    claim->kind = (int)nearest_main_number(at);
    for (int s = 0; s < 2; s++)
        claim->feature[s] = (int64_t)nearest_main_number(at);
    claim->distance = nearest_main_number(at);
    for (int i = 0; i < 8; i++)
        claim->weight[i / 4][i % 4] = nearest_main_number(at);
    for (int i = 0; i < 6; i++)
        claim->point[i] = nearest_main_number(at);
    for (int k = 0; k < 3; k++)
        claim->normal[k] = nearest_main_number(at);
}

int main(int argc, char **argv)
{
    char line[4096];
    if (argc == 3 && !strcmp(argv[1], "cases"))
        for (int class = 0; nearest_class_names[class]; class ++)
            for (uint64_t i = 0; i < strtoull(argv[2], NULL, 10); i++)
                nearest_main_print(class, i);
    while (argc == 2 && !strcmp(argv[1], "check") && fgets(line, sizeof line, stdin)) {
        nearest_case c = {0};
        nearest_claim claim;
        double distance;
        nearest_main_read(line, &c, &distance, &claim);
        const int within = oracle_prims_within(&c.of, distance);
        const char *fault = oracle_nearest_fault(&c, &claim);
        printf("%d %s\n", within, fault ? fault : "right");
    }
    return argc < 2;
}
