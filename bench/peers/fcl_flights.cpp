/* FCL's continuous collision of two bodies of triangles, from pose to pose (flights.py):
 * fcl_flights advancement|samples. Standard input has both bodies, each with its numbers of points,
 * of triangles and of poses, then the data: x y z; three point indices; x y z of the centre with w
 * x y z of the rotation. It prints a line for each step, with the fraction of the step at which
 * they meet or 2; then the seconds of all. */
#include <chrono>
#include <cstdio>
#include <fcl/fcl.h>
#include <iostream>
#include <string>
#include <vector>

typedef fcl::BVHModel<fcl::OBBRSSd> Model;

struct Body {
    Model model;
    std::vector<fcl::Transform3d> pose;
};

static fcl::Transform3d pose_read(std::istream &in)
{
    double x, y, z, w, i, j, k;
    in >> x >> y >> z >> w >> i >> j >> k;
    fcl::Transform3d at = fcl::Transform3d::Identity();
    at.linear() = fcl::Quaterniond(w, i, j, k).toRotationMatrix();
    at.translation() = fcl::Vector3d(x, y, z);
    return at;
}

static void body_read(std::istream &in, Body &body)
{
    std::size_t points, triangles, poses;
    in >> points >> triangles >> poses;
    std::vector<fcl::Vector3d> point(points);
    std::vector<fcl::Triangle> triangle(triangles);
    for (auto &p : point)
        in >> p[0] >> p[1] >> p[2];
    for (auto &t : triangle)
        in >> t[0] >> t[1] >> t[2];
    body.model.beginModel();
    body.model.addSubModel(point, triangle);
    body.model.endModel();
    for (std::size_t i = 0; i < poses; i++)
        body.pose.push_back(pose_read(in));
}

static double step_toi(const Body &a, const Body &b, std::size_t step, fcl::CCDSolverType solver)
{
    fcl::ContinuousCollisionRequestd request(1000, 1e-6, fcl::CCDM_LINEAR, fcl::GST_LIBCCD, solver);
    fcl::ContinuousCollisionResultd result;
    fcl::continuousCollide(&a.model, a.pose[step], a.pose[step + 1], &b.model, b.pose[step],
                           b.pose[step + 1], request, result);
    return result.is_collide ? result.time_of_contact : 2;
}

int main(int argc, char **argv)
{
    const bool samples = argc > 1 && argv[1] == std::string("samples");
    Body a, b;
    body_read(std::cin, a);
    body_read(std::cin, b);
    if (!std::cin)
        return 1;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i + 1 < a.pose.size(); i++)
        std::printf(
            "%.9g\n",
            step_toi(a, b, i, samples ? fcl::CCDC_NAIVE : fcl::CCDC_CONSERVATIVE_ADVANCEMENT));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.9g\n", took.count());
}
