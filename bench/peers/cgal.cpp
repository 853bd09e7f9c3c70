/* CGAL: box_intersection_d in parallel over float64 boxes; for contacts do_intersect with exact
 * predicates. Slower than the others, and right. */
#include "peer.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/intersections.h>
#include <CGAL/version.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>

typedef CGAL::Exact_predicates_inexact_constructions_kernel Kernel;
typedef CGAL::Box_intersection_d::Box_with_info_d<double, 3, int> Numbered;

/* Boxes fewer than this are compared one by one; the default, 10, takes twice the time here. */
static const std::ptrdiff_t cutoff = 300;

static Kernel::Triangle_3 triangle(const Scene &s, int t)
{
    Kernel::Point_3 p[3];
    for (int k = 0; k < 3; k++)
        p[k] = Kernel::Point_3(s.at(t, k)[0], s.at(t, k)[1], s.at(t, k)[2]);
    return Kernel::Triangle_3(p[0], p[1], p[2]);
}

static Numbered numbered(const Scene &s, int t)
{
    Box b = s.box(t);
    return Numbered(CGAL::Bbox_3(b.lo[0], b.lo[1], b.lo[2], b.hi[0], b.hi[1], b.hi[2]), t);
}

static std::pair<double, size_t> detect(const Scene &s, bool two)
{
    std::vector<Numbered> side[2];
    side[0].reserve((size_t)s.triangles());
    for (int t = 0; t < s.triangles(); t++)
        side[two && s.object[t]].push_back(numbered(s, t));
    tbb::enumerable_thread_specific<Pairs> found;
    auto test = [&](const Numbered &x, const Numbered &y) {
        int a = x.info(), b = y.info();
        if (!s.wanted(a, b))
            return;
        if (!s.contacts || CGAL::do_intersect(triangle(s, a), triangle(s, b)))
            found.local().emplace_back(a, b);
    };
    if (two)
        CGAL::box_intersection_d<CGAL::Parallel_tag>(side[0].begin(), side[0].end(),
                                                     side[1].begin(), side[1].end(), test, cutoff);
    else
        CGAL::box_self_intersection_d<CGAL::Parallel_tag>(side[0].begin(), side[0].end(), test,
                                                          cutoff);
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
    take_turns(frame.size(), [&](size_t i) { return detect(frame[i], frame[i].two_bodies()); });
}
