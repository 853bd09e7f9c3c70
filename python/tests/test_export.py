"""export: every sample of what it writes as USD, against the result; what usd-core's own checks say of
it; and its meshes, read back."""

import os
import subprocess
import sys
from pathlib import Path

import impinge
import numpy as np
from common import folder, generate, main, raises, soup, write_batch

try:
    import h5py  # noqa: F401
    from pxr import Usd, UsdGeom, UsdUtils
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from impinge.exporters import stage  # noqa: E402
from usd_files import mesh as usd_mesh  # noqa: E402

SHARED = Path(__file__).parents[3] / "shared" / "data" / "torus-sphere-surface.vtkhdf"
SEGMENTS, POINTS = "/impinge/contacts/segments", "/impinge/contacts/points"
OPEN, CLOSED = "/impinge/contours/open", "/impinge/contours/closed"
UNKNOWN = {"MissingMetersPerUnitMetadata", "MissingUpAxisMetadata"}
PRIMVARS = {
    "kind": "kind", "object_a": "objectA", "object_b": "objectB", "a": "primitiveA",
    "b": "primitiveB", "toi": "toi", "time": "time", "distance": "distance", "depth": "depth",
    "penetration": "penetration", "relative": "relative", "crossing": "crossing",
    "vertex": "vertex", "winding": "winding", "id_a": "idA", "source_a": "sourceA",
}  # fmt: skip


def judged(file):
    """What usd-core's validators, all of them, say of a stage."""
    try:
        from pxr import UsdValidation
    except ImportError:  # before 25.05
        checker = UsdUtils.ComplianceChecker()
        checker.CheckCompliance(file)
        return {line.split(":")[0] for line in checker.GetErrors() + checker.GetFailedChecks()}
    every = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(every) > 10
    found = UsdValidation.ValidationContext(every).Validate(Usd.Stage.Open(file))
    return {one.GetName() for one in found}


class Read:
    """A stage, by arrays."""

    def __init__(self, file):
        self.stage = Usd.Stage.Open(str(file))

    def prim(self, path):
        found = self.stage.GetPrimAtPath(path)
        assert found, path
        return found

    def codes(self, path, name="points"):
        return self.prim(path).GetAttribute(name).GetTimeSamples()

    def at(self, path, name, code):
        attribute = self.prim(path).GetAttribute(name)
        assert attribute, (path, name)
        if code is not None and "Vertex" not in name:  # no sample is held from another frame
            assert code in attribute.GetTimeSamples(), (path, name, code)
        return np.array(attribute.Get() if code is None else attribute.Get(code))


def same_bits(mine, want, dtype):
    assert mine.dtype == dtype or not len(mine), (mine.dtype, dtype)
    assert len(mine) == len(want)
    assert mine.astype(dtype).tobytes() == np.ascontiguousarray(want, dtype).tobytes()


def check_extent(read, path, code, width):
    """It has all points, and half of the width around them."""
    points, (low, high) = read.at(path, "points", code), read.at(path, "extent", code)
    if len(points):
        half = np.float32(width / 2)
        assert (low == points.min(0) - half).all() and (high == points.max(0) + half).all()
    else:
        assert (low > high).all()


def check_contacts(read, contacts, codes, columns):
    """Every sample of lines and points. columns: that must be there."""
    assert len(contacts) == len(codes)
    for found, code in zip(contacts, codes):
        dot = (found.ends[:, 0] == found.ends[:, 1]).all(1)
        for path, rows in ((SEGMENTS, ~dot), (POINTS, dot)):
            ends = found.ends[rows] if path == SEGMENTS else found.ends[rows, 0]
            same_bits(read.at(path, "points", code).reshape(-1, 3), ends.reshape(-1, 3), "f4")
            if path == SEGMENTS:
                assert read.at(path, "curveVertexCounts", code).tolist() == [2] * rows.sum()
            width = float(read.at(path, "widths", None)[0])
            check_extent(read, path, code, width)
            assert len(read.at(path, "primvars:displayColor", code)) == rows.sum()
            for name, shown in PRIMVARS.items():
                values = getattr(found, name)
                assert (values is not None) or name not in columns, name
                if values is None:
                    assert not read.prim(path).GetAttribute(f"primvars:{shown}")
                    continue
                dtype = "f8" if values.dtype.kind == "f" else "i4"
                if values.dtype in (np.uint32, np.int64):
                    dtype = "i8"
                same_bits(read.at(path, f"primvars:{shown}", code), values[rows], dtype)
            kind = read.prim(path).GetAttribute("primvars:kind").GetMetadata("interpolation")
            assert kind == ("uniform" if path == SEGMENTS else "vertex")
    for path in (SEGMENTS, POINTS):
        assert read.codes(path) == codes


def check_contours(read, each, codes):
    for curves, code in zip(each, codes):
        for path, wanted in ((OPEN, False), (CLOSED, True)):
            rows = [i for i in range(len(curves)) if curves[i].closed == wanted]
            points = [curves[i].points for i in rows]
            same_bits(
                read.at(path, "points", code), np.concatenate([*points, np.zeros((0, 3))]), "f4"
            )
            counts = read.at(path, "curveVertexCounts", code).tolist()
            assert counts == [len(p) for p in points]
            assert read.at(path, "primvars:contour", code).tolist() == rows
            same_bits(read.at(path, "primvars:length", code), curves.length[rows], "f8")
            same_bits(read.at(path, "primvars:objectA", code), curves.object_a[rows], "i4")
    assert read.prim(CLOSED).GetAttribute("wrap").Get() == "periodic"
    assert read.prim(OPEN).GetAttribute("wrap").Get() == "nonperiodic"


def meshes(read):
    return {
        prim.GetCustomDataByKey("impinge:object"): str(prim.GetPath())
        for prim in read.prim("/impinge/heat").GetChildren()
    }


def check_heat(read, frames, contacts, codes):
    """The mesh of each object, and the contacts of each face, counted one by one."""
    paths, greatest = meshes(read), 0
    numbers = [np.zeros(len(frame.triangles), int) for frame in frames]
    for count, found in zip(numbers, contacts):
        for a, b in zip(found.a.tolist(), found.b.tolist()):
            count[a] += 1
            count[b] += 1
        greatest = max(greatest, *count.tolist(), 0)
    for frame, count, code in zip(frames, numbers, codes):
        objects = frame.objects if frame.objects is not None else np.zeros(len(frame.triangles))
        assert set(objects.tolist()) <= set(paths)
        for number, path in paths.items():
            rows = np.flatnonzero(objects == number)
            points = read.at(path, "points", code).reshape(-1, 3)
            corners = read.at(path, "faceVertexIndices", code).reshape(-1, 3).astype(int)
            same_bits(points[corners], frame.points[frame.triangles[rows]], "f4")
            assert read.at(path, "faceVertexCounts", code).tolist() == [3] * len(rows)
            assert read.at(path, "primvars:contacts", code).tolist() == count[rows].tolist()
            check_extent(read, path, code, 0)
            colours = read.at(path, "primvars:displayColor", code)
            assert len(colours) == len(rows)
            for colour, number in list(zip(colours.tolist(), count[rows].tolist()))[:50]:
                share = np.array([1, 0.85, 0.2]) + number / greatest * np.array(
                    [-0.25, -0.85, -0.2]
                )
                want = share if number else [0.6] * 3
                assert np.allclose(colour, want, atol=1e-6), (colour, number)


def check_all(where, batch, codes, columns=(), **options):
    """Runs, exports and compares. Returns the stage and what export said."""
    impinge.run(batch, f"{where}/r", device="cpu", force=True, **options)
    said = impinge.export(f"{where}/r", f"{where}/x.usdc", force=True)
    read = Read(f"{where}/x.usdc")
    with impinge.open(f"{where}/r") as result, impinge.open(batch) as given:
        contacts = list(result)
        if codes is None:
            codes = [24.0 * time for time in result.times]
        check_contacts(read, contacts, codes, {"kind", "object_a", "a", *columns})
        if contacts[0].vertex is None:
            check_heat(
                read, [given[k] for k in result.file["impinge/input_frame"]], contacts, codes
            )
        assert f"{sum(map(len, contacts)):,} contact" in said, said
        assert f"{len(contacts)} frame" in said, said
    assert read.stage.GetStartTimeCode() == codes[0] and read.stage.GetEndTimeCode() == codes[-1]
    assert read.stage.GetDefaultPrim().GetPath() == "/impinge"
    assert not list(Path(where).glob(".*")), "a temporary file stayed"
    return read, said


# ---- frames of triangles, some of them without contacts


def moving(where, times=None):
    """Two soups, of which the second one passes through the first, far away in the first and last
    frame."""
    points, triangles = soup(60, 0.2, 3)
    objects = np.repeat([0, 5], [30, 30]).astype(np.int32)
    frames = []
    for x in (5.0, 0.4, 0.1, 0.0, -5.0):
        moved = points.copy()
        moved[90:, 0] += x
        frames.append(moved)
    file = f"{where}/batch.vtkhdf"
    write_batch(file, [[(p, triangles)] for p in frames])
    with h5py.File(file, "a") as made:
        made["VTKHDF/CellData/ObjectId"] = np.tile(objects, 5)
        made["VTKHDF/Steps/CellDataOffsets/ObjectId"] = 60 * np.arange(5)
        made["impinge/object_ids"] = np.array([5], np.int32)
        made["impinge/object_names"] = np.array([b"World/arm 5"])
        if times is not None:
            made["VTKHDF/Steps/Values"][...] = times
    return file


def test_frames():
    with folder() as where:
        file = moving(where)
        read, said = check_all(where, file, None, {"crossing"}, pairs="between")
        counts = [len(read.at(SEGMENTS, "points", code)) for code in read.codes(SEGMENTS)]
        assert counts[0] == counts[-1] == 0 and min(counts[1:4]) > 0, counts
        points = read.prim(SEGMENTS).GetAttribute("points")
        assert len(points.Get(11.0)) == len(points.Get(100.0)) == 0
        assert judged(f"{where}/x.usdc") == UNKNOWN
        assert "upAxis and metersPerUnit: not known" in said
        names = [prim.GetName() for prim in read.prim("/impinge/heat").GetChildren()]
        assert names == ["object_0", "World_arm_5"], names
        prim = read.prim("/impinge/heat/World_arm_5")
        assert prim.GetMetadata("displayName") == "World/arm 5"
        assert prim.GetCustomDataByKey("impinge:name") == "World/arm 5"
        kinds = read.prim(SEGMENTS).GetCustomDataByKey("impinge:kinds")
        assert kinds["2"] == "segment" and kinds["17"] == "point at start", kinds


def test_columns():
    """Each column where results have it, with all its bits."""
    with folder() as where:
        file = moving(where)
        steps = [0.0, 12.0, 24.0, 36.0]
        check_all(where, file, steps, {"toi", "time"}, continuous=True)
        check_all(where, file, None, {"distance"}, distance=0.02)
        check_all(where, file, None, {"penetration", "relative"}, thickness=0.02)
        check_all(where, file, [24.0], frames="2:3")
        spheres = generate(f"{where}/s", "spheres", "--primitives", "2000", "--frames", "2")
        check_all(where, spheres, None, {"vertex", "winding", "depth"}, inside=True)


def test_torus():
    """The shared data, by text and binary, with its contours, and its meshes read back."""
    if not SHARED.exists():
        print("    skipped: no shared data")
        return
    with folder() as where:
        out, curves = f"{where}/r", f"{where}/c"
        impinge.run(SHARED, out, device="cpu", contours=curves)
        codes = [24.0 * k for k in range(48)]
        with impinge.open(out) as result, impinge.open(SHARED) as batch:
            contacts, frames = list(result), list(batch)
        assert sum(map(len, contacts)) == 15364
        each = [c.contours(f.points, f.triangles, f.objects) for c, f in zip(contacts, frames)]
        files = {"a.usda": {}, "b.usdc": {"contours": curves}}
        for name, more in files.items():
            said = impinge.export(out, f"{where}/{name}", up="Y", unit=0.01, **more)
            assert "15,364 contacts, 69 contours, 2 meshes" in said, said
            read = Read(f"{where}/{name}")
            check_contacts(read, contacts, codes, {"crossing"})
            check_contours(read, each, codes)
            assert not judged(f"{where}/{name}")
        check_heat(read, frames, contacts, codes)
        impinge.export(curves, f"{where}/c.usda")
        check_contours(Read(f"{where}/c.usda"), each, codes)
        impinge.convert(f"{where}/b.usdc", f"{where}/back", quiet=True)
        with impinge.open(f"{where}/back") as back:
            assert back.times.tolist() == list(range(48))
            found = 0
            for mine, frame in zip(back, frames):
                order = np.argsort(frame.objects, kind="stable")
                same_bits(mine.points[mine.triangles], frame.points[frame.triangles[order]], "f4")
                found += len(impinge.contacts(mine.points, mine.triangles, mine.objects))
        assert found == 15364, found


def test_other_files():
    """Of --counts and --regions: the numbers of their cells."""
    with folder() as where:
        file = moving(where)
        more = {"counts": f"{where}/n", "regions": f"{where}/g"}
        impinge.run(file, f"{where}/r", device="cpu", **more)
        for name, shown in (("n", "Contacts"), ("g", "RegionArea")):
            assert "2 meshes" in impinge.export(f"{where}/{name}", f"{where}/{name}.usdc")
            read = Read(f"{where}/{name}.usdc")
            with impinge.open(f"{where}/{name}") as batch:
                for k, frame in enumerate(batch):
                    values = batch.cell_arrays(k)[shown]
                    for number, path in meshes(read).items():
                        primvar = f"primvars:{shown[0].lower()}{shown[1:]}"
                        mine = read.at(path, primvar, 12.0 * k)
                        assert mine.tolist() == values[frame.objects == number].tolist()


def test_objects():
    """Of an array that the run was told, or of connected parts, which no array has."""
    with folder() as where:
        file = moving(where)
        with h5py.File(file, "a") as made:
            made["VTKHDF/CellData/part"] = np.tile(np.repeat([3, 4, 9], 20), 5).astype(np.int32)
            made["VTKHDF/Steps/CellDataOffsets/part"] = 60 * np.arange(5)
        impinge.run(file, f"{where}/r", device="cpu", objects="array:part")
        impinge.export(f"{where}/r", f"{where}/x.usda")
        read = Read(f"{where}/x.usda")
        with impinge.open(f"{where}/r") as result, impinge.open(file) as batch:
            parts = np.repeat([3, 4, 9], 20).astype(np.int32)
            frames = [frame._replace(objects=parts) for frame in batch]
            check_heat(read, frames, list(result), [12.0 * k for k in range(5)])
        assert sorted(meshes(read)) == [3, 4, 9]
        impinge.run(
            file, f"{where}/r", device="cpu", objects="connected", contours=f"{where}/c", force=True
        )
        said = impinge.export(f"{where}/r", f"{where}/a.usda")
        assert "no contours: " in said and "contour," not in said, said
        assert "contours, " in impinge.export(
            f"{where}/r", f"{where}/b.usda", contours=f"{where}/c"
        )


def test_topology():
    """Objects that come and go are empty while they are away; faces that change have samples."""
    one = np.array(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.1, 0.1, -1], [0.1, 0.1, 1], [0.5, 0.1, 1]], float
    )
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    with folder() as where:
        file = f"{where}/b"
        write_batch(
            file,
            [
                [(one, triangles[:1])],
                [(one, triangles)],
                [(one[::-1].copy(), 5 - triangles[::-1])],
                [(one, triangles[1:])],
            ],
        )
        with h5py.File(file, "a") as made:
            made["VTKHDF/CellData/ObjectId"] = np.array([1, 1, 2, 2, 1, 2], np.int32)
            made["VTKHDF/Steps/CellDataOffsets/ObjectId"] = [0, 1, 3, 5]
        read, _ = check_all(where, file, None)
        a, b = meshes(read)[1], meshes(read)[2]
        codes = [0.0, 12.0, 24.0, 36.0]
        assert [len(read.at(b, "points", code)) for code in codes] == [0, 3, 3, 3]
        assert [len(read.at(a, "points", code)) for code in codes] == [3, 3, 3, 0]
        assert read.codes(a, "faceVertexIndices") == [0.0, 24.0, 36.0]


def test_solids():
    """Tetrahedra, and triangles among them, come back as they were."""
    with folder() as where:
        file = generate(f"{where}/s", "scalpel", "--primitives", "600", "--frames", "2")
        impinge.run(file, f"{where}/r", device="cpu")
        impinge.export(f"{where}/r", f"{where}/x.usdc", up="Z", unit=1)
        read = Read(f"{where}/x.usdc")
        assert not judged(f"{where}/x.usdc")
        solid = [p for p in read.prim("/impinge/heat").GetChildren() if p.IsA(UsdGeom.TetMesh)]
        assert solid
        with impinge.open(file) as batch, impinge.open(f"{where}/r") as result:
            for k, frame in enumerate(batch):
                found, code = result[k], 24.0 * float(batch.times[k])
                count = np.bincount(
                    np.append(found.a, found.b).astype(int), minlength=len(frame.triangles)
                )
                for prim in solid:
                    rows = np.flatnonzero(
                        (frame.objects == prim.GetCustomDataByKey("impinge:object"))
                        & (frame.corner_count == 4)
                    )
                    path = str(prim.GetPath())
                    corners = read.at(path, "tetVertexIndices", code)
                    points = read.at(path, "points", code)
                    same_bits(points[corners], frame.points[frame.triangles[rows]], "f4")
                    assert read.at(path, "primvars:contacts", code).tolist() == count[rows].tolist()
                    assert len(read.at(path, "primvars:displayColor", code)) == len(points)
                    tets = UsdGeom.TetMesh(prim)
                    want = np.array(UsdGeom.TetMesh.ComputeSurfaceFaces(tets, Usd.TimeCode(code)))
                    mine = read.at(path, "surfaceFaceVertexIndices", code)
                    assert sorted(map(sorted, mine.tolist())) == sorted(map(sorted, want.tolist()))
        impinge.convert(f"{where}/x.usdc", f"{where}/back", quiet=True)
        with impinge.open(f"{where}/back") as back, impinge.open(file) as batch:
            for mine, frame in zip(back, batch):
                assert len(mine.triangles) == len(frame.triangles)


# ---- times and units


def test_stage():
    """Of a batch that was made of USD: its time codes, axis and unit."""
    with folder() as where:
        of = Usd.Stage.CreateNew(f"{where}/shot.usda")
        of.SetTimeCodesPerSecond(30)
        of.SetFramesPerSecond(30)
        UsdGeom.SetStageUpAxis(of, "Z")
        UsdGeom.SetStageMetersPerUnit(of, 1.0)
        codes = [1001.0, 1002.0, 1003.0, 1007.5]
        for name, z in (("/a/x", 0.0), ("/a_x", 0.01)):
            points = np.array([(0, 0, z), (1, 0, z), (0, 1, -z)], np.float32)
            usd_mesh(of, name, {code: points + (code - 1001) for code in codes})
        of.Save()
        impinge.convert(f"{where}/shot.usda", f"{where}/b", quiet=True)
        impinge.run(f"{where}/b", f"{where}/r", device="cpu")
        said = impinge.export(f"{where}/r", f"{where}/x.usda")
        read = Read(f"{where}/x.usda")
        assert read.codes(SEGMENTS) == codes and "not known" not in said, (
            read.codes(SEGMENTS),
            said,
        )
        assert read.stage.GetTimeCodesPerSecond() == read.stage.GetFramesPerSecond() == 30
        assert UsdGeom.GetStageUpAxis(read.stage) == "Z"
        assert UsdGeom.GetStageMetersPerUnit(read.stage) == 1
        names = [prim.GetName() for prim in read.prim("/impinge/heat").GetChildren()]
        assert sorted(names) == ["a_x", "a_x_2"], names
        assert not judged(f"{where}/x.usda")
        impinge.convert(f"{where}/x.usda", f"{where}/back", quiet=True)
        with impinge.open(f"{where}/back") as back, impinge.open(f"{where}/b") as batch:
            assert back.times.tobytes() == batch.times.tobytes()
        impinge.export(f"{where}/r", f"{where}/y.usda", rate=24, up="Y", unit=0.5, codes="frames")
        read = Read(f"{where}/y.usda")
        assert read.codes(POINTS) == [0.0, 1.0, 2.0, 3.0]
        assert read.stage.GetTimeCodesPerSecond() == 24
        assert UsdGeom.GetStageUpAxis(read.stage) == "Y"
        assert UsdGeom.GetStageMetersPerUnit(read.stage) == 0.5


def test_codes():
    """A time code is a whole number where that gives the same time again."""
    for rate in (24.0, 30.0, 29.97, 25.0, 24000 / 1001):
        whole = np.arange(2000.0)
        assert stage.codes_of(whole / rate, rate).tolist() == whole.tolist()
        times = np.random.default_rng(1).random(2000) * 100
        made = stage.codes_of(times, rate)
        assert ((made / rate == times) | (abs(made - times * rate) <= np.spacing(made))).all()


def test_same_times():
    with folder() as where:
        file = moving(where, [0, 1, 1, 2, 3])
        impinge.run(file, f"{where}/r", device="cpu")
        what = raises(impinge.InputError, impinge.export, f"{where}/r", f"{where}/x.usda")
        assert "frames 1 and 2" in str(what) and "--codes frames" in str(what)
        assert not os.path.exists(f"{where}/x.usda")
        impinge.export(f"{where}/r", f"{where}/x.usda", codes="frames")
        assert Read(f"{where}/x.usda").codes(SEGMENTS) == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_saved():
    """Samples that are saved before the end, and their temporary file, are the same stage."""
    with folder() as where:
        file = moving(where)
        impinge.run(file, f"{where}/r", device="cpu")
        impinge.export(f"{where}/r", f"{where}/a.usdc")
        before, stage.PENDING = stage.PENDING, 1
        saved, save = [], stage.Output.save

        def counted(self, all_of_it=False):
            save(self, all_of_it)
            saved.append(os.path.getsize(self._made))

        stage.Output.save = counted
        try:
            impinge.export(f"{where}/r", f"{where}/b.usdc")
        finally:
            stage.PENDING, stage.Output.save = before, save
        assert len(saved) == 6 and saved == sorted(saved) and saved[1] > saved[0], saved
        one, other = (Read(f"{where}/{name}.usdc").stage for name in "ab")
        text = one.GetRootLayer().ExportToString()
        assert text == other.GetRootLayer().ExportToString() and "faceVertexIndices" in text


# ---- arrays


def test_arrays():
    with folder() as where:
        with impinge.open(moving(where)) as batch:
            frames = list(batch)
        meshes_of = [(f.points, f.triangles, f.objects) for f in frames]
        found = [impinge.contacts(*m) for m in meshes_of]
        assert len(found[2])
        impinge.export(found[2], f"{where}/a.usda", meshes_of[2])
        read = Read(f"{where}/a.usda")
        check_contacts_without_objects(read, found[2], None)
        assert not read.codes(SEGMENTS)
        path = meshes(read)[5]
        rows = frames[2].objects == 5
        numbers = np.bincount(np.append(found[2].a, found[2].b).astype(int), minlength=60)
        assert read.at(path, "primvars:contacts", None).tolist() == numbers[rows].tolist()
        impinge.export(found, f"{where}/b.usda", meshes_of)
        read = Read(f"{where}/b.usda")
        assert read.codes(SEGMENTS) == [24.0 * k for k in range(5)]
        for k in range(5):
            check_contacts_without_objects(read, found[k], 24.0 * k)
        assert "contacts/segments" not in impinge.export(found[1], f"{where}/c.usda", meshes_of[1])
        curves = [impinge.contours(*m) for m in meshes_of]
        impinge.export(curves, f"{where}/d.usda")
        check_contours(Read(f"{where}/d.usda"), curves, [24.0 * k for k in range(5)])
        small = meshes_of[2][0], meshes_of[2][1][:3]
        text = str(raises(impinge.InputError, impinge.export, found[2], f"{where}/e.usda", small))
        assert "3 primitives" in text, text
        scene = {"arm/1": meshes_of[2][:2], "arm 1": (meshes_of[2][0] + 9, meshes_of[2][1])}
        impinge.export(found[2], f"{where}/f.usda", scene)
        read = Read(f"{where}/f.usda")
        names = [prim.GetName() for prim in read.prim("/impinge/heat").GetChildren()]
        assert names == ["arm_1", "arm_1_2"], names
        raises(impinge.ArgumentError, impinge.export, 3, f"{where}/e.usda")
        raises(impinge.ArgumentError, impinge.export, found[2], f"{where}/e.usda", 3)


def check_contacts_without_objects(read, found, code):
    dot = (found.ends[:, 0] == found.ends[:, 1]).all(1)
    same_bits(
        read.at(SEGMENTS, "points", code).reshape(-1, 3), found.ends[~dot].reshape(-1, 3), "f4"
    )
    same_bits(read.at(SEGMENTS, "primvars:primitiveA", code), found.a[~dot], "i8")


# ---- errors


def test_errors():
    with folder() as where:
        file = moving(where)
        out, result = f"{where}/x.usdc", f"{where}/r"
        impinge.run(file, result, device="cpu")

        def refused(kind, text, *given, **options):
            what = str(raises(kind, impinge.export, *given, **options))
            assert text in what, what

        argument, given = impinge.ArgumentError, impinge.InputError
        refused(argument, ".usdz: a USD file", result, f"{where}/x.usdz")
        refused(impinge.ImpingeError, "No such file or directory", result, f"{where}/no/x.usd")
        refused(given, "no such file", f"{where}/gone", out)
        refused(given, "not a result, nor", file, out)
        refused(given, "not there", result, out, f"{where}/gone")
        refused(given, "is no file of run --contours", result, out, contours=file)
        for options in ({"width": 0}, {"rate": -1}, {"unit": float("nan")}, {"up": "X"}):
            refused(argument, next(iter(options)), result, out, **options)
        refused(argument, "colors", result, out, colors="red")
        Path(out).write_text("precious")
        refused(argument, "exists already", result, out)
        assert Path(out).read_text() == "precious"
        os.link(result, f"{where}/r.usd")
        refused(argument, "not replaced", result, f"{where}/r.usd", force=True)
        impinge.export(result, out, force=True)
        assert judged(out) == UNKNOWN
        os.rename(file, f"{where}/moved")
        said = impinge.export(result, out, force=True)
        assert "no heat map" in said and not Read(out).stage.GetPrimAtPath("/impinge/heat")
        assert "2 meshes" in impinge.export(result, out, f"{where}/moved", force=True)
        said = impinge.export(result, out, f"{where}/moved", heat=False, force=True)
        assert "mesh" not in said
        assert not list(Path(where).glob(".*"))


def test_range():
    """A point that no float32 is near to."""
    with folder() as where:
        points = np.array(
            [[0, 0, 0], [1e39, 0, 0], [0, 1e39, 0], [1, 1, -1e39], [1, 1, 1e39], [2, 1, 1e39]]
        )
        found = impinge.contacts(points, [[0, 1, 2], [3, 4, 5]])
        assert len(found) == 1
        impinge.export(found, f"{where}/a.usda")
        mesh = points, np.array([[0, 1, 2], [3, 4, 5]])
        what = raises(impinge.InputError, impinge.export, found, f"{where}/b.usda", mesh)
        assert "no finite float32" in str(what)
        assert os.listdir(where) == ["a.usda"]


def child(text, *words):
    return subprocess.run([sys.executable, "-c", text, *words], capture_output=True, text=True)


def test_full_disk():
    """Nothing is left, and what was there stays."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
    body = "import sys, impinge\ntry: impinge.export(*sys.argv[1:3], force=True)\nexcept impinge.ImpingeError as what: print(what)"
    with folder() as where:
        impinge.run(moving(where), f"{where}/r", device="cpu")
        before = sorted(os.listdir(where))
        for ending in ("usda", "usdc"):
            out = f"{where}/x.{ending}"
            Path(out).write_text("precious")
            said = child(limit + body, f"{where}/r", out)
            assert "x." + ending + ": cannot be written: File too large" in said.stdout, said
            assert Path(out).read_text() == "precious"
            os.unlink(out)
            assert sorted(os.listdir(where)) == before


def test_without_usd():
    body = "import sys\nsys.modules['pxr'] = None\nimport impinge\ntry: impinge.export(*sys.argv[1:3])\nexcept impinge.ArgumentError as what: print(what)"
    with folder() as where:
        impinge.run(moving(where), f"{where}/r", device="cpu")
        said = child(body, f"{where}/r", f"{where}/x.usda")
        assert "to write it: pip install 'impinge[io]'" in said.stdout, said


def test_verb():
    with folder() as where:
        impinge.run(moving(where), f"{where}/r", device="cpu")

        def verb(*words):
            done = subprocess.run(
                [sys.executable, "-m", "impinge", "export", *words], capture_output=True, text=True
            )
            return done.returncode, done.stdout, done.stderr

        code, out, err = verb(f"{where}/r", "-o", f"{where}/x.usda", "--colors", "kind")
        assert code == 0 and "5 frames" in out and not err, (code, out, err)
        read = Read(f"{where}/x.usda")
        colours = read.at(SEGMENTS, "primvars:displayColor", 24.0)
        kinds = read.at(SEGMENTS, "primvars:kind", 24.0)
        assert len({(*c, k) for c, k in zip(colours.tolist(), kinds.tolist())}) == len(set(kinds))
        code, out, err = verb(f"{where}/r", "-o", f"{where}/x.usda")
        assert code == 2 and "--force replaces it" in err, (code, err)
        assert verb(f"{where}/r", "-o", f"{where}/x.usda", "--force", "-q", "--no-heat")[:2] == (
            0,
            "",
        )
        assert not Read(f"{where}/x.usda").stage.GetPrimAtPath("/impinge/heat")


main(globals())
