/* FCL and Coal, whose BVHModel is the same: a tree of boxes for each of two bodies, and all pairs of
 * their triangles that meet. Both trees are built each time. They have one thread.
 *
 * Coal's narrow test is GJK with a tolerance, so that it finds a few more pairs. */
#include "peer.h"

#include <memory>

#ifdef PEER_COAL
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/config.hh>
namespace lib = coal;
typedef coal::AABB Volume;
typedef coal::Vec3s Point;
typedef coal::Transform3s Place;
typedef coal::CollisionResult Result;
static const char version[] = COAL_VERSION;

static coal::CollisionRequest all_contacts()
{
    return coal::CollisionRequest(coal::CONTACT, 1u << 30);
}
#else
#include <fcl/fcl.h>
namespace lib = fcl;
typedef fcl::AABBd Volume;
typedef fcl::Vector3d Point;
typedef fcl::CollisionResultd Result;
struct Place : fcl::Transform3d {
    Place() : fcl::Transform3d(fcl::Transform3d::Identity())
    {
    }
};
static const char version[] = FCL_VERSION;

static fcl::CollisionRequestd all_contacts()
{
    return fcl::CollisionRequestd(1u << 30, false);
}
#endif

typedef lib::BVHModel<Volume> Model;

/* A body in its library's format, with vertices of its own. */
struct Body {
    std::vector<Point> point;
    std::vector<lib::Triangle> triangle;

    Body(const Scene &s, int object)
    {
        std::vector<int> number(s.point.size() / 3, -1);
        for (int t = 0; t < s.triangles; t++) {
            int own[3];
            if (s.object[t] != object)
                continue;
            for (int k = 0; k < 3; k++) {
                int &n = number[s.corners(t)[k]];
                if (n < 0) {
                    n = (int)point.size();
                    point.emplace_back(s.at(t, k)[0], s.at(t, k)[1], s.at(t, k)[2]);
                }
                own[k] = n;
            }
            triangle.emplace_back(own[0], own[1], own[2]);
        }
    }

    std::shared_ptr<Model> model() const
    {
        auto m = std::make_shared<Model>();
        m->beginModel((int)triangle.size(), (int)point.size());
        m->addSubModel(point, triangle);
        m->endModel();
        return m;
    }
};

static std::pair<double, size_t> detect(const Body &a, const Body &b)
{
    auto first = a.model(), second = b.model();
    Result found;
    lib::collide(first.get(), Place(), second.get(), Place(), all_contacts(), found);
    return {now(), found.numContacts()};
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return puts(version) < 0;
    std::vector<Scene> frame = read_frames(argc, argv);
    std::vector<std::pair<Body, Body>> bodies;
    for (const Scene &s : frame) {
        if (!s.two_bodies() || !s.contacts)
            give_up("only contacts of two bodies can be asked");
        bodies.emplace_back(Body(s, 0), Body(s, 1));
    }
    take_turns(frame.size(), [&](size_t i) { return detect(bodies[i].first, bodies[i].second); });
}
