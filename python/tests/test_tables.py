"""Contacts as rows and tables: kinds by name, objects, times, counts, slices, pandas."""

import pickle
import re
from collections import Counter
from itertools import count
from pathlib import Path

import h5py
import impinge
import numpy as np
from common import folder, generate, main, raises, same, soup, write_batch
from impinge import Kind
from impinge._library import words

POINTS, TRIANGLES = soup(400, 0.2)
OBJECTS = np.arange(400) % 3
NAMES = ["cloth", "<b>ball</b>", "floor"]


def found_of(**options):
    return impinge.contacts(POINTS, TRIANGLES, OBJECTS, names=NAMES, **options)


# ---- kinds


def test_kinds():
    """The numbers, and the words of data/format.md."""
    assert Kind(17) is Kind.AT_START_POINT and Kind.AT_START_SOLIDS == 21 == Kind.AT_START + Kind.SOLIDS
    assert [kind for kind in Kind if kind.at_start and kind.base != kind] == list(range(17, 22))
    assert Kind(18).base is Kind.SEGMENT and Kind.SEGMENT.base is Kind.SEGMENT and not Kind(5).at_start
    assert Kind(18).word == "segment at start" and Kind.VERTEX_FACE.word == "vertex-face"
    assert isinstance(Kind(17), int) and pickle.loads(pickle.dumps(Kind(17))) is Kind(17)
    raises(ValueError, Kind, 22)
    known = {word.upper().replace("-", "_"): number for word, number in words("imp_kind").items()}
    assert {kind.name: int(kind) for kind in Kind if kind < 17} == known  # of impinge.h
    found = found_of()
    assert found.kinds.tolist() == [Kind(k).word for k in found.kind.tolist()] and len(found) > 50
    moved = POINTS + 0.1 * np.sin(20 * POINTS)
    step = impinge.between(POINTS, moved, TRIANGLES)
    assert {"segment at start", "edge-edge", "vertex-face"} <= set(step.kinds), set(step.kinds)
    assert (np.char.endswith(step.kinds, "at start") == (step.kind >= 16)).all()


def words_of_all():
    found = found_of()
    found.kind = np.arange(256, dtype=np.uint8)
    return found.kinds


def test_words_of_format():
    """Those of the table in data/format.md, where the sources are there."""
    said = words_of_all()
    assert said[22] == "kind 22" and said[16] == "at-start" and len(set(said)) == 256
    page = Path(__file__).resolve().parents[2] / "data/format.md"
    text = page.read_text(encoding="utf-8").split("#### Kinds")[1].split("\n\\*")[0]
    rows = re.findall(r"^\| (\d+) \| ([a-z-]+) \|", text, re.M)
    table = {int(number): word for number, word in rows if int(number) < 12}
    assert list(table) == list(range(12)), table
    assert [said[number] for number in range(12)] == list(table.values())
    for number in range(1, 6):
        assert said[16 + number] == f"{table[number]} at start"


# ---- columns that are computed


def test_columns():
    """Pairs, objects and counts, by numpy."""
    found = found_of()
    assert found.pairs.dtype == np.int64 and found.pairs.shape == (len(found), 2)
    assert (found.pairs[:, 0] == found.a).all() and (found.pairs[:, 1] == found.b).all()
    assert (found.object_a == OBJECTS[found.a]).all() and (found.object_b == OBJECTS[found.b]).all()
    assert found.names == dict(enumerate(NAMES)) and found.time is None and found.local_a is None
    counts = np.zeros(400, int)
    for a, b in found.pairs.tolist():
        counts[a] += 1
        counts[b] += 1
    assert found.counts().dtype == np.int64 and found.counts().tolist() == counts.tolist()
    assert found.counts(500).tolist() == counts.tolist() + 100 * [0]
    assert "counts: 5 primitives" in str(raises(impinge.ArgumentError, found.counts, 5))
    raises(TypeError, found.counts, 5.5)
    assert found[:0].counts().tolist() == 400 * [0]
    plain = impinge.contacts(POINTS, TRIANGLES)
    assert plain.object_a is None and plain.names == {} and len(plain.by_objects()) == 1
    raises(AttributeError, getattr, plain, "no_such_column")
    same(pickle.loads(pickle.dumps(found)), found)
    assert pickle.loads(pickle.dumps(found)).names == found.names


def test_by_objects():
    """Sums by brute force, most contacts first; also of objects with numbers far apart."""
    for objects in (OBJECTS, np.array([-(2**31), 2**31 - 1, 7])[OBJECTS], OBJECTS * 0):
        found = impinge.contacts(POINTS, TRIANGLES, objects, solids=True)
        of = [tuple(sorted((int(objects[a]), int(objects[b])))) for a, b in found.pairs.tolist()]
        counted = Counter(of)
        rows = found.by_objects()
        assert [(row.a, row.b, row.contacts) for row in rows] == sorted(
            ((a, b, n) for (a, b), n in counted.items()), key=lambda row: (-row[2], row[0], row[1])
        )
        for row in rows:
            mine = np.array([pair == (row.a, row.b) for pair in of])
            assert row.crossing == found.crossing[mine].sum() and row.name_a is None
            assert row.least_distance is None and row.time is None
    near = impinge.near(POINTS, TRIANGLES, OBJECTS, thickness=0.05, names=NAMES)
    for row in near.by_objects():
        low, high = np.minimum(near.object_a, near.object_b), np.maximum(near.object_a, near.object_b)
        mine = (low == row.a) & (high == row.b)
        assert (row.contacts, row.least_distance) == (mine.sum(), near.distance[mine].min())
        assert row.penetration == near.penetration[mine].max() and row.name_a == NAMES[row.a]
    assert [part.part_a for part in impinge.parts(near)] == sorted(
        (NAMES[row.a] for row in near.by_objects()), key=NAMES.index
    )
    deep = np.concatenate([POINTS[TRIANGLES[:100].ravel()].reshape(-1, 3)[: 4 * 60]])
    solids = impinge.contacts(deep, np.arange(240).reshape(60, 4), np.arange(60) % 2)
    assert solids.by_objects()[0].depth == max(
        d for d, a, b in zip(solids.depth, solids.object_a, solids.object_b)
        if {a, b} == {solids.by_objects()[0].a, solids.by_objects()[0].b}
    )  # fmt: skip
    assert found[:0].by_objects() == [] == impinge.contacts(POINTS, TRIANGLES[:1]).by_objects()


# ---- rows


def tetrahedra(**options):
    points = soup(200, 0.15, seed=4)[0]
    return impinge.contacts(points[: 4 * 150], np.arange(600).reshape(150, 4), np.arange(150) % 2, **options)


def check_rows(found, some, rows):
    """`some` has these rows of `found`."""
    assert len(some) == len(rows) and type(some) is impinge.Contacts
    assert some.candidates == found.candidates and some.names == found.names
    for name in ("a", "b", "kind", "ends", "crossing", "depth", "object_a", "object_b", "toi", "time", "normal"):
        x, y = getattr(found, name), getattr(some, name)
        assert (x is None) == (y is None), name
        assert x is None or (x[rows].tobytes() == y.tobytes() and x.dtype == y.dtype), name
    if found.collision is not None:
        assert some.collision_first.dtype == np.uint64 and some.collision_first[0] == 0
        for k, row in enumerate(rows):
            i, j = found.collision_first[row : row + 2]
            first, end = some.collision_first[k : k + 2]
            assert found.collision[i:j].tobytes() == some.collision[first:end].tobytes()
        assert some.collision_first[-1] == len(some.collision)


def test_slices():
    """Masks, slices and numbers, also of contacts with collision points, and of none."""
    step = impinge.between(POINTS, POINTS + 0.1 * np.sin(20 * POINTS), TRIANGLES, OBJECTS, times=(2, 3))
    for found in (found_of(), tetrahedra(), step, impinge.near(POINTS, TRIANGLES, distance=0.01)):
        n = len(found)
        assert n > 20
        mask = np.arange(n) % 3 == 1
        for asked in (slice(3, 9), slice(None, None, -2), slice(0, 0), slice(5, 10**9), mask, mask.tolist(),
                      np.array([4, 4, -1, 0]), [2, n - 1], np.array([], int), [], ~mask & mask):  # fmt: skip
            rows = np.arange(n)[np.array(asked, int) if isinstance(asked, list) and not asked else asked]
            check_rows(found, found[asked], rows)
        twice = found[mask][::-1]
        check_rows(found, twice, np.flatnonzero(mask)[::-1])
        for wrong in (mask[1:], [n], [-n - 1], n, -n - 1, [0.5], (0, 1), np.zeros((2, 2), int)):
            raises(IndexError, found.__getitem__, wrong)
        raises(TypeError, found.__getitem__, "a")
    found = impinge.contacts(*soup(60, 0.3), np.arange(60) % 2, end_features=True)
    assert found[1:4].end_features.tolist() == found.end_features[1:4].tolist()
    assert (found[1:4].end_names(soup(60, 0.3)[1]) == found.end_names(soup(60, 0.3)[1])[1:4]).all()
    corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    inside = impinge.inside(np.concatenate([4 * corner, corner + 0.25]), np.arange(8).reshape(2, 4), objects=[0, 1])
    assert len(inside) > 0 and (inside[:0].relations == inside.relations).all() and len(inside.relations) == 1


def test_contact():
    """One by one, with the columns that there are."""
    for found in (found_of(), tetrahedra()):
        rows = list(found)
        assert len(rows) == len(found) and all(isinstance(row, impinge.Contact) for row in rows)
        for i in (0, 7, -1):
            row = found[i]
            assert (row.a, row.b) == (found.a[i], found.b[i]) and type(row.a) is int
            assert row.kind is Kind(found.kind[i]) and (row.ends == found.ends[i]).all()
            assert row.object_a == found.object_a[i]
            assert repr(rows[i]) == repr(row) == repr(pickle.loads(pickle.dumps(row)))
            assert row.toi is None and row.time is None and row._asdict()["b"] == row.b
            raises(AttributeError, getattr, row, "no_such_column")
    assert repr(row).startswith("Contact(a=") and "kind=SOLIDS" in repr(row)
    first, end = found.collision_first[-2:]
    assert (row.collision == found.collision[int(first) : int(end)]).all() and len(row.collision) > 0
    assert found_of()[0].name_a == NAMES[found_of().object_a[0]] and "name_a" not in tetrahedra()[0]._fields
    assert list(found[:0]) == []


# ---- how it looks


def test_repr():
    """The figures: contacts, kinds, objects; of a slice too."""
    found = found_of(pairs="between")
    said = repr(found)
    assert said.startswith(f"<impinge.Contacts: {len(found)} of {found.candidates} candidates; ")
    assert f"{len(found)} segment" in said
    for pair in found.by_objects():
        assert f"{pair.name_a} - {pair.name_b} {pair.contacts}" in said
    many = impinge.contacts(POINTS, TRIANGLES, np.arange(400))
    assert repr(many).endswith(f" and {len(many.by_objects()) - 3} more>"), repr(many)
    assert repr(found[:0]) == f"<impinge.Contacts: 0 of {found.candidates} candidates>"
    with impinge.Pipeline(update="keep", device="cpu") as pipeline:
        assert "kept" not in repr(pipeline.contacts(POINTS, TRIANGLES))
        again = pipeline.contacts(POINTS, TRIANGLES)
        assert again.info["kept"] == 400 and "400 primitives kept from the frame before" in repr(again)


def test_html():
    """A table of ten rows at most, with names escaped, that loads nothing."""
    for found in (found_of(), found_of()[:3], found_of()[:0], impinge.near(POINTS, TRIANGLES, distance=0.02)):
        page = found._repr_html_()
        assert page.count("<tr>") == (1 + min(len(found), 10) if len(found) else 0)
        assert not re.search(r"<(script|link|img|style)|https?:|src=|color", page)
        assert ("more</p>" in page) == (len(found) > 10)
        opened = re.findall(r"<(\w+)>", page)
        assert Counter(opened) == Counter(re.findall(r"</(\w+)>", page)), page
    page = found_of()._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;ball&lt;/b&gt;" in page


def test_pandas():
    """A row for each contact; vectors in columns."""
    try:
        import pandas
    except ImportError as what:
        print(f"skipped: {what}")
        return
    found = found_of(pairs="between")
    table = found.to_pandas()
    assert len(table) == len(found) and table["a"].dtype == np.int64
    assert (table[["end0_x", "end0_y", "end0_z"]].to_numpy() == found.ends[:, 0]).all()
    assert (table[["end1_x", "end1_y", "end1_z"]].to_numpy() == found.ends[:, 1]).all()
    assert table["kind"].tolist() == found.kinds.tolist() and isinstance(table["kind"].dtype, pandas.CategoricalDtype)
    assert table["name_a"].tolist() == [NAMES[k] for k in found.object_a]
    counts = table.groupby(["name_a", "name_b"], observed=True).size()
    assert counts.sum() == len(found) and not set(table.columns) & {"ends", "collision", "time"}
    assert "collision" not in tetrahedra().to_pandas() and "depth" in tetrahedra().to_pandas()
    near = impinge.near(POINTS, TRIANGLES, OBJECTS, distance=0.02, names={1: "only"}).to_pandas()
    assert {"normal_x", "barycentric_a_0", "barycentric_b_3", "feature_a", "distance"} <= set(near.columns)
    assert set(near["name_a"].dropna()) == {"only"} and near["name_a"].isna().any()
    assert len(found[:0].to_pandas()) == 0 and list(found[:0].to_pandas().columns) == list(table.columns)


# ---- times, and what files have


def test_first_contact():
    """When and where a simulation meets first: a dart falls one metre in each frame."""
    floor, dart = [[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[1, 1, 2.75], [1, 2, 4], [2, 1, 4]]
    positions = np.array([floor + (np.array(dart) - [0, 0, k]).tolist() for k in range(6)])
    with impinge.Pipeline(continuous=True) as pipeline:
        steps = pipeline.frames(positions, [[0, 1, 2], [3, 4, 5]], [0, 1], names=["floor", "dart"], times=np.arange(6) / 2)
        first = next(found[0] for found in steps if len(found))
    print(f"    {first.time} s: {first.name_b} meets {first.name_a} at {first.ends[0]}")
    assert first.time == 1.375 and first.ends[0].tolist() == [1, 1, 0]
    assert (first.name_a, first.name_b, first.kind) == ("floor", "dart", Kind.VERTEX_FACE)


def test_sixty_frames():
    """An array of 60 frames."""
    positions = np.stack([POINTS + 0.01 * np.sin(k + 9 * POINTS) for k in range(60)])
    with impinge.Pipeline(pairs="between") as pipeline:
        counts = [len(found) for found in pipeline.frames(positions, TRIANGLES, OBJECTS, names=NAMES)]
    assert counts == [len(impinge.contacts(p, TRIANGLES, OBJECTS, pairs="between")) for p in positions]
    assert len(set(counts)) > 5


def test_times_of_file():
    """Bits of Time, objects and names as the program writes them, for any times of frames."""
    some, other = soup(200, 0.2, 3)[0], soup(200, 0.2, 5)[0]
    cells = np.arange(600).reshape(-1, 3)
    frames = [some, other, some + 0.01, other * 0.5]
    for times in ([0.1, 0.30000000000000004, 7.7, 1e6 / 3], [-1.7e308, 1.7e308, 1.75e308, 1.79e308], [0, 5e-324, 1e-300, 1]):
        with folder() as where:
            write_batch(f"{where}/b.vtkhdf", [[(points, cells)] for points in frames])
            with h5py.File(f"{where}/b.vtkhdf", "a") as file:
                file["VTKHDF/Steps/Values"][:] = times
            impinge.run(f"{where}/b.vtkhdf", f"{where}/r.vtkhdf", continuous=True)
            with impinge.open(f"{where}/r.vtkhdf") as result, impinge.Pipeline(continuous=True) as pipeline:
                steps = list(pipeline.frames(iter(frames), cells, times=times))
                assert len(steps) == len(result) == 3
                for k, (mine, theirs) in enumerate(zip(steps, result)):
                    assert len(mine) > 100 and mine.time.tobytes() == theirs.time.tobytes()
                    assert mine.info["time"] == theirs.info["time"] == times[k]
                    one = impinge.between(frames[k], frames[k + 1], cells, times=times[k : k + 2])
                    assert one.time.tobytes() == theirs.time.tobytes()
                    check_rows(theirs, theirs[::7], np.arange(len(theirs))[::7])
    assert (impinge.between(some, other, cells).time == impinge.between(some, other, cells).toi).all()


def test_objects_of_file():
    """Object columns, names, counts and sums are those of the result of the same scene."""
    with folder() as where:
        batch, result = f"{where}/b.vtkhdf", f"{where}/r.vtkhdf"
        generate(batch, "cloth-ball", "-n", "2000", "--frames", "14")
        impinge.run(batch, result)
        with impinge.open(batch) as frames, impinge.open(result) as results:
            frame, expected, names = frames[-1], results[-1], frames.names
    found = impinge.contacts(frame, names=names)
    assert found.object_a.tobytes() == expected.object_a.tobytes() and len(found) > 0
    assert found.object_b.tobytes() == expected.object_b.tobytes()
    assert found.by_objects() == expected.by_objects() and found.names == expected.names == names
    assert found.counts()[: len(expected.counts())].tolist() == expected.counts().tolist()
    assert expected.local_a is None and expected[0].name_a == found[0].name_a in names.values()
    assert repr(found).split(";")[1:] == repr(expected).split(";")[1:]


def test_times_refused():
    """A finite number for each frame."""
    cells = TRIANGLES

    def frames(times, positions=(POINTS, POINTS + 1)):
        with impinge.Pipeline(continuous=True) as pipeline:
            return list(pipeline.frames(positions, cells, times=times))

    for times, said in (([1], "times: 1, for 2 frames"), ([1, np.nan], "that of frame 1 is nan"),
                         ([1, "x"], "that of frame 1 is 'x', not a number"), (5, "5 is not a number for each")):  # fmt: skip
        assert said in str(raises(impinge.ArgumentError, frames, times)), times
    what = raises(impinge.ArgumentError, frames, [1], iter((POINTS, POINTS + 1)))
    assert "times: 1, but there is a frame 1" in str(what)
    for times in ((1,), 3, (0, np.inf), ("a", 1), (1, 2, 3)):
        assert "times" in str(raises(impinge.ArgumentError, impinge.between, POINTS, POINTS, cells, times=times))
    (step,) = frames(count(3, 2), iter((POINTS, POINTS + 0.01)))
    assert step.time.min() >= 3 and step.time.max() <= 5 and step.info["time"] == 3


main(globals())
