"""impinge.convert: the table of formats, and what becomes of files in a batch."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import impinge
import numpy as np
import samples
from common import folder, main, raises

PROGRAM = os.path.join(os.path.dirname(sys.executable), "impinge")
TABLE = Path(__file__).parents[1] / "formats.md"

try:
    import h5py
    import meshio  # noqa: F401
    import pyvista  # noqa: F401
except ImportError as what:
    print(f"skipped: {what}")
    sys.exit(0)

from impinge.importers.child import work_on  # noqa: E402
from impinge.importers.mesh import join  # noqa: E402
from impinge.importers.readers import open_file  # noqa: E402


def read(path, groups=False):
    """Times, or None, and meshes."""
    source = open_file(path, groups)
    count = len(source.times or [0])
    return source.times, [join(path, source.read(k)) for k in range(count)]


def cells_of(mesh):
    """Points of each cell."""
    return [mesh.points[c] for c in np.split(mesh.corners, mesh.ends[:-1])]


def reader_of(path, groups):
    """The library that reads a file, or the module of this package."""
    source = open_file(path, groups)
    source = getattr(source, "_source", source)
    if hasattr(source, "reader"):
        return f"VTK, {source.reader.GetClassName()}"
    read = getattr(source, "_read", None)
    module = getattr(getattr(read, "func", read), "__module__", type(source).__module__)
    if type(source).__name__ in ("MeshioSeries", "MeshioXdmf"):
        return "meshio"
    if type(source).__name__ == "ByProgram":
        return "impinge, the program"
    return f"impinge, {module.rpartition('.')[2]}.py"


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and (one == other).all()


def checked(sample):
    """The row of the table; wrong cells are an error."""
    times, meshes = read(sample.file, sample.groups)
    assert len(meshes) == len(sample.points), (sample.file, times)
    equal = True
    for points, mesh in zip(sample.points, meshes):
        found = cells_of(mesh)
        assert len(found) == len(sample.cells), (sample.file, len(found))
        for cell, at in zip(sample.cells, found):
            want = points[list(cell)]
            assert np.allclose(want, at, 0, 1e-6), (sample.file, cell, at, want)
            equal &= same_bits(want, at)
        names = [mesh.names[k] for k in mesh.objects]
        assert names == (sample.names or [""] * len(sample.cells)), (sample.file, names)
    assert times == sample.times or (times, sample.times) == (None, None), (sample.file, times)
    equal &= same_in_batch(sample, times, meshes)
    kind = str(meshes[0].points.dtype)
    shown = ", ".join(dict.fromkeys(name or "(none)" for name in sample.names or [])) or "none"
    steps = "kept" if times and len(times) > 1 else "one frame"
    bits = "yes" if equal else "NO"
    by = reader_of(sample.file, sample.groups)
    return sample.format, sample.written, by, "yes", f"{kind}, {bits}", steps, shown


def same_in_batch(sample, times, meshes):
    """Is what was read in the batch, too? As by impinge.convert, without its child process."""
    with folder() as where:
        made, out = f"{where}/made.vtkhdf", f"{where}/out.vtkhdf"
        work = {"as": "frames", "files": [sample.file], "groups": sample.groups, "into": made}
        work_on({**work, "weld": None, "words": [], "of_names": None}, lambda told: None)
        impinge.convert(made, out, quiet=True)
        with impinge.open(out) as batch:
            assert batch.times.tolist() == (times or [0.0]) and len(batch) == len(meshes)
            for frame, mesh in zip(batch, meshes):
                assert len(frame.triangles) >= len(mesh.types)
                if frame.objects is not None:
                    found = batch.file["impinge/object_names"].asstr()[:].tolist()
                    assert sorted(found) == sorted(filter(None, mesh.names)), (sample.file, found)
                    assert set(frame.objects.tolist()) == set(range(len(mesh.names)))
                else:
                    assert mesh.names == [""], sample.file
                if not same_bits(mesh.points, frame.points):
                    return False
    return True


def rows(where, skipped):
    for k, maker in enumerate(samples.MAKERS):
        below = f"{where}/{k}"
        os.makedirs(below)
        try:
            made = list(maker(below))
        except ImportError as what:
            skipped.append(f"{maker.__name__}: {what}")
            continue
        for sample in made:
            yield checked(sample)


def test_table():
    """All formats. IMPINGE_WRITE_TABLE=1 writes python/formats.md again."""
    skipped = []
    with folder() as where:
        lines = ["| " + " | ".join(row) + " |" for row in dict.fromkeys(rows(where, skipped))]
    print("".join(f"    skipped: {what}\n" for what in skipped), end="")
    wrong = [line for line in lines if "NO" in line]
    assert not wrong, wrong
    if os.environ.get("IMPINGE_WRITE_TABLE"):
        head = TABLE.read_text().split("|---", 1)[0]
        TABLE.write_text(head + "|---" * 7 + "|\n" + "\n".join(lines) + "\n")
    known = TABLE.read_text().split("|---|\n")[1].splitlines()
    differs = set(lines) - set(known) if skipped else set(lines) ^ set(known)
    assert not differs, "\n".join(["python/formats.md differs:", *sorted(differs)])


# ---- through the program


def convert(files, output, **options):
    return impinge.convert(files, output, quiet=True, **options)


def test_frames():
    """Files in natural order, with times; quads and polygons are cut; points keep their type."""
    with folder() as where:
        frames = [samples.P + k for k in range(12)]
        cells = [*samples.CELLS, (0, 1, 2, 3)]
        for k, points in enumerate(frames):
            path = f"{where}/a{k}.vtp"
            samples.write(vtp(), samples.data(points, cells), path)
        names = [f"{where}/a{k}.vtp" for k in range(12)]
        out = f"{where}/out.vtkhdf"
        convert(sorted(names), out)
        check_frames(out, frames, range(12), names)
        convert(sorted(names), out, force=True, times="names", dt=0.5)
        check_frames(out, frames, np.arange(12) / 2, names)
        convert(sorted(names), out, force=True, order="given", times=range(12))
        order = sorted(range(12), key=str)
        check_frames(out, [frames[k] for k in order], range(12), sorted(names))
        what = raises(impinge.ArgumentError, convert, names, out)
        assert what.code == -2 and "exists" in str(what)
        raises(impinge.InputError, convert, names, out, force=True, times=[0.0, 1.0])
        assert not [name for name in os.listdir(where) if name.startswith(".")]


def vtp():
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter

    return vtkXMLPolyDataWriter()


def check_frames(path, frames, times, sources):
    with impinge.open(path) as batch:
        assert batch.times.tolist() == list(times), batch.times
        for frame, points in zip(batch, frames):
            assert (frame.points == points).all() and len(frame.triangles) == 6
            assert (frame.triangles[:4] == samples.T).all()
        found = batch.file["impinge/frame_sources"].asstr()[:]
        assert found.tolist() == list(sources), found


def test_gaps():
    """The program's remarks on a sequence, and its errors, name the files that were given."""
    with folder() as where:
        for k in (1, 3, 5):
            samples.write(vtp(), samples.data(samples.P, samples.T), f"{where}/a{k}.vtp")
        names = ["a5.vtp", "a1.vtp", f"../{os.path.basename(where)}/a3.vtp"]
        said = run("convert", *names, "-o", "b.vtkhdf", "--order", "given", where=where)
        assert said.returncode == 0 and "~" not in said.stderr, said
        names = ["a5.vtp", "a1.vtp", "a3.vtp"]
        said = run("convert", *names, "-o", "c.vtkhdf", where=where)
        assert "frames are numbered in steps of 2 in a%d.vtp\n" in said.stderr, said
        said = run("convert", *names, "--times=names", "--order=given", "-oc", where=where)
        assert said.returncode == 3 and "a1.vtp: its time 1 does not come after 5" in said.stderr
        where = [f"{where}/{name}" for name in names]
        what = raises(impinge.InputError, convert, where, "c", times="names", order="given")
        assert f"{where[1]}: its time 1 does not come after 5 of {where[0]}" in str(what), what


def test_series():
    """Times of the file, and one topology for all frames."""
    with folder() as where:
        for sample in samples.series(where):
            out = f"{sample.file}.vtkhdf"
            convert(sample.file, out)
            with impinge.open(out) as batch:
                assert batch.times.tolist() == sample.times
                for frame, points in zip(batch, sample.points):
                    assert (frame.points == points).all()
                    assert (frame.triangles == np.array(sample.cells)).all()
                assert len(set(batch.file["VTKHDF/Steps/ConnectivityIdOffsets"][:, 2])) == 1
            convert(sample.file, out, force=True, dt=2)
            with impinge.open(out) as batch:
                assert batch.times.tolist() == [0, 2, 4]


def test_changing():
    """Frames of several types of points, without cells, and with other cells."""
    with folder() as where:
        steps = [(samples.P.astype("f4"), samples.T), (samples.Q, samples.T), (samples.P, [])]
        steps.append((samples.P, samples.T[:2]))
        for k, (points, cells) in enumerate(steps):
            samples.write(vtp(), samples.data(points, cells), f"{where}/a{k}.vtp")
        listed = [{"name": f"a{k}.vtp", "time": k - 1.5} for k in range(4)]
        path = samples.put(f"{where}/a.series", json.dumps({"files": listed}))
        convert(path, f"{where}/b.vtkhdf")
        with impinge.open(f"{where}/b.vtkhdf") as batch:
            assert batch.times.tolist() == [-1.5, -0.5, 0.5, 1.5]
            for frame, (points, cells) in zip(batch, steps):
                assert frame.points.dtype == np.float64 and (frame.points == points).all()
                assert frame.triangles.tolist() == np.array(cells).tolist()
        what = raises(impinge.InputError, convert, f"{where}/a2.vtp", f"{where}/c.vtkhdf")
        assert str(what) == f"{where}/a2.vtp: no triangle, polygon or tetrahedron among 7 points"
        for entry in listed:
            entry["name"] = "a2.vtp"
        samples.put(path, json.dumps({"files": listed}))
        what = raises(impinge.InputError, convert, path, f"{where}/c.vtkhdf")
        assert f"{path}: no triangle, polygon or tetrahedron in any frame" in str(what), what


def test_empty_of_program():
    """A file of the program without a cell is a frame among files of other formats, as it is among
    its own. A file that is blank is an error, and so is one of these alone."""
    triangle = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    with folder() as where:
        first = samples.put(f"{where}/f0.off", triangle)
        empty = samples.put(f"{where}/f1.obj", "g a\nv 5 6 7\n")
        out = f"{where}/out.vtkhdf"
        said = run("convert", first, empty, "-o", out, where=where)
        assert said.returncode == 0, said.stderr
        want = f"impinge: {first} and 1 more: frame 1: it has no triangle, polygon or tetrahedron"
        assert said.stderr.splitlines() == [want], said.stderr
        with impinge.open(out) as batch:
            assert [len(frame.triangles) for frame in batch] == [1, 0]
            assert batch[1].points.tolist() == [[5, 6, 7]]
        steps = (np.full((3, 3), float(k)) for k in range(2))
        impinge.write(f"{where}/f2.vtkhdf", steps, np.zeros((0, 3), int), times=(0, 0.5))
        files = [f"{where}/f2.vtkhdf", first, empty]
        convert(files, out, order="given", times=range(4), force=True)
        with impinge.open(out) as batch:
            assert [len(frame.triangles) for frame in batch] == [0, 0, 1, 0]
            assert batch[1].points.tolist() == [[1, 1, 1]] * 3
        assert open_file(files[0], False).times == [0, 0.5]
        what = raises(impinge.InputError, convert, [empty, first], out, as_="objects", force=True)
        assert f"{empty}: no triangle, polygon or tetrahedron among 1 points" in str(what), what
        samples.put(empty, "")
        what = raises(impinge.InputError, convert, [first, empty], out, force=True)
        assert f"{empty}: is empty, 0 bytes: it has no triangle, polygon or tetrahedron" in str(what), what


def test_crossing():
    """Messages of the program name the file that was given."""
    with folder() as where:
        square = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]], float)
        samples.write(vtp(), samples.data(square, [[0, 1, 2, 3]]), f"{where}/a.vtp")
        said = run("convert", "a.vtp", "-o", "b.vtkhdf", where=where)
        assert "impinge: a.vtp: " in said.stderr and "crosses itself" in said.stderr, said
        nested = {"files": [{"name": "a.series", "time": 0}]}
        samples.put(f"{where}/a.series", json.dumps(nested))
        said = run("convert", "a.series", "-o", "c.vtkhdf", where=where)
        assert said.returncode == 3 and "a.series" in said.stderr, said


def test_objects():
    """Files become objects with their names, also OBJ among others; blocks keep theirs."""
    with folder() as where:
        a = next(samples.stl(where)).file
        b = next(samples.obj(where)).file
        c = next(samples.composite(where)).file
        out = f"{where}/out.vtkhdf"
        convert([c, a, b], out, as_="objects", weld=0)
        with impinge.open(out) as batch:
            (frame,) = batch
            names = batch.file["impinge/object_names"].asstr()[:].tolist()
        assert names == [f"{c}: lower", f"{c}: upper", a, b], names
        assert frame.objects.tolist() == sum(([k] * 4 for k in range(4)), [])
        points = [samples.P, samples.Q, samples.P, samples.P]
        want = np.concatenate([p[samples.T] for p in points])
        assert (frame.points[frame.triangles] == want).all()
        starts = [frame.triangles[frame.objects == k].min() for k in range(4)]
        assert len(set(starts)) == 4, "objects are welded to each other"
        raises(impinge.ArgumentError, convert, [a, b], out, as_="objects", dt=1, force=True)


def test_source_ids():
    """What a file calls its cells stays through welding and cutting, also of OBJ among others."""
    with folder() as where:
        square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 2 3 4\n"
        samples.put(f"{where}/a.obj", square)
        other, out = next(samples.stl(where)).file, f"{where}/out.vtkhdf"
        convert(f"{where}/a.obj", f"{where}/a.vtkhdf")
        with impinge.open(f"{where}/a.vtkhdf") as batch:
            assert batch[0].source_ids.tolist() == [0, 1, 1]
        with h5py.File(f"{where}/a.vtkhdf", "a") as file:
            file["VTKHDF/CellData/PartId"] = np.array([7, 8, 9])
            file["VTKHDF/CellData/SourceId"][:] = [100, 50, 50]
            file["VTKHDF/CellData/PrimitiveId"] = np.array([1, 2, 3])
        for weld in (None, 0):
            convert([f"{where}/a.vtkhdf", other], out, as_="objects", weld=weld, force=True)
            with impinge.open(out) as batch:
                (frame,), arrays = batch, batch.cell_arrays(0)
            n = len(frame.triangles) - 3
            assert frame.source_ids[:3].tolist() == [100, 50, 50], frame
            assert frame.source_ids[3:].tolist() == list(range(n))
            assert arrays["PartId"].tolist() == [7, 8, 9] + [0] * n, arrays
            assert frame.ids is None


def test_program():
    """Files that are all of the program go to it, with the same options."""
    with folder() as where:
        rows = open_text(next(samples.obj(where)).file)
        for k in range(2):
            samples.put(f"{where}/a{k}.obj", rows)
        out = f"{where}/out.vtkhdf"
        convert([f"{where}/a{k}.obj" for k in range(2)], out, times=[0.25, 3], float32=True)
        with impinge.open(out) as batch:
            assert batch.times.tolist() == [0.25, 3] and batch[1].points.dtype == np.float32
        convert([f"{where}/a{k}.obj" for k in range(2)], out, as_="objects", force=True)
        with impinge.open(out) as batch:
            assert batch[0].objects.tolist() == [0] * 4 + [1] * 4
        raises(impinge.ArgumentError, convert, [], out)
        raises(impinge.ArgumentError, convert, f"{where}/a0.obj", out, as_="bodies")
        raises(impinge.InputError, convert, [out, f"{where}/none.obj"], f"{where}/b.vtkhdf")


def open_text(path):
    with open(path) as stream:
        return stream.read()


def test_stl_series():
    """Each file has its own neighbours, though all have as many triangles."""
    with folder() as where:
        orders = [samples.T, samples.T[::-1], samples.T[:, ::-1]]
        for k, cells in enumerate(orders):
            corners = samples.P.astype("<f4")[cells]
            facets = b"".join(bytes(12) + c.tobytes() + bytes(2) for c in corners)
            head = bytes(80) + len(cells).to_bytes(4, "little")
            samples.put(f"{where}/a{k}.stl", head + facets)
        convert([f"{where}/a{k}.stl" for k in range(3)], f"{where}/out.vtkhdf")
        with impinge.open(f"{where}/out.vtkhdf") as batch:
            for cells, frame in zip(orders, batch):
                assert len(frame.points) == 10  # two neighbours share an edge
                assert (frame.points[frame.triangles] == samples.P.astype("f4")[cells]).all()


def test_bytes():
    """The same bytes again, however late: HDF5 would keep when each object was made, in seconds."""
    with folder() as where:
        facet = bytes(12) + samples.P.astype("<f4")[samples.T[0]].tobytes() + bytes(2)
        for k in range(2):
            samples.put(f"{where}/a{k}.stl", bytes(80) + (1).to_bytes(4, "little") + facet)
        made = []
        for out in (f"{where}/one.vtkhdf", f"{where}/two.vtkhdf"):
            convert([f"{where}/a{k}.stl" for k in range(2)], out)
            made.append(Path(out).read_bytes())
            time.sleep(1.1)
        assert made[0] == made[1]


def test_skipped():
    """Points and lines are counted, in one line for all files."""
    with folder() as where:
        head = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 3 double\n"
        body = "0 0 0 1 0 0 0 1 0\nVERTICES 1 2 1 0\nLINES 1 3 2 0 1\nPOLYGONS 1 4 3 0 1 2\n"
        for k in range(2):
            samples.put(f"{where}/a{k}.vtk", head + body)
        said = run("convert", "a0.vtk", "a1.vtk", "-o", "b.vtkhdf", where=where)
        want = "a0.vtk: a point or a line, which is ignored; 2 such in this file; the same in 2"
        assert said.returncode == 0 and want in said.stderr, said
        assert "b.vtkhdf: 2 frames, the last of 1 triangles, 3 vertices" in said.stdout, said
        said = run("convert", "a0.vtk", "-qo", "c.vtkhdf", where=where)
        assert said.returncode == 0 and want.split("; the")[0] in said.stderr, said
        assert not said.stdout, said
        lists = '<DataSet timestep="{}" file="a0.vtk"/>'
        rows = "".join(map(lists.format, range(3)))
        content = f'<VTKFile type="Collection"><Collection>{rows}</Collection></VTKFile>'
        samples.put(f"{where}/c.pvd", content)
        said = run("convert", "c.pvd", "-o", "d.vtkhdf", where=where)  # a file of three frames
        assert said.stderr == f"impinge: {want.split('; the')[0]}\n", said
        deck = "*NODE\n1,0,0\n2,1,0\n3,0,1\n*ELEMENT,TYPE=S3\n1,1,2,3\n*STEP\n*STATIC\n*STEP\n"
        for k in range(2):
            samples.put(f"{where}/a{k}.inp", deck)
        work = {"as": "frames", "files": [f"{where}/a{k}.inp" for k in range(2)], "groups": False}
        work.update(into=f"{where}/made.vtkhdf", weld=None, words=[], of_names=[0.0, 1.0])
        want = "a0.inp: left out, as it is no surface or solid: 4 *STEP, 2 *STATIC; in 2 files in all"
        assert work_on(work, lambda told: None)["done"] == f"impinge: {where}/{want}\n"


# ---- the command line


def run(*words, where):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=where)


def test_command():
    """The verb takes what Python reads, and the program the rest."""
    with folder() as where:
        sample = next(samples.stl(where))
        name = os.path.basename(sample.file)
        said = run("convert", name, "--weld=0", "-o", "b.vtkhdf", where=where)
        assert said.returncode == 0 and "4 triangles, 10 vertices" in said.stdout, said
        said = run("convert", name, "-o", "b.vtkhdf", where=where)
        want = "impinge: b.vtkhdf: exists already; --force replaces it\n"
        assert (said.returncode, said.stderr) == (2, want), said
        for quiet, want in ((), "reading frame 1/1\n"), (("-q",), ""):
            words = ("-o", "b.vtkhdf", "--force", "--progress", "always", *quiet)
            said = run("convert", name, *words, where=where)
            assert (said.returncode, said.stderr) == (0, want), said
        said = run("convert", name, "-o", name, "--force", where=where)
        assert said.returncode == 2 and "is what is read" in said.stderr, said
        said = run("convert", "none.stl", "-o", "c.vtkhdf", where=where)
        assert said.returncode == 3 and "none.stl: No such file" in said.stderr, said
        said = run("convert", name, "-o", "no/c.vtkhdf", where=where)
        assert said.returncode == 1 and "no/c.vtkhdf: cannot be written" in said.stderr, said
        said = run("convert", name, "-o", "c.vtkhdf", "--wled", "0", where=where)
        assert said.returncode == 2 and "--weld" in said.stderr, said
        assert run("convert", "--help", where=where).stdout.startswith("usage: impinge convert")
        next(samples.obj(where))
        said = run("convert", "a.obj", "-o", "d.vtkhdf", where=where)
        assert said.returncode == 0 and "4 triangles" in said.stdout, said
        assert sorted(os.listdir(where)) == ["a.obj", "a.stl", "b.vtkhdf", "d.vtkhdf"]


def test_missing():
    """Without VTK or netCDF4 the message says what to install."""
    with folder() as where:
        samples.put(f"{where}/vtkmodules.py", "raise ImportError('not here')\n")
        samples.put(f"{where}/netCDF4.py", "raise ImportError('not here')\n")
        samples.put(f"{where}/a.vtp", "x")
        samples.put(f"{where}/a.exo", "x")
        for name in ("a.vtp", "a.exo"):
            code = f"import impinge; impinge.convert({name!r}, 'b.vtkhdf')"
            command = [sys.executable, "-c", code]
            said = subprocess.run(command, capture_output=True, text=True, cwd=where)
            assert f"{name}: to read it: pip install 'impinge[io]'" in said.stderr, said.stderr


def test_interrupt():
    """Ctrl-C while files are read leaves nothing behind."""
    with folder() as where:
        triangles = "endloop\nendfacet\n".join(
            ["facet normal 0 0 0\nouter loop\n" + "vertex 1 2 3\n" * 3] * 300000 + [""]
        )
        samples.put(f"{where}/a.stl", f"solid\n{triangles}endsolid\n")
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        raises(KeyboardInterrupt, convert, f"{where}/a.stl", f"{where}/b.vtkhdf")
        assert os.listdir(where) == ["a.stl"]
        command = [PROGRAM, "convert", "a.stl", "-o", "b.vtkhdf"]
        started = subprocess.Popen(command, cwd=where)
        time.sleep(1.2)
        started.terminate()
        code, left = started.wait(20), sorted(os.listdir(where))
        if left == ["a.stl", "b.vtkhdf"]:  # it was faster
            impinge.open(f"{where}/b.vtkhdf").close()
        else:
            assert code == 128 + signal.SIGTERM and left == ["a.stl"], (code, left)


assert h5py
main(globals())
