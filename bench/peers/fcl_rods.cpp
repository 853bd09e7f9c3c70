/* FCL's continuous collision of a rod that turns by some angles onto a plate (rods.py):
 * conservative advancement, between the poses at both ends. fcl_rods DEGREES...: prints for each
 * angle the toi as a fraction of the turn, or 2, and the seconds of the query. */
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcl/fcl.h>
#include <memory>

typedef fcl::BVHModel<fcl::OBBRSSd> Model;

static const double thin = 1e-3, radian = std::acos(-1.0) / 180;

/* A box along the x axis, and one along the axis at 30 degrees: both begin at the origin. */
static std::shared_ptr<Model> box(double from, double to, double y, double z, double degrees)
{
    static const int corner[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7},
                                      {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                      {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    std::vector<fcl::Vector3d> point;
    std::vector<fcl::Triangle> triangle;
    const double c = std::cos(degrees * radian), s = std::sin(degrees * radian);
    for (int i = 0; i < 8; i++) {
        const double x = i & 1 ? to : from, h = i & 2 ? y : -y;
        point.emplace_back(c * x - s * h, s * x + c * h, i & 4 ? z : -z);
    }
    for (const auto &t : corner)
        triangle.emplace_back(t[0], t[1], t[2]);
    auto model = std::make_shared<Model>();
    model->beginModel();
    model->addSubModel(point, triangle);
    model->endModel();
    return model;
}

static fcl::Transform3d turned(double degrees)
{
    fcl::Transform3d at = fcl::Transform3d::Identity();
    at.linear() = Eigen::AngleAxisd(degrees * radian, fcl::Vector3d::UnitZ()).toRotationMatrix();
    return at;
}

int main(int argc, char **argv)
{
    const auto rod = box(0, 1, thin, thin, 0), plate = box(0.5, 1.5, thin, 0.5, 30);
    const fcl::Transform3d still = fcl::Transform3d::Identity();
    for (int i = 1; i < argc; i++) {
        const double angle = std::atof(argv[i]), from = 30 - 0.6 * angle;
        fcl::ContinuousCollisionRequestd request(1000, 1e-6, fcl::CCDM_SCREW, fcl::GST_LIBCCD,
                                                 fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
        fcl::ContinuousCollisionResultd result;
        const auto start = std::chrono::steady_clock::now();
        fcl::continuousCollide(rod.get(), turned(from), turned(from + angle), plate.get(), still,
                               still, request, result);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        std::printf("%.9g %.9g\n", result.is_collide ? result.time_of_contact : 2.0, took.count());
    }
}
