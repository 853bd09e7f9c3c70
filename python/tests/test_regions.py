"""Regions: `impinge.regions`, `Contacts.regions`, and the arrays of their result. The regions themselves are judged by
tests/oracles/regions.py."""

import warnings
from pathlib import Path

import impinge
import numpy as np
from common import folder, main, program, raises, soup
from shapes import ball, cuboid, scene, sheet

TORUS = Path(__file__).resolve().parents[3] / "shared/data/torus-sphere-surface.vtkhdf"
ARRAYS = "object", "other", "offsets", "faces", "share", "vertices", "contours", "area", "of_contour"
POKE = scene(sheet(6, (-0.5, -0.4, 0.37), (2, 0, 0), (0, 2, 0)), cuboid((0, 0, 0), (1, 1, 1)))


def same_regions(one, other):
    """The same bits."""
    for name in ARRAYS:
        x, y = getattr(one, name), getattr(other, name)
        assert x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes(), name
    assert one.partings == other.partings


def areas_of(points, triangles):
    a, b, c = np.asarray(points, float)[np.asarray(triangles)].transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def checked(found, points, triangles):
    """Types and shapes, order, and that shares of faces are the area."""
    count, areas = len(found), areas_of(points, triangles)
    assert found.object.dtype == found.other.dtype == np.int32
    assert found.faces.dtype == found.vertices.dtype == found.contours.dtype == np.uint32
    assert found.share.dtype == found.area.dtype == np.float64
    assert found.offsets.dtype == np.int64 and found.offsets.shape == (count + 1,)
    assert found.offsets[0] == 0 and found.offsets[-1] == len(found.faces) == len(found.share)
    assert found.of_contour.dtype == np.int64 and found.of_contour.shape[1] == 2
    assert (found.share > 0).all() and (found.share <= 1).all()
    keys = []
    for i, region in enumerate(found):
        assert region.object == found.object[i] and region.other == found.other[i]
        assert (np.diff(region.faces.astype(int)) > 0).all() and region.contours > 0
        area = (region.share * areas[region.faces]).sum()
        assert abs(region.area - area) <= 1e-9 * area
        keys.append((region.object, region.other, region.faces[0]))
    assert keys == sorted(keys)
    assert all(isinstance(p, impinge.Parting) for p in found.partings)
    assert [p[:2] for p in found.partings] == sorted({p[:2] for p in found.partings})
    assert set(zip(found.object.tolist(), found.other.tolist())) <= {p[:2] for p in found.partings}
    assert found.of_contour.max(initial=-1) < count
    return found


def test_poke():
    """A box through a sheet: a square of the sheet, and what is below it of the box."""
    points, triangles, objects = POKE
    found = checked(impinge.regions(*POKE), points, triangles)
    assert len(found) == 2 and found.object.tolist() == [0, 1] and found.other.tolist() == [1, 0]
    assert abs(found.area - [1, 1 + 4 * 0.37]).max() < 1e-14
    assert found.vertices.tolist() == [9, 4] and found.contours.tolist() == [1, 1]
    assert found.of_contour.tolist() == [[0, 1]]
    assert found.partings == [(0, 1, 1, 1, 2), (1, 0, 1, 1, 2)]
    floor = triangles[found[1].faces]
    assert (points[floor][..., 2] < 0.37).any(axis=1).all() and found[1].share.min() < 1
    whole = (points[floor][..., 2] < 0.37).all(axis=1)
    assert (found[1].share[whole] == 1).all() and (found[1].share[~whole] < 1).all()


def test_nothing_parted():
    """A triangle that is within a sheet, and one whose border the curve reaches at one end only."""
    points, triangles, objects = scene(
        sheet(4, (0, 0, 0), (1, 0, 0), (0, 1, 0)),
        (np.array([[0.3, 0.3, -0.1], [0.3, 0.7, -0.1], [0.31, 0.5, 0.4]]), np.array([[0, 1, 2]])),
    )
    found = checked(impinge.regions(points, triangles, objects), points, triangles)
    assert len(found) == 1 and found[0].object == 1 and found.of_contour.tolist() == [[-1, 0]]
    assert found.partings == [(0, 1, 1, 0, 1), (1, 0, 1, 1, 2)]
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.2, 0.2, -0.1], [0.1, 0.3, -0.1], [0.1, 0.2, 0.5]], float)
    found = checked(impinge.regions(points, [[0, 1, 2], [3, 4, 5]], [0, 1]), points, [[0, 1, 2], [3, 4, 5]])
    assert len(found) == 0 and found.of_contour.tolist() == [[-1, -1]] and len(found.partings) == 2


def test_self():
    """Within one object: both are the same."""
    points, triangles, objects = POKE
    between = checked(impinge.regions(points, triangles, objects), points, triangles)
    found = checked(impinge.regions(points, triangles), points, triangles)
    assert len(found) == 2 and set(zip(found.object, found.other)) == {(0, 0)}
    assert sorted(found.area) == sorted(between.area)
    assert found.partings == [(0, 0, 1, 1, 4)] and found.of_contour.tolist() == [[0, 1]]
    assert len(impinge.regions(points, triangles, objects, pairs="self")) == 0
    same_regions(impinge.regions(points, triangles, objects, pairs="between"), between)


def test_torus():
    """Frame 24: the numbers of a file of `run --regions`, and in a result, too."""
    if not TORUS.exists():
        print(f"skipped: no {TORUS}")
        return
    import h5py

    with folder() as where, impinge.open(TORUS) as batch:
        frame = batch[24]
        given = frame.points, frame.triangles, frame.objects
        result, file = f"{where}/r.vtkhdf", f"{where}/c.vtkhdf"
        said = program("run", TORUS, "-o", result, "--frames", "24:25", "--regions", file)
        assert said.returncode == 0, said.stderr
        found = checked(impinge.regions(*given), frame.points, frame.triangles)
        assert sum(r.vertices for r in found if r.object == 0) == 1476
        with h5py.File(file) as read:
            field, cells = read["VTKHDF/FieldData"], read["VTKHDF/CellData"]
            for name in ("object", "other", "vertices", "contours"):
                assert field[name.capitalize()][:].tolist() == getattr(found, name).tolist(), name
            assert field["Area"][:].tobytes() == found.area.tobytes()
            assert field["Faces"][:].tolist() == np.diff(found.offsets).tolist()
            columns = [field["Parting" + x.capitalize()][:] for x in impinge.Parting._fields]
            assert list(map(tuple, np.stack(columns, 1).tolist())) == found.partings
            for name, values in found.cells(len(frame.triangles)).items():
                assert cells[name][:].tobytes() == values.tobytes(), name
        with impinge.open(result) as opened:
            same_regions(opened[0].regions(*given), found)
        for options in (dict(threads=1), dict(broad="grid"), dict(device="cpu", verify=100)):
            same_regions(impinge.regions(*given, **options), found)


def test_cells():
    """A face in two regions has that with the greater share."""
    bar = cuboid((0, 0.4, 0.4), (10, 0.6, 0.6))
    walls = [cuboid((a, 0, 0), (b, 1, 1)) for a, b in ((1, 1.5), (4, 6), (7, 7.25))]
    joined = scene(*walls)[:2]
    points, triangles, objects = scene(bar, joined)
    found = checked(impinge.regions(points, triangles, objects), points, triangles)
    assert (found.object == 0).sum() == 3
    cells = found.cells(len(triangles))
    for f in range(len(triangles)):
        where = [(-s, k) for k, r in enumerate(found) for s in r.share[r.faces == f]]
        if not where:
            assert [cells[x][f] for x in cells] == [-1, 0, 0]
            continue
        share, k = min(where)
        assert [cells[x][f] for x in cells] == [k, found.area[k], -share]


def test_arrays():
    """Types and layouts; float32 points are their float64 values."""
    points, triangles, objects = POKE
    single = points.astype(np.float32)
    found = checked(impinge.regions(single, triangles, objects), single, triangles)
    same_regions(impinge.regions(single.astype(float), triangles.astype(np.uint32), objects), found)
    same_regions(impinge.regions(np.asfortranarray(single), triangles.tolist(), objects.tolist()), found)


def test_pipeline():
    """Contacts that a pipeline has found; frames; welded triangles, which have vertices of their own."""
    points, triangles, objects = POKE
    frames = [points, points + [0, 0, 0.01], points * 1.25]
    with impinge.Pipeline(end_features=True) as pipeline:
        for at, contacts in zip(frames, pipeline.frames(frames, triangles, objects)):
            same_regions(contacts.regions(at, triangles, objects), impinge.regions(at, triangles, objects))
    apart = points[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3)
    want = impinge.regions(points, triangles, objects)
    welded = impinge.regions(*apart, objects, weld=0)
    assert welded.area.tolist() == want.area.tolist() and welded.vertices.tolist() == want.vertices.tolist()
    with impinge.Pipeline(end_features=True, weld=0) as pipeline:
        same_regions(pipeline.contacts(*apart, objects).regions(*apart, objects), welded)


def test_sequence():
    rods = [cuboid((k, 0, 0), (k + 0.5, 1, 1)) for k in range(4)]
    found = impinge.regions(*scene(*rods, cuboid((-1, 0.25, 0.25), (5, 0.5, 0.5))))
    assert len(found) == len(list(found)) > 8 and "greatest of area" in repr(found)
    assert found[-1].area == found[len(found) - 1].area
    assert [r.area for r in found[2:5]] == found.area[2:5].tolist()
    raises(IndexError, found.__getitem__, len(found))
    raises(IndexError, found.__getitem__, -len(found) - 1)
    assert np.shares_memory(found[3].faces, found.faces)


def test_vtk():
    """The heat map, by PyVista."""
    try:
        import pyvista  # noqa: F401
    except ImportError as what:
        print(f"skipped: {what}")
        return
    points, triangles, objects = POKE
    found = impinge.regions(*POKE)
    made = found.to_pyvista(points, triangles)
    assert made.n_cells == len(triangles) and (made.points == points).all()
    for name, values in found.cells(len(triangles)).items():
        assert (made.cell_data[name] == values).all(), name
    assert made.active_scalars_name == "RegionArea"


def test_nothing():
    """No primitives, no contacts, contacts at a point."""
    nothing = np.zeros((0, 3)), np.zeros((0, 3), int)
    touch = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [-1, 0, 1], [0, -1, 1]], float)
    for given in (nothing, soup(1), (touch, np.arange(6).reshape(2, 3))):
        found = checked(impinge.regions(*given), *given)
        assert len(found) == 0 and found.partings == [] and found.of_contour.shape == (0, 2)
        cells = found.cells(len(given[1]))
        assert (cells["Region"] == -1).all() and not cells["RegionArea"].any()


def test_tetrahedra():
    """They have no contour, which a warning counts."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, -1], [0.1, 0.2, 2], [0.3, 0.1, 2],
                       [0, 0.15, -0.5], [1, 0.15, -0.5], [0.1, 0.15, 3]])  # fmt: skip
    primitives = [[0, 1, 2, 3], [4, 5, 6, 0], [7, 8, 9, 0]]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        impinge.regions(points, primitives, corner_count=[4, 3, 3])
    text = [str(w.message) for w in said]
    assert text == ["regions: 2 contacts with tetrahedra have no contour"], text
    assert said[0].filename == __file__


def test_errors():
    points, triangles, objects = POKE
    for option in ("distance", "thickness", "rows", "inside", "stage", "end_features", "solids", "continuous", "ring"):
        raises(TypeError, impinge.regions, points, triangles, **{option: 1})
    raises(TypeError, impinge.regions, points.astype(int), triangles)
    raises(ValueError, impinge.regions, points[:, :2], triangles)
    raises(ValueError, impinge.regions, points, triangles + 1000)
    bad = points.copy()
    bad[0, 0] = np.nan
    raises(impinge.InputError, impinge.regions, bad, triangles)
    plain = impinge.contacts(points, triangles, objects)
    said = str(raises(impinge.ArgumentError, plain.regions, points, triangles))
    assert said.startswith("regions: ") and "end_features" in said
    found = impinge.contacts(points, triangles, objects, end_features=True)
    raises(impinge.ArgumentError, found.regions, points, triangles[:5], objects[:5])
    raises(ValueError, found.regions, points, triangles, objects[1:])
    raises(TypeError, found.regions, points.astype(int), triangles, objects)
    found.end_features = found.end_features.copy()
    found.end_features[2, 1] = 7
    assert "end feature 7" in str(raises(impinge.ArgumentError, found.regions, points, triangles, objects))


def test_events():
    """A ball that moves through a sheet: the area of its cap is that of the event."""
    sphere, faces = ball(1.0, 12, 18)
    under = sheet(5, (-2, -2, 0.01), (4, 0, 0), (0, 4, 0))
    frames, caps = [], []
    for z in (1.3, 0.6, 0.3, 0.5, 0.8):
        at = scene(under, (sphere + [0.02, 0.03, z], faces))
        frames.append(at)
        found = impinge.regions(*at)
        caps.append(float(found.area.sum()))
    assert caps[0] == 0 and all(caps[1:])
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        impinge.write(batch, [(p, t) for p, t, _ in frames])
        impinge.run(batch, result, end_features=True)
        events = impinge.events(result)
        assert {k for e in events for k in range(e.first_frame, e.last_frame + 1)} == {1, 2, 3, 4}
        for event in events:
            want = max(caps[event.first_frame : event.last_frame + 1])
            assert abs(event.area - want) <= 1e-12 * want, (event.area, want)
        impinge.run(batch, result, force=True)
        assert all(event.area is None for event in impinge.events(result))


main(globals())
