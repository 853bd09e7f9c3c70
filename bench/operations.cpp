/* The cost of bounding volume tests as counts of operations: bv.h unchanged, with numbers that
 * count the operations on them, beside the counts of [S] section 2.2.3. Prints the lines of
 * sheet.h. */
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

struct operations {
    uint64_t comparisons, additions, multiplications, amounts;
};

static operations done;

struct counted {
    double x;
    counted() = default;
    counted(double value) : x(value)
    {
    }
    explicit operator float() const
    {
        return static_cast<float>(x);
    }
    counted &operator+=(counted b)
    {
        done.additions++;
        x += b.x;
        return *this;
    }
};

static counted operator+(counted a, counted b)
{
    done.additions++;
    return a.x + b.x;
}

static counted operator-(counted a, counted b)
{
    done.additions++;
    return a.x - b.x;
}

static counted operator*(counted a, counted b)
{
    done.multiplications++;
    return a.x * b.x;
}

static bool operator>(counted a, counted b)
{
    done.comparisons++;
    return a.x > b.x;
}

static bool operator<(counted a, counted b)
{
    return b > a;
}

static bool operator==(counted a, counted b)
{
    done.comparisons++;
    return a.x == b.x;
}

static counted fabs(counted a)
{
    done.amounts++;
    return std::fabs(a.x);
}

/* Needed by functions of vec3.h that the volume tests do not call. */
static counted operator/(counted a, counted b)
{
    return a.x / b.x;
}

static counted fmax(counted a, counted b)
{
    return std::fmax(a.x, b.x);
}

static counted sqrt(counted a)
{
    return std::sqrt(a.x);
}

#define double counted
#include "bv.h"
#undef double

/* Boxes whose centres are `apart` along x; rotated, so that no product has a factor 0. */
static bv_obb box_at(double apart)
{
    const double s = 0.6, c = 0.8;
    return {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {apart, 0, 0}, {0.25, 0.25, 0.25}};
}

static void write(const char *row, const operations *o)
{
    const char *table = "operations of a test";
    printf("%s,%s,comparisons,count,%llu\n", table, row, (unsigned long long)o->comparisons);
    printf("%s,%s,additions,count,%llu\n", table, row, (unsigned long long)o->additions);
    printf("%s,%s,multiplications,count,%llu\n", table, row,
           (unsigned long long)o->multiplications);
    printf("%s,%s,absolute values,count,%llu\n", table, row, (unsigned long long)o->amounts);
}

/* Writes the operations since the last call. */
static void write_done(const char *row)
{
    write(row, &done);
    done = {};
}

/* Two overlapping volumes need all axes. Returns 1 if one of the answers is wrong. */
int main()
{
    const bv_obb a = box_at(0), b = box_at(0.125), far = box_at(2);
    const bv_sphere s = {{0, 0, 0}, 0.5};
    const bv_pose pose = bv_pose_still(0);
    const operations paper = {15, 60, 81, 24};
    uint64_t axes = 0;
    puts("table,row,column,kind,value");
    write("[S]: two boxes in coordinates of the first", &paper);
    done = {};
    bool right = bv_obbs_overlap(&a, &b, &axes) && axes == 15;
    write_done("two boxes that overlap");
    right &= !bv_obbs_overlap(&a, &far, &axes) && axes == 16;
    write_done("two boxes apart along the first axis");
    right &= bv_sphere_obb_overlap(&s, &a, &axes) && axes == 19;
    write_done("sphere and box that overlap");
    right &= bv_spheres_overlap(&s, &s);
    write_done("two spheres");
    (void)bv_obb_posed(&a, &pose);
    write_done("a box in another pose");
    (void)bv_sphere_posed(&s, &pose);
    write_done("a sphere in another pose");
    return !right;
}
