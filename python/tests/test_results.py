"""Contacts of arrays are the bits that the program writes for the same frames. HDF5 comes into the
process before the engine."""

import h5py  # noqa: F401
import impinge
import numpy as np
from common import folder, generate, main, same, soup, write_batch


def compare(scene, generated=(), run=None, **options):
    """All frames of a scene, or frames as write_batch takes them, by the program and here. Returns
    the number of contacts."""
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        if isinstance(scene, str):
            generate(batch, scene, *generated)
        else:
            write_batch(batch, scene)
        said = impinge.run(batch, result, **(options if run is None else run))
        with impinge.open(batch) as frames, impinge.open(result) as results:
            assert len(frames) == len(results) > 0
            for frame, expected in zip(frames, results):
                found = impinge.contacts(
                    frame.points, frame.triangles, frame.objects,
                    corner_count=frame.corner_count, **options,
                )
                same(found, expected)
                numbers = ("candidates", "undecided", "bad")
                assert [found.info[n] for n in numbers] == [expected.info[n] for n in numbers]
                assert len(found) == expected.info["contacts"]
        assert said["contacts"] > 0, said
        return said["contacts"]


def test_triangles():
    compare("cloth-ball", ("-n", "3000", "--frames", "16"))


def test_many():
    """More contacts than the library hands out at a time, of triangles and of solids."""
    assert compare("cloth-fold") == 22734
    points = soup(3000, 0.06)[0][: 4 * 2250]
    assert compare([[(points, np.arange(4 * 2250).reshape(-1, 4))]], run={}, solids=True) > 5000


def test_distances():
    """Pairs within a distance, of triangles and of solids."""
    compare("cloth-ball", ("-n", "1500", "--frames", "12"), distance=0.01)
    points = soup(400, 0.1)[0][: 4 * 300]
    options = {"distance": 0.03, "solids": True}
    compare([[(points, np.arange(4 * 300).reshape(-1, 4))]], run={"distance": 0.03}, **options)


def test_parts():
    """Frames of several parts, each with vertex numbers of its own; others in each frame."""
    for corners in (3, 4):
        pieces = [soup(n, 0.1, n)[0][: n // corners * corners] for n in (400, 300, 500, 12)]
        parts = [(p, np.arange(len(p)).reshape(-1, corners)) for p in pieces]
        solids = corners == 4
        compare([parts, parts[:2], parts[2:], parts[:1]], run={}, solids=solids)


def test_float32():
    compare("cloth-fold", ("-n", "6000", "--float32"))


def test_options():
    few = ("-n", "1500", "--frames", "12")
    compare("cloth-ball", few, pairs="between")
    compare("cloth-ball", few, adjacent="test")
    compare("cloth-ball", few, stage="candidates")
    compare("cloth-ball", few, run={"broad": "hash", "dop": 18}, broad="hash", dop_k=18)
    compare("cloth-ball", few, broad="tree", volume="hybrid", descent="simultaneous")


def test_solids():
    """Tetrahedra and triangles, and other primitives in each frame."""
    compare("scalpel", ("-n", "3000", "--set", "begin=75", "--frames", "3"), run={}, solids=True)


def test_devices():
    """Every device gives the same bits."""
    points, triangles = soup(3000)
    expected = impinge.contacts(points, triangles, device="cpu")
    for number, device in enumerate(impinge.devices()):
        assert device["memory"] > 0 and device["name"]
        same(impinge.contacts(points, triangles, device=number), expected)


def test_steps():
    """Between frames: one by one, all by a generator, and as the program writes them."""
    with folder() as where:
        batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
        generate(batch, "sheets", "-n", "1500", "--set", "speed=9", "--frames", "4")
        impinge.run(batch, result, continuous=True, min_separation=1e-3)
        with impinge.open(batch) as frames, impinge.open(result) as results:
            points = [frame.points for frame in frames]
            cells, objects = frames[0].triangles, frames[0].objects
            expected = list(results)
    assert len(expected) == len(points) - 1 and sum(map(len, expected)) > 0
    for k, step in enumerate(expected):
        found = impinge.between(points[k], points[k + 1], cells, objects, min_separation=1e-3)
        same(found, step)
        assert found.toi.min(initial=0) >= 0 and found.toi.max(initial=0) <= 1
    with impinge.Pipeline(continuous=True, min_separation=1e-3) as pipeline:
        for positions in (iter(points), np.stack(points)):
            steps = list(pipeline.frames(positions, cells, objects))
            assert len(steps) == len(expected)
            for one, other in zip(steps, expected):
                same(one, other)


def test_frames():
    """A generator gives each frame its contacts, in order, also where its points are written over,
    and whatever is kept from frame to frame."""
    with folder() as where:
        generate(f"{where}/b", "cloth-ball", "-n", "2000", "--frames", "16")
        with impinge.open(f"{where}/b") as frames:
            points = np.stack([frame.points for frame in frames])
            cells, objects = frames[-1].triangles, frames[-1].objects
    expected = [impinge.contacts(p, cells, objects) for p in points]
    assert len({len(e) for e in expected}) > 1

    def one_buffer():
        buffer = np.empty_like(points[0])
        for frame in points:
            buffer[:] = frame
            yield buffer

    for update in ("auto", "keep", "rebuild"):
        with impinge.Pipeline(update=update) as pipeline:
            for positions in (one_buffer(), list(points), points, points[::2]):
                found = list(pipeline.frames(positions, cells, objects))
                step = 2 if positions is not points and len(found) == 8 else 1
                assert len(found) == len(expected[::step])
                for one, other in zip(found, expected[::step]):
                    same(one, other)


def test_passes():
    """A frame says how it was computed: in full, and why, or incrementally."""
    points, triangles = soup(2000)
    with impinge.Pipeline(update="keep", device="cpu") as pipeline:
        first, second = (f.info for f in pipeline.frames([points, points], triangles))
    assert (first["pass"], first["kept"]) == ("full", 0) and first["reason"]
    assert (second["pass"], second["kept"]) == ("incremental", len(triangles))
    assert second["reason"] == ""


def test_mesh_changes():
    """Triangles that are changed in place are other triangles."""
    points, triangles = soup(2000)
    with impinge.Pipeline(update="keep") as pipeline:
        for dtype in (np.int32, np.int64):
            cells = triangles.astype(dtype)
            first = pipeline.contacts(points, cells)
            same(pipeline.contacts(points, cells), first)
            assert pipeline.touches(points, cells)
            cells[:1000] = cells[1000:]
            changed = pipeline.contacts(points, cells)
            assert len(changed) != len(first)
            same(changed, impinge.contacts(points, cells))


def test_model():
    """What a model finds has the ids that contacts of the same arrays have."""
    points, triangles = soup(1500)
    other, _ = soup(1500, seed=2)
    with impinge.Model() as model:
        assert model.add_vertices(points) == 0
        ids = model.add(triangles)
        assert ids.tolist() == list(range(1500))
        model_same(model.contacts(), points, triangles, ids)
        model.move(other[:900])
        points[:900] = other[:900]
        model_same(model.contacts(), points, triangles, ids)
        model.remove(ids[:100])
        model_same(model.contacts(), points, triangles[100:], ids[100:])
        assert model.position(5) is None and model.position(700) is not None
        model.move(other[3000:3003].astype(np.float32), [3000, 3001, 3002])
        points[3000:3003] = other[3000:3003].astype(np.float32)
        model.replace(ids[100:200], triangles[:50], ids[100:150])
        model_same(
            model.contacts(), points, np.concatenate([triangles[:50], triangles[200:]]),
            np.concatenate([ids[100:150], ids[200:]]),
        )  # fmt: skip
        what = None
        try:
            model.remove([ids[0]])
        except impinge.ArgumentError as error:
            what = error
        assert what is not None and what.code < 0 and str(what)


def model_same(found, points, triangles, ids):
    expected = impinge.contacts(points, triangles)
    pairs = [
        sorted(map(sorted, zip(x.tolist(), y.tolist())))
        for x, y in ((found.id_a, found.id_b), (ids[expected.a], ids[expected.b]))
    ]
    assert len(expected) > 0 and pairs[0] == pairs[1]


main(globals())
