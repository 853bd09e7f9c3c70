/* relations_nef: the relations of pairs of closed meshes by CGAL's Nef polyhedra, against those
 * that the input names.
 *
 * Each line: the number of the pair, the relation's name, and of both meshes the number of
 * vertices, that of triangles, x y z of each vertex, and three vertices of each triangle, outside
 * counter-clockwise. Meshes are 2-manifolds that do not meet themselves. Prints the lines that
 * differ, and at the end the number of pairs; ends with 1 if a line differs. */
#include "nef_meshes.h"

#include <sstream>

static std::string relation(const Nef &a, const Nef &b)
{
    const Nef within_a = a.interior(), within_b = b.interior();
    if ((within_a * within_b).is_empty())
        return (a * b).is_empty() ? "apart" : "touching";
    if ((within_a - b).is_empty())
        return "a_in_b";
    return (within_b - a).is_empty() ? "b_in_a" : "crossing";
}

int main()
{
    size_t pairs = 0, wrong = 0;
    for (std::string line; std::getline(std::cin, line); pairs++) {
        std::istringstream in(line);
        std::string which, claimed;
        in >> which >> claimed;
        const Nef a = read(in), b = read(in);
        const std::string is = relation(a, b);
        if (is == claimed)
            continue;
        wrong++;
        std::cout << "pair " << which << ": " << claimed << ", by CGAL " << is << "\n";
    }
    std::cout << pairs << " pairs, " << wrong << " wrong\n";
    return wrong || !pairs;
}
