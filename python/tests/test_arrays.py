"""What may be handed over: types, layouts, empty frames."""

import warnings

import impinge
import numpy as np
from common import address, main, raises, same, soup
from impinge._arrays import Mesh, frame_set, points_of
from impinge._library import ffi

POINTS, TRIANGLES = soup(400)


def test_hdf5():
    """HDF5 comes into the process after the engine."""
    impinge.contacts(POINTS, TRIANGLES)
    import h5py

    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        file["points"] = POINTS
        assert (file["points"][()] == POINTS).all()


def test_types():
    """Every type that fits gives the same contacts."""
    expected = impinge.contacts(POINTS, TRIANGLES)
    assert len(expected) > 0 and expected.ends.shape == (len(expected), 2, 3)
    for dtype in (np.int32, np.uint32, np.int64, np.uint64, np.int16, np.uint16):
        same(impinge.contacts(POINTS, TRIANGLES.astype(dtype)), expected)
    same(impinge.contacts(POINTS.tolist(), TRIANGLES.tolist()), expected)
    single = POINTS.astype(np.float32)
    same(
        impinge.contacts(single, TRIANGLES), impinge.contacts(single.astype(np.float64), TRIANGLES)
    )


def test_objects():
    objects = np.arange(400) % 3
    expected = impinge.contacts(POINTS, TRIANGLES, objects.astype(np.int32), pairs="self")
    assert (objects[expected.a] == objects[expected.b]).all() and len(expected) > 0
    for dtype in (np.int64, np.uint8, np.uint32):
        same(impinge.contacts(POINTS, TRIANGLES, objects.astype(dtype), pairs="self"), expected)
    only = impinge.contacts(POINTS, TRIANGLES, objects, object_pairs=[[0, 1]])
    found = set(map(tuple, np.sort(objects[np.stack([only.a, only.b], 1)], 1).tolist()))
    assert found == {(0, 1)}, found
    raises(ValueError, impinge.contacts, POINTS, TRIANGLES, objects[1:])
    raises(TypeError, impinge.contacts, POINTS, TRIANGLES, objects.astype(float))
    raises(ValueError, impinge.contacts, POINTS, TRIANGLES, objects + 2**40)


def refused(words, *arguments, call=impinge.contacts, **options):
    what = raises(impinge.ArgumentError, call, *arguments, **options)
    assert words in str(what), what


def test_no_pair_left():
    """What leaves no pair of objects to test is an error, and not an empty answer."""
    objects = np.arange(400) % 2
    for given in (dict(pairs="between"), dict(object_pairs=[(0, 1)])):
        refused("objects=", POINTS, TRIANGLES, **given)
        refused("objects=", POINTS, TRIANGLES, call=impinge.touches, **given)
        refused("objects=", POINTS, POINTS, TRIANGLES, call=impinge.between, **given)
        with impinge.Pipeline(**given) as pipeline:
            refused("objects=", POINTS, TRIANGLES, call=pipeline.contacts)
            refused("objects=", [POINTS], TRIANGLES,
                    call=lambda *a: list(pipeline.frames(*a)))  # fmt: skip
        with impinge.Model(**given) as model:
            model.add_vertices(POINTS)
            model.add(TRIANGLES)
            refused("objects=", call=model.contacts)
            model.add(TRIANGLES[:3] * 0, objects=[1, 1, 1])
            model.contacts()
    refused("of one object, 7", POINTS, TRIANGLES, objects * 0 + 7, pairs="between")
    refused("the objects are 0, 1", POINTS, TRIANGLES, objects, object_pairs=[(0, 2)])
    refused("'self'", POINTS, TRIANGLES, objects, object_pairs=[(0, 1)], pairs="self")
    refused("list is empty", POINTS, TRIANGLES, objects, object_pairs=[])
    refused("list is empty", call=impinge.Pipeline, object_pairs=[])
    everything = impinge.contacts(POINTS, TRIANGLES, objects)
    same(
        impinge.contacts(
            POINTS, TRIANGLES, objects, object_pairs=[], object_pairs_exclude=True
        ),
        everything,
    )  # fmt: skip
    same(impinge.contacts(POINTS, TRIANGLES, object_pairs=[(0, 0)]), everything)


def test_objects_come_and_go():
    """A pipeline and a list of objects, of which some are not there, only warn."""
    objects = np.arange(400) % 2
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with impinge.Pipeline(pairs="between") as pipeline:
            assert len(pipeline.contacts(POINTS, TRIANGLES, objects)) > 0 and not told
            assert len(pipeline.contacts(POINTS, TRIANGLES, 0 * objects)) == 0
        assert ["no pair is left" in str(w.message) for w in told] == [True]
        assert told.pop().category is impinge.ImpingeWarning
        assert len(impinge.contacts(POINTS, TRIANGLES, objects, object_pairs=[(0, 1), (1, 9)])) > 0
        assert "object 9" in str(told.pop().message) and not told
        bad = np.full_like(POINTS, np.nan)
        assert impinge.contacts(bad, TRIANGLES, on_bad="skip").bad == len(TRIANGLES)
        assert "NaN" in str(told.pop().message) and not told
        with impinge.Pipeline(continuous=True) as pipeline:
            assert not list(pipeline.frames([POINTS], TRIANGLES))
        assert "only one frame" in str(told.pop().message) and not told


def test_padded():
    """Faces and cells of PyVista count the corners in their first column."""
    faces = np.concatenate([np.full((400, 1), 3), TRIANGLES], 1)
    refused("PyVista", POINTS, faces)
    refused("regular_faces", POINTS, faces.ravel())
    refused("PyVista", POINTS, np.concatenate([np.full((400, 1), 4), faces], 1))
    fan = np.array([[3, 0, 1, 2], [3, 4, 5, 6]])
    refused("corner_count=numpy.full(2, 4)", POINTS, fan)
    assert impinge.contacts(POINTS, fan, corner_count=np.full(2, 4)).depth is not None
    assert impinge.contacts(POINTS, fan[:1]).depth is not None  # one tetrahedron


def test_masked():
    """numpy would take what a mask hides for values."""
    hidden = np.arange(400) == 5
    for which, width in ((0, 3), (1, 3), (2, 1)):
        arrays = [POINTS, TRIANGLES, np.arange(400) % 2]
        shown = np.ma.masked_array(arrays[which])
        arrays[which] = shown
        impinge.contacts(*arrays)
        mask = np.zeros(shown.shape, bool)
        mask[5] = True
        arrays[which] = np.ma.masked_array(shown, mask)
        refused(f"{width} values are masked", *arrays)
    pairs = np.ma.masked_array([[0, 1], [1, 1]], [[0, 0], [0, 1]])
    refused("1 values are masked", POINTS, TRIANGLES, hidden.astype(int), object_pairs=pairs)


def test_no_copy():
    """The library reads the caller's own memory."""
    for dtype in (np.float64, np.float32):
        points = np.ascontiguousarray(POINTS, dtype)
        for index in (np.int32, np.uint32):
            cells = TRIANGLES.astype(index)
            objects = np.zeros(len(cells), np.int32)
            for array in (points, cells, objects):
                array.flags.writeable = False
            mesh = Mesh(points_of(points), cells, objects)
            frame = ffi.new("imp_frame *")
            frame_set(frame, mesh, points_of(points), 0)
            seen = (frame.point, mesh.c.corner, mesh.c.object)
            assert [int(ffi.cast("uintptr_t", p)) for p in seen] == [
                address(points), address(cells), address(objects)
            ]  # fmt: skip
            impinge.contacts(points, cells, objects)


def test_layouts():
    """Arrays that are not contiguous are copied."""
    expected = impinge.contacts(POINTS, TRIANGLES)
    wide = np.zeros((len(POINTS), 5))
    wide[:, 1:4] = POINTS
    same(impinge.contacts(wide[:, 1:4], np.asfortranarray(TRIANGLES)), expected)
    faces = np.concatenate([np.full((400, 1), 3), TRIANGLES], 1)  # as PyVista has them
    same(impinge.contacts(POINTS, faces[:, 1:]), expected)


def test_wrong_types():
    what = raises(TypeError, impinge.contacts, POINTS.astype(np.float16), TRIANGLES)
    assert "astype(numpy.float64)" in str(what)
    raises(TypeError, impinge.contacts, POINTS.astype(">f8"), TRIANGLES)
    raises(TypeError, impinge.contacts, np.zeros((9, 3), int), TRIANGLES[:3])
    raises(TypeError, impinge.contacts, POINTS, TRIANGLES.astype(float))
    raises(ValueError, impinge.contacts, POINTS[:, :2], TRIANGLES)
    raises(ValueError, impinge.contacts, POINTS, TRIANGLES.ravel())
    raises(ValueError, impinge.contacts, POINTS, np.zeros((5, 5), int))


def test_ranges():
    """No number is cut to fewer bits."""
    for wrong in (2**32, -(2**32), -1, len(POINTS)):
        cells = TRIANGLES.astype(np.int64)
        cells[7, 1] = wrong
        what = raises(ValueError, impinge.contacts, POINTS, cells)
        assert str(wrong) in str(what), what
    for dtype in (np.int32, np.uint32):
        cells = TRIANGLES.astype(dtype)
        cells[7, 1] = len(POINTS)
        what = raises(impinge.ArgumentError, impinge.contacts, POINTS, cells)
        assert "triangle 7" in str(what), what
    for dtype, wrong in ((np.uint64, 2**64 - 1), (np.uint64, 2**32), (np.int16, -1), (">i8", 2**32)):
        cells = TRIANGLES.astype(dtype)
        cells[7, 1] = wrong
        what = raises(ValueError, impinge.contacts, POINTS, cells)
        assert f"triangles: {wrong} at position 22 is not 0 to 1199" in str(what), what
    cells = TRIANGLES.copy()
    cells[7, 1] = -1
    raises(ValueError, impinge.contacts, POINTS, cells)
    objects = np.zeros(len(TRIANGLES), np.int64)
    for number in (-(2**31), 2**31 - 1):
        objects[399] = number
        assert len(impinge.contacts(POINTS, TRIANGLES, objects, pairs="self"))
    for number in (-(2**31) - 1, 2**31, -(2**63), 2**63 - 1):
        objects[399] = number
        what = raises(ValueError, impinge.contacts, POINTS, TRIANGLES, objects)
        assert f"objects: {number} at position 399" in str(what), what
    corner = np.zeros((4, 3))
    raises(ValueError, impinge.contacts, corner, [[0, 1, 2, 3]], corner_count=[260])


def empty(found, **columns):
    assert len(found) == 0 and found.candidates == 0
    for name, shape in dict(columns, a=(0,), b=(0,), kind=(0,), ends=(0, 2, 3)).items():
        assert getattr(found, name).shape == shape, name


def test_empty():
    """Without points, without triangles, without contacts."""
    none = np.zeros((0, 3))
    empty(impinge.contacts(none, np.zeros((0, 3), np.int32)))
    empty(impinge.contacts([], []))
    empty(impinge.contacts(POINTS, np.zeros((0, 3), np.int32)))
    empty(impinge.contacts(POINTS, TRIANGLES[:1]))
    assert impinge.contacts(POINTS, TRIANGLES[:1]).toi is None
    assert not impinge.touches(POINTS, TRIANGLES[:1])
    assert impinge.touches(POINTS, TRIANGLES) is True
    empty(
        impinge.contacts(none, np.zeros((0, 4), np.int32)),
        depth=(0,), collision=(0, 3), collision_first=(1,),
    )  # fmt: skip
    empty(
        impinge.between(POINTS, POINTS, TRIANGLES[:1]),
        toi=(0,), feature_a=(0,), feature_b=(0,),
    )  # fmt: skip
    with impinge.Pipeline() as pipeline:
        frames = [POINTS + 5 * np.arange(len(POINTS))[:, None], POINTS]
        assert [len(f) > 0 for f in pipeline.frames(frames, TRIANGLES)] == [False, True]
        assert list(pipeline.frames([], TRIANGLES)) == []
        assert list(pipeline.frames(np.zeros((0, 1200, 3)), TRIANGLES)) == []
    with impinge.Model() as model:
        empty(model.contacts(), id_a=(0,), id_b=(0,))


def test_tetrahedra():
    """Known by their shape; one that contains another meets it."""
    corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    points = np.concatenate([4 * corner, corner + 0.25])
    found = impinge.contacts(points, np.arange(8).reshape(2, 4))
    assert (found.a.tolist(), found.b.tolist()) == ([0], [1])
    assert found.kind[0] == impinge.Kind.SOLIDS and found.depth[0] > 0
    assert found.collision_first.tolist() == [0, len(found.collision)] and len(found.collision) >= 4
    flat = impinge.contacts(points, np.arange(8).reshape(2, 4), corner_count=[4, 3])
    assert len(flat) == 1
    cross = [[0, 0, 0], [2, 2, 0], [0, 2, 0], [2, 0, 0]]
    edges = impinge.contacts(cross, [[0, 1], [2, 3]])
    assert edges.kind[0] == impinge.Kind.POINT and edges.ends[0, 0].tolist() == [1, 1, 0]


def test_end_features():
    """Ends of neighbours have one name, and the same bits; a vertex precedes edges, these faces."""
    floor = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [4, 4, 0]]
    wall = [[1, 1, -1], [1, 1, 2], [3, 1, 1], [1, 2, 0], [3, 3, 0], [1, 2, 3]]
    points = np.array(floor + wall, float)
    triangles = np.array([[0, 1, 2], [1, 3, 2], [4, 5, 6], [7, 8, 9]])
    found = impinge.contacts(points, triangles, end_features=True)
    assert list(zip(found.a.tolist(), found.b.tolist())) == [(0, 2), (0, 3), (1, 3)]
    assert found.end_features.tolist() == [[6, 3, 6, 5], [6, 0, 4, 3], [5, 3, 6, 1]]
    names = found.end_names(triangles)
    assert names.dtype == np.int64 and names.shape == (3, 2, 5)
    edges = [1, 2, 7, 8, -1]
    assert names[0].tolist() == [[4, 5, 0, 1, 2], [4, 6, 0, 1, 2]]
    assert names[1:].tolist() == [[[7, -1, -1, -1, -1], edges], [edges, [8, -1, -1, -1, -1]]]
    turned = impinge.contacts(points, triangles[::-1], end_features=True)
    assert sorted(turned.end_names(triangles[::-1]).tolist()) == sorted(names.tolist())
    assert found.ends[1, 1].tolist() == found.ends[2, 0].tolist()
    plain = impinge.contacts(points, triangles)
    assert plain.end_features is None
    raises(impinge.ArgumentError, plain.end_names, triangles)
    raises(impinge.ArgumentError, impinge.between, points, points, triangles, end_features=True)
    solid = impinge.contacts(points, [[0, 1, 2, 5], [4, 5, 6, 8]], end_features=True, adjacent="test")
    assert (solid.end_features == 255).all() and (solid.end_names([[0, 1, 2, 5], [4, 5, 6, 8]]) == -1).all()


def test_crossing():
    """One pair passes through, one only touches; contacts="crossing" leaves that out."""
    floor = [[0, 0, 0], [4, 0, 0], [0, 4, 0]]
    points = np.array(floor + [[1, 1, -1], [1, 1, 1], [9, 9, 1]] + [[2, 1, 0], [2, 1, 3], [3, 1, 3]], float)
    triangles = np.arange(9).reshape(3, 3)
    found = impinge.contacts(points, triangles)
    assert found.crossing.dtype == np.uint8
    assert dict(zip(zip(found.a.tolist(), found.b.tolist()), found.crossing.tolist())) == {(0, 1): 1, (0, 2): 0}
    for given in ("all", "crossing"):
        some = impinge.contacts(points, triangles, contacts=given)
        assert some.b.tolist() == ([1, 2] if given == "all" else [1])
        with impinge.Pipeline(contacts=given) as pipeline:
            assert pipeline.contacts(points, triangles).b.tolist() == some.b.tolist()
        assert impinge.touches(points, triangles[::2], contacts=given) == (given == "all")
    assert impinge.between(points, points, triangles).crossing is None
    assert impinge.near(points, triangles, distance=1).crossing is None
    raises(impinge.ArgumentError, impinge.contacts, points, triangles, contacts="some")
    raises(impinge.ArgumentError, impinge.between, points, points, triangles, contacts="crossing")
    raises(impinge.ArgumentError, impinge.near, points, triangles, distance=1, contacts="crossing")
    raises(TypeError, impinge.contacts, points, triangles, crossing=1)


def test_points_between():
    """A step has one type of points, and one number."""
    raises(ValueError, impinge.between, POINTS, POINTS[1:], TRIANGLES)
    pipeline = impinge.Pipeline(continuous=True)
    buffer = POINTS.copy()
    raises(ValueError, list, pipeline.frames([buffer, buffer], TRIANGLES))
    raises(impinge.ArgumentError, pipeline.contacts, POINTS, TRIANGLES)
    raises(impinge.ArgumentError, impinge.Pipeline().between, POINTS, POINTS, TRIANGLES)


main(globals())
