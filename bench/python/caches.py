"""Deforming caches: how fast their floats are read, beside h5py, in turns; what a whole conversion takes; and contacts of
a deforming stage beside ovclash. In one run. Ends with 1 where what is read is not what was written, or where contacts
are not those of the arrays.

    caches.py [--small] [--csv FILE]

What is not there, of usd-core, alembic3d, ovclash and the shared data, is left out. `./dev bench --caches` has all."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import impinge
import numpy as np
from impinge.importers.caches import CacheOptions
from impinge.importers.readers import open_file
from measure import Sheet, Turns, alternate, main, say, timed

TURNS, FEW = Turns(7, 6.0, 40), Turns(2, 0.0)
PACKAGES = ("impinge", "numpy", "h5py", "usd-core", "alembic3d", "ovclash")
H5PY = "h5py"
READERS = {".usdc": "USD", ".abc": "Alembic", ".mdd": "MDD", ".pc2": "PC2"}
SPEED = "{} frames of {:,} points: the same floats, in the same arrays"
WHOLE = "{} frames of {:,} points: a whole conversion"
TORUS = "torus-sphere, 48 frames written by usd-core: contacts of both meshes"
SHARED = Path(__file__).resolve().parents[2].parent / "shared/data/torus-sphere-surface.vtkhdf"
SIZES = {False: (60, 100_352), True: (4, 2_048)}  # small or not: frames and points


# ---- the same frames in each format


def sheet_of(frames, count):
    """points (f, n, 3) float32, all different, and triangles (m, 3) of a grid."""
    columns = 512 if count > 4096 else 64
    rows = count // columns
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    flat = np.stack([x, y, 0 * x], -1).reshape(-1, 3)
    at = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    quads = [at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]]
    a, b, c, d = (corner.ravel() for corner in quads)
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    points = np.repeat(flat[None], frames, 0)
    random = np.random.default_rng(1)
    points[:, :, 2] = random.random((frames, len(flat)), np.float32)
    return points, triangles


def write_h5py(path, points, triangles):
    import h5py

    with h5py.File(path, "w") as file:
        file["points"] = points.reshape(-1, 3)


def write_usd(path, points, triangles):
    stage_of(path, {"mesh": (points, triangles)}, 24.0)


def stage_of(path, meshes, rate):
    """By usd-core, a mesh for each, with a sample of its points in each frame."""
    from pxr import Usd, UsdGeom, Vt

    stage = Usd.Stage.CreateNew(str(path))
    stage.SetTimeCodesPerSecond(rate)
    for name, (points, triangles) in meshes.items():
        mesh = UsdGeom.Mesh.Define(stage, f"/{name}")
        mesh.GetSubdivisionSchemeAttr().Set("none")
        mesh.GetFaceVertexCountsAttr().Set(
            Vt.IntArray.FromNumpy(np.full(len(triangles), 3, np.int32))
        )
        corners = np.ascontiguousarray(triangles, np.int32).ravel()
        mesh.GetFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(corners))
        for k, frame in enumerate(points):
            frame = np.ascontiguousarray(frame, np.float32)
            mesh.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(frame), float(k))
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(points) - 1)
    stage.GetRootLayer().Save()


def write_alembic(path, points, triangles):
    import imath
    from alembic3d import Abc, AbcCoreAbstract, AbcGeom

    def array(kind, values):
        made = kind(len(values))
        np.asarray(made)[:] = values
        return made

    archive = Abc.OArchive(str(path))
    times = AbcCoreAbstract.TimeSampling(1 / 24, 0.0)
    mesh = AbcGeom.OPolyMesh(archive.getTop(), "mesh", archive.addTimeSampling(times))
    schema = mesh.getSchema()
    corners = array(imath.IntArray, triangles[:, ::-1].ravel())
    counts = array(imath.IntArray, np.full(len(triangles), 3, np.int32))
    for frame in points:
        schema.set(AbcGeom.OPolyMeshSchemaSample(array(imath.V3fArray, frame), corners, counts))
    del schema, mesh, archive


def write_obj(path, points, triangles):
    with open(path, "w") as file:
        file.writelines("v %.9g %.9g %.9g\n" % tuple(row) for row in points[0].tolist())
        file.writelines("f %d %d %d\n" % tuple(row) for row in (triangles + 1).tolist())


def write_mdd(path, points, triangles):
    write_obj(path.with_suffix(".obj"), points, triangles)
    with open(path, "wb") as file:
        np.array(points.shape[:2], ">i4").tofile(file)
        (np.arange(len(points)) / 24).astype(">f4").tofile(file)
        points.astype(">f4").tofile(file)


def write_pc2(path, points, triangles):
    write_obj(path.with_suffix(".obj"), points, triangles)
    with open(path, "wb") as file:
        file.write(b"POINTCACHE2\0")
        np.array([1, points.shape[1]], "<i4").tofile(file)
        np.array([0, 1], "<f4").tofile(file)
        np.array([len(points)], "<i4").tofile(file)
        points.astype("<f4").tofile(file)


WRITERS = {".usdc": write_usd, ".abc": write_alembic, ".mdd": write_mdd, ".pc2": write_pc2}


# ---- reading


def by_h5py(path, into):
    """All frames, one after another, each to its place. The file is open, as those of the others are."""
    import h5py

    file = h5py.File(path)
    data, count = file["points"], into.shape[1]

    def read():
        for k, frame in enumerate(into):
            data.read_direct(frame, np.s_[k * count : (k + 1) * count])
        return into

    return read


def by_importer(path, into):
    source = open_file(str(path), False, cache=CacheOptions())

    def read():
        for k, frame in enumerate(into):
            (piece,) = source.read(k)
            frame[...] = piece.points
        return into

    return read


def speeds(sheet, folder, size, turns):
    points, triangles = sheet_of(*size)
    table = SPEED.format(*points.shape[:2])
    write_h5py(folder / "points.h5", points, triangles)
    readers = {H5PY: by_h5py(folder / "points.h5", np.empty_like(points))}
    for ending, name in READERS.items():
        path = folder / f"cache{ending}"
        try:
            WRITERS[ending](path, points, triangles)
            readers[name] = by_importer(path, np.empty_like(points))
        except (ImportError, impinge.ArgumentError) as what:
            say(f"left out: {name}: {what}")
    found = alternate({name: timed(read) for name, read in readers.items()}, turns)
    least = min(found[H5PY][0])
    for name, (times, answer) in found.items():
        sheet.times(table, name, times)
        sheet.number(table, name, "speed, h5py = 1", least / min(times))
        if answer.tobytes() != points.tobytes():
            sheet.fault(f"{name}: what was read is not what was written")


def processor():
    """Seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def whole(sheet, folder, size, turns):
    """To a batch, in the processes that it takes: the batch, and all checks, included. Of the caches that `speeds` has
    written."""
    points, _ = sheet_of(*size)
    table = WHOLE.format(*points.shape[:2])
    for ending, name in READERS.items():
        path, out, used = folder / f"cache{ending}", folder / "batch.vtkhdf", []
        if not path.exists():
            continue
        for _ in range(max(1, turns.least // 3)):
            before = processor()
            impinge.convert(path, out, force=True, quiet=True)
            used.append(processor() - before)
        sheet.number(table, name, "seconds of a processor", min(used))
        sheet.number(table, name, "megabytes a second", points.nbytes / 1e6 / min(used))
        with impinge.open(out) as batch:
            if any((a.points != b).any() for a, b in zip(batch, points)):
                sheet.fault(f"{name}: the batch is not what was written")


# ---- ovclash


def ovclash(path, frames):
    """Its own command, over all frames, with its defaults. Its pairs of triangles in all of them."""
    words = ["--dynamic", "--start-time", "0", "--end-time", str(frames - 1)]
    words += ["--time-codes-per-second", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "ovclash", "--stage", path, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONNOUSERSITE": "1"},
    )
    if done.returncode:
        raise OSError((done.stderr.strip() or "ended with %d" % done.returncode).splitlines()[-1])
    return sum(one["nb_elements"] for one in json.loads(done.stdout)["overlaps"])


def still(path, meshes, frame):
    """The same with one frame alone, which does not move."""
    stage_of(
        path, {name: (points[frame : frame + 1], t) for name, (points, t) in meshes.items()}, 1.0
    )
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(path))
    for prim in stage.Traverse():
        points = UsdGeom.Mesh(prim).GetPointsAttr()
        value = points.Get(0.0)
        points.Clear()
        points.Set(value)
    stage.GetRootLayer().Save()


def of_impinge(path, folder):
    batch, result = folder / "torus.vtkhdf", folder / "result.vtkhdf"
    impinge.convert(path, batch, force=True, quiet=True)
    return impinge.run(batch, result, device="cpu", force=True)["contacts"]


def counts(sheet, folder):
    """Contacts of all frames, and of the one with the most, given as a stage without motion."""
    if not SHARED.exists():
        say(f"left out: no {SHARED.name}")
        return
    with impinge.open(SHARED) as batch:
        frames = list(batch)
    meshes = {}
    for number in np.unique(frames[0].objects):
        rows, at = np.unique(frames[0].triangles[frames[0].objects == number], return_inverse=True)
        meshes[f"object{number}"] = np.stack([f.points[rows] for f in frames]), at.reshape(-1, 3)
    numbers = [len(impinge.contacts(f.points, f.triangles, f.objects)) for f in frames]
    most = int(np.argmax(numbers))
    try:
        stage_of(folder / "torus.usdc", meshes, 1.0)
        still(folder / "still.usdc", meshes, most)
    except ImportError as what:
        say(f"left out: USD: {what}")
        return
    truth = {"all 48 frames, moving": sum(numbers), f"frame {most} alone, still": numbers[most]}
    for (column, want), name in zip(truth.items(), ("torus.usdc", "still.usdc")):
        found = of_impinge(folder / name, folder)
        sheet.count(TORUS, "impinge", column, found)
        if found != want:
            sheet.fault(f"impinge finds {found} contacts of {want}: {column}")
        length = len(frames) if name == "torus.usdc" else 1
        try:
            version = metadata.version("ovclash")
            sheet.count(TORUS, f"ovclash {version}", column, ovclash(folder / name, length))
        except (metadata.PackageNotFoundError, OSError, ValueError, KeyError) as what:
            say(f"left out: ovclash: {what}")


def compare(folder, small, turns):
    sheet = Sheet()
    counts(sheet, folder)
    speeds(sheet, folder, SIZES[small], turns)
    whole(sheet, folder, SIZES[small], turns)
    return sheet


if __name__ == "__main__":
    sys.exit(main(__doc__, PACKAGES, compare, FEW, TURNS))
