"""Alembic: what the writer was given is what is read."""

import sys
from fractions import Fraction
from pathlib import Path

import impinge
import numpy as np
from common import folder, main, raises
from sample import put

try:
    import abc_writer as abc
    import h5py
    from alembic3d import AbcGeom
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from impinge.importers import alembic, notes  # noqa: E402
from impinge.importers.caches import CacheOptions  # noqa: E402
from impinge.importers.mesh import join  # noqa: E402
from impinge.importers.readers import open_file  # noqa: E402

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
random = np.random.default_rng(5)
POINTS = random.random((5, 3)).astype(np.float32)
FACES = [[0, 1, 2], [2, 1, 3, 4]]
QUARTER = np.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], float)
TRIPLE = np.diag([3.0, 3, 3, 1]) @ QUARTER


def read(path, groups=False, between=None):
    """Times, and of each frame its points and cells by object."""
    notes.forget()
    source = open_file(str(path), groups, cache=between and CacheOptions(between))
    frames = []
    for k in range(len(source.times or [0])):
        mesh = join(path, source.read(k), True)
        made = {}
        for cell, row in zip(np.split(mesh.corners, mesh.ends[:-1]), mesh.objects):
            made.setdefault(mesh.names[row], []).append(mesh.points[cell])
        frames.append(made if len(mesh.types) else {})
    return source.times, frames


def turned(points, faces=FACES):
    """Corners of faces, counter-clockwise."""
    return [np.asarray(points)[face[::-1]] for face in faces]


def same(found, want):
    assert len(found) == len(want), (found, want)
    for one, other in zip(found, want):
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes(), (one, other)


def test_times():
    """Every sample at its own time, whatever gives the times."""
    samplings = (
        (abc.uniform(1 / 24, 1.0), [1 + k / 24 for k in range(12)]),
        (abc.uniform(1.0, 3.0), [3.0 + k for k in range(12)]),
        (abc.acyclic(np.arange(12) ** 2 / 10), (np.arange(12) ** 2 / 10).tolist()),
        (abc.cyclic([0, 0.1, 0.3], 0.5), [i / 2 + t for i in range(4) for t in (0, 0.1, 0.3)]),
    )
    with folder() as where:
        for sampling, want in samplings:
            samples = [POINTS + np.float32(k) for k in range(12)]
            with abc.Writer(f"{where}/a.abc") as file:
                file.mesh("m", samples, FACES, sampling)
            times, frames = read(f"{where}/a.abc")
            assert np.allclose(times, want, 0, 1e-12) and len(frames) == 12, (times, want)
            for frame, points in zip(frames, samples):
                same(frame["/m"], turned(points))
            assert not notes.lines()


def test_winding():
    """A box whose faces are clockwise from outside, as the format wants, is not inside out."""
    corners = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)], np.float32)
    sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    with folder() as where:
        with abc.Writer(f"{where}/a.abc") as file:
            file.mesh("m", [corners], [side[::-1] for side in sides])
        _, (frame,) = read(f"{where}/a.abc")
        same(frame["/m"], [corners[side] for side in sides])
        volume = sum(np.linalg.det(cell[[0, k, k + 1]]) / 6 for cell in frame["/m"] for k in (1, 2))
        assert abs(volume - 1) < 1e-6, volume


def by_fractions(points, matrices):
    """Rows of points times matrices, each sum and product rounded as the reader's."""
    made = []
    whole = matrices[0]
    for matrix in matrices[1:]:
        whole = [[dot(row, matrix[:, k]) for k in range(4)] for row in whole]
    whole = np.asarray(whole, float)
    for point in np.asarray(points, float):
        made.append([dot((*point, 1.0), whole[:, k]) for k in range(3)])
    return np.array(made)


def dot(a, b):
    """Products, then sums from the left, each rounded once: exact, and then rounded."""
    parts = [float(Fraction(float(x)) * Fraction(float(y))) for x, y in zip(a, b)]
    total = parts[0]
    for part in parts[1:]:
        total = float(Fraction(total) + Fraction(part))
    return total


def moves(count):
    made = np.tile(np.eye(4), (count, 1, 1))
    made[:, :, :3] += random.random((count, 4, 3)) / 3
    return made


def test_transforms():
    """Three levels, each animated, and one that does not inherit at times: bit for bit."""
    upper, lower, lone = moves(4), moves(4), moves(4)
    with folder() as where:
        with abc.Writer(f"{where}/a.abc") as file:
            step = abc.uniform(0.5)
            a = file.xform("a", upper, step)
            b = file.xform("b", lower, step, a)
            file.mesh("m", [POINTS], FACES, of=b)
            c = file.xform("c", list(zip(lone, (True, False, False, True))), step, a)
            file.mesh("m", [POINTS], FACES, of=c)
            file.mesh("still", [POINTS], FACES, of=file.xform("id", [np.eye(4)]))
        times, frames = read(f"{where}/a.abc")
        assert times == [0.0, 0.5, 1.0, 1.5] and not notes.lines(), notes.lines()
        for k, frame in enumerate(frames):
            same(frame["/a/b/m"], turned(by_fractions(POINTS, [lower[k], upper[k]])))
            of_c = [lone[k], upper[k]] if k in (0, 3) else [lone[k]]
            same(frame["/a/c/m"], turned(by_fractions(POINTS, of_c)))
            same(frame["/id/still"], turned(POINTS.astype(float)))
        with abc.Writer(f"{where}/b.abc") as file:
            file.mesh("still", [POINTS], FACES, of=file.xform("id", [np.eye(4)]))
            broken = np.eye(4)
            broken[0, 3] = 0.5
            file.mesh("m", [POINTS], FACES, of=file.xform("p", [np.eye(4), broken], step))
        same(read_first(f"{where}/b.abc")["/id/still"], turned(POINTS))
        what = raises(impinge.InputError, read, f"{where}/b.abc")
        assert "b.abc: /p: a matrix of a projection" in str(what), what


def read_first(path):
    mesh = join(path, open_file(path, False).read(0), True)
    cells = np.split(mesh.corners, mesh.ends[:-1])
    made = {}
    for cell, row in zip(cells, mesh.objects):
        made.setdefault(mesh.names[row], []).append(mesh.points[cell])
    return made


def test_between():
    """At times of others: between its own samples, or held; never its first one."""
    fast = [POINTS + np.float32(k) for k in range(5)]
    slow = [POINTS, 2 * POINTS]
    with folder() as where:
        path = f"{where}/a.abc"
        with abc.Writer(path) as file:
            file.mesh("fast", fast, FACES, abc.uniform(0.25))
            file.mesh("slow", slow, FACES, abc.acyclic([0.25, 0.75]))
            shift = file.xform("x", [np.eye(4), TRIPLE], abc.acyclic([0.0, 1.0]))
            file.mesh("m", [POINTS], FACES, of=shift)
            file.mesh("alone", [POINTS], FACES, abc.uniform(1, 0.3))
            still = file.xform("still", [TRIPLE, TRIPLE], abc.acyclic([0.0, 0.75]))
            file.mesh("m", [POINTS, POINTS], FACES, abc.acyclic([0.25, 1.0]), of=still)
        p = POINTS.astype(float)
        for how in (None, "interpolated", "held"):
            times, frames = read(path, False, how)
            assert times == [0.0, 0.25, 0.5, 0.75, 1.0], times
            for k, frame in enumerate(frames):
                found = [cell.astype(float) for cell in frame["/fast"]]
                same(found, turned(fast[k].astype(float)))
                same_numbers(frame["/alone"], turned(p))
                same_numbers(frame["/still/m"], turned(p @ TRIPLE[:3, :3]))
            middle = p if how == "held" else p + 0.5 * (2 * p - p)
            for frame, want in zip(frames, (p, p, middle, 2 * p, 2 * p)):
                same_numbers(frame["/slow"], turned(want))
            for k, frame in enumerate(frames):
                share = 1.0 if k == 4 else (0.0 if how == "held" else k / 4)
                now = ((1 - share) * np.eye(4) + share * TRIPLE)[:3, :3]
                same_numbers(frame["/x/m"], turned(p @ now))
            lines = "\n".join(notes.lines())
            if how == "held":
                assert f"{alembic.HELD}; 2 such" in lines and alembic.MOVED not in lines, lines
            else:
                assert f"{alembic.MOVED}; 2 such" in lines, lines
                assert f"{alembic.HELD}\n" in lines + "\n", lines  # slow, outside of its samples


def same_numbers(found, want):
    assert all(np.allclose(one, other, 0, 1e-15) for one, other in zip(found, want)), (found, want)


def test_operations():
    """Transforms of operations: between samples their numbers are between."""

    def turn(degrees, by):
        import imath

        made = AbcGeom.XformSample()
        made.setTranslation(imath.V3d(by, 0, 0))
        made.setRotation(imath.V3d(0, 0, 1), degrees)
        return made

    with folder() as where:
        with abc.Writer(f"{where}/a.abc") as file:
            x = file.xform("x", [turn(0.0, 0.0), turn(90.0, 2.0)], abc.acyclic([0.0, 1.0]))
            file.mesh("m", [POINTS], FACES, of=x)
            file.mesh("n", [POINTS] * 3, FACES, abc.uniform(0.5))
        _, frames = read(f"{where}/a.abc")
        c = np.sqrt(0.5)
        want = POINTS.astype(float) @ np.array([[c, c, 0], [-c, c, 0], [0, 0, 1]]) + [1, 0, 0]
        assert all(np.allclose(a, b) for a, b in zip(frames[1]["/x/m"], turned(want)))


def test_near_times():
    """Times of two exporters, k / 24 by different ways, are one frame; close ones stay apart."""
    ways = [[k / 24 for k in range(1, 50)], [k * (1 / 24) for k in range(1, 50)]]
    assert ways[0] != ways[1]
    with folder() as where:
        with abc.Writer(f"{where}/a.abc") as file:
            for k, times in enumerate(ways):
                samples = [POINTS + np.float32(j) for j in range(49)]
                file.mesh(f"m{k}", samples, FACES, abc.acyclic(times))
        times, frames = read(f"{where}/a.abc")
        assert len(times) == 49 and not notes.lines(), (len(times), notes.lines())
        for j, frame in enumerate(frames):
            same(frame["/m0"], turned(POINTS + np.float32(j)))
            same(frame["/m1"], turned(POINTS + np.float32(j)))
        with abc.Writer(f"{where}/b.abc") as file:
            samples = [POINTS + np.float32(j) for j in range(3)]
            file.mesh("m", samples, FACES, abc.acyclic([5.0, 5.0 + 1e-12, 6.0]))
        times, frames = read(f"{where}/b.abc")
        assert times == [5.0, 5.0 + 1e-12, 6.0], times
        for j, frame in enumerate(frames):
            same(frame["/m"], turned(samples[j]))


def test_topology():
    """Faces, and the number of points, change from sample to sample; between, they are held."""
    shapes = [
        (POINTS, FACES),
        (2 * POINTS, [[0, 1, 2]]),
        (POINTS[:4], [[0, 1, 2]]),
        (np.concatenate([POINTS, POINTS]), [[9, 1, 2, 3, 4], [0, 5, 6]]),
        (POINTS[:3], []),
    ]
    with folder() as where:
        path = f"{where}/a.abc"
        with abc.Writer(path) as file:
            file.mesh("m", shapes, None, abc.uniform(1.0))
            file.mesh("n", [POINTS] * 9, FACES, abc.uniform(0.5))
        times, frames = read(path)
        assert times == [k / 2 for k in range(9)]
        for k, frame in enumerate(frames):
            points, faces = shapes[k // 2]
            assert ("/m" in frame) == bool(faces)
            same(frame.get("/m", []), turned(points, faces))
        assert any(alembic.HELD in line for line in notes.lines())
        impinge.convert(path, f"{where}/out.vtkhdf", quiet=True)
        with impinge.open(f"{where}/out.vtkhdf") as batch:
            assert [len(frame.triangles) for frame in batch] == [6, 6, 4, 4, 4, 4, 7, 7, 3]


def test_instances():
    """Expanded, with names and places of their own."""
    shift = np.eye(4)
    shift[3, :3] = 1, 2, 4
    with folder() as where:
        with abc.Writer(f"{where}/a.abc") as file:
            source = file.xform("source", [shift, 2 * shift + np.diag([0, 0, 0, -1])],
                                abc.uniform(1.0))  # fmt: skip
            file.mesh("m", [POINTS], FACES, of=source)
            for k in range(2):
                at = file.xform(f"at{k}", [QUARTER])
                file.instance(at, source, f"copy{k}")
        _, frames = read(f"{where}/a.abc")
        for k, frame in enumerate(frames):
            moved = (k + 1) * POINTS.astype(float) + (k + 1) * np.array([1.0, 2, 4])
            assert list(frame) == ["/source/m", "/at0/copy0/m", "/at1/copy1/m"], list(frame)
            same_numbers(frame["/source/m"], turned(moved))
            for name in ("/at0/copy0/m", "/at1/copy1/m"):
                same_numbers(frame[name], turned(moved @ QUARTER[:3, :3]))


def test_loop():
    """Instances of each other have no end."""
    with folder() as where:
        with abc.Writer(f"{where}/a.abc") as file:
            a, b = file.group("a"), file.group("b")
            file.instance(a, b, "of_b")
            file.instance(b, a, "of_a")
            file.mesh("m", [POINTS], FACES)
        what = raises(impinge.InputError, read, f"{where}/a.abc")
        assert "/a/of_b/of_a: an instance of what it is in" in str(what), what


def test_visibility():
    """By the object, or by the nearest above it that says anything, at each time."""
    with folder() as where:
        path = f"{where}/a.abc"
        with abc.Writer(path) as file:
            step = abc.uniform(1.0)
            above = file.group("g")
            file.visible(above, [-1, 0, 1], step)
            file.mesh("plain", [POINTS] * 3, FACES, step, above)
            for name, value in (("shown", 1), ("hidden", 0), ("as", -1)):
                file.visible(file.mesh(name, [POINTS], FACES, of=above), [value])
        _, frames = read(path)
        want = [["plain", "shown", "as"], ["shown"], ["plain", "shown", "as"]]
        assert [list(frame) for frame in frames] == [[f"/g/{n}" for n in w] for w in want]
        assert any(f"{alembic.HIDDEN}; 3 such" in line for line in notes.lines()), notes.lines()
        with abc.Writer(path) as file:
            file.visible(file.mesh("m", [POINTS], FACES), [0])
        what = raises(impinge.InputError, impinge.convert, path, f"{where}/out.vtkhdf")
        assert "no triangle" in str(what), what


def test_groups():
    """Face sets are objects by groups alone; a face of several is in the first."""
    faces = [[0, 1, 2], [1, 2, 3], [2, 3, 4], [0, 3, 4]]
    with folder() as where:
        path = f"{where}/a.abc"
        with abc.Writer(path) as file:
            mesh = file.mesh("m", [POINTS], faces)
            file.face_set(mesh, "left", [1, 2])
            file.face_set(mesh, "right", [2, 3])
        _, (frame,) = read(path, True)
        cells = turned(POINTS, faces)
        assert list(frame) == ["/m", "/m/left", "/m/right"]
        same(frame["/m"], cells[:1])
        same(frame["/m/left"], cells[1:3])
        same(frame["/m/right"], cells[3:])
        out = f"{where}/out.vtkhdf"
        impinge.convert(path, out, groups=True, quiet=True)
        with impinge.open(out) as batch:
            assert batch[0].objects.tolist() == [0, 1, 1, 2]
            assert batch.file["VTKHDF/CellData/SourceId"][:].tolist() == [0, 1, 2, 3]
        _, (frame,) = read(path)
        assert list(frame) == ["/m"]
        same(frame["/m"], cells)
        with abc.Writer(path) as file:
            file.face_set(file.mesh("m", [POINTS], faces), "left", [4])
        what = raises(impinge.InputError, read, path, True)
        assert "/m: left has face 4; the mesh has 4" in str(what), what


def test_others():
    """Cages are read; holes in them, curves and all else are counted."""
    with folder() as where:
        path = f"{where}/a.abc"
        with abc.Writer(path) as file:
            file.mesh("cage", [POINTS, 2 * POINTS], FACES, abc.uniform(1.0), cage=[])
            file.mesh("holes", [POINTS], FACES, cage=[0])
            kinds = "OCurves OCurves OPoints ONuPatch OCamera OLight".split()
            for k, kind in enumerate(kinds):
                file.add(getattr(AbcGeom, kind), f"o{k}")
            file.mesh("empty", [], FACES)
        _, frames = read(path)
        for k, frame in enumerate(frames):
            same(frame["/cage"], turned((k + 1) * POINTS))
            same(frame["/holes"], turned(POINTS)[1:])
        lines = "\n".join(notes.lines())
        for text in ("2 Curves, Points, Camera, Light", alembic.PATCH, f"{alembic.CAGE}; 2 such"):
            assert text in lines, lines
        assert f"{alembic.HOLES}\n" in lines + "\n", lines


def test_sequence():
    """A file for each frame: the times that they have."""
    with folder() as where:
        names = [f"{where}/a{k}.abc" for k in range(3)]
        for k, name in enumerate(names):
            with abc.Writer(name) as file:
                sampling = abc.uniform(1.0, 2 + k / 4)
                file.mesh("m", [POINTS + np.float32(k)], FACES, sampling)
        impinge.convert(names, f"{where}/out.vtkhdf", quiet=True)
        with impinge.open(f"{where}/out.vtkhdf") as batch:
            assert batch.times.tolist() == [2.0, 2.25, 2.5]
            assert all((f.points == POINTS + np.float32(k)).all() for k, f in enumerate(batch))


def test_damage():
    """One line each, which names the file."""
    with folder() as where:
        path = f"{where}/a.abc"
        with abc.Writer(path) as file:
            file.mesh("m", [POINTS], FACES)
        whole = Path(path).read_bytes()
        with h5py.File(f"{where}/h.abc", "w"):
            pass
        files = {
            f"{where}/h.abc": "in HDF5, which alembic3d cannot read",
            put(f"{where}/cut.abc", whole[: len(whole) // 2]): "damaged",
            put(f"{where}/text.abc", b"hello"): "no Alembic file",
            put(f"{where}/open.abc", whole[:5] + b"\0" + whole[6:]): "was not closed",
            put(f"{where}/empty.abc", b""): "no Alembic file",
        }
        with abc.Writer(f"{where}/counts.abc") as file:
            mesh = file.mesh("m", [], FACES)
            file.faces(mesh, POINTS, [0, 1, 2], [4])
        files[f"{where}/counts.abc"] = "/m: faces of 4 corners, of which there are 3"
        with abc.Writer(f"{where}/corner.abc") as file:
            file.mesh("m", [POINTS], [[0, 1, 5]])
        files[f"{where}/corner.abc"] = "there is no point 5"
        for name, text in files.items():
            what = raises(impinge.InputError, impinge.convert, name, f"{where}/out.vtkhdf")
            assert name in str(what) and text in str(what) and "\n" not in str(what), what


def test_missing():
    """Without alembic3d an error says how to get it."""
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if "alembic3d" in name}
    sys.modules["alembic3d"] = None
    try:
        with folder() as where:
            path = put(f"{where}/a.abc", b"Ogawa\xff\0\1")
            what = raises(impinge.ArgumentError, open_file, path, False)
            assert f"{path}: to read it: pip install alembic3d" in str(what), what
    finally:
        sys.modules.update(kept)


def test_options():
    """Words that are none, and options for other files; the command has them, too."""
    with folder() as where:
        path, out = f"{where}/a.abc", f"{where}/out.vtkhdf"
        with abc.Writer(path) as file:
            file.mesh("m", [POINTS, 2 * POINTS], FACES, abc.uniform(1.0))
            file.mesh("n", [POINTS] * 3, FACES, abc.uniform(0.5))
        raises(impinge.ArgumentError, impinge.convert, path, out, between="kept")
        obj = put(f"{where}/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        what = raises(impinge.ArgumentError, impinge.convert, obj, out, between="held")
        assert "Alembic" in str(what), what
        for how, want in (("held", POINTS[1]), ("interpolated", 1.5 * POINTS[1].astype(float))):
            from impinge.importers.verb import main as convert

            words = [path, "-o", out, "--between", how, "--force", "-q"]
            convert(words)
            with impinge.open(out) as batch:
                assert np.allclose(batch[1].points[1], want, 0, 1e-15) and len(batch) == 3


def test_real():
    """A batch of two bodies, written and read again: the same points, bit for bit, and contacts."""
    path = DATA / "torus-sphere-surface.vtkhdf"
    if not path.exists():
        print("    skipped: no ../shared/data")
        return
    with folder() as where:
        given = f"{where}/given.vtkhdf"
        impinge.convert(path, given, float32=True, quiet=True)
        with impinge.open(given) as batch, abc.Writer(f"{where}/a.abc") as file:
            times, frames = batch.times.tolist(), list(batch)
            objects = frames[0].objects
            for number in np.unique(objects):
                triangles = frames[0].triangles[objects == number]
                used, at = np.unique(triangles, return_inverse=True)
                faces = at.reshape(-1, 3)[:, ::-1].tolist()
                samples = [frame.points[used] for frame in frames]
                file.mesh(f"body{number}", samples, faces, abc.acyclic(times))
        impinge.convert(f"{where}/a.abc", f"{where}/back.vtkhdf", quiet=True)
        with impinge.open(f"{where}/back.vtkhdf") as back:
            assert back.times.tolist() == times and len(back) == len(frames)
            for frame, other in zip(frames, back):
                order = np.argsort(frame.objects, kind="stable")
                one, two = frame.points[frame.triangles[order]], other.points[other.triangles]
                assert one.dtype == two.dtype == np.float32 and one.tobytes() == two.tobytes()
                assert (frame.objects[order] == other.objects).all()
        count = []
        for name in ("given", "back"):
            made = f"{where}/{name}.result"
            impinge.run(f"{where}/{name}.vtkhdf", made, device="cpu", quiet=True)
            with impinge.open(made) as result:
                count.append([len(found) for found in result])
        assert count[0] == count[1] and sum(count[0]) == 15364, sum(count[0])


main(globals())
