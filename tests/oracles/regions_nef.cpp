/* regions_nef: the numbers of regions into which closed meshes cut each other's surfaces, by CGAL's
 * Nef polyhedra, against those that the input names.
 *
 * Each line: the number of the pair, the numbers of regions of both meshes, and the meshes
 * (nef_meshes.h). A surface without the other one, and what both surfaces have in common, are Nef
 * complexes; facets are in one region if they have a marked edge in common. Prints the lines that
 * differ, and at the end the number of pairs; ends with 1 if a line differs. */
#include "nef_meshes.h"

#include <map>
#include <sstream>

typedef Nef::Halffacet_const_handle Facet;

/* Facets that are connected. A facet is two halffacets, which are one here. */
struct Facets {
    std::map<const void *, const void *> parent;

    static const void *key(Facet f)
    {
        const void *x = &*f, *y = &*f->twin();
        return x < y ? x : y;
    }

    const void *root(const void *x)
    {
        parent.insert({x, x});
        while (parent[x] != x)
            x = parent[x] = parent[parent[x]];
        return x;
    }

    void join(Facet a, Facet b)
    {
        parent[root(key(a))] = root(key(b));
    }

    size_t count() const
    {
        size_t n = 0;
        for (const auto &x : parent)
            n += x.first == x.second;
        return n;
    }
};

/* Joins the marked facets around each marked edge. */
static size_t regions(const Nef &of)
{
    Facets facets;
    for (Nef::Halffacet_const_iterator f = of.halffacets_begin(); f != of.halffacets_end(); ++f)
        if (f->mark())
            facets.root(Facets::key(f));
    for (Nef::Halfedge_const_iterator e = of.halfedges_begin(); e != of.halfedges_end(); ++e) {
        if (!e->mark() || e->out_sedge() == Nef::SHalfedge_const_handle())
            continue;
        Facet before;
        Nef::SHalfedge_around_svertex_const_circulator s(e->out_sedge()), end(s);
        CGAL_For_all(s, end)
        {
            if (!s->facet()->mark())
                continue;
            if (before != Facet())
                facets.join(before, s->facet());
            before = s->facet();
        }
    }
    return facets.count();
}

int main()
{
    size_t pairs = 0, wrong = 0;
    for (std::string line; std::getline(std::cin, line); pairs++) {
        std::istringstream in(line);
        std::string which;
        size_t claimed[2];
        in >> which >> claimed[0] >> claimed[1];
        const Nef a = read(in).boundary(), b = read(in).boundary();
        const size_t both = regions(a * b), is[2] = {regions(a - b) + both, regions(b - a) + both};
        if (is[0] == claimed[0] && is[1] == claimed[1])
            continue;
        wrong++;
        std::cout << "pair " << which << ": " << claimed[0] << " and " << claimed[1]
                  << " regions, by CGAL " << is[0] << " and " << is[1] << "\n";
    }
    std::cout << pairs << " pairs, " << wrong << " wrong\n";
    return wrong || !pairs;
}
