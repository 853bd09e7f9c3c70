"""Scenes of the rows: generated or linked, and flat for peers that know no HDF5."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import real
from contestants import say
from rows import SCENES

HERE = Path(__file__).resolve().parent


def forget_old():
    """Scenes are kept from run to run until the code that makes them changes, or what is asked of
    it."""
    source = hashlib.sha256()
    asked = [HERE / name for name in ("rows.py", "moving.py", "sizes.py", "load.py", "scenes.py")]
    for path in sorted((HERE.parent / "data").glob("scene*")) + asked:
        source.update(path.read_bytes())
    stamp = SCENES / "made-by"
    if stamp.exists() and stamp.read_text() == source.hexdigest():
        return
    shutil.rmtree(SCENES, ignore_errors=True)
    SCENES.mkdir(parents=True)
    stamp.write_text(source.hexdigest())


def make(impinge, row, flat):
    if row.real:
        real.make_batch(impinge, row.kind, row.batch)
    elif not row.batch.exists():
        say("generating %s" % row.scene)
        part = row.batch.with_suffix(".tmp")
        subprocess.run(
            [
                *(impinge, "generate", row.kind, "-o", part, "--force", "-q"),
                *("--primitives", str(row.primitives), "--frames", str(row.frames)),
                *(word for setting in row.settings for word in ("--set", setting)),
            ],
            check=True,
        )
        part.rename(row.batch)
    if flat and not (row.flat.exists() and row.flat.stat().st_mtime > row.batch.stat().st_mtime):
        flatten(row)


def flatten(row):
    """Each frame as plain arrays, triangles before tetrahedra: peers/peer.h reads them."""
    import numpy as np

    part = row.flat.with_suffix(".tmp")
    with open(part, "wb") as f:
        for points, corners, objects in list(frames_of(row.batch))[row.frame_slice]:
            np.array([len(points), *(len(corners[n]) // n for n in (3, 4))], np.int64).tofile(f)
            points.astype(np.float64).tofile(f)
            for some in (corners, objects):
                for n in (3, 4):
                    some[n].astype(np.int32).tofile(f)
    part.rename(row.flat)


def primitives_of(row):
    """of all frames that are timed, or steps between them"""
    import h5py

    with h5py.File(row.batch) as f:
        v = f["VTKHDF"]
        cells, steps = (v["Polygons"] if "Polygons" in v else v)["NumberOfCells"][:], v["Steps"]
        first, parts = (steps[k][row.frame_slice] for k in ("PartOffsets", "NumberOfParts"))
        some = list(zip(first, parts))[: -1 if row.swept else None]
        return sum(int(cells[a : a + n].sum()) for a, n in some)


def frames_of(batch):
    """Points of each frame; and, of triangles and of tetrahedra (3 and 4), corners and objects, as
    VTKHDF has them: parts, one after another."""
    import h5py
    import numpy as np

    with h5py.File(batch) as f:
        v = f["VTKHDF"]
        steps, surface = v["Steps"], "Polygons" in v
        cells = v["Polygons"] if surface else v
        points, ids = v["Points"][:].astype(np.float64), cells["Connectivity"][:]
        types = None if surface else v["Types"][:]
        objects = v["CellData/ObjectId"][:] if "CellData/ObjectId" in v else None
        sizes, lengths = v["NumberOfPoints"][:], cells["NumberOfConnectivityIds"][:]
        numbers = cells["NumberOfCells"][:]
        for s in range(len(steps["Values"])):
            first, parts = steps["PartOffsets"][s], steps["NumberOfParts"][s]
            point0, id0, cell0 = (
                np.ravel(steps[k][s])[2 if surface and k != "PointOffsets" else 0]
                for k in ("PointOffsets", "ConnectivityIdOffsets", "CellOffsets")
            )
            object0 = steps["CellDataOffsets/ObjectId"][s] if objects is not None else 0
            corners, n, m = [], 0, 0
            for p in range(first, first + parts):
                corners.append(ids[id0 + m : id0 + m + lengths[p]] + n)
                n, m = n + sizes[p], m + lengths[p]
            count = numbers[first : first + parts].sum()
            mine = np.zeros(count) if objects is None else objects[object0 : object0 + count]
            kinds = np.full(count, 5) if surface else types[cell0 : cell0 + count]
            sides = np.where(kinds == 5, 3, 4)
            of_corner, corners = np.repeat(sides, sides), np.concatenate(corners)
            yield (
                points[point0 : point0 + n],
                {k: corners[of_corner == k] for k in (3, 4)},
                {k: mine[sides == k] for k in (3, 4)},
            )
