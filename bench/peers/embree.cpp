/* Embree: rtcCollide on user geometry. Its boxes are float32, rounded outward; the callback tests
 * the exact boxes, the rules on pairs and, for contacts, triangles and tetrahedra in float64.
 *
 * With a last argument `refit` the trees of the first frame are made before the time begins. They
 * are refitted to the boxes of the later frames, which have the same primitives; the tree of a body
 * that has not moved since the frame before stays as it is. */
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
    RTCGeometry geometry = nullptr; /* of the tree, as long as that lives */
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

/* Low quality, a Morton build, is the fastest in total for trees that are queried once. A tree that
 * is to be refitted is built by surface areas first, and needs a scene that keeps its builder. */
static void build(RTCDevice device, Side &side, bool refit)
{
    side.tree = rtcNewScene(device);
    rtcSetSceneBuildQuality(side.tree, RTC_BUILD_QUALITY_LOW);
    if (refit)
        rtcSetSceneFlags(side.tree, RTC_SCENE_FLAG_DYNAMIC);
    side.geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(side.geometry,
                               refit ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_LOW);
    rtcSetGeometryUserPrimitiveCount(side.geometry, (unsigned)side.box.size());
    rtcSetGeometryUserData(side.geometry, &side);
    rtcSetGeometryBoundsFunction(side.geometry, bounds, nullptr);
    rtcCommitGeometry(side.geometry);
    rtcAttachGeometry(side.tree, side.geometry);
    rtcReleaseGeometry(side.geometry);
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

static size_t collide(const Scene &s, const Side &a, const Side &b)
{
    Query q{&s, &a, &b, {}};
    rtcCollide(a.tree, b.tree, collide, &q);
    size_t pairs = 0;
    for (const Pairs &p : q.found)
        pairs += p.size();
    return pairs;
}

static std::pair<double, size_t> detect(RTCDevice device, const Scene &s, Side side[2], bool two)
{
    for (int i = 0; i <= two; i++) {
        fill_boxes(s, side[i]);
        build(device, side[i], false);
    }
    size_t pairs = collide(s, side[0], side[two]);
    double end = now();
    for (int i = 0; i <= two; i++)
        rtcReleaseScene(side[i].tree);
    return {end, pairs};
}

static bool moved(const Scene &s, const Scene &before, const Side &side)
{
    for (int t : side.id)
        for (int k = 0; k < 3 + s.solid(t); k++)
            if (memcmp(s.at(t, k), before.at(t, k), 3 * sizeof(double)))
                return true;
    return false;
}

/* Trees that are refitted, and which of them each frame moves. */
struct Fitted {
    Sides &of;
    std::vector<std::pair<bool, bool>> moves;

    Fitted(RTCDevice device, const std::vector<Scene> &frame, Sides &sides) : of(sides)
    {
        for (int i = 0; i <= of.two; i++) {
            fill_boxes(frame.back(), of.side[i]);
            build(device, of.side[i], true);
        }
        const Scene *before = &frame.back(); /* the first frame comes after the last */
        for (const Scene &s : frame) {
            moves.emplace_back(moved(s, *before, of.side[0]), moved(s, *before, of.side[1]));
            before = &s;
        }
    }

    std::pair<double, size_t> detect(const Scene &s, std::pair<bool, bool> move)
    {
        for (int i = 0; i <= of.two; i++)
            if (i ? move.second : move.first) {
                fill_boxes(s, of.side[i]);
                rtcCommitGeometry(of.side[i].geometry);
                rtcCommitScene(of.side[i].tree);
            }
        size_t pairs = collide(s, of.side[0], of.side[of.two]);
        return {now(), pairs};
    }
};

int main(int argc, char **argv)
{
    if (argc == 1)
        return puts(RTC_VERSION_STRING) < 0;
    bool refit = argc == 6 && !strcmp(argv[5], "refit");
    std::vector<Scene> frame = read_frames(argc - refit, argv);
    std::vector<Sides> of(frame.begin(), frame.end());
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads_asked(argv));
    char config[64];
    snprintf(config, sizeof config, "threads=%zu,set_affinity=0," EMBREE_ISA, threads_asked(argv));
    RTCDevice device = rtcNewDevice(config);
    if (!device)
        give_up("Embree has no device");
    if (refit) {
        Fitted fitted(device, frame, of[0]);
        take_turns(frame.size(),
                   [&](size_t i) { return fitted.detect(frame[i], fitted.moves[i]); });
    } else
        take_turns(frame.size(),
                   [&](size_t i) { return detect(device, frame[i], of[i].side, of[i].two); });
    rtcReleaseDevice(device);
}
