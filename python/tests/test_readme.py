"""The Python at the top of README.md, and that of python/README.md, run as they stand there."""

import contextlib
import io
import os
import re
from pathlib import Path

import closed_meshes
import impinge
import numpy as np
import samples
from common import folder, generate, main, same, soup

ROOT = Path(__file__).resolve().parents[2]


def blocks(path, end="\n## "):
    """The Python before a file's first chapter, or another end."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text[: text.index(end)], re.S)


def run(code, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), names)
    return printed.getvalue()


def test_front_page():
    """With numpy alone. The rest of README.md's Python is run by tests/program/readme.py."""
    some = blocks("README.md")
    if not some:
        print("skipped: README.md has no Python at its top")
    for block in some:
        names = {}
        assert run(block, names)
        found = names["found"]
        assert len(found) > 0
        same(found, impinge.contacts(names["points"], names["triangles"], broad="brute"))
        if "step" in names:
            assert len(names["step"]) > 0 and names["step"].toi[0] <= names["step"].toi[-1]


def without_window():
    """plot() opens none; where there is no PyVista, contacts have a stand-in."""
    try:
        import pyvista
    except ImportError:
        print("skipped: no PyVista, so to_pyvista() of README.md is not run")

        class Lines:
            def plot(self):
                pass

        impinge.Contacts.to_pyvista = lambda self: Lines()
    else:
        pyvista.PolyData.plot = lambda self: None


def test_package():
    """python/README.md, with arrays of the shapes that it says."""
    (block,) = blocks("python/README.md")
    without_window()
    points, triangles = soup(300, 0.2)
    names = dict(points=points, triangles=triangles, points0=points, points1=points[::-1].copy())
    names["positions"] = [points, points + 1]
    cube, faces = closed_meshes.surface_of(np.ones((1, 1, 1), bool))
    names.update(vertices=np.concatenate([3.0 * cube, cube + 1.0]), queries=points)
    names.update(faces=np.concatenate([faces, faces + 8]), bodies=np.repeat([0, 1], len(faces)))
    names["objects"] = np.arange(300, dtype=np.int32) % 3
    names["mesh"] = (points, triangles)
    here = os.getcwd()
    with folder() as where:
        os.chdir(where)
        try:
            generate("cloth.vtkhdf", "cloth-ball", "-n", "1500")
            os.rename(next(samples.stl(".")).file, "scan.stl")
            said = run(block, names)
        finally:
            os.chdir(here)
        counts = [len(impinge.contacts(p, triangles, names["objects"], pairs="between"))
                  for p in names["positions"]]  # fmt: skip
        assert len(names["deep"]) == 8 and len(names["deep"].relations) == 1
        assert said.split() == list(map(str, counts)) and counts[0] > 0
        assert isinstance(names["found"], impinge.Contacts) and len(names["found"]) > 0


main(globals())
