/* relations_nef: the relations of pairs of closed meshes by CGAL's Nef polyhedra, against those
 * that the input names.
 *
 * Each line: the number of the pair, the relation's name, and of both meshes the number of
 * vertices, that of triangles, x y z of each vertex, and three vertices of each triangle, outside
 * counter-clockwise. Meshes are 2-manifolds that do not meet themselves. Prints the lines that
 * differ, and at the end the number of pairs; ends with 1 if a line differs. */
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Nef_polyhedron_3.h>
#include <CGAL/Polyhedron_3.h>
#include <CGAL/Polyhedron_incremental_builder_3.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

typedef CGAL::Exact_predicates_exact_constructions_kernel Kernel;
typedef CGAL::Polyhedron_3<Kernel> Polyhedron;
typedef CGAL::Nef_polyhedron_3<Kernel> Nef;

static double number(std::istream &in)
{
    std::string word;
    if (!(in >> word)) {
        std::cerr << "a line is too short\n";
        exit(2);
    }
    return strtod(word.c_str(), nullptr); /* hexadecimal, too */
}

struct Builder : CGAL::Modifier_base<Polyhedron::HalfedgeDS> {
    std::vector<double> point;
    std::vector<size_t> corner;

    explicit Builder(std::istream &in)
    {
        const size_t vertices = (size_t)number(in), triangles = (size_t)number(in);
        for (size_t i = 0; i < 3 * vertices; i++)
            point.push_back(number(in));
        for (size_t i = 0; i < 3 * triangles; i++)
            corner.push_back((size_t)number(in));
    }

    void operator()(Polyhedron::HalfedgeDS &hds)
    {
        CGAL::Polyhedron_incremental_builder_3<Polyhedron::HalfedgeDS> b(hds, true);
        b.begin_surface(point.size() / 3, corner.size() / 3);
        for (size_t i = 0; i < point.size(); i += 3)
            b.add_vertex(Kernel::Point_3(point[i], point[i + 1], point[i + 2]));
        for (size_t i = 0; i < corner.size(); i += 3)
            b.add_facet(corner.begin() + (long)i, corner.begin() + (long)i + 3);
        b.end_surface();
    }
};

static Nef read(std::istream &in)
{
    Builder builder(in);
    Polyhedron p;
    p.delegate(builder);
    if (!p.is_valid() || !p.is_closed()) {
        std::cerr << "a mesh is no closed 2-manifold\n";
        exit(2);
    }
    return Nef(p);
}

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
