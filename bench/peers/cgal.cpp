/* CGAL: box_intersection_d over float64 boxes, in parallel if there are threads; for contacts
 * do_intersect with exact predicates. Slower than the others, and right.
 *
 * With a last argument PAIRS, a file of pairs of triangles of the first frame, as int32, it prints
 * a byte for each of them instead, 1 if they meet. These triangles may be without an area. */
#include "peer.h"

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/intersections.h>
#include <CGAL/version.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <variant>

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

/* ---- pairs of a file */

/* its test of two segments constructs lines */
typedef CGAL::Exact_predicates_exact_constructions_kernel Exact;
typedef std::variant<Exact::Triangle_3, Exact::Segment_3, Exact::Point_3> Shape;

static Shape shape(const Scene &s, int t)
{
    Exact::Point_3 p[3];
    for (int k = 0; k < 3; k++)
        p[k] = Exact::Point_3(s.at(t, k)[0], s.at(t, k)[1], s.at(t, k)[2]);
    if (!CGAL::collinear(p[0], p[1], p[2]))
        return Exact::Triangle_3(p[0], p[1], p[2]);
    std::sort(p, p + 3); /* by coordinates: the ends are the first and the last one */
    return p[0] == p[2] ? Shape(p[0]) : Shape(Exact::Segment_3(p[0], p[2]));
}

static bool has_area(const Scene &s, int t)
{
    return !CGAL::collinear(corner(s, t, 0), corner(s, t, 1), corner(s, t, 2));
}

static bool meet_exactly(const Scene &s, int a, int b)
{
    if (has_area(s, a) && has_area(s, b))
        return intersect(s, a, b);
    return std::visit([](const auto &x, const auto &y) { return CGAL::do_intersect(x, y); },
                      shape(s, a), shape(s, b));
}

static int print_verdicts(const Scene &s, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        give_up("no such file of pairs");
    std::vector<int32_t> pair;
    for (int32_t p[2]; fread(p, sizeof p, 1, f) == 1;)
        pair.insert(pair.end(), p, p + 2);
    fclose(f);
    std::vector<char> verdict(pair.size() / 2);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, verdict.size(), 256), [&](const auto &r) {
        for (size_t i = r.begin(); i < r.end(); i++)
            verdict[i] = meet_exactly(s, pair[2 * i], pair[2 * i + 1]);
    });
    return fwrite(verdict.data(), 1, verdict.size(), stdout) != verdict.size();
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return puts(CGAL_VERSION_STR) < 0;
    const char *pairs = argc == 6 ? argv[5] : nullptr;
    std::vector<Scene> frame = read_frames(argc - !!pairs, argv);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads_asked(argv));
    if (pairs)
        return print_verdicts(frame[0], pairs);
    bool alone = threads_asked(argv) == 1;
    take_turns(frame.size(),
               [&](size_t i) { return detect(frame[i], frame[i].two_bodies(), alone); });
}
