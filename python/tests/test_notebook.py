"""doc/example.ipynb runs where it lies, shows pictures, has as many steps as the README says, and
what it prints is what other code finds. By nbclient, as readers run it, where that is installed;
always cell by cell."""

import contextlib
import functools
import io
import json
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import impinge
import numpy as np
from common import main

HERE = Path(__file__).resolve()
NOTEBOOK = HERE.parents[2] / "doc/example.ipynb"
sys.path.append(str(HERE.parents[2] / "bench/python"))
from meet import meet  # noqa: E402

os.environ["MPLBACKEND"] = "agg"
PICTURES = 3  # that it shows
STEPS = "one two three four five six seven eight nine ten".split()


def cells():
    """The sources of its cells of code."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and len(notebook["cells"]) <= 20
    some = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in some)
    return ["".join(cell["source"]) for cell in some]


@functools.cache
def run():
    """What it prints, and its names."""
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        for cell in cells():
            exec(compile(cell, NOTEBOOK.name, "exec"), names)
    return printed.getvalue(), names


def test_steps():
    """Each has a heading with its number, and a cell of code."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    text = "\n".join(
        "".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"
    )
    numbers = re.findall(r"^## (\d+)\. ", text, re.M)
    assert numbers == [str(k + 1) for k in range(len(cells()))]
    said = STEPS[len(numbers) - 1]
    assert f"{said.capitalize()} steps" in text
    readme = (HERE.parents[1] / "README.md").read_text(encoding="utf-8")
    assert f"[example.ipynb](../doc/example.ipynb) shows more, in {said} steps" in readme


def brute(points, triangles, objects, one, other):
    """How many pairs of these objects meet, of those that share no vertex: boxes that overlap, then
    by separating axes."""
    rows = [np.flatnonzero(objects == k) for k in (one, other)]
    corners = points[triangles]
    low, high = corners.min(1), corners.max(1)
    count = 0
    for a in rows[0]:
        near = (low[rows[1]] <= high[a]).all(1) & (high[rows[1]] >= low[a]).all(1)
        for b in rows[1][near]:
            if (one < other or a < b) and not set(triangles[a]) & set(triangles[b]):
                count += meet(corners[a], corners[b])
    return count


def test_figures():
    text, names = run()
    mesh = names["triangles"], names["objects"]
    bodies = {name: number for number, name in enumerate(names["names"])}
    assert len(names["table"]) == 4 and sum(names["table"].values()) == len(names["found"])
    for (one, other), count in names["table"].items():
        assert count == brute(names["points"], *mesh, bodies[one], bodies[other]) > 0
        assert re.search(rf"^{one} +{other} +{count}$", text, re.M)
    assert f"\n{len(names['found'])} contacts\n" in text
    for points, count in list(zip(names["positions"], names["counts"]))[::4]:
        assert count == sum(brute(points, *mesh, 0, k) for k in (1, 2))
    assert names["counts"][0] == 0 < names["counts"][4] != names["counts"][8]
    assert re.search(rf"^{' '.join(map(str, names['counts']))}$", text, re.M)


def test_near():
    """Pairs that meet are the contacts between objects; the others are apart as their ends are."""
    text, names = run()
    near, apart, objects = names["near"], names["apart"], names["objects"]
    met = impinge.contacts(names["points"], names["triangles"], objects, pairs="between")
    assert (near.a[~apart] == met.a).all() and (near.b[~apart] == met.b).all()
    gap = np.linalg.norm(near.ends[:, 1] - near.ends[:, 0], axis=1)[apart]
    assert np.allclose(gap, near.distance[apart], atol=1e-12) and 0 < gap.max() <= 0.05
    assert f"{len(near)} pairs within 0.05, of which {len(gap)} do not meet" in text
    assert f"the narrowest gap: {gap.min():.6f}\n" in text


def test_inside():
    """By the distance to the sides of the box."""
    text, names = run()
    room = np.array([0.6, 0.6, 0.2]) - abs(names["points"])
    depth = room.min(1)[(room > 0).all(1)]
    assert 0 < len(depth) < len(names["points"])
    assert f"{len(depth)} vertices are in the box, the deepest {depth.max():.4f}\n" in text


def test_contours():
    """They have all segments of contacts between objects."""
    text, names = run()
    met = impinge.contacts(names["points"], names["triangles"], names["objects"], pairs="between")
    length = np.linalg.norm(met.ends[:, 1] - met.ends[:, 0], axis=1).sum()
    curves = names["curves"]
    assert abs(curves.length.sum() - length) < 1e-9
    assert f"{len(curves)} contours, the longest {curves.length.max():.4f}\n" in text


def test_first():
    """Nothing meets shortly before the first contact of the step, and something does after it."""
    text, names = run()
    above, points, mesh = (names["above"], names["points"], (names["triangles"], names["objects"]))
    toi = float(re.search(r"first after (\S+) of the way", text).group(1))
    assert 0 < toi < 1 and toi == round(names["way"].toi.min(), 4)
    for t, meets in ((toi - 0.001, False), (toi + 0.001, True)):
        at = above + t * (points - above)
        pairs = names["sheet_with"]
        assert impinge.touches(at, *mesh, object_pairs=pairs, broad="brute") == meets
    assert f"{len(names['way'])} pairs meet" in text


def test_files():
    """The program's result has the contacts of the arrays."""
    text, names = run()
    mesh = names["triangles"], names["objects"]
    found = [impinge.contacts(points, *mesh, pairs="between") for points in names["positions"]]
    total = sum(map(len, found))
    assert total > 0
    assert f"{total} contacts in {len(found)} frames, {len(found[-1])} in the last" in text


def test_nbclient():
    """In a kernel, whose printed text is the same."""
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError as what:
        print(f"skipped: {what}: the notebook ran without a kernel")
        return
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    os.environ.pop("MPLBACKEND")  # as in a notebook
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    try:
        nbclient.NotebookClient(
            notebook, timeout=120, kernel_name="python3", resources=where
        ).execute()
    finally:
        os.environ["MPLBACKEND"] = "agg"
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    shown = [o for o in outputs if o.output_type == "display_data"]
    assert len(shown) == PICTURES and all(len(o.data["image/png"]) > 4000 for o in shown)
    printed = [o for o in outputs if o not in shown]
    assert printed and all(o.output_type == "stream" and o.name == "stdout" for o in printed)
    assert "".join(o.text for o in printed) == run()[0]


if find_spec("matplotlib"):
    main(globals())
else:
    print("skipped: no matplotlib, which comes with PyVista: the notebook is not run")
