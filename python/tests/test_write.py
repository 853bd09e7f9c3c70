"""impinge.write: arrays and meshes as a batch, which comes back bit for bit, by the program and VTK too;
and that nothing is left of one that is not whole."""

import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap

import impinge
import numpy as np
from common import folder, generate, main, program, raises, same, soup

try:
    import h5py
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

ALONE = ("points", "triangles", "objects", "corner_count")


def grid(n, kind=np.float64):
    points = np.random.default_rng(n).random((n + 2, 3)).astype(kind)
    return points, np.arange(n)[:, None] + np.arange(3)


def same_array(one, other):
    if one is None or other is None:
        return one is other
    one, other = np.asarray(one), np.asarray(other)
    return one.shape == other.shape and one.tobytes() == other.astype(one.dtype).tobytes()


def checked(path):
    """The program reads it, and so does the reader of VTK: the points of each frame."""
    said = program("info", path, "--json")
    assert said.returncode == 0, said.stderr
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOHDF import vtkHDFReader
    except ImportError:
        return
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    with impinge.open(path) as batch:
        assert reader.GetNumberOfSteps() == len(batch)
        for k, frame in enumerate(batch):
            reader.SetStep(k)
            reader.Update()
            made = reader.GetOutputDataObject(0)
            assert reader.GetTimeValue() == frame.time
            points = vtk_to_numpy(made.GetPoints().GetData()) if len(frame.points) else frame.points
            assert same_array(frame.points, points) and points.dtype == frame.points.dtype
            assert made.GetNumberOfCells() == len(frame.triangles)
            if made.GetClassName() == "vtkPolyData":
                cells = vtk_to_numpy(made.GetPolys().GetConnectivityArray())
                assert same_array(frame.triangles.ravel(), cells)
            if frame.objects is not None:
                found = made.GetCellData().GetArray("ObjectId")
                assert same_array(frame.objects, vtk_to_numpy(found))


def same_datasets(one, other, but=()):
    """All that the second file has, but for these, is in the first one."""
    with h5py.File(one) as one, h5py.File(other) as other:
        names = []
        other.visit(names.append)
        for name in names:
            if any(part in name for part in but):
                continue
            assert {k: str(v) for k, v in one[name].attrs.items()} == {
                k: str(v) for k, v in other[name].attrs.items()
            }, name
            if isinstance(one[name], h5py.Dataset):
                a, b = one[name], other[name]
                assert (a.dtype, a.shape) == (b.dtype, b.shape), (name, a.shape, b.shape)
                assert a[()].tobytes() == b[()].tobytes(), name


def test_frames():
    """Every form of positions."""
    points, triangles = grid(50, np.float32)
    frames = np.stack([points + np.float32(k) for k in range(7)])
    forms = [frames, list(frames), iter(frames), (p for p in frames), frames[:, ::-1][:, ::-1]]
    with folder() as where, h5py.File(f"{where}/data.h5", "w") as data:
        data["p"] = frames
        for k, form in enumerate([*forms, data["p"]]):
            path = f"{where}/{k}.vtkhdf"
            impinge.write(path, form, triangles)
            with impinge.open(path) as batch:
                assert len(batch) == 7 and batch.times.tolist() == list(range(7))
                for k, frame in enumerate(batch):
                    assert frame.points.dtype == np.float32
                    assert same_array(frames[k], frame.points)
                    assert same_array(triangles, frame.triangles) and frame.objects is None
                assert len(batch.file["VTKHDF/Polygons/Connectivity"]) == triangles.size
            with open(path, "rb") as one, open(f"{where}/0.vtkhdf", "rb") as other:
                assert one.read() == other.read()
        checked(f"{where}/0.vtkhdf")
        for one in (points, points.tolist()):
            impinge.write(f"{where}/one", one, triangles, times=[3], force=True)
            with impinge.open(f"{where}/one") as batch:
                assert len(batch) == 1 and same_array(points, batch[0].points) and batch[0].time == 3


def test_one_at_a_time():
    """A frame may be written to when the next one is asked for, and is not kept."""
    points, triangles = grid(30)

    def frames():
        for k in range(20):
            points[:] = k
            yield points

    with folder() as where:
        impinge.write(f"{where}/a", frames(), triangles, times=(k / 8 for k in range(20)))
        with impinge.open(f"{where}/a") as batch:
            assert [frame.points.mean() for frame in batch] == list(range(20))
            assert (batch.times == np.arange(20) / 8).all()


def random_frame(random, kind):
    """points, triangles, objects, corner_count of any size."""
    n, m = int(random.integers(4, 40)), int(random.integers(0, 40))
    width = int(random.integers(3, 5))
    triangles = random.integers(0, n, (m, width))
    counts = None
    if width == 4:
        counts = random.integers(3, 5, m)
        triangles[counts == 3, 3] = random.integers(-9, 2**31 - 1, (counts == 3).sum())
    objects = random.integers(-(2**31), 2**31, m) if random.random() < 0.5 else None
    points = random.standard_normal((n, 3)).astype(kind)
    points[0] = [np.nan, -0.0, np.inf]
    return points, triangles, objects, counts


def cells(triangles, counts):
    """Lists of corners."""
    rows = np.asarray(triangles).tolist()
    counts = [len(row) for row in rows] if counts is None else counts
    return [row[:count] for row, count in zip(rows, counts)]


def test_random():
    """Frames of any topology come back, as meshes, as frames of a batch, and as arrays."""
    random = np.random.default_rng(53)
    with folder() as where:
        for turn in range(60):
            kinds = [np.float32, np.float64][: 1 + turn % 2]
            made = [random_frame(random, kinds[k % len(kinds)]) for k in range(random.integers(1, 5))]
            if random.random() < 0.3:
                made = made[:1] * len(made)
            times = np.cumsum(random.random(len(made)) + 1e-9)
            frames = [impinge.Frame(p, t, o, c, None, time) for (p, t, o, c), time in zip(made, times)]
            path = f"{where}/{turn}"
            impinge.write(path, frames)
            with impinge.open(path) as batch:
                assert (batch.times == times).all() and len(batch) == len(made)
                wide = np.float64 if any(p.dtype == np.float64 for p, *_ in made) else np.float32
                for (points, triangles, objects, counts), frame in zip(made, batch):
                    assert frame.points.dtype == wide
                    assert same_array(frame.points, points.astype(wide))
                    assert cells(triangles, counts) == cells(frame.triangles, frame.corner_count)
                    given = [0] * len(triangles) if objects is None else objects.tolist()
                    found = [0] * len(triangles) if frame.objects is None else frame.objects.tolist()
                    assert given == found
                impinge.write(f"{path}.again", batch)
            same_datasets(path, f"{path}.again")
            if turn < 12:
                assert program("info", path).returncode == 0
                assert program("run", path, "-o", f"{path}.r", "--on-bad", "skip").returncode == 0


def test_same_as_convert():
    """What `convert` stores of such a file is what there is, but for where it comes from."""
    with folder() as where:
        for scene in ("cloth-ball", "scalpel"):
            given, copy = generate(f"{where}/{scene}", scene, "-n", "600", "--frames", "3"), f"{where}/c"
            with impinge.open(given) as batch:
                impinge.write(copy, batch, force=True)
            checked(copy)
            impinge.convert(copy, f"{where}/d", force=True, quiet=True)
            same_datasets(copy, f"{where}/d", ("SourceId", "frame_sources"))
            with impinge.open(given) as one, impinge.open(copy) as other:
                assert one.names == other.names
                for a, b in zip(one, other):
                    assert all(same_array(x, y) for x, y in zip(a[:5], b[:5])) and a.time == b.time


def test_contacts():
    """run and check on it give what contacts gives."""
    points, triangles = soup(300, 0.1)
    objects = np.arange(300) % 3 * 7 - 4
    names = {-4: "a,b", 3: 'c "d"', 10: ""}
    with folder() as where:
        batch, result = f"{where}/b", f"{where}/r"
        impinge.write(batch, points, triangles, objects, names, force=True)
        impinge.run(batch, result, object_pairs=[("a,b", 'c "d"')])
        impinge.check(result, batch)
        found = impinge.contacts(points, triangles, objects, object_pairs=[(-4, 3)])
        with impinge.open(result) as one:
            assert len(found) and one.names == {-4: "a,b", 3: 'c "d"'}
            same(found, one[0], ("a", "b", "kind", "ends"))


def test_meshes():
    """A mesh, meshes by name, and one of these in each frame; objects keep their numbers."""
    a, b = grid(9), grid(5)
    with folder() as where:
        impinge.write(f"{where}/a", a)
        impinge.write(f"{where}/ab", {"a": a, "b": b})
        impinge.write(f"{where}/f", [{"a": a, "b": b}, {"b": b}, {"c": a, "b": b}], times=[0, 1, 4])
        impinge.write(f"{where}/two", (a, b))
        with impinge.open(f"{where}/a") as batch:
            assert same_array(batch[0].triangles, a[1]) and batch[0].objects is None
        with impinge.open(f"{where}/ab") as batch:
            assert batch.names == {0: "a", 1: "b"}
            assert batch[0].objects.tolist() == [0] * 9 + [1] * 5
        with impinge.open(f"{where}/f") as batch:
            assert batch.names == {0: "a", 1: "b", 2: "c"} and batch.times.tolist() == [0, 1, 4]
            assert [np.unique(frame.objects).tolist() for frame in batch] == [[0, 1], [1], [1, 2]]
            assert same_array(batch[1].points, b[0])
        with impinge.open(f"{where}/two") as batch:
            assert [len(frame.points) for frame in batch] == [11, 7]
        checked(f"{where}/f")
        solid = np.array([[3, 0, 1, 2], [3, 1, 2, 4]])  # the first column is no count
        impinge.write(f"{where}/s", (a[0], solid), corner_count=[4, 4])
        with impinge.open(f"{where}/s") as batch:
            assert same_array(batch[0].triangles, solid) and batch[0].corner_count is None
            impinge.write(f"{where}/s2", batch)
        checked(f"{where}/s2")


def test_later_tetrahedra():
    """Frames of triangles, then one of both: all are an UnstructuredGrid."""
    a = grid(9)
    with folder() as where:
        impinge.write(f"{where}/a", [a, (a[0], np.arange(8).reshape(2, 4)), a])
        with impinge.open(f"{where}/a") as batch:
            assert batch.kind == "UnstructuredGrid"
            assert [frame.triangles.shape for frame in batch] == [(9, 3), (2, 4), (9, 3)]
        checked(f"{where}/a")


def test_refused():
    """One line, which names the argument and the frame; and no file."""
    points, triangles = grid(9)
    three = np.stack([points] * 3)
    bad = triangles.copy()
    bad[4, 1] = 11
    tet = np.zeros((9, 4), int)
    cases = [
        ("positions: None", (None, triangles)),
        ("positions: 'a.obj' is a path", ("a.obj",)),
        ("triangles: missing", (points,)),
        ("no frame", ([], triangles)),
        ("positions: int, neither", (3,)),
        ("frame 1: positions: 10 points, not 11", ([points, points[:10]], triangles)),
        ("frame 2: positions: shape (11, 2)", ([points, points, points[:, :2]], triangles)),
        ("positions: int64, not float64", (triangles, triangles)),
        ("there is no vertex 11, in row 4; there are 11", (points, bad)),
        ("there is no vertex -1", (points, -bad // bad.max())),
        ("triangles: shape (9, 2)", (points, triangles[:, :2])),
        ("corner_count: 2 at position 0", (points, tet), dict(corner_count=[2] * 9)),
        ("objects: shape (8,)", (points, triangles, np.arange(8))),
        ("names: 'cloth' is one text", (points, triangles, None, "cloth")),
        ("has a NUL", (points, triangles, None, ["a\0"])),
        ("int32", (points, triangles, None, {2**31: "a"})),
        ("names: 'a' is not the number", (points, triangles, None, {"a": 1})),
        ("the meshes have names of their own", ({"a": (points, triangles)}, None, None, ["b"])),
        ("the meshes are objects", ({"a": (points, triangles)}, None, np.zeros(9, int))),
        ("times: 2, but there are 3 frames", (three, triangles, None, None, [0, 1])),
        ("times: 2, but there are more", (iter(three), triangles, None, None, [0, 1])),
        ("times: more than", (iter(three), triangles, None, None, range(4))),
        ("times: 1, of frame 2, is not after 1", (three, triangles, None, None, [0, 1, 1])),
        ("times: nan, of frame 1", (three, triangles, None, None, [0, np.nan, 1])),
        ("times: inf", (three, triangles, None, None, [0, 1, np.inf])),
        ("times: 'a', of frame 0", (three, triangles, None, None, ["a", 1, 2])),
        ("times: 'names' is a text", (three, triangles, None, None, "names")),
        ("frame 1: positions: a list is no mesh", ([(points, triangles), [1]],)),
    ]
    with folder() as where:
        for part, given, *more in cases:
            what = raises((TypeError, ValueError), impinge.write, f"{where}/a", *given, **dict(*more))
            assert part in str(what) and "\n" not in str(what), (part, what)
            assert os.listdir(where) == [], part
        impinge.write(f"{where}/b", points, triangles)
        with impinge.open(f"{where}/b") as batch:
            what = raises(impinge.ArgumentError, impinge.write, f"{where}/b", batch, force=True)
            assert "this is what is read" in str(what)
            for words in ({"objects": [0] * 9}, {"corner_count": [3] * 9}):
                what = raises(impinge.ArgumentError, impinge.write, f"{where}/c", batch, **words)
                assert "frame 0" in str(what) and "have their own" in str(what)
        what = raises(impinge.ArgumentError, impinge.write, f"{where}/b", points, triangles)
        assert "exists already; force=True replaces it" in str(what)
        what = raises(impinge.ImpingeError, impinge.write, f"{where}/no/b", points, triangles)
        assert "No such file or directory" in str(what)
        os.mkfifo(f"{where}/pipe")  # never a device of the machine: a mutant would replace it
        for path in (f"{where}/pipe", where):
            what = raises(impinge.ArgumentError, impinge.write, path, points, triangles, force=True)
            assert "not a file" in str(what)
        assert sorted(os.listdir(where)) == ["b", "pipe"]


def test_whole_or_nothing():
    """What the caller's frames raise comes through; what was there stays."""
    points, triangles = grid(9)

    def broken():
        yield points
        raise OSError("the disk of the caller")

    with folder() as where:
        path = f"{where}/a"
        impinge.write(path, points, triangles)
        before = os.stat(path).st_ino
        os.symlink("a", f"{where}/link")
        assert "caller" in str(raises(OSError, impinge.write, path, broken(), triangles, force=True))
        assert sorted(os.listdir(where)) == ["a", "link"] and os.stat(path).st_ino == before
        impinge.write(f"{where}/link", points + 1, triangles, force=True)
        assert os.path.islink(f"{where}/link") and os.stat(path).st_ino != before
        long = f"{where}/{'n' * 250}"
        impinge.write(long, points, triangles)
        assert os.path.exists(long)


def test_full_disk():
    """A file that cannot grow any more, for which a limit stands, wherever that is: HDF5 must not end the
    process, now or when its objects go."""
    random = np.random.default_rng(2)

    def frames():
        for k in range(40):
            n, kind = int(random.integers(10, 20_000)), (np.float32, np.float64)[k > 9]
            yield random.random((n, 3)).astype(kind), random.integers(0, n, (n, 3 + (k % 7 == 6)))

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with folder() as where:
        for size in (100, 5_000, 100_000, 1 << 20, 4 << 20, 10 << 20):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
            try:
                what = raises(impinge.MemoryLimitError, impinge.write, f"{where}/a", frames())
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert f"{where}/a: cannot be written: File too large" == str(what), what
            assert os.listdir(where) == []
            gc.collect()


ENDLESS = """
    import sys
    import impinge
    import numpy as np
    def frames():
        k = 0
        while True:
            yield np.full((3, 3), float(k))
            k += 1
            if k == 50:
                print("now", flush=True)
    impinge.write(sys.argv[1], frames(), [[0, 1, 2]])
"""


def test_interrupt():
    """Ctrl-C in the middle leaves nothing; a process that is killed leaves no file of that name."""
    for sent in (signal.SIGINT, signal.SIGKILL):
        with folder() as where:
            words = [sys.executable, "-c", textwrap.dedent(ENDLESS), f"{where}/a"]
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                assert process.stdout.readline() == b"now\n"
                process.send_signal(sent)
                _, said = process.communicate(timeout=60)
            left = os.listdir(where)
            if sent == signal.SIGINT:
                assert left == [] and b"KeyboardInterrupt" in said, (left, said)
            else:
                assert "a" not in left and all(name.startswith(".a.part-") for name in left)
                assert all(program("info", f"{where}/{name}").returncode for name in left)


if __name__ == "__main__":
    main(globals())
