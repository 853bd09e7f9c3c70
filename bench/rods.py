"""A rod that turns about its end onto a plate, by 1 to 500 degrees between two frames: who notices? By hand:

  rods.py IMPINGE > rods.md        impinge run --continuous, FCL's continuous collision, ipctk's NonlinearCCD

The rod touches the plate first after 0.6 of the turn; at neither end do they meet. More than half a turn is in the
angular velocity, which poses at both ends alone do not show. ipctk is asked for all vertices of either with the faces
of the other, and for long edges, through Python, so that its seconds are no measure of it."""

import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import ipctk
import numpy as np

ANGLES = [1, 2, 5, 10, 30, 60, 90, 120, 150, 170, 200, 300, 400, 500]
SHARE, PLATE, THIN = 0.6, 30.0, 1e-3
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 4, 5], [0, 5, 1]]
    + [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)
LONG = [(0, 1), (2, 3), (4, 5), (6, 7)]


def around(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def box(first, last, y, z, degrees):
    corner = [[last if i & 1 else first, y if i & 2 else -y, z if i & 4 else -z] for i in range(8)]
    return np.array(corner) @ around(degrees).T


ROD, BOARD = box(0, 1, THIN, THIN, 0), box(0.5, 1.5, THIN, 0.5, PLATE)


# ---- impinge


def table(group, name, values, kind="i8"):
    group.create_dataset(name, data=np.asarray(values, kind), maxshape=(None,) + np.shape(values)[1:])


def write(path):
    """Two frames of each angle; the ways from one angle to the next are not looked at."""
    at = [turn for a in ANGLES for turn in (PLATE - SHARE * a, PLATE + (1 - SHARE) * a)]
    frames, zero = len(at), [0] * len(at)
    with h5py.File(path, "w") as f:
        v = f.create_group("VTKHDF")
        v.attrs["Version"] = np.array([2, 0])
        v.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", 8))
        v["Points"] = np.concatenate([np.concatenate([ROD @ around(a).T, BOARD]) for a in at])
        table(v, "NumberOfPoints", [16] * frames)
        for name in ("Vertices", "Lines", "Strips", "Polygons"):
            g, n = v.create_group(name), 24 if name == "Polygons" else 0
            table(g, "NumberOfCells", [n] * frames)
            table(g, "NumberOfConnectivityIds", [3 * n] * frames)
            table(g, "Offsets", 3 * np.arange(n + 1))
            table(g, "Connectivity", np.concatenate([FACES, FACES + 8]).ravel() if n else np.zeros(0))
        v["CellData/ObjectId"] = np.repeat(np.array([0, 1], "i4"), 12)
        s = v.create_group("Steps")
        s.attrs["NSteps"] = frames
        table(s, "Values", range(frames), "f8")
        table(s, "PartOffsets", zero)
        table(s, "NumberOfParts", [1] * frames)
        table(s, "PointOffsets", 16 * np.arange(frames))
        table(s, "CellOffsets", [[0] * 4] * frames)
        table(s, "ConnectivityIdOffsets", [[0] * 4] * frames)
        s["CellDataOffsets/ObjectId"] = np.zeros(frames, "i8")
        b = f.create_group("impinge/bodies")
        half = np.radians(at) / 2
        b["object_id"] = np.array([0], "i4")
        b["point_offsets"] = np.array([0, 8])
        b["points"] = ROD
        b["centre"] = np.zeros((frames, 3))
        b["rotation"] = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], 1)
        spin = np.zeros((frames, 3))
        spin[::2, 2] = np.radians(ANGLES)
        b["angular_velocity"] = spin


def impinge(program, folder):
    batch, out = folder / "rods.vtkhdf", folder / "out.vtkhdf"
    write(batch)
    start = time.perf_counter()
    subprocess.run([program, "run", batch, "-o", out, "--continuous", "-q", "--device", "cpu"], check=True)
    seconds = time.perf_counter() - start
    subprocess.run([program, "check", out, "--input", batch, "-q"], check=True)
    with h5py.File(out) as f:
        counts, toi = f["impinge/contacts"][:], f["VTKHDF/CellData/Share"][:]
    ends = np.concatenate([[0], np.cumsum(counts)])
    return [min(toi[ends[k] : ends[k + 1]], default=2) for k in range(0, len(counts), 2)], seconds


# ---- FCL


def fcl(folder, solver):
    source = (pathlib.Path(__file__).parent / "peers/fcl_rods.cpp").read_text()
    (folder / "rods.cpp").write_text(source.replace("CCDC_CONSERVATIVE_ADVANCEMENT", solver))
    words = ["-O2", "-std=c++17", "-I/usr/include/eigen3", folder / "rods.cpp", "-o", folder / "rods"]
    subprocess.run(["c++", *words, "-lfcl", "-lccd"], check=True)
    done = subprocess.run([folder / "rods", *map(str, ANGLES)], check=True, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return [float(toi) for toi, _ in lines], sum(float(seconds) for _, seconds in lines)


# ---- ipctk


class Turning(ipctk.NonlinearTrajectory):
    def __init__(self, point, start, angle):
        super().__init__()
        self.point, self.start, self.angle = np.asarray(point), start, angle

    def __call__(self, t):
        return around(self.start + t * self.angle) @ self.point

    def max_distance_from_linear(self, t0, t1):
        half = min(np.radians(self.angle) * (t1 - t0) / 2, np.pi)
        return np.linalg.norm(self.point[:2]) * (1 - np.cos(half))


def nearest(found):
    return min((toi for meets, toi in found if meets), default=2)


def ipctk_toi(angle):
    ccd = ipctk.NonlinearCCD()
    rod = [Turning(p, PLATE - SHARE * angle, angle) for p in ROD]
    board = [Turning(p, 0, 0) for p in BOARD]
    found = [
        ccd.point_triangle_ccd(v, *(of[k] for k in face))
        for vertices, of in ((rod, board), (board, rod))
        for v in vertices
        for face in FACES
    ]
    found += [
        ccd.edge_edge_ccd(rod[a], rod[b], board[c], board[d])
        for a, b in LONG
        for face in FACES
        for c, d in ((face[0], face[1]), (face[1], face[2]))
    ]
    return nearest(found)


def all_of_ipctk():
    start = time.perf_counter()
    times = [ipctk_toi(a) for a in ANGLES]
    return times, time.perf_counter() - start


# ---- the table


def main(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        columns = {
            "impinge": impinge(program, folder),
            "FCL, conservative advancement": fcl(folder, "CCDC_CONSERVATIVE_ADVANCEMENT"),
            "FCL, 1,000 samples": fcl(folder, "CCDC_NAIVE"),
            "ipctk " + ipctk.__version__ + " NonlinearCCD": all_of_ipctk(),
        }
    print("| degrees | %s |\n|--:|%s" % (" | ".join(columns), "--:|" * len(columns)))
    for i, angle in enumerate(ANGLES):
        told = ["missed" if s[i] > 1 else "%.6f" % s[i] for s, _ in columns.values()]
        print("| %d | %s |" % (angle, " | ".join(told)))
    print("| missed | %s |" % " | ".join(str(sum(x > 1 for x in s)) for s, _ in columns.values()))
    late = [sum(1 >= x > SHARE for x in s) for s, _ in columns.values()]
    print("| later than the true time | %s |" % " | ".join(map(str, late)))
    print("| seconds of all | %s |" % " | ".join("%.4f" % seconds for _, seconds in columns.values()))


if __name__ == "__main__":
    main(sys.argv[1])
