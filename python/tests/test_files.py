"""Files that others have made, or have damaged: one rule for the shape of a list, and errors that
name what is wrong. HDF5 comes into the process before the engine."""

import os
import shutil

import h5py
import impinge
import numpy as np
from common import folder, generate, main, raises, same


def _lists(path):
    """The names of all datasets of one dimension."""
    names = []
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: names.append(name) if getattr(item, "ndim", 0) == 1 else None
        )
    return names


def _made(where, scene="cloth-ball", frames=14, **options):
    batch, result = f"{where}/batch.vtkhdf", f"{where}/result.vtkhdf"
    generate(batch, scene, "-n", "900", "--frames", str(frames), "--force")
    impinge.run(batch, result, force=True, **options)
    with impinge.open(result) as found:
        assert len(found[-1]) > 0
    return batch, result


def _same_frames(one, other):
    for k in range(len(one)):
        a, b = one[k], other[k]
        if isinstance(a, impinge.Contacts):
            same(a, b)
            assert a.info.keys() == b.info.keys()
            continue
        for x, y in zip(a, b):
            assert np.array_equal(x, y), k


def test_columns():
    """A list of shape (n, 1), as some writers of VTKHDF make them, is a list."""
    with folder() as where:
        for path in _made(where, "sheets", 3, continuous=True):
            changed = f"{where}/changed.vtkhdf"
            for name in _lists(path):
                shutil.copy(path, changed)
                with h5py.File(changed, "a") as file:
                    values = file[name][()]
                    del file[name]
                    file[name] = values.reshape(-1, 1)
                with impinge.open(path) as one, impinge.open(changed) as other:
                    assert np.array_equal(one.times, other.times), name
                    _same_frames(one, other)


def test_shapes():
    """Other shapes are errors that name file and dataset."""
    with folder() as where:
        batch, result = _made(where)
        for path, name in (
            (batch, "VTKHDF/Steps/Values"),
            (batch, "VTKHDF/NumberOfPoints"),
            (batch, "VTKHDF/Polygons/Connectivity"),
            (batch, "VTKHDF/CellData/ObjectId"),
            (result, "VTKHDF/CellData/PrimitiveA"),
            (result, "VTKHDF/Lines/NumberOfCells"),
        ):
            for change in (lambda a: np.stack([a, a], 1), lambda a: a[:-1]):
                changed = f"{where}/changed.vtkhdf"
                shutil.copy(path, changed)
                with h5py.File(changed, "a") as file:
                    values = file[name][()]
                    del file[name]
                    file[name] = change(values)
                what = raises(impinge.InputError, _read, changed)
                assert "changed.vtkhdf: /" + name in str(what), what


def _read(path):
    with impinge.open(path) as file:
        return list(file)


def test_times():
    """Times that are not finite."""
    with folder() as where:
        for path in _made(where):
            for time in (np.nan, np.inf, -np.inf):
                changed = f"{where}/changed.vtkhdf"
                shutil.copy(path, changed)
                with h5py.File(changed, "a") as file:
                    file["VTKHDF/Steps/Values"][1] = time
                what = raises(impinge.InputError, impinge.open, changed)
                assert "/VTKHDF/Steps/Values: step 1 has the time" in str(what), what
                assert what.code < 0


def test_announced():
    """Rows that are not stored; and as many chunks as rows, of which HDF5 takes 7 kB each."""
    with folder() as where:
        batch, result = _made(where)
        for path, name in ((batch, "Points"), (batch, "Steps/Values"), (result, "Steps/Values")):
            changed = f"{where}/changed.vtkhdf"
            shutil.copy(path, changed)
            with h5py.File(changed, "a") as file:
                root = file["VTKHDF"]
                shape, kind = root[name].shape, root[name].dtype
                del root[name]
                root.create_dataset(name, (10**10, *shape[1:]), kind, chunks=(1, *shape[1:]))
                root["Steps"].attrs["NSteps"] = 10**10 if "Values" in name else len(root["Steps/Values"])
            what = raises(impinge.InputError, _read, changed)
            assert "/VTKHDF/" + name + ": damaged" in str(what), what
        changed = f"{where}/changed.vtkhdf"
        shutil.copy(batch, changed)
        with h5py.File(changed, "a") as file:
            points = file["VTKHDF/Points"][()]
            del file["VTKHDF/Points"]
            file.create_dataset("VTKHDF/Points", data=points, chunks=(1, 3))
        with impinge.open(batch) as one, impinge.open(changed) as other:
            _same_frames(one, other)


def _without(name):
    def change(file):
        del file[name]

    return change


def test_damaged():
    """What h5py and NumPy say of a file that lacks something is an InputError with its name."""

    def poke(name, value):
        def change(file):
            file[name][0] = value

        return change

    def empty(file):
        del file["VTKHDF/Points"]
        file["VTKHDF/Points"] = h5py.Empty("f8")

    def texts(file):
        count = len(file["VTKHDF/CellData/PrimitiveA"])
        del file["VTKHDF/CellData/PrimitiveA"]
        file["VTKHDF/CellData/PrimitiveA"] = np.full(count, b"x")

    with folder() as where:
        batch, result = _made(where)
        changed = f"{where}/changed.vtkhdf"
        for path, change in (
            (batch, _without("VTKHDF")),
            (batch, _without("VTKHDF/Points")),
            (batch, _without("VTKHDF/Steps/Values")),
            (batch, poke("VTKHDF/Steps/PartOffsets", 2**40)),
            (batch, empty),
            (result, _without("VTKHDF/CellData/PrimitiveB")),
            (result, texts),
        ):
            shutil.copy(path, changed)
            with h5py.File(changed, "a") as file:
                change(file)
            what = raises(impinge.InputError, _read, changed)
            assert "changed.vtkhdf: " in str(what), what
        with impinge.open(batch) as frames:
            raises(IndexError, frames.__getitem__, len(frames))
        os.truncate(changed, 5000)
        what = raises(impinge.InputError, impinge.open, changed)
        assert "changed.vtkhdf: damaged" in str(what), what
        raises(FileNotFoundError, impinge.open, f"{where}/none.vtkhdf")


def test_pipes():
    """What is no file is not waited for: neither the file itself nor what it refers to."""

    def link(file, pipe):
        del file["VTKHDF/Points"]
        file["VTKHDF/Points"] = h5py.ExternalLink(pipe, "/x")

    def soft(file, pipe):
        link(file, pipe)
        file["far"] = h5py.ExternalLink(pipe, "/x")
        del file["VTKHDF/Points"]
        file["VTKHDF/Points"] = h5py.SoftLink("/far/x")

    def raw(file, pipe):
        shape = file["VTKHDF/Points"].shape
        del file["VTKHDF/Points"]
        unlimited = h5py.h5f.UNLIMITED
        file.create_dataset("VTKHDF/Points", shape, "f4", external=[(pipe, 0, unlimited)])

    def virtual(file, pipe):
        layout = h5py.VirtualLayout(file["VTKHDF/Points"].shape, "f4")
        layout[:] = h5py.VirtualSource(pipe, "x", layout.shape)
        del file["VTKHDF/Points"]
        file.create_virtual_dataset("VTKHDF/Points", layout)

    with folder() as where:
        batch, _ = _made(where)
        pipe, changed = f"{where}/pipe", f"{where}/changed.vtkhdf"
        os.mkfifo(pipe)
        raises(impinge.InputError, impinge.open, pipe)
        for change in (link, soft, raw, virtual):
            shutil.copy(batch, changed)
            with h5py.File(changed, "a") as file:
                change(file, pipe)
            what = raises(impinge.InputError, impinge.open, changed)
            assert "changed.vtkhdf: /VTKHDF/Points: " in str(what), what


def test_names():
    """Nothing that a terminal obeys is in the text of an error."""
    with folder() as where:
        batch, _ = _made(where)
        odd = f"{where}/odd\x1b[31m\nname.vtkhdf"
        shutil.copy(batch, odd)
        with h5py.File(odd, "a") as file:
            file["VTKHDF/Steps/Values"][0] = np.nan
        what = str(raises(impinge.InputError, impinge.info, odd))
        assert what.isprintable() and "odd?[31m?name.vtkhdf" in what, what


def test_threads():
    """Never more threads than there are processors: more than any machine has are harmless."""
    with folder() as where:
        batch, _ = _made(where)
        with impinge.open(batch) as frames:
            frame = frames[0]
        few = impinge.contacts(frame.points, frame.triangles, frame.objects, threads=1)
        many = impinge.contacts(frame.points, frame.triangles, frame.objects, threads=4096)
        same(few, many)


main(globals())
