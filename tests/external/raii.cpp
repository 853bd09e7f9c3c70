/* The library from C++11: a pipeline that is destroyed with its scope, a sink that is any callable,
 * and errors as exceptions. No exception crosses a function of the library: one thrown by a sink is
 * rethrown after imp_detect has returned. */
#include <impinge.h>

#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class imp_failure : public std::runtime_error
{
  public:
    explicit imp_failure(int code) : std::runtime_error(imp_error_text()), code_(code)
    {
    }
    int code() const
    {
        return code_;
    }

  private:
    int code_;
};

class pipeline
{
  public:
    using sink = std::function<int(const imp_contacts &)>; /* nonzero: stops the run */

    explicit pipeline(const imp_def &def) : p_(nullptr)
    {
        check(imp_create(&def, &p_));
    }
    ~pipeline()
    {
        imp_destroy(p_);
    }
    pipeline(pipeline &&other) noexcept : p_(other.p_)
    {
        other.p_ = nullptr;
    }
    pipeline &operator=(pipeline &&other) noexcept
    {
        std::swap(p_, other.p_);
        return *this;
    }
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;

    std::vector<imp_frame_info> detect(const std::vector<imp_frame> &frames, const sink &take)
    {
        std::vector<imp_frame_info> info(frames.size());
        call c = {take, nullptr};
        int err = imp_detect(p_, frames.data(), frames.size(), pass_on, &c, info.data());
        if (c.thrown)
            std::rethrow_exception(c.thrown);
        check(err);
        return info;
    }

    std::string device() const
    {
        return imp_device_name(p_);
    }

  private:
    struct call {
        const sink &take;
        std::exception_ptr thrown;
    };

    static int pass_on(void *user, const imp_contacts *contacts) noexcept
    {
        call *c = static_cast<call *>(user);
        try {
            return c->take(*contacts);
        } catch (...) {
            c->thrown = std::current_exception();
            return IMP_ERR_CANCELLED;
        }
    }

    static void check(int err)
    {
        if (err)
            throw imp_failure(err);
    }

    imp *p_;
};

static const double point[] = {0, 0, 0,  4, 0, 0, 0, 4, 0,  /* in the plane z = 0 */
                               1, 1, -1, 1, 1, 1, 3, 1, 1,  /* through it */
                               9, 9, 9,  9, 9, 8, 8, 9, 9}; /* far away */
static const std::uint32_t triangle[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static std::vector<imp_frame> make_frames(const imp_mesh &mesh)
{
    imp_frame frame = imp_frame(); /* all zero */
    frame.mesh = &mesh;
    frame.point = point;
    frame.type = IMP_FLOAT64;
    return std::vector<imp_frame>(2, frame);
}

/* Checks how each kind of run ends, as seen by the caller; true if all are correct. */
static bool ends_well(pipeline &p, const std::vector<imp_frame> &frames)
{
    std::vector<std::array<std::uint32_t, 2>> pairs;
    std::vector<imp_frame_info> info = p.detect(frames, [&](const imp_contacts &c) {
        for (std::size_t i = 0; i < c.count; i++)
            pairs.push_back({{c.a[i], c.b[i]}});
        return 0;
    });
    return pairs.size() == 2 && pairs[0][0] == 0 && pairs[0][1] == 1 && info[1].contacts == 1;
}

static bool ends_with_code(pipeline &p, const std::vector<imp_frame> &frames)
{
    try {
        p.detect(frames, [](const imp_contacts &) { return imp_set_error(7, "enough"); });
    } catch (const imp_failure &e) {
        return e.code() == 7 && std::string(e.what()) == "enough";
    }
    return false;
}

static bool ends_with_exception(pipeline &p, const std::vector<imp_frame> &frames)
{
    try {
        p.detect(frames, [](const imp_contacts &) -> int { throw std::out_of_range("mine"); });
    } catch (const std::out_of_range &e) {
        return std::string(e.what()) == "mine";
    }
    return false;
}

static bool bad_option()
{
    imp_def def = imp_def();
    def.dop_k = 7;
    try {
        pipeline p(def);
    } catch (const imp_failure &e) {
        return e.code() == IMP_ERR_ARGUMENT;
    }
    return false;
}

int main()
{
    imp_mesh mesh = imp_mesh();
    mesh.vertices = 9;
    mesh.primitives = 3;
    mesh.corner = triangle;
    static const std::int32_t bodies[][2] = {{0, 0}};
    imp_def def = imp_def();
    def.device = "cpu";
    def.adjacent = IMP_ADJACENT_TEST;
    def.object_pair = bodies;
    def.object_pairs = 1;
    try {
        pipeline first(def), p(std::move(first));
        std::vector<imp_frame> frames = make_frames(mesh);
        bool good = ends_well(p, frames) && ends_with_code(p, frames) &&
                    ends_with_exception(p, frames) && ends_well(p, frames) && bad_option();
        std::printf("%s: %s\n", p.device().c_str(), good ? "as it should be" : "wrong");
        return good ? 0 : 1;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
