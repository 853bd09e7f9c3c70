"""Real scenes, where they lie beside the checkout: ../shared/data, or $IMPINGE_DATA."""

import os
import subprocess
from pathlib import Path

DATA = Path(os.environ.get("IMPINGE_DATA", Path(__file__).resolve().parents[2] / "shared/data"))

# row, files in DATA, pairs
BATCHES = [
    ("cloth-funnel", ["cloth-funnel.vtkhdf"], "all"),
    ("rod-twist", ["rod-twist.vtkhdf"], "all"),
    ("can-crush", ["can-crush-surface.vtkhdf"], "all"),
    ("torus-sphere", ["torus-sphere-surface.vtkhdf"], "all"),
    ("warping-spheres", ["warping_spheres.vtkhdf"], "all"),
    ("fcl-env-rob", ["meshes/fcl/env.obj", "meshes/fcl/rob.obj"], "between"),
]


def there():
    """Names and pairs of those that can be had."""
    return [(name, pairs) for name, files, pairs in BATCHES if all(map(Path.exists, paths(files)))]


def paths(files):
    return [DATA / f for f in files]


def make_batch(impinge, name, batch):
    """Links to the file, or converts meshes, which become objects. `batch` is new if they are."""
    files = next(paths(f) for n, f, _ in BATCHES if n == name)
    if batch.exists() and batch.stat().st_mtime >= max(f.stat().st_mtime for f in files):
        return
    batch.unlink(missing_ok=True)
    if files[0].suffix == ".vtkhdf":
        batch.symlink_to(files[0])
    else:
        command = [impinge, "convert", *files, "--as", "objects", "-o", batch, "-q"]
        subprocess.run(command, check=True)


def frames_of(batch):
    """Points, corners and objects of each frame, as VTKHDF has them: parts, one after another."""
    import h5py
    import numpy as np

    with h5py.File(batch) as f:
        v = f["VTKHDF"]
        cells, steps = v["Polygons"], v["Steps"]
        points, ids = v["Points"][:].astype(np.float64), cells["Connectivity"][:]
        objects = v["CellData/ObjectId"][:] if "CellData/ObjectId" in v else None
        sizes, lengths = v["NumberOfPoints"][:], cells["NumberOfConnectivityIds"][:]
        for s in range(len(steps["Values"])):
            first, parts = steps["PartOffsets"][s], steps["NumberOfParts"][s]
            point0, id0 = steps["PointOffsets"][s], steps["ConnectivityIdOffsets"][s][2]
            object0 = steps["CellDataOffsets/ObjectId"][s] if objects is not None else 0
            corners, n, m = [], 0, 0
            for p in range(first, first + parts):
                corners.append(ids[id0 + m : id0 + m + lengths[p]] + n)
                n, m = n + sizes[p], m + lengths[p]
            count = m // 3
            mine = np.zeros(count) if objects is None else objects[object0 : object0 + count]
            yield points[point0 : point0 + n], np.concatenate(corners), mine
