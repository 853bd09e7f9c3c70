"""What the tests of --contours and --regions share: files of them, whichever way they were made."""
import shutil
from pathlib import Path

import h5py
import numpy as np

from checks import expect
from curve_scenes import DATA, impinge

TORUS = DATA / "torus-sphere-surface.vtkhdf"
WAYS = (["--threads", 1], ["--block", 1], ["--space", 3], ["--broad", "hash"], ["--device", "opencl"])


def ghosts(path):
    """TORUS, of which every seventh cell is left out: those that are left have other numbers."""
    shutil.copy(TORUS, path)
    with h5py.File(path, "r+") as file:
        ghost = np.zeros(int(file["VTKHDF/Polygons/NumberOfCells"][0]), np.uint8)
        ghost[::7] = 1
        file["VTKHDF/CellData/vtkGhostType"] = ghost
        steps = file["VTKHDF/Steps"].require_group("CellDataOffsets")
        steps["vtkGhostType"] = np.zeros(len(file["VTKHDF/Steps/Values"]), np.int64)


def same_everywhere(option, datasets):
    """Blocks, slabs and devices: the same bytes of data."""
    names = []
    for k, options in enumerate(WAYS):
        device = [] if "--device" in options else ["--device", "cpu"]
        impinge("run", TORUS, "-o", "out.vtkhdf", "--frames", "20:26", "--force", option, f"c{k}.vtkhdf", *device, *options)
        names.append(f"c{k}.vtkhdf")
    first = h5py.File(names[0])["VTKHDF"]
    for name in names[1:]:
        other = h5py.File(name)["VTKHDF"]
        for at in datasets:
            expect(np.array_equal(first[at][:], other[at][:]), f"{name}: other {at}")


def refused(option, written):
    """Results without ends; `written` is a file that exists."""
    for options in (["--continuous"], ["--distance", "0.1"], ["--stage", "candidates"], ["--inside"]):
        done = impinge("run", TORUS, "-o", "no.vtkhdf", option, "no-file.vtkhdf", *options, code=2)
        expect(option in done.stderr and options[0] in done.stderr and not Path("no.vtkhdf").exists(), done.stderr)
    done = impinge("run", TORUS, "-o", "again.vtkhdf", option, written, code=2)
    expect(written in done.stderr and "exists" in done.stderr, done.stderr)
