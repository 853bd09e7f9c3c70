/* Embree: rtcCollide on user geometry. Its boxes are float32, rounded outward; the callback tests
 * the exact boxes, the rules on pairs and, for contacts, triangles and tetrahedra in float64. */
#include "peer.h"

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

/* further settings of the device: the instruction set, if not all are allowed */
#ifndef EMBREE_ISA
#define EMBREE_ISA ""
#endif

/* One side of a collision query: primitives, their boxes and Embree's tree over them. */
struct Side {
    std::vector<int> id;
    std::vector<Box> box;
    RTCScene tree = nullptr;
};

struct Query {
    const Scene *scene;
    const Side *a, *b;
    tbb::enumerable_thread_specific<Pairs> found;
};

static float down(double x)
{
    float f = (float)x;
    return f > x ? std::nextafter(f, -INFINITY) : f;
}

static void bounds(const RTCBoundsFunctionArguments *args)
{
    const Box &b = ((const Side *)args->geometryUserPtr)->box[args->primID];
    RTCBounds *out = args->bounds_o;
    out->lower_x = down(b.lo[0]);
    out->lower_y = down(b.lo[1]);
    out->lower_z = down(b.lo[2]);
    out->upper_x = -down(-b.hi[0]);
    out->upper_y = -down(-b.hi[1]);
    out->upper_z = -down(-b.hi[2]);
}

static void collide(void *user, RTCCollision *hit, unsigned count)
{
    Query &q = *(Query *)user;
    Pairs &found = q.found.local();
    for (unsigned i = 0; i < count; i++) {
        unsigned x = hit[i].primID0, y = hit[i].primID1;
        if (q.a == q.b && x >= y)
            continue;
        int a = q.a->id[x], b = q.b->id[y];
        if (!overlap(q.a->box[x], q.b->box[y]) || !q.scene->wanted(a, b))
            continue;
        if (!q.scene->contacts || meet(*q.scene, a, b))
            found.emplace_back(a, b);
    }
}

static void fill_boxes(const Scene &s, Side &side)
{
    side.box.resize(side.id.size());
    tbb::parallel_for(tbb::blocked_range<size_t>(0, side.box.size(), 1024), [&](const auto &r) {
        for (size_t i = r.begin(); i < r.end(); i++)
            side.box[i] = s.box(side.id[i]);
    });
}

/* Low quality, a Morton build, is the fastest in total for trees that are queried once. */
static void build(RTCDevice device, Side &side)
{
    side.tree = rtcNewScene(device);
    rtcSetSceneBuildQuality(side.tree, RTC_BUILD_QUALITY_LOW);
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(g, RTC_BUILD_QUALITY_LOW);
    rtcSetGeometryUserPrimitiveCount(g, (unsigned)side.box.size());
    rtcSetGeometryUserData(g, &side);
    rtcSetGeometryBoundsFunction(g, bounds, nullptr);
    rtcCommitGeometry(g);
    rtcAttachGeometry(side.tree, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(side.tree);
}

/* the sides of a frame: two bodies, or all primitives as one */
struct Sides {
    bool two;
    Side side[2];

    explicit Sides(const Scene &s) : two(s.two_bodies())
    {
        for (int t = 0; t < s.primitives(); t++)
            side[two && s.object[t]].id.push_back(t);
    }
};

static std::pair<double, size_t> detect(RTCDevice device, const Scene &s, Side side[2], bool two)
{
    Query q{&s, &side[0], &side[two], {}};
    for (int i = 0; i <= two; i++) {
        fill_boxes(s, side[i]);
        build(device, side[i]);
    }
    rtcCollide(q.a->tree, q.b->tree, collide, &q);
    size_t pairs = 0;
    for (const Pairs &p : q.found)
        pairs += p.size();
    double end = now();
    for (int i = 0; i <= two; i++)
        rtcReleaseScene(side[i].tree);
    return {end, pairs};
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return puts(RTC_VERSION_STRING) < 0;
    std::vector<Scene> frame = read_frames(argc, argv);
    std::vector<Sides> of(frame.begin(), frame.end());
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads_asked(argv));
    char config[64];
    snprintf(config, sizeof config, "threads=%zu,set_affinity=0," EMBREE_ISA, threads_asked(argv));
    RTCDevice device = rtcNewDevice(config);
    if (!device)
        give_up("Embree has no device");
    take_turns(frame.size(),
               [&](size_t i) { return detect(device, frame[i], of[i].side, of[i].two); });
    rtcReleaseDevice(device);
}
