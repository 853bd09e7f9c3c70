"""impinge.report of arrays and meshes: the page that the result of a file with the same frames has, and
no other file."""

import os
import re
import sys
import tempfile
from pathlib import Path

import impinge
import numpy as np
from common import folder, main, raises, soup

try:
    import h5py  # noqa: F401
    import k3d  # noqa: F401
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

POINTS, TRIANGLES = soup(60, 0.2)
OBJECTS = np.arange(60) % 2
FRAMES = np.stack([POINTS, POINTS + 3, POINTS * 1.5])
NAMES = ["cloth, red", "ball"]


def content(page):
    """But for times and paths of how it was made."""
    return re.sub(r'<table id="provenance">.*?</table>', "", Path(page).read_text(), flags=re.S)


def temporary(where, call, *arguments, **options):
    """Runs it with a folder for temporary files, which must be empty after it."""
    os.makedirs(f"{where}/tmp", exist_ok=True)
    before, tempfile.tempdir = tempfile.tempdir, f"{where}/tmp"
    try:
        return call(*arguments, **options)
    finally:
        tempfile.tempdir = before
        assert os.listdir(f"{where}/tmp") == []


def test_same_page():
    with folder() as where:
        options = dict(object_pairs=[("ball", "cloth, red")], contacts="crossing")
        times = [0, 0.5, 2]
        impinge.write(f"{where}/b.vtkhdf", FRAMES, TRIANGLES, OBJECTS, NAMES, times)
        impinge.run(f"{where}/b.vtkhdf", f"{where}/page", **options)
        one = impinge.report(f"{where}/page", f"{where}/one.html", frames=2)
        given = dict(output=f"{where}/page.html", names=NAMES, times=times, frames=2, **options)
        other = temporary(where, impinge.report, FRAMES, TRIANGLES, OBJECTS, **given)
        assert one["contacts"] == other["contacts"] > 0 and one["frames_drawn"] == 2
        assert content(f"{where}/one.html") == content(f"{where}/page.html")
        text = Path(f"{where}/page.html").read_text()
        assert "<title>Contacts in page</title>" in text and "of arrays" in text
        assert where not in text and "batch.vtkhdf" not in text


def test_sources():
    """Meshes by name, a batch, and the page as the second argument."""
    half = POINTS[:90], TRIANGLES[:30]
    with folder() as where:
        page = f"{where}/page.html"
        named = {"cloth": half, "ball": half}
        found = temporary(where, impinge.report, named, output=page, pairs="between")
        assert found["contacts"] and found["frames"] == 1
        assert "cloth" in Path(page).read_text()
        temporary(where, impinge.report, half, page, force=True)
        impinge.write(f"{where}/b", FRAMES, TRIANGLES)
        with impinge.open(f"{where}/b") as batch:
            found = temporary(where, impinge.report, batch[1:], page, force=True, distance=0.01)
        assert found["frames"] == 2 and "pairs" in Path(page).read_text().lower()


def test_refused():
    bad = FRAMES.copy()
    bad[1, 0] = np.nan
    with folder() as where:
        page = f"{where}/page.html"
        impinge.write(f"{where}/b", FRAMES, TRIANGLES)
        impinge.run(f"{where}/b", f"{where}/r")
        cases = [
            (TypeError, 'needs output="page.html"', (FRAMES, TRIANGLES), {}),
            (TypeError, "is a path, and output is given", (FRAMES, page), dict(output=page)),
            (TypeError, "distance: is for arrays", (f"{where}/r", page), dict(distance=1)),
            (TypeError, "names: is for arrays", (f"{where}/r", page), dict(names=["a"])),
            (ValueError, "input: the batch of a result file", (FRAMES, TRIANGLES), dict(output=page, input="a")),
            (ValueError, "times: 1, but there are 3 frames", (FRAMES, TRIANGLES), dict(output=page, times=[1])),
            (ValueError, "positions: None", (None, TRIANGLES), dict(output=page)),
            (impinge.InputError, "positions: /VTKHDF/Points: frame 1: vertex 0", (bad, TRIANGLES), dict(output=page)),
            (ValueError, "no option 'colour'", (FRAMES, TRIANGLES), dict(output=page, colour=1)),
            (ValueError, "use .html", (FRAMES, TRIANGLES), dict(output=f"{where}/page.txt")),
            (ValueError, "frames: 0 is less than 1", (FRAMES, TRIANGLES), dict(output=page, frames=0)),
        ]  # fmt: skip
        for kind, told, given, options in cases:
            what = raises(kind, temporary, where, impinge.report, *given, **options)
            assert told in str(what) and f"{where}/tmp" not in str(what), (told, what)
            assert not os.path.exists(page)


if __name__ == "__main__":
    main(globals())
