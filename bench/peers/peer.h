/* Code that the C++ peers share: the scene, the turns, a triangle test in float64.
 *
 * A peer is a program: peer SCENE candidates|contacts|grown all|between THREADS. `grown` are the
 * candidates of boxes enlarged by the largest float32 rounding. A peer reads the scene, does its
 * work once, frame after frame, prints "seconds pairs" of all frames together, and repeats this for
 * each line on stdin. `bench_job bench --paced` behaves the same. Without arguments a peer prints
 * the version of its library. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

typedef std::vector<std::pair<int, int>> Pairs;

inline void give_up(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* ---- the scene: scenes.py writes each frame as int64 vertices, triangles, tetrahedra; float64
 * points; int32 corners of triangles, of tetrahedra; objects of triangles, of tetrahedra */

struct Box {
    double lo[3], hi[3];
};

inline bool overlap(const Box &a, const Box &b)
{
    for (int k = 0; k < 3; k++)
        if (a.lo[k] > b.hi[k] || b.lo[k] > a.hi[k])
            return false;
    return true;
}

/* Primitives are triangles, followed by tetrahedra. */
struct Scene {
    std::vector<double> point;
    std::vector<int> corner, corner4, object;
    int triangles;
    bool contacts, between;
    double grow = 0; /* margin of boxes on each side */

    /* the next frame of the file */
    Scene(FILE *f, const int64_t size[3], char **argv)
        : triangles((int)size[1]), contacts(!strcmp(argv[2], "contacts")),
          between(!strcmp(argv[3], "between"))
    {
        read(f, point, 3 * size[0]);
        read(f, corner, 3 * size[1]);
        read(f, corner4, 4 * size[2]);
        read(f, object, size[1] + size[2]);
        for (int t = 0; !corner4.empty() && t < primitives(); t++)
            if (!between || object[t] == solid(t))
                give_up("tetrahedra are asked, as object 0, against triangles of object 1");
        if (!strcmp(argv[2], "grown"))
            grow = half_extent() * 0x1p-22; /* float32 of the frame's size, rounded outward */
    }

    int primitives() const
    {
        return (int)object.size();
    }

    bool solid(int t) const
    {
        return t >= triangles;
    }

    const int *corners(int t) const
    {
        return solid(t) ? &corner4[4 * (size_t)(t - triangles)] : &corner[3 * (size_t)t];
    }

    const double *at(int t, int k) const
    {
        return &point[3 * (size_t)corners(t)[k]];
    }

    bool share_vertex(int a, int b) const
    {
        const int *x = corners(a), *y = corners(b);
        for (int i = 0; i < 3 + solid(a); i++)
            if (x[i] == y[0] || x[i] == y[1] || x[i] == y[2] || (solid(b) && x[i] == y[3]))
                return true;
        return false;
    }

    bool wanted(int a, int b) const
    {
        return (!between || object[a] != object[b]) && !share_vertex(a, b);
    }

    /* True for two bodies, which some libraries can test against each other. */
    bool two_bodies() const
    {
        return between && *std::max_element(object.begin(), object.end()) == 1;
    }

    Box box(int t) const
    {
        const int corners = 3 + solid(t);
        const double *a = at(t, 0);
        Box r = {{a[0], a[1], a[2]}, {a[0], a[1], a[2]}};
        for (int i = 1; i < corners; i++) {
            a = at(t, i);
            for (int k = 0; k < 3; k++) {
                r.lo[k] = std::min(r.lo[k], a[k]);
                r.hi[k] = std::max(r.hi[k], a[k]);
            }
        }
        for (int k = 0; k < 3; k++) {
            r.lo[k] -= grow;
            r.hi[k] += grow;
        }
        return r;
    }

  private:
    double half_extent() const
    {
        double most = 0;
        for (size_t k = 0; k < 3 && !point.empty(); k++) {
            double lo = point[k], hi = point[k];
            for (size_t i = k; i < point.size(); i += 3) {
                lo = std::min(lo, point[i]);
                hi = std::max(hi, point[i]);
            }
            most = std::max(most, hi / 2 - lo / 2);
        }
        return most;
    }

    template <class T> static void read(FILE *f, std::vector<T> &v, int64_t n)
    {
        v.resize((size_t)n);
        if (fread(v.data(), sizeof(T), v.size(), f) != v.size())
            give_up("the scene is cut off");
    }
};

/* all frames */
inline std::vector<Scene> read_frames(int argc, char **argv)
{
    if (argc != 5)
        give_up("usage: peer SCENE candidates|contacts|grown all|between THREADS");
    FILE *f = fopen(argv[1], "rb");
    if (!f)
        give_up("no such scene");
    std::vector<Scene> frame;
    for (int64_t size[3]; fread(size, sizeof size, 1, f) == 1;)
        frame.emplace_back(f, size, argv);
    fclose(f);
    if (frame.empty())
        give_up("the scene is cut off");
    return frame;
}

inline size_t threads_asked(char **argv)
{
    return (size_t)atoi(argv[4]);
}

/* ---- turns */

inline double now()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/* Runs work(i) for each frame i; it returns its end time and the number of pairs in memory at that
 * time. */
template <class Work> void take_turns(size_t frames, Work work)
{
    for (int c = '\n'; c != EOF; c = getchar()) {
        if (c != '\n')
            continue;
        double seconds = 0;
        size_t pairs = 0;
        for (size_t i = 0; i < frames; i++) {
            double start = now();
            std::pair<double, size_t> done = work(i);
            seconds += done.first - start;
            pairs += done.second;
        }
        printf("%.9f %zu\n", seconds, pairs);
        fflush(stdout);
    }
}

/* ---- triangle-triangle test: Moller's intervals on the line of the two planes, in plain float64:
 * right for scenes in general position, like those of the benchmark. Coplanar triangles never meet.
 */

struct Vec {
    double x[3];
    double operator[](int k) const
    {
        return x[k];
    }
};

inline Vec minus(const double *a, const double *b)
{
    return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}

inline Vec cross(const Vec &a, const Vec &b)
{
    return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

inline double dot(const Vec &a, const Vec &b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Heights of the corners q over the plane of p; false if all are on one side. */
inline bool heights(const double *const p[3], const double *const q[3], Vec &normal, double h[3])
{
    normal = cross(minus(p[1], p[0]), minus(p[2], p[0]));
    for (int i = 0; i < 3; i++)
        h[i] = dot(normal, minus(q[i], p[0]));
    return !(h[0] > 0 && h[1] > 0 && h[2] > 0) && !(h[0] < 0 && h[1] < 0 && h[2] < 0);
}

/* The corner that is alone on its side of the plane, or on the plane. */
inline int lonely_corner(const double h[3])
{
    if (h[0] * h[1] > 0)
        return 2;
    if (h[0] * h[2] > 0)
        return 1;
    if (h[1] * h[2] > 0 || h[0] != 0)
        return 0;
    return h[1] != 0 ? 1 : 2;
}

/* The interval where the triangle cuts the line, along axis k, on its edges from the lonely corner.
 */
inline void cut(const double *const p[3], const double h[3], int k, double out[2])
{
    int alone = lonely_corner(h);
    for (int i = 0; i < 2; i++) {
        int j = (alone + 1 + i) % 3;
        out[i] = p[alone][k] + (p[j][k] - p[alone][k]) * h[alone] / (h[alone] - h[j]);
    }
    if (out[0] > out[1])
        std::swap(out[0], out[1]);
}

inline bool meet(const double *const p[3], const double *const q[3])
{
    Vec n, m;
    double over_p[3], over_q[3], x[2], y[2];
    if (!heights(p, q, n, over_p) || !heights(q, p, m, over_q))
        return false;
    Vec line = cross(n, m);
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (std::fabs(line[i]) > std::fabs(line[k]))
            k = i;
    if (line[k] == 0)
        return false;
    cut(p, over_q, k, x);
    cut(q, over_p, k, y);
    return x[0] <= y[1] && y[0] <= x[1];
}

/* Returns whether a point is on the same side of all four faces as the opposite corner. */
inline bool within(const double *const t[4], const double *point)
{
    for (int i = 0; i < 4; i++) {
        const double *a = t[(i + 1) % 4], *b = t[(i + 2) % 4], *c = t[(i + 3) % 4];
        Vec normal = cross(minus(b, a), minus(c, a));
        if (dot(normal, minus(point, a)) * dot(normal, minus(t[i], a)) < 0)
            return false;
    }
    return true;
}

/* Tests a, which may be a tetrahedron, against the triangle b. */
inline bool meet(const Scene &s, int a, int b)
{
    const double *const p[4] = {s.at(a, 0), s.at(a, 1), s.at(a, 2), s.at(a, s.solid(a) ? 3 : 0)};
    const double *const q[3] = {s.at(b, 0), s.at(b, 1), s.at(b, 2)};
    if (!s.solid(a))
        return meet(p, q);
    const double *const third[3] = {p[0], p[1], p[3]}, *const last[3] = {p[0], p[2], p[3]};
    return meet(p, q) || meet(p + 1, q) || meet(third, q) || meet(last, q) || within(p, q[0]);
}

#endif
