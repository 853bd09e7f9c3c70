/* CGAL: box_intersection_d over float64 boxes, in parallel if there are threads; for contacts
 * do_intersect with exact predicates. Slower than the others, and right. */
#include "peer.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/intersections.h>
#include <CGAL/version.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>

typedef CGAL::Exact_predicates_inexact_constructions_kernel Kernel;
typedef CGAL::Box_intersection_d::Box_with_info_d<double, 3, int> Numbered;

/* Fewer boxes than this are compared one by one; with the default, 10, the time here is doubled. */
static const std::ptrdiff_t cutoff = 300;

static Kernel::Point_3 corner(const Scene &s, int t, int k)
{
    return Kernel::Point_3(s.at(t, k)[0], s.at(t, k)[1], s.at(t, k)[2]);
}

static Kernel::Triangle_3 triangle(const Scene &s, int t)
{
    return Kernel::Triangle_3(corner(s, t, 0), corner(s, t, 1), corner(s, t, 2));
}

static Kernel::Tetrahedron_3 solid(const Scene &s, int t)
{
    return Kernel::Tetrahedron_3(corner(s, t, 0), corner(s, t, 1), corner(s, t, 2),
                                 corner(s, t, 3));
}

/* a, which may be a tetrahedron, and the triangle b */
static bool intersect(const Scene &s, int a, int b)
{
    return s.solid(a) ? CGAL::do_intersect(solid(s, a), triangle(s, b))
                      : CGAL::do_intersect(triangle(s, a), triangle(s, b));
}

static Numbered numbered(const Scene &s, int t)
{
    Box b = s.box(t);
    return Numbered(CGAL::Bbox_3(b.lo[0], b.lo[1], b.lo[2], b.hi[0], b.hi[1], b.hi[2]), t);
}

static std::pair<double, size_t> detect(const Scene &s, bool two, bool alone)
{
    std::vector<Numbered> side[2];
    side[0].reserve((size_t)s.primitives());
    for (int t = 0; t < s.primitives(); t++)
        side[two && s.object[t]].push_back(numbered(s, t));
    tbb::enumerable_thread_specific<Pairs> found;
    auto test = [&](const Numbered &x, const Numbered &y) {
        int a = x.info(), b = y.info();
        if (s.wanted(a, b) && (!s.contacts || intersect(s, a, b)))
            found.local().emplace_back(a, b);
    };
    auto ask = [&](auto how) {
        typedef decltype(how) Tag;
        auto &a = side[0], &b = side[1];
        if (two)
            CGAL::box_intersection_d<Tag>(a.begin(), a.end(), b.begin(), b.end(), test, cutoff);
        else
            CGAL::box_self_intersection_d<Tag>(a.begin(), a.end(), test, cutoff);
    };
    if (alone)
        ask(CGAL::Sequential_tag());
    else
        ask(CGAL::Parallel_tag());
    size_t pairs = 0;
    for (const Pairs &p : found)
        pairs += p.size();
    return {now(), pairs};
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return puts(CGAL_VERSION_STR) < 0;
    std::vector<Scene> frame = read_frames(argc, argv);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads_asked(argv));
    bool alone = threads_asked(argv) == 1;
    take_turns(frame.size(),
               [&](size_t i) { return detect(frame[i], frame[i].two_bodies(), alone); });
}
