"""Contours: `impinge.contours`, `Contacts.contours`, and the arrays of their result. The curves themselves are
judged by tests/oracles/contours.py."""

import warnings
from collections import Counter
from pathlib import Path

import impinge
import numpy as np
from common import folder, main, program, raises, soup
from shapes import cuboid as box
from shapes import scene, sheet

TORUS = Path(__file__).resolve().parents[3] / "shared/data/torus-sphere-surface.vtkhdf"
ARRAYS = "points", "offsets", "closed", "length", "object_a", "object_b"


WAVE = scene(
    sheet(9, (0, 0, 0), (1, 0, 0), (0, 1, 0)),
    sheet(7, (-0.1, -0.07, -0.3), (1.1, 0, 0.5), (0, 1.2, 0.31)),
)


def same_contours(one, other):
    """The same bits."""
    for name in ARRAYS:
        x, y = getattr(one, name), getattr(other, name)
        assert x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes(), name


def canonical(contour):
    """The same for either direction, and for any beginning of a loop."""
    points = [tuple(x) for x in (contour.points + 0.0).tolist()]
    ways = [points, points[::-1]]
    if contour.closed:
        least = min(points)
        ways = [way[i:] + way[:i] for way in ways for i, x in enumerate(way) if x == least]
    return contour.objects, contour.closed, tuple(min(ways))


def curves(found):
    return Counter(map(canonical, found))


def checked(found):
    """Types and shapes, and what lengths say."""
    count, points = len(found), len(found.points)
    assert found.points.dtype == np.float64 and found.points.shape == (points, 3)
    assert found.offsets.dtype == np.int64 and found.offsets.shape == (count + 1,)
    assert found.offsets[0] == 0 and found.offsets[-1] == points
    assert found.closed.dtype == bool and found.length.dtype == np.float64
    assert found.object_a.dtype == found.object_b.dtype == np.int32
    assert (found.object_a <= found.object_b).all()
    for i, contour in enumerate(found):
        assert len(contour.points) >= 2 + contour.closed
        assert contour.objects == (found.object_a[i], found.object_b[i])
        around = np.concatenate([contour.points, contour.points[:1]]) if contour.closed else contour.points
        length = np.linalg.norm(np.diff(around, axis=0), axis=1)
        assert abs(contour.length - length.sum()) <= 1e-12 * contour.length
    return found


def test_torus():
    """Frame 24 has 3 loops of 832 points: the bits of a file of `run --contours`; in a result, too."""
    if not TORUS.exists():
        print(f"skipped: no {TORUS}")
        return
    import h5py

    with folder() as where, impinge.open(TORUS) as batch:
        frame = batch[24]
        result, file = f"{where}/r.vtkhdf", f"{where}/c.vtkhdf"
        said = program("run", TORUS, "-o", result, "--frames", "24:25", "--contours", file)
        assert said.returncode == 0, said.stderr
        found = checked(impinge.contours(frame.points, frame.triangles, frame.objects))
        assert len(found) == 3 and found.closed.all() and len(found.points) == 832
        with h5py.File(file) as read:
            root = read["VTKHDF"]
            assert root["Points"][:].tobytes() == found.points.tobytes()
            ends = root["Lines/Offsets"][:]
            cells = [root["Lines/Connectivity"][a:b] for a, b in zip(ends, ends[1:])]
            assert np.concatenate([[len(c), *c] for c in cells]).tolist() == found.lines.tolist()
            data = root["CellData"]
            assert (data["Closed"][:] == found.closed).all()
            assert data["Length"][:].tobytes() == found.length.tobytes()
            assert (data["ObjectA"][:] == found.object_a).all()
            assert (data["ObjectB"][:] == found.object_b).all()
        with impinge.open(result) as opened:
            same_contours(opened[0].contours(frame.points, frame.triangles, frame.objects), found)
        for options in (dict(threads=1), dict(broad="grid"), dict(device="cpu", verify=100)):
            same_contours(impinge.contours(frame.points, frame.triangles, frame.objects, **options), found)


def test_foot():
    """A box that rests on another one: the border of its foot."""
    given = scene(box((0, 0, 0), (3, 3, 1)), box((1, 1, 1), (2, 2, 2)))
    found = checked(impinge.contours(*given))
    assert len(found) == 1 and found.closed[0] and found.length[0] == 4
    assert found[0].objects == (0, 1) and (found.points[:, 2] == 1).all()
    corners = {(x, y, 1) for x in (1, 2) for y in (1, 2)}
    assert corners <= set(map(tuple, found.points.tolist()))
    on = np.isin(found.points[:, :2], (1, 2)).any(axis=1)
    assert on.all() and (found.points >= 1).all() and (found.points <= 2).all()


def test_open():
    """A sheet within another one's borders: one contour from border to border; it is not closed."""
    narrow = sheet(5, (0.25, 0.5, -1), (0.5, 0, 0), (0, 0, 2))
    found = checked(impinge.contours(*scene(sheet(4, (0, 0, 0), (1, 0, 0), (0, 1, 0)), narrow)))
    assert len(found) == 1 and not found.closed[0] and abs(found.length[0] - 0.5) < 1e-15
    assert sorted(found[0].points[[0, -1], 0].tolist()) == [0.25, 0.75]
    step = np.diff(found.points[:, 0])  # points that are distinct may round to the same bits
    assert (step >= 0).all() or (step <= 0).all()


def test_junction():
    """Three leaves with a common edge pass through a sheet: three contours, which end where that edge
    does."""
    spine = np.array([[0.01, 0.02, -1], [0.01, 0.02, 1]])
    away = [[2, 0.3, -1], [-1.5, 1.7, -1], [-0.7, -2, -1]]
    leaves = np.concatenate([spine, away]), np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    found = checked(impinge.contours(*scene(sheet(3, (-3, -3, 0), (6, 0, 0), (0, 6, 0)), leaves)))
    assert len(found) == 3 and not found.closed.any()
    ends = Counter(tuple(c.points[k]) for c in found for k in (0, -1))
    assert ends.most_common(1)[0] == ((0.01, 0.02, 0), 3) and len(ends) == 4


def test_self():
    """Within one object: both objects are the same; pairs chooses."""
    points, triangles, objects = WAVE
    between = checked(impinge.contours(points, triangles, objects))
    found = checked(impinge.contours(points, triangles))
    assert len(found) > 0 and found[0].objects == (0, 0) and len(found) == len(between)
    assert found.points.tobytes() == between.points.tobytes()
    assert len(impinge.contours(points, triangles, objects, pairs="self")) == 0
    assert len(impinge.contours(points, triangles, np.full(len(triangles), -5), pairs="self")) > 0
    same_contours(impinge.contours(points, triangles, objects, pairs="between"), between)
    far = impinge.contours(points, triangles, objects - 7)
    assert far[0].objects == (-7, -6)


def test_arrays():
    """Types and layouts; float32 points are their float64 values."""
    points, triangles, objects = WAVE
    single = points.astype(np.float32)
    found = checked(impinge.contours(single, triangles, objects))
    same_contours(impinge.contours(single.astype(float), triangles.astype(np.uint32), objects), found)
    same_contours(impinge.contours(np.asfortranarray(single), triangles[::1].tolist(), objects.tolist()), found)


def test_renumbered():
    """Triangles in another order, with another first corner and orientation, and vertices with other
    numbers: the same curves, of each scene and of a random soup that overlaps itself."""
    random = np.random.default_rng(3)
    meshes = [WAVE, scene(box((0, 0, 0), (3, 3, 1)), box((1, 1, 1), (2, 2, 2)))]
    whole = random.integers(0, 5, (40, 3)).astype(float)
    corner = random.integers(0, 40, (120, 3))
    meshes.append((whole, corner, np.arange(120) % 3))
    for points, triangles, objects in meshes:
        want = curves(checked(impinge.contours(points, triangles, objects)))
        assert want
        for _ in range(3):
            order, number = random.permutation(len(triangles)), random.permutation(len(points))
            moved = np.empty_like(points)
            moved[number] = points
            turned = number[triangles[order]]
            for row in turned:
                row[:] = row[random.permutation(3)]
            got = impinge.contours(moved, turned, objects[order])
            assert curves(got) == want, (len(got), len(want))


def test_pipeline():
    """Contacts that a pipeline has found; frames; welded triangles, which have vertices of their own."""
    points, triangles, objects = WAVE
    frames = [points, points + [0, 0, 0.01], points * 1.25]
    with impinge.Pipeline(end_features=True) as pipeline:
        for at, contacts in zip(frames, pipeline.frames(frames, triangles, objects)):
            same_contours(contacts.contours(at, triangles, objects), impinge.contours(at, triangles, objects))
        contacts = pipeline.contacts(points, triangles, objects)
    same_contours(contacts.contours(points, triangles, objects), impinge.contours(points, triangles, objects))
    apart = points[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3)
    want = curves(impinge.contours(points, triangles, objects))
    assert curves(impinge.contours(*apart, objects, weld=0)) == want
    assert curves(impinge.contours(*apart, objects, pairs="between")) != want
    with impinge.Pipeline(end_features=True, weld=0) as pipeline:
        welded = pipeline.contacts(*apart, objects)
        assert curves(welded.contours(*apart, objects)) == want
        names = welded.end_names(apart[1]).reshape(-1, 5)
        assert len(np.unique(names, axis=0)) == len(np.unique(welded.ends.reshape(-1, 3), axis=0))
        raises(impinge.ArgumentError, welded.contours, points, triangles, objects)


def test_sequence():
    found = impinge.contours(*scene(*[box((k, 0, 0), (k + 0.5, 1, 1)) for k in range(4)], box((-1, 0.25, 0.25), (5, 0.5, 0.5))))
    assert len(found) == 8 and "8 closed" in repr(found)
    assert [c.objects for c in found] == [(k, 4) for k in range(4) for _ in range(2)]
    assert found[-1].points.tobytes() == found[7].points.tobytes()
    assert [c.length for c in found[2:5]] == found.length[2:5].tolist()
    raises(IndexError, found.__getitem__, 8)
    raises(IndexError, found.__getitem__, -9)
    assert np.shares_memory(found[3].points, found.points)
    assert sum(len(c.points) for c in found) == len(found.points)


def test_vtk():
    """The line of the docstring, by VTK and by PyVista."""
    found = impinge.contours(*WAVE)
    loops = impinge.contours(*scene(box((0, 0, 0), (1, 1, 1)), box((0.25, 0.25, -1), (0.5, 0.5, 2))))
    try:
        from vtkmodules.util.numpy_support import numpy_to_vtkIdTypeArray
        from vtkmodules.vtkCommonDataModel import vtkCellArray
    except ImportError as what:
        print(f"skipped: {what}")
        return
    for some in (found, loops, impinge.contours(np.zeros((3, 3)), [[0, 1, 2]])):
        cells = vtkCellArray()
        cells.ImportLegacyFormat(numpy_to_vtkIdTypeArray(some.lines, deep=1))
        assert cells.GetNumberOfCells() == len(some)
        assert cells.GetNumberOfConnectivityIds() == len(some.points) + some.closed.sum()
    try:
        import pyvista
    except ImportError as what:
        print(f"skipped: {what}")
        return
    shown = pyvista.PolyData(loops.points, lines=loops.lines)
    assert shown.n_cells == 2 and shown.n_points == len(loops.points)
    made = loops.to_pyvista()
    sizes = made.compute_cell_sizes()["Length"]
    assert np.allclose(sizes, loops.length) and made.cell_data["Closed"].tolist() == [1, 1]
    assert made.cell_data["ObjectB"].tolist() == [1, 1] and made.cell_data["Contour"].tolist() == [0, 1]
    assert impinge.contours(np.zeros((3, 3)), [[0, 1, 2]]).to_pyvista().n_cells == 0


def test_nothing():
    """No primitives, no contacts, contacts at a point."""
    nothing = np.zeros((0, 3)), np.zeros((0, 3), int)
    touch = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [-1, 0, 1], [0, -1, 1]], float)
    assert len(impinge.contacts(touch, np.arange(6).reshape(2, 3))) == 1
    for given in (nothing, ([], []), soup(1), (touch, np.arange(6).reshape(2, 3))):
        found = checked(impinge.contours(*given))
        assert len(found) == 0 and found.points.shape == (0, 3) and found.lines.shape == (0,)
        assert list(found) == [] and found.offsets.tolist() == [0]


def test_tetrahedra():
    """They have none, which a warning counts; triangles among them have theirs."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, -1], [0.1, 0.2, 2], [0.3, 0.1, 2],
                       [0, 0.15, -0.5], [1, 0.15, -0.5], [0.1, 0.15, 3]])  # fmt: skip
    primitives = [[0, 1, 2, 3], [4, 5, 6, 0], [7, 8, 9, 0]]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = checked(impinge.contours(points, primitives, corner_count=[4, 3, 3]))
    assert len(found) == 1
    text = [str(w.message) for w in said]
    assert text == ["contours: 2 contacts with tetrahedra have none"], text
    assert said[0].filename == __file__


def test_errors():
    points, triangles, objects = WAVE
    for option in ("distance", "thickness", "rows", "inside", "stage", "end_features", "solids", "continuous", "ring"):
        raises(TypeError, impinge.contours, points, triangles, **{option: 1})
    raises(TypeError, impinge.contours, points, triangles, colour=1)
    raises(TypeError, impinge.contours, points.astype(int), triangles)
    raises(ValueError, impinge.contours, points[:, :2], triangles)
    raises(ValueError, impinge.contours, points, triangles + 1000)
    raises(impinge.ArgumentError, impinge.contours, points, triangles, pairs="some")
    bad = points.copy()
    bad[0, 0] = np.nan
    raises(impinge.InputError, impinge.contours, bad, triangles)
    assert len(impinge.contours(bad, triangles, on_bad="skip")) > 0
    plain = impinge.contacts(points, triangles, objects)
    assert "end_features" in str(raises(impinge.ArgumentError, plain.contours, points, triangles))
    near = impinge.near(points, triangles, distance=0.1)
    raises(impinge.ArgumentError, near.contours, points, triangles)
    found = impinge.contacts(points, triangles, objects, end_features=True)
    raises(impinge.ArgumentError, found.contours, points, triangles[:5], objects[:5])
    raises(ValueError, found.contours, points, triangles, objects[1:])
    raises(ValueError, found.contours, points, triangles + 1000, objects)
    raises(TypeError, found.contours, points.astype(int), triangles, objects)
    raises(impinge.ArgumentError, found.contours, points, triangles.astype(np.int32) + np.int32(1000), objects)
    found.end_features = found.end_features.copy()
    found.end_features[2, 1] = 7
    assert "end feature 7" in str(raises(impinge.ArgumentError, found.contours, points, triangles, objects))
    found.end_features[2, 1] = 6
    found.kind = found.kind.copy()
    found.kind[3] = 7
    assert "kind 7" in str(raises(impinge.ArgumentError, found.contours, points, triangles, objects))
    found.kind[3] = 2
    found.a, found.b = found.a[::-1], found.b[::-1]
    assert "order" in str(raises(impinge.ArgumentError, found.contours, points, triangles, objects))


def test_file():
    """A batch in which some cells lie in one plane: a result's rows with its frame."""
    points, triangles, _ = scene(box((0, 0, 0), (3, 3, 1)), box((1, 1, 1), (2, 2, 2)))
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        impinge.write(batch, [points, points + 1], triangles)
        impinge.run(batch, result, end_features=True)
        with impinge.open(batch) as frames, impinge.open(result) as rows:
            for frame, found in zip(frames, rows):
                got = found.contours(frame.points, frame.triangles, frame.objects)
                same_contours(got, impinge.contours(frame.points, frame.triangles, frame.objects))
                assert len(got) == 1 and got.length[0] == 4


main(globals())
