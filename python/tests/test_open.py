"""impinge.open as a sequence: slices, figures in repr, names and times; and what is said in place of a
file, or of an array, that is another thing."""

import os
import sys
from html.parser import HTMLParser
from pathlib import Path

import impinge
import numpy as np
from common import folder, generate, main, raises, same, soup

try:
    import h5py
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)


def same_frames(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other):
        if isinstance(a, impinge.Contacts):
            same(a, b)
            assert a.info == b.info
        else:
            assert all(np.array_equal(x, y) for x, y in zip(a, b))


def scene(where):
    """A batch of 12 frames, its result, and one with an object whose name has a comma."""
    batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
    generate(batch, "cloth-ball", "-n", "700", "--frames", "12")
    impinge.run(batch, result)
    return batch, result


SLICES = [
    slice(3, 7), slice(None), slice(None, None, -1), slice(-3, None), slice(8, 2, -2), slice(5, 5),
    slice(100), slice(-100, 4, 3),
]  # fmt: skip


def test_slices():
    """They are what a list would give, of the same class, times and sources too; also slices of them."""
    with folder() as where:
        for k in range(12):
            Path(f"{where}/f{k:02}.obj").write_text(f"v {k} 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        impinge.convert(f"{where}/f*.obj", f"{where}/obj.vtkhdf", dt=0.5)
        for path in (*scene(where), f"{where}/obj.vtkhdf"):
            with impinge.open(path) as whole:
                frames, times = list(whole), whole.times.tolist()
                for one in SLICES:
                    view = whole[one]
                    assert type(view) is type(whole) and view.names == whole.names
                    assert view.times.tolist() == times[one]
                    same_frames(list(view), frames[one])
                    if isinstance(whole, impinge.Batch):
                        assert view.sources == whole.sources[one]
                        for k in range(-len(view), len(view)):
                            a, b = view.cell_arrays(k), whole.cell_arrays(range(12)[one][k])
                            assert all(np.array_equal(a[name], b[name]) for name in b) and b
                    for other in SLICES[::3]:
                        same_frames(list(view[other]), frames[one][other])
                same_frames([whole[-1], whole[np.int64(2)]], [frames[11], frames[2]])
                for k in (12, -13):
                    assert "there is no frame" in str(raises(IndexError, whole.__getitem__, k))
                    assert "of 4" in str(raises(IndexError, whole[3:7].__getitem__, k))
                for k in ("a", 1.5, [1, 2], None):
                    assert "is not the number of a frame" in str(raises(TypeError, whole.__getitem__, k))


def test_closed():
    """A view closes its file; what was read stays, and the rest says that it is closed."""
    with folder() as where:
        for path in scene(where):
            with impinge.open(path) as whole:
                view, first = whole[2:5], whole[0]
                assert not view.closed
            assert view.closed and whole.closed and first is not None
            for of in (view, whole):
                for ask in (lambda of: of[0], list):
                    what = raises(impinge.ArgumentError, ask, of)
                    assert str(what) == f"{path}: it is closed"
                assert repr(of) == f"<impinge.{type(of).__name__} {os.path.basename(path)}: closed>"
                assert len(of) == len(of.times)


class Texts(HTMLParser):
    """Those of an HTML text, which must be well-formed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_repr():
    points, triangles = soup(40, 0.5)
    both = np.array([[0, 1, 2, 3], [4, 5, 6, 7]])
    cases = [
        ((points, triangles), {}, "1 frame of 40 triangles, time 0"),
        ((points, triangles[:1]), dict(times=[2.5]), "1 frame of 1 triangle, time 2.5"),
        ((np.stack([points] * 3), triangles, np.arange(40) % 4), dict(times=[0.5, 1, 4 / 3]),
         "3 frames of 40 triangles, 4 objects, times 0.5 to 1.33333"),
        (([(points, triangles), (points, triangles[:7])],), {}, "2 frames of 7 to 40 triangles, times 0 to 1"),
        ((points, both), dict(corner_count=[3, 4]), "1 frame of 1 triangle and 1 tetrahedron, time 0"),
        ((points, both), dict(names=["a<b>, \x1b\nc"]), "1 frame of 2 tetrahedra, 1 object (a<b>, ??c), time 0"),
        ((points, triangles[:0]), {}, "1 frame of no primitives, time 0"),
        ((points, triangles), dict(names={k: f"n{k}" for k in range(1200)}),
         "1 frame of 40 triangles, 1,200 objects (n0, n1, n2, n3, n4, n5, n6, n7 and 1,192 more), time 0"),
    ]  # fmt: skip
    with folder() as where:
        path = f"{where}/a<b>.vtkhdf"
        for given, words, told in cases:
            impinge.write(path, *given, **words, force=True)
            with impinge.open(path) as batch:
                assert repr(batch) == f"<impinge.Batch a<b>.vtkhdf: {told}>", repr(batch)
                html = batch._repr_html_()
                assert ", ".join(Texts(html).texts[3::2]) == told, Texts(html).texts
                assert "<b>" not in html and batch[:0].__repr__().startswith("<impinge.Batch a<b>.vtkhdf: 0 frames")
        batch, result = scene(where)
        rows = {
            result: "contacts",
            f"{where}/near": "pairs",
            f"{where}/steps": "contacts",
        }
        impinge.run(batch, f"{where}/near", distance=0.05)
        impinge.run(batch, f"{where}/steps", continuous=True)
        for path, word in rows.items():
            with impinge.open(path) as found:
                counts = [len(frame) for frame in found]
                of = "11 steps" if path.endswith("steps") else "12 frames"
                told = f"{of}, {sum(counts):,} {word} in {np.count_nonzero(counts)} of them, 2 objects (cloth, ball)"
                assert told in repr(found), (repr(found), told)
                assert f"1 {of[3:-1]}, {counts[8]:,} {word}, 2 obj" in repr(found[8:9]), repr(found[8:9])
        with h5py.File(batch, "a") as file:
            del file["VTKHDF/Polygons/NumberOfCells"]
        with impinge.open(batch) as damaged:
            assert "damaged" in repr(damaged) and "NumberOfCells" in repr(damaged)


def test_frame_as_mesh():
    """A frame of a batch is a mesh, with its objects."""
    with folder() as where:
        path, result = scene(where)
        with impinge.open(path) as batch, impinge.open(result) as stored:
            for frame, found in zip(batch, stored):
                same(impinge.contacts(frame), found)
                given = impinge.contacts(frame, pairs="between")
                same(given, impinge.contacts(*frame[:3], pairs="between"))
            assert "a batch, not a frame of it: batch[0] is one" in str(raises(ValueError, impinge.contacts, batch))
            what = raises(TypeError, impinge.contacts, batch, batch[0].triangles)
            assert "points: a batch, not a frame of it" in str(what)


def test_hints():
    """In place of an array or a file: what to write instead."""
    points, triangles = soup(5)
    with folder() as where:
        batch, result = scene(where)
        arrays = [
            (np.stack([points] * 60), ValueError, "60 frames of (n, 3): Pipeline().frames(points, triangles)"),
            (None, TypeError, "points: None, not an array (n, 3)"),
            (batch, TypeError, "is a path; use impinge.open(path)[k]"),
            (Path(batch), TypeError, "is a path; use impinge.open(path)[k]"),
            (triangles, TypeError, "unless these are triangles: they come after the points"),
        ]
        for given, kind, told in arrays:
            for call in (impinge.contacts, impinge.touches, impinge.Pipeline().contacts):
                what = raises(kind, call, given, triangles)
                assert told in str(what) and "\n" not in str(what), (told, what)
        what = raises(ValueError, list, impinge.Pipeline().frames(points, triangles))
        assert "a frame alone is one of a list, [positions]" in str(what)
        files = [
            ([f"{where}/*.vtkhdf"], impinge.ArgumentError, "is a pattern, not a file; impinge.convert(files"),
            ([[batch, result]], impinge.ArgumentError, "2 files, not one; impinge.convert(files"),
            ([points], TypeError, 'ndarray, not the path of a file; impinge.write("batch.vtkhdf", ...)'),
            ([None], TypeError, "NoneType, not the path of a file"),
        ]
        for given, kind, told in files:
            calls = [impinge.open, impinge.info, lambda a: impinge.run(a, f"{where}/r")]
            for call in (*calls, lambda a: impinge.check(a, batch), lambda a: impinge.check(result, a)):
                what = raises(kind, call, *given)
                assert told in str(what) and "\n" not in str(what), (told, what)
        raises(FileNotFoundError, impinge.open, f"{where}/*.none")


def test_patterns():
    """convert expands them, in natural order, also of objects; a file of such a name is one."""
    with folder() as where:
        for k in (10, 9, 1):
            Path(f"{where}/f{k}.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        names = [f"{where}/f{k}.obj" for k in (1, 9, 10)]
        impinge.convert(f"{where}/*.obj", f"{where}/a", times=[0, 1, 2])
        with impinge.open(f"{where}/a") as batch:
            assert batch.sources == names
        impinge.convert([f"{where}/*.obj"], f"{where}/b", as_="objects")
        with impinge.open(f"{where}/b") as batch:
            assert list(batch.names.values()) == names
        what = raises(impinge.InputError, impinge.convert, f"{where}/*.stl", f"{where}/c")
        assert str(what) == f"{where}/*.stl: there is no such file"
        os.rename(names[0], f"{where}/[1].obj")
        impinge.convert(f"{where}/[1].obj", f"{where}/d")


if __name__ == "__main__":
    main(globals())
