"""Batches of rigid bodies, read without anything of impinge, as data/format.md describes them.

  bodies.py IMPINGE
"""
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

SCENES = [("missile", "12"), ("organ", "5"), ("dense", "5")]


def matrix(q):
    """Rotation of a quaternion w x y z."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def times(a, b):
    """Product of quaternions."""
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def check_points(file, bits):
    """All frames, all bodies. Returns how many vertices were looked at."""
    root, group = file["VTKHDF"], file["impinge/bodies"]
    ids, ends = group["object_id"][:], group["point_offsets"][:]
    count, frames = len(ids), int(root["Steps"].attrs["NSteps"])
    for name, columns in (("centre", 3), ("rotation", 4), ("velocity", 3), ("angular_velocity", 3)):
        assert group[name].shape == (frames * count, columns), name
    points, objects = root["Points"][:].reshape(frames, -1, 3), root["CellData/ObjectId"][:]
    corners = root["Polygons/Connectivity"][:].reshape(-1, 3)
    looked = 0
    for b, body in enumerate(ids):
        used, rest = np.unique(corners[objects == body]), group["points"][ends[b]:ends[b + 1]]
        assert len(used) == len(rest) > 0, f"body {body}: {len(rest)} rows, {len(used)} vertices"
        radius = np.linalg.norm(rest, axis=1).max()
        for frame in range(frames):
            row = frame * count + b
            centre = group["centre"][row]
            posed = rest @ matrix(group["rotation"][row]).T + centre
            off = np.linalg.norm(points[frame, used].astype(float) - posed, axis=1).max()
            most = 8 * 2.0**-bits * (np.linalg.norm(centre) + radius)
            assert off <= most, f"frame {frame}, body {body}: off by {off}, at most {most}"
        looked += frames * len(used)
    assert looked > 0, "no bodies"
    return looked


def check_motion(file):
    """What poses say of the motion is what the next frame shows."""
    group, values = file["impinge/bodies"], file["VTKHDF/Steps/Values"][:]
    count, step = len(group["object_id"]), values[1] - values[0]
    for b in range(count):
        centre, velocity = group["centre"][b::count], group["velocity"][b::count]
        turn, spin = group["rotation"][b::count], group["angular_velocity"][b::count]
        for f in range(len(values) - 1):
            way = (centre[f + 1] - centre[f]) / step
            mean = 0.5 * (velocity[f] + velocity[f + 1])
            assert np.linalg.norm(way - mean) <= 0.05 * (0.1 + np.linalg.norm(mean)), (b, f)
            q = times(turn[f + 1], turn[f] * [1, -1, -1, -1])
            rate, mean = 2 * q[1:] * np.sign(q[0]) / step, 0.5 * (spin[f] + spin[f + 1])
            assert np.linalg.norm(rate - mean) <= 0.05 * (0.1 + np.linalg.norm(mean)), (b, f)


def shifted(file):
    file["VTKHDF/Points"][7, 1] += 1e-9


def unturned(file):
    file["impinge/bodies/rotation"][4] = [0.5, 0, 0, 0]


def nowhere(file):
    file["impinge/bodies/centre"][4, 2] = np.nan


def disordered(file):
    file["impinge/bodies/object_id"][:] = file["impinge/bodies/object_id"][:][::-1]


def replace(file, name, data):
    del file["impinge/bodies"][name]
    if data is not None:
        file["impinge/bodies"][name] = data


def fewer_points(file):
    ends = file["impinge/bodies/point_offsets"][:]
    ends[1] -= 1
    replace(file, "point_offsets", ends)


def fewer_poses(file):
    replace(file, "centre", file["impinge/bodies/centre"][:-1])


def no_rotation(file):
    replace(file, "rotation", None)


def flat_centre(file):
    replace(file, "centre", file["impinge/bodies/centre"][:].ravel())


def whole_numbers(file):
    replace(file, "points", file["impinge/bodies/points"][:].astype(int))


def shared_vertex(file):
    """A corner of a triangle of the first body becomes one of another's."""
    corners, objects = file["VTKHDF/Polygons/Connectivity"], file["VTKHDF/CellData/ObjectId"][:]
    other = np.flatnonzero(objects != objects[0])[0]
    corners[0] = corners[3 * other]


def backwards(file):
    ends = file["impinge/bodies/point_offsets"][:]
    ends[1] = ends[2] + 1
    replace(file, "point_offsets", ends)


# what is wrong, and words of the one line that says so
WRONG = [(shifted, "vertex 7 is"), (unturned, "rotation"), (nowhere, "not finite"),
         (disordered, "out of order"), (fewer_points, "points, but"), (fewer_poses, "rows"),
         (no_rotation, "/impinge/bodies/rotation: missing"), (flat_centre, "columns"),
         (whole_numbers, "columns of floats"), (shared_vertex, "belongs to two bodies"),
         (backwards, "less than the one before")]


def check_wrong(impinge):
    """Each is exit 3 and one line that names the file, whatever method computes."""
    subprocess.run([impinge, "generate", "dense", "-o", "good.vtkhdf", "--force", "-q", "-n", "2000",
                    "--frames", "3"], check=True)
    for spoil, words in WRONG:
        shutil.copy("good.vtkhdf", "b.vtkhdf")
        with h5py.File("b.vtkhdf", "a") as file:
            spoil(file)
        lines = set()
        for how in (["--broad", "tree"], ["--broad", "hash"], []):
            done = subprocess.run([impinge, "run", "b.vtkhdf", "-o", "r.vtkhdf", "--force", "-q",
                                   *how], capture_output=True, text=True)
            told = done.stderr.strip()
            assert done.returncode == 3, f"{spoil.__name__}: exit {done.returncode}: {told}"
            assert words in told and "b.vtkhdf" in told and "\n" not in told, told
            assert not os.path.exists("r.vtkhdf"), "a result is there"
            lines.add(told)
        assert len(lines) == 1, lines
        # other objects than those of the file are no bodies
        if spoil is not shared_vertex:
            subprocess.run([impinge, "run", "b.vtkhdf", "-o", "r.vtkhdf", "--force", "-q", "--objects",
                            "connected"], check=True)
            os.remove("r.vtkhdf")
    print(f"{len(WRONG)} wrong files are told")


def main():
    for scene, frames in SCENES:
        for bits, more in ((52, []), (23, ["--float32"])):
            subprocess.run([sys.argv[1], "generate", scene, "-o", "b.vtkhdf", "--force", "-q", "-n",
                            "3000", "--frames", frames, *more], check=True)
            with h5py.File("b.vtkhdf") as file:
                assert file["VTKHDF/Points"].dtype == (np.float32 if more else np.float64)
                looked = check_points(file, bits)
                check_motion(file)
            print(f"{scene} {' '.join(more)}: {looked} vertices lie where they are said to")
    check_wrong(sys.argv[1])


if __name__ == "__main__":
    main()
