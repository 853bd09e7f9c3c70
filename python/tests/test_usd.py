"""USD: frames, transforms and points, against what usd-core was given; options and errors."""

import os
import sys
from pathlib import Path

import impinge
import numpy as np
from common import folder, main, program, raises, same

try:
    import h5py  # noqa: F401
    from pxr import Gf, Sdf, Ts, Usd, UsdGeom, Vt
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

import usd_files as made  # noqa: E402
from impinge.importers import notes, usd  # noqa: E402
from impinge.importers.caches import CacheOptions  # noqa: E402
from impinge.importers.mesh import join  # noqa: E402
from impinge.importers.readers import open_file  # noqa: E402
from impinge.importers.usd_times import CURVED  # noqa: E402
from usd_files import FACES, TRIANGLE, P, by_hand, mesh, put, stage  # noqa: E402

SHARED = Path(__file__).parents[3] / "shared" / "data" / "torus-sphere-surface.vtkhdf"


def read(of, groups=False, **options):
    """Times, meshes of frames, and counts of notes."""
    file = of if isinstance(of, str) else save(of)
    notes.forget()
    source = open_file(file, groups, cache=CacheOptions(**options))
    count = len(source.times or [0])
    meshes = [join(file, list(source.read(k)), True) for k in range(count)]
    return source.times, meshes, notes.counts()


def save(of):
    of.GetRootLayer().Save()
    return of.GetRootLayer().realPath


def points_of(mesh, name):
    """The points of the cells of an object, in their order."""
    rows = np.flatnonzero(mesh.objects == mesh.names.index(name))
    cells = np.split(mesh.corners, mesh.ends[:-1])
    return np.concatenate([mesh.points[cells[row]] for row in rows])


def torus(where, ending):
    """The batch of the shared data, as usd-core writes it: each object a mesh."""
    with impinge.open(SHARED) as batch:
        frames = list(batch)
    of = Usd.Stage.CreateNew(f"{where}/torus.{ending}")
    of.SetTimeCodesPerSecond(1)
    for number in np.unique(frames[0].objects):
        corners = frames[0].triangles[frames[0].objects == number]
        rows, at = np.unique(corners, return_inverse=True)
        one = mesh(of, f"/object{number}", [], at.reshape(-1, 3).tolist())
        for time, frame in enumerate(frames):
            part = np.ascontiguousarray(frame.points[rows])
            assert part.dtype == np.float32
            put(one.GetPointsAttr(), Vt.Vec3fArray.FromNumpy(part), time)
    return save(of), frames


def check_torus(where, ending):
    """Bit for bit what was written, and with the same contacts."""
    file, frames = torus(where, ending)
    out = f"{where}/{ending}.vtkhdf"
    impinge.convert(file, out, quiet=True)
    found, contacts = 0, 0
    with impinge.open(out) as batch:
        assert batch.times.tolist() == list(range(len(frames)))
        assert list(batch.names.values()) == ["/object0", "/object1"]
        for mine, frame in zip(batch, frames):
            order = np.argsort(frame.objects, kind="stable")
            want = frame.points[frame.triangles[order]]
            assert mine.points.dtype == np.float32
            assert mine.points[mine.triangles].tobytes() == want.tobytes()
            assert (mine.objects == frame.objects[order]).all()
            written = impinge.contacts(frame.points, frame.triangles[order], frame.objects[order])
            read = impinge.contacts(mine.points, mine.triangles, mine.objects)
            same(written, read)
            found, contacts = found + len(read), contacts + len(written)
    assert found == contacts == 15364, (found, contacts)


def test_torus():
    if not SHARED.exists():
        print("    skipped: no shared data")
        return
    with folder() as where:
        for ending in ("usdc", "usda"):
            check_torus(where, ending)


def test_plain():
    """One frame at the default time: float32, with polygons and their numbers."""
    with folder() as where:
        for name in ("a.usda", "a.usdc", "a.usd"):
            of = stage(where, name)
            mesh(of, "/World/arm", P, FACES)
            times, (found,), said = read(of)
            assert times is None and found.points.dtype == np.float32
            assert found.points.tobytes() == P.tobytes() and found.names == ["/World/arm"]
            assert [c.tolist() for c in np.split(found.corners, found.ends[:-1])] == FACES
            assert found.ids.tolist() == [0, 1, 2] and not said, said


def test_usdz():
    """A package with another layer in it."""
    from pxr import UsdUtils

    with folder() as where:
        other = stage(where, "part.usdc")
        mesh(other, "/part", {1: P, 2: P + 1}, FACES)
        other.SetDefaultPrim(other.GetPrimAtPath("/part"))
        save(other)
        of = stage(where, "whole.usda")
        of.DefinePrim("/it").GetReferences().AddReference("./part.usdc")
        assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(save(of)), f"{where}/a.usdz")
        times, frames, _ = read(f"{where}/a.usdz")
        assert times == [1 / 24, 2 / 24]
        assert [f.points.tobytes() for f in frames] == [P.tobytes(), (P + 1).tobytes()]


def test_seconds():
    """Time codes become seconds, by the stage's rate, also through a layer's offset."""
    with folder() as where:
        inner = stage(where, "inner.usda")
        mesh(inner, "/m", {0: P, 10: P + 1}, FACES)
        save(inner)
        of = stage(where, timeCodesPerSecond=50.0, framesPerSecond=25.0)
        prim = of.DefinePrim("/a")
        offset = Sdf.LayerOffset(100, 2)
        prim.GetReferences().AddReference("./inner.usda", "/m", offset)
        times, frames, _ = read(of)
        # the inner layer has 24 time codes a second
        rate = 50 / 24
        assert np.allclose(times, [100 / 50, (100 + 2 * 10 * rate) / 50]), times
        assert frames[1].points.tobytes() == (P + 1).tobytes()


def transforms(of):
    """Prims with each kind of operation, and none of them the identity."""
    top = made.xform(of, "/top")
    top.AddTranslateOp().Set((1, 2, 3))
    top.AddTranslateOp(opSuffix="pivot").Set((1, 1, 0))
    top.AddRotateXYZOp().Set((10, 20, 30))
    top.AddScaleOp().Set((2, 0.5, 1.25))
    top.AddTranslateOp(opSuffix="pivot", isInverseOp=True)
    inner = made.xform(of, "/top/inner")
    inner.AddTransformOp().Set(made.matrix([[1, 0.5, 0, 0], [0, 1, 0.25, 0], [0, 0, 1, 0], [7, 8, 9, 1]]))
    inner.AddOrientOp().Set(Gf.Quatf(0.5, 0.5, 0.5, 0.5))
    mesh(of, "/top/inner/m", P, FACES).AddTranslateOp().Set((0.1, 0.2, 0.3))
    free = mesh(of, "/top/inner/free", P, FACES)
    free.AddTranslateOp().Set((5, 0, 0))
    free.SetResetXformStack(True)
    return ["/top/inner/m", "/top/inner/free"]


def test_transforms():
    """World transforms in float64, in the documented order, and resetXformStack."""
    with folder() as where:
        of = stage(where)
        names = transforms(of)
        _, (found,), _ = read(of)
        assert found.points.dtype == np.float64 and found.names == names
        flat = np.concatenate([P[face] for face in FACES])
        for name in names:
            prim = UsdGeom.Xformable(of.GetPrimAtPath(name))
            whole = prim.ComputeLocalToWorldTransform(Usd.TimeCode.Default())
            at = points_of(found, name)
            assert at.tobytes() == by_hand(flat, whole).tobytes(), name
        assert (points_of(found, names[1]) == flat.astype(float) + (5, 0, 0)).all()


def test_moving():
    """A transform of an ancestor makes frames; points are those that numpy moves in float64."""
    with folder() as where:
        of = stage(where)
        mesh(of, "/a/b/m", P, FACES)
        move = UsdGeom.Xformable(made.xform(of, "/a")).AddTranslateOp()
        shifts = {1: (0, 0, 0), 2: (0.1, 0.2, 1 / 3), 5: (1e-3, 7, -4)}
        for time, shift in shifts.items():
            put(move.GetAttr(), shift, time)
        times, frames, said = read(of)
        assert times == [time / 24 for time in shifts] and CURVED not in said
        for frame, shift in zip(frames, shifts.values()):
            want = P.astype(np.float64) + np.array(shift)
            assert (frame.points == want).all()
        assert frames[0].points.dtype == np.float32  # the identity


def test_between():
    """Where a prim has no sample: between its samples, or at the one before, and both are said."""
    with folder() as where:
        of = stage(where)
        mesh(of, "/a", {0: np.array(TRIANGLE), 10: np.array(TRIANGLE) + (0, 0, 10)})
        move = mesh(of, "/b").AddTranslateOp().GetAttr()
        for time, x in ((2, 0), (5, 30), (12, 100)):
            put(move, (x, 0, 0), time)
        times, frames, said = read(of)
        assert np.allclose(np.array(times) * 24, [0, 2, 5, 10, 12])
        heights = [points_of(f, "/a")[0, 2] for f in frames]
        shifts = [points_of(f, "/b")[0, 0] for f in frames]
        assert heights == [0, 2, 5, 10, 10] and np.allclose(shifts, [0, 0, 30, 80, 100])
        assert said[usd._LINEAR] == 2 and usd._BEFORE not in said, said
        _, frames, said = read(of, between="held")
        heights = [points_of(f, "/a")[0, 2] for f in frames]
        shifts = [points_of(f, "/b")[0, 0] for f in frames]
        assert heights == [0, 0, 0, 10, 10] and shifts == [0, 0, 30, 30, 100]
        assert said[usd._BEFORE] == 2 and usd._LINEAR not in said, said


def test_default_is_no_sample():
    """Values of the default time are not those of prims with samples."""
    with folder() as where:
        of = stage(where)
        one = mesh(of, "/a", {3: np.array(TRIANGLE) + 5})
        one.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(np.full((3, 3), 99, np.float32)))
        times, (found,), _ = read(of)
        assert times == [3 / 24] and (found.points == np.array(TRIANGLE) + 5).all()


def test_range():
    """Samples outside of the time codes are frames, and said, or left out."""
    with folder() as where:
        of = stage(where, startTimeCode=2.0, endTimeCode=4.0)
        mesh(of, "/a", {time: np.array(TRIANGLE) + time for time in (1, 2, 3, 4, 9)})
        times, frames, said = read(of)
        assert [round(t * 24) for t in times] == [1, 2, 3, 4, 9]
        (what,) = [word for word in said if "time codes" in word]
        assert said[what] == 2 and "--samples range" in what
        times, frames, said = read(of, samples="range")
        assert [round(t * 24) for t in times] == [2, 3, 4] and not said
        assert [f.points[0, 0] for f in frames] == [2, 3, 4]
        of.SetStartTimeCode(5)
        of.SetEndTimeCode(6)
        what = raises(impinge.InputError, read, of, samples="range")
        assert "no sample is within its time codes 5 to 6" in str(what)
        bare = stage(where, "bare.usda")
        mesh(bare, "/a")
        what = raises(impinge.InputError, read, bare, samples="range")
        assert "startTimeCode" in str(what)


def test_curved():
    """Rotations, and splines, whose knots are frames."""
    with folder() as where:
        of = stage(where)
        turn = mesh(of, "/a").AddRotateZOp().GetAttr()
        put(turn, 0, 0)
        put(turn, 90, 4)
        one = mesh(of, "/b")
        splines = hasattr(one, "AddTranslateXOp")  # not in old versions of usd-core
        if splines:
            spline = Ts.Spline("double")
            for time, value in ((0, 0), (2, 4), (4, 16)):
                knot = Ts.Knot("double")
                knot.SetTime(time)
                knot.SetValue(value)
                knot.SetNextInterpolation(Ts.InterpLinear)
                spline.SetKnot(knot)
            assert one.AddTranslateXOp().GetAttr().SetSpline(spline)
        times, frames, said = read(of)
        assert said[CURVED] == 1 + splines, said
        assert np.allclose(points_of(frames[-1], "/a")[1], (0, 1, 0))
        if splines:
            assert [round(t * 24) for t in times] == [0, 2, 4]
            assert [points_of(f, "/b")[0, 0] for f in frames] == [0, 4, 16]


def test_topology():
    """Faces that change with time, also where points do not, and objects that keep their names."""
    with folder() as where:
        of = stage(where)
        one = mesh(of, "/a", {0: P, 1: P[:3], 2: P + 1}, ())
        for time, faces in ((0, FACES), (1, [[0, 1, 2]]), (2, FACES[:1]), (3, FACES[1:2])):
            made.cells(one, faces, time)
        mesh(of, "/b")
        _, frames, _ = read(of)
        assert [len(f.types) for f in frames] == [4, 2, 2, 2]
        assert (points_of(frames[2], "/a") == P[:4] + 1).all()
        out = f"{where}/out.vtkhdf"
        impinge.convert(save(of), out, quiet=True)
        with impinge.open(out) as batch:
            frames = list(batch)
            assert [len(f.triangles) for f in frames] == [5, 2, 3, 2]
            assert frames[3].triangles[0].tolist() == FACES[1]
            assert list(batch.names.values()) == ["/a", "/b"]


def test_velocities():
    """Between samples they move points, as UsdGeom says; held, nothing does."""
    with folder() as where:
        of = stage(where)
        one = mesh(of, "/a", {0: TRIANGLE, 48: np.array(TRIANGLE) + 1})
        for time in (0, 48):
            put(one.CreateVelocitiesAttr(), [(10, 0, 0)] * 3, time)
        move = mesh(of, "/b").AddTranslateOp().GetAttr()
        put(move, (0, 0, 0), 0)
        put(move, (1, 0, 0), 12)
        _, frames, _ = read(of)
        assert (points_of(frames[1], "/a") == np.array(TRIANGLE) + (5, 0, 0)).all()
        _, frames, _ = read(of, between="held")
        assert (points_of(frames[1], "/a") == np.array(TRIANGLE)).all()


def test_handedness():
    """leftHanded turns faces, and so does a mirroring transform; both together do not."""
    with folder() as where:
        of = stage(where)
        for left in (0, 1):
            for mirror in (0, 1):
                one = mesh(of, f"/m{left}{mirror}", P, FACES)
                if left:
                    one.GetOrientationAttr().Set("leftHanded")
                if mirror:
                    one.AddScaleOp().Set((-1, 1, 1))
        _, (found,), _ = read(of)
        cells = np.split(found.corners, found.ends[:-1])
        turned = [[0, 3, 2, 1], [0, 4, 1], [1, 4, 2]]
        for k, want in enumerate([FACES, turned, turned, FACES]):
            got = [(c - 5 * k).tolist() for c in cells[3 * k : 3 * k + 3]]
            assert got == want, (found.names[k], got)


def test_unit():
    with folder() as where:
        of = stage(where, metersPerUnit=0.01, upAxis="Z")
        mesh(of, "/a", P, FACES)
        _, (found,), said = read(of)
        assert list(said) == ["metersPerUnit 0.01 and upAxis Z: points stay as they are in it"]
        assert found.points.tobytes() == P.tobytes()


def test_errors():
    """One line, which names file and prim."""
    with folder() as where:
        for k, (points, counts, indices, text) in enumerate((
            (P, [3], [0, 1, 5], "/a: there is no point 5; it has 5"),
            (P, [3], [0, 1, -1], "/a: there is no point -1; it has 5"),
            (P, [4], [0, 1, 2], "/a: 4 corners of faces, and 3 faceVertexIndices"),
            (P, [-1, 4], [0, 1, 2], "/a: a face of -1 corners"),
        )):  # fmt: skip
            of = stage(where, f"{k}.usda")
            one = mesh(of, "/a", points)
            one.GetFaceVertexCountsAttr().Set(counts)
            one.GetFaceVertexIndicesAttr().Set(indices)
            what = raises(impinge.InputError, read, of)
            assert str(what) == f"{where}/{k}.usda: {text}", what
        bad = f"{where}/bad.usda"
        Path(bad).write_text("#usda 1.0\ndef Mesh {{{\n")
        what = raises(impinge.InputError, read, bad)
        assert str(what).startswith(f"{bad}: usd-core cannot read it: ") and "\n" not in str(what)
        Path(bad).write_bytes(b"PXR-USDC" + bytes(100))
        raises(impinge.InputError, read, bad)
        of = stage(where, "skewed.usda")
        mesh(of, "/a").AddTransformOp().Set(made.matrix(np.eye(4) + np.eye(4, k=3)))
        assert "not affine" in str(raises(impinge.InputError, read, of))


def test_command():
    """Through the program: options, and nothing that the library prints."""
    with folder() as where:
        of = stage(where)
        mesh(of, "/a", {0: TRIANGLE, 4: np.array(TRIANGLE) + 4})
        mesh(of, "/b", {0: TRIANGLE, 1: TRIANGLE, 4: TRIANGLE})
        file, out = save(of), f"{where}/out.vtkhdf"
        for between, x in (("held", 0), ("interpolated", 1)):
            impinge.convert(file, out, between=between, samples="all", force=True, quiet=True)
            with impinge.open(out) as batch:
                assert [f.points[0, 0] for f in batch] == [0, x, 4]
        impinge.convert(file, out, purpose="guide,default", force=True, quiet=True)
        raises(impinge.ImpingeError, impinge.convert, file, out, between="kept", force=True)
        raises(impinge.ImpingeError, impinge.convert, file, out, samples="some", force=True)
        raises(impinge.ImpingeError, impinge.convert, file, out, purpose="prox", force=True)
        other = f"{where}/a.stl"
        Path(other).write_text("solid\nendsolid\n")
        what = raises(impinge.ImpingeError, impinge.convert, other, out, between="held", force=True)
        assert "between is for USD and Alembic files" in str(what)
        alone = program("convert", file, "-o", out, "--force")
        assert alone.returncode and "pip install '.[io]'" in alone.stderr, alone.stderr


def test_missing_library():
    """Without usd-core an error says how to get it."""
    with folder() as where:
        of = stage(where)
        mesh(of, "/a")
        file, kept = save(of), sys.modules["pxr.Usd"]
        sys.modules["pxr.Usd"] = None
        try:
            what = raises(impinge.ImpingeError, open_file, file, False)
        finally:
            sys.modules["pxr.Usd"] = kept
        assert f"{file}: to read it: pip install 'impinge[io]'" in str(what), what


def test_nothing_open():
    """Files that the library opens are not open afterwards, nor is the standard error moved."""
    with folder() as where:
        of = stage(where)
        mesh(of, "/a")
        before = os.fstat(2)
        read(of)
        assert os.fstat(2) == before


if __name__ == "__main__":
    main(globals())
