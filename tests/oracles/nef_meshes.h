/* Closed meshes as CGAL's Nef polyhedra: of a line of text as solid_print of tests/lib writes it.
 * Meshes are 2-manifolds that do not meet themselves. */
#ifndef NEF_MESHES_H
#define NEF_MESHES_H

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

inline double number(std::istream &in)
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

inline Nef read(std::istream &in)
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

#endif
