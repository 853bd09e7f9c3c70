"""MDD and PC2: files as the formats are described, for the faces of an OBJ file."""

import os
import struct
import sys

import impinge
import numpy as np
from common import folder, main, raises
from sample import put

try:
    import h5py  # noqa: F401
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

random = np.random.default_rng(3)
REST = random.random((6, 3))
FRAMES = random.random((4, 6, 3)).astype(np.float32)
TIMES = [0.0, 0.04, 0.08, 0.2]
OBJ = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in REST.tolist())
OBJ += "o front\nf 1 2 3\nf 2 3 4 5\no back\nf 1 3 4\n"  # point 6 is of no face
CELLS = [[0, 1, 2], [0, 2, 3]]


def mdd(points=FRAMES, times=TIMES, count=None):
    frames, rows = points.shape[:2]
    head = struct.pack(f">2i{frames}f", frames, rows if count is None else count, *times)
    return head + points.astype(">f4").tobytes()


def pc2(points=FRAMES, start=10.0, step=0.5, version=1, name=b"POINTCACHE2\0"):
    frames, rows = points.shape[:2]
    head = struct.pack("<12s2i2fi", name, version, rows, start, step, frames)
    return head + points.astype("<f4").tobytes()


def convert(path, where, **options):
    out = f"{where}/out.vtkhdf"
    impinge.convert(path, out, force=True, quiet=True, **options)
    return out


def check(out, times, frames=FRAMES):
    with impinge.open(out) as batch:
        assert batch.times.tolist() == list(times), batch.times
        for frame, points in zip(batch, frames):
            assert frame.points.dtype == np.float32 and (frame.points == points).all()
            assert frame.triangles[[0, -1]].tolist() == CELLS and len(frame.triangles) == 4
    return out


def test_formats():
    """Points of each frame, bit for bit, with the OBJ of the same name, or one that is named."""
    with folder() as where:
        put(f"{where}/a.obj", OBJ)
        floats = np.array(TIMES, np.float32).astype(float)
        check(convert(put(f"{where}/a.mdd", mdd()), where), floats)
        check(convert(put(f"{where}/a.pc2", pc2()), where), [10.0, 10.5, 11.0, 11.5])
        check(convert(put(f"{where}/a.MDD", mdd()), where), floats)
        os.rename(f"{where}/a.obj", f"{where}/rest.obj")
        mesh = f"{where}/rest.obj"
        check(convert(f"{where}/a.pc2", where, mesh=mesh, dt=0.25), [0.0, 0.25, 0.5, 0.75])
        check(convert(f"{where}/a.mdd", where, mesh=mesh, times=[1, 2, 4, 8]), [1, 2, 4, 8])
        check(convert(put(f"{where}/b.mdd", mdd(FRAMES[:1], [3.0])), where, mesh=mesh), [3.0])


def test_groups():
    """Those of the OBJ file."""
    with folder() as where:
        put(f"{where}/a.obj", OBJ)
        out = convert(put(f"{where}/a.mdd", mdd()), where, groups=True)
        with impinge.open(out) as batch:
            assert [frame.objects.tolist() for frame in batch] == [[0, 0, 0, 1]] * 4
            assert batch.names == {0: "front", 1: "back"}, batch.names


def test_several():
    """Caches after each other are one sequence."""
    with folder() as where:
        mesh = put(f"{where}/rest.obj", OBJ)
        one = put(f"{where}/a1.mdd", mdd(FRAMES[:2], [0.0, 0.5]))
        two = put(f"{where}/a2.mdd", mdd(FRAMES[2:], [1.0, 1.5]))
        check(convert([one, two], where, mesh=mesh), [0.0, 0.5, 1.0, 1.5])
        put(two, mdd(FRAMES[2:], [0.0, 0.5]))
        what = raises(impinge.InputError, convert, [one, two], where, mesh=mesh)
        assert "times do not ascend" in str(what) and "--times" in str(what), what


def test_errors():
    """One line, with the file and the reason."""
    bad = FRAMES.copy()
    bad[2, 4, 1] = np.nan
    whole, other = mdd(), pc2()
    files = {
        "cut.mdd": (whole[:-1], "4 frames of 6 points have 312 bytes, the file has 311"),
        "more.mdd": (whole + b"\0", "312 bytes, the file has 313"),
        "cut.pc2": (other[:-12], "have 320 bytes, the file has 308"),
        "more.pc2": (other + b"abcd", "have 320 bytes, the file has 324"),
        "head.mdd": (whole[:5], "ends within its head, after 5 bytes"),
        "head.pc2": (other[:20], "ends within its head, after 20 bytes"),
        "none.mdd": (struct.pack(">2i", 0, 6), "no MDD file: 0 frames"),
        "swapped.mdd": (struct.pack("<2i", 4, 6) + whole[8:], "no MDD file: 67108864 frames"),
        "none.pc2": (pc2(FRAMES[:, :0]), "no PC2 file: 4 frames of 0 points"),
        "version.pc2": (pc2(version=2), "PC2 of version 2"),
        "name.pc2": (pc2(name=b"POINTCACHE3\0"), "no PC2 file"),
        "nan.mdd": (mdd(bad), "frame 2: point 4 is not finite"),
        "inf.pc2": (pc2(np.where(np.isnan(bad), np.inf, bad)), "frame 2: point 4 is not finite"),
        "few.mdd": (mdd(FRAMES[:, :5]), "5 points; "),
        "times.mdd": (mdd(times=[0, 1, 1, 2]), "--times FILE gives them"),
        "step.pc2": (pc2(step=0.0), "--times FILE gives them"),
    }
    with folder() as where:
        mesh = put(f"{where}/rest.obj", OBJ)
        for name, (content, text) in files.items():
            path = put(f"{where}/{name}", content)
            what = str(raises(impinge.InputError, convert, path, where, mesh=mesh))
            assert path in what and text in what and "\n" not in what, what
        path = put(f"{where}/alone.mdd", whole)
        what = str(raises(impinge.InputError, convert, path, where))
        assert f"{where}/alone.obj" in what and "--mesh" in what, what
        what = str(raises(impinge.InputError, convert, path, where, mesh=f"{where}/no.obj"))
        assert "no.obj: No such file" in what, what
        what = str(raises(impinge.InputError, convert, path, where, mesh=path))
        assert "an OBJ file" in what, what
        what = raises(impinge.ArgumentError, convert, mesh, where, mesh=mesh)
        assert "mesh is for caches of points" in str(what), what
        what = raises(impinge.ArgumentError, impinge.convert, path, mesh, mesh=mesh, force=True)
        assert "it is not replaced" in str(what), what


main(globals())
