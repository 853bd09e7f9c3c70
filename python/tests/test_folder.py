"""impinge.convert of a folder, and the verb: the files of one format, in natural order."""

import os
import subprocess
import sys

import h5py

import impinge
from common import folder, main, raises
from impinge.importers import sequence

STL = (
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex {0} 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    "endloop\nendfacet\nendsolid s\n"
)
OBJ = "v {0} 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
NUMBERS = (1, 2, 3, 10, 11)


def write(where, name, text=""):
    path = f"{where}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def series(where, ending, text):
    for number in NUMBERS:
        write(where, f"f{number}.{ending}", text.format(-number))


def command(*words):
    """Of the package."""
    return subprocess.run([sys.executable, "-m", "impinge", *words], capture_output=True, text=True)


def firsts(batch):
    """Of each frame the first number of its first point."""
    with impinge.open(batch) as opened:
        return [float(frame.points[0, 0]) for frame in opened]


def test_order():
    """In natural order, by the program and here; what else is there is left out, and said."""
    with folder() as where:
        out = f"{where}/out.vtkhdf"
        for ending, text, kind in (("stl", STL, "d"), ("obj", OBJ, "e"), ("STL", STL, "g")):
            inside = f"{where}/{kind}"
            series(inside, ending, text)
            write(inside, "notes.png")
            write(inside, ".hidden.ply")
            write(inside, "below/x.ply")
            said = command("convert", inside, "-o", out, "--force")
            left = f"{inside}: 5 files .{ending.lower()}; left out: 1 .png\n"
            assert said.returncode == 0 and left in said.stderr, said.stderr
            assert firsts(out) == [-n for n in NUMBERS]
            said = command("convert", inside, "-o", out, "--force", "-q")
            assert said.returncode == 0 and "left out" not in said.stderr, said.stderr
            impinge.convert(inside, out, force=True, quiet=True)
            assert firsts(out) == [-n for n in NUMBERS]
            impinge.convert([inside], out, as_="objects", force=True, quiet=True)
            with h5py.File(out) as file:
                names = file["impinge/object_names"].asstr()[:].tolist()
            assert [os.path.basename(n.split(":")[0])[:-4] for n in names] == [f"f{n}" for n in NUMBERS]
        # a folder and a file, each in its place
        impinge.convert([f"{where}/d/f3.stl", f"{where}/e"], out, order="given", force=True, quiet=True)
        assert firsts(out) == [-3, *(-n for n in NUMBERS)]


def test_output():
    """What is written is not read, where it is in the folder."""
    with folder() as where:
        for ending, text in (("stl", STL), ("obj", OBJ)):
            inside = f"{where}/{ending}"
            series(inside, ending, text)
            for force in (False, True):
                impinge.convert(inside, f"{inside}/out.vtkhdf", force=force, quiet=True)
                assert firsts(f"{inside}/out.vtkhdf") == [-n for n in NUMBERS]
            said = command("convert", inside, "-o", f"{inside}/out.vtkhdf")
            assert said.returncode == 2 and "--force" in said.stderr, said.stderr


def test_refused():
    """Several formats, and none."""
    with folder() as where:
        out = f"{where}/out.vtkhdf"
        for names, words in (
            (("a.stl", "b.stl", "c.obj"), "several formats, 1 .obj, 2 .stl; name those of one, as in"),
            (("a.vol", "c.obj"), "several formats, 1 .obj, 1 .vol"),
            ((), "is a folder without a file"),
            (("a.png", "b.png", "c"), "a file that convert reads, by their names; there is"),
        ):
            inside = f"{where}/{len(names)}{'.'.join(names)[:6]}"
            os.makedirs(inside)
            for name in names:
                write(inside, name)
            what = raises(impinge.InputError, impinge.convert, inside, out)
            assert inside in str(what) and words in str(what), what
            said = command("convert", inside, "-o", out)
            assert said.returncode == 3 and words in said.stderr, said.stderr
            assert said.stderr.count("\n") == 1 and not os.path.exists(out)


def test_parts():
    """Data of other files do not count, nor do files that another one is read with."""
    from impinge.importers.folder import expand

    def found(*names):
        with folder() as where:
            for name in names:
                write(where, name)
            files, _ = expand([where], f"{where}/out", list)
            return [os.path.basename(file) for file in files]

    assert found("a.xdmf", "a.h5") == ["a.xdmf"]
    assert found("a.h5", "b.h5") == ["a.h5", "b.h5"]
    assert found("a.ele", "a.node", "b.ele", "b.node") == ["a.ele", "b.ele"]
    assert found("a.node") == ["a.node"]
    assert found("d3plot", "d3plot01", "d3plot02") == ["d3plot"]
    assert found("x.case", "x.geo", "x.scl") == ["x.case"]


def test_lists():
    """A series, or a mesh in pieces, is read once: the files that it lists are no others."""
    with folder() as where:
        names = ["a1.stl", "a2.stl"]
        for name, number in zip(names, (1, 2)):
            write(where, f"in/{name}", STL.format(-number))
        entries = ", ".join(f'{{"name": "{n}", "time": {k}}}' for k, n in enumerate(names))
        write(where, "in/a.stl.series", f'{{"file-series-version": "1.0", "files": [{entries}]}}')
        impinge.convert(f"{where}/in", f"{where}/out.vtkhdf", quiet=True)
        assert firsts(f"{where}/out.vtkhdf") == [-1, -2]
        rows = "".join(f'<DataSet timestep="{k}" file="{n}"/>' for k, n in enumerate(names[::-1]))
        os.unlink(f"{where}/in/a.stl.series")
        write(where, "in/a.pvd", f"<VTKFile><Collection>{rows}</Collection></VTKFile>")
        said = command("convert", f"{where}/in", "-o", f"{where}/out.vtkhdf", "--force")
        assert said.returncode == 0, said
        assert firsts(f"{where}/out.vtkhdf") == [-2, -1]
        write(where, "in/b.stl", STL.format(3))
        said = command("convert", f"{where}/in", "-o", f"{where}/out.vtkhdf", "--force")
        assert said.returncode == 3 and "several formats, 1 .pvd, 1 .stl" in said.stderr, said


def test_case():
    """A folder of OpenFOAM is one file, as before."""
    with folder() as where:
        write(where, "case/system/controlDict")
        write(where, "case/a.stl", STL.format(0))
        what = raises(impinge.InputError, impinge.convert, f"{where}/case", f"{where}/out.vtkhdf")
        assert "polyMesh" in str(what), what


def test_many():
    """Names of many files are no words of the program's command: it reads a folder of them."""
    with folder() as where:
        inside, out, many = f"{where}/many", f"{where}/out.vtkhdf", sequence._MANY
        series(inside, "stl", STL)
        sequence._MANY = 3
        try:
            for options in (dict(), dict(dt=0.5), dict(times="names")):
                impinge.convert(inside, out, force=True, quiet=True, **options)
                assert firsts(out) == [-n for n in NUMBERS]
                with impinge.open(out) as batch:
                    times = batch.times.tolist()
                names = [float(n) for n in NUMBERS]
                steps = [k * options.get("dt", 1.0) for k in range(len(NUMBERS))]
                assert times == (names if "times" in options else steps)
            old = os.getcwd()
            os.chdir(inside)
            try:
                impinge.convert(".", out, force=True, quiet=True)
            finally:
                os.chdir(old)
            assert firsts(out) == [-n for n in NUMBERS]
        finally:
            sequence._MANY = many


main(globals())
