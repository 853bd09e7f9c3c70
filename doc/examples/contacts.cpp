// contacts.cpp: the contacts of two squares, collected in a vector.
#include <impinge.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

struct Contact {
    std::uint32_t a, b;
    std::array<double, 6> ends;
};

static void check(int err)
{
    if (err)
        throw std::runtime_error(imp_error_text());
}

// A sink is a function of C: no exception may leave it.
static int collect(void *user, const imp_contacts *c) noexcept
try {
    auto &all = *static_cast<std::vector<Contact> *>(user);
    for (std::size_t i = 0; i < c->count; i++) {
        const double *p = c->points + 6 * i;
        all.push_back({c->a[i], c->b[i], {p[0], p[1], p[2], p[3], p[4], p[5]}});
    }
    return 0;
} catch (const std::exception &e) {
    return imp_set_error(IMP_ERR_MEMORY, e.what());
}

int main()
{
    const std::vector<double> point{0, 0, 0,  4, 0, 0,  4, 4, 0, 0, 4, 0,
                                    1, 2, -1, 3, 2, -1, 3, 2, 1, 1, 2, 1};
    const std::vector<std::uint32_t> triangle{0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    imp_mesh mesh{};
    mesh.vertices = 8;
    mesh.primitives = 4;
    mesh.corner = triangle.data();
    imp_frame frame{};
    frame.mesh = &mesh;
    frame.point = point.data();

    imp_def def{};
    def.device = "cpu";
    imp *made = nullptr;
    check(imp_create(&def, &made));
    const std::unique_ptr<imp, decltype(&imp_destroy)> pipeline(made, imp_destroy);
    std::vector<Contact> found;
    check(imp_detect(pipeline.get(), &frame, 1, collect, &found, nullptr));
    for (const Contact &c : found)
        std::printf("%u meets %u at x = %g to %g\n", c.a, c.b, c.ends[0], c.ends[3]);
}
