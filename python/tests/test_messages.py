"""What a newcomer is told: of results that are empty for a reason, of names that are not whole, of arguments in
each other's place."""

import os
import re
import warnings
from pathlib import Path

import impinge
import numpy as np
from common import folder, main
from impinge import _output

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, -1], [0.2, 0.3, 1], [0.8, 0.1, 0.5]])
FACES = np.array([[0, 1, 2], [3, 4, 5]])
OPEN = (POINTS[:3], FACES[:1])
CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
SOLID = (CUBE, QUADS[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def warned(function, *arguments, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*arguments, **options)
    assert all(one.category is impinge.ImpingeWarning and one.filename == __file__ for one in found), found
    return [str(one.message) for one in found]


def refused(kind, words, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kind as what:
        assert words in str(what), what
        return
    raise AssertionError(f"not refused: {words}")


def test_open_parts():
    both = "all 2 objects are not closed, and so nothing is found inside: arm, base; "
    (told,) = warned(impinge.inside, {"arm": OPEN, "base": OPEN})
    assert told.startswith(both), told
    (told,) = warned(impinge.inside, {"arm": SOLID, "base": OPEN})
    assert told.startswith("1 of 2 objects is not closed, and so nothing is found inside: base; "), told
    assert not warned(impinge.inside, {"arm": SOLID, "base": (CUBE + 0.5, SOLID[1])})
    assert not warned(impinge.inside, {"arm": SOLID, "base": OPEN}, closed=["arm"])


def test_empty():
    assert warned(impinge.contacts, {}) == ["dict: there is no mesh in it, and so nothing to test"]
    assert warned(impinge.clearance, {"a": SOLID}) == ["there is only one object, a, and so no distance of two"]
    assert not warned(impinge.clearance, {"a": SOLID, "b": OPEN})

    class Blocks:
        n_blocks = 3

        def get_block_name(self, k):
            return "abc"[k]

        def __getitem__(self, k):
            return (SOLID, None, OPEN)[k]

    assert warned(impinge.contacts, Blocks()) == ["1 of 3 blocks is None, and left out"]


def test_flat():
    (told,) = warned(impinge.contacts, CUBE, QUADS)
    assert told == "all 6 tetrahedra have no volume; if they are quads, give triangles, two for each", told
    assert not warned(impinge.contacts, CUBE, np.array([[0, 1, 3, 2], [0, 1, 2, 4]]))
    assert warned(impinge.contacts, 0 * POINTS, FACES) == ["all 2 triangles have no area"]
    named = {"a": SOLID, "flat": (0 * POINTS, FACES)}
    assert warned(impinge.contacts, named) == ["flat: all 2 triangles have no area"]
    assert not warned(impinge.contacts, np.concatenate([0 * POINTS, CUBE]), np.array([[0, 1, 2], [6, 7, 8]]))


def test_options():
    """A name is whole, and those near it are told."""
    refused(TypeError, "'pair'; there is object_pairs, object_pairs_exclude, pairs", impinge.contacts, *OPEN, pair=1)
    refused(TypeError, "'continous'; there is continuous", impinge.Pipeline, continous=True)
    refused(TypeError, "'distnace'; there is distance", impinge.near, *OPEN, distnace=0.1)
    for name in ("pair", "frame", "dist"):
        refused(impinge.ArgumentError, f"no option {name!r}", impinge.run, "a", "b", **{name: 1})


def test_run():
    with folder() as where:
        batch, result = f"{where}/b.vtkhdf", f"{where}/r.vtkhdf"
        impinge.write(batch, np.stack([POINTS] * 12), FACES, [0, 1], names=["a", "b"])
        of = {"a": (POINTS[:3], FACES[:1]), "b": (POINTS[3:], FACES[:1])}
        assert len(impinge.contacts(of)) == 1
        for frames, count in ((slice(3, 5), 2), (range(3, 9, 2), 3), ((2, 6), 4), (range(-3, 0), 3), (4, 1)):
            assert impinge.run(batch, result, frames=frames, force=True)["frames"] == count, frames
        assert impinge.run(batch, result, force=True)["contacts"] == 12
        assert impinge.run(batch, result, force=True, allowed=[("a", "b")])["contacts"] == 0
        assert impinge.run(batch, result, force=True, allowed=[])["contacts"] == 12
        refused(impinge.InputError, "allowed: line 1: there is no object 'c'", impinge.run, batch, result,
                allowed=[("a", "c")], force=True)  # fmt: skip
        refused(impinge.ArgumentError, "not with object_pairs", impinge.run, batch, result,
                allowed=[(0, 1)], object_pairs=[(0, 1)], force=True)  # fmt: skip
        refused(impinge.ArgumentError, "exists already; force=True replaces it", impinge.run, batch, result)
        with impinge.open(batch) as file:
            assert impinge.contacts(file[4]).names == {0: "a", 1: "b"}


def test_write():
    with folder() as where:
        for ending in (".stl", ".VTK", ".csv"):
            words, out = "VTKHDF (HDF5), whatever its name", f"{where}/o{ending}"
            refused(impinge.ArgumentError, words, impinge.write, out, *OPEN)
        for names, words in ((["a"], "names: 1, but"), (["a", "b", "c"], "names: 3"), (["a", "a"], "two objects")):
            out = f"{where}/o.vtkhdf"
            refused(impinge.ArgumentError, words, impinge.write, out, POINTS, FACES, [0, 1], names=names)
            refused(impinge.ArgumentError, words, impinge.contacts, POINTS, FACES, [0, 1], names=names)
        impinge.write(out, POINTS, FACES, [0, 1], names={1: "b"})
        assert os.listdir(where) == ["o.vtkhdf"]
    refused(TypeError, "path: ndarray", impinge.write, POINTS, FACES, "o")


def test_endings():
    """The program and the package refuse the same endings."""
    program = (Path(__file__).parents[2] / "host/file/output_file.c").read_text()
    kinds = re.findall(r"\{(ENDING_\w+),([^}]*)", re.search(r"\} kinds\[\] = \{(.*?)\n\};", program, re.S)[1])
    ends = {kind: set() for kind, _ in kinds}
    for kind, rest in kinds:
        ends[kind] |= {word for text in re.findall(r'"( \.[^"]*|\.[^"]* )"', rest) for word in text.split()}
    assert ends.pop("ENDING_HDF5") >= {".vtkhdf", ".h5"} and len(ends) == 4
    assert set().union(*ends.values()) == _output._OTHERS


def test_times():
    both = np.stack([POINTS, POINTS])
    refused(impinge.ArgumentError, "0, of frame 1, is not after 1", lambda: list(
        impinge.Pipeline().frames(both, FACES, times=[1, 0])))  # fmt: skip
    refused(impinge.ArgumentError, "1 is not after 2", impinge.between, POINTS, POINTS, FACES, times=(2, 1))
    with impinge.Pipeline() as pipeline:
        found = list(pipeline.frames(both, FACES, times=[1, 2.5]))
    assert [(one.info["frame"], one.info["time"]) for one in found] == [(0, 1), (1, 2.5)]
    try:
        table = found[1].to_pandas()
    except ImportError:
        return
    assert table[["frame", "time"]].values.tolist() == [[1, 2.5]], table
    assert "time" not in impinge.contacts(POINTS, FACES).to_pandas()


def test_places():
    refused(impinge.ArgumentError, "queries are missing", impinge.inside, SOLID)
    refused(impinge.ArgumentError, "object 0 is not closed at the edge of vertices 0 and 1",
            impinge.inside, OPEN, [[0, 0, 0]])  # fmt: skip
    both = {"arm": SOLID, "base": (CUBE + 3, SOLID[1])}
    refused(impinge.ArgumentError, "2 objects are closed: arm, base", impinge.inside, both, CUBE)
    refused(impinge.ArgumentError, "a dict of name: mesh", impinge.contacts, [SOLID, SOLID])
    found = impinge.contacts(POINTS, FACES)
    refused(TypeError, "attributes: found.a", lambda: found["a"])
    pipeline = impinge.Pipeline()
    refused(impinge.ArgumentError, "positions: None", lambda: list(pipeline.frames(None, FACES)))
    refused(impinge.ArgumentError, "come after the positions", lambda: list(pipeline.frames(FACES, POINTS)))
    pipeline.close()
    refused(impinge.ArgumentError, "the pipeline is closed", pipeline.contacts, POINTS, FACES)
    refused(FileNotFoundError, "'nope'", impinge.open, "nope")
    assert "; least distance 3.4641>" in repr(impinge.clearance({"a": SOLID, "b": (CUBE + 3, SOLID[1])}))


if __name__ == "__main__":
    main(globals())
